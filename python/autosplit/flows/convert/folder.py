"""What `autosplit convert` does, as a function: the TPU sub-models of a folder become bmodels.

Each sub-model is made anew from its native form in a staging folder, compiled there by a script that was
just generated, in a process of its own, checked, compared, and moved into its `graph_ir_N` when all of that
is done.
Files of the folder are data: nothing in it is executed, apart from its libraries of custom ops where the CPU
computes what a sub-model takes, and nothing outside of it is touched because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.advice import WholeAdviser
from autosplit.flows.convert.bmnet import convert_with_bmnet
from autosplit.flows.convert.one_file import combine, drop_stale
from autosplit.flows.convert.registered import compiler_class, convert_registered
from autosplit.flows.convert.whole import judge_whole
from autosplit.flows.convert.worker import FolderConversion
from autosplit.flows.converting.chip_target import ChipTarget
from autosplit.flows.converting.options import (
    ConvertOptions,
    ConvertResult,
)
from autosplit.flows.converting.raw_pictures import check_raw_pictures
from autosplit.flows.converting.source import (
    check_options,
    check_tolerance,
    choose_chip,
    wanted_graphs,
)
from autosplit.flows.converting.whole_target import WholeTarget
from autosplit.folder.batches import read_batches
from autosplit.folder.compiled import forget, locked, note_preprocess, remove_stale, usable
from autosplit.folder.infos_reader import GraphInfos, context_dir
from autosplit.folder.reader import completed, unknown_graph
from autosplit.inputs.samples import read_data
from autosplit.inputs.stacked import stack_data
from autosplit.platforms import platform_names
from autosplit.toolchains.tpu_mlir import discover

if TYPE_CHECKING:
    from pathlib import Path

    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.flows.convert.emission import SubModelWriter
    from autosplit.flows.converting.options import Converted
    from autosplit.folder.batches import BatchFolders
    from autosplit.folder.infos_reader import GraphEntry
    from autosplit.inputs.samples import Data


def convert_folder(
    options: ConvertOptions,
    module: ModuleOp | None = None,
    lowered: dict[str, ModuleOp] | None = None,
) -> ConvertResult:
    """Compiles the TPU sub-models of a folder that `split` saved.

    `module`: the outlined module that the folder was written from; where it is left out, it is read there.
    `lowered`: its sub-models in canonical ONNX, by symbol, as far as they were made for the same chip, mode
    and sizes; they are used up.
    A sub-model that fails does not stop the others; the result says so, see `ConvertResult.check`. Raises
    AutosplitError for whatever concerns the whole: folder, options, chip, data, tool chain.
    """
    infos = GraphInfos.load(options.folder)
    notes = Notes(options.note)
    options = replace(options, mode=options.mode or infos.mode, note=notes.tell)
    check_options(options)
    batches, kind = read_batches(infos), compiler_class(infos.platform)
    if batches is not None and (options.compiler == "bmnet" or kind is not None):
        places = ", ".join(str(options.folder / place) for place in batches.others.values())
        options.note(
            f"{options.folder}: only what takes {batches.first} at once is compiled; convert {places} too"
        )
    if options.compiler == "bmnet":
        with locked(options.folder):
            remove_stale(options.folder)
            return convert_with_bmnet(infos, options)
    if kind is not None:
        with locked(options.folder):
            return convert_registered(infos, options, kind)
    if options.dynamic and not infos.dynamic and infos.own:
        raise AutosplitError(
            f"{options.folder}: was split for fixed sizes, and its sub-models were written for these; "
            "for sizes that vary split again with --dynamic"
        )
    chip = choose_chip(infos, options)
    options = options.settled(chip)
    result = ConvertResult(options.folder, chip.name, options.full_mode, options.compiler)
    graphs = wanted_graphs(infos, options.only)
    check_tolerance(options, graphs)
    if not graphs:
        options.note(f"{options.folder}: has no TPU sub-model, so there is nothing to compile")
        return result

    if (unknown := unknown_graph(infos, graphs)) is not None:
        raise AutosplitError(
            f"{infos.folder}: {unknown.label} is of platform {infos.platform!r}, and nothing here compiles "
            f"that; expected one of {', '.join(platform_names())}, or a Compiler that a package registers "
            "for it"
        )
    infos = completed(infos).described(options.preprocess)
    if options.fuse_preprocess:
        check_raw_pictures(infos, graphs, options.fuse_preprocess)
    data = read_data(infos, options.data, options.note)
    with locked(options.folder):
        if batches is not None:
            _forget_others(batches, options, chip)
        _compile(infos, options, chip, graphs, data, result, module, lowered)
        if batches is not None:
            for size in batches.others:
                result.graphs += _for_batch(batches, size, options, chip, data, notes)
        if options.one_file or batches is not None:
            result.one_file = _one_file(options, result, batches is not None)
    return result


class Notes:
    """Notes on folders for further numbers of samples, without those on the first one."""

    def __init__(self, say: Callable[[str], None]):
        self._say = say
        self._texts: set[str] = set()

    def tell(self, text: str) -> None:
        """Makes a note on the first folder."""
        self._texts.add(text)
        self._say(text)

    def tell_of(self, place: str, text: str) -> None:
        """Makes a note on the folder `place`, unless the first one has the same."""
        if text not in self._texts:
            self._say(f"{place}: {text}")


def _forget_others(batches: BatchFolders, options: ConvertOptions, chip: Chip) -> None:
    """Removes what is for another chip or mode: whatever ends this run, all numbers are then for one."""
    for place in batches.others.values():
        inner = options.folder / place
        with locked(inner):
            for graph in wanted_graphs(GraphInfos.load(inner), options.only):
                old = usable(inner / context_dir(graph.index))
                if old is not None and (old.chip, old.full_mode) != (chip.name, options.full_mode):
                    forget(inner, graph.index)


def _for_batch(
    batches: BatchFolders,
    size: int,
    options: ConvertOptions,
    chip: Chip,
    data: Data,
    notes: Notes,
) -> list[Converted]:
    """Compiles the folder for so many samples at once, on the same data."""
    place = batches.places[size]
    inner = replace(options, folder=options.folder / place, note=partial(notes.tell_of, place))
    infos = completed(GraphInfos.load(inner.folder)).described(options.preprocess)
    graphs = wanted_graphs(infos, options.only)
    result = ConvertResult(inner.folder, chip.name, options.full_mode, options.compiler)
    if graphs:
        stacked = stack_data(data, infos, batches, size)
        with locked(inner.folder):
            _compile(infos, inner, chip, graphs, stacked, result, None)
    return [replace(graph, name=f"{graph.name}_b{size}") for graph in result.graphs]


def _compile(
    infos: GraphInfos,
    options: ConvertOptions,
    chip: Chip,
    graphs: Sequence[GraphEntry],
    data: Data,
    result: ConvertResult,
    module: ModuleOp | None,
    lowered: dict[str, ModuleOp] | None = None,
) -> None:
    """Compiles sub-models of one folder, which is locked; `result` then says what became of them."""
    toolchain = discover()
    remove_stale(options.folder)
    if options.preprocess:
        note_preprocess(options.folder, infos.preprocess)
    target = ChipTarget(options.target_cosine, whole=WholeTarget.of(options))
    emulated: dict[int, list[Mapping[str, Any]]] = {}
    writers: dict[int, SubModelWriter] = {}
    kept = {} if lowered is None else lowered
    todo = graphs
    while todo:
        conversion = FolderConversion(infos, options, chip, toolchain, data, target, module, kept)
        converted = conversion.run(todo)
        emulated |= conversion.emulated
        writers |= {graph.index: conversion.writer for graph in todo}
        done = {graph.name: graph for graph in [*result.graphs, *converted]}
        result.graphs = [done[f"graph_{g.index}"] for g in graphs]
        again = target.again(converted)
        if not again:
            adviser = WholeAdviser(infos, options, chip, writers)
            again = judge_whole(infos, options, data, emulated, result, adviser, target.whole)
        todo = [graph for graph in graphs if graph.index in again]
    result.tolerance = options.tolerance
    drop_stale(options.folder)


def _one_file(options: ConvertOptions, result: ConvertResult, is_batched: bool) -> Path | None:
    """Makes one file of all bmodels, or says why there is none."""
    if not result.failed:
        options.progress("combining the bmodels")
        try:
            path = combine(options.folder, discover(), options.timeout)
        except AutosplitError as error:
            # TPU-MLIR refuses to combine some of BM1684's. Each is there by itself.
            if not is_batched or options.one_file:
                raise
            options.note(f"{error}; each is in a file of its own")
            return None
        if path:
            return path
    options.note(
        f"{options.folder}: not all sub-models have a bmodel, so there is no one file of them"
    )
    return None
