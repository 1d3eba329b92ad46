"""normalize-onnx{int8=true}: the same numbers in ONNX Runtime, and the forms that fuse."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_onnx_to_top.check import top_level_ops
from autosplit.lowering.normalize_onnx import normalize
from autosplit.platforms import Model, load_model

ort = pytest.importorskip("onnxruntime")

RANDOM = np.random.default_rng(11)
X = RANDOM.standard_normal((2, 4, 6, 5)).astype(np.float32)
F = np.float32


class Graph:
    """An ONNX model of one input `x` in the making; each method gives the name of a new value."""

    def __init__(self, opset: int = 17, x: np.ndarray = X, symbolic: bool = False):
        self.opset = opset
        self.x = x
        self.symbolic = symbolic
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def c(self, value, dtype=F) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.array(value, dtype)
        return name

    def __call__(self, kind: str, *inputs: str, **attributes) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"n_{name}", **attributes))
        return name

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
        imports = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=8)
        found = {i.name: i for i in onnx.shape_inference.infer_shapes(model).graph.output}
        for output in model.graph.output:
            inferred = found[output.name].type.tensor_type.elem_type
            output.type.tensor_type.elem_type = inferred or TensorProto.FLOAT
        return model


def run(model: onnx.ModelProto, x: np.ndarray) -> list[np.ndarray]:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def prepared(model: onnx.ModelProto, folder: Path) -> tuple[Model, onnx.ModelProto]:
    path = folder / "model.onnx"
    onnx.save(model, path)
    loaded = load_model(path)
    normalize(loaded.module, int8=True)
    loaded.module.verify()
    return loaded, model_proto(loaded.module, loaded.store)


def check(g: Graph, outputs, folder: Path, kinds: dict[str, int], rtol: float = 0.0) -> Model:
    """Prepares, compares the numbers, and the ops that are left (constants aside)."""
    outputs = [outputs] if isinstance(outputs, str) else outputs
    model = g.model(*outputs)
    loaded, after = prepared(model, folder)
    assert Counter(op.op_type for op in top_level_ops(loaded.module)) == kinds
    for a, b in zip(run(model, g.x), run(after, g.x), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        atol = rtol * np.abs(a).max(initial=0) if rtol else 0.0
        np.testing.assert_allclose(b, a, rtol=rtol, atol=atol)
    return loaded


# Binary ops


@pytest.mark.parametrize(
    ("kind", "number"), [("Add", 0), ("Sub", 0), ("Sub", -0.0), ("Mul", 1), ("Div", 1)]
)
@pytest.mark.parametrize("shape", [(), (1,), (1, 4, 1, 1), (2, 4, 6, 5)])
def test_neutral_constants_vanish(kind, number, shape, tmp_path):
    g = Graph()
    y = g(kind, g("Relu", "x"), g.c(np.full(shape, number)))
    check(g, g("Neg", y), tmp_path, {"Relu": 1, "Neg": 1})


@pytest.mark.parametrize(("kind", "number"), [("Sub", 0), ("Div", 1)])
def test_a_neutral_number_in_front_stays(kind, number, tmp_path):
    g = Graph(x=np.abs(X) + F(0.5))
    check(g, g(kind, g.c(number), "x"), tmp_path, {kind: 1})


def test_a_neutral_constant_that_broadcasts_stays(tmp_path):
    g = Graph(x=X[:, :1])
    check(g, g("Add", "x", g.c(np.zeros((2, 3, 6, 5)))), tmp_path, {"Add": 1})


def test_a_neutral_constant_against_an_unknown_size_stays(tmp_path):
    g = Graph(symbolic=True)
    check(g, g("Add", "x", g.c(np.zeros((1, 4, 1, 1)))), tmp_path, {"Add": 1})


def test_a_neutral_number_against_an_unknown_size_vanishes(tmp_path):
    g = Graph(symbolic=True)
    check(g, g("Neg", g("Add", "x", g.c(0.0))), tmp_path, {"Neg": 1})


@pytest.mark.parametrize("kind", ["Add", "Mul", "Max", "Min", "Div", "Sub"])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_single_numbers_are_vectors(kind, shape, tmp_path):
    g = Graph()
    loaded = check(g, g(kind, "x", g.c(np.full(shape, 0.3))), tmp_path, {kind: 1})
    (op,) = top_level_ops(loaded.module)
    assert [v.type.get_shape() for v in op.operands] == [X.shape, (1,)]


@pytest.mark.parametrize("kind", ["Add", "Mul", "Max", "Min"])
def test_a_number_in_front_changes_places(kind, tmp_path):
    g = Graph()
    loaded = check(g, g(kind, g.c(0.3), "x"), tmp_path, {kind: 1})
    (op,) = top_level_ops(loaded.module)
    assert [v.type.get_shape() for v in op.operands] == [X.shape, (1,)]


@pytest.mark.parametrize("kind", ["Sub", "Div"])
def test_order_matters_to_sub_and_div(kind, tmp_path):
    g = Graph()
    loaded = check(g, g(kind, g.c(0.3), "x"), tmp_path, {kind: 1})
    (op,) = top_level_ops(loaded.module)
    assert op.operands[0].type.get_shape() == ()


def test_integers_stay(tmp_path):
    g = Graph(x=np.arange(6).reshape(2, 3))
    loaded = check(g, g("Add", "x", g.c(3, np.int64)), tmp_path, {"Add": 1})
    (op,) = top_level_ops(loaded.module)
    assert op.operands[1].type.get_shape() == ()


def test_a_constant_of_higher_rank_stays(tmp_path):
    g = Graph(x=X[0, 0, 0])
    loaded = check(g, g("Mul", "x", g.c([[[0.3]]])), tmp_path, {"Mul": 1})
    (op,) = top_level_ops(loaded.module)
    assert op.results[0].type.get_shape() == (1, 1, 5)


# Activations


def _gelu_erf(g, order):
    x = g("Neg", "x")
    scaled = g("Div", x, g.c(2**0.5)) if order != 1 else g("Mul", g.c(2**-0.5), x)
    gate = g("Add", g("Erf", scaled), g.c(1))
    if order == 0:
        return g("Mul", g("Mul", x, gate), g.c(0.5))
    if order == 1:
        return g("Mul", x, g("Mul", g.c(0.5), gate))
    if order == 2:
        return g("Mul", g("Mul", g.c(0.5), x), gate)
    return g("Div", g("Mul", gate, x), g.c(2))


def _gelu_tanh(g, order):
    x = g("Neg", "x")
    k = g.c((2 / np.pi) ** 0.5)
    if order == 0:
        cube = g("Mul", g("Pow", x, g.c(3)), g.c(0.044715))
        inner = g("Mul", g("Add", x, cube), k)
    elif order == 1:
        cube = g("Mul", g.c(0.044715), g("Mul", x, g("Mul", x, x)))
        inner = g("Mul", k, g("Add", cube, x))
    else:
        square = g("Add", g.c(1), g("Mul", g("Mul", g.c(0.044715), x), x))
        inner = g("Mul", g("Mul", x, k), square)
    gate = g("Add", g.c(1), g("Tanh", inner))
    return g("Mul", g("Mul", g.c(0.5), x), gate)


@pytest.mark.parametrize("order", range(4))
def test_gelu(order, tmp_path):
    g = Graph()
    check(g, _gelu_erf(g, order), tmp_path, {"Neg": 1, "Gelu": 1}, rtol=1e-6)


@pytest.mark.parametrize("order", range(3))
def test_gelu_by_tanh(order, tmp_path):
    g = Graph()
    loaded = check(g, _gelu_tanh(g, order), tmp_path, {"Neg": 1, "Gelu": 1}, rtol=1e-6)
    op = top_level_ops(loaded.module)[-1]
    assert op.attribute("approximate") == "tanh"


def test_a_gelu_is_named_after_all_its_ops(tmp_path):
    from autosplit.dialects.platform import location_names

    g = Graph()
    loaded = check(g, _gelu_erf(g, 0), tmp_path, {"Neg": 1, "Gelu": 1}, rtol=1e-6)
    op = top_level_ops(loaded.module)[-1]
    assert sorted(location_names(op.location)) == [f"n_v{i}" for i in range(1, 6)]
    assert op.output_names == ["v5"]


@pytest.mark.parametrize("number", [0.4, 1.0])
def test_no_gelu_without_its_half(number, tmp_path):
    g = Graph()
    gate = g("Add", g("Erf", g("Div", "x", g.c(2**0.5))), g.c(1))
    kept = {"Erf": 1, "Div": 1, "Add": 1, "Mul": 2 if number != 1.0 else 1}
    check(g, g("Mul", g("Mul", "x", gate), g.c(number)), tmp_path, kept)


def test_no_gelu_whose_inside_is_read(tmp_path):
    g = Graph()
    gate = g("Add", g("Erf", g("Div", "x", g.c(2**0.5))), g.c(1))
    y = g("Mul", g("Mul", "x", gate), g.c(0.5))
    kept = {"Erf": 1, "Div": 1, "Add": 1, "Mul": 2}
    check(g, [y, gate], tmp_path, kept)


def test_no_gelu_of_another_shape(tmp_path):
    """The half has more dimensions than x, and so has the product."""
    g = Graph(x=X[0, 0])
    gate = g("Add", g("Erf", g("Div", "x", g.c(2**0.5))), g.c(1))
    kept = {"Erf": 1, "Div": 1, "Add": 1, "Mul": 2}
    check(g, g("Mul", g("Mul", "x", g.c([[[0.5]]])), gate), tmp_path, kept)


def test_no_hard_swish_of_integers(tmp_path):
    g = Graph(x=np.arange(-6, 6, dtype=np.int32).reshape(3, 4))
    three, none, six = (g.c(n, np.int32) for n in (3, 0, 6))
    clip = g("Clip", g("Add", "x", three), none, six)
    kept = {"Clip": 1, "Add": 1, "Mul": 1, "Div": 1}
    check(g, g("Div", g("Mul", "x", clip), six), tmp_path, kept)


@pytest.mark.parametrize("form", range(4))
def test_hard_swish(form, tmp_path):
    g = Graph(x=X * F(3))
    if form == 3:
        y = g("Mul", "x", g("HardSigmoid", "x", alpha=1 / 6, beta=0.5))
    else:
        clip = g("Clip", g("Add", "x", g.c(3)), g.c(0), g.c(6))
        y = [
            lambda: g("Div", g("Mul", "x", clip), g.c(6)),
            lambda: g("Mul", "x", g("Div", clip, g.c(6))),
            lambda: g("Mul", g("Mul", clip, "x"), g.c(1 / 6)),
        ][form]()
    check(g, y, tmp_path, {"HardSwish": 1}, rtol=1e-6)


def test_no_hard_swish_of_other_bounds(tmp_path):
    g = Graph(x=X * F(3))
    clip = g("Clip", g("Add", "x", g.c(3)), g.c(0), g.c(5))
    kept = {"Clip": 1, "Add": 1, "Mul": 1, "Div": 1}
    check(g, g("Div", g("Mul", "x", clip), g.c(6)), tmp_path, kept)


def test_mish(tmp_path):
    g = Graph()
    check(g, g("Mul", g("Tanh", g("Softplus", "x")), "x"), tmp_path, {"Mish": 1}, rtol=1e-6)


def test_silu_stays_sigmoid_and_mul(tmp_path):
    g = Graph()
    check(g, g("Mul", "x", g("Sigmoid", "x")), tmp_path, {"Sigmoid": 1, "Mul": 1})


def test_a_division_by_a_value_is_no_factor(tmp_path):
    g = Graph(x=np.abs(X) + F(1))
    gate = g("Add", g("Erf", g("Div", "x", g.c(2**0.5))), g.c(1))
    kept = {"Erf": 1, "Add": 1, "Mul": 1, "Div": 2}
    check(g, g("Div", g("Mul", g.c(0.5), gate), "x"), tmp_path, kept)


# Batch normalization


def batch_norm(g, x, channels, negative=False):
    r = np.random.default_rng(3)
    gamma = r.uniform(0.5, 2, channels)
    gamma[0] *= -1 if negative else 1
    values = (
        gamma,
        r.standard_normal(channels),
        r.standard_normal(channels),
        r.uniform(0.5, 2, channels),
    )
    return g("BatchNormalization", x, *(g.c(v) for v in values), epsilon=1e-3)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("group", [1, 2])
def test_batch_norm_folds_into_conv(bias, group, tmp_path):
    g = Graph()
    w = g.c(RANDOM.standard_normal((6, 4 // group, 3, 3)))
    inputs = ["x", w, *([g.c(RANDOM.standard_normal(6))] if bias else [])]
    y = batch_norm(g, g("Conv", *inputs, group=group), 6, negative=True)
    check(g, g("Relu", y), tmp_path, {"Conv": 1, "Relu": 1}, rtol=2e-6)


def test_batch_norm_folds_into_conv_transpose(tmp_path):
    g = Graph()
    y = batch_norm(g, g("ConvTranspose", "x", g.c(RANDOM.standard_normal((4, 3, 2, 2)))), 3)
    check(g, y, tmp_path, {"ConvTranspose": 1}, rtol=2e-6)


def test_batch_norm_stays_behind_a_grouped_conv_transpose(tmp_path):
    g = Graph()
    w = g.c(RANDOM.standard_normal((4, 3, 2, 2)))
    y = batch_norm(g, g("ConvTranspose", "x", w, group=2), 6)
    check(g, y, tmp_path, {"ConvTranspose": 1, "BatchNormalization": 1})


@pytest.mark.parametrize("transposed", [0, 1])
def test_batch_norm_folds_into_gemm(transposed, tmp_path):
    g = Graph(x=X.reshape(-1, 30))
    w = g.c(RANDOM.standard_normal((7, 30) if transposed else (30, 7)))
    bias = g.c(RANDOM.standard_normal((1, 7)))
    y = batch_norm(g, g("Gemm", "x", w, bias, transB=transposed, beta=0.5), 7)
    check(g, y, tmp_path, {"Gemm": 1}, rtol=2e-6)


def quantized_gemm(g, bias, **attributes):
    q = g.c(RANDOM.integers(-63, 64, (30, 7)), np.int8)
    scale, zero = g.c(RANDOM.uniform(0.01, 0.02, 7)), g.c(np.zeros(7), np.int8)
    inputs = ["x", g("DequantizeLinear", q, scale, zero, axis=1)]
    if bias == "quantized":
        b = g.c(RANDOM.integers(-999, 999, 7), np.int32)
        inputs.append(g("DequantizeLinear", b, g.c(0.001)))
    elif bias == "computed":
        inputs.append(g("ReduceMean", g("Gemm", "x", g.c(RANDOM.random((30, 7)))), axes=[0]))
    return g("Gemm", *inputs, **attributes)


@pytest.mark.parametrize("bias", ["none", "quantized", "computed"])
@pytest.mark.parametrize("alpha", [0.5, 0.3, -0.3, 0.0])
@pytest.mark.parametrize("beta", [1.0, -2.0, 0.0])
def test_alpha_and_beta_of_a_quantized_gemm(bias, alpha, beta, tmp_path):
    g = Graph(x=X.reshape(-1, 30))
    model = g.model(quantized_gemm(g, bias, alpha=alpha, beta=beta))
    loaded, after = prepared(model, tmp_path)
    (old,), (new,) = run(model, g.x), run(after, g.x)
    # Of powers of two exact, but for the order of a sum and a product.
    np.testing.assert_allclose(new, old, rtol=1e-6, atol=2e-6 * np.abs(old).max())
    ops = [op for op in top_level_ops(loaded.module) if op.op_type == "Gemm"]
    assert not any(name in op.fields for op in ops for name in ("alpha", "beta"))
    behind = {op.op_type for op in top_level_ops(loaded.module)}
    assert ("Mul" in behind) == (alpha <= 0 or (bias == "computed" and beta == -2))


def test_the_scales_take_a_power_of_two_exactly(tmp_path):
    g = Graph(x=X.reshape(-1, 30))
    check(g, quantized_gemm(g, "none", alpha=0.25), tmp_path, {"DequantizeLinear": 1, "Gemm": 1})


def test_alpha_of_a_float_gemm_stays(tmp_path):
    g = Graph(x=X.reshape(-1, 30))
    y = g("Gemm", "x", g.c(RANDOM.random((30, 7))), alpha=0.5)
    loaded = check(g, y, tmp_path, {"Gemm": 1})
    assert [op.attribute("alpha") for op in top_level_ops(loaded.module)] == [0.5]


def quantized_conv(g, per_channel, bias=True):
    q = g.c(RANDOM.integers(-63, 64, (6, 4, 3, 3)), np.int8)
    if per_channel:
        scale, zero = g.c(RANDOM.uniform(0.01, 0.02, 6)), g.c(np.zeros(6), np.int8)
    else:
        scale, zero = g.c(0.015), g.c(0, np.int8)
    inputs = ["x", g("DequantizeLinear", q, scale, zero, axis=0)]
    if bias:
        b = g.c(RANDOM.integers(-999, 999, 6), np.int32)
        inputs.append(g("DequantizeLinear", b, g.c(0.001)))
    return g("Conv", *inputs)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_batch_norm_folds_into_the_scales_of_quantized_weights(per_channel, bias, tmp_path):
    g = Graph()
    y = batch_norm(g, quantized_conv(g, per_channel, bias), 6)
    loaded = check(g, y, tmp_path, {"DequantizeLinear": 1, "Conv": 1}, rtol=2e-6)
    weights = top_level_ops(loaded.module)[0]
    assert weights.attribute("axis") == 0
    assert weights.operands[1].type.get_shape() == (6,)


def test_a_negative_factor_leaves_quantized_weights_alone(tmp_path):
    g = Graph()
    y = batch_norm(g, quantized_conv(g, True, False), 6, negative=True)
    check(g, y, tmp_path, {"DequantizeLinear": 1, "Conv": 1, "BatchNormalization": 1})


def test_a_factor_that_leaves_no_scale_stays(tmp_path):
    """A channel that was pruned to nearly nothing would have quantized weights of scale 0."""
    g = Graph()
    statistics = [g.c([1] * 5 + [1e-44]), *(g.c([value] * 6) for value in (0, 0, 1))]
    y = g("BatchNormalization", quantized_conv(g, False, False), *statistics)
    check(g, y, tmp_path, {"DequantizeLinear": 1, "Conv": 1, "BatchNormalization": 1})


def test_batch_norm_stays_where_the_convolution_is_read_elsewhere(tmp_path):
    g = Graph()
    conv = g("Conv", "x", g.c(RANDOM.standard_normal((6, 4, 3, 3))))
    y = batch_norm(g, conv, 6)
    check(g, [y, conv], tmp_path, {"Conv": 1, "BatchNormalization": 1})


def test_quantized_weights_stay_quantized(tmp_path):
    g = Graph()
    check(g, quantized_conv(g, True), tmp_path, {"DequantizeLinear": 2, "Conv": 1})


@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_quantized_number_is_a_number(shape, tmp_path):
    g = Graph()
    q = g.c(np.full(shape, 7), np.uint8)
    y = g("Add", g("DequantizeLinear", q, g.c(0.1), g.c(3, np.uint8)), "x")
    loaded = check(g, y, tmp_path, {"Add": 1})
    (op,) = top_level_ops(loaded.module)
    assert [v.type.get_shape() for v in op.operands] == [X.shape, (1,)]


def test_without_int8_quantized_weights_fold(tmp_path):
    g = Graph()
    model = g.model(quantized_conv(g, True))
    onnx.save(model, tmp_path / "model.onnx")
    loaded = load_model(tmp_path / "model.onnx")
    normalize(loaded.module)
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["Conv"]


# Casts and sizes

CHAINS = [
    ("float32", ["float64", "float32"], 0),
    ("float32", ["float16", "float32"], 2),
    ("int8", ["float32", "int8"], 0),
    ("int8", ["int32", "float32"], 1),
    ("int32", ["int64", "int8"], 1),
    ("int32", ["float32", "int64"], 2),
    ("int16", ["float32", "int8"], 2),
    ("bool", ["int64", "float32"], 1),
    ("uint8", ["int8", "int32"], 2),
    ("int64", ["int64", "int64"], 0),
]


@pytest.mark.parametrize(("start", "chain", "left"), CHAINS)
def test_casts(start, chain, left, tmp_path):
    x = np.arange(-8, 8).astype(start) if start != "bool" else np.array([True, False])
    g = Graph(x=x)
    y = "x"
    for to in chain:
        y = g("Cast", y, to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))
    y = g("Reshape", y, g.c([-1], np.int64))
    check(g, y, tmp_path, {"Reshape": 1} | ({"Cast": left} if left else {}))


def test_sizes_are_read_before_the_ops_that_keep_them(tmp_path):
    g = Graph(symbolic=True)
    q = g("QuantizeLinear", g("Relu", "x"), g.c(0.1), g.c(3, np.uint8))
    y = g("DequantizeLinear", q, g.c(0.1), g.c(3, np.uint8))
    shape = g("Shape", y)
    kept = {"QuantizeLinear": 1, "Relu": 1, "DequantizeLinear": 1, "Shape": 1}
    loaded = check(g, [y, shape], tmp_path, kept)
    (op,) = (op for op in top_level_ops(loaded.module) if op.op_type == "Shape")
    assert not isinstance(op.operands[0].owner, OnnxOp)


def test_a_size_behind_an_op_that_changes_it_stays(tmp_path):
    g = Graph(symbolic=True)
    pooled = g("MaxPool", "x", kernel_shape=[2, 2])
    shape = g("Shape", pooled)
    check(g, [g("Relu", pooled), shape], tmp_path, {"MaxPool": 1, "Shape": 1, "Relu": 1})


def test_the_first_size_is_read_before_convolutions_too(tmp_path):
    g = Graph(symbolic=True)
    pooled = g("Relu", g("MaxPool", "x", kernel_shape=[2, 2]))
    batch = g("Gather", g("Shape", pooled), g.c([0], np.int64))
    loaded = check(g, [pooled, batch], tmp_path, {"MaxPool": 1, "Relu": 1, "Shape": 1, "Gather": 1})
    (op,) = (op for op in top_level_ops(loaded.module) if op.op_type == "Shape")
    assert not isinstance(op.operands[0].owner, OnnxOp)


@pytest.mark.parametrize("index", [0, 1, [0, 1]])
@pytest.mark.parametrize("quantized", [True, False])
def test_sizes_are_read_where_a_chain_ends(index, quantized, tmp_path):
    g = Graph(symbolic=True)
    moved = g("Transpose", "x", perm=[0, 2, 3, 1])
    relu = g("Relu", moved)
    size = g("Gather", g("Shape", relu), g.c(index, np.int64))
    end = g("Sigmoid", relu)
    if quantized:
        end = g("QuantizeLinear", end, g.c(0.01), g.c(3, np.uint8))
    kinds = {"Transpose": 1, "Relu": 1, "Shape": 1, "Gather": 1, "Sigmoid": 1}
    kinds |= {"QuantizeLinear": 1} if quantized else {}
    loaded = check(g, [end, size], tmp_path, kinds)
    (op,) = (op for op in top_level_ops(loaded.module) if op.op_type == "Shape")
    made = op.operands[0].owner
    assert isinstance(made, OnnxOp)
    assert made.op_type == ("QuantizeLinear" if quantized else "Sigmoid")


INFINITY = float("inf")


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        ((), 0),
        ((None, None), 0),
        ((-INFINITY,), 0),
        ((None, INFINITY), 0),
        ((-INFINITY, INFINITY), 0),
        ((INFINITY,), 1),
        ((None, -INFINITY), 1),
        ((-INFINITY, 1.0), 1),
        ((-3e38, 3e38), 1),
        ((np.nan,), 1),
    ],
)
def test_a_clip_without_bounds_vanishes(bounds, left, tmp_path):
    g = Graph()
    inputs = ["" if b is None else g.c(b) for b in bounds]
    y = g("Neg", g("Clip", g("Relu", "x"), *inputs))
    check(g, y, tmp_path, {"Relu": 1, "Neg": 1} | ({"Clip": 1} if left else {}))


# Ops of ONNX Runtime's own

MICROSOFT = "com.microsoft"


def runtime_op(kind, shape, *operands, outputs=("y",), **attributes) -> onnx.ModelProto:
    """A model of one such op; its first operand is the input, None is one that is left out."""
    constants = {f"c{i}": np.asarray(a, F) for i, a in enumerate(operands) if a is not None}
    names = [f"c{i}" if a is not None else "" for i, a in enumerate(operands)]
    node = helper.make_node(kind, ["x", *names], outputs, "op", domain=MICROSOFT, **attributes)
    given = [o for o in outputs if o]
    graph = helper.make_graph(
        [node, *(helper.make_node("Neg", [o], [f"{o}_out"]) for o in given)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(f"{o}_out", TensorProto.FLOAT, None) for o in given],
        [numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(F)


ROWS, IMAGE = (2, 3, 8), (1, 4, 6, 6)
KERNEL = numbers(5, 4, 3, 3)
RUNTIME_OPS = {
    "gelu": (runtime_op("Gelu", ROWS), ["Gelu"]),
    "bias gelu": (runtime_op("BiasGelu", ROWS, numbers(8)), ["Add", "Gelu"]),
    "fast gelu": (runtime_op("FastGelu", ROWS), ["Gelu"]),
    "fast gelu with a bias": (runtime_op("FastGelu", ROWS, numbers(8)), ["Add", "Gelu"]),
    "quick gelu": (runtime_op("QuickGelu", ROWS), ["Mul", "Mul", "Sigmoid"]),
    "silu": (runtime_op("QuickGelu", ROWS, alpha=1.0), ["Mul", "Sigmoid"]),
    "conv, relu": (
        runtime_op("FusedConv", IMAGE, KERNEL, numbers(5), activation="Relu", pads=[1] * 4),
        ["Conv", "Relu"],
    ),
    "conv, sum, leaky relu": (
        runtime_op(
            "FusedConv", IMAGE, KERNEL, numbers(5), numbers(1, 5, 4, 4), activation="LeakyRelu",
            activation_params=[0.25],
        ),
        ["Add", "Conv", "LeakyRelu"],
    ),
    "conv, clip": (
        runtime_op(
            "FusedConv", IMAGE, KERNEL, activation="Clip", activation_params=[-0.5, 1.5]
        ),
        ["Clip", "Conv"],
    ),
    "gemm, tanh": (
        runtime_op("FusedGemm", (3, 8), numbers(5, 8), numbers(5), transB=1, activation="Tanh"),
        ["Gemm", "Tanh"],
    ),
    "gemm, leaky relu": (
        runtime_op(
            "FusedGemm", (3, 8), numbers(8, 5), numbers(5), activation="LeakyRelu",
            activation_alpha=0.25, alpha=0.5,
        ),
        ["Gemm", "LeakyRelu"],
    ),
    "matmul, turned": (
        runtime_op("FusedMatMul", ROWS, numbers(5, 8), transB=1, alpha=0.125), ["MatMul", "Mul"]
    ),
    "skip layer norm": (
        runtime_op("SkipLayerNormalization", ROWS, numbers(*ROWS), numbers(8), numbers(8)),
        ["Add", "LayerNormalization"],
    ),
    "skip layer norm with its sum": (
        runtime_op(
            "SkipLayerNormalization", ROWS, numbers(*ROWS), numbers(8), numbers(8), numbers(8),
            outputs=("y", "", "", "sum"), epsilon=1e-5,
        ),
        ["Add", "Add", "LayerNormalization"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNTIME_OPS)
def test_an_op_of_onnx_runtime_is_ops_of_onnx(name, tmp_path):
    model, kinds = RUNTIME_OPS[name]
    loaded, after = prepared(model, tmp_path)
    ops = [op for op in top_level_ops(loaded.module) if op.op_type not in ("Neg", "Transpose")]
    assert sorted(op.op_type for op in ops) == kinds
    assert {op.domain for op in ops} == {""}
    shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    x = numbers(*shape)
    for a, b in zip(run(model, x), run(after, x), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(
    "model",
    [
        runtime_op("FusedConv", IMAGE, KERNEL, activation="Own"),
        runtime_op("FusedConv", IMAGE, KERNEL, activation="LeakyRelu"),
        runtime_op("FusedMatMul", ROWS, numbers(2, 8, 5), transBatchA=1),
    ],
    ids=["activation", "numbers", "batches"],
)
def test_an_op_of_onnx_runtime_that_stays(model, tmp_path):
    loaded, _ = prepared(model, tmp_path)
    kinds = {op.op_type for op in top_level_ops(loaded.module)}
    assert model.graph.node[0].op_type in kinds


# Splits of what was joined


def heads(g: Graph, axis: int, sizes: tuple[int, ...], behind: str) -> list[str]:
    """Two scales of boxes and scores, joined, and split again."""
    scales: list[str] = []
    for image in ("x", g("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2])):
        boxes, scores = g("Relu", image), g("Concat", g("Neg", image), image, axis=axis)
        joined = g("Concat", boxes, scores, axis=axis)
        if behind == "flat":
            joined = g("Reshape", joined, g.c([2, 12, -1], np.int64))
        scales.append(joined)
    whole = g("Concat", *scales, axis=-1)
    names = [f"part_{i}" for i in range(len(sizes))]
    split = ["Split", [whole, g.c(sizes, np.int64)], names]
    g.nodes.append(helper.make_node(*split, axis=axis, name="split"))
    return names


def test_a_split_of_joined_heads_joins_less(tmp_path):
    g = Graph()
    kinds = {"MaxPool": 1, "Relu": 2, "Neg": 2, "Concat": 4, "Reshape": 4}
    check(g, heads(g, 1, (4, 8), "flat"), tmp_path, kinds)


def test_a_split_without_reshapes(tmp_path):
    g = Graph(x=X[:, :, :, :1])
    g.nodes.clear()
    scales = [g("Concat", g("Relu", x), g("Neg", x), axis=1) for x in ("x", g("Abs", "x"))]
    whole = g("Concat", *scales, axis=-1)
    g.nodes.append(helper.make_node("Split", [whole], ["a", "b"], axis=-3, name="split"))
    check(g, ["a", "b"], tmp_path, {"Abs": 1, "Relu": 2, "Neg": 2, "Concat": 2})


@pytest.mark.parametrize("sizes", [(8, 4), (4, 4, 4), (6, 6)])
def test_a_split_elsewhere_stays(sizes, tmp_path):
    g = Graph()
    kinds = {"MaxPool": 1, "Relu": 2, "Neg": 2, "Concat": 5, "Reshape": 2, "Split": 1}
    check(g, heads(g, 1, sizes, "flat"), tmp_path, kinds)


def test_a_split_of_what_is_read_stays(tmp_path):
    g = Graph()
    parts = heads(g, 1, (4, 8), "flat")
    (whole,) = {n.input[0] for n in g.nodes if n.op_type == "Split"}
    kinds = {"MaxPool": 1, "Relu": 2, "Neg": 2, "Concat": 5, "Reshape": 2, "Split": 1}
    check(g, [*parts, whole], tmp_path, kinds)


def test_a_split_along_the_axis_that_is_joined_stays(tmp_path):
    g = Graph()
    whole = g("Concat", g("Concat", "x", "x", axis=1), g("Concat", "x", "x", axis=1), axis=1)
    g.nodes.append(helper.make_node("Split", [whole], ["a", "b"], axis=1, name="split"))
    check(g, ["a", "b"], tmp_path, {"Concat": 3, "Split": 1})


@pytest.mark.parametrize(("last", "splits"), [(30, 0), (15, 1)])
def test_a_reshape_of_open_sizes_must_leave_those_in_front(last, splits, tmp_path):
    """To 15, a batch of n pictures of 30 elements is one of 2n."""
    g = Graph(symbolic=True)
    fixed = g("Reshape", "x", g.c([-1, 4, 6, 5], np.int64))
    scales = [
        g("Reshape", g("Concat", g(kind, fixed), fixed, axis=1), g.c([-1, 8, last], np.int64))
        for kind in ("Relu", "Neg")
    ]
    whole = g("Concat", *scales, axis=-1)
    split = ["Split", [whole, g.c([4, 4], np.int64)], ["a", "b"]]
    g.nodes.append(helper.make_node(*split, axis=1, name="split"))
    kinds = {"Relu": 1, "Neg": 1, "Reshape": 3, "Concat": 3, "Split": 1}
    if not splits:
        kinds = {"Relu": 1, "Neg": 1, "Reshape": 5, "Concat": 2}
    check(g, ["a", "b"], tmp_path, kinds)


@pytest.mark.parametrize(
    ("image", "flat", "splits"),
    [
        ([2, 4, 6, 0], [2, 8, -1], 0),
        ([-1, 4, 6, 5], [0, 8, -1], 0),
        ([0, 4, 6, 0], [0, 8, -1], 1),
    ],
)
def test_a_split_of_joined_heads_of_open_sizes(image, flat, splits, tmp_path):
    """If batch and image are open, a Reshape may move numbers from one picture to another."""
    g = Graph(symbolic=True)
    fixed = g("Reshape", "x", g.c(image, np.int64))
    scales: list[str] = []
    for x in (fixed, g("MaxPool", fixed, kernel_shape=[2, 2], strides=[2, 2])):
        whole = g("Concat", g("Relu", x), g("Neg", x), axis=1)
        scales.append(g("Reshape", whole, g.c(flat, np.int64)))
    joined = g("Concat", *scales, axis=2)
    split = ["Split", [joined, g.c([4, 4], np.int64)], ["a", "b"]]
    g.nodes.append(helper.make_node(*split, axis=1, name="split"))
    kinds = {"MaxPool": 1, "Relu": 2, "Neg": 2, "Reshape": 3, "Concat": 3, "Split": 1}
    if not splits:
        kinds = {"MaxPool": 1, "Relu": 2, "Neg": 2, "Reshape": 5, "Concat": 2}
    check(g, ["a", "b"], tmp_path, kinds)


@pytest.mark.parametrize("view", ["Flatten", "Reshape"])
def test_a_batch_norm_of_rows(view, tmp_path):
    """As in a LeViT: the norm goes into the product, and what is reshaped back was never reshaped."""
    g = Graph(x=RANDOM.standard_normal((2, 6, 5)).astype(F))
    product = g("MatMul", "x", g.c(RANDOM.standard_normal((5, 8))))
    rows = g("Flatten", product, axis=2) if view == "Flatten" else None
    rows = rows or g("Reshape", product, g.c([12, 8], np.int64))
    gamma, beta, mean = (g.c(RANDOM.standard_normal(8)) for _ in range(3))
    normed = g("BatchNormalization", rows, gamma, beta, mean, g.c(RANDOM.uniform(0.5, 2, 8)))
    back = g("Reshape", normed, g.c([2, 6, 8], np.int64))
    kinds = {"MatMul": 1, "Add": 1, "HardSwish": 1}
    check(g, g("HardSwish", back), tmp_path, kinds, rtol=1e-4)


def test_a_batch_norm_of_mixed_rows_stays(tmp_path):
    g = Graph(x=RANDOM.standard_normal((2, 6, 5)).astype(F))
    product = g("MatMul", "x", g.c(RANDOM.standard_normal((5, 8))))
    rows = g("Reshape", product, g.c([24, 4], np.int64))
    gamma, beta, mean = (g.c(RANDOM.standard_normal(4)) for _ in range(3))
    normed = g("BatchNormalization", rows, gamma, beta, mean, g.c(RANDOM.uniform(0.5, 2, 4)))
    kinds = {"MatMul": 1, "Reshape": 2, "BatchNormalization": 1}
    check(g, g("Reshape", normed, g.c([2, 6, 8], np.int64)), tmp_path, kinds)
