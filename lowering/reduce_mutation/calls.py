"""Reading aten ops as calls of PyTorch's functions: schema, arguments by name, operands by argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Operation

from autosplit.dialects.aten import AtenOp
from autosplit.dialects.aten.spec import ArgSpec, OpSpec
from autosplit.dialects.aten.table import OP_TABLE
from autosplit.dialects.aten.values import Argument, default_value
from autosplit.dialects.platform import element_type


@dataclass(frozen=True)
class AtenCall:
    """An op with a schema in the table."""

    op: AtenOp
    spec: OpSpec

    @property
    def name(self) -> str:
        """The op's name without its overload: `add_`."""
        return self.spec.base

    @cached_property
    def arguments(self) -> Mapping[str, Argument]:
        """The arguments that the program has, by name, in the schema's order."""
        return self.op.arguments()

    def __getitem__(self, name: str) -> Argument:
        """An argument, or its default."""
        if name in self.arguments:
            return self.arguments[name]
        return default_value(self.spec.arg_by_name[name].default)

    def get(self, name: str, default: Argument = None) -> Argument:
        """As `[]`; `default` where the op has no such argument."""
        return self[name] if name in self.spec.arg_by_name else default

    def integer(self, name: str, default: int = 0) -> int:
        """An argument that is an integer; `default` where it is none."""
        value = self.get(name, default)
        return value if isinstance(value, int) else default

    def integers(self, name: str) -> list[int]:
        """An argument that is an integer, or a list of them."""
        value = self.get(name, [])
        return [i for i in (value if isinstance(value, list) else [value]) if isinstance(i, int)]

    @cached_property
    def slots(self) -> tuple[ArgSpec, ...]:
        """The argument that each operand belongs to."""
        return tuple(self.spec.arg_by_name[port] for port in self.op.operand_ports())

    @cached_property
    def written(self) -> tuple[int, ...]:
        """The operands that the op updates."""
        condition = self.spec.writes_only_if
        if condition is not None and not self[condition]:
            return ()
        return tuple(i for i, slot in enumerate(self.slots) if slot.writes)

    @property
    def is_complex(self) -> bool:
        """Whether the first operand has complex numbers."""
        return isinstance(element_type(self.op.operands[0].type), ComplexType)


def call_of(op: Operation) -> AtenCall | None:
    """An op as a call; None if the table does not have it."""
    if not isinstance(op, AtenOp) or op.SPEC is None:
        return None
    return AtenCall(op, op.SPEC)


def overloads(name: str) -> tuple[OpSpec, ...]:
    """The overloads of PyTorch's own op `name`, sorted."""
    return _by_name().get(name, ())


@cache
def _by_name() -> Mapping[str, tuple[OpSpec, ...]]:
    by_name: dict[str, list[OpSpec]] = {}
    for spec in OP_TABLE.values():
        if spec.namespace == "aten":
            by_name.setdefault(spec.base, []).append(spec)
    return {name: tuple(sorted(specs, key=lambda s: s.overload)) for name, specs in by_name.items()}
