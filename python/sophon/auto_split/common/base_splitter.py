"""The base class of splitters."""

from autosplit.op_graph import Graph, Operator
from autosplit.splitter import Splitter

__all__ = ["Graph", "Operator", "Splitter"]
