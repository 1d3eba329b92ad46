"""CPU seconds of processes that a benchmark starts."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path


def children_seconds() -> float:
    """Those of all processes that this one has waited for, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def script_seconds(folder: Path) -> tuple[float, float]:
    """Those of the compile script of a folder, and those of the processes that it starts: TPU-MLIR's."""
    (script,) = folder.glob("compile_to_*.py")
    code = (
        "import atexit, resource, runpy, time\n"
        "def tell():\n"
        "    used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "    print(time.process_time(), used.ru_utime + used.ru_stime)\n"
        f"atexit.register(tell); runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    own, children = done.stdout.split()[-2:]
    return float(own), float(children)
