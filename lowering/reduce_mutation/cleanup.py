"""What the rewrite leaves behind: views that nothing reads any more, whose names their copies can take."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.aten import AtenOp
from autosplit.lowering.reduce_mutation.making import rename
from autosplit.lowering.rewriting import Pattern


class DropUnread(Pattern[AtenOp]):
    """An unread view of updated memory, or an unread op that the rewrite made `->` nothing."""

    def __init__(self, candidates: Iterable[Operation], returned: Container[str]):
        self.candidates = set(candidates)
        self.returned = returned

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        if op not in self.candidates or not op.results or op.written():
            return
        if any(result.first_use is not None for result in op.results):
            return
        if any(op.value_name(i) in self.returned for i in range(len(op.results))):
            return
        rewriter.erase(op)


class TakeName(Pattern[AtenOp]):
    """A recreated view, whose original was dropped as unread `->` the same, with the original's name."""

    def __init__(
        self, copies: Mapping[Operation, AtenOp], taken: set[str], returned: Container[str]
    ):
        self.copies = copies
        self.taken = taken
        self.returned = returned

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        first = self.copies[op]
        old = [op.value_name(i) for i in range(len(op.results))]
        names = [
            name if name in self.returned else first.value_name(i) for i, name in enumerate(old)
        ]
        new = {first.identity, *names} - {*old}
        if first.parent is not None or not self.taken.isdisjoint(new):
            return
        self.taken |= new
        op.properties["node_name"] = first.node_name
        for result, name in zip(op.results, names, strict=True):
            rename(result, name)
        rewriter.notify_op_modified(op)
