"""Operands that no runtime takes are found by split, in one line; what runs is never refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.onnx.files import write_model
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.infer_shapes import infer_types
from autosplit.lowering.sizes.contradictions import contradiction
from autosplit.platforms import load_model
from autosplit.registry import make_context
from autosplit.runtime.frameworks.onnx import OnnxExecutor
from autosplit.testing.split import assert_equal, run_folder, run_whole

FLOAT, INT8, INT64 = 1, 3, 7
X = [1, 4, 8, 8]


def case(kind: str, *shapes: list[int], sizes: list[int] | None = None, **more: Any) -> Any:
    return pytest.param(kind, list(shapes), sizes, more, id=f"{kind}-{shapes[1:]}{sizes}{more}")


WRONG = [
    (case("Conv", X, [4, 3, 3, 3]), "the image has 4 channels, the kernel is for 3"),
    (case("Conv", X, [4, 4, 3, 3], group=2), "the kernel is for 8 in 2 groups"),
    (case("Conv", X, [6, 4, 3, 3], [5]), "the bias of 5 is for another number than 6 channels"),
    (case("Conv", X, [6, 4, 3]), "the image has 4 dimensions and the kernel 3"),
    (case("ConvTranspose", X, [3, 4, 3, 3]), "the image has 4 channels, the kernel is for 3"),
    (case("ConvTranspose", X, [4, 3, 2, 2], [4]), "another number than 3 channels"),
    (case("Add", X, [1, 3, 1, 1]), "sizes 3 and 4 do not broadcast"),
    (case("Mul", X, [7]), "sizes 7 and 8 do not broadcast"),
    (case("Sum", X, [4, 1, 1], [5, 1, 1]), "sizes 4 and 5 do not broadcast"),
    (case("Pow", X, [3, 8]), "sizes 3 and 8 do not broadcast"),
    (case("Max", X, [2, 1, 1]), "sizes 2 and 4 do not broadcast"),
    (case("PRelu", X, [3, 1, 1]), "the slope of 3x1x1 does not broadcast to 1x4x8x8"),
    (case("MatMul", X, [7, 2]), "the rows have 8 elements, the columns 7"),
    (case("MatMul", [2, 4, 8], [3, 8, 5]), "sizes 2 and 3 do not broadcast"),
    (case("Gemm", [2, 3], [5, 2]), "the rows have 3 elements, the columns 5"),
    (case("Gemm", [2, 3], [5, 4], transB=1), "the rows have 3 elements, the columns 4"),
    (case("Gemm", [2, 3], [3, 4], [5]), "the offset of 5 does not broadcast to 2x4"),
    (case("Concat", X, [1, 4, 8, 7], axis=1), "sizes 7 and 8 of dimension 3 differ"),
    (case("Concat", X, [1, 4, 8], axis=1), "joins tensors of 3 and 4 dimensions"),
    (case("BatchNormalization", X, *[[3]] * 4), "for another number than 4 channels"),
    (case("InstanceNormalization", X, [4], [3]), "operand 2 of 3 is for another number"),
    (case("LayerNormalization", X, [7]), "the scale or offset of 7 does not broadcast"),
    (case("Reshape", X, sizes=[1, 5]), "256 elements cannot make [1, 5]"),
    (case("Reshape", X, sizes=[3, -1]), "256 elements cannot make [3, -1]"),
    (case("Reshape", X, sizes=[0, 0, 0, 0, 0]), "copies a size that 1x4x8x8 does not have"),
    (case("Expand", X, sizes=[3, 8, 8]), "sizes 3 and 4 do not broadcast"),
    (case("Squeeze", X, sizes=[1]), "dimension 1 is of size 4, not 1"),
    (case("Split", X, sizes=[3], axis=1), "parts of [3] are not the size 4 of dimension 1"),
    (case("Transpose", X, perm=[0, 2, 1]), "perm [0, 2, 1] is not for 4 dimensions"),
    (case("Transpose", X, perm=[0, 1, 3, 3]), "does not name each of 4 dimensions once"),
    (case("Gather", X, sizes=[0], axis=5), "axis 5 is not one of 4 dimensions"),
    (case("Gather", X, sizes=[1, 7, -4], axis=1), "dimension 1 has no place 7, its size is 4"),
    (case("Gather", X, sizes=[-5], axis=1), "dimension 1 has no place -5"),
    (case("Softmax", X, axis=4), "axis 4 is not one of 4 dimensions"),
    (case("ArgMax", X, axis=-5), "axis -5 is not one of 4 dimensions"),
    (case("TopK", X, sizes=[9]), "dimension -1 has 8 elements, not 9"),
    (case("TopK", X, sizes=[1], axis=4), "axis 4 is not one of 4 dimensions"),
    (case("LSTM", [5, 1, 3], [1, 16, 7], [1, 16, 4], hidden_size=4), "inputs have 3 elements"),
    (case("GRU", [5, 1, 3], [1, 12, 3], [1, 16, 4], hidden_size=4), "not for one hidden size"),
]
RIGHT = [
    case("Conv", X, [4, 2, 3, 3], [4], group=2),
    case("ConvTranspose", X, [4, 3, 2, 2], [6], group=2),
    case("Add", X, [2, 1, 1, 1]),
    case("Sum", X, [4, 1, 1], []),
    case("PRelu", X, [4, 1, 1]),
    case("MatMul", X, [8]),
    case("MatMul", [8], [2, 8, 3]),
    case("MatMul", [2, 1, 4, 8], [3, 8, 5]),
    case("Gemm", [3, 2], [5, 3], [2, 1], transA=1, transB=1),
    case("Concat", X, [1, 0, 8, 8], axis=-3),
    case("BatchNormalization", X, *[[4]] * 4),
    case("InstanceNormalization", X, [4], [4]),
    case("LayerNormalization", X, [8, 8], [8, 8], axis=2),
    case("Reshape", X, sizes=[0, -1, 2]),
    case("Reshape", [0, 3], sizes=[3, 0], allowzero=1),
    case("Expand", [4, 1], sizes=[2, 1, 8]),
    case("Squeeze", X, sizes=[-4]),
    case("Split", X, sizes=[4], axis=-3),
    case("Transpose", X, perm=[3, 1, 0, 2]),
    case("Gather", X, sizes=[3, -4], axis=-3),
    case("Gather", [0, 3], sizes=[], axis=0),
    case("Softmax", X, axis=-4),
    case("ArgMax", X, axis=3),
    case("LSTM", [5, 1, 3], [1, 16, 3], [1, 16, 4], hidden_size=4),
]


def write(
    path: Path, kind: str, shapes: list[list[Any]], sizes: list[int] | None, more: dict[str, Any]
) -> None:
    """A model of one op behind a Relu, with weights of these shapes."""
    names = [f"w{i}" for i in range(1, len(shapes))]
    weights = [
        numpy_helper.from_array(np.ones(s, np.float32), n)
        for s, n in zip(shapes[1:], names, strict=True)
    ]
    if sizes is not None:
        names.append("sizes")
        weights.append(numpy_helper.from_array(np.array(sizes, np.int64), "sizes"))
    given = ["y", "places"] if kind == "TopK" else ["y"]
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], name="relu"),
        helper.make_node(kind, ["r", *names], given, name="culprit", **more),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, shapes[0])],
        [helper.make_empty_tensor_value_info("y")],
        weights,
    )
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def found_in(path: Path) -> str | None:
    model = load_model(path)
    model.platform.prepare(model, {}, [])
    return contradiction(model.module, infer_types(make_context(), model.module))


@pytest.mark.parametrize(("kind", "shapes", "sizes", "more", "reason"), [
    pytest.param(*one.values, reason, id=one.id) for one, reason in WRONG
])  # fmt: skip
def test_what_does_not_fit_is_found(
    kind: str,
    shapes: list[list[Any]],
    sizes: list[int] | None,
    more: dict[str, Any],
    reason: str,
    tmp_path: Path,
):
    path = tmp_path / "m.onnx"
    write(path, kind, shapes, sizes, more)
    text = found_in(path)
    assert text is not None
    assert text.startswith(f"{kind} 'culprit' does not fit its operands, 'r' of ")
    assert reason in text
    if kind not in ("Expand", "Reshape", "Split", "Squeeze") and not reason.startswith(
        "dimension "
    ):
        model = load_model(path)
        infer_types(make_context(), model.module)
        with pytest.raises(VerifyException, match=re.escape(reason)):
            model.module.verify()
    # The runtime takes it neither.
    with pytest.raises(AutosplitError):
        OnnxExecutor(path).run({"x": np.ones(shapes[0], np.float32)}, ["y"])


@pytest.mark.parametrize(("kind", "shapes", "sizes", "more"), RIGHT)
def test_what_runs_is_not_refused(
    kind: str,
    shapes: list[list[Any]],
    sizes: list[int] | None,
    more: dict[str, Any],
    tmp_path: Path,
):
    path = tmp_path / "m.onnx"
    write(path, kind, shapes, sizes, more)
    OnnxExecutor(path).run({"x": np.ones(shapes[0], np.float32)}, ["y"])
    assert found_in(path) is None


def test_split_says_it_in_one_line(tmp_path: Path):
    path = tmp_path / "m.onnx"
    write(path, "Conv", [["n", 4, "h", "w"], [6, 3, 3, 3]], None, {})
    spec = {"x": InputSpec((1, 4, 8, 8))}
    with pytest.raises(AutosplitError) as error:
        split_model(SplitOptions(path, tmp_path / "out", spec))
    assert str(error.value) == (
        f"{path}: Conv 'culprit' does not fit its operands, 'r' of 1x4x8x8 f32, 'w1' of 6x3x3x3 f32: "
        "the image has 4 channels, the kernel is for 3"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["m.onnx"]


def test_what_runs_although_its_file_is_wrong_is_cut(tmp_path: Path):
    """The file declares a size of an op of another domain that it does not have."""
    nodes = [
        helper.make_node("Gelu", ["x"], ["g"], name="gelu", domain="com.microsoft"),
        helper.make_node("MatMul", ["g", "w"], ["y"], name="mul"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2, 8])],
        [helper.make_tensor_value_info("y", FLOAT, [2, 3])],
        [numpy_helper.from_array(np.ones((8, 3), np.float32), "w")],
        value_info=[helper.make_tensor_value_info("g", FLOAT, [2, 7])],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    split_model(SplitOptions(path, tmp_path / "out"))
    assert (tmp_path / "out" / "graph_infos.json").is_file()


def write_hidden(path: Path) -> onnx.ModelProto:
    """A model whose file declares a wrong size, which contradicts a weight only behind another op."""
    nodes = [
        helper.make_node("Gelu", ["x"], ["g"], name="gelu", domain="com.microsoft"),
        helper.make_node("Relu", ["g"], ["r"], name="relu"),
        helper.make_node("MatMul", ["r", "w"], ["m"], name="mul"),
        helper.make_node("Relu", ["m"], ["y"], name="last"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2, 8])],
        [helper.make_tensor_value_info("y", FLOAT, [2, 3])],
        [numpy_helper.from_array(np.ones((8, 3), np.float32), "w")],
        value_info=[helper.make_tensor_value_info("g", FLOAT, [2, 7])],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.save(model, path)
    return model


def test_a_wrong_size_that_shows_behind_another_op(tmp_path: Path):
    path = tmp_path / "m.onnx"
    write_hidden(path)
    cut = split_model(SplitOptions(path, tmp_path / "out"))
    cut.module.verify()
    x = np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 8)
    wanted = run_whole(path, {"x": x}, ["y"])
    assert_equal(run_folder(tmp_path / "out", {"x": x}), wanted)


def test_what_a_file_declares_against_its_weights_is_kept_but_not_believed(tmp_path: Path):
    path = tmp_path / "m.onnx"
    proto = write_hidden(path)
    proto.graph.value_info.append(helper.make_tensor_value_info("r", FLOAT, [2, 7]))
    onnx.save(proto, path)
    model = load_model(path)
    model.module.verify()
    write_model(model.module, model.store, tmp_path / "again.onnx")
    again = onnx.load(tmp_path / "again.onnx")
    assert {i.name: i for i in again.graph.value_info} == {
        i.name: i for i in proto.graph.value_info
    }


def test_an_op_newer_than_its_opset_is_refused(tmp_path: Path):
    path = tmp_path / "m.onnx"
    write(path, "GridSample", [X, [1, 2, 2, 2]], None, {})
    model = onnx.load(path)
    model.opset_import[0].version = 15
    onnx.save(model, path)
    with pytest.raises(
        AutosplitError, match=r"'culprit'.*: is of opset 16, the model of opset 15$"
    ):
        split_model(SplitOptions(path, tmp_path / "out"))
    with pytest.raises(AutosplitError):
        OnnxExecutor(path)


def test_sizes_that_are_open_fit_anything(tmp_path: Path):
    path = tmp_path / "m.onnx"
    write(path, "MatMul", [["n", "m"], [8, 3]], None, {})
    assert found_in(path) is None


@pytest.mark.nightly
def test_no_false_alarm_on_the_cases_of_onnx(tmp_path: Path):
    from onnx.backend.test.case.node import collect_testcases

    path = tmp_path / "m.onnx"
    looked_at, alarms = 0, dict[str, str]()
    for one in collect_testcases(None):
        if one.model is None or one.model.opset_import[0].version < 7:
            continue
        path.write_bytes(one.model.SerializeToString())
        looked_at += 1
        if (text := found_in(path)) is not None:
            alarms[one.name] = text
    assert not alarms
    assert looked_at > 1500


@pytest.mark.parametrize("kind", ["Gather", "Split", "TopK"])
def test_a_first_operand_that_is_left_out_is_one_line(kind: str, tmp_path: Path):
    """The second one, of one dimension, does not take its place."""
    outputs = ["y", "places"] if kind == "TopK" else ["y"]
    node = helper.make_node(kind, ["", "sizes"], outputs, axis=2)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, X)],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(np.array([1]), "sizes")],
    )
    path = tmp_path / "model.onnx"
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    with pytest.raises(AutosplitError, match="it has no first operand"):
        split_model(SplitOptions(path, tmp_path / "out"))
