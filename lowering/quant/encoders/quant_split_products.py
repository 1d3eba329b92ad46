"""quant-split-products: a product whose results are taken apart becomes one product for each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.ops import (
    ConvOp,
    GemmOp,
    MatMulOp,
    ReshapeOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)
from autosplit.dialects.platform import shape_of
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    update_params,
    with_element,
)
from autosplit.lowering.building import ModuleValues, OnnxPattern, OnnxReplacement
from autosplit.lowering.quant.canonical import UnreadQuantize, UnusedCast
from autosplit.lowering.quant.chains.curves import CURVES
from autosplit.lowering.quant.chains.stages import (
    Pair,
    dequantize_stored,
    number_of,
    only_reader,
    pair_behind,
    read_by,
    real_array,
    stored_constant,
)
from autosplit.lowering.quant.join_scales import Mover, moved, moves_only
from autosplit.lowering.rewriting import apply_patterns, why
from autosplit.lowering.shared.dead import remove_dead_ops
from autosplit.lowering.shared.fold import AnyArray, Constants

Columns = NDArray[np.int64]

VIEWS = (ReshapeOp, TransposeOp, SqueezeOp, UnsqueezeOp)
"""Ops behind which a part has the same numbers in another shape."""


@dataclass(frozen=True)
class ProductPart:
    """Some of a product's results, and how they are laid out."""

    value: SSAValue
    columns: Columns
    """Which results they are."""
    extents: tuple[int, ...] = ()
    """What a reshape makes of them; empty where there is none."""
    perm: tuple[int, ...] = ()
    """The transposition behind it."""

    @property
    def maker(self) -> OnnxOp:
        """The op that takes it, a Gather or a Split."""
        op = self.value.owner
        assert isinstance(op, OnnxOp)
        return op


@dataclass(frozen=True)
class ProductInParts:
    """A product, what follows it, and the parts of its results that are read."""

    product: OnnxOp
    middle: Pair | None
    """The casts in front of the bias."""
    bias: OnnxOp | None
    pair: Pair | None
    """Those behind it."""
    parts: tuple[ProductPart, ...]


class SeparateBias(OnnxPattern[GemmOp]):
    """`gemm(x, w, b) -> x w + b`, where the results are taken apart; a transpose of `w` is computed."""

    def rewrite(self, op: GemmOp, rewriter: PatternRewriter, /) -> None:
        factors = [float(attribute(op, name, 1.0)) for name in ("alpha", "beta")]
        if factors != [1.0, 1.0] or attribute(op, "transA", 0):
            return
        x, weights, *rest = op.operands
        type, constants = op.results[0].type, self.values.constants
        stored = stored_constant(constants, weights)
        if not _is_quantized(x) or stored is None:
            return
        bias = real_array(constants, rest[0]) if rest else None
        if (rest and bias is None) or not taken_apart(op.results[0], constants)[1]:
            return
        e = self.replacement(op, rewriter)
        if attribute(op, "transB", 0):
            turned = self._turned(e, *stored)
            if turned is None:
                return
            weights = turned
        value = e.node("product", "MatMul", [x, weights], type=type)
        if bias is not None:
            value = e.node("sum", "Add", [value, e.constant("bias", bias)], type=type)
        e.replace_value(value)

    def _turned(
        self, e: OnnxReplacement, real: DequantizeCastOp, stored: SSAValue
    ) -> SSAValue | None:
        """The transpose of a weight matrix; None if its numbers are unknown."""
        array, type = self.values.array(stored), uniform_of(real.input.type)
        if array is None or type is None:
            return None
        axis = None if type.axis is None else 1 - type.axis
        turned = type.with_params(type.scales, type.zero_points, axis)
        weights = e.constant("weights", np.ascontiguousarray(array.T))
        cast, made = dequantize_stored(weights, turned, e.op.location)
        e.insert(cast)
        return e.insert(made)


class SplitProduct(OnnxPattern[MatMulOp]):
    """`gather(transpose(reshape(x w + b)), i) -> transpose(reshape(x w_i + b_i))`, and so for Split.

    A number above 0 that a part is multiplied by goes into its weights, or into the scale of the casts
    behind the product. Refused where the product is read as a whole, and for weights that are computed.
    """

    def rewrite(self, op: MatMulOp, rewriter: PatternRewriter, /) -> None:
        stored = stored_constant(self.values.constants, op.operands[1])
        type = None if stored is None else uniform_of(stored[0].input.type)
        if stored is None or type is None or not _is_quantized(op.operands[0]):
            return
        if (taken := self._taken(op)) is None:
            return
        array = self.values.array(stored[1])
        bias = None if taken.bias is None else self._constant(taken.bias)
        if array is None or array.ndim != 2 or type.axis not in (None, 1):
            why(op, "its weights are no matrix with scales by column")
            return
        for part in taken.parts:
            of_part = _of_columns(type, part.columns)
            some = None if bias is None else bias.reshape(-1)[part.columns]
            weights = np.ascontiguousarray(array[:, part.columns])
            self._replace(taken, part, weights, of_part, some, rewriter)

    def _replace(
        self,
        taken: ProductInParts,
        part: ProductPart,
        weights: AnyArray,
        type: UniformType,
        bias: AnyArray | None,
        rewriter: PatternRewriter,
    ) -> None:
        """Puts a product of its own in the place of a part."""
        # What is rounded in front of the bias alone keeps its steps.
        is_free = taken.middle is None or taken.pair is not None
        number = self._take_number(part.value, rewriter) if is_free else 1.0
        if taken.pair is None and number != 1.0:
            type = _times(type, number)
            bias = None if bias is None else (bias * np.float32(number)).astype(np.float32)
        op = part.maker
        e = self.replacement(op, rewriter)
        cast, real = dequantize_stored(e.constant("weights", weights), type, op.location)
        e.insert(cast)
        shape = (*(shape_of(taken.product.results[0].type) or ())[:-1], weights.shape[1])
        whole = TensorType(f32, shape)
        value = e.node("product", "MatMul", [taken.product.operands[0], e.insert(real)], type=whole)
        if taken.middle is not None:
            value = self._cast(e, value, taken.middle.uniform, 1.0)
        if bias is not None:
            value = e.node("sum", "Add", [value, e.constant("bias", bias)], type=whole)
        if taken.pair is not None:
            value = self._cast(e, value, taken.pair.uniform, number)
        if part.extents:
            apart = TensorType(f32, part.extents)
            value = e.node("heads", "Reshape", [value, e.ints("sizes", part.extents)], type=apart)
        if part.perm != tuple(range(len(part.perm))):
            turned = TensorType(f32, [part.extents[i] for i in part.perm])
            value = e.node("turned", "Transpose", [value], {"perm": [*part.perm]}, type=turned)
        rewriter.replace_all_uses_with(part.value, value)

    @staticmethod
    def _cast(e: OnnxReplacement, value: SSAValue, type: UniformType, number: float) -> SSAValue:
        """The casts behind the product, behind one part of it; dequantized, it is multiplied by a number."""
        at = e.op.location
        rounded = e.insert(QuantizeCastOp(value, with_element(value.type, type), location=at))
        if number != 1.0:
            integers = with_element(value.type, type.storage)
            scaled = _times(type, number)
            stored = e.insert(StorageCastOp(rounded, integers, location=at))
            other = with_element(value.type, scaled)
            rounded = e.insert(StorageCastOp(stored, other, location=at))
        return e.insert(DequantizeCastOp(rounded, value.type, location=at))

    def _taken(self, product: OnnxOp) -> ProductInParts | None:
        """How the results of a product are taken apart; None if they are not."""
        value = product.results[0]
        middle = pair_behind(value)
        if middle is not None and len(middle.dequantizes) == 1:
            value = middle.dequantizes[0].output
        bias = read_by(value, "Add")
        if bias is None:
            middle, value = None, product.results[0]
        elif self._constant(bias) is None:
            return None
        else:
            value = bias.results[0]
        pair, parts = taken_apart(value, self.values.constants)
        return ProductInParts(product, middle, bias, pair, parts) if parts else None

    def _constant(self, add: OnnxOp) -> AnyArray | None:
        """The constant side of a sum, if it is one number for each column."""
        arrays = [real_array(self.values.constants, v) for v in add.operands]
        shape = shape_of(add.results[0].type) or (0,)
        known = [a for a in arrays if a is not None and a.shape[-1:] == shape[-1:] == (a.size,)]
        return known[0] if len(known) == 1 else None

    def _take_number(self, value: SSAValue, rewriter: PatternRewriter) -> float:
        """The number above 0 that all of a part is multiplied by, behind views too; 1 where there is none."""
        while (view := only_reader(value)) is not None and isinstance(view, VIEWS):
            value = view.results[0]
        if (scaling := read_by(value, "Mul")) is None:
            return 1.0
        others = [v for v in scaling.operands if v is not value]
        number = number_of(others[0], self.values.constants) if len(others) == 1 else None
        same = shape_of(scaling.results[0].type) == shape_of(value.type)
        if number is None or not number > 0 or not same:
            return 1.0
        rewriter.replace_all_uses_with(scaling.results[0], value)
        return number


class SplitConvolution(OnnxPattern[ConvOp]):
    """`split(conv(x, w, b)) -> conv(x, w_0, b_0), conv(x, w_1, b_1)`, where elementwise ops read each part.

    So each has its activation behind it, and the last one the product of all, as in the gates of a WaveNet.
    """

    def rewrite(self, op: ConvOp, rewriter: PatternRewriter, /) -> None:
        parts = _of_split(op.results[0], 1)
        stored = stored_constant(self.values.constants, op.operands[1])
        if not parts or stored is None or not _is_quantized(op.operands[0]):
            return
        readers = [use.operation for part in parts for use in part.value.uses]
        if not all(
            isinstance(r, OnnxOp) and r.domain == "" and r.op_type in CURVES for r in readers
        ):
            why(op, "something else than an elementwise op reads a part of it")
            return
        type, array = uniform_of(stored[0].input.type), self.values.array(stored[1])
        biases = [real_array(self.values.constants, value) for value in op.operands[2:]]
        known = [one for one in biases if one is not None]
        if type is None or array is None or len(known) < len(biases):
            why(op, "its weights or its bias are unknown")
            return
        if type.axis not in (None, 0) or attribute(op, "group", 1) != 1:
            why(op, "its weights have no scales by the channel, or groups")
            return
        for part in parts:
            e = self.replacement(part.maker, rewriter)
            weights = e.constant("weights", np.ascontiguousarray(array[part.columns]))
            cast, real = dequantize_stored(weights, _of_columns(type, part.columns), op.location)
            e.insert(cast)
            some = e.insert(real)
            bias = [e.constant("bias", one.reshape(-1)[part.columns]) for one in known]
            inputs = [op.operands[0], some, *bias]
            value = e.node("product", "Conv", inputs, op.fields, part.value.type)
            rewriter.replace_all_uses_with(part.value, value)


def _of_columns(type: UniformType, columns: Columns) -> UniformType:
    """The type of some of the results of a product, for weights of that type."""
    scales, zeros = type.scales, type.zero_points
    if type.is_per_axis:
        scales, zeros = scales[columns], zeros[columns]
    return type.with_params(scales, zeros, type.axis)


def taken_apart(
    value: SSAValue, constants: Constants
) -> tuple[Pair | None, tuple[ProductPart, ...]]:
    """The casts behind a value, and the parts of it that are read; none where it is read as a whole."""
    pair = pair_behind(value)
    if pair is not None:
        if len(pair.dequantizes) != 1:
            return None, ()
        value = pair.dequantizes[0].output
    parts = _of_split(value, -1) or _of_gathers(value, pair, constants)
    return (pair, parts) if len(parts) > 1 else (None, ())


def _of_split(value: SSAValue, channels: int) -> tuple[ProductPart, ...]:
    """The parts of a Split along the dimension of the channels."""
    split, shape = read_by(value, "Split"), shape_of(value.type)
    if split is None or shape is None or min(shape) < 0:
        return ()
    if (int(attribute(split, "axis", 0)) - channels) % len(shape) != 0:
        return ()
    sizes = [(shape_of(result.type) or shape)[channels] for result in split.results]
    if sum(sizes) != shape[channels]:
        return ()
    columns = np.split(np.arange(shape[channels]), np.cumsum(sizes)[:-1])
    pairs = zip(split.results, columns, strict=True)
    return tuple(
        ProductPart(result, some) for result, some in pairs if result.first_use is not None
    )


def _of_gathers(
    value: SSAValue, pair: Pair | None, constants: Constants
) -> tuple[ProductPart, ...]:
    """The parts that Gather takes of what is reshaped and transposed."""
    if (reshape := read_by(value, "Reshape")) is None:
        return ()
    shape, whole = shape_of(value.type), shape_of(reshape.results[0].type)
    if shape is None or whole is None or (leading := _leading(shape, whole)) is None:
        return ()
    values, perm = _same_bytes(reshape.results[0], pair), tuple(range(len(whole)))
    transpose = read_by(values[0], "Transpose") if len(values) == 1 else None
    if transpose is not None:
        values = _same_bytes(transpose.results[0], pair)
        perm = tuple(attribute(transpose, "perm") or ())
    readers = [use.operation for some in values for use in some.uses]
    gathers = [op for op in readers if isinstance(op, OnnxOp) and _takes_a_place(op, constants)]
    dropped = {perm[int(attribute(op, "axis", 0)) % len(whole)] for op in gathers}
    if len(gathers) != len(readers) or len(dropped) != 1 or (axis := dropped.pop()) < leading:
        return ()
    channels = np.arange(shape[-1]).reshape(whole[leading:])
    extents = tuple(size for i, size in enumerate(whole) if i != axis)
    turned = tuple(d - (d > axis) for d in perm if d != axis)
    places: list[AnyArray | None] = [constants.array(op.operands[1]) for op in gathers]
    return tuple(
        ProductPart(
            op.results[0], channels.take(int(p), axis - leading).reshape(-1), extents, turned
        )
        for op, p in zip(gathers, places, strict=True)
        if p is not None
    )


def _leading(shape: Sequence[int], whole: Sequence[int]) -> int | None:
    """How many dimensions of a reshape are in front of those that the last one of `shape` becomes."""
    if min((*shape, *whole)) < 0:
        return None
    split = (prod(shape[:-1]), shape[-1])
    places = range(len(whole))
    return next((i for i in places if (prod(whole[:i]), prod(whole[i:])) == split), None)


def _same_bytes(value: SSAValue, pair: Pair | None) -> list[SSAValue]:
    """A value, or what it becomes behind the same casts once more, which change nothing."""
    again = pair_behind(value)
    if pair is None or again is None or again.uniform != pair.uniform:
        return [value]
    return [cast.output for cast in again.dequantizes]


def _takes_a_place(op: OnnxOp, constants: Constants) -> bool:
    """Whether an op takes one place of a dimension, which then is gone."""
    if op.op_type != "Gather" or op.domain != "":
        return False
    place = constants.array(op.operands[1])
    return place is not None and place.ndim == 0


def _times(type: UniformType, number: float) -> UniformType:
    """The type of the same integers, whose numbers are so many times as large."""
    scales = type.scales.astype(np.float64) * number
    return type.with_params(scales, type.zero_points, type.axis)


def _is_quantized(value: SSAValue) -> bool:
    """Whether a value is dequantized, and perhaps moved."""
    while isinstance(value.owner, Mover) and moves_only(value.owner):
        value = moved(value.owner)[0]
    return isinstance(value.owner, DequantizeCastOp)


@dataclass(frozen=True)
class QuantSplitProductsPass(ModulePass):
    """Splits the product that makes queries, keys and values of all heads at once.

    Encoders for pictures and others compute them as one matrix and take it apart by Reshape, Transpose and
    Gather; what ONNX Runtime prepares for its quantizer has a Gemm there, and the same casts more than once.
    With a product for each, what it makes is quantized where it is computed, with its own scale, and nothing
    but bytes moves. Integer sums stay what they are. A convolution is split where elementwise ops read the
    parts, as in a gate: these are computed with it then.
    """

    name = "quant-split-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        values = ModuleValues(op)
        apply_patterns(op, [SeparateBias(values)], recursive=False)
        patterns = [SplitProduct(values), SplitConvolution(values)]
        if not apply_patterns(op, patterns, recursive=False):
            return
        remove_dead_ops(op)
        # Between two pairs of casts that nothing reads is an op.
        while apply_patterns(op, [UnusedCast(), UnreadQuantize()], backwards=True):
            remove_dead_ops(op)
        update_params(op)
