"""Cuts models at random: every op runs on the CPU, in sub-models that nobody would choose.

Ops that a cut may not separate (loops, handles) stay together as in any plan, so such folders must compute
the results of the whole model, bit by bit, whatever the chips can do.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast
from unittest.mock import patch

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr

from autosplit.dialects.device import TargetAttr
from autosplit.lowering.device.cluster import DeviceClusterPass, collect_atoms, make_problem
from autosplit.lowering.device.stages import contract_cycles


@contextmanager
def random_cuts(seed: int, share: float = 0.5) -> Generator[None]:
    """Makes `split_model` cut at random inside the block; a `share` of the separable ops is for the TPU."""

    def cluster(self: DeviceClusterPass, ctx: Context, module: ModuleOp) -> None:
        scatter(module, np.random.default_rng(seed), share)
        plain(replace(self, objective="fixed"), ctx, module)
        _all_on_the_cpu(module)

    plain = DeviceClusterPass.apply
    with patch.object(DeviceClusterPass, "apply", cluster):
        yield


def scatter(module: ModuleOp, random: np.random.Generator, share: float) -> None:
    """Gives each op of a placed module a random device, and inseparable ops the same one."""
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
