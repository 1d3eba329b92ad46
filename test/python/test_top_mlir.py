"""Writing and reading modules of the Top dialect, without TPU-MLIR and with it."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import needs_toolchain
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import (
    FunctionType,
    ModuleOp,
    NoneType,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f16,
    f32,
    i32,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import with_aliases_first
from autosplit.core.weights import WeightStore, register, store_for
from autosplit.dialects.top import TopOp, make_op
from autosplit.formats.top_mlir.reader import read_top
from autosplit.formats.top_mlir.writer import top_text, write_top
from autosplit.runtime.bmodel.process import BmodelProcess
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains.bmodel_compile import compile_top

EVERY_OP = Path(__file__).parents[1] / "lit" / "dialects" / "top" / "every-op.mlir"


Array = np.ndarray[Any, Any]

ATTRIBUTES = {
    "chip": "ALL",
    "platform": "ONNX",
    "state": "TOP_F32",
    "top_run_mode": "STATIC",
    "weight_file": "weights.npz",
}


class Net:
    """A module that grows op by op, and the store of its weights."""

    def __init__(self, **inputs: tuple[int, ...]):
        types = [TensorType(f32, shape) for shape in inputs.values()]
        self.func = FuncOp("main", (types, []))
        self.module = ModuleOp([self.func], sym_name=StringAttr("net"))
        for name, value in ATTRIBUTES.items():
            self.module.attributes[f"module.{name}"] = StringAttr(value)
        self.store = WeightStore(file_digest=f"{id(self)}")
        register(self.store, self.module)
        self.values = dict(zip(inputs, map(self._input, inputs, self.func.args), strict=True))

    def _input(self, name: str, argument: SSAValue) -> SSAValue:
        return self.add("Input", [argument], name, argument.type)

    def add(
        self, kind: str, operands: list[Any], name: str, type: Any = None, **attrs: object
    ) -> Any:
        type = UnrankedTensorType(f32) if type is None else type
        op = make_op(kind, operands, [type], [name] if kind != "None" else [], attrs)
        self.func.body.block.add_op(op)
        return op.outputs[0]

    def none(self) -> SSAValue:
        return self.add("None", [], "", NoneType())

    def weight(self, name: str, array: Array, type: Any = None) -> SSAValue:
        self.store.add(name, lambda: array)
        return self.add("Weight", [], name, type or TensorType(f32, array.shape))

    def end(self, *values: SSAValue) -> ModuleOp:
        self.func.body.block.add_op(ReturnOp(*values))
        types = [value.type for value in values]
        self.func.function_type = FunctionType.from_lists(
            self.func.function_type.inputs.data, types
        )
        self.module.verify()
        return self.module


def conv_net(names: tuple[str, ...] = ("x", "w", "b", "y")) -> tuple[Net, dict[str, Array]]:
    """A convolution of 3x3 and a Relu6; the names are those of its input, weights and result."""
    x, w, b, y = names
    random = np.random.default_rng(0)
    arrays = {
        w: random.standard_normal((8, 3, 3, 3)).astype(np.float32),
        b: random.standard_normal(8).astype(np.float32),
    }
    net = Net(**{x: (1, 3, 10, 10)})
    weights = [net.weight(n, a) for n, a in arrays.items()]
    out = net.add(
        "Conv",
        [net.values[x], *weights],
        y,
        TensorType(f32, [1, 8, 8, 8]),
        kernel_shape=[3, 3],
        strides=[1, 1],
        pads=[0, 0, 0, 0],
        do_relu=True,
        relu_limit=6.0,
    )
    net.end(out)
    return net, arrays


def conv_reference(x: Array, w: Array, b: Array) -> Array:
    out = np.zeros((1, 8, 8, 8)) + b[:, None, None]
    for i in range(3):
        for j in range(3):
            out += np.tensordot(w[:, :, i, j], x[0, :, i : i + 8, j : j + 8], axes=1)
    return np.clip(out, 0, 6)


# Without the toolchain.


def test_what_is_written_is_read_back(tmp_path: Path):
    net, arrays = conv_net()
    before = str(net.module)
    written = write_top(net.module, tmp_path, "graph_0")
    assert [path.name for path in written] == ["graph_0.mlir", "graph_0_weights.npz"]
    assert str(net.module) == before
    module = read_top(written[0])
    assert top_text(module, "w") == top_text(net.module, "w")
    store = store_for(module)
    for name, array in arrays.items():
        np.testing.assert_array_equal(store.array(name), array)
    with np.load(written[1]) as archive:
        assert archive.files == ["w", "b"]


def test_the_same_module_gives_the_same_bytes(tmp_path: Path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_top(conv_net()[0].module, tmp_path / folder, "net")
    for name in ("net.mlir", "net_weights.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    read_top(tmp_path / "a" / "net.mlir")


def test_weights_are_not_compressed(tmp_path: Path):
    _, file = write_top(conv_net()[0].module, tmp_path, "net")
    with zipfile.ZipFile(file) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


def test_every_op_is_written_and_read(tmp_path: Path):
    module = read_top(EVERY_OP)
    text = top_text(module, "w.npz")
    (tmp_path / "all.mlir").write_text(text)
    assert top_text(read_top(tmp_path / "all.mlir"), "w.npz") == text
    ops = [line for line in text.splitlines() if '"top.' in line]
    assert len(ops) > 200
    assert not any("<{" in line for line in ops)


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(st.lists(names, min_size=4, max_size=4, unique=True))
@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_names_may_be_anything(tmp_path: Path, found: list[str]):
    net, arrays = conv_net((found[0], found[1], found[2], found[3]))
    module = read_top(write_top(net.module, tmp_path, "net")[0])
    ops = [op for op in module.walk() if isinstance(op, TopOp)]
    assert [op.names[0] for op in ops] == found
    for name in found[1:3]:
        np.testing.assert_array_equal(store_for(module).array(name), arrays[name])


def test_aliases_of_locations_may_stand_anywhere(tmp_path: Path):
    file = tmp_path / "net.mlir"
    file.write_text(
        """#loc2 = loc("net.mlir":2:3)
module @net attributes {module.chip = "ALL", note = "#loc9 = loc(\\22#loc2\\22)"} {
  func.func @main(%arg0: tensor<4xf32> loc("net.mlir":2:3)) -> tensor<*xf32> {
    %0 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc4)
    %1:2 = "top.TopK"(%0) {K = 2 : i64, axis = 0 : i64, largest = true} : (tensor<4xf32>) \
-> (tensor<*xf32>, none) loc(#loc7)
    return %1#0 : tensor<*xf32> loc(#loc3)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("net.mlir":3:3)
#loc3 = loc("net.mlir":6:5)
#loc7 = loc(fused[#loc5, #loc6])
#loc4 = loc("x #loc1 \\C3\\A9\\22")
#loc5 = loc("values"(#loc1))
#loc6 = loc("unused")
"""
    )
    module = read_top(file)
    ops = [op for op in module.walk() if isinstance(op, TopOp)]
    assert [op.names for op in ops] == [('x #loc1 é"',), ("values", "unused")]
    assert list(ops[1].attributes) == ["axis", "K"]
    assert "net.mlir" not in top_text(module, "w")
    assert module.attributes["note"] == StringAttr('#loc9 = loc("#loc2")')


def test_lines_keep_their_numbers():
    text = 'a\n#loc1 = loc("b")\nb loc(#loc1)\n#loc2 = loc(#loc1)\n'
    assert with_aliases_first(text) == ('#loc1 = loc("b") #loc2 = loc(#loc1) a\n\nb loc(#loc1)\n\n')
    assert with_aliases_first("#a = loc(#b)\n#b = loc(#a)\n").count("loc") == 2


def wrong(tmp_path: Path, old: str, new: str) -> str:
    """What reading the convolution says when a piece of its text is another."""
    file, _ = write_top(conv_net()[0].module, tmp_path, "net")
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(AutosplitError) as error:
        read_top(file)
    assert "\n" not in str(error.value)
    return str(error.value).replace(str(tmp_path), "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"top.Conv"',
            '"top.Convolution"',
            r"/net.mlir:7:\d+: .*top.Convolution is not registered",
        ),
        ("pads = [0 : i64", "pads = [0 : i32", r"/net.mlir: .*top\.Conv.*'pads' is .*, expected"),
        ('loc("y")', 'loc("x")', "/net.mlir: .*two results of the function have the name 'x'"),
        ('loc("y")', 'loc("y', "/net.mlir:7:.* has no end"),
        ('loc("y")', "loc(#loc3)", "/net.mlir:7:.* undefined .*alias"),
        ('loc("w")', 'loc("v")', "/net_weights.npz: has no weight 'v'"),
        ("net_weights.npz", "other.npz", "/other.npz: there is no such file"),
        ("net_weights.npz", "../w.npz", "'module.weight_file' is '../w.npz', expected a file"),
        ("module.weight_file", "weight_file", "2 weights and no 'module.weight_file'"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(tmp_path: Path, old: str, new: str, message: str):
    assert re.search(message, wrong(tmp_path, old, new))


def test_files_that_are_not_there_or_no_text(tmp_path: Path):
    with pytest.raises(AutosplitError, match="No such file"):
        read_top(tmp_path / "no.mlir")
    (tmp_path / "bytes.mlir").write_bytes(b"\xff\xfe")
    with pytest.raises(AutosplitError, match=r"bytes\.mlir: .*utf-8"):
        read_top(tmp_path / "bytes.mlir")


@pytest.mark.parametrize(
    ("array", "type", "message"),
    [
        (np.zeros(4, np.float16), TensorType(f16, [4]), "which TPU-MLIR cannot read"),
        (
            np.zeros(4, np.float64),
            None,
            r"is an array of float64 \[4\], the module says tensor<4xf32>",
        ),
        (np.zeros(5, np.float32), TensorType(f32, [4]), r"is an array of float32 \[5\]"),
        (np.zeros(4, np.int32), None, "is an array of int32"),
    ],
)
def test_weights_are_what_the_module_says(tmp_path: Path, array: Array, type: Any, message: str):
    net = Net(x=(4,))
    net.end(net.add("Add", [net.values["x"], net.weight("w", array, type)], "y"))
    with pytest.raises(AutosplitError, match=f"weight 'w' .*{message}"):
        write_top(net.module, tmp_path, "net")


def test_a_weight_that_is_not_there(tmp_path: Path):
    net = Net(x=(4,))
    weight = net.add("Weight", [], "w", TensorType(f32, [4]))
    net.end(net.add("Add", [net.values["x"], weight], "y"))
    with pytest.raises(AutosplitError, match="weight 'w'"):
        write_top(net.module, tmp_path, "net")


def test_weights_of_integers(tmp_path: Path):
    net = Net(x=(4,))
    table = np.arange(4, dtype=np.int32)
    net.end(net.add("Add", [net.values["x"], net.weight("w", table, TensorType(i32, [4]))], "y"))
    module = read_top(write_top(net.module, tmp_path, "net")[0])
    np.testing.assert_array_equal(store_for(module).array("w"), table)


def test_no_name_has_a_zero_in_it(tmp_path: Path):
    net, _ = conv_net(("x", "w", "b", "y\0"))
    with pytest.raises(AutosplitError, match=r"top.Conv has a result called 'y\\x00'"):
        write_top(net.module, tmp_path, "net")


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(AutosplitError, match="No such file"):
        write_top(conv_net()[0].module, tmp_path / "no", "net")


MEMORY = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import numpy as np
from test_top_mlir import Net, write_top

def megabytes(field):
    return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0]) / 1024

net = Net(x=(1, 5000))
weights = [np.ones((5000, 5000), np.float32), np.ones((5000, 5000), np.float32)]
before = megabytes("VmRSS")
y = net.values["x"]
for i, weight in enumerate(weights):
    y = net.add("MatMul", [y, net.weight(f"w{i}", weight), net.none()], f"y{i}")
write_top(net.end(y), Path(sys.argv[1]), "net")
print(megabytes("VmHWM") - before)
"""


def test_writing_needs_little_memory(tmp_path: Path):
    """Beyond the weights themselves, which are 200 MB."""
    command = [sys.executable, "-c", MEMORY, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert (tmp_path / "net_weights.npz").stat().st_size > 200_000_000
    assert float(done.stdout) < 60


# With the toolchain.


def tpuc_opt(file: Path, *passes: str) -> Path:
    """What TPU-MLIR's own tool prints of a module; `--init` alone changes nothing that is used."""
    tools = toolchain()
    output = file.with_name(f"{file.stem}_out.mlir")
    done = subprocess.run(
        [str(tools.tpuc_opt), file.name, *passes, "-o", output.name],
        cwd=file.parent,
        env=tools.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr[:2000]
    return output


def plain_text(module: ModuleOp) -> str:
    """A module's text without what the tool counts, and with numbers for the names of values."""
    module = module.clone()
    module.attributes.pop("module.FLOPs", None)
    for op in module.walk():
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            value.name_hint = None
    return top_text(module, "w")


@needs_toolchain
def test_the_tool_reads_every_op_and_what_it_prints_is_the_same(tmp_path: Path):
    module = read_top(EVERY_OP)
    func = next(op for op in module.walk() if isinstance(op, FuncOp))
    # The tool removes what nobody reads.
    results = [op.outputs[0] for op in func.body.block.ops if isinstance(op, TopOp) and op.outputs]
    ends = [value for value in results if isinstance(value.type, TensorType)]
    last = func.body.block.last_op
    assert last is not None
    last.operands = ends
    func.function_type = FunctionType.from_lists(
        func.function_type.inputs.data, [value.type for value in ends]
    )
    (tmp_path / "all.mlir").write_text(top_text(module, "w.npz"))
    again = read_top(tpuc_opt(tmp_path / "all.mlir", "--init"))
    assert len(ends) > 190
    assert sorted(without_none(again)) == sorted(without_none(module))


def without_none(module: ModuleOp) -> list[str]:
    """The ops of a module; the tool moves constants to the front."""
    return [f"{op.kind} {op.names} {op.attrs}" for op in module.walk() if isinstance(op, TopOp)]


@needs_toolchain
def test_what_the_tool_prints_is_read_back(tmp_path: Path):
    net, arrays = conv_net(("größe", "conv/w:0", 'b "quoted\\', "y"))
    file, _ = write_top(net.module, tmp_path, "net")
    module = read_top(tpuc_opt(file, "--init"))
    assert plain_text(module) == plain_text(net.module)
    shaped = read_top(tpuc_opt(file, "--struct-optimize", "--shape-infer", "--canonicalize"))
    assert plain_text(shaped) == plain_text(net.module)
    for name, array in arrays.items():
        np.testing.assert_array_equal(store_for(shaped).array(name), array)


@needs_toolchain
def test_a_net_without_weights(tmp_path: Path):
    net = Net(x=(4, 5))
    net.end(net.add("Abs", [net.values["x"]], "y", TensorType(f32, [4, 5])))
    x = np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5)
    assert run(net, tmp_path, {"x": x}, "bm1684").keys() == {"y"}
    np.testing.assert_array_equal(run(net, tmp_path, {"x": x}, "bm1684")["y"], np.abs(x))


def run(
    net: Net, folder: Path, feeds: dict[str, Array], chip: str, mode: str = "F32"
) -> dict[str, Array]:
    """What the emulator computes for a net."""
    write_top(net.module, folder, "net")
    compiled = compile_top(
        {
            "mlir": "net.mlir",
            "weights": "net_weights.npz",
            "chip": chip,
            "mode": mode,
            "net": "net",
        },
        str(folder),
        say=lambda line: None,
    )
    with BmodelProcess(compiled.bmodel, chip, timeout=120) as process:
        return process.run(feeds)


ODD = ("in put/x:0", 'w "q" é', "b\\back", "y,漢字")


@needs_toolchain
@pytest.mark.parametrize(
    ("chip", "mode", "names", "tolerance"),
    [
        ("bm1684", "F32", ("x", "w", "b", "y"), 1e-5),
        ("bm1684", "F32", ODD, 1e-5),
        ("bm1684x", "F16", ("x", "w", "b", "y"), 1e-2),
        ("bm1688", "F16", ODD, 1e-2),
    ],
)
def test_a_convolution_is_compiled_and_runs(
    tmp_path: Path, chip: str, mode: str, names: tuple[str, ...], tolerance: float
):
    net, arrays = conv_net(names)
    x = np.random.default_rng(1).standard_normal((1, 3, 10, 10)).astype(np.float32)
    made = run(net, tmp_path, {names[0]: x}, chip, mode)
    # Where the chip computes in another type, the tool says so in the name.
    assert list(made) == [names[3] if mode == "F32" else f"{names[3]}_f32"]
    expected = conv_reference(x, *arrays.values())
    assert expected.max() > 1
    np.testing.assert_allclose(next(iter(made.values())), expected, atol=tolerance)


def test_weights_of_integers_are_not_taken_for_floats(tmp_path: Path):
    """Why `write_top` compares types: the tool does not, and takes the bytes as they are."""
    net, arrays = conv_net()
    arrays["b"].view(np.int32)[:] = 1
    net.store.add("b", lambda: arrays["b"].view(np.int32))
    with pytest.raises(AutosplitError, match="is an array of int32"):
        write_top(net.module, tmp_path, "net")
