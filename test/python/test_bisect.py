"""`autosplit bisect`, and what is tried for a target: in ONNX Runtime's own files too."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onednn_installed import needs_library

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.flows.bisect import Bisected, BisectOptions, bisect
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.flows.quantizing.metrics import Metric, load_metric
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.testing.networks.builder import Net, build
from autosplit.tools.cli.main import main

onnxruntime: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]
Feeds = dict[str, Array]


def samples(shape: tuple[int, ...], count: int = 4) -> list[Feeds]:
    random = np.random.default_rng(0)
    return [{"x": random.standard_normal(shape).astype(np.float32)} for _ in range(count)]


def run(path: Path, feeds: Feeds) -> dict[str, Array]:
    options = onnxruntime.SessionOptions()
    # Its integer kernels saturate on processors without VNNI.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(str(path), options, providers=providers)
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def sensitive(net: Net) -> None:
    """Two ways that are added; one of them is a large number and a small one that matters."""
    x = net.input("x", (1, 4))
    good = net.linear(x, 4, 4)
    large = net.op("Concat", net.op("Mul", x, 1000.0), x, axis=1)
    weights = np.concatenate([np.zeros((4, 4)), 100 * np.eye(4)]).astype(np.float32)
    net.output(net.op("Add", good, net.op("MatMul", large, weights)), "y")


def block(net: Net) -> None:
    """A block of a ResNet, and a classifier."""
    x = net.op("Relu", net.conv(net.input("x", (1, 3, 16, 16)), 3, 8, 3))
    y = net.op("Relu", net.conv(x, 8, 8, 3))
    x = net.op("Relu", net.op("Add", net.conv(y, 8, 8, 3), x))
    net.output(net.linear(net.op("Flatten", net.op("GlobalAveragePool", x)), 8, 4), "y")


SHAPES = {"sensitive": (1, 4), "block": (1, 3, 16, 16)}


def written(folder: Path, name: str) -> tuple[Path, list[Feeds]]:
    feeds = samples(SHAPES[name])
    builder = {"sensitive": sensitive, "block": block}[name]
    path = folder / "model.onnx"
    path.write_bytes(build(name, builder, feeds[0]).SerializeToString())
    return path, feeds


def own(path: Path, feeds: list[Feeds], **options: Any) -> Path:
    out = path.parent / "int8.onnx"
    quantize_model(QuantizeOptions(path, out, samples=feeds, force=True, **options))
    return out


def theirs(path: Path, feeds: list[Feeds]) -> Path:
    """What ONNX Runtime's quantizer makes."""
    quantization = pytest.importorskip("onnxruntime.quantization")

    class Reader(quantization.CalibrationDataReader):
        def __init__(self) -> None:
            self.left = iter(feeds)

        def get_next(self) -> Feeds | None:
            return next(self.left, None)

    out = path.parent / "theirs.onnx"
    quantization.quantize_static(str(path), str(out), Reader(), per_channel=True)
    return out


def found(quantized: Path, path: Path, feeds: list[Feeds], **options: Any) -> Bisected:
    return bisect(BisectOptions(quantized, QuantizeOptions(path, samples=feeds, **options)))


# what is found


def test_the_op_that_adds_the_error_is_found(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "sensitive")
    made = found(own(path, feeds), path, feeds)
    assert made.suspects[0].name == "matmul_1"
    assert made.kept == ["matmul_1"]
    assert made.whole < 0.9 < made.reached
    assert made.best == pytest.approx(1.0)
    assert made.samples == 4
    # The recipe makes the model that was promised, without data.
    better = tmp_path / "better.onnx"
    quantize_model(QuantizeOptions(path, better, recipe=made.recipe))
    reached = min(nearness(run(better, f), run(path, f)) for f in feeds)
    assert reached == pytest.approx(made.reached, abs=1e-3)


@pytest.mark.parametrize("name", ["sensitive", "block"])
def test_alone_is_what_a_model_with_one_quantized_op_loses(tmp_path: Path, name: str) -> None:
    """Files with one quantized product each, in ONNX Runtime, against the switches."""
    path, feeds = written(tmp_path, name)
    first = quantize_model(QuantizeOptions(path, samples=feeds)).recipe
    made = found(own(path, feeds), path, feeds)
    alone = {one.name: one.alone for one in made.suspects}
    products = [n for n, op in first.ops.items() if op.type in ("Conv", "MatMul", "Gemm")]
    for name in products:
        ops = {
            n: op if n == name else QuantizedOp(op.type, kept="x") for n, op in first.ops.items()
        }
        one = own(path, feeds, recipe=Recipe(ranges=first.ranges, ops=ops))
        expected = min(nearness(run(one, f), run(path, f)) for f in feeds)
        assert alone[name] == pytest.approx(expected, abs=1e-4), name


def test_another_quantizer_s_file_is_taken(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "block")
    quantized = theirs(path, feeds)
    made = found(quantized, path, feeds)
    expected = min(nearness(run(quantized, f), run(path, f)) for f in feeds)
    assert made.whole == pytest.approx(expected, abs=5e-3)
    assert made.best == pytest.approx(1.0)
    assert made.recipe.ranges.keys() >= {"x"}
    assert made.reached > made.whole


def biased(net: Net) -> None:
    """Products with a bias, without one, and with a sum behind them; what they read is far from 0."""
    x = net.op("Add", net.input("x", (4, 8)), np.float32(8))
    x = net.op("Relu", net.op("Gemm", x, net.normal(8, 16), net.normal(16), beta=0.5))
    x = net.op("Relu", net.op("Gemm", x, net.normal(16, 16)))
    x = net.op("Add", net.op("MatMul", x, net.normal(16, 8)), net.normal(8))
    x = net.op("Conv", net.reshape(x, 4, 8, 1, 1), net.normal(8, 8, 1, 1), net.normal(8))
    net.output(net.op("Sigmoid", net.op("Mul", x, np.float32(0.02))), "y")


def test_corrected_biases_are_simulated(tmp_path: Path) -> None:
    feeds = samples((4, 8), 8)
    path = tmp_path / "model.onnx"
    path.write_bytes(build("biased", biased, feeds[0]).SerializeToString())
    results: list[float] = []
    for corrected in (False, True):
        quantized = own(path, feeds, correct_biases=corrected)
        made = found(quantized, path, feeds)
        expected = min(nearness(run(quantized, f), run(path, f)) for f in feeds)
        assert 1 - made.whole == pytest.approx(1 - expected, rel=0.1)
        assert made.best == pytest.approx(1.0)
        results.append(made.whole)
    assert 1 - results[1] < 0.8 * (1 - results[0])


def test_channels_that_were_scaled_are_scaled_here_too(tmp_path: Path) -> None:
    """The recipe beside the model says by what."""
    path, feeds = written(tmp_path, "block")
    quantized = own(path, feeds, equalize=True, smooth=0.5)
    made = found(quantized, path, feeds)
    expected = min(nearness(run(quantized, f), run(path, f)) for f in feeds)
    assert made.whole == pytest.approx(expected, abs=1e-4)
    assert made.best == pytest.approx(1.0)
    assert made.recipe.equalize
    again = own(path, feeds, recipe=made.recipe)
    reached = min(nearness(run(again, f), run(path, f)) for f in feeds)
    assert reached == pytest.approx(made.reached, abs=1e-3)


@needs_library
def test_partitions_of_a_compiled_folder_are_tried(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "block")
    quantized, folder = own(path, feeds), tmp_path / "plan"
    compile_model(CompileOptions(quantized, out=folder))
    ops = {op for one in found(quantized, path, feeds).suspects for op in one.ops}
    regions = found(folder, path, feeds).suspects
    assert {op for one in regions for op in one.ops} == ops
    assert any("(int8-conv-sum)" in one.name and len(one.ops) == 2 for one in regions)


def test_a_target_decides_what_the_recipe_keeps(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "block")
    quantized = own(path, feeds)
    assert found(quantized, path, feeds, target=0.5).kept == []
    made = found(quantized, path, feeds, target=0.99999)
    assert made.reached >= 0.99999
    with pytest.raises(
        AutosplitError, match=r"no choice of products reaches a cosine of 1; the whole"
    ):
        found(quantized, path, feeds, target=1 - 1e-10)


# a metric of the user's


def lowest(outputs: Any, exact: Any) -> float:
    """Less the largest difference."""
    return -max(float(np.abs(o["y"] - e["y"]).max()) for o, e in zip(outputs, exact, strict=True))


def test_a_metric_s_target_is_reached_in_the_file(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "sensitive")
    whole = lowest([run(own(path, feeds), f) for f in feeds], [run(path, f) for f in feeds])
    target = whole / 10
    told: list[str] = []
    metric = Metric("lowest", lowest)
    out = own(path, feeds, target=target, metric=metric, note=told.append)
    assert lowest([run(out, f) for f in feeds], [run(path, f) for f in feeds]) >= target
    assert told[0].startswith("lowest -")
    assert told[0].endswith("over 4 samples, with 1 of 2 products in float32")


def test_a_metric_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "metrics.py"
    file.write_text(
        "def same(outputs, exact):\n    return float(len(outputs) == len(exact))\n"
        "def broken(outputs, exact):\n    raise KeyError('y')\n"
        "def nothing(outputs, exact):\n    return float('nan')\n"
        "def leaving(outputs, exact):\n    raise SystemExit(3)\n"
        "def silent(outputs, exact):\n    assert not exact\n"
    )
    assert load_metric(f"{file}:same")([], []) == 1.0
    with pytest.raises(AutosplitError, match=r"has no function 'sam' .did you mean 'same'"):
        load_metric(f"{file}:sam")
    with pytest.raises(AutosplitError, match=r"the metric broken failed: .*y"):
        load_metric(f"{file}:broken")([], [])
    with pytest.raises(AutosplitError, match=r"the metric nothing gave nan; expected a number"):
        load_metric(f"{file}:nothing")([], [])
    with pytest.raises(AutosplitError, match=r"leaving failed: it ended the program, SystemExit.3"):
        load_metric(f"{file}:leaving")([], [])
    with pytest.raises(AutosplitError, match=r"the metric silent failed: AssertionError$"):
        load_metric(f"{file}:silent")([], [{}])
    with pytest.raises(AutosplitError, match=r"expected FILE.py:NAME"):
        load_metric("accuracy")
    with pytest.raises(AutosplitError, match=r"missing.py: there is no such file"):
        load_metric("missing.py:f")
    file.write_text("import nowhere_at_all\n")
    with pytest.raises(AutosplitError, match=r"metrics.py: .*nowhere_at_all"):
        load_metric(f"{file}:same")
    file.write_text("import sys\nsys.exit('usage: metrics.py FILE')\n")
    with pytest.raises(AutosplitError, match=r"metrics.py: it ended .*SystemExit.usage: metrics"):
        load_metric(f"{file}:same")


# what is refused


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "sensitive")
    quantized = own(path, feeds)
    with pytest.raises(AutosplitError, match=r"model.onnx: no op reads what QuantizeLinear"):
        found(path, path, feeds)
    with pytest.raises(AutosplitError, match=r"there is no data: "):
        found(quantized, path, [])
    with pytest.raises(AutosplitError, match=r"expected a quantized .onnx model or a folder"):
        found(tmp_path, path, feeds)
    other = tmp_path / "other"
    other.mkdir()
    last, _ = written(other, "block")
    with pytest.raises(AutosplitError, match=r"the models have no quantized op in common"):
        found(quantized, last, samples(SHAPES["block"]))


def transformer(net: Net) -> None:
    """Matrix products without biases, behind a norm."""
    x = net.input("x", (1, 8, 16))
    y = net.op("LayerNormalization", x, net.normal(16), net.normal(16), axis=-1)
    a, b = (net.op("MatMul", y, net.normal(16, 16)) for _ in range(2))
    net.output(net.op("MatMul", net.op("Tanh", net.op("Add", a, b)), net.normal(16, 4)), "y")


def test_products_that_got_a_bias_are_still_found(tmp_path: Path) -> None:
    feeds = samples((1, 8, 16), 8)
    path = tmp_path / "model.onnx"
    path.write_bytes(build("transformer", transformer, feeds[0]).SerializeToString())
    made = found(own(path, feeds, correct_biases=True), path, feeds)
    assert not made.unknown
    assert {one.name for one in made.suspects} >= {"matmul_0", "matmul_1", "matmul_2"}
    target = (made.whole + 1) / 2
    out = own(path, feeds, correct_biases=True, target=target)
    assert min(nearness(run(out, f), run(path, f)) for f in feeds) >= target


def test_a_target_with_a_recipe_is_measured_on_the_data(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "sensitive")
    recipe = quantize_model(QuantizeOptions(path, samples=feeds)).recipe
    out = own(path, feeds, recipe=recipe, target=0.99)
    assert min(nearness(run(out, f), run(path, f)) for f in feeds) >= 0.99


@needs_library
def test_a_folder_does_not_say_how_channels_were_scaled(tmp_path: Path) -> None:
    path, feeds = written(tmp_path, "block")
    folder = tmp_path / "plan"
    quantized = own(path, feeds, equalize=True)
    compile_model(CompileOptions(quantized, out=folder))
    whole = found(quantized, path, feeds)
    # Either the weights tell, or nothing was scaled.
    with suppress(AutosplitError):
        made = found(folder, path, feeds)
        assert made.unknown or made.whole == pytest.approx(whole.whole, abs=1e-3)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, feeds = written(tmp_path, "sensitive")
    quantized, data, out = own(path, feeds), tmp_path / "x.npy", tmp_path / "better.json"
    np.save(data, np.stack([f["x"] for f in feeds]))
    line = ["bisect", str(quantized), "--compare", str(path), "--data", str(data)]
    assert main([*line, "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "What adds the error" in told
    assert "with 1 in float32: matmul_1" in told
    assert Recipe.read(out).kept == ["matmul_1"]
    assert main([*line, "-o", str(out)]) == 1
    assert "is there already; --force replaces it" in capsys.readouterr().err
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept"] == ["matmul_1"]
    assert main([*line, "--metric", "f.py:f"]) == 1
    assert "--metric and --target-metric: give both" in capsys.readouterr().err
