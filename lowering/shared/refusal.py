"""Why an op has no conversion, and noting that on the op."""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import PlatformOp
from autosplit.lowering.rewriting import why


class Refusal(Exception):
    """An op has no exact conversion; `code` and `text` become its `#device.reason`."""

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.code = code
        self.text = text


def refuse(op: PlatformOp, refusal: Refusal, rewriter: PatternRewriter) -> None:
    """Notes on an op why it stays."""
    reason = ReasonAttr.of(refusal.code, refusal.text)
    op.attributes["device.refused"] = DictionaryAttr({"tpu": reason})
    rewriter.notify_op_modified(op)
    why(op, refusal.text)
