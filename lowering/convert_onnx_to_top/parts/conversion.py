"""What conversions of ONNX ops to Top are made of: the op, its operands as Top values, and new ops.

A conversion is a function that gets a `Conversion` and returns the Top value that stands for the ONNX op's
result, or a list of them. It is only called for ops that `check` accepts, so it asks nothing again.

    @converts("Relu")
    def relu(c: Conversion) -> SSAValue:
        return c.emit("Relu", [c.operand(0)])

In a Top module every tensor is f32, positions and booleans too, and the location of an op is the name of its
result: weights are found by it, calibration tables speak of it, and the compiled model's inputs and outputs
are called by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import NoneType, TensorType, f32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from autosplit.core.dtypes import ranked_type
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    free_name,
    shape_of,
    value_name,
)
from autosplit.dialects.top import AttrValue, TopOp, make_op
from autosplit.lowering.convert_onnx_to_top.parts.query import Query
from autosplit.lowering.shared.fold import AnyArray, Constants

Rewrite: TypeAlias = "Callable[[Conversion], SSAValue | Sequence[SSAValue]]"

CONVERSIONS: dict[str, Rewrite] = {}
"""By ONNX op type; importing the families fills it."""


def converts(*op_types: str) -> Callable[[Rewrite], Rewrite]:
    """Registers a function as the conversion of ONNX op types."""

    def register(function: Rewrite) -> Rewrite:
        for op_type in op_types:
            if op_type in CONVERSIONS:
                raise ValueError(f"{op_type} has two conversions")
            CONVERSIONS[op_type] = function
        return function

    return register


Written: TypeAlias = (
    "Callable[[Conversion, Sequence[SSAValue], Mapping[str, AttrValue], Emit], SSAValue]"
)
Emit: TypeAlias = "Callable[[str, Sequence[SSAValue], Mapping[str, AttrValue]], SSAValue]"

KERNELS: dict[str, Written] = {}
"""By kind of Top op: what makes one in other ops; `varying_kernels` fills it. The last function that it gets
emits the op that stands for the result."""


def lacks_kernels(q: Query) -> bool:
    """Whether the chip runs some Top ops at fixed sizes only, and sizes vary."""
    return q.dynamic and "varying-kernels" in q.chip.workarounds


def f32_tensor(value: SSAValue) -> TensorType[Attribute]:
    """The Top type for an ONNX value: its shape, of f32.

    Unknown dimensions are -1. Raises AutosplitError for a value of unknown rank.
    """
    shape = shape_of(value.type)
    if shape is None:
        raise AutosplitError(f"value {value_name(value)!r} is of unknown rank, needs a tensor")
    return ranked_type(f32, shape)


class Target:
    """The Top function that is being written: its block, its values by ONNX value, its names and weights."""

    def __init__(self, block: Block, constants: Constants, store: WeightStore):
        self.block = block
        self.builder = Builder(InsertPoint.at_end(block))
        """What inserts ops: the pattern's rewriter, where one is at work."""
        self.constants = constants
        self.store = store
        self.values: dict[SSAValue, SSAValue] = {}
        self.names: set[str] = set()
        self.in_f32 = False
        """Whether what is inserted is computed in f32 in every mode."""
        self.f32_ops: list[TopOp] = []
        """What was inserted so."""
        self._none: SSAValue | None = None

    def insert(
        self,
        kind: str,
        operands: Sequence[SSAValue],
        types: Sequence[Attribute],
        names: Sequence[str],
        attrs: Mapping[str, AttrValue] | None = None,
    ) -> TopOp:
        """Appends an op."""
        op = make_op(kind, operands, types, names, attrs or {})
        self.builder.insert(op, InsertPoint.at_end(self.block))
        if self.in_f32 and kind not in ("None", "Weight"):
            self.f32_ops.append(op)
        return op

    def none(self) -> SSAValue:
        """What stands for an operand that is left out; there is one in a function."""
        if self._none is None:
            name = self.fresh("none")
            self._none = self.insert("None", [], [NoneType()], [name]).results[0]
        return self._none

    def fresh(self, base: str) -> str:
        """`base`, with a number appended if an op has that name already; reserves the name."""
        return free_name(self.names, base)

    def weight(self, name: str, load: Callable[[], AnyArray], shape: Sequence[int]) -> SSAValue:
        """A new weight of f32; the array is only made when it is written."""
        name = self.fresh(name)
        self.store.make(name, load)
        return self.insert("Weight", [], [ranked_type(f32, shape)], [name]).results[0]

    def constant(self, value: SSAValue) -> SSAValue:
        """The weight that holds an ONNX constant; the same one for all its users. A scalar has shape [1]."""
        if (weight := self.values.get(value)) is None:
            shape = shape_of(value.type) or ()
            constants = self.constants

            def load() -> AnyArray:
                array = constants.array(value)
                if array is None:
                    raise AutosplitError(f"the weight {value_name(value)!r} is missing")
                return array.astype(np.float32, copy=False).reshape(shape or (1,))

            weight = self.weight(value_name(value), load, shape or (1,))
            self.values[value] = weight
        return weight


class Conversion:
    """One ONNX op on its way to Top."""

    def __init__(self, q: Query, target: Target):
        self.q = q
        self.op: OnnxOp = q.op
        self.target = target

    def operand(self, index: int) -> SSAValue:
        """Operand `index`: a computed value or a weight; `none` if it is left out."""
        value = self.q.value(index)
        if value is None:
            return self.target.none()
        if self.target.constants.is_constant(value):
            return self.target.constant(value)
        return self.target.values[value]

    def operands(self) -> list[SSAValue]:
        """All operands."""
        return [self.operand(i) for i in range(len(self.op.inputs))]

    def none(self) -> SSAValue:
        """What stands for an operand that is left out."""
        return self.target.none()

    def name(self, result: int = 0) -> str:
        """What result `result` is called in the model; a name of its own where nothing reads it."""
        return self.op.value_name(result) or f"{self.op.value_name(0)}/result{result}"

    def shape(self, result: int = 0) -> tuple[int, ...]:
        """The shape of a result, -1 where a size is unknown."""
        return f32_tensor(self.op.results[result]).get_shape()

    def weight(self, array: AnyArray, suffix: str) -> SSAValue:
        """A new weight of f32, called after the op's first result."""
        floats = np.ascontiguousarray(array, np.float32)
        return self.target.weight(f"{self.name()}/{suffix}", lambda: floats, floats.shape)

    def lazy_weight(
        self, load: Callable[[], AnyArray], shape: Sequence[int], suffix: str
    ) -> SSAValue:
        """Like `weight` for a large array: it is only made when it is written."""
        return self.target.weight(
            f"{self.name()}/{suffix}",
            lambda: np.ascontiguousarray(load(), np.float32),
            shape,
        )

    def emit(
        self,
        kind: str,
        operands: Sequence[SSAValue],
        attrs: Mapping[str, AttrValue] | None = None,
        *,
        result: int = 0,
        shape: Sequence[int] | None = None,
        suffix: str | None = None,
    ) -> SSAValue:
        """A new Top op with one result.

        Without `suffix` it stands for the ONNX op's result `result`, with its name and shape. With one it is
        an intermediate value of shape `shape`.
        """
        if kind in KERNELS and lacks_kernels(self.q):
            emit_result = partial(self.emit, result=result, shape=shape, suffix=suffix)
            return KERNELS[kind](self, operands, attrs or {}, emit_result)
        if suffix is None:
            name, sizes = self.target.fresh(self.name(result)), self.shape(result)
        else:
            name = self.target.fresh(f"{self.name()}/{suffix}")
            sizes = self.shape(result) if shape is None else tuple(shape)
        op = self.target.insert(kind, operands, [ranked_type(f32, sizes)], [name], attrs)
        return op.results[0]

    def emit_all(
        self,
        kind: str,
        operands: Sequence[SSAValue],
        attrs: Mapping[str, AttrValue] | None = None,
        count: int | None = None,
    ) -> list[SSAValue]:
        """A new Top op whose results stand for those of the ONNX op, in order."""
        results = self.op.results[:count]
        types = [f32_tensor(result) for result in results]
        names = [self.target.fresh(self.name(i)) for i in range(len(results))]
        return list(self.target.insert(kind, operands, types, names, attrs).results)
