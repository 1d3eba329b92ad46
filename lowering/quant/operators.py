"""Ops on quantized tensors (QLinearConv, ...) written as casts around the op on real numbers.

    QLinearConv(x, w) -> QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(w)))

Each says the scales of its operands and its result as more operands; they go to the casts as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, OpaqueOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.onnx.ops import QLinearConvOp, QLinearMatMulOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import with_element
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, why
from autosplit.lowering.shared.fold import AnyArray, Constants


@dataclass(frozen=True)
class QLinearSignature:
    """How the operands of an op on quantized tensors are arranged."""

    kind: str
    """The op on real numbers."""

    tensors: int
    """How many operands come as (integers, scale, zero point), from the first on."""

    channels: int | None = None
    """The dimension of the second one's channels, where it may have a scale for each."""

    bias: bool = False
    """Whether the last operand is a bias, of the product of the other scales."""


OPERATORS: dict[tuple[str, str], QLinearSignature] = {
    ("", "QLinearConv"): QLinearSignature("Conv", 2, channels=0, bias=True),
    ("", "QLinearMatMul"): QLinearSignature("MatMul", 2, channels=-1),
    ("com.microsoft", "QLinearAdd"): QLinearSignature("Add", 2),
    ("com.microsoft", "QLinearMul"): QLinearSignature("Mul", 2),
    ("com.microsoft", "QLinearSigmoid"): QLinearSignature("Sigmoid", 1),
    ("com.microsoft", "QLinearLeakyRelu"): QLinearSignature("LeakyRelu", 1),
    ("com.microsoft", "QLinearAveragePool"): QLinearSignature("AveragePool", 1),
    ("com.microsoft", "QLinearGlobalAveragePool"): QLinearSignature("GlobalAveragePool", 1),
}


class ExpandOperator(Pattern[QLinearConvOp | QLinearMatMulOp | OpaqueOp]):
    """`QLinearConv(x, w) -> QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(w)))`, and its kin.

    Refused where a scale is computed, or the types of the values are unknown.
    """

    def __init__(self, module: ModuleOp, constants: Constants):
        self.module = module
        self.constants = constants

    @cached_property
    def names(self) -> Names:
        return Names(self.module)

    def rewrite(
        self, op: QLinearConvOp | QLinearMatMulOp | OpaqueOp, rewriter: PatternRewriter, /
    ) -> None:
        spec = OPERATORS.get((op.domain, op.op_type))
        if spec is None:
            return
        expansion = _Expansion(op, spec, self.constants, self.names)
        if (reason := expansion.refusal()) is not None:
            why(op, reason)
            return
        rewriter.replace(op, expansion.ops())


class _Expansion:
    def __init__(self, op: OnnxOp, spec: QLinearSignature, constants: Constants, names: Names):
        self.op = op
        self.spec = spec
        self.constants = constants
        self.names = names
        self.new: list[Operation] = []

    def ops(self) -> list[Operation]:
        """What takes the op's place, its result last."""
        op, spec = self.op, self.spec
        inputs = op.inputs
        reals: list[SSAValue] = []
        for i in range(spec.tensors):
            axis = spec.channels if i == 1 else None
            reals.append(
                self._dequantize(inputs[3 * i], inputs[3 * i + 1], inputs[3 * i + 2], axis)
            )
        result = 3 * spec.tensors
        if spec.bias and len(inputs) > result + 2:
            reals.append(self._bias(inputs[result + 2]))
        name = self.names.fresh(f"{op.value_name(0)}__real")
        fields = {k: v for k, v in op.fields.items() if k != "channels_last"}
        real = self._node(
            spec.kind,
            reals,
            name,
            with_element(op.results[0].type, f32),
            fields,
            node_name=op.node_name.data,
        )
        self._node(
            "QuantizeLinear",
            [real, *_rest(inputs, result)],
            op.value_name(0),
            op.results[0].type,
        )
        return self.new

    def refusal(self) -> str | None:
        """Why the op stays as it is."""
        op, spec = self.op, self.spec
        inputs = op.inputs
        result = 3 * spec.tensors
        if len(inputs) <= result or any(v is None for v in inputs[: 3 * spec.tensors : 3]):
            return "it lacks operands"
        if op.attribute("channels_last", 0) != 0:
            return "its channels come last"
        tensors = [inputs[3 * i] for i in range(spec.tensors)]
        if any(shape_of(v.type) is None for v in tensors if v is not None):
            return "the rank of an operand is unknown"
        if element_type(op.results[0].type) is None:
            return "the type of its result is unknown"
        for i in range(spec.tensors + 1):
            scale = self._array(inputs[3 * i + (i < spec.tensors)])
            if scale is None or scale.dtype != np.float32:
                return "a scale is computed, or not of float32"
            per_channel = spec.channels is not None and i == 1 and scale.ndim == 1
            if scale.size != 1 and not per_channel:
                return "a scale is not of the whole tensor"
        return None

    def _array(self, value: SSAValue | None) -> AnyArray | None:
        return None if value is None else self.constants.array(value)

    def _dequantize(
        self,
        value: SSAValue | None,
        scale: SSAValue | None,
        zero_point: SSAValue | None,
        axis: int | None = None,
    ) -> SSAValue:
        assert value is not None
        rank = len(shape_of(value.type) or ())
        fields = {} if axis is None else {"axis": axis % rank}
        base = value.name_hint or "value"
        return self._node(
            "DequantizeLinear",
            [value, scale, zero_point],
            self.names.fresh(f"{base}__dequantized"),
            with_element(value.type, f32),
            fields,
        )

    def _bias(self, bias: SSAValue | None) -> SSAValue:
        inputs = self.op.inputs
        scales = [self._array(inputs[1]), self._array(inputs[4])]
        assert scales[0] is not None
        assert scales[1] is not None
        scale = (scales[0].reshape(()) * scales[1]).astype(np.float32)
        name = self.names.fresh(f"{self.op.value_name(0)}__bias_scale")
        constant = make_constant(name, scale, None)
        self.new.append(constant)
        axis = None if scale.size == 1 else 0
        return self._dequantize(bias, constant.results[0], None, axis)

    def _node(
        self,
        kind: str,
        inputs: list[SSAValue] | list[SSAValue | None],
        name: str,
        type: Attribute,
        fields: dict[str, Attribute] | dict[str, int] | None = None,
        node_name: str = "",
    ) -> SSAValue:
        node = make_node(
            kind,
            inputs,
            [name],
            attributes=fields,
            result_types=[type],
            node_name=node_name,
            location=self.op.location,
        )
        self.new.append(node)
        return node.results[0]


def _rest(inputs: list[SSAValue | None], start: int) -> list[SSAValue | None]:
    """The scale and zero point of the result."""
    return [*inputs, None][start : start + 2]
