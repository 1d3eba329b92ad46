"""Ops in sub-models whose sizes vary, which are compiled for the largest and run with smaller ones.

A chip's table names the op types that were measured to be right (`[varying_ops]`), those that are as long as
their own sizes do not vary (`[fixed_ops]`), and forms of both that are not (`[varying_forms]`), or not in one
mode (`[wrong_varying.INT8]`), or that are computed in f32 in that mode (`[f32_varying.INT8]`). Whatever no
table names is refused: compilers leave some ops as large as ever, without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, prod

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.convert_onnx_to_top.parts.query import Query


@dataclass(frozen=True)
class VaryingForm:
    """Some of the ops of some types."""

    op_types: tuple[str, ...]
    text: str
    """What is special about them, behind the op type."""
    holds: Callable[[Query], bool]


JOINED_BY = frozenset({"Add", "Conv", "ConvTranspose", "Gemm", "MatMul", "MaxPool", "Mul", "Sub"})
"""Ops that a Relu behind them becomes a part of, where nothing else reads what they give."""


def _alone(q: Query) -> bool:
    if q.op.op_type == "Clip" and (clip_bound(q, 1, -inf) != 0 or clip_bound(q, 2, inf) < inf):
        return False
    before = q.op.operands[0].owner
    joined = isinstance(before, OnnxOp) and before.op_type in JOINED_BY
    return not joined or not q.op.operands[0].has_one_use()


def clip_bound(q: Query, index: int, default: float) -> float:
    """What a Clip limits to; `default` where it does not."""
    array = q.array(index)
    return default if array is None else float(array.reshape(-1)[0])


def _behind_product(q: Query) -> bool:
    before = q.op.operands[0].owner
    return isinstance(before, OnnxOp) and before.op_type == "Mul"


def _behind_sum(q: Query) -> bool:
    before = q.op.operands[0].owner
    return isinstance(before, OnnxOp) and before.op_type in (
        "Add",
        "ConvTranspose",
        "Gemm",
        "MatMul",
    )


def _computed_sum(q: Query) -> bool:
    return not any(q.is_constant(index) for index in range(len(q.op.inputs)))


def _drops_the_rest(q: Query) -> bool:
    """Whether windows of several steps may leave a last row or column out."""
    steps = max(q.integers("strides") or [1])
    return steps > 1 and not any(q.integers("pads") or [])


def _inner_axis(q: Query) -> bool:
    rank = len(q.shape(0) or ())
    return q.integer("axis", -1) % max(rank, 1) != rank - 1


def _other_than_two_axes(q: Query) -> bool:
    return len(q.shape(0) or ()) != 4


def _per_channel(q: Query) -> bool:
    """Whether a constant is neither one number nor a row of the last axis."""
    for index in range(len(q.op.inputs)):
        shape = q.shape(index)
        if not q.is_constant(index) or shape is None:
            continue
        if prod(shape) != 1 and prod(shape[:-1]) != 1:
            return True
    return False


def _drops_axes(q: Query) -> bool:
    return not q.integer("keepdims", 1)


def _computed_matrices(q: Query) -> bool:
    return not q.is_constant(0) and not q.is_constant(1) and len(q.shape(1) or ()) != 4


def _row(q: Query) -> bool:
    """Whether a constant is a row of the last axis, and not the bias of the product in front."""
    if len(q.op.inputs) != 2 or q.is_constant(0) == q.is_constant(1):
        return False
    place = 0 if q.is_constant(0) else 1
    shape = q.shape(place) or ()
    if prod(shape) == 1 or prod(shape[:-1]) != 1:
        return False
    x = q.op.operands[1 - place]
    front = x.owner
    product = isinstance(front, OnnxOp) and front.op_type == "MatMul" and x.has_one_use()
    return not (product and q.op.op_type in ("Add", "Sum"))


REDUCTIONS = (
    *("ArgMax", "ArgMin", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax"),
    *("ReduceMean", "ReduceMin", "ReduceSum"),
)

UNTRIED = (
    *(
        "Abs",
        "Acos",
        "ArgMax",
        "ArgMin",
        "Atan",
        "Atanh",
        "Ceil",
        "Cos",
        "Cosh",
        "CumSum",
        "Einsum",
        "Elu",
    ),
    *(
        "Erf",
        "Exp",
        "Floor",
        "GroupNormalization",
        "LRN",
        "Log",
        "LogSoftmax",
        "Max",
        "Min",
        "Mish",
        "Neg",
    ),
    *(
        "Pow",
        "Reciprocal",
        "ReduceL1",
        "ReduceL2",
        "ReduceLogSumExp",
        "ReduceMin",
        "ReduceProd",
        "Round",
    ),
    *("Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Sum", "Tan", "TopK"),
)
"""Ops that compute, were measured in F32, and only some of them in INT8."""


VARYING_FORMS: Mapping[str, VaryingForm] = {
    "alone": VaryingForm(
        ("Clip", "Relu"),
        f"is not merged into an op before it ({', '.join(sorted(JOINED_BY))})",
        _alone,
    ),
    "axes": VaryingForm(
        ("AveragePool", "Conv", "ConvTranspose", "MaxPool"),
        "has a window along one axis or along more than two",
        _other_than_two_axes,
    ),
    "behind-product": VaryingForm(("Clip", "LeakyRelu", "Relu"), "reads a Mul", _behind_product),
    "behind-sum": VaryingForm(
        ("Clip", "LeakyRelu", "Relu"),
        "reads an Add, a ConvTranspose, a Gemm or a MatMul",
        _behind_sum,
    ),
    "computed-matrices": VaryingForm(
        ("MatMul",),
        "multiplies computed operands that do not have four dimensions",
        _computed_matrices,
    ),
    "computed-sum": VaryingForm(
        ("Add", "Sub", "Sum"),
        "adds computed operands",
        _computed_sum,
    ),
    "dropped-axes": VaryingForm(REDUCTIONS, "has keepdims = 0", _drops_axes),
    "dropped-rest": VaryingForm(
        ("MaxPool",),
        "takes several steps at a time, without padding",
        _drops_the_rest,
    ),
    "inner-axis": VaryingForm(
        ("Softmax",),
        "is along another axis than the last",
        _inner_axis,
    ),
    "line": VaryingForm(
        ("AveragePool", "MaxPool"),
        "has a window along one axis or along more than two",
        _other_than_two_axes,
    ),
    "per-channel": VaryingForm(
        ("Add", "Div", "Mul", "Sum"),
        "has a constant that is neither one number nor a row of the last axis",
        _per_channel,
    ),
    "row": VaryingForm(
        ("Add", "Div", "Mul", "Sub", "Sum"),
        "has a constant that is a row of the last axis and not the bias of a MatMul in front",
        _row,
    ),
    "untried": VaryingForm(
        UNTRIED,
        "is one of the ops that were measured in F32",
        lambda q: True,
    ),
}
"""By the name that tables have for them."""


def refused_varying(q: Query) -> ReasonAttr | None:
    """Why an op is refused in a sub-model whose sizes vary; None if it is not, or sizes do not vary."""
    if not q.dynamic:
        return None
    chip, kind = q.chip, q.op.op_type
    if kind not in chip.varying_ops:
        if varies(q):
            return q.refuse(
                "dynamic-shape",
                f"is not shown to be right on {chip.vendor_name} where its sizes vary",
            )
        if kind not in chip.fixed_ops:
            return q.refuse(
                "dynamic-shape",
                f"is not shown to be right on {chip.vendor_name} in a sub-model whose sizes vary",
            )
    if q.mode == "INT8" and "varying-kernels" in chip.workarounds and _is_less(q):
        return q.refuse(
            "dynamic-shape",
            f"is computed in F32 only on {chip.vendor_name} where sizes vary (measured: in INT8 "
            "the emulator ends by a signal)",
        )
    for name, evidence in chip.varying_forms.items():
        form = VARYING_FORMS[name]
        if kind in form.op_types and form.holds(q):
            return q.refuse(
                "dynamic-shape",
                f"{form.text}, and {chip.vendor_name} fails so in a sub-model whose sizes vary ({evidence})",
            )
    return _refused_in_mode(q)


def _refused_in_mode(q: Query) -> ReasonAttr | None:
    for name, evidence in q.chip.wrong_varying.get(q.mode, {}).items():
        form = VARYING_FORMS.get(name)
        if form is None:
            if name == q.op.op_type:
                return q.refuse(
                    "dynamic-shape",
                    f"fails on {q.chip.vendor_name} in {q.mode} in a sub-model whose sizes vary ({evidence})",
                )
        elif q.op.op_type in form.op_types and form.holds(q):
            return q.refuse(
                "dynamic-shape",
                f"{form.text}, and {q.chip.vendor_name} fails so in {q.mode} in a sub-model whose sizes vary "
                f"({evidence})",
            )
    return None


def f32_varying(q: Query) -> str | None:
    """Why an op is computed in f32 in such a sub-model of a narrower mode, to stand behind the op type."""
    if not q.dynamic:
        return None
    for name, evidence in q.chip.f32_varying.get(q.mode, {}).items():
        form = VARYING_FORMS.get(name)
        if name == q.op.op_type:
            return f"would be wrong in {q.mode} where sizes vary ({evidence})"
        if form is not None and q.op.op_type in form.op_types and form.holds(q):
            return f"{form.text}, which would be wrong in {q.mode} where sizes vary ({evidence})"
    return None


def _is_less(q: Query) -> bool:
    """Whether an op is written out with sums of numbers in the place of differences."""
    return q.op.op_type in ("Gelu", "Not") or (q.op.op_type == "Sub" and q.is_constant(0))


def varies(q: Query) -> bool:
    """Whether a size of an operand or a result is unknown."""
    values = [*q.op.operands, *q.op.results]
    return any(size < 0 for value in values for size in shape_of(value.type) or ())
