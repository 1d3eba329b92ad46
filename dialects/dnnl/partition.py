"""oneDNN Graph in IR: its ops, imported graphs, and partitions that the library runs as one kernel.

The ops are those of the library, one for each kind, with its attribute names and its rules for types and
shapes. Values are tensors; their encoding is the memory layout, and is left out if that is row-major:

    %y = dnnl.MaxPool(%x) {strides = [2, 2], kernel = [2, 2], pads_begin = [0, 0], pads_end = [0, 0],
      data_format = "NCX"} : (tensor<1x8x8x8xf32>) -> tensor<1x8x4x4xf32, #dnnl.order<[0, 2, 3, 1]>>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.bodies import (
    check_order,
    print_captures,
    print_rest,
    read_argument,
    read_captures,
    read_rest,
)
from autosplit.dialects.dnnl.base import DnnlOp, property_type, tensor_id
from autosplit.dialects.dnnl.layouts import ints_of
from autosplit.dialects.platform import location_names, name_location


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a `dnnl.partition` or a `dnnl.graph`; its operands are the results, or the output ports.

    Example: `dnnl.return %y : tensor<1x8xf32>`
    """

    name = "dnnl.return"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(PartitionOp, GraphOp)))

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[list(values)])


def _returned(region: Region) -> list[SSAValue]:
    terminator = region.block.last_op
    return list(terminator.operands) if isinstance(terminator, ReturnOp) else []


def _check_body(region: Region, *, any_op: bool) -> None:
    """Raises unless the body is ops of the dialect in order, and a return."""
    block = region.block
    if not isinstance(block.last_op, ReturnOp):
        raise VerifyException("the body ends without dnnl.return")
    for op in block.ops:
        if op is not block.last_op and not isinstance(op, DnnlOp) and not any_op:
            raise VerifyException(
                f"the body holds {op.name}; only ops of the dialect may stand there"
            )
    check_order(block)


@irdl_op_definition
class PartitionOp(IRDLOperation):
    """Ops that the library compiles and runs as one kernel.

    Isolated: values that the ops read from outside are operands, values that other ops read are results.
    `rule` is the name of the fusion rule, or `backend` if the library chose the group. `constants` are
    the indices of operands whose value never changes. Example:

        %y = dnnl.partition "matmul" (%a: tensor<1x8xf32> = %x, %b: tensor<8x4xf32> = %w)
            -> (tensor<1x4xf32>) <{constants = array<i64: 1>}> {
          %c = dnnl.MatMul(%a, %b) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
          dnnl.return %c : tensor<1x4xf32>
        }
    """

    name = "dnnl.partition"
    inputs = var_operand_def()
    outputs = var_result_def()
    rule = prop_def(StringAttr)
    constants = opt_prop_def(DenseArrayBase)
    value_names = opt_prop_def(ArrayAttr[StringAttr])
    input_ids = opt_prop_def(DenseArrayBase)
    input_properties = opt_prop_def(ArrayAttr[StringAttr])
    output_ids = opt_prop_def(DenseArrayBase)
    output_properties = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), Pure())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        rule: str,
        body: Region,
        constants: Iterable[int] = (),
    ):
        indices = sorted(set(constants))
        super().__init__(
            operands=[list(inputs)],
            result_types=[list(result_types)],
            properties={
                "rule": StringAttr(rule),
                "constants": DenseArrayBase.from_list(i64, indices) if indices else None,
            },
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.rule.data)
        printer.print_string(" ")
        print_captures(printer, self)
        print_rest(printer, self, ("rule",))

    @classmethod
    def parse(cls, parser: Parser) -> PartitionOp:
        rule = StringAttr(parser.parse_str_literal("the rule's name"))
        arguments, inputs, results = read_captures(parser)
        properties, attributes, body = read_rest(parser, arguments)
        return cls.create(
            operands=inputs,
            result_types=results,
            properties={"rule": rule, **properties},
            attributes=attributes,
            regions=[body],
        )

    @property
    def constant_indices(self) -> tuple[int, ...]:
        """The indices of the operands whose value never changes."""
        return () if self.constants is None else ints_of(self.constants)

    @property
    def body_ops(self) -> list[DnnlOp]:
        """The ops that run, in order, without the return."""
        return [op for op in self.body.block.ops if isinstance(op, DnnlOp)]

    @property
    def returned(self) -> list[SSAValue]:
        """The values inside that the results are."""
        return _returned(self.body)

    @property
    def identity(self) -> str:
        """The name by which reasons and plans speak of it: the last that its location holds, or ''."""
        return next(reversed(location_names(self.location)), "")

    @classmethod
    def create_from(
        cls, ops: Sequence[DnnlOp], rule: str, constants: Iterable[SSAValue | int] | None = None
    ) -> PartitionOp:
        """Moves ops of one block into a new partition, in their place, and returns it.

        Its operands are the values from outside that they read, in the order of reading; its results are
        those results that other ops read. It takes the place of the last op; other ops in between that read
        their results move behind it. `constants` are operands (values or indices) that never change; None
        stands for those that a file calls constant.

        Raises ValueError if there are no ops, if they are not of one block, and if another op lies
        on a path between two of them: the partition would depend on itself.
        """
        block, ordered = _in_block_order(ops)
        members = set(ordered)
        inputs = list(
            dict.fromkeys(v for op in ordered for v in op.operands if v.owner not in members)
        )
        late = _readers_between(ordered, members)
        outputs = [
            r
            for op in ordered
            for r in op.results
            if any(u.operation not in members for u in r.uses)
        ]
        anchor = ordered[-1]
        for op in reversed(late):
            op.detach()
            block.insert_op_after(op, anchor)
        body = Block(arg_types=[v.type for v in inputs])
        partition = cls(inputs, [r.type for r in outputs], rule, Region(body))
        block.insert_op_after(partition, anchor)
        partition._take(ordered, inputs, outputs)
        if constants is None:
            constants = [i for i, v in enumerate(inputs) if property_type(v) == "constant"]
        partition.set_constants(constants)
        return partition

    def set_constants(self, constants: Iterable[SSAValue | int]) -> None:
        """Sets which operands never change, by value or by index."""
        requested = list(constants)
        indices = {c for c in requested if isinstance(c, int)}
        values = {c for c in requested if not isinstance(c, int)}
        indices |= {i for i, v in enumerate(self.inputs) if v in values}
        if indices:
            self.properties["constants"] = DenseArrayBase.from_list(i64, sorted(indices))
        else:
            self.properties.pop("constants", None)

    def dissolve(self) -> list[DnnlOp]:
        """The inverse of `create_from`: moves the ops back where the partition stood, and erases it."""
        block = self.parent_block()
        if block is None:
            raise ValueError("the partition stands in no block")
        ops, returned = self.body_ops, self.returned
        for argument, value in zip(self.body.block.args, self.inputs, strict=True):
            argument.replace_all_uses_with(value)
        # The return still reads values of its block, so it goes first.
        input_of: dict[SSAValue, SSAValue] = dict(
            zip(self.body.block.args, self.inputs, strict=True)
        )
        outer = [input_of.get(v, v) for v in returned]
        if (terminator := self.body.block.last_op) is not None:
            terminator.detach()
            terminator.erase()
        for op in ops:
            op.detach()
            block.insert_op_before(op, self)
        for result, value in zip(self.outputs, outer, strict=True):
            result.replace_all_uses_with(value)
        self.detach()
        self.erase()
        return ops

    def _take(
        self, ops: Sequence[DnnlOp], inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> None:
        body, members = self.body.block, set[Operation](ops)
        for result, inner_result in zip(self.outputs, outputs, strict=True):
            result.name_hint = inner_result.name_hint
            inner_result.replace_uses_with_if(result, lambda use: use.operation not in members)
        for argument, value in zip(body.args, inputs, strict=True):
            argument.name_hint = value.name_hint
            value.replace_uses_with_if(argument, lambda use: use.operation in members)
        for op in ops:
            op.detach()
            body.add_op(op)
        body.add_op(ReturnOp(list(outputs)))
        self.location = name_location(n for op in ops for n in location_names(op.location))
        self.properties |= value_properties("input", inputs)
        self.properties |= value_properties("output", outputs)
        if (names := names_of(outputs)) is not None:
            self.properties["value_names"] = names

    def verify_(self) -> None:
        arguments = [a.type for a in self.body.block.args]
        if arguments != list(self.operand_types):
            raise VerifyException(
                f"the body takes {_types(arguments)}, is given {_types(self.operand_types)}"
            )
        types = [v.type for v in self.returned]
        if types != list(self.result_types):
            raise VerifyException(
                f"the body returns {_types(types)}, is expected to give {_types(self.result_types)}"
            )
        _check_body(self.body, any_op=False)
        indices = self.constant_indices
        if list(indices) != sorted(set(indices)) or any(
            not 0 <= i < len(arguments) for i in indices
        ):
            raise VerifyException(
                f"constants are increasing indices of the {counted(len(arguments), 'operand')}, "
                f"found {list(indices)}"
            )


def _types(types: Iterable[Attribute]) -> str:
    return "(" + ", ".join(str(t) for t in types) + ")"


def _in_block_order(ops: Sequence[DnnlOp]) -> tuple[Block, list[DnnlOp]]:
    op_set = set(ops)
    block = ops[0].parent_block() if ops else None
    if block is None or any(op.parent_block() is not block for op in ops):
        raise ValueError("a partition is made of one or more ops of one block")
    ordered: list[DnnlOp] = []
    op: Operation | None = min_op(ops)
    while op is not None and len(ordered) < len(op_set):
        if op in op_set:
            ordered.append(cast("DnnlOp", op))
        op = op.next_op
    return block, ordered


def min_op(ops: Sequence[Operation]) -> Operation:
    """The first of several ops of one block, without walking the whole block: all walk back in step."""
    op_set, heads = set(ops), {op: op.prev_op for op in ops}
    while len(heads) > 1:
        for op, previous in list(heads.items()):
            if previous is None:
                return op
            if previous in op_set:
                del heads[op]
                if len(heads) == 1:
                    break
            else:
                heads[op] = previous.prev_op
    return next(iter(heads))


def _readers_between(ordered: Sequence[DnnlOp], members: set[DnnlOp]) -> list[Operation]:
    """The ops between the first and the last of `ordered` that depend on their results, in order."""
    late: dict[Operation, None] = {}
    op: Operation | None = ordered[0]
    while op is not None and op is not ordered[-1]:
        reads = {v.owner for nested in op.walk() for v in nested.operands}
        if op in members:
            if not reads.isdisjoint(late):
                raise ValueError(
                    f"{op.name} reads what lies behind the partition: it would depend on itself"
                )
        elif not reads.isdisjoint(members) or not reads.isdisjoint(late):
            late[op] = None
        op = op.next_op
    if not {v.owner for v in ordered[-1].operands}.isdisjoint(late):
        raise ValueError(
            f"{ordered[-1].name} reads what lies behind the partition: it would depend on itself"
        )
    return list(late)


def value_properties(prefix: str, values: Sequence[SSAValue]) -> dict[str, Attribute]:
    """The properties (`input_ids`, ...) that keep the JSON identities of values, if all have one."""
    properties: dict[str, Attribute] = {}
    ids = [i for v in values if (i := tensor_id(v)) is not None]
    if values and len(ids) == len(values):
        properties[f"{prefix}_ids"] = DenseArrayBase.from_list(i64, ids)
    property_types = [property_type(v) for v in values]
    if any(k != "undef" for k in property_types):
        properties[f"{prefix}_properties"] = ArrayAttr([StringAttr(k) for k in property_types])
    return properties


def names_of(values: Sequence[SSAValue]) -> ArrayAttr[StringAttr] | None:
    """The model's names of results of ops of the dialect; None if any has none."""
    names: list[StringAttr] = []
    for value in values:
        if not isinstance(value, OpResult):
            return None
        value_names = value.op.properties.get("value_names")
        if not isinstance(value_names, ArrayAttr):
            return None
        names.append(cast("ArrayAttr[StringAttr]", value_names).data[value.index])
    return ArrayAttr(names)


@irdl_op_definition
class GraphOp(IRDLOperation):
    """A graph, as in a JSON file of the library.

    Block arguments are the input ports, the operands of `dnnl.return` the output ports. The properties
    keep the other fields of the file. Example:

        dnnl.graph (%x: tensor<4x64xf32>)
            <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> {
          %y = dnnl.ReLU(%x) : (tensor<4x64xf32>) -> tensor<4x64xf32>
          dnnl.return %y : tensor<4x64xf32>
        }
    """

    name = "dnnl.graph"
    version = prop_def(StringAttr)
    engine_kind = prop_def(StringAttr)
    fpmath_mode = prop_def(StringAttr)
    fpmath_mode_apply_to_int = opt_prop_def(StringAttr)
    input_ids = opt_prop_def(DenseArrayBase)
    input_properties = opt_prop_def(ArrayAttr[StringAttr])
    input_ports = opt_prop_def(DenseArrayBase)
    """The file's own list of input ports; it has none if absent."""
    output_ports = opt_prop_def(DenseArrayBase)
    """The file's own list of output ports."""
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        print_rest(printer, self, ())

    @classmethod
    def parse(cls, parser: Parser) -> GraphOp:
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: read_argument(parser)
        )
        properties, attributes, body = read_rest(parser, arguments)
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    @property
    def body_ops(self) -> list[DnnlOp]:
        """The ops of the graph that stand in no partition, in order."""
        return [op for op in self.body.block.ops if isinstance(op, DnnlOp)]

    @property
    def partitions(self) -> list[PartitionOp]:
        """The partitions of the graph, in order."""
        return [op for op in self.body.block.ops if isinstance(op, PartitionOp)]

    @property
    def returned(self) -> list[SSAValue]:
        """The output ports."""
        return _returned(self.body)

    def verify_(self) -> None:
        _check_body(self.body, any_op=True)


def flat_ops(block: Block) -> list[DnnlOp]:
    """The ops of a graph's block in order, with partitions replaced by the ops inside."""
    ops: list[DnnlOp] = []
    for op in block.ops:
        if isinstance(op, PartitionOp):
            ops += op.body_ops
        elif isinstance(op, DnnlOp):
            ops.append(op)
    return ops
