"""What a plan did in its runs: times, bytes and compilations, step by step."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autosplit.core.units import counted
from autosplit.runtime.plan.whole import WHOLE

if TYPE_CHECKING:
    from autosplit.runtime.plan.context import Context
    from autosplit.runtime.plan.steps import Step


@dataclass(frozen=True)
class StepAccount:
    """What one step of a plan did in all runs so far."""

    name: str
    kind: str
    """`partition`, `segment`, `view`, or `copy`: bytes that are moved, by an op of the model or because two
    steps want them in different orders."""
    rule: str
    """The fusion rule of a partition, the op that a copy is; empty otherwise."""
    seconds: float
    """The time in all timed runs."""
    bytes: int
    """The bytes copied in all runs."""
    compiles: int
    """How often a partition has been compiled."""


@dataclass(frozen=True)
class Account:
    """What a plan did so far. Times are those of the runs with `timed=True`."""

    steps: tuple[StepAccount, ...]
    runs: int
    timed_runs: int
    seconds: float
    """The time of all timed runs, from the check of the inputs to the outputs."""
    contexts: int
    """How many contexts were made: one for each new set of shapes, and for each thread at work."""
    in_place: int
    """Outputs that are written in place of an input, over the contexts that wait."""
    arena_bytes: int
    """Memory of the contexts that wait."""
    whole_runs: int = 0
    """Runs in which ONNX Runtime computed the whole model, as the sizes had not come often yet."""

    def seconds_of(self, kind: str) -> float:
        return sum(s.seconds for s in self.steps if s.kind == kind)

    @property
    def overhead(self) -> float:
        """The seconds of the timed runs that no step accounts for."""
        return self.seconds - sum(s.seconds for s in self.steps)

    @property
    def copied_bytes(self) -> int:
        return sum(s.bytes for s in self.steps)

    @property
    def compiles(self) -> int:
        return sum(s.compiles for s in self.steps)

    def __str__(self) -> str:
        runs = max(self.timed_runs, 1)
        lines = [f"{'ms/run':>9} {'kind':<10} {'bytes/run':>10}  step (rule)"]
        for step in self.steps:
            rule = f" ({step.rule})" if step.rule else ""
            lines.append(
                f"{step.seconds / runs * 1e3:9.3f} {step.kind:<10} "
                f"{step.bytes // max(self.runs, 1):10}  {step.name}{rule}"
            )
        lines.append(
            f"{self.seconds / runs * 1e3:9.3f} in all; overhead {self.overhead / runs * 1e6:.0f} us; "
            f"{counted(self.compiles, 'compilation')}, {counted(self.contexts, 'context')} in "
            f"{counted(self.runs, 'run')}"
        )
        return "\n".join(lines)


class Ledger:
    """Counts what the runs of a plan do. Several threads may add to it at a time."""

    def __init__(self, steps: Sequence[Step]):
        self._steps = steps
        self._counting = threading.Lock()
        self._runs = self._timed_runs = self._whole_runs = self._contexts = 0
        self._seconds = self._whole_seconds = 0.0
        self._step_seconds = [0.0] * len(steps)
        self._step_bytes = [0] * len(steps)
        self._copy_seconds: dict[str, float] = {}
        self._copied: dict[str, int] = {}

    def add_context(self) -> None:
        """Adds a context that was made."""
        with self._counting:
            self._contexts += 1

    def add_copy(self, name: str, nbytes: int) -> None:
        """Adds bytes that were copied outside of the contexts: an input or an output."""
        with self._counting:
            self._copied[name] = self._copied.get(name, 0) + nbytes

    def add_whole_run(self, seconds: float | None) -> None:
        """Adds a run of the whole model in ONNX Runtime, and its seconds where it was timed."""
        with self._counting:
            self._runs += 1
            self._whole_runs += 1
            if seconds is not None:
                self._timed_runs += 1
                self._seconds += seconds
                self._whole_seconds += seconds

    def add_run(self, contexts: Sequence[Context], seconds: float | None) -> None:
        """Adds a run that these contexts made, and its seconds where it was timed."""
        with self._counting:
            self._runs += 1
            for context in contexts:
                for i, nbytes in context.copies:
                    work = context.works[i]
                    if work.step is not None:
                        self._step_bytes[work.step.index] += nbytes
                    else:
                        self._copied[work.name] = self._copied.get(work.name, 0) + nbytes
            if seconds is None:
                return
            self._timed_runs += 1
            self._seconds += seconds
            for context in contexts:
                for work, spent in zip(context.works, context.seconds, strict=True):
                    if work.step is None:
                        self._copy_seconds[work.name] = (
                            self._copy_seconds.get(work.name, 0.0) + spent
                        )
                    else:
                        self._step_seconds[work.step.index] += spent
                context.seconds = [0.0] * len(context.seconds)

    def account(self, waiting: Iterable[Context], arena_bytes: int) -> Account:
        """What was counted so far. `waiting` are the contexts that are kept, with `arena_bytes` of memory."""
        with self._counting:
            steps = [
                StepAccount(
                    step.name,
                    step.kind,
                    step.rule,
                    self._step_seconds[step.index],
                    self._step_bytes[step.index],
                    step.compiles,
                )
                for step in self._steps
            ]
            steps += [
                StepAccount(name, "copy", "", self._copy_seconds.get(name, 0.0), n, 0)
                for name, n in self._copied.items()
            ]
            if self._whole_runs:
                steps.append(StepAccount(WHOLE, "segment", "", self._whole_seconds, 0, 0))
            return Account(
                tuple(steps),
                self._runs,
                self._timed_runs,
                self._seconds,
                self._contexts,
                sum(c.shared_places for c in waiting),
                arena_bytes,
                self._whole_runs,
            )
