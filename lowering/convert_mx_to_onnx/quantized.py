"""Ops of MXNet's INT8 graphs, fused ones too, as ops on real numbers between casts.

A quantized value of MXNet is integers and the least and the greatest real number that they stand for.
Zero is 0: x from -m to m is `x * 127.5 / m` as s8, x from 0 to m is `x * 255.5 / m` as u8.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import OpResult, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.mx.table import OP_TABLE
from autosplit.dialects.mx.values import parse_value
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.lowering.convert_mx_to_onnx.builder import MxBuilder, converts
from autosplit.lowering.convert_mx_to_onnx.layers import ACTIVATIONS, pooling
from autosplit.lowering.shared.refusal import Refusal

Floats = NDArray[np.float32]

STEPS = {"int8": 127.5, "uint8": 255.5}
"""How many steps MXNet has between 0 and the greatest number, by dtype."""


@dataclass(frozen=True)
class Quantized:
    """A quantized operand: the integers, the least and the greatest real number."""

    value: SSAValue
    low: SSAValue
    high: SSAValue


def dequantize(b: MxBuilder, x: Quantized) -> SSAValue:
    """The real numbers that integers stand for."""
    return b.apply("DequantizeLinear", x.value, _step(b, x.low, x.high, _dtype(x.value)))


def quantize(b: MxBuilder, x: SSAValue, low: float, high: float, dtype: str) -> list[SSAValue]:
    """Numbers from `low` to `high` as integers, and these two."""
    ends = [
        b.constant(role, np.array([end], np.float32)) for role, end in (("min", low), ("max", high))
    ]
    return _quantize(b, x, Quantized(x, *ends), dtype)


def _quantize(b: MxBuilder, x: SSAValue, ends: Quantized, dtype: str) -> list[SSAValue]:
    zero = b.constant("zero", np.array(0, dtype))
    step = _step(b, ends.low, ends.high, dtype)
    return [b.apply("QuantizeLinear", x, step, zero), ends.low, ends.high]


def _step(b: MxBuilder, low: SSAValue, high: SSAValue, dtype: str) -> SSAValue:
    """The real number that one step stands for, a scalar."""
    ends = [_constant_array(b, value) for value in (low, high)]
    if ends[0] is not None and ends[1] is not None:
        most = max(np.abs(ends[0]).max(), np.abs(ends[1]).max())
        return b.constant("step", np.array(most / STEPS[dtype] or 1.0, np.float32))
    most = b.apply("Max", b.apply("Abs", low), b.apply("Abs", high))
    divided = b.apply("Div", most, b.constant("steps", np.array([STEPS[dtype]], np.float32)))
    return b.squeeze(divided, [0])


def _constant_array(b: MxBuilder, value: SSAValue) -> Floats | None:
    """The array of a constant, through identities; None if it is computed."""
    while (
        isinstance(value, OpResult)
        and isinstance(op := value.op, OnnxOp)
        and op.op_type == "Identity"
    ):
        value = op.operands[0]
    array = b.values.array(value)
    return None if array is None else np.asarray(array, np.float32)


def _dtype(value: SSAValue) -> str:
    dtype = dtype_of(value.type)
    if dtype is None or dtype.name not in STEPS:
        raise Refusal("dtype", f"reads {value.type} as quantized numbers, expected 8-bit integers")
    return dtype.name


def _calibrated(b: MxBuilder) -> tuple[float, float] | None:
    """The calibrated range of the result; None if there is none."""
    texts = b.op.texts
    if {"min_calib_range", "max_calib_range"} - texts.keys():
        return None
    low, high = texts["min_calib_range"], texts["max_calib_range"]
    return None if "None" in (low, high) else (float(low), float(high))


@converts("_contrib_quantize_v2")
def _quantize_v2(b: MxBuilder) -> list[SSAValue]:
    """quantize(x) -> quantize_linear(x, step), by the calibrated range or the data's own"""
    kind = b.op.text("out_type")
    if (limits := _calibrated(b)) is not None:
        dtype = kind if kind != "auto" else "uint8" if limits[0] >= 0 else "int8"
        return quantize(b, b.x, *limits, dtype)
    ends = [b.apply(op, b.x, keepdims=0) for op in ("ReduceMin", "ReduceMax")]
    low, high = (b.unsqueeze(end, [0]) for end in ends)
    return _quantize(b, b.x, Quantized(b.x, low, high), "int8" if kind == "auto" else kind)


@converts("_contrib_dequantize")
def _dequantize(b: MxBuilder) -> SSAValue:
    """dequantize(x, min, max) -> dequantize_linear(x, step)"""
    return dequantize(b, Quantized(*b.op.operands))


@converts("_contrib_quantized_flatten")
def _flatten(b: MxBuilder) -> list[SSAValue]:
    """quantized_flatten(x, min, max) -> flatten(x), min, max"""
    x, low, high = b.op.operands
    return [b.apply("Flatten", x, axis=1), low, high]


@converts("_contrib_quantized_pooling")
def _pooling(b: MxBuilder) -> list[SSAValue]:
    """quantized_pooling(x, min, max) -> quantize(pooling(dequantize(x))), min, max"""
    x = Quantized(*b.op.operands)
    pooled = pooling(b, dequantize(b, x))
    return _quantize(b, pooled, x, _dtype(x.value))


@converts("_contrib_quantized_concat")
def _concat(b: MxBuilder) -> list[SSAValue]:
    """quantized_concat(xs, mins, maxs) -> quantize(concat(dequantize(xs))), the widest range"""
    count = b.op.integer("num_args")
    values, ends = b.op.operands[:count], b.op.operands[count:]
    parts = [Quantized(v, ends[2 * i], ends[2 * i + 1]) for i, v in enumerate(values)]
    lows, highs = (
        [_constant_array(b, p.low) for p in parts],
        [_constant_array(b, p.high) for p in parts],
    )
    if any(end is None for end in (*lows, *highs)):
        raise Refusal("operand-value", "joins ranges that are computed, not calibrated")
    joined = b.apply("Concat", *(dequantize(b, p) for p in parts), axis=b.op.integer("dim"))
    low, high = (float(f(cast("Any", e))) for f, e in ((np.min, lows), (np.max, highs)))
    signed = any(_dtype(p.value) == "int8" for p in parts)
    return quantize(b, joined, low, high, "int8" if signed else "uint8")


@converts("_contrib_quantized_elemwise_add")
def _add(b: MxBuilder) -> list[SSAValue]:
    """quantized_elemwise_add(x, y, ...) -> quantize(add(dequantize(x), dequantize(y)))"""
    x, y, x_low, x_high, y_low, y_high = b.op.operands
    total = b.apply(
        "Add",
        dequantize(b, Quantized(x, x_low, x_high)),
        dequantize(b, Quantized(y, y_low, y_high)),
    )
    if (limits := _calibrated(b)) is None:
        raise Refusal("operand-value", "gives sums of 32 bits: it was not calibrated")
    return quantize(b, total, *limits, "int8")


# Fused ops, which hold the graph of the ops that were fused.


@dataclass(frozen=True)
class _Inner:
    """A node of the graph that a fused op holds."""

    kind: str
    texts: Mapping[str, str]

    def get(self, name: str) -> Any:
        spec = OP_TABLE[self.kind].attrs[name]
        return parse_value(spec, self.texts[name]) if name in self.texts else spec.default


def _inner(b: MxBuilder) -> list[_Inner]:
    """The nodes that were fused, in order."""
    fields: Any = json.loads(b.op.rest.data) if b.op.rest is not None else {}
    nodes: list[dict[str, Any]] = [n for g in fields.get("subgraphs", [])[:1] for n in g["nodes"]]
    nodes = [node for node in nodes if node["op"] != "null"]
    if not nodes or any(node["op"] not in OP_TABLE for node in nodes):
        raise Refusal(
            "malformed-op", f"{b.kind} does not hold the graph of known ops that was fused"
        )
    return [_Inner(node["op"], node.get("attrs") or node.get("attr") or {}) for node in nodes]


def _is_set(b: MxBuilder, name: str) -> bool:
    return b.op.texts.get(name, "False").lower() in ("true", "1")


@converts("_sg_mkldnn_conv")
def _fused_convolution(b: MxBuilder) -> list[SSAValue]:
    """_sg_mkldnn_conv(x, w, ..., y) -> quantize(relu(add(conv(dequantize(x), w'), dequantize(y)))), w' in s8

    A batch norm is multiplied into weights and bias. What was not fused, or not quantized, is left out.
    """
    nodes = _inner(b)
    inputs = list(b.op.operands)
    conv = nodes[0]
    if conv.kind != "Convolution":
        raise Refusal("unsupported-op", f"holds a {conv.kind} in front, expected a Convolution")
    quantized = _is_set(b, "quantized")
    x, weight = inputs.pop(0), _weight(b, inputs.pop(0))
    bias = None if conv.get("no_bias") else _weight(b, inputs.pop(0))
    has_norm = any(n.kind == "BatchNorm" for n in nodes)
    norm = [_weight(b, inputs.pop(0)) for _ in range(4)] if has_norm else []
    has_sum = any(n.kind in SUMS for n in nodes)
    adds_x = has_sum and _is_set(b, "dedup_sum")
    other = inputs.pop(0) if has_sum and not adds_x else x
    source = Quantized(x, *inputs[:2]) if quantized else None
    added = (
        Quantized(other, *(inputs[:2] if adds_x else inputs[2:4]))
        if quantized and has_sum
        else None
    )
    value = x if source is None else dequantize(b, source)
    for node in nodes:
        if node.kind == "BatchNorm":
            weight, bias = _folded(node, weight, bias, norm)
    operands = [value, _scaled_weight(b, weight, quantized)]
    operands += [] if bias is None else [b.constant("bias", bias)]
    value = _convolution(b, conv, operands)
    for node in nodes[1:]:
        if node.kind in SUMS:
            value = b.apply("Add", value, other if added is None else dequantize(b, added))
        elif node.kind != "BatchNorm":
            value = _activation(b, node, value)
    return _fused_result(b, value, nodes[-1])


def _convolution(b: MxBuilder, node: _Inner, operands: Sequence[SSAValue]) -> SSAValue:
    kernel = node.get("kernel")
    if node.get("layout") not in (None, "NCHW", "NCW", "NCDHW"):
        raise Refusal(
            "attribute", f"layout is {node.get('layout')}, expected the channels in front"
        )
    ones = (1,) * len(kernel)
    pad = [*(node.get("pad") or (0,) * len(kernel))]
    return b.apply(
        "Conv",
        *operands,
        kernel_shape=[*kernel],
        strides=[*(node.get("stride") or ones)],
        dilations=[*(node.get("dilate") or ones)],
        pads=[*pad, *pad],
        group=node.get("num_group"),
    )


@converts("_sg_mkldnn_fully_connected")
def _fused_product(b: MxBuilder) -> list[SSAValue]:
    """_sg_mkldnn_fully_connected(x, w, b, ...) -> quantize(relu(gemm(dequantize(x), w', dequantize(b))))"""
    nodes = _inner(b)
    operands, product = list(b.op.operands), nodes[0]
    if product.kind != "FullyConnected":
        raise Refusal(
            "unsupported-op", f"holds a {product.kind} in front, expected a FullyConnected"
        )
    has_bias = not product.get("no_bias")
    quantized = _is_set(b, "quantized")
    x, weight = operands.pop(0), operands.pop(0)
    bias = operands.pop(0) if has_bias else None
    if quantized:
        x = dequantize(b, Quantized(x, *operands[:2]))
        weight, bias = _stored(b, weight, bias, operands[2:])
    if product.get("flatten") and b.rank(x) != 2:
        x = b.apply("Flatten", x, axis=1)
    if b.rank(x) == 2:
        value = b.apply("Gemm", x, weight, *([] if bias is None else [bias]), transB=1)
    else:
        value = b.apply("MatMul", x, b.transpose(weight, [1, 0]))
        value = value if bias is None else b.apply("Add", value, bias)
    for node in nodes[1:]:
        value = _activation(b, node, value)
    return _fused_result(b, value, nodes[-1])


SUMS = ("elemwise_add", "_Plus", "_plus", "broadcast_add")


def _stored(
    b: MxBuilder, weight: SSAValue, bias: SSAValue | None, ends: Sequence[SSAValue]
) -> tuple[SSAValue, SSAValue | None]:
    """Weights and bias as real numbers, from the integers and ranges that the model holds."""
    array = _weight(b, weight)
    if _is_set(b, "channel_wise_quantize"):
        return _scaled_weight(b, array, True), bias
    weight = dequantize(b, Quantized(weight, *ends[:2]))
    if bias is not None and len(ends) >= 4:
        low, high = (_weight(b, end) for end in ends[2:4])
        step = max(np.abs(low).max(), np.abs(high).max()) / STEPS["int8"]
        bias = b.constant("bias", (_weight(b, bias) * np.float32(step)).astype(np.float32))
    return weight, bias


def _weight(b: MxBuilder, value: SSAValue) -> Floats:
    array = _constant_array(b, value)
    if array is None:
        raise Refusal("operand-value", "has weights that are computed, expected parameters")
    return array


def _folded(
    norm: _Inner, weight: Floats, bias: Floats | None, statistics: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """Weights and bias of a convolution with the batch norm behind it folded in."""
    gamma, beta, mean, var = statistics
    if norm.get("fix_gamma"):
        gamma = np.ones_like(gamma)
    factor = gamma / np.sqrt(var + np.float32(norm.get("eps")))
    shift = beta + ((0 if bias is None else bias) - mean) * factor
    shape = (-1,) + (1,) * (weight.ndim - 1)
    return weight * factor.reshape(shape), shift.astype(np.float32)


def _scaled_weight(b: MxBuilder, weight: Floats, quantized: bool) -> SSAValue:
    """Weights as they are, or in s8 with a step for each channel."""
    if not quantized:
        return b.constant("weight", weight)
    most = np.abs(weight.reshape(len(weight), -1)).max(axis=1)
    steps = np.where(most > 0, most / STEPS["int8"], 1).astype(np.float32)
    numbers = np.rint(weight / steps.reshape((-1,) + (1,) * (weight.ndim - 1)))
    stored = b.constant("weight", np.clip(numbers, -127, 127).astype(np.int8))
    return b.apply("DequantizeLinear", stored, b.constant("steps", steps), axis=0)


def _activation(b: MxBuilder, node: _Inner, x: SSAValue) -> SSAValue:
    """Applies a fused activation."""
    kind = node.get("act_type") if node.kind in ("Activation", "LeakyReLU") else node.kind
    if node.kind in ("Activation", "relu", "sigmoid", "tanh") and kind in ACTIVATIONS:
        return b.apply(ACTIVATIONS[kind], x)
    if node.kind == "clip":
        ends = [b.constant(n, np.array(node.get(n), np.float32)) for n in ("a_min", "a_max")]
        return b.apply("Clip", x, *ends)
    if kind == "leaky":
        return b.apply("LeakyRelu", x, alpha=float(node.get("slope")))
    if kind == "gelu":
        return b.apply("Gelu", x)
    if node.kind == "elu" or kind == "elu":
        return b.apply("Elu", x, alpha=float(node.get("slope")))
    raise Refusal("unsupported-op", f"holds {node.kind} {kind}, which has no conversion here")


def _fused_result(b: MxBuilder, value: SSAValue, last: _Inner) -> list[SSAValue]:
    """The result as the op returns it: integers and their range if it is quantized, else real numbers."""
    if not _is_set(b, "quantized") or _is_set(b, "enable_float_output"):
        return [value]
    if (limits := _calibrated(b)) is None:
        raise Refusal("operand-value", "gives sums of 32 bits: it was not calibrated")
    positive = last.kind == "relu" or (last.kind == "Activation" and last.get("act_type") == "relu")
    positive |= last.kind == "clip" and last.get("a_min") == 0
    return quantize(b, value, *limits, "uint8" if positive else "int8")
