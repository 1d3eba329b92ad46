"""Which ops of a quantized model should read numbers that are not rounded: norms, softmaxes, gates, and the
sums and products by constants around them.

No library computes these on integers. Between two of them a quantize and a dequantize only round.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp
from autosplit.lowering.quant.chains.stages import stored_constant
from autosplit.lowering.shared.fold import Constants

CORES = frozenset({"Erf", "Gelu", "LayerNormalization", "Pow", "Softmax", "Sqrt"})
"""Ops that start a region: norms, softmaxes and gates, and the ops that these are spelled with."""

SCALINGS = ("Add", "Div", "Mul", "Sub")
"""Ops that are no part of a region unless they scale or shift by a constant, or add to a product."""

REAL = CORES | {*SCALINGS, "Neg", "ReduceMean", "Reciprocal", "Tanh", "Where"}
"""Ops that a region may consist of."""

VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze"})
"""Ops that change neither elements nor their order."""

PRODUCTS = frozenset({"Gemm", "MatMul"})


def unrounded(value: SSAValue) -> SSAValue | None:
    """The value before it was quantized and dequantized; None if it was not."""
    real = value.owner
    if not isinstance(real, DequantizeCastOp):
        return None
    rounded = real.input.owner
    return rounded.input if isinstance(rounded, QuantizeCastOp) else None


def readers(value: SSAValue) -> Iterator[Operation]:
    """The users of a value, rounded or not."""
    for use in value.uses:
        if isinstance(use.operation, QuantizeCastOp | DequantizeCastOp):
            yield from readers(use.operation.results[0])
        else:
            yield use.operation


def is_product(op: object) -> bool:
    """Whether an op multiplies matrices or convolves."""
    return isinstance(op, OnnxOp) and op.domain == "" and op.op_type in (*PRODUCTS, "Conv")


class RealRegions:
    """The regions of a module, as they are before any of them is changed."""

    def __init__(self, module: ModuleOp, constants: Constants):
        self.constants = constants
        self._behind: dict[SSAValue, OnnxOp | None] = {}
        ops = [op for op in module.walk() if isinstance(op, OnnxOp) and op.domain == ""]
        members: dict[OnnxOp, OnnxOp] = {op: op for op in ops if self._belongs(op)}
        for op in reversed(ops):
            if op.op_type in VIEWS and self._is_read_by(op.results[0], members):
                members[op] = op
        for op in members:
            for value in op.operands:
                if isinstance(above := self.source(value).owner, OnnxOp) and above in members:
                    _join(members, op, above)
        roots = {_root(members, op) for op in members if self._is_core(op)}
        self.members = {op for op in members if _root(members, op) in roots}

    def is_real(self, op: Operation) -> bool:
        """Whether an op is of a region, or scales or shifts a product by a constant."""
        if op in self.members:
            return True
        if not isinstance(op, OnnxOp) or op.domain != "" or op.op_type not in SCALINGS:
            return False
        if not any(map(self.is_constant, op.operands)):
            return False
        return any(self.product(v) is not None for v in op.operands)

    def source(self, value: SSAValue) -> SSAValue:
        """A value as it was before it was rounded."""
        source = unrounded(value)
        return value if source is None else source

    def is_constant(self, value: SSAValue) -> bool:
        return (
            self.constants.is_constant(value) or stored_constant(self.constants, value) is not None
        )

    def product(self, value: SSAValue) -> OnnxOp | None:
        """The matrix product that produces a value, scaled or shifted by constants, possibly rounded."""
        if value not in self._behind:
            self._behind[value] = None
            self._behind[value] = self._product(self.source(value))
        return self._behind[value]

    def _product(self, value: SSAValue) -> OnnxOp | None:
        op = value.owner
        if not isinstance(op, OnnxOp) or op.domain != "":
            return None
        if op.op_type in PRODUCTS:
            return op
        if op.op_type not in VIEWS and op.op_type not in SCALINGS:
            return None
        products = [self.product(v) for v in op.operands if not self.is_constant(v)]
        return next((p for p in products if p is not None), None)

    def _is_core(self, op: OnnxOp) -> bool:
        """Whether an op starts a region: a tanh does if 1 is added to it, as in a gate."""
        if op.op_type != "Tanh":
            return op.op_type in CORES
        return any(
            isinstance(r, OnnxOp) and r.op_type == "Add" and any(map(self.is_constant, r.operands))
            for r in readers(op.results[0])
        )

    def _belongs(self, op: OnnxOp) -> bool:
        if op.op_type not in REAL or not op.results or shape_of(op.results[0].type) is None:
            return False
        if op.op_type not in SCALINGS:
            return True
        if any(self.is_constant(v) for v in op.operands):
            return True
        # Sums of images stay sums of integers: convolutions have kernels for them.
        return op.op_type != "Add" or self.product(op.results[0]) is not None

    def _is_read_by(self, value: SSAValue, members: Container[object]) -> bool:
        reading = list(readers(value))
        return bool(reading) and all(r in members for r in reading)


def _root(members: dict[OnnxOp, OnnxOp], op: OnnxOp) -> OnnxOp:
    while members[op] is not op:
        members[op] = members[members[op]]
        op = members[op]
    return op


def _join(members: dict[OnnxOp, OnnxOp], first: OnnxOp, second: OnnxOp) -> None:
    members[_root(members, first)] = _root(members, second)
