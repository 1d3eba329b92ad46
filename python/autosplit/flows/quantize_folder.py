"""What `autosplit quantize` does with a folder of sub-models: those of the CPU become INT8.

The samples are the whole model's. Each sub-model is calibrated with what it takes when all that is in front
of it runs in float32. What the TPU runs is left to `convert`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.converting.reference import Reference
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, quantize_model
from autosplit.flows.quantizing.quant_calibrate import NothingToQuantize
from autosplit.folder.batches import read_batches
from autosplit.folder.compiled import locked, note_files
from autosplit.folder.infos_reader import FILE_NAME, GraphInfos
from autosplit.folder.reader import completed
from autosplit.folder.staging import check_destination, staged_folder
from autosplit.inputs.samples import Data, read_data
from autosplit.platforms import get_platform, model_key

if TYPE_CHECKING:
    from autosplit.folder.infos_reader import GraphEntry
    from autosplit.inputs.values import Value


@dataclass
class QuantizedFolder:
    """A folder whose sub-models for the CPU have been quantized."""

    folder: Path
    graphs: dict[str, QuantizeResult] = field(default_factory=dict[str, QuantizeResult])
    """By `graph_N`: those that have 8 bits now."""
    kept: dict[str, str] = field(default_factory=dict[str, str])
    """Those of the CPU that stay as they were, and why."""


def is_split(path: Path) -> bool:
    """Whether a path is a folder of sub-models."""
    return (path / FILE_NAME).is_file()


def quantize_folder(options: QuantizeOptions) -> QuantizedFolder:
    """Quantizes the CPU sub-models of the folder `options.model`, and writes all to the folder `options.out`.

    The float32 sub-models stay beside the quantized ones. Raises AutosplitError for whatever a user can mend;
    nothing is written then.
    """
    source, out = options.model, options.out
    _check_options(options)
    if out is None:
        raise AutosplitError(f"{source}: is a folder of sub-models; name a folder to write to")
    destination = check_destination(out, force=options.force, keep=[source / FILE_NAME])
    infos = completed(GraphInfos.load(source)).described(options.preprocess)
    if infos.platform != "onnx":
        raise AutosplitError(
            f"{source}: its sub-models are of platform {infos.platform!r}, and only those of onnx can be "
            "quantized; quantize the whole model first, which makes it one of ONNX, and split that"
        )
    if read_batches(infos) is not None:
        raise AutosplitError(
            f"{source}: is for several numbers of samples, which are quantized together only; quantize the "
            "model, and split that with --batches"
        )
    graphs = [graph for graph in infos.graphs if graph.device == "cpu"]
    if not graphs:
        raise AutosplitError(
            f"{source}: has no sub-model for the CPU; those of the TPU become INT8 with autosplit convert "
            "--mode INT8"
        )
    data = read_data(infos, options.data, options.note)
    if not len(data):
        raise AutosplitError("there is no data: quantizing needs samples, see --data")
    reference = Reference(infos, options.custom_ops)
    quantized = QuantizedFolder(out)
    with locked(source, shared=True), staged_folder(destination, force=options.force) as staged:
        shutil.copytree(source, staged, dirs_exist_ok=True)
        for graph in graphs:
            _quantize_graph(
                options, infos, graph, staged, _Feeds(reference, data, graph, options), quantized
            )
        if not quantized.graphs:
            label, why = next(iter(quantized.kept.items()))
            raise AutosplitError(f"{source}: nothing for the CPU can be quantized: {label}: {why}")
    return quantized


def _check_options(options: QuantizeOptions) -> None:
    """Raises AutosplitError for options that are for models."""
    options_of_models = {
        "--recipe": options.recipe_files or options.recipe,
        "--write-recipe": options.write_recipes,
        "--report": options.report,
        "--input": options.inputs,
        "--output": options.outputs,
        "--params": options.params,
        "--set": options.fixed,
        "--metric": options.metric,
    }
    if (
        name := next((name for name, value in options_of_models.items() if value), None)
    ) is not None:
        raise AutosplitError(
            f"{name}: is for a model, and {options.model} is a folder of sub-models; quantize its files one "
            "by one for that"
        )


@dataclass(frozen=True)
class _Feeds:
    """What a sub-model takes, sample by sample, as often as it is asked for."""

    reference: Reference
    data: Data
    graph: GraphEntry
    options: QuantizeOptions

    def __iter__(self) -> Iterator[Mapping[str, Value]]:
        return islice(self.reference.feeds(self.data, self.graph.index), self.options.most or None)


def _of(label: str, say: Callable[[str], None]) -> Callable[[str], None]:
    """Puts in front of each text what it is about."""
    return lambda text: say(f"{label}: {text}")


def _quantize_graph(
    options: QuantizeOptions,
    infos: GraphInfos,
    graph: GraphEntry,
    folder: Path,
    feeds: _Feeds,
    quantized: QuantizedFolder,
) -> None:
    """Writes a sub-model's INT8 form beside it, and has the folder name that."""
    label = f"graph_{graph.index}"
    key = model_key(get_platform(infos.platform))
    model = folder / graph.model_info[key]
    out = model.with_name(f"{model.stem}_int8.onnx")
    try:
        result = quantize_model(
            replace(
                options,
                model=model,
                out=out,
                data=(),
                samples=feeds,
                platform=infos.platform,
                preprocess={},
                custom_ops=options.custom_ops or infos.libraries(),
                force=True,
                progress=_of(label, options.progress),
                note=_of(label, options.note),
            )
        )
    except NothingToQuantize as error:
        quantized.kept[label] = str(error)
        return
    quantized.graphs[label] = result
    written = [path.relative_to(folder) for path in (out, result.recipe_path) if path]
    note_files(folder, graph.index, {key: written[0].as_posix()}, written)
