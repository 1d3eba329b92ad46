"""normalize-onnx: the same numbers in ONNX Runtime before and after, for every form of every opset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import UnknownLoc

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.platform import static_shape
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_onnx_to_top.check import top_level_ops
from autosplit.lowering.normalize_onnx import CANONICAL_OPSET, NormalizeOnnxPass, normalize
from autosplit.lowering.shared.blocks import outer_blocks
from autosplit.lowering.shared.fold import slice_array
from autosplit.lowering.shared.protos import opset_of
from autosplit.platforms import Model, load_model
from autosplit.testing.models import model_path

ort = pytest.importorskip("onnxruntime")

RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((2, 6, 4, 5)).astype(np.float32)


def node(kind, inputs, outputs=("y",), **attributes):
    return helper.make_node(kind, list(inputs), list(outputs), **attributes)


def build(opset, nodes, feeds, constants=None, outputs=("y",), symbolic=False):
    """A model; `symbolic` leaves all dimensions of its inputs open."""
    infos = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(array.dtype),
            [f"{name}{i}" for i in range(array.ndim)] if symbolic else array.shape,
        )
        for name, array in feeds.items()
    ]
    initializers = [numpy_helper.from_array(a, n) for n, a in (constants or {}).items()]
    ends = [onnx.ValueInfoProto(name=o) for o in outputs]
    graph = helper.make_graph(list(nodes), "g", infos, ends, initializers)
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8 if opset < 21 else 10)
    # ONNX Runtime wants outputs to have a type.
    inferred = {i.name: i for i in onnx.shape_inference.infer_shapes(model).graph.output}
    for end in model.graph.output:
        if inferred[end.name].type.tensor_type.elem_type:
            end.type.CopyFrom(inferred[end.name].type)
            end.type.tensor_type.ClearField("shape")
        else:
            end.type.tensor_type.elem_type = TensorProto.FLOAT
    return model


def run(model: onnx.ModelProto, feeds):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, feeds)


def load(model: onnx.ModelProto, folder: Path) -> Model:
    path = folder / "model.onnx"
    onnx.save(model, path)
    return load_model(path)


def same(before, after, rtol=2e-6):
    assert len(before) == len(after)
    for a, b in zip(before, after, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if a.dtype.kind == "f":
            np.testing.assert_allclose(
                b, a, rtol=rtol, atol=rtol * max(1e-9, np.abs(a).max(initial=0))
            )
        else:
            np.testing.assert_array_equal(b, a)


INT = np.int64


def axes_case(kind, axes, **attributes):
    since = 13 if kind in ("Squeeze", "Unsqueeze", "ReduceSum") else 18

    def make(opset):
        feeds = {"x": np.abs(X[:, :1]) + 0.5 if kind == "Squeeze" else np.abs(X) + 0.5}
        if axes is None:
            return [node(kind, ["x"], **attributes)], feeds, {}
        if opset < since:
            return [node(kind, ["x"], axes=axes, **attributes)], feeds, {}
        return [node(kind, ["x", "axes"], **attributes)], feeds, {"axes": np.array(axes, INT)}

    return make


def clip(low, high):
    def make(opset):
        bounds = {k: v for k, v in (("min", low), ("max", high)) if v is not None}
        if opset < 11:
            return [node("Clip", ["x"], **bounds)], {"x": X}, {}
        names = ["x", "min" if low is not None else "", "max" if high is not None else ""]
        constants = {k: np.array(v, np.float32) for k, v in bounds.items()}
        return [node("Clip", names)], {"x": X}, constants

    return make


def pad(mode, value):
    pads = [0, 0, 1, 2, 0, 0, 2, 1]

    def make(opset):
        if opset < 11:
            return [node("Pad", ["x"], mode=mode, pads=pads, value=value)], {"x": X}, {}
        constants = {"pads": np.array(pads, INT), "value": np.array(value, np.float32)}
        return [node("Pad", ["x", "pads", "value"], mode=mode)], {"x": X}, constants

    return make


def slice_(opset):
    values = {"starts": [1, -3], "ends": [5, 1 << 40], "axes": [1, 3]}
    if opset < 10:
        return [node("Slice", ["x"], **values)], {"x": X}, {}
    constants = {k: np.array(v, INT) for k, v in values.items()}
    return [node("Slice", ["x", "starts", "ends", "axes"])], {"x": X}, constants


def split(sizes):
    def make(opset):
        outputs = ["y", "y2", "y3"]
        if sizes is None:
            more = {"num_outputs": 3} if opset >= 18 else {}
            return [node("Split", ["x"], outputs, axis=1, **more)], {"x": X}, {}, outputs
        if opset < 13:
            return [node("Split", ["x"], outputs, axis=1, split=sizes)], {"x": X}, {}, outputs
        constants = {"sizes": np.array(sizes, INT)}
        return [node("Split", ["x", "sizes"], outputs, axis=1)], {"x": X}, constants, outputs

    return make


def topk(opset):
    if opset < 10:
        return [node("TopK", ["x"], ["y", "i"], axis=1, k=3)], {"x": X}, {}, ["y", "i"]
    constants = {"k": np.array([3], INT)}
    return [node("TopK", ["x", "k"], ["y", "i"], axis=1)], {"x": X}, constants, ["y", "i"]


def upsample(mode, scales):
    def make(opset):
        if opset > 9:
            return None
        if opset < 9:
            return (
                [node("Upsample", ["x"], mode=mode, scales=[float(s) for s in scales])],
                {"x": X},
                {},
            )
        constants = {"s": np.array(scales, np.float32)}
        return [node("Upsample", ["x", "s"], mode=mode)], {"x": X}, constants

    return make


def resize_10(mode, scales):
    def make(opset):
        if opset != 10:
            return None
        constants = {"s": np.array(scales, np.float32)}
        return [node("Resize", ["x", "s"], mode=mode)], {"x": X}, constants

    return make


def resize(transform, mode, rounding, scales=None, sizes=None):
    def make(opset):
        if opset < 11 or (transform == "tf_half_pixel_for_nn" and opset > 12):
            return None
        attributes = {
            "coordinate_transformation_mode": transform,
            "mode": mode,
            "nearest_mode": rounding,
        }
        constants = {"roi": np.array([], np.float32), "s": np.array(scales or [], np.float32)}
        names = ["x", "roi", "s"]
        if sizes is not None:
            constants["n"] = np.array(sizes, INT)
            names = ["x", "roi" if opset < 13 else "", "s" if opset < 13 else "", "n"]
        constants = {k: v for k, v in constants.items() if k in names}
        return [node("Resize", names, **attributes)], {"x": X}, constants

    return make


def softmax(kind, axis):
    def make(opset):
        attributes = {} if axis is None else {"axis": axis}
        return [node(kind, ["x"], **attributes)], {"x": X}, {}

    return make


def softmax_row(opset):
    return [node("Softmax", ["x"], axis=1)], {"x": X[:, :, :1, :1]}, {}


def dropout(opset):
    if opset < 12:
        nodes = [node("Dropout", ["x"], ["d"], ratio=0.3), node("Relu", ["d"])]
        return nodes, {"x": X}, {}
    nodes = [node("Dropout", ["x", "r"], ["d"]), node("Relu", ["d"])]
    return nodes, {"x": X}, {"r": np.array(0.3, np.float32)}


def batch_norm(opset):
    constants = {n: (RANDOM.random(6) + 0.5).astype(np.float32) for n in "sbmv"}
    return [node("BatchNormalization", ["x", *"sbmv"], epsilon=1e-3)], {"x": X}, constants


def group_norm(opset):
    if opset < 18:
        return None
    size = 3 if opset < 21 else 6
    constants = {n: (RANDOM.random(size) + 0.5).astype(np.float32) for n in "sb"}
    return [node("GroupNormalization", ["x", *"sb"], num_groups=3)], {"x": X}, constants


def scatter(opset):
    if opset < 9:
        return None
    kind = "Scatter" if opset < 11 else "ScatterElements"
    constants = {"i": np.array([[[[1]]], [[[0]]]], INT), "u": np.ones((2, 1, 1, 1), np.float32)}
    return [node(kind, ["x", "i", "u"], axis=1)], {"x": X}, constants


def roi_align(opset):
    if opset < 10:
        return None
    constants = {"r": np.array([[0, 0, 3.5, 3]], np.float32), "b": np.array([1], INT)}
    made = node("RoiAlign", ["x", "r", "b"], output_height=2, output_width=3, sampling_ratio=2)
    return [made], {"x": X}, constants


def grid_sample(opset):
    if opset < 16:
        return None
    grid = RANDOM.uniform(-1, 1, (2, 3, 3, 2)).astype(np.float32)
    mode = "bilinear" if opset < 20 else "linear"
    return [node("GridSample", ["x", "g"], mode=mode)], {"x": X}, {"g": grid}


def dft(opset):
    if opset < 17:
        return None
    x = X[0, :, :, :1].copy()
    if opset < 20:
        return [node("DFT", ["x"], axis=1)], {"x": x}, {}
    return [node("DFT", ["x", "", "a"])], {"x": x}, {"a": np.array(1, INT)}


def conv(auto_pad, strides, dilations=(1, 1)):
    def make(opset):
        constants = {"w": RANDOM.standard_normal((4, 6, 3, 2)).astype(np.float32)}
        made = node("Conv", "xw", auto_pad=auto_pad, strides=strides, dilations=dilations)
        return [made], {"x": X}, constants

    return make


def conv_transpose(auto_pad, strides):
    def make(opset):
        constants = {"w": RANDOM.standard_normal((6, 4, 3, 3)).astype(np.float32)}
        return (
            [node("ConvTranspose", "xw", auto_pad=auto_pad, strides=strides)],
            {"x": X},
            constants,
        )

    return make


def pool(kind, auto_pad):
    def make(opset):
        made = node(kind, "x", auto_pad=auto_pad, kernel_shape=[3, 2], strides=[2, 2])
        return [made], {"x": X}, {}

    return make


def unsqueeze(opset, data, axes, name):
    """The nodes and constants of an Unsqueeze, in the form of the opset."""
    if opset < 13:
        return node("Unsqueeze", [data], [name], axes=axes), {}
    return node("Unsqueeze", [data, f"{name}_a"], [name]), {f"{name}_a": np.array(axes, INT)}


def flatten_by_shape(opset):
    """What exporters make of x.view(x.shape[0], -1)."""
    one, constants = unsqueeze(opset, "n", [0], "n1")
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"], axis=0),
        one,
        node("Concat", ["n1", "rest"], ["t"], axis=0),
        node("Reshape", ["x", "t"]),
    ]
    constants |= {"zero": np.array(0, INT), "rest": np.array([-1], INT)}
    return nodes, {"x": X}, constants


def size_arithmetic(opset):
    """An upsampling to twice the size, the size computed with floats and back."""
    if opset < 11:
        return None
    starts = {"two": np.array([2], INT), "four": np.array([4], INT), "z": np.array([0], INT)}
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Slice", ["s", "two", "four", "z"], ["hw"]),
        node("Cast", ["hw"], ["f"], to=TensorProto.FLOAT),
        node("Mul", ["f", "k"], ["f2"]),
        node("Floor", ["f2"], ["f3"]),
        node("Cast", ["f3"], ["hw2"], to=TensorProto.INT64),
        node("Slice", ["s", "z", "two", "z"], ["nc"]),
        node("Concat", ["nc", "hw2"], ["size"], axis=0),
        node("Resize", ["x", "e", "e", "size"], mode="nearest"),
    ]
    constants = starts | {"k": np.array([2.5, 1.5], np.float32), "e": np.array([], np.float32)}
    return nodes, {"x": X}, constants


def expand_by_shape(opset):
    """What exporters make of expand(-1, 6, -1, -1): Equal and Where on shapes, ConstantOfShape, Range."""
    if opset < 11:
        return None
    nodes = [
        node("Shape", ["c"], ["n"]),
        node("ConstantOfShape", ["n"], ["ones"], value=numpy_helper.from_array(np.array([1], INT))),
        node("Mul", ["ones", "minus"], ["m"]),
        node("Equal", ["c", "m"], ["q"]),
        node("Where", ["q", "ones", "c"], ["size"]),
        node("Expand", ["x1", "size"], ["e"]),
        node("Shape", ["e"], ["s"]),
        node("Gather", ["s", "three"], ["w"]),
        node("Range", ["zero", "w", "step"], ["r"]),
        node("Cast", ["r"], ["rf"], to=TensorProto.FLOAT),
        node("Add", ["e", "rf"]),
    ]
    constants = {
        "c": np.array([-1, 6, -1, -1], INT),
        "minus": np.array(-1, INT),
        "three": np.array(3, INT),
        "zero": np.array(0, INT),
        "step": np.array(1, INT),
    }
    return nodes, {"x1": X[:, :1]}, constants


def if_on_rank(opset):
    """What exporters make of squeeze(): an If on a size; the branches have forms of their opset."""
    if opset < 11:
        return None
    axes = {"axes": [1]} if opset < 13 else {}
    more = [] if opset < 13 else ["ax"]
    then = helper.make_graph(
        [node("Squeeze", ["x", *more], ["t"], **axes)], "then", [], [onnx.ValueInfoProto(name="t")]
    )
    other = helper.make_graph(
        [node("Identity", ["x"], ["o"])], "else", [], [onnx.ValueInfoProto(name="o")]
    )
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "one"], ["c"]),
        node("Equal", ["c", "one"], ["q"]),
        node("If", ["q"], ["y"], then_branch=then, else_branch=other),
    ]
    constants = {"one": np.array(1, INT)} | ({} if opset < 13 else {"ax": np.array([1], INT)})
    return nodes, {"x": X[:, :1]}, constants


def loop(opset):
    """A loop whose body has ops in the form of the opset, and captures."""
    if opset < 11:
        return None
    clip_node, more = clip(-0.5, 0.5)(opset)[0][0], {}
    del clip_node.input[:]
    clip_node.input.extend(["acc", "lo", "hi"] if opset >= 11 else ["acc"])
    clip_node.output[0] = "limited"
    body = helper.make_graph(
        [
            clip_node,
            node("Add", ["limited", "x"], ["acc2"]),
            node("Identity", ["cond"], ["cond2"]),
            *(
                [node("ReduceSum", ["acc2"], ["sum"], axes=[1], keepdims=0)]
                if opset < 13
                else [node("ReduceSum", ["acc2", "ax"], ["sum"], keepdims=0)]
            ),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("cond", TensorProto.BOOL, []),
            helper.make_tensor_value_info("acc", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("cond2", TensorProto.BOOL, []),
            helper.make_tensor_value_info("acc2", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("sum", TensorProto.FLOAT, None),
        ],
    )
    nodes = [node("Loop", ["n", "", "x"], ["y", "sums"], body=body)]
    constants = {
        "n": np.array(3, INT),
        "lo": np.array(-0.5, np.float32),
        "hi": np.array(0.5, np.float32),
        "ax": np.array([1], INT),
    }
    return nodes, {"x": X}, constants | more, ["y", "sums"]


def constants_of_all_forms(opset):
    if opset < 12:
        return None
    nodes = [
        node("Constant", [], ["a"], value_floats=[1.0, 2.0, 3.0, 4.0, 5.0]),
        node("Constant", [], ["b"], value_float=0.5),
        node("Constant", [], ["i"], value_ints=[1, 0]),
        node("Constant", [], ["k"], value=numpy_helper.from_array(np.array([0], INT))),
        node("Mul", ["a", "b"], ["ab"]),
        node("Gather", ["x", "i"], ["g"], axis=0),
        node("Add", ["g", "ab"]),
    ]
    return nodes, {"x": X}, {}


def folded_output(opset):
    """An output that is a constant, and one that is the input itself."""
    nodes = [
        node("Shape", ["x"], ["y"]),
        node("Identity", ["x"], ["z"]),
    ]
    return nodes, {"x": X}, {}, ["y", "z"]


def integer_division(opset):
    nodes = [
        node("Div", ["a", "b"], ["q"]),
        node("Cast", ["q"], ["f"], to=1),
        node("Add", "fx", "y"),
    ]
    constants = {"a": np.array([7, -7, 7, -7, 0], INT), "b": np.array([2, 2, -2, -2, 5], INT)}
    return nodes, {"x": X}, constants


def logarithm_of_nothing(opset):
    """What is too small for an integer becomes the least one on every processor (buckets of T5)."""
    nodes = [
        node("Log", ["c"], ["l"]),
        node("Cast", ["l"], ["wide"], to=7),
        node("Cast", ["l"], ["narrow"], to=6),
        node("Cast", ["wide"], ["f"], to=1),
        node("Cast", ["narrow"], ["g"], to=1),
        node("Add", ["f", "g"], ["h"]),
        node("Add", "hx", "y"),
    ]
    return nodes, {"x": X}, {"c": np.array([0, 1, 20, 1e-30, 0.5], np.float32)}


CASES: dict[str, Callable[[int], tuple]] = {
    "logarithm_of_nothing": logarithm_of_nothing,
    "squeeze": axes_case("Squeeze", [1]),
    "unsqueeze": axes_case("Unsqueeze", [0, 3]),
    **{
        f"reduce_{kind}": axes_case(f"Reduce{kind}", [1, 3], keepdims=0)
        for kind in [
            "Sum",
            "Mean",
            "Max",
            "Min",
            "Prod",
            "L1",
            "L2",
            "LogSum",
            "LogSumExp",
            "SumSquare",
        ]
    },
    "reduce_all": axes_case("ReduceSum", None),
    "clip": clip(-0.5, 0.75),
    "clip_low": clip(0.0, None),
    "pad": pad("constant", 1.5),
    "pad_reflect": pad("reflect", 0.0),
    "slice": slice_,
    "split": split([1, 2, 3]),
    "split_equal": split(None),
    "topk": topk,
    "upsample_nearest": upsample("nearest", [1, 1, 2, 3]),
    "upsample_linear": upsample("linear", [1, 1, 2, 2]),
    "resize_10_up": resize_10("nearest", [1, 1, 2.5, 2]),
    "resize_10_down": resize_10("nearest", [1, 1, 0.6, 0.5]),
    "resize_10_both": resize_10("nearest", [1, 1, 2, 0.6]),
    "resize_10_linear": resize_10("linear", [1, 1, 2, 2]),
    "resize_half": resize("half_pixel", "linear", "floor", [1, 1, 2, 1.5]),
    "resize_nn": resize("tf_half_pixel_for_nn", "nearest", "floor", [1, 1, 1.7, 2.3]),
    "resize_sizes": resize("align_corners", "nearest", "round_prefer_ceil", sizes=[2, 6, 7, 9]),
    "dropout": dropout,
    **{
        f"{kind.lower()}_{axis}": softmax(kind, axis)
        for kind in ("Softmax", "LogSoftmax", "Hardmax")
        for axis in (None, 0, 2, 3, -1, -2)
    },
    "softmax_row": softmax_row,
    "batch_norm": batch_norm,
    "group_norm": group_norm,
    "scatter": scatter,
    "roi_align": roi_align,
    "grid_sample": grid_sample,
    "dft": dft,
    "conv_upper": conv("SAME_UPPER", [2, 1]),
    "conv_lower": conv("SAME_LOWER", [2, 3]),
    "conv_valid": conv("VALID", [1, 2]),
    "conv_moved": conv("SAME_UPPER", [9, 8]),
    "conv_transpose_1": conv_transpose("SAME_UPPER", [1, 1]),
    "conv_transpose_2": conv_transpose("SAME_UPPER", [2, 2]),
    "conv_transpose_valid": conv_transpose("VALID", [2, 1]),
    "max_pool": pool("MaxPool", "SAME_UPPER"),
    "average_pool": pool("AveragePool", "SAME_LOWER"),
    "flatten_by_shape": flatten_by_shape,
    "size_arithmetic": size_arithmetic,
    "expand_by_shape": expand_by_shape,
    "if_on_rank": if_on_rank,
    "loop": loop,
    "constants": constants_of_all_forms,
    "folded_output": folded_output,
    "integer_division": integer_division,
}
OPSETS = (7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 21)


@pytest.mark.parametrize("symbolic", [False, True], ids=["static", "symbolic"])
@pytest.mark.parametrize("name", CASES)
def test_same_numbers(name: str, symbolic: bool, tmp_path: Path):
    ran = 0
    for opset in OPSETS:
        if (made := CASES[name](opset)) is None:
            continue
        nodes, feeds, constants, outputs = (*made, ["y"])[:4]
        model = build(opset, nodes, feeds, constants, outputs, symbolic)
        before = run(model, feeds)
        loaded = load(model, tmp_path)
        normalize(loaded.module)
        loaded.module.verify()
        after = model_proto(loaded.module, loaded.store)
        assert opset_of(loaded.module) == CANONICAL_OPSET
        after.ir_version = 10
        if all(o.type.tensor_type.HasField("shape") for o in after.graph.output):
            onnx.checker.check_model(after)
        same(before, run(after, feeds))
        assert [o.name for o in after.graph.output] == list(outputs)
        for op in top_level_ops(loaded.module):
            assert not isinstance(op.location, UnknownLoc)
            if not symbolic and op.op_type != "Loop":
                assert all(static_shape(r.type) is not None for r in op.results), op
        ran += 1
    assert ran


FOLDED = {
    "flatten_by_shape": ["Reshape"],
    "size_arithmetic": ["Resize"],
    "expand_by_shape": ["Expand", "Add"],
    "if_on_rank": ["Squeeze"],
    "folded_output": [],
    "integer_division": ["Add"],
}
"""What is left to compute where the input shapes are known."""


@pytest.mark.parametrize("name", FOLDED)
def test_shape_arithmetic_is_folded(name: str, tmp_path: Path):
    nodes, feeds, constants, outputs = (*CASES[name](17), ["y"])[:4]
    loaded = load(build(17, nodes, feeds, constants, outputs), tmp_path)
    normalize(loaded.module)
    assert [op.op_type for op in top_level_ops(loaded.module)] == FOLDED[name]


def test_auto_pad_with_dilations(tmp_path: Path):
    """ONNX Runtime does not run this one; what it means is in the definition of Conv."""
    nodes, feeds, constants = conv("SAME_UPPER", [1, 2], [2, 3])(17)
    loaded = load(build(17, nodes, feeds, constants), tmp_path)
    normalize(loaded.module)
    (op,) = top_level_ops(loaded.module)
    # 4 rows by steps of 1, a window of 5: 4 rows of padding. 5 columns by 2, a window of 4: 3.
    assert op.attribute("pads") == [2, 1, 2, 2]
    assert static_shape(op.results[0].type) == (2, 4, 4, 3)


def test_partly_known_sizes_are_folded(tmp_path: Path):
    """The batch is open, the size that is taken is not."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "two"], ["h"]),
        node("Mul", ["h", "two"], ["h2"]),
        node("Cast", ["h2"], ["f"], to=1),
        node("Mul", ["x", "f"]),
    ]
    model = build(17, nodes, {"x": X}, {"two": np.array(2, INT)})
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
    before = run(model, {"x": X})
    loaded = load(model, tmp_path)
    normalize(loaded.module)
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["Mul"]
    same(before, run(model_proto(loaded.module, loaded.store), {"x": X}))


def test_random_ops_are_not_folded(tmp_path: Path):
    nodes = [node("RandomNormalLike", ["c"], ["r"]), node("Add", ["x", "r"])]
    loaded = load(build(17, nodes, {"x": X}, {"c": X}), tmp_path)
    normalize(loaded.module)
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["RandomNormalLike", "Add"]


@pytest.mark.parametrize(("number", "to"), [(1e30, 7), (float("nan"), 7), (-1e30, 3), (-1.0, 13)])
def test_numbers_that_processors_make_other_integers_of_are_not_folded(
    number: float, to: int, tmp_path: Path
):
    nodes = [
        node("Cast", ["c"], ["i"], to=to),
        node("Cast", ["i"], ["f"], to=1),
        node("Add", "xf", "y"),
    ]
    loaded = load(build(17, nodes, {"x": X}, {"c": np.array(number, np.float32)}), tmp_path)
    normalize(loaded.module)
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["Cast", "Cast", "Add"]


def test_division_by_zero_is_left_to_the_framework(tmp_path: Path):
    nodes = [
        node("Div", ["a", "z"], ["q"]),
        node("Cast", ["q"], ["f"], to=1),
        node("Add", "xf", "y"),
    ]
    constants = {"a": np.array(3, INT), "z": np.array(0, INT)}
    loaded = load(build(17, nodes, {"x": X}, constants), tmp_path)
    normalize(loaded.module)
    assert "Div" in [op.op_type for op in top_level_ops(loaded.module)]


def test_large_results_are_not_folded(tmp_path: Path):
    nodes = [node("Expand", ["c", "s"], ["e"]), node("Add", ["x", "e"])]
    constants = {"c": np.ones((1, 1), np.float32), "s": np.array([3000, 3000], INT)}
    loaded = load(build(17, nodes, {"x": np.ones((1, 1), np.float32)}, constants), tmp_path)
    normalize(loaded.module)
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["Expand", "Add"]


def test_a_large_weight_is_folded_into_the_store_once(tmp_path: Path):
    weight = RANDOM.standard_normal((64, 48)).astype(np.float32)
    nodes = [node("Transpose", ["w"], ["t"], perm=[1, 0]), node("MatMul", ["x", "t"])]
    x = RANDOM.standard_normal((2, 48)).astype(np.float32)
    loaded = load(build(17, nodes, {"x": x}, {"w": weight}), tmp_path)
    first, second = loaded.module.clone(), loaded.module.clone()
    for module in (first, second):
        normalize(module)
    constants = [op for b in outer_blocks(first) for op in b.ops if isinstance(op, InitializerOp)]
    assert [op.identity for op in constants] == ["t"]
    assert str(first) == str(second)
    assert len([key for key in loaded.store if key.startswith("t@")]) == 1
    same([x @ weight.T], run(model_proto(first, loaded.store), {"x": x}), 1e-5)


def test_names_and_locations_stay(tmp_path: Path):
    """Ops keep node and value names; a constant that was folded carries those of its op."""
    nodes = [
        helper.make_node("Clip", ["x"], ["c"], name="limit", min=0.0, max=6.0),
        helper.make_node("Shape", ["c"], ["s"], name="shape"),
        helper.make_node("Reshape", ["c", "s"], ["y"], name="view"),
    ]
    loaded = load(build(9, nodes, {"x": X}), tmp_path)
    normalize(loaded.module)
    ops = [op for b in outer_blocks(loaded.module) for op in b.ops if isinstance(op, OnnxOp)]
    names = {op.value_name(0): str(op.location) for op in ops}
    assert '"limit"' in names["c"]
    assert '"limit"' in names["c__min"]
    assert '"shape"' in names["s"]
    assert '"view"' in names["y"]


def test_opsets_before_7_are_refused(tmp_path: Path):
    loaded = load(build(9, [node("Relu", ["x"])], {"x": X}), tmp_path)
    from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64

    loaded.module.attributes["onnx.opsets"] = DictionaryAttr({"ai.onnx": IntegerAttr(6, i64)})
    with pytest.raises(AutosplitError, match="opset 6, expected 7 or later"):
        normalize(loaded.module)


def test_without_simplifying_every_name_stays(tmp_path: Path):
    nodes, feeds, constants, outputs = (*dropout(12), ["y"])
    loaded = load(build(12, nodes, feeds, constants, outputs), tmp_path)
    normalize(loaded.module, simplify=False)
    assert [op.op_type for op in top_level_ops(loaded.module)] == ["Dropout", "Relu"]


def test_pass_has_the_canonical_name():
    assert NormalizeOnnxPass.name == "normalize-onnx"
    assert CANONICAL_OPSET == 21


SHAPES = {
    "320n.onnx": (1, 3, 320, 320),
    "centerface.onnx": (10, 3, 32, 32),
    "ch_PP-OCRv4_det_infer.onnx": (1, 3, 160, 160),
    "ch_PP-OCRv4_rec_infer.onnx": (1, 3, 48, 160),
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": (2, 3, 48, 192),
    "nmp.onnx": (1, 43844, 1),
    "onet.onnx": (2, 48, 48, 3),
    "pnet.onnx": (1, 17, 23, 3),
    "rnet.onnx": (3, 24, 24, 3),
}


@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", SHAPES)
def test_real_models_give_the_same_numbers(name: str, known: bool):
    from autosplit.testing.split import set_inputs

    path = model_path(name)
    loaded = load_model(path)
    feeds = {onnx.load(path).graph.input[0].name: RANDOM.random(SHAPES[name]).astype(np.float32)}
    before = run(onnx.load(path), feeds)
    if known:
        text = ";".join(f"{n}={'x'.join(map(str, a.shape))}" for n, a in feeds.items())
        set_inputs(loaded.module, text)
    normalize(loaded.module)
    after = model_proto(loaded.module, loaded.store)
    after.ir_version = 10
    # Weights that were inputs too are constants now, for which ONNX Runtime chooses other kernels.
    same(before, run(after, feeds), 1e-5)
    if known:
        for op in top_level_ops(loaded.module):
            assert all(static_shape(r.type) is not None for r in op.results), op.identity


@pytest.mark.parametrize(
    ("start", "end", "step", "taken"),
    [(-9, -99, -1, [0]), (9, -99, -2, [2, 0]), (-9, 9, 2, [0, 2]), (-9, 0, -1, [])],
)
def test_slices_are_those_of_runtimes(start: int, end: int, step: int, taken: list[int]):
    """Measured with ONNX Runtime: backwards, a start before the first element is that element."""
    assert slice_array(np.arange(3), [start], [end], None, [step]).tolist() == taken
