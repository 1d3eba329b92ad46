"""MTCNN: three networks that find faces one after the other, each in what the one before has left."""

from __future__ import annotations

import numpy as np
from PIL import Image

from tasks.boxes import best, matched
from tasks.pictures import scene
from tasks.task import Array, Count, Run

SMALLEST = 40
"""Pixels of a face."""

THRESHOLDS = {"pnet": 0.6, "rnet": 0.7, "onet": 0.7}


class Cascade:
    name = "faces by three networks"
    networks = {"mtcnn_pnet": "pnet.onnx", "mtcnn_rnet": "rnet.onnx", "mtcnn_onet": "onet.onnx"}
    fixed = False

    def calibration(self) -> list[Array]:
        return [scene("calibration", seed, 400, 360) for seed in range(6)]

    def held_out(self) -> list[Array]:
        return [scene("held out", seed, 400, 360) for seed in range(100, 116)]

    def solve(self, sample: Array, run: Run) -> Array:
        """Boxes from all scales, which the second and third network judge and move."""
        boxes = self._first(sample, run)
        for name, size, score, moves in (
            ("mtcnn_rnet", 24, "softmax_1", "dense_2"),
            ("mtcnn_onet", 48, "softmax_2", "dense_5"),
        ):
            if not len(boxes):
                return boxes
            boxes = _square(boxes)
            (given,) = ("input_2",) if size == 24 else ("input_3",)
            made = run(name, {given: _pixels(sample, boxes, size)})
            sure = made[score][:, 1]
            kept = sure > THRESHOLDS[name.removeprefix("mtcnn_")]
            boxes = np.column_stack([boxes[kept, :4], sure[kept]])
            boxes = _moved(boxes, made[moves][kept])
            boxes = boxes[best(boxes, 0.7)]
        return boxes[best(boxes, 0.3)]

    def _first(self, sample: Array, run: Run) -> Array:
        found = [np.zeros((0, 5))]
        scale = 12 / SMALLEST
        while min(sample.shape[:2]) * scale >= 12:
            height, width = (int(np.ceil(n * scale)) for n in sample.shape[:2])
            small = Image.fromarray(sample).resize((width, height), Image.Resampling.BOX)
            # The networks were trained with columns first.
            pixels = _centred(np.asarray(small).transpose(1, 0, 2))[np.newaxis]
            made = run("mtcnn_pnet", {"input_1": pixels})
            heat = made["softmax"][0, :, :, 1]
            columns, rows = np.nonzero(heat >= THRESHOLDS["pnet"])
            corners = np.stack([columns, rows], axis=1) * 2
            boxes = np.column_stack([corners + 1, corners + 12]) / scale
            moved = _moved(
                np.column_stack([boxes, heat[columns, rows]]), made["conv2d_4"][0, columns, rows]
            )
            found.append(moved[best(moved, 0.5)])
            scale *= 0.709
        boxes = np.concatenate(found)
        return boxes[best(boxes, 0.7)]

    def same(self, found: Array, wanted: Array) -> Count:
        return matched(found, wanted)

    def truth(self, sample: Array) -> None:
        return None


def _centred(pixels: Array) -> Array:
    return ((pixels.astype(np.float32) - np.float32(127.5)) / np.float32(128)).astype(np.float32)


def _moved(boxes: Array, shares: Array) -> Array:
    """Every edge, by a share of the width or height."""
    sizes = boxes[:, 2:4] - boxes[:, :2]
    return np.column_stack([boxes[:, :4] + shares * np.tile(sizes, 2), boxes[:, 4]])


def _square(boxes: Array) -> Array:
    middle = (boxes[:, :2] + boxes[:, 2:4]) / 2
    half = np.repeat((boxes[:, 2:4] - boxes[:, :2]).max(axis=1, keepdims=True), 2, axis=1) / 2
    return np.column_stack([np.rint(middle - half), np.rint(middle + half), boxes[:, 4]])


def _pixels(sample: Array, boxes: Array, size: int) -> Array:
    """What lies in the boxes, black where they leave the picture."""
    picture = Image.fromarray(sample)
    cut = [
        np.asarray(picture.crop(tuple(box[:4])).resize((size, size), Image.Resampling.BOX))
        for box in boxes.astype(int)
    ]
    return _centred(np.stack(cut).transpose(0, 2, 1, 3))
