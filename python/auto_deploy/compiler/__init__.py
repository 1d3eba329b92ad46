"""The compilers: one for each framework, and TPU-MLIR for all of them."""

from autosplit.flows.convert.compilers import (
    CaffeCompiler,
    Compiler,
    MxnetCompiler,
    OnnxCompiler,
    PytorchCompiler,
    TensorflowCompiler,
    TpuMlirCompiler,
)

__all__ = [
    "CaffeCompiler",
    "Compiler",
    "MxnetCompiler",
    "OnnxCompiler",
    "PytorchCompiler",
    "TensorflowCompiler",
    "TpuMlirCompiler",
]
