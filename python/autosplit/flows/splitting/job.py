"""A split while it goes on: what its passes know beside the IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

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
from autosplit.inputs.options import parse_input, parse_shapes
from autosplit.inputs.value_inputs import whole_inputs
from autosplit.lowering.shared.order import expect_before
from autosplit.platforms import Model, platform_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass


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

    @classmethod
    def of(cls, model: Model, options: SplitOptions) -> SplitJob:
        """A job whose options say of each input what they say of it in some place."""
        options = with_shapes(model, options)
        inputs = whole_inputs(model, options.inputs)
        inputs = sized(model, inputs, options.preprocess, options.layout)
        return cls(model, replace(options, inputs=with_scalars(model, inputs)), model)

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


def start_job(
    given: SplitJob | None,
    step: ModulePass,
    module: ModuleOp,
    inputs: Sequence[str] = (),
    *,
    dynamic: bool = False,
    layout: str = "",
    shapes: Sequence[str] = (),
    outputs: Sequence[str] = (),
    prepared: bool = True,
) -> SplitJob:
    """The job that a pass works on: the one that it was given, or what its own options say of the IR.

    `prepared`: whether `platform-prepare` has prepared the model. Raises PassFailedException for IR of a
    later stage; who gives a job runs the passes in their order.
    """
    if given is not None:
        return given
    expect_before(module, step.name)
    model = Model(module, store_for(module), platform_of(module))
    options = SplitOptions(
        model.store.path or Path("model"),
        inputs=dict(map(parse_input, inputs)),
        outputs=outputs,
        layout=layout or None,
        dynamic=dynamic,
        shapes=parse_shapes(shapes),
    )
    job = SplitJob.of(model, options)
    job.is_given = False
    if prepared:
        job.settle()
        job.enlarge()
    return job
