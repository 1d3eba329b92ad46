"""Checks that operands are compatible: one element type, sizes that broadcast, channels, ranks.

Unknown sizes are compatible with anything. Bodies are not checked, since sizes may contradict a branch that
is never taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.platform import PlatformOp, shape_text

if TYPE_CHECKING:
    from autosplit.dialects.onnx.base import OnnxOp

Shape = Sequence[int]
Shapes = Sequence[Shape | None]
"""The known shapes of operands, by position; None if unknown or omitted."""

Rule = Callable[["OnnxOp", Shapes], str | None]


@dataclass(frozen=True)
class OneElementType(OpTrait):
    """Operands and results, by position, that have one element type, as the op's schema says."""

    operands: tuple[int, ...] | None = None
    """None: all of them."""
    results: tuple[int, ...] = ()

    def verify(self, op: Operation) -> None:
        if (reason := self.misfit(cast("OnnxOp", op))) is not None:
            raise VerifyException(reason)

    def misfit(self, op: OnnxOp) -> str | None:
        """Why the op violates it; None if it does not."""
        operands = _by_position(op)
        indices = range(len(operands)) if self.operands is None else self.operands
        operand_types = _elements([operands[i] for i in indices if i < len(operands)])
        result_types = _elements([op.results[i] for i in self.results if i < len(op.results)])
        element_types = operand_types + result_types
        if not element_types or element_types.count(element_types[0]) == len(element_types):
            return None
        mismatch = next(element for element in element_types if element != element_types[0])
        if mismatch in operand_types:
            return f"it takes one element type, not {element_types[0]} and {mismatch}"
        return f"it gives the element type that it takes, not {mismatch} for {element_types[0]}"


@dataclass(frozen=True)
class FittingSizes(OpTrait):
    """The sizes of the operands are compatible: they broadcast, have the same number of channels, ..."""

    def verify(self, op: Operation) -> None:
        if (reason := misfit(cast("OnnxOp", op))) is not None:
            raise VerifyException(f"its operands do not fit each other: {reason}")


@dataclass(frozen=True)
class Since(OpTrait):
    """The operator set version that introduced the op."""

    version: int

    def verify(self, op: Operation) -> None:
        module = op.get_toplevel_object()
        opsets = module.attributes.get("onnx.opsets") if isinstance(module, Operation) else None
        if not isinstance(opsets, DictionaryAttr):
            return
        node = cast("OnnxOp", op)
        opset = opsets.data.get(node.domain or "ai.onnx")
        if isinstance(opset, IntegerAttr) and opset.value.data < self.version:
            raise VerifyException(
                f"{node.op_type} is of opset {self.version}, the model of opset {opset.value.data}"
            )


def _by_position(op: OnnxOp) -> Sequence[SSAValue | None]:
    return op.inputs if "operandSegmentSizes" in op.properties else op.operands


def _elements(values: Sequence[SSAValue | None]) -> list[Attribute]:
    """The known element types; faster than `element_type` of each."""
    element_types = [getattr(v.type, "element_type", None) for v in values if v is not None]
    return [element for element in element_types if element is not None]


def is_in_body(op: Operation) -> bool:
    """Whether an op is part of a branch or of a loop's body."""
    graph = op.parent_op()
    return graph is not None and isinstance(graph.parent_op(), PlatformOp)


def misfit(op: OnnxOp) -> str | None:
    """Why the shapes of an op's operands are incompatible; None if they may be compatible."""
    if (rule := RULES.get(op.name)) is None:
        return None
    reason = rule(op, shapes_of(op))
    return None if reason is None or is_in_body(op) else reason


def shapes_of(op: OnnxOp) -> Shapes:
    """The shapes of an op's operands."""
    # Dominates verification: `shape_of` takes three times as long.
    types = [None if value is None else value.type for value in _by_position(op)]
    return [[n.data for n in t.shape.data] if type(t) is TensorType else None for t in types]


def integer(op: OnnxOp, name: str, default: int) -> int:
    """An attribute of the op that is a number."""
    attr = op.field(name)
    return attr.value.data if isinstance(attr, IntegerAttr) else default


def _at(shapes: Shapes, index: int) -> Shape | None:
    return shapes[index] if index < len(shapes) else None


def _differ(a: int, b: int) -> bool:
    return a != b and a >= 0 and b >= 0


def broadcast(shapes: Sequence[Shape]) -> str | None:
    """Why shapes do not broadcast to one."""
    if all([shape == shapes[0] for shape in shapes]):
        return None
    for axis in range(1, max(map(len, shapes)) + 1):
        sizes = {s[-axis] for s in shapes if len(s) >= axis and s[-axis] >= 0} - {1}
        if len(sizes) > 1:
            return f"sizes {' and '.join(map(str, sorted(sizes)))} do not broadcast"
    return None


def _elementwise(op: OnnxOp, shapes: Shapes) -> str | None:
    return broadcast([shape for shape in shapes if shape is not None])


def _into(index: int, label: str) -> Rule:
    """Operands from `index` on broadcast to the first one's shape, and do not enlarge it."""

    def rule(op: OnnxOp, shapes: Shapes) -> str | None:
        shape = shapes[0]
        if shape is None:
            return None
        for other_shape in filter(None, shapes[index:]):
            pairs = zip(reversed(shape), reversed(other_shape), strict=False)
            if len(other_shape) > len(shape) or any(b != 1 and _differ(a, b) for a, b in pairs):
                return f"the {label} of {shape_text(other_shape)} does not broadcast to {shape_text(shape)}"
        return None

    return rule


def _conv(x: int, w: int, bias: int) -> Rule:
    def rule(op: OnnxOp, shapes: Shapes) -> str | None:
        image, kernel = shapes[x], shapes[w]
        if image is None or kernel is None:
            return None
        if len(image) != len(kernel) or len(image) < 3:
            return f"the image has {counted(len(image), 'dimension')} and the kernel {len(kernel)}"
        group = integer(op, "group", 1)
        if kernel[1] >= 0 and _differ(image[1], kernel[1] * group):
            groups = f" in {counted(group, 'group')}" if group != 1 else ""
            return (
                f"the image has {counted(image[1], 'channel')}, the kernel is for "
                f"{kernel[1] * group}{groups}"
            )
        return _bias(_at(shapes, bias), kernel[0])

    return rule


def _bias(bias: Shape | None, channels: int) -> str | None:
    if bias is None or (len(bias) == 1 and not _differ(bias[0], channels)):
        return None
    return (
        f"the bias of {shape_text(bias)} is for another number than {counted(channels, 'channel')}"
    )


def _conv_transpose(op: OnnxOp, shapes: Shapes) -> str | None:
    image, kernel = shapes[0], shapes[1]
    if image is None or kernel is None:
        return None
    if len(image) != len(kernel) or len(image) < 3:
        return f"the image has {counted(len(image), 'dimension')} and the kernel {len(kernel)}"
    if _differ(image[1], kernel[0]):
        return f"the image has {counted(image[1], 'channel')}, the kernel is for {kernel[0]}"
    return _bias(_at(shapes, 2), kernel[1] * integer(op, "group", 1))


def _matmul(a: int, b: int) -> Rule:
    def rule(op: OnnxOp, shapes: Shapes) -> str | None:
        left_shape, right_shape = shapes[a], shapes[b]
        if left_shape is None or right_shape is None:
            return None
        if not left_shape or not right_shape:
            return "a scalar has no rows and columns"
        inner_size = right_shape[-2:][0]
        if _differ(left_shape[-1], inner_size):
            return f"the rows have {counted(left_shape[-1], 'element')}, the columns {inner_size}"
        return broadcast([left_shape[:-2], right_shape[:-2]])

    return rule


def _gemm(op: OnnxOp, shapes: Shapes) -> str | None:
    a, b, c = shapes[0], shapes[1], _at(shapes, 2)
    if a is None or b is None:
        return None
    if len(a) != 2 or len(b) != 2:
        return f"its matrices have {len(a)} and {counted(len(b), 'dimension')}"
    rows, inner_size = a[::-1] if integer(op, "transA", 0) else a
    other_inner_size, columns = b[::-1] if integer(op, "transB", 0) else b
    if _differ(inner_size, other_inner_size):
        return f"the rows have {counted(inner_size, 'element')}, the columns {other_inner_size}"
    pairs = zip((columns, rows), reversed(c or ()), strict=False)
    if any(size != 1 and _differ(size, known) for known, size in pairs):
        return (
            f"the offset of {shape_text(c or ())} does not broadcast to "
            f"{shape_text((rows, columns))}"
        )
    return None


def no_dimension(axis: int, rank: int) -> str | None:
    """Why an axis is not one of a tensor's dimensions; None if it is."""
    return (
        None if -rank <= axis < rank else f"axis {axis} is not one of {counted(rank, 'dimension')}"
    )


def _axis(default: int) -> Rule:
    """The first operand has the dimension that the attribute `axis` names."""

    def rule(op: OnnxOp, shapes: Shapes) -> str | None:
        return no_dimension(integer(op, "axis", default), len(shapes[0])) if shapes[0] else None

    return rule


def _concat(op: OnnxOp, shapes: Shapes) -> str | None:
    ranked = [shape for shape in shapes if shape is not None]
    ranks = sorted({len(s) for s in ranked})
    if len(ranks) > 1:
        return f"it joins tensors of {' and '.join(map(str, ranks))} dimensions"
    if not ranked:
        return None
    rank, axis = ranks[0], integer(op, "axis", 0)
    if (reason := no_dimension(axis, rank)) is not None:
        return reason
    for other_axis in set(range(rank)) - {axis % rank}:
        sizes = sorted({s[other_axis] for s in ranked if s[other_axis] >= 0})
        if len(sizes) > 1:
            return f"sizes {' and '.join(map(str, sizes))} of dimension {other_axis} differ"
    return None


def _per_channel(op: OnnxOp, shapes: Shapes) -> str | None:
    """Operands behind the first have one element for each channel."""
    image = shapes[0]
    if image is None or len(image) < 2 or not integer(op, "spatial", 1):
        return None
    for index, param_shape in enumerate(shapes[1:], 1):
        if param_shape is not None and (len(param_shape) != 1 or _differ(param_shape[0], image[1])):
            return (
                f"operand {index} of {shape_text(param_shape)} is for another number than "
                f"{counted(image[1], 'channel')}"
            )
    return None


def _transpose(op: OnnxOp, shapes: Shapes) -> str | None:
    shape, perm = shapes[0], cast("list[int] | None", op.attribute("perm"))
    if shape is None or perm is None or sorted(perm) == list(range(len(shape))):
        return None
    if len(perm) != len(shape):
        return f"perm {perm} is not for {counted(len(shape), 'dimension')}"
    return f"perm {perm} does not name each of {counted(len(shape), 'dimension')} once"


def _quantized_elementwise(op: OnnxOp, shapes: Shapes) -> str | None:
    return broadcast([shape for shape in (shapes[0], _at(shapes, 3)) if shape is not None])


def _quantized_conv(op: OnnxOp, shapes: Shapes) -> str | None:
    return None if integer(op, "channels_last", 0) else _conv(0, 3, 8)(op, shapes)


def _recurrent(gates: int) -> Rule:
    def rule(op: OnnxOp, shapes: Shapes) -> str | None:
        x, w, r = shapes[:3]
        if x is None or w is None or r is None or not len(x) == len(w) == len(r) == 3:
            return None
        if _differ(x[2], w[2]):
            return f"the inputs have {counted(x[2], 'element')}, the weights are for {w[2]}"
        if r[2] >= 0 and (_differ(r[1], gates * r[2]) or _differ(w[1], gates * r[2])):
            return f"weights of {shape_text(w)} and {shape_text(r)} are not for one hidden size"
        return None

    return rule


_BROADCASTS = (
    "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual "
    "Max Mean Min Mod Mul Or Pow Sub Sum Where Xor"
)
_ALONG_THE_FIRST = "ArgMax ArgMin Gather GatherElements ScatterElements Split"
_ALONG_THE_LAST = "Hardmax LogSoftmax Softmax TopK"
_RULES: dict[str, Rule] = {
    **dict.fromkeys(_BROADCASTS.split(), _elementwise),
    **dict.fromkeys(_ALONG_THE_FIRST.split(), _axis(0)),
    **dict.fromkeys(_ALONG_THE_LAST.split(), _axis(-1)),
    "BatchNormalization": _per_channel,
    "Concat": _concat,
    "Conv": _conv(0, 1, 2),
    "ConvInteger": _conv(0, 1, 9),
    "ConvTranspose": _conv_transpose,
    "GRU": _recurrent(3),
    "Gemm": _gemm,
    "InstanceNormalization": _per_channel,
    "LSTM": _recurrent(4),
    "LayerNormalization": _into(1, "scale or offset"),
    "MatMul": _matmul(0, 1),
    "MatMulInteger": _matmul(0, 1),
    "PRelu": _into(1, "slope"),
    "QLinearConv": _conv(0, 3, 8),
    "QLinearMatMul": _matmul(0, 3),
    "RNN": _recurrent(1),
    "Transpose": _transpose,
}
_MICROSOFT_RULES: dict[str, Rule] = {
    "FusedConv": _conv(0, 1, 2),
    "FusedGemm": _gemm,
    "QLinearAdd": _quantized_elementwise,
    "QLinearConv": _quantized_conv,
    "QLinearMul": _quantized_elementwise,
}
RULES: dict[str, Rule] = {
    **{f"onnx.{kind}": rule for kind, rule in _RULES.items()},
    **{f"onnx.ms.{kind}": rule for kind, rule in _MICROSOFT_RULES.items()},
}
"""The rules, by the op's name in the IR."""
