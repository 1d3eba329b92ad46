"""Samples of a model's inputs, as `--data` names them: arrays, archives of them, and pictures.

They are read one at a time, when they are needed; inputs that no file is given for are random, always the
same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from autosplit.core.casting import STRINGS, cast_input, dtype_by_name
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.files import load_arrays
from autosplit.core.units import counted
from autosplit.inputs.picture_input import PictureInput, Seen
from autosplit.inputs.preprocess import SUFFIXES
from autosplit.inputs.specs import InputSpec
from autosplit.inputs.value_inputs import random_array, random_value
from autosplit.inputs.value_types import ValueType, holds
from autosplit.inputs.values import Value, arrays_of

Array = NDArray[np.generic]


class SampledTensor(Protocol):
    """An input of a model, or of a folder of sub-models."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...] | None: ...
    @property
    def dtype(self) -> str | None: ...
    @property
    def value(self) -> ValueType | None: ...


class Sampled(Protocol):
    """What samples are read for."""

    @property
    def inputs(self) -> Sequence[str]: ...
    @property
    def tensors(self) -> Mapping[str, SampledTensor]: ...
    @property
    def dynamic(self) -> bool: ...
    def picture_input(self, name: str) -> PictureInput: ...


ALL = ""
"""Stands for all inputs together, where an archive holds whole samples."""


@dataclass(frozen=True)
class Part:
    """A part of a sample, that is read when it is needed."""

    read: Callable[[], dict[str, Value]]


@dataclass
class Data:
    """The samples that `--data` names; none if it is not given."""

    infos: Sampled
    parts: dict[str, list[Part]] = field(default_factory=dict[str, list[Part]])
    """By input, or for all inputs together: one part a sample."""
    files: list[tuple[str, Path]] = field(default_factory=list[tuple[str, Path]])
    pictures: dict[str, list[Path]] = field(default_factory=dict[str, list[Path]])
    """By input: the files that are pictures."""
    note: Callable[[str], None] = lambda _: None
    """Called after the first reading, with a line for each input about what reached it."""
    _noted: bool = False

    def __len__(self) -> int:
        return max((len(parts) for parts in self.parts.values()), default=0)

    @property
    def random(self) -> list[str]:
        """The inputs that no file is given for."""
        if ALL in self.parts:
            return []
        return [name for name in self.infos.inputs if name not in self.parts]

    def samples(self) -> Iterator[dict[str, Value]]:
        """The samples in order, or a random one where there are none; every input is checked."""
        seen: dict[str, Seen] = {}
        for index in range(max(1, len(self))):
            sample = self.sample(index)
            self._add_to(seen, sample)
            yield sample
        self._tell(seen, len(self))

    def some(self, most: int) -> Iterator[dict[str, Value]]:
        """The first samples, at most so many; as many random ones where there are none."""
        seen: dict[str, Seen] = {}
        count = min(most, len(self)) if len(self) else most
        for index in range(count):
            sample = self.sample(index)
            self._add_to(seen, sample)
            if index == count - 1:
                self._tell(seen, count)
            yield sample

    def sample(self, index: int) -> dict[str, Value]:
        """One of the samples; what no file is given for is random."""
        sample: dict[str, Value] = {}
        for parts in self.parts.values():
            sample |= parts[index].read()
        return {**random_feeds(self.infos, self.random, seed=index), **sample}

    def _add_to(self, seen: dict[str, Seen], sample: Mapping[str, Value]) -> None:
        for name in () if self._noted else sample:
            for _, array in arrays_of(name, sample[name]):
                seen.setdefault(name, Seen()).add(array)

    def _tell(self, seen: Mapping[str, Seen], count: int) -> None:
        """Notes, once, what reached the inputs that files were given for."""
        if self._noted or not len(self):
            return
        self._noted = True
        for name in self.infos.inputs:
            if name in seen and name not in self.random:
                self.note(self._line(name, seen[name], count))

    def _line(self, name: str, seen: Seen, count: int) -> str:
        first = "the first" + (f" {count}" if count > 1 else "")
        of = f"{first} of {len(self)}" if count < len(self) else str(count)
        if name in self.pictures:
            what = (
                f"{of} picture{'s' * (len(self) > 1)}, {self.infos.picture_input(name).done(name)}"
            )
        else:
            what = f"{of} array{'s' * (len(self) > 1)}"
        return f"input {name!r}: {what}" + (f": {seen}" if str(seen) else "")

    def digest(self) -> str:
        """A digest of all samples: of their files and names, and of what is done to pictures."""
        hashed = hashlib.sha256()
        for name, path in self.files:
            hashed.update(f"{name}\0{path.name}\0".encode())
            with path.open("rb") as file:
                hashed.update(hashlib.file_digest(file, "sha256").digest())
        for name in sorted(self.pictures):
            hashed.update(f"{name}\0{self.infos.picture_input(name)!r}\0".encode())
        return hashed.hexdigest()


def read_data(
    infos: Sampled, specs: Sequence[str], note: Callable[[str], None] = lambda _: None
) -> Data:
    """The samples that `--data` options name: `FILE`, `NAME=FILE` or a folder of files.

    A .npy file holds one array for an input, or several of them stacked in a further first dimension or in
    the batch; a .npz file one array for each input; of a picture an input is made as its description says,
    see `inputs.preprocess`. `note` is told what reached each input. Raises AutosplitError for what is not
    there or does not fit, and for pictures of which nothing says what becomes of them.
    """
    data = Data(infos, note=note)
    for spec in specs:
        name, path = _divide(infos, spec)
        for file in _files(path, spec):
            data.files.append((name, file))
            _add(data, name, file)
    for name, paths in data.pictures.items():
        data.parts.setdefault(name, []).extend(_batches(infos.picture_input(name), paths))
    _check_counts(data)
    return data


def _divide(infos: Sampled, spec: str) -> tuple[str, Path]:
    """`NAME=PATH` as the input's name and path, the name being empty if none is given."""
    if Path(spec).exists():
        return "", Path(spec)
    places = [i for i, c in enumerate(spec) if c == "=" and i]
    for place in places:
        if Path(spec[place + 1 :]).exists():
            return input_name(infos, spec[:place]), Path(spec[place + 1 :])
    if not places:
        raise AutosplitError(f"--data {spec}: there is no such file or folder")
    input_name(infos, spec[: places[0]])
    raise AutosplitError(f"--data {spec}: there is no file {spec[places[0] + 1 :]}")


def input_name(infos: Sampled, name: str) -> str:
    """The model's input of this name, with or without `:0`."""
    for own in infos.inputs:
        if own.removesuffix(":0") == name.removesuffix(":0"):
            return own
    hint = choice(name, list(infos.inputs))
    raise AutosplitError(f"--data: {name!r} is not an input of the model{hint}")


def _files(path: Path, spec: str) -> list[Path]:
    if path.is_file():
        return [path]
    wanted = {".npy", ".npz", *SUFFIXES}
    files = sorted(p for p in path.iterdir() if p.is_file() and p.suffix.lower() in wanted)
    if not files:
        raise AutosplitError(
            f"--data {spec}: the folder holds no .npy, .npz or image file, expected one a sample"
        )
    return files


def _add(data: Data, name: str, path: Path) -> None:
    """Adds the samples of one file."""
    infos = data.infos
    kind = path.suffix.lower()
    type = infos.tensors[name].value if name else None
    if kind == ".npz" and type is not None:
        part = Part(lambda: {name: _read_value(type, name, path)})
        data.parts.setdefault(name, []).append(part)
        return
    if kind == ".npz":
        data.parts.setdefault(ALL, []).append(Part(lambda: _read_npz(infos, path)))
        return
    name = name or _only_input(infos, path)
    tensor = infos.tensors[name]
    if kind in SUFFIXES:
        # What is missing is said before anything is computed.
        infos.picture_input(name).done(f"--data {path}")
        data.pictures.setdefault(name, []).append(path)
    elif kind == ".npy" and tensor.value is not None and tensor.value.array is None:
        raise AutosplitError(
            f"--data {path}: input {name!r} is {tensor.value.words}; give .npz files, as in "
            f"{name}={path.stem}.npz"
        )
    elif kind == ".npy":
        count = _count(tensor, _load(path), path, dynamic=infos.dynamic)
        data.parts.setdefault(name, []).extend(
            Part(lambda i=i: {name: _cast(tensor, _slice(tensor, _load(path), i, count), path)})
            for i in range(count)
        )
    else:
        raise AutosplitError(f"{path}: expected a .npy, .npz or image file")


def _batches(item: PictureInput, paths: Sequence[Path]) -> Iterator[Part]:
    """Pictures as samples, each of as many as a batch has."""
    size = max(item.frame.batch or 1, 1)
    for start in range(0, len(paths), size):
        taken = [*paths[start : start + size], *paths][:size]
        yield Part(lambda taken=taken: {item.name: item.read(*taken)})


def _only_input(infos: Sampled, path: Path) -> str:
    if len(infos.inputs) == 1:
        return infos.inputs[0]
    raise AutosplitError(
        f"--data {path}: the model has {counted(len(infos.inputs), 'input')}, name the one as in "
        f"NAME={path.name}, or give .npz files; they are {', '.join(infos.inputs)}"
    )


def _check_counts(data: Data) -> None:
    if ALL in data.parts and len(data.parts) > 1:
        raise AutosplitError("--data: give .npz files with all inputs, or a file for each input")
    counts = {name: len(parts) for name, parts in data.parts.items()}
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{n} of {name!r}" for name, n in counts.items())
        raise AutosplitError(f"--data: found {shown}; expected as many samples of each input")


def _load(path: Path) -> Array:
    try:
        loaded: object = load_arrays(path, mmap_mode="r")
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise AutosplitError(f"--data: cannot read {path}: {error}") from None
    if not isinstance(loaded, np.ndarray):
        raise AutosplitError(f"--data: {path} is an archive, expected one array")
    return cast("Array", loaded)


def _read_archive(path: Path) -> dict[str, Array]:
    try:
        loaded: Any = load_arrays(path)
        return {name: loaded[name] for name in loaded.files}
    except Exception as error:
        # Members are read here: a damaged one ends zlib, zipfile or numpy in many ways.
        raise AutosplitError(f"--data: cannot read {path}: {error}") from None


def _read_value(type: ValueType, name: str, path: Path) -> Value:
    """The value of an input that takes no array: what `flat` makes arrays of, or a list of them."""
    arrays = _read_archive(path)
    what = f"{path}: input {name!r}"
    if not arrays or holds(arrays, name):
        return type.fitted(type.gathered(name, arrays), what)
    if type.kind == "map":
        raise AutosplitError(f"{what} is a map, expected the arrays {name}.keys and {name}.values")
    return type.fitted(list(arrays.values()), what)


def _read_npz(infos: Sampled, path: Path) -> dict[str, Value]:
    arrays = _read_archive(path)
    whole = {n: type for n in infos.inputs if (type := infos.tensors[n].value) is not None}
    values: dict[str, Value] = {name: type.gathered(name, arrays) for name, type in whole.items()}
    parts = {part for name, value in values.items() for part, _ in arrays_of(name, value)}
    named = {input_name(infos, n): array for n, array in arrays.items() if n not in parts}
    if missing := [name for name in infos.inputs if name not in {**named, **values}]:
        raise AutosplitError(f"--data: {path} has no array {missing[0]!r}, expected all inputs")
    for name, array in named.items():
        if name in values:
            raise AutosplitError(
                f"--data: {path}: input {name!r} is {whole[name].words}; expected its arrays as "
                "`autosplit run -o` writes them"
            )
        _count(infos.tensors[name], array, path, dynamic=infos.dynamic, most=1)
        values[name] = _cast(infos.tensors[name], array, path)
    return values


def _count(
    tensor: SampledTensor, array: Array, path: Path, *, dynamic: bool, most: int | None = None
) -> int:
    """How many samples an array holds. Raises if its values or shape are not the input's."""
    _cast(tensor, array, path)
    shape = tensor.shape
    if shape is None or _fits(array.shape, shape, dynamic=dynamic):
        return 1
    stacked = _fits(array.shape[1:], shape, dynamic=dynamic)
    batched = array.ndim == len(shape) and _fits(array.shape[1:], shape[1:], dynamic=False)
    if most is None and stacked and len(array):
        return len(array)
    if most is None and batched and shape[0] > 0 and len(array) and len(array) % shape[0] == 0:
        return len(array) // shape[0]
    what = "at most" if dynamic else "expected"
    raise AutosplitError(
        f"{path}: found shape {list(array.shape)}, {what} {list(shape)} for input {tensor.name!r}"
    )


def _fits(actual: Sequence[int], expected: Sequence[int], *, dynamic: bool) -> bool:
    return len(actual) == len(expected) and all(
        e < 0 or f == e or (dynamic and 0 < f <= e) for f, e in zip(actual, expected, strict=True)
    )


def _cast(tensor: SampledTensor, array: Array, path: Path) -> Array:
    """The array in the input's dtype, see `autosplit.core.casting`."""
    if tensor.dtype is None:
        return array
    return cast_input(array, tensor.dtype, f"{path}: input {tensor.name!r}")


def _slice(tensor: SampledTensor, array: Array, index: int, count: int) -> Array:
    """Sample `index` of `count` in an array, in the array's dtype."""
    if tensor.shape is None or (count == 1 and array.ndim == len(tensor.shape)):
        return np.array(array)
    if array.ndim > len(tensor.shape):
        return np.array(array[index])
    batch = len(array) // count
    return np.array(array[index * batch : (index + 1) * batch])


def random_feeds(
    infos: Sampled,
    names: Sequence[str],
    option: str = "--data ",
    specs: Mapping[str, InputSpec] | None = None,
    seed: int = 0,
) -> dict[str, Value]:
    """Seeded random arrays for inputs of the model, with their own shapes and dtypes or those in `specs`.

    Where it is known what becomes of pictures, random ones are used. Raises AutosplitError if a
    shape or a dtype is unknown, for strings, and for another dtype than the model's.
    """
    random = np.random.default_rng(seed)
    feeds: dict[str, Value] = {}
    for name in names:
        tensor = infos.tensors[name]
        if tensor.value is not None:
            feeds[name] = random_value(random, tensor.value, name, option)
            continue
        spec = (specs or {}).get(name) or InputSpec()
        shape = tensor.shape if spec.shape is None else spec.shape
        if shape is None and spec.dtype is not None:
            # A dtype alone of an input of which nothing else is known.
            shape = ()
        dtype = tensor.dtype or spec.dtype
        if spec.dtype not in (None, dtype):
            raise AutosplitError(f"input {name!r}: found dtype {spec.dtype}, expected {dtype}")
        if shape is None or -1 in shape or dtype in (None, *STRINGS):
            what = "holds strings" if dtype in STRINGS else "has no dtype that is known"
            if shape is None or -1 in shape:
                what = "has no fixed shape"
            raise AutosplitError(
                f"input {name!r} {what}, so random input will not do; give it, as in "
                f"{option}{name}=file.npy"
            )
        uniform = random_array(random, shape, dtype_by_name(dtype))
        feeds[name] = infos.picture_input(name).spread(uniform)
    return feeds
