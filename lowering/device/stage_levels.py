"""Stages as yes/no choices: the nodes of the closure problems, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autosplit.lowering.device.closures import Bools, Ints
from autosplit.lowering.device.stage_graph import StageGraph


@dataclass(frozen=True)
class StageLevels:
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
    def of(atoms: StageGraph, low: Ints, high: Ints) -> StageLevels:
        step = atoms.step
        ends = np.cumsum((high - low) // step)
        return StageLevels(
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

    def stages(self, closure: Bools) -> Ints:
        """The stage of each atom, when the nodes in `closure` are true."""
        sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(closure)])
        nodes = (self.high - self.low) // self.step
        return self.low + self.step * (sums[self.base + nodes] - sums[self.base])


def gains_of(atoms: StageGraph, levels: StageLevels, first: int) -> Ints:
    """What each node adds to [work, ops] on the TPU: [2, nodes]."""
    gains = np.zeros((2, levels.count), dtype=np.int64)
    free = np.flatnonzero(atoms.free)
    index, stage = levels.between(levels.low[free], levels.high[free])
    atom = free[index]
    sign = np.where((stage + first) % 2 == 1, 1, -1)
    node = levels.node(atom, stage)
    gains[0, node], gains[1, node] = sign * atoms.work[atom], sign * atoms.ops[atom]
    return gains
