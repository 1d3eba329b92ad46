"""What `autosplit split` does, as a function: model file in, folder of sub-models out."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.devices import check_mode, get_chip
from autosplit.dialects.device import FuncOp, reason_of
from autosplit.dialects.platform import PlatformOp, location_names, platform_graph, shape_of
from autosplit.flows.splitting.given_inputs import check_fixed, check_varying, with_shapes
from autosplit.flows.splitting.job import SplitJob
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.batches import note_batches, place_of
from autosplit.folder.staging import check_destination, staged_folder, write_folder
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.device.confirmed import ConfirmedCut
from autosplit.lowering.device.outline import DeviceOutlinePass
from autosplit.lowering.pipelines import build_passes, with_options
from autosplit.lowering.shared.verified import verify
from autosplit.platforms import load_model, whole_files
from autosplit.portable.names import bare
from autosplit.probe.model import probe_module
from autosplit.registry import get_all_passes, make_context

if TYPE_CHECKING:
    from autosplit.core.weights import WeightStore
    from autosplit.devices import Chip
    from autosplit.dialects.device import ReasonAttr
    from autosplit.lowering.device.confirmed import Confirmed
    from autosplit.platforms import Model


@dataclass
class SplitResult:
    """A model that has been cut."""

    module: ModuleOp
    """The outlined module."""
    model: Model
    """Where it comes from; its own module is the same."""
    out: Path | None
    lowered: dict[str, ModuleOp] = field(default_factory=dict[str, ModuleOp])
    """Of a folder that is converted at once: TPU sub-models in canonical ONNX, by symbol."""

    @property
    def store(self) -> WeightStore:
        return self.model.store

    @property
    def plan(self) -> DictionaryAttr:
        plan = self.module.attributes["device.plan"]
        assert isinstance(plan, DictionaryAttr)
        return plan


@collector_paused()
def split_model(options: SplitOptions) -> SplitResult:
    """Imports, places, cuts and, where `options.out` is given, writes a model.

    Raises AutosplitError for whatever a user can mend; nothing is written then.
    """
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
        kept = [options.model, *options.custom_ops]
        destination = check_destination(options.out, force=options.force, keep=kept)
    options.progress("reading the model")
    model = load_model(options.model, options.platform, options.custom_ops, options.params)
    check_fixed(options)
    job = SplitJob(model, options, model)
    confirmed = lower(job, chip)
    module = model.module
    check_fallback(module, options)
    if destination is not None:
        options.progress("writing the sub-models")
        write_folder(
            module,
            model.store,
            model.platform,
            destination,
            force=options.force,
            lowered=confirmed.lowered,
            custom_ops=options.custom_ops,
            keep=[options.model],
            source=whole_files(model.platform, options.model, options.params),
            has_sources=not options.is_converted,
        )
    lowered = dict(confirmed.lowered) if options.is_converted else {}
    return SplitResult(module, model, options.out, lowered)


def lower(job: SplitJob, chip: Chip) -> Confirmed:
    """Runs the pipeline `split` on a model, in place; returns what became of its TPU sub-models.

    Raises AutosplitError if a pass refuses the model.
    """
    options, module = job.options, job.model.module
    passes = with_options(
        build_passes("split", get_all_passes()),
        {
            "target": chip.name,
            "mode": options.mode,
            "dynamic": bool(options.dynamic),
            "layout": options.layout or "",
            "keep": float(options.keep),
            "pins": tuple(f"{pattern}={device}" for pattern, device in options.pins),
            "shapes": tuple(f"{n}={','.join(map(str, s))}" for n, s in options.shapes.items()),
            "probe": partial(probe, chip=chip, options=options) if options.probe else None,
            "job": job,
        },
    )
    taken = ConfirmedCut()
    for last in passes:
        if isinstance(last, DeviceOutlinePass):
            last.gives.connect(taken)
    ctx, words = make_context(), steps_of(chip)
    for step in passes:
        if (word := words.get(step.name)) is not None:
            options.progress(word)
        try:
            step.apply(ctx, module)
        except AutosplitError as error:
            if step.name not in NAMELESS:
                raise
            raise AutosplitError(f"{options.model}: {error}") from error
        except PassFailedException as error:
            # Pins that match nothing, or that no device takes.
            raise AutosplitError(str(error)) from error
        if options.show is not None:
            options.show(step, module)
    try:
        verify(module)
    except AutosplitError as error:
        raise AutosplitError(f"{options.model}: {error}") from error
    confirmed = taken.take(module)
    assert confirmed is not None
    return confirmed


NAMELESS = frozenset({"device-confirm", "infer-shapes", "promise-shapes"})
"""The passes whose errors do not say which model they speak of."""


def steps_of(chip: Chip) -> dict[str, str]:
    """What the user is told of the passes that take a while."""
    return {
        "infer-shapes": "inferring shapes",
        "device-place": f"asking the {chip.name} about each op",
        "device-cluster": "choosing the sub-models",
        "device-confirm": "confirming the TPU sub-models",
    }


def probe(
    lowered: Mapping[str, ModuleOp], chip: Chip, options: SplitOptions
) -> dict[str, ReasonAttr]:
    """The nodes of TPU sub-models whose ops fail on the chip's emulator, with the reasons.

    Raises AutosplitError if the tool chain is missing.
    """
    options.progress(f"trying the ops on the emulator of the {chip.name}")
    # One-op models are not calibrated.
    mode = "F32" if options.mode == "INT8" else options.mode
    return {
        name: reason
        for module in lowered.values()
        for op, reason in probe_module(module, chip, mode, progress=options.progress).items()
        for name in location_names(op.location)
    }


def check_fallback(module: ModuleOp, options: SplitOptions) -> None:
    """With `--on-fallback error`: raises if an op runs on the CPU that nobody pinned there."""
    if options.on_fallback != "error":
        return
    for func in module.body.ops:
        if not isinstance(func, FuncOp) or func.target.kind.data != "cpu":
            continue
        for op in func.body.block.ops:
            reason = reason_of(op)
            if isinstance(op, PlatformOp) and reason is not None and reason.code.data != "pinned":
                raise AutosplitError(
                    f"{op.op_type} {op.identity!r} falls back to the CPU: {reason.text.data}; "
                    f"pin it there if that is wanted, or leave out --on-fallback error"
                )


def split_batches(options: SplitOptions) -> SplitResult:
    """What `split_model` does, for each of `options.batches` where there are some.

    The result is that of the first number. Raises AutosplitError if a model does not take several samples,
    or its outputs do not tell them apart; nothing is written then.
    """
    if not options.batches:
        return split_model(options)
    first, *more = sizes = [*options.batches]
    if min(sizes) < 1 or len({*sizes}) < len(sizes):
        text = ",".join(map(str, sizes))
        raise AutosplitError(f"--batches {text}: expected different numbers from 1")
    if options.dynamic:
        raise AutosplitError(
            "--batches: with --dynamic one network takes all sizes up to the largest; leave one of them out"
        )
    if options.out is None:
        raise AutosplitError("--batches: is for a folder that is written; give --out")
    model = load_model(options.model, options.platform, options.custom_ops, options.params)
    shaped = with_shapes(model, options)
    # Only a second number shows which sizes are the number of samples.
    tried = [] if more else [first + 1]
    inputs = {size: sized(model, shaped, size) for size in (*sizes, *tried)}
    kept = [options.model, *options.custom_ops]
    destination = check_destination(options.out, force=options.force, keep=kept)
    single = replace(shaped, batches=(), force=False)
    with staged_folder(destination) as staging:
        result = split_model(replace(single, inputs=inputs[first], out=staging))
        for size in (*more, *tried):
            place = staging / place_of(size)
            split_model(replace(single, inputs=inputs[size], out=place, note=_unsaid))
        note_batches(staging, sizes, tried)
        for size in tried:
            shutil.rmtree(staging / place_of(size))
    return replace(result, out=options.out)


def sized(model: Model, options: SplitOptions, size: int) -> dict[str, InputSpec]:
    """What is said of the inputs, with so many samples where the model leaves the first size open."""
    own = {bare(name): spec for name, spec in options.inputs.items()}
    specs: dict[str, InputSpec] = {}
    for name, value in platform_graph(model.module).graph_inputs():
        spec = own.pop(bare(name), None)
        declared = shape_of(value.type)
        shape = declared if spec is None or spec.shape is None else spec.shape
        is_open = declared is None or (declared != () and declared[0] < 0)
        if not shape or not is_open:
            specs |= {} if spec is None else {name: spec}
            continue
        base = spec or InputSpec()
        if base.array is not None or base.picture is not None:
            raise AutosplitError(f"--batches: input {name!r} is an array; give its shape")
        specs[name] = replace(base, shape=(size, *(max(d, -1) for d in shape[1:])))
    if not any(_is_sized(spec, size) for spec in specs.values()):
        raise AutosplitError(
            f"{options.model}: no input leaves its first size, the number of samples, open; export the model "
            "with an open batch, or leave out --batches"
        )
    return {**specs, **own}


def _unsaid(_: str) -> None:
    """In place of a `note`: all notes were made for the first number."""


def _is_sized(spec: InputSpec, size: int) -> bool:
    return spec.shape is not None and spec.shape[:1] == (size,)
