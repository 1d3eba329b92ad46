"""Types of the results of TensorFlow's loops, conditionals and calls, from a copy in which they are opened.

Loop variables have the sizes that enter the loop, as long as a round does not change them: that is assumed
first, then checked, and if it fails the copy is made again with those sizes open. In the copy the back edge
of each loop is cut and its inside is converted to ONNX like everything else, so that shapes are followed
through tensor arrays into a map over images and out of it.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import (
    LocalType,
    platform_graph,
    shape_of,
    static_shape,
    value_name,
)
from autosplit.dialects.tf import TfOp
from autosplit.dialects.tf.graphs import control_flow, nodes_of
from autosplit.lowering.convert_tf_to_onnx import convert
from autosplit.lowering.infer_shapes.open_functions import OPENS, open_functions
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.rewriting import Pattern, apply_to, why
from autosplit.lowering.sizes.tf_rules import CUT

MAX_ROUNDS = 8
"""The number of copies after which the types of loops are left unknown."""

MERGES = ("Merge", "RefMerge")
BACK = ("NextIteration", "RefNextIteration")
ENTERS = ("Enter", "RefEnter")


LEAVING = frozenset(
    {
        "Exit",
        "If",
        "Merge",
        "PartitionedCall",
        "RefExit",
        "RefMerge",
        "StatefulPartitionedCall",
        "StatelessIf",
        "StatelessWhile",
        "TensorArrayConcatV3",
        "TensorArrayGatherV3",
        "TensorArrayReadV3",
        "TensorListGetItem",
        "TensorListStack",
        "While",
    }
)
"""Ops that bring out of a loop, a conditional or a function what was computed inside."""


def leaves_open(module: ModuleOp) -> bool:
    """Whether a size of a tensor that leaves a loop or a conditional is unknown."""
    graph = platform_graph(module)
    leaving = [op for op in nodes_of(graph) if op.op_type in LEAVING]
    if not leaving:
        return False
    frames = control_flow(graph).frames
    return any(
        static_shape(result.type) is None
        for op in leaving
        if op not in frames or op.op_type in ("Exit", "RefExit")
        for result in op.outputs
        if not isinstance(result.type, LocalType)
    )


def loop_types(ctx: Context, module: ModuleOp) -> dict[str, Attribute]:
    """The type of every value of a TensorFlow module that has loops, conditionals or calls, by name.

    Empty if it has none, or if inference fails, which the framework has to explain.
    """
    graph = platform_graph(module)
    flow = control_flow(graph)
    functional = any(op.op_type in OPENS for op in nodes_of(graph))
    if not flow.frames and not flow.conditionals and not functional:
        return {}
    opened = module
    if functional:
        opened = module.clone()
        open_functions(opened)
    changing: dict[str, str] = {}
    for _ in range(MAX_ROUNDS):
        copy = opened.clone()
        cut = _open_loops(copy, changing)
        try:
            _infer(ctx, copy)
        except AutosplitError:
            return {}
        if not (broken := _broken(cut)):
            return _types(copy)
        changing |= broken
    return {}


def _infer(ctx: Context, copy: ModuleOp) -> None:
    convert(ctx, copy, bodies=True)
    normalize(copy, simplify=False)


def _open_loops(copy: ModuleOp, changing: dict[str, str]) -> list[tuple[TfOp, TfOp]]:
    """Cuts the back edge of each loop variable that is a tensor; returns both ends of each.

    `changing`: the axes along which variables change size, by the name of their Merge.
    """
    cut = CutLoop(changing)
    apply_to(nodes_of(platform_graph(copy)), [PassOnConstant(), cut])
    return cut.ends


class PassOnConstant(Pattern[TfOp]):
    """enter(x) -> x, where no round changes it: a constant can be folded inside the loop, too"""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, TfOp) and op.op_type in ENTERS

    def rewrite(self, op: TfOp, rewriter: PatternRewriter, /) -> None:
        value, result = op.inputs[0], op.outputs[0]
        if not op.attribute("is_constant", False):
            return why(op, "a round may change it")
        if isinstance(result.type, LocalType) or op.done is not None:
            return why(op, "it is a handle, or others wait for it")
        rewriter.replace_all_uses_with(result, value)
        return rewriter.erase(op)


class CutLoop(Pattern[TfOp]):
    """merge(x, next_iteration(y)) -> merge(x), which stands for y too; where y is the merge itself -> x"""

    def __init__(self, changing: dict[str, str]):
        self.changing = changing
        self.ends: list[tuple[TfOp, TfOp]] = []
        """The Merge and the NextIteration of each loop variable that was cut."""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, TfOp) and op.op_type in MERGES

    def rewrite(self, op: TfOp, rewriter: PatternRewriter, /) -> None:
        back = next((v.owner for v in op.inputs if _is_back(v)), None)
        if not isinstance(back, TfOp) or isinstance(op.results[0].type, LocalType):
            return
        op.operands = [v for v in op.operands if v.owner is not back]
        rewriter.notify_op_modified(op)
        if _is_unchanged(op, back):
            rewriter.replace_all_uses_with(op.results[0], op.inputs[0])
            return
        op.attributes[CUT] = StringAttr(self.changing.get(op.identity, ""))
        self.ends.append((op, back))


def _is_back(value: SSAValue) -> bool:
    return isinstance(value.owner, TfOp) and value.owner.op_type in BACK


def _is_unchanged(merge: TfOp, back: TfOp) -> bool:
    """Whether a loop variable keeps the value that it had before the loop."""
    value = back.inputs[0]
    while isinstance(producer := value.owner, TfOp) and producer.op_type in ("Identity", "Switch"):
        value = producer.inputs[0]
    return value is merge.results[0]


def _broken(cut: list[tuple[TfOp, TfOp]]) -> dict[str, str]:
    """The axes along which a round changes a loop variable, by the name of its Merge; `*` for all."""
    axes_of: dict[str, str] = {}
    for merge, back in cut:
        assumed, returned = shape_of(merge.results[0].type), shape_of(back.inputs[0].type)
        if assumed is None or all(d < 0 for d in assumed):
            continue
        old = merge.attributes[CUT]
        assert isinstance(old, StringAttr)
        if returned is None or len(returned) != len(assumed):
            axes_of[merge.identity] = "*"
            continue
        axes = [i for i, (a, b) in enumerate(zip(assumed, returned, strict=True)) if 0 <= a != b]
        if axes:
            axes_of[merge.identity] = " ".join([old.data, *map(str, axes)]).strip()
    return axes_of


def _types(copy: ModuleOp) -> dict[str, Attribute]:
    return {
        value_name(result): result.type
        for op in platform_graph(copy).body_ops()
        for result in op.results
    }
