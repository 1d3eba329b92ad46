"""The compiler of its framework."""

from autosplit.flows.convert.bmnet import CaffeCompiler

__all__ = ["CaffeCompiler"]
