"""The rewrites that reduce-mutation applies to a program, in order, and its notes on what stays."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.aten import AtenOp, GraphOp
from autosplit.dialects.platform import identity_of
from autosplit.lowering.reduce_mutation.aliases import Aliases
from autosplit.lowering.reduce_mutation.border import Output, ReturnUpdates
from autosplit.lowering.reduce_mutation.cleanup import DropUnread, TakeName
from autosplit.lowering.reduce_mutation.kept import NoteKept, kept_ops
from autosplit.lowering.reduce_mutation.patterns import (
    CopyOperands,
    ReadAnew,
    UpdateInPlace,
    UpdateView,
)
from autosplit.lowering.reduce_mutation.values import TensorValues
from autosplit.lowering.rewriting import apply_to
from autosplit.lowering.shared.names import taken_names


def reduce_mutation(module: ModuleOp) -> None:
    """What the pass does."""
    for graph in [op for op in module.walk() if isinstance(op, GraphOp)]:
        _reduce_graph(module, graph)


def _reduce_graph(module: ModuleOp, graph: GraphOp) -> None:
    block = graph.body.block
    aliases = Aliases.of(block)
    if any(memory.is_reduced for memory in aliases.memories):
        _rewrite(module, graph, aliases)
        aliases = Aliases.of(block)
    if copied := aliases.to_copy:
        names = taken_names(module) | {identity_of(op) for op in block.ops}
        apply_to(list(copied), [CopyOperands(copied, names)])
    apply_to(list(block.ops), [NoteKept(kept_ops(block))])


def _rewrite(module: ModuleOp, graph: GraphOp, aliases: Aliases) -> None:
    block = graph.body.block
    names = taken_names(module) | {identity_of(op) for op in block.ops}
    values = TensorValues(aliases, names)
    outputs = [Output(name, value, aliases.last(value)) for name, value in graph.graph_outputs()]
    views = [
        op
        for memory in aliases.memories
        if memory.is_reduced
        for op in memory.members
        if any(
            form.memory is memory and form.view is not None and form.view.op is op
            for form in aliases.results[op]
        )
    ]
    apply_to(list(block.ops), [UpdateView(values), UpdateInPlace(values), ReadAnew(values)])
    apply_to([graph], [ReturnUpdates(values, outputs)])
    returned = {name for name, _ in graph.graph_outputs()}
    drop = DropUnread([*views, *values.created], returned)
    apply_to(list(reversed([*block.ops])), [drop])
    taken = {name for op in block.ops if isinstance(op, AtenOp) for name in op.own_names()}
    copies = [op for op in block.ops if op in values.copies]
    apply_to(copies, [TakeName(values.copies, taken, returned)])
