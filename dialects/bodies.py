"""Ops with a body: checking the order of the ops in it, and the syntax of isolated bodies.

The arguments precede the body, with the values they are bound to: `(%a: tensor<4xf32> = %x)` means that the
op's operand `%x` is `%a` in the body.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from autosplit.dialects.platform import PlatformOp


class OrderException(VerifyException):
    """An op reads what a later one defines: the verifier of the op around them reports it for `op`."""

    def __init__(self, op: Operation, operand: SSAValue):
        name = f"{op.name} {op.identity!r}" if isinstance(op, PlatformOp) else op.name
        super().__init__(
            f"{name} reads operand {list(op.operands).index(operand)} before it is defined; ops stand "
            "in the order in which they run, and none runs in a cycle"
        )
        self.op = op


def check_order(block: Block) -> None:
    """Raises if an op, or what is inside of it, reads what a later op of the block defines.

    Ops of dialects whose bodies are graph regions may.
    """
    # By id: ops compare by identity, and their `__hash__` is slow Python code.
    earlier: set[int] = set()
    for op in block.ops:
        for inner in op.walk() if op.regions else (op,):
            for operand in inner.operands:
                owner = operand.owner
                if id(owner) in earlier or owner.parent is not block:
                    continue
                if not (isinstance(op, PlatformOp) and op.IN_GRAPH_REGION):
                    raise OrderException(inner, operand)
        earlier.add(id(op))


@dataclass(frozen=True)
class ReadArgument:
    """A parsed argument of a body, with its location if the text has one."""

    argument: Parser.Argument
    location: LocationAttr | None


def read_argument(parser: Parser) -> ReadArgument:
    """Reads `%a: T`, with or without a location."""
    unresolved = parser.parse_argument(expect_type=False)
    parser.parse_punctuation(":")
    argument = unresolved.resolve(parser.parse_type())
    return ReadArgument(argument, parser.parse_optional_location())


def read_body(parser: Parser, arguments: Sequence[ReadArgument]) -> Region:
    """Reads the body that follows its arguments."""
    region = parser.parse_region([a.argument for a in arguments])
    for value, parsed in zip(region.block.args, arguments, strict=True):
        if parsed.location is not None:
            value.location = parsed.location
    return region


def print_captures(printer: Printer, op: Operation) -> None:
    """Prints the arguments of the only region, the operands bound to them, and the types of the results."""
    pairs = zip(op.regions[0].block.args, op.operands, strict=True)
    with printer.in_parens():
        printer.print_list(pairs, lambda pair: _print_capture(printer, *pair))
    printer.print_string(" -> ")
    with printer.in_parens():
        printer.print_list(op.result_types, printer.print_attribute)


def _print_capture(printer: Printer, argument: BlockArgument, value: SSAValue) -> None:
    printer.print_block_argument(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(value)


def read_captures(
    parser: Parser,
) -> tuple[list[ReadArgument], Sequence[SSAValue], Sequence[Attribute]]:
    """Reads what `print_captures` prints: the arguments, the operands, the types of the results."""
    pos = parser.pos
    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _read_capture(parser))
    parser.parse_punctuation("->")
    results = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    arguments = [argument for argument, _ in pairs]
    types = [read.argument.type for read in arguments]
    return arguments, parser.resolve_operands([v for _, v in pairs], types, pos), results


def _read_capture(parser: Parser) -> tuple[ReadArgument, UnresolvedOperand]:
    argument = read_argument(parser)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def print_rest(printer: Printer, op: Operation, spelled: Collection[str]) -> None:
    """Prints the properties that are not spelled, the attributes, and the body."""
    unspelled = {k: v for k, v in op.properties.items() if k not in spelled}
    if unspelled:
        printer.print_string(" <")
        printer.print_attr_dict(unspelled)
        printer.print_string(">")
    printer.print_op_attributes(op.attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(op.regions[0], print_entry_block_args=False)


def read_rest(
    parser: Parser, arguments: Sequence[ReadArgument]
) -> tuple[dict[str, Attribute], Mapping[str, Attribute], Region]:
    """Reads what `print_rest` prints: properties, attributes and the body."""
    properties = parser.parse_optional_properties_dict()
    attributes = parser.parse_optional_attr_dict_with_keyword()
    return properties, attributes.data if attributes else {}, read_body(parser, arguments)
