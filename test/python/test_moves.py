"""Ops that only move bytes: what they give, how they are copied, and as steps of a plan."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onednn_installed import needs_library
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from autosplit import api
from autosplit.core.weights import WeightStore, register
from autosplit.dialects.dnnl.moves import Move, move_of, moved_operands
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.constants import constant_array
from autosplit.formats.onnx.reader import read_model
from autosplit.lowering.pipelines import run_passes
from autosplit.registry import make_context
from autosplit.runtime.plan.memory import copier
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.int8 import compile_builder
from autosplit.testing.qdq import QdqBuilder, run

pytest.importorskip("onnxruntime")

Array = NDArray[np.generic]


def one_op(kind: str, shapes: list[tuple[int, ...]], constants: list[Array | None], **fields):
    """A model of one op on bytes, with its constant operands behind them."""
    names = [f"x{i}" for i in range(len(shapes))]
    extra = ["" if c is None else f"c{i}" for i, c in enumerate(constants)]
    outputs = [f"y{i}" for i in range(fields.pop("results", 1))]
    graph = helper.make_graph(
        [helper.make_node(kind, [*names, *extra], outputs, **fields)],
        "one",
        [
            helper.make_tensor_value_info(n, TensorProto.UINT8, s)
            for n, s in zip(names, shapes, strict=True)
        ],
        [helper.make_tensor_value_info(n, TensorProto.UINT8, None) for n in outputs],
        [numpy_helper.from_array(c, f"c{i}") for i, c in enumerate(constants) if c is not None],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model)


def i64(*numbers: int) -> Array:
    return np.array(numbers, np.int64)


MODELS = {
    "concat": one_op("Concat", [(2, 3, 4, 5), (2, 6, 4, 5)], [], axis=1),
    "depth-to-space": one_op("DepthToSpace", [(2, 12, 3, 5)], [], blocksize=2),
    "depth-to-space-inner": one_op("DepthToSpace", [(2, 12, 3, 5)], [], blocksize=2, mode="CRD"),
    "space-to-depth": one_op("SpaceToDepth", [(2, 3, 6, 4)], [], blocksize=2),
    "concat-rows": one_op("Concat", [(2, 3), (1, 3), (4, 3)], [], axis=0),
    "slice": one_op("Slice", [(2, 8, 4, 5)], [i64(2, 1), i64(7, -1), i64(1, 3), i64(2, 1)]),
    "slice-all": one_op("Slice", [(2, 8)], [i64(0, 0), i64(1 << 62, 8)]),
    "split": one_op("Split", [(2, 8, 4)], [i64(3, 5)], axis=1, results=2),
    "split-even": one_op("Split", [(2, 8, 4)], [], axis=-1, num_outputs=2, results=2),
    "transpose": one_op("Transpose", [(2, 3, 4, 5)], [], perm=[0, 2, 3, 1]),
    "transpose-all": one_op("Transpose", [(2, 3, 4)], []),
    "reshape": one_op("Reshape", [(2, 6, 4)], [i64(2, 2, -1, 4)]),
    "flatten": one_op("Flatten", [(2, 6, 4)], []),
    "squeeze": one_op("Squeeze", [(2, 1, 4)], [i64(1)]),
    "resize": one_op(
        "Resize", [(1, 3, 4, 5)], [None, np.array([1, 1, 2, 3], np.float32)], mode="nearest"
    ),
    "resize-down": one_op(
        "Resize",
        [(1, 3, 4, 5)],
        [None, np.array([1, 1, 2, 2], np.float32)],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
    "pad": one_op("Pad", [(1, 2, 3, 3)], [i64(0, 1, 1, 2, 0, 0, 2, 1), np.array(7, np.uint8)]),
}

REFUSED = {
    "edges": one_op("Pad", [(2, 3)], [i64(0, 1, 0, 0)], mode="edge"),
    "cropped": one_op("Pad", [(2, 3)], [i64(0, -1, 0, 0)]),
    "reversed": one_op("Slice", [(8,)], [i64(7), i64(0), i64(0), i64(-1)]),
    "by-half": one_op("Resize", [(2, 4)], [None, np.array([1, 1.5], np.float32)], mode="nearest"),
    "linear": one_op("Resize", [(2, 4)], [None, np.array([1, 2], np.float32)], mode="linear"),
    "ceil": one_op(
        "Resize",
        [(2, 4)],
        [None, np.array([1, 2], np.float32)],
        mode="nearest",
        nearest_mode="ceil",
    ),
}


def read(model: ModelProto) -> tuple[OnnxOp, Move | None]:
    store = WeightStore(Path("model.onnx"), "0123456789abcdef")
    module = read_model(model, store, Path())
    register(store, module)
    assert isinstance(module, ModuleOp)
    run_passes(make_context(), module, "infer-shapes")
    kind = model.graph.node[0].op_type
    (op,) = [o for o in module.walk() if isinstance(o, OnnxOp) and o.op_type == kind]
    return op, move_of(op, lambda value: constant_array(value, store))


def laid_out(array: Array, random: np.random.Generator) -> Array:
    """The same array with its dimensions in another order in memory."""
    order = random.permutation(array.ndim)
    back = np.argsort(order)
    return np.ascontiguousarray(array.transpose(order)).transpose(back)


@pytest.mark.parametrize("name", MODELS)
@given(seed=st.integers(0, 1 << 16))
@settings(max_examples=15, deadline=None)
def test_a_move_gives_what_onnx_runtime_gives_wherever_things_lie(name: str, seed: int):
    model = MODELS[name]
    op, move = read(model)
    assert move is not None
    random = np.random.default_rng(seed)
    feeds = {
        i.name: random.integers(
            0, 256, [d.dim_value for d in i.type.tensor_type.shape.dim], np.uint8
        )
        for i in model.graph.input
    }
    expected = run(model, feeds, optimize=False)
    assert len(moved_operands(op)) == len(feeds)
    sources = [laid_out(x, random) for x in feeds.values()]
    if op.op_type in ("Reshape", "Flatten", "Squeeze"):
        sources = list(feeds.values())
    assert move.shapes([x.shape for x in sources]) == [y.shape for y in expected]
    targets = [laid_out(np.zeros_like(y), random) for y in expected]
    for target, source in move.pairs(targets, sources):
        copier(target, source)()
    for target, wanted in zip(targets, expected, strict=True):
        np.testing.assert_array_equal(target, wanted)
    for view, wanted in zip(move.views(sources[0]) or expected, expected, strict=True):
        np.testing.assert_array_equal(view, wanted)


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_more_than_moving_is_no_move(name: str):
    assert read(REFUSED[name])[1] is None


def test_bytes_that_lie_together_are_copied_as_one():
    joined, part = np.zeros((1, 4, 4, 48), np.uint8), np.ones((1, 4, 4, 16), np.uint8)
    call = copier(joined[..., 16:32], part)
    assert call.args[0].dtype.itemsize == 16
    call()
    assert joined.sum() == part.sum() == joined[..., 16:32].sum()


# In plans


def network(height: int | str = 16) -> QdqBuilder:
    """Convolutions with a split, a concat, a pool, an enlargement and padding between, all of one scale."""
    b = QdqBuilder(seed=11)
    x = b.qdq(b.input("x", (1, 3, height, 16)))
    y = b.qdq(b.relu(b.conv(x, (32, 3, 3, 3), pads=1)))

    def same(kind: str, *inputs: str, **fields: object) -> str:
        return b.qdq(b.node(kind, *inputs, **fields), like=y)

    sizes = b.constant(np.array([16, 16]), "sizes")
    left, right = (b.qdq(v, like=y) for v in b.nodes("Split", y, sizes, outputs=2, axis=1))
    right = b.qdq(b.relu(b.conv(right, (16, 16, 3, 3), pads=1)), like=y)
    joined = same("Concat", left, right, axis=1)
    pooled = same("MaxPool", joined, kernel_shape=[2, 2], strides=[2, 2])
    factors = b.constant(np.array([1, 1, 2, 2], np.float32), "factors")
    large = same("Resize", pooled, "", factors, mode="nearest")
    both = same("Concat", large, joined, axis=1)
    zero = b.constant(np.float32(0), "zero")
    # More than the convolution has as pads of its own.
    padded = same("Pad", both, b.constant(np.array([0, 0, 2, 0, 0, 0, 0, 1]), "pads"), zero)
    b.output(b.qdq(b.conv(padded, (8, 64, 2, 2))))
    return b


def compiled(b: QdqBuilder, folder: Path) -> tuple[Plan, ModelProto]:
    model = b.build(b.feeds(0, H=16))
    onnx.save(model, folder / "model.onnx")
    api.compile(folder / "model.onnx", folder / "plan")
    plan = api.load_compiled(folder / "plan")
    assert isinstance(plan, Plan)
    return plan, model


def assert_near(plan: Plan, model: ModelProto, feeds: dict[str, Array]) -> None:
    """Within one quantum for each rounding of the two layers that differ."""
    (expected,) = run(model, feeds, optimize=False)
    (found,) = plan.run(feeds).values()
    quantum = np.diff(np.unique(expected)).min()
    assert np.abs(found - expected).max() <= 2.01 * quantum


@needs_library
def test_between_partitions_bytes_are_moved_by_the_plan_alone(tmp_path: Path):
    b = network()
    plan, model = compiled(b, tmp_path)
    for seed in range(3):
        assert_near(plan, model, b.feeds(seed))
    steps = {s.rule: s for s in plan.account().steps if s.kind == "copy"}
    assert sorted(steps) == ["Concat", "Pad", "Resize", "Split"]
    assert not [s for s in plan.account().steps if s.kind == "segment"]
    # The halves are read where they lie: by a convolution and a concat.
    assert steps["Split"].bytes == 0
    assert steps["Resize"].bytes == 3 * 32 * 16 * 16


@needs_library
def test_sizes_may_vary_and_several_threads_run_at_once(tmp_path: Path):
    b = network("H")
    plan, model = compiled(b, tmp_path)
    feeds = [b.feeds(seed, H=8 + 2 * (seed % 3)) for seed in range(6)]
    failures: list[BaseException] = []

    def work(mine: dict[str, Array]) -> None:
        try:
            for _ in range(5):
                assert_near(plan, model, mine)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(f,)) for f in feeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@needs_library
def test_what_the_caller_and_onnx_runtime_read_is_row_major(tmp_path: Path):
    b = QdqBuilder(seed=12)
    x = b.qdq(b.input("x", (2, 3, 6, 6)))
    y = b.quantize(b.relu(b.conv(x, (16, 3, 3, 3), pads=1)))
    part = b.stored("Slice", y, *(b.constant(np.array([n]), "n") for n in (4, 12, 1)))
    turned = b.stored("Transpose", part, perm=[0, 2, 3, 1])
    b.output(part, turned, b.node("Sigmoid", b.dequantize(turned)))
    plan, model = compiled(b, tmp_path)
    feeds = b.feeds(1)
    for found, expected in zip(
        plan.run(feeds).values(), run(model, feeds, optimize=False), strict=True
    ):
        assert found.flags.c_contiguous
        difference = np.abs(found.astype(np.float32) - expected.astype(np.float32))
        assert difference.max() <= (1 if expected.dtype == np.uint8 else 0.1)
    assert {s.rule for s in plan.account().steps if s.kind == "copy" and s.rule} == {
        "Slice",
        "Transpose",
    }


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("mode", ["CRD", "DCR"])
def test_pixels_from_channels_are_copied_by_the_channel(mode: str, relu: bool, tmp_path: Path):
    """The channels of the convolution in front are put into the order for that."""
    b = QdqBuilder(seed=8)
    x = b.qdq(b.conv(b.qdq(b.input("x", (1, 3, 6, 5))), (24, 3, 3, 3), pads=1))
    y = b.node("DepthToSpace", x, blocksize=2, mode=mode)
    y = b.qdq(b.relu(y) if relu else y)
    b.output(b.qdq(b.conv(y, (4, 6, 1, 1))))
    found = compile_builder(b, tmp_path, rounding="close")
    assert list(found.outside) == ["DepthToSpace"]
    moves = [o for o in found.result.module.walk() if isinstance(o, OnnxOp)]
    (shuffle,) = [o for o in moves if o.op_type == "DepthToSpace"]
    assert attribute(shuffle, "mode", "DCR") == "DCR"
    # A rounding is left out in front of the ReLU, and its range is another.
    found.check(quanta=4.1 if relu else 1.1)


@pytest.mark.parametrize("sized", [False, True])
def test_images_are_resized_with_their_channels_last(sized: bool, tmp_path: Path):
    """By ONNX Runtime, whose kernel for that is faster; what it gets and gives are views."""
    b = QdqBuilder(seed=9)
    x = b.qdq(b.conv(b.qdq(b.input("x", (1, 3, 6, 5))), (8, 3, 3, 3), pads=1))
    scales = b.constant(np.array([1, 1, 2, 2], np.float32), "scales")
    sizes = b.constant(i64(1, 8, 13, 9), "sizes")
    y = b.qdq(b.node("Resize", x, "", *(["", sizes] if sized else [scales]), mode="linear"))
    b.output(b.qdq(b.conv(y, (4, 8, 1, 1))))
    found = compile_builder(b, tmp_path)
    assert sorted(k for k in found.outside if k in ("Resize", "Transpose")) == [
        "Resize",
        "Transpose",
    ]
    found.check(quanta=1.1)
