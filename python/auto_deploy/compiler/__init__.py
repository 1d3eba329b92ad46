"""The compilers, one for each framework."""

from autosplit.compiler import (
    CaffeCompiler,
    Compiler,
    MxnetCompiler,
    OnnxCompiler,
    PytorchCompiler,
    TensorflowCompiler,
)

__all__ = [
    "CaffeCompiler",
    "Compiler",
    "MxnetCompiler",
    "OnnxCompiler",
    "PytorchCompiler",
    "TensorflowCompiler",
]
