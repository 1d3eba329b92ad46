"""Finds chains of elementwise ops with casts in between, and evaluates them as functions.

A chain begins at a quantize. It is a sequence of stages; a stage is what lies between two values that all
paths pass through: one op, or several ops of one value, as in `x * sigmoid(x)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Operation, SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
)
from autosplit.dialects.quant_numpy import dequantize
from autosplit.lowering.quant.chains.curves import CURVES, Numbers
from autosplit.lowering.shared.fold import AnyArray, Constants

MOST_STEPS = 24
"""No activation is spelled with more ops and pairs of casts."""

Treat = Callable[["Pair", Numbers], Numbers]
"""The effect of a pair of casts on numbers."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A quantize and all dequantizes of its result."""

    quantize: QuantizeCastOp
    dequantizes: tuple[DequantizeCastOp, ...]
    uniform: UniformType

    @property
    def source(self) -> SSAValue:
        return self.quantize.input

    @property
    def scale(self) -> float:
        return float(self.uniform.scales[0])

    @property
    def bounds(self) -> tuple[float, float]:
        return self.uniform.bounds[0]


def saturated(pair: Pair, x: Numbers) -> Numbers:
    """Clamped to the range of the integers, not rounded."""
    return np.clip(x, *pair.bounds)


def nearly_saturated(pair: Pair, x: Numbers) -> Numbers:
    """Clamped to the range that rounds to the integers: quantizers omit what rounds to a bound."""
    low, high = pair.bounds
    return np.clip(x, low - pair.scale / 2, high + pair.scale / 2)


def rounded(pair: Pair, x: Numbers) -> Numbers:
    """Rounded like the casts do."""
    zero = float(pair.uniform.zero_points[0])
    stored = np.clip(np.rint(x / pair.scale) + zero, *pair.uniform.storage_range)
    return (stored - zero) * pair.scale


def passing(pair: Pair, x: Numbers) -> Numbers:
    """As if the casts were not there."""
    return x


@dataclass(frozen=True)
class CurveStage:
    """Ops from one value to another, and the pairs of casts in front of them and between."""

    front: Pair | None
    entry: SSAValue
    """Its argument: the value that is cast, if there is a pair in front."""
    steps: tuple[OnnxOp | Pair, ...]
    result: SSAValue

    @property
    def ops(self) -> list[OnnxOp]:
        return [s for s in self.steps if isinstance(s, OnnxOp)]

    @property
    def inner(self) -> list[Pair]:
        return [s for s in self.steps if isinstance(s, Pair)]

    def with_next(self, following: CurveStage) -> CurveStage:
        """This stage merged with the next one."""
        between = () if following.front is None else (following.front,)
        steps = (*self.steps, *between, *following.steps)
        return CurveStage(self.front, self.entry, steps, following.result)

    def reads(self, value: SSAValue) -> bool:
        """Whether a value is the entry, or its dequantized form."""
        producer = value.owner
        return value is self.entry or (
            self.front is not None and any(producer is d for d in self.front.dequantizes)
        )


@dataclass
class CurveChain:
    """The stages behind a pair of casts."""

    first: Pair
    constants: Constants
    stages: list[CurveStage] = field(default_factory=list[CurveStage])

    def numbers(self, stage: CurveStage, x: Numbers, treat: Treat) -> Numbers:
        """The results of a stage for numbers that have already passed its front."""
        fronts = stage.front.dequantizes if stage.front is not None else ()
        numbers_of: dict[SSAValue, Numbers] = {d.output: x for d in fronts} or {stage.entry: x}
        with np.errstate(all="ignore"):
            for step in stage.steps:
                if isinstance(step, Pair):
                    results = treat(step, numbers_of[step.source])
                    numbers_of |= {d.output: results for d in step.dequantizes}
                    continue
                operands = [
                    None if v is None else numbers_of[v] if v in numbers_of else self.number(v)
                    for v in step.inputs
                ]
                numbers_of[step.results[0]] = CURVES[step.op_type](step, operands)
        return numbers_of[stage.result]

    def number(self, value: SSAValue) -> float | None:
        return number_of(value, self.constants)


def made_by(value: SSAValue, *kinds: str) -> OnnxOp | None:
    """The producer of a value, if it is of one of these types."""
    op = value.owner
    return op if isinstance(op, OnnxOp) and op.domain == "" and op.op_type in kinds else None


def only_reader(value: SSAValue) -> Operation | None:
    """The only user of a value."""
    return next(iter(value.uses)).operation if value.has_one_use() else None


def read_by(value: SSAValue, kind: str) -> OnnxOp | None:
    """The only user of a value, if it is of this type."""
    op = only_reader(value)
    return op if isinstance(op, OnnxOp) and op.domain == "" and op.op_type == kind else None


def stored_constant(
    constants: Constants, value: SSAValue
) -> tuple[DequantizeCastOp, SSAValue] | None:
    """The dequantize of constant integers that produces a value, and these integers."""
    real = value.owner
    if not isinstance(real, DequantizeCastOp) or not isinstance(real.input.owner, StorageCastOp):
        return None
    stored = real.input.owner.input
    return (real, stored) if constants.is_constant(stored) else None


def dequantize_stored(
    integers: SSAValue, type: UniformType, location: LocationAttr, value_name: str = ""
) -> tuple[StorageCastOp, DequantizeCastOp]:
    """The casts behind constant integers that make real numbers of them, as `stored_constant` finds them."""
    shape = shape_of(integers.type)
    assert shape is not None
    stored = StorageCastOp(
        integers, TensorType(type, shape), value_name=value_name, location=location
    )
    real = TensorType(type.expressed, shape)
    return stored, DequantizeCastOp(stored.output, real, location=location)


def real_array(constants: Constants, value: SSAValue) -> AnyArray | None:
    """A real constant, or the dequantized array of constant integers; None for any other value."""
    if isinstance(value.owner, DequantizeCastOp):
        if (constant := stored_constant(constants, value)) is None:
            return None
        array, type = constants.array(constant[1]), uniform_of(constant[0].input.type)
        return None if array is None or type is None else dequantize(array, type)
    array = constants.array(value)
    return array if array is not None and array.dtype.kind == "f" else None


def number_of(value: SSAValue, constants: Constants) -> float | None:
    """The value of a constant with one element, dequantized or not."""
    array = real_array(constants, value)
    return None if array is None or array.size != 1 else float(array.reshape(-1)[0])


def pair_behind(value: SSAValue) -> Pair | None:
    """The pair of casts of bytes that is the only user of a value, if its integers have no other users."""
    if not value.has_one_use():
        return None
    quantize = next(iter(value.uses)).operation
    if not isinstance(quantize, QuantizeCastOp):
        return None
    uniform = uniform_of(quantize.output.type)
    if uniform is None or uniform.is_per_axis or uniform.storage.width.data != 8:
        return None
    users = [use.operation for use in quantize.output.uses]
    casts = tuple(r for r in users if isinstance(r, DequantizeCastOp))
    return Pair(quantize, casts, uniform) if casts and len(casts) == len(users) else None


def chain_behind(front: Pair, constants: Constants, order: Mapping[Operation, int]) -> CurveChain:
    """The stages that follow a pair of casts; none if its user is not elementwise."""
    chain = CurveChain(front, constants)
    grown = _Growing(chain, order)
    for stage in grown.stages():
        chain.stages.append(stage)
    return chain


class _Growing:
    """Builds a chain op by op."""

    def __init__(self, chain: CurveChain, order: Mapping[Operation, int]):
        self.chain = chain
        self.order = order
        self.shape = shape_of(chain.first.source.type)
        self.values: dict[SSAValue, None] = {}
        self.members: set[Operation] = set()

    def stages(self) -> Iterator[CurveStage]:
        front: Pair | None = self.chain.first
        entry = front.source
        self._enter(front)
        steps: list[OnnxOp | Pair] = []
        while len(self.members) < MOST_STEPS and (op := self._next()) is not None:
            steps.append(op)
            self.members.add(op)
            result = op.results[0]
            self.values[result] = None
            pair = pair_behind(result)
            if self._open() != [result]:
                if pair is not None:
                    steps.append(pair)
                    self._enter(pair)
                continue
            yield CurveStage(front, entry, tuple(steps), result)
            front, entry, steps = pair, result, []
            if pair is not None:
                self._enter(pair)

    def _enter(self, pair: Pair) -> None:
        self.members |= {pair.quantize, *pair.dequantizes}
        self.values |= dict.fromkeys(d.output for d in pair.dequantizes)

    def _open(self) -> list[SSAValue]:
        """The values with users outside the chain."""
        return [v for v in self.values if any(u.operation not in self.members for u in v.uses)]

    def _next(self) -> OnnxOp | None:
        """The first op whose operands are only open values and constant numbers."""
        users = {u.operation for v in self._open() for u in v.uses} - self.members
        fitting = [r for r in users if isinstance(r, OnnxOp) and self._fits(r)]
        return min(fitting, key=lambda r: self.order.get(r, -1), default=None)

    def _fits(self, op: OnnxOp) -> bool:
        if op.domain != "" or op.op_type not in CURVES or len(op.results) != 1:
            return False
        if self.shape is None or shape_of(op.results[0].type) != self.shape:
            return False
        return all(v in self.values or self.chain.number(v) is not None for v in op.operands)
