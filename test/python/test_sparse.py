"""Sparse tensors of ONNX models: constants are as any others, inputs and outputs are refused in one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.platforms import load_model
from autosplit.runtime.runner import Runner

X = np.arange(6, dtype=np.float32).reshape(2, 3)
VALUES = np.array([1, -2, 3], np.float32)
FLAT = [0, 6, 11]
PLACES = [[0, 0], [1, 2], [2, 3]]


def sparse(places: object, dims: Sequence[int] = (3, 4), name: str = "w") -> onnx.SparseTensorProto:
    proto = onnx.SparseTensorProto(dims=dims)
    proto.values.CopyFrom(numpy_helper.from_array(VALUES, name))
    proto.indices.CopyFrom(numpy_helper.from_array(np.asarray(places), "places"))
    return proto


def write(path: Path, nodes: list[onnx.NodeProto], **graph: Any) -> Path:
    values = {
        "inputs": [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        "outputs": [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
    }
    made = helper.make_graph(nodes, "g", **{**values, **graph})
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(made, opset_imports=opsets, ir_version=8), path)
    return path


def constant(path: Path, form: str, value: onnx.SparseTensorProto) -> Path:
    product = helper.make_node("MatMul", ["x", "w"], ["y"])
    if form == "initializer":
        return write(path, [product], sparse_initializer=[value])
    return write(path, [helper.make_node("Constant", [], ["w"], sparse_value=value), product])


@pytest.mark.parametrize("places", [FLAT, PLACES])
@pytest.mark.parametrize("form", ["initializer", "attribute"])
def test_sparse_constants_are_weights(form: str, places: object, tmp_path: Path):
    model = constant(tmp_path / "model.onnx", form, sparse(places))
    (expected,) = onnxruntime.InferenceSession(model).run(["y"], {"x": X})
    split_model(SplitOptions(model, tmp_path / "out"))
    with Runner(tmp_path / "out", 0) as runner:
        assert [graph.device for graph in runner.infos.graphs] == ["tpu"]
        np.testing.assert_array_equal(runner.infer({"x": X})["y"], expected)
    (weights,) = np.load(tmp_path / "out/graph_ir_0/graph_0_weights.npz").values()
    np.testing.assert_array_equal(X @ weights, expected)


@pytest.mark.parametrize("form", ["initializer", "attribute"])
@pytest.mark.parametrize(
    ("places", "dims", "said"),
    [
        ([0, 5, 12], (3, 4), r"places outside of its shape \[3, 4\]"),
        ([-1, 5, 7], (3, 4), r"places outside of its shape"),
        ([[0, 0], [1, 4], [2, 2]], (3, 4), r"places outside of its shape"),
        ([[0, 0, 0]] * 3, (3, 4), r"places outside of its shape"),
        ([0, 1, 2], (3, -4), r"places outside of its shape"),
        ([0, 5], (3, 4), r"places of int64 and shape \[2\] for values of shape \[3\]"),
        (np.float32([0, 5, 6]), (3, 4), r"places of float32 .*expected one of int64 for each"),
    ],
)
def test_damaged_ones_are_told(
    form: str, places: object, dims: Sequence[int], said: str, tmp_path: Path
):
    model = constant(tmp_path / "model.onnx", form, sparse(places, dims))
    with pytest.raises(AutosplitError, match=f"model.onnx: .*{said}"):
        load_model(model)


def test_inputs_and_outputs_are_one_line(tmp_path: Path):
    given = onnx.ValueInfoProto(name="q")
    given.type.sparse_tensor_type.elem_type = TensorProto.FLOAT
    made = onnx.ValueInfoProto()
    made.CopyFrom(given)
    made.name = "y"
    dense = numpy_helper.from_array(np.ones((4, 2), np.float32), "w")
    product = helper.make_node("SparseToDenseMatMul", ["q", "w"], ["y"], domain="com.microsoft")
    model = write(tmp_path / "in.onnx", [product], inputs=[given], initializer=[dense])
    with pytest.raises(
        AutosplitError, match=r"input 'q' is a sparse tensor, which sub-models cannot take"
    ):
        split_model(SplitOptions(model))
    node = helper.make_node("Constant", [], ["y"], sparse_value=sparse(FLAT))
    model = write(tmp_path / "out.onnx", [node], outputs=[made])
    with pytest.raises(AutosplitError, match="output 'y' is a sparse tensor, expected a tensor"):
        split_model(SplitOptions(model))
