"""The ops of MXNet, as data: of nets, detectors, arithmetic, shapes, and quantized ones.

Generated from the registry of MXNet 1.9.1 by `python -m autosplit.tools.generate.mx_dialect`; do not
edit.
"""

# Data, written by a program.

from __future__ import annotations

from autosplit.dialects.mx.spec import AttrSpec, OpSpec, ports
from autosplit.dialects.mx.values import parse_value

__all__ = ["ALIASES", "OP_TABLE"]

_table: dict[str, OpSpec] = {}


def _op(kind: str, inputs: str, outputs: str = "output", attrs: str = "", aux: str = "") -> None:
    named = {attr.name: attr for attr in map(_attr, attrs.split())}
    _table[kind] = OpSpec(kind, ports(inputs), ports(outputs), named, tuple(aux.split()))


def _attr(text: str) -> AttrSpec:
    """`name:kind!` must be there, `name:kind=default` need not; `kind?` may be None, `a|b` is a or b."""
    name, _, rest = text.partition(":")
    kind, equals, default = rest.partition("=")
    words, or_none = kind.rstrip("!?"), "?" in kind
    choices = tuple(words.split("|")) if "|" in words or words not in _KINDS else ()
    bare = AttrSpec(name, "string" if choices else words, "!" in kind, None, choices, or_none)
    if not equals:
        return bare
    return AttrSpec(name, bare.kind, False, parse_value(bare, default), choices, or_none)


_KINDS = frozenset({"bool", "int", "float", "string", "shape", "floats", "shapes"})

_op("Activation", "data", "output", "act_type:relu|sigmoid|softrelu|softsign|tanh!")
_op(
    "BatchNorm",
    "data gamma beta moving_mean moving_var",
    "output mean~!output_mean_var var~!output_mean_var",
    "eps:float=0.0010000000474974513 momentum:float=0.899999976 fix_gamma:bool=True "
    "use_global_stats:bool=False output_mean_var:bool=False axis:int=1 cudnn_off:bool=False "
    "min_calib_range:float?=None max_calib_range:float?=None",
    aux="moving_mean moving_var",
)
_op("BilinearSampler", "data grid", "output hidden~", "cudnn_off:bool?=None")
_op("BlockGrad", "data")
_op(
    "CTCLoss",
    "data label data_lengths?use_data_lengths",
    "output0 hidden~",
    "use_data_lengths:bool=False use_label_lengths:bool=False blank_label:first|last=first",
)
_op("Cast", "data", "output", "dtype:bfloat16|bool|float16|float32|float64|int32|int64|int8|uint8!")
_op("Concat", "arg*num_args", "output", "num_args:int! dim:int=1")
_op(
    "Convolution",
    "data weight bias?!no_bias",
    "output",
    "kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[] num_filter:int! "
    "num_group:int=1 workspace:int=1024 no_bias:bool=False "
    "cudnn_tune:fastest|limited_workspace|off?=None cudnn_off:bool=False "
    "layout:NCDHW|NCHW|NCW|NDHWC|NHWC?=None",
)
_op(
    "Correlation",
    "data1 data2",
    "output hidden~ hidden~",
    "kernel_size:int=1 max_displacement:int=1 stride1:int=1 stride2:int=1 pad_size:int=0 "
    "is_multiply:bool=True",
)
_op(
    "Crop",
    "arg*num_args",
    "output",
    "num_args:int! offset:shape=[0,0] h_w:shape=[0,0] center_crop:bool=False",
)
_op(
    "Deconvolution",
    "data weight bias?!no_bias",
    "output",
    "kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[] adj:shape=[] "
    "target_shape:shape=[] num_filter:int! num_group:int=1 workspace:int=512 "
    "no_bias:bool=True cudnn_tune:fastest|limited_workspace|off?=None cudnn_off:bool=False "
    "layout:NCDHW|NCHW|NCW|NDHWC|NHWC?=None",
)
_op(
    "Dropout",
    "data",
    "output hidden~",
    "p:float=0.5 mode:always|training=training axes:shape=[] cudnn_off:bool?=False",
)
_op(
    "Embedding",
    "data weight",
    "output",
    "input_dim:int! output_dim:int! "
    "dtype:bfloat16|float16|float32|float64|int32|int64|int8|uint8=float32 "
    "sparse_grad:bool=False",
)
_op("Flatten", "data")
_op(
    "FullyConnected",
    "data weight bias?!no_bias",
    "output",
    "num_hidden:int! no_bias:bool=False flatten:bool=True",
)
_op(
    "GridGenerator",
    "data",
    "output hidden~",
    "transform_type:affine|warp! target_shape:shape=[0,0]",
)
_op(
    "GroupNorm",
    "data gamma beta",
    "output mean~!output_mean_var std~!output_mean_var",
    "num_groups:int=1 eps:float=9.99999975e-06 output_mean_var:bool=False",
)
_op("InstanceNorm", "data gamma beta", "output hidden~ hidden~", "eps:float=0.00100000005")
_op(
    "L2Normalization",
    "data",
    "output hidden~",
    "eps:float=1.00000001e-10 mode:channel|instance|spatial=instance",
)
_op(
    "LRN",
    "data",
    "output hidden~",
    "alpha:float=9.99999975e-05 beta:float=0.75 knorm:float=2 nsize:int!",
)
_op(
    "LayerNorm",
    "data gamma beta",
    "output mean~!output_mean_var std~!output_mean_var",
    "axis:int=-1 eps:float=9.99999975e-06 output_mean_var:bool=False",
)
_op(
    "LeakyReLU",
    "data gamma?act_type=prelu",
    "output mask?act_type=rrelu",
    "act_type:elu|gelu|leaky|prelu|rrelu|selu=leaky slope:float=0.25 lower_bound:float=0.125 "
    "upper_bound:float=0.333999991",
)
_op("LinearRegressionOutput", "data label", "output", "grad_scale:float=1")
_op("LogisticRegressionOutput", "data label", "output", "grad_scale:float=1")
_op("MAERegressionOutput", "data label", "output", "grad_scale:float=1")
_op(
    "MakeLoss",
    "data",
    "output",
    "grad_scale:float=1 valid_thresh:float=0 normalization:batch|null|valid=null",
)
_op("Pad", "data", "output", "mode:constant|edge|reflect! pad_width:shape! constant_value:float=0")
_op(
    "Pooling",
    "data",
    "output",
    "kernel:shape=[] pool_type:avg|lp|max|sum=max global_pool:bool=False cudnn_off:bool=False "
    "pooling_convention:full|same|valid=valid stride:shape=[] pad:shape=[] p_value:int?=None "
    "count_include_pad:bool?=None layout:NCDHW|NCHW|NCW|NDHWC|NHWC|NWC?=None",
)
_op(
    "RNN",
    "data parameters state state_cell?mode=lstm sequence_length?use_sequence_length",
    "output state?state_outputs state_cell?state_outputs&mode=lstm",
    "state_size:int! num_layers:int! bidirectional:bool=False "
    "mode:gru|lstm|rnn_relu|rnn_tanh! p:float=0 state_outputs:bool=False "
    "projection_size:int?=None lstm_state_clip_min:float?=None "
    "lstm_state_clip_max:float?=None lstm_state_clip_nan:bool=False "
    "use_sequence_length:bool=False",
)
_op("ROIPooling", "data rois", "output hidden~", "pooled_size:shape! spatial_scale:float!")
_op(
    "Reshape",
    "data",
    "output",
    "shape:shape=[] reverse:bool=False target_shape:shape=[] keep_highest:bool=False",
)
_op(
    "SVMOutput",
    "data label",
    "output",
    "margin:float=1 regularization_coefficient:float=1 use_linear:bool=False",
)
_op(
    "SequenceLast",
    "data sequence_length?use_sequence_length",
    "output",
    "use_sequence_length:bool=False axis:int=0",
)
_op(
    "SequenceMask",
    "data sequence_length?use_sequence_length",
    "output",
    "use_sequence_length:bool=False value:float=0 axis:int=0",
)
_op(
    "SequenceReverse",
    "data sequence_length?use_sequence_length",
    "output",
    "use_sequence_length:bool=False axis:int=0",
)
_op(
    "SliceChannel",
    "data",
    "output*num_outputs",
    "num_outputs:int! axis:int=1 squeeze_axis:bool=False",
)
_op("SoftmaxActivation", "data", "output", "mode:channel|instance=instance")
_op(
    "SoftmaxOutput",
    "data label",
    "output",
    "grad_scale:float=1 ignore_label:float=-1 multi_output:bool=False use_ignore:bool=False "
    "preserve_shape:bool=False normalization:batch|null|valid=null out_grad:bool=False "
    "smooth_alpha:float=0",
)
_op(
    "SpatialTransformer",
    "data loc",
    "output hidden~ hidden~",
    "target_shape:shape=[0,0] transform_type:string! sampler_type:string! cudnn_off:bool?=None",
)
_op("SwapAxis", "data", "output", "dim1:int=0 dim2:int=0")
_op(
    "UpSampling",
    "arg*num_args",
    "output",
    "scale:int! num_filter:int=0 sample_type:bilinear|nearest! "
    "multi_input_mode:concat|sum=concat num_args:int! workspace:int=512",
)
_op(
    "_arange",
    "",
    "output",
    "start:float! stop:float?=None step:float=1 repeat:int=1 infer_range:bool=False "
    "ctx:string= dtype:bfloat16|float16|float32|float64|int32|int64|int8|uint8=float32",
)
_op("_contrib_AdaptiveAvgPooling2D", "data", "output", "output_size:shape=[]")
_op(
    "_contrib_BatchNormWithReLU",
    "data gamma beta moving_mean moving_var",
    "output mean~!output_mean_var var~!output_mean_var hidden~",
    "eps:float=0.0010000000474974513 momentum:float=0.899999976 fix_gamma:bool=True "
    "use_global_stats:bool=False output_mean_var:bool=False axis:int=1 cudnn_off:bool=False "
    "min_calib_range:float?=None max_calib_range:float?=None",
    aux="moving_mean moving_var",
)
_op(
    "_contrib_BilinearResize2D",
    "data like?mode=like",
    "output",
    "height:int=1 width:int=1 scale_height:float?=None scale_width:float?=None "
    "mode:like|odd_scale|size|to_even_down|to_even_up|to_odd_down|to_odd_up=size "
    "align_corners:bool=True",
)
_op(
    "_contrib_DeformableConvolution",
    "data offset weight bias?!no_bias",
    "output",
    "kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[] num_filter:int! "
    "num_group:int=1 num_deformable_group:int=1 workspace:int=1024 no_bias:bool=False "
    "layout:NCDHW|NCHW|NCW?=None",
)
_op(
    "_contrib_DeformablePSROIPooling",
    "data rois trans?!no_trans",
    "output hidden~",
    "spatial_scale:float! output_dim:int! group_size:int! pooled_size:int! part_size:int=0 "
    "sample_per_part:int=1 trans_std:float=0 no_trans:bool=False",
)
_op(
    "_contrib_ModulatedDeformableConvolution",
    "data offset mask weight bias?!no_bias",
    "output",
    "kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[] num_filter:int! "
    "num_group:int=1 num_deformable_group:int=1 workspace:int=1024 no_bias:bool=False "
    "im2col_step:int=64 layout:NCDHW|NCHW|NCW?=None",
)
_op(
    "_contrib_MultiBoxDetection",
    "cls_prob loc_pred anchor",
    "output",
    "clip:bool=True threshold:float=0.00999999978 background_id:int=0 nms_threshold:float=0.5 "
    "force_suppress:bool=False variances:floats=[0.1,0.1,0.2,0.2] nms_topk:int=-1",
)
_op(
    "_contrib_MultiBoxPrior",
    "data",
    "output",
    "sizes:floats=[1] ratios:floats=[1] clip:bool=False steps:floats=[-1,-1] "
    "offsets:floats=[0.5,0.5]",
)
_op(
    "_contrib_MultiBoxTarget",
    "anchor label cls_pred",
    "loc_target loc_mask cls_target",
    "overlap_threshold:float=0.5 ignore_label:float=-1 negative_mining_ratio:float=-1 "
    "negative_mining_thresh:float=0.5 minimum_negative_samples:int=0 "
    "variances:floats=[0.1,0.1,0.2,0.2]",
)
_op(
    "_contrib_MultiProposal",
    "cls_prob bbox_pred im_info",
    "output score~!output_score",
    "rpn_pre_nms_top_n:int=6000 rpn_post_nms_top_n:int=300 threshold:float=0.699999988 "
    "rpn_min_size:int=16 scales:floats=[4,8,16,32] ratios:floats=[0.5,1,2] "
    "feature_stride:int=16 output_score:bool=False iou_loss:bool=False",
)
_op(
    "_contrib_PSROIPooling",
    "data rois",
    "output",
    "spatial_scale:float! output_dim:int! pooled_size:int! group_size:int=0",
)
_op(
    "_contrib_Proposal",
    "cls_prob bbox_pred im_info",
    "output score~!output_score",
    "rpn_pre_nms_top_n:int=6000 rpn_post_nms_top_n:int=300 threshold:float=0.699999988 "
    "rpn_min_size:int=16 scales:floats=[4,8,16,32] ratios:floats=[0.5,1,2] "
    "feature_stride:int=16 output_score:bool=False iou_loss:bool=False",
)
_op(
    "_contrib_ROIAlign",
    "data rois",
    "output",
    "pooled_size:shape! spatial_scale:float! sample_ratio:int=-1 "
    "position_sensitive:bool=False aligned:bool=False",
)
_op(
    "_contrib_RROIAlign",
    "data rois",
    "output",
    "pooled_size:shape! spatial_scale:float! sampling_ratio:int=-1",
)
_op(
    "_contrib_SparseEmbedding",
    "data weight",
    "output",
    "input_dim:int! output_dim:int! "
    "dtype:bfloat16|float16|float32|float64|int32|int64|int8|uint8=float32 "
    "sparse_grad:bool=False",
)
_op(
    "_contrib_SyncBatchNorm",
    "data gamma beta moving_mean moving_var",
    "output mean~!output_mean_var var~!output_mean_var",
    "eps:float=0.00100000005 momentum:float=0.899999976 fix_gamma:bool=True "
    "use_global_stats:bool=False output_mean_var:bool=False ndev:int=1 key:string!",
    aux="moving_mean moving_var",
)
_op(
    "_contrib_arange_like",
    "data",
    "output",
    "start:float=0 step:float=1 repeat:int=1 ctx:string= axis:int?=None",
)
_op("_contrib_boolean_mask", "data index", "output", "axis:int=0")
_op(
    "_contrib_box_decode",
    "data anchors",
    "output",
    "std0:float=1 std1:float=1 std2:float=1 std3:float=1 clip:float=-1 format:center|corner=center",
)
_op("_contrib_box_encode", "samples matches anchors refs means stds", "output output")
_op("_contrib_box_iou", "lhs rhs", "output", "format:center|corner=corner")
_op(
    "_contrib_box_nms",
    "data",
    "output0 hidden~",
    "overlap_thresh:float=0.5 valid_thresh:float=0 topk:int=-1 coord_start:int=2 "
    "score_index:int=1 id_index:int=-1 background_id:int=-1 force_suppress:bool=False "
    "in_format:center|corner=corner out_format:center|corner=corner",
)
_op("_contrib_dequantize", "data min_range max_range", "output", "out_type:string=float32")
_op("_contrib_div_sqrt_dim", "data")
_op("_contrib_fft", "data", "output", "compute_size:int=128")
_op("_contrib_ifft", "data", "output", "compute_size:int=128")
_op("_contrib_index_array", "data", "output", "axes:shape?=None")
_op("_contrib_interleaved_matmul_encdec_qk", "queries keys_values", "output", "heads:int!")
_op("_contrib_interleaved_matmul_encdec_valatt", "keys_values attention", "output", "heads:int!")
_op("_contrib_interleaved_matmul_selfatt_qk", "queries_keys_values", "output", "heads:int!")
_op(
    "_contrib_interleaved_matmul_selfatt_valatt",
    "queries_keys_values attention",
    "output",
    "heads:int!",
)
_op(
    "_contrib_quantize",
    "data min_range max_range",
    "output output output",
    "out_type:int8|uint8=uint8",
)
_op(
    "_contrib_quantize_asym",
    "data",
    "output scale shift",
    "min_calib_range:float?=None max_calib_range:float?=None",
)
_op(
    "_contrib_quantize_v2",
    "data",
    "output output output",
    "out_type:auto|int8|uint8=int8 min_calib_range:float?=None max_calib_range:float?=None",
)
_op(
    "_contrib_quantized_act",
    "data min_data max_data",
    "output min_output max_output",
    "act_type:relu|sigmoid|softrelu|softsign|tanh!",
)
_op(
    "_contrib_quantized_batch_norm",
    "data gamma beta moving_mean moving_var min_data max_data",
    "output min_output max_output",
    "eps:float=0.0010000000474974513 momentum:float=0.899999976 fix_gamma:bool=True "
    "use_global_stats:bool=False output_mean_var:bool=False axis:int=1 cudnn_off:bool=False "
    "min_calib_range:float?=None max_calib_range:float?=None",
    aux="moving_mean moving_var",
)
_op(
    "_contrib_quantized_concat",
    "arg*num_args",
    "output min_output max_output",
    "num_args:int! dim:int=1",
)
_op(
    "_contrib_quantized_conv",
    "data weight bias?!no_bias min_data max_data min_weight max_weight min_bias?!no_bias "
    "max_bias?!no_bias",
    "output min_output max_output",
    "kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[] num_filter:int! "
    "num_group:int=1 workspace:int=1024 no_bias:bool=False "
    "cudnn_tune:fastest|limited_workspace|off?=None cudnn_off:bool=False "
    "layout:NCDHW|NCHW|NCW|NDHWC|NHWC?=None",
)
_op(
    "_contrib_quantized_elemwise_add",
    "lhs rhs lhs_min lhs_max rhs_min rhs_max",
    "output min_output max_output",
    "min_calib_range:float?=None max_calib_range:float?=None",
)
_op(
    "_contrib_quantized_elemwise_mul",
    "lhs rhs lhs_min lhs_max rhs_min rhs_max",
    "output min_output?!enable_float_output max_output?!enable_float_output",
    "min_calib_range:float?=None max_calib_range:float?=None enable_float_output:bool=False",
)
_op(
    "_contrib_quantized_embedding",
    "data weight min_weight max_weight",
    "output min_output max_output",
    "input_dim:int! output_dim:int! "
    "dtype:bfloat16|float16|float32|float64|int32|int64|int8|uint8=float32 "
    "sparse_grad:bool=False",
)
_op("_contrib_quantized_flatten", "data min_data max_data", "output min_output max_output")
_op(
    "_contrib_quantized_fully_connected",
    "data weight bias?!no_bias min_data max_data min_weight max_weight min_bias?!no_bias "
    "max_bias?!no_bias",
    "output min_output max_output",
    "num_hidden:int! no_bias:bool=False flatten:bool=True",
)
_op(
    "_contrib_quantized_pooling",
    "data min_data max_data",
    "output min_output max_output",
    "kernel:shape=[] pool_type:avg|lp|max|sum=max global_pool:bool=False cudnn_off:bool=False "
    "pooling_convention:full|same|valid=valid stride:shape=[] pad:shape=[] p_value:int?=None "
    "count_include_pad:bool?=None layout:NCDHW|NCHW|NCW|NDHWC|NHWC|NWC?=None",
)
_op(
    "_contrib_requantize",
    "data min_range max_range",
    "output output output",
    "out_type:auto|int8|uint8=int8 min_calib_range:float?=None max_calib_range:float?=None",
)
_op("_contrib_round_ste", "data")
_op("_contrib_sign_ste", "data")
_op("_copy", "data")
_op("_div_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_equal", "lhs rhs")
_op("_equal_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op(
    "_eye",
    "",
    "output",
    "N:int! M:int=0 k:int=0 ctx:string= "
    "dtype:float16|float32|float64|int32|int64|int8|uint8=float32",
)
_op(
    "_full",
    "",
    "output",
    "shape:shape?=None ctx:string= "
    "dtype:bfloat16|bool|float16|float32|float64|int32|int64|int8|uint8=float32 value:float!",
)
_op("_greater", "lhs rhs")
_op("_greater_equal", "lhs rhs")
_op("_greater_equal_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_greater_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_hypot", "lhs rhs")
_op("_hypot_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_identity_with_attr_like_rhs", "lhs rhs")
_op("_lesser", "lhs rhs")
_op("_lesser_equal", "lhs rhs")
_op("_lesser_equal_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_lesser_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op(
    "_linalg_gemm2",
    "A B",
    "output",
    "transpose_a:bool=False transpose_b:bool=False alpha:float=1 axis:int=-2",
)
_op("_logical_and", "lhs rhs")
_op("_logical_and_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_logical_or", "lhs rhs")
_op("_logical_or_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_logical_xor", "lhs rhs")
_op("_logical_xor_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_maximum", "lhs rhs")
_op("_maximum_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_minimum", "lhs rhs")
_op("_minimum_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_minus_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_mod", "lhs rhs")
_op("_mod_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_mul_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_not_equal", "lhs rhs")
_op("_not_equal_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op(
    "_ones",
    "",
    "output",
    "shape:shape=[] ctx:string= "
    "dtype:bfloat16|bool|float16|float32|float64|int32|int64|int8|uint8=float32",
)
_op("_plus_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_power", "lhs rhs")
_op("_power_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_ravel_multi_index", "data", "output", "shape:shape?=None")
_op("_rdiv_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_rminus_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_rmod_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op("_rnn_param_concat", "arg*num_args", "output", "num_args:int! dim:int=1")
_op("_rpower_scalar", "data", "output", "scalar:float=1 is_int:bool=True")
_op(
    "_split_v2",
    "data",
    "output*sections?sections!=0 output*indices?sections=0",
    "indices:shape! axis:int=1 squeeze_axis:bool=False sections:int=0",
)
_op("_unravel_index", "data", "output", "shape:shape?=None")
_op(
    "_zeros",
    "",
    "output",
    "shape:shape=[] ctx:string= "
    "dtype:bfloat16|bool|float16|float32|float64|int32|int64|int8|uint8=float32",
)
_op("abs", "data")
_op("add_n", "arg*num_args", "output", "num_args:int!")
_op("amp_cast", "data", "output", "dtype:bfloat16|float16|float32|float64|int32|int64|int8|uint8!")
_op("arccos", "data")
_op("arccosh", "data")
_op("arcsin", "data")
_op("arcsinh", "data")
_op("arctan", "data")
_op("arctanh", "data")
_op("argmax", "data", "output", "axis:int?=None keepdims:bool=False")
_op("argmax_channel", "data")
_op("argmin", "data", "output", "axis:int?=None keepdims:bool=False")
_op(
    "argsort",
    "data",
    "output",
    "axis:int?=-1 is_ascend:bool=True dtype:float16|float32|float64|int32|int64|uint8=float32",
)
_op(
    "batch_dot",
    "lhs rhs",
    "output",
    "transpose_a:bool=False transpose_b:bool=False forward_stype:csr|default|row_sparse?=None",
)
_op("batch_take", "a indices")
_op("broadcast_add", "lhs rhs")
_op("broadcast_axis", "data", "output", "axis:shape=[] size:shape=[]")
_op("broadcast_div", "lhs rhs")
_op("broadcast_equal", "lhs rhs")
_op("broadcast_greater", "lhs rhs")
_op("broadcast_greater_equal", "lhs rhs")
_op("broadcast_hypot", "lhs rhs")
_op("broadcast_lesser", "lhs rhs")
_op("broadcast_lesser_equal", "lhs rhs")
_op("broadcast_like", "lhs rhs", "output", "lhs_axes:shape?=None rhs_axes:shape?=None")
_op("broadcast_logical_and", "lhs rhs")
_op("broadcast_logical_or", "lhs rhs")
_op("broadcast_logical_xor", "lhs rhs")
_op("broadcast_maximum", "lhs rhs")
_op("broadcast_minimum", "lhs rhs")
_op("broadcast_mod", "lhs rhs")
_op("broadcast_mul", "lhs rhs")
_op("broadcast_not_equal", "lhs rhs")
_op("broadcast_power", "lhs rhs")
_op("broadcast_sub", "lhs rhs")
_op("broadcast_to", "data", "output", "shape:shape=[]")
_op("cbrt", "data")
_op("ceil", "data")
_op("clip", "data", "output", "a_min:float! a_max:float!")
_op(
    "col2im",
    "data",
    "output",
    "output_size:shape! kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[]",
)
_op("cos", "data")
_op("cosh", "data")
_op("degrees", "data")
_op("depth_to_space", "data", "output", "block_size:int!")
_op("diag", "data", "output", "k:int=0 axis1:int=0 axis2:int=1")
_op(
    "dot",
    "lhs rhs",
    "output",
    "transpose_a:bool=False transpose_b:bool=False forward_stype:csr|default|row_sparse?=None",
)
_op("elemwise_add", "lhs rhs")
_op("elemwise_div", "lhs rhs")
_op("elemwise_mul", "lhs rhs")
_op("elemwise_sub", "lhs rhs")
_op("erf", "data")
_op("erfinv", "data")
_op("exp", "data")
_op("expand_dims", "data", "output", "axis:int!")
_op("expm1", "data")
_op("fix", "data")
_op("floor", "data")
_op("gamma", "data")
_op("gammaln", "data")
_op("gather_nd", "data indices")
_op("hard_sigmoid", "data", "output", "alpha:float=0.200000003 beta:float=0.5")
_op("im2col", "data", "output", "kernel:shape! stride:shape=[] dilate:shape=[] pad:shape=[]")
_op("log", "data")
_op("log10", "data")
_op("log1p", "data")
_op("log2", "data")
_op(
    "log_softmax",
    "data",
    "output",
    "axis:int=-1 temperature:float?=None dtype:float16|float32|float64?=None "
    "use_length:bool?=False",
)
_op("logical_not", "data")
_op("make_loss", "data", "loss")
_op("max", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("mean", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("min", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("moments", "data", "output output", "axes:shape?=None keepdims:bool=False")
_op("nanprod", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("nansum", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("negative", "data")
_op(
    "norm",
    "data",
    "output",
    "ord:int=2 axis:shape?=None out_dtype:float16|float32|float64|int32|int64|int8?=None "
    "keepdims:bool=False",
)
_op(
    "one_hot",
    "indices",
    "output",
    "depth:int! on_value:float=1 off_value:float=0 "
    "dtype:bfloat16|float16|float32|float64|int32|int64|int8|uint8=float32",
)
_op("ones_like", "data")
_op("pick", "data index", "output", "axis:int?=-1 keepdims:bool=False mode:clip|wrap=clip")
_op("prod", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("radians", "data")
_op("rcbrt", "data")
_op("reciprocal", "data")
_op("relu", "data")
_op("repeat", "data", "output", "repeats:int! axis:int?=None")
_op(
    "reshape_like",
    "lhs rhs",
    "output",
    "lhs_begin:int?=None lhs_end:int?=None rhs_begin:int?=None rhs_end:int?=None",
)
_op("reverse", "data", "output", "axis:shape!")
_op("rint", "data")
_op("round", "data")
_op("rsqrt", "data")
_op("scatter_nd", "data indices", "output", "shape:shape!")
_op("shape_array", "data")
_op("sigmoid", "data")
_op("sign", "data")
_op("sin", "data")
_op("sinh", "data")
_op("size_array", "data")
_op("slice", "data", "output", "begin:shape! end:shape! step:shape=[]")
_op("slice_axis", "data", "output", "axis:int! begin:int! end:int?!")
_op("slice_like", "data shape_like", "output", "axes:shape=[]")
_op("smooth_l1", "data", "output", "scalar:float?=None")
_op(
    "softmax",
    "data length?use_length",
    "output",
    "axis:int=-1 temperature:float?=None dtype:float16|float32|float64?=None "
    "use_length:bool?=False",
)
_op("softmax_cross_entropy", "data label")
_op(
    "softmin",
    "data",
    "output",
    "axis:int=-1 temperature:float?=None dtype:float16|float32|float64?=None "
    "use_length:bool?=False",
)
_op("softsign", "data")
_op("sort", "data", "output0 hidden~", "axis:int?=-1 is_ascend:bool=True")
_op("space_to_depth", "data", "output", "block_size:int!")
_op("sqrt", "data")
_op("square", "data")
_op("squeeze", "data", "output", "axis:shape?=None")
_op("stack", "arg*num_args", "output", "axis:int=0 num_args:int!")
_op("sum", "data", "output", "axis:shape?=None keepdims:bool=False exclude:bool=False")
_op("take", "a indices", "output", "axis:int=0 mode:clip|raise|wrap=clip")
_op("tan", "data")
_op("tanh", "data")
_op("tile", "data", "output", "reps:shape!")
_op(
    "topk",
    "data",
    "output output?ret_typ!=indices&ret_typ!=mask~ret_typ=value",
    "axis:int?=-1 k:int=1 ret_typ:both|indices|mask|value=indices is_ascend:bool=False "
    "dtype:float16|float32|float64|int32|int64|uint8=float32",
)
_op("transpose", "data", "output", "axes:shape=[]")
_op("trunc", "data")
_op("where", "condition x y")
_op("zeros_like", "data")

OP_TABLE: dict[str, OpSpec] = _table
"""The ops by MXNet's name of the kind."""

_aliases = """
ElementWiseSum=add_n Softmax=SoftmaxOutput _Div=elemwise_div _DivScalar=_div_scalar
_Equal=_equal _EqualScalar=_equal_scalar _Greater=_greater
_GreaterEqualScalar=_greater_equal_scalar _GreaterScalar=_greater_scalar
_Greater_Equal=_greater_equal _Hypot=_hypot _HypotScalar=_hypot_scalar _Lesser=_lesser
_LesserEqualScalar=_lesser_equal_scalar _LesserScalar=_lesser_scalar _Lesser_Equal=_lesser_equal
_LogicalAndScalar=_logical_and_scalar _LogicalOrScalar=_logical_or_scalar
_LogicalXorScalar=_logical_xor_scalar _Logical_And=_logical_and _Logical_Or=_logical_or
_Logical_Xor=_logical_xor _Maximum=_maximum _MaximumScalar=_maximum_scalar _Minimum=_minimum
_MinimumScalar=_minimum_scalar _Minus=elemwise_sub _MinusScalar=_minus_scalar _Mod=_mod
_ModScalar=_mod_scalar _Mul=elemwise_mul _MulScalar=_mul_scalar
_NotEqualScalar=_not_equal_scalar _Not_Equal=_not_equal _Plus=elemwise_add
_PlusScalar=_plus_scalar _Power=_power _PowerScalar=_power_scalar _RDivScalar=_rdiv_scalar
_RMinusScalar=_rminus_scalar _RModScalar=_rmod_scalar _RPowerScalar=_rpower_scalar
_add=elemwise_add _contrib_CTCLoss=CTCLoss _contrib_box_non_maximum_suppression=_contrib_box_nms
_contrib_ctc_loss=CTCLoss _div=elemwise_div _minus=elemwise_sub _mul=elemwise_mul
_plus=elemwise_add _sparse_ElementWiseSum=add_n _sparse_Embedding=Embedding
_sparse_FullyConnected=FullyConnected _sparse_LinearRegressionOutput=LinearRegressionOutput
_sparse_LogisticRegressionOutput=LogisticRegressionOutput
_sparse_MAERegressionOutput=MAERegressionOutput _sparse__contrib_round_ste=_contrib_round_ste
_sparse__contrib_sign_ste=_contrib_sign_ste _sparse_abs=abs _sparse_add_n=add_n
_sparse_arccos=arccos _sparse_arccosh=arccosh _sparse_arcsin=arcsin _sparse_arcsinh=arcsinh
_sparse_arctan=arctan _sparse_arctanh=arctanh _sparse_broadcast_add=broadcast_add
_sparse_broadcast_div=broadcast_div _sparse_broadcast_minus=broadcast_sub
_sparse_broadcast_mul=broadcast_mul _sparse_broadcast_plus=broadcast_add
_sparse_broadcast_sub=broadcast_sub _sparse_cbrt=cbrt _sparse_ceil=ceil _sparse_clip=clip
_sparse_concat=Concat _sparse_cos=cos _sparse_cosh=cosh _sparse_degrees=degrees _sparse_dot=dot
_sparse_elemwise_add=elemwise_add _sparse_elemwise_div=elemwise_div
_sparse_elemwise_mul=elemwise_mul _sparse_elemwise_sub=elemwise_sub _sparse_exp=exp
_sparse_expm1=expm1 _sparse_fix=fix _sparse_floor=floor _sparse_gamma=gamma
_sparse_gammaln=gammaln _sparse_log10=log10 _sparse_log1p=log1p _sparse_log2=log2
_sparse_log=log _sparse_make_loss=make_loss _sparse_mean=mean _sparse_negative=negative
_sparse_norm=norm _sparse_radians=radians _sparse_relu=relu _sparse_rint=rint
_sparse_round=round _sparse_rsqrt=rsqrt _sparse_sigmoid=sigmoid _sparse_sign=sign
_sparse_sin=sin _sparse_sinh=sinh _sparse_slice=slice _sparse_sqrt=sqrt _sparse_square=square
_sparse_stop_gradient=BlockGrad _sparse_sum=sum _sparse_tan=tan _sparse_tanh=tanh
_sparse_trunc=trunc _sparse_where=where _sparse_zeros_like=zeros_like _sub=elemwise_sub
broadcast_axes=broadcast_axis broadcast_minus=broadcast_sub broadcast_plus=broadcast_add
cast=Cast choose_element_0index=pick concat=Concat crop=slice ctc_loss=CTCLoss flatten=Flatten
flip=reverse identity=_copy linalg_gemm2=_linalg_gemm2 max_axis=max min_axis=min pad=Pad
ravel_multi_index=_ravel_multi_index reshape=Reshape split=SliceChannel stop_gradient=BlockGrad
sum_axis=sum swapaxes=SwapAxis unravel_index=_unravel_index
"""

ALIASES: dict[str, str] = {
    name: kind for name, _, kind in (pair.partition("=") for pair in _aliases.split())
}
"""Other names of ops, which files may have: the kind that each stands for."""
