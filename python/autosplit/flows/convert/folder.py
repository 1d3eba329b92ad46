"""What `autosplit convert` does, as a function: the TPU sub-models of a folder become bmodels.

Each sub-model is made anew from its native form in a staging folder, compiled there by a script that was
just generated, in a process of its own, checked, compared, and moved into its `graph_ir_N` when all of that
is done.
Files of the folder are data: nothing in it is executed, apart from its libraries of custom ops where the CPU
computes what a sub-model takes, and nothing outside of it is touched because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError, nearest
from autosplit.folder.compilation import Measure
from autosplit.folder.compiled import locked, note_preprocess, remove_stale
from autosplit.folder.infos_reader import FILE_NAME, PLAN_NAME, Graph, GraphInfos, context_dir

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.inputs.preprocess import Preprocess
    from autosplit.lowering.device.submodel_sizes import Sizes

    Array = NDArray[np.generic]

COMPILERS = ("tpu-mlir", "bmnet")
UNSET_TARGET = "BM1682"
"""The documented default of `convert`, which means that no chip is given."""
FALLBACK_TARGET = "bm1684"
"""The chip of folders that do not say for which they were split."""
TIMEOUT = 7200.0
"""Seconds that compiling, and then running, one sub-model may take."""


@dataclass(frozen=True)
class ConvertOptions:
    """The options of `autosplit convert`; see its help."""

    folder: Path
    target: str | None = None
    mode: str = ""
    """Empty: that which the folder was split for."""
    data: Sequence[str] = ()
    optimize: int | None = None
    compare: bool = False
    dynamic: bool = False
    jobs: int | None = None
    """How many sub-models are compiled at a time; None: one a core."""
    compiler: str = "tpu-mlir"
    timeout: float = TIMEOUT
    custom_ops: Libraries = ()
    """Libraries of ops that the framework does not have, in place of those that the folder holds."""
    only: Sequence[int] | None = None
    """The sub-models to compile, by index; None for all."""
    progress: Callable[[str], None] = lambda _: None
    """Called with the name of each step as it starts."""
    note: Callable[[str], None] = lambda _: None
    """Called with each line that the user should see."""
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    """What becomes of pictures, by input, where it is not what the folder says; the folder keeps it."""


@dataclass
class Converted:
    """What became of one TPU sub-model."""

    name: str
    """`graph_N`."""
    state: str
    """`compiled` now, `taken` from an earlier run, `failed`, or `constant` where nothing is to compile."""
    bmodel: Path
    seconds: float = 0.0
    """That the compiler took."""
    emission: float = 0.0
    """That making its input took."""
    size: int = 0
    """Of the bmodel, in bytes."""
    source_size: int = 0
    """Of what was compiled, in bytes."""
    comparison: Mapping[str, Measure] = field(default_factory=dict[str, Measure])
    """By tensor; empty where nothing was compared."""
    error: str = ""
    """In one line; empty where it is not `failed`."""


@dataclass
class ConvertResult:
    """What became of the TPU sub-models of a folder."""

    folder: Path
    chip: str
    mode: str
    compiler: str
    graphs: list[Converted] = field(default_factory=list[Converted])

    @property
    def failed(self) -> list[Converted]:
        return [graph for graph in self.graphs if graph.error]

    def check(self) -> None:
        """Raises AutosplitError where a sub-model failed, with the first cause."""
        if not (failed := self.failed):
            return
        others = f"; {len(failed) - 1} more failed" if len(failed) > 1 else ""
        raise AutosplitError(failed[0].error + others)


def convert_folder(options: ConvertOptions) -> ConvertResult:
    """Compiles the TPU sub-models of a folder that `split` saved.

    A sub-model that fails does not stop the others; the result says so, see `ConvertResult.check`. Raises
    AutosplitError for whatever concerns the whole: folder, options, chip, data, tool chain.
    """
    infos = GraphInfos.load(options.folder)
    options = replace(options, mode=options.mode or infos.mode)
    check_options(options)
    if options.compiler == "bmnet":
        from autosplit.flows.convert.compilers import convert_with_bmnet

        with locked(options.folder):
            remove_stale(options.folder)
            return convert_with_bmnet(infos, options)
    if options.dynamic and not infos.dynamic and infos.own:
        raise AutosplitError(
            f"{options.folder}: was split for fixed sizes, and its sub-models were written for these; "
            "for sizes that vary split again with --dynamic"
        )
    chip = choose_chip(infos, options)
    result = ConvertResult(options.folder, chip.name, options.mode, options.compiler)
    graphs = wanted_graphs(infos, options.only)
    if not graphs:
        options.note(f"{options.folder}: has no TPU sub-model, so there is nothing to compile")
        return result
    infos = infos.completed().described(options.preprocess)
    from autosplit.flows.convert.reference import read_data
    from autosplit.flows.convert.worker import Conversion
    from autosplit.toolchains.tpu_mlir import discover

    data = read_data(infos, options.data, options.note)
    toolchain = discover()
    with locked(options.folder):
        remove_stale(options.folder)
        if options.preprocess:
            note_preprocess(options.folder, infos.preprocess)
        result.graphs = Conversion(infos, options, chip, toolchain, data).run(graphs)
    return result


# Checking what is asked for


def check_options(options: ConvertOptions) -> None:
    """Raises for options that no folder takes."""
    from autosplit.devices import all_chips

    if options.compiler not in COMPILERS:
        raise AutosplitError(
            f"compiler {options.compiler!r} is not known{nearest(options.compiler, list(COMPILERS))}; "
            f"known are {', '.join(COMPILERS)}"
        )
    modes = list(dict.fromkeys(mode for chip in all_chips() for mode in chip.modes))
    if options.mode not in modes:
        raise AutosplitError(
            f"mode {options.mode!r} is not known{nearest(options.mode, modes)}; known are {', '.join(modes)}"
        )
    levels = (1, 2) if options.compiler == "bmnet" else (1, 2, 3)
    if options.optimize is not None and options.optimize not in levels:
        raise AutosplitError(
            f"optimize is {options.optimize!r}, expected one of {', '.join(map(str, levels))}"
        )
    if options.mode == "INT8" and not options.data and options.compiler != "bmnet":
        raise AutosplitError(
            "mode INT8 needs data to calibrate with: give some, as in --data photos/ or --data x=samples.npy"
        )
    if options.jobs is not None and options.jobs < 1:
        raise AutosplitError(f"--jobs {options.jobs}: expected at least 1")
    if not options.timeout > 0:
        raise AutosplitError(f"--timeout {options.timeout:g}: expected more than 0 seconds")


def wanted_graphs(infos: GraphInfos, only: Sequence[int] | None) -> list[Graph]:
    """The TPU sub-models to compile. Raises for one whose bmodel would go to an unusual place."""
    found = [
        graph
        for graph in infos.graphs
        if graph.device == "tpu" and (only is None or graph.index in only)
    ]
    for graph in found:
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
    return found


def recorded_chip(infos: GraphInfos) -> str:
    """The chip that a folder was split for, in lower case; "" where it does not say."""
    own = infos.own.get("target")
    return own.lower() if isinstance(own, str) else ""


def choose_chip(infos: GraphInfos, options: ConvertOptions) -> Chip:
    """The chip to compile for: the given one, else the recorded one, else BM1684; says which it took."""
    from autosplit.devices import check_mode, get_chip

    given = "" if options.target is None else options.target.strip().lower()
    if given in ("", UNSET_TARGET.lower()):
        name = recorded_chip(infos) or FALLBACK_TARGET
        why = "which the folder was split for"
        if not recorded_chip(infos):
            why = "as neither --target nor the folder names one"
        chip = get_chip(name)
        options.note(f"target: {chip.vendor_name}, {why}")
    else:
        chip = get_chip(given)
        if recorded_chip(infos) not in ("", chip.name):
            options.note(
                f"target: {chip.vendor_name}, and the folder was split for {recorded_chip(infos).upper()}: "
                "what that one cannot run stays on the CPU; for a plan of its own split with "
                f"--target {chip.name}"
            )
    check_mode(chip, options.mode)
    return chip


def check_unchanged(infos: GraphInfos) -> set[str]:
    """The files of which it is known that they are as they were split; raises where one is not."""
    names = [PLAN_NAME, *(name for graph in infos.graphs for name in graph.model_info.values())]
    return {name for name in names if infos.check_file(name)}


def sizes_of(infos: GraphInfos, options: ConvertOptions) -> Sizes:
    """What of a folder's sizes varies: in one of fixed sizes nothing, unless `--dynamic` asks for it."""
    from autosplit.lowering.device.submodel_sizes import Sizes

    if options.dynamic and not infos.dynamic:
        return Sizes.varying
    return Sizes.of(infos.dynamic)


def recheck(
    infos: GraphInfos, module: ModuleOp, chip: Chip, mode: str, sizes: Sizes
) -> dict[str, ModuleOp]:
    """Raises, naming the ops, where the chip refuses some of the TPU sub-models.

    That can be where they were cut for another chip, or for another mode. Returns the sub-models in canonical
    ONNX, by symbol, as far as they had to be made for that.
    """
    from autosplit.lowering.device.confirm import confirm
    from autosplit.lowering.device.place import CONSTANT_RESULT
    from autosplit.lowering.device.submodel_sizes import Sizes
    from autosplit.registry import make_context

    as_split = chip.name == recorded_chip(infos) and sizes is Sizes.of(infos.dynamic)
    # What F32 refuses, every mode does, but for the scales of a quantized model, which INT8 takes.
    if as_split and (mode == infos.mode or (mode == "F32" and infos.mode != "INT8")):
        return {}
    found = confirm(make_context(), module, chip, sizes, mode)
    # What a bmodel cannot give, because it is always the same, is taken out of it.
    refused = {
        name: reason.text.data
        for name, reason in found.refused.items()
        if reason.code.data != CONSTANT_RESULT
    }
    if not refused:
        return {} if sizes is Sizes.varying else found.lowered
    name, reason = next(iter(refused.items()))
    more = ", ".join(repr(other) for other in list(refused)[1:5])
    more = f"; also {more}" + (", ..." if len(refused) > 5 else "") if more else ""
    before = f"was split for {recorded_chip(infos).upper()}; " if recorded_chip(infos) else ""
    again = f"--target {chip.name}" + (f" --mode {mode}" if mode != infos.mode else "")
    ops = "1 op" if len(refused) == 1 else f"{len(refused)} ops"
    raise AutosplitError(
        f"{infos.folder}: {before}{chip.vendor_name} cannot run {ops} of its TPU sub-models, {name!r}: "
        f"{reason}{more}; split again with {again}"
    )
