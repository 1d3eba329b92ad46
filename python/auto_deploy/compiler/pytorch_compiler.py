"""The compiler of its framework."""

from autosplit.flows.convert.bmnet import PytorchCompiler

__all__ = ["PytorchCompiler"]
