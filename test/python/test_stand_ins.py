"""What stands in for ops that BM1684 does not run where sizes vary: the same numbers at every size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from autosplit.devices import get_chip
from autosplit.dialects.platform import location_names
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_onnx_to_top.check import check_module, top_level_ops
from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.fold import Constants
from autosplit.platforms import Model, load_model

ort = pytest.importorskip("onnxruntime")

CHANNELS = 6
SIZES = ((2, 7, 9), (1, 4, 5), (3, 2, 12))
"""Batches, heights and widths."""
PICTURES = ("n", CHANNELS, "h", "w")
TOKENS = ("n", "l", CHANNELS)


class Net:
    """An ONNX model of pictures `x` in the making; each method gives the name of a new value."""

    def __init__(self, seed: int = 0):
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def c(self, *shape: int, least: float = 0.5) -> str:
        """Random numbers from `least` on."""
        return self.given(least + self.random.random(shape).astype(np.float32))

    def given(self, array: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def __call__(self, kind: str, *inputs: str, results: int = 1, **attributes) -> str:
        number = len(self.nodes)
        names = [f"v{number}"] + [f"v{number}_{i}" for i in range(1, results)]
        self.nodes.append(
            helper.make_node(kind, inputs, names, name=f"{kind}_{number}", **attributes)
        )
        return names[0]

    def conv(self, x: str, out: int = CHANNELS, into: int = CHANNELS, **attributes) -> str:
        return self("Conv", x, self.c(out, into, 3, 3, least=-0.5), pads=[1] * 4, **attributes)

    def model(self, *outputs: str, shape: Sequence[int | str] = PICTURES) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs],
            [numpy_helper.from_array(a, n) for n, a in self.constants.items()],
        )
        opset = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opset, ir_version=8)


def stood_in(model: onnx.ModelProto, folder: Path, chip: str = "bm1684") -> Model:
    """The model in canonical form with its stand-ins; the chip takes all of it."""
    path = folder / "model.onnx"
    onnx.save(model, path)
    loaded = load_model(path)
    normalize(loaded.module)
    put_stand_ins(loaded.module, get_chip(chip))
    assert not check_module(loaded.module, get_chip(chip), dynamic=True)
    return loaded


def kinds(loaded: Model) -> list[str]:
    return [op.op_type for op in top_level_ops(loaded.module)]


def run(model: onnx.ModelProto, x: np.ndarray) -> list[np.ndarray]:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def check_numbers(model: onnx.ModelProto, loaded: Model, *, exact: bool = False) -> None:
    changed = model_proto(loaded.module, loaded.store)
    random = np.random.default_rng(1)
    given = [d.dim_param or d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    for n, h, w in SIZES:
        sizes = {"n": n, "h": h, "w": w, "l": w}
        x = random.standard_normal([sizes.get(d, d) for d in given]).astype(np.float32)
        for expected, made in zip(run(model, x), run(changed, x), strict=True):
            assert made.shape == expected.shape
            if exact:
                np.testing.assert_array_equal(made, expected)
            else:
                np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5)


def scaled(net: Net, x: str, kind: str) -> str:
    """What scales or shifts each channel of `x`."""
    if kind == "BatchNormalization":
        return net(kind, x, *(net.c(CHANNELS) for _ in range(4)))
    return net(kind, x, net.c(CHANNELS, 1, 1))


SCALED = ("Add", "BatchNormalization", "Div", "Mul", "Sum")
"""Of these BM1684 has no kernel where sizes vary."""


@pytest.mark.parametrize("kind", SCALED)
def test_behind_a_convolution_a_scale_becomes_part_of_it(kind: str, tmp_path: Path):
    net = Net()
    model = net.model(net("Relu", scaled(net, net.conv("x"), kind)))
    loaded = stood_in(model, tmp_path)
    assert kinds(loaded) == ["Conv", "Relu"]
    check_numbers(model, loaded)
    conv = top_level_ops(loaded.module)[0]
    assert [n.split("_")[0] for n in location_names(conv.location)] == [
        "Conv",
        model.graph.node[1].op_type,
    ]


@pytest.mark.parametrize("kind", SCALED)
def test_elsewhere_a_scale_is_a_convolution(kind: str, tmp_path: Path):
    net = Net()
    pool = net("MaxPool", "x", kernel_shape=[3, 3], pads=[1] * 4)
    model = net.model(net("Relu", scaled(net, pool, kind)))
    loaded = stood_in(model, tmp_path)
    assert kinds(loaded) == ["MaxPool", "Conv", "Relu"]
    check_numbers(model, loaded)


def test_what_is_read_elsewhere_too_keeps_its_value(tmp_path: Path):
    net = Net()
    made = net.conv("x")
    model = net.model(net("Sigmoid", made), scaled(net, made, "Mul"))
    loaded = stood_in(model, tmp_path)
    assert sorted(kinds(loaded)) == ["Conv", "Conv", "Sigmoid"]
    check_numbers(model, loaded)


def test_an_output_keeps_its_value(tmp_path: Path):
    net = Net()
    made = net.conv("x")
    model = net.model(made, scaled(net, made, "Add"))
    check_numbers(model, stood_in(model, tmp_path))


@pytest.mark.parametrize("group", [1, 2, CHANNELS])
@pytest.mark.parametrize("kind", ["Conv", "ConvTranspose"])
def test_groups(group: int, kind: str, tmp_path: Path):
    net = Net()
    made = net(kind, "x", net.c(CHANNELS, CHANNELS // group, 2, 2), net.c(CHANNELS), group=group)
    model = net.model(scaled(net, scaled(net, made, "Mul"), "Add"))
    check_numbers(model, stood_in(model, tmp_path))


def test_a_relu_that_no_op_takes_in(tmp_path: Path):
    net = Net()
    model = net.model(net("Relu", net("Abs", "x")), net("Clip", "x", net.given(np.float32(0))))
    loaded = stood_in(model, tmp_path)
    assert sorted(kinds(loaded)) == ["Abs", "LeakyRelu", "LeakyRelu"]
    check_numbers(model, loaded, exact=True)


@pytest.mark.parametrize("factors", [(2, 2), (1, 3), (4, 2)])
def test_repeated_pixels_are_a_transposed_convolution(factors: tuple[int, int], tmp_path: Path):
    net = Net()
    how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    scales = net.given(np.array([1, 1, *factors], np.float32))
    model = net.model(net("Resize", net.conv("x"), "", scales, mode="nearest", **how))
    loaded = stood_in(model, tmp_path)
    assert kinds(loaded) == ["Conv", "ConvTranspose"]
    check_numbers(model, loaded, exact=True)


@pytest.mark.parametrize(
    ("kind", "operands", "attributes"),
    [
        ("Slice", ([1], [5], [1]), {}),
        ("Slice", ([5], [0], [-3], [-2]), {}),
        ("Gather", ([4, 1, -1, 1],), {"axis": 1}),
    ],
)
def test_picked_channels_are_a_convolution(kind, operands, attributes, tmp_path: Path):
    net = Net()
    constants = [net.given(np.array(o, np.int64)) for o in operands]
    model = net.model(net(kind, "x", *constants, **attributes))
    loaded = stood_in(model, tmp_path)
    assert kinds(loaded) == ["Conv"]
    check_numbers(model, loaded, exact=True)


def test_parted_channels_are_convolutions(tmp_path: Path):
    net = Net()
    first = net("Split", "x", net.given(np.array([1, 2, 3])), results=3, axis=1)
    model = net.model(net("Abs", f"{first}_2"), first)
    loaded = stood_in(model, tmp_path)
    assert sorted(kinds(loaded)) == ["Abs", "Conv", "Conv"]
    check_numbers(model, loaded, exact=True)


@pytest.mark.parametrize("kind", ["Add", "Div", "Mul", "Sub", "Sum"])
def test_a_row_is_a_product_or_its_bias(kind: str, tmp_path: Path):
    net = Net()
    made = net("Sigmoid", net(kind, net("Abs", "x"), net.c(CHANNELS)))
    other = net("Sub", net.c(1, 1, CHANNELS), "x")
    model = net.model(made, other, shape=TOKENS)
    loaded = stood_in(model, tmp_path)
    assert kinds(loaded).count("MatMul") == 2
    check_numbers(model, loaded)


def test_the_bias_of_a_product_stays(tmp_path: Path):
    net = Net()
    made = net("Add", net("MatMul", "x", net.c(CHANNELS, 9)), net.c(9))
    model = net.model(net("Abs", made), shape=TOKENS)
    assert kinds(stood_in(model, tmp_path)) == ["MatMul", "Add", "Abs"]


@pytest.mark.parametrize("operands", [1, 2])
def test_a_norm_of_rows_is_written_out(operands: int, tmp_path: Path):
    net = Net()
    affine = [net.c(CHANNELS) for _ in range(operands)]
    model = net.model(net("LayerNormalization", "x", *affine, epsilon=1e-3), shape=TOKENS)
    loaded = stood_in(model, tmp_path)
    assert "LayerNormalization" not in kinds(loaded)
    check_numbers(model, loaded)


@pytest.mark.parametrize(
    ("kind", "axes", "sizes"),
    [
        ("Unsqueeze", [1], [0, 1, -1, CHANNELS]),
        ("Unsqueeze", [-1], [0, -1, CHANNELS, 1]),
        ("Unsqueeze", [3, 0], None),
        ("ReduceMean", [2], [0, -1]),
        ("ReduceMax", [1], [-1, CHANNELS]),
    ],
)
def test_views_say_which_sizes_stay(
    kind: str, axes: list[int], sizes: list[int] | None, tmp_path: Path
):
    net = Net()
    x = net("Abs", "x")
    if kind == "Unsqueeze":
        made = net(kind, x, net.given(np.array(axes)))
    else:
        made = net(kind, x, axes=axes, keepdims=0)
    path = tmp_path / "model.onnx"
    model = net.model(net("Sigmoid", made), shape=TOKENS)
    onnx.save(model, path)
    loaded = load_model(path)
    normalize(loaded.module)
    put_stand_ins(loaded.module, get_chip("bm1684"))
    ops = {op.op_type: op for op in top_level_ops(loaded.module)}
    if sizes is None:
        # Two sizes move, and a Reshape can leave one open.
        assert kind in ops
        return
    assert kind != "Unsqueeze" or kind not in ops
    found = Constants(loaded.store).array(ops["Reshape"].operands[1])
    assert found is not None
    assert found.tolist() == sizes
    check_numbers(model, loaded)


def test_dropped_dimensions_are_a_reshape(tmp_path: Path):
    net = Net()
    pooled = net("GlobalAveragePool", "x")
    model = net.model(net("Abs", net("Squeeze", pooled, net.given(np.array([2, 3])))))
    loaded = stood_in(model, tmp_path)
    assert kinds(loaded) == ["GlobalAveragePool", "Reshape", "Abs"]
    check_numbers(model, loaded)


def test_what_is_computed_has_no_stand_in(tmp_path: Path):
    """The refusal stays, and is no traceback."""
    net = Net()
    end = net("Gather", net("Shape", "x"), net.given(np.array([1])))
    starts = [net.given(np.array([0])), end, net.given(np.array([1]))]
    path = tmp_path / "model.onnx"
    onnx.save(net.model(net("Slice", "x", starts[0], net("Abs", end), starts[2])), path)
    loaded = load_model(path)
    normalize(loaded.module)
    put_stand_ins(loaded.module, get_chip("bm1684"))


def test_where_the_chip_runs_an_op_nothing_stands_in(tmp_path: Path):
    net = Net()
    model = net.model(net("Relu", scaled(net, net.conv("x"), "Mul")))
    assert kinds(stood_in(model, tmp_path, "bm1684x")) == ["Conv", "Mul", "Relu"]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_any_of_them_in_a_row(tmp_path: Path, data: st.DataObject):
    net = Net(data.draw(st.integers(0, 99)))
    values = ["x"]
    for _ in range(data.draw(st.integers(1, 6))):
        x = data.draw(st.sampled_from(values[-2:]))
        kind = data.draw(st.sampled_from([*SCALED, "Sub", "conv", "Relu", "Abs", "Slice"]))
        if kind == "conv":
            made = net.conv(x)
        elif kind in ("Relu", "Abs"):
            made = net(kind, x)
        elif kind == "Slice":
            backwards = [net.given(np.array([i])) for i in (5, -9, 1, -1)]
            made = net(kind, x, *backwards)
        else:
            made = scaled(net, x, kind)
        values.append(made)
    read = {name for node in net.nodes for name in node.input}
    model = net.model(*(v for v in values[1:] if v not in read))
    check_numbers(model, stood_in(model, tmp_path))
