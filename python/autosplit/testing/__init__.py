"""What tests and the demonstration need and the compiler does not: real models and photographs."""
