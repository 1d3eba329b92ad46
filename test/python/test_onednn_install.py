"""`autosplit toolchain install onednn`: a newer oneDNN in the user's folder, which is used from then on."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from autosplit.core.errors import AutosplitError
from autosplit.toolchains import onednn
from autosplit.toolchains.onednn import VARIABLE, find_library, install, user_library
from autosplit.tools.cli.main import main


@pytest.fixture(autouse=True)
def _users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def wheel(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], list[str]]:
    """Puts a wheel of one member in place of what pip would download; returns what was asked for."""

    def put(member: str, content: bytes) -> list[str]:
        requirements: list[str] = []

        def run_pip(arguments: Sequence[str], requirement: str, instead: str) -> None:
            requirements.append(requirement)
            folder = Path(arguments[arguments.index("--dest") + 1])
            folder.mkdir(parents=True)
            with zipfile.ZipFile(folder / "it-1-cp312-cp312-any.whl", "w") as archive:
                archive.writestr(member, content)

        monkeypatch.setattr(onednn, "run_pip", run_pip)
        return requirements

    return put


def test_it_is_used_from_then_on(
    wheel: Callable[[str, bytes], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    package = find_library()
    asked = wheel(onednn.MEMBER, package.read_bytes())
    assert main(["toolchain", "install", "onednn"]) == 0
    folder = user_library().parent
    assert capsys.readouterr().out == f"oneDNN {onednn.RELEASE} is in {folder}\n"
    assert main(["toolchain", "path", "onednn"]) == 0
    assert capsys.readouterr().out == f"{folder}/libdnnl.so.3\n"
    assert find_library() == user_library() != package
    assert [p.name for p in folder.iterdir()] == ["libdnnl.so.3"]
    assert install() == user_library()
    assert asked == [onednn.WHEEL]
    install(force=True)
    assert asked == [onednn.WHEEL] * 2


def test_the_variable_goes_first(
    wheel: Callable[[str, bytes], list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    package = find_library()
    wheel(onednn.MEMBER, package.read_bytes())
    monkeypatch.setenv(VARIABLE, str(package))
    assert main(["toolchain", "install", "onednn"]) == 0
    assert capsys.readouterr().out.endswith(f"not used, as {VARIABLE} names {package}\n")
    assert find_library() == package


@pytest.mark.parametrize(
    ("content", "message"), [(b"text", "is not a shared library"), (b"", "is empty")]
)
def test_a_damaged_library_is_not_put_in_place(
    content: bytes, message: str, wheel: Callable[[str, bytes], list[str]]
) -> None:
    wheel(onednn.MEMBER, content)
    with pytest.raises(AutosplitError, match=message) as caught:
        install()
    assert "\n" not in str(caught.value)
    assert [p.name for p in user_library().parent.parent.iterdir()] == [
        f".onednn-{onednn.RELEASE}.lock"
    ]


def test_one_that_was_damaged_says_how_to_replace_it(
    wheel: Callable[[str, bytes], list[str]],
) -> None:
    wheel(onednn.MEMBER, find_library().read_bytes())
    install()
    user_library().write_bytes(b"text")
    for look in (find_library, install):
        with pytest.raises(AutosplitError, match=r"install onednn --force` replaces .* is not a"):
            look()
    assert install(force=True) == find_library()


def test_another_package_than_expected_and_no_room(
    wheel: Callable[[str, bytes], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel("paddle/other.so", b"")
    with pytest.raises(AutosplitError, match=rf"{onednn.WHEEL} has no {onednn.MEMBER}"):
        install()
    full = shutil.disk_usage("/")._replace(free=5_000_000)

    def disk_usage(path: Path) -> object:
        return full

    monkeypatch.setattr(shutil, "disk_usage", disk_usage)
    with pytest.raises(AutosplitError, match=r"needs 0\.3 GB to be set up, 0\.0 GB are free"):
        install()


def test_the_folder_is_for_the_other_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["toolchain", "install", "onednn", "--dir", "x"]) == 1
    assert f"--dir is for tpu-mlir: a oneDNN elsewhere is used where {VARIABLE} names" in (
        capsys.readouterr().err
    )


@pytest.mark.nightly
def test_the_real_one() -> None:
    library = install()
    code = "from autosplit.runtime.dnnl.process import library; print(library(threads=1).release)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == onednn.RELEASE
    assert find_library() == library
