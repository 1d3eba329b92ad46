"""The tables of docs/int8.md: fusion rules, the documented patterns, another system's groups."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.lowering.dnnl.rules.parts import CHECKS
from autosplit.lowering.dnnl.rules.table import rules_table
from autosplit.lowering.dnnl.rules.versions import all_rules

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from autosplit.testing.dnnl.builder import DnnlBuilder

    Build = Callable[[DnnlBuilder], SSAValue]

VERSION = (3, 2)
"""The version of the library that the table of patterns is for: the one that autosplit installs."""

GLUONCV = Path("test/python/test_gluoncv_int8.py")
"""The test that compares our groups with those of other networks; it holds their numbers."""


def dnnl_rules() -> Iterator[str]:
    """The fusion rules of each generation of the library, in the order in which they take ops."""
    names = {check.text: name for name, check in reversed(CHECKS.items())}
    used_checks: dict[str, None] = {}
    generations = sorted({rule.since for rule in all_rules()})
    for since, until in zip(generations, [*generations[1:], None], strict=True):
        start = ".".join(map(str, since))
        stop = "on" if until is None else f"before {'.'.join(map(str, until))}"
        yield from (f"### From {start} {stop}", "", "| rule | ops | if |", "| --- | --- | --- |")
        for row in rules_table(since):
            conditions = [_named(text, names) for text in row.conditions.split("; ") if text]
            used_checks.update(dict.fromkeys(name for _, name in conditions))
            shown = ", ".join(f"{kinds}: {name}" for kinds, name in conditions)
            yield f"| `{row.name}` | `{_ops(row.ops)}` | {_cell(shown)} |"
        yield ""
    yield from ("### Conditions", "", "| condition | meaning | only ours |", "| --- | --- | --- |")
    for name, check in CHECKS.items():
        if name in used_checks:
            yield f"| {name} | {check.text} | {'yes' if check.is_ours else ''} |"


def _named(condition: str, names: dict[str, str]) -> tuple[str, str]:
    """`Add: what must hold` as the kinds of ops and the name of the condition."""
    kinds, _, text = condition.partition(": ")
    return kinds, names[text]


def _ops(text: str) -> str:
    """`Absx0-3` as `Abs x0-3`, and fit for a cell."""
    return re.sub(r"x(\d+-\d+)", r" x\1", text).replace("|", "\\|")


def int8_patterns() -> Iterator[str]:
    """The patterns of the original integration, what rule takes each, and how many partitions it is."""
    yield "| pattern | rule, int8 to fp32 | partitions | rule, int8 to int8 | partitions |"
    yield "| --- | --- | ---: | --- | ---: |"
    for name, build in patterns().items():
        cells: list[str] = []
        for to_int8 in (False, True):
            if name in ONLY_INT8 and not to_int8:
                cells += ["", ""]
                continue
            rule, count = fused(build, to_int8=to_int8)
            cells += [f"`{rule}`", str(count)]
        yield f"| {name} | {' | '.join(cells)} |"


ONLY_INT8 = ("max_pool2d",)
"""Patterns that are documented with an integer result only."""


def patterns() -> dict[str, Build]:
    """The documented patterns, each as a function that writes it and returns what may be quantized."""

    def after(build: Build, *kinds: str, **attrs: Any) -> Build:
        def chain(g: DnnlBuilder) -> SSAValue:
            x = build(g)
            for kind in kinds:
                x = g.op(kind, x, **attrs)
            return x

        return chain

    def plus(build: Build) -> Build:
        def total(g: DnnlBuilder) -> SSAValue:
            x = build(g)
            shape = cast("Any", x.type).get_shape()
            return g.op("Add", x, g.dequantize(g.input("other", shape, "u8")))

        return total

    def divided(g: DnnlBuilder) -> SSAValue:
        return g.op("Divide", _bmm(g), g.input("eight", (1,)))

    conv_sum = plus(_conv)
    return {
        "conv": _conv,
        "linear": _linear,
        "conv, relu": after(_conv, "ReLU"),
        "conv, sum": conv_sum,
        "conv, sum, relu": after(conv_sum, "ReLU"),
        "linear, relu": after(_linear, "ReLU"),
        "linear, gelu": after(_linear, "GELU"),
        "linear, sigmoid": after(_linear, "Sigmoid"),
        "linear, sum": plus(_linear),
        "bmm": _bmm,
        "bmm, div": divided,
        "max_pool2d": _max_pool,
    }


def _conv(g: DnnlBuilder) -> SSAValue:
    x = g.dequantize(g.input("x", (1, 8, 9, 9), "u8"), zero_point=117)
    w = g.dequantize(g.input("w", (16, 8, 3, 3), "s8"), [0.01] * 16, axis=0)
    return g.op(
        *("Convolution", x, w, g.input("bias", (16,))), strides=[1, 1], pads_begin=[1, 1],
        pads_end=[1, 1], dilations=[1, 1], groups=1, data_format="NCX", weights_format="OIX",
    )  # fmt: skip


def _linear(g: DnnlBuilder) -> SSAValue:
    x = g.dequantize(g.input("x", (4, 32), "u8"), zero_point=117)
    w = g.dequantize(g.input("w", (32, 16), "s8"), [0.01] * 16, axis=1)
    return g.op("MatMul", x, w, g.input("bias", (16,)))


def _bmm(g: DnnlBuilder) -> SSAValue:
    a = g.dequantize(g.input("a", (2, 4, 8, 16), "u8"), zero_point=117)
    b = g.dequantize(g.input("b", (2, 4, 16, 8), "u8"), zero_point=121)
    return g.op("MatMul", a, b)


def _max_pool(g: DnnlBuilder) -> SSAValue:
    x = g.dequantize(g.input("x", (1, 8, 8, 8), "u8"), zero_point=117)
    return g.op(
        *("MaxPool", x), kernel=[2, 2], strides=[2, 2], pads_begin=[0, 0], pads_end=[0, 0],
        data_format="NCX",
    )  # fmt: skip


def fused(build: Build, *, to_int8: bool) -> tuple[str, int]:
    """The rule that takes most of a pattern's ops, and the number of partitions, lone casts counted."""
    from autosplit.lowering.dnnl.fuse import fuse
    from autosplit.testing.dnnl.builder import DnnlBuilder

    g = DnnlBuilder()
    x = build(g)
    g.output(g.quantize(x, zero_point=113) if to_int8 else x)
    partitions = fuse(g.module(), VERSION, keep="all")
    return max(partitions, key=lambda p: len(p.body_ops)).rule.data, len(partitions)


def gluoncv() -> Iterator[str]:
    """The networks whose groups are compared with MXNet's, with the numbers that the test asserts."""
    yield "| network | MXNet's groups | equal groups of ours |"
    yield "| --- | --- | ---: |"
    for name, (_, groups) in _networks().items():
        shown = ", ".join(f"{count} {ops.replace(' ', '+')}" for ops, count in groups.items())
        yield f"| {name} | {shown} | {sum(groups.values())} |"


def _networks() -> dict[str, tuple[int, dict[str, int]]]:
    path = Path(__file__).resolve().parents[2] / GLUONCV
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FILES":
            return ast.literal_eval(node.value)
    raise AutosplitError(f"{GLUONCV}: has no table FILES")


def _cell(text: str) -> str:
    return text.replace("|", " or ")
