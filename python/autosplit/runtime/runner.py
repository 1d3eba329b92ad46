"""AutoRunner: runs a folder of sub-models as the model that they were made from.

runner = load("out")
outputs = infer(runner, {"image_tensor:0": photo})
"""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.logs import exception_wrapper, log
from autosplit.folder.infos_reader import (
    BMODEL_NAME,
    FILE_NAME,
    GraphEntry,
    GraphInfos,
)
from autosplit.inputs.custom_ops import CustomOps, check_loading, libraries
from autosplit.inputs.fixed import read_fixed
from autosplit.inputs.values import Value
from autosplit.platforms import model_key, native, platform_names
from autosplit.portable.borders import shared_forms
from autosplit.portable.ends import End, asked_ends, read_ends
from autosplit.portable.feeds import Feeds
from autosplit.registry import added, load_added
from autosplit.runtime.batched import open_batches
from autosplit.runtime.bmodel.constants import NothingToRun, read_constants
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.runtime.bmodel.one_file import find_one_file
from autosplit.runtime.bmodel.process import TIMEOUT, BmodelProcess, find_card
from autosplit.runtime.modes import Mode, choose_mode
from autosplit.runtime.zipped import unpack

if TYPE_CHECKING:
    from autosplit.platforms import Executor

Array = NDArray[np.generic]

Watch = Callable[[GraphEntry, Mapping[str, Array], Mapping[str, Array]], None]
"""Called with a sub-model, its inputs and its outputs."""

TPU, EMULATOR = "tpu", "tpu-emulator"


@dataclass(frozen=True)
class Timing:
    """How long one sub-model took."""

    name: str
    """`graph_0`, ..."""
    device: str
    """Where it ran: `cpu`, `tpu` or `tpu-emulator`."""
    seconds: float
    planned: str = field(default="", compare=False)
    """Where the plan has it: `cpu` or `tpu`."""


class Runner:
    """A loaded folder of sub-models.

    `mode`: 0 runs all on the CPU, in the model's own framework; 2 runs the TPU sub-models' bmodels on
    a TPU card, or, where there is none or `use_cmodel` asks for it, on the chip's emulator. None is 2 where
    every TPU sub-model has its bmodel and there is a card or `use_cmodel`; else 0, with a warning where
    there are TPU sub-models. Mode 1, CPU and GPU, existed in the original AutoRunner and is refused.
    `graphs_in_memory`: the sub-models' files (in mode 2 those of the TPU are bmodels) as bytes, by `graph_N`,
    in place of those in the folder. `optimize` lets the framework optimize each sub-model's graph:
    faster, and the last bits may change. `timeout`: seconds that a run of a bmodel may take. `custom_ops`:
    libraries of ops that the framework does not have, in place of those that the folder holds. `shared`:
    the process that already runs the one file of all bmodels. `io`: `int8` gives outputs as 8-bit integers
    where the bmodels have them as such, after `convert --io int8`.

    A folder of `split --batches` takes any number of samples, see `portable.batches`.

    It runs sub-models of all frameworks that autosplit knows. For another one a subclass has `load_graph_cpu`
    and `infer_on_cpu` of its own; a package registers it under the platform's name, see
    docs/write_your_own.md.

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
        shared: BmodelProcess | None = None,
        io: str = "",
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
        paths = libraries(custom_ops)
        check_loading(self.platform, paths)
        self.custom_ops = paths or self.infos.libraries()
        # The original's name for a bmodel is `graph_N_bmodel`.
        in_memory = {n.removesuffix("_bmodel"): g for n, g in (graphs_in_memory or {}).items()}
        self.mode: Mode = choose_mode(self.infos, mode, in_memory, emulate=self.use_cmodel)
        self._card = None if self.use_cmodel or self.mode != 2 else find_card()
        self._one_file = find_one_file(self.infos) if self.mode == 2 else None
        self._shared = shared
        """What runs all bmodels, where they are in one file."""
        self.steps: list[Timing] = []
        """The timing of the last run, one entry a sub-model."""
        self._scratch: Path | None = None
        self._last_use = _last_uses(self.infos)
        self._constants: list[Mapping[str, Array]] = []
        """What each sub-model gives besides what its executor computes."""
        self.fixed = read_fixed(self.infos.own, self.infos.folder / FILE_NAME)
        """The values of inputs that are constants of the sub-models."""
        self.ends = ends_of(self.infos) if not in_memory else {}
        """The model's inputs and outputs that may be 8-bit integers; unknown for bmodels in memory."""
        self._asked = asked_ends(self.ends, io, str(self.folder))
        self._feeds = input_checks(self.infos, self.fixed, self.ends, as_integers=self.mode == 2)
        self._promised = _names(self.infos.own.get("promised"))
        self._borders = frozenset(t for g in self.infos.graphs for t in g.inputs)
        self.graph_infos = self.infos.document()
        """graph_infos.json, with the entries that it may leave out."""
        self.graph_infos_path = str(self.folder.absolute() / FILE_NAME)
        self.models: list[Any] = []
        """The loaded sub-models, in order: what `load_graph_cpu` gave, or what runs a bmodel."""
        self._batches = open_batches(self, self.infos, self._load_inside)
        try:
            self._load(in_memory)
        except BaseException:
            self.close()
            raise
        self.crossing = self._shared_forms()
        """Tensors that go from one bmodel to the next as the 8-bit integers that both have."""

    def _load(self, in_memory: Mapping[str, bytes]) -> None:
        graphs = [f"graph_{g.index}" for g in self.infos.graphs]
        for name in in_memory:
            if name not in graphs:
                raise AutosplitError(
                    f"graphs_in_memory has {name!r}, which is not a graph{choice(name, graphs)}"
                )
        for graph in self.infos.graphs:
            data = in_memory.get(f"graph_{graph.index}")
            on_tpu = self.mode == 2 and graph.device == "tpu"
            self._constants.append(read_constants(self.infos, graph) if on_tpu else {})
            if on_tpu:
                self.models.append(self._on_tpu(graph, data))
                continue
            if data is None:
                self.models.append(self.load_graph_cpu(dict(graph.model_info)))
            elif self._is_own:
                self.models.append(self.load_graph_cpu_from_memory(data))
            else:
                self.models.append(self.load_graph_cpu(self._in_scratch(graph, data)))
        _check_chips(self.infos, self.models)

    def _load_inside(self, folder: Path) -> Runner:
        """Loads the folder for another number of samples."""
        return type(self)(
            folder,
            self.mode,
            use_cmodel=self.use_cmodel,
            optimize=self.optimize,
            timeout=self.timeout,
            custom_ops=self.custom_ops or None,
            shared=self._shared,
            io="int8" if self._asked else "",
        )

    def load_graph_cpu(self, model_info: dict[str, str]) -> Any:
        """Loads a sub-model, which `model_info` names, for the CPU; the result becomes one of `models`.

        A subclass for another framework has this and `infer_on_cpu` of its own.
        """
        model = native(self.platform, self.folder, model_info)
        if model is None:
            raise AutosplitError(
                f"{self.folder}: {', '.join(model_info.values())} is of platform {self.platform!r}, and "
                f"nothing here runs that; expected one of {', '.join(platform_names())}, or a Runner that a "
                "package registers for it"
            )
        return model.platform.executor(
            model.files, self.folder, optimize=self.optimize, custom_ops=self.custom_ops
        )

    def load_graph_cpu_from_memory(self, graph_bytes: bytes) -> Any:
        """Loads a sub-model for the CPU from the bytes of its file.

        A subclass that has a `load_graph_cpu` of its own needs one of these where it is given
        `graphs_in_memory`.
        """
        raise AutosplitError(
            f"graphs_in_memory: {type(self).__name__} has no load_graph_cpu_from_memory"
        )

    def infer_on_cpu(
        self,
        index: int,
        inputs: list[tuple[str, Array]],
        required_outputs: list[tuple[str, tuple[int, ...]]],
    ) -> Mapping[str, Array]:
        """Runs sub-model `index`, `models[index]`, on the CPU; returns its outputs by name.

        inputs: the arrays that it takes, with their names. required_outputs: the names of its outputs, with
        the shapes that graph_infos.json has, () where it has none.
        """
        return self.models[index].run(dict(inputs), [name for name, _ in required_outputs])

    @property
    def _is_own(self) -> bool:
        """Whether a subclass loads the sub-models."""
        return type(self).load_graph_cpu is not Runner.load_graph_cpu

    def _in_scratch(self, graph: GraphEntry, data: bytes) -> dict[str, str]:
        """The files of a sub-model, the first of them with other contents."""
        model = native(self.platform, self.folder, graph.model_info)
        key = next(iter(graph.model_info), "") if model is None else model_key(model.platform)
        info = {k: str((self.folder / name).absolute()) for k, name in graph.model_info.items()}
        name = graph.model_info[key]
        return {**info, key: str(self._write_scratch(graph, name, data) / name)}

    def _on_tpu(self, graph: GraphEntry, data: bytes | None) -> Executor | BmodelExecutor:
        if self._constants[-1].keys() >= set(graph.outputs):
            return NothingToRun()
        bmodel = None
        if data is not None:
            bmodel = self._write_scratch(graph, BMODEL_NAME, data) / BMODEL_NAME
        timeout = TIMEOUT if self.timeout is None else self.timeout
        if bmodel is None and self._one_file is not None and self._shared is None:
            self._shared = BmodelProcess(self._one_file, None, None, timeout, self._card)
        shared = self._shared if bmodel is None else None
        return BmodelExecutor.of_graph(self.infos, graph, bmodel, timeout, self._card, shared)

    def _shared_forms(self) -> frozenset[str]:
        """Tensors that one bmodel makes and others take, all as 8-bit integers of the same meaning."""
        borders = [
            (
                (*graph.inputs, *graph.outputs),
                executor.borders if isinstance(executor, BmodelExecutor) else None,
            )
            for graph, executor in zip(self.infos.graphs, self.models, strict=True)
        ]
        return shared_forms(borders, {*self.infos.outputs.values(), *self.infos.inputs})

    def close(self) -> None:
        """Ends the processes that run bmodels. What is not closed ends with the runner."""
        if self._shared is not None:
            self._shared.close()
        if self._batches is not None:
            self._batches.close()
        for executor in self.models:
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

        `watch` is called after each sub-model has run, with its inputs and its outputs.

        Inputs that the bmodels have as 8-bit integers (`ends`) are taken as these too.

        Inputs go by tensor name, with or without `:0`. In static mode each must have the shape that the
        split was made for; in dynamic mode the sizes are the largest allowed. Other dtypes than the model's
        are cast where no value changes. Names that are not inputs are warned of, once. Raises AutosplitError
        for inputs that are missing or do not fit. `steps` holds the timing.
        """
        if self._batches is None:
            return self.infer_once(input_tensors, watch)
        outputs, steps = self._batches.infer(input_tensors, watch)
        self.steps = [*steps]
        return outputs

    def infer_once(
        self, input_tensors: Mapping[str, Value], watch: Watch | None = None
    ) -> dict[str, Value]:
        """The same, for the sizes that this folder itself is for."""
        values = self._feeds.checked(input_tensors)
        wanted = set(self.infos.outputs.values())
        steps: list[Timing] = []
        for graph, executor in zip(self.infos.graphs, self.models, strict=True):
            start = time.perf_counter()
            feeds = {name: values[name] for name in graph.inputs}
            constants = self._constants[graph.index]
            results: Mapping[str, Array] = {}
            if isinstance(executor, NothingToRun):
                device = "cpu"
            elif self.mode == 2 and graph.device == "tpu":
                raw = self.crossing.union(self._asked) if watch is None else ()
                results = cast("BmodelExecutor", executor).run(feeds, graph.outputs, raw)
                device = TPU if self._card is not None else EMULATOR
            else:
                shapes = [(name, self.infos.tensors[name].shape or ()) for name in graph.outputs]
                results = dict(self.infer_on_cpu(graph.index, [*feeds.items()], shapes))
                device = "cpu"
            if constants:
                results = {**results, **{name: array.copy() for name, array in constants.items()}}
            seconds = time.perf_counter() - start
            steps.append(Timing(f"graph_{graph.index}", device, seconds, graph.device))
            for name in graph.outputs:
                if name not in results:
                    raise AutosplitError(f"{self.folder}: {graph.label} did not compute {name!r}")
                if name in self._promised:
                    _check_promise(self.infos, name, results[name])
                # What nobody reads is not kept.
                if name in wanted or name in self._borders:
                    values[name] = results[name]
            if watch is not None:
                watch(graph, feeds, results)
            del feeds, results
            for name in self._last_use[graph.index]:
                if name not in wanted:
                    values.pop(name, None)
        self.steps = steps
        for name in wanted.intersection(self._asked):
            values[name] = self._asked[name].integers(cast("Array", values[name]))
        return {name: values[tensor] for name, tensor in self.infos.outputs.items()}

    def infer_time(self, input_tensors: Mapping[str, Value]) -> list[float]:
        """Runs once; the seconds of each sub-model in order, then those of the whole."""
        start = time.perf_counter()
        self.infer(input_tensors)
        return [*(step.seconds for step in self.steps), time.perf_counter() - start]


def _check_chips(infos: GraphInfos, models: Sequence[Any]) -> None:
    """Raises AutosplitError where bmodels are for several chips, as after files were copied together."""
    chips: dict[str, str] = {}
    for graph, executor in zip(infos.graphs, models, strict=True):
        if isinstance(executor, BmodelExecutor) and executor.chip is not None:
            chips.setdefault(executor.chip.upper(), graph.label)
    if len(chips) > 1:
        bmodels = ", ".join(f"that of {label} for {chip}" for chip, label in chips.items())
        raise AutosplitError(
            f"{infos.folder}: the bmodels are for several chips, {bmodels}; convert again for one"
        )


def _check_promise(infos: GraphInfos, name: str, array: Array) -> None:
    """Raises where a tensor does not have the shape that the split was promised."""
    promised = infos.tensors[name].shape
    if promised is not None and tuple(promised) != array.shape:
        who, what = "--shape", "a promise that holds, or without one"
        if infos.custom_ops:
            who = "--shape, or what runs with two inputs had in common,"
            what += "; or with this input, which shows that the sizes vary"
        raise AutosplitError(
            f"{infos.folder}: tensor {name!r}: {who} promised {list(promised)}, found "
            f"{list(array.shape)}; split again with {what}"
        )


def ends_of(infos: GraphInfos) -> dict[str, End]:
    """The inputs and outputs of a folder's model that its bmodels have as 8-bit integers."""
    compiled = infos.own.get("compiled")
    entries = compiled.items() if isinstance(compiled, dict) else ()
    io = {name: entry["io"] for name, entry in entries if isinstance(entry, dict) and "io" in entry}
    sides = [(f"graph_{g.index}", (*g.inputs, *g.outputs)) for g in infos.graphs]
    return read_ends(io, sides, {*infos.inputs, *infos.outputs.values()})


def input_checks(
    infos: GraphInfos,
    fixed: Mapping[str, Array],
    ends: Mapping[str, End] | None = None,
    *,
    as_integers: bool = False,
) -> Feeds:
    """What checks the inputs of a folder's model; `ends` and `as_integers` as for `Feeds`."""
    dims = infos.own.get("dims")
    return Feeds(
        str(infos.folder),
        [infos.tensors[name] for name in infos.inputs],
        needed=infos.read,
        dynamic=infos.dynamic,
        varying={name: infos.varying(name) for name in infos.inputs},
        dims=cast("dict[str, list[tuple[str, int]]]", dims) if isinstance(dims, dict) else {},
        fixed=fixed,
        ends=ends or {},
        as_integers=as_integers,
    )


def _names(listed: object) -> frozenset[str]:
    """A list of names in a folder's own entries."""
    if not isinstance(listed, list):
        return frozenset()
    return frozenset(str(name) for name in cast("list[object]", listed))


def _load_infos(folder: Path | str) -> GraphInfos:
    """The folder; dtypes that it lacks come from its sub-models, where these can be read."""
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


def runner_class(platform: str) -> type[Runner]:
    """The class whose runners run folders of a platform: that of another package, or `Runner` itself."""
    points = added("runners", ())
    if platform not in points:
        return Runner
    cls = load_added(points[platform])
    if not (isinstance(cls, type) and issubclass(cls, Runner)):
        raise AutosplitError(
            f"the entry point {platform} of autosplit.runners is {cls!r}, expected a subclass of Runner"
        )
    return cls


def open_runner(
    folder: Path | str,
    mode: Mode | None = None,
    graphs_in_memory: Mapping[str, bytes] | None = None,
    use_cmodel: bool | int = False,
    optimize: bool = False,
    timeout: float | None = None,
    custom_ops: CustomOps | None = None,
    io: str = "",
) -> Runner:
    """A runner of the class for the folder's platform; arguments and errors as for `Runner`."""
    kind = runner_class(GraphInfos.load(folder).platform)
    return kind(folder, mode, graphs_in_memory, use_cmodel, optimize, timeout, custom_ops, io=io)


@exception_wrapper(message="Met an Error when load model.")
def load(
    folder: Path | str,
    graphs_in_memory: Mapping[str, bytes] | None = None,
    use_cmodel: bool | int = False,
    mode: Mode | None = None,
    optimize: bool = False,
    timeout: float | None = None,
    custom_ops: CustomOps | None = None,
    io: str = "",
) -> Runner:
    """Loads all sub-models of a folder; arguments and errors as for `Runner`."""
    return open_runner(
        folder, mode, graphs_in_memory, use_cmodel, optimize, timeout, custom_ops, io
    )


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
        unpacked = unpack(Path(model_path), folder)
        runner = open_runner(unpacked, mode, None, use_cmodel, custom_ops=custom_ops)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # Frameworks may map the files, so they stay as long as the runner does.
    runner.owns(folder)
    return runner


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
    runner = folder if isinstance(folder, Runner) else open_runner(folder, mode)
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
