"""The compiler of its framework."""

from autosplit.compiler import TensorflowCompiler

__all__ = ["TensorflowCompiler"]
