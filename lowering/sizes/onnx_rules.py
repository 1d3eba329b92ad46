"""The sizes and the small integers of ONNX ops' results, as numbers some of which are unknown.

Ops are in their opset 21 form. A rule does not guess: what it leaves open is an unknown number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.lowering.shared.fold import EVALUATORS, AnyArray, slice_end
from autosplit.lowering.shared.names import words
from autosplit.lowering.sizes.affine import (
    Number,
    floor_quotient,
    is_size,
    maximum,
    minimum,
    positive,
    product,
    quotient,
    select,
    unknown,
    zero,
)
from autosplit.lowering.sizes.known_sizes import (
    ELEMENTS_LIMIT,
    ElementRule,
    KnownSizes,
    NoteRule,
    Shape,
    ShapeRule,
    Shapes,
    agreed,
    numbers,
    open_size,
)

SAME_SHAPE = frozenset(
    {
        "Abs",
        "Cast",
        "Ceil",
        "Clip",
        "DequantizeLinear",
        "Elu",
        "Erf",
        "Exp",
        "Floor",
        "Gelu",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "LeakyRelu",
        "Log",
        "LogSoftmax",
        "Mish",
        "Neg",
        "QuantizeLinear",
        "Reciprocal",
        "Relu",
        "Round",
        "Sigmoid",
        "Sign",
        "Softmax",
        "Softplus",
        "Softsign",
        "Sqrt",
        "Tanh",
    }
)
"""Ops whose result has the shape of their first operand."""

END = (1 << 31) - 1
"""Bounds from here on, or up to its negative, are beyond any dimension."""

# Shapes


def _same(s: KnownSizes, op: OnnxOp) -> Shapes:
    return [s.shape(op.operands[0])] * len(op.results)


def broadcast(shapes: Sequence[Shape | None]) -> Shape | None:
    """The result of broadcasting shapes; None if a rank is unknown."""
    ranked = [s for s in shapes if s is not None]
    if len(ranked) < len(shapes):
        return None
    rank = max(map(len, ranked), default=0)
    out: list[Number] = []
    for i in range(rank):
        dims = {s[i - rank + len(s)] for s in ranked if i - rank + len(s) >= 0} - {1}
        fixed = [d for d in dims if isinstance(d, int)]
        if fixed or len(dims) < 2:
            # An unknown size beside one larger than 1 must be that one, or 1.
            out.append(fixed[0] if fixed else next(iter(dims), 1))
        else:
            out.append(unknown("broadcast", frozenset(dims), least=0))
    return tuple(out)


def _broadcast(s: KnownSizes, op: OnnxOp) -> Shapes:
    return [broadcast([s.shape(v) for v in op.operands])]


def _concat(s: KnownSizes, op: OnnxOp) -> Shapes:
    shapes = [s.shape(v) for v in op.operands]
    ranked = [shape for shape in shapes if shape is not None]
    if not ranked:
        return []
    axis = int(attribute(op, "axis", 0)) % len(ranked[0])
    out = [_common(dims) for dims in zip(*ranked, strict=True)]
    out[axis] = open_size() if len(ranked) < len(shapes) else sum((x[axis] for x in ranked), 0)
    return [tuple(out)]


def _common(dims: Sequence[Number]) -> Number:
    """Sizes that must be the same: the one that is known, if any is."""
    return next((d for d in dims if isinstance(d, int)), dims[0])


def _slice(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    if shape is None:
        return []
    starts, ends = (s.elements(operand(op, i)) for i in (1, 2))
    count = _length(s, op, 1)
    axes = range(len(shape) if count is None else count)
    if (axes_value := operand(op, 3)) is not None:
        if (listed := s.integers(axes_value)) is None:
            return [tuple(open_size() for _ in shape)]
        axes = [a % len(shape) for a in listed]
    steps = [1] * len(axes) if operand(op, 4) is None else s.integers(operand(op, 4))
    out = list(shape)
    for i, axis in enumerate(axes):
        if starts is None or ends is None or steps is None:
            out[axis] = open_size()
        else:
            out[axis] = sliced(shape[axis], starts[i], ends[i], steps[i])
    return [tuple(out)]


def _length(s: KnownSizes, op: OnnxOp, index: int) -> int | None:
    """The number of elements of an operand that is a vector."""
    shape = s.shape(operand(op, index))
    return shape[0] if shape and isinstance(shape[0], int) else None


def sliced(size: Number, start: Number, end: Number, step: int) -> Number:
    """How many elements a slice takes of `size`."""
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        if step < 0:
            start = max(start, -size)
        end = slice_end(end, step)
        stop = None if step < 0 and end < -size else end
        return len(range(size)[start:stop:step])
    if step != 1:
        return open_size()
    first, last = _place(size, start), _place(size, end)
    if first is None or last is None:
        return open_size()
    return maximum(last - first, 0)


def _place(size: Number, bound: Number) -> Number | None:
    """Where a bound of a slice is in a dimension, from 0 to its size; None if its sign is unknown."""
    if isinstance(bound, int):
        if abs(bound) >= END:
            return size if bound > 0 else 0
        return minimum(bound, size) if bound >= 0 else maximum(size + bound, 0)
    return minimum(bound, size) if is_size(bound) else None


def _pad(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, pads = s.shape(op.operands[0]), s.elements(operand(op, 1))
    if shape is None or pads is None:
        return []
    axes = range(len(shape))
    if operand(op, 3) is not None:
        if (listed := s.integers(operand(op, 3))) is None:
            return []
        axes = [a % len(shape) for a in listed]
    out = list(shape)
    for i, axis in enumerate(axes):
        out[axis] = shape[axis] + pads[i] + pads[i + len(axes)]
    return [tuple(out)]


def _reshape(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, sizes = s.shape(op.operands[0]), s.elements(op.operands[1])
    if sizes is None:
        return []
    zeros = bool(attribute(op, "allowzero", 0))
    out: list[Number | None] = []
    for i, n in enumerate(sizes):
        if n == 0 and not zeros:
            out.append(open_size() if shape is None else shape[i])
        else:
            out.append(n if is_size(n) else None)
    if out.count(None) != 1 or shape is None:
        return [tuple(open_size() if n is None else n for n in out)]
    known = product(n for n in out if n is not None)
    missing = _exact(product(shape), known)
    return [tuple((open_size() if missing is None else missing) if n is None else n for n in out)]


def _exact(whole: Number, part: Number) -> Number | None:
    """`whole / part`, if that can be computed."""
    if isinstance(part, int):
        return quotient(whole, part)
    atom, factor = next(iter(part.terms))
    multiple = dict(whole.terms).get(atom, 0) if not isinstance(whole, int) else 0
    if factor and multiple % factor == 0 and multiple and part * (multiple // factor) == whole:
        return multiple // factor
    return None


def _expand(s: KnownSizes, op: OnnxOp) -> Shapes:
    sizes = s.elements(op.operands[1])
    if sizes is None or not all(is_size(n) for n in sizes):
        return []
    return [broadcast([s.shape(op.operands[0]), tuple(sizes)])]


def _constant_of_shape(s: KnownSizes, op: OnnxOp) -> Shapes:
    sizes = s.elements(op.operands[0])
    return [] if sizes is None else [tuple(sizes)]


def _tile(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, repeats = s.shape(op.operands[0]), s.elements(op.operands[1])
    if shape is None or repeats is None:
        return []
    return [tuple(product([d, n]) for d, n in zip(shape, repeats, strict=True))]


def _gather(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, indices = s.shape(op.operands[0]), s.shape(op.operands[1])
    if not shape or indices is None:
        return []
    axis = attribute(op, "axis", 0) % len(shape)
    return [(*shape[:axis], *indices, *shape[axis + 1 :])]


def _transpose(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    if shape is None:
        return []
    perm: Sequence[int] = attribute(op, "perm") or range(len(shape))[::-1]
    return [tuple(shape[p] for p in perm)]


def _squeeze(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, axes = s.shape(op.operands[0]), s.integers(operand(op, 1))
    if shape is None or axes is None:
        return []
    if not axes:
        # ONNX Runtime squeezes all axes of size 1 then.
        is_known = all(isinstance(d, int) for d in shape)
        return [tuple(d for d in shape if d != 1)] if is_known else []
    removed = {a % len(shape) for a in axes}
    return [tuple(d for i, d in enumerate(shape) if i not in removed)]


def _unsqueeze(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, axes = s.shape(op.operands[0]), s.integers(op.operands[1])
    if shape is None or axes is None:
        return []
    rank = len(shape) + len(axes)
    new, dims = {a % rank for a in axes}, iter(shape)
    return [tuple(1 if i in new else next(dims) for i in range(rank))]


def _range(s: KnownSizes, op: OnnxOp) -> Shapes:
    start, limit, delta = (s.number(v) for v in op.operands)
    if start is None or limit is None or delta != 1:
        return []
    return [(maximum(limit - start, 0),)]


def _non_zero(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    return [] if shape is None else [(len(shape), open_size())]


def _top_k(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape, k = s.shape(op.operands[0]), s.number(op.operands[1])
    if not shape or k is None:
        return []
    axis = attribute(op, "axis", -1) % len(shape)
    return [(*shape[:axis], k, *shape[axis + 1 :])] * 2


def _reduce(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    axes = [] if operand(op, 1) is None else s.integers(operand(op, 1))
    if shape is None or axes is None:
        return []
    if not axes and attribute(op, "noop_with_empty_axes", 0):
        return [shape]
    reduced = {a % len(shape) for a in axes} if axes else set(range(len(shape)))
    if attribute(op, "keepdims", 1):
        return [tuple(1 if i in reduced else d for i, d in enumerate(shape))]
    return [tuple(d for i, d in enumerate(shape) if i not in reduced)]


def _split(s: KnownSizes, op: OnnxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    if not shape:
        return []
    axis, count = int(attribute(op, "axis", 0)) % len(shape), len(op.results)
    sizes = s.elements(operand(op, 1))
    if sizes is None:
        each = quotient(shape[axis], count)
        if operand(op, 1) is not None or each is None:
            return []
        sizes = numbers([each] * count)
    return [(*shape[:axis], n, *shape[axis + 1 :]) for n in sizes]


def _matmul(s: KnownSizes, op: OnnxOp) -> Shapes:
    a, b = (s.shape(v) for v in op.operands)
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return []
    outer = broadcast([a[:-2], b[:-2]])
    return [] if outer is None else [(*outer, a[-2], b[-1])]


def _images(s: KnownSizes, op: OnnxOp) -> Shapes:
    """The first size is the operand's; the others are left to the inference."""
    shape, inferred = s.shape(op.operands[0]), s.shape(op.results[0])
    return [] if not shape or inferred is None else [(shape[0], *inferred[1:])]


def _resize(s: KnownSizes, op: OnnxOp) -> Shapes:
    """As `sizes` says, which inference does not see if a body reads them from outside."""
    shape, sizes = s.shape(op.operands[0]), s.elements(operand(op, 3))
    if shape is None or sizes is None:
        return []
    if attribute(op, "keep_aspect_ratio_policy", "stretch") != "stretch":
        return []
    out = list(shape)
    axes = attribute(op, "axes") or range(len(shape))
    for axis, size in zip(axes, sizes, strict=True):
        out[axis] = size
    return [tuple(out)]


def _if(s: KnownSizes, op: OnnxOp) -> Shapes:
    """What the branches agree on, given the conditions under which each is taken."""
    graphs = dict(op.graphs)
    branches = [graphs[name].graph_outputs() for name in ("then_branch", "else_branch")]
    shapes = [[s.shape(value) for _, value in branch] for branch in branches]
    condition = s.number(op.operands[0])
    return [_either(condition, a, b) for a, b in zip(*shapes, strict=True)]


def _either(condition: Number | None, a: Shape | None, b: Shape | None) -> Shape | None:
    if condition is None or a is None or b is None or len(a) != len(b):
        return agreed([a, b])
    return tuple(select(condition, x, y) for x, y in zip(a, b, strict=True))


BROADCAST = words(
    """
    Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min
    Mod Mul Or Pow Sub Sum Where Xor
    """
)
REDUCTIONS = words(
    """
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
    ReduceSumSquare
    """
)
IMAGES = ("AveragePool", "Conv", "ConvTranspose", "GlobalAveragePool", "GlobalMaxPool", "MaxPool")
SAME = {
    *SAME_SHAPE,
    "BatchNormalization",
    "CumSum",
    "Dropout",
    "IsInf",
    "IsNaN",
    "Not",
    "ScatterND",
}

SHAPES: dict[str, ShapeRule] = {
    **dict.fromkeys(sorted(SAME), _same),
    **dict.fromkeys(sorted(BROADCAST), _broadcast),
    **dict.fromkeys(sorted(REDUCTIONS), _reduce),
    **dict.fromkeys(IMAGES, _images),
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "Expand": _expand,
    "Gather": _gather,
    "If": _if,
    "MatMul": _matmul,
    "NonZero": _non_zero,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "Resize": _resize,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "TopK": _top_k,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
}
"""The shapes of an op's results, by the op's type."""

# Elements


def _shape_of(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
    shape = s.shape(op.operands[0])
    if shape is None:
        return []
    return [numbers(shape[slice(attribute(op, "start", 0), attribute(op, "end"))])]


def _size_of(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
    shape = s.shape(op.operands[0])
    return [] if shape is None else [numbers([product(shape)]).reshape(())]


def _moved(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
    """Ops that move the elements of the first operand; the others say how and must be known."""
    data = s.elements(op.operands[0])
    if data is None:
        return []
    operands: list[Any] = [data]
    for value in op.inputs[1:]:
        listed = s.elements(value)
        if value is not None and (listed is None or s.integers(value) is None):
            return []
        operands.append(None if listed is None else listed.astype(np.int64))
    return _evaluated(op, operands)


def _evaluated(op: OnnxOp, operands: list[Any]) -> list[AnyArray | None]:
    arrays = EVALUATORS[op.op_type](operands, partial(attribute, op), len(op.results))
    if any(a.size > ELEMENTS_LIMIT for a in arrays):
        return []
    return [np.asarray(a, object) for a in arrays]


def _joined(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
    parts = [s.elements(v) for v in op.operands]
    if any(part is None for part in parts):
        return []
    return _evaluated(op, parts)


def _cast(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
    integers = (5, 6, 7, 12, 13)  # TensorProto: INT16, INT32, INT64, UINT32, UINT64
    return [s.elements(op.operands[0])] if attribute(op, "to") in integers else []


def _reshaped(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
    """A Reshape to a known shape keeps the elements, whatever its second operand is."""
    data, shape = s.elements(op.operands[0]), s.shape(op.results[0])
    if data is None or shape is None or not all(isinstance(d, int) for d in shape):
        return []
    return [data.reshape([d for d in shape if isinstance(d, int)])]


def _elementwise(count: int, function: Callable[..., Number | None]) -> ElementRule:
    """A function of numbers as a rule for arrays of them; `count`: of how many, or 0 for any number."""

    def run(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
        arrays = [s.elements(v) for v in op.operands]
        if any(a is None for a in arrays):
            return []
        apply = np.frompyfunc(function, count or len(arrays), 1)
        result = np.asarray(apply(*arrays), object)
        return [None if any(n is None for n in result.reshape(-1)) else result]

    return run


def _unary(function: Callable[[Number], Number]) -> ElementRule:
    return _elementwise(1, function)


def _binary(function: Callable[[Number, Number], Number | None]) -> ElementRule:
    return _elementwise(2, function)


def _folded(function: Callable[[Number, Number], Number]) -> Callable[..., Number]:
    """A function of two numbers as one of any number of them."""

    def run(first: Number, *others: Number) -> Number:
        for other in others:
            first = function(first, other)
        return first

    return run


def _divided(a: Number, b: Number) -> Number | None:
    """Division rounds towards zero, which is down where nothing is negative."""
    if isinstance(a, int) and isinstance(b, int):
        return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return floor_quotient(a, b) if is_size(a) else None


def _total(values: Sequence[Number]) -> Number:
    return sum(values, 0)


def _reduced(function: Callable[[Sequence[Number]], Number]) -> ElementRule:
    def run(s: KnownSizes, op: OnnxOp) -> list[AnyArray | None]:
        data = s.elements(op.operands[0])
        axes = [] if operand(op, 1) is None else s.integers(operand(op, 1))
        if data is None or data.ndim != 1 or axes is None or not data.size:
            return []
        if not axes and attribute(op, "noop_with_empty_axes", 0):
            return [data]
        result = numbers([function(list(data))])
        return [result if attribute(op, "keepdims", 1) else result.reshape(())]

    return run


ELEMENTS: dict[str, ElementRule] = {
    "Abs": _unary(lambda a: maximum(a, -a)),
    "Add": _binary(lambda a, b: a + b),
    "And": _binary(lambda a, b: a * b),
    "Cast": _cast,
    "Concat": _joined,
    "Div": _binary(_divided),
    "Equal": _binary(lambda a, b: zero(a - b)),
    "Expand": _moved,
    "Flatten": _moved,
    "Gather": _moved,
    "Greater": _binary(lambda a, b: positive(a - b)),
    "GreaterOrEqual": _binary(lambda a, b: positive(a - b + 1)),
    "Identity": _moved,
    "Less": _binary(lambda a, b: positive(b - a)),
    "LessOrEqual": _binary(lambda a, b: positive(b - a + 1)),
    "Max": _elementwise(0, _folded(maximum)),
    "Min": _elementwise(0, _folded(minimum)),
    "Mul": _binary(lambda a, b: a * b),
    "Neg": _unary(lambda a: -a),
    "Not": _unary(lambda a: 1 - a),
    "Or": _binary(lambda a, b: a + b - a * b),
    "ReduceMax": _reduced(lambda n: reduce(maximum, n)),
    "ReduceMin": _reduced(lambda n: reduce(minimum, n)),
    "ReduceProd": _reduced(product),
    "ReduceSum": _reduced(_total),
    "Reshape": _reshaped,
    "Shape": _shape_of,
    "Size": _size_of,
    "Slice": _moved,
    "Split": _moved,
    "Squeeze": _moved,
    "Sub": _binary(lambda a, b: a - b),
    "Tile": _moved,
    "Transpose": _moved,
    "Unsqueeze": _moved,
    "Where": _elementwise(3, select),
}
"""The integers of an op's results, by the op's type."""

NOTES: dict[str, NoteRule] = {}
"""What is noted of an op whatever is known of its results, by the op's type."""
