"""A layer norm that a model spells out becomes the one op that it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.ops import AddOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.rewriting import located, why
from autosplit.lowering.shared.fold import AnyArray


@dataclass
class _Norm:
    """A layer norm without its scale and bias, and the ops that spell it."""

    x: SSAValue
    axis: int
    epsilon: float
    ops: list[OnnxOp]


class FuseNorm(OnnxPattern[AddOp]):
    """`(x - mean(x)) / sqrt(mean((x - mean(x))^2) + e) * scale + bias -> LayerNormalization(x)`.

    Of another axis than the last, as that of channels, it is `transpose(LayerNormalization(transpose(x)))`.
    Refused if something else reads what is inside, and if the scale or the bias is no vector of that axis.
    """

    def rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        biased = _with_constant(self.values, op)
        product = None if biased is None else _producer(biased[0], "Mul")
        scaled = None if product is None else _with_constant(self.values, product)
        norm = None if scaled is None else _norm(self.values, scaled[0])
        if biased is None or product is None or scaled is None or norm is None:
            return
        scale, bias = (_vector(array, norm) for array in (scaled[1], biased[1]))
        if element_type(norm.x.type) != f32 or scale is None or bias is None:
            why(op, "its scale or its bias is none of floats for each place of the axis")
            return
        norm_ops = [op, product, *norm.ops]
        if any(use.operation not in norm_ops for o in norm_ops[1:] for use in o.results[0].uses):
            why(op, "something else reads what is inside of the norm")
            return
        e = self.replacement(op, rewriter)
        vectors = [e.constant("scale", scale), e.constant("bias", bias)]
        fields = {"axis": -1, "epsilon": norm.epsilon}
        sizes = shape_of(norm.x.type) or ()
        if norm.axis == len(sizes) - 1:
            fused = e.replace([norm.x, *vectors], op_type="LayerNormalization", add=fields)
        else:
            last = [*(i for i in range(len(sizes)) if i != norm.axis), norm.axis]
            type = TensorType(f32, [sizes[i] for i in last])
            turned = e.node("turned", "Transpose", [norm.x], {"perm": last}, type)
            normed = e.node("norm", "LayerNormalization", [turned, *vectors], fields, type)
            back = {"perm": np.argsort(last).tolist()}
            fused = e.replace([normed], op_type="Transpose", add=back)
        located(fused, *reversed(norm.ops), product, fused)


def _norm(values: ModuleValues, value: SSAValue) -> _Norm | None:
    """The norm that a value is: `centred / sqrt(mean(centred^2) + e)`."""
    quotient = _producer(value, "Div")
    root = None if quotient is None else _producer(quotient.operands[1], "Sqrt")
    shifted = None if root is None else _producer(root.operands[0], "Add")
    stabilized = None if shifted is None else _with_constant(values, shifted)
    mean, axis = (None, -1) if stabilized is None else _mean(values, stabilized[0])
    if quotient is None or root is None or shifted is None or stabilized is None or mean is None:
        return None
    centred = quotient.operands[0]
    square, minus = _square(values, mean.operands[0], centred), _producer(centred, "Sub")
    if square is None or minus is None or stabilized[1].size != 1:
        return None
    x = minus.operands[0]
    average, same = _mean(values, minus.operands[1])
    if average is None or average.operands[0] is not x or same != axis:
        return None
    epsilon = float(stabilized[1].reshape(-1)[0])
    return _Norm(x, axis, epsilon, [quotient, root, shifted, mean, square, minus, average])


def _producer(value: SSAValue, kind: str) -> OnnxOp | None:
    """The op of this type that made a value."""
    op = value.owner
    return op if isinstance(op, OnnxOp) and op.op_type == kind and op.domain == "" else None


def _with_constant(values: ModuleValues, op: OnnxOp) -> tuple[SSAValue, AnyArray] | None:
    """The computed operand of a sum or a product, and the constant one."""
    left, right = op.operands
    for value, constant in ((left, right), (right, left)):
        array = values.array(constant)
        if array is not None and not values.is_constant(value):
            return value, array
    return None


def _mean(values: ModuleValues, value: SSAValue) -> tuple[OnnxOp | None, int]:
    """The mean over one axis, which it keeps, that a value is, and that axis."""
    op = _producer(value, "ReduceMean")
    shape = None if op is None else shape_of(op.operands[0].type)
    axes_value = None if op is None else operand(op, 1)
    axes = None if axes_value is None else values.array(axes_value)
    if op is None or shape is None or axes is None or not attribute(op, "keepdims", 1):
        return None, -1
    return (op, int(axes.reshape(-1)[0]) % len(shape)) if axes.size == 1 else (None, -1)


def _square(values: ModuleValues, value: SSAValue, of: SSAValue) -> OnnxOp | None:
    if (op := _producer(value, "Mul")) is not None:
        return op if op.operands[0] is of and op.operands[1] is of else None
    op = _producer(value, "Pow")
    power = None if op is None else values.array(op.operands[1])
    if op is None or power is None or op.operands[0] is not of:
        return None
    return op if power.size == 1 and float(power.reshape(-1)[0]) == 2.0 else None


def _vector(array: AnyArray, norm: _Norm) -> AnyArray | None:
    """A constant as one number for each place of the axis."""
    shape = shape_of(norm.x.type) or ()
    behind = len(shape) - 1 - norm.axis
    alone = (shape[norm.axis], *[1] * behind)
    if array.dtype != np.float32 or array.ndim > len(shape) or array.size != alone[0]:
        return None
    if array.shape[-1 - behind :] != alone:
        return None
    return array.reshape(-1)
