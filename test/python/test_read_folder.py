"""Folders of real ONNX sub-models: they run like the whole, and can be read back and written again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.shape_inference
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation

from autosplit.core import weights
from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.dialects.device import FuncOp, TargetAttr
from autosplit.dialects.platform import PlatformOp, external_operands, platform_graph
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.infos_writer import graph_infos
from autosplit.folder.reader import read_folder
from autosplit.folder.staging import write_folder
from autosplit.lowering.device.outline import DeviceOutlinePass
from autosplit.platforms import load_model
from autosplit.runtime.compare import compare
from autosplit.runtime.runner import infer, load

pytest.importorskip("onnxruntime")


def network(seed: int = 0) -> onnx.ModelProto:
    """A chain with a branch, a weight that is too large for the IR, a shared constant and an If."""
    rng = np.random.default_rng(seed)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        return numpy_helper.from_array(rng.normal(size=shape).astype(np.float32), name)

    inner = helper.make_graph(
        [helper.make_node("Add", ["r1", "bias"], ["then_out"], name="inner_add")],
        "then",
        [],
        [helper.make_tensor_value_info("then_out", TensorProto.FLOAT, None)],
    )
    other = helper.make_graph(
        [helper.make_node("Neg", ["r1"], ["else_out"], name="inner_neg")],
        "else",
        [],
        [helper.make_tensor_value_info("else_out", TensorProto.FLOAT, None)],
    )
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["m1"], name="fc1"),
        helper.make_node("Add", ["m1", "bias"], ["a1"], name="add1"),
        helper.make_node("Relu", ["a1"], ["r1"], name="relu1"),
        helper.make_node("MatMul", ["r1", "w2"], ["m2"], name="fc2"),
        helper.make_node("ReduceSum", ["m2"], ["s"], name="sum", keepdims=0),
        helper.make_node("Greater", ["s", "zero"], ["c"], name="positive"),
        helper.make_node("If", ["c"], ["i"], name="choose", then_branch=inner, else_branch=other),
        helper.make_node("Split", ["i"], ["p", "q"], name="halve", axis=1, num_outputs=2),
        helper.make_node("Add", ["m2", "bias"], ["y"], name="add2"),
        helper.make_node("Mul", ["p", "q"], ["z"], name="mul"),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 48])],
        [
            helper.make_tensor_value_info("z", TensorProto.FLOAT, [4, 24]),
            helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 48]),
        ],
        [
            weight("w1", 48, 48),
            weight("w2", 48, 48),
            weight("bias", 48),
            numpy_helper.from_array(np.zeros((), np.float32), "zero"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(model)
    return onnx.shape_inference.infer_shapes(model)


def cut(module: ModuleOp, stages: Sequence[int], tpu: Sequence[int] = ()) -> None:
    """Outlines with the given stage for each node, in order."""
    nodes = stage_ops(module)
    assert len(nodes) == len(stages)
    for op, stage in zip(nodes, stages, strict=True):
        op.attributes["device.stage"] = IntegerAttr(stage, i64)
    chips = [
        TargetAttr.of("tpu", "bm1684") if i in tpu else TargetAttr.of("cpu")
        for i in range(max(stages) + 1)
    ]
    module.attributes["device.plan"] = DictionaryAttr({"stages": ArrayAttr(chips)})
    DeviceOutlinePass().apply(Context(), module)
    module.verify()


def stage_ops(module: ModuleOp) -> list[PlatformOp]:
    return [
        op
        for op in platform_graph(module).body_ops()
        if isinstance(op, PlatformOp) and not op.IS_CONSTANT
    ]


def random_stages(module: ModuleOp, rng: random.Random) -> list[int]:
    """Stages that never decrease along an edge, none of them empty."""
    nodes = stage_ops(module)
    found: dict[Operation, int] = {}
    for op in nodes:
        sources = [v.owner for v in external_operands(op)]
        low = max((found[s] for s in sources if isinstance(s, Operation) and s in found), default=0)
        found[op] = low + rng.choice([0, 0, 0, 1, 2])
    used = sorted(set(found.values()))
    return [used.index(found[op]) for op in nodes]


def whole(path: Path, feeds: dict[str, Any]) -> dict[str, Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


X = np.random.default_rng(7).normal(size=(4, 48)).astype(np.float32)


def split(tmp_path: Path, stages: Sequence[int] | None = None, seed: int = 0) -> Path:
    path = tmp_path / "network.onnx"
    onnx.save(network(), path)
    model = load_model(path)
    chosen = random_stages(model.module, random.Random(seed)) if stages is None else stages
    # Random stages hold what no chip runs.
    cut(model.module, chosen, tpu=(1,) if stages is not None else ())
    write_folder(model.module, model.store, model.platform, tmp_path / "out", dynamic=False)
    return tmp_path / "out"


STAGES = [0, 0, 0, 1, 2, 2, 2, 2, 1, 2]


@pytest.mark.parametrize("seed", range(20))
def test_chained_equals_whole(tmp_path: Path, seed: int):
    out = split(tmp_path, seed=seed)
    got = infer(load(out, mode=0), {"x": X})
    expected = whole(tmp_path / "network.onnx", {"x": X})
    assert list(got) == ["z", "y"]
    assert all(d.equal for d in compare(got, expected))


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix == ".onnx"}


def test_plan_is_read_back_and_written_again(tmp_path: Path):
    out = split(tmp_path, STAGES)
    (tmp_path / "network.onnx").unlink()
    module = read_folder(out)
    assert module_text(module) == (out / "plan.mlir").read_text()
    # The weights are found in the folder alone, and what is written from them is the same.
    model = load_model(out / "graph_0.onnx")
    write_folder(module, weights.store_for(module), model.platform, tmp_path / "again")
    assert files(out) == files(tmp_path / "again")
    assert (out / "graph_infos.json").read_text() == (
        tmp_path / "again" / "graph_infos.json"
    ).read_text()


@pytest.mark.parametrize("seed", range(5))
def test_sub_models_are_read_back_without_a_plan(tmp_path: Path, seed: int):
    out = split(tmp_path, seed=seed)
    (out / "plan.mlir").unlink()
    (tmp_path / "network.onnx").unlink()
    before = GraphInfos.load(out)
    module = read_folder(out)
    module.verify()
    after: Any = graph_infos(module)
    assert [g["inputs"] for g in after["graphs"]] == [list(g.inputs) for g in before.graphs]
    assert [g["outputs"] for g in after["graphs"]] == [list(g.outputs) for g in before.graphs]
    assert [g["device"] for g in after["graphs"]] == [g.device for g in before.graphs]
    assert after["layout"] == before.layout
    for name, tensor in before.tensors.items():
        if tensor.shape is not None and -1 not in tensor.shape:
            assert tuple(after["tensors"][name]["shape"]) == tensor.shape
        assert after["tensors"][name]["dtype"] == tensor.dtype
    platform = load_model(out / "graph_0.onnx").platform
    write_folder(module, weights.store_for(module), platform, tmp_path / "again")
    got = infer(load(tmp_path / "again", mode=0), {"x": X})
    assert all(d.equal for d in compare(got, infer(load(out, mode=0), {"x": X})))


def test_reading_refuses(tmp_path: Path):
    out = split(tmp_path, STAGES)
    plan = out / "plan.mlir"
    text = plan.read_text()
    plan.write_text(text.replace("device.return", "device.retrun"))
    with pytest.raises(AutosplitError, match=r"plan\.mlir") as caught:
        read_folder(out)
    assert "\n" not in str(caught.value)
    plan.write_text(text[: len(text) // 2])
    with pytest.raises(AutosplitError, match=r"plan\.mlir"):
        read_folder(out)
    plan.write_text(text.replace('"graph_0.onnx", "', '"../graph_0.onnx", "'))
    with pytest.raises(AutosplitError, match="leave the folder"):
        read_folder(out)
    plan.write_text(text)
    infos = out / "graph_infos.json"
    infos.write_text(infos.read_text().replace('"device": "tpu"', '"device": "cpu"'))
    with pytest.raises(AutosplitError, match=r"differs from graph_infos\.json about graph 1"):
        read_folder(out)


def test_changed_sub_model_is_noticed(tmp_path: Path):
    """plan.mlir names the digest of each file: weights of another model are not taken for its own."""
    out = split(tmp_path, STAGES)
    (tmp_path / "network.onnx").unlink()
    onnx.save(network(seed=1), out / "graph_0.onnx")
    module = read_folder(out)
    with pytest.raises(AutosplitError, match=r"graph_0\.onnx is not the file"):
        weights.store_for(module)


def test_sub_models_that_are_not_what_the_file_says(tmp_path: Path):
    out = split(tmp_path, STAGES)
    (out / "plan.mlir").unlink()
    (out / "graph_1.onnx").write_bytes((out / "graph_0.onnx").read_bytes())
    with pytest.raises(AutosplitError, match=r"graph_1\.onnx"):
        read_folder(out)
    (out / "graph_1.onnx").write_bytes(b"")
    with pytest.raises(AutosplitError, match=r"graph_1\.onnx: the file is empty"):
        read_folder(out)


def test_func_names_their_files(tmp_path: Path):
    module = read_folder(split(tmp_path, STAGES))
    for op in module.body.ops:
        if isinstance(op, FuncOp) and op.sym_name.data != "main":
            assert f"{op.sym_name.data}.onnx" in str(op.files)
