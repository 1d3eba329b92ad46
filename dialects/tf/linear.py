"""Reductions, products of matrices, transforms.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import f32, i1, i32, i64
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind, complex64
from autosplit.dialects.tf.base import FixedOutputs, ManyInputs, NodeOp


class Reduction(NodeOp, ABC):
    """Base of ops that reduce along axes."""

    input = operand_def()
    reduction_indices = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"keep_dims": False, "T": Kind.TYPE, "Tidx": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class AddNOp(ManyInputs, FixedOutputs):
    """The sum of all inputs, which have one shape.

    Example:

        %y = tf.AddN "n" (%a, %b) <{N = 2 : i64, T = f32}>
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.AddN"
    sum = result_def()
    INPUTS: ClassVar = ("N",)
    ATTRIBUTES: ClassVar = {"N": Kind.INT, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class AllOp(NodeOp):
    """Whether all elements along the axes `reduction_indices` are true.

    Example:

        %y = tf.All "n" (%x, %w) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>
    """

    name = "tf.All"
    input = operand_def()
    reduction_indices = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"keep_dims": False, "Tidx": i32}
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class AnyOp(NodeOp):
    """Whether any element along the axes `reduction_indices` is true.

    Example:

        %y = tf.Any "n" (%x, %w) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>
    """

    name = "tf.Any"
    input = operand_def()
    reduction_indices = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"keep_dims": False, "Tidx": i32}
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class ArgMaxOp(NodeOp):
    """The position of the largest element along axis `dimension`.

    Example:

        %y = tf.ArgMax "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>
    """

    name = "tf.ArgMax"
    input = operand_def()
    dimension = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tidx": i32, "output_type": i64}
    OUTPUTS: ClassVar = ("output_type",)


@irdl_op_definition
class ArgMinOp(NodeOp):
    """The position of the smallest element along axis `dimension`.

    Example:

        %y = tf.ArgMin "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>
    """

    name = "tf.ArgMin"
    input = operand_def()
    dimension = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tidx": i32, "output_type": i64}
    OUTPUTS: ClassVar = ("output_type",)


@irdl_op_definition
class BatchMatMulOp(NodeOp):
    """The products of the last two dimensions; all others are equal.

    Example:

        %y = tf.BatchMatMul "n" (%x, %w) <{T = f32}>
            : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    """

    name = "tf.BatchMatMul"
    x = operand_def()
    y = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "adj_x": False,
        "adj_y": False,
        "grad_x": False,
        "grad_y": False,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class BatchMatMulV2Op(NodeOp):
    """The products of the last two dimensions; the others are broadcast.

    Example:

        %y = tf.BatchMatMulV2 "n" (%x, %w) <{T = f32}>
            : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    """

    name = "tf.BatchMatMulV2"
    x = operand_def()
    y = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "adj_x": False,
        "adj_y": False,
        "grad_x": False,
        "grad_y": False,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class BatchMatMulV3Op(NodeOp):
    """BatchMatMulV2 with a dtype of its own for the result.

    Example:

        %y = tf.BatchMatMulV3 "n" (%x, %w) <{Ta = i8, Tb = i8, Tout = i32}>
            : (tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>
    """

    name = "tf.BatchMatMulV3"
    x = operand_def()
    y = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "Ta": Kind.TYPE,
        "Tb": Kind.TYPE,
        "Tout": Kind.TYPE,
        "adj_x": False,
        "adj_y": False,
        "grad_x": False,
        "grad_y": False,
    }
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class CumsumOp(NodeOp):
    """The running sum along `axis`.

    Example:

        %y = tf.Cumsum "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
    """

    name = "tf.Cumsum"
    x = operand_def()
    axis = operand_def()
    out = result_def()
    ATTRIBUTES: ClassVar = {"exclusive": False, "reverse": False, "T": Kind.TYPE, "Tidx": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class EinsumOp(ManyInputs, FixedOutputs):
    """The sum of products that `equation` describes.

    Example:

        %y = tf.Einsum "n" (%a, %b) <{equation = "ij,jk->ik", N = 2 : i64, T = f32}>
            : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Einsum"
    output = result_def()
    INPUTS: ClassVar = ("N",)
    ATTRIBUTES: ClassVar = {"equation": Kind.STRING, "N": Kind.INT, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class FFTOp(NodeOp):
    """The discrete Fourier transform of the last dimension.

    Example:

        %y = tf.FFT "n" (%x) <{Tcomplex = complex<f32>}>
            : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
    """

    name = "tf.FFT"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"Tcomplex": complex64}
    OUTPUTS: ClassVar = ("Tcomplex",)


@irdl_op_definition
class MatMulOp(NodeOp):
    """The product of two matrices, each transposed first where its attribute says so.

    Example:

        %y = tf.MatMul "n" (%x, %w) <{T = f32}>
            : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.MatMul"
    a = operand_def()
    b = operand_def()
    product = result_def()
    ATTRIBUTES: ClassVar = {
        "transpose_a": False,
        "transpose_b": False,
        "T": Kind.TYPE,
        "grad_a": False,
        "grad_b": False,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class MatrixBandPartOp(NodeOp):
    """Each matrix with everything outside a band around its diagonal set to zero.

    Example:

        %y = tf.MatrixBandPart "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
    """

    name = "tf.MatrixBandPart"
    input = operand_def()
    num_lower = operand_def()
    num_upper = operand_def()
    band = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tindex": i64}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class MaxOp(Reduction):
    """The largest element along the axes `reduction_indices`.

    Example:

        %y = tf.Max "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.Max"


@irdl_op_definition
class MeanOp(Reduction):
    """The mean along the axes `reduction_indices`.

    Example:

        %y = tf.Mean "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.Mean"


@irdl_op_definition
class MinOp(Reduction):
    """The smallest element along the axes `reduction_indices`.

    Example:

        %y = tf.Min "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.Min"


@irdl_op_definition
class ProdOp(Reduction):
    """The product along the axes `reduction_indices`.

    Example:

        %y = tf.Prod "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.Prod"


@irdl_op_definition
class RFFTOp(NodeOp):
    """The discrete Fourier transform of real numbers, without the mirrored half.

    Example:

        %y = tf.RFFT "n" (%x, %w) <{Tcomplex = complex<f32>}>
            : (tensor<8xf32>, tensor<1xi32>) -> tensor<5xcomplex<f32>>
    """

    name = "tf.RFFT"
    input = operand_def()
    fft_length = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"Treal": f32, "Tcomplex": complex64}
    OUTPUTS: ClassVar = ("Tcomplex",)


@irdl_op_definition
class SegmentSumOp(NodeOp):
    """Sums of the rows of `data` that share a number in `segment_ids`, which is sorted.

    Example:

        %y = tf.SegmentSum "n" (%x, %w) <{T = f32, Tindices = i32}>
            : (tensor<4x2xf32>, tensor<4xi32>) -> tensor<3x2xf32>
    """

    name = "tf.SegmentSum"
    data = operand_def()
    segment_ids = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tindices": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SumOp(Reduction):
    """The sum along the axes `reduction_indices`.

    Example:

        %y = tf.Sum "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.Sum"


@irdl_op_definition
class UnsortedSegmentSumOp(NodeOp):
    """Sums of the rows of `data` that share a number in `segment_ids`.

    Example:

        %y = tf.UnsortedSegmentSum "n" (%x, %w, %b) <{T = f32, Tindices = i32}>
            : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> tensor<3x2xf32>
    """

    name = "tf.UnsortedSegmentSum"
    data = operand_def()
    segment_ids = operand_def()
    num_segments = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tindices": Kind.TYPE, "Tnumsegments": i32}
    OUTPUTS: ClassVar = ("T",)


OPS = (
    AddNOp,
    AllOp,
    AnyOp,
    ArgMaxOp,
    ArgMinOp,
    BatchMatMulOp,
    BatchMatMulV2Op,
    BatchMatMulV3Op,
    CumsumOp,
    EinsumOp,
    FFTOp,
    MatMulOp,
    MatrixBandPartOp,
    MaxOp,
    MeanOp,
    MinOp,
    ProdOp,
    RFFTOp,
    SegmentSumOp,
    SumOp,
    UnsortedSegmentSumOp,
)
