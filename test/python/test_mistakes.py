"""Mistakes whose message once was a traceback, or advice that did not help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError, choice, nearest
from autosplit.core.scratch import scratch_folder
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.ops import OnnxOp
from autosplit.dialects.platform import platform_graph
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.staging import staged_folder
from autosplit.lowering.device.confirm import demote
from autosplit.lowering.device.place import accepts, refuse
from autosplit.platforms import load_model

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
HUGE = 1 << 40


def save(
    path: Path,
    nodes: list[onnx.NodeProto],
    shape: list[int],
    output: list[int] | None = None,
    kind: int = FLOAT,
    **constants: Any,
) -> Path:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", kind, shape)],
        [helper.make_tensor_value_info("y", kind, output)],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def node(kind: str, *names: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, list(names[:-1]), [names[-1]], name=kind, **attributes)


ONE = np.ones((1, 1), np.float32)


@pytest.mark.parametrize(
    "model",
    [
        ([node("Relu", "x", "y")], [HUGE, HUGE]),
        ([node("Relu", "x", "y")], [1, 3], [HUGE, HUGE]),
        ([node("Expand", "x", "s", "y")], [1, 3], None, FLOAT, {"s": np.array([HUGE, 3])}),
        ([node("ConstantOfShape", "s", "z"), node("Add", "x", "z", "y")], [1, 3], None, FLOAT,
         {"s": np.array([HUGE, 3])}),
        ([node("Range", "a", "b", "c", "z"), node("Add", "x", "z", "y")], [1, 1], None, INT64,
         {"a": np.int64(0), "b": np.int64(1 << 45), "c": np.int64(1)}),
        ([node("Tile", "k", "s", "z"), node("Add", "x", "z", "y")], [1, 1], None, FLOAT,
         {"k": ONE, "s": np.array([HUGE, 3])}),
        ([node("Pad", "k", "s", "z"), node("Add", "x", "z", "y")], [1, 1], None, FLOAT,
         {"k": ONE, "s": np.array([0, 0, HUGE, 3])}),
        ([node("Resize", "k", "", "s", "z"), node("Add", "x", "z", "y")], [1, 1], None, FLOAT,
         {"k": ONE, "s": np.array([1e13, 3], np.float32)}),
    ],
    ids=["input", "output", "Expand", "ConstantOfShape", "Range", "Tile", "Pad", "Resize"],
)  # fmt: skip
def test_sizes_that_no_memory_holds(model: tuple[Any, ...], tmp_path: Path):
    *given, constants = model if len(model) == 5 else (*model, {})
    path = save(tmp_path / "model.onnx", *given, **constants)
    with pytest.raises(
        AutosplitError, match=r"model.onnx: tensor '\w' has .* than any model takes"
    ):
        split_model(SplitOptions(path))


def test_the_largest_integer_as_the_end_of_a_slice_is_no_size(tmp_path: Path):
    limit = np.array([np.iinfo(np.int64).max])
    nodes = [node("Slice", "x", "a", "b", "y")]
    split_model(
        SplitOptions(save(tmp_path / "m.onnx", nodes, [4, 2], None, a=np.array([1]), b=limit))
    )


@pytest.mark.parametrize("location", ["a\0b", "\0", "a" * 5000, "."])
def test_external_data_at_no_path(location: str, tmp_path: Path):
    path = save(tmp_path / "m.onnx", [node("Add", "x", "c", "y")], [9], c=np.ones(9, np.float32))
    model = onnx.load(path)
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(AutosplitError, match=r"m.onnx: .*'c'"):
        split_model(SplitOptions(path))


BAD_NAME = os.fsdecode(b"a\xff")


def run(*args: str | Path, cwd: Path, **env: str) -> tuple[int, bytes, list[str]]:
    """Exit code, stdout, and the lines on stderr without those of progress."""
    command = [sys.executable, "-m", "autosplit.tools.cli.main", *map(os.fspath, args)]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, check=False, env={**os.environ, **env}
    )
    lines = done.stderr.decode().splitlines()
    return done.returncode, done.stdout, [x for x in lines if not x.endswith(" ...")]


def test_file_names_that_are_not_utf8(tmp_path: Path):
    nodes = [node("Conv", "x", "w", "y")]
    weights = np.ones((2, 3, 3, 3), np.float32)
    save(tmp_path / "m.onnx", nodes, [1, 3, 8, 8], w=weights).rename(tmp_path / f"{BAD_NAME}.onnx")
    code, said, errors = run("split", f"{BAD_NAME}.onnx", "-o", f"{BAD_NAME} out", cwd=tmp_path)
    assert (code, errors) == (0, [])
    assert b"wrote a\xff out" in said
    assert run("explain", f"{BAD_NAME} out", cwd=tmp_path)[0] == 0
    code, _, errors = run("run", f"{BAD_NAME} out", cwd=tmp_path)
    assert code == 1
    assert re.fullmatch(
        r"autosplit: error: .*opens only files whose path is UTF-8; rename .*", errors[0]
    )
    (tmp_path / f"{BAD_NAME} out").rename(tmp_path / "out")
    code, _, errors = run("run", "out", "-o", f"{BAD_NAME}.npz", cwd=tmp_path)
    assert (code, errors) == (0, [])
    with np.load(tmp_path / f"{BAD_NAME}.npz") as found:
        assert list(found) == ["y"]
    code, _, errors = run("run", "out", "--input", f"x={BAD_NAME}.npy", cwd=tmp_path)
    assert (code, len(errors)) == (1, 1)


def test_a_full_temporary_folder_is_one_line(tmp_path: Path):
    """What writes the inputs must not be told again, by Python, when it is collected."""
    nodes = [node("NonZero", "x", "n"), node("Cast", "n", "f", to=FLOAT), node("Relu", "f", "y")]
    save(tmp_path / "m.onnx", nodes, [1, 3, 200, 200])
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
        "from autosplit.tools.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "split", "m.onnx", "-o", "out"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [x for x in done.stderr.splitlines() if not x.endswith(" ...")]
    assert (done.returncode, len(lines)) == (1, 1)
    assert "measuring shapes needs a temporary folder, and " in lines[0]
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_no_temporary_folder_at_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", "/nonexistent")
    said = "/nonexistent cannot be written: No such file"
    with pytest.raises(AutosplitError, match=said), scratch_folder("a test"):
        pass


def test_a_full_disk_names_the_folder_that_was_asked_for(tmp_path: Path):
    with pytest.raises(AutosplitError) as error:
        write_into(tmp_path / "out")
    assert str(error.value) == f"{tmp_path}/out/x.npz: No space left on device"
    assert os.listdir(tmp_path) == []


def write_into(folder: Path) -> None:
    with staged_folder(folder) as staging:
        try:
            raise OSError(28, "No space left on device")
        except OSError as full:
            raise AutosplitError(f"{staging}/x.npz: {full.strerror}") from full


def test_a_pin_that_the_sub_model_undoes_is_refused_with_the_reason(tmp_path: Path):
    nodes = [node("Relu", "x", "a"), node("Sigmoid", "a", "y")]
    model = load_model(save(tmp_path / "m.onnx", nodes, [1, 3]))
    body = platform_graph(model.module).body_ops()
    ops = {op.identity: op for op in body if isinstance(op, OnnxOp)}
    for name, devices in (("Relu", ["tpu"]), ("Sigmoid", ["cpu", "tpu"])):
        mark(ops[name], devices)
    reason = ReasonAttr.of("why", "it has no room")
    demote(model.module, {"Relu": reason, "Sigmoid": reason})
    assert accepts(ops["Relu"]) == ["tpu"], "others go first"
    assert accepts(ops["Sigmoid"]) == ["cpu"]
    with pytest.raises(
        AutosplitError, match=r"Relu 'Relu' is pinned to the TPU, .*: it has no room"
    ):
        demote(model.module, {"Relu": reason})


def mark(op: Any, devices: list[str]) -> None:
    """Notes on an op which devices accept it."""
    from xdsl.dialects.builtin import ArrayAttr, StringAttr

    op.attributes["device.accepts"] = ArrayAttr([StringAttr(d) for d in ("cpu", "tpu")])
    for device in {"cpu", "tpu"} - set(devices):
        refuse(op, device, ReasonAttr.of("pinned", "pinned"))


def test_only_near_names_are_suggested():
    known = ["tensorflow", "onnx"]
    assert nearest("foo", known) == ""
    assert nearest("z", ["x"]) == ""
    assert nearest("tensroflow", known) == " (did you mean 'tensorflow'?)"
    assert nearest("X", ["y", "x"]) == " (did you mean 'x'?)"
    assert nearest("Convolution", ["Conv", "Relu"]) == " (did you mean 'Conv'?)"
    assert nearest("--layout", ["--output"]) == ""
    assert nearest("model", ["model/block_1/conv2d/kernel"]) == ""
    assert choice("z", ["x"]) == " (there is 'x')"
    assert choice("zz", list("abcdefgh")) == " (there are 'a', 'b', 'c', 'd', 'e', 'f', ...)"
    assert choice("z", []) == ""
