"""Folders of real TensorFlow sub-models: they run like the whole, and can be read back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, i64
from xdsl.ir import Operation

from autosplit.core import weights
from autosplit.core.printing import module_text
from autosplit.dialects.device import FuncOp, TargetAttr
from autosplit.dialects.platform import (
    PlatformOp,
    external_operands,
    platform_graph,
    static_shape,
)
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.folder.staging import write_folder
from autosplit.formats.top_mlir.reader import read_top
from autosplit.lowering.device.outline import DeviceOutlinePass
from autosplit.lowering.infer_shapes import InferShapesPass
from autosplit.platforms import load_model
from autosplit.runtime.compare import compare
from autosplit.runtime.runner import infer, load

tensorflow = pytest.importorskip("tensorflow")

OUTPUTS = ["out:0", "halves:1"]
X = np.random.default_rng(7).normal(size=(4, 40)).astype(np.float32)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """A frozen graph with an op of two outputs that cross borders, and what it computes."""
    tf: Any = tensorflow.compat.v1
    rng = np.random.default_rng(0)
    # One thread and no graph optimizations, as sub-models are run: both change the last bits.
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    with tf.Graph().as_default() as graph, tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [4, 40], name="x")
        w = tf.constant(rng.normal(size=(40, 40)).astype(np.float32), name="w")
        b = tf.constant(rng.normal(size=40).astype(np.float32), name="b")
        hidden = tf.nn.relu(tf.add(tf.matmul(x, w, name="fc1"), b, name="add1"), name="relu1")
        left, right = tf.split(hidden, 2, axis=1, name="halves")
        product = tf.multiply(left, tf.tanh(right, name="tanh"), name="product")
        tf.identity(tf.concat([product, right], 1, name="both"), name="out")
        expected = session.run(OUTPUTS, {x: X})
        path = tmp_path_factory.mktemp("network") / "network.pb"
        path.write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
    return path, expected


def split(path: Path, out: Path, seed: int) -> None:
    """Cuts at random places that respect the edges; odd stages are for the TPU."""
    model = load_model(path)
    model.platform.prepare(model, {"x": (4, 40)}, OUTPUTS)
    InferShapesPass().apply(Context(), model.module)
    graph = platform_graph(model.module)
    fed = {value for _, value in graph.graph_inputs()}
    rng = random.Random(seed)
    found: dict[Operation, int] = {}
    for op in graph.body_ops():
        if not isinstance(op, PlatformOp) or op.IS_CONSTANT or not fed.isdisjoint(op.results):
            continue
        sources = [v.owner for v in external_operands(op)]
        low = max((found[s] for s in sources if isinstance(s, Operation) and s in found), default=0)
        found[op] = low + rng.choice([0, 0, 1])
    used = sorted(set(found.values()))
    for op, stage in found.items():
        op.attributes["device.stage"] = IntegerAttr(used.index(stage), i64)
    targets = [
        TargetAttr.of("tpu", "bm1684") if i % 2 else TargetAttr.of("cpu") for i in range(len(used))
    ]
    model.module.attributes["device.plan"] = DictionaryAttr({"stages": ArrayAttr(targets)})
    DeviceOutlinePass().apply(Context(), model.module)
    model.module.verify()
    # What shape inference does not tell, one run of the model does.
    unknown = [
        name
        for func in model.module.body.ops
        if isinstance(func, FuncOp)
        for name, value in func.outputs
        if static_shape(value.type) is None and not name.endswith("_sophon_auto:0")
    ]
    measured = model.platform.measure(load_model(path), {"x:0": X}, unknown) if unknown else None
    write_folder(model.module, model.store, model.platform, out, measured=measured)


@pytest.mark.parametrize("seed", range(8))
def test_chained_equals_whole(tmp_path: Path, network: tuple[Path, list[Any]], seed: int):
    path, expected = network
    split(path, tmp_path / "out", seed)
    got = infer(load(tmp_path / "out", mode=0), {"x": X})
    assert list(got) == OUTPUTS
    whole = dict(zip(OUTPUTS, expected, strict=True))
    assert [d for d in compare(got, whole) if not d.equal] == []
    infos = GraphInfos.load(tmp_path / "out")
    assert infos.layout == "NHWC"
    for graph in infos.graphs:
        assert all(name.endswith(":0") for name in graph.inputs)
        if graph.device == "tpu":
            script = tmp_path / "out" / f"compile_to_{graph.context_dir}.py"
            (text,) = (tmp_path / "out" / graph.context_dir).glob("*.mlir")
            assert text.name in script.read_text()
            assert any(op.name == "top.Input" for op in read_top(text).walk())


def test_read_back(tmp_path: Path, network: tuple[Path, list[Any]]):
    path, _ = network
    out = tmp_path / "out"
    split(path, out, 3)
    module = read_folder(out)
    assert module_text(module) == (out / "plan.mlir").read_text()
    platform = load_model(out / "graph_0.pb").platform
    write_folder(module, weights.store_for(module), platform, tmp_path / "again")
    written, again = contents(out), contents(tmp_path / "again")
    assert list(written) == list(again)
    assert [name for name, data in written.items() if data != again[name]] == []


def contents(folder: Path) -> dict[str, bytes]:
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


@pytest.mark.parametrize("seed", range(3))
def test_read_back_without_a_plan(tmp_path: Path, network: tuple[Path, list[Any]], seed: int):
    path, expected = network
    out = tmp_path / "out"
    split(path, out, seed)
    (out / "plan.mlir").unlink()
    module = read_folder(out)
    platform = load_model(out / "graph_0.pb").platform
    write_folder(module, weights.store_for(module), platform, tmp_path / "again")
    got = infer(load(tmp_path / "again", mode=0), {"x:0": X})
    whole = dict(zip(OUTPUTS, expected, strict=True))
    assert all(d.equal for d in compare(got, whole))
    before, after = GraphInfos.load(out), GraphInfos.load(tmp_path / "again")
    assert (before.graphs, before.tensors) == (after.graphs, after.tensors)
