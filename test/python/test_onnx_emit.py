"""Writing sub-models, running them in ONNX Runtime, measuring shapes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import FuncOp, TargetAttr
from autosplit.dialects.device import ReturnOp as DeviceReturnOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import GraphOp, OnnxOp, constant_array, make_constant
from autosplit.formats.onnx import files as emitter
from autosplit.platforms import Measured, Model, load_model
from autosplit.platforms.onnx import PLATFORM
from autosplit.runtime.frameworks.onnx import OnnxExecutor
from autosplit.testing.models import model_path

RUNTIME = importlib.util.find_spec("onnxruntime") is not None
needs_runtime = pytest.mark.skipif(not RUNTIME, reason="needs onnxruntime: autosplit[run]")

REAL = {
    "pnet.onnx": {"input_1": [1, 40, 40, 3]},
    "onet.onnx": {"input_3": [2, 48, 48, 3]},
    "nmp.onnx": {"serving_default_input_2:0": [1, 43844, 1]},
    "320n.onnx": {"images": [1, 3, 160, 192]},
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": {"x": [1, 3, 48, 192]},
    "ch_PP-OCRv4_rec_infer.onnx": {"x": [1, 3, 48, 160]},
}


def feeds_for(shapes: dict[str, list[int]]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {name: random.random(shape, dtype=np.float32) for name, shape in shapes.items()}


def plain_run(path: Path, feeds: dict[str, np.ndarray], outputs: list[str]) -> list[np.ndarray]:
    """ONNX Runtime without any of our code, optimizations off."""
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return cast("list[np.ndarray]", session.run(outputs, feeds))


def info(name: str, shape: list[int | str], kind: int = TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def chain() -> ModelProto:
    """x -> relu -> If (which reads relu) -> top-k; a large weight and a small one."""
    weight = numpy_helper.from_array(np.arange(2048, dtype=np.float32).reshape(8, 256), "w")
    k = helper.make_tensor("k", TensorProto.INT64, [1], [3])
    body = {
        name: helper.make_graph(
            [helper.make_node(op, ["r"], [f"{name}_y"])], name, [], [info(f"{name}_y", [2, 8])]
        )
        for name, op in (("then_branch", "Neg"), ("else_branch", "Abs"))
    }
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], "relu"),
        helper.make_node("If", ["flag"], ["i"], "if", **body),
        helper.make_node("MatMul", ["i", "w"], ["m"], "matmul"),
        helper.make_node("TopK", ["m", "k"], ["top", "at"], "top"),
    ]
    inputs = [info("x", ["N", 8]), info("flag", [], TensorProto.BOOL)]
    outputs = [info("top", ["N", 3]), info("at", ["N", 3], TensorProto.INT64)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializer=[weight, k])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("mine", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=7, producer_name="test")


def load(tmp_path: Path, proto: ModelProto) -> Model:
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    return load_model(path)


def graph_of(model: Model) -> GraphOp:
    graph = model.module.body.block.first_op
    assert isinstance(graph, GraphOp)
    return graph


def outlined(model: Model) -> tuple[ModuleOp, FuncOp]:
    """The whole model as the only sub-model of a module."""
    graph = graph_of(model)
    names = [name for name, _ in graph.graph_inputs()]
    outputs = graph.graph_outputs()
    region = Region()
    graph.body.clone_into(region)
    block = region.block
    last = block.last_op
    assert last is not None
    values = list(last.operands)
    last.detach()
    last.erase()
    block.add_op(DeviceReturnOp(values))
    func = FuncOp("graph_0", TargetAttr.of("cpu"), names, [name for name, _ in outputs], region)
    module = ModuleOp([func], dict(model.module.attributes))
    module.verify()
    return module, func


@needs_runtime
@pytest.mark.parametrize("name", REAL)
def test_an_emitted_real_model_computes_the_same_bits(name: str, tmp_path: Path):
    path = model_path(name)
    model = load_model(path)
    feeds = feeds_for(REAL[name])
    PLATFORM.prepare(model, {n: list(a.shape) for n, a in feeds.items()}, [])
    module, func = outlined(model)
    outputs = [n.data for n in func.output_names]
    found = PLATFORM.emit(module, func, model.store, tmp_path, "graph_0")
    assert found == {"model_path": "graph_0.onnx"}
    onnx.checker.check_model(tmp_path / "graph_0.onnx")
    computed = PLATFORM.executor(found, tmp_path).run(feeds, outputs)
    expected = plain_run(path, feeds, outputs)
    for output, array in zip(outputs, expected, strict=True):
        assert computed[output].tobytes() == array.tobytes(), output


@needs_runtime
@pytest.mark.parametrize("name", ["pnet.onnx", "320n.onnx"])
def test_optimizations_can_be_turned_on(name: str):
    path = model_path(name)
    feeds = feeds_for(REAL[name])
    off = OnnxExecutor(path)
    on = OnnxExecutor(path, optimize=True).run(feeds, off.output_names)
    for output, array in off.run(feeds, off.output_names).items():
        np.testing.assert_allclose(on[output], array, rtol=1e-4, atol=1e-4 * np.abs(array).max())


def test_a_sub_model_has_the_originals_versions_nodes_and_bytes(tmp_path: Path):
    model = load(tmp_path, chain())
    module, func = outlined(model)
    PLATFORM.emit(module, func, model.store, tmp_path, "graph_0")
    data = (tmp_path / "graph_0.onnx").read_bytes()
    proto = ModelProto.FromString(data)
    original = chain()
    assert proto.ir_version == original.ir_version
    assert list(proto.opset_import) == list(original.opset_import)
    assert list(proto.graph.node) == list(original.graph.node)
    assert list(proto.graph.initializer) == list(original.graph.initializer)
    # A CPU sub-model with bodies leaves sizes open; `open_sizes` in the writer says why.
    assert [i.name for i in proto.graph.input] == [i.name for i in original.graph.input]
    for made, first in zip(proto.graph.input, original.graph.input, strict=True):
        assert made.type.tensor_type.elem_type == first.type.tensor_type.elem_type
        assert len(made.type.tensor_type.shape.dim) == len(first.type.tensor_type.shape.dim)
    assert list(proto.graph.output) == list(original.graph.output)
    onnx.checker.check_model(proto, full_check=True)
    PLATFORM.emit(module, func, model.store, tmp_path, "again")
    assert (tmp_path / "again.onnx").read_bytes() == data


@needs_runtime
def test_outputs_that_need_a_name_of_their_own_get_a_node(tmp_path: Path):
    store = WeightStore()
    x = make_constant("c", np.float32([1, -2]), store)
    block = Block(arg_types=[x.results[0].type])
    relu = make_node("Relu", [block.args[0]], ["y"], result_types=[x.results[0].type])
    ends = [relu.results[0], relu.results[0], block.args[0], x.results[0]]
    block.add_ops([x, relu, DeviceReturnOp(ends)])
    names = ["y", "twice", "through", "constant"]
    func = FuncOp("graph_0", TargetAttr.of("cpu"), ["in"], names, Region(block))
    attributes = load(tmp_path, chain()).module.attributes
    module = ModuleOp([func], dict(attributes))
    PLATFORM.emit(module, func, store, tmp_path, "graph_0")
    given = np.float32([-1, 3])
    found = OnnxExecutor(tmp_path / "graph_0.onnx").run({"in": given}, names)
    assert {n: a.tolist() for n, a in found.items()} == {
        "y": [0, 3],
        "twice": [0, 3],
        "through": [-1, 3],
        "constant": [1, -2],
    }


@needs_runtime
def test_models_over_the_limit_have_their_weights_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(emitter, "PROTO_LIMIT", 1000)
    model = load(tmp_path, chain())
    module, func = outlined(model)
    path = tmp_path / "graph_0.onnx"
    PLATFORM.emit(module, func, model.store, tmp_path, "graph_0")
    assert path.stat().st_size < 2000
    assert (tmp_path / "graph_0.onnx.data").stat().st_size == 2048 * 4
    again = load_model(path)
    weights = [op for op in graph_of(again).body.block.ops if isinstance(op, OnnxOp)]
    array = constant_array(weights[0].results[0], again.store)
    assert array is not None
    assert np.array_equal(array, np.arange(2048, dtype=np.float32).reshape(8, 256))
    feeds = {"x": np.float32(np.random.default_rng(1).standard_normal((2, 8)))}
    feeds["flag"] = np.array(True)
    for name in ("top", "at", "m"):
        expected = OnnxExecutor(tmp_path / "model.onnx").run(feeds, [name])[name]
        assert OnnxExecutor(path).run(feeds, [name])[name].tobytes() == expected.tobytes()


def test_a_missing_weight_is_named(tmp_path: Path):
    module, func = outlined(load(tmp_path, chain()))
    with pytest.raises(AutosplitError, match="'w'"):
        PLATFORM.emit(module, func, WeightStore(), tmp_path, "graph_0")


# The executor


@needs_runtime
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"y": np.zeros(1, np.float32)}, r"no input 'y' \(there are 'x', 'flag'\)"),
        ({"x": None}, "'x' is missing"),
        ({"x": np.zeros((2, 9), np.float32)}, r"'x' has the shape \[2, 9\], expected \['N', 8\]"),
        ({"x": np.zeros(8, np.float32)}, r"'x' has the shape \[8\]"),
        ({"x": np.zeros((2, 8))}, "'x' is of dtype float64, expected float32"),
    ],
)
def test_wrong_feeds_are_one_line(tmp_path: Path, change: dict[str, Any], said: str):
    load(tmp_path, chain())
    feeds: dict[str, Any] = {"x": np.zeros((2, 8), np.float32), "flag": np.array(True)} | change
    feeds = {n: a for n, a in feeds.items() if a is not None}
    with pytest.raises(AutosplitError, match=said) as error:
        OnnxExecutor(tmp_path / "model.onnx").run(feeds, ["top"])
    assert "\n" not in str(error.value)
    assert "model.onnx" in str(error.value)


@needs_runtime
def test_inner_values_can_be_asked_for_and_unknown_ones_are_named(tmp_path: Path):
    load(tmp_path, chain())
    executor = OnnxExecutor(tmp_path / "model.onnx")
    x = np.float32(np.random.default_rng(0).standard_normal((2, 8)))
    feeds = {"x": x, "flag": np.array(False)}
    found = executor.run(feeds, ["r", "top", "w"])
    assert np.array_equal(found["r"], np.maximum(x, 0))
    assert np.array_equal(found["w"].reshape(-1), np.arange(2048))
    with pytest.raises(AutosplitError, match=r"no tensor 'topp' \(did you mean 'top'\?\)"):
        executor.run(feeds, ["topp"])


@needs_runtime
def test_files_that_onnx_runtime_does_not_load_are_one_line(tmp_path: Path):
    proto = chain()
    proto.graph.node[0].op_type = "NoSuchOp"
    path = tmp_path / "bad.onnx"
    path.write_bytes(proto.SerializeToString())
    for where in (path, tmp_path / "missing.onnx"):
        with pytest.raises(AutosplitError) as error:
            OnnxExecutor(where)
        assert "\n" not in str(error.value)
        assert str(where) in str(error.value)


def test_without_onnx_runtime_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    model = load(tmp_path, chain())
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"autosplit\[run\]"):
        OnnxExecutor(tmp_path / "model.onnx")
    monkeypatch.delitem(sys.modules, "onnxruntime")
    monkeypatch.setattr("autosplit.runtime.frameworks.onnx.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'r'.*autosplit\[run\]"):
        PLATFORM.measure(model, {}, ["r"])


def test_reading_and_writing_needs_no_onnx_runtime(tmp_path: Path):
    load(tmp_path, chain())
    code = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from autosplit.platforms import load_model\n"
        "from autosplit.formats.onnx.files import write_model\n"
        "from pathlib import Path\n"
        "m = load_model(sys.argv[1]); write_model(m.module, m.store, Path(sys.argv[2]))\n"
    )
    copy = tmp_path / "copy.onnx"
    command = [sys.executable, "-c", code, str(tmp_path / "model.onnx"), str(copy)]
    subprocess.run(command, check=True)
    assert ModelProto.FromString(copy.read_bytes()) == chain()


# Measuring


@needs_runtime
def test_shapes_and_dtypes_are_measured(tmp_path: Path):
    model = load(tmp_path, chain())
    feeds = {"x": np.ones((2, 8), np.float32), "flag": np.array(True)}
    assert PLATFORM.measure(model, feeds, ["r", "i", "top", "at", "x", "w", "k"]).values == {
        "r": Measured((2, 8), "float32"),
        "i": Measured((2, 8), "float32"),
        "top": Measured((2, 3), "float32"),
        "at": Measured((2, 3), "int64"),
        "x": Measured((2, 8), "float32"),
        "w": Measured((8, 256), "float32"),
        "k": Measured((1,), "int64"),
    }
    model.path = None
    assert PLATFORM.measure(model, feeds, ["top"]).values["top"].shape == (2, 3)
    assert PLATFORM.measure(model, feeds, []).values == {}


@needs_runtime
def test_measuring_every_value_of_a_real_model_agrees_with_running_it():
    path = model_path("ch_ppocr_mobile_v2.0_cls_infer.onnx")
    model = load_model(path)
    feeds = feeds_for(REAL[path.name])
    names = [
        name
        for op in graph_of(model).body.block.ops
        if isinstance(op, OnnxOp) and not op.IS_CONSTANT
        for name in op.output_names
        if name
    ]
    measured = PLATFORM.measure(model, feeds, names).values
    arrays = OnnxExecutor(path).run(feeds, names)
    assert {n: (m.shape, m.dtype) for n, m in measured.items()} == {
        n: (a.shape, a.dtype.name) for n, a in arrays.items()
    }


@needs_runtime
@pytest.mark.parametrize(
    ("feeds", "names", "said"),
    [
        ({}, ["r"], "'x' is missing"),
        ({"x": (2, 7), "flag": ()}, ["r"], "shape"),
        ({"x": (2, 8), "flag": ()}, ["rr"], "no tensor 'rr'"),
    ],
)
def test_what_cannot_be_measured_is_one_line(
    tmp_path: Path, feeds: dict[str, tuple[int, ...]], names: list[str], said: str
):
    proto = chain()
    proto.graph.node.append(helper.make_node("SequenceConstruct", ["r"], ["sequence"]))
    model = load(tmp_path, proto)
    kinds = {"x": np.float32, "flag": np.bool_}
    given = {n: np.zeros(shape, kinds[n]) for n, shape in feeds.items()}
    with pytest.raises(AutosplitError, match=said) as error:
        PLATFORM.measure(model, given, names)
    assert "\n" not in str(error.value)


@needs_runtime
def test_what_is_no_tensor_is_not_measured(tmp_path: Path):
    proto = chain()
    proto.graph.node.append(helper.make_node("SequenceConstruct", ["r"], ["sequence"]))
    model = load(tmp_path, proto)
    given = {"x": np.zeros((2, 8), np.float32), "flag": np.bool_(False)}
    assert PLATFORM.measure(model, given, ["sequence"]).values == {}
    assert list(PLATFORM.measure(model, given, ["sequence", "r"]).values) == ["r"]
