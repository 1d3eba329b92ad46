"""convert-tf-to-onnx: TensorFlow ops as canonical ONNX ones, in place.

The graph stays a `tf.graph` (or the outlined `device.func` that it is), with `onnx` ops among the remaining
`tf` ones. Every value that TensorFlow named keeps its name, its shape and its layout. The conversions are in
files by subject: `elementwise`, `layout` (what ONNX defines for channels-first tensors only), `movement`,
`numeric`, `slicing`, `batch_space`; `patterns` applies them. `cleanup` afterwards re-composes batch norms and
removes the transposes between channels-first ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from autosplit.core.weights import store_for
from autosplit.dialects.device import FuncOp
from autosplit.dialects.named_graph import NamedGraph
from autosplit.dialects.platform import PlatformGraph
from autosplit.dialects.tf import TfOp
from autosplit.dialects.tf.graphs import control_flow, nodes_of, topological
from autosplit.lowering.convert_tf_to_onnx import (
    batch_space,
    elementwise,
    layout,
    movement,
    numeric,
    slicing,
)
from autosplit.lowering.convert_tf_to_onnx.batch_space import Dilated, find_dilated
from autosplit.lowering.convert_tf_to_onnx.builder import CONVERSIONS, Builder
from autosplit.lowering.convert_tf_to_onnx.cleanup import clean_up
from autosplit.lowering.convert_tf_to_onnx.constants import KnownValues
from autosplit.lowering.convert_tf_to_onnx.patterns import (
    ConvertConst,
    ConvertDilated,
    ConvertOp,
    KeepUnconverted,
    KeepWhole,
)
from autosplit.lowering.rewriting import Pattern, apply_to

__all__ = ["CONVERSIONS", "ConvertTfToOnnxPass", "convert"]

FAMILIES = (batch_space, elementwise, layout, movement, numeric, slicing)
"""The modules whose import fills `CONVERSIONS`."""

PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2"})

OPENING = frozenset({"Enter", "RefEnter", "RefSwitch", "Switch"})
"""What begins a loop or a conditional."""


def convert(ctx: Context, module: ModuleOp, cleanup: bool = False, *, bodies: bool = False) -> None:
    """Replaces the tf ops of a module by onnx ops, where there are conversions.

    What stays has the reason as `device.refused`. Without `cleanup` every value that TensorFlow named is
    kept, which is what `infer-shapes` needs; with it there are fewer ops, as for code generation. With
    `bodies` the ops inside loops and conditionals are converted too, which nothing could run.
    """
    constants = KnownValues(store_for(module))
    for op in module.walk():
        if isinstance(op, PlatformGraph | FuncOp) and nodes_of(op):
            if isinstance(op, NamedGraph):
                op.settle_outputs()
            _convert_body(op, constants, cleanup, bodies)


def _convert_body(graph: Operation, constants: KnownValues, cleanup: bool, bodies: bool) -> None:
    block = graph.regions[0].block
    keep = _ends(graph)
    fed = _fed_values(graph)
    places = {} if bodies else _places(graph)
    nodes = nodes_of(graph)
    order = topological(nodes)
    if order != nodes:
        _reorder(block, order)
    dilated = {
        op: d
        for op, d in find_dilated(order, constants.store).items()
        if not any(o in places or not fed.isdisjoint(o.results) for o in d.ops)
        and keep.isdisjoint(f"{o.identity}:0" for o in d.ops[:2])
    }
    # The ops of a dilated convolution are converted with the last of them.
    inner = {op for op, d in dilated.items() if op is not d.collect}
    ops = (op for op in order if op.op_type not in PLACEHOLDERS and op not in inner)
    apply_to(
        [op for op in ops if fed.isdisjoint(op.results)], _patterns(constants, dilated, places)
    )
    if cleanup:
        clean_up(block, constants, keep)


def _patterns(
    constants: KnownValues, dilated: dict[TfOp, Dilated], places: dict[TfOp, str]
) -> list[Pattern[TfOp]]:
    """The patterns of the pass. They are tried in order, until one changes the op."""
    builder = Builder(constants)
    return [
        KeepWhole(places),
        ConvertDilated(builder, dilated),
        ConvertConst(builder),
        *(ConvertOp(builder, rule, op_types) for rule, op_types in CONVERSIONS.by_rule().items()),
        KeepUnconverted(builder),
    ]


def _places(graph: Operation) -> dict[TfOp, str]:
    """The loops and conditionals that ops are in, which run as a whole in TensorFlow."""
    if not any(op.op_type in OPENING for op in nodes_of(graph)):
        return {}
    flow = control_flow(graph)
    places = {op: f"conditional of {name!r}" for op, name in flow.conditionals.items()}
    return places | {op: f"while loop {path[-1]!r}" for op, path in flow.frames.items()}


def _fed_values(graph: Operation) -> set[SSAValue]:
    """The values that a caller feeds, which no op computes."""
    if isinstance(graph, PlatformGraph):
        return {value for _, value in graph.graph_inputs()}
    return set()


def _ends(graph: Operation) -> frozenset[str]:
    """The names of the values that a caller receives, which clean-up must keep."""
    if isinstance(graph, PlatformGraph):
        return frozenset(name for name, _ in graph.graph_outputs())
    names = cast("ArrayAttr[StringAttr]", graph.properties["output_names"])
    return frozenset(name.data for name in names)


def _reorder(block: Block, order: list[TfOp]) -> None:
    """Moves the nodes before all other ops, each behind what it reads."""
    for op in order:
        op.detach()
    if (first := block.first_op) is not None:
        block.insert_ops_before(order, first)
    else:
        block.add_ops(order)


@dataclass(frozen=True)
class ConvertTfToOnnxPass(ModulePass):
    """Every tf op with an exact ONNX counterpart becomes that; others get `device.refused`.

    Control edges end at converted ops: data flow implies the same order, except for checks and other
    effects, which stay in TensorFlow.
    """

    name = "convert-tf-to-onnx"

    cleanup: bool = True
    """Whether to re-compose batch norms and to remove identities and transposes that cancel."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(ctx, op, self.cleanup)
