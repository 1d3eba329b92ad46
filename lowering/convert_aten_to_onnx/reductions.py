"""Sums and the like, extremes and their indices, sorting, and norms of vectors."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, converts
from autosplit.lowering.shared.refusal import Refusal


def _axes(b: AtenBuilder) -> list[int]:
    """The axes that an op reduces, all if it names none."""
    return b.axes("dim", b.x) if "dim" in b.arguments else [*range(b.rank(b.x))]


def _keep(b: AtenBuilder) -> bool:
    return "keepdim" in b.arguments and b.flag("keepdim")


SUMS = {"sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd"}


@converts("mean", "mean.dim", "prod", "prod.dim_int", "sum", "sum.dim_IntList")
def _sum(b: AtenBuilder) -> SSAValue:
    """sum(x) -> reduce_sum(x), mean and prod alike, of the element type of the result"""
    x, op_type = b.cast(b.x, b.out), SUMS[b.kind.partition(".")[0]]
    if not b.rank(x):
        return x
    if (
        op_type == "ReduceMean"
        and b.rank(x) > 2
        and _keep(b)
        and _axes(b) == [*range(2, b.rank(x))]
    ):
        # Chips have a pooling.
        return b.apply("GlobalAveragePool", x)
    return b.reduced(op_type, x, _axes(b), _keep(b))


@converts("amax", "amin", "max", "min")
def _most(b: AtenBuilder) -> SSAValue:
    """amax(x) -> reduce_max(x), amin, max and min alike"""
    if not b.rank(b.x):
        return b.x
    op_type = "ReduceMax" if "max" in b.kind else "ReduceMin"
    if b.element(b.x) == i1:
        raise Refusal("dtype", f"{b.kind} of Booleans")
    return b.reduced(op_type, b.x, _axes(b), _keep(b))


@converts("max.dim", "min.dim")
def _most_along(b: AtenBuilder) -> list[SSAValue | None]:
    """max(x, axis) -> reduce_max(x), arg_max(x)"""
    word = b.kind[:3].capitalize()
    axis, keep = b.axis(b.x, b.integer("dim")), b.flag("keepdim")
    values = b.reduced(f"Reduce{word}", b.x, [axis], keep)
    return [values, b.apply(f"Arg{word}", b.x, axis=axis, keepdims=int(keep))]


@converts("argmax", "argmin")
def _arg(b: AtenBuilder) -> SSAValue:
    """argmax(x) -> arg_max(x), of the flat tensor where no axis is named"""
    op_type, axis = ("ArgMax" if b.kind == "argmax" else "ArgMin"), b.get("dim")
    if isinstance(axis, int):
        return b.apply(op_type, b.x, axis=b.axis(b.x, axis), keepdims=int(b.flag("keepdim")))
    index = b.apply(op_type, b.reshape(b.x, [-1]), axis=0, keepdims=0)
    return b.reshape(index, [1] * b.rank(b.x)) if b.flag("keepdim") else index


@converts(*(f"{name}{form}" for name in ("all", "any") for form in ("", ".dim", ".dims")))
def _any(b: AtenBuilder) -> SSAValue:
    """any(x) -> cast(reduce_max(cast(x != 0))), all with reduce_min"""
    op_type = "ReduceMax" if b.kind.startswith("any") else "ReduceMin"
    # Not every runtime reduces Booleans.
    numbers = b.cast(b.cast(b.x, i1), i64)
    return b.cast(b.reduced(op_type, numbers, _axes(b), _keep(b)), i1)


@converts("logsumexp")
def _logsumexp(b: AtenBuilder) -> SSAValue:
    """logsumexp(x) -> reduce_log_sum_exp(x)"""
    (x,) = b.floats("self")
    return b.reduced("ReduceLogSumExp", x, _axes(b), _keep(b))


@converts("linalg_vector_norm", "norm.Scalar", "norm.ScalarOpt_dim", "norm.ScalarOpt_dim_dtype")
def _norm(b: AtenBuilder) -> SSAValue:
    """vector_norm(x) -> reduce_l2(x), reduce_l1(x), or reduce_max(abs(x)) for the order inf"""
    value = b.get("ord" if b.kind.startswith("linalg") else "p")
    order = 2.0 if value is None else float(str(value))
    x = b.cast(b.x, b.out)
    if order in (1, 2):
        return b.reduced(f"ReduceL{int(order)}", x, _axes(b), _keep(b))
    if abs(order) == float("inf"):
        op_type = "ReduceMax" if order > 0 else "ReduceMin"
        return b.reduced(op_type, b.apply("Abs", x), _axes(b), _keep(b))
    raise Refusal("attribute", f"a norm of order {order}, expected 1, 2 or inf")


# Variances


@converts(
    *(
        f"{name}{form}"
        for name in ("std", "std_mean", "var", "var_mean")
        for form in ("", ".correction", ".dim")
    )
)
def _variance(b: AtenBuilder) -> list[SSAValue | None]:
    """var(x) -> reduce_sum((x - mean(x))^2) / (n - correction), std with its root"""
    axes, keep, name = _axes(b), _keep(b), b.kind.partition(".")[0]
    correction = float(b.flag("unbiased")) if "unbiased" in b.arguments else 1.0
    if "correction" in b.arguments and b.get("correction") is not None:
        correction = float(b.real("correction"))
    shape = b.shape(b.x)
    sizes = [shape[a] for a in axes]
    if min(sizes, default=1) < 0 and correction:
        raise Refusal("dynamic-shape", "divides by a number of elements that is unknown")
    mean = b.reduced("ReduceMean", b.x, axes, keep=True)
    difference = b.apply("Sub", b.x, mean)
    square = b.apply("Mul", difference, difference)
    result = b.reduced("ReduceMean", square, axes, keep)
    if correction:
        count = prod(sizes)
        if count <= correction:
            raise Refusal(
                "attribute",
                f"a variance of {counted(count, 'element')} with correction {correction}",
            )
        result = b.apply("Mul", result, b.filled(count / (count - correction), b.out, "factor"))
    if name.startswith("std"):
        result = b.apply("Sqrt", result)
    if not name.endswith("mean"):
        return [result]
    return [result, mean if keep else b.squeeze(mean, axes)]


# Sorting


@converts("topk")
def _topk(b: AtenBuilder) -> list[SSAValue | None]:
    """topk(x) -> top_k(x)"""
    axis = b.axis(b.x, b.integer("dim"))
    attributes = {"axis": axis, "largest": int(b.flag("largest")), "sorted": int(b.flag("sorted"))}
    inputs = [b.x, b.vector([b.dim("k")], "k")]
    values, indices = b.nodes("topk", "TopK", inputs, attributes, 2)
    return [values, indices]


@converts("argsort", "argsort.stable", "sort", "sort.stable")
def _sort(b: AtenBuilder) -> list[SSAValue | None]:
    """sort(x) -> top_k(x, all), argsort its indices; equal elements stay in order, as `stable` asks"""
    axis, descending = b.axis(b.x, b.integer("dim")), b.flag("descending")
    inputs = [b.x, b.vector([b.size(b.x, axis)], "k")]
    attributes = {"axis": axis, "largest": int(descending), "sorted": 1}
    values, indices = b.nodes("sort", "TopK", inputs, attributes, 2)
    return [indices] if b.kind.startswith("arg") else [values, indices]


@converts("cumsum")
def _cumsum(b: AtenBuilder) -> SSAValue:
    """cumsum(x) -> cum_sum(x)"""
    x = b.cast(b.x, b.out)
    if not b.rank(x):
        return x
    return b.apply("CumSum", x, b.filled(b.axis(x, b.integer("dim")), i64, "axis"))
