"""quant-join-scales: tensors that are joined or cut have one scale, so that only integers move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from autosplit.core.versions import DEFAULT_ROUNDING, Rounding
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.onnx.ops import (
    ConcatOp,
    DepthToSpaceOp,
    FlattenOp,
    MaxPoolOp,
    ReshapeOp,
    ResizeOp,
    SliceOp,
    SpaceToDepthOp,
    SplitOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)
from autosplit.dialects.platform import set_type
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    UniformType,
    storage_limits,
    uniform_of,
    with_element,
)
from autosplit.lowering.quant.chains.ranges import is_written
from autosplit.lowering.quant.drop_casts import add_quanta
from autosplit.lowering.quant.names import Names
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.rewriting import Pattern, apply_patterns, located, set_operand, why

Mover = (
    ConcatOp
    | DepthToSpaceOp
    | FlattenOp
    | MaxPoolOp
    | ReshapeOp
    | ResizeOp
    | SliceOp
    | SpaceToDepthOp
    | SplitOp
    | SqueezeOp
    | TransposeOp
    | UnsqueezeOp
)
"""Ops whose results are numbers of their operands; Resize only with nearest mode."""

WITHIN = ("Clip", "HardSigmoid", "Sigmoid", "Tanh")
"""Activations whose results have two ends: none was left out behind them."""

NOT_BELOW_0 = ("Relu",)
"""Others, whose results a range that begins at 0 does not cut off."""

CUT = 0.25
"""By what share of a range numbers that are moved to it may exceed it: more is an activation's doing."""

COARSER = 3.0
"""How many times as large the step of a tensor used in computations may become.
On real networks no limit at all was as close to the float32 model."""


@dataclass
class _Group:
    """Quantized tensors with a common type, and their original types."""

    members: dict[QuantizeCastOp, UniformType] = field(
        default_factory=dict[QuantizeCastOp, UniformType]
    )


class JoinScales(Pattern[Mover]):
    """`q2(concat(dq0(q0(a)), dq1(q1(b)))) -> q(concat(dq(q(a)), dq(q(b))))`, and so for other moving ops.

    The common range holds all of theirs. Refused if a tensor that something computes with would become
    more than three times as coarse, and if the integers of a tensor are read as such.
    """

    def __init__(self, module: ModuleOp) -> None:
        self.names = Names(module)
        self.groups: dict[QuantizeCastOp, _Group] = {}
        self.quanta = 0.0

    def rewrite(self, op: Mover, rewriter: PatternRewriter, /) -> None:
        if not moves_only(op):
            return
        neighbours = [*map(_quantize_before, moved(op)), *map(_quantize_after, _results(op))]
        casts = [c for c in neighbours if c is not None]
        if not casts or len(casts) != len(neighbours):
            why(op, "not all that it reads and gives is quantized here, to bytes of one scale each")
            return
        members: dict[QuantizeCastOp, UniformType] = {}
        for cast in dict.fromkeys(casts):
            members |= self._group(cast).members
        types = [_type(c) for c in members]
        if all(t == types[0] for t in types):
            self._join(members)
            return
        common = _common(types)
        if common is None:
            why(op, "the tensors are stored as different types")
            return
        for cast, was in members.items():
            ratio = float(common.scales[0]) / float(was.scales[0])
            if ratio > COARSER and _is_computed_with(cast):
                why(op, f"{cast.value_name(0)!r} would become {ratio:.1f} times as coarse")
                return
            if _type(cast) != common and self._cuts_moved(cast) and not _read_alone(cast):
                why(op, f"{cast.value_name(0)!r} cuts off numbers that others read too")
                return
        self._join(members)
        for cast in members:
            if _type(cast) != common:
                self._keep_relu(cast, rewriter)
                _retype(cast, common, rewriter)

    def _group(self, cast: QuantizeCastOp) -> _Group:
        return self.groups.setdefault(cast, _Group({cast: _type(cast)}))

    def _keep_relu(self, cast: QuantizeCastOp, rewriter: PatternRewriter) -> None:
        """Inserts a clip where a quantizer may have left out a ReLU or Clip, whose ends the range has.

        What is only moved is clipped in front of the move, where the clip can be part of a product.
        """
        limits = _type(cast).bounds[0]
        if self._cuts_moved(cast):
            cast = _read_alone(cast) or cast
        elif _is_within(cast):
            return
        name = self.names.fresh(f"{cast.value_name(0) or 'joined'}__clipped")
        bounds = [
            make_constant(self.names.fresh(f"{name}__{role}"), np.array(bound, np.float32), None)
            for role, bound in zip(("min", "max"), limits, strict=True)
        ]
        clip = make_node(
            "Clip",
            [cast.input, *(b.results[0] for b in bounds)],
            [name],
            attributes={},
            result_types=[cast.input.type],
            node_name=name,
        )
        rewriter.insert([*bounds, located(clip, cast)], InsertPoint.before(cast))
        set_operand(rewriter, cast, 0, clip.results[0])

    def _cuts_moved(self, cast: QuantizeCastOp) -> bool:
        """Whether numbers outside of a range are moved to it, where a ReLU or Clip may have been omitted."""
        op, uniform = cast.input.owner, _type(cast)
        if not (isinstance(op, OnnxOp) and isinstance(op, Mover)):
            return False
        types = [self._type_before(value) for value in moved(op)]
        # Of what is joined, and of maxima, other numbers are measured than of what is read.
        share = math.inf if isinstance(op, ConcatOp | MaxPoolOp) else CUT
        return any(t is None or _cuts(uniform, t, share) for t in types)

    def _type_before(self, value: SSAValue) -> UniformType | None:
        """The type that a tensor that is moved was quantized to by the model."""
        real = value.owner
        if not isinstance(real, DequantizeCastOp):
            return None
        cast = real.input.owner
        if isinstance(cast, QuantizeCastOp) and cast in self.groups:
            return self.groups[cast].members[cast]
        return uniform_of(real.input.type)

    def _join(self, members: dict[QuantizeCastOp, UniformType]) -> None:
        group = _Group(members)
        for cast in members:
            self.groups[cast] = group

    def coarser(self) -> float:
        """By how many of their own steps all tensors together are rounded further than before."""
        ratios = (
            float(_type(cast).scales[0]) / float(self.groups[cast].members[cast].scales[0])
            for cast in self.groups
            if _is_computed_with(cast)
        )
        return sum(max(ratio - 1, 0) / 2 for ratio in ratios)


def moves_only(op: OnnxOp) -> bool:
    if op.op_type == "Resize":
        return attribute(op, "mode", "nearest") == "nearest"
    return True


def moved(op: OnnxOp) -> Sequence[SSAValue]:
    """The operands that an op moves: all of Concat, the first one of others."""
    return op.operands if op.op_type == "Concat" else op.operands[:1]


def _results(op: OnnxOp) -> Sequence[SSAValue]:
    """The results that are used, but for those that products alone read, which take any scale."""
    return [r for r in op.results if any(kind_of(u.operation) not in PRODUCTS for u in r.uses)]


def _type(cast: QuantizeCastOp) -> UniformType:
    uniform = uniform_of(cast.output.type)
    assert uniform is not None
    return uniform


def _is_within(cast: QuantizeCastOp) -> bool:
    """Whether no activation can have been left out in front of a quantize, as far as its op and range say."""
    op, uniform = cast.input.owner, _type(cast)
    if isinstance(op, OnnxOp) and (isinstance(op, Mover) or op.op_type in WITHIN):
        return True
    if is_written(uniform):
        return False
    return uniform.bounds[0][0] != 0 or (isinstance(op, OnnxOp) and op.op_type in NOT_BELOW_0)


def _cuts(uniform: UniformType, other: UniformType, share: float) -> bool:
    """Whether a range leaves out so much of another that an activation may have come in between.

    `share` of its width is too much in any case, and more than a step where it ends as an activation does.
    """
    (low, high), (begin, end) = uniform.bounds[0], other.bounds[0]
    most = share * (high - low)
    above = below = float(uniform.scales[0]) if is_written(uniform) else most
    if low == 0:
        below = float(uniform.scales[0])
    return low - begin > below or end - high > above


def _read_alone(cast: QuantizeCastOp) -> QuantizeCastOp | None:
    """The quantize of the one tensor that is moved to a quantize, if nothing else reads that tensor."""
    op = cast.input.owner
    if not isinstance(op, OnnxOp) or len(moved(op)) != 1 or len(op.results) != 1:
        return None
    before = _quantize_before(moved(op)[0])
    values = [] if before is None else [before.output, moved(op)[0], op.results[0]]
    return before if values and all(value.has_one_use() for value in values) else None


def _quantize_before(value: SSAValue) -> QuantizeCastOp | None:
    """The quantize whose integers are dequantized as `value`, if its scale may change."""
    real = value.owner
    if not isinstance(real, DequantizeCastOp):
        return None
    cast = real.input.owner
    return cast if isinstance(cast, QuantizeCastOp) and _is_free(cast) else None


def _quantize_after(value: SSAValue) -> QuantizeCastOp | None:
    """The quantize that is the only user of a value, if its scale may change."""
    if not value.has_one_use():
        return None
    cast = next(iter(value.uses)).operation
    return cast if isinstance(cast, QuantizeCastOp) and _is_free(cast) else None


def _is_free(cast: QuantizeCastOp) -> bool:
    """Whether a quantize produces bytes of one scale that are only dequantized."""
    uniform = _type(cast)
    if uniform.is_per_axis or uniform.storage.width.data != 8:
        return False
    if uniform.storage_range != storage_limits(uniform.storage):
        return False
    return all(isinstance(use.operation, DequantizeCastOp) for use in cast.output.uses)


def _is_computed_with(cast: QuantizeCastOp) -> bool:
    """Whether users other than moving ops read the quantized value."""
    users = [u.operation for d in _dequantizes(cast) for u in d.output.uses]
    return any(not isinstance(r, Mover) or not moves_only(r) or not _is_cast_on(r) for r in users)


def _is_cast_on(op: OnnxOp) -> bool:
    return all(_quantize_after(r) is not None for r in op.results if r.first_use is not None)


def _dequantizes(cast: QuantizeCastOp) -> list[DequantizeCastOp]:
    users: list[Operation] = [use.operation for use in cast.output.uses]
    return [d for d in users if isinstance(d, DequantizeCastOp)]


def _common(types: Sequence[UniformType]) -> UniformType | None:
    """A type whose range contains all of theirs; one of them if possible."""
    storage, expressed = types[0].storage, types[0].expressed
    if any((t.storage, t.expressed) != (storage, expressed) for t in types):
        return None
    low = min(t.bounds[0][0] for t in types)
    high = max(t.bounds[0][1] for t in types)
    for type in types:
        half = float(type.scales[0]) / 2
        if type.bounds[0][0] - half <= low and high <= type.bounds[0][1] + half:
            return type
    low_limit, high_limit = storage_limits(storage)
    scale = (high - low) / (high_limit - low_limit)
    zero = min(max(round(low_limit - low / scale), low_limit), high_limit)
    try:
        return UniformType.of(storage, expressed, [scale], [zero])
    except VerifyException:
        return None


def _retype(cast: QuantizeCastOp, type: UniformType, rewriter: PatternRewriter) -> None:
    set_type(cast.output, with_element(cast.output.type, type))
    for op in (cast, *_dequantizes(cast)):
        # The names belong to the old parameters.
        op.properties.pop("source", None)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class QuantJoinScalesPass(ModulePass):
    """Gives one scale to the tensors that Concat, Slice, Split, pools of maxima and the like join.

    Where those are quantized by different parameters, each moving op stands between a dequantize and a
    quantize, and a library computes real numbers there. With one scale, bytes move. The scale is that of
    the range that holds those of all; what makes a tensor rounds it once, to that scale, and no more where it
    is moved. A range that begins at 0 stays as a clip in front: quantizers leave out a ReLU there.

    Refused if the step of a tensor that something other than a moving op reads would become more than
    three times as large.
    """

    name = "quant-join-scales"

    rounding: Rounding = DEFAULT_ROUNDING
    """`exact` leaves all scales as they are."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rounding == "exact":
            return
        pattern = JoinScales(op)
        apply_patterns(op, [pattern], recursive=False)
        add_quanta(op, pattern.coarser())
