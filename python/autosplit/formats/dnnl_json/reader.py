"""Reads the library's own JSON format of graphs, which it dumps and its benchmark tool reads.

A file that contradicts itself is refused here, in one line that says where: the library itself accepts some
such files and crashes on others.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    TensorType,
    UnknownLoc,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError, first_line, nearest
from autosplit.core.units import counted
from autosplit.dialects.dnnl import (
    AnyLayout,
    DnnlOp,
    GraphOp,
    LayoutAttr,
    ReturnOp,
    StridedLayout,
    UndefLayout,
    dense_strides,
    element_type_named,
    op_class,
    with_layout,
)
from autosplit.dialects.dnnl.base import attribute_of, to_attribute
from autosplit.dialects.dnnl.table import ALL_TYPES, ATTR_TYPES, OLD_KINDS, AttrValue

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int | float | bool | None"

UNKNOWN_DIM = -(1 << 63)
"""How the library writes a size or a stride that is unknown."""

MAX_RANK = 12
"""The maximum rank of the library's tensors."""

PROPERTY_TYPES = ("undef", "variable", "constant", "host_scalar")
FPMATH_MODES = ("strict", "bf16", "f16", "any", "tf32")
_TOP_KEYS = (
    "version",
    "engine_kind",
    "fpmath_mode",
    "fpmath_mode_apply_to_int",
    "input_ports",
    "output_ports",
    "graph",
)


@dataclass(frozen=True)
class Descriptor:
    """A logical tensor as a file describes it where it is used."""

    id: int
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    layout_type: str
    property_type: str
    where: str

    @property
    def is_unranked(self) -> bool:
        """True if the file gives the shape as entirely unknown."""
        return self.shape == (UNKNOWN_DIM,)

    @property
    def type(self) -> Attribute:
        """The tensor type, with the layout as its encoding."""
        element = element_type_named(self.dtype)
        assert element is not None
        if self.is_unranked:
            return UnrankedTensorType(element)
        shape = tuple(DYNAMIC_INDEX if d == UNKNOWN_DIM else d for d in self.shape)
        return with_layout(TensorType(element, shape), self.layout)

    @property
    def layout(self) -> LayoutAttr | None:
        """The layout; None for dense row-major."""
        if self.layout_type == "any":
            return AnyLayout.of(self.stride)
        if self.layout_type == "undef":
            return UndefLayout.of(self.stride)
        shape = tuple(-1 if d == UNKNOWN_DIM else d for d in self.shape)
        stride = tuple(-1 if s == UNKNOWN_DIM else s for s in self.stride)
        return None if stride == dense_strides(shape) else StridedLayout.of(stride)

    def agrees(self, other: Descriptor) -> bool:
        """True if both may describe one tensor: a use may leave the layout open."""
        if (self.dtype, self.shape, self.property_type) != (
            other.dtype,
            other.shape,
            other.property_type,
        ):
            return False
        if {self.layout_type, other.layout_type} & {"undef", "any"}:
            return True
        return self.stride == other.stride

    def __str__(self) -> str:
        dims = ", ".join("?" if d == UNKNOWN_DIM else str(d) for d in self.shape)
        stride = ", ".join(map(str, self.stride))
        return (
            f"{self.dtype} [{dims}], {self.layout_type} [{stride}], {self.property_type} "
            f"({self.where})"
        )


def read_graph(path: Path) -> ModuleOp:
    """Reads a graph file into a module with one `dnnl.graph`. Raises AutosplitError, in one line."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise AutosplitError(f"{path}: {e.strerror}") from e
    return parse_graph(data, str(path))


def parse_graph(data: bytes | str, name: str = "graph.json") -> ModuleOp:
    """A module with one `dnnl.graph` for the text of a graph file; errors call the file `name`.

    Raises AutosplitError, in one line, if the text is not such a graph or contradicts itself.
    """
    module = _Reader(name).module(_load(data, name))
    try:
        module.verify()
    except VerifyException as e:
        raise AutosplitError(f"{name}: {first_line(e)}") from None
    return module


def _load(data: bytes | str, name: str) -> Json:
    def refuse(token: str) -> NoReturn:
        raise AutosplitError(f"{name}: holds {token}, which is not a JSON number")

    try:
        return cast("Json", json.loads(data, parse_constant=refuse))
    except RecursionError:
        raise AutosplitError(f"{name}: is not a graph of oneDNN: nested too deeply") from None
    except ValueError as e:
        # Broken syntax, text that is not UTF-8, and integers of thousands of digits.
        raise AutosplitError(f"{name}: is not JSON: {' '.join(str(e).split())}") from None


class _Reader:
    """Reads one file; `where` in its methods is the location that errors name."""

    def __init__(self, name: str):
        self.name = name
        self.tensors: dict[int, Descriptor] = {}
        """The first description of each tensor, or that of its producer if it has one."""
        self.producers: dict[int, str] = {}

    def fail(self, text: str) -> NoReturn:
        raise AutosplitError(f"{self.name}: {text}")

    def module(self, top: Json) -> ModuleOp:
        if not isinstance(top, Mapping) or "graph" not in top:
            self.fail('is not a graph of oneDNN: expected an object with the key "graph"')
        if unknown := [k for k in top if k not in _TOP_KEYS]:
            self.fail(f"has the unknown key {unknown[0]!r}{nearest(unknown[0], list(_TOP_KEYS))}")
        items = self.items(top["graph"], "graph")
        ops = [self.op(item, index) for index, item in enumerate(items)]
        self.check_ids(ops)
        self.check_tensors(ops)
        return ModuleOp([self.graph(top, self.in_order(ops))])

    # Checked access to JSON.

    def text(self, value: Json, where: str, choices: Sequence[str] = ()) -> str:
        if not isinstance(value, str):
            self.fail(f"{where}: expected a string, found {_show(value)}")
        if choices and value not in choices:
            self.fail(f"{where}: expected one of {', '.join(choices)}; found {value!r}")
        return value

    def items(self, value: Json, where: str) -> Sequence[Json]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            self.fail(f"{where}: expected a list, found {_show(value)}")
        return value

    def fields(self, value: Json, where: str, needed: Iterable[str]) -> Mapping[str, Json]:
        if not isinstance(value, Mapping):
            self.fail(f"{where}: expected an object, found {_show(value)}")
        if missing := [k for k in needed if k not in value]:
            self.fail(f"{where}: has no {missing[0]!r}")
        return value

    def integer(self, value: Json, where: str, low: int = UNKNOWN_DIM) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(f"{where}: expected an integer, found {_show(value)}")
        if not low <= value < 1 << 63:
            self.fail(f"{where}: {_show(value)} is out of range")
        return value

    def dims(self, value: Json, where: str) -> tuple[int, ...]:
        dims = tuple(self.integer(v, where) for v in self.items(value, where))
        if len(dims) > MAX_RANK:
            self.fail(
                f"{where}: {counted(len(dims), 'dimension')}, the library has at most {MAX_RANK}"
            )
        if wrong := [d for d in dims if d < 0 and d != UNKNOWN_DIM]:
            self.fail(f"{where}: {wrong[0]} is negative; an unknown size is {UNKNOWN_DIM}")
        return dims

    # Logical tensors, attributes, ops.

    def tensor(self, value: Json, where: str) -> Descriptor:
        keys = ("id", "dtype", "shape", "stride", "layout_type", "property_type")
        fields = self.fields(value, where, keys)
        id = self.integer(fields["id"], f"{where}: id", low=0)
        place = f"{where}: tensor {id}"
        dtype = self.text(fields["dtype"], f"{place}: dtype", ALL_TYPES)
        shape = self.dims(fields["shape"], f"{place}: shape")
        stride = self.dims(fields["stride"], f"{place}: stride")
        layouts = ("strided", "any", "undef", "opaque")
        layout = self.text(fields["layout_type"], f"{place}: layout_type", layouts)
        if layout == "opaque":
            self.fail(
                f"{place}: an opaque layout means nothing outside of the process that made it"
            )
        if layout == "strided" and len(stride) != len(shape) and stride != (UNKNOWN_DIM,):
            self.fail(
                f"{place}: {counted(len(shape), 'dimension')} with {counted(len(stride), 'stride')}"
            )
        if layout == "strided" and stride == (UNKNOWN_DIM,):
            stride = (UNKNOWN_DIM,) * len(shape)
        property_type = self.text(
            fields["property_type"], f"{place}: property_type", PROPERTY_TYPES
        )
        return Descriptor(id, dtype, shape, stride, layout, property_type, where)

    def attribute(self, cls: type[DnnlOp], name: str, value: Json, where: str) -> Attribute:
        location = f"{where}: attribute {name!r}"
        fields = self.fields(value, location, ("type", "value"))
        types = ("string", "bool", "s64", "s64[]", "f32", "f32[]")
        type = self.text(fields["type"], f"{location}: type", types)
        if name not in cls.ATTRS:
            self.fail(
                f"{location}: {cls.SPEC.kind} has no such attribute{nearest(name, list(cls.ATTRS))}"
            )
        if type != ATTR_TYPES[name]:
            self.fail(f"{location}: has the type {type}, expected {ATTR_TYPES[name]}")
        content = fields["value"]
        if type.endswith("[]") != isinstance(content, list):
            expected = "a list" if type.endswith("[]") else f"one {type}"
            self.fail(f"{location}: expected {expected}, found {_show(content)}")
        element = type.removesuffix("[]")
        for item in content if isinstance(content, list) else [content]:
            if not _fits(element, item):
                self.fail(f"{location}: {_show(item)} is not of type {element}")
        return attribute_of(cls, name, cast("AttrValue", content))

    def op(self, value: Json, index: int) -> _Op:
        where = f"op {index}"
        fields = self.fields(value, where, ("id", "name", "kind", "inputs", "outputs"))
        name = self.text(fields["name"], f"{where}: name")
        where = f"op {index} ({name})"
        id = self.integer(fields["id"], f"{where}: id", low=0)
        spelling = self.text(fields["kind"], f"{where}: kind")
        try:
            cls = op_class(OLD_KINDS.get(spelling, spelling))
        except ValueError as e:
            self.fail(f"{where}: {e}")
        attrs = self.fields(fields.get("attrs", {}), f"{where}: attrs", ())
        properties = {k: self.attribute(cls, k, v, where) for k, v in attrs.items()}
        inputs = [
            self.tensor(t, f"{where}, input {i}")
            for i, t in enumerate(self.items(fields["inputs"], f"{where}: inputs"))
        ]
        outputs = [
            self.tensor(t, f"{where}, output {i}")
            for i, t in enumerate(self.items(fields["outputs"], f"{where}: outputs"))
        ]
        if spelling != cls.SPEC.kind:
            properties["spelling"] = StringAttr(spelling)
        return _Op(cls, id, name, where, properties, inputs, outputs)

    # The graph as a whole.

    def check_ids(self, ops: Sequence[_Op]) -> None:
        by_id: dict[int, _Op] = {}
        for op in ops:
            if (first := by_id.setdefault(op.id, op)) is not op:
                self.fail(f"{first.where} and {op.where} have the same id {op.id}")

    def check_tensors(self, ops: Sequence[_Op]) -> None:
        for op in ops:
            for tensor in op.outputs:
                if (first := self.producers.get(tensor.id)) is not None:
                    self.fail(f"tensor {tensor.id} has two producers: {first} and {tensor.where}")
                self.producers[tensor.id] = tensor.where
                self.tensors[tensor.id] = tensor
        for op in ops:
            for tensor in op.inputs:
                first = self.tensors.setdefault(tensor.id, tensor)
                if not tensor.agrees(first):
                    self.fail(f"tensor {tensor.id} is described in two ways: {first}, and {tensor}")

    def in_order(self, ops: Sequence[_Op]) -> list[_Op]:
        """The ops in topological order, otherwise as in the file."""
        available = {t.id for op in ops for t in op.inputs} - self.producers.keys()
        ordered: list[_Op] = []
        waiting = list(ops)
        while waiting:
            later: list[_Op] = []
            for op in waiting:
                if any(t.id not in available for t in op.inputs):
                    later.append(op)
                    continue
                ordered.append(op)
                available.update(t.id for t in op.outputs)
            if len(later) == len(waiting):
                self.fail(f"{later[0].where}: the ops depend on each other in a cycle")
            waiting = later
        return ordered

    def ports(self, top: Mapping[str, Json], key: str) -> list[int] | None:
        if key not in top:
            return None
        ids = [self.integer(v, key, low=0) for v in self.items(top[key], key)]
        if unknown := [i for i in ids if i not in self.tensors]:
            self.fail(f"{key}: no op has the tensor {unknown[0]}")
        return ids

    def graph(self, top: Mapping[str, Json], ops: Sequence[_Op]) -> GraphOp:
        properties: dict[str, Attribute] = {
            "version": StringAttr(self.text(top.get("version", "3.0.0"), "version")),
            "engine_kind": StringAttr(
                self.text(top.get("engine_kind", "cpu"), "engine_kind", ("cpu", "gpu"))
            ),
            "fpmath_mode": StringAttr(
                self.text(top.get("fpmath_mode", "strict"), "fpmath_mode", FPMATH_MODES)
            ),
        }
        if (key := "fpmath_mode_apply_to_int") in top:
            properties[key] = StringAttr(self.text(top[key], key, ("true", "false")))
        input_ports, output_ports = self.ports(top, "input_ports"), self.ports(top, "output_ports")
        for key, ports in (("input_ports", input_ports), ("output_ports", output_ports)):
            if ports is not None:
                properties[key] = DenseArrayBase.from_list(i64, ports)
        used_inputs = [t.id for op in ops for t in op.inputs if t.id not in self.producers]
        port_inputs = [i for i in input_ports or () if i not in self.producers]
        inputs = [self.tensors[i] for i in dict.fromkeys([*port_inputs, *used_inputs])]
        properties["input_ids"] = DenseArrayBase.from_list(i64, [t.id for t in inputs])
        properties |= _property_types("input_properties", inputs)
        values, block = _block(inputs)
        for op in ops:
            block.add_op(op.build(values))
        consumed = {t.id for op in ops for t in op.inputs}
        unused_outputs = [t.id for op in ops for t in op.outputs if t.id not in consumed]
        block.add_op(ReturnOp([values[i] for i in dict.fromkeys(output_ports or unused_outputs)]))
        return GraphOp.create(properties=properties, regions=[Region(block)])


@dataclass(frozen=True)
class _Op:
    """An op of the file, its attributes already those of the IR."""

    cls: type[DnnlOp]
    id: int
    name: str
    where: str
    properties: dict[str, Attribute]
    inputs: list[Descriptor]
    outputs: list[Descriptor]

    def build(self, values: dict[int, SSAValue]) -> DnnlOp:
        """Builds the op from the values so far, and adds its results to them."""
        properties = {**self.properties, "op_id": IntegerAttr(self.id, i64)}
        if self.outputs:
            properties["output_ids"] = DenseArrayBase.from_list(i64, [t.id for t in self.outputs])
        properties |= _property_types("output_properties", self.outputs)
        layouts = {
            str(i): t.layout or StridedLayout.of(t.stride)
            for i, t in enumerate(self.inputs)
            if t.type != values[t.id].type
        }
        if layouts:
            properties["input_layouts"] = DictionaryAttr(layouts)
        op = self.cls.create(
            operands=[values[t.id] for t in self.inputs],
            result_types=[t.type for t in self.outputs],
            properties=properties,
        )
        op.location = NameLoc(StringAttr(self.name), UnknownLoc())
        for tensor, result in zip(self.outputs, op.results, strict=True):
            result.name_hint = f"t{tensor.id}"
            values[tensor.id] = result
        return op


def _block(inputs: Sequence[Descriptor]) -> tuple[dict[int, SSAValue], Block]:
    block = Block(arg_types=[t.type for t in inputs])
    values: dict[int, SSAValue] = {}
    for tensor, argument in zip(inputs, block.args, strict=True):
        argument.name_hint = f"t{tensor.id}"
        values[tensor.id] = argument
    return values, block


def _property_types(key: str, tensors: Sequence[Descriptor]) -> dict[str, Attribute]:
    if all(t.property_type == "undef" for t in tensors):
        return {}
    return {key: ArrayAttr([StringAttr(t.property_type) for t in tensors])}


def _fits(type: str, value: Json) -> bool:
    """Whether a value fits the library's type; 1e999 is parsed as infinity, which no f32 in a file is."""
    try:
        to_attribute(type, cast("AttrValue", value))
    except ValueError:
        return False
    return not isinstance(value, float) or math.isfinite(value)


def _show(value: Json) -> str:
    """A piece of JSON, short enough for one line."""
    match value:
        case Mapping():
            return "an object"
        case str() if len(value) > 40:
            return repr(value[:40]) + "..."
        case bool() | None | str() | float():
            return json.dumps(value)
        case int():
            return str(value) if abs(value) < 1 << 80 else "an integer of many digits"
        case _:
            return "a list"
