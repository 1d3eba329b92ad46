"""Keeping ops apart that TPU-MLIR would make one op of, and get wrong.

Its first step rewrites Top before a chip is chosen, so a pair that it gets wrong is wrong on every chip. A
copy in between, that it does not remove, keeps it from seeing the pair: a LeakyRelu whose slope is 1.

For bm1684x it makes one op of a whole attention, which computes in f16 even in F32. A copy in front of the
projection behind it keeps it from that, too.

It makes an RMSNorm of x * (1 / sqrt(mean(x * x) + e)) * weights for every chip, too, which bm1684 has no
kernel for. What it does not join is a division by the root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, prod
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.dialects.platform import static_shape
from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.convert_onnx_to_top.neutral import Identity, identities, made_by

if TYPE_CHECKING:
    from xdsl.ir import Block

    from autosplit.core.weights import WeightStore
    from autosplit.devices import Chip


MOST_OFF = 2.0**-26
"""By how much the slope of a copy is not 1, at most: float32 does not see it."""


def separate_pairs(
    block: Block, chip: Chip, mode: str, fresh: Callable[[str], str], store: WeightStore
) -> int:
    """Puts a copy between the ops of each pair of `PAIRS`, in INT8 also of the chip's `INT8_PAIRS`; how many.

    `fresh` gives a name that no other result of the function has. `store` has the function's weights.
    """
    pairs = list(PAIRS)
    if mode == "INT8":
        pairs += [pair for name, pair in INT8_PAIRS.items() if name in chip.workarounds]
    found = [op for op in block.ops if isinstance(op, TopOp) and op.kind in BEHIND]
    if not found:
        return 0
    known = identities(block, store)
    count = 0
    for op in found:
        for index, value in enumerate(op.operands):
            front = _front(value, known)
            if front is None or not any(pair(front, op) for pair in pairs):
                continue
            _put_copy(op, index, fresh)
            count += 1
    return count


def joins_attention(chip: Chip) -> bool:
    """Whether an attention becomes one op for a chip, which computes in f16 even in F32."""
    return "half-attention" in chip.workarounds


def separate_attention(block: Block, fresh: Callable[[str], str]) -> list[TopOp]:
    """Puts a copy between each attention and its projection; the copies.

    With all in between, from the projections of queries, keys and values on, they would be one op.
    """
    found = [op for op in block.ops if isinstance(op, TopOp) and _projects_attention(op)]
    return [_put_copy(op, 0, fresh) for op in found]


VIEWS = frozenset({"Permute", "Reshape", "Squeeze", "Unsqueeze"})
"""The kinds that may stand between the ops of an attention."""


def _projects_attention(op: TopOp) -> bool:
    """Whether an op multiplies what a Softmax weighs, with weights."""
    if op.kind != "MatMul" or made_by(op.inputs[1], "Weight") is None:
        return False
    weighed = _behind_views(op.inputs[0])
    if weighed is None or weighed.kind != "MatMul":
        return False
    weighing = _behind_views(weighed.inputs[0])
    return weighing is not None and weighing.kind == "Softmax"


def _behind_views(value: SSAValue) -> TopOp | None:
    """What computes a value, or the one that it is a view of."""
    while isinstance(owner := value.owner, TopOp):
        if owner.kind not in VIEWS:
            return owner
        value = owner.inputs[0]
    return None


def _put_copy(op: TopOp, index: int, fresh: Callable[[str], str]) -> TopOp:
    """Lets an op take a copy of its operand `index`; the copy."""
    value = op.operands[index]
    name = fresh(f"{op.names[0]}/apart")
    copy = make_op("LeakyRelu", [value], [value.type], [name], {"alpha": 1.0})
    Rewriter.insert_op(copy, InsertPoint.before(op))
    op.operands[index] = copy.outputs[0]
    return copy


def is_copy(op: TopOp) -> bool:
    """Whether an op is such a copy, or one of those that keep what kernels spoil."""
    return op.kind == "LeakyRelu" and abs(op.number("alpha") - 1.0) < MOST_OFF


def divide_by_roots(block: Block, chip: Chip) -> int:
    """Divides by square roots that values are multiplied with the reciprocals of; returns how many.

    The usual way becomes an RMSNorm, for which not every chip has a kernel.
    """
    if "rms-norm" not in chip.workarounds:
        return 0
    found = [op for op in block.ops if isinstance(op, TopOp) and op.kind == "Mul"]
    return sum(_divide(op) for op in found if not op.attrs)


def _divide(op: TopOp) -> bool:
    """Makes a division of x * (1 / sqrt(y)); whether it was that."""
    for value, other in (op.inputs, op.inputs[::-1]):
        inverse = made_by(value, "Reciprocal")
        if inverse is None or inverse.number("const_val") != 1.0:
            continue
        root = inverse.inputs[0]
        if made_by(root, "Sqrt") is None:
            continue
        made = make_op("Div", [other, root], [op.outputs[0].type], list(op.names), {})
        Rewriter.replace_op(op, made)
        if inverse.outputs[0].first_use is None:
            Rewriter.erase_op(inverse)
        return True
    return False


def _front(value: SSAValue, known: Mapping[SSAValue, Identity]) -> TopOp | None:
    """The op that computes a value, before all that the tool chain removes."""
    while isinstance(owner := value.owner, TopOp):
        same = [v for v in owner.operands if v in known and known[v] == known.get(value)]
        if not same:
            return owner
        value = same[0]
    return None


def _sum_and_scale(front: TopOp, op: TopOp) -> bool:
    """A number is added, then one for each channel, or another number: measured to forget one of the two.

    They become a Scale. `sin(x) + 0.25 + [1, 2, 3, 4]` was `sin(x) + 0.25`; a BatchNorm is a Scale as well.
    Of two numbers one is forgotten where a product with channels follows.
    """
    if front.kind != "AddConst":
        return False
    return op.kind in ("AddConst", "BatchNorm") or _weight(op) is not None


def _product_and_column(front: TopOp, op: TopOp) -> bool:
    """A product's sum with a column as long as its rows: measured to be added as a row.

    It becomes the bias of the MatMul, as it has as many numbers as that.
    """
    shape = _weight(op)
    if front.kind != "MatMul" or shape is None:
        return False
    columns = (static_shape(front.results[0].type) or (0,))[-1]
    return prod(shape) == columns != shape[-1]


def _limited(front: TopOp, op: TopOp) -> bool:
    """A limited Relu, times a number: measured to keep the limit. Behind it a plain Relu: to lose it.

    All become part of the convolution in front: `min(relu(conv(x)), 6) / 6` reached 6.
    """
    is_limited = front.kind == "Relu" and front.number("relu_limit") > 0
    return is_limited and op.kind in ("MulConst", "Relu")


def _tiled(front: TopOp, op: TopOp) -> bool:
    """A Tile, times a number: measured to leave all but the first copy unwritten.

    The product is moved in front of the Tile, and the Tile's own sizes are lost.
    """
    return front.kind == "Tile" and op.kind == "MulConst"


def _turned(front: TopOp, op: TopOp) -> bool:
    """A part of a value and all in front of it, joined in that order: measured to be taken for all of it.

    `concat(x[3:5], x[0:3])` of six rows had six, and step 2 stopped at that; of all rows it is right.
    """
    if op.kind != "Concat" or len(op.inputs) != 2 or front is not op.inputs[0].owner:
        return False
    last = op.inputs[1].owner
    if not isinstance(last, TopOp) or (front.kind, last.kind) != ("Slice", "Slice"):
        return False
    whole, joined = static_shape(front.inputs[0].type), static_shape(op.results[0].type)
    if front.inputs[0] is not last.inputs[0] or whole == joined:
        return False
    axis = op.integer("axis")
    return _limits(last, axis) == (0, _limits(front, axis)[0])


def _limits(op: TopOp, axis: int) -> tuple[float, float]:
    """Where a Slice begins and ends along an axis."""
    offsets, ends = op.ints("offset"), op.ints("ends")
    axes = op.ints("axes") or list(range(len(offsets)))
    return dict(zip(axes, zip(offsets, ends, strict=True), strict=True)).get(axis, (0, inf))


def _weight(op: TopOp) -> tuple[int, ...] | None:
    """The shape of the constant that an Add adds."""
    if op.kind != "Add":
        return None
    made = [v for v in op.operands if isinstance(v.owner, TopOp) and v.owner.kind == "Weight"]
    return static_shape(made[0].type) if made else None


PAIRS: tuple[Callable[[TopOp, TopOp], bool], ...] = (
    _sum_and_scale,
    _product_and_column,
    _limited,
    _tiled,
    _turned,
)
"""Whether an op and what computes its operand are such a pair; all measured with TPU-MLIR 1.30.2."""

INT8_PAIRS: Mapping[str, Callable[[TopOp, TopOp], bool]] = {
    "factor-factor": lambda front, op: (front.kind, op.kind) == ("MulConst", "MulConst"),
    "factor-relu": lambda front, op: (front.kind, op.kind) == ("MulConst", "Relu"),
    "resize-relu": lambda front, op: (front.kind, op.kind) == ("Interp", "Relu"),
}
"""Pairs that some chips get wrong in INT8, by the names of their workarounds."""

BEHIND = frozenset({"Add", "AddConst", "BatchNorm", "Concat", "MulConst", "Relu"})
"""The kinds of the second op of pairs."""
