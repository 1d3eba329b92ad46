"""convert-onnx-to-dnnl and back: the same numbers in ONNX Runtime, and in the library itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import OP_TABLE, DnnlOp
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_onnx_to_top.check import top_level_ops
from autosplit.lowering.dnnl.convert_dnnl_to_onnx import INVERSES, convert_back
from autosplit.lowering.dnnl.convert_onnx_to_dnnl import UNMAPPED, convert
from autosplit.lowering.dnnl.table import CONVERTERS, Mapped
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.quant.convert_onnx_to_quant import ConvertOnnxToQuantPass
from autosplit.lowering.quant.split_dequant import QuantSplitDequantPass
from autosplit.platforms import Model, load_model
from autosplit.registry import make_context
from autosplit.testing import qdq_models
from autosplit.testing.models import QUANTIZED
from autosplit.testing.quantize import quantized_model

ort = pytest.importorskip("onnxruntime")

RANDOM = np.random.default_rng(23)
F = np.float32
X = RANDOM.standard_normal((2, 4, 6, 5)).astype(F)
FIRST = (3, 2)
LATER = (3, 99)
GELU = OP_TABLE["GELU"].attrs["mode"].since


class Graph:
    """An ONNX model of one input `x` in the making; each call gives the name of a new value."""

    def __init__(self, x: np.ndarray = X, symbolic: bool = False):
        self.x = x
        self.symbolic = symbolic
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def c(self, value, dtype=F) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.array(value, dtype)
        return name

    def r(self, *shape: int) -> str:
        return self.c(RANDOM.standard_normal(shape))

    def __call__(self, kind: str, *inputs: str, **attributes) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"n_{name}", **attributes))
        return name

    def qdq(self, x: str, scale=0.05, zero=128, dtype=np.uint8) -> str:
        s, z = self.c(scale), self.c(zero, dtype)
        return self("DequantizeLinear", self("QuantizeLinear", x, s, z), s, z)

    def weights(self, *shape: int, axis: int | None = 0, dtype=np.int8, zero=0) -> str:
        low, high = (-63, 64) if dtype == np.int8 else (64, 192)
        q = self.c(RANDOM.integers(low, high, shape), dtype)
        if axis is None:
            return self("DequantizeLinear", q, self.c(0.02), self.c(zero, dtype))
        n = shape[axis]
        point = self.c(np.broadcast_to(zero, n), dtype)
        scale = self.c(RANDOM.uniform(0.01, 0.03, n))
        return self("DequantizeLinear", q, scale, point, axis=axis)

    def bias(self, n: int) -> str:
        q = self.c(RANDOM.integers(-999, 999, n), np.int32)
        return self("DequantizeLinear", q, self.c(RANDOM.uniform(5e-4, 1e-3, n)), axis=0)

    def model(self, *outputs: str) -> onnx.ModelProto:
        shape = [f"d{i}" for i in range(self.x.ndim)] if self.symbolic else self.x.shape
        kind = helper.np_dtype_to_tensor_dtype(self.x.dtype)
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", kind, shape)],
            [onnx.ValueInfoProto(name=o) for o in outputs],
            [numpy_helper.from_array(a, n) for n, a in self.constants.items()],
        )
        imports = [helper.make_opsetid("", 21)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=10)
        found = {i.name: i for i in onnx.shape_inference.infer_shapes(model).graph.output}
        for output in model.graph.output:
            inferred = found[output.name].type.tensor_type.elem_type
            output.type.tensor_type.elem_type = inferred or TensorProto.FLOAT
        return model


def run(model: onnx.ModelProto, x: np.ndarray | dict[str, np.ndarray]) -> list[np.ndarray]:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, x if isinstance(x, dict) else {"x": x})


def converted(model: onnx.ModelProto, folder: Path, version=FIRST) -> Model:
    """The model as ops of the library, as the pipeline makes them before it fuses."""
    path = folder / "model.onnx"
    onnx.save(model, path)
    loaded = load_model(path)
    normalize(loaded.module, int8=True)
    context = make_context()
    for step in (ConvertOnnxToQuantPass(), QuantSplitDequantPass()):
        step.apply(context, loaded.module)
    convert(loaded.module, version)
    loaded.module.verify()
    return loaded


def dnnl_ops(loaded: Model) -> list[DnnlOp]:
    return [op for op in loaded.module.walk() if isinstance(op, DnnlOp)]


def round_trip(g: Graph, outputs, folder: Path, rtol=0.0, version=FIRST) -> Model:
    """Converts there and back and compares with the original; gives the model as ops of the library."""
    outputs = [outputs] if isinstance(outputs, str) else outputs
    model = g.model(*outputs)
    loaded = converted(model, folder, version)
    back = converted(model, folder, version)
    convert_back(back.module)
    back.module.verify()
    assert not dnnl_ops(back)
    after = model_proto(back.module, back.store)
    for a, b in zip(run(model, g.x), run(after, g.x), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(b, a, rtol=rtol, atol=rtol * np.abs(a).max(initial=0))
    return loaded


def unary(kind, **attributes):
    return lambda g: g(kind, "x", **attributes)


def positive(kind):
    return lambda g: g(kind, g("Abs", "x"))


def pool(kind, **attributes):
    return lambda g: g(kind, "x", **attributes)


def conv(weights, bias=None, kind="Conv", x=X, **attributes):
    def make(g):
        g.x = x
        inputs = ["x", g.r(*weights), *([] if bias is None else [g.r(bias)])]
        return g(kind, *inputs, **attributes)

    return make


def on(x, make):
    def run_it(g):
        g.x = x
        return make(g)

    return run_it


def binary(kind, *shape):
    return lambda g: g(kind, "x", g.c(np.abs(RANDOM.standard_normal(shape)) + 0.5))


X3 = RANDOM.standard_normal((2, 4, 9)).astype(F)
X5 = RANDOM.standard_normal((2, 4, 5, 4, 6)).astype(F)
ROWS = RANDOM.standard_normal((5, 8)).astype(F)
BATCH = RANDOM.standard_normal((2, 3, 5, 8)).astype(F)
NORM = [RANDOM.uniform(0.5, 2, 4).astype(F) for _ in range(4)]
INT = np.int64

CASES: dict[str, tuple[Callable[[Graph], str], dict[str, int]]] = {
    "conv": (conv((6, 4, 3, 3), 6), {"Convolution": 1}),
    "conv-1d": (conv((6, 4, 3), x=X3, strides=[2]), {"Convolution": 1}),
    "conv-3d": (conv((6, 4, 3, 2, 3), x=X5, pads=[1, 0, 1, 0, 1, 1]), {"Convolution": 1}),
    "conv-pads": (conv((6, 4, 3, 3), pads=[0, 1, 2, 1], strides=[2, 1]), {"Convolution": 1}),
    "conv-same": (conv((6, 4, 3, 3), auto_pad="SAME_LOWER", strides=[2, 2]), {"Convolution": 1}),
    "conv-valid": (conv((6, 4, 3, 3), auto_pad="VALID"), {"Convolution": 1}),
    "conv-dilated": (conv((6, 4, 2, 2), dilations=[2, 3]), {"Convolution": 1}),
    "conv-grouped": (conv((6, 2, 3, 3), 6, group=2), {"Convolution": 1}),
    "conv-depthwise": (conv((4, 1, 3, 3), 4, group=4), {"Convolution": 1}),
    "transposed": (conv((4, 3, 3, 3), 3, "ConvTranspose", strides=[2, 2]), {"ConvTranspose": 1}),
    "transposed-grouped": (
        conv((4, 3, 3, 2), 6, "ConvTranspose", group=2, pads=[1, 0, 1, 1]),
        {"ConvTranspose": 1},
    ),
    "transposed-odd": (
        conv((4, 3, 3, 3), 3, "ConvTranspose", strides=[2, 2], output_padding=[1, 0]),
        {"ConvTranspose": 1},
    ),
    "transposed-1d": (
        conv((4, 3, 3), None, "ConvTranspose", X3, dilations=[2]),
        {"ConvTranspose": 1},
    ),
    "max-pool": (pool("MaxPool", kernel_shape=[3, 2], strides=[2, 1]), {"MaxPool": 1}),
    "max-pool-pads": (pool("MaxPool", kernel_shape=[3, 3], pads=[1, 0, 1, 1]), {"MaxPool": 1}),
    "max-pool-dilated": (pool("MaxPool", kernel_shape=[2, 2], dilations=[2, 3]), {"MaxPool": 1}),
    "max-pool-ceil": (
        pool("MaxPool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        {"MaxPool": 1},
    ),
    "average-pool": (pool("AveragePool", kernel_shape=[3, 2]), {"AvgPool": 1}),
    "average-pool-counted": (
        pool("AveragePool", kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
        {"AvgPool": 1},
    ),
    "average-pool-pads": (
        pool("AveragePool", kernel_shape=[3, 3], pads=[1, 0, 1, 1], strides=[2, 2]),
        {"AvgPool": 1},
    ),
    "average-pool-ceil": (
        pool("AveragePool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        {"AvgPool": 1},
    ),
    "global-average": (unary("GlobalAveragePool"), {"AvgPool": 1}),
    "global-max": (unary("GlobalMaxPool"), {"MaxPool": 1}),
    "matmul": (on(ROWS, lambda g: g("MatMul", "x", g.r(8, 3))), {"MatMul": 1}),
    "matmul-bias": (
        on(ROWS, lambda g: g("Add", g("MatMul", "x", g.r(8, 3)), g.r(3))),
        {"MatMul": 1},
    ),
    "matmul-bias-first": (
        on(BATCH, lambda g: g("Add", g.r(1, 1, 3), g("MatMul", "x", g.r(8, 3)))),
        {"MatMul": 1},
    ),
    "matmul-batch": (on(BATCH, lambda g: g("MatMul", "x", g.r(3, 8, 4))), {"MatMul": 1}),
    "matmul-transposed": (
        on(BATCH, lambda g: g("MatMul", "x", g("Transpose", "x", perm=[0, 1, 3, 2]))),
        {"MatMul": 1},
    ),
    "matmul-turned-otherwise": (
        on(BATCH, lambda g: g("MatMul", g("Transpose", "x", perm=[0, 2, 3, 1]), g.r(3, 4))),
        {"MatMul": 1, "StaticTranspose": 1},
    ),
    "gemm": (on(ROWS, lambda g: g("Gemm", "x", g.r(8, 3), g.r(3))), {"MatMul": 1}),
    "gemm-transposed": (
        on(ROWS, lambda g: g("Gemm", "x", g.r(3, 5), g.r(1, 3), transA=1, transB=1)),
        {"MatMul": 1},
    ),
    "gemm-plain": (on(ROWS, lambda g: g("Gemm", "x", g.r(8, 3))), {"MatMul": 1}),
    "gemm-number": (on(ROWS, lambda g: g("Gemm", "x", g.r(8, 3), g.c(0.3))), {"MatMul": 1}),
    "relu": (unary("Relu"), {"ReLU": 1}),
    "leaky": (unary("LeakyRelu", alpha=0.3), {"LeakyReLU": 1}),
    "leaky-default": (unary("LeakyRelu"), {"LeakyReLU": 1}),
    "elu": (unary("Elu", alpha=0.7), {"Elu": 1}),
    "sigmoid": (unary("Sigmoid"), {"Sigmoid": 1}),
    "tanh": (unary("Tanh"), {"Tanh": 1}),
    "gelu": (unary("Gelu"), {"GELU": 1}),
    "hard-swish": (unary("HardSwish"), {"HardSwish": 1}),
    "hard-sigmoid": (unary("HardSigmoid", alpha=0.3), {"HardSigmoid": 1}),
    "mish": (unary("Mish"), {"Mish": 1}),
    "clip": (lambda g: g("Clip", "x", g.c(-0.5), g.c(1)), {"Clamp": 1}),
    "clip-relu": (lambda g: g("Clip", "x", g.c(0)), {"ReLU": 1}),
    "clip-low": (lambda g: g("Clip", "x", g.c(-0.5)), {"Maximum": 1}),
    "clip-high": (lambda g: g("Clip", "x", "", g.c(0.5)), {"Minimum": 1}),
    "abs": (unary("Abs"), {"Abs": 1}),
    "exp": (unary("Exp"), {"Exp": 1}),
    "log": (positive("Log"), {"Abs": 1, "Log": 1}),
    "sqrt": (positive("Sqrt"), {"Abs": 1, "Sqrt": 1}),
    "reciprocal": (unary("Reciprocal"), {"Reciprocal": 1}),
    "round": (lambda g: g("Round", g("Mul", "x", g.c(2.5))), {"Multiply": 1, "Round": 1}),
    "softplus": (unary("Softplus"), {"SoftPlus": 1}),
    "square": (lambda g: g("Pow", "x", g.c(2)), {"Square": 1}),
    "softmax": (unary("Softmax", axis=-1), {"SoftMax": 1}),
    "log-softmax": (unary("LogSoftmax"), {"LogSoftmax": 1}),
    "layer-norm": (lambda g: g("LayerNormalization", "x", g.r(5), g.r(5)), {"LayerNorm": 1}),
    "layer-norm-no-bias": (
        lambda g: g("LayerNormalization", "x", g.r(5), epsilon=1e-3),
        {"LayerNorm": 1},
    ),
    "batch-norm": (
        lambda g: g("BatchNormalization", "x", *(g.c(v) for v in NORM), epsilon=1e-3),
        {"BatchNormInference": 1},
    ),
    **{
        f"{kind}-{len(shape)}".lower(): (binary(kind, *shape), {name: 1})
        for kind, name in (
            ("Add", "Add"),
            ("Sub", "Subtract"),
            ("Mul", "Multiply"),
            ("Div", "Divide"),
            ("Min", "Minimum"),
            ("Max", "Maximum"),
        )
        for shape in ((), (5,), (4, 1, 1), (2, 4, 6, 5))
    },
    "added-twice": (lambda g: g("Add", "x", "x"), {"Multiply": 1}),
    "multiplied-twice": (lambda g: g("Mul", "x", "x"), {"Square": 1}),
    "sum": (lambda g: g("Sum", "x", g.r(4, 1, 5)), {"Add": 1}),
    "number-first": (lambda g: g("Sub", g.c(1), "x"), {"Subtract": 1}),
    "concat": (lambda g: g("Concat", "x", g.r(2, 3, 6, 5), axis=-3), {"Concat": 1}),
    "transpose": (unary("Transpose", perm=[0, 2, 3, 1]), {"StaticTranspose": 1}),
    "transpose-default": (unary("Transpose"), {"StaticTranspose": 1}),
    "reshape": (lambda g: g("Reshape", "x", g.c([0, -1, 5], INT)), {"StaticReshape": 1}),
    "flatten": (unary("Flatten", axis=2), {"StaticReshape": 1}),
    "unsqueeze": (lambda g: g("Unsqueeze", "x", g.c([1], INT)), {"StaticReshape": 1}),
    "squeeze": (on(X[:1], lambda g: g("Squeeze", "x", g.c([0], INT))), {"StaticReshape": 1}),
    "where": (
        lambda g: g("Where", g.c(RANDOM.integers(0, 2, (2, 4, 6, 5)), bool), "x", g.r(2, 4, 6, 5)),
        {"Select": 1},
    ),
    "prelu": (lambda g: g("PRelu", "x", g.r(4, 1, 1)), {"PReLU": 1}),
    "prelu-one": (lambda g: g("PRelu", "x", g.c([0.3])), {"LeakyReLU": 1}),
    "norm-of-rows": (
        lambda g: g(
            "InstanceNormalization",
            g("Reshape", "x", g.c([0, 2, -1], INT)),
            *(g.c(np.full(2, n)) for n in (1, 0)),
        ),
        {"StaticReshape": 1, "LayerNorm": 1},
    ),
    **{
        kind.lower(): (
            lambda g, kind=kind: g(kind, "x", g.c([-1, 2], INT), keepdims=0),
            {kind: 1},
        )
        for kind in (
            "ReduceL1",
            "ReduceL2",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
        )
    },
    "reduce-kept": (lambda g: g("ReduceMean", "x", g.c([2, 3], INT)), {"ReduceMean": 1}),
    "reduce-all": (unary("ReduceMax"), {"ReduceMax": 1}),
    "resize-nearest": (
        lambda g: g(
            "Resize",
            "x",
            "",
            g.c([1, 1, 2, 3]),
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        ),
        {"Interpolate": 1},
    ),
    "resize-half-pixel": (
        lambda g: g("Resize", "x", "", g.c([1, 1, 2, 2]), mode="nearest"),
        {"Interpolate": 1},
    ),
    "resize-linear": (
        lambda g: g("Resize", "x", "", "", g.c([2, 4, 9, 8], INT), mode="linear"),
        {"Interpolate": 1},
    ),
}
"""By name: a graph, and the ops of the library that it becomes."""


@pytest.mark.parametrize("name", CASES)
def test_there_and_back(name, tmp_path):
    make, kinds = CASES[name]
    g = Graph()
    loaded = round_trip(g, make(g), tmp_path)
    assert Counter(op.kind for op in dnnl_ops(loaded)) == kinds
    assert top_level_ops(loaded.module) == []


def test_every_op_of_the_table_has_a_case_and_an_inverse():
    made = {kind for _, kinds in CASES.values() for kind in kinds}
    others = {"Quantize", "Dequantize", "TypeCast", "Pow", "Reorder"}
    assert made | others == set(INVERSES)
    covered = {n.op_type for make, _ in CASES.values() for n in nodes_of(make)}
    assert covered | {"Cast"} == set(CONVERTERS)


def nodes_of(make):
    g = Graph()
    make(g)
    return g.nodes


# In the library itself

ALONE_UNSUPPORTED = {"Reciprocal", "Select", "StaticReshape", "StaticTranspose"}
"""Kinds that oneDNN 3.2 compiles only as part of a fusion."""

IN_LIBRARY = [n for n, (_, kinds) in CASES.items() if ALONE_UNSUPPORTED.isdisjoint(kinds)]


@pytest.mark.parametrize("name", IN_LIBRARY)
def test_the_library_computes_the_same(name, tmp_path):
    from autosplit.runtime.dnnl.library import library

    g = Graph()
    y = CASES[name][0](g)
    loaded = converted(g.model(y), tmp_path)
    (a,), (b,) = run(g.model(y), g.x), run_in_library(loaded, g.x, library())
    assert a.shape == b.shape
    np.testing.assert_allclose(b, a, rtol=4e-6, atol=4e-6 * np.abs(a).max())


def run_in_library(loaded: Model, x: np.ndarray, lib) -> list[np.ndarray]:
    """Runs a graph that is all ops of the library, each a partition of its own."""
    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.dnnl import PartitionOp
    from autosplit.dialects.onnx.base import GraphOp, InitializerOp
    from autosplit.dialects.onnx.constants import constant_array
    from autosplit.runtime.dnnl.build import LoadedPartition

    graph = next(op for op in loaded.module.walk() if isinstance(op, GraphOp))
    values = {graph.body.block.args[0]: x}
    for op in list(graph.body.block.ops):
        if isinstance(op, InitializerOp):
            values[op.results[0]] = constant_array(op.results[0], loaded.store)
        elif isinstance(op, DnnlOp):
            dtype = dtype_of(op.outputs[0].type)
            partition = PartitionOp.create_from([op], "alone")
            operands = [np.ascontiguousarray(values[v]) for v in partition.inputs]
            ready = LoadedPartition(partition, lib).compile([a.shape for a in operands])
            result = np.empty(ready.results[0].dims, dtype)
            ready.bind(operands, [result])()
            values[partition.outputs[0]] = result
        else:
            return [values[v] for v in op.operands]
    raise AssertionError("the graph has no return")


# Quantized values


def quantized_conv(g, **kinds):
    a = g.qdq("x")
    return g("Conv", a, g.weights(6, 4, 3, 3, **kinds), g.bias(6))


def test_a_quantized_convolution(tmp_path):
    g = Graph()
    y = g.qdq(g("Relu", quantized_conv(g)), 0.1, 3)
    loaded = round_trip(g, y, tmp_path)
    kinds = [op.kind for op in dnnl_ops(loaded)]
    assert kinds == [
        "Quantize",
        "Dequantize",
        "Dequantize",
        "Convolution",
        "ReLU",
        "Quantize",
        "Dequantize",
    ]
    weights = dnnl_ops(loaded)[2]
    assert (weights.text("qtype"), weights.integer("axis")) == ("per_channel", 0)
    # The library of 3.2 wants zero points even where they are 0.
    assert weights.ints("zps") == [0] * 6
    # The bias is real: integers of 32 bits are not quantized numbers to the library.
    bias = dnnl_ops(loaded)[3].inputs[2]
    assert str(bias.type) == "tensor<6xf32>"


def test_unsigned_weights_around_128_become_signed(tmp_path):
    g = Graph()
    loaded = round_trip(g, quantized_conv(g, dtype=np.uint8, zero=128), tmp_path)
    weights = dnnl_ops(loaded)[2]
    assert str(weights.inputs[0].type) == "tensor<6x4x3x3xi8>"
    assert set(weights.ints("zps")) == {0}


def test_unsigned_activations_stay(tmp_path):
    g = Graph()
    loaded = round_trip(g, g.qdq("x"), tmp_path)
    quantize = dnnl_ops(loaded)[0]
    assert str(quantize.outputs[0].type) == "tensor<2x4x6x5xui8>"
    assert quantize.ints("zps") == [128]


def test_names_and_locations_survive(tmp_path):
    g = Graph()
    y = g.qdq(quantized_conv(g))
    back = converted(g.model(y), tmp_path)
    convert_back(back.module)
    ops = {op.node_name.data: op for op in back.module.walk() if isinstance(op, OnnxOp)}
    for node in g.nodes:
        if node.op_type == "DequantizeLinear" and node.input[0].startswith("c"):
            continue  # weights and biases: the latter are folded
        assert ops[node.name].output_names == list(node.output)
        assert ops[node.name].op_type == node.op_type


def test_a_quantized_model_of_everything(tmp_path):
    """A small network with a sum, a concatenation, pools and a classifier."""
    g = Graph()
    x = g.qdq("x", 0.03, 120)
    a = g.qdq(g("Relu", g("Conv", x, g.weights(8, 4, 1, 1), g.bias(8))), 0.04, 0)
    b = g.qdq(g("Conv", a, g.weights(8, 1, 3, 3), pads=[1, 1, 1, 1], group=8), 0.05, 128)
    c = g.qdq(g("Relu", g("Add", a, b)), 0.06, 5)
    d = g.qdq(
        g("Concat", c, g("MaxPool", c, kernel_shape=[3, 3], pads=[1, 1, 1, 1]), axis=1), 0.06, 5
    )
    p = g.qdq(g("GlobalAveragePool", d), 0.02, 7)
    f = g("Flatten", p)
    w = g.weights(16, 5, axis=1)
    y = g.qdq(g("Add", g("MatMul", f, w), g.r(5)), 0.1, 128)
    loaded = round_trip(g, y, tmp_path)
    assert top_level_ops(loaded.module) == []


def test_attention(tmp_path):
    g = Graph(BATCH)
    q = g.qdq(g("MatMul", g.qdq("x"), g.weights(8, 8, axis=1)))
    k = g("Transpose", g.qdq(g("MatMul", g.qdq("x"), g.weights(8, 8, axis=1))), perm=[0, 1, 3, 2])
    scores = g("Softmax", g("Div", g("MatMul", q, k), g.c(8**0.5)))
    y = g.qdq(g("MatMul", g.qdq(scores, 1 / 255, 0), g.qdq("x")))
    loaded = round_trip(g, y, tmp_path)
    assert Counter(op.kind for op in dnnl_ops(loaded))["MatMul"] == 4
    # The transposition is part of the product.
    assert [op.flag("transpose_b") for op in dnnl_ops(loaded) if op.kind == "MatMul"].count(
        True
    ) == 1
    assert "StaticTranspose" not in [op.kind for op in dnnl_ops(loaded)]


@pytest.mark.parametrize("zero", [0, 100])
@pytest.mark.parametrize("shared", [False, True])
def test_integers_turned_for_a_product(shared, zero, tmp_path):
    """A transposition of integers becomes part of the product that alone reads them.

    Not if the other operand has a zero point: the library would sum the columns of what it turns.
    """
    g = Graph(BATCH)
    s, z = g.c(0.04), g.c(100, np.uint8)
    k = g("Transpose", g("QuantizeLinear", "x", s, z), perm=[0, 1, 3, 2])
    y = g("MatMul", g.qdq("x", 0.03, zero), g("DequantizeLinear", k, s, z))
    loaded = round_trip(g, [y, k] if shared else y, tmp_path)
    product = next(op for op in dnnl_ops(loaded) if op.kind == "MatMul")
    is_part = not shared and zero == 0
    assert product.flag("transpose_b") is is_part
    assert [op.op_type for op in top_level_ops(loaded.module)] == ([] if is_part else ["Transpose"])


def test_a_norm_of_rows_of_half_the_bits_stays(tmp_path):
    g = Graph()
    rows = g("Reshape", g.qdq("x"), g.c([0, 2, -1], INT))
    half = g("Cast", rows, to=TensorProto.FLOAT16)
    ones, zeros = (g.c(np.full(2, n), np.float16) for n in (1, 0))
    y = g("Cast", g("InstanceNormalization", half, ones, zeros), to=TensorProto.FLOAT)
    loaded = round_trip(g, y, tmp_path, rtol=1e-3)
    assert "LayerNorm" not in [op.kind for op in dnnl_ops(loaded)]


@pytest.mark.parametrize(("stored", "kind"), [(127, "LayerNorm"), (126, "")])
def test_a_norm_of_rows_whose_scale_is_quantized(stored, kind, tmp_path):
    g = Graph()
    s = g.c(1 / 127)
    scale = g("DequantizeLinear", g.c(np.full(2, stored), np.int8), s, g.c(0, np.int8))
    rows = g("Reshape", g.qdq("x"), g.c([0, 2, -1], INT))
    y = g("InstanceNormalization", rows, scale, g.c(np.zeros(2)))
    loaded = round_trip(g, y, tmp_path, rtol=1e-5)
    assert [op.kind for op in dnnl_ops(loaded) if op.kind == "LayerNorm"] == (
        [kind] if kind else []
    )


def test_weights_that_two_ops_read_are_made_signed_once(tmp_path):
    g = Graph()
    q = g.c(RANDOM.integers(64, 192, (4, 4, 1, 1)), np.uint8)
    s, z = g.c(0.02), g.c(128, np.uint8)
    a = g("Conv", "x", g("DequantizeLinear", q, s, z))
    b = g("Conv", a, g("DequantizeLinear", q, s, z))
    loaded = round_trip(g, b, tmp_path)
    first, second = (op for op in dnnl_ops(loaded) if op.kind == "Dequantize")
    assert first.inputs[0] is second.inputs[0]
    assert str(first.inputs[0].type) == "tensor<4x4x1x1xi8>"


@pytest.mark.parametrize("symbolic", [False, True])
def test_unknown_sizes(symbolic, tmp_path):
    g = Graph(symbolic=symbolic)
    y = g.qdq(g("Relu", quantized_conv(g)), 0.1, 3)
    y = g("Reshape", g("GlobalAveragePool", y), g.c([0, -1], INT))
    round_trip(g, y, tmp_path)


def test_rows_of_unknown_sizes(tmp_path):
    g = Graph(symbolic=True)
    loaded = round_trip(g, g("Flatten", g("Relu", "x")), tmp_path)
    assert dnnl_ops(loaded)[1].ints("shape") == [0, -1]


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kind", ["Conv", "MaxPool", "AveragePool"])
def test_pads_that_follow_from_unknown_sizes(kind, stride, auto, tmp_path):
    """The library computes them where it gets the sizes, as ONNX does."""
    from autosplit.runtime.dnnl.library import library

    g = Graph(symbolic=True)
    inputs = ["x", g.r(3, 4, 3, 2)] if kind == "Conv" else ["x"]
    y = g(kind, *inputs, kernel_shape=[3, 2], strides=[stride, stride], auto_pad=auto)
    loaded = round_trip(g, y, tmp_path)
    assert dnnl_ops(loaded)[0].text("auto_pad") == auto
    (a,), (b,) = run(g.model(y), g.x), run_in_library(loaded, g.x, library())
    assert a.shape == b.shape
    np.testing.assert_allclose(b, a, rtol=4e-6, atol=4e-6 * np.abs(a).max())


def test_bodies_read_quantized_values(tmp_path):
    """Ops inside bodies stay; what they read of a quantized value is the same."""
    g = Graph()
    s, z = g.c(0.05), g.c(128, np.uint8)
    q = g("QuantizeLinear", "x", s, z)
    inside = [
        helper.make_node("DequantizeLinear", [q, s, z], ["inner_real"]),
        helper.make_node("Relu", ["inner_real"], ["inner_y"]),
    ]
    outside = [helper.make_node("Identity", ["x"], ["other_y"])]
    ends = [
        helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("inner_y", "other_y")
    ]
    then = helper.make_graph(inside, "then", [], ends[:1])
    other = helper.make_graph(outside, "else", [], ends[1:])
    condition = g("Greater", g("ReduceMax", "x", keepdims=0), g.c(0.5))
    y = g("If", condition, then_branch=then, else_branch=other)
    loaded = round_trip(g, g("Tanh", y), tmp_path)
    assert [op.kind for op in dnnl_ops(loaded)] == ["Quantize", "Tanh"]


# Whole networks


def check_network(path: Path, feeds: dict[str, np.ndarray]) -> None:
    back = load_model(path)
    normalize(back.module, int8=True)
    for step in (ConvertOnnxToQuantPass(), QuantSplitDequantPass()):
        step.apply(make_context(), back.module)
    convert(back.module, FIRST)
    kinds = Counter(op.kind for op in dnnl_ops(back))
    # Nothing near the convolutions and products is left behind.
    assert {"Convolution", "MatMul"} & set(kinds)
    left = {op.op_type for op in top_level_ops(back.module)}
    assert not left & {"Conv", "MatMul", "Gemm", "Relu", "Add", "MaxPool", "Softmax"}
    convert_back(back.module)
    after = model_proto(back.module, back.store)
    for a, b in zip(run(onnx.load(path), feeds), run(after, feeds), strict=True):
        np.testing.assert_array_equal(b, a)


def random_feeds(path: Path, sizes: dict[str, int] | None = None) -> dict[str, np.ndarray]:
    feeds = {}
    for value in onnx.load(path).graph.input:
        dims = value.type.tensor_type.shape.dim
        shape = [d.dim_value or (sizes or {}).get(d.dim_param, 32) for d in dims]
        feeds[value.name] = RANDOM.standard_normal(shape).astype(F)
    return feeds


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.nightly) if "det" in n else n for n in QUANTIZED],
)
def test_real_networks(name):
    path = quantized_model(name)
    feeds = random_feeds(path)
    size = {"rnet.onnx": 24, "onet.onnx": 48}.get(name)
    if size is not None:
        # Networks for crops of one size, which their files do not say.
        feeds = {k: RANDOM.standard_normal((2, size, size, 3)).astype(F) for k in feeds}
    check_network(path, feeds)


@pytest.mark.parametrize(
    ("make", "sizes"),
    [
        pytest.param(lambda: qdq_models.resnet50(size=32), {}, marks=pytest.mark.nightly),
        (lambda: qdq_models.mobilenet_v2(size=32, batch="N"), {"N": 2}),
        (
            lambda: qdq_models.transformer_layer(
                length="L", batch="N", hidden=32, heads=4, inner=64
            ),
            {"N": 2, "L": 7},
        ),
    ],
    ids=["resnet50", "mobilenet_v2", "transformer_layer"],
)
def test_whole_networks(make, sizes, tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(make(), path)
    check_network(path, random_feeds(path, sizes))


# What is refused


def refusals(loaded: Model) -> dict[str, tuple[str, str]]:
    """The reasons by op type: code and sentence."""
    found = {}
    for op in loaded.module.walk():
        reason = op.attributes.get(UNMAPPED)
        if reason is not None:
            name = op.op_type if isinstance(op, OnnxOp) else op.name
            found[name] = (reason.code.data, reason.text.data)
    return found


@pytest.mark.parametrize(
    ("make", "op_type", "code", "words"),
    [
        (lambda g, a: g("Erf", a), "Erf", "unsupported-op", "no counterpart"),
        (
            lambda g, a: g("Gelu", a, approximate="tanh"),
            "Gelu",
            "version",
            f"{GELU[0]}.{GELU[1]} or later, the target is 3.2",
        ),
        (lambda g, a: g("Pow", a, g.c([1, 2, 3, 4, 5])), "Pow", "operand", "not a single constant"),
        (lambda g, a: g("Max", a, a, a), "Max", "operand", "3 operands"),
        (lambda g, a: g("PRelu", a, g.r(5)), "PRelu", "operand", "slopes of 5"),
        (lambda g, a: g("Cast", a, to=TensorProto.DOUBLE), "Cast", "dtype", "f64"),
        (
            lambda g, a: g("LayerNormalization", a, g.r(6, 5), axis=2),
            "LayerNormalization",
            "attribute",
            "several dimensions",
        ),
        (lambda g, a: g("ReduceMax", a, keepdims=0), "ReduceMax", "rank", "scalar"),
        (lambda g, a: g("Softmax", a, axis=1), "Softmax", "slow-kernel", "dimension 1 of"),
        (
            lambda g, a: g("Resize", a, "", g.c([1, 1, 1.5, 2])),
            "Resize",
            "attribute",
            "differently",
        ),
        (
            lambda g, a: g("AveragePool", a, kernel_shape=[2, 2], dilations=[2, 2]),
            "AveragePool",
            "attribute",
            "dilations",
        ),
    ],
    ids=lambda v: v if isinstance(v, str) and v[0].isupper() else "",
)
def test_refusals(make, op_type, code, words, tmp_path):
    g = Graph()
    loaded = round_trip(g, make(g, g.qdq("x")), tmp_path)
    found = refusals(loaded)
    assert list(found) == [op_type]
    assert found[op_type][0] == code
    assert words in found[op_type][1]


# What the library would take and compute wrong, or end the process on


def per_channel(g, x, n, axis, zero=128, dtype=np.uint8):
    s, z = g.c(RANDOM.uniform(0.03, 0.06, n)), g.c(np.broadcast_to(zero, n), dtype)
    q = g("QuantizeLinear", x, s, z, axis=axis)
    return g("DequantizeLinear", q, s, z, axis=axis)


def activations(g, axis):
    """A value, not a weight, with a scale for each channel, without a QuantizeLinear that is refused."""
    n = g.x.shape[axis]
    q = g("Cast", g("Abs", "x"), to=TensorProto.UINT8)
    s, z = g.c(RANDOM.uniform(0.03, 0.06, n)), g.c(np.zeros(n), np.uint8)
    return g("DequantizeLinear", q, s, z, axis=axis)


def product(g, other):
    """A product by a matrix, met by something that broadcasts."""
    return g("Add", g("MatMul", g.qdq("x"), g.weights(5, 7, axis=1)), g.r(*other))


UNSAFE = {
    "weights with a zero point": (
        lambda g: g("Conv", g.qdq("x"), g.weights(6, 4, 3, 3, zero=3)),
        ("Conv", "weights-zero-point", "zero point 3"),
    ),
    "transposed weights with a zero point": (
        lambda g: g("ConvTranspose", g.qdq("x"), g.weights(4, 3, 2, 2, axis=1, zero=-2)),
        ("ConvTranspose", "weights-zero-point", "zero point -2"),
    ),
    "unsigned weights with a zero point": (
        lambda g: g("Conv", g.qdq("x"), g.weights(6, 4, 3, 3, dtype=np.uint8, zero=120)),
        ("Conv", "weights-zero-point", "zero point 120"),
    ),
    "unsigned weights around 0": (
        lambda g: g("Conv", g.qdq("x"), g.weights(6, 4, 3, 3, dtype=np.uint8, zero=0)),
        ("Conv", "weights-dtype", "stored as u8"),
    ),
    "scales along the inputs of a filter": (
        lambda g: g("Conv", g.qdq("x"), g.weights(6, 4, 3, 3, axis=1)),
        ("Conv", "weights-axis", "along dimension 1"),
    ),
    "scales along the inputs of a transposed filter": (
        lambda g: g("ConvTranspose", g.qdq("x"), g.weights(4, 3, 2, 2, axis=0)),
        ("ConvTranspose", "weights-axis", "along dimension 0"),
    ),
    "scales along the rows of a matrix": (
        lambda g: g("MatMul", g.qdq("x"), g.weights(5, 3, axis=0)),
        ("MatMul", "weights-axis", "along dimension 0"),
    ),
    "scales along the batch of a matrix": (
        lambda g: g("MatMul", g.qdq("x"), g.weights(4, 5, 3, axis=0)),
        ("MatMul", "weights-axis", "along dimension 0"),
    ),
    "scales along the rows of a turned matrix": (
        lambda g: g("MatMul", g.qdq("x"), g("Transpose", g.weights(3, 5, axis=1), perm=[1, 0])),
        ("MatMul", "weights-axis", "along dimension 1"),
    ),
    "activations of a convolution": (
        lambda g: g("Conv", activations(g, 1), g.weights(6, 4, 3, 3)),
        ("Conv", "per-axis", "along dimension 1"),
    ),
    "activations of a product": (
        lambda g: g("MatMul", activations(g, 3), g.weights(5, 3, axis=1)),
        ("MatMul", "per-axis", "along dimension 3"),
    ),
    "the other operand of a sum": (
        lambda g: g("Add", g("Conv", g.qdq("x"), g.weights(4, 4, 1, 1)), activations(g, 1)),
        ("Add", "per-axis", "along dimension 1"),
    ),
    "padding that counts": (
        lambda g: g(
            "AveragePool",
            g.qdq("x"),
            kernel_shape=[3, 3],
            pads=[1, 1, 1, 1],
            count_include_pad=1,
        ),
        ("AveragePool", "zero-point", "zero point 128"),
    ),
    "rows that broadcast to a product": (
        lambda g: product(g, (6, 1)),
        ("Add", "broadcast", "[6, 1] to the product [2, 4, 6, 7]"),
    ),
    "a mask that broadcasts to a product": (
        lambda g: g("Relu", product(g, (2, 1, 1, 7))),
        ("Add", "broadcast", "[2, 1, 1, 7]"),
    ),
    "a pool that changes the type": (
        lambda g: g.qdq(g("MaxPool", g.qdq("x"), kernel_shape=[2, 2]), 0.05, 0, np.int8),
        ("quant.qcast", "dtype", "s8 behind a pool of u8"),
    ),
    "scales of what is quantized": (
        lambda g: per_channel(g, "x", 4, 1),
        ("quant.qcast", "per-axis", "for weights only"),
    ),
    "several zero points": (
        lambda g: g("MatMul", g.qdq("x"), g.weights(5, 3, axis=1, zero=[1, -2, 3])),
        ("quant.dcast", "per-axis", "several zero points"),
    ),
}


SLOW = {
    "maxima with another scale": (
        lambda g: g.qdq(g("MaxPool", g.qdq("x"), kernel_shape=[2, 2]), 0.0917),
        ("quant.qcast", "slow-kernel", "changes the scale"),
    ),
    "maxima of elements that are apart": (
        lambda g: g("MaxPool", g.qdq("x"), kernel_shape=[2, 2], dilations=[2, 2]),
        ("MaxPool", "slow-kernel", "reference kernel"),
    ),
    "transposed, one kernel for each channel": (
        lambda g: g(
            "ConvTranspose",
            g.qdq("x"),
            g.weights(4, 1, 2, 2, axis=None),
            strides=[2, 2],
            group=4,
        ),
        ("ConvTranspose", "slow-kernel", "groups of few channels"),
    ),
}


@pytest.mark.parametrize("name", [*UNSAFE, *SLOW])
def test_what_the_library_gets_wrong_is_refused(name, tmp_path):
    make, (op_type, code, words) = {**UNSAFE, **SLOW}[name]
    g = Graph()
    found = refusals(round_trip(g, make(g), tmp_path))
    assert found[op_type][0] == code
    assert words in found[op_type][1]


FAST = {
    "maxima with the same scale": lambda g: g.qdq(
        g("MaxPool", g.qdq("x"), kernel_shape=[2, 2]),
    ),
    "transposed, one kernel for each channel, without strides": lambda g: g(
        "ConvTranspose", g.qdq("x"), g.weights(4, 1, 2, 2, axis=None), group=4
    ),
    "transposed, two groups": lambda g: g(
        "ConvTranspose", g.qdq("x"), g.weights(4, 1, 2, 2, axis=None), strides=[2, 2], group=2
    ),
}


@pytest.mark.parametrize("name", FAST)
def test_what_is_fast_beside_slow_forms_is_not_refused(name, tmp_path):
    g = Graph()
    assert refusals(round_trip(g, FAST[name](g), tmp_path)) == {}


SAFE = {
    "weights": lambda g: g("Conv", g.qdq("x"), g.weights(6, 4, 3, 3)),
    "one scale for the weights": lambda g: g("Conv", g.qdq("x"), g.weights(6, 4, 3, 3, axis=None)),
    "unsigned weights": lambda g: g(
        "Conv", g.qdq("x"), g.weights(6, 4, 3, 3, dtype=np.uint8, zero=128)
    ),
    "transposed": lambda g: g("ConvTranspose", g.qdq("x"), g.weights(4, 3, 2, 2, axis=1)),
    "matrix": lambda g: g("MatMul", g.qdq("x"), g.weights(5, 3, axis=1)),
    "matrix with a zero point": lambda g: g("MatMul", g.qdq("x"), g.weights(5, 3, axis=1, zero=3)),
    "batch": lambda g: g("MatMul", g.qdq("x"), g.weights(4, 5, 3, axis=2)),
    "turned matrix": lambda g: g(
        "MatMul", g.qdq("x"), g("Transpose", g.weights(3, 5, axis=0), perm=[1, 0])
    ),
    "columns": lambda g: product(g, (1, 1, 1, 7)),
    "all of a product": lambda g: product(g, (2, 4, 6, 7)),
    "one number a row": lambda g: product(g, (2, 4, 6, 1)),
    "padding that does not count": lambda g: g(
        "AveragePool", g.qdq("x"), kernel_shape=[3, 3], pads=[1, 1, 1, 1]
    ),
    "padding that counts, around 0": lambda g: g(
        "AveragePool",
        g.qdq("x", 0.02, 0),
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
        count_include_pad=1,
    ),
    "a pool": lambda g: g("AveragePool", g.qdq("x"), kernel_shape=[2, 2]),
    "a result added to itself": lambda g: (lambda c: g("Add", c, c))(quantized_conv(g)),
}


@pytest.mark.parametrize("name", SAFE)
def test_what_stands_next_to_it_is_computed_right(name, tmp_path):
    """The forms that are let through fuse, and the library's numbers are those of ONNX Runtime."""
    from autosplit.dialects.dnnl import PartitionOp
    from autosplit.lowering.dnnl.fuse import fuse

    g = Graph()
    y = g.qdq(SAFE[name](g), 0.0917)
    loaded = converted(g.model(y), tmp_path)
    assert refusals(loaded) == {}
    fuse(loaded.module, FIRST, keep="border")
    partitions = [op for op in loaded.module.walk() if isinstance(op, PartitionOp)]
    assert any(len(p.body_ops) >= 3 for p in partitions)
    convert_back(loaded.module)
    (a,), (b,) = run(g.model(y), g.x), run_fused(loaded, g.x)
    # Ties round one way or the other where the library multiplies by the inverse of a scale.
    assert np.abs(a - b).max() < 0.1
    assert (np.abs(a - b) > 1e-4).mean() < 0.01


def run_fused(loaded: Model, x: np.ndarray) -> list[np.ndarray]:
    """Runs the partitions of a graph in the library, and constants and lone ONNX ops in ONNX's reference."""
    from onnx.reference import ReferenceEvaluator

    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.dnnl import PartitionOp
    from autosplit.dialects.onnx.base import GraphOp, InitializerOp
    from autosplit.dialects.onnx.constants import constant_array
    from autosplit.formats.onnx.writer import node_proto
    from autosplit.runtime.dnnl.build import LoadedPartition
    from autosplit.runtime.dnnl.library import library

    graph = next(op for op in loaded.module.walk() if isinstance(op, GraphOp))
    values = {graph.body.block.args[0]: x}
    for op in graph.body.block.ops:
        if isinstance(op, InitializerOp):
            values[op.results[0]] = constant_array(op.results[0], loaded.store)
        elif isinstance(op, PartitionOp):
            arrays = [values[v] for v in op.inputs]
            ready = LoadedPartition(op, library()).compile([a.shape for a in arrays])
            dims = [port.dims for port in ready.results]
            outputs = [np.empty(d, dtype_of(r.type)) for d, r in zip(dims, op.outputs, strict=True)]
            ready.bind(arrays, outputs)()
            values.update(zip(op.outputs, outputs, strict=True))
        elif isinstance(op, OnnxOp):
            names = [f"i{i}" for i in range(len(op.operands))]
            node = node_proto(op, names, ["o"], loaded.store)
            feeds = {n: values[v] for n, v in zip(names, op.operands, strict=True)}
            values[op.results[0]] = np.ascontiguousarray(
                ReferenceEvaluator(node).run(None, feeds)[0]
            )
        else:
            return [values[v] for v in op.operands]
    raise AssertionError("the graph has no return")


def test_a_model_that_was_not_normalized_is_refused(tmp_path):
    g = Graph()
    model = g.model(g("Relu", "x"))
    model.opset_import[0].version = 12
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(AutosplitError, match="opset 12, expected 21: run normalize-onnx"):
        convert(load_model(tmp_path / "model.onnx").module, FIRST)


def test_what_the_dialect_would_refuse_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(CONVERTERS, "Neg", lambda ask: Mapped("Concat", [ask.need(0)], {"axis": 9}))
    g = Graph()
    loaded = round_trip(g, g("Neg", g.qdq("x")), tmp_path)
    code, text = refusals(loaded)["Neg"]
    assert code == "operand"
    assert "axis" in text
    assert "\n" not in text


def test_ops_away_from_quantized_values_say_nothing(tmp_path):
    g = Graph()
    loaded = round_trip(g, g("Erf", "x"), tmp_path)
    assert refusals(loaded) == {}
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["Erf"]


def test_wide_integers_stay_casts(tmp_path):
    g = Graph()
    loaded = round_trip(g, g.qdq("x", 0.001, 5, np.uint16), tmp_path)
    assert dnnl_ops(loaded) == []
    found = refusals(loaded)
    assert set(found) == {"quant.qcast", "quant.dcast"}
    assert all(code == "dtype" and "u16" in text for code, text in found.values())


def test_integers_that_are_moved_stay_in_onnx(tmp_path):
    """Other ops go on with the stored integers, and the casts around them are the library's."""
    g = Graph()
    s, z = g.c(0.05), g.c(128, np.uint8)
    q = g("Transpose", g("QuantizeLinear", "x", s, z), perm=[0, 2, 3, 1])
    y = g("Relu", g("DequantizeLinear", q, s, z))
    loaded = round_trip(g, [y, q], tmp_path)
    assert [op.kind for op in dnnl_ops(loaded)] == ["Quantize", "Dequantize", "ReLU"]
    assert refusals(loaded)["Transpose"][0] == "dtype"


def test_powers(tmp_path):
    g = Graph(np.abs(X))
    version = OP_TABLE["Pow"].since
    loaded = round_trip(g, g("Pow", "x", g.c(3)), tmp_path, version=version)
    assert [(op.kind, op.number("beta")) for op in dnnl_ops(loaded)] == [("Pow", 3.0)]


@pytest.mark.parametrize(("version", "kinds"), [(FIRST, []), (LATER, ["GELU"])])
def test_versions(version, kinds, tmp_path):
    g = Graph(np.abs(X))
    loaded = round_trip(g, g("Gelu", "x", approximate="tanh"), tmp_path, version=version)
    assert [op.kind for op in dnnl_ops(loaded)] == kinds


def test_casts_between_floats(tmp_path):
    g = Graph()
    y = g("Cast", g("Cast", "x", to=TensorProto.FLOAT16), to=TensorProto.FLOAT)
    loaded = round_trip(g, y, tmp_path)
    assert [op.kind for op in dnnl_ops(loaded)] == ["TypeCast", "TypeCast"]


# Random graphs


def random_graph(seed: int, *, quantized: bool = True) -> tuple[Graph, list[str]]:
    """Ops in random order over values of one shape, some of them quantized on the way."""
    r = np.random.default_rng(seed)
    g = Graph(r.standard_normal((2, 4, 6, 5)).astype(F))
    pool = ["x"]
    unary_kinds = [
        "Relu",
        "Sigmoid",
        "Tanh",
        "Abs",
        "HardSwish",
        "Gelu",
        "Mish",
        "Erf",
        "Elu",
        "Identity",
    ]
    binary_kinds = ["Add", "Sub", "Mul", "Max", "Min"]

    def pick() -> str:
        return pool[-1 - int(min(r.exponential(1.5), len(pool) - 1))]

    def convolution() -> str:
        w = g.weights(4, 4, 3, 3) if r.random() < 0.7 else g.r(4, 4, 3, 3)
        return g("Conv", pick(), w, *([g.bias(4)] if r.random() < 0.5 else []), pads=[1, 1, 1, 1])

    makers: list[Callable[[], str]] = [
        convolution,
        lambda: g(str(r.choice(unary_kinds)), pick()),
        lambda: g(str(r.choice(binary_kinds)), pick(), pick()),
        lambda: g(str(r.choice(binary_kinds)), pick(), g.c(float(r.choice([0, 1, 0.5, 2])))),
        lambda: g("Mul", g.c(float(r.uniform(0.5, 1))), pick()),
        lambda: g.qdq(pick(), float(r.uniform(0.01, 0.1)), int(r.integers(0, 256))),
        lambda: g.qdq(pick(), float(r.uniform(0.01, 0.1)), int(r.integers(-9, 9)), np.int8),
        lambda: g("MatMul", pick(), g.weights(5, 5, axis=1)),
        lambda: g("Add", g("MatMul", pick(), g.weights(5, 5, axis=None)), g.r(5)),
        lambda: g("MaxPool", pick(), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        lambda: g("Transpose", g("Transpose", pick(), perm=[0, 2, 3, 1]), perm=[0, 3, 1, 2]),
        lambda: g("Reshape", g("Flatten", pick()), g.c([2, 4, 6, 5], INT)),
        lambda: g("Neg", pick()),
        lambda: g("BatchNormalization", pick(), *(g.c(v) for v in NORM)),
        lambda: g("Clip", pick(), g.c(-1), g.c(float(r.uniform(0, 2)))),
    ]
    if not quantized:
        makers = [m for m in makers if "qdq" not in m.__code__.co_names]
    for _ in range(14):
        pool.append(makers[int(r.integers(len(makers)))]())
    outputs = [pool[-1], *(v for v in pool[1:-1] if r.random() < 0.15)]
    return g, list(dict.fromkeys(outputs))


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs(seed, tmp_path):
    """The same bits as the model that was prepared but never was the library's."""
    g, outputs = random_graph(seed)
    back = converted(g.model(*outputs), tmp_path)
    only_prepared = load_model(tmp_path / "model.onnx")
    normalize(only_prepared.module, int8=True)
    convert_back(back.module)
    expected = run(model_proto(only_prepared.module, only_prepared.store), g.x)
    for a, b in zip(expected, run(model_proto(back.module, back.store), g.x), strict=True):
        np.testing.assert_array_equal(b, a)


@pytest.mark.parametrize("seed", range(100, 125))
def test_random_real_graphs(seed, tmp_path):
    """Without rounding to integers the numbers of the original stay too, within that of float32."""
    g, outputs = random_graph(seed, quantized=False)
    round_trip(g, outputs, tmp_path, rtol=1e-5)
