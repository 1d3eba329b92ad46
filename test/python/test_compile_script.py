"""Compile scripts for TPU-MLIR: carried away, run by other Pythons, and full of strange names."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import fake_tpu_mlir as fake
import numpy as np
import pytest
from processes import PATIENCE, Family, wait_for_end, wait_for_pid, wait_until

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.flows import doctor
from autosplit.folder.compilation import read_compilation
from autosplit.folder.compile_script import compile_script, script_name
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import bmodel_child, bmodel_compile
from autosplit.toolchains.bmodel_compile import VARIABLE, Settings

SETTINGS: Settings = {
    **doctor.CONVOLUTION,
    "context_dir": "graph_ir_1",
    "inputs": [{"name": "x", "shape": [1, 2, 6, 6], "tensor": "in:0", "dtype": "float32"}],
    "outputs": [{"name": "y", "shape": [1, 3, 6, 6], "tensor": "out:0", "dtype": "float32"}],
}
SCRIPT = script_name("graph_ir_1")


def put(folder: Path, settings: Settings) -> Path:
    """The script and the files that it compiles, in a folder; the script."""
    inner = folder / settings.get("context_dir", "")
    inner.mkdir(parents=True)
    doctor.write_convolution(inner)
    (folder / SCRIPT).write_text(compile_script(settings), encoding="utf-8")
    return folder / SCRIPT


def run(
    script: Path, root: Path | str | None, *arguments: str, python: str = sys.executable, **env: str
) -> subprocess.CompletedProcess[str]:
    """Runs a script from another folder, without this environment's packages."""
    variables = {k: v for k, v in os.environ.items() if k != VARIABLE} | env
    if root is not None:
        variables[VARIABLE] = str(root)
    return subprocess.run(
        [python, "-I", "-S", "-W", "error", str(script), *arguments],
        cwd=script.parent.parent,
        env=variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


INFO = (
    fake.INFO.replace("[net]", "[doctor]")
    .replace("3, 16, 16", "2, 6, 6")
    .replace("z, [1, 8, 16, 16]", "y, [1, 3, 6, 6]")
)


def stand_in(holder: Path, tpuc_opt: str = fake.WRITES) -> Path:
    return fake.make(holder, tpuc_opt, f"cat <<'END'\n{INFO}END")


def test_compiles_and_records(tmp_path: Path):
    script = put(tmp_path / "my folder", SETTINGS)
    done = run(script, stand_in(tmp_path / "tree"))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "graph_ir_1: BM1684, F32, TPU-MLIR 1.30.2"
    assert [line.split()[0] for line in lines[1:5]] == ["optimize", "lower", "schedule", "generate"]
    assert lines[5].startswith("wrote graph_ir_1/compilation.bmodel (0.0 KB) in ")
    record = read_compilation(script.parent / "graph_ir_1")
    assert record is not None
    assert [(b.tensor, b.name, b.shape, b.dtype) for b in record.inputs] == [
        ("in:0", "x", (1, 2, 6, 6), "float32")
    ]
    assert set(record.sources) == {"doctor.mlir", "doctor_weights.npz"}
    assert (record.compiler, record.toolchain, record.net) == ("tpu-mlir", "1.30.2", "doctor")
    again = run(script, stand_in(tmp_path / "other"))
    assert again.returncode == 0
    assert read_compilation(script.parent / "graph_ir_1") == record


def test_finds_the_tool_chain_by_itself(tmp_path: Path):
    script = put(tmp_path / "folder", SETTINGS)
    data = tmp_path / "data"
    without = run(script, None, XDG_DATA_HOME=str(data))
    assert without.returncode == 1
    assert without.stderr.startswith("graph_ir_1: TPU-MLIR was not found: `autosplit toolchain")
    assert without.stderr.count("\n") == 1
    stand_in(data / "autosplit" / "tpu-mlir-1.30.2")
    assert run(script, None, XDG_DATA_HOME=str(data)).returncode == 0
    old = fake.make(tmp_path / "old", model_tool=f"cat <<'END'\n{INFO}END", version="1.2")
    named = run(script, "/nowhere", "--tpu-mlir", str(tmp_path / "old"))
    assert named.returncode == 0
    assert "warning: all was measured with TPU-MLIR 1.30.2" in named.stdout
    assert str(old) in (tmp_path / "folder/graph_ir_1/compile.log").read_text()


def test_failures_are_one_line(tmp_path: Path):
    script = put(tmp_path / "folder", SETTINGS)
    failed = run(script, stand_in(tmp_path / "tree", "echo the reason; exit 3"))
    assert failed.returncode == 1
    assert failed.stderr == (
        "graph_ir_1: step 1 of 4 (optimize) of TPU-MLIR ended with exit code 3: the reason; "
        "see graph_ir_1/compile.log\n"
    )
    slow = run(script, stand_in(tmp_path / "slow", "exec sleep 100"), "--timeout", "0.5")
    assert "was not done after 0.5 s" in slow.stderr
    assert not (script.parent / "graph_ir_1" / "compilation.bmodel").exists()
    for seconds in ("0", "-1", "nan"):
        never = run(script, tmp_path / "tree", "--timeout", seconds)
        assert never.stderr == (
            f"graph_ir_1: the timeout is {seconds} s, expected more than 0 seconds\n"
        )
    missing = run(script, stand_in(tmp_path / "good"), "--compare")
    assert missing.stdout.count("\n") == 1, "a step was done"
    assert missing.stderr == (
        "graph_ir_1: graph_ir_1/input_ref_data.npz: is missing; "
        "`autosplit convert --compare` writes it\n"
    )
    shutil.rmtree(script.parent / "graph_ir_1")
    gone = run(script, tmp_path / "tree")
    assert "there is no such folder; expected doctor.mlir in it" in gone.stderr


STEPS = ["struct-optimize", "convert-top-to-tpu", "layer-group", "codegen"]


def start(script: Path, family: Family, root: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", script, *arguments],
        env=family.environment(**{VARIABLE: str(root)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def hang(mark: Path, step: str) -> str:
    """A tpuc-opt that hangs in a step, and writes its number before."""
    return f'case "$*" in *{step}*) echo $$ > {mark}; exec sleep 600;; esac;{fake.WRITES}'


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_script_that_is_stopped_takes_its_step_with_it(tmp_path: Path, number: signal.Signals):
    script = put(tmp_path / "folder", SETTINGS)
    family, mark = Family(tmp_path / "tmp"), tmp_path / "pid"
    process = start(script, family, stand_in(tmp_path / "tree", hang(mark, "")))
    wait_for_pid(mark)
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in said) == (128 + number, False), said
    assert family.running() == {}
    left = {path.name for path in (script.parent / "graph_ir_1").iterdir()}
    assert left == {"doctor.mlir", "doctor_weights.npz", "compile.log"}


@pytest.mark.parametrize("step", STEPS)
def test_a_script_that_is_killed_takes_its_step_with_it(tmp_path: Path, step: str):
    script = put(tmp_path / "folder", SETTINGS)
    family, mark = Family(tmp_path / "tmp"), tmp_path / "pid"
    process = start(script, family, stand_in(tmp_path / "tree", hang(mark, step)))
    pid = wait_for_pid(mark)
    assert pid in family.running()
    process.kill()
    process.communicate()
    family.wait_for_end()
    inner = script.parent / "graph_ir_1"
    assert not (inner / "compilation.bmodel").exists()
    assert (inner / ".compile").exists()
    assert run(script, stand_in(tmp_path / "good")).returncode == 0
    assert (inner / "compilation.bmodel").exists()
    assert not (inner / ".compile").exists()


def test_a_script_that_is_killed_takes_the_emulator_with_it(tmp_path: Path):
    root = toolchain().root
    script = put(tmp_path / "folder", SETTINGS)
    inner = script.parent / "graph_ir_1"
    np.savez(inner / "input_ref_data.npz", x=np.zeros((1, 2, 6, 6), np.float32))
    y = np.broadcast_to(doctor._numbers()[2][:, None, None], (1, 3, 6, 6))
    np.savez(inner / "output_ref_data.npz", y=np.ascontiguousarray(y))
    family = Family(tmp_path / "tmp")
    process = start(script, family, root, "--compare")

    def emulates() -> bool:
        assert process.poll() is None
        return family.has("bm_dev_request")

    wait_until(emulates, "the emulator")
    process.kill()
    process.communicate()
    family.wait_for_end()
    assert run(script, root, "--compare").returncode == 0


def test_a_step_is_not_started_for_who_is_gone(tmp_path: Path):
    """Between the start of a process and the call that ties it to another, that one may have ended."""
    out = tmp_path / "out"
    code = (
        "import os, sys, time\n"
        "from autosplit.toolchains.bmodel_compile import tied\n"
        "tie = tied()\n"
        "if os.fork() == 0:\n"
        "    while os.getppid() == int(sys.argv[1]): time.sleep(0.01)\n"
        "    open(sys.argv[2], 'w').write(f'{os.getpid()}\\n')\n"
        "    tie()\n"
        "    open(sys.argv[2], 'w').write('went on\\n')\n"
        "os._exit(0)\n"
    )
    wrapper = f"exec '{sys.executable}' -c \"$1\" $$ '{out}'"
    subprocess.run(["sh", "-c", wrapper, "sh", code], check=True)
    wait_for_end(wait_for_pid(out))
    assert out.read_text() != "went on\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_script_to_which_nobody_listens(tmp_path: Path, unbuffered: str):
    script = put(tmp_path / "folder", SETTINGS)
    root = stand_in(tmp_path / "tree")
    environment = {**os.environ, VARIABLE: str(root), "PYTHONUNBUFFERED": unbuffered}
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, script],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")
    inner = script.parent / "graph_ir_1"
    assert {path.name for path in inner.iterdir()} <= {
        "doctor.mlir",
        "doctor_weights.npz",
        "compile.log",
    }
    closed = subprocess.run(
        f"'{sys.executable}' '{script}' >&-", shell=True, env=environment, check=True
    )
    assert closed.returncode == 0
    assert (inner / "compilation.bmodel").exists()


NASTY = "a'; import os; os.mkdir('owned') #\"\"\"'''\n\\\r{x}\\:0 é\ud800 %s"


def test_names_are_data(tmp_path: Path):
    settings: Settings = {
        **SETTINGS,
        "context_dir": "graph_ir_'1",
        "inputs": [{"name": "x", "shape": [1, 2, 6, 6], "tensor": NASTY + "long " * 50}],
        "outputs": [{"name": "y", "shape": [1, 3, 6, 6], "tensor": '"""' + NASTY, "dtype": NASTY}],
        "data": NASTY,
    }
    text = compile_script(settings)
    said = next(
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SETTINGS"
    )
    assert ast.literal_eval(said) == {
        **settings,
        "record": True,
        "tolerance": asdict(TOLERANCES["F32"]),
    }
    script = put(tmp_path / 'it\'s {a} %s "folder"', settings)
    done = run(script, stand_in(tmp_path / "tree"))
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads((script.parent / "graph_ir_'1" / "compilation.json").read_text())
    assert record["outputs"][0]["tensor"] == '"""' + NASTY
    assert record["data"] == NASTY
    assert not list(tmp_path.rglob("owned"))


def test_the_script_is_the_modules_text(tmp_path: Path):
    """What is tested of the module holds for the scripts."""
    text = compile_script(SETTINGS)
    _, _, body = Path(bmodel_compile.__file__).read_text().partition("annotations\n")
    assert body.strip() in text
    assert Path(bmodel_child.__file__).read_text() in text
    ast.parse(text, feature_version=(3, 8))
    ast.parse(Path(bmodel_child.__file__).read_text(), feature_version=(3, 8))


def test_the_same_settings_give_the_same_text():
    assert compile_script(SETTINGS) == compile_script({**SETTINGS})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"chip": "bm1682"}, "graph_ir_1: TPU-MLIR has no chip bm1682; .* --compiler bmnet"),
        ({"mode": "BF16"}, "graph_ir_1: bm1684 does not compute in 'BF16'"),
        ({"mode": "INT8"}, "graph_ir_1: INT8 needs a calibration table"),
        (
            {"inputs": [{"name": "x", "shape": [1, -1]}]},
            r"'x' of the TPU sub-model in graph_ir_1 has the shape \[1, -1\]: the compiler needs all",
        ),
    ],
)
def test_refusals(changes: dict[str, Any], message: str):
    settings: Any = {**SETTINGS, **changes}
    with pytest.raises(AutosplitError, match=message):
        compile_script(settings)


# With the real tool chain


def other_pythons() -> list[str]:
    """Interpreters from 3.8 on that are on this machine, beside this one."""
    found: list[str] = []
    for minor in (8, 9, 10, 12, 13):
        path = shutil.which(f"python3.{minor}")
        if (
            path
            and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0
        ):
            found.append(path)
    return found


@pytest.mark.parametrize("python", [sys.executable, *other_pythons()])
def test_compares_without_autosplit(tmp_path: Path, python: str):
    root = toolchain().root
    script = put(tmp_path / "folder", SETTINGS)
    inner = script.parent / "graph_ir_1"
    x, _, bias = doctor._numbers()
    np.savez(inner / "doctor_weights.npz", w=np.zeros((3, 2, 3, 3), "f4"), b=bias)
    np.savez(inner / "input_ref_data.npz", x=x.astype(np.float64))
    y = np.broadcast_to(bias[:, None, None], (1, 3, 6, 6))
    np.savez(inner / "output_ref_data.npz", y=np.ascontiguousarray(y))
    done = run(script, root, "--compare", python=python)
    assert (done.returncode, done.stderr) == (0, "")
    assert "output 'out:0': cosine 1.000000, relative 0, largest difference 0\n" in done.stdout
    record = read_compilation(inner)
    assert record is not None
    assert record.comparison["out:0"].cosine == 1.0
    np.savez(inner / "output_ref_data.npz", y=y + 1)
    done = run(script, root, "--compare", python=python)
    assert done.returncode == 1
    assert done.stderr.startswith("graph_ir_1: output 'out:0' of the emulator is not that of the")
    assert sorted(p.name for p in inner.iterdir()) == [
        *("compile.log", "doctor.mlir", "doctor_weights.npz"),
        *("input_ref_data.npz", "output_ref_data.npz"),
    ]
