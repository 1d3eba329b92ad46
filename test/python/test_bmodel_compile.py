"""Compiling a Top module: the steps, what is checked, what is said when it fails."""

from __future__ import annotations

import ast
import hashlib
import json
import math
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fake_tpu_mlir as fake
import numpy as np
import pytest
from convert_toolchain import wrapped
from hypothesis import given
from hypothesis import strategies as st
from processes import Family, wait_for_end, wait_for_pid
from sampled import sample_rows

from autosplit import devices
from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.flows import doctor
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import bmodel_compile
from autosplit.toolchains.bmodel_compile import (
    BMODEL,
    LOG,
    RECORD,
    WORK,
    CompileError,
    Digest,
    Settings,
    bmodel_info,
    bmodel_problem,
    clear_mode,
    compile_top,
    measure,
    only_rounding,
    open_reshapes,
    read_npz,
    recipe,
    reduced_cause,
    unescape,
)

SETTINGS: Settings = {
    "mlir": "graph_1.mlir",
    "weights": "graph_1_weights.npz",
    "chip": "bm1684",
    "mode": "F32",
    "net": "net",
    "inputs": [{"name": "x", "shape": [1, 3, 16, 16]}],
    "outputs": [{"name": "z", "shape": [1, 8, 16, 16]}],
    "timeout": 20,
}

TEXT = """\
"builtin.module"() ({
  %0 = "top.Weight"() : () -> tensor<8xf32> loc("a/\\22b\\22")
  %1 = "top.Weight"() : () -> tensor<8xf32> loc("\\C3\\A9")
}) {module.top_run_mode = "STATIC", module.weight_file = "graph_1_weights.npz"} : () -> ()
"""


@pytest.mark.parametrize(
    "other",
    [
        {"chip": "bm1684x"},
        {"mode": "INT8", "calibration_table": "table"},
        {"quantize_table": "table"},
        {"dynamic": True},
        {"optimize": 3},
        {"inputs": [{"name": "x", "shape": [1], "network_dtype": "int8"}]},
        {"outputs": [{"name": "z", "shape": [1], "network_dtype": "uint8"}]},
    ],
    ids=str,
)
def test_the_recipe_tells_what_is_done(other: Any):
    assert recipe(SETTINGS) == recipe({**SETTINGS, "timeout": 1, "record": True, "keep": True})
    assert recipe(SETTINGS) != recipe({**SETTINGS, **other})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "graph_ir_1"
    made.mkdir()
    (made / "graph_1.mlir").write_text(TEXT)
    np.savez(made / "graph_1_weights.npz", **{'a/"b"': np.zeros(8), "é": np.zeros(8)})
    return made


def quiet(_: str) -> None:
    pass


def failure(folder: Path, root: Path, **changes: Any) -> CompileError:
    """What compiling says, where it must fail; nothing but the log may be left."""
    (folder / BMODEL).write_text("of an earlier run")
    (folder / RECORD).write_text("of an earlier run")
    settings: Any = {**SETTINGS, **changes}
    with pytest.raises(CompileError) as caught:
        compile_top(settings, folder, root, quiet)
    assert "\n" not in str(caught.value)
    left = {path.name for path in folder.iterdir()}
    assert left <= {"graph_1.mlir", "graph_1_weights.npz", LOG}
    return caught.value


# With stand-ins for the tool chain


def test_what_is_run_and_written(folder: Path, tmp_path: Path):
    seen = tmp_path / "seen"
    note = f'printf "%s\\n" "$(pwd)" "$@" -- >> {seen}; env | sort > {seen}.env; ls > {seen}.ls;'
    root = fake.make(tmp_path / "tree", note + fake.WRITES)
    said: list[str] = []
    done = compile_top({**SETTINGS, "record": True}, folder, root, said.append)
    assert done.bmodel == str(folder / BMODEL)
    assert Path(done.bmodel).read_text() == "bmodel\n"
    assert [step.name for step in done.steps] == [
        *("optimize", "lower", "schedule", "generate", "check"),
    ]
    assert [line.split()[0] for line in said] == ["optimize", "lower", "schedule", "generate"]
    runs = [run.strip().splitlines() for run in seen.read_text().split("--\n")[:-1]]
    assert len(runs) == 4, "each step is a process of its own"
    assert {run[0] for run in runs} == {str(folder / WORK)}
    assert [run[-1] for run in runs] == ["top.mlir", "tpu.mlir", "final.mlir", "/dev/null"]
    assert "--processor-assign=chip=bm1684 mode=F32 num_device=1" in runs[1][2]
    assert "--subnet-divide=dynamic=False" in runs[2]
    assert [a for a in runs[2] if a.startswith("--layer-group=opt=2 ")]
    environment = Path(f"{seen}.env").read_text()
    assert f"TPUC_ROOT={root}\n" in environment
    assert "HOME=" not in environment
    assert sorted(p.name for p in folder.iterdir()) == [
        *("compilation.bmodel", "compilation.json", "compile.log", "graph_1.mlir"),
        "graph_1_weights.npz",
    ]
    log = (folder / LOG).read_text()
    assert log.startswith("TPU-MLIR 1.30.2, bm1684, F32\n")
    assert f"\nTPUC_ROOT={root} LD_PRELOAD=/" in log
    assert log.count("\n$ ") == 5
    assert "[lower: ended with exit code 0, " in log


def test_options_reach_the_steps(folder: Path, tmp_path: Path):
    (folder / "graph_1.mlir").write_text(TEXT.replace("STATIC", "DYNAMIC"))
    (folder / "table").write_text("x 1 -1 1\n")
    (folder / "mixed").write_text("z F32\n")
    root = fake.make(
        tmp_path / "tree", f'echo "$@" >> {tmp_path}/seen; ls >> {tmp_path}/ls;' + fake.WRITES
    )
    fake.script(
        root / "bin" / "model_tool",
        f"cat <<'END'\n{fake.INFO.replace('static', 'dynamic').replace('1684', '1684X')}END".replace(
            "z, [1, 8, 16, 16], float32", "z, [max:1, max:8, max:16, max:16], int8"
        ),
    )
    settings: Settings = {
        **SETTINGS,
        "chip": "bm1684x",
        "mode": "INT8",
        "calibration_table": "table",
        "quantize_table": "mixed",
        "dynamic": True,
        "optimize": 3,
        "outputs": [{"name": "z", "shape": [1, 8, 16, 16], "network_dtype": "int8"}],
    }
    compile_top(settings, folder, root, quiet)
    seen = (tmp_path / "seen").read_text()
    for part in (
        "--import-calibration-table=file=calibration asymmetric=False",
        "--convert-top-to-tpu=qtable=quantize weightFileName=",
        "--subnet-divide=dynamic=True",
        "--layer-group=opt=3",
        "quant_input=False quant_output=True quant_input_list= quant_output_list=1 ",
    ):
        assert part in seen
    assert {"calibration", "quantize"} <= set((tmp_path / "ls").read_text().split())


@pytest.mark.parametrize(
    ("tpuc_opt", "step", "message"),
    [
        (
            "exit 0",
            "optimize",
            r"step 1 of 4 \(optimize\) .* without an error, but wrote no top.mlir",
        ),
        ('for last in "$@"; do :; done; : > "$last"', "optimize", "wrote no top.mlir"),
        ("echo half > top.mlir; exit 255", "optimize", "ended with exit code 255; see "),
        ("kill -SEGV $$", "optimize", r"crashed \(SIGSEGV\)"),
        ("kill -KILL $$", "optimize", r"was killed, perhaps for want of memory \(SIGKILL\)"),
        ("kill -TERM $$", "optimize", r"was ended \(SIGTERM\)"),
        (
            'case "$*" in *weight-fold*) echo first; echo the reason >&2; exit 1;; esac;'
            + fake.WRITES,
            "lower",
            r"step 2 of 4 \(lower\) of TPU-MLIR ended with exit code 1: first; the reason; see ",
        ),
        (
            'case "$*" in *codegen*) exit 0;; esac;' + fake.WRITES,
            "generate",
            "wrote no compilation.bmodel",
        ),
        (
            'case "$*" in *codegen*) printf bm > compilation.bmodel; kill -ABRT $$;; esac;'
            + fake.WRITES,
            "generate",
            r"gave up \(SIGABRT\)",
        ),
    ],
)
def test_a_tool_chain_that_fails(
    folder: Path, tmp_path: Path, tpuc_opt: str, step: str, message: str
):
    import re

    error = failure(folder, fake.make(tmp_path / "tree", tpuc_opt))
    assert re.search(message, str(error))
    assert error.step == step
    assert error.log == str(folder / LOG)
    assert Path(error.log).exists()


def test_a_tool_chain_that_hangs(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    family = Family(tmp_path / "tmp")
    monkeypatch.setenv("TMPDIR", str(family.folder))
    root = fake.make(tmp_path / "tree", "exec sleep 600")
    error = failure(folder, root, timeout=0.5)
    assert "was not done after 0.5 s" in str(error)
    assert family.running() == {}


def test_steps_may_take_for_ever(folder: Path, tmp_path: Path):
    done = compile_top(
        {**SETTINGS, "timeout": math.inf}, folder, fake.make(tmp_path / "tree"), quiet
    )
    assert Path(done.bmodel).is_file()


def test_a_program_that_cannot_be_started(folder: Path, tmp_path: Path):
    root = fake.make(tmp_path / "tree")
    (root / "bin" / "tpuc-opt").write_text("#!/nowhere/sh\n")
    assert "could not be started (No such file or directory)" in str(failure(folder, root))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("BM1684", "BM1684X", "it is for bm1684x, expected bm1684"),
        ("chip: BM1684\n", "", "model_tool names no chip"),
        ("[net]", "[other]", "its networks are 'other', expected 'net'"),
        ("net 0", "nothing", "its networks are none, expected 'net'"),
        ("input: x", "input: y", "input 'x' is missing; it has 'y'"),
        ("3, 16", "4, 16", "input 'x' has shape [1, 4, 16, 16], expected [1, 3, 16, 16]"),
        ("8, 16, 16], float32", "8, 16, 16], float16", "output 'z' is float16, expected float32"),
        (
            "output: z, [1, 8",
            "output: y, [1, 9",
            "output 'y' has shape [1, 9, 16, 16], expected [1, 8, 16, 16]",
        ),
        ("output:", "dropped:", "it has 0 outputs (none), expected 1"),
    ],
)
def test_a_bmodel_that_is_another_one(
    folder: Path, tmp_path: Path, old: str, new: str, problem: str
):
    told = fake.INFO.replace(old, new)
    assert told != fake.INFO
    error = failure(folder, fake.make(tmp_path / "tree", model_tool=f"cat <<'END'\n{told}END"))
    assert str(error) == f"the bmodel is not what was asked for: {problem}"
    assert (error.step, error.cause) == ("check", problem)


def test_a_description_that_fails(folder: Path, tmp_path: Path):
    broken = "echo 'FATAL: File is broken'; exit 255"
    error = failure(folder, fake.make(tmp_path / "tree", model_tool=broken))
    assert "the check of the bmodel of TPU-MLIR ended with exit code 255: FATAL: File" in str(error)


def test_settings_that_nothing_can_compile(folder: Path, tmp_path: Path):
    root = fake.make(tmp_path / "tree", "exit 9")
    for changes, message in (
        (
            {"chip": "bm1682"},
            "TPU-MLIR has no chip bm1682; the older compilers have: --compiler bmnet",
        ),
        ({"chip": "bm9"}, "chip 'bm9' is unknown; expected one of bm1684, bm1684x, bm1688"),
        ({"mode": "F16"}, "bm1684 does not compute in 'F16', only in F32 and INT8"),
        ({"mode": "INT8"}, "INT8 needs a calibration table, and there is none"),
        ({"optimize": 4}, "optimize is 4, expected 1, 2 or 3"),
        ({"net": "a/../b"}, "net 'a/../b': expected letters, digits, '_', '.' and '-'"),
        ({"mlir": "../graph_1.mlir"}, "'../graph_1.mlir': expected a file's name, without folders"),
        (
            {"weights": "net_top_f32_all_weight.npz"},
            "'net_top_f32_all_weight.npz': TPU-MLIR itself writes a file of that name",
        ),
        ({"weights": ".."}, "'..': expected a file's name, without folders"),
    ):
        settings: Any = {**SETTINGS, **changes}
        with pytest.raises(CompileError) as caught:
            compile_top(settings, folder, root, quiet)
        assert str(caught.value) == message
    with pytest.raises(CompileError, match=r"nowhere: there is no such folder"):
        compile_top(SETTINGS, tmp_path / "nowhere", root, quiet)


def test_files_that_do_not_fit(folder: Path, tmp_path: Path):
    root = fake.make(tmp_path / "tree", "exit 9")
    text, weights = folder / "graph_1.mlir", folder / "graph_1_weights.npz"

    text.write_text(TEXT.replace("a/", "c/"))
    assert "the weight 'c/\"b\"' is missing" in str(failure(folder, root))
    text.write_text(TEXT.replace("1_weights", "2_weights"))
    assert "names the weights 'graph_2_weights.npz', expected 'graph_1_" in str(
        failure(folder, root)
    )
    text.write_text(TEXT)
    assert "its module.top_run_mode is STATIC, expected DYNAMIC" in str(
        failure(folder, root, dynamic=True)
    )
    weights.write_bytes(weights.read_bytes()[:-30])
    assert "is not an archive of weights" in str(failure(folder, root))
    weights.write_bytes(b"")
    assert "graph_1_weights.npz: is empty" in str(failure(folder, root))
    text.unlink()
    assert "graph_1.mlir: is missing" in str(failure(folder, root))
    assert not (folder / LOG).exists()


def test_links_in_the_folder_are_not_followed_out_of_it(folder: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("kept")
    (folder / LOG).symlink_to(outside / "file")
    (folder / BMODEL).symlink_to(outside / "file")
    (folder / WORK).symlink_to(outside)
    compile_top(SETTINGS, folder, fake.make(tmp_path / "tree"), quiet)
    assert [p.name for p in outside.iterdir()] == ["file"]
    assert (outside / "file").read_text() == "kept"


def test_sources_are_never_written_over(folder: Path, tmp_path: Path):
    (folder / "graph_1.mlir").rename(folder / "top.mlir")
    compile_top({**SETTINGS, "mlir": "top.mlir"}, folder, fake.make(tmp_path / "tree"), quiet)
    assert (folder / "top.mlir").read_text() == TEXT


def test_keep(folder: Path, tmp_path: Path):
    root = fake.make(tmp_path / "tree")
    compile_top({**SETTINGS, "keep": True}, folder, root, quiet)
    assert (folder / WORK / "final.mlir").exists()
    compile_top(SETTINGS, folder, root, quiet)
    assert not (folder / WORK).exists()


def test_two_in_one_folder(folder: Path, tmp_path: Path):
    root = fake.make(tmp_path / "tree")

    def again(_: str) -> None:
        with pytest.raises(CompileError, match="another compilation is at work in this folder"):
            compile_top(SETTINGS, folder, root, quiet)

    compile_top(SETTINGS, folder, root, again)


def test_a_folder_that_may_not_be_written(folder: Path, tmp_path: Path, monkeypatch: Any):
    def refuse(path: str, mode: int = 0o777) -> None:
        raise PermissionError(13, "Permission denied", path)

    root = fake.make(tmp_path / "tree")
    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(CompileError, match=r"cannot be compiled in: .*Permission denied"):
        compile_top(SETTINGS, folder, root, quiet)


# What is read


def test_names_of_any_kind_are_read_from_a_description():
    names = ("a, b:0", 'x"y', "é [1, 2], int8, scale: 3", "two\nlines", "")
    ports = "".join(
        f"input: {name}, [1, -2], int8, scale: 0.5, zero_point: 0\n" for name in names[:1]
    )
    text = f"chip: BM1688\nnet 0: [n]  dynamic\nstage 0:\n{ports}"
    for name in names[1:]:
        text += f"output: {name}, [max:7], float32, scale: 1, zero_point: 0\n"
    chip, (network,) = bmodel_info(text)
    assert (chip, network.name, network.dynamic) == ("bm1688", "n", True)
    assert network.inputs == {"a, b:0": ((1, -2), "int8")}
    assert network.outputs["two\nlines"] == ((7,), "float32")
    assert 'x"y' in network.outputs


def test_dtypes_of_a_bmodel():
    def problem(found: str, **asked: str) -> str:
        port: Any = {"name": "z", "shape": [1, 8, 16, 16], **asked}
        told = fake.INFO.replace("8, 16, 16], float32", f"8, 16, 16], {found}")
        return bmodel_problem(told, {**SETTINGS, "outputs": [port]})

    assert problem("float32") == problem("int32") == problem("int8", network_dtype="int8") == ""
    assert problem("int8") == "output 'z' is int8, expected float32"
    assert problem("float32", network_dtype="int8") == "output 'z' is float32, expected int8"
    assert problem("int32", network_dtype="float32") == "output 'z' is int32, expected float32"


def test_outputs_may_have_other_names():
    info = fake.INFO + "output: {}, [2], float32, scale: 1, zero_point: 0\n"
    settings: Settings = {
        **SETTINGS,
        "outputs": [{"name": "z", "shape": [1, 8, 16, 16]}, {"name": "a", "shape": [2]}],
    }
    # As it is, cast back, with a cast that another op shares, behind an op that was moved.
    for name in ("a", "a_f32", "ag_f32", "a/product_Reshape"):
        assert bmodel_problem(info.format(name), settings) == ""
    settings["outputs"] = [*reversed(settings["outputs"])]
    assert bmodel_problem(info.format("a"), settings) == ""
    # Not found by its place, which another one has.
    assert bmodel_problem(info.format("b"), settings) == "output 'a' is missing; it has 'z', 'b'"
    settings["outputs"] = [{"name": n, "shape": [2]} for n in ("q", "r")]
    assert bmodel_problem(info.format("b"), settings) == (
        "output 'z' has shape [1, 8, 16, 16], expected [2]"
    )


def test_a_network_may_be_dynamic_unasked_but_not_static():
    assert bmodel_problem(fake.INFO.replace("static", "dynamic"), SETTINGS) == ""
    assert "its sizes are fixed" in bmodel_problem(fake.INFO, {**SETTINGS, "dynamic": True})


STACK = """PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include
Stack dump:
0.\tProgram arguments: tpuc-opt top.mlir
 #0 0x000055798e3cfb27 (bin/tpuc-opt+0x95fb27)
 #1 0x00007fad978a8eec __pthread_kill_implementation ./nptl/pthread_kill.c:44:76
"""


@pytest.mark.parametrize(
    ("text", "cause", "names"),
    [
        (
            "<unknown>:0: error: loc(\"z\"): unregistered operation 'top.Det' found\n"
            '<unknown>:0: note: loc("z"): see current operation: %5 = "top.Det"(%4)\n',
            "unregistered operation 'top.Det' found",
            ["z"],
        ),
        (
            'loc(fused["a\\22", "b/c"]): error: cannot be scheduled\nmore\n',
            "cannot be scheduled",
            ['a"', "b/c"],
        ),
        (
            '%3 = "top.Conv"(%0) {a = 1} : (f32) -> f32 loc("y")\n'
            "bmcpu init: skip cpu_user_defined\n"
            '-> %4 = "top.SiLU"(%3) : (f32) -> f32 loc("z")\n'
            "func.return %4 : f32 loc(unknown)\nASSERT executed at/__w/tpu-mlir/tpu-mlir/include/A.h:3\n"
            "ASSERT INFO:Not Implemented\nOperation:\n",
            "ASSERT executed at/__w/tpu-mlir/tpu-mlir/include/A.h:3; ASSERT INFO:Not Implemented"
            " (at top.SiLU 'z')".replace("/__w/tpu-mlir/tpu-mlir/", ""),
            ["z"],
        ),
        (
            '%3 = "top.Conv"(%0) : (f32) -> f32 loc("y")\ncan\'t get scale and zeropoint\n'
            f"UNREACHABLE executed at /__w/tpu-mlir/tpu-mlir/lib/Module.cpp:1943!\n{STACK}",
            "can't get scale and zeropoint; UNREACHABLE executed at lib/Module.cpp:1943!"
            " (at top.Conv 'y')",
            ["y"],
        ),
        (
            f"tpuc-opt: Casting.h:566: auto cast(): Assertion `isa<To>(Val)' failed.\n{STACK}",
            "Assertion `isa<To>(Val)' failed.",
            [],
        ),
        (
            "in cmodel, enable profile.\n[0][ERR] L_input_shape[3] == 1failed!\n"
            '[0]/workspace/core/src/matmul.c:515: matmul_local_v2: Assertion "L[3] == 1" failed.\n'
            "Obtained 10 stack frames.\n/lib/libbackend_bm1684x.so(__print_trace+0x2c) [0x7f60]\n",
            'matmul.c:515: matmul_local_v2: Assertion "L[3] == 1" failed.',
            [],
        ),
        ("tpuc-opt(+0x12) [0x34]\n/lib/libc.so.6(+0x3c050) [0x7f]\n", "", []),
        (
            f"Can not open hash file from all\n  - current directory: 123\n[###   ] 7%\r{STACK}",
            "",
            [],
        ),
        ("one\ntwo\nthree\n", "two; three", []),
        ("", "", []),
    ],
)
def test_causes(text: str, cause: str, names: list[str]):
    assert reduced_cause(text) == (cause, names)


def test_causes_are_one_short_line():
    cause, _ = reduced_cause("error: " + "long " * 1000)
    assert len(cause) == 300


@given(st.text(max_size=300))
def test_any_output_gives_one_line(text: str):
    cause, _ = reduced_cause(text)
    assert "\n" not in cause
    assert len(cause) <= 300


@given(st.text(max_size=20))
def test_escapes(text: str):
    data = text.encode("utf-8", "surrogatepass")
    assert (
        unescape("".join(f"\\{byte:02X}" for byte in data)).encode("utf-8", "surrogateescape")
        == data
    )
    assert unescape('a\\\\b\\"c') == 'a\\b"c'


# Comparing

DTYPES = (
    "float16",
    "float32",
    "float64",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "int64",
    "bool",
)


def test_arrays_are_read_as_numpy_reads_them(tmp_path: Path):
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        f"{dtype}, é": (rng.random((2, 3, 5)) * 100).astype(dtype) for dtype in DTYPES
    }
    arrays["scalar"] = np.float32(2.5)
    arrays["empty"] = np.zeros((0, 4), np.float32)
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    found = read_npz(str(tmp_path / "a.npz"))
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == str(array.dtype)
        assert found[name].shape == array.shape
        assert list(found[name].values()) == array.reshape(-1).tolist()


def test_arrays_that_cannot_be_read(tmp_path: Path):
    for name, array in (("order", np.asfortranarray(np.zeros((2, 3)))), ("text", np.array(["a"]))):
        np.savez(tmp_path / f"{name}.npz", a=array)
        with pytest.raises(CompileError, match="is not supported"):
            read_npz(str(tmp_path / f"{name}.npz"))
    np.savez(tmp_path / "object.npz", a=np.array([{}], object))
    (tmp_path / "no.npz").write_bytes(b"no archive")
    for name in ("object", "no", "missing"):
        with pytest.raises(CompileError, match="cannot be read as arrays"):
            read_npz(str(tmp_path / f"{name}.npz"))


def test_digests_are_taken_beside_other_work(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"a" * 1_000_000)
    first, missing = Digest(str(path)), Digest(str(tmp_path / "missing"))
    assert first.result() == first.result() == hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(FileNotFoundError):
        missing.result()


NUMBERS = st.floats(width=32, allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1.0])


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8))
def test_measures_are_those_of_autosplit(pairs: list[tuple[float, float]]):
    expected, actual = [e for e, _ in pairs], [a for _, a in pairs]
    found = measure(expected, actual)
    known = difference(np.array(expected), np.array(actual))
    assert found.maximum == known.maximum
    assert found.relative == known.relative
    assert math.isclose(found.cosine, known.cosine, rel_tol=1e-9, abs_tol=1e-9)
    assert only_rounding(expected, found) == (known.maximum <= known.rounding)


def test_what_a_reference_rounds_is_no_error():
    steps = [0.0, 5 * 2.0**-25, 2.0**-22]
    off = [e + 1e-7 for e in steps]
    assert only_rounding(steps, measure(steps, off))
    assert only_rounding(off, measure(off, off))
    assert not only_rounding(off, measure(off, steps))
    assert not only_rounding(steps, measure(steps, [e + 1e-6 for e in steps]))
    assert not only_rounding(steps, measure(steps, [math.nan] * 3))


# The source


def test_the_source_is_of_python_3_8_and_needs_nothing():
    source = Path(bmodel_compile.__file__).read_text()
    tree = ast.parse(source, feature_version=(3, 8))
    modules = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert modules <= sys.stdlib_module_names


def test_the_modes_are_those_of_the_device_tables():
    known = {name: tuple(devices.get_chip(name).modes) for name in devices.chip_names()}
    assert known == bmodel_compile.MODES


# With the real tool chain


@pytest.fixture
def convolution(tmp_path: Path) -> Path:
    made = tmp_path / "conv"
    made.mkdir()
    doctor.write_convolution(made)
    x = np.random.default_rng(0).uniform(-1, 1, (1, 2, 6, 6)).astype(np.float32)
    y = write_reference(made, x)
    peak = float(np.abs(y).max())
    (made / "table").write_text(f"x 1 -1 1\ny {peak} -{peak} {peak}\n")
    return made


def write_reference(folder: Path, x: Any) -> Any:
    """Writes an input and what the convolution makes of it; returns the latter."""
    _, weights, bias = doctor._numbers()
    rows, columns = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.stack(
        [padded[0, :, i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    )
    y = np.einsum("ocp,pchw->ohw", weights.reshape(3, 2, 9), windows) + bias[:, None, None]
    np.savez(folder / "input_ref_data.npz", x=x)
    np.savez(folder / "output_ref_data.npz", y=y[None].astype(np.float32))
    return y


def listing(folder: Path) -> list[tuple[str, int, int]]:
    return sorted(
        (str(path), path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")
    )


@pytest.mark.parametrize(
    ("chip", "mode"),
    sample_rows([(chip, mode) for chip, modes in bmodel_compile.MODES.items() for mode in modes]),
)
def test_a_convolution_on_every_chip_in_every_mode(convolution: Path, chip: str, mode: str):
    root = toolchain().root
    before = listing(root) if mode == "F32" else []
    settings: Any = {
        **doctor.CONVOLUTION,
        "chip": chip,
        "mode": mode,
        "calibration_table": "table",
        "record": True,
        "tolerance": vars(TOLERANCES[mode]),
        "outputs": [{"name": "y", "shape": [1, 3, 6, 6], "tensor": "it's"}],
    }
    done = compile_top(settings, convolution, root, quiet, compare=True)
    assert list(done.comparison) == ["it's"]
    assert done.comparison["it's"].relative <= TOLERANCES[mode].relative
    assert (done.comparison["it's"].relative > 2e-5) == (mode != "F32"), "computes in another mode?"
    # One second later at least, as the tool chain notes the time.
    time.sleep(1)
    first = (convolution / BMODEL).read_bytes()
    compile_top(settings, convolution, root, quiet)
    second = (convolution / BMODEL).read_bytes()
    assert second == first
    record = json.loads((convolution / RECORD).read_text())
    files = ["doctor.mlir", "doctor_weights.npz"] + (["table"] if mode == "INT8" else [])
    for name in files:
        digest = hashlib.sha256((convolution / name).read_bytes()).hexdigest()
        assert record["sources"].pop(name) == digest
    assert record["sources"] == {}
    assert record["bmodel"] == hashlib.sha256((convolution / BMODEL).read_bytes()).hexdigest()
    assert (record["chip"], record["mode"], record["toolchain"]) == (chip, mode, "1.30.2")
    if before:
        assert listing(root) == before, "the tool chain's folder was written to"


def test_what_the_tool_chain_never_sets_is_always_the_same(convolution: Path):
    """It is another number in every run."""
    settings: Any = {**doctor.CONVOLUTION, "chip": "bm1684"}
    found: set[bytes] = set()
    for _ in range(3):
        compile_top(settings, convolution, toolchain().root, quiet)
        found.add((convolution / BMODEL).read_bytes())
    assert len(found) == 1


@pytest.mark.parametrize("mode", [0, 22])
def test_a_mode_is_cleared_where_it_is_written(tmp_path: Path, mode: int):
    """In a description that holds only a model and its kernel module; a mode of 0 is left out."""
    model = struct.pack("<I9HxxiI", 24, 18, 8, *[0] * 6, 4, 20, 16)
    module = struct.pack("<5Hxxii", 10, 8, 0, 0, 4 if mode else 0, 12, mode)
    data = model + module
    path = tmp_path / BMODEL
    head = b"\xee\xaa\x55\xff" + struct.pack("<2I", 12, len(data))
    path.write_bytes(head + data)
    assert clear_mode(str(path)) == bool(mode)
    assert path.read_bytes() == head + data[:-4] + bytes(4)
    path.write_bytes(b"something else")
    assert clear_mode(str(path))


@pytest.mark.nightly
def test_what_the_tool_chain_never_sets_may_be_zero(convolution: Path, tmp_path: Path):
    """The number is left out then; the bytes are those of any other time."""
    settings: Any = {**doctor.CONVOLUTION, "chip": "bm1684"}
    compile_top(settings, convolution, toolchain().root, quiet)
    expected = (convolution / BMODEL).read_bytes()
    zeros = wrapped(tmp_path / "zeros", "export MALLOC_PERTURB_=${MALLOC_PERTURB_:-255}")
    compile_top(settings, convolution, zeros, quiet)
    assert (convolution / BMODEL).read_bytes() == expected
    assert (convolution / LOG).read_text().count("[generate: ended with exit code 0") == 2


@pytest.mark.parametrize("optimize", [1, 3])
def test_levels(convolution: Path, optimize: int):
    settings: Any = {**doctor.CONVOLUTION, "optimize": optimize}
    settings["tolerance"] = vars(TOLERANCES["F32"])
    done = compile_top(settings, convolution, toolchain().root, quiet, compare=True)
    assert done.comparison["y"].relative <= TOLERANCES["F32"].relative


@pytest.mark.parametrize("chip", list(bmodel_compile.MODES))
def test_smaller_sizes_where_they_vary(convolution: Path, chip: str):
    text = (convolution / "doctor.mlir").read_text().replace('"STATIC"', '"DYNAMIC"')
    (convolution / "doctor.mlir").write_text(text)
    settings: Any = {**doctor.CONVOLUTION, "chip": chip, "dynamic": True}
    settings["tolerance"] = vars(TOLERANCES["F32"])
    write_reference(convolution, read_reference(convolution, "input")["x"][:, :, :4, :5])
    done = compile_top(settings, convolution, toolchain().root, quiet, compare=True)
    assert done.comparison["y"].relative <= TOLERANCES["F32"].relative
    y = read_reference(convolution, "output")["y"]
    np.savez(convolution / "output_ref_data.npz", y=y[:, :, :3])
    with pytest.raises(
        CompileError, match=r"has shape \[1, 3, 4, 5\], its reference \[1, 3, 3, 5\]"
    ):
        compile_top(settings, convolution, toolchain().root, quiet, compare=True)


def read_reference(folder: Path, side: str) -> dict[str, Any]:
    with np.load(folder / f"{side}_ref_data.npz") as found:
        return dict(found)


def test_int8_borders(convolution: Path):
    settings: Any = {
        **doctor.CONVOLUTION,
        "mode": "INT8",
        "calibration_table": "table",
        "inputs": [{"name": "x", "shape": [1, 2, 6, 6], "network_dtype": "int8"}],
        "outputs": [{"name": "y", "shape": [1, 3, 6, 6], "network_dtype": "int8"}],
        "tolerance": vars(TOLERANCES["INT8"]),
    }
    done = compile_top(settings, convolution, toolchain().root, quiet, compare=True)
    assert 0 < done.comparison["y"].relative < 0.05


def test_wrong_numbers_fail_the_comparison(convolution: Path):
    y = read_reference(convolution, "output")["y"]
    y[0, 1, 2, 3] += 0.01
    np.savez(convolution / "output_ref_data.npz", y=y)
    settings: Any = {**doctor.CONVOLUTION, "tolerance": vars(TOLERANCES["F32"])}
    with pytest.raises(
        CompileError, match="output 'y' of the emulator is not that of the model"
    ) as e:
        compile_top(settings, convolution, toolchain().root, quiet, compare=True)
    assert (e.value.step, e.value.names) == ("compare", ("y",))
    assert not (convolution / BMODEL).exists()


@pytest.mark.parametrize(
    ("side", "arrays", "message"),
    [
        ("input", {"q": np.zeros((1, 2, 6, 6), "f4")}, "input 'x' is not in .*input_ref_data.npz"),
        ("input", {"x": np.zeros((1, 2, 6, 7), "f4")}, r"input 'x': found shape \[1, 2, 6, 7\]"),
        ("output", {"q": np.zeros(3)}, "output 'y' is not in .*output_ref_data.npz"),
    ],
)
def test_references_that_do_not_fit(
    convolution: Path, side: str, arrays: dict[str, Any], message: str
):
    np.savez(convolution / f"{side}_ref_data.npz", **arrays)
    settings: Any = {**doctor.CONVOLUTION, "tolerance": vars(TOLERANCES["F32"])}
    with pytest.raises(CompileError, match=message):
        compile_top(settings, convolution, toolchain().root, quiet, compare=True)


def test_real_failures_say_what_and_where(convolution: Path):
    root, text = toolchain().root, (convolution / "doctor.mlir").read_text()

    def cause(old: str, new: str) -> CompileError:
        assert old in text
        (convolution / "doctor.mlir").write_text(text.replace(old, new))
        with pytest.raises(CompileError) as caught:
            compile_top(doctor.CONVOLUTION, convolution, root, quiet)
        return caught.value

    unknown = cause("top.Conv", "top.Det")
    assert (unknown.step, unknown.names) == ("optimize", ("y",))
    assert unknown.cause.startswith("unregistered operation 'top.Det' found in dialect")
    missing = cause("kernel_shape = [3 : i64, 3 : i64],", "")
    assert "requires attribute 'kernel_shape'" in missing.cause
    wrong = cause("(tensor<1x2x6x6xf32>) -> tensor<1x3x6x6xf32>, sym", "(f32) -> f32, sym")
    assert wrong.step == "optimize"


def test_a_killed_compilation_leaves_no_bmodel(folder: Path, tmp_path: Path):
    """By a signal that cannot be handled, in the middle of a step; the next one is not in its way."""
    mark = tmp_path / "pid"
    slow = f'case "$*" in *weight-fold*) echo $$ > {mark}; exec sleep 600;; esac;' + fake.WRITES
    root = fake.make(tmp_path / "tree", slow)
    (folder / BMODEL).write_text("of an earlier run")
    code = (
        "import sys, json; from autosplit.toolchains.bmodel_compile import compile_top;"
        "compile_top(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3])"
    )
    settings = json.dumps({**SETTINGS, "timeout": 600})
    process = subprocess.Popen([sys.executable, "-c", code, settings, folder, root])
    pid = wait_for_pid(mark)
    process.kill()
    process.wait()
    wait_for_end(pid)
    assert (folder / WORK / "top.mlir").exists()
    assert not (folder / BMODEL).exists()
    compile_top(SETTINGS, folder, fake.make(tmp_path / "good"), quiet)
    assert (folder / BMODEL).read_text() == "bmodel\n"
    assert not (folder / WORK).exists()


# Reshapes of sizes that vary

SCHEDULED = """
func.func @f(%0: t) attributes {mode = #tpu<run_mode TPU_STATIC>} {
  %1 = "tpu.Reshape"(%0, %n) {flatten_start_dim = -1 : i64, shape = [1, -1]} : (tensor<2x3xf32, 1 : i64>, none) -> tensor<1x6xf32, 1 : i64> loc(#loc5)
func.func @g(%0: t) attributes {mode = #tpu<run_mode TPU_DYNAMIC>} {
  %1 = "tpu.Reshape"(%0, %n) {flatten_start_dim = -1 : i64, shape = [0, -1, 4, 8]} : (tensor<1x33x32xf32, 1 : i64>, none) -> tensor<1x33x4x8xf32, 1 : i64> loc(#loc5)
  %2 = "tpu.Reshape"(%1, %n) {flatten_start_dim = -1 : i64, shape = [0, -1]} : (tensor<1x33x4x8xf32, 1 : i64>, none) -> tensor<1x1056xf32, 1 : i64> loc(#loc6)
  %3 = "tpu.Reshape"(%1, %n) {flatten_start_dim = -1 : i64, shape = []} : (tensor<1x33x4x8xf32, 1 : i64>, none) -> tensor<1x8x132xf32, 1 : i64> loc(#loc6)
"""  # noqa: E501


def program(*reshapes: tuple[int, ...]) -> bytes:
    """A bmodel with the numbers of Reshapes: how many sizes, eight of them, the operand's first."""
    return b"head" + b"".join(struct.pack("<i10i", 56, *numbers) + b"rest" for numbers in reshapes)


HEADS, FLAT = (4, 1, 33, 4, 8, 0, 0, 0, 0, 1), (2, 1, 1056, 1, 1, 0, 0, 0, 0, 1)


def opened(tmp_path: Path, scheduled: str, *reshapes: tuple[int, ...]) -> tuple[str, bytes]:
    final, bmodel = tmp_path / "final.mlir", tmp_path / "compilation.bmodel"
    final.write_text(scheduled)
    bmodel.write_bytes(program(*reshapes))
    return open_reshapes(str(final), str(bmodel)), bmodel.read_bytes()


def test_reshapes_are_told_what_varies(tmp_path: Path):
    left, made = opened(tmp_path, SCHEDULED, HEADS, FLAT)
    assert left == ""
    wanted = program((4, 0, -1, 4, 8, *HEADS[5:]), (2, 0, -1, *FLAT[3:]))
    assert made == wanted


@pytest.mark.parametrize(
    "reshapes", [(HEADS,), (FLAT, HEADS), ((*HEADS[:-1], 2), FLAT), ()], ids=str
)
def test_a_reshape_that_is_not_there_is_told_and_nothing_written(reshapes: Any, tmp_path: Path):
    left, made = opened(tmp_path, SCHEDULED, *reshapes)
    assert left.startswith("a Reshape to [0, -1")
    assert made == program(*reshapes)


def test_a_size_that_is_not_kept_is_not_called_kept(tmp_path: Path):
    left, _ = opened(tmp_path, SCHEDULED.replace("[0, -1, 4, 8]", "[-1, 0, 0, 8]"), HEADS, FLAT)
    assert left == "a Reshape to [-1, 0, 0, 8]"
