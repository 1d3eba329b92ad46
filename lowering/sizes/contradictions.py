"""Operands that do not fit each other: what no runtime accepts is found before a model is cut.

The inference of the onnx package overlooks most of it. What types alone tell is in the verifier's rules
(`dialects.onnx.operands`); what constants tell too is here, for ops of canonical `onnx`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.operands import (
    OneElementType,
    broadcast,
    integer,
    misfit,
    no_dimension,
)
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    location_names,
    platform_graph,
    shape_of,
    shape_text,
    value_name,
)
from autosplit.lowering.shared.fold import Constants, ints

Rule = Callable[[OnnxOp, Constants], str | None]


def contradiction(module: ModuleOp, lowered: ModuleOp) -> str | None:
    """What does not fit in a model, in one sentence that names the op; None if nothing was found.

    `lowered`: the copy of `module` in canonical `onnx` in which its types were inferred.
    """
    constants = Constants(store_for(lowered))
    for op in platform_graph(lowered).body_ops():
        if isinstance(op, OnnxOp) and (reason := _reason(op, constants)) is not None:
            return _sentence(module, op, reason)
    return None


def _sentence(module: ModuleOp, op: OnnxOp, reason: str) -> str:
    """The sentence for an op of a lowered copy, about the op of the model that it comes from."""
    names = location_names(op.location)
    ops = (o for o in platform_graph(module).body_ops() if isinstance(o, PlatformOp))
    source = next((o for o in ops if o.identity in names[:1]), op)
    operands = ", ".join(f"{value_name(v)!r} of {_type_text(v)}" for v in source.operands)
    return f"{source.op_type} {source.identity!r} does not fit its operands, {operands}: {reason}"


def _type_text(value: SSAValue) -> str:
    shape, kind = shape_of(value.type), element_type(value.type)
    if shape is None:
        return str(value.type)
    return f"{shape_text(shape)} {kind}"


def _reason(op: OnnxOp, constants: Constants) -> str | None:
    """Why the operands of an op of canonical `onnx` do not fit each other."""
    kinds = (trait.misfit(op) for trait in op.get_traits_of_type(OneElementType))
    if (reason := next(filter(None, kinds), None) or misfit(op)) is not None:
        return reason
    rule = RULES.get(op.op_type) if op.domain == "" else None
    if rule is None:
        return None
    if not op.inputs or op.inputs[0] is None:
        return "it has no first operand"
    return rule(op, constants)


def _second_operand(op: OnnxOp, constants: Constants) -> list[int] | None:
    """The integers of a constant second operand."""
    values = op.inputs
    value = values[1] if len(values) > 1 else None
    return None if value is None else ints(constants.array(value))


def _reshape(op: OnnxOp, constants: Constants) -> str | None:
    shape, sizes = shape_of(op.operands[0].type), _second_operand(op, constants)
    if shape is None or sizes is None or any(d < 0 for d in shape):
        return None
    if not integer(op, "allowzero", 0):
        if any(d == 0 and i >= len(shape) for i, d in enumerate(sizes)):
            return f"a 0 in {sizes} copies a size that {shape_text(shape)} does not have"
        sizes = [shape[i] if d == 0 else d for i, d in enumerate(sizes)]
    size, product = prod(shape), prod(d for d in sizes if d != -1)
    fits = size == product if -1 not in sizes else (size % product == 0 if product else size == 0)
    return None if fits else f"{counted(size, 'element')} cannot make {sizes}"


def _expand(op: OnnxOp, constants: Constants) -> str | None:
    shape, sizes = shape_of(op.operands[0].type), _second_operand(op, constants)
    return None if shape is None or sizes is None else broadcast([shape, tuple(sizes)])


def _squeeze(op: OnnxOp, constants: Constants) -> str | None:
    shape, axes = shape_of(op.operands[0].type), _second_operand(op, constants)
    if shape is None or axes is None:
        return None
    for axis in axes:
        if (reason := no_dimension(axis, len(shape))) is not None:
            return reason
        if shape[axis] >= 0 and shape[axis] != 1:
            return f"dimension {axis} is of size {shape[axis]}, not 1"
    return None


def _gather(op: OnnxOp, constants: Constants) -> str | None:
    shape, indices = shape_of(op.operands[0].type), _second_operand(op, constants)
    axis = integer(op, "axis", 0)
    if not shape or not indices or (size := shape[axis]) < 0:
        return None
    outside = next((i for i in indices if not -size <= i < size), None)
    return (
        None if outside is None else f"dimension {axis} has no place {outside}, its size is {size}"
    )


def _top_k(op: OnnxOp, constants: Constants) -> str | None:
    shape, count = shape_of(op.operands[0].type), _second_operand(op, constants)
    axis = integer(op, "axis", -1)
    if not shape or not count or not 0 <= shape[axis] < count[0]:
        return None
    return f"dimension {axis} has {counted(shape[axis], 'element')}, not {count[0]}"


def _split(op: OnnxOp, constants: Constants) -> str | None:
    shape, sizes = shape_of(op.operands[0].type), _second_operand(op, constants)
    axis = integer(op, "axis", 0)
    if not shape or sizes is None:
        return None
    if shape[axis] >= 0 and shape[axis] != sum(sizes):
        return f"parts of {sizes} are not the size {shape[axis]} of dimension {axis}"
    return None


RULES: dict[str, Rule] = {
    "Expand": _expand,
    "Gather": _gather,
    "Reshape": _reshape,
    "Split": _split,
    "Squeeze": _squeeze,
    "TopK": _top_k,
}
"""What is checked here, by the op's type: the verifier does not read constants."""
