"""The ops of TPU-MLIR's Top dialect, as data.

Generated from the op definitions of TPU-MLIR 1.30.2 by `python -m autosplit.tools.generate.top_dialect`;
do not edit. `check.py` knows what the definitions do not say.
"""

from __future__ import annotations

from autosplit.dialects.top.spec import (
    BOOL,
    DICTS,
    F64,
    F64S,
    I32,
    I32S,
    I64,
    I64S,
    OPTIONAL,
    OR_NONE,
    SI32,
    STRING,
    UI32,
    VARIADIC,
    AttrSpec,
    AttrValue,
    OpSpec,
    PortSpec,
)

__all__ = ["OP_TABLE"]

_table: dict[str, OpSpec] = {}


def _port(text: str) -> PortSpec:
    name, mark = text.rstrip("?~*"), text[len(text.rstrip("?~*")) :]
    return PortSpec(name, _COUNTS[mark]) if mark else PortSpec(name)


def _op(
    kind: str,
    operands: str,
    results: str,
    *attrs: AttrSpec,
    regions: tuple[str, ...] = (),
    terminator: bool = False,
) -> None:
    ports = [tuple(map(_port, names.split())) for names in (operands, results)]
    named = {a.name: a for a in attrs}
    _table[kind] = OpSpec(kind, ports[0], ports[1], named, regions, terminator)


def _need(name: str, type: str, choices: tuple[str, ...] = ()) -> AttrSpec:
    return AttrSpec(name, type, True, None, choices)


def _may(
    name: str, type: str, default: AttrValue | None = None, choices: tuple[str, ...] = ()
) -> AttrSpec:
    return AttrSpec(name, type, False, default, choices)


_COUNTS = {"?": OPTIONAL, "~": OR_NONE, "*": VARIADIC}
"""The marks behind the names of operands and results below."""


_DQ_TYPE = ("NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4")
_AUTO_PAD_MODE = ("SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID")
_ROUND_MODE = (
    "HalfAwayFromZero",
    "HalfUp",
    "HalfDown",
    "HalfToEven",
    "HalfToOdd",
    "HalfTowardsZero",
    "TowardsZero",
    "Up",
    "Down",
)
_BINARY_SHIFT = ("Add", "Sub", "Mul")
_COMPARE_MODE = (
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "NotEqual",
    "And",
    "Not",
    "Xor",
)
_REQUANT_MODE = ("TFLite_LShift", "TFLite", "MultiplierShift", "OnlyShift", "QDM", "OnlyScale")
_ROI_ALIGN_MODE = ("Avg", "Max")
_op(
    "A16Gather",
    "weight indices scale zp",
    "output",
    _may("axis", SI32, 0),
    _may("keepdims", BOOL, False),
    _may("q_group_size", I64, 32),
    _may("weight_bits", I64, 8),
)
_op(
    "A16MatMul",
    "input weight scale zp bias~",
    "output",
    _may("right_transpose", BOOL, False),
    _may("q_group_size", I64, 128),
    _may("weight_bits", I64, 8),
    _may("dq_type", STRING, "NONE", _DQ_TYPE),
)
_op("Abs", "input", "output")
_op("AdaptiveAvgPool", "input", "output", _need("output_size", I64S))
_op(
    "Add",
    "inputs*",
    "output",
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("coeff", F64S),
    _may("is_scalar", BOOL, False),
)
_op(
    "AddConst",
    "input",
    "output",
    _need("const_val", F64),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_scalar", BOOL, False),
)
_op("Arange", "start~ end step~", "output")
_op("Arccos", "input", "output")
_op("Arctanh", "input", "output")
_op(
    "Arg",
    "input",
    "indices values~",
    _need("axis", I64),
    _need("keepdims", BOOL),
    _need("mode", STRING, ("ArgMin", "ArgMax")),
    _may("select_last_index", BOOL, True),
)
_op(
    "Attention",
    "input keys values queries_weight queries_bias~ keys_weight keys_bias~ "
    "values_weight values_bias~ out_weight out_bias~ mask~",
    "output",
    _need("scale", F64),
    _need("head", I64),
    _may("dim", I64, 0),
    _may("scale_param", F64S, [1.0]),
    _may("zp_param", I64S, [0]),
    _may("has_bias", I64, 0),
)
_op(
    "AvgPool",
    "input",
    "output",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _may("ceil_mode", BOOL),
    _may("auto_pad", STRING, choices=_AUTO_PAD_MODE),
    _may("is_adaptive", BOOL, False),
    _may("keepdims", BOOL, True),
    _may("pad_value", I64, 0),
    _may("count_include_pad", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("first_round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op(
    "BatchNorm",
    "input mean variance gamma~ beta~",
    "output",
    _may("epsilon", F64, 1e-05),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "BatchNormBwd",
    "grad_out input weight_opt~ saved_mean~ saved_invstd~",
    "grad_in weight_grad~ bias_grad~",
    _may("epsilon", F64, 1e-05),
)
_op(
    "BatchNormTrain",
    "input mean var gamma~ beta~",
    "output mean_out saved_invstd running_mean running_var",
    _may("epsilon", F64, 1e-05),
    _may("momentum", F64, 0.1),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "BinaryConstShift",
    "input",
    "output",
    _need("scale", SI32),
    _need("mode", STRING, _BINARY_SHIFT),
    _need("shift", SI32),
    _may("is_reverse", BOOL, False),
    _may("saturation", BOOL, True),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op(
    "BinaryShift",
    "input1 input2",
    "output",
    _need("mode", STRING, _BINARY_SHIFT),
    _need("shift", SI32),
    _may("is_reverse", BOOL, False),
    _may("saturation", BOOL, True),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op(
    "C2CAllReduce",
    "send recv",
    "output",
    _may("reduce_method", I64, 1),
    _may("nranks", I64, 2),
    _may("rank", I64, 0),
    _may("sccl_algo", I64, 0),
    _may("chip_map", I64S, [0, 1]),
)
_op(
    "C2CBroadcast",
    "input",
    "output",
    _may("root", I64, 0),
    _may("nranks", I64, 2),
    _may("rank", I64, 0),
    _may("sccl_algo", I64, 0),
    _may("chip_map", I64S, [0, 1]),
)
_op(
    "Cast",
    "input",
    "output",
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("to", STRING, ""),
)
_op("Ceil", "input", "output")
_op(
    "ChunkGatedDeltaRule",
    "query key value g beta recurrent_state triu_mask strict_triu_mask tril_mask eye",
    "attn_out",
    _need("num_k_heads", I64),
    _need("num_v_heads", I64),
    _need("d", I64),
    _need("chunk_size", I64),
    _need("use_qk_l2norm", BOOL),
    _need("scale", F64),
)
_op("Clip", "inputs", "output", _need("min", F64), _need("max", F64))
_op("Compare", "lhs rhs", "output", _need("mode", STRING, _COMPARE_MODE))
_op(
    "CompareConst",
    "input",
    "output",
    _need("mode", STRING, _COMPARE_MODE),
    _need("const_val", F64),
    _need("inversed", BOOL),
    _may("is_scalar", BOOL, False),
)
_op(
    "Concat",
    "inputs*",
    "output",
    _may("axis", SI32, 1),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("only_merge", BOOL, False),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op("ConcatSlice", "in0 in1", "output", _need("axis", I64))
_op("ConcatVolume", "inputs*", "output", _may("max_disp", I64, 0))
_op("ConstantFill", "input", "output", _need("value", F64))
_op(
    "Conv",
    "input filter bias~",
    "output",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _may("group", I64, 1),
    _may("dilations", I64S),
    _may("inserts", I64S),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("dynweight_reorderd", BOOL, False),
    _may("weight_is_coeff", I64, 1),
    _may("do_winograd", BOOL),
    _may("auto_pad", STRING, choices=_AUTO_PAD_MODE),
    _may("in_int4_scale", F64),
    _may("in_int4_zp", F64),
    _may("out_int8_scale", F64),
    _may("out_int8_zp", F64),
    _may("weight_bits", I64),
)
_op(
    "ConvBwd_Weight",
    "input gradout gradout_transpose",
    "output",
    _need("groups", I64),
    _need("input_shape", I64S),
    _need("grad_out_shape", I64S),
    _need("kernel_shape", I64S),
    _need("stride", I64S),
    _need("dilations", I64S),
    _need("padding", I64S),
    _need("grad_bias_enable", BOOL),
)
_op(
    "Convbwd",
    "grad_out input kernel",
    "grad_input~ grad_weight~ grad_bias~",
    _need("groups", I64),
    _need("input_shape", I64S),
    _need("grad_out_shape", I64S),
    _need("kernel_shape", I64S),
    _need("stride", I64S),
    _need("dilations", I64S),
    _need("padding", I64S),
    _need("inserts", I64S),
    _need("grad_input_enable", BOOL),
    _need("grad_weight_enable", BOOL),
    _need("grad_bias_enable", BOOL),
)
_op(
    "Copy",
    "input",
    "output",
    _need("shape", I64S),
    _need("input_stride", I64S),
    _need("output_stride", I64S),
)
_op("Correlation", "inputs*", "output", _may("max_disp", I64, 0), _may("num_groups", I64, 1))
_op("Cos", "input", "output")
_op("Cosh", "input", "output")
_op(
    "Csc",
    "input",
    "output",
    _need("pixel_format", STRING),
    _need("aligned", BOOL),
    _need("y_align", I64),
    _need("w_align", I64),
    _need("channel_align", I64),
)
_op("CumSum", "input dim~", "output", _need("axis", I64))
_op("Custom", "inputs*", "outputs*", _need("name", STRING), _need("params", DICTS))
_op(
    "Deconv",
    "input filter bias~",
    "output",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _may("group", I64, 1),
    _may("dilations", I64S),
    _may("output_padding", I64S),
    _may("dynweight_reorderd", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "DeformConv2D",
    "input filter offset mask~ bias~",
    "output",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _may("group", I64, 1),
    _may("deform_group", I64, 1),
    _may("use_mask", BOOL, False),
    _may("dilations", I64S),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "DepackRaw",
    "input",
    "output",
    _need("padding_h", I64),
    _need("padding_w", I64),
    _need("white_level", F64),
    _need("black_level", F64),
    _need("channel_order", I64S),
)
_op(
    "Depth2Space",
    "input",
    "output",
    _need("block_h", I64),
    _need("block_w", I64),
    _need("is_CRD", BOOL),
    _need("is_inversed", BOOL),
    _may("in_is_NCHW", BOOL, True),
    _may("out_is_NCHW", BOOL, True),
    _may("swap_cr", BOOL, False),
)
_op(
    "DequantInt",
    "input",
    "output",
    _need("multiplier", I64S),
    _need("shift", I64S),
    _may("lshift", I64, 0),
    _need("quant_mode", STRING, ("Normal", "TFLite")),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op(
    "DequantizeLinear",
    "input",
    "output",
    _need("x_scale", F64S),
    _need("x_zero_point", I32S),
    _may("axis", I64, 1),
)
_op(
    "DetectionOutput",
    "inputs*",
    "output",
    _need("num_classes", I64),
    _may("background_label_id", I64, 0),
    _need("nms_threshold", F64),
    _need("top_k", I64),
    _need("code_type", STRING, ("CORNER", "CENTER_SIZE", "CORNER_SIZE")),
    _need("keep_top_k", I64),
    _need("confidence_threshold", F64),
    _may("share_location", BOOL, True),
    _may("variance_encoded_in_target", F64, 0.0),
    _may("eta", F64, 1.0),
)
_op(
    "Div",
    "inputs*",
    "output",
    _may("is_reverse", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_scalar", BOOL, False),
)
_op(
    "DivConst",
    "input",
    "output",
    _need("const_val", F64),
    _may("is_reverse", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_scalar", BOOL, False),
)
_op("DtypeCast", "input", "output")
_op(
    "Einsum",
    "inputs*",
    "output",
    _need(
        "mode",
        STRING,
        (
            "a,b->ab",
            "ab,ab->a",
            "ab,acb->ac",
            "ab,cdb->acd",
            "abc,db->adc",
            "abcd,cde->abe",
            "abcd,acd->abc",
            "abcd,bed->abce",
            "abcd,ced->abce",
            "abcd,abed->abce",
            "abcd,abde->abce",
            "abcd,abce->acde",
            "abc,adc->abd",
            "abc,adc->adb",
            "abc,abd->acd",
            "abcd,cde->abce",
            "abc,acde->abde",
            "abc,abde->acde",
            "abc,bd->abcd",
            "abc,abdc,abc->abcd",
            "abcd,acde,abc->abce",
            "abc,abc->ab",
            "abcd,aecd->aeb",
            "abc,cde->abde",
            "abcd,aeb->aecd",
            "abcde,afbc->abdef",
            "abcde,abfge->abcdfg",
            "abcd,aecd->abec",
            "abcd,acde->abde",
            "abcd,abef->acdef",
            "abcd,abce->abde",
            "ab,abc->ac",
            "abcd,aecd->acbe",
            "abcd,adbe->acbe",
        ),
    ),
)
_op("Elu", "input", "output", _need("alpha", F64))
_op("EmbDenseBwd", "grad_output indices", "output", _need("num_weights", SI32))
_op("Erf", "input", "output")
_op("Exp", "input", "output")
_op("Expand", "input shapeT?", "output", _may("shape", I64S, []))
_op(
    "FAttention",
    "queries keys values mask~ buffer~",
    "output",
    _need("scale", F64),
    _need("batch", I64),
    _need("q_head", I64),
    _need("kv_head", I64),
    _need("dim", I64),
    _need("mq", I64),
    _need("mk", I64),
    _may("keep_dims", BOOL, True),
    _may("mask_size", SI32, 0),
)
_op(
    "FAttentionLse",
    "queries keys values mask~ buffer~",
    "output lse",
    _need("scale", F64),
    _need("batch", I64),
    _need("q_head", I64),
    _need("kv_head", I64),
    _need("dim", I64),
    _need("mq", I64),
    _need("mk", I64),
    _may("keep_dims", BOOL, True),
    _may("mask_size", SI32, 0),
)
_op("Flatten", "input", "output", _may("start_dim", I64, 0), _may("end_dim", I64, -1))
_op(
    "FlexAttention",
    "queries keys values mask~ block_bitmap~ buffer~",
    "output lse",
    _need("scale", F64),
    _need("batch", I64),
    _need("q_head", I64),
    _need("kv_head", I64),
    _need("qk_d", I64),
    _need("v_d", I64),
    _need("mq", I64),
    _need("mk", I64),
    _may("has_lse", BOOL, False),
    _may("flex_block", SI32, 128),
    _may("keep_dims", BOOL, True),
    _may("mask_size", SI32, 0),
)
_op("Floor", "input", "output", _may("is_scalar", BOOL, False))
_op(
    "Fp8MatMul",
    "input weight weight_scale bias~",
    "output",
    _may("weight_transpose", BOOL, False),
    _may("block_size", I64, 128),
)
_op(
    "FrcnDetection",
    "inputs*",
    "output",
    _need("class_num", I64),
    _need("obj_threshold", F64),
    _need("nms_threshold", F64),
    _need("keep_topk", I64),
)
_op(
    "GELU",
    "input",
    "output",
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("approx_mode", STRING, "normal", ("normal", "tanh", "sigm")),
)
_op(
    "GRU",
    "input filter recurrence bias~ initial_h~",
    "Y~ Y_h~",
    _need("hidden_size", I64),
    _need("bidirectional", BOOL),
    _may("linear_before_reset", BOOL, True),
    _may("batch_first", BOOL, False),
)
_op(
    "Gather",
    "input indices",
    "output",
    _may("keepdims", BOOL, True),
    _may("axis", SI32, 0),
    _may("is_scalar", BOOL, False),
    _may("is_lora", BOOL, False),
)
_op("GatherElements", "input indices", "output", _may("axis", I64, 2))
_op("GatherND", "input indices", "output", _may("indice_dims", I64), _may("batch_dims", I64, 0))
_op(
    "GridSampler",
    "input grid",
    "output",
    _need("mode", I64),
    _need("padding_mode", I64),
    _need("align_corners", BOOL),
)
_op("GroupNorm", "input weight~ bias~", "output", _need("num_groups", I64), _need("eps", F64))
_op(
    "GroupNormTrain",
    "input weight~ bias~",
    "output mean rstd",
    _need("num_groups", I64),
    _need("eps", F64),
)
_op("HardSigmoid", "input", "output", _need("alpha", F64), _need("beta", F64))
_op("HardSwish", "input", "output")
_op("If", "cond", "output*", regions=("then_branch", "else_branch"))
_op("IndexPut", "input indices values", "output", _may("accumulate", BOOL, False))
_op(
    "Input",
    "input",
    "output",
    _may("shape_tensor", I64S),
    _may("do_preprocess", BOOL, False),
    _may(
        "pixel_format",
        STRING,
        choices=("rgb", "bgr", "gray", "rgba", "gbrg", "grbg", "bggr", "rggb"),
    ),
    _may("channel_format", STRING, choices=("nhwc", "nchw")),
    _may("resize_dims", I64S),
    _may("keep_aspect_ratio", BOOL),
    _may("keep_ratio_mode", STRING),
    _may("pad_value", I64),
    _may("pad_type", STRING, choices=("normal", "center")),
    _may("scale", F64S),
    _may("mean", F64S),
    _may("customization_format", STRING),
    _may("aligned", BOOL),
    _may("yuv_type", STRING),
)
_op("Insert", "input rhs", "output", _need("axis", I64), _need("offset", I64))
_op("InstanceNorm", "input weight~ bias~", "output", _need("eps", F64))
_op(
    "Interp",
    "input target_shape~",
    "output",
    _need("mode", STRING, ("nearest", "linear")),
    _need(
        "coord_mode", STRING, ("align_corners", "half_pixel", "pytorch_half_pixel", "asymmetric")
    ),
    _may("scale_h", F64, -1.0),
    _may("scale_w", F64, -1.0),
)
_op(
    "LRN",
    "input",
    "output",
    _need("size", I64),
    _may("alpha", F64, 0.0001),
    _may("beta", F64, 0.75),
    _may("bias", F64, 1.0),
)
_op(
    "LSTM",
    "input filter recurrence bias~ initial_h~ initial_c~ cont~",
    "Y~ Y_h~ Y_c~",
    _need("hidden_size", I64),
    _need("bidirectional", BOOL),
    _may("batch_first", BOOL, False),
)
_op(
    "LayerNorm",
    "input weight~ bias~",
    "output",
    _need("normalized_shape", I64S),
    _need("axis", SI32),
    _need("eps", F64),
)
_op(
    "LayerNormBwd",
    "grad_out input mean variance weight~ bias~",
    "grad_input~ grad_weight~ grad_bias~",
    _need("normalized_shape", I64S),
)
_op(
    "LayerNormTrain",
    "input weight~ bias~",
    "output mean variance",
    _need("normalized_shape", I64S),
    _need("axis", SI32),
    _need("eps", F64),
)
_op(
    "LeakyRelu",
    "input",
    "output",
    _need("alpha", F64),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op("List", "inputs*", "output")
_op("Log", "input", "output")
_op("LogB", "input", "output", _need("base", I64))
_op("LogicalAnd", "inputs*", "output")
_op("Loop", "M~ cond~ v_initial*", "v_final_and_scan_outputs*", regions=("body",))
_op("Lut", "input table", "output")
_op(
    "MaskRCNN_BboxPooler",
    "ptr_feat0 ptr_feat1 ptr_feat2 ptr_feat3 rois_multi_batch",
    "result_res result_rois",
    _need("ROI_NUM_LEVELS", I64),
    _need("ROI_H", I64),
    _need("ROI_W", I64),
    _need("CHANNEL_ROI", I64),
    _need("ROI_SLICE", I64),
    _need("ROI_PH", I64),
    _need("ROI_PW", I64),
    _need("ROI_LEN", I64),
)
_op(
    "MaskRCNN_GetBboxB",
    "ptr_rois ptr_bbox ptr_score max_val scale_factor",
    "result_det_bboxes result_det_labels",
    _need("threshold_score_eq", F64),
    _need("wh_ratio_log", F64),
    _need("nms_iou_thr", F64),
    _need("delta2bbox_means", F64),
    _need("delta2bbox_stds_0", F64),
    _need("delta2bbox_stds_1", F64),
    _need("NUM_INDEXES", I64),
    _need("NUM_CLASSES", I64),
    _need("TOPK_ONNX_NMS", I64),
    _need("NUM_CLASSES_getBboxB", I64),
    _need("MAX_NMS_LENGTH_GetBboxB", I64),
    _need("MAX_PER_IMG", I64),
    _need("MAX_PER_IMG_GetBboxB", I64),
)
_op(
    "MaskRCNN_MaskPooler",
    "x_0 x_1 x_2 x_3 det_bboxes_multi_batch det_labels_multi_batch scale_factor",
    "result_res",
    _need("ROI_NUM_LEVELS", I64),
    _need("ROI_H", I64),
    _need("ROI_W", I64),
    _need("CHANNEL_ROI", I64),
    _need("ROI_SLICE", I64),
    _need("ROI_PH", I64),
    _need("ROI_PW", I64),
    _need("ROI_LEN", I64),
)
_op(
    "MaskRCNN_RPNGetBboxes",
    "cls_scores_0 cls_scores_1 cls_scores_2 cls_scores_3 cls_scores_4 bbox_preds_0 "
    "bbox_preds_1 bbox_preds_2 bbox_preds_3 bbox_preds_4 max_shape mlvl_anchors_0 "
    "mlvl_anchors_1 mlvl_anchors_2 mlvl_anchors_3 mlvl_anchors_4",
    "result_list",
    _need("delta2bbox_mean_0", F64),
    _need("delta2bbox_mean_1", F64),
    _need("delta2bbox_mean_2", F64),
    _need("delta2bbox_mean_3", F64),
    _need("delta2bbox_std_0", F64),
    _need("delta2bbox_std_1", F64),
    _need("delta2bbox_std_2", F64),
    _need("delta2bbox_std_3", F64),
    _need("delta2bbox_max_scalar_c", F64),
    _need("iou_threshold", F64),
    _need("conf_threshold", F64),
    _need("MAX_LENGTH_STATIC_STRECHED", I64),
    _need("NUM_INDEXES", I64),
    _need("NUM_CLASSES", I64),
    _need("CHANNEL_RPN_BBOXES", I64),
    _need("CHANNEL_RPN_SCORES", I64),
    _need("NMS_PRE", I64),
    _need("HARDWARE_FACTOR_TOPK", I64),
    _need("NMS_MAX_LENGTH", I64),
    _need("TOPK_ONNX_NMS", I64),
    _need("H_RPN_DYN_MAX", I64),
    _need("W_RPN_DYN_MAX", I64),
    _need("MAX_PER_IMG", I64),
)
_op("MaskedFill", "cond brn", "output", _need("inversed", BOOL), _need("const_val", F64))
_op(
    "MatMul",
    "input right bias~",
    "output",
    _may("right_transpose", BOOL, False),
    _may("left_transpose", BOOL, False),
    _may("output_transpose", BOOL, False),
    _may("hdim_is_batch", BOOL, False),
    _may("keep_dims", BOOL, True),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_lora", BOOL, False),
    _may("weight_bits", I64),
    _may("in_int4_scale", F64),
    _may("in_int4_zp", F64),
    _may("out_int8_scale", F64),
    _may("out_int8_zp", F64),
    _may("dq_type", STRING, "NONE", _DQ_TYPE),
    _may("q_group_size", I64, 0),
)
_op(
    "MatchTemplate",
    "input match",
    "output",
    _need("mode", STRING, ("TM_CCOEFF_NORMED", "TM_SQDIFF")),
)
_op("Max", "inputs*", "output")
_op("MaxConst", "input", "output", _need("const_val", F64), _may("is_scalar", BOOL, False))
_op(
    "MaxPool",
    "input",
    "output",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _may("ceil_mode", BOOL),
    _may("auto_pad", STRING, choices=_AUTO_PAD_MODE),
    _may("is_adaptive", BOOL, False),
    _may("keepdims", BOOL, True),
    _may("pad_value", I64, 0),
    _may("count_include_pad", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("first_round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op(
    "MaxPoolWithMask",
    "input",
    "output mask",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _may("ceil_mode", BOOL),
    _may("auto_pad", STRING, choices=_AUTO_PAD_MODE),
    _may("is_adaptive", BOOL, False),
    _may("keepdims", BOOL, True),
    _may("pad_value", I64, 0),
    _may("count_include_pad", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("first_round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op(
    "MaxPoolingIndicesBwd",
    "grad_output indices",
    "grad_input",
    _need("kernel_shape", I64S),
    _need("strides", I64S),
    _need("pads", I64S),
    _need("dilations", I64S),
    _need("input_shape", I64S),
)
_op("MaxUnpool", "input mask", "output", _need("scale_h", I64), _need("scale_w", I64))
_op(
    "MeanRstd",
    "input running_mean running_var weight bias",
    "mean rstd running_mean_update running_var_update scale bias_new",
    _need("eps", F64),
    _need("momentum", F64),
)
_op(
    "MeanStdScale",
    "input",
    "output",
    _need("quant_mode", STRING),
    _need("customization_format", STRING),
    _need("channel_order", STRING),
    _may("sign", BOOL, True),
    _need("scale", F64S),
    _need("std", F64S),
    _need("mean", F64S),
    _need("zero_points", F64S),
    _need("resize_dims", I64S),
    _need("rounding_mode", STRING),
)
_op("MeshGrid", "inputs*", "outputs*", _need("is_reverse", BOOL))
_op("Min", "inputs*", "output")
_op("MinConst", "input", "output", _need("const_val", F64), _may("is_scalar", BOOL, False))
_op("Mish", "input", "output")
_op(
    "Mlp",
    "input weight_gate weight_up weight_down bias_gate~ bias_up~ bias_down~ "
    "expert_id~ scale_gate~ scale_up~ scale_down~ zp_gate~ zp_up~ zp_down~",
    "output",
    _may("right_transpose_gate", BOOL, True),
    _may("right_transpose_up", BOOL, True),
    _may("right_transpose_down", BOOL, False),
    _may("is_expert", BOOL, False),
    _may("quantized", BOOL, False),
    _may("q_group_size", I64, 128),
    _may("weight_bits", I64, 8),
    _may("num_expert", I64, 1),
    _may("num_expert_per_tok", I64, 1),
)
_op("Mmap2Rgbmap", "input", "output")
_op("Mod", "inputs*", "output")
_op(
    "Mul",
    "inputs*",
    "output",
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_scalar", BOOL, False),
)
_op(
    "MulConst",
    "input",
    "output",
    _need("const_val", F64),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_scalar", BOOL, False),
)
_op("Nms", "inputs*", "output", _need("center_point_box", I64), _need("max_output_size", I64))
_op("NonZero", "input", "output", _need("order", STRING, ("ColMajor", "RowMajor")))
_op("None", "", "output~")
_op(
    "Normalize",
    "input scale",
    "output",
    _may("across_spatial", BOOL, False),
    _may("channel_shared", BOOL, True),
)
_op("PRelu", "input slope", "output")
_op("Pack", "inputs*", "output", _need("axis", SI32), _need("values_count", I64))
_op(
    "Pad",
    "input paddingsT?",
    "output",
    _need("paddings", I64S),
    _may("val", F64, 0.0),
    _need("mode", STRING, ("constant", "reflect", "symmetric", "edge")),
)
_op("Permute", "input", "output", _need("order", I64S))
_op("PixelNorm", "input weight~ bias~", "output", _need("eps", F64))
_op("PoolMask", "input", "output", _need("scale", I64))
_op("Pow", "input", "output", _need("exponent", F64))
_op("Pow2", "input", "output", _need("const_val", F64))
_op("Pow3", "inputs*", "output")
_op(
    "Preprocess",
    "input",
    "output",
    _need("quant_mode", STRING),
    _need("customization_format", STRING),
    _need("channel_order", STRING),
    _need("resize_dims", I64S),
    _need("scale", F64S),
    _need("mean", F64S),
    _may("sign", BOOL, True),
)
_op(
    "PriorBox",
    "inputs*",
    "output",
    _need("min_size", F64S),
    _need("max_size", F64S),
    _need("aspect_ratios", F64S),
    _need("variance", F64S),
    _may("clip", BOOL, True),
    _need("step_h", F64),
    _need("step_w", F64),
    _need("img_h", I64),
    _need("img_w", I64),
    _may("offset", F64, 0.5),
    _need("num_priors", I64),
    _may("use_default_aspect_ratio", BOOL, True),
)
_op(
    "Proposal",
    "inputs*",
    "output",
    _need("net_input_h", I64),
    _need("net_input_w", I64),
    _need("feat_stride", I64),
    _need("anchor_base_size", I64),
    _need("rpn_obj_threshold", F64),
    _need("rpn_nms_threshold", F64),
    _need("rpn_nms_post_top_n", I64),
)
_op(
    "QuantizeLinear",
    "input",
    "output",
    _need("y_scale", F64S),
    _need("y_zero_point", I32S),
    _may("axis", I64, 1),
)
_op("RMSNorm", "input gamma~", "output", _need("eps", F64), _may("weight_keep_f32", BOOL, False))
_op(
    "ROIPooling",
    "inputs*",
    "output",
    _need("pooled_h", I64),
    _need("pooled_w", I64),
    _need("spatial_scale", F64),
)
_op("RandnLike", "input randn_data", "output")
_op("Range", "start~ limit delta~", "output")
_op(
    "Reciprocal",
    "input",
    "output",
    _may("const_val", F64, 1.0),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "RecurrentGatedDeltaRule",
    "query key value g beta recurrent_state",
    "attn_out",
    _need("num_k_heads", I64),
    _need("num_v_heads", I64),
    _need("d", I64),
    _need("use_qk_l2norm", BOOL),
    _need("scale", F64),
)
_op(
    "Reduce",
    "input",
    "output",
    _need("axes", I64S),
    _need("keepdims", BOOL),
    _need(
        "mode",
        STRING,
        ("ReduceMin", "ReduceMax", "ReduceMean", "ReduceL2", "ReduceL1", "ReduceSum", "ReduceProd"),
    ),
    _may("is_scalar", BOOL, False),
)
_op("Relu", "input", "output", _may("relu_limit", F64, -1.0))
_op("Remainder", "inputs*", "output")
_op("Repeat", "input repeats", "output")
_op(
    "RequantFp",
    "input",
    "output",
    _need("scale", F64S),
    _need("offset", F64S),
    _need("quant_mode", STRING, _REQUANT_MODE),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("first_round_mode", STRING, "HalfUp", _ROUND_MODE),
)
_op(
    "RequantInt",
    "input",
    "output",
    _need("multiplier", I64S),
    _need("rshift", I64S),
    _need("quant_mode", STRING, _REQUANT_MODE),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("rq_axis", SI32, 1),
    _may("fuse_rq", BOOL, False),
)
_op("Reshape", "input shapeT?", "output", _may("shape", I64S), _may("flatten_start_dim", I64, -1))
_op(
    "RetinaFaceDetection",
    "inputs*",
    "output",
    _need("nms_threshold", F64),
    _need("confidence_threshold", F64),
    _need("keep_topk", I64),
)
_op("Reverse", "input", "output", _need("axis", I64))
_op(
    "RoiAlign",
    "input rois",
    "output",
    _need("mode", STRING, _ROI_ALIGN_MODE),
    _need("output_height", I64),
    _need("output_width", I64),
    _need("sampling_ratio", I64),
    _need("spatial_scale", F64),
    _need("align_corners", BOOL),
)
_op(
    "RoiExtractor",
    "rois target_lvls inputs*",
    "output",
    _need("mode", STRING, _ROI_ALIGN_MODE),
    _need("num_levels", I64),
    _need("output_height", I64),
    _need("output_width", I64),
    _need("sampling_ratio", I64),
    _need("spatial_scales", F64S),
    _need("align_corners", BOOL),
    _need("is_static", BOOL),
)
_op(
    "Rope",
    "input1 input2 input3",
    "output",
    _may("rope_mode", STRING, "interleaved_pairs", ("interleaved_pairs", "contiguous_halves")),
    _may("is_permute_optimize", BOOL, False),
    _may("mul1_round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("mul2_round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("add_round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
    _may("mul1_shift", SI32, 0),
    _may("mul2_shift", SI32, 0),
    _may("add_shift", SI32, 0),
    _may("mul1_saturation", BOOL, True),
    _may("mul2_saturation", BOOL, True),
    _may("add_saturation", BOOL, True),
    _may("force_f32", BOOL, False),
)
_op("Round", "input", "output")
_op("Rsqrt", "input", "output")
_op(
    "Scale",
    "input scale bias",
    "output",
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "ScaleDotProductAttention",
    "query key value mask~",
    "output",
    _may("dropout_p", F64, 0.0),
    _may("is_causal", BOOL, False),
    _may("scale", F64, 0.0),
)
_op(
    "ScaleLut",
    "input",
    "output",
    _need("scale", F64S),
    _need("bias", F64S),
    _may("sign", BOOL, True),
)
_op(
    "ScatterElements",
    "input indices updates",
    "output",
    _need("axis", I64),
    _may("reduction", I64, 0),
    _may("nc_can_split", BOOL, False),
)
_op("ScatterND", "input_data indices updates", "output", _may("reduction", I32, 0))
_op("SelectiveScan", "Cs deltaA deltaB_u us Ds~", "output")
_op("Shape", "input", "output", _may("start", I64), _may("end", I64), _may("step", I64))
_op("ShuffleChannel", "input", "output", _need("group", I64))
_op("SiLU", "input", "output")
_op(
    "Sigmoid",
    "input",
    "output",
    _may("scale", F64, 1.0),
    _may("bias", F64, 0.0),
    _may("log", BOOL, False),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op("Sign", "input", "output")
_op("Sin", "input", "output")
_op("Sinh", "input", "output")
_op("Size", "input", "output", _may("axis", SI32))
_op(
    "Slice",
    "input offsetT~ endsT~ stepsT~",
    "output",
    _need("offset", I64S),
    _need("steps", I64S),
    _need("ends", I64S),
    _may("axes", I64S, []),
    _may("hasparamConvert_axes", I64S, []),
)
_op("SliceAxis", "input axis start step~ end", "output")
_op(
    "Softmax",
    "input",
    "output",
    _need("axis", SI32),
    _may("log", BOOL, False),
    _may("beta", F64, 1.0),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op("SoftmaxBwd", "grad_output output", "grad_input", _need("dim", SI32))
_op("Softplus", "input", "output")
_op("Softsign", "input", "output")
_op("Sort", "input", "values~ indices", _need("axis", I64), _may("descending", BOOL, True))
_op("Split", "input", "outputs*", _need("axis", SI32), _need("num", I64), _may("split_size", I64S))
_op("Sqrt", "input", "output")
_op("Squeeze", "input", "output", _need("axes", I64S), _may("is_scalar", BOOL, False))
_op(
    "StridedSlice",
    "input starts ends strides",
    "output",
    _need("begin_mask", I64),
    _need("end_mask", I64),
    _need("ellipsis_mask", I64),
    _need("new_axis_mask", I64),
    _need("shrink_axis_mask", I64),
)
_op(
    "Sub",
    "inputs*",
    "output",
    _may("is_reverse", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("coeff", F64S),
    _may("is_scalar", BOOL, False),
)
_op(
    "SubConst",
    "input",
    "output",
    _need("const_val", F64),
    _may("is_reverse", BOOL, False),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
    _may("is_scalar", BOOL, False),
)
_op("SwapChannel", "input", "output", _need("channel_order", I64S))
_op("SwapDimInner", "input", "output", _need("offset", I64S))
_op(
    "Swish",
    "input",
    "output",
    _need("beta", F64),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)
_op("Tan", "input", "output")
_op("Tanh", "input", "output", _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE))
_op("Tile", "input tileT?", "output", _may("tile", I64S))
_op(
    "TopK",
    "input kT?",
    "values~ indices~",
    _need("axis", I64),
    _may("K", I64, -1),
    _may("largest", BOOL, True),
    _may("sorted", BOOL, True),
    _may("replace_topk_indices", BOOL, False),
    _may("use_hau", BOOL, True),
)
_op("Transpose", "input", "output", _need("dim0", SI32), _need("dim1", SI32))
_op("Trilu", "input", "output", _need("upper", SI32), _need("diagonal", SI32))
_op("Tuple", "inputs*", "output")
_op("UnTuple", "inputs*", "outputs*")
_op("Unpack", "input", "outputs*", _need("axis", SI32))
_op("Unsqueeze", "input", "output", _need("axes", I64S))
_op(
    "Upsample",
    "input",
    "output",
    _need("scale_h", I64),
    _need("scale_w", I64),
    _may("do_relu", BOOL, False),
    _may("relu_limit", F64, -1.0),
)
_op(
    "Variance",
    "input",
    "output",
    _need("reduce_list", I64S),
    _need("correction", F64),
    _may("keep_dims", BOOL, False),
)
_op("View", "input shape", "output")
_op(
    "Weight",
    "",
    "output",
    _may("scale", F64S),
    _may("store_mode", STRING, choices=("1N", "2N", "4N")),
    _may("allow_split", I64S),
    _may("indices_idx", I64S),
    _may("indices_slice", I64S),
    _may("path", STRING),
    _may("placeholder", STRING, choices=("Auto", "F32", "None")),
    _may("do_compress", BOOL),
    _may("bias0", I64),
    _may("bias1", I64),
    _may("is_signed", BOOL),
    _may("zero_guard", BOOL),
    _may("inline_bytes", STRING),
)
_op("WeightReorder", "input", "output", _may("reorder_mode", I64, 0))
_op(
    "Where",
    "cond tbrn~ fbrn~",
    "output",
    _may("x_is_const", BOOL, False),
    _may("y_is_const", BOOL, False),
    _may("x_const_val", F64, 0.0),
    _may("y_const_val", F64, 0.0),
)
_op("Yield", "operands*", "", terminator=True)
_op(
    "YoloDetection",
    "inputs*",
    "output",
    _need("net_input_h", I64),
    _need("net_input_w", I64),
    _need("nms_threshold", F64),
    _need("obj_threshold", F64),
    _need("keep_topk", I64),
    _need("anchors", F64S),
    _need(
        "version",
        STRING,
        ("yolov3", "yolov3_tiny", "yolov3_spp", "yolov4", "yolov5", "yolov8", "yolov11", "yolov26"),
    ),
    _may("class_num", I64, 80),
    _may("num_boxes", I64, 3),
    _may("agnostic_nms", BOOL, False),
)
_op(
    "Yuv2rgbFormula",
    "YUV",
    "output",
    _need("src_format", UI32),
    _need("dst_format", UI32),
    _need("image_format", STRING, ("FLOAT32", "UINT8")),
    _need("formula_mode", STRING, ("_601_limited", "_601_full")),
    _may("round_mode", STRING, "HalfAwayFromZero", _ROUND_MODE),
)

OP_TABLE: dict[str, OpSpec] = _table
"""All kinds of op by name."""
