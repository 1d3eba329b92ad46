"""Maps ONNX ops to oneDNN Graph: one function for each op type, all of them in `CONVERTERS`.

Each function takes one op in canonical form and returns the library's op that computes the same, or the
reason why there is none. It changes nothing. Shapes stay ONNX's: channels second (NCX), weights OIX (IOX
where transposed), matrices transposed by flags.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.dnnl import OP_TABLE, AttrValue, DnnlOp, Version, dtype_name
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import (
    element_type,
    shape_of,
    static_shape,
)
from autosplit.dialects.quant import UniformType
from autosplit.dialects.quant_numpy import dequantize
from autosplit.lowering.dnnl.slow_kernels import slow_kernel
from autosplit.lowering.dnnl.unsafe import unsafe_operand
from autosplit.lowering.shared.fold import AnyArray, Constants

KEPT_TYPE = "onnx.op_type"
"""The attribute of a `dnnl` op with the ONNX op that it was, if its kind would suggest another one."""

Input: TypeAlias = "SSAValue | AnyArray"
"""An operand of the library's op: a value of the graph, or a constant to be created."""


@dataclass(frozen=True)
class Mapped:
    """The library's op for an op of ONNX."""

    kind: str
    inputs: Sequence[Input]
    attrs: dict[str, AttrValue] = field(default_factory=dict[str, AttrValue])
    op_type: str = ""
    """The ONNX op, if `convert-dnnl-to-onnx` would derive another one from the kind."""
    absorbed: tuple[Operation, ...] = ()
    """Producers that become part of it; those without other users are removed."""


@dataclass(frozen=True)
class Ask:
    """A query: what is one op in one version of the library?"""

    op: OnnxOp
    constants: Constants
    version: Version

    def value(self, index: int) -> SSAValue | None:
        return operand(self.op, index)

    def need(self, index: int) -> SSAValue:
        """Operand `index`, which the op always has."""
        value = self.value(index)
        assert value is not None
        return value

    def array(self, index: int) -> AnyArray | None:
        """The array of a constant operand; None if it is omitted or computed."""
        value = self.value(index)
        return None if value is None else self.constants.array(value)

    def vector(self, index: int) -> AnyArray | None:
        """The real numbers of a constant operand of one dimension, dequantized or not."""
        value = self.need(index)
        op = value.owner
        if not isinstance(op, DnnlOp) or op.kind != "Dequantize":
            return self.constants.array(value)
        stored = self.constants.array(op.inputs[0])
        if stored is None:
            return None
        return dequantize(stored, stored_type(op, op.inputs[0].type))

    def number(self, index: int) -> float | None:
        """The value of a constant operand with one element."""
        array = self.array(index)
        return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None

    def shape(self, index: int) -> tuple[int, ...] | None:
        value = self.value(index)
        return None if value is None else shape_of(value.type)

    def refuse(self, code: str, text: str) -> ReasonAttr:
        """The reason, with the op type in front."""
        return ReasonAttr.of(code, f"{self.op.op_type} {text}")


def stored_type(op: DnnlOp, stored: Attribute) -> UniformType:
    """The quantized element type that the attributes of a Quantize or Dequantize say."""
    scales = op.numbers("scales")
    axis = None
    if op.text("qtype") == "per_channel":
        axis = op.integer("axis") % len(shape_of(stored) or (1,))
    zero_points = op.ints("zps") or [0] * len(scales)
    element = element_type(stored)
    assert element is not None
    return UniformType.of(element, f32, scales, zero_points, axis)


Answer: TypeAlias = "Mapped | ReasonAttr"
Converter: TypeAlias = "Callable[[Ask], Answer]"


def check(ask: Ask) -> Answer:
    """The library's op for `ask.op`, types and versions checked, or why there is none.

    Codes of reasons: unsupported-op, version, dtype, rank, attribute, operand, dynamic-shape, and those of
    `dnnl_unsafe`.
    """
    op = ask.op
    converter = CONVERTERS.get(op.op_type) if op.domain == "" else None
    if converter is None:
        return ask.refuse("unsupported-op", "has no counterpart in oneDNN Graph")
    if shape_of(op.results[0].type) is None or any(shape_of(v.type) is None for v in op.operands):
        return ask.refuse("rank", "has an operand or result of unknown rank")
    mapped = converter(ask)
    if isinstance(mapped, ReasonAttr):
        return mapped
    return _version(ask, mapped) or _dtypes(ask, mapped) or _unsafe(ask, mapped) or mapped


def _version(ask: Ask, mapped: Mapped) -> ReasonAttr | None:
    spec = OP_TABLE[mapped.kind]
    since = max(spec.since, *(spec.attrs[name].since for name in mapped.attrs), spec.since)
    if since <= ask.version:
        return None
    return ask.refuse(
        "version",
        f"needs oneDNN {since[0]}.{since[1]} or later, the target is "
        f"{ask.version[0]}.{ask.version[1]}",
    )


def _unsafe(ask: Ask, mapped: Mapped) -> ReasonAttr | None:
    cause = unsafe_operand(mapped.kind, mapped.inputs, mapped.attrs)
    cause = cause or slow_kernel(mapped.kind, mapped.inputs, mapped.attrs)
    return None if cause is None else ask.refuse(*cause)


def _dtypes(ask: Ask, mapped: Mapped) -> ReasonAttr | None:
    """Why the library does not support the types of the operands and of the first result, if so."""
    spec = OP_TABLE[mapped.kind]
    if any(isinstance(v, SSAValue) and shape_of(v.type) == () for v in mapped.inputs):
        return ask.refuse("rank", "has a scalar operand, the library has none")
    dtype_of_group: dict[str, str] = {}
    ports = [(spec.inputs[min(i, len(spec.inputs) - 1)], v) for i, v in enumerate(mapped.inputs)]
    for port, value in [*ports, (spec.outputs[0], ask.op.results[0])]:
        # Some kinds support integers in later versions, but mapping shape arithmetic gains nothing.
        allowed = [t for t in port.dtypes if t not in ("s32", "s64")]
        name = _dtype(value)
        if name is None or name not in allowed:
            return ask.refuse(
                "dtype",
                f"has {port.name} of {_shown(value)}, the library's {mapped.kind} takes "
                f"{' or '.join(allowed)}",
            )
        if dtype_of_group.setdefault(port.group, name) != name:
            return ask.refuse(
                "dtype",
                f"mixes {dtype_of_group[port.group]} and {name}, {mapped.kind} takes one type",
            )
    return None


def _dtype(value: Input) -> str | None:
    if isinstance(value, SSAValue):
        return dtype_name(value.type)
    names = {"bfloat16": "bf16", "bool": "boolean", "float16": "f16", "float32": "f32"}
    return names.get(value.dtype.name)


def _shown(value: Input) -> str:
    if not isinstance(value, SSAValue):
        return value.dtype.name
    element = element_type(value.type)
    return dtype_name(value.type) or ("an unknown type" if element is None else str(element))


# Convolutions and pools


def _window(ask: Ask, rank: int, kernel: Sequence[int]) -> dict[str, AttrValue] | ReasonAttr:
    """Strides and pads in the library's form."""
    op, n = ask.op, rank - 2
    strides: list[int] = attribute(op, "strides") or [1] * n
    pads: list[int] = attribute(op, "pads") or [0] * (2 * n)
    auto = attribute(op, "auto_pad", "NOTSET")
    if auto == "VALID":
        pads, auto = [0] * (2 * n), "NOTSET"
    is_same = auto in ("SAME_UPPER", "SAME_LOWER")
    plain = all(d == 1 for d in attribute(op, "dilations") or ())
    if auto != "NOTSET" and not (is_same and plain and op.op_type != "ConvTranspose"):
        return ask.refuse(
            "dynamic-shape", f"has auto_pad = {auto!r}, and its pads are not known yet"
        )
    shape = ask.shape(0) or ()
    if is_same and shape and all(d > 0 for d in shape):
        return ask.refuse("attribute", f"has auto_pad = {auto!r} and strides above its kernel")
    if len(strides) != n or len(pads) != 2 * n or len(kernel) != n:
        return ask.refuse("attribute", f"has strides {strides} and pads {pads} for rank {rank}")
    if min(pads, default=0) < 0:
        return ask.refuse("attribute", f"has pads {pads}, the library needs 0 or more")
    window: dict[str, AttrValue] = {
        "strides": strides,
        "pads_begin": pads[:n],
        "pads_end": pads[n:],
        "data_format": "NCX",
    }
    # With unknown sizes the library computes the padding from those it gets.
    return window | {"auto_pad": auto} if is_same else window


def _spatial_rank(ask: Ask) -> int | ReasonAttr:
    """The rank of an op with 1 to 3 spatial dimensions."""
    rank = len(ask.shape(0) or ())
    if 3 <= rank <= 5:
        return rank
    return ask.refuse("rank", f"has an operand of rank {rank}, the library takes 3 to 5")


def _bias(ask: Ask, index: int) -> list[Input] | ReasonAttr:
    value = ask.value(index)
    if value is None:
        return []
    rank = len(shape_of(value.type) or ())
    return [value] if rank == 1 else ask.refuse("operand", f"has a bias of rank {rank}, not 1")


def _conv(ask: Ask) -> Answer:
    transposed = ask.op.op_type == "ConvTranspose"
    rank, bias = _spatial_rank(ask), _bias(ask, 2)
    weights = ask.shape(1) or ()
    if isinstance(rank, ReasonAttr):
        return rank
    if isinstance(bias, ReasonAttr):
        return bias
    if len(weights) != rank:
        return ask.refuse("rank", f"has weights of rank {len(weights)} for rank {rank}")
    if any(d < 0 for d in weights):
        return ask.refuse("dynamic-shape", "has weights of unknown size")
    window = _window(ask, rank, weights[2:])
    if isinstance(window, ReasonAttr):
        return window
    attrs = window | {
        "dilations": attribute(ask.op, "dilations") or [1] * (rank - 2),
        "groups": attribute(ask.op, "group", 1),
        "weights_format": "IOX" if transposed else "OIX",
    }
    if transposed:
        if attribute(ask.op, "output_shape") is not None:
            return ask.refuse("attribute", "has output_shape, the library needs explicit pads")
        attrs["output_padding"] = attribute(ask.op, "output_padding") or [0] * (rank - 2)
    kind = "ConvTranspose" if transposed else "Convolution"
    return Mapped(kind, [ask.need(0), ask.need(1), *bias], attrs)


def _pool(ask: Ask) -> Answer:
    op = ask.op
    average = op.op_type == "AveragePool"
    rank = _spatial_rank(ask)
    if isinstance(rank, ReasonAttr):
        return rank
    if len(op.results) > 1 and op.results[1].first_use is not None:
        return ask.refuse("attribute", "gives the positions too, the library has values only")
    kernel: list[int] = attribute(op, "kernel_shape", [])
    dilations: list[int] = attribute(op, "dilations") or [1] * (rank - 2)
    window = _window(ask, rank, kernel)
    if isinstance(window, ReasonAttr):
        return window
    attrs = window | {"kernel": kernel}
    rounding = _rounding(ask, window, kernel, dilations)
    if isinstance(rounding, ReasonAttr):
        return rounding
    attrs["rounding_type"] = rounding
    if not average:
        return Mapped("MaxPool", [ask.need(0)], attrs | {"dilations": dilations})
    if any(d != 1 for d in dilations):
        return ask.refuse("attribute", f"has dilations {dilations}, AvgPool takes none")
    counted = bool(attribute(op, "count_include_pad", 0))
    if counted and rounding == "ceil":
        return ask.refuse(
            "attribute", "counts padding and rounds sizes up, which is not proven alike"
        )
    return Mapped("AvgPool", [ask.need(0)], attrs | {"exclude_pad": not counted})


def _rounding(
    ask: Ask, window: dict[str, AttrValue], kernel: Sequence[int], dilations: Sequence[int]
) -> str | ReasonAttr:
    """`ceil` if rounding up makes a difference and gives exactly ONNX's result size."""
    if not attribute(ask.op, "ceil_mode", 0):
        return "floor"
    sizes, result_shape = shape_of(ask.need(0).type), shape_of(ask.op.results[0].type)
    if sizes is None or result_shape is None or any(d < 0 for d in (*sizes[2:], *result_shape[2:])):
        return ask.refuse("dynamic-shape", "rounds sizes up, which needs them known")
    lists = (window["strides"], window["pads_begin"], window["pads_end"])
    strides, begin, end = cast("tuple[list[int], list[int], list[int]]", lists)
    down: list[int] = []
    up: list[int] = []
    for i, (size, k, d) in enumerate(zip(sizes[2:], kernel, dilations, strict=True)):
        span = size + begin[i] + end[i] - (k - 1) * d - 1
        down.append(span // strides[i] + 1)
        up.append(-(-span // strides[i]) + 1)
    if down == list(result_shape[2:]):
        return "floor"
    if up == list(result_shape[2:]):
        return "ceil"
    return ask.refuse(
        "attribute", "drops windows that begin in the padding, the library keeps them"
    )


def _global_pool(ask: Ask) -> Answer:
    """Over a whole image: a pool if its size is known, since pools fuse with quantization."""
    rank = _spatial_rank(ask)
    if isinstance(rank, ReasonAttr):
        return rank
    sizes = (ask.shape(0) or ())[2:]
    average = ask.op.op_type == "GlobalAveragePool"
    n = rank - 2
    if any(d < 0 for d in sizes):
        kind = "ReduceMean" if average else "ReduceMax"
        attrs: dict[str, AttrValue] = {"axes": list(range(2, rank)), "keep_dims": True}
        return Mapped(kind, [ask.need(0)], attrs, ask.op.op_type)
    attrs = {
        "strides": [1] * n,
        "pads_begin": [0] * n,
        "pads_end": [0] * n,
        "kernel": list(sizes),
        "data_format": "NCX",
        "rounding_type": "floor",
    }
    kind_attrs: dict[str, AttrValue] = {"exclude_pad": False} if average else {"dilations": [1] * n}
    kind = "AvgPool" if average else "MaxPool"
    return Mapped(kind, [ask.need(0)], attrs | kind_attrs, ask.op.op_type)


# Matrices


def _matmul(ask: Ask) -> Answer:
    a, b = ask.need(0), ask.need(1)
    if min(len(ask.shape(0) or ()), len(ask.shape(1) or ())) < 2:
        return ask.refuse("rank", "has a vector as operand, the library takes matrices")
    attrs: dict[str, AttrValue] = {}
    inputs: list[Input] = []
    absorbed: list[Operation] = []
    for name, value in (("transpose_a", a), ("transpose_b", b)):
        turned = swaps_last_two(value)
        inputs.append(value if turned is None else turned.operands[0])
        attrs[name] = turned is not None
        absorbed += [] if turned is None else [turned]
    return Mapped("MatMul", inputs, attrs, absorbed=tuple(absorbed))


def swaps_last_two(value: SSAValue) -> Operation | None:
    """The transposition that swaps the last two dimensions of a value with one user."""
    producer = value.owner
    if isinstance(producer, DnnlOp) and producer.kind == "StaticTranspose":
        order: list[int] = producer.ints("order")
    elif isinstance(producer, OnnxOp) and producer.domain == "" and producer.op_type == "Transpose":
        order = attribute(producer, "perm") or []
    else:
        return None
    rank = len(order)
    if not value.has_one_use():
        return None
    return producer if rank >= 2 and order == [*range(rank - 2), rank - 1, rank - 2] else None


def _gemm(ask: Ask) -> Answer:
    op = ask.op
    for name in ("alpha", "beta"):
        factor = attribute(op, name, 1.0)
        if factor != 1.0 and (name == "alpha" or ask.value(2) is not None):
            return ask.refuse(
                "attribute", f"has {name} = {factor:g}, the library's MatMul has none"
            )
    attrs: dict[str, AttrValue] = {
        "transpose_a": bool(attribute(op, "transA", 0)),
        "transpose_b": bool(attribute(op, "transB", 0)),
    }
    inputs: list[Input] = [ask.need(0), ask.need(1)]
    if (bias := ask.value(2)) is not None:
        columns = (shape_of(op.results[0].type) or (-1, -1))[1]
        vector = _bias_vector(ask.constants, bias, columns)
        if vector is None:
            return ask.refuse(
                "operand",
                f"adds {_dims(shape_of(bias.type))}, the library's MatMul adds a vector of its columns",
            )
        inputs.append(vector)
    return Mapped("MatMul", inputs, attrs, "Gemm")


def _bias_vector(constants: Constants, value: SSAValue, columns: int) -> Input | None:
    """What a value adds to each row, as a vector for the library; None if it does not add a row."""
    shape = shape_of(value.type)
    if shape == (columns,) and columns >= 0:
        return value
    array = constants.array(value)
    if array is None or columns < 0 or array.size not in (1, columns):
        return None
    if array.ndim and array.shape[-1] != array.size:
        return None
    return np.ascontiguousarray(np.broadcast_to(array.reshape(-1), (columns,)))


def _dims(shape: Sequence[int] | None) -> str:
    return "x".join("?" if d < 0 else str(d) for d in shape or ()) or "a scalar"


# Elementwise


def _unary(kind: str, **attrs: AttrValue) -> Converter:
    return lambda ask: Mapped(kind, [ask.need(0)], dict(attrs))


def _with_fields(kind: str, **fields: float) -> Converter:
    """An op whose attributes have the same names, with ONNX's defaults."""

    def convert(ask: Ask) -> Answer:
        attrs: dict[str, AttrValue] = {k: attribute(ask.op, k, v) for k, v in fields.items()}
        return Mapped(kind, [ask.need(0)], attrs)

    return convert


def _gelu(ask: Ask) -> Answer:
    # Before it had the attribute the library had only one form, and those versions refuse the attribute.
    exact = attribute(ask.op, "approximate", "none") == "none"
    return Mapped("GELU", [ask.need(0)], {} if exact else {"mode": "gelu_tanh"})


def _clip(ask: Ask) -> Answer:
    bounds = [ask.number(1), ask.number(2)]
    for index, bound in zip((1, 2), bounds, strict=True):
        if bound is None and ask.value(index) is not None:
            return ask.refuse("operand", f"has bound {index} computed, the library needs a number")
    low, high = (None if b is None or np.isinf(b) else b for b in bounds)
    x = ask.need(0)
    if low is not None and high is not None:
        if low > high:
            return ask.refuse("operand", f"has min {low:g} above max {high:g}")
        return Mapped("Clamp", [x], {"min": low, "max": high})
    if low == 0 and not np.signbit(low):
        return Mapped("ReLU", [x], op_type="Clip")
    if low is not None:
        return Mapped("Maximum", [x, np.array([low], np.float32)], op_type="Clip")
    if high is not None:
        return Mapped("Minimum", [x, np.array([high], np.float32)], op_type="Clip")
    return ask.refuse("attribute", "has no bounds")


def _pow(ask: Ask) -> Answer:
    exponent = ask.number(1)
    if exponent is None:
        return ask.refuse("operand", "has an exponent that is not a single constant")
    if exponent == 2:
        return Mapped("Square", [ask.need(0)], op_type="Pow")
    return Mapped("Pow", [ask.need(0)], {"beta": exponent})


def _binary(kind: str) -> Converter:
    def convert(ask: Ask) -> Answer:
        if len(ask.op.operands) != 2:
            return ask.refuse(
                "operand", f"has {counted(len(ask.op.operands), 'operand')}, {kind} takes 2"
            )
        if ask.need(0) is ask.need(1) and kind in ("Add", "Multiply"):
            return _twice(ask, kind)
        inputs: list[Input] = []
        for index in (0, 1):
            value = ask.need(index)
            if shape_of(value.type) == ():
                number = ask.array(index)
                # A vector of one element is equivalent, unless the result is a scalar too.
                if number is None or shape_of(ask.op.results[0].type) == ():
                    return ask.refuse("rank", "has a scalar operand, the library has none")
                inputs.append(number.reshape(1))
            else:
                inputs.append(value)
        return Mapped(kind, inputs, {"auto_broadcast": "numpy"})

    return convert


def _twice(ask: Ask, kind: str) -> Answer:
    """x + x and x * x with a single operand: an op that reads a result twice is not fused with it."""
    x = ask.need(0)
    if kind == "Multiply":
        return Mapped("Square", [x])
    return Mapped("Multiply", [x, np.array([2], np.float32)])


def _add(ask: Ask) -> Answer:
    """A constant vector added to a MatMul with no other user becomes that MatMul's bias."""
    plain = _binary("Add")(ask)
    if isinstance(plain, ReasonAttr):
        return plain
    for index in (0, 1):
        product, addend = ask.need(index).owner, ask.need(1 - index)
        if not isinstance(product, DnnlOp) or product.kind != "MatMul" or len(product.inputs) != 2:
            continue
        if not product.outputs[0].has_one_use() or not ask.constants.is_constant(addend):
            continue
        shape = shape_of(product.outputs[0].type) or ()
        if len(shape_of(addend.type) or ()) > len(shape) or not shape:
            continue
        vector = _bias_vector(ask.constants, addend, shape[-1])
        if vector is not None:
            return Mapped("MatMul", [*product.inputs, vector], product.attrs, absorbed=(product,))
    return plain


def _where(ask: Ask) -> Answer:
    inputs = [ask.need(0), ask.need(1), ask.need(2)]
    return Mapped("Select", inputs, {"auto_broadcast": "numpy"})


def _prelu(ask: Ask) -> Answer:
    slope, shape = ask.array(1), ask.shape(0) or ()
    if slope is None:
        return ask.refuse("operand", "has slopes that are computed")
    channels = shape[1] if len(shape) > 1 else -1
    by_channel = (channels, *[1] * (len(shape) - 2))
    if slope.size != 1 and slope.shape not in (by_channel, (1, *by_channel)):
        return ask.refuse(
            "operand", f"has slopes of {_dims(slope.shape)}, not one for each channel"
        )
    if channels < 0:
        return ask.refuse("dynamic-shape", "has an unknown number of channels")
    attrs: dict[str, AttrValue] = {"data_format": "NCX", "per_channel_broadcast": True}
    channel_slopes = np.ascontiguousarray(np.broadcast_to(slope.reshape(-1), (channels,)))
    return Mapped("PReLU", [ask.need(0), channel_slopes], attrs)


def _cast(ask: Ask) -> Answer:
    return Mapped("TypeCast", [ask.need(0)])


# Norms, reductions, softmax


def _axis(ask: Ask, default: int) -> int:
    """The attribute `axis`, counted from 0."""
    rank = len(ask.shape(0) or ())
    axis = int(attribute(ask.op, "axis", default))
    return axis + rank if axis < 0 else axis


def _softmax(kind: str) -> Converter:
    def convert(ask: Ask) -> Answer:
        axis, rank = _axis(ask, -1), len(ask.shape(0) or ())
        if axis != rank - 1:
            return ask.refuse(
                "slow-kernel",
                f"runs along dimension {axis} of {rank}, for which the library has a reference kernel only",
            )
        return Mapped(kind, [ask.need(0)], {"axis": axis})

    return convert


def _layer_norm(ask: Ask) -> Answer:
    shape, rank = ask.shape(1) or (), len(ask.shape(0) or ())
    if any(r.first_use is not None for r in ask.op.results[1:]):
        return ask.refuse("attribute", "has its mean or deviation read, which is not kept")
    if rank < 2:
        return ask.refuse("rank", "has a vector as operand, the library takes 2 dimensions or more")
    if _axis(ask, -1) != rank - 1 or len(shape) != 1:
        return ask.refuse(
            "attribute", "normalizes over several dimensions, the library over the last"
        )
    bias = ask.value(2)
    beta: Input = np.zeros(shape, np.float32) if bias is None else bias
    if bias is None and any(d < 0 for d in shape):
        return ask.refuse("dynamic-shape", "has a scale of unknown size and no bias")
    return Mapped("LayerNorm", [ask.need(0), ask.need(1), beta], _norm_attrs(ask, affine=True))


def _norm_attrs(ask: Ask, *, affine: bool) -> dict[str, AttrValue]:
    return {
        "epsilon": attribute(ask.op, "epsilon", 1e-5),
        "begin_norm_axis": -1,
        "use_affine": affine,
        "keep_stats": False,
    }


def _instance_norm(ask: Ask) -> Answer:
    """A norm of rows, as frameworks write that of groups of channels: `[n, groups, elements]`."""
    shape = ask.shape(0) or ()
    if len(shape) != 3:
        return ask.refuse("rank", "normalizes over several dimensions, the library over the last")
    if shape[1] < 0:
        return ask.refuse("dynamic-shape", "has an unknown number of channels")
    if element_type(ask.need(0).type) != f32:
        return ask.refuse("dtype", "is of other numbers than f32")
    scale, bias = ask.vector(1), ask.vector(2)
    if scale is None or bias is None or (scale != 1).any() or (bias != 0).any():
        return ask.refuse("attribute", "scales its channels, the library what is within them")
    attrs = _norm_attrs(ask, affine=False)
    return Mapped("LayerNorm", [ask.need(0)], attrs, ask.op.op_type)


def _batch_norm(ask: Ask) -> Answer:
    if attribute(ask.op, "training_mode", 0):
        return ask.refuse("attribute", "trains")
    attrs: dict[str, AttrValue] = {
        "epsilon": attribute(ask.op, "epsilon", 1e-5),
        "data_format": "NCX",
    }
    return Mapped("BatchNormInference", [ask.need(i) for i in range(5)], attrs)


def _reduce(kind: str) -> Converter:
    def convert(ask: Ask) -> Answer:
        axes = ask.array(1)
        rank = len(ask.shape(0) or ())
        if axes is None and ask.value(1) is not None:
            return ask.refuse("operand", "has axes that are computed")
        if axes is None or axes.size == 0:
            if attribute(ask.op, "noop_with_empty_axes", 0):
                return ask.refuse("attribute", "reduces nothing")
            reduced_axes = list(range(rank))
        else:
            reduced_axes = sorted(int(a) % rank for a in axes.reshape(-1))
        keep = bool(attribute(ask.op, "keepdims", 1))
        if not keep and len(reduced_axes) == rank:
            return ask.refuse("rank", "gives a scalar, the library has none")
        attrs: dict[str, AttrValue] = {"axes": reduced_axes, "keep_dims": keep}
        return Mapped(kind, [ask.need(0)], attrs)

    return convert


# Shapes


def _concat(ask: Ask) -> Answer:
    if len(ask.op.operands) > 64:
        return ask.refuse(
            "operand", f"joins {counted(len(ask.op.operands), 'value')}, the library up to 64"
        )
    return Mapped("Concat", list(ask.op.operands), {"axis": _axis(ask, 0)})


def _transpose(ask: Ask) -> Answer:
    rank = len(ask.shape(0) or ())
    order: list[int] = attribute(ask.op, "perm") or list(range(rank))[::-1]
    return Mapped("StaticTranspose", [ask.need(0)], {"order": order})


def _reshape(ask: Ask) -> Answer:
    sizes = ask.array(1)
    if sizes is None:
        return ask.refuse("operand", "has a shape that is computed")
    if sizes.size == 0:
        return ask.refuse("rank", "has a scalar result, the library has none")
    zeros = not attribute(ask.op, "allowzero", 0)
    attrs: dict[str, AttrValue] = {
        "shape": [int(d) for d in sizes.reshape(-1)],
        "special_zero": zeros,
    }
    return Mapped("StaticReshape", [ask.need(0)], attrs)


def _view(ask: Ask) -> Answer:
    """Flatten, Squeeze, Unsqueeze: a reshape to the result's shape, of which one size may be unknown."""
    shape = shape_of(ask.op.results[0].type) or ()
    if not shape:
        return ask.refuse("rank", "has a scalar result, the library has none")
    if ask.op.op_type == "Flatten" and _axis(ask, 1) == 1:
        # The first size stays, whatever it is.
        rows: dict[str, AttrValue] = {"shape": [0, -1], "special_zero": True}
        return Mapped("StaticReshape", [ask.need(0)], rows, "Flatten")
    if sum(d < 0 for d in shape) > 1 or 0 in shape:
        return ask.refuse("dynamic-shape", f"gives {_dims(shape)}, with several sizes not known")
    attrs: dict[str, AttrValue] = {"shape": [max(d, -1) for d in shape], "special_zero": False}
    return Mapped("StaticReshape", [ask.need(0)], attrs)


def _resize(ask: Ask) -> Answer:
    """Nearest by integer factors, and linear with half pixels: where both definitions agree."""
    op, sizes = ask.op, static_shape(ask.need(0).type)
    result_shape = static_shape(op.results[0].type)
    rank = _spatial_rank(ask)
    if isinstance(rank, ReasonAttr):
        return rank
    if sizes is None or result_shape is None or 0 in sizes or 0 in result_shape:
        return ask.refuse("dynamic-shape", "has unknown sizes")
    if (sizes[0], sizes[-1]) == (result_shape[0], result_shape[-1]) and sizes[1] != result_shape[1]:
        return ask.refuse("attribute", "has its channels last, as ONNX Runtime resizes bytes")
    if sizes[:2] != result_shape[:2] or attribute(op, "antialias", 0):
        return ask.refuse("attribute", "resizes channels, or filters what it shrinks")
    mode = attribute(op, "mode", "nearest")
    coords = attribute(op, "coordinate_transformation_mode", "half_pixel")
    attrs: dict[str, AttrValue] = {
        "sizes": list(result_shape[2:]),
        "coordinate_transformation_mode": "half_pixel",
        "data_format": "NCX",
    }
    if mode == "linear" and coords == "half_pixel" and _exact_scales(ask, sizes, result_shape):
        # The library names linear interpolation by the number of dimensions.
        name = {3: "linear", 4: "bilinear", 5: "trilinear"}[rank]
        return Mapped("Interpolate", [ask.need(0)], attrs | {"mode": name})
    rounding = attribute(op, "nearest_mode", "round_prefer_floor")
    is_integer = all(w % s == 0 for s, w in zip(sizes, result_shape, strict=True))
    is_same = (coords, rounding) == ("asymmetric", "floor") or (
        coords == "half_pixel" and rounding in ("round_prefer_floor", "round_prefer_ceil")
    )
    if mode == "nearest" and is_integer and is_same and _exact_scales(ask, sizes, result_shape):
        return Mapped("Interpolate", [ask.need(0)], attrs | {"mode": "nearest"})
    return ask.refuse(
        "attribute",
        f"is {mode} of {coords} coordinates ({rounding}), which the library defines differently",
    )


def _exact_scales(ask: Ask, sizes: Sequence[int], result_shape: Sequence[int]) -> bool:
    """Whether the factors are quotients of the sizes; ONNX computes positions with explicit factors."""
    scales = ask.array(2)
    if scales is None or scales.size == 0:
        return ask.value(3) is not None and attribute(ask.op, "axes") is None
    if attribute(ask.op, "axes") is not None:
        return False
    quotients = [w / s for s, w in zip(sizes, result_shape, strict=True)]
    return [float(s) for s in scales.reshape(-1)] == quotients


CONVERTERS: dict[str, Converter] = {
    "Abs": _unary("Abs"),
    "Add": _add,
    "AveragePool": _pool,
    "BatchNormalization": _batch_norm,
    "Cast": _cast,
    "Clip": _clip,
    "Concat": _concat,
    "Conv": _conv,
    "ConvTranspose": _conv,
    "Div": _binary("Divide"),
    "Elu": _with_fields("Elu", alpha=1.0),
    "Exp": _unary("Exp"),
    "Flatten": _view,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "GlobalAveragePool": _global_pool,
    "GlobalMaxPool": _global_pool,
    "HardSigmoid": _with_fields("HardSigmoid", alpha=0.2, beta=0.5),
    "HardSwish": _unary("HardSwish"),
    "InstanceNormalization": _instance_norm,
    "LayerNormalization": _layer_norm,
    "LeakyRelu": _with_fields("LeakyReLU", alpha=0.01),
    "Log": _unary("Log"),
    "LogSoftmax": _softmax("LogSoftmax"),
    "MatMul": _matmul,
    "Max": _binary("Maximum"),
    "MaxPool": _pool,
    "Min": _binary("Minimum"),
    "Mish": _unary("Mish"),
    "Mul": _binary("Multiply"),
    "PRelu": _prelu,
    "Pow": _pow,
    "Reciprocal": _unary("Reciprocal"),
    "ReduceL1": _reduce("ReduceL1"),
    "ReduceL2": _reduce("ReduceL2"),
    "ReduceMax": _reduce("ReduceMax"),
    "ReduceMean": _reduce("ReduceMean"),
    "ReduceMin": _reduce("ReduceMin"),
    "ReduceProd": _reduce("ReduceProd"),
    "ReduceSum": _reduce("ReduceSum"),
    "Relu": _unary("ReLU"),
    "Reshape": _reshape,
    "Resize": _resize,
    "Round": _unary("Round"),
    "Sigmoid": _unary("Sigmoid"),
    "Softmax": _softmax("SoftMax"),
    "Softplus": _unary("SoftPlus"),
    "Sqrt": _unary("Sqrt"),
    "Squeeze": _view,
    "Sub": _binary("Subtract"),
    "Sum": _add,
    "Tanh": _unary("Tanh"),
    "Transpose": _transpose,
    "Unsqueeze": _view,
    "Where": _where,
}
"""By op type of ONNX."""
