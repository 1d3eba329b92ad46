"""A process that tries damaged files, one for each line that it reads; `test_fuzz.py` starts it.

Replays one by hand: `python test/python/fuzz_child.py KIND FILE` with what the test has written down; for
json, plan, npy, npz and what converts beside a good split called `folder`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from warm_children import WarmChildren

MEMORY = 12 << 30
"""Bytes of address space; libraries take several without using them."""

SECONDS = 10
"""Of the processor, for one file."""


class TooLong(BaseException):
    """The file took longer than it may."""


def _stop(*_: object) -> None:
    raise TooLong


def _opt(*args: str) -> int:
    from autosplit.tools.autosplit_opt import main

    return main(list(args))


def _cli(*args: str) -> int:
    from autosplit.tools.cli.main import main

    return main(list(args))


def _in_folder(name: str) -> Callable[[str], int]:
    """Explains the good folder with one of its files replaced by the damaged one."""

    def run(path: str) -> int:
        kept = Path("folder", name).read_bytes()
        shutil.copy(path, Path("folder", name))
        try:
            return _cli("explain", "folder") or _opt("folder")
        finally:
            Path("folder", name).write_bytes(kept)

    return run


def _compiled(_: object, job: Any) -> float:
    """Stands for the tool chain: writes something as the bmodel."""
    (job.staging / f"graph_ir_{job.graph.index}" / "compilation.bmodel").write_bytes(b"bmodel")
    return 0.0


def _converted(name: str) -> Callable[[str], int]:
    """Converts a copy of the good folder with the damaged file in it, as far as the tool chain."""

    def run(path: str) -> int:
        from autosplit.toolchains.tpu_mlir import TpuMlir

        shutil.copytree("folder", "broken")
        shutil.copy(path, Path("broken", name))
        try:
            with (
                patch("autosplit.flows.convert.folder.discover", lambda: TpuMlir(Path(), "1.0")),
                patch(
                    "autosplit.flows.convert.processes.Processes._start_interpreter",
                    lambda _: None,
                ),
                patch("autosplit.flows.convert.worker.FolderConversion._compile", _compiled),
            ):
                code = _cli("convert", "broken", "--jobs", "1")
            # Staging folders are hidden.
            assert not (left := [n for n in os.listdir("broken") if n.startswith(".")]), left
        finally:
            shutil.rmtree("broken")
        return code

    return run


def _samples(path: str) -> int:
    """Reads samples for the model of the good folder."""
    from autosplit.core.errors import AutosplitError
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.samples import read_data

    try:
        for sample in read_data(GraphInfos.load("folder"), [path]).samples():
            assert sample
    except AutosplitError as error:
        print(f"autosplit: error: {error}", file=sys.stderr)
        return 1
    return 0


RUN: dict[str, Callable[[str], int]] = {
    "onnx": lambda path: _opt("-f", "onnx", path, "--pipeline", "split"),
    "split": lambda path: _cli("split", path, "-o", "out"),
    "pb": lambda path: _opt("-f", "pb", path, "--pipeline", "split"),
    "json": _in_folder("graph_infos.json"),
    "plan": _in_folder("plan.mlir"),
    "convert-json": _converted("graph_infos.json"),
    "convert-plan": _converted("plan.mlir"),
    "convert-onnx": _converted("graph_0.onnx"),
    "mlir": lambda path: _opt("-f", "mlir", path),
    "dnnl": lambda path: _opt("-f", "json", path),
    # Without what runs the model in a process of its own.
    "mxnet": lambda path: _opt(path, "--params", "net.params", "-p", "infer-shapes,device-place"),
    "pt2": lambda path: _opt(path, "-p", "reduce-mutation,infer-shapes,device-place"),
    "params": lambda path: _opt("net-symbol.json", "--params", path, "-p", "infer-shapes"),
    "prototxt": lambda path: _opt(
        path, "--params", "net.caffemodel", "-p", "infer-shapes,device-place"
    ),
    "caffemodel": lambda path: _opt("net.prototxt", "--params", path, "-p", "infer-shapes"),
    "npy": _samples,
    "npz": _samples,
}
"""What is done with a file of each kind: the exit code."""


def try_file(kind: str, path: str) -> str:
    """What is wrong with how a file was treated; "" where nothing is."""
    out, err = io.StringIO(), io.StringIO()
    scratch = Path(os.environ["TMPDIR"])
    before = sorted(os.listdir())
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = RUN[kind](path)
    except TooLong:
        return f"took longer than {SECONDS} s"
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    lines = [x for x in err.getvalue().splitlines() if not x.endswith(" ...")]
    if code == 0:
        shutil.rmtree("out", ignore_errors=True)
    elif (
        code != 1 or len([x for x in lines if "error: " in x]) != 1 or "Traceback" in err.getvalue()
    ):
        return f"ended with {code} and said {err.getvalue()!r}"
    if (left := sorted(os.listdir())) != before:
        return f"left {sorted(set(left) ^ set(before))}"
    # ONNX Runtime writes one small file there, whoever uses it.
    if left := [name for name in os.listdir(scratch) if name != ".ses"]:
        return f"left {left} in the temporary folder"
    return ""


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _stop)
    if len(sys.argv) == 3:
        os.environ["TMPDIR"] = tempfile.mkdtemp()
        print(try_file(*sys.argv[1:]) or "nothing is wrong")
        return
    answers = os.fdopen(os.dup(1), "w")
    # What libraries print must not come between.
    os.dup2(2, 1)
    with WarmChildren().used():
        for line in sys.stdin:
            kind, path = json.loads(line)
            answers.write(json.dumps(try_file(kind, path)) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
