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
4. `layout` puts the channels first (nchw) or last (nhwc), and a batch of 1 in front.

A size that the model leaves open is the picture's own; of two, where one is open, it follows the other.
Integers that hold 0..255 take the bytes as they are, without 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from autosplit.errors import AutosplitError, choice, nearest

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
                raise AutosplitError(f"{key} has {len(numbers)} numbers, expected 1 or 3")
            if not all(isfinite(number) for number in numbers):
                raise AutosplitError(f"{key} is {_numbers(numbers)}, expected finite numbers")
        for key, known in CHOICES.items():
            value: str | None = getattr(self, key)
            if value not in known and not (key == "layout" and value is None):
                raise AutosplitError(f"{key} is {value!r}, expected {' or '.join(known)}")
        if 0 in self.scale:
            raise AutosplitError("scale is 0, which would make all pictures alike")
        if any(not 0 <= number <= 255 for number in self.pad):
            raise AutosplitError(f"pad is {_numbers(self.pad)}, expected bytes 0 to 255")
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
    def affine(self) -> Affine:
        """What is done to the bytes; nothing where that is not said."""
        return Affine(self.mean or (0.0,), self.scale or (1.0,))

    def __str__(self) -> str:
        """The text that `parse` reads as an equal description."""
        parts: list[str] = []
        for key in KEYS:
            value = getattr(self, key)
            if key in NUMBERS:
                value = _numbers(value)
            if value not in (None, ""):
                parts.append(f"{key}={value}")
        return ",".join(parts)

    @staticmethod
    def parse(text: str) -> Preprocess:
        """Reads `KEY=VALUE,KEY=VALUE,...`, where a value may be `127.5`, `1/255` or three such with commas.

        Raises AutosplitError, saying what is wrong with it.
        """
        found: dict[str, list[str]] = {}
        key = ""
        for item in text.split(","):
            name, equals, value = item.partition("=")
            if not equals and key in NUMBERS and item.strip():
                found[key].append(item.strip())
                continue
            key = name.strip()
            if not equals or not value.strip():
                raise AutosplitError(
                    f"preprocess {text!r}: found {item!r}, expected KEY=VALUE as in {EXAMPLE}"
                )
            if key not in KEYS:
                raise AutosplitError(f"preprocess {text!r}: {_unknown(key)}")
            if key in found:
                raise AutosplitError(f"preprocess {text!r}: {key} is given twice")
            found[key] = [value.strip()]
        try:
            return Preprocess(**{key: _value(key, values) for key, values in found.items()})
        except AutosplitError as error:
            raise AutosplitError(f"preprocess {text!r}: {error}") from None

    def to_json(self) -> dict[str, Any]:
        """As graph_infos.json holds it: what is said, lists for numbers."""
        found = {key: getattr(self, key) for key in KEYS}
        return {
            key: list(cast("tuple[float, ...]", value)) if isinstance(value, tuple) else value
            for key, value in found.items()
            if value is not None and value != ()
        }

    @staticmethod
    def of_json(value: object) -> Preprocess:
        """Reads what `to_json` made. Raises AutosplitError for what it cannot have made."""
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
    return f"{key!r} is not known{nearest(key, list(KEYS))}; known are {', '.join(KEYS)}"


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
        raise AutosplitError(f"{key} is {_numbers(numbers)}, expected whole numbers")
    return tuple(int(number) for number in numbers)


def _json_numbers(key: str, entry: object) -> tuple[float, ...]:
    items = cast("list[object]", entry) if isinstance(entry, list) else []
    if not items or any(type(item) not in (int, float) for item in items):
        raise AutosplitError(f"{key} is {entry!r}, expected a list of numbers")
    numbers = cast("list[float]", items)
    return _whole(key, numbers) if key == "pad" else tuple(float(number) for number in numbers)


def _numbers(numbers: Sequence[float]) -> str:
    """Numbers as `parse` reads them, without a loss."""
    return ",".join(repr(number).removesuffix(".0") for number in numbers)


# What is asked for


Descriptions: TypeAlias = "Mapping[str, Preprocess]"
"""By input; the one with an empty name is for all inputs that take pictures and have none of their own."""

Preprocessing: TypeAlias = "str | Preprocess | Mapping[str, str | Preprocess] | None"
"""What the functions of the API take."""


def parse_options(texts: Sequence[str]) -> dict[str, Preprocess]:
    """What several `[NAME:]KEY=VALUE,...` say. Raises AutosplitError, also where a name occurs twice."""
    found: dict[str, Preprocess] = {}
    for text in texts:
        name, rest = _divide(text)
        if name in found:
            whose = f"of {name!r} " if name else ""
            raise AutosplitError(f"preprocess {text!r}: the description {whose}is given twice")
        found[name] = Preprocess.parse(rest)
    return found


def descriptions(given: Preprocessing) -> dict[str, Preprocess]:
    """What an argument `preprocess` of the API says: a text, a description, or one of both by input."""
    if given is None:
        return {}
    if isinstance(given, str):
        return parse_options([given])
    if isinstance(given, Preprocess):
        return {"": given}
    if not isinstance(cast("object", given), Mapping):
        raise AutosplitError(
            f"preprocess is a {type(given).__name__}, expected a text such as {EXAMPLE!r}, or one by input"
        )
    return {n: Preprocess.parse(d) if isinstance(d, str) else d for n, d in given.items()}


def _divide(text: str) -> tuple[str, str]:
    """`NAME:KEY=...` as name and rest; a name may hold colons and equals signs."""
    for key in KEYS:
        if text.startswith(f"{key}="):
            return "", text
    places = [place for key in KEYS if (place := text.find(f":{key}=")) > 0]
    place = min(places, default=text.partition("=")[0].rfind(":"))
    return (text[:place], text[place + 1 :]) if place > 0 else ("", text)


def resolve(given: Descriptions, inputs: Sequence[PictureInput]) -> dict[str, Preprocess]:
    """The descriptions by the model's own names of its inputs, as far as they can take pictures.

    Raises AutosplitError for a name that is no input, and for an input that a description does not fit.
    """
    found: dict[str, Preprocess] = {}
    by_name = {_bare(item.name): item for item in inputs}
    for name, description in given.items():
        if not name:
            continue
        if _bare(name) not in by_name:
            hint = choice(name, list(by_name)) if by_name else ""
            raise AutosplitError(f"preprocess: {name!r} is no input of the model{hint}")
        item = replace(by_name[_bare(name)], described=description)
        item.check()
        found[item.name] = description
    if "" not in given:
        return found
    rest = [replace(item, described=given[""]) for item in inputs if item.name not in found]
    taking = [item for item in rest if item.takes_pictures]
    if not taking:
        for item in rest:
            item.check()
        raise AutosplitError("preprocess: the model has no other input that it could describe")
    for item in taking:
        item.check()
        found[item.name] = given[""]
    return found


def _bare(name: str) -> str:
    return name.removesuffix(":0")


# What is done


@dataclass(frozen=True)
class Affine:
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
        import numpy as np

        return (pixels - np.array(self.mean, np.float32)) * np.array(self.scale, np.float32)

    def __str__(self) -> str:
        mean, scale = _shown(self.mean), _shown(self.scale)
        if not any(self.mean):
            return f"x * {scale}"
        return f"(x - {mean}) * {scale}" if self.scale != (1.0,) else f"x - {mean}"


NOTHING = Affine((0.0,), (1.0,))
"""What is done to bytes that are taken as they are."""


def _shown(numbers: Sequence[float]) -> str:
    text = ", ".join(f"{number:.6g}" for number in numbers)
    return f"[{text}]" if numbers[1:] else text


@dataclass(frozen=True)
class Frame:
    """The axes of an input that takes pictures: sizes, -1 where the model leaves one open."""

    batch: int | None
    """None: the input has no axis for it."""
    height: int
    width: int
    channels: int
    last: bool
    """Whether the channels are the last axis."""


@dataclass(frozen=True)
class PictureInput:
    """An input of a model, with what is known of how pictures become it."""

    name: str
    shape: tuple[int, ...] | None
    dtype: str | None
    """numpy's name; None counts as float32."""
    layout: str = ""
    """NCHW or NHWC, of the whole model: what holds where the shape could be both."""
    described: Preprocess | None = None
    own: Affine | None = None
    """What the model itself begins with."""

    @property
    def takes_pictures(self) -> bool:
        """Whether its shape is that of a picture, and its elements are numbers."""
        return self._frame() is not None

    @property
    def frame(self) -> Frame:
        """Raises AutosplitError where the shape is not that of a picture."""
        found = self._frame()
        if found is None:
            shape = "of unknown shape" if self.shape is None else f"of shape {list(self.shape)}"
            layout = self.described.layout if self.described is not None else None
            why = f" with layout={layout}" if layout else ""
            raise AutosplitError(
                f"input {self.name!r} {shape}, {self.dtype or 'float32'}, takes no pictures{why}: expected "
                "1 or 3 channels behind the batch or at the end, and numbers; give .npy files"
            )
        return found

    def _frame(self) -> Frame | None:
        if self.shape is None or len(self.shape) not in (3, 4) or self.kind not in tuple("iuf"):
            return None
        sizes = self.shape[-3:]
        batch = self.shape[0] if len(self.shape) == 4 else None
        if batch not in (None, 1, -1):
            return None
        wanted = self.described.layout if self.described is not None else None
        first, last = sizes[0], sizes[2]
        # An open number of channels is 3, if the user says which axis it is.
        ways = {
            "nchw": Frame(batch, sizes[1], sizes[2], 3 if wanted and first < 0 else first, False),
            "nhwc": Frame(batch, sizes[0], sizes[1], 3 if wanted and last < 0 else last, True),
        }
        fitting = [
            key
            for key, frame in ways.items()
            if frame.channels in (1, 3) and key == (wanted or key)
        ]
        if not fitting:
            return None
        usual = self.layout.lower()
        return ways[usual if usual in fitting else fitting[-1]]

    def check(self) -> None:
        """Raises AutosplitError where the description does not fit the input."""
        channels, description = self.frame.channels, self.described
        if description is None:
            return
        for key in NUMBERS:
            numbers: tuple[float, ...] = getattr(description, key)
            if len(numbers) > 1 and channels == 1:
                raise AutosplitError(
                    f"preprocess: {key} has {len(numbers)} numbers, input {self.name!r} has 1 channel"
                )
        if description.says_numbers and self._holds_bytes:
            raise AutosplitError(
                f"preprocess: input {self.name!r} is {self.dtype} and takes the bytes of pictures as they "
                "are; leave mean= and scale= out"
            )

    @property
    def kind(self) -> str:
        """numpy's letter for the kind of its elements; empty for those that numpy has none for."""
        import numpy as np

        try:
            return np.dtype(self.dtype or "float32").kind
        except TypeError:
            return ""

    @property
    def _holds_bytes(self) -> bool:
        """Whether its elements are integers that 0..255 are among."""
        return self.kind in ("i", "u") and self.dtype != "int8"

    @property
    def affine(self) -> Affine:
        """What is done to the bytes. Raises AutosplitError where nothing says that."""
        if self.described is not None and self.described.says_numbers:
            return self.described.affine
        if self._holds_bytes or (self.own is not None and self.own.takes_bytes):
            return NOTHING
        text = (
            f"input {self.name!r} takes {self.dtype or 'float32'}, and nothing says what becomes of a "
            f"picture's bytes 0..255: add --preprocess {self._example()}, for (x - mean) * scale with your "
            "own numbers (or size=letterbox, size=crop, color=bgr)"
        )
        if self.own is not None:
            text += (
                f"; the model itself begins with {self.own}, which is not made for bytes: if it is for 0..1, "
                "that is scale=1/255"
            )
        raise AutosplitError(text)

    def _example(self) -> str:
        given = self.described
        if given is None:
            return EXAMPLE
        return f"mean=127.5,scale=1/128,{given}"

    def sizes(self, path: Path) -> tuple[int, ...]:
        """The shape of what `read` makes of a picture, whatever its numbers are; raises as that."""
        frame = self.frame
        height, width = frame.height, frame.width
        if height < 0 or width < 0:
            from autosplit.pictures import opened, own_size, upright

            with opened(path) as image:
                size = upright(image, path, frame.channels).size
                width, height = own_size(size, width, height)
        inner = (height, width, frame.channels) if frame.last else (frame.channels, height, width)
        return inner if frame.batch is None else (1, *inner)

    def read(self, path: Path) -> Array:
        """A picture as this input. Raises AutosplitError, naming the file, where that cannot be."""
        import numpy as np

        from autosplit.pictures import fitted, opened, upright

        self.done(str(path))
        frame, affine, description = self.frame, self.affine, self.described or Preprocess()
        with opened(path) as image:
            pixels = fitted(upright(image, path, frame.channels), frame, description, str(path))
        dtype = np.dtype(self.dtype or "float32")
        made: Array = pixels
        if affine != NOTHING:
            made = affine.of(pixels)
        if dtype.kind in "iu" and made.dtype != dtype:
            limits = np.iinfo(cast("Any", dtype))
            made = np.clip(np.rint(made), limits.min, limits.max)
        made = made if frame.last else made.transpose(2, 0, 1)
        return np.ascontiguousarray(made if frame.batch is None else made[np.newaxis], dtype)

    def told(self, path: Path, note: Callable[[str], None]) -> Array:
        """As `read`; `note` is told what was done, and what numbers came out of it."""
        array, seen = self.read(path), Seen()
        seen.add(array)
        note(f"input {self.name!r}: {path}, {self.done(self.name)}: {seen}")
        return array

    def done(self, where: str) -> str:
        """What `read` does, in words.

        Raises AutosplitError, beginning with `where`, for an input that takes no pictures, and where nothing
        says what becomes of them.
        """
        try:
            self.check()
            frame, affine = self.frame, self.affine
        except AutosplitError as error:
            raise AutosplitError(f"{where}: {error}") from None
        description = self.described or Preprocess()
        parts = ["grey" if frame.channels == 1 else description.color.upper()]
        parts.append(_sized(frame, description))
        if affine != NOTHING:
            parts.append(str(affine))
        elif self.own is not None and not self._holds_bytes:
            parts.append(f"as bytes, since the model itself begins with {self.own}")
        else:
            parts.append("as bytes")
        return ", ".join(parts)


def _sized(frame: Frame, description: Preprocess) -> str:
    open_sizes = [frame.height, frame.width].count(-1)
    if open_sizes == 2:
        return "of its own size"
    if open_sizes:
        what = f"height {frame.height}" if frame.width < 0 else f"width {frame.width}"
        return f"scaled to {what}"
    size = f"{frame.width}x{frame.height}"
    match description.size:
        case "stretch":
            return f"stretched to {size}"
        case "letterbox":
            return f"in a letterbox of {size} on {_numbers(description.pad or (0,))}"
        case "crop":
            first = f"short side {description.short}, " if description.short else ""
            return f"{first}cropped to {size}"


# What reached an input


@dataclass
class Seen:
    """The numbers that reached an input."""

    low: float = float("inf")
    high: float = float("-inf")
    total: float = 0.0
    count: int = field(default=0)

    def add(self, array: Array) -> None:
        """Takes in an array; nothing of one that holds no numbers."""
        import numpy as np

        if array.size and array.dtype.kind in "biuf":
            self.low = min(self.low, float(np.min(cast("Any", array))))
            self.high = max(self.high, float(np.max(cast("Any", array))))
            self.total += float(np.sum(cast("Any", array), dtype=np.float64))
            self.count += array.size

    def __str__(self) -> str:
        """`-0.996..0.992, mean -0.13`; empty without any."""
        if not self.count:
            return ""
        return f"{self.low:.4g}..{self.high:.4g}, mean {self.total / self.count:.4g}"
