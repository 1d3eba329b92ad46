"""The op set of oneDNN Graph as data: kinds, codes, operands, attributes, versions.

One `OpSpec` for each kind of op that the library's C enum has (3.13 names 88). The dialect's ops, the
JSON files and the calls into the library all read this table and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from autosplit.core.versions import Version

AttrValue: TypeAlias = str | bool | int | float | list[int] | list[float]
"""An attribute's value in Python. Lists are `list[int]` (s64[]) or `list[float]` (f32[])."""

STRING, BOOL, S64, S64S, F32, F32S = "string", "bool", "s64", "s64[]", "f32", "f32[]"
"""The library's names of the types of attributes, also in JSON."""

FIRST: Version = (3, 0)
"""The first version of the library with a graph API."""

FLOATS = ("f32", "bf16", "f16")
ALL_TYPES = (
    *FLOATS,
    "s32",
    "s64",
    "s8",
    "u8",
    "s4",
    "u4",
    "boolean",
    "f8_e4m3",
    "f8_e5m2",
)
"""The library's names of element types."""


@dataclass(frozen=True)
class AttrSpec:
    """One attribute of an op: its C code, its type, and whether the library insists on it."""

    name: str
    code: int
    type: str
    required: bool = False
    default: AttrValue | None = None
    """The library's default if the attribute is absent; None if absence has a meaning of its own."""
    choices: tuple[str, ...] = ()
    since: Version = FIRST


@dataclass(frozen=True)
class PortSpec:
    """One operand or result of an op: its name and the element types that the library takes.

    Ports of one op with the same `group` have the same element type.
    """

    name: str
    dtypes: tuple[str, ...] = FLOATS
    group: str = "T"


@dataclass(frozen=True)
class OpSpec:
    """One kind of op. `counts` are the allowed numbers of operands, `result_counts` those of results."""

    kind: str
    code: int
    summary: str
    inputs: tuple[PortSpec, ...]
    outputs: tuple[PortSpec, ...]
    counts: tuple[int, ...]
    result_counts: tuple[int, ...]
    attrs: dict[str, AttrSpec] = field(default_factory=dict[str, AttrSpec])
    since: Version = FIRST
    """The first version observed to know the op: one that is too late is safe, one too early crashes."""
    variadic: bool = False
    """The last operand may repeat; `counts` are then the minimum and maximum number."""
    shapes: str = ""
    """The shape function for the results; '' if there is none."""


_CODES = {
    **{n: 0x1 + i for i, n in enumerate(("alpha", "beta", "epsilon", "max", "min", "momentum"))},
    "scales": 0x20,
    **{n: 0x30 + i for i, n in enumerate(("axis", "begin_norm_axis", "groups"))},
    **{
        n: 0x40 + i
        for i, n in enumerate(
            (
                "axes",
                "dilations",
                "dst_shape",
                "kernel",
                "order",
                "output_padding",
                "pads_begin",
                "pads_end",
                "shape",
                "sizes",
                "src_shape",
                "strides",
                "weights_shape",
                "zps",
                "group_shape",
            )
        )
    },
    **{
        n: 0x60 + i
        for i, n in enumerate(
            (
                "exclude_pad",
                "keep_dims",
                "keep_stats",
                "per_channel_broadcast",
                "special_zero",
                "transpose_a",
                "transpose_b",
                "use_affine",
                "use_dst",
            )
        )
    },
    **{
        n: 0x80 + i
        for i, n in enumerate(
            (
                "auto_broadcast",
                "auto_pad",
                "coordinate_transformation_mode",
                "data_format",
                "mode",
                "qtype",
                "rounding_type",
                "weights_format",
                "accumulation_mode",
            )
        )
    },
}


def _type_of_code(code: int) -> str:
    for first_code, type in ((0x80, STRING), (0x60, BOOL), (0x40, S64S), (0x30, S64), (0x20, F32S)):
        if code >= first_code:
            return type
    return F32


ATTR_CODES: dict[str, int] = dict(_CODES)
"""The C code of each attribute, by its name."""

ATTR_TYPES: dict[str, str] = {name: _type_of_code(code) for name, code in _CODES.items()}
"""The type of each attribute, by its name: an attribute has the same type in every op."""


def _attr(
    name: str,
    default: AttrValue | None = None,
    *,
    required: bool = False,
    choices: tuple[str, ...] = (),
    since: Version = FIRST,
) -> AttrSpec:
    return AttrSpec(name, _CODES[name], ATTR_TYPES[name], required, default, choices, since)


def _need(*names: str) -> list[AttrSpec]:
    return [_attr(name, required=True) for name in names]


_DATA_FORMAT = _attr("data_format", "NXC", choices=("NXC", "NCX"))
_AUTO_PAD = _attr("auto_pad", "None", choices=("None", "SAME_UPPER", "SAME_LOWER", "VALID"))
_BROADCAST = _attr("auto_broadcast", "numpy", choices=("none", "numpy"))
_USE_DST = _attr("use_dst", True)
_WINDOW = _need("strides", "pads_begin", "pads_end")
_ROUNDING = _attr("rounding_type", "floor", choices=("floor", "ceil"))
_STATS = [
    _attr("keep_stats", True),
    _attr("use_affine", True),
    _attr("epsilon", 1e-5),
]
_QUANT = [
    _attr("qtype", "per_tensor", choices=("per_tensor", "per_channel")),
    _attr("axis", 1),
]


def _conv(weights: str, *formats: str) -> list[AttrSpec]:
    return [
        *_WINDOW,
        *_need("dilations"),
        _AUTO_PAD,
        _attr("groups", 1),
        _DATA_FORMAT,
        _attr("weights_format", weights, choices=formats),
    ]


_CONV = _conv("XIO", "XIO", "OIX")
_CONV_TRANSPOSE = _conv("XOI", "XOI", "IOX")
_GELU_MODE = _attr("mode", "gelu_erf", choices=("gelu_erf", "gelu_tanh"), since=(3, 13))
_RESIZE = [
    _attr("mode", required=True, choices=("nearest", "linear", "bilinear", "trilinear")),
    _attr("sizes"),
    _attr("scales"),
    _attr("coordinate_transformation_mode", "half_pixel", choices=("half_pixel", "align_corners")),
    _DATA_FORMAT,
]

_table: dict[str, OpSpec] = {}
_next_code = 0


def _ports(text: str, dtypes: dict[str, tuple[str, ...]]) -> tuple[PortSpec, ...]:
    """Parses `src:T, weights:T`; a port has group T by default, and floats unless in `dtypes`."""
    ports: list[PortSpec] = []
    for port_text in filter(None, (p.strip() for p in text.split(","))):
        name, _, group = port_text.partition(":")
        ports.append(PortSpec(name, dtypes.get(group or "T", FLOATS), group or "T"))
    return tuple(ports)


def _op(
    kind: str,
    inputs: str,
    outputs: str,
    summary: str,
    attrs: Iterable[AttrSpec] = (),
    *,
    counts: tuple[int, ...] = (),
    result_counts: tuple[int, ...] = (),
    shapes: str = "",
    since: Version = FIRST,
    variadic: bool = False,
    **dtypes: tuple[str, ...],
) -> None:
    """Adds the op of the next code."""
    global _next_code
    ins, outs = _ports(inputs, dtypes), _ports(outputs, dtypes)
    _table[kind] = OpSpec(
        kind,
        _next_code,
        summary,
        ins,
        outs,
        counts or (len(ins),),
        result_counts or (len(outs),),
        {a.name: a for a in attrs},
        since,
        variadic,
        shapes,
    )
    _next_code += 1


def _unary(kind: str, summary: str, *attrs: AttrSpec, since: Version = FIRST) -> None:
    _op(kind, "src", "dst", summary, attrs, shapes="same", since=since)


def _backward(kind: str, of: str, *attrs: AttrSpec, since: Version = FIRST) -> None:
    _op(
        kind,
        "src, diff_dst",
        "diff_src",
        f"The gradient of `dnnl.{of}` with respect to its operand.",
        attrs,
        shapes="same",
        since=since,
    )


def _binary(kind: str, summary: str, *, mixed: tuple[str, ...] | None = None) -> None:
    ins, outs = ("src_0, src_1", "dst") if mixed is None else ("src_0:A, src_1:B", "dst:C")
    types = mixed or FLOATS
    _op(kind, ins, outs, summary, [_BROADCAST], shapes="broadcast", A=types, B=types, C=types)


def _reduce(kind: str, summary: str) -> None:
    attrs = [_attr("axes"), _attr("keep_dims", False)]
    _op(
        kind,
        "src, axes:I",
        "dst",
        summary,
        attrs,
        counts=(1, 2),
        shapes="reduce",
        I=("s32",),
    )


_STATS_TYPES = ("f32", "bf16")
_INTS = ("s32",)
_NORM_GRADS = "src, diff_dst, mean:S, variance:S, gamma:S"

# The order is that of the C enum: it gives the codes.
_unary("Abs", "dst = |src|.")
_backward("AbsBackward", "Abs")
_binary("Add", "dst = src_0 + src_1.", mixed=(*FLOATS, "s32"))
_op(
    "AvgPool",
    "src",
    "dst",
    "Averages over windows; padding counts unless `exclude_pad`.",
    [*_WINDOW, *_need("exclude_pad", "kernel"), _DATA_FORMAT, _ROUNDING, _AUTO_PAD],
    shapes="pool",
)
_op(
    "AvgPoolBackward",
    "diff_dst, src_shape:I",
    "diff_src",
    "The gradient of `dnnl.AvgPool` with respect to its operand.",
    [*_WINDOW, *_need("exclude_pad", "kernel"), _AUTO_PAD, _DATA_FORMAT, _attr("src_shape")],
    counts=(1, 2),
    I=_INTS,
)
_op(
    "BatchNormTrainingBackward",
    _NORM_GRADS,
    "diff_src, diff_gamma:S, diff_beta:S",
    "The gradients of a batch norm in training.",
    [*_need("epsilon"), _DATA_FORMAT],
    counts=(4, 5),
    result_counts=(1, 2, 3),
    S=_STATS_TYPES,
)
_op(
    "BatchNormForwardTraining",
    "src, mean:S, variance:S, gamma:S, beta:S",
    "dst, running_mean:S, running_variance:S, batch_mean:S, batch_variance:S",
    "Normalizes by the batch's own mean and variance, and updates the running ones.",
    [*_need("epsilon"), _attr("momentum"), _DATA_FORMAT],
    counts=(3, 4, 5),
    S=_STATS_TYPES,
)
_op(
    "BatchNormInference",
    "src, gamma:S, beta:S, mean:S, variance:S",
    "dst",
    "dst = gamma * (src - mean) / sqrt(variance + epsilon) + beta, for each channel.",
    [*_need("epsilon"), _DATA_FORMAT],
    shapes="batch_norm",
    S=_STATS_TYPES,
)
_op(
    "BiasAdd",
    "src, bias",
    "dst",
    "dst = src + bias, the bias given for each channel.",
    [_DATA_FORMAT],
    shapes="bias_add",
)
_op(
    "BiasAddBackward",
    "diff_dst",
    "diff_bias",
    "The gradient of `dnnl.BiasAdd` with respect to the bias.",
    [_DATA_FORMAT],
)
_unary("Clamp", "dst = min(max(src, `min`), `max`).", *_need("min", "max"))
_backward("ClampBackward", "Clamp", *_need("min", "max"), _USE_DST)
_op(
    "Concat",
    "src",
    "dst",
    "Joins its operands along `axis`.",
    _need("axis"),
    counts=(1, 64),
    shapes="concat",
    variadic=True,
)
_op(
    "Convolution",
    "src, weights, bias",
    "dst",
    "Convolves src with weights, in `groups` groups, and adds the bias for each output channel.",
    _CONV,
    counts=(2, 3),
    shapes="conv",
)
_op(
    "ConvolutionBackwardData",
    "diff_dst, weights, dst_shape:I",
    "diff_src",
    "The gradient of `dnnl.Convolution` with respect to src.",
    [*_CONV, _attr("output_padding"), _attr("dst_shape")],
    counts=(2, 3),
    I=_INTS,
)
_op(
    "ConvolutionBackwardWeights",
    "src, diff_dst, weights_shape:I",
    "diff_weights",
    "The gradient of `dnnl.Convolution` with respect to the weights.",
    [*_CONV, _attr("weights_shape")],
    counts=(2, 3),
    I=_INTS,
)
_op(
    "ConvTranspose",
    "src, weights, bias",
    "dst",
    "The transposed convolution of src with weights, plus the bias for each output channel.",
    [*_CONV_TRANSPOSE, _attr("output_padding")],
    counts=(2, 3),
    shapes="conv_transpose",
)
_op(
    "ConvTransposeBackwardData",
    "diff_dst, weights",
    "diff_src",
    "The gradient of `dnnl.ConvTranspose` with respect to src.",
    _CONV_TRANSPOSE,
)
_op(
    "ConvTransposeBackwardWeights",
    "src, diff_dst, weights_shape:I",
    "diff_weights",
    "The gradient of `dnnl.ConvTranspose` with respect to the weights.",
    [*_CONV_TRANSPOSE, _attr("weights_shape")],
    counts=(2, 3),
    I=_INTS,
)
_op(
    "Dequantize",
    "src:Q",
    "dst",
    "dst = (src - zps) * scales, for the whole tensor or for each index of `axis`.",
    [*_QUANT, *_need("scales"), _attr("zps")],
    shapes="same",
    Q=("u8", "s8", "f8_e5m2", "f8_e4m3"),
    T=("f32",),
)
_binary("Divide", "dst = src_0 / src_1.", mixed=FLOATS)
_op(
    "DynamicDequantize",
    "src:Q, scales:T, zps:Z",
    "dst:T",
    "dst = (src - zps) * scales, with scales and zero points that are tensors.",
    [
        _attr("qtype", "per_tensor", choices=("per_tensor", "per_channel", "per_group")),
        _attr("axis", 1),
        _attr("group_shape", since=(3, 7)),
    ],
    counts=(2, 3),
    shapes="same",
    Q=("u8", "s8", "s4", "u4"),
    Z=("u4", "s4", "u8", "s8", "s32"),
)
_op(
    "DynamicQuantize",
    "src:T, scales:T, zps:Z",
    "dst:Q",
    "dst = sat(round(src / scales + zps)), with scales and zero points that are tensors.",
    _QUANT,
    counts=(2, 3),
    shapes="same",
    T=("f32",),
    Z=("u8", "s8", "s32"),
    Q=("u8", "s8"),
)
_unary("Elu", "dst = src where positive, else `alpha` * (e^src - 1).", *_need("alpha"))
_backward("EluBackward", "Elu", *_need("alpha"), _USE_DST)
_op(
    "End",
    "src",
    "",
    "Says that its operand is an output of the graph, whatever else reads it.",
    T=(*FLOATS, "s8", "u8", "s32"),
)
_unary("Exp", "dst = e^src.")
_unary("GELU", "dst = src * Phi(src), by erf or by its tanh approximation.", _GELU_MODE)
_backward("GELUBackward", "GELU", _GELU_MODE)
_unary("HardSwish", "dst = src * min(max(src + 3, 0), 6) / 6.")
_backward("HardSwishBackward", "HardSwish")
_op(
    "Interpolate",
    "src, sizes:I",
    "dst",
    "Resizes the spatial dimensions, to `sizes` or by `scales`.",
    _RESIZE,
    counts=(1, 2),
    shapes="interpolate",
    I=_INTS,
)
_op(
    "InterpolateBackward",
    "src, diff_dst, sizes:I",
    "diff_src",
    "The gradient of `dnnl.Interpolate` with respect to its operand.",
    _RESIZE,
    counts=(2, 3),
    I=_INTS,
)
_op(
    "LayerNorm",
    "src, gamma:S, beta:S",
    "dst, mean:S, variance:S",
    "Normalizes over the dimensions from `begin_norm_axis` on.",
    [*_STATS, _attr("begin_norm_axis", -1)],
    counts=(1, 3),
    result_counts=(1, 3),
    shapes="layer_norm",
    S=_STATS_TYPES,
)
_op(
    "LayerNormBackward",
    f"{_NORM_GRADS}, beta:S",
    "diff_src, diff_gamma:S, diff_beta:S",
    "The gradients of `dnnl.LayerNorm`.",
    [_attr("begin_norm_axis", -1), _attr("use_affine", True), _attr("epsilon", 1e-5)],
    counts=(4, 5, 6),
    result_counts=(1, 3),
    S=_STATS_TYPES,
)
_unary("LeakyReLU", "dst = src where not negative, else `alpha` * src.", *_need("alpha"))
_unary("Log", "dst = ln(src).")
_unary("LogSoftmax", "dst = ln(softmax(src)), along `axis`.", _attr("axis", -1))
_op(
    "LogSoftmaxBackward",
    "diff_dst, dst",
    "diff_src",
    "The gradient of `dnnl.LogSoftmax`.",
    [_attr("axis", -1)],
    shapes="same",
)
_op(
    "MatMul",
    "src, weights, bias",
    "dst:D",
    "dst = src @ weights + bias, the leading dimensions broadcast.",
    [
        _attr("transpose_a", False),
        _attr("transpose_b", False),
        _attr(
            "accumulation_mode",
            "strict",
            choices=("strict", "relaxed", "any", "f32", "s32", "f16"),
            since=(3, 13),
        ),
    ],
    counts=(2, 3),
    shapes="matmul",
    D=FLOATS,
)
_binary("Maximum", "dst = max(src_0, src_1).")
_op(
    "MaxPool",
    "src",
    "dst",
    "The greatest element of each window.",
    [*_WINDOW, *_need("kernel"), _attr("dilations"), _DATA_FORMAT, _ROUNDING, _AUTO_PAD],
    shapes="pool",
)
_op(
    "MaxPoolBackward",
    "src, diff_dst",
    "diff_src",
    "The gradient of `dnnl.MaxPool` with respect to its operand.",
    [*_WINDOW, *_need("kernel"), _AUTO_PAD, _attr("dilations"), _DATA_FORMAT],
)
_binary("Minimum", "dst = min(src_0, src_1).")
_unary("Mish", "dst = src * tanh(ln(1 + e^src)).")
_backward("MishBackward", "Mish")
_binary("Multiply", "dst = src_0 * src_1.", mixed=FLOATS)
_op(
    "PReLU",
    "src, slope",
    "dst",
    "dst = src where not negative, else slope * src.",
    [_DATA_FORMAT, _attr("per_channel_broadcast", True)],
    shapes="prelu",
)
_op(
    "PReLUBackward",
    "src, slope, diff_dst",
    "diff_src, diff_slope",
    "The gradients of `dnnl.PReLU`.",
    [_DATA_FORMAT],
)
_op(
    "Quantize",
    "src",
    "dst:Q",
    "dst = sat(round(src / scales + zps)), ties to even, for the whole tensor or each index of `axis`.",
    [*_QUANT, *_need("scales"), _attr("zps")],
    shapes="same",
    T=("f32",),
    Q=("u8", "s8", "f8_e5m2", "f8_e4m3"),
)
_unary("Reciprocal", "dst = 1 / src.")
_reduce("ReduceL1", "The sum of the absolute values along `axes`.")
_reduce("ReduceL2", "The root of the sum of squares along `axes`.")
_reduce("ReduceMax", "The greatest element along `axes`.")
_reduce("ReduceMean", "The mean along `axes`.")
_reduce("ReduceMin", "The least element along `axes`.")
_reduce("ReduceProd", "The product along `axes`.")
_reduce("ReduceSum", "The sum along `axes`.")
_unary("ReLU", "dst = max(src, 0).")
_backward("ReLUBackward", "ReLU", _USE_DST)
_unary("Reorder", "Copies src into another layout.")
_unary("Round", "dst = src rounded to an integer, ties to even.")
_unary("Sigmoid", "dst = 1 / (1 + e^-src).")
_backward("SigmoidBackward", "Sigmoid", _USE_DST)
_op(
    "SoftMax",
    "src:A",
    "dst:B, stats:C",
    "dst = e^src / sum(e^src), along `axis`.",
    [_attr("axis", 1), _attr("mode", "none", choices=("none", "inf_as_zero"), since=(3, 13))],
    result_counts=(1, 2),
    shapes="softmax",
    A=FLOATS,
    B=FLOATS,
    C=("f32",),
)
_op(
    "SoftMaxBackward",
    "diff_dst, dst",
    "diff_src:D",
    "The gradient of `dnnl.SoftMax`.",
    [_attr("axis", 1)],
    shapes="same",
    D=FLOATS,
)
_unary("SoftPlus", "dst = ln(1 + e^(beta * src)) / beta.", _attr("beta", 1.0))
_backward("SoftPlusBackward", "SoftPlus", _attr("beta", 1.0))
_unary("Sqrt", "dst = the square root of src.")
_backward("SqrtBackward", "Sqrt", _USE_DST)
_unary("Square", "dst = src * src.")
_binary("SquaredDifference", "dst = (src_0 - src_1)^2.")
_op(
    "StaticReshape",
    "src",
    "dst",
    "The same elements in another shape; -1 is inferred, 0 is copied where `special_zero`.",
    _need("shape", "special_zero"),
    shapes="reshape",
)
_op(
    "StaticTranspose",
    "src",
    "dst",
    "Permutes the dimensions: dimension i of dst is dimension `order`[i] of src.",
    _need("order"),
    shapes="transpose",
)
_binary("Subtract", "dst = src_0 - src_1.", mixed=(*FLOATS, "s32"))
_unary("Tanh", "dst = tanh(src).")
_backward("TanhBackward", "Tanh", _USE_DST)
_op(
    "TypeCast",
    "src:A",
    "dst:B",
    "Converts between f32 and bf16 or f16.",
    shapes="same",
    A=FLOATS,
    B=FLOATS,
)
_op(
    "Wildcard",
    "src",
    "dst",
    "Stands for an op that oneDNN Graph does not know; no partition holds it with others.",
    counts=(0, 1 << 16),
    result_counts=(0, 1 << 16),
    variadic=True,
    T=ALL_TYPES,
)
_unary(
    "HardSigmoid",
    "dst = min(max(`alpha` * src + `beta`, 0), 1).",
    *_need("alpha", "beta"),
    since=(3, 2),
)
_backward("HardSigmoidBackward", "HardSigmoid", *_need("alpha", "beta"), since=(3, 2))
_op(
    "Select",
    "cond:P, src_0, src_1",
    "dst",
    "dst = src_0 where cond, else src_1.",
    [_BROADCAST],
    shapes="select",
    since=(3, 2),
    P=("boolean",),
)
_unary("Pow", "dst = src^`beta`.", *_need("beta"), since=(3, 2))
_op(
    "GroupNorm",
    "src, gamma:S, beta:S",
    "dst, mean:S, variance:S",
    "Normalizes over `groups` groups of channels and all spatial dimensions.",
    [*_STATS, *_need("groups"), _DATA_FORMAT],
    counts=(1, 3),
    result_counts=(1, 3),
    shapes="group_norm",
    since=(3, 6),
    S=_STATS_TYPES,
)
_op(
    "GenIndex",
    "src",
    "dst:I",
    "Each element's own index along `axis`.",
    _need("axis"),
    shapes="same",
    since=(3, 7),
    I=_INTS,
)
_op(
    "GreaterEqual",
    "src_0, src_1",
    "dst:P",
    "dst = src_0 >= src_1.",
    [_BROADCAST],
    shapes="broadcast",
    since=(3, 7),
    T=(*FLOATS, "s32"),
    P=("boolean",),
)
_op(
    "RMSNorm",
    "src, gamma:S",
    "dst",
    "dst = gamma * src / sqrt(mean(src^2) + epsilon), over the dimensions from `begin_norm_axis` on.",
    [_attr("begin_norm_axis", -1), _attr("epsilon", 1e-5)],
    counts=(1, 2),
    shapes="rms_norm",
    since=(3, 13),
    S=FLOATS,
)
_op(
    "Dropout",
    "src, seed:I, offset:I, probability:F",
    "dst, mask:M",
    "Zeroes elements of src at random with the given probability and scales up the others.",
    result_counts=(1, 2),
    shapes="dropout",
    since=(3, 13),
    I=("s64",),
    F=("f32",),
    M=("u8",),
)

OP_TABLE: dict[str, OpSpec] = _table
"""All kinds of op, in the order of their codes."""

OLD_KINDS = {
    "AvgPoolBackprop": "AvgPoolBackward",
    "BatchNormBackward": "BatchNormTrainingBackward",
    "BatchNormTrainingBackprop": "BatchNormTrainingBackward",
    "BiasAddBackprop": "BiasAddBackward",
    "ConvolutionBackpropData": "ConvolutionBackwardData",
    "ConvolutionBackpropFilters": "ConvolutionBackwardWeights",
    "ConvolutionBackwardFilters": "ConvolutionBackwardWeights",
    "ConvTransposeBackpropData": "ConvTransposeBackwardData",
    "ConvTransposeBackpropFilters": "ConvTransposeBackwardWeights",
    "ConvTransposeBackwardFilters": "ConvTransposeBackwardWeights",
    "AbsBackprop": "AbsBackward",
    "ClampBackprop": "ClampBackward",
    "HardTanh": "Clamp",
    "HardTanhBackprop": "ClampBackward",
    "EluBackprop": "EluBackward",
    "GELUBackprop": "GELUBackward",
    "HardSwishBackprop": "HardSwishBackward",
    "InterpolateBackprop": "InterpolateBackward",
    "LayerNormBackprop": "LayerNormBackward",
    "LogSoftmaxBackprop": "LogSoftmaxBackward",
    "MaxPoolBackprop": "MaxPoolBackward",
    "MishBackprop": "MishBackward",
    "PReLUBackprop": "PReLUBackward",
    "ReLUBackprop": "ReLUBackward",
    "SigmoidBackprop": "SigmoidBackward",
    "SoftMaxBackprop": "SoftMaxBackward",
    "SoftPlusBackprop": "SoftPlusBackward",
    "SqrtBackprop": "SqrtBackward",
    "TanhBackprop": "TanhBackward",
}
"""Kinds as files of older versions spell them."""
