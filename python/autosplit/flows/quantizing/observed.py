"""A model in ONNX Runtime, which tells calibrators the numbers of some of its values.

Nothing is kept of a sample. If the least and the largest number are all that is asked for, the model itself
computes them, and nothing else leaves it; else values leave it in groups of `MEMORY` bytes, and the model
runs once for each group.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.calibration.calibrators import CALIBRATORS, MinMax
from autosplit.core.casting import cast_input
from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import platform_graph, shape_of, value_name
from autosplit.formats.onnx.files import write_model
from autosplit.inputs.values import Value
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.runtime.frameworks.onnx import OnnxExecutor

Array = NDArray[np.generic]

MEMORY = 1 << 27
"""Bytes of values that are held at a time."""

ENDS = ("ReduceMin", "ReduceMax")


class ObservedModel:
    """A model of canonical ONNX whose values of some names are watched, by one calibrator each.

    Raises AutosplitError for a calibrator that there is not.
    """

    def __init__(
        self,
        module: ModuleOp,
        names: Sequence[str],
        calibrator: str,
        custom_ops: Sequence[Path] = (),
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
        self._reduces = CALIBRATORS[calibrator] is MinMax
        self._folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        self._executor: OnnxExecutor | None = None
        self._groups: list[list[str]] = []
        if not inner:
            return
        if self._reduces:
            module, inner = _with_ends(module, frozenset(inner))
        extracted = extract_onnx(module, inner, list(self.inputs))
        self._groups = [inner] if self._reduces else _groups(extracted, inner)
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
            if not self._reduces:
                for name, array in made.items():
                    self._add(name, array)
                continue
            for low, high in zip(group[::2], group[1::2], strict=True):
                self._add(low.rpartition(" ")[0], np.array([made[low], made[high]]))

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
        numbers = array.astype(np.float32, copy=False)
        if not np.isfinite(numbers).all():
            raise AutosplitError(
                f"sample {self.samples}: {name!r} holds numbers that are not finite; leave the sample out, "
                "or look at what it is made of"
            )
        self.calibrators[name].add(numbers)

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


def _with_ends(module: ModuleOp, names: Container[str]) -> tuple[ModuleOp, list[str]]:
    """A copy that computes the least and the largest number of each value, too; the names of these."""
    copy = module.clone()
    ends: list[str] = []
    for op in platform_graph(copy).body_ops():
        made = [(value_name(r), r) for r in op.results]
        for name, value in made:
            for kind in ENDS if name in names else ():
                ends.append(f"{name} {kind}")
                node = make_node(
                    kind,
                    [value],
                    ends[-1:],
                    attributes={"keepdims": 0},
                    result_types=[TensorType(f32, [])],
                )
                Rewriter.insert_op(node, InsertPoint.after(op))
    return copy, ends
