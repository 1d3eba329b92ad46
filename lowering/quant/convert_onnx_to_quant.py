"""convert-onnx-to-quant: QuantizeLinear and DequantizeLinear become casts of the `quant` dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import VerifyException

from autosplit.core.dtypes import element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import store_for
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, OpaqueOp
from autosplit.dialects.onnx.microsoft import MsDequantizeLinearOp, MsQuantizeLinearOp
from autosplit.dialects.onnx.ops import DequantizeLinearOp, QuantizeLinearOp
from autosplit.dialects.platform import element_type, shape_of, value_name
from autosplit.dialects.quant import (
    SMALLEST_SCALE,
    DequantizeCastOp,
    QuantizeCastOp,
    QuantOp,
    StorageCastOp,
    UniformType,
    update_params,
    with_element,
)
from autosplit.formats.onnx.values import ELEMENT_OF_CODE
from autosplit.lowering.quant.canonical import EqualQuantizes
from autosplit.lowering.quant.names import REFUSED
from autosplit.lowering.quant.operators import ExpandOperator, SayStays
from autosplit.lowering.rewriting import Pattern, apply_patterns, apply_to, why
from autosplit.lowering.shared.fold import Constants

Array = np.ndarray[Any, Any]

DOMAINS = ("", "com.microsoft")
"""The domains of these casts; ONNX Runtime's own are the same for more stored types."""

STORED = frozenset(
    element_type_of(n) for n in ("int4", "uint4", "int8", "uint8", "int16", "uint16", "int32")
)


VECTORS = ("scale_vector", "zero_point_vector")
"""The entries of a cast's `source` for nodes that have a vector of one number, not a scalar."""


class _Refusal(Exception):
    """A node stays as it is."""

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.reason = ReasonAttr.of(code, text)


class Parameters:
    """The scales and zero points of nodes."""

    def __init__(self, constants: Constants):
        self.constants = constants
        self.ops: dict[Operation, None] = {}
        """The constant ops that they were read from, in order."""

    def uniform(self, node: OnnxOp) -> UniformType | None:
        """The quantized type that a node casts to or from; None, with a reason on the node, if it stays.

        Raises AutosplitError if the parameters are invalid.
        """
        try:
            uniform = self._uniform(node)
        except _Refusal as e:
            node.attributes[REFUSED] = e.reason
            why(node, e.reason.text.data)
            return None
        except VerifyException as e:
            raise AutosplitError(f"{node.op_type} {node.identity!r}: {e}") from None
        for value in node.inputs[1:]:
            if value is not None and isinstance(value.owner, Operation):
                self.ops[value.owner] = None
        return uniform

    def _uniform(self, node: OnnxOp) -> UniformType:
        """The quantized type that a node casts to or from.

        Raises _Refusal if there is none, VerifyException or AutosplitError if it is invalid.
        """
        source, scale_value, zero_value = [*node.inputs, None, None, None][:3]
        if source is None or scale_value is None:
            raise AutosplitError(f"{node.op_type} {node.identity!r} has no scale")
        if element_type(source.type) is None:
            raise _Refusal("dtype", f"the type of {_name(source)!r} is unknown")
        _check_fields(node)
        scale = self._parameter(node, scale_value, "scale")
        if scale.dtype != np.float32:
            raise _Refusal("dtype", f"the scale is {scale.dtype.name}, the casts are of float32")
        zero = None
        if zero_value is not None:
            zero = self._parameter(node, zero_value, "zero point")
            if zero.shape != scale.shape and (zero.size, scale.size) != (1, 1):
                raise VerifyException(
                    f"the zero points are of shape {list(zero.shape)}, the scales of {list(scale.shape)}"
                )
        storage = _storage(node, source, zero)
        scales = [float(s) for s in scale.reshape(-1)]
        if any(0 < s < SMALLEST_SCALE for s in scales):
            raise _Refusal("subnormal-scale", "a scale is smaller than any normal float32")
        axis = _axis(node, source, scale)
        zeros = [0] * len(scales) if zero is None else [int(z) for z in zero.reshape(-1)]
        uniform = UniformType.of(storage, f32, scales, zeros, axis)
        shape = shape_of(source.type)
        if axis is not None and shape is not None and shape[axis] not in (-1, len(scales)):
            raise VerifyException(
                f"found {counted(len(scales), 'scale')} for dimension {axis} of {_name(source)!r}, which is "
                f"{shape[axis]}; expected as many"
            )
        return uniform

    def _parameter(self, node: OnnxOp, value: SSAValue, label: str) -> Array:
        if not self.constants.is_constant(value):
            raise _Refusal("dynamic-scale", f"the {label} {_name(value)!r} is computed")
        array = self.constants.array(value)
        if array is None:
            raise AutosplitError(
                f"{node.op_type} {node.identity!r}: the {label} {_name(value)!r} cannot be read"
            )
        return array


Quantize: TypeAlias = QuantizeLinearOp | MsQuantizeLinearOp | OpaqueOp
Dequantize: TypeAlias = DequantizeLinearOp | MsDequantizeLinearOp | OpaqueOp


class QuantizeToCast(Pattern[Quantize]):
    """`QuantizeLinear(x, scale, zero) -> scast(qcast(x))`."""

    def __init__(self, parameters: Parameters):
        self.parameters = parameters

    def rewrite(self, node: Quantize, rewriter: PatternRewriter, /) -> None:
        if not _is_node(node, "QuantizeLinear"):
            return
        if (uniform := self.parameters.uniform(node)) is None:
            return
        source = node.inputs[0]
        assert source is not None
        shaped = _shaped(node, source)
        quantized = _cast(QuantizeCastOp, node, source, with_element(shaped, uniform))
        stored = StorageCastOp(
            quantized.output,
            with_element(shaped, uniform.storage),
            value_name=node.value_name(0),
            location=node.location,
        )
        rewriter.replace(node, [quantized, stored])


class DequantizeToCast(Pattern[Dequantize]):
    """`DequantizeLinear(x, scale, zero) -> dcast(scast(x))`, without the scast where x is one already."""

    def __init__(self, parameters: Parameters):
        self.parameters = parameters

    def rewrite(self, node: Dequantize, rewriter: PatternRewriter, /) -> None:
        if not _is_node(node, "DequantizeLinear"):
            return
        if (uniform := self.parameters.uniform(node)) is None:
            return
        source = node.inputs[0]
        assert source is not None
        type = with_element(source.type, uniform)
        casts: list[Operation] = []
        if isinstance(producer := source.owner, StorageCastOp) and _same_type(
            producer.input.type, type
        ):
            # Quantized by the same parameters: nothing reads the integers in between.
            quantized = producer.input
        else:
            stored = StorageCastOp(
                source, type, value_name=value_name(source), location=node.location
            )
            casts.append(stored)
            quantized = stored.output
        result = with_element(_shaped(node, source), uniform.expressed)
        real = _cast(DequantizeCastOp, node, quantized, result)
        rewriter.replace(node, [*casts, real])
        if isinstance(producer, StorageCastOp) and producer.output.first_use is None:
            rewriter.erase(producer)


class UnusedParameter(Pattern[OnnxOp]):
    """An unused constant `->` nothing; see `is_unused`."""

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if is_unused(op):
            rewriter.erase(op)


def _is_node(op: OnnxOp, kind: str) -> bool:
    return op.op_type == kind and op.domain in DOMAINS


def _cast(kind: type[QuantOp], node: OnnxOp, value: SSAValue, type: Attribute) -> QuantOp:
    cast = kind(
        value,
        type,
        node_name=node.node_name.data,
        value_name=node.value_name(0),
        source=_source(node),
        location=node.location,
    )
    cast.output.name_hint = node.results[0].name_hint
    return cast


def _check_fields(node: OnnxOp) -> None:
    """Raises _Refusal for attributes that request another kind of quantization."""
    if node.attribute("block_size", 0) != 0:
        raise _Refusal("blocked", "it quantizes in blocks; types have one scale, or one a channel")
    if node.attribute("precision", 0) not in (0, 1):
        raise _Refusal("dtype", "it computes in another type than float32")
    if node.attribute("output_dtype", 0) != 0 and node.op_type == "DequantizeLinear":
        raise _Refusal("dtype", "it dequantizes to another type than that of the scale")


def _storage(node: OnnxOp, source: SSAValue, zero: Array | None) -> IntegerType:
    """The type of the stored integers."""
    if node.op_type == "DequantizeLinear":
        storage = element_type(source.type)
    else:
        if element_type(source.type) != f32:
            raise _Refusal("dtype", f"it quantizes {source.type}, the casts are of f32")
        storage = (
            element_type(node.results[0].type) if zero is None else element_type_of(zero.dtype)
        )
        storage = storage or _written_storage(node)
    if storage not in STORED:
        raise _Refusal("dtype", f"its integers are {storage}")
    if zero is not None and element_type_of(zero.dtype) != storage:
        raise VerifyException(f"the zero point is {zero.dtype.name}, the integers are {storage}")
    return cast("IntegerType", storage)


def _written_storage(node: OnnxOp) -> Attribute:
    """The stored type of a node without a zero point or a known type: uint8 by default."""
    code = node.attribute("output_dtype", 0)
    return ELEMENT_OF_CODE[code] if isinstance(code, int) and code else element_type_of("uint8")


def _axis(node: OnnxOp, source: SSAValue, scale: Array) -> int | None:
    """The dimension of the channels, from 0; None if the whole tensor has one scale."""
    if scale.ndim == 0 or scale.shape == (1,):
        return None
    if scale.ndim > 1:
        raise _Refusal("blocked", f"its scales are of shape {list(scale.shape)}")
    shape = shape_of(source.type)
    axis = node.attribute("axis", 1)
    assert isinstance(axis, int)
    if shape is None:
        if axis < 0:
            raise _Refusal("dynamic-shape", f"axis {axis} of a tensor of unknown rank")
        return axis
    if not -len(shape) <= axis < len(shape):
        raise VerifyException(
            f"found the axis {axis} for {_name(source)!r}, which has {counted(len(shape), 'dimension')}"
        )
    return axis % len(shape)


def _same_type(a: Attribute, b: Attribute) -> bool:
    """Whether two types are the same but for the names of their dimensions."""
    return shape_of(a) == shape_of(b) and element_type(a) == element_type(b)


def _shaped(node: OnnxOp, source: SSAValue) -> Attribute:
    """A type with the shape of a node's operand and the dimension names of its result."""
    declared = node.results[0].type
    has_same_shape = shape_of(declared) is not None and shape_of(declared) == shape_of(source.type)
    return declared if has_same_shape else source.type


def _source(node: OnnxOp) -> DictionaryAttr:
    """What `convert-quant-to-onnx` needs to restore the node."""
    names = [StringAttr("" if v is None else _name(v)) for v in node.inputs[1:]]
    entries: dict[str, Attribute] = {"inputs": ArrayAttr(names)}
    # One number is a scalar or a vector of one, and scale and zero point may differ in that.
    for key, value in zip(VECTORS, node.inputs[1:], strict=False):
        if value is not None and shape_of(value.type) == (1,):
            entries[key] = UnitAttr()
    if node.domain:
        entries["domain"] = StringAttr(node.domain)
    if node.fields:
        entries["fields"] = DictionaryAttr(node.fields)
    if node.rest is not None:
        entries["rest"] = node.rest
    return DictionaryAttr(entries)


def _name(value: SSAValue) -> str:
    try:
        return value_name(value)
    except ValueError:
        return ""


def is_unused(op: Operation) -> bool:
    """Whether nothing reads a constant any more.

    One that the model lists among its inputs stays: a caller may pass another value for it.
    """
    if any(r.first_use is not None for r in op.results) or not isinstance(op, OnnxOp):
        return False
    return not set(op.output_names) & set(_listed(op))


def _listed(op: Operation) -> Iterator[str]:
    graph = op.parent_op()
    if isinstance(graph, GraphOp) and isinstance(op, InitializerOp):
        yield from (n.data for n in graph.listed_inputs or ())


@dataclass(frozen=True)
class ConvertOnnxToQuantPass(ModulePass):
    """Turns QuantizeLinear and DequantizeLinear nodes into casts of the `quant` dialect.

    Scales and zero points move from constants into the types. Integers that other nodes read or compute
    (weights, pooled values) remain integers, next to a `quant.scast`. A node remains, with the reason in
    `quant.refused`, if its scale or zero point is computed, or if it quantizes in blocks or to floats; so
    do the ops that quantize what they read at run time.
    Scales that are zero, negative or NaN, and parameters that do not fit the tensor, are errors.
    """

    name = "convert-onnx-to-quant"

    operators: bool = True
    """Whether ops on quantized tensors (QLinearConv, QLinearMatMul, QLinearAdd, ...) become ops on real
    numbers between casts; their results can differ by one, because they round differently."""
    merge: bool = False
    """Whether one cast remains of those that quantize a value by equal parameters, as one for each user."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = Constants(store_for(op))
        if self.operators:
            apply_patterns(op, [ExpandOperator(op, constants), SayStays()], recursive=False)
        params = Parameters(constants)
        apply_patterns(op, [QuantizeToCast(params), DequantizeToCast(params)], recursive=False)
        apply_to(params.ops, [UnusedParameter()])
        if self.merge:
            apply_patterns(op, [EqualQuantizes()], recursive=False)
        update_params(op)
