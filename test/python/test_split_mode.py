"""`split --mode`: what a mode gets wrong stays on the CPU, and `convert` knows what the folder is for."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from convert_toolchain import real
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.devices import get_chip
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.converting.source import recheck
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.submodel.sizes import Sizes
from autosplit.tools.cli.main import main

POSITIONS = 3000
"""More than f16 counts exactly."""

LARGE = 1e5
"""More than f16 has."""

X = np.random.default_rng(5).random((1, 4, POSITIONS)).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A Conv, with numbers around it that f16 does not have."""
    pads = numpy_helper.from_array(np.array([0, 0, 1, 0, 0, 1], np.int64), "pads")
    large = numpy_helper.from_array(np.array(LARGE, np.float32), "large")
    node = helper.make_node("Pad", ["c", "pads", "large"], ["y"], name="around")
    return saved(tmp_path / "padded.onnx", node, (1, 4, POSITIONS + 2), [pads, large])


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    """A Conv, and the position of the largest element of each of its rows."""
    node = helper.make_node("ArgMax", ["c"], ["y"], name="largest", axis=2, keepdims=0)
    return saved(tmp_path / "positions.onnx", node, X.shape[:2], [], TensorProto.INT64)


def saved(
    path: Path,
    node: onnx.NodeProto,
    shape: tuple[int, ...],
    constants: list[TensorProto],
    kind: int = TensorProto.FLOAT,
) -> Path:
    weights = np.random.default_rng(6).normal(size=(4, 4, 1)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"], name="conv"), node],
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", kind, shape)],
        [numpy_helper.from_array(weights, "w"), *constants],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, path)
    return path


def split(model: Path, mode: str) -> Path:
    folder = model.with_name(mode)
    inputs = {"x": InputSpec.of(X)}
    split_model(SplitOptions(model, folder, inputs, target="bm1684x", mode=mode, keep=1.0))
    return folder


def settings(folder: Path) -> dict[str, object]:
    text = (folder / "compile_to_graph_ir_0.py").read_text()
    assigned = next(
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SETTINGS"
    )
    return ast.literal_eval(assigned)


@pytest.mark.parametrize(
    ("mode", "device", "compiled"),
    [("F32", "tpu", "F32"), ("F16", "cpu", "F16"), ("BF16", "tpu", "BF16"), ("INT8", "cpu", "F32")],
)
def test_the_mode_decides_on_the_device(model: Path, mode: str, device: str, compiled: str):
    folder = split(model, mode)
    devices = [graph.device for graph in GraphInfos.load(folder).graphs]
    assert devices == (["tpu"] if device == "tpu" else ["tpu", "cpu"])
    assert GraphInfos.load(folder).mode == mode
    # INT8 is calibrated first.
    assert settings(folder)["mode"] == compiled
    assert '"mode": ' not in json.dumps(GraphInfos.load(folder).own["plan"])


def test_convert_takes_the_folders_mode(model: Path, monkeypatch: pytest.MonkeyPatch):
    folder = split(model, "F16")
    asked: list[str] = []

    class Stop(Exception):
        pass

    def stop(options: ConvertOptions) -> None:
        asked.append(options.mode)
        raise Stop

    monkeypatch.setattr("autosplit.flows.convert.folder.check_options", stop)
    for mode in ("", "BF16"):
        with pytest.raises(Stop):
            convert_folder(ConvertOptions(folder, mode=mode))
    assert asked == ["F16", "BF16"]


def test_another_mode_is_checked_again(model: Path):
    chip = get_chip("bm1684x")
    for_f32, for_f16 = (GraphInfos.load(split(model, mode)) for mode in ("F32", "F16"))
    with pytest.raises(AutosplitError) as caught:
        recheck(for_f32, read_folder(for_f32.folder), chip, "F16", Sizes.fixed)
    error = str(caught.value)
    assert "cannot run 1 op of its TPU sub-models, 'around': Pad fills with 100000" in error
    assert error.endswith("split again with --target bm1684x --mode F16")
    for mode in ("F32", "F16", "BF16", "INT8"):
        recheck(for_f16, read_folder(for_f16.folder), chip, mode, Sizes.fixed)


def test_what_a_mode_is_too_coarse_for_is_in_f32(counting: Path):
    tables: dict[str, str] = {}
    for mode in ("F32", "F16", "BF16"):
        folder = split(counting, mode)
        assert [graph.device for graph in GraphInfos.load(folder).graphs] == ["tpu"]
        table = settings(folder)["quantize_table"]
        assert (table is None) == (mode == "F32")
        if isinstance(table, str):
            tables[mode] = (folder / "graph_ir_0" / table).read_text()
            text = (folder / "graph_ir_0" / "graph_0.mlir").read_text()
            assert 'autosplit.f32 = ["y' in text
    assert tables["F16"] == tables["BF16"]
    assert "\ny F32\n" in tables["F16"]
    assert "\nc F32\n" not in tables["F16"]


@pytest.mark.parametrize("mode", ["F16", "BF16"])
def test_positions_are_right_in_narrow_modes(
    counting: Path, mode: str, capsys: pytest.CaptureFixture[str]
):
    real()
    folder = split(counting, mode)
    assert main(["convert", str(folder)]) == 0
    assert f"graph_0: in f32, not {mode}: ArgMax 'y' counts positions up to 3000" in said(capsys)
    assert main(["explain", str(folder)]) == 0
    assert f"What graph_0 computes in f32, not {mode}\nArgMax 'y' counts positions" in said(capsys)
    np.save(folder.with_suffix(".npy"), X)
    run = ["run", str(folder), "--mode", "2", "--input", str(folder.with_suffix(".npy"))]
    assert main([*run, "-o", str(folder.with_suffix(".npz"))]) == 0
    found = np.load(folder.with_suffix(".npz"))["y"]
    weights = np.random.default_rng(6).normal(size=(4, 4, 1)).astype(np.float32)[..., 0]
    rows = weights @ X[0]
    # Of the rounded numbers another may be the largest: it is one that is nearly as large.
    chosen = np.take_along_axis(rows, found[0][:, None], axis=1)[:, 0]
    assert np.all(chosen >= rows.max(axis=1) - {"F16": 0.01, "BF16": 0.1}[mode])


def test_what_is_behind_the_weights_is_in_f32(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    real()
    node = helper.make_node("Sigmoid", ["c"], ["y"])
    folder = split(saved(tmp_path / "scores.onnx", node, X.shape, []), "INT8")
    np.save(tmp_path / "x.npy", X)
    for state in ("compiled", "nothing to compile"):
        assert main(["convert", str(folder), "--data", str(tmp_path / "x.npy")]) == 0
        assert state in said(capsys)
        assert main(["explain", str(folder)]) == 0
        shown = said(capsys)
        assert "computes in f32, not INT8\nwhat is behind the last op with weights: 'y'\n" in shown


def said(capsys: pytest.CaptureFixture[str]) -> str:
    found = capsys.readouterr()
    return found.out + found.err


def test_a_mode_that_the_chip_has_not(model: Path, capsys: pytest.CaptureFixture[str]):
    out = model.with_name("out")
    assert main(["split", str(model), "--mode", "f16", "-o", str(out)]) == 1
    assert "mode F16: BM1684 computes in F32 and INT8 only; choose one" in capsys.readouterr().err
    assert not out.exists()
