"""Pictures as arrays at the size of a model's input; `inputs.preprocess` says what is done.

Pillow is imported when a picture is opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autosplit.core.errors import AutosplitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    from autosplit.portable.networks import RawPicture

    Array = NDArray[np.generic]
    Bytes = NDArray[np.uint8]

    class Fit(Protocol):
        """How a picture comes to the size of an input, and in which order its colours are."""

        @property
        def size(self) -> str:
            """`stretch`, `letterbox` or `crop`."""
            ...

        @property
        def short(self) -> int | None:
            """With `crop`: what the short side is scaled to; None: as small as still covers the input."""
            ...

        @property
        def pad(self) -> tuple[int, ...]:
            """With `letterbox`: the bytes around the picture; none: 0, which is black."""
            ...

        @property
        def color(self) -> str:
            """`rgb` or `bgr`."""
            ...


@dataclass(frozen=True)
class Frame:
    """The axes of an input that takes pictures: sizes, -1 where the model leaves one open."""

    batch: int | None
    """How many; None: the input has no axis for it."""
    height: int
    width: int
    channels: int
    last: bool
    """Whether the channels are the last axis."""
    largest: tuple[int | None, int | None] = (None, None)
    """Width and height that an open size has at most; None: any."""


def read_batch(
    paths: Sequence[Path],
    frame: Frame,
    fit: Fit,
    affine: tuple[Sequence[float], Sequence[float]] | None,
    dtype: str,
    name: str,
) -> Array:
    """A picture as an input, or several as its batch, which begins again where there are too few.

    `affine`: mean and scale of `(x - mean) * scale`; None leaves the bytes as they are. `name`: the input's.
    Raises AutosplitError, naming the file, if that cannot be.
    """
    import numpy as np

    arrays = [_read(path, frame, fit, affine, dtype) for path in paths]
    for i, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise AutosplitError(
                f"{paths[i]}: is of shape {list(array.shape)} in a batch with {paths[0]} of "
                f"{list(arrays[0].shape)}; input {name!r} leaves sizes open, so give pictures of one"
            )
    if frame.batch is None:
        return arrays[0]
    return np.stack([arrays[i % len(arrays)] for i in range(max(frame.batch, 1))])


def _read(
    path: Path,
    frame: Frame,
    fit: Fit,
    affine: tuple[Sequence[float], Sequence[float]] | None,
    dtype: str,
) -> Array:
    import numpy as np

    with opened(path) as image:
        pixels = fitted(upright(image, path, frame.channels), frame, fit, str(path))
    numbers: NDArray[Any] = pixels if affine is None else normalized(pixels, *affine)
    wanted = np.dtype(dtype)
    if wanted.kind in "iu" and numbers.dtype != wanted:
        limits = np.iinfo(dtype)
        numbers = np.clip(np.rint(numbers), limits.min, limits.max)
    return np.ascontiguousarray(numbers if frame.last else numbers.transpose(2, 0, 1), wanted)


def normalized(pixels: Bytes, mean: Sequence[float], scale: Sequence[float]) -> Array:
    """`(x - mean) * scale` of bytes whose channels are last: float32 of the same shape."""
    import numpy as np

    return (pixels - np.array(mean, np.float32)) * np.array(scale, np.float32)


def raw_bytes(numbers: Array, raw: RawPicture, name: str) -> Bytes:
    """The bytes that `normalized` made numbers of, as a network takes them; `name` is the input's.

    Raises AutosplitError for numbers that no bytes become.
    """
    import numpy as np

    floats = numbers.astype(np.float32)
    pixels = floats if raw.last else floats.transpose(0, 2, 3, 1)
    levels: NDArray[Any] = pixels / np.array(raw.scale, np.float32) + np.array(raw.mean, np.float32)
    rounded = np.clip(np.rint(levels), 0, 255)
    off = np.abs(levels - rounded)
    if not np.all(off <= MOST_OFF):
        odd = levels[~(off <= MOST_OFF)][0]
        raise AutosplitError(
            f"input {name!r}: the bmodel takes the bytes of pictures, and has their preprocessing in it; "
            f"found a number that a byte of {odd:.6g} would become; give pictures, or convert without "
            "--fuse-preprocess"
        )
    return np.ascontiguousarray(rounded if raw.color == raw.given else rounded[..., ::-1], np.uint8)


MOST_OFF = 0.0625
"""How far from a byte what `raw_bytes` finds may be: float32 is that exact for all usual numbers."""


def opened(path: Path) -> Image:
    """A picture, to be closed by the caller. Raises AutosplitError if it is none, or Pillow is missing."""
    try:
        from PIL import Image
    except ImportError:
        raise AutosplitError(
            f"{path}: reading a picture needs Pillow, which is not installed: pip install pillow"
        ) from None
    try:
        return Image.open(path)
    except (*_BROKEN, Image.DecompressionBombError) as error:
        raise AutosplitError(f"cannot read {path} as a picture: {error}") from None


_BROKEN = (OSError, SyntaxError, ValueError, EOFError, ArithmeticError)
"""What Pillow raises for files that are damaged."""


def upright(image: Image, path: Path, channels: int) -> Image:
    """The first frame of a picture, upright, as RGB or grey."""
    from PIL import ImageOps

    if image.mode in ("F", "I") or image.mode.startswith("I;"):
        raise AutosplitError(
            f"{path}: has pixels of more than 8 bits ({image.mode}), expected 8; give .npy files"
        )
    try:
        return ImageOps.exif_transpose(image).convert("RGB" if channels == 3 else "L")
    except _BROKEN as error:
        raise AutosplitError(f"cannot read {path} as a picture: {error}") from None


def fitted(image: Image, frame: Frame, fit: Fit, where: str) -> Bytes:
    """A picture, RGB or grey, at an input's size and in its order: uint8[height, width, channels]."""
    import numpy as np

    width, height = own_size(image.size, frame)
    if fit.size == "letterbox":
        image = scaled(image, _inside(image.size, (width, height)))
    elif fit.size == "crop":
        image = _cropped(image, (width, height), fit.short, where)
    else:
        image = scaled(image, (width, height))
    pixels = np.asarray(image, np.uint8).reshape(image.height, image.width, frame.channels)
    if fit.color == "bgr":
        pixels = pixels[..., ::-1]
    if pixels.shape[:2] == (height, width):
        return pixels
    filled = np.empty((height, width, frame.channels), np.uint8)
    filled[:] = np.array(fit.pad or (0,), np.uint8)
    top, left = (height - image.height) // 2, (width - image.width) // 2
    filled[top : top + image.height, left : left + image.width] = pixels
    return filled


def scaled(image: Image, size: tuple[int, int]) -> Image:
    """A picture at another width and height."""
    from PIL.Image import Resampling

    return image if image.size == size else image.resize(size, Resampling.BILINEAR)


def _nearest(above: int, below: int) -> int:
    """The fraction rounded to the nearest, halves up; at least 1."""
    return max(1, (2 * above + below) // (2 * below))


def own_size(size: tuple[int, int], frame: Frame) -> tuple[int, int]:
    """Width and height of an input; what is open follows the picture, up to the largest sizes there are."""
    width, height = frame.width, frame.height
    most_wide, most_high = frame.largest
    if width < 0 and height < 0:
        room = (most_wide or size[0], most_high or size[1])
        return size if size[0] <= room[0] and size[1] <= room[1] else _inside(size, room)
    if width < 0:
        wide = _nearest(size[0] * height, size[1])
        return min(wide, most_wide or wide), height
    if height >= 0:
        return width, height
    high = _nearest(size[1] * width, size[0])
    return width, min(high, most_high or high)


def _inside(size: tuple[int, int], room: tuple[int, int]) -> tuple[int, int]:
    """The largest size of the same proportions that is inside of `room`."""
    if size[0] * room[1] >= size[1] * room[0]:
        return room[0], _nearest(size[1] * room[0], size[0])
    return _nearest(size[0] * room[1], size[1]), room[1]


def _cropped(image: Image, room: tuple[int, int], short: int | None, where: str) -> Image:
    """The middle of a picture whose short side is `short`, or that just covers `room`."""
    width, height = image.size
    if short is not None and width <= height:
        size = short, _nearest(height * short, width)
    elif short is not None:
        size = _nearest(width * short, height), short
    elif width * room[1] >= height * room[0]:
        size = _nearest(width * room[1], height), room[1]
    else:
        size = room[0], _nearest(height * room[0], width)
    if size[0] < room[0] or size[1] < room[1]:
        raise AutosplitError(
            f"{where}: is {size[0]}x{size[1]} with short={short}, smaller than the {room[0]}x{room[1]} to "
            "crop; give a larger short=, or leave it out"
        )
    left, top = (size[0] - room[0]) // 2, (size[1] - room[1]) // 2
    return scaled(image, size).crop((left, top, left + room[0], top + room[1]))
