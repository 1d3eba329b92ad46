"""quant-lift: a quantize goes above the views that lie between it and what computes its values."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.dialects.onnx.base import OnnxOp, strings
from autosplit.dialects.platform import element_type, set_type
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    uniform_of,
    with_element,
)
from autosplit.lowering.quant.canonical import CastThereAndBack, QuantizeDequantized
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import apply_patterns, why

VIEWS = ("Flatten", "Reshape", "Squeeze", "Transpose", "Unsqueeze")


@dataclass(frozen=True)
class QuantLiftPass(ModulePass):
    """Moves quantizes above views: `qcast(view(x)) -> view(qcast(x))`, the view being one of integers.

    A product and its quantize are one kernel only side by side, and moving integers about is cheaper
    than moving reals. The integers are the same. One that meets a dequantize of its own type is gone with
    it. Not moved: a quantize by the channel, whose dimension the view may change, and one whose view
    something else reads too.
    """

    name = "quant-lift"

    over: tuple[str, ...] = VIEWS
    """The ops that it may cross, by their ONNX names."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = Names(op)
        for inner in list(op.walk()):
            cast = inner if isinstance(inner, QuantizeCastOp) else None
            while cast is not None:
                cast = self._lift(cast, names)
        apply_patterns(op, [QuantizeDequantized(), CastThereAndBack()])
        for inner in list(op.walk(reverse=True)):
            if isinstance(inner, StorageCastOp | DequantizeCastOp) and not inner.output.uses:
                Rewriter.erase_op(inner)

    def _lift(self, cast: QuantizeCastOp, names: Names) -> QuantizeCastOp | None:
        """Moves a quantize above one view; the quantize that stands there, None where it did not move."""
        view = cast.input.owner
        if not isinstance(view, OnnxOp) or view.domain != "" or view.op_type not in self.over:
            return None
        uniform = uniform_of(cast.output.type)
        if uniform is None or uniform.is_per_axis:
            why(cast, "it quantizes by the channel")
            return None
        if not cast.input.has_one_use():
            why(cast, "something else reads the view too")
            return None
        source = view.operands[0]
        if element_type(source.type) != f32:
            why(cast, "the type of what is viewed is not known")
            return None
        viewed = view.value_name(0)
        lifted = QuantizeCastOp(
            source,
            with_element(source.type, uniform),
            node_name=cast.node_name.data,
            value_name=names.fresh(f"{viewed}__quantized") if viewed else "",
            source=cast.source,
            location=cast.location,
        )
        stored = StorageCastOp(
            lifted.output,
            with_element(source.type, uniform.storage),
            value_name=lifted.value_name(0),
            location=cast.location,
        )
        Rewriter.insert_op([lifted, stored], InsertPoint.before(view))
        view.operands[0] = stored.output
        set_type(view.results[0], with_element(cast.output.type, uniform.storage))
        if name := cast.value_name(0):
            view.properties["value_names"] = strings([name])
        view.results[0].name_hint = cast.output.name_hint
        back = StorageCastOp(
            view.results[0],
            cast.output.type,
            value_name=cast.value_name(0),
            location=cast.location,
        )
        Rewriter.replace_op(cast, back)
        return lifted
