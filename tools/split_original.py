"""The command lines of the original AutoSplit, `python3 -m sophon.auto_split.split_tensorflow` and its kin.

They split a model and compile its TPU sub-models: what `autosplit deploy` does.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.devices import DEFAULT_CHIP
from autosplit.flows.split_arguments import check_platform
from autosplit.platforms import get_platform
from autosplit.tools.cli.main import main as autosplit

OPTIMIZE = "1"
"""The level that the original compiles with."""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise AutosplitError(f"{message} (see {self.prog} --help)")


def build_parser(platform: str) -> argparse.ArgumentParser:
    """The options of the original, which are all words with underscores."""
    parser = _Parser(
        prog=f"python3 -m sophon.auto_split.split_{platform}",
        description="Splits a model and compiles its TPU sub-models, as the original AutoSplit's command "
        "did; `autosplit deploy` can do more.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--save_dir", required=True, type=Path, help="the folder to write; an earlier split goes")
    add("--model_path", required=True, type=Path, help="the model file")
    add("--dynamic", required=True, type=int, choices=[0, 1], help="1: sizes vary")
    add("--input_names", required=True, help="names of the inputs, separated by commas")
    add("--input_shapes", required=True, help="their shapes, as in (1,300,300,3),(1,3)")
    add("--output_names", required=True, help="names of the outputs, separated by commas")
    add(
        "--input_range",
        help="for each input from where to where its numbers are drawn, as in (0,255)",
    )
    add("--input_dtype", help="with --input_range: int or float for each input")
    add(
        "--to_zip", type=int, choices=[0, 1], default=0, help="1: a zip file in place of the folder"
    )
    add("--tpu", default=DEFAULT_CHIP.upper(), help="the chip (default: %(default)s)")
    return parser


def tuples(text: str, option: str) -> list[tuple[float, ...]]:
    """`(1,2),(3)` as tuples of numbers; one may stand without parentheses."""
    if not re.fullmatch(r"[\s\d.,()eE+-]*", text):
        raise AutosplitError(f"{option} {text}: expected numbers in parentheses")
    groups = re.findall(r"\(([^()]*)\)", text) if "(" in text else [text]
    try:
        return [tuple(float(n) for n in group.split(",") if n.strip()) for group in groups]
    except ValueError:
        raise AutosplitError(f"{option} {text}: expected numbers in parentheses") from None


def names(text: str) -> list[str]:
    """Names that commas separate."""
    return [name.strip() for name in text.split(",") if name.strip()]


def input_options(args: argparse.Namespace, scratch: Path) -> list[str]:
    """`--input` options for the inputs; arrays that are drawn lie in `scratch`."""
    import numpy as np

    known = names(args.input_names)
    shapes = [tuple(int(n) for n in shape) for shape in tuples(args.input_shapes, "--input_shapes")]
    if len(shapes) != len(known):
        raise AutosplitError(
            f"--input_shapes: found {counted(len(shapes), 'shape')} for {counted(len(known), 'input')}"
        )
    if args.input_range is None:
        texts = [",".join(map(str, shape)) or "scalar" for shape in shapes]
        return [f"--input={name}={text}" for name, text in zip(known, texts, strict=True)]
    ranges = tuples(args.input_range, "--input_range")
    dtypes = names(args.input_dtype or "")
    if [len(bounds) for bounds in ranges] != [2] * len(known):
        raise AutosplitError(
            f"--input_range: expected (from,to) for each of {counted(len(known), 'input')}"
        )
    if len(dtypes) != len(known) or not {"int", "float"}.issuperset(dtypes):
        raise AutosplitError(
            f"--input_dtype: expected int or float for each of {counted(len(known), 'input')}"
        )
    random = np.random.default_rng(0)
    options: list[str] = []
    for i, (name, shape, (low, high)) in enumerate(zip(known, shapes, ranges, strict=True)):
        # Doubles would not be exactly what a model takes.
        array = random.uniform(low, high, shape).astype(np.float32)
        path = scratch / f"{i}.npy"
        np.save(path, np.floor(array).astype(np.int64) if dtypes[i] == "int" else array)
        options.append(f"--input={name}={path}")
    return options


def write_zip(folder: Path) -> Path:
    """Puts a folder into a zip file beside it and removes the folder. Same files, same bytes."""
    path = folder.with_name(f"{folder.name}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            member = zipfile.ZipInfo(f"{folder.name}/{file.relative_to(folder).as_posix()}")
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, file.read_bytes())
    shutil.rmtree(folder)
    return path


def main(platform: str, argv: Sequence[str] | None = None) -> int:
    """The entry point: 0; 1 with one line on stderr where it fails."""
    try:
        words = list(sys.argv[1:] if argv is None else argv)
        if not {"-h", "--help"}.intersection(words):
            check_platform(platform)
        args = build_parser(platform).parse_args(words)
        with tempfile.TemporaryDirectory(prefix="autosplit-") as scratch:
            options = [
                *input_options(args, Path(scratch)),
                *(f"--output={name}" for name in names(args.output_names)),
                *(["--dynamic"] if args.dynamic else []),
                f"--platform={platform}",
                f"--layout={get_platform(platform).default_layout}",
                f"--target={args.tpu}",
                f"--optimize={OPTIMIZE}",
                "--compare",
                "--force",
            ]
            code = autosplit(["deploy", str(args.model_path), *options, "-o", str(args.save_dir)])
        if code == 0 and args.to_zip:
            print(f"wrote {write_zip(args.save_dir)} in its place")
        return code
    except AutosplitError as error:
        print(f"autosplit: error: {error}", file=sys.stderr)
        return 1
