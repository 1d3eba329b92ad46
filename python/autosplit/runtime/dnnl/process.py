"""The process's libdnnl: loading it, what it can do, and streams to run on.

`autosplit.runtime.dnnl.library` has the rest of the interface, and these names too.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from ctypes import byref, c_void_p
from pathlib import Path

from autosplit.core.errors import AutosplitError
from autosplit.runtime.dnnl import api
from autosplit.runtime.dnnl.threads import Home, place_team, prepare_threads
from autosplit.toolchains.onednn import (
    VARIABLE,
    WaitPolicy,
    find_library,
    load_failure,
)

OLDEST = (3, 1)
"""The first release whose Graph API is the one bound here."""


class Library:
    """A loaded libdnnl, with its CPU engine.

    Made by `library()`; there is one in a process. Raises AutosplitError where the file cannot be loaded or
    is too old.
    """

    def __init__(self, path: Path, threads: int | None, wait_policy: WaitPolicy):
        self.path = path
        self.threads = threads
        self.wait_policy: WaitPolicy = wait_policy
        self._set_omp = prepare_threads(threads, wait_policy)
        try:
            self.dll = ctypes.CDLL(str(path))
        except OSError as e:
            raise AutosplitError(load_failure(path, e)) from e
        missing = api.declare(self.dll)
        if "dnnl_version" in missing:
            raise AutosplitError(f"{path} has no dnnl_version: it is not oneDNN")
        version = self.dll.dnnl_version().contents
        self.version: tuple[int, int, int] = (version.major, version.minor, version.patch)
        lacks = f" and has no {missing[0]}" if missing else ""
        if missing or version.major != 3 or self.version[:2] < OLDEST:
            raise AutosplitError(
                f"{path} is oneDNN {self.release}{lacks}; expected 3.1 or later of version 3: pip install"
                f" 'autosplit[onednn]', or name another library with {VARIABLE}"
            )
        self.is_asynchronous = version.cpu_runtime == api.SYCL_RUNTIME
        self.isa_code = int(self.dll.dnnl_get_effective_cpu_isa())
        # Before any graph: changing it between compile and execute ends the process in 3.2.
        self.check(
            self.dll.dnnl_graph_set_constant_tensor_cache(1), "turning on the constant cache"
        )
        # Else the library keeps a thousand compiled partitions that nobody has any more, with packed weights.
        keep = getattr(self.dll, "dnnl_graph_set_compiled_partition_cache_capacity", None)
        if keep is not None:
            self.check(keep(ctypes.c_int(0)), "turning off the cache of compiled partitions")
        engine = c_void_p()
        self.check(self.dll.dnnl_engine_create(byref(engine), api.CPU, 0), "making a CPU engine")
        self.engine = engine
        self._process: int | None = None
        """The process that computed first: libgomp's threads are in it."""
        self._teams = 0
        self.kind_count = max(n for since, n in api.KINDS_BY_VERSION if since <= self.version[:2])

    @property
    def release(self) -> str:
        """The version as text: "3.2.0"."""
        return ".".join(map(str, self.version))

    @property
    def isa(self) -> str:
        """The instruction set that kernels use; ONEDNN_MAX_CPU_ISA lowers it."""
        return api.ISA_NAMES.get(self.isa_code, hex(self.isa_code))

    @property
    def has_vnni(self) -> bool:
        """Whether sums of u8 x s8 products are exact for weights of the full 8-bit range."""
        return self.isa_code not in api.NO_VNNI

    @property
    def has_avx512(self) -> bool:
        """Whether kernels may use AVX-512."""
        return self._has(api.AVX512)

    def computes(self, dtype: str) -> bool:
        """Whether partitions with tensors of `dtype` may be compiled on this processor."""
        return dtype not in api.NEEDS_ISA or self._has(api.NEEDS_ISA[dtype])

    def _has(self, bits: int) -> bool:
        return self.isa_code & bits == bits

    def set_verbose(self, level: int) -> None:
        """Whether the library prints what it executes, to standard output: 0 or 1."""
        self.check(self.dll.dnnl_set_verbose(level), "setting what is printed")

    def check(self, status: int, what: str) -> None:
        """Raise AutosplitError unless the library answered with success."""
        if status:
            raise self.failure(status, what)

    def failure(self, status: int, what: str) -> AutosplitError:
        """The error of a status other than success."""
        reason = api.STATUSES.get(status, f"status {status}")
        return AutosplitError(f"oneDNN {self.release}: {what} failed: {reason}")

    def stream(self) -> Stream:
        """This thread's stream; it waits for what was given to it only in asynchronous builds.

        AutosplitError in a process that was forked from one that had a stream.
        """
        if self._process is None:
            self._process = os.getpid()
        refuse_fork(self._process)
        stream: Stream | None = getattr(_thread, "stream", None)
        if stream is None:
            if self._set_omp is not None:
                self._set_omp()
            with _lock:
                number, self._teams = self._teams, self._teams + 1
            stream = _thread.stream = Stream(self, place_team(number))
        return stream


def refuse_fork(process: int) -> None:
    """Raises AutosplitError in another process than the given one."""
    if os.getpid() != process:
        raise AutosplitError(
            "this process was forked from one that has used oneDNN or a plan, whose threads a fork does not"
            " have: it would wait for them forever; start processes by 'spawn' or 'forkserver', or load plans"
            " after the fork only"
        )


_thread = threading.local()
_lock = threading.Lock()
_library: Library | None = None


def library(threads: int | None = None, wait_policy: WaitPolicy | None = None) -> Library:
    """The process's libdnnl, loaded by the first call.

    `threads` and `wait_policy` ("passive" for hosts where other programs run) hold from the first call on;
    OMP_NUM_THREADS and OMP_WAIT_POLICY of the environment go before them. AutosplitError where the library
    cannot be had, or a later call asks for something else than what was set.
    """
    global _library
    with _lock:
        if _library is None:
            _library = Library(find_library(), threads, wait_policy or "default")
        elif threads not in (None, _library.threads):
            _clash("threads", threads, _library.threads)
        elif wait_policy not in (None, _library.wait_policy):
            _clash("wait_policy", wait_policy, _library.wait_policy)
        return _library


def loaded_library() -> Library | None:
    """The process's libdnnl, if anything has loaded it."""
    return _library


def _clash(option: str, asked: object, set_to: object) -> None:
    raise AutosplitError(
        f"{option}={asked}: oneDNN was loaded with {option}={set_to}, which holds for the whole process;"
        " ask for the same, or use another process"
    )


class Stream:
    """A queue of executions on the CPU engine, for one thread."""

    def __init__(self, lib: Library, home: Home):
        self.library = lib
        self.home = home
        """Where that thread should be while kernels run."""
        self.handle = c_void_p()
        lib.check(lib.dll.dnnl_stream_create(byref(self.handle), lib.engine, 1), "making a stream")
        weakref.finalize(self, lib.dll.dnnl_stream_destroy, self.handle)

    def wait(self) -> None:
        """Return when everything given to the stream is done; AutosplitError where that failed."""
        self.library.check(self.library.dll.dnnl_stream_wait(self.handle), "waiting for a stream")
