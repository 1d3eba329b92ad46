"""The base class of splitters."""

from autosplit.flows.op_graph import Graph, Operator
from autosplit.flows.splitter import Splitter

__all__ = ["Graph", "Operator", "Splitter"]
