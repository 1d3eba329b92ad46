"""Folders as the original AutoSplit wrote them: they are read, explained, converted and run as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import real
from onnx import TensorProto, helper, numpy_helper
from original_folder import ANCHORS, OUTPUTS, SHAPES, write_original

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.dialects.device import FuncOp
from autosplit.explain.plan import explain
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import completed, read_folder
from autosplit.platforms import get_platform
from autosplit.runtime.compare import compare
from autosplit.runtime.runner import Runner
from autosplit.tools.cli import main as cli

PICTURE = np.random.default_rng(3).integers(0, 256, (1, 20, 24, 3)).astype(np.uint8)


@pytest.fixture(scope="module", params=["object", "list"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tensors as an object, and sub-models that do not know their sizes; tensors as a list, and they do."""
    pytest.importorskip("tensorflow")
    listed = request.param == "list"
    path = tmp_path_factory.mktemp("original") / "out"
    return write_original(path, listed=listed, shaped=listed)


def whole(folder: Path) -> dict[str, Any]:
    executor = get_platform("tensorflow").executor({"model_path": "whole.pb"}, folder.parent)
    return executor.run({"image_tensor:0": PICTURE}, OUTPUTS)


def test_dtypes_are_those_of_the_sub_models(folder: Path):
    as_written = GraphInfos.load(folder)
    assert {tensor.dtype for tensor in as_written.tensors.values()} == {None}
    found = completed(as_written)
    dtypes = {name: tensor.dtype for name, tensor in found.tensors.items()}
    assert dtypes == dict.fromkeys(SHAPES, "float32") | {"image_tensor:0": "uint8"}
    assert {name: list(t.shape or ()) for name, t in found.tensors.items()} == SHAPES


def test_explained_with_sizes_and_work(folder: Path):
    found = explain(read_folder(folder, placed=True))
    assert {border.name: border.shown for border in found.borders} == {
        name: f"{'x'.join(map(str, shape))} {'ui8' if name == 'image_tensor:0' else 'f32'}"
        for name, shape in SHAPES.items()
    }
    assert [graph.work for graph in found.graphs] == [0, 256 * (27 * 8 + 8 * 4 + 8 * 2), 0]
    # What is known of the borders is known inside too, without asking the chip.
    funcs = [op for op in read_folder(folder).body.ops if isinstance(op, FuncOp)]
    types = [str(value.type) for _, value in funcs[1].outputs]
    assert types == [
        f"tensor<{'x'.join(map(str, SHAPES[n.data]))}xf32>" for n in funcs[1].output_names
    ]


def test_runs_like_the_whole(folder: Path, capsys: pytest.CaptureFixture[str]):
    with Runner(folder, 0) as runner:
        found = runner.infer({"image_tensor": PICTURE.astype(np.float64)})
        with pytest.raises(
            AutosplitError, match=r"found dtype float64, expected uint8, which cannot"
        ):
            runner.infer({"image_tensor": PICTURE + 0.5})
    assert [d.name for d in compare(found, whole(folder)) if not d.equal] == []
    model = str(folder.parent / "whole.pb")
    assert cli.main(["run", str(folder), "--compare", model]) == 0
    assert "2 of 2 outputs are bit-equal" in capsys.readouterr().out


def test_converts_and_runs_on_the_emulator(folder: Path):
    """The anchors follow from the picture's size: the bmodel does not have them, the runner supplies them."""
    real()
    for state in ("compiled", "taken"):
        result = convert_folder(ConvertOptions(folder, compare=True))
        result.check()
        assert [graph.state for graph in result.graphs] == [state]
        assert ANCHORS not in result.graphs[0].comparison
    found = GraphInfos.load(folder)
    assert found.constant_outputs(found.graphs[1]) == {ANCHORS}
    assert f"graph_ir_1/{CONSTANTS}" in str(found.own["files"])
    with Runner(folder, 2, use_cmodel=True) as runner:
        made = runner.infer({"image_tensor:0": PICTURE})
    for name, expected in whole(folder).items():
        assert difference(expected, made[name]).within(TOLERANCES["F32"])
    path = folder / "graph_ir_1" / CONSTANTS
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(AutosplitError, match=rf"{CONSTANTS}: was changed after the split"):
        Runner(folder, 2, use_cmodel=True)


CONSTANTS = "graph_1_constants.npz"


def anchors_only(folder: Path, *, reads_size: bool) -> Path:
    """An ONNX folder whose TPU sub-model gives constants: of nothing, or of the size of its input."""
    folder.mkdir()
    grid = np.arange(3000, dtype=np.float32).reshape(1, 3000)
    shape = numpy_helper.from_array(np.array([3, 1000]), "shape")
    nodes = [helper.make_node("Reshape", ["grid", "shape"], ["anchors"], name="anchors")]
    if reads_size:
        nodes = [
            helper.make_node("Shape", ["x"], ["shape"], name="size"),
            helper.make_node("Reshape", ["grid", "shape"], ["anchors"], name="anchors"),
        ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 1000])
    anchors = helper.make_tensor_value_info("anchors", TensorProto.FLOAT, [3, 1000])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 1000])
    held = [numpy_helper.from_array(grid, "grid"), *([] if reads_size else [shape])]
    given = [x] if reads_size else []
    graphs = [
        helper.make_graph(nodes, "anchors", given, [anchors], held),
        helper.make_graph(
            [helper.make_node("Add", ["x", "anchors"], ["y"])], "sum", [x, anchors], [y]
        ),
    ]
    for i, graph in enumerate(graphs):
        opset = [helper.make_opsetid("", 17)]
        onnx.save(
            helper.make_model(graph, opset_imports=opset, ir_version=8), folder / f"graph_{i}.onnx"
        )
    entry: dict[str, Any] = {"model_info": {"model_path": "graph_0.onnx"}, "device": "tpu"}
    data = {
        "graphs": [
            {**entry, "inputs": [v.name for v in given], "outputs": ["anchors"]},
            {
                "model_info": {"model_path": "graph_1.onnx"},
                "device": "cpu",
                "inputs": ["x", "anchors"],
                "outputs": ["y"],
            },
        ],
        "tensors": {
            "x": {"shape": [3, 1000], "attr": "input"},
            "anchors": {"shape": [3, 1000], "attr": "intermediate"},
            "y": {"shape": [3, 1000], "attr": "output"},
        },
        "graph_num": 2,
        "platform": "onnx",
        "dynamic": False,
        "layout": "NCHW",
    }
    (folder / "graph_infos.json").write_text(json.dumps(data))
    return folder


@pytest.mark.parametrize("reads_size", [False, True])
@pytest.mark.parametrize("mode", ["F32", "INT8"])
def test_nothing_to_compile(
    mode: str, reads_size: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    real()
    folder = anchors_only(tmp_path / "out", reads_size=reads_size)
    np.save(tmp_path / "x.npy", np.ones((3, 1000), np.float32))
    data = ["--data", f"x={tmp_path / 'x.npy'}", "--mode", mode, "--compare"]
    assert cli.main(["convert", str(folder), *data]) == 0
    assert "constants only, needs no bmodel" in capsys.readouterr().out
    assert sorted(p.name for p in (folder / "graph_ir_0").iterdir()) == ["graph_0_constants.npz"]
    x = np.ones((3, 1000), np.float32)
    with Runner(folder, 2, use_cmodel=True) as runner:
        for _ in range(2):
            found = runner.infer({"x": x})["y"]
            np.testing.assert_array_equal(found, x + np.arange(3000).reshape(3, 1000))
            found += 1
        assert [step.device for step in runner.steps] == ["cpu", "cpu"]
    assert cli.main(["explain", str(folder)]) == 0
