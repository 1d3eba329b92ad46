"""Mistakes of users, through the command line: one line that says what and where, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper
from processes import PATIENCE, wait_for_main

from autosplit.core.errors import AutosplitError
from autosplit.inputs.value_inputs import random_array
from autosplit.testing.models import model_path
from autosplit.tools import autosplit_opt
from autosplit.tools.cli import main as cli

SSDLITE = "frozen_inference_graph.pb"
FLOAT = TensorProto.FLOAT


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def fails(
    capsys: pytest.CaptureFixture[str],
    *args: str,
    main: Callable[[list[str]], int] = cli.main,
    out: str = "out",
) -> str:
    """The message of a command that must fail with code 1, one line, and no new file beside it."""
    before = sorted(os.listdir())
    capsys.readouterr()
    assert main(list(args)) == 1
    lines = [x for x in capsys.readouterr().err.splitlines() if not x.endswith(" ...")]
    assert len(lines) == 1, lines
    assert re.match(r"autosplit(-opt)?: error: \S", lines[0])
    assert sorted(os.listdir()) == before
    assert not Path(out).exists()
    return lines[0]


def save(
    nodes: list[onnx.NodeProto],
    path: str = "model.onnx",
    inputs: dict[str, list[Any]] | None = None,
    outputs: tuple[str, ...] = ("y",),
    opset: int = 17,
    weights: dict[str, np.ndarray] | None = None,
) -> str:
    """Writes a model of float32 tensors."""
    given = inputs if inputs is not None else {"x": [2]}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, FLOAT, s) for n, s in given.items()],
        [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs],
        [numpy_helper.from_array(a, n) for n, a in (weights or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, path)
    return path


def convolution(path: str = "model.onnx") -> str:
    """A convolution, then an op whose result's size depends on the data."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="conv"),
        helper.make_node("NonZero", ["c"], ["n"], name="nonzero"),
        helper.make_node("Cast", ["n"], ["y"], name="cast", to=FLOAT),
    ]
    weights = {"w": np.ones((2, 3, 3, 3), np.float32)}
    return save(nodes, path, {"x": ["n", 3, "h", "w"]}, weights=weights)


@pytest.mark.parametrize("command", ["split", "explain"])
@pytest.mark.parametrize("platform", ["auto", "onnx", "tensorflow"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\x08", b"hello world\n" * 99, b"\xff\xd8\xff\xe0" + bytes(range(256)), bytes(5000),
     b'{"graphs": []}', b"PK\x03\x04" + bytes(range(99)), b"builtin.module {}"],
    ids=["empty", "byte", "text", "jpeg", "zeros", "json", "zip", "mlir"],
)  # fmt: skip
def test_foreign_files(
    content: bytes, platform: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file.onnx").write_bytes(content)
    out = ["-o", "out"] if command == "split" else []
    said = fails(capsys, command, "file.onnx", "--platform", platform, *out)
    assert "error: file.onnx: " in said


@pytest.mark.parametrize("model", ["pnet.onnx", SSDLITE])
@pytest.mark.parametrize("share", [0.0001, 0.01, 0.5, 0.999999])
def test_truncated_files(model: str, share: float, capsys: pytest.CaptureFixture[str]) -> None:
    data = model_path(model).read_bytes()
    Path("cut").write_bytes(data[: max(1, int(len(data) * share))])
    assert "error: cut: " in fails(capsys, "split", "cut", "-o", "out")


def test_directories(capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    assert "folder: is a directory" in fails(capsys, "split", "folder", "-o", "out")
    Path("saved").mkdir()
    Path("saved/saved_model.pb").write_bytes(b"\x08\x01")
    assert "saved: freezing it in TensorFlow failed: the SavedModel holds no graph" in fails(
        capsys, "split", "saved", "-o", "out"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], r"input 'x': the model leaves its shape open \(tensor<\?x3x\?x\?xf32>\); give it"),
        (["--input", "xx=1,3,8,8"], "has no input 'xx' .did you mean 'x'"),
        (["--input", "x=1,8,8,3"], "dimension 1 is 3, not 8"),
        (["--input", "x=3,8,8"], "'x' has 4 dimensions .* 3x8x8 has 3"),
        (["--input", "x=1,3,8,8:uint8"], "found dtype uint8, the model takes float32"),
        (["--input", "x=1,3,8,8", "--input", "x:0=1,3,9,9"], "input 'x' appears twice"),
        (["--input", "1,3,8,8", "--output", "nonzerro"], "no tensor 'nonzerro'"),
    ],
)  # fmt: skip
def test_names_and_shapes(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = fails(capsys, "split", convolution(), "-o", "out", *args)
    assert found.startswith("autosplit: error: model.onnx: ")
    assert re.search(said, found)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--input", "x=1,3,99999999,99999999"], "more than any model takes"),
        (["--input", "x=99999999999999999999"], "more than any model takes"),
        (["--input", "x=none.npy"], "there is no file none.npy"),
        (["--keep", "-0.1"], "--keep -0.1: expected a share from 0 to 1"),
        (["--keep", "nan"], "--keep nan: expected a share from 0 to 1"),
        (["--pin", "nothing=cpu"], "pin 'nothing' matches no node"),
        (["--pin", "w=cpu"], "pin 'w' matches constants only"),
        (["--pin", "(=cpu"], "is not a regular expression"),
        (["--pin", "conv"], "expected REGEX=cpu or REGEX=tpu"),
        (["--pin", "nonzero=tpu"], "NonZero 'nonzero' cannot run there: "),
        (["--target", "bm168x"], "chip 'bm168x' is unknown .did you mean"),
        (["--platform", "onx"], "platform 'onx' is unknown .did you mean 'onnx'"),
        (["--on-fallback", "error"], "NonZero 'nonzero' falls back to the CPU"),
    ],
)
def test_options(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = args if "--input" in args else [*args, "--input", "1,3,8,8"]
    assert re.search(said, fails(capsys, "split", convolution(), "-o", "out", *given))


def _node(kind: str, *names: str) -> onnx.NodeProto:
    return helper.make_node(kind, list(names[:-1]), [names[-1]])


@pytest.mark.parametrize(
    ("nodes", "outputs", "opset", "said"),
    [
        ([_node("Add", "x", "b", "a"), _node("Relu", "a", "b"), _node("Abs", "b", "y")],
         ("y",), 17, "has a cycle, which ONNX does not allow"),
        ([_node("Add", "x", "y", "y")], ("y",), 17, "has a cycle"),
        ([_node("Add", "x", "gone", "y")], ("y",), 17, "'gone', which Add node 'y' reads, is neither"),
        ([_node("Relu", "x", "z")], ("y",), 17, "'y', which .* reads, is neither an input"),
        ([_node("Relu", "x", "y"), _node("Abs", "x", "y")], ("y",), 17, "'y' is defined twice"),
        ([_node("Add", "x", "y")], ("y",), 17, "Add node 'y': has 1 operand, expected 2"),
        ([_node("Relu", "x", "y")], (), 17, "the model has no outputs"),
        ([_node("Relu", "x", "y")], ("y",), 5, "is of opset 5; autosplit reads 7 to"),
        ([_node("Relu", "x", "y")], ("y",), 99, "is of opset 99; autosplit reads 7 to"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)  # fmt: skip
def test_malformed_onnx(
    nodes: list[onnx.NodeProto],
    outputs: tuple[str, ...],
    opset: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = save(nodes, outputs=outputs, opset=opset)
    found = fails(capsys, "split", path, "-o", "out")
    assert found.startswith("autosplit: error: model.onnx: ")
    assert re.search(said, found)


@pytest.mark.parametrize(
    "entries",
    [
        {"location": "../data"},
        {"location": "{}/data"},
        {"location": "link"},
        {"location": "up/data"},
        {"location": "missing"},
        {},
        {"location": "inside", "offset": "4"},
        {"location": "inside", "offset": "x"},
        {"location": "inside", "length": "3"},
    ],
    ids=str,
)
def test_external_data(entries: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Data outside of the model's folder is not read, whatever way leads there."""
    weights = {"c": np.ones(2000, np.float32)}
    Path("m").mkdir()
    path = save([_node("Add", "x", "c", "y")], "m/model.onnx", {"x": [2000]}, weights=weights)
    for name in ("data", "m/inside"):
        weights["c"].tofile(name)
    Path("m/link").symlink_to("../data")
    Path("m/up").symlink_to("..")
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value.format(Path.cwd()))
    Path(path).write_bytes(model.SerializeToString())
    said = fails(capsys, "split", path, "-o", "out")
    assert said.startswith("autosplit: error: m/model.onnx: ")
    assert "'c'" in said


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_destinations(force: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = convolution()
    Path("full").mkdir()
    Path("full/precious").write_text("data")
    Path("file").write_text("data")
    common = ["split", path, "--input", "1,3,8,8", *force, "-o"]
    for where in ("full", "file", "file/below", "/", ".", "..", "/proc/none", "/dev/null"):
        said = fails(capsys, *common, where)
        assert f"error: {where}: " in said
    assert Path("full/precious").read_text() == "data"
    assert Path("file").read_text() == "data"


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_disk_full() -> None:
    """Writes that fail half-way leave neither the folder, nor its parents, nor a temporary one."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], name="conv")]
    weights = {"w": np.ones((64, 64, 3, 3), np.float32)}
    save(nodes, inputs={"x": [1, 64, 8, 8]}, weights=weights)
    command = [sys.executable, "-m", "autosplit.tools.cli.main", "split", "model.onnx"]
    done = subprocess.run(
        [*command, "-o", "new/out"],
        preexec_fn=_limit_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    lines = [x for x in done.stderr.splitlines() if not x.endswith(" ...")]
    assert lines == ["autosplit: error: new/out: cannot be written: File too large"]
    assert os.listdir() == ["model.onnx"]


BLOCKED = """
import sys
sys.modules["onnxruntime"] = sys.modules["tensorflow"] = None
from autosplit.tools.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def _without_frameworks(*args: str) -> tuple[int, str]:
    command = [sys.executable, "-c", BLOCKED, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [x for x in done.stderr.splitlines() if not x.endswith(" ...")]
    return done.returncode, "\n".join(lines)


def test_missing_extras() -> None:
    """What needs no framework works without; what does names the tensor or file and the extra."""
    convolution()
    code, said = _without_frameworks(
        "split", "model.onnx", "--input", "1,3,8,8", "--output", "c", "-o", "out"
    )
    assert (code, said) == (0, "")
    code, said = _without_frameworks("run", "out")
    assert code == 1
    assert re.fullmatch(r"autosplit: error: .*onnxruntime.*autosplit\[run\].*", said), said
    code, said = _without_frameworks("split", "model.onnx", "--input", "1,3,8,8", "-o", "new")
    assert code == 1
    assert re.fullmatch(r"autosplit: error: model.onnx: .*'[ny]'.*autosplit\[run\].*", said), said
    assert not Path("new").exists()
    code, said = _without_frameworks(
        "split", str(model_path(SSDLITE)), "--input", "1,300,300,3", "-o", "detector"
    )
    assert (code, said) == (0, "")
    code, said = _without_frameworks("run", "detector")
    assert code == 1
    assert re.fullmatch(r"autosplit: error: .*autosplit\[tensorflow\].*", said), said
    assert not Path("new").exists()


@pytest.fixture
def folder(capsys: pytest.CaptureFixture[str]) -> Path:
    """A good split."""
    assert cli.main(["split", convolution(), "--input", "1,3,8,8", "-o", "split"]) == 0
    shutil.copy("split/graph_0.onnx", "outside.onnx")
    return Path("split")


def _set(*path: str | int) -> Callable[[Any], None]:
    """Sets what the keys lead to, all but the last of them, to the last."""

    def change(infos: Any) -> None:
        for key in path[:-2]:
            infos = infos[key]
        infos[path[-2]] = path[-1]

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("graphs", 0, "model_info", "model_path", "../outside.onnx"),
        _set("graphs", 0, "model_info", "model_path", "/outside.onnx"),
        _set("graphs", 0, "model_info", "model_path", "link.onnx"),
        _set("graphs", 0, "model_info", "model_path", "none.onnx"),
        _set("graphs", 0, "model_info", "model_path", ""),
        _set("graphs", 0, "context_dir", "../x"),
        _set("graphs", 0, "device", "gpu"),
        _set("graphs", 0, "inputs", "x"),
        _set("graph_num", 7),
        _set("tensors", 5),
    ],
)
def test_graph_infos(
    change: Callable[[Any], None], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link.onnx").symlink_to("../outside.onnx")
    path = folder / "graph_infos.json"
    infos = json.loads(path.read_text())
    change(infos)
    path.write_text(json.dumps(infos))
    for command in ("run", "explain"):
        assert f"error: {path}: " in fails(capsys, command, str(folder))
    assert f"error: {path}: " in fails(capsys, str(folder), main=autosplit_opt.main)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"graphs": 1}', "\xff"])
def test_graph_infos_text(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "graph_infos.json"
    path.write_text(text, encoding="latin1")
    assert f"error: {path}: " in fails(capsys, "run", str(folder))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "",
        lambda text: "garbage",
        lambda text: text[: len(text) // 2],
        lambda text: text[: text.rindex('"') - 40],
        lambda text: text.replace("onnx.Conv", "onnx.Cnov"),
        lambda text: text.replace("@graph_0", "@graph_7"),
        lambda text: text.replace("f32", "f3"),
        lambda text: "builtin.module {}",
        lambda text: text + '"' + "0" * 5000,
    ],
    ids=["empty", "garbage", "cut", "cut-late", "op", "symbol", "type", "not-outlined", "string"],
)
def test_plan(edit: Callable[[str], str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """plan.mlir edited by hand: the message has the file and the place, and comes at once."""
    path = folder / "plan.mlir"
    path.write_text(edit(path.read_text()))
    start = time.monotonic()
    assert f"error: {path}:" in fails(capsys, "explain", str(folder))
    assert f"error: {path}:" in fails(capsys, str(folder), main=autosplit_opt.main)
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("dtype", ["bfloat16", "float32x", "object", "", "\\FF"])
def test_any_measured_dtype_is_explained(
    dtype: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "plan.mlir"
    text = path.read_text()
    assert 'dtype = "float32"' in text
    path.write_text(text.replace('dtype = "float32"', f'dtype = "{dtype}"'))
    assert cli.main(["explain", str(folder)]) == 0
    assert "error" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("op_type", "attribute", "shapes"),
    [
        ("Conv", "auto_pad", {"x": [1, 3, 8, 8], "w": [4, 3, 3, 3]}),
        ("MaxPool", "auto_pad", {"x": [1, 3, 8, 8]}),
        ("Resize", "coordinate_transformation_mode", {"x": [1, 3, 8, 8]}),
        ("LSTM", "activations", {"x": [5, 1, 3], "w": [1, 16, 3], "r": [1, 16, 4]}),
        ("GRU", "direction", {"x": [5, 1, 3], "w": [1, 12, 3], "r": [1, 12, 4]}),
    ],
)
def test_attributes_that_are_no_text(
    op_type: str,
    attribute: str,
    shapes: dict[str, list[Any]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever becomes of such a model, it is no traceback."""
    node = helper.make_node(op_type, list(shapes), ["y"], name="n")
    odd = b"\xa0\xff"
    value: Any = [odd] * 3 if attribute == "activations" else odd
    node.attribute.append(helper.make_attribute(attribute, value))
    path = save([node], inputs=shapes)
    code = autosplit_opt.main(["-f", "onnx", path, "--pipeline", "split"])
    assert "Traceback" not in capsys.readouterr().err
    assert code in (0, 1)


def test_damaged_sub_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "graph_0.onnx"
    data = path.read_bytes()
    for damaged in (b"", b"junk", data[: len(data) // 2]):
        path.write_bytes(damaged)
        assert "graph_0.onnx" in fails(capsys, "run", str(folder))
    path.unlink()
    for command in ("run", "explain"):
        assert "'graph_0.onnx', and there is no such file" in fails(capsys, command, str(folder))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--input", "wide.npy"], r"input 'x': found shape \[1, 3, 8, 9\], expected \[1, 3, 8, 8\]"),
        (["--input", "tenth.npy"], "input 'x': found dtype float64, expected float32, which cannot"),
        (["--input", "1,3,8,9"], r"input 'x': found shape \[1, 3, 8, 9\], expected \[1, 3, 8, 8\]"),
        (["--input", "1,3,8,8:uint8"], "input 'x': found dtype uint8, expected float32"),
        (["--input", ":uint8"], "input 'x': found dtype uint8, expected float32"),
        (["--input", "none.npy"], "there is no file none.npy"),
        (["--mode", "1"], "invalid choice: 1 .choose from 0, 2"),
        (["--mode", "2"], "compilation.bmodel: there is no such file"),
        (["--compare", "none.onnx"], "none.onnx: there is no such file"),
        (["-o", "none/out.npz"], "none/out.npz: cannot be written"),
    ],
)  # fmt: skip
def test_running(
    args: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save("wide.npy", np.zeros((1, 3, 8, 9), np.float32))
    np.save("tenth.npy", np.full((1, 3, 8, 8), 0.1))
    assert re.search(said, fails(capsys, "run", str(folder), *args))


def test_what_is_no_input_is_warned_of(
    folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    np.save("bytes.npy", np.ones((1, 3, 8, 8), np.uint8))
    assert cli.main(["run", str(folder), "--input", "x=bytes.npy", "--input", "z=1,2"]) == 0
    assert "random input" not in capsys.readouterr().out
    assert "'z' is not an input of the model (there is 'x'); it is not used" in caplog.text


def test_a_slip_is_no_random_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not an input is an error where an input is left that it may have been meant for."""
    np.save("bytes.npy", np.ones((1, 3, 8, 8), np.uint8))
    said = fails(capsys, "run", str(folder), "--input", "xx=bytes.npy")
    assert "--input xx: is not an input of the model (did you mean 'x'?)" in said
    said = fails(capsys, "run", str(folder), "--input", "picture=1,3,8,8")
    assert "--input picture: is not an input of the model (there is 'x')" in said


@pytest.mark.parametrize("seconds", [0.3, 1.5, 3.0])
def test_interrupt(seconds: float) -> None:
    """Ctrl-C leaves no folder and no temporary files, whenever it comes."""
    model = str(model_path(SSDLITE))
    Path("work").mkdir()
    Path("scratch").mkdir()
    options = ["--input", "1,300,300,3", "-o", "work/new/out"]
    process = subprocess.Popen(
        [sys.executable, "-m", "autosplit.tools.cli.main", "split", model, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(Path("scratch").absolute())},
    )
    wait_for_main(process)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    if process.returncode == 0:
        pytest.skip("the split was done before the signal came")
    # Where it came in the middle of an `exec`, Python lets the signal end the process at last.
    assert process.returncode in (130, -signal.SIGINT)
    assert os.listdir("work") == []
    assert os.listdir("scratch") == []
    assert "Traceback" not in said


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int64"])
def test_random_input_larger_than_the_memory_is_one_line(dtype):
    for shape in ((1 << 60,), (1 << 40, 1 << 40)):
        with pytest.raises(AutosplitError, match="more than the memory holds; give smaller sizes"):
            random_array(np.random.default_rng(0), shape, np.dtype(dtype))


@pytest.mark.parametrize("platform", [[], ["--platform", "tensorflow"], ["--platform", "onnx"]])
@pytest.mark.parametrize(
    ("name", "member", "expected"),
    [
        ("m.keras", "config.json", ".export('m_saved')"),
        ("m.h5", None, ".export('m_saved')"),
        ("m.pt", "m/data.pkl", "torch.export.save"),
    ],
)
def test_models_of_other_formats(
    name: str, member: str | None, expected: str, platform: list[str],
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    path = tmp_path / name
    if member is None:
        path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, "{}")
    assert cli.main(["split", str(path), *platform, "-o", str(tmp_path / "out")]) == 1
    err = capsys.readouterr().err
    assert (expected in err, len(err.splitlines())) == (True, 1)


def test_what_onnx_runtime_says_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path):
    """It prints an error too, in colour, beside raising it."""
    text = """<ir_version: 8, opset_import: ["": 17]>
        g (float[2,3] x, int64[2] s) => (float[M,N] y) { y = Reshape(x, s) }"""
    onnx.save(onnx.parser.parse_model(text), tmp_path / "m.onnx")
    sizes = [tmp_path / "fits.npy", tmp_path / "not.npy"]
    np.save(sizes[0], np.array([3, 2]))
    np.save(sizes[1], np.array([4, 2]))
    split = ["split", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "out"), "--input"]
    assert cli.main([*split, f"s={sizes[0]}"]) == 0
    capfd.readouterr()
    assert cli.main(["run", str(tmp_path / "out"), "--input", f"s={sizes[1]}"]) == 1
    said = [line for line in capfd.readouterr().err.splitlines() if "Reshape" in line]
    assert len(said) == 1
    assert said[0].startswith("autosplit: error: ")
