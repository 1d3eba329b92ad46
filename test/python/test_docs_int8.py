"""The tables of the INT8 pages, and that no code of a reason is missing from them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosplit.dialects.reasons import REASONS
from autosplit.flows.compile import CompileOptions
from autosplit.lowering.dnnl.rules.versions import all_rules, rules_of
from autosplit.lowering.pipelines import build_passes
from autosplit.lowering.quant.convolutions.quant_sum_as_conv import QuantSumAsConvPass
from autosplit.lowering.quant.fold_requantize import QuantFoldRequantizePass
from autosplit.registry import get_all_passes
from autosplit.tools.generate import int8 as docs_int8
from autosplit.tools.generate import pages as docs

LOWERING = docs.ROOT / "lowering"
PAGE = (docs.ROOT / "docs" / "fusion_rules.md").read_text()

SOURCES = {
    "aten.kept": tuple(f"reduce_mutation/{n}.py" for n in ("aliases", "kept", "views")),
    "quant.refused": ("quant/convert_onnx_to_quant.py", "quant/operators.py"),
    "quant.kept": ("quant/quantize/quant_select.py",),
    "quant.weights": ("quant/quantize/quant_saturation.py",),
    "dnnl.unmapped": ("dnnl/convert_onnx_to_dnnl.py", "dnnl/table.py", "dnnl/unsafe.py"),
    "dnnl.unfused": ("dnnl/fuse.py", "dnnl/rules/unfused.py"),
}


def test_the_23_patterns_are_what_the_library_makes_of_them():
    """A sum of integers with a float result is two partitions, all else is one."""
    rows = [line.split(" | ") for line in list(docs_int8.int8_patterns())[2:]]
    numbers: dict[str, list[str]] = {}
    for first, *cells in rows:
        numbers[first.removeprefix("| ")] = [c.strip(" |") for c in cells[1::2]]
    assert sum(len(list(filter(None, cells))) for cells in numbers.values()) == 23
    sums = {name for name in numbers if "sum" in name}
    assert sums == {"conv, sum", "conv, sum, relu", "linear, sum"}
    for name, (to_float, to_int8) in numbers.items():
        assert to_int8 == "1"
        if name != "max_pool2d":
            assert to_float == ("2" if name in sums else "1")


@pytest.mark.parametrize("to_int8", [False, True])
@pytest.mark.parametrize("name", docs_int8.patterns())
def test_the_library_agrees_on_the_patterns(name: str, to_int8: bool):
    """The policy that asks the installed library makes as many partitions."""
    from autosplit.runtime.dnnl.library import library
    from autosplit.testing.dnnl.builder import DnnlBuilder, fuse
    from autosplit.testing.int8 import partitions_in

    if name in docs_int8.ONLY_INT8 and not to_int8:
        return
    build, version = docs_int8.patterns()[name], ".".join(map(str, library().version[:2]))
    g = DnnlBuilder()
    x = build(g)
    g.output(g.quantize(x, zero_point=113) if to_int8 else x)
    found = fuse(g.module(), version=version, policy="backend", keep="all")
    assert len(partitions_in(found)) == docs_int8.fused(build, to_int8=to_int8)[1]


def test_all_rules_and_conditions_are_on_their_page():
    for version in {rule.since for rule in all_rules()}:
        for rule in rules_of(version):
            assert f"| `{rule.name}` | `" in PAGE
    table = PAGE[PAGE.index("### Conditions") :]
    named = re.findall(r"^\| `[^|]+` \| `.+` \| (.*) \|$", PAGE, re.MULTILINE)
    used = {text.split(": ")[1] for cell in named for text in cell.split(", ") if ": " in text}
    assert used
    assert {name for name in used if f"| {name} | " not in table} == set()


def test_networks_of_mxnet_are_on_the_page():
    rows = list(docs_int8.gluoncv())
    assert len(rows) == 2 + 6
    assert rows[2] == "| mobilenet1.0 | 27 conv+bn+relu | 27 |"
    assert all(row in PAGE for row in rows)


def test_the_page_says_how_the_pipeline_sums():
    passes = {p.name: p for p in build_passes("int8", get_all_passes())}
    fold, ones = passes["quant-fold-requantize"], passes["quant-sum-as-conv"]
    assert isinstance(fold, QuantFoldRequantizePass)
    assert isinstance(ones, QuantSumAsConvPass)
    page = (docs.ROOT / "docs" / "int8.md").read_text()
    assert CompileOptions(Path()).sums == fold.sums == ones.sums
    assert f"| `{fold.sums}` (default) |" in page


def _codes(path: Path) -> Iterator[str]:
    """The codes that a source gives reasons by: first argument of what makes them, or of a pair that is
    returned or stands in a table."""
    for node in ast.walk(ast.parse(path.read_text())):
        first: ast.expr | None = None
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func)
            if name in ("ReasonAttr.of", "_Refusal") or name.endswith(".refuse"):
                # Behind the op, where one function refuses several.
                first = node.args[isinstance(node.args[0], ast.Name | ast.Attribute)]
            if isinstance(first, ast.IfExp):
                yield from (
                    b.value for b in (first.body, first.orelse) if isinstance(b, ast.Constant)
                )
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            first = next(iter(node.value.elts), None)
        elif isinstance(node, ast.Dict):
            pairs = [v.elts for v in node.values if isinstance(v, ast.Tuple) and len(v.elts) == 2]
            yield from (
                e.value for e, _ in pairs if isinstance(e, ast.Constant) and "-" in str(e.value)
            )
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            continue
        if re.fullmatch(r"[a-z0-9-]+", first.value):
            yield first.value


@pytest.mark.parametrize("attribute", [a for a in REASONS if not a.startswith("device.")])
def test_the_codes_of_reasons_are_those_of_the_sources(attribute: str):
    found = {code for name in SOURCES[attribute] for code in _codes(LOWERING / name)}
    assert found == set(REASONS[attribute])
    name = "reduce_mutation.md" if attribute == "aten.kept" else "reasons.md"
    page = (docs.ROOT / "docs" / name).read_text()
    for code in found:
        assert f"| `{code}` | `{attribute}` |" in page
