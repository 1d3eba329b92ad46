"""Samples spread over processes of this machine, or over those of a cluster.

Chunks of samples go out in order, what was seen of them comes back in order, and only some are on their way
at a time. So memory does not grow with the samples, and the result has the same bytes for any number of
workers.
"""

from __future__ import annotations

import hashlib
import os
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

from autosplit.calibration.calibrators import CHUNK
from autosplit.core.errors import AutosplitError, MissingExtraError, one_line
from autosplit.flows.quantizing.observer import Observer
from autosplit.inputs.values import Value

Sample = Mapping[str, Value]


@dataclass(frozen=True)
class Spread:
    """Who sees the samples."""

    jobs: int = 1
    """Processes of this machine."""
    scheduler: str = ""
    """The address of a scheduler of Dask, in place of them."""

    def check(self) -> None:
        """Raises AutosplitError for a number of processes that cannot be."""
        if self.jobs < 1:
            raise AutosplitError(f"--jobs {self.jobs}: expected at least 1")
        if self.jobs > 1 and self.scheduler:
            raise AutosplitError("--jobs and --scheduler: give one of them")


class _Answer(Protocol):
    """A chunk on its way."""

    def result(self) -> Observer: ...


Submit = Callable[[Sequence[Sample], int], _Answer]


def observe(
    model: Observer, samples: Iterable[Sample], spread: Spread, watch: Callable[[int], None]
) -> None:
    """Has a model see samples. Raises AutosplitError for a sample that does not fit, see `Observer.take`."""
    if spread.jobs == 1 and not spread.scheduler:
        model.take(samples, watch)
        return
    empty = Observer(
        **{name: deepcopy(getattr(model, name)) for name in Observer.__dataclass_fields__}
    )
    workers = (
        _cluster(empty, spread.scheduler) if spread.scheduler else _processes(empty, spread.jobs)
    )
    with workers as (submit, most):
        on_their_way: deque[_Answer] = deque()

        def take() -> None:
            try:
                model.merge(on_their_way.popleft().result())
            except BrokenExecutor:
                raise AutosplitError(
                    "a process that ran samples was ended; where memory ran out, take fewer --jobs"
                ) from None
            watch(model.samples)

        for start, chunk in _chunks(samples):
            while len(on_their_way) > most:
                take()
            on_their_way.append(submit(chunk, start))
        while on_their_way:
            take()


def _chunks(samples: Iterable[Sample]) -> Iterator[tuple[int, list[Sample]]]:
    left, start = iter(samples), 0
    while chunk := list(islice(left, CHUNK)):
        yield start, chunk
        start += len(chunk)


def _seen(observer: Observer, chunk: Sequence[Sample], start: int) -> Observer:
    """What an observer without samples sees of some, whose first has the number `start` + 1."""
    fresh = replace(
        observer,
        calibrators=deepcopy(observer.calibrators),
        channels=deepcopy(observer.channels),
        samples=start,
    )
    fresh.take(chunk, lambda _: None)
    observer.executor = fresh.executor
    return replace(fresh, samples=len(chunk), executor=None)


# Processes of this machine

_WORKER: list[Observer] = []
"""Of this process, where it is a worker."""


def _begin(observer: Observer) -> None:
    # An interrupt reaches all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _WORKER[:] = [observer]


def _in_process(chunk: Sequence[Sample], start: int) -> Observer:
    return _seen(_WORKER[0], chunk, start)


@contextmanager
def _processes(empty: Observer, jobs: int) -> Generator[tuple[Submit, int]]:
    threads = max(1, (os.cpu_count() or 1) // jobs)
    pool = ProcessPoolExecutor(
        jobs, get_context("spawn"), _begin, (replace(empty, threads=threads),)
    )
    try:
        yield lambda chunk, start: pool.submit(_in_process, chunk, start), jobs
    finally:
        pool.shutdown(cancel_futures=True)


# A cluster

_MODELS: dict[str, Observer] = {}
"""What a worker of a cluster has loaded, by the digest of the model's file."""


def _on_cluster(
    empty: Observer, files: Mapping[str, bytes], chunk: Sequence[Sample], start: int
) -> Observer:
    """Runs on a worker, whose machine need not have the model's files."""
    key = _key(files)
    if key not in _MODELS:
        _MODELS.clear()
        if empty.model is None:
            _MODELS[key] = empty
        else:
            with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
                for name, content in files.items():
                    (Path(folder) / name).write_bytes(content)
                loaded = replace(empty, model=Path(folder) / empty.model.name)
                loaded.loaded()
            _MODELS[key] = loaded
    return _seen(
        replace(_MODELS[key], calibrators=empty.calibrators, channels=empty.channels), chunk, start
    )


def _key(files: Mapping[str, bytes]) -> str:
    hashes = [hashlib.sha256(content).hexdigest() for content in files.values()]
    return " ".join([*files, *hashes])


@contextmanager
def _cluster(empty: Observer, address: str) -> Generator[tuple[Submit, int]]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError as e:
        raise MissingExtraError("distributed", "cluster", "--scheduler") from e
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except Exception as e:  # Whatever the network raises.
        raise AutosplitError(f"--scheduler {address}: cannot be reached: {one_line(e)}") from e
    try:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise AutosplitError(
                f"--scheduler {address}: has no workers; start some: dask worker {address}"
            )
        paths = [] if empty.model is None else sorted(empty.model.parent.iterdir())
        # In a list, or each content would be something of its own.
        scattered = client.scatter([{p.name: p.read_bytes() for p in paths}], broadcast=True)
        files = scattered[0]

        def submit(chunk: Sequence[Sample], start: int) -> _Answer:
            return client.submit(_on_cluster, empty, files, chunk, start, pure=False)

        yield submit, workers
    finally:
        client.close()
