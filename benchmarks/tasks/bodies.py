"""NudeNet: faces and other parts of bodies in a photograph, of 18 kinds."""

from __future__ import annotations

import numpy as np

from tasks.boxes import best, matched
from tasks.pictures import scene
from tasks.task import Array, Count, Run, planes


class Bodies:
    name = "detections"
    networks = {"nudenet": "320n.onnx"}
    fixed = True

    def calibration(self) -> list[Array]:
        return [scene("calibration", seed, 320, 320) for seed in range(12)]

    def held_out(self) -> list[Array]:
        return [scene("held out", seed, 320, 320) for seed in range(100, 124)]

    def solve(self, sample: Array, run: Run) -> dict[int, Array]:
        """By kind, the boxes with a score above 0.2."""
        (made,) = run("nudenet", {"images": planes(sample, 0, 255)}).values()
        rows = made[0].T
        rows = rows[rows[:, 4:].max(axis=1) > 0.2]
        kinds, half = rows[:, 4:].argmax(axis=1), rows[:, 2:4] / 2
        boxes = np.column_stack([rows[:, :2] - half, rows[:, :2] + half, rows[:, 4:].max(axis=1)])
        found = {int(kind): boxes[kinds == kind] for kind in np.unique(kinds)}
        return {kind: some[best(some, 0.45)] for kind, some in found.items()}

    def same(self, found: dict[int, Array], wanted: dict[int, Array]) -> Count:
        none = np.zeros((0, 5))
        kinds = found.keys() | wanted.keys()
        counts = [matched(found.get(kind, none), wanted.get(kind, none)) for kind in kinds]
        return sum(counts, Count(0, 0, 0))

    def truth(self, sample: Array) -> None:
        return None
