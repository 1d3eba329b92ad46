"""The sizes of all tensors of chosen ops for those of their inputs, checked before the library sees them.

What holds for all sizes (attributes, the order of the ops, who reads what) is found out once for a choice of
ops: new sizes take arithmetic only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import DnnlOp
from autosplit.dialects.dnnl.check import sizes_for
from autosplit.dialects.platform import shape_of
from autosplit.runtime.dnnl.api import UNKNOWN, LogicalTensor
from autosplit.runtime.dnnl.library import Shapes
from autosplit.runtime.dnnl.limits import fixed_limit, fusion_limit, limit

Shape = tuple[int, ...]


def name_of(op: DnnlOp) -> str:
    """How messages speak of an op: its kind and its name in the model."""
    return f"{op.kind} {op.identity}".rstrip()


def wrong(op: DnnlOp, error: Exception) -> AutosplitError:
    """The error of an op that contradicts itself."""
    return AutosplitError(f"{name_of(op)}: {' '.join(str(error).split())}")


@dataclass(frozen=True)
class _Step:
    """An op, and its tensors as the library numbers them."""

    op: DnnlOp
    reads: tuple[int, ...]
    writes: tuple[int, ...]


class Inference:
    """The sizes of tensors inside of partitions of one graph.

    `ops` and `tensors` may still grow while the graph is built; they are read when sizes are asked for.
    """

    def __init__(self, ops: Mapping[int, DnnlOp], tensors: Mapping[SSAValue, LogicalTensor]):
        self._ops, self._tensors = ops, tensors
        self._steps: dict[tuple[int, ...], list[_Step]] = {}
        self._last: tuple[object, Shapes] | None = None
        """The last question and its answer: the same is asked before and while a partition is compiled."""

    def __call__(self, chosen: Sequence[int], inputs: Shapes) -> Shapes:
        """The sizes of all tensors of chosen ops, from those of the inputs.

        AutosplitError where they contradict each other or what the types say: the library would crash.
        """
        key = tuple(chosen)
        question = key, tuple(inputs.items())
        if self._last is not None and self._last[0] == question:
            return self._last[1]
        steps = self._steps.get(key)
        if steps is None:
            steps = self._steps[key] = self._read_steps(key)
        shapes = dict(inputs)
        partition = {step.op: None for step in steps}
        for step in steps:
            operands = [shapes[i] for i in step.reads]
            results = _result_shapes(step.op, operands)
            if (reason := fusion_limit(step.op, operands, results, partition)) is not None:
                raise AutosplitError(f"{name_of(step.op)} {reason}: oneDNN has no kernel for it")
            shapes.update(zip(step.writes, results, strict=True))
        self._last = question, shapes
        return shapes

    def _read_steps(self, chosen: Sequence[int]) -> list[_Step]:
        tensors = self._tensors
        steps: list[_Step] = []
        for op in (self._ops[i] for i in sorted(chosen) if i in self._ops):
            if (reason := fixed_limit(op)) is not None:
                raise AutosplitError(f"{name_of(op)} {reason}: oneDNN has no kernel for it")
            reads = tuple(tensors[v].id for v in op.operands)
            steps.append(_Step(op, reads, tuple(tensors[r].id for r in op.results)))
        return steps


def _result_shapes(op: DnnlOp, operands: Sequence[Shape]) -> list[Shape]:
    """The sizes of an op's results when its operands have these sizes; AutosplitError where they clash.

    The op was verified when the graph was built.
    """
    try:
        shapes = sizes_for(op, operands)
    except ValueError as e:
        raise wrong(op, e) from e
    if (reason := limit(op, operands)) is not None:
        raise AutosplitError(f"{name_of(op)} {reason}: oneDNN has no kernel for it")
    results: list[Shape] = []
    for shape, result in zip(shapes, op.results, strict=False):
        sizes = shape_of(result.type) if shape is None or UNKNOWN in shape else shape
        if sizes is None or UNKNOWN in sizes:
            raise AutosplitError(
                f"{name_of(op)}: the sizes of its results do not follow from {list(operands)}"
            )
        results.append(sizes)
    return results
