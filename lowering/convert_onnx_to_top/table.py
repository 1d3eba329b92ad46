"""What TPU-MLIR 1.30.2 takes: one row for each of the 129 ONNX ops that its front end knows, and more.

The rows follow from three things: the ops that its ONNX converter lists, what that converter asserts, and
what was measured (`docs/tpu-ops.md`). Being in the list is not enough: an op that the tool chain
takes and that has not been shown to compute the right numbers has a row that refuses it.
Conditions that need more than a row stand beside the conversions, in `families/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FLOAT = "float"
"""All data operands and results have one of the chip's floating-point types."""
COMPARE = "compare"
"""Floating-point (or boolean) operands, boolean results; integers beside small constants (`integers.py`)."""
BOOL = "bool"
"""Boolean operands and results."""
SELECT = "select"
"""The first operand is boolean, the others and the result are floating-point or boolean."""
CAST = "cast"
"""Operand and result have any type: integers are cast at the border, and whole numbers inside."""
VIEW = "view"
"""Operands and result are floating-point or boolean, or integers that are only compared (`integers.py`):
nothing is computed of them."""
INDEX = "index"
"""Floating-point operand; the results are positions, exact in float32 up to 16,777,216."""


@dataclass(frozen=True)
class TopRule:
    """What the tool chain asks of one ONNX op type, at the canonical opset."""

    top: tuple[str, ...] = ()
    """The Top ops that it becomes; none if it only renames or folds."""
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
    positions: tuple[int, ...] = ()
    """The operands that are positions, of an integer type; they are exact, or the model is wrong."""
    written_out: bool = False
    """Whether the op is written out for chips that lack it."""


def _refuse(code: str, text: str, *top: str) -> TopRule:
    return TopRule(top, refused=(code, text))


def _unary(top: str) -> TopRule:
    return TopRule((top,))


def _written_out(top: str) -> TopRule:
    return TopRule((top,), written_out=True)


def _view(*top: str, most: int = 1, **more: Any) -> TopRule:
    return TopRule(top, kind=VIEW, operands=(1, most), **more)


def _binary(*top: str, kind: str = FLOAT) -> TopRule:
    return TopRule(top, kind=kind, operands=(2, 2), ranks=(0, 8))


def _variadic(*top: str) -> TopRule:
    return TopRule(top, operands=(1, 1 << 16), ranks=(0, 8))


def _pool(top: str) -> TopRule:
    return TopRule((top,), ranks=(3, 5))


def _reduce() -> TopRule:
    return TopRule(("Reduce",), operands=(1, 2), constant={1: "axes"}, ranks=(1, 6))


_INTERNAL = ("unsupported-op", "is not an ONNX op: TPU-MLIR uses the name for fusions of its own")
_SHAPE_OP = (
    "dynamic-shape",
    "gives sizes, and here they are unknown when the sub-model is compiled",
)
_CONTROL = ("control-flow", "runs a body a varying number of times; sub-models are straight lines")

LISTED: Mapping[str, TopRule] = {
    "Abs": _unary("Abs"),
    "Acos": TopRule(("Abs", "AddConst", "CompareConst", "Mul", "MulConst", "Sqrt")),
    "AdaptiveAvgPool": TopRule(("AdaptiveAvgPool",), refused=_INTERNAL),
    "Add": _binary("Add", "AddConst"),
    "And": _binary("Mul", kind=BOOL),
    "ArgMax": TopRule(("Arg",), kind=INDEX),
    "ArgMin": TopRule(("Arg",), kind=INDEX),
    "Atan": TopRule(("Abs", "AddConst", "CompareConst", "Min", "Mul", "MulConst", "Reciprocal")),
    "Atanh": TopRule(("AddConst", "Log", "MulConst", "Sub")),
    "AveragePool": _pool("AvgPool"),
    "BatchNormalization": TopRule(
        ("BatchNorm",),
        operands=(5, 5),
        constant={1: "scale", 2: "bias", 3: "mean", 4: "variance"},
        ranks=(2, 5),
    ),
    "Cast": TopRule(("CompareConst", "Floor", "Max", "MaxConst", "MinConst", "Sub"), kind=CAST),
    "Ceil": _written_out("Ceil"),
    "Clip": TopRule(("Clip", "Relu"), operands=(1, 3), constant={1: "min", 2: "max"}),
    "Concat": _view("Concat", most=1 << 16),
    "ConcatVolume": TopRule(("ConcatVolume",), refused=_INTERNAL),
    "Constant": TopRule((), operands=(0, 0)),
    "ConstantOfShape": TopRule(("ConstantFill",), refused=_SHAPE_OP),
    "Conv": TopRule(("Conv", "MatMul", "Slice"), operands=(2, 3), ranks=(3, 5)),
    "ConvBwd_Weight": TopRule(("ConvBwd_Weight",), refused=_INTERNAL),
    "ConvTranspose": TopRule(
        ("Deconv",), operands=(2, 3), constant={1: "weights", 2: "bias"}, ranks=(3, 5)
    ),
    "Correlation": TopRule(("Correlation",), refused=_INTERNAL),
    "Cos": _unary("Cos"),
    "Cosh": _written_out("Cosh"),
    "CumSum": TopRule(("MatMul",), operands=(2, 2), constant={1: "axis"}, written_out=True),
    "DepthToSpace": TopRule(("Depth2Space",), ranks=(4, 4)),
    "DequantizeLinear": _refuse(
        "unsupported-op",
        "is not computed; in INT8 (split --mode INT8) its scale becomes the chip's, where that is one "
        "constant for the whole tensor, and the integers are only dequantized by it",
        "DequantizeLinear",
    ),
    "Div": _binary("Div", "DivConst", "MulConst", "Reciprocal"),
    "DivConst": TopRule(("DivConst",), refused=_INTERNAL),
    "Dropout": _view(most=3, ranks=(0, 8)),
    "Einsum": TopRule(("MatMul", "Permute", "Reduce", "Reshape"), operands=(1, 8)),
    "Elu": TopRule(("Add", "AddConst", "Exp", "MinConst", "MulConst", "Relu")),
    "Equal": _binary("Compare", "Mul", kind=COMPARE),
    "Erf": _written_out("Erf"),
    "Exp": _unary("Exp"),
    "Expand": _view("Tile", most=2, constant={1: "shape"}),
    "Flatten": _view("Reshape"),
    "Floor": _unary("Floor"),
    "GELU": TopRule(("GELU",), refused=_INTERNAL),
    "GRU": TopRule(
        ("GRU",),
        operands=(3, 6),
        constant={1: "W", 2: "R", 3: "B", 4: "sequence_lens"},
        ranks=(3, 3),
        results=2,
    ),
    "Gather": _view("Gather", "Slice", most=2, positions=(1,)),
    "GatherElements": _view("Gather", "Slice", most=2, positions=(1,)),
    "GatherND": _view("Gather", "Slice", most=2, positions=(1,)),
    "Gelu": _unary("GELU"),
    "Gemm": TopRule(("MatMul",), operands=(2, 3), ranks=(2, 2)),
    "GlobalAveragePool": _pool("AvgPool"),
    "GlobalMaxPool": _pool("Reduce"),
    "Greater": _binary("Compare", "CompareConst", kind=COMPARE),
    "GreaterOrEqual": _binary("Compare", "CompareConst", kind=COMPARE),
    "GridSample": TopRule(("GridSampler",), operands=(2, 2), ranks=(4, 4), written_out=True),
    "GroupNormalization": TopRule(
        ("GroupNorm",), operands=(3, 3), constant={1: "scale", 2: "bias"}, ranks=(3, 5)
    ),
    "HardSigmoid": _unary("HardSigmoid"),
    "HardSwish": _unary("HardSwish"),
    "Identity": _view(ranks=(0, 8)),
    "If": TopRule(
        ("If",), refused=("control-flow", "runs the branch that its condition asks for in each run")
    ),
    "InstanceNormalization": TopRule(
        ("InstanceNorm",), operands=(3, 3), constant={1: "scale", 2: "bias"}, ranks=(3, 5)
    ),
    "LRN": TopRule(("Conv", "Exp", "Log", "Mul", "MulConst"), ranks=(4, 4)),
    "LSTM": TopRule(
        ("LSTM",),
        operands=(3, 8),
        constant={1: "W", 2: "R", 3: "B", 4: "sequence_lens"},
        absent={7: "P (peepholes)"},
        ranks=(3, 3),
        results=3,
    ),
    "LayerNormalization": TopRule(
        ("LayerNorm",), operands=(2, 3), constant={1: "scale", 2: "bias"}, ranks=(1, 8)
    ),
    "LeakyRelu": _unary("LeakyRelu"),
    "Less": _binary("Compare", "CompareConst", kind=COMPARE),
    "LessOrEqual": _binary("Compare", "CompareConst", kind=COMPARE),
    "Log": _unary("Log"),
    "LogSoftmax": _unary("Softmax"),
    "Loop": TopRule(("Loop",), refused=_CONTROL),
    "MatMul": TopRule(("MatMul",), operands=(2, 2)),
    "Max": _variadic("Max", "MaxConst"),
    "MaxPool": _pool("MaxPool"),
    "MeanStdScale": TopRule(("MeanStdScale",), refused=_INTERNAL),
    "Min": _variadic("Min", "MinConst"),
    "Mish": TopRule(("Abs", "Add", "Mul", "MulConst", "Relu", "Softplus", "Tanh")),
    "Mod": TopRule(
        ("Abs", "CompareConst", "Floor", "Mul", "MulConst", "Sub"),
        operands=(2, 2),
        constant={1: "divisor"},
    ),
    "Mul": _binary("Mul", "MulConst"),
    "Neg": _unary("MulConst"),
    "Nms": TopRule(("Nms",), refused=_INTERNAL),
    "NonMaxSuppression": _refuse(
        "data-dependent", "selects as many boxes as the data gives; sizes must be fixed", "Nms"
    ),
    "NonZero": _refuse(
        "data-dependent",
        "has as many results as the data has non-zeros; sizes must be fixed",
        "NonZero",
    ),
    "Not": TopRule(("SubConst",), kind=BOOL, ranks=(0, 8)),
    "OneHot": TopRule(
        ("Add", "CompareConst", "Sub", "SubConst"),
        operands=(3, 3),
        constant={1: "depth", 2: "values"},
        ranks=(1, 7),
        positions=(0,),
    ),
    "Or": _binary("Max", kind=BOOL),
    "PRelu": TopRule(("Add", "LeakyRelu", "MinConst", "Mul", "PRelu", "Relu"), operands=(2, 2)),
    "Pad": TopRule(("Pad",), operands=(2, 4), constant={1: "pads", 2: "constant_value", 3: "axes"}),
    "PixelNormalization": TopRule(("PixelNorm",), refused=_INTERNAL),
    "Pow": TopRule(("Exp", "Mul", "MulConst", "Pow", "Reciprocal", "Sqrt"), operands=(2, 2)),
    "QuantizeLinear": _refuse(
        "unsupported-op",
        "is not computed; in INT8 (split --mode INT8) its scale becomes the chip's, where that is one "
        "constant for the whole tensor, and the integers are only dequantized by it",
        "QuantizeLinear",
    ),
    "RandomNormalLike": _refuse(
        "random", "would be lowered to one fixed draw of random numbers", "RandnLike"
    ),
    "Range": TopRule(("Range",), refused=_SHAPE_OP),
    "Reciprocal": _unary("Reciprocal"),
    "ReduceL1": _reduce(),
    "ReduceL2": _reduce(),
    "ReduceLogSumExp": TopRule(
        ("Add", "Exp", "Log", "Reduce", "Squeeze", "Sub"),
        operands=(1, 2),
        constant={1: "axes"},
        ranks=(1, 6),
    ),
    "ReduceMax": _reduce(),
    "ReduceMean": _reduce(),
    "ReduceMin": _reduce(),
    "ReduceProd": _reduce(),
    "ReduceSum": _reduce(),
    "Relu": _unary("Relu"),
    "Reshape": _view("Reshape", most=2, constant={1: "shape"}),
    "Resize": TopRule(
        ("Gather", "Interp", "MatMul", "Permute", "Reshape"),
        operands=(1, 4),
        constant={2: "scales", 3: "sizes"},
        ranks=(1, 8),
    ),
    "ReverseSequence": _view(
        "Gather", "Reverse", most=2, constant={1: "sequence_lens"}, ranks=(2, 8)
    ),
    "RoiAlign": TopRule(
        ("Abs", "Clip", "MatMul", "Reduce", "Relu"), operands=(3, 3), ranks=(4, 4), positions=(2,)
    ),
    "Round": _written_out("Round"),
    "Rsqrt": TopRule(("Rsqrt",), refused=_INTERNAL),
    "ScatterElements": TopRule(
        ("Concat", "Gather", "Slice"), operands=(3, 3), constant={1: "indices"}
    ),
    "ScatterND": TopRule(("Concat", "Gather", "Slice"), operands=(3, 3), constant={1: "indices"}),
    "SelectiveScan": TopRule(("SelectiveScan",), refused=_INTERNAL),
    "Shape": TopRule(("Shape",), refused=_SHAPE_OP),
    "Sigmoid": _unary("Sigmoid"),
    "Sign": TopRule(("CompareConst", "Sub")),
    "Sin": _unary("Sin"),
    "Sinh": _written_out("Sinh"),
    "Slice": TopRule(
        ("Reverse", "Slice"),
        kind=VIEW,
        operands=(3, 5),
        constant={1: "starts", 2: "ends", 3: "axes", 4: "steps"},
    ),
    "Softmax": _unary("Softmax"),
    "Softplus": TopRule(("Abs", "Add", "MulConst", "Relu", "Softplus")),
    "Softsign": TopRule(("Abs", "AddConst", "Mul", "Reciprocal")),
    "SpaceToDepth": TopRule(("Depth2Space",), ranks=(4, 4)),
    "Split": _view("Split", most=2, constant={1: "split"}, results=1 << 16),
    "Sqrt": _unary("Sqrt"),
    "Squeeze": _view("Reshape", most=2, constant={1: "axes"}),
    "Sub": _binary("AddConst", "Sub", "SubConst"),
    "Sum": _variadic("Add"),
    "Tan": _written_out("Tan"),
    "Tanh": _unary("Tanh"),
    "Tile": _view("Tile", most=2, constant={1: "repeats"}),
    "TopK": TopRule(
        ("Arg", "MaskedFill", "Reduce", "TopK"),
        kind=INDEX,
        operands=(2, 2),
        constant={1: "K"},
        results=2,
        written_out=True,
    ),
    "Transpose": _view("Permute"),
    "Trilu": TopRule(
        ("MaskedFill",), operands=(1, 2), constant={1: "k"}, ranks=(2, 8), written_out=True
    ),
    "Unsqueeze": _view("Reshape", most=2, constant={1: "axes"}),
    "Upsample": _refuse(
        "unsupported-op", "was left by normalization; only Resize is lowered", "Interp"
    ),
    "Where": TopRule(("Add", "MaskedFill", "SubConst"), kind=SELECT, operands=(3, 3), ranks=(0, 8)),
    "Xor": _binary("Abs", "Sub", kind=BOOL),
}
"""By op type: those of TPU-MLIR's ONNX converter, and `Gelu` and `Mish`, which are in Top."""

COMPOSED: Mapping[str, TopRule] = {
    "Acosh": TopRule(("AddConst", "Log", "Mul", "Sqrt")),
    "AffineGrid": TopRule(
        ("MatMul", "Permute"), operands=(2, 2), constant={1: "size"}, ranks=(3, 3)
    ),
    "Asin": TopRule(("Abs", "AddConst", "CompareConst", "Mul", "MulConst", "Sqrt")),
    "Asinh": TopRule(("Abs", "AddConst", "CompareConst", "Log", "Mul", "Sqrt")),
    "CastLike": TopRule(
        ("CompareConst", "Floor", "Max", "MaxConst", "MinConst", "Sub"), kind=CAST, operands=(2, 2)
    ),
    "Celu": TopRule(("Add", "AddConst", "Exp", "MinConst", "MulConst", "Relu")),
    "GlobalLpPool": _pool("Reduce"),
    "Hardmax": TopRule(("Arg", "MulConst", "Relu", "Sub")),
    "LpNormalization": TopRule(("MaxConst", "Mul", "Reciprocal", "Reduce", "Sqrt")),
    "LpPool": _pool("Slice"),
    "Mean": _variadic("Add", "MulConst"),
    "MeanVarianceNormalization": TopRule(("Mul", "Reciprocal", "Reduce", "Sqrt", "Sub")),
    "RMSNormalization": TopRule(("Mul", "Reciprocal", "Reduce", "Sqrt"), operands=(2, 2)),
    "ReduceLogSum": _reduce(),
    "ReduceSumSquare": _reduce(),
    "Selu": TopRule(("Add", "AddConst", "Exp", "MinConst", "MulConst", "Relu")),
    "Shrink": TopRule(("CompareConst", "Max", "Mul", "MulConst", "Sub")),
    "Swish": TopRule(("Mul", "MulConst", "Sigmoid")),
    "ThresholdedRelu": TopRule(("CompareConst", "Mul")),
}
"""ONNX ops that neither TPU-MLIR's ONNX converter nor Top knows, and that are made of others."""

RULES: Mapping[str, TopRule] = {**LISTED, **COMPOSED}
"""All rows, by op type."""

_SEQUENCE = ("unsupported-op", "works on a sequence or an optional value, which is not a tensor")
_TEXT = ("unsupported-op", "works on text")
_BITS = ("unsupported-op", "works on the bits of integers; a chip computes in floating-point")
_QUANTIZED = (
    "unsupported-op",
    "is not converted; of quantized models, those with QuantizeLinear and DequantizeLinear around plain "
    "ops are, in INT8 (split --mode INT8)",
)
_TRAINING = ("unsupported-op", "is a loss, which is computed in training only")
_FOLDED = ("unsupported-op", "makes a constant, and here its operands are unknown")

REFUSED_OUTRIGHT: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            *("ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement"),
            *("SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase"),
            *("SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence"),
        ),
        _SEQUENCE,
    ),
    **dict.fromkeys(
        (
            *("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"),
            "TfIdfVectorizer",
        ),
        _TEXT,
    ),
    **dict.fromkeys(
        ("BitCast", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"), _BITS
    ),
    **dict.fromkeys(
        (
            *("ConvInteger", "DynamicQuantizeLinear", "MatMulInteger", "QLinearConv"),
            "QLinearMatMul",
        ),
        _QUANTIZED,
    ),
    **dict.fromkeys(("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), _TRAINING),
    **dict.fromkeys(
        ("BlackmanWindow", "EyeLike", "HammingWindow", "HannWindow", "MelWeightMatrix"), _FOLDED
    ),
    "ImageDecoder": ("unsupported-op", "reads a file format"),
    **dict.fromkeys(
        ("IsInf", "IsNaN"),
        (
            "unsupported-op",
            "finds what is not finite, and chips do not keep that: some fill, mask and reduce it otherwise",
        ),
    ),
    "MaxUnpool": ("data-dependent", "puts elements where computed positions say"),
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
