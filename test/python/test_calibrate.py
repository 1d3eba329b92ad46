"""Calibration: the ranges of a sub-model's values, and INT8 on the emulators with them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import helper
from sampled import sample, sample_rows
from top_numbers import many_ops, reference
from xdsl.dialects.builtin import ModuleOp

from autosplit.calibration.calibrate import (
    Calibrator,
    calibrate,
    float_tail,
    optimized,
    tables,
    useful_ranges,
)
from autosplit.calibration.calibrators import SATURATED, Histogram
from autosplit.calibration.table_files import Range, quantize_table, read_table, table_text
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.devices import get_chip
from autosplit.formats.top_mlir.reader import read_top
from autosplit.formats.top_mlir.writer import write_top
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.submodel.lower_submodel import chip_top
from autosplit.lowering.top.plain_names import plain_names
from autosplit.platforms import load_model
from autosplit.registry import make_context

Array = np.ndarray[Any, Any]


def small_net() -> onnx.ModelProto:
    """Convolutions, an activation of each kind, a pool, a sum: something of what networks have."""
    random = np.random.default_rng(0)

    def normal(*shape: int) -> Array:
        return (random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)

    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["conv1"], pads=[1] * 4),
        node("Relu", ["conv1"], ["relu1"]),
        node("MaxPool", ["relu1"], ["pool"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["pool", "w2", "b2"], ["conv2"], pads=[1] * 4),
        node("HardSwish", ["conv2"], ["swish"]),
        node("Conv", ["swish", "w3", "b2"], ["conv3"], group=16, pads=[1] * 4),
        node("GlobalAveragePool", ["conv3"], ["y"]),
    ]
    constants = {
        "w1": normal(16, 3, 3, 3),
        "b1": normal(16, 1).reshape(16),
        "w2": normal(16, 16, 3, 3),
        "b2": normal(16, 1).reshape(16),
        "w3": normal(16, 1, 3, 3),
    }
    return many_ops(nodes, {"x": photo(0)}, ["conv3", "y"], constants)


def photo(seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal((1, 3, 24, 24)).astype(np.float32)


def as_top(
    model: onnx.ModelProto,
    folder: Path,
    chip: str = "bm1684x",
    mode: str = "F32",
    dynamic: bool = False,
) -> ModuleOp:
    """The model as a Top module that has been written and read, so that its weights are in files."""
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    loaded = load_model(path)
    normalize(loaded.module)
    top = chip_top(make_context(), loaded.module, get_chip(chip), dynamic, mode=mode)
    text, _ = write_top(top, folder, "model")
    return read_top(text)


@pytest.fixture(scope="module")
def net() -> onnx.ModelProto:
    return small_net()


@pytest.fixture
def top(net: onnx.ModelProto, tmp_path: Path) -> ModuleOp:
    return as_top(net, tmp_path)


def every_value(model: onnx.ModelProto) -> onnx.ModelProto:
    made = onnx.ModelProto.FromString(model.SerializeToString())
    del made.graph.output[:]
    for node in made.graph.node:
        made.graph.output.add(name=node.output[0])
    return made


def expected_ranges(model: onnx.ModelProto, samples: list[Array]) -> dict[str, tuple[float, float]]:
    made = every_value(model)
    names = [o.name for o in made.graph.output]
    values = [dict(zip(names, reference(made, {"x": x}), strict=True)) | {"x": x} for x in samples]
    return {
        name: (min(v[name].min() for v in values), max(v[name].max() for v in values))
        for name in [*names, "x"]
    }


def test_ranges_are_those_of_the_model(net: onnx.ModelProto, top: ModuleOp) -> None:
    samples = [photo(i) for i in range(4)]
    calibrator = Calibrator(top)
    for one in samples:
        calibrator.update({"x": one})
    wanted = expected_ranges(net, samples)
    found = read_table(calibrator.table())
    assert set(found) == set(wanted)
    for name, (low, high) in wanted.items():
        np.testing.assert_allclose([found[name].low, found[name].high], [low, high], 1e-4, 1e-5)
        assert found[name].threshold == pytest.approx(max(abs(low), abs(high)), rel=1e-4)


def test_values_in_small_groups_have_the_same_ranges(top: ModuleOp) -> None:
    texts: list[str] = []
    groups: list[int] = []
    for memory in (1 << 28, 40_000, 1):
        calibrator = Calibrator(top, memory)
        groups.append(len(calibrator.chunks))
        calibrator.update({"x": photo(1)})
        texts.append(calibrator.table())
    assert texts[0] == texts[1] == texts[2]
    # All at once; a few at a time; each of the seven values alone.
    assert groups[0] == 1 < groups[1] < groups[2] == 7


@needs_toolchain
def test_names_are_those_that_the_first_step_leaves(top: ModuleOp) -> None:
    text = calibrate(top, ({"x": photo(i)} for i in range(2)))
    # The first ReLU is part of the convolution before it, which is called as the ReLU.
    assert list(read_table(text)) == ["x", "relu1", "pool", "conv2", "swish", "conv3", "y"]
    assert "# sample number: 2\n" in text


@needs_toolchain
def test_optimized_modules_compute_the_same(net: onnx.ModelProto, top: ModuleOp) -> None:
    from test_convert_top_to_onnx import as_onnx, run

    found = run(as_onnx(optimized(top)), {"x": photo(3)})
    for name, value in zip(("conv3", "y"), reference(net, {"x": photo(3)}), strict=True):
        np.testing.assert_allclose(found[name], value, 1e-4, 1e-4)


@needs_toolchain
@pytest.mark.parametrize("chip", sample(["bm1684", "bm1684x", "bm1688"]))
def test_int8_on_the_emulator(net: onnx.ModelProto, chip: str, tmp_path: Path) -> None:
    top = as_top(net, tmp_path, chip)
    (tmp_path / "table").write_text(calibrate(top, ({"x": photo(i)} for i in range(8))))
    found = on_chip_int8(tmp_path, chip, None, photo(2))
    for value, wanted in zip(found, reference(net, {"x": photo(2)}), strict=True):
        assert cosine(value, wanted) > 0.99
        # It is INT8 that was measured: f32 would be nearer.
        assert np.abs(value - wanted).max() > 1e-4 * np.abs(wanted).max()


def on_chip_int8(
    folder: Path, chip: str, quantize: str | None, x: Array, dynamic: bool = False
) -> list[Array]:
    """What the emulator computes of `model` in a folder, with its tables."""
    from autosplit.runtime.bmodel.process import BmodelProcess
    from autosplit.toolchains.bmodel_compile import compile_top

    compiled = compile_top(
        {
            "mlir": "model.mlir",
            "weights": "model_weights.npz",
            "calibration_table": "table",
            "quantize_table": quantize,
            "chip": chip,
            "mode": "INT8",
            "net": "net",
            "dynamic": dynamic,
        },
        folder,
        say=lambda line: None,
    )
    with BmodelProcess(compiled.bmodel, chip, timeout=300) as process:
        return list(process.run({"x": x}).values())


def cosine(a: Array, b: Array) -> float:
    x, y = a.ravel().astype(np.float64), b.ravel().astype(np.float64)
    return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))


def transposed_net(axes: int) -> onnx.ModelProto:
    """ConvTransposes with biases that count for as much as the products: plain, grouped, depthwise."""
    random = np.random.default_rng(4)
    sizes = (8, 9)[:axes]

    def normal(*shape: int) -> Array:
        return random.standard_normal(shape).astype(np.float32)

    node, twice = helper.make_node, [2] * axes
    nodes = [
        node("ConvTranspose", ["x", "w1", "b1"], ["plain"], strides=twice),
        node("ConvTranspose", ["x", "w2", "b2"], ["grouped"], group=2, dilations=twice),
        node(
            "ConvTranspose",
            ["x", "w3", "b3"],
            ["depthwise"],
            group=6,
            strides=[2, 1][:axes],
            pads=[1] * (2 * axes),
            output_padding=[1, 0][:axes],
        ),
        node("Conv", ["x", "w4", "b4"], ["front"]),
        node("ConvTranspose", ["front", "w1", "b1"], ["inner"], strides=twice),
        node("Relu", ["inner"], ["relu"]),
        node("Conv", ["relu", "w5", "b4"], ["behind"]),
    ]
    constants = {
        "w1": normal(6, 7, *[2] * axes) / 3,
        "b1": normal(7),
        "w2": normal(6, 4, *[3] * axes) / 4,
        "b2": normal(8),
        "w3": normal(6, 1, *[3] * axes) / 2,
        "b3": normal(6),
        "w4": normal(6, 6, *[1] * axes) / 2,
        "b4": normal(6),
        "w5": normal(6, 7, *[1] * axes) / 2,
    }
    outputs = ["plain", "grouped", "depthwise", "behind"]
    return many_ops(nodes, {"x": normal(2, 6, *sizes)}, outputs, constants)


@needs_toolchain
@pytest.mark.parametrize(
    ("chip", "axes", "dynamic"),
    sample_rows(
        [
            ("bm1684", 2, False),
            ("bm1684", 1, False),
            ("bm1684", 2, True),
            ("bm1684x", 2, False),
            ("bm1688", 2, False),
        ],
        2,
    ),
)
def test_transposed_convolutions(chip: str, axes: int, dynamic: bool, tmp_path: Path) -> None:
    """BM1684's Deconv gets most of a bias wrong, dilations, and unequal strides where it is depthwise."""
    model = transposed_net(axes)
    random = np.random.default_rng(5)
    shape = (2, 6, 8, 9)[: 2 + axes]
    samples = [random.standard_normal(shape).astype(np.float32) for _ in range(6)]
    top = as_top(model, tmp_path, chip, "INT8", dynamic)
    table = calibrate(top, ({"x": x} for x in samples))
    (tmp_path / "table").write_text(table)
    assert {"plain", "grouped", "depthwise", "relu", "behind"} <= set(read_table(table))
    x = samples[2]
    found = on_chip_int8(tmp_path, chip, None, x, dynamic)
    for value, wanted in zip(found, reference(model, {"x": x}), strict=True):
        for channel in range(wanted.shape[1]):
            assert cosine(value[:, channel], wanted[:, channel]) > 0.99
        assert np.abs(value - wanted).max() > 1e-4 * np.abs(wanted).max()


# What stays in f32


def test_the_tail_is_what_no_weighted_op_follows(tmp_path: Path) -> None:
    node = helper.make_node
    weights = {"w": np.ones((4, 3, 3, 3), np.float32), "v": np.ones((4, 4, 1, 1), np.float32)}
    nodes = [
        node("Sigmoid", ["x"], ["early"]),
        node("Conv", ["early", "w"], ["conv"]),
        node("HardSwish", ["conv"], ["inner"]),
        node("Conv", ["inner", "v"], ["last"]),
        node("Exp", ["last"], ["size"]),
        node("Mul", ["size", "inner"], ["y"]),
        node("Sqrt", ["x"], ["aside"]),
    ]
    top = as_top(many_ops(nodes, {"x": photo(0)}, ["y", "aside"], weights), tmp_path)
    assert float_tail(top) == ["size", "y", "aside"]
    assert float_tail(top, ["y"]) == ["aside"]
    assert float_tail(top, ["y", "aside"]) == []


def flat_net(folder: Path) -> ModuleOp:
    """Three ops that are flat outside of a range; what one of them reads is added up, too."""
    node = helper.make_node
    nodes = [
        node("Neg", ["x"], ["a"]),
        node("Sigmoid", ["a"], ["b"]),
        node("Abs", ["x"], ["c"]),
        node("HardSwish", ["c"], ["d"]),
        node("Sqrt", ["c2"], ["e"]),
        node("Tanh", ["e"], ["f"]),
        node("Add", ["e", "f"], ["g"]),
        node("Sum", ["b", "d", "g"], ["y"]),
    ]
    nodes.insert(4, node("Exp", ["x"], ["c2"]))
    return as_top(many_ops(nodes, {"x": np.ones((1, 8), np.float32)}, ["y"]), folder)


def test_ranges_end_where_their_readers_are_flat(tmp_path: Path) -> None:
    wide = Range(-50.0, 60.0)
    ranges = {name: wide for name in ("x", "a", "b", "c", "c2", "d", "e", "f", "g", "y")}
    found = useful_ranges(flat_net(tmp_path), ranges)
    assert found == {"a": Range(-8.0, 8.0), "c": Range(-3.0, 60.0)}
    # Nothing is widened, and no range is turned around.
    small = useful_ranges(flat_net(tmp_path), {"a": Range(-1.0, 2.0), "c": Range(-9.0, -5.0)})
    assert small == {"a": Range(-1.0, 2.0)}


@needs_toolchain
def test_what_is_flat_costs_no_steps(tmp_path: Path) -> None:
    """A few numbers far below do not make those that count coarser."""
    random = np.random.default_rng(3)
    weight = (random.standard_normal((16, 8, 1, 1)) * 2).astype(np.float32)
    # Two channels with large biases, of which SiLU makes nothing.
    bias = np.where(np.arange(16) < 2, np.float32(-90), np.float32(0))
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"]),
        helper.make_node("Sigmoid", ["c"], ["s"]),
        helper.make_node("Mul", ["c", "s"], ["m"]),
        helper.make_node("Conv", ["m", "w2"], ["y"]),
    ]
    second = (random.standard_normal((4, 16, 1, 1)) / 4).astype(np.float32)
    x = random.standard_normal((1, 8, 16, 16)).astype(np.float32)
    model = many_ops(nodes, {"x": x}, ["y"], {"w": weight, "b": bias, "w2": second})
    (wanted,) = reference(model, {"x": x})
    off: list[float] = []
    lows: list[float] = []
    # As for BM1684X, and with the whole range, as for BM1684.
    for told in ("bm1684x", "bm1684"):
        folder = tmp_path / told
        folder.mkdir()
        found = tables(as_top(model, folder), [{"x": x}], chip=get_chip(told))
        lows.append(read_table(found.calibration)["c"].low)
        (folder / "table").write_text(found.calibration)
        (made,) = on_chip_int8(folder, "bm1684x", None, x)
        off.append(float(np.abs(made - wanted).mean()))
    assert lows[0] == -10
    assert lows[1] < -90
    assert off[0] < 0.75 * off[1]


def test_the_table_of_what_stays() -> None:
    assert quantize_table(["a", "b/c:0"], "F32") == "# op_name   quantize_mode\na F32\nb/c:0 F32\n"
    assert quantize_table([], "F32") == ""


@needs_toolchain
@pytest.mark.parametrize("chip", sample(["bm1684", "bm1684x", "bm1688"]))
def test_a_tail_in_f32_is_nearer(chip: str, tmp_path: Path) -> None:
    """Powers, of which 8 bits hold the largest only."""
    node = helper.make_node
    random = np.random.default_rng(3)
    weights = {"w": (random.standard_normal((4, 3, 3, 3)) / 2).astype(np.float32)}
    nodes = [
        node("Conv", ["x", "w"], ["conv"]),
        node("Exp", ["conv"], ["power"]),
        node("Sqrt", ["power"], ["y"]),
    ]
    model = many_ops(nodes, {"x": photo(0)}, ["y"], weights)
    top = as_top(model, tmp_path, chip)
    made = tables(top, ({"x": photo(i)} for i in range(4)))
    (tmp_path / "table").write_text(made.calibration)
    (tmp_path / "quantize").write_text(made.quantize)
    errors: list[float] = []
    for quantize in (None, "quantize"):
        (found,) = on_chip_int8(tmp_path, chip, quantize, photo(1))
        errors.append(float(np.abs(found - reference(model, {"x": photo(1)})[0]).mean()))
    assert errors[1] < errors[0] / 3


# What data may be wrong with


def test_no_data(top: ModuleOp) -> None:
    with pytest.raises(AutosplitError, match="no data to calibrate with"):
        Calibrator(top).table()


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({}, "sample 1: the input 'x' is missing"),
        ({"X": photo(0)}, "'x' is missing .did you mean 'X'"),
        ({"x": photo(0)[0]}, r"has the shape \[3, 24, 24\], expected \[1, 3, 24, 24\]"),
        ({"x": photo(0)[:, :, :9]}, "has the shape"),
        ({"x": photo(0).astype(str)}, "expected numbers"),
        ({"x": np.where(photo(0) > 2, np.nan, photo(0))}, "'x' has numbers that are not finite"),
        ({"x": photo(0) + np.float32(np.inf)}, "'x' has numbers that are not finite"),
    ],
)
def test_wrong_data(top: ModuleOp, feeds: dict[str, Array], message: str) -> None:
    with pytest.raises(AutosplitError, match=message):
        Calibrator(top).update(feeds)


def test_values_that_are_always_zero_have_a_small_threshold(top: ModuleOp) -> None:
    calibrator = Calibrator(top)
    calibrator.update({"x": np.zeros((1, 3, 24, 24), np.float32)})
    assert calibrator.ranges["x"].threshold == 1e-5
    assert "\nx 1e-05 0 0\n" in calibrator.table()


def test_integers_and_booleans_are_numbers(top: ModuleOp) -> None:
    calibrator = Calibrator(top)
    calibrator.update({"x": np.full((1, 3, 24, 24), 3, np.uint8)})
    calibrator.update({"x": np.ones((1, 3, 24, 24), np.bool_)})
    assert (calibrator.ranges["x"].low, calibrator.ranges["x"].high) == (1, 3)


@pytest.mark.parametrize("name", ["a b", "#x", "", "a\tb", "a\nb"])
def test_names_that_no_line_can_hold(name: str) -> None:
    with pytest.raises(AutosplitError, match="cannot stand in a calibration table"):
        table_text({name: Range(0, 1)}, 1)


def test_such_names_can_be_replaced(tmp_path: Path) -> None:
    node = helper.make_node
    nodes = [
        node("Relu", ["x"], ["a b"]),
        node("Relu", ["a b"], ["a_b"]),
        node("Abs", ["a_b"], ["#y"]),
    ]
    top = as_top(many_ops(nodes, {"x": photo(0)}, ["#y"]), tmp_path)
    plain_names(top)
    calibrator = Calibrator(top)
    calibrator.update({"x": photo(0)})
    assert list(read_table(calibrator.table())) == ["x", "a_b_2", "a_b", "y"]


def test_tables_are_read_as_they_are_written() -> None:
    ranges = {"a/b:0": Range(-1.5, 0.25), "c": Range(0.0, 1e9)}
    assert read_table(table_text(ranges, 3)) == ranges


def test_a_damaged_table() -> None:
    with pytest.raises(AutosplitError, match="line 2 of the calibration table is 'x 1 2'"):
        read_table("# a\nx 1 2\n")


def with_outlier(count: int = 8) -> list[Array]:
    """Photos; in one of them a number is far beyond all others."""
    samples = [photo(i) for i in range(count)]
    samples[1][0, 0, 0, 0] = 1000.0
    return samples


@pytest.mark.parametrize("method", ["entropy", "moving-average"])
def test_other_ranges_than_the_whole(top: ModuleOp, method: str) -> None:
    samples = with_outlier()
    whole, less = Calibrator(top), Calibrator(top, method=method)
    for one in samples:
        whole.update({"x": one})
        less.update({"x": one})
    less.settle()
    assert whole.ranges["x"].threshold == 1000.0
    usual = max(float(np.abs(photo(i)).max()) for i in range(8))
    assert 0.3 * usual < less.ranges["x"].threshold < 100
    assert less.table().startswith(f"# quantization threshold calculation method: {method}\n")
    assert read_table(less.table()).keys() == less.ranges.keys() == whole.ranges.keys()


def test_a_symmetric_range_loses_least(top: ModuleOp) -> None:
    """Against a search of 200 limits, on the numbers themselves."""
    numbers = np.random.default_rng(0).standard_normal(50000).astype(np.float32) ** 3
    found = Histogram(symmetric=True)
    found.add(numbers)

    def loss(limit: float) -> float:
        steps = np.clip(np.rint(numbers * 127 / limit), -127, 127)
        return float(np.square(steps * limit / 127 - numbers).sum())

    limit = max(map(abs, found.range()))
    most = float(np.abs(numbers).max())
    assert loss(limit) < 1.05 * min(loss(most * i / 200) for i in range(1, 201))


def test_what_lies_together_at_an_end_is_not_saturated() -> None:
    """The least results of a SiLU are many: finer steps for the others would cost all of them."""
    numbers = np.random.default_rng(0).standard_normal(50000) * 3
    numbers = (numbers / (1 + np.exp(-numbers))).astype(np.float32)
    found = Histogram()
    found.add(numbers)
    low, high = found.range()
    assert (numbers < low).mean() < SATURATED
    assert 0 < (numbers > high).mean() < SATURATED


def test_of_a_large_array_a_histogram_looks_at_every_row_and_channel():
    """In strides that share no factor with its size: 320,000 numbers of which each column has its size."""
    random = np.random.default_rng(5)
    columns = np.exp2(random.integers(-3, 4, size=64)).astype(np.float32)
    large = random.normal(size=(1, 50, 100, 64)).astype(np.float32) * columns
    whole, part = Histogram(), Histogram()
    whole.buckets.every = True
    for found in (whole, part):
        found.add(large)
    # The first number from 4 on that divides neither 50 nor 100 nor 64.
    assert np.gcd.reduce(part.buckets.counts) == 7

    def loss(low: float, high: float) -> float:
        step = (high - low) / 255
        return float(np.square(np.clip(np.rint(large / step) * step, low, high) - large).mean())

    assert loss(*part.range()) < 1.1 * loss(*whole.range())
    assert loss(*part.range()) < 0.9 * loss(float(large.min()), float(large.max()))


def test_no_such_calibrator(top: ModuleOp) -> None:
    with pytest.raises(AutosplitError, match=r"no calibrator 'histgram' .did you mean 'histogram'"):
        Calibrator(top, method="histgram")


@needs_toolchain
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x"])
def test_a_calibrator_saves_what_an_outlier_spoils(tmp_path: Path, chip: str) -> None:
    """On the chip's emulator: minimum and maximum give the one number all of the steps."""
    model = small_net()
    near: dict[str, float] = {}
    expected = reference(model, {"x": photo(20)})[0]
    for method in ("minmax", "entropy"):
        folder = tmp_path / method
        folder.mkdir()
        top = as_top(model, folder, chip, "INT8")
        feeds = ({"x": sample} for sample in with_outlier())
        made = tables(top, feeds, chip=get_chip(chip), calibrator=method)
        (folder / "table").write_text(made.calibration)
        (folder / "q").write_text(made.quantize)
        found = on_chip_int8(folder, chip, "q" if made.quantize else None, photo(20))[0]
        near[method] = cosine(found, expected)
    assert near["minmax"] < TOLERANCES["INT8"].cosine
    assert near["entropy"] > 0.97


def test_its_folder_goes_with_a_calibrator(top: ModuleOp) -> None:
    calibrator = Calibrator(top)
    folder = calibrator.model.parent
    assert folder.is_relative_to(tempfile.gettempdir())
    assert calibrator.model.is_file()
    del calibrator
    assert not folder.exists()
