"""Standard ONNX ops with the result types of ONNX Runtime's ops, which the onnx package does not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from onnx import NodeProto, TensorProto, helper
from xdsl.ir import SSAValue

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import element_type, shape_of
from autosplit.formats.onnx.values import CODE_OF_ELEMENT

DOMAIN = "com.microsoft"

Names = Callable[[SSAValue], str]
Maker = Callable[[OnnxOp, Names, str], list[NodeProto]]
"""Makes the nodes for an op; the last one produces the given name. Empty if the type stays unknown."""


def stand_in(op: OnnxOp, names: Names) -> list[NodeProto]:
    """Nodes whose result has the type of the first result of an op of ONNX Runtime; empty if there are none.

    They compute something else. The names of intermediate values are not numbers.
    """
    if op.domain != DOMAIN or (make := _MAKERS.get(op.op_type)) is None:
        return []
    return make(op, names, names(op.results[0]))


def _as_operand(index: int = 0) -> Maker:
    """The result has the type of an operand."""

    def make(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
        return _nodes(op, names, result, "Identity", [index], ())

    return make


def _like(op_type: str, *operands: int, fields: Sequence[str] = ()) -> Maker:
    """The result has the type of a standard op's, whose channels are the second axis."""

    def make(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
        if not attribute(op, "channels_last", 0):
            return _nodes(op, names, result, op_type, operands, fields)
        if (shape := shape_of(op.operands[0].type)) is None:
            return []
        rank, source, turned = (len(shape), f"turned operand of {result}", f"turned {result}")
        (node,) = _nodes(op, names, turned, op_type, operands, fields)
        node.input[0] = source
        first, last = ([0, rank - 1, *range(1, rank - 1)], [0, *range(2, rank), 1])
        return [
            helper.make_node("Transpose", [names(op.operands[0])], [source], perm=first),
            node,
            helper.make_node("Transpose", [turned], [result], perm=last),
        ]

    return make


def _nodes(
    op: OnnxOp,
    names: Names,
    result: str,
    op_type: str,
    operands: Sequence[int],
    fields: Sequence[str],
) -> list[NodeProto]:
    inputs = [operand(op, i) for i in operands]
    input_names = ["" if v is None else names(v) for v in inputs]
    attributes = {name: value for name in fields if (value := attribute(op, name)) is not None}
    return [helper.make_node(op_type, input_names, [result], **attributes)]


def _concat(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
    operand_indices = range(2, len(op.inputs), 3)
    return _nodes(op, names, result, "Concat", list(operand_indices), ["axis"])


def _reduce_mean(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
    """ReduceMean has its axes as an operand since opset 18, as an attribute before; this avoids both."""
    shape = shape_of(op.operands[0].type)
    axes: list[int] = attribute(op, "axes", [])
    element = element_type(op.operands[0].type)
    if shape is None or element is None:
        return []
    reduced = {a % len(shape) for a in axes} if axes else set(range(len(shape)))
    keep = attribute(op, "keepdims", 1)
    sizes = [
        1 if i in reduced else size for i, size in enumerate(shape) if keep or i not in reduced
    ]
    if any(size < 0 for size in sizes):
        return []
    return _of_shape(result, sizes, _code(op.operands[0]))


def _of_shape(result: str, sizes: Sequence[int], code: int) -> list[NodeProto]:
    # The onnx package types its arrays loosely.
    make_tensor = cast("Callable[..., TensorProto]", cast("Any", helper).make_tensor)
    shape = make_tensor("shape", TensorProto.INT64, [len(sizes)], sizes)
    value = make_tensor("value", code, [1], [0])
    return [
        helper.make_node("Constant", [], [f"shape of {result}"], value=shape),
        helper.make_node("ConstantOfShape", [f"shape of {result}"], [result], value=value),
    ]


def _gemm(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
    """A QGemm without a result scale yields floats."""
    inner = f"product of {result}"
    nodes = _nodes(op, names, inner, "Gemm", [0, 3], ["transA", "transB"])
    zero_point = operand(op, 8)
    code = TensorProto.FLOAT if operand(op, 7) is None or zero_point is None else _code(zero_point)
    return [*nodes, helper.make_node("Cast", [inner], [result], to=code)] if code else []


def _product(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
    """A MatMul, with transposed operands where their ranks are known."""
    if attribute(op, "transBatchA", 0) or attribute(op, "transBatchB", 0):
        return []
    nodes: list[NodeProto] = []
    input_names: list[str] = []
    for index, flag in enumerate(("transA", "transB")):
        value = op.operands[index]
        input_names.append(names(value))
        if not attribute(op, flag, 0):
            continue
        if (shape := shape_of(value.type)) is None or len(shape) < 2:
            return []
        perm = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        input_names[-1] = f"operand {index} of {result}"
        nodes.append(helper.make_node("Transpose", [names(value)], [input_names[-1]], perm=perm))
    return [*nodes, helper.make_node("MatMul", input_names, [result])]


def _real_product(op: OnnxOp, names: Names, result: str) -> list[NodeProto]:
    inner = f"product of {result}"
    nodes = _nodes(op, names, inner, "MatMul", [0, 1], ())
    return [*nodes, helper.make_node("Cast", [inner], [result], to=TensorProto.FLOAT)]


def _code(value: SSAValue) -> int:
    """ONNX's number of a value's element type, 0 where that is unknown."""
    element = element_type(value.type)
    return 0 if element is None else CODE_OF_ELEMENT.get(element, 0)


_WINDOW = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
_MAKERS: dict[str, Maker] = {
    "BiasGelu": _as_operand(),
    "DequantizeLinear": _like("DequantizeLinear", 0, 1, 2, fields=["axis"]),
    "DynamicQuantizeMatMul": _like("MatMul", 0, 1),
    "FastGelu": _as_operand(),
    "FusedConv": _like("Conv", 0, 1, fields=_WINDOW),
    "FusedGemm": _like("Gemm", 0, 1, fields=["transA", "transB"]),
    "FusedMatMul": _product,
    "Gelu": _as_operand(),
    "MatMulIntegerToFloat": _real_product,
    "QGemm": _gemm,
    "QLinearAdd": _like("Add", 0, 3),
    "QLinearAveragePool": _like(
        "AveragePool",
        0,
        fields=["auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"],
    ),
    "QLinearConcat": _concat,
    "QLinearConv": _like("QLinearConv", 0, 1, 2, 3, 4, 5, 6, 7, fields=_WINDOW),
    "QLinearGlobalAveragePool": _like("GlobalAveragePool", 0),
    "QLinearLeakyRelu": _as_operand(),
    "QLinearMul": _like("Mul", 0, 3),
    "QLinearReduceMean": _reduce_mean,
    "QLinearSigmoid": _as_operand(),
    "QLinearSoftmax": _as_operand(),
    "QLinearWhere": _like("Where", 0, 1, 4),
    "QuantizeLinear": _like("QuantizeLinear", 0, 1, 2, fields=["axis"]),
    "QuickGelu": _as_operand(),
    "SkipLayerNormalization": _as_operand(),
    "SkipSimplifiedLayerNormalization": _as_operand(),
    "TransposeMatMul": _product,
}
"""By op type."""
