"""dnnl-propagate-layout: all ends of a value agree, only partitions see another order, the numbers stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.dnnl import LayoutAttr, OrderLayout, PartitionOp, layout_of, strides_of
from autosplit.dialects.onnx.base import GraphOp, InitializerOp
from autosplit.dialects.onnx.constants import constant_array
from autosplit.lowering.dnnl.propagate_layout import propagate
from autosplit.lowering.pipelines import build_passes
from autosplit.platforms import Model, load_model
from autosplit.registry import get_all_passes, make_context

F = np.float32
BEFORE = "normalize-onnx{int8=true},convert-onnx-to-quant,quant-split-dequant,convert-onnx-to-dnnl"
X = np.random.default_rng(1).standard_normal((2, 8, 6, 6)).astype(F)


def network(seed: int, *, head: bool = False) -> onnx.ModelProto:
    """A random quantized network: convolutions, sums, pools, and now and then an op that nothing fuses."""
    r = np.random.default_rng(seed)
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {}

    def c(value, dtype=F) -> str:
        name = f"c{len(constants)}"
        constants[name] = np.array(value, dtype)
        return name

    def op(kind: str, *inputs: str, **attributes) -> str:
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [name], name=f"n_{name}", **attributes))
        return name

    def qdq(x: str) -> str:
        s, z = c(r.uniform(0.03, 0.06)), c(128, np.uint8)
        return op("DequantizeLinear", op("QuantizeLinear", x, s, z), s, z)

    def conv(x: str) -> str:
        w = op(
            "DequantizeLinear",
            c(r.integers(-63, 64, (8, 8, 3, 3)), np.int8),
            c(r.uniform(0.002, 0.004, 8)),
            c(np.zeros(8), np.int8),
            axis=0,
        )
        return op("Conv", x, w, pads=[1, 1, 1, 1])

    pool = [qdq("x")]
    for _ in range(8):
        x = pool[-1 - int(r.integers(0, min(3, len(pool))))]
        kind = int(r.integers(0, 7))
        if kind <= 2:
            y = op("Relu", conv(x)) if kind else conv(x)
        elif kind == 3:
            y = op("Add", conv(x), pool[-1])
        elif kind == 4:
            y = op("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        elif kind == 5:
            y = op("Erf", x)
        else:
            y = op("Mul", op("Sigmoid", x), pool[0])
        pool.append(qdq(y) if r.random() < 0.8 else y)
    outputs = [pool[-1]]
    if head:
        flat = op("Flatten", op("GlobalAveragePool", pool[-1]))
        outputs.append(op("MatMul", flat, c(r.standard_normal((8, 5)))))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info(o, onnx.TensorProto.FLOAT, None) for o in outputs],
        [numpy_helper.from_array(a, n) for n, a in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def fused(model: onnx.ModelProto, folder: Path, keep: str = "all") -> Model:
    path = folder / "model.onnx"
    onnx.save(model, path)
    loaded = load_model(path)
    context = make_context()
    passes = f"{BEFORE},dnnl-fuse{{keep={keep}}},convert-dnnl-to-onnx"
    for step in build_passes(passes, get_all_passes()):
        step.apply(context, loaded.module)
    loaded.module.verify()
    return loaded


def layouts(loaded: Model) -> list[LayoutAttr]:
    values = [r for op in loaded.module.walk() for r in op.results]
    return [found for v in values if (found := layout_of(v.type)) is not None]


@pytest.mark.parametrize("head", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_all_ends_agree(seed, head, tmp_path):
    loaded = fused(network(seed, head=head), tmp_path)
    before = str(loaded.module)
    propagate(loaded.module)
    # The verifiers of partitions compare the two ends of every value.
    loaded.module.verify()
    after = str(loaded.module)
    assert after.replace(", #dnnl.order<[0, 2, 3, 1]>", "") == before
    for op in loaded.module.walk():
        if isinstance(op, PartitionOp) or isinstance(op.parent_op(), PartitionOp):
            continue
        assert all(layout_of(v.type) is None for v in op.operands), op.name
        assert all(layout_of(v.type) is None for v in op.results), op.name
    propagate(loaded.module)
    assert str(loaded.module) == after
    propagate(loaded.module, "any")
    loaded.module.verify()
    assert str(loaded.module).replace("#dnnl.any", "#dnnl.order<[0, 2, 3, 1]>") == after
    propagate(loaded.module)
    assert str(loaded.module) == after


def test_there_is_something_to_propagate(tmp_path):
    loaded = fused(network(0), tmp_path)
    propagate(loaded.module)
    assert layouts(loaded)
    assert all(found == OrderLayout.channels_last(4) for found in layouts(loaded))


@pytest.mark.parametrize("seed", range(6))
def test_the_numbers_stay(seed, tmp_path):
    # The library compiles a lone reshape in no version that is tested; such ops stay ONNX's.
    loaded = fused(network(seed, head=True), tmp_path, "border")
    expected = run_partitions(loaded)
    propagate(loaded.module)
    for a, b in zip(expected, run_partitions(loaded), strict=True):
        # One quantum of what rounds otherwise may grow in what follows.
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=0.2)
        assert (np.abs(a - b) > 1e-4).mean() < 0.02


def run_partitions(loaded: Model) -> list[np.ndarray]:
    """Runs a graph partition by partition, each value in the order of its type; ONNX ops by the reference."""
    from onnx.reference import ReferenceEvaluator

    from autosplit.dialects.onnx.base import OnnxOp
    from autosplit.formats.onnx.writer import node_proto
    from autosplit.runtime.dnnl.build import LoadedPartition
    from autosplit.runtime.dnnl.library import library

    graph = next(op for op in loaded.module.walk() if isinstance(op, GraphOp))
    values: dict[object, np.ndarray] = {graph.body.block.args[0]: X}
    for op in graph.body.block.ops:
        if isinstance(op, InitializerOp):
            values[op.results[0]] = constant_array(op.results[0], loaded.store)
        elif isinstance(op, PartitionOp):
            arrays = [values[v] for v in op.inputs]
            steps = [[s // a.itemsize for s in a.strides] for a in arrays]
            ready = LoadedPartition(op, library()).compile([a.shape for a in arrays], steps)
            results = [empty_like(r.type) for r in op.outputs]
            ready.bind(arrays, results)()
            values.update(zip(op.outputs, results, strict=True))
        elif isinstance(op, OnnxOp):
            names = [f"i{i}" for i in range(len(op.operands))]
            node = node_proto(op, names, ["o"], loaded.store)
            run = ReferenceEvaluator(node).run(
                None, {n: values[v] for n, v in zip(names, op.operands, strict=True)}
            )
            values[op.results[0]] = np.ascontiguousarray(run[0])
        else:
            return [np.ascontiguousarray(values[v]) for v in op.operands]
    raise AssertionError("the graph has no return")


def empty_like(type) -> np.ndarray:
    """An array in the order that a tensor type says."""
    shape = type.get_shape()
    dtype, strides = dtype_of(type), strides_of(type)
    flat = np.empty(int(np.prod(shape)), dtype)
    return np.lib.stride_tricks.as_strided(flat, shape, [s * dtype.itemsize for s in strides])
