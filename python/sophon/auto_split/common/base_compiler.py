"""The base class of compilers."""

from autosplit.compiler import Compiler

__all__ = ["Compiler"]
