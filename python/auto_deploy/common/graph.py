"""The graph that all splitters share, and the algorithm that cuts it."""

from autosplit.flows.op_graph import Operator, Subgraph
from autosplit.flows.op_graph import OperatorGraph as Graph

__all__ = ["Graph", "Operator", "Subgraph"]
