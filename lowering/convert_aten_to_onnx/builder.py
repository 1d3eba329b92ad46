"""What the conversions of the single ops share: reading an aten op, building the onnx ops that replace it.

Arguments have the names of ATen's schemas. An argument is a value of the program (a tensor, or an integer
that it computes from sizes) or a Python value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import dtype_of, element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.values import Argument, default_value
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.conversions import OnnxBuilder, Results
from autosplit.lowering.reduce_mutation.promotion import is_complex, is_float, promoted
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.rules import Rules

Conversion: TypeAlias = "Callable[[AtenBuilder], Results]"
Dim: TypeAlias = "int | SSAValue"
"""A size: a number, or a value that the program computes."""
Scalar: TypeAlias = "bool | int | float"

CONVERSIONS: Rules[Conversion] = Rules()
"""The conversion of each aten op, by ATen's name of the overload, without `aten.` and `.default`."""

converts = CONVERSIONS.convert


@dataclass(frozen=True)
class AtenBuilder(OnnxBuilder[AtenOp]):
    """Reads one aten op and builds the onnx ops that stand for it, which its pattern inserts."""

    @property
    def kind(self) -> str:
        """ATen's name of the overload."""
        return self.op.op_type

    @cached_property
    def _bound(self) -> dict[str, Argument]:
        return self.op.arguments()

    @cached_property
    def arguments(self) -> Collection[str]:
        """The names of the arguments that the schema has."""
        return self.op.SPEC.arg_by_name.keys() if self.op.SPEC is not None else ()

    def get(self, name: str) -> Argument:
        """An argument: a value, a Python value, a list of such, or None."""
        if name in self._bound:
            return self._bound[name]
        if self.op.SPEC is None or name not in self.arguments:
            raise Refusal("malformed-op", f"has no argument {name}")
        return default_value(self.op.SPEC.arg_by_name[name].default)

    @property
    def x(self) -> SSAValue:
        """The tensor `self`."""
        return self.tensor("self")

    @property
    def out(self) -> Attribute:
        """The element type of the first result."""
        return self.element(self.op.results[0])

    def out_shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape that the program declares for a result, negative where a size is open."""
        dims = shape_of(self.op.results[index].type)
        if dims is None:
            raise Refusal("rank", f"the rank of result {index} is unknown")
        return dims

    # Arguments.

    def tensor(self, name: str) -> SSAValue:
        """A tensor."""
        value = self.get(name)
        if not isinstance(value, SSAValue):
            raise Refusal("attribute", f"{name} is {value}, expected a tensor")
        return value

    def optional(self, name: str) -> SSAValue | None:
        """A tensor, or None."""
        return None if self.get(name) is None else self.tensor(name)

    def tensors(self, name: str) -> list[SSAValue]:
        """A list of tensors."""
        values = self.listed(name)
        tensors = [v for v in values if isinstance(v, SSAValue)]
        if len(tensors) < len(values):
            raise Refusal("attribute", f"{name} has items that are no tensors")
        return tensors

    def listed(self, name: str) -> list[Argument]:
        """A list; a list of one item if the argument is no list."""
        value = self.get(name)
        if value is None:
            return []
        return value if isinstance(value, list) else [value]

    def numbers(self, name: str) -> list[int]:
        """A list of integers. Refuses where the program computes one."""
        values = self.listed(name)
        integers = [v for v in values if isinstance(v, int)]
        if len(integers) < len(values):
            raise Refusal("operand-value", f"{name} is computed, not constant")
        return integers

    def window(self, name: str, count: int, default: int = 0) -> list[int]:
        """A number for each axis of a window."""
        values = self.numbers(name) or [default]
        if len(values) not in (1, count):
            raise Refusal(
                "malformed-op", f"{name} has {counted(len(values), 'number')}, expected {count}"
            )
        return values if len(values) == count else values * count

    def dims(self, name: str) -> list[Dim]:
        """A list of sizes."""
        return [v for v in self.listed(name) if isinstance(v, int | SSAValue)]

    def dim(self, name: str) -> Dim:
        """One size."""
        value = self.get(name)
        if not isinstance(value, int | SSAValue):
            raise Refusal("attribute", f"{name} is {value}, expected an integer")
        return value

    def integer(self, name: str) -> int:
        """An integer. Refuses where the program computes it."""
        value = self.get(name)
        if not isinstance(value, int):
            raise Refusal("operand-value", f"{name} is computed, not constant")
        return value

    def real(self, name: str) -> Scalar:
        """A number. Refuses where the program computes it, and complex ones."""
        value = self.get(name)
        if not isinstance(value, bool | int | float):
            raise Refusal("operand-value", f"{name} is {value}, expected a constant number")
        return value

    def flag(self, name: str) -> bool:
        """A Boolean."""
        return bool(self.get(name))

    def flag_or(self, name: str, *, default: bool) -> bool:
        """A Boolean that not every overload has."""
        return self.flag(name) if name in self.arguments else default

    def text(self, name: str) -> str:
        """A word; empty where it is None."""
        value = self.get(name)
        return value if isinstance(value, str) else ""

    def named_element(self, name: str) -> Attribute | None:
        """An argument that is an element type; None where it is None."""
        text = self.text(name)
        if not text:
            return None
        try:
            return element_type_of(text)
        except (AutosplitError, TypeError, ValueError):
            raise Refusal("dtype", f"the element type {text} is unknown") from None

    # Numbers and tensors as operands.

    def filled(self, number: Scalar, element: Attribute, role: str = "number") -> SSAValue:
        """A constant of rank 0."""
        dtype = dtype_of(element)
        if dtype is None:
            raise Refusal("dtype", f"elements are {element}, expected numbers")
        return self.constant(role, np.array(number).astype(dtype))

    def operand(self, name: str, element: Attribute) -> SSAValue:
        """A tensor or a number, as a value of an element type."""
        value = self.get(name)
        if isinstance(value, SSAValue):
            return self.cast(value, element)
        return self.filled(self.real(name), element, name)

    def result_type(self, *names: str) -> Attribute:
        """The element type in which ATen computes on these arguments together."""
        values = [self.get(name) for name in names]
        operands = [v for v in values if isinstance(v, SSAValue | bool | int | float)]
        element = promoted(
            [(self.element(v), self.rank(v)) if isinstance(v, SSAValue) else v for v in operands]
        )
        if is_complex(element):
            raise Refusal("dtype", f"elements are {element}, expected real numbers")
        return element

    def alike(self, *names: str) -> list[SSAValue]:
        """Arguments, all of the element type in which ATen computes on them together."""
        element = self.result_type(*names)
        return [self.operand(name, element) for name in names]

    def floats(self, *names: str) -> list[SSAValue]:
        """Arguments in the element type of the result, which must be a float."""
        if not is_float(self.out):
            raise Refusal("dtype", f"{self.kind} of {self.out}, expected floats")
        return [self.operand(name, self.out) for name in names]

    # Sizes.

    def size(self, value: SSAValue, axis: int) -> Dim:
        """A size of a value, as a number where it is known."""
        size = self.shape(value)[axis]
        if size >= 0:
            return size
        shape = self.apply("Shape", value, start=axis, end=axis + 1)
        return self.squeeze(shape, [0])

    def sizes(self, value: SSAValue) -> list[Dim]:
        """All sizes of a value."""
        return [self.size(value, axis) for axis in range(self.rank(value))]

    def vector(self, dims: Sequence[Dim], role: str = "sizes") -> SSAValue:
        """Sizes as a vector."""
        if all(isinstance(d, int) for d in dims):
            return self.ints(role, [d for d in dims if isinstance(d, int)])
        parts: list[SSAValue] = []
        run: list[int] = []
        for dim in dims:
            if isinstance(dim, int):
                run.append(dim)
                continue
            if run:
                parts.append(self.ints(role, run))
                run = []
            parts.append(self._as_vector(dim))
        if run:
            parts.append(self.ints(role, run))
        return parts[0] if len(parts) == 1 else self.node(role, "Concat", parts, {"axis": 0})

    def index(self, dim: Dim) -> SSAValue:
        """An index as a scalar."""
        if isinstance(dim, int):
            return self.constant("index", np.array(dim, np.int64))
        return self.cast(dim, i64)

    def _as_vector(self, dim: SSAValue) -> SSAValue:
        """A size as a vector of one number."""
        owner = dim.owner
        if isinstance(owner, OnnxOp) and owner.op_type == "Squeeze":
            source = owner.operands[0]
            if shape_of(source.type) == (1,) and element_type(source.type) == i64:
                return source
        return self.reshape(self.cast(dim, i64), [1])

    def shaped(
        self, value: SSAValue, dims: Sequence[Dim], static: Sequence[int] | None = None
    ) -> SSAValue:
        """`value` in another shape. `static`: what else is known of the sizes, negative if unknown."""
        merged: list[Dim] = [*dims]
        if static is not None and len(static) == len(dims):
            merged = [k if k >= 0 else d for d, k in zip(dims, static, strict=True)]
        if all(isinstance(d, int) and d > 0 for d in merged) and self.shape(value) == tuple(merged):
            return value
        open_dims = [d for d in merged if not isinstance(d, int) or d < 0]
        if len(open_dims) == 1 and 0 not in merged:
            return self.reshape(value, [d if isinstance(d, int) else -1 for d in merged])
        if 0 in merged:
            return self.node("reshape", "Reshape", [value, self.vector(merged)], {"allowzero": 1})
        return self.apply("Reshape", value, self.vector(merged))

    def part(self, value: SSAValue, axis: int, start: Dim, end: Dim, step: int = 1) -> SSAValue:
        """The part of `value` from `start` to `end` along an axis."""
        where = [self.vector([n], "slice") for n in (start, end, axis, step)]
        return self.apply("Slice", value, *where)

    def reduced(self, op_type: str, value: SSAValue, axes: Sequence[int], keep: bool) -> SSAValue:
        """A reduction over some axes, over all if none are named."""
        inputs = [value, self.ints("axes", axes)] if axes else [value]
        return self.node(op_type.lower(), op_type, inputs, {"keepdims": int(keep)})

    def axes(self, name: str, value: SSAValue) -> list[int]:
        """Axes of a value, sorted and counted from 0; all if none are named."""
        rank = self.rank(value)
        named = self.numbers(name)
        return sorted({self.axis(value, a) for a in named}) if named and rank else [*range(rank)]
