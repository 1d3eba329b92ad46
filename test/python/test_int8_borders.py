"""8-bit values that go from one compiled sub-model to another as they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import helper
from sampled import sample
from test_calibrate import as_top, cosine, photo
from top_numbers import many_ops, reference

from autosplit.calibration.calibrate import calibrate
from autosplit.calibration.table_files import read_table
from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_reader import GraphEntry, GraphInfos
from autosplit.folder.int8_borders import (
    Crossing,
    Held,
    Ports,
    agreed,
    crossings,
    held_ports,
    lowered,
    saved,
    with_ranges,
)
from autosplit.toolchains.bmodel_compile import Settings, compile_top
from autosplit.toolchains.tpu_mlir import discover

Array = np.ndarray[Any, Any]


def infos(*graphs: tuple[str, str, str], outputs: str) -> GraphInfos:
    """A folder of sub-models: device, inputs, outputs, each name a letter."""
    made = [
        GraphEntry(i, "tpu" if device == "tpu" else "cpu", tuple(reads), tuple(makes), {}, None)
        for i, (device, reads, makes) in enumerate(graphs)
    ]
    return GraphInfos(
        Path(), "onnx", "NCHW", False, tuple(made), {}, ("x",), {o: o for o in outputs}, {}
    )


def test_crossings_stay_among_compiled_sub_models() -> None:
    folder = infos(
        ("tpu", "x", "abcd"),
        ("cpu", "b", "e"),
        ("tpu", "acde", "f"),
        ("tpu", "af", "y"),
        outputs="dy",
    )
    # b is read by the CPU, d is wanted as well; e comes from the CPU.
    assert crossings(folder, [0, 2, 3]) == [
        Crossing("a", 0, (2, 3)),
        Crossing("c", 0, (2,)),
        Crossing("f", 2, (3,)),
    ]
    assert crossings(folder, [0, 2]) == [Crossing("c", 0, (2,))]
    assert crossings(folder, [2]) == []


LOWERED = """
module @net attributes {module.mode = "INT8"} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<3xf32>) -> tensor<3x!quant.calibrated<f32<-3.9:3.9>>>
    %2 = "tpu.Cast"(%1) {with_scale = true} : (T) -> tensor<3x!quant.uniform<i8:f32, 0.031>>
    %3 = "top.Input"(%arg1) : (tensor<3xf32>) -> tensor<3x!quant.calibrated<f32<0.0:3.9>>>
    %4 = "tpu.Cast"(%3) {with_scale = true} : (T) -> tensor<3x!quant.uniform<u8:f32, 1.5E-2>>
    %5:2 = "tpu.Split"(%2, %4) {num = 2} : (T, T) -> (T, T)
    %6 = "tpu.Cast"(%5#0) : (tensor<3x!quant.uniform<i8:f32, 0.05>>) -> tensor<3xf32>
    %7 = "tpu.Cast"(%5#1) : (tensor<3x!quant.uniform<i8:f32, 0.07>>) -> tensor<3xf32>
    return %6, %7 : tensor<3xf32>, tensor<3xf32>
  }
}
"""


def test_ports_that_are_held_as_integers() -> None:
    assert held_ports(LOWERED) == (
        [Held("int8", 0.031), Held("uint8", 0.015)],
        [Held("int8", 0.05), Held("int8", 0.07)],
    )


def test_ports_that_others_read_too_are_not() -> None:
    extra = '    %8 = "tpu.Active"(%1, %6) : (t) -> tensor<1x3xf32>\n    return'
    assert held_ports(LOWERED.replace("    return", extra)) == (
        [None, Held("uint8", 0.015)],
        [None, Held("int8", 0.07)],
    )


def test_ports_in_other_types_are_not() -> None:
    assert held_ports(LOWERED.replace("!quant.uniform<i8:f32", "!quant.other<i8:f32")) == (
        [None, Held("uint8", 0.015)],
        [None, None],
    )


def test_a_text_that_is_no_lowered_module() -> None:
    with pytest.raises(AutosplitError, match="has no inputs or no return"):
        held_ports("module {\n}\n")


def test_all_sides_must_agree() -> None:
    found = [Crossing("a", 0, (1, 2))]

    def result(*sides: Held | None) -> dict[str, Held]:
        return agreed(found, {i: Ports({"a": side}, {"a": side}) for i, side in enumerate(sides)})

    held = Held("int8", 0.5)
    assert result(held, held, held) == {"a": held}
    assert result(held, held, Held("uint8", 0.5)) == {}
    assert result(held, Held("int8", 0.501), held) == {}
    assert result(held, None, held) == {}
    assert result(None, held, held) == {}


def test_saved_bytes() -> None:
    assert saved((1, 8, 4, 4), 3) == 3 * 128 * 3


def test_ranges_that_make_a_network_count_so() -> None:
    signed, unsigned = Held("int8", 0.5).range, Held("uint8", 0.5).range
    assert (signed.low, signed.high, signed.threshold / 127) == (-63.5, 63.5, 0.5)
    assert (unsigned.low, unsigned.high, unsigned.threshold / 255) == (0, 127.5, 0.5)


# On the emulator


@dataclass
class Part:
    folder: Path
    model: onnx.ModelProto
    settings: Settings


def parts(border: str) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """A network in two; what crosses is not negative, or is."""
    random = np.random.default_rng(5)
    weights = {
        name: (random.standard_normal(shape) / 5).astype(np.float32)
        for name, shape in {"w1": (8, 3, 3, 3), "w2": (8, 8, 3, 3)}.items()
    }
    node = helper.make_node
    first = [
        node("Conv", ["x", "w1"], ["conv1"], pads=[1] * 4),
        node("Relu", ["conv1"], ["relu1"]),
        node("MaxPool", ["relu1"], ["pool"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["pool", "w2"], ["conv2"], pads=[1] * 4),
    ]
    second = [
        node("Conv", [border, "w2"], ["conv3"], pads=[1] * 4),
        node("HardSwish", ["conv3"], ["y"]),
    ]
    if border == "pool":
        first = first[:-1]
    one = many_ops(first, {"x": photo(0)}, [border], weights)
    (value,) = reference(one, {"x": photo(0)})
    return one, many_ops(second, {border: value}, ["y"], weights)


def prepared(model: onnx.ModelProto, folder: Path, chip: str, samples: list[Array]) -> Part:
    folder.mkdir()
    top = as_top(model, folder, chip)
    name = model.graph.input[0].name
    (folder / "table").write_text(calibrate(top, ({name: s} for s in samples)))
    assert top.sym_name is not None
    return Part(
        folder,
        model,
        {
            "mlir": "model.mlir",
            "weights": "model_weights.npz",
            "calibration_table": "table",
            "chip": chip,
            "mode": "INT8",
            "net": top.sym_name.data,
        },
    )


def run(part: Part, array: Array) -> Array:
    from autosplit.runtime.bmodel.process import BmodelProcess

    compiled = compile_top(part.settings, part.folder, say=lambda line: None)
    with BmodelProcess(compiled.bmodel, part.settings["chip"], timeout=120) as process:
        (found,) = process.run({part.model.graph.input[0].name: array}).values()
    return found


def shape_of(model: onnx.ModelProto) -> tuple[list[int], list[int]]:
    return tuple(
        [d.dim_value for d in v[0].type.tensor_type.shape.dim]
        for v in (model.graph.input, model.graph.output)
    )  # pyright: ignore[reportReturnType]


@needs_toolchain
@pytest.mark.parametrize("border", ["pool", "conv2"])
@pytest.mark.parametrize("chip", sample(["bm1684x", "bm1684", "bm1688"]))
def test_integers_cross_unchanged(border: str, chip: str, tmp_path: Path) -> None:
    models = parts(border)
    samples = [photo(i) for i in range(4)]
    first = prepared(models[0], tmp_path / "1", chip, samples)
    inner = [reference(models[0], {"x": s})[0] for s in samples]
    second = prepared(models[1], tmp_path / "2", chip, inner)
    shared = read_table((first.folder / "table").read_text())[border]
    table = second.folder / "table"
    table.write_text(with_ranges(table.read_text(), {border: shared}, len(samples)))

    plain = run(second, run(first, photo(1)))

    ports: dict[int, Ports] = {}
    for i, part in enumerate((first, second)):
        takes, gives = held_ports(lowered(part.settings, part.folder, discover()))
        ports[i] = Ports(
            {part.model.graph.input[0].name: takes[0]}, {part.model.graph.output[0].name: gives[0]}
        )
    held = agreed([Crossing(border, 0, (1,))], ports)
    dtype = "uint8" if border == "pool" else "int8"
    assert held[border].dtype == dtype
    assert held[border].step == pytest.approx(shared.threshold / (255 if dtype == "uint8" else 127))

    shapes = [shape_of(m) for m in models]
    first.settings["outputs"] = [{"name": border, "shape": shapes[0][1], "network_dtype": dtype}]
    second.settings["inputs"] = [{"name": border, "shape": shapes[1][0], "network_dtype": dtype}]
    crossed = run(first, photo(1))
    assert crossed.dtype == np.dtype(dtype)
    found = run(second, crossed)
    np.testing.assert_array_equal(found, plain)
    (wanted,) = reference(models[1], {border: reference(models[0], {"x": photo(1)})[0]})
    assert cosine(found, wanted) > 0.99
