"""The core of the generated `onnx` dialect: its base class, graphs and constants.

Import all of it from `autosplit.dialects.onnx.ops`. The dialect holds any opset as it is written: every op
has the operands and attributes of all its versions from opset 7 on. A node that fits no declared op (another
domain, a function of the model, an attribute of another type) is an `onnx.opaque`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    NameLoc,
    StringAttr,
    UnitAttr,
    UnknownLoc,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.bodies import check_order
from autosplit.dialects.onnx.fields import int_list, plain_value
from autosplit.dialects.onnx.tensors import BitsAttr, StringsAttr, TensorAttr, tensor_type
from autosplit.dialects.platform import (
    PlatformGraph,
    PlatformOp,
    ProtoAttr,
    UnknownType,
    WeightAttr,
    name_attr,
    parse_name,
    strings,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]

# Constraints on the attributes of nodes, by the kinds of the schemas. One object each, shared by all ops:
# building a constraint costs more than declaring the op.

INT: AttrConstraint[IntegerAttr] = BaseAttr(IntegerAttr)
FLOAT: AttrConstraint[FloatAttr] = BaseAttr(FloatAttr)
STRING: AttrConstraint[StringAttr | BytesAttr] = BaseAttr(StringAttr) | BaseAttr(BytesAttr)
INTS: AttrConstraint[DenseArrayBase] = BaseAttr(DenseArrayBase)
LIST: AttrConstraint[ArrayAttr | DenseArrayBase] = BaseAttr(ArrayAttr) | BaseAttr(DenseArrayBase)
TENSOR: AttrConstraint[
    DenseIntOrFPElementsAttr | BitsAttr | StringsAttr | WeightAttr | TensorAttr | ProtoAttr
] = (
    BaseAttr(DenseIntOrFPElementsAttr)
    | BaseAttr(BitsAttr)
    | BaseAttr(StringsAttr)
    | BaseAttr(WeightAttr)
    | BaseAttr(TensorAttr)
    | BaseAttr(ProtoAttr)
)
PROTO: AttrConstraint[ProtoAttr] = BaseAttr(ProtoAttr)
STRING_ARRAY = cast("AttrConstraint[ArrayAttr[StringAttr]]", BaseAttr(ArrayAttr))


class OnnxOp(PlatformOp):
    """One node of an ONNX model.

    An input that is left out is `_`, an output that is left out has the name `""`. What the node says
    beyond its op (doc string, metadata, ...) is the property `rest`, a NodeProto.
    """

    value_names = prop_def(STRING_ARRAY)
    """The names of the outputs in the model, `""` for one that the node leaves out."""

    rest = opt_prop_def(PROTO)
    """What else the node says, as a NodeProto; only an exporter reads it."""

    SPELLED: ClassVar[frozenset[str]] = PlatformOp.SPELLED | {"value_names"}
    DOMAIN: ClassVar[str] = ""

    @property
    def domain(self) -> str:
        """The operator set of the op; `""` is ONNX's own."""
        return self.DOMAIN

    @property
    def op_type(self) -> str:
        return _kind(self.name)

    def value_name(self, index: int) -> str:
        return self.value_names.data[index].data

    @property
    def output_names(self) -> list[str]:
        """The names of all outputs."""
        return [n.data for n in self.value_names]

    @property
    def inputs(self) -> list[SSAValue | None]:
        """The inputs by position as in the model; None if one is left out, trailing ones trimmed."""
        if self.group_sizes() is None:
            return list(self.operands)
        groups = self.operand_groups()
        values: list[SSAValue | None] = [v for group in groups for v in (group or [None])]
        while values and values[-1] is None:
            values.pop()
        return values

    @property
    def fields(self) -> dict[str, Attribute]:
        """The node's attributes as the IR holds them, graphs aside, in the order of the model."""
        return {k: v for k, v in self.properties.items() if k not in OWN_PROPERTIES}

    def field(self, name: str) -> Attribute | None:
        """The attribute `name` as the IR holds it; None if the node does not have it."""
        return None if name in OWN_PROPERTIES else self.properties.get(name)

    @property
    def graphs(self) -> list[tuple[str, GraphOp]]:
        """The node's graph attributes by name, in order."""
        if not self.regions:
            return []
        names = [name for name, _ in type(self).get_irdl_definition().regions]
        return [(n, graph_of(r)) for n, r in zip(names, self.regions, strict=True)]

    def attribute(
        self, name: str, default: object = None, store: WeightStore | None = None
    ) -> object:
        """The attribute `name` as int, float, str, a list of these, a numpy array or a GraphOp.

        `default` where the node does not have it (the schema's default is not filled in). Text that is not
        UTF-8 is bytes. Raises AutosplitError if it is a weight that is not in `store`.
        """
        for key, graph in self.graphs:
            if key == name:
                return graph
        value = self.field(name)
        return default if value is None else plain_value(value, store)

    def print_result_names(self, printer: Printer) -> None:
        printer.print_string(" -> ")
        with printer.in_square_brackets():
            printer.print_list(self.output_names, printer.print_string_literal)

    @classmethod
    def parse_result_names(cls, parser: Parser) -> dict[str, Attribute]:
        parser.parse_punctuation("->")
        names = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_name(parser, "the name of a result")
        )
        return {"value_names": strings(names)}

    def verify_(self) -> None:
        if len(self.value_names.data) != len(self.results):
            raise VerifyException(
                f"{self.op_type} {self.identity!r} has {counted(len(self.results), 'result')} "
                f"and {counted(len(self.value_names), 'name')} for them"
            )


@cache
def _kind(name: str) -> str:
    return name.rsplit(".", 1)[1]


OWN_PROPERTIES = frozenset({"node_name", "value_names", "rest", "operandSegmentSizes"})


@irdl_op_definition
class OpaqueOp(OnnxOp):
    """A node that no declared op fits: of another domain, a function of the model, or of unusual form.

    Its attributes are the dictionary `fields`; `present` marks with 0 the inputs that are left out.
    Example:

        %y = onnx.opaque "g" (%x, _, %b) -> ["y"] <{op_type = "FusedMatMul", domain = "com.microsoft",
            node_fields = {alpha = 1.0 : f32}, present = array<i32: 1, 0, 1>}>
            : (tensor<1x8xf32>, tensor<8xf32>) -> tensor<1x8xf32>
    """

    name = "onnx.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    type_name = prop_def(StringAttr, prop_name="op_type")
    domain_name = prop_def(StringAttr, prop_name="domain")
    node_fields = opt_prop_def(BaseAttr(DictionaryAttr))
    present = opt_prop_def(INTS)
    region_names = opt_prop_def(STRING_ARRAY)
    """The attributes that the regions are; `name[]` for one of a list."""
    arguments = var_operand_def()
    outputs = var_result_def()
    bodies = var_region_def("single_block")
    traits = traits_def(NoTerminator())

    @property
    def domain(self) -> str:
        return self.domain_name.data

    @property
    def op_type(self) -> str:
        return self.type_name.data

    @property
    def fields(self) -> dict[str, Attribute]:
        return {} if self.node_fields is None else dict(self.node_fields.data)

    def field(self, name: str) -> Attribute | None:
        return None if self.node_fields is None else self.node_fields.data.get(name)

    @property
    def graphs(self) -> list[tuple[str, GraphOp]]:
        names = [] if self.region_names is None else [n.data for n in self.region_names]
        return [(n, graph_of(r)) for n, r in zip(names, self.regions, strict=True)]

    def group_sizes(self) -> Sequence[int] | None:
        return None if self.present is None else [bool(n) for n in int_list(self.present)]

    @classmethod
    def group_properties(cls, sizes: Sequence[int]) -> dict[str, Attribute]:
        return {} if all(sizes) else {"present": DenseArrayBase.from_list(i32, list(sizes))}

    def verify_(self) -> None:
        super().verify_()
        if self.present is not None and sum(int_list(self.present)) != len(self.operands):
            raise VerifyException(
                f"{self.op_type} {self.identity!r}: present does not fit operands"
            )
        count = 0 if self.region_names is None else len(self.region_names)
        if count != len(self.regions):
            raise VerifyException(
                f"{self.op_type} {self.identity!r} has {counted(len(self.regions), 'region')} "
                f"and {counted(count, 'name')} for them"
            )


@irdl_op_definition
class InitializerOp(OnnxOp):
    """A constant of the graph: `result = value`.

    The node's name is the tensor's. `sparse` says that the model has it in coordinate form (`value` is then
    the SparseTensorProto).
    Example: `%w = onnx.initializer "w" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>`
    """

    name = "onnx.initializer"
    value = prop_def(TENSOR)
    sparse = opt_prop_def(UnitAttr)
    output = var_result_def()
    traits = traits_def(Pure())
    IS_CONSTANT: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        value: Attribute,
        type: Attribute | None = None,
        location: LocationAttr | None = None,
    ):
        # Models have thousands of these; setting the fields here is faster than irdl's sorting of arguments.
        Operation.__init__(
            self,
            properties={
                "node_name": name_attr(name),
                "value_names": strings([name]),
                "value": value,
            },
            result_types=[type or tensor_type(value) or UnknownType()],
        )
        self.location = location or self.default_location()
        self.results[0].name_hint = name_hint(name)

    def print_result_names(self, printer: Printer) -> None:
        pass

    @classmethod
    def parse_result_names(cls, parser: Parser) -> dict[str, Attribute]:
        return {}

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        op = super().parse(parser)
        op.properties["value_names"] = strings([op.node_name.data])
        return op

    def verify_(self) -> None:
        super().verify_()
        value_type = tensor_type(self.value)
        if value_type is not None and len(self.results) == 1 and value_type != self.results[0].type:
            raise VerifyException(
                f"initializer {self.identity!r} is {self.results[0].type}, its value {value_type}"
            )


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends an `onnx.graph`; its operands are the graph's outputs.

    Example: `onnx.return %y : tensor<1x8xf32>`
    """

    name = "onnx.return"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(GraphOp)))

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[list(values)])


@irdl_op_definition
class GraphOp(PlatformGraph):
    """A model's graph, or a body of an If, Loop or Scan, which may read the values around it.

    `listed_inputs` is the model's list of inputs if it includes initializers, as in old models; `rest`
    holds the graph's other fields, as a GraphProto. Example:

        onnx.graph "main" (%x "x" : tensor<1x8xf32>) -> ["y"] {
          %y = onnx.Relu "relu" (%x) -> ["y"] : (tensor<1x8xf32>) -> tensor<1x8xf32>
          onnx.return %y : tensor<1x8xf32>
        }
    """

    name = "onnx.graph"
    KEPT: ClassVar[tuple[str, ...]] = ("listed_inputs",)
    graph_name = prop_def(StringAttr)
    input_names = prop_def(STRING_ARRAY)
    output_names = prop_def(STRING_ARRAY)
    listed_inputs = opt_prop_def(STRING_ARRAY)
    rest = opt_prop_def(PROTO)
    body = region_def("single_block")

    def __init__(
        self,
        name: str,
        input_names: Iterable[str],
        output_names: Iterable[str],
        body: Region | Block,
        *,
        listed_inputs: Iterable[str] | None = None,
        rest: ProtoAttr | None = None,
    ):
        super().__init__(
            properties={
                "graph_name": StringAttr(name),
                "input_names": strings(input_names),
                "output_names": strings(output_names),
                "listed_inputs": None if listed_inputs is None else strings(listed_inputs),
                "rest": rest,
            },
            regions=[Region(body) if isinstance(body, Block) else body],
        )
        self._name_arguments()

    def _name_arguments(self) -> None:
        for name, argument in zip(self.input_names, self.body.block.args, strict=False):
            argument.location = NameLoc(name, UnknownLoc())
            argument.name_hint = argument.name_hint or name_hint(name.data)

    def graph_inputs(self) -> list[tuple[str, SSAValue]]:
        names = [n.data for n in self.input_names]
        return list(zip(names, self.body.block.args, strict=True))

    def graph_outputs(self) -> list[tuple[str, SSAValue]]:
        terminator = self.body.block.last_op
        values = terminator.operands if terminator is not None else ()
        return list(zip([n.data for n in self.output_names], values, strict=True))

    def keep_outputs(self, names: Container[str]) -> None:
        outputs = [(name, value) for name, value in self.graph_outputs() if name in names]
        self.output_names = strings(name for name, _ in outputs)
        if (terminator := self.body.block.last_op) is not None:
            terminator.operands = [value for _, value in outputs]

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.graph_name.data)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.graph_inputs(), lambda item: _print_argument(printer, *item))
        printer.print_string(" -> ")
        with printer.in_square_brackets():
            printer.print_list(self.output_names, lambda n: printer.print_string_literal(n.data))
        unspelled = {k: v for k, v in self.properties.items() if k not in _GRAPH_SPELLED}
        if unspelled:
            printer.print_string(" <")
            printer.print_attr_dict(unspelled)
            printer.print_string(">")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parse_name(parser, "the graph's name")
        inputs = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_argument(parser)
        )
        parser.parse_punctuation("->")
        outputs = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_name(parser, "the name of an output")
        )
        properties: dict[str, Attribute] = {
            "graph_name": StringAttr(name),
            "input_names": strings(n for n, _ in inputs),
            "output_names": strings(outputs),
        }
        properties |= parser.parse_optional_properties_dict()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region([argument for _, argument in inputs])
        op = cls.create(
            properties=properties,
            attributes={} if attributes is None else attributes.data,
            regions=[region],
        )
        op._name_arguments()
        return op

    def verify_(self) -> None:
        block = self.body.block
        if len(block.args) != len(self.input_names):
            raise VerifyException(
                f"graph {self.graph_name.data!r} has {counted(len(block.args), 'argument')} "
                f"and {counted(len(self.input_names), 'input name')}"
            )
        if not isinstance(block.last_op, ReturnOp):
            raise VerifyException(f"graph {self.graph_name.data!r} does not end with onnx.return")
        if len(block.last_op.operands) != len(self.output_names):
            raise VerifyException(
                f"graph {self.graph_name.data!r} returns {counted(len(block.last_op.operands), 'value')} "
                f"and has {counted(len(self.output_names), 'output name')}"
            )
        check_order(block)


_GRAPH_SPELLED = frozenset({"graph_name", "input_names", "output_names"})


def _print_argument(printer: Printer, name: str, value: SSAValue) -> None:
    printer.print_ssa_value(value)
    printer.print_string(" ")
    printer.print_string_literal(name)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


def _parse_argument(parser: Parser) -> tuple[str, Parser.Argument]:
    unresolved = parser.parse_argument(expect_type=False)
    name = parse_name(parser, "the name of an input")
    parser.parse_punctuation(":")
    return name, unresolved.resolve(parser.parse_type())


def graph_of(region: Region) -> GraphOp:
    """The graph that a region of a node holds. Raises VerifyException if there is none."""
    op = region.block.first_op
    if not isinstance(op, GraphOp) or op.next_op is not None:
        raise VerifyException("the region of a node holds one onnx.graph and nothing else")
    return op


class BodyOp(OnnxOp):
    """A node with bodies (If, Loop, Scan, ...): each region holds one `onnx.graph`."""

    traits = traits_def(NoTerminator())

    def verify_(self) -> None:
        super().verify_()
        for region in self.regions:
            graph_of(region)


@lru_cache(maxsize=1 << 14)
def name_hint(name: str) -> str | None:
    """The name in text of a value with this name in the model; None if no character remains."""
    hint = re.sub(r"\W+", "_", name, flags=re.ASCII)[:60]
    # The printer uses trailing numbers to make equal names unique.
    hint = re.sub(r"_[_\d]*$", "", hint).lstrip("_")
    if not hint:
        return None
    return hint if not hint[0].isdigit() else f"v{hint}"


SEGMENTS = (AttrSizedOperandSegments(as_property=True),)
PURE = traits_def(Pure())


def attribute(op: OnnxOp, name: str, default: Any = None) -> Any:
    """An attribute as a plain value, text as str; bytes that are not UTF-8 become replacement characters."""
    value = op.attribute(name, default)
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def operand(op: OnnxOp, index: int) -> SSAValue | None:
    """The input at a position; None if the op has none there."""
    inputs = op.inputs
    return inputs[index] if index < len(inputs) else None
