"""How much an ONNX op computes: multiply-adds and elements, from its shapes alone.

Placing and clustering weigh ops by these numbers, so they follow the definition of the op and not an
implementation: no Winograd, no sparsity, no padding to lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from autosplit.dialects.onnx_base import OnnxOp

Shape = tuple[int, ...]

DOMAINS = ("", "ai.onnx", "com.microsoft")
"""Domains whose ops are counted; the last one's FusedConv has the operands of Conv."""


def multiply_adds(op: OnnxOp) -> int:
    """The multiply-adds of one execution; 0 for ops that only move or compare data.

    A dimension that is not known counts as 1, so that under a dynamic batch the ops of a model still
    compare with each other; an operand whose rank is not known makes the count 0. Elementwise ops and
    reductions count 0, as they do in published figures. An op with bodies (If, Loop, Scan) counts the
    ops of each body once, and of If's branches the larger.
    """
    if op.regions:
        bodies = [
            sum(multiply_adds(o) for o in graph.body_ops() if isinstance(o, OnnxOp))
            for _, graph in op.graphs
        ]
        return max(bodies) if op.op_type == "If" else sum(bodies)
    if op.domain not in DOMAINS or (count := _COUNTS.get(op.op_type)) is None:
        return 0
    return count(op)


def elements(type: Attribute) -> int:
    """The elements of a tensor type, where a dimension that is not known counts as 1.

    0 for types that are not ranked tensors.
    """
    return prod(_dims(type) or (0,))


def result_elements(op: OnnxOp) -> int:
    """The elements that an op produces, over all its results."""
    return sum(elements(r.type) for r in op.results)


def _dims(type: Attribute) -> Shape | None:
    """The dimensions, unknown ones as 1; an empty shape for a scalar gives one element."""
    if not isinstance(type, TensorType):
        return None
    return tuple(1 if d < 0 else d for d in type.get_shape()) or (1,)


def _operand(op: OnnxOp, index: int) -> Shape | None:
    inputs = op.inputs
    value: SSAValue | None = inputs[index] if index < len(inputs) else None
    return None if value is None else _dims(value.type)


def _result(op: OnnxOp) -> Shape | None:
    return _dims(op.results[0].type) if op.results else None


def _conv(weight: int) -> Callable[[OnnxOp], int]:
    """Each output element sums over the weights [M, C/group, kernel...] of its channel."""

    def count(op: OnnxOp) -> int:
        w, y = _operand(op, weight), _result(op)
        return 0 if w is None or y is None else prod(y) * prod(w[1:])

    return count


def _conv_transpose(op: OnnxOp) -> int:
    """Each input element spreads over the weights [C, M/group, kernel...] of its channel."""
    x, w = _operand(op, 0), _operand(op, 1)
    return 0 if x is None or w is None else prod(x) * prod(w[1:])


def _matmul(a_index: int) -> Callable[[OnnxOp], int]:
    """Each output element is a sum over the last dimension of the first operand."""

    def count(op: OnnxOp) -> int:
        a, y = _operand(op, a_index), _result(op)
        return 0 if a is None or y is None else prod(y) * a[-1]

    return count


def _gemm(op: OnnxOp) -> int:
    a, y = _operand(op, 0), _result(op)
    if a is None or y is None or len(a) != 2:
        return 0
    return prod(y) * (a[0] if op.attribute("transA", 0) else a[1])


def _einsum(op: OnnxOp) -> int:
    """The product of the sizes of all subscripts, once for each operand after the first."""
    shapes = [_operand(op, i) for i in range(len(op.inputs))]
    equation = str(op.attribute("equation", "")).replace(" ", "")
    terms = equation.split("->")[0].split(",")
    if len(terms) != len(shapes) or len(shapes) < 2:
        return 0
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        if shape is None:
            return 0
        head, dots, tail = term.partition("...")
        labels = [*head]
        if dots:
            # Broadcast dimensions align at the right, just before the labels that follow the dots.
            between = len(shape) - len(head) - len(tail)
            labels += [f".{i}" for i in range(between, 0, -1)]
        labels += [*tail]
        if len(labels) != len(shape):
            return 0
        for label, size in zip(labels, shape, strict=True):
            sizes[label] = max(sizes.get(label, 1), size)
    return prod(sizes.values()) * (len(shapes) - 1)


def _recurrent(op: OnnxOp) -> int:
    """At each step of each sequence, the input and the state each meet their whole weights."""
    x, w, r = _operand(op, 0), _operand(op, 1), _operand(op, 2)
    if x is None or w is None or r is None or len(x) != 3:
        return 0
    return x[0] * x[1] * (prod(w) + prod(r))


_COUNTS: dict[str, Callable[[OnnxOp], int]] = {
    "Conv": _conv(1),
    "ConvInteger": _conv(1),
    "ConvTranspose": _conv_transpose,
    "DeformConv": _conv(1),
    "Einsum": _einsum,
    "FusedConv": _conv(1),
    "GRU": _recurrent,
    "Gemm": _gemm,
    "LSTM": _recurrent,
    "MatMul": _matmul(0),
    "MatMulInteger": _matmul(0),
    "QLinearConv": _conv(3),
    "QLinearMatMul": _matmul(0),
    "RNN": _recurrent,
}
