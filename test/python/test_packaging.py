"""The package as it is installed: entry points, the linked folders, the wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LINKED = ("dialects", "lowering", "tools")


def test_the_three_folders_are_links():
    # Copies would be other modules under the same names.
    for name in LINKED:
        link = ROOT / "python" / "autosplit" / name
        assert link.is_symlink()
        assert os.readlink(link) == f"../../{name}"


def test_entry_points_load():
    scripts = {e.name: e for e in entry_points(group="console_scripts")}
    for name in ("autosplit", "autosplit-opt"):
        assert callable(scripts[name].load())
    universe = entry_points(group="xdsl.universe")["autosplit"].load()
    assert "device" in universe.all_dialects


def test_the_type_checker_looks_into_every_linked_folder():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    include = settings["tool"]["basedpyright"]["include"]
    # It does not follow links by itself.
    assert {f"python/autosplit/{name}" for name in LINKED} <= set(include)


def test_every_requirement_is_pinned_for_the_tests():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    wanted = list(settings["dependencies"])
    for extra in ("run", "tensorflow", "test"):
        wanted += settings["optional-dependencies"][extra]
    names = {w.split(";")[0].split("[")[0].strip("<>=~! .*0123456789").lower() for w in wanted}
    assert {n for n in names if n.split("==")[0].split(">=")[0] not in pinned} == set()


def test_all_folders_with_python_are_packages():
    # `sophon` itself is none, so that Sophgo's package of that name goes first.
    sophon = ("python/sophon/auto_split", "python/sophon/auto_runner")
    for top in (*LINKED, "python/autosplit", "python/auto_deploy", *sophon):
        for path in (ROOT / top).rglob("*.py"):
            if "__pycache__" not in path.parts:
                assert (path.parent / "__init__.py").is_file(), path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    leave = shutil.ignore_patterns(
        ".venv", ".git", "build", "dist", "demo-out", "*.egg-info", "__pycache__", ".*_cache"
    )
    shutil.copytree(ROOT, folder / "source", symlinks=True, ignore=leave)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder)]
    done = subprocess.run(
        [*command, str(folder / "source")], capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0 and "setuptools" in done.stderr and "No matching" in done.stderr:
        pytest.skip("the build backend cannot be downloaded")
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_everything(wheel: Path):
    held = set(zipfile.ZipFile(wheel).namelist())
    for top in (*LINKED, "python"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix not in (".py", ".toml") or "__pycache__" in path.parts:
                continue
            inside = (
                path.relative_to(ROOT / "python") if top == "python" else path.relative_to(ROOT)
            )
            if any(part.endswith(".egg-info") for part in inside.parts):
                continue
            name = inside.as_posix() if top == "python" else f"autosplit/{inside.as_posix()}"
            assert name in held
    assert "autosplit/py.typed" in held
    assert not [name for name in held if name.startswith(("test", "benchmarks", *LINKED))]


def test_the_tools_work_from_the_wheel(wheel: Path, tmp_path: Path):
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True, timeout=300)
    environment = os.environ | {"PYTHONPATH": str(target)}

    def run(*words: str) -> str:
        return subprocess.run(
            words, check=True, capture_output=True, text=True, env=environment, cwd=tmp_path
        ).stdout

    where = run(sys.executable, "-c", "import autosplit.tools.cli.ui as m; print(m.__file__)")
    assert where.startswith(str(target))
    assert run(str(target / "bin" / "autosplit"), "--version").startswith("autosplit 0.")
    (tmp_path / "a.mlir").write_text('"test.op"() {t = #device.target<cpu>} : () -> ()')
    for tool in ("autosplit-opt", "xdsl-opt"):
        path = target / "bin" / tool
        path = path if path.exists() else Path(sys.executable).parent / tool
        assert "#device.target<cpu>" in run(str(path), "a.mlir")
