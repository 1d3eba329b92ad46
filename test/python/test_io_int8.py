"""`convert --io int8`: inputs and outputs of the whole model are the 8-bit integers that bmodels hold."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_models import X, split_bridge, split_two
from convert_toolchain import needs_toolchain
from numpy.typing import NDArray
from sampled import sample
from test_int8_borders import LOWERED, infos
from test_package import compiled, on_device, results

from autosplit.api import convert, package
from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.infos_reader import BorderTensor, GraphInfos
from autosplit.folder.int8_borders import Held, Ports, held_ends, held_ports, own_ends
from autosplit.portable.ends import End, read_ends
from autosplit.runtime.runner import open_runner
from autosplit.testing.toolchain import toolchain
from autosplit.tools.cli.main import main

Array = NDArray[Any]

PHOTO: Array = X.astype(np.float32) - np.float32(0.4)

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("bm1684", {}),
    ("bm1684x", {}),
    ("bm1688", {}),
    ("bm1688", {"asymmetric": True}),
    ("bm1684x", {"asymmetric": True}),
]


# Which ends can be integers


def typed(dtype: str) -> GraphInfos:
    folder = infos(("tpu", "xz", "ab"), ("cpu", "bz", "c"), ("tpu", "acx", "d"), outputs="acd")
    tensors = {n: BorderTensor(n, (1,), dtype, "intermediate") for n in "xzwabcd"}
    return replace(folder, inputs=("x", "z", "w"), tensors=tensors)


def test_ends_that_only_compiled_sub_models_have() -> None:
    assert own_ends(typed("float32"), [0, 2]) == {
        "x": "",
        "z": "graph_1 reads it, on the CPU",
        "w": "no sub-model reads it",
        "a": "another sub-model reads it too",
        "c": "graph_1 makes it, on the CPU",
        "d": "",
    }
    assert own_ends(typed("float32"), [0])["x"] == "graph_2 reads it, and is not compiled now"
    assert own_ends(typed("int64"), [0, 2])["x"] == "the model has it as int64, not as real numbers"


def test_ends_that_all_networks_hold_alike() -> None:
    one, other = Held("int8", 0.5, 3), Held("int8", 0.5)
    ports = {
        0: Ports({"x": one, "z": one, "w": one}, {"a": None}),
        2: Ports({"x": one, "z": other, "w": None}, {"d": other}),
    }
    ends = {"x": "", "z": "", "w": "", "a": "", "d": "", "c": "graph_1 makes it, on the CPU"}
    same, reasons = held_ends(ends, ports)
    assert same == {"x": one, "d": other}
    assert reasons == {
        "z": "the networks that read it count in different steps",
        "w": "the network computes it in floats, or uses it as such too",
        "a": "the network computes it in floats, or uses it as such too",
        "c": "graph_1 makes it, on the CPU",
    }


def test_zero_points_of_lowered_modules() -> None:
    text = LOWERED.replace("i8:f32, 0.031", "i8:f32, 0.031:-128")
    assert held_ports(text)[0] == [Held("int8", 0.031, -128), Held("uint8", 0.015)]


# What a folder says of them


def test_ends_that_a_folder_says_of() -> None:
    entry = {"dtype": "int8", "scale": 0.5, "zero_point": 0}
    sides = [("graph_0", ["x", "m"]), ("graph_1", ["x", "m", "y"])]
    x = End("x", "int8", 0.5, 0)
    said: dict[str, object] = {"graph_0": {"x": entry}, "graph_1": {"x": entry, "m": entry}}
    assert read_ends(said, sides, {"x", "y"}) == {"x": x}
    # A sub-model was converted again, without.
    assert read_ends({"graph_0": {"x": entry}}, sides, {"x", "y"}) == {}
    assert read_ends({**said, "graph_1": {"x": {**entry, "scale": 0.25}}}, sides, {"x"}) == {}
    with pytest.raises(AutosplitError, match=r"tensor 'x': its io is .*; convert again"):
        read_ends({"graph_0": {"x": {"dtype": "int8"}}}, sides, {"x"})


def test_values_of_an_end() -> None:
    end = End("x", "int8", 0.5, 3)
    assert end.is_given(np.zeros(2, np.int8))
    assert not end.is_given(np.zeros(2, np.float32))
    assert not end.is_given([1, 2])
    with pytest.raises(AutosplitError, match="input 'x': is uint8; as 8-bit integers it is int8"):
        end.is_given(np.zeros(2, np.uint8))
    np.testing.assert_array_equal(end.real(np.array([3, 5], np.int8)), [0.0, 1.0])
    np.testing.assert_array_equal(end.integers(np.array([0.0, 1.0, 99.0])), [3, 5, 127])
    kept = np.array([1], np.int8)
    assert end.integers(kept) is kept


# What is refused


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"io": "int8", "mode": "F16", "target": "bm1684x"}, "--io int8: F16 computes in real"),
        ({"io": "int4", "mode": "INT8", "data": ["x.npy"]}, "--io int4: expected int8"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str, tmp_path: Path) -> None:
    folder = split_two(tmp_path / "net", "bm1684x")
    with pytest.raises(AutosplitError, match=message):
        convert_folder(ConvertOptions(folder, **given))
    with pytest.raises(AutosplitError, match="no input or output of the model is 8-bit integers"):
        open_runner(folder, 0, io="int8")
    with pytest.raises(AutosplitError, match="io is 'int4', expected int8"):
        open_runner(folder, 0, io="int4")


# On the emulators


def converted(folder: Path, **options: Any) -> list[str]:
    data = folder.with_name("x.npy")
    np.save(data, np.concatenate([PHOTO, PHOTO[..., ::-1]]))
    notes: list[str] = []
    given = ConvertOptions(folder, mode="INT8", data=[str(data)], note=notes.append, **options)
    convert_folder(given).check()
    return notes


def said_of(folder: Path) -> dict[str, dict[str, Any]]:
    compiled = json.loads((folder / "graph_infos.json").read_text())["autosplit"]["compiled"]
    return {name: entry["io"] for name, entry in compiled.items() if "io" in entry}


@needs_toolchain
@pytest.mark.parametrize("option", sample(OPTIONS, 5))
def test_integers_at_both_ends(option: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    """The same as with floats at the ends, within one step, whichever form is given and asked for."""
    chip, build = option
    folder = split_two(tmp_path / "net", chip)
    converted(folder, **build)
    x = PHOTO
    with open_runner(folder, 2, use_cmodel=True) as runner:
        assert not runner.ends
        (plain,) = runner.infer({"x": x}).values()
    notes = converted(folder, io="int8", compare=True, **build)
    ends = said_of(folder)
    assert {name: list(entry) for name, entry in ends.items()} == {
        "graph_0": ["x"],
        "graph_2": ["y"],
    }
    taken, made = ends["graph_0"]["x"], ends["graph_2"]["y"]
    assert any(
        n.startswith(f"'x' is {taken['dtype']} for whoever calls the model: 1 stands for")
        for n in notes
    )
    with open_runner(folder, 2, use_cmodel=True) as runner:
        (real,) = runner.infer({"x": x}).values()
        integers = np.rint(x / np.float32(taken["scale"])) + taken["zero_point"]
        integers = np.clip(integers, *limits(taken["dtype"])).astype(taken["dtype"])
        (again,) = runner.infer({"x": integers}).values()
    assert real.dtype == np.float32
    assert np.abs(real - plain).max() <= made["scale"] * 1.001
    np.testing.assert_array_equal(real, again)
    with open_runner(folder, 2, use_cmodel=True, io="int8") as runner:
        (found,) = runner.infer({"x": integers}).values()
        seen: dict[str, Array] = {}
        (watched,) = runner.infer({"x": integers}, lambda g, f, m: seen.update(m)).values()
    assert found.dtype == np.dtype(made["dtype"])
    np.testing.assert_allclose((found - np.float32(made["zero_point"])) * made["scale"], real, 1e-5)
    np.testing.assert_array_equal(watched, found)
    assert seen["y"].dtype == np.float32
    # On the CPU, the integers stand for the same numbers.
    with open_runner(folder, 0, io="int8") as runner:
        (exact,) = runner.infer({"x": integers}).values()
    assert exact.dtype == found.dtype
    assert np.abs(exact.astype(int) - found).max() <= 8


def limits(dtype: str) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


@needs_toolchain
def test_without_it_the_ends_are_floats_again(tmp_path: Path) -> None:
    folder = split_two(tmp_path / "net")
    converted(folder, io="int8")
    assert said_of(folder)
    converted(folder)
    assert not said_of(folder)


@needs_toolchain
def test_ends_that_stay_real_numbers_say_why(tmp_path: Path) -> None:
    folder = split_two(tmp_path / "net", pins=[("conv1|relu1|middle", "cpu")])
    notes = converted(folder, io="int8")
    assert list(said_of(folder)) == ["graph_1"]
    reason = "graph_0 reads it, on the CPU"
    assert f"'x' stays as it is for whoever calls the model: {reason}" in notes
    folder = split_bridge(tmp_path / "bridge")
    notes = converted(folder, io="int8", f32=["conv4"])
    why = "the network computes it in floats, or uses it as such too"
    assert f"'y' crosses the border of graph_2 as float32: {why}" in notes
    assert list(said_of(folder)) == ["graph_0"]


@needs_toolchain
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")
def test_packages_and_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, app = split_two(tmp_path / "net", "bm1684x"), tmp_path / "app"
    converted(folder, io="int8")
    end = said_of(folder)["graph_0"]["x"]
    x = PHOTO
    integers = np.clip(np.rint(x / np.float32(end["scale"])), *limits(end["dtype"]))
    np.save(tmp_path / "i.npy", integers.astype(end["dtype"]))
    np.save(tmp_path / "f.npy", x)
    out = tmp_path / "out.npz"
    command = ["run", str(folder), "--mode", "2", "--cmodel", "-o", str(out)]
    expected: dict[str, Array] = {}
    for name, more in (("real", []), ("integers", ["--io", "int8"])):
        assert main([*command, "--input", f"x={tmp_path / 'i.npy'}", *more]) == 0
        expected[name] = results(out)["y"]
    assert expected["integers"].dtype == np.dtype(said_of(folder)["graph_2"]["y"]["dtype"])
    assert main([*command, "--io", "int8", "--compare", f"{folder}.onnx"]) == 1
    assert "--compare compares real numbers" in capsys.readouterr().err
    package(folder, app, cpp=True)
    dump = tmp_path / "dump"
    for place, (given, more, wanted) in enumerate(
        [("f", (), "real"), ("i", (), "real"), ("i", ("--io", "int8"), "integers")]
    ):
        arguments = ("--input", f"x={tmp_path / given}.npy", "-o", out, *more)
        dumped = ("--dump", dump) if place == 2 else ()
        made = on_device(app, "--emulator", toolchain().root, *arguments, *dumped)
        assert made.returncode == 0, made.stderr
        np.testing.assert_array_equal(results(out)["y"], expected[wanted])
        assert results(out)["y"].dtype == expected[wanted].dtype
    # In C++: floats become the integers, integers are taken as they are.
    program, environment = compiled(app, tmp_path / "linked", "bm1684x")
    (tmp_path / "f.bin").write_bytes(x.tobytes())
    for path in (tmp_path / "f.bin", dump / "graph_0.x.bin"):
        said = subprocess.run(
            [program, app / "models" / "graph_0.bmodel", "graph_0", path, tmp_path / "cpp"],
            env=environment, check=False, capture_output=True, text=True,
        )  # fmt: skip
        (written,) = tmp_path.glob("cpp.*.bin")
        assert written.read_bytes() == next(dump.glob("graph_0.r1*.bin")).read_bytes(), said.stderr
        written.unlink()


@needs_toolchain
def test_from_python(tmp_path: Path) -> None:
    folder = split_two(tmp_path / "net")
    data = tmp_path / "x.npy"
    np.save(data, X)
    convert(folder, mode="INT8", data=data, io="int8")
    assert said_of(folder)
