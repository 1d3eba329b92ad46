"""`autosplit toolchain` and `autosplit doctor`: the tools that compile and run sub-models."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError

if TYPE_CHECKING:
    import argparse

    from autosplit.flows.doctor import HealthCheck

TOOLCHAINS = ["onednn", "tpu-mlir"]


def add_commands(commands: Any) -> None:
    """Adds both commands to the command line."""
    toolchain = commands.add_parser(
        "toolchain",
        help="set up the compiler for the TPU, or a faster library for the CPU",
        description="Sets up TPU-MLIR, which compiles sub-models for the TPU and has the chips' emulators, "
        "or oneDNN 3.6, which runs INT8 faster than the one that autosplit[onednn] brings; or says where "
        "they are.",
        epilog="example: autosplit toolchain install tpu-mlir",
        allow_abbrev=False,
    )
    # The same class of parser, so that errors look as elsewhere.
    actions = toolchain.add_subparsers(
        title="actions", dest="what", metavar="ACTION", required=True, parser_class=type(toolchain)
    )
    install = actions.add_parser(
        "install",
        help="download it into a folder of the user's",
        description="Downloads TPU-MLIR (310 MB; 930 MB on disk) or oneDNN (195 MB; 64 MB on disk) with pip "
        "into a folder of its own. Where it is there already, nothing is done.",
        allow_abbrev=False,
    )
    install.add_argument("name", metavar="NAME", help=f"one of: {', '.join(TOOLCHAINS)}")
    install.add_argument(
        "--dir", metavar="DIR", type=Path,
        help="where to put TPU-MLIR (default: autosplit/ in the user's data folder); AUTOSPLIT_TPU_MLIR must "
        "name DIR then",
    )  # fmt: skip
    install.add_argument("--force", action="store_true", help="replace the one that is there")
    install.set_defaults(action=do_install)
    path = actions.add_parser(
        "path",
        help="print where the one that is used is",
        description="Prints the folder of the TPU-MLIR that is used, or the file of oneDNN.",
        allow_abbrev=False,
    )
    path.add_argument("name", metavar="NAME", help=f"one of: {', '.join(TOOLCHAINS)}")
    path.set_defaults(action=do_path)

    doctor = commands.add_parser(
        "doctor",
        help="say what works on this machine",
        description="Looks for what autosplit works with, runs it, and says what is missing and how to get "
        "it. Ends with 1 where something that is there does not work.",
        allow_abbrev=False,
    )
    doctor.add_argument("--json", action="store_true", help="everything, as JSON")
    doctor.set_defaults(action=do_doctor)


def _check_name(name: str) -> None:
    if name not in TOOLCHAINS:
        raise AutosplitError(f"{name!r} is not a tool chain; there is {', '.join(TOOLCHAINS)}")


def do_install(args: argparse.Namespace) -> int:
    """`autosplit toolchain install`."""
    from autosplit.toolchains.tpu_mlir import VARIABLE, install
    from autosplit.tools.cli.ui import Progress

    _check_name(args.name)
    if args.name == "onednn":
        return install_onednn(args)
    with Progress() as progress:
        toolchain = install(progress, args.dir, args.force)
    print(f"TPU-MLIR {toolchain.version} is in {toolchain.root}")
    folder = toolchain.root.parent
    configured = os.environ.get(VARIABLE)
    if args.dir is not None and (
        not configured or Path(configured).expanduser() not in (folder, toolchain.root)
    ):
        print(f"to use it: export {VARIABLE}={folder}")
    elif args.dir is None and configured:
        print(f"not used, as {VARIABLE} names {configured}")
    return 0


def install_onednn(args: argparse.Namespace) -> int:
    """`autosplit toolchain install onednn`."""
    from autosplit.toolchains.onednn import RELEASE, VARIABLE, install
    from autosplit.tools.cli.ui import Progress

    if args.dir is not None:
        raise AutosplitError(
            f"--dir is for tpu-mlir: a oneDNN elsewhere is used where {VARIABLE} names its libdnnl.so.3"
        )
    with Progress() as progress:
        library = install(progress, args.force)
    print(f"oneDNN {RELEASE} is in {library.parent}")
    if configured := os.environ.get(VARIABLE):
        print(f"not used, as {VARIABLE} names {configured}")
    return 0


def do_path(args: argparse.Namespace) -> int:
    """`autosplit toolchain path`."""
    from autosplit.toolchains.onednn import find_library
    from autosplit.toolchains.tpu_mlir import discover

    _check_name(args.name)
    if args.name == "onednn":
        print(find_library())
        return 0
    print(discover().root)
    return 0


def do_doctor(args: argparse.Namespace) -> int:
    """`autosplit doctor`."""
    from autosplit import __version__
    from autosplit.flows.doctor import check_all
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        checks = list(check_all(progress))
    broken = [check for check in checks if check.state == "broken"]
    if args.json:
        report = {
            "autosplit": __version__,
            "ok": not broken,
            "checks": [asdict(check) for check in checks],
        }
        json.dump(report, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        show_checks(f"autosplit {__version__}", checks)
    return 1 if broken else 0


def show_checks(title: str, checks: list[HealthCheck]) -> None:
    """Prints the checks and their hints."""
    from autosplit.tools.cli.ui import show_table, show_title, show_wrapped

    rows = [
        (
            check.name,
            check.state,
            "" if check.seconds is None else f"{check.seconds:.1f} s",
            check.detail,
        )
        for check in checks
    ]
    show_table(title, ("part", "state", "took", "what"), rows, right=("took",), flexible=("what",))
    todo = [check for check in checks if check.hint]
    if todo:
        print()
        show_title("What can be done")
        for hint in dict.fromkeys(check.hint for check in todo):
            names = ", ".join(check.name for check in todo if check.hint == hint)
            show_wrapped(f"{names}: {hint}", 4, 2)
    broken = [check.name for check in checks if check.state == "broken"]
    print(f"\n{', '.join(broken)}: broken" if broken else "\nwhat is there works")
