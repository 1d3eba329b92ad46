"""What is added to a product: no partition computes it with the library's reference kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onednn_installed import needs_library

from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.lowering.dnnl.rules.operands import (
    FAST_OPERANDS,
    MASKS,
    has_fast_operand,
    takes_mask,
)
from autosplit.runtime.latency.profile import profile_plan
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.qdq import QdqBuilder
from autosplit.tools.generate.slow_kernels import is_slow

PRODUCTS = {
    ("MatMul", 2): ((16, 32), (32, 24)),
    ("MatMul", 3): ((4, 16, 32), (4, 32, 24)),
    ("MatMul", 4): ((4, 3, 16, 32), (4, 3, 32, 24)),
    ("MatMul", 5): ((2, 4, 3, 16, 32), (2, 4, 3, 32, 24)),
    ("Convolution", 4): ((4, 16, 6, 5), (24, 16, 1, 1)),
}


def cases() -> Iterator[tuple[str, int, tuple[int, ...]]]:
    for kind, rank in FAST_OPERANDS:
        for marks in itertools.product((0, 1), repeat=rank):
            yield kind, rank, marks


def model(kind: str, rank: int, marks: tuple[int, ...]) -> tuple[QdqBuilder, tuple[int, ...]]:
    left, right = PRODUCTS[kind, rank]
    b = QdqBuilder(seed=sum(marks), name="operand")
    x = b.qdq(b.input("x", left))
    if kind == "Convolution":
        y, shape = b.conv(x, right, bias=False), (left[0], right[0], *left[2:])
    else:
        y, shape = b.node("MatMul", x, b.qdq(b.input("y", right))), (*left[:-1], right[-1])
    operand = tuple(n if mark else 1 for n, mark in zip(shape, marks, strict=True))
    numbers = np.random.default_rng(1).standard_normal(operand)
    b.output(b.qdq(b.node("Add", y, b.constant(numbers.astype(np.float32)))))
    return b, operand


def attention(marks: tuple[int, ...]) -> QdqBuilder:
    """Attention of 3 heads, with a mask."""
    shape = (4, 3, 16, 16)
    b = QdqBuilder(seed=sum(marks), name="attention")
    queries, keys, values = (
        b.qdq(b.input(name, size))
        for name, size in [("q", (4, 3, 16, 8)), ("k", (4, 3, 8, 16)), ("v", (4, 3, 16, 8))]
    )
    mask = tuple(n if mark else 1 for n, mark in zip(shape, marks, strict=True))
    numbers = np.random.default_rng(1).standard_normal(mask).astype(np.float32)
    scores = b.node("Mul", b.node("MatMul", queries, keys), b.constant(np.float32(0.35)))
    weights = b.node("Softmax", b.node("Add", scores, b.constant(numbers)), axis=-1)
    weighed = b.node("MatMul", b.qdq(weights, scale=1 / 255, zero_point=0), values)
    turned = b.node("Transpose", weighed, perm=[0, 2, 1, 3])
    b.output(b.qdq(b.node("Reshape", turned, b.constant(np.array([4, 16, 24])))))
    return b


@needs_library
@pytest.mark.parametrize(("kind", "rank", "marks"), list(cases()))
def test_no_reference_kernel_runs(
    kind: str, rank: int, marks: tuple[int, ...], tmp_path: Path
) -> None:
    check(model(kind, rank, marks)[0], tmp_path / "model.onnx")


@needs_library
@pytest.mark.parametrize("marks", list(itertools.product((0, 1), repeat=4)))
def test_masks(marks: tuple[int, ...], tmp_path: Path) -> None:
    """A library from 3.6 on has a reference kernel for some, and reads beyond others."""
    path = tmp_path / "model.onnx"
    check(attention(marks), path)
    for version in ("3.2", "3.6"):
        plan = str(compile_model(CompileOptions(path, version=version)).module)
        is_whole = "int8-attention" in plan
        assert is_whole == ("".join(map(str, marks)) in MASKS)


def check(b: QdqBuilder, path: Path) -> None:
    onnx.save(b.build(), path)
    result = compile_model(CompileOptions(path, rounding="exact"))
    plan = Plan.from_module(result.module, result.model.store)
    feeds = b.feeds()
    steps = profile_plan(plan, feeds, 1)["steps"]
    assert any(s["rule"].startswith("int8-") for s in steps)
    assert not [s for s in steps if any(map(is_slow, s["kernels"]))]
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for name, expected in zip(
        plan.output_names, session.run(plan.output_names, feeds), strict=True
    ):
        found = plan.run(feeds)[name].astype(np.float64)
        assert np.abs(found - np.asarray(expected, np.float64)).mean() < 0.05


def test_what_has_a_fast_kernel() -> None:
    assert has_fast_operand("MatMul", (64, 3, 49, 49), (64, 3, 49, 49))
    assert not has_fast_operand("MatMul", (64, 3, 49, 49), (1, 3, 49, 49))
    # With one image there is nothing to repeat.
    assert has_fast_operand("MatMul", (1, 3, 49, 49), (1, 3, 49, 49))
    assert has_fast_operand("MatMul", (8, 12, 128, 128), (128,))
    # Open extents may be larger than 1.
    assert not has_fast_operand("MatMul", (-1, 3, 49, 49), (1, 3, 49, 49))
    assert has_fast_operand("MatMul", None, (1, 3, 49, 49))
    assert has_fast_operand("ConvTranspose", (1, 3, 49, 49), (1, 3, 49, 1))
    assert not takes_mask((1, 4, 196, 196), (1, 4, 196, 196))
    assert takes_mask((1, 4, 196, 196), (1, 1, 196, 196))
    assert takes_mask((1, 4, 196, 196), (196,))
    assert not takes_mask((2, 4, 196, 196), (1, 1, 1, 196))
    assert not takes_mask((2, 4, 196, 196), (196, 196))
