"""`--metric`: what the whole model's outputs say, with the bmodels on the emulator and with the CPU alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from autosplit.core.units import counted
from autosplit.folder.compilation import REFUSED_BMODEL
from autosplit.folder.compiled import note_compiled, set_aside, usable
from autosplit.folder.infos_reader import context_dir
from autosplit.runtime.runner import open_runner

if TYPE_CHECKING:
    from autosplit.flows.convert.advice import WholeAdviser
    from autosplit.flows.converting.options import ConvertOptions, ConvertResult
    from autosplit.flows.converting.whole_target import WholeTarget
    from autosplit.flows.quantizing.metrics import Outputs
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.samples import Data
    from autosplit.runtime.runner import Runner

Emulated = Mapping[int, Sequence[Mapping[str, Any]]]
"""By sub-model what it made of each sample on the emulator."""


@dataclass
class _Replayed:
    """Stands in for a sub-model: gives its earlier outputs, one sample after the other."""

    outputs: Sequence[Mapping[str, Any]]
    done: list[int] = field(default_factory=list[int])

    def run(self, feeds: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
        """What it made of the next sample."""
        recorded = self.outputs[len(self.done)]
        self.done.append(len(feeds))
        return {name: recorded[name] for name in names}


def judge_whole(
    infos: GraphInfos,
    options: ConvertOptions,
    data: Data,
    emulated: Emulated,
    result: ConvertResult,
    adviser: WholeAdviser,
    target: WholeTarget,
) -> list[int]:
    """Lets the metric decide on the bmodels of a folder; `result` then says what it found.

    If it is not reached, `target` may have more ops computed with real numbers: then the numbers of the
    sub-models to compile again are returned. Else all that took part are set aside, and the first one says
    what would mend that.
    """
    metric = options.metric
    if metric is None:
        return []
    result.metric, result.target_metric = metric.name, options.target_metric
    if result.failed or not result.graphs:
        return []
    samples = [*data.some(options.samples)]
    with ExitStack() as held:
        cpu = held.enter_context(open_runner(infos.folder, 0, custom_ops=options.custom_ops))
        exact = [_infer(cpu, sample) for sample in samples]
        chip = held.enter_context(_on_chip(infos, options, emulated))
        outputs: list[Outputs] = []
        for number, sample in enumerate(samples, 1):
            options.progress(f"comparing the whole model (sample {number} of {len(samples)})")
            outputs.append(_infer(chip, sample))
    result.score = metric(outputs, exact)
    if result.score >= options.target_metric:
        return []
    count = counted(len(samples), "sample")
    why = (
        f"the whole model reaches a {metric.name} of {result.score:.5g} over {count}, expected "
        f"{options.target_metric:g}"
    )
    indices = [graph.index for graph in result.graphs]
    if target.is_searching and (unknown := target.unknown(indices)):
        return unknown
    blame, advice = adviser.on_refusal(samples, exact)
    if target.is_searching and blame is not None and target.again(blame):
        options.note(f"{why}: {blame.choice()}")
        return indices
    _set_aside(infos, result, why)
    result.failed[0].error += target.tried(adviser.chip) or advice
    return []


def _on_chip(infos: GraphInfos, options: ConvertOptions, emulated: Emulated) -> Runner:
    """The folder with its bmodels on the emulator; a single one has run, on the same inputs."""
    on_tpu = [graph.index for graph in infos.graphs if graph.device == "tpu"]
    if len(on_tpu) == 1 and on_tpu[0] in emulated:
        runner = open_runner(infos.folder, 0, custom_ops=options.custom_ops)
        runner.models[on_tpu[0]] = _Replayed(emulated[on_tpu[0]])
        return runner
    return open_runner(
        infos.folder, 2, use_cmodel=True, timeout=options.timeout, custom_ops=options.custom_ops
    )


def _infer(runner: Runner, sample: Mapping[str, Any]) -> Outputs:
    return cast("Outputs", runner.infer(sample))


def _set_aside(infos: GraphInfos, result: ConvertResult, why: str) -> None:
    for graph in result.graphs:
        place = graph.bmodel.parent
        if (record := usable(place)) is None:
            continue
        set_aside(place, replace(record, refused=why))
        assert place.name == context_dir(graph.index)
        note_compiled(infos.folder, graph.index, None)
        graph.state, graph.bmodel = "refused", place / REFUSED_BMODEL
        graph.error = (
            f"{graph.name}: {why}; it is set aside, and taken all the same with "
            f"`autosplit convert {infos.folder} --accept {graph.name}`"
        )
