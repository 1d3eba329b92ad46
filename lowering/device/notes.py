"""What passes note on a model for its plan: the module's `device.notes`.

`work`: the multiply-adds of nodes in a run; `tensors`: shapes and dtypes that a run measured and that the
types leave open. Other notes on the inputs go into the plan as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute

NOTES = "device.notes"


def notes_of(module: ModuleOp) -> dict[str, Attribute]:
    """The notes on a module."""
    notes = module.attributes.get(NOTES)
    return dict(notes.data) if isinstance(notes, DictionaryAttr) else {}


def note(module: ModuleOp, entries: Mapping[str, Attribute]) -> None:
    """Adds notes to a module."""
    if entries:
        module.attributes[NOTES] = DictionaryAttr({**notes_of(module), **entries})


def take_notes(module: ModuleOp) -> dict[str, Attribute]:
    """Removes the notes from a module and returns them."""
    notes = notes_of(module)
    module.attributes.pop(NOTES, None)
    return notes


def work_attr(work: Mapping[str, int]) -> DictionaryAttr:
    """The note of the multiply-adds of nodes in a run."""
    return DictionaryAttr({name: IntegerAttr(amount, i64) for name, amount in work.items()})


def noted_work(module: ModuleOp) -> dict[str, int] | None:
    """The multiply-adds of nodes in a run, by name; None where there was no run."""
    work = notes_of(module).get("work")
    if not isinstance(work, DictionaryAttr):
        return None
    return {n: a.value.data for n, a in work.data.items() if isinstance(a, IntegerAttr)}
