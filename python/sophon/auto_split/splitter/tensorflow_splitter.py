"""The splitter of its framework."""

from autosplit.flows.splitter import TensorflowSplitter

__all__ = ["TensorflowSplitter"]
