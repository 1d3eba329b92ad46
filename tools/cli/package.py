"""The command `package`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_command(commands: Any) -> None:
    """Adds `package` to the command line."""
    package = commands.add_parser(
        "package",
        help="write a converted folder as a program for the device",
        description="Writes a folder of sub-models that are compiled for the TPU as a program, a Python "
        "package that needs numpy and the vendor's runtime (and ONNX Runtime for sub-models on the CPU), "
        "and no autosplit.",
        epilog="example: autosplit package out -o app",
        allow_abbrev=False,
    )
    package.add_argument(
        "folder", metavar="DIR", type=Path, help="what `autosplit deploy`, or `convert`, made"
    )
    package.add_argument(
        "--framework", metavar="NAME", action="append", default=[], dest="frameworks",
        help="what the device has for sub-models on the CPU beside ONNX Runtime: tensorflow",
    )  # fmt: skip
    package.add_argument(
        "--cpp", action="store_true",
        help="with run_bmodel.cpp, which runs one bmodel through the interface of the vendor's runtime",
    )  # fmt: skip
    package.add_argument(
        "-o", "--output-dir", dest="out", metavar="APP", type=Path, required=True,
        help="where to write, which is also the package's name; must be missing or empty",
    )  # fmt: skip
    package.set_defaults(action=do_package)


def do_package(args: argparse.Namespace) -> int:
    """`autosplit package`."""
    from autosplit.core import units
    from autosplit.flows.package import package_folder

    package = package_folder(args.folder, args.out, frameworks=args.frameworks, cpp=args.cpp)
    for step in package.steps:
        print(step)
    for note in package.notes:
        print(note)
    print(f"the device needs Python 3.8, numpy{''.join(f', {need}' for need in package.needs)}")
    total = sum(path.stat().st_size for path in args.out.rglob("*") if path.is_file())
    print(f"wrote {args.out} ({units.size(total)}); there: {package.example}")
    return 0
