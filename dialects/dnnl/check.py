"""The verifier of the dialect's ops: what the library checks when an op is added, and what it does not.

It never checks that a result has the right shape, nor that a scale is a positive number: a wrong one is
found when the partition is compiled, or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.dnnl.base import DnnlOp, to_attribute
from autosplit.dialects.dnnl.layouts import (
    OrderLayout,
    StridedLayout,
    dtype_name,
    layout_of,
)
from autosplit.dialects.dnnl.shapes import Shape, same_shape, scale_groups, shapes_for
from autosplit.dialects.dnnl.table import PortSpec
from autosplit.dialects.platform import UnknownType, element_type, shape_of


def check_op(op: DnnlOp) -> None:
    """Raises VerifyException if the library would refuse the op, or should.

    Sizes, ranks and element types that are unknown fit everything.
    """
    _check_count("operand", len(op.inputs), op.SPEC.counts, variadic=op.SPEC.variadic)
    variadic_results = op.kind == "Wildcard"
    _check_count("result", len(op.outputs), op.SPEC.result_counts, variadic=variadic_results)
    _check_attributes(op)
    inputs = [v.type for v in op.inputs]
    outputs = [v.type for v in op.outputs]
    if op.kind != "Wildcard":
        _check_types(op, inputs, outputs)
    for check in (*_CHECKS.get(op.kind, ()), _check_pads):
        check(op)
    try:
        sizes_for(op, [shape_of(v.type) for v in op.inputs])
    except ValueError as e:
        raise VerifyException(str(e)) from None


def sizes_for(op: DnnlOp, operands: Sequence[Shape | None]) -> Sequence[Shape | None]:
    """The shapes of the results for operands of these shapes, None if they do not follow.

    This repeats the size-dependent checks of `check_op`, all that a verified op needs for other sizes.
    Raises ValueError if they contradict each other, the attributes or the types of the results.
    """
    sizes: list[Shape | None] = [
        None if shape is None else tuple(max(d, -1) for d in shape) for shape in operands
    ]
    check = _SIZE_CHECKS.get(op.kind)
    if check is not None:
        check(op, sizes)
    shapes = shapes_for(op, sizes) or [None] * len(op.results)
    for i, (shape, value) in enumerate(zip(shapes, op.results, strict=False)):
        declared = shape_of(value.type)
        if shape is not None and declared is not None and not same_shape(shape, declared):
            raise ValueError(f"result {i} is {_text(declared)}, expected {_text(shape)}")
    return shapes


def _check_count(noun: str, count: int, allowed: tuple[int, ...], *, variadic: bool) -> None:
    if variadic and allowed[0] <= count <= allowed[-1]:
        return
    if count in allowed and not variadic:
        return
    expected = f"{allowed[0]} to {allowed[-1]}" if variadic else " or ".join(map(str, allowed))
    raise VerifyException(f"has {counted(count, noun)}, expected {expected}")


def _check_attributes(op: DnnlOp) -> None:
    for name, spec in op.ATTRS.items():
        attribute = op.properties.get(name)
        if attribute is None:
            if spec.required:
                raise VerifyException(f"needs the attribute {name!r} ({spec.type})")
            continue
        try:
            value = op.attr(name)
            if value is None or to_attribute(spec.type, value) != attribute:
                raise ValueError
        except ValueError:
            raise VerifyException(
                f"attribute {name!r} is {attribute}, expected a value of type {spec.type}"
            ) from None
        if spec.choices and value not in spec.choices:
            raise VerifyException(
                f"attribute {name!r} is {value!r}, expected one of {', '.join(spec.choices)}"
            )


def _check_types(op: DnnlOp, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    groups: dict[str, tuple[str, str]] = {}
    for role, types, ports in (
        ("operand", inputs, op.SPEC.inputs),
        ("result", outputs, op.SPEC.outputs),
    ):
        for i, type in enumerate(types):
            _check_type(f"{role} {i}", type, ports[min(i, len(ports) - 1)], groups)


def _check_type(
    where: str, type: Attribute, port: PortSpec, groups: dict[str, tuple[str, str]]
) -> None:
    if isinstance(type, UnknownType):
        return
    if (element := element_type(type)) is None:
        raise VerifyException(f"{where} ({port.name}) is {type}, expected a tensor")
    dtype = dtype_name(type)
    if dtype not in port.dtypes:
        raise VerifyException(
            f"{where} ({port.name}) has elements of {dtype or element}, "
            f"expected {' or '.join(port.dtypes)}"
        )
    group_dtype, group_where = groups.setdefault(port.group, (dtype, where))
    if group_dtype != dtype:
        raise VerifyException(
            f"{where} ({port.name}) has elements of {dtype}, those of {group_where} are {group_dtype}"
        )
    _check_layout(where, type)


def _check_layout(where: str, type: Attribute) -> None:
    layout, shape = layout_of(type), shape_of(type)
    if shape is None:
        return
    match layout:
        case StridedLayout():
            count = len(layout.strides)
            mismatch = counted(count, "stride")
        case OrderLayout():
            count = len(layout.order)
            mismatch = f"{counted(count, 'dimension')} in the order"
        case _:
            return
    if count != len(shape):
        raise VerifyException(f"{where} has {counted(len(shape), 'dimension')} and {mismatch}")


def _text(shape: Shape) -> str:
    return "[" + ", ".join("?" if d < 0 else str(d) for d in shape) + "]"


def _check_pads(op: DnnlOp) -> None:
    for name in ("pads_begin", "pads_end"):
        if name in op.ATTRS and any(v < 0 for v in op.ints(name)):
            raise VerifyException(f"{name} is {op.ints(name)}, expected no negative numbers")


def _check_quantization(op: DnnlOp) -> None:
    scales, zps = op.numbers("scales"), op.ints("zps")
    for i, scale in enumerate(scales):
        if not math.isfinite(scale) or scale <= 0:
            raise VerifyException(f"scale {i} is {scale}, expected a positive number")
    if "zps" in op.properties and len(zps) != len(scales):
        raise VerifyException(
            f"has {counted(len(scales), 'scale')} and {counted(len(zps), 'zero point')}"
        )
    quantized = op.outputs[0] if op.kind == "Quantize" else op.inputs[0]
    dtype = dtype_name(quantized.type)
    if dtype in _RANGES:
        low, high = _RANGES[dtype]
        if outside := [z for z in zps if not low <= z <= high]:
            raise VerifyException(f"zero point {outside[0]} is out of the range of {dtype}")
    elif dtype is not None and dtype.startswith("f8") and "zps" in op.properties:
        raise VerifyException(f"{dtype} has no zero points")
    if op.text("qtype") == "per_tensor" and len(scales) != 1:
        raise VerifyException(f"is per_tensor and has {counted(len(scales), 'scale')}")


def _check_scales(op: DnnlOp, operands: Sequence[Shape | None]) -> None:
    shape = operands[0]
    if shape is None or op.text("qtype") == "per_tensor":
        return
    scales, axis = op.numbers("scales"), op.integer("axis")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"axis {axis} is out of range for {counted(len(shape), 'dimension')}")
    if shape[axis] >= 0 and len(scales) != shape[axis] * scale_groups(op):
        raise ValueError(
            f"axis {axis} has the size {shape[axis]}, there are {counted(len(scales), 'scale')}"
        )


_RANGES = {"u8": (0, 255), "s8": (-128, 127)}


def _check_computed_scales(op: DnnlOp, operands: Sequence[Shape | None]) -> None:
    shape, scales = operands[:2]
    if shape is None or scales is None:
        return
    zps = operands[2] if len(operands) > 2 else None
    qtype = op.text("qtype")
    if qtype == "per_tensor" and any(d > 1 for d in scales):
        raise ValueError(f"is per_tensor and has scales of {_text(scales)}")
    if qtype == "per_group":
        groups = op.ints("group_shape")
        if len(groups) != len(shape):
            raise ValueError(
                f"group_shape has {counted(len(groups), 'number')} for {counted(len(shape), 'dimension')}"
            )
        return
    if zps is not None and not same_shape(scales, zps):
        raise ValueError(f"has scales of {_text(scales)} and zero points of {_text(zps)}")
    if qtype == "per_channel":
        axis = op.integer("axis")
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"axis {axis} is out of range for {counted(len(shape), 'dimension')}")
        if len(scales) != 1 or not same_shape(scales, (shape[axis],)):
            raise ValueError(
                f"axis {axis} has the size {shape[axis]}, the scales are {_text(scales)}"
            )


def _check_stats(op: DnnlOp) -> None:
    if op.flag("keep_stats") and len(op.outputs) != 3:
        raise VerifyException(
            "keeps its statistics (keep_stats) and has one result, expected three; set keep_stats = false"
        )


def _check_type_cast(op: DnnlOp) -> None:
    a, b = dtype_name(op.inputs[0].type), dtype_name(op.outputs[0].type)
    if a is not None and a == b:
        raise VerifyException(f"casts {a} to itself")
    if {a, b} == {"bf16", "f16"}:
        raise VerifyException(f"casts {a} to {b}, which the library does only by way of f32")


def _check_matmul(op: DnnlOp) -> None:
    a, b = dtype_name(op.inputs[0].type), dtype_name(op.outputs[0].type)
    if a is not None and b not in (a, "f32", None):
        raise VerifyException(f"multiplies {a} and gives {b}, expected {a} or f32")


def _check_axes(op: DnnlOp) -> None:
    if ("axes" in op.properties) == (len(op.inputs) == 2):
        raise VerifyException(
            "takes its axes from the attribute 'axes' or from operand 1, not both"
        )


def _check_resize(op: DnnlOp) -> None:
    if bool(op.ints("sizes")) == bool(op.numbers("scales")):
        raise VerifyException("needs one of the attributes 'sizes' and 'scales', and not both")


_CHECKS: dict[str, tuple[Callable[[DnnlOp], None], ...]] = {
    "Quantize": (_check_quantization,),
    "Dequantize": (_check_quantization,),
    "LayerNorm": (_check_stats,),
    "GroupNorm": (_check_stats,),
    "TypeCast": (_check_type_cast,),
    "MatMul": (_check_matmul,),
    "Interpolate": (_check_resize,),
    **{
        kind: (_check_axes,)
        for kind in (
            "ReduceL1",
            "ReduceL2",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
        )
    },
}

_SIZE_CHECKS: dict[str, Callable[[DnnlOp, Sequence[Shape | None]], None]] = {
    "Quantize": _check_scales,
    "Dequantize": _check_scales,
    "DynamicQuantize": _check_computed_scales,
    "DynamicDequantize": _check_computed_scales,
}
"""Checks that depend on the sizes of operands and are not shape rules."""
