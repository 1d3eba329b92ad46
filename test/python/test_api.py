"""`autosplit.api`: the documented functions, on real models and on mistakes."""

from __future__ import annotations

import inspect
import json
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.shape_inference
import pytest
from convert_models import split_open, split_two
from convert_toolchain import real
from onnx import TensorProto, helper, numpy_helper

from auto_deploy.splitter import OnnxSplitter, TensorflowSplitter
from autosplit.api import compile, convert, deploy, explain, infer, load, probe, split
from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_reader import GraphInfos
from autosplit.runtime.compare import compare
from autosplit.testing.qdq import QdqBuilder
from autosplit.tools.cli import main as cli

X = np.random.default_rng(0).random((1, 3, 16, 16)).astype(np.float32)


def detector(path: Path) -> Path:
    """Convolutions, which a TPU takes, and a NonZero behind them, which it does not."""
    rng = np.random.default_rng(1)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["image", "w1"], ["c1"], name="conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], name="relu1"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], name="conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Sigmoid", ["c2"], ["scores"], name="sigmoid"),
        helper.make_node("Greater", ["scores", "half"], ["found"], name="greater"),
        helper.make_node("NonZero", ["found"], ["where"], name="where"),
        helper.make_node("Transpose", ["where"], ["boxes"], name="transpose"),
    ]
    graph = helper.make_graph(
        nodes,
        "detector",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 16, 16])],
        [
            helper.make_tensor_value_info("boxes", TensorProto.INT64, [None, 4]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 4, 16, 16]),
        ],
        [
            weight("w1", 8, 3, 3, 3),
            weight("w2", 4, 8, 3, 3),
            numpy_helper.from_array(np.float32(0.5), "half"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def whole(path: Path) -> dict[str, Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, {"image": X}), strict=True))


def test_split_load_infer(tmp_path: Path):
    path = detector(tmp_path / "model.onnx")
    assert split("onnx", {"image": X}, str(tmp_path / "out"), str(path)) is None
    infos = GraphInfos.load(tmp_path / "out")
    assert [g.device for g in infos.graphs] == ["tpu", "cpu"]
    assert infos.layout == "NCHW"
    assert infos.own["target"] == "bm1684"
    got = infer(load(tmp_path / "out", mode=0), {"image": X})
    assert list(got) == ["boxes", "scores"]
    assert [d for d in compare(got, whole(path)) if not d.equal] == []
    # The number of boxes depends on the picture: it was measured, and another one is no error.
    assert infos.tensors["boxes"].shape == got["boxes"].shape
    measured: Any = infos.own["measured"]
    assert "boxes" in measured
    assert len(infer(load(tmp_path / "out", mode=0), {"image": -X})["boxes"]) != len(got["boxes"])


def test_outputs_are_chosen(tmp_path: Path):
    path = detector(tmp_path / "model.onnx")
    split("onnx", {"image": X}, tmp_path / "out", path, outputs=["scores"])
    infos = GraphInfos.load(tmp_path / "out")
    assert infos.outputs == {"scores": "scores"}
    assert [g.device for g in infos.graphs] == ["tpu"]
    assert compare(
        infer(load(tmp_path / "out", mode=0), {"image": X}), {"scores": whole(path)["scores"]}
    )[0].equal


def test_splitter_of_the_original(tmp_path: Path):
    path = detector(tmp_path / "model.onnx")
    descriptor = {
        "model_path": str(path),
        "input_tensors": {"image": X},
        "output_names": ["boxes", "scores"],
        "layout": "NCHW",
        "dynamic": False,
    }
    OnnxSplitter(descriptor).convert_and_split(str(tmp_path / "a"))
    split("onnx", {"image": X}, tmp_path / "b", path)
    for file in [p for p in (tmp_path / "a").rglob("*") if p.is_file()]:
        assert (
            file.read_bytes() == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes()
        ), file.name

    splitter = OnnxSplitter(descriptor)
    splitter.graph_infos |= {"labels": ["cat"], "graph_num": 99}
    splitter.keep = 0.0
    splitter.convert_and_split(tmp_path / "d")
    written = json.loads((tmp_path / "d" / "graph_infos.json").read_text())
    assert written["labels"] == ["cat"]
    assert written["graph_num"] == len(written["graphs"]) == 1

    class Stubborn(OnnxSplitter):
        def is_op_support(self, operator: Any) -> bool:
            return False

    with pytest.raises(AutosplitError, match="would not be asked"):
        Stubborn(descriptor).convert_and_split(tmp_path / "c")
    with pytest.raises(AutosplitError, match="no 'model_path'"):
        TensorflowSplitter({"input_tensors": {}})


def wrong(**changes: Any) -> dict[str, Any]:
    return changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (wrong(platform="mxnet"), "is not text; expected a symbol of MXNet"),
        (wrong(platform="caffe"), "is not a prototxt"),
        (wrong(platform="pytorch"), "cannot be read as a .pt2 archive"),
        (wrong(platform="onyx"), r"'onyx' is unknown \(did you mean 'onnx'\?\)"),
        (wrong(params_path="w.params"), "w.params: an ONNX model holds its weights itself"),
        (wrong(layout="NCWH"), "layout is 'NCWH'"),
        (wrong(outputs="scores"), "outputs is 'scores', expected a list"),
        (wrong(outputs=["score"]), r"did you mean 'scores'"),
        (wrong(input_tensors=[X]), "input_tensors is a list"),
        (wrong(input_tensors={"image": X.tolist()}), "'image' is a list, expected a numpy"),
        (wrong(input_tensors={"picture": X}), "'picture'"),
        (wrong(input_tensors={"image": X[:, :2]}), "'image'"),
        (
            wrong(input_tensors={"image": X.astype(np.float64) + 1e-12}),
            "float64, expected float32, which",
        ),
        (wrong(graph_path="gone.onnx"), "no such file"),
        (wrong(target="BM1864"), r"'BM1864' is unknown \(did you mean 'bm1684'"),
        (wrong(mode="F8"), "mode F8: BM1684 computes in F32 and INT8"),
        (wrong(keep=2), "keep 2.0: expected a share"),
        (wrong(pins={"conv1": "gpu"}), "conv1=gpu: expected REGEX=cpu or REGEX=tpu"),
        (wrong(pins={"conv1": 1}), "conv1=1: expected REGEX=cpu or REGEX=tpu"),
        (wrong(shapes=[(1, 3)]), "shapes is a list, expected {name: sizes}"),
        (wrong(pins={"conv9": "cpu"}), "'conv9' matches no node"),
        (wrong(pins="conv1=cpu"), "pins is 'conv1=cpu', expected {REGEX"),
        (wrong(pins=5), "pins is 5"),
        (wrong(pins=[1]), "pins holds 1, expected {REGEX"),
        (wrong(keep="all"), "keep is 'all', expected a share from 0 to 1"),
        (wrong(outputs=[1]), r"outputs is \[1\], expected a list of tensor names"),
        (wrong(shapes={"x": 5}), "the shape of 'x' is 5, expected sizes or a text"),
        (wrong(custom_ops=5), "custom_ops is 5, expected the path of a library, or several"),
        (wrong(shapes={"picture": (1, 2)}), "picture=1,2: there is no tensor 'picture'"),
        (wrong(shapes={"c1": (1, 2)}), "c1=1,2"),
        (wrong(shapes={"image": (1, -1)}), "sizes are not negative"),
        (wrong(shapes={"image": (1, "3")}), "expected sizes or a text"),
        (wrong(shapes={"image": "1,a"}), "expected a shape"),
        (
            wrong(shapes={"image": (1, 3, 8, 8)}),
            "'image': the shape 1,3,8,8 is said of it, and 1,3,16,16 is",
        ),
        (
            wrong(shapes={"image:0": "1,3,8,8"}),
            "'image': the shape 1,3,8,8 is said of it, and 1,3,16,16 is",
        ),
        (wrong(shapes={"image": ":uint8"}), "'image': found dtype float32, expected uint8, which"),
        (wrong(on_fallback="ignore"), "expected 'warn' or 'error'"),
        (wrong(on_fallback="error"), "NonZero .*falls back to the CPU"),
    ],
)
def test_split_refuses(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, changes: dict[str, Any], message: str
):
    arguments: dict[str, Any] = {
        "platform": "onnx",
        "input_tensors": {"image": X},
        "save_dir": tmp_path / "out",
        "graph_path": detector(tmp_path / "model.onnx"),
        **changes,
    }
    with caplog.at_level(logging.ERROR), pytest.raises(AutosplitError, match=message) as caught:
        split(**arguments)
    assert "\n" not in str(caught.value)
    assert "Met an Error when split model." in caplog.text
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]


def folder(path: Path, device: str = "tpu", target: str = "bm1684x") -> Path:
    path.mkdir()
    (path / "graph_0.onnx").write_bytes(b"model")
    infos = {
        "graphs": [
            {
                "inputs": ["x"],
                "outputs": ["y"],
                "device": device,
                "model_info": {"model_path": "graph_0.onnx"},
            }
        ],
        "tensors": {
            "x": {"shape": [1], "dtype": "float32", "attr": "input"},
            "y": {"shape": [1], "dtype": "float32", "attr": "output"},
        },
        "graph_num": 1,
        "platform": "onnx",
        "dynamic": False,
        "layout": "NCHW",
        "autosplit": {"target": target},
    }
    (path / "graph_infos.json").write_text(json.dumps(infos))
    return path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "BM1864"}, "target is 'BM1864'.*did you mean 'BM1684'"),
        ({"target": None}, "target is None"),
        ({"optimize": 7}, "optimize is 7"),
        ({"samples": 0}, "samples 0: expected at least 1"),
        ({"mode": "f8"}, "mode 'F8' is unknown"),
        ({"mode": "INT8"}, "mode INT8 needs data"),
        ({"calibrator": "minmax"}, "calibrator 'minmax': is for INT8, the mode is F32"),
        ({"target": "BM1684", "mode": "BF16"}, "mode BF16: BM1684 computes in F32 and INT8 only"),
        ({"compiler": "bmnet", "target": "BM1688"}, "know BM1682 and BM1684 only"),
        ({"data": ["gone.npy"], "mode": "INT8"}, "--data gone.npy: there is no such file"),
    ],
)
def test_convert_refuses(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, arguments: dict[str, Any], message: str
):
    path = folder(tmp_path / "out")
    with caplog.at_level(logging.ERROR), pytest.raises(AutosplitError, match=message):
        convert(path, **arguments)
    assert "Met an Error when compile model." in caplog.text
    assert sorted(p.name for p in path.iterdir()) == ["graph_0.onnx", "graph_infos.json"]


def test_convert_is_as_documented():
    parameters = list(inspect.signature(convert).parameters.values())
    assert [(p.name, p.default) for p in parameters[:4]] == [
        ("folder", inspect.Parameter.empty),
        ("optimize", None),
        ("compare", False),
        ("target", "BM1682"),
    ]
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters[4:])


def test_convert_compiles_and_compares(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    real()
    path = split_two(tmp_path / "out", target="bm1684x")
    with caplog.at_level(logging.WARNING):
        assert convert(str(path), 1, True, mode="f16") is None
    assert "target: BM1684X, which the folder was split for" in caplog.text
    infos = GraphInfos.load(path)
    found = infos.compilation(infos.graphs[0])
    assert found is not None
    assert (found.chip, found.mode, found.optimize) == ("bm1684x", "F16", 1)
    assert list(found.comparison) == ["r1"]


def test_convert_says_which_toolchain_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from autosplit.toolchains import bmodel_compile

    path = split_two(tmp_path / "out")
    monkeypatch.delenv(bmodel_compile.VARIABLE, raising=False)
    monkeypatch.setattr(bmodel_compile, "user_folder", lambda: str(tmp_path))
    monkeypatch.setattr(bmodel_compile, "_installed", lambda: None)
    with pytest.raises(AutosplitError, match="autosplit toolchain install tpu-mlir"):
        convert(path)


def test_convert_checks_the_folder_first(tmp_path: Path):
    with pytest.raises(AutosplitError, match="no such folder"):
        convert(tmp_path / "gone", target="nonsense")
    (folder(tmp_path / "out") / "graph_0.onnx").unlink()
    with pytest.raises(AutosplitError, match="no such file"):
        convert(tmp_path / "out")


def test_convert_has_nothing_to_do_without_tpu_parts(tmp_path: Path):
    assert convert(folder(tmp_path / "out", "cpu")) is None


def counter(path: Path, shape: Sequence[int] | None = ()) -> Path:
    """Convolutions, and a scalar that counts, of which even the rank may be left open."""
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["c"], name="conv"),
        helper.make_node("Mul", ["count", "two"], ["twice"], name="mul"),
    ]
    graph = helper.make_graph(
        nodes,
        "counter",
        [
            helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 16, 16]),
            helper.make_tensor_value_info("count", TensorProto.INT64, shape),
        ],
        [
            helper.make_tensor_value_info("c", TensorProto.FLOAT, [1, 4, 16, 16]),
            helper.make_tensor_value_info("twice", TensorProto.INT64, []),
        ],
        [
            numpy_helper.from_array(np.ones((4, 3, 1, 1), np.float32), "w"),
            numpy_helper.from_array(np.int64(2), "two"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def test_arrays_are_cast(tmp_path: Path):
    """Scripts of the original give `np.ones(shape)`, which is float64, for whatever the model takes."""
    path = counter(tmp_path / "model.onnx")
    ones = {"image": np.ones((1, 3, 16, 16)), "count": np.ones((), np.int32)}
    split("onnx", ones, tmp_path / "out", path)
    exact = {"image": np.ones((1, 3, 16, 16), np.float32), "count": np.ones((), np.int64)}
    split("onnx", exact, tmp_path / "same", path)
    assert (tmp_path / "out/plan.mlir").read_text() == (tmp_path / "same/plan.mlir").read_text()
    found = infer(load(tmp_path / "out", mode=0), ones)
    assert found["twice"] == 2
    assert found["c"].dtype == np.float32
    with pytest.raises(
        AutosplitError, match=r"'count': found dtype float64, expected int64, which cannot"
    ):
        infer(load(tmp_path / "out", mode=0), {**ones, "count": np.array(0.5)})


@pytest.mark.parametrize("shape", [(), None])
def test_a_dtype_alone(shape: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, out = counter(tmp_path / "model.onnx", shape), tmp_path / "out"
    assert cli.main(["split", str(path), "--input", "count=:int64", "-o", str(out)]) == 0
    assert cli.main(["run", str(out), "--input", "count=:int64", "--compare", str(path)]) == 0
    assert "random input (seed 0): image, count" in capsys.readouterr().out
    for command in (["split", str(path), "-o", str(tmp_path / "b")], ["run", str(out)]):
        assert cli.main([*command, "--input", "count=:int8"]) == 1
        assert re.search("'count': found dtype int8, .*int64", capsys.readouterr().err)


def test_split_takes_what_the_command_line_takes(tmp_path: Path):
    path, out = detector(tmp_path / "model.onnx"), tmp_path / "out"
    options: dict[str, Any] = {"target": "BM1684X", "mode": "f16", "pins": {"conv1": "cpu"}}
    split("onnx", {}, out, path, keep=1.0, shapes={"image": (1, 3, 16, 16)}, **options)
    with pytest.raises(AutosplitError, match="force"):
        split("onnx", {}, out, path)
    infos = GraphInfos.load(out)
    assert infos.own["target"] == "bm1684x"
    assert infos.mode == "F16"
    assert [g.device for g in infos.graphs] == ["cpu", "tpu", "cpu"]
    words = ["--target=BM1684X", "--mode=f16", "--pin=conv1=cpu", "--keep=1", "--input=1,3,16,16"]
    assert cli.main(["split", str(path), *words, "-o", str(tmp_path / "typed")]) == 0
    assert (out / "plan.mlir").read_text() == (tmp_path / "typed/plan.mlir").read_text()
    for pins in ([("conv1", "cpu")], ["conv1=cpu"]):
        split("onnx", {}, out, path, force=True, keep=1.0, **{**options, "pins": pins})
        assert (out / "plan.mlir").read_text() == (tmp_path / "typed/plan.mlir").read_text()
    split("onnx", {"image": X}, out, path, force=True)
    assert [g.device for g in GraphInfos.load(out).graphs] == ["tpu", "cpu"]
    plan = (out / "plan.mlir").read_text()
    for given, shape in (({}, np.array(X.shape)), ({"image": X}, [np.int32(d) for d in X.shape])):
        split("onnx", given, out, path, force=True, shapes={"image": shape})
        assert (out / "plan.mlir").read_text() == plan


def test_shapes_as_text(tmp_path: Path):
    path = split_open(tmp_path / "open", "bm1684x").with_name("open.onnx")
    split(
        "onnx",
        {},
        tmp_path / "out",
        path,
        dynamic=True,
        shapes={"x": "1,3,..32,..32"},
        target="bm1684x",
    )
    infos = GraphInfos.load(tmp_path / "out")
    assert infos.dynamic
    assert infos.own["varying"] == {"x": [2, 3]}
    with pytest.raises(AutosplitError, match="which says that it varies"):
        split("onnx", {}, tmp_path / "fixed", path, shapes={"x": "1,3,..32,..32"})


def test_explain_of_a_model_and_of_its_folder(tmp_path: Path):
    path = detector(tmp_path / "model.onnx")
    of_model: Any = explain(path, pins={"relu1": "cpu"}, keep=1.0)
    split("onnx", {"image": X}, tmp_path / "out", path, pins={"relu1": "cpu"}, keep=1.0)
    of_folder: Any = explain(tmp_path / "out")
    assert [(op.name, op.device) for op in of_model.ops] == [
        (op.name, op.device) for op in of_folder.ops
    ]
    (relu,) = of_folder.find("relu1")
    assert (relu.device, relu.reasons[0].code) == ("cpu", "pinned")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.onnx", "out"]
    with pytest.raises(AutosplitError, match="no such file"):
        explain(tmp_path / "gone")


def test_explain_of_what_compile_makes(tmp_path: Path):
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 3, 12, 12)))
    b.output(b.qdq(b.relu(b.conv(x, (4, 3, 3, 3)))))
    path = tmp_path / "model.onnx"
    onnx.save(b.build(), path)
    of_model: Any = explain(path, int8=True, shapes={"x": "1,3,12,12"}, version="3.1", sums="fast")
    assert of_model.partitions
    assert of_model.to_json() != explain(path, {"x": X[:, :, :12, :12]}, int8=True).to_json()
    sizes = [np.int64(size) for size in (1, 3, 12, 12)]
    compile(path, tmp_path / "out", {"x": sizes}, version="3.1", sums="fast")
    for of_folder in (explain(tmp_path / "out", int8=True), explain(tmp_path / "out")):
        assert of_folder.to_json() == of_model.to_json()
    for wrong, said in (
        ({"sums": "slow"}, "sums"),
        ({"shapes": {"x": (1, 2)}}, "'x'"),
        ({"input_tensors": {"x": [1]}}, "'x' is a list|'x'"),
        ({"platform": "pytorch"}, "pt2 archive"),
    ):
        with pytest.raises(AutosplitError, match=said):
            explain(path, int8=True, **wrong)
    with pytest.raises(AutosplitError):
        explain(tmp_path, int8=True)


def test_deploy_splits_and_compiles(tmp_path: Path):
    real()
    path, out = detector(tmp_path / "model.onnx"), tmp_path / "out"
    made = deploy(path, out, {"image": X}, target="BM1684X", mode="f16", compare=True)
    assert made.folder == out
    assert made.explanation.target == "bm1684x"
    (graph,) = made.converted.graphs
    assert (graph.state, graph.bmodel) == ("compiled", out / "graph_ir_0/compilation.bmodel")
    assert graph.bmodel.is_file()
    assert list(graph.comparison)
    assert not any("staging" in note or ".part" in note for note in made.notes)
    with pytest.raises(AutosplitError, match="force"):
        deploy(path, out)
    with pytest.raises(AutosplitError, match="mode INT8 needs data"):
        deploy(path, tmp_path / "b", mode="INT8")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.onnx", "out"]


def test_probe_of_a_model_and_of_a_case(tmp_path: Path):
    real()
    path = counter(tmp_path / "model.onnx")
    found = probe(path, target="BM1684X")
    assert found["conv"].result == "correct"
    cases = probe(op="Abs/1d")
    assert [(name, record.result) for name, record in cases.items()] == [("Abs/1d", "correct")]
    with pytest.raises(AutosplitError, match="for probing without a model"):
        probe(path, op="Conv")
    with pytest.raises(AutosplitError, match="has that name"):
        probe(op="Nothing")


def test_convert_for_another_chip_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    real()
    path = split_two(tmp_path / "out", target="bm1684x")
    with caplog.at_level(logging.WARNING):
        convert(path, target="BM1688")
    assert (
        "target: BM1688, and the folder was split for BM1684X: what that one cannot run"
        in caplog.text
    )
    found = GraphInfos.load(path)
    record = found.compilation(found.graphs[0])
    assert record is not None
    assert record.chip == "bm1688"
