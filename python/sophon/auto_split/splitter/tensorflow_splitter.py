"""The splitter of its framework."""

from autosplit.splitter import TensorflowSplitter

__all__ = ["TensorflowSplitter"]
