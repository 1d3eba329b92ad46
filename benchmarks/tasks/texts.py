"""PP-OCR: where text is, what it says, and whether it stands upside down."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
from scipy import ndimage

from autosplit.testing.models import model_path
from tasks.boxes import matched
from tasks.pictures import line, page, words
from tasks.task import Array, Count, Run, planes

Sample = tuple[Array, str]


class Finder:
    name = "lines of text"
    networks = {"pp_ocr_det": "ch_PP-OCRv4_det_infer.onnx"}
    fixed = True

    def calibration(self) -> list[Array]:
        return [page("calibration", seed, 480, 480) for seed in range(8)]

    def held_out(self) -> list[Array]:
        return [page("held out", seed, 480, 480) for seed in range(100, 112)]

    def solve(self, sample: Array, run: Run) -> Array:
        """Boxes around what is connected and likely to be text."""
        mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
        (made,) = run("pp_ocr_det", {"x": planes(sample, mean * 255, deviation * 255)}).values()
        heat = made[0, 0]
        areas, _ = ndimage.label(heat > 0.3)
        boxes = [np.zeros(4)]
        for number, place in enumerate(ndimage.find_objects(areas), 1):
            there = areas[place] == number
            if there.sum() < 20 or heat[place][there].mean() < 0.5:
                continue
            rows, columns = place
            boxes.append(np.array([columns.start, rows.start, columns.stop, rows.stop], float))
        return np.stack(boxes)[1:]

    def same(self, found: Array, wanted: Array) -> Count:
        return matched(found, wanted)

    def truth(self, sample: Array) -> None:
        return None


@cache
def characters() -> list[str]:
    """What the classes of the reader mean: nothing, the characters that the model lists, a space."""
    model = onnx.load(model_path("ch_PP-OCRv4_rec_infer.onnx"))
    (listed,) = (p.value for p in model.metadata_props if p.key == "character")
    return ["", *listed.splitlines(), " "]


class Reader:
    name = "characters"
    networks = {"pp_ocr_rec": "ch_PP-OCRv4_rec_infer.onnx"}
    fixed = True

    def calibration(self) -> list[Sample]:
        return self._lines("calibration", range(16))

    def held_out(self) -> list[Sample]:
        return self._lines("held out", range(100, 160))

    def _lines(self, part: str, seeds: range) -> list[Sample]:
        made: list[Sample] = []
        for seed in seeds:
            random = np.random.default_rng(seed)
            text = words(part, random, 2)
            made.append((np.asarray(line(text, random, 320, 48)), text))
        return made

    def solve(self, sample: Sample, run: Run) -> str:
        """The most likely class at every place; repeated ones count once."""
        (made,) = run("pp_ocr_rec", {"x": planes(sample[0], 127.5, 127.5)}).values()
        classes = made[0].argmax(axis=1)
        changed = np.concatenate([[True], classes[1:] != classes[:-1]])
        return "".join(characters()[c] for c in classes[changed]).strip()

    def same(self, found: str, wanted: str) -> Count:
        """The characters of the longest text that both contain."""
        longest = [0] * (len(wanted) + 1)
        for one in found:
            row = [0]
            for number, other in enumerate(wanted):
                step = longest[number] + 1 if one == other else max(row[-1], longest[number + 1])
                row.append(step)
            longest = row
        return Count(longest[-1], len(wanted), len(found))

    def truth(self, sample: Sample) -> str:
        return sample[1]


class Turner:
    name = "directions"
    networks = {"pp_ocr_cls": "ch_ppocr_mobile_v2.0_cls_infer.onnx"}
    fixed = True

    def calibration(self) -> list[tuple[Array, bool]]:
        return self._lines("calibration", range(16))

    def held_out(self) -> list[tuple[Array, bool]]:
        return self._lines("held out", range(200, 280))

    def _lines(self, part: str, seeds: range) -> list[tuple[Array, bool]]:
        made: list[tuple[Array, bool]] = []
        for seed in seeds:
            random = np.random.default_rng(seed)
            drawn = line(words(part, random, 2), random, 192, 48)
            turned = bool(seed % 2)
            made.append((np.asarray(drawn.rotate(180) if turned else drawn), turned))
        return made

    def solve(self, sample: tuple[Array, bool], run: Run) -> bool:
        (made,) = run("pp_ocr_cls", {"x": planes(sample[0], 127.5, 127.5)}).values()
        return bool(made[0, 1] > made[0, 0])

    def same(self, found: bool, wanted: bool) -> Count:
        return Count(int(found == wanted), 1, 1)

    def truth(self, sample: tuple[Array, bool]) -> bool:
        return sample[1]
