"""Nodes and tensors have separate names in a model: what is said of a node never lands on another one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import random_onnx
from onnx import helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import reason_of
from autosplit.dialects.platform import PlatformOp, platform_graph, tell_apart
from autosplit.explain.plan import PlacedOp, explain
from autosplit.formats.onnx.writer import model_proto
from autosplit.platforms import load_model
from autosplit.testing.split import (
    assert_computed_once,
    assert_equal,
    run_folder,
    run_whole,
    split,
)

RANDOM = np.random.default_rng(0)
IMAGE = {"x": RANDOM.standard_normal((1, 3, 8, 8)).astype(np.float32)}
WEIGHTS = {
    "w": RANDOM.standard_normal((4, 3, 3, 3)).astype(np.float32),
    "v": RANDOM.standard_normal((4, 4, 3, 3)).astype(np.float32),
    "sizes": np.array([1, 4, 64], np.int64),
}
FIRST, SECOND = 4 * 64 * 27, 4 * 64 * 36
"""The multiply-adds of a convolution by `w`, and of one by `v`."""


def node(kind: str, inputs: list[str], output: str, name: str = "", **more: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, [output], name=name, **more)


def conv(x: str, w: str, y: str, name: str) -> onnx.NodeProto:
    return node("Conv", [x, w], y, name, pads=[1, 1, 1, 1])


def model(*nodes: onnx.NodeProto) -> onnx.ModelProto:
    used = {name for n in nodes for name in n.input}
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info("x", 1, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", 1, None)],
        [numpy_helper.from_array(a, n) for n, a in WEIGHTS.items() if n in used],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


MODELS = {
    "as an unnamed node's tensor": model(
        conv("x", "w", "a", "t"),
        node("NonZero", ["a"], "t"),
        node("Cast", ["t"], "f", to=1),
        node("ReduceSum", ["f"], "r", keepdims=0),
        conv("a", "v", "b", "q"),
        node("Mul", ["b", "r"], "y", "f"),
    ),
    "as a known value": model(
        conv("x", "w", "a", "shape"),
        node("Shape", ["a"], "shape"),
        conv("a", "v", "b", "c"),
        node("Reshape", ["b", "shape"], "y", "w"),
    ),
    "as constants": model(
        node("Constant", [], "c", value_float=2.0),
        conv("x", "w", "a", "v"),
        conv("a", "v", "b", "c"),
        node("Mul", ["b", "c"], "m", "sizes"),
        node("Reshape", ["m", "sizes"], "y", "w"),
    ),
    "repeated": model(
        conv("x", "w", "a", "n"),
        node("NonZero", ["a"], "z", "n"),
        node("Cast", ["z"], "f", "m", to=1),
        node("ReduceSum", ["f"], "r", "n", keepdims=0),
        conv("a", "v", "b", "z"),
        node("Mul", ["b", "r"], "y", "n"),
    ),
}


def _made_by(ops: list[PlacedOp]) -> dict[str, PlacedOp]:
    """The ops by the tensor that they make."""
    return {op.results[0].split(":")[0]: op for op in ops}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_said_of_a_node_is_its_own(name: str, tmp_path: Path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS[name], path)
    result = split(path, tmp_path / "out", IMAGE)
    assert_computed_once(result)
    found = explain(result.module)
    ops = _made_by(found.ops)
    assert (ops["a"].work, ops["b"].work) == (FIRST, SECOND)
    assert found.work == FIRST + SECOND
    assert ops["a"].device == ops["b"].device == "tpu"
    refused = {tensor for tensor, op in ops.items() if op.reasons}
    assert refused <= {"t", "z", "f", "r", "y"}
    assert not any(name in WEIGHTS or name == "c" for g in found.graphs for name in g.inputs)
    names = [op.name for op in found.ops if op.device == "tpu" and not op.constant]
    assert len(set(names)) == len(names)
    if name != "repeated":
        # ONNX Runtime takes no model in which two nodes have one name; the parts have names of their own.
        assert_equal(run_folder(tmp_path / "out", IMAGE), run_whole(path, IMAGE, ["y"]))


@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_written_as_it_came(name: str, tmp_path: Path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS[name], path)
    whole = load_model(path)
    again = model_proto(whole.module, whole.store)
    assert again.SerializeToString(deterministic=True) == MODELS[name].SerializeToString(
        deterministic=True
    )


def test_nodes_keep_their_names_and_others_yield(tmp_path: Path):
    onnx.save(MODELS["as an unnamed node's tensor"], tmp_path / "m.onnx")
    ops = platform_graph(load_model(tmp_path / "m.onnx").module).body_ops()
    names = {o.value_name(0): o.identity for o in ops if isinstance(o, PlatformOp)}
    assert names == {
        **{"w": "w", "v": "v", "a": "t", "t": "t#2", "f": "f#2"},
        **{"r": "r", "b": "q", "y": "f"},
    }


def test_numbers_are_nobodys_name(tmp_path: Path):
    """Neither a tensor's, nor that of a body's node that has the same tensor names."""
    nodes = [
        conv("x", "w", "a", "t"),
        node("Relu", ["a"], "t"),
        node("Relu", ["t"], "t#2", "named"),
        node("Relu", ["t#2"], "t#3"),
        conv("t#3", "v", "y", "t#4"),
    ]
    onnx.save(model(*nodes), tmp_path / "m.onnx")
    ops = platform_graph(load_model(tmp_path / "m.onnx").module).body_ops()
    found = [op.identity for op in ops if isinstance(op, PlatformOp)]
    assert found == ["w", "v", "t", "t#5", "named", "t#3", "t#4"]
    before = [dict(op.attributes) for op in ops]
    tell_apart(op for op in ops if isinstance(op, PlatformOp))
    assert [dict(op.attributes) for op in ops] == before


def test_pins_mean_one_node(tmp_path: Path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS["as a known value"], path)
    result = split(path, tmp_path / "out", IMAGE, pins=[("shape", "cpu")])
    ops = _made_by(explain(result.module).ops)
    assert [ops[t].device for t in ("a", "b")] == ["cpu", "tpu"]
    assert_equal(run_folder(tmp_path / "out", IMAGE), run_whole(path, IMAGE, ["y"]))
    with pytest.raises(AutosplitError, match="did you mean 'shape#2'"):
        split(path, tmp_path / "none", IMAGE, pins=[("shape#9", "cpu")])


def _renamed(proto: onnx.ModelProto, random: np.random.Generator) -> onnx.ModelProto:
    """A copy whose nodes are called as tensors are, also in bodies; in each graph no two alike."""
    copy = onnx.ModelProto.FromString(proto.SerializeToString())
    waiting = [copy.graph]
    tensors = [t.name for t in copy.graph.initializer]
    graphs: list[onnx.GraphProto] = []
    while waiting:
        graph = waiting.pop()
        graphs.append(graph)
        tensors += [name for n in graph.node for name in n.output]
        waiting += [a.g for n in graph.node for a in n.attribute if a.HasField("g")]
    for graph in graphs:
        order = random.permutation(len(tensors))
        for n, i in zip(graph.node, order, strict=False):
            n.name = tensors[i] if random.random() < 0.6 else ""
    return copy


def _plan(module: Any) -> list[tuple[object, ...]]:
    """What a plan says of each node, without the names of nodes."""
    funcs = [f for f in module.body.ops if f.sym_name.data != "main"]
    return [
        (
            func.sym_name.data,
            func.target.kind.data,
            op.value_name(0),
            str(op.attributes.get("device.work")),
            None if (reason := reason_of(op)) is None else reason.code.data,
        )
        for func in funcs
        for op in func.body.block.ops
        if isinstance(op, PlatformOp)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_names_of_nodes_change_nothing(seed: int, tmp_path: Path):
    """The plan is that of the same model with other names, and its parts compute what the whole does."""
    random = np.random.default_rng(seed)
    plain = random_onnx.random_model(seed, 14)
    feeds = {n: random.standard_normal(random_onnx.SHAPE).astype(np.float32) for n in ("x", "y")}
    chosen: list[str] | None = None
    plans: list[object] = []
    for kind, proto in (("plain", plain), ("odd", _renamed(plain, random))):
        path = tmp_path / f"{kind}.onnx"
        onnx.save(proto, path)
        whole = load_model(path)
        whole.platform.prepare(whole, {}, [])
        ops = platform_graph(whole.module).body_ops()
        names = {
            op.value_name(0): op.identity
            for op in ops
            if isinstance(op, PlatformOp) and not op.IS_CONSTANT
        }
        if chosen is None:
            chosen = [tensor for tensor in names if random.random() < 0.15]
        pins = [(re.escape(names[tensor]), "cpu") for tensor in chosen]
        result = split(path, tmp_path / kind, feeds, pins=pins)
        assert_computed_once(result)
        plans.append(_plan(result.module))
        got = run_folder(tmp_path / kind, feeds)
        assert_equal(got, run_whole(path, feeds, list(got)))
    assert plans[0] == plans[1]
