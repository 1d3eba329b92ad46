"""Graphs of the library's ops: built by hand, at random, and what the library itself makes of them."""
