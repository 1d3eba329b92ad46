"""Heaviest closures: which of many linked yes/no choices to take, exactly, by minimum cuts.

A *closure* of a directed graph is a set of nodes that contains the head of every arc whose tail it
contains. Nodes have integer weights; the heaviest closure is a minimum cut (Picard 1976). Here weights
have several ranks: of all closures heaviest in the first rank, those heaviest in the second, and so on.
After one maximum flow the arcs of the residual graph describe *all* minimum cuts, so each rank is a
closure problem within the optimal closures of the rank before, on a graph that has shrunk meanwhile.

Exactness. The flow of scipy holds 32-bit capacities. Weights are processed a few bits at a time: the
flow for the leading bits, doubled, is a feasible flow for more bits, and what it lacks is at most one unit
per node and arc, whose capacities fit again. Nothing is rounded as long as the absolute weights of one rank
sum to less than 2**62; otherwise OverflowError is raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FLOW_LIMIT = 2**30
"""No flow and no capacity given to scipy is larger: the sum of two must fit 32 bits."""
HUB = 64
"""Nodes with more pairs of arcs than this are not searched for shortcuts: it would take too long."""
OUT, INSIDE = -1, -2
"""Labels of nodes that are decided: in no optimal closure, or in all of them."""


class _Sparse(Protocol):
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    data: NDArray[np.int32]


class _Flow(Protocol):
    flow: _Sparse


class _SparseModule(Protocol):
    def csr_matrix(self, content: Any, shape: tuple[int, int]) -> _Sparse: ...


class _GraphModule(Protocol):
    def maximum_flow(self, graph: _Sparse, source: int, sink: int) -> _Flow: ...
    def breadth_first_order(
        self, graph: _Sparse, start: int, directed: bool, return_predecessors: bool
    ) -> NDArray[np.int32]: ...
    def connected_components(
        self, graph: _Sparse, directed: bool, connection: str
    ) -> tuple[int, NDArray[np.int32]]: ...


def _sparse() -> _SparseModule:
    return cast(_SparseModule, cast(object, import_module("scipy.sparse")))


def _csgraph() -> _GraphModule:
    return cast(_GraphModule, cast(object, import_module("scipy.sparse.csgraph")))


def adjacency(count: int, tails: Ints, heads: Ints) -> _Sparse:
    """The arcs as a sparse matrix of ones [count, count]."""
    ones = np.ones(len(tails), dtype=np.int32)
    return _sparse().csr_matrix((ones, (tails, heads)), shape=(count, count))


def components(count: int, tails: Ints, heads: Ints, *, strong: bool) -> Ints:
    """Labels [count] of the (strongly) connected components, numbered by their first members."""
    if not strong:
        return _connected(count, tails, heads)
    if (tails <= heads).all() or (tails >= heads).all():
        # All arcs lead one way: there are no cycles.
        return np.arange(count, dtype=np.int64)
    graph = adjacency(count, tails, heads)
    _, labels = _csgraph().connected_components(graph, directed=True, connection="strong")
    return compact(labels.astype(np.int64))


def _connected(count: int, tails: Ints, heads: Ints) -> Ints:
    """Connected components, whatever the direction of the arcs; does not load scipy.

    Of each arc between two classes, the one with the greater first member joins the other. So of all classes
    that arcs lead out of, half are gone after a round.
    """
    first = np.arange(count, dtype=np.int64)
    while True:
        ends = first[np.stack([tails, heads])]
        least, most = ends.min(axis=0), ends.max(axis=0)
        if (least == most).all():
            return compact(first)
        np.minimum.at(first, most, least)
        while ((further := first[first]) != first).any():
            first = further


def is_acyclic(count: int, tails: Ints, heads: Ints) -> bool:
    """Whether no arc is part of a cycle, self-loops aside."""
    proper = tails != heads
    follow: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    arcs = zip(tails[proper], heads[proper], strict=True)
    for tail, head in ((int(tail), int(head)) for tail, head in arcs):
        follow[tail].append(head)
        waiting[head] += 1
    ready: list[int] = [node for node in range(count) if not waiting[node]]
    for node in ready:
        for head in follow[node]:
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    return len(ready) == count


def compact(labels: Ints) -> Ints:
    """The same classes, numbered 0, 1, ... in the order of their first members."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.reshape(-1)]


def unique_arcs(count: int, tails: Ints, heads: Ints) -> tuple[Ints, Ints]:
    """The arcs sorted, without self-loops and repetitions."""
    keys = np.unique((tails * count + heads)[tails != heads])
    return keys // max(count, 1), keys % max(count, 1)


def without_shortcuts(count: int, tails: Ints, heads: Ints) -> tuple[Ints, Ints]:
    """Drop arcs u -> v of an acyclic graph where arcs u -> w -> v exist, which imply them."""
    into = np.bincount(heads, minlength=count)
    out = np.bincount(tails, minlength=count)
    narrow = into * out <= HUB
    # The shortcut and the detour begin and end at the same nodes.
    first, second = narrow[heads] & (out[tails] > 1), narrow[tails] & (into[heads] > 1)
    if not first.any() or not second.any():
        return tails, heads
    begins, middles = tails[first], heads[first]
    order = np.argsort(middles, kind="stable")
    begins, middles = begins[order], middles[order]
    # Each arc u -> w is followed by the arcs out of w.
    ends, sources = heads[second], tails[second]
    low = np.searchsorted(middles, sources, side="left")
    pairs = np.searchsorted(middles, sources, side="right") - low
    # For each arc w -> v in turn, the positions of the arcs into w.
    offsets: Ints = low - np.cumsum(pairs) + pairs
    places: Ints = np.arange(int(pairs.sum()), dtype=np.int64) + np.repeat(offsets, pairs)
    detours = begins[places] * count + np.repeat(ends, pairs)
    keep = ~np.isin(tails * count + heads, detours)
    return tails[keep], heads[keep]


def reachable(count: int, tails: Ints, heads: Ints, start: Bools) -> Bools:
    """The nodes that can be reached along arcs from the nodes marked in `start` [count], including those."""
    if not start.any():
        return start.copy()
    first = np.flatnonzero(start)
    root = np.full(len(first), count, dtype=np.int64)
    graph = adjacency(count + 1, np.concatenate([tails, root]), np.concatenate([heads, first]))
    order = _csgraph().breadth_first_order(graph, count, directed=True, return_predecessors=False)
    reached = np.zeros(count + 1, dtype=np.bool_)
    reached[order] = True
    return reached[:count]


@dataclass(frozen=True)
class Closures:
    """All heaviest closures of a graph.

    They are the sets that contain `least`, avoid `never`, and respect the arcs of the graph and those of
    `tails`, `heads`. `least` is itself one of them, the source-minimal cut.
    """

    least: Bools
    never: Bools
    tails: Ints
    heads: Ints


def heaviest(weights: Ints, tails: Ints, heads: Ints) -> Closures:
    """The heaviest closures of the graph with int64 `weights` [n] and arcs `tails` -> `heads` [m].

    Each arc may occur only once. Raises OverflowError when the weights sum to 2**62 or more.
    """
    count = len(weights)
    gain, loss = np.maximum(weights, 0), np.maximum(-weights, 0)
    flow, source, sink = _maximum_flow(gain, loss, tails, heads)
    carried = flow > 0
    back_tails, back_heads = heads[carried], tails[carried]
    all_tails = np.concatenate([tails, back_tails])
    all_heads = np.concatenate([heads, back_heads])
    least = reachable(count, all_tails, all_heads, source < gain)
    never = reachable(count, all_heads, all_tails, sink < loss)
    return Closures(least, never, back_tails, back_heads)


def _maximum_flow(gain: Ints, loss: Ints, tails: Ints, heads: Ints) -> tuple[Ints, Ints, Ints]:
    """Flow over the arcs [m], from the source into nodes [n] and from nodes to the sink [n].

    Capacities are `gain`, `loss` and unlimited.
    """
    count = len(gain)
    flow = np.zeros(len(tails), dtype=np.int64)
    source, sink = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    total = max(gain.sum(dtype=float), loss.sum(dtype=float))
    if total >= 2**62:
        raise OverflowError(f"weights sum to {total:.3g}, which is not below 2**62")
    if not gain.any() or not loss.any():
        return flow, source, sink
    network = _Network(count, tails, heads)
    # Per piece, what is missing is below 2**piece for each of the arcs that a cut can have.
    piece = max(1, FLOW_LIMIT.bit_length() - 1 - (2 * count).bit_length())
    shift = 0
    while min(int((gain >> shift).sum()), int((loss >> shift).sum())) >= FLOW_LIMIT:
        shift += 1
    while True:
        source_left, sink_left = (gain >> shift) - source, (loss >> shift) - sink
        added = network.augment(flow, source_left, sink_left)
        flow, source, sink = flow + added[0], source + added[1], sink + added[2]
        if shift == 0:
            return flow, source, sink
        step = min(piece, shift)
        shift -= step
        flow, source, sink = flow << step, source << step, sink << step


class _Network:
    """The flow network of one graph: node arcs both ways, source and sink arcs, in the order of scipy."""

    def __init__(self, count: int, tails: Ints, heads: Ints):
        nodes = np.arange(count, dtype=np.int64)
        source, sink = np.full(count, count), np.full(count, count + 1)
        # Reverse arcs exist from the start: scipy then keeps the order, and flows can be read off.
        row = np.concatenate([tails, heads, source, nodes, nodes, sink])
        column = np.concatenate([heads, tails, nodes, source, sink, nodes])
        self.count, self.arcs = count, len(tails)
        self.order = np.lexsort((column, row))
        self.position = np.empty(len(row), dtype=np.int64)
        self.position[self.order] = np.arange(len(row))
        self.indices = column[self.order].astype(np.int32)
        starts = np.searchsorted(row[self.order], np.arange(count + 3))
        self.starts = starts.astype(np.int32)

    def augment(self, flow: Ints, source: Ints, sink: Ints) -> tuple[Ints, Ints, Ints]:
        """What a maximum flow adds, given the arcs' flow [m] and what source and sink arcs can still take."""
        count, m = self.count, self.arcs
        # Larger capacities than the whole flow make no difference.
        limit = min(int(source.sum()), int(sink.sum()), FLOW_LIMIT)
        capacity = np.zeros(2 * m + 4 * count, dtype=np.int64)
        capacity[:m] = limit
        capacity[m : 2 * m] = np.minimum(flow, limit)
        capacity[2 * m : 2 * m + count] = np.minimum(source, limit)
        capacity[2 * m + 2 * count : 2 * m + 3 * count] = np.minimum(sink, limit)
        data = capacity[self.order].astype(np.int32)
        shape = (count + 2, count + 2)
        graph = _sparse().csr_matrix((data, self.indices, self.starts), shape=shape)
        result = _csgraph().maximum_flow(graph, count, count + 1).flow
        if len(result.data) != len(data):
            raise AssertionError("maximum_flow changed the order of the arcs")
        added = result.data[self.position].astype(np.int64)
        into, out = 2 * m, 2 * m + 2 * count
        return added[:m], added[into : into + count], added[out : out + count]


@dataclass
class _Graph:
    """A closure problem that shrinks: weights [ranks, nodes], arcs, and what became of each original node."""

    weights: Ints
    idle: Bools
    """Nodes that have no weight in any rank, nor had any of those merged into them."""
    tails: Ints
    heads: Ints
    place: Ints

    @property
    def count(self) -> int:
        return self.weights.shape[1]

    def relabel(self, labels: Ints) -> None:
        """Nodes of equal label become one; those labelled OUT or INSIDE are decided and leave."""
        stay = labels >= 0
        renamed = labels.copy()
        renamed[stay] = compact(labels[stay])
        count = int(renamed.max(initial=-1)) + 1
        weights = np.zeros((len(self.weights), count), dtype=np.int64)
        for rank, row in enumerate(self.weights):
            np.add.at(weights[rank], renamed[stay], row[stay])
        idle = np.ones(count, dtype=np.bool_)
        idle[renamed[stay & ~self.idle]] = False
        tails, heads = renamed[self.tails], renamed[self.heads]
        inner = (tails >= 0) & (heads >= 0)
        self.tails, self.heads = unique_arcs(count, tails[inner], heads[inner])
        self.weights, self.idle = weights, idle
        undecided = self.place >= 0
        self.place[undecided] = renamed[self.place[undecided]]

    def signs(self) -> NDArray[np.int8]:
        """The sign of each node's first rank that is not zero."""
        signs = np.zeros(self.count, dtype=np.int8)
        for row in self.weights[::-1]:
            signs = np.where(row != 0, np.sign(row), signs).astype(np.int8)
        return signs

    def shrink(self, *, all_optima: bool) -> None:
        """Decide and merge nodes by local rules, over and over while it helps.

        A node that weighs less than nothing and has one way in, from p, is in a heaviest closure if and
        only if p is; with no way in, never. The same the other way round: a node that gains and has one way
        out, to q, goes with q; with no way out, it is always in. Idle nodes may be treated as either, which
        keeps every choice of the others, but not all of their own; that is done unless `all_optima`.
        """
        while self.count:
            before = self.count
            self.tails, self.heads = without_shortcuts(self.count, self.tails, self.heads)
            into = np.bincount(self.heads, minlength=self.count)
            out = np.bincount(self.tails, minlength=self.count)
            signs = self.signs()
            loses, gains = signs < 0, signs > 0
            if not all_optima:
                # A node takes one side only: going with p and with q would make p and q equal.
                loses |= self.idle & (into <= 1)
                gains |= self.idle & (into > 1)
            joined = (loses & (into == 1))[self.heads] | (gains & (out == 1))[self.tails]
            labels = components(self.count, self.tails[joined], self.heads[joined], strong=False)
            # What was joined to a decided node is a part of it, and waits for the next round.
            alone = np.bincount(labels)[labels] == 1
            labels[loses & (into == 0) & alone] = OUT
            labels[gains & (out == 0) & alone] = INSIDE
            self.relabel(labels)
            if self.count > 0.98 * before:
                return

    def solve(self) -> None:
        """Keep to the heaviest closures of the first rank, and drop it."""
        weights, self.weights = self.weights[0], self.weights[1:]
        if not weights.any():
            return
        closures = heaviest(weights, self.tails, self.heads)
        self.tails = np.concatenate([self.tails, closures.tails])
        self.heads = np.concatenate([self.heads, closures.heads])
        labels = components(self.count, self.tails, self.heads, strong=True)
        labels[closures.least] = INSIDE
        labels[closures.never] = OUT
        self.relabel(labels)


def heaviest_by_rank(weights: Ints, tails: Ints, heads: Ints) -> Bools:
    """The least closure [n] that is heaviest in each rank of `weights` [ranks, n], first rank first.

    Arcs `tails` -> `heads` [m] may repeat and form cycles. The heaviest closures form a lattice, so the
    least one, which all others contain, is unique. Raises OverflowError when the weights of a rank sum to
    2**62 or more.
    """
    return _solved(weights, tails, heads, all_optima=True).place == INSIDE


def least_and_greatest(weights: Ints, tails: Ints, heads: Ints) -> tuple[Bools, Bools]:
    """The least and the greatest of these closures, as far as nodes with any weight are concerned.

    The other nodes may be in either, which takes less time.
    """
    place = _solved(weights, tails, heads, all_optima=False).place
    return place == INSIDE, place != OUT


def _solved(weights: Ints, tails: Ints, heads: Ints, *, all_optima: bool) -> _Graph:
    """The graph with its nodes decided as far as the heaviest closures agree on them."""
    count = weights.shape[1]
    graph = _Graph(weights, ~weights.any(axis=0), tails, heads, np.arange(count, dtype=np.int64))
    graph.relabel(components(count, tails, heads, strong=True))
    for _ in range(len(weights)):
        graph.shrink(all_optima=all_optima)
        graph.solve()
    return graph
