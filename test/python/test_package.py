"""`autosplit package`: the program that it writes runs without autosplit, and gives the same bits."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from convert_models import X, split_bridge, split_two, two_convolutions
from onnx import TensorProto, helper
from PIL import Image

from autosplit.api import compile, convert, load, package
from autosplit.core.errors import AutosplitError
from autosplit.flows.package import COPIED, package_folder, standalone
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.preprocess import Preprocess
from autosplit.inputs.specs import InputSpec
from autosplit.portable.bmodels import InSail
from autosplit.portable.runner import PackagedRunner
from autosplit.runtime.runner import open_runner
from autosplit.testing.qdq import QdqBuilder
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import bmodel_child as child
from autosplit.tools.cli.main import main

Array = np.ndarray[Any, Any]

ALONE = """
import runpy, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("autosplit", "xdsl", "onnx"):
            raise ImportError(f"{name} is not on the device")
sys.meta_path.insert(0, Missing())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""A Python that has no autosplit."""


def on_device(
    app: Path, *arguments: object, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", ALONE, str(app), *map(str, arguments)],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def results(path: Path) -> dict[str, Array]:
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def same(found: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    return list(found) == list(expected) and all(
        np.array_equal(found[name], expected[name]) and found[name].dtype == expected[name].dtype
        for name in expected
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two bmodels with the CPU between them, and what becomes of pictures."""
    toolchain()
    place = tmp_path_factory.mktemp("package") / "net"
    described = {
        "": Preprocess(mean=(10.0, 20.0, 30.0), scale=(1 / 64,), size="letterbox", color="bgr")
    }
    split_two(place, preprocess=described)
    convert(place, target="BM1684")
    return place


@pytest.fixture(scope="module")
def photo(folder: Path) -> Path:
    path = folder.with_name("photo.png")
    pixels = np.random.default_rng(3).integers(0, 256, (20, 31, 3), np.uint8)
    Image.fromarray(pixels).save(path)
    return path


def test_it_runs_without_autosplit_and_gives_the_same_bits(
    folder: Path, photo: Path, capsys: pytest.CaptureFixture[str]
):
    app = folder.with_name("app")
    assert main(["package", str(folder), "-o", str(app)]) == 0
    out = capsys.readouterr().out
    assert "graph_0: BM1684, F32\ngraph_1: CPU, ONNX Runtime\ngraph_2: BM1684, F32\n" in out
    assert "there: python -m app --input x=photo.jpg\n" in out
    with open_runner(folder, 2, use_cmodel=True) as runner:
        expected = runner.infer({"x": runner.infos.picture_input("x").read(photo)})
    found = folder.with_name("found.npz")
    root = toolchain().root
    made = on_device(app, "--emulator", root, "--input", f"x={photo}", "-o", found)
    assert made.returncode == 0, made.stderr
    assert same(results(found), expected)
    assert "graph_2: " in made.stdout
    assert f"wrote {found}" in made.stdout
    # An array, and the runtime's library in this process, as on a device.
    np.save(folder.with_name("x.npy"), runner.infos.picture_input("x").read(photo))
    library, environment = driver(folder.with_name("driver"), "bm1684")
    arguments = ("--library", library, "--input", folder.with_name("x.npy"), "-o", found)
    made = on_device(app, *arguments, environment=environment)
    assert made.returncode == 0, made.stderr
    assert same(results(found), expected)


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")
def test_a_bmodel_in_cpp(folder: Path, photo: Path):
    """With TPU-MLIR's own bmlib_runtime.h and libraries, and what is used of the header that it lacks."""
    app, dump = folder.with_name("with_cpp"), folder.with_name("dump")
    package(folder, app, cpp=True)
    root = toolchain().root
    made = on_device(app, "--emulator", root, "--input", f"x={photo}", "--dump", dump)
    assert made.returncode == 0, made.stderr
    program, environment = compiled(app, folder.with_name("linked"), "bm1684")
    taken = dump / "graph_0.x.bin"
    for inputs, code, said in (
        ([taken], 0, "wrote "),
        ([], 1, "expected one file for each input, in all 1"),
        ([app / "manifest.json"], 1, "x takes 3072 bytes"),
    ):
        ran = subprocess.run(
            [program, app / "models" / "graph_0.bmodel", "graph_0", *inputs, dump / "cpp"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == code, ran.stderr
        assert said in ran.stdout + ran.stderr
    (written,) = dump.glob("cpp.*.bin")
    assert written.read_bytes() == (dump / f"graph_0{written.name[3:]}").read_bytes()


def compiled(app: Path, place: Path, chip: str) -> tuple[Path, dict[str, str]]:
    """The program in C++ of an app, and the environment that it runs in on the emulator."""
    library, environment = driver(place, chip)
    root, program = toolchain().root, place / "run_bmodel"
    include = root / "cross_toolchains" / "ppl_compile" / "deps" / "runtime" / "bmlib" / "include"
    command: list[object] = ["g++", "-std=c++14", "-Wall", "-Wextra", "-Werror"]
    command += [app / "run_bmodel.cpp", "-o", program]
    command += ["-I", Path(__file__).parent / "data" / "include", "-isystem", include]
    command += [library, library.with_name("libbmlib.so"), "-Wl,--allow-shlib-undefined"]
    subprocess.run(list(map(str, command)), check=True)
    return program, environment


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")
def test_one_file_that_takes_the_bytes_of_pictures(tmp_path: Path):
    """The bmodels of all sub-models in one file, the first with its preprocessing, in Python and C++."""
    root, folder, app = toolchain().root, tmp_path / "net", tmp_path / "app"
    described = {"": Preprocess(mean=(10.0, 20.0, 30.0), scale=(1 / 64,), color="bgr")}
    split_two(folder, "bm1688", mode="F16", preprocess=described)
    convert(folder, mode="F16", one_file=True, fuse_preprocess="rgb")
    package(folder, app, cpp=True)
    assert [p.name for p in (app / "models").glob("*.bmodel")] == ["sub_models.bmodel"]
    photo, found, dump = (tmp_path / name for name in ("photo.png", "found.npz", "dump"))
    pixels = np.random.default_rng(3).integers(0, 256, (16, 16, 3), np.uint8)
    Image.fromarray(pixels).save(photo)
    with open_runner(folder, 2, use_cmodel=True) as runner:
        expected = runner.infer({"x": runner.infos.picture_input("x").read(photo)})
    given = ("--input", f"x={photo}", "-o", found, "--dump", dump)
    made = on_device(app, "--emulator", root, *given)
    assert made.returncode == 0, made.stderr
    assert same(results(found), expected)
    assert (dump / "graph_0.x_raw.bin").read_bytes() == pixels.tobytes()
    program, environment = compiled(app, tmp_path / "linked", "bm1688")
    # Both in this process too, as on a device.
    library = tmp_path / "linked" / "libbmrt.so"
    found.unlink()
    made = on_device(app, "--library", library, *given[:4], environment=environment)
    # The libraries of this emulator end the process with an assertion of their own, after all is done.
    assert f"wrote {found}" in made.stdout, made.stderr
    assert same(results(found), expected)
    for network, taken, made in (("graph_0", "x_raw", "r1_f32"), ("graph_2", "m", "y_f32")):
        bmodel = app / "models" / "sub_models.bmodel"
        files = (dump / f"{network}.{taken}.bin", dump / f"cpp_{network}")
        subprocess.run([program, bmodel, network, *files], env=environment, check=False)
        written = (dump / f"cpp_{network}.{made}.bin").read_bytes()
        assert written == (dump / f"{network}.{made}.bin").read_bytes()


def driver(place: Path, chip: str) -> tuple[Path, dict[str, str]]:
    """The emulator's libraries as those of a card's driver lie: libbmrt, and libbmlib beside it."""
    place.mkdir()
    root = str(toolchain().root)
    settings = child.emulator_settings("", chip, root, str(place))
    (place / "libbmrt.so").symlink_to(settings["library"])
    (place / "libbmlib.so").symlink_to((place / "libbmlib.so.0").resolve())
    return place / "libbmrt.so", child.emulator_environment(root, str(place))


def test_from_python(folder: Path, photo: Path):
    app = folder.with_name("called")
    made = package(folder, app)
    assert made.needs == ["ONNX Runtime", "the vendor's runtime (libbmrt or sophon.sail)"]
    code = f"""
import sys
import numpy as np
sys.path.insert(0, {str(app.parent)!r})
from called import infer, load
runner = load(emulator={str(toolchain().root)!r})
x = runner.read("x", {str(photo)!r})
print(x.shape, x.dtype, infer(runner, {{"x:0": x}})["y"].shape, sorted(runner.times))
for feeds in ({{}}, {{"x": x[:, :, 1:]}}, {{"x": x, "x:0": x}}, {{"x": x + 1j}}):
    try:
        infer(runner, feeds)
    except Exception as error:
        print(error)
runner.close()
print("autosplit" in sys.modules)
"""
    found = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    said = found.stdout.splitlines()
    assert said[0] == "(1, 3, 16, 16) float32 (1, 4, 16, 16) ['graph_0', 'graph_1', 'graph_2']"
    assert said[1:] == [
        f"{app}: input 'x' is missing; the model takes x",
        "input 'x': found shape [1, 3, 15, 16], expected [1, 3, 16, 16]; split again for other sizes, or "
        "with --dynamic",
        f"{app}: input 'x' appears twice",
        "input 'x': found dtype complex64, expected float32",
        "False",
    ]


def test_what_is_wrong_is_one_line(folder: Path):
    app = folder.with_name("wrong")
    package_folder(folder, app)

    def said(*arguments: object) -> str:
        made = on_device(app, *arguments)
        assert (made.returncode, made.stdout) == (1, "")
        assert made.stderr.startswith("error: ")
        assert made.stderr.count("\n") == 1
        return made.stderr

    assert "there is no TPU runtime here" in said("--input", "x=a.npy")
    assert "sophon.sail is not installed" in said("--runtime", "sail")
    assert "has no emulator of bm1684" in said("--emulator", app)
    bmodel = app / "models" / "graph_0.bmodel"
    bmodel.write_bytes(bmodel.read_bytes()[:-1])
    assert f"{bmodel}: is not the file that was packaged; copy it again" in said()
    bmodel.unlink()
    assert f"{bmodel}: cannot be read: No such file or directory" in said()
    (app / "manifest.json").write_text('{"version": 9}')
    assert "is of version 9, expected 1; package it again" in said()


# What is refused


def test_folders_that_are_not_converted(tmp_path: Path):
    folder = split_two(tmp_path / "net")
    missing = folder / "graph_ir_0" / "compilation.bmodel"
    with pytest.raises(
        AutosplitError, match=f"{missing}: there is no such file, .*autosplit convert"
    ):
        package_folder(folder, tmp_path / "app")
    (missing.parent / "refused.bmodel").write_bytes(b"")
    with pytest.raises(AutosplitError, match=r"a comparison refused it .*--accept graph_0"):
        package_folder(folder, tmp_path / "app")
    missing.write_bytes(b"from elsewhere")
    with pytest.raises(AutosplitError, match="nothing is recorded of its compilation"):
        package_folder(folder, tmp_path / "app")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net", "net.onnx"]


def test_names_and_folders_that_are_in_the_way(tmp_path: Path):
    folder = cpu_model(tmp_path)
    with pytest.raises(AutosplitError, match="my-app: is no name of a Python package"):
        package_folder(folder, tmp_path / "my-app")
    with pytest.raises(AutosplitError, match="framework 'mxnet': expected one of tensorflow"):
        package_folder(folder, tmp_path / "app", frameworks=["mxnet"])
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "mine").write_text("")
    with pytest.raises(AutosplitError, match="app: is not empty"):
        package_folder(folder, tmp_path / "app")
    with pytest.raises(AutosplitError, match="nowhere: there is no such folder"):
        package_folder(tmp_path / "nowhere", tmp_path / "new")


def test_other_frameworks(tmp_path: Path):
    folder = cpu_model(tmp_path)
    entries = json.loads((folder / "graph_infos.json").read_text())
    for platform, what in (
        ("tensorflow", "allow it with --framework tensorflow, or convert the model to ONNX"),
        ("mxnet", "runs only ONNX Runtime and tensorflow; convert the model to ONNX"),
    ):
        graph = entries["graphs"][0]
        graph["model_info"] = {"model_path": "graph_0.onnx", "json": "graph_0.onnx"}
        (folder / "graph_infos.json").write_text(json.dumps({**entries, "platform": platform}))
        with pytest.raises(AutosplitError, match=f"on the CPU need {platform}, .*{what}"):
            package_folder(folder, tmp_path / "app")
        assert not (tmp_path / "app").exists()


def test_models_for_onednn(tmp_path: Path):
    b = QdqBuilder(0)
    x = b.qdq(b.input("image", (1, 3, 8, 8)))
    b.output(b.qdq(b.conv(x, (4, 3, 3, 3))))
    model = tmp_path / "int8.onnx"
    onnx.save(b.build(), model)
    compile(model, tmp_path / "out")
    with pytest.raises(AutosplitError, match="is compiled for oneDNN"):
        package_folder(tmp_path / "out", tmp_path / "app")


# What the runner does as AutoRunner


def cpu_model(
    tmp_path: Path, fixed: Mapping[str, Any] | None = None, *, dynamic: bool = False
) -> Path:
    """Two inputs of a common size, none of it on the TPU."""
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Add", ["a", "b"], ["s"])]
    size = "n" if dynamic else 4
    graph = helper.make_graph(
        nodes,
        "sum",
        [value("a", TensorProto.INT32, [size, 2]), value("b", TensorProto.INT32, [size, 2])],
        [value("s", TensorProto.INT32, [size, 2])],
    )
    path = tmp_path / "sum.onnx"
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )
    given = {"a": np.zeros((4, 2), np.int32), "b": np.zeros((4, 2), np.int32)}
    inputs = {n: InputSpec.of(v) for n, v in given.items() if n not in (fixed or {})}
    split_model(
        SplitOptions(path, tmp_path / "net", inputs, dynamic=dynamic, fixed=dict(fixed or {}))
    )
    return tmp_path / "net"


A, B = np.arange(8, dtype=np.int32).reshape(4, 2), np.full((4, 2), -3, np.int32)


FEEDS: list[dict[str, Any]] = [
    {"a": A, "b": B},
    {"a:0": A.astype(np.int64), "b": B.astype(np.float64)},
    {"a": A},
    {"a": A, "b": B, "c": A},
    {"a": A, "b": B, "b:0": B},
    {"a": A, "b": B + 0.5},
    {"a": A[:2], "b": B[:2]},
    {"a": A[:2], "b": B},
    {"a": A.tolist(), "b": B},
]


@pytest.mark.parametrize("kind", ["static", "dynamic", "fixed"])
def test_inputs_as_autorunner_takes_them(tmp_path: Path, kind: str):
    folder = cpu_model(tmp_path, {"b": B} if kind == "fixed" else None, dynamic=kind == "dynamic")
    app = tmp_path / "app"
    assert package_folder(folder, app).needs == ["ONNX Runtime"]
    packaged, whole = PackagedRunner(app), load(folder)
    outcomes = [(outcome(packaged, feeds), outcome(whole, feeds)) for feeds in FEEDS]
    assert any(isinstance(expected, dict) for _, expected in outcomes)
    for found, expected in outcomes:
        if isinstance(expected, str):
            assert isinstance(found, str)
            assert found.replace(str(app), str(folder)) == expected
        else:
            assert not isinstance(found, str)
            assert same(found, expected)


def outcome(runner: Any, feeds: Mapping[str, Any]) -> dict[str, Any] | str:
    """The outputs of a runner, or the line that it refuses the inputs with."""
    try:
        return runner.infer(feeds)
    except AutosplitError as error:
        return str(error)


def test_the_vendors_python_package(monkeypatch: pytest.MonkeyPatch):
    """With a stand-in that has the documented functions: the real one needs a card."""
    sail: Any = ModuleType("sophon.sail")
    # What it says of a tensor's dtype.
    dtypes = ["Dtype.BM_FLOAT32"]

    class Engine:
        def __init__(self, path: str, device: int, mode: str):
            assert (path, device, mode) == ("a.bmodel", 3, "SYSIO")

        def get_graph_names(self) -> list[str]:
            return ["net"]

        def __getattr__(self, name: str) -> Any:
            answers = {
                "get_input_names": lambda net: ["x"],
                "get_output_names": lambda net: ["y_f32"],
                "get_input_shape": lambda net, name: [1, 3],
                "get_output_shape": lambda net, name: [1, 3],
                "get_input_dtype": lambda net, name: dtypes[0],
                "get_output_dtype": lambda net, name: dtypes[0],
            }
            return answers[name]

        def process(self, net: str, feeds: dict[str, Array]) -> dict[str, Array]:
            assert net == "net"
            return {"y_f32": feeds["x"] * 2}

    sail.Engine, sail.IOMode = Engine, SimpleNamespace(SYSIO="SYSIO")
    monkeypatch.setitem(sys.modules, "sophon.sail", sail)
    monkeypatch.setattr("autosplit.portable.bmodels._has_sail", lambda: True)
    engine = InSail("a.bmodel", 3)
    (network,) = engine.networks
    x = np.ones((1, 3), np.float32)
    np.testing.assert_array_equal(engine.run({"x": x}, network)["y_f32"], x * 2)
    with pytest.raises(AutosplitError, match=r"through sail only \[1, 3\] is passed"):
        engine.run({"x": x[:, :2]}, network)
    dtypes[0] = "Dtype.BM_INT8"
    with pytest.raises(AutosplitError, match="input 'x' is int8; through sail only float32"):
        InSail("a.bmodel", 3)


# The text of the program


@pytest.mark.parametrize("module", COPIED)
def test_it_is_text_for_an_old_python_and_needs_nothing_of_ours(module: str):
    import autosplit

    text = standalone((Path(autosplit.__file__).parent / module).read_text("utf-8"))
    tree = ast.parse(text, feature_version=(3, 8))
    beside = {Path(name).stem for name in COPIED}
    # The last one is asked for only where a dtype is of no other package.
    allowed = {"numpy", "PIL", "sophon", "ml_dtypes"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [alias.name for alias in node.names]
            known = beside if node.level else allowed | sys.stdlib_module_names
            assert {str(name).partition(".")[0] for name in names} <= known
        elif isinstance(node, ast.Import):
            tops = {alias.name.partition(".")[0] for alias in node.names}
            assert tops <= allowed | sys.stdlib_module_names
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "zip":
            assert not node.keywords, "strict= came with 3.10"
        elif isinstance(node, ast.Attribute):
            assert node.attr not in ("removeprefix", "removesuffix"), "they came with 3.9"
    assert any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body
    )


# Slow


@pytest.mark.nightly
@pytest.mark.parametrize("chip", ["bm1684x", "bm1688"])
def test_8_bit_values_go_from_bmodel_to_bmodel(tmp_path: Path, chip: str):
    """With the steps of the one that makes them, and no cast between the two."""
    root = toolchain().root
    folder = split_bridge(tmp_path / "net", chip)
    data = tmp_path / "data"
    data.mkdir()
    for i in range(4):
        np.save(data / f"{i}.npy", X + np.float32(i) / 8)
    convert(folder, target=chip.upper(), mode="INT8", data=data)
    package_folder(folder, tmp_path / "app")
    with open_runner(folder, 2, use_cmodel=True) as runner:
        expected = runner.infer({"x": X})
        assert runner.crossing
    packaged = PackagedRunner(tmp_path / "app", emulator=str(root))
    assert same(packaged.infer({"x": X}), expected)
    packaged.close()


@pytest.mark.nightly
def test_sizes_that_vary(tmp_path: Path):
    root = toolchain().root
    model = two_convolutions(tmp_path / "open.onnx", sizes=("h", "w"))
    split_model(
        SplitOptions(
            model,
            tmp_path / "net",
            {"x": InputSpec.of(X)},
            target="bm1684x",
            dynamic=True,
            pins=[("middle", "cpu")],
            keep=1.0,
        )
    )
    convert(tmp_path / "net", target="BM1684X")
    package_folder(tmp_path / "net", tmp_path / "app")
    packaged = PackagedRunner(tmp_path / "app", emulator=str(root))
    with open_runner(tmp_path / "net", 2, use_cmodel=True) as runner:
        for feeds in ({"x": X}, {"x": X[:, :, 3:, :9]}):
            assert same(packaged.infer(feeds), runner.infer(feeds))
        too_large = {"x": np.zeros((1, 3, 17, 16), np.float32)}
        assert outcome(packaged, too_large) == outcome(runner, too_large)
    packaged.close()


@pytest.mark.nightly
def test_tensorflow_on_the_device(tmp_path: Path):
    root = toolchain().root
    tf: Any = pytest.importorskip("tensorflow")
    kernel = np.random.default_rng(0).random((3, 3, 3, 4)).astype(np.float32)
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, (1, 16, 16, 3), "x")
        y = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME") - 6.0, name="y")
        tf.where(y > 1.0, name="where")
    (tmp_path / "net.pb").write_bytes(graph.as_graph_def().SerializeToString())
    given = np.random.default_rng(1).random((1, 16, 16, 3)).astype(np.float32)
    inputs = {"x:0": InputSpec.of(given)}
    split_model(SplitOptions(tmp_path / "net.pb", tmp_path / "net", inputs, target="bm1684"))
    convert(tmp_path / "net", target="BM1684")
    with pytest.raises(
        AutosplitError, match=r"on the CPU need tensorflow, .*--framework tensorflow"
    ):
        package_folder(tmp_path / "net", tmp_path / "app")
    made = package_folder(tmp_path / "net", tmp_path / "app", frameworks=["tensorflow"])
    assert made.needs[0] == "TensorFlow"
    packaged = PackagedRunner(tmp_path / "app", emulator=str(root))
    with open_runner(tmp_path / "net", 2, use_cmodel=True) as runner:
        expected = runner.infer({"x": given})
    assert same(packaged.infer({"x": given}), expected)
    assert all(array.size for array in expected.values() if isinstance(array, np.ndarray))
    packaged.close()
