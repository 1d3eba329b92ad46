"""Bmodels that a comparison refused, taken all the same because somebody says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.converting.options import Converted, ConvertResult
from autosplit.flows.converting.source import check_unchanged, wanted_graphs
from autosplit.folder.compilation import REFUSED_BMODEL
from autosplit.folder.compiled import locked, note_compiled, refused, take_back
from autosplit.folder.infos_reader import GraphInfos, context_dir


def accept(folder: Path, names: Sequence[str] = ()) -> ConvertResult:
    """Lets bmodels that were set aside be those of the folder: of the sub-models named, or all of them.

    Raises AutosplitError where there is none, and for one that is not of the sub-model as it is now.
    """
    infos = GraphInfos.load(folder)
    with locked(folder):
        aside = {
            f"graph_{graph.index}": graph
            for graph in wanted_graphs(infos, None)
            if (folder / context_dir(graph.index) / REFUSED_BMODEL).is_file()
        }
        if not aside:
            raise AutosplitError(f"{folder}: no bmodel was refused, so there is none to accept")
        for name in names:
            if name not in aside:
                raise AutosplitError(f"--accept {name}: is not refused{choice(name, list(aside))}")
        check_unchanged(infos)
        result = ConvertResult(folder, "", "", "")
        for name in names or aside:
            index = aside[name].index
            place = folder / context_dir(index)
            if (record := refused(place)) is None:
                raise AutosplitError(
                    f"{place / REFUSED_BMODEL}: is not as it was set aside; compile it again with "
                    "autosplit convert"
                )
            take_back(place, record)
            note_compiled(folder, index, record)
            bmodel = infos.bmodel(aside[name])
            made = Converted(
                name, "accepted", bmodel, comparison=record.comparison, cost=record.cost
            )
            made.size = bmodel.stat().st_size
            result.graphs.append(made)
            result.chip, result.mode, result.compiler = (
                record.chip,
                record.full_mode,
                record.compiler,
            )
    return result
