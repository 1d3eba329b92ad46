"""Products of rows: a Gemm between two reshapes is a product of the tensor that is reshaped."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import GemmOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp, uniform_of, with_element
from autosplit.lowering.building import BuildingPattern, OnnxReplacement
from autosplit.lowering.quant.chains.stages import read_by
from autosplit.lowering.rewriting import why


class MatMulOfRows(BuildingPattern[GemmOp]):
    """`reshape(gemm(dcast(qcast(reshape(x))), w, b)) -> matmul(dcast(qcast(x)), w) + b`.

    ONNX Runtime writes linear layers of three dimensions so, and the reshape would keep what follows out of
    the kernel.
    Where `x` has other extents than the last reshape restores, a reshape of bytes stands in front.
    Refused for open extents that differ, for a quantize by the channel, and where something else reads what
    is between.
    """

    def rewrite(self, op: GemmOp, rewriter: PatternRewriter, /) -> None:
        rounded, source = _rows(op.operands[0])
        reshape = read_by(op.results[0], "Reshape")
        if rounded is None or reshape is None or len(op.operands) != 3:
            why(op, "it does not stand between two reshapes")
            return
        factors = [attribute(op, "alpha", 1.0), attribute(op, "beta", 1.0)]
        if factors != [1.0, 1.0] or attribute(op, "transA", 0) or attribute(op, "transB", 0):
            why(op, "it scales or transposes")
            return
        result_shape = shape_of(reshape.results[0].type)
        weights, type = shape_of(op.operands[1].type), uniform_of(rounded.output.type)
        if result_shape is None or weights is None or type is None or type.is_per_axis:
            return
        extents = (*result_shape[:-1], *weights[:1])
        if source is None or shape_of(source.type) != extents or sum(d < 0 for d in extents) > 1:
            source = self._reshaped(op, rounded, extents, rewriter)
        if source is None:
            why(op, "the reshape behind it does not restore the extents before it")
            return
        quantized = QuantizeCastOp(
            source,
            with_element(source.type, type),
            node_name=rounded.node_name.data,
            value_name=self.values.fresh(f"{rounded.value_name(0) or 'rows'}__whole"),
            source=rounded.source,
            location=rounded.location,
        )
        real = DequantizeCastOp(quantized.output, with_element(source.type, f32))
        name = self.values.fresh(f"{op.value_name(0) or 'rows'}__product")
        result = TensorType(f32, result_shape)
        product = _node("MatMul", [real.output, op.operands[1]], name, result, op)
        biased = _node(
            "Add", [product.results[0], op.operands[2]], reshape.value_name(0), result, reshape
        )
        rewriter.insert([quantized, real, product, biased], InsertPoint.before(op))
        rewriter.replace_all_uses_with(reshape.results[0], biased.results[0])
        rewriter.erase(reshape)
        rewriter.erase(op)

    def _reshaped(
        self,
        op: GemmOp,
        rounded: QuantizeCastOp,
        extents: tuple[int, ...],
        rewriter: PatternRewriter,
    ) -> SSAValue | None:
        """The rows in the shape of the reshape behind the product; None for unknown sizes."""
        if min(extents) < 1 or prod(extents) != prod(shape_of(rounded.input.type) or ()):
            return None
        e = OnnxReplacement(self.values, op, rewriter, InsertPoint.before(rounded))
        sizes = e.ints("extents", extents)
        return e.node("rows", "Reshape", [rounded.input, sizes], type=TensorType(f32, extents))


def _node(kind: str, inputs: list[SSAValue], name: str, type: Attribute, like: OnnxOp) -> OnnxOp:
    return make_node(
        kind,
        inputs,
        [name],
        result_types=[type],
        node_name=like.node_name.data,
        location=like.location,
    )


def _rows(value: SSAValue) -> tuple[QuantizeCastOp | None, SSAValue | None]:
    """The quantize of the rows that a value was, and what they are the rows of."""
    real = value.owner
    rounded = real.input.owner if isinstance(real, DequantizeCastOp) else None
    if not isinstance(rounded, QuantizeCastOp):
        return None, None
    rows = rounded.input.owner
    if not isinstance(rows, OnnxOp) or rows.op_type != "Reshape" or rows.domain != "":
        return rounded, None
    return rounded, rows.operands[0]
