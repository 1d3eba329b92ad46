"""One-op models as data: an op type, its operands, its attributes, and values that suit it.

A case says everything that its model and its feeds are made of, so the same case always makes the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

    from autosplit.core.weights import Array

OPSET = 21
"""The opset of the models: the canonical one."""

Shape = tuple[int, ...]


def _normal(random: np.random.Generator, shape: Shape) -> Any:
    return random.standard_normal(shape)


def _grid(random: np.random.Generator, shape: Shape) -> Any:
    count = int(np.prod(shape))
    return ((random.permutation(count) % 2048 - 1024) / 16).reshape(shape)


def _uniform(low: float, high: float) -> Callable[[np.random.Generator, Shape], Any]:
    return lambda random, shape: random.uniform(low, high, shape)


def _signed(random: np.random.Generator, shape: Shape) -> Any:
    return random.choice([-1.0, 1.0], shape) * random.uniform(0.5, 2.0, shape)


def _near_one(random: np.random.Generator, shape: Shape) -> Any:
    return random.choice([-1.0, 1.0], shape) * random.uniform(0.8, 1.25, shape)


def _edges(*numbers: float) -> Callable[[np.random.Generator, Shape], Any]:
    return lambda random, shape: random.choice(np.array(numbers), shape)


VALUES: Mapping[str, Callable[[np.random.Generator, Shape], Any]] = {
    "normal": _normal,
    "grid": _grid,
    "positive": _uniform(0.1, 4.0),
    "above-one": _uniform(1.0, 8.0),
    "unit": _uniform(-0.95, 0.95),
    "near-zero": _uniform(-0.5, 0.5),
    "tenth": lambda random, shape: random.standard_normal(shape) / 10,
    "thirtieth": lambda random, shape: random.standard_normal(shape) / 30,
    "angles": _uniform(-1.4, 1.4),
    "turns": _uniform(-20.0, 20.0),
    "wide": _uniform(-30.0, 30.0),
    "hundred": _uniform(-100.0, 100.0),
    "probability": _uniform(0.0, 1.0),
    "signed": _signed,
    "near-one": _near_one,
    "few": _edges(-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0),
    "halves": _edges(-3.5, -2.5, -2.0, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.5, 2.5, 3.0, 3.5),
    "bits": _edges(0.0, 1.0),
    "back": _edges(-2.0, -1.0, 0.0, 1.0),
}
"""What operands are drawn from. `grid` are numbers all different, exact in f16, up to 2,048 of them; `few`
are small integers, with ties; `halves` are what rounding decides on."""


@dataclass(frozen=True)
class In:
    """An operand that is computed elsewhere: an input of the model."""

    shape: Shape
    values: str = "normal"
    dtype: str = "float32"


@dataclass(frozen=True)
class Const:
    """An operand that is a constant of the model."""

    shape: Shape
    values: str = "normal"
    dtype: str = "float32"


@dataclass(frozen=True)
class Literal:
    """A constant operand whose numbers matter, such as axes; a number alone is a scalar."""

    data: float | tuple[float, ...] | tuple[tuple[float, ...], ...]
    dtype: str = "int64"


@dataclass(frozen=True)
class Same:
    """The same value as another operand."""

    index: int


Operand = In | Const | Literal | Same | None


@dataclass(frozen=True)
class Case:
    """A one-op model."""

    op: str
    name: str
    """What is special about it, of the ops of one type."""
    operands: tuple[Operand, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    results: tuple[bool, ...] = (True,)
    """For each result whether it is an output of the model."""
    after: str = ""
    """An op behind it, for ops of which nothing is left to compile when they are alone."""
    shared: bool = False
    """Whether other ops read the operand too, as in `x * x + op(x)`. Ops that are right alone may
    be wrong beside others, which share the chip's local memory with them."""
    dynamic: bool = False
    """Whether it is compiled for shapes that vary."""
    opset: int = OPSET
    """Another one for ops that the canonical one does not have."""
    smaller: tuple[tuple[Shape, ...], ...] = ()
    """Of a dynamic case: what it runs with beside the shapes that it is compiled for, which are the largest.
    Each has a shape for every computed operand."""
    as_is: bool = False
    """Whether it is measured without a stand-in (see `lowering/convert_onnx_to_top/stand_ins.py`)."""

    @property
    def key(self) -> str:
        """What records call it."""
        return f"{self.op}/{self.name}"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the model's outputs."""
        return tuple(f"y{i}" for i, wanted in enumerate(self.results) if wanted)

    def feeds(self, run: int = 0) -> dict[str, Array]:
        """Numbers for the model's inputs, always the same; `run` counts the largest sizes and the smaller."""
        computed = [(i, o) for i, o in enumerate(self.operands) if isinstance(o, In)]
        shapes = self.smaller[run - 1] if run else [operand.shape for _, operand in computed]
        return {
            f"x{i}": _draw(self, i, replace(operand, shape=shape))
            for (i, operand), shape in zip(computed, shapes, strict=True)
        }

    def open_shapes(self) -> dict[str, list[int | str]]:
        """The inputs' shapes, with a name for each size that varies; sizes that vary alike share one."""
        shapes = [[a.shape for a in self.feeds(i).values()] for i in range(1 + len(self.smaller))]
        opened: dict[str, list[int | str]] = {}
        for name, *runs in zip(self.feeds(), *shapes, strict=True):
            sizes = [set(axis) for axis in zip(*runs, strict=True)]
            named = ["_".join(["n", *map(str, axis)]) for axis in zip(*runs, strict=True)]
            opened[name] = [
                next(iter(known)) if len(known) == 1 else label
                for known, label in zip(sizes, named, strict=True)
            ]
        return opened

    def nodes(self, names: list[str], outputs: list[str]) -> list[NodeProto]:
        """The model's nodes, for operands and results of these names."""
        from onnx import helper

        between = ["made"] if self.after or self.shared else outputs
        nodes = [helper.make_node(self.op, names, between, name=self.op, **self.attributes)]
        if self.after:
            nodes.append(helper.make_node(self.after, between, outputs, name=self.after))
        if self.shared:
            square = helper.make_node("Mul", [names[0], names[0]], ["square"], name="Mul")
            total = helper.make_node("Add", ["square", "made"], outputs, name="Add")
            nodes = [square, *nodes, total]
        return nodes

    def model(self, *, largest: bool = True) -> ModelProto:
        """The model: inputs `x0`, `x1`, ... and outputs `y0`, `y1`, ..., by position.

        Without `largest`, sizes that vary are open.
        """
        from onnx import helper, shape_inference

        names, inputs, constants = list[str](), list[Any](), list[Any]()
        shapes = {} if largest else self.open_shapes()
        for i, operand in enumerate(self.operands):
            if operand is None or isinstance(operand, Same):
                names.append("" if operand is None else names[operand.index])
                continue
            names.append(f"x{i}" if isinstance(operand, In) else f"c{i}")
            array = _draw(self, i, operand)
            if isinstance(operand, In):
                kind = helper.np_dtype_to_tensor_dtype(array.dtype)
                shape = shapes.get(names[-1], array.shape)
                inputs.append(helper.make_tensor_value_info(names[-1], kind, shape))
            else:
                constants.append(tensor(array, names[-1]))
        outputs = [f"y{i}" for i in range(len(self.results))]
        nodes = self.nodes(names, outputs)
        wanted = [helper.make_empty_tensor_value_info(name) for name in self.outputs]
        graph = helper.make_graph(nodes, "probe", inputs, wanted, constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10
        )
        inferred = shape_inference.infer_shapes(model)
        for output in inferred.graph.output:
            if not output.type.tensor_type.HasField("shape"):
                # What the onnx package does not infer keeps the type of its operand.
                output.type.CopyFrom(inferred.graph.input[0].type)
        return inferred


def tensor(array: Array, name: str) -> TensorProto:
    """A constant of a model."""
    from onnx import helper

    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    data = np.ascontiguousarray(array).tobytes()
    make = cast("Callable[..., TensorProto]", helper.make_tensor)
    return make(name, kind, array.shape, data, raw=True)


def _draw(case: Case, index: int, operand: In | Const | Literal) -> Array:
    if isinstance(operand, Literal):
        return np.array(operand.data, np.dtype(operand.dtype))
    random = np.random.default_rng(crc32(f"{case.key} {index}".encode()))
    return np.asarray(VALUES[operand.values](random, operand.shape)).astype(operand.dtype)


def ints(*numbers: int) -> Literal:
    """A vector of integers."""
    return Literal(numbers)


def floats(*numbers: float) -> Literal:
    """A vector of f32."""
    return Literal(numbers, "float32")


def scalar(number: float) -> Literal:
    """One f32 without dimensions."""
    return Literal(number, "float32")


def show(shape: Sequence[int]) -> str:
    """A shape as names of cases write it."""
    return "x".join(map(str, shape)) or "scalar"


def select(cases: Mapping[str, Case], pattern: str | None) -> dict[str, Case]:
    """The cases whose key or op type the regular expression matches whole; all without one."""
    if pattern is None:
        return dict(cases)
    regex = re.compile(pattern)
    return {k: c for k, c in cases.items() if regex.fullmatch(c.op) or regex.fullmatch(k)}
