"""platform-prepare: the inputs and outputs of a model, as they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.platform import platform_graph
from autosplit.flows.splitting.custom_sizes import with_promised_dtypes
from autosplit.flows.splitting.given_inputs import check_sizes, has_open_inputs, open_shapes
from autosplit.flows.splitting.inference import check_elements
from autosplit.flows.splitting.job import JobPass, SplitJob
from autosplit.inputs.fixed import parse_fixed, plan_entry
from autosplit.lowering.device.notes import note
from autosplit.lowering.shared.order import expect_before


@dataclass(frozen=True)
class PlatformPreparePass(JobPass):
    """The graph has the inputs and outputs that are asked for, of the given shapes, and nothing beside them.

    Tensors inside of the model can be inputs. Calls of TensorFlow functions are inlined as `tf-inline-calls`
    does. Inputs that are fixed are constants, and `device.notes` remembers their values.

    Example: `platform-prepare{inputs="image=1x3x224x224","size=1x2" outputs="boxes"}`
    """

    name = "platform-prepare"

    outputs: tuple[str, ...] = ()
    """The tensors that are wanted; by default the model's own outputs."""
    fix: tuple[str, ...] = ()
    """Inputs that become constants, as `NAME=VALUE`, a number, true, false or a .npy file, each in quotes."""
    open: bool = False
    """Whether sizes of inputs that nobody gives may stay open, though none vary."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        job = self.job or self._job_of_options(op)
        job.join()
        model, options = job.model, job.options
        if not platform_graph(op).name.startswith("onnx."):
            expect_before(op, self.name, {"onnx": "convert-to-onnx"})
        shapes = {name: spec.shape for name, spec in options.inputs.items()}
        outputs = list(options.outputs)
        if options.dynamic:
            if options.shapes:
                job.unprepared = replace(model, module=op.clone())
            job.largest = replace(model, module=op.clone())
            model.platform.prepare(job.largest, shapes, outputs)
            shapes = open_shapes(model, shapes, options.inputs)
        model.platform.prepare(model, shapes, outputs)
        note(op, plan_entry(model.fixed))
        if not job.is_given:
            return
        job.settle()
        if self.open:
            return
        check_sizes(job.largest)
        if not has_open_inputs(model):
            job.largest = model
        check_elements(model)
        with_promised_dtypes(model, job.options)

    def _job_of_options(self, module: ModuleOp) -> SplitJob:
        job = self.own_job(module)
        fixed = parse_fixed(self.fix)
        job.options = replace(job.options, outputs=self.outputs, fixed=fixed)
        return job
