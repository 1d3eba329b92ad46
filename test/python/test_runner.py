"""AutoRunner, with a framework of Python functions; the real ones are in test_api.py."""

from __future__ import annotations

import gc
import json
import logging
import weakref
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.errors import AutosplitError
from autosplit.runtime.compare import compare
from autosplit.runtime.runner import Array, Runner, infer, infer_time, load, load_from_zip

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "double": lambda x: (x * 2,),
    "split": lambda x: (x + 1, x - 1),
    "add": lambda x, y: (x + y,),
}


class Tracked(np.ndarray[Any, Any]):
    """An array that can be weakly referenced."""


class FakeExecutor:
    def __init__(self, names: tuple[list[str], list[str]], function: str, log: list[Any]):
        self.names = names
        self.function = function
        self.log = log

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        self.log.append((self.function, sorted(feeds), list(outputs)))
        self.log.append([ref() is not None for ref in self.refs()])
        made = FUNCTIONS[self.function](*(feeds[name] for name in self.names[0]))
        return {n: self.track(v) for n, v in zip(self.names[1], made, strict=True)}

    def refs(self) -> list[weakref.ref[Any]]:
        return [e for e in self.log if isinstance(e, weakref.ref)]

    def track(self, value: Array) -> Array:
        array = value.view(Tracked)
        self.log.append(weakref.ref(array))
        return array


class FakePlatform:
    """A model file is the JSON of inputs, outputs and the name of a function."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> FakeExecutor:
        model = json.loads((folder / model_info["model_path"]).read_text())
        return FakeExecutor((model["in"], model["out"]), model["function"], self.log)

    files = {"model_path": ".pb"}

    def load(self, path: Path, params: Path | None = None) -> Any:
        raise AutosplitError(f"{path}: only runs, and cannot be read")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakePlatform:
    platform = FakePlatform()
    monkeypatch.setattr("autosplit.platforms.get_platform", lambda name: platform)
    return platform


STEPS = [
    ("split", ["x:0"], ["a:0", "b:0"], "cpu"),
    ("double", ["a:0"], ["c:0"], "tpu"),
    ("add", ["b:0", "c:0"], ["y:0"], "cpu"),
]


def tensor(attr: str, shape: list[int] | None = None, dtype: str = "float32") -> dict[str, Any]:
    return {"shape": [2, 3] if shape is None else shape, "dtype": dtype, "attr": attr}


def make(folder: Path, **changes: Any) -> Path:
    """y = (x - 1) + 2 (x + 1), in three parts."""
    folder.mkdir(parents=True, exist_ok=True)
    graphs: list[dict[str, Any]] = []
    for i, (function, inputs, outputs, device) in enumerate(STEPS):
        text = json.dumps({"in": inputs, "out": outputs, "function": function})
        (folder / f"graph_{i}.pb").write_text(text)
        entry: dict[str, Any] = {
            "inputs": inputs,
            "outputs": outputs,
            "device": device,
            "model_info": {"model_path": f"graph_{i}.pb"},
        }
        if device == "tpu":
            entry["context_dir"] = f"graph_ir_{i}"
        graphs.append(entry)
    infos = {
        "graphs": graphs,
        "tensors": {
            "x:0": tensor("input"),
            "a:0": tensor("intermediate"),
            "b:0": tensor("intermediate"),
            "c:0": tensor("intermediate"),
            "y:0": tensor("output"),
        },
        "graph_num": 3,
        "platform": "tensorflow",
        "dynamic": False,
        "layout": "NHWC",
        **changes,
    }
    (folder / "graph_infos.json").write_text(json.dumps(infos))
    return folder


X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = 3 * X + 1


def test_runs_in_order(tmp_path: Path, fake: FakePlatform):
    runner = load(make(tmp_path), mode=0)
    out = infer(runner, {"x:0": X})
    assert list(out) == ["y:0"]
    np.testing.assert_array_equal(out["y:0"], Y)
    calls = [entry for entry in fake.log if isinstance(entry, tuple)]
    assert calls == [
        ("split", ["x:0"], ["a:0", "b:0"]),
        ("double", ["a:0"], ["c:0"]),
        ("add", ["b:0", "c:0"], ["y:0"]),
    ]
    assert [(s.name, s.device) for s in runner.steps] == [
        ("graph_0", "cpu"),
        ("graph_1", "cpu"),
        ("graph_2", "cpu"),
    ]
    assert all(s.seconds >= 0 for s in runner.steps)


def test_names_with_and_without_colon(tmp_path: Path, fake: FakePlatform):
    runner = load(make(tmp_path), mode=0)
    np.testing.assert_array_equal(infer(runner, {"x": X})["y:0"], Y)
    with pytest.raises(AutosplitError, match="appears twice"):
        infer(runner, {"x": X, "x:0": X})


def test_intermediate_tensors_are_freed(tmp_path: Path, fake: FakePlatform):
    runner = load(make(tmp_path), mode=0)
    infer(runner, {"x": X})
    # Before the third step a:0 is gone, b:0 and c:0 are there.
    alive = [entry for entry in fake.log if isinstance(entry, list)]
    assert alive == [[], [True, True], [False, True, True]]


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({}, "input 'x:0' is missing"),
        ({"y:0": X}, "input 'x:0' is missing"),
        ({"x:0": X[:1]}, r"'x:0': found shape \[1, 3\], expected \[2, 3\]"),
        ({"x:0": X[0]}, r"found shape \[3\], expected \[2, 3\]"),
        (
            {"x:0": X.astype(np.float64) + 1e-9},
            "found dtype float64, expected float32, which cannot",
        ),
        ({"x:0": X.tolist()}, "is a list, expected a numpy array"),
    ],
)
def test_wrong_inputs(tmp_path: Path, fake: FakePlatform, feeds: dict[str, Any], message: str):
    runner = load(make(tmp_path), mode=0)
    with pytest.raises(AutosplitError, match=message) as caught:
        infer(runner, feeds)
    assert "\n" not in str(caught.value)
    assert fake.log == [], "nothing runs"


def test_inputs_are_cast_and_extra_ones_warned_of(
    tmp_path: Path, fake: FakePlatform, caplog: pytest.LogCaptureFixture
):
    runner = load(make(tmp_path), mode=0)
    given = np.arange(6).reshape(2, 3)
    for _ in range(2):
        made = infer(runner, {"x": given, "y:0": X})["y:0"]
        assert made.dtype == np.float32
        np.testing.assert_array_equal(made, 3 * given + 1)
    said = "'y:0' is not an input of the model (did you mean 'x:0'?); it is not used"
    assert [r.getMessage() for r in caplog.records] == [said]


def test_dynamic_sizes_are_the_largest(tmp_path: Path, fake: FakePlatform):
    runner = load(make(tmp_path, dynamic=True), mode=0)
    np.testing.assert_array_equal(infer(runner, {"x": X[:1, :2]})["y:0"], Y[:1, :2])
    with pytest.raises(AutosplitError, match=r"found shape \[2, 4\], at most \[2, 3\]"):
        infer(runner, {"x": np.zeros((2, 4), np.float32)})
    with pytest.raises(AutosplitError, match=r"found shape \[2\]"):
        infer(runner, {"x": np.zeros(2, np.float32)})


def test_unknown_sizes_and_dtypes_are_not_checked(tmp_path: Path, fake: FakePlatform):
    tensors = json.loads((make(tmp_path) / "graph_infos.json").read_text())["tensors"]
    tensors["x:0"] = {"shape": [-1, 3], "attr": "input"}
    runner = load(make(tmp_path, tensors=tensors), mode=0)
    for x in (X, X[:1], X.astype(np.int64)):
        np.testing.assert_array_equal(infer(runner, {"x": x})["y:0"], 3 * x + 1)


def test_outputs_have_the_models_names_and_order(tmp_path: Path, fake: FakePlatform):
    own = {"outputs": {"second": "b:0", "first:1": "y:0", "again": "x:0"}}
    runner = load(make(tmp_path, autosplit=own), mode=0)
    out = infer(runner, {"x": X})
    assert list(out) == ["second", "first:1", "again"]
    np.testing.assert_array_equal(out["second"], X - 1)
    np.testing.assert_array_equal(out["first:1"], Y)
    np.testing.assert_array_equal(out["again"], X)


def test_modes(tmp_path: Path, fake: FakePlatform, caplog: pytest.LogCaptureFixture):
    folder = make(tmp_path)
    with pytest.raises(AutosplitError, match=r"no such file.*autosplit convert.*mode 0"):
        Runner(folder, mode=2)
    (folder / "graph_ir_1").mkdir()
    (folder / "graph_ir_1" / "compilation.bmodel").write_bytes(b"x")
    with pytest.raises(AutosplitError, match="is not a bmodel"):
        Runner(folder, mode=2)
    with pytest.raises(AutosplitError, match="mode 1"):
        Runner(folder, mode=1)
    wrong: Any = 3
    with pytest.raises(AutosplitError, match="mode 3: expected 0"):
        Runner(folder, mode=wrong)
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="autosplit"):
        runner = load(folder)
    assert runner.mode == 0
    assert "on the CPU" in caplog.text


def test_mode_2_without_tpu_parts(tmp_path: Path, fake: FakePlatform):
    graphs = json.loads((make(tmp_path) / "graph_infos.json").read_text())["graphs"]
    graphs[1]["device"] = "cpu"
    runner = load(make(tmp_path, graphs=graphs), mode=2)
    np.testing.assert_array_equal(infer(runner, {"x": X})["y:0"], Y)


def test_other_frameworks_are_read_but_not_run(tmp_path: Path):
    from autosplit.folder.infos_reader import GraphInfos

    graphs = json.loads((make(tmp_path) / "graph_infos.json").read_text())["graphs"]
    for graph in graphs:
        graph["model_info"] = {"pth_path": "graph_0.pb"}
    make(tmp_path, graphs=graphs, platform="paddle")
    assert GraphInfos.load(tmp_path).platform == "paddle"
    with pytest.raises(AutosplitError, match="is of platform 'paddle', and nothing here runs"):
        load(tmp_path, mode=0)


def test_graphs_in_memory(tmp_path: Path, fake: FakePlatform):
    folder = make(tmp_path)
    other = json.dumps({"in": ["a:0"], "out": ["c:0"], "function": "negate"}).encode()
    FUNCTIONS["negate"] = lambda x: (-x,)
    runner = load(folder, {"graph_1": other}, mode=0)
    np.testing.assert_array_equal(infer(runner, {"x": X})["y:0"], (X - 1) - (X + 1))
    with pytest.raises(AutosplitError, match=r"'graf_1', which is not a graph \(did you mean"):
        load(folder, {"graf_1": other}, mode=0)


@pytest.mark.parametrize("nested", [False, True])
def test_zip(tmp_path: Path, fake: FakePlatform, nested: bool):
    folder = make(tmp_path / "split")
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"split/{file.name}" if nested else file.name)
    runner = load_from_zip(path, mode=0)
    unpacked = runner.folder
    np.testing.assert_array_equal(infer(runner, {"x": X})["y:0"], Y)
    del runner
    gc.collect()
    assert not unpacked.exists()


def test_bad_zips(tmp_path: Path, fake: FakePlatform):
    with pytest.raises(AutosplitError, match="no such file"):
        load_from_zip(tmp_path / "gone.zip")
    (tmp_path / "no.zip").write_bytes(b"PK but not really")
    with pytest.raises(AutosplitError, match="as a zip archive"):
        load_from_zip(tmp_path / "no.zip")
    for member in ("../evil", "/evil"):
        with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
            archive.writestr(member, "x")
        with pytest.raises(AutosplitError, match="leaves the folder"):
            load_from_zip(tmp_path / "evil.zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as archive:
        archive.writestr("a", "x")
    with pytest.raises(AutosplitError, match=r"has no graph_infos\.json"):
        load_from_zip(tmp_path / "empty.zip")
    # An archive of a few bytes may claim any size.
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w") as archive:
        archive.writestr("graph_infos.json", "{}")
        archive.infolist()[0].file_size = 10**15
    with pytest.raises(AutosplitError, match=r"holds 1000000.0 GB unpacked, and .* has "):
        load_from_zip(tmp_path / "bomb.zip")


def test_times(tmp_path: Path, fake: FakePlatform):
    folder = make(tmp_path / "split")
    runner = load(folder, mode=0)
    times = runner.infer_time({"x": X})
    assert len(times) == 4
    assert times[3] >= sum(times[:3])
    steps = infer_time(folder, {"x": X}, tmp_path / "times.txt", 0, repeat=3, warm_up=1)
    assert [s.name for s in steps] == ["graph_0", "graph_1", "graph_2"]
    lines = (tmp_path / "times.txt").read_text().splitlines()
    assert [line.split()[:2] for line in lines] == [[s.name, s.device] for s in steps]


def test_errors_are_logged_and_raised(
    tmp_path: Path, fake: FakePlatform, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.ERROR, logger="autosplit"), pytest.raises(AutosplitError):
        load(tmp_path / "gone")
    assert "Met an Error when load model." in caplog.text
    assert "no such folder" in caplog.text


def test_compare():
    a = np.array([1.0, 2.0, 4.0], np.float32)
    (same,) = compare({"y:0": a}, {"y": a.copy()})
    assert (same.equal, same.max_abs, same.max_rel, same.close) == (True, 0.0, 0.0, True)
    (near,) = compare({"y": a + np.float32(0.5)}, {"y": a}, rtol=0.1, atol=0.45)
    assert (near.equal, near.max_abs, near.max_rel, near.close) == (False, 0.5, 0.5, True)
    assert not compare({"y": a + np.float32(0.5)}, {"y": a}, rtol=0.1)[0].close
    # Equal numbers of another dtype, or zeros of another sign, are close but not equal.
    assert [d.equal for d in compare({"y": a.astype(np.float64)}, {"y": a})] == [False]
    (zeros,) = compare({"y": np.array([0.0])}, {"y": np.array([-0.0])})
    assert (zeros.equal, zeros.close) == (False, True)
    nan = np.array([np.nan, np.inf, 1.0])
    (nans,) = compare({"y": nan}, {"y": nan.copy()})
    assert (nans.equal, nans.max_abs, nans.close) == (True, 0.0, True)
    (one,) = compare({"y": nan}, {"y": np.array([0.0, np.inf, 1.0])}, atol=1e9)
    assert (one.equal, one.max_abs, one.close) == (False, np.inf, False)
    (shapes,) = compare({"y": a}, {"y": a[:2]}, atol=1e9)
    assert (shapes.equal, shapes.close) == (False, False)
    (strings,) = compare({"y": np.array(["a"], object)}, {"y": np.array(["a"], object)})
    assert strings.equal
    (empty,) = compare({"y": a[:0]}, {"y": a[:0]})
    assert (empty.equal, empty.close) == (True, True)
    with pytest.raises(AutosplitError, match="no output 'z'"):
        compare({"y": a}, {"z": a})
