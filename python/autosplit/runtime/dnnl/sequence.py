"""Calls of compiled partitions in a row, without Python between them.

Python takes some two microseconds to make one call; a small network makes fifty in a millisecond. A loop of
machine code takes the arguments from a table and makes the calls. oneDNN writes machine code as well, so a
process that may not execute its own memory cannot run a plan anyway; on other processors than x86-64, and
where the system refuses, Python makes the calls one by one.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import cast

import numpy as np

from autosplit.runtime.dnnl.library import BoundCall, CallsInTurn

WORDS = 7
"""The words of a row in the table: six arguments and the function."""

LOOP = bytes.fromhex(
    # int64 *loop(int64 *row, int64 *end): calls the rows until one fails, and returns where it stopped;
    # the status of the last call is at `end`. Both are kept in registers that a call does not change.
    "53"  # push rbx
    "55"  # push rbp
    "4883ec08"  # sub rsp, 8: calls want it to be a multiple of 16
    "4889fb"  # mov rbx, rdi
    "4889f5"  # mov rbp, rsi
    "4839eb"  # next: cmp rbx, rbp
    "7424"  # je done
    "488b3b"  # mov rdi, [rbx]
    "488b7308"  # mov rsi, [rbx + 8]
    "488b5310"  # mov rdx, [rbx + 16]
    "488b4b18"  # mov rcx, [rbx + 24]
    "4c8b4320"  # mov r8, [rbx + 32]
    "4c8b4b28"  # mov r9, [rbx + 40]
    "ff5330"  # call [rbx + 48]
    "85c0"  # test eax, eax
    "7506"  # jne done
    "4883c338"  # add rbx, 56
    "ebd7"  # jmp next
    "894500"  # done: mov [rbp], eax
    "4889d8"  # mov rax, rbx
    "4883c408"  # add rsp, 8
    "5d"  # pop rbp
    "5b"  # pop rbx
    "c3"  # ret
)


class MachineLoop:
    """`LOOP` in memory that may be executed. Raises OSError where the system refuses."""

    def __init__(self) -> None:
        memory = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.write(LOOP)
        self._code = (ctypes.c_char * mmap.PAGESIZE).from_buffer(memory)
        address = ctypes.addressof(self._code)
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if protect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "mprotect")
        self._function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(
            address
        )

    def __call__(self, first: int, end: int) -> int:
        """Where the loop stopped."""
        return self._function(first, end)


@cache
def machine_loop() -> MachineLoop | None:
    """The loop of this process; None where there can be none."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    try:
        return MachineLoop()
    except OSError:
        return None


class CallSequence:
    """Calls made one after the other; the first that fails raises."""

    __slots__ = ("_end", "_first", "_loop", "_table", "calls")

    def __init__(self, calls: Sequence[BoundCall], loop: MachineLoop):
        self.calls = calls
        words = [word for call in calls for word in call.words()]
        # The last one is for the status.
        self._table = np.array([*words, 0], np.uint64)
        self._first = self._table.ctypes.data
        self._end = self._first + 8 * len(words)
        self._loop = loop

    def __call__(self) -> None:
        stopped = self._loop(self._first, self._end)
        if stopped != self._end:
            self.calls[(stopped - self._first) // (8 * WORDS)].check(int(self._table[-1]))


def sequences(calls: Sequence[Callable[[], object]]) -> list[Callable[[], object]]:
    """The same calls, neighbours of which are made by the loop."""
    loop = machine_loop()
    if loop is None:
        return list(calls)
    joined: list[Callable[[], object]] = []
    for is_bound, group in groupby(_parts(calls), _is_for_the_loop):
        neighbours = list(group)
        joined += (
            [CallSequence(cast("list[BoundCall]", neighbours), loop)] if is_bound else neighbours
        )
    return joined


def _parts(calls: Iterable[Callable[[], object]]) -> Iterator[Callable[[], object]]:
    for call in calls:
        if isinstance(call, CallsInTurn):
            yield from call.calls
        else:
            yield call


def _is_for_the_loop(call: Callable[[], object]) -> bool:
    return isinstance(call, BoundCall) and not call.compiled.library.is_asynchronous
