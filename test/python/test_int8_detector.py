"""A real detector in 8 bits, calibrated on photographs: it finds what it finds in f32."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from top_numbers import needs_toolchain

from autosplit.testing.models import ModelUnavailable, model_path, photo_path

pytestmark = [pytest.mark.nightly, needs_toolchain]

SIZE = 300
SAMPLES = 12
Array = np.ndarray[Any, Any]


def photographs(folder: Path) -> Path:
    """The photograph, and parts of it, some mirrored; in the form that the detector takes."""
    image: Any = pytest.importorskip("PIL.Image")
    try:
        whole = image.open(photo_path()).convert("RGB")
    except ModelUnavailable as e:
        pytest.skip(str(e))
    width, height = map(int, whole.size)
    folder.mkdir()
    random = np.random.default_rng(0)
    for i in range(SAMPLES):
        side = int(width * (1 if i == 0 else random.uniform(0.5, 1)))
        left, top = (int(random.uniform(0, e - side)) for e in (width, height))
        part = np.asarray(whole.crop((left, top, left + side, top + side)).resize((SIZE, SIZE)))
        np.save(folder / f"{i:02}.npy", (part[:, ::-1] if i % 2 else part)[np.newaxis])
    return folder


def autosplit(*arguments: object) -> None:
    tool = Path(sys.executable).parent / "autosplit"
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def detections(path: Path) -> tuple[Array, Array]:
    """Boxes in pixels and scores of what was found with a score of at least one half."""
    with np.load(path) as made:
        scores, boxes = made["detection_scores:0"][0], made["detection_boxes:0"][0]
    return boxes[scores >= 0.5] * SIZE, scores[scores >= 0.5]


def overlap(a: Array, b: Array) -> float:
    """The area that two boxes share, as a part of what they cover together."""
    top, left = np.maximum(a[:2], b[:2])
    bottom, right = np.minimum(a[2:], b[2:])
    shared = max(bottom - top, 0) * max(right - left, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return float(shared / (sum(areas) - shared))


def test_the_same_person_in_8_bits(tmp_path: Path) -> None:
    try:
        model = model_path("frozen_inference_graph.pb")
    except ModelUnavailable as e:
        pytest.skip(str(e))
    photos = photographs(tmp_path / "photos")
    given = f"image_tensor={photos / '00.npy'}"
    split = tmp_path / "split"
    where = ["--target", "bm1684x", "--layout", "NHWC", "-o", split]
    autosplit("split", model, "--input", given, *where)
    autosplit("run", split, "--input", given, "-o", tmp_path / "f32.npz")
    autosplit("convert", split, "--mode", "INT8", "--data", f"image_tensor={photos}")
    autosplit("run", split, "--mode", "2", "--input", given, "-o", tmp_path / "int8.npz")
    boxes, scores = detections(tmp_path / "f32.npz")
    found, found_scores = detections(tmp_path / "int8.npz")
    assert len(found) == len(boxes) == 1
    assert overlap(found[0], boxes[0]) > 0.9
    assert abs(found_scores[0] - scores[0]) < 0.05
