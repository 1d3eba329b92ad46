"""CenterFace: faces in a photograph."""

from __future__ import annotations

import numpy as np

from tasks.boxes import best, matched
from tasks.pictures import scene
from tasks.task import Array, Count, Run, planes

SIZE = (480, 416)


class Faces:
    name = "faces"
    networks = {"centerface": "centerface.onnx"}
    fixed = True

    def calibration(self) -> list[Array]:
        return [scene("calibration", seed, *SIZE) for seed in range(12)]

    def held_out(self) -> list[Array]:
        return [scene("held out", seed, *SIZE) for seed in range(100, 116)]

    def solve(self, sample: Array, run: Run) -> Array:
        """Where the heat map is above a half there is a face, of the size that the next map tells."""
        made = run("centerface", {"input.1": planes(sample, 0, 1)})
        heat, sizes, offsets = made["537"][0, 0], made["538"][0], made["539"][0]
        rows, columns = np.nonzero(heat > 0.5)
        size = np.exp(sizes[:, rows, columns]) * 4
        top = (rows + offsets[0, rows, columns] + 0.5) * 4 - size[0] / 2
        left = (columns + offsets[1, rows, columns] + 0.5) * 4 - size[1] / 2
        boxes = np.stack([left, top, left + size[1], top + size[0], heat[rows, columns]], axis=1)
        return boxes[best(boxes, 0.3)]

    def same(self, found: Array, wanted: Array) -> Count:
        return matched(found, wanted)

    def truth(self, sample: Array) -> None:
        return None
