"""Ifs of which the branch is known beforehand, and folders that a runtime can load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.inputs.specs import InputSpec
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

RANDOM = np.random.default_rng(0)
FLOAT, INT64, BOOL = 1, 7, 9


def node(kind: str, inputs: list[str], outputs: list[str], **more: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, outputs, **more)


def info(name: str, kind: int = FLOAT, shape: list[Any] | None = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def const(name: str, value: Any) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(value), name)


def graph(name: str, nodes: list[onnx.NodeProto], outputs: list[str], *more: onnx.TensorProto):
    return helper.make_graph(nodes, name, [], [info(o) for o in outputs], list(more))


X = info("x", FLOAT, ["n", "c", "h", "w"])


def model(
    nodes: list[onnx.NodeProto], outputs: list[str], *more: onnx.TensorProto, opset: int = 18
) -> onnx.ModelProto:
    built = helper.make_graph(nodes, "g", [X], [info(o, shape=None) for o in outputs], list(more))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("mine", 1)]
    return helper.make_model(built, opset_imports=opsets, ir_version=9)


def condition(x: str, axis: int, name: str) -> list[onnx.NodeProto]:
    """`x.shape[axis] == 1`, as exporters write it."""
    return [
        node("Shape", [x], [f"{name}_s"]),
        node("Constant", [], [f"{name}_axis"], value_int=axis),
        node("Gather", [f"{name}_s", f"{name}_axis"], [f"{name}_g"]),
        node("Constant", [], [f"{name}_one"], value_int=1),
        node("Equal", [f"{name}_g", f"{name}_one"], [name]),
    ]


def squeeze(x: str, y: str, axis: int = 1, pre: str = "") -> list[onnx.NodeProto]:
    """`if x.shape[axis] == 1: Squeeze else Identity`, with the constants that exporters write."""
    then = graph(
        "then",
        [
            node("Constant", [], [f"{pre}axes"], value_ints=[axis]),
            node("Squeeze", [x, f"{pre}axes"], [f"{pre}sq"], name=f"{pre}Squeeze"),
        ],
        [f"{pre}sq"],
    )
    other = graph("else", [node("Identity", [x], [f"{pre}e"], name=f"{pre}Identity")], [f"{pre}e"])
    return [
        *condition(x, axis, f"{y}_c"),
        node("If", [f"{y}_c"], [y], name=f"if_{y}", then_branch=then, else_branch=other),
    ]


def _two_results() -> list[onnx.NodeProto]:
    """Branches that give a weight, and values under names that are in use around them."""
    then = graph(
        "then",
        [
            node("Squeeze", ["r", "axes"], ["t"]),
            node("Neg", ["t"], ["u"]),
            node("Identity", ["u"], ["k"]),
        ],
        ["t", "u", "k"],
        const("axes", np.array([1])),
    )
    other = graph(
        "else",
        [node("Mul", ["r", "k"], ["t"], name="if"), node("Neg", ["t"], ["axes"])],
        ["t", "axes", "k"],
        const("k", np.float32(2)),
    )
    return [
        node("Relu", ["x"], ["r"], name="relu"),
        *condition("r", 1, "c"),
        node("If", ["c"], ["a", "d", "e"], name="if", then_branch=then, else_branch=other),
        node("Abs", ["a"], ["y"], name="t"),
    ]


def _nested() -> list[onnx.NodeProto]:
    inner = squeeze("r", "n", axis=2, pre="i")
    then = graph("then", [node("Squeeze", ["r", "axes"], ["q"])], ["q"], const("axes", [1]))
    other = graph("else", [*inner, node("Sqrt", ["n"], ["q"])], ["q"])
    return [
        node("Relu", ["x"], ["r"], name="relu"),
        *condition("r", 1, "c"),
        node("If", ["c"], ["i"], name="if", then_branch=then, else_branch=other),
        node("Abs", ["i"], ["y"], name="abs"),
    ]


def _in_loop() -> list[onnx.NodeProto]:
    body = helper.make_graph(
        [*squeeze("r", "s"), node("Add", ["a", "s"], ["b"]), node("Identity", ["go"], ["on"])],
        "body",
        [info("i", INT64, []), info("go", BOOL, []), info("a")],
        [info("on", BOOL, []), info("b")],
    )
    return [
        node("Relu", ["x"], ["r"], name="relu"),
        node("Constant", [], ["m"], value_int=3),
        node("Loop", ["m", "", "r"], ["l"], name="loop", body=body),
        node("Abs", ["l"], ["y"], name="abs"),
    ]


def _computed_condition() -> list[onnx.NodeProto]:
    """A condition that no size tells, before a branch that makes no sense for the sizes."""
    then = graph("then", [node("Squeeze", ["m", "axes"], ["q"])], ["q"], const("axes", [1]))
    other = graph("else", [node("Identity", ["m"], ["e"])], ["e"])
    return [
        node("Relu", ["x"], ["r"], name="relu"),
        node("Sqrt", ["r"], ["m"], name="sqrt"),
        node("ReduceMin", ["x"], ["least"], keepdims=0),
        node("Constant", [], ["far"], value_float=100.0),
        node("Greater", ["least", "far"], ["c"]),
        node("If", ["c"], ["i"], name="if", then_branch=then, else_branch=other),
        node("Abs", ["i"], ["y"], name="abs"),
    ]


MODELS = {
    "squeeze": model(
        [node("Relu", ["x"], ["r"], name="relu"), *squeeze("r", "s"), node("Abs", ["s"], ["y"])],
        ["y"],
    ),
    "at the end": model([node("Relu", ["x"], ["r"], name="relu"), *squeeze("r", "y")], ["y"]),
    "several": model(
        [
            *squeeze("x", "s", pre="p"),
            *squeeze("s", "t", pre="p"),
            node("Relu", ["t"], ["y"], name="relu"),
        ],
        ["y"],
    ),
    "two results": model(_two_results(), ["y", "d", "e"]),
    "nested": model(_nested(), ["y"]),
    "in a loop": model(_in_loop(), ["y"]),
    "computed": model(_computed_condition(), ["y"]),
}
SIZES = {"squeeze": [(1, 1, 4, 4), (1, 3, 4, 4)], "two results": [(1, 3, 4, 4)]}


@pytest.mark.parametrize("name", MODELS)
def test_every_folder_loads_and_computes_the_same(name: str, tmp_path: Path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS[name], path)
    pins = [[], [(".*", "cpu")], [("if.*|loop", "cpu")], [("relu", "cpu")]]
    for i, shape in enumerate(SIZES.get(name, [(1, 3, 4, 4)])):
        feeds = {"x": RANDOM.random(shape, dtype=np.float32)}
        outputs = [o.name for o in MODELS[name].graph.output]
        whole = run_whole(path, feeds, outputs)
        for j, chosen in enumerate(pins):
            out = tmp_path / f"out{i}{j}"
            split(path, out, feeds, pins=chosen)
            assert_equal(run_folder(out, feeds), whole)


def test_the_branch_is_written_in_the_place_of_the_if(tmp_path: Path):
    path = tmp_path / "m.onnx"
    onnx.save(MODELS["squeeze"], path)
    feeds = {"x": RANDOM.random((1, 3, 4, 4), dtype=np.float32)}
    split(path, tmp_path / "out", feeds, pins=[("if_s", "cpu")])
    kinds: list[list[str]] = []
    infos = GraphInfos.load(tmp_path / "out")
    for graph_ in infos.graphs:
        file = tmp_path / "out" / graph_.model_info["model_path"]
        proto = onnx.load(file)
        kinds.append([n.op_type for n in proto.graph.node])
    assert not any("If" in k or "Squeeze" in k for k in kinds)
    # The plan still has it, as the model does: pins and reasons speak of it.
    module = read_folder(tmp_path / "out")
    assert "onnx.If" in str(module)


def test_a_model_that_does_not_load_itself_is_cut(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """With ops that only another runtime has."""
    path = tmp_path / "m.onnx"
    nodes = [
        node("MatMul", ["x", "x"], ["r"]),
        node("Nobody", ["r"], ["y"], domain="mine", name="own"),
    ]
    proto = model(nodes, ["y"])
    proto.graph.output[0].CopyFrom(info("y", FLOAT, [1, 3, 4, 4]))
    onnx.save(proto, path)
    split_model(SplitOptions(path, tmp_path / "out", _inputs((1, 3, 4, 4))))
    assert (tmp_path / "out" / "graph_1.onnx").is_file()
    (line,) = [r.message for r in caplog.records]
    assert "m.onnx: does not load on this machine" in line
    assert "Nobody" in line


def test_a_part_that_alone_does_not_load_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from autosplit.formats.onnx import files as emit

    path = tmp_path / "m.onnx"
    onnx.save(MODELS["squeeze"], path)
    write = emit.write_func

    def damaged(module: Any, func: Any, store: Any, file: Path) -> None:
        write(module, func, store, file)
        proto = onnx.load(file)
        proto.graph.node[-1].input[0] = "nobody"
        onnx.save(proto, file)

    monkeypatch.setattr(emit, "write_func", damaged)
    with pytest.raises(AutosplitError, match="sub-model graph_0 would not load") as e:
        split_model(SplitOptions(path, tmp_path / "out", _inputs((1, 3, 4, 4))))
    assert "\n" not in str(e.value)
    assert ".part" not in str(e.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx"]


def _inputs(shape: tuple[int, ...]) -> dict[str, InputSpec]:
    return {"x": InputSpec(shape)}
