"""top-separate-pairs: keeping apart ops that TPU-MLIR would fuse into a wrong op.

Its first step rewrites Top before a chip is chosen, so a pair that it gets wrong is wrong on every chip. A
copy in between, which it does not remove, hides the pair from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.weights import store_for
from autosplit.devices import DEFAULT_CHIP, get_chip
from autosplit.dialects.platform import static_shape
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_top_to_onnx.base import is_weight
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.top.copies import TopPattern, top_blocks
from autosplit.lowering.top.identities import Identity, identities

MOVES = frozenset(
    {"Concat", "Depth2Space", "Flatten", "Permute", "Reshape", "Squeeze", "Unsqueeze"}
)

FACTORS = frozenset({"Add", "AddConst", "BatchNorm", "Mul", "MulConst", "SubConst"})
"""Kinds that become part of a product in front, through moves too, if they read weights."""

Pair = Callable[[TopOp, TopOp], bool]
"""Whether the op that computes an operand, and its reader, are a pair to keep apart."""


class SeparatePair(TopPattern):
    """`op(front(x))` -> `op(copy(front(x)))`, where the two are a `pair`, which is called `name`."""

    KINDS = ("Add", "AddConst", "BatchNorm", "Concat", "MulConst", "Relu")

    def __init__(
        self, module: ModuleOp, identity_of: Mapping[SSAValue, Identity], name: str, pair: Pair
    ):
        super().__init__(module)
        self.identity_of = identity_of
        self.name = name
        self.pair = pair

    @property
    def label(self) -> str:
        return f"{type(self).__name__} {self.name}"

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        for index, value in enumerate(op.operands):
            front = _front(value, self.identity_of)
            if front is not None and self.pair(front, op):
                self.read_copy(op, index, "apart", rewriter)


def _front(value: SSAValue, identity_of: Mapping[SSAValue, Identity]) -> TopOp | None:
    """The op that computes a value, looking through ops that the tool chain removes."""
    while isinstance(owner := value.owner, TopOp):
        equals = [
            v
            for v in owner.operands
            if v in identity_of and identity_of[v] == identity_of.get(value)
        ]
        if not equals:
            return owner
        value = equals[0]
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
    """A limited Relu, times a number: measured to keep the limit. Before a plain Relu: measured to lose it.

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
    """A part of a value, joined with all in front of that: measured to be taken for all of the value.

    `concat(x[3:5], x[0:3])` of six rows had six, and step 2 stopped at that; of all rows it is right.
    """
    if op.kind != "Concat" or len(op.inputs) != 2 or front is not op.inputs[0].owner:
        return False
    back = op.inputs[1].owner
    if not isinstance(back, TopOp) or (front.kind, back.kind) != ("Slice", "Slice"):
        return False
    whole, joined = static_shape(front.inputs[0].type), static_shape(op.results[0].type)
    if front.inputs[0] is not back.inputs[0] or whole == joined:
        return False
    axis = op.integer("axis")
    return _limits(back, axis) == (0, _limits(front, axis)[0])


def _moved(front: TopOp, op: TopOp) -> bool:
    """A Relu behind a move: measured to become part of a product in front of that, and lost.

    Numbers below 0 are then read as large ones.
    """
    if op.kind != "Relu":
        return False
    before = op.inputs[0].owner
    while isinstance(before, TopOp) and before.kind in FACTORS:
        computed = [value for value in before.inputs if not is_weight(value)]
        if len(computed) != 1:
            return False
        before = computed[0].owner
    return isinstance(before, TopOp) and before.kind in MOVES


def _limits(op: TopOp, axis: int) -> tuple[float, float]:
    """Where a Slice begins and ends along an axis."""
    offsets, ends = op.ints("offset"), op.ints("ends")
    axes = op.ints("axes") or list(range(len(offsets)))
    return dict(zip(axes, zip(offsets, ends, strict=True), strict=True)).get(axis, (0, inf))


def _weight(op: TopOp) -> tuple[int, ...] | None:
    """The shape of the constant that an Add adds; None if it adds none."""
    if op.kind != "Add":
        return None
    weights = [v for v in op.operands if isinstance(v.owner, TopOp) and v.owner.kind == "Weight"]
    return static_shape(weights[0].type) if weights else None


PAIRS: Mapping[str, Pair] = {
    "sum-scale": _sum_and_scale,
    "product-column": _product_and_column,
    "limit-factor": _limited,
    "tile-factor": _tiled,
    "turned-parts": _turned,
}
"""Pairs that are wrong on every chip, all measured with TPU-MLIR 1.30.2. No two of them match the same op."""

INT8_PAIRS: Mapping[str, Pair] = {
    "factor-factor": lambda front, op: (front.kind, op.kind) == ("MulConst", "MulConst"),
    "factor-relu": lambda front, op: (front.kind, op.kind) == ("MulConst", "Relu"),
    "moved-relu": _moved,
    "resize-relu": lambda front, op: (front.kind, op.kind) == ("Interp", "Relu"),
}
"""Pairs that some chips get wrong in INT8, by the names of their workarounds."""


@dataclass(frozen=True)
class TopSeparatePairsPass(ModulePass):
    """A copy is between the ops of each pair that TPU-MLIR would fuse into a wrong op.

    Examples are adding a number and then one for each channel, or a limited Relu and then a factor. In INT8,
    some chips have pairs of their own.
    """

    name = "top-separate-pairs"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    mode: str = "F32"
    """What the chip computes in."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pairs, chip = dict(PAIRS), get_chip(self.target)
        if self.mode == "INT8":
            pairs |= {n: p for n, p in INT8_PAIRS.items() if n in chip.workarounds}
        if not any(isinstance(o, TopOp) and o.kind in SeparatePair.KINDS for o in op.walk()):
            return
        store = store_for(op)
        identity_of: dict[SSAValue, Identity] = {}
        for block in top_blocks(op):
            identity_of |= identities(block, store)
        patterns = [SeparatePair(op, identity_of, name, pair) for name, pair in pairs.items()]
        apply_patterns(op, patterns, recursive=False)
