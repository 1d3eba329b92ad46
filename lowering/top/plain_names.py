"""top-plain-names: values whose names do not fit on a line of a table are renamed.

TPU-MLIR reads tables of values, with the type or the range of each, as words separated by spaces.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.dialects.platform import free_name
from autosplit.dialects.top import TopOp, location_of
from autosplit.lowering.top.f32_values import f32_values, set_f32_values


def plain_names(module: ModuleOp) -> None:
    """Renames the values of a Top module whose names do not fit on a line of a table, in place."""
    ops = [
        op for op in module.walk() if isinstance(op, TopOp) and op.kind not in ("None", "Weight")
    ]
    used_names = {name for op in module.walk() if isinstance(op, TopOp) for name in op.names}
    renamed: dict[str, str] = {}
    for op in ops:
        if all(map(is_plain, op.names)):
            continue
        names = [n if is_plain(n) else free_name(used_names, _plain(n)) for n in op.names]
        renamed |= zip(op.names, names, strict=True)
        op.location = location_of(names)
    set_f32_values(module, [renamed.get(name, name) for name in f32_values(module)])


def is_plain(name: str) -> bool:
    """Whether a line of a table can hold a name."""
    return len(name.split()) == 1 and not name.startswith("#") and name == name.strip()


def _plain(name: str) -> str:
    return "_".join(name.split()).lstrip("#") or "value"


@dataclass(frozen=True)
class TopPlainNamesPass(ModulePass):
    """Where a table goes with a Top module, its lines can hold the names of all values.

    INT8 has a table of ranges, and there is one of what is computed in f32, see `top-f32-values`.
    """

    name = "top-plain-names"

    mode: str = "F32"
    """What the chip computes in."""
    tables: bool = False
    """Whether there will be a table whatever the mode is, as when data may tell what F16 cannot hold."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.tables or self.mode == "INT8" or f32_values(op):
            plain_names(op)
