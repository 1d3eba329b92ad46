"""A program in parts: those that convert to ONNX, each a program of its own, and those that torch runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import Kind, reason_of
from autosplit.dialects.platform import PlatformOp
from autosplit.flows.splitting.job import SplitJob
from autosplit.flows.splitting.options import SplitOptions
from autosplit.flows.splitting.steps import run_steps
from autosplit.flows.torch_modules.exported import NotExportedError
from autosplit.folder.plans import functions
from autosplit.lowering.pipelines import build_passes, with_options
from autosplit.platforms import load_model
from autosplit.registry import get_all_passes
from autosplit.runtime.frameworks.torch import TorchExecutor
from autosplit.runtime.frameworks.torch_calls import import_torch, note_writes

if TYPE_CHECKING:
    import torch

    from autosplit.dialects.device import FuncOp

PIPELINE = "parts"

NO_PRODUCT = "it has no product of float32 numbers to be quantized"

MOVED = ("fewest", "known", "no-work", "tied")
"""The codes of reasons for which ops that convert are with others that do not."""


@dataclass(frozen=True)
class Left:
    """An op that torch runs."""

    name: str
    type: str
    code: str
    """Of the reason; "" where none is noted."""
    text: str


@dataclass(frozen=True)
class ProgramPart:
    """A part of a program, which is one in a file of its own."""

    file: Path
    inputs: Sequence[str]
    outputs: Sequence[str]
    converts: bool = True
    """Whether all of its ops have ONNX counterparts."""
    ops: Sequence[Left] = field(default=(), repr=False)
    """Its ops, with what is noted of those that do not convert, or that are not worth a part."""

    @property
    def left(self) -> list[Left]:
        """The ops that do not convert."""
        return [op for op in self.ops if not self.converts and op.code not in MOVED]

    @cached_property
    def executor(self) -> TorchExecutor:
        """The part in torch, op by op."""
        return TorchExecutor(self.file)

    def run(self, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """What torch makes of the part's inputs."""
        return self.executor.run_tensors(tensors, self.outputs)


def in_parts(program: Path, outputs: Sequence[str], why: NotExportedError) -> list[ProgramPart]:
    """The parts of a program in a file, in the order in which they run, beside that file.

    Raises `why`, which says what does not convert, where no part that converts would compute anything.
    """
    model = load_model(program, "pytorch")
    note_writes(import_torch("cutting a module"), model.module)
    options = SplitOptions(program, outputs=outputs)
    passes = with_options(
        build_passes(PIPELINE, get_all_passes()), {"job": SplitJob(model, options, model)}
    )
    try:
        for _ in run_steps(passes, model, lambda _: None):
            pass
    except AutosplitError as e:
        raise why from e
    *graphs, _ = functions(model.module)
    if not any(graph.target.is_dnnl for graph in graphs):
        raise why
    parts: list[ProgramPart] = []
    for graph in graphs:
        stem = f"{program.stem}-{graph.sym_name.data}"
        (name,) = model.platform.emit(
            model.module, graph, model.store, program.parent, stem
        ).values()
        parts.append(_part(graph, program.parent / name))
    return parts


def _part(graph: FuncOp, file: Path) -> ProgramPart:
    ops = [op for op in graph.body.block.ops if isinstance(op, PlatformOp) and not op.IS_CONSTANT]
    reasons = [(op, reason_of(op)) for op in ops]
    return ProgramPart(
        file,
        [name.data for name in graph.input_names],
        [name for name, _ in graph.outputs],
        graph.target.kind.data == Kind.dnnl,
        [
            Left(op.identity, op.op_type, reason.code.data, reason.text.data)
            if reason is not None
            else Left(op.identity, op.op_type, "", "")
            for op, reason in reasons
        ],
    )


def run_in_torch(
    parts: Sequence[ProgramPart], tensors: Mapping[str, torch.Tensor]
) -> Iterator[tuple[ProgramPart, Mapping[str, Any]]]:
    """Each part, with the tensors that it reads; torch computes them, as far as a later part reads any."""
    values = dict(tensors)
    for i, part in enumerate(parts):
        read = {name: values[name] for name in part.inputs}
        yield part, read
        if i + 1 < len(parts):
            values |= part.run(read)
