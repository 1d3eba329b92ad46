"""The compiler of its framework."""

from autosplit.flows.convert.compilers import PytorchCompiler

__all__ = ["PytorchCompiler"]
