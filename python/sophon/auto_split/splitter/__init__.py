"""The splitters, one for each framework."""

from autosplit.flows.splitter import OnnxSplitter, Splitter, TensorflowSplitter

__all__ = ["OnnxSplitter", "Splitter", "TensorflowSplitter"]
