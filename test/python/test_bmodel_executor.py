"""TPU sub-models on bmodels: names, casts and layouts at the border, and folders in mode 2 of the runner."""

from __future__ import annotations

import gc
import json
import logging
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bmodel_cases import CHIPS, SHAPE, compile_conv, expected, header_only, image

from autosplit.core.errors import AutosplitError
from autosplit.folder.compilation import Compilation
from autosplit.portable.borders import Port, from_network, to_network
from autosplit.portable.names import match
from autosplit.portable.networks import BmodelNetwork, BmodelTensor, NetworkPort
from autosplit.runtime import modes, runner
from autosplit.runtime.bmodel import executor as bmodel_executor
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.runtime.runner import Runner, infer, infer_time, load, load_from_zip
from autosplit.testing.toolchain import toolchain

Array = np.ndarray[Any, Any]


def port(
    outer: str = "float32",
    inner: str = "float32",
    shape: tuple[int, ...] = (-1,),
    scale: float = 1.0,
    zero_point: int = 0,
    inner_shape: tuple[int, ...] | None = None,
    channels_last: bool = False,
) -> Port:
    tensor = BmodelTensor("t", inner, (inner_shape or shape,), scale, zero_point)
    return Port(NetworkPort("t:0", "t", shape, outer), tensor, channels_last)


def inside(array: Array, p: Port) -> Array:
    return to_network(array, p, dynamic=True)


def outside(array: Array, p: Port) -> Array:
    return from_network(array, p, dynamic=True)


# Names


@pytest.mark.parametrize(
    ("wanted", "known", "places"),
    [
        (["a", "b"], ["b", "a"], [1, 0]),
        (["a", "b"], ["b_f32", "a"], [1, 0]),
        (["a:0", "b:0"], ["b", "a_f32"], [1, 0]),
        (["a", "b"], ["b:0", "a:0"], [1, 0]),
        (["a:0", "b:0"], ["_arg_b_0_3", "_arg_a_0_1"], [1, 0]),
        # A name that is not there: the order counts.
        (["a", "b"], ["a/product_Reshape", "b"], [0, 1]),
        (["a", "b"], ["ag_f32", "bg_f32"], [0, 1]),
        (["a", "a_f32"], ["a_f32", "a_f32_f32"], [0, 1]),
        ([], [], []),
        (["a"], ["a", "b"], None),
        (["a", "b"], ["a"], None),
    ],
)
def test_names(wanted: list[str], known: list[str], places: list[int] | None):
    assert match(wanted, known) == places


# Numbers


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64"])
def test_integers_become_floats_and_come_back(dtype: str):
    info = np.iinfo(dtype)
    values = np.array([0, 1, 100, info.min, info.max], dtype)
    floats = inside(values, port(dtype))
    assert floats.dtype == np.float32
    back = outside(floats, port(dtype))
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, values)


def test_integers_that_floats_cannot_hold():
    for good in (2**24, -(2**24), 2**24 + 2, 3 * 2**40, -(2**62)):
        values = np.array([1, good])
        np.testing.assert_array_equal(inside(values, port("int64")).astype(np.int64), values)
    for bad in (2**24 + 1, -(2**24) - 1, 2**53 + 2**20 + 1, 2**62 - 1):
        with pytest.raises(AutosplitError, match=f"'t:0': .* integer {bad} exactly; keep .* --pin"):
            inside(np.array([1, bad]), port("int64"))
    assert inside(np.zeros(0, np.int64), port("int64")).size == 0


def test_floats_are_rounded_and_saturate():
    values = np.array([0.4999, 0.5001, -1.6, 254.7, 255.6, 300, -3, np.inf], np.float32)
    np.testing.assert_array_equal(outside(values, port("uint8")), [0, 1, 0, 255, 255, 255, 0, 255])
    huge = np.array([1e30, -1e30, 2.0**31, -(2.0**31)], np.float32)
    low, high = -(2**31), 2**31 - 1
    np.testing.assert_array_equal(outside(huge, port("int32")), [high, low, high, low])
    with pytest.raises(AutosplitError, match="'t:0': is NaN on the TPU where int64 is expected"):
        outside(np.array([1, np.nan], np.float32), port("int64"))


def test_booleans():
    floats = inside(np.array([True, False]), port("bool"))
    assert floats.dtype == np.float32
    np.testing.assert_array_equal(floats, [1, 0])
    found = outside(np.array([0, 0.4, 0.6, 1, 2, -1], np.float32), port("bool"))
    assert found.dtype == np.bool_
    np.testing.assert_array_equal(found, [False, False, True, True, True, True])


def test_other_floats():
    values = np.array([1.5, 1e300, -2.25])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(inside(values, port("float64")), [1.5, np.inf, -2.25])
    assert outside(np.float32([1.5]), port("float16")).dtype == np.float16
    assert outside(np.float32([1.5]), port("float64")).dtype == np.float64
    assert str(outside(np.float32([1.5]), port("bfloat16")).dtype) == "bfloat16"
    # Where the folder does not say, things stay as they are.
    assert outside(np.float32([1.5]), port("")).dtype == np.float32


def test_steps_of_8_bit_integers():
    x = port("float32", "int8", scale=10.0)
    values = np.array([0.0, 0.51, -0.51, 12.7, 99, -99], np.float32)
    integers = inside(values, x)
    assert integers.dtype == np.int8
    np.testing.assert_array_equal(integers, [0, 5, -5, 127, 127, -128])
    y = port("float32", "uint8", scale=0.1, zero_point=3)
    np.testing.assert_allclose(outside(np.array([3, 13, 0], np.uint8), y), [0, 1, -0.3], 1e-6)
    shifted = port("float32", "uint8", scale=10.0, zero_point=100)
    np.testing.assert_array_equal(inside(np.float32([0, 1, -99, 99]), shifted), [100, 110, 0, 255])
    # Integers that the folder holds as such are passed on as they are.
    np.testing.assert_array_equal(inside(np.array([1, -128], np.int8), x), [1, -128])
    np.testing.assert_array_equal(outside(np.array([7], np.uint8), port("uint8", "uint8")), [7])


def test_integers_that_do_not_fit_into_the_bmodels():
    np.testing.assert_array_equal(inside(np.array([5, -6]), port("int64", "int32")), [5, -6])
    with pytest.raises(AutosplitError, match="integers from 5 to 4294967296, which do not fit"):
        inside(np.array([5, 2**32]), port("int64", "int32"))


def test_layouts_and_scalars():
    x = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    nhwc = port(shape=(2, 3, 4, 5), inner_shape=(2, 5, 3, 4), channels_last=True)
    turned = to_network(x, nhwc, dynamic=False)
    np.testing.assert_array_equal(turned, x.transpose(0, 3, 1, 2))
    np.testing.assert_array_equal(from_network(turned, nhwc, dynamic=False), x)
    scalar = port(shape=(), inner_shape=(1,))
    for dynamic in (False, True):
        number = np.float32([2]).reshape(())
        assert to_network(number, scalar, dynamic=dynamic).shape == (1,)
        assert from_network(np.float32([2]), scalar, dynamic=dynamic).shape == ()
    # Sizes that vary stay as they come.
    assert from_network(x[:1], port(shape=(2, 3, 4, 5)), dynamic=True).shape == (1, 3, 4, 5)
    assert to_network(x[:1], port(shape=(2, 3, 4, 5)), dynamic=True).shape == (1, 3, 4, 5)


# The executor, with a process that is none


class FakeProcess:
    """Every output is the first input."""

    networks: tuple[BmodelNetwork, ...] = ()
    started: list[dict[str, Any]] = []

    def __init__(self, bmodel: Path, chip: Any, toolchain: Any, timeout: Any, card: Any):
        self.bmodel = bmodel
        self.closed = False
        self.seen: list[Mapping[str, Array]] = []
        self.started.append({"bmodel": bmodel, "chip": chip, "timeout": timeout, "card": card})
        self.started[-1]["process"] = self

    def run(self, feeds: Mapping[str, Array], network: str) -> dict[str, Array]:
        self.seen.append(feeds)
        first = next(iter(feeds.values()))
        return {t.name: first * 2 for t in self.networks[0].outputs}

    def close(self) -> None:
        self.closed = True


def network(
    inputs: Mapping[str, Any], outputs: Mapping[str, Any], name: str = "net", dynamic: bool = False
) -> BmodelNetwork:
    def tensors(given: Mapping[str, Any]) -> tuple[BmodelTensor, ...]:
        return tuple(
            BmodelTensor(n, t[1], (t[0],), t[2] if len(t) > 2 else 1.0, 0) for n, t in given.items()
        )

    return BmodelNetwork(name, dynamic, tensors(inputs), tensors(outputs))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeProcess]:
    class Process(FakeProcess):
        networks = (network({"x": ((2, 3), "float32")}, {"y": ((2, 3), "float32")}),)
        started: list[dict[str, Any]] = []

    monkeypatch.setattr(bmodel_executor, "BmodelProcess", Process)
    return Process


X = NetworkPort("x:0", "x", (2, 3), "int64")
Y = NetworkPort("y:0", "y", (2, 3), "bool")


def test_runs_by_the_folders_names(fake: type[FakeProcess]):
    executor = BmodelExecutor(Path("a"), [X], [Y])
    made = executor.run({"x:0": np.array([[1, 0, 2], [0, 0, 1]])}, ["y:0"])
    assert {n: a.dtype.name for n, a in made.items()} == {"y:0": "bool"}
    np.testing.assert_array_equal(made["y:0"], [[1, 0, 1], [0, 0, 1]])
    assert executor.run({"x:0": np.zeros((2, 3), np.int64)}, []) == {}


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ([], [Y], "has the inputs x, the sub-model ; is it of another"),
        ([X, X], [Y], "has the inputs x, the sub-model x, x; is it of another"),
        ([X], [Y, Y], "has the outputs y, the sub-model y, y"),
        ([NetworkPort("x:0", "x", (3, 2), "float32")], [Y], r"input 'x:0' has the shape \[2, 3\]"),
        (
            [X],
            [NetworkPort("y:0", "y", (2, 3, 4), "bool")],
            r"output 'y:0' .* expected \[2, 3, 4\]",
        ),
    ],
)
def test_bmodels_of_other_sub_models(
    fake: type[FakeProcess], inputs: list[NetworkPort], outputs: list[NetworkPort], message: str
):
    with pytest.raises(AutosplitError, match=message) as caught:
        BmodelExecutor(Path("a"), inputs, outputs)
    assert "\n" not in str(caught.value)
    assert fake.started[0]["process"].closed


def test_networks_by_name(fake: type[FakeProcess]):
    other = network({"z": ((1,), "float32")}, {"w": ((1,), "float32")}, "other")
    fake.networks = (*fake.networks, other)
    assert BmodelExecutor(Path("a"), [X], [Y], net="net").borders.network.name == "net"
    with pytest.raises(AutosplitError, match="has the networks net, other, expected one"):
        BmodelExecutor(Path("a"), [X], [Y])
    with pytest.raises(AutosplitError, match="has the networks net, other, expected 'third'"):
        BmodelExecutor(Path("a"), [X], [Y], net="third")


# Folders


class FakeFramework:
    """A sub-model's file has the name of a function."""

    files = {"model_path": ".pb"}
    functions = {"plus": lambda x: x + 1, "minus": lambda x: x - 1, "double": lambda x: x * 2}

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ):
        function = self.functions[(folder / model_info["model_path"]).read_text()]

        class Executor:
            def run(self, feeds: Mapping[str, Array], outputs: list[str]) -> dict[str, Array]:
                return {outputs[0]: function(next(iter(feeds.values())))}

        return Executor()


@pytest.fixture
def framework(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("autosplit.platforms.get_platform", lambda name: FakeFramework())
    monkeypatch.setattr("autosplit.runtime.bmodel.process.CARD", tmp_path / "no card")


def folder_of(
    folder: Path,
    steps: list[tuple[str, str]],
    shape: tuple[int, ...] = (2, 3),
    **changes: Any,
) -> Path:
    """t0 -> t1 -> ..., one sub-model a step (function, device); TPU ones have a bmodel of a header."""
    folder.mkdir(parents=True, exist_ok=True)
    graphs: list[dict[str, Any]] = []
    for i, (function, device) in enumerate(steps):
        (folder / f"graph_{i}.pb").write_text(function)
        graphs.append(
            {
                "inputs": [f"t{i}:0"],
                "outputs": [f"t{i + 1}:0"],
                "device": device,
                "model_info": {"model_path": f"graph_{i}.pb"},
            }
        )
        if device == "tpu":
            (folder / f"graph_ir_{i}").mkdir(exist_ok=True)
            header_only(folder / f"graph_ir_{i}" / "compilation.bmodel")
    roles = ["input", *["intermediate"] * (len(steps) - 1), "output"]
    tensors = {
        f"t{i}:0": {"shape": list(shape), "dtype": "float32", "attr": role}
        for i, role in enumerate(roles)
    }
    infos = {"graphs": graphs, "tensors": tensors, "platform": "tensorflow", "layout": "NHWC"}
    own = {"autosplit": {"target": "bm1684"}}
    (folder / "graph_infos.json").write_text(json.dumps({**infos, **own, **changes}))
    return folder


THREE = [("plus", "cpu"), ("double", "tpu"), ("minus", "cpu")]
ONES = np.ones((2, 3), np.float32)


def names(fake: type[FakeProcess], first: str, last: str, *rest: Any) -> None:
    fake.networks = (
        network({first: ((2, 3), *(rest or ("float32",)))}, {last: ((2, 3), "float32")}),
    )


@pytest.mark.usefixtures("framework")
def test_mode_2(tmp_path: Path, fake: type[FakeProcess], caplog: pytest.LogCaptureFixture):
    names(fake, "t1", "t2")
    folder = folder_of(tmp_path / "f", THREE)
    with (
        caplog.at_level(logging.WARNING, logger="autosplit"),
        load(folder, mode=2, timeout=7) as loaded,
    ):
        np.testing.assert_array_equal(infer(loaded, {"t0": ONES})["t3:0"], 3 * ONES)
        assert [s.device for s in loaded.steps] == ["cpu", "tpu-emulator", "cpu"]
        assert len(loaded.infer_time({"t0": ONES})) == 4
        assert [s.device for s in infer_time(loaded, {"t0": ONES}, repeat=1)][1] == "tpu-emulator"
    assert "no TPU card here" in caplog.text
    (started,) = fake.started
    assert started["bmodel"] == folder / "graph_ir_1" / "compilation.bmodel"
    assert (started["chip"], started["timeout"], started["card"]) == ("bm1684", 7, None)
    assert started["process"].closed


@pytest.mark.usefixtures("framework")
def test_the_mode_that_is_chosen(
    tmp_path: Path,
    fake: type[FakeProcess],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    names(fake, "t1", "t2")
    folder = folder_of(tmp_path / "f", THREE)

    def chosen(**options: Any) -> tuple[int, int | None, str]:
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="autosplit"):
            loaded = load(folder, **options)
        card = fake.started[-1]["card"] if loaded.mode == 2 else None
        return loaded.mode, card, caplog.text

    mode, _, said = chosen()
    assert (mode, "no TPU card here; mode 2" in said) == (0, True)
    assert chosen(use_cmodel=True) == (2, None, "")
    for module in (runner, modes):
        monkeypatch.setattr(module, "find_card", lambda: 0)
    assert chosen() == (2, 0, "")
    assert chosen(mode=2) == (2, 0, "")
    assert chosen(use_cmodel=1) == (2, None, "")
    assert chosen(mode=0) == (0, None, "")
    (folder / "graph_ir_1" / "compilation.bmodel").unlink()
    mode, _, said = chosen()
    assert (mode, "is not there; autosplit convert makes it" in said) == (0, True)
    assert len(said.strip().splitlines()) == 1


@pytest.mark.usefixtures("framework")
def test_bmodels_in_memory(tmp_path: Path, fake: type[FakeProcess]):
    names(fake, "t1", "t2")
    folder = folder_of(tmp_path / "f", THREE)
    (folder / "graph_ir_1" / "compilation.bmodel").unlink()
    loaded = load(folder, {"graph_1": b"bytes", "graph_0": b"minus"}, mode=2)
    np.testing.assert_array_equal(infer(loaded, {"t0": ONES})["t3:0"], -ONES)
    path = fake.started[0]["bmodel"]
    assert path.read_bytes() == b"bytes"
    del loaded
    gc.collect()
    assert not path.exists()


@pytest.mark.usefixtures("framework")
def test_folders_of_the_original_are_transposed(tmp_path: Path, fake: type[FakeProcess]):
    fake.networks = (
        network({"_arg_t0_0_0": ((1, 4, 2, 3), "float32")}, {"t1": ((1, 4, 2, 3), "float32")}),
    )
    x = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)
    folder = folder_of(tmp_path / "f", [("double", "tpu")], (1, 2, 3, 4), autosplit={})
    np.testing.assert_array_equal(load(folder, mode=2).infer({"t0": x})["t1:0"], 2 * x)
    (fed,) = fake.started[0]["process"].seen
    np.testing.assert_array_equal(fed["_arg_t0_0_0"], x.transpose(0, 3, 1, 2))
    # Ours take the layout of the folder.
    own = folder_of(tmp_path / "own", [("double", "tpu")], (1, 2, 3, 4))
    with pytest.raises(
        AutosplitError, match=r"has the shape \[1, 4, 2, 3\], expected \[1, 2, 3, 4\]"
    ):
        load(own, mode=2)


def raw_of(fake: type[FakeProcess], loaded: Runner) -> set[str]:
    """The tensors that sub-models are asked to hand over as they are."""
    asked: set[str] = set()
    original = BmodelExecutor.run

    def run(
        self: BmodelExecutor, feeds: Mapping[str, Array], outputs: list[str], raw: frozenset[str]
    ) -> dict[str, Array]:
        asked.update(name for name in outputs if name in raw)
        return original(self, feeds, outputs, raw)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BmodelExecutor, "run", run)
        loaded.infer({"t0": ONES})
    return asked


@pytest.mark.usefixtures("framework")
def test_8_bit_integers_cross_as_they_are(tmp_path: Path, fake: type[FakeProcess]):
    integers = ((2, 3), "int8", 0.25)
    fake.networks = (network({"x": ((2, 3), "int8", 4.0)}, {"y": integers}),)
    folder = folder_of(tmp_path / "f", [("double", "tpu"), ("double", "tpu"), ("plus", "cpu")])
    with load(folder, mode=2) as loaded:
        assert loaded.crossing == {"t1:0"}
        # 1 is 4 steps; each network doubles.
        np.testing.assert_array_equal(loaded.infer({"t0": ONES})["t3:0"], 5 * ONES)
        second = fake.started[1]["process"]
        np.testing.assert_array_equal(second.seen[0]["x"], np.full((2, 3), 8, np.int8))
        assert raw_of(fake, loaded) == {"t1:0"}
        seen: dict[str, Array] = {}
        loaded.infer({"t0": ONES}, lambda graph, feeds, made: seen.update(made))
        np.testing.assert_array_equal(seen["t1:0"], 2 * ONES)
        assert seen["t1:0"].dtype == np.float32
    # Steps that differ are converted at the border.
    fake.networks = (network({"x": ((2, 3), "int8", 2.0)}, {"y": integers}),)
    with load(folder, mode=2) as loaded:
        assert loaded.crossing == frozenset()
        np.testing.assert_array_equal(loaded.infer({"t0": ONES})["t3:0"], 2 * ONES)


@pytest.mark.usefixtures("framework")
def test_what_was_loaded_ends_where_a_later_sub_model_fails(
    tmp_path: Path, fake: type[FakeProcess]
):
    names(fake, "t0", "t1")
    folder = folder_of(tmp_path / "f", [("double", "tpu"), ("double", "tpu")])
    started: list[FakeProcess] = []
    original = fake.__init__

    def second_fails(self: FakeProcess, *given: Any) -> None:
        if started:
            raise AutosplitError("the second")
        original(self, *given)
        started.append(self)

    fake.__init__ = second_fails
    with pytest.raises(AutosplitError, match="the second"):
        load(folder, mode=2)
    assert started[0].closed


# The whole, on the emulators


@pytest.fixture(scope="module")
def bmodels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    toolchain()
    return {chip: compile_conv(tmp_path_factory.mktemp(chip), chip) for chip in CHIPS}


def conv_folder(folder: Path, bmodel: Path, chip: str, **changes: Any) -> Path:
    steps = [("plus", "cpu"), ("double", "tpu"), ("minus", "cpu")]
    folder_of(folder, steps, SHAPE, **({"autosplit": {"target": chip}} | changes))
    infos = json.loads((folder / "graph_infos.json").read_text())
    for name in ("t2:0", "t3:0"):
        infos["tensors"][name]["shape"] = [1, 4, *SHAPE[2:]]
    (folder / "graph_infos.json").write_text(json.dumps(infos))
    (folder / "graph_ir_1" / "compilation.bmodel").write_bytes(bmodel.read_bytes())
    return folder


@pytest.mark.usefixtures("framework")
@pytest.mark.parametrize("chip", CHIPS)
def test_a_folder_on_the_emulator(tmp_path: Path, bmodels: dict[str, Path], chip: str):
    folder = conv_folder(tmp_path / "f", bmodels[chip], chip)
    with load(folder, use_cmodel=True) as loaded:
        assert loaded.mode == 2
        for seed in range(2):
            x = image(seed=seed)
            wanted = expected(x + 1) - 1
            found = loaded.infer({"t0": x})["t3:0"]
            assert np.abs(found - wanted).max() < 5e-3 * np.abs(wanted).max()
        with pytest.raises(AutosplitError, match="found shape"):
            loaded.infer({"t0": x[:, :, :3]})
    with pytest.raises(AutosplitError, match="is closed"):
        loaded.infer({"t0": image()})


@pytest.mark.usefixtures("framework")
def test_zips_and_two_runners_at_once(tmp_path: Path, bmodels: dict[str, Path]):
    folder = conv_folder(tmp_path / "f", bmodels["bm1684"], "bm1684")
    with zipfile.ZipFile(tmp_path / "f.zip", "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(tmp_path))
    with (
        load_from_zip(tmp_path / "f.zip", use_cmodel=True) as one,
        Runner(folder, 2, use_cmodel=True) as other,
    ):
        x = image()
        a, b = one.infer({"t0": x})["t3:0"], other.infer({"t0": x})["t3:0"]
        np.testing.assert_array_equal(a, b)
        assert np.abs(a - (expected(x + 1) - 1)).max() < 1e-4


@pytest.mark.usefixtures("framework")
def test_a_bmodel_of_another_chip_or_sub_model(tmp_path: Path, bmodels: dict[str, Path]):
    folder = conv_folder(tmp_path / "f", bmodels["bm1684"], "bm1684x")
    with pytest.raises(AutosplitError, match="is for bm1684, expected bm1684x; convert"):
        load(folder, mode=2)
    other = conv_folder(tmp_path / "g", bmodels["bm1684"], "bm1684")
    infos = json.loads((other / "graph_infos.json").read_text())
    infos["tensors"]["t1:0"]["shape"] = [1, 3, 9, 9]
    (other / "graph_infos.json").write_text(json.dumps(infos))
    with pytest.raises(AutosplitError, match=r"input 't1:0' has the shape \[1, 3, 6, 7\]"):
        load(other, mode=2)


def test_by_the_record(tmp_path: Path, bmodels: dict[str, Path]):
    """The record says what the network's tensors are in the folder."""
    record = Compilation(
        compiler="tpu-mlir", toolchain="1", chip="bm1684", mode="F32", dynamic=False, optimize=2,
        net="net", sources={}, inputs=(NetworkPort("in:0", "x", SHAPE, "float64"),),
        outputs=(NetworkPort("out:0", "y", (1, 4, *SHAPE[2:]), "float16"),),
    )  # fmt: skip
    executor = BmodelExecutor.of_record(bmodels["bm1684"], record, timeout=60)
    made = executor.run({"in:0": image().astype(np.float64)}, ["out:0"])
    executor.close()
    assert made["out:0"].dtype == np.float16
    assert np.abs(made["out:0"] - expected(image())).max() < 2e-2


@pytest.mark.parametrize("chip", CHIPS)
def test_8_bit_borders_on_the_emulator(tmp_path: Path, chip: str):
    toolchain()
    bmodel = compile_conv(tmp_path, chip, "INT8", network_dtype="int8")
    borders = (
        [NetworkPort("in", "x", SHAPE, "float32")],
        [NetworkPort("out", "y", (1, 4, 6, 7), "float32")],
    )
    executor = BmodelExecutor(bmodel, *borders, timeout=60)
    x = image()
    made = executor.run({"in": x}, ["out"])["out"]
    raw = executor.run({"in": x}, ["out"], raw={"out"})["out"]
    dtype, step, zero_point = executor.borders.form("out") or ("", 0.0, 0)
    taken = executor.borders.form("in")
    executor.close()
    assert np.abs(made - expected(x)).max() < 0.4
    assert (raw.dtype.name, dtype, zero_point) == ("int8", "int8", 0)
    np.testing.assert_allclose(raw * step, made, 1e-4)
    assert step == pytest.approx(20 / 127, rel=1e-4)
    assert taken == ("int8", pytest.approx(4 / 127, rel=1e-4), 0)
