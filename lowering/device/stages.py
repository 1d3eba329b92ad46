"""Which stage each atom of an acyclic graph belongs to: the algorithm of device-cluster, on integer arrays.

A *stage* is a sub-model's place in the order. Stages alternate between CPU and TPU; both choices of the
first device are tried. Stage numbers never decrease along an edge, so sub-models are convex and their
graph is acyclic. An atom may only be in a stage of a device that accepts it.

Objective `fewest`. For at most K stages, of all plans take those with

1. the most work (multiply-adds) on the TPU; of these
2. the most ops on the TPU; of these, for the K that is chosen,
3. the fewest live bytes over the borders; of these
4. the one where every atom is at its earliest stage (such plans form a lattice, so there is exactly one).

Equal plans for both first devices: the one that begins on the CPU. All four are exact: each is a closure
problem within the optima of the one before (`closures.py`), nothing is rounded. The limit is that the
work of all atoms sums to less than 2**62 / 2K, and bytes likewise.

*Live bytes.* A value costs its bytes once for every border between its producer and its last reader;
however many readers there are. Graph inputs come from the host, which is the CPU side: before the first
stage there is a border if that is on the TPU. Graph outputs go back to the host over the first border
after a TPU stage. This is what must be kept across each border, and the only such measure for which a
minimum cut exists: counting true transfers (a value that goes cpu -> cpu past a TPU stage is free) is not
submodular. What the sub-models really take in and give out is reported beside it.

*The curve.* W(K) never decreases, and can stay level from one K to the next before it rises again (an
island in the middle needs K = 3). It ends where everything that the TPU accepts is on it, or at
`max_stages`. The plan is the smallest K that keeps `keep` of the best work on the curve; of the ops when
there is no work at all. With that K no stage is empty, and no TPU sub-model does nothing for the work
unless an atom must run there: without it a smaller K would keep as much. So a lone Relu between CPU parts
stays on the CPU of a model that has any work elsewhere, and is a sub-model only where ops are all
there is. K = 1 is all CPU, or all TPU if that is allowed.

What the curve needs is found on a smaller problem that has the same work and ops (`_reduce`, `_windows`);
bytes and earliest stages then come from the whole problem, for the chosen K only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.devices import DEFAULT_KEEP
from autosplit.lowering.device.closures import (
    Bools,
    Ints,
    compact,
    components,
    heaviest_by_rank,
    unique_arcs,
    without_shortcuts,
)

Device = Literal["cpu", "tpu"]
DEVICES: tuple[Device, Device] = ("cpu", "tpu")
HOST = -1
"""The producer of graph inputs."""
MAX_STAGES = 9


class InfeasibleError(AutosplitError, ValueError):
    """No plan exists. `members` are the atoms (or parts of one atom) that cannot be placed."""

    def __init__(self, text: str, members: Sequence[int] = ()):
        super().__init__(text)
        self.members = list(members)


@dataclass(frozen=True)
class Values:
    """The tensors between atoms.

    Tensor v is made by atom `producers[v]` (HOST for a graph input), is read by the atoms
    `readers[starts[v]:starts[v + 1]]`, has `bytes[v]` bytes, and is a graph output if `outputs[v]`.
    """

    producers: Ints
    starts: Ints
    readers: Ints
    bytes: Ints
    outputs: Bools

    @staticmethod
    def of(values: Iterable[tuple[int, Sequence[int], int, bool]] = ()) -> Values:
        """From (producer or HOST, readers, bytes, is a graph output) for each tensor."""
        rows = list(values)
        lengths = np.array([0, *(len(row[1]) for row in rows)], dtype=np.int64)
        return Values(
            np.array([row[0] for row in rows], dtype=np.int64),
            np.cumsum(lengths),
            np.array([reader for row in rows for reader in row[1]], dtype=np.int64),
            np.array([row[2] for row in rows], dtype=np.int64),
            np.array([row[3] for row in rows], dtype=np.bool_),
        )

    def pairs(self) -> tuple[Ints, Ints]:
        """For every reading: the value, the reader."""
        lengths = np.diff(self.starts)
        return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths), self.readers


@dataclass(frozen=True)
class Problem:
    """Atoms 0 .. count-1, what links them, where they can run, and what they weigh.

    `edges` [m, 2] are pairs producer, reader; they may repeat, and those that `values` imply may be left
    out. `cpu`, `tpu` [count]: the devices that accept each atom. `work` [count]: multiply-adds. `ops`
    [count]: number of ops.
    """

    count: int
    edges: Ints
    cpu: Bools
    tpu: Bools
    work: Ints
    ops: Ints
    values: Values = field(default_factory=Values.of)

    def arcs(self) -> tuple[Ints, Ints]:
        """All edges, those of the values too, sorted and once each."""
        value, reader = self.values.pairs()
        producer = self.values.producers[value]
        inner = producer != HOST
        edges = self.edges.reshape(-1, 2)
        tails = np.concatenate([edges[:, 0], producer[inner]])
        heads = np.concatenate([edges[:, 1], reader[inner]])
        return unique_arcs(self.count, tails, heads)


@dataclass(frozen=True)
class Point:
    """The best that at most `stages` sub-models can do: a point of the curve."""

    stages: int
    work: int
    ops: int
    work_share: float
    """Of all work that the TPU accepts; 1.0 when there is none."""
    ops_share: float
    first: Device
    """The device of the first stage of a plan that does it."""


@dataclass(frozen=True)
class StagePlan:
    """A stage for each atom, without empty stages."""

    stages: Ints
    """[count], 0 .. len(devices) - 1"""
    devices: list[Device]
    """Of each stage."""
    work_on_tpu: int
    ops_on_tpu: int
    work_possible: int
    """Work of all atoms that the TPU accepts; what is possible with any number of sub-models."""
    ops_possible: int
    border_bytes: Ints
    """[K + 1] live bytes over the border before each stage and after the last one; see the module's text."""
    bytes_in: Ints
    """[K] bytes of the distinct values that each stage reads from elsewhere."""
    bytes_out: Ints
    """[K] bytes of the distinct values that each stage makes for others or for the graph's outputs."""


def contract_cycles(problem: Problem, ties: Ints) -> tuple[Problem, Ints]:
    """The problem on atoms that are acyclic, and the atom [count] that each old one became part of.

    `ties` [t, 2] are pairs that may not be parted. Strongly connected components of edges and ties become
    one atom, numbered by their first members, that can run where all of its parts can. Raises
    InfeasibleError with the members of an atom that no device takes.
    """
    tails, heads = problem.arcs()
    ties = ties.reshape(-1, 2)
    labels = components(
        problem.count,
        np.concatenate([tails, ties[:, 0], ties[:, 1]]),
        np.concatenate([heads, ties[:, 1], ties[:, 0]]),
        strong=True,
    )
    count = int(labels.max(initial=-1)) + 1
    cpu, tpu = np.ones(count, dtype=np.bool_), np.ones(count, dtype=np.bool_)
    np.logical_and.at(cpu, labels, problem.cpu)
    np.logical_and.at(tpu, labels, problem.tpu)
    _check_accepted(cpu, tpu, labels)
    values = problem.values
    value, reader = values.pairs()
    producers = values.producers.copy()
    made = producers != HOST
    producers[made] = labels[producers[made]]
    reader = labels[reader]
    outside = producers[value] != reader
    keys = np.unique((value * max(count, 1) + reader)[outside])
    value, reader = keys // max(count, 1), keys % max(count, 1)
    kept = np.union1d(value, np.flatnonzero(values.outputs))
    lengths = np.bincount(value, minlength=len(producers))[kept]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]).astype(np.int64)
    contracted = Values(producers[kept], starts, reader, values.bytes[kept], values.outputs[kept])
    edges = np.stack(unique_arcs(count, labels[tails], labels[heads]), axis=1)
    work = _sum_by(labels, problem.work, count)
    ops = _sum_by(labels, problem.ops, count)
    return Problem(count, edges, cpu, tpu, work, ops, contracted), labels


def _sum_by(labels: Ints, amounts: Ints, count: int) -> Ints:
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, labels, amounts)
    return sums


def _check_accepted(cpu: Bools, tpu: Bools, labels: Ints) -> None:
    nowhere = np.flatnonzero(~cpu & ~tpu)
    if not len(nowhere):
        return
    members: list[int] = np.flatnonzero(labels == nowhere[0]).tolist()
    raise InfeasibleError(
        f"no device takes atom {nowhere[0]}, whose {len(members)} parts must stay together; every part "
        f"must be accepted by one and the same device",
        members,
    )


def _check_sums(problem: Problem, stages: int) -> None:
    """Every node weight of the flow problems is an amount, one for each stage and sign."""
    values = problem.values
    for name, amounts in (("work", problem.work), ("ops", problem.ops), ("bytes", values.bytes)):
        if amounts.min(initial=0) < 0:
            raise ValueError(f"{name} of {int(np.argmin(amounts))} is {amounts.min()}, below zero")
        if (total := 2.0 * stages * amounts.sum(dtype=float)) >= 2**62:
            raise OverflowError(
                f"{name} times 2 x {stages} stages is {total:.3g}, which is not below 2**62"
            )


def earliest_stages(count: int, edges: Ints, tpu: Bools) -> tuple[Ints, list[Device]]:
    """Stages [count] for fixed devices (`tpu` [count]): each atom's is its longest path of device changes.

    No atom can have an earlier stage, so this gives the fewest stages for all atoms at once. Returns the
    stages and their devices. The first device is the one that needs fewer stages, the CPU if equal.
    Raises InfeasibleError if the `edges` [m, 2] form a cycle.
    """
    edges = edges.reshape(-1, 2)
    graph = _Walk(count, *unique_arcs(count, edges[:, 0], edges[:, 1]))
    both = [graph.earliest(~tpu, tpu, first) for first in (0, 1)]
    depths = [int(stages.max(initial=-1)) + 1 for stages in both]
    first = 0 if depths[0] <= depths[1] else 1
    return _without_empty(both[first], first)


def _without_empty(stages: Ints, first: int) -> tuple[Ints, list[Device]]:
    """Leave out empty stages and join the neighbours of one device that meet then."""
    used = np.unique(stages)
    sides = (used + first) % 2
    rank = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), sides[1:] != sides[:-1]]))
    if not len(used):
        return stages, []
    count, start = int(rank[-1]) + 1, int(sides[0])
    devices: list[Device] = [DEVICES[(start + number) % 2] for number in range(count)]
    return rank[np.searchsorted(used, stages)].astype(np.int64), devices


class _Walk:
    """An acyclic graph in topological order, for walks along its edges."""

    def __init__(self, count: int, tails: Ints, heads: Ints):
        order = np.argsort(tails, kind="stable")
        starts: list[int] = np.searchsorted(tails[order], np.arange(count + 1)).tolist()
        targets: list[int] = heads[order].tolist()
        self.count = count
        self.next = [targets[starts[a] : starts[a + 1]] for a in range(count)]
        missing: list[int] = np.bincount(heads, minlength=count).tolist()
        ready = [a for a in range(count) if not missing[a]]
        for atom in ready:
            for reader in self.next[atom]:
                missing[reader] -= 1
                if not missing[reader]:
                    ready.append(reader)
        if len(ready) < count:
            stuck = [a for a in range(count) if missing[a]]
            raise InfeasibleError(
                f"{len(stuck)} atoms are on or behind a cycle, among them {stuck[:5]}; cycles must be "
                f"contracted first",
                stuck,
            )
        self.order = ready

    def earliest(self, cpu: Bools, tpu: Bools, first: int) -> Ints:
        """The first possible stage of each atom, with the device number of stage 0 given."""
        # An atom waits by one stage if it does not accept the device of an even (odd) one.
        accepts = [cpu, tpu]
        waits: tuple[list[int], list[int]] = (
            (~accepts[first]).astype(int).tolist(),
            (~accepts[1 - first]).astype(int).tolist(),
        )
        stages = [0] * self.count
        for atom in self.order:
            stage = stages[atom]
            stage += waits[stage & 1][atom]
            stages[atom] = stage
            for reader in self.next[atom]:
                if stages[reader] < stage:
                    stages[reader] = stage
        return np.array(stages, dtype=np.int64)

    def before_end(self, cpu: Bools, tpu: Bools, last: int) -> Ints:
        """How many stages lie at least behind each atom's, with the device number of the last one given."""
        accepts = [cpu, tpu]
        waits: tuple[list[int], list[int]] = (
            (~accepts[last]).astype(int).tolist(),
            (~accepts[1 - last]).astype(int).tolist(),
        )
        stages = [0] * self.count
        for atom in reversed(self.order):
            stage = max((stages[reader] for reader in self.next[atom]), default=0)
            stages[atom] = stage + waits[stage & 1][atom]
        return np.array(stages, dtype=np.int64)


@dataclass(frozen=True)
class _Atoms:
    """What the flow problems of all K share: the graph and the distances from both of its ends.

    Distances are [2, count], by the device number of the first or of the last stage; the `tpu_` ones are
    for every atom on the TPU that can be there.
    """

    tails: Ints
    heads: Ints
    cpu: Bools
    tpu: Bools
    work: Ints
    ops: Ints
    from_start: Ints
    to_end: Ints
    tpu_from_start: Ints
    tpu_to_end: Ints

    @property
    def count(self) -> int:
        return len(self.cpu)

    @staticmethod
    def of(tails: Ints, heads: Ints, cpu: Bools, tpu: Bools, work: Ints, ops: Ints) -> _Atoms:
        walk = _Walk(len(cpu), tails, heads)
        rest = ~tpu
        return _Atoms(
            *(tails, heads, cpu, tpu, work, ops),
            from_start=np.stack([walk.earliest(cpu, tpu, d) for d in (0, 1)]),
            to_end=np.stack([walk.before_end(cpu, tpu, d) for d in (0, 1)]),
            tpu_from_start=np.stack([walk.earliest(rest, tpu, d) for d in (0, 1)]),
            tpu_to_end=np.stack([walk.before_end(rest, tpu, d) for d in (0, 1)]),
        )

    def windows(self, stages: int, first: int) -> tuple[Ints, Ints]:
        """The earliest and the latest possible stage of each atom. Earliest > latest: no plan exists."""
        last = (first + stages - 1) % 2
        return self.from_start[first], stages - 1 - self.to_end[last]


def _windows(atoms: _Atoms, stages: int, first: int) -> tuple[Ints, Ints]:
    """Narrower windows in which some plan has the most work and ops.

    Let all that can be on the TPU be there, as early as possible: E, and as late as possible: L (neither need
    fit K stages). For a plan s, min(s, E) is a plan with no less on the TPU, for where it differs it is
    E. So is max(min(s, E), L). Hence the stages between L and E are enough, and L alone where L > E.
    """
    low, high = atoms.windows(stages, first)
    last = (first + stages - 1) % 2
    early = atoms.tpu_from_start[first]
    late = stages - 1 - atoms.tpu_to_end[last]
    return np.maximum(low, late), np.minimum(high, np.maximum(early, late))


def _reduce(atoms: _Atoms) -> _Atoms:
    """Merge atoms that may share a stage in some plan with the most work and ops, for any K.

    Atoms of one kind (those that both devices accept, or one and the same) are merged when
    - both devices accept them, and they are each other's only reader and only producer;
    - only one does, and one is the other's only reader or only producer: nothing is lost by waiting;
    - they have one producer and one reader, the same ones.
    """
    label = np.arange(atoms.count, dtype=np.int64)
    tails, heads = atoms.tails, atoms.heads
    kind = atoms.cpu + 2 * atoms.tpu
    count = atoms.count
    while count:
        tails, heads = without_shortcuts(count, tails, heads)
        into = np.bincount(heads, minlength=count)
        out = np.bincount(tails, minlength=count)
        alike = kind[tails] == kind[heads]
        free = kind[tails] == 3
        # An atom that could go with either neighbour takes one: both would make these two equal.
        down = into[heads] == 1
        sole = np.zeros(count, dtype=np.bool_)
        sole[heads[alike & down & ~free]] = True
        up = (out[tails] == 1) & ~sole[tails]
        joined = alike & np.where(free, (out[tails] == 1) & down, down | up)
        group = components(count, tails[joined], heads[joined], strong=False)
        group = _join_twins(group, kind, tails, heads, into, out)
        merged = compact(group)
        fewer = int(merged.max()) + 1
        new_kind = np.empty(fewer, dtype=np.int64)
        new_kind[merged] = kind
        tails, heads = unique_arcs(fewer, merged[tails], merged[heads])
        kind, label = new_kind, merged[label]
        if fewer > 0.98 * count:
            break
        count = fewer
    count = len(kind)
    work, ops = _sum_by(label, atoms.work, count), _sum_by(label, atoms.ops, count)
    return _Atoms.of(tails, heads, (kind & 1) > 0, (kind & 2) > 0, work, ops)


def _join_twins(group: Ints, kind: Ints, tails: Ints, heads: Ints, into: Ints, out: Ints) -> Ints:
    """Join atoms of one kind with the same single producer and the same single reader."""
    count = len(kind)
    producer, reader = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    producer[heads], reader[tails] = tails, heads
    # Only those that nothing else happens to in this round.
    lone = np.bincount(group)[group] == 1
    between = np.flatnonzero((into == 1) & (out == 1) & lone)
    keys = np.stack([producer[between], reader[between], kind[between]])
    order = np.lexsort(keys)
    same = (keys[:, order][:, 1:] == keys[:, order][:, :-1]).all(axis=0)
    leader = np.maximum.accumulate(
        np.where(np.concatenate([np.ones(1, dtype=np.bool_), ~same]), np.arange(len(order)), 0)
    )
    joined = group.copy()
    if len(order):
        joined[between[order]] = group[between[order[leader]]]
    return joined


@dataclass(frozen=True)
class _Levels:
    """The yes/no choices "atom a is at stage i or later", as nodes of a closure problem.

    Atom a has nodes for the stages low[a] < i <= high[a]; one for each two stages when only one device
    accepts it (`step` 2), from `base[a]` on.
    """

    low: Ints
    high: Ints
    step: Ints
    base: Ints
    count: int

    @staticmethod
    def of(atoms: _Atoms, low: Ints, high: Ints) -> _Levels:
        step = np.where(atoms.cpu & atoms.tpu, 1, 2)
        ends = np.cumsum((high - low) // step)
        return _Levels(
            low, high, step, ends - (high - low) // step, int(ends[-1]) if len(ends) else 0
        )

    def node(self, atom: Ints, stage: Ints) -> Ints:
        """The nodes of "at stage or later", for stages in the atoms' windows."""
        return self.base[atom] + (stage - self.low[atom] - 1) // self.step[atom]

    def between(self, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """All (index, stage) with low[index] < stage <= high[index]."""
        lengths = np.maximum(high - low, 0)
        index = np.repeat(np.arange(len(low), dtype=np.int64), lengths)
        within = np.arange(len(index)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return index, low[index] + 1 + within

    def arcs(self, tails: Ints, heads: Ints) -> tuple[Ints, Ints]:
        """Node arcs for: stages never decrease along edges, and stage i + 1 or later implies i or later."""
        edge, stage = self.between(self.low[heads], self.high[tails])
        tail, head = tails[edge], heads[edge]
        # Where an atom has one node for two stages, one of the two arcs implies the other.
        top = (stage - self.low[tail]) % 2 == 0
        bottom = (stage - self.low[head]) % 2 == 1
        need = np.where(self.step[tail] == 2, top, (self.step[head] == 1) | bottom)
        need &= stage > self.low[tail]
        tail, head, stage = tail[need], head[need], stage[need]
        nodes = (self.high - self.low) // self.step
        atom, number = self.between(np.zeros_like(nodes), nodes - 1)
        upper = self.base[atom] + number
        return (
            np.concatenate([self.node(tail, stage), upper]),
            np.concatenate([self.node(head, stage), upper - 1]),
        )

    def stages(self, chosen: Bools) -> Ints:
        """The stage of each atom, when the `chosen` nodes are true."""
        sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(chosen)])
        nodes = (self.high - self.low) // self.step
        return self.low + self.step * (sums[self.base + nodes] - sums[self.base])


def _gains(atoms: _Atoms, levels: _Levels, first: int) -> Ints:
    """What each node adds to [work, ops] on the TPU: [2, nodes]."""
    gains = np.zeros((2, levels.count), dtype=np.int64)
    free = np.flatnonzero(atoms.cpu & atoms.tpu)
    index, stage = levels.between(levels.low[free], levels.high[free])
    atom = free[index]
    sign = np.where((stage + first) % 2 == 1, 1, -1)
    node = levels.node(atom, stage)
    gains[0, node], gains[1, node] = sign * atoms.work[atom], sign * atoms.ops[atom]
    return gains


def _most_on_tpu(atoms: _Atoms, stages: int, first: int) -> Ints | None:
    """Stages of a plan with the most work, then ops, on the TPU; None when there is no plan."""
    low, high = atoms.windows(stages, first)
    if (low > high).any():
        return None
    if atoms.tpu_from_start[first].max(initial=0) < stages:
        return atoms.tpu_from_start[first]
    low, high = _windows(atoms, stages, first)
    levels = _Levels.of(atoms, low, high)
    gains = _gains(atoms, levels, first)
    tails, heads = levels.arcs(atoms.tails, atoms.heads)
    return levels.stages(heaviest_by_rank(gains, tails, heads, all_optima=False))


def _best_plan(problem: Problem, atoms: _Atoms, stages: int, first: int) -> Ints:
    """Stages of the plan that is best in all objectives, at this K and first device."""
    levels = _Levels.of(atoms, *atoms.windows(stages, first))
    gains = _gains(atoms, levels, first)
    arcs = [levels.arcs(atoms.tails, atoms.heads)]
    added, saved, links = _byte_nodes(problem.values, levels, stages, first)
    weights = np.zeros((3, levels.count + added), dtype=np.int64)
    weights[:2, : levels.count] = gains
    weights[2] = saved
    arcs.append(links)
    tails = np.concatenate([pair[0] for pair in arcs])
    heads = np.concatenate([pair[1] for pair in arcs])
    return levels.stages(heaviest_by_rank(weights, tails, heads)[: levels.count])


def _byte_nodes(
    values: Values, levels: _Levels, stages: int, first: int
) -> tuple[int, Ints, tuple[Ints, Ints]]:
    """Nodes "value v is live over the border before stage i", their bytes saved, and their arcs.

    Value v is live there if a reader is at stage i or later, or, for a graph output, its producer is at
    stage i - 1, on the TPU, or later; and its producer is not at stage i or later. So a node costs the
    value's bytes, and the producer's node saves them.
    Returns how many nodes follow those of the levels, the weights of all nodes, and the arcs.
    """
    value, reader = values.pairs()
    producer = values.producers[value]
    kept = (producer != reader) & (values.bytes[value] > 0)
    value, reader = value[kept], reader[kept]
    # A graph output is read by the host: as if by its producer, and where that is on the TPU one stage later.
    result = np.flatnonzero(values.outputs & (values.producers != HOST) & (values.bytes > 0))
    late = np.zeros(len(value) + 2 * len(result), dtype=np.int64)
    late[len(value) + len(result) :] = 1
    made_by = values.producers[result]
    value = np.concatenate([value, result, result])
    reader = np.concatenate([reader, made_by, made_by])
    number = len(values.bytes)
    # Borders that may go either way: from the first where some reader need not be behind it.
    low, high = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
    reader_low = levels.low[reader] + np.where((levels.low[reader] + first) % 2 == 1, late, 0)
    np.maximum.at(low, value, reader_low)
    np.maximum.at(high, value, np.minimum(levels.high[reader] + late, stages))
    saved = [np.zeros(levels.count, dtype=np.int64)]
    own = values.producers.copy()
    inner = own != HOST
    used = np.flatnonzero((np.bincount(value, minlength=number) > 0) & inner)
    index, stage = levels.between(levels.low[own[used]], levels.high[own[used]])
    np.add.at(saved[0], levels.node(own[used[index]], stage), values.bytes[used[index]])
    index, stage = levels.between(low, high)
    base = np.zeros(number + 1, dtype=np.int64)
    np.cumsum(np.maximum(high - low, 0), out=base[1:])
    added = len(index)
    saved.append(-values.bytes[index])
    # reader at stage i (or producer of an output at i - 1, on the TPU) or later -> live before stage i
    pair, border = levels.between(low[value], np.minimum(levels.high[reader] + late, stages))
    source = border - late[pair]
    atom = reader[pair]
    fits = (source > levels.low[atom]) & (source <= levels.high[atom])
    fits &= (late[pair] == 0) | ((source + first) % 2 == 1)
    pair, border, source, atom = pair[fits], border[fits], source[fits], atom[fits]
    live = levels.count + base[value[pair]] + border - low[value[pair]] - 1
    tails, heads = levels.node(atom, source), live
    return added, np.concatenate(saved), (tails, heads)


def _live_bytes(values: Values, stages: Ints, count: int, first: int) -> Ints:
    """Live bytes over the border before each of `count` stages and after the last one: [count + 1]."""
    value, reader = values.pairs()
    begin = np.where(values.producers == HOST, -first, stages[values.producers])
    end = begin.copy()
    np.maximum.at(end, value, stages[reader])
    to_host = values.outputs & (values.producers != HOST) & ((begin + first) % 2 == 1)
    end = np.maximum(end, begin + to_host)
    change = np.zeros(count + 3, dtype=np.int64)
    np.add.at(change, begin + 1, values.bytes)
    np.add.at(change, end + 1, -values.bytes)
    return np.cumsum(change)[: count + 1]


def _plan(problem: Problem, stages: Ints, first: int) -> StagePlan:
    stages, devices = _without_empty(stages, first)
    count = len(devices)
    on_tpu = np.array([device == "tpu" for device in devices], dtype=np.bool_)[stages]
    values = problem.values
    value, reader = values.pairs()
    host = values.producers == HOST
    begin = np.where(host, -1, stages[values.producers])
    read = np.unique(value * max(count, 1) + stages[reader])
    value, at = read // max(count, 1), read % max(count, 1)
    outside = at != begin[value]
    leaves = values.outputs.copy()
    leaves[value[outside]] = True
    leaves &= ~host
    start = DEVICES.index(devices[0]) if devices else 0
    return StagePlan(
        stages,
        devices,
        int(problem.work[on_tpu].sum()),
        int(problem.ops[on_tpu].sum()),
        int(problem.work[problem.tpu].sum()),
        int(problem.ops[problem.tpu].sum()),
        _live_bytes(values, stages, count, start),
        _sum_by(at[outside], values.bytes[value[outside]], count),
        _sum_by(begin[leaves], values.bytes[leaves], count),
    )


def fixed(problem: Problem) -> StagePlan:
    """The plan for atoms that one device each accepts: the fewest sub-models, however many they are.

    Raises InfeasibleError where an atom is accepted by none or, since that is another question, by both.
    """
    _check_accepted(problem.cpu, problem.tpu, np.arange(problem.count))
    if len(free := np.flatnonzero(problem.cpu & problem.tpu)):
        raise InfeasibleError("an atom is accepted by both devices", [int(free[0])])
    if not problem.count:
        return _empty_plan()
    edges = np.stack(problem.arcs(), axis=1)
    stages, devices = earliest_stages(problem.count, edges, problem.tpu)
    return _plan(problem, stages, DEVICES.index(devices[0]))


def _empty_plan() -> StagePlan:
    """The plan of no atoms at all."""
    nothing = np.zeros(0, dtype=np.int64)
    return StagePlan(nothing, [], 0, 0, 0, 0, np.zeros(1, dtype=np.int64), nothing, nothing)


def fewest(
    problem: Problem, keep: float = DEFAULT_KEEP, max_stages: int = MAX_STAGES
) -> tuple[StagePlan, list[Point]]:
    """The plan with the fewest sub-models that keeps `keep` of the best work, and the curve.

    The curve has a point for every K from the first for which a plan exists. The problem must be acyclic
    (see `contract_cycles`). Raises InfeasibleError when no plan has at most `max_stages` sub-models or no
    device accepts an atom, ValueError when `keep` is not within 0 .. 1, OverflowError for weights beyond
    the limit in the module's text.
    """
    if not 0 <= keep <= 1 or max_stages < 1:
        raise ValueError(
            f"keep is {keep} and max_stages {max_stages}; expected 0 .. 1 and at least 1"
        )
    _check_accepted(problem.cpu, problem.tpu, np.arange(problem.count))
    _check_sums(problem, max_stages)
    if not problem.count:
        return _empty_plan(), []
    whole = _Atoms.of(*problem.arcs(), problem.cpu, problem.tpu, problem.work, problem.ops)
    small = _reduce(whole)
    free = small.cpu & small.tpu
    possible = (int(problem.work[problem.tpu].sum()), int(problem.ops[problem.tpu].sum()))
    curve: list[Point] = []
    reached: list[dict[int, tuple[int, int]]] = []
    for stages in range(1, max_stages + 1):
        found: dict[int, tuple[int, int]] = {}
        for first in (0, 1):
            if (assigned := _most_on_tpu(small, stages, first)) is None:
                continue
            on_tpu = np.where(free, (assigned + first) % 2 == 1, small.tpu)
            found[first] = int(small.work[on_tpu].sum()), int(small.ops[on_tpu].sum())
        if not found:
            continue
        first = max(found, key=lambda device: (found[device], -device))
        best = found[first]
        shares = [
            part / whole if whole else 1.0 for part, whole in zip(best, possible, strict=True)
        ]
        curve.append(Point(stages, *best, shares[0], shares[1], DEVICES[first]))
        reached.append(found)
        if best == possible:
            break
    if not curve:
        needed = min(int(whole.from_start[d].max()) for d in (0, 1)) + 1
        raise InfeasibleError(
            f"the atoms that one device alone accepts need {needed} sub-models, at most {max_stages} are "
            f"allowed; allow more, or pin fewer ops"
        )
    chosen = _smallest(curve, keep)
    point, found = curve[chosen], reached[chosen]
    plans = [
        _plan(problem, _best_plan(problem, whole, point.stages, first), first)
        for first in sorted(found)
        if found[first] == (point.work, point.ops)
    ]
    return min(plans, key=lambda plan: int(plan.border_bytes.sum())), curve


def _smallest(curve: list[Point], keep: float) -> int:
    """The index of the first point that keeps enough of the best one's work, or of its ops without work."""
    amounts = [point.work if curve[-1].work else point.ops for point in curve]
    # 0.9 means nine tenths, not the binary number next to it, and amounts may be beyond 2**53.
    part, whole = Fraction(str(keep)).as_integer_ratio()
    return next(i for i, amount in enumerate(amounts) if amount * whole >= amounts[-1] * part)
