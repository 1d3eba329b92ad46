"""A model on its way through passes: what these know beside the IR."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from xdsl.passes import ModulePass

from autosplit.core.weights import store_for
from autosplit.flows.splitting.given_inputs import (
    cast_inputs,
    check_sizes,
    has_open_inputs,
    with_scalars,
    with_shapes,
)
from autosplit.flows.splitting.model_pictures import sized
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.custom_ops import libraries
from autosplit.inputs.fixed import fix_inputs
from autosplit.inputs.options import parse_input, parse_shapes
from autosplit.inputs.preprocess import parse_options
from autosplit.inputs.value_inputs import whole_inputs
from autosplit.lowering.shared.order import expect_before
from autosplit.platforms import Model, platform_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


@dataclass
class SplitJob:
    """A model and what is said of it; a flow hands its own to the passes, which else make one of the IR."""

    model: Model
    options: SplitOptions
    largest: Model
    """The model with the largest sizes; `model` itself where none vary."""
    unprepared: Model | None = None
    """The model as it was read, where promises are to be checked at other sizes."""
    is_given: bool = True

    def join(self) -> None:
        """Makes fixed inputs constants; then the options say of each input what they say in some place."""
        fix_inputs(self.model, self.options.fixed)
        options = with_shapes(self.model, self.options)
        inputs = whole_inputs(self.model, options.inputs)
        inputs = sized(self.model, inputs, options.preprocess, options.layout)
        self.options = replace(options, inputs=with_scalars(self.model, inputs))

    def settle(self) -> None:
        """Takes what is given to the types of the model that has been prepared."""
        inputs = whole_inputs(self.model, self.options.inputs)
        self.options = replace(self.options, inputs=cast_inputs(self.model, inputs))

    def enlarge(self) -> None:
        """Finds the model of the largest sizes."""
        self.largest = self.model
        if self.options.dynamic and has_open_inputs(self.model):
            self.largest = replace(self.model, module=self.model.module.clone())
            shapes = {name: spec.shape for name, spec in self.options.inputs.items()}
            self.largest.platform.prepare(self.largest, shapes, [])
        check_sizes(self.largest)


@dataclass(frozen=True)
class JobPass(ModulePass):
    """A pass that prepares a model or runs it in its framework, with what is known of it beside the IR."""

    inputs: tuple[str, ...] = ()
    """What is given for inputs, as for `--input`: shapes, the largest ones where sizes vary, as in
    `NAME=1x3x224x224`, or `NAME=file.npy`, each in quotes. A run takes random values for the others, always
    the same."""
    shapes: tuple[str, ...] = ()
    """Promises, see `promise-shapes`; those of inputs are taken as if `inputs` said them."""
    dynamic: bool = False
    """Whether sizes may be smaller at run time: those given as `..N`, or else all that the model leaves
    open."""
    layout: Literal["", "NCHW", "NHWC"] = ""
    """The layout of pictures; by default the framework's."""
    preprocess: tuple[str, ...] = ()
    """What becomes of pictures, as for `--preprocess`, each in quotes."""
    custom_ops: tuple[str, ...] = ()
    """Libraries of ops that the framework does not have, each in quotes."""
    job: SplitJob | None = None
    """What else is known; given in Python."""

    def start(self, module: ModuleOp, *, runs: bool = True) -> SplitJob:
        """The job that was given, or else what the options say of a prepared model.

        `runs`: whether the model may be run, so that the sizes of its inputs must be known.
        Raises PassFailedException for IR of a later stage; who gives a job runs the passes in their order.
        """
        if self.job is not None:
            return self.job
        job = self.own_job(module)
        job.join()
        job.settle()
        if runs:
            job.enlarge()
        return job

    def own_job(self, module: ModuleOp) -> SplitJob:
        """What the options say of the IR."""
        expect_before(module, self.name)
        model = Model(module, store_for(module), platform_of(module))
        model.custom_ops = libraries(self.custom_ops)
        options = SplitOptions(
            model.store.path or Path("model"),
            inputs=dict(map(parse_input, self.inputs)),
            layout=self.layout or None,
            dynamic=self.dynamic,
            shapes=parse_shapes(self.shapes),
            preprocess=parse_options(self.preprocess),
            custom_ops=model.custom_ops,
        )
        return SplitJob(model, options, model, is_given=False)
