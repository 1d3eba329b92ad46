"""`autosplit quantize` of a folder of sub-models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.api import infer, load, split
from autosplit.core.errors import AutosplitError
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult
from autosplit.flows.quantize_folder import QuantizedFolder, quantize_folder
from autosplit.quantization import QuantConf, convert, prepare, quantize
from autosplit.tools.cli.main import main

CHANNELS = 8


def write_chain(path: Path, count: int = 3) -> None:
    """Convolutions with Relus behind one another."""
    rng = np.random.default_rng(0)
    nodes, weights, name = [], [], "x"
    for i in range(count):
        taken = 3 if i == 0 else CHANNELS
        weight = rng.normal(0, 0.3, (CHANNELS, taken, 3, 3)).astype(np.float32)
        weights.append(numpy_helper.from_array(weight, f"w{i}"))
        nodes.append(
            helper.make_node("Conv", [name, f"w{i}"], [f"c{i}"], name=f"conv{i}", pads=[1, 1, 1, 1])
        )
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"], name=f"relu{i}"))
        name = f"r{i}"
    ends = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 12, 12]),
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, CHANNELS, 12, 12]),
    ]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], weights)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )


def sample(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, (1, 3, 12, 12)).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three sub-models: CPU, TPU, CPU."""
    write_chain(tmp_path / "chain.onnx")
    split(
        "onnx",
        {"x": sample(0)},
        tmp_path / "parts",
        tmp_path / "chain.onnx",
        pins={"(conv|relu)[02]": "cpu", "(conv|relu)1": "tpu"},
        keep=1.0,
    )
    return tmp_path / "parts"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for seed in range(6):
        np.save(folder / f"{seed}.npy", sample(seed))
    return folder


def test_the_sub_models_of_the_cpu_become_int8(folder: Path, data: Path, tmp_path: Path):
    out = tmp_path / "int8"
    assert main(["quantize", str(folder), "--data", f"x={data}", "-o", str(out)]) == 0
    infos = json.loads((out / "graph_infos.json").read_text())
    assert [graph["device"] for graph in infos["graphs"]] == ["cpu", "tpu", "cpu"]
    for graph in infos["graphs"]:
        path = out / next(iter(graph["model_info"].values()))
        kinds = {node.op_type for node in onnx.load(path).graph.node}
        assert ("QuantizeLinear" in kinds) == (graph["device"] == "cpu")
        assert path.name.endswith("_int8.onnx") == (graph["device"] == "cpu")
    exact = infer(load(folder), {"x": sample(9)})
    found = infer(load(out), {"x": sample(9)})
    (a,), (b,) = exact.values(), found.values()
    assert not np.array_equal(a, b)
    assert np.vdot(a, b) / np.linalg.norm(a) / np.linalg.norm(b) > 0.999


def test_a_sub_model_is_calibrated_with_what_reaches_it(folder: Path, data: Path, tmp_path: Path):
    options = QuantizeOptions(folder, tmp_path / "int8", data=[f"x={data}"], calibrator="minmax")
    made = quantize_folder(options)
    seen: list[np.ndarray] = []
    with load(folder) as runner:
        for seed in range(6):
            runner.infer(
                {"x": sample(seed)},
                watch=lambda graph, feeds, _: (
                    seen.extend(feeds.values()) if graph.index == 2 else None
                ),
            )
    (name,) = json.loads((folder / "graph_infos.json").read_text())["graphs"][2]["inputs"]
    low, high = made.graphs["graph_2"].recipe.ranges[name]
    assert (low, high) == pytest.approx(
        (min(0, *(a.min() for a in seen)), max(a.max() for a in seen))
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "r.html"], "--report: is for a model"),
        (["--data", "missing"], "missing"),
        ([], "there is no data"),
    ],
)
def test_what_folders_do_not_take(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
):
    assert main(["quantize", str(folder), *options, "-o", str(tmp_path / "int8")]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "int8").exists()
    assert not list(tmp_path.glob(".int8*"))


def test_a_folder_without_cpu_sub_models_is_refused(tmp_path: Path, data: Path):
    write_chain(tmp_path / "chain.onnx")
    split("onnx", {"x": sample(0)}, tmp_path / "parts", tmp_path / "chain.onnx")
    with pytest.raises(AutosplitError, match="has no sub-model for the CPU"):
        quantize_folder(QuantizeOptions(tmp_path / "parts", tmp_path / "int8", data=[f"x={data}"]))


def test_quantize_as_a_function(folder: Path, data: Path, tmp_path: Path):
    made = quantize(
        folder, tmp_path / "int8", f"x={data}", QuantConf(calibrator="minmax"), samples=2
    )
    assert isinstance(made, QuantizedFolder)
    assert [r.recipe.calibrator for r in made.graphs.values()] == ["minmax", "minmax"]
    assert [r.recipe.samples for r in made.graphs.values()] == [2, 2]
    model = quantize(tmp_path / "chain.onnx", tmp_path / "chain-int8.onnx", data)
    assert isinstance(model, QuantizeResult)
    assert (tmp_path / "chain-int8.onnx").is_file()
    assert model.recipe.samples == 6


def test_a_prepared_model_is_converted_once(tmp_path: Path):
    write_chain(tmp_path / "chain.onnx")
    prepared = prepare(tmp_path / "chain.onnx")
    prepared({"x": sample(0)})
    convert(prepared)
    with pytest.raises(AutosplitError, match="converted already"):
        convert(prepared)
