"""The command line: its grammar, its errors, what it prints, how quickly it starts."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import wait_until
from sampled import sample
from xdsl.parser import Parser

from autosplit.core import units
from autosplit.core.errors import AutosplitError
from autosplit.explain.plan import Explanation, explain
from autosplit.flows.split_arguments import parse_pin
from autosplit.inputs.options import parse_input, unique
from autosplit.inputs.specs import InputSpec
from autosplit.registry import make_context
from autosplit.testing.models import model_path
from autosplit.tools.cli import main as cli
from autosplit.tools.cli import report, ui
from autosplit.tools.cli.inputs import options_of

TOOL = str(Path(sys.executable).parent / "autosplit")


@pytest.fixture
def array(tmp_path: Path) -> Path:
    path = tmp_path / "a=b.npy"
    np.save(path, np.arange(6, dtype=np.uint8).reshape(2, 3))
    return path


@pytest.mark.parametrize(
    ("text", "name", "shape", "dtype"),
    [
        ("x=1,300,300,3", "x", (1, 300, 300, 3), None),
        ("x=1x3x8x8:float32", "x", (1, 3, 8, 8), "float32"),
        ("image_tensor:0=1,2:uint8", "image_tensor:0", (1, 2), "uint8"),
        ("a=b=4", "a=b", (4,), None),
        ("a/b.c:1=7", "a/b.c:1", (7,), None),
        ("1,3,8,8", "", (1, 3, 8, 8), None),
        ("5", "", (5,), None),
        ("x=scalar", "x", (), None),
        ("x=scalar:int64", "x", (), "int64"),
        ("x=:int64", "x", None, "int64"),
        (":uint8", "", None, "uint8"),
        ("a:0=:bool", "a:0", None, "bool"),
        ("1=2", "1", (2,), None),
    ],
)
def test_input_shapes(text: str, name: str, shape: tuple[int, ...] | None, dtype: str | None):
    assert parse_input(text) == (name, InputSpec(shape, dtype))


def test_input_files(array: Path):
    for text, name in ((f"x={array}", "x"), (str(array), ""), (f"a=b={array}", "a=b")):
        found, spec = parse_input(text)
        assert (found, spec.shape, spec.dtype) == (name, (2, 3), "uint8")
        assert spec.array is not None
        assert spec.array.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x=1,0,3", "a size is 0"),
        ("x=1,-1,3", "expected a shape"),
        ("x=1,a", "expected a shape"),
        ("x=", "expected a shape"),
        ("x", "expected a shape"),
        ("x=1,2:flaot32", "no dtype 'flaot32'"),
        ("x=:flaot32", "no dtype 'flaot32'"),
        ("x=:", "expected a shape"),
        ("x=none.npy", "there is no file none.npy"),
        ("x=photo.jpg", "there is no file photo.jpg"),
        ("x=photo.txt", "expected a shape"),
    ],
)
def test_bad_inputs(text: str, said: str):
    with pytest.raises(AutosplitError, match=re.escape(said)) as caught:
        parse_input(text)
    assert str(caught.value).startswith(f"--input {text}")


def test_a_file_that_is_no_array(tmp_path: Path):
    np.savez(tmp_path / "two.npz", a=np.ones(2))
    archive = (tmp_path / "two.npz").read_bytes()
    for content in (archive, b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"hello"):
        path = tmp_path / "bad.npy"
        path.write_bytes(content)
        with pytest.raises(AutosplitError, match="cannot read"):
            parse_input(f"x={path}")


def test_names_of_several_inputs():
    a, b = InputSpec((1,)), InputSpec((2,))
    assert unique([("a", a), ("b", b)]) == {"a": a, "b": b}
    assert unique([("", a)]) == {"": a}
    with pytest.raises(AutosplitError, match="'a' appears twice"):
        unique([("a", a), ("a", b)])
    for pairs in ([("", a), ("b", b)], [("", a), ("", b)]):
        with pytest.raises(AutosplitError, match="each needs its name"):
            unique(pairs)


def test_pins():
    assert parse_pin("Postprocessor/.*=cpu") == ("Postprocessor/.*", "cpu")
    assert parse_pin("a=b=TPU") == ("a=b", "tpu")
    for text in ("conv", "=cpu", "conv=gpu", "conv="):
        with pytest.raises(AutosplitError, match="expected REGEX=cpu or REGEX=tpu"):
            parse_pin(text)
    with pytest.raises(AutosplitError, match="is not a regular expression"):
        parse_pin("(=cpu")


def test_everything_reaches_the_options(array: Path):
    args = cli.build_parser().parse_args(
        f"split m.onnx --input x=1,3 --input y={array} --output p --output q --target bm1688 "
        "--platform onnx --layout NCHW --dynamic --keep 0.5 --pin a=b=cpu --pin c=tpu "
        "--on-fallback error --force -o out".split()
    )
    said: list[str] = []
    options = options_of(args, said.append)
    options.progress("x")
    assert said == ["x"]
    assert options.model == Path("m.onnx")
    assert options.out == Path("out")
    assert {k: v.shape for k, v in options.inputs.items()} == {"x": (1, 3), "y": (2, 3)}
    assert list(options.outputs) == ["p", "q"]
    assert (options.target, options.platform, options.layout) == ("bm1688", "onnx", "NCHW")
    assert (options.dynamic, options.keep, options.force) == (True, 0.5, True)
    assert list(options.pins) == [("a=b", "cpu"), ("c", "tpu")]
    assert options.on_fallback == "error"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.main(args)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["split"], "the following arguments are required: MODEL, -o/--output-dir"),
        (["spilt"], "invalid choice: 'spilt'"),
        (["split", "m.onnx", "-o", "{}/out"], "m.onnx: there is no such file"),
        (["split", "{}", "-o", "{}/out"], "{}: is a directory"),
        (["split", "{}/empty.onnx", "-o", "{}/out"], "empty.onnx: the file is empty"),
        (["split", "{}/empty.onnx", "-o", "{}"], "is not empty; name another folder"),
        (["split", "{}/empty.onnx", "-o", "{}/empty.onnx"], "is a file"),
        (["split", "{}/empty.onnx", "-o", "{}/out", "--keep", "x"], "--keep: invalid float value"),
        (["split", "{}/empty.onnx", "-o", "{}/out", "--keep", "2"], "--keep 2.0"),
        (["split", "{}/empty.onnx", "-o", "{}/out", "--target", "bm1694"], "did you mean 'bm1684'"),
        (["split", "{}/empty.onnx", "-o", "{}/out", "--platform", "onxn"], "did you mean 'onnx'"),
        (["split", "{}/empty.onnx", "-o", "{}/out", "--pin", "a"], "expected REGEX=cpu"),
        (["split", "{}/empty.onnx", "-o", "{}/out", "--layout", "NCWH"], "invalid choice: 'NCWH'"),
        (["run", "{}/none"], "none: there is no such folder"),
        (["run", "{}"], "graph_infos.json: there is no such file"),
        (["run", "{}", "--mode", "1"], "invalid choice: 1"),
        (["explain", "{}/none"], "none: there is no such file"),
        (["explain", "{}"], "{}: is a directory"),
    ],
)
def test_a_users_mistake_is_one_line_and_leaves_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: list[str], said: str
):
    (tmp_path / "empty.onnx").write_bytes(b"")
    code, out, err = run(capsys, *(a.replace("{}", str(tmp_path)) for a in args))
    assert code == 1
    assert out == ""
    assert err.startswith("autosplit: error: ")
    assert err.count("\n") == 1
    assert said.replace("{}", str(tmp_path)) in err
    assert [p.name for p in tmp_path.iterdir()] == ["empty.onnx"]


def test_help_and_version(capsys: pytest.CaptureFixture[str]):
    assert run(capsys)[0] == 0
    for args in (["--help"], ["split", "--help"], ["run", "--help"], ["explain", "--help"]):
        with pytest.raises(SystemExit) as ended:
            cli.main(args)
        assert ended.value.code == 0
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert "autosplit 0." in capsys.readouterr().out


def test_control_c_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupt(args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "do_explain", interrupt)
    assert run(capsys, "explain", "x") == (130, "", "")


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch):
    def fail(args: object) -> int:
        raise ValueError("bug")

    monkeypatch.setattr(cli, "do_explain", fail)
    with pytest.raises(ValueError, match="bug"):
        cli.main(["explain", "x"])


def cpu_seconds(code: list[str]) -> float:
    """CPU time of one process, the best of three: a busy machine only ever makes it longer."""
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(code, check=True, capture_output=True, timeout=60)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, took)
    return best


@pytest.mark.parametrize("code", [["-c", "import autosplit"], [TOOL, "--help"]])
def test_starting_costs_little(code: list[str]):
    assert cpu_seconds([sys.executable, *code]) < 0.3


@pytest.mark.parametrize("command", ["--help", "--version"])
def test_starting_imports_nothing_heavy(command: str):
    heavy = [
        "numpy",
        "onnx",
        "onnxruntime",
        "tensorflow",
        "google.protobuf",
        "scipy",
        "rich",
        "torch",
        "xdsl",
    ]
    code = (
        "import sys\n"
        "from autosplit.tools.cli.main import main\n"
        f"try: main([{command!r}])\n"
        "except SystemExit: pass\n"
        f"print([m for m in {heavy} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_parts_whose_names_are_taken_are_not_lost(tmp_path: Path):
    """A sequence `q` next to an array that is called `q[0]`, in any order."""
    one, two, plain = np.zeros(1), np.ones(2), np.full(3, 2.0)
    for values in (
        {"q": [one, two], "q[0]": plain, "q[1]#2": plain},
        {"q[1]#2": plain, "q[0]": plain, "q": [one, two]},
    ):
        report.write_npz(tmp_path / "o.npz", values)
        with np.load(tmp_path / "o.npz") as found:
            saved = {name: list(found[name]) for name in found.files}
        assert saved == {
            "q[0]": [2, 2, 2], "q[1]#2": [2, 2, 2], "q[0]#2": [0], "q[1]": [1, 1]
        }  # fmt: skip
    report.write_npz(tmp_path / "o.npz", {"a": [[one]], "a[0]": [two]})
    with np.load(tmp_path / "o.npz") as found:
        assert {name: len(found[name]) for name in found.files} == {"a[0][0]": 1, "a[0][0]#2": 2}


def test_npz_takes_any_name(tmp_path: Path):
    arrays = {
        "file": np.ones(2, np.float32),
        "a/b:0": np.zeros((2, 0), np.uint8),
        "Grüße": np.array(3),
        "words": np.array([b"x", "yz"], dtype=object),
    }
    report.write_npz(tmp_path / "o.npz", arrays)
    with np.load(tmp_path / "o.npz", allow_pickle=False) as found:
        assert sorted(found.files) == sorted(arrays)
        assert found["file"].tolist() == [1, 1]
        assert found["a/b:0"].shape == (2, 0)
        assert found["words"].dtype.kind == "U"
    with pytest.raises(AutosplitError, match="cannot be written"):
        report.write_npz(tmp_path / "none" / "o.npz", arrays)
    assert [p.name for p in tmp_path.iterdir()] == ["o.npz"]


PLAN = """
builtin.module attributes {platform.name = "onnx", device.plan = {
  target = "bm1684x", work_possible = 2000 : i64,
  tensors = {k = {shape = array<i64: 5, 2>, dtype = "int64"}},
  curve = [{sub_models = 1 : i64, work = 0 : i64, ops = 0 : i64},
           {sub_models = 3 : i64, work = 1999 : i64, ops = 7 : i64}]}} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>,
                    input_names = ["x"], output_names = ["h", "k"]}> ({
  ^bb0(%x: tensor<1x8xf32> loc("x")):
    %k = onnx.NonZero "nz" (%x) -> ["k"] {device.accepts = ["cpu"], device.refused =
      {tpu = #device.reason<"unsupported-op", "NonZero: its size depends on the data">}}
      : (tensor<1x8xf32>) -> tensor<2x?xi64>
    %h = onnx.Relu "relu" (%x) -> ["h"] {device.accepts = ["cpu", "tpu"], device.moved =
      #device.reason<"fewest", "one more sub-model for nothing">, device.work = 1 : i64}
      : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %h, %k : tensor<1x8xf32>, tensor<2x?xi64>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684x">,
                    input_names = ["h"], output_names = ["y"]}> ({
  ^bb0(%h: tensor<1x8xf32> loc("h")):
    %y = onnx.Neg "neg" (%h) -> ["y"] {device.accepts = ["cpu", "tpu"], device.work = 1999 : i64}
      : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %y : tensor<1x8xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>,
                    input_names = ["x"], output_names = ["y", "k"]}> ({
  ^bb0(%x: tensor<1x8xf32> loc("x")):
    %h, %k = device.call @graph_0(%x) : (tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<2x?xi64>)
    %y = device.call @graph_1(%h) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %y, %k : tensor<1x8xf32>, tensor<2x?xi64>
  }) : () -> ()
}
"""


@pytest.fixture
def found() -> Explanation:
    module = Parser(make_context(), PLAN).parse_module()
    module.verify()
    return explain(module)


def test_explain_reads_the_plan(found: Explanation):
    assert [(g.name, g.device, g.chip, g.ops, g.work) for g in found.graphs] == [
        ("graph_0", "cpu", "", 2, 1),
        ("graph_1", "tpu", "bm1684x", 1, 1999),
    ]
    assert [(b.name, b.bytes, b.made_by, b.read_by) for b in found.borders] == [
        ("x", 32, "input", ("graph_0",)),
        ("h", 32, "graph_0", ("graph_1",)),
        ("k", 5 * 2 * 8, "graph_0", ("output",)),
        ("y", 32, "graph_1", ("output",)),
    ]
    assert found.curve == [(1, 0), (3, 1999)]
    assert [(t.code, t.ops, t.work, t.types, t.example_op) for t in found.totals()] == [
        ("fewest", 1, 1, (("Relu", 1),), "relu"),
        ("unsupported-op", 1, 0, (("NonZero", 1),), "nz"),
    ]


def test_explain_finds_ops_by_name_or_pattern(found: Explanation):
    assert [op.name for op in found.find("relu")] == ["relu"]
    assert [op.name for op in found.find("n.*")] == ["nz", "neg"]
    hints = {
        "rleu": "did you mean 'relu'",
        "re": "did you mean 'relu'",
        "(": "there are 'nz', 'relu'",
    }
    for name, hint in hints.items():
        with pytest.raises(AutosplitError, match=f"there is no op called .*{hint}"):
            found.find(name)


def test_explain_as_json_is_json(found: Explanation):
    again = json.loads(json.dumps(found.to_json(found.find("neg"))))
    assert [op["name"] for op in again["ops"]] == ["neg"]
    assert again["tpu_work"] == 1999
    assert again["work"] == 2000
    assert again["possible_work"] == 2000


def test_the_tables_say_it_plainly(found: Explanation, capsys: pytest.CaptureFixture[str]):
    report.show_explanation(found, every_op=True)
    text = capsys.readouterr().out
    assert "\x1b" not in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "graph_1 tpu bm1684x 1 2 K >99.9 % 32 B 32 B" in lines
    assert "h graph_0 graph_1 1x8 f32 32 B" in lines
    assert "3 2 K >99.9 %" in lines
    assert "graph_0 cpu NonZero nz unsupported-op: NonZero: its size depends on the data" in lines
    assert lines[-1].startswith("graph_1 tpu Neg neg 2 K")


def test_one_op_in_full(found: Explanation, capsys: pytest.CaptureFixture[str]):
    report.show_op(found, found.find("relu")[0])
    assert capsys.readouterr().out.splitlines() == [
        "Relu 'relu'",
        "  runs in graph_0, on the cpu",
        "  accepted by cpu and tpu",
        "  not on the tpu: one more sub-model for nothing [fewest]",
        "  1 multiply-adds, 0.1 % of the model",
        "  reads x: tensor<1x8xf32>",
        "  gives h: tensor<1x8xf32>",
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1 K"),
        (1234, "1.23 K"),
        (999_999, "1 M"),
        (5 * 10**15, "5000 T"),
    ],
)
def test_counts(number: int, text: str):
    assert units.count(number) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "-"), (0, 5, "0 %"), (5, 5, "100 %"), (1, 3, "33.3 %"), (1, 10**6, "<0.1 %"),
     (10**6 - 1, 10**6, ">99.9 %")],
)  # fmt: skip
def test_shares(part: int, whole: int, text: str):
    assert units.share(part, whole) == text


def test_counts_agree_with_what_they_count():
    assert [units.counted(n, "op") for n in (0, 1, 2)] == ["0 ops", "1 op", "2 ops"]
    assert [units.counted(n, "bias", "biases") for n in (1, 2)] == ["1 bias", "2 biases"]


def test_progress_is_silent_about_quick_steps(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ui, "PATIENCE", 60)
    with ui.Progress() as progress:
        for i in range(20):
            progress(f"step {i}")
    assert capfd.readouterr().err == ""


def test_progress_names_a_slow_step(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ui, "PATIENCE", 0.05)
    said = ""

    def told() -> bool:
        nonlocal said
        said += capfd.readouterr().err
        return said.endswith("\n")

    with ui.Progress() as progress:
        progress("the slow step")
        wait_until(told, "the name of the step")
    assert said == "the slow step ...\n"


def unread(*arguments: str, **environment: str) -> tuple[int, str]:
    """The exit code and the errors of a command behind whose output is a closed pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        arguments, stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=300,
        env={**os.environ, **environment},
    )  # fmt: skip
    os.close(writer)
    return done.returncode, done.stderr


@pytest.fixture(scope="module")
def read_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A split model."""
    made = tmp_path_factory.mktemp("unread") / "out"
    subprocess.run(
        [TOOL, "split", model_path("pnet.onnx"), "-o", made, "--input", "1,24,24,3"], check=True,
        capture_output=True,
    )  # fmt: skip
    return made


@pytest.mark.parametrize("unbuffered", sample(["", "1"]))
@pytest.mark.parametrize(
    "command",
    ["explain FOLDER", "explain FOLDER --json", "explain --rules", "split MODEL -o NEW --force",
     "run FOLDER"],
)  # fmt: skip
def test_output_that_nobody_reads(read_folder: Path, tmp_path: Path, command: str, unbuffered: str):
    """Commands end as if the signal of the closed pipe had ended them, and say nothing."""
    known = {"FOLDER": str(read_folder), "MODEL": str(model_path("pnet.onnx"))}
    known["NEW"] = str(tmp_path / "new")
    words = [known.get(word, word) for word in command.split()]
    if words[0] == "split":
        words += ["--input", "1,24,24,3"]
    code, said = unread(str(TOOL), *words, PYTHONUNBUFFERED=unbuffered)
    assert code == 128 + signal.SIGPIPE
    assert "Error" not in said
    assert "Traceback" not in said


def test_help_that_nobody_reads():
    """argparse itself takes that for no error."""
    for unbuffered in ("", "1"):
        code, said = unread(str(TOOL), "split", "--help", PYTHONUNBUFFERED=unbuffered)
        assert code in (0, 128 + signal.SIGPIPE)
        assert said == ""


def test_output_that_is_closed():
    done = subprocess.run(
        f"{TOOL} explain --rules >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def pnet() -> Path:
    return model_path("pnet.onnx")


def test_split_run_explain(pnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    import onnxruntime

    out = tmp_path / "out"
    code, text, err = run(
        capsys, "split", str(pnet), "--input", "1,36,28,3", "--target", "bm1684x",
        "--pin", "conv2d_[2]=cpu", "--keep", "1", "-o", str(out),
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert text.endswith(f"wrote {out}\n")

    image = np.random.default_rng(1).random((1, 36, 28, 3), dtype=np.float32)
    np.save(tmp_path / "image.npy", image)
    session = onnxruntime.InferenceSession(str(pnet), providers=["CPUExecutionProvider"])
    expected = session.run(None, {"input_1": image})
    names = [o.name for o in session.get_outputs()]
    npz = tmp_path / "o.npz"
    code, text, err = run(
        capsys, "run", str(out), "--input", str(tmp_path / "image.npy"), "--compare", str(pnet),
        "-o", str(npz),
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "2 of 2 outputs are bit-equal" in text
    with np.load(npz) as got:
        for name, array in zip(names, expected, strict=True):
            np.testing.assert_allclose(got[name], array, rtol=1e-5, atol=1e-6)

    code, text, _ = run(capsys, "explain", str(out), "--json")
    assert code == 0
    told = json.loads(text)
    assert [g["device"] for g in told["graphs"]] == ["tpu", "cpu", "tpu"]
    pinned = [op for op in told["ops"] if op["graph"] == "graph_1" and not op["constant"]]
    assert pinned
    assert {op["reasons"][0]["code"] for op in pinned} == {"pinned"}

    code, text, _ = run(capsys, "explain", str(out), "--op", pinned[0]["name"])
    assert code == 0
    assert "pinned to the CPU by 'conv2d_[2]'" in text
    code, _, err = run(capsys, "explain", str(out), "--op", pinned[0]["name"] + "x")
    assert code == 1
    assert f"did you mean {pinned[0]['name']!r}" in err


def test_explaining_a_model_writes_nothing(
    pnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    code, text, _ = run(capsys, "explain", str(pnet), "--input", "input_1=1,36,28,3")
    assert code == 0
    assert "Where the ops run" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--input", "inptu_1=1,36,28,3"], "input_1"),
        (["--input", "input_1=1,36,28,4"], "input_1"),
        (["--input", "input_1=36,28,3"], "input_1"),
        (["--input", "1,36,28,3:uint8"], "found dtype uint8"),
        (["--input", "1,36,28,3", "--output", "sotfmax"], "softmax"),
        (["--input", "1,36,28,3", "--pin", "nothing=cpu"], "'nothing' matches no"),
        ([], "input_1"),
    ],
)
def test_what_contradicts_the_model(
    pnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
):
    code, _, err = run(capsys, "split", str(pnet), *options, "-o", str(tmp_path / "out"))
    assert code == 1
    assert err.count("\n") == 1
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_outputs_that_differ_are_a_failure(
    pnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    import onnx

    out, other = tmp_path / "out", tmp_path / "other.onnx"
    assert run(capsys, "split", str(pnet), "--input", "1,36,28,3", "-o", str(out))[0] == 0
    model = onnx.load(str(pnet))
    for weights in model.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT:
            changed = onnx.numpy_helper.to_array(weights) * np.float32(1.5)
            weights.CopyFrom(onnx.numpy_helper.from_array(changed, weights.name))
    onnx.save(model, str(other))
    shape = ["--input", "input_1=1,36,28,3"]
    code, text, err = run(capsys, "run", str(out), "--compare", str(other), *shape)
    assert code == 1
    assert "random input (seed 0): input_1" in text
    assert "0 of 2 outputs are bit-equal" in text
    assert "2 of 2 outputs differ" in err


def test_the_destination_is_replaced_only_with_force(
    pnet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    command = ["split", str(pnet), "--input", "1,36,28,3", "-o", str(tmp_path / "out")]
    assert run(capsys, *command)[0] == 0
    first = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    code, _, err = run(capsys, *command)
    assert code == 1
    assert "--force" in err
    mine = tmp_path / "out" / "x.npy"
    np.save(mine, np.zeros((1, 36, 28, 3), np.float32))
    given = ["split", str(pnet), "--input", str(mine), "-o", str(tmp_path / "out")]
    code, _, err = run(capsys, *given, "--force")
    assert (code, "'x.npy' in it is not that" in err, mine.is_file()) == (1, True, True)
    mine.unlink()
    assert run(capsys, *command, "--force")[0] == 0
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == first
