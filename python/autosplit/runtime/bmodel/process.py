"""Running bmodels, on a chip's emulator or on a card, in a process of their own.

with BmodelProcess(Path("compilation.bmodel")) as bmodel:
    outputs = bmodel.run({"x": photo})

`autosplit.toolchains.bmodel_child` is the program of that process.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from ctypes.util import find_library
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.portable.networks import BmodelNetwork, read_network
from autosplit.portable.wire import packed, unpacked
from autosplit.toolchains import bmodel_child as child
from autosplit.toolchains.tpu_mlir import discover

if TYPE_CHECKING:
    from autosplit.toolchains.tpu_mlir import TpuMlir

Array = NDArray[np.generic]

TIMEOUT = 1800.0
"""Seconds that a run may take: emulators need minutes for large models."""

CARD = Path("/dev/bm-sophon0")
DRIVER = Path("/opt/sophon/libsophon-current/lib/libbmrt.so")
BAD_STAGES = ("bm1684", "bm1684x")
"""Emulators that compute networks of several stages wrongly (bm1684x), or crash at them (bm1684)."""

PROGRAM = Path(child.__file__)
"""What the process runs."""

KEPT_OUTPUT = 1 << 16
CHUNK = 1 << 20

_STACK = re.compile(r"\[0x[0-9a-f]+\]|\(\+0x|^#\d+ |stack trace|backtrace", re.IGNORECASE)
"""Lines of a printed stack, which mean nothing to a user."""


class BmodelProcess:
    """A process with one bmodel loaded; it starts at once and answers any number of runs.

    `chip` is checked against the bmodel's own; None takes that. `card`: the number of a card to run on, None
    for the emulator of `toolchain` (None: the one that is found). `timeout`: seconds that loading and each
    run may take; None for no limit. A process that ended, by a crash or the timeout, is started again
    by the next run. `fill`: a byte that the emulator's memories hold before the first run; they are zeros if
    left out. Numbers must not depend on it.

    Raises AutosplitError where the file is not a bmodel, is for another chip, or cannot be loaded.
    """

    def __init__(
        self,
        bmodel: Path | str,
        chip: str | None = None,
        toolchain: TpuMlir | None = None,
        timeout: float | None = TIMEOUT,
        card: int | None = None,
        fill: int | None = None,
    ):
        self.bmodel = Path(bmodel)
        self.chip = bmodel_chip(self.bmodel)
        if chip is not None and chip.lower() != self.chip:
            raise AutosplitError(
                f"{self.bmodel}: is for {self.chip}, expected {chip.lower()}; convert the folder again with"
                f" --target {chip.upper()}"
            )
        self.card = card
        self.fill = fill
        self.timeout = timeout
        self._root = None if card is not None else _root(toolchain)
        self._lock = threading.Lock()
        self._closed = False
        self._child: _Child | None = None
        self.networks: tuple[BmodelNetwork, ...] = self._start()

    def run(
        self,
        feeds: Mapping[str, Array],
        network: str | None = None,
        timeout: float | None = None,
    ) -> dict[str, Array]:
        """Runs a network, by default the only one; returns its outputs by name.

        Feeds have the names, dtypes and shapes of the network's inputs; for bfloat16, float32 arrays are
        taken and given. Raises AutosplitError for others, where the run fails, and where it takes longer
        than `timeout` seconds (default: the process's).
        """
        tensors, arrays = packed(feeds, self._network(network), self._label)
        header = {"network": network, "tensors": tensors}
        data = [array.reshape(-1).view(np.uint8).data for array in arrays]
        with self._lock:
            if self._closed:
                raise AutosplitError(f"{self.bmodel}: its process is closed")
            if self._child is not None and self._child.process.poll() is not None:
                self._child = None
            if self._child is None:
                self._start()
            answer, buffers = self._exchange(
                header, data, self.timeout if timeout is None else timeout
            )
        return unpacked(answer["tensors"], buffers)

    def close(self) -> None:
        """Ends the process. Closing again does nothing."""
        self._closed = True
        if (running := self._child) is not None:
            self._child = None
            running.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process's number; None where it does not run."""
        return self._child.process.pid if self._child is not None else None

    def _network(self, name: str | None) -> BmodelNetwork | None:
        """The network of that name; None is the only one."""
        return next((n for n in self.networks if n.name == (name or n.name)), None)

    def _start(self) -> tuple[BmodelNetwork, ...]:
        path = str(self.bmodel.resolve())
        scratch = tempfile.mkdtemp(prefix="autosplit-bmodel-")
        try:
            if self._root is not None:
                first = child.emulator_settings(path, self.chip, self._root, scratch, self.fill)
                environment = child.emulator_environment(self._root, scratch)
            else:
                library = _driver()
                first = {"bmodel": path, "library": str(library), "emulator": False}
                first |= {"device": self.card, "scratch": scratch}
                folders = [str(library.parent), os.environ.get("LD_LIBRARY_PATH", "")]
                environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, folders))}
            self._child = _Child(environment)
            answer, _ = self._exchange(first, [], self.timeout)
        except child.BmodelError as error:
            raise AutosplitError(str(error)) from None
        finally:
            # The process removes it too: it may outlive this one.
            shutil.rmtree(scratch, ignore_errors=True)
        networks = tuple(read_network(entry) for entry in answer["networks"])
        for network in networks:
            if self.card is None and _stages(network) > 1 and self.chip in BAD_STAGES:
                self.close()
                raise AutosplitError(
                    f"{self.bmodel}: network {network.name!r} has {_stages(network)} stages (a combined"
                    f" bmodel), which the emulator of {self.chip} computes wrongly; run each bmodel by itself"
                )
        return networks

    def _exchange(
        self, header: dict[str, Any], data: list[Any], timeout: float | None
    ) -> tuple[dict[str, Any], list[Any]]:
        """Sends a message and returns the answer. A process that fails at that is gone afterwards."""
        running = self._child
        assert running is not None
        try:
            answer, buffers = running.exchange(child.pack(header, data), timeout)
        except _EndedError as ended:
            raise AutosplitError(f"{self._label}: {ended}") from None
        finally:
            if running.process.returncode is not None:
                self._child = None
        if "error" not in answer:
            return answer, buffers
        words = ""
        if answer["failed"]:
            self._child = None
            running.end()
            words = running.last_words()
        raise AutosplitError(f"{self._label}: {answer['error']}{words}")

    @property
    def _label(self) -> str:
        what = f"card {self.card}" if self.card is not None else f"emulator of {self.chip}"
        return f"{self.bmodel} ({what})"


class _EndedError(Exception):
    """The process ended instead of answering."""


class _Child:
    """The process, and the pipes to it."""

    def __init__(self, environment: Mapping[str, str]):
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            # The libraries look for their files in the working directory.
            cwd="/",
            bufsize=0,
            # Ctrl-C is for this process, which then ends the other.
            start_new_session=True,
        )
        self.stdin, self.stdout, self.stderr = _pipes(self.process)
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)
        self._printed = bytearray()
        self._finalizer = weakref.finalize(self, _end, self.process)

    def exchange(
        self, message: list[Any], timeout: float | None
    ) -> tuple[dict[str, Any], list[Any]]:
        """Sends a message and returns the answer.

        The process is ended where that fails or is interrupted, as half an answer may be on its way.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        unsent = [memoryview(piece) for piece in message if len(piece)]
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self.stdin, selectors.EVENT_WRITE)
                selector.register(self.stdout, selectors.EVENT_READ)
                selector.register(self.stderr, selectors.EVENT_READ)

                def receive(size: int) -> bytearray:
                    data = bytearray(size)
                    left = memoryview(data)
                    while left:
                        for pipe in self._ready(selector, deadline, timeout):
                            if pipe is self.stdout:
                                left = left[self._receive(left) :]
                                continue
                            more = self._send(unsent) if pipe is self.stdin else self._hear()
                            if not more:
                                selector.unregister(pipe)
                    return data

                return child.unpack(receive)
        except BaseException:
            self.end()
            raise

    def _ready(
        self, selector: selectors.BaseSelector, deadline: float | None, timeout: float | None
    ) -> list[Any]:
        """The pipes with which there is something to do; waits for one."""
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if ready := selector.select(left):
            return [key.fileobj for key, _ in ready]
        raise _EndedError(
            f"no answer within {timeout:g} seconds, so the run was ended; emulators are slow: give a longer"
            " timeout, or run with mode 0"
        )

    def _send(self, unsent: list[memoryview]) -> bool:
        """Sends what goes into the pipe; False where all is sent, or nobody takes it."""
        try:
            count = os.write(self.stdin.fileno(), unsent[0][:CHUNK])
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        unsent[0] = unsent[0][count:]
        if not unsent[0]:
            del unsent[0]
        return bool(unsent)

    def _receive(self, into: memoryview) -> int:
        count: int | None = self.stdout.readinto(into)
        if count == 0:
            raise _EndedError(self._how_it_ended())
        return count or 0

    def _hear(self) -> bool:
        """Keeps the end of what the libraries print; False once no more will come."""
        heard: bytes | None = self.stderr.read(CHUNK)
        self._printed += heard or b""
        del self._printed[:-KEPT_OUTPUT]
        return heard != b""

    def _how_it_ended(self) -> str:
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            return "the process closed its output; run it again, or with mode 0"
        how = f"with code {code}"
        if code < 0:
            names = [s.name for s in signal.Signals if s == -code]
            how = f"by signal {names[0] if names else -code}"
        self.end()
        return f"the process ended {how}{self.last_words()}; run it again, or with mode 0"

    def last_words(self) -> str:
        """The last lines that the libraries printed, to be put behind an error; may be empty."""
        text = self._printed.decode("utf-8", "replace")
        lines = ["".join(c for c in line if c.isprintable()).strip() for line in text.splitlines()]
        last = " | ".join([line for line in lines if line and not _STACK.search(line)][-3:])
        return f" (it said last: {last[-400:]})" if last else ""

    def end(self) -> None:
        """Ends the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        if not self.stderr.closed:
            # Not more than a pipe holds.
            self._hear()
        self._finalizer()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[Any, Any, Any]:
    return process.stdin, process.stdout, process.stderr


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in _pipes(process):
        pipe.close()


def bmodel_chip(bmodel: Path | str) -> str:
    """The chip that a bmodel says it is for: `bm1684x`. AutosplitError for anything but a whole bmodel."""
    try:
        return child.bmodel_chip(str(bmodel))
    except child.BmodelError as error:
        raise AutosplitError(str(error)) from None


def find_card() -> int | None:
    """The number of the first TPU card that a bmodel can run on, or None."""
    return 0 if CARD.exists() and find_driver() is not None else None


def find_driver() -> Path | None:
    """The libbmrt that came with the card's driver, or None."""
    if DRIVER.is_file():
        return DRIVER

    name = find_library("bmrt")
    return Path(name) if name else None


def _root(toolchain: TpuMlir | None) -> str:
    return str((toolchain or discover()).root)


def _driver() -> Path:
    if (driver := find_driver()) is None:
        raise AutosplitError(
            f"there is no libbmrt of a card's driver, neither {DRIVER} nor where the system looks for"
            " libraries; install the vendor's libsophon, or use the emulator"
        )
    return driver


def _stages(network: BmodelNetwork) -> int:
    return max((len(t.shapes) for t in (*network.inputs, *network.outputs)), default=1)
