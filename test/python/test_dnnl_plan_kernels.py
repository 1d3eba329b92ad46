"""Kernels of the library that compute wrong or write too much, and that plans work around."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import plan_sketch as ps
import pytest

pytest.importorskip("onnxruntime")


def pointwise(shape: list[int], *, summed: bool, row_major: bool) -> Any:
    """x -> 1x1 convolution, 64 to 128 channels, with or without a sum; beside it a value that lives on."""
    sketch = ps.Sketch()
    n, _, h, w = shape
    w_array = np.random.default_rng(1).integers(-63, 64, (128, 64, 1, 1)).astype(np.int8)
    x = sketch.input("x", "float32", [n, 64, h, w])
    r = sketch.input("r", "float32", [n, 128, h, w])
    last = ps.channels_last(4)

    def conv(ops: Any, a: Any, weights: Any, other: Any = None) -> Any:
        y = ops.conv(
            ops.dequantize(a, ps.IMAGE), ops.weights(weights, [ps.W1] * 128), 0, [n, 128, h, w]
        )
        if other is not None:
            y = ops.same("Add", y, ops.dequantize(other, ps.MIDDLE))
        return ops.quantize(y, (0.31, 120), order=None if row_major else last)

    def to_u8(parameters: Any) -> Any:
        return lambda ops, a: ops.quantize(a, parameters, order=last)

    with sketch.dnnl(x, r) as f:
        q = f.partition("q", [f.args[0]], to_u8(ps.IMAGE))
        other = f.partition("q", [f.args[1]], to_u8(ps.MIDDLE))
        beside = f.partition("q", [f.args[1]], to_u8(ps.MIDDLE))
        weights = f.weight("w", w_array)
        y = f.partition("conv", [q, weights, other] if summed else [q, weights], conv, [1])
        f.give(
            "y",
            y
            if row_major
            else f.partition("d", [y], lambda ops, a: ops.dequantize(a, (0.31, 120))),
        )
        f.give("r", f.partition("d", [beside], lambda ops, a: ops.dequantize(a, ps.MIDDLE)))
    return sketch, sketch.finish(y=f.results[0], r=f.results[1]), w_array


@pytest.mark.parametrize("summed", [True, False])
@pytest.mark.parametrize("row_major", [True, False])
def test_few_positions_of_a_1x1_convolution(summed: bool, row_major: bool):
    """Kernels for AMX write too much where an image has three tiles of positions, as 6 x 6 and 3 x 9."""
    from autosplit.runtime.plan.plan import Plan

    sketch, module, w = pointwise([-1, 64, -1, -1], summed=summed, row_major=row_major)
    plan = Plan.from_module(module, sketch.store)
    random = np.random.default_rng(0)
    for n, height, width in [
        (1, 6, 6),
        (2, 6, 6),
        (3, 3, 9),
        (2, 7, 7),
        (2, 4, 4),
        (3, 6, 6),
        (1, 6, 6),
    ]:
        x = random.standard_normal((n, 64, height, width)).astype(np.float32)
        r = random.standard_normal((n, 128, height, width)).astype(np.float32)
        kept = ps.real(ps.quantized(r, ps.MIDDLE), ps.MIDDLE)
        y = ps.convolved(
            ps.real(ps.quantized(x, ps.IMAGE), ps.IMAGE), w * np.float64(np.float32(ps.W1)), 0
        )
        expected = ps.quantized(y + kept if summed else y, (0.31, 120))
        found = plan.run({"x": x, "r": r})
        y = found["y"] if row_major else np.rint(found["y"] / np.float32(0.31)) + 120
        apart = np.abs(y.astype(int) - expected.astype(int))
        # The library's sums are float32: one in thousands is rounded the other way.
        assert apart.max() <= 1
        assert apart.mean() < 1e-3
        np.testing.assert_allclose(found["r"], kept, rtol=1e-6)
    partitions = [step for step in plan.account().steps if step.kind == "partition"]
    # The last shapes came before.
    assert plan.account().compiles == 6 * len(partitions)


@pytest.mark.parametrize("summed", [True, False])
@pytest.mark.parametrize("shape", [(2, 7, 6), (3, 6, 6), (1, 6, 6)])
def test_a_1x1_convolution_of_fixed_sizes(shape: tuple[int, int, int], summed: bool):
    """Where the types say how many images there are, they are computed one by one all the same."""
    from autosplit.runtime.plan.plan import Plan

    n, height, width = shape
    sketch, module, w = pointwise([n, 64, height, width], summed=summed, row_major=False)
    plan = Plan.from_module(module, sketch.store)
    random = np.random.default_rng(0)
    x = random.standard_normal((n, 64, height, width)).astype(np.float32)
    r = random.standard_normal((n, 128, height, width)).astype(np.float32)
    kept = ps.real(ps.quantized(r, ps.MIDDLE), ps.MIDDLE)
    y = ps.convolved(
        ps.real(ps.quantized(x, ps.IMAGE), ps.IMAGE), w * np.float64(np.float32(ps.W1)), 0
    )
    expected = ps.quantized(y + kept if summed else y, (0.31, 120))
    found = np.rint(plan.run({"x": x, "r": r})["y"] / np.float32(0.31)) + 120
    apart = np.abs(found.astype(int) - expected.astype(int))
    assert apart.max() <= 1
    assert apart.mean() < 1e-3


@pytest.mark.parametrize("batch", [16, -1])
@pytest.mark.parametrize(
    ("shape", "constant"), [([16, 1, 1], False), ([16, 6, 6], False), ([16, 16, 6, 6], True)]
)
def test_what_has_as_many_channels_as_there_are_images(
    batch: int, shape: list[int], constant: bool
):
    """Computed one by one, images have their own part of what has images, and all of weights and sums."""
    from autosplit.runtime.plan.plan import Plan

    count = 16
    last = ps.channels_last(4)
    random = np.random.default_rng(0)
    image = random.standard_normal((count, 64, 6, 6)).astype(np.float32)
    kernel = random.integers(-63, 64, (count, 64, 1, 1)).astype(np.int8)
    bias = (10 * random.standard_normal(shape)).astype(np.float32)
    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [batch, 64, 6, 6])
    w = sketch.input("w", "int8", [count, 64, 1, 1])
    given = [] if constant else [sketch.input("b", "float32", shape)]

    def conv(ops: Any, a: Any, weights: Any, other: Any) -> Any:
        real = ops.weights(weights, [ps.W1] * count)
        y = ops.conv(ops.dequantize(a, ps.IMAGE), real, 0, [batch, count, 6, 6])
        return ops.quantize(ops.same("Add", y, other), (0.31, 120), order=last)

    with sketch.dnnl(x, w, *given) as f:
        q = f.partition("q", [f.args[0]], lambda ops, a: ops.quantize(a, ps.IMAGE, order=last))
        b = f.weight("b", bias) if constant else f.args[2]
        y = f.partition("conv", [q, f.args[1], b], conv, [2] if constant else [])
        f.give("y", f.partition("d", [y], lambda ops, a: ops.dequantize(a, (0.31, 120))))
    plan = Plan.from_module(sketch.finish(y=f.results[0]), sketch.store)
    product = ps.convolved(
        ps.real(ps.quantized(image, ps.IMAGE), ps.IMAGE), kernel * np.float64(np.float32(ps.W1)), 0
    )
    expected = ps.quantized(product + bias, (0.31, 120))
    feeds = {"x": image, "w": kernel} | ({} if constant else {"b": bias})
    found = np.rint(plan.run(feeds)["y"] / np.float32(0.31)) + 120
    apart = np.abs(found.astype(int) - expected.astype(int))
    assert apart.max() <= 1
    assert apart.mean() < 1e-3


@pytest.mark.parametrize("last_first", [True, False])
@pytest.mark.parametrize("kind", ["quantize", "dequantize"])
def test_casts_that_change_the_layout_keep_their_zero_point(kind: str, last_first: bool):
    """3.2 loses it where one inner dimension is a multiple of 64 and the other is odd."""
    from autosplit.runtime.plan.plan import Plan

    first, second = (ps.channels_last(4), None) if last_first else (None, ps.channels_last(4))
    parameters = (0.05, 77)
    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [-1, -1, -1, -1])

    def body(ops: Any, a: Any) -> Any:
        if kind == "quantize":
            return ops.quantize(a, parameters, order=second)
        type = ps.tensor("float32", [-1] * 4, second)
        return ops.add("Dequantize", [a], type, scales=[0.05], zps=[77], qtype="per_tensor")

    def turn(ops: Any, a: Any) -> Any:
        if kind == "dequantize":
            return ops.quantize(a, parameters, order=first)
        return ops.add("Reorder", [a], ps.tensor("float32", [-1] * 4, first))

    with sketch.dnnl(x) as f:
        f.give("y", f.partition(kind, [f.partition("turn", [f.args[0]], turn)], body))
    plan = Plan.from_module(sketch.finish(y=f.results[0]), sketch.store)
    for shape in [
        (1, 64, 7, 7),
        (1, 22, 8, 8),
        (2, 33, 8, 8),
        (1, 3, 32, 32),
        (1, 128, 3, 9),
        (2, 129, 16, 4),
    ]:
        array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        q = ps.quantized(array, parameters)
        found = plan.run({"x": array})["y"]
        if kind == "quantize":
            # The library multiplies by 1 / scale, which moves a tie now and then.
            assert np.abs(found.astype(int) - q.astype(int)).max() <= 1
        else:
            assert np.abs(found - ps.real(q, parameters)).max() < 0.051


LOST_SUMS = [
    (8, (8,)),
    (24, (8,)),
    (16, (136,)),
    (8, (4, 2)),
    (32, (1, 8)),
    (8, (12, 12)),
    (8, (2, 2, 2)),
    (8, (4, 2, 1)),
    (8, (6, 6, 4)),
]
"""Depthwise kernels that some processor packs without their sums."""
KEPT_SUMS = [(4, (8,)), (12, (4, 2)), (8, (3, 3)), (16, (4, 4)), (27, (3, 3, 3))]


def depthwise(
    folder: Path,
    channels: int,
    kernel: tuple[int, ...],
    transposed: bool = False,
    pads: int = 1,
    **source: Any,
) -> bool:
    """Whether a depthwise convolution goes to the library; asserts that its numbers are right."""
    import onnx

    from autosplit.dialects.dnnl import DnnlOp
    from autosplit.flows.compile import CompileOptions, compile_model
    from autosplit.runtime.plan.plan import Plan
    from autosplit.testing.qdq import QdqBuilder, run

    b = QdqBuilder(3)
    sizes = [max(8, k + 1) for k in kernel]
    x = b.qdq(b.input("x", (2, channels, *sizes)), **source)
    conv = b.conv_transpose if transposed else b.conv
    b.output(b.qdq(conv(x, (channels, 1, *kernel), groups=channels, pads=pads, bias=False)))
    onnx.save(b.build(), folder / "model.onnx")
    result = compile_model(CompileOptions(folder / "model.onnx"))
    feeds = b.feeds(1)
    (wanted,) = run(b.build(), feeds, optimize=False)
    (found,) = Plan.from_module(result.module, result.store).run(feeds).values()
    assert np.abs(found - wanted).max() <= np.ptp(wanted) / 50
    ops = (op for op in result.module.walk() if isinstance(op, DnnlOp))
    return any(op.kind in ("Convolution", "ConvTranspose") for op in ops)


@pytest.mark.parametrize(("channels", "kernel"), LOST_SUMS)
def test_depthwise_kernels_whose_sums_get_lost(
    channels: int, kernel: tuple[int, ...], tmp_path: Path
):
    """They stay outside on every processor, also on one that computes them right, unless nothing is padded:
    then the bias takes up the zero point."""
    assert not depthwise(tmp_path, channels, kernel)
    assert depthwise(tmp_path, channels, kernel, pads=0)


@pytest.mark.parametrize(("channels", "kernel"), KEPT_SUMS)
def test_depthwise_kernels_whose_sums_are_kept(
    channels: int, kernel: tuple[int, ...], tmp_path: Path
):
    assert depthwise(tmp_path, channels, kernel)


@pytest.mark.parametrize("kernel", [(8,), (4, 2), (12, 12), (2, 2, 2)])
def test_depthwise_kernels_whose_sums_are_not_needed(kernel: tuple[int, ...], tmp_path: Path):
    """Stored numbers that stand for themselves, as behind a ReLU."""
    assert depthwise(tmp_path, 8, kernel, scale=0.02, zero_point=0)
    assert not depthwise(tmp_path, 8, kernel, scale=0.02, zero_point=3)
    assert not depthwise(tmp_path, 8, kernel, dtype="int8", symmetric=True)


@pytest.mark.parametrize("kernel", [(8,), (4, 2), (3, 3)])
def test_depthwise_kernels_of_a_transposed_convolution(kernel: tuple[int, ...], tmp_path: Path):
    assert depthwise(tmp_path, 8, kernel, transposed=True) == (kernel == (3, 3))
