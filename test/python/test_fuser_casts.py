"""The bfloat16 modules of the original's fuser tests: the groups that the extension makes of them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuser_modules import CASES
from onednn_installed import needs_library

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch
from fuser_casts import BUILT
from test_fuser_modules import OURS, RECORDED, THEIRS, groups

from autosplit import api
from autosplit.core.weights import Array
from autosplit.explain.int8 import Int8Explanation

NAMES = ("x", "y", "more_0")
"""The inputs of the programs."""

QUICK = ("lift_up_to_quant_bf16", "linear_dropout_sum_bf16")


def test_all_of_them_are_here():
    assert set(BUILT) == {name for name, case in CASES.items() if case.bf16}


def exact_outputs(module: Any, inputs: tuple[Any, ...]) -> list[Array]:
    """What PyTorch computes, as float32."""
    with torch.no_grad():
        made = module(*inputs)
    made = made if isinstance(made, tuple) else (made,)
    return [tensor.to(torch.float32).numpy() for tensor in made]


@needs_library
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.nightly) for n in BUILT]
)
def test_groups_are_those_of_the_original(tmp_path: Path, name: str):
    """An op alone is no group: the extension leaves it to PyTorch, and autosplit makes it a partition."""
    from autosplit.runtime.dnnl.library import library

    torch.manual_seed(0)
    module, case = BUILT[name]().eval(), CASES[name]
    with torch.no_grad():
        torch.export.save(torch.export.export(module, case.inputs()), tmp_path / "net.pt2")
    api.compile(tmp_path / "net.pt2", tmp_path / "out")
    found = api.explain(tmp_path / "out")
    assert isinstance(found, Int8Explanation)
    fused = [[op.kind for op in p.ops] for p in found.partitions if len(p.ops) > 1]
    assert groups(fused, OURS) == groups(RECORDED[name]["groups"], THEIRS)
    if not library().computes("bf16"):
        return
    plan = api.load_compiled(tmp_path / "out")
    for seed in (1, 2):
        inputs = case.inputs(seed)
        feeds = dict(zip(NAMES[: len(inputs)], (x.numpy() for x in inputs), strict=True))
        for own, exact in zip(
            api.infer(plan, feeds).values(), exact_outputs(module, inputs), strict=True
        ):
            assert isinstance(own, np.ndarray)
            # Two steps of bfloat16: PyTorch rounds between the product and what follows it.
            assert np.abs(own.astype(np.float32) - exact).max() <= np.abs(exact).max() / 64
