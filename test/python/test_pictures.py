"""Pictures from end to end: split, run, convert and compile, on the command line and from Python."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from convert_models import two_convolutions
from convert_toolchain import real
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from autosplit.api import compile, convert, infer, load, load_compiled, split
from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_reader import GraphInfos
from autosplit.inputs.preprocess import Preprocess
from autosplit.tools.cli import main as cli

Array = NDArray[np.generic]
Image: Any = pytest.importorskip("PIL.Image")

SAID = "mean=127.5,scale=1/128,color=bgr"


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of six smooth pictures, much redder than they are blue."""
    folder = tmp_path_factory.mktemp("photos")
    for i in range(6):
        random = np.random.default_rng(i)
        pixels = random.random((5, 6, 3)) * np.array([255, 180, 90])
        image = Image.fromarray(pixels.astype(np.uint8)).resize((48, 40), Image.BICUBIC)
        image.save(folder / f"{i}.png")
    return folder


def as_the_net_wants(path: Path, size: int = 16) -> Array:
    """float32[1, 3, size, size]: BGR, (x - 127.5) / 128."""
    image = Image.open(path).resize((size, size), Image.BILINEAR)
    pixels = (np.asarray(image, np.float32)[..., ::-1] - np.float32(127.5)) / np.float32(128)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


def embedding(path: Path) -> Path:
    """A net of convolutions whose answers tell blue from red, and dark from light."""
    rng = np.random.default_rng(4)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array((rng.normal(size=shape) * 0.3).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], name="conv1", strides=[2, 2]),
        helper.make_node("PRelu", ["c1", "s1"], ["r1"], name="relu1"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], name="conv2"),
        helper.make_node("Flatten", ["c2"], ["f"], name="flatten"),
        helper.make_node("Gemm", ["f", "w3"], ["y"], name="gemm"),
    ]
    graph = helper.make_graph(
        nodes,
        "embedding",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 16])],
        [
            weight("w1", 8, 3, 3, 3),
            numpy_helper.from_array(np.full((8, 1, 1), 0.2, np.float32), "s1"),
            weight("w2", 8, 8, 3, 3),
            weight("w3", 8 * 25, 16),
        ],
    )
    opset = helper.make_opsetid("", 13)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return path


def run(capsys: pytest.CaptureFixture[str], *args: Any) -> tuple[int, str, str]:
    code = cli.main([str(a) for a in args])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_split_measures_by_a_picture_and_the_folder_keeps_what_is_said(
    tmp_path: Path, photos: Path, capsys: pytest.CaptureFixture[str]
):
    model = two_convolutions(tmp_path / "two.onnx", sizes=("h", "w"))
    one = photos / "1.png"
    code, out, _ = run(
        capsys, "split", model, "--input", f"x={one}", "--preprocess", SAID, "-o", tmp_path / "o"
    )
    assert code == 0
    assert f"input 'x': {one}, BGR, stretched to 48x40, (x - 127.5) * 0.0078125: -0.9" in out
    infos = GraphInfos.load(tmp_path / "o")
    assert infos.tensors["x"].shape == (1, 3, 40, 48)
    assert infos.preprocess == {"x": Preprocess((127.5,), (1 / 128,), color="bgr")}
    assert json.loads((tmp_path / "o" / "graph_infos.json").read_text())["autosplit"][
        "preprocess"
    ] == {"x": {"mean": [127.5], "scale": [0.0078125], "size": "stretch", "color": "bgr"}}
    code, out, _ = run(capsys, "run", tmp_path / "o", "--input", one, "--compare", model)
    assert code == 0
    assert "BGR, stretched to 48x40, (x - 127.5) * 0.0078125: " in out
    assert re.search(r"^y +yes +0 +0", out, re.MULTILINE)


def test_floats_without_a_description_are_refused_by_all(
    tmp_path: Path, photos: Path, capsys: pytest.CaptureFixture[str]
):
    model = two_convolutions(tmp_path / "two.onnx")
    assert run(capsys, "split", model, "-o", tmp_path / "o")[0] == 0
    told = "input 'x' takes float32, and nothing says what becomes of a picture's bytes 0..255"
    one = photos / "1.png"
    for args in (
        ("split", model, "--input", one, "-o", tmp_path / "p"),
        ("run", tmp_path / "o", "--input", one),
        ("convert", tmp_path / "o", "--mode", "INT8", "--data", photos),
    ):
        code, _, err = run(capsys, *args)
        assert code == 1
        assert told in err
        assert "add --preprocess mean=127.5,scale=1/128,size=stretch,color=rgb" in err
        assert len(err.rstrip().splitlines()) == 1 or "..." in err
    assert not (tmp_path / "p").exists()
    code, out, _ = run(
        capsys, "run", tmp_path / "o", "--input", one, "--preprocess", "scale=1/255,size=crop"
    )
    assert code == 0
    assert f"input 'x': {one}, RGB, cropped to 16x16, x * 0.00392157: 0" in out
    assert GraphInfos.load(tmp_path / "o").preprocess == {}
    for text, message in (
        ("y:mean=1", "'y' is not an input of the model"),
        ("x:layout=nhwc", "takes no pictures with layout=nhwc"),
    ):
        code, _, err = run(capsys, "run", tmp_path / "o", "--preprocess", text)
        assert (code, message in err) == (1, True)


def test_from_python(tmp_path: Path, photos: Path):
    model = two_convolutions(tmp_path / "two.onnx")
    split("onnx", {"x": photos / "0.png"}, tmp_path / "o", model, preprocess=SAID)
    runner = load(tmp_path / "o", mode=0)
    wanted = infer(runner, {"x": as_the_net_wants(photos / "1.png")})["y"]
    np.testing.assert_array_equal(infer(runner, {"x": str(photos / "1.png")})["y"], wanted)
    other = Preprocess((127.5,), (1 / 128,))
    assert not np.array_equal(
        infer(runner, {"x": photos / "1.png"}, preprocess={"x": other})["y"], wanted
    )
    with pytest.raises(AutosplitError, match="'z' is not an input of the model"):
        infer(runner, {"z": "photo.jpg"})
    with pytest.raises(AutosplitError, match="maen"):
        split("onnx", {"x": photos / "0.png"}, tmp_path / "p", model, preprocess="maen=1")


def quantized(path: Path) -> Path:
    """A quantized convolution of NCHW with open sizes, behind (x - 127.5) / 128 if `own`."""
    rng = np.random.default_rng(0)
    weights = {
        "s": np.float32(0.01),
        "z": np.uint8(128),
        "w": rng.integers(-50, 50, (4, 3, 3, 3), np.int8),
        "ws": np.float32(0.02),
        "wz": np.int8(0),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["dw"]),
        helper.make_node("Conv", ["d", "dw"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "quantized",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, "h", "w"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, "a", "b"])],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in weights.items()],
    )
    opset = helper.make_opsetid("", 13)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)
    return path


def test_compiled_models_take_the_same(
    tmp_path: Path, photos: Path, capsys: pytest.CaptureFixture[str]
):
    model, one = quantized(tmp_path / "quantized.onnx"), photos / "1.png"
    compile(model, tmp_path / "o", preprocess=SAID)
    assert GraphInfos.load(tmp_path / "o").preprocess == {
        "x": Preprocess((127.5,), (1 / 128,), color="bgr")
    }
    code, out, _ = run(capsys, "run", tmp_path / "o", "--input", one, "--repeat", 1)
    assert code == 0
    assert "BGR, of its own size, (x - 127.5) * 0.0078125: -0.9" in out
    code, out, _ = run(
        capsys, "run", tmp_path / "o", "--input", one, "--repeat", 1, "--preprocess", "scale=1/255"
    )
    assert "RGB, of its own size, x * 0.00392157: 0" in out
    plan = load_compiled(tmp_path / "o")
    image = Image.open(one)
    pixels = (np.asarray(image, np.float32)[..., ::-1] - np.float32(127.5)) / np.float32(128)
    wanted = infer(plan, {"x": np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])})["y"]
    np.testing.assert_array_equal(infer(plan, {"x": one})["y"], wanted)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"preprocess": 5}, r"autosplit.preprocess is the number 5, expected an object"),
        ({"preprocess": {"z": {}}}, "names 'z', which is not an input of the model"),
        ({"preprocess": {"x": {"size": "fit"}}}, "of 'x': size is 'fit', expected stretch or"),
        ({"normalizes": {"x": {"mean": [1, 2]}}}, "of 'x': mean has 2 numbers, expected 1 or 3"),
    ],
)
def test_folders_are_checked(tmp_path: Path, entry: dict[str, Any], message: str):
    split("onnx", {"x": np.zeros((1, 3, 16, 16), np.float32)}, tmp_path / "o",
          two_convolutions(tmp_path / "two.onnx"))  # fmt: skip
    path = tmp_path / "o" / "graph_infos.json"
    infos = json.loads(path.read_text())
    infos["autosplit"] |= entry
    path.write_text(json.dumps(infos))
    with pytest.raises(AutosplitError, match=message):
        GraphInfos.load(tmp_path / "o")


def cosine(a: Array, b: Array) -> float:
    one, other = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def held_out(folder: Path, wanted: Sequence[Array], inputs: Sequence[Array]) -> float:
    """The least cosine of the bmodel's answers and the float model's."""
    runner = load(folder, use_cmodel=True, mode=2)
    return min(cosine(infer(runner, {"x": x})["y"], y) for x, y in zip(inputs, wanted, strict=True))


def test_int8_is_near_the_float_model_with_the_right_description_only(
    tmp_path: Path, photos: Path, capsys: pytest.CaptureFixture[str]
):
    real()
    model, folder = embedding(tmp_path / "embedding.onnx"), tmp_path / "o"
    args = ("split", model, "--target", "bm1684x", "--mode", "INT8", "-o", folder)
    assert run(capsys, *args)[0] == 0
    # Calibrated on all but the last two.
    data = tmp_path / "data"
    data.mkdir()
    for i in range(4):
        (data / f"{i}.png").write_bytes((photos / f"{i}.png").read_bytes())
    inputs = [as_the_net_wants(photos / f"{i}.png") for i in (4, 5)]
    runner = load(folder, mode=0)
    wanted = [np.asarray(infer(runner, {"x": x})["y"]) for x in inputs]

    def converted(said: str) -> tuple[str, float]:
        code, out, _ = run(capsys, "convert", folder, "--data", data, "--preprocess", said)
        assert code == 0
        return out, held_out(folder, wanted, inputs)

    wrong, far = converted("scale=1/255")
    assert "input 'x': 4 pictures, RGB, stretched to 16x16, x * 0.00392157: 0" in wrong
    right, near = converted(SAID)
    assert "input 'x': 4 pictures, BGR, stretched to 16x16, (x - 127.5) * 0.0078125: -0.9" in right
    assert near > 0.99
    assert far < near
    # Without a word, the folder's description holds, and what was compiled of it is taken.
    convert(folder, data=data)
    assert GraphInfos.load(folder).preprocess == {"x": Preprocess.parse(SAID)}
    assert held_out(folder, wanted, inputs) == near


def test_a_dynamic_folder_takes_pictures_of_their_own_sizes(
    tmp_path: Path, photos: Path, capsys: pytest.CaptureFixture[str]
):
    text = """<ir_version: 8, opset_import: ["": 17]>
        g (float[1,3,H,W] x) => (float[1,3,H,W] y) { y = HardSwish(x) }"""
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    out = tmp_path / "out"
    split = ["split", str(path), "--dynamic", "--input", "x=1,3,..40,..60", "--preprocess", SAID]
    assert cli.main([*split, "-o", str(out)]) == 0
    capsys.readouterr()
    photo, saved = photos / "0.png", tmp_path / "y.npz"
    for more, shape, said in (
        ([], (1, 3, 40, 48), "of its own size, at most 60x40"),
        (["--preprocess", f"{SAID},size=letterbox"], (1, 3, 40, 60), "in a letterbox of 60x40"),
    ):
        run = ["run", str(out), "--input", f"x={photo}", "--compare", str(path), "-o", str(saved)]
        assert cli.main([*run, *more]) == 0
        assert said in capsys.readouterr().out
        assert np.load(saved)["y"].shape == shape
