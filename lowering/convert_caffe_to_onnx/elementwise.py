"""Elementwise layers."""

from __future__ import annotations

from math import log

import numpy as np
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.platform import shape_of
from autosplit.lowering.convert_caffe_to_onnx.builder import CaffeEmitter, converts
from autosplit.lowering.shared.refusal import Refusal

RENAMED = {"AbsVal": "Abs", "BNLL": "Softplus", "Sigmoid": "Sigmoid", "TanH": "Tanh"}
"""Layers that are the ONNX op of the other name."""


@converts(*RENAMED)
def _renamed(e: CaffeEmitter) -> SSAValue:
    """layer(x) -> op(x), where `RENAMED` pairs them."""
    return e.emit(RENAMED[e.op.op_type], e.x)


@converts("Dropout")
def _forward(e: CaffeEmitter) -> SSAValue:
    """dropout(x) -> x"""
    if len(e.op.results) > 1:
        raise Refusal("unsupported-op", "gives what it drops too, which only training knows")
    return e.x


@converts("ReLU")
def _relu(e: CaffeEmitter) -> SSAValue:
    """relu(x) -> relu(x), or leaky_relu(x) with a slope"""
    slope = e.get("negative_slope")
    return e.emit("LeakyRelu", e.x, alpha=slope) if slope else e.emit("Relu", e.x)


@converts("ReLU6")
def _relu6(e: CaffeEmitter) -> SSAValue:
    """relu6(x) -> clip(x, 0, 6)"""
    return e.emit("Clip", e.x, e.number_of(0, "least"), e.number_of(6, "most"))


@converts("ELU")
def _elu(e: CaffeEmitter) -> SSAValue:
    """elu(x) -> elu(x)"""
    return e.emit("Elu", e.x, alpha=e.get("alpha"))


def linear(e: CaffeEmitter, scale: float, shift: float) -> SSAValue:
    """x * scale + shift, without a scale of 1 and a shift of 0."""
    value = e.x
    if scale != 1:
        value = e.emit("Mul", value, e.number_of(scale, "scale"))
    if shift != 0:
        value = e.emit("Add", value, e.number_of(shift, "shift"))
    return value


@converts("Exp")
def _exp(e: CaffeEmitter) -> SSAValue:
    """exp(x) -> exp(x * scale * log(base) + shift * log(base))"""
    factor = 1.0 if e.get("base") == -1 else log(e.get("base"))
    return e.emit("Exp", linear(e, e.get("scale") * factor, e.get("shift") * factor))


@converts("Log")
def _log(e: CaffeEmitter) -> SSAValue:
    """log(x) -> log(x)"""
    for name, default in (("base", -1), ("scale", 1), ("shift", 0)):
        e.same_in_opencv(when=e.get(name) == default, field=name)
    return e.emit("Log", e.x)


@converts("Power")
def _power(e: CaffeEmitter) -> SSAValue:
    """power(x) -> pow(x * scale + shift, power)"""
    value, power = linear(e, e.get("scale"), e.get("shift")), e.get("power")
    if power == 1:
        return value
    if power == 2:
        return e.emit("Mul", value, value, role="square")
    return e.emit("Pow", value, e.number_of(power, "power"))


@converts("Threshold")
def _threshold(e: CaffeEmitter) -> SSAValue:
    """threshold(x) -> cast(greater(x, threshold))"""
    shape = shape_of(e.x.type)
    if shape is None:
        raise Refusal("rank", "how many axes an operand has is not known")
    limit = e.number_of(e.get("threshold"), "threshold")
    above = e.node("greater", "Greater", [e.x, limit], type=TensorType(i1, shape))
    return e.node("cast", "Cast", [above], {"to": 1}, e.x.type)


@converts("Eltwise")
def _eltwise(e: CaffeEmitter) -> SSAValue:
    """eltwise(x, y, ...) -> x * a + y * b + ..., x * y * ..., max(x, y, ...)"""
    sizes = [e.sizes(value) for value in e.op.operands]
    if len({len(s) for s in sizes}) > 1 or any(
        len({d for d in dims if d >= 0}) > 1 for dims in zip(*sizes, strict=True)
    ):
        raise Refusal("malformed-op", f"reads blobs of different sizes: {sizes}")
    values, coefficients = list(e.op.operands), e.get("coeff")
    if coefficients and (e.get("operation") != "SUM" or len(coefficients) != len(values)):
        raise Refusal(
            "malformed-op", f"has {len(coefficients)} coeff for {counted(len(values), 'blob')}"
        )
    if e.get("operation") == "MAX":
        return e.emit("Max", *values)
    for i, factor in enumerate(coefficients):
        if factor != 1:
            values[i] = e.emit("Mul", values[i], e.number_of(factor, f"coeff{i}"), role=f"times{i}")
    joined = values[0]
    for value in values[1:]:
        joined = e.emit("Add" if e.get("operation") == "SUM" else "Mul", joined, value)
    return joined


@converts("Scale", "Bias")
def _scale(e: CaffeEmitter) -> SSAValue:
    """scale(x) -> x * a + b; bias(x) -> x + b"""
    rank = e.rank(e.x)
    axis = e.get("axis") % max(rank, 1)
    op_type = "Mul" if e.op.op_type == "Scale" else "Add"
    weights = [_along(e, index, axis, rank) for index in range(len(e.op.weights))]
    if len(e.op.operands) == 2:
        weights.insert(0, _aligned(e, e.op.operands[1], axis, rank))
    if not weights:
        raise Refusal("malformed-op", "has neither weights nor a second blob")
    value = e.emit(op_type, e.x, weights[0])
    has_bias = op_type == "Mul" and e.get("bias_term")
    if has_bias != (len(weights) == 2):
        raise Refusal(
            "malformed-op",
            f"has {counted(len(weights), 'weight')}, bias_term is {e.get('bias_term')}",
        )
    return e.emit("Add", value, weights[1]) if has_bias else value


def _along(e: CaffeEmitter, index: int, axis: int, rank: int) -> SSAValue:
    """A weight that lies along some axes, in a form that ONNX broadcasts."""
    array = e.weight(index)
    if e.get("num_axes") == 0:
        array = array.reshape(())
    behind = rank - axis - array.ndim
    if behind < 0:
        raise Refusal(
            "malformed-op", f"its weight {index} has more axes than the blob behind axis {axis}"
        )
    sizes = e.sizes(e.x)[axis : axis + array.ndim]
    if any(have >= 0 and n not in (1, have) for have, n in zip(sizes, array.shape, strict=True)):
        raise Refusal(
            "malformed-op",
            f"its weight {index} is {list(array.shape)}, the blob there {list(sizes)}",
        )
    return e.constant(f"weight{index}", np.reshape(array, (*array.shape, *[1] * behind)))


def _aligned(e: CaffeEmitter, value: SSAValue, axis: int, rank: int) -> SSAValue:
    """A blob that lies along some axes of the first, in a form that ONNX broadcasts."""
    count = e.rank(value)
    behind = rank - axis - count
    if behind < 0:
        raise Refusal(
            "malformed-op", f"its second blob has more axes than the first behind axis {axis}"
        )
    if not behind:
        return value
    axes = e.ints("axes", range(count, count + behind))
    return e.emit("Unsqueeze", value, axes, sizes=[*e.sizes(value), *[1] * behind])
