"""Toys: an op, passes, an output format and a platform that autosplit does not have."""
