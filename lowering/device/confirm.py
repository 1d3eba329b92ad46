"""device-confirm: lower each TPU sub-model once more, as it will be cut.

Capability was determined on the whole model, where everything upstream of an op is known. A sub-model only
has its border: what the chip refuses there leaves the TPU, and the model is clustered again. Where sizes may
vary, each sub-model is compiled for fixed sizes or for varying ones as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from autosplit.core.errors import AutosplitError
from autosplit.devices import DEFAULT_CHIP, Chip, check_mode, get_chip
from autosplit.dialects.device import FuncOp, ReasonAttr
from autosplit.dialects.platform import (
    PlatformOp,
    platform_graph,
    shape_of,
    static_shape,
    value_name,
)
from autosplit.lowering.convert_to_onnx import lower_to_onnx
from autosplit.lowering.device.cluster import DeviceClusterPass, is_known, work_of
from autosplit.lowering.device.confirmed import Confirmed, ConfirmedCut
from autosplit.lowering.device.outline import DeviceOutlinePass
from autosplit.lowering.device.place import accepts, ask, constant_result, refuse
from autosplit.lowering.quant.own_scales import take_scales
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before
from autosplit.lowering.submodel.sizes import Sizes, is_varying
from autosplit.platforms import platform_of

Probe: TypeAlias = Callable[[Mapping[str, ModuleOp]], Mapping[str, ReasonAttr]]
"""What else is asked about TPU sub-models, in canonical ONNX by symbol: refused nodes, with the reasons."""


def confirm(
    ctx: Context, module: ModuleOp, chip: Chip, sizes: Sizes = Sizes.fixed, mode: str = "F32"
) -> Confirmed:
    """Lowers the TPU sub-models of an outlined module, which is not changed, and asks about each op.

    If a sub-model has ops that work at fixed sizes only and others whose sizes vary, the ones that compute
    less leave it.
    """
    platform = platform_of(module)
    confirmed = Confirmed(module)
    for func in module.body.ops:
        if not isinstance(func, FuncOp) or not func.target.is_tpu:
            continue
        lowered = platform.standalone(module, func)
        folded: dict[str, Attribute] = {}
        lower_to_onnx(ctx, lowered, folded)
        if mode == "INT8":
            take_scales(lowered)
        present = {op.identity: op for op in func.body.block.ops if isinstance(op, PlatformOp)}
        varying, refused = ask_sizes(lowered, present, chip, sizes, mode)
        refused |= constant_results(func, lowered, folded)
        refused |= open_views(func, lowered, sizes is not Sizes.fixed)
        confirmed.refused |= {name: reason for name, reason in refused.items() if name in present}
        confirmed.lowered[func.sym_name.data] = lowered
        if varying:
            confirmed.varying.add(func.sym_name.data)
    return confirmed


def ask_sizes(
    lowered: ModuleOp, present: Mapping[str, PlatformOp], chip: Chip, sizes: Sizes, mode: str
) -> tuple[bool, dict[str, ReasonAttr]]:
    """Whether a sub-model is compiled for sizes that vary, and what the chip then refuses of it.

    `present`: the nodes of the sub-model by name. If the chip refuses nodes either way, the way is taken that
    keeps more work.
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


def constant_results(
    func: FuncOp, lowered: ModuleOp, folded: Container[str]
) -> dict[str, ReasonAttr]:
    """The nodes of a sub-model that produce outputs which lowering found to be constant.

    Without them, nodes that nobody else reads would produce such outputs: where lowering has `folded` those
    too, they go at once, instead of one after the other.
    """
    constants = Constants(None)
    outputs = {
        name
        for name, value in platform_graph(lowered).graph_outputs()
        if constants.is_constant(value)
    }
    refused: dict[Operation, ReasonAttr] = {
        op: constant_result(op) for op, _ in _producers(func, outputs)
    }
    for op in reversed(list(func.body.block.ops)):
        if not isinstance(op, PlatformOp) or op.IS_CONSTANT:
            continue
        # Values that are known beforehand do not cross the border.
        read = [r for r in op.results if r.first_use is not None and not is_known(r)]
        users = {use.operation for result in read for use in result.uses}
        if users and users <= refused.keys() and all(value_name(r) in folded for r in read):
            refused[op] = constant_result(op)
    return {op.identity: reason for op, reason in refused.items() if isinstance(op, PlatformOp)}


def open_views(func: FuncOp, lowered: ModuleOp, dynamic: bool) -> dict[str, ReasonAttr]:
    """The nodes of a sub-model that return an input of unknown sizes unchanged.

    Lowering removes them, so that nothing else asks for these sizes.
    """
    sizes_of = shape_of if dynamic else static_shape
    inputs = {value: name for name, value in platform_graph(lowered).graph_inputs()}
    passed = {
        name: inputs[value]
        for name, value in platform_graph(lowered).graph_outputs()
        if value in inputs and sizes_of(value.type) is None
    }
    return {
        op.identity: ReasonAttr.of(
            "dynamic-shape", f"{op.op_type} gives input {passed[name]!r}, whose sizes are unknown"
        )
        for op, name in _producers(func, passed)
    }


def _producers(func: FuncOp, names: Container[str]) -> Iterator[tuple[PlatformOp, str]]:
    """The nodes of a sub-model that produce one of these values, with its name."""
    for op in func.body.block.ops:
        if isinstance(op, PlatformOp):
            for result in op.results:
                if (name := value_name(result)) in names:
                    yield op, name


def demote(module: ModuleOp, reasons: Mapping[str, ReasonAttr]) -> None:
    """Takes the ops of a placed module off the TPU that a cut-out sub-model could not hold.

    Raises AutosplitError if none of them may leave: the user has pinned them.
    """
    nodes = [op for op in platform_graph(module).body_ops() if isinstance(op, PlatformOp)]
    on_tpu = [op for op in nodes if op.identity in reasons and "tpu" in accepts(op)]
    movable = [op for op in on_tpu if "cpu" in accepts(op)]
    for op in movable:
        refuse(op, "tpu", reasons[op.identity])
    # Others go first: without them a pinned op may be able to stay.
    if movable:
        return
    if on_tpu:
        op = on_tpu[0]
        raise AutosplitError(
            f"{op.op_type} {op.identity!r} is pinned to the TPU, and its sub-model cannot hold it: "
            f"{reasons[op.identity].text.data}; leave the pin out"
        )
    name, reason = next(iter(reasons.items()))
    raise AutosplitError(
        f"{name!r} does not convert in its sub-model: {reason.text.data}; pin what feeds it to the CPU"
    )


@dataclass(frozen=True)
class DeviceConfirmPass(ModulePass):
    """Every TPU sub-model of a clustered model will convert for its chip, with its border as inputs.

    What a sub-model cannot hold leaves the TPU, with the reason in `device.refused`, and the model is
    clustered again. That ends, since no op comes back.
    """

    name = "device-confirm"

    target: str = DEFAULT_CHIP
    """The chip; see `autosplit/devices`."""
    dynamic: bool = False
    """Whether sizes may be smaller at run time than the types say, or unknown."""
    mode: str = "F32"
    """What the chip will compute in."""
    max_stages: int = 9
    """The largest number of sub-models."""
    probe: Probe | None = None
    """What else is asked about sub-models; given in Python."""

    gives: ConfirmedCut = field(default_factory=ConfirmedCut, init=False, repr=False, compare=False)
    """Where the sub-models go as they were cut."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = get_chip(self.target)
        check_mode(chip, self.mode)
        expect_before(op, self.name)
        recluster = DeviceClusterPass.as_planned(op, self.max_stages)
        while True:
            cut = op.clone()
            DeviceOutlinePass().apply(ctx, cut)
            confirmed = confirm(ctx, cut, chip, Sizes.of(self.dynamic), self.mode)
            refused = confirmed.refused
            if not refused and self.probe is not None:
                refused = self.probe(confirmed.lowered)
            if not refused:
                break
            demote(op, refused)
            recluster.apply(ctx, op)
        self.gives.give(op, confirmed)
