"""The splitter of its framework."""

from autosplit.splitter import OnnxSplitter

__all__ = ["OnnxSplitter"]
