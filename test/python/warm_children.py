"""Processes in which a framework is imported already: each is forked off one that has done nothing else.

They stand for those of `autosplit.core.children`, which import it anew, for seconds each. What they run, and
that a crash is theirs alone, is the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from autosplit.core import children

WARM = {
    "runtime.frameworks.load_libraries": "tensorflow",
    "runtime.frameworks.mxnet": "mxnet",
    "runtime.frameworks.onnx": "onnx",
    "runtime.frameworks.tensorflow": "tensorflow",
    "runtime.frameworks.tensorflow_freeze": "tensorflow",
    "runtime.frameworks.torch": "torch",
}
"""The modules that import a framework, and which. ONNX Runtime comes later: its threads are not forked."""

IMPORTED = {
    "mxnet": ("autosplit.runtime.frameworks.mxnet:import_mxnet",),
    "onnx": ("onnx", "autosplit.runtime.frameworks.onnx", "autosplit.runtime.frameworks.onnx_cut"),
    "tensorflow": ("tensorflow", "autosplit.runtime.frameworks.tensorflow"),
    "torch": ("torch", "torch.export.pt2_archive", "autosplit.runtime.frameworks.torch"),
}
"""The modules that are there already where they begin, and functions of them that import more."""


class WarmChildren:
    """Forks them; the process that it forks them off starts with the first that is needed."""

    def __init__(self) -> None:
        self._servers: dict[str, subprocess.Popen[str]] = {}
        self._cold = children.in_process

    @contextmanager
    def used(self) -> Generator[None]:
        """As long as this lasts `run_child` forks what imports a framework."""
        with patch.object(children, "in_process", self._run):
            yield

    def close(self) -> None:
        for server in self._servers.values():
            server.kill()
            server.communicate()

    def _run(self, module: str, folder: Path) -> subprocess.CompletedProcess[str]:
        framework = WARM.get(module)
        if framework is None:
            return self._cold(module, folder)
        if framework not in self._servers:
            self._servers[framework] = _start(framework)
        return _ask(self._servers[framework], module, folder)


def _start(framework: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", __file__, framework],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=children.environment(),
    )


def _ask(
    server: subprocess.Popen[str], module: str, folder: Path
) -> subprocess.CompletedProcess[str]:
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.NamedTemporaryFile("r", prefix="autosplit-test-") as said:
        request = [f"autosplit.{module}", str(folder), said.name, children.environment()]
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess([module], code, "", said.read())


def _serve(framework: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in IMPORTED[framework]:
        module, _, more = name.partition(":")
        imported = import_module(module)
        if more:
            getattr(imported, more)("a test")
    for line in sys.stdin:
        module, folder, said, environment = json.loads(line)
        if (child := os.fork()) == 0:
            _run(module, folder, said, environment)
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def _run(module: str, folder: str, said: str, environment: dict[str, str]) -> None:
    """The whole life of a forked process."""
    code = 1
    try:
        os.dup2(os.open(said, os.O_WRONLY), 2)
        os.environ.update(environment)
        sys.argv = [module, folder]
        code = import_module(module).main() or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
