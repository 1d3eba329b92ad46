"""A model in ONNX Runtime, which tells calibrators the numbers of some of its values.

Nothing is kept of a sample. If the least and the largest number are all that is asked for, the model itself
computes them, and nothing else leaves it; else values leave it in groups of `MEMORY` bytes, and the model
runs once for each group. What corrections need to know of channels, the model always computes itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.calibration.calibrators import CALIBRATORS, MinMax, MovingAverage, RangeFinder
from autosplit.calibration.channels import ChannelCounts, ChannelMeans, ChannelPeaks
from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.platform import platform_graph, shape_of, value_name
from autosplit.flows.quantizing.observer import Observer, Reduced, ValueChannels
from autosplit.formats.onnx.files import write_model
from autosplit.lowering.shared.extract import extract_onnx

Array = NDArray[np.generic]

MEMORY = 1 << 27
"""Bytes of values that are held at a time."""

ENDS = ("ReduceMin", "ReduceMax")


class ObservedModel(Observer):
    """A model of canonical ONNX whose values of some names are watched, by one calibrator each.

    `channels`: of which channels what is to be known; they see the samples too. `levels`: the values whose
    channels may be scaled, and which dimension these are: see `ChannelCounts`.
    Raises AutosplitError for a calibrator that there is not.
    """

    def __init__(
        self,
        module: ModuleOp,
        names: Sequence[str],
        calibrator: str,
        custom_ops: Sequence[Path] = (),
        channels: Mapping[ValueChannels, ChannelPeaks | ChannelMeans] | None = None,
        levels: Mapping[str, int] | None = None,
    ):
        if calibrator not in CALIBRATORS:
            calibrator_names = sorted(CALIBRATORS)
            raise AutosplitError(
                f"there is no calibrator {calibrator!r}{choice(calibrator, calibrator_names)}; they are "
                f"{', '.join(calibrator_names)}"
            )
        graph = platform_graph(module)
        inputs = {name: dtype_of(value.type) for name, value in graph.graph_inputs()}
        inner = [name for name in names if name not in inputs]
        reduced = {
            watched: [
                Reduced(
                    f"{watched.value} {kind} {watched.axis}",
                    kind,
                    watched.axis,
                )
                for kind in seer.REDUCED
            ]
            for watched, seer in (channels or {}).items()
        }
        ends: dict[str, list[Reduced]] = {}
        if CALIBRATORS[calibrator] in (MinMax, MovingAverage):
            measured = [n for n in inner if n not in (levels or {})]
            ends = {n: [Reduced(f"{n} {kind}", kind) for kind in ENDS] for n in measured}
        self._folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        super().__init__(
            Path(self._folder.name) / "observed.onnx" if inner or reduced else None,
            {name: "" if dtype is None else dtype.name for name, dtype in inputs.items()},
            [],
            _calibrators(names, CALIBRATORS[calibrator], levels or {}),
            dict(channels or {}),
            ends,
            reduced,
            custom_ops,
        )
        if self.model is not None:
            self.groups = self._write(module, inner, self.model)

    def _write(self, module: ModuleOp, inner: list[str], path: Path) -> list[list[str]]:
        """The model, with what is to be computed of its values; what leaves it."""
        wanted = [(n, one) for n, ends in self.ends.items() for one in ends]
        wanted += [(channels.value, one) for channels, ones in self.reduced.items() for one in ones]
        if wanted:
            module = _with_reduced(module, wanted)
        # The numbers that the model computes itself leave it with the first group.
        own = [name for name in inner if name not in self.ends]
        numbers = [one.name for _, one in wanted]
        extracted = extract_onnx(module, [*numbers, *own], list(self.inputs))
        groups = _groups(extracted, own) or [[]]
        groups[0] = [*numbers, *groups[0]]
        write_model(extracted, store_for(module), path, apart=True)
        return groups

    def close(self) -> None:
        """Removes the files; the calibrators stay."""
        self.executor = None
        self._folder.cleanup()


def _calibrators(
    names: Sequence[str], make: Callable[[], RangeFinder], levels: Mapping[str, int]
) -> dict[str, Any]:
    return {n: ChannelCounts(levels[n], make()) if n in levels else make() for n in names}


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


def _with_reduced(module: ModuleOp, wanted: Sequence[tuple[str, Reduced]]) -> ModuleOp:
    """A copy that also computes what is wanted of values, by name."""
    copy = module.clone()
    by_value: dict[str, list[Reduced]] = {}
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


def _reduce(value: SSAValue, one: Reduced) -> None:
    """Adds an op that computes a number from a value, or one for each of its channels."""
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
