"""convert-mx-to-onnx against MXNet: symbols of every op kind, and the nets of gluon's model zoo.

Each symbol is built with MXNet, imported, converted, exported as ONNX and run by ONNX Runtime. What is
expected is MXNet's own result: values, shape, and element type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp

from autosplit.dialects.device import FuncOp, ReasonAttr
from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.mx.graph import VariableOp
from autosplit.dialects.mx.table import OP_TABLE
from autosplit.dialects.platform import platform_graph, shape_of
from autosplit.formats.mxnet.reader import LEARNED
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_mx_to_onnx import ConvertMxToOnnxPass
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.platforms import Model, load_model
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.split import split
from autosplit.testing.zoos.mxnet import gluon_model, gluon_names

if find_spec("mxnet") is None:
    pytest.skip("mxnet is not installed", allow_module_level=True)
ort: Any = pytest.importorskip("onnxruntime")

Array = np.ndarray[Any, Any]
Feeds = Mapping[str, Array]


@cache
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> Array:
    return np.asarray(rng().uniform(low, high, size=shape), np.float32)


def ints(*shape: int, low: int = -9, high: int = 10, dtype: Any = np.int32) -> Array:
    return np.asarray(rng().integers(low, high, size=shape), dtype)


def bits(*shape: int) -> Array:
    return ints(*shape, low=0, high=2).astype(np.float32)


# Building, converting, running.


def symbol(kind: str, *inputs: Any, **attrs: Any) -> Any:
    """A symbol of one op, by MXNet's name of its kind."""
    mx: Any = import_mxnet("a test")
    for prefix, place in (("_contrib_", mx.sym.contrib), ("_linalg_", mx.sym.linalg)):
        if kind.startswith(prefix):
            return getattr(place, kind.removeprefix(prefix))(*inputs, name="n", **attrs)
    place = mx.sym._internal if kind.startswith("_") else mx.sym
    return getattr(place, kind)(*inputs, name="n", **attrs)


def run_mxnet(made: Any, feeds: Feeds) -> list[Array]:
    mx: Any = import_mxnet("a test")
    given = {k: mx.nd.array(v, dtype=v.dtype) for k, v in feeds.items()}
    aux = {k: given.pop(k) for k in made.list_auxiliary_states()}
    args = {k: given[k] for k in made.list_arguments()}
    bound = made.bind(mx.cpu(), args, aux_states=aux)
    return [a.asnumpy() for a in bound.forward(is_train=False)]


def load(made: Any, feeds: Feeds, folder: Path, params: Sequence[str] = ()) -> Model:
    """The model of a symbol; those of `params` are in its file of parameters."""
    mx: Any = import_mxnet("a test")
    path = folder / "m-symbol.json"
    made.save(str(path))
    aux = made.list_auxiliary_states()
    kept = {
        f"{'aux' if k in aux else 'arg'}:{k}": mx.nd.array(v, dtype=v.dtype)
        for k, v in feeds.items()
        if k in params
    }
    mx.nd.save(str(folder / "m-0000.params"), kept)
    model = load_model(path)
    shapes = {k: list(v.shape) for k, v in feeds.items() if k not in params}
    model.platform.prepare(model, shapes, ())
    return model


def convert(model: Model) -> ModuleOp:
    module = model.module.clone()
    ConvertMxToOnnxPass().apply(Context(), module)
    module.verify()
    return module


def refusals(module: ModuleOp) -> dict[str, ReasonAttr]:
    """The reasons on the mx ops that stayed, by kind."""
    found: dict[str, ReasonAttr] = {}
    for op in module.walk():
        refused = op.attributes.get("device.refused")
        if isinstance(op, MxOp) and isinstance(refused, DictionaryAttr):
            reason = refused.data["tpu"]
            assert isinstance(reason, ReasonAttr)
            found[op.op_type] = reason
    return found


def run_onnx(model: Model, module: ModuleOp, feeds: Feeds) -> list[Array]:
    outputs = [name for name, _ in platform_graph(module).graph_outputs()]
    proto = model_proto(extract_onnx(module, outputs), model.store)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(proto.SerializeToString(), options)
    return session.run(outputs, {i.name: feeds[i.name] for i in session.get_inputs()})


def compare(got: Array, wanted: Array, tolerance: float = 1e-5) -> None:
    """Equal in type and shape, and in value up to a part of the largest."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    with np.errstate(all="ignore"):
        largest = np.nanmax(np.abs(wanted[np.isfinite(wanted)]), initial=0.0)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=tolerance * max(largest, 1e-30))


@dataclass(frozen=True)
class Case:
    """An op of one kind: its inputs and its attributes."""

    kind: str
    inputs: tuple[Array, ...]
    attrs: Mapping[str, Any]

    def check(self, folder: Path) -> None:
        mx: Any = import_mxnet("a test")
        names = [f"x{i}" for i in range(len(self.inputs))]
        variables = [mx.sym.var(n, dtype=a.dtype) for n, a in zip(names, self.inputs, strict=True)]
        made = symbol(self.kind, *variables, **self.attrs)
        made = made[0] if self.kind == "LeakyReLU" else made
        feeds = dict(zip(names, self.inputs, strict=True))
        wanted = run_mxnet(made, feeds)
        model = load(made, feeds, folder, [names[i] for i in self.parameters()])
        module = convert(model)
        assert {k: v.text.data for k, v in refusals(module).items()} == {}
        ends = platform_graph(module).graph_outputs()
        assert [shape_of(value.type) for _, value in ends] == [w.shape for w in wanted]
        for got, want in zip(run_onnx(model, module, feeds), wanted, strict=True):
            compare(got, want)

    def parameters(self) -> list[int]:
        """Which inputs MXNet calls what is learned: these are in the file of parameters."""
        ports = OP_TABLE[self.kind].inputs
        return [i for i, p in enumerate(ports[: len(self.inputs)]) if p.name in LEARNED]


def case(kind: str, *inputs: Array, **attrs: Any) -> Case:
    return Case(kind, inputs, attrs)


def _unary() -> list[Case]:
    spans = {
        "arccos": (-1, 1),
        "arcsin": (-1, 1),
        "arccosh": (1, 3),
        "arctanh": (-0.9, 0.9),
        "log": (0.1, 3),
        "log10": (0.1, 3),
        "log2": (0.1, 3),
        "log1p": (0, 3),
        "sqrt": (0, 3),
        "rsqrt": (0.1, 3),
        "reciprocal": (0.5, 3),
        "rcbrt": (0.5, 3),
    }
    kinds = """
        abs arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees erf exp expm1 fix
        floor log log10 log1p log2 logical_not negative radians rcbrt reciprocal relu rint round rsqrt
        sigmoid sign sin sinh softsign sqrt square tan tanh trunc BlockGrad zeros_like ones_like
        shape_array size_array _copy make_loss hard_sigmoid smooth_l1
    """
    cases: list[Case] = []
    for kind in kinds.split():
        low, high = spans.get(kind, (-3, 3))
        cases.append(case(kind, floats(2, 3, 4, low=low, high=high)))
    halves = np.array([-2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5], np.float32)
    cases += [
        case(kind, halves) for kind in ("rint", "round", "fix", "trunc", "logical_not", "sign")
    ]
    return cases


def _binary() -> list[Case]:
    names = (
        "maximum minimum equal not_equal greater greater_equal lesser lesser_equal power mod hypot"
    )
    names += " logical_and logical_or logical_xor"
    x, y = ints(2, 3, 4, low=0, high=3).astype("f"), ints(2, 3, 4, low=1, high=3).astype("f")
    cases: list[Case] = []
    for name in names.split():
        cases += [case(f"_{name}", x, y), case(f"broadcast_{name}", x, y[:1, :, :1])]
    for name in ("add", "sub", "mul", "div"):
        cases += [case(f"elemwise_{name}", x, y), case(f"broadcast_{name}", x, y[:, :1])]
        cases += [case(f"elemwise_{name}", x.astype(np.int32), y.astype(np.int32))]
    for name in (
        "plus",
        "minus",
        "rminus",
        "mul",
        "div",
        "rdiv",
        "mod",
        "power",
        "rpower",
        "maximum",
        "minimum",
        "equal",
        "not_equal",
        "greater",
        "greater_equal",
        "lesser",
        "lesser_equal",
        "logical_and",
        "logical_or",
        "logical_xor",
    ):
        cases += [case(f"_{name}_scalar", floats(3, 4, low=0.5), scalar=1.5)]
        cases += [case(f"_{name}_scalar", y, scalar=2)]
    cases += [case("_mod", floats(3, 4), floats(3, 4)), case("_mod", x, x)]
    cases += [
        case(f"_{n}_scalar", ints(3, 4), scalar=2) for n in ("plus", "mul", "rminus", "maximum")
    ]
    cases += [case(f"_{n}_scalar", ints(3, 4), scalar=2.5, is_int=False) for n in ("plus", "mul")]
    cases += [case("add_n", x, y, x), case("add_n", x), case("clip", x, a_min=0.5, a_max=1.5)]
    cases += [
        case("where", bits(3, 4), floats(3, 4), floats(3, 4)),
        case("where", bits(3), floats(3, 4), floats(3, 4)),
    ]
    cases += [
        case("Cast", floats(3, 4, high=9), dtype=d)
        for d in ("int32", "float16", "int64", "float64")
    ]
    return cases


def _layers() -> list[Case]:
    x, w, b = floats(2, 4, 9, 10), floats(6, 4, 3, 3), floats(6)
    dw = floats(4, 1, 3, 3)
    cases = [
        case("Convolution", x, w, b, kernel=(3, 3), num_filter=6),
        case(
            "Convolution",
            x,
            w,
            kernel=(3, 3),
            num_filter=6,
            no_bias=True,
            stride=(2, 1),
            pad=(1, 2),
            dilate=(2, 1),
        ),
        case("Convolution", x, dw, kernel=(3, 3), num_filter=4, num_group=4, no_bias=True),
        case(
            "Convolution",
            floats(2, 4, 9),
            floats(6, 4, 3),
            b,
            kernel=(3,),
            num_filter=6,
            stride=(2,),
        ),
        case(
            "Convolution",
            floats(1, 2, 5, 6, 7),
            floats(3, 2, 2, 3, 3),
            kernel=(2, 3, 3),
            num_filter=3,
            no_bias=True,
        ),
        case(
            "Deconvolution",
            x,
            floats(4, 5, 4, 4),
            kernel=(4, 4),
            stride=(2, 2),
            pad=(1, 1),
            num_filter=5,
        ),
        case(
            "Deconvolution",
            x,
            floats(4, 5, 3, 3),
            floats(5),
            kernel=(3, 3),
            stride=(2, 3),
            pad=(1, 0),
            adj=(1, 2),
            num_filter=5,
            no_bias=False,
        ),
        case(
            "Deconvolution",
            x,
            floats(4, 3, 3, 3),
            kernel=(3, 3),
            stride=(2, 2),
            num_filter=6,
            num_group=2,
        ),
        case("FullyConnected", x, floats(5, 360), floats(5), num_hidden=5),
        case("FullyConnected", floats(3, 7), floats(5, 7), num_hidden=5, no_bias=True),
        case(
            "FullyConnected", floats(2, 3, 7), floats(5, 7), floats(5), num_hidden=5, flatten=False
        ),
        case("Flatten", x),
        case("Flatten", floats(3, 4)),
        case("LRN", x, nsize=3, alpha=0.1),
        case("LRN", x, nsize=5, knorm=1, beta=0.5, alpha=0.01),
        case("Dropout", x),
        case("LogisticRegressionOutput", floats(3, 4), floats(3, 4)),
        case("LinearRegressionOutput", floats(3, 4), floats(3, 4)),
        case("UpSampling", x, scale=2, sample_type="nearest"),
        case("UpSampling", x, scale=3, sample_type="nearest"),
        case("UpSampling", x, floats(4, 1, 4, 4), scale=2, sample_type="bilinear", num_filter=4),
        case("UpSampling", x, floats(4, 1, 5, 5), scale=3, sample_type="bilinear", num_filter=4),
        case("SoftmaxActivation", x),
        case("SoftmaxActivation", x, mode="channel"),
        case("SoftmaxOutput", floats(3, 5), floats(3)),
        case("SoftmaxOutput", x, floats(2, 9, 10), multi_output=True),
        case("SoftmaxOutput", floats(2, 3, 4), floats(2, 3), preserve_shape=True),
        case("SoftmaxOutput", floats(2, 3, 4), floats(2, 3)),
        case("softmax", x),
        case("softmax", x, axis=1, temperature=2.0),
        case("log_softmax", x, axis=2),
        case("softmin", x, axis=0),
        case("softmax", floats(3, 4), dtype="float64"),
    ]
    cases += [
        case("Activation", x, act_type=a)
        for a in ("relu", "sigmoid", "tanh", "softrelu", "softsign")
    ]
    cases += [
        case("LeakyReLU", x, act_type=a, slope=0.3)
        for a in ("leaky", "elu", "selu", "gelu", "rrelu")
    ]
    cases += [case("LeakyReLU", x, floats(n), act_type="prelu") for n in (4, 1)]
    for axis, size in ((1, 4), (-1, 10), (2, 9)):
        stats = [floats(size), floats(size), floats(size), floats(size, low=0.5)]
        for fix in (True, False):
            cases.append(case("BatchNorm", x, *stats, axis=axis, fix_gamma=fix, eps=1e-3))
    stats = [floats(4), floats(4), floats(4), floats(4, low=0.5)]
    cases += [
        case("BatchNorm", floats(3, 4), *stats),
        case("BatchNorm", x, *stats, use_global_stats=True, fix_gamma=False),
    ]
    cases += [case("LayerNorm", x, floats(n), floats(n), axis=a) for a, n in ((-1, 10), (1, 4))]
    cases += [
        case("InstanceNorm", x, floats(4), floats(4), eps=1e-3),
        case("GroupNorm", x, floats(2), floats(2), num_groups=2),
    ]
    cases += [case("L2Normalization", x, mode=m) for m in ("instance", "channel", "spatial")]
    for size in ((4, 5), (18, 20), (27, 13), (9, 10)):
        cases += [
            case("_contrib_BilinearResize2D", x, height=size[0], width=size[1], align_corners=a)
            for a in (True, False)
        ]
    cases += [case("_contrib_BilinearResize2D", x, scale_height=2.0, scale_width=1.5)]
    cases += [case("_contrib_BilinearResize2D", x, floats(1, 1, 5, 6), mode="like")]
    cases += [
        case("_contrib_AdaptiveAvgPooling2D", x, output_size=s)
        for s in ((), (3, 5), (4, 3), (2,), (7, 10))
    ]
    return cases


def _shapes() -> list[Case]:
    x = floats(2, 3, 4, 5)
    codes = [
        (-1,),
        (0, -1),
        (0, 0, -1),
        (-2,),
        (0, -2),
        (2, -3, 5),
        (-3, -3),
        (-4, 1, 2, -2),
        (0, -4, -1, 3, -2),
        (6, 20),
        (-1, 5),
        (0, 0, -4, 2, 2, 0),
    ]
    cases = [case("Reshape", x, shape=c) for c in codes]
    cases += [case("Reshape", x, shape=c, reverse=True) for c in ((-1, 0), (0, -3, 0))]
    cases += [case("expand_dims", x, axis=a) for a in (0, 2, 4, -1, -2)]
    cases += [
        case("squeeze", floats(1, 3, 1, 2)),
        case("squeeze", floats(1, 3, 1), axis=(0,)),
        case("squeeze", floats(1, 3, 1), axis=-1),
    ]
    cases += [
        case("transpose", x),
        case("transpose", x, axes=(0, 2, 3, 1)),
        case("SwapAxis", x, dim1=1, dim2=3),
    ]
    cases += [
        case("slice_axis", x, axis=1, begin=1, end=None),
        case("slice_axis", x, axis=-1, begin=-3, end=-1),
        case("slice_axis", x, axis=2, begin=0, end=2),
    ]
    cases += [
        case("slice", x, begin=(0, 1), end=(2, 3)),
        case("slice", x, begin=(None, 2), end=(None, None)),
        case("slice", x, begin=(1, 2, 3), end=(None, 0, None), step=(-1, -1, -2)),
        case("slice", x, begin=(0, None, -3), end=(1, None, -1), step=(1, 2, 1)),
    ]
    cases += [
        case("slice_like", x, floats(1, 2, 3, 4)),
        case("slice_like", x, floats(1, 2, 9, 4), axes=(1, -1)),
    ]
    cases += [case("reverse", x, axis=a) for a in (0, (1, 2))]
    cases += [
        case("SliceChannel", x, num_outputs=n, axis=a) for n, a in ((3, 1), (2, 0), (5, -1), (2, 2))
    ]
    cases += [
        case("SliceChannel", x, num_outputs=3, axis=1, squeeze_axis=True),
        case("SliceChannel", floats(2, 1, 3), num_outputs=1),
    ]
    cases += [
        case("_split_v2", x, indices=(0, 1, 3), axis=3),
        case("_split_v2", x, indices=(), sections=2, axis=2),
    ]
    cases += [case("Concat", x, x, dim=d) for d in (1, 0, -1)] + [
        case("stack", x, x, x, axis=a) for a in (0, 2, -1)
    ]
    cases += [case("tile", x, reps=r) for r in ((2,), (1, 2, 1, 3), (2, 1, 1, 1, 2), (1, 1))]
    cases += [
        case("repeat", x, repeats=3),
        case("repeat", x, repeats=2, axis=1),
        case("repeat", x, repeats=2, axis=-1),
    ]
    cases += [
        case("broadcast_to", floats(1, 3, 1), shape=(2, 0, 4)),
        case("broadcast_axis", floats(1, 3, 1), axis=(0, 2), size=(4, 5)),
        case("broadcast_axis", floats(1, 3, 1), axis=2, size=4),
    ]
    cases += [
        case("broadcast_like", floats(1, 3, 1), floats(2, 3, 4)),
        case("broadcast_like", floats(1, 3), floats(5, 2), lhs_axes=(0,), rhs_axes=(0,)),
    ]
    cases += [
        case("reshape_like", x, floats(6, 20)),
        case(
            "reshape_like",
            floats(6, 4),
            floats(2, 3, 9),
            lhs_begin=0,
            lhs_end=1,
            rhs_begin=0,
            rhs_end=2,
        ),
    ]
    cases += [
        case("depth_to_space", floats(2, 12, 3, 4), block_size=2),
        case("space_to_depth", floats(2, 3, 4, 6), block_size=2),
    ]
    cases += [
        case("Pad", x, mode=m, pad_width=(0, 0, 0, 0, 1, 2, 2, 1)) for m in ("edge", "reflect")
    ]
    cases += [
        case("Pad", x, mode="constant", constant_value=3.5, pad_width=(0, 0, 0, 0, 1, 2, 0, 1))
    ]
    cases += [
        case("Crop", floats(1, 2, 8, 9), h_w=(4, 5), num_args=1, offset=(1, 2)),
        case("Crop", floats(1, 2, 8, 9), floats(1, 1, 4, 4), num_args=2, center_crop=True),
    ]
    cases += [case("SequenceLast", x), case("SequenceMask", x), case("SequenceReverse", x)]
    cases += [
        case("_contrib_MultiBoxPrior", floats(1, 3, 5, 7), sizes=(0.3, 0.4), ratios=(1, 2, 0.5)),
        case(
            "_contrib_MultiBoxPrior",
            floats(1, 3, 4, 4),
            sizes=(0.9,),
            clip=True,
            steps=(0.3, 0.2),
            offsets=(0.4, 0.6),
        ),
    ]
    cases += [
        case("_contrib_arange_like", x, axis=2),
        case("_contrib_arange_like", floats(2, 3), start=1, step=0.5),
    ]
    return cases


def _numbers() -> list[Case]:
    x = floats(2, 3, 4)
    cases: list[Case] = []
    for kind in ("sum", "mean", "max", "min", "prod"):
        cases += [case(kind, x), case(kind, x, axis=1), case(kind, x, axis=(0, 2), keepdims=True)]
        cases += [case(kind, x, axis=1, exclude=True), case(kind, x, axis=(), keepdims=True)]
    cases += [
        case("norm", x, ord=o, axis=a, keepdims=k)
        for o in (1, 2)
        for a in (1, (1, 2))
        for k in (True, False)
    ]
    cases += [
        case("norm", x),
        case("moments", x, axes=(0, 2)),
        case("moments", x, axes=(1,), keepdims=True),
    ]
    for kind in ("argmax", "argmin"):
        cases += [
            case(kind, x, axis=1),
            case(kind, x, axis=-1, keepdims=True),
            case(kind, x),
            case(kind, x[0, 0], axis=0),
        ]
    cases += [case("argmax_channel", floats(3, 4))]
    cases += [
        case("topk", x, k=2),
        case("topk", x, k=2, ret_typ="value", axis=1),
        case("topk", x, k=3, ret_typ="both", is_ascend=True),
        case("topk", x, k=0, dtype="int32"),
        case("topk", x, k=5, axis=None),
    ]
    cases += [
        case("sort", x),
        case("sort", x, axis=0, is_ascend=False),
        case("sort", x, axis=None),
        case("argsort", x),
        case("argsort", x, axis=1, is_ascend=False, dtype="int32"),
    ]
    cases += [
        case("dot", floats(3, 4), floats(4, 5)),
        case("dot", floats(4, 3), floats(5, 4), transpose_a=True, transpose_b=True),
        case("dot", floats(2, 3, 4), floats(4, 5)),
        case("dot", floats(4), floats(4, 5)),
    ]
    for a in (False, True):
        for b in (False, True):
            one, other = ((2, 4, 3) if a else (2, 3, 4)), ((2, 5, 4) if b else (2, 4, 5))
            cases += [
                case("batch_dot", floats(*one), floats(*other), transpose_a=a, transpose_b=b),
                case(
                    "_linalg_gemm2",
                    floats(*one),
                    floats(*other),
                    transpose_a=a,
                    transpose_b=b,
                    alpha=0.5,
                ),
            ]
    qkv = floats(6, 2, 3 * 4 * 5)
    cases += [
        case("_contrib_interleaved_matmul_selfatt_qk", qkv, heads=4),
        case("_contrib_interleaved_matmul_selfatt_valatt", qkv, floats(8, 6, 6), heads=4),
    ]
    cases += [
        case("_contrib_interleaved_matmul_encdec_qk", floats(6, 2, 20), floats(7, 2, 40), heads=4),
        case(
            "_contrib_interleaved_matmul_encdec_valatt", floats(7, 2, 40), floats(8, 6, 7), heads=4
        ),
    ]
    cases += [case("_contrib_div_sqrt_dim", x)]
    index = ints(2, 3, low=-2, high=6).astype("f")
    cases += [case("take", x, index, axis=a, mode=m) for a in (0, 1, -1) for m in ("clip", "wrap")]
    cases += [
        case(
            "Embedding",
            ints(2, 3, low=0, high=6).astype("f"),
            floats(6, 4),
            input_dim=6,
            output_dim=4,
        )
    ]
    cases += [
        case("gather_nd", x, ints(2, 5, low=0, high=2).astype("f")),
        case("gather_nd", x, ints(3, 2, 2, low=0, high=2)),
    ]
    cases += [
        case("pick", x, ints(2, 3, low=-1, high=5).astype("f")),
        case("pick", x, ints(2, 4, low=0, high=3).astype("f"), axis=1),
        case("pick", x, ints(2, 1, 4, low=0, high=3).astype("f"), axis=1, keepdims=True),
    ]
    cases += [
        case("one_hot", ints(2, 3, low=-1, high=6).astype("f"), depth=5),
        case("one_hot", ints(4, low=0, high=5), depth=5, on_value=2, off_value=-1, dtype="int32"),
    ]
    return cases


CASES = [*_unary(), *_binary(), *_layers(), *_shapes(), *_numbers()]


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{c.kind}-{i}" for i, c in enumerate(CASES)]
)
def test_an_op_converted_computes_what_mxnet_does(number: int, tmp_path: Path):
    CASES[number].check(tmp_path)


NEED_SIZES = frozenset(
    {
        "LeakyReLU",
        "_contrib_BilinearResize2D",
        "_contrib_arange_like",
        "_contrib_interleaved_matmul_selfatt_qk",
        "sort",
        "squeeze",
    }
)
"""Kinds that in some cases need a size which is unknown below."""


@pytest.mark.nightly
def test_ops_convert_where_the_batch_is_unknown(tmp_path: Path):
    mx: Any = import_mxnet("a test")
    for made in CASES:
        x = made.inputs[0]
        if len(made.inputs) > 1 or x.dtype != np.float32 or x.ndim < 2:
            continue
        node = symbol(made.kind, mx.sym.var("x0"), **made.attrs)
        load(node, {"x0": x}, tmp_path)
        model = load_model(tmp_path / "m-symbol.json")
        model.platform.prepare(model, {"x0": [-1, *x.shape[1:]]}, ())
        module = convert(model)
        if refusals(module):
            assert made.kind in NEED_SIZES
            continue
        found, wanted = run_onnx(model, module, {"x0": x}), run_mxnet(node, {"x0": x})
        for got, want in zip(found, wanted, strict=True):
            compare(got, want)


# Tensors without inputs


@pytest.mark.parametrize(
    ("kind", "attrs"),
    [
        ("_arange", {"start": 5}),
        ("_arange", {"start": 1, "stop": 8, "step": 1.5, "repeat": 2}),
        ("_arange", {"start": 0, "stop": 4, "dtype": "int32"}),
        ("_zeros", {"shape": (2, 3)}),
        ("_ones", {"shape": (4,), "dtype": "int64"}),
        ("_full", {"shape": (2, 2), "value": 1.5}),
        ("_eye", {"N": 4, "M": 5, "k": 1}),
    ],
)
def test_tensors_without_inputs(kind: str, attrs: Mapping[str, Any], tmp_path: Path):
    mx: Any = import_mxnet("a test")
    made = symbol(kind, **attrs) * mx.sym.var("x", dtype=attrs.get("dtype", "float32"))
    (wanted,) = run_mxnet(symbol(kind, **attrs) * 1, {})
    x = np.ones(wanted.shape, wanted.dtype)
    model = load(made, {"x": x}, tmp_path)
    module = convert(model)
    (left,) = [
        o for o in module.walk() if isinstance(o, MxOp) and not isinstance(o, VariableOp)
    ] or [None]
    assert left is None
    compare(run_onnx(model, module, {"x": x})[0], wanted)


def test_a_net_that_has_a_label_runs_whole_on_the_tpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The label of a SoftmaxOutput is of no use, its size least of all: nothing is measured."""
    mx: Any = import_mxnet("a test")
    made = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
    made = mx.sym.SoftmaxOutput(made, name="softmax")
    feeds = {"data": floats(2, 3), "fc_weight": floats(4, 3), "fc_bias": floats(4)}
    load(made, feeds, tmp_path, ["fc_weight", "fc_bias"])
    monkeypatch.setattr("autosplit.platforms.mxnet.measure", None)
    path = tmp_path / "m-symbol.json"
    result = split(path, tmp_path / "out", {"data": feeds["data"]})
    devices = [op.target.kind.data for op in result.module.body.ops if isinstance(op, FuncOp)]
    assert [d for d in devices if d != "host"] == ["tpu"]


# Random attributes


@st.composite
def windows(draw: st.DrawFn) -> dict[str, Any]:
    """Kernel, strides and pads of a pooling or a convolution of pictures."""
    kernel = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    return {
        "kernel": kernel,
        "stride": (draw(st.integers(1, 3)), draw(st.integers(1, 3))),
        "pad": tuple(draw(st.integers(0, k // 2)) for k in kernel),
    }


RANDOM = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@RANDOM
@given(
    windows(),
    st.sampled_from(["max", "avg", "sum", "lp"]),
    st.sampled_from(["valid", "full"]),
    st.sampled_from([True, False, None]),
    st.tuples(st.integers(4, 9), st.integers(4, 9)),
)
def test_poolings_of_any_window(
    tmp_path: Path,
    window: dict[str, Any],
    kind: str,
    convention: str,
    counted: bool | None,
    size: tuple[int, int],
):
    attrs = {**window, "pool_type": kind, "pooling_convention": convention}
    if kind == "avg" and counted is not None:
        attrs["count_include_pad"] = counted
    if kind == "lp":
        attrs["p_value"] = 2
    check_or_refused(case("Pooling", floats(2, 3, *size), **attrs), tmp_path)


def check_or_refused(made: Case, folder: Path) -> None:
    """As `Case.check`, unless the op stays, with a reason."""
    mx: Any = import_mxnet("a test")
    node = symbol(made.kind, mx.sym.var("x0"), **made.attrs)
    module = convert(load(node, {"x0": made.inputs[0]}, folder))
    reasons = refusals(module)
    assert {r.code.data for r in reasons.values()} <= {"attribute"}
    if not reasons:
        made.check(folder)


@RANDOM
@given(windows(), st.integers(1, 2), st.sampled_from([1, 2]), st.booleans())
def test_convolutions_of_any_window(
    tmp_path: Path, window: dict[str, Any], dilate: int, group: int, transposed: bool
):
    kernel = window["kernel"]
    x = floats(1, 4, 9, 9)
    if transposed:
        w = floats(4, 3, *kernel)
        made = case("Deconvolution", x, w, **window, num_filter=3 * group, num_group=group)
    else:
        w, dilated = floats(6, 4 // group, *kernel), (dilate, dilate)
        made = case(
            "Convolution",
            x,
            w,
            **window,
            num_filter=6,
            num_group=group,
            dilate=dilated,
            no_bias=True,
        )
    made.check(tmp_path)


@RANDOM
@given(st.data())
def test_slices_of_any_bounds(tmp_path: Path, data: st.DataObject):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    bounds: list[tuple[int, int, int]] = []
    for size in shape:
        start = data.draw(st.integers(0, size - 1))
        end = data.draw(st.integers(start + 1, size))
        bounds.append((start, end, data.draw(st.integers(1, 3))))
    begin, end, step = zip(*bounds, strict=True)
    case("slice", floats(*shape), begin=begin, end=end, step=step).check(tmp_path)


@RANDOM
@given(st.data())
def test_reductions_over_any_axes(tmp_path: Path, data: st.DataObject):
    rank = data.draw(st.integers(1, 4))
    axes = data.draw(st.lists(st.integers(-rank, rank - 1), unique_by=lambda a: a % rank))
    kind = data.draw(st.sampled_from(["sum", "mean", "max", "min", "norm"]))
    attrs: dict[str, Any] = {"axis": tuple(axes), "keepdims": data.draw(st.booleans())}
    if kind != "norm" and len(axes) < rank:
        attrs["exclude"] = data.draw(st.booleans())
    # Numbers of one sign: a sum that is nearly 0 tells the order in which it was added up.
    case(kind, np.abs(floats(*[2, 3, 4, 2][:rank])), **attrs).check(tmp_path)


# The nets of gluon's model zoo


SOME = ["mobilenet0.25", "squeezenet1.1"]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in SOME else pytest.mark.nightly) for n in gluon_names()],
)
def test_nets_of_the_zoo_convert(name: str):
    path = gluon_model(name)
    model = load_model(path)
    size = 299 if name == "inceptionv3" else 224
    model.platform.prepare(model, {"data": [1, 3, size, size]}, ())
    module = convert(model)
    assert refusals(module) == {}
    feeds = {"data": floats(1, 3, size, size)}
    mx: Any = import_mxnet("a test")
    made = mx.sym.load(str(path))
    params = mx.nd.load(str(next(path.parent.glob("*.params"))))
    arrays = {k.partition(":")[2]: v.asnumpy() for k, v in params.items()}
    (wanted,) = run_mxnet(made, {**arrays, **feeds})
    (got,) = run_onnx(model, module, feeds)
    compare(got, wanted)
