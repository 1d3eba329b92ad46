"""AutoRunner: runs a folder of sub-models as the model that they were made from.

runner = load("out")
outputs = infer(runner, {"image_tensor:0": photo})
"""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.casting import UnknownInputs, cast_input
from autosplit.core.errors import AutosplitError, choice
from autosplit.core.logs import exception_wrapper, log
from autosplit.folder.infos_reader import (
    BMODEL_NAME,
    FILE_NAME,
    MODEL_FILES,
    BorderTensor,
    GraphEntry,
    GraphInfos,
)
from autosplit.inputs.custom_ops import CustomOps, check_loading, libraries
from autosplit.inputs.fixed import read_fixed
from autosplit.inputs.preprocess import bare
from autosplit.inputs.values import Value
from autosplit.platforms import get_platform, model_key, platform_names
from autosplit.runtime.bmodel.constants import NothingToRun, read_constants
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.runtime.bmodel.process import TIMEOUT, find_card

if TYPE_CHECKING:
    from autosplit.platforms import Executor
    from autosplit.runtime.bmodel.executor import Form

Array = NDArray[np.generic]

Watch = Callable[[GraphEntry, Mapping[str, Array], Mapping[str, Array]], None]
"""Called with a sub-model, its inputs and its outputs."""

Mode = Literal[0, 1, 2]

TPU, EMULATOR = "tpu", "tpu-emulator"

MODES = {0: "all on the CPU", 1: "CPU and GPU", 2: "CPU and TPU"}


@dataclass(frozen=True)
class Timing:
    """How long one sub-model took."""

    name: str
    """`graph_0`, ..."""
    device: str
    """Where it ran: `cpu`, `tpu` or `tpu-emulator`."""
    seconds: float


class Runner:
    """A loaded folder of sub-models.

    `mode`: 0 runs all on the CPU, in the model's own framework; 2 runs the TPU sub-models' bmodels on
    a TPU card, or, where there is none or `use_cmodel` asks for it, on the chip's emulator. None is 2 where
    every TPU sub-model has its bmodel and there is a card or `use_cmodel`; else 0, with a warning where
    there are TPU sub-models. Mode 1, CPU and GPU, existed in the original AutoRunner and is refused.
    `graphs_in_memory`: the sub-models' files (in mode 2 those of the TPU are bmodels) as bytes, by `graph_N`,
    in place of those in the folder. `optimize` lets the framework optimize each sub-model's graph:
    faster, and the last bits may change. `timeout`: seconds that a run of a bmodel may take. `custom_ops`:
    libraries of ops that the framework does not have, in place of those that the folder holds.

    Raises AutosplitError where the folder is not a valid split or the mode is not possible,
    MissingExtraError where the framework is not installed.
    """

    def __init__(
        self,
        folder: Path | str,
        mode: Mode | None = None,
        graphs_in_memory: Mapping[str, bytes] | None = None,
        use_cmodel: bool | int = False,
        optimize: bool = False,
        timeout: float | None = None,
        custom_ops: CustomOps | None = None,
    ):
        self.infos = _load_infos(folder)
        self.folder = Path(folder)
        self.platform = self.infos.platform
        self.dynamic = self.infos.dynamic
        self.layout = self.infos.layout
        self.graph_num = len(self.infos.graphs)
        self.required_input_names = list(self.infos.inputs)
        self.output_names = list(self.infos.outputs)
        self.use_cmodel = bool(use_cmodel)
        self.optimize = optimize
        self.timeout = timeout
        given = libraries(custom_ops)
        check_loading(self.platform, given)
        self.custom_ops = given or self.infos.libraries()
        in_memory = graphs_in_memory or {}
        self.mode: Mode = _choose_mode(self.infos, mode, in_memory, emulate=self.use_cmodel)
        self._card = None if self.use_cmodel or self.mode != 2 else find_card()
        self.steps: list[Timing] = []
        """The timing of the last run, one entry a sub-model."""
        self._scratch: Path | None = None
        self._unknown = UnknownInputs(self.required_input_names)
        self._last_use = _last_uses(self.infos)
        self._constants: list[Mapping[str, Array]] = []
        """What each sub-model gives beside what its executor computes."""
        self.fixed = read_fixed(self.infos.own, self.infos.folder / FILE_NAME)
        """The values of inputs that are constants of the sub-models."""
        self._promised = _names(self.infos.own.get("promised"))
        self._borders = frozenset(t for g in self.infos.graphs for t in g.inputs)
        self._executors: list[Executor | BmodelExecutor] = []
        try:
            self._load(in_memory)
        except BaseException:
            self.close()
            raise
        self.crossing = self._shared_forms()
        """Tensors that go from one bmodel to the next as the 8-bit integers that both have."""

    def _load(self, in_memory: Mapping[str, bytes]) -> None:
        if self.platform in MODEL_FILES and self.platform not in platform_names():
            raise AutosplitError(
                f"{self.folder}: sub-models of {self.platform} cannot be run yet; "
                f"those of {', '.join(platform_names())} can"
            )
        platform = get_platform(self.platform)
        known = [f"graph_{g.index}" for g in self.infos.graphs]
        for name in in_memory:
            if name not in known:
                raise AutosplitError(
                    f"graphs_in_memory has {name!r}, which is not a graph{choice(name, known)}"
                )
        for graph in self.infos.graphs:
            data = in_memory.get(f"graph_{graph.index}")
            on_tpu = self.mode == 2 and graph.device == "tpu"
            self._constants.append(read_constants(self.infos, graph) if on_tpu else {})
            if on_tpu:
                self._executors.append(self._on_tpu(graph, data))
                continue
            info = dict(graph.model_info)
            if data is not None:
                key = model_key(platform)
                info = {k: str((self.folder / name).absolute()) for k, name in info.items()}
                name = graph.model_info[key]
                info[key] = str(self._write_scratch(graph, name, data) / name)
            self._executors.append(
                platform.executor(
                    info, self.folder, optimize=self.optimize, custom_ops=self.custom_ops
                )
            )
        self._check_chips()

    def _check_chips(self) -> None:
        """Raises AutosplitError where bmodels are for several chips, as after files were copied together."""
        found: dict[str, str] = {}
        for graph, executor in zip(self.infos.graphs, self._executors, strict=True):
            if isinstance(executor, BmodelExecutor) and executor.chip is not None:
                found.setdefault(executor.chip.upper(), graph.label)
        if len(found) > 1:
            told = ", ".join(f"that of {label} for {chip}" for chip, label in found.items())
            raise AutosplitError(
                f"{self.folder}: the bmodels are for several chips, {told}; convert again for one"
            )

    def _on_tpu(self, graph: GraphEntry, data: bytes | None) -> Executor | BmodelExecutor:
        if self._constants[-1].keys() >= set(graph.outputs):
            return NothingToRun()
        bmodel = None
        if data is not None:
            bmodel = self._write_scratch(graph, BMODEL_NAME, data) / BMODEL_NAME
        timeout = TIMEOUT if self.timeout is None else self.timeout
        return BmodelExecutor.of_graph(self.infos, graph, bmodel, timeout, self._card)

    def _shared_forms(self) -> frozenset[str]:
        """Tensors that one bmodel makes and others take, all as 8-bit integers of the same meaning."""
        forms: dict[str, set[Form | None]] = {}
        for graph, executor in zip(self.infos.graphs, self._executors, strict=True):
            for name in (*graph.inputs, *graph.outputs):
                form = executor.form(name) if isinstance(executor, BmodelExecutor) else None
                forms.setdefault(name, set()).add(form)
        kept = {*self.infos.outputs.values(), *self.infos.inputs}
        return frozenset(
            name
            for name, found in forms.items()
            if len(found) == 1 and None not in found and name not in kept
        )

    def close(self) -> None:
        """Ends the processes that run bmodels. What is not closed ends with the runner."""
        for executor in self._executors:
            if callable(close := getattr(executor, "close", None)):
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_scratch(self, graph: GraphEntry, name: str, data: bytes) -> Path:
        """Puts a sub-model that was given as bytes where it can be opened from; returns the folder."""
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="autosplit-"))
            self.owns(self._scratch)
        folder = self._scratch / f"graph_{graph.index}"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return folder

    def owns(self, folder: Path) -> None:
        """Removes `folder` when the runner goes."""
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def infer(
        self, input_tensors: Mapping[str, Value], watch: Watch | None = None
    ) -> dict[str, Value]:
        """Runs the sub-models in order; returns the model's outputs by name.

        Inputs and outputs are arrays, or where the model has sequences, maps and optional values: lists,
        dicts, and None or the value.

        `watch` is told of each sub-model when it has run: what it took and what it made.

        Inputs go by tensor name, with or without `:0`. In static mode each must have the shape that the
        split was made for; in dynamic mode the sizes are the largest allowed. Other dtypes than the model's
        are cast where no value changes. Names that are not inputs are warned of, once. Raises AutosplitError
        for inputs that are missing or do not fit. `steps` holds the timing.
        """
        values = self._check_inputs(input_tensors)
        wanted = set(self.infos.outputs.values())
        steps: list[Timing] = []
        for graph, executor in zip(self.infos.graphs, self._executors, strict=True):
            start = time.perf_counter()
            feeds = {name: values[name] for name in graph.inputs}
            constants = self._constants[graph.index]
            if self.mode == 2 and graph.device == "tpu" and not isinstance(executor, NothingToRun):
                raw = self.crossing if watch is None else ()
                made = cast("BmodelExecutor", executor).run(feeds, graph.outputs, raw)
                device = TPU if self._card is not None else EMULATOR
            else:
                made = executor.run(feeds, graph.outputs)
                device = "cpu"
            if constants:
                made = {**made, **{name: array.copy() for name, array in constants.items()}}
            steps.append(Timing(f"graph_{graph.index}", device, time.perf_counter() - start))
            for name in graph.outputs:
                if name not in made:
                    raise AutosplitError(f"{self.folder}: {graph.label} did not compute {name!r}")
                if name in self._promised:
                    self._check_promise(name, made[name])
                # What nobody reads is not kept.
                if name in wanted or name in self._borders:
                    values[name] = made[name]
            if watch is not None:
                watch(graph, feeds, made)
            del feeds, made
            for name in self._last_use[graph.index]:
                if name not in wanted:
                    values.pop(name, None)
        self.steps = steps
        return {name: values[tensor] for name, tensor in self.infos.outputs.items()}

    def infer_time(self, input_tensors: Mapping[str, Value]) -> list[float]:
        """Runs once; the seconds of each sub-model in order, then those of the whole."""
        start = time.perf_counter()
        self.infer(input_tensors)
        return [*(step.seconds for step in self.steps), time.perf_counter() - start]

    def _check_promise(self, name: str, made: Array) -> None:
        """Raises where a tensor has not the shape that the split was told it would have."""
        promised = self.infos.tensors[name].shape
        if promised is not None and tuple(promised) != made.shape:
            who, what = "--shape", "a promise that holds, or without one"
            if self.infos.custom_ops:
                who = "--shape, or what runs with two inputs had in common,"
                what += "; or with this input, which shows that the sizes vary"
            raise AutosplitError(
                f"{self.folder}: tensor {name!r}: {who} promised {list(promised)}, found "
                f"{list(made.shape)}; split again with {what}"
            )

    def _fixed_value(self, name: str) -> Array | None:
        """The value of an input that is a constant now; None for other names."""
        return {bare(own): value for own, value in self.fixed.items()}.get(bare(name))

    def _check_inputs(self, given: Mapping[str, Value]) -> dict[str, Value]:
        names = self.required_input_names
        by_bare = {bare(name): name for name in names}
        values: dict[str, Value] = {}
        for key, value in given.items():
            name = key if key in names else by_bare.get(bare(key))
            if name is None and (known := self._fixed_value(key)) is not None:
                if not np.array_equal(cast("Array", value), known):
                    raise AutosplitError(
                        f"{self.folder}: input {key!r} is fixed to {known.tolist()} in these sub-models; "
                        "split again with another --fix, or without it"
                    )
                continue
            if name is None:
                self._unknown.tell(key)
                continue
            if name in values:
                raise AutosplitError(f"{self.folder}: input {name!r} is given twice")
            values[name] = _check_input(
                value, self.infos.tensors[name], self.infos.varying(name), dynamic=self.dynamic
            )
        read = {t for g in self.infos.graphs for t in g.inputs} | set(self.infos.outputs.values())
        for name in names:
            if name not in values and name in read:
                raise AutosplitError(
                    f"{self.folder}: input {name!r} is missing; the model takes {', '.join(names)}"
                )
        _check_dims(self.infos.own.get("dims"), values)
        return values


def _names(listed: object) -> frozenset[str]:
    """A list of names in a folder's own entries."""
    if not isinstance(listed, list):
        return frozenset()
    return frozenset(str(name) for name in cast("list[object]", listed))


def _check_dims(dims: object, values: Mapping[str, Value]) -> None:
    """Raises where inputs have different sizes for one dimension; `dims`: as graph_infos.json has them."""
    known = cast("dict[str, list[tuple[str, int]]]", dims) if isinstance(dims, dict) else {}
    for dim, places in known.items():
        sizes = [(v.shape[i], n) for n, i in places if isinstance(v := values.get(n), np.ndarray)]
        for size, name in sizes[1:]:
            first, by = sizes[0]
            if size != first:
                raise AutosplitError(
                    f"dimension {dim!r} is {first} by input {by!r} and {size} by input {name!r}"
                )


def _check_input(
    value: object, tensor: BorderTensor, varying: Sequence[int] | None, *, dynamic: bool
) -> Value:
    """An input in the dtype that the split was made for; raises unless it has the shape and fits the dtype.

    `varying`: the axes whose sizes may be smaller in a dynamic folder, None where the folder does not say.
    """
    made = fitted(value, tensor)
    if tensor.value is not None or tensor.shape is None:
        return made
    value = cast("Array", made)
    fits = len(value.shape) == len(tensor.shape) and all(
        size < 0
        or found == size
        or (dynamic and found <= size and (varying is None or axis in varying))
        for axis, (found, size) in enumerate(zip(value.shape, tensor.shape, strict=True))
    )
    if not fits:
        what = "expected"
        if dynamic:
            what = "at most" if varying is None else f"of axes {list(varying)} at most, else"
        raise AutosplitError(
            f"input {tensor.name!r}: found shape {list(value.shape)}, {what} {list(tensor.shape)}"
            + ("" if dynamic else "; split again for other sizes, or with --dynamic")
        )
    return value


def fitted(value: Value, tensor: BorderTensor) -> Value:
    """A value as the model takes it, whatever the shape. Raises AutosplitError for other types."""
    what = f"input {tensor.name!r}"
    if tensor.value is not None:
        return tensor.value.fitted(value, what)
    if not isinstance(value, np.ndarray):
        raise AutosplitError(f"{what} is a {type(value).__name__}, expected a numpy array")
    array = cast("Array", value)
    return array if tensor.dtype is None else cast_input(array, tensor.dtype, what)


def _choose_mode(
    infos: GraphInfos, mode: int | None, in_memory: Mapping[str, bytes], *, emulate: bool
) -> Mode:
    """Checks that the mode is possible; None becomes one that is."""
    on_tpu = [g for g in infos.graphs if g.device == "tpu"]
    missing = [
        g
        for g in on_tpu
        if f"graph_{g.index}" not in in_memory
        and not infos.bmodel(g).is_file()
        and not infos.is_constant(g)
    ]
    if mode is None:
        return _default_mode(infos, on_tpu, missing, emulate=emulate)
    if mode == 0:
        return 0
    if mode == 1:
        raise AutosplitError("mode 1 (CPU and GPU) does not exist; use 0 (CPU) or 2 (CPU and TPU)")
    if mode != 2:
        raise AutosplitError(f"mode {mode!r}: expected 0 (all on the CPU) or 2 (CPU and TPU)")
    if missing:
        raise AutosplitError(
            f"{infos.bmodel(missing[0])}: there is no such file, so {missing[0].label} cannot run on the "
            f"TPU; make it with autosplit convert {infos.folder}, or run with mode 0"
        )
    if on_tpu and not emulate and find_card() is None:
        log.warning("%s: there is no TPU card here, so bmodels run on the emulator", infos.folder)
    return 2


def _default_mode(
    infos: GraphInfos, on_tpu: list[GraphEntry], missing: list[GraphEntry], *, emulate: bool
) -> Mode:
    if not on_tpu:
        return 0
    if missing:
        why = f"{infos.bmodel(missing[0])} is not there; autosplit convert makes it"
    elif emulate or find_card() is not None:
        return 2
    else:
        why = "there is no TPU card here; mode 2 runs them on the emulator"
    log.warning(
        "%s: the TPU sub-models run on the CPU, in their framework (mode 0): %s", infos.folder, why
    )
    return 0


def _load_infos(folder: Path | str) -> GraphInfos:
    """The folder, with the dtypes of its tensors if need be from the sub-models, where these can be read."""
    infos = GraphInfos.load(folder)
    if infos.is_complete:
        return infos
    from autosplit.folder.reader import completed

    try:
        return completed(infos)
    except AutosplitError as error:
        # The framework may run it all the same; it then says itself what it does not take.
        log.info("%s", error)
        return infos


def _last_uses(infos: GraphInfos) -> list[list[str]]:
    """For each graph, the tensors that no later graph reads."""
    last = {name: graph.index for graph in infos.graphs for name in graph.inputs}
    freed: list[list[str]] = [[] for _ in infos.graphs]
    for name, index in last.items():
        freed[index].append(name)
    return freed


@exception_wrapper(message="Met an Error when load model.")
def load(
    folder: Path | str,
    graphs_in_memory: Mapping[str, bytes] | None = None,
    use_cmodel: bool | int = False,
    mode: Mode | None = None,
    optimize: bool = False,
    timeout: float | None = None,
    custom_ops: CustomOps | None = None,
) -> Runner:
    """Loads all sub-models of a folder; arguments and errors as for `Runner`."""
    return Runner(folder, mode, graphs_in_memory, use_cmodel, optimize, timeout, custom_ops)


@exception_wrapper(message="Met an Error when load models from zip.")
def load_from_zip(
    model_path: Path | str,
    use_cmodel: bool | int = False,
    mode: Mode | None = None,
    custom_ops: CustomOps | None = None,
) -> Runner:
    """Loads a zip file of a folder that `split` wrote.

    graph_infos.json lies at the top or in the archive's one folder. Raises AutosplitError for a file that
    is not a zip archive, has members that leave it or more than the disk holds.
    """
    folder = Path(tempfile.mkdtemp(prefix="autosplit-"))
    try:
        runner = Runner(
            _unpack(Path(model_path), folder), mode, None, use_cmodel, custom_ops=custom_ops
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # Frameworks may map the files, so they stay as long as the runner does.
    runner.owns(folder)
    return runner


def _unpack(path: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if Path(name).is_absolute() or ".." in Path(name).parts:
                    raise AutosplitError(
                        f"{path}: has the member {name!r}, which leaves the folder"
                    )
            size = sum(member.file_size for member in archive.infolist())
            free = shutil.disk_usage(folder).free
            if size > free:
                raise AutosplitError(
                    f"{path}: holds {size / 1e9:.1f} GB unpacked, and {folder.parent} has {free / 1e9:.1f} GB"
                )
            archive.extractall(folder)
    except FileNotFoundError:
        raise AutosplitError(f"{path}: there is no such file") from None
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise AutosplitError(f"{path}: cannot be read as a zip archive: {error}") from None
    found = sorted(p.parent for p in folder.glob(f"*/{FILE_NAME}"))
    if not (folder / FILE_NAME).is_file() and len(found) == 1:
        return found[0]
    if not (folder / FILE_NAME).is_file():
        raise AutosplitError(f"{path}: has no {FILE_NAME} at its top or in its one folder")
    return folder


@exception_wrapper(message="Met an Error when infer loaded models.")
def infer(runner: Runner, input_tensors: Mapping[str, Value]) -> dict[str, Value]:
    """Runs a loaded model; see `Runner.infer`."""
    return runner.infer(input_tensors)


@exception_wrapper(message="Met an Error when measure the time of a model.")
def infer_time(
    folder: Path | str | Runner,
    input_tensors: Mapping[str, Value],
    save_file: Path | str | None = None,
    mode: Mode | None = None,
    repeat: int = 10,
    warm_up: int = 2,
) -> list[Timing]:
    """The mean time of each sub-model over `repeat` runs, after `warm_up` runs that do not count.

    `save_file`: where to write them too, one line `name device seconds` each.
    """
    runner = folder if isinstance(folder, Runner) else Runner(folder, mode)
    for _ in range(warm_up):
        runner.infer(input_tensors)
    runs: list[list[Timing]] = []
    for _ in range(max(1, repeat)):
        runner.infer(input_tensors)
        runs.append(runner.steps)
    mean = [
        Timing(steps[0].name, steps[0].device, sum(s.seconds for s in steps) / len(steps))
        for steps in zip(*runs, strict=True)
    ]
    if save_file is not None:
        text = "".join(f"{s.name} {s.device} {s.seconds:.6f}\n" for s in mean)
        Path(save_file).write_text(text, encoding="utf-8")
    return mean
