"""dnnl-record: what a plan for oneDNN holds besides its partitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.versions import (
    DEFAULT_ROUNDING,
    DEFAULT_SUMS,
    DEFAULT_VERSION,
    Rounding,
    Sums,
    parse_version,
    sums_for,
)
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import LocalType, element_type
from autosplit.lowering.device.cluster import plan_of
from autosplit.lowering.device.notes import take_notes

MARKS = ("device.accepts", "device.constant", "device.stage")
"""Attributes from placing and clustering; in a plan, the position of an op implies them."""


@dataclass(frozen=True)
class DnnlRecordPass(ModulePass):
    """`device.plan` of an outlined model says what its partitions depend on, and ops have no marks.

    That is `sums`, `rounding`, `policy` and `version`, and what `device.notes` says of pictures and of
    fixed inputs. Fails if the model takes or gives something other than tensors of numbers, which no plan
    passes on.
    """

    name = "dnnl-record"

    version: str | float = DEFAULT_VERSION
    """The oneDNN that partitions are made for. Write versions from 3.10 on in quotes."""
    policy: Literal["patterns", "backend"] = "patterns"
    """Who says what is a partition; see `dnnl-fuse`."""
    sums: Sums = DEFAULT_SUMS
    """How sums of quantized values are computed; see `quant-fold-requantize`."""
    rounding: Rounding = DEFAULT_ROUNDING
    """Whether values inside of a kernel are rounded as the model says; see `quant-drop-casts`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        plan = plan_of(op)
        main = _main(op)
        _check_numbers(main)
        version = ".".join(map(str, parse_version(str(self.version))))
        settings = {
            "sums": sums_for(self.sums, self.rounding),
            "rounding": self.rounding,
            "policy": self.policy,
            "version": version,
        }
        entries = {key: StringAttr(value) for key, value in settings.items()}
        op.attributes["device.plan"] = DictionaryAttr({**plan, **entries, **take_notes(op)})
        for nested in op.walk():
            for mark in MARKS:
                nested.attributes.pop(mark, None)


def _main(module: ModuleOp) -> FuncOp:
    for op in module.body.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == FuncOp.HOST:
            return op
    raise PassFailedException("found no device.func for the host: run device-outline first")


def _check_numbers(main: FuncOp) -> None:
    """Raises if a plan takes or gives something other than tensors of numbers."""
    for role, name, value in _borders(main):
        kind = element_type(value.type)
        is_local = isinstance(value.type, LocalType)
        if is_local or (kind is not None and dtype_of(kind) is None):
            elements = value.type.WHAT if isinstance(value.type, LocalType) else "of strings"
            raise AutosplitError(
                f"{role} {name!r} is {elements}, and a compiled model takes and gives tensors of "
                "numbers; compile a part of it, with --input and --output, or use autosplit split"
            )


def _borders(main: FuncOp) -> Iterator[tuple[str, str, SSAValue]]:
    yield from (("input", *input_) for input_ in main.inputs)
    yield from (("output", *output) for output in main.outputs)
