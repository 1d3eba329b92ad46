"""Products of matrices: MatMul, Gemm, and Einsum as one of them between permutations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from string import ascii_uppercase
from typing import TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import shape_text
from autosplit.lowering.convert_onnx_to_top.families.activations import number
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, fixed_sizes, refuses
from autosplit.lowering.convert_onnx_to_top.parts.shapes import MOST_PERMUTED_DIMS
from autosplit.lowering.convert_onnx_to_top.parts.steps import (
    as_result,
    loaded,
    permute,
    reshape,
    sizes,
    times,
)
from autosplit.lowering.shared.fold import AnyArray


def product(
    c: Conversion, a: SSAValue, b: SSAValue, bias: SSAValue | None = None, suffix: str | None = None
) -> SSAValue:
    """The product of two matrices, or of equally long stacks of them."""
    shape = (*sizes(a)[:-1], sizes(b)[-1])
    bias = c.none() if bias is None else bias
    return c.emit("MatMul", [a, b, bias], shape=shape, suffix=suffix)


@refuses("MatMul")
def refuse_matmul(q: Query) -> ReasonAttr | None:
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


@converts("MatMul")
def matmul(c: Conversion) -> SSAValue:
    """A vector is a matrix of one row or one column; stacks of unequal length are repeated."""
    a, b = c.operand(0), c.operand(1)
    vectors = (len(sizes(a)) == 1, len(sizes(b)) == 1)
    if vectors[0]:
        a = reshape(c, a, (1, *sizes(a)), "row")
    if vectors[1]:
        b = reshape(c, b, (*sizes(b), 1), "column")
    stacks = (sizes(a)[:-2], sizes(b)[:-2])
    if stacks[0] != stacks[1] and stacks[1]:
        stack = np.broadcast_shapes(*stacks)
        a, b = _repeat(c, a, stack, "left"), _repeat(c, b, stack, "right")
    if not any(vectors):
        return product(c, a, b)
    return reshape(c, product(c, a, b, suffix="product"), c.shape())


def _repeat(c: Conversion, x: SSAValue, stack: Sequence[int], suffix: str) -> SSAValue:
    """A stack of matrices, repeated along the dimensions of size 1 in which it is to be longer."""
    shape = sizes(x)
    full = (1,) * (len(stack) + 2 - len(shape)) + shape
    x = reshape(c, x, full, f"{suffix}_rank")
    tile = [new // old for new, old in zip((*stack, *shape[-2:]), full, strict=True)]
    if set(tile) == {1}:
        return x
    return c.emit("Tile", [x], {"tile": tile}, shape=(*stack, *shape[-2:]), suffix=suffix)


@converts("Gemm")
def gemm(c: Conversion) -> SSAValue:
    """Constants are transposed and scaled beforehand; a constant row that is added is the product's bias."""
    alpha, beta = number(c, "alpha", 1.0), number(c, "beta", 1.0)
    a, b = _gemm_operand(c, 0, "transA", 1.0), _gemm_operand(c, 1, "transB", alpha)
    if alpha != 1.0 and not c.q.is_constant(1):
        a = times(c, a, alpha, "alpha")
    if c.q.value(2) is None or beta == 0.0:
        return product(c, a, b)
    columns = sizes(b)[-1]
    if not c.q.is_constant(2):
        addend = c.operand(2)
        addend = reshape(c, addend, (1,) * (2 - len(sizes(addend))) + sizes(addend), "term")
        addend = addend if beta == 1.0 else times(c, addend, beta, "beta")
        return c.emit("Add", [product(c, a, b, suffix="product"), addend])
    term = loaded(c, 2)() * np.float32(beta)
    if term.size in (1, columns) and (term.ndim < 2 or term.shape[-2] == 1):
        bias = c.weight(np.broadcast_to(term.reshape(-1), (columns,)), "bias")
        return product(c, a, b, bias)
    addend = c.weight(term.reshape((1,) * (2 - term.ndim) + term.shape), "term")
    return c.emit("Add", [product(c, a, b, suffix="product"), addend])


def _gemm_operand(c: Conversion, index: int, flag: str, factor: float) -> SSAValue:
    transposed = c.q.integer(flag, 0)
    if not c.q.is_constant(index):
        x = c.operand(index)
        return permute(c, x, [1, 0], flag) if transposed else x
    if not transposed and factor == 1.0:
        return c.operand(index)
    rows, columns = c.q.shape(index) or (0, 0)
    load = loaded(c, index)

    def scaled() -> AnyArray:
        array = load() * np.float32(factor)
        return array.T if transposed else array

    shape = (columns, rows) if transposed else (rows, columns)
    return c.lazy_weight(scaled, shape, "left" if index == 0 else "right")


Term: TypeAlias = str
"""The subscripts of one operand, one letter for each dimension."""


def parse_equation(equation: str, ranks: Sequence[int]) -> tuple[list[Term], Term]:
    """The subscripts of the operands and of the result; an ellipsis becomes letters of its own.

    Raises ValueError for an equation that is malformed or does not fit the ranks.
    """
    operand_terms, arrow, result = equation.replace(" ", "").partition("->")
    terms = operand_terms.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"has {counted(len(terms), 'term')} for {counted(len(ranks), 'operand')}")
    if not arrow:
        letters = operand_terms.replace("...", "").replace(",", "")
        result = ("..." if "..." in operand_terms else "") + "".join(
            sorted(s for s in set(letters) if letters.count(s) == 1)
        )
    free = [s for s in reversed(ascii_uppercase) if s not in equation]
    hidden = [
        rank - len(t.replace("...", "")) for t, rank in zip(terms, ranks, strict=True) if "..." in t
    ]
    hidden_letters = "".join(free[: max([0, *hidden])])
    expanded = [_expand(t, rank, hidden_letters) for t, rank in zip(terms, ranks, strict=True)]
    result = result.replace("...", hidden_letters)
    for term in (*expanded, result):
        if not all(s.isalpha() for s in term) or len(set(term)) != len(term):
            raise ValueError("has a term that is not made of different letters")
    if not set(result) <= set("".join(expanded)):
        raise ValueError("has a result with letters that no operand has")
    return expanded, result


def _expand(term: str, rank: int, hidden: str) -> Term:
    count = rank - len(term.replace("...", ""))
    if count < 0 or ("..." not in term and count):
        raise ValueError(f"has term {term!r} for an operand of rank {rank}")
    return term.replace("...", hidden[len(hidden) - count :])


@refuses("Einsum")
def refuse_einsum(q: Query) -> ReasonAttr | None:
    equation = q.text("equation", "")
    shapes = [q.shape(i) or () for i in range(len(q.op.inputs))]
    if any(d < 0 for shape in shapes for d in shape):
        return q.refuse("dynamic-shape", "has unknown sizes")
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


@converts("Einsum")
def einsum(c: Conversion) -> SSAValue:
    """Operands are multiplied from left to right; subscripts that nothing needs any more are summed."""
    shapes = [sizes(c.operand(i)) for i in range(len(c.op.inputs))]
    terms, result = parse_equation(c.q.text("equation", ""), [len(s) for s in shapes])
    left, first = terms[0], c.operand(0)
    x = first
    for index, term in enumerate(terms[1:], 1):
        later = "".join(terms[index + 1 :]) + result
        step = "" if index == 1 else str(index)
        x, left = _summed(c, x, left, term + later, f"left{step}")
        y, right = _summed(c, c.operand(index), term, left + later, f"right{step}")
        x, left = _pair(c, x, left, y, right, later, step)
    x, left = _summed(c, x, left, result, "sum")
    order = [left.index(s) for s in result]
    if order == sorted(order) and x is not first:
        return as_result(c, x)
    return permute(c, x, order)


def _summed(
    c: Conversion, x: SSAValue, term: Term, needed: str, suffix: str
) -> tuple[SSAValue, Term]:
    """`x` summed over the subscripts that nothing needs."""
    axes = [i for i, s in enumerate(term) if s not in needed]
    if not axes:
        return x, term
    kept_sizes = [d for i, d in enumerate(sizes(x)) if i not in axes]
    attrs = {"axes": axes, "keepdims": False, "mode": "ReduceSum"}
    return c.emit("Reduce", [x], attrs, shape=kept_sizes, suffix=suffix), "".join(
        s for s in term if s in needed
    )


def _summed_product(
    c: Conversion,
    x: SSAValue,
    left: Term,
    y: SSAValue,
    right: Term,
    parts: tuple[Term, Term],
    step: str,
) -> tuple[SSAValue, Term]:
    """The product of two operands of equal subscripts, summed along the last ones.

    On stacked products of a row and a column, the compiler stops for BM1684X and BM1688.
    """
    stack, inner = parts
    x = permute(c, x, [left.index(s) for s in stack + inner], f"left{step}/order")
    y = permute(c, y, [right.index(s) for s in stack + inner], f"right{step}/order")
    z = c.emit("Mul", [x, y], shape=sizes(x), suffix=f"product{step}")
    axes = list(range(len(stack), len(stack + inner)))
    attrs = {"axes": axes, "keepdims": False, "mode": "ReduceSum"}
    stack_sizes = sizes(x)[: len(stack)]
    return c.emit("Reduce", [z], attrs, shape=stack_sizes, suffix=f"product{step}/sum"), stack


def _pair(
    c: Conversion, x: SSAValue, left: Term, y: SSAValue, right: Term, later: str, step: str
) -> tuple[SSAValue, Term]:
    """The product of two operands, as one of stacked matrices."""
    size = dict(zip(left, sizes(x), strict=True)) | dict(zip(right, sizes(y), strict=True))
    shared = [s for s in left if s in right]
    stack = "".join(s for s in shared if s in later)
    inner = "".join(s for s in shared if s not in later)
    rows = "".join(s for s in left if s not in right)
    columns = "".join(s for s in right if s not in left)

    def count(subscripts: str) -> int:
        return prod(size[s] for s in subscripts)

    if inner and not rows and not columns:
        return _summed_product(c, x, left, y, right, (stack, inner), step)
    lead = tuple(size[s] for s in stack)
    x = permute(c, x, [left.index(s) for s in stack + rows + inner], f"left{step}/order")
    x = reshape(c, x, (*lead, count(rows), count(inner)), f"left{step}/matrix")
    y = permute(c, y, [right.index(s) for s in stack + inner + columns], f"right{step}/order")
    y = reshape(c, y, (*lead, count(inner), count(columns)), f"right{step}/matrix")
    term = stack + rows + columns
    z = product(c, x, y, suffix=f"product{step}")
    return reshape(c, z, [size[s] for s in term], f"product{step}/parts"), term
