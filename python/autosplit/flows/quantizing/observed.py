"""A model in ONNX Runtime, which tells calibrators the numbers of some of its values.

Nothing is kept of a sample. If the least and the largest number are all that is asked for, the model itself
computes them, and nothing else leaves it; else values leave it in groups of `MEMORY` bytes, and the model
runs once for each group. What corrections need to know of channels, the model always computes itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.calibration.calibrators import CALIBRATORS, MinMax, MovingAverage
from autosplit.calibration.channels import ChannelMeans, ChannelPeaks
from autosplit.core.casting import cast_input
from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.platform import platform_graph, shape_of, value_name
from autosplit.formats.onnx.files import write_model
from autosplit.inputs.values import Value
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.runtime.frameworks.onnx import OnnxExecutor

Array = NDArray[np.generic]

MEMORY = 1 << 27
"""Bytes of values that are held at a time."""

ENDS = ("ReduceMin", "ReduceMax")


@dataclass(frozen=True)
class ValueChannels:
    """The channels of a value: its name, and the dimension that they are."""

    value: str
    axis: int


@dataclass(frozen=True)
class _Reduced:
    """What the model computes of a value: the name of the result, the op, and which dimension stays."""

    name: str
    kind: str
    axis: int | None = None


class ObservedModel:
    """A model of canonical ONNX whose values of some names are watched, by one calibrator each.

    `channels`: of which channels what is to be known; they see the samples too.
    Raises AutosplitError for a calibrator that there is not.
    """

    def __init__(
        self,
        module: ModuleOp,
        names: Sequence[str],
        calibrator: str,
        custom_ops: Sequence[Path] = (),
        channels: Mapping[ValueChannels, ChannelPeaks | ChannelMeans] | None = None,
    ):
        if calibrator not in CALIBRATORS:
            known = sorted(CALIBRATORS)
            raise AutosplitError(
                f"there is no calibrator {calibrator!r}{choice(calibrator, known)}; they are "
                f"{', '.join(known)}"
            )
        self.calibrators: dict[str, Any] = {name: CALIBRATORS[calibrator]() for name in names}
        self.samples = 0
        graph = platform_graph(module)
        self.inputs = {name: dtype_of(value.type) for name, value in graph.graph_inputs()}
        inner = [name for name in names if name not in self.inputs]
        self.channels = dict(channels or {})
        reduced = {
            known: [
                _Reduced(f"{known.value} {kind} {known.axis}", kind, known.axis)
                for kind in seer.REDUCED
            ]
            for known, seer in self.channels.items()
        }
        self._ends: dict[str, list[_Reduced]] = {}
        if CALIBRATORS[calibrator] in (MinMax, MovingAverage):
            self._ends = {n: [_Reduced(f"{n} {kind}", kind) for kind in ENDS] for n in inner}
        self._reduced = reduced
        self._folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        self._executor: OnnxExecutor | None = None
        self._groups: list[list[str]] = []
        if not inner and not reduced:
            return
        wanted = [(n, one) for n, ends in self._ends.items() for one in ends]
        wanted += [(known.value, one) for known, ones in reduced.items() for one in ones]
        if wanted:
            module = _with_reduced(module, wanted)
        # The numbers that the model computes itself leave it with the first group.
        own, numbers = [] if self._ends else inner, [one.name for _, one in wanted]
        extracted = extract_onnx(module, [*numbers, *own], list(self.inputs))
        self._groups = _groups(extracted, own) or [[]]
        self._groups[0] = [*numbers, *self._groups[0]]
        path = Path(self._folder.name) / "observed.onnx"
        write_model(extracted, store_for(module), path)
        self._executor = OnnxExecutor(path, optimize=True, custom_ops=custom_ops)

    def close(self) -> None:
        """Removes the files; the calibrators stay."""
        self._executor = None
        self._folder.cleanup()

    def take(self, samples: Iterable[Mapping[str, Value]], watch: Callable[[int], None]) -> None:
        """Runs the model on each sample; `watch` is called with the number of those that are done.

        Raises AutosplitError for a sample that does not fit, and where a value is not finite.
        """
        for feeds in samples:
            self.samples += 1
            self._take(feeds)
            watch(self.samples)

    def _take(self, sample: Mapping[str, Value]) -> None:
        feeds = {name: self._given(sample, name) for name in self.inputs}
        for name in self.inputs:
            if name in self.calibrators:
                self._add(name, np.asarray(feeds[name]))
        if (executor := self._executor) is None:
            return
        for group in self._groups:
            try:
                made = executor.run({n: feeds[n] for n in executor.input_names}, group)
            except AutosplitError as error:
                # The file is not one that the user knows.
                said = str(error).removeprefix(f"{executor.path}: ")
                raise AutosplitError(f"sample {self.samples}: {said}") from None
            for name in group:
                if name in self.calibrators:
                    self._add(name, made[name])
            if group is self._groups[0]:
                self._add_reduced(made)

    def _add_reduced(self, made: Mapping[str, Array]) -> None:
        """Sees what the model has computed itself."""
        for name, ends in self._ends.items():
            self._add(name, np.array([made[one.name] for one in ends]))
        for known, seer in self.channels.items():
            seer.add(*(self._finite(known.value, made[one.name]) for one in self._reduced[known]))

    def _given(self, sample: Mapping[str, Value], name: str) -> Value:
        """An input, in the model's dtype."""
        where = f"sample {self.samples}: "
        if name not in sample:
            hint = choice(name, list(sample))
            raise AutosplitError(f"{where}the input {name!r} is not given{hint}")
        value, dtype = sample[name], self.inputs[name]
        if dtype is None or not isinstance(value, np.ndarray):
            return value
        return cast_input(cast("Array", value), dtype.name, f"{where}input {name!r}")

    def _add(self, name: str, array: Array) -> None:
        self.calibrators[name].add(self._finite(name, array))

    def _finite(self, name: str, array: Array) -> NDArray[np.float32]:
        numbers = array.astype(np.float32, copy=False)
        if not np.isfinite(numbers).all():
            raise AutosplitError(
                f"sample {self.samples}: {name!r} holds numbers that are not finite; leave the sample out, "
                "or look at what it is made of"
            )
        return numbers

    def ranges(self) -> dict[str, tuple[float, float]]:
        """The range of each value. Raises AutosplitError before the first sample."""
        if not self.samples:
            raise AutosplitError("there is no data: quantizing needs at least one sample")
        return {name: one.range() for name, one in self.calibrators.items()}


def _groups(module: ModuleOp, names: Sequence[str]) -> list[list[str]]:
    """The values, in groups that are held at a time."""
    types = {name: value.type for name, value in platform_graph(module).graph_outputs()}
    groups: list[list[str]] = []
    room = 0
    for name in names:
        size = 4 * prod(max(d, 1) for d in shape_of(types[name]) or ())
        if size > room:
            groups.append([])
            room = MEMORY
        groups[-1].append(name)
        room -= size
    return groups


def _with_reduced(module: ModuleOp, wanted: Sequence[tuple[str, _Reduced]]) -> ModuleOp:
    """A copy that computes of values, by name, what is wanted of them, too."""
    copy = module.clone()
    by_value: dict[str, list[_Reduced]] = {}
    for name, one in wanted:
        by_value.setdefault(name, []).append(one)
    for name, value in list(_values(copy)):
        for one in by_value.get(name, ()):
            _reduce(value, one)
    return copy


def _values(module: ModuleOp) -> Iterator[tuple[str, SSAValue]]:
    graph = platform_graph(module)
    yield from graph.graph_inputs()
    for op in graph.body_ops():
        yield from ((value_name(r), r) for r in op.results)


def _reduce(value: SSAValue, one: _Reduced) -> None:
    """Has a number computed of a value, or one for each of its channels."""
    shape = shape_of(value.type) or ()
    inputs, attributes, sizes = [value], {"keepdims": 0}, list[int]()
    nodes = list[OnnxOp]()
    if one.axis is not None:
        others = np.array([i for i in range(len(shape)) if i != one.axis], np.int64)
        nodes.append(make_constant(f"{one.name} axes", others, None))
        inputs.append(nodes[0].results[0])
        # A vector is nothing but its channels.
        attributes["noop_with_empty_axes"] = 1
        sizes = [shape[one.axis]]
    types = [TensorType(f32, sizes)]
    nodes.append(make_node(one.kind, inputs, [one.name], attributes=attributes, result_types=types))
    owner = value.owner
    first = isinstance(owner, Block)
    Rewriter.insert_op(nodes, InsertPoint.at_start(owner) if first else InsertPoint.after(owner))
