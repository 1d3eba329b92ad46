"""`--custom-ops LIBRARY` for TensorFlow, with an op that is compiled here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.testing.custom_ops import compiled, onnx_library, tensorflow_library
from autosplit.tools.cli.main import main

tf: Any = pytest.importorskip("tensorflow")


RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((1, 16, 16, 3), np.float32)
WEIGHTS = [RANDOM.standard_normal(shape, np.float32) for shape in ((3, 3, 3, 8), (3, 3, 8, 4))]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tensorflow_library(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, library: Path) -> Path:
    """A custom op between two convolutions, made by a program that has loaded the library itself."""
    custom = tf.load_op_library(str(library))
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, X.shape, "x")
        first = tf.nn.conv2d(x, WEIGHTS[0], 1, "SAME", name="first")
        positive = custom.AutosplitNegPos(x=first, name="custom").pos
        tf.nn.conv2d(positive, WEIGHTS[1], 1, "SAME", name="second")
    path = tmp_path_factory.mktemp("model") / "model.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
    return path


def expected(path: Path, output: str = "second:0") -> np.ndarray:
    """What TensorFlow itself computes; the library is loaded in this process."""
    with tf.Graph().as_default() as graph:
        tf.compat.v1.import_graph_def(tf.compat.v1.GraphDef.FromString(path.read_bytes()), name="")
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(output, {"x:0": X})


def test_from_split_to_run(tmp_path: Path, model: Path, library: Path):
    out = tmp_path / "out"
    api.split("tensorflow", {"x": X}, out, model, custom_ops=library)
    infos = json.loads((out / "graph_infos.json").read_text())
    assert [graph["device"] for graph in infos["graphs"]] == ["tpu", "cpu", "tpu"]
    assert infos["autosplit"]["custom_ops"] == [f"custom_ops/{library.name}"]
    assert infos["autosplit"]["promised"] == ["custom_1_sophon_auto:0"]
    # Copies of what is loaded already; TensorFlow does not take a kernel twice.
    for folder in (out, shutil.copytree(out, tmp_path / "other")):
        found = api.infer(api.load(folder), {"x": X})["second:0"]
        np.testing.assert_allclose(found, expected(model), rtol=1e-5, atol=1e-5)


@pytest.mark.nightly
def test_each_command_has_it_from_the_folder(
    tmp_path: Path, model: Path, library: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "out"
    assert not main(["split", str(model), "--custom-ops", str(library), "-o", str(out)])
    capsys.readouterr()
    assert not main(["run", str(out), "--compare", str(model)])
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out
    assert not main(["explain", str(out), "--op", "custom"])
    assert "AutosplitNegPos has no conversion to onnx" in capsys.readouterr().out


@pytest.mark.nightly
def test_no_library(tmp_path: Path, model: Path):
    with pytest.raises(AutosplitError, match=r"'AutosplitNegPos'.*--custom-ops LIBRARY") as caught:
        api.split("tensorflow", {"x": X}, tmp_path / "out", model)
    assert "contrib" not in str(caught.value)
    assert "autosplit-" not in str(caught.value)


def saved(folder: Path, library: Path) -> Path:
    """A SavedModel with a variable, and the custom op."""
    custom = tf.load_op_library(str(library))

    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(WEIGHTS[0])

        @tf.function(input_signature=[tf.TensorSpec(X.shape, tf.float32, "x")])
        def __call__(self, x: Any) -> Any:
            return custom.AutosplitNegPos(x=tf.nn.conv2d(x, self.weight, 1, "SAME")).pos

    net = Net()
    tf.saved_model.save(net, str(folder), signatures=net.__call__)
    return folder


@pytest.mark.nightly
def test_saved_models_are_frozen_with_it(tmp_path: Path, library: Path):
    folder, out = saved(tmp_path / "saved", library), tmp_path / "out"
    with pytest.raises(AutosplitError, match=r"AutosplitNegPos.*--custom-ops LIBRARY"):
        api.split("tensorflow", {"x": X}, out, folder)
    api.split("tensorflow", {"x": X}, out, folder, custom_ops=library)
    (found,) = api.infer(api.load(out), {"x": X}).values()
    first = tf.nn.conv2d(X, WEIGHTS[0], 1, "SAME").numpy()
    np.testing.assert_allclose(found, np.maximum(first, 0), rtol=1e-5, atol=1e-5)


def other_release(folder: Path) -> Path:
    source = "void TF_OfTomorrow(void); void unused(void) { TF_OfTomorrow(); }"
    return compiled(source, folder, "libold.so")


def for_onnx(folder: Path) -> Path:
    return onnx_library()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (other_release, r"TensorFlow \d.*needs TF_OfTomorrow, which this release does not have"),
        (for_onnx, r"is a library for ONNX Runtime \(it has RegisterCustomOps\)"),
    ],
)
def test_bad_libraries(tmp_path: Path, model: Path, make: Any, wrong: str):
    path = make(tmp_path)
    with pytest.raises(AutosplitError, match=wrong) as caught:
        api.split("tensorflow", {"x": X}, tmp_path / "out", model, custom_ops=path)
    assert str(caught.value).startswith(f"--custom-ops {path}")


@pytest.mark.nightly
def test_a_library_for_tensorflow_with_an_onnx_model(tmp_path: Path, library: Path):
    from onnx import TensorProto, save
    from onnx.helper import make_graph, make_model, make_node, make_tensor_value_info

    x, y = (make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy")
    path = tmp_path / "model.onnx"
    save(make_model(make_graph([make_node("Neg", ["x"], ["y"])], "g", [x], [y])), path)
    # Where TensorFlow was loaded before, the linker finds what the library needs.
    said = (
        "as libraries for TensorFlow do|has no function RegisterCustomOps, which ONNX Runtime asks"
    )
    with pytest.raises(AutosplitError, match=said):
        api.split("onnx", {}, tmp_path / "out", path, custom_ops=library)
