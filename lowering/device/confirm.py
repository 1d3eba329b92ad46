"""device-confirm: lower each TPU sub-model once more, as it was cut.

Capability was found on the whole model, where everything upstream of an op is known. A sub-model only has
its border: what the chip refuses there must leave the TPU. Where sizes may vary, each sub-model is compiled
for fixed sizes or for varying ones as a whole.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
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
from autosplit.lowering.device.cluster import work_of
from autosplit.lowering.device.place import ask, constant_result
from autosplit.lowering.device.submodel_sizes import Sizes, is_varying
from autosplit.lowering.quant.own_scales import take_scales
from autosplit.lowering.shared.fold import Constants
from autosplit.platforms import platform_of


@dataclass
class Confirmed:
    """What became of the TPU sub-models of an outlined module."""

    refused: dict[str, ReasonAttr] = field(default_factory=dict[str, ReasonAttr])
    """The nodes that the chip refuses, with the reasons."""
    lowered: dict[str, ModuleOp] = field(default_factory=dict[str, ModuleOp])
    """Each sub-model in canonical ONNX, by its symbol."""
    varying: set[str] = field(default_factory=set[str])
    """The symbols of those that are compiled for sizes that vary."""


def confirm(
    ctx: Context, module: ModuleOp, chip: Chip, sizes: Sizes = Sizes.fixed, mode: str = "F32"
) -> Confirmed:
    """Lowers the TPU sub-models of an outlined module, which stays as it is, and asks about each op.

    Where a sub-model has ops that are right at fixed sizes only beside others whose sizes vary, those leave
    it that compute less.
    """
    platform = platform_of(module)
    found = Confirmed()
    for func in module.body.ops:
        if not isinstance(func, FuncOp) or not func.target.is_tpu:
            continue
        lowered = platform.standalone(module, func)
        platform.to_onnx(ctx, lowered)
        if mode == "INT8":
            take_scales(lowered)
        present = {op.identity: op for op in func.body.block.ops if isinstance(op, PlatformOp)}
        varying, refused = ask_sizes(lowered, present, chip, sizes, mode)
        refused |= constant_results(func, lowered)
        refused |= open_views(func, lowered, sizes is not Sizes.fixed)
        found.refused |= {name: reason for name, reason in refused.items() if name in present}
        found.lowered[func.sym_name.data] = lowered
        if varying:
            found.varying.add(func.sym_name.data)
    return found


def ask_sizes(
    lowered: ModuleOp, present: Mapping[str, PlatformOp], chip: Chip, sizes: Sizes, mode: str
) -> tuple[bool, dict[str, ReasonAttr]]:
    """Whether a sub-model is compiled for sizes that vary, and what the chip then refuses of it.

    `present`: the nodes of the sub-model by name. Where it is neither, the one that more work is kept with.
    """
    varying = is_varying(lowered, chip, sizes, mode)
    refused = ask(lowered, chip, varying, mode)
    if not refused or sizes is not Sizes.open:
        return varying, refused
    others = ask(lowered, chip, not varying, mode)
    if _cost(others, present) >= _cost(refused, present):
        return varying, refused
    if not varying:
        return True, others
    first = next(iter(refused.values())).text.data
    text = f"varies in size, and so would a sub-model that has more work: there {first}"
    return False, {
        name: ReasonAttr.of("dynamic-shape", f"{present[name].op_type} {text}")
        for name in others
        if name in present
    }


def _cost(refused: Mapping[str, ReasonAttr], present: Mapping[str, PlatformOp]) -> tuple[int, int]:
    """The multiply-adds and the number of the nodes that leave a sub-model."""
    ops = [present[name] for name in refused if name in present]
    return sum(work_of(op) for op in ops), len(ops)


def constant_results(func: FuncOp, lowered: ModuleOp) -> dict[str, ReasonAttr]:
    """The nodes of a sub-model that make outputs of which lowering has found the value."""
    constants = Constants(None)
    known = {
        name
        for name, value in platform_graph(lowered).graph_outputs()
        if constants.is_constant(value)
    }
    return {op.identity: constant_result(op) for op, _ in _makers(func, known)}


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
        refused = confirm(ctx, op, chip, Sizes.of(self.dynamic), self.mode).refused
        if refused:
            name, reason = next(iter(refused.items()))
            first = (
                repr(name) if len(refused) == 1 else f"{name!r} (the first of {len(refused)} ops)"
            )
            raise PassFailedException(
                f"{first} cannot stay in its TPU sub-model: {reason.text.data}"
            )
