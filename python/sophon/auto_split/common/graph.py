"""The graph that all splitters share, and the algorithm that cuts it."""

from autosplit.flows.op_graph import Graph, Operator, Subgraph

__all__ = ["Graph", "Operator", "Subgraph"]
