"""The graph whose atoms get stages: walks of it, the windows that they leave, and its reduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.lowering.device.closures import (
    Bools,
    Ints,
    compact,
    components,
    unique_arcs,
    without_shortcuts,
)


class InfeasibleError(AutosplitError, ValueError):
    """No plan exists. `members` are the atoms (or parts of one atom) that cannot be placed."""

    def __init__(self, text: str, members: Sequence[int] = ()):
        super().__init__(text)
        self.members = list(members)


def sum_by(labels: Ints, amounts: Ints, count: int) -> Ints:
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, labels, amounts)
    return sums


class StageWalk:
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
                f"{counted(len(stuck), 'atom is', 'atoms are')} on or behind a cycle, among them "
                f"{stuck[:5]}; cycles must be contracted first",
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
        """The fewest stages behind that of each atom, with the device number of the last one given."""
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

    def narrowed(self, low: Ints, high: Ints, step: Ints) -> tuple[Ints, Ints]:
        """The windows without what those of producers and readers exclude.

        A window loses a multiple of `step` [count] stages: those of one device are two apart.
        """
        first: list[int] = low.tolist()
        last: list[int] = high.tolist()
        steps: list[int] = step.tolist()
        for atom in self.order:
            stage = first[atom]
            for reader in self.next[atom]:
                if first[reader] < stage:
                    first[reader] = stage + (stage - first[reader]) % steps[reader]
        for atom in reversed(self.order):
            for reader in self.next[atom]:
                if last[atom] > last[reader]:
                    last[atom] = last[reader] - (last[atom] - last[reader]) % steps[atom]
        return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)


@dataclass(frozen=True)
class StageGraph:
    """What the flow problems of all K share: the graph and the distances from both of its ends.

    Distances are [2, count], by the device number of the first or of the last stage; the `tpu_` ones are
    for every atom on the TPU that can be there.
    """

    walk: StageWalk
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
    def of(tails: Ints, heads: Ints, cpu: Bools, tpu: Bools, work: Ints, ops: Ints) -> StageGraph:
        walk = StageWalk(len(cpu), tails, heads)
        cpu_only = ~tpu
        return StageGraph(
            *(walk, tails, heads, cpu, tpu, work, ops),
            from_start=np.stack([walk.earliest(cpu, tpu, d) for d in (0, 1)]),
            to_end=np.stack([walk.before_end(cpu, tpu, d) for d in (0, 1)]),
            tpu_from_start=np.stack([walk.earliest(cpu_only, tpu, d) for d in (0, 1)]),
            tpu_to_end=np.stack([walk.before_end(cpu_only, tpu, d) for d in (0, 1)]),
        )

    @property
    def free(self) -> Bools:
        """The atoms that both devices accept."""
        return self.cpu & self.tpu

    @property
    def step(self) -> Ints:
        """How many stages lie between two that an atom may be in."""
        return np.where(self.free, 1, 2)

    def windows(self, stages: int, first: int) -> tuple[Ints, Ints]:
        """The earliest and the latest possible stage of each atom. Earliest > latest: no plan exists."""
        last = (first + stages - 1) % 2
        return self.from_start[first], stages - 1 - self.to_end[last]

    def all_on_tpu(self, stages: int, first: int) -> tuple[Ints, Ints]:
        """The earliest and the latest stages with all on the TPU that can be; neither need fit `stages`."""
        last = (first + stages - 1) % 2
        return self.tpu_from_start[first], stages - 1 - self.tpu_to_end[last]


def reduced(atoms: StageGraph) -> tuple[StageGraph, Ints]:
    """Merge atoms that may share a stage in some plan with the most work and ops, for any K.

    Returns the smaller graph, and the atom [count] of it that each one became part of.

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
    work, ops = sum_by(label, atoms.work, count), sum_by(label, atoms.ops, count)
    return StageGraph.of(tails, heads, (kind & 1) > 0, (kind & 2) > 0, work, ops), label


def _join_twins(group: Ints, kind: Ints, tails: Ints, heads: Ints, into: Ints, out: Ints) -> Ints:
    """Join atoms of one kind with the same single producer and the same single reader."""
    count = len(kind)
    producer, reader = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    producer[heads], reader[tails] = tails, heads
    # Only those that are merged with nothing else in this round.
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
