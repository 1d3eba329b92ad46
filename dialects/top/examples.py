"""Ops as text, one of each kind, for their docstrings and for the lit test that has them all."""

from __future__ import annotations

from string import ascii_lowercase

from autosplit.dialects.top.spec import (
    BOOL,
    DICTS,
    F64,
    F64S,
    I32,
    I32S,
    I64,
    I64S,
    OR_NONE,
    SI32,
    STRING,
    UI32,
    VARIADIC,
    AttrSpec,
    OpSpec,
    PortSpec,
)

_VALUES = {
    BOOL: "true",
    I64: "3",
    I32: "-3",
    SI32: "-3",
    UI32: "3",
    F64: "0.1",
    STRING: '"text"',
    I64S: "[1, -2]",
    I32S: "[1, -2]",
    F64S: "[0.5, 1.0e-05]",
    DICTS: '[{a = 1 : i64, b = 5.000000e-01 : f64, c = "d"}]',
}


def example(spec: OpSpec, type: str = "T", *, full: bool = False) -> list[str]:
    """The lines of an op whose values are of `type`, with what it needs or, if `full`, all attributes."""
    operands = ", ".join("%none" if p.count == OR_NONE else "%x" for p in spec.operands)
    types = ", ".join("none" if p.count == OR_NONE else type for p in spec.operands)
    outs = [_result(p, type) for p in spec.results for _ in range(1 + (p.count == VARIADIC))]
    if outs and spec.kind != "None":
        outs[0] = type
    letters = ascii_lowercase[: len(outs)]
    names = [spec.kind] if len(outs) == 1 else [f"{spec.kind}_{letter}" for letter in letters]
    attrs = ", ".join(f"{a.name} = {_value(a)}" for a in spec.attrs.values() if full or a.required)
    assignment = ", ".join(f"%{name}" for name in names) + " = " * bool(names)
    head = f"{assignment}top.{spec.kind}({operands})" + f" {{{attrs}}}" * bool(attrs)
    out = outs[0] if len(outs) == 1 else f"({', '.join(outs)})"
    tail = f" : ({types}) -> {out}{_location(names)}"
    if not spec.regions:
        return [head + tail]
    yield_line = f"  top.Yield(%x, %x) : ({type}, {type}) -> ()"
    lines = [f"{head} ({{", yield_line]
    for _ in spec.regions[1:]:
        lines += ["}, {", yield_line]
    return [*lines, "})" + tail]


def _result(port: PortSpec, type: str) -> str:
    return "none" if port.count == OR_NONE else type


def _location(names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    if not names or names == ["None"]:
        return ""
    return f" loc({quoted})" if len(names) == 1 else f" loc(fused[{quoted}])"


def _value(attr: AttrSpec) -> str:
    return f'"{attr.choices[-1]}"' if attr.choices else _VALUES[attr.type]
