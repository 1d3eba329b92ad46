"""The base class of compilers."""

from autosplit.flows.convert.compilers import Compiler

__all__ = ["Compiler"]
