"""Installs packages of entry points into a folder, as pip would, without a network or a build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

TOYS = Path(__file__).parent.parent / "outside"


def install(site: Path, name: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """Writes the metadata of package `name`: its entry points, by group and name."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines: list[str] = []
    for group, entries in points.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install_toys(site: Path) -> None:
    """Installs the package under test/outside."""
    project = tomllib.loads((TOYS / "pyproject.toml").read_text("utf-8"))["project"]
    install(site, project["name"], project["entry-points"])
    shutil.copytree(TOYS / "autosplit_toys", site / "autosplit_toys")


def run(site: Path, tool: str, *args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs one of our tools with the packages of a folder."""
    return subprocess.run(
        [str(Path(sys.executable).parent / tool), *args],
        input=text,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(site)},
        cwd=site,
        timeout=120,
    )
