"""Modules as text, with the locations that say more than the text around them.

Names are identity in this compiler, and they live in locations, so text without them would lose what
plans and reasons speak of. But a platform op spells its own name, and `loc("conv1")` after
`onnx.Conv "conv1"` would only be noise: a location is printed where reading the text without it would
give another one.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import IO, TYPE_CHECKING

from xdsl.dialects.builtin import UnknownLoc
from xdsl.printer import Printer
from xdsl.syntax_printer import SyntaxPrinter
from xdsl.targets.mlir import MLIRTarget

from autosplit.dialects.platform import PlatformOp

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import BlockArgument, Operation


@dataclass(eq=False, repr=False)
class LocationPrinter(Printer):
    """Prints a location only where the parser would not find it by itself."""

    def print_op(self, op: Operation) -> None:
        with self._locations(self._needs_location(op)):
            super().print_op(op)

    def print_string_literal(self, string: str) -> None:
        # Escaped, characters other than ASCII would be read back as bytes and not as a string.
        if string.isascii() or not string.isprintable() or any(c in string for c in '"\\'):
            super().print_string_literal(string)
        else:
            self.print_string(f'"{string}"')

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        with self._locations(not isinstance(arg.location, UnknownLoc)):
            super().print_block_argument(arg, print_type)

    def _needs_location(self, op: Operation) -> bool:
        # The generic form's parser knows nothing of default locations.
        if isinstance(op, PlatformOp) and not self.print_generic_format:
            return op.location != op.default_location()
        return not isinstance(op.location, UnknownLoc)

    @contextmanager
    def _locations(self, on: bool) -> Generator[None]:
        outer = self.print_debuginfo
        self.print_debuginfo = on
        yield
        self.print_debuginfo = outer


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
