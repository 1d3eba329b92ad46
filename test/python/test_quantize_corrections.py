"""Corrections of `autosplit quantize`: equalized channels, smoothed outliers, corrected biases."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import numpy_helper

from autosplit.calibration.calibrators import CALIBRATORS
from autosplit.calibration.channels import ChannelCounts, ChannelMeans, ChannelPeaks
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, quantize_model
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.formats.onnx.files import write_model
from autosplit.lowering.pipelines import build_passes, with_options
from autosplit.platforms import load_model
from autosplit.quantization import QuantConf, convert, prepare
from autosplit.registry import get_all_passes, make_context
from autosplit.testing.networks.builder import Net, build
from autosplit.tools.cli.main import main

onnxruntime: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]
Feeds = dict[str, Array]

PREPARED = "platform-prepare{open=true},infer-shapes,convert-to-onnx{int8=true},onnx-graph"
ALL: Mapping[str, Any] = {"equalize": True, "smooth": 0.5, "correct_biases": True}


def samples(shape: tuple[int, ...], count: int = 4, seed: int = 0) -> list[Feeds]:
    random = np.random.default_rng(seed)
    return [{"x": random.standard_normal(shape).astype(np.float32)} for _ in range(count)]


def written(folder: Path, write: Callable[[Net], None], feeds: Feeds) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(build("net", write, feeds).SerializeToString())
    return path


def run(path: Path, feeds: Mapping[str, Any]) -> dict[str, Array]:
    options = onnxruntime.SessionOptions()
    # Its integer kernels saturate on processors without VNNI.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(str(path), options, providers=providers)
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(feeds)), strict=True))


def quantized(path: Path, feeds: Sequence[Feeds] | None, **options: Any) -> QuantizeResult:
    out = path.parent / "int8.onnx"
    return quantize_model(QuantizeOptions(path, out, samples=feeds, force=True, **options))


def near(path: Path, feeds: Sequence[Feeds], **options: Any) -> float:
    out = quantized(path, feeds, **options).out
    assert out is not None
    return min(nearness(run(out, f), run(path, f)) for f in feeds)


def after(path: Path, passes: str, **options: Any) -> Path:
    """The float32 model behind some passes."""
    model = load_model(path, "onnx", ())
    for one in with_options(build_passes(f"{PREPARED},{passes}", get_all_passes()), options):
        one.apply(make_context(), model.module)
    out = path.parent / "after.onnx"
    write_model(model.module, model.store, out)
    return out


def weights_of(path: Path) -> list[Array]:
    found = [numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer]
    return [w for w in found if w.dtype == np.float32 and w.ndim > 1]


# equalize


def uneven(net: Net) -> None:
    """A block of a MobileNet whose channels differ by a factor of 1000, as trained ones do."""
    sizes = np.geomspace(1, 1000, 16).astype(np.float32)
    first = net.normal(16, 3, 3, 3) * sizes.reshape(-1, 1, 1, 1)
    depthwise = net.normal(16, 1, 3, 3) / 3
    last = net.normal(8, 16, 1, 1) / sizes.reshape(1, -1, 1, 1)
    x = net.op("Relu", net.op("Conv", net.input("x", (1, 3, 12, 12)), first, pads=[1] * 4))
    x = net.op("Relu", net.op("Conv", x, depthwise, pads=[1] * 4, group=16))
    net.output(net.op("Conv", x, last), "y")


def test_channels_of_very_different_sizes_survive(tmp_path: Path):
    feeds = samples((1, 3, 12, 12))
    path = written(tmp_path, uneven, feeds[0])
    assert near(path, feeds, level=False) < 0.98
    assert near(path, feeds, level=False, equalize=True) > 0.999


def uneven_inside(net: Net) -> None:
    """Channels that differ by a factor of 1000, and a depthwise convolution that makes them equal."""
    sizes = np.geomspace(1, 1000, 16).astype(np.float32).reshape(-1, 1, 1, 1)
    first, depthwise = net.normal(16, 3, 3, 3) * sizes, net.normal(16, 1, 3, 3) / sizes
    x = net.op("Relu", net.op("Conv", net.input("x", (1, 3, 12, 12)), first, pads=[1] * 4))
    net.output(net.op("Conv", x, depthwise, pads=[1] * 4, group=16), "y")


def test_depthwise_channels_are_scaled_up_as_far_as_no_end_moves(tmp_path: Path):
    feeds = samples((1, 3, 12, 12))
    path = written(tmp_path, uneven_inside, feeds[0])
    assert near(path, feeds, level=False) < 0.9
    assert near(path, feeds) > 0.999
    assert near(path, feeds, smooth=0.5) > 0.999
    out = after(path, "quant-smooth", samples=feeds)
    for one in feeds:
        np.testing.assert_array_equal(run(out, one)["y"], run(path, one)["y"])
    before, behind = (_depthwise_ends(p, feeds) for p in (path, out))
    assert behind.max() == before.max()
    assert before.max() / before.min() > 100
    assert behind.max() / behind.min() < 2


@pytest.mark.parametrize("calibrator", list(CALIBRATORS))
def test_levels_need_one_look_at_the_samples(calibrator: str, tmp_path: Path):
    """The same exponents as if peaks were measured first; the recipe repeats them without samples."""
    feeds = samples((1, 3, 12, 12), 9)
    path = written(tmp_path, uneven_inside, feeds[0])
    first = quantized(path, iter(feeds), calibrator=calibrator, correct_biases=True)
    assert first.out is not None
    assert first.recipe_path is not None
    want = first.out.read_bytes(), first.recipe_path.read_bytes()
    assert near(path, feeds, calibrator=calibrator) > 0.99
    assert first.recipe.exponents == quantized(path, feeds, smooth=0.5).recipe.exponents
    quantized(path, feeds, calibrator=calibrator, correct_biases=True, jobs=2)
    assert (first.out.read_bytes(), first.recipe_path.read_bytes()) == want
    quantized(path, None, recipe=first.recipe)
    assert (first.out.read_bytes(), first.recipe_path.read_bytes()) == want
    prepared = prepare(path, QuantConf(calibrator=calibrator, correct_biases=True))
    for one in feeds:
        prepared(one)
    convert(prepared).save(first.out)
    assert first.out.read_bytes() == want[0]


@pytest.mark.parametrize("calibrator", list(CALIBRATORS))
def test_counts_of_channels_scale_as_numbers_do(calibrator: str):
    """Beside the calibrator that sees the scaled numbers themselves."""
    random, exponents = np.random.default_rng(0), [0, 3, 7, 12]
    seen = ChannelCounts(1, CALIBRATORS[calibrator]())
    # What one sample after the other has is not known any more: the average is over one.
    want = CALIBRATORS["minmax" if calibrator == "moving-average" else calibrator]()
    for _ in range(12):
        array = random.standard_normal((2, 4, 5, 5)).astype(np.float32)
        array *= np.ldexp(np.float32(1), -np.array(exponents)).reshape(1, 4, 1, 1)
        seen.add(array)
        want.add(np.ldexp(array, np.array(exponents).reshape(1, 4, 1, 1)).astype(np.float32))
    assert seen.scaled(exponents).range() == pytest.approx(want.range(), rel=0.05)


def _depthwise_ends(path: Path, feeds: Sequence[Feeds]) -> Array:
    """The largest number of each channel that the depthwise convolution reads."""
    model = onnx.load(path)
    (read,) = (
        n.input[0]
        for n in model.graph.node
        if any(a.name == "group" and a.i > 1 for a in n.attribute)
    )
    model.graph.output.append(onnx.ValueInfoProto(name=read))
    seen = path.with_name("seen.onnx")
    seen.write_bytes(model.SerializeToString())
    return np.max([run(seen, one)[read].max(axis=(0, 2, 3)) for one in feeds], axis=0)


def halves(net: Net, x: str) -> list[str]:
    ends = ((0, 4), (4, 6))
    return [net.op("Slice", x, np.array([a]), np.array([b]), np.array([3])) for a, b in ends]


BEHIND: Mapping[str, Callable[[Net, str], str]] = {
    "nothing": lambda n, x: x,
    "Relu": lambda n, x: n.op("Relu", x),
    "LeakyRelu": lambda n, x: n.op("LeakyRelu", x, alpha=0.3),
    "PRelu": lambda n, x: n.op("PRelu", x, n.normal(12, 1, 1)),
    "MaxPool": lambda n, x: n.op("MaxPool", x, kernel_shape=[2, 2]),
    "gate": lambda n, x: n.op("Mul", x, n.op("Sigmoid", n.conv(x, 12, 12))),
    "moved": lambda n, x: n.transpose(n.transpose(x, 0, 2, 1, 3), 0, 2, 1, 3),
    "rolled": lambda n, x: n.op("Concat", *halves(n, x)[::-1], axis=3),
    "split": lambda n, x: n.op("Concat", *n.ops("Split", 2, x, axis=2), axis=2),
    "flat": lambda n, x: n.reshape(n.op("Neg", n.reshape(x, 2, 12, 36)), 2, 12, 6, 6),
    "row": lambda n, x: n.op("Unsqueeze", n.op("Gather", x, n.constant(3), axis=2), np.array([2])),
    "sum of itself": lambda n, x: n.op("Add", n.op("Relu", x), x),
    "ConvTranspose": lambda n, x: n.op("ConvTranspose", x, n.normal(12, 6, 2, 2), group=2),
}
HALTS: Mapping[str, Callable[[Net, str], str]] = {
    "Clip": lambda n, x: n.op("Clip", x, 0.0, 6.0),
    "Sigmoid": lambda n, x: n.op("Sigmoid", x),
    "square": lambda n, x: n.op("Mul", x, x),
    "one bias for all": lambda n, x: n.op("Add", x, 1.0),
    "other channels": lambda n, x: n.op("Concat", x, n.op("Sigmoid", x), axis=2),
}


def pair(kind: str, groups: int, biased: bool, seed: int) -> Callable[[Net], None]:
    """Two convolutions with something between, and a matrix product behind."""

    def write(net: Net) -> None:
        random = np.random.default_rng(seed)
        first = random.standard_normal((12, 4 // min(groups, 4), 3, 3))
        first = (first * 10.0 ** random.integers(-4, 5, (12, 1, 1, 1))).astype(np.float32)
        bias = [random.standard_normal(12).astype(np.float32)] if biased else []
        x = net.input("x", (2, 4, 8, 8))
        x = net.op("Conv", x, first, *bias, group=min(groups, 4))
        x = {**BEHIND, **HALTS}[kind](net, x)
        second = random.standard_normal((12, 12 // groups, 3, 3)).astype(np.float32)
        x = net.op("Relu", net.op("Conv", x, second, group=groups, pads=[1] * 4))
        x = net.op("Flatten", net.op("GlobalAveragePool", x))
        net.output(net.op("Gemm", x, net.normal(5, 12), transB=1), "y")

    return write


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(sorted(BEHIND)), st.sampled_from([1, 2, 12]), st.booleans(), st.integers(0, 99)
)
def test_an_equalized_model_computes_the_same_bits(
    tmp_path: Path, kind: str, groups: int, biased: bool, seed: int
):
    feeds = samples((2, 4, 8, 8), 1)[0]
    path = written(tmp_path, pair(kind, groups, biased, seed), feeds)
    out = after(path, "quant-equalize")
    first = weights_of(path)[0]
    assert not any(w.shape == first.shape and (w == first).all() for w in weights_of(out))
    assert any((a != b).any() for a, b in zip(weights_of(out), weights_of(path), strict=True))
    np.testing.assert_array_equal(run(out, feeds)["y"], run(path, feeds)["y"])


@pytest.mark.parametrize("kind", sorted(HALTS))
def test_what_does_not_scale_stays(kind: str, tmp_path: Path):
    """Its weights in front; those behind it are equalized with what follows."""
    feeds = samples((2, 4, 8, 8), 1)[0]
    path = written(tmp_path, pair(kind, 1, True, 0), feeds)
    before, made = weights_of(path)[0], weights_of(after(path, "quant-equalize"))
    assert any(w.shape == before.shape and (w == before).all() for w in made)


def test_equalized_channels_are_of_one_size(tmp_path: Path):
    """Within the rounding to powers of two: what Nagel and others (2019) call for."""
    feeds = samples((1, 3, 12, 12), 1)[0]
    path = written(tmp_path, uneven, feeds)
    first, depthwise, last = weights_of(after(path, "quant-equalize"))
    sizes = [np.abs(w).max(axis=(1, 2, 3)) for w in (first, depthwise)]
    read = [sizes[1], np.abs(last).max(axis=(0, 2, 3))]
    for made, behind in zip(sizes, read, strict=True):
        assert np.abs(np.log2(made / behind)).max() < 2
    assert np.ptp(np.log2(np.abs(weights_of(path)[0]).max(axis=(1, 2, 3)))) > 9


# smooth


def block(net: Net) -> None:
    """Attention and a perceptron behind norms, of which some channels reach a hundred times as far."""
    x = net.input("x", (1, 6, 32))
    outliers = np.where(np.arange(32) % 8 == 3, 100, 1).astype(np.float32)

    def norm(x: str) -> str:
        scale, bias = net.uniform(0.8, 1.2, 32) * outliers, net.normal(32, deviation=0.1)
        return net.op("LayerNormalization", x, scale, bias, axis=-1)

    def linear(x: str, inner: int, outer: int) -> str:
        """Trained weights are small where inputs are large."""
        weights = net.normal(inner, outer) / np.resize(outliers, (inner, 1))
        return net.op("Add", net.op("MatMul", x, weights), net.normal(outer))

    y = norm(x)
    query, key, value = (linear(y, 32, 32) for _ in range(3))
    scores = net.op("MatMul", query, net.transpose(key, 0, 2, 1))
    y = net.op("MatMul", net.op("Softmax", net.op("Mul", scores, 0.1), axis=-1), value)
    x = net.op("Add", x, net.linear(y, 32, 32))
    y = net.gelu(linear(norm(x), 32, 64))
    net.output(net.op("Add", x, net.linear(y, 64, 32)), "y")


def test_outliers_are_smoothed(tmp_path: Path):
    feeds = samples((1, 6, 32))
    path = written(tmp_path, block, feeds[0])
    plain, smooth = near(path, feeds), near(path, feeds, smooth=0.5)
    assert 1 - smooth < (1 - plain) / 3
    recipe = quantized(path, feeds, smooth=0.5).recipe
    assert len(recipe.exponents) == 2
    for exponents in recipe.exponents.values():
        assert max(exponents[3::8]) < min(e for i, e in enumerate(exponents) if i % 8 != 3)


def test_a_smoothed_model_computes_the_same_bits(tmp_path: Path):
    feeds = samples((1, 6, 32))
    path = written(tmp_path, block, feeds[0])
    # What is written of a module has the Gelu that its ops are, which has another last bit.
    plain = after(path, "quant-equalize{equalize=false}").rename(tmp_path / "plain.onnx")
    out = after(path, "quant-smooth", samples=feeds)
    assert any((a != b).any() for a, b in zip(weights_of(out), weights_of(plain), strict=True))
    for one in feeds:
        np.testing.assert_array_equal(run(out, one)["y"], run(plain, one)["y"])


def test_smoothing_is_what_the_paper_says(tmp_path: Path):
    """Against the formula on the samples themselves, up to one factor and the rounding."""
    feeds = samples((4, 8))

    def write(net: Net) -> None:
        x = net.op("Relu", net.linear(net.input("x", (4, 8)), 8, 16))
        net.output(net.op("Identity", x), "hidden")
        net.output(net.op("MatMul", x, net.normal(16, 4) * np.geomspace(1, 64, 16)[:, None]), "y")

    path = written(tmp_path, write, feeds[0])
    hidden = np.concatenate([run(path, one)["hidden"] for one in feeds])
    weights = next(w for w in weights_of(path) if w.shape == (16, 4))
    model = onnx.load(path)
    del model.graph.output[0]
    onnx.save(model, path)
    for alpha in (0.25, 0.5, 1.0):
        (found,) = quantized(path, feeds, smooth=alpha).recipe.exponents.values()
        factors = np.abs(hidden).max(0) ** alpha / np.abs(weights).max(1) ** (1 - alpha)
        wanted = -np.log2(factors)
        assert np.abs(np.array(found) - (wanted - wanted.mean())).max() < 0.51


def test_what_something_else_reads_is_not_smoothed(tmp_path: Path):
    def write(net: Net) -> None:
        x = net.layer_norm(net.input("x", (1, 6, 32)), 32)
        net.output(net.op("Add", net.linear(x, 32, 32), x), "y")

    feeds = samples((1, 6, 32))
    path = written(tmp_path, write, feeds[0])
    found = quantized(path, feeds, smooth=0.5)
    assert found.recipe.exponents == {}
    assert found.out is not None
    kinds = [node.op_type for node in onnx.load(found.out).graph.node]
    assert "Mul" not in kinds


# correct biases


def means_after(path: Path, feeds: Sequence[Feeds]) -> Array:
    return np.mean([run(path, f)["y"].mean(axis=0) for f in feeds], axis=0)


def biased_product(kind: str, biased: bool) -> Callable[[Net], None]:
    def write(net: Net) -> None:
        x = net.input("x", (64, 16))
        bias = net.normal(8)
        if kind == "Gemm":
            given = [bias] if biased else []
            y = net.op("Gemm", x, net.normal(16, 8), *given, alpha=2.0, beta=0.5)
        elif kind == "MatMul":
            y = net.op("MatMul", x, net.normal(16, 8))
            y = net.op("Add", y, bias) if biased else y
        else:
            groups = int(kind)
            y = net.reshape(x, 64, 16, 1, 1)
            given = [bias] if biased else []
            y = net.op("Conv", y, net.normal(8, 16 // groups, 1, 1), *given, group=groups)
            y = net.reshape(y, 64, 8)
        net.output(y, "y")

    return write


@pytest.mark.parametrize("kind", ["Gemm", "MatMul", "1", "2", "8"])
@pytest.mark.parametrize("biased", [False, True])
def test_means_are_those_of_float32(kind: str, biased: bool, tmp_path: Path):
    """The mean of each channel of the result: what rounding weights changes in it is gone."""
    random = np.random.default_rng(0)
    feeds = [{"x": (random.uniform(0, 255, (64, 16)) // 1).astype(np.float32)} for _ in range(4)]
    feeds[0]["x"][0, :2] = 0, 255
    path = written(tmp_path, biased_product(kind, biased), feeds[0])
    wanted = means_after(path, feeds)
    lost: dict[bool, float] = {}
    for correct in (False, True):
        # Inputs are integers that 8 bits hold: only weights are rounded.
        out = quantized(path, feeds, correct_biases=correct, calibrator="minmax").out
        assert out is not None
        lost[correct] = float(np.abs(means_after(out, feeds) - wanted).max())
    assert lost[True] < lost[False] / 20


def test_biases_are_corrected_by_default_and_as_recipes_say(tmp_path: Path):
    feeds = samples((64, 16))
    path = written(tmp_path, biased_product("Gemm", True), feeds[0])

    def made(feeds: Sequence[Feeds] | None, **options: Any) -> tuple[Recipe, bytes]:
        result = quantized(path, feeds, **options)
        assert result.out is not None
        return result.recipe, result.out.read_bytes()

    first, wanted = made(feeds)
    assert first.correct_biases
    assert list(first.means)
    plain, other = made(feeds, correct_biases=False)
    assert plain.correct_biases is False
    assert wanted != other
    # What a recipe says is done again, without data.
    assert made(None, recipe=first)[1] == wanted
    for recipe in (plain, replace(plain, correct_biases=None)):
        assert made(None, recipe=recipe)[1] == other
    # What other formats say gives the same model again.
    table = [("nncf", tmp_path / "nncf"), ("onnxruntime", tmp_path / "ranges")]
    assert made(feeds, write_recipes=table)[1] == other


def test_padding_is_no_input(tmp_path: Path):
    """On two places, a kernel of three lies on padding for half of them at both ends."""

    def write(net: Net) -> None:
        x = net.input("x", (64, 4, 2))
        net.output(
            net.op("ReduceMean", net.op("Conv", x, net.normal(8, 4, 3), pads=[1, 1]), axes=[2]), "y"
        )

    random = np.random.default_rng(0)
    feeds = [{"x": (random.uniform(0, 255, (64, 4, 2)) // 1).astype(np.float32)} for _ in range(8)]
    feeds[0]["x"][0, 0] = 0, 255
    path = written(tmp_path, write, feeds[0])
    lost: dict[bool, float] = {}
    for correct in (False, True):
        out = quantized(path, feeds, correct_biases=correct, calibrator="minmax").out
        assert out is not None
        lost[correct] = float(np.abs(means_after(out, feeds) - means_after(path, feeds)).max())
    assert lost[True] < lost[False] / 10


# what they have in common


def residual(net: Net) -> None:
    x = net.op("Relu", net.conv(net.input("x", (1, 3, 16, 16)), 3, 8, 3))
    y = net.op("Relu", net.conv(x, 8, 8, 3))
    x = net.op("Relu", net.op("Add", net.conv(y, 8, 8, 3, norm=False, biased=False), x))
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    net.output(net.op("MatMul", x, net.normal(8, 4)), "y")


NETWORKS: Mapping[str, tuple[Callable[[Net], None], tuple[int, ...]]] = {
    "cnn": (residual, (1, 3, 16, 16)),
    "transformer": (block, (1, 6, 32)),
}


@pytest.fixture(params=sorted(NETWORKS))
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[Feeds]]:
    write, shape = NETWORKS[request.param]
    feeds = samples(shape)
    return written(tmp_path, write, feeds[0]), feeds


def test_plans_stay_as_they_are(case: tuple[Path, list[Feeds]]):
    path, feeds = case

    def plan(**options: Any) -> tuple[list[str], int]:
        out = quantized(path, feeds, **options).out
        assert out is not None
        onnx.checker.check_model(onnx.load(out), full_check=True)
        found = explain_int8(compile_model(CompileOptions(out)).module)
        return sorted(p.rule for p in found.partitions), len(found.outside)

    plain = plan()
    assert len(plain[0]) > 3
    for name, value in ALL.items():
        assert plan(**{name: value}) == plain, name


@pytest.mark.parametrize("calibrator", ["histogram", "minmax"])
def test_a_recipe_needs_no_data(case: tuple[Path, list[Feeds]], calibrator: str):
    """Nor does the order of the samples matter."""
    path, feeds = case
    first = quantized(path, feeds, calibrator=calibrator, **ALL)
    assert first.out is not None
    assert first.recipe_path is not None
    want = first.out.read_bytes(), first.recipe_path.read_bytes()
    assert first.recipe.means
    quantized(path, feeds[::-1], calibrator=calibrator, **ALL)
    assert (first.out.read_bytes(), first.recipe_path.read_bytes()) == want
    recipe = Recipe.read(first.recipe_path)
    quantized(path, None, recipe=recipe)
    assert (first.out.read_bytes(), first.recipe_path.read_bytes()) == want
    plain = quantized(path, feeds, calibrator=calibrator)
    assert plain.out is not None
    assert plain.out.read_bytes() != want[0]


def test_what_is_kept_in_float32_changes_nothing_else(case: tuple[Path, list[Feeds]]):
    """A target's trials correct as the whole is, and so does a recipe that keeps an op."""
    path, feeds = case
    whole = quantized(path, feeds, **ALL).recipe
    kept = next(name for name, op in whole.ops.items() if op.type in ("Conv", "MatMul"))
    again = quantized(path, None, recipe=whole, skip=[kept]).recipe
    assert kept in again.kept
    assert again.exponents == whole.exponents
    assert again.means == {k: v for k, v in whole.means.items() if k != kept}
    assert near(path, feeds, target=0.9, **ALL) > 0.9


def test_both_apis_make_the_same(case: tuple[Path, list[Feeds]], tmp_path: Path):
    path, feeds = case
    want = quantized(path, feeds, **ALL)
    conf = QuantConf(**ALL)
    convert(path, conf, feeds).save(tmp_path / "once.onnx")
    convert(prepare(path, QuantConf(**ALL), feeds)).save(tmp_path / "steps.onnx")
    prepared = prepare(path, QuantConf(correct_biases=True, equalize=True))
    for one in feeds:
        prepared(one)
    convert(prepared).save(tmp_path / "single.onnx")
    assert want.out is not None
    assert (tmp_path / "once.onnx").read_bytes() == want.out.read_bytes()
    assert (tmp_path / "steps.onnx").read_bytes() == want.out.read_bytes()
    assert conf.recipe == want.recipe
    unsmoothed = quantized(path, iter(feeds), correct_biases=True, equalize=True).out
    assert unsmoothed is not None
    assert (tmp_path / "single.onnx").read_bytes() == unsmoothed.read_bytes()


def test_the_command_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    feeds = samples((1, 6, 32))
    path = written(tmp_path, block, feeds[0])
    np.save(tmp_path / "data.npy", np.stack([f["x"] for f in feeds]))
    options = ["--equalize", "--correct-biases", "--data", str(tmp_path / "data.npy"), "--smooth"]
    out = tmp_path / "command.onnx"
    assert main(["quantize", str(path), *options, "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "channels equalized, 2 values smoothed, 6 biases corrected" in told
    assert told.count("4 arrays") == 1
    want = quantized(path, feeds, **ALL)
    assert want.out is not None
    assert out.read_bytes() == want.out.read_bytes()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_what_is_known_of_channels_merges_in_any_order(seed: int, parts: int):
    random = np.random.default_rng(seed)
    scales = 10.0 ** random.integers(-40, 30, (9, 5))
    arrays = (random.standard_normal((9, 5)) * scales).astype(np.float32)
    means, peaks = ChannelMeans(), ChannelPeaks()
    split = [(ChannelMeans(), ChannelPeaks()) for _ in range(parts)]
    for place, i in enumerate(random.permutation(9)):
        means.add(arrays[place])
        peaks.add(-np.abs(arrays[place]), np.abs(arrays[place]) / 2)
        split[i % parts][0].add(arrays[i])
        split[i % parts][1].add(-np.abs(arrays[i]), np.abs(arrays[i]) / 2)
    (first, highest), *others = split
    for mean, peak in others:
        first.merge(mean)
        highest.merge(peak)
    assert first.means() == means.means()
    np.testing.assert_array_equal(highest.peaks, np.abs(arrays).max(axis=0))
    np.testing.assert_array_equal(peaks.peaks, highest.peaks)
    np.testing.assert_allclose(means.means(), arrays.astype(np.float64).mean(0), rtol=1e-3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"smooth": 1.5}, "an alpha of 1.5: expected a number from 0 to 1"),
        ({"smooth": 0.5, "samples": iter(())}, "can be read only once: give a list"),
        ({"smooth": 0.5, "samples": []}, "smoothing needs at least one sample"),
        (
            {"recipe": Recipe(smooth=0.5, exponents={"layernormalization_9": [0] * 32})},
            "the recipe smooths 'layernormalization_9', which cannot be .did you mean 'layernorm",
        ),
        (
            {"recipe": Recipe(smooth=0.5, exponents={"layernormalization_0": [0] * 3})},
            "3 exponents for 'layernormalization_0', which has 32 channels",
        ),
        (
            {"recipe": Recipe(correct_biases=True, means={"matmul_99": [0.0]})},
            "the recipe has means for 'matmul_99', which the model does not have",
        ),
        (
            {"recipe": Recipe(correct_biases=True, means={"matmul_0": [0.0]})},
            "1 mean for 'matmul_0', which reads 32 channels",
        ),
        (
            {"recipe": Recipe(ranges={"x": (0.0, 1.0)}), "equalize": True},
            "ranges are those of channels that were scaled in another way",
        ),
    ],
)
def test_what_does_not_fit_is_one_line(options: dict[str, Any], told: str, tmp_path: Path):
    feeds = samples((1, 6, 32))
    path = written(tmp_path, block, feeds[0])
    given = {"samples": feeds, **options}
    with pytest.raises(AutosplitError, match=told) as error:
        quantize_model(QuantizeOptions(path, tmp_path / "int8.onnx", **given))
    assert "\n" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"means": {"c": 1}}, "expected a list of numbers for 'c', found 1"),
        ({"means": {"c": [1e999]}}, "the numbers for 'c' are not all finite"),
        ({"exponents": {"c": ["a"]}}, "is not a recipe"),
        ({"exponents": {"c": [0.5]}}, "expected an integer, found 0.5"),
        ({"smooth": "a"}, "is not a recipe"),
        ({"exponents": []}, "exponents is no object"),
    ],
)
def test_corrections_that_are_none(said: dict[str, Any], told: str, tmp_path: Path):
    (tmp_path / "recipe.json").write_text(json.dumps({"recipe": 1, **said}))
    with pytest.raises(AutosplitError, match=told):
        Recipe.read(tmp_path / "recipe.json")
