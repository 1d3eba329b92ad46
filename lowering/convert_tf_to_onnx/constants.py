"""What is known at compile time: constants, rearranged constants, and the arithmetic on shapes.

TensorFlow models compute shapes, permutations and axes by small subgraphs (`Shape`, `StridedSlice`,
`Pack`, ...). Conversions need their values, so they are evaluated here as far as the known dimensions allow:
element by element, since one unknown batch size must not hide the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import LocationAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import (
    dtype_of,
    ranked_type,
)
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest
from autosplit.dialects.onnx.ops import (
    InitializerOp,
    OnnxOp,
    constant_array,
    make_constant,
    tensor_attr,
)
from autosplit.dialects.platform import (
    WeightAttr,
)
from autosplit.lowering.convert_tf_to_onnx.types import shape_of, static_of

Array: TypeAlias = NDArray[Any]

EVALUATED_LIMIT = 4096
"""Larger values than this are never evaluated: they are data, not shapes."""


@lru_cache(maxsize=1024)
def _int_attr(values: tuple[int, ...] | int) -> Attribute:
    return tensor_attr(np.asarray(values, np.int64))


@dataclass(frozen=True)
class Partial:
    """An array of which some elements are known."""

    values: Array
    known: NDArray[np.bool_]

    @property
    def complete(self) -> bool:
        return bool(self.known.all())


class KnownValues:
    """The constants of one module and what follows from them."""

    def __init__(self, store: WeightStore):
        self.store = store
        self._memo: dict[SSAValue, Partial | None] = {}

    def source(self, value: SSAValue) -> InitializerOp | None:
        """The constant that `value` is, looking through Identity ops."""
        owner = value.owner
        while isinstance(owner, OnnxOp) and owner.op_type == "Identity" and not owner.domain:
            owner = owner.operands[0].owner
        return owner if isinstance(owner, InitializerOp) else None

    def array(self, value: SSAValue) -> Array | None:
        """The value if it is known completely and too small to be a weight; else None."""
        partial = self.partial(value)
        return partial.values if partial is not None and partial.complete else None

    def partial(self, value: SSAValue) -> Partial | None:
        """What is known of a small value; None if nothing is."""
        if value not in self._memo:
            self._memo[value] = self._evaluate(value)
        return self._memo[value]

    def _evaluate(self, value: SSAValue) -> Partial | None:
        owner = value.owner
        if isinstance(owner, InitializerOp):
            if (static := static_of(value)) is None or prod(static) > INLINE_LIMIT:
                return None
            array = constant_array(value, self.store)
            return None if array is None else Partial(array, np.ones(array.shape, np.bool_))
        if not isinstance(owner, OnnxOp) or owner.domain or len(owner.results) != 1:
            return None
        if owner.op_type == "Shape":
            return _shape(owner)
        if (rule := _RULES.get(owner.op_type)) is None:
            return None
        operands: list[Partial] = []
        for operand in owner.inputs:
            operand_value = None if operand is None else self.partial(operand)
            if operand_value is None:
                return None
            operands.append(operand_value)
        try:
            with np.errstate(all="ignore"):
                result = rule(owner, operands)
        except (ValueError, IndexError, ArithmeticError, TypeError):
            # A graph that would fail when it runs: TensorFlow has to say why.
            return None
        return None if result is None or result.values.size > EVALUATED_LIMIT else result

    def forget(self) -> None:
        """Drops the remembered values; needed after ops are rewritten."""
        self._memo.clear()

    def dtype(self, value: SSAValue) -> np.dtype[Any]:
        """The dtype of a value of numbers."""
        dtype = dtype_of(value.type)
        assert dtype is not None
        return dtype

    def new(self, name: str, array: Array, location: LocationAttr) -> InitializerOp:
        """A constant of the given value."""
        return make_constant(name, array, self.store, location=location)

    def ints(self, name: str, values: Sequence[int] | int, location: LocationAttr) -> InitializerOp:
        """An int64 constant: a scalar from an int, a vector from several."""
        key = values if isinstance(values, int) else tuple(values)
        return InitializerOp(name, _int_attr(key), None, location)

    def rearrange(
        self,
        source: InitializerOp,
        perm: Sequence[int],
        shape: Sequence[int] | None,
        name: str,
        location: LocationAttr,
    ) -> InitializerOp:
        """A constant that is `source` with permuted dimensions, then reshaped.

        A weight is rearranged when it is read, not here; its digest is that of the recipe.
        """
        value = source.value
        if not isinstance(value, WeightAttr):
            array = constant_array(source.results[0], self.store)
            assert array is not None
            array = array.transpose(perm)
            return self.new(name, array if shape is None else array.reshape(shape), location)
        ref = rearranged_weight(value, perm, shape, self.store)
        return InitializerOp(name, ref, None, location)


def rearranged_weight(
    ref: WeightAttr, perm: Sequence[int], shape: Sequence[int] | None, store: WeightStore
) -> WeightAttr:
    """A weight computed from another on reading. Adds it to the store."""
    old = ref.type.get_shape()
    dims = [old[p] for p in perm]
    if shape is not None:
        free = prod(dims) // max(1, -prod(shape)) if -1 in shape else 0
        dims = [free if d == -1 else d for d in shape]
    recipe = f"transpose {','.join(map(str, perm))} reshape {','.join(map(str, dims))}"
    key = f"{ref.key.data}|{recipe}"
    if key not in store:
        store.make(
            key,
            lambda: np.ascontiguousarray(store.array(ref).transpose(perm)).reshape(dims),
        )
    element: Attribute = ref.type.element_type
    return WeightAttr(
        StringAttr(key),
        StringAttr(digest(f"{ref.digest.data} {recipe}".encode())),
        ranked_type(element, dims),
    )


def _shape(op: OnnxOp) -> Partial | None:
    dims = shape_of(op.operands[0])
    if dims is None or op.attribute("start", 0) or op.attribute("end") is not None:
        return None
    values = np.asarray(dims, dtype=np.int64)
    return Partial(values, values >= 0)


Rule: TypeAlias = Callable[[OnnxOp, list[Partial]], "Partial | None"]
Rearranging: TypeAlias = Callable[[OnnxOp, Array, list[Array]], Array]


def _structural(rearrange: Rearranging) -> Rule:
    """Ops that move elements of the first operand; the other operands say how."""

    def rule(op: OnnxOp, operands: list[Partial]) -> Partial | None:
        data, others = operands[0], operands[1:]
        if not all(o.complete for o in others):
            return None
        where = [o.values for o in others]
        return Partial(rearrange(op, data.values, where), rearrange(op, data.known, where))

    return rule


def _elementwise(function: Callable[..., Array]) -> Rule:
    def rule(op: OnnxOp, operands: list[Partial]) -> Partial | None:
        values = np.asarray(function(*(o.values for o in operands)))
        known = np.ones(values.shape, np.bool_)
        for operand in operands:
            known = known & operand.known
        return Partial(values, np.asarray(known))

    return rule


def _whole(function: Callable[[OnnxOp, list[Array]], Array]) -> Rule:
    """Ops whose result is known only if all of their operands are."""

    def rule(op: OnnxOp, operands: list[Partial]) -> Partial | None:
        if not all(o.complete for o in operands):
            return None
        array = np.asarray(function(op, [o.values for o in operands]))
        return Partial(array, np.ones(array.shape, np.bool_))

    return rule


def _concat(op: OnnxOp, operands: list[Partial]) -> Partial:
    axis = _axis(op)
    return Partial(
        np.concatenate([o.values for o in operands], axis),
        np.concatenate([o.known for o in operands], axis),
    )


def _cast(op: OnnxOp, operands: list[Partial]) -> Partial | None:
    dtype = dtype_of(op.results[0].type)
    if dtype is None:
        return None
    return Partial(operands[0].values.astype(dtype), operands[0].known)


def _axis(op: OnnxOp) -> int:
    return cast("int", op.attribute("axis", 0))


def _perm(op: OnnxOp) -> list[int] | None:
    return cast("list[int] | None", op.attribute("perm"))


def _slice(op: OnnxOp, data: Array, where: list[Array]) -> Array:
    starts, ends = where[0].tolist(), where[1].tolist()
    axes = where[2].tolist() if len(where) > 2 else list(range(len(starts)))
    steps = where[3].tolist() if len(where) > 3 else [1] * len(starts)
    index: list[slice] = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        # An end below -size means "before the first element", which Python spells None.
        before = step < 0 and end < -data.shape[axis]
        index[axis] = slice(start, None if before else end, step)
    return data[tuple(index)]


def _axes(where: list[Array]) -> tuple[int, ...] | None:
    return tuple(int(a) for a in where[0].reshape(-1)) if where else None


def _reshape(op: OnnxOp, data: Array, where: list[Array]) -> Array:
    dims = [int(d) for d in where[0]]
    if not op.attribute("allowzero", 0):
        dims = [data.shape[i] if d == 0 else d for i, d in enumerate(dims)]
    return data.reshape(dims)


def _divide(a: Array, b: Array) -> Array:
    if not np.issubdtype(a.dtype, np.integer):
        return np.divide(a, b)
    safe = np.where(b == 0, 1, b)
    return ((np.abs(a) // np.abs(safe)) * np.sign(a) * np.sign(safe)).astype(a.dtype)


def _expand(op: OnnxOp, data: Array, where: list[Array]) -> Array:
    dims = tuple(int(d) for d in where[0])
    return np.broadcast_to(data, np.broadcast_shapes(data.shape, dims))


def _reduce_prod(op: OnnxOp, x: list[Array]) -> Array:
    keep = bool(op.attribute("keepdims", 1))
    return np.prod(x[0], axis=_axes(x[1:]), keepdims=keep, dtype=x[0].dtype)


_RULES: dict[str, Rule] = {
    "Add": _elementwise(np.add),
    "Cast": _cast,
    "Ceil": _elementwise(np.ceil),
    "Concat": _concat,
    "Div": _elementwise(_divide),
    "Equal": _elementwise(np.equal),
    "Expand": _structural(_expand),
    "Floor": _elementwise(np.floor),
    "Gather": _structural(lambda op, x, w: np.take(x, w[0], axis=_axis(op))),
    "Greater": _elementwise(np.greater),
    "Identity": _structural(lambda op, x, _: x),
    "Less": _elementwise(np.less),
    "Max": _elementwise(np.maximum),
    "Min": _elementwise(np.minimum),
    "Mul": _elementwise(np.multiply),
    "Neg": _elementwise(np.negative),
    "Range": _whole(
        lambda op, x: np.arange(x[0].item(), x[1].item(), x[2].item(), dtype=x[0].dtype)
    ),
    "ReduceProd": _whole(_reduce_prod),
    "Reshape": _structural(_reshape),
    "Size": _whole(lambda op, x: np.asarray(x[0].size, np.int64)),
    "Slice": _structural(_slice),
    "Squeeze": _structural(lambda op, x, w: np.squeeze(x, _axes(w))),
    "Sub": _elementwise(np.subtract),
    "Transpose": _structural(lambda op, x, _: x.transpose(_perm(op))),
    "Unsqueeze": _structural(lambda op, x, w: np.expand_dims(x, _axes(w) or ())),
    "Where": _elementwise(np.where),
}
