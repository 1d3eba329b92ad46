"""The numpy reference of the `dnnl` dialect against ONNX Runtime, op by op, and against oneDNN itself."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Block, Region

from autosplit.core.dtypes import tensor_type_of
from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import GraphOp, PartitionOp, ReturnOp, element_type_named, make_op
from autosplit.dialects.dnnl.shapes import result_shapes
from autosplit.interpret.dnnl import run
from autosplit.interpret.dnnl_ops import KERNELS

ort = pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

Array: TypeAlias = NDArray[Any]
FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def element(dtype: str) -> Any:
    found = element_type_named(dtype)
    assert found is not None
    return found


def block_of(inputs: Sequence[Array]) -> Block:
    return Block(arg_types=[tensor_type_of(a) for a in inputs])


def ours(kind: str, inputs: Sequence[Array], *results: str, **attrs: Any) -> list[Array]:
    """What the reference computes for one op; the shapes are also those that the shape rule says."""
    block = block_of(inputs)
    names = results or ("f32",)
    types = [UnrankedTensorType(element(n)) for n in names]
    op = make_op(kind, list(block.args), types, **attrs)
    block.add_ops([op, ReturnOp(list(op.results))])
    graph = graph_of(block)
    graph.verify()
    found = run(graph, inputs)
    for array, shape in zip(found, result_shapes(op) or (), strict=False):
        assert shape in (None, array.shape)
    return found


def graph_of(block: Block) -> GraphOp:
    from xdsl.dialects.builtin import StringAttr

    header = {"version": "3.2.0", "engine_kind": "cpu", "fpmath_mode": "strict"}
    return GraphOp.create(
        properties={k: StringAttr(v) for k, v in header.items()}, regions=[Region(block)]
    )


def theirs(
    kind: str, inputs: Sequence[Array | None], opset: int = 21, outputs: int = 1, /, **attrs: Any
) -> list[Array]:
    """What ONNX Runtime computes for one node, without any of its optimizations."""
    from onnx import helper

    fed = {f"x{i}": a for i, a in enumerate(inputs) if a is not None}
    names = [f"x{i}" if a is not None else "" for i, a in enumerate(inputs)]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(kind, names, results, **attrs)
    infos = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in fed.items()
    ]
    last = inputs[-1] if kind == "QuantizeLinear" else None
    dtype = np.dtype(np.float32) if last is None else last.dtype
    dtype = np.dtype(np.bool_) if kind == "GreaterOrEqual" else dtype
    type = helper.np_dtype_to_tensor_dtype(dtype)
    given = [helper.make_tensor_value_info(r, type, None) for r in results]
    graph = helper.make_graph([node], "g", infos, given)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, fed)


def close(found: Array, expected: Array, tolerance: float = 2e-5) -> None:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def floats(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def to_nxc(x: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


@st.composite
def windows(draw: st.DrawFn, *, transposed: bool = False) -> dict[str, Any]:
    """The attributes of a window over one to three dimensions, and input sizes that it fits."""
    count = draw(st.integers(1, 3))

    def numbers(low: int, high: int) -> list[int]:
        return draw(st.lists(st.integers(low, high), min_size=count, max_size=count))

    kernel, strides, dilations = numbers(1, 3), numbers(1, 3), numbers(1, 2)
    begin, end = numbers(0, 2), numbers(0, 2)
    sizes = [
        d * (k - 1) + 1 + more for k, d, more in zip(kernel, dilations, numbers(0, 4), strict=True)
    ]
    if transposed:
        begin = [min(b, d * (k - 1)) for b, k, d in zip(begin, kernel, dilations, strict=True)]
        end = [
            min(e, d * (k - 1) - b)
            for e, k, d, b in zip(end, kernel, dilations, begin, strict=True)
        ]
    auto_pad = draw(st.sampled_from(["None", "None", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    return {
        "sizes": sizes,
        "kernel": kernel,
        "strides": strides,
        "dilations": dilations,
        "pads_begin": begin,
        "pads_end": end,
        "auto_pad": auto_pad,
    }


def onnx_pads(window: Mapping[str, Any]) -> dict[str, Any]:
    if window["auto_pad"] == "None":
        return {"pads": [*window["pads_begin"], *window["pads_end"]]}
    return {"auto_pad": window["auto_pad"]}


def own(window: Mapping[str, Any], *names: str) -> dict[str, Any]:
    names = names or ("strides", "pads_begin", "pads_end", "dilations", "auto_pad")
    return {n: window[n] for n in names}


@FEW
@given(windows(), st.integers(1, 3), st.integers(1, 2), st.booleans(), st.booleans(), st.booleans())
def test_convolution(
    window: dict[str, Any], groups: int, per: int, bias: bool, last: bool, xio: bool
):
    # ONNX Runtime pads SAME with dilations as if there were none.
    if window["auto_pad"].startswith("SAME"):
        window["dilations"] = [1] * len(window["kernel"])
    x = floats(1, 2, groups * per, *window["sizes"])
    w = floats(2, groups * 2, per, *window["kernel"])
    extra = [floats(3, groups * 2)] if bias else []
    expected = theirs(
        "Conv",
        [x, w, *extra],
        group=groups,
        strides=window["strides"],
        dilations=window["dilations"],
        **onnx_pads(window),
    )[0]
    source = to_nxc(x) if last else x
    weights = np.ascontiguousarray(np.moveaxis(w, (1, 0), (-2, -1))) if xio else w
    found = ours(
        "Convolution",
        [source, weights, *extra],
        groups=groups,
        data_format="NXC" if last else "NCX",
        weights_format="XIO" if xio else "OIX",
        **own(window),
    )[0]
    close(found, to_nxc(expected) if last else expected)


@FEW
@given(
    windows(transposed=True),
    st.integers(1, 2),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2),
)
def test_conv_transpose(
    window: dict[str, Any], groups: int, bias: bool, last: bool, xoi: bool, more: int
):
    # ONNX defines SAME for transposed convolutions otherwise.
    window["auto_pad"] = "None"
    extra = [min(more, s - 1) for s in window["strides"]]
    x = floats(1, 2, groups * 2, *window["sizes"])
    w = floats(2, groups * 2, 3, *window["kernel"])
    biases = [floats(3, groups * 3)] if bias else []
    expected = theirs(
        "ConvTranspose",
        [x, w, *biases],
        group=groups,
        strides=window["strides"],
        dilations=window["dilations"],
        output_padding=extra,
        **onnx_pads(window),
    )[0]
    source = to_nxc(x) if last else x
    # IOX to XOI.
    weights = np.ascontiguousarray(np.moveaxis(w, (1, 0), (-2, -1))) if xoi else w
    found = ours(
        "ConvTranspose",
        [source, weights, *biases],
        groups=groups,
        output_padding=extra,
        data_format="NXC" if last else "NCX",
        weights_format="XOI" if xoi else "IOX",
        **own(window),
    )[0]
    close(found, to_nxc(expected) if last else expected)


@FEW
@given(windows(), st.booleans(), st.booleans(), st.booleans())
def test_pools(window: dict[str, Any], is_max: bool, exclude: bool, last: bool):
    window["dilations"] = [1] * len(window["kernel"])
    # Padding of a whole window is not a window; ONNX Runtime refuses it.
    for name in ("pads_begin", "pads_end"):
        window[name] = [min(p, k - 1) for p, k in zip(window[name], window["kernel"], strict=True)]
    if window["auto_pad"].startswith("SAME"):
        # ONNX Runtime refuses the negative padding of strides that are larger than the window.
        pairs = zip(window["strides"], window["kernel"], strict=True)
        window["strides"] = [min(s, k) for s, k in pairs]
    x = floats(1, 2, 3, *window["sizes"])
    common: dict[str, Any] = {
        "kernel_shape": window["kernel"],
        "strides": window["strides"],
        **onnx_pads(window),
    }
    if is_max:
        expected = theirs("MaxPool", [x], **common)[0]
        attrs: dict[str, Any] = {}
    else:
        expected = theirs("AveragePool", [x], count_include_pad=int(not exclude), **common)[0]
        attrs = {"exclude_pad": exclude}
    found = ours(
        "MaxPool" if is_max else "AvgPool",
        [to_nxc(x) if last else x],
        data_format="NXC" if last else "NCX",
        **own(window, "kernel", "strides", "pads_begin", "pads_end", "auto_pad"),
        **attrs,
    )[0]
    close(found, to_nxc(expected) if last else expected)


@FEW
@given(
    st.integers(3, 9), st.integers(2, 3), st.integers(1, 3), st.integers(0, 1), st.integers(0, 1)
)
def test_pools_that_round_up(size: int, kernel: int, stride: int, begin: int, end: int):
    # By hand: windows from -begin on, as many as reach the padded end.
    x = floats(1, 1, 1, size)
    count = -(-(size + begin + end - kernel) // stride) + 1
    reads = [
        [i for i in range(o * stride - begin, o * stride - begin + kernel) if 0 <= i < size]
        for o in range(count)
    ]
    attrs = {
        "kernel": [kernel],
        "strides": [stride],
        "pads_begin": [begin],
        "pads_end": [end],
        "rounding_type": "ceil",
        "data_format": "NCX",
    }
    most = ours("MaxPool", [x], **attrs)[0]
    mean = ours("AvgPool", [x], exclude_pad=True, **attrs)[0]
    whole = ours("AvgPool", [x], exclude_pad=False, **attrs)[0]
    assert most.shape == (1, 1, count)
    for o, inside in enumerate(reads):
        values = x[0, 0, inside]
        assert most[0, 0, o] == (values.max() if inside else -np.inf)
        close(mean[0, 0, o : o + 1], values.sum(keepdims=True) / np.float32(max(len(inside), 1)))
        close(whole[0, 0, o : o + 1], values.sum(keepdims=True) / np.float32(kernel))


UNARY: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "Abs": ("Abs", {}, {}),
    "Elu": ("Elu", {"alpha": 0.7}, {"alpha": 0.7}),
    "Exp": ("Exp", {}, {}),
    "GELU": ("Gelu", {}, {}),
    "HardSigmoid": ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}, {"alpha": 0.3, "beta": 0.4}),
    "HardSwish": ("HardSwish", {}, {}),
    "LeakyReLU": ("LeakyRelu", {"alpha": 0.2}, {"alpha": 0.2}),
    "LogSoftmax": ("LogSoftmax", {"axis": -1}, {"axis": -1}),
    "Mish": ("Mish", {}, {}),
    "ReLU": ("Relu", {}, {}),
    "Round": ("Round", {}, {}),
    "Sigmoid": ("Sigmoid", {}, {}),
    "SoftMax": ("Softmax", {"axis": 1}, {"axis": 1}),
    "SoftPlus": ("Softplus", {}, {"beta": 1.0}),
    "Tanh": ("Tanh", {}, {}),
}


@pytest.mark.parametrize("kind", UNARY)
def test_unary(kind: str):
    node, given_there, given_here = UNARY[kind]
    halves = np.arange(-3.5, 4.0, 0.5, np.float32)
    x = np.concatenate([floats(1, 1, 3, 60) * 4, np.broadcast_to(halves, (1, 3, 15))], -1)
    # A node that is made of others is a function, which this opset has.
    opset = 22 if kind in ("HardSwish", "Mish") else 21
    expected = theirs(node, [x], opset, **given_there)[0]
    close(ours(kind, [x], **given_here)[0], expected)


def test_gelu_by_tanh():
    x = floats(1, 40) * 3
    close(ours("GELU", [x], mode="gelu_tanh")[0], theirs("Gelu", [x], approximate="tanh")[0])


@pytest.mark.parametrize(
    ("kind", "node", "attrs", "second"),
    [
        ("Clamp", "Clip", {"min": -0.5, "max": 0.7}, [np.float32(-0.5), np.float32(0.7)]),
        ("Log", "Log", {}, []),
        ("Pow", "Pow", {"beta": 1.5}, [np.float32(1.5)]),
        ("Reciprocal", "Reciprocal", {}, []),
        ("Sqrt", "Sqrt", {}, []),
        ("Square", "Pow", {}, [np.float32(2)]),
    ],
)
def test_unary_of_positive_numbers(kind: str, node: str, attrs: dict[str, Any], second: list[Any]):
    x = np.abs(floats(1, 50)) + np.float32(0.1)
    close(ours(kind, [x], **attrs)[0], theirs(node, [x, *map(np.asarray, second)])[0])


@pytest.mark.parametrize(
    ("kind", "node"),
    [
        ("Add", "Add"),
        ("Subtract", "Sub"),
        ("Multiply", "Mul"),
        ("Divide", "Div"),
        ("Maximum", "Max"),
        ("Minimum", "Min"),
    ],
)
@FEW
@given(data=st.data())
def test_binary(kind: str, node: str, data: st.DataObject):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    other = [
        d if keep else 1
        for d, keep in zip(shape, data.draw(st.tuples(*[st.booleans()] * len(shape))), strict=True)
    ]
    a, b = floats(1, *shape), floats(2, *other[data.draw(st.integers(0, len(other) - 1)) :])
    if data.draw(st.booleans()):
        a, b = b, a
    close(ours(kind, [a, b])[0], theirs(node, [a, b])[0])


def test_comparisons_and_choices():
    a, b = floats(1, 3, 4), floats(2, 4)
    found = ours("GreaterEqual", [a, b], "boolean")[0]
    assert np.array_equal(found, theirs("GreaterOrEqual", [a, b])[0])
    condition = floats(3, 3, 1) > 0
    close(ours("Select", [condition, a, b])[0], theirs("Where", [condition, a, b])[0])
    close(ours("SquaredDifference", [a, b])[0], np.square(a - b))
    index = ours("GenIndex", [a], "s32", axis=0)[0]
    assert index.tolist() == [[0] * 4, [1] * 4, [2] * 4]
    slope = floats(4, 4)
    close(ours("PReLU", [a, slope], data_format="NXC")[0], theirs("PRelu", [a, slope])[0])
    x = floats(5, 2, 3, 4)
    close(
        ours("PReLU", [x, slope[:3]], data_format="NCX")[0],
        theirs("PRelu", [x, slope[:3].reshape(3, 1)])[0],
    )


@FEW
@given(st.data())
def test_matmul(data: st.DataObject):
    m, k, n = (data.draw(st.integers(1, 4)) for _ in range(3))
    batch = data.draw(st.lists(st.integers(1, 3), max_size=2))
    kept = [d if data.draw(st.booleans()) else 1 for d in batch]
    a, b = floats(1, *batch, m, k), floats(2, *kept[data.draw(st.integers(0, len(kept))) :], k, n)
    vectors = data.draw(st.sampled_from(["none", "left", "right"]))
    if vectors == "left":
        a = floats(1, k)
    if vectors == "right":
        b = floats(2, k)
    expected = theirs("MatMul", [a, b])[0]
    turn_a, turn_b = data.draw(st.booleans()), data.draw(st.booleans())
    given_a = np.ascontiguousarray(np.swapaxes(a, -1, -2)) if turn_a and a.ndim > 1 else a
    given_b = np.ascontiguousarray(np.swapaxes(b, -1, -2)) if turn_b and b.ndim > 1 else b
    bias = [floats(3, expected.shape[-1])] if expected.ndim and data.draw(st.booleans()) else []
    found = ours("MatMul", [given_a, given_b, *bias], transpose_a=turn_a, transpose_b=turn_b)[0]
    close(found, np.asarray(expected + bias[0] if bias else expected))


@pytest.mark.parametrize("dtype", ["u8", "s8"])
@FEW
@given(
    st.floats(1e-3, 2), st.integers(0, 127), st.integers(0, 99), st.sampled_from([None, 0, 1, -1])
)
def test_quantize_and_dequantize(dtype: str, scale: float, zp: int, seed: int, axis: int | None):
    np_type = np.dtype("uint8" if dtype == "u8" else "int8")
    x = (floats(seed, 3, 5) * 60).astype(np.float32)
    count = 1 if axis is None else x.shape[axis]
    scales = (np.float32(scale) * (1 + np.arange(count))).astype(np.float32)
    zps = np.asarray([(zp + 7 * i) % 128 for i in range(count)])
    attrs: dict[str, Any] = {"scales": scales, "zps": zps}
    there: dict[str, Any] = {}
    given_there: list[Array] = (
        [scales.reshape(()), zps.astype(np_type).reshape(())]
        if axis is None
        else [scales, zps.astype(np_type)]
    )
    if axis is not None:
        attrs |= {"qtype": "per_channel", "axis": axis}
        there = {"axis": axis}
    found = ours("Quantize", [x], dtype, **attrs)[0]
    expected = theirs("QuantizeLinear", [x, *given_there], **there)[0]
    # ONNX rounds before it adds the zero point, in f32: only halves may differ.
    shape = [1, 1]
    if axis is not None:
        shape[axis] = count
    exact = x.astype(np.float64) / scales.reshape(shape)
    is_half = np.abs(exact - np.floor(exact) - 0.5) < 1e-4
    assert found.dtype == np_type
    assert np.array_equal(found[~is_half], expected[~is_half])
    assert np.abs(found.astype(int) - expected.astype(int)).max() <= 1
    back = ours("Dequantize", [found], **attrs)[0]
    close(back, theirs("DequantizeLinear", [found, *given_there], **there)[0])


def test_halves_go_to_even_after_the_zero_point_is_added():
    x = np.asarray([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 300, -300, np.nan], np.float32)
    found = ours("Quantize", [x], "s8", scales=[1.0], zps=[0])[0]
    assert found.tolist() == [-2, -2, 0, 0, 2, 2, 127, -128, 0]
    found = ours("Quantize", [x], "u8", scales=[1.0], zps=[1])[0]
    assert found.tolist() == [0, 0, 0, 2, 2, 4, 255, 0, 0]


def test_dynamic_quantization():
    x, scales, zps = floats(1, 2, 4) * 20, np.abs(floats(2, 4)) + 0.1, np.arange(4, dtype=np.int32)
    found = ours("DynamicQuantize", [x, scales, zps], "s8", qtype="per_channel", axis=1)[0]
    same = ours("Quantize", [x], "s8", qtype="per_channel", axis=1, scales=scales, zps=zps)[0]
    assert np.array_equal(found, same)
    back = ours("DynamicDequantize", [found, scales, zps], qtype="per_channel", axis=1)[0]
    close(back, ((found - zps) * scales).astype(np.float32))
    grouped = np.abs(floats(3, 2, 2)) + np.float32(0.1)
    back = ours("DynamicDequantize", [found, grouped], qtype="per_group", group_shape=[1, 2])[0]
    close(back, (found * np.repeat(grouped, 2, 1)).astype(np.float32))
    one = ours("DynamicQuantize", [x, scales[:1]], "u8")[0]
    assert np.array_equal(one, ours("Quantize", [x], "u8", scales=scales[:1], zps=[0])[0])


def test_normalization():
    x, gamma, beta = floats(1, 2, 6, 3, 4), floats(2, 6), floats(3, 6)
    mean, variance = floats(4, 6), np.abs(floats(5, 6)) + np.float32(0.1)
    stats = [gamma, beta, mean, variance]
    found = ours("BatchNormInference", [x, *stats], epsilon=1e-3, data_format="NCX")[0]
    close(found, theirs("BatchNormalization", [x, *stats], epsilon=1e-3)[0])
    last = ours("BatchNormInference", [to_nxc(x), *stats], epsilon=1e-3, data_format="NXC")[0]
    close(last, to_nxc(found))

    gamma, beta = floats(2, 3, 4), floats(3, 3, 4)
    expected = theirs("LayerNormalization", [x, gamma, beta], 21, 2, axis=2, epsilon=1e-3)
    found = ours(
        "LayerNorm", [x, gamma, beta], "f32", "f32", "f32", begin_norm_axis=2, epsilon=1e-3
    )
    close(found[0], expected[0])
    close(found[1], expected[1].reshape(2, 6))
    close(found[2], x.var((2, 3)))
    plain = ours("LayerNorm", [x], begin_norm_axis=-1, keep_stats=False, use_affine=False)[0]
    close(plain, theirs("LayerNormalization", [x, np.ones(4, np.float32)], axis=-1)[0])

    gamma, beta = floats(2, 6), floats(3, 6)
    found = ours("GroupNorm", [x, gamma, beta], groups=3, keep_stats=False, data_format="NCX")[0]
    close(found, theirs("GroupNormalization", [x, gamma, beta], num_groups=3)[0])

    scale = floats(2, 4)
    square = np.square(x.astype(np.float64)).mean(-1, keepdims=True)
    found = ours("RMSNorm", [x, scale], epsilon=1e-3)[0]
    close(found, (x / np.sqrt(square + 1e-3) * scale).astype(np.float32))


def test_softmax_of_nothing_but_infinities():
    x = np.asarray([[0, -np.inf], [-np.inf, -np.inf]], np.float32)
    found = ours("SoftMax", [x], axis=1, mode="inf_as_zero")[0]
    assert found.tolist() == [[1, 0], [0, 0]]
    stats = ours("SoftMax", [floats(1, 2, 3)], "f32", "f32", axis=1)[1]
    close(stats, np.log(np.exp(floats(1, 2, 3)).sum(1, keepdims=True)))


@pytest.mark.parametrize(
    "name",
    ["ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"],
)
@pytest.mark.parametrize("keep", [False, True])
def test_reductions(name: str, keep: bool):
    x, axes = floats(1, 2, 3, 4), np.asarray([0, -1])
    expected = theirs(name, [x, axes], keepdims=int(keep))[0]
    close(ours(name, [x], axes=axes, keep_dims=keep)[0], expected)
    # The axes may be a tensor.
    close(ours(name, [x, axes.astype(np.int32)], keep_dims=keep)[0], expected)


def test_movement():
    x, y = floats(1, 2, 3, 4), floats(2, 2, 5, 4)
    close(ours("Concat", [x, y], axis=-2)[0], np.concatenate([x, y], 1))
    close(ours("StaticTranspose", [x], order=[2, 0, -2])[0], x.transpose(2, 0, 1))
    close(ours("StaticTranspose", [x], order=[])[0], x.transpose())
    close(ours("StaticReshape", [x], shape=[0, -1], special_zero=True)[0], x.reshape(2, 12))
    close(ours("Reorder", [x])[0], x)
    bias = floats(3, 3)
    close(ours("BiasAdd", [x, bias], data_format="NCX")[0], x + bias[:, None])
    close(ours("BiasAdd", [x, floats(3, 4)], data_format="NXC")[0], x + floats(3, 4))
    narrow = ours("TypeCast", [x], "bf16")[0]
    assert narrow.dtype == ml_dtypes.bfloat16
    assert np.array_equal(narrow, x.astype(ml_dtypes.bfloat16))
    close(ours("TypeCast", [narrow])[0], narrow.astype(np.float32))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("sizes", [[8, 12], [2, 3], [5, 7], [1, 1]])
def test_interpolate(mode: str, corners: bool, sizes: list[int]):
    x = floats(1, 2, 3, 4, 6)
    target = np.asarray([2, 3, *sizes])
    attrs: dict[str, Any] = {
        "mode": mode,
        "coordinate_transformation_mode": "align_corners" if corners else "half_pixel",
    }
    rounding: dict[str, Any] = {"nearest_mode": "round_prefer_ceil"} if mode == "nearest" else {}
    expected = theirs("Resize", [x, None, None, target], **attrs, **rounding)[0]
    here = {**attrs, "mode": "nearest" if mode == "nearest" else "bilinear"}
    close(ours("Interpolate", [x], sizes=sizes, data_format="NCX", **here)[0], expected)
    last = ours("Interpolate", [to_nxc(x)], sizes=sizes, data_format="NXC", **here)[0]
    close(last, to_nxc(expected))


def test_scales_of_a_grouped_transposed_convolution():
    # There is a scale for each output channel of all groups, and the axis holds those of one.
    x, w = floats(1, 1, 4, 3), np.arange(24, dtype=np.int8).reshape(4, 2, 3)
    scales = np.asarray([1, 2, 3, 4], np.float32)
    block = block_of([x, w])
    weights = make_op(
        "Dequantize",
        [block.args[1]],
        [TensorType(element("f32"), (4, 2, 3))],
        qtype="per_channel",
        axis=1,
        scales=[1.0, 2.0, 3.0, 4.0],
        zps=[0] * 4,
    )
    conv = make_op(
        "ConvTranspose",
        [block.args[0], weights.results[0]],
        [TensorType(element("f32"), (1, 4, 5))],
        strides=[1],
        pads_begin=[0],
        pads_end=[0],
        dilations=[1],
        groups=2,
        data_format="NCX",
        weights_format="IOX",
    )
    block.add_ops([weights, conv, ReturnOp(list(conv.results))])
    graph = graph_of(block)
    graph.verify()
    plain = theirs("ConvTranspose", [x, w.astype(np.float32)], group=2)[0]
    close(run(graph, [x, w])[0], plain * scales[:, None])


def test_a_partition_inside_of_a_graph_runs_in_its_place():
    x = floats(1, 2, 3)
    block = block_of([x])
    first = make_op("Square", list(block.args), [tensor_type_of(x)])
    second = make_op("Sqrt", list(first.results), [tensor_type_of(x)])
    block.add_ops([first, second, ReturnOp([*second.results, *first.results])])
    graph = graph_of(block)
    before = run(graph, [x])
    partition = PartitionOp.create_from([first, second], "test")
    graph.verify()
    after = run(graph, [x])
    alone = run(partition, [x])
    close(before[0], np.abs(x))
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    # The partition gives its results in the order in which they are made.
    assert all(np.array_equal(a, b) for a, b in zip(before, alone[::-1], strict=True))


def test_inputs_that_do_not_fit_are_refused_in_one_line():
    block = block_of([floats(1, 2, 3)])
    op = make_op("ReLU", list(block.args), [block.args[0].type])
    block.add_ops([op, ReturnOp(list(op.results))])
    graph = graph_of(block)
    for inputs, said in (
        ([], "takes 1 input, found 0"),
        ([floats(1, 2, 4)], r"input 0 has the shape \[2, 4\], expected tensor<2x3xf32>"),
        ([floats(1, 6)], r"input 0 has the shape \[6\]"),
        ([np.zeros((2, 3))], "input 0 has elements of float64, expected float32"),
    ):
        with pytest.raises(AutosplitError, match=said):
            run(graph, inputs)


def test_training_has_no_reference():
    x = floats(1, 3)
    with pytest.raises(AutosplitError, match="ReLUBackward has no reference"):
        ours("ReLUBackward", [x, x])


def test_all_ops_of_inference_have_a_reference():
    from autosplit.dialects.dnnl import OP_TABLE

    training = {k for k in OP_TABLE if "Backward" in k or "Training" in k}
    # What a wildcard does is unknown; what a dropout drops is the library's choice.
    assert OP_TABLE.keys() - KERNELS.keys() == training | {"Wildcard", "Dropout"}


def test_scalars_stay_scalars():
    a = floats(1, 4)
    found = ours("MatMul", [a, a])[0]
    assert found.shape == ()


def has_onednn() -> bool:
    try:
        return importlib.metadata.files("onednn-cpu-gomp") is not None
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.mark.skipif(not has_onednn(), reason="oneDNN is not installed")
@pytest.mark.parametrize("isa", ["AVX2", "ALL"])
def test_onednn_computes_the_same(isa: str):
    script = Path(__file__).with_name("dnnl_cases.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"ONEDNN_MAX_CPU_ISA": isa},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    assert len(found) > 40
    # Integers are the same, halves included: they go to even after the zero point is added.
    assert {k: v for k, v in found.items() if k.startswith("Quantize") and v} == {}
    assert {k: v for k, v in found.items() if v > 1e-5} == {}
