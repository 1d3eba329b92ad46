"""The splitter of its framework."""

from autosplit.flows.splitter import MxnetSplitter

__all__ = ["MxnetSplitter"]
