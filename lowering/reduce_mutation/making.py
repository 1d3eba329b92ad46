"""Making the new ops of `reduce-mutation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.dtypes import dtype_of, ranked_type
from autosplit.dialects.aten import DECLARED, AtenOp
from autosplit.dialects.aten.values import Argument, DtypeAttr, attribute_of, places_in
from autosplit.dialects.onnx.base import name_hint
from autosplit.dialects.platform import free_name, identity_of, shape_of, strings
from autosplit.lowering.rewriting import located

Part: TypeAlias = "Argument | Attribute"
"""An argument of a new op: a value, a constant, or an argument of another op as the IR has it."""


SIZE = ranked_type(i64, ())
"""The type of a size."""


@dataclass(frozen=True)
class Maker:
    """Makes ops at one insertion point, under unique names."""

    origin: Operation
    """The op that they replace, or serve."""
    place: InsertPoint
    rewriter: PatternRewriter
    names: set[str]
    """The names that are taken."""
    created: list[Operation]
    """The list that new ops are added to."""

    def call(
        self,
        kind: str,
        arguments: Mapping[str, Part],
        types: Sequence[Attribute],
        like: AtenOp | None = None,
        symbols: Sequence[str] = (),
    ) -> Sequence[OpResult]:
        """The results of a new op; it has the names of `like`, if that is given, whose place it takes.

        `symbols`: the arguments that are numbers though the schema declares tensors.
        """
        operands: list[tuple[str, SSAValue]] = []
        constants: dict[str, Attribute] = {}
        for name, part in arguments.items():
            values, constant = _split_part(part)
            operands += [(name, value) for value in values]
            if constant is not None:
                constants[name] = constant
        name = self.fresh(identity_of(self.origin)) if like is None else like.node_name.data
        kept = [] if like is None else [like.value_name(i) for i in range(len(like.results))]
        missing = range(len(kept), len(types))
        names = [*kept, *(name if len(types) == 1 else self.fresh(f"{name}_{i}") for i in missing)]
        more = {"symbols": strings(symbols)} if symbols else {}
        new = DECLARED[kind].make(name, constants, operands, types, names[: len(types)], more)
        located(new, self.origin)
        self.created.append(new)
        self.rewriter.insert(new, self.place)
        return new.results

    def __call__(self, kind: str, arguments: Mapping[str, Part], type: Attribute) -> SSAValue:
        """The result of a new op that has one."""
        return self.call(kind, arguments, [type])[0]

    def fresh(self, name: str) -> str:
        """`name`, with a number appended if it is taken."""
        return free_name(self.names, name)

    def reapply(self, op: AtenOp, tensor: SSAValue) -> Sequence[OpResult]:
        """The results of a view, applied to another tensor."""
        arguments = parts_of(op)
        port = op.operand_ports()[0]
        types = [result.type for result in op.results]
        make = replace(self, origin=op)
        return make.call(_kind(op), {**arguments, port: tensor}, types, symbols=symbols_of(op))

    def reshape(self, part: SSAValue, like: SSAValue) -> SSAValue:
        """A tensor in the shape of another one."""
        sizes: list[Argument] = [
            size if size >= 0 else self.size(like, dim)
            for dim, size in enumerate(shape_of(like.type) or ())
        ]
        return self("reshape", {"self": part, "shape": sizes}, like.type)

    def size(self, tensor: SSAValue, dim: int) -> SSAValue:
        """The size of a dimension."""
        return self("sym_size.int", {"self": tensor, "dim": dim}, SIZE)

    def cast(self, value: SSAValue, type: Attribute) -> SSAValue:
        """A tensor with the elements of another type."""
        return self("_to_copy", {"self": value, "dtype": dtype_attr(type)}, type)


def rename(value: OpResult, name: str) -> None:
    """Gives a value another name; its op keeps its own."""
    op = value.op
    assert isinstance(op, AtenOp)
    names = [op.value_name(i) for i in range(len(op.results))]
    names[value.index] = name
    op.properties.pop("value_names", None)
    if names != [op.node_name.data]:
        op.properties["value_names"] = strings(names)
    value.name_hint = name_hint(name)


def dtype_attr(type: Attribute) -> DtypeAttr:
    """The element type of a tensor under PyTorch's name."""
    dtype = dtype_of(type)
    assert dtype is not None, type
    attr = DtypeAttr.of(dtype.name)
    assert isinstance(attr, DtypeAttr)
    return attr


def symbols_of(op: AtenOp) -> list[str]:
    """The arguments of an op that are numbers though its schema declares tensors."""
    return [] if op.symbols is None else [name.data for name in op.symbols]


def parts_of(op: AtenOp) -> dict[str, Part]:
    """The arguments of an op, its constants as they are in the IR."""
    constants = op.node_args.data
    return {
        name: constants[name] if name in constants and not places_in(constants[name]) else value
        for name, value in op.arguments().items()
    }


def _kind(op: AtenOp) -> str:
    assert op.SPEC is not None
    return op.SPEC.kind


def _split_part(part: Part) -> tuple[list[SSAValue], Attribute | None]:
    """The values in an argument, and the rest of it as an attribute; None if there is no rest."""
    if isinstance(part, Attribute):
        return [], part
    if isinstance(part, SSAValue):
        return [part], None
    if not isinstance(part, list):
        return [], attribute_of(part)
    values = [item for item in part if isinstance(item, SSAValue)]
    is_all = bool(values) and len(values) == len(part)
    return values, None if is_all else attribute_of(part)
