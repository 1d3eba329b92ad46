"""The compiler of its framework."""

from autosplit.flows.convert.compilers import CaffeCompiler

__all__ = ["CaffeCompiler"]
