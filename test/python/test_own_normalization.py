"""What a model itself does to its pictures first, in the spellings of exporters and of TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_writer import graph_infos
from autosplit.inputs.preprocess import Normalization

MEAN, STD = (123.7, 116.3, 103.5), (58.0, 57.0, 57.5)


def node(kind: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs.split(), [output], name=f"{kind}_{output}", **attributes)


def constants(**arrays: Any) -> list[onnx.TensorProto]:
    return [numpy_helper.from_array(np.asarray(a), name) for name, a in arrays.items()]


def model(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    weights: Sequence[onnx.TensorProto],
    shape: Sequence[int] = (1, 3, 8, 8),
    opset: int = 13,
    dtype: int = TensorProto.FLOAT,
) -> Path:
    """Nodes from `x` to `n`, of NCHW, and a convolution behind them."""
    kernel = numpy_helper.from_array(np.ones((2, 3, 1, 1), np.float32), "kernel")
    graph = helper.make_graph(
        [*nodes, node("Conv", "n kernel", "y")],
        "normalizing",
        [helper.make_tensor_value_info("x", dtype, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [*weights, kernel],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(made, path)
    return path


def normalizes(path: Path) -> dict[str, Normalization]:
    result = split_model(SplitOptions(path))
    own: Any = graph_infos(result.module)["autosplit"]
    return {
        name: Normalization(tuple(entry["mean"]), tuple(entry["scale"]))
        for name, entry in own.get("normalizes", {}).items()
    }


def row(numbers: Sequence[float]) -> Any:
    return np.array(numbers, np.float32).reshape(1, -1, 1, 1)


INTS = np.int64
FORMS: dict[str, tuple[list[onnx.NodeProto], list[onnx.TensorProto]]] = {
    "sub-div": (
        [node("Sub", "x m", "a"), node("Div", "a s", "n")],
        constants(m=row(MEAN), s=row(STD)),
    ),
    "sub-mul": (
        [node("Sub", "x m", "a"), node("Mul", "s a", "n")],
        constants(m=row(MEAN), s=1 / row(STD)),
    ),
    "add-div": (
        [node("Add", "m x", "a"), node("Div", "a s", "n")],
        constants(m=-row(MEAN), s=row(STD)),
    ),
    "mul-add": (
        [node("Mul", "x s", "a"), node("Add", "a m", "n")],
        constants(m=-row(MEAN) / row(STD), s=1 / row(STD)),
    ),
    "to 0..1 first": (
        [node("Div", "x b", "a"), node("Sub", "a m", "c"), node("Div", "c s", "n")],
        constants(b=np.float32(255), m=row(MEAN) / 255, s=row(STD) / 255),
    ),
    "from the other side": (
        [node("Sub", "m x", "a"), node("Neg", "a", "c"), node("Div", "c s", "n")],
        constants(m=row(MEAN), s=row(STD)),
    ),
    "batch norm": (
        [node("BatchNormalization", "x one zero m v", "n", epsilon=0.0)],
        constants(
            one=np.ones(3, np.float32),
            zero=np.zeros(3, np.float32),
            m=np.float32(MEAN),
            v=np.float32(STD) ** 2,
        ),
    ),
    "as BGR": (
        [node("Gather", "x i", "b", axis=1), node("Sub", "b m", "a"), node("Div", "a s", "n")],
        constants(i=np.array([2, 1, 0]), m=row(MEAN[::-1]), s=row(STD[::-1])),
    ),
    "as BGR, sliced": (
        [
            node("Slice", "x i j k l", "b"),
            node("Sub", "b m", "a"),
            node("Div", "a s", "n"),
        ],
        constants(
            i=INTS([-1]),
            j=INTS([-99]),
            k=INTS([1]),
            l=INTS([-1]),
            m=row(MEAN[::-1]),
            s=row(STD[::-1]),
        ),
    ),
    "a mean picture": (
        [node("Sub", "x m", "a"), node("Div", "a s", "n")],
        constants(m=np.ones((3, 8, 8), np.float32) * row(MEAN)[0], s=row(STD)),
    ),
    "constants that are computed": (
        [
            node("Sqrt", "v", "s"),
            node("Cast", "x", "f", to=TensorProto.FLOAT),
            node("Sub", "f m", "a"),
            node("Div", "a s", "n"),
        ],
        constants(m=row(MEAN), v=row(STD) ** 2),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_of_exporters(tmp_path: Path, form: str):
    found = normalizes(model(tmp_path / "model.onnx", *FORMS[form]))
    assert list(found) == ["x"]
    np.testing.assert_allclose(found["x"].mean, MEAN, rtol=1e-5)
    np.testing.assert_allclose(found["x"].scale, 1 / np.array(STD), rtol=1e-5)
    assert found["x"].takes_bytes


def test_channels_at_the_end(tmp_path: Path):
    nodes = [
        node("Sub", "x m", "a"),
        node("Transpose", "a", "b", perm=[0, 3, 1, 2]),
        node("Mul", "b s", "n"),
    ]
    weights = constants(m=np.float32(MEAN), s=1 / row(STD))
    found = normalizes(model(tmp_path / "model.onnx", nodes, weights, (1, 8, 8, 3)))["x"]
    np.testing.assert_allclose(found.mean, MEAN, rtol=1e-5)
    np.testing.assert_allclose(found.scale, 1 / np.array(STD), rtol=1e-5)


def test_one_number_is_told_as_one(tmp_path: Path):
    nodes = [node("Mul", "x s", "a"), node("Sub", "a o", "n")]
    weights = constants(s=np.float32(1 / 127.5), o=np.float32(1))
    assert normalizes(model(tmp_path / "model.onnx", nodes, weights)) == {
        "x": Normalization((127.5,), (0.007843138,))
    }


NOTHING: dict[str, tuple[list[onnx.NodeProto], list[onnx.TensorProto]]] = {
    "a convolution first": ([node("Identity", "x", "n")], []),
    "a Relu first": (
        [node("Relu", "x", "a"), node("Sub", "a m", "n")],
        constants(m=row(MEAN)),
    ),
    "two readers": (
        [node("Sub", "x m", "a"), node("Add", "a x", "n")],
        constants(m=row(MEAN)),
    ),
    "divided by it": ([node("Div", "m x", "n")], constants(m=row(MEAN))),
    "no number": (
        [node("Mul", "x z", "n")],
        constants(z=np.zeros((1, 3, 1, 1), np.float32)),
    ),
    "by itself": ([node("Mul", "x x", "n")], []),
}


@pytest.mark.parametrize("form", NOTHING)
def test_what_is_no_normalization(tmp_path: Path, form: str):
    assert normalizes(model(tmp_path / "model.onnx", *NOTHING[form])) == {}


def test_numbers_that_are_not_for_bytes_are_told_too(tmp_path: Path):
    weights = constants(m=row(MEAN) / 255, s=row(STD) / 255)
    nodes = [node("Sub", "x m", "a"), node("Div", "a s", "n")]
    assert not normalizes(model(tmp_path / "model.onnx", nodes, weights))["x"].takes_bytes


def test_who_asks_for_the_size_does_not_count(tmp_path: Path):
    nodes = [
        node("Shape", "x", "size"),
        node("Sub", "x m", "a"),
        node("Reshape", "a size", "n"),
    ]
    found = normalizes(model(tmp_path / "model.onnx", nodes, constants(m=row(MEAN))))["x"]
    np.testing.assert_allclose(found.mean, MEAN, rtol=1e-5)


# TensorFlow


def tf_forms(tf: Any) -> dict[str, Callable[[Any], Any]]:
    mean, std = tf.constant(MEAN), tf.constant(STD)
    return {
        "sub and div": lambda x: (x - mean) / std,
        "BiasAdd": lambda x: tf.nn.bias_add(x, -mean) * (1 / std),
        "as Keras in mode caffe": lambda x: tf.nn.bias_add(x[..., ::-1], -mean[::-1]) / std[::-1],
        "as Keras in mode torch": lambda x: (
            tf.nn.bias_add(x / 255.0, -mean / 255.0) / (std / 255.0)
        ),
        "a layer Normalization": lambda x: (
            (x - tf.reshape(mean, (1, 1, 1, 3)))
            / tf.maximum(tf.sqrt(tf.reshape(std**2, (1, 1, 1, 3))), 1e-7)
        ),
        "batch norm": lambda x: (
            tf.raw_ops.FusedBatchNormV3(
                x=x,
                scale=tf.ones(3),
                offset=tf.zeros(3),
                mean=mean,
                variance=std**2,
                epsilon=1e-6,
                is_training=False,
            ).y
        ),
    }


NAMES = ("sub and div", "BiasAdd", "as Keras in mode caffe", "as Keras in mode torch",
         "a layer Normalization", "batch norm")  # fmt: skip


@pytest.mark.parametrize("form", NAMES)
def test_the_forms_of_tensorflow(tmp_path: Path, form: str):
    tf = pytest.importorskip("tensorflow")
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, (1, 8, 8, 3), name="x")
        made = tf_forms(tf)[form](x)
        kernel = tf.constant(np.ones((1, 1, 3, 2), np.float32))
        tf.identity(tf.nn.conv2d(made, kernel, 1, "SAME"), name="y")
    (tmp_path / "model.pb").write_bytes(graph.as_graph_def().SerializeToString())
    found = normalizes(tmp_path / "model.pb")["x:0"]
    np.testing.assert_allclose(found.mean, MEAN, rtol=1e-5)
    np.testing.assert_allclose(found.scale, 1 / np.array(STD), rtol=1e-5)
