"""Small models, split, for tests of what compiles folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec

Array = NDArray[np.generic]

X: Array = np.random.default_rng(7).random((1, 3, 16, 16)).astype(np.float32)


def two_convolutions(path: Path, middle: str = "Relu", sizes: Sequence[Any] = (16, 16)) -> Path:
    """conv1 - relu1 - middle - conv2 - relu2: two sub-models for the TPU where `middle` is on the CPU."""
    rng = np.random.default_rng(1)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array((rng.normal(size=shape) * 0.2).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], name="conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], name="relu1"),
        helper.make_node(middle, ["r1"], ["m"], name="middle"),
        helper.make_node("Conv", ["m", "w2"], ["c2"], name="conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["y"], name="relu2"),
    ]
    graph = helper.make_graph(
        nodes,
        "two",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, *sizes])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, *sizes])],
        [weight("w1", 8, 3, 3, 3), weight("w2", 4, 8, 3, 3)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def split_two(folder: Path, target: str = "bm1684", middle: str = "Relu", **options: Any) -> Path:
    """A folder with graph_0 and graph_2 for the TPU and graph_1 for the CPU; the model lies beside it."""
    model = two_convolutions(folder.with_name(f"{folder.name}.onnx"), middle)
    settings = {"pins": [("middle", "cpu")], "keep": 1.0, **options}
    split_model(SplitOptions(model, folder, {"x": InputSpec.of(X)}, target=target, **settings))
    return folder


def bridge(path: Path) -> Path:
    """A value goes from the first sub-model for the TPU to the second past the CPU, beside one through it."""
    rng = np.random.default_rng(2)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array((rng.normal(size=shape) * 0.2).astype(np.float32), name)

    pads = [1, 1, 1, 1]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], name="conv1", pads=pads),
        helper.make_node("Conv", ["a", "w2"], ["b"], name="conv2", pads=pads),
        helper.make_node("Relu", ["b"], ["m"], name="middle"),
        helper.make_node("Conv", ["m", "w3"], ["c"], name="conv3", pads=pads),
        helper.make_node("Add", ["a", "c"], ["s"], name="add"),
        helper.make_node("Conv", ["s", "w4"], ["y"], name="conv4", pads=pads),
    ]
    graph = helper.make_graph(
        nodes,
        "bridge",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 16, 16])],
        [
            weight("w1", 8, 3, 3, 3),
            weight("w2", 8, 8, 3, 3),
            weight("w3", 8, 8, 3, 3),
            weight("w4", 4, 8, 3, 3),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def split_bridge(folder: Path, target: str = "bm1684x") -> Path:
    """A folder of `bridge`: `a` goes from graph_0 to graph_2, both for the TPU."""
    model = bridge(folder.with_name(f"{folder.name}.onnx"))
    pins = [("middle", "cpu")]
    inputs = {"x": InputSpec.of(X)}
    split_model(SplitOptions(model, folder, inputs, target=target, pins=pins, keep=1.0))
    return folder


def split_open(folder: Path, target: str) -> Path:
    """A folder with one sub-model for the TPU whose images have at most 16 x 16 pixels."""
    model = two_convolutions(folder.with_name(f"{folder.name}.onnx"), "Sigmoid", ("h", "w"))
    split_model(SplitOptions(model, folder, {"x": InputSpec.of(X)}, target=target, dynamic=True))
    return folder
