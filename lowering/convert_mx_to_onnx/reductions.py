"""Sums and the like, extremes, sorting, and products of matrices.

Where MXNet reduces all axes, its result is a vector of one element, not a scalar.
"""

from __future__ import annotations

from math import sqrt

from xdsl.ir import SSAValue

from autosplit.lowering.convert_mx_to_onnx.builder import MxBuilder, converts
from autosplit.lowering.shared.refusal import Refusal

REDUCTIONS = {
    "max": "ReduceMax",
    "mean": "ReduceMean",
    "min": "ReduceMin",
    "prod": "ReduceProd",
    "sum": "ReduceSum",
}


def _axes(b: MxBuilder, name: str = "axis") -> list[int]:
    """The axes that an op reduces, all if it names none."""
    rank = b.rank(b.x)
    listed = [b.axis(b.x, a) for a in b.op.ints(name) if a is not None]
    if "exclude" in (b.op.SPEC.attrs if b.op.SPEC else {}) and b.op.flag("exclude"):
        return [a for a in range(rank) if a not in listed]
    return sorted(listed) or list(range(rank))


def _reduced(b: MxBuilder, op_type: str, value: SSAValue, axes: list[int], keep: bool) -> SSAValue:
    result = b.apply(op_type, value, b.ints("axes", axes), keepdims=int(keep))
    return b.reshape(result, [1]) if len(axes) == b.rank(value) and not keep else result


@converts(*REDUCTIONS)
def _reduce(b: MxBuilder) -> SSAValue:
    """sum(x) -> reduce_sum(x), mean, max, min and prod alike"""
    if b.is_integer(b.x) and b.kind == "mean":
        raise Refusal("dtype", "a mean of integers, expected floats")
    return _reduced(b, REDUCTIONS[b.kind], b.x, _axes(b), b.op.flag("keepdims"))


@converts("norm")
def _norm(b: MxBuilder) -> SSAValue:
    """norm(x) -> reduce_l1(x) or reduce_l2(x)"""
    order = b.op.integer("ord")
    if order not in (1, 2) or b.op.text("out_dtype"):
        raise Refusal("attribute", f"ord is {order}, expected 1 or 2 and no out_dtype")
    return _reduced(b, f"ReduceL{order}", b.x, _axes(b), b.op.flag("keepdims"))


@converts("moments")
def _moments(b: MxBuilder) -> list[SSAValue]:
    """moments(x) -> mean(x), mean((x - mean(x))^2)"""
    axes, keep = _axes(b, "axes"), b.op.flag("keepdims")
    mean = b.apply("ReduceMean", b.x, b.ints("axes", axes), keepdims=1)
    difference = b.apply("Sub", b.x, mean)
    square = b.apply("Mul", difference, difference)
    return [
        _reduced(b, "ReduceMean", b.x, axes, keep),
        _reduced(b, "ReduceMean", square, axes, keep),
    ]


@converts("argmax", "argmax_channel", "argmin")
def _arg(b: MxBuilder) -> SSAValue:
    """argmax(x) -> cast(arg_max(x)): MXNet returns indices as numbers of x's type"""
    op_type = "ArgMin" if b.kind == "argmin" else "ArgMax"
    x, axis, keep = b.x, 1, False
    if b.kind != "argmax_channel":
        named, keep = b.op.get("axis"), b.op.flag("keepdims")
        if named is None and not keep:
            return b.cast(b.apply(op_type, b.reshape(x, [-1]), axis=0, keepdims=1), b.element(x))
        if not isinstance(named, int):
            raise Refusal("attribute", "keepdims without an axis")
        axis = b.axis(x, named)
    if b.rank(x) == 1 and not keep:
        keep = True
    return b.cast(b.apply(op_type, x, axis=axis, keepdims=int(keep)), b.element(x))


@converts("topk")
def _topk(b: MxBuilder) -> list[SSAValue | None]:
    """topk(x) -> top_k(x), the values, the indices as numbers, or both"""
    returns = b.op.text("ret_typ")
    if returns == "mask":
        raise Refusal("attribute", "ret_typ is mask, expected value, indices or both")
    values, positions = _sorted(b, b.op.integer("k"), b.op.flag("is_ascend"))
    indices = b.cast(positions, b.named_element(b.op.text("dtype")))
    return [indices] if returns == "indices" else [values, indices if returns == "both" else None]


@converts("sort")
def _sort(b: MxBuilder) -> list[SSAValue | None]:
    """sort(x) -> top_k(x, all)"""
    return [_sorted(b, 0, b.op.flag("is_ascend"))[0]]


@converts("argsort")
def _argsort(b: MxBuilder) -> SSAValue:
    """argsort(x) -> cast(indices of top_k(x, all))"""
    indices = _sorted(b, 0, b.op.flag("is_ascend"))[1]
    return b.cast(indices, b.named_element(b.op.text("dtype")))


def _sorted(b: MxBuilder, k: int, ascending: bool) -> tuple[SSAValue, SSAValue]:
    """The first `k` elements along the axis, all if `k` is below 1, and their indices."""
    named, x = b.op.get("axis"), b.x
    if named is None:
        x = b.reshape(x, [-1])
    axis = b.axis(x, named) if isinstance(named, int) else 0
    size = b.shape(x)[axis]
    if k < 1 and size < 0:
        raise Refusal("dynamic-shape", "sorts along an axis of unknown size")
    count = b.ints("k", [min(k, size) if k >= 1 and size >= 0 else max(k, size)])
    values, indices = b.nodes(
        "topk", "TopK", [x, count], {"axis": axis, "largest": int(not ascending)}, 2
    )
    return values, indices


# Products


@converts("dot")
def _dot(b: MxBuilder) -> SSAValue:
    """dot(x, y) -> mat_mul(x, y). Refused if y has more than two dimensions, which MXNet flattens."""
    x, y = b.x, b.input(1)
    if b.rank(y) != 2 or (b.rank(x) > 2 and b.op.flag("transpose_a")):
        raise Refusal("rank", f"dot of {b.rank(x)} and {b.rank(y)} dimensions")
    return b.apply("MatMul", *_flipped(b, x, y))


@converts("batch_dot", "_linalg_gemm2")
def _batch_dot(b: MxBuilder) -> SSAValue:
    """batch_dot(x, y) -> mat_mul(x, y), gemm2(x, y) -> alpha * mat_mul(x, y)"""
    product = b.apply("MatMul", *_flipped(b, b.x, b.input(1)))
    if b.kind == "batch_dot":
        return product
    if b.op.integer("axis") != -2:
        raise Refusal("attribute", f"axis is {b.op.integer('axis')}, expected -2")
    alpha = b.op.number("alpha")
    return product if alpha == 1 else b.apply("Mul", product, b.scalar("alpha", alpha, product))


def _flipped(b: MxBuilder, *values: SSAValue) -> list[SSAValue]:
    """The matrices, transposed if the op says so."""
    out: list[SSAValue] = []
    for value, name in zip(values, ("transpose_a", "transpose_b"), strict=True):
        rank = b.rank(value)
        perm = [*range(rank - 2), rank - 1, rank - 2] if rank > 1 else [0]
        out.append(b.transpose(value, perm) if b.op.flag(name) else value)
    return out


@converts("_contrib_div_sqrt_dim")
def _div_sqrt_dim(b: MxBuilder) -> SSAValue:
    """div_sqrt_dim(x) -> x / sqrt(size of the last axis)"""
    size = b.shape(b.x)[-1]
    if size < 0:
        raise Refusal("dynamic-shape", "divides by the root of a size that is unknown")
    return b.apply("Div", b.x, b.scalar("root", sqrt(size), b.x))


@converts("_contrib_interleaved_matmul_selfatt_qk")
def _attention_scores(b: MxBuilder) -> SSAValue:
    """selfatt_qk(qkv) -> mat_mul(q / sqrt(d), transpose(k)), of each head"""
    q, k = (_head(b, b.x, part, 3) for part in (0, 1))
    scale = b.scalar("scale", 1 / sqrt(b.shape(q)[-1]), q)
    return b.apply("MatMul", b.apply("Mul", q, scale), b.transpose(k, [0, 2, 1]))


@converts("_contrib_interleaved_matmul_selfatt_valatt")
def _attention(b: MxBuilder) -> SSAValue:
    """selfatt_valatt(qkv, scores) -> mat_mul(scores, v), heads side by side again"""
    return _joined_heads(b, b.apply("MatMul", b.input(1), _head(b, b.x, 2, 3)), b.x)


@converts("_contrib_interleaved_matmul_encdec_qk")
def _cross_scores(b: MxBuilder) -> SSAValue:
    """encdec_qk(q, kv) -> mat_mul(q / sqrt(d), transpose(k)), of each head"""
    q, k = _head(b, b.x, 0, 1), _head(b, b.input(1), 0, 2)
    scale = b.scalar("scale", 1 / sqrt(b.shape(q)[-1]), q)
    return b.apply("MatMul", b.apply("Mul", q, scale), b.transpose(k, [0, 2, 1]))


@converts("_contrib_interleaved_matmul_encdec_valatt")
def _cross_attention(b: MxBuilder) -> SSAValue:
    """encdec_valatt(kv, scores) -> mat_mul(scores, v), heads side by side again"""
    return _joined_heads(b, b.apply("MatMul", b.input(1), _head(b, b.x, 1, 2)), b.x)


def _head(b: MxBuilder, value: SSAValue, part: int, parts: int) -> SSAValue:
    """One of the `parts` of each head in [length, batch, heads * parts * d]: [batch * heads, length, d]."""
    length, batch, width = b.static(value, "the size of a head")
    heads = b.op.integer("heads")
    d = width // (heads * parts)
    split = b.reshape(value, [length, batch, heads, parts, d])
    selected = b.squeeze(b.slice(split, 3, part, part + 1), [3])
    return b.reshape(b.transpose(selected, [1, 2, 0, 3]), [batch * heads, length, d])


def _joined_heads(b: MxBuilder, value: SSAValue, source: SSAValue) -> SSAValue:
    """[batch * heads, length, d] as [length, batch, heads * d]."""
    batch, heads = b.shape(source)[1], b.op.integer("heads")
    _, length, d = b.static(value, "the size of a head")
    split = b.transpose(b.reshape(value, [batch, heads, length, d]), [2, 0, 1, 3])
    return b.reshape(split, [length, batch, heads * d])
