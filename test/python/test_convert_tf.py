"""convert-tf-to-onnx against TensorFlow: small graphs of every op kind, and whole networks.

Each case is built with TensorFlow, imported, converted, exported as ONNX and run by ONNX Runtime. What is
expected is TensorFlow's own result. All cases run with and without clean-up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sampled import sample
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Operation

from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.ops import OnnxOp
from autosplit.dialects.platform import location_names, platform_graph, value_name
from autosplit.dialects.tf import GraphOp, TfOp
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_tf_to_onnx import CONVERSIONS, convert
from autosplit.lowering.convert_tf_to_onnx.constants import KnownValues
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.platforms import Model, load_model
from autosplit.testing.models import model_path

tf: Any = pytest.importorskip("tensorflow")
ort: Any = pytest.importorskip("onnxruntime")
onnx: Any = pytest.importorskip("onnx")
raw: Any = tf.raw_ops

Array = np.ndarray[Any, Any]
Feeds = Mapping[str, Array]


@cache
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> Array:
    return np.asarray(rng().uniform(low, high, size=shape), np.float32)


def ints(*shape: int, low: int = -9, high: int = 10, dtype: Any = np.int32) -> Array:
    return np.asarray(rng().integers(low, high, size=shape), dtype)


def bools(*shape: int) -> Array:
    return np.asarray(rng().integers(0, 2, size=shape), np.bool_)


# Building, converting, running.


def make_graph(
    build: Callable[..., Any], arrays: Sequence[Array], known: str
) -> tuple[Any, dict[str, Array], list[str]]:
    """A GraphDef, what to feed, and the names of its outputs.

    `known`: what the placeholders say of their shapes: `all`, the `rank`, or `none`.
    """
    graph = tf.Graph()
    with graph.as_default():
        inputs: list[Any] = []
        for i, array in enumerate(arrays):
            shape: Any = {"all": list(array.shape), "rank": [None] * array.ndim, "none": None}[
                known
            ]
            inputs.append(tf.compat.v1.placeholder(array.dtype, shape, name=f"x{i}"))
        made = build(*inputs)
        made = list(made) if isinstance(made, list | tuple) else [made]
        named = [tf.identity(m, name=f"y{i}") for i, m in enumerate(made)]
    feeds = {v.name: a for v, a in zip(inputs, arrays, strict=True)}
    return graph.as_graph_def(), feeds, [n.name for n in named]


def run_tensorflow(graph_def: Any, feeds: Feeds, outputs: Sequence[str]) -> list[Array]:
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(list(outputs), dict(feeds))


def import_graph_def(graph_def: Any, path: Path) -> Model:
    path.write_bytes(graph_def.SerializeToString(deterministic=True))
    return load_model(path, "tensorflow")


def converted(model: Model, feeds: Feeds, outputs: Sequence[str], cleanup: bool) -> ModuleOp:
    module = model.module.clone()
    graph = platform_graph(module)
    assert isinstance(graph, GraphOp)
    graph.set_ends(list(feeds), outputs)
    convert(Context(), module, cleanup=cleanup)
    module.verify()
    return module


def refusals(module: ModuleOp) -> dict[str, ReasonAttr]:
    """The reasons on the tf ops that stayed, by node name."""
    found: dict[str, ReasonAttr] = {}
    for op in platform_graph(module).body_ops():
        refused = op.attributes.get("device.refused")
        if isinstance(refused, DictionaryAttr):
            reason = refused.data["tpu"]
            assert isinstance(reason, ReasonAttr)
            found[location_names(op.location)[0]] = reason
    return found


def run_onnx(model: Model, module: ModuleOp, feeds: Feeds, outputs: Sequence[str]) -> list[Array]:
    extracted = extract_onnx(module, outputs)
    extracted.verify()
    proto = model_proto(extracted, model.store)
    # The checker wants inputs and outputs of known rank, which ONNX does not.
    ends = [*proto.graph.input, *proto.graph.output]
    if all(v.type.tensor_type.HasField("shape") for v in ends):
        onnx.checker.check_model(proto)
    # Strict inference fails where a type that we wrote contradicts the ops.
    onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    # Some releases break Resize with the attribute `axes` when they move transposes.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(proto.SerializeToString(), options)
    given = {i.name: np.asarray(feeds[i.name]) for i in session.get_inputs()}
    return session.run(list(outputs), given)


def check_types(module: ModuleOp, outputs: Sequence[str], arrays: Sequence[Array]) -> None:
    """What the IR says of the outputs' shapes is true."""
    from xdsl.dialects.builtin import TensorType

    wanted = dict(zip(outputs, arrays, strict=True))
    for op in platform_graph(module).body_ops():
        for result in op.results:
            array = wanted.get(value_name(result))
            if array is None or not isinstance(result.type, TensorType):
                continue
            shape = result.type.get_shape()
            assert len(shape) == array.ndim, value_name(result)
            assert all(d in (size, -(2**63)) for d, size in zip(shape, array.shape, strict=True))


def assert_same(got: Array, wanted: Array, tolerance: float) -> None:
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    if wanted.dtype.kind in "iub":
        np.testing.assert_array_equal(got, wanted)
        return
    scale = float(np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1e-30))
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance * scale)


def check(
    build: Callable[..., Any],
    arrays: Sequence[Array],
    path: Path,
    known: str = "all",
    tolerance: float = 1e-5,
    refused: str | None = None,
) -> None:
    """Converts and compares; or, with `refused`, asserts that an op stays for a reason of that code."""
    graph_def, feeds, outputs = make_graph(build, arrays, known)
    try:
        wanted = run_tensorflow(graph_def, feeds, outputs)
    except tf.errors.UnimplementedError as error:
        # On some processors TensorFlow leaves this to oneDNN, on others it has no kernel.
        if "does not support dilations" not in error.message:
            raise
        pytest.skip("TensorFlow has no kernel for it on this processor")
    model = import_graph_def(graph_def, path / "graph.pb")
    for cleanup in (False, True):
        module = converted(model, feeds, outputs, cleanup)
        reasons = refusals(module)
        if refused is not None:
            assert refused in {r.code.data for r in reasons.values()}
            continue
        assert not reasons, {n: str(r) for n, r in reasons.items()}
        check_types(module, outputs, wanted)
        for got, want in zip(run_onnx(model, module, feeds, outputs), wanted, strict=True):
            assert_same(got, want, tolerance)


# The cases.


@dataclass(frozen=True)
class Case:
    """A graph of one op kind, and the arrays that go in."""

    build: Callable[..., Any]
    arrays: Sequence[Array]
    needs: str = "none"
    """What must be known of operands' shapes: `all`, the `rank` or `none`; with less the op is refused."""
    tolerance: float = 1e-5
    levels: tuple[str, ...] = field(default=("all", "rank", "none"))
    """What of the shapes the placeholders say, one run for each."""


CASES: dict[str, Case] = {}


def case(name: str, build: Callable[..., Any], *arrays: Array, **options: Any) -> None:
    assert name not in CASES
    CASES[name] = Case(build, arrays, **options)


ALL = ("all",)

# Elementwise.
UNARY = """
    Abs Asinh Atan Cos Cosh Elu Erf Exp Floor Ceil Identity IsNan IsInf IsFinite Neg OnesLike
    Relu Relu6 Rint Round Selu Sigmoid Sign Sin Sinh Snapshot Softplus Softsign Square
    StopGradient Tan Tanh ZerosLike PreventGradient
"""
for _op in UNARY.split():
    _key = "features" if _op in ("Elu", "Relu", "Relu6", "Selu", "Softplus", "Softsign") else None
    _key = _key or (
        "input" if _op in ("Identity", "PreventGradient", "StopGradient", "Snapshot") else "x"
    )
    case(
        _op.lower(),
        lambda x, op=_op, key=_key: getattr(raw, op)(**{key: x}),
        floats(2, 3, 5) * 3,
        levels=ALL,
    )
for _op in ("Acos", "Asin", "Atanh"):
    case(
        _op.lower(),
        lambda x, op=_op: getattr(raw, op)(x=x),
        floats(7, low=-0.9, high=0.9),
        levels=ALL,
    )
case("acosh", lambda x: raw.Acosh(x=x), floats(7, low=1.1, high=4), levels=ALL)
for _op in ("Log", "Rsqrt", "Sqrt", "Reciprocal", "Inv"):
    case(_op.lower(), lambda x, op=_op: getattr(raw, op)(x=x), floats(2, 9, low=0.1), levels=ALL)
for _op in (
    "Add",
    "AddV2",
    "Sub",
    "Mul",
    "RealDiv",
    "Div",
    "Maximum",
    "Minimum",
    "SquaredDifference",
):
    case(
        f"{_op.lower()}_f32",
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        floats(2, 3, 4),
        floats(3, 1, low=0.5),
    )
for _op in ("AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"):
    case(
        f"{_op.lower()}_i32",
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        ints(4, 5),
        ints(5),
        levels=ALL,
    )
_POSITIVE = np.abs(ints(6, 7)) + 1
_DIVISORS = np.where(bools(6, 7), _POSITIVE, -_POSITIVE).astype(np.int32)
for _op in ("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Div", "Mod"):
    case(
        f"{_op.lower()}_i32_signs",
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        ints(6, 7, low=-40, high=40),
        _DIVISORS,
        levels=ALL,
    )
for _op in ("FloorDiv", "FloorMod", "TruncateMod"):
    case(
        f"{_op.lower()}_f32_signs",
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        ints(6, 7, low=-40, high=40).astype(np.float32) / 4,
        _DIVISORS.astype(np.float32) / 2,
        levels=ALL,
    )
case(
    "floormod_i64",
    lambda x, y: raw.FloorMod(x=x, y=y),
    ints(9, dtype=np.int64),
    np.int64(-4),
    levels=ALL,
)
for _op in ("DivNoNan", "MulNoNan"):
    case(
        _op.lower(),
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        floats(3, 4),
        floats(3, 4) * bools(3, 4),
        levels=ALL,
    )
case("pow", lambda x, y: raw.Pow(x=x, y=y), floats(3, 4, low=0.1), floats(4), levels=ALL)
for _op in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"):
    case(
        _op.lower(),
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        ints(5, 6, low=-2, high=3),
        ints(6, low=-2, high=3),
    )
for _op in ("LogicalAnd", "LogicalOr"):
    case(
        _op.lower(),
        lambda x, y, op=_op: getattr(raw, op)(x=x, y=y),
        bools(4, 3),
        bools(3),
        levels=ALL,
    )
case("logicalnot", lambda x: raw.LogicalNot(x=x), bools(9), levels=ALL)
for _op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    case(_op.lower(), lambda x, y, op=_op: getattr(raw, op)(x=x, y=y), ints(9), ints(9), levels=ALL)
case("invert", lambda x: raw.Invert(x=x), ints(9), levels=ALL)
case("relu_i32", lambda x: raw.Relu(features=x), ints(9), levels=ALL)
case("round_halves", lambda x: raw.Round(x=x), np.arange(-4, 4.5, 0.5, np.float32), levels=ALL)
case("leaky_relu", lambda x: raw.LeakyRelu(features=x, alpha=0.3), floats(9), levels=ALL)
case("leaky_relu_default", lambda x: raw.LeakyRelu(features=x), floats(9), levels=ALL)
case(
    "clip_by_value",
    lambda x: raw.ClipByValue(t=x, clip_value_min=-1.0, clip_value_max=0.5),
    floats(9),
    levels=ALL,
)
case("add_n", lambda x, y: raw.AddN(inputs=[x, y, x]), floats(3, 2), floats(3, 2), levels=ALL)
case("identity_n", lambda x, y: raw.IdentityN(input=[x, y]), floats(3), ints(2), levels=ALL)
case("hard_swish", lambda x: x * tf.nn.relu6(x + 3.0) * (1 / 6), floats(2, 9) * 4, levels=ALL)
for _from, _to in (
    ("float32", "int32"), ("int32", "float32"), ("uint8", "float32"), ("float32", "bool"), ("bool", "int64"),
    ("float32", "float16"), ("float64", "float32"), ("int64", "int32"), ("float32", "uint8"),
):  # fmt: skip
    case(
        f"cast_{_from}_{_to}",
        lambda x, to=_to: raw.Cast(x=x, DstT=getattr(tf, to)),
        (floats(11, low=0, high=40)).astype(_from),
        levels=ALL,
    )
case(
    "select_same",
    lambda c, x, y: raw.Select(condition=c, x=x, y=y),
    bools(3, 4),
    floats(3, 4),
    floats(3, 4),
    needs="rank",
)
case(
    "select_rows",
    lambda c, x, y: raw.Select(condition=c, x=x, y=y),
    bools(3),
    floats(3, 4, 2),
    floats(3, 4, 2),
    needs="rank",
)
case(
    "select_scalar",
    lambda c, x, y: raw.Select(condition=c, x=x, y=y),
    np.bool_(True),
    floats(3, 4),
    floats(3, 4),
    needs="rank",
)
case(
    "select_v2",
    lambda c, x, y: raw.SelectV2(condition=c, t=x, e=y),
    bools(3, 1),
    floats(4),
    floats(2, 1, 4),
)
case("softmax", lambda x: raw.Softmax(logits=x), floats(3, 7) * 4)
case("log_softmax", lambda x: raw.LogSoftmax(logits=x), floats(3, 7) * 4)


def _old_atrous(x: Any, w: Array, rate: tuple[int, int], padding: str) -> Any:
    """A dilated convolution as TensorFlow 1 wrote it; x is [1, 8, 9, C], the kernel 3 x 3."""
    base = [[r, r] if padding == "SAME" else [0, 0] for r in rate]
    extra = [-(size + sum(p)) % r for size, p, r in zip((8, 9), base, rate, strict=True)]
    paddings = [[low, high + e] for (low, high), e in zip(base, extra, strict=True)]
    spread = raw.SpaceToBatchND(input=x, block_shape=rate, paddings=paddings)
    y = raw.Conv2D(input=spread, filter=w, strides=[1, 1, 1, 1], padding="VALID")
    return raw.BatchToSpaceND(input=y, block_shape=rate, crops=[[0, e] for e in extra])


# Convolutions and their like.
for _h, _l, _k, _s, _p in (
    (7, 9, 3, 1, "SAME"), (7, 9, 3, 2, "SAME"), (8, 8, 3, 2, "SAME"), (7, 10, 5, 3, "SAME"),
    (9, 9, 1, 2, "SAME"), (7, 9, 3, 1, "VALID"), (8, 11, 3, 2, "VALID"), (6, 6, 2, 2, "SAME"),
    (5, 7, 4, 2, "SAME"),
):  # fmt: skip
    _id = f"{_h}x{_l}_k{_k}_s{_s}_{_p.lower()}"
    _w = floats(_k, _k, 3, 5)
    case(
        f"conv2d_{_id}",
        lambda x, w=_w, s=_s, p=_p: raw.Conv2D(input=x, filter=w, strides=[1, s, s, 1], padding=p),
        floats(2, _h, _l, 3),
    )
    _w = floats(_k, _k, 3, 2)
    case(
        f"depthwise_{_id}",
        lambda x, w=_w, s=_s, p=_p: raw.DepthwiseConv2dNative(
            input=x, filter=w, strides=[1, s, s, 1], padding=p
        ),
        floats(2, _h, _l, 3),
    )
    for _op in ("MaxPool", "AvgPool"):
        case(
            f"{_op.lower()}_{_id}",
            lambda x, op=_op, k=_k, s=_s, p=_p: getattr(raw, op)(
                **{"input" if op == "MaxPool" else "value": x},
                ksize=[1, k, k, 1],
                strides=[1, s, s, 1],
                padding=p,
            ),
            floats(2, _h, _l, 3),
        )
_w = floats(3, 2, 3, 4)
case(
    "conv2d_explicit",
    lambda x, w=_w: raw.Conv2D(
        input=x,
        filter=w,
        strides=[1, 2, 1, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 2, 0, 3, 0, 0],
    ),
    floats(1, 8, 7, 3),
)
for _p in ("SAME", "VALID"):
    _w = floats(3, 3, 3, 4)
    case(
        f"conv2d_dilated_{_p.lower()}",
        lambda x, w=_w, p=_p: raw.Conv2D(
            input=x, filter=w, strides=[1, 1, 1, 1], dilations=[1, 2, 3, 1], padding=p
        ),
        floats(1, 11, 12, 3),
    )
    _w = floats(3, 3, 3, 2)
    case(
        f"depthwise_dilated_{_p.lower()}",
        lambda x, w=_w, p=_p: raw.DepthwiseConv2dNative(
            input=x, filter=w, strides=[1, 1, 1, 1], dilations=[1, 2, 2, 1], padding=p
        ),
        floats(1, 11, 12, 3),
    )
    _w = floats(3, 3, 3, 4)
    case(
        f"atrous_{_p.lower()}_old",
        lambda x, w=_w, p=_p: _old_atrous(x, w, (2, 3), p),
        floats(1, 8, 9, 3),
    )
    _w = floats(3, 3, 3, 4)
    case(
        f"atrous_{_p.lower()}",
        lambda x, w=_w, p=_p: tf.nn.atrous_conv2d(x, w, 2, p),
        floats(1, 9, 10, 3),
        needs="all",
        levels=ALL,
    )
case(
    "conv2d_filter_computed",
    lambda x, w: raw.Conv2D(input=x, filter=w, strides=[1, 2, 2, 1], padding="SAME"),
    floats(1, 7, 7, 3),
    floats(3, 3, 3, 4),
    needs="all",
)
_w = floats(3, 3, 16, 24)
case(
    "conv2d_large_filter",
    lambda x, w=_w: raw.Conv2D(input=x, filter=w, strides=[1, 1, 1, 1], padding="SAME"),
    floats(1, 5, 5, 16),
    levels=ALL,
)
_w = floats(3, 3, 96, 2)
case(
    "depthwise_large_filter",
    lambda x, w=_w: raw.DepthwiseConv2dNative(
        input=x, filter=w, strides=[1, 1, 1, 1], padding="SAME"
    ),
    floats(1, 5, 5, 96),
    levels=ALL,
)
case(
    "depthwise_filter_computed",
    lambda x, w: raw.DepthwiseConv2dNative(input=x, filter=w, strides=[1, 1, 1, 1], padding="SAME"),
    floats(1, 7, 7, 3),
    floats(3, 3, 3, 2),
    needs="all",
    levels=ALL,
)
_w = floats(3, 3, 2, 6)
case(
    "conv2d_grouped",
    lambda x, w=_w: raw.Conv2D(input=x, filter=w, strides=[1, 1, 1, 1], padding="SAME"),
    floats(1, 6, 6, 4),
    levels=ALL,
)
_w = floats(3, 2, 3, 2, 4)
case(
    "conv3d",
    lambda x, w=_w: raw.Conv3D(input=x, filter=w, strides=[1, 2, 1, 2, 1], padding="SAME"),
    floats(1, 5, 6, 7, 2),
    levels=ALL,
)
case(
    "maxpool3d",
    lambda x: raw.MaxPool3D(
        input=x, ksize=[1, 2, 3, 2, 1], strides=[1, 2, 2, 1, 1], padding="SAME"
    ),
    floats(1, 5, 6, 7, 2),
    levels=ALL,
)
case(
    "maxpool_v2",
    lambda x: raw.MaxPoolV2(input=x, ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1], padding="SAME"),
    floats(1, 7, 7, 2),
    levels=ALL,
)
case(
    "maxpool_explicit",
    lambda x: raw.MaxPool(
        input=x,
        ksize=[1, 3, 3, 1],
        strides=[1, 2, 2, 1],
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 1, 1, 0, 0],
    ),
    floats(1, 7, 8, 2),
    levels=ALL,
)
for _h, _k, _s, _p in (
    (4, 3, 2, "SAME"),
    (4, 4, 2, "SAME"),
    (5, 2, 3, "SAME"),
    (4, 3, 2, "VALID"),
    (5, 3, 1, "SAME"),
    (4, 5, 3, "VALID"),
    (3, 1, 2, "SAME"),
):
    for _extra in sorted({0, _s - 1}):
        _size = _h * _s - _extra if _p == "SAME" else (_h - 1) * _s + _k + _extra
        _w = floats(_k, _k, 5, 3)
        case(
            f"conv_transpose_{_h}_k{_k}_s{_s}_{_p.lower()}_{_size}",
            lambda y, w=_w, s=_s, p=_p, n=_size: raw.Conv2DBackpropInput(
                input_sizes=[2, n, n, 5], filter=w, out_backprop=y, strides=[1, s, s, 1], padding=p
            ),
            floats(2, _h, _h, 3),
            needs="all",
            levels=ALL,
        )
_w = floats(3, 3, 5, 3)
case(
    "conv_transpose_keras",
    lambda y, w=_w: raw.Conv2DBackpropInput(
        input_sizes=tf.stack([tf.shape(y)[0], tf.shape(y)[1] * 2, tf.shape(y)[2] * 2, 5]),
        filter=w,
        out_backprop=y,
        strides=[1, 2, 2, 1],
        padding="SAME",
    ),
    floats(2, 5, 6, 3),
    levels=ALL,
)
_BN = [floats(3, low=0.5), floats(3), floats(3), floats(3, low=0.1)]
for _version in ("", "V2", "V3"):
    case(
        f"fused_batch_norm{_version.lower()}",
        lambda x, v=_version: (
            getattr(raw, f"FusedBatchNorm{v}")(
                x=x,
                scale=_BN[0],
                offset=_BN[1],
                mean=_BN[2],
                variance=_BN[3],
                epsilon=0.01,
                is_training=False,
            ).y
        ),
        floats(2, 4, 5, 3),
    )
case(
    "fused_batch_norm_statistics",
    lambda x: list(
        raw.FusedBatchNorm(
            x=x,
            scale=_BN[0],
            offset=_BN[1],
            mean=_BN[2],
            variance=_BN[3],
            epsilon=0.01,
            is_training=False,
        )[:3]
    ),
    floats(2, 4, 5, 3),
    levels=ALL,
)
case(
    "fused_batch_norm_nchw",
    lambda x: (
        raw.FusedBatchNormV3(
            x=x,
            scale=_BN[0],
            offset=_BN[1],
            mean=_BN[2],
            variance=_BN[3],
            is_training=False,
            data_format="NCHW",
        ).y
    ),
    floats(2, 3, 4, 5),
)
for _shape in ([3], [1, 1, 1, 3]):
    for _parts in ("both", "scale", "offset", "none"):

        def _keras(x: Any, shape: Any = tuple(_shape), parts: str = _parts) -> Any:
            scale, offset, mean, variance = (
                tf.reshape(tf.identity(tf.constant(p)), shape) for p in _BN
            )
            return tf.nn.batch_normalization(
                x,
                mean,
                variance,
                offset if parts in ("both", "offset") else None,
                scale if parts in ("both", "scale") else None,
                0.01,
            )

        case(
            f"batch_norm_decomposed_{len(_shape)}_{_parts}", _keras, floats(2, 4, 5, 3), levels=ALL
        )
case(
    "lrn",
    lambda x: raw.LRN(input=x, depth_radius=2, bias=1.5, alpha=0.3, beta=0.7),
    floats(2, 3, 4, 9),
    levels=ALL,
)
case("bias_add", lambda x: raw.BiasAdd(value=x, bias=_BN[1]), floats(2, 4, 5, 3))
case(
    "bias_add_nchw",
    lambda x: raw.BiasAdd(value=x, bias=_BN[1], data_format="NCHW"),
    floats(2, 3, 5, 4),
    needs="rank",
)
for _op in ("DepthToSpace", "SpaceToDepth"):
    case(
        _op.lower(), lambda x, op=_op: getattr(raw, op)(input=x, block_size=2), floats(2, 4, 6, 12)
    )
case(
    "space_to_batch",
    lambda x: raw.SpaceToBatchND(input=x, block_shape=[2, 3], paddings=[[1, 0], [1, 2]]),
    floats(2, 5, 6, 3),
    needs="all",
    levels=ALL,
)
case(
    "batch_to_space",
    lambda x: raw.BatchToSpaceND(input=x, block_shape=[2, 3], crops=[[1, 0], [1, 2]]),
    floats(12, 3, 4, 2),
    needs="all",
    levels=ALL,
)
for _align, _half in ((False, False), (True, False), (False, True)):
    for _sizes in ((5, 7, 10, 14), (4, 6, 9, 11), (9, 8, 4, 5), (3, 3, 3, 3), (4, 4, 1, 8)):
        _h, _l, _oh, _ow = _sizes
        _id = f"{'align' if _align else 'half' if _half else 'legacy'}_{_h}x{_l}_{_oh}x{_ow}"
        case(
            f"bilinear_{_id}",
            lambda x, a=_align, h=_half, o=(_oh, _ow): raw.ResizeBilinear(
                images=x, size=o, align_corners=a, half_pixel_centers=h
            ),
            floats(2, _h, _l, 3),
            tolerance=3e-5,
        )
        case(
            f"nearest_{_id}",
            lambda x, a=_align, h=_half, o=(_oh, _ow): raw.ResizeNearestNeighbor(
                images=x, size=o, align_corners=a, half_pixel_centers=h
            ),
            floats(2, _h, _l, 3),
            levels=ALL,
        )
case(
    "bilinear_u8",
    lambda x: raw.ResizeBilinear(images=x, size=[6, 9]),
    ints(1, 4, 5, 3, low=0, high=255, dtype=np.uint8),
    levels=ALL,
)

# Reductions and products.
for _op in ("Mean", "Sum", "Max", "Min", "Prod", "EuclideanNorm"):
    for _axes, _keep in (([1, 2], False), ([1, 2], True), (-1, False), ([0], True), ([], False)):
        _id = "_".join(str(a) for a in np.ravel(_axes)) or "none"
        case(
            f"{_op.lower()}_{_id}_{'keep' if _keep else 'drop'}",
            lambda x, op=_op, a=_axes, k=_keep: getattr(raw, op)(
                input=x, axis=np.asarray(a, np.int32), keep_dims=k
            ),
            floats(2, 3, 4, 5),
            levels=("all", "none"),
        )
case(
    "sum_axes_computed",
    lambda x, a: raw.Sum(input=x, axis=a, keep_dims=True),
    floats(2, 3, 4),
    np.asarray([0, -1], np.int32),
    levels=ALL,
)
case("sum_i32", lambda x: raw.Sum(input=x, axis=[1]), ints(3, 4), levels=ALL)
for _op in ("All", "Any"):
    case(
        _op.lower(),
        lambda x, op=_op: getattr(raw, op)(input=x, axis=[1]),
        bools(6, 3),
        levels=("all", "none"),
    )
for _op in ("ArgMax", "ArgMin"):
    for _type in ("int32", "int64"):
        case(
            f"{_op.lower()}_{_type}",
            lambda x, op=_op, t=_type: getattr(raw, op)(
                input=x, dimension=1, output_type=getattr(tf, t)
            ),
            ints(3, 9, 2, low=0, high=3).astype(np.float32),
        )
case(
    "top_k", lambda x: list(raw.TopKV2(input=x, k=3)), ints(4, 9, low=0, high=4).astype(np.float32)
)
case("top_k_computed", lambda x, k: list(raw.TopKV2(input=x, k=k)), floats(4, 9), np.int32(2))
for _exclusive, _reverse in ((False, False), (True, False), (False, True), (True, True)):
    case(
        f"cumsum_{_exclusive}_{_reverse}",
        lambda x, e=_exclusive, r=_reverse: raw.Cumsum(x=x, axis=1, exclusive=e, reverse=r),
        floats(3, 5),
        levels=ALL,
    )
for _a, _b in ((False, False), (True, False), (False, True), (True, True)):
    case(
        f"matmul_{_a}_{_b}",
        lambda x, y, a=_a, b=_b: raw.MatMul(a=x, b=y, transpose_a=a, transpose_b=b),
        floats(*((4, 3) if _a else (3, 4))),
        floats(*((5, 4) if _b else (4, 5))),
    )
    _w = floats(*((50, 40) if _b else (40, 50)))
    case(
        f"matmul_constant_{_a}_{_b}",
        lambda x, a=_a, b=_b, y=_w: raw.MatMul(a=x, b=y, transpose_a=a, transpose_b=b),
        floats(*((40, 3) if _a else (3, 40))),
        levels=ALL,
    )
    case(
        f"batch_matmul_{_a}_{_b}",
        lambda x, y, a=_a, b=_b: raw.BatchMatMulV2(x=x, y=y, adj_x=a, adj_y=b),
        floats(2, 1, *((4, 3) if _a else (3, 4))),
        floats(3, *((5, 4) if _b else (4, 5))),
        needs="rank" if _a or _b else "none",
    )
case(
    "einsum",
    lambda x, y: raw.Einsum(inputs=[x, y], equation="bij,bkj->bik"),
    floats(2, 3, 4),
    floats(2, 5, 4),
    levels=ALL,
)
case("l2_loss", lambda x: raw.L2Loss(t=x), floats(3, 4), levels=ALL)


def _boxes(n: int) -> Array:
    corner, size = floats(n, 2, low=0, high=1), floats(n, 2, low=0.05, high=0.6)
    boxes = np.concatenate([corner, corner + size], 1)
    # Corners may come in either order.
    return np.where(bools(n, 1), boxes, boxes[:, [2, 3, 0, 1]]).astype(np.float32)


_SCORES = np.round(floats(60, low=0, high=1), 1)
case(
    "nms_v2",
    lambda b, s: raw.NonMaxSuppressionV2(boxes=b, scores=s, max_output_size=20, iou_threshold=0.4),
    _boxes(60),
    _SCORES,
)
case(
    "nms_v3",
    lambda b, s: raw.NonMaxSuppressionV3(
        boxes=b, scores=s, max_output_size=20, iou_threshold=0.4, score_threshold=0.3
    ),
    _boxes(60),
    _SCORES,
)

# Moving elements.
case(
    "shape", lambda x: [raw.Shape(input=x), raw.Shape(input=x, out_type=tf.int64)], floats(2, 3, 4)
)
case("shape_n", lambda x, y: raw.ShapeN(input=[x, y]), floats(2, 3), floats(5))
case("size", lambda x: raw.Size(input=x), floats(2, 3, 4))
case("rank", lambda x: raw.Rank(input=x), floats(2, 3, 4))
case("reshape", lambda x: raw.Reshape(tensor=x, shape=[3, -1, 2]), floats(4, 9))
case(
    "reshape_computed",
    lambda x, s: raw.Reshape(tensor=x, shape=s),
    floats(4, 9),
    np.asarray([2, -1], np.int32),
)
case("reshape_zero", lambda x: raw.Reshape(tensor=x, shape=[0, 3]), floats(0, 4), levels=ALL)
case(
    "reshape_from_shape",
    lambda x: raw.Reshape(tensor=x, shape=tf.stack([tf.shape(x)[0], 1, 1, 12])),
    floats(2, 3, 4),
)
case("squeeze", lambda x: raw.Squeeze(input=x), floats(1, 3, 1, 2))
case("squeeze_axes", lambda x: raw.Squeeze(input=x, axis=[0, -2]), floats(1, 3, 1, 2))
for _axis in (0, 1, -1, -2):
    case(f"expand_dims_{_axis}", lambda x, a=_axis: raw.ExpandDims(input=x, axis=a), floats(2, 3))
case("transpose", lambda x: raw.Transpose(x=x, perm=[2, 0, 1]), floats(2, 3, 4))
case("transpose_reversed", lambda x: tf.compat.v1.transpose(x), floats(2, 3, 4), needs="rank")
for _axis in (0, -1):
    case(
        f"concat_{_axis}",
        lambda x, y, a=_axis: raw.ConcatV2(values=[x, y, x], axis=a),
        floats(2, 3),
        floats(2, 3),
    )
    case(
        f"pack_{_axis}",
        lambda x, y, a=_axis: raw.Pack(values=[x, y], axis=a),
        floats(2, 3),
        floats(2, 3),
    )
    case(f"unpack_{_axis}", lambda x, a=_axis: raw.Unpack(value=x, num=3, axis=a), floats(3, 2, 3))
    case(
        f"split_{_axis}",
        lambda x, a=_axis: raw.Split(axis=a, value=x, num_split=2),
        floats(4, 3, 6),
    )
    case(
        f"split_v_{_axis}",
        lambda x, a=_axis: raw.SplitV(value=x, size_splits=[1, 3, 2], axis=a, num_split=3),
        floats(6, 2, 6),
    )
case(
    "concat_v1",
    lambda x, y: raw.Concat(concat_dim=1, values=[x, y]),
    floats(2, 3),
    floats(2, 4),
    levels=ALL,
)
case("concat_one", lambda x: raw.ConcatV2(values=[x, x[:0]], axis=0), floats(2, 3), levels=ALL)
case("unpack_one", lambda x: raw.Unpack(value=x, num=1, axis=1), floats(3, 1), levels=ALL)
case(
    "split_v_rest",
    lambda x: raw.SplitV(value=x, size_splits=[1, -1, 2], axis=1, num_split=3),
    floats(2, 6),
    needs="all",
    levels=ALL,
)
case("slice", lambda x: raw.Slice(input=x, begin=[1, 0, 2], size=[1, -1, 2]), floats(3, 4, 5))
case(
    "slice_computed",
    lambda x, b, s: raw.Slice(input=x, begin=b, size=s),
    floats(3, 4),
    np.asarray([1, 0], np.int32),
    np.asarray([-1, 2], np.int32),
)
case("reverse", lambda x: raw.ReverseV2(tensor=x, axis=[0, -1]), floats(3, 4, 5))
SLICES: dict[str, Callable[[Any], Any]] = {
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "range": lambda x: x[1:3],
    "stride": lambda x: x[::2, 1::2],
    "backwards": lambda x: x[::-1, 2:0:-1],
    "negative": lambda x: x[-2:, :-1],
    "shrink_inner": lambda x: x[:, 1, :2],
    "shrink_last": lambda x: x[..., -1],
    "ellipsis": lambda x: x[1, ..., 1:3],
    "ellipsis_first": lambda x: x[..., 1:, 0],
    "new_axis": lambda x: x[:, tf.newaxis, 1:],
    "new_axes": lambda x: x[tf.newaxis, ..., tf.newaxis],
    "new_and_shrink": lambda x: x[0, tf.newaxis, :, ..., tf.newaxis, 1],
    "all": lambda x: x[:],
    "empty": lambda x: x[2:1],
    "beyond": lambda x: x[1:99, -99:2],
    "two_shrinks": lambda x: x[1, 2],
}
for _name, _build in SLICES.items():
    case(f"strided_slice_{_name}", _build, floats(4, 5, 6))
_I = np.asarray
case(
    "strided_slice_computed",
    lambda x, i, j: x[i : i + j, j],
    floats(4, 5, 6),
    np.int32(1),
    np.int32(2),
)
case("strided_slice_computed_last", lambda x, i: x[:, i], floats(4, 5, 6), np.int32(-1))
case("strided_slice_computed_first", lambda x, i: x[i], floats(4, 5, 6), np.int32(2))
case(
    "gather",
    lambda x, i: raw.GatherV2(params=x, indices=i, axis=1),
    floats(3, 5, 2),
    ints(2, 4, low=0, high=5),
)
case(
    "gather_v1", lambda x, i: raw.Gather(params=x, indices=i), floats(5, 2), ints(3, low=0, high=5)
)
case(
    "gather_batch",
    lambda x, i: raw.GatherV2(params=x, indices=i, axis=1, batch_dims=1),
    floats(3, 5, 2),
    ints(3, 4, low=0, high=5),
)
case(
    "gather_nd",
    lambda x, i: raw.GatherNd(params=x, indices=i),
    floats(3, 5, 2),
    ints(4, 2, low=0, high=3),
)
case(
    "scatter_nd",
    lambda i, u: raw.ScatterNd(indices=i, updates=u, shape=[6, 2]),
    ints(9, 1, low=0, high=6),
    floats(9, 2),
)
case(
    "tensor_scatter_update",
    lambda x, u: raw.TensorScatterUpdate(tensor=x, indices=[[1], [3]], updates=u),
    floats(5, 2),
    floats(2, 2),
)
case(
    "tensor_scatter_add",
    lambda x, u: raw.TensorScatterAdd(tensor=x, indices=[[1], [1]], updates=u),
    floats(5, 2),
    floats(2, 2),
)
case(
    "one_hot",
    lambda i: raw.OneHot(indices=i, depth=4, on_value=2.0, off_value=-1.0),
    ints(2, 5, low=-2, high=6),
)
case("where", lambda c: raw.Where(condition=c), bools(3, 4, 2))
case("tile", lambda x: raw.Tile(input=x, multiples=[2, 1, 3]), floats(2, 3, 1))
case(
    "tile_computed",
    lambda x, n: raw.Tile(input=x, multiples=n),
    floats(2, 3),
    np.asarray([2, 2], np.int32),
)
case("broadcast_to", lambda x: raw.BroadcastTo(input=x, shape=[4, 2, 3]), floats(2, 1))
case("fill", lambda x: raw.Fill(dims=[2, 3], value=x), np.float32(1.5))
case(
    "fill_computed",
    lambda d, x: raw.Fill(dims=d, value=x),
    np.asarray([2, 3], np.int32),
    np.int32(7),
)
case("range", lambda n: raw.Range(start=1, limit=n, delta=2), np.int32(12))
case(
    "range_float", lambda n: raw.Range(start=0.5, limit=n, delta=0.25), np.float32(2.0), levels=ALL
)
case("pad", lambda x: raw.Pad(input=x, paddings=[[1, 0], [2, 3]]), floats(2, 3))
case(
    "pad_computed",
    lambda x, p: raw.Pad(input=x, paddings=p),
    floats(2, 3),
    np.asarray([[1, 0], [2, 3]], np.int32),
    levels=("all", "rank"),
)
case(
    "pad_v2",
    lambda x: raw.PadV2(input=x, paddings=[[1, 0], [2, 3]], constant_values=7.0),
    floats(2, 3),
)
case("pad_i32", lambda x: raw.Pad(input=x, paddings=[[1, 1]]), ints(4), levels=ALL)
case(
    "mirror_pad",
    lambda x: raw.MirrorPad(input=x, paddings=[[1, 0], [2, 1]], mode="REFLECT"),
    floats(3, 4),
)


LEVELS = ("none", "rank", "all")


@pytest.mark.parametrize(
    ("name", "known"),
    [(name, known) for name, c in sorted(CASES.items()) for known in c.levels],
)
def test_op(name: str, known: str, tmp_path: Path) -> None:
    """Each op kind computes what TensorFlow computes, or is refused where too little is known."""
    c = CASES[name]
    if LEVELS.index(known) < LEVELS.index(c.needs):
        refused = "rank" if c.needs == "rank" else "dynamic-shape"
        if name == "transpose_reversed":
            refused = "operand-value"
        check(c.build, c.arrays, tmp_path, known, refused=refused)
        return
    check(c.build, c.arrays, tmp_path, known, c.tolerance)


REFUSED: dict[str, tuple[Callable[..., Any], Sequence[Array], str]] = {
    "mirror_symmetric": (
        lambda x: raw.MirrorPad(input=x, paddings=[[1, 1]], mode="SYMMETRIC"),
        [floats(4)],
        "attribute",
    ),
    "bicubic": (
        lambda x: raw.ResizeBicubic(images=x, size=[4, 4]),
        [floats(1, 3, 3, 2)],
        "not-exact",
    ),
    "area": (
        lambda x: raw.ResizeArea(images=x, size=[4, 4]),
        [floats(1, 3, 3, 2)],
        "unsupported-op",
    ),
    "crop": (
        lambda x: raw.CropAndResize(image=x, boxes=[[0.0, 0, 1, 1]], box_ind=[0], crop_size=[2, 2]),
        [floats(1, 3, 3, 2)],
        "unsupported-op",
    ),
    "training": (
        lambda x: (
            raw.FusedBatchNormV3(x=x, scale=_BN[0], offset=_BN[1], mean=_BN[2], variance=_BN[3]).y
        ),
        [floats(1, 3, 3, 3)],
        "attribute",
    ),
    "gather_batch_dims": (
        lambda x, i: raw.GatherV2(params=x, indices=i, axis=2, batch_dims=1),
        [floats(2, 3, 4), ints(2, 2, low=0, high=4)],
        "attribute",
    ),
    "strides_computed": (
        lambda x, s: raw.StridedSlice(input=x, begin=[0], end=[4], strides=s),
        [floats(5), np.asarray([2], np.int32)],
        "operand-value",
    ),
    "axis_computed": (
        lambda x, a: raw.ExpandDims(input=x, axis=a),
        [floats(5), np.int32(0)],
        "operand-value",
    ),
    "diagonal": (lambda x: raw.Einsum(inputs=[x], equation="ii->i"), [floats(3, 3)], "attribute"),
    "pool_channels": (
        lambda x: raw.MaxPool(input=x, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="SAME"),
        [floats(1, 3, 3, 4)],
        "attribute",
    ),
    "strings": (
        lambda x: tf.cast(tf.equal(tf.where(x > 0.0, "a", "b"), "a"), tf.int32),
        [floats(3)],
        "dtype",
    ),
    "complex": (lambda x: tf.math.real(tf.complex(x, x)), [floats(3)], "unsupported-op"),
    "unknown": (
        lambda x: raw.MatrixInverse(input=x),
        [np.eye(3, dtype=np.float32)],
        "unsupported-op",
    ),
    "round_ints": (lambda x: raw.Round(x=x), [ints(3)], "dtype"),
    "pow_ints": (lambda x: raw.Pow(x=x, y=x), [ints(3, low=1, high=4)], "dtype"),
    "check_numerics": (
        lambda x: raw.CheckNumerics(tensor=x, message="bad"),
        [floats(3)],
        "host-op",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused(name: str, tmp_path: Path) -> None:
    build, arrays, code = REFUSED[name]
    check(build, arrays, tmp_path, refused=code)


def test_every_conversion_is_tested(tmp_path: Path) -> None:
    """No conversion is without a numeric case."""
    seen: set[str] = set()
    for c in CASES.values():
        graph_def, _, _ = make_graph(c.build, c.arrays, "all")
        seen |= {n.op for n in graph_def.node}
    # Not made by this TensorFlow any more, or made of the others here.
    covered_elsewhere = {
        "PlaceholderWithDefault",
        "Conv3DBackpropInputV2",
        "AvgPool3D",
        "BiasAddV1",
    }
    covered_elsewhere |= {"BatchMatMul", "BatchMatMulV3"}
    assert set(CONVERSIONS) - seen - covered_elsewhere == set()


def test_conversions_say_what_they_do() -> None:
    for name, conversion in CONVERSIONS.items():
        assert "->" in (conversion.__doc__ or ""), name


@pytest.mark.parametrize("name", sorted(CASES))
def test_evaluated_at_compile_time(name: str, tmp_path: Path) -> None:
    """What the conversion evaluates itself, shapes above all, is what TensorFlow computes."""
    c = CASES[name]
    if sum(a.size for a in map(np.asarray, c.arrays)) > 100:
        return
    graph_def, _, outputs = make_graph(lambda: c.build(*map(tf.constant, c.arrays)), [], "all")
    wanted = dict(zip(outputs, run_tensorflow(graph_def, {}, outputs), strict=True))
    model = import_graph_def(graph_def, tmp_path / "graph.pb")
    module = converted(model, {}, outputs, cleanup=False)
    constants = KnownValues(model.store)
    for op in platform_graph(module).body_ops():
        for result in op.results:
            known = constants.array(result)
            if known is not None and value_name(result) in wanted:
                assert_same(known, wanted[value_name(result)], 1e-6)


# Layout.


def channels_first(build: Callable[[Any, str], Any], array: Array, path: Path) -> None:
    """`build(x, data_format)` of both layouts computes the same; TensorFlow runs channels-last ones only."""
    last, first = [0, *range(2, array.ndim), 1], [0, array.ndim - 1, *range(1, array.ndim - 1)]
    reference, feeds, outputs = make_graph(
        lambda x: build(x, "NHWC"), [array.transpose(last)], "all"
    )
    (wanted,) = run_tensorflow(reference, feeds, outputs)
    for known in ("all", "none"):
        graph_def, feeds, outputs = make_graph(lambda x: build(x, "NCHW"), [array], known)
        model = import_graph_def(graph_def, path / "graph.pb")
        for cleanup in (False, True):
            module = converted(model, feeds, outputs, cleanup)
            assert not refusals(module)
            (got,) = run_onnx(model, module, feeds, outputs)
            assert_same(got, wanted.transpose(first), 1e-5)
            assert not [
                op for op in platform_graph(module).body_ops() if op.name == "onnx.Transpose"
            ]


def _strided(data_format: str, *spatial: int) -> list[int]:
    return [1, *spatial, 1] if data_format == "NHWC" else [1, 1, *spatial]


_FULL, _DEEP = floats(3, 3, 4, 5), floats(3, 3, 4, 2)

FIRST: dict[str, Callable[[Any, str], Any]] = {
    "conv2d": lambda x, f, w=_FULL: raw.Conv2D(
        input=x, filter=w, strides=_strided(f, 2, 1), padding="SAME", data_format=f
    ),
    "conv2d_explicit": lambda x, f, w=_FULL: raw.Conv2D(
        input=x,
        filter=w,
        strides=_strided(f, 2, 1),
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 2, 3, 0, 0, 0] if f == "NHWC" else [0, 0, 0, 0, 1, 2, 3, 0],
        data_format=f,
    ),
    "conv2d_dilated": lambda x, f, w=_FULL: raw.Conv2D(
        input=x,
        filter=w,
        strides=[1, 1, 1, 1],
        dilations=_strided(f, 2, 3),
        padding="SAME",
        data_format=f,
    ),
    "depthwise": lambda x, f, w=_DEEP: raw.DepthwiseConv2dNative(
        input=x, filter=w, strides=_strided(f, 2, 2), padding="SAME", data_format=f
    ),
    "max_pool": lambda x, f: raw.MaxPool(
        input=x, ksize=_strided(f, 3, 2), strides=_strided(f, 2, 1), padding="SAME", data_format=f
    ),
    "avg_pool": lambda x, f: raw.AvgPool(
        value=x, ksize=_strided(f, 3, 2), strides=_strided(f, 2, 1), padding="VALID", data_format=f
    ),
    "depth_to_space": lambda x, f: raw.DepthToSpace(input=x, block_size=2, data_format=f),
}


@pytest.mark.parametrize("name", sorted(FIRST))
def test_channels_first(name: str, tmp_path: Path) -> None:
    channels_first(FIRST[name], floats(2, 4, 7, 8), tmp_path)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    sizes=st.tuples(st.integers(3, 13), st.integers(3, 13)),
    kernel=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    stride=st.integers(1, 4),
    rate=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.sampled_from(["SAME", "VALID"]),
    kind=st.sampled_from(["conv", "depthwise", "max", "avg", "transposed"]),
    known=st.sampled_from(["all", "rank", "none"]),
)
def test_windows(
    sizes: tuple[int, int],
    kernel: tuple[int, int],
    stride: int,
    rate: tuple[int, int],
    padding: str,
    kind: str,
    known: str,
    tmp_path: Path,
) -> None:
    """Any size, kernel, stride, dilation and padding."""
    if kind in ("max", "avg", "transposed") or stride > 1:
        rate = (1, 1)
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rate, strict=True)]
    if padding == "VALID":
        sizes = (max(sizes[0], reach[0]), max(sizes[1], reach[1]))
    strides = [1, stride, stride, 1]
    if kind == "transposed":
        made = [
            -(-n // stride) if padding == "SAME" else (n - k) // stride + 1
            for n, k in zip(sizes, kernel, strict=True)
        ]
        w = floats(*kernel, 2, 3)
        check(
            lambda y: raw.Conv2DBackpropInput(
                input_sizes=[1, *sizes, 2],
                filter=w,
                out_backprop=y,
                strides=strides,
                padding=padding,
            ),
            [floats(1, *made, 3)],
            tmp_path,
            "all",
        )
        return
    w = floats(*kernel, 2, 3)
    window = {"ksize": [1, *kernel, 1], "strides": strides, "padding": padding}
    filtered = {"filter": w, "strides": strides, "padding": padding, "dilations": [1, *rate, 1]}
    builds: dict[str, Callable[[Any], Any]] = {
        "conv": lambda x: raw.Conv2D(input=x, **filtered),
        "depthwise": lambda x: raw.DepthwiseConv2dNative(input=x, **filtered),
        "max": lambda x: raw.MaxPool(input=x, **window),
        "avg": lambda x: raw.AvgPool(value=x, **window),
    }
    # SAME by ONNX's own rule is not TensorFlow's where strides are above the kernel.
    inexact = padding == "SAME" and max(kernel) > 1 and min(kernel) < stride
    refused = "dynamic-shape" if inexact and known != "all" else None
    check(builds[kind], [floats(1, *sizes, 2)], tmp_path, known, refused=refused)


def test_cleaned_chain_has_two_transposes(tmp_path: Path) -> None:
    """Convolutions, batch norms, activations, pads, joins and means in a row: transposes only at the ends."""

    def build(x: Any) -> Any:
        a = tf.nn.relu6(tf.nn.conv2d(x, floats(3, 3, 3, 8), 2, "SAME") + floats(8))
        b = raw.FusedBatchNormV3(
            x=a,
            scale=floats(8),
            offset=floats(8),
            mean=floats(8),
            variance=floats(8, low=0.1),
            is_training=False,
        ).y
        c = tf.nn.depthwise_conv2d(
            tf.pad(b, [[0, 0], [1, 1], [0, 1], [0, 0]]), floats(3, 3, 8, 1), [1, 1, 1, 1], "VALID"
        )
        d = tf.concat([c, tf.nn.avg_pool2d(c, 3, 1, "SAME")], 3) * floats(1, 1, 1, 16)
        gate = tf.sigmoid(
            tf.nn.conv2d(tf.reduce_mean(d, [1, 2], keepdims=True), floats(1, 1, 16, 16), 1, "SAME")
        )
        e = tf.nn.conv2d(d * gate, floats(1, 1, 16, 8), 1, "SAME")
        top, bottom = tf.split(e[:, 1:], 2, axis=3)
        return tf.nn.conv2d(tf.nn.leaky_relu(top - bottom), floats(1, 1, 4, 2), 1, "SAME")

    arrays = [floats(2, 11, 13, 3)]
    check(build, arrays, tmp_path)
    graph_def, feeds, outputs = make_graph(build, arrays, "all")
    model = import_graph_def(graph_def, tmp_path / "graph.pb")
    module = converted(model, feeds, outputs, cleanup=True)
    kinds = [op.op_type for op in platform_graph(module).body_ops() if isinstance(op, OnnxOp)]
    assert kinds.count("Transpose") == 2
    assert kinds.count("Identity") == 0


def test_mixed_layouts(tmp_path: Path) -> None:
    """Values that also have readers in their own layout keep it there."""

    def build(x: Any) -> list[Any]:
        a = tf.nn.relu(tf.nn.conv2d(x, floats(3, 3, 3, 4), 1, "SAME"))
        flat = tf.reshape(a, [2, -1])
        mean = tf.reduce_mean(a, [1, 2])
        total = tf.reduce_sum(a, [3])
        picked = tf.gather(a, [2, 0], axis=3)
        b = tf.nn.conv2d(a + floats(6, 1), floats(3, 3, 4, 4), 1, "SAME") + x[..., :1]
        return [
            flat,
            mean,
            total,
            picked,
            b,
            tf.argmax(a, 3),
            tf.nn.softmax(b),
            tf.squeeze(b[:, :1], [1]),
        ]

    check(build, [floats(2, 5, 6, 3)], tmp_path)


def test_batch_norms_are_recomposed(tmp_path: Path) -> None:
    for name in [n for n in CASES if n.startswith("batch_norm_decomposed")]:
        c = CASES[name]
        graph_def, feeds, outputs = make_graph(c.build, c.arrays, "all")
        model = import_graph_def(graph_def, tmp_path / "graph.pb")
        module = converted(model, feeds, outputs, cleanup=True)
        kinds = [op.op_type for op in platform_graph(module).body_ops() if isinstance(op, OnnxOp)]
        assert kinds.count("BatchNormalization") == 1, name
        assert "Rsqrt" not in kinds
        assert "Add" not in kinds


def test_old_dilated_convolutions_are_one_op(tmp_path: Path) -> None:
    c = CASES["atrous_same_old"]
    graph_def, feeds, outputs = make_graph(c.build, c.arrays, "all")
    model = import_graph_def(graph_def, tmp_path / "graph.pb")
    module = converted(model, feeds, outputs, cleanup=True)
    ops = [op for op in platform_graph(module).body_ops() if isinstance(op, OnnxOp)]
    (conv,) = (op for op in ops if op.op_type == "Conv")
    assert conv.attribute("dilations") == [2, 3]
    assert location_names(conv.location) == ("SpaceToBatchND", "Conv2D", "BatchToSpaceND")
    assert not [op for op in ops if op.op_type in ("Reshape", "Pad", "Slice")]


def test_no_batch_norm_of_computed_parameters(tmp_path: Path) -> None:
    def build(x: Any, mean: Any) -> Any:
        return tf.nn.batch_normalization(x, mean, _BN[3], _BN[1], _BN[0], 0.01)

    check(build, [floats(2, 4, 5, 3), floats(3)], tmp_path)
    graph_def, feeds, outputs = make_graph(build, [floats(2, 4, 5, 3), floats(3)], "all")
    module = converted(import_graph_def(graph_def, tmp_path / "graph.pb"), feeds, outputs, True)
    kinds = {op.op_type for op in platform_graph(module).body_ops() if isinstance(op, OnnxOp)}
    assert "BatchNormalization" not in kinds


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_random_chains(data: Any, tmp_path: Path) -> None:
    """Random graphs of channels-last ops: clean-up keeps the numbers, whatever meets whatever."""
    seeds = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    steps = data.draw(st.lists(st.integers(0, 11), min_size=3, max_size=9))

    def weights(*shape: int) -> Array:
        return seeds.uniform(-1, 1, size=shape).astype(np.float32)

    picks = [seeds.integers(0, 1000) for _ in range(3 * len(steps))]

    def build(x: Any) -> list[Any]:
        values = [x]
        for step, pick in zip(steps, picks, strict=False):
            a = values[pick % len(values)]
            b = values[(pick // 7) % len(values)]
            c = int(a.shape[3])
            made: Any
            if step == 0:
                made = tf.nn.conv2d(a, weights(3, 3, c, 4), 1, "SAME")
            elif step == 1:
                made = tf.nn.depthwise_conv2d(a, weights(3, 3, c, 1), [1, 1, 1, 1], "SAME")
            elif step == 2:
                made = tf.nn.relu(a) + weights(c)
            elif step == 3:
                made = a + b if a.shape == b.shape else a * 0.5
            elif step == 4:
                made = tf.concat([a, b], 3)
            elif step == 5:
                made = tf.nn.max_pool2d(a, 3, 1, "SAME")
            elif step == 6:
                made = a * tf.reduce_mean(a, [1, 2], keepdims=True)
            elif step == 7:
                made = tf.pad(a, [[0, 0], [1, 0], [0, 1], [0, 0]])[:, :-1, 1:]
            elif step == 8:
                made = tf.transpose(tf.nn.sigmoid(tf.transpose(a, [0, 3, 1, 2])), [0, 2, 3, 1])
            elif step == 9:
                made = a - tf.reduce_max(a, [3], keepdims=True)
            elif step == 10:
                made = tf.reshape(tf.reshape(a, [2, -1]), a.shape)
            else:
                made = tf.where(a > 0.0, a, weights(1, 1, 1, c))
            values.append(made)
        return [values[-1], values[len(values) // 2], tf.reduce_mean(values[-1], [1, 2])]

    check(build, [floats(2, 5, 6, 3)], tmp_path, tolerance=2e-5)


# Names and places.


def test_names_layouts_and_locations(tmp_path: Path) -> None:
    """Without clean-up every tensor keeps name and shape; every new op names a node that was there."""

    def build(x: Any) -> Any:
        y = tf.nn.conv2d(x, floats(3, 3, 3, 8), 2, "SAME", name="conv")
        return tf.nn.relu(tf.nn.bias_add(y, floats(8), name="bias"), name="relu")

    graph_def, feeds, outputs = make_graph(build, [floats(2, 9, 9, 3)], "all")
    model = import_graph_def(graph_def, tmp_path / "graph.pb")
    nodes = {n.name for n in graph_def.node}
    for cleanup in (False, True):
        module = converted(model, feeds, outputs, cleanup)
        ops = platform_graph(module).body_ops()
        for op in ops:
            names = location_names(op.location)
            assert names
            assert set(names) <= nodes
        found = {value_name(r): r.type for op in ops for r in op.results}
        assert len(found) == sum(len(op.results) for op in ops)
        if not cleanup:
            assert {f"{n}:0" for n in nodes} <= set(found)
            assert str(found["conv:0"]) == "tensor<2x5x5x8xf32>"
            assert str(found["conv:0/nchw"]) == "tensor<2x8x5x5xf32>"
            assert str(found["relu:0"]) == "tensor<2x5x5x8xf32>"
        assert set(outputs) <= set(found)


def test_control_edges_and_conditionals(tmp_path: Path) -> None:
    """Checks stay behind; what a conditional holds stays with it, and says so."""
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.disable_control_flow_v2()
        x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
        check_op = raw.Assert(condition=tf.reduce_all(x < 100.0), data=[x], name="check")
        with tf.control_dependencies([check_op]):
            a = tf.nn.relu(x, name="a")
        p = tf.compat.v1.placeholder(tf.bool, [], name="p")
        y = tf.compat.v1.cond(p, lambda: tf.exp(a, name="exp"), lambda: a - 1.0, name="choice")
        tf.identity(y, name="y")
    model = import_graph_def(graph.as_graph_def(), tmp_path / "graph.pb")
    module = converted(model, {"x:0": floats(2, 3), "p:0": np.bool_(True)}, ["y:0"], True)
    reasons = refusals(module)
    inside = [n for n in reasons if n.startswith("choice/")]
    assert any(n.endswith("exp") for n in inside)
    assert all(
        reasons[n].code.data == "control-flow"
        for n in inside
        if "predicate" in reasons[n].text.data
    )
    assert "a" not in reasons
    assert reasons["check"].code.data == "host-op"
    values = {value_name(r) for op in platform_graph(module).body_ops() for r in op.results}
    assert {"a:0", "y:0"} <= values


def test_while_loops_stay_whole(tmp_path: Path) -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.disable_control_flow_v2()
        x = tf.compat.v1.placeholder(tf.float32, [3], name="x")
        _, y = tf.compat.v1.while_loop(
            lambda i, v: i < 4, lambda i, v: (i + 1, tf.tanh(v, name="inner")), [0, x], name="loop"
        )
        tf.nn.relu(y, name="y")
    model = import_graph_def(graph.as_graph_def(), tmp_path / "graph.pb")
    module = converted(model, {"x:0": floats(3)}, ["y:0"], False)
    reasons = refusals(module)
    assert "loop" in reasons["loop/inner"].text.data
    assert {r.code.data for r in reasons.values()} == {"control-flow"}
    ops = platform_graph(module).body_ops()
    made: list[Operation] = [op for op in ops if isinstance(op, OnnxOp)]
    assert "y" in {location_names(op.location)[0] for op in made}
    assert all(
        n == "y" or n.startswith("loop/")
        for op in ops
        if isinstance(op, TfOp)
        for n in location_names(op.location)
        if n != "x"
    )


# Whole networks.


def worst(got: Array, wanted: Array) -> float:
    return float(np.max(np.abs(got - wanted)) / max(float(np.max(np.abs(wanted))), 1e-30))


@pytest.mark.parametrize("cleanup", [False, True])
def test_ssdlite_features(cleanup: bool) -> None:
    """The detector from behind its Preprocessor to the boxes and scores before its Postprocessor."""
    model = load_model(model_path("frozen_inference_graph.pb"))
    graph_def = tf.compat.v1.GraphDef.FromString(
        model_path("frozen_inference_graph.pb").read_bytes()
    )
    border = "Preprocessor/sub:0"
    outputs = ["concat:0", "concat_1:0"]
    image = floats(1, 300, 300, 3, low=-1, high=1)
    wanted = run_tensorflow(graph_def, {border: image}, outputs)
    module = model.module.clone()
    convert(Context(), module, cleanup=False)
    if cleanup:
        module = model.module.clone()
        graph = platform_graph(module)
        assert isinstance(graph, GraphOp)
        graph.set_ends([border], outputs)
        convert(Context(), module, cleanup=True)
    extracted = extract_onnx(module, outputs, [border])
    proto = model_proto(extracted, model.store)
    session = ort.InferenceSession(proto.SerializeToString())
    got = session.run(outputs, {border: image})
    for g, w in zip(got, wanted, strict=True):
        assert worst(g, w) < 1e-5
    if cleanup:
        kinds = [n.op_type for n in proto.graph.node]
        convolutions = [i for i, k in enumerate(kinds) if k == "Conv"]
        assert len(convolutions) == 88
        assert kinds[convolutions[0] : convolutions[50]].count("Transpose") == 0


@pytest.fixture(scope="module")
def mobilenet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """Keras' MobileNetV2 with random weights, up to its logits."""
    from tensorflow.python.framework.convert_to_constants import (  # pyright: ignore
        convert_variables_to_constants_v2,
    )

    tf.keras.utils.set_random_seed(3)
    net = tf.keras.applications.MobileNetV2((96, 96, 3), weights=None, classifier_activation=None)
    values = np.random.default_rng(3)
    for v in net.weights:
        if "moving_mean" in v.path or "beta" in v.path:
            v.assign(values.normal(size=v.shape) * 0.1)
        if "moving_var" in v.path or "gamma" in v.path:
            v.assign(values.uniform(0.5, 1.5, size=v.shape))
    traced = tf.function(lambda x: net(x, training=False)).get_concrete_function(
        tf.TensorSpec((None, 96, 96, 3), tf.float32)
    )
    frozen = convert_variables_to_constants_v2(traced)
    path = tmp_path_factory.mktemp("mobilenet") / "net.pb"
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))
    return path, frozen.inputs[0].name, frozen.outputs[0].name


@pytest.mark.parametrize("cleanup", sample([True, False]))
def test_mobilenet(mobilenet: tuple[Path, str, str], cleanup: bool) -> None:
    path, given_name, output = mobilenet
    model = load_model(path)
    feeds = {given_name: floats(2, 96, 96, 3)}
    graph_def = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    (wanted,) = run_tensorflow(graph_def, feeds, [output])
    module = converted(model, feeds, [output], cleanup)
    assert {r.code.data for r in refusals(module).values()} <= {"host-op"}
    (got,) = run_onnx(model, module, feeds, [output])
    assert worst(got, wanted) < 1e-5
    kinds = [op.op_type for op in platform_graph(module).body_ops() if isinstance(op, OnnxOp)]
    if cleanup:
        assert kinds.count("BatchNormalization") == 52
        assert kinds.count("Transpose") == 1


def test_speed() -> None:
    """2,790 nodes convert in less than a second of processor time."""
    model = load_model(model_path("frozen_inference_graph.pb"))
    best = 9.0
    for _ in range(3):
        module = model.module.clone()
        start = time.process_time()
        convert(Context(), module, cleanup=True)
        best = min(best, time.process_time() - start)
    assert best < 1.0
