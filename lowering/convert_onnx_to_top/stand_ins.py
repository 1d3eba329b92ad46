"""Other ops in the place of those that a chip does not run where sizes vary.

A convolution is what every chip runs at any size, so it is what most of them become: one of single pixels
scales channels and picks some of them, a transposed one repeats pixels. What is added to a convolution's
result, or multiplied with it, becomes part of its weights. Of rows, a product with a matrix does the same.

Only ops that are refused are replaced. New ops have the names of the nodes that they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.devices import Chip
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import ModuleValues, OnnxPattern, OnnxReplacement
from autosplit.lowering.convert_onnx_to_top.check import check, top_level_ops
from autosplit.lowering.convert_onnx_to_top.families.resize import repeats
from autosplit.lowering.convert_onnx_to_top.parts.query import MOST_WEIGHTS, Query
from autosplit.lowering.convert_onnx_to_top.parts.shapes import cuts
from autosplit.lowering.convert_onnx_to_top.varying import clip_bound
from autosplit.lowering.normalize_onnx.batch_norm import F64, Affine, batch_norm_affine, fold_affine
from autosplit.lowering.rewriting import apply_to, why
from autosplit.lowering.shared.blocks import outer_blocks, protected_names
from autosplit.lowering.shared.fold import AnyArray
from autosplit.lowering.sizes.data_dependent import data_dependent

REASONS = ("dynamic-shape", "operand-value")
"""The codes of refusals for which there can be a stand-in; others hold for fixed sizes too."""

StandIn = Callable[["_Replacement", Query], bool]
"""Replaces the op of a query; False if it cannot."""


def put_stand_ins(module: ModuleOp, chip: Chip, mode: str = "F32") -> None:
    """Replaces, in place, what `chip` refuses of a module in canonical ONNX in sub-models whose sizes vary.

    What has no stand-in stays. Sizes must still be open: what is refused depends on them.
    """
    state = _State(module, chip, mode)
    patterns = [PutStandIn(op_type, rule, state) for op_type, rule in STAND_INS.items()]
    apply_to(top_level_ops(module), patterns)


class _State:
    """State of a module that the patterns share, and queries about its ops."""

    def __init__(self, module: ModuleOp, chip: Chip, mode: str):
        self.values = ModuleValues(module)
        self.chip = chip
        self.mode = mode
        self.uncertain = data_dependent(module)
        blocks = outer_blocks(module)
        self.kept = frozenset[str]().union(*(protected_names(block) for block in blocks))

    def is_refused(self, op: OnnxOp) -> bool:
        """Whether the chip refuses an op for a reason for which there can be a stand-in."""
        constants = self.values.constants
        reason = check(op, self.chip, constants, True, self.uncertain, self.mode)
        return reason is not None and reason.code.data in REASONS


class PutStandIn(OnnxPattern[OnnxOp]):
    """An op of one type that is refused as sizes vary `->` its stand-in."""

    def __init__(self, op_type: str, rule: StandIn, state: _State):
        super().__init__(state.values)
        self.op_type = op_type
        self.rule = rule
        self.state = state

    @property
    def label(self) -> str:
        return f"PutStandIn({self.op_type})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and op.op_type == self.op_type

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        state = self.state
        if op.domain != "":
            return
        if not state.is_refused(op):
            why(op, "it is not refused for its sizes")
            return
        replacement = _Replacement(self.values, op, rewriter, kept=state.kept)
        if not self.rule(
            replacement, Query(op, state.chip, self.values.constants, True, state.mode)
        ):
            why(op, "its stand-in does not fit it")


@dataclass(frozen=True)
class _Replacement(OnnxReplacement):
    """What stand-ins are made with."""

    kept: frozenset[str] = frozenset()
    """The names of values that are read from outside."""

    def conv(self, x: SSAValue, weights: AnyArray, bias: AnyArray | None = None) -> None:
        """Replaces the op, of one result, by a Conv of single pixels."""
        inputs = [x, self.constant("weights", weights.astype(np.float32)[:, :, None, None])]
        if bias is not None:
            inputs.append(self.constant("bias", bias.astype(np.float32)))
        groups = (shape_of(x.type) or (0, 0))[1] // weights.shape[1]
        drop, add = tuple(self.op.fields), {"group": groups}
        _clean(self.replace(inputs, op_type="Conv", drop=drop, add=add, results=1))


def _clean(op: OnnxOp) -> None:
    op.attributes.pop("device.refused", None)


def _channels(value: SSAValue) -> int | None:
    """The number of channels of pictures; None for what is not an f32 picture, or has open channels."""
    shape = shape_of(value.type)
    if shape is None or len(shape) != 4 or shape[1] < 1 or str(element_type(value.type)) != "f32":
        return None
    return shape[1]


def _scaled(r: _Replacement, q: Query) -> bool:
    """A number for each channel, multiplied or added: part of the convolution in front, or one of its own."""
    pair = _affine(r.values, q)
    if pair is None:
        return _row(r, q)
    x, affine = pair
    name = None if not isinstance(x.owner, OnnxOp) else x.owner.value_name(0)
    if name not in r.kept and fold_affine(r.values, q.op, x, affine, r.builder) is None:
        return True
    channels = _channels(x)
    if channels is None or channels != affine.factor.size:
        return False
    r.conv(x, affine.factor[:, None], affine.shift)
    return True


def _affine(values: ModuleValues, q: Query) -> tuple[SSAValue, Affine] | None:
    """What an op does to each channel of pictures, with those."""
    op = q.op
    if op.op_type == "BatchNormalization":
        affine = batch_norm_affine(values.array, op)
        return None if affine is None else (op.operands[0], affine)
    if len(op.operands) != 2 or q.is_constant(0) == q.is_constant(1):
        return None
    constant_index = 0 if q.is_constant(0) else 1
    array, x = q.array(constant_index), op.operands[1 - constant_index]
    channels = _channels(x)
    if array is None or channels is None or shape_of(op.results[0].type) != shape_of(x.type):
        return None
    if array.ndim > 4 or (1,) * (4 - array.ndim) + array.shape not in (
        (1, channels, 1, 1),
        (1, 1, 1, 1),
    ):
        return None
    if op.op_type == "Div" and (constant_index == 0 or not array.all()):
        return None
    numbers = np.broadcast_to(array.reshape(-1).astype(np.float64), (channels,))
    affine = _of_binary(op.op_type, numbers)
    good = np.isfinite(affine.factor).all() and np.isfinite(affine.shift).all()
    return (x, affine) if good else None


def _of_binary(kind: str, numbers: F64) -> Affine:
    if kind in ("Add", "Sum"):
        return Affine(np.ones_like(numbers), numbers)
    return Affine(1 / numbers if kind == "Div" else numbers, np.zeros_like(numbers))


def _row(r: _Replacement, q: Query) -> bool:
    """A number for each place of the last axis: a product with a diagonal matrix, or the bias of one."""
    op, kind = q.op, q.op.op_type
    if len(op.operands) != 2 or q.is_constant(0) == q.is_constant(1):
        return False
    place = 0 if q.is_constant(0) else 1
    array, x = q.array(place), op.operands[1 - place]
    shape = shape_of(x.type)
    if array is None or shape is None or shape != shape_of(op.results[0].type):
        return False
    row = array.reshape(-1).astype(np.float64)
    if not shape or row.size != shape[-1] or row.size**2 > MOST_WEIGHTS:
        return False
    if kind == "Div" and (place == 0 or not row.all()):
        return False
    if kind in ("Div", "Mul"):
        matrix = _diagonal(r, row if kind == "Mul" else 1 / row)
        _clean(r.replace([x, matrix], op_type="MatMul"))
        return True
    exchanged = kind == "Sub" and place == 0
    matrix = _diagonal(r, np.full(row.size, -1.0 if exchanged else 1.0))
    product = r.node("same", "MatMul", [x, matrix], type=op.results[0].type)
    sign = -1 if kind == "Sub" and not exchanged else 1
    bias = r.constant("bias", (sign * row).astype(np.float32))
    _clean(r.replace([product, bias], op_type="Add"))
    return True


def _diagonal(r: _Replacement, row: F64) -> SSAValue:
    return r.constant("diagonal", np.diag(row).astype(np.float32))


def _norm(r: _Replacement, q: Query) -> bool:
    """A LayerNormalization of rows, written out. In INT8 that was measured to end the emulator."""
    op = q.op
    if q.mode == "INT8":
        return False
    x, scale, bias = op.operands[0], q.array(1), q.array(2)
    shape = shape_of(x.type) or ()
    others = [i for i in range(1, len(op.results)) if op.value_name(i)]
    if q.integer("axis", -1) % max(len(shape), 1) != len(shape) - 1 or others:
        return False
    if (
        scale is None
        or not shape
        or scale.size not in (1, shape[-1])
        or shape[-1] ** 2 > MOST_WEIGHTS
    ):
        return False
    last, kind = r.ints("last", [-1]), element_type(x.type)
    assert kind is not None
    whole, single = x.type, TensorType(kind, (*shape[:-1], 1))

    def step(role: str, op_type: str, *inputs: SSAValue) -> SSAValue:
        result_type = single if role in ("mean", "variance", "sum", "root") else whole
        return r.node(role, op_type, inputs, type=result_type)

    away = step("away", "Sub", x, step("mean", "ReduceMean", x, last))
    variance = step("variance", "ReduceMean", step("square", "Mul", away, away), last)
    epsilon = r.constant("epsilon", np.array(attribute(op, "epsilon", 1e-5), np.float32))
    root = step("root", "Sqrt", step("sum", "Add", variance, epsilon))
    normal = step("normal", "Div", away, root)
    matrix = _diagonal(r, np.broadcast_to(scale.reshape(-1), shape[-1:]).astype(np.float64))
    scaled = step("scaled", "MatMul", normal, matrix)
    row = np.zeros(1) if bias is None else bias
    row = np.broadcast_to(row.reshape(-1), shape[-1:]).astype(np.float32)
    drop = tuple(op.fields)
    new = r.replace([scaled, r.constant("bias", row)], op_type="Add", drop=drop, results=1)
    _clean(new)
    return True


def _viewed(r: _Replacement, q: Query) -> bool:
    """A Squeeze or Unsqueeze: a Reshape that says which sizes stay, and one of the others at most."""
    op = q.op
    before, after = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    sizes = (
        None if before is None or after is None else _wanted(before, after, op.op_type, q.ints(1))
    )
    if sizes is None:
        return False
    shape = r.ints("sizes", sizes)
    drop = tuple(op.fields)
    _clean(r.replace([op.operands[0], shape], op_type="Reshape", drop=drop))
    return True


def _wanted(
    before: Sequence[int], after: Sequence[int], kind: str, axes: Sequence[int] | None
) -> list[int] | None:
    """What a Reshape to the sizes `after` is told: 0 for what stays, -1 for one more that is open."""
    if axes is None:
        return None
    rank = max(len(before), len(after))
    moved = {axis % rank for axis in axes}
    kept = [i for i in range(rank) if i not in moved]
    # Where each size comes from: the dimensions that are no 1 stay in order.
    sources = kept if kind != "Unsqueeze" else list(range(len(before)))
    places = kept if kind == "Unsqueeze" else list(range(len(after)))
    origin = dict(zip(places, sources, strict=True))
    opened = [0 if origin.get(i) == i else -1 for i in range(len(after))]
    sizes = [opened[i] if size < 0 else size for i, size in enumerate(after)]
    if sizes.count(-1) > 1:
        return None
    if 0 in sizes and -1 not in sizes:
        sizes[len(sizes) - 1 - sizes[::-1].index(0)] = -1
    return sizes


def _kept(r: _Replacement, q: Query) -> bool:
    """A reduction that keeps its axes, and a Reshape without them."""
    op = q.op
    before, after = shape_of(op.operands[0].type), shape_of(op.results[0].type)
    kind = element_type(op.operands[0].type)
    axes = q.ints(1) if len(op.operands) > 1 else None
    if q.integer("keepdims", 1) or before is None or after is None or not axes or kind is None:
        return False
    sizes = _wanted(before, after, "Squeeze", axes)
    if sizes is None:
        return False
    whole = {axis % len(before) for axis in axes}
    reduced = TensorType(kind, [1 if i in whole else size for i, size in enumerate(before)])
    fields = {name: value for name, value in op.fields.items() if name != "keepdims"}
    reduction = r.node("kept", op.op_type, op.operands, fields | {"keepdims": 1}, reduced)
    shape = r.ints("sizes", sizes)
    _clean(r.replace([reduction, shape], op_type="Reshape", drop=tuple(op.fields)))
    return True


def _relu(r: _Replacement, q: Query) -> bool:
    """A LeakyRelu that leaves nothing of what is negative."""
    drop, add = tuple(q.op.fields), {"alpha": 0.0}
    _clean(r.replace(q.op.operands[:1], op_type="LeakyRelu", drop=drop, add=add))
    return True


def _clip(r: _Replacement, q: Query) -> bool:
    """As for Relu, where nothing is an upper bound."""
    if clip_bound(q, 1, -inf) != 0 or clip_bound(q, 2, inf) < inf:
        return False
    return _relu(r, q)


def _repeated(r: _Replacement, q: Query) -> bool:
    """A transposed convolution whose windows, full of ones, do not overlap."""
    channels, scales = _channels(q.op.operands[0]), q.array(2)
    if channels is None or scales is None or not repeats(q, 1):
        return False
    kernel = [int(s) for s in scales[2:]]
    most = q.chip.limit("deconv-kernel")
    if most is not None and max(kernel) > most:
        return False
    ones = r.constant("ones", np.ones((channels, 1, *kernel), np.float32))
    add = {"group": channels, "strides": kernel}
    inputs, drop = [q.op.operands[0], ones], tuple(q.op.fields)
    _clean(r.replace(inputs, op_type="ConvTranspose", drop=drop, add=add))
    return True


def _picked(r: _Replacement, q: Query) -> bool:
    """Some of the channels: a convolution with ones and zeros."""
    channels = _channels(q.op.operands[0])
    places = None if channels is None else _places(q, channels)
    if channels is None or not places or channels * len(places) > MOST_WEIGHTS:
        return False
    r.conv(q.op.operands[0], np.eye(channels)[places])
    return True


def _places(q: Query, channels: int) -> list[int] | None:
    """The channels that a Slice or Gather of pictures takes; None if it is not along channels alone."""
    if q.op.op_type == "Gather":
        indices = q.array(1)
        if indices is None or indices.ndim != 1 or q.integer("axis", 0) % 4 != 1:
            return None
        return [int(i) % channels for i in indices]
    axes = q.ints(3) or []
    if [axis % 4 for axis in axes] != [1]:
        return None
    (cut,) = cuts((1, channels, 1, 1), q.ints(1), q.ints(2), axes, q.ints(4))
    return [cut.start + i * cut.step for i in range(cut.count)]


def _parted(r: _Replacement, q: Query) -> bool:
    """A Split along channels: a convolution for each part."""
    op = q.op
    channels = _channels(op.operands[0])
    if channels is None or q.integer("axis", 0) % 4 != 1 or channels**2 > MOST_WEIGHTS:
        return False
    counts = [(shape_of(result.type) or (0, 0))[1] for result in op.results]
    if min(counts) < 1 or sum(counts) != channels:
        return False
    ends = np.cumsum(counts)
    for index, (result, end) in enumerate(zip(op.results, ends, strict=True)):
        if result.first_use is None and op.value_name(index) not in r.kept:
            continue
        ones = np.eye(channels, dtype=np.float32)[end - counts[index] : end, :, None, None]
        weights = r.constant(f"part{index}", ones)
        name = op.value_name(index) or r.fresh(f"result{index}")
        part = make_node(
            "Conv",
            [op.operands[0], weights],
            [name],
            attributes={"group": 1},
            result_types=[result.type],
            node_name=f"{op.identity}/{index}",
            location=op.location,
        )
        r.builder.replace_all_uses_with(result, r.insert(part))
    r.builder.erase(op)
    return True


STAND_INS: dict[str, StandIn] = {
    "Add": _scaled,
    "BatchNormalization": _scaled,
    "Clip": _clip,
    "Div": _scaled,
    "Gather": _picked,
    "LayerNormalization": _norm,
    "Mul": _scaled,
    "ReduceL1": _kept,
    "ReduceL2": _kept,
    "ReduceMax": _kept,
    "ReduceMean": _kept,
    "ReduceMin": _kept,
    "ReduceSum": _kept,
    "Relu": _relu,
    "Resize": _repeated,
    "Slice": _picked,
    "Split": _parted,
    "Squeeze": _viewed,
    "Sub": _row,
    "Sum": _scaled,
    "Unsqueeze": _viewed,
}
"""By the type of the op that they stand for."""
