"""The compiler of its framework."""

from autosplit.flows.convert.compilers import MxnetCompiler

__all__ = ["MxnetCompiler"]
