"""From a module to files, and back."""
