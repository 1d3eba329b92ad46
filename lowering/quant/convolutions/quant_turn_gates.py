"""quant-turn-gates: what ONNX Runtime computes between convolutions has its channels last, as they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import (
    AddOp,
    DivOp,
    EluOp,
    ErfOp,
    ExpOp,
    GeluOp,
    HardSigmoidOp,
    HardSwishOp,
    LeakyReluOp,
    MaxOp,
    MinOp,
    MulOp,
    SigmoidOp,
    SoftplusOp,
    SubOp,
    TanhOp,
    TransposeOp,
)
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    uniform_of,
)
from autosplit.lowering.quant.chains.products import product_behind
from autosplit.lowering.quant.chains.stages import only_reader
from autosplit.lowering.quant.convolutions.ones import CONVOLUTIONS
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.transposes import (
    apply_turning,
    permutation,
    permuted,
    to_back,
    to_front,
    transpose,
    transpose_stored,
)
from autosplit.lowering.rewriting import Pattern, why
from autosplit.lowering.shared.fold import Constants

Elementwise: TypeAlias = (
    AddOp
    | DivOp
    | EluOp
    | ErfOp
    | ExpOp
    | GeluOp
    | HardSigmoidOp
    | HardSwishOp
    | LeakyReluOp
    | MaxOp
    | MinOp
    | MulOp
    | SigmoidOp
    | SoftplusOp
    | SubOp
    | TanhOp
)

MOVES = frozenset({"Concat", "Pad", "Slice", "Split"})
"""Ops that move bytes and leave the order of dimensions."""


class TurnGate(Pattern[Elementwise]):
    """`qcast(f(x)) -> transpose(qcast(f(transpose(x))))`, the inner one with the channels last.

    Refused unless each operand is an image that is dequantized, of bytes that a convolution makes, and the
    result is quantized.
    """

    def __init__(self, module: ModuleOp, names: Names):
        self.names = names
        self.constants = Constants(store_for(module))

    def rewrite(self, op: Elementwise, rewriter: PatternRewriter, /) -> None:
        quantize = only_reader(op.results[0])
        rank = len(shape_of(op.results[0].type) or ())
        if not isinstance(quantize, QuantizeCastOp) or rank < 3:
            return
        uniform = uniform_of(quantize.output.type)
        if uniform is None or uniform.is_per_axis:
            why(op, "its result is quantized by the channel")
            return
        if not all(self._is_image(value, rank) for value in op.operands):
            why(op, "what it reads is not all bytes of convolutions")
            return
        last, first = to_back(rank), to_front(rank)
        name = op.value_name(0)
        stored_name = quantize.value_name(0) or name
        turned = [
            transpose(value, last, self.names.fresh(f"{name}__turned")) for value in op.operands
        ]
        inner = make_node(
            op.op_type,
            [t.results[0] for t in turned],
            [name],
            attributes=op.fields,
            result_types=[permuted(op.results[0], last)],
            node_name=op.node_name.data,
        )
        cast = QuantizeCastOp(
            inner.results[0],
            permuted(quantize.output, last),
            node_name=quantize.node_name.data,
            value_name=self.names.fresh(f"{stored_name}__turned"),
            source=quantize.source,
        )
        bytes_name = self.names.fresh(f"{stored_name}__bytes")
        back = transpose_stored(cast.output, uniform, first, bytes_name)
        rewriter.insert([*turned, inner, cast, *back], InsertPoint.before(quantize))
        rewriter.replace(quantize, [], [back[-1].results[0]])
        rewriter.erase(op)

    def _is_image(self, value: SSAValue, rank: int) -> bool:
        """Whether a value of that rank is dequantized from bytes of a convolution."""
        real = value.owner
        if not isinstance(real, DequantizeCastOp) or len(shape_of(value.type) or ()) != rank:
            return False
        return self._is_made_by_convolution(real.input)

    def _is_made_by_convolution(self, stored: SSAValue) -> bool:
        """Whether bytes come from a convolution, through moves and ops that are turned."""
        while not isinstance(source := stored.owner, QuantizeCastOp):
            if isinstance(source, StorageCastOp):
                stored = source.input
            elif isinstance(source, TransposeOp):
                return _is_turned_back(source)
            elif isinstance(source, OnnxOp) and source.op_type in MOVES:
                stored = source.operands[0]
            else:
                return False
        behind = product_behind(source.input, self.constants)
        return behind is not None and behind.product.op_type in CONVOLUTIONS


def _is_turned_back(op: TransposeOp) -> bool:
    """Whether a transpose is behind an op that has its channels last already.

    In front of a gate, that of a sequence looks the same, but there a convolution has made the bytes.
    """
    rank = len(shape_of(op.operands[0].type) or ())
    stored = op.operands[0].owner
    if permutation(op) != to_front(rank) or not isinstance(stored, StorageCastOp):
        return False
    quantize = stored.input.owner
    if not isinstance(quantize, QuantizeCastOp):
        return False
    gate = quantize.input.owner
    return isinstance(gate, Elementwise) and all(
        isinstance(value.owner, DequantizeCastOp) for value in gate.operands
    )


@dataclass(frozen=True)
class QuantTurnGatesPass(ModulePass):
    """Transposes around elementwise ops between convolutions that the library does not compute.

    Its convolutions read and write bytes with the channels last; for ONNX Runtime they were turned, and
    turned back behind it. Like this the transposes are another way to see the same bytes. An example is the
    gate `tanh(a) * sigmoid(b)` of a WaveNet. The numbers do not change.
    """

    name = "quant-turn-gates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = Names(op)
        apply_turning(op, TurnGate(op, names), names)
