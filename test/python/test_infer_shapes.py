"""infer-shapes against the shapes that ONNX Runtime gives, and what it says of sizes that depend on data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f32,
    i64,
)

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import (
    DimsAttr,
    UnknownType,
    element_type,
    platform_graph,
    static_shape,
    value_name,
)
from autosplit.flows.splitting.platform_prepare import PlatformPreparePass
from autosplit.lowering.infer_shapes import InferShapesPass
from autosplit.lowering.infer_shapes.promises import infer_promised
from autosplit.lowering.shared.types import contradicts, join, measurable
from autosplit.lowering.sizes.data_dependent import data_dependent
from autosplit.platforms import load_model
from autosplit.registry import make_context
from autosplit.testing.models import model_path

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs, outputs, **attributes)


def load(folder: Path, nodes, inputs, outputs, constants=None, infos=(), opset=17):
    initializers = [numpy_helper.from_array(a, n) for n, a in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers, value_info=list(infos))
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("my.ops", 1)]
    path = folder / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), path)
    return load_model(path)


def infer(model, inputs=""):
    if inputs:
        PlatformPreparePass((inputs,)).apply(Context(), model.module)
    InferShapesPass().apply(Context(), model.module)
    graph = platform_graph(model.module)
    return {value_name(r): r.type for op in graph.body_ops() for r in op.results}


def test_symbolic_sizes_keep_their_names(tmp_path: Path):
    model = load(
        tmp_path,
        [node("Relu", ["x"], ["r"]), node("Transpose", ["r"], ["y"], perm=[1, 0, 2])],
        [value("x", ["N", 3, "T"])],
        [value("y", None)],
    )
    found = infer(model)
    names = DimsAttr(ArrayAttr([StringAttr(""), StringAttr("N"), StringAttr("T")]))
    assert found["y"] == TensorType(f32, [3, DYNAMIC_INDEX, DYNAMIC_INDEX], names)
    again = infer(model, "x=2x3x5")
    assert again["y"] == TensorType(f32, [3, 2, 5])


def test_the_module_itself_is_not_rewritten(tmp_path: Path):
    model = load(
        tmp_path,
        [
            node("Shape", ["x"], ["s"]),
            node("Dropout", ["x"], ["d"]),
            node("Squeeze", ["d"], ["q"], axes=[0]),
            node("Reshape", ["q", "s"], ["y"]),
        ],
        [value("x", [1, 3, 4])],
        [value("y", None)],
        opset=11,
    )
    found = infer(model)
    assert [op.op_type for op in platform_graph(model.module).body_ops()[:-1]] == [
        "Shape",
        "Dropout",
        "Squeeze",
        "Reshape",
    ]
    assert static_shape(found["q"]) == (3, 4)
    assert static_shape(found["y"]) == (1, 3, 4)


def test_a_declared_shape_that_contradicts_gives_way(tmp_path: Path):
    """As in a runtime: exporters often get the shapes of outputs wrong."""
    model = load(
        tmp_path,
        [node("Relu", ["x"], ["r"]), node("Relu", ["r"], ["y"])],
        [value("x", [1, 3, 4])],
        [value("y", [1, 3])],
        infos=[value("r", [1, 3, 5])],
    )
    found = infer(model)
    assert static_shape(found["r"]) == (1, 3, 4)
    assert static_shape(found["y"]) == (1, 3, 4)


def test_a_declared_dtype_that_contradicts_is_an_error(tmp_path: Path):
    model = load(
        tmp_path,
        [node("Relu", ["x"], ["r"]), node("Relu", ["r"], ["y"])],
        [value("x", [1, 3, 4])],
        [value("y", None)],
        infos=[helper.make_tensor_value_info("r", TensorProto.DOUBLE, [1, 3, 4])],
    )
    with pytest.raises(AutosplitError, match=r"'r' is declared as tensor<1x3x4xf64>.*1x3x4xf32"):
        infer(model)


def test_what_a_model_declares_beyond_the_inference_is_used(tmp_path: Path):
    """Nothing is known of a foreign op but what the model says; what follows from that is inferred."""
    model = load(
        tmp_path,
        [helper.make_node("Magic", ["x"], ["m"], domain="my.ops"), node("Relu", ["m"], ["y"])],
        [value("x", [1, 3])],
        [value("y", None)],
        infos=[value("m", [7, 2])],
    )
    assert static_shape(infer(model)["y"]) == (7, 2)


def test_bodies_get_types(tmp_path: Path):
    body = helper.make_graph(
        [node("Add", ["x", "a"], ["b"]), node("Identity", ["c"], ["c2"])],
        "body",
        [value("i", [], INT64), value("c", [], TensorProto.BOOL), value("a", [2, 3])],
        [value("c2", [], TensorProto.BOOL), value("b", [2, 3])],
    )
    model = load(
        tmp_path,
        [node("Loop", ["n", "", "x"], ["y"], body=body)],
        [value("x", [2, 3]), value("n", [], INT64)],
        [value("y", None)],
    )
    infer(model)
    (loop, _) = platform_graph(model.module).body_ops()
    ((_, graph),) = loop.graphs
    assert static_shape(graph.body_ops()[0].results[0].type) == (2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y=1x3", "the model has no input 'y'; it has 'x'"),
        ("x", "--input x: expected a shape, as in NAME="),
        ("x=1xax3", "--input x=1xax3: expected a shape"),
        ("x=2x4", "'x' is declared as Nx3: dimension 1 is 3, not 4"),
        ("x=2x3x1", "2x3x1 has 3"),
    ],
)
def test_bad_input_shapes(tmp_path: Path, text: str, message: str):
    model = load(tmp_path, [node("Relu", ["x"], ["r"])], [value("x", ["N", 3])], [value("r", None)])
    with pytest.raises(AutosplitError, match=message):
        infer(model, text)


def test_join_never_loses_what_is_known():
    known, open_ = TensorType(f32, [2, -1]), TensorType(f32, [-1, 3])
    assert join(known, open_) == TensorType(f32, [2, 3])
    assert join(UnknownType(), known) == known
    assert join(known, UnknownType()) == known
    assert join(known, UnrankedTensorType(f32)) == known
    assert join(UnrankedTensorType(f32), known) == known
    assert join(known, TensorType(f32, [5, 3])) == known
    assert contradicts(known, TensorType(f32, [5, 3]))
    assert contradicts(known, TensorType(i64, [2, 3]))
    assert contradicts(known, TensorType(f32, [2]))
    assert contradicts(known, UnrankedTensorType(i64))
    assert not contradicts(known, open_)
    assert measurable(UnknownType())
    assert not measurable(i64)


def test_data_dependence(tmp_path: Path):
    """Of a size that comes out of data; not of one that comes out of a shape; until it is fixed again."""
    nodes = [
        node("NonZero", ["x"], ["nz"]),
        node("Transpose", ["nz"], ["t"]),
        node("Shape", ["t"], ["ts"]),
        node("Cast", ["ts"], ["tf"], to=FLOAT),
        node("Shape", ["x"], ["xs"]),
        node("ReduceProd", ["xs"], ["size"], keepdims=1),
        node("ConstantOfShape", ["size"], ["zeros"]),
        node("ConstantOfShape", ["k"], ["many"]),
        node("Reshape", ["many", "minus"], ["flat"]),
        node("ReduceSum", ["flat"], ["sum"]),
        node("TopK", ["flat", "one"], ["top", "at"]),
        node("Where", ["q", "x", "x"], ["w"]),
    ]
    model = load(
        tmp_path,
        nodes,
        [value("x", ["N", 3]), value("k", [1], INT64), value("q", ["N", 3], TensorProto.BOOL)],
        [value(n, None) for n in ("tf", "zeros", "sum", "w", "top")],
        {"minus": np.array([-1], np.int64), "one": np.array([1], np.int64)},
    )
    infer(model)
    expected = ["flat", "many", "nz", "t"]
    assert sorted(value_name(v) for v in data_dependent(model.module)) == expected


def shapes_of_all_values(path: Path, feeds):
    """Every value's shape and dtype, as ONNX Runtime computes them."""
    ort = pytest.importorskip("onnxruntime")
    proto = onnx.load(path)
    names = [o for n in proto.graph.node for o in n.output if o and n.op_type != "Constant"]
    known = {o.name for o in proto.graph.output}
    proto.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names if n not in known)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(proto.SerializeToString(), options, ["CPUExecutionProvider"])
    outputs = [o.name for o in session.get_outputs()]
    return dict(zip(outputs, session.run(outputs, feeds), strict=True))


REAL = {
    "320n.onnx": (1, 3, 256, 320),
    "centerface.onnx": (10, 3, 32, 32),
    "ch_PP-OCRv4_det_infer.onnx": (2, 3, 96, 128),
    "ch_PP-OCRv4_rec_infer.onnx": (3, 3, 48, 96),
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": (2, 3, 48, 192),
    "nmp.onnx": (2, 43844, 1),
    "onet.onnx": (2, 48, 48, 3),
    "pnet.onnx": (1, 30, 17, 3),
    "rnet.onnx": (3, 24, 24, 3),
}


@pytest.mark.parametrize("name", REAL)
def test_real_models_have_the_shapes_that_onnx_runtime_computes(name: str):
    path = model_path(name)
    model = load_model(path)
    ((graph_input, _),) = platform_graph(model.module).graph_inputs()
    shape = REAL[name]
    feeds = {graph_input: np.random.default_rng(0).random(shape).astype(np.float32)}
    types = infer(model, f"{graph_input}={'x'.join(map(str, shape))}")
    for value_, array in shapes_of_all_values(path, feeds).items():
        assert static_shape(types[value_]) == array.shape, value_
        assert dtype_of(element_type(types[value_])) == array.dtype, value_
    assert not data_dependent(model.module)


def test_tensorflow_detector():
    """Behind the preprocessor, every size of the convolutional part follows from the image's."""
    pytest.importorskip("autosplit.lowering.convert_tf_to_onnx")
    model = load_model(model_path("frozen_inference_graph.pb"))
    model.platform.prepare(model, {"image_tensor": (1, 300, 300, 3)}, [])
    types = infer(model)
    dependent = {value_name(v) for v in data_dependent(model.module)}
    assert any("NonMaxSuppression" in name for name in dependent)
    assert not any(name.startswith("FeatureExtractor") for name in dependent)
    assert static_shape(types["image_tensor:0"]) == (1, 300, 300, 3)


def test_declared_sizes_that_depend_on_data_are_not_believed(tmp_path: Path):
    """A file may hold what an exporter saw once; what an op implies is inferred again."""
    model = load(
        tmp_path,
        [
            node("NonZero", ["x"], ["n"]),
            node("Transpose", ["n"], ["t"]),
            node("Gather", ["t", "two"], ["g"]),
            # The sizes are elements of an input.
            node("Reshape", ["x", "sizes"], ["r"]),
            node("Compress", ["x", "keep"], ["c"], axis=0),
            # These are the sizes of one.
            node("Shape", ["x"], ["s"]),
            node("Reshape", ["x", "s"], ["f"]),
            node("Magic", ["n"], ["m"], domain="my.ops"),
        ],
        [
            value("x", [4, 2, 1, 1]),
            value("sizes", [2], INT64),
            value("keep", [4], TensorProto.BOOL),
        ],
        [
            value("g", [2, 4], INT64),
            value("r", [4, 2]),
            value("c", [3, 2, 1, 1]),
            value("f", [4, 2, 1, 1]),
            value("m", [7]),
        ],
        {"two": np.array([0, 1])},
        [value("n", [4, 2], INT64), value("t", [2, 4], INT64)],
    )
    found = {name: str(type) for name, type in infer(model).items()}
    assert found["n"] == "tensor<4x?xi64>"
    assert found["t"] == "tensor<?x4xi64>"
    assert found["g"] == "tensor<2x4xi64>"
    assert found["r"] == "tensor<?x?xf32>"
    assert found["c"] == "tensor<?x2x1x1xf32>"
    assert found["f"] == "tensor<4x2x1x1xf32>"
    # Only the model can tell.
    assert found["m"] == "tensor<7xf32>"
    promised = infer_promised(make_context(), model.module, {"n": [4, 5]})
    types = {
        value_name(r): str(r.type) for op in platform_graph(promised).body_ops() for r in op.results
    }
    assert (types["n"], types["t"]) == ("tensor<4x5xi64>", "tensor<5x4xi64>")
