"""`--custom-ops LIBRARY`: ops that ONNX Runtime does not have, from splitting to running."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import (
    make_graph,
    make_model,
    make_node,
    make_opsetid,
    make_tensor_value_info,
)

from autosplit import api
from autosplit.custom_ops import libraries
from autosplit.errors import AutosplitError
from autosplit.testing.custom_ops import ONNX_DOMAIN, compiled, onnx_library
from autosplit.tools.autosplit import main

Capture = pytest.CaptureFixture[str]

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((1, 3, 16, 16), np.float32)


@pytest.fixture(scope="module")
def library() -> Path:
    return onnx_library()


def save(path: Path, *nodes: onnx.NodeProto, outputs: list[str] | None = None) -> Path:
    """A model of `x` with two weights."""
    given = [
        numpy_helper.from_array(RANDOM.standard_normal(shape, np.float32), name)
        for name, shape in (("w0", (8, 3, 3, 3)), ("w1", (4, 8, 3, 3)))
    ]
    graph = make_graph(
        list(nodes),
        "custom",
        [make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs or ["y"]],
        given,
    )
    opsets = [make_opsetid("", 17), make_opsetid(ONNX_DOMAIN, 1)]
    onnx.save(make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def between(path: Path) -> Path:
    """A custom op between two convolutions."""
    return save(
        path,
        make_node("Conv", ["x", "w0"], ["c"], "first", pads=[1] * 4),
        make_node("NegPos", ["c"], ["neg", "pos"], "custom", domain=ONNX_DOMAIN),
        make_node("Conv", ["pos", "w1"], ["y"], "second", pads=[1] * 4),
    )


def whole(path: Path, library: Path, x: np.ndarray = X) -> np.ndarray:
    """What ONNX Runtime itself computes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.register_custom_ops_library(str(library))
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    return session.run(["y"], {"x": x})[0]


def test_a_folder_runs_without_the_option(tmp_path: Path, library: Path, capsys: Capture):
    model = between(tmp_path / "model.onnx")
    out = tmp_path / "out"
    assert not main(["split", str(model), "--custom-ops", str(library), "-o", str(out)])
    infos = json.loads((out / "graph_infos.json").read_text())
    (name,) = infos["autosplit"]["custom_ops"]
    assert name == f"custom_ops/{library.name}"
    assert name in infos["autosplit"]["files"]
    # The folder is whole by itself, wherever it lies.
    moved = out.rename(tmp_path / "moved")
    found = api.infer(api.load(moved), {"x": X})["y"]
    assert np.asarray(found).tobytes() == whole(model, library).tobytes()
    capsys.readouterr()
    assert not main(["run", str(moved), "--compare", str(model)])
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out


def test_from_python(tmp_path: Path, library: Path):
    model = between(tmp_path / "model.onnx")
    one, two = tmp_path / "one", tmp_path / "two"
    api.split("onnx", {"x": X}, one, model, custom_ops=library)
    api.split("onnx", {"x": X}, two, model, custom_ops=[str(library), library])
    for path in one.rglob("*"):
        assert path.is_dir() or path.read_bytes() == (two / path.relative_to(one)).read_bytes()
    expected = whole(model, library).tobytes()
    for runner in (api.load(one), api.load(one, custom_ops=[library])):
        assert np.asarray(api.infer(runner, {"x": X})["y"]).tobytes() == expected
    (op,) = api.explain(model, {"x": X}, custom_ops=library).find("custom")
    assert op.device == "cpu"
    assert "domain 'ai.onnx.contrib'" in str(op)


def test_the_option_of_run_takes_the_place_of_the_folders(tmp_path: Path, library: Path):
    model, out = between(tmp_path / "model.onnx"), tmp_path / "out"
    api.split("onnx", {"x": X}, out, model, custom_ops=library)
    kept = out / "custom_ops" / library.name
    kept.write_bytes(kept.read_bytes() + b"!")
    with pytest.raises(AutosplitError, match=r"changed after the split.*--custom-ops"):
        api.load(out)
    kept.unlink()
    with pytest.raises(AutosplitError, match=r"there is no such library.*--custom-ops"):
        api.load(out)
    found = api.infer(api.load(out, custom_ops=library), {"x": X})["y"]
    assert np.asarray(found).tobytes() == whole(model, library).tobytes()


def test_libraries_of_the_same_name(tmp_path: Path, library: Path):
    (tmp_path / "lib").mkdir()
    empty = "void *RegisterCustomOps(void *options, void *api) { return 0; }"
    other = compiled(empty, tmp_path / "lib", library.name)
    model, out = between(tmp_path / "model.onnx"), tmp_path / "out"
    api.split("onnx", {"x": X}, out, model, custom_ops=[library, other])
    infos = json.loads((out / "graph_infos.json").read_text())
    names = [f"custom_ops/{library.name}", f"custom_ops/1/{library.name}"]
    assert infos["autosplit"]["custom_ops"] == names
    found = api.infer(api.load(out), {"x": X})["y"]
    assert np.asarray(found).tobytes() == whole(model, library).tobytes()


def test_no_library(tmp_path: Path, capsys: Capture):
    model, out = between(tmp_path / "model.onnx"), tmp_path / "out"
    assert main(["split", str(model), "-o", str(out)]) == 1
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "NegPos" in said
    assert "--custom-ops LIBRARY" in said
    assert not out.exists()


def text(path: Path) -> Path:
    path.write_text("# no library\n")
    return path


def other_machine(path: Path) -> Path:
    found = bytearray(onnx_library().read_bytes()[:4096])
    found[18:20] = b"\xf3\x00"
    path.write_bytes(found)
    return path


def without_register(path: Path) -> Path:
    return compiled("int nothing;", path.parent, path.name)


def crashing(path: Path) -> Path:
    return compiled("void RegisterCustomOps(void) { __builtin_trap(); }", path.parent, path.name)


def needing(path: Path) -> Path:
    inner = compiled("int inner(void) { return 1; }", path.parent, "libtensorflow_inner.so")
    source = "int inner(void); int RegisterCustomOps(void) { return inner(); }"
    flags = [f"-L{path.parent}", "-l:libtensorflow_inner.so", "-Wl,--no-as-needed"]
    made = compiled(source, path.parent, path.name, *flags)
    inner.unlink()
    return made


def missing_symbol(path: Path) -> Path:
    source = "void OrtOfTomorrow(void); void RegisterCustomOps(void) { OrtOfTomorrow(); }"
    return compiled(source, path.parent, path.name, "-Wl,-z,now")


def truncated(path: Path) -> Path:
    path.write_bytes(onnx_library().read_bytes()[:4096])
    return path


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: path, "there is no such file"),
        (lambda path: path.parent, "is a folder; expected a shared library"),
        (text, r"is no shared library, it starts with b'# no lib'"),
        (other_machine, "compiled for another kind of machine"),
        (without_register, "has no function RegisterCustomOps"),
        (needing, r"needs libtensorflow_inner\.so, .*as libraries for TensorFlow do"),
        (missing_symbol, "needs OrtOfTomorrow, which this release does not have"),
        (crashing, "loading it failed: ended by SIG"),
        (truncated, "loading it failed: ended by SIG|does not load as custom ops"),
    ],
)
def test_bad_libraries(tmp_path: Path, make: Callable[[Path], Path], expected: str):
    model, out = between(tmp_path / "model.onnx"), tmp_path / "out"
    path = make(tmp_path / "libbad.so")
    with pytest.raises(AutosplitError, match=expected) as caught:
        api.split("onnx", {"x": X}, out, model, custom_ops=path)
    assert str(caught.value).startswith(f"--custom-ops {path}")
    assert "\n" not in str(caught.value)
    assert not out.exists()


def test_a_library_without_the_op(tmp_path: Path, library: Path):
    node = make_node("Unheard", ["x"], ["y"], "custom", domain=ONNX_DOMAIN)
    model = save(tmp_path / "model.onnx", node)
    with pytest.raises(AutosplitError, match=rf"Unheard.*none of the libraries.*{library.name}"):
        api.split("onnx", {"x": X}, tmp_path / "out", model, custom_ops=library)


def test_run_tries_what_it_is_given(tmp_path: Path, library: Path):
    model, out = between(tmp_path / "model.onnx"), tmp_path / "out"
    api.split("onnx", {"x": X}, out, model, custom_ops=library)
    bad = truncated(tmp_path / "libbad.so")
    with pytest.raises(AutosplitError, match=f"^--custom-ops {bad}"):
        api.load(out, custom_ops=bad)


def test_a_list_of_other_things(tmp_path: Path):
    with pytest.raises(AutosplitError, match="custom_ops holds a int, expected the path"):
        libraries(cast("Any", [tmp_path, 3]))
