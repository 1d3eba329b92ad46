"""The base class."""
