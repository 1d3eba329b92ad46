"""The compiler of its framework."""

from autosplit.flows.convert.compilers import OnnxCompiler

__all__ = ["OnnxCompiler"]
