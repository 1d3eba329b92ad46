"""Where ops run: targets, placements with their reasons, and outlined sub-models.

Placement lives in attributes on the ops of the platform dialects, so that the model itself stays as its
framework wrote it until it is cut:

| attribute on an op | set by | holds |
| --- | --- | --- |
| `device.accepts` | device-place | the devices that accept the op, as in `["cpu", "tpu"]` |
| `device.refused` | device-place | for each other device the `#device.reason`, as in `{tpu = ...}` |
| `device.work` | device-place | multiply-adds |
| `device.uncounted` | device-place | that only a run could have told how many there are |
| `device.stage` | device-cluster | the sub-model's place in the order, from 0 |
| `device.loop` | device-place | the loop that the op is part of; a loop is never parted |
| `device.constant` | device-place | that the op is the same in every run and follows its users |
| `device.value` | device-place | the integers that the op's results have at these input shapes |
| `device.folded` | device-cluster | that only such a value is left of the op |
| `device.moved` | device-cluster | why an op that the TPU accepts runs on the CPU all the same |

Ops of other dialects, such as `dnnl.partition`, are placed too where they have `device.accepts`; their values
are called what their property `value_names` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FlatSymbolRefAttrConstr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Dialect,
    Operation,
    OpResult,
    ParametrizedAttribute,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    param_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import (
    CallableOpInterface,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from autosplit.core.units import counted
from autosplit.dialects.bodies import (
    ReadArgument,
    check_order,
    print_captures,
    print_rest,
    read_argument,
    read_captures,
    read_rest,
)
from autosplit.dialects.platform import (
    LocalType,
    named_location,
    parse_name,
    strings,
)


class Kind(StrEnum):
    """The kinds of device: the model's framework, a Sophgo chip, oneDNN Graph, and what calls them."""

    cpu = "cpu"
    tpu = "tpu"
    dnnl = "dnnl"
    host = "host"


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """A device that a sub-model is for: its kind and, for a TPU, the chip.

    Chips are the names of the tables in `autosplit/devices`.
    Example: `#device.target<tpu, "bm1684x">`, `#device.target<cpu>`, `#device.target<dnnl>`
    """

    name = "device.target"
    kind: StringAttr = param_def()
    chip: StringAttr = param_def()

    @classmethod
    def of(cls, kind: Kind | str, chip: str = "") -> TargetAttr:
        return cls(StringAttr(kind), StringAttr(chip))

    @property
    def is_tpu(self) -> bool:
        return self.kind.data == Kind.tpu

    @property
    def is_dnnl(self) -> bool:
        return self.kind.data == Kind.dnnl

    @classmethod
    def read(cls, parser: AttrParser) -> TargetAttr:
        """Reads what `print_parameters` prints, `<tpu, "bm1684x">`."""
        with parser.in_angle_brackets():
            kind = parser.parse_str_enum(Kind)
            chip = ""
            if parser.parse_optional_punctuation(",") is not None:
                chip = parser.parse_str_literal("the chip's name")
        return cls.of(kind, chip)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        target = cls.read(parser)
        return [target.kind, target.chip]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.kind.data)
            if self.chip.data:
                printer.print_string(", ")
                printer.print_string_literal(self.chip.data)

    def verify(self) -> None:
        if self.is_tpu and not self.chip.data:
            raise VerifyException(
                'a tpu target names its chip, as in #device.target<tpu, "bm1684">'
            )
        if not self.is_tpu and self.chip.data:
            raise VerifyException(
                f"a {self.kind.data} target has no chip, found {self.chip.data!r}"
            )


@irdl_attr_definition
class ReasonAttr(ParametrizedAttribute):
    """Why an op is refused or moved: a stable code and a sentence.

    The code is for counting and for scripts (`unsupported-op`, `dtype`, `dynamic-shape`, ...); the
    sentence names the operand, its actual property and the required one.
    Example: `#device.reason<"dtype", "operand 0 is f64, bm1684 computes f32 and i8">`
    """

    name = "device.reason"
    code: StringAttr = param_def()
    text: StringAttr = param_def()

    @classmethod
    def of(cls, code: str, text: str) -> ReasonAttr:
        return cls(StringAttr(code), StringAttr(text))


def items_of(attr: Attribute | None) -> tuple[Attribute, ...]:
    """The items of an array; none if it is missing, or something else."""
    return cast("ArrayAttr[Attribute]", attr).data if isinstance(attr, ArrayAttr) else ()


def reason_of(op: Operation) -> ReasonAttr | None:
    """Why an op is on the CPU, from placing and clustering; None if nothing is recorded."""
    refused = op.attributes.get("device.refused")
    reason = None
    if isinstance(refused, DictionaryAttr):
        reason = refused.data.get(Kind.tpu) or refused.data.get(Kind.dnnl)
    reason = reason or op.attributes.get("device.moved")
    return reason if isinstance(reason, ReasonAttr) else None


def _check_passed(label: str, values: Iterable[SSAValue], target: TargetAttr) -> None:
    """Raises if a value leaves a sub-model that may not; the framework may exchange some with the caller."""
    by_framework = target.kind.data in (Kind.cpu, Kind.host)
    for i, value in enumerate(values):
        if isinstance(value.type, LocalType) and not (by_framework and value.type.EXCHANGED):
            raise VerifyException(f"{label} {i} is {value.type}, which may not leave its sub-model")


def _check_taken(label: str, values: Iterable[SSAValue], target: TargetAttr) -> None:
    """Raises if a sub-model gets a value that may not leave another one; those of the caller may reach it."""
    values = list(values)
    _check_passed(label, values, target)
    for i, value in enumerate(values):
        if isinstance(value.type, LocalType) and isinstance(value, OpResult):
            raise VerifyException(f"{label} {i} is {value.type}, which may not leave its sub-model")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a `device.region`; its operands are the region's results.

    Example: `device.yield %y : tensor<1x8xf32>`
    """

    name = "device.yield"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(RegionOp)))

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[list(values)])


@irdl_op_definition
class RegionOp(IRDLOperation):
    """A cluster of ops for one device, still in place in the model.

    Isolated: the values that it reads are its operands, so it can be outlined unchanged. Example:

        %y = device.region <cpu> (%a: tensor<1x8xf32> = %x) -> (tensor<1x8xf32>) {
          device.yield %a : tensor<1x8xf32>
        }
    """

    name = "device.region"
    target = prop_def(TargetAttr)
    captures = var_operand_def()
    outputs = var_result_def()
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self,
        target: TargetAttr,
        captures: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region,
    ):
        super().__init__(
            operands=[list(captures)],
            result_types=[list(result_types)],
            properties={"target": target},
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.target.print_parameters(printer)
        printer.print_string(" ")
        print_captures(printer, self)
        print_rest(printer, self, ("target",))

    @classmethod
    def parse(cls, parser: Parser) -> RegionOp:
        target = TargetAttr.read(parser)
        arguments, captures, results = read_captures(parser)
        properties, attributes, body = read_rest(parser, arguments)
        return cls.create(
            operands=captures,
            result_types=results,
            properties={"target": target, **properties},
            attributes=attributes,
            regions=[body],
        )

    def verify_(self) -> None:
        _check_taken("operand", self.captures, self.target)
        _check_passed("result", self.outputs, self.target)
        _check_ends(
            "the body",
            self.body.block,
            [v.type for v in self.captures],
            [r.type for r in self.outputs],
        )
        check_order(self.body.block)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a `device.func`; its operands are the function's results.

    Example: `device.return %y : tensor<1x8xf32>`
    """

    name = "device.return"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(FuncOp)))

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[list(values)])


class FuncIsCallable(CallableOpInterface):
    """What xDSL's interpreter asks of a function."""

    @classmethod
    def get_callable_region(cls, op: Operation) -> Region:
        return op.regions[0]

    @classmethod
    def get_argument_types(cls, op: Operation) -> tuple[Attribute, ...]:
        return tuple(op.regions[0].block.arg_types)

    @classmethod
    def get_result_types(cls, op: Operation) -> tuple[Attribute, ...]:
        terminator = op.regions[0].block.last_op
        return () if terminator is None else tuple(terminator.operand_types)


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A sub-model (or, with target `host`, the whole model as a sequence of calls).

    Its inputs and outputs go by the tensor names of the model's framework. `sym_name` is `graph_N`, N the
    place in the order, or `main`. `files` has the paths of the emitted sub-model, if there is one.
    Example:

        device.func @graph_1 <tpu, "bm1684"> (%x "x" : tensor<1x8xf32>) -> ["y"] {
          %y = onnx.Relu "relu" (%x) -> ["y"] : (tensor<1x8xf32>) -> tensor<1x8xf32>
          device.return %y : tensor<1x8xf32>
        }

    An input whose location is not its name is written the other way round, `"x" %x: T loc(...)`.
    """

    name = "device.func"
    sym_name = prop_def(StringAttr)
    target = prop_def(TargetAttr)
    input_names = prop_def(ArrayAttr[StringAttr])
    output_names = prop_def(ArrayAttr[StringAttr])
    files = opt_prop_def(Attribute)
    body = region_def("single_block")
    traits = traits_def(
        IsolatedFromAbove(),
        SymbolOpInterface(),
        FuncIsCallable(),
        SingleBlockImplicitTerminator(ReturnOp),
    )

    HOST: ClassVar[str] = "main"
    SPELLED: ClassVar[tuple[str, ...]] = ("sym_name", "target", "input_names", "output_names")

    def __init__(
        self,
        name: str,
        target: TargetAttr,
        input_names: Iterable[str],
        output_names: Iterable[str],
        body: Region,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "target": target,
                "input_names": strings(input_names),
                "output_names": strings(output_names),
            },
            regions=[body],
        )

    @property
    def inputs(self) -> list[tuple[str, SSAValue]]:
        names = [n.data for n in self.input_names]
        return list(zip(names, self.body.block.args, strict=True))

    @property
    def outputs(self) -> list[tuple[str, SSAValue]]:
        terminator = self.body.block.last_op
        values = terminator.operands if terminator is not None else ()
        return list(zip([n.data for n in self.output_names], values, strict=True))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" ")
        self.target.print_parameters(printer)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.inputs, lambda item: _print_input(printer, *item))
        printer.print_string(" -> ")
        with printer.in_square_brackets():
            printer.print_list(self.output_names, lambda n: printer.print_string_literal(n.data))
        print_rest(printer, self, self.SPELLED)

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        name = parser.parse_symbol_name()
        target = TargetAttr.read(parser)
        inputs = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _read_input(parser)
        )
        parser.parse_punctuation("->")
        outputs = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_name(parser, "the name of an output")
        )
        properties, attributes, body = read_rest(parser, [argument for _, argument in inputs])
        spelled = (name, target, strings(n for n, _ in inputs), strings(outputs))
        return cls.create(
            properties={**dict(zip(cls.SPELLED, spelled, strict=True)), **properties},
            attributes=attributes,
            regions=[body],
        )

    def verify_(self) -> None:
        block = self.body.block
        terminator = block.last_op
        values = list(terminator.operands) if terminator is not None else []
        if len(block.args) != len(self.input_names):
            raise VerifyException(
                f"@{self.sym_name.data} has {counted(len(block.args), 'argument')} "
                f"and {counted(len(self.input_names), 'input name')}"
            )
        if len(values) != len(self.output_names):
            raise VerifyException(
                f"@{self.sym_name.data} returns {counted(len(values), 'value')} "
                f"and has {counted(len(self.output_names), 'output name')}"
            )
        _check_passed("input", block.args, self.target)
        _check_passed("output", values, self.target)
        check_order(block)


def _print_input(printer: Printer, name: str, value: SSAValue) -> None:
    if isinstance(value, BlockArgument) and value.location != named_location(name):
        printer.print_string_literal(name)
        printer.print_string(" ")
        printer.print_block_argument(value)
        return
    printer.print_ssa_value(value)
    printer.print_string(" ")
    printer.print_string_literal(name)
    printer.print_string(" : ")
    printer.print_attribute(value.type)


def _read_input(parser: Parser) -> tuple[str, ReadArgument]:
    unresolved = parser.parse_optional_argument(expect_type=False)
    if unresolved is None:
        return parse_name(parser, "the name of an input"), read_argument(parser)
    name = parse_name(parser, "the name of an input")
    parser.parse_punctuation(":")
    return name, ReadArgument(unresolved.resolve(parser.parse_type()), named_location(name))


@irdl_op_definition
class CallOp(IRDLOperation):
    """Runs a sub-model on its device.

    Example: `%y = device.call @graph_1(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>`
    """

    name = "device.call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def()
    outputs = var_result_def()
    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $outputs)"
    )

    def __init__(
        self, callee: str, arguments: Sequence[SSAValue], result_types: Sequence[Attribute]
    ):
        super().__init__(
            operands=[list(arguments)],
            result_types=[list(result_types)],
            properties={"callee": SymbolRefAttr(callee)},
        )

    def verify_(self) -> None:
        if isinstance(self.get_toplevel_object(), Block | Region):
            return
        name = self.callee.root_reference.data
        try:
            callee = SymbolTable.lookup_symbol(self, self.callee)
        except ValueError:  # an op without a module around it
            callee = None
        if not isinstance(callee, FuncOp):
            raise VerifyException(f"calls @{name}, which is not a device.func of this module")
        if callee.target.kind.data == Kind.host:
            raise VerifyException(
                f"calls @{name}, which is for the host and calls sub-models itself"
            )
        parent = self.parent_op()
        if isinstance(parent, FuncOp) and parent.target.kind.data != Kind.host:
            raise VerifyException(
                f"@{parent.sym_name.data} is a sub-model and calls @{name}; only the host calls"
            )
        _check_taken("operand", self.arguments, callee.target)
        _check_ends(
            f"@{name}",
            callee.body.block,
            [v.type for v in self.arguments],
            [r.type for r in self.outputs],
        )


@irdl_op_definition
class ForeignOp(IRDLOperation):
    """All that a sub-model computes, where its `files` are of a framework that autosplit does not read.

    Example: `%y = device.foreign(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>`
    """

    name = "device.foreign"
    arguments = var_operand_def()
    outputs = var_result_def()
    assembly_format = "`(` $arguments `)` attr-dict `:` functional-type($arguments, $outputs)"

    def __init__(self, arguments: Sequence[SSAValue], result_types: Sequence[Attribute]):
        super().__init__(operands=[list(arguments)], result_types=[list(result_types)])


def _check_ends(name: str, block: Block, inputs: list[Attribute], outputs: list[Attribute]) -> None:
    """Raises unless the block takes `inputs` and its terminator returns `outputs`."""
    terminator = block.last_op
    argument_types = [a.type for a in block.args]
    if argument_types != inputs:
        raise VerifyException(f"{name} takes {_types(argument_types)}, is given {_types(inputs)}")
    results = [v.type for v in terminator.operands] if terminator is not None else []
    if results != outputs:
        raise VerifyException(
            f"{name} gives {_types(results)}, is expected to give {_types(outputs)}"
        )


def _types(types: list[Attribute]) -> str:
    return "(" + ", ".join(str(t) for t in types) + ")"


Device = Dialect(
    "device",
    [RegionOp, YieldOp, FuncOp, ReturnOp, CallOp, ForeignOp],
    [TargetAttr, ReasonAttr],
)
