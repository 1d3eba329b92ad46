"""Finding TPU-MLIR and setting it up, with stand-ins for it and for pip, and the real one."""

from __future__ import annotations

import importlib.metadata
import logging
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fake_tpu_mlir as fake
import pytest
from processes import PATIENCE, Family, wait_until

from autosplit.core.errors import AutosplitError
from autosplit.testing import toolchain as testing
from autosplit.toolchains import bmodel_compile, installing, tpu_mlir
from autosplit.toolchains.tpu_mlir import VARIABLE, discover, find, install


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """No tool chain of this machine is found."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    installed = importlib.metadata.distribution

    def distribution(name: str) -> object:
        found = installed(name)
        if not str(found.locate_file("")).startswith(str(tmp_path)):
            raise importlib.metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    tpu_mlir._checked.cache_clear()
    yield
    tpu_mlir._checked.cache_clear()


# Finding


def test_the_variable_names_a_holder_the_folder_itself_or_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = fake.make(tmp_path / "tree")
    other = fake.make(tmp_path / "venv" / "lib" / "python3.10" / "site-packages")
    fake.script(tmp_path / "venv" / "bin" / "tpuc-opt", "exit 9")
    for named, expected in (
        (tmp_path / "tree", root),
        (root, root),
        (tmp_path / "venv", other),
        (tmp_path / "venv/lib/python3.10/site-packages", other),
    ):
        monkeypatch.setenv(VARIABLE, str(named))
        found = discover()
        assert (found.root, found.version) == (expected, "1.30.2")
        assert found.tpuc_opt == expected / "bin" / "tpuc-opt"


def test_the_variable_may_begin_with_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = fake.make(tmp_path / "it's [a] tree")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(VARIABLE, "~/it's [a] tree")
    assert discover().root == root


def test_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(AutosplitError, match=r"not found.*toolchain install tpu-mlir.*pip install"):
        discover()
    assert find() is None
    installed = fake.make(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert discover().root == installed
    assert "tpu_mlir" not in sys.modules
    users = fake.make(tpu_mlir.user_folder())
    assert str(users).startswith(str(tmp_path / "data" / "autosplit"))
    assert discover().root == users
    named = fake.make(tmp_path / "named")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    assert discover().root == named


def test_a_data_folder_that_is_not_absolute_does_not_count(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert tpu_mlir.user_folder() == Path("/home/somebody/.local/share/autosplit/tpu-mlir-1.30.2")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda root: shutil.rmtree(root), "there is no TPU-MLIR; expected"),
        (lambda root: (root / "bin/tpuc-opt").chmod(0o644), "may not be executed; chmod"),
        (lambda root: (root / "bin/model_tool").unlink(), "bin/model_tool is missing"),
        (
            lambda root: fake.script(root / "bin/tpuc-opt", "echo no libfoo >&2; exit 127"),
            "does not run on this system: it ended with exit code 127: no libfoo",
        ),
        (
            lambda root: fake.script(root / "bin/tpuc-opt", "kill -ILL $$"),
            "it needs an instruction that this processor lacks",
        ),
        (lambda root: fake.script(root / "bin/tpuc-opt", "sleep 60"), "did not answer within"),
        (
            lambda root: (root / "bin/tpuc-opt").write_bytes(b"\x7fELF of another world"),
            "does not run on this system",
        ),
    ],
)
def test_what_does_not_run_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], object],
    message: str,
):
    monkeypatch.setattr(tpu_mlir, "START_TIMEOUT", 1)
    root = fake.make(tmp_path / "tree")
    spoil(root)
    if os.access(root / "bin" / "tpuc-opt", os.X_OK) and "may not" in message:
        pytest.skip("this user may execute anything")
    monkeypatch.setenv(VARIABLE, str(root.parent if root.exists() else root))
    with pytest.raises(AutosplitError, match=message) as caught:
        discover()
    assert "\n" not in str(caught.value)


def test_another_version_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    fake.make(tmp_path / "tree", version="1.20")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "tree"))
    with caplog.at_level(logging.WARNING, "autosplit"):
        assert discover().version == "1.20"
        discover()
    assert [r.getMessage() for r in caplog.records] == [
        f"{tmp_path}/tree/tpu_mlir: is TPU-MLIR 1.20; all was measured with 1.30.2"
    ]
    shutil.rmtree(tmp_path / "tree" / "tpu_mlir-1.20.dist-info")
    tpu_mlir._checked.cache_clear()
    assert discover().version == "unknown"


# The environment


def test_the_environment_holds_what_is_needed_and_nothing_of_the_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = fake.make(tmp_path / "tree")
    monkeypatch.setenv(VARIABLE, str(root))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")
    made = discover().environment()
    assert "HOME" not in made
    assert made["TPUC_ROOT"] == str(root)
    assert made["LD_LIBRARY_PATH"] == f"{root}/lib:{root}/lib/third_party"
    preloaded = [Path(path) for path in made["LD_PRELOAD"].split(":")]
    assert [path.name for path in preloaded][:2] == ["libc.so.6", "libm.so.6"]
    # The same C library that this very process runs on.
    with open("/proc/self/maps") as maps:
        mapped = {line.split()[-1] for line in maps if "libc.so.6" in line}
    assert {os.path.realpath(path) for path in mapped} == {os.path.realpath(preloaded[0])}


def test_the_systems_library_is_found_without_the_usual_loader(monkeypatch: pytest.MonkeyPatch):
    usual = bmodel_compile.system_library_folder()
    monkeypatch.setattr(bmodel_compile.os.path, "realpath", lambda path: "/nowhere/ld.so")
    found = bmodel_compile.system_library_folder()
    monkeypatch.undo()
    assert os.path.samefile(found, usual)


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(platform, "machine", lambda: "aarch64")
        with pytest.raises(AutosplitError, match=r"Linux on x86_64 only; this is linux on aarch64"):
            install()
    with monkeypatch.context() as patch:
        patch.setattr(os, "confstr", lambda name: "glibc 2.31")
        with pytest.raises(AutosplitError, match=r"2\.34 or later; this system has glibc 2\.31"):
            install()
    with monkeypatch.context() as patch:
        patch.setattr(os, "confstr", lambda name: None)
        patch.setattr(os.path, "isfile", lambda path: False)
        with pytest.raises(AutosplitError, match="needs the GNU C library"):
            install()


# Installing

PIP = """
import os, sys, time
from pathlib import Path
count = Path({count!r})
with count.open("a") as file:
    file.write("called\\n")
print("Collecting tpu-mlir")
{body}
"""

GOOD = """
target = Path(sys.argv[sys.argv.index("--target") + 1])
assert sys.argv[-1] == "tpu-mlir==1.30.2" and "--no-deps" in sys.argv
(target / "tpu_mlir" / "bin").mkdir(parents=True)
(target / "tpu_mlir" / "bin" / "tpuc-opt").touch()
time.sleep({wait})
for name in ("tpuc-opt", "model_tool"):
    path = target / "tpu_mlir" / "bin" / name
    path.write_text("#!/bin/sh\\n{does}\\n")
    path.chmod(0o755)
(target / "tpu_mlir-1.30.2.dist-info").mkdir()
print("Installing collected packages: tpu-mlir")
"""


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable[[], int]]:
    """Puts a stand-in for pip in place; what it returns tells how often it was called."""

    def put(body: str = GOOD, wait: float = 0, does: str = "exit 0") -> Callable[[], int]:
        count = tmp_path / "count"
        folder = tmp_path / "path" / "pip"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
        text = body.replace("{wait}", str(wait)).replace("{does}", does)
        (folder / "__main__.py").write_text(PIP.format(count=str(count), body=text))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
        return lambda: len(count.read_text().splitlines()) if count.exists() else 0

    return put


def test_install(pip: Callable[..., Callable[[], int]], tmp_path: Path):
    calls = pip()
    said: list[str] = []
    made = install(said.append)
    assert made.root == tpu_mlir.user_folder() / "tpu_mlir"
    assert discover() == made
    assert said == [
        "downloading TPU-MLIR 1.30.2 (310 MB)",
        "unpacking TPU-MLIR (930 MB)",
        "checking TPU-MLIR",
    ]
    assert install(said.append) == made
    assert (calls(), len(said)) == (1, 3)
    mark = made.root / "mark"
    mark.touch()
    assert install(force=True) == made
    assert calls() == 2
    assert not mark.exists()
    visible = [p.name for p in made.root.parent.parent.iterdir() if not p.name.endswith(".lock")]
    assert visible == ["tpu-mlir-1.30.2"]


def test_a_pip_that_lies_in_the_folder_is_not_executed(
    pip: Callable[..., Callable[[], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    calls = pip()
    (tmp_path / "pip.py").write_text("raise SystemExit('executed')")
    monkeypatch.chdir(tmp_path)
    install()
    assert calls() == 1


def test_install_elsewhere(pip: Callable[..., Callable[[], int]], tmp_path: Path):
    pip()
    (tmp_path / "own").mkdir()
    assert install(folder=tmp_path / "own").root == tmp_path / "own" / "tpu_mlir"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(AutosplitError, match="holds something else than TPU-MLIR"):
        install(folder=tmp_path / "other")
    assert [p.name for p in (tmp_path / "other").iterdir()] == ["file"]
    (tmp_path / "plain").touch()
    with pytest.raises(AutosplitError, match="cannot be set up there"):
        install(folder=tmp_path / "plain" / "inner")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "print('ERROR: first')\nprint('ERROR: no such thing')\nsys.exit(1)",
            r"could not install .*exit code 1\): no such thing; .*--target .* tpu-mlir==1.30.2",
        ),
        ("sys.exit(2)", r"\(ended with exit code 2\): Collecting tpu-mlir"),
        ("os.kill(os.getpid(), 9)", "was killed"),
    ],
)
def test_pip_fails(pip: Callable[..., Callable[[], int]], tmp_path: Path, body: str, message: str):
    pip(f"print(end='', flush=True)\n{body}")
    with pytest.raises(AutosplitError, match=message) as caught:
        install()
    assert "\n" not in str(caught.value)
    assert not tpu_mlir.user_folder().exists()


def test_pip_hangs(
    pip: Callable[..., Callable[[], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(installing, "INSTALL_TIMEOUT", 1)
    pip("time.sleep(600)")
    with pytest.raises(AutosplitError, match="was killed"):
        install()


def test_what_does_not_run_is_not_put_in_place(pip: Callable[..., Callable[[], int]]):
    pip()
    kept = install()
    pip(does="echo broken >&2; exit 3")
    with pytest.raises(
        AutosplitError, match="does not run here: it ended with exit code 3: broken"
    ):
        install(force=True)
    assert discover() == kept


def test_no_pip_and_no_room(monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(installing, "find_spec", lambda name: None)
        with pytest.raises(AutosplitError, match=r"has no pip: run .* -m ensurepip.*--target"):
            install()
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage("/")
        patch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=5_000_000))
        with pytest.raises(AutosplitError, match=r"needs 1\.3 GB to be set up, 0\.0 GB are free"):
            install()
    assert not tpu_mlir.user_folder().exists()


INSTALLS = "from autosplit.toolchains.tpu_mlir import install; print(install(print).root)"


def start_install() -> subprocess.Popen[str]:
    command = [sys.executable, "-u", "-c", INSTALLS]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_at_once(pip: Callable[..., Callable[[], int]], tmp_path: Path):
    go = tmp_path / "go"
    waits = f"while not Path({str(go)!r}).exists(): time.sleep(0.02)"
    calls = pip(GOOD.replace("time.sleep({wait})", waits))
    first = start_install()
    wait_until(lambda: calls() == 1, "the first process to run pip")
    second = start_install()
    assert second.stdout is not None
    assert second.stdout.readline().startswith("waiting for another process")
    go.touch()
    for process in (first, second):
        said, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, "waiting for" in said) == (0, False)
    assert calls() == 1


def test_a_process_that_is_killed_leaves_nothing_half(
    pip: Callable[..., Callable[[], int]], tmp_path: Path
):
    family = Family(tmp_path / "tmp")
    calls = pip(wait=600)
    process = subprocess.Popen([sys.executable, "-c", INSTALLS], env=family.environment())
    part = tpu_mlir.user_folder().with_name(".tpu-mlir-1.30.2.part")
    wait_until((part / "tpu_mlir" / "bin" / "tpuc-opt").exists, "pip to unpack")
    process.kill()
    process.wait()
    family.wait_for_end()
    assert find() is None
    pip()
    assert install() == discover()
    assert calls() == 2
    assert not part.exists()


# For tests


def test_the_helper_of_tests(
    pip: Callable[..., Callable[[], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(testing, "_refused", [])
    calls = pip("sys.exit(1)")
    for _ in range(2):
        with pytest.raises(testing.ToolchainUnavailable, match=r"TPU-MLIR 1\.30\.2: pip could not"):
            testing.toolchain()
    assert calls() == 1
    pip()
    monkeypatch.setattr(testing, "_refused", [])
    monkeypatch.setenv(VARIABLE, "")
    found = testing.toolchain()
    assert found.root == tmp_path / "cache" / "tpu-mlir-1.30.2" / "tpu_mlir"
    assert os.environ[VARIABLE] == str(found.root)
    monkeypatch.setenv(VARIABLE, "/nowhere")
    with pytest.raises(AutosplitError, match="names /nowhere"):
        testing.toolchain()
