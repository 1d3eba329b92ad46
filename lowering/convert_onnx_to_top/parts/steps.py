"""Views and small sums that several conversions are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import shape_of, value_name
from autosplit.dialects.top import TopOp
from autosplit.dialects.top.base import location_of
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion
from autosplit.lowering.shared.fold import AnyArray


def sizes(value: SSAValue) -> tuple[int, ...]:
    """The shape of a Top value."""
    shape = shape_of(value.type)
    assert shape is not None
    return shape


def loaded(c: Conversion, index: int) -> Callable[[], AnyArray]:
    """What reads constant operand `index` when its weight is written.

    It raises AutosplitError if the array is missing.
    """
    value, constants = c.q.value(index), c.q.constants
    assert value is not None

    def load() -> AnyArray:
        array = constants.array(value)
        if array is None:
            raise AutosplitError(f"the weight {value_name(value)!r} is missing")
        return array.astype(np.float32, copy=False)

    return load


def as_result(c: Conversion, x: SSAValue, result: int = 0) -> SSAValue:
    """Gives an intermediate value the name of a result: a view that changes nothing would lose it."""
    op = x.owner
    assert isinstance(op, TopOp)
    names = list(op.names)
    names[op.results.index(x)] = c.target.fresh(c.name(result))
    op.location = location_of(names)
    return x


def reshape(
    c: Conversion, x: SSAValue, shape: Sequence[int], suffix: str | None = None
) -> SSAValue:
    """`x` in another shape; `x` itself where it has that shape and is not the op's result."""
    if suffix is not None and sizes(x) == tuple(shape):
        return x
    return c.emit("Reshape", [x], {"shape": list(shape)}, shape=shape, suffix=suffix)


def permute(
    c: Conversion, x: SSAValue, order: Sequence[int], suffix: str | None = None
) -> SSAValue:
    """`x` with its dimensions in another order; `x` itself where that is its own and it is not the result."""
    if suffix is not None and list(order) == sorted(order):
        return x
    shape = [sizes(x)[i] for i in order]
    return c.emit("Permute", [x], {"order": list(order)}, shape=shape, suffix=suffix)


def padded(c: Conversion, x: SSAValue, pads: Sequence[int], value: float, suffix: str) -> SSAValue:
    """`x` with `value` around its dimensions from the third on: `pads` has the starts, then the ends.

    One dimension after the other, as the third of four, which is what all chips pad right.
    """
    n = len(pads) // 2
    for axis, (before, behind) in enumerate(zip(pads[:n], pads[n:], strict=True), 2):
        if not before and not behind:
            continue
        shape = sizes(x)
        outer, inner, length = (
            prod(shape[:axis]),
            prod(shape[axis + 1 :]),
            shape[axis] + before + behind,
        )
        rows = reshape(c, x, (1, outer, shape[axis], inner), f"{suffix}{axis}/rows")
        paddings = [0, 0, before, 0, 0, 0, behind, 0]
        attrs = {"paddings": paddings, "val": value, "mode": "constant"}
        longer = c.emit(
            "Pad", [rows], attrs, shape=(1, outer, length, inner), suffix=f"{suffix}{axis}"
        )
        x = reshape(c, longer, (*shape[:axis], length, *shape[axis + 1 :]), f"{suffix}{axis}/whole")
    return x


def times(c: Conversion, x: SSAValue, factor: float, suffix: str | None = None) -> SSAValue:
    """`x` times a number."""
    return c.emit("MulConst", [x], {"const_val": factor}, shape=sizes(x), suffix=suffix)


def plus(c: Conversion, x: SSAValue, term: float, suffix: str | None = None) -> SSAValue:
    """`x` plus a number."""
    return c.emit("AddConst", [x], {"const_val": term}, shape=sizes(x), suffix=suffix)
