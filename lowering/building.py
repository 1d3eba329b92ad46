"""One emitter for all lowerings: new ops with unique names and a location, and constants.

A pass makes `ModuleValues` once, and an emitter for each op that it replaces by others:

    class SplitSwish(BuildingPattern[SwishOp]):
        def rewrite(self, op: SwishOp, rewriter: PatternRewriter, /) -> None:
            e = self.replacement(op, rewriter)
            gate = e.node("gate", "Sigmoid", [op.operands[0]])
            e.replace([op.operands[0], gate], op_type="Mul")

A conversion that writes another module subclasses `Emitter` instead: `builder` is then one that appends to a
block, as `Builder(InsertPoint.at_end(block))`; `name` is the prefix of new names, `MARK` what
stands between that and their role, and `node` is overridden where the new ops are not ONNX's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.dtypes import dtype_of
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import UnknownType, free_name, identity_of, value_names
from autosplit.lowering.rewriting import Pattern
from autosplit.lowering.shared.fold import AnyArray, Constants, folded_constant, writable_store
from autosplit.lowering.shared.names import taken_names

OpT = TypeVar("OpT", bound=Operation)


class ModuleValues:
    """The values of a module: which are constant, which names are taken, and where new weights go."""

    def __init__(self, module: ModuleOp):
        self.constants = Constants(store_for(module))
        self.store = writable_store(module)
        self.names = taken_names(module)
        """Names of erased values stay taken: what is known about a value travels by its name."""

    def fresh(self, name: str) -> str:
        """`name`, with a number appended if it is taken; the result is taken afterwards."""
        return free_name(self.names, name)

    def is_constant(self, value: SSAValue) -> bool:
        """As `Constants.is_constant`."""
        return self.constants.is_constant(value)

    def array(self, value: SSAValue) -> AnyArray | None:
        """As `Constants.array`."""
        return self.constants.array(value)


@dataclass(frozen=True)
class Emitter(Generic[OpT]):
    """Makes new ops for an op, with its location."""

    values: ModuleValues
    op: OpT
    builder: Builder
    place: InsertPoint | None = None
    """Where new ops go; None: where the builder is."""

    MARK: ClassVar[str] = "__"

    @property
    def name(self) -> str:
        """The prefix of new names: that of the op's first result, or of the op."""
        return next(iter(value_names(self.op)), "") or identity_of(self.op) or self.op.name

    def fresh(self, role: str) -> str:
        """A new name for a value that serves the op."""
        return self.values.fresh(f"{self.name}{self.MARK}{role}")

    def insert(self, op: Operation) -> SSAValue:
        """Inserts an op; its first result."""
        return self.builder.insert(op, self.place).results[0]

    def constant(self, role: str, array: AnyArray) -> SSAValue:
        """A new constant."""
        name = self.fresh(role)
        return self.insert(folded_constant(name, array, self.values.store, self.op.location))

    def ints(self, role: str, values: Sequence[int]) -> SSAValue:
        """A new constant of 64-bit integers."""
        return self.constant(role, np.array(values, np.int64))

    def number(self, role: str, value: float, like: SSAValue) -> SSAValue:
        """A new scalar of the element type of `like`; f32 where that is unknown."""
        dtype = dtype_of(like.type)
        return self.constant(role, np.array(value, np.float32 if dtype is None else dtype))

    def node(
        self,
        role: str,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        attributes: Mapping[str, object] | None = None,
        type: Attribute | None = None,
    ) -> SSAValue:
        """A new op with one result."""
        name = self.fresh(role)
        new = make_node(
            op_type,
            inputs,
            [name],
            attributes=attributes,
            result_types=[type or UnknownType()],
            node_name=name,
            location=self.op.location,
        )
        return self.insert(new)


@dataclass(frozen=True)
class Replacement(Emitter[OpT]):
    """Makes the replacement of an op; `builder` is the rewriter of the pattern."""

    builder: PatternRewriter

    def put(
        self,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        attributes: Mapping[str, object] | None = None,
        *,
        names: Sequence[str],
        types: Sequence[Attribute],
        node_name: str = "",
    ) -> OnnxOp:
        """Replaces the op by an ONNX op, result by result; the op's further results have no uses."""
        new = make_node(
            op_type,
            inputs,
            names,
            attributes=attributes,
            result_types=types,
            node_name=node_name,
            location=self.op.location,
        )
        new.attributes.update(self.op.attributes)
        self.insert(new)
        for old, result in zip(self.op.results, new.results, strict=False):
            result.name_hint = old.name_hint
            self.builder.replace_all_uses_with(old, result)
        self.builder.erase(self.op)
        return new

    def replace_value(self, value: SSAValue) -> None:
        """Replaces the op, of one result, by a value that some other op computes."""
        self.builder.replace_all_uses_with(self.op.results[0], value)
        self.builder.erase(self.op)


class OnnxReplacement(Replacement[OnnxOp]):
    """Makes the replacement of an ONNX op."""

    def replace(
        self,
        inputs: Sequence[SSAValue | None],
        *,
        op_type: str = "",
        drop: Collection[str] = (),
        add: Mapping[str, object] | None = None,
        results: int | None = None,
    ) -> OnnxOp:
        """Replaces the op by one with the same names, other inputs, and attributes dropped and added.

        `results` drops results from the end; they must have no uses.
        """
        op = self.op
        fields: dict[str, object] = {k: v for k, v in op.fields.items() if k not in drop}
        return self.put(
            op_type or op.op_type,
            inputs,
            fields | dict(add or {}),
            names=op.output_names[:results],
            types=[r.type for r in op.results[:results]],
            node_name=op.node_name.data,
        )


class BuildingPattern(Pattern[OpT]):
    """A pattern that makes new values, or needs to know which are constant."""

    def __init__(self, values: ModuleValues):
        self.values = values


class OnnxPattern(BuildingPattern[OpT]):
    """A pattern that writes an ONNX op in others."""

    def replacement(self, op: OnnxOp, rewriter: PatternRewriter) -> OnnxReplacement:
        """The emitter of the others."""
        return OnnxReplacement(self.values, op, rewriter)
