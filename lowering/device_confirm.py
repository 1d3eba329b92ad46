"""device-confirm: lower each TPU sub-model once more, as it was cut.

Capability was found on the whole model, where everything upstream of an op is known. A sub-model only has
its border: what the chip refuses there must leave the TPU.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.devices import Chip, check_mode, get_chip
from autosplit.dialects.device import FuncOp, ReasonAttr
from autosplit.dialects.platform import (
    PlatformOp,
    platform_graph,
    shape_of,
    static_shape,
    value_name,
)
from autosplit.lowering.device_place import ask
from autosplit.lowering.fold import Constants
from autosplit.lowering.own_scales import take_scales
from autosplit.platforms import platform_of


@dataclass
class Confirmed:
    """What became of the TPU sub-models of an outlined module."""

    refused: dict[str, ReasonAttr] = field(default_factory=dict[str, ReasonAttr])
    """The nodes that the chip refuses, with the reasons."""
    lowered: dict[str, ModuleOp] = field(default_factory=dict[str, ModuleOp])
    """Each sub-model in canonical ONNX, by its symbol."""


def confirm(
    ctx: Context, module: ModuleOp, chip: Chip, dynamic: bool = False, mode: str = "F32"
) -> Confirmed:
    """Lowers the TPU sub-models of an outlined module, which stays as it is, and asks about each op."""
    platform = platform_of(module)
    found = Confirmed()
    for func in module.body.ops:
        if not isinstance(func, FuncOp) or not func.target.is_tpu:
            continue
        present = {op.identity for op in func.body.block.ops if isinstance(op, PlatformOp)}
        lowered = platform.standalone(module, func)
        platform.to_onnx(ctx, lowered)
        if mode == "INT8":
            take_scales(lowered)
        refused = ask(lowered, chip, dynamic, mode)
        refused |= constant_results(func, lowered)
        refused |= open_views(func, lowered, dynamic)
        found.refused |= {name: reason for name, reason in refused.items() if name in present}
        found.lowered[func.sym_name.data] = lowered
    return found


def constant_results(func: FuncOp, lowered: ModuleOp) -> dict[str, ReasonAttr]:
    """The nodes of a sub-model that make outputs of which lowering has found the value.

    A bmodel that gives a constant gives zeros: measured with TPU-MLIR 1.30.2 on bm1684.
    """
    constants = Constants(None)
    known = {
        name
        for name, value in platform_graph(lowered).graph_outputs()
        if constants.is_constant(value)
    }
    return {
        op.identity: ReasonAttr.of(
            "constant-result", f"{op.op_type} gives a constant, which a bmodel cannot give"
        )
        for op, _ in _makers(func, known)
    }


def open_views(func: FuncOp, lowered: ModuleOp, dynamic: bool) -> dict[str, ReasonAttr]:
    """The nodes of a sub-model that give an input as it came, of which the sizes are not known.

    Lowering leaves nothing of them, so that nothing else asks for these sizes.
    """
    known = shape_of if dynamic else static_shape
    inputs = {value: name for name, value in platform_graph(lowered).graph_inputs()}
    passed = {
        name: inputs[value]
        for name, value in platform_graph(lowered).graph_outputs()
        if value in inputs and known(value.type) is None
    }
    return {
        op.identity: ReasonAttr.of(
            "dynamic-shape", f"{op.op_type} gives input {passed[name]!r}, whose sizes are not known"
        )
        for op, name in _makers(func, passed)
    }


def _makers(func: FuncOp, names: Container[str]) -> Iterator[tuple[PlatformOp, str]]:
    """The nodes of a sub-model that make one of these values, with its name."""
    for op in func.body.block.ops:
        if isinstance(op, PlatformOp):
            for result in op.results:
                if (name := value_name(result)) in names:
                    yield op, name


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
    mode: str = "F32"
    """What the chip will compute in."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        check_mode(chip, self.mode)
        refused = confirm(ctx, op, chip, self.dynamic, self.mode).refused
        if refused:
            name, reason = next(iter(refused.items()))
            raise PassFailedException(
                f"{len(refused)} ops cannot stay in their TPU sub-models; the first is {name!r}: "
                f"{reason.text.data}"
            )
