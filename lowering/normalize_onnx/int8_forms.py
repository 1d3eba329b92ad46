"""The forms of ONNX ops that fuse best, as a table: what `normalize-onnx{int8=true}` adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.lowering.normalize_onnx.activations import fuse_activation, split_swish
from autosplit.lowering.normalize_onnx.batch_norm import fold_batch_norm
from autosplit.lowering.normalize_onnx.binary import prepare_binary
from autosplit.lowering.normalize_onnx.canonical import Canonical
from autosplit.lowering.normalize_onnx.casts import clean_cast, drop_clip
from autosplit.lowering.normalize_onnx.sizes import defer_size

Rule = Callable[[Canonical, OnnxOp], bool]

RULES: dict[str, tuple[Rule, ...]] = {
    "Add": (prepare_binary,),
    "BatchNormalization": (fold_batch_norm,),
    "Cast": (clean_cast,),
    "Clip": (drop_clip,),
    "Div": (fuse_activation, prepare_binary),
    "Max": (prepare_binary,),
    "Min": (prepare_binary,),
    "Mul": (fuse_activation, prepare_binary),
    "Shape": (defer_size,),
    "Size": (defer_size,),
    "Sub": (prepare_binary,),
    "Swish": (split_swish,),
}
"""By op type: rules in the order in which they are asked; the first that changes an op ends its turn."""


def prepare(c: Canonical, ops: Sequence[OnnxOp], kept: frozenset[str]) -> bool:
    """Applies the rules once to each op, the last first; True where anything changed.

    An activation is found by the op that ends it, before the ops inside it get other forms. Ops whose
    results a caller reads by a name among `kept` stay.
    """
    changed = False
    for op in reversed(ops):
        if op.parent is None or op.domain != "" or not kept.isdisjoint(op.output_names):
            continue
        changed |= any(rule(c, op) for rule in RULES.get(op.op_type, ()))
    return changed
