"""Recipes in the formats of other tools: what they hold, what those tools make of them, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx as onnx_typed
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper
from onnx import numpy_helper as numpy_helper_typed

from autosplit.core.errors import AutosplitError
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, Quantizing, quantize_model
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.flows.quantizing.recipes.formats import FORMATS, RecipeFile, merged
from autosplit.flows.quantizing.recipes.model_names import ModelNames
from autosplit.flows.quantizing.recipes.torch_names import range_of, scale_of
from autosplit.lowering.quant.quantize.quant_insert import activation_type
from autosplit.quantization import QuantConf, convert
from autosplit.tools.cli.main import main

onnx: Any = onnx_typed
numpy_helper: Any = numpy_helper_typed
onnxruntime: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]
DATA = Path(__file__).parent / "data"

KEPT = "/layer/layer.0/conv1/Conv"

PRODUCTS = [
    "/conv/Conv",
    *(f"/layer/layer.{i}/conv{j}/Conv" for i in (0, 1) for j in (1, 2)),
    "/fc/Gemm",
    "/MatMul",
]


def exported() -> ModelProto:
    """A small ResNet with the names that PyTorch's exporter gives; modules of activations run twice."""
    random = np.random.default_rng(0)
    nodes: list[NodeProto] = []
    weights: list[TensorProto] = []

    def op(kind: str, path: str, *inputs: str, **attributes: Any) -> str:
        result = "y" if path == "" and kind == "MatMul" else f"{path}/{kind}_output_0"
        nodes.append(helper.make_node(kind, inputs, [result], name=f"{path}/{kind}", **attributes))
        return result

    def product(kind: str, path: str, x: str, *shape: int, **attributes: Any) -> str:
        module = (
            path.split("/")[-2] + "." + path.split("/")[-1] if path.count("/") > 1 else path[1:]
        )
        for name, size in (("weight", shape), ("bias", shape[:1])):
            array = (random.standard_normal(size) / np.sqrt(np.prod(size[1:]))).astype(np.float32)
            weights.append(numpy_helper.from_array(array, f"{module}.{name}"))
        return op(kind, path, x, f"{module}.weight", f"{module}.bias", **attributes)

    def conv(path: str, x: str, channels: int = 8) -> str:
        return product("Conv", path, x, 8, channels, 3, 3, pads=[1, 1, 1, 1])

    x = op("Relu", "/relu", conv("/conv", "x", 3))
    for block in ("/layer/layer.0", "/layer/layer.1"):
        y = op("Relu", f"{block}/relu", conv(f"{block}/conv1", x))
        x = op("Add", block, conv(f"{block}/conv2", y), x)
        x = op("Relu", f"{block}/relu_1", x)
    x = op("Flatten", "", op("GlobalAveragePool", "/pool", x))
    x = product("Gemm", "/fc", x, 8, 8, transB=1)
    op("MatMul", "", x, op("Transpose", "", x, perm=[1, 0]))
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 3, 16, 16])
    wanted = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 4])
    graph = helper.make_graph(nodes, "net", [given], [wanted], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def samples() -> list[dict[str, Array]]:
    random = np.random.default_rng(1)
    return [{"x": random.standard_normal((4, 3, 16, 16)).astype(np.float32)} for _ in range(2)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    onnx.save(exported(), tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> ModelNames:
    path = tmp_path_factory.mktemp("names") / "net.onnx"
    onnx.save(exported(), path)
    quantizing = Quantizing.of(QuantizeOptions(path, samples=samples(), weight_limits=True))
    quantizing.run()
    return quantizing.settings.names


def quantized(path: Path, *recipes: Path, **options: Any) -> QuantizeResult:
    out = path.parent / "int8.onnx"
    return quantize_model(QuantizeOptions(path, out, recipe_files=recipes, force=True, **options))


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def read(path: Path, names: ModelNames) -> Recipe:
    return RecipeFile.read(path).recipe(names)


# what a format holds comes back

numbers = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)


@st.composite
def recipes(draw: st.DrawFn, names: ModelNames) -> Recipe:
    """Any ranges, any products in float32; the others read 8 bits."""
    found = Recipe("net.onnx", "minmax", 3, 8, preprocess={"x": "mean=1"})
    values = [v for v in names.values if v in names.makers or v == "x"]
    for value in draw(st.lists(st.sampled_from(values), unique=True)):
        low, high = sorted((draw(numbers), draw(numbers)))
        # PyTorch has no smaller scale than 2^-23.
        found.ranges[value] = low, high if high - low > 0.01 else float(np.float32(low + 1))
    kept = draw(st.sets(st.sampled_from(PRODUCTS)))
    for name in PRODUCTS:
        type = names.by_name[name].type
        found.ops[name] = (
            QuantizedOp(type, kept="why") if name in kept else QuantizedOp(type, (0, 1))
        )
    return found


def integers(ends: tuple[float, float]) -> tuple[float, int]:
    """Scale and zero point that a range becomes."""
    type = activation_type(*ends)
    return float(type.scales[0]), int(type.zero_points[0])


HOLDS: dict[str, Callable[[Recipe], Any]] = {
    "autosplit": lambda r: r,
    "ipex": lambda r: ({v: integers(ends) for v, ends in r.ranges.items()}, r.kept),
    "ipex-1.10": lambda r: r.kept,
    "nncf": lambda r: r.kept,
    "onnxruntime": lambda r: r.ranges,
    "tpu-mlir": lambda r: {v: tuple(map(np.float32, ends)) for v, ends in r.ranges.items()},
    "tpu-mlir-qtable": lambda r: r.kept,
}
"""What can be compared."""


def test_every_format_is_compared():
    assert sorted(HOLDS) == sorted(FORMATS)


@pytest.mark.parametrize("name", sorted(FORMATS))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_a_format_holds_comes_back(
    name: str, data: st.DataObject, names: ModelNames, tmp_path: Path
):
    recipe = data.draw(recipes(names))
    if name == "ipex":
        # It has the values that the ops which it records read and make.
        recorded = {
            v for op in names.ops if op.type != "Transpose" for v in (*op.inputs, *op.outputs)
        }
        recipe.ranges = {v: ends for v, ends in recipe.ranges.items() if v in recorded}
    if name == "ipex-1.10":
        read_by = {n: names.by_name[n].inputs for n in PRODUCTS if n not in recipe.kept}
        recipe.ranges |= {v: (-1.0, 1.0) for values in read_by.values() for v in values if v}
    file = written(tmp_path, "file", FORMATS[name].write(recipe, names))
    assert RecipeFile.read(file).format == name
    found = read(file, names)
    assert HOLDS[name](found) == HOLDS[name](recipe)
    again = written(tmp_path, "again", FORMATS[name].write(merged([recipe, found]), names))
    assert HOLDS[name](read(again, names)) == HOLDS[name](recipe)


def test_ranges_of_scales_give_the_scales_again():
    random = np.random.default_rng(0)
    for low, high in random.standard_normal((2000, 2)) * np.exp(random.standard_normal((2000, 1))):
        # As `quant.stats` has them.
        scale, zero = scale_of(*map(float, np.float32([min(low, 0.0), max(high, 0.0)])))
        for dtype, shift in (("torch.quint8", 0), ("torch.qint8", 128)):
            ends = np.float32(range_of(scale, zero - shift, dtype))
            assert scale_of(*map(float, ends)) == (scale, zero)


@pytest.mark.parametrize(
    "formats",
    [
        ["autosplit"],
        ["ipex"],
        ["ipex-1.10"],
        ["onnxruntime", "nncf"],
        ["tpu-mlir", "tpu-mlir-qtable"],
    ],
)
def test_the_same_model_comes_of_each_without_data(formats: list[str], path: Path, tmp_path: Path):
    targets = [(name, tmp_path / f"{name}.txt") for name in formats]
    first = quantized(path, samples=samples(), skip=[KEPT], write_recipes=targets)
    assert first.recipe.kept == [KEPT]
    assert first.out is not None
    wanted = first.out.read_bytes()
    second = quantized(path, *(file for _, file in targets))
    assert second.out is not None
    assert second.recipe.kept == [KEPT]
    assert second.out.read_bytes() == wanted


def test_recipes_add_up_and_the_later_is_right(path: Path, tmp_path: Path):
    first = quantized(path, samples=samples(), write_recipes=[("tpu-mlir", tmp_path / "table")])
    ranges = first.recipe.ranges
    other = Recipe(ranges={"x": (-1.0, 2.0)}, ops={KEPT: QuantizedOp("Conv", kept="by hand")})
    own = written(tmp_path, "own.json", other.text())
    found = quantized(path, tmp_path / "table", own)
    assert found.recipe.ranges == ranges | {"x": (-1.0, 2.0)}
    assert found.recipe.kept == [KEPT]
    assert quantized(path, own, tmp_path / "table").recipe.ranges == ranges


# what other tools write, and make of what is written


def floats(stated: Any) -> dict[str, tuple[float, float]]:
    """The ranges that ONNX Runtime has."""
    return {n: (float(d.lowest.item()), float(d.highest.item())) for n, d in stated.items()}


class Feeds:
    def __init__(self):
        self.left = samples()

    def get_next(self) -> dict[str, Array] | None:
        return self.left.pop() if self.left else None


def test_ranges_of_onnx_runtime(path: Path, names: ModelNames, tmp_path: Path):
    """Its own are read, and it quantizes with the file that is written as with its own."""
    quantization: Any = pytest.importorskip("onnxruntime.quantization")
    if not hasattr(quantization, "save_tensors_data"):
        pytest.skip("this ONNX Runtime keeps no ranges in files")
    calibrater = quantization.create_calibrator(path, augmented_model_path=str(tmp_path / "a.onnx"))
    calibrater.collect_data(Feeds())
    stated = calibrater.compute_data()
    quantization.save_tensors_data(stated, tmp_path / "own.json")
    found = read(tmp_path / "own.json", names)
    assert len(found.ranges) > 10
    assert found.ranges == floats(stated)

    file = written(tmp_path, "ours.json", FORMATS["onnxruntime"].write(found, names))
    assert floats(quantization.load_tensors_data(file)) == found.ranges
    for cache, out in ((tmp_path / "own.json", "one.onnx"), (file, "other.onnx")):
        quantization.quantize_static(
            path, tmp_path / out, None, calibration_cache_path=cache, per_channel=True
        )
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "other.onnx").read_bytes()


@pytest.mark.parametrize("whole", [True, False])
def test_the_table_of_onnx_runtime(whole: bool, path: Path, names: ModelNames, tmp_path: Path):
    quantization: Any = pytest.importorskip("onnxruntime.quantization")
    calibrater = quantization.create_calibrator(path, augmented_model_path=str(tmp_path / "a.onnx"))
    calibrater.collect_data(Feeds())
    stated = calibrater.compute_data()
    quantization.write_calibration_table(stated if whole else stated.data, str(tmp_path))
    assert read(tmp_path / "calibration.json", names).ranges == floats(stated)
    with pytest.raises(AutosplitError, match=r"calibration.cache: is not a recipe"):
        read(tmp_path / "calibration.cache", names)


def test_nncf_keeps_what_it_is_told(path: Path, tmp_path: Path):
    nncf: Any = pytest.importorskip("nncf", reason="NNCF is not installed")
    quantized(path, samples=samples(), skip=[KEPT], write_recipes=[("nncf", tmp_path / "scope")])
    scope = nncf.IgnoredScope(**json.loads((tmp_path / "scope").read_text()))
    made = nncf.quantize(onnx.load(path), nncf.Dataset(samples()), ignored_scope=scope)
    weights = {n.name: n.input[1] for n in made.graph.node if n.op_type == "Conv"}
    assert [name for name, weight in weights.items() if weight.endswith(".weight")] == [KEPT]


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        ({"names": [KEPT, "/fc/Gemm"]}, [KEPT, "/fc/Gemm"]),
        ({"patterns": ["/layer/.*/conv"]}, PRODUCTS[1:5]),
        ({"types": ["Gemm"]}, ["/fc/Gemm"]),
        (
            {
                "subgraphs": [
                    {"inputs": ["/layer/layer.0/relu/Relu"], "outputs": ["/layer/layer.1/Add"]}
                ]
            },
            PRODUCTS[2:5],
        ),
        ({"names": ["/fc"], "types": ["LSTM"], "patterns": ["zz"], "validate": False}, []),
        ({"ignored_scope": {"names": [KEPT]}}, [KEPT]),
        ({"ignored_scopes": [KEPT, "{re}conv2"]}, [KEPT, PRODUCTS[2], PRODUCTS[4]]),
        ({"compression": {"algorithm": "quantization", "ignored_scopes": [KEPT]}}, [KEPT]),
    ],
)
def test_scopes_of_nncf(scope: dict[str, Any], kept: list[str], names: ModelNames, tmp_path: Path):
    found = read(written(tmp_path, "scope.json", json.dumps(scope)), names)
    assert [name for name in PRODUCTS if name in found.kept] == sorted(kept, key=PRODUCTS.index)


def test_the_summary_of_intels_extension(path: Path, tmp_path: Path):
    """As version 2.8 wrote it for this network: nothing is measured, its scales are those of the model."""
    file = DATA / "ipex_qconf_summary.json"
    found = quantized(path, file)
    assert found.recipe.kept == []
    assert found.recipe.samples == 0
    ops = json.loads(file.read_text())[" "]["q_op_infos"]
    for info, value in (
        (ops["0"]["input_tensor_infos"][0], "x"),
        (ops["5"]["input_tensor_infos"][1], "/relu/Relu_output_0"),
        (ops["15"]["input_tensor_infos"][1], "/Transpose_output_0"),
    ):
        scale, zero = integers(found.recipe.ranges[value])
        assert scale == pytest.approx(info["scale"][0], rel=1e-6)
        assert zero == info["zero_point"][0]

    said = json.loads(file.read_text())
    for info in said[" "]["q_op_infos"]["2"]["input_tensor_infos"]:
        info["force_dtype"] = "torch.float32"
    edited = written(tmp_path, "edited.json", json.dumps(said))
    assert quantized(path, edited).recipe.kept == [KEPT]


def test_the_list_of_intels_extension(names: ModelNames, tmp_path: Path):
    """Signed and unsigned integers stand for what they do there; `inputs_quantized` switches an op off."""
    ops = {name: QuantizedOp(names.by_name[name].type, kept="why") for name in PRODUCTS}
    recipe = Recipe(ranges={"x": (-1.0, 1.0)}, ops=ops | {PRODUCTS[0]: QuantizedOp("Conv", (0, 1))})
    said = json.loads(FORMATS["ipex-1.10"].write(recipe, names))
    assert [op["name"] for op in said][:6] == ["conv2d", "relu", "conv2d", "relu", "conv2d", "add"]
    assert said[1]["inputs_flow"] == said[0]["outputs_flow"] == ["conv2d.0.output"]
    said[0] |= {"input_scales": [0.5], "input_zero_points": [0], "input_quantized_dtypes": ["int8"]}
    said[2] |= {"input_scales": [0.5], "input_zero_points": [128], "inputs_quantized": [True]}
    found = read(written(tmp_path, "list.json", json.dumps(said)), names)
    assert found.ranges == {"x": (-64.0, 63.5), "/relu/Relu_output_0": (-64.0, 63.5)}
    assert found.kept == PRODUCTS[2:]
    recipe.ranges.clear()
    with pytest.raises(AutosplitError, match="needs the range of 'x', which '/conv/Conv' reads"):
        FORMATS["ipex-1.10"].write(recipe, names)


def test_tables_of_tpu_mlir(names: ModelNames, tmp_path: Path):
    """The type may stand behind a name; the threshold cuts a range off; other sections are left out."""
    table = (
        "# mlir version: v1.30\n###\n# op_name    threshold    min    max\n"
        "x 2.5 -3.0 2.0\r\n/relu/Relu_output_0_Relu 1.5 0.0 2.0\n\n#int4_th\nx 1.0 -1.0 1.0\n"
        "#asym_op\nnothing\n"
    )
    found = read(written(tmp_path, "table", table), names)
    assert found.ranges == {"x": (-2.5, 2.0), "/relu/Relu_output_0": (0.0, 1.5)}
    modes = "# op_name   quantize_mode\n/relu/Relu_output_0_Relu BF16\n/fc/Gemm_output_0 INT8\n"
    assert read(written(tmp_path, "modes", modes), names).kept == ["/conv/Conv"]


# what is refused


def summary(**changes: Any) -> str:
    said = json.loads((DATA / "ipex_qconf_summary.json").read_text())
    said[" "]["q_op_infos"]["2"].update(changes)
    return json.dumps(said)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not a recipe in any format that autosplit reads; these are autosplit, ipex"),
        ("hello\n", "is not a recipe in any format"),
        ('{"a": 1}', "is not a recipe in any format"),
        ("[]", "is not a recipe in any format"),
        ('{"recipe": 1, "ran', "is not a recipe: Unterminated string .* line 1 column"),
        ("[" * 100000, "is not a recipe"),
        ('{"recipe": 1, "ranges": {"xx": [0, 1]}}', "no value 'xx'"),
        (
            '{"recipe": 1, "ops": {"/fc/Gem": {"kept": ""}}}',
            "no op '/fc/Gem' .did you mean '/fc/Gemm'",
        ),
        (
            "x 1 0 1\nx 1 2\n",
            "line 2 of the calibration table is 'x 1 2', expected: name threshold",
        ),
        ("x 1 0 nan\n", "line 1 of the calibration table is 'x 1 0 nan', expected finite numbers"),
        (
            "x 1 0 1\n/relu/Rel 1 0 1\n",
            "line 2: the model has no value '/relu/Rel' .did you mean '/relu/R",
        ),
        ("x F32\nx F33\n", "line 2 of the quantize table has the mode 'F33', expected one of F32"),
        ("x F32\nx\n", "line 2 of the quantize table is 'x', expected: name mode"),
        ("yy F32\n", "line 1: the model has no value 'yy'"),
        ('{"names": ["/fc/Gem"]}', "no op '/fc/Gem' .did you mean '/fc/Gemm'"),
        ('{"names": "fc"}', 'names is "fc", expected a list'),
        ('{"names": [], "type": []}', "is not a recipe in any format"),
        ('{"patterns": ["("]}', "is no regular expression"),
        ('{"patterns": ["zz"]}', "the model has no op that matches 'zz'"),
        ('{"types": ["Gem"]}', "no op of the type 'Gem' .did you mean 'Gemm'"),
        ('{"CLS": "TensorsData", "data": {"xx": {"CLS": "TensorData"}}}', "no value 'xx'"),
        ('{"x": {"CLS": "TensorData", "lowest": 1}}', "highest of 'x' is null, expected a number"),
        (
            '{"x": {"CLS": "TensorData", "lowest": {"data": [1, 2]}, "highest": 1}}',
            "lowest of 'x' has 2 numbers, expected one range for a value",
        ),
        (
            f'{{"x": {{"CLS": "TensorData", "lowest": 0, "highest": {"9" * 400}}}}}',
            r"highest of .* is 9+ \.\.\., expected a number",
        ),
        ('{"x": {"CLS": "TensorData", "lowest": 2, "highest": 1}}', "the range of 'x' is 2 to 1"),
        (
            summary(fqn="layer.0.conv3"),
            "no module for op 2 .conv 'layer.0.conv3'. .did you mean 'layer.0",
        ),
        (summary(fqn="conv"), "no module for op 2 .conv 'conv'., which runs 1 time there"),
        (
            summary(weight_tensor_infos=[{"scale": [1, 2]}]),
            "has weights of 2 channels, but .* has 8",
        ),
        (
            summary(fqn="", op_type="<built-in function linear>"),
            "1 of the kind linear without a path, and the model has 0 that no path is for",
        ),
        (summary(input_tensor_infos=[{"scale": ["a"], "zero_point": [0]}]), "expected a number"),
        (
            '[{"id": 0, "name": "conv2d", "inputs_quantized": [true]}]',
            "it has 1 op of the kind conv, the model has 5",
        ),
    ],
)
def test_what_does_not_fit_is_one_line(text: str, told: str, path: Path, tmp_path: Path):
    file = written(tmp_path, "recipe.txt", text)
    with pytest.raises(AutosplitError, match=told) as error:
        quantized(path, file)
    assert str(error.value).startswith(str(file))
    assert "\n" not in str(error.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.onnx", "recipe.txt"]


def test_a_file_that_is_not_there(path: Path, tmp_path: Path):
    with pytest.raises(AutosplitError, match=r"none.json: there is no such file"):
        quantized(path, tmp_path / "none.json")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AutosplitError, match=r"bytes: is not a recipe: it is no text"):
        quantized(path, tmp_path / "bytes")


def test_what_was_folded_away_is_no_mistake(names: ModelNames, tmp_path: Path):
    there = replace(names, gone=frozenset({"old"}))
    table = written(tmp_path, "table", "old 1 0 1\nx 1 0 1\n")
    assert read(table, there).ranges == {"x": (0.0, 1.0)}
    scope = written(tmp_path, "scope", '{"names": ["old"], "patterns": ["ol"]}')
    assert read(scope, there).kept == []


def test_nodes_without_names_cannot_be_told_to_nncf(names: ModelNames):
    ops = tuple(replace(op, node="") for op in names.ops)
    recipe = Recipe(ops={KEPT: QuantizedOp("Conv", kept="why")})
    with pytest.raises(AutosplitError, match="its node has no name by which NNCF could know it"):
        FORMATS["nncf"].write(recipe, replace(names, ops=ops))


# the commands


def test_the_command_takes_and_writes_recipes(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    np.save(tmp_path / "x.npy", samples()[0]["x"])
    table, modes, out = tmp_path / "table", tmp_path / "modes", tmp_path / "int8.onnx"
    command = ["quantize", str(path), "-o", str(out)]
    asked = ["--write-recipe", f"tpu-mlir={table}", "--write-recipe", f"tpu-mlir-qtable={modes}"]
    assert main([*command, "--data", str(tmp_path / "x.npy"), "--skip", KEPT, *asked]) == 0
    assert f"wrote {table}\nwrote {modes}\n" in capsys.readouterr().out
    made = out.read_bytes()
    given = ["--recipe", str(table), "--recipe", str(modes)]
    assert main([*command, "--force", *given]) == 0
    assert out.read_bytes() == made

    for target, told in (
        (f"tpumlir={table}", "there is no format 'tpumlir' of recipes (did you mean 'tpu-mlir'?)"),
        ("tpu-mlir", "--write-recipe tpu-mlir: expected FORMAT=FILE"),
        (f"tpu-mlir={table}", f"{table}: is there already; --force replaces it"),
        (f"tpu-mlir={path}", f"{path}: is another file of the same run"),
        (f"tpu-mlir={tmp_path / 'a' / 'b'}", "there is no folder"),
    ):
        other = ["quantize", str(path), "-o", str(tmp_path / "other.onnx"), *given]
        assert main([*other, "--write-recipe", target]) == 1
        assert told in capsys.readouterr().err
    assert not (tmp_path / "other.onnx").exists()


def test_recipes_from_python(path: Path, tmp_path: Path):
    conf = QuantConf(skip=[KEPT])
    with pytest.raises(AutosplitError, match="there is no recipe yet"):
        conf.save(tmp_path / "a", "nncf")
    convert(path, conf, samples())
    for name in FORMATS:
        conf.save(tmp_path / name, name)
        assert RecipeFile.read(tmp_path / name).format == name
    again = QuantConf(configure_file=[tmp_path / "onnxruntime", tmp_path / "nncf"])
    convert(path, again)
    assert again.recipe.ranges == conf.recipe.ranges
    assert again.recipe.kept == [KEPT]
    scales = json.loads((tmp_path / "ipex").read_text())[" "]["q_op_infos"]["0"][
        "weight_tensor_infos"
    ]
    weights: Array = numpy_helper.to_array(exported().graph.initializer[0])
    largest = np.abs(weights).max(axis=(1, 2, 3))
    assert scales[0]["scale"] == pytest.approx(largest * 2 / 255)
