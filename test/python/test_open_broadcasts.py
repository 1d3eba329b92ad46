"""Broadcasts of operands whose open sizes need not be the same, which `--dynamic` leaves to the CPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.devices import get_chip
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.sizes.open_broadcasts import refused_broadcasts
from autosplit.platforms import load_model
from autosplit.runtime.runner import Runner

Dims = list[int | str]
CONV = helper.make_node("Conv", ["x", "w"], ["c"], "conv")
HALVED = helper.make_node("Conv", ["x", "w3"], ["h"], "halved", strides=[2, 2], pads=[1, 1, 1, 1])
POOLED = helper.make_node("MaxPool", ["c"], ["p"], "pooled", kernel_shape=[1, 1], strides=[2, 2])


def joined(*operands: str, kind: str = "Add") -> onnx.NodeProto:
    return helper.make_node(kind, operands, ["y"], "joined")


def saved(nodes: list[onnx.NodeProto], x: Dims, z: Dims | None, folder: Path) -> Path:
    given = {"x": x} if z is None else {"x": x, "z": z}
    constants = {
        "w": np.ones((4, 3, 1, 1), np.float32),
        "w3": np.ones((4, 3, 3, 3), np.float32),
        "one": np.ones((1, 4, 1, 1), np.float32),
        "two": np.ones((2, 4, 1, 1), np.float32),
    }
    kind = TensorProto.BOOL if nodes[-1].op_type in ("Less", "Equal") else TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, dims) for n, dims in given.items()],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opset = [helper.make_opsetid("", 21)]
    path = folder / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), path)
    return path


def refused(path: Path) -> list[str]:
    """The types of the ops that are refused."""
    loaded = load_model(path)
    normalize(loaded.module)
    found = refused_broadcasts(loaded.module, get_chip("bm1684"))
    assert {reason.code.data for reason in found.values()} <= {"dynamic-shape"}
    return [op.op_type for op in found if isinstance(op, OnnxOp)]


BINARY = ("Add", "Div", "Max", "Mean", "Min", "Mul", "Pow", "PRelu", "Sub", "Sum", "Less", "Equal")


@pytest.mark.parametrize("kind", BINARY)
@pytest.mark.parametrize("place", [0, 2])
def test_sizes_of_two_inputs_need_not_be_the_same(kind: str, place: int, tmp_path: Path):
    x: Dims = [1, 3, 8, 8]
    z: Dims = [1, 4, 8, 8]
    same: Dims = [1, 4, 8, 8]
    x[place], z[place], same[place] = "N", "M", "N"
    nodes = [CONV, joined("c", "z", kind=kind)]
    assert refused(saved(nodes, x, z, tmp_path)) == [kind]
    assert refused(saved(nodes, x, same, tmp_path)) == []
    z[place] = 1
    assert refused(saved(nodes, x, z, tmp_path)) == []
    z[place] = 8
    assert refused(saved(nodes, x, z, tmp_path)) == [kind]


def test_names_that_say_nothing_are_no_names(tmp_path: Path):
    nodes = [CONV, joined("c", "z")]
    assert refused(saved(nodes, ["?", 3, 8, 8], ["?", 4, 8, 8], tmp_path)) == ["Add"]


@pytest.mark.parametrize(
    ("nodes", "taken"),
    [
        ([CONV, joined("c", "one", kind="Mul")], True),
        ([CONV, joined("c", "two", kind="Mul")], False),
        ([CONV, POOLED, HALVED, joined("p", "h")], True),
        ([CONV, helper.make_node("GlobalAveragePool", ["c"], ["g"]), joined("g", "c")], True),
        (
            [
                CONV,
                helper.make_node("Transpose", ["c"], ["t"], perm=[0, 1, 3, 2]),
                joined("c", "t"),
            ],
            False,
        ),
    ],
)
def test_residual_connections_stay(nodes, taken: bool, tmp_path: Path):
    found = refused(saved(nodes, ["N", 3, "H", "W"], None, tmp_path))
    assert found == [] if taken else len(found) == 1


def test_products_of_stacks_are_broadcast_too(tmp_path: Path):
    nodes = [joined("x", "z", kind="MatMul")]
    assert refused(saved(nodes, ["N", 2, 8, 4], ["M", 2, 4, 8], tmp_path)) == ["MatMul"]
    # What is multiplied and added up is not a broadcast.
    assert refused(saved(nodes, ["N", 2, "K", 4], ["N", 2, 4, "L"], tmp_path)) == []


@pytest.mark.parametrize(("name", "taken"), [("M", False), ("N", True)])
def test_the_plan_leaves_them_to_the_cpu(name: str, taken: bool, tmp_path: Path):
    """Names of dimensions count where `--input` gives the largest sizes too."""
    path = saved([CONV, joined("c", "z")], ["N", 3, 8, 8], [name, 4, 8, 8], tmp_path)
    specs = {"x": InputSpec((2, 3, 8, 8), varying=(0,)), "z": InputSpec((2, 4, 8, 8), varying=(0,))}
    module = split_model(SplitOptions(path, inputs=specs, dynamic=True)).module
    assert ("need not be the same" in str(module)) != taken


def test_inputs_have_one_size_for_a_dimension_of_one_name(tmp_path: Path):
    path = saved([CONV, joined("c", "z")], ["N", 3, 8, 8], ["N", 4, 8, 8], tmp_path)
    specs = {"x": InputSpec((3, 3, 8, 8), varying=(0,)), "z": InputSpec((3, 4, 8, 8), varying=(0,))}
    split_model(SplitOptions(path, tmp_path / "out", specs, dynamic=True))
    with Runner(tmp_path / "out", 0) as runner:
        good = {"x": np.zeros((2, 3, 8, 8), np.float32), "z": np.zeros((2, 4, 8, 8), np.float32)}
        assert runner.infer(good)["y"].shape == (2, 4, 8, 8)
        found = "dimension 'N' is 1 by input 'x' and 2 by input 'z'"
        with pytest.raises(AutosplitError, match=found):
            runner.infer({**good, "x": good["x"][:1]})
