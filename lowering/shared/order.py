"""The order of passes: a pass that is run too late says so in one line."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.platform import PlatformGraph, PlatformOp, identity_of, value_names
from autosplit.lowering.shared.blocks import outer_blocks

LATER = {
    "device": "device-outline",
    "dnnl": "convert-onnx-to-dnnl",
    "quant": "convert-onnx-to-quant",
}
"""The passes that make ops of the dialects that come after the frameworks' own."""


def expect_before(module: ModuleOp, name: str, passes: Mapping[str, str] = LATER) -> None:
    """Raises PassFailedException if a graph has ops that pass `name` must come before.

    `passes`: the passes that make such ops, by dialect or by the whole name of an op.
    """
    if (stray := _first(module, passes)) is not None:
        raise PassFailedException(f"found {_described(stray[0])}: run {name} before {stray[1]}")
    if passes is not LATER:
        return
    for op in chain.from_iterable(block.ops for block in outer_blocks(module)):
        if not _has_names(op):
            raise PassFailedException(
                f"found {op.name} among the ops of a model: {name} takes ops of a framework only"
            )


def expect_after(module: ModuleOp, passes: Mapping[str, str]) -> None:
    """Raises PassFailedException if a graph has ops that another pass must have replaced.

    `passes`: the passes that replace such ops, by dialect or by the whole name of an op.
    """
    if (stray := _first(module, passes)) is not None:
        raise PassFailedException(f"found {_described(stray[0])}: run {stray[1]} first")


def expect_onnx(module: ModuleOp) -> None:
    """Raises PassFailedException if a graph has ops of another framework than ONNX."""
    passes = {
        dialect: "convert-to-onnx"
        for block in outer_blocks(module)
        for op in block.ops
        if isinstance(op, PlatformOp) and (dialect := op.name.partition(".")[0]) != "onnx"
    }
    expect_after(module, passes)


def _first(module: ModuleOp, passes: Mapping[str, str]) -> tuple[Operation, str] | None:
    """The first op that one of `passes` makes or replaces, and the pass."""
    others: set[str] = set()
    for op in chain(module.body.ops, *(block.ops for block in outer_blocks(module))):
        if op.name in others:
            continue
        name = passes.get(op.name) or passes.get(op.name.partition(".")[0])
        if name is None:
            others.add(op.name)
        # Inputs and constants may stay in their framework's dialect.
        elif op.operands or not isinstance(op, PlatformGraph | PlatformOp):
            return op, name
    return None


def _described(op: Operation) -> str:
    return f"{op.name} {name!r}" if (name := identity_of(op)) else op.name


def _has_names(op: Operation) -> bool:
    """Whether all results of an op have names, as those of a framework's ops have."""
    return isinstance(op, PlatformOp) or not op.results or bool(value_names(op))
