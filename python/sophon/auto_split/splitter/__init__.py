"""The splitters, one for each framework."""

from autosplit.splitter import OnnxSplitter, Splitter, TensorflowSplitter

__all__ = ["OnnxSplitter", "Splitter", "TensorflowSplitter"]
