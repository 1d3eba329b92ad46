"""Where the TPU sub-models of a folder run: on the CPU, or as bmodels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from autosplit.core.errors import AutosplitError
from autosplit.core.logs import log
from autosplit.folder.compilation import REFUSED_BMODEL
from autosplit.folder.infos_reader import GraphEntry, GraphInfos
from autosplit.runtime.bmodel.process import find_card

Mode = Literal[0, 1, 2]
"""0: all on the CPU; 1: CPU and GPU, which is refused; 2: CPU and TPU."""


def choose_mode(
    infos: GraphInfos, mode: int | None, in_memory: Mapping[str, bytes], *, emulate: bool
) -> Mode:
    """Checks that the mode is possible; None becomes one that is."""
    on_tpu = [g for g in infos.graphs if g.device == "tpu"]
    missing = [
        g
        for g in on_tpu
        if f"graph_{g.index}" not in in_memory
        and not infos.bmodel(g).is_file()
        and not infos.is_constant(g)
    ]
    if mode is None:
        return _default_mode(infos, on_tpu, missing, emulate=emulate)
    if mode == 0:
        return 0
    if mode == 1:
        raise AutosplitError("mode 1 (CPU and GPU) does not exist; use 0 (CPU) or 2 (CPU and TPU)")
    if mode != 2:
        raise AutosplitError(f"mode {mode!r}: expected 0 (all on the CPU) or 2 (CPU and TPU)")
    if missing:
        raise AutosplitError(
            f"{infos.bmodel(missing[0])}: there is no such file, so {missing[0].label} cannot run on the "
            f"TPU; {remedy(infos, missing[0])}, or run with mode 0"
        )
    if on_tpu and not emulate and find_card() is None:
        log.warning("%s: there is no TPU card here, so bmodels run on the emulator", infos.folder)
    return 2


def remedy(infos: GraphInfos, graph: GraphEntry) -> str:
    """How to get a bmodel that is not there."""
    if (infos.bmodel(graph).parent / REFUSED_BMODEL).is_file():
        return (
            "a comparison refused it and set it aside: take it all the same with "
            f"autosplit convert {infos.folder} --accept graph_{graph.index}"
        )
    return f"make it with autosplit convert {infos.folder}"


def _default_mode(
    infos: GraphInfos, on_tpu: list[GraphEntry], missing: list[GraphEntry], *, emulate: bool
) -> Mode:
    if not on_tpu:
        return 0
    if missing:
        why = f"{infos.bmodel(missing[0])} is not there; autosplit convert makes it"
    elif emulate or find_card() is not None:
        return 2
    else:
        why = "there is no TPU card here; mode 2 runs them on the emulator"
    log.warning(
        "%s: the TPU sub-models run on the CPU, in their framework (mode 0): %s", infos.folder, why
    )
    return 0
