"""Quantizing: running a float32 model on data, and what is made of it."""
