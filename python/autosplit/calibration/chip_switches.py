"""A Top module whose ops compute with 8 bits, as a chip's do, or with real numbers, as a run says.

A value is 8 bits if the op that makes it computes so, or the op that reads it. Steps are as on the chips:
the same on both sides of 0, 127 of them up to the threshold, or 255 where no number is negative; weights of
convolutions have theirs by channel, those of products all the same. BM1684 scales sums by powers of two
only, which makes its weights' steps up to twice as large. How kernels round sums is not in it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Block, Operation, OpResult, SSAValue

from autosplit.calibration.table_files import Range
from autosplit.core.weights import store_for
from autosplit.devices import LEVELS
from autosplit.dialects.platform import platform_graph, shape_of, value_name
from autosplit.dialects.top import TopOp
from autosplit.formats.onnx.files import write_model
from autosplit.lowering.convert_top_to_onnx import convert_back, top_function
from autosplit.lowering.convert_top_to_onnx.base import (
    Back,
    OnnxGraph,
    Reading,
    is_weight,
    weight_name,
)
from autosplit.lowering.top.byte_weights import BY_CHANNEL, PRODUCTS, rounded_weights
from autosplit.runtime.frameworks.onnx import OnnxExecutor

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip

    Array = NDArray[Any]

SWITCH = "real numbers for "
"""How the names of the inputs begin that say what an op computes with."""


class SwitchedChip:
    """The module, ready to run.

    `real`: names of values whose ops compute with real numbers in any case. `switched`: whether a run says of
    the others; else all of them compute with 8 bits, which takes a third of the time to make.
    """

    def __init__(
        self,
        module: ModuleOp,
        ranges: Mapping[str, Range],
        chip: Chip,
        real: Container[str],
        *,
        switched: bool = True,
    ):
        reading = _Casts(module, ranges, chip, real, switched)
        self._is_switched = switched
        back = convert_back(module, reading=reading)
        self.types: dict[str, str] = reading.types
        """The ops that can be switched, by what they make, and their kinds."""
        self.outputs: dict[str, str] = {
            reading.returned_names.get(name, name): name
            for name, _ in platform_graph(back).graph_outputs()
        }
        """By what the module returns: what the graph calls it."""
        self._inputs = {
            name: shape_of(value.type) or ()
            for name, value in platform_graph(back).graph_inputs()
            if not name.startswith(SWITCH)
        }
        with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
            path = Path(folder) / "switched.onnx"
            write_model(back, store_for(back), path)
            self._executor = OnnxExecutor(path, optimize=True, sparing=True)

    @property
    def products(self) -> list[str]:
        """What may be kept: every op, as 8 bits are lost between two of them."""
        return list(self.types)

    def run(self, feeds: Mapping[str, Any], real: Collection[str]) -> dict[str, Array]:
        """The outputs, with real numbers for some ops."""
        names = self.types if self._is_switched else ()
        inputs: dict[str, Any] = {SWITCH + name: np.array(name in real) for name in names}
        for name, shape in self._inputs.items():
            array = np.asarray(feeds[name], np.float32)
            # Top has no scalars.
            inputs[name] = array.reshape(array.shape or shape)
        results = self._executor.run(inputs, [*self.outputs.values()])
        return {name: results[value] for name, value in self.outputs.items()}

    def settled(self, kept: Collection[str]) -> set[str]:
        """The ops that compute with real numbers if some do: these."""
        return set(kept)


class _Casts(Reading):
    """What ops read: 8 bits, or real numbers where a switch says so."""

    def __init__(
        self,
        module: ModuleOp,
        ranges: Mapping[str, Range],
        chip: Chip,
        real: Container[str],
        has_switches: bool,
    ):
        self.ranges = ranges
        self.has_switches = has_switches
        self.is_shifted = "signed-sums" in chip.workarounds
        self.types: dict[str, str] = {}
        self.returned_names: dict[str, str] = {}
        """By what the graph calls an output: what the module calls it."""
        self.store = store_for(module)
        self._switches: dict[TopOp, SSAValue] = {}
        self._rounded: dict[SSAValue, SSAValue] = {}
        self._limits: dict[int, SSAValue] = {}
        self._ops = [
            op
            for op in top_function(module).body.block.ops
            if isinstance(op, TopOp) and op.kind not in ("None", "Weight", "Input")
        ]
        # In the order of the module.
        self._narrow = {op: op.kind for op in self._ops if not any(n in real for n in op.names)}

    def inputs(self, graph: OnnxGraph) -> list[str]:
        self.types |= {op.names[0]: kind for op, kind in self._narrow.items()}
        if not self.has_switches:
            return []
        for op in self._narrow:
            self._switches[op] = graph.block.insert_arg(TensorType(i1, []), len(graph.block.args))
        return [SWITCH + name for name in self.types]

    def read(self, op: TopOp, graph: OnnxGraph) -> dict[SSAValue, SSAValue]:
        return {
            value: replacement
            for value in dict.fromkeys(op.inputs)
            if (replacement := self._read(op, value, graph)) is not None
        }

    def returned(self, values: Sequence[SSAValue], graph: OnnxGraph) -> dict[SSAValue, SSAValue]:
        replacements: dict[SSAValue, SSAValue] = {}
        for value in dict.fromkeys(values):
            rounded = self._cast(value, graph) if self._is_narrow(value.owner) else None
            if rounded is not None:
                replacements[value] = result = self._where([value.owner], value, rounded, graph)
                assert isinstance(value, OpResult)
                self.returned_names[value_name(result)] = _back(value, graph).name(value.index)
        return replacements

    def _is_narrow(self, owner: Operation | Block) -> bool:
        return isinstance(owner, TopOp) and owner in self._narrow

    def _read(self, op: TopOp, value: SSAValue, graph: OnnxGraph) -> SSAValue | None:
        """What an op reads in place of an operand; None where it is the operand."""
        if is_weight(value):
            return self._weights(op, value, graph) if self._is_narrow(op) else None
        narrow = [owner for owner in (op, value.owner) if self._is_narrow(owner)]
        rounded = self._cast(value, graph) if narrow else None
        return None if rounded is None else self._where(narrow, value, rounded, graph)

    def _where(
        self,
        narrow: Sequence[Operation | Block],
        value: SSAValue,
        rounded: SSAValue,
        graph: OnnxGraph,
    ) -> SSAValue:
        """A value between ops that compute with 8 bits: `rounded`, unless switches say otherwise."""
        switches = [self._switches[op] for op in narrow if isinstance(op, TopOp) and self._switches]
        if not switches:
            return rounded
        back, real = _back(value, graph), graph.values[value]
        switch = switches[0]
        if len(switches) == 2:
            switch = back.emit("And", switches, None, "switch", TensorType(i1, []))
        return back.emit("Where", [switch, real, rounded], None, "read", real.type)

    def _cast(self, value: SSAValue, graph: OnnxGraph) -> SSAValue | None:
        """A value in 8 bits; None for one without a range."""
        if value not in self._rounded and value in graph.values:
            assert isinstance(value, OpResult)
            span = self.ranges.get(_back(value, graph).name(value.index))
            if span is None:
                return None
            self._rounded[value] = self._stepped(value, span, graph)
        return self._rounded.get(value)

    def _stepped(self, value: SSAValue, span: Range, graph: OnnxGraph) -> SSAValue:
        back, real = _back(value, graph), graph.values[value]
        least, most = (-LEVELS - 1, LEVELS) if span.low < 0 else (0, 2 * LEVELS + 1)
        step = back.number(step_of(span), "step")
        steps = back.emit("Div", [real, step], None, "steps", real.type)
        whole = back.emit("Round", [steps], None, "whole", real.type)
        for end in (least, most):
            if end not in self._limits:
                self._limits[end] = back.number(float(end), "limit")
        ends = [self._limits[least], self._limits[most]]
        held = back.emit("Clip", [whole, *ends], None, "held", real.type)
        return back.emit("Mul", [held, step], None, "stepped", real.type)

    def _weights(self, op: TopOp, value: SSAValue, graph: OnnxGraph) -> SSAValue | None:
        """The weights that an op reads; None where they stay as they are."""
        if op.kind not in PRODUCTS or value is not op.inputs[1]:
            return None
        back = Back(op, graph)
        array = np.asarray(self.store.array(weight_name(value)), np.float32)
        array = array.reshape(shape_of(value.type) or ())
        ratio = self._ratio(op, graph)
        if ratio is None:
            return None
        rounded = rounded_weights(array, ratio, by_channel=op.kind in BY_CHANNEL)
        weights = back.constant("rounded", rounded)
        if not self._switches:
            return weights
        real = back.weight(value)
        return back.emit("Where", [self._switches[op], real, weights], None, "weights", real.type)

    def _ratio(self, op: TopOp, graph: OnnxGraph) -> float | None:
        """What weights' steps are powers of two of; 0 where they are any, None where nothing is known."""
        if not self.is_shifted:
            return 0.0
        source = op.inputs[0]
        if not isinstance(source, OpResult) or is_weight(source):
            return None
        inner = self.ranges.get(_back(source, graph).name(source.index))
        outer = self.ranges.get(Back(op, graph).name())
        return None if inner is None or outer is None else step_of(outer) / step_of(inner)


def step_of(span: Range) -> float:
    """How far two of a value's 8-bit numbers are apart."""
    return span.threshold / (LEVELS if span.low < 0 else 2 * LEVELS + 1)


def _back(value: SSAValue, graph: OnnxGraph) -> Back:
    assert isinstance(value, OpResult)
    assert isinstance(value.op, TopOp)
    return Back(value.op, graph)
