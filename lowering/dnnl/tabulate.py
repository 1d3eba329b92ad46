"""dnnl-tabulate: functions of one byte that the library does not compute become tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.dnnl import PartitionOp
from autosplit.dialects.dnnl.moves import LOOKUP, PLAN, is_moved
from autosplit.dialects.onnx.base import OnnxOp, operand
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import DequantizeLinearOp, QuantizeLinearOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import S8, SMALLEST_SCALE, U8, UniformType
from autosplit.dialects.quant_numpy import dequantize, quantize
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.dnnl.moves import read_move
from autosplit.lowering.quant.chains.curves import CURVES
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.shared.dead import remove_dead_ops


class Tabulate(BuildingPattern[QuantizeLinearOp]):
    """`quantize(f(dequantize(x))) -> lookup(x)`, with a result of `f` for each of the 256 bytes.

    Refused unless all ops of `f` are elementwise, of `x` and of constants of one number, nothing else reads
    what is inside, and a partition or a move of bytes makes `x` or reads the result.
    """

    def rewrite(self, op: QuantizeLinearOp, rewriter: PatternRewriter, /) -> None:
        made, source = self._type(op), self._source(op.operands[0])
        if made is None or source is None or isinstance(op.operands[0].owner, DequantizeLinearOp):
            why(op, "what it quantizes is no function of one tensor of bytes")
            return
        read, x = self._type(source), source.operands[0]
        if read is None or not is_moved(x) or not is_moved(op.results[0]):
            why(op, "its bytes have several scales, or scales that are computed")
            return
        if shape_of(x.type) != shape_of(op.results[0].type):
            why(op, "a constant gives the result more dimensions")
            return
        around = [x.owner, *(use.operation for use in op.results[0].uses)]
        if not any(isinstance(o, PartitionOp) or read_move(o) is not None for o in around):
            why(op, "ONNX Runtime computes what is around it")
            return
        stored = np.arange(256, dtype=np.uint8).view(dtype_of(x.type))
        with np.errstate(all="ignore"):
            table = quantize(self._numbers(op.operands[0], dequantize(stored, read)), made)
        function = op.operands[0].owner
        assert isinstance(function, OnnxOp)
        lookup = make_node(
            LOOKUP,
            [x],
            [op.value_name(0)],
            attributes={"table": table.view(np.uint8).tolist()},
            result_types=[op.results[0].type],
            domain=PLAN,
            node_name=function.identity,
            location=function.location,
        )
        lookup.results[0].name_hint = op.results[0].name_hint
        rewriter.replace(op, [lookup], lookup.results)

    def _source(self, value: SSAValue) -> DequantizeLinearOp | None:
        """What dequantizes the only bytes that elementwise ops make a value of.

        None if there is no such cast, or something else reads a value in between.
        """
        inside = {value}
        found: DequantizeLinearOp | None = None
        pending, makers = [value], set[Operation | Block]()
        while pending:
            owner = pending.pop().owner
            if isinstance(owner, DequantizeLinearOp):
                if found is not None and [*owner.operands] != [*found.operands]:
                    return None
                found = owner
                continue
            if not isinstance(owner, OnnxOp) or not _is_curve(owner):
                return None
            makers.add(owner)
            computed = [v for v in owner.operands if self._number(v) is None]
            pending += [v for v in computed if v not in inside]
            inside.update(computed)
        for one in inside - {value}:
            if isinstance(one.owner, DequantizeLinearOp):
                continue
            if any(use.operation not in makers for use in one.uses):
                return None
        return found if value.has_one_use() else None

    def _number(self, value: SSAValue) -> NDArray[Any] | None:
        """A constant of one number."""
        if not self.values.is_constant(value):
            return None
        array = self.values.array(value)
        return None if array is None or array.size != 1 else array.reshape(())

    def _numbers(self, value: SSAValue, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """What a value is for each byte, whose real number is in `x`; every op rounds to f32."""
        if (number := self._number(value)) is not None:
            return number.astype(np.float32)
        op = value.owner
        if isinstance(op, DequantizeLinearOp):
            return x
        assert isinstance(op, OnnxOp)
        operands = [
            None if (v := operand(op, i)) is None else self._numbers(v, x).astype(np.float64)
            for i in range(len(op.inputs))
        ]
        return np.broadcast_to(CURVES[op.op_type](op, operands), x.shape).astype(np.float32)

    def _type(self, op: DequantizeLinearOp | QuantizeLinearOp) -> UniformType | None:
        """The type of a cast's bytes; None if it has several scales, or they are computed."""
        stored = op.results[0] if isinstance(op, QuantizeLinearOp) else op.operands[0]
        scale, zero, element = operand(op, 1), operand(op, 2), element_type(stored.type)
        number = None if scale is None else self._number(scale)
        point = np.zeros(()) if zero is None else self._number(zero)
        if number is None or point is None or element not in (S8, U8):
            return None
        if number.dtype != np.float32 or not SMALLEST_SCALE <= number < np.inf:
            return None
        return UniformType.of(element, f32, [float(number)], [int(point)])


def _is_curve(op: OnnxOp) -> bool:
    """Whether `CURVES` has the op; of a Max or Min only with two operands."""
    if op.domain != "" or op.op_type not in CURVES:
        return False
    return op.op_type not in ("Max", "Min") or len(op.operands) == 2


@dataclass(frozen=True)
class DnnlTabulatePass(ModulePass):
    """A function of one tensor of bytes, between casts that no partition holds, becomes a table of 256 bytes.

    oneDNN Graph has no rule that dequantizes, computes an activation and quantizes again. ONNX Runtime
    computes that in real numbers; a plan looks bytes up itself, and in the layout that partitions have. The
    numbers are those of the ops, each rounded to float32.
    """

    name = "dnnl-tabulate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if apply_patterns(op, [Tabulate(ModuleValues(op))], recursive=False):
            remove_dead_ops(op)
