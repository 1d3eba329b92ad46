"""What platforms share where they make a model of an outlined sub-model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

if TYPE_CHECKING:
    from autosplit.dialects.device import FuncOp


def graph_body(
    func: FuncOp, make_input: Callable[[str, SSAValue], Operation]
) -> tuple[Region, list[SSAValue]]:
    """A copy of a sub-model's nodes as a graph's body, and the values that the sub-model returns.

    `make_input`: the node for an input, from its name and the argument that the node replaces.
    """
    source = func.body.clone().block
    block = Block()
    for name, argument in zip(func.input_names, source.args, strict=True):
        node = make_input(name.data, argument)
        block.add_op(node)
        argument.replace_all_uses_with(node.results[0])
    ends: list[SSAValue] = []
    if (end := source.last_op) is not None:
        ends = [*end.operands]
        end.detach()
        end.erase()
    for op in [*iter(source.ops)]:
        op.detach()
        block.add_op(op)
    return Region(block), ends


def with_attributes(graph: Operation, module: ModuleOp, own: str) -> ModuleOp:
    """A module of a graph, with what `module` says of the platform and, under `own`, of its dialect."""
    copy = ModuleOp([graph])
    copy.attributes.update(
        {k: v for k, v in module.attributes.items() if k.startswith(("platform.", own))}
    )
    return copy
