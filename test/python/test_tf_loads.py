"""Every TensorFlow sub-model is loaded once when it is written, where TensorFlow is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.platforms.tensorflow import PLATFORM
from autosplit.runtime.frameworks import tensorflow_loads

tf: Any = pytest.importorskip("tensorflow")
v1: Any = tf.compat.v1


def save(path: Path, newer: bool = False) -> Path:
    """A determinant of what may be no square; `newer`: of a TensorFlow of years to come."""
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, None], name="x")
        tf.raw_ops.MatrixDeterminant(input=tf.nn.relu(x, name="r"), name="y")
    proto = graph.as_graph_def()
    if newer:
        proto.versions.min_consumer = proto.versions.producer = 99999
    path.write_bytes(proto.SerializeToString())
    return path


@pytest.fixture(params=["here", "in a process of its own"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "here":
        monkeypatch.delitem(sys.modules, "tensorflow")


def cut(model: Path, *shape: int) -> None:
    out = model.with_name("out")
    split_model(SplitOptions(model, out, {"x": InputSpec(shape)}, on_fallback="warn"))


@pytest.mark.usefixtures("place")
def test_a_part_that_does_not_load_is_named(tmp_path: Path) -> None:
    """The model loads, its sizes being open; the part, in which they are fixed, does not."""
    model = save(tmp_path / "model.pb")
    cut(model, 3, 3)
    model.with_name("out").rename(tmp_path / "good")
    with pytest.raises(AutosplitError, match=r"sub-model graph_\d would not load .*equal") as error:
        cut(model, 2, 3)
    assert "\n" not in str(error.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good", "model.pb"]


@pytest.mark.usefixtures("place")
def test_a_model_that_does_not_load_itself_is_cut(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With what only another TensorFlow has."""
    cut(save(tmp_path / "model.pb", newer=True), 3, 3)
    (line,) = [r.message for r in caplog.records]
    assert "model.pb: does not load on this machine" in line
    assert "min consumer version 99999" in line


def test_the_library_says_what_the_package_says(tmp_path: Path) -> None:
    """Of one that is whole, and of those with a byte changed somewhere."""
    data = save(tmp_path / "model.pb").read_bytes()
    library = tensorflow_loads.find_library()
    assert library is not None
    ask = tensorflow_loads.TensorFlowLibrary(library).why_not
    random = np.random.default_rng(0)
    verdicts: set[bool] = set()
    for _ in range(40):
        verdicts.add(says := bool(reason := ask(data)))
        assert says == bool(_imported(data)), reason
        changed = bytearray(save(tmp_path / "model.pb").read_bytes())
        changed[random.integers(len(changed))] ^= 1 << int(random.integers(8))
        data = bytes(changed)
    assert verdicts == {True, False}


def _imported(data: bytes) -> str:
    """What importing a graph raises; "" where it does not."""
    from google.protobuf.message import DecodeError

    try:
        proto = v1.GraphDef.FromString(data)
        with tf.Graph().as_default():
            v1.import_graph_def(proto, name="")
    except (DecodeError, ValueError, TypeError, tf.errors.OpError) as error:
        return str(error) or "?"
    return ""


def test_files_of_other_forms_are_read_first(tmp_path: Path) -> None:
    from google.protobuf import text_format

    model = save(tmp_path / "model.pb")
    text = tmp_path / "model.pbtxt"
    text.write_text(text_format.MessageToString(v1.GraphDef.FromString(model.read_bytes())))
    assert PLATFORM.refusal([{"model_path": str(m)} for m in (model, text)], tmp_path) is None


def test_without_the_library_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "libtensorflow_cc.so"
    broken.write_text("")
    monkeypatch.setattr(tensorflow_loads, "find_library", lambda: broken)
    assert (
        PLATFORM.refusal([{"model_path": str(save(tmp_path / "model.pb", newer=True))}], tmp_path)
        is None
    )
