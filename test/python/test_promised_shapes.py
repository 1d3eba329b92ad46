"""`--shape`: what a user promises of tensors whose sizes do not follow from the model, and who checks it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.options import parse_shapes
from autosplit.inputs.specs import InputSpec
from autosplit.runtime.runner import Runner
from autosplit.testing.split import run_whole
from autosplit.tools.cli.main import main

FLOAT = TensorProto.FLOAT


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A net behind as many rows as the input has elements that are not 0: sizes that nobody knows."""
    random = np.random.default_rng(0)
    constants = {
        "w": random.normal(size=(32, 3)).astype(np.float32),
        "v": random.normal(size=(32, 32)).astype(np.float32),
    }
    nodes = [
        helper.make_node("NonZero", ["x"], ["found"]),
        helper.make_node("Cast", ["found"], ["floats"], to=FLOAT),
        helper.make_node("Transpose", ["floats"], ["rows"], perm=[1, 0]),
        helper.make_node("Gemm", ["rows", "w"], ["a"], transB=1),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("MatMul", ["b", "v"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2, 3, 4])],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    path = tmp_path / "m.onnx"
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def rows(count: int):
    x = np.zeros(24, np.float32)
    x[:count] = 1
    return {"x": x.reshape(2, 3, 4)}


def split(model: Path, out: Path, **shapes: tuple[int, ...]):
    options = SplitOptions(model, out, {"x": InputSpec.of(rows(5)["x"])}, shapes=shapes)
    return split_model(options)


def devices(folder: Path) -> list[str]:
    return [g["device"] for g in json.loads((folder / "graph_infos.json").read_text())["graphs"]]


def test_what_makes_it_stays_on_the_cpu(tmp_path: Path):
    """A Reshape to computed sizes could be one to fixed sizes for the chip, which nobody would look at."""
    text = """<ir_version: 8, opset_import: ["": 17]>
        g (float[2,3,4] x) => (float[M,N] y)
        <float[2,3,1] w = {1,2,3,4,5,6}, int64[1] one = {1}, int64[1] all = {16}> {
            c = Conv(x, w)
            n = ReduceMax <keepdims=0> (x)
            i = Cast <to=7> (n)
            j = Reshape(i, one)
            k = Div(all, j)
            s = Concat <axis=0> (j, k)
            rows = Reshape(c, s)
            y = Softmax(rows)
        }"""
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    x = np.full((2, 3, 4), 4, np.float32)
    options = SplitOptions(path, tmp_path / "out", {"x": InputSpec.of(x)}, shapes={"rows": (4, 4)})
    split_model(options)
    assert devices(tmp_path / "out") == ["tpu", "cpu"]
    runner = Runner(tmp_path / "out", 0)
    (wanted,) = run_whole(path, {"x": x}, ["y"]).values()
    np.testing.assert_array_equal(runner.infer({"x": x})["y"], wanted)
    with pytest.raises(AutosplitError, match=r"promised \[4, 4\], found \[8, 2\]"):
        runner.infer({"x": x * 2})


def test_a_promise_brings_work_to_the_tpu(model: Path, tmp_path: Path):
    split(model, tmp_path / "without")
    assert devices(tmp_path / "without") == ["cpu"]
    split(model, tmp_path / "with", rows=(5, 3))
    assert devices(tmp_path / "with") == ["cpu", "tpu"]
    (wanted,) = run_whole(model, rows(5), ["y"]).values()
    (got,) = Runner(tmp_path / "with", 0).infer(rows(5)).values()
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("tensor", ["rows", "found", "floats"])
def test_the_runner_checks_a_promise(model: Path, tmp_path: Path, tensor: str):
    """Whether or not the tensor would leave its sub-model."""
    shape = (5, 3) if tensor == "rows" else (3, 5)
    split(model, tmp_path / "out", **{tensor: shape})
    runner = Runner(tmp_path / "out", 0)
    assert runner.infer(rows(5))["y"].shape == (5, 32)
    found = [4, 3] if tensor == "rows" else [3, 4]
    line = f"tensor {tensor!r}: --shape promised {list(shape)}, found {found}; split again"
    with pytest.raises(AutosplitError, match=re.escape(line)):
        runner.infer(rows(4))


OPEN = """<ir_version: 8, opset_import: ["": 17]>
    g (float[1,3,H,W] x) => (float[A,B,C,D] y)
    <int64[4] all = {1, 8, 6, 6}> {
        c = Conv <strides=[2,2], pads=[1,1,1,1]> (x, w)
        r = Relu(c)
        y = Resize(r, , , all)
    }"""


def open_model(path: Path) -> Path:
    model = onnx.parser.parse_model(OPEN)
    weight = np.random.default_rng(1).normal(size=(8, 3, 3, 3)).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weight, "w"))
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("varying", [(), (3,)])
def test_a_size_that_varies_cannot_be_promised(tmp_path: Path, varying: tuple[int, ...]):
    """It would hold for the largest inputs only, and end every other run."""
    path = open_model(tmp_path / "m.onnx")
    spec = InputSpec((1, 3, 32, 24), varying=varying)
    options = SplitOptions(path, tmp_path / "out", {"x": spec}, dynamic=True)
    sizes, smaller = ("1,8,16,6", "1,3,32,12") if varying else ("1,8,8,6", "1,3,16,12")
    line = f"--shape r=1,8,16,12: follows from the model to be {sizes} where 'x' is {smaller}, and a promise"
    with pytest.raises(AutosplitError, match=re.escape(line)):
        split_model(replace(options, shapes={"r": (1, 8, 16, 12)}))
    assert not (tmp_path / "out").exists()
    # What does not vary may be promised, though it needs no promise.
    split_model(replace(options, shapes={"y": (1, 8, 6, 6)}))
    x = np.random.default_rng(2).random((1, 3, 32, 13)).astype(np.float32)
    (wanted,) = run_whole(path, {"x": x}, ["y"]).values()
    np.testing.assert_array_equal(Runner(tmp_path / "out", 0).infer({"x": x})["y"], wanted)


def test_sizes_by_the_data_may_be_promised_where_others_vary(tmp_path: Path):
    text = """<ir_version: 8, opset_import: ["": 17]>
        g (float[N] x) => (float[M,K] y)
        <float[4,1] w = {1,2,3,4}> {
            f = NonZero(x)
            t = Transpose <perm=[1,0]> (f)
            c = Cast <to=1> (t)
            y = Gemm <transB=1> (c, w)
        }"""
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    options = SplitOptions(path, tmp_path / "out", {"x": InputSpec((8,))}, dynamic=True)
    split_model(replace(options, shapes={"c": (2, 1)}))
    runner = Runner(tmp_path / "out", 0)
    for size in (8, 5):
        x = np.zeros(size, np.float32)
        x[1:3] = 1
        assert runner.infer({"x": x})["y"].shape == (2, 4)
    with pytest.raises(AutosplitError, match=r"promised \[2, 1\], found \[3, 1\]"):
        runner.infer({"x": np.ones(3, np.float32)})


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ({"row": (5, 3)}, "--shape row=5,3: there is no tensor 'row' (did you mean 'rows'?)"),
        ({"rows": (5, 4)}, "--shape rows=5,4: follows from the model to be ?,3"),
        ({"rows": (5,)}, "--shape rows=5: follows from the model to be ?,3"),
        ({"y": (5, 32), "rows": (6, 3)}, "--shape y=5,32: follows from the model to be 6,32"),
    ],
)
def test_mistakes(model: Path, tmp_path: Path, shapes: dict, expected: str):
    with pytest.raises(AutosplitError, match=re.escape(expected)):
        split(model, tmp_path / "out", **shapes)
    assert not (tmp_path / "out").exists()


def test_what_follows_anyway_needs_no_promise(model: Path, tmp_path: Path):
    split(model, tmp_path / "out", w=(32, 3))
    infos = json.loads((tmp_path / "out" / "graph_infos.json").read_text())
    assert "promised" not in infos["autosplit"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["rows"], "--shape rows: expected TENSOR=SIZES, as in crops:0=300,14,14,576"),
        (["rows=5,?"], "--shape rows=5,?: expected TENSOR=SIZES"),
        (["=5"], "--shape =5: expected TENSOR=SIZES"),
        (["rows=5,3", "rows=5,3"], "--shape rows: appears twice"),
    ],
)
def test_spelling(texts: list[str], expected: str):
    with pytest.raises(AutosplitError, match=re.escape(expected)):
        parse_shapes(texts)


def test_command_line(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert parse_shapes(["a=b:0=1, 2", "scalar="]) == {"a=b:0": (1, 2), "scalar": ()}
    out = tmp_path / "out"
    assert main(["split", str(model), "--shape", "rows=5,3", "-o", str(out)]) == 0
    assert "5x3 f32, promised" in capsys.readouterr().out
    assert main(["explain", str(model), "--shape", "rows=5,3", "--op", "rows"]) == 0
    assert "gives rows: tensor<5x3xf32>" in capsys.readouterr().out
