"""Models that return sequences, maps and optional values: they split, run, and give what the whole gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.values import Value, flat
from autosplit.runtime.compare import compare
from autosplit.runtime.runner import Runner
from autosplit.tools.cli import main as cli

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING
SCALAR = helper.make_tensor_type_proto(FLOAT, [])
IMAGE = helper.make_tensor_type_proto(FLOAT, [2, 4, 6, 6])

CLASSIFIER = [
    helper.make_node("GlobalAveragePool", ["c"], ["p"], name="pool"),
    helper.make_node("Flatten", ["p"], ["f"], name="flat"),
    helper.make_node("Softmax", ["f"], ["s"], name="soft"),
    helper.make_node("ArgMax", ["s"], ["label"], name="label", axis=1, keepdims=0),
]


def zip_map(**labels: object) -> onnx.NodeProto:
    return helper.make_node("ZipMap", ["s"], ["y"], name="zip", domain="ai.onnx.ml", **labels)


def node(kind: str, inputs: list[str], outputs: list[str], **attributes: object) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, outputs, name=f"{kind} {outputs[0]}", **attributes)


MAPS = helper.make_sequence_type_proto(helper.make_map_type_proto(INT64, SCALAR))
NAMED_MAPS = helper.make_sequence_type_proto(helper.make_map_type_proto(STRING, SCALAR))
IMAGES = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))

CASES = {
    "map of numbers": ([*CLASSIFIER, zip_map(classlabels_int64s=[1, 2, 3, 5])], MAPS),
    "map of names": ([*CLASSIFIER, zip_map(classlabels_strings=["a", "b", "", "ä"])], NAMED_MAPS),
    "undeclared map": ([*CLASSIFIER, zip_map(classlabels_int64s=[1, 2, 3, 5])], None),
    "sequence": ([node("SplitToSequence", ["c"], ["y"], axis=0)], IMAGES),
    "sequence that is read too": (
        [node("SplitToSequence", ["c"], ["y"]), node("SequenceAt", ["y", "one"], ["label"])],
        IMAGES,
    ),
    "sequence around a convolution": (
        [
            node("SplitToSequence", ["c"], ["q"], axis=1, keepdims=1),
            node("SequenceAt", ["q", "one"], ["part"]),
            node("Conv", ["part", "v"], ["label"]),
            node("SequenceInsert", ["q", "label"], ["y"]),
        ],
        IMAGES,
    ),
    "empty sequence": ([node("SequenceEmpty", [], ["y"])], IMAGES),
    "optional": ([node("Optional", ["c"], ["y"])], helper.make_optional_type_proto(IMAGE)),
    "absent": (
        [node("Optional", [], ["y"], type=IMAGE)],
        helper.make_optional_type_proto(IMAGE),
    ),
    "optional sequence": (
        [node("SplitToSequence", ["c"], ["q"]), node("Optional", ["q"], ["y"])],
        helper.make_optional_type_proto(IMAGES),
    ),
}  # fmt: skip


def write(path: Path, nodes: list[onnx.NodeProto], type: onnx.TypeProto | None) -> Path:
    """A convolution on two images, with `nodes` behind it that make `y` and perhaps `label`."""
    made = {name for each in nodes for name in each.output}
    outputs = [onnx.ValueInfoProto(name=name) for name in ("label", "y") if name in made]
    if type is not None:
        outputs[-1].type.CopyFrom(type)
    random = np.random.default_rng(0)
    weights = {
        "w": random.standard_normal((4, 3, 3, 3)).astype(np.float32),
        "v": random.standard_normal((1, 1, 3, 3)).astype(np.float32),
        "one": np.int64(1),
    }
    read = {name for each in nodes for name in each.input} | {"w"}
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"], name="conv"), *nodes],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2, 3, 8, 8])],
        [*outputs, helper.make_tensor_value_info("c", FLOAT, [2, 4, 6, 6])],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in weights.items() if n in read],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def whole(path: Path, x: np.ndarray) -> dict[str, Value]:
    """What ONNX Runtime makes of the model itself."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"x": x}), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_values_that_are_no_tensors_leave_the_last_sub_model(name: str, tmp_path: Path):
    model = write(tmp_path / "model.onnx", *CASES[name])
    split_model(SplitOptions(model, tmp_path / "out"))
    with Runner(tmp_path / "out", 0) as runner:
        assert any(graph.device == "tpu" for graph in runner.infos.graphs)
        x = np.random.default_rng(1).standard_normal((2, 3, 8, 8)).astype(np.float32)
        found = runner.infer({"x": x})
    expected = whole(model, x)
    assert list(found) == list(expected)
    assert type(found["y"]) is type(expected["y"])
    assert all(difference.equal for difference in compare(found, expected))
    assert flat(found).keys() == flat(expected).keys()


def test_they_are_shown_compared_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    write(Path("model.onnx"), *CASES["map of names"])
    assert cli.main(["split", "model.onnx", "-o", "out"]) == 0
    assert cli.main(["run", "out", "--compare", "model.onnx", "-o", "found.npz"]) == 0
    said = capsys.readouterr().out
    assert "y        sequence   2" in said
    assert "3 of 3 outputs are bit-equal" in said
    with np.load("found.npz") as found:
        assert sorted(found) == [
            "c",
            "label",
            *(f"y[{i}].{k}" for i in (0, 1) for k in ("keys", "values")),
        ]
        assert sorted(found["y[0].keys"]) == ["", "a", "b", "ä"]
        assert found["y[1].values"].sum() == pytest.approx(1.0)
    assert cli.main(["explain", "out"]) == 0


def test_values_that_differ_are_told_apart():
    one = np.ones(2, np.float32)
    for other in ([one], [one, one + 1], [one, None], None, one, {0: one}):
        (found,) = compare({"y": other}, {"y": [one, one]}, rtol=1e-5)
        assert not found.equal
        assert not found.close
    (found,) = compare({"y": [one, one]}, {"y": [one, one]})
    assert found.equal
    (found,) = compare({"y": {1: 0.5}}, {"y": {2: 0.5}}, rtol=1e-5)
    assert not found.close


def test_reading_values_needs_no_framework():
    code = "import sys; import autosplit.inputs.values; sys.exit('onnxruntime' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
