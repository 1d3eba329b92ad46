"""Topological order of nodes that are known by their numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush


class Cycle(Exception):
    """Nodes depend on each other: `nodes`, each on the one in front of it, and the first on the last."""

    def __init__(self, nodes: list[int]):
        super().__init__(nodes)
        self.nodes = nodes


def topological_order(dependencies: Sequence[Collection[int]]) -> list[int]:
    """The lexicographically first order in which each node stands behind those that it depends on.

    Raises Cycle where there is none.
    """
    sorter = TopologicalSorter(dict(enumerate(dependencies)))
    try:
        sorter.prepare()
    except CycleError as error:
        raise Cycle(error.args[1][1:]) from None
    ready: list[int] = []
    order: list[int] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, node)
        order.append(heappop(ready))
        sorter.done(order[-1])
    return order
