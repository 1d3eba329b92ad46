"""`--custom-ops LIBRARY`: ops that ONNX Runtime does not have, from splitting to running."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onednn_installed import needs_library
from onnx import TensorProto, numpy_helper
from onnx.helper import (
    make_graph,
    make_model,
    make_node,
    make_opsetid,
    make_tensor_value_info,
)

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.explain.plan import Explanation
from autosplit.flows.splitting.custom_sizes import other_feeds
from autosplit.inputs.custom_ops import copy_libraries, libraries
from autosplit.testing.custom_ops import ONNX_DOMAIN, compiled, onnx_library
from autosplit.testing.qdq import QdqBuilder
from autosplit.tools.cli.main import main

Array = NDArray[np.generic]
Make = Callable[[Path], Path]
Capture = pytest.CaptureFixture[str]

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((1, 3, 16, 16), np.float32)


@pytest.fixture(scope="module")
def library() -> Path:
    return onnx_library()


def save(path: Path, *nodes: onnx.NodeProto, outputs: list[str] | None = None) -> Path:
    """A model of `x` with weights."""
    given = [
        numpy_helper.from_array(RANDOM.standard_normal(shape, np.float32), name)
        for name, shape in (("w0", (8, 3, 3, 3)), ("w1", (4, 8, 3, 3)), ("w2", (2, 8)))
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


def whole(path: Path, library: Path, x: Array = X) -> Array:
    """What ONNX Runtime itself computes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.register_custom_ops_library(str(library))
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    return session.run(["y"], {"x": x})[0]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return between(tmp_path_factory.mktemp("model") / "model.onnx")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, model: Path, library: Path) -> Path:
    """A folder as `split` wrote it; tests that change it take a copy."""
    out = tmp_path_factory.mktemp("split") / "out"
    api.split("onnx", {"x": X}, out, model, custom_ops=library)
    return out


def own(folder: Path) -> dict[str, Any]:
    """What graph_infos.json says beside what the original's does."""
    return json.loads((folder / "graph_infos.json").read_text())["autosplit"]


def test_a_folder_runs_without_the_option(
    tmp_path: Path, made: Path, model: Path, library: Path, capsys: Capture
):
    name = f"custom_ops/{library.name}"
    assert own(made)["custom_ops"] == [name]
    assert name in own(made)["files"]
    # The folder is whole by itself, wherever it lies.
    moved = Path(shutil.copytree(made, tmp_path / "moved"))
    check(moved, model, library, X)
    assert not main(["run", str(moved), "--compare", str(model)])
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out


def test_what_is_behind_goes_to_the_tpu(made: Path):
    infos = json.loads((made / "graph_infos.json").read_text())
    assert [graph["device"] for graph in infos["graphs"]] == ["tpu", "cpu", "tpu"]
    assert infos["tensors"]["pos"]["shape"] == [1, 8, 16, 16]
    # Nobody reads the other result.
    assert own(made)["promised"] == ["pos"]
    assert own(made)["reasons"] == {"unsupported-op": 1}


def test_the_same_bytes_from_the_command_line(
    tmp_path: Path, made: Path, model: Path, library: Path
):
    out = tmp_path / "out"
    options = ["--input", "x=1,3,16,16", *["--custom-ops", str(library)] * 2]
    assert not main(["split", str(model), *options, "-o", str(out)])
    for path in made.rglob("*"):
        assert path.is_dir() or path.read_bytes() == (out / path.relative_to(made)).read_bytes()


@pytest.mark.nightly
def test_explain(model: Path, library: Path):
    found = api.explain(model, {"x": X}, custom_ops=[library])
    assert isinstance(found, Explanation)
    (op,) = found.find("custom")
    assert op.device == "cpu"
    assert "domain 'ai.onnx.contrib'" in str(op)


def segments(path: Path, scale: float) -> Path:
    """A product of as many rows as there are segments of equal numbers other than 0 in 1 + floor(x scale)."""
    return save(
        path,
        make_node("Flatten", ["x"], ["flat"], "flat", axis=0),
        make_node("Squeeze", ["flat"], ["list"], "list"),
        make_node("Constant", [], ["scale"], "scale", value_float=scale),
        make_node("Constant", [], ["one"], "one", value_float=1.0),
        make_node("Mul", ["list", "scale"], ["scaled"], "scaled"),
        make_node("Floor", ["scaled"], ["floor"], "floor"),
        make_node("Add", ["floor", "one"], ["added"], "added"),
        make_node("Cast", ["added"], ["whole"], "whole", to=TensorProto.INT64),
        make_node("SegmentExtraction", ["whole"], ["at", "v"], "custom", domain=ONNX_DOMAIN),
        make_node("Cast", ["at"], ["rows"], "rows", to=TensorProto.FLOAT),
        make_node("MatMul", ["rows", "w2"], ["y"], "product"),
    )


def test_sizes_that_vary(tmp_path: Path, library: Path):
    # Random numbers from 0 to 1: one segment, or many.
    model = segments(tmp_path / "model.onnx", 1.0)
    few = np.full(X.shape, 0.5, np.float32)
    many = few.copy()
    many[0, 0, 0, :4] = 1.5, 0.5, 1.5, 0.5
    out, other = tmp_path / "out", tmp_path / "other"
    api.split("onnx", {"x": few}, out, model, custom_ops=library)
    runner = api.load(out)
    found = api.infer(runner, {"x": few})["y"]
    assert np.asarray(found).tobytes() == whole(model, library, few).tobytes()
    with pytest.raises(AutosplitError, match=r"'at': .*promised \[1, 2\], found \[4, 2\]; split"):
        api.infer(runner, {"x": many})
    # As it says: with that input the split sees it.
    api.split("onnx", {"x": many}, other, model, custom_ops=library)
    assert "promised" not in own(other)
    check(other, model, library, few, many)


@pytest.mark.nightly
def test_sizes_that_vary_by_themselves(tmp_path: Path, library: Path):
    model = segments(tmp_path / "model.onnx", 4.0)
    api.split("onnx", {}, tmp_path / "out", model, custom_ops=library)
    assert "promised" not in own(tmp_path / "out")
    check(tmp_path / "out", model, library, X, np.full(X.shape, 0.5, np.float32))


def check(folder: Path, model: Path, library: Path, *inputs: Array) -> None:
    """Runs a folder, and compares with the model."""
    runner = api.load(folder)
    for x in inputs:
        found = np.asarray(api.infer(runner, {"x": x})["y"])
        assert found.tobytes() == whole(model, library, x).tobytes()


@pytest.mark.nightly
def test_a_promise_of_ones_own(tmp_path: Path, library: Path):
    """Nobody declares the dtype either."""
    model, out = segments(tmp_path / "model.onnx", 4.0), tmp_path / "out"
    given = np.full(X.shape, 0.5, np.float32)
    shapes = {"at": (1, 2)}
    api.split("onnx", {"x": given}, out, model, custom_ops=library, shapes=shapes)
    assert own(out)["promised"] == ["at"]
    check(out, model, library, given)
    with pytest.raises(AutosplitError, match=r"'at'.* promised \[1, 2\], found"):
        api.infer(api.load(out), {"x": X})


def test_results_that_nothing_is_computed_of_may_vary(tmp_path: Path, library: Path):
    nodes = onnx.load(segments(tmp_path / "all.onnx", 1.0)).graph.node[:-1]
    model = save(tmp_path / "model.onnx", *nodes, make_node("Neg", ["rows"], ["y"], "end"))
    few = np.full(X.shape, 0.5, np.float32)
    many = few.copy()
    many[0, 0, 0, 0] = 1.5
    api.split("onnx", {"x": few}, tmp_path / "out", model, custom_ops=library)
    check(tmp_path / "out", model, library, few, many)


def test_the_other_input():
    given: dict[str, Array] = {"x": np.zeros(3, np.float32), "k": np.array(1)}
    made = other_feeds(given, lambda seed: {"x": np.ones(3, np.float32), "k": np.array(seed % 3)})
    assert made is not None
    assert made["k"] == 2
    assert other_feeds(given, lambda seed: {**given, "x": np.ones(3, np.float32)}) is None
    text = {"x": np.array(["a"], object)}
    assert other_feeds(text, lambda seed: text) is None


def test_the_option_of_run_takes_the_place_of_the_folders(
    tmp_path: Path, made: Path, model: Path, library: Path
):
    out = Path(shutil.copytree(made, tmp_path / "out"))
    kept = out / "custom_ops" / library.name
    kept.write_bytes(kept.read_bytes() + b"!")
    with pytest.raises(AutosplitError, match=r"changed after the split.*--custom-ops"):
        api.load(out)
    kept.unlink()
    with pytest.raises(AutosplitError, match=r"there is no such library.*--custom-ops"):
        api.load(out)
    found = api.infer(api.load(out, custom_ops=library), {"x": X})["y"]
    assert np.asarray(found).tobytes() == whole(model, library).tobytes()


def test_libraries_of_the_same_name(tmp_path: Path):
    given: list[Path] = []
    for i, name in enumerate(("libops.so", "libops.so", "libother.so", "lib\udcff.so")):
        given.append(tmp_path / str(i) / name)
        given[-1].parent.mkdir()
        given[-1].write_text(str(i))
    folder = tmp_path / "out"
    names = copy_libraries(tuple(given), folder)
    assert names == [
        "custom_ops/libops.so",
        "custom_ops/1/libops.so",
        "custom_ops/libother.so",
        "custom_ops/library.so",
    ]
    assert [(folder / name).read_text() for name in names] == ["0", "1", "2", "3"]


def test_no_library(tmp_path: Path, model: Path, capsys: Capture):
    out = tmp_path / "out"
    assert main(["split", str(model), "-o", str(out)]) == 1
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "NegPos" in said
    assert "--custom-ops LIBRARY" in said
    assert not out.exists()


def missing(path: Path) -> Path:
    return path


def folder(path: Path) -> Path:
    return path.parent


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
        (missing, "there is no such file"),
        (folder, "is a folder; expected a shared library"),
        (text, r"is not a shared library, it starts with b'# no lib'"),
        (other_machine, "compiled for another kind of machine"),
        (without_register, "has no function RegisterCustomOps"),
        (needing, r"needs libtensorflow_inner\.so, .*as libraries for TensorFlow do"),
        (missing_symbol, "needs OrtOfTomorrow, which this release does not have"),
        (crashing, "loading it failed: ended by SIG"),
        (truncated, "loading it failed: ended by SIG|does not load as custom ops"),
    ],
)
def test_bad_libraries(tmp_path: Path, model: Path, make: Make, expected: str):
    out = tmp_path / "out"
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


def test_run_tries_what_it_is_given(tmp_path: Path, made: Path):
    bad = truncated(tmp_path / "libbad.so")
    with pytest.raises(AutosplitError, match=f"^--custom-ops {bad}"):
        api.load(made, custom_ops=bad)


def quantized(path: Path) -> Path:
    """A quantized convolution in front of the custom op, and one behind it."""
    b = QdqBuilder(seed=4, name="custom")
    y = b.qdq(b.relu(b.conv(b.qdq(b.input("x", ("N", 3, 8, 8))), (8, 3, 3, 3), pads=1)))
    y = b.relu(b.conv(b.qdq(b.node("Softsign", y)), (4, 8, 3, 3), pads=1))
    b.output(y)
    model = b.build()
    (node,) = [n for n in model.graph.node if n.op_type == "Softsign"]
    node.CopyFrom(make_node("NegPos", node.input, ["neg", *node.output], "c", domain=ONNX_DOMAIN))
    model.opset_import.append(make_opsetid(ONNX_DOMAIN, 1))
    onnx.save(model, path)
    return path


@needs_library
def test_compiled_models_take_them(tmp_path: Path, library: Path, capsys: Capture):
    model, out = quantized(tmp_path / "model.onnx"), tmp_path / "out"
    assert main(["compile", str(model), "--custom-ops", str(library), "-o", str(out)]) == 0
    own = json.loads((out / "graph_infos.json").read_text())["autosplit"]
    assert own["custom_ops"] == [f"custom_ops/{library.name}"]
    assert len(own["dnnl"]["graph_0"]["partitions"]) >= 2
    moved = out.rename(tmp_path / "moved")
    run = ["run", str(moved), "--input", "2,3,8,8", "--repeat", "1", "--compare", str(model)]
    assert main(run) == 0
    assert main([*run, "--custom-ops", str(library)]) == 0
    explained = main(["explain", "--int8", str(model), "--custom-ops", str(library)])
    assert explained == 0
    found = api.load_compiled(moved).run({"x": X[:, :, :8, :8]})
    again = api.load_compiled(moved, custom_ops=library).run({"x": X[:, :, :8, :8]})
    for name, value in found.items():
        np.testing.assert_array_equal(value, again[name])
    (moved / "custom_ops" / library.name).unlink()
    capsys.readouterr()
    assert main(run) == 1
    assert "name one with --custom-ops" in capsys.readouterr().err


def test_a_list_of_other_things(tmp_path: Path):
    with pytest.raises(AutosplitError, match="custom_ops holds a int, expected the path"):
        libraries(cast("Any", [tmp_path, 3]))
