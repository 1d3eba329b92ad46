"""Whether two forms of a piece of memory have elements in common.

The result of an update that reads what it writes elsewhere depends on the order of its loops. That of one
that reads just the elements it writes, or none of them, does not.
"""

from __future__ import annotations

from enum import Enum, auto

from autosplit.dialects.platform import shape_of
from autosplit.lowering.reduce_mutation.calls import AtenCall, call_of
from autosplit.lowering.reduce_mutation.forms import TensorForm, View
from autosplit.lowering.reduce_mutation.views import IDENTICAL, PARTING, REPEATING


class Overlap(Enum):
    """How the elements of two forms of one memory relate."""

    same = auto()
    apart = auto()
    unknown = auto()


def overlap(first: TensorForm, second: TensorForm) -> Overlap:
    """How two forms of one memory overlap, as far as the views tell."""
    a, b = _steps(first), _steps(second)
    while a and b and _is_same(a[0], b[0]):
        del a[0], b[0]
    if not a and not b:
        return Overlap.same
    if a and b and _are_apart(a[0], b[0]):
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
    a, b = call_of(first.op), call_of(second.op)
    if a is None or b is None or a.spec is not b.spec:
        return False
    return first.index == second.index and _view_arguments(a) == _view_arguments(b)


def _view_arguments(call: AtenCall) -> dict[str, object]:
    """The arguments of a view besides its tensor."""
    return {k: v for i, (k, v) in enumerate(call.arguments.items()) if i}


def _are_apart(first: View, second: View) -> bool:
    """Whether two views of the same tensor have no element in common."""
    if first.op is second.op:
        call = call_of(first.op)
        return call is not None and call.name in (*PARTING, "unbind")
    a, b = _range(first), _range(second)
    if a is None or b is None or a[0] != b[0]:
        return False
    return a[2] <= b[1] or b[2] <= a[1]


def _range(view: View) -> tuple[int, int, int] | None:
    """The dimension along which a view takes a part, its begin and its end; None if they are unknown."""
    call = call_of(view.op)
    shape = None if call is None else shape_of(view.op.operands[0].type)
    if call is None or not shape:
        return None
    dim = call.integer("dim") % len(shape)
    size = shape[dim]
    names = {"select": ("index",), "narrow": ("start", "length"), "slice": ("start", "end")}
    bounds = [call[name] for name in names.get(call.name, ())]
    if size < 0 or not bounds or not all(isinstance(bound, int | None) for bound in bounds):
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
