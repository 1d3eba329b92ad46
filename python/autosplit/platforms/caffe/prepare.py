"""Fixing the inputs and outputs of an imported Caffe network, in place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import counted
from autosplit.core.weights import WeightStore
from autosplit.dialects.caffe import CaffeOp, GraphOp, InputOp, make_constant, make_input
from autosplit.dialects.platform import set_type, shape_of, shape_text, static_shape, strings
from autosplit.lowering.convert_caffe_to_onnx.priors import prior_boxes
from autosplit.lowering.convert_caffe_to_onnx.sizes import result_sizes, type_of
from autosplit.lowering.shared.refusal import Refusal
from autosplit.platforms.preparing import own_name, replace_op, together


def prepare_graph(
    graph: GraphOp,
    inputs: Mapping[str, Sequence[int] | None],
    outputs: Sequence[str],
    store: WeightStore,
) -> None:
    """See `autosplit.platforms.Platform.prepare`.

    A Caffe network computes at any sizes: those that it states are what it starts with. So a shape only has
    to have as many axes as the one that is stated. Default boxes become constants where the sizes are fixed:
    they read whole blobs for nothing but their sizes, which then would have to go over borders.
    """
    values = graph.values()
    wanted = [_own_name(values, name, "output") for name in outputs]
    names = wanted or [name for name, _ in graph.graph_outputs()]
    if not names:
        raise AutosplitError(
            "the network has no blob that nothing reads; say which are its outputs"
        )
    chosen: set[str] = set()
    for name, shape in inputs.items():
        own = _own_name(values, name, "input")
        if own in chosen:
            raise AutosplitError(f"input {own!r} appears twice")
        chosen.add(own)
        _set_input(graph, own, shape)
    graph.outputs = strings(dict.fromkeys(names))
    _prune(graph, chosen)
    _take_sizes(graph)
    _settle_boxes(graph, names, store)
    _prune(graph, chosen)


def _own_name(values: Mapping[str, SSAValue], name: str, what: str) -> str:
    if (own := own_name(values, name)) is not None:
        return own
    names = [n for n, v in values.items() if what == "output" or isinstance(v.owner, InputOp)]
    raise AutosplitError(f"{what} {name!r} is not a blob of the network{choice(name, names)}")


def _set_input(graph: GraphOp, name: str, shape: Sequence[int] | None) -> None:
    """Makes the value an input, of the given shape."""
    value = graph.values()[name]
    op = value.owner
    assert isinstance(op, CaffeOp)
    if op.IS_CONSTANT:
        raise AutosplitError(f"{name!r} is a constant of the network, not an input")
    if shape is not None:
        _check_shape(name, value, shape)
        set_type(value, TensorType(f32, [d if d >= 0 else DYNAMIC_INDEX for d in shape]))
    if isinstance(op, InputOp):
        return
    for other in op.results:
        if other is not value and other.first_use is not None:
            raise together(name, op.value_name(other.index), "network", "blob")
    replace_op(op, value, make_input(name, value.type))


def _check_shape(name: str, value: SSAValue, shape: Sequence[int]) -> None:
    if any(d < -1 or d == 0 for d in shape):
        raise AutosplitError(f"input {name!r}: {list(shape)} is not a shape")
    stated = shape_of(value.type)
    if stated is not None and len(stated) != len(shape):
        raise AutosplitError(
            f"input {name!r} has {counted(len(stated), 'axis', 'axes')} ({shape_text(stated)}), "
            f"{shape_text(shape)} has {len(shape)}"
        )


def _take_sizes(graph: GraphOp) -> None:
    """Gives each value the sizes that follow from the inputs'."""
    for op in graph.layers():
        try:
            shapes = result_sizes(op)
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            # The conversion of the layers reports what does not fit.
            continue
        for result, sizes in zip(op.results, shapes, strict=True):
            if sizes is not None:
                set_type(result, type_of(sizes))


def _settle_boxes(graph: GraphOp, outputs: Collection[str], store: WeightStore) -> None:
    """Puts constants in the place of default boxes of known sizes."""
    for op in graph.layers():
        shapes = [static_shape(value.type) for value in op.operands]
        if op.name != "caffe.PriorBox" or op.value_name(0) in outputs or None in shapes:
            continue
        try:
            boxes = prior_boxes(op, *(shape for shape in shapes if shape is not None))
        except (Refusal, ValueError, ZeroDivisionError):
            continue
        constant = make_constant(op.value_name(0), boxes, store)
        constant.properties["node_name"] = op.properties["node_name"]
        constant.location = op.location
        Rewriter.replace_op(op, constant)


def _prune(graph: GraphOp, keep: set[str]) -> None:
    """Drops the layers that no output needs, and inputs that are then unused, except `keep`."""
    needed: set[Operation] = set()
    waiting = [v.owner for _, v in graph.graph_outputs()]
    while waiting:
        owner = waiting.pop()
        if isinstance(owner, Operation) and owner not in needed:
            needed.add(owner)
            waiting += [v.owner for v in owner.operands]
    for op in reversed(graph.layers()):
        if op in needed or (isinstance(op, InputOp) and op.value_name(0) in keep):
            continue
        op.detach()
        op.erase()
