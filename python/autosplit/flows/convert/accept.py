"""Bmodels that a comparison refused, taken all the same because somebody says so."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.converting.options import Converted, ConvertResult
from autosplit.flows.converting.source import check_unchanged, wanted_graphs
from autosplit.folder.batches import read_batches
from autosplit.folder.compilation import REFUSED_BMODEL
from autosplit.folder.compiled import locked, note_compiled, refused, take_back
from autosplit.folder.infos_reader import GraphEntry, GraphInfos, context_dir


def accept(folder: Path, names: Sequence[str] = ()) -> ConvertResult:
    """Lets bmodels that were set aside be those of the folder: of the sub-models named, or all of them.

    In a folder for several numbers of samples, `graph_0_b4` is that for 4 at once. Raises AutosplitError
    where there is none, and for one that is not of the sub-model as it is now.
    """
    whole = GraphInfos.load(folder)
    with locked(folder), ExitStack() as held:
        aside = _aside(whole)
        if (batches := read_batches(whole)) is not None:
            for size, place in batches.others.items():
                held.enter_context(locked(folder / place))
                aside |= _aside(GraphInfos.load(folder / place), f"_b{size}")
        if not aside:
            raise AutosplitError(f"{folder}: no bmodel was refused, so there is none to accept")
        for name in names:
            if name not in aside:
                raise AutosplitError(f"--accept {name}: is not refused{choice(name, list(aside))}")
        for infos in {id(infos): infos for infos, _ in aside.values()}.values():
            check_unchanged(infos)
        result = ConvertResult(folder, "", "", "")
        for name in names or aside:
            infos, graph = aside[name]
            place = infos.folder / context_dir(graph.index)
            if (record := refused(place)) is None:
                raise AutosplitError(
                    f"{place / REFUSED_BMODEL}: is not as it was set aside; compile it again with "
                    "autosplit convert"
                )
            take_back(place, record)
            note_compiled(infos.folder, graph.index, record)
            bmodel = infos.bmodel(graph)
            converted = Converted(
                name, "accepted", bmodel, comparison=record.comparison, cost=record.cost
            )
            converted.size = bmodel.stat().st_size
            result.graphs.append(converted)
            result.chip, result.mode, result.compiler = (
                record.chip,
                record.full_mode,
                record.compiler,
            )
    return result


def _aside(infos: GraphInfos, suffix: str = "") -> dict[str, tuple[GraphInfos, GraphEntry]]:
    """The sub-models of a folder whose bmodels were set aside, by name."""
    return {
        f"graph_{graph.index}{suffix}": (infos, graph)
        for graph in wanted_graphs(infos, None)
        if (infos.folder / context_dir(graph.index) / REFUSED_BMODEL).is_file()
    }
