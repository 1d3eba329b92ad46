"""Quantized models on chips that compute in INT8: their own scales are what the chip counts in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import real as real_toolchain
from onnx import TensorProto, helper, numpy_helper
from top_numbers import many_ops, normalized, reference

from autosplit.calibration.table_files import read_table
from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import element_type, platform_graph
from autosplit.explain.plan import explain, with_compiled
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions, ConvertResult
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import Compilation, read_compilation
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.int8_borders import Held, misfit
from autosplit.folder.int8_ports import crossing_note, float_notes
from autosplit.folder.reader import read_folder
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.quant.own_scales import Scale, border_scales, take_scales, value_scales
from autosplit.portable.borders import Port, from_network, to_network
from autosplit.portable.integers import quantized, real, shifted
from autosplit.portable.networks import BmodelTensor, NetworkPort
from autosplit.runtime.runner import Runner
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.quantize import quantized_model

Array = np.ndarray[Any, Any]

SHAPE = (1, 8, 12, 12)


@dataclass(frozen=True)
class Pair:
    """The parameters of a quantize and its dequantize."""

    step: float
    zero_point: int
    dtype: str = "uint8"

    def arrays(self, name: str) -> dict[str, Array]:
        zero = np.array(self.zero_point, self.dtype)
        return {f"{name}_s": np.array(self.step, np.float32), f"{name}_z": zero}


INPUT = Pair(1 / 127, 0, "int8")
FIRST = Pair(0.0125, 128)
SECOND = Pair(0.005, 0)


def pair(x: str, y: str, name: str) -> list[onnx.NodeProto]:
    """Quantizes `x` and dequantizes it again, as `y`; the integers are called `name`."""
    scale = [f"{name}_s", f"{name}_z"]
    return [
        helper.make_node("QuantizeLinear", [x, *scale], [name], name=f"{name}/q"),
        helper.make_node("DequantizeLinear", [name, *scale], [y], name=f"{name}/dq"),
    ]


def weights() -> dict[str, Array]:
    """Two convolutions' weights, quantized for each channel."""
    random = np.random.default_rng(4)
    found: dict[str, Array] = {}
    for name, shape in {"w1": (8, 3, 3, 3), "w2": (4, 8, 3, 3)}.items():
        found[name] = random.integers(-127, 128, shape).astype(np.int8)
        found[f"{name}_s"] = random.uniform(0.001, 0.002, shape[0]).astype(np.float32)
        found[f"{name}_z"] = np.zeros(shape[0], np.int8)
    return found


def net(
    first: Pair = FIRST, second: Pair = SECOND, *, ends: bool = False
) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """conv1 - [q1] - relu - [q2] - conv2; with `ends` its input and output are integers too."""

    def dequantized(name: str) -> onnx.NodeProto:
        given = [name, f"{name}_s", f"{name}_z"]
        return helper.make_node("DequantizeLinear", given, [f"{name}_real"], name=name, axis=0)

    def conv(x: str, w: str, y: str) -> onnx.NodeProto:
        return helper.make_node("Conv", [x, f"{w}_real"], [y], name=f"conv_{y}", pads=[1] * 4)

    x = np.random.default_rng(1).uniform(-1, 1, (1, 3, 12, 12)).astype(np.float32)
    opened = pair("x", "x_real", "q0")
    closed = pair("c2", "y", "q3")
    nodes = [
        *(opened[1:] if ends else opened),
        dequantized("w1"),
        conv("x_real", "w1", "c1"),
        *pair("c1", "c1_real", "q1"),
        helper.make_node("Relu", ["c1_real"], ["r"], name="middle"),
        *pair("r", "r_real", "q2"),
        dequantized("w2"),
        conv("r_real", "w2", "c2"),
        *(closed[:1] if ends else closed),
    ]
    constants = weights()
    pairs = {"q0": INPUT, "q1": first, "q2": second, "q3": Pair(0.004, 0, "int8")}
    for name, found in pairs.items():
        constants |= found.arrays(name)
    feeds = {"x": x}
    if ends:
        feeds = {"q0": np.rint(x / np.float32(INPUT.step)).astype(np.int8)}
    outputs = ["q3"] if ends else ["y"]
    return many_ops(nodes, feeds, outputs, constants), feeds


def kinds(module: Any) -> list[str]:
    return [op.op_type for op in module.walk() if getattr(op, "op_type", "").endswith("Linear")]


# The pass


def test_pairs_become_scales() -> None:
    module = normalized(net()[0])
    take_scales(module)
    module.verify()
    assert not kinds(module)
    assert not border_scales(module)
    assert value_scales(module) == {
        "x": Scale("int8", float(np.float32(1 / 127)), 0),
        "c1": Scale("uint8", float(np.float32(0.0125)), 128),
        "r": Scale("uint8", float(np.float32(0.005)), 0),
        "c2": Scale("int8", float(np.float32(0.004)), 0),
    }
    # A second time there is nothing to do, and nothing is lost.
    before = str(module)
    take_scales(module)
    assert str(module) == before


def test_integers_at_the_border_become_real_numbers() -> None:
    module = normalized(net(ends=True)[0])
    take_scales(module)
    module.verify()
    assert not kinds(module)
    assert list(border_scales(module)) == ["q0", "q3"]
    assert border_scales(module)["q0"] == value_scales(module)["q0"]
    graph = platform_graph(module)
    (_, given), (_, made) = (*graph.graph_inputs(), *graph.graph_outputs())
    assert [str(element_type(v.type)) for v in (given, made)] == ["f32", "f32"]


@pytest.mark.parametrize(
    ("scale", "bounds", "chip_dtype"),
    [
        (Scale("uint8", 0.5, 128), (-63.5, 63.5), "int8"),
        (Scale("int8", 0.5, 0), (-63.5, 63.5), "int8"),
        (Scale("uint8", 0.5, 0), (0, 127.5), "uint8"),
        (Scale("int8", 0.5, -128), (0, 127.5), "uint8"),
        (Scale("uint8", 0.5, 93), (-46.5, 81), ""),
        (Scale("int8", 0.5, 127), (-127.5, 0), ""),
    ],
)
def test_what_a_chip_is_told(scale: Scale, bounds: tuple[float, float], chip_dtype: str) -> None:
    assert scale.bounds == bounds
    assert scale.chip_dtype == chip_dtype


def without_relu() -> tuple[onnx.ModelProto, dict[str, Array]]:
    """As quantizers leave it: integers from 0 on cut off what the Relu would."""
    model, feeds = net()
    for name in ("q1/q", "q1/dq", "middle"):
        model.graph.node.remove(next(n for n in model.graph.node if n.name == name))
    next(n for n in model.graph.node if n.name == "q2/q").input[0] = "c1"
    return model, feeds


def test_a_relu_stays_where_integers_begin_at_0() -> None:
    model, _ = without_relu()
    module = normalized(model)
    take_scales(module)
    module.verify()
    assert not kinds(module)
    assert [op.op_type for op in platform_graph(module).body_ops() if hasattr(op, "op_type")].count(
        "Relu"
    ) == 1
    assert list(value_scales(module)) == ["x", "q2__relu", "c2"]
    # Where one is already, none is added.
    module = normalized(net()[0])
    take_scales(module)
    assert str(module).count("onnx.Relu") == 1


def other_scale(model: onnx.ModelProto) -> None:
    """What is dequantized is not what was quantized."""
    (node,) = (n for n in model.graph.node if n.name == "q1/dq")
    node.input[1] = "q2_s"


def other_reader(model: onnx.ModelProto) -> None:
    """The integers are used as numbers."""
    model.graph.node.append(helper.make_node("Cast", ["q1"], ["z"], to=TensorProto.FLOAT))
    model.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, SHAPE))


def scale_of_channels(model: onnx.ModelProto) -> None:
    """A chip has one step for a value."""
    for name, dtype in (("q1_s", np.float32), ("q1_z", np.uint8)):
        (old,) = (i for i in model.graph.initializer if i.name == name)
        array = np.full(8, numpy_helper.to_array(old), dtype)
        old.CopyFrom(numpy_helper.from_array(array, name))


def scale_that_is_computed(model: onnx.ModelProto) -> None:
    (old,) = (i for i in model.graph.initializer if i.name == "q1_s")
    model.graph.initializer.remove(old)
    model.graph.input.append(helper.make_tensor_value_info("q1_s", TensorProto.FLOAT, []))


@pytest.mark.parametrize(
    "change", [other_scale, other_reader, scale_of_channels, scale_that_is_computed]
)
def test_what_stays(change: Any) -> None:
    model, _ = net()
    change(model)
    onnx.checker.check_model(model)
    module = normalized(model)
    take_scales(module)
    module.verify()
    assert kinds(module) == ["QuantizeLinear", "DequantizeLinear"]
    assert set(value_scales(module)) == {"x", "r", "c2"}


# Splitting


def split(
    model: onnx.ModelProto, feeds: Mapping[str, Array], folder: Path, **options: Any
) -> GraphInfos:
    path = folder.with_name(f"{folder.name}.onnx")
    onnx.save(model, path)
    specs = {name: InputSpec.of(array) for name, array in feeds.items()}
    settings = {"target": "bm1684x", "mode": "INT8", "keep": 1.0, **options}
    split_model(SplitOptions(path, folder, specs, **settings))
    return GraphInfos.load(folder)


def test_in_int8_all_of_it_goes_to_the_chip(tmp_path: Path) -> None:
    infos = split(*net(), tmp_path / "net")
    assert [g.device for g in infos.graphs] == ["tpu"]
    text = (tmp_path / "net" / "graph_ir_0" / "graph_0.mlir").read_text()
    assert text.count('"top.Conv"') == 2


def test_in_f32_its_casts_stay_on_the_cpu(tmp_path: Path) -> None:
    split(*net(), tmp_path / "net", mode="F32")
    ops = [o for o in explain(read_folder(tmp_path / "net")).ops if o.name.endswith(("/q", "/dq"))]
    assert len(ops) == 8
    assert {o.device for o in ops} == {"cpu"}
    assert all(
        "in INT8 (split --mode INT8) its scale becomes the chip's" in o.reasons[0].text for o in ops
    )


def test_integers_cross_between_cpu_and_chip(tmp_path: Path) -> None:
    infos = split(*net(), tmp_path / "net", pins=[("middle", "cpu")])
    assert [g.device for g in infos.graphs] == ["tpu", "cpu", "tpu"]
    assert (infos.graphs[0].outputs, infos.graphs[2].inputs) == (("q1",), ("q2",))
    assert {infos.tensors[n].dtype for n in ("q1", "q2")} == {"uint8"}
    borders = {b.name: b.changes for b in explain(read_folder(tmp_path / "net")).borders}
    assert borders["q1"] == ("in steps of 0.0125 in graph_0",)
    assert borders["q2"] == ("in steps of 0.005 in graph_2",)


# Numbers at the border


BORDER = NetworkPort("q", "x", (-1,), "uint8", step=0.0125, zero_point=128)


def one_node(kind: str, x: Array, border: NetworkPort) -> Array:
    """What ONNX Runtime makes of it."""
    step = np.array(border.step, np.float32)
    zero = np.array(border.zero_point, border.dtype)
    node = helper.make_node(kind, ["x", "s", "z"], ["y"])
    (found,) = reference(many_ops([node], {"x": x}, ["y"], {"s": step, "z": zero}), {"x": x})
    return found


@pytest.mark.parametrize(("dtype", "zero_point"), [("uint8", 128), ("int8", 0), ("uint8", 93)])
def test_numbers_are_those_of_onnx_runtime(dtype: str, zero_point: int) -> None:
    border = NetworkPort("q", "x", (-1,), dtype, step=0.0125, zero_point=zero_point)
    info = np.iinfo(dtype)
    integers = np.arange(info.min, info.max + 1).astype(dtype)
    expected = one_node("DequantizeLinear", integers, border)
    np.testing.assert_array_equal(real(integers, border), expected)
    # Halves, and what is far outside, among others.
    halves = (np.arange(-300, 300) / 2 * np.float32(0.0125)).astype(np.float32)
    x = np.concatenate([halves, np.float32([1e9, -1e9, 0, -0.0])])
    np.testing.assert_array_equal(quantized(x, border), one_node("QuantizeLinear", x, border))


def test_no_integer_stands_for_nan() -> None:
    with pytest.raises(AutosplitError, match="'q': is NaN on the TPU where uint8 is expected"):
        quantized(np.float32([0, np.nan]), BORDER)


def test_other_borders_are_left_alone() -> None:
    array = np.array([1, 2], np.uint8)
    assert real(array, NetworkPort("q", "x", (-1,), "uint8")) is array


def test_integers_are_shifted() -> None:
    array = np.array([0, 1, 128, 255], np.uint8)
    moved = shifted(array, 128, "int8", 0)
    assert moved.dtype == np.int8
    assert moved.tolist() == [-128, -127, 0, 127]
    np.testing.assert_array_equal(shifted(moved, 0, "uint8", 128), array)
    assert shifted(array, 0, "uint8", 0) is array


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_ports(dtype: str) -> None:
    """A bmodel takes and gives what the folder's integers stand for, or its own integers for the same."""
    border = NetworkPort("q", "x", (-1,), "uint8", dtype, step=0.0125, zero_point=128)
    scale = 1.0 if dtype == "float32" else 0.0125
    port = Port(border, BmodelTensor("x", dtype, ((-1,),), scale, 0))
    array = np.arange(256, dtype=np.uint8)
    given = to_network(array, port, dynamic=True)
    assert given.dtype == dtype
    expected = array.astype(np.int16) - 128
    if dtype == "float32":
        expected = real(array, border)
    np.testing.assert_array_equal(given, expected)
    back = from_network(given, port, dynamic=True)
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back, array)


# What crosses


def test_what_does_not_fit_is_said() -> None:
    def why(zero_point: int, held: Held | None, dtype: str = "uint8") -> str:
        return misfit(NetworkPort("q", "x", (1,), dtype, step=0.5, zero_point=zero_point), held)

    assert why(128, Held("int8", 0.5)) == ""
    assert why(0, Held("uint8", 0.5)) == ""
    assert why(0, Held("int8", 0.5), "int8") == ""
    assert why(93, Held("int8", 0.5)).startswith("uint8 with zero point 93; a chip has 0 in")
    assert why(128, None).startswith("the network computes it in floats")
    assert (
        why(128, Held("uint8", 0.5)) == "the network holds it as uint8, which would have to be int8"
    )
    assert why(128, Held("int8", 0.75)) == "the network counts in steps of 0.75, the model in 0.5"


def record(*inputs: NetworkPort, net: str = "graph_1") -> Compilation:
    return Compilation("tpu-mlir", "1", "bm1684", "INT8", False, 2, net, inputs, (), {})


def test_notes() -> None:
    whole = NetworkPort("a", "a", (2, 8), "uint8", "int8", step=0.5, zero_point=128)
    other = NetworkPort("b", "b", (2, 8), "uint8", step=0.5, zero_point=93, reason="so it is")
    plain = NetworkPort("c", "c", (2, 8), "uint8")
    records = [record(whole, other), record(plain, other, net="graph_3")]
    assert (
        crossing_note(records)
        == "1 value crosses borders as 8-bit integers, which saves 48 B a run"
    )
    assert crossing_note([record(plain, other)]) == ""
    assert float_notes(records) == [
        "'b' crosses the border of graph_1 as float32: so it is",
        "'b' crosses the border of graph_3 as float32: so it is",
    ]
    assert float_notes(records, 1)[1] == "and 1 more likewise"


def test_a_record_says_what_integers_stand_for(tmp_path: Path) -> None:
    made = record(
        BORDER, NetworkPort("b", "b", (), "int8", step=0.1, zero_point=3, reason="so it is")
    )
    (tmp_path / "compilation.json").write_text(made.text())
    assert read_compilation(tmp_path) == made
    (tmp_path / "compilation.json").write_text(made.text().replace("0.0125", "-1"))
    with pytest.raises(AutosplitError, match="a step of inputs is -1, expected a number"):
        read_compilation(tmp_path)


# On the emulator


def converted(folder: Path, samples: Array, notes: list[str]) -> ConvertResult:
    np.save(folder.with_name("samples.npy"), samples)
    options = ConvertOptions(
        folder,
        mode="INT8",
        data=(str(folder.with_name("samples.npy")),),
        compare=True,
        note=notes.append,
    )
    result = convert_folder(options)
    result.check()
    return result


def samples_of(feeds: Mapping[str, Array]) -> Array:
    (array,) = feeds.values()
    return np.stack([array, array[..., ::-1]])


@pytest.mark.parametrize(
    ("chip", "most"), [pytest.param("bm1684", 6, marks=pytest.mark.nightly), ("bm1684x", 3)]
)
def test_integers_cross_as_they_are(
    chip: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`most`: how many steps the last value may be off; BM1684 scales by powers of two only."""
    real_toolchain()
    model, feeds = net(ends=True)
    folder = tmp_path / "net"
    infos = split(model, feeds, folder, pins=[("middle", "cpu")], target=chip)
    notes: list[str] = []
    converted(folder, samples_of(feeds), notes)
    # q0 in, q1 out, q2 in, q3 out: three bytes of four each.
    count = 3 * (3 * 144 + 8 * 144 + 8 * 144 + 4 * 144)
    assert (
        f"4 values cross borders as 8-bit integers, which saves {count / 1000:.3g} KB a run"
        in notes
    )
    records = [infos.compilation(infos.graphs[i]) for i in (0, 2)]
    dtypes = {b.tensor: b.network_dtype for r in records if r for b in (*r.inputs, *r.outputs)}
    assert dtypes == {"q0": "int8", "q1": "int8", "q2": "uint8", "q3": "int8"}
    table = read_table((folder / "graph_ir_0" / "graph_0_calibration").read_text())
    assert table["c1"].threshold == pytest.approx(127 * 0.0125)
    borders = with_compiled(explain(read_folder(folder)), infos).borders
    assert sum(b.saved for b in borders) == count
    with Runner(folder, 2) as runner:
        (found,) = runner.infer(feeds).values()
    (wanted,) = reference(model, feeds)
    assert found.dtype == wanted.dtype == np.int8
    assert np.abs(wanted).max() > 60
    off = np.abs(found.astype(np.int16) - wanted)
    assert off.max() <= most
    assert off.mean() < 1
    assert [g.state for g in converted(folder, samples_of(feeds), []).graphs] == ["taken", "taken"]

    # As floats they would make the same numbers.
    monkeypatch.setattr(
        "autosplit.folder.int8_borders.misfit", lambda border, held: "a test says so"
    )
    split(model, feeds, tmp_path / "floats", pins=[("middle", "cpu")], target=chip)
    converted(tmp_path / "floats", samples_of(feeds), notes)
    assert notes[-1] == "and 1 more likewise"
    with Runner(tmp_path / "floats", 2) as runner:
        (plain,) = runner.infer(feeds).values()
    np.testing.assert_array_equal(plain, found)


@pytest.mark.parametrize("chip", ["bm1684", "bm1684x"])
def test_integers_from_0_on_are_a_relu(chip: str, tmp_path: Path) -> None:
    real_toolchain()
    model, feeds = without_relu()
    split(model, feeds, tmp_path / "net", target=chip)
    converted(tmp_path / "net", samples_of(feeds), [])
    with Runner(tmp_path / "net", 2) as runner:
        (found,) = runner.infer(feeds).values()
    (wanted,) = reference(model, feeds)
    assert np.abs(found - wanted).max() <= 6 * np.float32(0.004)


def test_what_a_chip_cannot_hold_crosses_as_floats(tmp_path: Path) -> None:
    real_toolchain()
    model, feeds = net(second=Pair(0.005, 93))
    infos = split(model, feeds, tmp_path / "net", pins=[("middle", "cpu")], target="bm1684")
    notes: list[str] = []
    converted(tmp_path / "net", samples_of(feeds), notes)
    assert (
        "'q2' crosses the border of graph_2 as float32: uint8 with zero point 93; a chip has 0 in the "
        "middle or at the lower end" in notes
    )
    last = infos.compilation(infos.graphs[2])
    assert last is not None
    assert [b.network_dtype for b in last.inputs] == ["float32"]
    (border,) = (
        b
        for b in with_compiled(explain(read_folder(tmp_path / "net")), infos).borders
        if b.name == "q2"
    )
    assert border.floats[0].startswith("as float32 in graph_2: uint8 with zero point 93")
    with Runner(tmp_path / "net", 2) as runner:
        (found,) = runner.infer(feeds).values()
    (wanted,) = reference(model, feeds)
    assert np.abs(found - wanted).max() <= 4 * np.float32(0.004)


def test_an_int8_folder_in_f32_is_refused(tmp_path: Path) -> None:
    real_toolchain()
    split(*net(), tmp_path / "net", target="bm1684")
    with pytest.raises(AutosplitError, match=r"cannot run .* split again with .*--mode F32"):
        convert_folder(ConvertOptions(tmp_path / "net", mode="F32"))


@pytest.mark.nightly
def test_a_real_quantized_model(tmp_path: Path) -> None:
    """MTCNN's R-Net as ONNX Runtime quantizes it, whole and with a part on the CPU."""
    real_toolchain()
    from autosplit.testing.pictures import crops

    try:
        model = onnx.load(quantized_model("rnet.onnx"))
    except ModelUnavailable as e:
        pytest.skip(str(e))

    def faces(count: int, seed: int) -> Array:
        return ((crops(count, 24, seed) - np.float32(127.5)) / 128).astype(np.float32)

    feeds = {"input_2": faces(2, 3)}
    infos = split(
        model,
        feeds,
        tmp_path / "net",
        target="bm1684",
        pins=[("p_re_lu_3", "cpu"), (".*0_pooling", "cpu")],
    )
    assert infos.tensors["convolution_output2_QuantizeLinear_Output"].dtype == "uint8"
    notes: list[str] = []
    result = converted(tmp_path / "net", faces(32, 1).reshape(16, 2, 24, 24, 3), notes)
    crossing = result.graphs[0].comparison["convolution_output2_QuantizeLinear_Output"]
    # Of 255 steps the chip is off by one or two.
    assert crossing.maximum <= 2
    assert any(note.startswith("1 value crosses borders as 8-bit integers") for note in notes)
    assert any("zero point 93" in note for note in notes)
    with Runner(tmp_path / "net", 2) as runner:
        found = runner.infer(feeds)
    wanted = reference(model, feeds)
    for name, array in zip((o.name for o in model.graph.output), wanted, strict=True):
        np.testing.assert_allclose(found[name], array, atol=0.05)
