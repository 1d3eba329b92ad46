"""The compiler of its framework."""

from autosplit.flows.convert.bmnet import TensorflowCompiler

__all__ = ["TensorflowCompiler"]
