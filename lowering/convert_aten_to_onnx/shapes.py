"""Ops that change the shape of a tensor or the order of its axes, and those that leave it as it is.

Sizes that the program computes are values; if at most one is open, ONNX infers it from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import OpResult, SSAValue

from autosplit.dialects.aten.memory import MEMORY, ORDERED, reach
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Dim, converts
from autosplit.lowering.shared.refusal import Refusal

FRESH = frozenset({"GlobalAveragePool", "ReduceMean", "ReduceSum"})
"""Ops whose results are contiguous in memory, in the order of batch and channels."""


@converts("_reshape_alias", "_unsafe_view", "reshape", "view")
def _view(b: AtenBuilder) -> SSAValue:
    """view(x) -> reshape(x)"""
    dims = b.dims("shape" if b.kind == "reshape" else "size")
    return b.shaped(b.x, dims, b.out_shape())


@converts("reshape_as", "view_as")
def _view_as(b: AtenBuilder) -> SSAValue:
    """view_as(x, y) -> reshape(x) in the shape of y"""
    return b.shaped(b.x, b.sizes(b.tensor("other")), b.out_shape())


@converts("flatten.using_ints")
def _flatten(b: AtenBuilder) -> SSAValue:
    """flatten(x) -> reshape(x), some axes as one"""
    rank = b.rank(b.x)
    if rank == 0:
        return b.reshape(b.x, [1])
    first, last = (b.axis(b.x, b.integer(name)) for name in ("start_dim", "end_dim"))
    if first == last:
        return b.x
    if first == 1 and last == rank - 1:
        return b.apply("Flatten", b.x, axis=1)
    sizes = b.sizes(b.x)
    return b.shaped(b.x, [*sizes[:first], -1, *sizes[last + 1 :]], b.out_shape())


@converts("unflatten.int")
def _unflatten(b: AtenBuilder) -> SSAValue:
    """unflatten(x) -> reshape(x), an axis as several"""
    axis, sizes = b.axis(b.x, b.integer("dim")), b.sizes(b.x)
    dims = [*sizes[:axis], *b.dims("sizes"), *sizes[axis + 1 :]]
    return b.shaped(b.x, dims, b.out_shape())


@converts("squeeze", "squeeze.dim", "squeeze.dims")
def _squeeze(b: AtenBuilder) -> SSAValue:
    """squeeze(x) -> squeeze(x), for those of the named axes whose size is 1"""
    rank = b.rank(b.x)
    named = (
        range(rank)
        if b.kind == "squeeze"
        else [b.axis(b.x, a) for a in b.numbers("dim")]
        if rank
        else []
    )
    sizes = b.shape(b.x)
    axes = [a for a in named if sizes[a] == 1]
    if len(b.out_shape()) != rank - len(axes):
        raise Refusal("dynamic-shape", "whether an axis goes follows from a size that is unknown")
    return b.squeeze(b.x, axes)


@converts("unsqueeze")
def _unsqueeze(b: AtenBuilder) -> SSAValue:
    """unsqueeze(x) -> unsqueeze(x)"""
    axis = b.integer("dim")
    return b.unsqueeze(b.x, [axis if axis >= 0 else axis + b.rank(b.x) + 1])


@converts("permute")
def _permute(b: AtenBuilder) -> SSAValue:
    """permute(x) -> transpose(x)"""
    return b.transpose(b.x, [b.axis(b.x, a) for a in b.numbers("dims")])


@converts("swapaxes", "swapdims", "transpose.int")
def _transpose(b: AtenBuilder) -> SSAValue:
    """transpose(x) -> transpose(x), two axes swapped"""
    names = {"swapaxes": ("axis0", "axis1")}.get(b.kind, ("dim0", "dim1"))
    perm = [*range(b.rank(b.x))]
    if not perm:
        return b.x
    first, second = (b.axis(b.x, b.integer(name)) for name in names)
    perm[first], perm[second] = perm[second], perm[first]
    return b.transpose(b.x, perm)


@converts("mT", "numpy_T", "t")
def _flipped(b: AtenBuilder) -> SSAValue:
    """t(x) -> transpose(x), its axes backwards; mT the last two"""
    rank = b.rank(b.x)
    axes = [*range(rank)]
    if b.kind == "mT":
        return b.transpose(b.x, [*axes[:-2], rank - 1, rank - 2])
    return b.transpose(b.x, axes[::-1])


@converts("moveaxis.int", "moveaxis.intlist", "movedim.int", "movedim.intlist")
def _movedim(b: AtenBuilder) -> SSAValue:
    """movedim(x) -> transpose(x)"""
    sources, targets = ([b.axis(b.x, a) for a in b.numbers(n)] for n in ("source", "destination"))
    moved = dict(zip(targets, sources, strict=True))
    others = iter(a for a in range(b.rank(b.x)) if a not in sources)
    perm = [moved[i] if i in moved else next(others) for i in range(b.rank(b.x))]
    return b.transpose(b.x, perm)


# Larger by repetition


@converts("broadcast_to", "expand")
def _expand(b: AtenBuilder) -> SSAValue:
    """expand(x) -> expand(x); a size of -1 is that of x"""
    return expanded(b, b.x, b.dims("size"), b.out_shape())


def expanded(b: AtenBuilder, x: SSAValue, dims: Sequence[Dim], static: Sequence[int]) -> SSAValue:
    """`x` expanded to sizes, where -1 keeps the size that it has."""
    if tuple(static) == b.shape(x) and all(n >= 0 for n in static):
        return x
    sizes = [n if n >= 0 else 1 if d == -1 else d for d, n in zip(dims, static, strict=True)]
    return b.apply("Expand", x, b.vector(sizes))


@converts("expand_as")
def _expand_as(b: AtenBuilder) -> SSAValue:
    """expand_as(x, y) -> expand(x, shape(y))"""
    return expanded(b, b.x, b.sizes(b.tensor("other")), b.out_shape())


@converts("meshgrid", "meshgrid.indexing")
def _meshgrid(b: AtenBuilder) -> list[SSAValue]:
    """meshgrid(xs) -> expand(reshape of each); with "xy" the first two axes are swapped"""
    vectors = b.tensors("tensors")
    places = list(range(len(vectors)))
    if "indexing" in b.arguments and b.text("indexing") == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    sizes: list[Dim] = [1] * len(vectors)
    for x, place in zip(vectors, places, strict=True):
        sizes[place] = b.size(x, 0) if b.rank(x) else 1
    grids: list[SSAValue] = []
    for i, (x, place) in enumerate(zip(vectors, places, strict=True)):
        column = b.reshape(x, [-1 if axis == place else 1 for axis in range(len(vectors))])
        grids.append(expanded(b, column, sizes, b.out_shape(i)))
    return grids


@converts("repeat", "tile")
def _repeat(b: AtenBuilder) -> SSAValue:
    """repeat(x) -> tile(x), with new axes in front if there are more numbers than axes"""
    times, rank = b.dims("repeats" if b.kind == "repeat" else "dims"), b.rank(b.x)
    x = b.unsqueeze(b.x, range(len(times) - rank))
    times = [*[1] * (rank - len(times)), *times]
    return x if all(n == 1 for n in times) else b.apply("Tile", x, b.vector(times, "times"))


@converts("repeat_interleave.self_int")
def _repeat_interleave(b: AtenBuilder) -> SSAValue:
    """repeat_interleave(x) -> reshape(expand(unsqueeze(x))), each element several times in its place"""
    axis, x, count = b.get("dim"), b.x, b.dim("repeats")
    if not isinstance(axis, int):
        x, axis = b.reshape(x, [-1]), 0
    axis = b.axis(x, axis)
    sizes = b.sizes(x)
    ones: list[Dim] = [1] * (len(sizes) + 1)
    ones[axis + 1] = count
    wide = b.apply("Expand", b.unsqueeze(x, [axis + 1]), b.vector(ones))
    return b.shaped(wide, [*sizes[:axis], -1, *sizes[axis + 1 :]], b.out_shape())


# The same elements


@converts(
    "alias",
    "clone",
    "contiguous",
    "detach",
    "detach_",
    "detach_copy",
    "lift_fresh",
    "lift_fresh_copy",
    "positive",
)
def _same(b: AtenBuilder) -> SSAValue:
    """contiguous(x) -> x, clone, detach and alias alike: values have no memory format"""
    return b.x


@converts("resolve_conj", "resolve_neg")
def _real(b: AtenBuilder) -> SSAValue:
    """resolve_conj(x) -> x, resolve_neg alike: there is nothing to resolve in real numbers"""
    return b.x


@converts("as_strided")
def _as_strided(b: AtenBuilder) -> SSAValue:
    """as_strided(x) -> reshape(gather(reshape(x), places)), or x itself, where x lies in order"""
    if _is_itself(b):
        return b.x
    offset = b.get("storage_offset") or 0
    if b.op.attributes.get(MEMORY) != ORDERED or not isinstance(offset, int):
        raise Refusal("unsupported-op", "reads memory by strides, as no ONNX op does")
    sizes, strides = b.numbers("size"), b.numbers("stride")
    if reach(sizes, strides, offset) >= prod(b.static(b.x, "what lies at a place of memory")):
        raise Refusal("unsupported-op", "reads memory behind the tensor")
    grids = np.indices(sizes).reshape(len(sizes), prod(sizes))
    indices = offset + np.array(strides, np.int64) @ grids
    flat = b.reshape(b.x, [-1])
    return b.shaped(b.apply("Gather", flat, b.constant("places", indices), axis=0), [*sizes])


def _is_itself(b: AtenBuilder) -> bool:
    """Whether size and strides are those of the tensor."""
    sizes = b.shape(b.x)
    owner = b.x.op if isinstance(b.x, OpResult) else None
    fresh = isinstance(owner, OnnxOp) and owner.op_type in FRESH
    offset = b.get("storage_offset")
    if not fresh or offset not in (None, 0) or b.out_shape() != sizes or set(sizes[2:]) - {1}:
        return False
    strides, step = b.dims("stride"), 1
    for size, stride in reversed([*zip(sizes, strides, strict=True)][:2]):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


# Element types


@converts("_to_copy", "to.device", "to.dtype", "to.dtype_layout", "to.other", "type_as")
def _to(b: AtenBuilder) -> SSAValue:
    """to(x) -> cast(x)"""
    return b.cast(b.x, b.out)


@converts("_assert_tensor_metadata")
def _assert_metadata(b: AtenBuilder) -> list[SSAValue | None]:
    """assert_tensor_metadata(x) -> nothing, if the types say that it holds"""
    expected = b.named_element("dtype")
    if b.get("size") is not None or b.get("stride") is not None:
        raise Refusal("host-op", "checks the sizes of a tensor, and computes nothing")
    if expected is not None and expected != b.element(b.tensor("a")):
        raise Refusal("host-op", f"checks that elements are {expected}, which they are not")
    return []


# Sizes as values


@converts("sym_size.int")
def _sym_size(b: AtenBuilder) -> SSAValue:
    """sym_size(x) -> squeeze(shape(x))"""
    axis = b.axis(b.x, b.integer("dim"))
    size = b.size(b.x, axis)
    return b.index(size)


@converts("sym_numel", "numel")
def _numel(b: AtenBuilder) -> SSAValue:
    """sym_numel(x) -> size(x)"""
    return b.apply("Size", b.x)


ON_SIZES = {
    "operator.add": "Add",
    "operator.mul": "Mul",
    "operator.sub": "Sub",
    "torch.sym_max": "Max",
    "torch.sym_min": "Min",
}
COMPARED = {
    "operator.eq": "Equal",
    "operator.ge": "GreaterOrEqual",
    "operator.gt": "Greater",
    "operator.le": "LessOrEqual",
    "operator.lt": "Less",
}


def _sizes_read(b: AtenBuilder) -> list[SSAValue]:
    """The operands of an op on sizes, as 64-bit integers."""
    return [b.operand(name, i64) for name in b.arguments]


@converts(*ON_SIZES, *COMPARED)
def _on_sizes(b: AtenBuilder) -> SSAValue:
    """operator.mul(m, n) of sizes -> mul(m, n), where `ON_SIZES` and `COMPARED` pair them"""
    if any(element_type(v.type) not in (i64, i1) for v in b.op.operands):
        raise Refusal("dtype", f"{b.kind} of numbers that are no integers")
    return b.apply((ON_SIZES | COMPARED)[b.kind], *_sizes_read(b))


@converts("operator.floordiv", "operator.mod")
def _divided_sizes(b: AtenBuilder) -> SSAValue:
    """operator.floordiv(m, n) -> div(m, n), rounded down; operator.mod(m, n) -> mod(m, n)"""
    m, n = _sizes_read(b)
    mod = b.apply("Mod", m, n)
    return mod if b.kind == "operator.mod" else b.apply("Div", b.apply("Sub", m, mod), n)


@converts("operator.neg")
def _negated_size(b: AtenBuilder) -> SSAValue:
    """operator.neg(n) -> neg(n)"""
    return b.apply("Neg", *_sizes_read(b))
