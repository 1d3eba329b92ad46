"""The compilers: one for each framework, and TPU-MLIR for all of them."""

from autosplit.flows.convert.bmnet import (
    CaffeCompiler,
    MxnetCompiler,
    OnnxCompiler,
    PytorchCompiler,
    TensorflowCompiler,
)
from autosplit.flows.convert.compiler import Compiler
from autosplit.flows.convert.compilers import TpuMlirCompiler

__all__ = [
    "CaffeCompiler",
    "Compiler",
    "MxnetCompiler",
    "OnnxCompiler",
    "PytorchCompiler",
    "TensorflowCompiler",
    "TpuMlirCompiler",
]
