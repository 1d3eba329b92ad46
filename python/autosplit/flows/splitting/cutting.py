"""Placing, clustering and outlining a model until its TPU sub-models convert, and what the plan records."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.splitting.measuring import measure
from autosplit.flows.splitting.options import SplitOptions
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.dialects.device import ReasonAttr
    from autosplit.flows.splitting.model_pictures import Pictures
    from autosplit.lowering.device.confirmed import Confirmed
    from autosplit.platforms import Measured, Model


def cut(
    model: Model,
    chip: Chip,
    options: SplitOptions,
    lowered: ModuleOp,
    largest: Model,
    executed: Mapping[str, int] | None = None,
) -> tuple[ModuleOp, Confirmed]:
    """Places, clusters and outlines; what a cut-out TPU sub-model cannot hold leaves the TPU, and again.

    Returns the outlined module, and what became of its TPU sub-models. `lowered`: the copy that
    `infer` made; it is used up. `largest`: the model with the largest sizes; `model` itself where sizes do
    not vary. `executed`: what the nodes computed in a run.

    It ends: in each round at least one op leaves the TPU, and none comes back.
    """
    from autosplit.lowering.device.cluster import DeviceClusterPass
    from autosplit.lowering.device.confirm import DeviceConfirmPass
    from autosplit.lowering.device.confirmed import ConfirmedCut
    from autosplit.lowering.device.place import place

    ctx = make_context()
    options.progress(f"asking the {chip.name} about each op")
    pins = list(options.pins)
    place(ctx, model.module, chip, options.dynamic, pins, lowered, options.mode, executed)
    if largest is not model:
        weigh(ctx, model, largest, chip, options)
    options.progress("choosing the sub-models")
    DeviceClusterPass(keep=float(options.keep), target=chip.name).apply(ctx, model.module)
    options.progress("confirming the TPU sub-models")
    ask = partial(probe, chip=chip, options=options) if options.probe else None
    confirm = DeviceConfirmPass(chip.name, options.dynamic, options.mode, probe=ask)
    taken = ConfirmedCut()
    confirm.gives.connect(taken)
    try:
        confirm.apply(ctx, model.module)
    except AutosplitError as error:
        raise AutosplitError(f"{model.path}: {error}") from error
    found = taken.take(model.module)
    assert found is not None
    found.outlined.verify()
    return found.outlined, found


def probe(
    lowered: Mapping[str, ModuleOp], chip: Chip, options: SplitOptions
) -> dict[str, ReasonAttr]:
    """The nodes of TPU sub-models whose ops fail on the chip's emulator, with the reasons.

    Raises AutosplitError where the tool chain is missing.
    """
    from autosplit.dialects.platform import location_names
    from autosplit.probe.model import probe_module

    options.progress(f"trying the ops on the emulator of the {chip.name}")
    # One-op models are not calibrated.
    mode = "F32" if options.mode == "INT8" else options.mode
    return {
        name: reason
        for module in lowered.values()
        for op, reason in probe_module(module, chip, mode, progress=options.progress).items()
        for name in location_names(op.location)
    }


def weigh(ctx: Context, model: Model, largest: Model, chip: Chip, options: SplitOptions) -> None:
    """Notes on a placed dynamic model how much its ops compute at the largest sizes."""
    from autosplit.dialects.platform import PlatformOp, platform_graph
    from autosplit.lowering.device.place import annotate_work, capability
    from autosplit.lowering.device.work import open_work
    from autosplit.lowering.infer_shapes.promises import infer_promised

    lowered = infer_promised(ctx, largest.module, options.shapes)
    executed: Mapping[str, int] | None = None
    if open_work(lowered):
        options.progress("measuring what the ops compute")
        # Where the model does not run, the plan says that it is not known.
        with suppress(AutosplitError):
            executed = measure(largest, options, [], work=True).work
    found = capability(ctx, largest.module, chip, True, lowered, executed=executed)
    for op in platform_graph(model.module).body_ops():
        if isinstance(op, PlatformOp) and "device.accepts" in op.attributes:
            annotate_work(op, found)


def check_fallback(module: ModuleOp, options: SplitOptions) -> None:
    """With `--on-fallback error`: raises where an op runs on the CPU that nobody pinned there."""
    from autosplit.dialects.device import FuncOp, reason_of
    from autosplit.dialects.platform import PlatformOp

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


def original_names(module: ModuleOp, model: Model) -> dict[str, str]:
    """What the model calls the border tensors that outlining gave a name of their own."""
    from xdsl.ir import Operation

    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.platform import platform_graph, value_name

    own = {value_name(r) for op in platform_graph(model.module).body_ops() for r in op.results}
    return {
        name: value_name(value.owner.operands[0])
        for func in module.body.ops
        if isinstance(func, FuncOp)
        for name, value in func.outputs
        if name not in own and isinstance(value.owner, Operation) and len(value.owner.operands) == 1
    }


def record(
    module: ModuleOp,
    model: Model,
    measured: Mapping[str, Measured],
    options: SplitOptions,
    confirmed: Confirmed,
    pictures: Pictures,
) -> None:
    """Completes `device.plan`: layout, mode, sizes of border tensors, what is changed of them for the TPU,
    and what becomes of pictures.

    Sizes that the types leave open, because they depend on the data or may vary, are measured on the given
    inputs.
    """
    from xdsl.dialects.builtin import (
        ArrayAttr,
        DenseArrayBase,
        DictionaryAttr,
        IntegerAttr,
        StringAttr,
        i1,
        i64,
    )

    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.platform import static_shape
    from autosplit.inputs.fixed import plan_entry as fixed_entry
    from autosplit.lowering.device.border_changes import border_changes, plan_entry
    from autosplit.lowering.infer_shapes.promises import promised_borders
    from autosplit.lowering.shared.types import measurable

    border = {
        name: value
        for func in module.body.ops
        if isinstance(func, FuncOp)
        for name, value in [*func.inputs, *func.outputs]
    }
    unknown = [
        name
        for name, value in border.items()
        if static_shape(value.type) is None and measurable(value.type)
    ]
    renamed = original_names(module, model) if unknown else {}
    originals = {name: renamed.get(name, name) for name in unknown}
    found = dict(measured)
    if missing := [n for n in dict.fromkeys(originals.values()) if n not in found]:
        options.progress("measuring shapes in the framework")
        found |= measure(model, options, missing).values
    tensors = {
        name: DictionaryAttr(
            {
                "shape": DenseArrayBase.from_list(i64, list(found[original].shape)),
                "dtype": StringAttr(found[original].dtype),
            }
        )
        for name, original in originals.items()
        if original in found
    }
    plan = module.attributes["device.plan"]
    assert isinstance(plan, DictionaryAttr)
    varying = ArrayAttr([StringAttr(name) for name in sorted(confirmed.varying)])
    promised = ArrayAttr([StringAttr(name) for name in promised_borders(module)])
    module.attributes["device.plan"] = DictionaryAttr(
        {
            **plan.data,
            **({"varying": varying} if options.dynamic else {}),
            "layout": StringAttr(options.layout or model.platform.default_layout),
            "dynamic": IntegerAttr(int(options.dynamic), i1),
            "mode": StringAttr(options.mode),
            "tensors": DictionaryAttr(tensors),
            **({"promised": promised} if promised.data else {}),
            "changes": plan_entry(
                {graph: border_changes(m) for graph, m in confirmed.lowered.items()}
            ),
            **pictures.plan_entries(),
            **fixed_entry(model.fixed),
        }
    )
