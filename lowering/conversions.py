"""Writing the ops of a framework as ONNX ops: what the conversions of several frameworks share.

A conversion is a function from a builder to the values that stand for the op's outputs. It may build before
it knows whether it will succeed: where it raises `Refusal`, what it built is thrown away and the op stays as
it is, with the reason on it. A framework subclasses `OnnxBuilder` to read its ops.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import dtype_of, element_type_of
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import InitializerOp
from autosplit.dialects.platform import PlatformOp, UnknownType, element_type, set_type, shape_of
from autosplit.formats.onnx.values import CODE_OF_ELEMENT
from autosplit.lowering.building import Emitter
from autosplit.lowering.shared.elements import Elements
from autosplit.lowering.shared.names import rename
from autosplit.lowering.shared.node_types import infer_results
from autosplit.lowering.shared.refusal import Refusal, refuse
from autosplit.lowering.shared.types import join

Array: TypeAlias = NDArray[Any]
Results: TypeAlias = "SSAValue | Sequence[SSAValue | None]"
NodeT = TypeVar("NodeT", bound=PlatformOp)

END = int(np.iinfo(np.int64).max)
"""The end of a slice that goes to the end."""


@dataclass(frozen=True)
class OnnxBuilder(Elements, Emitter[NodeT]):
    """Builds the onnx ops that stand for one op of a framework, which its pattern inserts."""

    builder: PatternRewriter
    created: list[Operation] = field(default_factory=list[Operation])

    def insert(self, op: Operation) -> SSAValue:
        self.created.append(op)
        return op.results[0]

    # Reading.

    def shape(self, value: SSAValue) -> tuple[int, ...]:
        """The dimensions, negative where unknown. Refuses if the rank is unknown."""
        dims = shape_of(value.type)
        if dims is None:
            raise Refusal("rank", f"the rank of an input of {self.op.op_type} is unknown")
        return dims

    def rank(self, value: SSAValue) -> int:
        """The rank. Refuses if it is unknown."""
        return len(self.shape(value))

    def static(self, value: SSAValue, why: str, first: int = 0) -> tuple[int, ...]:
        """The sizes from axis `first` on. Refuses if one is unknown, saying what it is needed for."""
        dims = self.shape(value)[first:]
        if any(d < 0 for d in dims):
            raise Refusal("dynamic-shape", f"{why} follows from sizes that are unknown")
        return dims

    def axis(self, value: SSAValue, axis: int) -> int:
        """An axis of a value as a number from 0 on."""
        rank = self.rank(value)
        if not -rank <= axis < rank:
            raise Refusal("malformed-op", f"axis {axis} is none of the {rank} of its input")
        return axis % rank

    # Building onnx ops.

    def nodes(
        self,
        role: str,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        attributes: Mapping[str, object] | None = None,
        count: int = 1,
    ) -> list[SSAValue]:
        """A new op with `count` results, of the types that follow from its operands'."""
        names = [self.fresh(role) for _ in range(count)]
        new = make_node(
            op_type,
            inputs,
            names,
            attributes=attributes,
            result_types=[UnknownType()] * count,
            node_name=names[0],
            location=self.op.location,
        )
        for result, type in zip(
            new.results, infer_results(new, self.values.constants), strict=True
        ):
            set_type(result, type)
        self.insert(new)
        return list(new.results)

    def node(
        self,
        role: str,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        attributes: Mapping[str, object] | None = None,
        type: Attribute | None = None,
    ) -> SSAValue:
        """A new op with one result, of the type that follows from its operands' if none is given."""
        (value,) = self.nodes(role, op_type, inputs, attributes)
        if type is not None:
            set_type(value, type)
        return value

    def apply(self, op_type: str, *inputs: SSAValue | None, **attributes: object) -> SSAValue:
        """A new op with one result."""
        return self.node(op_type.lower(), op_type, inputs, attributes)

    def cast(self, value: SSAValue, to: Attribute | type[Any]) -> SSAValue:
        """`value` with another element type; `value` itself if it has that already."""
        element = to if isinstance(to, Attribute) else element_type_of(np.dtype(to))
        if element_type(value.type) == element:
            return value
        return self.apply("Cast", value, to=onnx_number(element))

    def scalar(self, role: str, number: float, like: SSAValue) -> SSAValue:
        """A constant of rank 0 of the element type of `like`. Refuses if that does not hold it."""
        dtype = self.dtype(like)
        if dtype.kind in "iu" and not (
            float(number).is_integer() and np.iinfo(dtype).min <= number <= np.iinfo(dtype).max
        ):
            raise Refusal("dtype", f"{number} is no {dtype}")
        return self.constant(role, np.array(number).astype(dtype))

    def reshape(self, value: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """`value` in another shape, one size of which may be -1; 0 copies that of the input."""
        return self.apply("Reshape", value, self.ints("shape", sizes))

    def transpose(self, value: SSAValue, perm: Sequence[int]) -> SSAValue:
        """`value` with its dimensions permuted; `value` itself if they stay."""
        if list(perm) == sorted(perm):
            return value
        return self.apply("Transpose", value, perm=[*perm])

    def slice(
        self, value: SSAValue, axis: int, start: int, end: int = END, step: int = 1
    ) -> SSAValue:
        """The part of `value` from `start` to `end` along an axis."""
        where = [self.ints("slice", [n]) for n in (start, end, axis, step)]
        return self.apply("Slice", value, *where)

    def unsqueeze(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """`value` with new dimensions of 1."""
        return self.apply("Unsqueeze", value, self.ints("axes", axes)) if axes else value

    def squeeze(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """`value` without some dimensions of 1."""
        return self.apply("Squeeze", value, self.ints("axes", axes)) if axes else value

    # Ending.

    def finish(self, results: Results) -> list[SSAValue | None]:
        """A value for each output of the op, under the framework's name.

        One that already has a name, such as an operand, gets an Identity.
        """
        values = [results] if isinstance(results, SSAValue) else [*results]
        named: set[SSAValue] = set()
        out: list[SSAValue | None] = []
        for index, value in enumerate(values):
            if value is not None and not self._is_free(value, named):
                value = self.apply("Identity", value)
            out.append(value)
            if value is None:
                continue
            named.add(value)
            assert isinstance(value, OpResult)
            assert isinstance(value.op, OnnxOp)
            set_type(value, join(self.op.results[index].type, value.type))
            rename(value.op, value.index, self.op.value_name(index))
        last = next((v.owner for v in out if v is not None), None)
        if isinstance(last, OnnxOp):
            last.properties["node_name"] = self.op.properties["node_name"]
        return out

    def _is_free(self, value: SSAValue, named: set[SSAValue]) -> bool:
        owner = value.owner
        return (
            isinstance(owner, OnnxOp)
            and owner in self.created
            and not isinstance(owner, InitializerOp)
            and value not in named
        )

    def results_of(
        self, rule: Callable[[Self], Results], returned: Collection[SSAValue]
    ) -> list[SSAValue | None]:
        """The results of a conversion of the op: a value for each output, None for those that nothing reads.

        `returned`: the values that the model returns to its caller.
        """
        check_types(self.op)
        try:
            values = self.finish(rule(self))
        except (ValueError, IndexError, ZeroDivisionError) as error:
            text = f"inputs and attributes do not fit each other: {error}"
            raise Refusal("malformed-op", text) from error
        values += [None] * (len(self.op.results) - len(values))
        for old, new in zip(self.op.results, values, strict=True):
            if new is None and (old.first_use is not None or old in returned):
                raise Refusal("result", f"output {self.op.value_name(old.index)} is read")
        return values

    def replace_by(self, build: Callable[[Self], Sequence[SSAValue | None]]) -> bool:
        """Replaces the op by the results of `build`. False if it refuses, with the reason on the op."""
        try:
            values = build(self)
        except Refusal as refusal:
            self.discard()
            refuse(self.op, refusal, self.builder)
            return False
        self.builder.insert(self.created)
        for old, new in zip(self.op.results, values, strict=True):
            if new is not None:
                self.builder.replace_all_uses_with(old, new)
        self.builder.erase(self.op)
        return True

    def discard(self) -> None:
        """Forgets what was built for an op that turned out to have no conversion."""
        for op in reversed(self.created):
            op.erase(safe_erase=False)
        self.created.clear()


def onnx_number(element: Attribute) -> int:
    """The number that ONNX gives an element type. Refuses types that it does not have."""
    if (number := CODE_OF_ELEMENT.get(element)) is None:
        raise Refusal("dtype", f"ONNX ops do not compute on {element}")
    return number


def check_types(op: PlatformOp) -> None:
    """Refuses element types that no ONNX op can take."""
    for what, values in (("input", op.operands), ("output", op.results)):
        for i, value in enumerate(values):
            element = element_type(value.type)
            if element is not None and dtype_of(element) is None:
                raise Refusal("dtype", f"{what} {i} is of {element}, which ONNX ops do not take")
