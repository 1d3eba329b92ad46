"""convert-caffe-to-onnx against OpenCV: each layer by itself, under hypothesis.

A network of one layer is written, read, converted, and run by ONNX Runtime; OpenCV runs the same file. The
sizes that Caffe's own arithmetic gives are compared too.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from caffe_writer import Array, NetWriter
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from autosplit.core.errors import AutosplitError
from autosplit.dialects.caffe import GraphOp, InputOp
from autosplit.dialects.platform import platform_graph, shape_of
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_caffe_to_onnx import CONVERSIONS, convert
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.platforms import Model, load_model

cv2: Any = pytest.importorskip("cv2")
ort: Any = pytest.importorskip("onnxruntime")

SETTINGS = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

SEEN: set[str] = set()
"""The types of layers that were compared."""

RAN: set[str] = set()
"""The tests that ran in this process."""


@pytest.fixture(autouse=True)
def noted(request: pytest.FixtureRequest) -> None:
    """Each test is noted."""
    RAN.add(request.node.nodeid)


def floats(*sizes: int, seed: int = 3) -> Array:
    return np.random.default_rng(seed).uniform(-2, 2, sizes).astype(np.float32)


def check(
    kind: str,
    inputs: Sequence[Array],
    params: str = "",
    weights: Sequence[Array] = (),
    *,
    outputs: int = 1,
    tolerance: float = 2e-5,
) -> list[Array]:
    """Compares one layer; returns what OpenCV computes. Cases that OpenCV refuses are not of interest."""
    net = NetWriter()
    names = [net.input(f"x{i}", *array.shape) for i, array in enumerate(inputs)]
    tops = [f"y{i}" for i in range(outputs)]
    net.layer(kind, names, params, weights, name="l", tops=tops)
    feeds = dict(zip(names, inputs, strict=True))
    with TemporaryDirectory() as name:
        folder = Path(name)
        net.save(folder / "net.prototxt", folder / "net.caffemodel")
        model = load_model(folder / "net.prototxt")
        files = {"proto": "net.prototxt", "weight": "net.caffemodel"}
        try:
            wanted = model.platform.executor(files, folder).run(feeds, tops)
        except AutosplitError:
            assume(False)
            raise
        convert(model.module)
        graph = platform_graph(model.module)
        assert isinstance(graph, GraphOp)
        left = [op for op in graph.layers() if not isinstance(op, InputOp)]
        assert not left, [op.attributes for op in left]
        sizes = {n: shape_of(v.type) for n, v in graph.values().items()}
        found = run_onnx(model, tops, feeds)
    SEEN.add(kind)
    for top in tops:
        want, got = wanted[top], found[top]
        assert sizes[top] == got.shape
        assert got.shape == want.shape, (got.shape, want.shape)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    return [wanted[top] for top in tops]


def run_onnx(model: Model, outputs: Sequence[str], feeds: dict[str, Array]) -> dict[str, Array]:
    proto = model_proto(extract_onnx(model.module, outputs), model.store)
    session = ort.InferenceSession(proto.SerializeToString())
    read = {i.name for i in session.get_inputs()}
    made = session.run(list(outputs), {n: a for n, a in feeds.items() if n in read})
    return dict(zip(outputs, made, strict=True))


@st.composite
def windows(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """Height, width, kernel, stride and padding that fit each other."""
    kernel = draw(st.integers(1, 4))
    pad = draw(st.integers(0, kernel - 1))
    sizes = st.integers(max(kernel - 2 * pad, 1), 11)
    return draw(sizes), draw(sizes), kernel, draw(st.integers(1, 3)), pad


@SETTINGS
@given(windows(), st.sampled_from([1, 2, 4]), st.booleans(), st.integers(1, 2))
def test_convolution(
    window: tuple[int, int, int, int, int], group: int, bias: bool, dilation: int
) -> None:
    height, width, kernel, stride, pad = window
    reach = dilation * (kernel - 1) + 1
    assume(min(height, width) + 2 * pad >= reach)
    params = (
        f"convolution_param {{ num_output: 8 kernel_size: {kernel} stride: {stride} pad: {pad} "
        f"group: {group} dilation: {dilation} bias_term: {str(bias).lower()} }}"
    )
    weights = [floats(8, 4 // group, kernel, kernel), floats(8)][: 1 + bias]
    check("Convolution", [floats(2, 4, height, width)], params, weights, tolerance=1e-4)


def test_convolutions_of_other_forms() -> None:
    x = floats(1, 4, 7, 9)
    sides = "kernel_h: 3 kernel_w: 1 stride_h: 1 stride_w: 2 pad_h: 1 pad_w: 0"
    check(
        "Convolution",
        [x],
        f"convolution_param {{ num_output: 2 bias_term: false {sides} }}",
        [floats(2, 4, 3, 1)],
    )
    lists = "kernel_size: 3 kernel_size: 1 stride: 1 stride: 2 pad: 1 pad: 0"
    check(
        "Convolution",
        [x],
        f"convolution_param {{ num_output: 2 {lists} }}",
        [floats(2, 4, 3, 1), floats(2)],
    )
    # Forks have layers of one channel each, and may leave the number of groups out.
    params = "convolution_param { num_output: 4 kernel_size: 3 pad: 1 bias_term: false }"
    check("ConvolutionDepthwise", [x], params, [floats(4, 1, 3, 3)])


@SETTINGS
@given(windows(), st.sampled_from([1, 2]), st.booleans())
def test_deconvolution(window: tuple[int, int, int, int, int], group: int, bias: bool) -> None:
    height, width, kernel, stride, pad = window
    assume(min(height, width) > 1 or not pad)
    params = (
        f"convolution_param {{ num_output: 6 kernel_size: {kernel} stride: {stride} pad: {pad} "
        f"group: {group} bias_term: {str(bias).lower()} }}"
    )
    weights = [floats(4, 6 // group, kernel, kernel), floats(6)][: 1 + bias]
    check("Deconvolution", [floats(1, 4, height, width)], params, weights, tolerance=1e-4)


@SETTINGS
@given(windows(), st.sampled_from(["MAX", "AVE"]), st.booleans())
def test_pooling(window: tuple[int, int, int, int, int], kind: str, up: bool) -> None:
    height, width, kernel, stride, pad = window
    assume(pad <= kernel // 2)
    assume(kernel >= stride)
    ceil = "" if up else "ceil_mode: false"
    params = (
        f"pooling_param {{ pool: {kind} kernel_size: {kernel} stride: {stride} pad: {pad} {ceil} }}"
    )
    check("Pooling", [floats(2, 3, height, width)], params)


@pytest.mark.parametrize("kind", ["MAX", "AVE"])
def test_global_pooling(kind: str) -> None:
    check("Pooling", [floats(2, 3, 5, 7)], f"pooling_param {{ pool: {kind} global_pooling: true }}")


@SETTINGS
@given(st.integers(1, 3), st.booleans())
def test_inner_product(axis: int, bias: bool) -> None:
    x = floats(2, 3, 4, 5)
    count = int(np.prod(x.shape[axis:]))
    params = f"inner_product_param {{ num_output: 6 axis: {axis} bias_term: {str(bias).lower()} }}"
    weights = [floats(6, count), floats(6)][: 1 + bias]
    check("InnerProduct", [x], params, weights, tolerance=1e-4)


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("AbsVal", ""),
        ("BNLL", ""),
        ("Dropout", "dropout_param { dropout_ratio: 0.3 }"),
        ("ELU", "elu_param { alpha: 0.5 }"),
        ("Exp", ""),
        ("Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }"),
        ("Power", "power_param { power: 3 scale: 0.5 shift: 0.25 }"),
        ("Power", "power_param { power: 2 }"),
        ("Power", "power_param { scale: -1 shift: 0.5 }"),
        ("ReLU", ""),
        ("ReLU", "relu_param { negative_slope: 0.1 }"),
        ("ReLU6", ""),
        ("Sigmoid", ""),
        ("Softmax", ""),
        ("Softmax", "softmax_param { axis: 2 }"),
        ("TanH", ""),
        ("LRN", "lrn_param { local_size: 3 alpha: 0.5 beta: 0.75 }"),
        ("LRN", "lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 alpha: 0.5 beta: 0.75 }"),
        ("MVN", ""),
        ("MVN", "mvn_param { across_channels: true }"),
        ("MVN", "mvn_param { normalize_variance: false }"),
        ("Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }"),
        ("Flatten", ""),
        ("Flatten", "flatten_param { axis: 2 end_axis: 3 }"),
        ("Flatten", "flatten_param { axis: 1 end_axis: -2 }"),
        ("Reshape", "reshape_param { shape { dim: 0 dim: -1 } }"),
        ("Reshape", "reshape_param { shape { dim: 0 dim: 3 dim: 0 dim: -1 dim: 1 } }"),
        ("Reshape", "reshape_param { shape { dim: -1 dim: 2 } axis: 1 num_axes: 2 }"),
        ("Split", ""),
        ("ShuffleChannel", "shuffle_channel_param { group: 3 }"),
        ("Interp", "interp_param { height: 9 width: 7 }"),
        ("Interp", "interp_param { zoom_factor: 2 }"),
    ],
)  # fmt: skip
def test_layers_of_one_blob(kind: str, params: str) -> None:
    check(kind, [floats(2, 6, 4, 5)], params)


def test_log() -> None:
    check("Log", [np.abs(floats(1, 3, 4)) + 1], "")


@pytest.mark.parametrize("divisor", [0.0, 2.0])
def test_batch_norm(divisor: float) -> None:
    weights = [floats(3), np.abs(floats(3, seed=5)) + 1, np.array([divisor], np.float32)]
    check("BatchNorm", [floats(2, 3, 4, 5)], "batch_norm_param { eps: 0.01 }", weights)


@pytest.mark.parametrize(
    ("params", "sizes"),
    [
        ("", (3,)),
        ("bias_term: true", (3,)),
        ("axis: 1 num_axes: 2", (3, 4)),
        ("axis: 2 num_axes: 1", (4,)),
    ],
)  # fmt: skip
def test_scale(params: str, sizes: tuple[int, ...]) -> None:
    weights = [floats(*sizes), floats(*sizes, seed=4)][: 1 + ("bias" in params)]
    check("Scale", [floats(2, 3, 4, 5)], f"scale_param {{ {params} }}", weights)


def test_scale_by_a_blob() -> None:
    check("Scale", [floats(2, 3, 4, 5), floats(2, 3, 1, 1, seed=4)], "scale_param { axis: 0 }")


@pytest.mark.parametrize("shared", [False, True])
def test_prelu(shared: bool) -> None:
    params = f"prelu_param {{ channel_shared: {str(shared).lower()} }}"
    check("PReLU", [floats(2, 3, 4, 5)], params, [floats(1 if shared else 3)])


@pytest.mark.parametrize(
    ("across", "shared"), [(False, False), (True, True)]
)  # OpenCV shares the scale where the length is of all.
def test_normalize(across: bool, shared: bool) -> None:
    params = f"norm_param {{ across_spatial: {str(across).lower()} channel_shared: {str(shared).lower()} }}"
    check("Normalize", [floats(1, 3, 4, 5)], params, [floats(1 if shared else 3)])


@pytest.mark.parametrize(
    "params",
    ["", "operation: PROD", "operation: MAX", "coeff: 1 coeff: -1", "coeff: 0.5 coeff: 2"],
)  # fmt: skip
def test_eltwise(params: str) -> None:
    check(
        "Eltwise", [floats(2, 3, 4, 5), floats(2, 3, 4, 5, seed=4)], f"eltwise_param {{ {params} }}"
    )


@SETTINGS
@given(st.integers(0, 3), st.integers(2, 4))
def test_concat(axis: int, count: int) -> None:
    sizes = [2, 3, 4, 5]
    inputs = [floats(*[*sizes[:axis], i + 1, *sizes[axis + 1 :]]) for i in range(count)]
    check("Concat", inputs, f"concat_param {{ axis: {axis} }}")


def test_slice() -> None:
    x = floats(2, 6, 4, 5)
    check("Slice", [x], "slice_param { slice_point: 1 slice_point: 4 }", outputs=3)
    check("Slice", [x], "slice_param { axis: 2 slice_point: 3 }", outputs=2)


def test_crop() -> None:
    check(
        "Crop",
        [floats(1, 3, 8, 9), floats(1, 3, 4, 5)],
        "crop_param { axis: 2 offset: 1 offset: 3 }",
    )
    check("Crop", [floats(1, 6, 8, 9), floats(1, 3, 4, 5)], "crop_param { axis: 1 offset: 2 }")


@SETTINGS
@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.booleans(),
    st.sampled_from(["", "aspect_ratio: 2", "aspect_ratio: 2 aspect_ratio: 3 aspect_ratio: 1"]),
    st.sampled_from(["", "step: 8", "step_h: 7 step_w: 9"]),
    st.booleans(),
    st.booleans(),
)
def test_prior_box(
    height: int, width: int, largest: bool, ratios: str, step: str, flip: bool, clip: bool
) -> None:
    most = "max_size: 14" if largest else ""
    marks = f"flip: {str(flip).lower()} clip: {str(clip).lower()}"
    params = (
        f"prior_box_param {{ min_size: 6 {most} {ratios} {step} {marks} offset: 0.5 "
        "variance: 0.1 variance: 0.1 variance: 0.2 variance: 0.2 }"
    )
    check("PriorBox", [floats(1, 4, height, width), floats(1, 3, 48, 32)], params, tolerance=1e-6)


@pytest.mark.parametrize(
    ("kind", "params", "weights", "compute"),
    [
        ("Threshold", "threshold_param { threshold: 0.5 }", [], lambda x: x > 0.5),
        ("Tile", "tile_param { axis: 1 tiles: 2 }", [], lambda x: np.concatenate([x, x], 1)),
        ("Bias", "", [floats(3)], lambda x: x + floats(3).reshape(3, 1, 1)),
    ],
)  # fmt: skip
def test_layers_that_opencv_lacks(
    kind: str, params: str, weights: list[Array], compute: Any, tmp_path: Path
) -> None:
    net = NetWriter()
    net.layer(kind, net.input("x", 1, 3, 4, 5), params, weights, name="y")
    net.save(tmp_path / "net.prototxt", tmp_path / "net.caffemodel")
    model = load_model(tmp_path / "net.prototxt")
    convert(model.module)
    x = floats(1, 3, 4, 5, seed=8)
    assert np.array_equal(run_onnx(model, ["y"], {"x": x})["y"], compute(x))


def reason(folder: Path, kind: str, params: str, *inputs: tuple[int, ...]) -> str:
    """Why a layer stays."""
    net = NetWriter()
    names = [net.input(f"x{i}", *sizes) for i, sizes in enumerate(inputs)]
    weights = [net.floats(8, 6), net.floats(8)] if kind == "InnerProduct" else []
    net.layer(kind, names, params, weights, name="y")
    net.save(folder / "net.prototxt", folder / "net.caffemodel")
    model = load_model(folder / "net.prototxt")
    convert(model.module)
    return str(platform_graph(model.module).body_ops()[-1].attributes.get("device.refused"))


@pytest.mark.parametrize(
    ("kind", "params", "sizes", "said"),
    [
        ("Pooling", "pooling_param { pool: STOCHASTIC kernel_size: 2 }", (1, 3, 4, 4), "at random"),
        ("Pooling", "pooling_param { kernel_size: 1 stride: 2 }", (1, 3, 6, 6), "behind the blob"),
        ("Pooling", "pooling_param { kernel_size: 2 }", (1, 3, 6), "expected 4"),
        ("LRN", "lrn_param { k: 2 }", (1, 3, 4, 4), "ignores its k"),
        ("LRN", "lrn_param { local_size: 4 }", (1, 3, 4, 4), "odd number"),
        ("Log", "log_param { base: 2 }", (1, 3), "ignores its base"),
        ("Reshape", "reshape_param { shape { dim: 0 dim: 5 } }", (1, 3, 4), "makes [1, 5] of [1, 3, 4]"),
        ("Slice", "slice_param { slice_point: 9 }", (1, 3, 4), "slice_point [9] for 1 part of 3"),
        ("InnerProduct", "inner_product_param { num_output: 8 }", (1, 5), "reads 5 numbers"),
        ("ArgMax", "", (1, 5), "ArgMax has no conversion"),
    ],
)  # fmt: skip
def test_what_has_no_exact_counterpart_stays(
    kind: str, params: str, sizes: tuple[int, ...], said: str, tmp_path: Path
) -> None:
    assert said in reason(tmp_path, kind, params, sizes)


def test_const() -> None:
    check("Eltwise", [floats(1, 3), floats(1, 3, seed=4)])
    net = NetWriter()
    array = floats(2, 2000)
    net.layer("Const", [], weights=[array], name="c")
    net.layer("Eltwise", [net.input("x", 2, 2000), "c"], name="y")
    with TemporaryDirectory() as name:
        folder = Path(name)
        net.save(folder / "net.prototxt", folder / "net.caffemodel")
        model = load_model(folder / "net.prototxt")
        files = {"proto": "net.prototxt", "weight": "net.caffemodel"}
        wanted = model.platform.executor(files, folder).run({"x": array}, ["y"])["y"]
        convert(model.module)
        assert np.array_equal(run_onnx(model, ["y"], {"x": array})["y"], wanted)
    SEEN.add("Const")


def test_every_conversion_is_compared(request: pytest.FixtureRequest) -> None:
    """What OpenCV has no layer for cannot be."""
    others = {item.nodeid for item in request.session.items if item.path == request.path}
    if others - {request.node.nodeid} - RAN:
        # A worker beside this one has run the rest, and knows what that compared.
        pytest.skip("only some tests of this file ran in this process")
    assert set(CONVERSIONS) - SEEN == NOT_IN_OPENCV


NOT_IN_OPENCV = {"Bias", "Threshold", "Tile"}
