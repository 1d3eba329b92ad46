"""Which ops of a quantized model add the error, and what it would be without them.

    floats = QuantizeOptions(Path("net.onnx"), data=["photos"])
    result = bisect(BisectOptions(Path("net-int8.onnx"), floats))
    print(result.suspects[0].name, result.suspects[0].alone)
    Path("better.recipe.json").write_text(result.recipe.text())

The casts of the quantized model, whoever made it, are put into the float32 model and tried there, one at a
time. Both are matched by the names of their ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.explain.int8 import Fusion, explain_int8
from autosplit.flows.quantize import (
    QuantizeOptions,
    Quantizing,
    described,
    float_outputs,
    recipe_path,
)
from autosplit.flows.quantizing.keep_exact import Trials
from autosplit.flows.quantizing.metrics import Metric
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.flows.quantizing.sampled import samples_of
from autosplit.flows.quantizing.switched import (
    QuantizedOperands,
    SwitchedModel,
    quantized_operands,
)
from autosplit.folder.plans import is_compiled, load_compiled
from autosplit.lowering.quant.quantize.quant_select import selected_operands
from autosplit.lowering.quant.quantize.statistics import measured_value
from autosplit.platforms import load_model

if TYPE_CHECKING:
    from autosplit.inputs.values import Value
    from autosplit.platforms import Model

MOST = 8
"""Samples, by default."""


@dataclass(frozen=True)
class BisectOptions:
    """The options of `autosplit bisect`; see its help."""

    model: Path
    """A quantized model, or its compiled folder."""
    floats: QuantizeOptions
    """The float32 model, the samples, and what it takes to read them."""
    progress: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class Suspect:
    """An op, or in a compiled folder a partition, that computes with 8 bits."""

    name: str
    ops: Mapping[str, str]
    """Names and types."""
    alone: float
    """The metric if nothing else is quantized."""
    ranges: Mapping[str, tuple[float, float]]
    """Of the values that it reads as 8 bits."""


@dataclass
class Bisected:
    """What adds the error."""

    metric: str
    samples: int
    whole: float
    """The metric of the quantized model."""
    best: float
    """The metric if nothing is quantized."""
    suspects: list[Suspect]
    """Those that lose the most first."""
    kept: list[str]
    """The products that the recipe leaves in float32."""
    reached: float
    """The metric then."""
    recipe: Recipe
    unknown: list[str] = field(default_factory=list[str])
    """Quantized ops that the float32 model does not have."""


def bisect(options: BisectOptions) -> Bisected:
    """Tries every quantized op alone, and proposes a recipe.

    The recipe keeps the fewest products in float32 with which the target is reached, or without one half of
    the error is gone. Raises AutosplitError if the models do not belong together, and for whatever else a
    user can mend.
    """
    options.progress("reading the quantized model")
    path, regions = _quantized_file(options.model)
    quantized = load_model(path, "onnx", options.floats.custom_ops)
    operands = quantized_operands(quantized.module, quantized.store)
    if not operands:
        raise AutosplitError(
            f"{options.model}: no op reads what QuantizeLinear and DequantizeLinear have rounded; expected "
            "a quantized model"
        )
    scaled = _scaling(path)
    quantizing = Quantizing.of(replace(options.floats, recipe=scaled))
    floats = quantizing.chosen()
    samples = _samples(quantizing, options.floats)
    switched = SwitchedModel(floats.module, floats.store, operands, options.floats.custom_ops)
    exact = float_outputs(options.floats, floats, list(switched.outputs), samples)
    metric = options.floats.metric or Metric()
    trials = Trials(switched, exact, samples, options.progress, metric)
    whole, best = trials.score(()), trials.score(switched.types)
    suspects = _suspects(trials, regions, operands, floats)
    kept = _kept(trials, whole, best, options.floats.target)
    recipe = _recipe(options, scaled, operands, floats, trials, kept)
    reached = trials.score(kept)
    return Bisected(
        metric.name, len(samples), whole, best, suspects, kept, reached, recipe, switched.unknown
    )


def _kept(trials: Trials, whole: float, best: float, target: float) -> list[str]:
    """The products that the recipe keeps. Raises AutosplitError if a target is out of reach."""
    goal = target or (whole + best) / 2
    if whole >= goal:
        return []
    kept = trials.enough(goal)
    if kept is None and target:
        raise AutosplitError(
            f"no choice of products reaches a {trials.metric.name} of {target:g}; the whole has {whole:.5f}"
        )
    return kept or []


def _quantized_file(path: Path) -> tuple[Path, list[Fusion]]:
    """The file of a quantized model, and of a compiled folder its partitions."""
    if not path.is_dir():
        return path, []
    if not is_compiled(path):
        raise AutosplitError(
            f"{path}: expected a quantized .onnx model or a folder that `autosplit compile` wrote"
        )
    compiled = load_compiled(path)
    return path / "graph_0.onnx", explain_int8(compiled.module).partitions


def _scaling(path: Path) -> Recipe:
    """What was done to a model of ours besides rounding, as the recipe beside it says."""
    file = recipe_path(path)
    recipe = Recipe.read(file) if file.is_file() else Recipe()
    return replace(recipe, ranges={}, ops={})


def _samples(quantizing: Quantizing, options: QuantizeOptions) -> list[Mapping[str, Value]]:
    job = quantizing.job
    samples: Iterable[Mapping[str, Value]] | None = options.samples
    if samples is None:
        samples = samples_of(job, job.model.module, options.data, options.note)
    taken = list(islice(samples, options.most or MOST))
    if not taken:
        raise AutosplitError("there is no data: give samples, see --data")
    return taken


def _suspects(
    trials: Trials,
    regions: Sequence[Fusion],
    operands: Mapping[str, QuantizedOperands],
    floats: Model,
) -> list[Suspect]:
    types = trials.model.types
    groups: dict[str, list[str]] = {}
    region_of = {op.name: f"{one.name} ({one.rule})" for one in regions for op in one.ops}
    for name in types:
        groups.setdefault(region_of.get(name, name), []).append(name)
    alone = trials.alone_of(groups)
    read = {
        op.identity: op for op in platform_graph(floats.module).body_ops() if isinstance(op, OnnxOp)
    }

    def ranges(names: Iterable[str]) -> dict[str, tuple[float, float]]:
        return {
            value_name(read[name].operands[number]): cast.range()
            for name in names
            for number, cast in operands[name].casts.items()
            if number < len(read[name].operands)
        }

    suspects = [
        Suspect(name, {op: types[op] for op in ops}, alone[name], ranges(ops))
        for name, ops in groups.items()
    ]
    if not regions:
        trials.alone = {n: alone[n] for n in trials.model.products}
    return sorted(suspects, key=lambda one: one.alone)


def _recipe(
    options: BisectOptions,
    scaled: Recipe,
    operands: Mapping[str, QuantizedOperands],
    floats: Model,
    trials: Trials,
    kept: Iterable[str],
) -> Recipe:
    """What makes such a model of the float32 one, with some products as they were."""
    preprocess = {n: str(one) for n, one in described(options.floats, Recipe()).items()}
    recipe = replace(scaled, model=options.floats.model.name, preprocess=preprocess)
    for op in platform_graph(floats.module).body_ops():
        numbers = selected_operands(op)
        if not isinstance(op, OnnxOp) or not numbers:
            continue
        if op.identity not in operands:
            why = f"{options.model.name}: it is not quantized there"
            recipe.ops[op.identity] = QuantizedOp(op.op_type, kept=why)
            continue
        recipe.ops[op.identity] = QuantizedOp(op.op_type, numbers)
        casts = operands[op.identity].casts
        for number in numbers:
            if number in casts:
                name = value_name(measured_value(op.operands[number]))
                recipe.ranges.setdefault(name, casts[number].range())
    for name in kept:
        why = (
            f"error: quantizing it alone takes the {trials.metric.name} to {trials.alone[name]:.5f}"
        )
        recipe.ops[name] = QuantizedOp(trials.model.types[name], kept=why)
    return recipe
