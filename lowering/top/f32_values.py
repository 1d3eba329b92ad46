"""top-f32-values: the values that a sub-model of a narrower mode computes in f32.

TPU-MLIR takes a table with the names of such values and casts around them. `convert-onnx-to-top` writes the
names of those that the mode is too coarse for into its module, as `autosplit.f32`; this pass adds the values
that must go with them, and the table is made from the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from autosplit.devices import DEFAULT_CHIP, Chip, get_chip
from autosplit.dialects.top import TopOp
from autosplit.lowering.top.copies import is_copy

F32_VALUES = "autosplit.f32"
"""The attribute of a Top module with the names of its values that every mode computes in f32."""


def f32_values(module: ModuleOp) -> list[str]:
    """The names of the values of a Top module that are computed in f32 in every mode."""
    return listed_texts(module, F32_VALUES)


def listed_texts(module: ModuleOp, name: str) -> list[str]:
    """The strings of a list that a module has as an attribute; none if it has no such attribute."""
    attribute = module.attributes.get(name)
    if not isinstance(attribute, ArrayAttr):
        return []
    texts = cast("ArrayAttr[Attribute]", attribute)
    return [text.data for text in texts if isinstance(text, StringAttr)]


def set_f32_values(module: ModuleOp, names: Sequence[str]) -> None:
    """Records these names in the module, in place of earlier ones."""
    module.attributes.pop(F32_VALUES, None)
    if names:
        module.attributes[F32_VALUES] = ArrayAttr([StringAttr(name) for name in names])


def _wrong_ends(ops: Sequence[TopOp], chip: Chip) -> list[TopOp]:
    """The ops computed in f32 because INT8 gets them wrong at an end of its range.

    On all chips that is a Relu with a limit, of an operand that others read too: it keeps the steps of that
    operand, which go further than the limit. On some chips, the absolute value of -128 is -128.
    """
    ends: list[TopOp] = []
    for op in ops:
        if op.kind == "Relu" and op.number("relu_limit") > 0 and not op.inputs[0].has_one_use():
            ends.append(op)
        if op.kind == "Abs" and "abs-wraps" in chip.workarounds:
            ends.append(op)
    return ends


def _with_neighbours(ops: Sequence[TopOp], exact: dict[TopOp, None]) -> list[str]:
    """The names of all values computed in f32 if the ops `exact` are; copies are added to `exact`.

    A copy before or behind such an op is as exact. The tool chain fuses a Relu behind it into it, and then
    gives it the name of the Relu.
    """
    for op in ops:
        if is_copy(op):
            neighbours = [op.inputs[0].owner, *(use.operation for use in op.outputs[0].uses)]
            if any(other in exact for other in neighbours):
                exact[op] = None
    widened: list[TopOp] = []
    for op in exact:
        widened.append(op)
        readers = {use.operation for result in op.results for use in result.uses}
        if len(readers) == 1:
            widened += [r for r in readers if isinstance(r, TopOp) and r.kind == "Relu"]
    return list(dict.fromkeys(name for op in widened for name in op.names))


@dataclass(frozen=True)
class TopF32ValuesPass(ModulePass):
    """`autosplit.f32` has the names of all values that every mode computes in f32.

    The pass adds what INT8 gets wrong at an end of its range, the copies around such values, and the Relus
    that become part of them.
    """

    name = "top-f32-values"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    mode: str = "F32"
    """What the chip computes in."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        ops = [o for o in op.walk() if isinstance(o, TopOp)]
        named = {name: o for o in reversed(ops) for name in o.names}
        exact = dict.fromkeys(named[name] for name in f32_values(op) if name in named)
        if self.mode == "INT8":
            exact |= dict.fromkeys(_wrong_ends(ops, chip))
        set_f32_values(op, _with_neighbours(ops, exact))
