"""Caffe networks end to end: OpenCV's face detector read, written again, split and run, against OpenCV."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from autosplit import api
from autosplit.core.errors import MissingExtraError
from autosplit.dialects.caffe import GraphOp
from autosplit.dialects.platform import platform_graph
from autosplit.formats.caffe.writer import export_graph
from autosplit.platforms import load_model
from autosplit.runtime.frameworks import opencv
from autosplit.testing.models import model_path, photo_path

cv2: Any = pytest.importorskip("cv2")

Array = NDArray[np.float32]


@pytest.fixture(scope="module")
def photo() -> Array:
    """The photograph as the detector takes it."""
    picture = cv2.resize(cv2.imread(str(photo_path())), (300, 300))
    return cv2.dnn.blobFromImage(picture, 1.0, (300, 300), (104, 177, 123))


def whole(photo: Array, proto: Path, weights: Path) -> Array:
    """What OpenCV computes, layer by layer."""
    net = cv2.dnn.readNetFromCaffe(str(proto), str(weights))
    net.enableFusion(False)
    net.setInput(photo)
    return net.forward()


@pytest.fixture(scope="module")
def detections(photo: Array) -> Array:
    return whole(photo, model_path("res10.prototxt"), model_path("res10.caffemodel"))


def test_the_detector_is_written_as_it_was_read(
    tmp_path: Path, photo: Array, detections: Array
) -> None:
    model = load_model(model_path("res10.prototxt"))
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    model.module.verify()
    export_graph(graph, model.store).write(tmp_path / "p", tmp_path / "w")
    assert np.array_equal(whole(photo, tmp_path / "p", tmp_path / "w"), detections)
    again = load_model(tmp_path / "p", params=tmp_path / "w")
    assert str(platform_graph(again.module)) == str(graph)


def test_the_detector_splits_and_finds_the_face(
    tmp_path: Path, photo: Array, detections: Array
) -> None:
    folder = tmp_path / "split"
    api.split("caffe", {"data": photo}, folder, model_path("res10.prototxt"))
    found = api.infer(api.load(folder), {"data": photo})["detection_out"]
    assert np.array_equal(found, detections)
    _, label, score, left, top, right, bottom = found[0, 0, 0]
    assert label == 1
    assert score > 0.999
    # The face, in parts of the photograph.
    assert 0.3 < left < 0.4
    assert 0.05 < top < 0.15
    assert 0.5 < right < 0.6
    assert 0.3 < bottom < 0.4


def test_without_opencv_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencv, "find_spec", lambda _: None)
    with pytest.raises(
        MissingExtraError, match=r"needs opencv, .*: pip install 'autosplit\[caffe\]'"
    ):
        opencv.OpenCvExecutor(model_path("res10.prototxt"), None)
