"""The fusion rules: what they say, and that the library groups the same ops on every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sampled import sample
from xdsl.ir import SSAValue

from autosplit.dialects.dnnl import DnnlOp
from autosplit.lowering.dnnl.fuse import fuse
from autosplit.lowering.dnnl.rules.match import Graph, match
from autosplit.lowering.dnnl.rules.parts import Rule
from autosplit.lowering.dnnl.rules.table import rules_table
from autosplit.lowering.dnnl.rules.versions import all_rules, library_rules, rules_of
from autosplit.runtime.dnnl.library import library
from autosplit.testing.dnnl.graphs import S8, Oracle, Sketch, example, groups_of

VERSION = library().version[:2]
KNOWN = ((3, 2), (3, 6))
RULES = [(version, rule) for version in KNOWN for rule in rules_of(version)]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    found = Oracle()
    yield found
    found.close()


def _name(value: object) -> str:
    return value.name if isinstance(value, Rule) else str(value)


@pytest.mark.parametrize("version", KNOWN)
def test_names_are_unique_and_every_rule_has_a_sentence(version: tuple[int, int]):
    rules = rules_of(version)
    assert len({r.name for r in rules}) == len(rules) > 40
    assert all(r.doc and len(r.doc.splitlines()) == 1 for r in rules)


def test_versions_between_the_known_ones_are_taken_for_the_older():
    assert rules_of((3, 5)) == rules_of((3, 2)) == rules_of((3, 1))
    assert rules_of((3, 13)) == rules_of((3, 6)) != rules_of((3, 5))
    assert {r.until for r in rules_of((3, 2))} == {None, (3, 6)}
    assert {r.since for r in rules_of((3, 6))} == {(3, 1), (3, 6)}


def test_the_table_says_what_the_rules_are():
    rows = {row.name: row for row in rules_table((3, 2))}
    assert len(rows) == len(rules_of((3, 2)))
    conv = rows["int8-conv-sum"]
    assert conv.versions == "3.1 until 3.6"
    assert conv.ops == (
        "(Dequantize, [Quantize>]Dequantize) > Convolution > [BiasAdd] > Add(Dequantize) >"
        " elementwisex0-3 > Quantize"
    )
    assert "Dequantize: per tensor" in rows["int8-pool"].conditions
    assert len(rules_table()) == len(all_rules()) == len(set(all_rules()))


@pytest.mark.parametrize(("version", "rule"), RULES, ids=_name)
@pytest.mark.parametrize("fill", ["least", "most"])
def test_a_rule_takes_its_own_example_whole(version: tuple[int, int], rule: Rule, fill: str):
    ops = [op for op in example(rule, fill).walk() if isinstance(op, DnnlOp)]
    rule = next(r for r in library_rules(version) if r.name == rule.name)
    found = [match(rule, node) for node in Graph(ops).nodes]
    assert len(ops) in [len(nodes) for nodes in found if nodes is not None]


@pytest.mark.parametrize("rule", sample(rules_of(VERSION)), ids=_name)
def test_the_library_makes_the_same_groups(rule: Rule, oracle: Oracle):
    """Of the shortest and the longest form, one op too many, and each result read twice or needed outside."""
    size = len([op for op in example(rule).walk() if isinstance(op, DnnlOp)])
    forms = [(fill, -1, -1) for fill in ("least", "most", "more")]
    forms += [("most", i, -1) for i in range(size)] + [("most", -1, i) for i in range(size)]
    for form in forms:
        module = example(rule, *form)
        expected = oracle.groups(module)
        fuse(module, VERSION, keep="all")
        assert groups_of(module) == expected, form


BY_VERSION: dict[str, Callable[[Sketch], SSAValue]] = {
    # What 3.2 splits and 3.6 runs as one.
    "softmax-quantize": lambda s: s.q(s.op("SoftMax", s.arg(), axis=3), zp=3),
    "layernorm-quantize": lambda s: s.q(s.norm(s.arg()), zp=3),
    "layernorm-gelu-quantize": lambda s: s.q(s.op("GELU", s.norm(s.arg()))),
    "bmm-div-add-quantize": lambda s: s.q(
        s.op(
            "Add",
            s.op("Divide", s.op("MatMul", s.dq(), s.dq(of=S8)), s.arg(shape=(1,))),
            s.arg(),
        )
    ),
    "four-ops": lambda s: s.q(
        _chain(s, s.weighted("Convolution", s.dq()), "ReLU", "Abs", "Exp", "Tanh")
    ),
}


def _chain(sketch: Sketch, x: SSAValue, *kinds: str) -> SSAValue:
    for kind in kinds:
        x = sketch.op(kind, x)
    return x


@pytest.mark.parametrize("name", BY_VERSION)
def test_what_newer_versions_fuse(name: str, oracle: Oracle):
    counts: dict[tuple[int, int], int] = {}
    for version in KNOWN:
        sketch = Sketch()
        BY_VERSION[name](sketch)
        module = sketch.module()
        expected = oracle.groups(module) if version == VERSION else None
        fuse(module, version, keep="all")
        counts[version] = len(groups_of(module))
        assert expected in (None, groups_of(module))
    assert counts[3, 2] > counts[3, 6] == 1
