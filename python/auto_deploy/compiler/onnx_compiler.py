"""The compiler of its framework."""

from autosplit.flows.convert.bmnet import OnnxCompiler

__all__ = ["OnnxCompiler"]
