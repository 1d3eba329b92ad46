"""Support for tests and the demonstration, not needed by the compiler: real models and photographs."""
