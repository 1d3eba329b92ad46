"""The compiler of its framework."""

from autosplit.compiler import PytorchCompiler

__all__ = ["PytorchCompiler"]
