"""Causal convolutions, as networks of sequences write them: a Pad in front of one, or a Slice behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import attribute, operand
from autosplit.dialects.onnx.fields import field_attr
from autosplit.dialects.onnx.ops import ConvOp, DequantizeLinearOp, QuantizeLinearOp, SliceOp
from autosplit.dialects.platform import element_type, static_shape
from autosplit.lowering.building import OnnxPattern
from autosplit.lowering.normalize_onnx.fold_pads import FoldPad, Pads, Windowed, is_cast_of_all
from autosplit.lowering.rewriting import why


class FoldCausalPad(FoldPad):
    """`conv(pad(x)) -> conv {pads}(x)`, where every window has an element of `x`."""

    def window(self, op: Windowed, pads: Pads) -> dict[str, object] | None:
        fields = super().window(op, pads) if isinstance(op, ConvOp) else None
        if fields is None:
            return None
        kernel: list[int] = attribute(op, "kernel_shape", [])
        dilations: list[int] = attribute(op, "dilations") or [1] * len(kernel)
        reach = [(k - 1) * d for k, d in zip(kernel, dilations, strict=True)] * 2
        total = cast("list[int]", fields["pads"])
        # The library has reference kernels for wider ones.
        return fields if all(p <= r for p, r in zip(total, reach, strict=True)) else None


class FoldCut(OnnxPattern[SliceOp]):
    """`slice(conv {pads}(x)) -> conv {smaller pads}(x)`, where it cuts what pads make; through casts."""

    def rewrite(self, op: SliceOp, rewriter: PatternRewriter, /) -> None:
        conv, casts = _convolution(op.operands[0])
        if conv is None:
            return
        cut = self._cut(op)
        pads: list[int] = attribute(conv, "pads") or []
        if cut is None or attribute(conv, "auto_pad", "NOTSET") != "NOTSET":
            why(op, "what it cuts is unknown, or no border of an image")
            return
        strides: list[int] = attribute(conv, "strides") or [1] * (len(cut) // 2)
        left = [p - s * c for p, s, c in zip(pads, [*strides, *strides], cut, strict=False)]
        if len(pads) != len(cut) or min(left) < 0:
            why(op, "it cuts more than what the pads of the convolution make")
            return
        shape = static_shape(op.results[0].type)
        assert shape is not None  # or the cut would be unknown
        conv.properties["pads"] = field_attr(left)
        cut_value: SSAValue = conv.results[0]
        for value in (conv.results[0], *casts):
            element = element_type(value.type)
            assert element is not None
            cut_value = rewriter.replace_value_with_new_type(value, TensorType(element, shape))
        self.replacement(op, rewriter).replace_value(cut_value)

    def _cut(self, op: SliceOp) -> list[int] | None:
        """How many elements are cut before and behind each axis of an image; None if others are, too."""
        before, after = static_shape(op.operands[0].type), static_shape(op.results[0].type)
        starts, steps = self._numbers(op, 1), self._numbers(op, 4)
        if before is None or after is None or starts is None or len(before) < 3:
            return None
        if operand(op, 4) is not None and (steps is None or any(step != 1 for step in steps)):
            return None
        axes = [*range(len(starts))] if operand(op, 3) is None else self._numbers(op, 3)
        if axes is None or before[:2] != after[:2]:
            return None
        begins = [0] * len(before)
        for axis, start in zip(axes, starts, strict=True):
            begins[axis], _, _ = slice(start, None).indices(before[axis])
        ends = [b - s - a for b, s, a in zip(before, begins, after, strict=True)]
        return begins[2:] + ends[2:]

    def _numbers(self, op: SliceOp, index: int) -> list[int] | None:
        value = operand(op, index)
        array = None if value is None else self.values.array(value)
        return None if array is None else [int(n) for n in array.reshape(-1)]


def _convolution(value: SSAValue) -> tuple[ConvOp | None, Sequence[SSAValue]]:
    """The convolution that makes a value alone, and the casts between; (None, ()) if none does."""
    casts: list[SSAValue] = []
    while value.has_one_use():
        match value.owner:
            case ConvOp() as conv:
                return conv, casts[::-1]
            case (DequantizeLinearOp() | QuantizeLinearOp()) as op if is_cast_of_all(op):
                casts.append(value)
                value = op.operands[0]
            case _:
                break
    return None, ()
