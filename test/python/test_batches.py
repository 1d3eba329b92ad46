"""`split --batches`: sub-models for several numbers of samples at once, in one bmodel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from convert_models import two_convolutions
from convert_toolchain import needs_toolchain
from onnx import TensorProto, helper
from PIL import Image

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.accept import accept
from autosplit.flows.convert.folder import Notes, convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.deploy import deploy_model
from autosplit.flows.package import package_folder
from autosplit.flows.quantize import QuantizeOptions
from autosplit.flows.quantize_folder import quantize_folder
from autosplit.flows.quantizing.metrics import Metric
from autosplit.flows.split import split_batches
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.batches import BatchFolders, read_batches
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.own_files import foreign_files, read_entries
from autosplit.inputs.preprocess import parse_options
from autosplit.inputs.specs import InputSpec
from autosplit.portable.batches import Batches, parts
from autosplit.portable.runner import load
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.runtime.bmodel.process import BmodelProcess
from autosplit.runtime.runner import open_runner
from autosplit.testing.toolchain import toolchain
from autosplit.tools.cli.main import main

Array = np.ndarray[Any, Any]

PHOTOS = np.random.default_rng(5).random((6, 3, 16, 16), np.float32)


def open_model(path: Path, *, flat: bool = False, keepdims: bool = True) -> Path:
    """Two convolutions with the CPU between them, and an open first size; `flat`: the output has none."""
    model = onnx.load(two_convolutions(path))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "N"
    if flat:
        model.graph.node.append(
            helper.make_node("ReduceMax", ["y"], ["top"], axes=[0], keepdims=keepdims, name="top")
        )
        del model.graph.output[:]
        shape = [1] * keepdims + [4, 16, 16]
        model.graph.output.append(helper.make_tensor_value_info("top", TensorProto.FLOAT, shape))
    onnx.save(model, path)
    return path


def options(model: Path, out: Path, target: str = "bm1684", **more: Any) -> SplitOptions:
    settings: dict[str, Any] = {"pins": [("middle", "cpu")], "keep": 1.0, "batches": (1, 4), **more}
    return SplitOptions(model, out, {}, target=target, **settings)


@pytest.mark.parametrize(
    ("count", "sizes", "expected"),
    [
        (1, (1, 4), [1]),
        (6, (1, 4), [4, 1, 1]),
        (9, (4, 2), [4, 4, 2]),
        (3, (8,), [8]),
        (16, (1, 8, 4), [8, 8]),
    ],
)
def test_how_samples_are_divided(count: int, sizes: tuple[int, ...], expected: list[int]) -> None:
    assert parts(count, sizes) == expected


def test_what_is_run_together_is_put_together() -> None:
    """Against running one sample after the other; the input `by` is the same for all."""

    def run(feeds: Mapping[str, Any]) -> dict[str, Array]:
        assert len(feeds["x:0"]) == 4
        return {"y": feeds["x:0"].sum((1, 2, 3)) * feeds["by"]}

    feeds = {"x:0": PHOTOS, "by": np.full(1, 3.0, np.float32)}
    found = Batches("out", ["x"], {4: run})
    made = found.infer(feeds, 6)["y"]
    np.testing.assert_array_equal(made, PHOTOS.sum((1, 2, 3)) * np.float32(3))
    assert found.count({"by": 1}) is None
    with pytest.raises(
        AutosplitError, match=r"out: how many samples there are, .* 'x:0' 0; expected"
    ):
        found.count({"x:0": PHOTOS[:0]})


def test_the_cpu_takes_any_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    split_batches(options(open_model(tmp_path / "net.onnx"), out))
    infos = GraphInfos.load(out)
    noted = json.loads((out / "graph_infos.json").read_text())["autosplit"]["batches"]
    assert noted == {"inputs": ["x"], "folders": {"1": ".", "4": "batch_4"}}
    batches = read_batches(infos)
    assert batches is not None
    assert batches.others == {4: "batch_4"}
    with open_runner(out, 0) as runner:
        singly = [np.asarray(runner.infer({"x": PHOTOS[i : i + 1]})["y"]) for i in range(6)]
        assert len(runner.steps) == 3
        found = runner.infer({"x": PHOTOS})["y"]
        names = [step.name for step in runner.steps]
    assert names == [f"graph_{i}_b4" for i in range(3)] + ["graph_0", "graph_1", "graph_2"] * 2
    np.testing.assert_allclose(np.asarray(found), np.concatenate(singly), rtol=1e-6, atol=1e-6)
    np.save(tmp_path / "x.npy", PHOTOS)
    assert main(["run", str(out), "--mode", "0", "--input", f"x={tmp_path / 'x.npy'}"]) == 0
    said = capsys.readouterr().out
    assert said.count("graph_0_b4   cpu (for tpu)") == 1
    assert "6x4x16x16" in said
    # --force knows what is in it, and what is somebody else's.
    (out / "batch_4" / "notes.txt").write_text("mine")
    entries = read_entries(out)
    assert entries is not None
    files = [path.relative_to(out).as_posix() for path in out.rglob("*")]
    assert foreign_files(out, entries, files) == ["batch_4/notes.txt"]


def test_one_number_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    split_batches(options(open_model(tmp_path / "net.onnx"), out, batches=(4,)))
    assert [path.name for path in out.glob("batch_*")] == []
    with open_runner(out, 0) as runner:
        whole = np.asarray(runner.infer({"x": PHOTOS[:4]})["y"])
        np.testing.assert_array_equal(runner.infer({"x": PHOTOS[:3]})["y"], whole[:3])


def test_python_takes_them_too(tmp_path: Path) -> None:
    """A shape gives the sizes behind the number of samples."""
    model, out = open_model(tmp_path / "net.onnx"), tmp_path / "out"
    given: dict[str, Any] = {"shapes": {"x": (1, 3, 16, 16)}, "keep": 1.0}
    api.split("onnx", {}, out, model, batches=cast("Any", [2, np.int64(3)]), **given)
    assert read_batches(GraphInfos.load(out)) == BatchFolders(["x"], {2: ".", 3: "batch_3"})
    typed = tmp_path / "typed"
    words = ["--shape", "x=1,3,16,16", "--keep", "1", "--batches", "2,3", "-o", str(typed)]
    assert main(["split", str(model), *words]) == 0
    for name in ("plan.mlir", "batch_3/plan.mlir"):
        assert (out / name).read_bytes() == (typed / name).read_bytes()
    with pytest.raises(AutosplitError, match=r"batches is 4, expected numbers, as in \(1, 4\)"):
        api.split("onnx", {}, tmp_path / "b", model, batches=cast("Any", 4))
    with pytest.raises(AutosplitError, match="--batches 4,4: expected different numbers"):
        api.deploy(model, tmp_path / "b", batches=(4, 4))
    with pytest.raises(AutosplitError, match="input 'x' is an array; give its shape"):
        api.split("onnx", {"x": PHOTOS}, tmp_path / "b", model, batches=(1, 4))


@pytest.mark.parametrize(
    ("batches", "more", "said"),
    [
        ((4, 4), {}, r"--batches 4,4: expected different numbers from 1"),
        ((0, 4), {}, r"--batches 0,4: expected different numbers from 1"),
        ((1, 4), {"dynamic": True}, r"--batches: with --dynamic one network takes all sizes"),
    ],
)
def test_what_is_asked_for_wrongly(
    tmp_path: Path, batches: tuple[int, ...], more: dict[str, Any], said: str
) -> None:
    model = open_model(tmp_path / "net.onnx")
    with pytest.raises(AutosplitError, match=said):
        split_batches(options(model, tmp_path / "out", batches=batches, **more))
    assert not (tmp_path / "out").exists()


def test_models_whose_samples_are_not_told_apart(tmp_path: Path) -> None:
    fixed = two_convolutions(tmp_path / "fixed.onnx")
    with pytest.raises(
        AutosplitError, match="no input leaves its first size, the number of samples"
    ):
        split_batches(options(fixed, tmp_path / "out"))
    flat = open_model(tmp_path / "flat.onnx", flat=True)
    with pytest.raises(AutosplitError, match="the first size of output 'top' is not the number of"):
        split_batches(options(flat, tmp_path / "out"))
    # Four channels are not four samples.
    open_model(flat, flat=True, keepdims=False)
    with pytest.raises(AutosplitError, match="the first size of output 'top' is not the number of"):
        split_batches(options(flat, tmp_path / "out", batches=(4,)))
    assert not (tmp_path / "out").exists()


def test_of_further_numbers_only_what_is_new_is_said() -> None:
    said: list[str] = []
    notes = Notes(said.append)
    notes.tell("target: BM1684")
    notes.tell_of("batch_4", "target: BM1684")
    notes.tell_of("batch_4", "graph_0: 2 of 4 ops are computed in F16")
    assert said == ["target: BM1684", "batch_4: graph_0: 2 of 4 ops are computed in F16"]


def test_a_program_takes_as_many_pictures(tmp_path: Path) -> None:
    out, app = tmp_path / "out", tmp_path / "app"
    model = open_model(tmp_path / "net.onnx")
    only: dict[str, Any] = {
        "pins": [(".*", "cpu")],
        "batches": (2, 4),
        "preprocess": parse_options(["scale=1/255"]),
    }
    split_batches(options(model, out, **only))
    package_folder(out, app)
    pictures = [tmp_path / f"{i}.png" for i in range(3)]
    for path, photo in zip(pictures, PHOTOS, strict=False):
        Image.fromarray((photo.transpose(1, 2, 0) * 255).astype(np.uint8)).save(path)
    program = load(app)
    taken = program.read("x", *pictures)
    assert taken.shape == (3, 3, 16, 16)
    made = program.infer({"x": taken})["y"]
    alone = program.infer({"x": program.read("x", pictures[2])})["y"]
    assert len(made) == 3
    np.testing.assert_allclose(made[2:], alone, rtol=1e-6, atol=1e-6)


@needs_toolchain
@pytest.mark.parametrize(
    ("target", "mode"),
    [
        pytest.param("bm1684", "INT8", marks=pytest.mark.nightly),
        ("bm1688", "F16"),
        pytest.param("bm1684x", "INT8", marks=pytest.mark.nightly),
    ],
)
def test_networks_of_one_bmodel(tmp_path: Path, target: str, mode: str) -> None:
    """What each number gives is what one sample after the other gives, in Python and packaged."""
    out, app = tmp_path / "out", tmp_path / "app"
    (tmp_path / "data").mkdir()
    for i in range(3):
        np.savez(tmp_path / "data" / f"{i}.npz", x=PHOTOS[i : i + 1])
    data = [str(tmp_path / "data")] if mode == "INT8" else []
    made = deploy_model(
        options(open_model(tmp_path / "net.onnx"), out, target, mode=mode),
        ConvertOptions(out, target, mode, data=data, compare=True, samples=1),
    )
    names = [graph.name for graph in made.converted.graphs]
    assert names == ["graph_0", "graph_2", "graph_0_b4", "graph_2_b4"]
    assert made.converted.one_file == out / "sub_models.bmodel"
    # What deploy had in memory is what the folder says.
    again = convert_folder(ConvertOptions(out, target, mode, data=data))
    assert {graph.state for graph in again.graphs} == {"taken"}
    with BmodelProcess(out / "sub_models.bmodel") as process:
        shapes = {network.name: network.inputs[0].shape for network in process.networks}
    assert {name: shape[0] for name, shape in shapes.items()} == dict(
        zip(names, (1, 1, 4, 4), strict=True)
    )
    with open_runner(out, 2, use_cmodel=True) as runner:
        singly = [runner.infer({"x": PHOTOS[i : i + 1]})["y"] for i in range(6)]
        found = runner.infer({"x": PHOTOS})["y"]
        loaded = [m.process for m in runner.models if isinstance(m, BmodelExecutor)]
        assert {process.bmodel.name for process in loaded} == {"sub_models.bmodel"}
    np.testing.assert_array_equal(
        np.asarray(found), np.concatenate([np.asarray(one) for one in singly])
    )
    package_folder(out, app)
    assert [p.name for p in (app / "models").glob("**/*.bmodel")] == ["sub_models.bmodel"]
    np.save(tmp_path / "x.npy", PHOTOS)
    command = [
        app,
        "--emulator",
        toolchain().root,
        "--input",
        tmp_path / "x.npy",
        "-o",
        tmp_path / "y.npz",
    ]
    ran = subprocess.run(
        [sys.executable, "-I", *map(str, command)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    with np.load(tmp_path / "y.npz") as archive:
        np.testing.assert_array_equal(archive["y"], np.asarray(found))


def test_quantize_does_not_change_one_number_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    split_batches(options(open_model(tmp_path / "net.onnx"), out))
    with pytest.raises(AutosplitError, match=r"out: is for several numbers of samples, which are"):
        quantize_folder(QuantizeOptions(out, tmp_path / "int8", data=["photos"]))
    assert not (tmp_path / "int8").exists()


def test_other_compilers_are_run_for_each_number(tmp_path: Path) -> None:
    out, notes = tmp_path / "out", list[str]()
    split_batches(options(open_model(tmp_path / "net.onnx"), out, batches=(1, 4, 8)))
    convert_folder(ConvertOptions(out, compiler="bmnet", note=notes.append))
    others = f"{out}/batch_4, {out}/batch_8"
    assert f"{out}: only what takes 1 at once is compiled; convert {others} too" in notes
    assert not [*(out / "batch_4").glob("graph_ir_*/*.bmodel")]


@needs_toolchain
def test_all_are_compiled_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = open_model(tmp_path / "net.onnx")
    given = {"x": InputSpec((2, 3, 16, 16))}
    split_batches(SplitOptions(model, out, given, batches=(2, 3)))
    busy: list[str] = []

    def try_another(step: str) -> None:
        with pytest.raises(AutosplitError, match="another conversion is at work on it"):
            convert_folder(ConvertOptions(out))
        busy.append(step)

    first = convert_folder(ConvertOptions(out, progress=try_another))
    first.check()
    assert len(busy) > 4
    assert [graph.name for graph in first.graphs] == ["graph_0", "graph_0_b3"]
    again = convert_folder(ConvertOptions(out))
    assert {graph.state for graph in again.graphs} == {"taken"}
    with open_runner(out, 2, use_cmodel=True) as runner:
        found = np.asarray(runner.infer({"x": PHOTOS[:4]})["y"])
    with open_runner(out, 0) as runner:
        expected = np.asarray(runner.infer({"x": PHOTOS[:4]})["y"])
    assert found.shape == (4, 4, 16, 16)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    # All of it is autosplit's own.
    split_batches(SplitOptions(model, out, given, batches=(4,), force=True))
    assert [path.name for path in out.iterdir() if path.suffix == ".bmodel"] == []
    assert [path.name for path in out.glob("batch_*")] == []


@needs_toolchain
def test_what_is_refused_of_any_number_is_accepted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = open_model(tmp_path / "net.onnx")
    split_batches(SplitOptions(model, out, {"x": InputSpec((1, 3, 16, 16))}, batches=(1, 4)))
    never = Metric("luck", hopeless)
    strict = convert_folder(
        ConvertOptions(out, compare=True, samples=1, metric=never, target_metric=1.0)
    )
    assert [g.state for g in strict.graphs] == ["refused", "refused"]
    with pytest.raises(AutosplitError, match=r"graph_0_b3: is not refused.*'graph_0_b4'"):
        accept(out, ["graph_0_b3"])
    (graph,) = accept(out, ["graph_0_b4"]).graphs
    assert graph.name == "graph_0_b4"
    assert graph.bmodel == out / "batch_4" / "graph_ir_0" / "compilation.bmodel"
    assert graph.bmodel.is_file()
    assert [g.name for g in accept(out).graphs] == ["graph_0"]
    with pytest.raises(AutosplitError, match="no bmodel was refused"):
        accept(out)
    with open_runner(out, 2, use_cmodel=True) as runner:
        assert np.asarray(runner.infer({"x": PHOTOS[:5]})["y"]).shape == (5, 4, 16, 16)


@needs_toolchain
def test_whatever_ends_a_run_all_numbers_are_for_one_mode(tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = open_model(tmp_path / "net.onnx")
    split_batches(SplitOptions(model, out, {"x": InputSpec((1, 3, 16, 16))}, batches=(1, 4)))
    convert_folder(ConvertOptions(out)).check()
    assert len([*out.glob("**/compilation.bmodel")]) == 2

    # In the same mode, what is there stays.
    with pytest.raises(KeyboardInterrupt):
        convert_folder(ConvertOptions(out, progress=interrupted))
    assert len([*out.glob("**/compilation.bmodel")]) == 2
    with pytest.raises(KeyboardInterrupt):
        convert_folder(ConvertOptions(out, target="bm1688", mode="F16", progress=interrupted))
    assert [path.parent.parent for path in out.glob("**/compilation.bmodel")] == [out]
    with (
        pytest.raises(AutosplitError, match=r"batch_4.*convert"),
        open_runner(out, 2, use_cmodel=True) as runner,
    ):
        runner.infer({"x": PHOTOS[:4]})


def interrupted(_: str) -> None:
    """Somebody presses Ctrl-C."""
    raise KeyboardInterrupt


def hopeless(made: object, exact: object) -> float:
    """A metric that nothing reaches."""
    return 0.0
