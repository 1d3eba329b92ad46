"""The splitter of its framework."""

from autosplit.flows.splitter import PytorchSplitter

__all__ = ["PytorchSplitter"]
