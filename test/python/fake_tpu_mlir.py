"""Stand-ins for TPU-MLIR: shell scripts that pose as its programs, well or badly."""

from __future__ import annotations

from pathlib import Path

WRITES = """\
for argument in "$@"; do
  case "$argument" in
    --codegen=model_file=*) rest="${argument#--codegen=model_file=}"; echo bmodel > "${rest%% *}" ;;
  esac
  last="$argument"
done
[ "$last" = /dev/null ] || [ "$last" = --version ] || echo "$@" > "$last"
"""
"""Does as tpuc-opt does: writes the file behind -o, and the bmodel."""

INFO = """\
bmodel version: B.2.2
chip: BM1684
create time: today

==========================================
net 0: [net]  static
------------
stage 0:
input: x, [1, 3, 16, 16], float32, scale: 1, zero_point: 0
output: z, [1, 8, 16, 16], float32, scale: 1, zero_point: 0

device mem size: 31104
"""

DESCRIBES = f"cat <<'END'\n{INFO}END\n"


def script(path: Path, text: str) -> Path:
    """A shell script that may be executed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def make(
    holder: Path, tpuc_opt: str = WRITES, model_tool: str = DESCRIBES, version: str = "1.30.2"
) -> Path:
    """A tool chain in `holder`, as pip lays it out; its folder `tpu_mlir`."""
    root = holder / "tpu_mlir"
    script(root / "bin" / "tpuc-opt", tpuc_opt)
    script(root / "bin" / "model_tool", model_tool)
    (root / "lib").mkdir()
    script(holder / "bin" / "tpuc-opt", "echo a wrapper of the package >&2; exit 9")
    info = holder / f"tpu_mlir-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tpu-mlir\nVersion: {version}\n")
    return root
