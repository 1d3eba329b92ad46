"""Runs autosplit-opt and filecheck for the lit tests, each time in a process forked off this one.

What they import takes most of a test's time; here it is imported once. Each run has its own process, streams,
folder and environment, as from a shell. That the tools start from nothing is seen by `make docs --check`,
which runs the commands of the pages, and by the tests of the command lines.

Prints the socket that `warm_client.py` connects to, and ends with its standard input.
"""

from __future__ import annotations

import atexit
import gc
import marshal
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from autosplit.registry import get_all_dialects, get_all_passes, get_all_targets

TOOLS: dict[str, Callable[[], object]] = {}
"""The tools' entry points."""


def load() -> None:
    """Imports what the tools need, and all that autosplit-opt can read, run and write."""
    import filecheck.main

    from autosplit.tools import autosplit_opt

    TOOLS.update({"autosplit-opt": autosplit_opt.main, "filecheck": filecheck.main.main})
    for factories in (get_all_dialects(), get_all_passes(), get_all_targets()):
        for factory in factories.values():
            factory()
    gc.freeze()


def serve(path: str) -> None:
    """Answers until the standard input ends."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        print(path, flush=True)
        load()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            if sys.stdin in ready:
                return
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    listener.close()
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    answer(connection)


def answer(connection: socket.socket) -> NoReturn:
    """Runs one request's tool and tells its exit code: the whole life of a forked process."""
    part, streams, _, _ = socket.recv_fds(connection, 65536, 3)
    parts = [part]
    while part := connection.recv(65536):
        parts.append(part)
    sys.argv, folder, environment = marshal.loads(b"".join(parts))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(environment)
    # The server's own know of what they had before whether it can seek.
    with (
        open(0, encoding="utf-8", closefd=False) as sys.stdin,
        open(1, "w", encoding="utf-8", closefd=False) as sys.stdout,
        open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as sys.stderr,
    ):
        try:
            code = _code(TOOLS[Path(sys.argv[0]).name])
            sys.stdout.flush()
        except BrokenPipeError:
            code = 120
        # All that an exit does but for taking apart what was imported, which would have to be copied first.
        atexit._run_exitfuncs()
        sys.stderr.flush()
        connection.send(bytes([code]))
        os._exit(code)


def _code(tool: Callable[[], object]) -> int:
    """Runs a tool; what its process would exit with."""
    try:
        result = tool()
    except SystemExit as end:
        result = end.code
    except Exception:
        traceback.print_exc()
        result = 1
    if isinstance(result, str):
        print(result, file=sys.stderr)
        return 1
    return result if isinstance(result, int) else 0


def main() -> None:
    # Not TemporaryDirectory, which what is forked off would remove when it exits.
    folder = Path(tempfile.mkdtemp(prefix="autosplit-lit-"))
    serve(str(folder / "socket"))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
