"""ONNX ops that only move bytes, expressed as numpy views and copies.

Between partitions such an op needs no runtime: its results are views of its operands' bytes, or a copy of
them. A `Move` knows nothing of memory. Given arrays anywhere in memory, it returns arrays that show the same
elements: its results as views of its operand, or which parts of its result come from which operand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.dialects.builtin import BFloat16Type, IntegerType, Signedness
from xdsl.ir import Operation, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import element_type, shape_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.generic]"
Shape: TypeAlias = tuple[int, ...]
Pair: TypeAlias = "tuple[Array, Array]"
"""A target array, and a source, which may be broadcast."""


class Move:
    """What an op does with its operands; its constant operands are part of it."""

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        """The shapes of the results for operands of these shapes."""
        raise NotImplementedError

    def views(self, source: Array) -> list[Array] | None:
        """The results as views of the operand; None if one of them cannot be a view."""
        return None

    def pairs(self, targets: Sequence[Array], sources: Sequence[Array]) -> list[Pair]:
        """The copies that produce the results."""
        views = self.views(sources[0])
        assert views is not None
        return list(zip(targets, views, strict=True))


@dataclass(frozen=True)
class Transposing(Move):
    """The dimensions in another order."""

    perm: Shape

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        return [tuple(operand_shapes[0][i] for i in self.perm)]

    def views(self, source: Array) -> list[Array]:
        return [source.transpose(self.perm)]


@dataclass(frozen=True)
class Reshaping(Move):
    """Other sizes, of which one may be -1."""

    name: str
    shape: Shape

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        known_count = prod(n for n in self.shape if n >= 0)
        missing = prod(operand_shapes[0]) // max(known_count, 1)
        sizes = tuple(n if n >= 0 else missing for n in self.shape)
        if prod(sizes) != prod(operand_shapes[0]):
            raise AutosplitError(
                f"@{self.name}: a tensor of {list(operand_shapes[0])} cannot become one of {list(self.shape)}"
            )
        return [sizes]

    def views(self, source: Array) -> list[Array] | None:
        view = viewed(source, self.shapes([source.shape])[0])
        return None if view is None else [view]

    def pairs(self, targets: Sequence[Array], sources: Sequence[Array]) -> list[Pair]:
        if (views := self.views(sources[0])) is not None:
            return [(targets[0], views[0])]
        target = viewed(targets[0], sources[0].shape)
        assert target is not None, "one of the two is row-major"
        return [(target, sources[0])]


@dataclass(frozen=True)
class Slicing(Move):
    """For each result, its range in each dimension."""

    ranges: tuple[tuple[slice, ...], ...]

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        sizes = operand_shapes[0]
        return [
            tuple(len(range(*r.indices(n))) for r, n in zip(ranges, sizes, strict=True))
            for ranges in self.ranges
        ]

    def views(self, source: Array) -> list[Array]:
        return [source[ranges] for ranges in self.ranges]


@dataclass(frozen=True)
class Joining(Move):
    """The operands concatenated along a dimension."""

    axis: int

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        first_shape, size = operand_shapes[0], sum(shape[self.axis] for shape in operand_shapes)
        return [(*first_shape[: self.axis], size, *first_shape[self.axis + 1 :])]

    def pairs(self, targets: Sequence[Array], sources: Sequence[Array]) -> list[Pair]:
        pairs: list[Pair] = []
        begin, leading = 0, (slice(None),) * self.axis
        for source in sources:
            end = begin + source.shape[self.axis]
            pairs.append((targets[0][(*leading, slice(begin, end))], source))
            begin = end
        return pairs


@dataclass(frozen=True)
class Repeating(Move):
    """Every element repeated by a factor along each dimension: nearest-neighbor upsampling."""

    factors: Shape

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        return [tuple(n * k for n, k in zip(operand_shapes[0], self.factors, strict=True))]

    def pairs(self, targets: Sequence[Array], sources: Sequence[Array]) -> list[Pair]:
        source = sources[0]
        parted = tuple(m for n, k in zip(source.shape, self.factors, strict=True) for m in (n, k))
        target = viewed(targets[0], parted)
        assert target is not None, "a dimension can always be parted"
        return [(target, source[(slice(None), None) * source.ndim])]


@dataclass(frozen=True)
class Padding(Move):
    """Elements of one value added before and behind each dimension."""

    before: Shape
    behind: Shape
    value: int

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        pads = zip(self.before, operand_shapes[0], self.behind, strict=True)
        return [tuple(a + n + b for a, n, b in pads)]

    def pairs(self, targets: Sequence[Array], sources: Sequence[Array]) -> list[Pair]:
        target, source = targets[0], sources[0]
        inner_slice = tuple(slice(a, a + n) for a, n in zip(self.before, source.shape, strict=True))
        edge = cast("Array", target.dtype.type(self.value))
        edges = [(edge_slice, edge) for edge_slice in self._edges(target, source.shape)]
        return [*edges, (target[inner_slice], source)]

    def _edges(self, target: Array, inner_shape: Shape) -> list[Array]:
        """Slices that cover the padding, each element once."""
        edges: list[Array] = []
        ranges = [slice(None)] * target.ndim
        for i, (a, n, b) in enumerate(zip(self.before, inner_shape, self.behind, strict=True)):
            for begin, count in ((0, a), (a + n, b)):
                if count:
                    ranges[i] = slice(begin, begin + count)
                    edges.append(target[tuple(ranges)])
            ranges[i] = slice(a, a + n)
        return edges


@dataclass(frozen=True)
class Blocks(Move):
    """Blocks of `size` x `size` pixels from the channels of one pixel, or the inverse."""

    size: int
    to_space: bool
    blocks_first: bool
    """Whether a block's places are the outer part of the channels (DCR), or the inner one (CRD)."""

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        n, c, h, w = operand_shapes[0]
        s = self.size
        return [
            (n, c // (s * s), h * s, w * s) if self.to_space else (n, c * s * s, h // s, w // s)
        ]

    def pairs(self, targets: Sequence[Array], sources: Sequence[Array]) -> list[Pair]:
        n, c, h, w = sources[0].shape
        s = self.size
        if not self.to_space:
            parted, order = (n, c, h // s, s, w // s, s), (0, 3, 5, 1, 2, 4)
        elif self.blocks_first:
            parted, order = (n, s, s, c // (s * s), h, w), (0, 3, 4, 1, 5, 2)
        else:
            parted, order = (n, c // (s * s), s, s, h, w), (0, 1, 4, 2, 5, 3)
        source = viewed(sources[0], parted)
        assert source is not None, "a dimension can always be parted"
        source = source.transpose(order)
        target = viewed(targets[0], source.shape)
        assert target is not None, "a dimension can always be parted"
        return [(target, source)]


@dataclass(frozen=True)
class LookingUp(Move):
    """Each byte replaced by the one that a table has for it."""

    table: bytes
    """256 bytes, in the order of the bytes that they replace, taken without sign."""

    def shapes(self, operand_shapes: Sequence[Shape]) -> list[Shape]:
        return [operand_shapes[0]]


def viewed(source: Array, shape: Shape) -> Array | None:
    """A view of an array with another shape; None if that is not possible."""
    view = source.view()
    try:
        view.shape = shape
    except AttributeError:
        return None
    return view


PLAN = "autosplit"
"""The domain of what plans compute themselves, and ONNX does not have."""

LOOKUP = "Lookup"
"""The op that looks bytes up in its attribute `table`."""

VIEWED = "dnnl.viewed"
"""The attribute of a move whose consumers read its results in place, with gaps between the elements."""

S8, U8 = IntegerType(8), IntegerType(8, Signedness.UNSIGNED)

MOVED = (S8, U8, BFloat16Type())
"""What plans move themselves: bytes, and bfloat16, which other runtimes lack."""

ArrayOf: TypeAlias = "Callable[[SSAValue], Array | None]"
"""The array of a constant value; None for any other one."""


def move_of(op: Operation, array_of: ArrayOf) -> Move | None:
    """`reading_of` an op that moves bytes; None for other types."""
    if not isinstance(op, OnnxOp) or not all(
        is_moved(v) for v in (*moved_operands(op), *op.results)
    ):
        return None
    return reading_of(op, array_of)


def reading_of(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    """What an op of ONNX moves, of whatever type; None if it does more, or depends on data."""
    reader = MOVING.get(op.op_type) if op.domain in ("", "ai.onnx") else None
    if op.domain == PLAN and op.op_type == LOOKUP:
        reader = _lookup
    if reader is None or not all(shape_of(v.type) for v in (*moved_operands(op), *op.results)):
        return None
    return reader(op, array_of)


def moved_operands(op: OnnxOp) -> list[SSAValue]:
    """The operands whose bytes an op moves; the others are constants."""
    return list(op.operands if op.op_type == "Concat" else op.operands[:1])


def is_moved(value: SSAValue) -> bool:
    """Whether a value is of a type that plans move, and of known rank."""
    return element_type(value.type) in MOVED and bool(shape_of(value.type))


def _numbers(op: OnnxOp, index: int, array_of: ArrayOf) -> list[int] | None:
    """A constant operand as a list; empty if it is left out, None if it is computed."""
    value = operand(op, index)
    if value is None:
        return []
    array = array_of(value)
    return None if array is None else [int(n) for n in cast("Any", array).reshape(-1).tolist()]


def _lookup(op: OnnxOp, array_of: ArrayOf) -> Move:
    return LookingUp(bytes(attribute(op, "table", list[int]())))


def _axis(op: OnnxOp, default: int) -> int:
    rank = len(shape_of(op.operands[0].type) or ())
    axis = int(attribute(op, "axis", default))
    return axis + rank if axis < 0 else axis


def _concat(op: OnnxOp, array_of: ArrayOf) -> Move:
    return Joining(_axis(op, 0))


def _reshape(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    shape = shape_of(op.results[0].type) or ()
    if sum(n < 0 for n in shape) > 1 or 0 in shape:
        return None
    return Reshaping(op.identity, tuple(shape))


def _transpose(op: OnnxOp, array_of: ArrayOf) -> Move:
    perm: list[int] = attribute(op, "perm", list[int]())
    return Transposing(tuple(perm or reversed(range(len(shape_of(op.operands[0].type) or ())))))


def _slice(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    lists = [_numbers(op, i, array_of) for i in range(1, 5)]
    rank = len(shape_of(op.operands[0].type) or ())
    if any(numbers is None for numbers in lists):
        return None
    starts, ends, axes, steps = cast("list[list[int]]", lists)
    axes = [a % rank for a in axes] or list(range(len(starts)))
    steps = steps or [1] * len(starts)
    if min(steps, default=1) < 1:
        return None
    ranges = [slice(None)] * rank
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        ranges[axis] = slice(start, end, step)
    return Slicing((tuple(ranges),))


def _split(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    axis = _axis(op, 0)
    sizes = [(shape_of(r.type) or ())[axis] for r in op.results]
    if min(sizes) < 0:
        return None
    rank = len(shape_of(op.operands[0].type) or ())
    result_ranges: list[tuple[slice, ...]] = []
    begin = 0
    for size in sizes:
        ranges = [slice(None)] * rank
        ranges[axis] = slice(begin, begin + size)
        result_ranges.append(tuple(ranges))
        begin += size
    return Slicing(tuple(result_ranges))


ALIKE = (
    ("asymmetric", "floor"),
    ("half_pixel", "round_prefer_ceil"),
    ("half_pixel", "round_prefer_floor"),
)
"""Coordinates and roundings by which enlarging by whole factors repeats each element."""


def _resize(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    coordinate_mode = attribute(op, "coordinate_transformation_mode", "half_pixel")
    rounding = attribute(op, "nearest_mode", "round_prefer_floor")
    if attribute(op, "mode", "nearest") != "nearest" or (coordinate_mode, rounding) not in ALIKE:
        return None
    if attribute(op, "axes") is not None or attribute(op, "antialias", 0):
        return None
    factors = _factors(op, array_of)
    if factors is None or any(k < 1 or k != int(k) for k in factors):
        return None
    return Repeating(tuple(int(k) for k in factors))


def _factors(op: OnnxOp, array_of: ArrayOf) -> list[float] | None:
    scales, input_shape = operand(op, 2), shape_of(op.operands[0].type) or ()
    array = None if scales is None else array_of(scales)
    if scales is not None and array is None:
        return None
    if array is not None and array.size:
        return cast("Any", array).reshape(-1).tolist()
    output_shape = shape_of(op.results[0].type) or ()
    if min((*input_shape, *output_shape)) < 1:
        return None
    return [b / a for a, b in zip(input_shape, output_shape, strict=True)]


def _pad(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    pads, value = _numbers(op, 1, array_of), _numbers(op, 2, array_of)
    rank = len(shape_of(op.operands[0].type) or ())
    if attribute(op, "mode", "constant") != "constant" or operand(op, 3) is not None:
        return None
    if pads is None or value is None or len(pads) != 2 * rank or min(pads) < 0:
        return None
    return Padding(tuple(pads[:rank]), tuple(pads[rank:]), value[0] if value else 0)


def _blocks(op: OnnxOp, array_of: ArrayOf) -> Move | None:
    shape, size = shape_of(op.operands[0].type) or (), int(attribute(op, "blocksize", 0))
    if len(shape) != 4 or size < 1:
        return None
    blocks_first = attribute(op, "mode", "DCR") == "DCR"
    return Blocks(size, op.op_type == "DepthToSpace", blocks_first)


MOVING: dict[str, Callable[[OnnxOp, ArrayOf], Move | None]] = {
    "Concat": _concat,
    "DepthToSpace": _blocks,
    "Flatten": _reshape,
    "Pad": _pad,
    "Reshape": _reshape,
    "Resize": _resize,
    "Slice": _slice,
    "SpaceToDepth": _blocks,
    "Split": _split,
    "Squeeze": _reshape,
    "Transpose": _transpose,
    "Unsqueeze": _reshape,
}
"""By op type of ONNX."""
