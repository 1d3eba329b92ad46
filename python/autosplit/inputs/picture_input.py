"""The inputs of a model that take pictures, and what a picture becomes there; see `inputs.preprocess`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import counted
from autosplit.inputs.preprocess import (
    EXAMPLE,
    NOTHING,
    NUMBERS,
    Descriptions,
    Normalization,
    Preprocess,
    numbers_text,
)
from autosplit.portable.names import bare
from autosplit.portable.pictures import Frame, opened, own_size, read_batch, upright

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]


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
    own: Normalization | None = None
    """What the model itself begins with."""
    varying: tuple[int, ...] = ()
    """The axes whose sizes may be smaller than `shape` says."""

    @property
    def takes_pictures(self) -> bool:
        """Whether its shape is that of a picture, and its elements are numbers."""
        return self._frame() is not None

    @property
    def frame(self) -> Frame:
        """Raises AutosplitError if the shape is not that of a picture."""
        frame = self._frame()
        if frame is None:
            shape = "of unknown shape" if self.shape is None else f"of shape {list(self.shape)}"
            layout = self.described.layout if self.described is not None else None
            why = f" with layout={layout}" if layout else ""
            raise AutosplitError(
                f"input {self.name!r} {shape}, {self.dtype or 'float32'}, takes no pictures{why}: expected "
                "1 or 3 channels behind the batch or at the end, and numbers; give .npy files"
            )
        return frame

    def _frame(self) -> Frame | None:
        if self.shape is None or len(self.shape) not in (3, 4) or self.kind not in tuple("iuf"):
            return None
        sizes = self.shape[-3:]
        batch = self.shape[0] if len(self.shape) == 4 else None
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
        # Three channels rather than one, then the layout of the model, then the channels last.
        best = max(fitting, key=lambda key: (ways[key].channels, key == self.layout.lower(), key))
        return self._opened(ways[best])

    def _opened(self, frame: Frame) -> Frame:
        """A frame with the sizes open that vary, for pictures that fill no box of a given size."""
        axes = [axis - len(self.shape or ()) for axis in self.varying]
        height, width = (-3, -2) if frame.last else (-2, -1)
        if self.described is not None and self.described.size != "stretch":
            return frame
        return replace(
            frame,
            height=-1 if height in axes else frame.height,
            width=-1 if width in axes else frame.width,
            largest=(
                frame.width if width in axes and frame.width > 0 else None,
                frame.height if height in axes and frame.height > 0 else None,
            ),
        )

    def check(self) -> None:
        """Raises AutosplitError if the description does not fit the input."""
        channels, description = self.frame.channels, self.described
        if description is None:
            return
        for key in NUMBERS:
            numbers: tuple[float, ...] = getattr(description, key)
            if len(numbers) > 1 and channels == 1:
                raise AutosplitError(
                    f"preprocess: {key} has {counted(len(numbers), 'number')}, input "
                    f"{self.name!r} has 1 channel"
                )
        if description.says_numbers and self._holds_bytes:
            raise AutosplitError(
                f"preprocess: input {self.name!r} is {self.dtype} and takes the bytes of pictures as they "
                "are; leave mean= and scale= out"
            )

    @property
    def kind(self) -> str:
        """numpy's letter for the kind of its elements; empty if numpy has none."""
        import numpy as np

        try:
            return np.dtype(self.dtype or "float32").kind
        except TypeError:
            return ""

    @property
    def _holds_bytes(self) -> bool:
        """Whether its elements are integers that can be 0..255."""
        return self.kind in ("i", "u") and self.dtype != "int8"

    @property
    def affine(self) -> Normalization:
        """What is done to the bytes. Raises AutosplitError if nothing says that."""
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
        description = self.described
        if description is None:
            return EXAMPLE
        return f"mean=127.5,scale=1/128,{description}"

    def sizes(self, path: Path) -> tuple[int, ...]:
        """The shape of what `read` makes of a picture, whatever its numbers are; raises as `read` does."""
        frame = self.frame
        height, width = frame.height, frame.width
        if height < 0 or width < 0:
            with opened(path) as image:
                size = upright(image, path, frame.channels).size
                width, height = own_size(size, frame)
        inner = (height, width, frame.channels) if frame.last else (frame.channels, height, width)
        return inner if frame.batch is None else (max(frame.batch, 1), *inner)

    def read(self, *paths: Path) -> Array:
        """A picture as this input, or several as its batch; too few are repeated.

        Raises AutosplitError, naming the file, if that cannot be.
        """
        self.done(str(paths[0]))
        affine = self.affine
        return read_batch(
            paths,
            self.frame,
            self.described or Preprocess(),
            None if affine == NOTHING else (affine.mean, affine.scale),
            self.dtype or "float32",
            self.name,
        )

    def spread(self, uniform: Array) -> Array:
        """Numbers from 0 to 1, taken as a random picture if it is known what becomes of pictures."""
        import numpy as np

        described = self.described is not None and self.described.says_numbers
        own = self.own is not None and self.own.takes_bytes
        if self.kind != "f" or not self.takes_pictures or not (described or own):
            return uniform
        axis = -1 if self.frame.last else -3
        pixels = np.moveaxis(np.floor(cast("Any", uniform) * 256), axis, -1)
        return np.moveaxis(self.affine.of(pixels), -1, axis).astype(uniform.dtype)

    def told(self, path: Path, note: Callable[[str], None]) -> Array:
        """As `read`; `note` is called with what was done, and the range of the numbers."""
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
    most = "x".join(str(size) for size in frame.largest if size is not None)
    limit = f", at most {most}" if most else ""
    if open_sizes == 2:
        return f"of its own size{limit}"
    if open_sizes:
        what = f"height {frame.height}" if frame.width < 0 else f"width {frame.width}"
        return f"scaled to {what}{limit}"
    size = f"{frame.width}x{frame.height}"
    match description.size:
        case "stretch":
            return f"stretched to {size}"
        case "letterbox":
            return f"in a letterbox of {size} on {numbers_text(description.pad or (0,))}"
        case "crop":
            first = f"short side {description.short}, " if description.short else ""
            return f"{first}cropped to {size}"


def resolve(descriptions: Descriptions, inputs: Sequence[PictureInput]) -> dict[str, Preprocess]:
    """The descriptions by the model's own names of its inputs, as far as they can take pictures.

    Raises AutosplitError for a name that is no input, and for an input that a description does not fit.
    """
    own: dict[str, Preprocess] = {}
    by_name = {bare(item.name): item for item in inputs}
    for name, description in descriptions.items():
        if not name:
            continue
        if bare(name) not in by_name:
            hint = choice(name, list(by_name))
            raise AutosplitError(f"preprocess: {name!r} is not an input of the model{hint}")
        item = replace(by_name[bare(name)], described=description)
        item.check()
        own[item.name] = description
    if "" not in descriptions:
        return own
    rest = [replace(item, described=descriptions[""]) for item in inputs if item.name not in own]
    taking = [item for item in rest if item.takes_pictures]
    if not taking:
        for item in rest:
            item.check()
        raise AutosplitError("preprocess: the model has no other input that it could describe")
    for item in taking:
        item.check()
        own[item.name] = descriptions[""]
    return own


# What reached an input


@dataclass
class Seen:
    """The numbers that reached an input."""

    low: float = float("inf")
    high: float = float("-inf")
    total: float = 0.0
    count: int = field(default=0)

    def add(self, array: Array) -> None:
        """Adds an array; one that holds no numbers does not count."""
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
