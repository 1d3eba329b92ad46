"""Integers of which f32 makes the same results: those that are compared, cast to f32, or positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from sampled import sample_rows

from autosplit import api
from autosplit.explain.plan import Explanation
from autosplit.runtime.runner import Runner
from autosplit.testing.split import run_whole
from autosplit.testing.toolchain import toolchain
from autosplit.tools.cli.main import main

ONE_HOT = """<ir_version: 8, opset_import: ["": 17]>
    g (int32[1,40] x) => (float[1,40,5] y) <int64[3] s = {{1,40,1}}, int64[3] e = {{1,40,5}}> {{
        r = Reshape(x, s)
        wide = Expand(r, e)
        same = {kind}(wide, known)
        y = Cast<to=1>(same)
    }}"""

KNOWN = [-7, 0, 2048, 2049, (1 << 24) - 1]


def model_of(path: Path, kind: str, known: list[int], output: str = "") -> Path:
    """`output`: a value inside of it that is an output too."""
    found = onnx.parser.parse_model(ONE_HOT.format(kind=kind))
    array = np.array(known, np.int32)
    found.graph.initializer.append(onnx.numpy_helper.from_array(array, "known"))
    if output:
        int32 = onnx.TensorProto.INT32
        found.graph.output.append(onnx.helper.make_tensor_value_info(output, int32, None))
    onnx.save(found, path)
    return path


@pytest.mark.parametrize(
    ("known", "output", "on_tpu"),
    [
        (KNOWN, "", {"Reshape", "Expand", "Equal", "Cast"}),
        ([*KNOWN[1:], -(1 << 24) + 1], "", {"Reshape", "Expand", "Equal", "Cast"}),
        ([*KNOWN[1:], 1 << 24], "", {"Cast"}),
        ([*KNOWN[1:], -(1 << 24)], "", {"Cast"}),
        (KNOWN, "wide", {"Equal", "Cast"}),
    ],
)
def test_what_is_computed_in_floats(
    tmp_path: Path, known: list[int], output: str, on_tpu: set[str]
):
    found: Explanation = api.explain(model_of(tmp_path / "m.onnx", "Equal", known, output))
    refused = {op.type for op in found.ops if any(r.code == "dtype" for r in op.reasons)}
    assert refused == {"Reshape", "Expand", "Equal", "Cast"} - on_tpu


@pytest.mark.parametrize(("target", "mode"), sample_rows([("bm1684", "F32"), ("bm1688", "F16")]))
@pytest.mark.parametrize("kind", ["Equal", "Less", "GreaterOrEqual"])
def test_as_exact_as_integers(tmp_path: Path, target: str, mode: str, kind: str):
    """Beside every constant, and far beyond what a float holds exactly."""
    toolchain()
    path, out = model_of(tmp_path / "m.onnx", kind, KNOWN), tmp_path / "out"
    near = [n + i for n in KNOWN for i in (-1, 0, 1)]
    # What the border lets through: floats hold these.
    far = [1 << 25, -(1 << 30), 3 << 28, np.iinfo(np.int32).max, np.iinfo(np.int32).min]
    x = np.resize(np.array([*near, *far], np.int32), (1, 40))
    np.save(tmp_path / "x.npy", x)
    assert main(["split", str(path), "--target", target, "--mode", mode, "-o", str(out)]) == 0
    assert [g.device for g in Runner(out, 0).infos.graphs] == ["tpu"]
    assert main(["convert", str(out), "--data", str(tmp_path / "x.npy"), "--compare"]) == 0
    (wanted,) = run_whole(path, {"x": x}, ["y"]).values()
    runner = Runner(out, 2, use_cmodel=True)
    np.testing.assert_array_equal(runner.infer({"x": x})["y"], wanted)


MASKED = """<ir_version: 8, opset_import: ["": 17]>
    g (int64[1,8] mask, int64[1,8] ids) => (float[1,1,1,8] m, float[8,4] w, bool[8,1] n)
    <int64[1] one = {{1}}, int64[1] two = {{2}}, int64[2] column = {{8,1}}, int64[1] line = {{8}}> {{
        m1 = Unsqueeze(mask, one)
        m2 = Unsqueeze(m1, two)
        m = Cast<to={to}>(m2)
        flat = Reshape(ids, line)
        few = Cast<to=6>(flat)
        w = Gather(table, few)
        high = Reshape(mask, column)
        n = Cast<to=9>(high)
    }}"""


def masked(path: Path, to: int = onnx.TensorProto.FLOAT) -> Path:
    """A mask as transformers take it, positions and Booleans, each behind views."""
    found = onnx.parser.parse_model(MASKED.format(to=to))
    found.graph.output[0].type.tensor_type.elem_type = to
    table = np.random.default_rng(0).standard_normal((100, 4)).astype(np.float32)
    found.graph.initializer.append(onnx.numpy_helper.from_array(table, "table"))
    onnx.save(found, path)
    return path


def test_views_of_masks_and_positions(tmp_path: Path):
    found: Explanation = api.explain(masked(tmp_path / "m.onnx"))
    assert not [op.type for op in found.ops if op.reasons]
    # Two roundings may make another number than one.
    found = api.explain(masked(tmp_path / "m.onnx", onnx.TensorProto.DOUBLE))
    refused = [op.type for op in found.ops if any(r.code == "dtype" for r in op.reasons)]
    assert refused == ["Unsqueeze", "Unsqueeze", "Cast"]


@pytest.mark.parametrize(("target", "mode"), [("bm1684", "F32"), ("bm1684x", "F16")])
def test_masks_and_positions_on_the_chip(tmp_path: Path, target: str, mode: str):
    toolchain()
    path, out = masked(tmp_path / "m.onnx"), tmp_path / "out"
    random = np.random.default_rng(1)
    feeds = {"mask": random.integers(0, 2, (1, 8)), "ids": random.integers(0, 100, (1, 8))}
    np.savez(tmp_path / "x.npz", **feeds)
    assert main(["split", str(path), "--target", target, "--mode", mode, "-o", str(out)]) == 0
    assert [g.device for g in Runner(out, 0).infos.graphs] == ["tpu"]
    assert main(["convert", str(out), "--data", str(tmp_path / "x.npz"), "--compare"]) == 0
    names = ["m", "w", "n"]
    found = Runner(out, 2, use_cmodel=True).infer(feeds)
    for name, wanted in run_whole(path, feeds, names).items():
        assert found[name].dtype == wanted.dtype
        np.testing.assert_allclose(found[name], wanted, atol=2e-3)
