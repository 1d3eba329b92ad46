"""The options and the result of `autosplit convert`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.calibration.table_files import is_equalized
from autosplit.core.errors import AutosplitError
from autosplit.devices.builds import full_mode
from autosplit.folder.compilation import Cost, Measure

if TYPE_CHECKING:
    from autosplit.core.printing import Show
    from autosplit.devices import Chip
    from autosplit.flows.quantizing.metrics import Metric
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.inputs.preprocess import Preprocess


COMPILERS = ("tpu-mlir", "bmnet")


UNSET_TARGET = "BM1682"
"""The documented default of `convert`, which means that no chip is given."""


SAMPLES = 8
"""Of which bmodels are compared with the CPU."""


TIMEOUT = 7200.0
"""Seconds that compiling, and then running, one sub-model may take."""


@dataclass(frozen=True)
class ConvertOptions:
    """The options of `autosplit convert`; see its help."""

    folder: Path
    target: str | None = None
    mode: str = ""
    """Empty: that which the folder was split for."""
    data: Sequence[str] = ()
    calibrator: str = ""
    """Which ranges INT8 has, one of `calibration.calibrators`; empty: `DEFAULT_CALIBRATOR`."""
    correct_biases: bool | None = None
    """Whether biases take back what rounding weights shifts, in INT8, see `top-correct-biases`; None: where
    ranges are measured, and the chip gains by it."""
    equalize: bool | None = None
    """Whether channels between two products are scaled, in INT8, see `submodel-equalize`; None: where all
    weights of a product have one step, or `table` was written so."""
    table: Path | None = None
    """A calibration table of TPU-MLIR with the ranges of INT8, in place of those of samples."""
    quantize_table: Path | None = None
    """A quantize table of TPU-MLIR: what is computed in another mode."""
    f32: Sequence[str] = ()
    """Regular expressions of the names of ops that are computed in f32."""
    target_cosine: float = 0.0
    """What the outputs of INT8 must reach, with as few ops as possible in another mode; 0: all is INT8."""
    optimize: int | None = None
    cores: int = 1
    """How many of the chip's cores work on a run."""
    weight_bits: int = 0
    """8 or 4: of the weights of products of matrices, which are computed in `mode`; 0: as many as there."""
    asymmetric: bool = False
    """Whether ranges in INT8 need not have 0 in their middle."""
    fuse_preprocess: str = ""
    """`rgb` or `bgr`: bmodels take the bytes of pictures, with the channels in this order; empty: numbers."""
    io: str = ""
    """`int8`: the model's own inputs and outputs are 8-bit integers where networks hold them so."""
    one_file: bool = False
    """Whether the bmodels become networks of one file too."""
    compare: bool = False
    samples: int = SAMPLES
    """How many samples of the data are compared at most; so many random ones where there is no data."""
    tolerance: Mapping[str, float] = field(default_factory=dict[str, float])
    """By output of a sub-model: the largest relative error, in place of what the mode allows."""
    metric: Metric | None = None
    """Decides in place of the outputs of each sub-model: what the whole model's outputs say."""
    target_metric: float = 0.0
    """What it must reach."""
    dynamic: bool = False
    jobs: int | None = None
    """How many sub-models are compiled at a time; None: one a core."""
    compiler: str = "tpu-mlir"
    timeout: float = TIMEOUT
    custom_ops: Libraries = ()
    """Libraries of ops that the framework does not have, in place of those that the folder holds."""
    only: Sequence[int] | None = None
    """The sub-models to compile, by index; None for all."""
    progress: Callable[[str], None] = lambda _: None
    """Called with the name of each step as it starts."""
    show: Show | None = None
    """Called with each pass that has run on a sub-model, and the module."""
    note: Callable[[str], None] = lambda _: None
    """Called with each line that the user should see."""
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    """What becomes of pictures, by input, where it is not what the folder says; the folder keeps it."""

    @property
    def build(self) -> dict[str, int]:
        """What is asked of the tool chain beside the mode, as `folder.compilation` records it."""
        numbers = {
            "cores": self.cores if self.cores != 1 else 0,
            "weight_bits": self.weight_bits,
            "asymmetric": int(self.asymmetric),
        }
        return {key: value for key, value in numbers.items() if value}

    @property
    def more_builds(self) -> list[str]:
        """What else a chip may not have, as the device tables call it."""
        flags = {
            "correct-biases": bool(self.correct_biases),
            "fuse-preprocess": self.fuse_preprocess,
            "one-file": self.one_file,
        }
        return [name for name, asked in flags.items() if asked]

    def settled(self, chip: Chip) -> ConvertOptions:
        """With what is left to the chip decided."""
        from autosplit.calibration.calibrators import DEFAULT_CALIBRATOR

        if self.mode != "INT8":
            return self
        corrects = self.correct_biases
        if corrects is None:
            corrects = bool(self.data) and self.table is None and "correct-biases" in chip.builds
        equalizes = self.equalize
        if equalizes is None:
            equalizes = chip.shifts_sums if self.table is None else is_equalized(self.table)
        calibrator = self.calibrator or DEFAULT_CALIBRATOR
        return replace(self, calibrator=calibrator, correct_biases=corrects, equalize=equalizes)

    @property
    def full_mode(self) -> str:
        """The mode with the bits of the weights: W4F16."""
        return full_mode(self.mode, self.build)


@dataclass
class Converted:
    """What became of one TPU sub-model."""

    name: str
    """`graph_N`, or `graph_N_bM` for M samples at once in a folder for several such numbers."""
    state: str
    """`compiled` now, `taken` from an earlier run, `failed`, `refused` by a comparison and set aside,
    `accepted` after that, or `constant` where nothing is to compile.
    """
    bmodel: Path
    seconds: float = 0.0
    """That the compiler took."""
    emission: float = 0.0
    """That making its input took."""
    size: int = 0
    """Of the bmodel, in bytes."""
    source_size: int = 0
    """Of what was compiled, in bytes."""
    comparison: Mapping[str, Measure] = field(default_factory=dict[str, Measure])
    """By tensor; empty if nothing was compared."""
    cost: Cost | None = None
    """None if that is not known."""
    error: str = ""
    """In one line; empty if it is neither `failed` nor `refused`."""

    @property
    def index(self) -> int:
        """The number of the sub-model."""
        return int(self.name.split("_")[1])


@dataclass
class ConvertResult:
    """What became of the TPU sub-models of a folder."""

    folder: Path
    chip: str
    mode: str
    compiler: str
    graphs: list[Converted] = field(default_factory=list[Converted])
    tolerance: Mapping[str, float] = field(default_factory=dict[str, float])
    """What was allowed, by output, in place of what the mode allows."""
    metric: str = ""
    """What decided on the whole model; empty if the outputs of each sub-model did."""
    target_metric: float = 0.0
    score: float | None = None
    """Of the metric, on the whole model; None if that was not asked for or not possible."""
    one_file: Path | None = None
    """Where the networks of all of them are in one file."""

    @property
    def failed(self) -> list[Converted]:
        """Those that failed, or were refused."""
        return [graph for graph in self.graphs if graph.error]

    def check(self) -> None:
        """Raises AutosplitError if a sub-model failed, with the first cause."""
        if not (failed := self.failed):
            return
        rest = Counter(graph.state for graph in failed[1:])
        others = "".join(f"; {count} more {state}" for state, count in rest.items())
        raise AutosplitError(failed[0].error + others)
