"""The splitter of its framework."""

from autosplit.flows.splitter import OnnxSplitter

__all__ = ["OnnxSplitter"]
