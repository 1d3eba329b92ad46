"""measure-shapes: the sizes that only running the model tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.platform import platform_graph, static_shape, value_name
from autosplit.flows.splitting.custom_sizes import with_custom_sizes
from autosplit.flows.splitting.given_inputs import check_outputs
from autosplit.flows.splitting.inference import check_elements, settle_operands
from autosplit.flows.splitting.job import JobPass
from autosplit.flows.splitting.measuring import measure_open
from autosplit.flows.splitting.model_pictures import Pictures
from autosplit.flows.splitting.varying_promises import check_varying_promises
from autosplit.folder.infos_writer import measured_attr
from autosplit.lowering.device.notes import note, work_attr
from autosplit.lowering.infer_shapes import lowered_copy
from autosplit.lowering.shared.handover import LoweredCopy
from autosplit.platforms import Measured


@dataclass(frozen=True)
class MeasureShapesPass(JobPass):
    """Values whose sizes inference does not know have those that a run of the model in its framework tells.

    Sizes that depend on the data stay unknown in the types. What else the run told, and what the model does
    to its pictures, is noted in `device.notes`. Where sizes follow from those of the inputs, or where
    these vary, nothing is run.
    """

    name = "measure-shapes"

    takes: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where a copy comes from that `infer-shapes` has lowered already."""
    gives: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where the copy goes."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        job = self.start(op)
        model, options = job.model, job.options
        lowered = self.takes.take(op) or lowered_copy(ctx, op)
        check_elements(model)
        lowered = settle_operands(model, options, lowered)
        if job.unprepared is not None:
            check_varying_promises(job.unprepared, model, options)
        pictures = Pictures.of(job.largest, lowered, options.preprocess, options.layout)
        inputs = pictures.read(job.largest, options.inputs, options.layout, options.note)
        job.options = options = replace(options, inputs=inputs)
        check_outputs(model)
        lowered = with_custom_sizes(model, options, lowered)
        measured = measure_open(model, options, lowered)
        if measured is not None:
            # A run in which nothing was multiplied says so, too.
            if measured.work is not None:
                note(op, {"work": work_attr(measured.work)})
            if still_open := open_values(op, measured.values):
                note(op, {"tensors": measured_attr(still_open)})
        note(op, pictures.plan_entries())
        self.gives.give(op, lowered)


def open_values(module: ModuleOp, measured: Mapping[str, Measured]) -> dict[str, Measured]:
    """Of what was measured, that which the types leave open."""
    types = {value_name(r): r.type for op in platform_graph(module).body_ops() for r in op.results}
    return {n: m for n, m in measured.items() if n in types and static_shape(types[n]) is None}
