"""How much an op computes: multiply-adds and elements, from its shapes alone.

Placing and clustering weigh ops by these numbers, so they follow the definition of the op and not an
implementation: no Winograd, no sparsity, no padding to lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import PlatformOp, location_names, platform_graph, shape_of

Shape = tuple[int, ...]

DOMAINS = ("", "ai.onnx", "com.microsoft")
"""Domains whose ops are counted; the last one's FusedConv has the operands of Conv."""


@dataclass(frozen=True)
class Call:
    """One execution of an ONNX op, as far as its work depends on it."""

    kind: str
    inputs: Sequence[Shape | None]
    """The shapes of the operands; None for one that is left out or has no known rank."""
    result: Shape | None
    """The shape of the first result."""
    attribute: Callable[[str, Any], Any]
    """The plain value of an attribute, or a default."""

    def input(self, index: int) -> Shape | None:
        return self.inputs[index] if index < len(self.inputs) else None


def work_of_call(call: Call) -> int:
    """The multiply-adds of one execution; 0 for ops that only move or compare data.

    An operand whose rank is unknown makes the count 0. Elementwise ops and reductions count 0, as they do
    in published figures.
    """
    count = _COUNTS.get(call.kind)
    return 0 if count is None else count(call)


def multiply_adds(op: OnnxOp) -> int:
    """The multiply-adds of one execution, as `work_of_call` has them.

    A dimension that is unknown counts as 1, so that under a dynamic batch the ops of a model still
    compare with each other. An op with bodies (If, Loop, Scan) counts the ops of each body once, and of
    If's branches the larger.
    """
    if op.regions:
        bodies = [
            sum(multiply_adds(o) for o in graph.body_ops() if isinstance(o, OnnxOp))
            for _, graph in op.graphs
        ]
        return max(bodies) if op.op_type == "If" else sum(bodies)
    if op.domain not in DOMAINS:
        return 0
    inputs = [None if v is None else _dims(v.type) for v in op.inputs]
    result = _dims(op.results[0].type) if op.results else None
    return work_of_call(Call(op.op_type, inputs, result, op.attribute))


def open_work(lowered: ModuleOp) -> list[str]:
    """The nodes whose work only a run can tell, by identity.

    Those that multiply tensors of unknown sizes, or inside a loop or a function. `lowered`: a copy in
    canonical ONNX as far as possible.
    """
    return _open_nodes(lowered, Operation)


def open_multiplications(lowered: ModuleOp) -> list[str]:
    """Those of `open_work` whose ops multiply when they run; what TensorFlow's calls call need not."""
    return _open_nodes(lowered, OnnxOp)


def _open_nodes(lowered: ModuleOp, kind: type[Operation]) -> list[str]:
    nodes = {
        names[0]: None
        for op in platform_graph(lowered).body_ops()
        if isinstance(op, kind) and (names := location_names(op.location)) and is_open(op)
    }
    return list(nodes)


def is_open(op: Operation) -> bool:
    """Whether only a run tells how much an op computes."""
    if not isinstance(op, OnnxOp):
        return isinstance(op, PlatformOp) and op.op_type in COUNTED_IN_TENSORFLOW
    if not op.regions:
        return counts(op) and any(_is_unknown(v.type) for v in (*op.operands, *op.results[:1]))
    inside = [o for o in op.walk() if isinstance(o, OnnxOp) and o is not op and not o.regions]
    if op.op_type == "If":
        return any(is_open(o) for o in inside)
    return any(counts(o) for o in inside)


def counts(op: OnnxOp) -> bool:
    """Whether ops of this type multiply and add."""
    return op.op_type in _COUNTS and op.domain in DOMAINS


def _is_unknown(type: Attribute) -> bool:
    shape = shape_of(type)
    return shape is None or any(size < 0 for size in shape)


COUNTED_IN_TENSORFLOW = frozenset(
    {
        "BatchMatMul",
        "BatchMatMulV2",
        "Conv2D",
        "Conv2DBackpropInput",
        "Conv3D",
        "DepthwiseConv2dNative",
        "If",
        "MatMul",
        "PartitionedCall",
        "StatefulPartitionedCall",
        "StatelessIf",
        "StatelessWhile",
        "While",
    }
)
"""TensorFlow's ops that multiply and add, or that call functions which may.

Any that remains in a lowered copy is in a loop, or of unknown sizes.
"""


def work_in_tensorflow(kind: str, inputs: Sequence[Shape], result: Shape) -> int:
    """The multiply-adds of one execution of a TensorFlow op, from its shapes."""
    if len(inputs) < 2:
        return 0
    x, w = inputs[0], inputs[1]
    match kind:
        case "Conv2D" | "Conv3D":
            return prod(result) * prod(w[:-1])
        case "DepthwiseConv2dNative":
            return prod(result) * prod(w[:2])
        case "Conv2DBackpropInput" if len(inputs) > 2:
            return prod(inputs[2]) * prod(w[:3])
        case "MatMul" | "BatchMatMul" | "BatchMatMulV2" if (
            len(x) > 1 and len(result) > 1 and prod(result)
        ):
            # Which of the last two sizes is summed over: the one that the rows of the result are not.
            return prod(result) * (x[-2] * x[-1] // result[-2])
        case _:
            return 0


MOVES = frozenset(
    {
        "Cast",
        "Concat",
        "ConcatV2",
        "ExpandDims",
        "Flatten",
        "Identity",
        "IdentityN",
        "Reshape",
        "Shape",
        "Size",
        "Slice",
        "Snapshot",
        "Split",
        "Squeeze",
        "StopGradient",
        "StridedSlice",
        "Transpose",
        "Unsqueeze",
    }
)
"""Ops of ONNX and TensorFlow that compute nothing: names, views and copies."""


def elements(type: Attribute) -> int:
    """The elements of a tensor type, where an unknown dimension counts as 1.

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


def _conv(weight: int) -> Callable[[Call], int]:
    """Each output element sums over the weights [M, C/group, kernel...] of its channel."""

    def count(call: Call) -> int:
        w, y = call.input(weight), call.result
        return 0 if w is None or y is None else prod(y) * prod(w[1:])

    return count


def _conv_transpose(call: Call) -> int:
    """Each input element spreads over the weights [C, M/group, kernel...] of its channel."""
    x, w = call.input(0), call.input(1)
    return 0 if x is None or w is None else prod(x) * prod(w[1:])


def _matmul(a_index: int) -> Callable[[Call], int]:
    """Each output element is a sum over the last dimension of the first operand."""

    def count(call: Call) -> int:
        a, y = call.input(a_index), call.result
        return 0 if a is None or y is None else prod(y) * a[-1]

    return count


def _gemm(call: Call) -> int:
    a, y = call.input(0), call.result
    if a is None or y is None or len(a) != 2:
        return 0
    return prod(y) * (a[0] if call.attribute("transA", 0) else a[1])


def _einsum(call: Call) -> int:
    """The product of the sizes of all subscripts, once for each operand after the first."""
    shapes = [call.input(i) for i in range(len(call.inputs))]
    equation = str(call.attribute("equation", "")).replace(" ", "")
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


def _recurrent(call: Call) -> int:
    """At each step of each sequence, the input and the state each meet their whole weights."""
    x, w, r = call.input(0), call.input(1), call.input(2)
    if x is None or w is None or r is None or len(x) != 3:
        return 0
    return x[0] * x[1] * (prod(w) + prod(r))


_COUNTS: dict[str, Callable[[Call], int]] = {
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
