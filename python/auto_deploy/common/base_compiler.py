"""The base class of compilers."""

from autosplit.flows.convert.compiler import Compiler

__all__ = ["Compiler"]
