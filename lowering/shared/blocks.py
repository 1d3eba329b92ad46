"""The blocks of a platform module that hold whole graphs, and the order of the ops in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation
from xdsl.traits import IsTerminator

from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import PlatformGraph, PlatformOp, external_operands


def outer_blocks(module: ModuleOp) -> list[Block]:
    """The blocks of a module that hold whole graphs: the model's, or those of outlined functions."""
    return [
        op.regions[0].block
        for op in _outer_ops(module)
        if isinstance(op, PlatformGraph | FuncOp) and op.regions
    ]


def _outer_ops(module: ModuleOp) -> Iterator[Operation]:
    for op in module.body.ops:
        yield op
        if isinstance(op, ModuleOp):
            yield from _outer_ops(op)


def data_order(block: Block) -> list[Operation]:
    """The ops of a block, producers before users unless there are cycles; stable.

    Only blocks of graph regions, such as those of TensorFlow, are not in that order already.
    """
    ops = list(iter(block.ops))
    if not any(isinstance(op, PlatformOp) and op.IN_GRAPH_REGION for op in ops):
        return ops
    order: list[Operation] = []
    # By id: ops are compared by identity, but hashing them runs Python code.
    entered: set[int] = set()
    for root in ops:
        stack = [(root, False)]
        while stack:
            op, ready = stack.pop()
            if not ready:
                if id(op) in entered:
                    continue
                entered.add(id(op))
                if owners := _waited_for(op, block, entered):
                    stack.append((op, True))
                    stack.extend((owner, False) for owner in reversed(owners))
                    continue
            order.append(op)
    return order


def _waited_for(op: Operation, block: Block, entered: set[int]) -> list[Operation]:
    """The ops of a block that compute what an op reads, also inside its regions, except those `entered`."""
    values = external_operands(op) if op.regions else op.operands
    return [
        owner
        for v in values
        if (owner := v.owner).parent is block
        and id(owner) not in entered
        and isinstance(owner, Operation)
    ]


def protected_names(block: Block) -> frozenset[str]:
    """The values that a caller reads, if no terminator of the block does.

    They are the graph's `outputs`; if it names none, all values that nothing reads.
    """
    last = block.last_op
    if last is not None and last.has_trait(IsTerminator):
        return frozenset()
    parent = block.parent_op()
    outputs: Attribute | None = None if parent is None else parent.properties.get("outputs")
    if isinstance(outputs, ArrayAttr):
        names = cast("ArrayAttr[Attribute]", outputs)
        return frozenset(n.data for n in names if isinstance(n, StringAttr))
    return frozenset(
        op.value_name(i)
        for op in block.ops
        if isinstance(op, PlatformOp)
        for i, result in enumerate(op.results)
        if result.first_use is None
    )
