"""What `autosplit deploy` does, as a function: split a model and compile its TPU sub-models in one step."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.devices import get_chip
from autosplit.devices.builds import check_build
from autosplit.explain.plan import explain
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions, ConvertResult
from autosplit.flows.converting.source import check_options
from autosplit.flows.split import split_batches
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import LOG_NAME
from autosplit.folder.compiled import ONE_FILE
from autosplit.folder.infos_reader import context_dir
from autosplit.folder.staging import check_destination, staged_folder, write_sources
from autosplit.registry import added

if TYPE_CHECKING:
    from autosplit.explain.plan import Explanation
    from autosplit.flows.split import SplitResult


@dataclass
class Deployed:
    """A model that was split and compiled."""

    folder: Path
    split: SplitResult
    converted: ConvertResult
    """What became of the TPU sub-models; of none, where no op is for the chip."""
    notes: list[str] = field(default_factory=list[str])
    """What a user should know, a line each."""

    @property
    def explanation(self) -> Explanation:
        """Where every op runs, and why."""
        return explain(self.split.module)


def deploy_model(split: SplitOptions, convert: ConvertOptions) -> Deployed:
    """Splits a model into the folder `split.out` and compiles its TPU sub-models there.

    `convert.folder` and both `note`s do not count. What was compiled is never thrown away: where a sub-model
    fails or is refused, the folder is written with the others, and with what was set aside; the result says
    so, see `ConvertResult.check`. Raises AutosplitError if nothing was compiled; nothing is written then,
    beside the logs of the compiler.
    """
    out = split.out
    if out is None:
        raise AutosplitError("deploy writes a folder, and none is named")
    check_options(convert)
    if convert.compiler != "bmnet":
        check_build(get_chip(split.target), convert.mode, convert.build, convert.more_builds)
    destination = check_destination(out, force=split.force, keep=[split.model])
    notes: list[str] = []
    ended = ""
    result = ConvertResult(out, convert.target or "", convert.mode, convert.compiler)
    with staged_folder(destination) as staging:
        try:
            asked = replace(split, out=staging, force=False, note=notes.append)
            planned = split_batches(replace(asked, is_converted=_writes_all(split, convert)))
        except AutosplitError as error:
            raise AutosplitError(_without(staging, out, str(error))) from None
        try:
            options = replace(convert, folder=staging, note=notes.append)
            result = convert_folder(options, planned.module, planned.lowered)
        except AutosplitError as error:
            ended = _without(staging, out, str(error))
            if not _has_bmodels(staging):
                raise AutosplitError(ended) from None
        if result.failed and not _has_bmodels(staging):
            raise AutosplitError(_without(staging, out, _keep_logs(result, out)))
        # Of what was not converted, or failed.
        write_sources(planned.module, planned.model.platform, staging)
    if ended:
        raise AutosplitError(f"{ended}; what was compiled before is in {out}")
    graphs = [
        replace(
            graph,
            bmodel=out / graph.bmodel.relative_to(staging),
            error=_without(staging, out, graph.error),
        )
        for graph in result.graphs
    ]
    return Deployed(
        out,
        replace(planned, out=out),
        replace(result, folder=out, graphs=graphs, one_file=result.one_file and out / ONE_FILE),
        [_without(staging, out, note) for note in notes],
    )


def _writes_all(split: SplitOptions, convert: ConvertOptions) -> bool:
    """Whether converting writes what is compiled, so that splitting need not."""
    return not split.batches and convert.compiler != "bmnet" and not added("compilers", ())


def _has_bmodels(folder: Path) -> bool:
    """Whether something was compiled in a folder, be it refused."""
    return next(folder.rglob(f"{context_dir(0)[:-1]}*/*.bmodel"), None) is not None


def _keep_logs(result: ConvertResult, out: Path) -> str:
    """Moves the logs of failed compilations beside the folder that is not written; the error's text."""
    text = ""
    try:
        result.check()
    except AutosplitError as error:
        text = str(error)
    for graph in result.failed:
        log = graph.bmodel.parent / LOG_NAME
        kept = out.with_name(f"{out.name}.{graph.name}.log")
        if log.is_file():
            shutil.move(log, kept)
            text = text.replace(str(log), str(kept))
    return text


def _without(staging: Path, out: Path, text: str) -> str:
    return text.replace(str(staging), str(out))
