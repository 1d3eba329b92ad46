"""convert-quant-to-onnx: the casts of the `quant` dialect become QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.dtypes import dtype_of
from autosplit.core.weights import store_for
from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.onnx.build import build_node
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import PlatformOp, ProtoAttr, set_type, shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    QuantOp,
    StatisticsOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    update_params,
    with_element,
)
from autosplit.lowering.quant.convert_onnx_to_quant import VECTORS
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns
from autosplit.lowering.shared.fold import folded_constant, writable_store

Array = np.ndarray[Any, Any]


class DropCast(Pattern[StorageCastOp | StatisticsOp]):
    """`scast(x) -> x`, `stats(x) -> x`: ONNX tensor types do not have quantization parameters."""

    def rewrite(self, op: StorageCastOp | StatisticsOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace_all_uses_with(op.output, op.input)
        rewriter.erase(op)


class CastToNode(Pattern[QuantizeCastOp | DequantizeCastOp]):
    """`qcast(x) -> QuantizeLinear(x, scale, zero)`, `dcast(x) -> DequantizeLinear(x, scale, zero)`.

    Copies of one dequantize are one node.
    """

    def __init__(self, module: ModuleOp):
        self.store = store_for(module)
        self.writable = writable_store(module)
        self.names = Names(module)
        self.constants: dict[tuple[Block, str], InitializerOp] = {}
        self.firsts: dict[Block, Operation] = {}
        """The first op of each block that is not an initializer."""
        self.made: dict[tuple[SSAValue, Attribute, Attribute], SSAValue] = {}
        # Once the storage casts are dropped, the types of their results are lost.
        self.uniforms: dict[Operation, UniformType] = {}
        for op in module.walk():
            if isinstance(op, QuantOp):
                self.uniforms[op] = _uniform(op)
            if isinstance(op, InitializerOp) and op.parent is not None:
                self.constants[op.parent, op.node_name.data] = op

    def rewrite(self, op: QuantizeCastOp | DequantizeCastOp, rewriter: PatternRewriter, /) -> None:
        uniform = self.uniforms[op]
        key = op.input, uniform, op.location
        is_copy = isinstance(op, DequantizeCastOp) and op.identity != ""
        if (
            is_copy
            and (existing := self.made.get(key)) is not None
            and existing.owner.parent is op.parent
        ):
            rewriter.replace_all_uses_with(op.output, existing)
            rewriter.erase(op)
            return
        node = self._node(op, uniform, rewriter)
        node.results[0].name_hint = op.output.name_hint
        rewriter.replace(op, node)
        self.made[key] = node.results[0]

    def _node(
        self, op: QuantizeCastOp | DequantizeCastOp, uniform: UniformType, rewriter: PatternRewriter
    ) -> OnnxOp:
        quantizes = isinstance(op, QuantizeCastOp)
        source = dict(op.source.data) if op.source is not None else {}
        name = op.value_name(0) or self.names.fresh(f"{op.identity or op.name}_result")
        scale, zero_point = self._parameters(op, uniform, source, name, rewriter)
        fields = source.get("fields")
        node_fields = dict(fields.data) if isinstance(fields, DictionaryAttr) else {}
        type = with_element(op.output.type, uniform.storage if quantizes else uniform.expressed)
        rest = source.get("rest")
        domain = source.get("domain")
        node = build_node(
            domain.data if isinstance(domain, StringAttr) else "",
            "QuantizeLinear" if quantizes else "DequantizeLinear",
            [op.input, scale, zero_point],
            [name],
            _with_axis(node_fields, uniform, op),
            result_types=[type],
            node_name=op.node_name.data,
            rest=rest if isinstance(rest, ProtoAttr) else None,
        )
        node.location = op.location
        return node

    def _parameters(
        self,
        op: QuantOp,
        uniform: UniformType,
        source: dict[str, Attribute],
        name: str,
        rewriter: PatternRewriter,
    ) -> tuple[SSAValue, SSAValue | None]:
        inputs = source.get("inputs")
        names = [n.data for n in cast("ArrayAttr[StringAttr]", inputs)] if inputs else []
        shapes = [
            [1] if key in source else [] if uniform.axis is None else [uniform.count]
            for key in VECTORS
        ]
        dtype = dtype_of(uniform.storage)
        assert dtype is not None  # the type's verifier admits no other storage
        scales = uniform.scales.reshape(shapes[0])
        zeros = uniform.zero_points.astype(dtype).reshape(shapes[1])
        scale = self._constant(rewriter, op, names[0] if names else f"{name}_scale", scales)
        if not names:
            return scale, self._constant(rewriter, op, f"{name}_zero_point", zeros)
        if len(names) == 1 or not names[1]:
            return scale, None
        return scale, self._constant(rewriter, op, names[1], zeros)

    def _constant(
        self, rewriter: PatternRewriter, op: QuantOp, name: str, array: Array
    ) -> SSAValue:
        """The initializer with this name and value, created if the graph has none."""
        block, anchor = _outermost(op)
        constant = self.constants.get((block, name))
        if constant is not None and self._has_value(constant, array):
            if not constant.is_before_in_block(anchor):
                constant.detach()
                rewriter.insert(constant, InsertPoint.before(anchor))
            return constant.results[0]
        name = self.names.fresh(name)
        initializer = folded_constant(name, array, self.writable, op.location)
        initializer.location = initializer.default_location()
        rewriter.insert(initializer, self._after_constants(block))
        self.constants[block, name] = initializer
        return initializer.results[0]

    def _after_constants(self, block: Block) -> InsertPoint:
        first_op = self.firsts.get(block)
        if first_op is None or first_op.parent is not block:
            first_op = next((op for op in block.ops if not isinstance(op, InitializerOp)), None)
        if first_op is None:
            return InsertPoint.at_end(block)
        self.firsts[block] = first_op
        return InsertPoint.before(first_op)

    def _has_value(self, op: InitializerOp, array: Array) -> bool:
        stored = tensor_array(op.value, self.store)
        return (
            stored is not None
            and stored.dtype == array.dtype
            and stored.shape == array.shape
            and stored.tobytes() == array.tobytes()
        )


class StoreIntegers(Pattern[Operation]):
    """Replaces quantized types by the integers that they are stored as."""

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            if (uniform := uniform_of(value.type)) is not None:
                set_type(value, with_element(value.type, uniform.storage))
                rewriter.notify_op_modified(op)


def _uniform(op: QuantOp) -> UniformType:
    uniform = uniform_of(op.output.type) or uniform_of(op.input.type)
    if uniform is None:
        raise ValueError(f"{op.name} casts no quantized value")
    return uniform


def _with_axis(
    fields: dict[str, Attribute], uniform: UniformType, op: QuantOp
) -> dict[str, Attribute]:
    """The attributes of a node, with the axis of the type unless they say that already."""
    if uniform.axis is None:
        return fields
    axis_attr = fields.get("axis")
    axis = axis_attr.value.data if isinstance(axis_attr, IntegerAttr) else 1
    rank = len(shape_of(op.input.type) or ())
    if axis == uniform.axis or (axis < 0 and rank and axis + rank == uniform.axis):
        return fields
    return fields | {"axis": IntegerAttr(uniform.axis, i64)}


def _outermost(op: Operation) -> tuple[Block, Operation]:
    """The block of the model's graph, or of the function, around an op, and the op's ancestor in it."""
    block = op.parent
    anchor = op
    while block is not None and (parent := block.parent_op()) is not None:
        if isinstance(parent, FuncOp) or not isinstance(parent.parent_op(), PlatformOp):
            break
        above = parent.parent_op()
        assert above is not None
        block, anchor = above.parent, above
    if block is None:
        raise ValueError(f"{op.name} stands in no block")
    return block, anchor


def quant_to_onnx(module: ModuleOp) -> None:
    """Does what the pass does, in place."""
    if any(isinstance(op, QuantOp | StatisticsOp) for op in module.walk()):
        nodes = CastToNode(module)
        apply_patterns(module, [DropCast()], recursive=False)
        apply_patterns(module, [nodes], recursive=False)
    apply_patterns(module, [StoreIntegers()], recursive=False)
    update_params(module)


@dataclass(frozen=True)
class ConvertQuantToOnnxPass(ModulePass):
    """Turns casts into QuantizeLinear and DequantizeLinear nodes, and quantized values into integers.

    A cast that came from a node becomes that node again, with the names of its scale and zero point.
    Copies of a dequantize from `quant-split-dequant` become one node again. Statistics are dropped.
    """

    name = "convert-quant-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        quant_to_onnx(op)
