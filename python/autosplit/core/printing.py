"""Modules as text, with the locations that say more than the text around them.

Names are identity in this compiler, and they live in locations, so text without them would lose what
plans and reasons speak of. But a platform op spells its own name, and `loc("conv1")` after
`onnx.Conv "conv1"` would only be noise: a location is printed where reading the text without it would
give another one.
"""

from __future__ import annotations

import re
import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from io import StringIO
from typing import IO, TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.printer import Printer
from xdsl.syntax_printer import SyntaxPrinter
from xdsl.targets.mlir import MLIRTarget

from autosplit.dialects.platform import PlatformOp

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, BlockArgument, Operation
    from xdsl.passes import ModulePass

Show: TypeAlias = "Callable[[ModulePass, ModuleOp], None]"
"""A callback that shows a module after a pass."""

LONG_TEXT = 200
"""Characters of an attribute's text; longer ones are not kept."""

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")
"""Bytes that a string literal holds as they are."""


class _Delimited(AbstractContextManager[None]):
    """As xDSL's, which is a generator: half of a text is between delimiters."""

    def __init__(self, printer: Printer, start: str, end: str):
        self._printer, self._start, self._end = printer, start, end

    def __enter__(self) -> None:
        self._printer.print_string(self._start)

    def __exit__(self, *error: object) -> None:
        self._printer.print_string(self._end)


@dataclass(eq=False, repr=False)
class LocationPrinter(Printer):
    """Prints a location only where the parser would not find it by itself."""

    _texts: dict[int, tuple[Attribute, str]] = field(
        default_factory=dict[int, "tuple[Attribute, str]"], init=False
    )
    """The attributes that were printed and their texts, by identity: ops share most of what they say."""

    def print_op(self, op: Operation) -> None:
        outer, self.print_debuginfo = self.print_debuginfo, self._needs_location(op)
        super().print_op(op)
        self.print_debuginfo = outer

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        outer = self.print_debuginfo
        self.print_debuginfo = not isinstance(arg.location, UnknownLoc)
        super().print_block_argument(arg, print_type)
        self.print_debuginfo = outer

    def print_attribute(self, attribute: Attribute) -> None:
        if (known := self._texts.get(id(attribute))) is not None:
            self.print_string(known[1])
            return
        if isinstance(attribute, LocationAttr):
            # Inside of another one it is printed otherwise.
            super().print_attribute(attribute)
            return
        stream, self.stream = self.stream, StringIO()
        try:
            super().print_attribute(attribute)
            text = self.stream.getvalue()
        finally:
            self.stream = stream
        if len(text) <= LONG_TEXT:
            self._texts[id(attribute)] = attribute, text
        print(text, end="", file=stream)

    def in_angle_brackets(self) -> AbstractContextManager[None]:
        return _Delimited(self, "<", ">")

    def in_braces(self) -> AbstractContextManager[None]:
        return _Delimited(self, "{", "}")

    def in_parens(self) -> AbstractContextManager[None]:
        return _Delimited(self, "(", ")")

    def in_square_brackets(self) -> AbstractContextManager[None]:
        return _Delimited(self, "[", "]")

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        # Nearly every text is a part of a line.
        if self.stream is None or "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        self.stream.write(text)

    def print_string_literal(self, string: str) -> None:
        # A literal that escapes other characters than ASCII would be read back as bytes.
        if string.isascii() or not string.isprintable() or '"' in string or "\\" in string:
            super().print_string_literal(string)
            return
        self.print_string(f'"{string}"')

    def print_bytes_literal(self, bytestring: bytes) -> None:
        # Names are plain nearly always, and xDSL looks at them byte by byte.
        if _PLAIN.fullmatch(bytestring) is None:
            super().print_bytes_literal(bytestring)
            return
        self.print_string(f'"{bytestring.decode()}"')

    def _needs_location(self, op: Operation) -> bool:
        # The generic form's parser knows nothing of default locations.
        if isinstance(op, PlatformOp) and not self.print_generic_format:
            return op.location != op.default_location()
        return not isinstance(op.location, UnknownLoc)


@dataclass(eq=False, repr=False)
class ColorLocationPrinter(LocationPrinter, SyntaxPrinter):
    """The same for a terminal."""


@dataclass(frozen=True)
class LocatedTarget(MLIRTarget):
    """The module as text, with its locations; `--print-debuginfo` prints even the unknown ones."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.print_debuginfo:
            super().emit(ctx, module, output)
            return
        printer_class = ColorLocationPrinter if self.syntax_highlight else LocationPrinter
        printer = printer_class(
            stream=output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        output.write("\n")


def module_text(module: Operation, *, generic: bool = False) -> str:
    """The text of a module or of any op; parsing it gives an equal one, locations included."""
    output = StringIO()
    LocationPrinter(stream=output, print_generic_format=generic).print_op(module)
    return output.getvalue() + "\n"


def show_ir(step: ModulePass, module: ModuleOp) -> None:
    """Prints a module behind a pass, on stderr."""
    print(f"// after {step.name}:\n{module_text(module)}", file=sys.stderr)
