"""`autosplit convert`: folders to bmodels, again and again, and what can go wrong."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_models import X, split_bridge, split_open, split_two
from convert_toolchain import FAIL, HANG, NEVER, real, wrapped
from processes import PATIENCE, Family, runs, wait_for_end, wait_for_pid, wait_until
from sampled import sample

from autosplit import devices
from autosplit.core.errors import AutosplitError
from autosplit.explain.plan import compiled_of, explain, with_compiled
from autosplit.flows.convert.accept import accept
from autosplit.flows.convert.digests import Digests
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.convert.processes import Processes
from autosplit.flows.converting import source
from autosplit.flows.converting.options import ConvertOptions, ConvertResult
from autosplit.flows.converting.source import check_options, choose_chip
from autosplit.flows.gate.figures import compare_outputs
from autosplit.folder.compilation import Compilation, read_compilation, sha256
from autosplit.folder.compiled import note_compiled
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.inputs.preprocess import parse_options
from autosplit.inputs.samples import read_data
from autosplit.portable.networks import NetworkPort
from autosplit.runtime.runner import Runner
from autosplit.toolchains.bmodel_compile import VARIABLE, WORK
from autosplit.toolchains.children import Children


@pytest.fixture(scope="session")
def split_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return split_two(tmp_path_factory.mktemp("split") / "net")


@pytest.fixture
def folder(split_once: Path, tmp_path: Path) -> Path:
    """A split model of three sub-models; the first and the last are for a BM1684."""
    return shutil.copytree(split_once, tmp_path / "net")


@pytest.fixture(scope="session")
def converted_once(split_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    real()
    made = shutil.copytree(split_once, tmp_path_factory.mktemp("converted") / "net")
    convert(made)
    return made


@pytest.fixture
def converted(converted_once: Path, tmp_path: Path) -> Path:
    """The same folder after `convert`."""
    return shutil.copytree(converted_once, tmp_path / "net")


def convert(folder: Path, **options: Any) -> ConvertResult:
    result = convert_folder(ConvertOptions(folder, **options))
    result.check()
    return result


def bmodels(folder: Path) -> list[str]:
    return sorted(p.parent.name for p in folder.glob("graph_ir_*/compilation.bmodel"))


def leftovers(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize(
    "own", [None, [], {"compiled": [], "files": 1}, {"compiled": {"x": 1, "graph_10": 1}}], ids=str
)
def test_what_was_compiled_is_noted_in_a_file_edited_by_hand(tmp_path: Path, own: Any):
    path = tmp_path / "graph_infos.json"
    path.write_text(json.dumps({"autosplit": own}))
    note_compiled(tmp_path, 2, None)
    found = json.loads(path.read_text())["autosplit"]
    known = ["x", "graph_10"] if isinstance(own, dict) and own["compiled"] else []
    assert (list(found["compiled"]), found["files"]) == (known, {})


# What is made


def test_sub_models_are_compiled(folder: Path):
    real()
    notes: list[str] = []
    before = json.loads((folder / "graph_infos.json").read_text())
    result = convert(folder, note=notes.append)
    assert notes == ["target: BM1684, which the folder was split for"]
    assert [(g.name, g.state) for g in result.graphs] == [
        ("graph_0", "compiled"),
        ("graph_2", "compiled"),
    ]
    assert bmodels(folder) == ["graph_ir_0", "graph_ir_2"]
    assert leftovers(folder) == []
    assert sorted(p.name for p in (folder / "graph_ir_0").iterdir()) == [
        "compilation.bmodel",
        "compilation.json",
        "compile.log",
        "graph_0.mlir",
        "graph_0_weights.npz",
    ]
    record = read_compilation(folder / "graph_ir_2")
    assert record is not None
    assert (record.chip, record.mode, record.dynamic) == ("bm1684", "F32", False)
    assert [b.tensor for b in record.inputs] == ["m"]
    assert [(b.tensor, b.shape) for b in record.outputs] == [("y", (1, 4, 16, 16))]
    after = json.loads((folder / "graph_infos.json").read_text())
    assert after["autosplit"].pop("compiled")["graph_2"]["mode"] == "F32"
    files = after["autosplit"].pop("files")
    assert files["graph_ir_2/compilation.bmodel"] == record.bmodel
    del before["autosplit"]["files"]
    assert after == before
    read_folder(folder)
    found = compiled_of(GraphInfos.load(folder))
    assert [(c.graph, c.chip, c.mode, c.cosine) for c in found] == [
        ("graph_0", "bm1684", "F32", None),
        ("graph_2", "bm1684", "F32", None),
    ]


def test_same_input_gives_the_same_record(converted: Path, split_once: Path, tmp_path: Path):
    again = shutil.copytree(split_once, tmp_path / "elsewhere")
    convert(again)
    for name in ("graph_ir_0", "graph_ir_2"):
        made, known = read_compilation(again / name), read_compilation(converted / name)
        assert made is not None
        assert known is not None
        assert made.same_job(known)
        assert made.sources == known.sources
    # What split has written is what convert makes anew.
    for name in ("graph_ir_0/graph_0.mlir", "graph_ir_0/graph_0_weights.npz"):
        assert (again / name).read_bytes() == (split_once / name).read_bytes(), name
    for file in again.rglob("*"):
        assert file.is_dir() or str(tmp_path).encode() not in file.read_bytes(), file


@pytest.mark.parametrize(("target", "mode"), [("bm1684", "F32"), ("BM1684X", "F16")])
def test_bmodels_are_compared(folder: Path, target: str, mode: str):
    real()
    notes: list[str] = []
    result = convert(folder, target=target, mode=mode, compare=True, note=notes.append)
    assert "comparing with 8 samples of random input (seeds 0 to 7): x" in notes
    assert [list(g.comparison) for g in result.graphs] == [["r1"], ["y"]]
    assert all(m.cosine > 0.9999 for g in result.graphs for m in g.comparison.values())
    with np.load(folder / "graph_ir_2" / "output_ref_data.npz") as arrays:
        assert arrays["y"].shape == (1, 4, 16, 16)
    # A later comparison with other data compiles nothing.
    np.save(folder.parent / "x.npy", X)
    data = [str(folder.parent / "x.npy")]
    again = convert(folder, target=target, mode=mode, compare=True, data=data)
    assert [g.state for g in again.graphs] == ["taken", "taken"]
    with np.load(folder / "graph_ir_0" / "input_ref_data.npz") as arrays:
        np.testing.assert_array_equal(arrays["x"], X)


def test_figures_are_of_all_samples(folder: Path, tmp_path: Path):
    """The worst and the mean of what NumPy says of the emulator's outputs, run one by one."""
    real()
    samples = np.random.default_rng(3).normal(size=(5, 3, 16, 16)).astype(np.float32)
    np.save(tmp_path / "x.npy", samples)
    notes: list[str] = []
    steps: list[str] = []
    options = ConvertOptions(
        folder, target="bm1684x", mode="F16", compare=True, samples=4, data=[str(tmp_path / "x.npy")],
        note=notes.append, progress=steps.append, jobs=1,
    )  # fmt: skip
    result = convert_folder(options)
    assert "comparing graph_0 (sample 4 of 4)" in steps
    assert any(note.startswith("input 'x': ") for note in notes)
    cosines, largest = [], []

    def r1(runner: Runner, x: Any) -> Any:
        seen: dict[str, Any] = {}
        runner.infer({"x": x}, lambda _, __, made: seen.update(made))
        return seen["r1"].ravel().astype(float)

    with Runner(folder, 2, use_cmodel=True) as chip, Runner(folder, 0) as cpu:
        for sample in samples[:4]:
            a, b = (r1(runner, sample[None]) for runner in (chip, cpu))
            cosines.append(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
            largest.append(np.abs(a - b).max())
    for found in (
        result.graphs[0].comparison["r1"],
        (read_compilation(folder / "graph_ir_0") or pytest.fail("no record")).comparison["r1"],
    ):
        assert found.samples == 4
        assert found.cosine == pytest.approx(min(cosines), abs=1e-9)
        assert found.mean_cosine == pytest.approx(np.mean(cosines), abs=1e-9)
        assert found.maximum == pytest.approx(max(largest), rel=1e-5)
        assert found.mean_maximum == pytest.approx(np.mean(largest), rel=1e-5)
        assert found.mean_maximum < found.maximum


@pytest.mark.parametrize(("mode", "error", "relative"), [("INT8", 0.5, 0.05), ("F16", 0.05, 0.05)])
def test_the_magnitude_that_errors_are_a_share_of(mode: str, error: float, relative: float):
    """Steps of INT8 are those of all samples; other numbers are as exact as they are small."""
    port = NetworkPort("y", "y", (3,), "float32")
    record = Compilation("tpu-mlir", "1", "bm1684x", mode, False, 2, "graph_0", (), (port,), {})
    expected = [{"y": np.array(row, np.float32)} for row in ([4, 10, 0], [0, 1, 1])]
    off = {"y": np.array([0, 1, 1 + error], np.float32)}
    found = compare_outputs(record, expected, [expected[0], off])
    assert found.measures["y"].relative == pytest.approx(relative)
    alone = compare_outputs(record, expected[1:], [off])
    assert alone.measures["y"].relative == pytest.approx(error)


def test_int8_is_calibrated(folder: Path, tmp_path: Path):
    real()
    np.save(tmp_path / "samples.npy", np.random.default_rng(0).random((5, 3, 16, 16), "f4"))
    data = [f"x={tmp_path / 'samples.npy'}"]
    result = convert(folder, mode="INT8", data=data, compare=True)
    assert all(m.cosine > 0.99 for g in result.graphs for m in g.comparison.values())
    table = (folder / "graph_ir_0" / "graph_0_calibration").read_text()
    assert table.splitlines()[-2].startswith("x 0.99")
    assert [g.state for g in convert(folder, mode="INT8", data=data).graphs] == ["taken", "taken"]
    np.save(tmp_path / "samples.npy", np.random.default_rng(1).random((5, 3, 16, 16), "f4") * 3)
    assert [g.state for g in convert(folder, mode="INT8", data=data).graphs] == ["compiled"] * 2


def test_values_cross_as_integers(tmp_path: Path):
    real()
    folder = split_bridge(tmp_path / "net")
    np.save(tmp_path / "x.npy", X)
    notes: list[str] = []
    data = [str(tmp_path / "x.npy")]
    convert(folder, mode="INT8", data=data, compare=True, note=notes.append)
    # `a`, 8 x 16 x 16: three bytes of four, out of one sub-model and into the other.
    assert "1 value crosses borders as 8-bit integers, which saves 12.3 KB a run" in notes
    first, last = (read_compilation(folder / f"graph_ir_{i}") for i in (0, 2))
    assert first is not None
    assert last is not None
    assert {b.tensor: b.network_dtype for b in first.outputs} == {"a": "int8", "b": "float32"}
    assert {b.tensor: b.network_dtype for b in last.inputs} == {"a": "int8", "m": "float32"}
    found = with_compiled(explain(read_folder(folder)), GraphInfos.load(folder))
    assert {b.name: (b.held, b.saved) for b in found.borders if b.held} == {
        "a": ("int8", 2 * 3 * 8 * 16 * 16)
    }
    states = [g.state for g in convert(folder, mode="INT8", data=data).graphs]
    assert states == ["taken", "taken"]


@pytest.mark.parametrize("target", ["bm1684", "bm1688"])
def test_sizes_may_vary(tmp_path: Path, target: str):
    """Compared at sizes below those that the sub-models were made for."""
    real()
    folder = split_open(tmp_path / "net", target)
    np.save(tmp_path / "x.npy", X[:, :, :12, :10])
    result = convert(folder, compare=True, data=[str(tmp_path / "x.npy")])
    assert [list(g.comparison) for g in result.graphs] == [["y"]]
    record = read_compilation(folder / "graph_ir_0")
    assert record is not None
    assert record.dynamic
    assert record.inputs[0].shape == (1, 3, 16, 16)
    with np.load(folder / "graph_ir_0" / "output_ref_data.npz") as arrays:
        assert arrays["y"].shape == (1, 4, 12, 10)


def test_a_folder_that_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch):
    real()

    def refuse(*_: Any, **__: Any) -> str:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(AutosplitError, match=r"net: cannot be written: Read-only file system"):
        convert(folder)


@pytest.fixture
def wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose second bmodel is refused: it has other weights than the model."""
    from autosplit.formats.top_mlir import writer as top_mlir

    convert(folder)
    true = top_mlir.weight_array

    def mistaken(op: Any, store: Any) -> Any:
        array = true(op, store)
        return array * np.float32(1.01) if op.names[0] == "w2" else array

    monkeypatch.setattr(top_mlir, "weight_array", mistaken)
    return folder


def test_a_wrong_bmodel_is_set_aside(wrong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    result = convert_folder(ConvertOptions(wrong, compare=True))
    assert [g.state for g in result.graphs] == ["taken", "refused"]
    assert "output 'y' of the emulator differs from the CPU's: cosine" in result.failed[0].error
    assert result.graphs[1].comparison["y"].relative == pytest.approx(0.01, rel=0.01)
    assert bmodels(wrong) == ["graph_ir_0"]
    assert not (wrong / "graph_ir_2" / "compilation.json").exists()
    aside = wrong / "graph_ir_2" / "refused.bmodel"
    assert result.graphs[1].bmodel == aside
    assert leftovers(wrong) == []
    with pytest.raises(AutosplitError, match=r"graph 2 \(graph_2.onnx\): output 'y'"):
        result.check()
    with pytest.raises(AutosplitError, match=r"refused it and set it aside.* --accept graph_2"):
        Runner(wrong, 2, use_cmodel=True)
    # Another comparison compiles nothing; nor does none.
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "broken", NEVER)))
    again = convert_folder(ConvertOptions(wrong, compare=True, samples=2))
    assert [g.state for g in again.graphs] == ["taken", "refused"]
    assert aside.is_file()
    assert [g.state for g in convert(wrong).graphs] == ["taken", "taken"]
    assert bmodels(wrong) == ["graph_ir_0", "graph_ir_2"]
    assert not aside.exists()
    read_folder(wrong)


def test_what_was_refused_is_accepted(wrong: Path):
    refused = convert_folder(ConvertOptions(wrong, compare=True))
    with pytest.raises(AutosplitError, match=r"--accept graph_0: is not refused.*'graph_2'"):
        accept(wrong, ["graph_0"])
    data = refused.graphs[1].bmodel.read_bytes()
    (graph,) = accept(wrong, ["graph_2"]).graphs
    assert (graph.name, graph.state, graph.bmodel.read_bytes()) == ("graph_2", "accepted", data)
    assert graph.comparison == refused.graphs[1].comparison
    found = compiled_of(GraphInfos.load(wrong))
    assert ["differs" in c.refused for c in found] == [False, True]
    with Runner(wrong, 2, use_cmodel=True) as runner:
        assert runner.infer({"x": X})["y"].shape == (1, 4, 16, 16)
    # That holds until it is compared with something else.
    assert [g.state for g in convert(wrong, compare=True).graphs] == ["taken", "taken"]
    again = convert_folder(ConvertOptions(wrong, compare=True, samples=1))
    assert [g.state for g in again.graphs] == ["taken", "refused"]
    (wrong / "graph_ir_2" / "refused.bmodel").write_bytes(data[:-1])
    with pytest.raises(AutosplitError, match="is not as it was set aside"):
        accept(wrong)
    (wrong / "graph_ir_2" / "refused.bmodel").unlink()
    with pytest.raises(AutosplitError, match="no bmodel was refused"):
        accept(wrong)


def test_an_emulator_that_fails_throws_nothing_away(folder: Path, monkeypatch: pytest.MonkeyPatch):
    real()

    def fails(*_: object, **__: object) -> None:
        raise AutosplitError("the emulator was not done after 1 s")

    monkeypatch.setattr(Processes, "emulate", fails)
    result = convert_folder(ConvertOptions(folder, compare=True, samples=1))
    assert [g.state for g in result.graphs] == ["refused", "refused"]
    assert "the emulator was not done after 1 s; it is set aside" in result.graphs[0].error
    assert [g.state for g in accept(folder).graphs] == ["accepted", "accepted"]


# Again


def test_what_is_complete_is_taken(
    converted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "broken", NEVER)))
    assert [g.state for g in convert(converted).graphs] == ["taken", "taken"]
    with pytest.raises(AutosplitError):
        convert(converted, optimize=1)


@pytest.mark.parametrize(
    "options",
    [{"optimize": 3}, {"target": "bm1684x"}, {"mode": "F16", "target": "bm1684x"}],
    ids=str,
)
def test_other_options_compile_again(converted: Path, options: dict[str, Any]):
    assert [g.state for g in convert(converted, **options).graphs] == ["compiled", "compiled"]


def test_a_folder_for_fixed_sizes_is_not_made_a_dynamic_one(converted: Path):
    with pytest.raises(
        AutosplitError, match=r"was split for fixed sizes.*split again with --dynamic"
    ):
        convert(converted, dynamic=True)


@pytest.mark.parametrize(
    "name",
    ["compile_to_graph_ir_2.py", "graph_ir_2/graph_2.mlir", "graph_ir_2/graph_2_weights.npz"],
)
def test_what_was_compiled_is_written_anew(converted: Path, name: str):
    """Also where the bmodel stays, so that the folder can be compiled elsewhere."""
    path = converted / name
    before = {p: p.read_bytes() for p in converted.rglob("*") if p.is_file()}
    for spoil in (path.unlink, lambda: path.write_text("import os; os.abort()")):
        spoil()
        assert [g.state for g in convert(converted).graphs] == ["taken", "taken"]
        assert {p: p.read_bytes() for p in converted.rglob("*") if p.is_file()} == before


OTHERWISE: dict[str, Any] = {
    "compiler": "bmneto",
    "toolchain": "1.29",
    "chip": "bm1688",
    "mode": "BF16",
    "dynamic": True,
    "optimize": 1,
    "net": "graph_1",
    "inputs": [],
    "outputs": [],
    "recipe": "",
    "sources": {},
    "data": "of other data",
    "in_f32": ["Relu 'y'"],
    "build": {"cores": 2},
}
"""Another value for all that a bmodel depends on."""


@pytest.mark.parametrize("key", OTHERWISE)
def test_what_was_made_of_something_else_is_compiled_again(converted: Path, key: str):
    path = converted / "graph_ir_2" / "compilation.json"
    text = path.read_text()
    record = json.loads(text)
    assert record[key] != OTHERWISE[key]
    path.write_text(json.dumps({**record, key: OTHERWISE[key]}))
    assert [g.state for g in convert(converted).graphs] == ["taken", "compiled"]
    assert path.read_text() == text
    made = {"version", "bmodel", "comparison", "compared", "refused", "cost"}
    assert {*OTHERWISE, *made} == record.keys()


@pytest.mark.parametrize("name", ["graph_2.mlir", "graph_2_weights.npz"])
def test_other_bytes_are_compiled_again(converted: Path, name: str):
    path = converted / "graph_ir_2" / "compilation.json"
    record = json.loads(path.read_text())
    record["sources"][name] = "0" * 64
    path.write_text(json.dumps(record))
    assert [g.state for g in convert(converted).graphs] == ["taken", "compiled"]


def test_a_tool_chain_of_an_unknown_release_is_never_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = wrapped(tmp_path / "tree", "")
    for path in root.parent.glob("*.dist-info"):
        path.unlink()
    monkeypatch.setenv(VARIABLE, str(root))
    for _ in range(2):
        assert [g.state for g in convert(folder).graphs] == ["compiled", "compiled"]


def test_what_a_calibration_and_a_comparison_depend_on(folder: Path, tmp_path: Path):
    def digests(**options: Any) -> dict[str, str]:
        asked = ConvertOptions(folder, **{"mode": "INT8", **options})
        infos = GraphInfos.load(folder)
        data = read_data(infos, asked.data)
        made = Digests(infos, asked, data)
        ways = {"calibrated": made.calibration, "compared": made.comparison}
        return {f"{way} {i}": ask(i) for way, ask in ways.items() for i in (0, 2)}

    def changed(**options: Any) -> set[str]:
        return {key for key, value in digests(**options).items() if value != first[key]}

    first = digests()
    both = {"calibrated 0", "compared 0", "calibrated 2", "compared 2"}
    assert len(set(first.values())) == 4
    assert changed() == set()
    assert changed(data=[npy(tmp_path / "x.npy", 1, 3, 16, 16)]) == both
    assert changed(mode="F32") == {"compared 0", "compared 2"}
    assert changed(samples=2) == {"compared 0", "compared 2"}
    # What makes the inputs of the last sub-model.
    with (folder / "graph_1.onnx").open("ab") as file:
        file.write(b"x")
    assert changed() == {"calibrated 2", "compared 2"}


@pytest.mark.parametrize("name", ["compilation.bmodel", "compilation.json"])
def test_what_is_damaged_is_compiled_again(converted: Path, name: str):
    good = (converted / "graph_ir_2" / name).read_bytes()
    (converted / "graph_ir_2" / name).write_bytes(good[:-20])
    with pytest.raises(AutosplitError, match=r"graph_ir_2/.*compile.* again"):
        read_folder(converted)
    assert [g.state for g in convert(converted).graphs] == ["taken", "compiled"]
    assert len((converted / "graph_ir_2" / name).read_bytes()) == len(good)
    read_folder(converted)


def test_a_bmodel_of_another_folder_does_not_belong(converted: Path, tmp_path: Path):
    other = split_two(tmp_path / "other", target="bm1684")
    model = converted / "graph_ir_0"
    shutil.copytree(model, other / "graph_ir_2", dirs_exist_ok=True)
    with pytest.raises(AutosplitError, match="is of another sub-model: its inputs are"):
        read_folder(other)
    shutil.copy(converted / "graph_ir_2" / "compilation.bmodel", converted / "graph_ir_0")
    with pytest.raises(AutosplitError, match=r"is not the bmodel that compilation.json speaks of"):
        read_folder(converted)


def test_a_mixed_up_record_is_noticed(converted: Path):
    infos = json.loads((converted / "graph_infos.json").read_text())
    infos["autosplit"]["files"]["graph_ir_0/graph_0.mlir"] = "0" * 64
    (converted / "graph_infos.json").write_text(json.dumps(infos))
    with pytest.raises(AutosplitError, match=r"graph_ir_0/graph_0.mlir is not the file"):
        read_folder(converted)
    convert(converted)
    read_folder(converted)


# Failures


def test_a_failure_leaves_the_log(converted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "broken", FAIL)))
    result = convert_folder(ConvertOptions(converted, optimize=1))
    assert [g.state for g in result.graphs] == ["compiled", "failed"]
    assert bmodels(converted) == ["graph_ir_0"]
    found = compiled_of(GraphInfos.load(converted))
    assert [(c.graph, c.bmodel) for c in found] == [
        ("graph_0", "graph_ir_0/compilation.bmodel"),
        ("graph_2", ""),
    ]
    assert sorted(p.name for p in (converted / "graph_ir_2").iterdir()) == [
        "compile.log",
        "graph_2.mlir",
        "graph_2_weights.npz",
    ]
    assert "cannot be scheduled" in (converted / "graph_ir_2" / "compile.log").read_text()
    error = result.failed[0].error
    assert error.count("\n") == 0
    assert "cannot be scheduled" in error
    assert f"; see {converted}/graph_ir_2/compile.log; to leave" in error
    assert error.count("compile.log") == 1
    assert error.startswith("graph 2 (graph_2.onnx): step 3 of 4 (schedule) of TPU-MLIR ended")
    assert error.endswith("split again with --pin 'conv2=cpu'")
    assert leftovers(converted) == []
    compiled = json.loads((converted / "graph_infos.json").read_text())["autosplit"]["compiled"]
    assert list(compiled) == ["graph_0"]
    read_folder(converted)


def test_a_failure_before_compiling_leaves_no_bmodel_either(
    converted: Path, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: object, **__: object) -> None:
        raise AutosplitError("cannot be written")

    monkeypatch.setattr("autosplit.folder.tpu.write_top", fails, raising=False)
    monkeypatch.setattr("autosplit.formats.top_mlir.writer.write_top", fails)
    result = convert_folder(ConvertOptions(converted))
    assert [(g.state, g.error) for g in result.graphs] == [
        ("failed", "graph 0 (graph_0.onnx): cannot be written"),
        ("failed", "graph 2 (graph_2.onnx): cannot be written"),
    ]
    assert bmodels(converted) == []
    assert not list(converted.glob("graph_ir_*/compilation.json"))
    compiled = json.loads((converted / "graph_infos.json").read_text())["autosplit"]["compiled"]
    assert compiled == {}
    read_folder(converted)


def test_the_script_of_another_compiler_is_noted(converted: Path):
    convert(converted, compiler="bmnet", target="BM1684")
    infos = json.loads((converted / "graph_infos.json").read_text())["autosplit"]
    for index in (0, 2):
        script = converted / f"compile_to_graph_ir_{index}.py"
        assert "bmneto" in script.read_text()
        assert infos["files"][script.name] == sha256(script)
    # The bmodels are still those of the first.
    assert [entry["compiler"] for entry in infos["compiled"].values()] == ["tpu-mlir"] * 2
    read_folder(converted)
    assert [g.state for g in convert(converted).graphs] == ["taken", "taken"]
    assert "TPU-MLIR" in (converted / "compile_to_graph_ir_0.py").read_text()


def test_a_compilation_has_a_time_limit(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MARK", str(tmp_path / "started"))
    monkeypatch.setenv(VARIABLE, str(wrapped(tmp_path / "slow", HANG.replace('"$MARK"', "x"))))
    result = convert_folder(ConvertOptions(folder, timeout=2, only=[2]))
    assert [g.state for g in result.graphs] == ["failed"]
    assert "after 2 s" in result.failed[0].error
    assert bmodels(folder) == []


def started(family: Family, folder: Path, tool: Path, *options: str) -> subprocess.Popen[bytes]:
    """`autosplit convert` of the folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "autosplit.tools.cli.main", "convert", str(folder), *options],
        env=family.environment(**{VARIABLE: str(tool)}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def family(tmp_path: Path) -> Family:
    return Family(tmp_path / "tmp")


HANGING = 'case "$PWD $*" in *graph_ir_2*STEP*) exec sleep 600;; esac'
"""A step in which graph_2 hangs."""


def hanging(
    family: Family, folder: Path, tmp_path: Path, step: str = ""
) -> subprocess.Popen[bytes]:
    """A conversion that hangs in a step of graph_2, when graph_0 is done and recorded."""
    process = started(family, folder, wrapped(tmp_path / "slow", HANGING.replace("STEP", step)))

    def hangs() -> bool:
        assert process.poll() is None
        recorded = [c.graph for c in compiled_of(GraphInfos.load(folder)) if c.bmodel]
        return recorded == ["graph_0"] and family.has("sleep", "600")

    wait_until(hangs, "graph_2 to hang")
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything(
    family: Family, folder: Path, tmp_path: Path, number: signal.Signals
):
    process = hanging(family, folder, tmp_path)
    process.send_signal(number)
    assert process.wait(PATIENCE) == 128 + number
    family.wait_for_end()
    assert leftovers(folder) == []
    assert bmodels(folder) == ["graph_ir_0"]
    assert [g.state for g in convert(folder).graphs] == ["taken", "compiled"]


@pytest.mark.parametrize(
    "step", ["struct-optimize", "convert-top-to-tpu", "layer-group", "codegen"]
)
def test_a_killed_conversion_is_resumed(family: Family, folder: Path, tmp_path: Path, step: str):
    process = hanging(family, folder, tmp_path, step)
    process.kill()
    process.wait()
    family.wait_for_end()
    assert leftovers(folder) != []
    assert bmodels(folder) == ["graph_ir_0"]
    read_folder(folder)
    assert [g.state for g in convert(folder).graphs] == ["taken", "compiled"]
    assert leftovers(folder) == []


@pytest.mark.parametrize(
    "words", sample([("bmodel_child.py",), ("runpy.run_path",), ("tpuc-opt", "--codegen")])
)
def test_a_conversion_that_is_killed_early(family: Family, folder: Path, words: tuple[str, ...]):
    """As soon as a process of this kind is there, which may not have done anything by then."""
    process = started(family, folder, real().root, "--compare")

    def is_there() -> bool:
        assert process.poll() is None
        return family.has(*words)

    wait_until(is_there, " ".join(words))
    process.kill()
    process.wait()
    family.wait_for_end()
    for place in bmodels(folder):
        assert read_compilation(folder / place) is not None
    assert bmodels(convert(folder, compare=True).folder) == ["graph_ir_0", "graph_ir_2"]
    assert leftovers(folder) == []


def test_what_others_left_by_force_is_removed(folder: Path):
    real()
    partial = [folder / ".graph_ir_0.abc.part", folder / "graph_ir_0" / WORK]
    for path in partial:
        path.mkdir(parents=True)
        (path / "final.mlir").touch()
    (folder / ".graph_infos.json.abc").touch()
    convert(folder, only=[0])
    assert not any(path.exists() for path in partial)
    assert leftovers(folder) == []


def test_one_conversion_at_a_time(family: Family, folder: Path, tmp_path: Path):
    process = hanging(family, folder, tmp_path)
    before = leftovers(folder)
    with pytest.raises(AutosplitError, match=r"net: another conversion is at work on it; wait"):
        convert(folder)
    with pytest.raises(AutosplitError, match=r"net: another conversion is at work on it; wait"):
        convert(folder, compiler="bmnet", target="BM1684")
    assert leftovers(folder) == before
    second = subprocess.run(
        [sys.executable, "-m", "autosplit.tools.cli.main", "convert", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 1
    assert second.stderr.splitlines()[-1].startswith(f"autosplit: error: {folder}: another conv")
    assert "Traceback" not in second.stderr
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)


def test_a_conversion_and_a_script_at_a_time(folder: Path, tmp_path: Path):
    real()
    script = folder / "compile_to_graph_ir_2.py"
    mark = tmp_path / "pid"
    slow = wrapped(tmp_path / "slow", f"echo $$ > {mark}; exec sleep 600")
    process = subprocess.Popen(
        [sys.executable, "-I", str(script)],
        env={**os.environ, VARIABLE: str(slow)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for_pid(mark)
    with pytest.raises(AutosplitError, match="graph_ir_2: a compile script is at work in it; wait"):
        convert(folder)
    process.kill()
    process.wait()
    assert [g.state for g in convert(folder).graphs] == ["compiled", "compiled"]


def test_children_end_with_what_they_started(tmp_path: Path):
    marks = [tmp_path / "a", tmp_path / "b"]
    script = f"echo $$ > {marks[0]}; sh -c 'echo $$ > {marks[1]}; exec sleep 600'; true"
    children = Children()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(children.run, ["sh", "-c", script], tmp_path, os.environ, PATIENCE)
        pids = [wait_for_pid(mark) for mark in marks]
        children.end()
        assert running.result().code == -signal.SIGKILL
    for pid in pids:
        wait_for_end(pid)


def test_children_have_a_time_limit(tmp_path: Path):
    done = Children().run(["sleep", "600"], tmp_path, os.environ, 0.2)
    assert (done.timed_out, done.code) == (True, -signal.SIGKILL)


def test_children_end_with_who_started_them(tmp_path: Path):
    """Also where the thread that started them was not the first one."""
    mark = tmp_path / "pid"
    code = (
        "import os, pathlib, sys, threading\n"
        "from autosplit.toolchains.children import Children\n"
        "run = Children().run\n"
        "command = ['sh', '-c', 'echo $$ > ' + sys.argv[1] + '; exec sleep 600']\n"
        "threading.Thread(target=run, args=(command, pathlib.Path('/'), os.environ, 600)).start()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(mark)])
    pid = wait_for_pid(mark)
    assert runs(pid)
    process.kill()
    process.wait()
    wait_for_end(pid)


# Folders from somewhere


def test_scripts_of_the_folder_are_not_run(folder: Path, tmp_path: Path):
    real()
    outside = tmp_path / "outside.py"
    outside.write_text("keep me")
    mark = tmp_path / "executed"
    evil = f"open({str(mark)!r}, 'w')\n"
    (folder / "compile_to_graph_ir_0.py").write_text(evil)
    (folder / "compile_to_graph_ir_2.py").unlink(missing_ok=True)
    (folder / "compile_to_graph_ir_2.py").symlink_to(outside)
    for name in ("argparse.py", "sitecustomize.py", "json.py", "numpy.py"):
        (folder / name).write_text(evil)
    convert(folder)
    assert not mark.exists()
    assert outside.read_text() == "keep me"
    assert "SETTINGS" in (folder / "compile_to_graph_ir_0.py").read_text()
    assert not (folder / "compile_to_graph_ir_2.py").is_symlink()


def test_links_of_the_folder_are_not_followed(folder: Path, tmp_path: Path):
    real()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "compilation.bmodel").write_text("keep me")
    shutil.rmtree(folder / "graph_ir_0", ignore_errors=True)
    (folder / "graph_ir_0").symlink_to(outside)
    with pytest.raises(AutosplitError, match=r"leaves the folder|is a link"):
        convert(folder)
    (folder / "graph_ir_0").unlink()
    (folder / "graph_ir_0").mkdir()
    for name in ("compilation.bmodel", "compile.log", "graph_0.mlir", "compilation.json"):
        (folder / "graph_ir_0" / name).symlink_to(outside / "compilation.bmodel")
    (folder / ".graph_ir_0.old.part").symlink_to(outside)
    convert(folder)
    assert [p.name for p in outside.iterdir()] == ["compilation.bmodel"]
    assert (outside / "compilation.bmodel").read_text() == "keep me"
    assert not any(p.is_symlink() for p in (folder / "graph_ir_0").iterdir())


def test_a_folder_by_a_relative_path(folder: Path, monkeypatch: pytest.MonkeyPatch):
    real()
    monkeypatch.chdir(folder.parent)
    assert [g.state for g in convert(Path(folder.name)).graphs] == ["compiled", "compiled"]
    assert bmodels(folder) == ["graph_ir_0", "graph_ir_2"]


def test_bmodels_of_several_chips_do_not_run(folder: Path, tmp_path: Path):
    real()
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    convert(folder)
    convert(other, target="bm1684x")
    shutil.copytree(other / "graph_ir_0", folder / "graph_ir_0", dirs_exist_ok=True)
    with pytest.raises(
        AutosplitError, match=r"several chips, that of .*BM1684X, that of .*BM1684;"
    ):
        Runner(folder, mode=2)


def test_an_edited_folder_is_refused(folder: Path, tmp_path: Path):
    real()
    plan = (folder / "plan.mlir").read_text()
    (folder / "plan.mlir").write_text(plan + "\n")
    with pytest.raises(AutosplitError, match=r"plan.mlir: was changed after the split"):
        convert(folder)
    (folder / "plan.mlir").unlink()
    (tmp_path / "plan").write_text(plan)
    (folder / "plan.mlir").symlink_to(tmp_path / "plan")
    with pytest.raises(AutosplitError, match=r"plan.mlir: is a link that leaves the folder"):
        convert(folder)
    (folder / "plan.mlir").unlink()
    convert(folder)
    model = bytearray((folder / "graph_2.onnx").read_bytes())
    model[-40] ^= 1
    (folder / "graph_2.onnx").write_bytes(model)
    with pytest.raises(AutosplitError, match=r"graph_2.onnx: was changed after the split"):
        convert(folder)
    (folder / "plan.mlir").write_text(plan)
    with pytest.raises(AutosplitError, match=r"graph_2.onnx: was changed after the split"):
        convert(folder)
    # Its bmodel is one of what it was.
    with pytest.raises(AutosplitError, match=r"graph_2.onnx: was changed after the split"):
        Runner(folder, mode=2)


def edit(folder: Path, change: Any) -> None:
    path = folder / "graph_infos.json"
    infos = json.loads(path.read_text())
    change(infos)
    path.write_text(json.dumps(infos))


def test_an_odd_context_dir_is_refused(folder: Path):
    edit(folder, lambda infos: infos["graphs"][0].update(context_dir="plan.mlir"))
    with pytest.raises(AutosplitError, match=r"context_dir of graph 0 is 'plan.mlir', expected"):
        convert(folder)
    edit(folder, lambda infos: infos["graphs"][0].update(context_dir="../graph_ir_0"))
    with pytest.raises(AutosplitError, match="leaves the folder"):
        convert(folder)


def test_a_folder_of_the_original(folder: Path):
    """No plan, no record: BM1684, and the sub-models themselves are read."""
    real()
    (folder / "plan.mlir").unlink()
    edit(folder, lambda infos: infos.pop("autosplit"))
    notes: list[str] = []
    convert(folder, compare=True, note=notes.append)
    assert notes[0] == "target: BM1684, as neither --target nor the folder names one"
    assert bmodels(folder) == ["graph_ir_0", "graph_ir_2"]
    read_folder(folder)


def test_nothing_to_do(tmp_path: Path):
    folder = split_two(tmp_path / "cpu", pins=[(".*", "cpu")])
    notes: list[str] = []
    assert convert(folder, note=notes.append).graphs == []
    assert notes[-1].endswith("has no TPU sub-model, so there is nothing to compile")


# Chips and options


def test_another_chip_is_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real()
    true = devices.get_chip

    def without_exp(name: str) -> devices.Chip:
        chip = true(name)
        return replace(chip, host_ops={"Exp": "a test"}) if chip.name == "bm1684" else chip

    folder = split_two(tmp_path / "exp", target="bm1684x", middle="Exp", pins=[])
    monkeypatch.setattr(source, "get_chip", without_exp)
    with pytest.raises(AutosplitError) as caught:
        convert(folder, target="BM1684")
    assert "was split for BM1684X; BM1684 cannot run 1 op of its TPU sub-models, 'middle'" in str(
        caught.value
    )
    assert "split again with --target bm1684" in str(caught.value)
    assert bmodels(folder) == []
    convert(folder, target="BM1688")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "F8"}, r"mode 'F8' is unknown; expected one of"),
        ({"mode": "F16"}, "mode F16: BM1684 computes in F32 and INT8 only"),
        ({"mode": "INT8"}, "mode INT8 needs data to calibrate with"),
        ({"optimize": 4}, "optimize is 4, expected one of 1, 2, 3"),
        ({"jobs": 0}, "--jobs 0: expected at least 1"),
        ({"timeout": 0.0}, "--timeout 0"),
        ({"target": "bm1690"}, "chip 'BM1690' has no device table: .* nothing was measured"),
        ({"target": "bm9999"}, "chip 'bm9999' is unknown"),
        ({"target": "bm1680"}, "chip 'BM1680' has no device table"),
        ({"compiler": "gcc"}, "compiler 'gcc' is unknown"),
        ({"compiler": "bmnet", "target": "bm1688"}, "know BM1682 and BM1684 only"),
        ({"compiler": "bmnet", "mode": "F16"}, "compile F32 and INT8 only"),
    ],
)
def test_options_are_refused(folder: Path, options: dict[str, Any], message: str):
    with pytest.raises(AutosplitError, match=message):
        convert(folder, **options)
    assert bmodels(folder) == []


def test_default_target_means_the_recorded_one(folder: Path):
    infos = GraphInfos.load(folder)
    for target in (None, "", "BM1682", "bm1682"):
        assert choose_chip(infos, ConvertOptions(folder, target, "F32")).name == "bm1684"
    assert choose_chip(infos, ConvertOptions(folder, "BM1688", "F32")).name == "bm1688"
    check_options(ConvertOptions(folder, mode="F32", optimize=3))


def test_missing_toolchain(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(AutosplitError, match="there is no TPU-MLIR"):
        convert(folder)
    assert leftovers(folder) == []


# Data


def npy(path: Path, *shape: int, dtype: str = "float32") -> str:
    np.save(path, np.arange(np.prod(shape), dtype=np.float64).reshape(shape).astype(dtype))
    return str(path)


def test_data_is_read(folder: Path, tmp_path: Path):
    infos = GraphInfos.load(folder)
    one = npy(tmp_path / "one.npy", 1, 3, 16, 16)
    stacked = npy(tmp_path / "stacked.npy", 4, 1, 3, 16, 16)
    batch = npy(tmp_path / "batch.npy", 2, 3, 16, 16)
    assert len(read_data(infos, [one])) == 1
    assert len(read_data(infos, [f"x={stacked}", f"x:0={batch}"])) == 6
    data = read_data(infos, [batch])
    second = list(data.samples())[1]["x"]
    assert second.shape == (1, 3, 16, 16)
    assert second.flat[0] == 3 * 16 * 16
    (tmp_path / "many").mkdir()
    for i in range(3):
        np.savez(tmp_path / "many" / f"{i}.npz", x=X * i)
    data = read_data(infos, [str(tmp_path / "many")])
    np.testing.assert_array_equal([s["x"].max() for s in data.samples()], [0, X.max(), 2 * X.max()])
    assert data.digest() != read_data(infos, [one]).digest()
    none = read_data(infos, [])
    assert (len(none), none.random) == (0, ["x"])
    first, second = (sample["x"] for sample in none.some(2))
    np.testing.assert_array_equal(first, next(none.some(1))["x"])
    assert np.abs(first - second).max() > 0.1, (
        "as many random samples as are asked for, each another"
    )
    assert [len(list(read_data(infos, [stacked]).some(n))) for n in (1, 3, 9)] == [1, 3, 4]


def test_images_are_read(folder: Path, tmp_path: Path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (40, 20), (255, 0, 51)).save(tmp_path / "red.png")
    infos = GraphInfos.load(folder).described(parse_options(["scale=1/255"]))
    notes: list[str] = []
    found = next(read_data(infos, [str(tmp_path / "red.png")], notes.append).some(1))["x"]
    assert notes == [
        "input 'x': 1 picture, RGB, stretched to 16x16, x * 0.00392157: 0..1, mean 0.4"
    ]
    assert (found.shape, found.dtype) == ((1, 3, 16, 16), np.float32)
    np.testing.assert_allclose(found[0, :, 5, 5], [1, 0, 0.2], atol=1e-6)


def test_data_is_cast_where_nothing_is_lost(folder: Path, tmp_path: Path):
    stacked = np.arange(2 * 3 * 16 * 16).reshape(2, 3, 16, 16)
    np.save(tmp_path / "whole.npy", stacked.astype(np.float64))
    np.savez(tmp_path / "whole.npz", x=stacked[:1].astype(np.int16))
    infos = GraphInfos.load(folder)
    for name, count in (("whole.npy", 2), ("whole.npz", 1)):
        samples = [sample["x"] for sample in read_data(infos, [str(tmp_path / name)]).samples()]
        assert {x.dtype for x in samples} == {np.dtype(np.float32)}
        np.testing.assert_array_equal(np.concatenate(samples), stacked[:count])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gone.npy", r"--data gone.npy: there is no such file or folder"),
        ("x=gone.npy", r"there is no file gone.npy"),
        ("z=one.npy", r"'z' is not an input of the model \(there (is|are) 'x'"),
        (
            "wrong.npy",
            r"wrong.npy: found shape \[1, 3, 8, 8\], expected \[1, 3, 16, 16\] for input 'x'",
        ),
        (
            "exact.npy",
            r"exact.npy: input 'x': found dtype float64, expected float32, which cannot hold its 0.1",
        ),
        ("exact.npz", r"exact.npz: input 'x': found dtype float64, expected float32, which cannot"),
        ("names.npy", r"names.npy: input 'x': found dtype str\d+, expected float32$"),
        ("text.npy", r"cannot read text.npy"),
        ("text.npz", r"cannot read text.npz"),
        (
            "text.png",
            r"text.png: input 'x' takes float32, and nothing says what becomes of a picture",
        ),
        ("text.txt", r"text.txt: expected a .npy, .npz or image file"),
        ("other.npz", r"'a' is not an input of the model"),
        ("empty", r"the folder holds no .npy, .npz or image file"),
    ],
)
def test_wrong_data_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, message: str
):
    monkeypatch.chdir(tmp_path)
    npy(Path("one.npy"), 1, 3, 16, 16)
    npy(Path("wrong.npy"), 1, 3, 8, 8)
    np.save("exact.npy", np.full((2, 3, 16, 16), 0.1))
    np.savez("exact.npz", x=np.full((1, 3, 16, 16), 0.1))
    np.save("names.npy", np.full((1, 3, 16, 16), "a"))
    np.savez("other.npz", a=X)
    for name in ("text.npy", "text.npz", "text.png", "text.txt"):
        Path(name).write_text("text")
    Path("empty").mkdir()
    with pytest.raises(AutosplitError, match=message):
        next(read_data(GraphInfos.load(folder), [spec]).some(1))
