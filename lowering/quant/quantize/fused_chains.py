"""The elementwise ops that one kernel computes behind a product, up to the value with other users."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import shape_of
from autosplit.lowering.quant.chains.affine import CHANNELS
from autosplit.lowering.quant.chains.curves import CURVES
from autosplit.lowering.quant.chains.stages import MOST_STEPS
from autosplit.lowering.quant.quantize.roles import kind_of
from autosplit.lowering.shared.fold import Constants

PER_CHANNEL = frozenset({"BatchNormalization"})


@dataclass(frozen=True)
class FusedChain:
    """The ops from one value to the last one that follows from it and constants alone."""

    ops: tuple[Operation, ...]
    end: SSAValue


@dataclass
class FusedChains:
    """The chains of a graph. Each is as long as can be: nothing outside reads what lies inside."""

    constants: Constants
    _chains: dict[SSAValue, FusedChain] = field(default_factory=dict[SSAValue, FusedChain])

    def of(self, value: SSAValue) -> FusedChain:
        """The chain that a value begins; without ops if several things read it, or nothing fits."""
        if value not in self._chains:
            self._chains[value] = self._grown(value)
        return self._chains[value]

    def _grown(self, value: SSAValue) -> FusedChain:
        members: dict[SSAValue, None] = {value: None}
        ops: dict[Operation, None] = {}
        chain = FusedChain((), value)
        while len(ops) < MOST_STEPS and (op := self._next(members, ops)) is not None:
            ops[op] = None
            members |= dict.fromkeys(op.results)
            if kind_of(op) == "Split":
                continue
            if all(u.operation in ops for v in members if v is not op.results[0] for u in v.uses):
                chain = FusedChain(tuple(ops), op.results[0])
        return chain

    def _next(self, members: dict[SSAValue, None], ops: dict[Operation, None]) -> OnnxOp | None:
        for value in members:
            for use in value.uses:
                op = use.operation
                if not isinstance(op, OnnxOp) or op in ops:
                    continue
                if self._follows(op, members) or self._is_gate(op, members, ops):
                    return op
        return None

    def _is_gate(
        self, op: OnnxOp, members: dict[SSAValue, None], ops: dict[Operation, None]
    ) -> bool:
        """Whether an op splits the channels of a product, which compile then computes part by part."""
        if kind_of(op) != "Split" or any(kind_of(inner) != "Add" for inner in ops):
            return False
        product = next(iter(members)).owner
        axis = CHANNELS.get(kind_of(product))
        rank = len(shape_of(op.operands[0].type) or ())
        if axis is None or not isinstance(product, OnnxOp) or not rank:
            return False
        if (
            not self.constants.is_constant(product.operands[1])
            or attribute(product, "group", 1) != 1
        ):
            return False
        return op.operands[0] in members and (attribute(op, "axis", 0) - axis) % rank == 0

    def _follows(self, op: OnnxOp, members: dict[SSAValue, None]) -> bool:
        if kind_of(op) not in CURVES and kind_of(op) not in PER_CHANNEL:
            return False
        if len(op.results) != 1:
            return False
        return all(v in members or self.constants.is_constant(v) for v in op.operands)
