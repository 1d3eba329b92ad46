"""The ranges of a sub-model's values over given data: what INT8 needs to know.

The range that a value has over all samples is its line in a calibration table. Lines go by the names that
TPU-MLIR asks for, those that its first step leaves of a module.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.calibration.biases import ReadMeans
from autosplit.calibration.calibrators import CALIBRATORS, Histogram, RangeFinder
from autosplit.calibration.table_files import Range, modes_table, table_text
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import first_of
from autosplit.devices import LEVELS
from autosplit.toolchains.bmodel_compile import FIRST, OPTIMIZE, OPTIMIZED, reduced_cause, tied
from autosplit.toolchains.tpu_mlir import discover

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from autosplit.devices import Chip
    from autosplit.dialects.top import TopOp
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]

MEMORY = 1 << 28
"""Bytes of values that are held at a time; a model with more is run more than once a sample."""

MINMAX = "minmax"
"""The calibrator whose ranges are all that values had."""

TIMEOUT = 3600.0
"""Seconds for one of TPU-MLIR's steps."""


@dataclass(frozen=True)
class Tables:
    """What TPU-MLIR needs to know for a sub-model in INT8, as texts of files."""

    calibration: str
    """The range of each value."""
    module: ModuleOp
    """As TPU-MLIR's first step leaves it: both tables go by its names."""
    ranges: Mapping[str, Range]
    """The ranges in the calibration table."""
    modes: Mapping[str, str]
    """The values that are computed in another mode than INT8, by name."""
    tail: tuple[str, ...] = ()
    """Those of them that are in f32 because they come after the last op with weights."""
    stated: Stated = field(default_factory=lambda: Stated())
    """What was stated of the module's values."""
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why values have other modes, where there is more to say."""
    means: Mapping[str, Sequence[float]] = field(default_factory=dict[str, "Sequence[float]"])
    """The means of the channels that products read, by the names of their biases."""
    first: Mapping[str, Array] = field(default_factory=dict[str, "Array"])
    """What the module returns for the first sample, by name; empty where no sample was looked at."""

    biases: Mapping[str, tuple[Array, Array]] = field(
        default_factory=dict[str, "tuple[Array, Array]"]
    )
    """What takes back the mean of what rounding weights shifts: biases by name, as they are and corrected."""

    def biases_of_rounded(self) -> dict[str, tuple[Array, Array]]:
        """Those of products that round their weights: those in real numbers lose nothing."""
        from autosplit.lowering.top.correct_biases import bias_name, correctable_products

        products = correctable_products(self.module) if self.biases else ()
        rounded = [bias_name(op) for op in products if self.modes.keys().isdisjoint(op.names)]
        return {name: self.biases[name] for name in rounded if name in self.biases}

    @property
    def quantize(self) -> str:
        """Which values are computed in another mode; empty where there are none."""
        return modes_table(self.modes, self.reasons)


@dataclass(frozen=True)
class Stated:
    """What is stated of a module's values, by the names that TPU-MLIR's first step leaves."""

    ranges: Mapping[str, Range] = field(default_factory=dict[str, Range])
    """Ranges that are taken as they are."""
    modes: Mapping[str, str] = field(default_factory=dict[str, str])
    """What values are computed in; INT8 for one that would else be in f32 because it comes after the
    last op with weights."""
    table: str = ""
    """The file of the ranges, for messages."""


def tables(
    module: ModuleOp,
    samples: Iterable[Mapping[str, Array]],
    toolchain: TpuMlir | None = None,
    kept: Container[str] = (),
    watch: Callable[[int], None] | None = None,
    known: Mapping[str, Range] | None = None,
    chip: Chip | None = None,
    calibrator: str = MINMAX,
    stated: Callable[[ModuleOp], Stated] = lambda _: Stated(),
    written: Path | None = None,
    correct_biases: bool = False,
) -> Tables:
    """A Top module's tables, by the ranges that a calibrator finds over all samples.

    A sample is an array for each input by its name in the module. `kept` as for `float_tail`. `watch` is
    called with the number of samples that are done. `known`: ranges that are taken instead of what the
    samples show, by name, as those that a quantized model states. `chip` says what its ranges need, see
    `useful_ranges`, `signed_sums` and `signed_products`. `stated` is called with the module that
    TPU-MLIR's first step leaves; where it states all ranges, no sample is asked for. `written` as for
    `optimized`.
    `correct_biases`: whether the tables have means, too; that takes samples. Raises
    AutosplitError without samples, and for one that does not fit or makes numbers that are not finite.
    """
    from autosplit.dialects.top import TopOp, is_dynamic
    from autosplit.lowering.top.correct_biases import bias_name, correctable_products
    from autosplit.lowering.top.f32_values import f32_values

    top = optimized(module, toolchain, written)
    in_f32 = f32_values(module)
    claims = stated(top)
    tail = [name for name in float_tail(top, kept) if claims.modes.get(name) != "INT8"]
    names = {name for op in top.walk() if isinstance(op, TopOp) for name in op.names}
    modes = dict.fromkeys(tail, "F32")
    modes |= {name: mode for name, mode in claims.modes.items() if mode != "INT8"}
    modes |= {name: "F32" for name in in_f32 if name in names}
    needed = ranged_values(top)
    if claims.ranges and all(name in claims.ranges for name in needed):
        ranges = {name: claims.ranges[name] for name in needed}
        text = table_text(ranges, 0, f"as {Path(claims.table).name} says")
        return Tables(text, top, ranges, modes, tuple(tail), claims)
    products = correctable_products(top) if correct_biases else {}
    watched = ReadMeans(products.values())
    seen = Calibrator(top, in_f32=frozenset(in_f32), method=calibrator, watched=watched)
    for feeds in samples:
        seen.update(feeds)
        if watch is not None:
            watch(seen.samples)
    if claims.ranges and not seen.samples:
        raise _incomplete(claims, [name for name in needed if name not in claims.ranges])
    seen.settle()
    if chip is None or "whole-ranges" not in chip.workarounds:
        seen.ranges |= useful_ranges(top, seen.ranges)
    if chip is not None and chip.shifts_sums:
        seen.ranges |= signed_sums(top, seen.ranges)
    if chip is not None and "signed-products" in chip.workarounds and is_dynamic(module):
        seen.ranges |= signed_products(top, seen.ranges)
    seen.ranges |= {n: r for n, r in (known or {}).items() if n in seen.ranges}
    seen.ranges |= {n: r for n, r in claims.ranges.items() if n in seen.ranges}
    means = {bias_name(op): watched.means[read].means() for op, read in products.items()}
    return Tables(
        seen.table(), top, seen.ranges, modes, tuple(tail), claims, means=means, first=seen.first
    )


def ranged_values(module: ModuleOp) -> list[str]:
    """The names of the values that a table has a range for, in order."""
    from xdsl.dialects.builtin import NoneType

    from autosplit.dialects.top import TopOp
    from autosplit.lowering.convert_top_to_onnx import top_function

    names: list[str] = []
    for op in top_function(module).body.block.ops:
        if not isinstance(op, TopOp) or op.kind in ("None", "Weight"):
            continue
        all_named = len(op.names) == len(op.outputs)
        there = [not isinstance(value.type, NoneType) or not all_named for value in op.outputs]
        names += [name for name, is_there in zip(op.names, there, strict=False) if is_there]
    return names


def _incomplete(claims: Stated, missing: list[str]) -> AutosplitError:
    values = first_of([*map(repr, missing)], 1)
    return AutosplitError(
        f"{claims.table}: has no range for {values}; give samples, as in --data photos/, from which these "
        "follow"
    )


def calibrate(
    module: ModuleOp,
    samples: Iterable[Mapping[str, Array]],
    toolchain: TpuMlir | None = None,
    watch: Callable[[int], None] | None = None,
) -> str:
    """The calibration table alone, for a sub-model that is all INT8."""
    return tables(module, samples, toolchain, (), watch).calibration


def optimized(
    module: ModuleOp, toolchain: TpuMlir | None = None, written: Path | None = None
) -> ModuleOp:
    """A Top module as TPU-MLIR's first step leaves it: its names are those of the calibration table.

    `written`: the file of the module's text, with its weights beside it, where there is one; what the step
    makes is then left for its compilation, in the folder `OPTIMIZED` beside it.
    """
    from autosplit.formats.top_mlir.reader import read_top
    from autosplit.formats.top_mlir.writer import write_top

    toolchain = toolchain or discover()
    # The weights are read from this folder when they are asked for, so that it has to stay.
    folder = tempfile.TemporaryDirectory(prefix="autosplit-")
    path = Path(folder.name)
    if written is None:
        source, weights = write_top(module, path, "model")
    else:
        weights = written.with_name(f"{written.stem}_weights.npz")
        source = path / written.name
        for file in (written, weights):
            (path / file.name).symlink_to(file.absolute())
    command = [str(toolchain.tpuc_opt), source.name, *OPTIMIZE, "-o", FIRST]
    run_step(command, path, toolchain.environment())
    if written is not None:
        files = (file for file in path.iterdir() if not file.is_symlink())
        shutil.rmtree(written.with_name(OPTIMIZED), ignore_errors=True)
        written.with_name(OPTIMIZED).mkdir()
        for file in files:
            # Weights are read from the folder as long as the module lives.
            shutil.copyfile(file, written.with_name(OPTIMIZED) / file.name)
    top = read_top(path / FIRST)
    _keep(top, folder)
    return top


def _keep(module: ModuleOp, folder: tempfile.TemporaryDirectory[str]) -> None:
    """The folder goes with the module."""
    weakref.finalize(module, folder.cleanup)


def run_step(command: list[str], folder: Path, env: Mapping[str, str]) -> None:
    """Runs one of TPU-MLIR's steps in `folder`. Raises AutosplitError with its own message where it fails."""
    failed = "lowering with TPU-MLIR, for INT8, failed"
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
            preexec_fn=tied(),
        )
    except subprocess.TimeoutExpired:
        raise AutosplitError(f"{failed}: it was not done after {TIMEOUT:g} s") from None
    except OSError as e:
        raise AutosplitError(f"{failed}: {command[0]}: {e.strerror}") from e
    if done.returncode:
        cause, _ = reduced_cause(done.stdout + done.stderr)
        raise AutosplitError(f"{failed} ({done.returncode}): {cause}")


class Calibrator:
    """Takes in one sample after the other, and gives the table.

        calibrator = Calibrator(module)
        for feeds in samples:
            calibrator.update(feeds)
        text = calibrator.table()

    The module, one of Top, is run in ONNX Runtime. No sample is kept, and no more than `memory` bytes of the
    model's values are held at a time. Values `in_f32` need not be finite. `method`: one of `CALIBRATORS`;
    any but `minmax` decides in `settle`. `watched` sees each value, too. Raises
    AutosplitError for an unknown method.
    """

    def __init__(
        self,
        module: ModuleOp,
        memory: int = MEMORY,
        in_f32: Container[str] = frozenset(),
        method: str = MINMAX,
        watched: ReadMeans | None = None,
    ):
        from autosplit.core.weights import store_for
        from autosplit.formats.onnx.files import write_model
        from autosplit.lowering.convert_top_to_onnx import convert_back
        from autosplit.runtime.frameworks.onnx import OnnxExecutor

        back = convert_back(module, everything=True)
        graph = next(iter(back.body.block.ops))
        self.inputs, self.chunks = _values(graph, memory)
        self._folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        self.model = Path(self._folder.name) / "calibrate.onnx"
        """The module as an ONNX model; it is deleted with the calibrator."""
        write_model(back, store_for(back), self.model)
        # Memory is its own limit; threads that wait would take the time of those that compute.
        self._executor = OnnxExecutor(self.model, sparing=True)
        self.ranges: dict[str, Range] = {}
        """By name, in the order in which the values are computed."""
        self.samples = 0
        self.first: dict[str, Array] = {}
        """What the module returns for the first sample, by name."""
        self._returned = _returned_names(module)
        self._in_f32 = in_f32
        self._means = watched
        self.method = method
        if method not in CALIBRATORS:
            raise AutosplitError(
                f"there is no calibrator {method!r}{choice(method, list(CALIBRATORS))}; they are "
                f"{', '.join(CALIBRATORS)}"
            )
        self._finders: dict[str, RangeFinder] = {}

    def settle(self) -> None:
        """Ranges are those of the method, from here on."""
        for name, finder in self._finders.items():
            self.ranges[name] = Range(*finder.range())

    def update(self, feeds: Mapping[str, Array]) -> None:
        """Takes in a sample: an array for each input, by name.

        Raises AutosplitError where it does not fit, or makes numbers that are not finite.
        """
        number = self.samples + 1
        arrays = self._feeds(feeds, f"sample {number}")
        if not self.samples:
            self.first |= {n: array for n, array in arrays.items() if n in self._returned}
        for name, array in arrays.items():
            self._take(name, array, number)
        for chunk in self.chunks:
            for name, array in self._executor.run(arrays, chunk).items():
                self._take(name, array, number)
                if not self.samples and name in self._returned:
                    self.first[name] = array
        self.samples = number

    def _feeds(self, feeds: Mapping[str, Array], where: str) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for name, shape in self.inputs.items():
            if name not in feeds:
                hint = choice(name, list(feeds))
                raise AutosplitError(f"{where}: the input {name!r} is missing{hint}")
            array = np.asarray(feeds[name])
            if array.dtype.kind not in "biuf":
                raise AutosplitError(
                    f"{where}: input {name!r} is of dtype {array.dtype}, expected numbers"
                )
            # Top has no scalars.
            array = array.reshape(array.shape or (1,))
            fits = len(shape) == array.ndim and all(
                want in (-1, size) for want, size in zip(shape, array.shape, strict=True)
            )
            if not fits:
                raise AutosplitError(
                    f"{where}: input {name!r} has the shape {list(array.shape)}, "
                    f"expected {['?' if d < 0 else d for d in shape]}"
                )
            arrays[name] = array.astype(np.float32, copy=False)
        return arrays

    def _take(self, name: str, array: Array, number: int) -> None:
        if array.size == 0:
            return
        values: Any = array
        if name in self._in_f32:
            # Its range is not asked for, and a reciprocal on the way may well be infinite.
            values = array[np.isfinite(array)]
            if not values.size:
                values = np.zeros(1)
        low, high = float(values.min()), float(values.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise AutosplitError(
                f"sample {number}: value {name!r} has numbers that are not finite; "
                "leave the sample out, or look what it is fed with"
            )
        if self._means is not None:
            self._means.see(name, array)
        if self.method != MINMAX:
            self._finder(name).add(np.asarray(values, np.float32))
        if (span := self.ranges.get(name)) is None:
            self.ranges[name] = Range(low, high)
        else:
            span.widen(low, high)

    def _finder(self, name: str) -> RangeFinder:
        if name not in self._finders:
            finder = CALIBRATORS[self.method]()
            if isinstance(finder, Histogram):
                finder.symmetric = True
            self._finders[name] = finder
        return self._finders[name]

    def table(self) -> str:
        """The table as text. Raises AutosplitError before the first sample."""
        if not self.samples:
            raise AutosplitError(
                "there is no data to calibrate with: INT8 needs at least one sample"
            )
        return table_text(self.ranges, self.samples, self.method)


WEIGHTED = frozenset(
    {"BatchNorm", "Conv", "Deconv", "Einsum", "GRU", "LSTM", "MatMul", "RoiAlign", "Scale"}
)
"""The kinds of ops that 8 bits are for: what a network spends its time on, and what becomes part of it."""


def float_tail(module: ModuleOp, kept: Container[str] = ()) -> list[str]:
    """The names of the values behind the last ops with weights, on every way to an output; in order.

    That is where a detector turns offsets into boxes, and a classifier scores into probabilities: little
    work, and in 8 bits a box would be off by whole pixels. What leads to one of `kept`, outputs that another
    network takes as 8 bits, is none of it.
    """
    from autosplit.dialects.top import TopOp
    from autosplit.lowering.convert_top_to_onnx import top_function

    before: set[SSAValue] = set()
    names: list[str] = []
    for op in reversed(list(top_function(module).body.block.ops)):
        if not isinstance(op, TopOp) or op.kind in ("None", "Weight", "Input"):
            continue
        is_kept = any(name in kept for name in op.names)
        if is_kept or op.kind in WEIGHTED or any(r in before for r in op.outputs):
            before.update(op.inputs)
        else:
            names += reversed(op.names)
    return names[::-1]


FLAT: Mapping[str, tuple[float, float]] = {
    "HardSwish": (-3.0, inf),
    "SiLU": (-10.0, inf),
    "Sigmoid": (-8.0, 8.0),
    "Tanh": (-4.0, 4.0),
}
"""Ops that make the same of all numbers below the first limit, and above the second.

At a limit Sigmoid is 0.0003, SiLU and Tanh are 0.0005 and 0.0007 away from what they end in, less than half a
step of 127 or 255 that reach to 1.
"""


SUMS = frozenset({"Conv", "Deconv", "MatMul", "Scale"})
"""Kinds whose results, without a Relu, BM1684 takes for signed integers: it saturates at 127 of 255."""


def signed_sums(module: ModuleOp, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges that begin below 0 for what such ops make of positive numbers only."""
    from autosplit.dialects.top import TopOp

    sums = (op for op in module.walk() if isinstance(op, TopOp) and op.kind in SUMS)
    return _signed((op for op in sums if not op.flag("do_relu")), ranges)


def signed_products(module: ModuleOp, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Ranges that begin below 0 for positive products of signed numbers, such as squares.

    Of signed operands, kernels for sizes that vary write signed results, whatever type these have.
    """
    from autosplit.dialects.top import TopOp

    products = (op for op in module.walk() if isinstance(op, TopOp) and op.kind == "Mul")
    return _signed(products, ranges)


def _signed(ops: Iterable[TopOp], ranges: Mapping[str, Range]) -> dict[str, Range]:
    """The ranges of what these ops make, where they are positive, from a step below 0."""
    names = [name for op in ops for name in op.names]
    chosen = {name: ranges[name] for name in names if name in ranges}
    return {n: Range(-r.high / LEVELS, r.high) for n, r in chosen.items() if r.low >= 0}


def useful_ranges(module: ModuleOp, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Smaller ranges for values that are read only by ops which are flat outside of them.

    What such an op is given beyond a limit saturates there without a loss, and the steps of all that is
    within are the smaller: in front of a SiLU, most convolutions reach much further down than it looks.
    """
    from autosplit.dialects.top import TopOp
    from autosplit.lowering.convert_top_to_onnx import top_function

    smaller: dict[str, Range] = {}
    for op in top_function(module).body.block.ops:
        if not isinstance(op, TopOp) or op.kind in ("None", "Weight", "Input"):
            continue
        for name, value in zip(op.names, op.outputs, strict=True):
            readers = [use.operation for use in value.uses]
            limits = [FLAT.get(r.kind) if isinstance(r, TopOp) else None for r in readers]
            flat = [limit for limit in limits if limit is not None]
            if name not in ranges or not flat or len(flat) < len(limits):
                continue
            low = max(ranges[name].low, min(limit[0] for limit in flat))
            high = min(ranges[name].high, max(limit[1] for limit in flat))
            if low < high:
                smaller[name] = Range(low, high)
    return smaller


def _returned_names(module: ModuleOp) -> set[str]:
    """What the function of a module returns."""
    from xdsl.ir import OpResult

    from autosplit.dialects.top import TopOp
    from autosplit.lowering.convert_top_to_onnx import top_function
    from autosplit.lowering.convert_top_to_onnx.base import result_name

    last = top_function(module).body.block.last_op
    ends = [v for v in last.operands if isinstance(v, OpResult)] if last is not None else []
    return {result_name(end.op, end.index) for end in ends if isinstance(end.op, TopOp)}


def _values(graph: Any, memory: int) -> tuple[dict[str, tuple[int, ...]], list[list[str]]]:
    """The shapes of the inputs, and the names of all outputs in groups of at most `memory` bytes."""
    from autosplit.dialects.platform import shape_of

    inputs = {name: shape_of(value.type) or () for name, value in graph.graph_inputs()}
    chunks: list[list[str]] = []
    room = 0
    for name, value in graph.graph_outputs():
        if name in inputs:
            continue
        size = 4 * prod(max(d, 1) for d in shape_of(value.type) or ())
        if not chunks or size > room:
            chunks.append([])
            room = memory
        chunks[-1].append(name)
        room -= size
    return inputs, chunks
