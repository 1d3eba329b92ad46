"""device-record: what a plan says beside its sub-models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

from autosplit.devices import DEFAULT_CHIP, check_mode, get_chip
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import platform_graph, static_shape, value_name
from autosplit.flows.splitting.job import JobPass, SplitJob
from autosplit.flows.splitting.measuring import measure
from autosplit.folder.infos_writer import measured_attr, planned_measurements
from autosplit.lowering.device.border_changes import border_changes, plan_entry
from autosplit.lowering.device.cluster import plan_of
from autosplit.lowering.device.confirm import confirm
from autosplit.lowering.device.confirmed import Confirmed, ConfirmedCut
from autosplit.lowering.device.notes import take_notes
from autosplit.lowering.device.outline import DeviceOutlinePass
from autosplit.lowering.infer_shapes.promises import promised_borders
from autosplit.lowering.shared.types import measurable
from autosplit.lowering.submodel.sizes import Sizes


@dataclass(frozen=True)
class DeviceRecordPass(JobPass):
    """`device.plan` is complete: layout, mode, whether sizes vary, and what there is at the borders.

    At the borders: `tensors`, the sizes that a run on the inputs tells and the types leave open, `promised`
    ones, and the `changes` of values for the TPU. What `device.notes` says of pictures and of fixed inputs
    moves into the plan.
    """

    name = "device-record"

    target: str = DEFAULT_CHIP
    """The chip; see `autosplit/devices`."""
    mode: str = "F32"
    """What the chip will compute in."""

    takes: ConfirmedCut = field(default_factory=ConfirmedCut, init=False, repr=False, compare=False)
    """Where the sub-models come from that `device-confirm` has cut out already."""
    gives: ConfirmedCut = field(default_factory=ConfirmedCut, init=False, repr=False, compare=False)
    """Where they go."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_mode(get_chip(self.target), self.mode)
        job = self.start(op)
        plan = plan_of(op)
        confirmed = self.takes.take(op) or self._cut(ctx, op)
        notes = take_notes(op)
        notes.pop("work", None)
        tensors = border_sizes(job, confirmed.outlined, notes)
        notes.pop("tensors", None)
        varying = ArrayAttr([StringAttr(name) for name in sorted(confirmed.varying)])
        promised = ArrayAttr([StringAttr(name) for name in promised_borders(confirmed.outlined)])
        op.attributes["device.plan"] = DictionaryAttr(
            {
                **plan,
                **({"varying": varying} if self.dynamic else {}),
                "layout": StringAttr(self.layout or job.model.platform.default_layout),
                "dynamic": IntegerAttr(int(self.dynamic), i1),
                "mode": StringAttr(self.mode),
                "tensors": tensors,
                **({"promised": promised} if promised.data else {}),
                "changes": plan_entry(
                    {graph: border_changes(m) for graph, m in confirmed.lowered.items()}
                ),
                **notes,
            }
        )
        self.gives.give(op, confirmed)

    def _cut(self, ctx: Context, module: ModuleOp) -> Confirmed:
        """The sub-models of a clustered model, in a copy of it."""
        cut = module.clone()
        DeviceOutlinePass().apply(ctx, cut)
        return confirm(ctx, cut, get_chip(self.target), Sizes.of(self.dynamic), self.mode)


def border_sizes(
    job: SplitJob, outlined: ModuleOp, notes: Mapping[str, Attribute]
) -> DictionaryAttr:
    """The sizes of border tensors that the types leave open, because they depend on the data or may vary.

    What `notes` does not have is measured on the given inputs.
    """
    border = {
        name: value
        for func in outlined.body.ops
        if isinstance(func, FuncOp)
        for name, value in [*func.inputs, *func.outputs]
    }
    unknown = {
        name: value
        for name, value in border.items()
        if static_shape(value.type) is None and measurable(value.type)
    }
    renamed = original_names(outlined, job.model.module) if unknown else {}
    originals = {name: renamed.get(name, name) for name in unknown}
    measurements = planned_measurements(notes)
    if missing := [n for n in dict.fromkeys(originals.values()) if n not in measurements]:
        job.options.progress("measuring shapes in the framework")
        measurements |= measure(job.largest, job.options, missing).values
    return measured_attr(
        {n: measurements[own] for n, own in originals.items() if own in measurements}
    )


def original_names(outlined: ModuleOp, module: ModuleOp) -> dict[str, str]:
    """What the model calls the border tensors that outlining gave a name of their own."""
    own = {value_name(r) for op in platform_graph(module).body_ops() for r in op.results}

    def is_carrier(name: str, value: SSAValue) -> bool:
        maker = value.owner
        return name not in own and isinstance(maker, Operation) and len(maker.operands) == 1

    return {
        name: value_name(value.owner.operands[0])
        for func in outlined.body.ops
        if isinstance(func, FuncOp)
        for name, value in func.outputs
        if is_carrier(name, value) and isinstance(value.owner, Operation)
    }
