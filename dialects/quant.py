"""Quantized tensors: integers whose type defines the real numbers that they represent.

    real = (stored - zero_point) * scale

The types and casts are those of MLIR's own `quant` dialect, with the same spelling. Results are
bit-equal with ONNX's: the division and the product are in float32, rounding is half to even, and values
outside the range of the stored type become its limits (`quant_numpy` has them as functions).

Parameters of one scale a channel can be thousands of numbers, and a type is printed wherever its values
are. Types with more than 16 print as the number of their parameters and a digest of them,
`!quant.uniform<i8:f32:0, 64 x @q3fa9c2d41b7700aa>`; the numbers themselves stand once, in the module's
attribute `quant.params`. The digest is made from the numbers, so equal parameters are equal types
whatever made them, text reads back to the same types, and what a type is compared by is short. Passes
that make such types call `update_params`; `autosplit-opt --inline-quant-params` prints the numbers in
the types, as MLIR does, for other tools to read.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast
from weakref import WeakValueDictionary

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float16Type,
    Float32Type,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NoneAttr,
    Signedness,
    StringAttr,
    TensorType,
    UnknownLoc,
    UnrankedTensorType,
    f16,
    f32,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import (
    Attribute,
    Data,
    Dialect,
    ParametrizedAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyOf,
    BaseAttr,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.onnx.base import (
    STRING_ARRAY,
    name_hint,
)
from autosplit.dialects.onnx.tensors import BitsAttr, tensor_array, tensor_type
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    shape_of,
    strings,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INLINE_PARAMS = 16
"""Types of at most this many parameters print them."""

_all_inline: ContextVar[bool] = ContextVar("all_inline", default=False)


@contextmanager
def inline_params() -> Generator[None]:
    """Makes all types print their parameters within the context (--inline-quant-params)."""
    token = _all_inline.set(True)
    try:
        yield
    finally:
        _all_inline.reset(token)


TABLE = "quant.params"
"""The attribute of modules that holds the parameters of the types that do not print them."""

S8 = IntegerType(8)
U8 = IntegerType(8, Signedness.UNSIGNED)

SMALLEST_SCALE = 2.0**-126
"""The smallest normal float32."""


class Params:
    """Scales and zero points, as bytes, and the digest that they are compared by.

    Text may name parameters by their digest before it says what they are, so the bytes can be unknown.
    Equal parameters are one object as long as anything holds it.
    """

    _interned: ClassVar[WeakValueDictionary[str, Params]] = WeakValueDictionary()

    def __init__(self, digest: str, count: int):
        self.digest = digest
        self.count = count
        self.content: tuple[bytes, bytes] | None = None
        """float32 scales and int32 zero points, little-endian."""

    @classmethod
    def of(cls, scales: Sequence[float], zero_points: Sequence[int]) -> Params:
        """The parameters with these numbers, scales rounded to float32.

        Raises VerifyException if there is not a zero point of 32 bits for each scale.
        """
        if len(scales) != len(zero_points):
            raise VerifyException(
                f"found {counted(len(scales), 'scale')} and "
                f"{counted(len(zero_points), 'zero point')}, expected as many"
            )
        try:
            content = (
                struct.pack(f"<{len(scales)}f", *map(_float32, scales)),
                struct.pack(f"<{len(scales)}i", *zero_points),
            )
        except struct.error:
            raise VerifyException("a zero point has more than 32 bits") from None
        # 'q' makes it an identifier; a symbol may not begin with a digit.
        digest = "q" + hashlib.blake2b(b"".join(content), digest_size=8).hexdigest()
        params = cls.named(digest, len(scales))
        params.content = content
        return params

    @classmethod
    def named(cls, digest: str, count: int) -> Params:
        """The parameters with this digest. Raises VerifyException if there are another number of them."""
        params = cls._interned.setdefault(digest, cls(digest, count))
        if params.count != count:
            raise VerifyException(
                f"@{digest} has {counted(params.count, 'parameter')}, found {count}"
            )
        return params

    def numbers(self) -> tuple[tuple[float, ...], tuple[int, ...]]:
        """The scales and zero points. Raises VerifyException if the text did not say them."""
        if self.content is None:
            raise VerifyException(
                f"the parameters @{self.digest} are unknown: the module's attribute {TABLE!r} "
                "lists them"
            )
        scales, zero_points = self.content
        return (
            struct.unpack(f"<{self.count}f", scales),
            struct.unpack(f"<{self.count}i", zero_points),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@irdl_attr_definition
class ParamsAttr(Data[Params]):
    """The scales and zero points of a quantized type: one each, or one for each channel.

    In text the scales are the bytes of little-endian float32 in hexadecimal; the zero points are one
    integer where all are the same, and the bytes of little-endian int32 otherwise. The digest must be that
    of the numbers.
    Example: `#quant.params<@q5cb2b8fa5a4ae0c2, "CDCCCC3DCDCC4C3E", 0>` for the scales 0.1 and 0.2
    """

    name = "quant.params"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Params:
        with parser.in_angle_brackets():
            digest = parser.parse_symbol_name().data
            parser.parse_punctuation(",")
            scales = _parse_hex(parser, "f")
            parser.parse_punctuation(",")
            point = parser.parse_optional_integer(allow_boolean=False)
            zero_points = _parse_hex(parser, "i") if point is None else [point] * len(scales)
        try:
            params = Params.of(scales, zero_points)
        except VerifyException as e:
            parser.raise_error(str(e))
        if params.digest != digest:
            parser.raise_error(f"the parameters are @{params.digest}, found @{digest}")
        return params

    def print_parameter(self, printer: Printer) -> None:
        params = self.data
        zero_points = params.numbers()[1]
        assert params.content is not None
        with printer.in_angle_brackets():
            printer.print_string(f"@{params.digest}, ")
            printer.print_string(f'"{params.content[0].hex().upper()}", ')
            if len(set(zero_points)) == 1:
                printer.print_string(str(zero_points[0]))
            else:
                printer.print_string(f'"{params.content[1].hex().upper()}"')

    def verify(self) -> None:
        if self.data.content is not None:
            _check_scales(self.data.numbers()[0])


def _parse_hex(parser: AttrParser, kind: str) -> list[Any]:
    text = parser.parse_str_literal("numbers in hexadecimal")
    try:
        data = bytes.fromhex(text)
        return list(struct.unpack(f"<{len(data) // 4}{kind}", data))
    except (ValueError, struct.error):
        parser.raise_error(f"expected numbers of 8 hexadecimal digits each, found {text[:16]!r}")


def _check_scales(scales: Iterable[float]) -> None:
    for i, scale in enumerate(scales):
        if not SMALLEST_SCALE <= scale < math.inf:
            raise VerifyException(
                f"scale {i} is {scale:g}, expected a positive, finite, normal float32"
            )


def storage_limits(storage: IntegerType) -> tuple[int, int]:
    """The smallest and the largest number that a stored integer can hold."""
    bits = storage.width.data
    if storage.signedness.data == Signedness.UNSIGNED:
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


@irdl_attr_definition
class UniformType(ParametrizedAttribute, TypeAttribute):
    """Integers that represent evenly spaced real numbers, `(stored - zero_point) * scale`.

    It says how they are stored (`i8`, `u8`, `i16`, `u16`, `i4`, `u4`; `i32` for the biases of integer sums,
    whose zero points are 0) and which part of the range they use where that is not all of it; which real type
    they stand for; and the scale and zero point, of the tensor or of each channel along a dimension:

        tensor<1x8x!quant.uniform<u8:f32, 0.02:128>>
        tensor<3x8x!quant.uniform<i8<-127:127>:f32:0, {0.1, 0.2, 0.3:5}>>

    More than 16 channels print as a digest (the head of this page says why):
    `!quant.uniform<i8:f32:0, 64 x @q3fa9c2d41b7700aa>`.
    """

    name = "quant.uniform"
    storage: IntegerType = param_def()
    low: IntAttr = param_def()
    high: IntAttr = param_def()
    expressed: Attribute = param_def()
    axis_attr: IntAttr | NoneAttr = param_def()
    params: ParamsAttr = param_def()

    @classmethod
    def of(
        cls,
        storage: Attribute,
        expressed: Attribute,
        scales: Sequence[float] | NDArray[np.floating[Any]],
        zero_points: Sequence[int] | NDArray[np.integer[Any]],
        axis: int | None = None,
        storage_range: tuple[int, int] | None = None,
    ) -> UniformType:
        """The type with these parameters, one of each where there is no `axis`.

        Scales are rounded to float32. Raises VerifyException if the parameters are not legal.
        """
        if not isinstance(storage, IntegerType):
            raise VerifyException(f"the stored type is an integer, found {storage}")
        params = Params.of([float(s) for s in scales], [int(z) for z in zero_points])
        return cls._of(cast("IntegerType", storage), storage_range, expressed, axis, params)

    @classmethod
    def _of(
        cls,
        storage: IntegerType,
        storage_range: tuple[int, int] | None,
        expressed: Attribute,
        axis: int | None,
        params: Params,
    ) -> UniformType:
        low, high = storage_range or storage_limits(storage)
        return cls(
            storage,
            IntAttr(low),
            IntAttr(high),
            expressed,
            NoneAttr() if axis is None else IntAttr(axis),
            ParamsAttr(params),
        )

    def with_params(
        self,
        scales: Sequence[float] | NDArray[np.floating[Any]],
        zero_points: Sequence[int] | NDArray[np.integer[Any]],
        axis: int | None = None,
    ) -> UniformType:
        """The same integers with other parameters, as `of` takes them."""
        return self.of(self.storage, self.expressed, scales, zero_points, axis, self.storage_range)

    @property
    def axis(self) -> int | None:
        """The dimension along which the channels lie; None if the whole tensor has one scale."""
        return self.axis_attr.data if isinstance(self.axis_attr, IntAttr) else None

    @property
    def is_per_axis(self) -> bool:
        return self.axis is not None

    @property
    def is_unsigned(self) -> bool:
        return self.storage.signedness.data == Signedness.UNSIGNED

    @property
    def storage_range(self) -> tuple[int, int]:
        """The smallest and the largest stored integer."""
        return self.low.data, self.high.data

    @property
    def count(self) -> int:
        """The number of scales, which is that of zero points."""
        return self.params.data.count

    @property
    def scales(self) -> NDArray[np.float32]:
        """The scales, of shape [count]."""
        import numpy as np

        return np.array(self.params.data.numbers()[0], np.float32)

    @property
    def zero_points(self) -> NDArray[np.int64]:
        """The zero points, of shape [count]."""
        import numpy as np

        return np.array(self.params.data.numbers()[1], np.int64)

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """For each scale, the smallest and the largest real number that can be stored, in float32."""
        scales, zero_points = self.params.data.numbers()
        low, high = self.storage_range
        return [
            (_float32((low - z) * s), _float32((high - z) * s))
            for s, z in zip(scales, zero_points, strict=True)
        ]

    def verify(self) -> None:
        width = self.storage.width.data
        if width not in (4, 8, 16, 32) or (width == 32 and self.is_unsigned):
            raise VerifyException(
                f"found the stored type {_storage_text(self.storage)}, expected one of i4, u4, i8, u8, "
                "i16, u16, i32"
            )
        if not isinstance(self.expressed, Float32Type | Float16Type | BFloat16Type):
            raise VerifyException(
                f"found the real type {self.expressed}, expected f32, f16 or bf16"
            )
        low_limit, high_limit = storage_limits(self.storage)
        low, high = self.storage_range
        if not low_limit <= low < high <= high_limit:
            raise VerifyException(
                f"found the range {low}:{high}, expected a part of {low_limit}:{high_limit}"
            )
        if self.axis is not None and self.axis < 0:
            raise VerifyException(f"the axis is counted from 0, found {self.axis}")
        if self.axis is None and self.count != 1:
            raise VerifyException(
                f"found {counted(self.count, 'scale')} and no axis, expected one scale"
            )
        if self.count == 0:
            raise VerifyException("found no scale")
        if self.params.data.content is not None:
            self.verify_params()

    def verify_params(self) -> None:
        """Raises VerifyException if scales or zero points are not legal, or are unknown.

        The text may say them only after the type has been read.
        """
        low, high = self.storage_range
        scales, zero_points = self.params.data.numbers()
        _check_scales(scales)
        for i, zero_point in enumerate(zero_points):
            if self.storage.width.data == 32 and zero_point != 0:
                raise VerifyException(
                    f"zero point {i} is {zero_point}; integers of 32 bits have the zero point 0"
                )
            if not low <= zero_point <= high:
                raise VerifyException(
                    f"zero point {i} is {zero_point}, expected one in the range {low}:{high}"
                )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            storage = _parse_storage(parser)
            bounds = storage_limits(storage)
            if parser.parse_optional_punctuation("<") is not None:
                low = parser.parse_integer(allow_boolean=False)
                parser.parse_punctuation(":")
                bounds = low, parser.parse_integer(allow_boolean=False)
                parser.parse_punctuation(">")
            parser.parse_punctuation(":")
            expressed = parser.parse_type()
            axis: Attribute = NoneAttr()
            if parser.parse_optional_punctuation(":") is not None:
                axis = IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))
            parser.parse_punctuation(",")
            try:
                params = _parse_params(parser, per_axis=isinstance(axis, IntAttr))
            except VerifyException as e:
                parser.raise_error(str(e))
        low, high = (IntAttr(b) for b in bounds)
        return [storage, low, high, expressed, axis, ParamsAttr(params)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(_storage_text(self.storage))
            low, high = self.storage_range
            if (low, high) != storage_limits(self.storage):
                printer.print_string(f"<{low}:{high}>")
            printer.print_string(":")
            printer.print_attribute(self.expressed)
            if self.axis is not None:
                printer.print_string(f":{self.axis}")
            printer.print_string(f", {self._params_text()}")

    def _params_text(self) -> str:
        params = self.params.data
        # Unknown parameters cannot be printed, but a type must still print in messages.
        if params.content is None or (params.count > INLINE_PARAMS and not _all_inline.get()):
            return f"{params.count} x @{params.digest}"
        items = [
            _float_text(s) + (f":{z}" if z else "") for s, z in zip(*params.numbers(), strict=True)
        ]
        return items[0] if self.axis is None else "{" + ", ".join(items) + "}"


def _parse_storage(parser: AttrParser) -> IntegerType:
    word = parser.parse_identifier("the stored type, such as i8 or u8")
    if word[:1] not in ("i", "u") or not word[1:].isdecimal():
        parser.raise_error(f"expected a stored type such as i8 or u8, found {word!r}")
    sign = Signedness.UNSIGNED if word[0] == "u" else Signedness.SIGNLESS
    return IntegerType(int(word[1:]), sign)


def _storage_text(storage: IntegerType) -> str:
    unsigned = storage.signedness.data == Signedness.UNSIGNED
    return f"{'u' if unsigned else 'i'}{storage.width.data}"


def _parse_params(parser: AttrParser, *, per_axis: bool) -> Params:
    if not per_axis:
        scale, zero_point = _parse_param(parser)
        return Params.of([scale], [zero_point])
    count = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if count is not None:
        parser.parse_keyword("x")
        return Params.named(parser.parse_symbol_name().data, count)
    pairs = parser.parse_comma_separated_list(
        parser.Delimiter.BRACES, lambda: _parse_param(parser), "the scales of the channels"
    )
    return Params.of([s for s, _ in pairs], [z for _, z in pairs])


def _parse_param(parser: AttrParser) -> tuple[float, int]:
    scale = float(parser.parse_number(allow_boolean=False))
    if parser.parse_optional_punctuation(":") is None:
        return scale, 0
    return scale, parser.parse_integer(allow_boolean=False)


def _float32(value: float) -> float:
    """The nearest float32, which is infinite where there is none."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _float_text(value: float) -> str:
    """The shortest literal that reads back as the same float32."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _float32(float(text)) == value:
            break
    else:
        text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return (mantissa if "." in mantissa else f"{mantissa}.0") + e + exponent


def uniform_of(type: Attribute) -> UniformType | None:
    """The quantized element type of a tensor type, or of itself; None for all other types."""
    element = element_type(type) or type
    return element if isinstance(element, UniformType) else None


def with_element(type: Attribute, element: Attribute) -> TensorType[Attribute] | UnrankedTensorType:
    """A tensor type of the same shape with other elements. ValueError for other types."""
    match type:
        case TensorType():
            return TensorType(element, type.get_shape(), type.encoding)
        case UnrankedTensorType():
            return UnrankedTensorType(element)
        case _:
            raise ValueError(f"{type} is not a tensor type")


def update_params(module: ModuleOp) -> None:
    """Makes the module's table list the parameters of the types that print as a digest, and no others."""
    table: dict[str, Params] = {}
    for op in module.walk():
        types = [r.type for r in op.results]
        types += [a.type for region in op.regions for block in region.blocks for a in block.args]
        for type in types:
            uniform = uniform_of(type)
            if uniform is None or uniform.count <= INLINE_PARAMS:
                continue
            table.setdefault(uniform.params.data.digest, uniform.params.data)
    if table:
        module.attributes[TABLE] = ArrayAttr([ParamsAttr(p) for _, p in sorted(table.items())])
    else:
        module.attributes.pop(TABLE, None)


ANY_TENSOR = AnyOf((BaseAttr(TensorType), BaseAttr(UnrankedTensorType)))


class NamedOp(PlatformOp):
    """An op of one operand and one result, spelled as MLIR does; it may have names that a model gave it."""

    input = operand_def(ANY_TENSOR)
    output = result_def(ANY_TENSOR)
    node_name = prop_def(StringAttr, default_value=StringAttr(""))
    value_names = opt_prop_def(STRING_ARRAY)
    traits = traits_def(Pure())

    def value_name(self, index: int) -> str:
        return "" if self.value_names is None else self.value_names.data[index].data

    def default_location(self) -> LocationAttr:
        return super().default_location() if self.identity else UnknownLoc()

    CAST: ClassVar[bool] = True
    """Whether the syntax spells the type of the operand too."""

    def print(self, printer: Printer) -> None:
        shown = {k: v for k, v in self.properties.items() if v != StringAttr("")}
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        printer.print_op_attributes(shown | self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        if self.CAST:
            printer.print_string(" to ")
            printer.print_attribute(self.output.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operand = parser.parse_unresolved_operand()
        written = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        before = after = parser.parse_type()
        if cls.CAST:
            parser.parse_keyword("to")
            after = parser.parse_type()
        properties_of_op = cls.get_irdl_definition().properties
        properties: dict[str, Attribute] = {"node_name": StringAttr("")}
        properties |= {k: v for k, v in written.items() if k in properties_of_op}
        op = cls.create(
            operands=[parser.resolve_operand(operand, before)],
            result_types=[after],
            properties=properties,
            attributes={k: v for k, v in written.items() if k not in properties_of_op},
        )
        op.location = op.default_location()
        return op

    def verify_(self) -> None:
        if self.value_names is not None and len(self.value_names) != 1:
            raise VerifyException(
                f"found {counted(len(self.value_names), 'name')} of the result, expected one"
            )


class QuantOp(NamedOp):
    """A cast between real numbers, quantized numbers and stored integers.

    One that stands for a node of an ONNX model has its name, that of its result, and as `source` what
    else the node says: the names of its `operands` from the second on, its `fields`, ...
    """

    source = opt_prop_def(BaseAttr(DictionaryAttr))

    def __init__(
        self,
        input: SSAValue,
        type: Attribute,
        *,
        node_name: str = "",
        value_name: str = "",
        source: DictionaryAttr | None = None,
        location: LocationAttr | None = None,
    ):
        super().__init__(
            operands=[input],
            result_types=[type],
            properties={
                "node_name": StringAttr(node_name),
                "value_names": strings([value_name]) if value_name else None,
                "source": source,
            },
        )
        self.location = location or self.default_location()
        self.output.name_hint = name_hint(value_name)

    def verify_(self) -> None:
        super().verify_()
        before, after = shape_of(self.input.type), shape_of(self.output.type)
        if (before is None) != (after is None) or before != after:
            raise VerifyException(
                f"casts {self.input.type} to {self.output.type}; a cast keeps the shape"
            )

    def check_real(self, real: Attribute, quantized: Attribute) -> None:
        """Raises unless `quantized` stands for the numbers of `real` and fits its shape."""
        uniform = self.check_uniform(quantized)
        if element_type(real) != uniform.expressed:
            raise VerifyException(f"{quantized} stands for {uniform.expressed}, found {real}")

    def check_uniform(self, quantized: Attribute) -> UniformType:
        """The quantized type, which must fit the tensor's shape."""
        uniform = uniform_of(quantized)
        if uniform is None:
            raise VerifyException(f"found {quantized}, expected a tensor of !quant.uniform")
        if uniform.count > INLINE_PARAMS:
            uniform.verify_params()
        shape = shape_of(quantized)
        if shape is None or (axis := uniform.axis) is None:
            return uniform
        if axis >= len(shape):
            raise VerifyException(f"the axis {axis} is none of {quantized}")
        if shape[axis] >= 0 and shape[axis] != uniform.count:
            raise VerifyException(
                f"dimension {axis} of {quantized} is {shape[axis]}, "
                f"found {counted(uniform.count, 'scale')} for it"
            )
        return uniform


@irdl_op_definition
class QuantizeCastOp(QuantOp, HasCanonicalizationPatternsInterface):
    """Quantizes: `saturate(round_half_even(input / scale) + zero_point)`.

    The result for a NaN depends on the library or the host. Quantizing a value that was dequantized with
    the same parameters restores it; a constant is quantized immediately. Example:

        %q = quant.qcast %x : tensor<1x8xf32> to tensor<1x8x!quant.uniform<u8:f32, 0.02:128>>
    """

    name = "quant.qcast"

    def verify_(self) -> None:
        super().verify_()
        self.check_real(self.input.type, self.output.type)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from autosplit.lowering.quant.canonical import QuantizeConstant, QuantizeDequantized

        return (QuantizeDequantized(), QuantizeConstant())


@irdl_op_definition
class DequantizeCastOp(QuantOp):
    """Dequantizes: `(input - zero_point) * scale`.

    Dequantizing a quantized value does not restore the original: quantizing rounds and clamps. Example:

        %x = quant.dcast %q : tensor<1x8x!quant.uniform<u8:f32, 0.02:128>> to tensor<1x8xf32>
    """

    name = "quant.dcast"

    def verify_(self) -> None:
        super().verify_()
        self.check_real(self.output.type, self.input.type)


@irdl_op_definition
class StorageCastOp(QuantOp, HasCanonicalizationPatternsInterface):
    """The same integers, as quantized numbers or as stored integers.

    A cast and its inverse cancel. A cast of integers from outside is a promise that they lie in the range.
    Example:

        %q = quant.scast %w : tensor<8x3xi8> to tensor<8x3x!quant.uniform<i8:f32, 0.1>>
    """

    name = "quant.scast"

    def verify_(self) -> None:
        super().verify_()
        before, after = self.input.type, self.output.type
        if (uniform_of(before) is None) == (uniform_of(after) is None):
            raise VerifyException(
                f"casts {before} to {after}; one of them is quantized, the other is its stored type"
            )
        quantized, stored = (after, before) if uniform_of(before) is None else (before, after)
        uniform = self.check_uniform(quantized)
        if element_type(stored) != uniform.storage:
            raise VerifyException(f"{quantized} is stored as {uniform.storage}, found {stored}")

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from autosplit.lowering.quant.canonical import CastThereAndBack

        return (CastThereAndBack(),)


STATS = BaseAttr(DenseIntOrFPElementsAttr) | BaseAttr(BitsAttr)


@irdl_op_definition
class StatisticsOp(NamedOp):
    """The smallest and the largest number of a value during calibration; the value is unchanged.

    `layerStats` is [min, max] of the whole tensor; `axisStats`, where given, has [min, max] for each
    index of dimension `axis`. Example:

        %y = quant.stats %x {layerStats = dense<[-1.0, 2.5]> : tensor<2xf32>} : tensor<1x8xf32>
    """

    name = "quant.stats"
    CAST: ClassVar[bool] = False
    layer_stats = prop_def(STATS, prop_name="layerStats")
    axis_stats = opt_prop_def(STATS, prop_name="axisStats")
    axis = opt_prop_def(BaseAttr(IntegerAttr))

    def __init__(
        self,
        input: SSAValue,
        layer_stats: Attribute,
        axis_stats: Attribute | None = None,
        axis: int | None = None,
        *,
        value_name: str = "",
    ):
        super().__init__(
            operands=[input],
            result_types=[input.type],
            properties={
                "node_name": StringAttr(""),
                "value_names": strings([value_name]) if value_name else None,
                "layerStats": layer_stats,
                "axisStats": axis_stats,
                "axis": None if axis is None else IntegerAttr(axis, 64),
            },
        )
        self.location = self.default_location()

    def verify_(self) -> None:
        super().verify_()
        if self.input.type != self.output.type:
            raise VerifyException(f"gives {self.output.type} for {self.input.type}")
        _check_stats("layerStats", self.layer_stats, (2,))
        if (self.axis is None) != (self.axis_stats is None):
            raise VerifyException("axis and axisStats come together, found only one of them")
        if self.axis is None or self.axis_stats is None:
            return
        axis = self.axis.value.data
        shape = shape_of(self.input.type)
        if shape is None or not 0 <= axis < len(shape):
            raise VerifyException(f"the axis {axis} is none of {self.input.type}")
        sizes = shape_of(tensor_type(self.axis_stats) or f32) or (0,)
        _check_stats(
            "axisStats", self.axis_stats, (shape[axis] if shape[axis] >= 0 else sizes[0], 2)
        )


def _check_stats(label: str, attr: Attribute, shape: tuple[int, ...]) -> None:
    tensor = tensor_type(attr)
    if tensor is None or tensor.get_shape() != shape or tensor.element_type not in (f32, f16):
        raise VerifyException(f"{label} is {tensor}, expected {TensorType(f32, shape)}")
    array = cast("NDArray[np.float32] | None", tensor_array(attr))
    if array is None or not bool((array[..., 0] <= array[..., 1]).all()):
        raise VerifyException(f"a minimum of {label} is above its maximum, or one is not a number")


Quant = Dialect(
    "quant",
    [QuantizeCastOp, DequantizeCastOp, StorageCastOp, StatisticsOp],
    [UniformType, ParamsAttr],
)
