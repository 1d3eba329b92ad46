"""The shapes and element types of MXNet's ops that no conversion takes: boxes, regions, steps, integers.

The rules are those of MXNet's own inference. An op about which nothing is known has no rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from autosplit.core.dtypes import element_type_of
from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.platform import element_type
from autosplit.lowering.sizes.affine import Number, product
from autosplit.lowering.sizes.known_sizes import KnownSizes, Shape, ShapeRule, Shapes, open_size


def _ints(op: MxOp, name: str) -> list[int]:
    return [n or 0 for n in op.ints(name)]


def _same(s: KnownSizes, op: MxOp) -> Shapes:
    return [s.shape(op.operands[0])] * len(op.results)


def _like(index: int) -> ShapeRule:
    """The shape of input `index`."""
    return lambda s, op: [s.shape(op.operands[index])]


# Boxes


def _suppressed_boxes(s: KnownSizes, op: MxOp) -> Shapes:
    boxes = s.shape(op.operands[0])
    return [boxes, None if boxes is None else (*boxes[:-1], 1)]


def _encoded_boxes(s: KnownSizes, op: MxOp) -> Shapes:
    samples = s.shape(op.operands[0])
    return [None if samples is None else (*samples, 4)] * 2


def _overlaps(s: KnownSizes, op: MxOp) -> Shapes:
    left, right = s.shape(op.operands[0]), s.shape(op.operands[1])
    return [None if left is None or right is None else (*left[:-1], *right[:-1])]


def _detections(s: KnownSizes, op: MxOp) -> Shapes:
    scores = s.shape(op.operands[0])
    return [None if scores is None else (scores[0], scores[2], 6)]


def _targets(s: KnownSizes, op: MxOp) -> Shapes:
    anchors, scores = s.shape(op.operands[0]), s.shape(op.operands[2])
    if anchors is None or scores is None:
        return []
    numbers = product([anchors[1], 4])
    return [(scores[0], numbers), (scores[0], numbers), (scores[0], anchors[1])]


def _proposals(s: KnownSizes, op: MxOp) -> Shapes:
    scores, count = s.shape(op.operands[0]), op.integer("rpn_post_nms_top_n")
    rows: Number = count
    if op.op_type == "_contrib_MultiProposal":
        rows = open_size() if scores is None else product([scores[0], count])
    return [(rows, 5), (rows, 1)]


# Regions and grids


def _regions(s: KnownSizes, op: MxOp) -> Shapes:
    picture, regions = s.shape(op.operands[0]), s.shape(op.operands[1])
    if picture is None or regions is None:
        return []
    size, channels = _ints(op, "pooled_size"), picture[1]
    if "position_sensitive" in _names(op) and op.flag("position_sensitive"):
        channels = channels // (size[0] * size[1]) if isinstance(channels, int) else open_size()
    return [(regions[0], channels, *size)] * len(op.results)


def _sensitive_regions(s: KnownSizes, op: MxOp) -> Shapes:
    regions, size = s.shape(op.operands[1]), op.integer("pooled_size")
    if regions is None:
        return []
    return [(regions[0], op.integer("output_dim"), size, size)] * len(op.results)


def _convolved(s: KnownSizes, op: MxOp) -> Shapes:
    picture = s.shape(op.operands[0])
    if picture is None:
        return []
    kernel = _ints(op, "kernel")
    ones = [1] * len(kernel)
    strides, dilations = _ints(op, "stride") or ones, _ints(op, "dilate") or ones
    pads = _ints(op, "pad") or [0] * len(kernel)
    windows = zip(picture[2:], kernel, strides, dilations, pads, strict=True)
    sizes = (
        (n + 2 * p - d * (k - 1) - 1) // t + 1 if isinstance(n, int) else open_size()
        for n, k, t, d, p in windows
    )
    return [(picture[0], op.integer("num_filter"), *sizes)]


def _sampled(s: KnownSizes, op: MxOp) -> Shapes:
    picture, grid = s.shape(op.operands[0]), s.shape(op.operands[1])
    if picture is None or grid is None:
        return []
    return [(*picture[:2], *grid[2:])]


def _grid(s: KnownSizes, op: MxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    if shape is None or op.text("transform_type") == "warp":
        return [shape]
    return [(shape[0], 2, *_ints(op, "target_shape"))]


def _transformed(s: KnownSizes, op: MxOp) -> Shapes:
    picture = s.shape(op.operands[0])
    return [None if picture is None else (*picture[:2], *_ints(op, "target_shape"))]


# Sequences and others


def _steps(s: KnownSizes, op: MxOp) -> Shapes:
    steps = s.shape(op.operands[0])
    if steps is None or op.get("projection_size") is not None:
        return []
    size, ways = op.integer("state_size"), 2 if op.flag("bidirectional") else 1
    state = (op.integer("num_layers") * ways, steps[1], size)
    return [(steps[0], steps[1], size * ways), state, state]


def _losses(s: KnownSizes, op: MxOp) -> Shapes:
    steps = s.shape(op.operands[0])
    return [None if steps is None else (steps[1],), steps]


def _masked_rows(s: KnownSizes, op: MxOp) -> Shapes:
    rows, axis = s.shape(op.operands[0]), op.integer("axis")
    if rows is None:
        return []
    return [tuple(open_size() if i == axis % len(rows) else n for i, n in enumerate(rows))]


def _scattered(s: KnownSizes, op: MxOp) -> Shapes:
    return [tuple(_ints(op, "shape"))]


def _one_element(s: KnownSizes, op: MxOp) -> Shapes:
    return [(1,)]


def _reduced(s: KnownSizes, op: MxOp) -> Shapes:
    shape = s.shape(op.operands[0])
    if shape is None:
        return []
    axes = {axis % len(shape) for axis in _ints(op, "axis")}
    if op.flag("exclude"):
        axes = set(range(len(shape))) - axes
    axes = axes or set(range(len(shape)))
    if op.flag("keepdims"):
        return [tuple(1 if i in axes else n for i, n in enumerate(shape))]
    return [tuple(n for i, n in enumerate(shape) if i not in axes) or (1,)]


def _ranged(s: KnownSizes, op: MxOp) -> Shapes:
    """An integer tensor, and the ends of the range that it stands for."""
    first: Shape | None = s.shape(op.operands[0])
    return [first, (1,), (1,)]


_TABLE: dict[ShapeRule, str] = {
    _same: "Dropout _contrib_box_decode _contrib_dequantize _contrib_round_ste _contrib_sign_ste "
    "_hypot_scalar _rmod_scalar erfinv gamma gammaln",
    _like(1): "batch_take",
    _suppressed_boxes: "_contrib_box_nms",
    _encoded_boxes: "_contrib_box_encode",
    _overlaps: "_contrib_box_iou",
    _detections: "_contrib_MultiBoxDetection",
    _targets: "_contrib_MultiBoxTarget",
    _proposals: "_contrib_MultiProposal _contrib_Proposal",
    _regions: "ROIPooling _contrib_ROIAlign _contrib_RROIAlign",
    _sensitive_regions: "_contrib_DeformablePSROIPooling _contrib_PSROIPooling",
    _convolved: "_contrib_DeformableConvolution _contrib_ModulatedDeformableConvolution",
    _sampled: "BilinearSampler",
    _grid: "GridGenerator",
    _transformed: "SpatialTransformer",
    _steps: "RNN",
    _losses: "CTCLoss",
    _masked_rows: "_contrib_boolean_mask",
    _scattered: "scatter_nd",
    _one_element: "softmax_cross_entropy",
    _reduced: "nanprod nansum",
    _ranged: "_contrib_quantize _contrib_quantize_v2 _contrib_quantized_act _contrib_requantize",
}

SHAPES: dict[str, ShapeRule] = {op: rule for rule, ops in _TABLE.items() for op in ops.split()}
"""The shapes of an op's outputs, by MXNet's name of the kind."""


def element_types(op: MxOp) -> Sequence[Attribute | None]:
    """The element type of each output of an op that has a rule; None if it is unknown."""
    kind = op.op_type
    if kind not in SHAPES:
        return [None] * len(op.results)
    if kind == "_contrib_dequantize":
        return [f32]
    first = element_type(op.operands[0].type) if op.operands else None
    if SHAPES[kind] is not _ranged:
        return [first] * len(op.results)
    if kind == "_contrib_quantized_act":
        return [first, f32, f32]
    name = op.text("out_type")
    if name == "auto":
        has_range = {"min_calib_range", "max_calib_range"} <= op.texts.keys()
        low = op.number("min_calib_range")
        return [element_type_of("uint8" if low >= 0 else "int8") if has_range else None, f32, f32]
    return [element_type_of(name), f32, f32]


def _names(op: MxOp) -> frozenset[str]:
    return frozenset(op.SPEC.attrs if op.SPEC is not None else ())
