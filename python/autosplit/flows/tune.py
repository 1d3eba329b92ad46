"""Is a compiled plan faster than ONNX Runtime alone? `compile --tune` measures, and keeps the faster.

What was measured is written into the plan: whoever runs it gets what was chosen, on any machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_writer import plan_of
from autosplit.inputs.value_inputs import random_array
from autosplit.lowering.device.whole import whole_as_one
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
"""The load, by processor, from which on times say little: the measurement itself is a load of one."""

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


def tuned(module: ModuleOp, model: Model, custom_ops: Libraries = ()) -> ModuleOp:
    """The plan, or the whole model as one segment where that is faster; `device.plan` says what was measured.

    `model` is the one that the plan was made of. Raises AutosplitError where it is no ONNX model, or one of
    both cannot be run.
    """
    if model.platform.name != "onnx":
        raise AutosplitError(
            f"{model.path}: a plan is measured against ONNX Runtime, which runs ONNX models only: leave out"
            " --tune"
        )
    whole = whole_as_one(model)
    plan = Plan.from_module(module, model.store, custom_ops=custom_ops)
    if not plan.isa:
        return module
    peer = Plan.from_module(whole, model.store, custom_ops=custom_ops)
    feeds = some_feeds(plan)
    found = measure(lambda: plan.run(feeds), lambda: peer.run(feeds))
    where = [plan.isa, *(f"{n} {'x'.join(map(str, a.shape))}" for n, a in feeds.items())]
    if os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):
        where.append("beside other programs: measure again when the machine is idle")
    chosen = module if found.keeps_plan else whole
    entries = {**plan_of(module), **plan_of(whole)} if chosen is whole else {**plan_of(module)}
    entries[TUNED] = StringAttr(found.text(", ".join(where)))
    chosen.attributes["device.plan"] = DictionaryAttr(entries)
    return chosen


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
    found: tuple[list[float], list[float]] = ([], [])
    for side in sides:
        side()
    start = time.perf_counter()
    for i in range(MOST):
        for which in (0, 1) if i % 2 else (1, 0):
            time.sleep(PAUSE)
            sides[which]()
            begin = time.perf_counter()
            sides[which]()
            found[which].append(time.perf_counter() - begin)
        if i + 1 >= LEAST and time.perf_counter() - start > SECONDS:
            break
    return MeasuredRuns(*found)
