"""Engines side by side: each in a process of its own, taking turns on the same inputs and threads."""
