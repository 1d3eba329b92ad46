"""The base classes."""
