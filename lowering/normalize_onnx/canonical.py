"""Converts single ONNX ops from the form of any opset since 7 to that of opset 21.

One function for each op whose form or meaning changed, by the opset that changed it. New ops take the
location of the op they come from; its results keep their names.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import shape_of
from autosplit.lowering.building import ModuleValues, OnnxPattern, OnnxReplacement
from autosplit.lowering.shared.fold import AnyArray

Conversion = Callable[[OnnxReplacement, OnnxOp], None]


class CanonicalForm(OnnxPattern[OnnxOp]):
    """An op as an older opset writes it `->` as opset 21 does, by the first of `CONVERSIONS` that applies."""

    def __init__(self, values: ModuleValues, version: int):
        super().__init__(values)
        self.version = version

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and op.op_type in CONVERSIONS

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if op.domain != "":
            return
        for below_opset, conversion in CONVERSIONS[op.op_type]:
            if self.version < below_opset:
                conversion(self.replacement(op, rewriter), op)
                return


def _rank(value: SSAValue) -> int | None:
    shape = shape_of(value.type)
    return None if shape is None else len(shape)


def _axes_to_input(e: OnnxReplacement, op: OnnxOp) -> None:
    """Squeeze, Unsqueeze, Reduce*: the attribute `axes` is the second input."""
    axes = attribute(op, "axes")
    inputs = [operand(op, 0)]
    if axes is not None:
        inputs.append(e.ints("axes", axes))
    elif operand(op, 1) is not None:
        return
    e.replace(inputs, drop=("axes",))


def _clip(e: OnnxReplacement, op: OnnxOp) -> None:
    """Clip: the attributes `min` and `max` are inputs."""
    inputs = [operand(op, 0)]
    for name in ("min", "max"):
        bound = attribute(op, name)
        x = op.operands[0]
        inputs.append(None if bound is None else e.number(name, bound, x))
    e.replace(inputs, drop=("min", "max"))


def _pad(e: OnnxReplacement, op: OnnxOp) -> None:
    """Pad: the attributes `pads` and `value` are inputs."""
    x = op.operands[0]
    inputs: list[SSAValue | None] = [x, e.ints("pads", attribute(op, "pads", []))]
    if value := attribute(op, "value", 0.0):
        inputs.append(e.number("value", value, x))
    e.replace(inputs, drop=("pads", "value"))


def _slice(e: OnnxReplacement, op: OnnxOp) -> None:
    """Slice: the attributes `starts`, `ends` and `axes` are inputs."""
    inputs = [operand(op, 0)]
    for name in ("starts", "ends", "axes"):
        values = attribute(op, name)
        inputs.append(None if values is None else e.ints(name, values))
    e.replace(inputs, drop=("starts", "ends", "axes"))


def _split(e: OnnxReplacement, op: OnnxOp) -> None:
    """Split: `split` is an input; without it `num_outputs` says into how many parts."""
    if (sizes := attribute(op, "split")) is not None:
        e.replace([operand(op, 0), e.ints("split", sizes)], drop=("split",))
    elif operand(op, 1) is None:
        e.replace([operand(op, 0)], add={"num_outputs": len(op.results)})


def _topk(e: OnnxReplacement, op: OnnxOp) -> None:
    """TopK: the attribute `k` is an input."""
    e.replace([operand(op, 0), e.ints("k", [attribute(op, "k")])], drop=("k",))


def _upsample(e: OnnxReplacement, op: OnnxOp) -> None:
    """Upsample is a Resize of asymmetric coordinates, nearest rounding down."""
    scales = operand(op, 1)
    if scales is None:
        array = np.array(attribute(op, "scales", []), np.float32)
        scales = e.constant("scales", array)
    e.replace(
        [operand(op, 0), None, scales],
        op_type="Resize",
        drop=("scales",),
        add=_asymmetric(op, "floor"),
    )


def _asymmetric(op: OnnxOp, rounding: str) -> dict[str, object]:
    mode = attribute(op, "mode", "nearest")
    return {
        "coordinate_transformation_mode": "asymmetric",
        "mode": "linear" if mode in ("linear", "bilinear") else mode,
        "nearest_mode": rounding,
    }


def _resize_10(e: OnnxReplacement, op: OnnxOp) -> None:
    """Resize of opset 10: asymmetric; nearest rounds down where it enlarges, up where it shrinks.

    One that does both along different axes becomes two.
    """
    x, scales = operand(op, 0), operand(op, 1)
    array: AnyArray | None = None if scales is None else e.values.array(scales)
    if array is None or attribute(op, "mode", "nearest") != "nearest":
        e.replace([x, None, scales], add=_asymmetric(op, "floor"))
        return
    grow, shrink = np.maximum(array, 1), np.minimum(array, 1)
    if not (array < 1).any():
        e.replace([x, None, scales], add=_asymmetric(op, "floor"))
    elif not (array > 1).any():
        e.replace([x, None, scales], add=_asymmetric(op, "ceil"))
    else:
        grow_scales = e.constant("grow", grow.astype(np.float32))
        bigger = e.node("grown", "Resize", [x, None, grow_scales], _asymmetric(op, "floor"))
        shrink_scales = e.constant("shrink", shrink.astype(np.float32))
        e.replace([bigger, None, shrink_scales], add=_asymmetric(op, "ceil"))


def _resize(e: OnnxReplacement, op: OnnxOp) -> None:
    """Resize of opset 11 and 12: tf_half_pixel_for_nn rounding down is half_pixel rounding half up."""
    if attribute(op, "coordinate_transformation_mode") != "tf_half_pixel_for_nn":
        return
    if attribute(op, "nearest_mode", "round_prefer_floor") == "floor":
        changed = {
            "coordinate_transformation_mode": "half_pixel",
            "nearest_mode": "round_prefer_ceil",
        }
        e.replace(op.inputs, add=changed)


def _dropout(e: OnnxReplacement, op: OnnxOp) -> None:
    """Dropout: the attribute `ratio` is an input; before opset 12 it is never a training one."""
    inputs = [operand(op, 0)]
    if (ratio := attribute(op, "ratio")) is not None:
        inputs.append(e.constant("ratio", np.array(ratio, np.float32)))
    e.replace(inputs, drop=("ratio", "is_test"))


def _softmax(e: OnnxReplacement, op: OnnxOp) -> None:
    """Softmax, LogSoftmax, Hardmax before opset 13 work on rows: all from `axis` on is one row."""
    x = op.operands[0]
    rank, axis = _rank(x), attribute(op, "axis", 1)
    if rank is not None:
        axis = axis + rank if axis < 0 else axis
        inner_sizes = (shape_of(x.type) or ())[axis + 1 :]
        if axis < rank and all(d == 1 for d in inner_sizes):
            e.replace(op.inputs, add={"axis": axis})
            return
    rows = e.node("rows", "Flatten", [x], {"axis": axis})
    result = e.node("done", op.op_type, [rows], {"axis": 1})
    shape = e.node("shape", "Shape", [x])
    e.replace([result, shape], op_type="Reshape", drop=("axis",))


def _batch_normalization(e: OnnxReplacement, op: OnnxOp) -> None:
    """BatchNormalization: one result, channels; `spatial = 0` is written out.

    Used statistics mean training mode, which stays as it is.
    """
    if any(r.first_use is not None for r in op.results[1:]):
        return
    if attribute(op, "spatial", 1):
        e.replace(op.inputs, drop=("spatial",), results=1)
        return
    x, scale, bias, mean, variance = (operand(op, i) for i in range(5))
    epsilon = e.number("epsilon", attribute(op, "epsilon", 1e-5), op.operands[0])
    shifted = e.node("shifted", "Sub", [x, mean])
    sum_ = e.node("sum", "Add", [variance, epsilon])
    deviation = e.node("deviation", "Sqrt", [sum_])
    normal = e.node("normal", "Div", [shifted, deviation])
    scaled = e.node("scaled", "Mul", [normal, scale])
    e.replace([scaled, bias], op_type="Add", drop=tuple(op.fields), results=1)


def _group_normalization(e: OnnxReplacement, op: OnnxOp) -> None:
    """GroupNormalization: scale and bias are one a channel, were one a group."""
    x = op.operands[0]
    groups = e.ints("groups", [int(attribute(op, "num_groups", 1))])
    channels = e.node("channels", "Shape", [x], {"start": 1, "end": 2})
    group_size = e.node("each", "Div", [channels, groups])
    one_constant = e.ints("one", [1])
    column = e.node("column", "Concat", [groups, one_constant], {"axis": 0})
    repeats = e.node("repeats", "Concat", [one_constant, group_size], {"axis": 0})
    inputs: list[SSAValue | None] = [x]
    for index, role in ((1, "scale"), (2, "bias")):
        values = e.node(f"{role}_column", "Reshape", [operand(op, index), column])
        table = e.node(f"{role}_table", "Tile", [values, repeats])
        inputs.append(e.node(role, "Reshape", [table, channels]))
    e.replace(inputs)


def _scatter(e: OnnxReplacement, op: OnnxOp) -> None:
    """Scatter was renamed ScatterElements."""
    e.replace(op.inputs, op_type="ScatterElements")


def _roi_align(e: OnnxReplacement, op: OnnxOp) -> None:
    """RoiAlign before opset 16 has output_half_pixel coordinates."""
    e.replace(op.inputs, add={"coordinate_transformation_mode": "output_half_pixel"})


def _grid_sample(e: OnnxReplacement, op: OnnxOp) -> None:
    """GridSample: bilinear is now linear, bicubic cubic."""
    modes = {"bilinear": "linear", "bicubic": "cubic"}
    mode = attribute(op, "mode", "bilinear")
    e.replace(op.inputs, add={"mode": modes.get(mode, mode)})


def _dft(e: OnnxReplacement, op: OnnxOp) -> None:
    """DFT: the attribute `axis` is an input."""
    axis = e.constant("axis", np.array(attribute(op, "axis", 1), np.int64))
    e.replace([operand(op, 0), operand(op, 1), axis], drop=("axis",))


CONVERSIONS: dict[str, tuple[tuple[int, Conversion], ...]] = {
    "BatchNormalization": ((14, _batch_normalization),),
    "Clip": ((11, _clip),),
    "DFT": ((20, _dft),),
    "Dropout": ((12, _dropout),),
    "GridSample": ((20, _grid_sample),),
    "GroupNormalization": ((21, _group_normalization),),
    "Hardmax": ((13, _softmax),),
    "LogSoftmax": ((13, _softmax),),
    "Pad": ((11, _pad),),
    "ReduceL1": ((18, _axes_to_input),),
    "ReduceL2": ((18, _axes_to_input),),
    "ReduceLogSum": ((18, _axes_to_input),),
    "ReduceLogSumExp": ((18, _axes_to_input),),
    "ReduceMax": ((18, _axes_to_input),),
    "ReduceMean": ((18, _axes_to_input),),
    "ReduceMin": ((18, _axes_to_input),),
    "ReduceProd": ((18, _axes_to_input),),
    "ReduceSum": ((13, _axes_to_input),),
    "ReduceSumSquare": ((18, _axes_to_input),),
    "Resize": ((11, _resize_10), (13, _resize)),
    "RoiAlign": ((16, _roi_align),),
    "Scatter": ((11, _scatter),),
    "Slice": ((10, _slice),),
    "Softmax": ((13, _softmax),),
    "Split": ((18, _split),),
    "Squeeze": ((13, _axes_to_input),),
    "TopK": ((10, _topk),),
    "Unsqueeze": ((13, _axes_to_input),),
    "Upsample": ((1 << 16, _upsample),),
}
"""By op type: conversions with the opset before which each applies, the oldest first."""
