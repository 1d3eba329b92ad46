"""quant-turn-resize: images of quantized values are resized with their channels last."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import attribute, operand
from autosplit.dialects.onnx.ops import ResizeOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp
from autosplit.lowering.building import ModuleValues, OnnxPattern
from autosplit.lowering.quant.chains.products import is_made_by_library
from autosplit.lowering.quant.chains.stages import only_reader
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.transposes import apply_turning, permuted
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.fold import AnyArray

LAST = (0, 2, 3, 1)
FIRST = (0, 3, 1, 2)


class TurnResize(OnnxPattern[ResizeOp]):
    """`resize(x) -> transpose(resize(transpose(x)))`, the inner one with the channels last.

    Refused for anything but enlarging and reducing images linearly, for sizes that are computed, and where
    the bytes on both sides are not the library's.
    """

    def rewrite(self, op: ResizeOp, rewriter: PatternRewriter, /) -> None:
        x, result = op.operands[0], op.results[0]
        if not _is_between_bytes(x, result):
            why(op, "what it reads or makes is not the library's bytes")
            return
        sizes = self._channels_last_operands(op)
        if sizes is None:
            why(op, "it does not resize the places of images alone, linearly, by known numbers")
            return
        e = self.replacement(op, rewriter)
        turned = e.node("turned", "Transpose", [x], {"perm": LAST}, permuted(x, LAST))
        numbers = [None if a is None else e.constant(r, a) for r, a in sizes]
        fields = dict(op.fields)
        pixels = e.node(
            "pixels", "Resize", [turned, None, *numbers], fields, permuted(result, LAST)
        )
        e.put(
            "Transpose",
            [pixels],
            {"perm": FIRST},
            names=op.output_names,
            types=[result.type],
            node_name=op.node_name.data,
        )

    def _channels_last_operands(self, op: ResizeOp) -> list[tuple[str, AnyArray | None]] | None:
        """The scales and sizes with channels last; None if the op is not a supported resize."""
        shape, out = shape_of(op.operands[0].type), shape_of(op.results[0].type)
        if shape is None or out is None or len(shape) != 4 or shape[:2] != out[:2]:
            return None
        coordinate_mode = attribute(op, "coordinate_transformation_mode", "half_pixel")
        if attribute(op, "mode", "nearest") != "linear" or coordinate_mode == "tf_crop_and_resize":
            return None
        if attribute(op, "axes") is not None or attribute(op, "antialias", 0):
            return None
        operands: list[tuple[str, AnyArray | None]] = []
        for index, role in ((2, "scales"), (3, "sizes")):
            value = operand(op, index)
            array = None if value is None else self.values.array(value)
            if value is not None and array is None:
                return None
            operands.append((role, None if array is None or not array.size else array[list(LAST)]))
        return operands if any(a is not None for _, a in operands) else None


def _is_between_bytes(x: SSAValue, result: SSAValue) -> bool:
    """Whether a value is dequantized from what the library makes, and another one quantized for it."""
    real = x.owner
    if not isinstance(real, DequantizeCastOp) or not is_made_by_library(real.input):
        return False
    return isinstance(only_reader(result), QuantizeCastOp)


@dataclass(frozen=True)
class QuantTurnResizePass(ModulePass):
    """Transposes around what resizes images of quantized values, so that their channels are last.

    `resize(x) -> transpose(resize(transpose(x)))`. oneDNN's bytes lie so, and ONNX Runtime resizes such
    images two to four times as fast. The new transposes are of bytes, and nothing but another way to see
    them: the first one goes above the dequantize, the second one below the quantize in `quant-lift`. The
    numbers do not change.
    """

    name = "quant-turn-resize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_turning(op, TurnResize(ModuleValues(op)), Names(op))
