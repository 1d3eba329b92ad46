"""OpenCV's face detector, a Caffe network, on the chips' emulators: the face is found in every mode."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit import api
from autosplit.testing.models import model_path, photo_path
from autosplit.testing.pictures import crops
from autosplit.testing.toolchain import toolchain
from autosplit.tools.cli import main as cli

cv2: Any = pytest.importorskip("cv2")
pytestmark = pytest.mark.nightly


def save_photos(folder: Path) -> Path:
    """Photographs to calibrate on: crops of the portrait that the test is about, and others."""
    folder.mkdir()
    for number, crop in enumerate(crops(8, 300)):
        cv2.imwrite(str(folder / f"crop{number}.png"), crop[:, :, ::-1])
    for name in ("bus.jpg", "coffee.png", "grace_hopper.jpg", "rocket.jpg"):
        (folder / name).symlink_to(model_path(name))
    return folder


@pytest.mark.parametrize(
    ("chip", "mode"),
    [("bm1684", "F32"), ("bm1684x", "F16"), ("bm1684", "INT8"), ("bm1684x", "INT8")],
)
def test_the_face_is_found(tmp_path: Path, chip: str, mode: str):
    toolchain()
    out = tmp_path / "out"
    picture = cv2.resize(cv2.imread(str(photo_path())), (300, 300))
    x = cv2.dnn.blobFromImage(picture, 1.0, (300, 300), (104, 177, 123))
    np.save(tmp_path / "x.npy", x)
    options = ["--target", chip, "--mode", mode, "--compare", "-o", str(out)]
    if mode == "INT8":
        options += ["--data", str(save_photos(tmp_path / "photos"))]
        options += ["--preprocess", "mean=104,177,123,color=bgr"]
    path = str(model_path("res10.prototxt"))
    assert cli.main(["deploy", path, "--input", f"data={tmp_path / 'x.npy'}", *options]) == 0
    found = api.infer(api.load(out, mode=2), {"data": x})["detection_out"]
    _, label, score, left, top, right, bottom = found[0, 0, 0]
    assert label == 1
    assert score > 0.99
    # The face, in parts of the photograph.
    assert 0.28 < left < 0.42
    assert 0.03 < top < 0.17
    assert 0.48 < right < 0.62
    assert 0.28 < bottom < 0.42
