"""submodel-fold-pads: ONNX Runtime computes the same before and after, and Pads go exactly where they can."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.convert_onnx_to_top.check import top_level_ops
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.submodel.fold_pads import SubmodelFoldPadsPass
from autosplit.platforms import load_model
from autosplit.registry import make_context

ort = pytest.importorskip("onnxruntime")

F = np.float32
IMAGE, PICTURE = (2, 4, 9, 11), (2, 9, 11, 4)


def random(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(F)


def pad(*pads, value=0.0, axes=None, mode="constant"):
    """A Pad as a step of `model`."""
    constants = [np.array(pads, np.int64), np.array(value, F)]
    if axes is not None:
        constants.append(np.array(axes, np.int64))
    return "Pad", constants, {"mode": mode}


def op(kind, *constants, **fields):
    return kind, [np.asarray(c) for c in constants], fields


def model(shape, *steps):
    """A line of ops, each on the result of the one before and on constants of its own."""
    nodes, constants, name = [], [], "x"
    for i, (kind, given, fields) in enumerate(steps):
        names = [f"c{i}_{j}" for j in range(len(given))]
        constants += [numpy_helper.from_array(a, n) for a, n in zip(given, names, strict=True)]
        nodes.append(helper.make_node(kind, [name, *names], [f"v{i}"], f"n{i}", **fields))
        name = f"v{i}"
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [onnx.ValueInfoProto(name=name)],
        constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return onnx.shape_inference.infer_shapes(made, strict_mode=True)


def run(proto, x):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(
        proto.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": x})


def folded(proto, folder):
    """What the pass leaves of a model, and which ops."""
    path = folder / "model.onnx"
    onnx.save(proto, path)
    loaded = load_model(path)
    normalize(loaded.module)
    SubmodelFoldPadsPass().apply(make_context(), loaded.module)
    loaded.module.verify()
    kinds = Counter(made.op_type for made in top_level_ops(loaded.module))
    return model_proto(loaded.module, loaded.store), kinds


def pads_left(shape, folder, *steps):
    """How many Pads are left of such a line, whose numbers stay."""
    proto = model(shape, *steps)
    after, kinds = folded(proto, folder)
    x = random(shape, 1)
    for before, now in zip(run(proto, x), run(after, x), strict=True):
        np.testing.assert_allclose(now, before, rtol=1e-5, atol=1e-5)
    return kinds["Pad"]


HW = (0, 0, 1, 2, 0, 0, 2, 1)
HW_LAST = (0, 1, 2, 0, 0, 2, 1, 0)
"""Pads of height and width of images, and of pictures that have their channels last."""

CONV = op("Conv", random((5, 4, 3, 3)), random(5), strides=[2, 1])
TO_CHANNELS = op("Transpose", perm=[0, 3, 1, 2])
DOUBLE = op("Cast", to=TensorProto.DOUBLE)
FLOAT = op("Cast", to=TensorProto.FLOAT)
RELU = op("Relu")

FOLDS = {
    "conv": (IMAGE, pad(*HW), CONV),
    "own pads": (IMAGE, pad(*HW), op("Conv", random((5, 4, 3, 3)), pads=[1, 0, 2, 1])),
    "depthwise": (IMAGE, pad(*HW), op("Conv", random((4, 1, 3, 3)), group=4)),
    "dilated": (IMAGE, pad(*HW), op("Conv", random((5, 4, 3, 3)), dilations=[2, 3])),
    "axes": (IMAGE, pad(1, 2, 0, 1, axes=[-1, 2]), CONV),
    "two pads": (IMAGE, pad(0, 0, 1, 0, 0, 0, 1, 0), pad(0, 0, 0, 2, 0, 0, 0, 1), CONV),
    "wider than the kernel": (IMAGE, pad(0, 0, 5, 0, 0, 0, 0, 7), CONV),
    "transpose": (PICTURE, pad(*HW_LAST), TO_CHANNELS, CONV),
    "affine in front": (
        PICTURE, op("Mul", F(0.5)), op("Add", F(-1)), pad(*HW_LAST), TO_CHANNELS, CONV,
    ),
    "casts": (PICTURE, DOUBLE, ("Pad", [np.array(HW_LAST)], {}), TO_CHANNELS, FLOAT, CONV),
    "keeps zero": (IMAGE, pad(*HW), op("LeakyRelu", alpha=0.3), op("Tanh"), CONV),
    "signal": (
        (2, 4, 9), pad(2, 1, axes=[2]), op("Unsqueeze", np.array([2])),
        op("Conv", random((5, 4, 1, 3))),
    ),
    "row of a picture": (
        (2, 1, 9, 4), pad(2, 1, axes=[2]), op("Squeeze", np.array([1])), op("Transpose", perm=[0, 2, 1]),
        op("Conv", random((5, 4, 3))),
    ),
    "average": (IMAGE, pad(*HW), op("AveragePool", kernel_shape=[3, 3])),
    "counted average": (
        IMAGE, pad(0, 0, 1, 1, 0, 0, 1, 1),
        op("AveragePool", kernel_shape=[4, 4], pads=[1, 1, 1, 1], count_include_pad=1),
    ),
    "sizes": (IMAGE, pad(*HW), op("LpPool", kernel_shape=[3, 3], p=1)),
    "lowest": (IMAGE, pad(*HW, value=np.finfo(F).min), op("MaxPool", kernel_shape=[3, 3])),
    "largest": (IMAGE, RELU, pad(*HW), op("MaxPool", kernel_shape=[3, 3], strides=[2, 2])),
    "largest of clipped": (
        IMAGE, op("Clip", F(0), F(6)), pad(*HW), op("MaxPool", kernel_shape=[3, 3]),
    ),
    "volume": (
        (1, 2, 5, 6, 7), pad(1, 0, 2, 0, 1, 1, axes=[2, 3, 4]), op("Conv", random((3, 2, 3, 3, 3))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDS)
def test_a_pad_is_in_the_window(case, tmp_path):
    assert pads_left(FOLDS[case][0], tmp_path, *FOLDS[case][1:]) == 0


STAY = {
    "affine behind": (IMAGE, pad(*HW), op("Add", F(-1)), CONV),
    "not zero": (IMAGE, pad(*HW, value=0.5), CONV),
    "channels": (IMAGE, pad(0, 1, 1, 0, 0, 0, 0, 0), op("Conv", random((5, 5, 3, 3)))),
    "reflected": (IMAGE, pad(*HW, mode="reflect"), CONV),
    "cut": (IMAGE, pad(0, 0, 1, 1, 0, 0, -1, 1), CONV),
    "far": (IMAGE, pad(0, 0, 16, 0, 0, 0, 0, 0), CONV),
    "keeps no zero": (IMAGE, pad(*HW), op("Sigmoid"), CONV),
    "transposed convolution": (IMAGE, pad(*HW), op("ConvTranspose", random((4, 5, 3, 3)))),
    "average without its pads": (
        IMAGE, pad(*HW), op("AveragePool", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    ),
    "rounded up": (
        IMAGE, pad(*HW), op("AveragePool", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
    ),
    "larger than the window": (
        IMAGE, pad(0, 0, 3, 0, 0, 0, 0, 0), op("AveragePool", kernel_shape=[3, 3]),
    ),
    "largest of signed": (IMAGE, pad(*HW), op("MaxPool", kernel_shape=[3, 3])),
    "largest of negated": (IMAGE, RELU, op("Neg"), pad(*HW), op("MaxPool", kernel_shape=[3, 3])),
    "largest of few": (
        IMAGE, RELU, pad(*HW), op("MaxPool", kernel_shape=[3, 3], dilations=[2, 2]),
    ),
    "flattened": (
        IMAGE, pad(*HW), op("Reshape", np.array([2, 4, 1, 168])), op("Conv", random((5, 4, 1, 3))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", STAY)
def test_a_pad_stays(case, tmp_path):
    assert pads_left(STAY[case][0], tmp_path, *STAY[case][1:]) == 1


def graph(shape, nodes, outputs, constants):
    made = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model, strict_mode=True)


@pytest.mark.parametrize("outputs", [("a", "b"), ("a", "b", "t"), ("a", "p")])
def test_other_readers_keep_what_they_read(outputs, tmp_path):
    # Both convolutions read one Transpose; where that is an output too, it still has its pads.
    nodes = [
        helper.make_node("Pad", ["x", "pads"], ["p"]),
        helper.make_node("Transpose", ["p"], ["t"], perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["t", "w"], ["a"]),
        helper.make_node("Conv", ["t", "w"], ["b"], strides=[2, 2]),
    ]
    constants = {"pads": np.array(HW_LAST), "w": random((5, 4, 3, 3))}
    proto = graph(PICTURE, nodes, outputs, constants)
    after, kinds = folded(proto, tmp_path)
    assert kinds["Pad"] == (len(set(outputs) & {"t", "p"}))
    x = random(PICTURE)
    for before, now in zip(run(proto, x), run(after, x), strict=True):
        np.testing.assert_allclose(now, before, rtol=1e-5, atol=1e-5)
    assert [o.name for o in after.graph.output] == list(outputs)
