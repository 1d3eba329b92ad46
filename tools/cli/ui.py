"""Tables, notes and progress on the command line; plain where they do not go to a terminal."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

PATIENCE = 1.0
"""Seconds that a step may take before it is shown."""

PIPE_WIDTH = 400
"""Columns where the output is no terminal: enough that no cell is ever cut."""


def piped(run: Callable[[], int]) -> int:
    """The exit code that `run` returns; 141, quietly, where nothing reads the output any more.

    That is what a shell reports for a program that a closed pipe has ended. Such a program may not have done
    all of its work, so 0 would be wrong.
    """
    # Streams that the caller has closed: the next file to be opened must not take their numbers.
    if sys.__stdout__ is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.__stderr__ is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    try:
        try:
            return run()
        finally:
            # Here, since errors while Python exits cannot be caught.
            sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain again while it closes the streams.
        null = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(null, stream)
        return 128 + signal.SIGPIPE


def console(stderr: bool = False) -> Console:
    """A console on stdout or stderr; colours and cut columns only on a terminal."""
    from rich.console import Console

    class Plain(Console):
        """A console that leaves closed pipes to `piped`."""

        def on_broken_pipe(self) -> None:
            raise

    stream = sys.stderr if stderr else sys.stdout
    # Terminals are asked for their width; files and pipes have none.
    width = None if stream.isatty() else PIPE_WIDTH
    return Plain(file=stream, width=width, highlight=False, markup=False, emoji=False)


def show_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[str] = (),
    flexible: Sequence[str] = (),
    width: int | None = None,
) -> None:
    """Prints a table of plain text; columns in `right` are aligned right, those in `flexible` may wrap.

    It is at most as wide as the terminal, and as `width`.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False
    )
    for column in columns:
        table.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column not in flexible,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    show_title(title)
    screen = console()
    if screen.is_terminal:
        screen.print(table, width=width)
        return
    with screen.capture() as captured:
        screen.print(table, width=width)
    # Trailing blanks are of no use in a file.
    for line in captured.get().splitlines():
        print(line.rstrip())


def show_title(text: str) -> None:
    """Prints a line in bold."""
    from rich.text import Text

    console().print(Text(text, style="bold"), soft_wrap=True)


def show_wrapped(text: str, indent: int, first: int = 0) -> None:
    """Prints a paragraph, wrapped on a terminal; `first` and `indent` blanks begin its lines."""
    from textwrap import fill

    screen = console()
    width = max(screen.width, indent + 20) if screen.is_terminal else 1 << 20
    print(fill(text, width, initial_indent=" " * first, subsequent_indent=" " * indent))


class Progress:
    """Shows the current step when it takes longer than a second; with a spinner on a terminal.

    with Progress() as progress:
        progress("reading the model")
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._status: Status | None = None
        self._text = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._cancel()
            if self._status is not None:
                self._status.stop()

    def __call__(self, text: str) -> None:
        with self._lock:
            self._cancel()
            self._text = text
            if self._status is not None:
                self._status.update(text + " ...")
                return
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _show(self) -> None:
        with self._lock:
            # The step may have ended while this waited for the lock.
            if self._timer is None:
                return
            screen = console(stderr=True)
            if not screen.is_terminal:
                print(f"{self._text} ...", file=sys.stderr, flush=True)
                return
            self._status = screen.status(self._text + " ...")
            self._status.start()
