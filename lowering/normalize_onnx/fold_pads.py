"""Pads of convolutions and poolings in place of ops of their own: `FoldPad`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.fields import field_attr
from autosplit.dialects.onnx.ops import AveragePoolOp, ConvOp, LpPoolOp, MaxPoolOp, PadOp
from autosplit.dialects.platform import element_type, static_shape
from autosplit.lowering.building import Emitter, OnnxPattern
from autosplit.lowering.rewriting import set_operand, why
from autosplit.lowering.shared.fold import AnyArray
from autosplit.lowering.shared.windows import paddings

Windowed: TypeAlias = ConvOp | AveragePoolOp | LpPoolOp | MaxPoolOp

VIEWS = frozenset({"Reshape", "Squeeze", "Unsqueeze"})

KEEP_ZERO = frozenset({"Abs", "Cast", "Elu", "Identity", "LeakyRelu", "Neg", "Relu", "Tanh"})
"""Ops with one operand that make zero of zero."""

NEVER_NEGATIVE = frozenset({"Abs", "Exp", "HardSigmoid", "Relu", "Sigmoid", "Softmax", "Sqrt"})

KEEP_SIGN = frozenset(
    {"AveragePool", "Cast", "Concat", "Dropout", "Identity", "MaxPool", "Transpose", *VIEWS}
)
"""Ops whose results are not negative where no operand is."""

CASTS = frozenset({"DequantizeLinear", "QuantizeLinear"})
"""Ops between real numbers and steps; a zero is the zero point in steps."""


@dataclass(frozen=True)
class Pads:
    """What is added to each axis of a value, before and behind."""

    before: tuple[int, ...]
    behind: tuple[int, ...]
    fill: float

    def moved(self, order: Sequence[int]) -> Pads:
        """Of the value with its axes in another order."""
        before = tuple(self.before[axis] for axis in order)
        return Pads(before, tuple(self.behind[axis] for axis in order), self.fill)

    def viewed(self, shape: Sequence[int], view_shape: Sequence[int]) -> Pads | None:
        """Of the padded value, of shape `shape`, in shape `view_shape`; None unless only ones come or go."""
        if [d for d in shape if d != 1] != [d for d in view_shape if d != 1]:
            return None
        kept_axes = iter([axis for axis, d in enumerate(shape) if d != 1])
        source_axes = [-1 if d == 1 else next(kept_axes) for d in view_shape]
        return Pads(
            tuple(self.before[p] if p >= 0 else 0 for p in source_axes),
            tuple(self.behind[p] if p >= 0 else 0 for p in source_axes),
            self.fill,
        )

    def shape_without(self, shape: Sequence[int]) -> list[int]:
        """The shape of a value of shape `shape` without them."""
        return [d - b - e for d, b, e in zip(shape, self.before, self.behind, strict=True)]


@dataclass(frozen=True)
class Fold:
    """A reader of a padded value that can do without the Pad."""

    use: Use
    pads: Pads
    """What the padded value has, or where the reader moves it, what its result has."""
    readers: list[Fold] = field(default_factory=list["Fold"])
    """All readers of a value that is only moved; none of a window."""


class FoldPad(OnnxPattern[PadOp]):
    """`conv(pad(x)) -> conv {pads}(x)`, and so for poolings, also where what is between moves elements."""

    most: float = inf
    """The largest pad that a window gets on each side."""

    def rewrite(self, op: PadOp, rewriter: PatternRewriter, /) -> None:
        if (pads := self._pads(op)) is None:
            why(op, "it does not pad with one known finite number, or cuts, or sizes are unknown")
            return
        folds = [f for use in op.results[0].uses if (f := self._fold(use, pads)) is not None]
        if not folds:
            why(op, "nothing that reads it can have these pads")
        for fold in folds:
            self._apply(fold, op.operands[0], rewriter)

    def _pads(self, op: PadOp) -> Pads | None:
        shape, amounts = static_shape(op.operands[0].type), self._array(op, 1)
        fill_value, axes = operand(op, 2), operand(op, 3)
        fill = np.zeros(1) if fill_value is None else self._array(op, 2)
        axes_array = None if axes is None else self._array(op, 3)
        if attribute(op, "mode", "constant") != "constant" or shape is None or not all(shape):
            return None
        if (
            amounts is None
            or fill is None
            or fill.size != 1
            or (axes is not None and axes_array is None)
        ):
            return None
        if amounts.min(initial=0) < 0 or not np.isfinite(float(fill.reshape(-1)[0])):
            return None
        axes_list = None if axes_array is None else [int(a) for a in axes_array.reshape(-1)]
        before, behind = paddings([int(p) for p in amounts.reshape(-1)], axes_list, len(shape))
        return Pads(tuple(before), tuple(behind), float(fill.reshape(-1)[0]))

    def _array(self, op: OnnxOp, index: int) -> AnyArray | None:
        value = operand(op, index)
        return None if value is None else self.values.array(value)

    def _fold(self, use: Use, pads: Pads) -> Fold | None:
        """How a reader does without the Pad; None if it does not."""
        op = use.operation
        if not isinstance(op, OnnxOp) or op.domain != "" or use.index != 0:
            return None
        if isinstance(op, Windowed):
            return None if self.window(op, pads) is None else Fold(use, pads)
        moved = self._moved(op, pads)
        if moved is None or static_shape(op.results[0].type) is None:
            return None
        folds = [self._fold(fold, moved) for fold in op.results[0].uses]
        foldable = [fold for fold in folds if fold is not None]
        return Fold(use, moved, foldable) if foldable and len(foldable) == len(folds) else None

    def _apply(self, fold: Fold, x: SSAValue, rewriter: PatternRewriter) -> None:
        """Has a reader take `x`, which lacks the pads."""
        op = fold.use.operation
        assert isinstance(op, OnnxOp)
        if isinstance(op, Windowed):
            fields = self.window(op, fold.pads)
            assert fields is not None
            op.properties.pop("auto_pad", None)
            op.properties.update({name: field_attr(value) for name, value in fields.items()})
            set_operand(rewriter, op, 0, x)
            return
        shape, kind = static_shape(op.results[0].type), element_type(op.results[0].type)
        assert shape is not None
        assert kind is not None
        bare = fold.pads.shape_without(shape)
        bare_type = TensorType(kind, bare)
        e = Emitter[OnnxOp](self.values, op, rewriter, InsertPoint.before(op))
        if op.op_type in VIEWS:
            moved = e.node("bare", "Reshape", [x, e.ints("bare_shape", bare)], type=bare_type)
        else:
            moved = e.node("bare", op.op_type, [x, *op.operands[1:]], op.fields, bare_type)
        for reader in fold.readers:
            self._apply(reader, moved, rewriter)

    def window(self, op: Windowed, pads: Pads) -> dict[str, object] | None:
        """The attributes with which a window does without the pads; None if it does not."""
        has_sign = isinstance(op, MaxPoolOp) and self._has_sign(op.operands[0])
        return window_with(op, pads, has_sign, self.most)

    def _moved(self, op: OnnxOp, pads: Pads) -> Pads | None:
        """The pads that the result of an op has, of which the operand has `pads`; None if it computes."""
        if op.op_type == "Transpose":
            rank = len(pads.before)
            order: list[int] = attribute(op, "perm") or list(range(rank))[::-1]
            return pads.moved(order)
        if op.op_type in VIEWS:
            shapes = [static_shape(value.type) for value in (op.operands[0], op.results[0])]
            shape, view = shapes
            return None if shape is None or view is None else pads.viewed(shape, view)
        if is_cast_of_all(op):
            return self._cast(op, pads)
        return pads if op.op_type in KEEP_ZERO and pads.fill == 0 else None

    def _cast(self, op: OnnxOp, pads: Pads) -> Pads | None:
        """The pads behind a cast, if they stand for zeros on its real side."""
        points = np.zeros(1) if operand(op, 2) is None else self._array(op, 2)
        if points is None:
            return None
        zero, point = 0.0, float(points.reshape(-1)[0])
        before, behind = (zero, point) if op.op_type == "QuantizeLinear" else (point, zero)
        return replace(pads, fill=behind) if pads.fill == before else None

    def _has_sign(self, value: SSAValue) -> bool:
        """Whether an element of a value may be below zero, as far as the ops say that make it."""
        pending, visited = [value], set[SSAValue]()
        while pending:
            value = pending.pop()
            op = value.owner
            if value in visited:
                continue
            visited.add(value)
            if not isinstance(op, OnnxOp) or op.domain != "" or value is not op.results[0]:
                return True
            if op.op_type in NEVER_NEGATIVE:
                continue
            if op.op_type not in KEEP_SIGN and not self._floors(op):
                return True
            if op.op_type != "Clip":
                pending += op.operands if op.op_type == "Concat" else op.operands[:1]
        return False

    def _floors(self, op: OnnxOp) -> bool:
        """Whether a Clip or a Pad leaves nothing below zero, or adds nothing there."""
        if isinstance(op, PadOp):
            pads = self._pads(op)
            return pads is not None and pads.fill >= 0
        low = self._array(op, 1) if op.op_type == "Clip" else None
        return low is not None and low.size == 1 and bool(low.reshape(-1)[0] >= 0)


def is_cast_of_all(op: OnnxOp) -> bool:
    """Whether an op quantizes or dequantizes, with one scale: it does the same to every element."""
    sizes = (static_shape(value.type) for value in op.operands[1:])
    return op.op_type in CASTS and all(size in ((), (1,)) for size in sizes)


def window_with(
    op: Windowed, pads: Pads, operand_has_sign: bool, most: float = inf
) -> dict[str, object] | None:
    """What a window has to say so that it computes of a bare operand what it did of the padded one.

    None if no pads do that.
    """
    shape = static_shape(op.operands[0].type)
    kernel: list[int] | None = attribute(op, "kernel_shape")
    if attribute(op, "auto_pad", "NOTSET") not in ("NOTSET", "VALID") or kernel is None:
        return None
    n = len(kernel)
    if shape is None or len(shape) != n + 2 or any(pads.before[:2] + pads.behind[:2]):
        return None
    window_pads: list[int] = attribute(op, "pads") or [0] * (2 * n)
    added = [*pads.before[2:], *pads.behind[2:]]
    total = [a + b for a, b in zip(window_pads, added, strict=True)]
    if max(total) > most or min(window_pads) < 0:
        return None
    fields: dict[str, object] = {"pads": total}
    if isinstance(op, ConvOp):
        return fields if pads.fill == 0 else None
    # What begins in the padding behind, runtimes leave out where sizes are rounded up.
    beyond = any(p >= k for p, k in zip(total, [*kernel, *kernel], strict=True))
    if beyond or attribute(op, "ceil_mode", 0):
        return None
    if isinstance(op, MaxPoolOp):
        return fields if _never_largest(op, pads, operand_has_sign) else None
    if pads.fill != 0:
        return None
    if isinstance(op, LpPoolOp):
        return fields
    if any(window_pads) and not attribute(op, "count_include_pad", 0):
        return None
    return fields | {"count_include_pad": 1}


def _never_largest(op: MaxPoolOp, pads: Pads, operand_has_sign: bool) -> bool:
    """Whether what is padded decides no window of a MaxPool, each of which has other elements."""
    if len(op.results) > 1 and op.results[1].first_use is not None:
        return False
    if any(d != 1 for d in attribute(op, "dilations") or ()):
        return False
    lowest = float(np.finfo(np.float32).min)
    return pads.fill <= lowest or (pads.fill == 0 and not operand_has_sign)
