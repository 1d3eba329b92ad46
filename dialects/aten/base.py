"""The common base of the ops of the `aten` dialect.

The values that a node reads are its operands, including those in lists. Its other arguments are the
dictionary `node_args`, which the IR shows as the op's own properties, by the names of PyTorch's schema.
Arguments that the program leaves out are left out here; `get` reads any, defaults included:

    %y = aten.conv2d "conv2d" (%x, %w, %b) <{stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}>
        : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>

Which operand belongs to which argument follows from the schema: they come in its order, and belong to the
arguments that the dictionary does not have; `node.ports` says it where that is not so. A list of constants
and operands is in the dictionary, with `#aten.value` in the operands' places.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import opt_prop_def, prop_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.aten.spec import ArgSpec, OpSpec
from autosplit.dialects.aten.values import (
    NONE,
    Argument,
    default_value,
    places_in,
    python_value,
)
from autosplit.dialects.platform import PlatformOp, parse_name, strings

OWN = {"node.ports": "ports", "node.symbols": "symbols"}
"""The names in the text of properties that are not arguments of the node. No argument's name has a dot."""

SYMBOL_TYPES = frozenset({"SymInt", "SymBool", "SymFloat", "Scalar", "int", "float", "bool"})
"""The schema types of results that are numbers, not tensors."""


class AtenOp(PlatformOp, ABC):
    """A node of a program that `torch.export` made: one call of a PyTorch op."""

    node_args = prop_def(DictionaryAttr)
    """The arguments that are not operands, by name, in the schema's order; `get` reads any."""
    ports = opt_prop_def(ArrayAttr[StringAttr])
    """The argument that each operand belongs to, if it does not follow from the schema."""
    symbols = opt_prop_def(ArrayAttr[StringAttr])
    """Arguments that the schema declares as tensors, but whose operand is a number."""
    value_names = opt_prop_def(ArrayAttr[StringAttr])
    """The names of the results, unless there is one with the node's name."""

    inputs = var_operand_def()
    outputs = var_result_def()

    OWN: ClassVar[Mapping[str, str]] = OWN
    """The properties that are not arguments of the node, by their names in the text."""

    SPEC: ClassVar[OpSpec | None] = None
    """The op's entry in the table; None for inputs and for ops that it does not have."""

    # Arguments.

    def operand_ports(self) -> list[str]:
        """The argument that each operand belongs to."""
        if self.ports is not None:
            return [name.data for name in self.ports]
        if self.SPEC is None:
            return []
        return default_ports(self.SPEC, self.node_args.data, len(self.operands))

    def arguments(self) -> dict[str, Argument]:
        """The arguments that the program has, by name, operands included, in the schema's order."""
        operands: dict[str, list[SSAValue]] = {}
        for port, operand in zip(self.operand_ports(), self.operands, strict=True):
            operands.setdefault(port, []).append(operand)
        args = self.node_args.data
        names = list(dict.fromkeys([*operands, *args]))
        if self.SPEC is not None:
            position = {name: i for i, name in enumerate(self.SPEC.arg_by_name)}
            names.sort(key=position.__getitem__)
        arguments: dict[str, Argument] = {}
        for name in names:
            values = operands.get(name, [])
            if name in args:
                arguments[name] = python_value(args[name], iter(values))
            else:
                arguments[name] = list(values) if self._takes_list(name) else values[0]
        return arguments

    def _takes_list(self, name: str) -> bool:
        return self.SPEC is not None and self.SPEC.arg_by_name[name].is_list

    def get(self, name: str) -> Argument:
        """An argument: an operand, a constant, a list of them, or its default.

        Raises KeyError for an argument that the op does not have.
        """
        arguments = self.arguments()
        if name in arguments:
            return arguments[name]
        assert self.SPEC is not None
        return default_value(self.SPEC.arg_by_name[name].default)

    def operand(self, name: str) -> SSAValue | None:
        """An argument that is an operand; None if it is not one or is left out."""
        argument = self.get(name)
        return argument if isinstance(argument, SSAValue) else None

    def values_of(self, name: str) -> list[SSAValue]:
        """The operands that belong to an argument."""
        pairs = zip(self.operand_ports(), self.operands, strict=True)
        return [operand for port, operand in pairs if port == name]

    def flag(self, name: str) -> bool:
        """A Boolean argument."""
        return bool(self.get(name))

    def integer(self, name: str) -> int | None:
        """An integer argument; None if it is None or an operand."""
        argument = self.get(name)
        return argument if isinstance(argument, int) else None

    def number(self, name: str) -> float | None:
        """A number; None if it is None or an operand."""
        argument = self.get(name)
        return argument if isinstance(argument, int | float) else None

    def text(self, name: str) -> str | None:
        """A string, or the name of a dtype, a layout, a memory format or a device."""
        argument = self.get(name)
        return argument if isinstance(argument, str) else None

    def ints(self, name: str) -> list[int] | None:
        """A list of integers; None if it is None or has an operand."""
        argument = self.get(name)
        items = argument if isinstance(argument, list) else [argument]
        ints = [item for item in items if isinstance(item, int)]
        return ints if len(ints) == len(items) else None

    # Storage.

    def written(self) -> list[SSAValue]:
        """The operands that the op writes to."""
        if self.SPEC is None:
            return []
        condition = self.SPEC.writes_only_if
        if condition is not None and not self.get(condition):
            return []
        specs = self.SPEC.arg_by_name
        pairs = zip(self.operand_ports(), self.operands, strict=True)
        return [operand for port, operand in pairs if specs[port].writes]

    def aliased(self, index: int) -> list[SSAValue]:
        """The operands whose storage a result may share."""
        if self.SPEC is None or not self.SPEC.returns:
            return []
        returns = self.SPEC.returns
        letters = set(returns[min(index, len(returns) - 1)].alias.split("|")) - {""}
        if not letters:
            return []
        specs = self.SPEC.arg_by_name
        pairs = zip(self.operand_ports(), self.operands, strict=True)
        return [v for port, v in pairs if letters & set(specs[port].alias.split("|"))]

    # Results.

    def value_name(self, index: int) -> str:
        if self.value_names is not None:
            return self.value_names.data[index].data
        return self.node_name.data

    def is_symbol(self, index: int) -> bool:
        """Whether a result is a number, such as a size, and not a tensor."""
        if self.SPEC is None or not self.SPEC.returns:
            return False
        return self.SPEC.returns[min(index, len(self.SPEC.returns) - 1)].type in SYMBOL_TYPES

    # The text.

    def print_result_names(self, printer: Printer) -> None:
        if self.value_names is None:
            return
        printer.print_string(" -> ")
        with printer.in_square_brackets():
            names = [name.data for name in self.value_names]
            printer.print_list(names, printer.print_string_literal)

    @classmethod
    def parse_result_names(cls, parser: Parser) -> dict[str, Attribute]:
        if parser.parse_optional_punctuation("->") is None:
            return {}
        names = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_name(parser, "the name of a result")
        )
        return {"value_names": strings(names)}

    def shown_properties(self) -> dict[str, Attribute]:
        own = {text: self.properties[k] for text, k in self.OWN.items() if k in self.properties}
        return own | self.node_args.data

    @classmethod
    def read_properties(cls, shown: dict[str, Attribute]) -> dict[str, Attribute]:
        own_properties = {own: shown.pop(text) for text, own in cls.OWN.items() if text in shown}
        return own_properties | {"node_args": DictionaryAttr(shown)}

    @classmethod
    def make(
        cls,
        name: str,
        arguments: Mapping[str, Attribute],
        operands: Sequence[tuple[str, SSAValue]],
        result_types: Sequence[Attribute],
        value_names: Sequence[str] | None = None,
        more: Mapping[str, Attribute] | None = None,
    ) -> Self:
        """An op with these constants, and operands with the arguments that they belong to.

        `value_names` is left out where the one result is called as the node.
        """
        properties: dict[str, Attribute] = {
            "node_name": StringAttr(name),
            "node_args": DictionaryAttr(arguments),
            **(more or {}),
        }
        ports = [port for port, _ in operands]
        if cls.SPEC is None or ports != default_ports(cls.SPEC, arguments, len(ports)):
            properties |= {"ports": strings(ports)} if ports else {}
        if value_names is not None and list(value_names) != [name] * len(result_types):
            properties["value_names"] = strings(value_names)
        op = cls.create(
            operands=[value for _, value in operands],
            result_types=result_types,
            properties=properties,
        )
        op.location = op.default_location()
        return op

    def verify_(self) -> None:
        name = self.node_name.data
        ports = self.operand_ports()
        if len(ports) != len(self.operands):
            raise VerifyException(
                f"{self.op_type} {name!r} has {counted(len(self.operands), 'operand')}, and its "
                f"arguments take {len(ports)}"
            )
        if self.value_names is not None and len(self.value_names) != len(self.results):
            raise VerifyException(
                f"{self.op_type} {name!r} names {counted(len(self.value_names), 'result')} and "
                f"has {len(self.results)}"
            )
        self._verify_arguments(ports)

    def _verify_arguments(self, ports: Sequence[str]) -> None:
        name = self.node_name.data
        if self.SPEC is not None:
            for argument in (*self.node_args.data, *ports):
                if argument not in self.SPEC.arg_by_name:
                    raise VerifyException(f"{self.op_type} {name!r} has no argument {argument}")
            missing = next(
                (
                    a.name
                    for a in self.SPEC.args
                    if a.default is None
                    and a.name not in self.node_args.data
                    and a.name not in ports
                    and not a.is_list
                ),
                None,
            )
            if missing is not None:
                raise VerifyException(
                    f"{self.op_type} {name!r} has no argument {missing}, and needs it"
                )
        for argument, attr in self.node_args.data.items():
            places = places_in(attr)
            if places != ports.count(argument):
                raise VerifyException(
                    f"argument {argument} of {self.op_type} {name!r} has "
                    f"{counted(ports.count(argument), 'operand')} and {counted(places, 'place')} for them"
                )
            try:
                python_value(attr, iter(self.operands))
            except ValueError as error:
                raise VerifyException(
                    f"argument {argument} of {self.op_type} {name!r} {error}"
                ) from None


def default_ports(spec: OpSpec, arguments: Mapping[str, Attribute], operands: int) -> list[str]:
    """The arguments that this many operands belong to by default.

    They are in the schema's order. Those in the dictionary take as many operands as it has places; each of
    the others takes one, and the first list takes what the required arguments leave.
    """
    free = [arg for arg in spec.args if arg.name not in arguments]
    place_counts = {name: places_in(attr) for name, attr in arguments.items() if attr is not NONE}
    surplus = operands - sum(place_counts.values()) - sum(_must_have(arg) for arg in free)
    ports: list[str] = []
    for arg in spec.args:
        remaining = operands - len(ports)
        if arg.name in arguments:
            count = place_counts.get(arg.name, 0)
        elif arg.is_list:
            count = max(surplus, 0)
            surplus = 0
        else:
            count = 1
            surplus -= arg.default is not None
        ports += [arg.name] * min(count, remaining)
    return ports


def _must_have(arg: ArgSpec) -> bool:
    return arg.default is None and not arg.is_list


def is_symbol(value: SSAValue) -> bool:
    """Whether a value is a number, such as a size, and not a tensor.

    A sub-model's argument is one if its consumers take it for one.
    """
    if isinstance(value, OpResult) and isinstance(value.op, AtenOp) and not value.op.IS_OPAQUE:
        return value.op.is_symbol(value.index)
    return any(reads_number(use.operation, use.index) for use in value.uses)


def reads_number(op: object, index: int) -> bool:
    """Whether an op takes an operand for a number."""
    if not isinstance(op, AtenOp) or op.SPEC is None:
        return False
    port = op.operand_ports()[index]
    if op.symbols is not None and any(port == name.data for name in op.symbols):
        return True
    return not op.SPEC.arg_by_name[port].is_tensor
