"""A Top module whose ops compute with 8 bits, as a chip's do, or with real numbers, as a run says.

A value is 8 bits if the op that makes it computes so, or the op that reads it. Steps are as on the chips:
the same on both sides of 0, 127 of them up to the threshold, or 255 where no number is negative; weights of
convolutions have theirs by channel, those of products all the same. BM1684 only shifts sums, which gives
all weights of a product one step, and rounds halves up. How other kernels round sums is not in it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from math import prod
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
from autosplit.lowering.top.byte_weights import (
    BY_CHANNEL,
    PRODUCTS,
    rounded_weights,
    shifted_product,
)
from autosplit.runtime.frameworks.onnx import OnnxExecutor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autosplit.calibration.calibrate import Tables
    from autosplit.devices import Chip

    Array = NDArray[Any]

HALF = 0.5 + 2.0**-14

SWITCH = "real numbers for "
"""How the names of the inputs begin that say what an op computes with."""


class SwitchedChip:
    """The module of a sub-model's tables, ready to run, with corrected biases where they are known.

    Values with another mode than INT8 are real numbers in any case. `switched`: whether a run says of the
    others; else all of them compute with 8 bits, which takes a third of the time to make.
    """

    def __init__(self, tables: Tables, chip: Chip, *, switched: bool = True):
        reading = _Casts(tables, chip, switched)
        self._is_switched = switched
        back = convert_back(tables.module, reading=reading)
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

    def __init__(self, tables: Tables, chip: Chip, has_switches: bool):
        self.ranges = tables.ranges
        self.biases = tables.biases
        self.has_switches = has_switches
        self.is_shifted = chip.shifts_sums
        self.types: dict[str, str] = {}
        self.returned_names: dict[str, str] = {}
        """By what the graph calls an output: what the module calls it."""
        self.store = store_for(tables.module)
        self._switches: dict[TopOp, SSAValue] = {}
        self._rounded: dict[SSAValue, SSAValue] = {}
        self._limits: dict[int, SSAValue] = {}
        self._products: dict[TopOp, Sequence[Array | None]] = {}
        self._ops = [
            op
            for op in top_function(tables.module).body.block.ops
            if isinstance(op, TopOp) and op.kind not in ("None", "Weight", "Input")
        ]
        # In the order of the module.
        self._narrow = {
            op: op.kind
            for op in self._ops
            if tables.modes.keys().isdisjoint(op.names) and self._has_bytes(op)
        }

    def _has_bytes(self, op: TopOp) -> bool:
        """Whether the chip has the op in 8 bits: BM1684 has products of a matrix with weights only."""
        if not self.is_shifted or op.kind != "MatMul":
            return True
        rows, columns = (shape_of(value.type) or () for value in op.inputs[:2])
        is_matrix = is_weight(op.inputs[1]) and len(columns) == 2 and not op.flag("right_transpose")
        return is_matrix and rows[:1] == (prod(rows[:-1]),)

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
        if self.is_shifted and back.op.kind in PRODUCTS:
            # A shift rounds halves up; float32 is not quite there.
            raised = back.emit("Add", [steps, back.number(HALF, "half")], None, "up", real.type)
            whole = back.emit("Floor", [raised], None, "whole", real.type)
        else:
            whole = back.emit("Round", [steps], None, "whole", real.type)
        for end in (least, most):
            if end not in self._limits:
                self._limits[end] = back.number(float(end), "limit")
        ends = [self._limits[least], self._limits[most]]
        held = back.emit("Clip", [whole, *ends], None, "held", real.type)
        return back.emit("Mul", [held, step], None, "stepped", real.type)

    def _weights(self, op: TopOp, value: SSAValue, graph: OnnxGraph) -> SSAValue | None:
        """The weights or the bias that an op reads; None where they stay as they are."""
        arrays = self._arrays(op, graph)
        place = [*op.inputs].index(value) - 1
        if place not in range(len(arrays)) or (array := arrays[place]) is None:
            return None
        back = Back(op, graph)
        rounded = back.constant("rounded", array.reshape(shape_of(value.type) or ()))
        if not self._switches:
            return rounded
        # The archive may hold the corrected bias by now.
        was, _ = self.biases.get(weight_name(value), (None, None))
        shape = shape_of(value.type) or ()
        real = back.weight(value) if was is None else back.constant("real", was.reshape(shape))
        return back.emit("Where", [self._switches[op], real, rounded], None, "weights", real.type)

    def _arrays(self, op: TopOp, graph: OnnxGraph) -> Sequence[Array | None]:
        """The weights and the bias of a product in 8 bits; nothing for what the chip does not round."""
        if op not in self._products:
            self._products[op] = self._rounded_arrays(op, graph)
        return self._products[op]

    def _rounded_arrays(self, op: TopOp, graph: OnnxGraph) -> Sequence[Array | None]:
        if op.kind not in PRODUCTS or not is_weight(op.inputs[1]):
            return ()
        weights, bias = self._array(op, 1), self._array(op, 2)
        assert weights is not None
        if not self.is_shifted:
            corrected = bias if bias is not None and self._is_corrected(op) else None
            return rounded_weights(weights, by_channel=op.kind in BY_CHANNEL), corrected
        steps = self._steps(op, graph)
        made = steps and shifted_product(weights, bias, *steps, op.kind)
        return (made.weights, made.bias) if made else ()

    def _array(self, op: TopOp, number: int) -> Array | None:
        """A weight, as it is corrected; None where the operand is none."""
        if number >= len(op.inputs) or not is_weight(value := op.inputs[number]):
            return None
        name = weight_name(value)
        _, array = self.biases.get(name, (None, None))
        array = np.asarray(self.store.array(name) if array is None else array, np.float32)
        return array.reshape(shape_of(value.type) or ())

    def _is_corrected(self, op: TopOp) -> bool:
        return weight_name(op.inputs[2]) in self.biases

    def _steps(self, op: TopOp, graph: OnnxGraph) -> tuple[float, float] | None:
        """The steps of what a product reads and makes; None where one has none."""
        source = op.inputs[0]
        if not isinstance(source, OpResult) or is_weight(source):
            return None
        inner = self.ranges.get(_back(source, graph).name(source.index))
        outer = self.ranges.get(Back(op, graph).name())
        return None if inner is None or outer is None else (step_of(inner), step_of(outer))


def step_of(span: Range) -> float:
    """How far two of a value's 8-bit numbers are apart."""
    return span.threshold / (LEVELS if span.low < 0 else 2 * LEVELS + 1)


def _back(value: SSAValue, graph: OnnxGraph) -> Back:
    assert isinstance(value, OpResult)
    assert isinstance(value.op, TopOp)
    return Back(value.op, graph)
