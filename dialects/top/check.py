"""The verifier of the dialect's ops: what TPU-MLIR's own would refuse, and required names."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import NoneType, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import nearest
from autosplit.core.units import counted
from autosplit.dialects.top.base import TopOp, to_attribute, to_python
from autosplit.dialects.top.spec import OR_NONE, VARIADIC, AttrSpec, PortSpec


def check_op(op: TopOp) -> None:
    """Raises VerifyException if TPU-MLIR would refuse the op or could not find its results by name."""
    _check_count("operand", len(op.inputs), op.SPEC.counts)
    _check_count("result", len(op.outputs), op.SPEC.result_counts)
    _check_count("region", len(op.bodies), (len(op.SPEC.regions), len(op.SPEC.regions)))
    _check_types("operand", op.inputs, op.SPEC.operands)
    _check_types("result", op.outputs, op.SPEC.results)
    _check_attributes(op)
    _check_names(op)
    if _is_first(op):
        _check_unique(op)


def _check_count(noun: str, count: int, allowed: tuple[int, int | None]) -> None:
    low, high = allowed
    if low <= count and (high is None or count <= high):
        return
    expected = f"at least {low}" if high is None else f"{low} to {high}"
    raise VerifyException(
        f"has {counted(count, noun)}, expected {low if low == high else expected}"
    )


def _check_types(role: str, values: tuple[SSAValue, ...], ports: tuple[PortSpec, ...]) -> None:
    for index, (value, port) in enumerate(zip(values, _spread(ports, len(values)), strict=True)):
        if isinstance(value.type, TensorType | UnrankedTensorType):
            continue
        # What a variadic operand may be differs from kind to kind; the ops of loops take none.
        if isinstance(value.type, NoneType) and port.count in (OR_NONE, VARIADIC):
            continue
        allowed = "a tensor or none" if port.count == OR_NONE else "a tensor"
        raise VerifyException(f"{role} {index} ({port.name}) is {value.type}, expected {allowed}")


def _spread(ports: tuple[PortSpec, ...], count: int) -> list[PortSpec]:
    """The port of each of `count` values."""
    spread: list[PortSpec] = []
    for port in ports:
        repeat = max(count - len(ports) + 1, 0) if port.count == VARIADIC else 1
        spread += [port] * repeat
    return spread[:count]


def _check_attributes(op: TopOp) -> None:
    specs = op.SPEC.attrs
    for name, attribute in op.attributes.items():
        if (attr := specs.get(name)) is None:
            if "." in name:
                # A discardable attribute, with the name of its dialect.
                continue
            raise VerifyException(f"has no attribute {name!r}{nearest(name, list(specs))}")
        _check_attribute(attr, attribute)
    for name, attr in specs.items():
        if attr.required and name not in op.attributes:
            raise VerifyException(f"needs the attribute {name!r} ({attr.type})")


def _check_attribute(attr: AttrSpec, attribute: Attribute) -> None:
    try:
        value = to_python(attribute)
        if to_attribute(attr.type, value) != attribute:
            raise ValueError
    except ValueError:
        raise VerifyException(
            f"attribute {attr.name!r} is {attribute}, expected a value of type {attr.type}"
        ) from None
    if attr.choices and value not in attr.choices:
        expected = ", ".join(attr.choices)
        raise VerifyException(f"attribute {attr.name!r} is {value!r}, expected one of {expected}")


def _check_names(op: TopOp) -> None:
    if op.kind == "None" or not op.outputs:
        return
    names = op.names
    if len(names) != len(op.outputs):
        raise VerifyException(
            f"has {counted(len(op.outputs), 'result')} and {counted(len(names), 'name')}, "
            "expected a location such as "
            'loc("name"), or of several results loc(fused["a", "b"])'
        )
    if not all(names):
        raise VerifyException("has a result without a name; its location is an empty string")


def _is_first(op: TopOp) -> bool:
    """Whether the op is the first of the dialect in its function."""
    if isinstance(op.parent_op(), TopOp):
        return False
    previous = op.prev_op
    while previous is not None and not isinstance(previous, TopOp):
        previous = previous.prev_op
    return previous is None


def _check_unique(op: TopOp) -> None:
    """Raises if two results in the function have one name: TPU-MLIR would take one for the other."""
    block = op.parent_block()
    if block is None:
        return
    used_names: set[str] = set()
    for name in _names_in(block):
        if name in used_names:
            raise VerifyException(f"two results of the function have the name {name!r}")
        used_names.add(name)


def _names_in(block: Block) -> Iterator[str]:
    for op in block.walk():
        if isinstance(op, TopOp) and op.kind != "None" and op.outputs:
            yield from op.names
