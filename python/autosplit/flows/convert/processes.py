"""The processes of a conversion: Pythons that run the compile scripts, and emulators of the chip."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.compilation import Compilation
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.toolchains.bmodel_compile import VARIABLE
from autosplit.toolchains.children import Children

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.toolchains.children import Done, Started
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]


INTERPRETER = """\
import json, os, runpy, sys
# What takes its time, and scripts need.
import argparse, ctypes, dataclasses, hashlib, subprocess, tempfile, typing, zipfile
if told := sys.stdin.read():
    folder, script, *arguments = json.loads(told)
    os.chdir(folder)
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")
"""


class Processes:
    """Runs compile scripts and bmodels for several threads; `end` ends all of it."""

    def __init__(self, options: ConvertOptions, toolchain: TpuMlir):
        self._options = options
        self._toolchain = toolchain
        self._children = Children()
        self._waiting: Started | None = None
        """A Python that has started and is not yet told what to run."""
        self._lock = threading.Lock()
        self._emulators: set[BmodelExecutor] = set()

    @property
    def ended(self) -> bool:
        """Whether `end` was called."""
        return self._children.ended

    def start(self) -> None:
        """Lets the first Python start beside other work."""
        self._waiting = self._start_interpreter()

    def run_script(self, folder: Path, script: str, *arguments: str) -> Done:
        """Runs a script in a folder until it ends or its time is up. The files between its steps stay."""
        with self._lock:
            interpreter, self._waiting = self._waiting, None
        request = json.dumps([str(folder.absolute()), script, "--keep", *arguments])
        return self._children.finish(
            interpreter or self._start_interpreter(), self._options.timeout, request
        )

    def emulate(
        self,
        bmodel: Path,
        record: Compilation,
        samples: Sequence[Mapping[str, Array]],
        watch: Callable[[int], None],
    ) -> list[dict[str, Array]]:
        """What a bmodel makes of each sample of a sub-model's inputs on the chip's emulator, by tensor.

        `watch` is called with the number of each sample, from 1, when its turn comes.
        """
        timeout = self._options.timeout
        executor = BmodelExecutor.of_record(bmodel, record, self._toolchain, timeout)
        with self._lock:
            self._emulators.add(executor)
        try:
            if self._children.ended:
                raise AutosplitError("the conversion was ended")
            outputs: list[dict[str, Array]] = []
            for number, feeds in enumerate(samples, 1):
                watch(number)
                outputs.append(executor.run(feeds, [border.tensor for border in record.outputs]))
            return outputs
        finally:
            executor.close()
            with self._lock:
                self._emulators.discard(executor)

    def end(self) -> None:
        """Ends all of them; no more are started."""
        self._children.end()
        with self._lock:
            running = list(self._emulators)
        for executor in running:
            executor.close()

    def close(self) -> None:
        """Ends what is left when all work is done."""
        self._children.end()
        if self._waiting is not None:
            # There was nothing to compile.
            self._children.finish(self._waiting, self._options.timeout)

    def _start_interpreter(self) -> Started | None:
        """A Python that runs a script when it is told which: the first one starts beside other work."""
        environment = {**os.environ, VARIABLE: str(self._toolchain.root)}
        command = [sys.executable, "-I", "-P", "-c", INTERPRETER]
        return self._children.start(command, self._options.folder, environment)
