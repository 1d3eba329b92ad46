"""PyTorch programs: cut anywhere, their sub-models compute the bits of the whole, in each of several runs."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autosplit.core.weights import Array
from autosplit.dialects.platform import platform_graph
from autosplit.formats.pytorch.reader import import_file
from autosplit.runtime import runner
from autosplit.testing.random_cut import random_cuts
from autosplit.testing.split import split

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch

from autosplit.testing.torch_nets import CASES, TorchCase, arrays_of, as_array, torch_case


def feeds_of(path: Path, case: TorchCase) -> dict[str, Array]:
    return case.feeds([name for name, _ in platform_graph(import_file(path)[0]).graph_inputs()])


def check_cut(path: Path, case: TorchCase, out: Path, seed: int, share: float = 0.4) -> int:
    """Cuts a program at random and compares two runs; returns how many sub-models there are."""
    feeds = feeds_of(path, case)
    with random_cuts(seed, share):
        split(path, out, feeds)
    folder = runner.load(str(out), mode=0)
    with torch.no_grad():
        module = torch.export.load(path).module()
        for _ in range(2):
            wanted = arrays_of(module(*[arg.clone() for arg in case.args]))
            got = runner.infer(folder, dict(feeds))
            for ours, theirs in zip(got.values(), wanted, strict=True):
                np.testing.assert_array_equal(ours, theirs, strict=True)
    parts = sorted(out.glob("graph_*.pt2"))
    for part in parts:
        torch.export.load(part)
    return len(parts)


FEWEST = {
    "lists": 3,
    "mobilenet_v2": 8,
    "mobilenet_v3": 8,
    "resnet18": 8,
    "running_state": 1,
    "transformer": 6,
    "unet": 3,
    "written_views": 1,
}
"""How many sub-models there are at least; what shares memory that is updated stays together."""


@pytest.mark.parametrize(
    "name", ["lists", "mobilenet_v2", "running_state", "transformer", "written_views"]
)
def test_random_cuts(tmp_path: Path, name: str) -> None:
    case = torch_case(name)
    path = case.save(tmp_path / "net.pt2")
    assert check_cut(path, case, tmp_path / "out", len(name)) >= FEWEST[name]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", CASES)
def test_more_random_cuts(tmp_path: Path, name: str, seed: int) -> None:
    case = torch_case(name)
    path = tmp_path / "net.pt2"
    program = case.exported()
    torch.export.save(program.run_decompositions() if seed % 2 else program, path)
    check_cut(path, case, tmp_path / "out", seed)


def test_a_split_for_the_chip(tmp_path: Path) -> None:
    """The plan of a real chip, with sizes that are fixed, and what it leaves to the CPU."""
    case = torch_case("resnet18")
    path = case.save(tmp_path / "net.pt2")
    feeds = feeds_of(path, case)
    split(path, tmp_path / "out", feeds)
    infos = json.loads((tmp_path / "out/graph_infos.json").read_text())
    assert infos["platform"] == "pytorch"
    assert {graph["device"] for graph in infos["graphs"]} >= {"tpu"}
    assert infos["graphs"][0]["model_info"] == {"pth_path": "graph_0.pt2"}
    got = runner.infer(runner.load(str(tmp_path / "out"), mode=0), dict(feeds))
    with torch.no_grad():
        wanted = torch.export.load(path).module()(*case.args)
    np.testing.assert_array_equal(next(iter(got.values())), as_array(wanted), strict=True)
