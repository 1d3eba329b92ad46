"""Ops on quantized tensors (QLinearConv, ...) written as casts around the op on real numbers.

    QLinearConv(x, w) -> QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(w)))

Each has the scales of its operands and its result as further operands, which become those of the casts.
Values with channels last are transposed as integers, so that the transpositions between two such ops cancel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import ranked_type
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.onnx.ops import TransposeOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import with_element
from autosplit.lowering.quant.names import REFUSED, Names
from autosplit.lowering.quant.transposes import to_back, to_front
from autosplit.lowering.rewriting import Pattern, why
from autosplit.lowering.shared.fold import AnyArray, Constants
from autosplit.lowering.shared.protos import opset_of

MICROSOFT = "com.microsoft"


@dataclass(frozen=True)
class Signature:
    """How the operands of an op on quantized tensors are arranged."""

    kind: str
    """The op on real numbers."""

    tensors: Sequence[int] = (0,)
    """Where each quantized operand is; its scale and zero point follow it, unless they are `apart`."""

    apart: tuple[int, int] | None = None
    """Where the scales of all tensors, and their zero points, begin."""

    result: int | None = None
    """Where the scale of the result is; behind the last tensor unless it says so."""

    channels: int | None = None
    """The dimension of the second tensor's channels, where it may have a scale for each."""

    bias: int | None = None
    """Where a bias is, of the product of the scales of the others."""

    plain: Sequence[int] = ()
    """Operands that are not quantized, in front of the others."""

    dropped: Sequence[str] = ("channels_last",)
    """The attributes that the op on real numbers does not have."""

    summand: int | None = None
    """Where real numbers are that are added to the result."""

    real: bool = False
    """Whether the result may be real numbers, which it is without a scale."""

    many: bool = False
    """Whether there are tensors as many as there are operands, from the first one on."""

    def tensor_indices(self, op: OnnxOp) -> list[int]:
        """Where the quantized operands of an op are."""
        if not self.many:
            return list(self.tensors)
        return list(range(self.tensors[0], len(op.inputs), 3))

    def result_place(self) -> int:
        """Where the scale of the result is."""
        return self.tensors[-1] + 3 if self.result is None else self.result

    def parameters(self, op: OnnxOp, index: int) -> list[SSAValue | None]:
        """The scale and the zero point of a quantized operand."""
        if self.apart is not None:
            return [operand(op, first + index) for first in self.apart]
        tensor_index = self.tensor_indices(op)[index]
        return [operand(op, tensor_index + 1), operand(op, tensor_index + 2)]

    def scales(self, op: OnnxOp) -> list[SSAValue | None]:
        """The scales of the operands, and that of the result where it is quantized."""
        scales = [self.parameters(op, index)[0] for index in range(len(self.tensor_indices(op)))]
        result_scale_value = self.result_scale(op)
        return scales if result_scale_value is None and self.real else [*scales, result_scale_value]

    def result_scale(self, op: OnnxOp) -> SSAValue | None:
        """The scale of the result."""
        return None if self.apart is not None else operand(op, self.result_place())


SIGNATURES: dict[tuple[str, str], Signature] = {
    ("", "QLinearConv"): Signature("Conv", (0, 3), channels=0, bias=8),
    ("", "QLinearMatMul"): Signature("MatMul", (0, 3), channels=-1),
    (MICROSOFT, "MatMulIntegerToFloat"): Signature(
        "MatMul", (0, 1), apart=(2, 4), channels=-1, summand=6, real=True
    ),
    (MICROSOFT, "QGemm"): Signature("Gemm", (0, 3), result=7, channels=-1, bias=6, real=True),
    (MICROSOFT, "QLinearAdd"): Signature("Add", (0, 3)),
    (MICROSOFT, "QLinearAveragePool"): Signature("AveragePool"),
    (MICROSOFT, "QLinearConcat"): Signature("Concat", (2,), result=0, many=True),
    (MICROSOFT, "QLinearConv"): Signature("Conv", (0, 3), channels=0, bias=8),
    (MICROSOFT, "QLinearGlobalAveragePool"): Signature("GlobalAveragePool"),
    (MICROSOFT, "QLinearLeakyRelu"): Signature("LeakyRelu"),
    (MICROSOFT, "QLinearMul"): Signature("Mul", (0, 3)),
    (MICROSOFT, "QLinearReduceMean"): Signature("ReduceMean", dropped=("axes",)),
    (MICROSOFT, "QLinearSigmoid"): Signature("Sigmoid"),
    (MICROSOFT, "QLinearSoftmax"): Signature("Softmax", dropped=("opset",)),
    (MICROSOFT, "QLinearWhere"): Signature("Where", (1, 4), plain=(0,)),
}
"""By domain and op type."""


class ExpandOperator(Pattern[OnnxOp]):
    """`QLinearConv(x, w) -> QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(w)))`, and its kin.

    Refused if a scale is computed, or the types of the values are unknown.
    """

    def __init__(self, module: ModuleOp, constants: Constants):
        self.opset = opset_of(module)
        self.module = module
        self.constants = constants

    @cached_property
    def names(self) -> Names:
        return Names(self.module)

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and (op.domain, op.op_type) in SIGNATURES

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        signature = SIGNATURES[op.domain, op.op_type]
        reason = _Check(op, signature, self.constants, self.opset).refusal()
        if reason is not None:
            why(op, reason.text.data)
            op.attributes[REFUSED] = reason
            return
        expansion = _Expansion(op, signature, self.constants, self.names, self.opset)
        rewriter.replace(op, expansion.ops())


_AT_RUN_TIME = "quantizes what it reads as it comes: oneDNN fuses that with no product"
_ATTENTION = "is attention in one op, whose inner products have no scales of their own"
STAYS: dict[tuple[str, str], tuple[str, str]] = {
    ("", "ConvInteger"): ("dynamic-scale", _AT_RUN_TIME),
    ("", "DynamicQuantizeLinear"): ("dynamic-scale", _AT_RUN_TIME),
    ("", "MatMulInteger"): ("dynamic-scale", _AT_RUN_TIME),
    (MICROSOFT, "Attention"): ("runtime-op", _ATTENTION),
    (MICROSOFT, "DynamicQuantizeMatMul"): ("dynamic-scale", _AT_RUN_TIME),
    (MICROSOFT, "EmbedLayerNormalization"): (
        "runtime-op",
        "reads tables by indices, which oneDNN cannot",
    ),
    (MICROSOFT, "MultiHeadAttention"): ("runtime-op", _ATTENTION),
    (MICROSOFT, "QAttention"): ("runtime-op", _ATTENTION),
    (MICROSOFT, "SkipSimplifiedLayerNormalization"): (
        "runtime-op",
        "divides by a root mean square, which the oneDNN that is compiled for lacks",
    ),
}
"""The ops around quantized tensors that stay with ONNX Runtime: the code of the reason, and the reason."""


class SayStays(Pattern[OnnxOp]):
    """Records why an op of `STAYS` is left to ONNX Runtime."""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and (op.domain, op.op_type) in STAYS

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        code, text = STAYS[op.domain, op.op_type]
        op.attributes[REFUSED] = ReasonAttr.of(code, f"{op.op_type} {text}")


class _Check:
    """Whether an op can be written as casts."""

    def __init__(self, op: OnnxOp, signature: Signature, constants: Constants, opset: int):
        self.op = op
        self.signature = signature
        self.constants = constants
        self.opset = opset

    def refusal(self) -> ReasonAttr | None:
        """Why the op stays as it is."""
        op = self.op
        indices = self.signature.tensor_indices(op)
        tensors = [operand(op, place) for place in indices]
        scales = self.signature.scales(op)
        if not tensors or None in tensors or None in scales:
            return ReasonAttr.of("operand-count", f"{op.op_type} lacks operands")
        if any(shape_of(v.type) is None for v in tensors if v is not None):
            return self._reason("dynamic-shape", "has an operand of unknown rank")
        if element_type(op.results[0].type) is None:
            return self._reason("dtype", "has a result of unknown type")
        if attribute(op, "channels_last", 0) and shape_of(op.results[0].type) is None:
            return self._reason(
                "dynamic-shape", "has its channels last, and a result of unknown rank"
            )
        for index, value in enumerate(scales):
            if (reason := self._scale(index, value)) is not None:
                return reason
        return self._softmax()

    def _reason(self, code: str, text: str) -> ReasonAttr:
        return ReasonAttr.of(code, f"{self.op.op_type} {text}")

    def _scale(self, index: int, value: SSAValue | None) -> ReasonAttr | None:
        scale = None if value is None else self.constants.array(value)
        if scale is None:
            return self._reason("dynamic-scale", "has a scale that is computed")
        if scale.dtype != np.float32:
            return self._reason("dtype", f"has a scale of {scale.dtype.name}, not float32")
        by_channel = self.signature.channels is not None and index == 1 and scale.ndim == 1
        if scale.size != 1 and not by_channel:
            return self._reason("blocked", "has several scales for a tensor")
        return None

    def _softmax(self) -> ReasonAttr | None:
        """Before opset 13 a softmax is one over all dimensions from its axis on."""
        op = self.op
        if self.signature.kind != "Softmax":
            return None
        rank = len(shape_of(op.operands[0].type) or ())
        is_old = min(int(attribute(op, "opset", 13)), self.opset) < 13
        if is_old and attribute(op, "axis", 1) % max(rank, 1) != rank - 1:
            return self._reason("dtype", "is one of an opset before 13, over several dimensions")
        return None


class _Expansion:
    def __init__(
        self, op: OnnxOp, signature: Signature, constants: Constants, names: Names, opset: int
    ):
        self.op = op
        self.signature = signature
        self.constants = constants
        self.names = names
        self.opset = opset
        self.new: list[Operation] = []
        self.channels_last = bool(attribute(op, "channels_last", 0))

    def ops(self) -> list[Operation]:
        """The ops that replace it; the last one produces the result."""
        op, signature = self.op, self.signature
        reals = [operand(op, operand_index) for operand_index in signature.plain]
        for index, operand_index in enumerate(signature.tensor_indices(op)):
            axis = self._channel_axis() if index == 1 else None
            value = operand(op, operand_index)
            if self.channels_last and index == 0:
                value = self._turned(value)
            reals.append(self._cast(value, signature.parameters(op, index), axis))
        if signature.bias is not None and operand(op, signature.bias) is not None:
            reals.append(self._bias(operand(op, signature.bias)))
        fields: dict[str, object] = {
            k: v for k, v in op.fields.items() if k not in signature.dropped
        }
        if signature.kind == "ReduceMean":
            reals += self._axes(fields)
        elif signature.kind == "Softmax":
            rank = len(shape_of(op.operands[0].type) or ())
            fields["axis"] = attribute(op, "axis", -1) % rank
        self._result(reals, fields)
        return self.new

    def _result(self, reals: Sequence[SSAValue | None], fields: Mapping[str, object]) -> None:
        """The op on real numbers, and what quantizes its result."""
        op, scale = self.op, self.signature.result_scale(self.op)
        point = operand(op, self.signature.result_place() + 1)
        type, name = op.results[0].type, op.value_name(0)
        if self.channels_last:
            type = _permuted(type, to_front(_rank(type)))
        kind, label = self.signature.kind, op.node_name.data
        if scale is None:
            self._real_result(reals, fields)
            return
        real_name = self.names.fresh(f"{name}__real")
        real = self._node(kind, reals, real_name, with_element(type, f32), fields, label)
        if not self.channels_last:
            self._node("QuantizeLinear", [real, scale, point], name, type)
            return
        stored = self.names.fresh(f"{name}__channels_first")
        quantized = self._node("QuantizeLinear", [real, scale, point], stored, type)
        turn = {"perm": to_back(_rank(type))}
        self._node("Transpose", [quantized], name, op.results[0].type, turn)

    def _real_result(self, reals: Sequence[SSAValue | None], fields: Mapping[str, object]) -> None:
        op, at = self.op, self.signature.summand
        kind, name, type = self.signature.kind, op.value_name(0), op.results[0].type
        summand = None if at is None else operand(op, at)
        if summand is None:
            self._node(kind, reals, name, type, fields, op.node_name.data)
            return
        product = self._node(kind, reals, self.names.fresh(f"{name}__product"), type, fields)
        self._node("Add", [product, summand], name, type, node_name=op.node_name.data)

    def _channel_axis(self) -> int | None:
        if self.signature.kind == "Gemm":
            return 0 if attribute(self.op, "transB", 0) else 1
        return self.signature.channels

    def _turned(self, value: SSAValue | None) -> SSAValue:
        """A value whose channels come last, with them second."""
        assert value is not None
        op, perm = value.owner, to_front(_rank(value.type))
        if isinstance(op, TransposeOp) and attribute(op, "perm") == to_back(_rank(value.type)):
            return op.operands[0]
        name = self.names.fresh(f"{value.name_hint or 'value'}__channels_first")
        return self._node("Transpose", [value], name, _permuted(value.type, perm), {"perm": perm})

    def _axes(self, fields: dict[str, object]) -> list[SSAValue]:
        """The axes of a reduction: an operand since opset 18, an attribute before."""
        axes: list[int] = attribute(self.op, "axes", [])
        if self.opset < 18:
            fields["axes"] = axes
            return []
        name = self.names.fresh(f"{self.op.value_name(0)}__axes")
        self.new.append(constant := make_constant(name, np.array(axes, np.int64), None))
        return [constant.results[0]]

    def _array(self, value: SSAValue | None) -> AnyArray | None:
        return None if value is None else self.constants.array(value)

    def _cast(
        self, value: SSAValue | None, parameters: list[SSAValue | None], axis: int | None
    ) -> SSAValue:
        assert value is not None
        rank = len(shape_of(value.type) or ())
        fields = {} if axis is None else {"axis": axis % rank}
        name = self.names.fresh(f"{value.name_hint or 'value'}__dequantized")
        type = with_element(value.type, f32)
        return self._node("DequantizeLinear", [value, *parameters], name, type, fields)

    def _bias(self, bias: SSAValue | None) -> SSAValue:
        """A bias is of the product of the other scales, and of alpha where a product has one."""
        scales = [self._array(self.signature.parameters(self.op, i)[0]) for i in range(2)]
        assert scales[0] is not None
        assert scales[1] is not None
        alpha = np.float32(attribute(self.op, "alpha", 1.0))
        scale = (scales[0].reshape(()) * scales[1] * alpha).astype(np.float32)
        name = self.names.fresh(f"{self.op.value_name(0)}__bias_scale")
        self.new.append(constant := make_constant(name, scale, None))
        return self._cast(bias, [constant.results[0], None], None if scale.size == 1 else -1)

    def _node(
        self,
        kind: str,
        inputs: Sequence[SSAValue | None],
        name: str,
        type: Attribute,
        fields: Mapping[str, object] | None = None,
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


def _rank(type: Attribute) -> int:
    return len(shape_of(type) or ())


def _permuted(type: Attribute, perm: Sequence[int]) -> Attribute:
    shape, element = shape_of(type), element_type(type)
    assert shape is not None
    assert element is not None
    return ranked_type(element, [shape[i] for i in perm])
