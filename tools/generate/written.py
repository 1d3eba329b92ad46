"""Files that programs write into the source tree: where they are, their form, and writing them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from autosplit.core.errors import AutosplitError

ROOT = Path(__file__).resolve().parents[2]

Files = Iterable[tuple[Path, str]]
"""Paths and texts. A text is asked for when the file before it is written."""


def in_dialect(name: str) -> Path:
    """A file of the dialects, such as `aten/table.py`."""
    return ROOT / "dialects" / name


def every_op_file(dialect: str) -> Path:
    """The lit test that has each op of a dialect once."""
    return ROOT / "test" / "lit" / "dialects" / dialect / "every-op.mlir"


def formatted(text: str, path: Path) -> str:
    """The text of a module as ruff writes it, without imports that it does not need."""
    for command in (["check", "--select", "I,F401,RUF022", "--fix", "-q"], ["format", "-q"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


def write_files(
    description: str, module: str, files: Callable[[], Files], args: list[str] | None
) -> int:
    """The entry point of a generator, `module`. Returns 1 where `--check` finds a file out of date."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="only say whether they are up to date")
    options = parser.parse_args(args)
    stale = 0
    try:
        for path, text in files():
            if path.exists() and path.read_text(encoding="utf-8") == text:
                continue
            if options.check:
                stale = 1
                how = f"run python -m autosplit.tools.generate.{module}"
                print(f"{path.name} is not up to date: {how}", file=sys.stderr)
            else:
                path.write_text(text, encoding="utf-8")
    except AutosplitError as e:
        print(f"error: {e}", file=sys.stderr)
        return 1
    return stale
