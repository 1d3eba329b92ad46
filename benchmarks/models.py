"""Writes the networks of the benchmarks: NAME.f32.onnx, and NAME.int8.onnx as ONNX Runtime quantizes it.

    python benchmarks/models.py [NAME...] [--out DIR]

Without --out the files stay in the models' cache folder. Prints the paths.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from autosplit.core.errors import choice
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.networks.files import NETWORKS, names, network


def main(args: Sequence[str] | None = None) -> int:
    """Makes what is asked for; 1 where a model cannot be had."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}")
    parser.add_argument("--out", type=Path, metavar="DIR", help="copy the files there")
    options = parser.parse_args(args)
    wanted: list[str] = options.names or names()
    if unknown := [n for n in wanted if n not in NETWORKS]:
        parser.error(f"no network is called {unknown[0]!r}{choice(unknown[0], sorted(NETWORKS))}")
    missing = 0
    for name in wanted:
        try:
            files = network(name)
        except ModelUnavailable as e:
            print(f"{name} UNAVAILABLE: {e}", flush=True)
            missing += 1
            continue
        for path in (files.f32, files.int8):
            print(_copied(path, options.out) if options.out else path, flush=True)
    return 1 if missing else 0


def _copied(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(path, folder / path.name))


if __name__ == "__main__":
    sys.exit(main())
