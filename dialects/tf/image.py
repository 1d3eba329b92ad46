"""Images and detections: resizing, decoding, selecting the best.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import f32, i32
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind, ui8
from autosplit.dialects.tf.base import NodeOp


@irdl_op_definition
class AdjustContrastv2Op(NodeOp):
    """Each channel's distance from its mean, scaled.

    Example:

        %y = tf.AdjustContrastv2 "n" (%x, %w) <{T = f32}>
            : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
    """

    name = "tf.AdjustContrastv2"
    images = operand_def()
    contrast_factor = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": f32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class CombinedNonMaxSuppressionOp(NodeOp):
    """Non-maximum suppression for each class and image, the best of all classes together.

    Example:

        %y, %z, %u, %v = tf.CombinedNonMaxSuppression "n" (%a, %b, %c, %d, %e, %f)
            : (tensor<1x9x1x4xf32>, tensor<1x9x2xf32>, tensor<i32>, tensor<i32>, tensor<f32>,
              tensor<f32>) -> (tensor<1x5x4xf32>, tensor<1x5xf32>, tensor<1x5xf32>, tensor<1xi32>)
    """

    name = "tf.CombinedNonMaxSuppression"
    boxes = operand_def()
    scores = operand_def()
    max_output_size_per_class = operand_def()
    max_total_size = operand_def()
    iou_threshold = operand_def()
    score_threshold = operand_def()
    nmsed_boxes = result_def()
    nmsed_scores = result_def()
    nmsed_classes = result_def()
    valid_detections = result_def()
    ATTRIBUTES: ClassVar = {"pad_per_class": False, "clip_boxes": True}
    OUTPUTS: ClassVar = (f32, f32, f32, i32)


@irdl_op_definition
class CropAndResizeOp(NodeOp):
    """The boxes cut out of the images, each resized to `crop_size`.

    Example:

        %y = tf.CropAndResize "n" (%a, %b, %c, %d) <{T = f32}>
            : (tensor<1x8x8x3xf32>, tensor<2x4xf32>, tensor<2xi32>,
              tensor<2xi32>) -> tensor<2x4x4x3xf32>
    """

    name = "tf.CropAndResize"
    image = operand_def()
    boxes = operand_def()
    box_ind = operand_def()
    crop_size = operand_def()
    crops = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "method": "bilinear", "extrapolation_value": 0.0}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class DecodeJpegOp(NodeOp):
    """The pixels of a JPEG file.

    Example:

        %y = tf.DecodeJpeg "n" (%x) : (tensor<!tf.string>) -> tensor<?x?x?xui8>
    """

    name = "tf.DecodeJpeg"
    contents = operand_def()
    image = result_def()
    ATTRIBUTES: ClassVar = {
        "channels": 0,
        "ratio": 1,
        "fancy_upscaling": True,
        "try_recover_truncated": False,
        "acceptable_fraction": 1.0,
        "dct_method": "",
    }
    OUTPUTS: ClassVar = (ui8,)


@irdl_op_definition
class DecodePngOp(NodeOp):
    """The pixels of a PNG file.

    Example:

        %y = tf.DecodePng "n" (%x) : (tensor<!tf.string>) -> tensor<?x?x?xui8>
    """

    name = "tf.DecodePng"
    contents = operand_def()
    image = result_def()
    ATTRIBUTES: ClassVar = {"channels": 0, "dtype": ui8}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class DecodeRawOp(NodeOp):
    """The bytes of strings as numbers.

    Example:

        %y = tf.DecodeRaw "n" (%x) <{out_type = ui8}> : (tensor<!tf.string>) -> tensor<?xui8>
    """

    name = "tf.DecodeRaw"
    bytes = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"out_type": Kind.TYPE, "little_endian": True}
    OUTPUTS: ClassVar = ("out_type",)


@irdl_op_definition
class HSVToRGBOp(NodeOp):
    """Hue, saturation and value to red, green and blue.

    Example:

        %y = tf.HSVToRGB "n" (%x) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
    """

    name = "tf.HSVToRGB"
    images = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": f32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class NonMaxSuppressionOp(NodeOp):
    """The indices of the boxes of highest score that do not overlap a better one too much.

    Example:

        %y = tf.NonMaxSuppression "n" (%x, %w, %b)
            : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>) -> tensor<?xi32>
    """

    name = "tf.NonMaxSuppression"
    boxes = operand_def()
    scores = operand_def()
    max_output_size = operand_def()
    selected_indices = result_def()
    ATTRIBUTES: ClassVar = {"iou_threshold": 0.5}
    OUTPUTS: ClassVar = (i32,)


@irdl_op_definition
class NonMaxSuppressionV2Op(NodeOp):
    """NonMaxSuppression with the threshold as an input.

    Example:

        %y = tf.NonMaxSuppressionV2 "n" (%a, %b, %c, %d) <{T = f32}>
            : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>) -> tensor<?xi32>
    """

    name = "tf.NonMaxSuppressionV2"
    boxes = operand_def()
    scores = operand_def()
    max_output_size = operand_def()
    iou_threshold = operand_def()
    selected_indices = result_def()
    ATTRIBUTES: ClassVar = {"T": f32, "T_threshold": f32}
    OUTPUTS: ClassVar = (i32,)


@irdl_op_definition
class NonMaxSuppressionV3Op(NodeOp):
    """NonMaxSuppressionV2 that also leaves out scores below a threshold.

    Example:

        %y = tf.NonMaxSuppressionV3 "n" (%a, %b, %c, %d, %e) <{T = f32}>
            : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>,
              tensor<f32>) -> tensor<?xi32>
    """

    name = "tf.NonMaxSuppressionV3"
    boxes = operand_def()
    scores = operand_def()
    max_output_size = operand_def()
    iou_threshold = operand_def()
    score_threshold = operand_def()
    selected_indices = result_def()
    ATTRIBUTES: ClassVar = {"T": f32, "T_threshold": f32}
    OUTPUTS: ClassVar = (i32,)


@irdl_op_definition
class NonMaxSuppressionV4Op(NodeOp):
    """NonMaxSuppressionV3 that may pad its result, and says how many are valid.

    Example:

        %y, %z = tf.NonMaxSuppressionV4 "n" (%a, %b, %c, %d, %e) <{T = f32}>
            : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>,
              tensor<f32>) -> (tensor<?xi32>, tensor<i32>)
    """

    name = "tf.NonMaxSuppressionV4"
    boxes = operand_def()
    scores = operand_def()
    max_output_size = operand_def()
    iou_threshold = operand_def()
    score_threshold = operand_def()
    selected_indices = result_def()
    valid_outputs = result_def()
    ATTRIBUTES: ClassVar = {"T": f32, "T_threshold": f32, "pad_to_max_output_size": False}
    OUTPUTS: ClassVar = (i32, i32)


@irdl_op_definition
class NonMaxSuppressionV5Op(NodeOp):
    """NonMaxSuppressionV4 that may lower the scores of overlapping boxes instead of dropping them.

    Example:

        %y, %z, %u = tf.NonMaxSuppressionV5 "n" (%a, %b, %c, %d, %e, %f) <{T = f32}>
            : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>,
              tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
    """

    name = "tf.NonMaxSuppressionV5"
    boxes = operand_def()
    scores = operand_def()
    max_output_size = operand_def()
    iou_threshold = operand_def()
    score_threshold = operand_def()
    soft_nms_sigma = operand_def()
    selected_indices = result_def()
    selected_scores = result_def()
    valid_outputs = result_def()
    ATTRIBUTES: ClassVar = {"T": f32, "pad_to_max_output_size": False}
    OUTPUTS: ClassVar = (i32, "T", i32)


@irdl_op_definition
class RGBToHSVOp(NodeOp):
    """Red, green and blue to hue, saturation and value.

    Example:

        %y = tf.RGBToHSV "n" (%x) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
    """

    name = "tf.RGBToHSV"
    images = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": f32}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ResizeBicubicOp(NodeOp):
    """The images in another size, by cubic interpolation.

    Example:

        %y = tf.ResizeBicubic "n" (%x, %w) <{T = f32}>
            : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
    """

    name = "tf.ResizeBicubic"
    images = operand_def()
    size = operand_def()
    resized_images = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "align_corners": False, "half_pixel_centers": False}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class ResizeBilinearOp(NodeOp):
    """The images in another size, by linear interpolation.

    Example:

        %y = tf.ResizeBilinear "n" (%x, %w) <{T = f32}>
            : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
    """

    name = "tf.ResizeBilinear"
    images = operand_def()
    size = operand_def()
    resized_images = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "align_corners": False, "half_pixel_centers": False}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class ResizeNearestNeighborOp(NodeOp):
    """The images in another size, each pixel the nearest one.

    Example:

        %y = tf.ResizeNearestNeighbor "n" (%x, %w) <{T = f32}>
            : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
    """

    name = "tf.ResizeNearestNeighbor"
    images = operand_def()
    size = operand_def()
    resized_images = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "align_corners": False, "half_pixel_centers": False}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class TopKOp(NodeOp):
    """The k largest elements of each row, and their positions.

    Example:

        %y, %z = tf.TopK "n" (%x) <{k = 3 : i64, T = f32}>
            : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    """

    name = "tf.TopK"
    input = operand_def()
    values = result_def()
    indices = result_def()
    ATTRIBUTES: ClassVar = {"k": Kind.INT, "sorted": True, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T", i32)


@irdl_op_definition
class TopKV2Op(NodeOp):
    """TopK with k as an input.

    Example:

        %y, %z = tf.TopKV2 "n" (%x, %w) <{T = f32}>
            : (tensor<2x9xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    """

    name = "tf.TopKV2"
    input = operand_def()
    k = operand_def()
    values = result_def()
    indices = result_def()
    ATTRIBUTES: ClassVar = {"sorted": True, "T": Kind.TYPE, "Tk": i32, "index_type": i32}
    OUTPUTS: ClassVar = ("T", "index_type")


OPS = (
    AdjustContrastv2Op,
    CombinedNonMaxSuppressionOp,
    CropAndResizeOp,
    DecodeJpegOp,
    DecodePngOp,
    DecodeRawOp,
    HSVToRGBOp,
    NonMaxSuppressionOp,
    NonMaxSuppressionV2Op,
    NonMaxSuppressionV3Op,
    NonMaxSuppressionV4Op,
    NonMaxSuppressionV5Op,
    RGBToHSVOp,
    ResizeBicubicOp,
    ResizeBilinearOp,
    ResizeNearestNeighborOp,
    TopKOp,
    TopKV2Op,
)
