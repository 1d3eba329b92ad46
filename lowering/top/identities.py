"""Values of a Top function that take no computation: every op on the way to them is neutral."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from xdsl.ir import Block, SSAValue

from autosplit.core.weights import INLINE_LIMIT, WeightStore
from autosplit.dialects.platform import static_shape
from autosplit.dialects.top import TopOp

SOURCES = frozenset({"Input", "None", "Weight"})

MOVES = frozenset(
    {
        *("Cast", "Concat", "Flatten", "Interp", "Pad", "Reduce", "Reshape", "Slice", "Squeeze"),
        *("Tile", "Unsqueeze"),
    }
)
"""Kinds that change no element if the number of elements stays the same."""

NEUTRAL = {"Add": 0.0, "AddConst": 0.0, "Mul": 1.0, "MulConst": 1.0, "Sub": 0.0, "SubConst": 0.0}
"""By kind, the operand with which the op changes nothing."""


@dataclass(frozen=True)
class Identity:
    """What a value is computed from. The tool chain may merge values that are equal in this and in type."""

    root: SSAValue
    """The result of the first of several equal ops, or an input, or a weight."""
    order: tuple[int, ...] = ()
    """How the root's dimensions are permuted; empty if they are not."""
    factor: float = 1.0
    """The factor of the root."""

    @property
    def changes_nothing(self) -> bool:
        """Whether it is an input or a weight with nothing computed from it."""
        owner = self.root.owner
        plain = not self.order and self.factor == 1.0
        return plain and (not isinstance(owner, TopOp) or owner.kind in SOURCES)


def identities(block: Block, store: WeightStore) -> dict[SSAValue, Identity]:
    """The identity of each value of a Top function. Equal ops with equal operands share one."""
    identity_of: dict[SSAValue, Identity] = {}
    firsts: dict[Hashable, TopOp] = {}
    for op in block.ops:
        if not isinstance(op, TopOp):
            continue
        if op.kind in SOURCES - {"None"}:
            identity_of.update((r, Identity(r)) for r in op.results)
        elif (identity := _passed_on(op, identity_of, store)) is not None:
            identity_of[op.results[0]] = identity
        else:
            operands = tuple(identity_of[v] for v in op.operands)
            types = tuple(v.type for v in (*op.operands, *op.results))
            key = (op.kind, frozenset(op.attributes.items()), operands, types)
            first = firsts.setdefault(key, op)
            identity_of.update(
                (r, Identity(f)) for r, f in zip(op.results, first.results, strict=True)
            )
    return identity_of


def _passed_on(
    op: TopOp, identity_of: Mapping[SSAValue, Identity], store: WeightStore
) -> Identity | None:
    """The identity of the result of a neutral op; None for other ops."""
    computed = [v for v in op.operands if not _is_source(v)] or list(op.operands[:1])
    if len(computed) != 1 or len(op.results) != 1:
        return None
    (x,) = computed
    source = identity_of[x]
    if op.kind == "MulConst" and not op.flag("do_relu"):
        return replace(source, factor=source.factor * op.number("const_val"))
    if op.kind == "Permute" and (source.order or x.type == source.root.type):
        return replace(source, order=_permuted(source, op.ints("order")))
    return source if not source.order and _is_neutral(op, x, store) else None


def _permuted(source: Identity, order: Sequence[int]) -> tuple[int, ...]:
    shape = static_shape(source.root.type) or ()
    axes = [source.order[i] if source.order else i for i in order]
    moved = [axis for axis in axes if shape[axis] != 1]
    return () if moved == sorted(moved) else tuple(axes)


def _is_source(value: SSAValue) -> bool:
    return isinstance(value.owner, TopOp) and value.owner.kind in SOURCES - {"Input"}


def _is_neutral(op: TopOp, x: SSAValue, store: WeightStore) -> bool:
    before, after = static_shape(x.type), static_shape(op.results[0].type)
    if before is None or after is None or prod(before) != prod(after) or len(op.results) > 1:
        return False
    if op.kind in MOVES:
        return True
    if op.kind in ("AvgPool", "MaxPool"):
        return all(size == 1 for size in op.ints("kernel_shape"))
    if op.kind == "Permute":
        moved = [axis for axis in op.ints("order") if before[axis] != 1]
        return moved == sorted(moved)
    if op.kind in ("AddConst", "MulConst", "SubConst"):
        return op.attr("const_val") == NEUTRAL[op.kind]
    if op.kind in NEUTRAL:
        others = [v for v in op.operands if v is not x]
        return all(_is_filled(v, NEUTRAL[op.kind], store) for v in others)
    return False


def _is_filled(value: SSAValue, number: float, store: WeightStore) -> bool:
    """Whether a value is a small weight of this number everywhere."""
    op, shape = value.owner, static_shape(value.type)
    if not isinstance(op, TopOp) or op.kind != "Weight" or prod(shape or ()) > INLINE_LIMIT:
        return False
    return bool(np.all(store.array(op.names[0]) == number))


def defining_op(value: SSAValue, kind: str) -> TopOp | None:
    """The op that computes a value, if it is of that kind."""
    owner = value.owner
    return owner if isinstance(owner, TopOp) and owner.kind == kind else None
