"""Ops of ONNX Runtime's own, domain `com.microsoft`: from schemas of onnxruntime 1.31.1."""

# Written by `python -m autosplit.tools.generate.runtime_dialect`; do not edit.

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from autosplit.dialects.onnx.base import FLOAT, INT, INTS, LIST, SEGMENTS, STRING, OnnxOp
from autosplit.dialects.onnx.operands import FittingSizes, OneElementType


@irdl_op_definition
class MsAttentionOp(OnnxOp):
    """Multi-Head Attention that can be either unidirectional (like GPT-2) or bidirectional (like
    BERT).

    Versions: 1.
    Example:

        %r0 = onnx.ms.Attention "n" (%0, %1, _, _, _, _, _) -> ["r0"] <{num_heads = 1 : i64}>
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.Attention"
    DOMAIN: ClassVar[str] = "com.microsoft"
    input = operand_def()
    weights = operand_def()
    bias = opt_operand_def()
    mask_index = opt_operand_def()
    past = opt_operand_def()
    attention_bias = opt_operand_def()
    past_sequence_length = opt_operand_def()
    do_rotary = opt_prop_def(INT)
    mask_filter_value = opt_prop_def(FLOAT)
    num_heads = opt_prop_def(INT)
    past_present_share_buffer = opt_prop_def(INT)
    qkv_hidden_sizes = opt_prop_def(INTS)
    rotary_embedding_dim = opt_prop_def(INT)
    scale = opt_prop_def(FLOAT)
    unidirectional = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 1, 2, 4, 5), (0, 1)), OneElementType((3, 6), ()), Pure())


@irdl_op_definition
class MsBiasGeluOp(OnnxOp):
    """Bias Gelu.

    Versions: 1.
    Example:

        %r0 = onnx.ms.BiasGelu "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.BiasGelu"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    B = operand_def()
    C = result_def()
    traits = traits_def(OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MsDequantizeLinearOp(OnnxOp):
    """The linear dequantization operator.

    Versions: 1.
    Example:

        %r0 = onnx.ms.DequantizeLinear "n" (%0, %1) -> ["r0"]
            : (tensor<4xi16>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.DequantizeLinear"
    DOMAIN: ClassVar[str] = "com.microsoft"
    x = operand_def()
    x_scale = operand_def()
    x_zero_point = opt_operand_def()
    axis = opt_prop_def(INT)
    y = result_def()
    traits = traits_def(OneElementType((0, 2), ()), OneElementType((1,), (0,)), Pure())


@irdl_op_definition
class MsDynamicQuantizeMatMulOp(OnnxOp):
    """None.

    Versions: 1.
    Example:

        %r0 = onnx.ms.DynamicQuantizeMatMul "n" (%0, %1, %2, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.DynamicQuantizeMatMul"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    B = operand_def()
    b_scale = operand_def()
    b_zero_point = opt_operand_def()
    bias = opt_operand_def()
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 2, 4), (0,)), OneElementType((1, 3), ()), Pure())


@irdl_op_definition
class MsEmbedLayerNormalizationOp(OnnxOp):
    """EmbedLayerNormalization is the fusion of embedding layer in BERT model, with optional mask
    processing.

    Versions: 1.
    Example:

        %r0 = onnx.ms.EmbedLayerNormalization "n" (%0, _, %1, %2, _, %3, %4, _, _) -> ["r0"]
            : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.EmbedLayerNormalization"
    DOMAIN: ClassVar[str] = "com.microsoft"
    input_ids = operand_def()
    segment_ids = opt_operand_def()
    word_embedding = operand_def()
    position_embedding = operand_def()
    segment_embedding = opt_operand_def()
    gamma = operand_def()
    beta = operand_def()
    mask = opt_operand_def()
    position_ids = opt_operand_def()
    epsilon = opt_prop_def(FLOAT)
    mask_index_type = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        OneElementType((0, 1, 7, 8), (1,)), OneElementType((2, 3, 4, 5, 6), (0, 2)), Pure()
    )


@irdl_op_definition
class MsFastGeluOp(OnnxOp):
    """GELU (Gaussian Error Linear Unit) approximation.

    Versions: 1.
    Example:

        %r0 = onnx.ms.FastGelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.FastGelu"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    bias = opt_operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MsFusedConvOp(OnnxOp):
    """The fused convolution operator schema is the same as Conv besides it includes an attribute
    activation.

    Versions: 1.
    Example:

        %r0 = onnx.ms.FusedConv "n" (%0, %1, _, _) -> ["r0"]
            : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    """

    name = "onnx.ms.FusedConv"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    W = operand_def()
    B = opt_operand_def()
    Z = opt_operand_def()
    activation = opt_prop_def(STRING)
    activation_params = opt_prop_def(LIST)
    auto_pad = opt_prop_def(STRING)
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2, 3), (0,)), Pure())


@irdl_op_definition
class MsFusedGemmOp(OnnxOp):
    """The FusedGemm operator schema is the same as Gemm besides it includes attributes activation and
    leaky_relu_alpha.

    Versions: 1.
    Example:

        %r0 = onnx.ms.FusedGemm "n" (%0, %1) -> ["r0"]
            : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    """

    name = "onnx.ms.FusedGemm"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    B = operand_def()
    C = opt_operand_def()
    activation = opt_prop_def(STRING)
    activation_alpha = opt_prop_def(FLOAT)
    activation_beta = opt_prop_def(FLOAT)
    activation_gamma = opt_prop_def(FLOAT)
    alpha = opt_prop_def(FLOAT)
    beta = opt_prop_def(FLOAT)
    transA = opt_prop_def(INT)
    transB = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(FittingSizes(), OneElementType((0, 1, 2), (0,)), Pure())


@irdl_op_definition
class MsFusedMatMulOp(OnnxOp):
    """Matrix product that behaves like numpy.matmul.

    Versions: 1.
    Example:

        %r0 = onnx.ms.FusedMatMul "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.FusedMatMul"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    B = operand_def()
    alpha = opt_prop_def(FLOAT)
    transA = opt_prop_def(INT)
    transB = opt_prop_def(INT)
    transBatchA = opt_prop_def(INT)
    transBatchB = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((0, 1), (0,)), Pure())


@irdl_op_definition
class MsGeluOp(OnnxOp):
    """Gaussian Error Linear Unit.

    Versions: 1.
    Example:

        %r0 = onnx.ms.Gelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.Gelu"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MsMatMulIntegerToFloatOp(OnnxOp):
    """None.

    Versions: 1.
    Example:

        %r0 = onnx.ms.MatMulIntegerToFloat "n" (%0, %1, %2, %3, _, _, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.MatMulIntegerToFloat"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    B = operand_def()
    a_scale = operand_def()
    b_scale = operand_def()
    a_zero_point = opt_operand_def()
    b_zero_point = opt_operand_def()
    bias = opt_operand_def()
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        OneElementType((0, 4), ()),
        OneElementType((1, 5), ()),
        OneElementType((2, 3, 6), (0,)),
        Pure(),
    )


@irdl_op_definition
class MsMultiHeadAttentionOp(OnnxOp):
    """Multi-Head Self/Cross Attention.

    Versions: 1.
    Example:

        %r0 = onnx.ms.MultiHeadAttention "n" (%0, _, _, _, _, _, _, _, _, _) -> ["r0"]
            <{num_heads = 1 : i64}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.MultiHeadAttention"
    DOMAIN: ClassVar[str] = "com.microsoft"
    query = operand_def()
    key = opt_operand_def()
    value = opt_operand_def()
    bias = opt_operand_def()
    key_padding_mask = opt_operand_def()
    attention_bias = opt_operand_def()
    past_key = opt_operand_def()
    past_value = opt_operand_def()
    past_sequence_length = opt_operand_def()
    cache_indirection = opt_operand_def()
    mask_filter_value = opt_prop_def(FLOAT)
    num_heads = opt_prop_def(INT)
    scale = opt_prop_def(FLOAT)
    unidirectional = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        OneElementType((0, 1, 2, 3, 5, 6, 7), (0, 1, 2)), OneElementType((4, 8, 9), ()), Pure()
    )


@irdl_op_definition
class MsQAttentionOp(OnnxOp):
    """Quantization of Multi-Head Self Attention.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QAttention "n" (%0, %1, %2, %3, %4, _, _, _, _) -> ["r0"]
            <{num_heads = 1 : i64}>
            : (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.QAttention"
    DOMAIN: ClassVar[str] = "com.microsoft"
    input = operand_def()
    weight = operand_def()
    bias = operand_def()
    input_scale = operand_def()
    weight_scale = operand_def()
    mask_index = opt_operand_def()
    input_zero_point = opt_operand_def()
    weight_zero_point = opt_operand_def()
    past = opt_operand_def()
    do_rotary = opt_prop_def(INT)
    mask_filter_value = opt_prop_def(FLOAT)
    num_heads = opt_prop_def(INT)
    past_present_share_buffer = opt_prop_def(INT)
    scale = opt_prop_def(FLOAT)
    unidirectional = opt_prop_def(INT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        OneElementType((0, 6), ()),
        OneElementType((1, 7), ()),
        OneElementType((2, 3, 4, 8), (0, 1)),
        Pure(),
    )


@irdl_op_definition
class MsQGemmOp(OnnxOp):
    """Quantized Gemm.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QGemm "n" (%0, %1, %2, %3, %4, %5, _, _, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) ->
            tensor<4xf32>
    """

    name = "onnx.ms.QGemm"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    a_scale = operand_def()
    a_zero_point = operand_def()
    B = operand_def()
    b_scale = operand_def()
    b_zero_point = operand_def()
    C = opt_operand_def()
    y_scale = opt_operand_def()
    y_zero_point = opt_operand_def()
    alpha = opt_prop_def(FLOAT)
    transA = opt_prop_def(INT)
    transB = opt_prop_def(INT)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(
        OneElementType((0, 2), ()),
        OneElementType((1, 4, 7), ()),
        OneElementType((3, 5), ()),
        Pure(),
    )


@irdl_op_definition
class MsQLinearAddOp(OnnxOp):
    """Performs element-wise binary addition on 8 bit data types (with Numpy-style broadcasting
    support).

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearAdd "n" (%0, %1, _, %2, %3, _, %4, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearAdd"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    A_scale = operand_def()
    A_zero_point = opt_operand_def()
    B = operand_def()
    B_scale = operand_def()
    B_zero_point = opt_operand_def()
    C_scale = operand_def()
    C_zero_point = opt_operand_def()
    C = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(FittingSizes(), OneElementType((0, 2, 3, 5, 7), (0,)), Pure())


@irdl_op_definition
class MsQLinearAveragePoolOp(OnnxOp):
    """QLinearAveragePool consumes an input tensor X and applies average pooling across the tensor
    according to kernel sizes, stride sizes, and pad lengths.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearAveragePool "n" (%0, %1, _, %2, _) -> ["r0"]
            <{kernel_shape = array<i64: 1>}>
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearAveragePool"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    x_scale = operand_def()
    x_zero_point = opt_operand_def()
    y_scale = operand_def()
    y_zero_point = opt_operand_def()
    auto_pad = opt_prop_def(STRING)
    ceil_mode = opt_prop_def(INT)
    channels_last = opt_prop_def(INT)
    count_include_pad = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 2, 4), (0,)), Pure())


@irdl_op_definition
class MsQLinearConcatOp(OnnxOp):
    """Concatenate a list of tensors into a single tensor.All input tensors must have the same shape,
    except for the dimension size of the axis to concatenate on.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearConcat "n" (%0, %1, %2) -> ["r0"] <{axis = 1 : i64}>
            : (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearConcat"
    DOMAIN: ClassVar[str] = "com.microsoft"
    Y_scale = operand_def()
    Y_zero_point = operand_def()
    inputs_in = var_operand_def()
    axis = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((1,), (0,)), Pure())


@irdl_op_definition
class MsQLinearConvOp(OnnxOp):
    """None.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearConv "n" (%0, %1, %2, %3, %4, %5, %6, %7) -> ["r0"]
            : (tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xi8>, tensor<4x4x4xf32>,
            tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>) -> tensor<4x4x4xi8>
    """

    name = "onnx.ms.QLinearConv"
    DOMAIN: ClassVar[str] = "com.microsoft"
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
    channels_last = opt_prop_def(INT)
    dilations = opt_prop_def(INTS)
    group = opt_prop_def(INT)
    kernel_shape = opt_prop_def(INTS)
    pads = opt_prop_def(INTS)
    strides = opt_prop_def(INTS)
    y = result_def()
    traits = traits_def(
        FittingSizes(),
        OneElementType((0, 2), ()),
        OneElementType((3, 5), ()),
        OneElementType((7,), (0,)),
        Pure(),
    )


@irdl_op_definition
class MsQLinearGlobalAveragePoolOp(OnnxOp):
    """QLinearGlobalAveragePool consumes an input tensor X and applies Average pooling across the
    values in the same channel.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearGlobalAveragePool "n" (%0, %1, %2, %3, %4) -> ["r0"]
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearGlobalAveragePool"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    x_scale = operand_def()
    x_zero_point = operand_def()
    y_scale = operand_def()
    y_zero_point = operand_def()
    channels_last = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((0, 2, 4), (0,)), Pure())


@irdl_op_definition
class MsQLinearLeakyReluOp(OnnxOp):
    """QLinearLeakyRelu takes quantized input data (Tensor), an argument alpha, and quantize parameter
    for output, and produces one output data (Tensor) where the function `f(x) = quantize(alpha *
    ...

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearLeakyRelu "n" (%0, %1, _, %2, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearLeakyRelu"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    X_scale = operand_def()
    X_zero_point = opt_operand_def()
    Y_scale = operand_def()
    Y_zero_point = opt_operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 2, 4), (0,)), Pure())


@irdl_op_definition
class MsQLinearMulOp(OnnxOp):
    """Performs element-wise binary multiplication on 8 bit data types (with Numpy-style broadcasting
    support).

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearMul "n" (%0, %1, _, %2, %3, _, %4, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearMul"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    A_scale = operand_def()
    A_zero_point = opt_operand_def()
    B = operand_def()
    B_scale = operand_def()
    B_zero_point = opt_operand_def()
    C_scale = operand_def()
    C_zero_point = opt_operand_def()
    C = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(FittingSizes(), OneElementType((0, 2, 3, 5, 7), (0,)), Pure())


@irdl_op_definition
class MsQLinearReduceMeanOp(OnnxOp):
    """Computes the mean of the low-precision input tensor's element along the provided axes.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearReduceMean "n" (%0, %1, _, %2, _) -> ["r0"]
            <{axes = array<i64: 1>, keepdims = 1 : i64}>
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearReduceMean"
    DOMAIN: ClassVar[str] = "com.microsoft"
    data = operand_def()
    data_scale = operand_def()
    data_zero_point = opt_operand_def()
    reduced_scale = operand_def()
    reduced_zero_point = opt_operand_def()
    axes = opt_prop_def(INTS)
    keepdims = opt_prop_def(INT)
    reduced = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 2, 4), (0,)), Pure())


@irdl_op_definition
class MsQLinearSigmoidOp(OnnxOp):
    """QLinearSigmoid takes quantized input data (Tensor), and quantize parameter for output, and
    produces one output data (Tensor) where the function `f(x) = quantize(Sigmoid(dequantize(x)))`,
    is ...

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearSigmoid "n" (%0, %1, _, %2, _) -> ["r0"]
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearSigmoid"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    X_scale = operand_def()
    X_zero_point = opt_operand_def()
    Y_scale = operand_def()
    Y_zero_point = opt_operand_def()
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 2, 4), (0,)), Pure())


@irdl_op_definition
class MsQLinearSoftmaxOp(OnnxOp):
    """QLinearSoftmax computes the normalized exponential values for the given input.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearSoftmax "n" (%0, %1, _, %2, %3) -> ["r0"] <{opset = 1 : i64}>
            : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearSoftmax"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    X_scale = operand_def()
    x_zero_point = opt_operand_def()
    y_scale = operand_def()
    y_zero_point = operand_def()
    axis = opt_prop_def(INT)
    opset = opt_prop_def(INT)
    Y = result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 2, 4), (0,)), Pure())


@irdl_op_definition
class MsQLinearWhereOp(OnnxOp):
    """Return elements, either from X or Y, depending on condition.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QLinearWhere "n" (%0, %1, %2, %3, %4, %5, %6, %7, %8) -> ["r0"]
            : (tensor<4xi1>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xf32>,
            tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
    """

    name = "onnx.ms.QLinearWhere"
    DOMAIN: ClassVar[str] = "com.microsoft"
    condition = operand_def()
    X = operand_def()
    x_scale = operand_def()
    x_zero_point = operand_def()
    Y = operand_def()
    y_scale = operand_def()
    y_zero_point = operand_def()
    z_scale = operand_def()
    z_zero_point = operand_def()
    Z = result_def()
    traits = traits_def(
        OneElementType((1, 3, 4, 6, 8), (0,)), OneElementType((2, 5, 7), ()), Pure()
    )


@irdl_op_definition
class MsQuantizeLinearOp(OnnxOp):
    """The linear quantization operator.

    Versions: 1.
    Example:

        %r0 = onnx.ms.QuantizeLinear "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi16>
    """

    name = "onnx.ms.QuantizeLinear"
    DOMAIN: ClassVar[str] = "com.microsoft"
    x = operand_def()
    y_scale = operand_def()
    y_zero_point = opt_operand_def()
    axis = opt_prop_def(INT)
    y = result_def()
    traits = traits_def(OneElementType((0, 1), ()), OneElementType((2,), (0,)), Pure())


@irdl_op_definition
class MsQuickGeluOp(OnnxOp):
    """Compute x * Sigmoid(alpha * x).

    Versions: 1.
    Example:

        %r0 = onnx.ms.QuickGelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.QuickGelu"
    DOMAIN: ClassVar[str] = "com.microsoft"
    X = operand_def()
    alpha = opt_prop_def(FLOAT)
    Y = result_def()
    traits = traits_def(OneElementType((0,), (0,)), Pure())


@irdl_op_definition
class MsSkipLayerNormalizationOp(OnnxOp):
    """Skip and Layer Normalization Fusion.

    Versions: 1.
    Example:

        %r0 = onnx.ms.SkipLayerNormalization "n" (%0, %1, %2, _, _) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.SkipLayerNormalization"
    DOMAIN: ClassVar[str] = "com.microsoft"
    input = operand_def()
    skip = operand_def()
    gamma = operand_def()
    beta = opt_operand_def()
    bias = opt_operand_def()
    epsilon = opt_prop_def(FLOAT)
    outputs = var_result_def()
    irdl_options = SEGMENTS
    traits = traits_def(OneElementType((0, 1, 2, 3, 4), (0, 3)), Pure())


@irdl_op_definition
class MsSkipSimplifiedLayerNormalizationOp(OnnxOp):
    """Skip and Root Mean Square Layer Normalization.

    Versions: 1.
    Example:

        %r0 = onnx.ms.SkipSimplifiedLayerNormalization "n" (%0, %1, %2) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.SkipSimplifiedLayerNormalization"
    DOMAIN: ClassVar[str] = "com.microsoft"
    input = operand_def()
    skip = operand_def()
    gamma = operand_def()
    bias = opt_operand_def()
    epsilon = opt_prop_def(FLOAT)
    outputs = var_result_def()
    traits = traits_def(OneElementType((0, 1, 2, 3), (0, 3)), Pure())


@irdl_op_definition
class MsTransposeMatMulOp(OnnxOp):
    """Duplicate of FusedMatMul.

    Versions: 1.
    Example:

        %r0 = onnx.ms.TransposeMatMul "n" (%0, %1) -> ["r0"]
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "onnx.ms.TransposeMatMul"
    DOMAIN: ClassVar[str] = "com.microsoft"
    A = operand_def()
    B = operand_def()
    alpha = opt_prop_def(FLOAT)
    transA = opt_prop_def(INT)
    transB = opt_prop_def(INT)
    Y = result_def()
    traits = traits_def(OneElementType((0, 1), (0,)), Pure())


MICROSOFT_OPS: tuple[type[OnnxOp], ...] = (
    MsAttentionOp,
    MsBiasGeluOp,
    MsDequantizeLinearOp,
    MsDynamicQuantizeMatMulOp,
    MsEmbedLayerNormalizationOp,
    MsFastGeluOp,
    MsFusedConvOp,
    MsFusedGemmOp,
    MsFusedMatMulOp,
    MsGeluOp,
    MsMatMulIntegerToFloatOp,
    MsMultiHeadAttentionOp,
    MsQAttentionOp,
    MsQGemmOp,
    MsQLinearAddOp,
    MsQLinearAveragePoolOp,
    MsQLinearConcatOp,
    MsQLinearConvOp,
    MsQLinearGlobalAveragePoolOp,
    MsQLinearLeakyReluOp,
    MsQLinearMulOp,
    MsQLinearReduceMeanOp,
    MsQLinearSigmoidOp,
    MsQLinearSoftmaxOp,
    MsQLinearWhereOp,
    MsQuantizeLinearOp,
    MsQuickGeluOp,
    MsSkipLayerNormalizationOp,
    MsSkipSimplifiedLayerNormalizationOp,
    MsTransposeMatMulOp,
)
