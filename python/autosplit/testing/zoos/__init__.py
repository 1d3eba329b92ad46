"""Nets of the frameworks' own model zoos, with random weights."""
