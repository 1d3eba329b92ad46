"""What goes beyond F16's largest number on given data, and is computed in f32 for that.

A value beyond 65,504 is infinite in F16, and what is made of it is often no number at all. The module is run
on the data as for INT8. An op whose result, constant, sum or reciprocal goes that far is computed in f32, and
so is all that reads its result. Masks are left as they are: a Softmax makes 0 of minus infinity, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.calibration.calibrate import Calibrator, optimized
from autosplit.calibration.table_files import Range
from autosplit.core.units import first_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.dialects.top import TopOp
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]

LARGEST = 65504.0
"""The largest number of F16."""

MOST = LARGEST / 2
"""Numbers may go up to this one on the data: on other data they may go further."""

NAMED = 4
"""How many readers of a value are named."""


@dataclass(frozen=True)
class Overflow:
    """What is computed in f32, by the names that TPU-MLIR's first step leaves."""

    names: tuple[str, ...]
    """The values whose ops compute in f32, in order."""
    beyond: frozenset[str]
    """Those of them that go beyond F16 themselves."""
    reasons: tuple[str, ...]
    """Why, a line for each op that goes beyond."""


def overflow(
    module: ModuleOp, samples: Iterable[Mapping[str, Array]], toolchain: TpuMlir | None = None
) -> Overflow:
    """What of a Top module goes beyond F16 on any sample: an array for each input, by its name in the module.

    Raises AutosplitError for a sample that does not fit.
    """
    from autosplit.dialects.top import TopOp
    from autosplit.lowering.convert_top_to_onnx import top_function
    from autosplit.lowering.top.finite_masks import masking_ops

    top = optimized(module, toolchain)
    sizes = OverflowCalibrator(top)
    for feeds in samples:
        sizes.update(feeds)
    block = top_function(top).body.block
    masking = masking_ops(block)
    names: dict[str, None] = {}
    beyond: set[str] = set()
    reasons: list[str] = []
    for op in block.ops:
        if not isinstance(op, TopOp) or op.kind in ("None", "Weight"):
            continue
        if cause := sizes.inside(op, is_mask=op in masking):
            names |= dict.fromkeys(op.names)
            reasons.append(f"{_shown(op)} {cause}")
        for name, value in zip(op.names, op.outputs, strict=True):
            most = sizes.most(name, is_mask=op in masking)
            if most <= MOST:
                continue
            readers = [u.operation for u in value.uses if isinstance(u.operation, TopOp)]
            own = [] if op.kind == "Input" else list(op.names)
            names |= dict.fromkeys([*own, *(n for r in readers for n in r.names)])
            beyond.add(name)
            read = first_of([_shown(r) for r in readers], NAMED)
            reasons.append(
                f"{_shown(op)} reaches {most:.6g}, F16 {LARGEST:g}"
                + (f"; read by {read}" if read else "")
            )
    return Overflow(tuple(names), frozenset(beyond), tuple(reasons))


def _shown(op: TopOp) -> str:
    return f"{op.kind} {op.names[0]!r}"


class OverflowCalibrator(Calibrator):
    """The ranges of all values, of what some ops add up, and of what others divide by."""

    def __init__(self, module: ModuleOp):
        from autosplit.core.weights import store_for
        from autosplit.dialects.top import TopOp

        ops = [op for op in module.walk() if isinstance(op, TopOp)]
        # Numbers that are infinite in f32 too are as they should be.
        super().__init__(module, in_f32=frozenset(name for op in ops for name in op.names))
        self._watched: dict[str, list[TopOp]] = {}
        """By the name of an operand: what adds it up or divides by it."""
        self._causes: dict[TopOp, str] = {}
        self._constants: dict[TopOp, Range] = {}
        for op in ops:
            for name in _inner_operands(op):
                self._watched.setdefault(name, []).append(op)
            for index, value in enumerate(op.inputs):
                if isinstance(value.owner, TopOp) and value.owner.kind == "Weight":
                    self._take_constant(op, index, store_for(module).array(value.owner.names[0]))

    def most(self, name: str, *, is_mask: bool) -> float:
        """How far a value goes from 0; upwards only where it is a mask, or where nothing is known."""
        span = self.ranges.get(name)
        if span is None:
            return 0.0
        return span.high if is_mask else max(span.high, -span.low)

    def inside(self, op: TopOp, *, is_mask: bool) -> str:
        """What goes too far while an op is computed; empty where nothing does."""
        constants = self._constants.get(op, Range(0.0, 0.0))
        most = constants.high if is_mask else max(constants.high, -constants.low)
        if most > MOST:
            return f"has a constant of {most:.6g}, F16 has numbers up to {LARGEST:g}"
        return self._causes.get(op, "")

    def _take(self, name: str, array: Array, number: int) -> None:
        super()._take(name, array, number)
        for op in self._watched.get(name, ()):
            self._inspect(op, array)

    def _inspect(self, op: TopOp, array: Array) -> None:
        sizes: Any = np.abs(array[np.isfinite(array)] if op.kind == "Div" else array)
        if op.kind == "Div":
            least = float(sizes[sizes > 0].min(initial=np.inf))
            if least * MOST < 1:
                self._causes[op] = f"divides by {least:.3g}, whose reciprocal F16 does not hold"
            return
        total = float(np.nan_to_num(sizes.sum(tuple(op.ints("axes")), np.float64)).max(initial=0.0))
        if total > MOST:
            self._causes[op] = f"adds up sizes of {total:.6g}, F16 has numbers up to {LARGEST:g}"

    def _take_constant(self, op: TopOp, index: int, array: Array) -> None:
        if op.kind == "Div" and index == 1:
            self._inspect(op, array)
        numbers: Any = array[np.isfinite(array)]
        if numbers.size:
            span = self._constants.setdefault(op, Range(0.0, 0.0))
            span.widen(float(numbers.min()), float(numbers.max()))


def _inner_operands(op: TopOp) -> list[str]:
    """The names of the operands by which an op may go beyond inside."""
    from autosplit.dialects.top import TopOp

    if op.kind == "Div":
        index = 1
    elif op.kind == "Reduce" and op.text("mode") in ("ReduceL1", "ReduceSum"):
        index = 0
    else:
        return []
    owner = op.inputs[index].owner
    if not isinstance(owner, TopOp) or owner.kind == "Weight":
        return []
    return [owner.names[owner.outputs.index(op.inputs[index])]]
