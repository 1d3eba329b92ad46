"""The chips that sub-models can be compiled for: one TOML table each, beside this file.

Every number in a table says where it comes from: a data sheet, the tool chain, a measurement, or an
assumption that waits to be measured. A new chip is a new table and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from autosplit.core.errors import AutosplitError, nearest
from autosplit.devices.builds import split_mode

DEFAULT_CHIP = "bm1684"
"""The chip that everything is for where none is named."""

DEFAULT_KEEP = 0.99
"""The share of the possible work that a chip must get, where none is given.

A chip is about twenty times as fast as the CPU beside it: 5 % of the work on the CPU would take as long
as all the rest on the chip.
"""

LEVELS = 127
"""Steps of 8 bits in one direction, as all chips have them."""

KINDS = ("data sheet", "tool chain", "measured", "assumption")
"""What the source of a figure may be, from the most to the least trustworthy."""

FIGURES = (
    "cores",
    "f32_rate",
    "i8_rate",
    "lanes",
    "local_memory",
    "memory",
    "memory_bandwidth",
    "link_bandwidth",
    "link_latency",
    "launch",
    "max_rank",
)
"""The figures that every table has. Rates in other dtypes come as `<dtype>_rate`."""

WORKAROUNDS = {
    "abs-wraps": "in INT8 computes absolute values in f32",
    "conv-planes": "writes a Conv of three dimensions as one of two dimensions",
    "deconv-bias": "in INT8 adds the bias behind a ConvTranspose; writes its dilations, and those of a "
    "depthwise Conv, as zeros in the kernel",
    "factor-factor": "in INT8 copies a product with a number if it is multiplied by another number",
    "factor-relu": "in INT8 copies a product with a number if a Relu follows",
    "fill-range": "in INT8 multiplies by masks instead of filling",
    "fused-attention": "in F16 and BF16 copies the weights of an attention for its product with the values",
    "half-attention": "in F32 copies the result of an attention for the projection behind it",
    "keepdims": "refuses ArgMax and ArgMin with keepdims = 1 if sizes vary",
    "last-maximum": "searches for the last of equal maxima; for the first, in reversed rows",
    "moved-relu": "in INT8 copies what a Reshape, Transpose, Concat or DepthToSpace makes if a Relu follows",
    "part-output": "in INT8 copies outputs of a Split or Slice",
    "picture-products": "in F16 and BF16 multiplies pictures by a matrix as rows of pixels",
    "pooled-rows": "reduces rows instead of pooling with kernels of their length",
    "resize-relu": "in INT8 copies the result of a Resize if a Relu follows",
    "rms-norm": "divides by a root instead of multiplying by its reciprocal",
    "row-softmax": "in INT8 computes a Softmax of two dimensions along the last of three",
    "signed-products": "in INT8 calibrates positive products as if they were signed, if sizes vary",
    "signed-sums": "in INT8 calibrates positive products and convolutions as if they were signed",
    "varying-kernels": "if sizes vary, when it writes ops out, compares by a steep slope, divides 1 by "
    "numbers, adds negated numbers, and uses a LeakyRelu of slope 0 instead of a Relu",
    "whole-ranges": "in INT8 does not cut ranges in front of ops that are flat beyond some limit",
}
"""What conversions can do differently for a chip, because the tool chain gets the usual form wrong."""

LIMITS = {
    "conv-stride": "longest stride of a Conv (longer ones are written in pieces)",
    "deconv-kernel": "longest kernel of a ConvTranspose",
    "found-places": "largest number of maxima or minima that one op searches for",
    "gru-copies": "number of copies that a GRU keeps of its operand's weights",
    "gru-lane": "largest number of bytes that a GRU keeps in a lane",
    "int8-row": "longest row of the result of a Flatten or Reshape in INT8",
    "lstm-lane": "largest number of bytes that an LSTM keeps in a lane",
    "reduced-rows": "largest number of rows that are reduced (more become columns)",
}
"""Sizes up to which the tool chain handles ops well, on some chips."""

BUILDS = {
    "asymmetric": "ranges in INT8 whose middle is not 0 (`--asymmetric`)",
    "cores": "several cores that work on one run (`--cores`)",
    "correct-biases": "biases that take back what rounding weights shifts (`--correct-biases`)",
    "fuse-preprocess": "bmodels that take the bytes of pictures (`--fuse-preprocess`)",
    "one-file": "the bmodels of a folder in one file (`--one-file`)",
    "W4BF16": "weights of 4 bits in BF16 (`--mode W4BF16`)",
    "W4F16": "weights of 4 bits in F16 (`--mode W4F16`)",
    "W4INT8": "weights of 4 bits in INT8 (`--mode W4INT8`)",
    "W8BF16": "weights of 8 bits in BF16 (`--mode W8BF16`)",
    "W8F16": "weights of 8 bits in F16 (`--mode W8F16`)",
}
"""What the tool chain can build besides the modes, for some chips."""

_NOT_HERE = {
    "bm1690": (
        "chip 'BM1690' has no device table: TPU-MLIR 1.30.2 builds for it, but its emulator runs under "
        "another runtime (libtpuv7_modelrt), so nothing was measured; give --target bm1684, bm1684x or bm1688"
    ),
    "cv186x": (
        "chip 'CV186X' has no device table: TPU-MLIR 1.30.2 builds for it, and BM1688's emulator computes a "
        "small CNN for it right in F16 and INT8, but its ops were not measured; give --target bm1684, "
        "bm1684x or bm1688"
    ),
    "bm1682": (
        "chip 'BM1682' has no device table: the compiler that knew it is gone and TPU-MLIR does not "
        "build for it; give --target bm1684, bm1684x or bm1688"
    ),
    "bm1680": (
        "chip 'BM1680' has no device table: TPU-MLIR does not build for it; give --target bm1684, "
        "bm1684x or bm1688"
    ),
}


@dataclass(frozen=True)
class Figure:
    """One number of a device table, its unit, and where it comes from."""

    value: float
    unit: str
    kind: str
    """One of `KINDS`."""
    source: str


@dataclass(frozen=True)
class Limit:
    """A size up to which the tool chain takes an op well, and the evidence."""

    value: int
    source: str


@dataclass(frozen=True)
class Chip:
    """What the compiler knows of one chip."""

    name: str
    """As targets spell it, in lower case: `bm1684x`."""
    vendor_name: str
    """As the vendor spells it: `BM1684X`."""
    modes: Mapping[str, str]
    """Modes that the tool chain builds, and the dtype that each computes in: `{"F16": "f16"}`."""
    modes_source: str
    float_dtypes: tuple[str, ...]
    """Element types that a floating-point tensor of a sub-model may have."""
    host_ops: Mapping[str, str]
    """ONNX ops that the tool chain takes and then leaves to the host, with the evidence."""
    missing_ops: Mapping[str, str]
    """ONNX ops that the tool chain lowers for other chips only, with the evidence."""
    dynamic_ops: Mapping[str, str]
    """ONNX ops that make their sub-model dynamic, with the evidence."""
    varying_ops: Mapping[str, str]
    """ONNX ops that are right in sub-models whose sizes vary, with the evidence."""
    fixed_ops: Mapping[str, str]
    """ONNX ops that are right there as long as their own sizes do not vary, with the evidence."""
    varying_forms: Mapping[str, str]
    """Forms of both that are not right there, with the evidence; `convert_onnx_to_top/varying.py` says what
    they are."""
    wrong_varying: Mapping[str, Mapping[str, str]]
    """By mode: op types, and forms of them as above, that are not right in such sub-models in that mode,
    with the evidence."""
    f32_varying: Mapping[str, Mapping[str, str]]
    """By narrower mode: op types, and forms of them as above, that are computed in f32 in such sub-models,
    with the evidence."""
    dynamic_forms: Mapping[str, str]
    """Forms of ops that make their sub-model dynamic, with the evidence; `convert_onnx_to_top/forms.py` says
    what they are."""
    wrong_forms: Mapping[str, Mapping[str, str]]
    """By mode: forms of ops that the tool chain gets wrong on this chip, with the evidence. What is wrong in
    F32 is refused in every mode."""
    f32_forms: Mapping[str, Mapping[str, str]]
    """By narrower mode: op types and forms of ops that are computed in f32 all the same, with the evidence;
    `convert_onnx_to_top/precision.py` knows what else is."""
    workarounds: Mapping[str, str]
    """Which of `WORKAROUNDS` conversions do for this chip, with the evidence."""
    spoiling: Mapping[str, str]
    """Kinds of Top ops whose kernels may compute in their operand's memory, with the evidence."""
    limits: Mapping[str, Limit]
    """Which of `LIMITS` the chip has."""
    builds: Mapping[str, str]
    """Which of `BUILDS` the tool chain has for the chip, with the evidence."""
    no_builds: Mapping[str, str]
    """Which of `BUILDS` it has not, and why."""
    figures: Mapping[str, Figure]

    @property
    def shifts_sums(self) -> bool:
        """Whether sums of 8-bit products are only shifted: steps of weights depend on those of results."""
        return "signed-sums" in self.workarounds

    def limit(self, name: str) -> int | None:
        """The value of one of `LIMITS`; None if the chip has no such limit."""
        limit = self.limits.get(name)
        return None if limit is None else limit.value

    def figure(self, name: str) -> float:
        """The value of a figure. Raises KeyError if the table has none of that name."""
        return self.figures[name].value

    def rate(self, dtype: str) -> float:
        """Operations (two to a multiply-add) a second in `dtype`, at most.

        Raises AutosplitError if the chip does not compute in that dtype.
        """
        if (figure := self.figures.get(f"{dtype}_rate")) is not None:
            return figure.value
        computes = ", ".join(sorted(set(self.modes.values())))
        raise AutosplitError(f"{self.vendor_name} does not compute in {dtype}, only in {computes}")

    @property
    def max_rank(self) -> int:
        return int(self.figure("max_rank"))

    @property
    def memory(self) -> int:
        """Bytes of device memory."""
        return int(self.figure("memory"))

    @property
    def cores(self) -> int:
        """Cores that share the rates; a network runs on one of them, unless it was compiled for more."""
        return int(self.figure("cores"))

    @property
    def lanes(self) -> int:
        """Parts of a core that compute beside each other, each with a local memory of its own."""
        return int(self.figure("lanes"))

    @property
    def local_memory(self) -> int:
        """Bytes of on-chip memory."""
        return int(self.figure("local_memory"))

    @property
    def memory_bandwidth(self) -> float:
        """Bytes a second between device memory and the chip."""
        return self.figure("memory_bandwidth")

    @property
    def link_bandwidth(self) -> float:
        """Bytes a second between host and device, each way."""
        return self.figure("link_bandwidth")

    @property
    def link_latency(self) -> float:
        """Seconds that a transfer takes beside its bytes."""
        return self.figure("link_latency")

    @property
    def launch(self) -> float:
        """Seconds that starting a sub-model takes."""
        return self.figure("launch")


@cache
def chip_names() -> tuple[str, ...]:
    """The names of all chips, sorted."""
    return tuple(sorted(p.stem for p in Path(__file__).parent.glob("*.toml")))


@cache
def _load(name: str) -> Chip:
    # Command lines import this module for a name alone.
    import tomllib

    path = Path(__file__).parent / f"{name}.toml"
    with path.open("rb") as file:
        return read_table(tomllib.load(file), path.name)


def get_chip(name: str) -> Chip:
    """The chip called `name`, in any case.

    Raises AutosplitError with the nearest name where there is none.
    """
    key = name.strip().lower()
    if key in chip_names():
        return _load(key)
    if key in _NOT_HERE:
        raise AutosplitError(_NOT_HERE[key])
    names = list(chip_names())
    raise AutosplitError(
        f"chip {name!r} is unknown{nearest(key, names)}; expected one of {', '.join(names)}"
    )


def check_mode(chip: Chip, mode: str) -> None:
    """Raises AutosplitError if the tool chain does not build `mode` for a chip."""
    if (base := split_mode(mode)[0]) != mode:
        raise AutosplitError(
            f"mode {mode}: is for convert and deploy, which narrow the weights; here it is {base}"
        )
    if mode not in chip.modes:
        raise AutosplitError(
            f"mode {mode}: {chip.vendor_name} computes in {' and '.join(chip.modes)} only; choose one of "
            "these with --mode, or another chip with --target"
        )


def all_chips() -> tuple[Chip, ...]:
    """All chips, sorted by name."""
    return tuple(_load(name) for name in chip_names())


def read_table(table: Mapping[str, Any], where: str) -> Chip:
    """Makes a chip of a parsed TOML table.

    Raises AutosplitError that names `where` and the key, for a table that is not complete.
    """
    try:
        chip = Chip(
            name=table["name"],
            vendor_name=table["vendor_name"],
            modes=dict(table["modes"]),
            modes_source=table["modes_source"],
            float_dtypes=tuple(table["float_dtypes"]),
            host_ops=dict(table["host_ops"]),
            missing_ops=dict(table["missing_ops"]),
            dynamic_ops=dict(table["dynamic_ops"]),
            varying_ops=dict(table["varying_ops"]),
            fixed_ops=dict(table["fixed_ops"]),
            varying_forms=dict(table["varying_forms"]),
            wrong_varying={mode: dict(ops) for mode, ops in table["wrong_varying"].items()},
            f32_varying={mode: dict(ops) for mode, ops in table["f32_varying"].items()},
            dynamic_forms=dict(table["dynamic_forms"]),
            wrong_forms={mode: dict(forms) for mode, forms in table["wrong_forms"].items()},
            f32_forms={mode: dict(forms) for mode, forms in table["f32_forms"].items()},
            workarounds=dict(table["workarounds"]),
            spoiling=dict(table["spoiling"]),
            limits={
                key: Limit(int(entry["value"]), entry["source"])
                for key, entry in cast("Mapping[str, dict[str, Any]]", table["limits"]).items()
            },
            builds=dict(table["builds"]),
            no_builds=dict(table["no_builds"]),
            figures={
                key: Figure(float(f["value"]), f["unit"], f["kind"], f["source"])
                for key, f in cast("Mapping[str, dict[str, Any]]", table["figures"]).items()
            },
        )
    except KeyError as missing:
        raise AutosplitError(f"{where}: device table has no key {missing}") from None
    _check_table(chip, where)
    return chip


def _check_table(chip: Chip, where: str) -> None:
    """Raises AutosplitError if a table speaks of what nobody knows, or leaves something out."""
    for key, modes in (
        ("wrong_forms", chip.wrong_forms),
        ("wrong_varying", chip.wrong_varying),
        ("f32_forms", chip.f32_forms),
        ("f32_varying", chip.f32_varying),
    ):
        for mode in modes:
            if mode not in chip.modes:
                raise AutosplitError(
                    f"{where}: {key} speaks of mode {mode!r}, expected one of {', '.join(chip.modes)}"
                )
    for section, entries, keys in (
        ("workarounds", chip.workarounds, WORKAROUNDS),
        ("limits", chip.limits, LIMITS),
        ("builds and no_builds", [*chip.builds, *chip.no_builds], BUILDS),
    ):
        for key in entries:
            if key not in keys:
                raise AutosplitError(
                    f"{where}: {section} has {key!r}, expected one of {', '.join(keys)}"
                )
    for key in BUILDS:
        if (key in chip.builds) == (key in chip.no_builds):
            raise AutosplitError(f"{where}: expected {key!r} in one of builds and no_builds")
    for key in (*FIGURES, *(f"{dtype}_rate" for dtype in chip.modes.values())):
        if key not in chip.figures:
            raise AutosplitError(f"{where}: device table has no figure {key!r}")
    for key, figure in chip.figures.items():
        if figure.kind not in KINDS:
            raise AutosplitError(
                f"{where}: figure {key!r} is of kind {figure.kind!r}, expected one of "
                f"{', '.join(KINDS)}"
            )
        if figure.value <= 0:
            raise AutosplitError(f"{where}: figure {key!r} is {figure.value}, expected more than 0")
