"""Cuts models anywhere: every op runs on the CPU, in sub-models that nobody would choose.

What a cut may not part (loops, handles) stays together as in any plan, so that such folders must compute
what the whole model does, bit by bit, whatever the chips can do.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import cast
from unittest.mock import patch

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr

from autosplit.devices import Chip
from autosplit.dialects.device import TargetAttr
from autosplit.flows.splitting.options import SplitOptions
from autosplit.lowering.device.cluster import DeviceClusterPass, collect_atoms, make_problem
from autosplit.lowering.device.confirmed import Confirmed
from autosplit.lowering.device.outline import DeviceOutlinePass
from autosplit.lowering.device.place import place
from autosplit.lowering.device.stages import contract_cycles
from autosplit.platforms import Model
from autosplit.registry import make_context


@contextmanager
def random_cuts(seed: int, share: float = 0.5) -> Generator[None]:
    """Lets `split_model` cut at random meanwhile; `share` of what may be parted changes the side."""

    def cut(
        model: Model,
        chip: Chip,
        options: SplitOptions,
        lowered: ModuleOp,
        largest: Model,
        executed: Mapping[str, int] | None = None,
    ) -> tuple[ModuleOp, Confirmed]:
        ctx = make_context()
        place(ctx, model.module, chip, False, [], lowered, executed=executed)
        scatter(model.module, np.random.default_rng(seed), share)
        DeviceClusterPass(objective="fixed", target=chip.name).apply(ctx, model.module)
        module = model.module.clone()
        _all_on_the_cpu(module)
        DeviceOutlinePass().apply(ctx, module)
        module.verify()
        return module, Confirmed(module)

    with patch("autosplit.flows.splitting.cutting.cut", cut):
        yield


def scatter(module: ModuleOp, random: np.random.Generator, share: float) -> None:
    """Gives each op of a placed module one device at random, the same one to what may not be parted."""
    atoms = collect_atoms(module, groups=False)
    problem = make_problem(module, atoms)
    anywhere = np.ones(problem.count, dtype=np.bool_)
    ties = np.array(atoms.ties, dtype=np.int64).reshape(-1, 2)
    free = replace(problem, cpu=anywhere, tpu=anywhere)
    _, labels = contract_cycles(free, ties)
    sides = random.random(int(labels.max(initial=-1)) + 1) < share
    for op, label in zip(atoms.ops, labels.tolist(), strict=True):
        device = StringAttr("tpu" if sides[label] else "cpu")
        op.attributes["device.accepts"] = ArrayAttr([device])


def _all_on_the_cpu(module: ModuleOp) -> None:
    plan = module.attributes["device.plan"]
    assert isinstance(plan, DictionaryAttr)
    stages = cast("ArrayAttr[TargetAttr]", plan.data["stages"])
    cpu = ArrayAttr([TargetAttr.of("cpu") for _ in stages])
    module.attributes["device.plan"] = DictionaryAttr({**plan.data, "stages": cpu})
