"""`benchmarks/bench_forms.py`: what its check complains of."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).resolve().parents[2] / "benchmarks/bench_forms.py"


@pytest.fixture(scope="module")
def forms() -> Any:
    spec = importlib.util.spec_from_file_location("bench_forms", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their annotations up there.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def row(usual: tuple[float, float, float], other: tuple[float, float, float]) -> dict[str, Any]:
    usual_form, other_form = (
        dict(zip(("commands", "memory", "ms"), form, strict=True)) for form in (usual, other)
    )
    given = {"computation": "halves", "target": "bm1684x", "mode": "F16", "kept": ""}
    return given | {"usual": usual_form, "other": other_form}


def test_pairs_compute_the_same_and_are_recorded_for_each_chip(forms: Any):
    for pair in forms.PAIRS:
        assert forms.same(pair), pair.name
    recorded = {(r["computation"], r["target"]) for r in json.loads(forms.RECORDED.read_text())}
    assert recorded == {(p.name, t) for p in forms.PAIRS for t in ("bm1684x", "bm1688")}


@pytest.mark.parametrize(
    ("other", "is_wrong"),
    [
        ((50_000, 50_000, 0.2), False),
        ((50_000, 50_000, 0.1), True),
        ((10_000, 50_000, 0.2), True),
        # Fewer commands, and more memory for them.
        ((10_000, 500_000, 0.2), False),
        # Fewer commands, and slower.
        ((10_000, 50_000, 0.3), False),
    ],
)
def test_a_cheaper_form_needs_a_reason(
    forms: Any, other: tuple[float, float, float], is_wrong: bool
):
    found = row((50_000, 50_000, 0.2), other)
    said = forms.complaints(found, found)
    assert bool(said) == is_wrong
    if is_wrong:
        assert said[0].startswith("halves on bm1684x: the other form is cheaper: ")
    assert forms.complaints(found | {"kept": "for a reason"}, found) == []


def test_a_figure_that_has_grown_is_named(forms: Any):
    before = row((50_000, 50_000, 0.2), (50_000, 50_000, 0.2))
    after = row((90_000, 50_000, 0.2), (90_000, 50_000, 0.2))
    assert forms.complaints(after, before) == [
        "halves on bm1684x: commands were 50000, and are 90000"
    ]
    (said,) = forms.complaints(before, None)
    assert "nothing is recorded" in said
