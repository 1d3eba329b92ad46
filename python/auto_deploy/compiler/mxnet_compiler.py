"""The compiler of its framework."""

from autosplit.flows.convert.bmnet import MxnetCompiler

__all__ = ["MxnetCompiler"]
