"""TensorFlow models that are frozen here: keras networks, and a trained audio network's SavedModel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.dialects.device import FuncOp
from autosplit.testing.models import model_path
from autosplit.testing.split import (
    assert_close,
    assert_computed_once,
    assert_equal,
    run_folder,
    run_whole,
    split,
)

tensorflow: Any = pytest.importorskip("tensorflow", reason="the extra tensorflow is not installed")


def _freeze(function: Any, path: Path) -> Path:
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    frozen = convert_variables_to_constants_v2(function)
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString())
    return path


def keras_model(path: Path) -> Path:
    """MobileNetV2 with seeded random weights, as keras 3 exports it: batch norms in parts."""
    tensorflow.keras.utils.set_random_seed(0)
    model = tensorflow.keras.applications.MobileNetV2(input_shape=(96, 96, 3), weights=None)
    spec = tensorflow.TensorSpec([None, 96, 96, 3], tensorflow.float32)
    return _freeze(tensorflow.function(model).get_concrete_function(spec), path)


def basic_pitch(path: Path) -> Path:
    """The trained network of the package basic-pitch; its SavedModel only loads the old way."""
    old = tensorflow.compat.v1
    graph = tensorflow.Graph()
    with graph.as_default(), old.Session(graph=graph) as session:
        meta = old.saved_model.load(session, ["serve"], str(model_path("nmp")))
        signature = meta.signature_def["serving_default"]
        source = next(iter(signature.inputs.values())).name
        wanted = [tensor.name for tensor in signature.outputs.values()]
        definition = old.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), sorted({name.split(":")[0] for name in wanted})
        )
    function = old.wrap_function(
        lambda x: old.import_graph_def(definition, input_map={source: x}, return_elements=wanted),
        [tensorflow.TensorSpec([1, 43844, 1], tensorflow.float32)],
    )
    return _freeze(function, path)


@pytest.mark.parametrize(
    ("make", "name", "shape"),
    [
        pytest.param(keras_model, "args_0", (2, 96, 96, 3), marks=pytest.mark.nightly),
        (basic_pitch, "Placeholder", (1, 43844, 1)),
    ],
    ids=["keras", "basic-pitch"],
)
def test_parts_equal_the_whole(
    make: Any, name: str, shape: tuple[int, ...], tmp_path: Path
) -> None:
    model = make(tmp_path / "model.pb")
    feeds = {name: np.random.default_rng(0).random(shape).astype(np.float32)}
    result = split(model, tmp_path / "out", feeds)
    assert_computed_once(result)
    got = run_folder(tmp_path / "out", feeds)
    assert_equal(got, run_whole(model, feeds, list(got)))
    optimized = run_folder(tmp_path / "out", feeds, optimize=True)
    assert_close(optimized, run_whole(model, feeds, list(got), optimize=True), 1e-5)


def test_keras_is_one_sub_model(tmp_path: Path) -> None:
    """The exporter's control edges from what were variables do not cost a sub-model."""
    model = keras_model(tmp_path / "model.pb")
    feeds = {"args_0": np.zeros((1, 96, 96, 3), np.float32)}
    result = split(model, tmp_path / "out", feeds)
    kinds = [f.target.kind.data for f in result.module.body.ops if isinstance(f, FuncOp)]
    assert kinds == ["tpu", "host"]
