"""What TPU-MLIR 1.30.2 takes: one row for each of the 129 ONNX ops that its front end knows.

The rows follow from three things: the ops that its ONNX converter lists, what that converter asserts, and
what was measured (`docs/device_tables.md`). Being in the list is not enough: an op that the tool chain
takes and that has not been shown to compute the right numbers has a row that refuses it.
Rules that need more than a row are in `top_rules.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CODES: Mapping[str, str] = {
    "unsupported-op": "the tool chain has no lowering for this kind of op",
    "unproven": "the tool chain takes the op, but its numbers have not been shown to be right",
    "wrong-numbers": "the tool chain takes the op and was measured to compute something else",
    "dtype": "a tensor has an element type that the chip does not compute in",
    "rank": "a tensor has more or fewer dimensions than the op's kernels take",
    "unknown-type": "nothing is known of a tensor's type",
    "dynamic-shape": "a dimension is not known, and sub-models are compiled for fixed shapes",
    "data-dependent": "a size depends on the data, not only on the input shapes",
    "empty-tensor": "a dimension is 0",
    "size": "a tensor is larger than the memory of the chip",
    "constant-operand": "an operand must be a constant of the model and is computed",
    "operand-value": "a constant operand has a value that the op's kernels do not take",
    "operand-count": "the op has more or fewer operands than its kernels take",
    "attribute": "an attribute has a value that the op's kernels do not take",
    "result": "a result is used that the op's kernels do not compute",
    "control-flow": "the op has bodies that run a varying number of times",
    "random": "the op's results are random numbers",
    "host-op": "the tool chain leaves the op to the host CPU",
    "dynamic-op": "the op makes its sub-model a dynamic one",
    "not-exact": "no ONNX op computes quite the same numbers",
    "malformed-op": "the op's operands and attributes do not fit each other",
    "pinned": "the user's --pin keeps the op on the other device",
}
"""The codes of the reasons for which an op is refused, and what each means.

`not-exact` and `malformed-op` come from the conversions to `onnx`, `pinned` from device-place.
"""

FLOAT = "float"
"""All data operands and results have one of the chip's floating-point types."""
COMPARE = "compare"
"""Floating-point (or boolean) operands, boolean results."""
BOOL = "bool"
"""Boolean operands and results."""
SELECT = "select"
"""The first operand is boolean, the others and the result are floating-point."""
TO_FLOAT = "to-float"
"""Boolean or floating-point operand, floating-point result."""
INDEX = "index"
"""Floating-point operand; the results are positions, exact in float32 up to 16,777,216."""


@dataclass(frozen=True)
class Rule:
    """What the tool chain asks of one ONNX op type, at the canonical opset."""

    top: tuple[str, ...] = ()
    """The Top ops that it becomes; none where it only renames or folds."""
    refused: tuple[str, str] | None = None
    """A reason, code and text, for which the op is refused in every form."""
    kind: str = FLOAT
    operands: tuple[int, int] = (1, 1)
    """The least and the largest number of operands, constants included."""
    constant: Mapping[int, str] = field(default_factory=dict[int, str])
    """The operands that must be constants, and what they are called."""
    absent: Mapping[int, str] = field(default_factory=dict[int, str])
    """The operands that must be left out, and what they are called."""
    ranks: tuple[int, int] = (1, 8)
    """The least and the largest rank of the first operand."""
    results: int = 1
    """How many of the op's results are computed."""
    extra: bool = False
    """Whether `top_rules.py` has more to ask."""


def _refuse(code: str, text: str, *top: str) -> Rule:
    return Rule(top, refused=(code, text))


def _unproven(*top: str, why: str = "") -> Rule:
    text = "is known to TPU-MLIR, but has not been shown to compute the right numbers on a chip"
    return Rule(top, refused=("unproven", text + (f": {why}" if why else "")))


def _unary(top: str, extra: bool = False) -> Rule:
    return Rule((top,), extra=extra)


def _binary(*top: str, kind: str = FLOAT, extra: bool = False) -> Rule:
    return Rule(top, kind=kind, operands=(2, 2), ranks=(0, 8), extra=extra)


def _variadic(*top: str) -> Rule:
    return Rule(top, operands=(1, 1 << 16), ranks=(0, 8))


def _pool(top: str, extra: bool = True) -> Rule:
    return Rule((top,), ranks=(3, 4), extra=extra)


def _reduce() -> Rule:
    return Rule(("Reduce",), operands=(1, 2), constant={1: "axes"}, ranks=(1, 6), extra=True)


_INTERNAL = ("unsupported-op", "is no ONNX op: TPU-MLIR uses the name for fusions of its own")
_SHAPE_OP = (
    "dynamic-shape",
    "gives sizes, and here they are not known when the sub-model is compiled",
)
_CONTROL = ("control-flow", "runs a body a varying number of times; sub-models are straight lines")

RULES: Mapping[str, Rule] = {
    "Abs": _unary("Abs"),
    "Acos": _unary("Arccos"),
    "AdaptiveAvgPool": Rule(("AdaptiveAvgPool",), refused=_INTERNAL),
    "Add": _binary("Add", "AddConst"),
    "And": _binary("Compare", "CompareConst", kind=BOOL),
    "ArgMax": Rule(("Arg",), kind=INDEX, extra=True),
    "ArgMin": Rule(("Arg",), kind=INDEX, extra=True),
    "Atan": Rule(("Abs", "AddConst", "Arccos", "Mul", "Reciprocal", "Sign", "Sqrt")),
    "Atanh": _unary("Arctanh"),
    "AveragePool": _pool("AvgPool"),
    "BatchNormalization": Rule(
        ("BatchNorm",),
        operands=(5, 5),
        constant={1: "scale", 2: "bias", 3: "mean", 4: "variance"},
        ranks=(2, 5),
        extra=True,
    ),
    "Cast": Rule(("Cast",), kind=TO_FLOAT),
    "Ceil": _unary("Ceil"),
    "Clip": Rule(("Clip", "Relu"), operands=(1, 3), constant={1: "min", 2: "max"}, extra=True),
    "Concat": Rule(("Concat",), operands=(1, 1 << 16), extra=True),
    "ConcatVolume": Rule(("ConcatVolume",), refused=_INTERNAL),
    "Constant": Rule((), operands=(0, 0)),
    "ConstantOfShape": Rule(("ConstantFill",), refused=_SHAPE_OP),
    "Conv": Rule(
        ("Conv",),
        operands=(2, 3),
        constant={1: "weights", 2: "bias"},
        ranks=(3, 4),
        extra=True,
    ),
    "ConvBwd_Weight": Rule(("ConvBwd_Weight",), refused=_INTERNAL),
    "ConvTranspose": Rule(
        ("Deconv",),
        operands=(2, 3),
        constant={1: "weights", 2: "bias"},
        ranks=(3, 4),
        extra=True,
    ),
    "Correlation": Rule(("Correlation",), refused=_INTERNAL),
    "Cos": _unary("Cos"),
    "Cosh": _unary("Cosh"),
    "CumSum": Rule(("CumSum",), operands=(2, 2), constant={1: "axis"}, extra=True),
    "DepthToSpace": Rule(("Depth2Space",), ranks=(4, 4), extra=True),
    "DequantizeLinear": _unproven(
        "DequantizeLinear", why="quantized models are compiled from calibrated ranges instead"
    ),
    "Div": _binary("Div", "DivConst", "MulConst", "Reciprocal"),
    "DivConst": Rule(("DivConst",), refused=_INTERNAL),
    "Dropout": Rule((), operands=(1, 3), ranks=(0, 8), extra=True),
    "Einsum": Rule(("Einsum",), operands=(2, 3), extra=True),
    "Elu": _unary("Elu"),
    "Equal": _binary("Compare", "CompareConst", kind=COMPARE),
    "Erf": _unary("Erf"),
    "Exp": _unary("Exp"),
    "Expand": Rule(("Expand",), operands=(2, 2), constant={1: "shape"}),
    "Flatten": Rule(("Flatten",)),
    "Floor": _unary("Floor"),
    "GELU": Rule(("GELU",), refused=_INTERNAL),
    "GRU": Rule(
        ("GRU",),
        operands=(3, 6),
        constant={1: "W", 2: "R", 3: "B"},
        absent={4: "sequence_lens"},
        ranks=(3, 3),
        results=2,
        extra=True,
    ),
    "Gather": Rule(("Gather",), operands=(2, 2), constant={1: "indices"}),
    "GatherElements": _unproven("GatherElements"),
    "GatherND": _unproven("GatherND"),
    "Gelu": _unary("GELU", extra=True),
    "Gemm": Rule(("MatMul",), operands=(2, 3), ranks=(2, 2), extra=True),
    "GlobalAveragePool": _pool("AvgPool", extra=False),
    "GlobalMaxPool": _pool("MaxPool", extra=False),
    "Greater": _binary("Compare", "CompareConst", kind=COMPARE),
    "GreaterOrEqual": _binary("Compare", "CompareConst", kind=COMPARE),
    "GridSample": _unproven("GridSampler"),
    "GroupNormalization": Rule(
        ("GroupNorm",), operands=(3, 3), constant={1: "scale", 2: "bias"}, ranks=(3, 4)
    ),
    "HardSigmoid": _unary("HardSigmoid"),
    "HardSwish": _unary("HardSwish"),
    "Identity": Rule((), ranks=(0, 8)),
    "If": Rule(("If",), refused=_CONTROL),
    "InstanceNormalization": Rule(
        ("InstanceNorm",), operands=(3, 3), constant={1: "scale", 2: "bias"}, ranks=(3, 4)
    ),
    "LRN": Rule(("LRN",), ranks=(4, 4)),
    "LSTM": Rule(
        ("LSTM",),
        operands=(3, 8),
        constant={1: "W", 2: "R", 3: "B"},
        absent={4: "sequence_lens", 7: "P (peepholes)"},
        ranks=(3, 3),
        results=3,
        extra=True,
    ),
    "LayerNormalization": Rule(
        ("LayerNorm",), operands=(2, 3), constant={1: "scale", 2: "bias"}, ranks=(2, 8)
    ),
    "LeakyRelu": _unary("LeakyRelu"),
    "Less": _binary("Compare", "CompareConst", kind=COMPARE),
    "LessOrEqual": _binary("Compare", "CompareConst", kind=COMPARE),
    "Log": _unary("Log"),
    "LogSoftmax": _unary("Softmax"),
    "Loop": Rule(("Loop",), refused=_CONTROL),
    "MatMul": Rule(("MatMul",), operands=(2, 2), ranks=(2, 8), extra=True),
    "Max": _variadic("Max", "MaxConst"),
    "MaxPool": _pool("MaxPool"),
    "MeanStdScale": Rule(("MeanStdScale",), refused=_INTERNAL),
    "Min": _variadic("Min", "MinConst"),
    "Mish": _unary("Mish"),
    "Mod": _refuse(
        "unproven",
        "is lowered in a way whose rounding and sign were not shown to be ONNX's; the converter of "
        "TPU-MLIR 1.30.2 was measured to stop on integers",
        "Compare",
        "Mod",
        "Mul",
    ),
    "Mul": _binary("Mul", "MulConst"),
    "Neg": _unary("MulConst"),
    "Nms": Rule(("Nms",), refused=_INTERNAL),
    "NonMaxSuppression": _refuse(
        "data-dependent", "selects as many boxes as the data gives; sizes must be fixed", "Nms"
    ),
    "NonZero": _refuse(
        "data-dependent",
        "has as many results as the data has non-zeros; sizes must be fixed",
        "NonZero",
    ),
    "Not": Rule(("CompareConst",), kind=BOOL, ranks=(0, 8)),
    "OneHot": _unproven("Concat", "Expand", "Reduce", "ScatterElements", "Shape", "Unsqueeze"),
    "Or": _binary("Add", "CompareConst", kind=BOOL),
    "PRelu": Rule(
        ("LeakyRelu", "PRelu"), operands=(2, 2), constant={1: "slope"}, ranks=(2, 4), extra=True
    ),
    "Pad": Rule(
        ("Pad",),
        operands=(2, 4),
        constant={1: "pads", 2: "constant_value", 3: "axes"},
        extra=True,
    ),
    "PixelNormalization": Rule(("PixelNorm",), refused=_INTERNAL),
    "Pow": Rule(
        ("Mul", "Sqrt", "Rsqrt", "Reciprocal"),
        operands=(2, 2),
        constant={1: "exponent"},
        extra=True,
    ),
    "QuantizeLinear": _unproven(
        "QuantizeLinear", why="quantized models are compiled from calibrated ranges instead"
    ),
    "RandomNormalLike": _refuse(
        "random", "would be lowered to one fixed draw of random numbers", "RandnLike"
    ),
    "Range": Rule(("Range",), refused=_SHAPE_OP),
    "Reciprocal": _unary("Reciprocal"),
    "ReduceL1": _reduce(),
    "ReduceL2": _reduce(),
    "ReduceLogSumExp": Rule(
        ("Add", "Exp", "Log", "Reduce", "Squeeze", "Sub"),
        operands=(1, 2),
        constant={1: "axes"},
        ranks=(1, 6),
        extra=True,
    ),
    "ReduceMax": _reduce(),
    "ReduceMean": _reduce(),
    "ReduceMin": _reduce(),
    "ReduceProd": _reduce(),
    "ReduceSum": _reduce(),
    "Relu": _unary("Relu"),
    "Reshape": Rule(("Reshape",), operands=(2, 2), constant={1: "shape"}),
    "Resize": Rule(
        ("Interp",),
        operands=(1, 4),
        constant={2: "scales", 3: "sizes"},
        ranks=(4, 4),
        extra=True,
    ),
    "ReverseSequence": _refuse(
        "wrong-numbers", "is lowered to a plain reversal that ignores sequence_lens", "Reverse"
    ),
    "RoiAlign": _unproven("Concat", "RoiAlign", "Unsqueeze"),
    "Round": _unary("Round"),
    "Rsqrt": Rule(("Rsqrt",), refused=_INTERNAL),
    "ScatterElements": _unproven("ScatterElements"),
    "ScatterND": _unproven("ScatterND"),
    "SelectiveScan": Rule(("SelectiveScan",), refused=_INTERNAL),
    "Shape": Rule(("Shape",), refused=_SHAPE_OP),
    "Sigmoid": _unary("Sigmoid"),
    "Sign": _unary("Sign"),
    "Sin": _unary("Sin"),
    "Sinh": _unary("Sinh"),
    "Slice": Rule(
        ("Slice",),
        operands=(3, 5),
        constant={1: "starts", 2: "ends", 3: "axes", 4: "steps"},
        extra=True,
    ),
    "Softmax": _unary("Softmax"),
    "Softplus": _unary("Softplus"),
    "Softsign": _unary("Softsign"),
    "SpaceToDepth": Rule(("Depth2Space",), ranks=(4, 4), extra=True),
    "Split": Rule(("Split",), operands=(1, 2), constant={1: "split"}, results=1 << 16, extra=True),
    "Sqrt": _unary("Sqrt"),
    "Squeeze": Rule(("Squeeze",), operands=(1, 2), constant={1: "axes"}),
    "Sub": _binary("AddConst", "Sub", "SubConst"),
    "Sum": _variadic("Add"),
    "Tan": _unary("Tan"),
    "Tanh": _unary("Tanh"),
    "Tile": Rule(("Tile",), operands=(2, 2), constant={1: "repeats"}),
    "TopK": Rule(("TopK",), kind=INDEX, operands=(2, 2), constant={1: "K"}, results=2, extra=True),
    "Transpose": Rule(("Permute",), ranks=(1, 6)),
    "Trilu": Rule(("Trilu",), operands=(1, 2), constant={1: "k"}, ranks=(2, 4), extra=True),
    "Unsqueeze": Rule(("Unsqueeze",), operands=(2, 2), constant={1: "axes"}),
    "Upsample": _refuse(
        "unsupported-op", "was left by normalization; only Resize is lowered", "Interp"
    ),
    "Where": Rule(("Where",), kind=SELECT, operands=(3, 3), ranks=(0, 8)),
    "Xor": _binary("Compare", "CompareConst", kind=BOOL),
}
"""By op type. `Gelu` and `Mish` are in Top but not in TPU-MLIR's ONNX converter; all others are."""

REFUSED_OUTRIGHT: Mapping[str, tuple[str, str]] = {
    "Scan": _CONTROL,
    "Bernoulli": ("random", "draws random numbers"),
    "Multinomial": ("random", "draws random numbers"),
    "RandomNormal": ("random", "draws random numbers"),
    "RandomUniform": ("random", "draws random numbers"),
    "RandomUniformLike": ("random", "draws random numbers"),
    "Compress": ("data-dependent", "keeps as many elements as the data says; sizes must be fixed"),
    "Unique": ("data-dependent", "has as many results as the data has values; sizes must be fixed"),
    "Size": _SHAPE_OP,
}
"""Ops that TPU-MLIR does not know either, with a reason that says more than that."""

EINSUM = frozenset(
    {
        "a,b->ab",
        "ab,ab->a",
        "ab,abc->ac",
        "ab,acb->ac",
        "ab,cbdef->cadef",
        "ab,cdb->acd",
        "abc,abc->ab",
        "abc,abd->acd",
        "abc,abdc,abc->abcd",
        "abc,abde->acde",
        "abc,acde->abde",
        "abc,adc->abd",
        "abc,adc->adb",
        "abc,bd->abcd",
        "abc,cde->abde",
        "abc,db->adc",
        "abcd,abce->abde",
        "abcd,abce->acde",
        "abcd,abde->abce",
        "abcd,abed->abce",
        "abcd,abef->acdef",
        "abcd,acd->abc",
        "abcd,acde,abc->abce",
        "abcd,acde->abde",
        "abcd,adbe->acbe",
        "abcd,aeb->aecd",
        "abcd,aecd->abec",
        "abcd,aecd->acbe",
        "abcd,aecd->aeb",
        "abcd,bed->abce",
        "abcd,cdbe->abce",
        "abcd,cde->abce",
        "abcd,cde->abe",
        "abcd,cebd->abce",
        "abcd,ced->abce",
        "abcd,ecbd->abec",
        "abcde,abfge->abcdfg",
        "abcde,afbc->abdef",
    }
)
"""The equations that TPU-MLIR lowers, with subscripts renamed a, b, c in order of appearance."""

POWERS = (1.0, 2.0, 3.0, 0.5, -0.5, -1.0)
"""The exponents for which a power is a product, a root or a reciprocal, exact for negative bases."""
