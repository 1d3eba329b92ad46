"""libgomp's threads: how many, how long they wait for work, and where they run.

The threads of a team wait for each other behind each kernel, so two of them on one processor take several
times as long. Linux leaves them there for some ten milliseconds after a pause, and longer beside another
program: each of a team gets processors of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from autosplit.core.errors import AutosplitError
from autosplit.toolchains.onednn import WaitPolicy

log = logging.getLogger("autosplit")

OWN_PLACES = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY")
"""Where one of these is set, libgomp places its threads itself."""

SPINS = "30000"
"""How often threads of libgomp look for work before they sleep, some tenths of a millisecond: the steps of a
plan follow faster than that. With its usual 300,000 they still take processors when a run is over."""

_BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def prepare_threads(threads: int | None, wait_policy: WaitPolicy) -> Callable[[], None] | None:
    """Set what libgomp reads when it is loaded; what a thread must call instead, where it already is."""
    if threads is not None and threads < 1:
        raise AutosplitError(f"threads={threads}: expected 1 or more")
    if wait_policy not in ("default", "passive"):
        raise AutosplitError(f"wait_policy={wait_policy!r}: expected 'default' or 'passive'")
    gomp = loaded_gomp()
    if wait_policy == "passive" and "OMP_WAIT_POLICY" not in os.environ:
        if gomp is not None:
            log.warning(
                "wait_policy=passive has no effect: libgomp is loaded already;"
                " set OMP_WAIT_POLICY=passive before the program starts"
            )
        os.environ["OMP_WAIT_POLICY"] = "passive"
    elif gomp is None and "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", SPINS)
    if threads is None or "OMP_NUM_THREADS" in os.environ:
        return None
    os.environ["OMP_NUM_THREADS"] = str(threads)
    # What it sets holds for the calling thread alone, so each thread that executes must call it.
    return None if gomp is None else partial(gomp.omp_set_num_threads, threads)


def loaded_gomp() -> ctypes.CDLL | None:
    """libgomp, if something in the process has loaded it."""
    try:
        return ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return None


class Home:
    """The processors of the thread that leads a team, as a context: within it, the thread runs only there.

    Threads that are made meanwhile stay there, so none should be.
    """

    def __init__(self, processors: frozenset[int]):
        self.processors = processors
        self._before: set[int] | None = None

    def __enter__(self) -> None:
        before = os.sched_getaffinity(0) if self.processors else set[int]()
        # Whoever ties the thread to other processors later knows better.
        if not self.processors < before:
            return
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, self.processors)
            self._before = before

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        before, self._before = self._before, None
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, before)


NOWHERE = Home(frozenset())
"""The home of a thread that stays where it is."""


def place_team(number: int) -> Home:
    """Gives each thread of this thread's team processors of its own, and returns those of this one.

    Of several teams, the leader of team `number` (from 0 on) starts at another place, since what is no kernel
    runs in leaders. Nothing is placed where there are more threads than processors, on systems that cannot
    tie threads, and where the environment says how.
    """
    gomp = loaded_gomp()
    if gomp is None or not hasattr(os, "sched_setaffinity"):
        return Home(frozenset())
    count: int = gomp.omp_get_max_threads()
    allowed = sorted(os.sched_getaffinity(0))
    if not 1 < count <= len(allowed) or any(name in os.environ for name in OWN_PLACES):
        return Home(frozenset())
    places = _places(allowed, count, number)
    _in_team(gomp, places)
    return Home(places[0])


def _places(allowed: Sequence[int], count: int, number: int) -> list[frozenset[int]]:
    """The processors of each thread. Neighbours in number share a cache or a core: a team is not spread over
    them, but each thread has some of all."""
    parts = [frozenset(allowed[i::count]) for i in range(count)]
    first = number % count
    return parts[first:] + parts[:first]


def _in_team(gomp: Any, places: Sequence[frozenset[int]]) -> None:
    def settle(_: object) -> None:
        index: int = gomp.omp_get_thread_num()
        # The leader is the caller's own thread.
        if 0 < index < len(places):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, places[index])

    gomp.GOMP_parallel(_BODY(settle), None, 0, 0)
