"""The compiler of its framework."""

from autosplit.compiler import MxnetCompiler

__all__ = ["MxnetCompiler"]
