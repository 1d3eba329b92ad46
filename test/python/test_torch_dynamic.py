"""Programs with open sizes, split with `--dynamic`: one plan gives the module's bits for all sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.folder.infos_reader import GraphInfos
from autosplit.runtime import runner
from autosplit.testing.random_cut import random_cuts
from autosplit.testing.split import split

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch
from aten_nets import NETS, net_of, open_shapes
from torch import Tensor, nn

from autosplit.testing.torch_nets import UNTYPED


class Sized(nn.Module):
    """Sizes that are computed with, between convolutions, and rows that the data choose."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 4, 3, padding=1)
        self.c = nn.Linear(4, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        height, width = x.shape[2:]
        y = torch.relu(self.a(x))
        y = torch.nn.functional.interpolate(y, (height * 2, width + 3), mode="bilinear")
        y = self.b(y[:, :, 1:-1] * (height // 2))
        rows = y.flatten(2).transpose(1, 2).reshape(-1, 4)
        return self.c(rows[rows[:, 0] > 0]), y


def sized(*shape: int) -> tuple[Tensor]:
    return (torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))),)


def words(*shape: int) -> tuple[Tensor]:
    return (torch.randint(0, 20, shape, generator=torch.Generator().manual_seed(sum(shape))),)


D = UNTYPED.export.Dim

Case = tuple[Callable[[], Any], Any, Sequence[tuple[Tensor, ...]]]

CASES: dict[str, Case] = {
    "gpt": (lambda: net_of("gpt"), open_shapes("gpt"), [words(5, 12), words(2, 7), words(3, 9)]),
    "residual": (
        lambda: net_of("residual"),
        open_shapes("residual"),
        [sized(5, 3, 32, 32), sized(2, 3, 32, 32)],
    ),
    "sized": (
        Sized,
        ({0: D("batch"), 2: D("height", min=4), 3: D("width", min=4)},),
        [sized(4, 3, 16, 12), sized(2, 3, 8, 9), sized(3, 3, 5, 12)],
    ),
    "sizes": (lambda: net_of("sizes"), open_shapes("sizes"), [sized(4, 9, 8), sized(2, 5, 8)]),
    "unet": (
        lambda: net_of("unet"),
        open_shapes("unet"),
        [sized(3, 3, 32, 24), sized(2, 3, 16, 24), sized(3, 3, 32, 8)],
    ),
    "updates": (
        lambda: net_of("updates"),
        open_shapes("updates"),
        [sized(5, 4, 8, 8), sized(2, 4, 8, 8)],
    ),
}
"""What makes a module, its open sizes, and inputs, the first of the largest sizes."""

assert CASES.keys() - {"sized"} <= NETS.keys()


@pytest.mark.parametrize("seed", [None, 0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", CASES)
def test_one_plan_for_all_sizes(name: str, seed: int | None, tmp_path: Path) -> None:
    make, shapes, inputs = CASES[name]
    module = make().eval()
    program = UNTYPED.export.export(module, inputs[0], dynamic_shapes=shapes, strict=False)
    UNTYPED.export.save(program, tmp_path / "net.pt2")
    names = [
        spec.arg.name for spec in program.graph_signature.input_specs if "USER" in str(spec.kind)
    ]
    feeds = [dict(zip(names, (x.numpy() for x in given), strict=True)) for given in inputs]
    with nullcontext() if seed is None else random_cuts(seed):
        split(tmp_path / "net.pt2", tmp_path / "out", feeds[0], dynamic=True)
    infos = GraphInfos.load(str(tmp_path / "out"))
    assert infos.dynamic
    assert seed is None or len(infos.graphs) > 1
    folder = runner.load(str(tmp_path / "out"), mode=0)
    for given, tensors in zip(feeds, inputs, strict=True):
        with torch.no_grad():
            exact = module(*tensors)
        wanted = exact if isinstance(exact, tuple | list) else (exact,)
        found = runner.infer(folder, given)
        for ours, theirs in zip(found.values(), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs.numpy(), strict=True)
