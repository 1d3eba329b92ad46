"""Batch norms that a framework wrote as arithmetic, as BatchNormalization again.

    add(mul(x, m), sub(offset, mul(mean, m)))  where m = mul(reciprocal(sqrt(add(variance, eps))), scale)
    -> batch_normalization(x, scale, offset, mean, variance, eps)

Keras 3 writes these. The scale may be missing, and the offset too (`mul(neg(mean), m)` is added then).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.units import counted
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import AddOp, InitializerOp, OnnxOp
from autosplit.dialects.platform import element_type, location_names, name_location
from autosplit.lowering.convert_tf_to_onnx.builder import make_transpose
from autosplit.lowering.convert_tf_to_onnx.constants import KnownValues
from autosplit.lowering.convert_tf_to_onnx.types import Shape, permuted, shape_of, static_of, tensor
from autosplit.lowering.rewriting import Pattern, why


@dataclass(frozen=True)
class _Parts:
    """The operands of a batch norm; None for those that are missing."""

    x: SSAValue
    product: OnnxOp
    variance: SSAValue
    epsilon: float
    mean: SSAValue
    scale: SSAValue | None
    offset: SSAValue | None

    @property
    def parameters(self) -> list[SSAValue]:
        """The parameters that are present."""
        values = (self.variance, self.mean, self.scale, self.offset)
        return [p for p in values if p is not None]


class RecomposeBatchNorm(Pattern[AddOp]):
    """The arithmetic above -> batch_normalization, between transposes where channels are last.

    Refused if a parameter is not constant or is not a vector along one dimension of x, the first or the
    last behind the batch; or if x * m has other readers.
    """

    def __init__(self, constants: KnownValues):
        self.constants = constants

    def rewrite(self, op: AddOp, rewriter: PatternRewriter, /) -> None:
        parts = _match(op, self.constants)
        if parts is None:
            return
        shape = shape_of(parts.x)
        if shape is None or len(shape) < 2:
            return why(op, "a batch norm of a value of unknown rank, or of a vector")
        if any(self.constants.source(p) is None for p in parts.parameters):
            return why(op, "a batch norm whose parameters are not constant")
        axis = _channel(parts.parameters, len(shape))
        if axis is None:
            return why(op, "a batch norm whose parameters do not lie along the channels")
        channels = prod(static_of(parts.variance) or ())
        if shape[axis] >= 0 and shape[axis] != channels:
            text = f"a batch norm of {counted(channels, 'parameter')} on {counted(shape[axis], 'channel')}"
            return why(op, text)
        new = self._build(op, parts, shape, channels, last=axis == len(shape) - 1 > 1)
        rewriter.insert(new)
        rewriter.replace_all_uses_with(op.results[0], new[-1].results[0])
        rewriter.erase(op)
        return rewriter.erase(parts.product)

    def _build(
        self, op: AddOp, parts: _Parts, shape: Shape, channels: int, *, last: bool
    ) -> list[Operation]:
        """The batch norm, between transposes where the channels are `last`."""
        rank, name, node = len(shape), op.value_name(0), op.node_name.data
        location = name_location(
            [*location_names(parts.product.location), *location_names(op.location)]
        )
        dtype = self.constants.dtype(parts.variance)

        def vector(value: SSAValue | None, what: str) -> InitializerOp:
            label = f"{name}/{what}"
            source = None if value is None else self.constants.source(value)
            if source is None:
                # A missing scale is 1, a missing offset 0.
                array = np.full([channels], what == "scale", dtype)
                return self.constants.new(label, array, location)
            axes = range(len(static_of(source.results[0]) or ()))
            return self.constants.rearrange(source, axes, [channels], label, location)

        new: list[Operation] = [
            vector(parts.scale, "scale"),
            vector(parts.offset, "offset"),
            vector(parts.mean, "mean"),
            vector(parts.variance, "variance"),
        ]
        parameters = [op.results[0] for op in new]
        x = parts.x
        if last:
            inward = [0, rank - 1, *range(1, rank - 1)]
            type = tensor(element_type(op.results[0].type), permuted(shape, inward))
            new += [make_transpose(x, inward, f"{name}/x_nchw", type, f"{node}/x_nchw", location)]
            x = new[-1].results[0]
        end = "/nchw" if last else ""
        norm = make_node(
            "BatchNormalization",
            [x, *parameters],
            [f"{name}{end}"],
            attributes={"epsilon": parts.epsilon},
            result_types=[x.type],
            node_name=f"{node}{end}",
            location=location,
        )
        new.append(norm)
        if last:
            outward = [0, *range(2, rank), 1]
            y, type = norm.results[0], op.results[0].type
            new += [make_transpose(y, outward, name, type, node, location)]
        return new


def _channel(parameters: Iterable[SSAValue], rank: int) -> int | None:
    """The dimension of x along which all parameters lie: 1 or the last; None if there is none."""
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


def _match(op: OnnxOp, constants: KnownValues) -> _Parts | None:
    """The parts of add(mul(x, m), shift); the operands of all sums and products in any order."""
    for product, shift in _orders(op):
        if not _is(product, "Mul") or not product.has_one_use():
            continue
        product_op = _producer(product)
        for x, factor in _orders(product_op):
            parts = _match_factor(factor, constants)
            if parts is None:
                continue
            shifted = _match_shift(shift, factor)
            if shifted is None:
                continue
            variance, epsilon, scale = parts
            mean, offset = shifted
            return _Parts(x, product_op, variance, epsilon, mean, scale, offset)
    return None


def _match_factor(
    factor: SSAValue, constants: KnownValues
) -> tuple[SSAValue, float, SSAValue | None] | None:
    """(variance, epsilon, scale) of mul(reciprocal(sqrt(add(variance, epsilon))), scale)"""
    candidates: list[tuple[SSAValue, SSAValue | None]] = [(factor, None)]
    if _is(factor, "Mul"):
        candidates = [*_orders(_producer(factor))]
    for inverse, scale in candidates:
        if not _is(inverse, "Reciprocal") or not _is(_producer(inverse).operands[0], "Sqrt"):
            continue
        total = _producer(_producer(inverse).operands[0]).operands[0]
        if not _is(total, "Add"):
            continue
        for variance, epsilon in _orders(_producer(total)):
            array = constants.array(epsilon)
            if array is not None and array.size == 1 and static_of(variance) != ():
                return variance, float(array.reshape(-1)[0]), scale
    return None


def _match_shift(shift: SSAValue, factor: SSAValue) -> tuple[SSAValue, SSAValue | None] | None:
    """(mean, offset) of sub(offset, mul(mean, factor)), or of mul(neg(mean), factor)"""
    if _is(shift, "Sub"):
        offset, product = _producer(shift).operands
        mean = _other(product, factor)
        return None if mean is None else (mean, offset)
    if _is(shift, "Neg"):
        mean = _other(_producer(shift).operands[0], factor)
        return None if mean is None else (mean, None)
    mean = _other(shift, factor)
    if mean is not None and _is(mean, "Neg"):
        return _producer(mean).operands[0], None
    return None


def _other(product: SSAValue, factor: SSAValue) -> SSAValue | None:
    """What is multiplied with `factor`; None if that is not what `product` is."""
    if not _is(product, "Mul"):
        return None
    a, b = _producer(product).operands
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


def _producer(value: SSAValue) -> OnnxOp:
    owner = value.owner
    assert isinstance(owner, OnnxOp)
    return owner
