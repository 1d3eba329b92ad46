"""PyTorch programs on the chips' emulators: each runs on the TPU whole, and is near PyTorch in every mode."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autosplit import api
from autosplit.explain.plan import explain_folder
from autosplit.testing.toolchain import toolchain
from autosplit.tools.cli import main as cli

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch

from autosplit.testing.torch_nets import arrays_of, torch_case

NEAR = {"F32": 1e-5, "F16": 5e-3, "INT8": 0.1}
"""How far an output may be from PyTorch's, as a part of its largest number."""

QUICK = [("unet", "bm1684", "INT8"), ("transformer", "bm1684x", "F16")]
NIGHTLY = [
    ("mobilenet_v2", "bm1684", "F32"),
    ("mobilenet_v3", "bm1688", "INT8"),
    ("transformer", "bm1684", "INT8"),
    ("unet", "bm1688", "F16"),
    ("written_views", "bm1684x", "INT8"),
]


@pytest.mark.parametrize(
    ("name", "chip", "mode"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.nightly) for case in NIGHTLY)],
)
def test_a_program_on_a_chip(tmp_path: Path, name: str, chip: str, mode: str):
    toolchain()
    case = torch_case(name)
    path, data, out = case.save(tmp_path / "net.pt2"), tmp_path / "data", tmp_path / "out"
    data.mkdir()
    samples = [torch.randn(case.args[0].shape) for _ in range(4)]
    for i, sample in enumerate(samples):
        np.save(data / f"{i}.npy", sample.numpy())
    sizes = ",".join(map(str, case.args[0].shape))
    options = ["--target", chip, "--mode", mode, "--data", str(data)]
    options += ["--compare", "--samples", "1", "-o", str(out)]
    assert cli.main(["deploy", str(path), "--input", f"x={sizes}", *options]) == 0
    assert [graph.device for graph in explain_folder(out).graphs] == ["tpu"]
    found = api.infer(api.load(out, mode=2), {"x": samples[-1].numpy()})
    with torch.no_grad():
        wanted = arrays_of(torch.export.load(path).module()(samples[-1]))
    for own, exact in zip(found.values(), wanted, strict=True):
        assert isinstance(own, np.ndarray)
        assert np.abs(own - exact).max() <= NEAR[mode] * np.abs(exact).max()
