"""Transposes of quantized values: of bytes instead of real numbers, and one instead of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import TransposeOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    with_element,
)
from autosplit.lowering.quant.canonical import CastThereAndBack, UnusedCast
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns, why


def permutation(op: TransposeOp) -> list[int] | None:
    """Where each dimension of the result comes from; None if the rank is unknown."""
    shape = shape_of(op.operands[0].type)
    if shape is None:
        return None
    perm = attribute(op, "perm", list[int]())
    return list(perm) or list(reversed(range(len(shape))))


def permuted(source: SSAValue, perm: Sequence[int]) -> Attribute:
    """The type of a value whose dimensions have been permuted."""
    shape, element = shape_of(source.type), element_type(source.type)
    assert shape is not None
    assert element is not None
    return TensorType(element, [shape[i] for i in perm])


def to_back(rank: int) -> list[int]:
    """The permutation that moves dimension 1, the channels, behind the others."""
    return [0, *range(2, rank), 1]


def to_front(rank: int) -> list[int]:
    """The permutation that moves the last dimension, the channels, to position 1."""
    return [0, rank - 1, *range(1, rank - 1)]


def transpose(value: SSAValue, perm: Sequence[int], name: str, node_name: str = "") -> OnnxOp:
    """A Transpose of a value."""
    return make_node(
        "Transpose",
        [value],
        [name],
        attributes={"perm": list(perm)},
        result_types=[permuted(value, perm)],
        node_name=node_name,
    )


def transpose_stored(
    value: SSAValue, uniform: UniformType, perm: Sequence[int], name: str, node_name: str = ""
) -> list[Operation]:
    """The ops that transpose the bytes of a quantized value; the last one has the result."""
    stored = StorageCastOp(value, with_element(value.type, uniform.storage))
    turned = transpose(stored.output, perm, name, node_name)
    return [stored, turned, StorageCastOp(turned.results[0], permuted(value, perm))]


class TransposeDequantized(Pattern[TransposeOp]):
    """`transpose(dcast(x)) -> dcast(scast(transpose(scast(x))))`, the transpose being one of bytes.

    Refused for parameters by the channel, whose dimension moves, and where something else reads the real
    numbers too.
    """

    def __init__(self, names: Names):
        self.names = names

    def rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        real = op.operands[0].owner
        if not isinstance(real, DequantizeCastOp):
            return
        uniform = uniform_of(real.input.type)
        if uniform is None or uniform.is_per_axis:
            why(op, "it transposes what is dequantized by the channel")
            return
        if not real.output.has_one_use() or (perm := permutation(op)) is None:
            why(op, "something else reads what it transposes, or its rank is unknown")
            return
        name = op.value_name(0)
        bytes_name = self.names.fresh(f"{name}__bytes")
        turned = transpose_stored(real.input, uniform, perm, bytes_name, op.node_name.data)
        dequantize = DequantizeCastOp(
            turned[-1].results[0],
            op.results[0].type,
            node_name=real.node_name.data,
            value_name=name,
            source=real.source,
        )
        dequantize.output.name_hint = op.results[0].name_hint
        rewriter.insert([*turned, dequantize])
        rewriter.replace(op, [], [dequantize.output])
        rewriter.erase(real)


class MergeTransposes(Pattern[TransposeOp]):
    """`transpose(transpose(x)) -> transpose(x)`, or `-> x` where the two cancel."""

    def rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        inner_transpose = op.operands[0].owner
        if not isinstance(inner_transpose, TransposeOp):
            return
        inner_perm, outer_perm = permutation(inner_transpose), permutation(op)
        if inner_perm is None or outer_perm is None:
            return
        source = inner_transpose.operands[0]
        perm = [inner_perm[i] for i in outer_perm]
        if perm == list(range(len(perm))):
            rewriter.replace(op, [], [source])
        else:
            merged = make_node(
                "Transpose",
                [source],
                [op.value_name(0)],
                attributes={"perm": perm},
                result_types=[op.results[0].type],
                node_name=op.node_name.data,
            )
            merged.results[0].name_hint = op.results[0].name_hint
            rewriter.insert(merged)
            rewriter.replace(op, [], merged.results)
        if inner_transpose.results[0].first_use is None:
            rewriter.erase(inner_transpose)


def apply_turning(module: ModuleOp, turning: Pattern[Any], names: Names) -> None:
    """Applies a pattern that puts transposes around an op; of dequantized values the bytes are transposed."""
    patterns = (
        turning,
        TransposeDequantized(names),
        MergeTransposes(),
        CastThereAndBack(),
        UnusedCast(),
    )
    apply_patterns(module, patterns)
