"""Mistakes around `autosplit compile`, `run`, `explain` and the INT8 passes: one line and nothing left."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from onnx import TensorProto, helper
from processes import PATIENCE, wait_for_main

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.flows.compile import CompileOptions, compile_model, load_plan
from autosplit.folder.plans import file_text, functions, load_compiled, partitions_of
from autosplit.folder.reader import parse_plan
from autosplit.runtime.dnnl.api import PROTOTYPES
from autosplit.testing.raw_qdq import RawQdq
from autosplit.tools import autosplit_opt
from autosplit.tools.cli import main as cli

needs_compiler = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def fails(
    capsys: pytest.CaptureFixture[str],
    *args: object,
    main: Callable[[list[str]], int] = cli.main,
) -> str:
    """The message of a command that must fail with code 1, one line, and no new file beside it."""
    before = sorted(os.listdir())
    capsys.readouterr()
    assert main([str(a) for a in args]) == 1
    said = capsys.readouterr()
    lines = [x for x in said.err.splitlines() if not x.endswith(" ...")]
    assert len(lines) == 1, lines
    assert re.match(r"autosplit(-opt)?: error: \S", lines[0])
    assert sorted(os.listdir()) == before
    return lines[0]


def network() -> RawQdq:
    """Convolutions, a sum, a pool, a linear and, for ONNX Runtime, a softmax; any batch."""
    m = RawQdq()
    x = m.qdq(m.input("x", ["N", 8, 8, 8]))
    y = m.qdq(m.node("Relu", m.conv(x)))
    y = m.qdq(m.node("Add", m.conv(y, kernel=1), y))
    y = m.qdq(m.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2]))
    w = m.weight((5, 128), 0)
    m.output(m.qdq(m.node("Gemm", m.qdq(m.node("Flatten", y)), w, m.bias(5), transB=1)))
    m.output(m.node("Softmax", y, axis=1))
    return m


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the network; tests that change it work on a copy."""
    place = tmp_path_factory.mktemp("compiled")
    onnx.save(network().model(), place / "model.onnx")
    compile_model(CompileOptions(place / "model.onnx", place / "out"))
    return place / "out"


def save(m: RawQdq | onnx.ModelProto, path: str = "model.onnx") -> str:
    onnx.save(m.model() if isinstance(m, RawQdq) else m, path)
    return path


# Parameters that make no sense


def casts(scale: Any, zero: Any, dtype: str = "u8", **attributes: Any) -> RawQdq:
    m = RawQdq(attributes.pop("opset", 17))
    m.output(m.conv(m.qdq(m.input("x", [1, 8, 6, 6]), scale, zero, dtype, **attributes)))
    return m


@pytest.mark.parametrize("command", ["compile", "explain"])
@pytest.mark.parametrize(
    ("scale", "says"),
    [(0.0, "0"), (-0.03, "-0.03"), (np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")],
)
def test_scales(scale: float, says: str, command: str, capsys: pytest.CaptureFixture[str]):
    options = ["-o", "out"] if command == "compile" else ["--int8"]
    said = fails(capsys, command, save(casts(scale, 128)), *options)
    assert "model.onnx: QuantizeLinear 'n4'" in said
    assert f"is {says}" in said
    assert "expected a positive, finite" in said


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (casts([0.1] * 3, [0] * 3, axis=1), "8"),
        (casts([0.1] * 8, [0] * 3, axis=1), "3"),
        (casts([0.1] * 8, [0] * 8, axis=4), "axis"),
        (casts(0.1, [0] * 8), ""),
        (casts([], []), ""),
    ],
)  # fmt: skip
def test_parameters_along_an_axis(model: RawQdq, says: str, capsys: pytest.CaptureFixture[str]):
    said = fails(capsys, "compile", save(model), "-o", "out")
    assert "error: model.onnx: " in said
    assert says in said


@pytest.mark.parametrize(("position", "dtype"), [(1, "i32"), (2, "f32")])
def test_parameters_of_other_types(position: int, dtype: str):
    """What no runtime takes either is said when the model is compiled, or loaded."""
    m = casts(1, 0)
    node = next(n for n in m.nodes if n.op_type == "QuantizeLinear")
    node.input[position] = m.constant(1, dtype)
    path = Path(save(m))

    def compile_and_load() -> None:
        compile_model(CompileOptions(path, Path("out")))
        load_plan("out")

    with pytest.raises(AutosplitError, match=r"uantizeLinear|refuses the segment") as e:
        compile_and_load()
    assert "\n" not in str(e.value)


def test_casts_without_operands(capsys: pytest.CaptureFixture[str]):
    for count in (0, 1, 4):
        m = RawQdq()
        x = m.input("x", [2])
        m.output(m.node("QuantizeLinear", *([x] * count)), "u8")
        assert "error: model.onnx: " in fails(capsys, "compile", save(m), "-o", "out")


# Options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--version", "3.0"], "from version 3.1 on"),
        (["--version", "4.0"], "oneDNN 3 only"),
        (["--version", "three"], "version 'three'"),
        (["--version", ""], "version ''"),
        (["--version", "-1.2"], "version '-1.2'"),
        (["--policy", "none"], "invalid choice: 'none'"),
        (["--sums", "best"], "invalid choice: 'best'"),
        (["--fast"], "--fast"),
        (["--input", "x=1,8,8"], "'x'"),
        (["--input", "x=0,8,8,8"], "0"),
        (["--input", "y=1,8,8,8"], "'y'"),
        (["--output", "z"], "'z'"),
        (["--platform", "tensorflow"], "model.onnx"),
    ],
)
def test_options(options: list[str], says: str, capsys: pytest.CaptureFixture[str]):
    assert says in fails(capsys, "compile", save(network()), "-o", "out", *options)


def test_destinations(capsys: pytest.CaptureFixture[str]):
    save(network())
    Path("full").mkdir()
    Path("full/mine").write_text("precious")
    Path("file").write_text("precious")
    Path("link").symlink_to("nowhere")
    for out in ("full", "file", "model.onnx", "file/out", "none/deeper/out/" + "x" * 300, "."):
        for force in ([], ["--force"]):
            fails(capsys, "compile", "model.onnx", "-o", out, *force)
    assert Path("full/mine").read_text() == "precious"
    assert Path("file").read_text() == "precious"
    assert Path("model.onnx").read_bytes() == network().model().SerializeToString()


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_destination_that_is_read_only(capsys: pytest.CaptureFixture[str]):
    save(network())
    Path("locked").mkdir(mode=0o500)
    assert "locked" in fails(capsys, "compile", "model.onnx", "-o", "locked/out")


def test_an_existing_result_is_replaced_only_if_asked(capsys: pytest.CaptureFixture[str]):
    save(network())
    assert cli.main(["compile", "model.onnx", "-o", "out"]) == 0
    before = {p: p.read_bytes() for p in Path("out").rglob("*") if p.is_file()}
    fails(capsys, "compile", "model.onnx", "-o", "out")
    fails(capsys, "compile", save(casts(0.0, 0), "bad.onnx"), "-o", "out", "--force")
    assert {p: p.read_bytes() for p in Path("out").rglob("*") if p.is_file()} == before
    assert cli.main(["compile", "model.onnx", "-o", "out", "--force"]) == 0


@pytest.mark.parametrize("wait", [0.0, 0.3, 1.0])
def test_an_interrupt_leaves_nothing(wait: float):
    m = RawQdq()
    y = m.qdq(m.input("x", [1, 8, 6, 6]))
    for _ in range(150):
        y = m.qdq(m.conv(y))
    m.output(y)
    save(m)
    command = [
        sys.executable,
        "-m",
        "autosplit.tools.cli.main",
        "compile",
        "model.onnx",
        "-o",
        "out",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_main(process)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    if process.returncode == 0:
        pytest.skip("compiled before the interrupt came")
    # Where it came in the middle of an `exec`, Python lets the signal end the process at last.
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in err
    assert os.listdir() == ["model.onnx"]


# Folders


@pytest.fixture
def copy(compiled: Path) -> Path:
    return Path(shutil.copytree(compiled, "copy"))


def accept(folder: Path) -> None:
    """Records the digests of the files as they are, as somebody would who knows the format."""
    path = folder / "graph_infos.json"
    infos = json.loads(path.read_text())
    for name in infos["autosplit"]["files"]:
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        infos["autosplit"]["files"][name] = digest
    path.write_text(json.dumps(infos))


def files_of(folder: Path) -> list[Path]:
    return sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())


def test_files_that_are_missing_empty_or_folders(copy: Path, capsys: pytest.CaptureFixture[str]):
    for name in files_of(copy):
        if name.name == "graph_0.onnx" and name.parent == Path():
            continue  # The whole model: only `run --compare` and split runners read it.
        path = copy / name
        data = path.read_bytes()
        for spoil in ("remove", "empty", "folder"):
            path.unlink()
            if spoil == "empty":
                path.write_bytes(b"")
            elif spoil == "folder":
                path.mkdir()
            for command in ("run", "explain"):
                said = fails(capsys, command, copy)
                assert name.name in said or "graph_infos.json" in said or "copy: " in said
            if spoil == "folder":
                path.rmdir()
            path.write_bytes(data)


def entries(value: Any) -> Iterator[tuple[Any, Any]]:
    """All containers of a JSON value, each with each of its keys."""
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in cast("Any", pairs):
        yield value, key
        yield from entries(inner)


JUNK: list[Any] = [
    None, True, -1, 0, 1e300, 2**70, "", "..", "../../etc/passwd", "/etc/passwd", "x" * 50, [], {}, [1],
    "3.2",
]  # fmt: skip


def spoil_json(path: Path, rng: random.Random) -> None:
    value = json.loads(path.read_text())
    holder, key = rng.choice(list(entries(value)))
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice(JUNK)
    path.write_text(json.dumps(value))


def spoil_text(path: Path, rng: random.Random) -> None:
    """Another number, type, value, op, key or letter; or a line less, or in another place."""
    text = path.read_text()
    what = rng.choice(
        [
            r"-?\d+",
            r"\b(?:f32|ui8|i8|i32|i64)\b",
            r"%[\w#]+",
            r"dnnl\.\w+",
            r"[a-z_]+ = ",
            r".",
            r"\n.*",
        ]
    )
    found = list(re.finditer(what, text))
    at, other = rng.choice(found), rng.choice(found).group()
    if what.startswith("-"):
        other = str(rng.choice([0, 1, -1, 3, 64, 1000, 2**31, 2**63]))
    if what == r"\n.*":
        other = rng.choice(["", other, at.group() * 2])
    path.write_text(text[: at.start()] + other + text[at.end() :])


def agree(folder: Path) -> None:
    """Partition files that say what the plan does, as far as it can be read."""
    try:
        module, _ = parse_plan(folder / "dnnl_0/plan.mlir")
        planned = [p for f in functions(module) if f.target.is_dnnl for p in partitions_of(f)]
        for i, partition in enumerate(planned):
            (folder / f"dnnl_0/partition_{i}.json").write_text(file_text(partition, "3.2"))
    except AutosplitError:
        pass
    accept(folder)


def try_to_run(folder: Path) -> str:
    """What becomes of a spoiled folder; raises nothing but what a user is told in one line."""
    try:
        plan = load_plan(folder)
        plan.run({"x": np.zeros((2, 8, 8, 8), np.float32)})
    except AutosplitError as e:
        said = str(e)
        assert "\n" not in said
        return said
    return ""


def spoiled(compiled: Path, what: str, seed: int) -> str:
    rng = random.Random(seed)
    folder = Path(shutil.copytree(compiled, f"{what}{seed}"))
    match what:
        case "infos":
            spoil_json(folder / "graph_infos.json", rng)
        case "partition":
            spoil_json(rng.choice(sorted(folder.glob("dnnl_0/partition_*.json"))), rng)
            accept(folder)
        case "plan":
            spoil_text(folder / "dnnl_0/plan.mlir", rng)
            agree(folder)
        case _:
            path = folder / rng.choice(
                [n for n in files_of(folder) if n.name != "graph_infos.json"]
            )
            data = bytearray(path.read_bytes())
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            path.write_bytes(data)
    return try_to_run(folder)


@needs_library
@pytest.mark.parametrize("what", ["infos", "partition", "bytes"])
def test_spoiled_folders(compiled: Path, what: str):
    said = [spoiled(compiled, what, seed) for seed in range(25)]
    assert sum(map(bool, said)) >= (10 if what == "infos" else 20)


@needs_library
@pytest.mark.parametrize("start", [0, pytest.param(1000, marks=pytest.mark.nightly)])
def test_spoiled_plans_in_a_child(compiled: Path, start: int):
    """Even a plan that somebody changed on purpose, digests and all, does not end the process."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "import test_int8_bad_input as t\n"
        "said = [t.spoiled(Path(sys.argv[2]), 'plan', s) for s in range(*map(int, sys.argv[3:]))]\n"
        "print(sum(map(bool, said)))\n"
    )
    count = 20 if start == 0 else 400
    arguments = [str(Path(__file__).parent), str(compiled), str(start), str(start + count)]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) >= count // 2


def test_other_folders(copy: Path, capsys: pytest.CaptureFixture[str]):
    Path("empty").mkdir()
    for command in ("run", "explain"):
        fails(capsys, command, "empty")
        fails(capsys, command, "nowhere")
    for name in ("empty", "nowhere", save(network())):
        with pytest.raises(AutosplitError):
            api.load_compiled(name)


def test_a_folder_of_a_split_model_is_no_plan():
    m = RawQdq()
    m.output(m.node("Relu", m.input("x", [2])))
    assert cli.main(["split", save(m), "-o", "split"]) == 0
    with pytest.raises(AutosplitError, match="names no plan of a compiled model"):
        load_compiled("split")


# Inputs of a run


@needs_library
@pytest.mark.parametrize(
    ("feeds", "says"),
    [
        ({}, "x"),
        ({"y": np.zeros((1, 8, 8, 8), np.float32)}, "'x' is missing"),
        ({"x": np.full((1, 8, 8, 8), 0.1)}, "float64, expected float32"),
        ({"x": np.zeros((1, 8, 8), np.float32)}, r"\[1, 8, 8\], expected \[\?, 8, 8, 8\]"),
        ({"x": np.zeros((1, 8, 8, 9), np.float32)}, r"\[1, 8, 8, 9\]"),
        ({"x": [[0.0]]}, "list, expected a numpy array"),
        ({"x": None}, "'x' is missing"),
        ({"x": np.array("text")}, "expected float32"),
    ],
)  # fmt: skip
def test_inputs(compiled: Path, feeds: dict[str, Any], says: str):
    plan = load_plan(compiled)
    with pytest.raises(AutosplitError, match=says) as e:
        plan.run(feeds)
    assert "\n" not in str(e.value)
    # What failed leaves the plan as it was.
    assert len(plan.run({"x": np.zeros((1, 8, 8, 8), np.float32)})) == 2


@needs_library
@pytest.mark.parametrize("dtype", [np.float64, np.uint8, ">f4"])
def test_inputs_that_lose_nothing_are_cast(compiled: Path, dtype: Any):
    plan = load_plan(compiled)
    x = (np.arange(512).reshape(1, 8, 8, 8) % 7).astype(np.float32)
    expected = plan.run({"x": x})
    for name, array in plan.run({"x": x.astype(dtype)}).items():
        np.testing.assert_array_equal(array, expected[name])


@needs_library
def test_inputs_that_lie_otherwise(compiled: Path):
    plan = load_plan(compiled)
    x = np.random.default_rng(0).normal(0, 1, (2, 8, 8, 8)).astype(np.float32)
    expected = list(plan.run({"x": x}).values())
    wide = np.zeros((4, 8, 8, 16), np.float32)
    wide[::2, :, ::-1, ::2] = x
    read_only = x.copy()
    read_only.flags.writeable = False
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape)
    for other in (wide[::2, :, ::-1, ::2], np.asfortranarray(x), read_only, shifted):
        for got, wanted in zip(plan.run({"x": other}).values(), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)


@needs_library
def test_inputs_of_the_command(compiled: Path, capsys: pytest.CaptureFixture[str]):
    np.save("wrong.npy", np.full((1, 8, 8, 8), 0.1))
    np.save("object.npy", np.array([{}], dtype=object), allow_pickle=True)
    Path("text.npy").write_text("text")
    for given in (
        "x=wrong.npy",
        "x=object.npy",
        "x=text.npy",
        "x=none.npy",
        "z=1,8,8,8",
        "x=1,8,8",
    ):
        fails(capsys, "run", compiled, "--input", given)
    fails(capsys, "run", compiled, "--input", "x=1,8,8,8", "--input", "x=1,8,8,8")
    fails(capsys, "run", compiled, "--input", "x=1,8,8,8", "--threads", "-1")
    fails(capsys, "run", compiled, "--input", "x=1,8,8,8", "-o", "none/out.npz")


# Libraries


STUB = """
typedef struct { int major, minor, patch; const char *hash; unsigned cpu, gpu; } version_t;
static version_t version = { %s, "stub", 2, 0 };
const version_t *dnnl_version(void) { return &version; }
"""


GRAPH_API = "".join(f"int {name}(void) {{ return 1; }}\n" for name in sorted(PROTOTYPES))


SOME = "int dnnl_graph_compiled_partition_execute(void) { return 1; }"


def stub(text: str, name: str = "libdnnl.so.3") -> str:
    Path("stub.c").write_text(text)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", name, "stub.c"], check=True)
    Path("stub.c").unlink()
    return name


def run_with(library: str, folder: Path) -> str:
    """What `autosplit run` says with this library, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "autosplit.tools.cli.main",
        "run",
        str(folder),
        "--input",
        "1,8,8,8",
    ]
    environment = os.environ | {"AUTOSPLIT_DNNL_LIB": library}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    lines = [x for x in done.stderr.splitlines() if not x.endswith(" ...")]
    assert (done.returncode, len(lines)) == (1, 1), done.stderr
    assert lines[0].startswith("autosplit: error: ")
    return lines[0]


@pytest.mark.parametrize("kind", ["missing", "empty", "text", "folder", "elf"])
def test_files_that_are_no_library(compiled: Path, kind: str):
    path = Path("lib.so")
    match kind:
        case "empty":
            path.write_bytes(b"")
        case "text":
            path.write_text("INPUT(libfoo.so)\n" * 50)
        case "folder":
            path.mkdir()
        case "elf":
            path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(4000))
        case _:
            pass
    assert "lib.so" in run_with(str(path.absolute()), compiled)


@needs_compiler
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (STUB % "2, 6, 3", "without the Graph API"),
        (STUB % "3, 2, 0", "without the Graph API"),
        (STUB % "3, 0, 0" + GRAPH_API, "3.0.0"),
        (STUB % "4, 0, 0" + GRAPH_API, "4.0.0"),
        (STUB % "3, 2, 0" + SOME, "3.2.0 and has no dnnl_"),
        (SOME, "has no dnnl_version"),
        ("int nothing;", "no libdnnl"),
    ],
    ids=["2.6", "no-functions", "3.0", "4.0", "some-functions", "no-version", "nothing"],
)
def test_libraries_that_are_others(compiled: Path, text: str, says: str):
    assert says in run_with(str(Path(stub(text)).absolute()), compiled)


@needs_compiler
def test_a_library_for_the_policy_backend(capsys: pytest.CaptureFixture[str]):
    path = Path(stub(STUB % "2, 6, 3")).absolute()
    save(network())
    command = [
        sys.executable,
        "-m",
        "autosplit.tools.cli.main",
        "compile",
        "model.onnx",
        "-o",
        "out",
    ]
    environment = os.environ | {"AUTOSPLIT_DNNL_LIB": str(path)}
    done = subprocess.run(
        [*command, "--policy", "backend"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    lines = [x for x in done.stderr.splitlines() if not x.endswith(" ...")]
    assert (done.returncode, len(lines)) == (1, 1), done.stderr
    assert "without the Graph API" in lines[0]
    assert not Path("out").exists()
    # Without it no library is needed.
    assert subprocess.run(command, env=environment, check=False).returncode == 0


# autosplit-opt


GRAPH = {
    "version": "3.2.0", "engine_kind": "cpu", "fpmath_mode": "strict",
    "input_ports": [0], "output_ports": [1],
    "graph": [{
        "id": 0, "name": "relu", "kind": "ReLU", "attrs": {},
        "inputs": [{"id": 0, "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "layout_type": "strided",
                    "property_type": "variable"}],
        "outputs": [{"id": 1, "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "layout_type": "strided",
                     "property_type": "variable"}],
    }],
}  # fmt: skip


def graph(**changes: Any) -> dict[str, Any]:
    value = json.loads(json.dumps(GRAPH))
    value["graph"][0] |= changes
    return value


def other_tensor(port: str, **changes: Any) -> dict[str, Any]:
    value = graph()
    value["graph"][0][port][0] |= changes
    return value


def test_a_graph_is_read(capsys: pytest.CaptureFixture[str]):
    Path("graph.json").write_text(json.dumps(GRAPH))
    assert autosplit_opt.main(["graph.json", "-p", "dnnl-fuse{keep=all}"]) == 0
    assert "dnnl.partition" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (graph(kind="Rectify"), "Rectify"),
        (graph(kind=5), "kind"),
        (graph(attrs={"alpha": {"type": "f32", "value": 1.0}}), "alpha"),
        (graph(attrs=3), "attrs"),
        (graph(kind="Clamp", attrs={n: {"type": "f32", "value": []} for n in ("min", "max")}), "one f32"),
        (graph(outputs=[]), "tensor 1"),
        (graph(inputs="none"), "inputs"),
        (other_tensor("inputs", dtype="f31"), "f31"),
        (other_tensor("inputs", shape=[2, -7]), "-7"),
        (other_tensor("inputs", shape=[2, "3"]), "shape"),
        (other_tensor("outputs", shape=[3, 2], stride=[2, 1]), ""),
        (other_tensor("outputs", id=0), ""),
        (graph() | {"graph": [*graph()["graph"], graph(id=1)["graph"][0]]}, ""),
        (graph() | {"input_ports": [9]}, "9"),
        (graph() | {"version": 3}, "version"),
        (graph() | {"graph": {}}, "graph"),
        ({}, "graph"),
        ([], ""),
    ],
)  # fmt: skip
def test_graphs_that_contradict_themselves(
    value: Any, says: str, capsys: pytest.CaptureFixture[str]
):
    Path("graph.json").write_text(json.dumps(value))
    said = fails(capsys, "graph.json", main=autosplit_opt.main)
    assert "graph.json" in said
    assert says in said


def test_files_that_are_no_graph(capsys: pytest.CaptureFixture[str]):
    for data in (
        b"",
        b"{",
        b"nonsense",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"graph": [' + b"{}," * 9,
    ):
        Path("graph.json").write_bytes(data)
        assert "graph.json" in fails(capsys, "graph.json", main=autosplit_opt.main)
    fails(capsys, "none.json", main=autosplit_opt.main)


@pytest.mark.parametrize(
    "passes",
    ["dnnl-fuse{version=2.0}", "dnnl-fuse{version=x}", "dnnl-fuse{policy=mine}", "dnnl-fuse{keep=some}",
     "dnnl-fuse{verbose=1}", "convert-onnx-to-dnnl", "dnnl-propagate-layout{order=yes}", "int8{policy=x}",
     "int8{version=9.9}", "quant-fold-requantize{clamp=hard}", "int9"],
)  # fmt: skip
def test_options_of_passes(passes: str, capsys: pytest.CaptureFixture[str]):
    """Passes alone take canonical models only, which this one is not."""
    fails(capsys, save(network()), "-p", passes, main=autosplit_opt.main)


@pytest.mark.parametrize(
    "type",
    ["u8:f32, 0.0", "u8:f32, -1.0", "u8:f32, 0.1:256", "i8:f32, 0.1:-129", "i9:f32, 0.1",
     "u8:i32, 0.1", "u8:f32:0, {}", "u8:f32:-1, {0.1,0.1}", "u8",
     "u8<5:2>:f32, 0.1", "u8:f32, 0.1:1.5", "u8:f32, 1e-50", "u8:f32, 1e50"],
)  # fmt: skip
def test_types_that_make_no_sense(type: str, capsys: pytest.CaptureFixture[str]):
    text = f"func.func @f(%0: tensor<2x3x!quant.uniform<{type}>>) {{ func.return }}"
    Path("types.mlir").write_text(text)
    before = sorted(os.listdir())
    assert autosplit_opt.main(["types.mlir"]) == 1
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert said.out == ""
    assert sorted(os.listdir()) == before


def test_parameters_that_the_module_does_not_list(capsys: pytest.CaptureFixture[str]):
    type = "tensor<2x3x!quant.uniform<i8:f32:0, 64 x @nothing>>"
    cast = f'"quant.dcast"(%0) : ({type}) -> tensor<2x3xf32>'
    Path("types.mlir").write_text(f"func.func @f(%0: {type}) {{ %1 = {cast} func.return }}")
    assert "@nothing are unknown" in fails(capsys, "types.mlir", main=autosplit_opt.main)


@pytest.mark.parametrize("opset", [23, 99])
def test_an_opset_that_is_too_new(opset: int, capsys: pytest.CaptureFixture[str]):
    model = network().model()
    model.opset_import[0].version = opset
    said = fails(capsys, "compile", save(model), "-o", "out")
    assert f"opset {opset}" in said
    assert "normalize-onnx" not in said, "which has run"


def test_a_branch_with_a_bad_scale(capsys: pytest.CaptureFixture[str]):
    inner = RawQdq(first=500)
    inner.output(inner.qdq("x", 0.0))
    graph = helper.make_graph(inner.nodes, "b", [], inner.outputs, inner.initializers)
    m = RawQdq()
    m.input("x", [2])
    which = m.input("which", [], "bool")
    m.output(m.node("If", which, then_branch=graph, else_branch=graph))
    model = m.model()
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    # Bodies are ONNX Runtime's, which takes such a scale: the model compiles, or is refused in a line.
    if cli.main(["compile", save(model), "-o", "out"]):
        assert len(capsys.readouterr().err.splitlines()) == 1
