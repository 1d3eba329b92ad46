"""convert-onnx-to-dnnl: ONNX ops and quantizing casts become ops of oneDNN Graph, if it has them.

Values of quantized types become the integers that they are stored as; their scales and zero points are then
attributes of `dnnl.Quantize` and `dnnl.Dequantize`. An op next to a quantized value that stays an ONNX op has
the reason as `dnnl.unmapped`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException, VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.core.versions import DEFAULT_VERSION, parse_version
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.dnnl import OP_TABLE, AttrValue, DnnlOp, Version, make_op
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import element_type, set_type, shape_of, value_name
from autosplit.dialects.quant import (
    S8,
    U8,
    DequantizeCastOp,
    QuantizeCastOp,
    QuantOp,
    StorageCastOp,
    UniformType,
    storage_limits,
    uniform_of,
    with_element,
)
from autosplit.dialects.quant_numpy import dequantize
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.dnnl.moves import has_zero_point
from autosplit.lowering.dnnl.slow_kernels import slow_quantize
from autosplit.lowering.dnnl.table import KEPT_TYPE, Ask, Mapped, check, swaps_last_two
from autosplit.lowering.dnnl.unsafe import unsafe_quantize
from autosplit.lowering.normalize_onnx import CANONICAL_OPSET
from autosplit.lowering.quant.canonical import CastThereAndBack, UnusedCast
from autosplit.lowering.rewriting import Pattern, apply_to, located, set_operand, why
from autosplit.lowering.shared.blocks import outer_blocks
from autosplit.lowering.shared.dead import Dead
from autosplit.lowering.shared.fold import AnyArray, folded_constant

UNMAPPED = "dnnl.unmapped"
"""The attribute that says why an op next to quantized values is not an op of oneDNN Graph."""


def _check_opset(module: ModuleOp) -> None:
    from autosplit.lowering.shared.protos import opset_of

    if (opset := opset_of(module)) > CANONICAL_OPSET:
        raise AutosplitError(
            f"the model is of ONNX opset {opset}, expected {CANONICAL_OPSET} or earlier: convert it with "
            "onnx.version_converter"
        )
    if opset != CANONICAL_OPSET:
        raise AutosplitError(
            f"the model is of ONNX opset {opset}, expected {CANONICAL_OPSET}: "
            "run normalize-onnx{int8=true} first"
        )


class _Model(ModuleValues):
    """State of a model that the patterns share."""

    def __init__(self, module: ModuleOp, version: Version):
        super().__init__(module)
        self.version = version
        self.signed: dict[SSAValue, SSAValue] = {}

    def constant(
        self, op: Operation, array: AnyArray, name_hint: str, rewriter: PatternRewriter
    ) -> SSAValue:
        """A constant in front of an op, with a unique name based on `name_hint`."""
        name = self.fresh(name_hint or "constant")
        constant = folded_constant(name, array, self.store, op.location)
        rewriter.insert(constant, InsertPoint.before(op))
        return constant.results[0]


def _stored(value: SSAValue, user: Operation, rewriter: PatternRewriter) -> SSAValue:
    """The integers that a quantized value is stored as."""
    producer = value.owner
    if isinstance(producer, StorageCastOp):
        return producer.input
    type = uniform_of(value.type)
    assert type is not None
    cast_ = StorageCastOp(value, with_element(value.type, type.storage))
    rewriter.insert(located(cast_, user), InsertPoint.before(user))
    return cast_.output


def _as(value: SSAValue, type: Attribute, user: Operation, rewriter: PatternRewriter) -> SSAValue:
    """A stored value cast back to a quantized type, for users that are not converted yet."""
    if value.type == type:
        return value
    cast_back = StorageCastOp(value, type)
    rewriter.insert(located(cast_back, user), InsertPoint.before(user))
    return cast_back.output


def _replace_cast(
    rewriter: PatternRewriter,
    op: QuantOp,
    kind: str,
    operand: SSAValue,
    result_type: Attribute,
    attrs: dict[str, AttrValue],
) -> None:
    names = [op.value_name(0)] if op.value_name(0) else None
    cast_op = make_op(
        kind, [operand], [result_type], location=op.location, value_names=names, **attrs
    )
    rewriter.insert(cast_op)
    cast_op.outputs[0].name_hint = op.output.name_hint
    _replace(op, _as(cast_op.outputs[0], op.output.type, op, rewriter), rewriter)


def _replace(op: Operation, value: SSAValue, rewriter: PatternRewriter) -> None:
    rewriter.replace_all_uses_with(op.results[0], value)
    rewriter.erase(op)


class QuantizeToDnnl(Pattern[QuantizeCastOp]):
    """`qcast(x) -> scast(dnnl.Quantize(x))`."""

    def rewrite(self, op: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        type = uniform_of(op.output.type)
        assert type is not None
        if reason := _cast_reason(type, quantizes=True) or _rank_reason(op):
            _refuse(op, reason)
            return
        if (unsafe := unsafe_quantize(op.input, "u8" if type.is_unsigned else "s8")) is not None:
            _refuse(op, ReasonAttr.of(*unsafe))
            return
        if (slow := slow_quantize(op.input, _parameters(type))) is not None:
            _refuse(op, ReasonAttr.of(*slow))
            return
        result_type = with_element(op.output.type, type.storage)
        _replace_cast(rewriter, op, "Quantize", op.input, result_type, _parameters(type))


class DequantizeToDnnl(Pattern[DequantizeCastOp]):
    """`dcast(x) -> dnnl.Dequantize(scast(x))`; a 32-bit constant, a bias, becomes real numbers at once."""

    def __init__(self, model: _Model):
        self.model = model

    def rewrite(self, op: DequantizeCastOp, rewriter: PatternRewriter, /) -> None:
        type = uniform_of(op.input.type)
        assert type is not None
        stored = _stored(op.input, op, rewriter)
        if type.storage == i32 and (array := self.model.array(stored)) is not None:
            # Biases: the library adds real numbers.
            name = op.value_name(0)
            self.model.names.discard(name)
            _replace(op, self.model.constant(op, dequantize(array, type), name, rewriter), rewriter)
            return
        if reason := _cast_reason(type, quantizes=False) or _rank_reason(op):
            _refuse(op, reason)
            return
        attrs = _parameters(type)
        if (signed := self._signed(stored, type, rewriter)) is not None:
            stored = signed
            attrs["zps"] = [0] * type.count
        elif (turned := _turned_for_product(op, stored)) is not None:
            self._turn_later(op, turned, attrs, rewriter)
            return
        _replace_cast(rewriter, op, "Dequantize", stored, op.output.type, attrs)

    def _signed(
        self, stored: SSAValue, type: UniformType, rewriter: PatternRewriter
    ) -> SSAValue | None:
        """Converts unsigned constants around 128 to signed ones around 0, as weights must be."""
        if type.storage != U8 or not (type.zero_points == 128).all():
            return None
        signed_of = self.model.signed
        if stored not in signed_of:
            array = self.model.array(stored)
            if array is None or not isinstance(maker := stored.owner, Operation):
                return None
            signed = (array.astype(np.int16) - 128).astype(np.int8)
            signed_of[stored] = self.model.constant(
                maker, signed, f"{_name(stored)}__signed", rewriter
            )
        return signed_of[stored]

    def _turn_later(
        self,
        op: DequantizeCastOp,
        turn: OnnxOp,
        attrs: dict[str, AttrValue],
        rewriter: PatternRewriter,
    ) -> None:
        """Transposes after dequantizing instead of before, since a product can absorb that transposition."""
        source = turn.operands[0]
        name = self.model.fresh(f"{op.value_name(0) or 'dequantized'}__turned")
        real = make_op(
            "Dequantize",
            [source],
            [with_element(source.type, f32)],
            location=op.location,
            value_names=[name],
            **attrs,
        )
        turned = make_node(
            "Transpose",
            [real.outputs[0]],
            [op.value_name(0) or self.model.fresh("turned")],
            attributes=turn.fields,
            result_types=[op.output.type],
            node_name=turn.node_name.data,
            location=turn.location,
        )
        rewriter.insert([real, turned])
        transpose = op.input.owner
        _replace(op, turned.results[0], rewriter)
        for dead in (transpose, turn):
            if isinstance(dead, Operation) and dead.results[0].first_use is None:
                rewriter.erase(dead)


def _store_integers(op: OnnxOp, rewriter: PatternRewriter) -> None:
    """Makes an op that moves quantized values move the integers that they are stored as."""
    for index, value in enumerate(op.operands):
        if uniform_of(value.type) is not None:
            set_operand(rewriter, op, index, _stored(value, op, rewriter))
    for result in op.results:
        type = uniform_of(result.type)
        if type is None:
            continue
        quantized = result.type
        set_type(result, with_element(quantized, type.storage))
        cast_back = StorageCastOp(result, quantized)
        rewriter.insert(located(cast_back, op), InsertPoint.after(op))
        rewriter.replace_uses_with_if(
            result, cast_back.output, lambda use, own_cast=cast_back: use.operation is not own_cast
        )


class OnnxToDnnl(Pattern[OnnxOp]):
    """`Relu(x) -> dnnl.ReLU(x)` and so on, by the table of `check`; other ops get a reason.

    For quantized values it moves the integers: `op(x) -> scast(op(scast(x)))`.
    """

    def __init__(self, model: _Model):
        self.model = model

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, InitializerOp):
            return
        _store_integers(op, rewriter)
        answer = check(Ask(op, self.model.constants, self.model.version))
        if isinstance(answer, Mapped):
            answer = self._replace_op(op, answer, rewriter)
        if answer is not None:
            _refuse(op, answer)

    def _replace_op(
        self, op: OnnxOp, mapped: Mapped, rewriter: PatternRewriter
    ) -> ReasonAttr | None:
        """Replaces `op` by the library's op; returns the reason if its verifier refuses it."""
        role = f"{op.output_names[0]}__operand"
        inputs = [
            v if isinstance(v, SSAValue) else self.model.constant(op, v, role, rewriter)
            for v in mapped.inputs
        ]
        dnnl_op = make_op(
            mapped.kind,
            inputs,
            [op.results[0].type],
            location=op.location,
            value_names=[op.value_name(0)],
            **_needed(mapped),
        )
        try:
            dnnl_op.verify_()
        except VerifyException as e:
            dnnl_op.erase()
            return ReasonAttr.of("operand", f"{op.op_type} is not the library's: {e}")
        if mapped.op_type:
            dnnl_op.attributes[KEPT_TYPE] = StringAttr(mapped.op_type)
        rewriter.insert(dnnl_op)
        dnnl_op.outputs[0].name_hint = op.results[0].name_hint
        _replace(op, dnnl_op.outputs[0], rewriter)
        if mapped.absorbed:
            located(dnnl_op, *mapped.absorbed, dnnl_op)
        for absorbed_op in mapped.absorbed:
            if not any(r.first_use for r in absorbed_op.results):
                rewriter.erase(absorbed_op)
        return None


def _needed(mapped: Mapped) -> dict[str, AttrValue]:
    """The attributes without those that equal the library's defaults."""
    specs = OP_TABLE[mapped.kind].attrs
    return {k: v for k, v in mapped.attrs.items() if specs[k].required or v != specs[k].default}


def _parameters(type: UniformType) -> dict[str, AttrValue]:
    """The attributes of Quantize and Dequantize; 3.2 requires zero points even if they are 0."""
    attrs: dict[str, AttrValue] = {"qtype": "per_tensor" if type.axis is None else "per_channel"}
    if type.axis is not None:
        attrs["axis"] = type.axis
    attrs["scales"] = [float(s) for s in type.scales]
    attrs["zps"] = [int(z) for z in type.zero_points]
    return attrs


def _cast_reason(type: UniformType, *, quantizes: bool) -> ReasonAttr | None:
    """Why the library has no cast for this type."""
    if type.storage not in (S8, U8):
        width = f"{'u' if type.is_unsigned else 'i'}{type.storage.width.data}"
        return ReasonAttr.of("dtype", f"is stored as {width}, the library quantizes to i8 and u8")
    if type.expressed != f32:
        return ReasonAttr.of("dtype", f"stands for {type.expressed}, the library's casts for f32")
    # The library accepts both of these, but crashes or mixes up the channels.
    if quantizes and type.is_per_axis:
        return ReasonAttr.of(
            "per-axis", "has a scale for each channel, the library for weights only"
        )
    if len(set(type.zero_points.tolist())) > 1:
        return ReasonAttr.of("per-axis", "has several zero points, the library takes one")
    if quantizes and type.storage_range != storage_limits(type.storage):
        low, high = type.storage_range
        return ReasonAttr.of("range", f"clamps to {low}:{high}, the library to all of the type")
    return None


def _rank_reason(op: QuantOp) -> ReasonAttr | None:
    if shape_of(op.input.type) is None:
        return ReasonAttr.of("rank", "casts a value of unknown rank")
    if shape_of(op.input.type) == ():
        return ReasonAttr.of("rank", "casts a scalar, the library has none")
    return None


def _turned_for_product(op: DequantizeCastOp, stored: SSAValue) -> OnnxOp | None:
    """The transposition of integers that only a product reads, through a dequantize.

    None where the library would sum the columns of what it transposes, see `takes_turns`.
    """
    turn = swaps_last_two(stored)
    if not isinstance(turn, OnnxOp) or not op.output.has_one_use():
        return None
    if not op.input.has_one_use():
        return None
    user = next(iter(op.output.uses)).operation
    product = isinstance(user, OnnxOp) and user.op_type == "MatMul" and user.domain == ""
    type = uniform_of(op.input.type)
    if not product or type is None or type.is_per_axis:
        return None
    return (
        None if user.operands[1] is op.output and _is_around_zero_point(user.operands[0]) else turn
    )


def _is_around_zero_point(value: SSAValue) -> bool:
    """`has_zero_point`, also of a cast that is not lowered yet."""
    op = value.owner
    if isinstance(op, DequantizeCastOp):
        type = uniform_of(op.input.type)
        return type is not None and bool(type.zero_points.any())
    return has_zero_point(value)


def _refuse(op: Operation, reason: ReasonAttr) -> None:
    why(op, reason.text.data)
    op.attributes[UNMAPPED] = reason


def _name(value: SSAValue) -> str:
    try:
        return value_name(value)
    except ValueError:
        return ""


NEAR = 3
"""An op this many ops or more behind a dequantize needs no reason why it is not an op of the library."""


def _is_near(op: OnnxOp) -> bool:
    """Whether an op reads dequantized values, produces values to quantize, or moves stored integers."""
    return any(_is_from_quantized(v, NEAR) or _is_stored(v) for v in op.operands) or any(
        _is_quantized(use.operation, "Quantize") or _is_stored(r)
        for r in op.results
        for use in r.uses
    )


def _is_from_quantized(value: SSAValue, steps: int) -> bool:
    """Whether a value was dequantized, or computed from such a value by a few ops of the library."""
    producer = value.owner
    if _is_quantized(producer, "Dequantize"):
        return True
    if steps == 1 or not isinstance(producer, DnnlOp) or producer.kind == "Quantize":
        return False
    return any(_is_from_quantized(v, steps - 1) for v in producer.inputs)


def _is_quantized(op: object, kind: str) -> bool:
    if isinstance(op, DnnlOp):
        return op.kind == kind
    return isinstance(op, DequantizeCastOp if kind == "Dequantize" else QuantizeCastOp)


def _is_stored(value: SSAValue) -> bool:
    """Whether a value holds the integers of a quantized one, judging by the ops around it."""
    if element_type(value.type) not in (S8, U8):
        return False
    producer = value.owner
    if isinstance(producer, DnnlOp | QuantOp):
        return True
    return any(isinstance(use.operation, DnnlOp | QuantOp) for use in value.uses)


class ForgetFar(Pattern[OnnxOp]):
    """Removes the reason from ops that are not near quantized values."""

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if UNMAPPED in op.attributes and not _is_near(op):
            del op.attributes[UNMAPPED]


def convert(module: ModuleOp, version: Version = (3, 2)) -> None:
    """Converts all graphs of a module for a version of the library, in place. Bodies of other ops stay.

    Changes nothing that depends on the machine. Raises AutosplitError if the model is not canonical,
    and if the store lacks a weight whose values are needed.
    """
    blocks = [b for b in outer_blocks(module) if isinstance(b.parent_op(), GraphOp)]
    if blocks:
        _check_opset(module)
    model = _Model(module, version)
    patterns = (
        QuantizeToDnnl(),
        DequantizeToDnnl(model),
        CastThereAndBack(),
        OnnxToDnnl(model),
    )
    for block in blocks:
        apply_to(list(block.ops), patterns)
        apply_to(reversed(list(block.ops)), [UnusedCast(), Dead()])
        apply_to(list(block.ops), [ForgetFar()])


@dataclass(frozen=True)
class ConvertOnnxToDnnlPass(ModulePass):
    """ONNX ops and quantizing casts are ops of oneDNN Graph, as far as the library of this version has them.

    Runs behind `normalize-onnx{int8=true}` and `convert-onnx-to-quant`. Write versions from 3.10 on in
    quotes. Example: `convert-onnx-to-dnnl{version=3.2}`
    """

    name = "convert-onnx-to-dnnl"

    version: str | float = DEFAULT_VERSION
    """The library's version, which decides only which ops and attributes exist."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            convert(op, parse_version(str(self.version)))
        except AutosplitError as e:
            raise PassFailedException(str(e)) from e
