"""The ONNX dialect: a model as it was written, at any opset.

Generated from the operator schemas of onnx 1.23.2 by `python -m autosplit.tools.generate.onnx_dialect`;
do not edit. What is written by hand (graphs, constants, opaque nodes, how nodes are made) is in
`base.py` and the files beside it, and can all be imported from here.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Dialect
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from autosplit.dialects.onnx.base import (
    FLOAT,
    INT,
    INTS,
    LIST,
    PROTO,
    PURE,
    SEGMENTS,
    STRING,
    TENSOR,
    BodyOp,
    GraphOp,
    InitializerOp,
    OnnxOp,
    OpaqueOp,
    ReturnOp,
    graph_of,
    name_hint,
)
from autosplit.dialects.onnx.constants import constant_array, make_constant
from autosplit.dialects.onnx.fields import field_attr, plain_value
from autosplit.dialects.onnx.microsoft import MICROSOFT_OPS
from autosplit.dialects.onnx.operands import FittingSizes, OneElementType, Since
from autosplit.dialects.onnx.tensors import (
    BitsAttr,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    StringsAttr,
    StringType,
    TensorAttr,
    tensor_array,
    tensor_attr,
    tensor_type,
)

__all__ = [
    "OP_CLASSES",
    "AbsOp",
    "AcosOp",
    "AcoshOp",
    "AddOp",
    "AffineGridOp",
    "AndOp",
    "ArgMaxOp",
    "ArgMinOp",
    "AsinOp",
    "AsinhOp",
    "AtanOp",
    "AtanhOp",
    "AttentionOp",
    "AveragePoolOp",
    "BatchNormalizationOp",
    "BernoulliOp",
    "BitCastOp",
    "BitShiftOp",
    "BitsAttr",
    "BitwiseAndOp",
    "BitwiseNotOp",
    "BitwiseOrOp",
    "BitwiseXorOp",
    "BlackmanWindowOp",
    "CastLikeOp",
    "CastOp",
    "CausalConvWithStateOp",
    "CeilOp",
    "CeluOp",
    "CenterCropPadOp",
    "ClipOp",
    "Col2ImOp",
    "CompressOp",
    "ConcatFromSequenceOp",
    "ConcatOp",
    "ConstantOfShapeOp",
    "ConstantOp",
    "ConvIntegerOp",
    "ConvOp",
    "ConvTransposeOp",
    "CosOp",
    "CoshOp",
    "CumProdOp",
    "CumSumOp",
    "DFTOp",
    "DeformConvOp",
    "DepthToSpaceOp",
    "DequantizeLinearOp",
    "DetOp",
    "DivOp",
    "DropoutOp",
    "DynamicQuantizeLinearOp",
    "EinsumOp",
    "EluOp",
    "EqualOp",
    "ErfOp",
    "ExpOp",
    "ExpandOp",
    "EyeLikeOp",
    "FlattenOp",
    "FloorOp",
    "GRUOp",
    "GatherElementsOp",
    "GatherNDOp",
    "GatherOp",
    "GeluOp",
    "GemmOp",
    "GlobalAveragePoolOp",
    "GlobalLpPoolOp",
    "GlobalMaxPoolOp",
    "GraphOp",
    "GreaterOp",
    "GreaterOrEqualOp",
    "GridSampleOp",
    "GroupNormalizationOp",
    "HammingWindowOp",
    "HannWindowOp",
    "HardSigmoidOp",
    "HardSwishOp",
    "HardmaxOp",
    "IdentityOp",
    "IfOp",
    "ImageDecoderOp",
    "InitializerOp",
    "InstanceNormalizationOp",
    "IsInfOp",
    "IsNaNOp",
    "LRNOp",
    "LSTMOp",
    "LayerNormalizationOp",
    "LeakyReluOp",
    "LessOp",
    "LessOrEqualOp",
    "LinearAttentionOp",
    "LogOp",
    "LogSoftmaxOp",
    "LoopOp",
    "LpNormalizationOp",
    "LpPoolOp",
    "MapType",
    "MatMulIntegerOp",
    "MatMulOp",
    "MaxOp",
    "MaxPoolOp",
    "MaxRoiPoolOp",
    "MaxUnpoolOp",
    "MeanOp",
    "MeanVarianceNormalizationOp",
    "MelWeightMatrixOp",
    "MinOp",
    "MishOp",
    "MlArrayFeatureExtractorOp",
    "MlBinarizerOp",
    "MlCastMapOp",
    "MlCategoryMapperOp",
    "MlDictVectorizerOp",
    "MlFeatureVectorizerOp",
    "MlImputerOp",
    "MlLabelEncoderOp",
    "MlLinearClassifierOp",
    "MlLinearRegressorOp",
    "MlNormalizerOp",
    "MlOneHotEncoderOp",
    "MlSVMClassifierOp",
    "MlSVMRegressorOp",
    "MlScalerOp",
    "MlTreeEnsembleClassifierOp",
    "MlTreeEnsembleOp",
    "MlTreeEnsembleRegressorOp",
    "MlZipMapOp",
    "ModOp",
    "MulOp",
    "MultinomialOp",
    "NegOp",
    "NegativeLogLikelihoodLossOp",
    "NonMaxSuppressionOp",
    "NonZeroOp",
    "NotOp",
    "OneHotOp",
    "Onnx",
    "OnnxOp",
    "OpaqueOp",
    "OptionalGetElementOp",
    "OptionalHasElementOp",
    "OptionalOp",
    "OptionalType",
    "OrOp",
    "PReluOp",
    "PadOp",
    "PowOp",
    "QLinearConvOp",
    "QLinearMatMulOp",
    "QuantizeLinearOp",
    "RMSNormalizationOp",
    "RNNOp",
    "RandomNormalLikeOp",
    "RandomNormalOp",
    "RandomUniformLikeOp",
    "RandomUniformOp",
    "RangeOp",
    "ReciprocalOp",
    "ReduceL1Op",
    "ReduceL2Op",
    "ReduceLogSumExpOp",
    "ReduceLogSumOp",
    "ReduceMaxOp",
    "ReduceMeanOp",
    "ReduceMinOp",
    "ReduceProdOp",
    "ReduceSumOp",
    "ReduceSumSquareOp",
    "RegexFullMatchOp",
    "ReluOp",
    "ReshapeOp",
    "ResizeOp",
    "ReturnOp",
    "ReverseSequenceOp",
    "RoiAlignOp",
    "RotaryEmbeddingOp",
    "RoundOp",
    "STFTOp",
    "ScanOp",
    "ScatterElementsOp",
    "ScatterNDOp",
    "ScatterOp",
    "SeluOp",
    "SequenceAtOp",
    "SequenceConstructOp",
    "SequenceEmptyOp",
    "SequenceEraseOp",
    "SequenceInsertOp",
    "SequenceLengthOp",
    "SequenceMapOp",
    "SequenceType",
    "ShapeOp",
    "ShrinkOp",
    "SigmoidOp",
    "SignOp",
    "SinOp",
    "SinhOp",
    "SizeOp",
    "SliceOp",
    "SoftmaxCrossEntropyLossOp",
    "SoftmaxOp",
    "SoftplusOp",
    "SoftsignOp",
    "SpaceToDepthOp",
    "SparseTensorType",
    "SplitOp",
    "SplitToSequenceOp",
    "SqrtOp",
    "SqueezeOp",
    "StringConcatOp",
    "StringNormalizerOp",
    "StringSplitOp",
    "StringType",
    "StringsAttr",
    "SubOp",
    "SumOp",
    "SwiGLUOp",
    "SwishOp",
    "TanOp",
    "TanhOp",
    "TensorAttr",
    "TensorScatterOp",
    "TfIdfVectorizerOp",
    "ThresholdedReluOp",
    "TileOp",
    "TopKOp",
    "TransposeOp",
    "TriluOp",
    "UniqueOp",
    "UnsqueezeOp",
    "UpsampleOp",
    "WhereOp",
    "XorOp",
    "constant_array",
    "field_attr",
    "graph_of",
    "make_constant",
    "name_hint",
    "plain_value",
    "tensor_array",
    "tensor_attr",
    "tensor_type",
]


@irdl_op_definition
class AbsOp(OnnxOp):
    """Absolute takes one input data (Tensor) and produces one output data (Tensor) where absolute
    value, y = abs(x), is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Abs "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Abs"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AcosOp(OnnxOp):
    """Calculates the arccosine (inverse of cosine) of the given input tensor, element-wise.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Acos "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Acos"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AcoshOp(OnnxOp):
    """Calculates the hyperbolic arccosine of the given input tensor element-wise.

    Versions: 9, 22.
    Example:

        %r0 = onnx.Acosh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Acosh"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AddOp(OnnxOp):
    """Performs element-wise binary addition (with Numpy-style broadcasting support).

    Versions: 7, 13, 14.
    Example:

        %r0 = onnx.Add "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Add"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class AffineGridOp(OnnxOp):
    """Generates a 2D or 3D flow field (sampling grid), given a batch of affine matrices theta
    (https://pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html).

    Versions: 20.
    Example:

        %r0 = onnx.AffineGrid "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.AffineGrid"
    theta = operand_def()
    size = operand_def()
    align_corners = opt_prop_def(INT)
    grid = result_def()
    traits = traits_def(Since(20), OneElementType((0,), (0,)))


@irdl_op_definition
class AndOp(OnnxOp):
    """Returns the tensor resulted from performing the `and` logical operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 7.
    Example:

        %r0 = onnx.And "n" (%0, %1) -> ["r0"] : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    """

    name = "onnx.And"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class ArgMaxOp(OnnxOp):
    """Computes the indices of the max elements of the input tensor's element along the provided axis.

    Versions: 1, 11, 12, 13.
    Example:

        %r0 = onnx.ArgMax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
    """

    name = "onnx.ArgMax"
    data = operand_def()
    axis = opt_prop_def(INT)
    keepdims = opt_prop_def(INT)
    select_last_index = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(FittingSizes(), Pure())


@irdl_op_definition
class ArgMinOp(OnnxOp):
    """Computes the indices of the min elements of the input tensor's element along the provided axis.

    Versions: 1, 11, 12, 13.
    Example:

        %r0 = onnx.ArgMin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
    """

    name = "onnx.ArgMin"
    data = operand_def()
    axis = opt_prop_def(INT)
    keepdims = opt_prop_def(INT)
    select_last_index = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(FittingSizes(), Pure())


@irdl_op_definition
class AsinOp(OnnxOp):
    """Calculates the arcsine (inverse of sine) of the given input tensor, element-wise.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Asin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Asin"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AsinhOp(OnnxOp):
    """Calculates the hyperbolic arcsine of the given input tensor element-wise.

    Versions: 9, 22.
    Example:

        %r0 = onnx.Asinh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Asinh"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AtanOp(OnnxOp):
    """Calculates the arctangent (inverse of tangent) of the given input tensor, element-wise.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Atan "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Atan"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AtanhOp(OnnxOp):
    """Calculates the hyperbolic arctangent of the given input tensor element-wise.

    Versions: 9, 22.
    Example:

        %r0 = onnx.Atanh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Atanh"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class AttentionOp(OnnxOp):
    """Computes scaled dot product attention on query, key and value tensors, using an optional
    attention mask if passed.

    Versions: 23, 24, 25.
    Example:

        %r0 = onnx.Attention "n" (%0, %1, %2, _, _, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Attention"
    Q = operand_def()
    K = operand_def()
    V = operand_def()
    attn_mask = opt_operand_def()
    past_key = opt_operand_def()
    past_value = opt_operand_def()
    nonpad_kv_seqlen = opt_operand_def()
    is_causal = opt_prop_def(INT)
    kv_num_heads = opt_prop_def(INT)
    left_window_size = opt_prop_def(INT)
    q_num_heads = opt_prop_def(INT)
    qk_matmul_output_mode = opt_prop_def(INT)
    right_window_size = opt_prop_def(INT)
    scale = opt_prop_def(FLOAT)
    softcap = opt_prop_def(FLOAT)
    softmax_precision = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        Since(23), OneElementType((0, 1, 4), (0, 1, 3)), OneElementType((2, 5), (2,)), Pure()
    )


@irdl_op_definition
class AveragePoolOp(OnnxOp):
    """AveragePool consumes an input tensor X and applies average pooling across the tensor according
    to kernel sizes, stride sizes, and pad lengths.

    Versions: 7, 10, 11, 19, 22.
    Example:

        %r0 = onnx.AveragePool "n" (%0) -> ["r0"] <{kernel_shape = array<i64: 1>}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.AveragePool"
    X = operand_def()
    auto_pad = opt_prop_def(STRING)
    ceil_mode = opt_prop_def(INT)
    count_include_pad = opt_prop_def(INT)
    dilations = opt_prop_def(INTS)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class BatchNormalizationOp(OnnxOp):
    """Carries out batch normalization as described in the paper https://arxiv.org/abs/1502.03167.

    Versions: 7, 9, 14, 15.
    Example:

        %r0 = onnx.BatchNormalization "n" (%0, %1, %2, %3, %4) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.BatchNormalization"
    X = operand_def()
    scale = operand_def()
    B = operand_def()
    input_mean = operand_def()
    input_var = operand_def()
    epsilon = opt_prop_def(FLOAT)
    momentum = opt_prop_def(FLOAT)
    spatial = opt_prop_def(INT)
    training_mode = opt_prop_def(INT)
    outputs = var_result_def()
    traits = traits_def(
        FittingSizes(),
        OneElementType((0,), (0,)),
        OneElementType((1, 2), ()),
        OneElementType((3, 4), (1, 2)),
        Pure(),
    )


@irdl_op_definition
class BernoulliOp(OnnxOp):
    """Draws binary random numbers (0 or 1) from a Bernoulli distribution.

    Versions: 15, 22.
    Example:

        %r0 = onnx.Bernoulli "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Bernoulli"
    input = operand_def()
    dtype = opt_prop_def(INT)
    seed = opt_prop_def(FLOAT)
    output = result_def()
    traits = traits_def(Since(15))


@irdl_op_definition
class BitCastOp(OnnxOp):
    """Reinterprets the binary representation of a tensor as a different data type, specified by the
    'to' attribute.

    Versions: 26.
    Example:

        %r0 = onnx.BitCast "n" (%0) -> ["r0"] <{to = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.BitCast"
    input = operand_def()
    to = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(26), Pure())


@irdl_op_definition
class BitShiftOp(OnnxOp):
    """Bitwise shift operator performs element-wise operation.

    Versions: 11, 28.
    Example:

        %r0 = onnx.BitShift "n" (%0, %1) -> ["r0"] <{direction = "a"}>
            : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
    """

    name = "onnx.BitShift"
    X = operand_def()
    Y = operand_def()
    direction = opt_prop_def(STRING)
    Z = result_def()
    traits = traits_def(Since(11), FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class BitwiseAndOp(OnnxOp):
    """Returns the tensor resulting from performing the bitwise `and` operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 18.
    Example:

        %r0 = onnx.BitwiseAnd "n" (%0, %1) -> ["r0"] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
    """

    name = "onnx.BitwiseAnd"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(Since(18), FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class BitwiseNotOp(OnnxOp):
    """Returns the bitwise not of the input tensor element-wise.

    Versions: 18.
    Example:

        %r0 = onnx.BitwiseNot "n" (%0) -> ["r0"] : (tensor<4xi16>) -> tensor<4xi16>
    """

    name = "onnx.BitwiseNot"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(18), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class BitwiseOrOp(OnnxOp):
    """Returns the tensor resulting from performing the bitwise `or` operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 18.
    Example:

        %r0 = onnx.BitwiseOr "n" (%0, %1) -> ["r0"] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
    """

    name = "onnx.BitwiseOr"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(Since(18), FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class BitwiseXorOp(OnnxOp):
    """Returns the tensor resulting from performing the bitwise `xor` operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 18.
    Example:

        %r0 = onnx.BitwiseXor "n" (%0, %1) -> ["r0"] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
    """

    name = "onnx.BitwiseXor"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(Since(18), FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class BlackmanWindowOp(OnnxOp):
    """Generates a Blackman window as described in the paper
    https://ieeexplore.ieee.org/document/1455106.

    Versions: 17.
    Example:

        %r0 = onnx.BlackmanWindow "n" (%0) -> ["r0"] : (tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.BlackmanWindow"
    size = operand_def()
    output_datatype = opt_prop_def(INT)
    periodic = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(17), Pure())


@irdl_op_definition
class CastOp(OnnxOp):
    """The operator casts the elements of a given input tensor to a data type specified by the 'to'
    argument and returns an output tensor of the same size in the converted type.

    Versions: 6, 9, 13, 19, 21, 23, 24, 25, 28.
    Example:

        %r0 = onnx.Cast "n" (%0) -> ["r0"] <{to = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Cast"
    input = operand_def()
    round_mode = opt_prop_def(STRING)
    saturate = opt_prop_def(INT)
    to = opt_prop_def(INT)
    output = result_def()
    traits = PURE


@irdl_op_definition
class CastLikeOp(OnnxOp):
    """The operator casts the elements of a given input tensor (the first input) to the same data type
    as the elements of the second input tensor.

    Versions: 15, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.CastLike "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.CastLike"
    input = operand_def()
    target_type = operand_def()
    round_mode = opt_prop_def(STRING)
    saturate = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(15), OneElementType((1,), (0,)), Pure())


@irdl_op_definition
class CausalConvWithStateOp(OnnxOp):
    """Stateful causal 1D depthwise convolution.

    Versions: 27.
    Example:

        %r0, %r1 = onnx.CausalConvWithState "n" (%0, %1, _, _) -> ["r0", "r1"]
            : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    """

    name = "onnx.CausalConvWithState"
    input = operand_def()
    weight = operand_def()
    bias = opt_operand_def()
    past_state = opt_operand_def()
    activation = opt_prop_def(STRING)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(Since(27), OneElementType((0, 1, 2, 3), (0, 1)), Pure())


@irdl_op_definition
class CeilOp(OnnxOp):
    """Ceil takes one input data (Tensor) and produces one output data (Tensor) where the ceil is, y =
    ceil(x), is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Ceil "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Ceil"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class CeluOp(OnnxOp):
    """Continuously Differentiable Exponential Linear Units.

    Versions: 12, 28.
    Example:

        %r0 = onnx.Celu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Celu"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(Since(12), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class CenterCropPadOp(OnnxOp):
    """Center crop or pad an input to given dimensions.

    Versions: 18.
    Example:

        %r0 = onnx.CenterCropPad "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.CenterCropPad"
    input_data = operand_def()
    shape = operand_def()
    axes = opt_prop_def(INTS)
    output_data = result_def()
    traits = traits_def(Since(18), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ClipOp(OnnxOp):
    """Clip operator limits the given input within an interval.

    Versions: 6, 11, 12, 13.
    Example:

        %r0 = onnx.Clip "n" (%0, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Clip"
    input = operand_def()
    min = opt_operand_def()
    max = opt_operand_def()
    max_attr = opt_prop_def(FLOAT, prop_name="max")
    min_attr = opt_prop_def(FLOAT, prop_name="min")
    output = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0,), (0,)), OneElementType((1, 2), ()), Pure())


@irdl_op_definition
class Col2ImOp(OnnxOp):
    """The operator rearranges column blocks back into a multidimensional image.

    Versions: 18.
    Example:

        %r0 = onnx.Col2Im "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.Col2Im"
    input = operand_def()
    image_shape = operand_def()
    block_shape = operand_def()
    dilations = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    output = result_def()
    traits = traits_def(Since(18), OneElementType((0,), (0,)), OneElementType((1, 2), ()), Pure())


@irdl_op_definition
class CompressOp(OnnxOp):
    """Selects slices from an input tensor along a given axis where condition evaluates to True for
    each axis index.

    Versions: 9, 11, 28.
    Example:

        %r0 = onnx.Compress "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>
    """

    name = "onnx.Compress"
    input = operand_def()
    condition = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ConcatOp(OnnxOp):
    """Concatenate a list of tensors into a single tensor.

    Versions: 4, 11, 13.
    Example:

        %r0 = onnx.Concat "n" (%0) -> ["r0"] <{axis = 1 : i64}>
            : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    """

    name = "onnx.Concat"
    inputs_in = var_operand_def()
    axis = opt_prop_def(INT)
    concat_result = result_def()
    traits = traits_def(FittingSizes(), OneElementType(results=(0,)), Pure())


@irdl_op_definition
class ConcatFromSequenceOp(OnnxOp):
    """Concatenate a sequence of tensors into a single tensor.

    Versions: 11.
    Example:

        %r0 = onnx.ConcatFromSequence "n" (%0) -> ["r0"] <{axis = 1 : i64}>
            : (!onnx.sequence<tensor<4xi1>>) -> tensor<4xf32>
    """

    name = "onnx.ConcatFromSequence"
    input_sequence = operand_def()
    axis = opt_prop_def(INT)
    new_axis = opt_prop_def(INT)
    concat_result = result_def()
    traits = traits_def(Since(11), Pure())


@irdl_op_definition
class ConstantOp(OnnxOp):
    """This operator produces a constant tensor.

    Versions: 1, 9, 11, 12, 13, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Constant "n" () -> ["r0"] : () -> tensor<4xf32>
    """

    name = "onnx.Constant"
    sparse_value = opt_prop_def(PROTO)
    value = opt_prop_def(TENSOR)
    value_float = opt_prop_def(FLOAT)
    value_floats = opt_prop_def(LIST)
    value_int = opt_prop_def(INT)
    value_ints = opt_prop_def(INTS)
    value_string = opt_prop_def(STRING)
    value_strings = opt_prop_def(LIST)
    output = result_def()
    traits = PURE


@irdl_op_definition
class ConstantOfShapeOp(OnnxOp):
    """Generate a tensor with given value and shape.

    Versions: 9, 20, 21, 23, 24, 25.
    Example:

        %r0 = onnx.ConstantOfShape "n" (%0) -> ["r0"] : (tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.ConstantOfShape"
    input = operand_def()
    value = opt_prop_def(TENSOR)
    output = result_def()
    traits = traits_def(Since(9), Pure())


@irdl_op_definition
class ConvOp(OnnxOp):
    """The convolution operator consumes an input tensor and a filter, and computes the output.

    Versions: 1, 11, 22.
    Example:

        %r0 = onnx.Conv "n" (%0, %1) -> ["r0"]
            : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    """

    name = "onnx.Conv"
    X = operand_def()
    W = operand_def()
    B = opt_operand_def()
    auto_pad = opt_prop_def(STRING)
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class ConvIntegerOp(OnnxOp):
    """The integer convolution operator consumes an input tensor, its zero-point, a filter, and its
    zero-point, and computes the output.

    Versions: 10.
    Example:

        %r0 = onnx.ConvInteger "n" (%0, %1, _, _) -> ["r0"]
            : (tensor<4x4x4xi8>, tensor<4x4x4xi8>) -> tensor<4x4x4xi32>
    """

    name = "onnx.ConvInteger"
    x = operand_def()
    w = operand_def()
    x_zero_point = opt_operand_def()
    w_zero_point = opt_operand_def()
    auto_pad = opt_prop_def(STRING)
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        Since(10), FittingSizes(), OneElementType((0, 2), ()), OneElementType((1, 3), ()), Pure()
    )


@irdl_op_definition
class ConvTransposeOp(OnnxOp):
    """The convolution transpose operator consumes an input tensor and a filter, and computes the
    output.

    Versions: 1, 11, 22.
    Example:

        %r0 = onnx.ConvTranspose "n" (%0, %1) -> ["r0"]
            : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    """

    name = "onnx.ConvTranspose"
    X = operand_def()
    W = operand_def()
    B = opt_operand_def()
    auto_pad = opt_prop_def(STRING)
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    output_padding = opt_prop_def(INTS)
    output_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class CosOp(OnnxOp):
    """Calculates the cosine of the given input tensor, element-wise.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Cos "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Cos"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class CoshOp(OnnxOp):
    """Calculates the hyperbolic cosine of the given input tensor element-wise.

    Versions: 9, 22.
    Example:

        %r0 = onnx.Cosh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Cosh"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class CumProdOp(OnnxOp):
    """Performs cumulative product of the input elements along the given axis.

    Versions: 26.
    Example:

        %r0 = onnx.CumProd "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.CumProd"
    x = operand_def()
    axis = operand_def()
    exclusive = opt_prop_def(INT)
    reverse = opt_prop_def(INT)
    y = result_def()
    traits = traits_def(Since(26), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class CumSumOp(OnnxOp):
    """Performs cumulative sum of the input elements along the given axis.

    Versions: 11, 14.
    Example:

        %r0 = onnx.CumSum "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.CumSum"
    x = operand_def()
    axis = operand_def()
    exclusive = opt_prop_def(INT)
    reverse = opt_prop_def(INT)
    y = result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class DFTOp(OnnxOp):
    """Computes the discrete Fourier Transform (DFT) of the input.

    Versions: 17, 20.
    Example:

        %r0 = onnx.DFT "n" (%0, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.DFT"
    input = operand_def()
    dft_length = opt_operand_def()
    axis = opt_operand_def()
    axis_attr = opt_prop_def(INT, prop_name="axis")
    inverse = opt_prop_def(INT)
    onesided = opt_prop_def(INT)
    output = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(Since(17), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class DeformConvOp(OnnxOp):
    """Performs deformable convolution as described in https://arxiv.org/abs/1703.06211 and
    https://arxiv.org/abs/1811.11168.

    Versions: 19, 22.
    Example:

        %r0 = onnx.DeformConv "n" (%0, %1, %2, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.DeformConv"
    X = operand_def()
    W = operand_def()
    offset = operand_def()
    B = opt_operand_def()
    mask = opt_operand_def()
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    offset_group = opt_prop_def(INT)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(Since(19), OneElementType((0, 1, 2, 3, 4), (0,)), Pure())


@irdl_op_definition
class DepthToSpaceOp(OnnxOp):
    """DepthToSpace rearranges (permutes) data from depth into blocks of spatial data.

    Versions: 1, 11, 13, 28.
    Example:

        %r0 = onnx.DepthToSpace "n" (%0) -> ["r0"] <{blocksize = 1 : i64}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.DepthToSpace"
    input = operand_def()
    blocksize = opt_prop_def(INT)
    mode = opt_prop_def(STRING)
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class DequantizeLinearOp(OnnxOp):
    """The linear dequantization operator.

    Versions: 10, 13, 19, 21, 23, 24, 25, 28.
    Example:

        %r0 = onnx.DequantizeLinear "n" (%0, %1) -> ["r0"]
            : (tensor<4xf8E4M3FN>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.DequantizeLinear"
    x = operand_def()
    x_scale = operand_def()
    x_zero_point = opt_operand_def()
    axis = opt_prop_def(INT)
    block_size = opt_prop_def(INT)
    output_dtype = opt_prop_def(INT)
    y = result_def()
    traits = traits_def(Since(10), OneElementType((0, 2), ()), Pure())


@irdl_op_definition
class DetOp(OnnxOp):
    """Det calculates determinant of a square matrix or batches of square matrices.

    Versions: 11, 22.
    Example:

        %r0 = onnx.Det "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Det"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class DivOp(OnnxOp):
    """Performs element-wise binary division (with Numpy-style broadcasting support).

    Versions: 7, 13, 14.
    Example:

        %r0 = onnx.Div "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Div"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class DropoutOp(OnnxOp):
    """Dropout takes an input floating-point tensor, an optional input ratio (floating-point scalar)
    and an optional input training_mode (boolean scalar).

    Versions: 7, 10, 12, 13, 22.
    Example:

        %r0 = onnx.Dropout "n" (%0, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Dropout"
    data = operand_def()
    ratio = opt_operand_def()
    training_mode = opt_operand_def()
    ratio_attr = opt_prop_def(FLOAT, prop_name="ratio")
    seed = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0,), (0,)))


@irdl_op_definition
class DynamicQuantizeLinearOp(OnnxOp):
    """A Function to fuse calculation for Scale, Zero Point and FP32->8Bit conversion of FP32 Input
    data.

    Versions: 11.
    Example:

        %r0, %r1, %r2 = onnx.DynamicQuantizeLinear "n" (%0) -> ["r0", "r1", "r2"]
            : (tensor<4xf32>) -> (tensor<4xui8>, tensor<4xf32>, tensor<4xui8>)
    """

    name = "onnx.DynamicQuantizeLinear"
    x = operand_def()
    outputs = var_result_def()
    traits = traits_def(Since(11), Pure())


@irdl_op_definition
class EinsumOp(OnnxOp):
    """An einsum of the form `term1, term2 -> output-term` produces an output tensor using the
    following equation.

    Versions: 12, 28.
    Example:

        %r0 = onnx.Einsum "n" (%0) -> ["r0"] <{equation = "a"}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Einsum"
    Inputs = var_operand_def()
    equation = opt_prop_def(STRING)
    Output = result_def()
    traits = traits_def(Since(12), OneElementType(results=(0,)), Pure())


@irdl_op_definition
class EluOp(OnnxOp):
    """Elu takes one input data (Tensor) and produces one output data (Tensor) where the function
    `f(x) = alpha * (exp(x) - 1.) for x < 0`, `f(x) = x for x >= 0`., is applied to the tensor ...

    Versions: 6, 22.
    Example:

        %r0 = onnx.Elu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Elu"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class EqualOp(OnnxOp):
    """Returns the tensor resulted from performing the `equal` logical operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 7, 11, 13, 19.
    Example:

        %r0 = onnx.Equal "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.Equal"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class ErfOp(OnnxOp):
    """Computes the error function of the given input tensor element-wise.

    Versions: 9, 13.
    Example:

        %r0 = onnx.Erf "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Erf"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ExpOp(OnnxOp):
    """Calculates the exponential of the given input tensor, element-wise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Exp "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Exp"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ExpandOp(OnnxOp):
    """Broadcast the input tensor following the given shape and the broadcast rule.

    Versions: 8, 13.
    Example:

        %r0 = onnx.Expand "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.Expand"
    input = operand_def()
    shape = operand_def()
    output = result_def()
    traits = traits_def(Since(8), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class EyeLikeOp(OnnxOp):
    """Generate a 2D tensor (matrix) with ones on the diagonal and zeros everywhere else.

    Versions: 9, 22.
    Example:

        %r0 = onnx.EyeLike "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.EyeLike"
    input = operand_def()
    dtype = opt_prop_def(INT)
    k = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(9), Pure())


@irdl_op_definition
class FlattenOp(OnnxOp):
    """Flattens the input tensor into a 2D matrix.

    Versions: 1, 9, 11, 13, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Flatten "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Flatten"
    input = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class FloorOp(OnnxOp):
    """Floor takes one input data (Tensor) and produces one output data (Tensor) where the floor is, y
    = floor(x), is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Floor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Floor"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GRUOp(OnnxOp):
    """Computes an one-layer GRU.

    Versions: 7, 14, 22.
    Example:

        %r0 = onnx.GRU "n" (%0, %1, %2, _, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.GRU"
    X = operand_def()
    W = operand_def()
    R = operand_def()
    B = opt_operand_def()
    sequence_lens = opt_operand_def()
    initial_h = opt_operand_def()
    activation_alpha = opt_prop_def(LIST)
    activation_beta = opt_prop_def(LIST)
    activations = opt_prop_def(LIST)
    clip = opt_prop_def(FLOAT)
    direction = opt_prop_def(STRING)
    hidden_size = opt_prop_def(INT)
    layout = opt_prop_def(INT)
    linear_before_reset = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2, 3, 5), (0, 1)), Pure())


@irdl_op_definition
class GatherOp(OnnxOp):
    """Given `data` tensor of rank r >= 1, and `indices` tensor of rank q, gather entries of the axis
    dimension of `data` (by default outer-most one as axis=0) indexed by `indices`, and ...

    Versions: 1, 11, 13.
    Example:

        %r0 = onnx.Gather "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.Gather"
    data = operand_def()
    indices = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GatherElementsOp(OnnxOp):
    """GatherElements takes two inputs `data` and `indices` of the same rank r >= 1 and an optional
    attribute `axis` that identifies an axis of `data` (by default, the outer-most axis, that is
    ...

    Versions: 11, 13.
    Example:

        %r0 = onnx.GatherElements "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.GatherElements"
    data = operand_def()
    indices = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(11), FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GatherNDOp(OnnxOp):
    """Given `data` tensor of rank `r` >= 1, `indices` tensor of rank `q` >= 1, and `batch_dims`
    integer `b`, this operator gathers slices of `data` into an output tensor of rank `q + r - ...

    Versions: 11, 12, 13.
    Example:

        %r0 = onnx.GatherND "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.GatherND"
    data = operand_def()
    indices = operand_def()
    batch_dims = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GeluOp(OnnxOp):
    """Gelu takes one input data (Tensor) and produces one output data (Tensor) where the gaussian
    error linear units function, $y = 0.5 * x * (1 + erf(x/sqrt(2)))$ is applied to the tensor ...

    Versions: 20.
    Example:

        %r0 = onnx.Gelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Gelu"
    X = operand_def()
    approximate = opt_prop_def(STRING)
    Y = result_def()
    traits = traits_def(Since(20), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GemmOp(OnnxOp):
    """General Matrix multiplication.

    Versions: 7, 9, 11, 13.
    Example:

        %r0 = onnx.Gemm "n" (%0, %1) -> ["r0"] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    """

    name = "onnx.Gemm"
    A = operand_def()
    B = operand_def()
    C = opt_operand_def()
    alpha = opt_prop_def(FLOAT)
    beta = opt_prop_def(FLOAT)
    transA = opt_prop_def(INT)
    transB = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class GlobalAveragePoolOp(OnnxOp):
    """GlobalAveragePool consumes an input tensor X and applies average pooling across the values in
    the same channel.

    Versions: 1, 22.
    Example:

        %r0 = onnx.GlobalAveragePool "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.GlobalAveragePool"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GlobalLpPoolOp(OnnxOp):
    """GlobalLpPool consumes an input tensor X and applies lp pool pooling across the values in the
    same channel.

    Versions: 2, 22.
    Example:

        %r0 = onnx.GlobalLpPool "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.GlobalLpPool"
    X = operand_def()
    p = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GlobalMaxPoolOp(OnnxOp):
    """GlobalMaxPool consumes an input tensor X and applies max pooling across the values in the same
    channel.

    Versions: 1, 22.
    Example:

        %r0 = onnx.GlobalMaxPool "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.GlobalMaxPool"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GreaterOp(OnnxOp):
    """Returns the tensor resulted from performing the `greater` logical operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 7, 9, 13.
    Example:

        %r0 = onnx.Greater "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.Greater"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class GreaterOrEqualOp(OnnxOp):
    """Returns the tensor resulted from performing the `greater_equal` logical operation elementwise
    on the input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 12, 16.
    Example:

        %r0 = onnx.GreaterOrEqual "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.GreaterOrEqual"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(Since(12), FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class GridSampleOp(OnnxOp):
    """Given an input `X` and a flow-field `grid`, computes the output `Y` using `X` values and pixel
    locations from the `grid`.

    Versions: 16, 20, 22.
    Example:

        %r0 = onnx.GridSample "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.GridSample"
    X = operand_def()
    grid = operand_def()
    align_corners = opt_prop_def(INT)
    mode = opt_prop_def(STRING)
    padding_mode = opt_prop_def(STRING)
    Y = result_def()
    traits = traits_def(Since(16), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class GroupNormalizationOp(OnnxOp):
    """A GroupNormalization function.

    Versions: 18, 21.
    Example:

        %r0 = onnx.GroupNormalization "n" (%0, %1, %2) -> ["r0"] <{num_groups = 1 : i64}>
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.GroupNormalization"
    X = operand_def()
    scale = operand_def()
    bias = operand_def()
    epsilon = opt_prop_def(FLOAT)
    num_groups = opt_prop_def(INT)
    stash_type = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(Since(18), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class HammingWindowOp(OnnxOp):
    """Generates a Hamming window as described in the paper
    https://ieeexplore.ieee.org/document/1455106.

    Versions: 17.
    Example:

        %r0 = onnx.HammingWindow "n" (%0) -> ["r0"] : (tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.HammingWindow"
    size = operand_def()
    output_datatype = opt_prop_def(INT)
    periodic = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(17), Pure())


@irdl_op_definition
class HannWindowOp(OnnxOp):
    """Generates a Hann window as described in the paper https://ieeexplore.ieee.org/document/1455106.

    Versions: 17.
    Example:

        %r0 = onnx.HannWindow "n" (%0) -> ["r0"] : (tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.HannWindow"
    size = operand_def()
    output_datatype = opt_prop_def(INT)
    periodic = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(17), Pure())


@irdl_op_definition
class HardSigmoidOp(OnnxOp):
    """HardSigmoid takes one input data (Tensor) and produces one output data (Tensor) where the
    HardSigmoid function, y = max(0, min(1, alpha * x + beta)), is applied to the tensor
    elementwise.

    Versions: 6, 22.
    Example:

        %r0 = onnx.HardSigmoid "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.HardSigmoid"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    beta = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class HardSwishOp(OnnxOp):
    """HardSwish takes one input data (Tensor) and produces one output data (Tensor) where the
    HardSwish function, y = x * max(0, min(1, alpha * x + beta)) = x * HardSigmoid(x), where alpha
    = 1/6 ...

    Versions: 14, 22.
    Example:

        %r0 = onnx.HardSwish "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.HardSwish"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(14), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class HardmaxOp(OnnxOp):
    """The operator computes the hardmax values for the given input.

    Versions: 1, 11, 13.
    Example:

        %r0 = onnx.Hardmax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Hardmax"
    input = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class IdentityOp(OnnxOp):
    """Identity operator.

    Versions: 1, 13, 14, 16, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Identity "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Identity"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class IfOp(BodyOp):
    """If conditional.

    Versions: 1, 11, 13, 16, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.If "n" (%0) -> ["r0"] ({
          onnx.graph "then_branch" () -> [] {
            onnx.return
          }
        }, {
          onnx.graph "else_branch" () -> [] {
            onnx.return
          }
        })
            : (tensor<4xi1>) -> tensor<4xf32>
    """

    name = "onnx.If"
    cond = operand_def()
    outputs = var_result_def()
    then_branch = region_def("single_block")
    else_branch = region_def("single_block")


@irdl_op_definition
class ImageDecoderOp(OnnxOp):
    """Loads and decodes and image from a file.

    Versions: 20.
    Example:

        %r0 = onnx.ImageDecoder "n" (%0) -> ["r0"] : (tensor<4xui8>) -> tensor<4xui8>
    """

    name = "onnx.ImageDecoder"
    encoded_stream = operand_def()
    pixel_format = opt_prop_def(STRING)
    image = result_def()
    traits = traits_def(Since(20), Pure())


@irdl_op_definition
class InstanceNormalizationOp(OnnxOp):
    """Carries out instance normalization as described in the paper https://arxiv.org/abs/1607.08022.

    Versions: 6, 22.
    Example:

        %r0 = onnx.InstanceNormalization "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.InstanceNormalization"
    input = operand_def()
    scale = operand_def()
    B = operand_def()
    epsilon = opt_prop_def(FLOAT)
    output = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class IsInfOp(OnnxOp):
    """Map infinity to true and other values to false.

    Versions: 10, 20.
    Example:

        %r0 = onnx.IsInf "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.IsInf"
    X = operand_def()
    detect_negative = opt_prop_def(INT)
    detect_positive = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(Since(10), Pure())


@irdl_op_definition
class IsNaNOp(OnnxOp):
    """Returns which elements of the input are NaN.

    Versions: 9, 13, 20.
    Example:

        %r0 = onnx.IsNaN "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.IsNaN"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(9), Pure())


@irdl_op_definition
class LRNOp(OnnxOp):
    """Local Response Normalization proposed in the AlexNet paper.

    Versions: 1, 13.
    Example:

        %r0 = onnx.LRN "n" (%0) -> ["r0"] <{size = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LRN"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    beta = opt_prop_def(FLOAT)
    bias = opt_prop_def(FLOAT)
    size = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class LSTMOp(OnnxOp):
    """Computes an one-layer LSTM.

    Versions: 7, 14, 22.
    Example:

        %r0 = onnx.LSTM "n" (%0, %1, %2, _, _, _, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LSTM"
    X = operand_def()
    W = operand_def()
    R = operand_def()
    B = opt_operand_def()
    sequence_lens = opt_operand_def()
    initial_h = opt_operand_def()
    initial_c = opt_operand_def()
    P = opt_operand_def()
    activation_alpha = opt_prop_def(LIST)
    activation_beta = opt_prop_def(LIST)
    activations = opt_prop_def(LIST)
    clip = opt_prop_def(FLOAT)
    direction = opt_prop_def(STRING)
    hidden_size = opt_prop_def(INT)
    input_forget = opt_prop_def(INT)
    layout = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2, 3, 5, 6, 7), (0, 1, 2)), Pure())


@irdl_op_definition
class LayerNormalizationOp(OnnxOp):
    """This is layer normalization defined in ONNX as function.

    Versions: 17.
    Example:

        %r0 = onnx.LayerNormalization "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LayerNormalization"
    X = operand_def()
    Scale = operand_def()
    B = opt_operand_def()
    axis = opt_prop_def(INT)
    epsilon = opt_prop_def(FLOAT)
    stash_type = opt_prop_def(INT)
    outputs = var_result_def()
    traits = traits_def(Since(17), FittingSizes(), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class LeakyReluOp(OnnxOp):
    """LeakyRelu takes input data (Tensor) and an argument alpha, and produces one output data
    (Tensor) where the function `f(x) = alpha * x for x < 0`, `f(x) = x for x >= 0`, is applied to
    the ...

    Versions: 6, 16.
    Example:

        %r0 = onnx.LeakyRelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LeakyRelu"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class LessOp(OnnxOp):
    """Returns the tensor resulted from performing the `less` logical operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 7, 9, 13.
    Example:

        %r0 = onnx.Less "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.Less"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class LessOrEqualOp(OnnxOp):
    """Returns the tensor resulted from performing the `less_equal` logical operation elementwise on
    the input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 12, 16.
    Example:

        %r0 = onnx.LessOrEqual "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.LessOrEqual"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(Since(12), FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class LinearAttentionOp(OnnxOp):
    """Unified linear attention operator for autoregressive decoding (T=1) and prefill (T>1).

    Versions: 27.
    Example:

        %r0, %r1 = onnx.LinearAttention "n" (%0, %1, %2, _, _, _) -> ["r0", "r1"]
            <{kv_num_heads = 1 : i64, q_num_heads = 1 : i64}>
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    """

    name = "onnx.LinearAttention"
    query = operand_def()
    key = operand_def()
    value = operand_def()
    past_state = opt_operand_def()
    decay = opt_operand_def()
    beta = opt_operand_def()
    chunk_size = opt_prop_def(INT)
    kv_num_heads = opt_prop_def(INT)
    q_num_heads = opt_prop_def(INT)
    scale = opt_prop_def(FLOAT)
    update_rule = opt_prop_def(STRING)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        Since(27), OneElementType((0, 1, 2, 4, 5), (0,)), OneElementType((3,), (1,)), Pure()
    )


@irdl_op_definition
class LogOp(OnnxOp):
    """Calculates the natural log of the given input tensor, element-wise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Log "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Log"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class LogSoftmaxOp(OnnxOp):
    """The operator computes the log of softmax values for the given input.

    Versions: 1, 11, 13.
    Example:

        %r0 = onnx.LogSoftmax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LogSoftmax"
    input = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class LoopOp(BodyOp):
    """Generic Looping construct.

    Versions: 1, 11, 13, 16, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Loop "n" (_, _, %0) -> ["r0"] ({
          onnx.graph "body" () -> [] {
            onnx.return
          }
        })
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Loop"
    M = opt_operand_def()
    cond = opt_operand_def()
    v_initial = var_operand_def()
    outputs = var_result_def()
    body = region_def("single_block")
    irdl_options = SEGMENTS


@irdl_op_definition
class LpNormalizationOp(OnnxOp):
    """Given a matrix, apply Lp-normalization along the provided axis.

    Versions: 1, 22.
    Example:

        %r0 = onnx.LpNormalization "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LpNormalization"
    input = operand_def()
    axis = opt_prop_def(INT)
    p = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class LpPoolOp(OnnxOp):
    """LpPool consumes an input tensor X and applies Lp pooling across the tensor according to kernel
    sizes, stride sizes, and pad lengths.

    Versions: 2, 11, 18, 22.
    Example:

        %r0 = onnx.LpPool "n" (%0) -> ["r0"] <{kernel_shape = array<i64: 1>}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.LpPool"
    X = operand_def()
    auto_pad = opt_prop_def(STRING)
    ceil_mode = opt_prop_def(INT)
    dilations = opt_prop_def(INTS)
    kernel_shape = opt_prop_def(INTS)
    p = opt_prop_def(INT)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MatMulOp(OnnxOp):
    """Matrix product that behaves like numpy.matmul.

    Versions: 1, 9, 13.
    Example:

        %r0 = onnx.MatMul "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.MatMul"
    A = operand_def()
    B = operand_def()
    Y = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MatMulIntegerOp(OnnxOp):
    """Matrix product that behaves like numpy.matmul.

    Versions: 10.
    Example:

        %r0 = onnx.MatMulInteger "n" (%0, %1, _, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
    """

    name = "onnx.MatMulInteger"
    A = operand_def()
    B = operand_def()
    a_zero_point = opt_operand_def()
    b_zero_point = opt_operand_def()
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        Since(10), FittingSizes(), OneElementType((0, 2), ()), OneElementType((1, 3), ()), Pure()
    )


@irdl_op_definition
class MaxOp(OnnxOp):
    """Element-wise max of each of the input tensors (with Numpy-style broadcasting support).

    Versions: 6, 8, 12, 13.
    Example:

        %r0 = onnx.Max "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Max"
    data_0 = var_operand_def()
    max = result_def()
    traits = traits_def(FittingSizes(), OneElementType(results=(0,)), Pure())


@irdl_op_definition
class MaxPoolOp(OnnxOp):
    """MaxPool consumes an input tensor X and applies max pooling across the tensor according to
    kernel sizes, stride sizes, and pad lengths.

    Versions: 1, 8, 10, 11, 12, 22.
    Example:

        %r0 = onnx.MaxPool "n" (%0) -> ["r0"] <{kernel_shape = array<i64: 1>}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.MaxPool"
    X = operand_def()
    auto_pad = opt_prop_def(STRING)
    ceil_mode = opt_prop_def(INT)
    dilations = opt_prop_def(INTS)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    storage_order = opt_prop_def(INT)
    strides = opt_prop_def(INTS)
    outputs = var_result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MaxRoiPoolOp(OnnxOp):
    """ROI max pool consumes an input tensor X and region of interests (RoIs) to apply max pooling
    across each RoI, to produce output 4-D tensor of shape (num_rois, channels, pooled_shape[0] ...

    Versions: 1, 22.
    Example:

        %r0 = onnx.MaxRoiPool "n" (%0, %1) -> ["r0"] <{pooled_shape = array<i64: 1>}>
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.MaxRoiPool"
    X = operand_def()
    rois = operand_def()
    pooled_shape = opt_prop_def(INTS)
    spatial_scale = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MaxUnpoolOp(OnnxOp):
    """MaxUnpool essentially computes the partial inverse of the MaxPool op.

    Versions: 9, 11, 22.
    Example:

        %r0 = onnx.MaxUnpool "n" (%0, %1) -> ["r0"] <{kernel_shape = array<i64: 1>}>
            : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.MaxUnpool"
    X = operand_def()
    I_in = operand_def()
    output_shape = opt_operand_def()
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), OneElementType((1, 2), ()), Pure())


@irdl_op_definition
class MeanOp(OnnxOp):
    """Element-wise mean of each of the input tensors (with Numpy-style broadcasting support).

    Versions: 6, 8, 13.
    Example:

        %r0 = onnx.Mean "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Mean"
    data_0 = var_operand_def()
    mean = result_def()
    traits = traits_def(FittingSizes(), OneElementType(results=(0,)), Pure())


@irdl_op_definition
class MeanVarianceNormalizationOp(OnnxOp):
    """A MeanVarianceNormalization Function.

    Versions: 9, 13.
    Example:

        %r0 = onnx.MeanVarianceNormalization "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.MeanVarianceNormalization"
    X = operand_def()
    axes = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MelWeightMatrixOp(OnnxOp):
    """Generate a MelWeightMatrix that can be used to re-weight a Tensor containing a linearly sampled
    frequency spectra (from DFT or STFT) into num_mel_bins frequency information based on the ...

    Versions: 17.
    Example:

        %r0 = onnx.MelWeightMatrix "n" (%0, %1, %2, %3, %4) -> ["r0"]
            : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.MelWeightMatrix"
    num_mel_bins = operand_def()
    dft_length = operand_def()
    sample_rate = operand_def()
    lower_edge_hertz = operand_def()
    upper_edge_hertz = operand_def()
    output_datatype = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(
        Since(17), OneElementType((0, 1, 2), ()), OneElementType((3, 4), ()), Pure()
    )


@irdl_op_definition
class MinOp(OnnxOp):
    """Element-wise min of each of the input tensors (with Numpy-style broadcasting support).

    Versions: 6, 8, 12, 13.
    Example:

        %r0 = onnx.Min "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Min"
    data_0 = var_operand_def()
    min = result_def()
    traits = traits_def(FittingSizes(), OneElementType(results=(0,)), Pure())


@irdl_op_definition
class MishOp(OnnxOp):
    """Mish.

    Versions: 18, 22.
    Example:

        %r0 = onnx.Mish "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Mish"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(18), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ModOp(OnnxOp):
    """Performs an element-wise binary modulo operation.

    Versions: 10, 13, 28.
    Example:

        %r0 = onnx.Mod "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Mod"
    A = operand_def()
    B = operand_def()
    fmod = opt_prop_def(INT)
    C = result_def()
    traits = traits_def(Since(10), FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MulOp(OnnxOp):
    """Performs element-wise binary multiplication (with Numpy-style broadcasting support).

    Versions: 7, 13, 14.
    Example:

        %r0 = onnx.Mul "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Mul"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MultinomialOp(OnnxOp):
    """Generate a tensor of samples from a multinomial distribution according to the probabilities of
    each of the possible outcomes.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Multinomial "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi32>
    """

    name = "onnx.Multinomial"
    input = operand_def()
    dtype = opt_prop_def(INT)
    sample_size = opt_prop_def(INT)
    seed = opt_prop_def(FLOAT)
    output = result_def()


@irdl_op_definition
class NegOp(OnnxOp):
    """Neg takes one input data (Tensor) and produces one output data (Tensor) where each element
    flipped sign, y = -x, is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Neg "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Neg"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class NegativeLogLikelihoodLossOp(OnnxOp):
    """A NegativeLogLikelihoodLoss operator computes (weighted) negative log likelihood loss.

    Versions: 12, 13, 22.
    Example:

        %r0 = onnx.NegativeLogLikelihoodLoss "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.NegativeLogLikelihoodLoss"
    input = operand_def()
    target = operand_def()
    weight = opt_operand_def()
    ignore_index = opt_prop_def(INT)
    reduction = opt_prop_def(STRING)
    loss = result_def()
    traits = traits_def(Since(12), OneElementType((0, 2), (0,)), Pure())


@irdl_op_definition
class NonMaxSuppressionOp(OnnxOp):
    """Filter out boxes that have high intersection-over-union (IOU) overlap with previously selected
    boxes.

    Versions: 10, 11.
    Example:

        %r0 = onnx.NonMaxSuppression "n" (%0, %1, _, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi64>
    """

    name = "onnx.NonMaxSuppression"
    boxes = operand_def()
    scores = operand_def()
    max_output_boxes_per_class = opt_operand_def()
    iou_threshold = opt_operand_def()
    score_threshold = opt_operand_def()
    center_point_box = opt_prop_def(INT)
    selected_indices = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        Since(10), OneElementType((0, 1, 3, 4), ()), OneElementType((2,), (0,)), Pure()
    )


@irdl_op_definition
class NonZeroOp(OnnxOp):
    """Returns the indices of the elements that are non-zero (in row-major order - by dimension).

    Versions: 9, 13.
    Example:

        %r0 = onnx.NonZero "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
    """

    name = "onnx.NonZero"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(9), Pure())


@irdl_op_definition
class NotOp(OnnxOp):
    """Returns the negation of the input tensor element-wise.

    Versions: 1.
    Example:

        %r0 = onnx.Not "n" (%0) -> ["r0"] : (tensor<4xi1>) -> tensor<4xi1>
    """

    name = "onnx.Not"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class OneHotOp(OnnxOp):
    """Produces a one-hot tensor based on inputs.

    Versions: 9, 11, 28.
    Example:

        %r0 = onnx.OneHot "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.OneHot"
    indices = operand_def()
    depth = operand_def()
    values = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(9), OneElementType((2,), (0,)), Pure())


@irdl_op_definition
class OptionalOp(OnnxOp):
    """Constructs an optional-type value containing either an empty optional of a certain type
    specified by the attribute, or a non-empty value containing the input element.

    Versions: 15, 28.
    Example:

        %r0 = onnx.Optional "n" (%0) -> ["r0"]
            : (tensor<4xf32>) -> !onnx.optional<!onnx.sequence<tensor<4xbf16>>>
    """

    name = "onnx.Optional"
    input = opt_operand_def()
    type = opt_prop_def(PROTO)
    output = result_def()
    traits = traits_def(Since(15), Pure())


@irdl_op_definition
class OptionalGetElementOp(OnnxOp):
    """If the input is a tensor or sequence type, it returns the input.

    Versions: 15, 18, 28.
    Example:

        %r0 = onnx.OptionalGetElement "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.OptionalGetElement"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(15), Pure())


@irdl_op_definition
class OptionalHasElementOp(OnnxOp):
    """Returns true if (1) the input is an optional-type and contains an element, or, (2) the input is
    a tensor or sequence type.

    Versions: 15, 18, 28.
    Example:

        %r0 = onnx.OptionalHasElement "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi1>
    """

    name = "onnx.OptionalHasElement"
    input = opt_operand_def()
    output = result_def()
    traits = traits_def(Since(15), Pure())


@irdl_op_definition
class OrOp(OnnxOp):
    """Returns the tensor resulted from performing the `or` logical operation elementwise on the input
    tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 7.
    Example:

        %r0 = onnx.Or "n" (%0, %1) -> ["r0"] : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    """

    name = "onnx.Or"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class PReluOp(OnnxOp):
    """PRelu takes input data (Tensor) and slope tensor as input, and produces one output data
    (Tensor) where the function `f(x) = slope * x for x < 0`, `f(x) = x for x >= 0`., is applied to
    the ...

    Versions: 7, 9, 16.
    Example:

        %r0 = onnx.PRelu "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.PRelu"
    X = operand_def()
    slope = operand_def()
    Y = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class PadOp(OnnxOp):
    """Given a tensor containing the data to be padded (`data`), a tensor containing the number of
    start and end pad values for axis (`pads`), (optionally) a `mode`, and (optionally) ...

    Versions: 2, 11, 13, 18, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Pad "n" (%0, _, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Pad"
    data = operand_def()
    pads = opt_operand_def()
    constant_value = opt_operand_def()
    axes = opt_operand_def()
    mode = opt_prop_def(STRING)
    pads_attr = opt_prop_def(INTS, prop_name="pads")
    value = opt_prop_def(FLOAT)
    output = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class PowOp(OnnxOp):
    """Pow takes input data (Tensor) and exponent Tensor, and produces one output data (Tensor) where
    the function `f(x) = x^exponent`, is applied to the data tensor elementwise.

    Versions: 7, 12, 13, 15.
    Example:

        %r0 = onnx.Pow "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Pow"
    X = operand_def()
    Y = operand_def()
    Z = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class QLinearConvOp(OnnxOp):
    """The convolution operator consumes a quantized input tensor, its scale and zero point, a
    quantized filter, its scale and zero point, and output's scale and zero point, and computes the
    ...

    Versions: 10.
    Example:

        %r0 = onnx.QLinearConv "n" (%0, %1, %2, %3, %4, %5, %6, %7) -> ["r0"]
            : (tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xi8>, tensor<4x4x4xf32>,
            tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>) -> tensor<4x4x4xi8>
    """

    name = "onnx.QLinearConv"
    x = operand_def()
    x_scale = operand_def()
    x_zero_point = operand_def()
    w = operand_def()
    w_scale = operand_def()
    w_zero_point = operand_def()
    y_scale = operand_def()
    y_zero_point = operand_def()
    B = opt_operand_def()
    auto_pad = opt_prop_def(STRING)
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    y = result_def()
    traits = traits_def(
        Since(10),
        FittingSizes(),
        OneElementType((0, 2), ()),
        OneElementType((1, 4, 6), ()),
        OneElementType((3, 5), ()),
        OneElementType((7,), (0,)),
        Pure(),
    )


@irdl_op_definition
class QLinearMatMulOp(OnnxOp):
    """Matrix product that behaves like numpy.matmul.

    Versions: 10, 21.
    Example:

        %r0 = onnx.QLinearMatMul "n" (%0, %1, %2, %3, %4, %5, %6, %7) -> ["r0"]
            : (tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>, tensor<4xf32>,
            tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
    """

    name = "onnx.QLinearMatMul"
    a = operand_def()
    a_scale = operand_def()
    a_zero_point = operand_def()
    b = operand_def()
    b_scale = operand_def()
    b_zero_point = operand_def()
    y_scale = operand_def()
    y_zero_point = operand_def()
    y = result_def()
    traits = traits_def(
        Since(10),
        FittingSizes(),
        OneElementType((0, 2), ()),
        OneElementType((1, 4, 6), ()),
        OneElementType((3, 5), ()),
        OneElementType((7,), (0,)),
        Pure(),
    )


@irdl_op_definition
class QuantizeLinearOp(OnnxOp):
    """The linear quantization operator consumes a high-precision tensor, a scale, and a zero point to
    compute the low-precision/quantized tensor.

    Versions: 10, 13, 19, 21, 23, 24, 25, 28.
    Example:

        %r0 = onnx.QuantizeLinear "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf8E4M3FN>
    """

    name = "onnx.QuantizeLinear"
    x = operand_def()
    y_scale = operand_def()
    y_zero_point = opt_operand_def()
    axis = opt_prop_def(INT)
    block_size = opt_prop_def(INT)
    output_dtype = opt_prop_def(INT)
    precision = opt_prop_def(INT)
    saturate = opt_prop_def(INT)
    y = result_def()
    traits = traits_def(Since(10), OneElementType((2,), (0,)), Pure())


@irdl_op_definition
class RMSNormalizationOp(OnnxOp):
    """This is RMS normalization defined in ONNX as function as described in the paper
    https://arxiv.org/pdf/1910.07467.

    Versions: 23.
    Example:

        %r0 = onnx.RMSNormalization "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.RMSNormalization"
    X = operand_def()
    scale = operand_def()
    axis = opt_prop_def(INT)
    epsilon = opt_prop_def(FLOAT)
    stash_type = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(Since(23), OneElementType((1,), (0,)), Pure())


@irdl_op_definition
class RNNOp(OnnxOp):
    """Computes an one-layer simple RNN.

    Versions: 7, 14, 22.
    Example:

        %r0 = onnx.RNN "n" (%0, %1, %2, _, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.RNN"
    X = operand_def()
    W = operand_def()
    R = operand_def()
    B = opt_operand_def()
    sequence_lens = opt_operand_def()
    initial_h = opt_operand_def()
    activation_alpha = opt_prop_def(LIST)
    activation_beta = opt_prop_def(LIST)
    activations = opt_prop_def(LIST)
    clip = opt_prop_def(FLOAT)
    direction = opt_prop_def(STRING)
    hidden_size = opt_prop_def(INT)
    layout = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2, 3, 5), (0, 1)), Pure())


@irdl_op_definition
class RandomNormalOp(OnnxOp):
    """Generate a tensor with random values drawn from a normal distribution.

    Versions: 1, 22.
    Example:

        %r0 = onnx.RandomNormal "n" () -> ["r0"] <{shape = array<i64: 1>}> : () -> tensor<4xf32>
    """

    name = "onnx.RandomNormal"
    dtype = opt_prop_def(INT)
    mean = opt_prop_def(FLOAT)
    scale = opt_prop_def(FLOAT)
    seed = opt_prop_def(FLOAT)
    shape = opt_prop_def(INTS)
    output = result_def()


@irdl_op_definition
class RandomNormalLikeOp(OnnxOp):
    """Generate a tensor with random values drawn from a normal distribution.

    Versions: 1, 22.
    Example:

        %r0 = onnx.RandomNormalLike "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.RandomNormalLike"
    input = operand_def()
    dtype = opt_prop_def(INT)
    mean = opt_prop_def(FLOAT)
    scale = opt_prop_def(FLOAT)
    seed = opt_prop_def(FLOAT)
    output = result_def()


@irdl_op_definition
class RandomUniformOp(OnnxOp):
    """Generate a tensor with random values drawn from a uniform distribution.

    Versions: 1, 22.
    Example:

        %r0 = onnx.RandomUniform "n" () -> ["r0"] <{shape = array<i64: 1>}> : () -> tensor<4xf32>
    """

    name = "onnx.RandomUniform"
    dtype = opt_prop_def(INT)
    high = opt_prop_def(FLOAT)
    low = opt_prop_def(FLOAT)
    seed = opt_prop_def(FLOAT)
    shape = opt_prop_def(INTS)
    output = result_def()


@irdl_op_definition
class RandomUniformLikeOp(OnnxOp):
    """Generate a tensor with random values drawn from a uniform distribution.

    Versions: 1, 22.
    Example:

        %r0 = onnx.RandomUniformLike "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.RandomUniformLike"
    input = operand_def()
    dtype = opt_prop_def(INT)
    high = opt_prop_def(FLOAT)
    low = opt_prop_def(FLOAT)
    seed = opt_prop_def(FLOAT)
    output = result_def()


@irdl_op_definition
class RangeOp(OnnxOp):
    """Generate a tensor containing a sequence of numbers that begin at `start` and extends by
    increments of `delta` up to `limit` (exclusive).

    Versions: 11, 27.
    Example:

        %r0 = onnx.Range "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Range"
    start = operand_def()
    limit = operand_def()
    delta = operand_def()
    stash_type = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(11), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class ReciprocalOp(OnnxOp):
    """Reciprocal takes one input data (Tensor) and produces one output data (Tensor) where the
    reciprocal is, y = 1/x, is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Reciprocal "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Reciprocal"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceL1Op(OnnxOp):
    """Computes the L1 norm of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18.
    Example:

        %r0 = onnx.ReduceL1 "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceL1"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceL2Op(OnnxOp):
    """Computes the L2 norm of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18.
    Example:

        %r0 = onnx.ReduceL2 "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceL2"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceLogSumOp(OnnxOp):
    """Computes the log sum of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18, 28.
    Example:

        %r0 = onnx.ReduceLogSum "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceLogSum"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceLogSumExpOp(OnnxOp):
    """Computes the log sum exponent of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18, 28.
    Example:

        %r0 = onnx.ReduceLogSumExp "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceLogSumExp"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceMaxOp(OnnxOp):
    """Computes the max of the input tensor's elements along the provided axes.

    Versions: 1, 11, 12, 13, 18, 20.
    Example:

        %r0 = onnx.ReduceMax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceMax"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceMeanOp(OnnxOp):
    """Computes the mean of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18.
    Example:

        %r0 = onnx.ReduceMean "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceMean"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceMinOp(OnnxOp):
    """Computes the min of the input tensor's elements along the provided axes.

    Versions: 1, 11, 12, 13, 18, 20.
    Example:

        %r0 = onnx.ReduceMin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceMin"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceProdOp(OnnxOp):
    """Computes the product of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18.
    Example:

        %r0 = onnx.ReduceProd "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceProd"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceSumOp(OnnxOp):
    """Computes the sum of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13.
    Example:

        %r0 = onnx.ReduceSum "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceSum"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReduceSumSquareOp(OnnxOp):
    """Computes the sum square of the input tensor's elements along the provided axes.

    Versions: 1, 11, 13, 18.
    Example:

        %r0 = onnx.ReduceSumSquare "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ReduceSumSquare"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    keepdims = opt_prop_def(INT)
    noop_with_empty_axes = opt_prop_def(INT)
    reduced = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class RegexFullMatchOp(OnnxOp):
    """RegexFullMatch performs a full regex match on each element of the input tensor.

    Versions: 20.
    Example:

        %r0 = onnx.RegexFullMatch "n" (%0) -> ["r0"] : (tensor<4x!onnx.string>) -> tensor<4xi1>
    """

    name = "onnx.RegexFullMatch"
    X = operand_def()
    pattern = opt_prop_def(STRING)
    Y = result_def()
    traits = traits_def(Since(20), Pure())


@irdl_op_definition
class ReluOp(OnnxOp):
    """Relu takes one input data (Tensor) and produces one output data (Tensor) where the rectified
    linear function, y = max(0, x), is applied to the tensor elementwise.

    Versions: 6, 13, 14.
    Example:

        %r0 = onnx.Relu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Relu"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReshapeOp(OnnxOp):
    """Reshape the input tensor similar to numpy.reshape.

    Versions: 5, 13, 14, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Reshape "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.Reshape"
    data = operand_def()
    shape = operand_def()
    allowzero = opt_prop_def(INT)
    reshaped = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ResizeOp(OnnxOp):
    """Resize the input tensor.

    Versions: 10, 11, 13, 18, 19.
    Example:

        %r0 = onnx.Resize "n" (%0, _, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Resize"
    X = operand_def()
    roi = opt_operand_def()
    scales = opt_operand_def()
    sizes = opt_operand_def()
    antialias = opt_prop_def(INT)
    axes = opt_prop_def(INTS)
    coordinate_transformation_mode = opt_prop_def(STRING)
    cubic_coeff_a = opt_prop_def(FLOAT)
    exclude_outside = opt_prop_def(INT)
    extrapolation_value = opt_prop_def(FLOAT)
    keep_aspect_ratio_policy = opt_prop_def(STRING)
    mode = opt_prop_def(STRING)
    nearest_mode = opt_prop_def(STRING)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(Since(10), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class ReverseSequenceOp(OnnxOp):
    """Reverse batch of sequences having different lengths specified by `sequence_lens`.

    Versions: 10, 28.
    Example:

        %r0 = onnx.ReverseSequence "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.ReverseSequence"
    input = operand_def()
    sequence_lens = operand_def()
    batch_axis = opt_prop_def(INT)
    time_axis = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(Since(10), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class RoiAlignOp(OnnxOp):
    """Region of Interest (RoI) align operation described in the Mask R-CNN paper.

    Versions: 10, 16, 22.
    Example:

        %r0 = onnx.RoiAlign "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.RoiAlign"
    X = operand_def()
    rois = operand_def()
    batch_indices = operand_def()
    coordinate_transformation_mode = opt_prop_def(STRING)
    mode = opt_prop_def(STRING)
    output_height = opt_prop_def(INT)
    output_width = opt_prop_def(INT)
    sampling_ratio = opt_prop_def(INT)
    spatial_scale = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(Since(10), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class RotaryEmbeddingOp(OnnxOp):
    """RotaryEmbedding is the implementation of rotary positional embeddings (RoPE) based on the paper
    https://arxiv.org/pdf/2104.09864.

    Versions: 23.
    Example:

        %r0 = onnx.RotaryEmbedding "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.RotaryEmbedding"
    X = operand_def()
    cos_cache = operand_def()
    sin_cache = operand_def()
    position_ids = opt_operand_def()
    interleaved = opt_prop_def(INT)
    num_heads = opt_prop_def(INT)
    rotary_embedding_dim = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(Since(23), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class RoundOp(OnnxOp):
    """Round takes one input Tensor and rounds the values, element-wise, meaning it finds the nearest
    integer for each value.

    Versions: 11, 22.
    Example:

        %r0 = onnx.Round "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Round"
    X = operand_def()
    Y = result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class STFTOp(OnnxOp):
    """Computes the Short-time Fourier Transform of the signal.

    Versions: 17.
    Example:

        %r0 = onnx.STFT "n" (%0, %1, _, _) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.STFT"
    signal = operand_def()
    frame_step = operand_def()
    window = opt_operand_def()
    frame_length = opt_operand_def()
    onesided = opt_prop_def(INT)
    output = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(Since(17), OneElementType((0, 2), (0,)), OneElementType((1, 3), ()), Pure())


@irdl_op_definition
class ScanOp(BodyOp):
    """Scan can be used to iterate over one or more scan_input tensors, constructing zero or more
    scan_output tensors.

    Versions: 8, 9, 11, 16, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Scan "n" (%0) -> ["r0"] <{num_scan_inputs = 1 : i64}> ({
          onnx.graph "body" () -> [] {
            onnx.return
          }
        })
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Scan"
    initial_state_and_scan_inputs = var_operand_def()
    directions = opt_prop_def(INTS)
    num_scan_inputs = opt_prop_def(INT)
    scan_input_axes = opt_prop_def(INTS)
    scan_input_directions = opt_prop_def(INTS)
    scan_output_axes = opt_prop_def(INTS)
    scan_output_directions = opt_prop_def(INTS)
    outputs = var_result_def()
    body = region_def("single_block")
    traits = traits_def(Since(8))


@irdl_op_definition
class ScatterOp(OnnxOp):
    """Given `data`, `updates` and `indices` input tensors of rank r >= 1, write the values provided
    by `updates` into the first input, `data`, along `axis` dimension of `data` (by default ...

    Versions: 9, 11. Deprecated in the last one.
    Example:

        %r0 = onnx.Scatter "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Scatter"
    data = operand_def()
    indices = operand_def()
    updates = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0, 2), (0,)), Pure())


@irdl_op_definition
class ScatterElementsOp(OnnxOp):
    """ScatterElements takes three inputs `data`, `updates`, and `indices` of the same rank r >= 1 and
    an optional attribute axis that identifies an axis of `data` (by default, the outer-most ...

    Versions: 11, 13, 16, 18.
    Example:

        %r0 = onnx.ScatterElements "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ScatterElements"
    data = operand_def()
    indices = operand_def()
    updates = operand_def()
    axis = opt_prop_def(INT)
    reduction = opt_prop_def(STRING)
    output = result_def()
    traits = traits_def(Since(11), FittingSizes(), OneElementType((0, 2), (0,)), Pure())


@irdl_op_definition
class ScatterNDOp(OnnxOp):
    """ScatterND takes three inputs `data` tensor of rank r >= 1, `indices` tensor of rank q >= 1, and
    `updates` tensor of rank q + r - indices.shape[-1] - 1.

    Versions: 11, 13, 16, 18.
    Example:

        %r0 = onnx.ScatterND "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ScatterND"
    data = operand_def()
    indices = operand_def()
    updates = operand_def()
    reduction = opt_prop_def(STRING)
    output = result_def()
    traits = traits_def(Since(11), OneElementType((0, 2), (0,)), Pure())


@irdl_op_definition
class SeluOp(OnnxOp):
    """Selu takes one input data (Tensor) and produces one output data (Tensor) where the scaled
    exponential linear unit function, `y = gamma * (alpha * e^x - alpha) for x <= 0`, `y = gamma *
    x ...

    Versions: 6, 22.
    Example:

        %r0 = onnx.Selu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Selu"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    gamma = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SequenceAtOp(OnnxOp):
    """Outputs a tensor copy from the tensor at 'position' in 'input_sequence'.

    Versions: 11.
    Example:

        %r0 = onnx.SequenceAt "n" (%0, %1) -> ["r0"]
            : (!onnx.sequence<tensor<4xi1>>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.SequenceAt"
    input_sequence = operand_def()
    position = operand_def()
    tensor = result_def()
    traits = traits_def(Since(11), Pure())


@irdl_op_definition
class SequenceConstructOp(OnnxOp):
    """Construct a tensor sequence containing 'inputs' tensors.

    Versions: 11.
    Example:

        %r0 = onnx.SequenceConstruct "n" (%0) -> ["r0"]
            : (tensor<4xf32>) -> !onnx.sequence<tensor<4xi1>>
    """

    name = "onnx.SequenceConstruct"
    inputs_in = var_operand_def()
    output_sequence = result_def()
    traits = traits_def(Since(11), OneElementType(results=()), Pure())


@irdl_op_definition
class SequenceEmptyOp(OnnxOp):
    """Construct an empty tensor sequence, with given data type.

    Versions: 11.
    Example:

        %r0 = onnx.SequenceEmpty "n" () -> ["r0"] : () -> !onnx.sequence<tensor<4xi1>>
    """

    name = "onnx.SequenceEmpty"
    dtype = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(11), Pure())


@irdl_op_definition
class SequenceEraseOp(OnnxOp):
    """Outputs a tensor sequence that removes the tensor at 'position' from 'input_sequence'.

    Versions: 11.
    Example:

        %r0 = onnx.SequenceErase "n" (%0) -> ["r0"]
            : (!onnx.sequence<tensor<4xi1>>) -> !onnx.sequence<tensor<4xi1>>
    """

    name = "onnx.SequenceErase"
    input_sequence = operand_def()
    position = opt_operand_def()
    output_sequence = result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SequenceInsertOp(OnnxOp):
    """Outputs a tensor sequence that inserts 'tensor' into 'input_sequence' at 'position'.

    Versions: 11.
    Example:

        %r0 = onnx.SequenceInsert "n" (%0, %1) -> ["r0"]
            : (!onnx.sequence<tensor<4xi1>>, tensor<4xf32>) -> !onnx.sequence<tensor<4xi1>>
    """

    name = "onnx.SequenceInsert"
    input_sequence = operand_def()
    tensor = operand_def()
    position = opt_operand_def()
    output_sequence = result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SequenceLengthOp(OnnxOp):
    """Produces a scalar(tensor of empty shape) containing the number of tensors in 'input_sequence'.

    Versions: 11.
    Example:

        %r0 = onnx.SequenceLength "n" (%0) -> ["r0"] : (!onnx.sequence<tensor<4xi1>>) -> tensor<4xi64>
    """

    name = "onnx.SequenceLength"
    input_sequence = operand_def()
    length = result_def()
    traits = traits_def(Since(11), Pure())


@irdl_op_definition
class SequenceMapOp(BodyOp):
    """Applies a sub-graph to each sample in the input sequence(s).

    Versions: 17.
    Example:

        %r0 = onnx.SequenceMap "n" (%0, %1) -> ["r0"] ({
          onnx.graph "body" () -> [] {
            onnx.return
          }
        })
            : (!onnx.sequence<tensor<4xi1>>, tensor<4xf32>) -> !onnx.sequence<tensor<4xi1>>
    """

    name = "onnx.SequenceMap"
    input_sequence = operand_def()
    additional_inputs = var_operand_def()
    outputs = var_result_def()
    body = region_def("single_block")
    traits = traits_def(Since(17))


@irdl_op_definition
class ShapeOp(OnnxOp):
    """Takes a tensor as input and outputs an 1D int64 tensor containing the shape of the input
    tensor.

    Versions: 1, 13, 15, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Shape "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
    """

    name = "onnx.Shape"
    data = operand_def()
    end = opt_prop_def(INT)
    start = opt_prop_def(INT)
    shape = result_def()
    traits = PURE


@irdl_op_definition
class ShrinkOp(OnnxOp):
    """Shrink takes one input data (Tensor) and produces one Tensor output, having same datatype and
    shape with input.

    Versions: 9.
    Example:

        %r0 = onnx.Shrink "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Shrink"
    input = operand_def()
    bias = opt_prop_def(FLOAT)
    lambd = opt_prop_def(FLOAT)
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SigmoidOp(OnnxOp):
    """Sigmoid takes one input data (Tensor) and produces one output data (Tensor) where the sigmoid
    function, y = 1 / (1 + exp(-x)), is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Sigmoid "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sigmoid"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SignOp(OnnxOp):
    """Calculate the sign of the given input tensor element-wise.

    Versions: 9, 13.
    Example:

        %r0 = onnx.Sign "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sign"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SinOp(OnnxOp):
    """Calculates the sine of the given input tensor, element-wise.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Sin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sin"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SinhOp(OnnxOp):
    """Calculates the hyperbolic sine of the given input tensor element-wise.

    Versions: 9, 22.
    Example:

        %r0 = onnx.Sinh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sinh"
    input = operand_def()
    output = result_def()
    traits = traits_def(Since(9), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SizeOp(OnnxOp):
    """Takes a tensor as input and outputs a int64 scalar that equals to the total number of elements
    of the input tensor.

    Versions: 1, 13, 19, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Size "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
    """

    name = "onnx.Size"
    data = operand_def()
    size = result_def()
    traits = PURE


@irdl_op_definition
class SliceOp(OnnxOp):
    """Produces a slice of the input tensor along multiple axes.

    Versions: 1, 10, 11, 13.
    Example:

        %r0 = onnx.Slice "n" (%0, _, _, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Slice"
    data = operand_def()
    starts = opt_operand_def()
    ends = opt_operand_def()
    axes = opt_operand_def()
    steps = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    ends_attr = opt_prop_def(INTS, prop_name="ends")
    starts_attr = opt_prop_def(INTS, prop_name="starts")
    output = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0,), (0,)), OneElementType((1, 2, 3, 4), ()), Pure())


@irdl_op_definition
class SoftmaxOp(OnnxOp):
    """The operator computes the normalized exponential values for the given input.

    Versions: 1, 11, 13.
    Example:

        %r0 = onnx.Softmax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Softmax"
    input = operand_def()
    axis = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SoftmaxCrossEntropyLossOp(OnnxOp):
    """Loss function that measures the softmax cross entropy between 'scores' and 'labels'.

    Versions: 12, 13.
    Example:

        %r0 = onnx.SoftmaxCrossEntropyLoss "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.SoftmaxCrossEntropyLoss"
    scores = operand_def()
    labels = operand_def()
    weights = opt_operand_def()
    ignore_index = opt_prop_def(INT)
    reduction = opt_prop_def(STRING)
    outputs = var_result_def()
    traits = traits_def(Since(12), OneElementType((0, 2), (0, 1)), Pure())


@irdl_op_definition
class SoftplusOp(OnnxOp):
    """Softplus takes one input data (Tensor) and produces one output data (Tensor) where the softplus
    function, y = ln(exp(x) + 1), is applied to the tensor elementwise.

    Versions: 1, 22.
    Example:

        %r0 = onnx.Softplus "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Softplus"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SoftsignOp(OnnxOp):
    """Calculates the softsign (x/(1+|x|)) of the given input tensor element-wise.

    Versions: 1, 22.
    Example:

        %r0 = onnx.Softsign "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Softsign"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SpaceToDepthOp(OnnxOp):
    """SpaceToDepth rearranges blocks of spatial data into depth.

    Versions: 1, 13, 28.
    Example:

        %r0 = onnx.SpaceToDepth "n" (%0) -> ["r0"] <{blocksize = 1 : i64}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.SpaceToDepth"
    input = operand_def()
    blocksize = opt_prop_def(INT)
    mode = opt_prop_def(STRING)
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SplitOp(OnnxOp):
    """Split a tensor into a list of tensors, along the specified 'axis'.

    Versions: 2, 11, 13, 18.
    Example:

        %r0 = onnx.Split "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Split"
    input = operand_def()
    split = opt_operand_def()
    axis = opt_prop_def(INT)
    num_outputs = opt_prop_def(INT)
    split_attr = opt_prop_def(INTS, prop_name="split")
    outputs = var_result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SplitToSequenceOp(OnnxOp):
    """Split a tensor into a sequence of tensors, along the specified 'axis'.

    Versions: 11, 24.
    Example:

        %r0 = onnx.SplitToSequence "n" (%0) -> ["r0"]
            : (tensor<4xf32>) -> !onnx.sequence<tensor<4xbf16>>
    """

    name = "onnx.SplitToSequence"
    input = operand_def()
    split = opt_operand_def()
    axis = opt_prop_def(INT)
    keepdims = opt_prop_def(INT)
    output_sequence = result_def()
    traits = traits_def(Since(11), Pure())


@irdl_op_definition
class SqrtOp(OnnxOp):
    """Square root takes one input data (Tensor) and produces one output data (Tensor) where the
    square root is, y = x^0.5, is applied to the tensor elementwise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Sqrt "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sqrt"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class SqueezeOp(OnnxOp):
    """Remove single-dimensional entries from the shape of a tensor.

    Versions: 1, 11, 13, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Squeeze "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Squeeze"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    squeezed = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class StringConcatOp(OnnxOp):
    """StringConcat concatenates string tensors elementwise (with NumPy-style broadcasting support).

    Versions: 20.
    Example:

        %r0 = onnx.StringConcat "n" (%0, %1) -> ["r0"]
            : (tensor<4x!onnx.string>, tensor<4x!onnx.string>) -> tensor<4x!onnx.string>
    """

    name = "onnx.StringConcat"
    X = operand_def()
    Y = operand_def()
    Z = result_def()
    traits = traits_def(Since(20), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class StringNormalizerOp(OnnxOp):
    """StringNormalization performs string operations for basic cleaning.

    Versions: 10.
    Example:

        %r0 = onnx.StringNormalizer "n" (%0) -> ["r0"]
            : (tensor<4x!onnx.string>) -> tensor<4x!onnx.string>
    """

    name = "onnx.StringNormalizer"
    X = operand_def()
    case_change_action = opt_prop_def(STRING)
    is_case_sensitive = opt_prop_def(INT)
    locale = opt_prop_def(STRING)
    stopwords = opt_prop_def(LIST)
    Y = result_def()
    traits = traits_def(Since(10), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class StringSplitOp(OnnxOp):
    """StringSplit splits a string tensor's elements into substrings based on a delimiter attribute
    and a maxsplit attribute.

    Versions: 20.
    Example:

        %r0, %r1 = onnx.StringSplit "n" (%0) -> ["r0", "r1"]
            : (tensor<4x!onnx.string>) -> (tensor<4x!onnx.string>, tensor<4xi64>)
    """

    name = "onnx.StringSplit"
    X = operand_def()
    delimiter = opt_prop_def(STRING)
    maxsplit = opt_prop_def(INT)
    outputs = var_result_def()
    traits = traits_def(Since(20), Pure())


@irdl_op_definition
class SubOp(OnnxOp):
    """Performs element-wise binary subtraction (with Numpy-style broadcasting support).

    Versions: 7, 13, 14.
    Example:

        %r0 = onnx.Sub "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sub"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class SumOp(OnnxOp):
    """Element-wise sum of each of the input tensors (with Numpy-style broadcasting support).

    Versions: 6, 8, 13.
    Example:

        %r0 = onnx.Sum "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Sum"
    data_0 = var_operand_def()
    sum = result_def()
    traits = traits_def(FittingSizes(), OneElementType(results=(0,)), Pure())


@irdl_op_definition
class SwiGLUOp(OnnxOp):
    """SwiGLU is a gated activation that takes two inputs, a gate `A` and a linear (value) input `B`,
    and produces one output `Y`.

    Versions: 28.
    Example:

        %r0 = onnx.SwiGLU "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.SwiGLU"
    A = operand_def()
    B = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(Since(28), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class SwishOp(OnnxOp):
    """Swish function takes one input data (Tensor) and produces one output data (Tensor) of the same
    shape, where $Swish(x) = x * sigmoid(alpha * x)$.

    Versions: 24.
    Example:

        %r0 = onnx.Swish "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Swish"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(Since(24), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TanOp(OnnxOp):
    """Calculates the tangent of the given input tensor, element-wise.

    Versions: 7, 22.
    Example:

        %r0 = onnx.Tan "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Tan"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TanhOp(OnnxOp):
    """Calculates the hyperbolic tangent of the given input tensor element-wise.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Tanh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Tanh"
    input = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TensorScatterOp(OnnxOp):
    """TensorScatter is a generic tensor update operation, motivated by the requirements for KV cache
    updates for Attention ops commonly found in LLMs.

    Versions: 24.
    Example:

        %r0 = onnx.TensorScatter "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.TensorScatter"
    past_cache = operand_def()
    update = operand_def()
    write_indices = opt_operand_def()
    axis = opt_prop_def(INT)
    mode = opt_prop_def(STRING)
    present_cache = result_def()
    traits = traits_def(Since(24), OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class TfIdfVectorizerOp(OnnxOp):
    """This transform extracts n-grams from the input sequence and save them as a vector.

    Versions: 9.
    Example:

        %r0 = onnx.TfIdfVectorizer "n" (%0) -> ["r0"]
            <{max_gram_length = 1 : i64, max_skip_count = 1 : i64, min_gram_length = 1 : i64, mode = "a",
            ngram_counts = array<i64: 1>, ngram_indexes = array<i64: 1>}>
            : (tensor<4xi32>) -> tensor<4xf32>
    """

    name = "onnx.TfIdfVectorizer"
    X = operand_def()
    max_gram_length = opt_prop_def(INT)
    max_skip_count = opt_prop_def(INT)
    min_gram_length = opt_prop_def(INT)
    mode = opt_prop_def(STRING)
    ngram_counts = opt_prop_def(INTS)
    ngram_indexes = opt_prop_def(INTS)
    pool_int64s = opt_prop_def(INTS)
    pool_strings = opt_prop_def(LIST)
    weights = opt_prop_def(LIST)
    Y = result_def()
    traits = traits_def(Since(9), Pure())


@irdl_op_definition
class ThresholdedReluOp(OnnxOp):
    """ThresholdedRelu takes one input data (Tensor) and produces one output data (Tensor) where the
    rectified linear function, y = x for x > alpha, y = 0 otherwise, is applied to the tensor ...

    Versions: 10, 22.
    Example:

        %r0 = onnx.ThresholdedRelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ThresholdedRelu"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(Since(10), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TileOp(OnnxOp):
    """Constructs a tensor by tiling a given tensor.

    Versions: 6, 13.
    Example:

        %r0 = onnx.Tile "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.Tile"
    input = operand_def()
    repeats = operand_def()
    output = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TopKOp(OnnxOp):
    """Retrieve the top-K largest or smallest elements along a specified axis.

    Versions: 1, 10, 11, 24.
    Example:

        %r0, %r1 = onnx.TopK "n" (%0) -> ["r0", "r1"]
            : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
    """

    name = "onnx.TopK"
    X = operand_def()
    K = opt_operand_def()
    axis = opt_prop_def(INT)
    k = opt_prop_def(INT)
    largest = opt_prop_def(INT)
    sorted = opt_prop_def(INT)
    outputs = var_result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TransposeOp(OnnxOp):
    """Returns a transpose of the input tensor.

    Versions: 1, 13, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Transpose "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Transpose"
    data = operand_def()
    perm = opt_prop_def(INTS)
    transposed = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class TriluOp(OnnxOp):
    """Given a 2-D matrix or batches of 2-D matrices, returns the upper or lower triangular part of
    the tensor(s).

    Versions: 14.
    Example:

        %r0 = onnx.Trilu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Trilu"
    input = operand_def()
    k = opt_operand_def()
    upper = opt_prop_def(INT)
    output = result_def()
    traits = traits_def(Since(14), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class UniqueOp(OnnxOp):
    """Find the unique elements of a tensor.

    Versions: 11, 28.
    Example:

        %r0 = onnx.Unique "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Unique"
    X = operand_def()
    axis = opt_prop_def(INT)
    sorted = opt_prop_def(INT)
    outputs = var_result_def()
    traits = traits_def(Since(11), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class UnsqueezeOp(OnnxOp):
    """Insert single-dimensional entries to the shape of an input tensor (`data`).

    Versions: 1, 11, 13, 21, 23, 24, 25.
    Example:

        %r0 = onnx.Unsqueeze "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Unsqueeze"
    data = operand_def()
    axes = opt_operand_def()
    axes_attr = opt_prop_def(INTS, prop_name="axes")
    expanded = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class UpsampleOp(OnnxOp):
    """Upsample the input tensor.

    Versions: 7, 9, 10. Deprecated in the last one.
    Example:

        %r0 = onnx.Upsample "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Upsample"
    X = operand_def()
    scales = opt_operand_def()
    mode = opt_prop_def(STRING)
    scales_attr = opt_prop_def(LIST, prop_name="scales")
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class WhereOp(OnnxOp):
    """Return elements, either from X or Y, depending on condition.

    Versions: 9, 16.
    Example:

        %r0 = onnx.Where "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.Where"
    condition = operand_def()
    X = operand_def()
    Y = operand_def()
    output = result_def()
    traits = traits_def(Since(9), FittingSizes(), OneElementType((1, 2), (0,)), Pure())


@irdl_op_definition
class XorOp(OnnxOp):
    """Returns the tensor resulted from performing the `xor` logical operation elementwise on the
    input tensors `A` and `B` (with Numpy-style broadcasting support).

    Versions: 7.
    Example:

        %r0 = onnx.Xor "n" (%0, %1) -> ["r0"] : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    """

    name = "onnx.Xor"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1), ()), Pure())


@irdl_op_definition
class MlArrayFeatureExtractorOp(OnnxOp):
    """Select elements of the input tensor based on the indices passed.

    Versions: 1.
    Example:

        %r0 = onnx.ml.ArrayFeatureExtractor "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
    """

    name = "onnx.ml.ArrayFeatureExtractor"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    Y = operand_def()
    Z = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MlBinarizerOp(OnnxOp):
    """Maps the values of the input tensor to either 0 or 1, element-wise, based on the outcome of a
    comparison against a threshold value.

    Versions: 1.
    Example:

        %r0 = onnx.ml.Binarizer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.Binarizer"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    threshold = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MlCastMapOp(OnnxOp):
    """Converts a map to a tensor.The map key must be an int64 and the values will be ordered in
    ascending order based on this key.The operator supports dense packing or sparse packing.

    Versions: 1.
    Example:

        %r0 = onnx.ml.CastMap "n" (%0) -> ["r0"] : (!onnx.map<i64, tensor<4xf32>>) -> tensor<4xf32>
    """

    name = "onnx.ml.CastMap"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    cast_to = opt_prop_def(STRING)
    map_form = opt_prop_def(STRING)
    max_map = opt_prop_def(INT)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlCategoryMapperOp(OnnxOp):
    """Converts strings to integers and vice versa.

    Versions: 1.
    Example:

        %r0 = onnx.ml.CategoryMapper "n" (%0) -> ["r0"] : (tensor<4xi64>) -> tensor<4xi64>
    """

    name = "onnx.ml.CategoryMapper"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    cats_int64s = opt_prop_def(INTS)
    cats_strings = opt_prop_def(LIST)
    default_int64 = opt_prop_def(INT)
    default_string = opt_prop_def(STRING)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlDictVectorizerOp(OnnxOp):
    """Uses an index mapping to convert a dictionary to an array.

    Versions: 1.
    Example:

        %r0 = onnx.ml.DictVectorizer "n" (%0) -> ["r0"]
            : (!onnx.map<i64, tensor<4xf64>>) -> tensor<4xf32>
    """

    name = "onnx.ml.DictVectorizer"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    int64_vocabulary = opt_prop_def(INTS)
    string_vocabulary = opt_prop_def(LIST)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlFeatureVectorizerOp(OnnxOp):
    """Concatenates input tensors into one continuous output.

    Versions: 1.
    Example:

        %r0 = onnx.ml.FeatureVectorizer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.FeatureVectorizer"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = var_operand_def()
    inputdimensions = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(OneElementType(results=()), Pure())


@irdl_op_definition
class MlImputerOp(OnnxOp):
    """Replaces inputs that equal one value with another, leaving all other elements alone.

    Versions: 1.
    Example:

        %r0 = onnx.ml.Imputer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.Imputer"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    imputed_value_floats = opt_prop_def(LIST)
    imputed_value_int64s = opt_prop_def(INTS)
    replaced_value_float = opt_prop_def(FLOAT)
    replaced_value_int64 = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MlLabelEncoderOp(OnnxOp):
    """Maps each element in the input tensor to another value.

    Versions: 1, 2, 4.
    Example:

        %r0 = onnx.ml.LabelEncoder "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.LabelEncoder"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    classes_strings = opt_prop_def(LIST)
    default_float = opt_prop_def(FLOAT)
    default_int64 = opt_prop_def(INT)
    default_string = opt_prop_def(STRING)
    default_tensor = opt_prop_def(TENSOR)
    keys_floats = opt_prop_def(LIST)
    keys_int64s = opt_prop_def(INTS)
    keys_strings = opt_prop_def(LIST)
    keys_tensor = opt_prop_def(TENSOR)
    values_floats = opt_prop_def(LIST)
    values_int64s = opt_prop_def(INTS)
    values_strings = opt_prop_def(LIST)
    values_tensor = opt_prop_def(TENSOR)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlLinearClassifierOp(OnnxOp):
    """Linear classifier.

    Versions: 1.
    Example:

        %r0, %r1 = onnx.ml.LinearClassifier "n" (%0) -> ["r0", "r1"] <{coefficients = [1.0 : f32]}>
            : (tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>)
    """

    name = "onnx.ml.LinearClassifier"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    classlabels_ints = opt_prop_def(INTS)
    classlabels_strings = opt_prop_def(LIST)
    coefficients = opt_prop_def(LIST)
    intercepts = opt_prop_def(LIST)
    multi_class = opt_prop_def(INT)
    post_transform = opt_prop_def(STRING)
    outputs = var_result_def()
    traits = PURE


@irdl_op_definition
class MlLinearRegressorOp(OnnxOp):
    """Generalized linear regression evaluation.

    Versions: 1.
    Example:

        %r0 = onnx.ml.LinearRegressor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.LinearRegressor"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    coefficients = opt_prop_def(LIST)
    intercepts = opt_prop_def(LIST)
    post_transform = opt_prop_def(STRING)
    targets = opt_prop_def(INT)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlNormalizerOp(OnnxOp):
    """Normalize the input.

    Versions: 1.
    Example:

        %r0 = onnx.ml.Normalizer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.Normalizer"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    norm = opt_prop_def(STRING)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlOneHotEncoderOp(OnnxOp):
    """Replace each input element with an array of ones and zeros, where a single one is placed at the
    index of the category that was passed in.

    Versions: 1.
    Example:

        %r0 = onnx.ml.OneHotEncoder "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.OneHotEncoder"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    cats_int64s = opt_prop_def(INTS)
    cats_strings = opt_prop_def(LIST)
    zeros = opt_prop_def(INT)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlSVMClassifierOp(OnnxOp):
    """Support Vector Machine classifier.

    Versions: 1.
    Example:

        %r0, %r1 = onnx.ml.SVMClassifier "n" (%0) -> ["r0", "r1"]
            : (tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>)
    """

    name = "onnx.ml.SVMClassifier"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    classlabels_ints = opt_prop_def(INTS)
    classlabels_strings = opt_prop_def(LIST)
    coefficients = opt_prop_def(LIST)
    kernel_params = opt_prop_def(LIST)
    kernel_type = opt_prop_def(STRING)
    post_transform = opt_prop_def(STRING)
    prob_a = opt_prop_def(LIST)
    prob_b = opt_prop_def(LIST)
    rho = opt_prop_def(LIST)
    support_vectors = opt_prop_def(LIST)
    vectors_per_class = opt_prop_def(INTS)
    outputs = var_result_def()
    traits = PURE


@irdl_op_definition
class MlSVMRegressorOp(OnnxOp):
    """Support Vector Machine regression prediction and one-class SVM anomaly detection.

    Versions: 1.
    Example:

        %r0 = onnx.ml.SVMRegressor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.SVMRegressor"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    coefficients = opt_prop_def(LIST)
    kernel_params = opt_prop_def(LIST)
    kernel_type = opt_prop_def(STRING)
    n_supports = opt_prop_def(INT)
    one_class = opt_prop_def(INT)
    post_transform = opt_prop_def(STRING)
    rho = opt_prop_def(LIST)
    support_vectors = opt_prop_def(LIST)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlScalerOp(OnnxOp):
    """Rescale input data, for example to standardize features by removing the mean and scaling to
    unit variance.

    Versions: 1.
    Example:

        %r0 = onnx.ml.Scaler "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.Scaler"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    offset = opt_prop_def(LIST)
    scale = opt_prop_def(LIST)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlTreeEnsembleOp(OnnxOp):
    """Tree Ensemble operator.

    Versions: 5.
    Example:

        %r0 = onnx.ml.TreeEnsemble "n" (%0) -> ["r0"]
            <{leaf_targetids = array<i64: 1>, leaf_weights = dense<1> : tensor<1xi64>, nodes_falseleafs =
            array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>,
            nodes_modes = dense<1> : tensor<1xi64>, nodes_splits = dense<1> : tensor<1xi64>,
            nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 1>, tree_roots = array<i64:
            1>}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.TreeEnsemble"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    aggregate_function = opt_prop_def(INT)
    leaf_targetids = opt_prop_def(INTS)
    leaf_weights = opt_prop_def(TENSOR)
    membership_values = opt_prop_def(TENSOR)
    n_targets = opt_prop_def(INT)
    nodes_falseleafs = opt_prop_def(INTS)
    nodes_falsenodeids = opt_prop_def(INTS)
    nodes_featureids = opt_prop_def(INTS)
    nodes_hitrates = opt_prop_def(TENSOR)
    nodes_missing_value_tracks_true = opt_prop_def(INTS)
    nodes_modes = opt_prop_def(TENSOR)
    nodes_splits = opt_prop_def(TENSOR)
    nodes_trueleafs = opt_prop_def(INTS)
    nodes_truenodeids = opt_prop_def(INTS)
    post_transform = opt_prop_def(INT)
    tree_roots = opt_prop_def(INTS)
    Y = result_def()
    traits = traits_def(Since(5), OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MlTreeEnsembleClassifierOp(OnnxOp):
    """Tree Ensemble classifier.

    Versions: 1, 3, 5. Deprecated in the last one.
    Example:

        %r0, %r1 = onnx.ml.TreeEnsembleClassifier "n" (%0) -> ["r0", "r1"]
            : (tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>)
    """

    name = "onnx.ml.TreeEnsembleClassifier"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    base_values = opt_prop_def(LIST)
    base_values_as_tensor = opt_prop_def(TENSOR)
    class_ids = opt_prop_def(INTS)
    class_nodeids = opt_prop_def(INTS)
    class_treeids = opt_prop_def(INTS)
    class_weights = opt_prop_def(LIST)
    class_weights_as_tensor = opt_prop_def(TENSOR)
    classlabels_int64s = opt_prop_def(INTS)
    classlabels_strings = opt_prop_def(LIST)
    nodes_falsenodeids = opt_prop_def(INTS)
    nodes_featureids = opt_prop_def(INTS)
    nodes_hitrates = opt_prop_def(LIST)
    nodes_hitrates_as_tensor = opt_prop_def(TENSOR)
    nodes_missing_value_tracks_true = opt_prop_def(INTS)
    nodes_modes = opt_prop_def(LIST)
    nodes_nodeids = opt_prop_def(INTS)
    nodes_treeids = opt_prop_def(INTS)
    nodes_truenodeids = opt_prop_def(INTS)
    nodes_values = opt_prop_def(LIST)
    nodes_values_as_tensor = opt_prop_def(TENSOR)
    post_transform = opt_prop_def(STRING)
    outputs = var_result_def()
    traits = PURE


@irdl_op_definition
class MlTreeEnsembleRegressorOp(OnnxOp):
    """Tree Ensemble regressor.

    Versions: 1, 3, 5. Deprecated in the last one.
    Example:

        %r0 = onnx.ml.TreeEnsembleRegressor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ml.TreeEnsembleRegressor"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    aggregate_function = opt_prop_def(STRING)
    base_values = opt_prop_def(LIST)
    base_values_as_tensor = opt_prop_def(TENSOR)
    n_targets = opt_prop_def(INT)
    nodes_falsenodeids = opt_prop_def(INTS)
    nodes_featureids = opt_prop_def(INTS)
    nodes_hitrates = opt_prop_def(LIST)
    nodes_hitrates_as_tensor = opt_prop_def(TENSOR)
    nodes_missing_value_tracks_true = opt_prop_def(INTS)
    nodes_modes = opt_prop_def(LIST)
    nodes_nodeids = opt_prop_def(INTS)
    nodes_treeids = opt_prop_def(INTS)
    nodes_truenodeids = opt_prop_def(INTS)
    nodes_values = opt_prop_def(LIST)
    nodes_values_as_tensor = opt_prop_def(TENSOR)
    post_transform = opt_prop_def(STRING)
    target_ids = opt_prop_def(INTS)
    target_nodeids = opt_prop_def(INTS)
    target_treeids = opt_prop_def(INTS)
    target_weights = opt_prop_def(LIST)
    target_weights_as_tensor = opt_prop_def(TENSOR)
    Y = result_def()
    traits = PURE


@irdl_op_definition
class MlZipMapOp(OnnxOp):
    """Creates a map from the input and the attributes.

    Versions: 1.
    Example:

        %r0 = onnx.ml.ZipMap "n" (%0) -> ["r0"]
            : (tensor<4xf32>) -> !onnx.sequence<!onnx.map<i64, tensor<4xf32>>>
    """

    name = "onnx.ml.ZipMap"
    DOMAIN: ClassVar[str] = "ai.onnx.ml"
    X = operand_def()
    classlabels_int64s = opt_prop_def(INTS)
    classlabels_strings = opt_prop_def(LIST)
    Z = result_def()
    traits = PURE


_OPS: list[type[OnnxOp]] = [
    AbsOp,
    AcosOp,
    AcoshOp,
    AddOp,
    AffineGridOp,
    AndOp,
    ArgMaxOp,
    ArgMinOp,
    AsinOp,
    AsinhOp,
    AtanOp,
    AtanhOp,
    AttentionOp,
    AveragePoolOp,
    BatchNormalizationOp,
    BernoulliOp,
    BitCastOp,
    BitShiftOp,
    BitwiseAndOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseXorOp,
    BlackmanWindowOp,
    CastOp,
    CastLikeOp,
    CausalConvWithStateOp,
    CeilOp,
    CeluOp,
    CenterCropPadOp,
    ClipOp,
    Col2ImOp,
    CompressOp,
    ConcatOp,
    ConcatFromSequenceOp,
    ConstantOp,
    ConstantOfShapeOp,
    ConvOp,
    ConvIntegerOp,
    ConvTransposeOp,
    CosOp,
    CoshOp,
    CumProdOp,
    CumSumOp,
    DFTOp,
    DeformConvOp,
    DepthToSpaceOp,
    DequantizeLinearOp,
    DetOp,
    DivOp,
    DropoutOp,
    DynamicQuantizeLinearOp,
    EinsumOp,
    EluOp,
    EqualOp,
    ErfOp,
    ExpOp,
    ExpandOp,
    EyeLikeOp,
    FlattenOp,
    FloorOp,
    GRUOp,
    GatherOp,
    GatherElementsOp,
    GatherNDOp,
    GeluOp,
    GemmOp,
    GlobalAveragePoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    GreaterOp,
    GreaterOrEqualOp,
    GridSampleOp,
    GroupNormalizationOp,
    HammingWindowOp,
    HannWindowOp,
    HardSigmoidOp,
    HardSwishOp,
    HardmaxOp,
    IdentityOp,
    IfOp,
    ImageDecoderOp,
    InstanceNormalizationOp,
    IsInfOp,
    IsNaNOp,
    LRNOp,
    LSTMOp,
    LayerNormalizationOp,
    LeakyReluOp,
    LessOp,
    LessOrEqualOp,
    LinearAttentionOp,
    LogOp,
    LogSoftmaxOp,
    LoopOp,
    LpNormalizationOp,
    LpPoolOp,
    MatMulOp,
    MatMulIntegerOp,
    MaxOp,
    MaxPoolOp,
    MaxRoiPoolOp,
    MaxUnpoolOp,
    MeanOp,
    MeanVarianceNormalizationOp,
    MelWeightMatrixOp,
    MinOp,
    MishOp,
    ModOp,
    MulOp,
    MultinomialOp,
    NegOp,
    NegativeLogLikelihoodLossOp,
    NonMaxSuppressionOp,
    NonZeroOp,
    NotOp,
    OneHotOp,
    OptionalOp,
    OptionalGetElementOp,
    OptionalHasElementOp,
    OrOp,
    PReluOp,
    PadOp,
    PowOp,
    QLinearConvOp,
    QLinearMatMulOp,
    QuantizeLinearOp,
    RMSNormalizationOp,
    RNNOp,
    RandomNormalOp,
    RandomNormalLikeOp,
    RandomUniformOp,
    RandomUniformLikeOp,
    RangeOp,
    ReciprocalOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogSumOp,
    ReduceLogSumExpOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
    ReduceSumSquareOp,
    RegexFullMatchOp,
    ReluOp,
    ReshapeOp,
    ResizeOp,
    ReverseSequenceOp,
    RoiAlignOp,
    RotaryEmbeddingOp,
    RoundOp,
    STFTOp,
    ScanOp,
    ScatterOp,
    ScatterElementsOp,
    ScatterNDOp,
    SeluOp,
    SequenceAtOp,
    SequenceConstructOp,
    SequenceEmptyOp,
    SequenceEraseOp,
    SequenceInsertOp,
    SequenceLengthOp,
    SequenceMapOp,
    ShapeOp,
    ShrinkOp,
    SigmoidOp,
    SignOp,
    SinOp,
    SinhOp,
    SizeOp,
    SliceOp,
    SoftmaxOp,
    SoftmaxCrossEntropyLossOp,
    SoftplusOp,
    SoftsignOp,
    SpaceToDepthOp,
    SplitOp,
    SplitToSequenceOp,
    SqrtOp,
    SqueezeOp,
    StringConcatOp,
    StringNormalizerOp,
    StringSplitOp,
    SubOp,
    SumOp,
    SwiGLUOp,
    SwishOp,
    TanOp,
    TanhOp,
    TensorScatterOp,
    TfIdfVectorizerOp,
    ThresholdedReluOp,
    TileOp,
    TopKOp,
    TransposeOp,
    TriluOp,
    UniqueOp,
    UnsqueezeOp,
    UpsampleOp,
    WhereOp,
    XorOp,
    MlArrayFeatureExtractorOp,
    MlBinarizerOp,
    MlCastMapOp,
    MlCategoryMapperOp,
    MlDictVectorizerOp,
    MlFeatureVectorizerOp,
    MlImputerOp,
    MlLabelEncoderOp,
    MlLinearClassifierOp,
    MlLinearRegressorOp,
    MlNormalizerOp,
    MlOneHotEncoderOp,
    MlSVMClassifierOp,
    MlSVMRegressorOp,
    MlScalerOp,
    MlTreeEnsembleOp,
    MlTreeEnsembleClassifierOp,
    MlTreeEnsembleRegressorOp,
    MlZipMapOp,
    *MICROSOFT_OPS,
]

OP_CLASSES: dict[tuple[str, str], type[OnnxOp]] = {
    (op.DOMAIN, op.name.rsplit(".", 1)[1]): op for op in _OPS
}
"""The declared ops by domain and op type; ONNX's own domain is `""`."""

Onnx = Dialect(
    "onnx",
    [GraphOp, ReturnOp, InitializerOp, OpaqueOp, *_OPS],
    [
        BitsAttr,
        MapType,
        OptionalType,
        SequenceType,
        SparseTensorType,
        StringType,
        StringsAttr,
        TensorAttr,
    ],
)
