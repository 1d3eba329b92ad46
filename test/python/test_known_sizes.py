"""Sizes that are known though some of what they are computed from is not, against what runtimes give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context

from autosplit.dialects.platform import platform_graph, static_shape, value_name
from autosplit.lowering.device import confirm
from autosplit.lowering.device.confirmed import Confirmed
from autosplit.lowering.infer_shapes import InferShapesPass
from autosplit.platforms import load_model
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
K = 7


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


CONSTANTS = {
    "zero": np.array([0]),
    "one": np.array([1]),
    "k": np.array([K]),
    "ks": np.array(K),
    "minus": np.array([-1]),
    "row": np.array([0, K]),
    "four": np.array([4]),
    "zeros3": np.array([0, 0, 0]),
    "first": np.array(0),
    "fill": np.array(0.0, np.float32),
    "axis": np.array([1]),
}
"""For all forms; numpy's integers are int64."""

BOXES = [
    node("NonZero", "x", "found"),
    node("Cast", "found", "floats", to=FLOAT),
    node("Transpose", "floats", "pairs", perm=[1, 0]),
    node("Concat", "pairs pairs", "boxes", axis=1),
    node("Shape", "boxes", "shape"),
    node("Gather", "shape first", "n", axis=0),
]
"""As many boxes [n, 4] as `x` has elements that are not 0."""

COUNT = node("Unsqueeze", "count zero", "counts")
CUT = node("Slice", "boxes zero counts zero", "cut")
REST = node("Sub", "k counts", "rest")
PADS = node("Concat", "zeros3 rest", "head", axis=0)


def padded(count):
    """The first `count` of the boxes, and K - count rows of zeros."""
    return [
        *count,
        COUNT,
        CUT,
        REST,
        node("Concat", "zero zero rest zero", "pads", axis=0),
        node("Pad", "cut pads", "y"),
    ]


FORMS = {
    "min": padded([node("Min", "n ks", "count")]),
    "where": padded([node("Greater", "n ks", "more"), node("Where", "more ks n", "count")]),
    "less": padded([node("Less", "n ks", "fewer"), node("Where", "fewer n ks", "count")]),
    "not": padded(
        [
            node("LessOrEqual", "n ks", "fits"),
            node("Not", "fits", "more"),
            node("Where", "more ks n", "count"),
        ]
    ),
    "concat": [
        node("Min", "n ks", "count"),
        COUNT,
        CUT,
        REST,
        node("Concat", "rest four", "missing", axis=0),
        node("Expand", "fill missing", "zeros"),
        node("Concat", "cut zeros", "y", axis=0),
    ],
    "shape of the cut": [
        node("Slice", "boxes zero k zero", "cut"),
        node("Shape", "cut", "left", start=0, end=1),
        node("Sub", "k left", "rest"),
        node("Concat", "zero zero rest zero", "pads", axis=0),
        node("Pad", "cut pads", "y"),
    ],
    "pad, then cut": [
        node("Sub", "ks n", "less"),
        node("Max", "less first", "rest"),
        node("Unsqueeze", "rest zero", "rests"),
        node("Concat", "zero zero rests zero", "pads", axis=0),
        node("Pad", "boxes pads", "longer"),
        node("Slice", "longer zero k zero", "y"),
    ],
    "reshaped": [
        node("Min", "n ks", "count"),
        COUNT,
        CUT,
        REST,
        node("Concat", "zero zero rest zero", "pads", axis=0),
        node("Pad", "cut pads", "long"),
        node("Reshape", "long minus", "flat"),
        node("Concat", "k minus", "back", axis=0),
        node("Reshape", "flat back", "y"),
    ],
}


def save(folder: Path, nodes):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [4, 4])],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in CONSTANTS.items()],
    )
    path = folder / "m.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def types(model):
    InferShapesPass().apply(Context(), model.module)
    graph = platform_graph(model.module)
    return {value_name(r): r.type for op in graph.body_ops() for r in op.results}


@pytest.mark.parametrize("form", FORMS)
def test_a_padded_list_is_of_fixed_length(tmp_path: Path, form: str):
    import onnxruntime

    path = save(tmp_path, BOXES + FORMS[form])
    found = types(load_model(path))
    assert static_shape(found["y"]) == (K, 4)
    assert static_shape(found["boxes"]) is None
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for n in (0, 3, K, 16):
        x = np.zeros(16, np.float32)
        x[:n] = 1
        (y,) = session.run(["y"], {"x": x.reshape(4, 4)})
        assert np.shape(y) == (K, 4)


@pytest.mark.parametrize(
    "nodes",
    [
        # One too many is kept.
        padded([node("Min", "n ks", "less"), node("Add", "less ks", "count")]),
        # The padding is that of another count.
        [
            node("Min", "n ks", "count"),
            COUNT,
            node("Slice", "boxes zero counts zero", "other"),
            node("NonZero", "pairs", "nz"),
            node("Shape", "nz", "shape2", start=1, end=2),
            node("Sub", "k shape2", "rest"),
            node("Concat", "zero zero rest zero", "pads", axis=0),
            node("Pad", "other pads", "y"),
        ],
        # A bound that may be negative counts from the end.
        [
            node("Sub", "n ks", "less"),
            node("Unsqueeze", "less zero", "counts"),
            CUT,
            node("Identity", "cut", "y"),
        ],
    ],
)
def test_a_length_that_varies_stays_open(tmp_path: Path, nodes):
    found = types(load_model(save(tmp_path, BOXES + nodes)))
    assert static_shape(found["y"]) is None


def test_branches_of_one_size(tmp_path: Path):
    """The conditional of the first detectors: the first k, or all with zeros behind."""

    def branch(name, nodes):
        out = helper.make_tensor_value_info("out", FLOAT, None)
        return helper.make_graph(nodes, name, [], [out])

    longer = branch("longer", [node("Slice", "boxes zero k zero", "out")])
    shorter = branch(
        "shorter",
        [
            node("Sub", "ks n", "less"),
            node("Unsqueeze", "less zero", "rests"),
            node("Concat", "zero zero rests zero", "pads", axis=0),
            node("Pad", "boxes pads", "out"),
        ],
    )
    nodes = [
        node("Greater", "n ks", "more"),
        helper.make_node("If", ["more"], ["y"], then_branch=longer, else_branch=shorter),
    ]
    assert static_shape(types(load_model(save(tmp_path, BOXES + nodes)))["y"]) == (K, 4)
    nodes[0] = node("Less", "n ks", "more")
    assert static_shape(types(load_model(save(tmp_path, BOXES + nodes)))["y"]) is None


def test_a_chain_of_constants_leaves_the_tpu_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A bmodel gives no constants: what only computes one goes in one step, not an op at a time."""
    nodes = [
        node("Conv", "x w", "c", name="conv"),
        node("Shape", "c", "shape", name="shape"),
        node("Slice", "table zeros shape", "part", name="slice"),
        node("Sqrt", "part", "root", name="sqrt"),
        node("Exp", "root", "power", name="exp"),
        node("Unique", "power", "y", name="unique"),
    ]
    random = np.random.default_rng(0)
    constants = {
        "w": random.random((4, 3, 3, 3), np.float32),
        "table": random.random((1, 4, 50, 50), np.float32),
        "zeros": np.zeros(4, np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [1, 3, 40, 40])],
        [helper.make_tensor_value_info(name, FLOAT, None) for name in "cy"],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10),
        tmp_path / "model.onnx",
    )
    refused: list[set[str]] = []

    def noted(*args: Any, **options: Any) -> Confirmed:
        result = ask(*args, **options)
        refused.append({*result.refused})
        return result

    ask = confirm.confirm
    monkeypatch.setattr(confirm, "confirm", noted)
    feeds = {"x": random.random((1, 3, 40, 40), np.float32)}
    split(tmp_path / "model.onnx", tmp_path / "out", feeds)
    assert refused == [{"slice", "sqrt", "exp", "unique"}, set()]
    got = run_folder(tmp_path / "out", feeds)
    assert_equal(got, run_whole(tmp_path / "model.onnx", feeds, ["c", "y"]))
