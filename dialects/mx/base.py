"""The common base of the ops of the `mx` dialect.

A node's attributes are the dictionary `node_attrs`, of text as MXNet itself has them, which the IR shows as
the op's own properties; `get` reads one, defaults included:

    %y = mx.Pooling "pool0" (%x) <{kernel = "(2, 2)", pool_type = "max"}>
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x3x3xf32>
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import BytesAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import opt_prop_def, prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.mx.spec import AttrValue, OpSpec, PortSpec
from autosplit.dialects.mx.values import holds, parse_value
from autosplit.dialects.onnx.tensors import as_text
from autosplit.dialects.platform import PlatformOp

OWN = {
    "node.op": "spelled_op",
    "node.name": "spelled_name",
    "node.rest": "rest",
}
"""The names in the text of properties that are not attributes. No attribute's name has a dot."""

MOST_PORTS = 1 << 16
"""The most inputs or outputs of a node; a larger number means a damaged file."""


class MxOp(PlatformOp, ABC):
    """A node of an MXNet symbol."""

    node_attrs = prop_def(DictionaryAttr)
    """The node's attributes as text, in the order of the file; `get` reads one."""
    spelled_op = opt_prop_def(StringAttr)
    """The node's type as the file has it, where that is another name of the same op, such as `_Plus`."""
    spelled_name = opt_prop_def(StringAttr)
    """The node's name in the file, where others have it too; its own is one that nothing else has."""
    rest = opt_prop_def(StringAttr)
    """What else the file says of the node, as JSON: the graphs inside of it, keys of old versions."""

    inputs = var_operand_def()
    outputs = var_result_def()

    OWN: ClassVar[Mapping[str, str]] = OWN
    """The properties that are not attributes of the node, by what the text calls them."""

    SPEC: ClassVar[OpSpec | None] = None
    """What the table says of the op; None for variables and for ops that it does not have."""

    @property
    def texts(self) -> dict[str, str]:
        """The attributes as the node has them."""
        return texts_of(self.node_attrs)

    def get(self, name: str) -> AttrValue:
        """An attribute's value; its default, which may be None, where the node leaves it out.

        Raises KeyError for an attribute that the op does not have, ValueError for a value that is none, and
        for a node that does not fit the declaration of its type.
        """
        if self.SPEC is None:
            raise ValueError(f"{self.op_type} {self.node_name.data!r} has no declared attributes")
        spec = self.SPEC.attrs[name]
        text = self.texts.get(name)
        return spec.default if text is None else parse_value(spec, text)

    def flag(self, name: str) -> bool:
        """A Boolean attribute."""
        return bool(self.get(name))

    def integer(self, name: str) -> int:
        """An integer attribute; 0 where it is None."""
        return cast("int | None", self.get(name)) or 0

    def number(self, name: str) -> float:
        """A float attribute; 0 where it is None."""
        return cast("float | None", self.get(name)) or 0.0

    def text(self, name: str) -> str:
        """A string attribute; empty if it is None."""
        return cast("str | None", self.get(name)) or ""

    def ints(self, name: str) -> tuple[int | None, ...]:
        """A tuple of integers; empty if it is None."""
        return cast("tuple[int | None, ...] | None", self.get(name)) or ()

    def input(self, name: str) -> SSAValue | None:
        """The first input of that name; None if the node has none."""
        for port, value in zip(self.input_ports(), self.operands, strict=False):
            if port == name:
                return value
        return None

    def input_ports(self) -> list[str]:
        """MXNet's names of the inputs, one for each; empty if the table does not have the op."""
        if self.SPEC is None:
            return []
        return [p.name for p in present(self.SPEC.inputs, all_values(self.SPEC, self.texts))]

    def value_name(self, index: int) -> str:
        """MXNet's name of an output: `conv0_output`, `bn0_mean`, `split0_output1`."""
        spec = self.SPEC
        if spec is None:
            return f"{self.node_name.data}_output{index if len(self.results) > 1 else ''}"
        if index == 0 and len(spec.outputs) == 1 and spec.outputs[0] == PortSpec("output"):
            # As most ops have: no attribute says anything about it.
            return f"{self.node_name.data}_output" if self.node_name.data else "output"
        return output_name(spec, self.node_name.data, self.texts, index)

    def own_names(self) -> Iterator[str]:
        if self.node_name.data:
            yield self.node_name.data
        else:
            yield from super().own_names()

    def shown_properties(self) -> dict[str, Attribute]:
        own = {text: self.properties[k] for text, k in self.OWN.items() if k in self.properties}
        return own | self.node_attrs.data

    @classmethod
    def read_properties(cls, shown: dict[str, Attribute]) -> dict[str, Attribute]:
        own_properties = {own: shown.pop(text) for text, own in cls.OWN.items() if text in shown}
        return own_properties | {"node_attrs": DictionaryAttr(shown)}

    def verify_(self) -> None:
        for name, attr in self.node_attrs.data.items():
            if name not in self.texts:
                raise VerifyException(
                    f"attribute {name} of {self.node_name.data!r} is {attr}, expected text"
                )
        if self.SPEC is None:
            return
        try:
            check_attrs(self.SPEC, self.node_name.data, self.texts)
            counts = expected_counts(self.SPEC, self.texts)
        except ValueError as error:
            raise VerifyException(str(error)) from None
        for noun, values, expected in zip(
            ("input", "output"), (self.operands, self.results), counts, strict=True
        ):
            if len(values) != expected:
                raise VerifyException(
                    f"{self.op_type} {self.node_name.data!r} has {counted(len(values), noun)}, "
                    f"expected {expected}"
                )


def texts_of(attrs: DictionaryAttr) -> dict[str, str]:
    """A dictionary of strings in Python; values that are not text are omitted."""
    texts = {k: as_text(v) for k, v in attrs.data.items() if isinstance(v, StringAttr | BytesAttr)}
    return {k: v for k, v in texts.items() if isinstance(v, str)}


def check_attrs(spec: OpSpec, name: str, texts: Mapping[str, str]) -> None:
    """Raises ValueError, in one line, for an attribute that is missing or does not parse."""
    for attr in spec.attrs.values():
        text = texts.get(attr.name)
        if text is None and attr.required:
            raise ValueError(f"{spec.kind} {name!r} has no attribute {attr.name}, and needs it")
        if text is None:
            continue
        try:
            parse_value(attr, text)
        except ValueError as error:
            raise ValueError(f"attribute {attr.name} of {spec.kind} {name!r} {error}") from None


def all_values(spec: OpSpec, texts: Mapping[str, str]) -> dict[str, AttrValue]:
    """All attributes of a node of this kind, defaults included. Raises ValueError as `parse_value` does."""
    return {
        name: parse_value(attr, texts[name]) if name in texts else attr.default
        for name, attr in spec.attrs.items()
    }


def present(specs: Sequence[PortSpec], values: Mapping[str, AttrValue]) -> list[PortSpec]:
    """The ports that a node with these attributes has, one for each input or output."""
    ports: list[PortSpec] = []
    for port in specs:
        if not holds(port.when, values):
            continue
        count = values.get(port.count) if port.count else 1
        count = len(count) if isinstance(count, tuple) else count
        if not isinstance(count, int) or not 0 <= count <= MOST_PORTS:
            raise ValueError(f"{port.count} is {count}, expected how many there are of {port.name}")
        ports += [port] * count
    return ports


def expected_counts(spec: OpSpec, texts: Mapping[str, str]) -> tuple[int, int]:
    """How many inputs and outputs such a node has. Raises ValueError if its attributes do not say."""
    values = all_values(spec, texts)
    return len(present(spec.inputs, values)), len(present(spec.outputs, values))


def output_name(spec: OpSpec, node: str, texts: Mapping[str, str], index: int) -> str:
    """MXNet's name of an output: the node's name, and the output's, numbered if there are several."""
    outputs = present(spec.outputs, all_values(spec, texts))
    if index >= len(outputs):
        return f"{node}_output{index}"
    name = outputs[index].name
    alike = [i for i, port in enumerate(outputs) if port.name == name]
    number = str(alike.index(index)) if len(alike) > 1 else ""
    return f"{node}_{name}{number}" if node else f"{name}{number}"
