"""The compiler of its framework."""

from autosplit.flows.convert.compilers import TensorflowCompiler

__all__ = ["TensorflowCompiler"]
