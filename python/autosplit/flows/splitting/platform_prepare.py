"""platform-prepare: the inputs and outputs of a model, as they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.dialects.platform import platform_graph
from autosplit.flows.splitting.custom_sizes import with_promised_dtypes
from autosplit.flows.splitting.given_inputs import check_sizes, has_open_inputs, open_shapes
from autosplit.flows.splitting.inference import check_elements
from autosplit.flows.splitting.job import SplitJob, start_job
from autosplit.lowering.shared.order import expect_before


@dataclass(frozen=True)
class PlatformPreparePass(ModulePass):
    """The graph has the inputs and outputs that are asked for, of the given shapes, and nothing beside them.

    Calls of TensorFlow functions are inlined as `tf-inline-calls` does.

    Example: `platform-prepare{inputs="image=1x3x224x224","size=1x2" outputs="boxes"}`
    """

    name = "platform-prepare"

    inputs: tuple[str, ...] = ()
    """Shapes of inputs, as `NAME=1x3x224x224`, each in quotes. Tensors inside of the model can be inputs."""
    outputs: tuple[str, ...] = ()
    """The tensors that are wanted; by default the model's own outputs."""
    dynamic: bool = False
    """Whether sizes may be smaller at run time: those given as `..N`, or else all that the model leaves
    open."""
    shapes: tuple[str, ...] = ()
    """Promises, see `promise-shapes`; those of inputs are taken as if `inputs` said them."""
    job: SplitJob | None = None
    """What else is known; given in Python."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        job = start_job(
            self.job,
            self,
            op,
            self.inputs,
            dynamic=self.dynamic,
            shapes=self.shapes,
            outputs=self.outputs,
            prepared=False,
        )
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
        if not job.is_given:
            return
        job.settle()
        check_sizes(job.largest)
        if not has_open_inputs(model):
            job.largest = model
        check_elements(model)
        with_promised_dtypes(model, job.options)
