"""compilation.json: what a bmodel was compiled from, and for what; it lies beside the bmodel.

Imports the standard library only, so that a runner starts quickly. Compile scripts write the file, `autosplit
convert` too; docs/graph_infos.md describes it.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.devices.builds import full_mode
from autosplit.portable.networks import NetworkPort, RawPicture

RECORD_NAME = "compilation.json"
LOG_NAME = "compile.log"
REFUSED_BMODEL, REFUSED_RECORD = "refused.bmodel", "refused.json"
"""What a comparison refused and set aside, and its record."""
INPUT_REF_NAME = "input_ref_data.npz"
OUTPUT_REF_NAME = "output_ref_data.npz"

VERSION = 1
"""Of the file's form."""
UNKNOWN = "unknown"
"""The version of a tool chain that does not say which it is."""


@dataclass(frozen=True)
class Measure:
    """How far an output of the emulator was from the reference: the worst of the samples, and their mean."""

    cosine: float
    maximum: float
    relative: float
    samples: int
    mean_cosine: float
    mean_maximum: float
    mean_relative: float

    def to_json(self) -> dict[str, float | None]:
        """As it is recorded: JSON has no infinity, so there is `null` in its place."""
        figures: dict[str, float] = asdict(self)
        return {key: value if math.isfinite(value) else None for key, value in figures.items()}


@dataclass(frozen=True)
class Cost:
    """What a bmodel costs the chip."""

    commands: int
    """Bytes of the chip's commands."""
    weights: int
    """Bytes."""
    runtime: int
    """Bytes of device memory for inputs, outputs and what lies between."""
    milliseconds: float
    """The least time of a run, by the rates and the bandwidth in the chip's table."""
    simulated: float = 0.0
    """Milliseconds by the tool chain's own timing of each command; 0 for a chip of which it has none."""
    cause: str = ""
    """Which ops have the most commands, where these outweigh the weights."""

    @property
    def device(self) -> int:
        """Bytes of device memory in all."""
        return self.commands + self.weights + self.runtime


@dataclass(frozen=True)
class Compilation:
    """One compilation of a sub-model."""

    compiler: str
    """`tpu-mlir`, or the module of the vendor's older compiler, such as `bmneto`."""
    toolchain: str
    """The compiler's version."""
    chip: str
    """In lower case: `bm1684x`."""
    mode: str
    dynamic: bool
    optimize: int
    net: str
    """What the network is called in the bmodel."""
    inputs: tuple[NetworkPort, ...]
    """In the order of the network."""
    outputs: tuple[NetworkPort, ...]
    sources: Mapping[str, str]
    """SHA-256 of each file that was compiled, by its name in the folder of the bmodel."""
    build: Mapping[str, int] = field(default_factory=dict[str, int])
    """What else was asked of the tool chain: `cores`, `weight_bits`, `asymmetric`; see
    `toolchains.bmodel_compile.Build`."""
    recipe: str = ""
    """A digest of the commands of the compilation's steps; empty in records of older releases."""
    data: str = ""
    """A digest of what the calibration depends on; empty if there was none."""
    in_f32: tuple[str, ...] = ()
    """What is computed in f32 although the mode is a narrower one: each op, and why."""
    bmodel: str = ""
    """SHA-256 of the bmodel; empty before there is one."""
    comparison: Mapping[str, Measure] = field(default_factory=dict[str, Measure])
    """By tensor, what comparing with the reference found; empty if that was not done."""
    compared: str = ""
    """A digest of the data of the comparison."""
    refused: str = ""
    """Why the comparison refused it; stays where somebody accepted it all the same."""
    cost: Cost | None = None
    """None in records of older releases and of compile scripts that were run by hand."""

    @property
    def full_mode(self) -> str:
        """The mode with the bits of the weights, where these are narrower: W4F16."""
        return full_mode(self.mode, self.build)

    def same_job(self, other: Compilation) -> bool:
        """Whether both would make the same bmodel: same sources, options, steps, chip and tool chain.

        A tool chain of an unknown release is never the same.
        """
        return self.job() == other.job() and self.toolchain != UNKNOWN

    def job(self) -> Compilation:
        """The same record without the results of the compilation."""
        return replace(self, bmodel="", comparison={}, compared="", refused="", cost=None)

    def text(self) -> str:
        """The file's text; the same compilation gives the same text."""
        data: dict[str, Any] = {"version": VERSION, **asdict(self)}
        data["comparison"] = {name: result.to_json() for name, result in self.comparison.items()}
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def read_compilation(folder: Path, name: str = RECORD_NAME) -> Compilation | None:
    """What lies in the folder of a bmodel; None if there is no record.

    Raises AutosplitError for a record that cannot be read.
    """
    path = folder / name
    if path.is_symlink():
        raise AutosplitError(f"{path}: is a link, expected a file; {_REMOVE}")
    if not path.is_file():
        return None
    try:
        data: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise AutosplitError(f"{path}: cannot be read: {error}; {_REMOVE}") from None
    try:
        return _compilation(data)
    except (KeyError, TypeError, ValueError) as error:
        cause = f"has no {error}" if isinstance(error, KeyError) else str(error)
        raise AutosplitError(
            f"{path}: is not a record of a compilation: {cause}; {_REMOVE}"
        ) from None


_REMOVE = "compile again, with autosplit convert"


def _compilation(data: object) -> Compilation:
    entry = _object(data, "the file")
    if entry["version"] != VERSION:
        raise ValueError(f"version is {entry['version']!r}, this release knows {VERSION}")
    for key in ("dynamic", "optimize"):
        if not isinstance(entry[key], int):
            raise ValueError(f"{key} is {entry[key]!r}, expected a number")
    texts = {
        key: _text(entry[key], key)
        for key in ("compiler", "toolchain", "chip", "mode", "net", "bmodel")
    }
    sources = _object(entry["sources"], "sources").items()
    comparison = _object(entry.get("comparison", {}), "comparison").items()
    return Compilation(
        **texts,
        dynamic=bool(entry["dynamic"]),
        optimize=int(entry["optimize"]),
        inputs=_borders(entry["inputs"], "inputs"),
        outputs=_borders(entry["outputs"], "outputs"),
        sources={name: _text(value, f"sources of {name!r}") for name, value in sources},
        build=_numbers(entry.get("build", {}), "build"),
        recipe=_text(entry.get("recipe", ""), "recipe"),
        data=_text(entry.get("data", ""), "data"),
        in_f32=_texts(entry.get("in_f32", []), "in_f32"),
        comparison={name: _measure(value) for name, value in comparison},
        compared=_text(entry.get("compared", ""), "compared"),
        refused=_text(entry.get("refused", ""), "refused"),
        cost=_cost(entry.get("cost")),
    )


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {value!r}, expected an object")
    return cast("dict[str, Any]", value)


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} is {value!r}, expected a string")
    return value


def _numbers(value: object, what: str) -> dict[str, int]:
    numbers = _object(value, what)
    for key, number in numbers.items():
        if not isinstance(number, int):
            raise ValueError(f"{key} of {what} is {number!r}, expected a number")
    return numbers


def _texts(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{what} is {value!r}, expected a list")
    return tuple(_text(item, f"an entry of {what}") for item in cast("list[object]", value))


def _measure(value: object) -> Measure:
    entry = _object(value, "an entry of comparison")
    worst = {key: _figure(entry[key]) for key in ("cosine", "maximum", "relative")}
    # Older releases and compile scripts compare one sample.
    mean = {f"mean_{key}": _figure(entry.get(f"mean_{key}", value)) for key, value in worst.items()}
    return Measure(**worst, samples=int(entry.get("samples", 1)), **mean)


def _cost(value: object) -> Cost | None:
    if value is None:
        return None
    entry = _object(value, "cost")
    return Cost(
        int(entry["commands"]),
        int(entry["weights"]),
        int(entry["runtime"]),
        float(entry["milliseconds"]),
        float(entry["simulated"]),
        _text(entry["cause"], "cause of cost"),
    )


def _figure(value: object) -> float:
    """A number; `null` stands for infinity."""
    return math.inf if value is None else float(cast("float", value))


def _borders(value: object, what: str) -> tuple[NetworkPort, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{what} is {value!r}, expected a list")
    ports: list[NetworkPort] = []
    for item in cast("list[object]", value):
        entry = _object(item, f"an entry of {what}")
        shape = entry["shape"]
        if not isinstance(shape, list) or not all(
            type(d) is int for d in cast("list[object]", shape)
        ):
            raise ValueError(f"the shape of an entry of {what} is {shape!r}, expected sizes")
        ports.append(
            NetworkPort(
                _text(entry["tensor"], f"a tensor of {what}"),
                _text(entry["name"], f"a name of {what}"),
                tuple(cast("list[int]", shape)),
                _text(entry["dtype"], f"a dtype of {what}"),
                _text(entry.get("network_dtype", "float32"), f"a network_dtype of {what}"),
                *_scale(entry, what),
                _text(entry.get("reason", ""), f"a reason of {what}"),
                _raw(entry.get("raw")),
                *_scale(entry, what, "network_"),
            )
        )
    return tuple(ports)


def _raw(value: object) -> RawPicture | None:
    if value is None:
        return None
    entry = _object(value, "raw")
    mean, scale = (tuple(map(float, entry[key])) for key in ("mean", "scale"))
    color, given = (_text(entry[key], f"{key} of raw") for key in ("color", "given"))
    return RawPicture(mean, scale, color, given, bool(entry["last"]))


def _scale(entry: Mapping[str, Any], what: str, side: str = "") -> tuple[float, int]:
    step, zero_point = entry.get(f"{side}step", 0.0), entry.get(f"{side}zero_point", 0)
    if not isinstance(step, int | float) or not 0 <= step < float("inf"):
        raise ValueError(f"a {side}step of {what} is {step!r}, expected a number")
    if type(zero_point) is not int or not -128 <= zero_point <= 255:
        raise ValueError(f"a {side}zero_point of {what} is {zero_point!r}, expected -128 to 255")
    return float(step), zero_point


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return hashlib.sha256().hexdigest()
        # In one piece: between two a thread waits while another one computes.
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return hashlib.sha256(data).hexdigest()


def sha256_of(text: str) -> str:
    """SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest_files(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of files of a folder, by name."""
    return {name: sha256(folder / name) for name in names}
