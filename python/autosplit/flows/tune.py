"""What of a plan is faster than ONNX Runtime? `compile --tune` measures, and leaves the rest to that.

First the regions of the fewest partitions, which may not be worth changing the runtime for, then the whole.

What was measured is written into the plan: whoever runs it gets what was chosen, on any machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import FuncOp
from autosplit.dialects.dnnl import PartitionOp
from autosplit.folder.infos_writer import plan_of
from autosplit.inputs.value_inputs import random_array
from autosplit.lowering.device.whole import whole_as_one
from autosplit.lowering.dnnl.fuse import computing
from autosplit.runtime.plan.plan import Plan
from autosplit.runtime.plan.pools import supposed

if TYPE_CHECKING:
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.platforms import Model

Array = NDArray[np.generic]

TUNED = "tuned"
"""The entry of `device.plan` that says what was measured and chosen."""

MARGIN = 1.03
"""How much slower than ONNX Runtime alone a plan is before it is given up: times repeat no better."""

SECONDS = 4.0
"""How long both sides are measured, at most."""

BUSY = 2.0
"""From this load per processor on, times say little: the measurement itself is a load of one."""

REGIONS = 6
"""How many regions are tried without, at most: each is compiled and measured."""

LEAST, MOST = 5, 100
"""How many rounds are measured."""

PAUSE = 0.02
"""Between the sides: threads that wait for work spin for some time, and would take the other's processors."""


@dataclass(frozen=True)
class MeasuredRuns:
    """Seconds of a run of both sides, by round."""

    plan: list[float]
    whole: list[float]

    @property
    def ratio(self) -> float:
        """The plan's time by ONNX Runtime's, of the minima: other programs only make runs longer."""
        return min(self.plan) / min(self.whole)

    @property
    def keeps_plan(self) -> bool:
        return self.ratio <= MARGIN

    def text(self, where: str) -> str:
        times = f"{min(self.plan) * 1e3:.3g} ms with oneDNN, {min(self.whole) * 1e3:.3g} ms without"
        chosen = "" if self.keeps_plan else ": ONNX Runtime runs all of it"
        return f"{times} ({where}){chosen}"


@dataclass(frozen=True)
class Tuned:
    """What a model is compiled to, and the model as it was read for that."""

    module: ModuleOp
    model: Model


def tuned(
    first: Tuned,
    again: Callable[[Sequence[str]], Tuned],
    custom_ops: Libraries = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Tuned:
    """The plan without the regions that are faster in ONNX Runtime, or the whole model as one segment.

    `again` compiles the model with ops of these names left out of oneDNN. `device.plan` says what was
    measured. Raises AutosplitError if the model is no ONNX model, or a plan cannot be run.
    """
    model = first.model
    if model.platform.name != "onnx":
        raise AutosplitError(
            f"{model.path}: a plan is measured against ONNX Runtime, which runs ONNX models only: leave out"
            " --tune"
        )
    plan = Plan.from_module(first.module, model.store, custom_ops=custom_ops)
    if not plan.isa:
        return first
    feeds = some_feeds(plan)
    progress("measuring the plan")
    best, left = _without_slow(first, plan, again, feeds, custom_ops, progress)
    plan = plan if best is first else _opened(best, custom_ops)
    whole = whole_as_one(model)
    peer = Plan.from_module(whole, model.store, custom_ops=custom_ops)
    runs = measure(lambda: plan.run(feeds), lambda: peer.run(feeds))
    where = [plan.isa, *(f"{n} {'x'.join(map(str, a.shape))}" for n, a in feeds.items())]
    if os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):
        where.append("beside other programs: measure again when the machine is idle")
    chosen = best if runs.keeps_plan else Tuned(whole, model)
    entries = {**plan_of(best.module), **plan_of(chosen.module)}
    text = runs.text(", ".join(where))
    if left and runs.keeps_plan:
        text += f"; left to ONNX Runtime, which is faster there: {', '.join(left)}"
    entries[TUNED] = StringAttr(text)
    chosen.module.attributes["device.plan"] = DictionaryAttr(entries)
    return chosen


def _opened(one: Tuned, custom_ops: Libraries) -> Plan:
    return Plan.from_module(one.module, one.model.store, custom_ops=custom_ops)


def _without_slow(
    first: Tuned,
    plan: Plan,
    again: Callable[[Sequence[str]], Tuned],
    feeds: Mapping[str, Array],
    custom_ops: Libraries,
    progress: Callable[[str], None],
) -> tuple[Tuned, list[str]]:
    """The plan without the regions that make it slower, and what these are called."""
    best, names, left = first, list[str](), list[str]()
    for called, ops in regions(first.module):
        progress(f"measuring the plan without {called}")
        other = again([*names, *ops])
        without = _opened(other, custom_ops)
        if not without.isa:
            continue
        runs = measure(lambda now=plan: now.run(feeds), lambda new=without: new.run(feeds))
        if not runs.keeps_plan:
            best, plan = other, without
            names += ops
            left.append(called)
    return best, left


def regions(module: ModuleOp) -> list[tuple[str, list[str]]]:
    """The regions for oneDNN that may not be worth going there for: those of the fewest partitions.

    Each with the name of its first partition, and the names of the ops in it. None of a plan of one region:
    it is compared as a whole.
    """
    candidates: list[tuple[int, str, list[str]]] = []
    for func in module.body.ops:
        if isinstance(func, FuncOp) and func.target.is_dnnl:
            parts = [op for op in func.body.block.ops if isinstance(op, PartitionOp)]
            ops = [name for op in parts for name in computing(op.body_ops)]
            if ops:
                candidates.append((len(parts), parts[0].identity or ops[0], ops))
    if len(candidates) < 2:
        return []
    return [(called, ops) for _, called, ops in sorted(candidates)[:REGIONS]]


def some_feeds(plan: Plan) -> Mapping[str, Array]:
    """Random inputs; of sizes that are not known, those that are `supposed`."""
    random = np.random.default_rng(0)
    feeds: dict[str, Array] = {}
    for name, shape, dtype in plan.input_types:
        if shape is None:
            raise AutosplitError(f"input {name!r} has any number of dimensions: leave out --tune")
        feeds[name] = random_array(random, supposed(shape), dtype)
    return feeds


def measure(plan: Callable[[], object], whole: Callable[[], object]) -> MeasuredRuns:
    """Runs both sides in turns, who is first changing from round to round."""
    sides = (plan, whole)
    seconds: tuple[list[float], list[float]] = ([], [])
    for side in sides:
        side()
    start = time.perf_counter()
    for i in range(MOST):
        for which in (0, 1) if i % 2 else (1, 0):
            time.sleep(PAUSE)
            sides[which]()
            begin = time.perf_counter()
            sides[which]()
            seconds[which].append(time.perf_counter() - begin)
        if i + 1 >= LEAST and time.perf_counter() - start > SECONDS:
            break
    return MeasuredRuns(*seconds)
