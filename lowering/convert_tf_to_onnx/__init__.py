"""convert-tf-to-onnx: TensorFlow ops as canonical ONNX ones, in place.

The graph stays a `tf.graph` (or the outlined `device.func` that it is), with `onnx` ops among what is left
of `tf`. Every value that TensorFlow named keeps its name, its shape and its layout. The conversions are in
files by subject: `elementwise`, `layout` (what ONNX defines for channels-first tensors only), `movement`,
`numeric`, `batch_space`; `cleanup` afterwards re-composes batch norms and removes the transposes between
channels-first ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.device import FuncOp, ReasonAttr
from autosplit.dialects.onnx.ops import InitializerOp, tensor_attr
from autosplit.dialects.platform import (
    LocalType,
    PlatformGraph,
    ProtoAttr,
    element_type,
    name_location,
)
from autosplit.dialects.tf import ConstOp, StringType, TensorAttr, TfOp, constant_array
from autosplit.dialects.tf.graphs import conditionals, frames, nodes_of, topological
from autosplit.lowering.convert_tf_to_onnx import (
    batch_space,
    elementwise,
    layout,
    movement,
    numeric,
)
from autosplit.lowering.convert_tf_to_onnx.batch_space import Dilated, find_dilated
from autosplit.lowering.convert_tf_to_onnx.builder import CONVERSIONS, Builder, Refusal
from autosplit.lowering.convert_tf_to_onnx.cleanup import clean_up
from autosplit.lowering.convert_tf_to_onnx.constants import Constants
from autosplit.lowering.rewriting import why

__all__ = ["CONVERSIONS", "ConvertTfToOnnxPass", "convert"]

FAMILIES = (batch_space, elementwise, layout, movement, numeric)
"""The modules whose import fills `CONVERSIONS`."""

PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2"})

ENTERS = frozenset({"Enter", "RefEnter"})
SWITCHES = frozenset({"Switch", "RefSwitch"})

REASONS = {
    "Assert": ("host-op", "stops the run where a condition does not hold, which only the CPU can"),
    "CheckNumerics": ("host-op", "stops the run at infinities, which only the CPU can"),
    "CropAndResize": ("unsupported-op", "no ONNX op samples boxes as CropAndResize does"),
    "If": ("control-flow", "chooses a function to run"),
    "NoOp": ("host-op", "computes nothing, it only orders other nodes"),
    "PartitionedCall": ("control-flow", "calls a function of the graph's library"),
    "Print": ("host-op", "prints, which only the CPU can"),
    "ResizeArea": ("unsupported-op", "no mode of ONNX's Resize averages areas"),
    "ResizeBicubic": ("not-exact", "TensorFlow rounds the weights of the cubic to a table of 1024"),
    "StatefulPartitionedCall": ("control-flow", "calls a function of the graph's library"),
    "StatelessIf": ("control-flow", "chooses a function to run"),
    "StatelessWhile": ("control-flow", "repeats a function"),
    "While": ("control-flow", "repeats a function"),
}
"""Why some ops have no conversion, where there is more to say than that."""


def convert(ctx: Context, module: ModuleOp, cleanup: bool = False, *, bodies: bool = False) -> None:
    """Replaces the tf ops of a module by onnx ops, as far as there are conversions.

    What stays has the reason as `device.refused`. Without `cleanup` every value that TensorFlow named is
    there, which is what `infer-shapes` needs; with it there are fewer ops, as for code generation. With
    `bodies` the ops inside of loops and conditionals are converted too, which nothing could run.
    """
    from autosplit.core.weights import store_for

    constants = Constants(store_for(module))
    for op in module.walk():
        if isinstance(op, PlatformGraph | FuncOp) and nodes_of(op):
            _convert_body(op, constants, cleanup, bodies)


def _convert_body(graph: Operation, constants: Constants, cleanup: bool, bodies: bool) -> None:
    block = graph.regions[0].block
    keep = _ends(graph)
    given = _given(graph)
    staying = {} if bodies else _reasons_by_place(graph)
    nodes = nodes_of(graph)
    order = topological(nodes)
    if order != nodes:
        _reorder(block, order)
    dilated = {
        op: d
        for op, d in find_dilated(order, constants.store).items()
        if not any(o in staying or not given.isdisjoint(o.results) for o in d.ops)
        and keep.isdisjoint(f"{o.identity}:0" for o in d.ops[:2])
    }
    builder = Builder(constants)
    for op in order:
        if op.op_type in PLACEHOLDERS or not given.isdisjoint(op.results):
            continue
        together = dilated.get(op)
        if together is not None and op is not together.collect:
            # Converted with the last of the three.
            continue
        try:
            if together is not None:
                _convert_dilated(builder, together)
            else:
                _convert_op(builder, op, staying.get(op))
        except Refusal as refusal:
            builder.discard()
            reason = ReasonAttr.of(refusal.code, refusal.text)
            for refused in (op,) if together is None else together.ops:
                refused.attributes["device.refused"] = DictionaryAttr({"tpu": reason})
                why(refused, refusal.text)
    if cleanup:
        clean_up(block, constants, keep)


def _convert_op(builder: Builder, op: TfOp, reason: tuple[str, str] | None) -> None:
    """Replaces one op, or raises Refusal and leaves all as it was; `reason` is why it stays anyhow."""
    builder.start(op)
    if reason is not None:
        raise Refusal(*reason)
    if (known := REASONS.get(op.op_type)) is not None:
        raise Refusal(known[0], known[1] + _kept(op))
    _check_types(op)
    if isinstance(op, ConstOp):
        _convert_constant(op)
        return
    conversion = CONVERSIONS.get(op.op_type)
    if conversion is None:
        raise Refusal("unsupported-op", f"{op.op_type} has no conversion to onnx")
    try:
        values = builder.finish(conversion(builder))
    except (ValueError, IndexError, ZeroDivisionError) as error:
        text = f"operands and attributes do not fit each other: {error}"
        raise Refusal("malformed-op", text) from error
    outputs = op.outputs
    values += [None] * (len(outputs) - len(values))
    for old, new in zip(outputs, values, strict=True):
        if new is None and old.first_use is not None:
            raise Refusal("unsupported-op", f"output {old.index} of {op.op_type} is used")
    block = op.parent
    assert block is not None
    block.insert_ops_before(builder.created, op)
    _replace(op, values)


def _kept(op: TfOp) -> str:
    """Why a call was not inlined, as the end of a reason."""
    kept = op.attributes.get("tf.kept")
    return f", {kept.data}" if isinstance(kept, StringAttr) else ""


def _convert_dilated(builder: Builder, dilated: Dilated) -> None:
    """Replaces three ops by one convolution."""
    op = dilated.collect
    builder.start(op)
    builder.location = name_location(o.identity for o in dilated.ops)
    values = builder.finish(dilated.build(builder))
    block = op.parent
    assert block is not None
    block.insert_ops_before(builder.created, op)
    _replace(op, values)
    Rewriter.erase_op(dilated.convolution)
    Rewriter.erase_op(dilated.spread)


def _convert_constant(op: ConstOp) -> None:
    value = op.value
    if isinstance(value, TensorAttr):
        value = value.value
    elif isinstance(value, ProtoAttr):
        array = constant_array(op.results[0], None)
        if array is None:
            raise Refusal("dtype", "the constant holds what is no tensor of numbers")
        value = tensor_attr(array)
    new = InitializerOp(op.value_name(0), value, op.results[0].type, name_location([op.identity]))
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    _replace(op, [new.results[0]])


def _replace(op: TfOp, values: list[SSAValue | None]) -> None:
    """Puts the new values in the place of an op's results. Who only waited for it waits no more."""
    for old, new in zip(op.outputs, values, strict=True):
        if new is not None:
            old.replace_all_uses_with(new)
    if (done := op.done) is not None:
        for user in dict.fromkeys(use.operation for use in done.uses):
            user.operands = [v for v in user.operands if v is not done]
    Rewriter.erase_op(op)


def _check_types(op: TfOp) -> None:
    """Refuses what no ONNX op can take: handles, strings, and element types without numbers."""
    for what, values in (("operand", op.inputs), ("result", op.outputs)):
        for i, value in enumerate(values):
            if (problem := _type_problem(value.type)) is not None:
                raise Refusal("dtype", f"{what} {i} is {problem}")


@lru_cache(maxsize=4096)
def _type_problem(type: Attribute) -> str | None:
    if isinstance(type, LocalType):
        return f"a handle ({type}), which stays on the CPU"
    element = element_type(type)
    if isinstance(element, StringType):
        return "of strings, expected numbers"
    if element is not None and dtype_of(element) is None:
        return f"of {element}, which ONNX ops do not take"
    return None


def _reasons_by_place(graph: Operation) -> dict[TfOp, tuple[str, str]]:
    """Why ops inside loops and conditionals stay: these run as a whole, in TensorFlow."""
    found: dict[TfOp, tuple[str, str]] = {}
    nodes = nodes_of(graph)
    loops = frames(graph) if any(op.op_type in ENTERS for op in nodes) else {}
    whole = "which TensorFlow runs as a whole"
    if any(op.op_type in SWITCHES and op not in loops for op in nodes):
        for op, name in conditionals(graph).items():
            found[op] = ("control-flow", f"in the conditional of {name!r}, {whole}")
    for op, path in loops.items():
        found[op] = ("control-flow", f"in the while loop {path[-1]!r}, {whole}")
    return found


def _given(graph: Operation) -> set[SSAValue]:
    """The values that a caller feeds: they are computed by nobody."""
    if isinstance(graph, PlatformGraph):
        return {value for _, value in graph.graph_inputs()}
    return set()


def _ends(graph: Operation) -> frozenset[str]:
    """The names of the values that a caller gets, which clean-up must keep."""
    if isinstance(graph, PlatformGraph):
        return frozenset(name for name, _ in graph.graph_outputs())
    names = cast("ArrayAttr[StringAttr]", graph.properties["output_names"])
    return frozenset(name.data for name in names)


def _reorder(block: Block, order: list[TfOp]) -> None:
    """Puts the nodes in an order in which each stands behind what it reads, before all other ops."""
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
