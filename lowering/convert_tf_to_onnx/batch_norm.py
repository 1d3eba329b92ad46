"""Batch norms that a framework wrote as arithmetic, as BatchNormalization again.

    add(mul(x, m), sub(offset, mul(mean, m)))  where m = mul(reciprocal(sqrt(add(variance, eps))), scale)
    -> batch_normalization(x, scale, offset, mean, variance, eps)

Keras 3 writes them so. The scale may be missing, and the offset too (`mul(neg(mean), m)` is added then).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from autosplit.dialects.onnx.ops import InitializerOp, OnnxOp, make_node
from autosplit.dialects.platform import element_type, location_names, name_location
from autosplit.lowering.convert_tf_to_onnx.constants import Constants
from autosplit.lowering.convert_tf_to_onnx.types import permuted, shape_of, static_of, tensor
from autosplit.lowering.rewriting import why


@dataclass(frozen=True)
class _Parts:
    """The operands of a batch norm; what is missing is None."""

    x: SSAValue
    product: OnnxOp
    variance: SSAValue
    epsilon: float
    mean: SSAValue
    scale: SSAValue | None
    offset: SSAValue | None


def recompose_batch_norms(block: Block, constants: Constants) -> None:
    """Re-composes the batch norms of a block.

    Refused where a parameter is not constant or is no vector along one dimension of x, the first or the
    last behind the batch; and where somebody else reads x * m.
    """
    for op in list(block.ops):
        if isinstance(op, OnnxOp) and op.op_type == "Add" and not op.domain:
            _recompose(op, constants, block)


def _recompose(op: OnnxOp, constants: Constants, block: Block) -> None:
    parts = _match(op, constants)
    if parts is None:
        return
    shape = shape_of(parts.x)
    if shape is None or len(shape) < 2:
        why(op, "a batch norm of a value of unknown rank, or of a vector")
        return
    rank = len(shape)
    found = [p for p in (parts.variance, parts.mean, parts.scale, parts.offset) if p is not None]
    sources = [constants.source(p) for p in found]
    if any(s is None for s in sources):
        why(op, "a batch norm whose parameters are not constant")
        return
    axis = _channel(found, rank)
    if axis is None:
        why(op, "a batch norm whose parameters do not lie along the channels")
        return
    channels = prod(static_of(parts.variance) or ())
    if shape[axis] >= 0 and shape[axis] != channels:
        why(op, f"a batch norm of {channels} parameters on {shape[axis]} channels")
        return
    location = name_location(
        [*location_names(parts.product.location), *location_names(op.location)]
    )
    name = op.value_name(0)
    new: list[Operation] = []

    def vector(value: SSAValue | None, what: str, default: float) -> SSAValue:
        source = None if value is None else constants.source(value)
        label = f"{name}/{what}"
        if source is not None:
            given = static_of(source.results[0]) or ()
            made = constants.rearrange(source, range(len(given)), [channels], label, location)
        else:
            dtype = constants.dtype(parts.variance)
            made = constants.new(label, np.full([channels], default, dtype), location)
        new.append(made)
        return made.results[0]

    parameters = [
        vector(parts.scale, "scale", 1.0),
        vector(parts.offset, "offset", 0.0),
        vector(parts.mean, "mean", 0.0),
        vector(parts.variance, "variance", 1.0),
    ]
    element = element_type(op.results[0].type)
    last = axis == rank - 1 and rank > 2
    inward = [0, rank - 1, *range(1, rank - 1)]
    outward = [0, *range(2, rank), 1]
    x = parts.x
    if last:
        new.append(
            make_node(
                "Transpose",
                [x],
                [f"{name}/x_nchw"],
                attributes={"perm": inward},
                result_types=[tensor(element, permuted(shape, inward))],
                node_name=f"{op.node_name.data}/x_nchw",
                location=location,
            )
        )
        x = new[-1].results[0]
    own = op.node_name.data
    norm = make_node(
        "BatchNormalization",
        [x, *parameters],
        [f"{name}/nchw" if last else name],
        attributes={"epsilon": parts.epsilon},
        result_types=[x.type],
        node_name=f"{own}/nchw" if last else own,
        location=location,
    )
    new.append(norm)
    if last:
        new.append(
            make_node(
                "Transpose",
                [norm.results[0]],
                [name],
                attributes={"perm": outward},
                result_types=[op.results[0].type],
                node_name=own,
                location=location,
            )
        )
    block.insert_ops_before(new, op)
    op.results[0].replace_all_uses_with(new[-1].results[0])
    Rewriter.erase_op(op)
    Rewriter.erase_op(parts.product)


def _channel(parameters: Iterable[SSAValue], rank: int) -> int | None:
    """The dimension of x along which all parameters lie: 1 or the last; None where there is none."""
    axes: set[int] = set()
    sizes: set[int] = set()
    for value in parameters:
        shape = static_of(value)
        if shape is None or not shape or len(shape) > rank:
            return None
        long = [i for i, d in enumerate(shape) if d != 1]
        if len(long) > 1:
            return None
        place = long[0] if long else len(shape) - 1
        axes.add(place + rank - len(shape))
        sizes.add(prod(shape))
    if len(axes) != 1 or len(sizes) != 1:
        return None
    axis = axes.pop()
    return axis if axis in (1, rank - 1) else None


def _match(op: OnnxOp, constants: Constants) -> _Parts | None:
    """The parts of add(mul(x, m), shift); the operands of all sums and products in any order."""
    for product, shift in _orders(op):
        if not _is(product, "Mul") or not product.has_one_use():
            continue
        product_op = _maker(product)
        for x, factor in _orders(product_op):
            rest = _match_factor(factor, constants)
            if rest is None:
                continue
            shifted = _match_shift(shift, factor)
            if shifted is None:
                continue
            variance, epsilon, scale = rest
            mean, offset = shifted
            return _Parts(x, product_op, variance, epsilon, mean, scale, offset)
    return None


def _match_factor(
    factor: SSAValue, constants: Constants
) -> tuple[SSAValue, float, SSAValue | None] | None:
    """(variance, epsilon, scale) of mul(reciprocal(sqrt(add(variance, epsilon))), scale)"""
    candidates: list[tuple[SSAValue, SSAValue | None]] = [(factor, None)]
    if _is(factor, "Mul"):
        candidates = [*_orders(_maker(factor))]
    for inverse, scale in candidates:
        if not _is(inverse, "Reciprocal") or not _is(_maker(inverse).operands[0], "Sqrt"):
            continue
        total = _maker(_maker(inverse).operands[0]).operands[0]
        if not _is(total, "Add"):
            continue
        for variance, epsilon in _orders(_maker(total)):
            array = constants.array(epsilon)
            if array is not None and array.size == 1 and static_of(variance) != ():
                return variance, float(array.reshape(-1)[0]), scale
    return None


def _match_shift(shift: SSAValue, factor: SSAValue) -> tuple[SSAValue, SSAValue | None] | None:
    """(mean, offset) of sub(offset, mul(mean, factor)), or of mul(neg(mean), factor)"""
    if _is(shift, "Sub"):
        offset, product = _maker(shift).operands
        mean = _other(product, factor)
        return None if mean is None else (mean, offset)
    if _is(shift, "Neg"):
        mean = _other(_maker(shift).operands[0], factor)
        return None if mean is None else (mean, None)
    mean = _other(shift, factor)
    if mean is not None and _is(mean, "Neg"):
        return _maker(mean).operands[0], None
    return None


def _other(product: SSAValue, factor: SSAValue) -> SSAValue | None:
    """What is multiplied with `factor`; None where that is not what `product` is."""
    if not _is(product, "Mul"):
        return None
    a, b = _maker(product).operands
    return b if a is factor else a if b is factor else None


def _orders(op: OnnxOp) -> list[tuple[SSAValue, SSAValue]]:
    a, b = op.operands
    return [(a, b), (b, a)]


def _is(value: SSAValue, kind: str) -> bool:
    owner = value.owner
    return (
        isinstance(owner, OnnxOp)
        and owner.op_type == kind
        and not owner.domain
        and not isinstance(owner, InitializerOp)
    )


def _maker(value: SSAValue) -> OnnxOp:
    owner = value.owner
    assert isinstance(owner, OnnxOp)
    return owner
