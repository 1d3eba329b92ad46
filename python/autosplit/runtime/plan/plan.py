"""Running a compiled INT8 plan: partitions in oneDNN Graph, segments in ONNX Runtime, on shared memory.

    plan = Plan.from_module(module, store)
    outputs = plan.run({"x": image})
    print(plan.account())

The first run with new input shapes compiles partitions and lays out memory; every later run with these
shapes is a list of prepared calls. Several threads may run one plan at a time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, StringAttr

from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.device import FuncOp
from autosplit.folder.infos_writer import plan_of
from autosplit.formats.onnx.writer import func_proto
from autosplit.runtime.dnnl.library import library
from autosplit.runtime.dnnl.process import refuse_fork
from autosplit.runtime.dnnl.threads import NOWHERE, Home
from autosplit.runtime.plan.account import Account, Ledger
from autosplit.runtime.plan.context import Context
from autosplit.runtime.plan.inputs import Inputs
from autosplit.runtime.plan.memory import Located, MemoryLayout, address_of
from autosplit.runtime.plan.pool import (
    AT_ONCE,
    MAX_BYTES,
    MAX_SIZES,
    MEETINGS,
    Key,
    Meetings,
    Pool,
    Repeat,
    Repeats,
)
from autosplit.runtime.plan.pools import pooled
from autosplit.runtime.plan.program import Program, Stretch, read_program
from autosplit.runtime.plan.saturation import warn_of_saturation
from autosplit.runtime.plan.segments import SegmentModel
from autosplit.runtime.plan.whole import WholeModel

if TYPE_CHECKING:
    from autosplit.core.weights import WeightStore
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.runtime.dnnl.library import Library
    from autosplit.toolchains.onednn import WaitPolicy


Array = NDArray[np.generic]


class Plan:
    """A compiled plan, ready to run. Made by `from_module`."""

    def __init__(
        self,
        program: Program,
        library: Library | None,
        *,
        max_sizes: int = MAX_SIZES,
        max_bytes: int = MAX_BYTES,
        meetings: int = MEETINGS,
        whole: WholeModel | None = None,
    ):
        self.infos: GraphInfos | None = None
        """The infos of the folder that it was loaded from; None where it was not."""
        self._program = program
        self.library = library
        self._pool = Pool(max_sizes, max_bytes)
        self._whole = whole
        self._meetings = Meetings(AT_ONCE, meetings, max_sizes)
        self._process: int | None = None
        """The process that ran it first, or loaded it where segments have threads: the threads are in it."""
        self._making = threading.Lock()
        self._ledger = Ledger(program.steps)
        self._inputs = Inputs(program)
        self._varying = [index for _, index, value in self._inputs.values if not value.is_static]
        # Where ONNX Runtime may compute the whole model, the sizes of each run count.
        self._may_repeat = whole is None or not self._varying
        self._repeats = Repeats()

    @classmethod
    def from_module(
        cls,
        module: ModuleOp,
        store: WeightStore,
        *,
        threads: int = 0,
        wait_policy: WaitPolicy | None = None,
        spin: bool = False,
        max_sizes: int = MAX_SIZES,
        max_bytes: int = MAX_BYTES,
        meetings: int = MEETINGS,
        whole: Path | None = None,
        custom_ops: Sequence[Path] = (),
    ) -> Plan:
        """The plan of an outlined module. oneDNN is loaded only where there are partitions.

        `threads` (0: one a core) and `wait_policy` hold for oneDNN in the whole process; `spin` says whether
        ONNX Runtime's threads wait for the next segment by spinning. What was prepared for at most
        `max_sizes` sets of sizes, of `max_bytes` together, waits for them to come again. `custom_ops`:
        libraries of ops that ONNX Runtime does not have.

        `whole`: the model as an ONNX file. Where sizes vary, a set of sizes beyond the first few is computed
        by it until it has come `meetings` times.

        Raises AutosplitError where the module is not a plan, was compiled for a newer oneDNN than the one
        that is installed, or cannot be run by it; MissingExtraError where a runtime is missing.
        """
        if threads < 0:
            raise AutosplitError(f"threads={threads}: expected 0 (one a core) or more")
        funcs = [f for f in module.body.ops if isinstance(f, FuncOp)]
        loaded = None
        if any(f.target.is_dnnl for f in funcs):
            loaded = library(threads or None, wait_policy)
            _check_version(module, loaded)

        with_threads = pooled(
            f for f in funcs if not f.target.is_dnnl and f.sym_name.data != FuncOp.HOST
        )

        def segment(func: FuncOp) -> SegmentModel:
            proto = func_proto(module, func, store)
            data = proto.SerializeToString(deterministic=True)
            name = func.sym_name.data
            count = threads if name in with_threads else 1
            # Beside oneDNN's threads those of ONNX Runtime must not spin.
            spins = spin or (loaded is None and wait_policy != "passive")
            return SegmentModel(name, data, threads=count, spin=spins, custom_ops=custom_ops)

        program = read_program(module, store, loaded, segment)
        if loaded is not None and not loaded.has_vnni:
            warn_of_saturation(program.large, loaded)
        model = None
        if whole is not None and loaded is not None and WholeModel.takes(program):
            model = WholeModel(whole, threads, custom_ops, spin=wait_policy != "passive")
        plan = cls(
            program,
            loaded,
            max_sizes=max_sizes,
            max_bytes=max_bytes,
            meetings=meetings,
            whole=model,
        )
        if with_threads:
            plan._process = os.getpid()
        return plan

    @property
    def input_names(self) -> list[str]:
        return [name for name, _ in self._program.inputs]

    @property
    def input_types(self) -> list[tuple[str, tuple[int, ...] | None, np.dtype[Any]]]:
        """The inputs with their shapes, -1 where a size is open, and their dtypes."""
        return [(name, value.shape, value.dtype) for name, _, value in self._inputs.values]

    @property
    def output_names(self) -> list[str]:
        return [name for name, _ in self._program.outputs]

    @property
    def isa(self) -> str:
        """The instruction set that oneDNN uses; empty in a plan without partitions."""
        return "" if self.library is None else self.library.isa

    def run(
        self,
        feeds: Mapping[str, Array],
        *,
        timed: bool = False,
        told: Callable[[str], object] | None = None,
    ) -> dict[str, Array]:
        """Computes the outputs for the inputs `feeds`; the arrays are the caller's own.

        Inputs that are neither row-major nor channels-last are copied, those of another dtype cast where no
        value changes. Names that are not inputs are warned of, once. `timed` adds the run to the account's
        times; `told` is called with each step's name before it runs. Raises AutosplitError for inputs that
        are missing or do not fit, and where a step fails.
        """
        if not timed and told is None:
            outputs = self._repeat(feeds)
            if outputs is not None:
                return outputs
        return self._run(feeds, {}, timed=timed, told=told)

    def _repeat(self, feeds: Mapping[str, Array]) -> dict[str, Array] | None:
        """The outputs, if the inputs lie as those of the last run."""
        repeat = self._repeats.take()
        if repeat is None:
            return None
        try:
            with self._home():
                outputs = repeat.run(feeds)
            if outputs is not None:
                self._ledger.add_run([repeat.context], None)
        finally:
            self._repeats.put(repeat)
        return outputs

    def _home(self) -> Home:
        """Where this thread runs. Raises AutosplitError in a process that was forked since the first run."""
        if self._process is None:
            self._process = os.getpid()
        refuse_fork(self._process)
        # Also sets the number of threads of a thread that comes for the first time.
        return NOWHERE if self.library is None else self.library.stream().home

    def run_into(
        self, feeds: Mapping[str, Array], outputs: Mapping[str, Array], *, timed: bool = False
    ) -> None:
        """Like `run`, but writes the outputs to the arrays `outputs`, of which some may be left out.

        Raises AutosplitError too where an array is of another dtype or shape, or is not row-major.
        """
        for name in outputs:
            if name not in self.output_names:
                raise AutosplitError(
                    f"{name!r} is not an output of the plan{choice(name, self.output_names)}"
                )
        # What lies where an input does is written last: the input may be read until the end.
        apart = {name: array for name, array in outputs.items() if not _overlaps(array, feeds)}
        results = self._run(feeds, apart, timed=timed)
        for name, array in outputs.items():
            if results[name] is not array:
                _check_target(name, array, results[name].shape, results[name].dtype)
                np.copyto(array, results[name])
                self._ledger.add_copy(f"output {name}", array.nbytes)

    def _run(
        self,
        feeds: Mapping[str, Array],
        targets: Mapping[str, Array],
        *,
        timed: bool,
        told: Callable[[str], object] | None = None,
    ) -> dict[str, Array]:
        start = time.perf_counter()
        home = self._home()
        memory: dict[int, Located] = {}
        arrays, copied = self._inputs.check(feeds, memory)
        for name, nbytes in copied:
            self._ledger.add_copy(f"input {name}", nbytes)
        sizes = tuple([memory[v][1] for v in self._varying if v in memory])
        if self._is_seldom(arrays, sizes):
            return self._run_whole(arrays, start, timed=timed)
        by_value = {
            index: targets[name] for name, index in self._program.outputs if name in targets
        }
        while (repeat := self._repeats.take()) is not None:
            # Contexts for any inputs wait in the pool.
            self._give(repeat.key, repeat.context)
        taken: list[tuple[Key, Context]] = []
        try:
            with home:
                values = self._run_stretches(memory, by_value, taken, sizes, timed=timed, told=told)
            outputs, copied = _outputs(self._program, values, arrays)
            for name in copied:
                self._ledger.add_copy(f"output {name}", outputs[name].nbytes)
            contexts = [context for _, context in taken]
            self._ledger.add_run(contexts, time.perf_counter() - start if timed else None)
            if len(taken) == 1 and self._may_repeat:
                repeat = Repeat.of(*taken[0], feeds, arrays, self._program)
                if repeat is not None:
                    taken.clear()
                    self._repeats.put(repeat)
        finally:
            for key, context in taken:
                self._give(key, context)
        return outputs

    def _give(self, key: Key, context: Context) -> None:
        for gone in self._pool.give(key, context):
            self._meetings.forget(gone.sizes)

    def _is_seldom(self, arrays: Mapping[int, Array], sizes: tuple[MemoryLayout, ...]) -> bool:
        """Whether ONNX Runtime runs the whole model, as these sizes have not come often yet."""
        if self._whole is None or not self._varying or len(arrays) < len(self._inputs.values):
            return False
        return self._meetings.is_seldom(sizes) and self._whole.load()

    def _run_whole(
        self, arrays: Mapping[int, Array], start: float, *, timed: bool
    ) -> dict[str, Array]:
        assert self._whole is not None
        feeds = {name: arrays[index] for name, index, _ in self._inputs.values}
        outputs = self._whole.run(feeds, self.output_names)
        self._ledger.add_whole_run(time.perf_counter() - start if timed else None)
        return outputs

    def _run_stretches(
        self,
        memory: dict[int, Located],
        targets: Mapping[int, Array],
        taken: list[tuple[Key, Context]],
        sizes: tuple[MemoryLayout, ...],
        *,
        timed: bool,
        told: Callable[[str], object] | None,
    ) -> dict[int, Array]:
        """Runs all steps; returns the outputs that they made, by value. `taken` is to be given back."""
        results: dict[int, Array] = {}
        for stretch in self._program.stretches:
            key = stretch.index, tuple([memory[v][1] for v in stretch.reads])
            context = self._pool.take(key) or self._make(stretch, key)
            context.sizes = sizes
            taken.append((key, context))
            for index, port, form in context.results:
                value = self._program.values[index]
                array = targets.get(index)
                if array is None:
                    array = np.empty(form.shape, value.dtype)
                else:
                    _check_target(value.name, array, form.shape, value.dtype)
                results[index] = array
                memory[port] = address_of(array), form
            if context.is_new:
                # The library packs weights in the first run of a partition; one thread at a time.
                with self._making:
                    results |= context.run(memory, timed=timed, told=told)
                context.is_new = False
            else:
                results |= context.run(memory, timed=timed, told=told)
        return results

    def _make(self, stretch: Stretch, key: Key) -> Context:
        forms = dict(zip(stretch.reads, key[1], strict=True))
        with self._making:
            self._ledger.add_context()
            return Context(self._program, stretch, forms)

    def account(self) -> Account:
        """What the plan did so far."""
        waiting = [*self._pool.waiting(), *self._repeats.contexts]
        return self._ledger.account(waiting, sum(context.nbytes for context in waiting))


def _outputs(
    program: Program, results: Mapping[int, Array], arrays: Mapping[int, Array]
) -> tuple[dict[str, Array], list[str]]:
    """The outputs by name, and which are copies: of an input, a constant or another output."""
    outputs: dict[str, Array] = {}
    copied: list[str] = []
    returned: set[int] = set()
    for name, index in program.outputs:
        array = results.get(index) if index in results else arrays.get(index)
        if array is None:
            array = cast("Array", program.values[index].constant)
        if index not in results or index in returned:
            array = array.copy()
            copied.append(name)
        returned.add(index)
        outputs[name] = array
    return outputs, copied


def _overlaps(array: Array, feeds: Mapping[str, Array]) -> bool:
    return any(np.may_share_memory(array, feed) for feed in feeds.values())


def _check_target(name: str, array: Array, shape: Iterable[int], dtype: np.dtype[Any]) -> None:
    if array.dtype != dtype or array.shape != tuple(shape) or not array.flags.c_contiguous:
        raise AutosplitError(
            f"the array for output {name!r} is {array.dtype} {list(array.shape)}, expected a row-major "
            f"{dtype} {list(shape)}"
        )
    if not array.flags.writeable:
        raise AutosplitError(f"the array for output {name!r} is read-only")


def _check_version(module: ModuleOp, library: Library) -> None:
    """Raises AutosplitError where the plan was compiled for a newer oneDNN than the one at hand."""
    noted = plan_of(module).get("version")
    if not isinstance(noted, StringAttr):
        return
    version = tuple(int(n) for n in noted.data.split("."))
    if version > library.version:
        raise AutosplitError(
            f"the plan was compiled for oneDNN {noted.data}, found {library.release} in {library.path}: "
            f"compile it again with --version {library.version[0]}.{library.version[1]}, or name a newer "
            "library with AUTOSPLIT_DNNL_LIB"
        )
