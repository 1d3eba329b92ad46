"""`autosplit quantize`: what is chosen, what comes out, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onednn_installed import needs_library
from onnx import numpy_helper

from autosplit.calibration.calibrators import CALIBRATORS, CHUNK, LEVELS, MovingAverage
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.explain.int8 import Fusion, explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, quantize_model
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.quantization import QuantConf, convert, prepare
from autosplit.testing.int8 import expect_vnni, host_isa
from autosplit.testing.networks.builder import Net, build
from autosplit.tools.cli.main import main

onnxruntime: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]
Feeds = dict[str, Array]


def samples(count: int = 3, shape: tuple[int, ...] = (1, 3, 16, 16)) -> list[Feeds]:
    random = np.random.default_rng(0)
    return [{"x": random.standard_normal(shape).astype(np.float32)} for _ in range(count)]


def residual(net: Net) -> None:
    """A block of a ResNet, and a classifier."""
    x = net.op("Relu", net.conv(net.input("x", (1, 3, 16, 16)), 3, 8, 3))
    y = net.op("Relu", net.conv(x, 8, 8, 3))
    x = net.op("Relu", net.op("Add", net.conv(y, 8, 8, 3), x))
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    net.output(net.linear(x, 8, 4), "y")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model = build("residual", residual, samples(1)[0])
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    return tmp_path / "model.onnx"


def quantized(path: Path, **options: Any) -> QuantizeResult:
    given = {"samples": samples(), **options}
    return quantize_model(QuantizeOptions(path, path.parent / "int8.onnx", force=True, **given))


def run(path: Path, feeds: Feeds) -> dict[str, Array]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def partitions(path: Path) -> list[Fusion]:
    return explain_int8(compile_model(CompileOptions(path)).module).partitions


# what comes out


@pytest.mark.parametrize("calibrator", sorted(CALIBRATORS))
def test_the_model_computes_nearly_what_it_did(path: Path, calibrator: str):
    found = quantized(path, calibrator=calibrator)
    onnx.checker.check_model(onnx.load(found.out), full_check=True)
    for feeds in samples(2):
        assert nearness(run(found.out, feeds), run(path, feeds)) > 0.99


def test_casts_stand_between_kernels(path: Path):
    """Not around what is computed with a product, nor at the product's side of its sum."""
    found = quantized(path)
    kinds = [op.type for op in found.recipe.ops.values() if op.operands]
    assert sorted(kinds) == [
        "Add",
        "Conv",
        "Conv",
        "Conv",
        "Flatten",
        "GlobalAveragePool",
        "MatMul",
    ]
    (added,) = (op for op in found.recipe.ops.values() if op.type == "Add")
    assert len(added.operands) == 1
    fused = [p.rule for p in partitions(found.out) if len(p.ops) > 1]
    assert sorted(fused)[:3] == ["int8-conv", "int8-conv", "int8-conv-sum"]


def test_an_output_is_not_rounded_for_who_else_reads_it(tmp_path: Path):
    """A view that the caller gets, and that a second product reads as bytes."""

    def write(net: Net) -> None:
        view = net.reshape(net.linear(net.input("x", (4, 8)), 8, 8), 2, 2, 8)
        net.output(view, "view")
        net.output(net.linear(view, 8, 8), "y")

    feeds = samples(2, (4, 8))
    (tmp_path / "model.onnx").write_bytes(build("views", write, feeds[0]).SerializeToString())
    graph = onnx.load(quantized(tmp_path / "model.onnx", samples=feeds).out).graph
    maker = {name: node for node in graph.node for name in node.output}
    kinds, value = [], "view"
    while value in maker:
        kinds.append(maker[value].op_type)
        value = maker[value].input[0]
    # One product, whose operand alone is rounded.
    assert kinds[-2:] == ["DequantizeLinear", "QuantizeLinear"]
    assert kinds.count("QuantizeLinear") == 1


def linear(net: Net, x: str, *behind: str) -> str:
    x = net.linear(x, 8, 8)
    for kind in behind:
        x = net.gelu(x) if kind == "Gelu" else net.op(kind, x)
    return x


def bmm(net: Net, x: str, divided: bool) -> str:
    x = net.op("MatMul", x, net.op("Transpose", x, perm=[0, 1, 3, 2]))
    return net.op("Div", x, 8.0) if divided else x


def convolved(net: Net, x: str, *behind: str) -> str:
    y = net.conv(x, 8, 8, 3)
    for kind in behind:
        y = net.op("Add", y, x) if kind == "sum" else net.op(kind, y)
    return y


IMAGE, ROWS, HEADS = (1, 8, 8, 8), (4, 8), (1, 2, 8, 8)

PATTERNS: dict[str, tuple[tuple[int, ...], Callable[[Net, str], str]]] = {
    "conv": (IMAGE, lambda n, x: convolved(n, x)),
    "linear": (ROWS, lambda n, x: linear(n, x)),
    "conv relu": (IMAGE, lambda n, x: convolved(n, x, "Relu")),
    "conv sum": (IMAGE, lambda n, x: convolved(n, x, "sum")),
    "conv sum relu": (IMAGE, lambda n, x: convolved(n, x, "sum", "Relu")),
    "linear relu": (ROWS, lambda n, x: linear(n, x, "Relu")),
    "linear gelu": (ROWS, lambda n, x: linear(n, x, "Gelu")),
    "linear sigmoid": (ROWS, lambda n, x: linear(n, x, "Sigmoid")),
    "linear sum": (ROWS, lambda n, x: n.op("Add", linear(n, x), x)),
    "bmm": (HEADS, lambda n, x: bmm(n, x, divided=False)),
    "bmm div": (HEADS, lambda n, x: bmm(n, x, divided=True)),
    "max_pool2d": (IMAGE, lambda n, x: n.op("MaxPool", n.conv(x, 8, 8), kernel_shape=[2, 2])),
}
"""What Intel's extension for PyTorch documents, as float32."""


@pytest.mark.parametrize(
    ("pattern", "int8_out"),
    [(name, out) for name in PATTERNS for out in (False, True) if out or name != "max_pool2d"],
)
def test_each_documented_pattern_is_a_partition(pattern: str, int8_out: bool, tmp_path: Path):
    """With a real result, or with bytes for another product behind it."""
    if pattern.startswith("bmm"):
        # Without VNNI a product of two activations stays in float32.
        expect_vnni()
    shape, body = PATTERNS[pattern]

    def write(net: Net) -> None:
        x = net.input("x", shape)
        # The first convolution turns the layout, and is another one for the library.
        y = body(net, net.op("Relu", net.conv(x, 8, 8)) if shape == IMAGE else x)
        if int8_out:
            y = net.conv(y, 8, 8) if shape == IMAGE else net.linear(y, 8, 8)
        net.output(y, "y")

    feeds = samples(2, shape)
    (tmp_path / "model.onnx").write_bytes(build(pattern, write, feeds[0]).SerializeToString())
    found = quantized(tmp_path / "model.onnx", samples=feeds, isa=host_isa())
    outside = [o for o in explain_int8(compile_model(CompileOptions(found.out)).module).outside]
    assert outside == []
    products = {"Convolution", "MatMul"}
    made = [p for p in partitions(found.out) if products & set(p.kinds.split())]
    wanted = (shape == IMAGE) + int8_out + 1
    assert len(made) == wanted
    own = made[shape == IMAGE]
    assert ("Quantize" in own.kinds.split()) == int8_out or pattern == "max_pool2d"
    assert nearness(run(found.out, feeds[0]), run(tmp_path / "model.onnx", feeds[0])) > 0.98


@needs_library
def test_both_apis_make_the_same(path: Path, tmp_path: Path):
    found = quantized(path)
    conf = QuantConf()
    prepared = prepare(path, conf)
    for sample in samples():
        prepared(sample)
    stepwise = convert(prepared)
    stepwise.save(tmp_path / "stepwise.onnx")
    convert(path, inputs=reversed(samples())).save(tmp_path / "once.onnx")
    want = found.out.read_bytes()
    assert (tmp_path / "stepwise.onnx").read_bytes() == want
    assert (tmp_path / "once.onnx").read_bytes() == want
    conf.save(tmp_path / "own.json")
    assert Recipe.read(tmp_path / "own.json").ranges == found.recipe.ranges
    feeds = samples(1)[0]
    assert nearness(stepwise(feeds), run(path, feeds)) > 0.99


def test_a_recipe_is_followed(path: Path):
    """What it keeps stays real, a range that was changed is taken, and no data is needed."""
    first = quantized(path)
    assert first.recipe_path is not None
    said = json.loads(first.recipe_path.read_text())
    conv = next(name for name, op in said["ops"].items() if op["type"] == "Conv")
    said["ops"][conv] = {"type": "Conv", "kept": "by hand"}
    said["ranges"]["x"] = [-2.0, 2.0]
    edited = path.parent / "edited.json"
    edited.write_text(json.dumps(said))
    second = quantized(path, recipe=Recipe.read(edited), samples=None)
    assert conv in second.recipe.kept
    assert second.recipe.samples == 3
    same = {k: v for k, v in first.recipe.ranges.items() if k != "x"}
    assert second.recipe.ranges == same
    del said["ops"][conv]
    edited.write_text(json.dumps(said))
    assert quantized(path, recipe=Recipe.read(edited), samples=None).recipe.ranges["x"] == (-2, 2)


@pytest.mark.parametrize(("bits", "limit"), [(8, 127), (7, 63)])
def test_weights_have_as_many_bits_as_are_asked_for(path: Path, bits: int, limit: int):
    found = quantized(path, weight_bits=bits)
    weights = [numpy_helper.to_array(t) for t in onnx.load(found.out).graph.initializer]
    of_bytes = [w for w in weights if w.dtype == np.int8 and w.ndim > 1]
    assert len(of_bytes) == 4
    assert {int(np.abs(w.astype(int)).max()) for w in of_bytes} == {limit}
    assert found.recipe.weight_bits == bits
    again = quantized(path, recipe=found.recipe, samples=None)
    assert again.recipe == found.recipe


def test_nothing_stays_in_float32_without_need(path: Path):
    assert quantized(path, target=0.9).recipe == quantized(path).recipe
    with pytest.raises(AutosplitError, match=r"do not reach a cosine of 1 with any part"):
        quantized(path, target=1 - 1e-10)


def sensitive(net: Net) -> None:
    """Two ways that are added; one of them is a large number and a small one that matters."""
    x = net.input("x", (1, 4))
    good = net.linear(x, 4, 4)
    large = net.op("Concat", net.op("Mul", x, 1000.0), x, axis=1)
    weights = np.concatenate([np.zeros((4, 4)), 100 * np.eye(4)]).astype(np.float32)
    net.output(net.op("Add", good, net.op("MatMul", large, weights)), "y")


def test_as_few_as_needed_stay_in_float32(tmp_path: Path):
    """The product whose 8 bits cannot hold what matters, and only that."""
    feeds = samples(4, (1, 4))
    model = tmp_path / "model.onnx"
    model.write_bytes(build("sensitive", sensitive, feeds[0]).SerializeToString())
    told: list[str] = []
    plain = quantized(model, samples=feeds)
    assert min(nearness(run(plain.out, f), run(model, f)) for f in feeds) < 0.9
    found = quantized(model, samples=feeds, target=0.999, note=told.append)
    assert found.recipe.kept == ["matmul_1"]
    assert "quantizing it alone takes the cosine to " in found.recipe.ops["matmul_1"].kept
    reached = min(nearness(run(found.out, f), run(model, f)) for f in feeds)
    assert reached >= 0.999
    assert told == [
        f"cosine {reached:.5f} over 4 samples, with 1 of 2 products in float32",
        "4 samples cannot stand for others: give 8 or more",
    ]
    again = quantized(model, samples=None, recipe=found.recipe)
    assert again.recipe.kept == ["matmul_1"]


def test_a_sample_that_is_refused_leaves_nothing(path: Path):
    prepared = prepare(path, QuantConf(calibrator="minmax"))
    good, *_ = samples()
    prepared(good)
    for wrong in (np.where(good["x"] > 2, 3e38, good["x"]), good["x"][:, :2]):
        with pytest.raises(AutosplitError, match=r"^sample 2: "):
            prepared({"x": wrong.astype(np.float32)})
    assert prepared.observed.samples == 1
    assert prepared.observed.ranges()["x"] == (float(good["x"].min()), float(good["x"].max()))


def test_a_recipe_s_ranges_are_by_its_calibrator(path: Path):
    recipe = quantized(path).recipe
    with pytest.raises(AutosplitError, match=r"ranges are by histogram: leave entropy out"):
        quantized(path, recipe=recipe, calibrator="entropy")


def test_compile_takes_data(path: Path, capsys: pytest.CaptureFixture[str]):
    folder, out = path.parent / "data", path.parent / "plan"
    folder.mkdir()
    for i, sample in enumerate(samples()):
        np.save(folder / f"{i}.npy", sample["x"])
    assert main(["compile", str(path), "--data", str(folder), "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "int8-conv-sum" in told
    assert "input 'x': 3 arrays" in told


def test_pictures_keep_their_size_where_the_model_leaves_it_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    pillow = pytest.importorskip("PIL.Image")
    model = build("open", residual, samples(1)[0])
    for axis in (2, 3):
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = f"size_{axis}"
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    pillow.new("RGB", (24, 20), (250, 10, 30)).save(tmp_path / "photo.png")
    data = ["--data", str(tmp_path / "photo.png"), "--preprocess", "mean=0,scale=1/255"]
    out = tmp_path / "int8.onnx"
    assert main(["quantize", str(tmp_path / "model.onnx"), *data, "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "1 picture, RGB, " in told
    assert "-9223" not in told
    recipe = Recipe.read(out.with_suffix(".recipe.json"))
    assert recipe.preprocess[""].startswith("mean=0,scale=0.0039")
    assert 0.97 < recipe.ranges["x"][1] < 1
    sizes = onnx.load(out).graph.input[0].type.tensor_type.shape.dim
    assert [d.dim_value for d in sizes] == [1, 3, 0, 0]


# calibrators


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(CALIBRATORS.keys() - {"moving-average"})),
    st.integers(0, 2**32),
    st.integers(1, 4),
)
def test_calibrators_merge_in_any_order(name: str, seed: int, parts: int):
    random = np.random.default_rng(seed)
    arrays = [
        (random.standard_normal(random.integers(0, 200)) * 10.0 ** random.integers(-3, 3)).astype(
            np.float32
        )
        for _ in range(6)
    ]
    whole = CALIBRATORS[name]()
    for array in arrays:
        whole.add(array)
    split = [CALIBRATORS[name]() for _ in range(parts)]
    for i in random.permutation(len(arrays)):
        split[i % parts].add(arrays[i])
    first, *others = random.permutation(np.array(split, object)).tolist()
    for other in others:
        first.merge(other)
    assert first.range() == whole.range()
    numbers = np.concatenate(arrays)
    low, high = whole.range()
    assert min(numbers.min(initial=0), 0) <= low <= high <= max(numbers.max(initial=0), 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 4))
def test_a_moving_average_goes_by_the_order(seed: int, count: int, chunks: int):
    """Its formula, and the same bytes from parts of whole chunks."""
    arrays = np.random.default_rng(seed).standard_normal((count, 50)).astype(np.float32)
    whole = MovingAverage()
    low, high = float(arrays[0].min()), float(arrays[0].max())
    for array in arrays:
        whole.add(array)
        low, high = 0.99 * low + 0.01 * array.min(), 0.99 * high + 0.01 * array.max()
    assert whole.range() == pytest.approx((low, high))
    first = MovingAverage()
    for start in range(0, count, CHUNK * chunks):
        part = MovingAverage()
        for array in arrays[start : start + CHUNK * chunks]:
            part.add(array)
        first.merge(part)
    assert chunks > 1 or first.range() == whole.range()
    assert first.range() == pytest.approx(whole.range())


def loss(numbers: Array, low: float, high: float) -> float:
    step = (high - low) / LEVELS
    zero = np.rint(-low / step)
    stored = np.clip(np.rint(numbers / step) + zero, 0, LEVELS)
    return float(np.square(numbers - (stored - zero) * step).sum())


@pytest.mark.parametrize("name", ["histogram", "minmax"])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_the_histogram_loses_least(name: str, power: int):
    """Against a search of all pairs of 40 limits, on the numbers themselves."""
    numbers = (np.random.default_rng(power).standard_normal(20000) ** power).astype(np.float32)
    calibrator = CALIBRATORS[name]()
    calibrator.add(numbers)
    ends = numbers.min(), numbers.max()
    tried = [
        loss(numbers, float(ends[0]) * a / 40, float(ends[1]) * b / 40)
        for a in range(1, 41)
        for b in range(1, 41)
    ]
    ratio = loss(numbers, *calibrator.range()) / min(tried)
    assert ratio < 1.05 or name == "minmax"
    assert ratio > 0.9


def test_memory_does_not_grow_with_samples():
    calibrator = CALIBRATORS["histogram"]()
    random = np.random.default_rng(0)
    sizes: list[int] = []
    for _ in range(60):
        calibrator.add(random.standard_normal(4096).astype(np.float32))
        sizes.append(calibrator.buckets.counts.size)
    assert sizes[-1] < 1.5 * sizes[10] < 1 << 16


# what is refused


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"samples": []}, "needs at least one sample"),
        ({"samples": None}, "there is no data"),
        ({"samples": [{"x": np.full((1, 3, 16, 16), np.nan, np.float32)}]}, "not finite"),
        ({"samples": [{"y": np.zeros(1, np.float32)}]}, "sample 1: the input 'x' is missing"),
        (
            {"samples": [{"x": np.zeros((2, 2), np.float32)}]},
            r"sample 1: input 'x' has the shape \[2",
        ),
        ({"samples": [{"x": np.full((1, 3, 16, 16), "a")}]}, "sample 1: input 'x'"),
        ({"calibrator": "histgram"}, "there is no calibrator 'histgram' .did you mean"),
        ({"skip": ["conv_9"]}, "the model has no op 'conv_9' .did you mean 'conv_"),
        ({"recipe": Recipe(ranges={"conv_9": (0.0, 1.0)})}, "a range for 'conv_9'"),
        ({"kinds": ["Gemm"]}, "nothing of the model can be quantized"),
        ({"target": 1.5}, "a cosine of 1.5: expected one between 0 and 1"),
        ({"kinds": ["Convv"]}, "there is no product 'Convv' .did you mean 'Conv'"),
    ],
)
def test_what_does_not_fit_is_one_line(options: dict[str, Any], told: str, path: Path):
    with pytest.raises(AutosplitError, match=told) as error:
        quantized(path, **options)
    assert "\n" not in str(error.value)
    assert [p.name for p in path.parent.iterdir()] == ["model.onnx"]


def test_a_quantized_model_is_refused(path: Path):
    out = quantized(path).out
    assert out is not None
    with pytest.raises(AutosplitError, match="is quantized already: compile takes it as it is"):
        quantize_model(QuantizeOptions(out, samples=samples()))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not a recipe"),
        ("[]", "it is no object"),
        ('{"recipe": 2}', 'expected "recipe": 1'),
        ('{"recipe": 1, "ranges": {"x": [1, 0]}}', "the range of 'x'"),
        ('{"recipe": 1, "ranges": {"x": 1}}', "expected two numbers"),
        ('{"recipe": 1, "ranges": {"x": [0, 1e39]}}', "expected float32 numbers"),
        ('{"recipe": 1, "ranges": {"x": "05"}}', "expected two numbers"),
        (f'{{"recipe": 1, "ranges": {{"x": [0, {"9" * 400}]}}}}', "expected two numbers"),
        ('{"recipe": 1, "samples": Infinity}', "cannot convert float infinity"),
        ('{"recipe": 1, "samples": 1.5}', "expected an integer, found 1.5"),
        ('{"recipe": 1, "ops": {"c": {"kept": "x", "weight_bits": 1e400}}}', "is not a recipe"),
        ('{"recipe": 1, "ops": {"c": {}}}', "op 'c' needs either operands or kept"),
    ],
)
def test_a_recipe_that_is_none(text: str, told: str, tmp_path: Path):
    (tmp_path / "recipe.json").write_text(text)
    with pytest.raises(AutosplitError, match=told):
        Recipe.read(tmp_path / "recipe.json")


def test_options_for_samples_need_some(path: Path, capsys: pytest.CaptureFixture[str]):
    out = path.parent / "plan"
    assert main(["compile", str(path), "--calibrator", "minmax", "-o", str(out)]) == 1
    assert "--calibrator: applies to samples; give them with --data" in capsys.readouterr().err
    assert not out.exists()


def test_nothing_is_replaced_unasked(path: Path):
    quantized(path)
    with pytest.raises(AutosplitError, match=r"int8.onnx: is there already; --force replaces it"):
        quantize_model(QuantizeOptions(path, path.parent / "int8.onnx", samples=samples()))
    with pytest.raises(AutosplitError, match="is the model itself"):
        quantize_model(QuantizeOptions(path, path, samples=samples(), force=True))
    with pytest.raises(AutosplitError, match=r"ends with .onnx"):
        quantize_model(QuantizeOptions(path, path.parent / "int8", samples=samples()))
