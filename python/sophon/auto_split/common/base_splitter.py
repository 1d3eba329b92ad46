"""The base class of splitters."""

from autosplit.flows.op_graph import Operator
from autosplit.flows.op_graph import OperatorGraph as Graph
from autosplit.flows.splitter import Splitter

__all__ = ["Graph", "Operator", "Splitter"]
