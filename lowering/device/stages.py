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

*Live bytes.* A value costs its bytes once for every border between its producer and its last reader,
however many readers there are. Graph inputs come from the host, which is the CPU side: before the first
stage there is a border if that is on the TPU. Graph outputs go back to the host over the first border
after a TPU stage. This is what must be kept across each border, and the only such measure for which a
minimum cut exists: counting true transfers (a value that goes cpu -> cpu past a TPU stage is free) is not
submodular. What the sub-models really read and return is reported beside it.

*The curve.* W(K) never decreases, and can stay level from one K to the next before it rises again (an
island in the middle needs K = 3). It ends where everything that the TPU accepts is on it, or at
`max_stages`. The plan is the smallest K that keeps `keep` of the best work on the curve; of the ops when
there is no work at all. With that K no stage is empty, and no TPU sub-model does nothing for the work
unless an atom must run there: without it a smaller K would keep as much. So a lone Relu between CPU parts
stays on the CPU of a model that has any work elsewhere, and is a sub-model only where ops are all
there is. K = 1 is all CPU, or all TPU if that is allowed.

What the curve needs is found on a smaller problem that has the same work and ops (`reduced`); bytes and
earliest stages then come from the whole problem, for the chosen K only, between the earliest and the latest
stages of such plans (`_best_windows`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from autosplit.core.units import counted
from autosplit.devices import DEFAULT_KEEP
from autosplit.lowering.device.closures import (
    Bools,
    Ints,
    components,
    heaviest_by_rank,
    is_acyclic,
    least_and_greatest,
    unique_arcs,
)
from autosplit.lowering.device.stage_graph import (
    InfeasibleError,
    StageGraph,
    StageWalk,
    reduced,
    sum_by,
)
from autosplit.lowering.device.stage_levels import StageLevels, gains_of

Device = Literal["cpu", "tpu"]
DEVICES: tuple[Device, Device] = ("cpu", "tpu")
HOST = -1
"""The producer of graph inputs."""
MAX_STAGES = 9


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
        """For every read: the value and the reader."""
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
    """The problem on acyclic atoms, and the atom [count] that each old one became part of.

    `ties` [t, 2] are pairs that must stay together. Strongly connected components of edges and ties become
    one atom, numbered by their first members, that can run where all of its parts can. Raises
    InfeasibleError with the members of an atom that no device takes.
    """
    tails, heads = problem.arcs()
    ties = ties.reshape(-1, 2)
    tied_tails = np.concatenate([tails, ties[:, 0], ties[:, 1]])
    tied_heads = np.concatenate([heads, ties[:, 1], ties[:, 0]])
    if is_acyclic(problem.count, tied_tails, tied_heads):
        # Most models are: scipy need not be loaded for them.
        labels = np.arange(problem.count, dtype=np.int64)
    else:
        labels = components(problem.count, tied_tails, tied_heads, strong=True)
    count = int(labels.max(initial=-1)) + 1
    cpu, tpu = np.ones(count, dtype=np.bool_), np.ones(count, dtype=np.bool_)
    np.logical_and.at(cpu, labels, problem.cpu)
    np.logical_and.at(tpu, labels, problem.tpu)
    _check_accepted(cpu, tpu, labels)
    values = problem.values
    value, reader = values.pairs()
    producers = values.producers.copy()
    inner = producers != HOST
    producers[inner] = labels[producers[inner]]
    reader = labels[reader]
    outside = producers[value] != reader
    keys = np.unique((value * max(count, 1) + reader)[outside])
    value, reader = keys // max(count, 1), keys % max(count, 1)
    live = np.union1d(value, np.flatnonzero(values.outputs))
    lengths = np.bincount(value, minlength=len(producers))[live]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]).astype(np.int64)
    contracted = Values(producers[live], starts, reader, values.bytes[live], values.outputs[live])
    edges = np.stack(unique_arcs(count, labels[tails], labels[heads]), axis=1)
    work = sum_by(labels, problem.work, count)
    ops = sum_by(labels, problem.ops, count)
    return Problem(count, edges, cpu, tpu, work, ops, contracted), labels


def _check_accepted(cpu: Bools, tpu: Bools, labels: Ints) -> None:
    nowhere = np.flatnonzero(~cpu & ~tpu)
    if not len(nowhere):
        return
    members: list[int] = np.flatnonzero(labels == nowhere[0]).tolist()
    raise InfeasibleError(
        f"no device takes atom {nowhere[0]}, whose {counted(len(members), 'part')} must stay together; "
        "every part must be accepted by one and the same device",
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
                f"{name} times 2 x {counted(stages, 'stage')} is {total:.3g}, which is not below 2**62"
            )


def earliest_stages(count: int, edges: Ints, tpu: Bools) -> tuple[Ints, list[Device]]:
    """Stages [count] for fixed devices (`tpu` [count]): each atom's is its longest path of device changes.

    No atom can have an earlier stage, so this gives the fewest stages for all atoms at once. Returns the
    stages and their devices. The first device is the one that needs fewer stages, the CPU if equal.
    Raises InfeasibleError if the `edges` [m, 2] form a cycle.
    """
    edges = edges.reshape(-1, 2)
    graph = StageWalk(count, *unique_arcs(count, edges[:, 0], edges[:, 1]))
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


@dataclass(frozen=True)
class _Most:
    """What the plans with the most work, then ops, on the TPU have there, and where they lie.

    `low`, `high`: no such plan has a free atom before or behind these stages; of the other atoms they say
    nothing.
    """

    work: int
    ops: int
    low: Ints
    high: Ints


def _most_on_tpu(atoms: StageGraph, stages: int, first: int) -> _Most | None:
    """The most that can be on the TPU at this K and first device; None when there is no plan.

    Let all that can be on the TPU be there, as early as possible: E, and as late as possible: L (neither need
    fit K stages). For a plan s, min(s, E) is a plan with no less on the TPU, for where it differs it is
    E. So is max(min(s, E), L). Hence the stages between L and E are enough, and L alone where L > E.

    Of the best plans of all, the earliest one, s, is min(s, E) itself. With max(s, L) it is one of those
    considered, so that their earliest one is s too where it is behind L. Likewise the latest, where it is
    before the end of the window.
    """
    low, high = atoms.windows(stages, first)
    if (low > high).any():
        return None
    early, late = atoms.all_on_tpu(stages, first)
    if early.max(initial=0) < stages:
        return _Most(int(atoms.work[atoms.tpu].sum()), int(atoms.ops[atoms.tpu].sum()), early, late)
    end = np.maximum(early, late)
    levels = StageLevels.of(atoms, np.maximum(low, late), np.minimum(high, end))
    arcs = levels.arcs(atoms.tails, atoms.heads)
    closures = least_and_greatest(gains_of(atoms, levels, first), *arcs)
    least, greatest = (levels.stages(closure) for closure in closures)
    on_tpu = np.where(atoms.free, (least + first) % 2 == 1, atoms.tpu)
    return _Most(
        int(atoms.work[on_tpu].sum()),
        int(atoms.ops[on_tpu].sum()),
        np.where(least > late, least, low),
        np.where(greatest < end, greatest, high),
    )


def _best_windows(
    whole: StageGraph, part: Ints, most: _Most, stages: int, first: int
) -> tuple[Ints, Ints]:
    """Stages between which every plan with the most work and ops has each atom.

    `part` [count]: the atom of the reduced graph, of which `most` speaks. The earliest of these plans gives
    one stage to all free atoms that were merged: of a chain a -> b, either b could be earlier with a at no
    loss, or a could gain with b; and atoms between the same two have the same choice. Likewise the
    latest. So their stages are those of the reduced graph.
    """
    low, high = whole.windows(stages, first)
    if (whole.free & (whole.work == 0) & (whole.ops == 0)).any():
        # One that counts for nothing gains nothing by staying with the others.
        return low, high
    low = np.where(whole.free, most.low[part], low)
    high = np.where(whole.free, most.high[part], high)
    return whole.walk.narrowed(low, high, whole.step)


def _best_plan(
    problem: Problem, atoms: StageGraph, windows: tuple[Ints, Ints], stages: int, first: int
) -> Ints:
    """Stages of the plan that is best in all objectives, at this K and first device."""
    levels = StageLevels.of(atoms, *windows)
    gains = gains_of(atoms, levels, first)
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
    values: Values, levels: StageLevels, stages: int, first: int
) -> tuple[int, Ints, tuple[Ints, Ints]]:
    """Nodes "value v is live over the border before stage i", their bytes saved, and their arcs.

    Value v is live there if a reader is at stage i or later, or, for a graph output, its producer is at
    stage i - 1, on the TPU, or later; and its producer is not at stage i or later. So a node costs the
    value's bytes, and the producer's node saves them.
    Returns how many nodes follow those of the levels, the weights of all nodes, and the arcs.
    """
    value, reader = values.pairs()
    producer = values.producers[value]
    counts = (producer != reader) & (values.bytes[value] > 0)
    value, reader = value[counts], reader[counts]
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
    producers = values.producers.copy()
    inner = producers != HOST
    used = np.flatnonzero((np.bincount(value, minlength=number) > 0) & inner)
    index, stage = levels.between(levels.low[producers[used]], levels.high[producers[used]])
    np.add.at(saved[0], levels.node(producers[used[index]], stage), values.bytes[used[index]])
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
        sum_by(at[outside], values.bytes[value[outside]], count),
        sum_by(begin[leaves], values.bytes[leaves], count),
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
    whole = StageGraph.of(*problem.arcs(), problem.cpu, problem.tpu, problem.work, problem.ops)
    small, part = reduced(whole)
    possible = (int(problem.work[problem.tpu].sum()), int(problem.ops[problem.tpu].sum()))
    curve: list[Point] = []
    reached: list[dict[int, _Most]] = []
    for stages in range(1, max_stages + 1):
        both = {first: _most_on_tpu(small, stages, first) for first in (0, 1)}
        feasible = {first: most for first, most in both.items() if most is not None}
        if not feasible:
            continue
        first = max(feasible, key=lambda first: (feasible[first].work, feasible[first].ops, -first))
        best = feasible[first].work, feasible[first].ops
        shares = [
            part / whole if whole else 1.0 for part, whole in zip(best, possible, strict=True)
        ]
        curve.append(Point(stages, *best, shares[0], shares[1], DEVICES[first]))
        reached.append(feasible)
        if best == possible:
            break
    if not curve:
        needed = min(int(whole.from_start[d].max()) for d in (0, 1)) + 1
        raise InfeasibleError(
            f"the atoms that one device alone accepts need {counted(needed, 'sub-model')}, at most "
            f"{max_stages} are allowed; allow more, or pin fewer ops"
        )
    index = _smallest(curve, keep)
    point, feasible = curve[index], reached[index]
    plans: list[StagePlan] = []
    for first, most in feasible.items():
        if (most.work, most.ops) != (point.work, point.ops):
            continue
        windows = _best_windows(whole, part, most, point.stages, first)
        best_stages = _best_plan(problem, whole, windows, point.stages, first)
        plans.append(_plan(problem, best_stages, first))
    return min(plans, key=lambda plan: int(plan.border_bytes.sum())), curve


def _smallest(curve: list[Point], keep: float) -> int:
    """The index of the first point that keeps enough of the best one's work, or of its ops without work."""
    amounts = [point.work if curve[-1].work else point.ops for point in curve]
    # 0.9 means nine tenths, not the binary number next to it, and amounts may be beyond 2**53.
    part, whole = Fraction(str(keep)).as_integer_ratio()
    return next(i for i, amount in enumerate(amounts) if amount * whole >= amounts[-1] * part)
