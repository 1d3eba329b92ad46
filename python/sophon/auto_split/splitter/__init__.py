"""The splitters, one for each framework."""

from autosplit.flows.splitter import (
    CaffeSplitter,
    MxnetSplitter,
    OnnxSplitter,
    PytorchSplitter,
    Splitter,
    TensorflowSplitter,
)

__all__ = [
    "CaffeSplitter",
    "MxnetSplitter",
    "OnnxSplitter",
    "PytorchSplitter",
    "Splitter",
    "TensorflowSplitter",
]
