"""`--set NAME=VALUE`: an input that is one value for good becomes a constant of the model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onednn_installed import needs_library

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.explain.plan import Explanation
from autosplit.inputs.fixed import parse_fixed
from autosplit.quantization import QuantConf
from autosplit.quantization import convert as quantize
from autosplit.runtime.runner import Runner
from autosplit.testing.models import model_path
from autosplit.testing.split import run_whole
from autosplit.tools.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

X = np.random.default_rng(0).standard_normal((1, 2, 8), np.float32)

RATES = """<ir_version: 8, opset_import: ["": 17]>
    g (float[1,2,8] x, int64 sr, float[1] gain) => (float[A,B,C] y)
    <float[3,2,3] w, float[3,2,5] v, int64 high = {16000}> {
        is = Equal(sr, high)
        c = If (is) <
            then_branch = a () => (float[A,B,C] p) { p = Conv <pads=[1,1]> (x, w) },
            else_branch = b () => (float[A,B,C] q) { q = Conv <pads=[2,2]> (x, v) }
        >
        y = Mul(c, gain)
    }"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = onnx.parser.parse_model(RATES.replace("float[3,2,3] w, float[3,2,5] v, ", ""))
    random = np.random.default_rng(1)
    for name, shape in (("w", (3, 2, 3)), ("v", (3, 2, 5))):
        array = random.standard_normal(shape, np.float32)
        found.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    path = tmp_path_factory.mktemp("fixed") / "rates.onnx"
    onnx.save(found, path)
    return path


@pytest.mark.parametrize("rate", [16000, 8000])
def test_a_fixed_condition_brings_work_to_the_tpu(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], rate: int
):
    fix = ["--set", f"sr={rate}", "--set", "gain=0.1"]
    out = tmp_path / "out"
    assert main(["explain", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tpu_work"] == 0
    assert main(["split", str(model), *fix, "-o", str(out)]) == 0
    capsys.readouterr()
    infos = json.loads((out / "graph_infos.json").read_text())
    assert [g["device"] for g in infos["graphs"]] == ["tpu"]
    assert infos["autosplit"]["inputs"] == ["x"]
    gain = [float(np.float32(0.1))]
    assert infos["autosplit"]["fixed"] == {
        "sr": {"dtype": "int64", "shape": [], "values": [rate]},
        "gain": {"dtype": "float32", "shape": [1], "values": gain},
    }
    found: Explanation = api.explain(out)
    assert found.work == found.tpu_work > 0
    assert main(["run", str(out), "--compare", str(model)]) == 0
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out
    runner = Runner(out, 0)
    given = {"sr": np.array(rate), "gain": np.float32([0.1])}
    (wanted,) = run_whole(model, {"x": X, **given}, ["y"]).values()
    for more in ({}, given, {"sr:0": np.array(rate)}):
        np.testing.assert_array_equal(runner.infer({"x": X, **more})["y"], wanted)
    with pytest.raises(AutosplitError, match=f"input 'sr' is fixed to {rate} in these"):
        runner.infer({"x": X, "sr": np.array(rate + 1)})


@needs_library
def test_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, out = tmp_path / "m.onnx", tmp_path / "out"
    found = onnx.parser.parse_model((EXAMPLES / "quantized.onnxtxt").read_text(encoding="utf-8"))
    (given,), (made,) = found.graph.input, found.graph.output
    found.graph.node.append(onnx.helper.make_node("Mul", [made.name, "gain"], ["louder"], "scaled"))
    float32 = onnx.TensorProto.FLOAT
    found.graph.input.append(onnx.helper.make_tensor_value_info("gain", float32, []))
    found.graph.output.append(onnx.helper.make_tensor_value_info("louder", float32, None))
    onnx.save(found, path)
    assert main(["compile", str(path), "--set", "gain=0.5", "-o", str(out)]) == 0
    own = json.loads((out / "graph_infos.json").read_text())["autosplit"]
    assert own["inputs"] == [given.name]
    assert own["fixed"] == {"gain": {"dtype": "float32", "shape": [], "values": [0.5]}}
    assert main(["run", str(out), "--compare", str(path)]) == 0
    api.compile(path, tmp_path / "again", fixed={"gain": 0.5})
    for file in ("graph_infos.json", "dnnl_0/plan.mlir"):
        assert (out / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    assert main(["explain", str(path), "--int8", "--set", "gain=0.5", "--op", "scaled"]) == 0
    capsys.readouterr()
    assert main(["compile", str(path), "--set", "gains=1", "-o", str(tmp_path / "wrong")]) == 1
    assert "--set gains: is not an input of the model" in capsys.readouterr().err


@needs_library
@pytest.mark.parametrize("how", ["command", "python", "at once"])
def test_quantize(tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str):
    """What is set is a constant of the quantized model, and the whole model still gets it."""
    text = """<ir_version: 8, opset_import: ["": 17]>
        g (float[1,3,8,8] x, int64 rate, float[1] gain) => (float[1,4,8,8] y) <int64 high = {2}> {
            is = Equal(rate, high)
            c = If (is) <
                then_branch = a () => (float[1,4,8,8] p) { p = Conv <pads=[1,1,1,1]> (x, w) },
                else_branch = b () => (float[1,4,8,8] q) { q = Conv <pads=[1,1,1,1]> (x, v) }
            >
            y = Mul(c, gain)
        }"""
    found = onnx.parser.parse_model(text)
    random = np.random.default_rng(1)
    for name in ("w", "v"):
        array = random.standard_normal((4, 3, 3, 3), np.float32)
        found.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
    path, out = tmp_path / "m.onnx", tmp_path / "int8.onnx"
    onnx.save(found, path)
    given = [{"x": random.standard_normal((1, 3, 8, 8), np.float32)} for _ in range(8)]
    (tmp_path / "data").mkdir()
    for i, feeds in enumerate(given):
        np.savez(tmp_path / "data" / f"{i}.npz", **feeds)
    options = ["--set", "rate=2", "--set", "gain=3"]
    data = ["--data", str(tmp_path / "data")]
    if how == "command":
        command = ["quantize", str(path), *data, *options, "--target-cosine", "0.9", "-o", str(out)]
        assert main(command) == 0
    elif how == "python":
        conf = QuantConf(fixed={"rate": 2, "gain": np.float32([3])})
        quantize(path, conf, given).save(out)
    else:
        folder = tmp_path / "out"
        assert main(["compile", str(path), *data, *options, "-o", str(folder)]) == 0
        own = json.loads((folder / "graph_infos.json").read_text())["autosplit"]
        assert {name: one["values"] for name, one in own["fixed"].items()} == {
            "rate": [2],
            "gain": [3],
        }
        loose = ["--tolerance", "300"]
        assert main(["run", str(folder), "--compare", str(path), *loose]) == 0
        out = folder / "graph_0.onnx"
    made = onnx.load(out)
    assert [i.name for i in made.graph.input] == ["x"]
    kinds = {node.op_type for node in made.graph.node}
    assert "QuantizeLinear" in kinds
    assert not kinds & {"If", "Equal"}
    feeds = given[0]
    whole = {**feeds, "rate": np.array(2), "gain": np.float32([3])}
    (wanted,) = run_whole(path, whole, ["y"]).values()
    (had,) = run_whole(out, feeds, ["y"]).values()
    assert np.abs(had - wanted).max() < 0.05 * np.abs(wanted).max()
    assert (
        main(["quantize", str(path), *data, "--set", "rat=1", "-o", str(tmp_path / "no.onnx")]) == 1
    )
    assert "is not an input of the model (did you mean 'rate'?)" in capsys.readouterr().err


@pytest.mark.parametrize(("rate", "length"), [(16000, 576), (8000, 288)])
def test_a_voice_detector(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rate: int, length: int
):
    """Its network is in the branches of an If on the rate: none of it is for the TPU, or all."""
    path, folder = model_path("silero_vad.onnx"), tmp_path / "out"
    inputs = ["--input", f"input=1,{length}", "--input", "state=2,1,128"]
    np.save(tmp_path / "rate.npy", np.array(rate))
    given = ["--input", f"sr={tmp_path / 'rate.npy'}"]
    assert main(["explain", str(path), *inputs, *given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tpu_work"] == 0
    assert main(["split", str(path), *inputs, "--set", f"sr={rate}", "-o", str(folder)]) == 0
    found: Explanation = api.explain(folder)
    assert found.tpu_work == found.work > 0
    assert main(["run", str(folder), "--compare", str(path)]) == 0
    assert "2 of 2 outputs are bit-equal" in capsys.readouterr().out


def test_from_python(model: Path, tmp_path: Path):
    fixed = {"sr": np.int64(8000), "gain": np.array([2.0])}
    api.split("onnx", {"x": X}, tmp_path / "out", model, fixed=fixed, dynamic=True)
    (wanted,) = run_whole(
        model, {"x": X, "sr": np.array(8000), "gain": np.float32([2])}, ["y"]
    ).values()
    np.testing.assert_array_equal(Runner(tmp_path / "out", 0).infer({"x": X})["y"], wanted)
    one: Explanation = api.explain(model, {"x": X}, fixed=fixed)
    assert one.tpu_work == one.work
    for wrong in ({"sr": "8000"}, ["sr"]):
        with pytest.raises(AutosplitError, match="expected"):
            api.explain(model, fixed=wrong)


def test_sizes_that_must_be_measured(tmp_path: Path):
    """The model is run for that, and its file asks for what is fixed."""
    text = """<ir_version: 8, opset_import: ["": 17]>
        g (float[4,6] x, int64[2] sizes, float low) => (float[M,N] y, int64[P,Q] at) {
            r = Reshape(x, sizes)
            y = Relu(r)
            b = Greater(y, low)
            at = NonZero(b)
        }"""
    path, out = tmp_path / "m.onnx", tmp_path / "out"
    onnx.save(onnx.parser.parse_model(text), path)
    np.save(tmp_path / "sizes.npy", np.array([3, 8]))
    fix = ["--set", f"sizes={tmp_path / 'sizes.npy'}", "--set", "low=0.5"]
    assert main(["split", str(path), *fix, "-o", str(out)]) == 0
    assert main(["run", str(out), "--compare", str(path)]) == 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--set", "rate=1"], "--set rate: is not an input of the model"),
        (["--set", "sr=1.5"], "--set sr"),
        (["--set", "sr=true"], None),
        (["--set", "sr"], "expected NAME=VALUE with a number, true, false or a .npy file"),
        (["--set", "sr=none.npy"], "expected NAME=VALUE"),
        (["--set", "sr=1", "--set", "sr=2"], "'sr' is set twice"),
        (
            ["--set", "sr=1", "--input", "sr=:int64"],
            "--set sr: --input or --shape speaks of it too",
        ),
        (["--set", "x=1"], "found shape [], expected sizes 1,2,8"),
    ],
)
def test_what_cannot_be_fixed(
    model: Path, capsys: pytest.CaptureFixture[str], options: list[str], expected: str | None
):
    code = main(["explain", str(model), *options])
    err = capsys.readouterr().err
    if expected is None:
        assert code == 0
        return
    assert (code, len(err.splitlines()), expected in err) == (1, 1, True)


def test_values_as_text():
    assert parse_fixed(["a=1", "b=c=-2.5", "d=false", "e=1e3"]) == {
        "a": 1, "b=c": -2.5, "d": False, "e": 1000.0
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["placeholder", "default"])
def test_tensorflow(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str):
    tf = pytest.importorskip("tensorflow").compat.v1
    with tf.Graph().as_default() as graph:
        tf.disable_control_flow_v2()
        x = tf.placeholder(tf.float32, [1, 8, 8, 3], "x")
        if kind == "placeholder":
            training = tf.placeholder(tf.bool, [], "training")
        else:
            training = tf.placeholder_with_default(True, [], "training")
        weight = tf.constant(np.ones((3, 3, 3, 4), np.float32))
        same = tf.cond(training, lambda: x * 2.0, lambda: tf.nn.relu(x))
        with tf.control_dependencies([training]):
            y = tf.nn.conv2d(same, weight, 1, "SAME")
        tf.identity(y, "y")
    path, out = tmp_path / "m.pb", tmp_path / "out"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    common = ["split", str(path), "--output", "y", "--set", "training=false"]
    assert main([*common, "-o", str(out)]) == 0
    infos = json.loads((out / "graph_infos.json").read_text())
    assert infos["autosplit"]["inputs"] == ["x:0"]
    assert infos["autosplit"]["fixed"]["training:0"]["values"] == [False]
    assert main(["run", str(out), "--compare", str(path)]) == 0
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out
