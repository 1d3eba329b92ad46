"""Checks that a layer's weights fit its parameters."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType

from autosplit.core.units import counted
from autosplit.dialects.caffe import CaffeOp
from autosplit.dialects.onnx.tensors import tensor_type


def needs_weights(op: CaffeOp) -> bool:
    """Whether a layer is useless without weights: Caffe would fill in random ones."""
    if op.SPEC is None:
        return False
    # With two bottoms, the second takes the place of the weights.
    return op.SPEC.weights[1] > 0 and (op.SPEC.bottoms != (1, 2) or len(op.operands) == 1)


def shapes_of(op: CaffeOp) -> list[tuple[int, ...]]:
    """The sizes of a layer's weights."""
    types = map(tensor_type, op.weights)
    return [t.get_shape() for t in types if isinstance(t, TensorType)]


def check_weights(op: CaffeOp) -> str | None:
    """What is wrong with a layer's weights, judged by its own fields; None if nothing is."""
    shapes = shapes_of(op)
    if not shapes:
        return None
    match op.op_type:
        case "Convolution" | "ConvolutionDepthwise" | "Deconvolution":
            return _check_convolution(op, shapes)
        case "InnerProduct":
            return _check_product(op, shapes)
        case "BatchNorm":
            return _check_batch_norm(shapes)
        case "Scale":
            return _check_count(shapes, 1 + bool(op.get("bias_term")))
        case _:
            return None


def _check_count(shapes: list[tuple[int, ...]], count: int) -> str | None:
    return (
        None if len(shapes) == count else f"has {counted(len(shapes), 'weight')}, expected {count}"
    )


def _check_convolution(op: CaffeOp, shapes: list[tuple[int, ...]]) -> str | None:
    outputs, with_bias = op.get("num_output"), op.get("bias_term")
    if outputs is None:
        return "has no num_output"
    if (text := _check_count(shapes, 1 + bool(with_bias))) is not None:
        return text
    kernel = kernel_of(op, len(shapes[0]) - 2)
    axis = 1 if op.op_type == "Deconvolution" else 0
    group = op.get("group") if axis else 1
    if len(shapes[0]) < 3 or shapes[0][axis] * group != outputs or shapes[0][2:] != kernel:
        expected = f"{counted(outputs, 'output')} and a kernel of {_shown(kernel)}"
        return f"its weights are {_shown(shapes[0])}, expected {expected}"
    if with_bias and prod(shapes[1]) != outputs:
        return f"its bias is {_shown(shapes[1])}, expected {counted(outputs, 'number')}"
    return None


def kernel_of(op: CaffeOp, axes: int) -> tuple[int, ...]:
    """The sizes of the kernel of a convolution over `axes` axes."""
    if op.get("kernel_h") is not None:
        return op.get("kernel_h"), op.get("kernel_w") or 0
    sizes = op.get("kernel_size")
    return tuple(sizes * axes if len(sizes) == 1 else sizes)


def _check_product(op: CaffeOp, shapes: list[tuple[int, ...]]) -> str | None:
    outputs, with_bias = op.get("num_output"), op.get("bias_term")
    if outputs is None:
        return "has no num_output"
    if (text := _check_count(shapes, 1 + bool(with_bias))) is not None:
        return text
    axis = 1 if op.get("transpose") else 0
    if len(shapes[0]) != 2 or shapes[0][axis] != outputs:
        return f"its weights are {_shown(shapes[0])}, expected {counted(outputs, 'output')}"
    if with_bias and prod(shapes[1]) != outputs:
        return f"its bias is {_shown(shapes[1])}, expected {counted(outputs, 'number')}"
    return None


def _check_batch_norm(shapes: list[tuple[int, ...]]) -> str | None:
    if len(shapes) < 3:
        return f"has {counted(len(shapes), 'weight')}, expected mean, variance and their divisor"
    if prod(shapes[0]) != prod(shapes[1]) or prod(shapes[2]) != 1:
        return f"its weights are {', '.join(map(_shown, shapes))}, which do not fit each other"
    return None


def _shown(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "scalar"
