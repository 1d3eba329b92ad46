"""Convolutions, pools, normalizations and activations.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import f32, i64
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind
from autosplit.dialects.tf.base import NodeOp


class Activation(NodeOp, ABC):
    """Base of elementwise ops that keep the dtype."""

    features = operand_def()
    activations = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class Conv2DOp(NodeOp):
    """Slides each of the filters over `input` and sums the products.

    Example:

        %y = tf.Conv2D "n" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}>
            : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
    """

    name = "tf.Conv2D"
    input = operand_def()
    filter = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "strides": Kind.INTS,
        "use_cudnn_on_gpu": True,
        "padding": Kind.STRING,
        "explicit_paddings": (),
        "data_format": "NHWC",
        "dilations": (
            1,
            1,
            1,
            1,
        ),
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class Conv2DBackpropInputOp(NodeOp):
    """Transposed convolution: the gradient of Conv2D for an input of the shape `input_sizes`.

    Example:

        %y = tf.Conv2DBackpropInput "n" (%x, %w, %b)
            <{T = f32, strides = array<i64: 1, 2, 2, 1>, padding = "SAME"}>
            : (tensor<4xi32>, tensor<3x3x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x8x8x4xf32>
    """

    name = "tf.Conv2DBackpropInput"
    input_sizes = operand_def()
    filter = operand_def()
    out_backprop = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "strides": Kind.INTS,
        "use_cudnn_on_gpu": True,
        "padding": Kind.STRING,
        "explicit_paddings": (),
        "data_format": "NHWC",
        "dilations": (
            1,
            1,
            1,
            1,
        ),
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class DepthwiseConv2dNativeOp(NodeOp):
    """Convolves each channel with filters of its own, as many as the last dimension of `filter`.

    Example:

        %y = tf.DepthwiseConv2dNative "n" (%x, %w)
            <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}>
            : (tensor<1x8x8x3xf32>, tensor<3x3x3x1xf32>) -> tensor<1x8x8x3xf32>
    """

    name = "tf.DepthwiseConv2dNative"
    input = operand_def()
    filter = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "strides": Kind.INTS,
        "padding": Kind.STRING,
        "explicit_paddings": (),
        "data_format": "NHWC",
        "dilations": (
            1,
            1,
            1,
            1,
        ),
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class Conv3DOp(NodeOp):
    """Slides each of the filters over a volume and sums the products.

    Example:

        %y = tf.Conv3D "n" (%x, %w)
            <{T = f32, strides = array<i64: 1, 1, 1, 1, 1>, padding = "SAME"}>
            : (tensor<1x4x8x8x3xf32>, tensor<3x3x3x3x4xf32>) -> tensor<1x4x8x8x4xf32>
    """

    name = "tf.Conv3D"
    input = operand_def()
    filter = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "strides": Kind.INTS,
        "padding": Kind.STRING,
        "data_format": "NDHWC",
        "dilations": (
            1,
            1,
            1,
            1,
            1,
        ),
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class Dilation2DOp(NodeOp):
    """Grey-scale dilation: the maximum of `input` plus `filter` under each window.

    Example:

        %y = tf.Dilation2D "n" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>,
              rates = array<i64: 1, 1, 1, 1>, padding = "SAME"}>
            : (tensor<1x8x8x3xf32>, tensor<3x3x3xf32>) -> tensor<1x8x8x3xf32>
    """

    name = "tf.Dilation2D"
    input = operand_def()
    filter = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "strides": Kind.INTS,
        "rates": Kind.INTS,
        "padding": Kind.STRING,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class BiasAddOp(NodeOp):
    """`value` + `bias`, one bias for each channel.

    Example:

        %y = tf.BiasAdd "n" (%x, %w) <{T = f32}>
            : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
    """

    name = "tf.BiasAdd"
    value = operand_def()
    bias = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "data_format": "NHWC"}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class FusedBatchNormOp(NodeOp):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset, per channel; batch statistics in training.

    Example:

        %y, %z, %u, %v, %s = tf.FusedBatchNorm "n" (%a, %b, %c, %d, %e)
            <{T = f32, is_training = false}>
            : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
              tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
              tensor<4xf32>)
    """

    name = "tf.FusedBatchNorm"
    x = operand_def()
    scale = operand_def()
    offset = operand_def()
    mean = operand_def()
    variance = operand_def()
    y = result_def()
    batch_mean = result_def()
    batch_variance = result_def()
    reserve_space_1 = result_def()
    reserve_space_2 = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "epsilon": 0.0001,
        "exponential_avg_factor": 1.0,
        "data_format": "NHWC",
        "is_training": True,
    }
    OUTPUTS: ClassVar = ("T", "T", "T", "T", "T")


@irdl_op_definition
class FusedBatchNormV2Op(NodeOp):
    """FusedBatchNorm whose statistics have a dtype of their own.

    Example:

        %y, %z, %u, %v, %s = tf.FusedBatchNormV2 "n" (%a, %b, %c, %d, %e)
            <{T = f16, U = f32, is_training = false}>
            : (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
              tensor<4xf32>) -> (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
              tensor<4xf32>)
    """

    name = "tf.FusedBatchNormV2"
    x = operand_def()
    scale = operand_def()
    offset = operand_def()
    mean = operand_def()
    variance = operand_def()
    y = result_def()
    batch_mean = result_def()
    batch_variance = result_def()
    reserve_space_1 = result_def()
    reserve_space_2 = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "U": Kind.TYPE,
        "epsilon": 0.0001,
        "exponential_avg_factor": 1.0,
        "data_format": "NHWC",
        "is_training": True,
    }
    OUTPUTS: ClassVar = ("T", "U", "U", "U", "U")


@irdl_op_definition
class FusedBatchNormV3Op(NodeOp):
    """FusedBatchNormV2 with one more output, which only gradients read.

    Example:

        %y, %z, %u, %v, %s, %r = tf.FusedBatchNormV3 "n" (%a, %b, %c, %d, %e)
            <{T = f32, U = f32, is_training = false}>
            : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
              tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
              tensor<4xf32>, tensor<*xf32>)
    """

    name = "tf.FusedBatchNormV3"
    x = operand_def()
    scale = operand_def()
    offset = operand_def()
    mean = operand_def()
    variance = operand_def()
    y = result_def()
    batch_mean = result_def()
    batch_variance = result_def()
    reserve_space_1 = result_def()
    reserve_space_2 = result_def()
    reserve_space_3 = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "U": Kind.TYPE,
        "epsilon": 0.0001,
        "exponential_avg_factor": 1.0,
        "data_format": "NHWC",
        "is_training": True,
    }
    OUTPUTS: ClassVar = ("T", "U", "U", "U", "U", "U")


@irdl_op_definition
class LRNOp(NodeOp):
    """x / (bias + alpha * sum of x^2 over depth_radius channels to each side) ^ beta.

    Example:

        %y = tf.LRN "n" (%x) <{T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    """

    name = "tf.LRN"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5, "T": f32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class MaxPoolOp(NodeOp):
    """The maximum of each window.

    Example:

        %y = tf.MaxPool "n" (%x) <{T = f32, ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1,
              2, 2, 1>, padding = "VALID"}>
            : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
    """

    name = "tf.MaxPool"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": f32,
        "ksize": Kind.INTS,
        "strides": Kind.INTS,
        "padding": Kind.STRING,
        "explicit_paddings": (),
        "data_format": "NHWC",
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class MaxPoolV2Op(NodeOp):
    """MaxPool with the window and the strides as inputs.

    Example:

        %y = tf.MaxPoolV2 "n" (%x, %w, %b) <{T = f32, padding = "VALID"}>
            : (tensor<1x8x8x4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x4x4xf32>
    """

    name = "tf.MaxPoolV2"
    input = operand_def()
    ksize = operand_def()
    strides = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": f32, "padding": Kind.STRING, "data_format": "NHWC"}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class MaxPoolWithArgmaxOp(NodeOp):
    """The maximum of each window, and its position in the flattened input.

    Example:

        %y, %z = tf.MaxPoolWithArgmax "n" (%x) <{ksize = array<i64: 1, 2, 2, 1>,
              strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}>
            : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>)
    """

    name = "tf.MaxPoolWithArgmax"
    input = operand_def()
    output = result_def()
    argmax = result_def()
    ATTRIBUTES: ClassVar = {
        "ksize": Kind.INTS,
        "strides": Kind.INTS,
        "Targmax": i64,
        "padding": Kind.STRING,
        "include_batch_in_index": False,
        "T": Kind.TYPE,
    }
    OUTPUTS: ClassVar = ("T", "Targmax")


@irdl_op_definition
class MaxPool3DOp(NodeOp):
    """The maximum of each window of a volume.

    Example:

        %y = tf.MaxPool3D "n" (%x) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2,
              2, 2, 1>, padding = "VALID", T = f32}>
            : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>
    """

    name = "tf.MaxPool3D"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "ksize": Kind.INTS,
        "strides": Kind.INTS,
        "padding": Kind.STRING,
        "data_format": "NDHWC",
        "T": Kind.TYPE,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class AvgPoolOp(NodeOp):
    """The mean of each window; padding does not count.

    Example:

        %y = tf.AvgPool "n" (%x) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2,
              1>, padding = "VALID", T = f32}>
            : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
    """

    name = "tf.AvgPool"
    value = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "ksize": Kind.INTS,
        "strides": Kind.INTS,
        "padding": Kind.STRING,
        "data_format": "NHWC",
        "T": Kind.TYPE,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class AvgPool3DOp(NodeOp):
    """The mean of each window of a volume; padding does not count.

    Example:

        %y = tf.AvgPool3D "n" (%x) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2,
              2, 2, 1>, padding = "VALID", T = f32}>
            : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>
    """

    name = "tf.AvgPool3D"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "ksize": Kind.INTS,
        "strides": Kind.INTS,
        "padding": Kind.STRING,
        "data_format": "NDHWC",
        "T": Kind.TYPE,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ReluOp(Activation):
    """max(x, 0).

    Example:

        %y = tf.Relu "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Relu"


@irdl_op_definition
class Relu6Op(Activation):
    """min(max(x, 0), 6).

    Example:

        %y = tf.Relu6 "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Relu6"


@irdl_op_definition
class EluOp(Activation):
    """x where x > 0, else exp(x) - 1.

    Example:

        %y = tf.Elu "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Elu"


@irdl_op_definition
class SeluOp(Activation):
    """scale * x where x > 0, else scale * alpha * (exp(x) - 1), with constants that normalize.

    Example:

        %y = tf.Selu "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Selu"


@irdl_op_definition
class LeakyReluOp(NodeOp):
    """max(x, alpha * x), for an alpha of at most one.

    Example:

        %y = tf.LeakyRelu "n" (%x) <{alpha = 1.000000e-01 : f32, T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.LeakyRelu"
    features = operand_def()
    activations = result_def()
    ATTRIBUTES: ClassVar = {"alpha": 0.2, "T": f32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SoftplusOp(Activation):
    """log(exp(x) + 1).

    Example:

        %y = tf.Softplus "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Softplus"


@irdl_op_definition
class SoftsignOp(Activation):
    """x / (abs(x) + 1).

    Example:

        %y = tf.Softsign "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Softsign"


@irdl_op_definition
class SoftmaxOp(NodeOp):
    """exp(x) / sum of exp(x) over the last dimension.

    Example:

        %y = tf.Softmax "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Softmax"
    logits = operand_def()
    softmax = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class LogSoftmaxOp(NodeOp):
    """x - log(sum of exp(x)) over the last dimension.

    Example:

        %y = tf.LogSoftmax "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.LogSoftmax"
    logits = operand_def()
    logsoftmax = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class L2LossOp(NodeOp):
    """Half the sum of the squares.

    Example:

        %y = tf.L2Loss "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<f32>
    """

    name = "tf.L2Loss"
    t = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class FakeQuantWithMinMaxArgsOp(NodeOp):
    """Rounds to the values that num_bits between attributes min and max can express.

    Example:

        %y = tf.FakeQuantWithMinMaxArgs "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.FakeQuantWithMinMaxArgs"
    x = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"min": -6.0, "max": 6.0, "num_bits": 8, "narrow_range": False}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class FakeQuantWithMinMaxVarsOp(NodeOp):
    """FakeQuantWithMinMaxArgs with the range as inputs.

    Example:

        %y = tf.FakeQuantWithMinMaxVars "n" (%x, %w, %b)
            : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    """

    name = "tf.FakeQuantWithMinMaxVars"
    x = operand_def()
    min = operand_def()
    max = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"num_bits": 8, "narrow_range": False}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class FakeQuantWithMinMaxVarsPerChannelOp(NodeOp):
    """FakeQuantWithMinMaxVars with a range for each channel.

    Example:

        %y = tf.FakeQuantWithMinMaxVarsPerChannel "n" (%x, %w, %b)
            : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.FakeQuantWithMinMaxVarsPerChannel"
    x = operand_def()
    min = operand_def()
    max = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"num_bits": 8, "narrow_range": False}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class QuantizeAndDequantizeV2Op(NodeOp):
    """Quantizes and dequantizes, over the range given or the range found.

    Example:

        %y = tf.QuantizeAndDequantizeV2 "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    """

    name = "tf.QuantizeAndDequantizeV2"
    input = operand_def()
    input_min = operand_def()
    input_max = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "signed_input": True,
        "num_bits": 8,
        "range_given": False,
        "T": Kind.TYPE,
        "round_mode": "HALF_TO_EVEN",
        "narrow_range": False,
        "axis": -1,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class QuantizeAndDequantizeV3Op(NodeOp):
    """QuantizeAndDequantizeV2 with the number of bits as an input.

    Example:

        %y = tf.QuantizeAndDequantizeV3 "n" (%a, %b, %c, %d) <{T = f32}>
            : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
    """

    name = "tf.QuantizeAndDequantizeV3"
    input = operand_def()
    input_min = operand_def()
    input_max = operand_def()
    num_bits = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "signed_input": True,
        "range_given": True,
        "T": Kind.TYPE,
        "narrow_range": False,
        "axis": -1,
    }
    OUTPUTS: ClassVar = ("T",)


OPS = (
    Conv2DOp,
    Conv2DBackpropInputOp,
    DepthwiseConv2dNativeOp,
    Conv3DOp,
    Dilation2DOp,
    BiasAddOp,
    FusedBatchNormOp,
    FusedBatchNormV2Op,
    FusedBatchNormV3Op,
    LRNOp,
    MaxPoolOp,
    MaxPoolV2Op,
    MaxPoolWithArgmaxOp,
    MaxPool3DOp,
    AvgPoolOp,
    AvgPool3DOp,
    ReluOp,
    Relu6Op,
    EluOp,
    SeluOp,
    LeakyReluOp,
    SoftplusOp,
    SoftsignOp,
    SoftmaxOp,
    LogSoftmaxOp,
    L2LossOp,
    FakeQuantWithMinMaxArgsOp,
    FakeQuantWithMinMaxVarsOp,
    FakeQuantWithMinMaxVarsPerChannelOp,
    QuantizeAndDequantizeV2Op,
    QuantizeAndDequantizeV3Op,
)
