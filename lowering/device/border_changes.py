"""What happens to a value where it enters or leaves a TPU sub-model: another element type, another layout.

Both happen once: element types are cast by the runner, since a bmodel takes and gives f32, and a layout is
changed by the one transpose that lowering leaves behind the input or in front of the output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, f32
from xdsl.ir import Attribute, Operation, SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type, platform_graph, shape_of
from autosplit.lowering.quant.own_scales import Scale, border_scales

LAYOUTS: Mapping[tuple[int, ...], str] = {
    (0, 3, 1, 2): "NHWC to NCHW",
    (0, 2, 3, 1): "NCHW to NHWC",
    (0, 2, 1): "NLC to NCL",
    (0, 4, 1, 2, 3): "NDHWC to NCDHW",
    (0, 2, 3, 4, 1): "NCDHW to NDHWC",
}
"""Transposes that are changes of layout, by their permutation."""


def border_changes(lowered: ModuleOp) -> dict[str, list[str]]:
    """The changes to each input and output of a sub-model in canonical ONNX that has any, by name."""
    graph = platform_graph(lowered)
    by_name: dict[str, list[str]] = {}
    scales = border_scales(lowered)
    for name, value in graph.graph_inputs():
        changes = _elements(value, scales.get(name), "{} to f32")
        by_name[name] = changes + _layout(_transpose_behind(value))
    for name, value in graph.graph_outputs():
        changes = _elements(value, scales.get(name), "f32 to {}")
        by_name[name] = _layout(_transpose_before(value)) + changes
    return {name: changes for name, changes in by_name.items() if changes}


def plan_entry(changes: dict[str, dict[str, list[str]]]) -> DictionaryAttr:
    """What `device.plan` holds under `changes`: by tensor and then by sub-model."""
    by_tensor: dict[str, dict[str, Attribute]] = {}
    for graph, tensors in changes.items():
        for name, texts in tensors.items():
            entry = ArrayAttr([StringAttr(text) for text in texts])
            by_tensor.setdefault(name, {})[graph] = entry
    return DictionaryAttr({name: DictionaryAttr(entry) for name, entry in by_tensor.items()})


def _elements(value: SSAValue, scale: Scale | None, change: str) -> list[str]:
    if scale is not None:
        return [f"in steps of {scale.step:.4g}"]
    kind = element_type(value.type)
    return [] if kind in (None, f32) else [change.format(kind)]


def _layout(transpose: OnnxOp | None) -> list[str]:
    if transpose is None:
        return []
    perm = cast("list[int] | None", transpose.attribute("perm"))
    text = LAYOUTS.get(tuple(perm or ()))
    return [] if text is None else [text]


def _transpose_behind(value: SSAValue) -> OnnxOp | None:
    """The transpose that reads an input, perhaps behind ops that work element by element."""
    while True:
        users = {use.operation for use in value.uses}
        if len(users) != 1:
            return None
        user = next(iter(users))
        if _is_transpose(user):
            return user
        if not _keeps_shape(user, value):
            return None
        value = user.results[0]


def _transpose_before(value: SSAValue) -> OnnxOp | None:
    """The transpose that produces an output, perhaps in front of ops that work element by element."""
    while isinstance(value.owner, OnnxOp) and not value.owner.IS_CONSTANT:
        if _is_transpose(value.owner):
            return value.owner
        before = [v for v in value.owner.operands if _keeps_shape(value.owner, v)]
        if len(before) != 1:
            return None
        value = before[0]
    return None


def _is_transpose(op: Operation) -> TypeGuard[OnnxOp]:
    return isinstance(op, OnnxOp) and op.op_type == "Transpose"


ELEMENTWISE = frozenset(
    {"Add", "Cast", "Clip", "Div", "Mul", "Relu", "Sigmoid", "Softmax", "Sub", "Tanh"}
)


def _keeps_shape(op: Operation, value: SSAValue) -> bool:
    """Whether an op computes element by element on one of its operands."""
    return (
        isinstance(op, OnnxOp)
        and op.op_type in ELEMENTWISE
        and len(op.results) == 1
        and shape_of(value.type) is not None
        and shape_of(op.results[0].type) == shape_of(value.type)
    )
