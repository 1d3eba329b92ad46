"""The compiler of its framework."""

from autosplit.compiler import OnnxCompiler

__all__ = ["OnnxCompiler"]
