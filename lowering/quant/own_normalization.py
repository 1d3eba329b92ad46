"""Detects a model's own normalization of its pictures: `(x - mean) * scale`, in any spelling.

Such a model takes the bytes 0..255 of a picture; see `inputs.preprocess`. It is read off the copy in
canonical ONNX, in which the constants are folded and the forms of frameworks are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import element_type, platform_graph, shape_of
from autosplit.inputs.picture_input import PictureInput
from autosplit.inputs.preprocess import Normalization
from autosplit.lowering.shared.fold import Constants, ints

F64 = NDArray[np.float64]

SAME = frozenset({"Cast", "DequantizeLinear", "Identity", "QuantizeLinear", "Resize"})
"""Ops that keep the numbers of each channel."""

SIZES = frozenset({"Shape", "Size"})
"""Users that do not read the numbers."""

DIGITS = 7
"""Significant digits of the reported numbers: as many as float32 has."""


@dataclass(frozen=True)
class _Line:
    """`slope * x + shift` per channel of the input, in the current order of the channels."""

    axis: int
    """Which one the channels are along."""
    slope: F64
    shift: F64
    order: NDArray[np.intp]
    """The input's channel of each."""
    steps: int = field(default=0)

    def then(self, slope: F64 | float, shift: F64 | float) -> _Line:
        """With `slope * x + shift` behind it."""
        return replace(
            self,
            slope=self.slope * slope,
            shift=self.shift * slope + shift,
            steps=self.steps + 1,
        )

    def reordered(self, indices: NDArray[np.intp]) -> _Line:
        """With the channels in another order."""
        return replace(
            self, slope=self.slope[indices], shift=self.shift[indices], order=self.order[indices]
        )


def own_normalizations(lowered: ModuleOp, layout: str = "") -> dict[str, Normalization]:
    """For the inputs that take pictures, what the model begins with, by name; nothing of most.

    `layout`: that of the whole model, NCHW or NHWC.
    """
    constants = Constants(store_for(lowered))
    by_input: dict[str, Normalization] = {}
    for name, value in platform_graph(lowered).graph_inputs():
        item = picture_input(name, value, layout)
        if not item.takes_pictures:
            continue
        frame, rank = item.frame, len(item.shape or ())
        unit_slopes = np.ones(frame.channels)
        axis = rank - 1 if frame.last else rank - 3
        line = _Line(axis, unit_slopes, 0 * unit_slopes, np.arange(frame.channels))
        if (affine := _affine(_followed(value, line, constants))) is not None:
            by_input[name] = affine
    return by_input


def picture_input(name: str, value: SSAValue, layout: str = "") -> PictureInput:
    """An input of a module as pictures need to know it."""
    kind = element_type(value.type)
    dtype = None if kind is None else dtype_of(kind)
    return PictureInput(
        name, shape_of(value.type), "object" if dtype is None else dtype.name, layout
    )


def _affine(line: _Line) -> Normalization | None:
    if not line.steps or not line.slope.all():
        return None
    mean, scale = -line.shift / line.slope, line.slope
    if not (np.isfinite(mean).all() and np.isfinite(scale).all()):
        return None
    inverse = np.argsort(line.order)
    return Normalization(_rounded(mean[inverse]), _rounded(scale[inverse]))


def _rounded(numbers: F64) -> tuple[float, ...]:
    """The numbers, or a single one if all are equal. A 0 is never negative."""
    rounded = tuple(float(f"{number:.{DIGITS}g}") + 0.0 for number in numbers)
    return rounded[:1] if len(set(rounded)) == 1 else rounded


def _followed(value: SSAValue, line: _Line, constants: Constants) -> _Line:
    """Extends the line through affine ops, as long as each value has a single user."""
    while True:
        users = {use.operation for use in value.uses if not _asks_size(use.operation)}
        if len(users) != 1:
            return line
        op = users.pop()
        if not isinstance(op, OnnxOp) or op.domain or not op.results:
            return line
        if (longer := _behind(op, value, line, constants)) is None:
            return line
        line, value = longer, op.results[0]


def _asks_size(op: Operation) -> bool:
    return isinstance(op, OnnxOp) and op.op_type in SIZES


def _behind(op: OnnxOp, value: SSAValue, line: _Line, constants: Constants) -> _Line | None:
    """The line behind an op; None if the op does something else."""
    kind = op.op_type
    if kind in ("Add", "Sub", "Mul", "Div") and len(op.operands) == 2:
        return _arithmetic(op, value, line, constants)
    if op.operands[0] is not value:
        return None
    if kind in SAME:
        return line
    if kind == "Neg":
        return line.then(-1.0, 0.0)
    if kind == "BatchNormalization":
        return _batch_norm(op, line, constants)
    if kind == "Transpose":
        rank = len(shape_of(value.type) or ())
        order: list[int] = attribute(op, "perm") or list(range(rank))[::-1]
        return replace(line, axis=order.index(line.axis))
    if kind in ("Gather", "Slice"):
        return _reordered(op, line, constants)
    return None


def _arithmetic(op: OnnxOp, value: SSAValue, line: _Line, constants: Constants) -> _Line | None:
    is_first = op.operands[0] is value
    constant = constants.array(op.operands[1 if is_first else 0])
    shape = shape_of(value.type)
    if constant is None or constant.dtype.kind not in "fiu" or shape is None:
        return None
    numbers = _by_channel(constant.astype(np.float64), line, len(shape))
    if numbers is None:
        return None
    match op.op_type:
        case "Add":
            return line.then(1.0, numbers)
        case "Mul":
            return line.then(numbers, 0.0)
        case "Sub":
            return line.then(1.0, -numbers) if is_first else line.then(-1.0, numbers)
        case _:
            return line.then(1.0 / numbers, 0.0) if is_first and numbers.all() else None


def _by_channel(array: F64, line: _Line, rank: int) -> F64 | None:
    """A constant as one number a channel; of a picture, such as a mean one, the mean of each channel."""
    if array.ndim > rank or not array.size:
        return None
    array = array.reshape((1,) * (rank - array.ndim) + array.shape)
    other_axes = tuple(axis for axis in range(rank) if axis != line.axis)
    numbers = array.mean(axis=other_axes)
    if numbers.size not in (1, line.slope.size):
        return None
    return np.broadcast_to(numbers, line.slope.shape)


def _batch_norm(op: OnnxOp, line: _Line, constants: Constants) -> _Line | None:
    arrays = [constants.array(operand) for operand in op.operands[1:]]
    if line.axis != 1 or len(arrays) != 4 or attribute(op, "training_mode", 0):
        return None
    if any(array is None or array.shape != line.slope.shape for array in arrays):
        return None
    gamma, beta, mean, variance = (np.asarray(array, np.float64) for array in arrays)
    factor = gamma / np.sqrt(variance + attribute(op, "epsilon", 1e-5))
    return line.then(factor, beta - mean * factor)


def _reordered(op: OnnxOp, line: _Line, constants: Constants) -> _Line | None:
    """Behind a Gather or a Slice that puts the channels in another order, as from RGB to BGR."""
    shape = shape_of(op.operands[0].type) or ()
    lists = [ints(constants.array(operand)) for operand in op.operands[1:]]
    if op.op_type == "Gather":
        axis, indices = int(attribute(op, "axis", 0)) % len(shape), lists[0]
        slices = None if indices is None or axis != line.axis else {axis: indices}
    else:
        slices = _slices(lists, shape)
    if slices is None:
        return None
    channels = [i % line.slope.size for i in slices.get(line.axis, range(line.slope.size))]
    if sorted(channels) != list(range(line.slope.size)):
        return None
    return line.reordered(np.array(channels, np.intp))


def _slices(lists: list[list[int] | None], shape: Sequence[int]) -> dict[int, Sequence[int]] | None:
    """What a Slice takes of each axis that it names; None if that is unknown."""
    known_lists = [ranges for ranges in lists if ranges is not None]
    if len(known_lists) < len(lists) or len(known_lists) < 2:
        return None
    starts, ends = known_lists[:2]
    axes = known_lists[2] if len(known_lists) > 2 else list(range(len(starts)))
    steps = known_lists[3] if len(known_lists) > 3 else [1] * len(starts)
    ranges: dict[int, Sequence[int]] = {}
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        size = shape[axis % len(shape)]
        # An end far below 0 means that index 0 is taken too.
        ranges[axis % len(shape)] = range(max(size, 0))[
            slice(start, None if end < -size else end, step)
        ]
    return ranges
