"""top-widen: values that go beyond F16 on data are computed in f32."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.dialects.top import TopOp
from autosplit.lowering.top.copies import is_copy
from autosplit.lowering.top.f32_values import f32_values, set_f32_values


def _copies_of(module: ModuleOp, names: set[str]) -> list[str]:
    """The names of the copies of the values with these names."""
    copies = [op for op in module.walk() if isinstance(op, TopOp) and is_copy(op)]
    return [
        name
        for copy in copies
        if isinstance(source := copy.inputs[0].owner, TopOp) and not names.isdisjoint(source.names)
        for name in copy.names
    ]


@dataclass(frozen=True)
class TopWidenPass(ModulePass):
    """`autosplit.f32` has the names of `values` too, and of the copies of what is `beyond` F16.

    Runs behind `top-separate-attention{widened=true}`: an attention that becomes one op has no parts that
    could be f32.
    Example: `top-widen{values=scores beyond=scores}`
    """

    name = "top-widen"

    values: tuple[str, ...] = ()
    """The values whose ops compute in f32."""
    beyond: tuple[str, ...] = ()
    """The values that go beyond F16 themselves."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = [*f32_values(op), *self.values, *_copies_of(op, set(self.beyond))]
        set_f32_values(op, list(dict.fromkeys(names)))
