"""The compiler of its framework."""

from autosplit.compiler import CaffeCompiler

__all__ = ["CaffeCompiler"]
