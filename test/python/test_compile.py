"""Compiling quantized models: what the folder holds, that it is read back, and that it computes the same."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onednn_installed import needs_library
from onnx import TensorProto, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.core.versions import parse_version
from autosplit.explain.int8 import Fusion, explain_int8
from autosplit.flows.compile import CompileOptions, compile_model, load_plan
from autosplit.folder import plans as dnnl_folder
from autosplit.folder import staging as folder
from autosplit.folder.infos_reader import FILE_NAME, GraphInfos
from autosplit.folder.plans import load_compiled
from autosplit.inputs.specs import InputSpec
from autosplit.runtime.frameworks.onnx import OnnxExecutor
from autosplit.runtime.runner import Runner
from autosplit.testing.qdq import QdqBuilder

Array = NDArray[np.generic]


def small_builder() -> QdqBuilder:
    """Two convolutions, a pool, a linear, and a softmax that stays in float32; any batch."""
    b = QdqBuilder(seed=3, name="small")
    x = b.qdq(b.input("x", ("N", 3, 12, 12)))
    y = b.qdq(b.relu(b.conv(x, (16, 3, 3, 3), pads=1)))
    y = b.qdq(b.node("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2]))
    y = b.qdq(b.relu(b.conv(y, (32, 16, 3, 3), pads=1)))
    y = b.qdq(b.node("Flatten", b.node("GlobalAveragePool", y)))
    y = b.linear(y, (40, 32))
    b.output(b.qdq(y), b.node("Softmax", b.node("Relu", y), axis=-1))
    return b


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small.onnx"
    onnx.save(small_builder().build(), path)
    return path


@pytest.fixture(scope="module")
def compiled(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small model; tests that change it work on a copy."""
    out = tmp_path_factory.mktemp("compiled") / "out"
    compile_model(CompileOptions(small, out))
    return out


@pytest.fixture
def copy(compiled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(compiled, tmp_path / "copy"))


def infos_of(folder: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads((folder / FILE_NAME).read_text()))


def write_infos(folder: Path, infos: dict[str, Any]) -> None:
    (folder / FILE_NAME).write_text(json.dumps(infos))


def accept(folder: Path, name: str) -> None:
    """Records the digest of a changed file, as somebody would who knows the format."""
    infos = infos_of(folder)
    infos["autosplit"]["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    write_infos(folder, infos)


def difference(got: Array, expected: Array, quantum: float) -> float:
    return float(np.abs(got.astype(np.float64) - expected.astype(np.float64)).max()) / quantum


# The folder


def test_the_folder_holds_what_the_documentation_says(compiled: Path):
    names = sorted(p.relative_to(compiled).as_posix() for p in compiled.rglob("*") if p.is_file())
    infos = GraphInfos.load(compiled)
    files = infos.dnnl[0]
    assert names == sorted(["graph_infos.json", "graph_0.onnx", *files.files])
    assert files.plan == "dnnl_0/plan.mlir"
    assert files.weights == "dnnl_0/weights.npz"
    assert files.version == "3.2"
    assert [Path(n).name for n in files.partitions] == [
        f"partition_{i}.json" for i in range(len(files.partitions))
    ]
    assert len(files.partitions) >= 3
    assert len(files.segments) >= 1
    assert infos.inputs == ("x",)
    assert infos.tensors["x"].shape == (-1, 3, 12, 12)
    assert set(cast("dict[str, Any]", infos.own["files"])) == {*names} - {"graph_infos.json"}


def test_each_segment_is_a_model_of_its_own(compiled: Path):
    files = GraphInfos.load(compiled).dnnl[0]
    for name in files.segments:
        onnx.checker.check_model(str(compiled / name), full_check=True)
        OnnxExecutor(compiled / name)


def test_partition_files_are_of_the_librarys_form(compiled: Path):
    files = GraphInfos.load(compiled).dnnl[0]
    for name in files.partitions:
        data = json.loads((compiled / name).read_text())
        assert data["version"] == "3.2.0"
        assert data["engine_kind"] == "cpu"
        made = [t["id"] for op in data["graph"] for t in op["outputs"]]
        read = [t["id"] for op in data["graph"] for t in op["inputs"]]
        assert len(made) == len(set(made))
        assert set(data["output_ports"]) <= set(made)
        assert set(data["input_ports"]) == set(read) - set(made)


def test_large_weights_lie_in_one_archive(compiled: Path):
    with np.load(compiled / "dnnl_0/weights.npz") as archive:
        shapes = [archive[name].shape for name in archive.files]
        kinds = {archive[name].dtype.name for name in archive.files}
    assert (32, 16, 3, 3) in shapes
    assert "int8" in kinds


def test_the_same_model_gives_the_same_bytes_wherever_and_whenever(small: Path, tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from autosplit.flows.compile import *; "
        "compile_model(CompileOptions(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    digests: list[dict[str, str]] = []
    for seed in ("1", "2"):
        place = tmp_path / f"place{seed}"
        place.mkdir()
        shutil.copy(small, place / "model.onnx")
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script, "model.onnx", f"out{seed}"]
        subprocess.run(command, check=True, cwd=place, env=environment, timeout=300)
        digests.append(folder.digests(place / f"out{seed}"))
        for path in (place / f"out{seed}").rglob("*"):
            assert not path.is_file() or str(tmp_path).encode() not in path.read_bytes()
    assert digests[0] == digests[1]


def test_what_is_read_is_what_was_written(small: Path, tmp_path: Path):
    result = compile_model(CompileOptions(small, tmp_path / "out"))
    read = load_compiled(tmp_path / "out")
    read.module.attributes.pop("platform.stores")
    result.module.attributes.pop("platform.stores")
    assert module_text(read.module) == module_text(result.module)
    for key in read.store:
        np.testing.assert_array_equal(read.store.array(key), result.store.array(key))


def test_the_folder_runs_as_a_split_one_too(compiled: Path, small: Path):
    feeds = small_builder().feeds(seed=1, N=2)
    expected = OnnxExecutor(small).run(feeds, OnnxExecutor(small).output_names)
    found = Runner(compiled, 0).infer(feeds)
    assert list(found) == list(expected)
    for name in expected:
        assert found[name].tobytes() == expected[name].tobytes()


# The numbers


@needs_library
def test_a_plan_computes_what_onnx_runtime_does_for_any_batch(compiled: Path, small: Path):
    plan = load_plan(compiled)
    whole = OnnxExecutor(small)
    scale = _scale_of_output(small)
    for batch in (1, 3, 1, 2):
        feeds = small_builder().feeds(seed=batch, N=batch)
        expected = whole.run(feeds, whole.output_names)
        found = plan.run(feeds)
        assert list(found) == whole.output_names
        logits, probabilities = whole.output_names
        assert found[logits].shape == (batch, 40)
        # One quantum a layer, four layers.
        assert difference(found[logits], expected[logits], scale) <= 4.01
        assert difference(found[probabilities], expected[probabilities], 1.0) < 0.05
        np.testing.assert_array_equal(
            found[logits].argmax(-1)[np.ptp(expected[logits], axis=-1) > 8 * scale],
            expected[logits].argmax(-1)[np.ptp(expected[logits], axis=-1) > 8 * scale],
        )


def _scale_of_output(path: Path) -> float:
    """The scale of the dequantize that makes the first output."""
    graph = onnx.load(path).graph
    node = next(n for n in graph.node if graph.output[0].name in n.output)
    assert node.op_type == "DequantizeLinear"
    scale = next(i for i in graph.initializer if i.name == node.input[1])
    return float(numpy_helper.to_array(scale))


@needs_library
def test_fixed_shapes_and_chosen_outputs(small: Path, tmp_path: Path):
    whole = OnnxExecutor(small)
    wanted = whole.output_names[1]
    options = CompileOptions(
        small, tmp_path / "out", {"": InputSpec((2, 3, 12, 12))}, outputs=[wanted]
    )
    compile_model(options)
    infos = GraphInfos.load(tmp_path / "out")
    assert infos.tensors["x"].shape == (2, 3, 12, 12)
    plan = load_plan(tmp_path / "out")
    assert plan.output_names == [wanted]
    feeds = small_builder().feeds(N=2)
    found = plan.run(feeds)[wanted]
    assert difference(found, whole.run(feeds, [wanted])[wanted], 1.0) < 0.05
    with pytest.raises(AutosplitError, match=r"'x' has the shape \[1, 3, 12, 12\]"):
        plan.run(small_builder().feeds(N=1))


@needs_library
def test_what_was_read_computes_what_was_compiled(small: Path, tmp_path: Path):
    from autosplit.runtime.plan.plan import Plan

    result = compile_model(CompileOptions(small, tmp_path / "out"))
    feeds = small_builder().feeds(N=2)
    direct = Plan.from_module(result.module, result.store).run(feeds)
    read = load_plan(tmp_path / "out").run(feeds)
    for name in direct:
        assert read[name].tobytes() == direct[name].tobytes()


TURNED = [(64, 7), (128, 9), (64, 24), (63, 8), (18, 16), (16, 8)]


@needs_library
@pytest.mark.parametrize("open_sizes", [False, True])
@pytest.mark.parametrize(("channels", "size"), TURNED)
def test_casts_that_turn_images_keep_their_zero_point(
    tmp_path: Path, channels: int, size: int, open_sizes: bool
):
    """oneDNN 3.2 forgets it in lone casts that change the layout of images of some sizes."""
    b = QdqBuilder(seed=1, name="turn")
    height, width = ("H", "W") if open_sizes else (size, size)
    y = b.node("Sin", b.input("x", (1, channels, height, width)))
    y = b.qdq(b.conv(b.qdq(y), (channels, channels, 1, 1)))
    b.output(b.node("Neg", b.node("CumSum", y, b.constant(np.array(0, np.int64)))))
    feeds = b.feeds(H=size, W=size)
    path = tmp_path / "model.onnx"
    onnx.save(b.build(feeds), path)
    model = onnx.load(path)
    (scale,) = {n.input[1] for n in model.graph.node if n.op_type == "DequantizeLinear"} & {
        n.input[1] for n in model.graph.node[-5:] if n.op_type == "QuantizeLinear"
    }
    scale = next(numpy_helper.to_array(i) for i in model.graph.initializer if i.name == scale)
    compile_model(CompileOptions(path, tmp_path / "out"))
    whole = OnnxExecutor(path)
    (name,) = whole.output_names
    expected = whole.run(feeds, [name])[name]
    found = load_plan(tmp_path / "out").run(feeds)[name]
    assert difference(found, expected, float(scale)) <= 1.01


def float_model(path: Path) -> Path:
    onnx.save(small_builder().build_float(), path)
    return path


def test_a_model_that_is_not_quantized_is_one_segment(tmp_path: Path):
    path = float_model(tmp_path / "float.onnx")
    result = compile_model(CompileOptions(path, tmp_path / "out"))
    found = explain_int8(result.module)
    assert found.partitions == []
    assert [stage.device for stage in found.stages] == ["cpu"]
    assert "not-quantized" in dict(found.reasons())
    files = GraphInfos.load(tmp_path / "out").dnnl[0]
    assert files.partitions == ()
    assert len(files.segments) == 1


@needs_library
def test_a_model_that_is_not_quantized_runs(tmp_path: Path):
    path = float_model(tmp_path / "float.onnx")
    compile_model(CompileOptions(path, tmp_path / "out"))
    feeds = small_builder().feeds(N=2)
    whole = OnnxExecutor(path)
    found = load_plan(tmp_path / "out").run(feeds)
    for name, expected in whole.run(feeds, whole.output_names).items():
        np.testing.assert_allclose(
            cast("Any", found[name]), cast("Any", expected), rtol=1e-4, atol=1e-5
        )


def test_every_op_is_in_a_partition_or_says_why_not(compiled: Path):
    found = explain_int8(load_compiled(compiled).module)
    assert found.version == "3.2"
    assert found.policy == "patterns"
    kinds = [op.kind for p in found.partitions for op in p.ops]
    assert kinds.count("Convolution") == 2
    assert all(p.rule for p in found.partitions)
    outside = {op.type for op in found.outside}
    assert "Softmax" in outside
    assert sum(s.partitions for s in found.stages) == len(found.partitions)
    conv = next(op for p in found.partitions for op in p.ops if op.kind == "Convolution")
    (partition,) = found.find(conv.name)
    assert isinstance(partition, Fusion)
    assert conv in partition.ops
    with pytest.raises(AutosplitError, match=r"there is no op called 'nonsense' \(there are '"):
        found.find("nonsense")
    json.dumps(found.to_json())


# Folders that are not what they should be


def test_a_changed_file_is_noticed(copy: Path):
    for name in GraphInfos.load(copy).dnnl[0].files:
        path = copy / name
        data = path.read_bytes()
        path.write_bytes(data + b" ")
        with pytest.raises(AutosplitError, match=rf"{path}: was changed since it was written"):
            load_compiled(copy)
        path.write_bytes(data)
    load_compiled(copy)


def test_a_missing_file_is_named(copy: Path):
    for name in GraphInfos.load(copy).dnnl[0].files:
        path = copy / name
        data = path.read_bytes()
        path.unlink()
        with pytest.raises(AutosplitError, match=rf"names '{name}', and there is no such file"):
            load_compiled(copy)
        path.write_bytes(data)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.95])
def test_truncated_files_are_one_clear_line(copy: Path, part: float):
    for name in GraphInfos.load(copy).dnnl[0].files:
        path = copy / name
        data = path.read_bytes()
        path.write_bytes(data[: int(part * len(data))])
        accept(copy, name)
        with pytest.raises(AutosplitError) as caught:
            plan_or_weights(copy)
        assert "\n" not in str(caught.value)
        assert str(copy) in str(caught.value)
        path.write_bytes(data)
        accept(copy, name)
    plan_or_weights(copy)


def plan_or_weights(folder: Path) -> None:
    """Reads everything that a plan reads, without the library."""
    read = load_compiled(folder)
    for key in read.store:
        read.store.array(key)


def edit_json(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    data = cast("dict[str, Any]", json.loads(path.read_text()))
    change(data)
    path.write_text(json.dumps(data))


def test_a_partition_file_that_contradicts_the_plan_is_refused(copy: Path):
    name = GraphInfos.load(copy).dnnl[0].partitions[0]

    def other_kind(data: dict[str, Any]) -> None:
        data["graph"][0]["kind"] = "Tanh"

    def one_more(data: dict[str, Any]) -> None:
        data["graph"].append(data["graph"][0])

    def other_top(data: dict[str, Any]) -> None:
        data["surprise"] = 1

    original = (copy / name).read_text()
    cases = [
        (other_kind, r"'kind' of 0 of 'graph' of the graph is \"Tanh\", in the plan \""),
        (one_more, r"'graph' of the graph has \d+ in the file only"),
        (other_top, r"the graph has 'surprise' in the file only"),
    ]
    for change, text in cases:
        edit_json(copy / name, change)
        accept(copy, name)
        with pytest.raises(AutosplitError, match=rf"{name}: differs from dnnl_0/plan.mlir: {text}"):
            load_compiled(copy)
        (copy / name).write_text(original)


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_plan_that_contradicts_the_rest_is_refused(copy: Path):
    path = copy / "dnnl_0/plan.mlir"
    original = path.read_text()
    cases = [
        ('(%x "x" : ', '(%x "other" : ', "other"),
        ("tensor<?x3x12x12xf32", "tensor<?x4x12x12xf32", ""),
        ('"weights.npz"', '"../weights.npz"', "names the weights '../weights.npz', which leave"),
        ('"weights.npz"', '"/etc/passwd"', "names the weights '/etc/passwd', which leave"),
        ("dnnl.Convolution", "dnnl.Nonsense", "plan.mlir:"),
        ("dnnl.Convolution", "onnx.Conv", ""),
        ("device.call @graph_0", "device.call @graph_9", "graph_9"),
    ]
    for old, new, expected in cases:
        replace_in(path, old, new)
        accept(copy, "dnnl_0/plan.mlir")
        with pytest.raises(AutosplitError) as caught:
            load_compiled(copy)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)
        path.write_text(original)


def rewrite_archive(path: Path, change: Callable[[str, Array], Array | None]) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            if (new := change(name, array)) is None:
                continue
            with archive.open(f"{name}.npy", "w") as member:
                np.save(member, new)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda _, a: a ^ 1 if a.dtype == np.int8 else a, "has the digest"),
        (lambda _, a: a.astype(np.int16) if a.dtype == np.int8 else a, "is int16"),
        (lambda _, a: a.reshape(-1) if a.dtype == np.int8 else a, "the plan says int8"),
        (lambda _, a: None if a.dtype == np.int8 else a, "has no weight"),
    ],
)
def test_weights_that_are_not_the_plans_are_refused(
    copy: Path, change: Callable[[str, Array], Array | None], expected: str
):
    rewrite_archive(copy / "dnnl_0/weights.npz", change)
    accept(copy, "dnnl_0/weights.npz")
    with pytest.raises(AutosplitError, match=expected):
        plan_or_weights(copy)


def edit_entry(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    infos = infos_of(folder)
    change(infos["autosplit"]["dnnl"]["graph_0"])
    write_infos(folder, infos)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda e: e.pop("plan"), "has no key 'plan'"),
        (lambda e: e.update(plan=3), "plan in autosplit.dnnl of 'graph_0' is the number 3"),
        (lambda e: e.update(plan="../plan.mlir"), "'../plan.mlir', which leaves the folder"),
        (lambda e: e.update(weights="/etc/passwd"), "'/etc/passwd', which leaves the folder"),
        (lambda e: e.update(partitions="all"), "expected a list"),
        (lambda e: e.update(partitions=[None]), "expected a string"),
        (lambda e: e["partitions"].pop(), "partitions, graph_infos.json names"),
        (lambda e: e.update(segments=["gone.onnx"]), "'gone.onnx', and there is no such file"),
        (lambda e: e.update(plan="graph_infos.json"), "has no digest of 'graph_infos.json'"),
    ],
)
def test_entries_that_do_not_fit_are_named(
    copy: Path, change: Callable[[dict[str, Any]], None], expected: str
):
    edit_entry(copy, change)
    with pytest.raises(AutosplitError) as caught:
        load_compiled(copy)
    assert expected in str(caught.value)


def test_a_link_that_leaves_the_folder_is_refused(copy: Path, tmp_path: Path):
    (tmp_path / "plan.mlir").write_bytes((copy / "dnnl_0/plan.mlir").read_bytes())
    (copy / "dnnl_0/plan.mlir").unlink()
    (copy / "dnnl_0/plan.mlir").symlink_to(tmp_path / "plan.mlir")
    with pytest.raises(AutosplitError, match="a link that leaves the folder"):
        load_compiled(copy)


def test_other_names_under_dnnl_are_refused(copy: Path):
    infos = infos_of(copy)
    infos["autosplit"]["dnnl"]["graph_7"] = infos["autosplit"]["dnnl"]["graph_0"]
    write_infos(copy, infos)
    with pytest.raises(AutosplitError, match="names 'graph_7', which is not a graph of the CPU"):
        load_compiled(copy)
    infos["autosplit"]["dnnl"] = {}
    write_infos(copy, infos)
    with pytest.raises(AutosplitError, match="names no plan of a compiled model"):
        load_compiled(copy)


def test_sizes_that_contradict_are_refused(copy: Path):
    infos = infos_of(copy)
    infos["tensors"]["x"]["shape"] = [-1, 4, 12, 12]
    write_infos(copy, infos)
    with pytest.raises(AutosplitError, match=r"'x' is float32 \[-1, 3, 12, 12\], graph_infos.json"):
        load_compiled(copy)


# Bad input


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("three", "version 'three': expected the version of oneDNN, such as 3.2"),
        ("3", "expected the version of oneDNN"),
        ("2.7", "oneDNN Graph is there from version 3.1 on"),
        ("3.0.1", "oneDNN Graph is there from version 3.1 on"),
        ("3.99", r"version 3\.99: autosplit knows oneDNN 3\.1 to 3\.13"),
        ("4.0", "autosplit knows oneDNN 3 only"),
    ],
)
def test_versions_that_there_are_not(small: Path, tmp_path: Path, version: str, expected: str):
    with pytest.raises(AutosplitError, match=expected):
        compile_model(CompileOptions(small, tmp_path / "out", version=version))
    assert not (tmp_path / "out").exists()


def test_versions_that_there_are():
    assert parse_version("3.2") == (3, 2)
    assert parse_version("3.13.2") == (3, 13)


def test_a_policy_that_there_is_not(small: Path):
    with pytest.raises(AutosplitError, match="'guess' is unknown; choose patterns or backend"):
        compile_model(CompileOptions(small, policy="guess"))


def residual(seed: int = 11) -> QdqBuilder:
    """A convolution added to what it reads, without the ReLU that the range of the integers stands for."""
    b = QdqBuilder(seed=seed, name="residual")
    x = b.qdq(b.node("Abs", b.input("x", (1, 16, 8, 8))))
    y = b.qdq(b.conv(x, (16, 16, 3, 3), pads=1))
    b.output(b.qdq(b.node("Add", y, x)))
    return b


def test_what_takes_the_place_of_a_rounding_is_asked_for(tmp_path: Path):
    onnx.save(residual().build(), tmp_path / "model.onnx")
    kinds: dict[str, list[str]] = {}
    for name, options in {
        "close": {"sums": "close"},
        "fast": {"sums": "fast"},
        "exact": {"sums": "exact"},
        "as rounded": {"rounding": "exact"},
        "by default": {},
    }.items():
        result = compile_model(CompileOptions(tmp_path / "model.onnx", **cast("Any", options)))
        kinds[name] = [p.kinds for p in explain_int8(result.module).partitions]
    rounded, summed = (
        "Dequantize Dequantize Convolution Quantize",
        "Dequantize Dequantize Dequantize Convolution Add Quantize",
    )
    for name in ("exact", "close", "as rounded"):
        assert {rounded, summed} <= set(kinds[name]), "the sum is a convolution with ones"
    for name in ("fast", "by default"):
        assert summed in kinds[name]
        assert rounded not in kinds[name]
    with pytest.raises(
        AutosplitError, match="sums 'all' is unknown; choose auto or exact or close or fast"
    ):
        compile_model(CompileOptions(tmp_path / "model.onnx", sums="all"))


def test_what_the_library_of_that_version_lacks_stays_out(tmp_path: Path):
    """A plan for 3.6 may fuse what one for 3.2 does not; both say for what they were made."""
    b = QdqBuilder(seed=5, name="norm")
    b.output(b.qdq(b.layer_norm(b.input("x", (2, 8, 32)), 32)))
    onnx.save(b.build(), tmp_path / "norm.onnx")
    counts: dict[str, list[int]] = {}
    for version in ("3.2", "3.6"):
        result = compile_model(CompileOptions(tmp_path / "norm.onnx", version=version))
        found = explain_int8(result.module)
        assert found.version == version
        counts[version] = [len(p.ops) for p in found.partitions]
    assert max(counts["3.6"], default=0) == 2, (
        "LayerNorm and Quantize are one partition from 3.6 on"
    )
    assert max(counts["3.2"], default=0) <= 1


@pytest.mark.parametrize("scale", [0.0, -0.1, float("nan"), float("inf")])
def test_bad_scales_are_one_clear_line(small: Path, tmp_path: Path, scale: float):
    model = onnx.load(small)
    node = next(n for n in model.graph.node if n.op_type == "QuantizeLinear")
    initializer = next(i for i in model.graph.initializer if i.name == node.input[1])
    initializer.CopyFrom(numpy_helper.from_array(np.float32(scale), initializer.name))
    onnx.save(model, tmp_path / "bad.onnx")
    with pytest.raises(AutosplitError) as caught:
        compile_model(CompileOptions(tmp_path / "bad.onnx", tmp_path / "out"))
    text = str(caught.value)
    assert text.startswith(str(tmp_path / "bad.onnx"))
    assert "\n" not in text
    assert "scale" in text
    assert not (tmp_path / "out").exists()


def test_scales_that_do_not_match_the_axis(small: Path, tmp_path: Path):
    model = onnx.load(small)
    weights = {i.name: i for i in model.graph.initializer}
    node = next(
        n
        for n in model.graph.node
        if n.op_type == "DequantizeLinear"
        and list(weights.get(n.input[1], TensorProto()).dims) == [32]
    )
    for name, dtype in ((node.input[1], np.float32), (node.input[2], np.int8)):
        array = numpy_helper.to_array(weights[name])[:-1].astype(dtype)
        weights[name].CopyFrom(numpy_helper.from_array(array, name))
    onnx.save(model, tmp_path / "bad.onnx")
    with pytest.raises(AutosplitError) as caught:
        compile_model(CompileOptions(tmp_path / "bad.onnx", tmp_path / "out"))
    assert "31" in str(caught.value)
    assert "32" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_not_onnx_is_refused(tmp_path: Path):
    from autosplit.dialects.tf.attributes.proto import graph_from_text

    dtype = '{ key: "%s" value { type: DT_FLOAT } }'
    text = f'node {{ name: "x" op: "Placeholder" attr {dtype % "dtype"} }}'
    text += f'node {{ name: "u" op: "Unique" input: "x" attr {dtype % "T"} }}'
    path = tmp_path / "frozen.pb"
    path.write_bytes(graph_from_text(text).SerializeToString())
    with pytest.raises(
        AutosplitError, match=r"Unique 'u' is not ONNX: .*; take a part of the model, with --input"
    ):
        compile_model(CompileOptions(path, tmp_path / "out", {"x": InputSpec((4,))}))


def test_the_folder_exists(small: Path, tmp_path: Path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep")
    with pytest.raises(AutosplitError, match="is not empty; name another folder"):
        compile_model(CompileOptions(small, out))
    with pytest.raises(AutosplitError, match="--force replaces an earlier split only"):
        compile_model(CompileOptions(small, out, force=True))
    (out / "mine.txt").unlink()
    compile_model(CompileOptions(small, out))
    before = folder.digests(out)
    with pytest.raises(AutosplitError, match="is not empty"):
        compile_model(CompileOptions(small, out))
    (out / "mine.txt").write_text("keep")
    with pytest.raises(AutosplitError, match=r"'mine\.txt' in it is not that"):
        compile_model(CompileOptions(small, out, force=True))
    (out / "mine.txt").unlink()
    compile_model(CompileOptions(small, out, force=True))
    assert folder.digests(out) == before


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_nothing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
):
    written: list[int] = []

    def stop(*_: object) -> str:
        written.append(len(list(tmp_path.rglob("partition_*.json"))))
        if len(written) == 2:
            raise error
        return "{}"

    monkeypatch.setattr(dnnl_folder, "file_text", stop)
    with pytest.raises((KeyboardInterrupt, AutosplitError)):
        compile_model(CompileOptions(small, tmp_path / "out"))
    assert written == [0, 1], "the write had begun"
    assert list(tmp_path.iterdir()) == []


def in_child(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=300,
    )


def test_compiling_does_not_need_the_library(small: Path, tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from autosplit.flows.compile import *; "
        "compile_model(CompileOptions(Path(sys.argv[1]), Path(sys.argv[2]))); "
        "print('libdnnl' in Path('/proc/self/maps').read_text())"
    )
    missing = str(tmp_path / "libdnnl.so.3")
    done = in_child(script, str(small), str(tmp_path / "out"), AUTOSPLIT_DNNL_LIB=missing)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["False"]


def test_asking_a_library_that_is_not_there_is_one_clear_line(small: Path, tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from autosplit.tools.cli.main import main; "
        "sys.exit(main(['compile', sys.argv[1], '-o', sys.argv[2], '--policy', 'backend']))"
    )
    missing = str(tmp_path / "libdnnl.so.3")
    done = in_child(script, str(small), str(tmp_path / "out"), AUTOSPLIT_DNNL_LIB=missing)
    assert done.returncode == 1
    # On a busy machine the command says what takes so long.
    (line,) = [line for line in done.stderr.splitlines() if not line.endswith(" ...")]
    assert line.startswith("autosplit: error: ")
    assert missing in line
    assert not (tmp_path / "out").exists()


@needs_library
def test_the_library_and_our_rules_agree_about_the_small_model(small: Path):
    found = [
        explain_int8(compile_model(CompileOptions(small, policy=policy)).module)
        for policy in ("patterns", "backend")
    ]
    assert [p.kinds for p in found[0].partitions] == [p.kinds for p in found[1].partitions]
    assert found[0].outside == found[1].outside


RUN = (
    "import sys; from autosplit.flows.compile import *; from autosplit.core.errors import AutosplitError\n"
    "try: load_plan(sys.argv[1])\n"
    "except AutosplitError as error: print(error)"
)


def test_running_without_the_library_is_one_clear_line(compiled: Path, tmp_path: Path):
    missing = str(tmp_path / "libdnnl.so.3")
    done = in_child(RUN, str(compiled), AUTOSPLIT_DNNL_LIB=missing)
    assert done.returncode == 0, done.stderr
    assert missing in done.stdout
    assert len(done.stdout.splitlines()) == 1


@needs_library
def test_a_plan_for_a_newer_library_is_refused(small: Path, tmp_path: Path):
    compile_model(CompileOptions(small, tmp_path / "out", version="3.13"))
    done = in_child(RUN, str(tmp_path / "out"))
    assert "was compiled for oneDNN 3.13" in done.stdout
    assert len(done.stdout.splitlines()) == 1
