"""device-confirm: convert each TPU sub-model once more, as it was cut.

Capability was found on the whole model, where everything upstream of an op is known. A sub-model only has
its border: what the chip refuses there must leave the TPU.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.devices import Chip, get_chip
from autosplit.dialects.device import FuncOp, ReasonAttr
from autosplit.dialects.platform import PlatformOp
from autosplit.lowering.device_place import capability
from autosplit.platforms import platform_of


def refusals(
    ctx: Context, module: ModuleOp, chip: Chip, dynamic: bool = False
) -> dict[str, ReasonAttr]:
    """The nodes of the TPU sub-models of an outlined module that the chip refuses, with the reasons."""
    platform = platform_of(module)
    found: dict[str, ReasonAttr] = {}
    for func in module.body.ops:
        if not isinstance(func, FuncOp) or not func.target.is_tpu:
            continue
        present = {op.identity for op in func.body.block.ops if isinstance(op, PlatformOp)}
        refused = capability(ctx, platform.standalone(module, func), chip, dynamic).refused
        found |= {name: reason for name, reason in refused.items() if name in present}
    return found


@dataclass(frozen=True)
class DeviceConfirmPass(ModulePass):
    """Every TPU sub-model of an outlined module converts for its chip, with its border as inputs.

    Fails naming the ops that do not; `autosplit split` moves them to the CPU and cuts again.
    """

    name = "device-confirm"

    target: str = "bm1684"
    """The chip; see `autosplit/devices`."""
    dynamic: bool = False
    """Whether sizes may be smaller at run time than the types say, or unknown."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = refusals(ctx, op, get_chip(self.target), self.dynamic)
        if found:
            name, reason = next(iter(found.items()))
            raise PassFailedException(
                f"{len(found)} ops cannot stay in their TPU sub-models; the first is {name!r}: "
                f"{reason.text.data}"
            )
