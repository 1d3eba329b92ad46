"""A real detector in 8 bits, calibrated on photographs: it finds on others what it finds in f32."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import needs_toolchain

from autosplit.testing.models import ModelUnavailable, model_path

pytestmark = [pytest.mark.nightly, needs_toolchain]

SIZE = 300
PARTS = 3
"""Of each photograph: the whole, and two squares of it, one of them mirrored."""
CALIBRATION = (
    "astronaut.png",
    "camera.png",
    "motorcycle_left.png",
    "chelsea.png",
    "coffee.png",
    "rocket.jpg",
)
HELD_OUT = {"bus.jpg": 2, "grace_hopper.jpg": 1, "china.jpg": 0}
"""Photographs that it is not calibrated on, and how many persons it finds there in f32."""
Array = np.ndarray[Any, Any]


def parts(name: str, count: int, seed: int) -> list[Array]:
    """Parts of a photograph, the whole one first; in the form that the detector takes."""
    image: Any = pytest.importorskip("PIL.Image")
    try:
        whole = image.open(model_path(name)).convert("RGB")
    except ModelUnavailable as e:
        pytest.skip(str(e))
    width, height = map(int, whole.size)
    random = np.random.default_rng(seed)
    found: list[Array] = []
    for i in range(count):
        side = int(min(width, height) * (random.uniform(0.5, 1) if i else 1))
        left, top = (int(random.uniform(0, e - side + 1)) for e in (width, height))
        box = (left, top, left + side, top + side) if i else (0, 0, width, height)
        part = np.asarray(whole.resize((SIZE, SIZE), box=box))
        found.append((part[:, ::-1] if i % 2 else part)[np.newaxis])
    return found


def photographs(folder: Path) -> Path:
    """A folder with what to calibrate on."""
    folder.mkdir()
    for seed, name in enumerate(CALIBRATION):
        for i, part in enumerate(parts(name, PARTS, seed)):
            np.save(folder / f"{seed}_{i}.npy", part)
    return folder


def autosplit(*arguments: object) -> None:
    tool = Path(sys.executable).parent / "autosplit"
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def detections(path: Path, least: float) -> tuple[Array, Array]:
    """Boxes in pixels and scores of what was found with a score of at least `least`."""
    with np.load(path) as made:
        scores, boxes = made["detection_scores:0"][0], made["detection_boxes:0"][0]
    return boxes[scores >= least] * SIZE, scores[scores >= least]


def overlap(a: Array, b: Array) -> float:
    """The area that two boxes share, as a part of what they cover together."""
    top, left = np.maximum(a[:2], b[:2])
    bottom, right = np.minimum(a[2:], b[2:])
    shared = max(bottom - top, 0) * max(right - left, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return float(shared / (sum(areas) - shared))


@pytest.mark.parametrize(
    ("chip", "names"),
    [
        ("bm1684", list(HELD_OUT)),
        # Its emulator needs minutes for each.
        ("bm1684x", ["bus.jpg"]),
    ],
)
def test_the_same_persons_in_8_bits(chip: str, names: list[str], tmp_path: Path) -> None:
    try:
        model = model_path("frozen_inference_graph.pb")
    except ModelUnavailable as e:
        pytest.skip(str(e))
    photos = photographs(tmp_path / "photos")
    split = tmp_path / "split"
    shape = f"image_tensor={photos / '0_0.npy'}"
    where = ["--target", chip, "--mode", "INT8", "--layout", "NHWC", "-o", split]
    autosplit("split", model, "--input", shape, *where)
    autosplit("convert", split, "--mode", "INT8", "--data", f"image_tensor={photos}")
    for name in names:
        (whole,) = parts(name, 1, 0)
        np.save(tmp_path / "given.npy", whole)
        given = f"image_tensor={tmp_path / 'given.npy'}"
        autosplit("run", split, "--input", given, "-o", tmp_path / "f32.npz")
        autosplit("run", split, "--mode", "2", "--input", given, "-o", tmp_path / "int8.npz")
        boxes, scores = detections(tmp_path / "f32.npz", 0.5)
        assert len(boxes) == HELD_OUT[name]
        found, found_scores = detections(tmp_path / "int8.npz", 0.5)
        assert len(found) == len(boxes), (name, found_scores)
        for box, score in zip(boxes, scores, strict=True):
            i = max(range(len(found)), key=lambda i: overlap(box, found[i]))
            assert overlap(box, found[i]) > 0.85, (name, box, found[i])
            assert abs(found_scores[i] - score) < 0.1, (name, score, found_scores[i])
