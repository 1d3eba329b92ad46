"""The splitter of its framework."""

from autosplit.flows.splitter import CaffeSplitter

__all__ = ["CaffeSplitter"]
