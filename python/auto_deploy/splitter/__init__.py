"""The splitters, one for each framework."""

from autosplit.flows.splitter import (
    CaffeSplitter,
    MxnetSplitter,
    OnnxSplitter,
    Splitter,
    TensorflowSplitter,
)

__all__ = ["CaffeSplitter", "MxnetSplitter", "OnnxSplitter", "Splitter", "TensorflowSplitter"]
