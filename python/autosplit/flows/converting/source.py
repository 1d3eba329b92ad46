"""The folder that is compiled: what is asked of it is checked, and its sub-models are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError, choice, nearest
from autosplit.core.units import counted
from autosplit.devices import DEFAULT_CHIP, all_chips, check_mode, get_chip
from autosplit.devices.builds import check_build
from autosplit.flows.converting.options import (
    COMPILERS,
    UNSET_TARGET,
    ConvertOptions,
)
from autosplit.folder.infos_reader import FILE_NAME, PLAN_NAME, GraphEntry, GraphInfos, context_dir
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.dialects.device import FuncOp
    from autosplit.lowering.submodel.sizes import Sizes


def check_options(options: ConvertOptions) -> None:
    """Raises for options that no folder takes."""
    if options.compiler not in COMPILERS:
        raise AutosplitError(
            f"compiler {options.compiler!r} is unknown{nearest(options.compiler, list(COMPILERS))}; "
            f"expected one of {', '.join(COMPILERS)}"
        )
    modes = list(dict.fromkeys(mode for chip in all_chips() for mode in chip.modes))
    if options.mode not in modes:
        raise AutosplitError(
            f"mode {options.mode!r} is unknown{nearest(options.mode, modes)}; "
            f"expected one of {', '.join(modes)}"
        )
    levels = (1, 2) if options.compiler == "bmnet" else (1, 2, 3)
    if options.optimize is not None and options.optimize not in levels:
        raise AutosplitError(
            f"optimize is {options.optimize!r}, expected one of {', '.join(map(str, levels))}"
        )
    if options.table is not None and options.mode != "INT8":
        raise AutosplitError(
            f"--table {options.table}: has the ranges of INT8, the mode is {options.mode}"
        )
    if (options.quantize_table is not None or options.f32) and options.mode == "F32":
        raise AutosplitError("--quantize-table and --f32: in mode F32 all is computed in F32")
    _check_int8(options)
    has_ranges = bool(options.data) or options.table is not None
    if options.mode == "INT8" and not has_ranges and options.compiler != "bmnet":
        raise AutosplitError(
            "mode INT8 needs data to calibrate with: give some, as in --data photos/ or --data x=samples.npy"
        )
    if not options.compare and (options.tolerance or options.metric is not None):
        option = "--tolerance" if options.tolerance else "--metric"
        raise AutosplitError(f"{option}: is for comparing; give --compare too")
    if options.fuse_preprocess not in ("", "rgb", "bgr"):
        raise AutosplitError(
            f"--fuse-preprocess {options.fuse_preprocess}: expected rgb or bgr, the order of the channels"
        )
    _check_io(options)
    if options.samples < 1:
        raise AutosplitError(f"--samples {options.samples}: expected at least 1")
    if options.jobs is not None and options.jobs < 1:
        raise AutosplitError(f"--jobs {options.jobs}: expected at least 1")
    if not options.timeout > 0:
        raise AutosplitError(f"--timeout {options.timeout:g}: expected more than 0 seconds")


def _check_int8(options: ConvertOptions) -> None:
    """Raises AutosplitError for what is for INT8, in another mode or without samples."""
    if options.target_cosine:
        if options.mode != "INT8":
            raise AutosplitError(f"--target-cosine: is for INT8, the mode is {options.mode}")
        if not 0 < options.target_cosine < 1:
            raise AutosplitError(
                f"--target-cosine {options.target_cosine:g}: expected a number between 0 and 1"
            )
        if not options.data:
            raise AutosplitError("--target-cosine needs samples: give some, as in --data photos/")
    if options.correct_biases and (options.mode != "INT8" or not options.data):
        raise AutosplitError(
            "--correct-biases: is for INT8 with samples, as in --mode INT8 --data photos/"
        )
    if options.equalize is not None and options.mode != "INT8":
        raise AutosplitError(f"--equalize: is for INT8, the mode is {options.mode}")
    if options.calibrator and options.mode != "INT8":
        raise AutosplitError(
            f"calibrator {options.calibrator!r}: is for INT8, the mode is {options.mode}"
        )


def _check_io(options: ConvertOptions) -> None:
    if options.io not in ("", "int8"):
        raise AutosplitError(f"--io {options.io}: expected int8")
    if options.io and options.mode != "INT8":
        raise AutosplitError(
            f"--io int8: {options.mode} computes in real numbers, which have no steps; expected --mode INT8"
        )


def check_tolerance(options: ConvertOptions, graphs: Sequence[GraphEntry]) -> None:
    """Raises for a tolerance for what is no output of a TPU sub-model."""
    outputs = list(dict.fromkeys(name for graph in graphs for name in graph.outputs))
    for name in options.tolerance:
        if name not in outputs:
            raise AutosplitError(
                f"--tolerance {name}: no TPU sub-model has that output{choice(name, outputs)}"
            )


def wanted_graphs(infos: GraphInfos, only: Sequence[int] | None) -> list[GraphEntry]:
    """The TPU sub-models to compile. Raises for one whose bmodel would go to an unusual place."""
    wanted = [
        graph
        for graph in infos.graphs
        if graph.device == "tpu" and (only is None or graph.index in only)
    ]
    for graph in wanted:
        expected = context_dir(graph.index)
        place = infos.folder / expected
        if graph.context_dir != expected:
            raise AutosplitError(
                f"{infos.folder / FILE_NAME}: context_dir of graph {graph.index} is {graph.context_dir!r}, "
                f"expected {expected!r}"
            )
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            found_there = "a link" if place.is_symlink() else "a file"
            raise AutosplitError(f"{place}: is {found_there}, expected a folder; remove it")
    return wanted


def recorded_chip(infos: GraphInfos) -> str:
    """The chip that a folder was split for, in lower case; "" where it does not say."""
    own = infos.own.get("target")
    return own.lower() if isinstance(own, str) else ""


def choose_chip(infos: GraphInfos, options: ConvertOptions) -> Chip:
    """The chip to compile for: the given one, else the recorded one, else BM1684; says which it took."""
    text = "" if options.target is None else options.target.strip().lower()
    if text in ("", UNSET_TARGET.lower()):
        name = recorded_chip(infos) or DEFAULT_CHIP
        why = "which the folder was split for"
        if not recorded_chip(infos):
            why = "as neither --target nor the folder names one"
        chip = get_chip(name)
        options.note(f"target: {chip.vendor_name}, {why}")
    else:
        chip = get_chip(text)
        if recorded_chip(infos) not in ("", chip.name):
            options.note(
                f"target: {chip.vendor_name}, and the folder was split for {recorded_chip(infos).upper()}: "
                "what that one cannot run stays on the CPU; for a plan of its own split with "
                f"--target {chip.name}"
            )
    check_mode(chip, options.mode)
    check_build(chip, options.mode, options.build, options.more_builds)
    return chip


def check_unchanged(infos: GraphInfos) -> set[str]:
    """The files of which it is known that they are as they were split; raises if one is not."""
    names = [PLAN_NAME, *(name for graph in infos.graphs for name in graph.model_info.values())]
    return {name for name in names if infos.check_file(name)}


def sizes_of(infos: GraphInfos, options: ConvertOptions) -> Sizes:
    """Which sizes of a folder vary: in one of fixed sizes none, unless `--dynamic` asks for it."""
    from autosplit.lowering.submodel.sizes import Sizes

    if options.dynamic and not infos.dynamic:
        return Sizes.varying
    return Sizes.of(infos.dynamic)


def recheck(
    infos: GraphInfos,
    module: ModuleOp,
    chip: Chip,
    mode: str,
    sizes: Sizes,
    as_cut: dict[str, ModuleOp] | None = None,
) -> dict[str, ModuleOp]:
    """Raises, naming the ops, if the chip refuses some of the TPU sub-models.

    That can be where they were cut for another chip, or for another mode. Returns the sub-models in canonical
    ONNX, by symbol, as far as they had to be made for that; `as_cut`, those that cutting made, where that was
    for the same.
    """
    from autosplit.lowering.device.confirm import confirm
    from autosplit.lowering.device.place import CONSTANT_RESULT
    from autosplit.lowering.submodel.sizes import Sizes

    as_split = chip.name == recorded_chip(infos) and sizes is Sizes.of(infos.dynamic)
    # What F32 refuses, every mode does, but for the scales of a quantized model, which INT8 takes.
    if as_split and (mode == infos.mode or (mode == "F32" and infos.mode != "INT8")):
        return {} if as_cut is None else as_cut
    confirmed = confirm(make_context(), module, chip, sizes, mode)
    # What a bmodel cannot give, because it is always the same, is taken out of it.
    refused = {
        name: reason.text.data
        for name, reason in confirmed.refused.items()
        if reason.code.data != CONSTANT_RESULT
    }
    if not refused:
        return {} if sizes is Sizes.varying else confirmed.lowered
    name, reason = next(iter(refused.items()))
    more = ", ".join(repr(other) for other in list(refused)[1:5])
    more = f"; also {more}" + (", ..." if len(refused) > 5 else "") if more else ""
    before = f"was split for {recorded_chip(infos).upper()}; " if recorded_chip(infos) else ""
    again = f"--target {chip.name}" + (f" --mode {mode}" if mode != infos.mode else "")
    ops = counted(len(refused), "op")
    raise AutosplitError(
        f"{infos.folder}: {before}{chip.vendor_name} cannot run {ops} of its TPU sub-models, {name!r}: "
        f"{reason}{more}; split again with {again}"
    )


def read_sub_models(infos: GraphInfos) -> tuple[ModuleOp, list[FuncOp]]:
    """The outlined module of a folder and its sub-models in order."""
    from autosplit.folder.infos_writer import Outline
    from autosplit.folder.reader import read_graphs

    with collector_paused():
        module = read_graphs(infos)
    return module, list(Outline.of(module).graphs)


def largest_shapes(infos: GraphInfos) -> dict[str, tuple[int, ...]]:
    """The shapes of all tensors that are known, by name; the largest ones of a dynamic folder."""
    return {
        tensor.name: tensor.shape
        for tensor in infos.tensors.values()
        if tensor.shape is not None and -1 not in tensor.shape
    }
