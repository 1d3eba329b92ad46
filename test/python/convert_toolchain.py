"""A TPU-MLIR for tests, and ones that misbehave."""

from __future__ import annotations

from pathlib import Path

import pytest

from autosplit.testing.toolchain import toolchain
from autosplit.toolchains.tpu_mlir import TpuMlir

needs_toolchain = pytest.mark.usefixtures("tpu_mlir")
"""For a test that runs TPU-MLIR: installed on first use; where it cannot be had, the test is skipped."""


def real() -> TpuMlir:
    """The tool chain, installed on first use; skips the test where it cannot be had."""
    return toolchain()


def wrapped(folder: Path, script: str) -> Path:
    """A tool chain whose tpuc-opt first runs `script`, in sh, and then the real one."""
    root = real().root
    made = folder / "tpu_mlir"
    (made / "bin").mkdir(parents=True)
    for path in root.iterdir():
        if path.name != "bin":
            (made / path.name).symlink_to(path)
    for path in (root / "bin").iterdir():
        if path.name != "tpuc-opt":
            (made / "bin" / path.name).symlink_to(path)
    # What says which version it is lies beside it.
    for path in root.parent.glob("*.dist-info"):
        (folder / path.name).symlink_to(path)
    tool = made / "bin" / "tpuc-opt"
    tool.write_text(f'#!/bin/sh\n{script}\nexec "{root}/bin/tpuc-opt" "$@"\n')
    tool.chmod(0o755)
    return made


HANG = 'case "$PWD" in *graph_ir_2*) touch "$MARK"; sleep 600;; esac'
FAIL = """case "$PWD $*" in *graph_ir_2*layer-group*)
echo 'loc("c2"): error: cannot be scheduled' >&2; exit 3;; esac"""
NEVER = 'case "$*" in *struct-optimize*) exit 9;; esac'
