"""Pictures for the real models: a photograph of a person, and printed words drawn on it.

`feeds` makes a model's inputs from them; the pictures for calibration differ from the one for tests.
Pillow is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.testing.models import photo_path

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

WORDS = ("INTEGER", "Quantum", "half even", "scale 0.02", "ROUNDING", "zero point")

FACE = (175, 60, 110)
"""Left and top edge and size of a square around the face in the photograph (which is 512x512)."""


class _Random:
    """numpy's generator, for single integers."""

    def __init__(self, seed: int):
        self._generator = np.random.default_rng(seed)

    def below(self, end: int, start: int = 0) -> int:
        return int(self._generator.uniform(start, end))


def _pillow(name: str) -> Any:
    return import_module(f"PIL.{name}")


def photo(size: int = 512, *, mirrored: bool = False) -> Image:
    """The photograph as uint8[size, size, 3], RGB."""
    image = _pillow("Image").open(photo_path()).convert("RGB")
    array = np.asarray(image.resize((size, size), _pillow("Image").BILINEAR), np.uint8)
    return array[:, ::-1].copy() if mirrored else array


def crops(count: int, size: int, seed: int = 0) -> Image:
    """Squares of the photograph, half of them around the face: uint8[count, size, size, 3]."""
    random = _Random(seed)
    image = _pillow("Image").open(photo_path()).convert("RGB")
    cuts: list[Image] = []
    for number in range(count):
        if number % 2:
            edge = random.below(300, 40)
            left, top = random.below(512 - edge), random.below(512 - edge)
        else:
            left, top, edge = (v + random.below(13, -12) for v in FACE)
        cut = image.crop((left, top, left + edge, top + edge)).resize((size, size))
        cuts.append(np.asarray(cut, np.uint8))
    return np.stack(cuts)


def text_line(word: str, height: int = 48, width: int = 192, *, turned: bool = False) -> Image:
    """A word in black on white, uint8[height, width, 3]; upside down if `turned`."""
    image = _pillow("Image").new("RGB", (width, height), "white")
    font = _pillow("ImageFont").load_default(height * 0.6)
    _pillow("ImageDraw").Draw(image).text((8, height * 0.15), word, fill="black", font=font)
    return np.asarray(image.rotate(180) if turned else image, np.uint8)


def text_photo(width: int = 640, height: int = 480, seed: int = 0) -> Image:
    """The photograph with words on white labels, uint8[height, width, 3]."""
    random = _Random(seed)
    base = _pillow("Image").open(photo_path()).convert("RGB").resize((width, height))
    rows = height // len(WORDS)
    for row, word in enumerate(WORDS):
        line = text_line(word, rows * 5 // 8, width // 3)
        left = random.below(width - line.shape[1])
        base.paste(_pillow("Image").fromarray(line), (left, row * rows + rows // 8))
    return np.asarray(base, np.uint8)


def _planes(image: Image, mean: Any, deviation: Any) -> Floats:
    scaled = (image.astype(np.float32) / np.float32(255) - np.float32(mean)) / np.float32(deviation)
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[np.newaxis], np.float32)


def _centred(images: Image) -> Floats:
    return ((images.astype(np.float32) - np.float32(127.5)) / np.float32(128)).astype(np.float32)


def _centerface(image: Image) -> dict[str, Floats]:
    planes = image.transpose(2, 0, 1)[np.newaxis]
    return {"input.1": np.ascontiguousarray(planes, np.float32)}


def _detector(image: Image) -> dict[str, Floats]:
    return {"x": _planes(image, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))}


def _reading(word: str) -> dict[str, Floats]:
    return {"x": _planes(text_line(word, 48, 320), 0.5, 0.5)}


def _direction(words: tuple[str, ...]) -> dict[str, Floats]:
    lines = [
        _planes(text_line(w, turned=turned), 0.5, 0.5) for w in words for turned in (False, True)
    ]
    return {"x": np.concatenate(lines)}


def feeds(name: str) -> dict[str, Floats]:
    """Inputs of the model `name`, made from a picture that it was not calibrated on.

    The outputs of a classifier are one row for a crop; the text classifier gets each word upright, then
    upside down. Raises KeyError for a model without pictures, ModelUnavailable without the photograph.
    """
    makers: dict[str, Any] = {
        "centerface.onnx": lambda: _centerface(photo(416)),
        "pnet.onnx": lambda: {"input_1": _centred(photo(256))[np.newaxis]},
        "rnet.onnx": lambda: {"input_2": _centred(crops(16, 24, seed=9))},
        "onet.onnx": lambda: {"input_3": _centred(crops(16, 48, seed=9))},
        "ch_PP-OCRv4_det_infer.onnx": lambda: _detector(text_photo(576, 416, seed=9)),
        "ch_ppocr_mobile_v2.0_cls_infer.onnx": lambda: _direction(("autosplit", "int8", "oneDNN")),
    }
    return cast("dict[str, Floats]", makers[name]())


def calibration(name: str) -> list[dict[str, Floats]]:
    """The calibration inputs of the model `name`; raises as `feeds`."""
    makers: dict[str, Any] = {
        "centerface.onnx": lambda: [
            _centerface(photo(size, mirrored=mirrored))
            for size in (512, 320)
            for mirrored in (False, True)
        ],
        "pnet.onnx": lambda: [
            {"input_1": _centred(photo(size, mirrored=mirrored))[np.newaxis]}
            for size in (360, 180, 90)
            for mirrored in (False, True)
        ],
        "rnet.onnx": lambda: [{"input_2": _centred(crops(32, 24, seed))} for seed in (1, 2)],
        "onet.onnx": lambda: [{"input_3": _centred(crops(32, 48, seed))} for seed in (1, 2)],
        "ch_PP-OCRv4_det_infer.onnx": lambda: [
            _detector(text_photo(width, height, seed))
            for seed, (width, height) in enumerate(((640, 480), (480, 640), (320, 320)))
        ],
        "ch_ppocr_mobile_v2.0_cls_infer.onnx": lambda: [_direction(WORDS)],
    }
    return cast("list[dict[str, Floats]]", makers[name]())


def of_one_size(name: str) -> list[dict[str, Floats]]:
    """The calibration inputs of the model `name` if its sizes are fixed: pictures of the size that it is
    used with, which differ from `feeds`. Raises as `feeds`."""
    makers: dict[str, Any] = {
        "320n.onnx": lambda: [
            {"images": _planes(image, 0.0, 1.0)}
            for image in (photo(320), photo(320, mirrored=True), *crops(4, 320, seed=3))
        ],
        "centerface.onnx": lambda: [
            _centerface(image)
            for image in (photo(416), photo(416, mirrored=True), *crops(2, 416, seed=3))
        ],
        "ch_PP-OCRv4_det_infer.onnx": lambda: [
            _detector(text_photo(640, 480, seed)) for seed in range(3)
        ],
        "ch_PP-OCRv4_rec_infer.onnx": lambda: [_reading(word) for word in WORDS],
        "ch_ppocr_mobile_v2.0_cls_infer.onnx": lambda: [
            {"x": line[np.newaxis]} for line in _direction(WORDS)["x"]
        ],
    }
    return cast("list[dict[str, Floats]]", makers[name]())
