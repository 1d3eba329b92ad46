"""The messages in layers of a prototxt: their fields, with kinds and defaults.

Only fields that are read are listed. Others, of any layer of any fork of Caffe, are kept as written.
"""

from __future__ import annotations

from dataclasses import dataclass

INT = "int"
FLOAT = "float"
BOOL = "bool"
STRING = "string"
ENUM = "enum"


@dataclass(frozen=True)
class FieldSpec:
    """One field: its kind, or the name of the message that it holds; its default as text."""

    name: str
    kind: str
    repeated: bool = False
    default: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def is_message(self) -> bool:
        return self.kind[0].isupper()


# One line per message. A field is `name kind`; `*` after the kind: repeated, `=`: its default. Kinds are
# those above, the choices of an enum, or a message of this file.
_TEXT = {
    "ArgMax": "out_max_val bool=false, top_k int=1, axis int",
    "BatchNorm": "use_global_stats bool, moving_average_fraction float=.999, eps float=1e-5, "
    "scale_bias bool=false",
    "Bias": "axis int=1, num_axes int=1, filler Filler",
    "BlobShape": "dim int*",
    "Concat": "axis int=1, concat_dim int",
    "Convolution": "num_output int, bias_term bool=true, pad int*, kernel_size int*, stride int*, "
    "dilation int*, pad_h int=0, pad_w int=0, kernel_h int, kernel_w int, stride_h int, stride_w int, "
    "group int=1, weight_filler Filler, bias_filler Filler, engine DEFAULT|CAFFE|CUDNN=DEFAULT, "
    "axis int=1, force_nd_im2col bool=false",
    "Crop": "axis int=2, offset int*",
    "DetectionOutput": "num_classes int, share_location bool=true, background_label_id int=0, "
    "nms_param NonMaximumSuppression, save_output_param SaveOutput, "
    "code_type CORNER|CENTER_SIZE|CORNER_SIZE=CORNER, variance_encoded_in_target bool=false, "
    "keep_top_k int=-1, confidence_threshold float, normalized_bbox bool=true, clip bool=false",
    "Dropout": "dropout_ratio float=0.5",
    "ELU": "alpha float=1",
    "Eltwise": "operation PROD|SUM|MAX=SUM, coeff float*, stable_prod_grad bool=true",
    "Exp": "base float=-1, scale float=1, shift float=0",
    "Filler": "type string=constant, value float=0, min float=0, max float=1, mean float=0, std float=1, "
    "sparse int=-1, variance_norm FAN_IN|FAN_OUT|AVERAGE=FAN_IN",
    "Flatten": "axis int=1, end_axis int=-1",
    "InnerProduct": "num_output int, bias_term bool=true, weight_filler Filler, bias_filler Filler, "
    "axis int=1, transpose bool=false",
    "Input": "shape BlobShape*",
    "Interp": "height int=0, width int=0, zoom_factor int=1, shrink_factor int=1, "
    "pad_beg int=0, pad_end int=0",
    "LRN": "local_size int=5, alpha float=1, beta float=0.75, "
    "norm_region ACROSS_CHANNELS|WITHIN_CHANNEL=ACROSS_CHANNELS, k float=1, "
    "engine DEFAULT|CAFFE|CUDNN=DEFAULT",
    "Layer": "name string, type string, bottom string*, top string*, phase TRAIN|TEST, loss_weight float*, "
    "param ParamSpec*, propagate_down bool*, include NetStateRule*, exclude NetStateRule*, "
    "argmax_param ArgMax, batch_norm_param BatchNorm, bias_param Bias, concat_param Concat, "
    "convolution_param Convolution, crop_param Crop, detection_output_param DetectionOutput, "
    "dropout_param Dropout, eltwise_param Eltwise, elu_param ELU, exp_param Exp, flatten_param Flatten, "
    "inner_product_param InnerProduct, input_param Input, interp_param Interp, log_param Exp, "
    "lrn_param LRN, mvn_param MVN, norm_param Norm, permute_param Permute, pooling_param Pooling, "
    "power_param Power, prelu_param PReLU, prior_box_param PriorBox, proposal_param Proposal, "
    "psroi_pooling_param PSROIPooling, reduction_param Reduction, relu_param ReLU, reshape_param Reshape, "
    "roi_pooling_param ROIPooling, scale_param Scale, shuffle_channel_param ShuffleChannel, "
    "sigmoid_param Engine, slice_param Slice, softmax_param Softmax, tanh_param Engine, "
    "threshold_param Threshold, tile_param Tile, upsample_param Upsample",
    "MVN": "normalize_variance bool=true, across_channels bool=false, eps float=1e-9",
    "NetState": "phase TRAIN|TEST=TEST, level int=0, stage string*",
    "NetStateRule": "phase TRAIN|TEST, min_level int, max_level int, stage string*, not_stage string*",
    "NonMaximumSuppression": "nms_threshold float=0.3, top_k int, eta float=1",
    "Norm": "across_spatial bool=true, scale_filler Filler, channel_shared bool=true, eps float=1e-10",
    "PReLU": "filler Filler, channel_shared bool=false",
    "PSROIPooling": "spatial_scale float, output_dim int, group_size int",
    "ParamSpec": "name string, share_mode STRICT|PERMISSIVE, lr_mult float=1, decay_mult float=1",
    "Permute": "order int*",
    "Pooling": "pool MAX|AVE|STOCHASTIC=MAX, pad int=0, pad_h int, pad_w int, kernel_size int, "
    "kernel_h int, kernel_w int, stride int=1, stride_h int, stride_w int, "
    "engine DEFAULT|CAFFE|CUDNN=DEFAULT, global_pooling bool=false, ceil_mode bool=true",
    "Power": "power float=1, scale float=1, shift float=0",
    "PriorBox": "min_size float*, max_size float*, aspect_ratio float*, flip bool=true, clip bool=false, "
    "variance float*, img_size int, img_h int, img_w int, step float, step_h float, step_w float, "
    "offset float=0.5, offset_h float*, offset_w float*, width float*, height float*",
    "Proposal": "feat_stride int=16, base_size int=16, min_size int=16, ratio float*, scale float*, "
    "pre_nms_topn int=6000, post_nms_topn int=300, nms_thresh float=0.7",
    "ROIPooling": "pooled_h int=0, pooled_w int=0, spatial_scale float=1",
    "ReLU": "negative_slope float=0, engine DEFAULT|CAFFE|CUDNN=DEFAULT",
    "Engine": "engine DEFAULT|CAFFE|CUDNN=DEFAULT",
    "Reduction": "operation SUM|ASUM|SUMSQ|MEAN=SUM, axis int=0, coeff float=1",
    "Reshape": "shape BlobShape, axis int=0, num_axes int=-1",
    "SaveOutput": "output_directory string, output_name_prefix string, output_format string, "
    "label_map_file string, name_size_file string, num_test_image int",
    "Scale": "axis int=1, num_axes int=1, filler Filler, bias_term bool=false, bias_filler Filler",
    "ShuffleChannel": "group int=1",
    "Slice": "axis int=1, slice_point int*, slice_dim int",
    "Softmax": "engine DEFAULT|CAFFE|CUDNN=DEFAULT, axis int=1",
    "Threshold": "threshold float=0",
    "Tile": "axis int=1, tiles int",
    "Upsample": "scale int=2, scale_h int, scale_w int, upsample_h int, upsample_w int",
}


def _field(text: str) -> FieldSpec:
    name, kind = text.split()
    kind, _, default = kind.partition("=")
    repeated = kind.endswith("*")
    kind = kind.removesuffix("*")
    choices = tuple(kind.split("|")) if "|" in kind else ()
    return FieldSpec(name, ENUM if choices else kind, repeated, default or None, choices)


MESSAGES: dict[str, dict[str, FieldSpec]] = {
    message: {spec.name: spec for spec in map(_field, text.split(", "))}
    for message, text in _TEXT.items()
}
"""The fields of each message, by name. A layer is a `Layer`."""
