"""What `autosplit split` does, as a function: model file in, folder of sub-models out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.devices import check_mode, get_chip
from autosplit.flows.splitting.cutting import check_fallback, cut, record
from autosplit.flows.splitting.given_inputs import (
    cast_inputs,
    check_fixed,
    check_outputs,
    check_sizes,
    check_varying,
    has_open_inputs,
    open_shapes,
    with_scalars,
    with_shapes,
)
from autosplit.flows.splitting.inference import infer
from autosplit.flows.splitting.measuring import measure_open
from autosplit.flows.splitting.options import SplitOptions

if TYPE_CHECKING:
    from xdsl.dialects.builtin import DictionaryAttr, ModuleOp

    from autosplit.core.weights import WeightStore
    from autosplit.platforms import Model


@dataclass
class SplitResult:
    """A model that has been cut."""

    module: ModuleOp
    """The outlined module."""
    model: Model
    out: Path | None

    @property
    def store(self) -> WeightStore:
        return self.model.store

    @property
    def plan(self) -> DictionaryAttr:
        from xdsl.dialects.builtin import DictionaryAttr

        plan = self.module.attributes["device.plan"]
        assert isinstance(plan, DictionaryAttr)
        return plan


@collector_paused()
def split_model(options: SplitOptions) -> SplitResult:
    """Imports, places, cuts and, where `options.out` is given, writes a model.

    Raises AutosplitError for whatever a user can mend; nothing is written then.
    """
    from xdsl.utils.exceptions import PassFailedException

    from autosplit.flows.splitting.custom_sizes import with_custom_sizes
    from autosplit.flows.splitting.model_pictures import Pictures, sized
    from autosplit.flows.splitting.varying_promises import check_varying_promises
    from autosplit.inputs.fixed import fix_inputs
    from autosplit.inputs.value_inputs import whole_inputs
    from autosplit.platforms import load_model

    chip = get_chip(options.target)
    check_mode(chip, options.mode)
    if not 0.0 <= options.keep <= 1.0:
        raise AutosplitError(f"--keep {options.keep}: expected a share from 0 to 1")
    check_varying(options)
    if options.probe and options.dynamic:
        raise AutosplitError(
            "--probe: ops are tried at fixed sizes; leave out --dynamic, or --probe"
        )
    destination = None
    if options.out is not None:
        from autosplit.folder.staging import check_destination

        kept = [options.model, *options.custom_ops]
        destination = check_destination(options.out, force=options.force, keep=kept)
    options.progress("reading the model")
    model = load_model(options.model, options.platform, options.custom_ops)
    check_fixed(options)
    fix_inputs(model, options.fixed)
    options = with_shapes(model, options)
    inputs = whole_inputs(model, options.inputs)
    inputs = sized(model, inputs, options.preprocess, options.layout)
    options = replace(options, inputs=with_scalars(model, inputs))
    shapes = {name: spec.shape for name, spec in options.inputs.items()}
    largest, unprepared = model, None
    if options.dynamic:
        if options.shapes:
            unprepared = replace(model, module=model.module.clone())
        largest = replace(model, module=model.module.clone())
        largest.platform.prepare(largest, shapes, list(options.outputs))
        shapes = open_shapes(model, shapes, options.inputs)
    model.platform.prepare(model, shapes, list(options.outputs))
    # Of values inside of the model some types are known only now.
    inputs = whole_inputs(model, options.inputs)
    options = replace(options, inputs=cast_inputs(model, inputs))
    check_sizes(largest)
    if not has_open_inputs(model):
        largest = model
    lowered = infer(model, options)
    if unprepared is not None:
        check_varying_promises(unprepared, model, options)
    pictures = Pictures.of(largest, lowered, options.preprocess, options.layout)
    inputs = pictures.read(largest, options.inputs, options.layout, options.note)
    options = replace(options, inputs=inputs)
    check_outputs(model)
    lowered = with_custom_sizes(model, options, lowered)
    measured = measure_open(model, options, lowered)
    try:
        module, found = cut(model, chip, options, lowered, largest, measured.work)
    except PassFailedException as error:
        # Pins that match nothing, or that no device takes.
        raise AutosplitError(str(error)) from error
    check_fallback(module, options)
    record(module, largest, measured.values, options, found, pictures)
    if destination is not None:
        from autosplit.folder.staging import write_folder

        options.progress("writing the sub-models")
        write_folder(
            module,
            model.store,
            model.platform,
            destination,
            force=options.force,
            lowered=found.lowered,
            custom_ops=options.custom_ops,
        )
    return SplitResult(module, model, options.out)
