"""What docs/int8_performance.md says of kernels: nothing that plans run is slow."""

import json

import pytest

from autosplit.testing.networks.files import names
from autosplit.testing.networks.kernel_forms import FORMS
from autosplit.tools.generate.int8_performance import FORMS_FILE, KERNELS, latency
from autosplit.tools.generate.slow_kernels import is_slow, summary


def test_no_recorded_form_runs_a_reference_kernel() -> None:
    found = json.loads(FORMS_FILE.read_text())
    assert set(found) == set(FORMS)
    slow = [f for f, of in found.items() for s in of["steps"] if any(map(is_slow, s["kernels"]))]
    assert slow == []


def test_no_recorded_network_runs_a_reference_kernel_for_long() -> None:
    found = json.loads(KERNELS.read_text())
    assert set(found) <= set(names())
    # A few bytes cost less there than on the way to another runtime.
    slow = [s for network in found.values() for s in network["slow"] if s["ms"] > 0.05]
    assert slow == []


@pytest.mark.parametrize(
    ("kernel", "slow"),
    [
        ("pooling ref:any", True),
        ("convolution ref_int8:any", True),
        ("softmax jit:avx512_core", False),
        ("reorder simple:any", False),
    ],
)
def test_reference_kernels_are_known_by_name(kernel: str, slow: bool) -> None:
    assert is_slow(kernel) == slow


def test_a_summary_counts_kernels_and_lists_slow_steps() -> None:
    def step(kind: str, *kernels: str) -> dict[str, object]:
        return {
            "name": "a",
            "kind": kind,
            "rule": "int8-pool",
            "kernels": list(kernels),
            "problem": "mb1",
            "ms": 2.0,
        }

    found = summary([step("segment"), step("partition", "pooling ref:any"), step("copy")])
    assert found["partitions"] == found["segments"] == 1
    assert found["kernels"] == {"pooling ref:any": 1}
    assert [s["sizes"] for s in found["slow"]] == ["mb1"]


def test_the_table_takes_the_faster_of_the_others() -> None:
    def side(engine: str, ratio: float, precision: str = "int8") -> dict[str, object]:
        return {
            "engine": engine,
            "precision": precision,
            "version": engine,
            "min_ms": 1.0,
            "median_ms": 2.0,
            "ratio": ratio,
            "ratio_quartiles": [ratio, ratio],
            "cosine": 0.5,
        }

    sides = [side("autosplit", 1.0), side("onnxruntime", 0.5), side("openvino", 0.8)]
    lines = latency({"net": {"sides": sides, "threads": 2, "idle": 0.9}})
    assert "| 0.80 (0.80 to 0.80) |" in lines[2]
