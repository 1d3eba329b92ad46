"""The rules of `table.py` that need more than a row: attributes, and values of constant operands.

Each function looks at one op type in its canonical form and returns the reason for which the tool chain
cannot be trusted with it, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import frexp, isfinite, prod
from typing import cast

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.weights import Array
from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type, shape_of, shape_text, type_text, value_name
from autosplit.lowering.convert_onnx_to_top.einsum import parse_equation
from autosplit.lowering.convert_onnx_to_top.sampling import TRANSFORMS, is_ambiguous
from autosplit.lowering.convert_onnx_to_top.shapes import (
    MOST_BROADCAST_DIMS,
    MOST_PERMUTED_DIMS,
    axis_runs,
    broadcast_groups,
    moving_groups,
    paddings,
    scatter_rounds,
)
from autosplit.lowering.convert_onnx_to_top.table import INTEGERS
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.windows import rounded_down

Shape = tuple[int, ...]

MOST_FACTORS = 64
"""Powers of up to as many equal factors are products of them."""

MOST_WEIGHTS = 1 << 24
"""Weights of samples that are computed on the chip are no more than these, 64 MiB."""

MOST_SUMMED = 4096
"""CumSum is a product with a matrix that has as many rows and columns."""

EXACT_INTEGERS = 1 << 24
"""Integers up to this one are exact in float32, in which the tool chain holds positions."""


@dataclass(frozen=True)
class Query:
    """The question whether one op can run on one chip."""

    op: OnnxOp
    chip: Chip
    constants: Constants
    dynamic: bool
    mode: str = "F32"
    """What the chip computes in."""

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

    def kind(self, index: int) -> str:
        """The element type of an operand, as the IR writes it."""
        value = self.value(index)
        return "" if value is None else _kind(value)

    def result_kind(self, index: int = 0) -> str:
        """The element type of a result."""
        return _kind(self.op.results[index])

    def operand(self, index: int) -> str:
        """How a reason speaks of an operand: its index and its name."""
        value = self.value(index)
        name = "" if value is None else _name(value)
        return f"operand {index} ({name!r})" if name else f"operand {index}"

    def result(self, index: int) -> str:
        """How a reason speaks of a result."""
        return f"result {index} ({self.op.value_name(index)!r})"

    def integer(self, name: str, default: int) -> int:
        return int(cast("int", self.op.attribute(name, default)))

    def integers(self, name: str) -> list[int] | None:
        found = self.op.attribute(name)
        return None if found is None else [int(i) for i in cast("list[int]", found)]

    def text(self, name: str, default: str) -> str:
        found = self.op.attribute(name, default)
        return found.decode(errors="replace") if isinstance(found, bytes) else str(found)

    def refuse(self, code: str, text: str) -> ReasonAttr:
        """The reason, with the op type in front."""
        return ReasonAttr.of(code, f"{self.op.op_type} {text}")

    def attribute_is(self, name: str, default: int, needed: int, why: str) -> ReasonAttr | None:
        """Refuses an integer attribute that is not the one value that is computed."""
        found = self.integer(name, default)
        if found == needed:
            return None
        return self.refuse("attribute", f"has {name} = {found}, needs {needed}: {why}")


def _kind(value: SSAValue) -> str:
    element = element_type(value.type)
    return str(element) if element is None else type_text(element)


def _dims(value: SSAValue) -> Shape | None:
    return shape_of(value.type)


def _name(value: SSAValue) -> str:
    try:
        return value_name(value)
    except ValueError:
        return ""


def _pads(q: Query) -> ReasonAttr | None:
    if (auto := q.text("auto_pad", "NOTSET")) not in (
        "NOTSET",
        "VALID",
        "SAME_UPPER",
        "SAME_LOWER",
    ):
        return q.refuse("attribute", f"has auto_pad = {auto!r}, which ONNX does not define")
    known = q.shape(0)
    if auto.startswith("SAME") and known and all(d > 0 for d in known):
        return q.refuse(
            "attribute",
            f"has auto_pad = {auto!r} and strides above its kernel, which runtimes compute differently",
        )
    if auto.startswith("SAME"):
        return q.refuse(
            "dynamic-shape",
            f"has auto_pad = {auto!r}, whose pads depend on sizes that are not known",
        )
    if any(p < 0 for p in q.integers("pads") or ()):
        return q.refuse("attribute", f"has pads = {q.integers('pads')}, needs pads of 0 or more")
    return None


def _arg(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", -1 if q.op.op_type == "TopK" else 0)
    if -len(shape) <= axis < len(shape) and shape[axis] > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {shape[axis]}, exact only up to {EXACT_INTEGERS}"
        )
    return None


def _arg_extreme(q: Query) -> ReasonAttr | None:
    """The positions of the other end's extremes are counted from a size."""
    shape, axis = q.shape(0) or (), q.integer("axis", 0)
    if q.dynamic and q.integer("keepdims", 1) and "keepdims" in q.chip.workarounds:
        return q.refuse(
            "wrong-numbers",
            "has keepdims = 1, which a dynamic sub-model forgets (measured on BM1684X)",
        )
    if not picks_right_end(q) and -len(shape) <= axis < len(shape) and shape[axis] < 0:
        return q.refuse(
            "dynamic-shape",
            f"counts positions from the end of {shape_text(shape)}, along axis {axis}",
        )
    return _arg(q)


def finds_last(q: Query) -> bool:
    """Which of equals the chip's Arg is asked for: the one that it finds right, the last or the first.

    Of equal maxima chips find one end right only; of equal minima all find both.
    """
    if q.op.op_type == "ArgMin":
        return bool(q.integer("select_last_index", 0))
    return "last-maximum" in q.chip.workarounds


def picks_right_end(q: Query) -> bool:
    """Whether the chip's Arg gives the one of equals that is asked for."""
    return bool(q.integer("select_last_index", 0)) == finds_last(q)


def _cast(q: Query) -> ReasonAttr | None:
    """Integers stay the same numbers: what does not fit into the other type does not wrap around."""
    source, target = q.kind(0), q.result_kind()
    if source not in INTEGERS or target not in INTEGERS or target in ("i32", "i64"):
        return None
    signs = (source.startswith("u"), target.startswith("u"))
    wider = int(target.lstrip("ui")) - int(source.lstrip("ui"))
    if wider >= 0 and (signs[0] == signs[1] or (signs[0] and wider > 0)):
        return None
    return q.refuse(
        "dtype", f"makes {target} of {source}, of which some numbers would have to wrap around"
    )


def _batch_normalization(q: Query) -> ReasonAttr | None:
    return q.attribute_is("training_mode", 0, 0, "statistics are constants in a compiled model")


def _clip(q: Query) -> ReasonAttr | None:
    for index, name in ((1, "min"), (2, "max")):
        bound = q.array(index)
        if bound is not None and bound.size != 1:
            return q.refuse(
                "operand-value", f"has {name} of shape {shape_text(bound.shape)}, needs one number"
            )
    return None


def _concat(q: Query) -> ReasonAttr | None:
    if q.dynamic and len(q.op.inputs) > 16:
        return q.refuse(
            "operand-count", f"joins {len(q.op.inputs)} tensors, a dynamic sub-model joins up to 16"
        )
    return None


def is_far(q: Query) -> bool:
    """Whether a Conv has a stride that is too large for the chip."""
    most = q.chip.limit("conv-stride")
    return most is not None and max(q.integers("strides") or [1]) > most


def in_planes(q: Query) -> bool:
    """Whether a Conv of three dimensions is written as one of two."""
    return len(q.shape(1) or ()) == 5 and "conv-planes" in q.chip.workarounds


MOST_PLACES = 64
"""A Conv with computed weights is a product of slices, one for each place of its windows: up to so many."""


def _computed_conv(q: Query) -> ReasonAttr | None:
    if q.is_constant(1):
        if q.value(2) is None or q.is_constant(2):
            return None
        return q.refuse(
            "constant-operand", f"has bias ({q.operand(2)}) computed beside constant weights"
        )
    if refusal := fixed_sizes(q):
        return refusal
    kernel = (q.shape(1) or ())[2:]
    if prod(kernel) <= MOST_PLACES:
        return None
    return q.refuse(
        "constant-operand",
        f"has weights ({q.operand(1)}) computed, of {shape_text(kernel)}: needs a constant, or at most "
        f"{MOST_PLACES} places in a window",
    )


def _conv(q: Query) -> ReasonAttr | None:
    x, w = q.shape(0), q.shape(1)
    group = q.integer("group", 1)
    if refusal := _computed_conv(q):
        return refusal
    if x is not None and w is not None:
        if len(w) != len(x):
            return q.refuse(
                "rank",
                f"has weights {shape_text(w)} for {q.operand(0)} of {shape_text(x)}, needs equal ranks",
            )
        if x[1] >= 0 and x[1] != w[1] * group:
            return q.refuse(
                "operand-value",
                f"has {x[1]} channels in {q.operand(0)} and weights {shape_text(w)} in {group} groups; "
                "the tool chain was measured to compile such a model without an error",
            )
    if in_planes(q) and (refusal := fixed_sizes(q)):
        return refusal
    if q.dynamic and is_far(q):
        return q.refuse(
            "attribute",
            f"has strides = {q.integers('strides')}, needs at most {q.chip.limit('conv-stride')} where "
            "sizes vary",
        )
    return _pads(q)


FAR = 16
"""The largest stride of a ConvTranspose that TPU-MLIR 1.30.2 takes."""


def _far_apart(q: Query) -> ReasonAttr | None:
    strides = q.integers("strides") or [1]
    if max(strides) > FAR:
        return q.refuse(
            "attribute",
            f"has strides = {strides}, needs at most {FAR} (measured: for 20 x 20 the tool chain ends with "
            "an assertion for every chip)",
        )
    kernel, most = (q.shape(1) or ())[2:], q.chip.limit("deconv-kernel")
    if most is not None and max(kernel, default=1) > most:
        return q.refuse(
            "operand-value",
            f"has a kernel of {shape_text(kernel)}, {q.chip.vendor_name} takes at most {most} (measured: for "
            "17 x 17 the tool chain ends with an assertion)",
        )
    if most is not None and (wide := spread_kernel(q)) is not None and max(wide) > most:
        return q.refuse(
            "operand-value",
            f"has dilations = {q.integers('dilations')}, which {q.chip.vendor_name} gets wrong in {q.mode}, "
            f"and a kernel of {shape_text(tuple(wide))} with zeros in it is larger than {most}",
        )
    return None


def _conv_transpose(q: Query) -> ReasonAttr | None:
    x, w = q.shape(0), q.shape(1)
    if x is not None and w is not None and x[1] >= 0 and x[1] != w[0]:
        return q.refuse(
            "operand-value", f"has {x[1]} channels in {q.operand(0)} and weights {shape_text(w)}"
        )
    if x is not None and len(x) == 5 and any(q.integers("output_padding") or ()):
        return q.refuse(
            "wrong-numbers",
            f"has output_padding {q.integers('output_padding')} in three dimensions (measured: BM1684X "
            "computes other numbers, off by 85 % of the largest)",
        )
    if (refused := _far_apart(q)) is not None:
        return refused
    auto = q.text("auto_pad", "NOTSET")
    if q.integers("output_shape") is None and not auto.startswith("SAME"):
        return _pads(q)
    pads = transposed_pads(q)
    if pads is None:
        return q.refuse(
            "dynamic-shape", "has output_shape or auto_pad and sizes that are not known"
        )
    if any(p < 0 for p in pads):
        return q.refuse(
            "attribute",
            f"has output_shape or auto_pad, for which its pads are {pads}, needs pads of 0 or more",
        )
    return None


def is_poor_deconv(q: Query) -> bool:
    """Whether a ConvTranspose has its bias added behind it, and zeros in its kernel in place of dilations.

    In three dimensions it is computed in f32, and right.
    """
    if q.mode != "INT8" or "deconv-bias" not in q.chip.workarounds:
        return False
    return len(q.shape(1) or ()) < 5


def is_poor_depthwise(q: Query) -> bool:
    """Whether a Conv is a depthwise one with dilations, on such a chip."""
    w, dilations = q.shape(1) or (), q.integers("dilations") or [1]
    inputs = (q.shape(0) or (0, 0))[1]
    is_depthwise = w[1:2] == (1,) and inputs == q.integer("group", 1)
    return is_poor_deconv(q) and is_depthwise and max(dilations) > 1


def unequal_depthwise(q: Query) -> bool:
    """Whether a depthwise ConvTranspose has strides with which the chip gets it wrong: unequal ones.

    One of one dimension has a stride of 1 in the other.
    """
    strides = q.integers("strides") or [1]
    return is_poor_deconv(q) and len({*strides, *([1] if len(strides) == 1 else [])}) > 1


def spread_kernel(q: Query) -> list[int] | None:
    """The sizes of a ConvTranspose's kernel with zeros in it; None where it needs none."""
    kernel = (q.shape(1) or ())[2:]
    dilations = q.integers("dilations") or [1]
    if not is_poor_deconv(q) or max(dilations) == 1:
        return None
    return [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]


def transposed_pads(q: Query) -> list[int] | None:
    """The pads of a ConvTranspose, as it gives them or as its output_shape or auto_pad implies.

    None where sizes are not known. An odd pad more is in front, but for SAME_UPPER.
    """
    x, y, kernel = q.shape(0) or (), q.result_shape() or (), (q.shape(1) or ())[2:]
    n = len(kernel)
    auto = q.text("auto_pad", "NOTSET")
    if q.integers("output_shape") is None and not auto.startswith("SAME"):
        return q.integers("pads") or [0] * (2 * n)
    if len(x) != n + 2 or len(y) != n + 2 or any(d < 0 for d in (*x, *y)):
        return None
    strides, dilations = q.integers("strides") or [1] * n, q.integers("dilations") or [1] * n
    extra = q.integers("output_padding") or [0] * n
    total = [
        s * (i - 1) + e + (k - 1) * d + 1 - o
        for i, o, k, s, d, e in zip(x[2:], y[2:], kernel, strides, dilations, extra, strict=True)
    ]
    less, more = [t // 2 for t in total], [t - t // 2 for t in total]
    return less + more if auto == "SAME_UPPER" else more + less


def fixed_sizes(q: Query) -> ReasonAttr | None:
    """Refuses sizes that vary, for ops that are written out for the very sizes."""
    shapes = [q.shape(i) for i in range(len(q.op.inputs))] + [q.result_shape()]
    varying = next((s for s in shapes if s is not None and any(d < 0 for d in s)), None)
    if varying is None:
        return None
    return q.refuse(
        "dynamic-shape",
        f"is written out for fixed sizes, and has a tensor of {shape_text(varying)}",
    )


def _broadcast(q: Query) -> ReasonAttr | None:
    """Operands that are broadcast in many dimensions are repeated, which needs their sizes."""
    shapes = [q.shape(i) or () for i in range(len(q.op.inputs))] + [q.result_shape() or ()]
    if refusal := _ranked(q):
        return refusal
    pairs = combinations(shapes, 2)
    if all(len(broadcast_groups(a, b)) <= MOST_BROADCAST_DIMS for a, b in pairs):
        return None
    return fixed_sizes(q)


def _ranked(q: Query) -> ReasonAttr | None:
    """An operand beside a constant, or of a Where, gets all of the result's dimensions: a Reshape."""
    indices = range(len(q.op.inputs))
    computed = [q.shape(i) or () for i in indices if not q.is_constant(i)]
    if q.op.op_type != "Where" and len(computed) == len(indices):
        return None
    rank = len(q.result_shape() or ())
    grows = any(len(shape) < rank and any(d < 0 for d in shape) for shape in computed)
    return fixed_sizes(q) if grows else None


def _cum_sum(q: Query) -> ReasonAttr | None:
    if refusal := fixed_sizes(q):
        return refusal
    shape, axes = q.shape(0) or (), q.ints(1) or [0]
    if (count := shape[axes[0] % len(shape)]) > MOST_SUMMED:
        return q.refuse(
            "size",
            f"sums up {count} numbers, as a product with a matrix of that size; up to {MOST_SUMMED}",
        )
    return None


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


def _einsum(q: Query) -> ReasonAttr | None:
    equation = q.text("equation", "")
    shapes = [q.shape(i) or () for i in range(len(q.op.inputs))]
    if any(d < 0 for shape in shapes for d in shape):
        return q.refuse("dynamic-shape", "has sizes that are not known")
    try:
        terms, result = parse_equation(equation, [len(s) for s in shapes])
    except ValueError as e:
        return q.refuse("attribute", f"has equation {equation!r}, which {e}")
    size: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for subscript, d in zip(term, shape, strict=True):
            if size.setdefault(subscript, d) != d:
                return q.refuse(
                    "operand-value",
                    f"has equation {equation!r} and operands {', '.join(map(shape_text, shapes))}, of which "
                    f"a subscript is {size[subscript]} and {d}",
                )
    if max(len(term) for term in (*terms, result)) > MOST_PERMUTED_DIMS:
        return q.refuse(
            "rank",
            f"has equation {equation!r}, chips permute up to {MOST_PERMUTED_DIMS} dimensions",
        )
    return None


def _recurrent(q: Query, activations: list[str]) -> ReasonAttr | None:
    direction = q.text("direction", "forward")
    if direction not in ("forward", "reverse", "bidirectional"):
        return q.refuse("attribute", f"has direction = {direction!r}, which ONNX does not define")
    if q.op.attribute("clip") is not None:
        return q.refuse("attribute", "has clip, which is not lowered")
    found = cast("list[str | bytes] | None", q.op.attribute("activations"))
    if found is not None:
        texts = [a.decode(errors="replace") if isinstance(a, bytes) else a for a in found]
        names = [text.capitalize() for text in texts]
        if names != activations * (len(names) // len(activations)):
            return q.refuse("attribute", f"has activations {names}, needs {activations}")
    lengths, steps = q.ints(4), (q.shape(0) or (-1,))[0]
    if lengths is not None and any(n != steps for n in lengths):
        return q.refuse(
            "operand-value",
            f"has sequence_lens {lengths}, needs all {steps} steps of each sequence",
        )
    return q.attribute_is("layout", 0, 0, "sequences come first")


def _gru(q: Query) -> ReasonAttr | None:
    return _recurrent(q, ["Sigmoid", "Tanh"]) or q.attribute_is(
        "linear_before_reset",
        0,
        1,
        "the chip's GRU was measured to multiply by the reset gate after the product all the same",
    )


def _lstm(q: Query) -> ReasonAttr | None:
    return _recurrent(q, ["Sigmoid", "Tanh", "Tanh"]) or q.attribute_is(
        "input_forget", 0, 0, "the gates are not coupled"
    )


def _lp_normalization(q: Query) -> ReasonAttr | None:
    return _norm(q) or fixed_sizes(q)


def _layer_normalization(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", -1) % max(len(shape), 1)
    if any(d < 0 for d in shape[axis:]):
        return q.refuse(
            "dynamic-shape", f"normalizes {shape_text(shape)} along a size that is not known"
        )
    return None if keeps_dimensions(shape, axis) else fixed_sizes(q)


def keeps_dimensions(shape: Shape, axis: int) -> bool:
    """Whether a LayerNormalization is computed in the dimensions that it has."""
    return axis > 0 and len(shape) in (3, 4)


def _matmul(q: Query) -> ReasonAttr | None:
    a, b = q.shape(0), q.shape(1)
    if a is not None and b is not None and 1 in (len(a), len(b)):
        return fixed_sizes(q)
    if a is None or b is None or len(b) == 2 or (len(b) > 2 and a[:-2] == b[:-2]):
        return None
    if any(d < 0 for d in (*a, *b)):
        return q.refuse(
            "dynamic-shape",
            f"multiplies {shape_text(a)} by {shape_text(b)}, whose leading dimensions are not known to "
            "be equal",
        )
    return None


def _pad(q: Query) -> ReasonAttr | None:
    mode = q.text("mode", "constant")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        return q.refuse("attribute", f"has mode = {mode!r}, which ONNX does not define")
    value = q.array(2)
    if value is not None and value.size != 1:
        return q.refuse("operand-value", f"pads with {value.size} numbers, needs one")
    if value is not None and not np.isfinite(value).all():
        return q.refuse("operand-value", f"pads with {value.reshape(-1)[0]}, needs a finite number")
    shape = q.shape(0) or ()
    if refusal := fixed_sizes(q):
        return refusal
    before, after = paddings(q.ints(1) or [], q.ints(3), len(shape))
    most = {"reflect": 1, "wrap": 0}.get(mode)
    for size, *pads in zip(shape, before, after, strict=True):
        left = size + sum(min(p, 0) for p in pads)
        if most is not None and max(pads) > left - most:
            return q.refuse(
                "operand-value", f"has mode = {mode!r} and pads {pads} of {left} elements"
            )
    return None


def _pool(q: Query) -> ReasonAttr | None:
    dilated = any(d != 1 for d in q.integers("dilations") or ())
    if (dilated or q.op.op_type == "LpPool") and (refusal := fixed_sizes(q)):
        return refusal
    if q.op.op_type == "LpPool" and (refusal := _norm(q)):
        return refusal
    if q.integer("ceil_mode", 0) and any(d < 0 for d in q.shape(0) or (-1,)):
        return q.refuse("dynamic-shape", "has ceil_mode and sizes that are not known")
    pads = q.integers("pads") or []
    half = len(pads) // 2
    if q.integer("ceil_mode", 0) and (refusal := _windows_behind(q, pads)):
        return refusal
    uneven = bool(q.integer("count_include_pad", 0)) and pads[:half] != pads[half:]
    if (uneven or _three_axes(q)) and (refusal := fixed_sizes(q)):
        return refusal
    return q.attribute_is("storage_order", 0, 0, "positions are row-major") or _pads(q)


def _windows_behind(q: Query, pads: list[int]) -> ReasonAttr | None:
    """Refuses windows that begin behind the input: some runtimes leave them out, and some do not."""
    sizes, made = (q.shape(0) or ())[2:], (q.result_shape() or ())[2:]
    n = len(sizes)
    strides, pads = q.integers("strides") or [1] * n, pads or [0] * (2 * n)
    found = zip(sizes, made, strides, pads[:n], strict=True)
    if all((o - 1) * s < i + p for i, o, s, p in found):
        if all(count <= o for count, o in zip(rounded_down(q.op, sizes), made, strict=True)):
            return None
        return q.refuse(
            "attribute", "has ceil_mode = 1, and a window that begins in the padding behind"
        )
    return q.refuse(
        "attribute",
        f"has ceil_mode = 1 and makes {shape_text(made)} of {shape_text(sizes)}, with a window that "
        "begins behind that",
    )


def _three_axes(q: Query) -> bool:
    """Whether a pooling is written out as one of two axes."""
    pools = ("AveragePool", "GlobalAveragePool", "MaxPool")
    return len(q.shape(0) or ()) == 5 and q.op.op_type in pools


def _norm(q: Query) -> ReasonAttr | None:
    """Only sums of sizes and roots of sums of squares are written out."""
    if (p := q.integer("p", 2)) in (1, 2):
        return None
    return q.refuse("attribute", f"has p = {p}, needs 1 or 2")


def _global_lp_pool(q: Query) -> ReasonAttr | None:
    return _norm(q) or fixed_sizes(q)


def _global_average_pool(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q) if _three_axes(q) else None


def _mod(q: Query) -> ReasonAttr | None:
    divisor = q.array(1)
    value = 0.0 if divisor is None or divisor.size != 1 else float(divisor.reshape(-1)[0])
    if not q.integer("fmod", 0):
        return q.refuse("attribute", "has fmod = 0, which ONNX defines for integers only")
    if not isfinite(value) or abs(frexp(value)[0]) != 0.5 or not 2.0**-60 < abs(value) < 2.0**60:
        return q.refuse(
            "operand-value",
            "needs one power of two as its divisor: by another one the quotient is rounded, and what is left "
            "of 1 by 0.1 would be 0",
        )
    return _ranked(q)


def _pow(q: Query) -> ReasonAttr | None:
    if not q.is_constant(1):
        return _exponential(q)
    exponent = q.array(1)
    if exponent is None or exponent.size != 1:
        return q.refuse("operand-value", "has several exponents, needs one number")
    e = float(exponent.reshape(-1)[0])
    if not isfinite(e) or e == 0 or (e == int(e) and abs(e) > MOST_FACTORS):
        return q.refuse(
            "operand-value",
            f"has exponent {e:g}; needs a fraction, or a whole number up to {MOST_FACTORS} but 0",
        )
    return _ranked(q)


def _exponential(q: Query) -> ReasonAttr | None:
    base = q.array(0) if q.is_constant(0) else None
    if base is None:
        return q.refuse(
            "constant-operand",
            f"has base and exponent ({q.operand(1)}) computed, needs one of them constant: bases that are 0 "
            "or negative have no logarithms",
        )
    if base.size != 1 or not 0 < float(base.reshape(-1)[0]) < float("inf"):
        return q.refuse("operand-value", "has a base that is not one positive number")
    grows = len(q.shape(1) or ()) < len(q.result_shape() or ())
    return q.refuse("rank", "has a base of more dimensions than the exponent") if grows else None


def _expand(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q)


def _flatten(q: Query) -> ReasonAttr | None:
    axis, shape = q.integer("axis", 1), q.shape(0) or ()
    if all(d >= 0 for d in shape[:axis]) or (q.dynamic and axis == 1):
        return None
    return fixed_sizes(q)


def _gather(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    axis = q.integer("axis", 0)
    length = shape[axis] if -len(shape) <= axis < len(shape) else -1
    if length > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {length}, exact only up to {EXACT_INTEGERS}"
        )
    # Positions of two dimensions or more are a Reshape of what is taken.
    if q.is_constant(1) and length >= 0 and len(q.shape(1) or ()) < 2:
        return None
    return fixed_sizes(q)


def _gather_flat(q: Query) -> ReasonAttr | None:
    """GatherElements, GatherND, and scattering: positions in a tensor seen as one row."""
    if refusal := fixed_sizes(q):
        return refusal
    if (reduction := q.text("reduction", "none")) != "none" and (
        refusal := _combines(q, reduction)
    ):
        return refusal
    shapes = [q.shape(0) or (), q.shape(2) or () if len(q.op.inputs) > 2 else ()]
    count = sum(prod(s) for s in shapes)
    if count > EXACT_INTEGERS:
        return q.refuse(
            "size", f"counts positions up to {count}, exact only up to {EXACT_INTEGERS}"
        )
    return None


def _grid_sample(q: Query) -> ReasonAttr | None:
    for name, default, known in (
        ("mode", "linear", ("linear", "nearest")),
        ("padding_mode", "zeros", ("zeros", "border", "reflection")),
    ):
        if (found := q.text(name, default)) not in known:
            return q.refuse("attribute", f"has {name} = {found!r}, needs {' or '.join(known)}")
    if refusal := fixed_sizes(q):
        return refusal
    count = prod(q.shape(0) or ()) // (q.shape(0) or (1, 1))[1] * prod((q.shape(1) or ())[1:3])
    if "GridSample" not in q.chip.missing_ops or count <= MOST_WEIGHTS:
        return None
    return q.refuse(
        "size",
        f"has {count} weights as a product, up to {MOST_WEIGHTS}; {q.chip.vendor_name} leaves TPU-MLIR's "
        f"own op to the host ({q.chip.missing_ops['GridSample']})",
    )


def _roi_align(q: Query) -> ReasonAttr | None:
    if (mode := q.text("mode", "avg")) != "avg":
        return q.refuse(
            "attribute",
            f"has mode = {mode!r}, needs 'avg': of weighted elements ONNX and its runtimes take different "
            "maxima",
        )
    if (ratio := q.integer("sampling_ratio", 0)) < 1:
        return q.refuse(
            "attribute",
            f"has sampling_ratio = {ratio}, needs 1 or more: it takes as many samples as regions are large",
        )
    if refusal := fixed_sizes(q):
        return refusal
    batch, channels, height, width = q.shape(0) or (1, 1, 1, 1)
    count, _, out_height, out_width = q.result_shape() or (1, 1, 1, 1)
    made = max(
        count * out_height * ratio * batch * height,
        count * out_width * ratio * width,
        count * out_height * channels * width,
    )
    if made <= MOST_WEIGHTS << 2:
        return None
    return q.refuse("size", f"makes {made} numbers on the way, up to {MOST_WEIGHTS << 2}")


MOST_ROUNDS = 8
"""So many updates of a scattering may come to one element where they are joined."""


def _combines(q: Query, reduction: str) -> ReasonAttr | None:
    if reduction not in ("add", "mul", "max", "min"):
        return q.refuse("attribute", f"has reduction = {reduction!r}, which ONNX does not define")
    indices, shape = q.array(1), q.shape(0) or ()
    assert indices is not None
    axis = q.integer("axis", 0) if q.op.op_type == "ScatterElements" else None
    if (rounds := len(scatter_rounds(indices, shape, axis))) <= MOST_ROUNDS:
        return None
    return q.refuse(
        "operand-value", f"has {rounds} updates of one element, joins up to {MOST_ROUNDS}"
    )


def _reverse_sequence(q: Query) -> ReasonAttr | None:
    if {q.integer("time_axis", 0), q.integer("batch_axis", 1)} != {0, 1}:
        return q.refuse("attribute", "has other axes than 0 and 1, which ONNX does not define")
    return fixed_sizes(q)


def _hardmax(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q) or _arg(q)


def _one_hot(q: Query) -> ReasonAttr | None:
    depth, values = q.ints(1) or [], q.array(2)
    if len(depth) != 1 or values is None or values.size != 2 or not np.isfinite(values).all():
        return q.refuse("operand-value", "needs one depth, and two finite values")
    return fixed_sizes(q)


def _reduce_written_out(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q)


def _reduce(q: Query) -> ReasonAttr | None:
    """Axes apart are reduced one after the other, which needs sizes."""
    rank = len(q.shape(0) or ())
    axes = sorted(axis % max(rank, 1) for axis in q.ints(1) or [])
    return fixed_sizes(q) if len(axis_runs(axes)) > 1 else None


def _reshape(q: Query) -> ReasonAttr | None:
    """With sizes that vary, a shape that fixes all of them says too much, and several zeros were wrong."""
    varying = [s for s in (q.shape(0), q.result_shape()) if s is not None and any(d < 0 for d in s)]
    given = q.ints(1) or []
    if not varying or -1 in given:
        return None
    return fixed_sizes(q)


def _transpose(q: Query) -> ReasonAttr | None:
    shape = q.shape(0) or ()
    order = q.integers("perm") or list(range(len(shape)))[::-1]
    return None if len(moving_groups(order, shape)) <= MOST_PERMUTED_DIMS else fixed_sizes(q)


def _resize(q: Query) -> ReasonAttr | None:
    x, y = q.shape(0), q.result_shape()
    if x is None or y is None or any(d < 0 for d in (*x, *y)):
        if q.dynamic and repeats(q):
            return None
        return q.refuse("dynamic-shape", "has sizes that are not known")
    scales = resize_scales(q, x, y)
    if (policy := q.text("keep_aspect_ratio_policy", "stretch")) != "stretch":
        return q.refuse("attribute", f"has keep_aspect_ratio_policy = {policy!r}, needs 'stretch'")
    transform = q.text("coordinate_transformation_mode", "half_pixel")
    if transform not in TRANSFORMS:
        return q.refuse(
            "attribute",
            f"has coordinate_transformation_mode = {transform!r}, needs one of "
            f"{', '.join(TRANSFORMS)}",
        )
    rounding = q.text("nearest_mode", "round_prefer_floor")
    if q.text("mode", "nearest") == "nearest" and any(
        is_ambiguous(*sizes, transform, rounding) for sizes in zip(x, y, scales, strict=True)
    ):
        return q.refuse(
            "attribute",
            f"makes {shape_text(y)} of {shape_text(x)} with coordinate_transformation_mode = "
            f"{transform!r} and some coordinates just between two elements, where runtimes round differently",
        )
    exact = all(i * s == o for i, s, o in zip(x, scales, y, strict=True))
    if transform == "align_corners" and not exact:
        return q.refuse(
            "attribute",
            f"makes {shape_text(y)} of {shape_text(x)} with scales {scales}, and has "
            "coordinate_transformation_mode = 'align_corners', for which ONNX does not say whether "
            "sizes or scales count",
        )
    return None


def repeats(q: Query, least: int = 2) -> bool:
    """Whether a Resize repeats the pixels of pictures, `least` times or more, whatever their sizes are."""
    scales = q.array(2)
    if scales is None or scales.shape != (4,) or q.integers("axes") is not None:
        return False
    how = (
        q.text("mode", "nearest"),
        q.text("coordinate_transformation_mode", "half_pixel"),
        q.text("nearest_mode", "round_prefer_floor"),
    )
    whole = all(s == int(s) >= least for s in scales[2:]) and (scales[:2] == 1).all()
    return bool(whole) and how == ("nearest", "asymmetric", "floor")


def interpolates(q: Query) -> bool:
    """Whether Top's Interp computes a linear Resize just as ONNX defines it.

    Not where it shrinks, or grows by no whole factor: the compiler crashes for BM1684X and BM1688.
    """
    x, y = q.shape(0) or (), q.result_shape() or ()
    transform = q.text("coordinate_transformation_mode", "half_pixel")
    if len(x) != 4 or x[:2] != y[:2] or any(o % i for i, o in zip(x, y, strict=True)):
        return False
    if transform not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        return False
    scales = resize_scales(q, x, y)
    return all(i * s == o for i, s, o in zip(x[2:], scales[2:], y[2:], strict=True))


def resize_scales(q: Query, x: Shape, y: Shape) -> list[float]:
    """Output over input, for each axis, as a Resize gives it or as its sizes imply."""
    scales = [o / i for i, o in zip(x, y, strict=True)]
    given = q.array(2)
    if given is not None and given.size:
        axes = q.integers("axes") or list(range(len(x)))
        for axis, scale in zip(axes, given.reshape(-1), strict=False):
            scales[axis] = float(scale)
    return scales


def _slice(q: Query) -> ReasonAttr | None:
    steps = q.ints(4) or []
    if q.dynamic and any(s < 1 for s in steps):
        return q.refuse(
            "operand-value", f"has steps {steps}; a dynamic sub-model needs steps of 1 or more"
        )
    return None


def _split(q: Query) -> ReasonAttr | None:
    if q.dynamic and len(q.op.results) > 8:
        return q.refuse(
            "operand-count", f"has {len(q.op.results)} results, a dynamic sub-model has up to 8"
        )
    shape, axis = q.shape(0) or (), q.integer("axis", 0)
    return fixed_sizes(q) if shape and shape[axis % len(shape)] < 0 else None


MOST_TAKEN = 8
"""A TopK of so many is written out, as searches for one after the other."""


def few_are_taken(q: Query) -> bool:
    """Whether a TopK is written out: one that has a Top op of its own needs a dynamic sub-model."""
    (count,) = q.ints(1) or [0]
    shapes = (*(q.shape(0) or (-1,)), *(q.result_shape() or (-1,)))
    return not q.dynamic and 1 <= count <= MOST_TAKEN and all(d > 0 for d in shapes)


def _topk(q: Query) -> ReasonAttr | None:
    chip = q.chip
    few = f"where more than {MOST_TAKEN} are taken"
    if few_are_taken(q):
        return _arg(q)
    if (evidence := chip.host_ops.get("TopK")) is not None:
        return q.refuse("host-op", f"would not run on {chip.vendor_name} itself {few} ({evidence})")
    if not q.dynamic and (evidence := chip.dynamic_ops.get("TopK")) is not None:
        return q.refuse(
            "dynamic-op", f"needs a sub-model compiled with --dynamic {few} ({evidence})"
        )
    return q.attribute_is("sorted", 1, 1, "results come sorted") or _arg(q)


def _trilu(q: Query) -> ReasonAttr | None:
    return fixed_sizes(q)


EXTRA: dict[str, Callable[[Query], ReasonAttr | None]] = {
    "Add": _broadcast,
    "AffineGrid": fixed_sizes,
    "And": _broadcast,
    "ArgMax": _arg_extreme,
    "ArgMin": _arg_extreme,
    "AveragePool": _pool,
    "BatchNormalization": _batch_normalization,
    "Cast": _cast,
    "CastLike": _cast,
    "Clip": _clip,
    "Concat": _concat,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "CumSum": _cum_sum,
    "DepthToSpace": _depth_space,
    "Div": _broadcast,
    "Dropout": _dropout,
    "Einsum": _einsum,
    "Equal": _broadcast,
    "Expand": _expand,
    "Flatten": _flatten,
    "GRU": _gru,
    "Gather": _gather,
    "GatherElements": _gather_flat,
    "GatherND": _gather_flat,
    "GlobalAveragePool": _global_average_pool,
    "GlobalLpPool": _global_lp_pool,
    "Greater": _broadcast,
    "GreaterOrEqual": _broadcast,
    "GridSample": _grid_sample,
    "Hardmax": _hardmax,
    "LSTM": _lstm,
    "LayerNormalization": _layer_normalization,
    "Less": _broadcast,
    "LessOrEqual": _broadcast,
    "LpNormalization": _lp_normalization,
    "LpPool": _pool,
    "MatMul": _matmul,
    "Max": _broadcast,
    "MaxPool": _pool,
    "Mean": _broadcast,
    "MeanVarianceNormalization": fixed_sizes,
    "Min": _broadcast,
    "Mod": _mod,
    "Mul": _broadcast,
    "OneHot": _one_hot,
    "Or": _broadcast,
    "Pad": _pad,
    "Pow": _pow,
    "RMSNormalization": fixed_sizes,
    "ReduceLogSum": fixed_sizes,
    "ReduceSumSquare": fixed_sizes,
    "ReduceLogSumExp": _reduce_written_out,
    "ReduceL2": _reduce_written_out,
    "ReduceSum": _reduce,
    "ReduceMin": _reduce,
    "ReduceMean": _reduce,
    "ReduceMax": _reduce,
    "ReduceL1": _reduce,
    "ReduceProd": _reduce_written_out,
    "Reshape": _reshape,
    "Resize": _resize,
    "ReverseSequence": _reverse_sequence,
    "RoiAlign": _roi_align,
    "ScatterElements": _gather_flat,
    "ScatterND": _gather_flat,
    "Slice": _slice,
    "SpaceToDepth": _depth_space,
    "Split": _split,
    "Sub": _broadcast,
    "Sum": _broadcast,
    "TopK": _topk,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Where": _broadcast,
    "Xor": _broadcast,
}
"""By op type; exactly the rows that say `extra`."""
