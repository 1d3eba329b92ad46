"""Plans in place of a module, for calls of one form: one, or several with what torch runs between them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.explain.int8 import Int8Explanation, Outside, Stage, explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.torch_modules.border import to_array, to_tensor
from autosplit.flows.torch_modules.exported import NotExportedError
from autosplit.flows.torch_modules.parts import NO_PRODUCT, ProgramPart, in_parts
from autosplit.lowering.onnx_graph import NotOnnxError
from autosplit.runtime.plan.plan import Plan

if TYPE_CHECKING:
    import torch

    from autosplit.flows.quantize import QuantizeResult
    from autosplit.flows.torch_modules.exported import Exported

PLATFORM = "pytorch"

TORCH = "torch"
"""The device of a stage that PyTorch runs."""


class NotConvertedError(NotExportedError):
    """An op of a program has no counterpart in ONNX."""


def refusal(error: AutosplitError) -> Exception:
    """The error, or what says that torch is to run an op, where that has no counterpart."""
    cause = error.__cause__
    return NotConvertedError(cause.reason) if isinstance(cause, NotOnnxError) else error


@dataclass(frozen=True)
class PlanStep:
    """A part of a program as a compiled plan."""

    plan: Plan
    explained: Int8Explanation
    outputs: Sequence[str]

    @property
    def inputs(self) -> Sequence[str]:
        # A plan has no input that nothing reads.
        return self.plan.input_names

    def run(self, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """What the plan makes of the tensors that it reads."""
        results = self.plan.run({name: to_array(tensors[name], name) for name in self.inputs})
        return {name: to_tensor(results[name]) for name in self.outputs}


@dataclass(frozen=True)
class TorchStep:
    """A part of a program that torch runs."""

    part: ProgramPart
    explained: Int8Explanation

    @property
    def inputs(self) -> Sequence[str]:
        return self.part.inputs

    def run(self, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """What torch makes of them."""
        return self.part.run({name: tensors[name] for name in self.inputs})


Step = PlanStep | TorchStep


@dataclass
class Built:
    """What computes the results of an exported module."""

    exported: Exported
    steps: Sequence[Step]
    explained: Int8Explanation
    """What became of each op."""
    _folder: tempfile.TemporaryDirectory[str]
    """Holds what the plans were made of, as long as that may be read."""

    @staticmethod
    def of(
        exported: Exported,
        parts: Sequence[ProgramPart] = (),
        results: Sequence[QuantizeResult | None] = (),
    ) -> Built:
        """Compiles what was made of a module's parts, or the program itself, where it has its casts.

        Raises NotExportedError if no plan would compute anything, AutosplitError for anything else.
        """
        folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        path = Path(folder.name)
        steps = list(_steps(parts, results, path) if parts else _cast_steps(exported, path))
        return Built(exported, steps, _joined([step.explained for step in steps]), folder)

    def __post_init__(self) -> None:
        leaves = {name: i for i, name in enumerate(self.exported.inputs) if name is not None}
        read = dict.fromkeys(name for step in self.steps for name in step.inputs if name in leaves)
        self._feeds = [(leaves[name], name) for name in read]
        self.computed = self.exported.computed
        """The names of what is computed."""

    @property
    def plan(self) -> Plan:
        """The plan; the first of several."""
        return next(step.plan for step in self.steps if isinstance(step, PlanStep))

    @property
    def left(self) -> dict[str, str]:
        """The ops that torch runs, and why."""
        stages = {stage.name for stage in self.explained.stages if stage.device == TORCH}
        return {op.name: op.text for op in self.explained.outside if op.graph in stages}

    def __call__(self, leaves: Sequence[Any]) -> Any:
        """What the module returns for these arguments, in tensors that are the caller's own."""
        tensors = [*self.exported.states, *leaves]
        return self.result(self.run(self.taken(tensors)), tensors)

    def taken(self, leaves: Sequence[Any]) -> list[torch.Tensor]:
        """The tensors that are read, of all arguments."""
        return [leaves[i] for i, _ in self._feeds]

    def result(self, results: Sequence[torch.Tensor], leaves: Sequence[Any]) -> Any:
        """What the module returns, of the tensors that `run` makes."""
        return self.exported.result(dict(zip(self.computed, results, strict=True)), leaves)

    def run(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What is made of the tensors that are read."""
        values = {name: tensor for (_, name), tensor in zip(self._feeds, tensors, strict=True)}
        for step in self.steps:
            values |= step.run(values)
        return [values[name] for name in self.computed]


def _steps(
    parts: Sequence[ProgramPart], results: Sequence[QuantizeResult | None], folder: Path
) -> Iterator[Step]:
    for i, (part, result) in enumerate(zip(parts, results, strict=True)):
        if result is None:
            yield torch_step(part)
            continue
        path = folder / f"model-{i}.onnx"
        result.write(path)
        yield _compiled(CompileOptions(path, platform="onnx"), part.outputs, whole=path)


def _cast_steps(exported: Exported, folder: Path) -> Iterator[Step]:
    """Those of a program that is quantized already."""
    path = folder / "model.pt2"
    exported.write(path)
    options = CompileOptions(path, platform=PLATFORM, outputs=exported.computed)
    try:
        yield _compiled(options, exported.computed)
        return
    except NotConvertedError as e:
        parts = in_parts(path, exported.computed, e)
    for part in parts:
        if not part.converts:
            yield torch_step(part)
            continue
        own = CompileOptions(part.file, platform=PLATFORM, outputs=part.outputs)
        yield _compiled(own, part.outputs)


def _compiled(
    options: CompileOptions, outputs: Sequence[str], whole: Path | None = None
) -> PlanStep:
    try:
        compiled = compile_model(options)
    except AutosplitError as e:
        raise refusal(e) from e
    plan = Plan.from_module(compiled.module, compiled.store, whole=whole)
    return PlanStep(plan, explain_int8(compiled.module), outputs)


def torch_step(part: ProgramPart) -> TorchStep:
    """A part that torch runs. Raises AutosplitError if it has an op that PyTorch does not have."""
    _ = part.executor
    graph = "graph_0"
    outside = [
        Outside(op.name, op.type, graph, op.code or "no-product", op.text or NO_PRODUCT)
        for op in part.ops
    ]
    stage = Stage(graph, TORCH, 0, len(outside))
    return TorchStep(part, Int8Explanation("", "", [stage], [], outside))


def _joined(parts: Sequence[Int8Explanation]) -> Int8Explanation:
    """One explanation of several, whose graphs are numbered from the first to the last."""
    if len(parts) == 1:
        return parts[0]
    first = next(one for one in parts if one.version)
    explanation = Int8Explanation(first.version, first.policy, [], [], [])
    for one in parts:
        names = {s.name: f"graph_{len(explanation.stages) + i}" for i, s in enumerate(one.stages)}
        explanation.stages.extend(replace(s, name=names[s.name]) for s in one.stages)
        explanation.partitions.extend(replace(p, graph=names[p.graph]) for p in one.partitions)
        explanation.outside.extend(replace(op, graph=names[op.graph]) for op in one.outside)
        explanation.moves.extend(replace(op, graph=names[op.graph]) for op in one.moves)
    return explanation
