"""What the conversions of the single ops share: reading a tf op, building the onnx ops that replace it.

A conversion is a function from a `Builder` to the values that stand for the op's results. It may build
before it knows whether it will succeed: where it raises `Refusal`, what it built is thrown away and the
tf op stays as it is, with the reason on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    LocationAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, OpResult, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.core.units import counted
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import InitializerOp, OnnxOp
from autosplit.dialects.platform import (
    element_type,
    free_name,
    name_location,
    set_type,
)
from autosplit.dialects.tf import TfOp
from autosplit.lowering.convert_tf_to_onnx.constants import KnownValues
from autosplit.lowering.convert_tf_to_onnx.types import (
    Shape,
    broadcast,
    join_types,
    permuted,
    shape_of,
    tensor,
)
from autosplit.lowering.shared.elements import Elements
from autosplit.lowering.shared.names import rename, words
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.rules import Rules

Array: TypeAlias = NDArray[Any]
Results: TypeAlias = "SSAValue | Sequence[SSAValue | None]"
Conversion: TypeAlias = "Callable[[Builder], Results]"

CONVERSIONS: Rules[Conversion] = Rules()
"""The conversion of each kind of tf op, by the op's TensorFlow name."""

INT64_MAX = int(np.iinfo(np.int64).max)
INT64_MIN = int(np.iinfo(np.int64).min)


converts = CONVERSIONS.convert


class Builder(Elements):
    """Reads one tf op at a time and builds the onnx ops that stand for it.

    New values are called `node:0/what`, which no TensorFlow tensor can be called; `finish` gives those that
    stand for the op's own results their TensorFlow names.
    """

    def __init__(self, constants: KnownValues):
        self.constants = constants
        self.created: list[OnnxOp] = []
        self._names: set[str] = set()

    def start(self, op: TfOp) -> None:
        self.op = op
        self.name = op.identity
        self.inputs = op.inputs
        self.location: LocationAttr = name_location([self.name])
        self.created = []
        self._names = set()

    # Reading the tf op.

    def input(self, index: int) -> SSAValue:
        """Data operand `index`; negative ones count from the end."""
        try:
            return self.inputs[index]
        except IndexError:
            raise Refusal("malformed-op", f"has no operand {index}") from None

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute of the op, or its default in TensorFlow."""
        value = self.op.attribute(name)
        return default if value is None else value

    def text(self, name: str, default: str) -> str:
        """An attribute that is a word, such as `SAME`."""
        value = self.attribute(name, default)
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    def array(self, index: int) -> Array | None:
        """The value of a constant operand; None if it is not constant."""
        return self.constants.array(self.input(index))

    def ints(self, index: int, what: str) -> list[int]:
        """A constant integer operand as a flat list. Refuses if it is not constant."""
        array = self.array(index)
        if array is None:
            raise Refusal("operand-value", f"{what} (operand {index}) is computed, not constant")
        return [int(v) for v in array.reshape(-1)]

    def int(self, index: int, what: str) -> int:
        """A constant integer scalar operand."""
        values = self.ints(index, what)
        if len(values) != 1:
            raise Refusal(
                "malformed-op", f"{what} (operand {index}) has {counted(len(values), 'element')}"
            )
        return values[0]

    def shape(self, value: SSAValue) -> Shape | None:
        """The dimensions, negative where unknown; None if not even the rank is known."""
        return shape_of(value)

    def rank(self, value: SSAValue, why: str) -> int:
        """The rank. Refuses if it is unknown, saying what it is needed for."""
        shape = shape_of(value)
        if shape is None:
            raise Refusal("rank", f"an operand's rank is unknown; {why}")
        return len(shape)

    # Building onnx ops.

    def fresh(self, what: str) -> str:
        """A name for a value without a counterpart in TensorFlow."""
        return free_name(self._names, f"{self.name}:0/{what}")

    def nodes(
        self,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        types: Sequence[Attribute],
        what: str = "",
        **attributes: Any,
    ) -> list[SSAValue]:
        """A node with one result for each of `types`."""
        names = [self.fresh(what or op_type.lower()) for _ in types]
        op = make_node(
            op_type,
            inputs,
            names,
            attributes=attributes,
            result_types=types,
            node_name=names[0].replace(":0", "", 1),
            location=self.location,
        )
        self.created.append(op)
        return list(op.results)

    def node(
        self,
        op_type: str,
        *inputs: SSAValue | None,
        type: Attribute | None = None,
        what: str = "",
        **attributes: Any,
    ) -> SSAValue:
        """A node with one result. Types of common ops follow from their operands."""
        if type is None:
            type = _implied_type(op_type, [v for v in inputs if v is not None], attributes)
        return self.nodes(op_type, inputs, [type], what, **attributes)[0]

    def constant(self, array: Array, what: str) -> SSAValue:
        op = self.constants.new(self.fresh(what), array, self.location)
        self.created.append(op)
        return op.results[0]

    def i64(self, values: Iterable[int] | int, what: str) -> SSAValue:
        """An int64 constant: a scalar from an int, a vector from several."""
        numbers = values if isinstance(values, int) else list(values)
        op = self.constants.ints(self.fresh(what), numbers, self.location)
        self.created.append(op)
        return op.results[0]

    def scalar(self, value: float, like: SSAValue, what: str) -> SSAValue:
        """A rank-0 constant of the element type of `like`."""
        return self.constant(np.asarray(value, dtype=self.dtype(like)), what)

    def rearranged(
        self, value: SSAValue, perm: Sequence[int], shape: Sequence[int] | None, what: str
    ) -> SSAValue:
        """`value` with its dimensions permuted and then reshaped: at compile time where it is constant."""
        source = self.constants.source(value)
        if source is not None:
            op = self.constants.rearrange(source, perm, shape, self.fresh(what), self.location)
            self.created.append(op)
            return op.results[0]
        out = self.transpose(value, perm, what)
        if shape is None:
            return out
        static = None if shape_of(value) is None or any(d <= 0 for d in shape) else shape
        return self.node(
            "Reshape",
            out,
            self.i64(shape, f"{what}_shape"),
            type=tensor(self.element(value), static),
            what=what,
        )

    def transpose(self, value: SSAValue, perm: Sequence[int], what: str = "") -> SSAValue:
        if list(perm) == sorted(perm):
            return value
        return self.node("Transpose", value, what=what, perm=list(perm))

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """`value` with another element type; itself where it has that one already."""
        if element_type(value.type) == element:
            return value
        array = self.constants.array(value)
        dtype = dtype_of(element)
        if array is not None and dtype is not None and array.size <= 64:
            return self.constant(array.astype(dtype), "cast")
        return self.node(
            "Cast", value, type=tensor(element, shape_of(value)), to=onnx_code(element)
        )

    def to_i64(self, index: int, what: str, *, vector: bool = False) -> SSAValue:
        """Integer operand `index` as int64, as ONNX takes shapes and axes; as a vector on request."""
        array = self.array(index)
        if array is not None:
            array = array.astype(np.int64)
            return self.constant(array.reshape(-1) if vector else array, what)
        value = self.cast(self.input(index), i64)
        if not vector or len(shape_of(value) or ()) == 1:
            return value
        return self.node(
            "Reshape", value, self.i64([-1], f"{what}_shape"), type=tensor(i64, (DYNAMIC_INDEX,))
        )

    # Ending.

    def finish(self, results: Results) -> list[SSAValue | None]:
        """Gives the values that stand for the op's results their names, and the best known types.

        A value that already has a name of its own (an operand, say) gets an Identity.
        """
        values = [results] if isinstance(results, SSAValue) else list(results)
        named: set[SSAValue] = set()
        out: list[SSAValue | None] = []
        for index, value in enumerate(values):
            if value is None:
                out.append(None)
                continue
            owner = value.owner
            new = isinstance(owner, OnnxOp) and owner in self.created and value not in named
            if not new or isinstance(owner, InitializerOp):
                value = self.node("Identity", value)
                owner = value.owner
            assert isinstance(value, OpResult)
            assert isinstance(owner, OnnxOp)
            named.add(value)
            old = self.op.results[index]
            set_type(value, join_types(old.type, value.type))
            rename(owner, value.index, self.op.value_name(index))
            out.append(value)
        last = next((v.owner for v in out if v is not None), None)
        if isinstance(last, OnnxOp):
            last.properties["node_name"] = self.op.properties["node_name"]
        return out

    def discard(self) -> None:
        """Forgets what was built for an op that turned out to have no conversion."""
        for op in reversed(self.created):
            op.erase(safe_erase=False)
        self.created = []


def make_transpose(
    value: SSAValue,
    perm: list[int],
    name: str,
    type: Attribute,
    node_name: str,
    location: LocationAttr,
) -> OnnxOp:
    """A Transpose whose result is called `name`."""
    return make_node(
        "Transpose",
        [value],
        [name],
        attributes={"perm": perm},
        result_types=[type],
        node_name=node_name,
        location=location,
    )


_ONNX_CODES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "bfloat16": 16,
}
"""TensorProto.DataType, so that `onnx` need not be imported."""


def onnx_code(element: Attribute) -> int:
    """The number that ONNX gives an element type. Refuses types that its ops do not take."""
    dtype = dtype_of(element)
    if dtype is None or dtype.name not in _ONNX_CODES:
        raise Refusal("dtype", f"ONNX ops do not compute on {element}")
    return _ONNX_CODES[dtype.name]


_SAME_TYPE = words(
    """
    Abs Acos Acosh Asin Asinh Atan Atanh BatchNormalization BitwiseNot Ceil Clip Cos Cosh CumSum
    Elu Erf Exp Floor Identity LRN LeakyRelu Log LogSoftmax Neg Not Reciprocal Relu Round
    ScatterND Selu Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt Tan Tanh
    """
)
_BROADCAST = words(
    """
    Add And BitwiseAnd BitwiseOr BitwiseXor Div Max Min Mod Mul Or Pow Sub Where Xor
    """
)
_COMPARE = words(
    """
    Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual
    """
)


def _implied_type(
    op_type: str, inputs: Sequence[SSAValue], attributes: Mapping[str, Any]
) -> Attribute:
    """The result type of a node of one of the common kinds, as far as its operands' types say."""
    if op_type in _SAME_TYPE:
        return inputs[0].type
    if op_type in _BROADCAST:
        return tensor(element_type(inputs[-1].type), broadcast([shape_of(v) for v in inputs]))
    if op_type in _COMPARE:
        return tensor(i1, broadcast([shape_of(v) for v in inputs]))
    if op_type == "Transpose":
        perm = cast("list[int]", attributes["perm"])
        shape = permuted(shape_of(inputs[0]), perm) or (DYNAMIC_INDEX,) * len(perm)
        return tensor(element_type(inputs[0].type), shape)
    if op_type == "Shape":
        shape = shape_of(inputs[0])
        return tensor(i64, (DYNAMIC_INDEX if shape is None else len(shape),))
    if op_type == "Size":
        return tensor(i64, ())
    return tensor(element_type(inputs[0].type), None)
