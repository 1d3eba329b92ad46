"""Gates: a product whose parts go through activations and meet again is quantized and computed in parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from sampled import sample
from test_normalize_int8 import Graph, prepared, run

from autosplit.api import compile as compile_file
from autosplit.api import infer, load_compiled
from autosplit.explain.int8 import explain_int8
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.folder import plans
from autosplit.lowering.convert_onnx_to_top.check import top_level_ops

RANDOM = np.random.default_rng(3)
WIDTH = 8
SHAPES = {"Conv": (2, 4, 9, 9), "line": (2, 4, 30), "MatMul": (2, 6, 4), "Gemm": (6, 4)}


def product(g: Graph, kind: str, channels: int) -> tuple[str, int]:
    """A product of the input, and the dimension of its channels."""
    bias = g.c(RANDOM.standard_normal(channels) * 0.2)
    if kind == "MatMul":
        y = g("MatMul", "x", g.c(RANDOM.standard_normal((4, channels))))
        return g("Add", y, bias), 2
    if kind == "Gemm":
        weights = g.c(RANDOM.standard_normal((channels, 4)))
        return g("Gemm", "x", weights, bias, transB=1), 1
    kernel = (3, 3) if kind == "Conv" else (3,)
    weights = g.c(RANDOM.standard_normal((channels, 4, *kernel)) * 0.3)
    return g("Conv", "x", weights, bias, kernel_shape=kernel), 1


def split(g: Graph, y: str, axis: int, sizes: Sequence[int]) -> list[str]:
    parts = [f"{y}_{i}" for i in range(len(sizes))]
    g.nodes.append(
        onnx.helper.make_node("Split", [y, g.c(list(sizes), np.int64)], parts, axis=axis)
    )
    return parts


def slices(g: Graph, y: str, axis: int, sizes: Sequence[int]) -> list[str]:
    """What frameworks write in place of a Split; the last one ends at the end, wherever that is."""
    ends = [*np.cumsum(sizes)[:-1], np.iinfo(np.int64).max]
    starts = [0, *np.cumsum(sizes)[:-1]]
    return [
        g("Slice", y, *(g.c([n], np.int64) for n in (start, end, axis)))
        for start, end in zip(starts, ends, strict=True)
    ]


def gate(g: Graph, parts: Sequence[str], kinds: str) -> str:
    """The product of activations of the parts."""
    made = [
        part if kind == "-" else g(kind, part)
        for part, kind in zip(parts, kinds.split(), strict=True)
    ]
    y = made[0]
    for other in made[1:]:
        y = g("Mul", y, other)
    return y


def behind(g: Graph, kind: str, y: str, width: int = WIDTH) -> str:
    if kind in ("MatMul", "Gemm"):
        return g("MatMul", y, g.c(RANDOM.standard_normal((width, 5))))
    weights = RANDOM.standard_normal((5, width, *((1, 1) if kind == "Conv" else (1,))))
    return g("Conv", y, g.c(weights))


def compared(g: Graph, outputs: Sequence[str], folder: Path) -> tuple[list[str], list[str]]:
    """Quantizes and compiles; the numbers are those of the quantized model, and near those of float32.

    What each partition computes, and the types of the ops beside them.
    """
    real, quantized = folder / "real.onnx", folder / "int8.onnx"
    onnx.save(g.model(*outputs), real)
    shape = g.x.shape
    samples = [{"x": np.random.default_rng(n).standard_normal(shape).astype("f")} for n in range(4)]
    quantize_model(QuantizeOptions(real, quantized, samples=samples, calibrator="minmax"))
    onnx.checker.check_model(onnx.load(quantized), full_check=True)
    compile_file(quantized, folder / "out")
    compiled = load_compiled(folder / "out")
    for feeds in samples[:2]:
        exact, written = (run(onnx.load(path), feeds["x"]) for path in (real, quantized))
        for expected, same, found in zip(
            exact, written, infer(compiled, feeds).values(), strict=True
        ):
            np.testing.assert_allclose(found, same, atol=0.02 * np.abs(same).max())
            assert np.std(found - expected) < 0.08 * np.std(expected)
    explained = explain_int8(plans.load_compiled(folder / "out").module)
    return [" ".join(member.kind for member in one.ops) for one in explained.partitions], [
        op.type for op in explained.outside
    ]


@needs_library
@pytest.mark.parametrize("parts_of", sample([split, slices]))
@pytest.mark.parametrize(
    "kinds", ["Tanh Sigmoid", "- Sigmoid", "Elu Sigmoid", "Relu -", "- - Tanh"]
)
@pytest.mark.parametrize("kind", SHAPES)
def test_a_gate(kind: str, kinds: str, parts_of, tmp_path: Path):
    """Nothing is left to ONNX Runtime, and nothing is rounded inside."""
    g = Graph(x=RANDOM.standard_normal(SHAPES[kind]).astype(np.float32))
    count = len(kinds.split())
    y, axis = product(g, kind, count * WIDTH)
    y = gate(g, parts_of(g, y, axis, [WIDTH] * count), kinds)
    partitions, outside = compared(g, [behind(g, kind, y)], tmp_path)
    assert outside == []
    assert len(partitions) == count + 2
    assert sum("Multiply Quantize" in one for one in partitions) == 1


@needs_library
@pytest.mark.parametrize("reader", ["MaxPool", "output"])
def test_what_else_reads_a_part(reader: str, tmp_path: Path):
    """Then the product is rounded as a whole, and activations of its parts are tables of bytes."""
    g = Graph(x=RANDOM.standard_normal(SHAPES["Conv"]).astype(np.float32))
    y, axis = product(g, "Conv", 3 * WIDTH)
    a, b = split(g, y, axis, [WIDTH, 2 * WIDTH])
    if reader == "output":
        outputs = [behind(g, "Conv", g("Sigmoid", a)), b]
    else:
        pooled = g("MaxPool", b, kernel_shape=[1, 1])
        outputs = [behind(g, "Conv", g("Concat", g("Sigmoid", a), pooled, axis=1), 3 * WIDTH)]
    partitions, _ = compared(g, outputs, tmp_path)
    assert not [one for one in partitions if "Sigmoid" in one]
    assert "Lookup" in str(plans.load_compiled(tmp_path / "out").module)


@needs_library
def test_groups_stay_together(tmp_path: Path):
    """A part of the channels would be of some groups alone."""
    g = Graph(x=RANDOM.standard_normal(SHAPES["Conv"]).astype(np.float32))
    weights = g.c(RANDOM.standard_normal((2 * WIDTH, 2, 3, 3)) * 0.3)
    y = g("Conv", "x", weights, kernel_shape=[3, 3], group=2)
    y = gate(g, split(g, y, 1, [WIDTH, WIDTH]), "Tanh Sigmoid")
    partitions, _ = compared(g, [behind(g, "Conv", y)], tmp_path)
    assert "Dequantize Dequantize Convolution Quantize" in partitions


@pytest.mark.parametrize(
    "ranges",
    [
        ([0, 8], [7, 16]),
        ([0, 8], [9, 16]),
        ([0, 8], [0, 8]),
        ([1, 8], [8, 16]),
        ([0, 8], [8, 15]),
    ],
)
def test_slices_that_are_no_split(ranges, tmp_path: Path):
    g = Graph(x=RANDOM.standard_normal(SHAPES["Conv"]).astype(np.float32))
    y, _ = product(g, "Conv", 16)
    parts = [g("Slice", y, *(g.c([n], np.int64) for n in (*one, 1))) for one in ranges]
    assert "Split" not in kinds_left(g, [g("Relu", part) for part in parts], tmp_path)


@pytest.mark.parametrize("step", [1, 2])
def test_slices_that_are_a_split(step: int, tmp_path: Path):
    """In any order, counted from the end too; with steps of 1 alone."""
    g = Graph(x=RANDOM.standard_normal(SHAPES["Conv"]).astype(np.float32))
    y, _ = product(g, "Conv", 16)
    ranges = [(-3, 2**62, -3, step), (0, -10, 1, 1), (6, 13, 1, 1)]
    parts = [g("Slice", y, *(g.c([n], np.int64) for n in one)) for one in ranges]
    kinds = kinds_left(g, [g("Relu", part) for part in parts], tmp_path)
    assert ("Split" in kinds) == (step == 1)


def kinds_left(g: Graph, outputs: Sequence[str], folder: Path) -> set[str]:
    """The ops of the normal form, which computes the same numbers."""
    model = g.model(*outputs)
    loaded, after = prepared(model, folder)
    for expected, found in zip(run(model, g.x), run(after, g.x), strict=True):
        np.testing.assert_array_equal(found, expected)
    return {op.op_type for op in top_level_ops(loaded.module)}
