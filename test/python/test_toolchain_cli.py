"""`autosplit toolchain` and `autosplit doctor`."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import fake_tpu_mlir as fake
import pytest

from autosplit.core.errors import AutosplitError
from autosplit.flows import doctor
from autosplit.flows.doctor import HealthCheck
from autosplit.runtime.bmodel import process as bmodel_runtime
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import tpu_mlir
from autosplit.toolchains.bmodel_compile import MODES
from autosplit.tools.cli.main import main
from autosplit.tools.cli.toolchain import show_checks


@pytest.fixture(autouse=True)
def _users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


# Installing


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path | None, bool]]:
    """What `install` is asked for, in place of doing it."""
    found: list[tuple[Path | None, bool]] = []

    def install(progress: Any, folder: Path | None, force: bool) -> tpu_mlir.TpuMlir:
        found.append((folder, force))
        return tpu_mlir.TpuMlir((folder or tpu_mlir.user_folder()) / "tpu_mlir", "1.30.2")

    monkeypatch.setattr(tpu_mlir, "install", install)
    return found


def test_install(
    asked: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv(tpu_mlir.VARIABLE, raising=False)
    assert main(["toolchain", "install", "tpu-mlir"]) == 0
    users = tpu_mlir.user_folder()
    assert capsys.readouterr().out == f"TPU-MLIR 1.30.2 is in {users}/tpu_mlir\n"
    assert main(["toolchain", "install", "tpu-mlir", "--dir", "own", "--force"]) == 0
    assert capsys.readouterr().out.endswith("to use it: export AUTOSPLIT_TPU_MLIR=own\n")
    monkeypatch.setenv(tpu_mlir.VARIABLE, "/elsewhere")
    assert main(["toolchain", "install", "tpu-mlir"]) == 0
    assert capsys.readouterr().out.endswith("not used, as AUTOSPLIT_TPU_MLIR names /elsewhere\n")
    monkeypatch.setenv(tpu_mlir.VARIABLE, "own")
    assert main(["toolchain", "install", "tpu-mlir", "--dir", "own"]) == 0
    assert capsys.readouterr().out == "TPU-MLIR 1.30.2 is in own/tpu_mlir\n"
    assert asked == [(None, False), (Path("own"), True), (None, False), (Path("own"), False)]


def test_errors_are_one_line(asked: list[Any], capsys: pytest.CaptureFixture[str]):
    for arguments, message in (
        (["install", "tpu-mlr"], "'tpu-mlr' is not a tool chain; there is onednn, tpu-mlir"),
        (["path", "gcc"], "'gcc' is not a tool chain; there is onednn, tpu-mlir"),
        (["fly", "tpu-mlir"], "invalid choice: 'fly'"),
        ([], "the following arguments are required: ACTION"),
    ):
        assert main(["toolchain", *arguments]) == 1
        told = capsys.readouterr().err
        assert message in told
        assert told.count("\n") == 1
    assert asked == []


def test_path(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    root = fake.make(tmp_path / "tree")
    monkeypatch.setenv(tpu_mlir.VARIABLE, str(tmp_path / "tree"))
    assert main(["toolchain", "path", "tpu-mlir"]) == 0
    assert capsys.readouterr().out == f"{root}\n"
    monkeypatch.setenv(tpu_mlir.VARIABLE, "/nowhere")
    assert main(["toolchain", "path", "tpu-mlir"]) == 1
    assert "AUTOSPLIT_TPU_MLIR names /nowhere: there is no TPU-MLIR" in capsys.readouterr().err


# What doctor looks at


def test_packages(monkeypatch: pytest.MonkeyPatch):
    installed = {"onnxruntime-gpu": "1.2"}

    def version(name: str) -> str:
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(doctor.metadata, "version", version)
    found = [doctor.check_package(*package) for package in doctor.PACKAGES]
    assert found[0] == HealthCheck("onnxruntime", "ok", "1.2 (onnxruntime-gpu)")
    assert (found[1].name, found[1].state) == ("tensorflow", "missing")
    assert found[1].hint == "pip install 'autosplit[tensorflow]'"


def test_nothing_is_loaded_into_this_process():
    code = (
        "import sys; from autosplit.flows.doctor import *\n"
        "[check_package(*p) for p in PACKAGES]; check_onednn()\n"
        "assert not {'onnxruntime', 'tensorflow', 'numpy'} & set(sys.modules)\n"
        "assert 'libdnnl' not in open('/proc/self/maps').read()"
    )
    import subprocess

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_of_the_folder_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    expected = doctor.check_onednn().detail
    (tmp_path / "json.py").write_text("raise SystemExit('executed')")
    monkeypatch.chdir(tmp_path)
    assert doctor.check_onednn().detail == expected


def test_onednn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    found = doctor.check_onednn()
    if found.state == "missing":
        pytest.skip("oneDNN is not installed")
    assert found.state == "ok"
    assert found.detail.split(", ")[0].count(".") == 2
    monkeypatch.setenv("AUTOSPLIT_DNNL_LIB", str(tmp_path / "none"))
    broken = doctor.check_onednn()
    assert (broken.state, "no such file" in broken.detail) == ("broken", True)
    monkeypatch.delenv("AUTOSPLIT_DNNL_LIB")
    for code, told in (
        ("import os; os.kill(os.getpid(), 11)", "loading it crashed (SIGSEGV)"),
        ("import sys; sys.exit('no such symbol')", "exit code 1: no such symbol"),
    ):
        monkeypatch.setattr(doctor, "ONEDNN", code)
        broken = doctor.check_onednn()
        assert (broken.state, told in broken.detail) == ("broken", True)
    monkeypatch.setattr(doctor, "ONEDNN", "import time; time.sleep(60)")
    monkeypatch.setattr(doctor, "TIMEOUT", 1.0)
    assert doctor.check_onednn().detail == "did not answer within 1 s"


def test_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = doctor.Path

    def path(text: str) -> Path:
        return real(text.replace("/dev", str(tmp_path)))

    monkeypatch.setattr(doctor, "Path", path)
    assert doctor.check_card().state == "missing"
    (tmp_path / "bm-sophon0").touch()
    (tmp_path / "bm-sophon1").touch()
    monkeypatch.setattr(bmodel_runtime, "find_driver", lambda: None)
    broken = doctor.check_card()
    assert (broken.state, "libbmrt of its driver is missing" in broken.detail) == ("broken", True)
    monkeypatch.setattr(bmodel_runtime, "find_driver", lambda: Path("/libbmrt.so"))
    assert doctor.check_card().detail == f"{tmp_path}/bm-sophon0, {tmp_path}/bm-sophon1"
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    assert "may not be opened by this user" in doctor.check_card().detail


def states(checks: list[HealthCheck]) -> dict[str, str]:
    return {check.name: check.state for check in checks}


def test_no_tool_chain_is_no_fault(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(tpu_mlir.VARIABLE, raising=False)
    monkeypatch.setattr(doctor, "check_onednn", lambda: HealthCheck("oneDNN", "ok", ""))

    def discover() -> None:
        raise AutosplitError("TPU-MLIR was not found: ...")

    monkeypatch.setattr(doctor, "discover", discover)
    found = {check.name: check for check in doctor.check_all()}
    assert found["TPU-MLIR"].state == "missing"
    assert found["TPU-MLIR"].hint == "autosplit toolchain install tpu-mlir"
    assert "bm1684 compiler" not in found
    monkeypatch.setenv(tpu_mlir.VARIABLE, "/nowhere")
    assert states(list(doctor.check_all()))["TPU-MLIR"] == "broken"


def test_a_tool_chain_that_is_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv(tpu_mlir.VARIABLE, raising=False)
    root = fake.make(tpu_mlir.user_folder())
    (root / "bin" / "model_tool").unlink()
    monkeypatch.setattr(doctor, "check_onednn", lambda: HealthCheck("oneDNN", "ok", ""))
    found = {check.name: check for check in doctor.check_all()}["TPU-MLIR"]
    assert (found.state, found.hint) == ("broken", "autosplit toolchain install tpu-mlir --force")
    assert main(["toolchain", "install", "tpu-mlir"]) == 1
    told = capsys.readouterr().err
    assert told.endswith("not complete: bin/model_tool is missing; --force replaces it\n")


def test_a_tool_chain_that_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(tpu_mlir.VARIABLE, raising=False)
    root = fake.make(tmp_path / "tree", "case $1 in --version) exit 0;; esac; echo oh no; exit 4")
    tools = tpu_mlir.TpuMlir(root, "1.30.2")
    (found,) = doctor.check_chip(tools, "bm1684")
    assert (found.name, found.state) == ("bm1684 compiler", "broken")
    assert found.detail.endswith("exit code 4: oh no")
    assert found.hint == "autosplit toolchain install tpu-mlir --force"
    monkeypatch.setenv(tpu_mlir.VARIABLE, str(root))
    (found,) = doctor.check_chip(tools, "bm1684")
    assert found.hint.startswith("set AUTOSPLIT_TPU_MLIR to one that works, or unset it")


def test_wrong_numbers_are_a_fault(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doctor, "run_convolution", lambda tools, bmodel: float("nan"))
    compiler, emulator = doctor.check_chip(toolchain(), "bm1684")
    assert (compiler.state, emulator.state) == ("ok", "broken")
    assert emulator.detail == "computes a convolution wrong: off by nan, expected 1e-05 at most"

    def fail(tools: object, bmodel: object) -> float:
        raise AutosplitError("the emulator crashed")

    monkeypatch.setattr(doctor, "run_convolution", fail)
    _, emulator = doctor.check_chip(toolchain(), "bm1684")
    assert (emulator.state, emulator.detail) == ("broken", "the emulator crashed")


# What doctor prints


def test_doctor_really_runs_everything(capsys: pytest.CaptureFixture[str]):
    toolchain()
    code = main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    found = {check["name"]: check for check in report["checks"]}
    assert (code, report["ok"]) == (0, True)
    for chip in MODES:
        assert found[f"{chip} compiler"]["state"] == "ok"
        assert found[f"{chip} emulator"]["state"] == "ok"
        assert found[f"{chip} emulator"]["seconds"] > 0
    assert found["TPU-MLIR"]["detail"].startswith("1.30.2, ")
    assert found["python"]["detail"].endswith(sys.executable)


def test_exit_codes_and_text(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    checks = [
        HealthCheck("one", "ok", "fine", "", 1.25),
        HealthCheck("two", "missing", "nice", "get it"),
    ]
    monkeypatch.setattr(doctor, "check_all", lambda progress: iter(checks))
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "one    ok        1.2 s   fine\n" in told
    assert told.endswith("What can be done\n  two: get it\n\nwhat is there works\n")
    checks.append(HealthCheck("three", "broken", "bad"))
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.endswith("\nthree: broken\n")
    assert main(["doctor", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False
    checks[2:] = [HealthCheck(name, "broken", "bad", "do so") for name in ("three", "four")]
    assert main(["doctor"]) == 1
    assert "\n  three, four: do so\n" in capsys.readouterr().out
    show_checks("title", checks[:1])
    assert "What can be done" not in capsys.readouterr().out
