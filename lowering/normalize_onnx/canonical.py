"""Bringing single ONNX ops from the form of any opset since 7 to that of opset 21.

One function for each op whose form or meaning changed, by the opset that changed it. New ops take the
location of the op they come from; its results keep their names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.dtypes import dtype_of
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import UnknownType, element_type, shape_of
from autosplit.lowering.shared.fold import AnyArray, Constants, folded_constant
from autosplit.lowering.shared.names import fresh_name

Conversion = Callable[["Canonical", OnnxOp], None]


class Canonical:
    """Converts the ops of one module; keeps the names of new values unique."""

    def __init__(
        self,
        version: int,
        constants: Constants,
        store: WeightStore | None,
        names: set[str],
    ):
        self.version = version
        self.constants = constants
        self.store = store
        self.names = names

    def convert(self, op: OnnxOp) -> None:
        """Replaces `op` where its form is an older one. Without effect on an op in canonical form."""
        if op.domain != "":
            return
        for before, conversion in CONVERSIONS.get(op.op_type, ()):
            if self.version < before:
                conversion(self, op)
                return

    # What conversions are made of

    def fresh(self, op: OnnxOp, role: str) -> str:
        """A new name for a value that serves `op`."""
        return fresh_name(self.names, op, role)

    def constant(self, op: OnnxOp, role: str, array: AnyArray) -> SSAValue:
        """A constant in front of `op`."""
        new = folded_constant(self.fresh(op, role), array, self.store, op.location)
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.results[0]

    def ints(self, op: OnnxOp, role: str, values: Sequence[int]) -> SSAValue:
        return self.constant(op, role, np.array(values, np.int64))

    def before(
        self,
        op: OnnxOp,
        role: str,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        attributes: Mapping[str, object] | None = None,
        result_type: Attribute | None = None,
    ) -> SSAValue:
        """A new op with one result in front of `op`."""
        name = self.fresh(op, role)
        new = make_node(
            op_type,
            inputs,
            [name],
            attributes=attributes,
            result_types=[result_type or UnknownType()],
            node_name=name,
            location=op.location,
        )
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.results[0]

    def replace(
        self,
        op: OnnxOp,
        inputs: Sequence[SSAValue | None],
        *,
        op_type: str = "",
        drop: Collection[str] = (),
        add: Mapping[str, object] | None = None,
        results: int | None = None,
    ) -> OnnxOp:
        """Replaces `op` by one with the same names, other inputs, and attributes dropped and added.

        `results` drops results from the end; they must have no uses.
        """
        kept = len(op.results) if results is None else results
        attributes: dict[str, object] = {k: v for k, v in op.fields.items() if k not in drop}
        new = make_node(
            op_type or op.op_type,
            inputs,
            op.output_names[:kept],
            attributes=attributes | dict(add or {}),
            result_types=[r.type for r in op.results[:kept]],
            node_name=op.node_name.data,
            location=op.location,
        )
        new.attributes.update(op.attributes)
        Rewriter.insert_op(new, InsertPoint.before(op))
        for old, result in zip(op.results, new.results, strict=False):
            result.name_hint = old.name_hint
            old.replace_all_uses_with(result)
        Rewriter.erase_op(op)
        return new

    def replace_value(self, op: OnnxOp, value: SSAValue) -> None:
        """Replaces an op of one result by a value that some other op computes."""
        op.results[0].replace_all_uses_with(value)
        Rewriter.erase_op(op)


def _rank(value: SSAValue) -> int | None:
    shape = shape_of(value.type)
    return None if shape is None else len(shape)


def _float_like(value: SSAValue, number: float) -> AnyArray:
    """A scalar of the value's own dtype; float32 where that is not known."""
    kind = element_type(value.type)
    dtype = None if kind is None else dtype_of(kind)
    return np.array(number, np.float32 if dtype is None else dtype)


def _axes_to_input(c: Canonical, op: OnnxOp) -> None:
    """Squeeze, Unsqueeze, Reduce*: the attribute `axes` is the second input."""
    axes = attribute(op, "axes")
    inputs = [operand(op, 0)]
    if axes is not None:
        inputs.append(c.ints(op, "axes", axes))
    elif operand(op, 1) is not None:
        return
    c.replace(op, inputs, drop=("axes",))


def _clip(c: Canonical, op: OnnxOp) -> None:
    """Clip: the attributes `min` and `max` are inputs."""
    inputs = [operand(op, 0)]
    for name in ("min", "max"):
        bound = attribute(op, name)
        x = op.operands[0]
        inputs.append(None if bound is None else c.constant(op, name, _float_like(x, bound)))
    c.replace(op, inputs, drop=("min", "max"))


def _pad(c: Canonical, op: OnnxOp) -> None:
    """Pad: the attributes `pads` and `value` are inputs."""
    x = op.operands[0]
    inputs: list[SSAValue | None] = [x, c.ints(op, "pads", attribute(op, "pads", []))]
    if value := attribute(op, "value", 0.0):
        inputs.append(c.constant(op, "value", _float_like(x, value)))
    c.replace(op, inputs, drop=("pads", "value"))


def _slice(c: Canonical, op: OnnxOp) -> None:
    """Slice: the attributes `starts`, `ends` and `axes` are inputs."""
    inputs = [operand(op, 0)]
    for name in ("starts", "ends", "axes"):
        values = attribute(op, name)
        inputs.append(None if values is None else c.ints(op, name, values))
    c.replace(op, inputs, drop=("starts", "ends", "axes"))


def _split(c: Canonical, op: OnnxOp) -> None:
    """Split: `split` is an input; without it `num_outputs` says into how many parts."""
    if (sizes := attribute(op, "split")) is not None:
        c.replace(op, [operand(op, 0), c.ints(op, "split", sizes)], drop=("split",))
    elif operand(op, 1) is None:
        c.replace(op, [operand(op, 0)], add={"num_outputs": len(op.results)})


def _topk(c: Canonical, op: OnnxOp) -> None:
    """TopK: the attribute `k` is an input."""
    c.replace(op, [operand(op, 0), c.ints(op, "k", [attribute(op, "k")])], drop=("k",))


def _upsample(c: Canonical, op: OnnxOp) -> None:
    """Upsample is a Resize of asymmetric coordinates, nearest rounding down."""
    scales = operand(op, 1)
    if scales is None:
        array = np.array(attribute(op, "scales", []), np.float32)
        scales = c.constant(op, "scales", array)
    c.replace(
        op,
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


def _resize_10(c: Canonical, op: OnnxOp) -> None:
    """Resize of opset 10: asymmetric; nearest rounds down where it enlarges, up where it shrinks.

    One that does both along different axes becomes two.
    """
    x, scales = operand(op, 0), operand(op, 1)
    array: AnyArray | None = None if scales is None else c.constants.array(scales)
    if array is None or attribute(op, "mode", "nearest") != "nearest":
        c.replace(op, [x, None, scales], add=_asymmetric(op, "floor"))
        return
    grow, shrink = np.maximum(array, 1), np.minimum(array, 1)
    if not (array < 1).any():
        c.replace(op, [x, None, scales], add=_asymmetric(op, "floor"))
    elif not (array > 1).any():
        c.replace(op, [x, None, scales], add=_asymmetric(op, "ceil"))
    else:
        first = c.constant(op, "grow", grow.astype(np.float32))
        bigger = c.before(op, "grown", "Resize", [x, None, first], _asymmetric(op, "floor"))
        second = c.constant(op, "shrink", shrink.astype(np.float32))
        c.replace(op, [bigger, None, second], add=_asymmetric(op, "ceil"))


def _resize(c: Canonical, op: OnnxOp) -> None:
    """Resize of opset 11 and 12: tf_half_pixel_for_nn rounding down is half_pixel rounding half up."""
    if attribute(op, "coordinate_transformation_mode") != "tf_half_pixel_for_nn":
        return
    if attribute(op, "nearest_mode", "round_prefer_floor") == "floor":
        changed = {
            "coordinate_transformation_mode": "half_pixel",
            "nearest_mode": "round_prefer_ceil",
        }
        c.replace(op, op.inputs, add=changed)


def _dropout(c: Canonical, op: OnnxOp) -> None:
    """Dropout: the attribute `ratio` is an input; before opset 12 it is never a training one."""
    inputs = [operand(op, 0)]
    if (ratio := attribute(op, "ratio")) is not None:
        inputs.append(c.constant(op, "ratio", np.array(ratio, np.float32)))
    c.replace(op, inputs, drop=("ratio", "is_test"))


def _softmax(c: Canonical, op: OnnxOp) -> None:
    """Softmax, LogSoftmax, Hardmax before opset 13 work on rows: all from `axis` on is one row."""
    x = op.operands[0]
    rank, axis = _rank(x), attribute(op, "axis", 1)
    if rank is not None:
        axis = axis + rank if axis < 0 else axis
        inner = (shape_of(x.type) or ())[axis + 1 :]
        if axis < rank and all(d == 1 for d in inner):
            c.replace(op, op.inputs, add={"axis": axis})
            return
    rows = c.before(op, "rows", "Flatten", [x], {"axis": axis})
    done = c.before(op, "done", op.op_type, [rows], {"axis": 1})
    shape = c.before(op, "shape", "Shape", [x])
    c.replace(op, [done, shape], op_type="Reshape", drop=("axis",))


def _batch_normalization(c: Canonical, op: OnnxOp) -> None:
    """BatchNormalization: one result, channels; `spatial = 0` is written out.

    Used statistics mean training mode, which stays as it is.
    """
    if any(r.first_use is not None for r in op.results[1:]):
        return
    if attribute(op, "spatial", 1):
        c.replace(op, op.inputs, drop=("spatial",), results=1)
        return
    x, scale, bias, mean, variance = (operand(op, i) for i in range(5))
    epsilon = c.constant(op, "epsilon", _float_like(op.operands[0], attribute(op, "epsilon", 1e-5)))
    shifted = c.before(op, "shifted", "Sub", [x, mean])
    sum_ = c.before(op, "sum", "Add", [variance, epsilon])
    deviation = c.before(op, "deviation", "Sqrt", [sum_])
    normal = c.before(op, "normal", "Div", [shifted, deviation])
    scaled = c.before(op, "scaled", "Mul", [normal, scale])
    c.replace(op, [scaled, bias], op_type="Add", drop=tuple(op.fields), results=1)


def _group_normalization(c: Canonical, op: OnnxOp) -> None:
    """GroupNormalization: scale and bias are one a channel, were one a group."""
    x = op.operands[0]
    groups = c.ints(op, "groups", [int(attribute(op, "num_groups", 1))])
    channels = c.before(op, "channels", "Shape", [x], {"start": 1, "end": 2})
    each = c.before(op, "each", "Div", [channels, groups])
    one = c.ints(op, "one", [1])
    column = c.before(op, "column", "Concat", [groups, one], {"axis": 0})
    repeats = c.before(op, "repeats", "Concat", [one, each], {"axis": 0})
    inputs: list[SSAValue | None] = [x]
    for index, role in ((1, "scale"), (2, "bias")):
        values = c.before(op, f"{role}_column", "Reshape", [operand(op, index), column])
        table = c.before(op, f"{role}_table", "Tile", [values, repeats])
        inputs.append(c.before(op, role, "Reshape", [table, channels]))
    c.replace(op, inputs)


def _scatter(c: Canonical, op: OnnxOp) -> None:
    """Scatter was renamed ScatterElements."""
    c.replace(op, op.inputs, op_type="ScatterElements")


def _roi_align(c: Canonical, op: OnnxOp) -> None:
    """RoiAlign before opset 16 has output_half_pixel coordinates."""
    c.replace(op, op.inputs, add={"coordinate_transformation_mode": "output_half_pixel"})


def _grid_sample(c: Canonical, op: OnnxOp) -> None:
    """GridSample: bilinear is now linear, bicubic cubic."""
    modes = {"bilinear": "linear", "bicubic": "cubic"}
    mode = attribute(op, "mode", "bilinear")
    c.replace(op, op.inputs, add={"mode": modes.get(mode, mode)})


def _dft(c: Canonical, op: OnnxOp) -> None:
    """DFT: the attribute `axis` is an input."""
    axis = c.constant(op, "axis", np.array(attribute(op, "axis", 1), np.int64))
    c.replace(op, [operand(op, 0), operand(op, 1), axis], drop=("axis",))


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
