"""The functional twin of each op that updates tensors in place.

| update | twin |
| --- | --- |
| `add_.Tensor(Tensor(a!) self, ...)` | `add.Tensor`: the same name without the last underscore |
| `_native_batch_norm_legit(...)` | `..._functional`: the updated tensors are its last results |
| `batch_norm` in training | `_native_batch_norm_legit_functional` |

The table of schemas says which twins exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autosplit.dialects.aten.spec import ArgSpec, OpSpec
from autosplit.lowering.reduce_mutation.calls import AtenCall, overloads

NORM = "_native_batch_norm_legit_functional"


VIEWED = frozenset(
    {
        *("as_strided_", "detach_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_"),
        "unsqueeze_",
    }
)
"""Updates of how a tensor sees its memory, which write nothing to it."""

REPLACING = frozenset({"resize_", "resize_as_", "set_"})
"""Updates that give a tensor other memory: no value tells what other tensors see then."""


@dataclass(frozen=True)
class Twin:
    """A functional op, and how its arguments and results stand for those of an update."""

    spec: OpSpec
    names: Mapping[str, str]
    """The update's argument for each argument of the twin."""
    updates: Sequence[str]
    """The arguments that are updated, in the order of the twin's last results."""
    returned: int
    """How many results the twin has before these; the first are those of the update."""


def twin_of(call: AtenCall) -> Twin | None:
    """The twin of an op that updates the operands `call.written`; None if there is none."""
    schema = call.spec
    if schema.base in REPLACING:
        return None
    written = list(dict.fromkeys(call.slots[i].name for i in call.written))
    if schema.base == "batch_norm":
        return _norm(written)
    returned = sum(not r.alias for r in schema.returns)
    bare = schema.base.removesuffix("_") if not schema.base.endswith("__") else ""
    operator = schema.base.replace("__i", "__", 1) if schema.base.startswith("__i") else ""
    for name in filter(None, (bare, operator, f"{bare or schema.base}_functional")):
        for twin in _nearest(name, schema.overload):
            if name == schema.base or (names := _matched(schema.args, twin.args)) is None:
                continue
            if len(twin.returns) == returned + len(written):
                return Twin(twin, names, written, returned)
    return None


def changes_view(call: AtenCall) -> bool:
    """Whether an update changes only how a tensor sees its memory, as `unsqueeze_` does."""
    return call.name in VIEWED


def _norm(written: Sequence[str]) -> Twin | None:
    twin = next(iter(overloads(NORM)), None)
    if twin is None or len(written) != 2:
        return None
    names = {a.name: a.name for a in twin.args}
    return Twin(twin, names, written, len(twin.returns) - len(written))


def _nearest(name: str, overload: str) -> Iterator[OpSpec]:
    """The overloads of an op, the one of the same name first."""
    yield from sorted(overloads(name), key=lambda s: (s.overload != overload, s.overload))


def _matched(update: Sequence[ArgSpec], twin: Sequence[ArgSpec]) -> dict[str, str] | None:
    """The update's argument for each argument of a twin; None if the arguments do not match."""
    if any(a.writes for a in twin) or len(update) != len(twin):
        return None
    by_name = {a.name: a for a in update}
    if all(a.name in by_name and by_name[a.name].type == a.type for a in twin):
        return {a.name: a.name for a in twin}
    if all(a.type == b.type for a, b in zip(update, twin, strict=True)):
        return {b.name: a.name for a, b in zip(update, twin, strict=True)}
    return None
