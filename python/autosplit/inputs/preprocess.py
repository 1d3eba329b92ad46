"""How a picture becomes a model's input: one description of it, and exactly what that does.

    mean=127.5,scale=1/128,size=letterbox,pad=114,color=bgr,layout=nchw

A picture is read as 8-bit RGB, upright as its EXIF data says; for an input of one channel as grey, 0.299 R +
0.587 G + 0.114 B. Then, in this order:

1. `size` brings it to the input's height and width. `stretch` scales both to fit. `letterbox` scales both
   alike so that all is inside, and fills the rest with `pad`, the picture being in the middle. `crop` scales
   both alike until the input is covered, or the short side to `short`, and takes the middle. Scaled sizes
   are rounded to the nearest, halves up; of an odd rest the smaller half is left or above. Scaling is
   bilinear, over all pixels that a new one covers where it shrinks, and rounds to bytes: Pillow's BILINEAR.
2. `color` puts the channels in the order rgb or bgr. Where there are three numbers of `mean`, `scale` or
   `pad`, they are in this order.
3. `(x - mean) * scale` is computed in float32 on the bytes 0..255, and cast to the input's type, for
   integers rounded to the nearest (halves to even) and saturated.
4. `layout` puts the channels first (nchw) or last (nhwc). A batch is filled with pictures in order, again
   from the first where they end.

A size that the model leaves open, or that varies in a dynamic folder, is the picture's own; of two, where
one is open, it follows the other. Where there is a largest size, larger pictures are scaled alike to fit;
letterbox and crop make the largest.
Integers that hold 0..255 take the bytes as they are, without 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.units import counted
from autosplit.portable.pictures import normalized

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]
    Bytes = NDArray[np.uint8]

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp"})
"""The endings of files that are pictures."""


def is_picture(path: Path | str) -> bool:
    """Whether a file is a picture, by its ending."""
    return Path(path).suffix.lower() in SUFFIXES


Size = Literal["stretch", "letterbox", "crop"]
Color = Literal["rgb", "bgr"]
Layout = Literal["nchw", "nhwc"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    "size": get_args(Size),
    "color": get_args(Color),
    "layout": get_args(Layout),
}

EXAMPLE = "mean=127.5,scale=1/128,size=stretch,color=rgb"


@dataclass(frozen=True)
class Preprocess:
    """What is done to a picture; the module's text says what each field does.

    Raises AutosplitError for values that do not go together.
    """

    mean: tuple[float, ...] = ()
    """Of the bytes 0..255: one number, or three in the order of `color`; none: not said."""
    scale: tuple[float, ...] = ()
    """As `mean`; what is left after it is multiplied by this."""
    size: Size = "stretch"
    short: int | None = None
    """With `crop`: what the short side is scaled to; None: as small as covers the input."""
    pad: tuple[int, ...] = ()
    """With `letterbox`: the bytes around the picture; none: 0, which is black."""
    color: Color = "rgb"
    layout: Layout | None = None
    """None: what the input's shape says."""

    def __post_init__(self) -> None:
        for key in ("mean", "scale", "pad"):
            numbers: tuple[float, ...] = getattr(self, key)
            if not isinstance(cast("object", numbers), tuple):
                raise AutosplitError(f"{key} is {numbers!r}, expected a tuple of numbers")
            if len(numbers) not in (0, 1, 3):
                raise AutosplitError(
                    f"{key} has {counted(len(numbers), 'number')}, expected 1 or 3"
                )
            if not all(isfinite(number) for number in numbers):
                raise AutosplitError(f"{key} is {numbers_text(numbers)}, expected finite numbers")
        for key, values in CHOICES.items():
            value: str | None = getattr(self, key)
            if value not in values and not (key == "layout" and value is None):
                raise AutosplitError(f"{key} is {value!r}, expected {' or '.join(values)}")
        if 0 in self.scale:
            raise AutosplitError("scale is 0, which would make all pictures alike")
        if any(not 0 <= number <= 255 for number in self.pad):
            raise AutosplitError(f"pad is {numbers_text(self.pad)}, expected bytes 0 to 255")
        if self.pad and self.size != "letterbox":
            raise AutosplitError(f"pad goes with size=letterbox, found size={self.size}")
        if self.short is not None and self.size != "crop":
            raise AutosplitError(f"short goes with size=crop, found size={self.size}")
        if self.short is not None and self.short < 1:
            raise AutosplitError(f"short is {self.short}, expected a number of pixels")

    @property
    def says_numbers(self) -> bool:
        """Whether it says what becomes of the bytes."""
        return bool(self.mean or self.scale)

    @property
    def affine(self) -> Normalization:
        """What is done to the bytes; nothing if that is not said."""
        return Normalization(self.mean or (0.0,), self.scale or (1.0,))

    def __str__(self) -> str:
        """The text that `parse` reads as an equal description."""
        parts: list[str] = []
        for key in KEYS:
            value = getattr(self, key)
            if key in NUMBERS:
                value = numbers_text(value)
            if value not in (None, ""):
                parts.append(f"{key}={value}")
        return ",".join(parts)

    @staticmethod
    def parse(text: str) -> Preprocess:
        """Reads `KEY=VALUE,KEY=VALUE,...`, where a value may be `127.5`, `1/255` or three such with commas.

        Raises AutosplitError, saying what is wrong with it.
        """
        fields: dict[str, list[str]] = {}
        key = ""
        for item in text.split(","):
            name, equals, value = item.partition("=")
            if not equals and key in NUMBERS and item.strip():
                fields[key].append(item.strip())
                continue
            key = name.strip()
            if not equals or not value.strip():
                raise AutosplitError(
                    f"preprocess {text!r}: found {item!r}, expected KEY=VALUE as in {EXAMPLE}"
                )
            if key not in KEYS:
                raise AutosplitError(f"preprocess {text!r}: {_unknown(key)}")
            if key in fields:
                raise AutosplitError(f"preprocess {text!r}: {key} appears twice")
            fields[key] = [value.strip()]
        try:
            return Preprocess(**{key: _value(key, values) for key, values in fields.items()})
        except AutosplitError as error:
            raise AutosplitError(f"preprocess {text!r}: {error}") from None

    def to_json(self) -> dict[str, Any]:
        """As graph_infos.json holds it: what is said, lists for numbers."""
        fields = {key: getattr(self, key) for key in KEYS}
        return {
            key: list(cast("tuple[float, ...]", value)) if isinstance(value, tuple) else value
            for key, value in fields.items()
            if value is not None and value != ()
        }

    @staticmethod
    def of_json(value: object) -> Preprocess:
        """Reads what `to_json` wrote. Raises AutosplitError for anything else."""
        if not isinstance(value, dict):
            raise AutosplitError(f"is {value!r}, expected an object")
        entries: dict[str, Any] = {}
        for key, entry in cast("dict[str, object]", value).items():
            if key not in KEYS:
                raise AutosplitError(_unknown(key))
            entries[key] = _json_numbers(key, entry) if key in NUMBERS else entry
        short = entries.get("short")
        if short is not None and type(short) is not int:
            raise AutosplitError(f"short is {short!r}, expected a number of pixels")
        return Preprocess(**entries)


KEYS = tuple(entry.name for entry in fields(Preprocess))
NUMBERS = ("mean", "scale", "pad")
"""The keys that take one number or three."""


def _unknown(key: str) -> str:
    if key in ("std", "stddev"):
        return (
            f"there is no {key}; (x - mean) * scale is computed, so give scale=1/58.395 for 58.395"
        )
    return f"{key!r} is unknown{nearest(key, list(KEYS))}; expected one of {', '.join(KEYS)}"


def _value(key: str, values: list[str]) -> Any:
    if key in NUMBERS:
        numbers = tuple(_number(key, value) for value in values)
        return _whole(key, numbers) if key == "pad" else numbers
    if key == "short":
        return _whole(key, (_number(key, values[0]),))[0]
    return values[0].lower()


def _number(key: str, text: str) -> float:
    """`127.5` or `1/255`."""
    above, slash, below = text.partition("/")
    try:
        if "/" in below:
            raise ValueError
        return float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError):
        hint = ""
        if "/" in below:
            hint = f"; three channels are divided by commas, as in {key}={text.replace('/', ',')}"
        raise AutosplitError(
            f"{key}={text}: expected a number, such as 127.5 or 1/255{hint}"
        ) from None


def _whole(key: str, numbers: Sequence[float]) -> tuple[int, ...]:
    if any(not isfinite(number) or number != int(number) for number in numbers):
        raise AutosplitError(f"{key} is {numbers_text(numbers)}, expected whole numbers")
    return tuple(int(number) for number in numbers)


def _json_numbers(key: str, entry: object) -> tuple[float, ...]:
    items = cast("list[object]", entry) if isinstance(entry, list) else []
    if not items or any(type(item) not in (int, float) for item in items):
        raise AutosplitError(f"{key} is {entry!r}, expected a list of numbers")
    numbers = cast("list[float]", items)
    return _whole(key, numbers) if key == "pad" else tuple(float(number) for number in numbers)


def numbers_text(numbers: Sequence[float]) -> str:
    """Numbers as `parse` reads them, without loss."""
    return ",".join(repr(number).removesuffix(".0") for number in numbers)


# What is asked for


Descriptions: TypeAlias = "Mapping[str, Preprocess]"
"""By input; the one with an empty name is for all inputs that take pictures and have none of their own."""

Preprocessing: TypeAlias = "str | Preprocess | Mapping[str, str | Preprocess] | None"
"""What the functions of the API take."""


def parse_options(texts: Sequence[str]) -> dict[str, Preprocess]:
    """What several `[NAME:]KEY=VALUE,...` say. Raises AutosplitError, also where a name occurs twice."""
    by_input: dict[str, Preprocess] = {}
    for text in texts:
        name, rest = _divide(text)
        if name in by_input:
            whose = f"of {name!r} " if name else ""
            raise AutosplitError(f"preprocess {text!r}: the description {whose}appears twice")
        by_input[name] = Preprocess.parse(rest)
    return by_input


def descriptions(value: Preprocessing) -> dict[str, Preprocess]:
    """What the argument `preprocess` of the API says: a text, a description, or either by input."""
    if value is None:
        return {}
    if isinstance(value, str):
        return parse_options([value])
    if isinstance(value, Preprocess):
        return {"": value}
    if not isinstance(cast("object", value), Mapping):
        raise AutosplitError(
            f"preprocess is a {type(value).__name__}, expected a text such as {EXAMPLE!r}, or one by input"
        )
    return {n: Preprocess.parse(d) if isinstance(d, str) else d for n, d in value.items()}


def _divide(text: str) -> tuple[str, str]:
    """`NAME:KEY=...` as name and rest; a name may hold colons and equals signs."""
    for key in KEYS:
        if text.startswith(f"{key}="):
            return "", text
    places = [place for key in KEYS if (place := text.find(f":{key}=")) > 0]
    place = min(places, default=text.partition("=")[0].rfind(":"))
    return (text[:place], text[place + 1 :]) if place > 0 else ("", text)


# What is done


@dataclass(frozen=True)
class Normalization:
    """`(x - mean) * scale`, by one number or by one a channel."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]

    @property
    def takes_bytes(self) -> bool:
        """Whether it is made for 0..255, not for 0..1.

        Then the mean is more than any number of 0..1, or what is left is made much smaller.
        """
        count = max(len(self.mean), len(self.scale))
        means, scales = self.mean * count, self.scale * count
        return all(
            1 < mean <= 255 or abs(scale) <= 1 / 16
            for mean, scale in zip(means[:count], scales[:count], strict=True)
        )

    def to_json(self) -> dict[str, Any]:
        """As graph_infos.json holds it."""
        return {"mean": [*self.mean], "scale": [*self.scale]}

    def of(self, pixels: Bytes) -> Array:
        """What becomes of bytes whose channels are last: float32 of the same shape."""
        return normalized(pixels, self.mean, self.scale)

    def __str__(self) -> str:
        mean, scale = _shown(self.mean), _shown(self.scale)
        if not any(self.mean):
            return f"x * {scale}"
        return f"(x - {mean}) * {scale}" if self.scale != (1.0,) else f"x - {mean}"


NOTHING = Normalization((0.0,), (1.0,))
"""What is done to bytes that are taken as they are."""


def _shown(numbers: Sequence[float]) -> str:
    text = ", ".join(f"{number:.6g}" for number in numbers)
    return f"[{text}]" if numbers[1:] else text
