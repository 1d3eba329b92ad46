"""The common base of the platform dialects (`onnx`, `tf`, ...).

A platform dialect holds a model exactly as its framework wrote it. Its ops carry the names that the
framework gave to nodes and values; its constants are dense attributes when they are small, and
references into a weight store (`autosplit.core.weights`) when they are not. This file holds the base classes
of such ops and the few attributes and types that all of them use.
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate, count
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FusedLoc,
    IntegerType,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
    UnknownLoc,
    UnrankedTensorType,
    i32,
)
from xdsl.ir import (
    Attribute,
    BlockArgument,
    Data,
    Dialect,
    Operation,
    OpResult,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    param_def,
    prop_def,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import PassFailedException


@irdl_attr_definition
class UnknownType(ParametrizedAttribute, TypeAttribute):
    """The type of a value whose type the model does not state.

    `infer-shapes` replaces it if the input shapes imply a better one. Example: `!platform.unknown`
    """

    name = "platform.unknown"


class PlainClass(ABCMeta):
    """A metaclass of abstract classes without virtual subclasses (`register`).

    This makes `isinstance`, which passes use most, several times as fast.
    """

    __instancecheck__ = type.__instancecheck__


class LocalType(ParametrizedAttribute, TypeAttribute, metaclass=PlainClass):
    """Base of the types whose values may not go from one sub-model to another, such as handles."""

    WHAT: ClassVar[str] = "a handle"
    """A noun for such a value."""
    EXCHANGED: ClassVar[bool] = False
    """Whether a model may still take and return such values, because its framework's callers do."""


@irdl_attr_definition
class DimsAttr(ParametrizedAttribute):
    """The names of a tensor's symbolic dimensions, as the encoding of its type.

    One entry for each dimension; the empty string if a dimension has no name.
    Example: `tensor<?x3x?x?xf32, #platform.dims<["N", "", "", ""]>>`
    """

    name = "platform.dims"
    names: ArrayAttr[StringAttr] = param_def()


ANONYMOUS = frozenset({"", "?", "None", "-1"})
"""Dimension names that exporters write for any size; two of them need not be equal."""


@irdl_attr_definition
class ProtoAttr(ParametrizedAttribute):
    """A piece of a model file that the compiler keeps but does not read, as serialized protobuf bytes.

    Example: `#platform.proto<"\\0A\\03abc">`
    """

    name = "platform.proto"
    data: BytesAttr = param_def()

    @classmethod
    def of(cls, data: bytes) -> ProtoAttr:
        return cls(BytesAttr(data))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            # Bytes that happen to be text are lexed as text.
            if (text := parser.parse_optional_str_literal()) is not None:
                return [BytesAttr(text.encode())]
            return [BytesAttr(parser.parse_bytes_literal())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_bytes_literal(self.data.data)


@irdl_attr_definition
class WeightAttr(ParametrizedAttribute):
    """A tensor that lives in the weight store: its key there, the digest of its bytes, its type.

    The key is the name that the tensor has in the model file. The digest is BLAKE2b, 8 bytes, in hex,
    over the elements in little-endian C order.
    Example: `#platform.weight<"conv1/weights", "8f14e45fceea167a", tensor<3x3x3x32xf32>>`
    """

    name = "platform.weight"
    key: StringAttr = param_def()
    digest: StringAttr = param_def()
    type: TensorType = param_def()


@dataclass(frozen=True)
class StoreFile:
    """The content of `StoreAttr`, and access to the tensors."""

    path: str
    digest: str
    open: Callable[[], object] | None = field(default=None, compare=False, repr=False)
    """Opens the store of the module's weights, always the same one. None if the module is only text."""


@irdl_attr_definition
class StoreAttr(Data[StoreFile]):
    """A file that holds weights: its path, relative to the module's own file, and its digest.

    Modules carry a list of them as the attribute `platform.stores`.
    Example: `#platform.store<"model.onnx", "b1946ac92492d234">`
    """

    name = "platform.store"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StoreFile:
        with parser.in_angle_brackets():
            path = parser.parse_str_literal()
            parser.parse_punctuation(",")
            return StoreFile(path, parser.parse_str_literal())

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data.path)
            printer.print_string(", ")
            printer.print_string_literal(self.data.digest)


IDENTITY = "platform.identity"
"""The attribute of a node whose names are not unique: a unique name for it."""


class PlatformOp(IRDLOperation, metaclass=PlainClass):
    """One node of a model, as its framework wrote it.

    All platform ops share one custom syntax: name, operands, names of the results, properties, regions.
    An absent optional operand prints as `_`, a variadic group of several in square brackets:

        %y = onnx.Conv "conv1" (%x, %w, _) -> ["y"] {group = 1 : i64} : (...) -> tensor<1x8x4x4xf32>
    """

    node_name = prop_def(StringAttr)
    """The node's name in the model; it may be empty or repeated where the framework allows it."""

    IS_CONSTANT: ClassVar[bool] = False
    """True for ops that only hold a value (initializers, Const nodes). They follow their users."""

    IN_GRAPH_REGION: ClassVar[bool] = False
    """True in dialects whose bodies are graph regions: values may be read before they are defined."""

    IS_OPAQUE: ClassVar[bool] = False
    """True for the class of all nodes that have no class of their own: only the op says its type."""

    @property
    def op_type(self) -> str:
        """The framework's own name of this kind of op, such as `Conv` or `Conv2D`."""
        return _kind(self.name)

    @abstractmethod
    def value_name(self, index: int) -> str:
        """The framework's name of result `index`; '' for an output that the node leaves out."""

    @property
    def identity(self) -> str:
        """The name by which reasons, pins and plans speak of this node.

        Its own name, else that of its first result; if another node has that, the one from `tell_apart`.
        """
        unique_name = self.attributes.get(IDENTITY)
        if isinstance(unique_name, StringAttr):
            return unique_name.data
        return next(self.own_names(), "")

    def own_names(self) -> Iterator[str]:
        """The names that the model has for the node: its own, then those of its results."""
        if self.node_name.data:
            yield self.node_name.data
        yield from filter(None, (self.value_name(i) for i in range(len(self.results))))

    def default_location(self) -> LocationAttr:
        return named_location(self.identity)

    # Names of properties that the custom syntax spells out, so that the property list omits them.
    SPELLED: ClassVar[frozenset[str]] = frozenset({"node_name", "operandSegmentSizes"})

    def group_sizes(self) -> Sequence[int] | None:
        """How many operands each operand that the op declares has; None if that is one each."""
        if not _has_segments(type(self)):
            return None
        attr = cast("DenseArrayBase[IntegerType]", self.properties["operandSegmentSizes"])
        return _unpacked(attr.data.data)

    def operand_groups(self) -> list[Sequence[SSAValue]]:
        """The operands as the syntax shows them, one group for each operand that the op declares."""
        if (sizes := self.group_sizes()) is None:
            return [[v] for v in self.operands]
        ends = accumulate(sizes)
        return [self.operands[stop - size : stop] for size, stop in zip(sizes, ends, strict=True)]

    @classmethod
    def group_properties(cls, sizes: Sequence[int]) -> dict[str, Attribute]:
        """The properties that say how many operands each group of the syntax has."""
        if not _has_segments(cls):
            return {}
        return {"operandSegmentSizes": _packed(tuple(sizes))}

    def print_result_names(self, printer: Printer) -> None:
        """Prints `-> [...]`; dialects whose value names follow from the node's name print nothing."""

    @classmethod
    def parse_result_names(cls, parser: Parser) -> dict[str, Attribute]:
        """Reads what `print_result_names` printed, as properties."""
        return {}

    def shown_properties(self) -> dict[str, Attribute]:
        """The properties that the custom syntax lists, under the names it lists them by."""
        return {k: v for k, v in self.properties.items() if k not in self.SPELLED}

    @classmethod
    def read_properties(cls, shown: dict[str, Attribute]) -> dict[str, Attribute]:
        """The properties for what `shown_properties` listed."""
        return shown

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.node_name.data)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.operand_groups(), lambda group: _print_group(printer, group))
        self.print_result_names(printer)
        if shown := self.shown_properties():
            printer.print_string(" <")
            printer.print_attr_dict(shown)
            printer.print_string(">")
        printer.print_op_attributes(self.attributes)
        printer.print_regions(self.regions)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parse_name(parser, "the node's name")
        pos = parser.pos
        groups = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_group(parser)
        )
        properties: dict[str, Attribute] = {"node_name": StringAttr(name)}
        properties |= cls.parse_result_names(parser)
        properties |= cls.read_properties(parser.parse_optional_properties_dict())
        attributes = parser.parse_optional_attr_dict()
        regions: list[Region] = []
        if parser.parse_optional_punctuation("(") is not None:
            regions.append(parser.parse_region())
            while parser.parse_optional_punctuation(",") is not None:
                regions.append(parser.parse_region())
            parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        types = parser.parse_function_type()
        flat = [operand for group in groups for operand in group]
        operands = parser.resolve_operands(flat, types.inputs.data, pos)
        properties |= cls.group_properties([len(group) for group in groups])
        op = cls.create(
            operands=operands,
            result_types=types.outputs.data,
            properties=properties,
            attributes=attributes,
            regions=regions,
        )
        op.location = op.default_location()
        return op


class PlatformGraph(IRDLOperation, ABC):
    """A whole model, or a nested body of one: named inputs, nodes, named outputs."""

    KEPT: ClassVar[tuple[str, ...]] = ()
    """Properties that sub-models need too; device-outline keeps them on `@main`, as `<dialect>.<name>`."""

    def body_ops(self) -> list[Operation]:
        """The nodes, in the order of the module."""
        # Passing the ops to `list` directly would count them first.
        return list(iter(self.regions[0].block.ops))

    @abstractmethod
    def graph_inputs(self) -> list[tuple[str, SSAValue]]:
        """The inputs that a caller passes, with their names."""

    @abstractmethod
    def graph_outputs(self) -> list[tuple[str, SSAValue]]:
        """The outputs that a caller gets, with their names."""

    @abstractmethod
    def keep_outputs(self, names: Container[str]) -> None:
        """Removes all outputs except those with these names; the ops that compute them stay."""


def tell_apart(ops: Iterable[PlatformOp]) -> None:
    """Gives each node without a unique name a unique `identity`.

    Nodes and tensors have separate namespaces in a model, and only names of tensors are unique. A node keeps
    a unique name; others take that of one of their tensors if no node has it, else that with a number that
    makes it unique.
    """
    nodes = list(ops)
    used_names: set[str] = set()
    nameless: list[PlatformOp] = []
    for op in nodes:
        # A constant has the name of its tensor; nodes come first.
        if op.IS_CONSTANT or not op.node_name.data or op.node_name.data in used_names:
            nameless.append(op)
        else:
            used_names.add(op.node_name.data)
    all_names = {name for op in nodes for name in op.own_names()}
    for op in nameless:
        names = list(op.own_names())
        unique_name = next((name for name in names if name not in used_names), "")
        if not unique_name and names:
            unique_name = next(n for i in count(2) if (n := f"{names[0]}#{i}") not in all_names)
            all_names.add(unique_name)
        used_names.add(unique_name)
        if unique_name != op.identity:
            op.attributes[IDENTITY] = StringAttr(unique_name)
            op.location = op.default_location()


def parse_name(parser: AttrParser, context: str) -> str:
    """Reads a string literal, of any characters: xDSL reads one with non-ASCII escapes as bytes."""
    if (data := parser.parse_optional_bytes_literal()) is not None:
        return data.decode()
    return parser.parse_str_literal(context)


@cache
def _kind(name: str) -> str:
    return name.split(".", 1)[1]


@cache
def _packed(sizes: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i32, sizes)


@cache
def _unpacked(data: bytes) -> tuple[int, ...]:
    return i32.unpack(data, len(data) // i32.compile_time_size)


@cache
def _has_segments(cls: type[PlatformOp]) -> bool:
    options = cls.get_irdl_definition().options
    return any(isinstance(o, AttrSizedOperandSegments) for o in options)


def _print_group(printer: Printer, group: Sequence[SSAValue]) -> None:
    if not group:
        printer.print_string("_")
    elif len(group) == 1:
        printer.print_ssa_value(group[0])
    else:
        with printer.in_square_brackets():
            printer.print_list(group, printer.print_ssa_value)


def _parse_group(parser: Parser) -> list[UnresolvedOperand]:
    if parser.parse_optional_keyword("_") is not None:
        return []
    group = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )
    return [parser.parse_unresolved_operand()] if group is None else group


def value_names(op: Operation) -> list[str]:
    """The names that the property `value_names` gives to the results of an op of any dialect.

    Empty if it has no such property.
    """
    names = op.properties.get("value_names")
    if not isinstance(names, ArrayAttr):
        return []
    items = cast("ArrayAttr[Attribute]", names)
    return [item.data for item in items if isinstance(item, StringAttr)]


def is_member(op: Operation) -> bool:
    """Whether an op of a graph's body can be placed: not the terminator, not a function."""
    return isinstance(op, PlatformOp) or "device.accepts" in op.attributes


def identity_of(op: Operation) -> str:
    """The name by which reasons, pins and plans speak of an op of any dialect."""
    if isinstance(op, PlatformOp):
        return op.identity
    names = location_names(op.location)
    return names[0] if names else next(iter(value_names(op)), "")


def value_name(value: SSAValue) -> str:
    """The framework's name of a value.

    Block arguments carry theirs as the location; in text that was read back it may only be in the property
    `input_names` of the op around them. Raises ValueError if the value has no name.
    """
    if isinstance(value, OpResult) and isinstance(value.op, PlatformOp):
        return value.op.value_name(value.index)
    if isinstance(value, OpResult) and (listed := value_names(value.op)):
        return listed[value.index]
    if isinstance(location := getattr(value, "location", None), NameLoc):
        return location.desc.data
    if isinstance(value, BlockArgument) and (owner := value.owner.parent_op()) is not None:
        names = owner.properties.get("input_names")
        if isinstance(names, ArrayAttr):
            return cast("ArrayAttr[StringAttr]", names).data[value.index].data
    raise ValueError(f"{value} has no name: it is not a value of a platform dialect")


def free_name(names: set[str], base: str, mark: str = "_", first: int = 2) -> str:
    """`base`, or with `mark` and the lowest number from `first` on that is unique; adds it to `names`."""
    name, count = base, first
    while name in names:
        name = f"{base}{mark}{count}"
        count += 1
    names.add(name)
    return name


@lru_cache(maxsize=1 << 14)
def name_attr(name: str) -> StringAttr:
    """A name as an attribute; copies of a model have the same ones."""
    return StringAttr(name)


def strings(names: Iterable[str]) -> ArrayAttr[StringAttr]:
    """Names as an attribute."""
    return _strings(tuple(names))


@lru_cache(maxsize=1 << 14)
def _strings(names: tuple[str, ...]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([name_attr(name) for name in names])


@lru_cache(maxsize=1 << 14)
def named_location(name: str) -> NameLoc:
    """The location of the node `name`; copies of a model have the same ones."""
    return NameLoc(name_attr(name), UnknownLoc())


def name_location(names: Iterable[str]) -> LocationAttr:
    """The location of an op that stands for the nodes `names`."""
    locs = [named_location(n) for n in dict.fromkeys(names) if n]
    if not locs:
        return UnknownLoc()
    return locs[0] if len(locs) == 1 else FusedLoc(ArrayAttr[Attribute](locs), NoneAttr())


def location_names(location: LocationAttr) -> tuple[str, ...]:
    """The node names that a location holds, in order, without repeats."""
    match location:
        case NameLoc():
            return (location.desc.data,)
        case FusedLoc():
            fused_locations = cast("ArrayAttr[LocationAttr]", location.locations)
            names_per_location = (location_names(loc) for loc in fused_locations)
            return tuple(dict.fromkeys(n for names in names_per_location for n in names))
        case _:
            return ()


def platform_graph(module: Operation) -> PlatformGraph:
    """The model's graph in a module that has not been outlined.

    Raises PassFailedException if there is none.
    """
    for op in module.walk():
        if isinstance(op, PlatformGraph):
            return op
    raise PassFailedException(
        "found no model graph (onnx.graph, tf.graph) in the module: this comes before device-outline "
        "and convert-onnx-to-top, which leave none"
    )


def external_operands(op: Operation) -> list[SSAValue]:
    """The values from outside that an op reads, including in its regions, without repeats."""
    if not op.regions:
        return list(dict.fromkeys(op.operands))
    defined = {result for nested in op.walk() for result in nested.results}
    defined |= {a for nested in op.walk() for r in nested.regions for b in r.blocks for a in b.args}
    used = (v for nested in op.walk() for v in nested.operands if v not in defined)
    return list(dict.fromkeys(used))


@lru_cache(maxsize=1 << 12)
def type_text(type: Attribute) -> str:
    """A type as text, cached: a model has many values and few types."""
    return str(type)


def shape_text(shape: Sequence[int]) -> str:
    """A shape as reasons write it: `1x3x?x?`."""
    return "x".join("?" if d < 0 else str(d) for d in shape) or "scalar"


def static_shape(type: Attribute) -> tuple[int, ...] | None:
    """The shape of a tensor type whose dimensions are all known, else None."""
    shape = shape_of(type)
    return None if shape is None or min(shape, default=0) < 0 else shape


def shape_of(type: Attribute) -> tuple[int, ...] | None:
    """The dimensions of a ranked tensor type, negative where not known; None for other types."""
    if not isinstance(type, TensorType):
        return None
    # Like its `get_shape`, without a generator step per size.
    return tuple([size.data for size in type.shape.data])


_TYPE_FIELD = "_type"


def set_type(value: SSAValue, type: Attribute) -> None:
    """Gives a value another type, in place.

    xDSL 0.74 only has a way that makes a new value, which loses a block argument's location (for us its
    name) and makes every table keyed by values stale.
    """
    setattr(value, _TYPE_FIELD, type)


def element_type(type: Attribute) -> Attribute | None:
    """The element type of a tensor type, ranked or not; None if it is unknown."""
    return cast("Attribute", type.element_type) if isinstance(type, TENSORS) else None


TENSORS = (TensorType, UnrankedTensorType)


Platform = Dialect(
    "platform",
    [],
    [UnknownType, DimsAttr, ProtoAttr, WeightAttr, StoreAttr],
)
