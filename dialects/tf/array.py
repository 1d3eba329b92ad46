"""Moving, selecting and making elements; shapes as values.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import i1, i32, i64
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind
from autosplit.dialects.tf.base import FixedInputs, FixedOutputs, ManyInputs, ManyOutputs, NodeOp


@irdl_op_definition
class BatchToSpaceNDOp(NodeOp):
    """Moves blocks of the batch dimension into the spatial ones, and crops.

    Example:

        %y = tf.BatchToSpaceND "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>
    """

    name = "tf.BatchToSpaceND"
    input = operand_def()
    block_shape = operand_def()
    crops = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tblock_shape": i32, "Tcrops": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class BroadcastArgsOp(NodeOp):
    """The shape that two shapes broadcast to.

    Example:

        %y = tf.BroadcastArgs "n" (%x, %w) <{T = i32}>
            : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    """

    name = "tf.BroadcastArgs"
    s0 = operand_def()
    s1 = operand_def()
    r0 = result_def()
    ATTRIBUTES: ClassVar = {"T": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class BroadcastToOp(NodeOp):
    """`input` broadcast to the shape `shape`.

    Example:

        %y = tf.BroadcastTo "n" (%x, %w) <{T = f32}>
            : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
    """

    name = "tf.BroadcastTo"
    input = operand_def()
    shape = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tidx": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ConcatOp(ManyInputs, FixedOutputs):
    """The values joined along the axis `concat_dim`.

    Example:

        %y = tf.Concat "n" (%a, %b, %c) <{N = 2 : i64, T = f32}>
            : (tensor<i32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Concat"
    output = result_def()
    INPUTS: ClassVar = ("", "N")
    ATTRIBUTES: ClassVar = {"N": Kind.INT, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ConcatV2Op(ManyInputs, FixedOutputs):
    """The values joined along `axis`, which is the last input.

    Example:

        %y = tf.ConcatV2 "n" (%a, %b, %c) <{N = 2 : i64, T = f32}>
            : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<i32>) -> tensor<2x4xf32>
    """

    name = "tf.ConcatV2"
    output = result_def()
    INPUTS: ClassVar = ("N", "")
    ATTRIBUTES: ClassVar = {"N": Kind.INT, "T": Kind.TYPE, "Tidx": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class DepthToSpaceOp(NodeOp):
    """Moves blocks of channels into the spatial dimensions.

    Example:

        %y = tf.DepthToSpace "n" (%x) <{T = f32, block_size = 2 : i64}>
            : (tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32>
    """

    name = "tf.DepthToSpace"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "block_size": Kind.INT, "data_format": "NHWC"}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class DynamicPartitionOp(FixedInputs, ManyOutputs):
    """`data` distributed to num_partitions outputs, by the numbers in `partitions`.

    Example:

        %y, %z = tf.DynamicPartition "n" (%x, %w) <{num_partitions = 2 : i64, T = f32}>
            : (tensor<4xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?xf32>)
    """

    name = "tf.DynamicPartition"
    data = operand_def()
    partitions = operand_def()
    ATTRIBUTES: ClassVar = {"num_partitions": Kind.INT, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("num_partitions * T",)


@irdl_op_definition
class DynamicStitchOp(ManyInputs, FixedOutputs):
    """The pieces in `data` put at the positions in `indices`; the N inputs of indices come first.

    Example:

        %y = tf.DynamicStitch "n" (%a, %b, %c, %d) <{N = 2 : i64, T = f32}>
            : (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    """

    name = "tf.DynamicStitch"
    merged = result_def()
    INPUTS: ClassVar = ("N", "N")
    ATTRIBUTES: ClassVar = {"N": Kind.INT, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class EnsureShapeOp(NodeOp):
    """`input`, checked to have the shape.

    Example:

        %y = tf.EnsureShape "n" (%x) <{shape = #tf.shape<[4]>, T = f32}>
            : (tensor<*xf32>) -> tensor<4xf32>
    """

    name = "tf.EnsureShape"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"shape": Kind.SHAPE, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ExpandDimsOp(NodeOp):
    """`input` with a dimension of one at `dim`.

    Example:

        %y = tf.ExpandDims "n" (%x, %w) <{T = f32}>
            : (tensor<4xf32>, tensor<i32>) -> tensor<1x4xf32>
    """

    name = "tf.ExpandDims"
    input = operand_def()
    dim = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tdim": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ExtractImagePatchesOp(NodeOp):
    """Each window of the images as the channels of one pixel.

    Example:

        %y = tf.ExtractImagePatches "n" (%x) <{ksizes = array<i64: 1, 2, 2, 1>,
              strides = array<i64: 1, 2, 2, 1>, rates = array<i64: 1, 1, 1, 1>, T = f32,
              padding = "VALID"}>
            : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x12xf32>
    """

    name = "tf.ExtractImagePatches"
    images = operand_def()
    patches = result_def()
    ATTRIBUTES: ClassVar = {
        "ksizes": Kind.INTS,
        "strides": Kind.INTS,
        "rates": Kind.INTS,
        "T": Kind.TYPE,
        "padding": Kind.STRING,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class FillOp(NodeOp):
    """A tensor of the shape `dims`, each element `value`.

    Example:

        %y = tf.Fill "n" (%x, %w) <{T = f32}> : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>
    """

    name = "tf.Fill"
    dims = operand_def()
    value = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "index_type": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class GatherOp(NodeOp):
    """The slices of `params` at `indices` along its first dimension.

    Example:

        %y = tf.Gather "n" (%x, %w) <{Tparams = f32, Tindices = i32}>
            : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    """

    name = "tf.Gather"
    params = operand_def()
    indices = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"validate_indices": True, "Tparams": Kind.TYPE, "Tindices": Kind.TYPE}
    OUTPUTS: ClassVar = ("Tparams",)


@irdl_op_definition
class GatherNdOp(NodeOp):
    """The elements or slices of `params` at the coordinates in the last dimension of `indices`.

    Example:

        %y = tf.GatherNd "n" (%x, %w) <{Tparams = f32, Tindices = i32}>
            : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
    """

    name = "tf.GatherNd"
    params = operand_def()
    indices = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"Tparams": Kind.TYPE, "Tindices": Kind.TYPE, "bad_indices_policy": ""}
    OUTPUTS: ClassVar = ("Tparams",)


@irdl_op_definition
class GatherV2Op(NodeOp):
    """The slices of `params` at `indices` along `axis`.

    Example:

        %y = tf.GatherV2 "n" (%x, %w, %b) <{Tparams = f32, Tindices = i32, Taxis = i32}>
            : (tensor<4x2xf32>, tensor<3xi32>, tensor<i32>) -> tensor<3x2xf32>
    """

    name = "tf.GatherV2"
    params = operand_def()
    indices = operand_def()
    axis = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "batch_dims": 0,
        "Tparams": Kind.TYPE,
        "Tindices": Kind.TYPE,
        "Taxis": Kind.TYPE,
    }
    OUTPUTS: ClassVar = ("Tparams",)


@irdl_op_definition
class InvertPermutationOp(NodeOp):
    """y with y[x[i]] = i.

    Example:

        %y = tf.InvertPermutation "n" (%x) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>
    """

    name = "tf.InvertPermutation"
    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class LinSpaceOp(NodeOp):
    """`num` numbers, evenly spaced from `start` to `stop`.

    Example:

        %y = tf.LinSpace "n" (%x, %w, %b) <{T = f32}>
            : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
    """

    name = "tf.LinSpace"
    start = operand_def()
    stop = operand_def()
    num = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tidx": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ListDiffOp(NodeOp):
    """The elements of x that are not in y, and their positions.

    Example:

        %y, %z = tf.ListDiff "n" (%x, %w) <{T = i32}>
            : (tensor<4xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
    """

    name = "tf.ListDiff"
    x = operand_def()
    y = operand_def()
    out = result_def()
    idx = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "out_idx": i32}
    OUTPUTS: ClassVar = ("T", "out_idx")


@irdl_op_definition
class MirrorPadOp(NodeOp):
    """`input` with a mirrored border.

    Example:

        %y = tf.MirrorPad "n" (%x, %w) <{T = f32, mode = "REFLECT"}>
            : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>
    """

    name = "tf.MirrorPad"
    input = operand_def()
    paddings = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tpaddings": i32, "mode": Kind.STRING}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class OneHotOp(NodeOp):
    """`on_value` at the index, `off_value` elsewhere, along a new dimension of size `depth`.

    Example:

        %y = tf.OneHot "n" (%a, %b, %c, %d) <{T = f32, TI = i32}>
            : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
    """

    name = "tf.OneHot"
    indices = operand_def()
    depth = operand_def()
    on_value = operand_def()
    off_value = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"axis": -1, "T": Kind.TYPE, "TI": i64}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class OnesLikeOp(NodeOp):
    """Ones in the shape of x.

    Example:

        %y = tf.OnesLike "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.OnesLike"
    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class PackOp(ManyInputs, FixedOutputs):
    """The values stacked along a new dimension.

    Example:

        %y = tf.Pack "n" (%a, %b) <{N = 2 : i64, T = f32}>
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Pack"
    output = result_def()
    INPUTS: ClassVar = ("N",)
    ATTRIBUTES: ClassVar = {"N": Kind.INT, "T": Kind.TYPE, "axis": 0}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class PadOp(NodeOp):
    """`input` with a border of zeros.

    Example:

        %y = tf.Pad "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>
    """

    name = "tf.Pad"
    input = operand_def()
    paddings = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tpaddings": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class PadV2Op(NodeOp):
    """`input` with a border of `constant_values`.

    Example:

        %y = tf.PadV2 "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<6xf32>
    """

    name = "tf.PadV2"
    input = operand_def()
    paddings = operand_def()
    constant_values = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tpaddings": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class RangeOp(NodeOp):
    """The numbers from `start` to below `limit`, in steps of `delta`.

    Example:

        %y = tf.Range "n" (%x, %w, %b) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>
    """

    name = "tf.Range"
    start = operand_def()
    limit = operand_def()
    delta = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"Tidx": i32}
    OUTPUTS: ClassVar = ("Tidx",)


@irdl_op_definition
class RankOp(NodeOp):
    """The number of dimensions of `input`.

    Example:

        %y = tf.Rank "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>
    """

    name = "tf.Rank"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = (i32,)


@irdl_op_definition
class ReshapeOp(NodeOp):
    """The elements of `tensor` in another shape; one size of -1 is inferred.

    Example:

        %y = tf.Reshape "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<8xf32>
    """

    name = "tf.Reshape"
    tensor = operand_def()
    shape = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tshape": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ReverseOp(NodeOp):
    """`tensor` reversed along the dimensions whose flag is true.

    Example:

        %y = tf.Reverse "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<2xi1>) -> tensor<2x4xf32>
    """

    name = "tf.Reverse"
    tensor = operand_def()
    dims = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ReverseSequenceOp(NodeOp):
    """Each row reversed up to its own length.

    Example:

        %y = tf.ReverseSequence "n" (%x, %w) <{seq_dim = 1 : i64, T = f32}>
            : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    """

    name = "tf.ReverseSequence"
    input = operand_def()
    seq_lengths = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"seq_dim": Kind.INT, "batch_dim": 0, "T": Kind.TYPE, "Tlen": i64}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ReverseV2Op(NodeOp):
    """`tensor` reversed along the axes.

    Example:

        %y = tf.ReverseV2 "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
    """

    name = "tf.ReverseV2"
    tensor = operand_def()
    axis = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"Tidx": i32, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class RollOp(NodeOp):
    """`input` shifted along the axes, around the end.

    Example:

        %y = tf.Roll "n" (%x, %w, %b) <{T = f32, Tshift = i32, Taxis = i32}>
            : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>
    """

    name = "tf.Roll"
    input = operand_def()
    shift = operand_def()
    axis = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tshift": Kind.TYPE, "Taxis": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ScatterNdOp(NodeOp):
    """Zeros of the shape `shape`, with `updates` added at `indices`.

    Example:

        %y = tf.ScatterNd "n" (%x, %w, %b) <{T = f32, Tindices = i32}>
            : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> tensor<4xf32>
    """

    name = "tf.ScatterNd"
    indices = operand_def()
    updates = operand_def()
    shape = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tindices": Kind.TYPE, "bad_indices_policy": ""}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SelectOp(NodeOp):
    """`t` where the condition is true, else `e`; a condition of rank one selects rows.

    Example:

        %y = tf.Select "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Select"
    condition = operand_def()
    t = operand_def()
    e = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SelectV2Op(NodeOp):
    """`t` where the condition is true, else `e`, broadcast.

    Example:

        %y = tf.SelectV2 "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    """

    name = "tf.SelectV2"
    condition = operand_def()
    t = operand_def()
    e = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ShapeOp(NodeOp):
    """The shape of `input`.

    Example:

        %y = tf.Shape "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2xi32>
    """

    name = "tf.Shape"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "out_type": i32}
    OUTPUTS: ClassVar = ("out_type",)


@irdl_op_definition
class ShapeNOp(ManyInputs, ManyOutputs):
    """The shape of each input.

    Example:

        %y, %z = tf.ShapeN "n" (%a, %b) <{N = 2 : i64, T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2xi32>, tensor<1xi32>)
    """

    name = "tf.ShapeN"
    INPUTS: ClassVar = ("N",)
    ATTRIBUTES: ClassVar = {"N": Kind.INT, "T": Kind.TYPE, "out_type": i32}
    OUTPUTS: ClassVar = ("N * out_type",)


@irdl_op_definition
class SizeOp(NodeOp):
    """The number of elements of `input`.

    Example:

        %y = tf.Size "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>
    """

    name = "tf.Size"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "out_type": i32}
    OUTPUTS: ClassVar = ("out_type",)


@irdl_op_definition
class SliceOp(NodeOp):
    """The part of `input` that starts at `begin` and has the sizes `size`; -1 means up to the end.

    Example:

        %y = tf.Slice "n" (%x, %w, %b) <{T = f32, Index = i32}>
            : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.Slice"
    input = operand_def()
    begin = operand_def()
    size = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Index": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SpaceToBatchNDOp(NodeOp):
    """Pads, and moves blocks of the spatial dimensions into the batch dimension.

    Example:

        %y = tf.SpaceToBatchND "n" (%x, %w, %b) <{T = f32}>
            : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4x2x2x1xf32>
    """

    name = "tf.SpaceToBatchND"
    input = operand_def()
    block_shape = operand_def()
    paddings = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tblock_shape": i32, "Tpaddings": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SpaceToDepthOp(NodeOp):
    """Moves blocks of the spatial dimensions into channels.

    Example:

        %y = tf.SpaceToDepth "n" (%x) <{T = f32, block_size = 2 : i64}>
            : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x4xf32>
    """

    name = "tf.SpaceToDepth"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "block_size": Kind.INT, "data_format": "NHWC"}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SparseToDenseOp(NodeOp):
    """`default_value` in the shape `output_shape`, with the sparse values put in.

    Example:

        %y = tf.SparseToDense "n" (%a, %b, %c, %d) <{T = f32, Tindices = i32}>
            : (tensor<2x1xi32>, tensor<1xi32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
    """

    name = "tf.SparseToDense"
    sparse_indices = operand_def()
    output_shape = operand_def()
    sparse_values = operand_def()
    default_value = operand_def()
    dense = result_def()
    ATTRIBUTES: ClassVar = {"validate_indices": True, "T": Kind.TYPE, "Tindices": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SplitOp(FixedInputs, ManyOutputs):
    """`value` in num_split equal parts along the axis `split_dim`.

    Example:

        %y, %z = tf.Split "n" (%x, %w) <{num_split = 2 : i64, T = f32}>
            : (tensor<i32>, tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    """

    name = "tf.Split"
    split_dim = operand_def()
    value = operand_def()
    ATTRIBUTES: ClassVar = {"num_split": Kind.INT, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("num_split * T",)


@irdl_op_definition
class SplitVOp(FixedInputs, ManyOutputs):
    """`value` in parts of the sizes `size_splits`.

    Example:

        %y, %z = tf.SplitV "n" (%x, %w, %b) <{num_split = 2 : i64, T = f32, Tlen = i32}>
            : (tensor<2x4xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
    """

    name = "tf.SplitV"
    value = operand_def()
    size_splits = operand_def()
    split_dim = operand_def()
    ATTRIBUTES: ClassVar = {"num_split": Kind.INT, "T": Kind.TYPE, "Tlen": i64}
    OUTPUTS: ClassVar = ("num_split * T",)


@irdl_op_definition
class SqueezeOp(NodeOp):
    """`input` without the dimensions of one that squeeze_dims names, or without all of them.

    Example:

        %y = tf.Squeeze "n" (%x) <{T = f32}> : (tensor<1x4x1xf32>) -> tensor<4xf32>
    """

    name = "tf.Squeeze"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "squeeze_dims": ()}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class StridedSliceOp(NodeOp):
    """`input[begin:end:strides]`; masks mark open ends, and dimensions that are added or removed.

    Example:

        %y = tf.StridedSlice "n" (%a, %b, %c, %d) <{T = f32, Index = i32}>
            : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
    """

    name = "tf.StridedSlice"
    input = operand_def()
    begin = operand_def()
    end = operand_def()
    strides = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "Index": Kind.TYPE,
        "begin_mask": 0,
        "end_mask": 0,
        "ellipsis_mask": 0,
        "new_axis_mask": 0,
        "shrink_axis_mask": 0,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class TensorScatterUpdateOp(NodeOp):
    """`tensor` with `updates` put at `indices`.

    Example:

        %y = tf.TensorScatterUpdate "n" (%x, %w, %b) <{T = f32, Tindices = i32}>
            : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
    """

    name = "tf.TensorScatterUpdate"
    tensor = operand_def()
    indices = operand_def()
    updates = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tindices": Kind.TYPE, "bad_indices_policy": ""}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class TileOp(NodeOp):
    """`input` repeated along each dimension.

    Example:

        %y = tf.Tile "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<8xf32>
    """

    name = "tf.Tile"
    input = operand_def()
    multiples = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tmultiples": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class TransposeOp(NodeOp):
    """x with its dimensions in the order `perm`.

    Example:

        %y = tf.Transpose "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<4x2xf32>
    """

    name = "tf.Transpose"
    x = operand_def()
    perm = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "Tperm": i32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class UniqueOp(NodeOp):
    """The elements of x without repeats, and for each element of x its index among them.

    Example:

        %y, %z = tf.Unique "n" (%x) <{T = i32}> : (tensor<4xi32>) -> (tensor<?xi32>, tensor<4xi32>)
    """

    name = "tf.Unique"
    x = operand_def()
    y = result_def()
    idx = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "out_idx": i32}
    OUTPUTS: ClassVar = ("T", "out_idx")


@irdl_op_definition
class UnpackOp(FixedInputs, ManyOutputs):
    """The slices of `value` along an axis, without that axis.

    Example:

        %y, %z = tf.Unpack "n" (%x) <{num = 2 : i64, T = f32}>
            : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    """

    name = "tf.Unpack"
    value = operand_def()
    ATTRIBUTES: ClassVar = {"num": Kind.INT, "T": Kind.TYPE, "axis": 0}
    OUTPUTS: ClassVar = ("num * T",)


@irdl_op_definition
class WhereOp(NodeOp):
    """The coordinates of the elements that are true, or not zero.

    Example:

        %y = tf.Where "n" (%x) <{T = i1}> : (tensor<4xi1>) -> tensor<?x1xi64>
    """

    name = "tf.Where"
    input = operand_def()
    index = result_def()
    ATTRIBUTES: ClassVar = {"T": i1}
    OUTPUTS: ClassVar = (i64,)


@irdl_op_definition
class ZerosLikeOp(NodeOp):
    """Zeros in the shape of x.

    Example:

        %y = tf.ZerosLike "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.ZerosLike"
    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


OPS = (
    BatchToSpaceNDOp,
    BroadcastArgsOp,
    BroadcastToOp,
    ConcatOp,
    ConcatV2Op,
    DepthToSpaceOp,
    DynamicPartitionOp,
    DynamicStitchOp,
    EnsureShapeOp,
    ExpandDimsOp,
    ExtractImagePatchesOp,
    FillOp,
    GatherOp,
    GatherNdOp,
    GatherV2Op,
    InvertPermutationOp,
    LinSpaceOp,
    ListDiffOp,
    MirrorPadOp,
    OneHotOp,
    OnesLikeOp,
    PackOp,
    PadOp,
    PadV2Op,
    RangeOp,
    RankOp,
    ReshapeOp,
    ReverseOp,
    ReverseSequenceOp,
    ReverseV2Op,
    RollOp,
    ScatterNdOp,
    SelectOp,
    SelectV2Op,
    ShapeOp,
    ShapeNOp,
    SizeOp,
    SliceOp,
    SpaceToBatchNDOp,
    SpaceToDepthOp,
    SparseToDenseOp,
    SplitOp,
    SplitVOp,
    SqueezeOp,
    StridedSliceOp,
    TensorScatterUpdateOp,
    TileOp,
    TransposeOp,
    UniqueOp,
    UnpackOp,
    WhereOp,
    ZerosLikeOp,
)
