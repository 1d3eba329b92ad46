"""quant-attention: an attention in the form that is one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import SoftmaxOp, TransposeOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import (
    S8,
    U8,
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    update_params,
    with_element,
)
from autosplit.lowering.building import BuildingPattern, ModuleValues, OnnxReplacement
from autosplit.lowering.quant.chains.stages import made_by, only_reader
from autosplit.lowering.quant.encoders.masks import MaskBySum
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why
from autosplit.lowering.shared.fold import AnyArray, folded_constant

HEADS = [0, 2, 1, 3]
"""The transposition that exchanges heads and places."""


def weighted_values(value: SSAValue) -> OnnxOp | None:
    """The product of rounded softmax weights and dequantized values that produces a value, if any."""
    product = made_by(value, "MatMul")
    real = None if product is None else product.operands[0].owner
    rounded = real.input.owner if isinstance(real, DequantizeCastOp) else None
    if product is None or not isinstance(rounded, QuantizeCastOp):
        return None
    return product if made_by(rounded.input, "Softmax") is not None else None


class JoinHeads(BuildingPattern[QuantizeCastOp]):
    """`reshape(transpose(qcast(x))) -> qcast(reshape(transpose(x)))`, for the values of all heads.

    The library transposes and reshapes them in the kernel that makes them, if they are quantized behind that.
    """

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        if (product := weighted_values(op.input)) is None:
            return
        if not op.input.has_one_use():
            why(op, "something else reads the values of the heads")
            return
        stored = only_reader(op.output)
        turn = only_reader(stored.output) if isinstance(stored, StorageCastOp) else None
        join = _view(turn, "Transpose")
        storage_cast = None if join is None else _view(join, "Reshape")
        if not isinstance(turn, OnnxOp) or not isinstance(join, OnnxOp):
            why(op, "it is not transposed and reshaped, and nothing else reads what is between")
            return
        if not isinstance(stored, StorageCastOp) or not isinstance(storage_cast, StorageCastOp):
            why(op, "it is not transposed and reshaped, and nothing else reads what is between")
            return
        if attribute(turn, "perm") != HEADS:
            why(op, "it is transposed by another order than that of heads")
            return
        shape = shape_of(join.results[0].type)
        if shape is None or min(shape) < 0:
            why(
                op, "its extents are open, and the library's attention takes a reshape as it stands"
            )
            return
        value = self._real(turn, op.input, [], rewriter)
        sizes = folded_constant(
            self.values.fresh(f"{join.value_name(0) or 'heads'}__sizes"),
            np.array(shape, np.int64),
            None,
            join.location,
        )
        rewriter.insert(sizes, InsertPoint.before(join))
        value = self._real(join, value, [sizes.results[0]], rewriter)
        quantize = QuantizeCastOp(
            value,
            storage_cast.output.type,
            node_name=op.node_name.data,
            value_name=storage_cast.value_name(0),
            source=op.source,
            location=product.location,
        )
        rewriter.insert(quantize, InsertPoint.before(storage_cast))
        rewriter.replace_all_uses_with(storage_cast.output, quantize.output)
        for dead_op in (storage_cast, join, turn, stored, op):
            rewriter.erase(dead_op)

    def _real(
        self, view: OnnxOp, value: SSAValue, others: list[SSAValue], rewriter: PatternRewriter
    ) -> SSAValue:
        """A view of integers as one of real numbers."""
        real_view = make_node(
            view.op_type,
            [value, *others],
            [self.values.fresh(f"{view.value_name(0) or 'heads'}__real")],
            attributes=view.fields,
            result_types=[with_element(view.results[0].type, f32)],
            node_name=view.node_name.data,
            location=view.location,
        )
        rewriter.insert(real_view, InsertPoint.before(view))
        return real_view.results[0]


def _view(op: Operation | None, *kinds: str) -> Operation | None:
    """The only user of an op's result, if the op is of one of these types."""
    if not isinstance(op, OnnxOp) or op.domain != "" or op.op_type not in kinds:
        return None
    return only_reader(op.results[0])


class UnsignedScores(Pattern[QuantizeCastOp]):
    """`qcast(softmax(x))` to signed bytes from -128 on `->` to unsigned ones: nothing is below 0.

    The numbers are the same, and the library has no kernel for an attention whose weights have a zero point.
    """

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        type = uniform_of(op.output.type)
        if type is None or made_by(op.input, "Softmax") is None or type.is_per_axis:
            return
        if type.storage != S8 or type.storage_range != (-128, 127) or type.zero_points[0] != -128:
            return
        casts = [use.operation for use in op.output.uses]
        if not all(isinstance(cast, DequantizeCastOp) for cast in casts):
            why(op, "its integers are read as they are")
            return
        other = UniformType.of(U8, type.expressed, type.scales, [0])
        rewriter.replace_value_with_new_type(op.output, with_element(op.output.type, other))


class TurnKeys(BuildingPattern[TransposeOp]):
    """`transpose(x, 0 2 3 1) -> transpose(transpose(x, 0 2 1 3), 0 1 3 2)`, for operands of products.

    The second one is a flag of the product, the first one moves whole rows.
    """

    def rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        order = list(attribute(op, "perm") or ())
        rank = len(order)
        swap = [*range(rank - 2), rank - 1, rank - 2]
        if rank < 3 or order[-2] != rank - 1 or order == swap:
            return
        stored = only_reader(op.results[0])
        real = only_reader(stored.output) if isinstance(stored, StorageCastOp) else None
        product = only_reader(real.output) if isinstance(real, DequantizeCastOp) else None
        if not isinstance(product, OnnxOp) or product.op_type != "MatMul" or product.domain != "":
            why(op, "no product reads what it moves, dequantized")
            return
        row_order = [*order[:-2], order[-1], order[-2]]
        type = op.operands[0].type
        shape, element = shape_of(type), element_type(type)
        if shape is None or element is None:
            return
        e = OnnxReplacement(self.values, op, rewriter)
        moved = TensorType(element, [shape[i] for i in row_order])
        rows = e.node("rows", "Transpose", [op.operands[0]], {"perm": row_order}, type=moved)
        e.replace([rows], add={"perm": swap})


class CompleteScores(BuildingPattern[SoftmaxOp]):
    """`softmax(q k + mask) -> softmax(q k * 1 + mask)` and `softmax(q k) -> softmax(q k * 1 + 0)`.

    The library's attention scales and masks; where it does not need to, it gets what changes nothing. A
    constant mask that it would add by a slow kernel gets the shape of the scores.
    Refused if the rest is no attention of dequantized values.
    """

    def rewrite(self, op: SoftmaxOp, rewriter: PatternRewriter, /) -> None:
        scores = op.operands[0]
        shape = shape_of(scores.type)
        if shape is None or len(shape) != 4 or not self._ends_attention(op):
            why(op, "no heads are weighted by it, or not in the library's order")
            return
        sum_, mask = self._constant_side(scores, "Add")
        scaled = scores if sum_ is None else sum_.operands[1 - mask]
        scale, _ = self._constant_side(scaled, "Mul", "Div")
        product = scaled if scale is None else scale.operands[0]
        if not _is_product(product):
            why(op, "what it reads are no scores of dequantized values, scaled and masked")
            return
        if scale is None:
            self._insert(op, "Mul", scaled, sum_ or op, rewriter)
        if sum_ is None:
            self._insert(op, "Add", op.operands[0], op, rewriter)
        elif is_slow_sum(shape_of(sum_.operands[mask].type), shape):
            self._widen(sum_, mask, shape, rewriter)

    def _constant_side(self, value: SSAValue, *kinds: str) -> tuple[OnnxOp | None, int]:
        """The op that scales or masks scores that nothing else reads, and which operand is not the scores."""
        op = made_by(value, *kinds)
        if op is None or not value.has_one_use() or len(op.operands) != 2:
            return None, 1
        if kinds == ("Add",):
            index = next((i for i in (1, 0) if _leads_to_product(op.operands[1 - i])), None)
            return (None, 1) if index is None else (op, index)
        number = self.values.array(op.operands[1])
        return (op, 1) if number is not None and number.shape == (1,) else (None, 1)

    @staticmethod
    def _ends_attention(op: SoftmaxOp) -> bool:
        rounded = only_reader(op.results[0])
        real = only_reader(rounded.output) if isinstance(rounded, QuantizeCastOp) else None
        product = only_reader(real.output) if isinstance(real, DequantizeCastOp) else None
        if not isinstance(product, OnnxOp) or product.op_type != "MatMul":
            return False
        if not isinstance(product.operands[1].owner, DequantizeCastOp):
            return False
        join = _view(_view(only_reader(product.results[0]), "Transpose"), "Reshape")
        return isinstance(join, QuantizeCastOp)

    def _insert(
        self, op: OnnxOp, kind: str, value: SSAValue, user: OnnxOp, rewriter: PatternRewriter
    ) -> None:
        """Inserts a scaling or a sum that changes nothing between a value and its user."""
        name = self.values.fresh(f"{op.value_name(0) or 'scores'}__{kind.lower()}")
        neutral = np.array([1 if kind == "Mul" else 0], np.float32)
        constant = folded_constant(f"{name}_by", neutral, self.values.store, op.location)
        neutral_op = make_node(
            kind,
            [value, constant.results[0]],
            [name],
            result_types=[value.type],
            node_name=name,
            location=op.location,
        )
        index = next(i for i, v in enumerate(user.operands) if v is value)
        rewriter.insert([constant, neutral_op], InsertPoint.before(user))
        set_operand(rewriter, user, index, neutral_op.results[0])

    def _widen(
        self, sum_: OnnxOp, mask: int, shape: tuple[int, ...], rewriter: PatternRewriter
    ) -> None:
        array = self.values.array(sum_.operands[mask])
        if array is None or min(shape) < 0 or prod(shape) > LARGEST_MASK:
            why(sum_, "the mask is no constant, or too large for one of all scores")
            return
        name = self.values.fresh(f"{sum_.value_name(0) or 'scores'}__mask")
        wide: AnyArray = np.ascontiguousarray(np.broadcast_to(array, shape))
        constant = folded_constant(name, wide, self.values.store, sum_.location)
        rewriter.insert(constant, InsertPoint.before(sum_))
        set_operand(rewriter, sum_, mask, constant.results[0])


LARGEST_MASK = 1 << 22
"""The most elements that a constant mask may get: 16 MB."""


def is_slow_sum(added: tuple[int, ...] | None, scores: tuple[int, ...]) -> bool:
    """Whether 3.2 has nothing but a reference kernel for a product of four dimensions with this behind it.

    It is fast where the addend is as large as the result, has one element, or has only these extents:
    the last, the first and the last, all but the second, the second.
    """
    if added is None:
        return True
    padded = (1,) * (len(scores) - len(added)) + added
    full_extents = {i for i, (a, b) in enumerate(zip(padded, scores, strict=True)) if a == b != 1}
    wide = {i for i, b in enumerate(scores) if b != 1}
    fast = ({0, 1, 2, 3}, set[int](), {3}, {0, 3}, {0, 2, 3}, {1})
    return all(full_extents != wide & extents for extents in fast)


def _is_product(value: SSAValue) -> bool:
    """Whether a value is a product of dequantized values, read once."""
    product = made_by(value, "MatMul")
    if product is None or not value.has_one_use():
        return False
    return all(isinstance(v.owner, DequantizeCastOp) for v in product.operands)


def _leads_to_product(value: SSAValue) -> bool:
    scale = made_by(value, "Mul", "Div")
    return _is_product(value if scale is None else scale.operands[0])


@dataclass(frozen=True)
class QuantAttentionPass(ModulePass):
    """Brings an attention of quantized values to the form that oneDNN computes in one kernel.

    That is `qcast(reshape(transpose(dcast(qcast(softmax(q k * scale + mask))) v)))`. The quantize goes behind
    the views that put the heads side by side, keys are transposed by the product, masks that choose scores
    add to them, and a scale of 1 or a mask of 0 is added where there is none. Weights in signed bytes become
    unsigned, so that their zero point is 0. Numbers do not change.

    Refused if scores are rounded before the softmax, as quantizers write it: see `quant-keep-real`.
    """

    name = "quant-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        values = ModuleValues(op)
        if apply_patterns(op, [UnsignedScores()], recursive=False):
            update_params(op)
        apply_patterns(op, [MaskBySum(values), JoinHeads(values), TurnKeys(values)])
        apply_patterns(op, [CompleteScores(values)], recursive=False)
