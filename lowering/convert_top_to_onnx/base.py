"""The building blocks of conversions from Top to ONNX: the op, its operands as ONNX values, and new nodes.

A way back is a function that gets a `Back` and ends it with one `finish` for each result:

    @returns("Sigmoid")
    def sigmoid(b: Back) -> None:
        b.finish("Sigmoid", [b.x()])

Every value is f32, as in Top, and has the name that its location gives it. Where ONNX has booleans or
positions, they are cast on the way in and out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import NoneType, TensorType, f32, i1, i64
from xdsl.ir import Attribute, Block, OpResult, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import OnnxOp, make_constant
from autosplit.dialects.platform import free_name, shape_of
from autosplit.dialects.top import TopOp
from autosplit.lowering.shared.fold import AnyArray

Way: TypeAlias = "Callable[[Back], None]"
Inputs: TypeAlias = "Sequence[SSAValue | None]"
Fields: TypeAlias = "Mapping[str, object]"

RETURNS: dict[str, Way] = {}
"""By kind of Top op; importing the families fills it."""

FLOAT, INT64, BOOL = 1, 7, 9
"""The numbers that ONNX has for element types."""


def returns(*kinds: str) -> Callable[[Way], Way]:
    """Registers a function as the way back of kinds of Top ops."""

    def register(function: Way) -> Way:
        for kind in kinds:
            if kind in RETURNS:
                raise ValueError(f"top.{kind} has two ways back")
            RETURNS[kind] = function
        return function

    return register


class OnnxGraph:
    """The ONNX graph that is being written: its block, its values by Top value, its names and weights."""

    def __init__(self, block: Block, weights: WeightStore, store: WeightStore, names: set[str]):
        self.block = block
        self.weights = weights
        """What the Top module's weights are read from."""
        self.store = store
        """Where those of the ONNX graph go."""
        self.names = names
        self.values: dict[SSAValue, SSAValue] = {}

    def constant(self, name: str, array: AnyArray) -> SSAValue:
        """A new initializer; `name` is taken."""
        op = make_constant(name, np.ascontiguousarray(array).reshape(array.shape), self.store)
        self.block.add_op(op)
        return op.results[0]

    def fresh(self, base: str) -> str:
        """`base`, with a number appended if it is taken."""
        return free_name(self.names, base)


class Reading:
    """What ops read on the way back: the results of others, as they are. Others may read something else."""

    def inputs(self, graph: OnnxGraph) -> list[str]:
        """Adds inputs to the graph; their names."""
        return []

    def read(self, op: TopOp, graph: OnnxGraph) -> dict[SSAValue, SSAValue]:
        """What an op reads in place of some of its operands."""
        return {}

    def returned(self, values: Sequence[SSAValue], graph: OnnxGraph) -> dict[SSAValue, SSAValue]:
        """What the graph returns in place of some values."""
        return {}


class Back:
    """One Top op on its way to ONNX."""

    def __init__(self, op: TopOp, graph: OnnxGraph):
        self.op = op
        self.graph = graph

    # Operands

    def x(self, index: int = 0) -> SSAValue:
        """Operand `index`. Raises AutosplitError if it is left out."""
        value = self.optional(index)
        if value is None:
            raise self.refusal(f"has no operand {index}")
        return value

    def optional(self, index: int) -> SSAValue | None:
        """Operand `index`; None if it is left out or `none`."""
        if index >= len(self.op.inputs) or isinstance(self.op.inputs[index].type, NoneType):
            return None
        value = self.op.inputs[index]
        if (converted := self.graph.values.get(value)) is None:
            converted = self.weight(value)
        return converted

    def all(self) -> list[SSAValue]:
        """All operands."""
        return [self.x(i) for i in range(len(self.op.inputs))]

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of operand `index`, -1 where a size is unknown."""
        return self._shape(self.op.inputs[index], f"operand {index}")

    def array(self, index: int) -> AnyArray | None:
        """The array of operand `index` where it is a weight."""
        if index >= len(self.op.inputs):
            return None
        value = self.op.inputs[index]
        if not is_weight(value):
            return None
        shape = shape_of(value.type) or ()
        return self.graph.weights.array(weight_name(value)).reshape(shape)

    def positions(self, index: int) -> SSAValue:
        """Operand `index` as 64-bit integers."""
        if (array := self.array(index)) is not None:
            return self.constant("positions", np.rint(array).astype(np.int64))
        return self.cast(self.x(index), INT64)

    def truth(self, index: int) -> SSAValue:
        """Operand `index` as booleans: what is not 0."""
        return self.cast(self.x(index), BOOL)

    def weight(self, value: SSAValue) -> SSAValue:
        """An initializer for a weight, made when it is first read."""
        if not is_weight(value):
            raise self.refusal("reads a value that no op before it makes")
        name, shape = weight_name(value), shape_of(value.type) or ()
        array = self.graph.weights.array(name).reshape(shape).astype(np.float32, copy=False)
        initializer = self.graph.constant(name, array)
        self.graph.values[value] = initializer
        return initializer

    # Results

    def name(self, result: int = 0) -> str:
        """What result `result` is called."""
        return result_name(self.op, result)

    def result_shape(self, result: int = 0) -> tuple[int, ...]:
        """The shape of a result, -1 where a size is unknown."""
        return self._shape(self.op.outputs[result], f"result {result}")

    def is_static(self, result: int = 0) -> bool:
        """Whether all sizes of a result are known."""
        return all(d >= 0 for d in self.result_shape(result))

    def has_result(self, result: int) -> bool:
        """Whether a result is there at all."""
        outputs = self.op.outputs
        return result < len(outputs) and not isinstance(outputs[result].type, NoneType)

    def finish(
        self, op_type: str, inputs: Inputs, fields: Fields | None = None, result: int = 0
    ) -> None:
        """Emits the node that computes result `result`, with its name, and the op's final ReLU, if any."""
        type = TensorType(f32, self.result_shape(result))
        if "do_relu" in self.op.SPEC.attrs and self.op.flag("do_relu"):
            linear = self.emit(op_type, inputs, fields, "linear", type)
            op_type, inputs, fields = "Relu", [linear], None
            if (limit := self.op.number("relu_limit")) > 0:
                bounds = [self.number(0.0, "low"), self.number(limit, "high")]
                op_type, inputs = "Clip", [linear, *bounds]
        node = self._node(op_type, inputs, self.name(result), fields, [type])
        self.graph.values[self.op.outputs[result]] = node.results[0]

    def finish_as_float(self, value: SSAValue, result: int = 0) -> None:
        """Result `result` is `value`, booleans or positions, as f32."""
        self.finish("Cast", [value], {"to": FLOAT}, result)

    def finish_reshaped(self, value: SSAValue, result: int = 0) -> None:
        """Result `result` is `value` in the shape of its type."""
        if not self.is_static(result):
            raise self.refusal(f"has a result of unknown shape {list(self.result_shape(result))}")
        shape = self.ints(self.result_shape(result), "shape")
        self.finish("Reshape", [value, shape], {"allowzero": 1}, result)

    def finish_all(self, op_type: str, inputs: Inputs, fields: Fields | None = None) -> None:
        """One node that computes all results that are there, in order."""
        last_index = max((i for i in range(len(self.op.outputs)) if self.has_result(i)), default=0)
        names = [self.name(i) if self.has_result(i) else "" for i in range(last_index + 1)]
        types = [
            TensorType(f32, self.result_shape(i) if self.has_result(i) else ())
            for i in range(last_index + 1)
        ]
        node = make_node(op_type, inputs, names, attributes=fields, result_types=types)
        self.graph.block.add_op(node)
        self.graph.values.update(zip(self.op.outputs, node.results, strict=False))

    # Nodes and constants on the way

    def emit(
        self,
        op_type: str,
        inputs: Inputs,
        fields: Fields | None = None,
        suffix: str = "part",
        type: Attribute | None = None,
    ) -> SSAValue:
        """A node with one result on the way to the op's own; of the op's type where none is given."""
        type = type or TensorType(f32, self.result_shape())
        name = self.graph.fresh(f"{self.name()}/{suffix}")
        return self._node(op_type, inputs, name, fields, [type]).results[0]

    def ranked(self, inputs: Inputs, fields: Fields) -> tuple[SSAValue, SSAValue]:
        """A TopK: the elements, and their positions as 64-bit integers."""
        shape = self.result_shape(0 if self.has_result(0) else 1)
        names = [self.graph.fresh(f"{self.name()}/{part}") for part in ("values", "positions")]
        types = [TensorType(f32, shape), TensorType(i64, shape)]
        node = make_node("TopK", inputs, names, attributes=fields, result_types=types)
        self.graph.block.add_op(node)
        return node.results[0], node.results[1]

    def cast(self, value: SSAValue, to: int) -> SSAValue:
        """`value` as another element type."""
        element = {FLOAT: f32, INT64: i64, BOOL: i1}[to]
        type = TensorType(element, shape_of(value.type) or ())
        return self.emit("Cast", [value], {"to": to}, "cast", type)

    def reshape(self, value: SSAValue, shape: Sequence[int], suffix: str = "reshaped") -> SSAValue:
        """`value` in another shape."""
        inputs = [value, self.ints(shape, f"{suffix}_shape")]
        return self.emit("Reshape", inputs, {"allowzero": 1}, suffix, TensorType(f32, shape))

    def constant(self, suffix: str, array: AnyArray) -> SSAValue:
        """A new initializer."""
        return self.graph.constant(self.graph.fresh(f"{self.name()}/{suffix}"), array)

    def ints(self, values: Sequence[int], suffix: str) -> SSAValue:
        """A list of 64-bit integers."""
        return self.constant(suffix, np.array(values, np.int64))

    def number(self, value: float, suffix: str) -> SSAValue:
        """A scalar of f32."""
        with np.errstate(over="ignore"):
            return self.constant(suffix, np.array(value, np.float32))

    def refusal(self, text: str) -> AutosplitError:
        """An error about this op."""
        return AutosplitError(f"top.{self.op.kind} {self.name()!r} {text}")

    def _node(
        self, op_type: str, inputs: Inputs, name: str, fields: Fields | None, types: list[Attribute]
    ) -> OnnxOp:
        node = make_node(op_type, inputs, [name], attributes=fields, result_types=types)
        self.graph.block.add_op(node)
        return node

    def _shape(self, value: SSAValue, label: str) -> tuple[int, ...]:
        shape = shape_of(value.type)
        if shape is None:
            raise self.refusal(f"has {label} of unknown rank; run shape inference first")
        return shape


def result_name(op: TopOp, result: int = 0) -> str:
    """What a result of an op is called."""
    names, outputs = op.names, op.outputs
    present = [i for i, o in enumerate(outputs) if not isinstance(o.type, NoneType)]
    if len(names) == len(outputs):
        return names[result]
    if len(names) == len(present) and result in present:
        return names[present.index(result)]
    return f"{names[0] if names else op.kind}/result{result}"


def is_weight(value: SSAValue) -> bool:
    """Whether a value is a `top.Weight`."""
    return isinstance(value, OpResult) and isinstance(value.op, TopOp) and value.op.kind == "Weight"


def weight_name(value: SSAValue) -> str:
    """The name of a weight in its file."""
    assert isinstance(value, OpResult)
    assert isinstance(value.op, TopOp)
    return value.op.names[0]
