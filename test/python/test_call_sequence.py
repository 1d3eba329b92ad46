"""Calls in a row by machine code: their arguments, their order, failures, and where there is no such code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import pytest

from autosplit.runtime.dnnl import sequence
from autosplit.runtime.dnnl.sequence import CallSequence, machine_loop, sequences

SIX = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * 6)


class Call:
    """A call of a Python function through C, with six arguments."""

    def __init__(self, function: Callable[..., int], *arguments: int):
        self.function = SIX(function)
        self.arguments = arguments
        self.failure = 0

    def words(self) -> list[int]:
        return [*self.arguments, ctypes.cast(self.function, ctypes.c_void_p).value or 0]

    def check(self, status: int) -> None:
        self.failure = status
        raise ValueError(f"status {status}")


def test_arguments_and_order() -> None:
    loop = machine_loop()
    assert loop is not None
    seen: list[tuple[int, ...]] = []

    def note(*arguments: int) -> int:
        seen.append(arguments)
        return 0

    wanted = [tuple(range(i, i + 6)) for i in range(0, 3000, 6)]
    run = CallSequence([Call(note, *a) for a in wanted], loop)  # pyright: ignore[reportArgumentType]
    run()
    assert seen == wanted
    run()
    assert seen == wanted * 2


def test_the_first_failure_ends_the_row() -> None:
    loop = machine_loop()
    assert loop is not None
    seen: list[int] = []
    statuses = {3: 7}

    def maybe(number: int, *_: int) -> int:
        seen.append(number)
        return statuses.get(number, 0)

    calls = [Call(maybe, i, 0, 0, 0, 0, 0) for i in range(6)]
    run = CallSequence(calls, loop)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="status 7"):
        run()
    assert seen == [0, 1, 2, 3]
    assert [c.failure for c in calls] == [0, 0, 0, 7, 0, 0]
    statuses.clear()
    run()
    assert seen[4:] == list(range(6))


def test_without_the_loop_calls_are_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence, "machine_loop", lambda: None)
    calls = [lambda: 1, lambda: 2]
    assert sequences(calls) == calls


def test_the_system_may_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("mmap")

    monkeypatch.setattr("mmap.mmap", refuse)
    assert machine_loop.__wrapped__() is None


@pytest.mark.parametrize(("system", "machine"), [("darwin", "x86_64"), ("linux", "aarch64")])
def test_other_machines_have_no_loop(
    system: str, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert machine_loop.__wrapped__() is None
