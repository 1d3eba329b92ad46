"""quant-lift: a quantize goes above the views that lie between it and what computes its values."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import (
    OnnxOp,
)
from autosplit.dialects.onnx.ops import MaxPoolOp
from autosplit.dialects.platform import (
    element_type,
    set_type,
    strings,
)
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    uniform_of,
    with_element,
)
from autosplit.lowering.quant.canonical import CastThereAndBack, QuantizeDequantized, UnusedCast
from autosplit.lowering.quant.chains.products import product_behind
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.transposes import MergeTransposes
from autosplit.lowering.rewriting import Pattern, apply_patterns, set_operand, why
from autosplit.lowering.shared.fold import Constants

VIEWS = (
    *("DepthToSpace", "Flatten", "Reshape", "SpaceToDepth", "Squeeze", "Transpose", "Unsqueeze"),
)


class LiftAboveView(Pattern[QuantizeCastOp]):
    """`qcast(view(x)) -> scast(view(scast(qcast(x))))`, the view being one of integers.

    Refused for a quantize by the channel, whose dimension the view may change, and where something else reads
    the view too.
    """

    def __init__(self, names: Names, over: tuple[str, ...]):
        self.names = names
        self.over = over

    def rewrite(self, cast: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        view = cast.input.owner
        if not isinstance(view, OnnxOp) or view.domain != "" or view.op_type not in self.over:
            return
        uniform = uniform_of(cast.output.type)
        if uniform is None or uniform.is_per_axis:
            why(cast, "it quantizes by the channel")
            return
        if not cast.input.has_one_use():
            why(cast, "something else reads the view too")
            return
        source = view.operands[0]
        if element_type(source.type) != f32:
            why(cast, "the type of what is viewed is unknown")
            return
        viewed = view.value_name(0)
        lifted = QuantizeCastOp(
            source,
            with_element(source.type, uniform),
            node_name=cast.node_name.data,
            value_name=self.names.fresh(f"{viewed}__quantized") if viewed else "",
            source=cast.source,
        )
        stored = StorageCastOp(
            lifted.output,
            with_element(source.type, uniform.storage),
            value_name=lifted.value_name(0),
            location=cast.location,
        )
        rewriter.insert([lifted, stored], InsertPoint.before(view))
        set_operand(rewriter, view, 0, stored.output)
        set_type(view.results[0], with_element(cast.output.type, uniform.storage))
        if name := cast.value_name(0):
            view.properties["value_names"] = strings([name])
        view.results[0].name_hint = cast.output.name_hint
        storage_cast = StorageCastOp(
            view.results[0],
            cast.output.type,
            value_name=cast.value_name(0),
            location=cast.location,
        )
        rewriter.replace(cast, storage_cast)


class QuantizeBeforeMax(Pattern[QuantizeCastOp]):
    """`qcast(max_pool(x)) -> qcast(max_pool(dcast(qcast(x))))` for a product `x`.

    Rounding keeps the order of numbers: the largest of rounded numbers is the largest one, rounded.
    Refused for a quantize by the channel, and where something else reads `x` or what is pooled.
    """

    def __init__(self, names: Names, constants: Constants):
        self.names = names
        self.constants = constants

    def rewrite(self, cast: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        pool = cast.input.owner
        if not isinstance(pool, MaxPoolOp) or len(pool.results) != 1:
            return
        uniform, source = uniform_of(cast.output.type), pool.operands[0]
        if uniform is None or uniform.is_per_axis or not cast.input.has_one_use():
            why(cast, "it quantizes by the channel, or something else reads what is pooled")
            return
        if product_behind(source, self.constants) is None:
            why(cast, "what is pooled is not an integer product that nothing else reads")
            return
        name = pool.value_name(0)
        early = QuantizeCastOp(
            source,
            with_element(source.type, uniform),
            value_name=self.names.fresh(f"{name}__before") if name else "",
            location=cast.location,
        )
        real = DequantizeCastOp(early.output, source.type, location=cast.location)
        rewriter.insert([early, real], InsertPoint.before(pool))
        set_operand(rewriter, pool, 0, real.output)


@dataclass(frozen=True)
class QuantLiftPass(ModulePass):
    """Moves quantizes above views, which then view integers: `qcast(view(x)) -> view(qcast(x))`

    A product and its quantize are one kernel only if they are adjacent, and moving integers is cheaper
    than moving reals. The integers do not change. A quantize that meets a dequantize of its own type
    disappears with it, and two transposes become one. In front of a MaxPool of a product stands a quantize
    and a dequantize as well: the largest of rounded numbers is the same. Not moved: a quantize per channel,
    because the view may change the dimension, and one whose view another op reads, too.
    """

    name = "quant-lift"

    over: tuple[str, ...] = VIEWS
    """The ops that a quantize may cross, by their ONNX names."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = Names(op)
        patterns = (
            LiftAboveView(names, self.over),
            QuantizeBeforeMax(names, Constants(store_for(op))),
            MergeTransposes(),
            QuantizeDequantized(),
            CastThereAndBack(),
            UnusedCast(),
        )
        apply_patterns(op, patterns)
