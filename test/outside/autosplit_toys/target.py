"""The output format `toys-list`."""

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from autosplit.dialects.platform import PlatformOp


@dataclass(frozen=True)
class ToysListTarget(Target):
    """The nodes of a model, one a line."""

    name = "toys-list"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        for op in module.walk():
            if isinstance(op, PlatformOp) and not op.IS_CONSTANT:
                output.write(f"{op.op_type} {op.identity}\n")
