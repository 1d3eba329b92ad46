"""Whether two forms of a piece of memory have elements in common.

An update that reads what it writes, in another place, gives what the order of its loops happens to give. One
that reads the very elements it writes, or quite others, does not.
"""

from __future__ import annotations

from enum import Enum, auto

from autosplit.dialects.platform import shape_of
from autosplit.lowering.reduce_mutation.calls import AtenCall, call_of
from autosplit.lowering.reduce_mutation.forms import TensorForm, View
from autosplit.lowering.reduce_mutation.views import IDENTICAL, PARTING, REPEATING


class Overlap(Enum):
    """What the elements of two forms of one memory have to do with each other."""

    same = auto()
    apart = auto()
    unknown = auto()


def overlap(first: TensorForm, second: TensorForm) -> Overlap:
    """How two forms of one memory lie to each other, as far as the views say."""
    here, there = _steps(first), _steps(second)
    while here and there and _is_same(here[0], there[0]):
        del here[0], there[0]
    if not here and not there:
        return Overlap.same
    if here and there and _are_apart(here[0], there[0]):
        return Overlap.apart
    return Overlap.unknown


def _steps(form: TensorForm) -> list[View]:
    """The views that lead to a form, the first one first, without those that change nothing."""
    return [view for view in reversed([*form.path()]) if not _changes_nothing(view)]


def _changes_nothing(view: View) -> bool:
    call = call_of(view.op)
    return call is not None and call.name in IDENTICAL and call.name not in REPEATING


def _is_same(first: View, second: View) -> bool:
    if first.op is second.op:
        return first.index == second.index
    here, there = call_of(first.op), call_of(second.op)
    if here is None or there is None or here.spec is not there.spec:
        return False
    return first.index == second.index and _rest(here) == _rest(there)


def _rest(call: AtenCall) -> dict[str, object]:
    """What a view is called with beside its tensor."""
    return {k: v for i, (k, v) in enumerate(call.arguments.items()) if i}


def _are_apart(first: View, second: View) -> bool:
    """Whether two views of the same tensor have no element in common."""
    if first.op is second.op:
        call = call_of(first.op)
        return call is not None and call.name in (*PARTING, "unbind")
    here, there = _range(first), _range(second)
    if here is None or there is None or here[0] != there[0]:
        return False
    return here[2] <= there[1] or there[2] <= here[1]


def _range(view: View) -> tuple[int, int, int] | None:
    """The dimension along which a view takes a part, its begin and its end; None where nothing says so."""
    call = call_of(view.op)
    shape = None if call is None else shape_of(view.op.operands[0].type)
    if call is None or not shape:
        return None
    dim = call.integer("dim") % len(shape)
    size = shape[dim]
    names = {"select": ("index",), "narrow": ("start", "length"), "slice": ("start", "end")}
    bounds = [call[name] for name in names.get(call.name, ())]
    if size < 0 or not bounds or not all(isinstance(b, int | None) for b in bounds):
        return None
    begin = call.integer(names[call.name][0]) % size
    match call.name:
        case "select":
            return dim, begin, begin + 1
        case "narrow":
            return dim, begin, begin + call.integer("length")
        case _:
            start, end, _ = slice(call.integer("start"), call.integer("end", size)).indices(size)
            return dim, start, end
