"""The rules of `top_table.py` that need more than a row: attributes, and values of constant operands.

Each function looks at one op type in its canonical form and returns the reason for which the tool chain
cannot be trusted with it, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx_base import OnnxOp
from autosplit.dialects.platform import shape_of, value_name
from autosplit.lowering.fold import Constants
from autosplit.lowering.top_table import EINSUM, POWERS
from autosplit.weights import Array

Shape = tuple[int, ...]

EXACT_INTEGERS = 1 << 24
"""Integers up to this one are exact in float32, in which the tool chain holds positions."""


@dataclass(frozen=True)
class Query:
    """The question whether one op can run on one chip."""

    op: OnnxOp
    chip: Chip
    constants: Constants
    dynamic: bool

    def value(self, index: int) -> SSAValue | None:
        """Operand `index`; None where it is left out."""
        inputs = self.op.inputs
        return inputs[index] if index < len(inputs) else None

    def is_constant(self, index: int) -> bool:
        value = self.value(index)
        return value is not None and self.constants.is_constant(value)

    def array(self, index: int) -> Array | None:
        """The array that constant operand `index` holds; None where it is left out."""
        value = self.value(index)
        return None if value is None else self.constants.array(value)

    def ints(self, index: int) -> list[int] | None:
        """A constant operand's integers; None where it is left out."""
        array = self.array(index)
        return None if array is None else [int(i) for i in array.reshape(-1)]

    def shape(self, index: int) -> Shape | None:
        """The dimensions of an operand, negative where one is unknown."""
        value = self.value(index)
        return None if value is None else _dims(value)

    def result_shape(self, index: int = 0) -> Shape | None:
        return _dims(self.op.results[index])

    def operand(self, index: int) -> str:
        """How a reason speaks of an operand: its index and its name."""
        value = self.value(index)
        name = "" if value is None else _name(value)
        return f"operand {index} ({name!r})" if name else f"operand {index}"

    def integer(self, name: str, default: int) -> int:
        return int(cast("int", self.op.attribute(name, default)))

    def integers(self, name: str) -> list[int] | None:
        found = self.op.attribute(name)
        return None if found is None else [int(i) for i in cast("list[int]", found)]

    def text(self, name: str, default: str) -> str:
        found = self.op.attribute(name, default)
        return found.decode() if isinstance(found, bytes) else str(found)

    def refuse(self, code: str, text: str) -> ReasonAttr:
        """The reason, with the op type in front."""
        return ReasonAttr.of(code, f"{self.op.op_type} {text}")

    def attribute_is(self, name: str, default: int, needed: int, why: str) -> ReasonAttr | None:
        """Refuses an integer attribute that is not the one value that is computed."""
        found = self.integer(name, default)
        if found == needed:
            return None
        return self.refuse("attribute", f"has {name} = {found}, needs {needed}: {why}")


def _dims(value: SSAValue) -> Shape | None:
    return shape_of(value.type)


def _name(value: SSAValue) -> str:
    try:
        return value_name(value)
    except ValueError:
        return ""


def show(shape: Shape) -> str:
    """A shape as reasons write it: `1x3x?x?`."""
    return "x".join("?" if d < 0 else str(d) for d in shape) or "scalar"


def _all_ones(q: Query, name: str, why: str) -> ReasonAttr | None:
    found = q.integers(name)
    if found is None or all(i == 1 for i in found):
        return None
    return q.refuse("attribute", f"has {name} = {found}, needs 1 everywhere: {why}")


def _pads(q: Query) -> ReasonAttr | None:
    if (auto := q.text("auto_pad", "NOTSET")) not in (
        "NOTSET",
        "VALID",
        "SAME_UPPER",
        "SAME_LOWER",
    ):
        return q.refuse("attribute", f"has auto_pad = {auto!r}, which ONNX does not define")
    if any(p < 0 for p in q.integers("pads") or ()):
        return q.refuse("attribute", f"has pads = {q.integers('pads')}, needs pads of 0 or more")
    return None


def _arg(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", 0)
    if -len(shape) <= axis < len(shape) and shape[axis] > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {shape[axis]}, exact only up to {EXACT_INTEGERS}"
        )
    return None


def _batch_normalization(q: Query) -> ReasonAttr | None:
    return q.attribute_is("training_mode", 0, 0, "statistics are constants in a compiled model")


def _clip(q: Query) -> ReasonAttr | None:
    for index, name in ((1, "min"), (2, "max")):
        bound = q.array(index)
        if bound is not None and bound.size != 1:
            return q.refuse(
                "operand-value", f"has {name} of shape {show(bound.shape)}, needs one number"
            )
    return None


def _concat(q: Query) -> ReasonAttr | None:
    if q.dynamic and len(q.op.inputs) > 16:
        return q.refuse(
            "operand-count", f"joins {len(q.op.inputs)} tensors, a dynamic sub-model joins up to 16"
        )
    return None


def _conv(q: Query) -> ReasonAttr | None:
    x, w = q.shape(0), q.shape(1)
    group = q.integer("group", 1)
    if x is not None and w is not None:
        if len(w) != len(x):
            return q.refuse(
                "rank", f"has weights {show(w)} for {q.operand(0)} of {show(x)}, needs equal ranks"
            )
        if x[1] >= 0 and x[1] != w[1] * group:
            return q.refuse(
                "operand-value",
                f"has {x[1]} channels in {q.operand(0)} and weights {show(w)} in {group} groups; "
                "the tool chain was measured to compile such a model without an error",
            )
    return _pads(q)


def _conv_transpose(q: Query) -> ReasonAttr | None:
    if q.integers("output_shape") is not None:
        return q.refuse("attribute", "has output_shape, needs explicit pads")
    if (auto := q.text("auto_pad", "NOTSET")) not in ("NOTSET", "VALID"):
        return q.refuse("attribute", f"has auto_pad = {auto!r}, needs explicit pads")
    x, w = q.shape(0), q.shape(1)
    if x is not None and w is not None and x[1] >= 0 and x[1] != w[0]:
        return q.refuse(
            "operand-value", f"has {x[1]} channels in {q.operand(0)} and weights {show(w)}"
        )
    return _all_ones(q, "dilations", "dilated transposed convolutions are not proven") or _pads(q)


def _cum_sum(q: Query) -> ReasonAttr | None:
    return q.attribute_is("exclusive", 0, 0, "only plain sums are lowered") or q.attribute_is(
        "reverse", 0, 0, "only forward sums are lowered"
    )


def _depth_space(q: Query) -> ReasonAttr | None:
    mode = q.text("mode", "DCR")
    allowed = ("DCR", "CRD") if q.op.op_type == "DepthToSpace" else ("DCR",)
    if mode not in allowed:
        return q.refuse("attribute", f"has mode = {mode!r}, needs {' or '.join(allowed)}")
    return None


def _dropout(q: Query) -> ReasonAttr | None:
    training = q.array(2)
    if q.value(2) is None or (training is not None and not training.any()):
        return None
    return q.refuse("random", f"trains, as {q.operand(2)} says, and draws random numbers")


def normal_equation(equation: str) -> str:
    """An Einsum equation without blanks, its subscripts renamed a, b, c in order of appearance."""
    names: dict[str, str] = {}
    for c in equation:
        if c.isalpha() and c not in names:
            names[c] = chr(ord("a") + len(names))
    return "".join(names.get(c, c) for c in equation if c != " ")


def _einsum(q: Query) -> ReasonAttr | None:
    equation = q.text("equation", "")
    if normal_equation(equation) in EINSUM:
        return None
    return q.refuse(
        "attribute", f"has equation {equation!r}, which is none of the {len(EINSUM)} lowered"
    )


def _gelu(q: Query) -> ReasonAttr | None:
    if (kind := q.text("approximate", "none")) != "none":
        return q.refuse("attribute", f"has approximate = {kind!r}, needs 'none'")
    return None


def _gemm(q: Query) -> ReasonAttr | None:
    return q.attribute_is("transA", 0, 0, "the first operand must not be transposed")


def _recurrent(q: Query, activations: list[str]) -> ReasonAttr | None:
    if (direction := q.text("direction", "forward").lower()) not in ("forward", "bidirectional"):
        return q.refuse(
            "attribute", f"has direction = {direction!r}, needs forward or bidirectional"
        )
    if q.op.attribute("clip") is not None:
        return q.refuse("attribute", "has clip, which is not lowered")
    found = cast("list[str | bytes] | None", q.op.attribute("activations"))
    if found is not None:
        names = [(a.decode() if isinstance(a, bytes) else a).capitalize() for a in found]
        if names != activations * (len(names) // len(activations)):
            return q.refuse("attribute", f"has activations {names}, needs {activations}")
    return q.attribute_is("layout", 0, 0, "sequences come first")


def _gru(q: Query) -> ReasonAttr | None:
    return _recurrent(q, ["Sigmoid", "Tanh"]) or q.attribute_is(
        "linear_before_reset", 0, 1, "the chip's GRU multiplies by the reset gate after the product"
    )


def _lstm(q: Query) -> ReasonAttr | None:
    return _recurrent(q, ["Sigmoid", "Tanh", "Tanh"]) or q.attribute_is(
        "input_forget", 0, 0, "the gates are not coupled"
    )


def _matmul(q: Query) -> ReasonAttr | None:
    a, b = q.shape(0), q.shape(1)
    if a is None or b is None:
        return None
    if len(a) < 2 or len(b) < 2:
        return q.refuse("rank", f"multiplies {show(a)} by {show(b)}, needs ranks of 2 or more")
    if len(b) == 2 or a[:-2] == b[:-2]:
        return None
    return q.refuse(
        "unproven",
        f"multiplies {show(a)} by {show(b)}, whose leading dimensions differ; needs equal ones, "
        "or a second operand of rank 2",
    )


def _pad(q: Query) -> ReasonAttr | None:
    mode = q.text("mode", "constant")
    if mode not in ("constant", "reflect", "edge"):
        return q.refuse("attribute", f"has mode = {mode!r}, needs constant, reflect or edge")
    value = q.array(2)
    if value is not None and value.size != 1:
        return q.refuse("operand-value", f"pads with {value.size} numbers, needs one")
    pads, shape = q.ints(1) or [], q.shape(0) or ()
    if any(p < 0 for p in pads):
        return q.refuse("operand-value", f"has pads {pads}, needs pads of 0 or more")
    axes = [a % max(len(shape), 1) for a in q.ints(3) or range(len(shape))]
    moved = {a for i, a in enumerate(axes) if any(pads[i :: len(axes)])}
    if mode != "constant" and any(a < len(shape) - 2 for a in moved):
        return q.refuse(
            "unproven", f"has mode = {mode!r} along axes {sorted(moved)}, needs the last two"
        )
    return None


def _pool(q: Query) -> ReasonAttr | None:
    if refusal := _all_ones(q, "dilations", "dilations are not lowered"):
        return refusal
    if q.op.op_type == "AveragePool" and q.integer("ceil_mode", 0) and not _divides(q):
        return q.refuse("unproven", "has ceil_mode and windows that reach beyond the padding")
    return q.attribute_is("storage_order", 0, 0, "only row-major") or _pads(q)


def _divides(q: Query) -> bool:
    """Whether the windows of a pooling fill its input exactly, so that ceil_mode changes nothing."""
    shape, kernel = q.shape(0), q.integers("kernel_shape") or []
    if shape is None or any(d < 0 for d in shape) or len(kernel) != len(shape) - 2:
        return False
    n = len(kernel)
    strides, pads = q.integers("strides") or [1] * n, q.integers("pads") or [0] * (2 * n)
    sizes = zip(shape[2:], kernel, strides, pads[:n], pads[n:], strict=True)
    return all((d + p + e - k) % s == 0 for d, k, s, p, e in sizes)


def _pow(q: Query) -> ReasonAttr | None:
    exponent = q.array(1)
    if exponent is None or exponent.size != 1:
        return q.refuse("operand-value", "has several exponents, needs one number")
    if (e := float(exponent.reshape(-1)[0])) not in POWERS:
        return q.refuse(
            "unproven",
            f"has exponent {e:g}; shown to be right are {', '.join(f'{p:g}' for p in POWERS)}",
        )
    return None


def _prelu(q: Query) -> ReasonAttr | None:
    slope, shape = q.shape(1) or (), q.shape(0) or ()
    aligned = (1,) * (len(shape) - len(slope)) + slope
    if prod(slope) == 1 or (len(shape) > 1 and prod(slope) == aligned[1]):
        return None
    return q.refuse(
        "operand-value", f"has slopes {show(slope)} for {show(shape)}, needs one, or one a channel"
    )


def _reduce(q: Query) -> ReasonAttr | None:
    if q.integer("noop_with_empty_axes", 0) and not q.ints(1):
        return q.refuse("attribute", "reduces nothing: noop_with_empty_axes without axes")
    return None


def nearest_source(
    size: int, output: int, scale: float, transform: str, rounding: str
) -> list[int] | None:
    """From which input position each output position of a nearest Resize comes, as ONNX defines it.

    `scale` is output over input as the op gives it. None for transforms that need more than these.
    """
    o = np.arange(output, dtype=np.float64)
    if transform == "asymmetric":
        x = o / scale
    elif transform == "half_pixel" or (transform == "pytorch_half_pixel" and output > 1):
        x = (o + 0.5) / scale - 0.5
    elif transform == "pytorch_half_pixel":
        x = np.zeros_like(o)
    elif transform == "align_corners":
        x = o * (size - 1) / (output - 1) if output > 1 else np.zeros_like(o)
    else:
        return None
    rounded = {
        "round_prefer_floor": np.ceil(x - 0.5),
        "round_prefer_ceil": np.floor(x + 0.5),
        "floor": np.floor(x),
        "ceil": np.ceil(x),
    }.get(rounding)
    return None if rounded is None else [int(i) for i in np.clip(rounded, 0, size - 1)]


def _resize(q: Query) -> ReasonAttr | None:
    mode = q.text("mode", "nearest")
    if mode == "cubic":
        return q.refuse(
            "wrong-numbers",
            "has mode = 'cubic'; TPU-MLIR 1.30.2 computes linear instead (measured: 26 % off)",
        )
    x, y = q.shape(0), q.result_shape()
    if x is None or y is None or any(d < 0 for d in (*x, *y)):
        return q.refuse("dynamic-shape", "has sizes that are not known")
    if x[:2] != y[:2]:
        return q.refuse(
            "unproven", f"makes {show(y)} of {show(x)}, needs equal first two dimensions"
        )
    if q.integer("antialias", 0):
        return q.refuse("attribute", "has antialias = 1, which is not lowered")
    if (policy := q.text("keep_aspect_ratio_policy", "stretch")) != "stretch":
        return q.refuse("attribute", f"has keep_aspect_ratio_policy = {policy!r}, needs 'stretch'")
    transform = q.text("coordinate_transformation_mode", "half_pixel")
    scales = _resize_scales(q, x, y)
    if mode == "linear":
        if transform not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
            return q.refuse(
                "unproven",
                f"has mode = 'linear' with coordinate_transformation_mode = {transform!r}; shown to "
                "be right are half_pixel, pytorch_half_pixel and align_corners",
            )
        if any(int(d) * s != o for d, s, o in zip(x[2:], scales[2:], y[2:], strict=True)):
            return q.refuse(
                "unproven",
                f"makes {show(y)} of {show(x)} with scales {scales}, which do not divide",
            )
        return None
    rounding = q.text("nearest_mode", "round_prefer_floor")
    for size, output, scale in zip(x[2:], y[2:], scales[2:], strict=True):
        source = nearest_source(size, output, scale, transform, rounding)
        repeats = [o * size // output for o in range(output)]
        if (output % size and size % output) or source != repeats:
            return q.refuse(
                "unproven",
                f"makes {show(y)} of {show(x)} by nearest, {transform}, {rounding}; needs a whole "
                "factor at which each element is repeated, or each n-th is kept",
            )
    return None


def _resize_scales(q: Query, x: Shape, y: Shape) -> list[float]:
    """Output over input, for each axis, as the op gives it or as its sizes imply."""
    scales = [o / i for i, o in zip(x, y, strict=True)]
    given = q.array(2)
    if given is not None and given.size:
        axes = q.integers("axes") or list(range(len(x)))
        for axis, scale in zip(axes, given.reshape(-1), strict=False):
            scales[axis] = float(scale)
    return scales


def _slice(q: Query) -> ReasonAttr | None:
    steps = q.ints(4) or []
    if any(s < 1 for s in steps):
        return q.refuse("operand-value", f"has steps {steps}, needs steps of 1 or more")
    return None


def _split(q: Query) -> ReasonAttr | None:
    if q.dynamic and len(q.op.results) > 8:
        return q.refuse(
            "operand-count", f"has {len(q.op.results)} results, a dynamic sub-model has up to 8"
        )
    return None


def _topk(q: Query) -> ReasonAttr | None:
    return q.attribute_is("sorted", 1, 1, "results come sorted") or _arg(q)


def _trilu(q: Query) -> ReasonAttr | None:
    if any(q.ints(1) or ()):
        return q.refuse("operand-value", f"has diagonal {q.ints(1)}, needs 0")
    return None


EXTRA: dict[str, Callable[[Query], ReasonAttr | None]] = {
    "ArgMax": _arg,
    "ArgMin": _arg,
    "AveragePool": _pool,
    "BatchNormalization": _batch_normalization,
    "Clip": _clip,
    "Concat": _concat,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "CumSum": _cum_sum,
    "DepthToSpace": _depth_space,
    "Dropout": _dropout,
    "Einsum": _einsum,
    "GRU": _gru,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "LSTM": _lstm,
    "MatMul": _matmul,
    "MaxPool": _pool,
    "PRelu": _prelu,
    "Pad": _pad,
    "Pow": _pow,
    "ReduceL1": _reduce,
    "ReduceL2": _reduce,
    "ReduceLogSumExp": _reduce,
    "ReduceMax": _reduce,
    "ReduceMean": _reduce,
    "ReduceMin": _reduce,
    "ReduceProd": _reduce,
    "ReduceSum": _reduce,
    "Resize": _resize,
    "Slice": _slice,
    "SpaceToDepth": _depth_space,
    "Split": _split,
    "TopK": _topk,
    "Trilu": _trilu,
}
"""By op type; exactly the rows that say `extra`."""
