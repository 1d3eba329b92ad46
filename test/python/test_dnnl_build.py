"""From ops of the dialect to the library: attributes by version, partitions, shapes, and what is refused."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import (
    Float8E5M2Type,
    IntegerType,
    Signedness,
    TensorType,
    UnrankedTensorType,
    bf16,
    f32,
)
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import AnyLayout, DnnlOp, OrderLayout, PartitionOp, make_op
from autosplit.runtime.dnnl.bodies import without_idle_clips
from autosplit.runtime.dnnl.build import (
    LoadedPartition,
    answers,
    attributes,
    build,
    logical_tensor,
    partitions_of,
)
from autosplit.runtime.dnnl.library import library

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the library's package is for Linux on x86_64",
)

U8, S8 = IntegerType(8, Signedness.UNSIGNED), IntegerType(8)
CONV = {
    "strides": [1, 1],
    "dilations": [1, 1],
    "pads_begin": [1, 1],
    "pads_end": [1, 1],
    "data_format": "NCX",
    "weights_format": "OIX",
}


def type_of(element: Attribute, shape: Sequence[int] | None, layout: Any = None) -> Attribute:
    if shape is None:
        return UnrankedTensorType(element)
    return TensorType(element, shape) if layout is None else TensorType(element, shape, layout)


class Body:
    """A block of ops under construction."""

    def __init__(self) -> None:
        self.block = Block()
        self.ops: list[DnnlOp] = []

    def input(self, element: Attribute, *shape: int) -> SSAValue:
        source = AnyOp(result_types=[type_of(element, shape)])
        self.block.add_op(source)
        return source.results[0]

    def op(
        self,
        kind: str,
        inputs: Sequence[SSAValue],
        shape: Sequence[int] | None,
        element: Attribute = f32,
        layout: Any = None,
        **attrs: Any,
    ) -> SSAValue:
        made = make_op(kind, list(inputs), [type_of(element, shape, layout)], **attrs)
        self.block.add_op(made)
        self.ops.append(made)
        return made.outputs[0]

    def use(self, *values: SSAValue) -> Operation:
        user = AnyOp(operands=list(values))
        self.block.add_op(user)
        return user


class Conv:
    """A quantized convolution of the dialect, its partition, and numpy's result."""

    def __init__(
        self,
        result_layout: Any = None,
        dims: Sequence[int] = (-1, 8, -1, -1),
        *,
        bounds: tuple[float, float] | None = None,
        scale: float = 0.05,
        zp: int = 3,
    ):
        """`bounds` are those of a Clamp; a ReLU without them. `scale` and `zp` are the result's."""
        self.bounds, self.scale, self.zp = bounds or (0, np.inf), scale, zp
        random = np.random.default_rng(0)
        self.w = random.integers(-64, 64, (4, 8, 3, 3)).astype(np.int8)
        self.b = random.normal(size=4).astype(np.float32)
        self.scales = random.uniform(0.01, 0.02, 4).astype(np.float32)
        body = self.body = Body()
        unknown = (-1, 4, -1, -1)
        x, w, b = body.input(U8, *dims), body.input(S8, 4, 8, 3, 3), body.input(f32, 4)
        real = body.op("Dequantize", [x], dims, scales=[0.02], zps=[117])
        weights = body.op(
            "Dequantize",
            [w],
            (4, 8, 3, 3),
            qtype="per_channel",
            axis=0,
            scales=[float(s) for s in self.scales],
        )
        y = body.op("Convolution", [real, weights, b], unknown, **CONV)
        y = (
            body.op("ReLU", [y], unknown)
            if bounds is None
            else body.op("Clamp", [y], unknown, min=bounds[0], max=bounds[1])
        )
        q = body.op("Quantize", [y], unknown, U8, result_layout, scales=[scale], zps=[zp])
        body.use(q)
        self.partition = PartitionOp.create_from(body.ops, "conv", constants=[w, b])
        self.order = [[x, w, b].index(v) for v in self.partition.inputs]

    def shapes(self, batch: int, size: int) -> list[tuple[int, ...]]:
        given = [(batch, 8, size, size), (4, 8, 3, 3), (4,)]
        return [given[i] for i in self.order]

    def run(self, loaded: LoadedPartition, x: Any) -> Any:
        ready = loaded.compile(self.shapes(x.shape[0], x.shape[2]))
        (result,) = ready.results
        assert result.strides is not None
        assert result.dims is not None
        block = np.zeros(result.nbytes, np.uint8)
        y = np.ndarray(result.dims, np.uint8, block.data, strides=result.strides)
        given = [x, self.w, self.b]
        ready.bind([given[i] for i in self.order], [y])()
        return y

    def expected(self, x: Any) -> Any:
        padded = np.pad(x.astype(np.int64) - 117, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        sums = np.einsum("nchwij,ocij->nohw", windows, self.w.astype(np.int64))
        scales = np.float64(np.float32(0.02)) * self.scales.astype(np.float64)
        real = sums * scales[:, None, None] + self.b.astype(np.float64)[:, None, None]
        steps = np.rint(np.clip(real, *self.bounds) / np.float64(np.float32(self.scale))) + self.zp
        return np.clip(steps, 0, 255).astype(np.uint8)


# --- partitions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [None, AnyLayout.of(), OrderLayout.of([0, 2, 3, 1])])
def test_numbers_of_a_partition_for_many_shapes(layout: Any) -> None:
    conv = Conv(layout)
    loaded = LoadedPartition(conv.partition)
    random = np.random.default_rng(1)
    for batch, size in ((1, 5), (3, 9), (1, 5), (2, 30)):
        x = random.integers(0, 256, (batch, 8, size, size)).astype(np.uint8)
        y = conv.run(loaded, x)
        assert np.array_equal(y, conv.expected(x))
        last = (4 * size * size, 1, 4 * size, 4)
        assert y.strides == (
            last if layout is not None else (4 * size * size, size * size, size, 1)
        )


@pytest.mark.parametrize(
    ("bounds", "scale", "zp", "idle"),
    [
        (None, 0.05, 0, True),
        (None, 0.05, 3, False),
        ((0.0, 6.0), 6 / 255, 0, True),
        ((0.0, 6.0), 6 / 200, 0, False),
        ((0.0, 5.9), 6 / 255, 0, False),
        ((-3.1, 3.1), 6 / 255, 128, True),
        ((-2.9, 3.1), 6 / 255, 128, False),
    ],
)
def test_bounds_that_the_integers_have_anyway_are_left_out(
    bounds: tuple[float, float] | None, scale: float, zp: int, idle: bool
) -> None:
    conv = Conv(bounds=bounds, scale=scale, zp=zp)
    loaded = LoadedPartition(conv.partition)
    kinds = {op.kind for op in loaded.built.ops.values()}
    assert kinds.isdisjoint({"Clamp", "ReLU"}) == idle
    assert [op.kind for op in conv.partition.body_ops][-2] in ("Clamp", "ReLU")
    x = np.random.default_rng(3).integers(0, 256, (2, 8, 9, 9)).astype(np.uint8)
    expected = conv.expected(x)
    assert expected.min() == np.clip(np.rint(conv.bounds[0] / scale) + zp, 0, 255)
    assert np.array_equal(conv.run(loaded, x), expected)


def test_bounds_that_another_op_reads_stay() -> None:
    body = Body()
    x, w = body.input(U8, 2, 8), body.input(S8, 8, 8)
    real = body.op("Dequantize", [x], (2, 8), scales=[0.1], zps=[9])
    weights = body.op("Dequantize", [w], (8, 8), scales=[0.1], zps=[0])
    y = body.op("ReLU", [body.op("MatMul", [real, weights], (2, 8))], (2, 8))
    body.use(y, body.op("Quantize", [y], (2, 8), U8, scales=[0.1], zps=[0]))
    partition = PartitionOp.create_from(body.ops, "matmul", constants=[w])
    assert without_idle_clips(partition) is partition


def test_the_library_answers_with_ops() -> None:
    body = Body()
    x = body.input(f32, 4, 8)
    y = body.op("ReLU", [x], (4, 8))
    z = body.op("SoftMax", [y], (4, 8), axis=1)
    body.use(body.op("Tanh", [z], (4, 8)))
    groups = partitions_of(body.ops)
    assert sorted(op.kind for group in groups for op in group) == ["ReLU", "SoftMax", "Tanh"]
    assert len(groups) > 1
    assert [list(a.ops) for a in answers(body.ops)] == groups
    assert all(a.supported for a in answers(body.ops))


def test_results_that_others_read_are_marked() -> None:
    body = Body()
    x = body.input(f32, 4, 8)
    y = body.op("MatMul", [x, body.input(f32, 8, 8)], (4, 8))
    z = body.op("ReLU", [y], (4, 8))
    body.use(z)
    assert [len(group) for group in partitions_of(body.ops)] == [2]
    body.use(y)
    assert [len(group) for group in partitions_of(body.ops)] == [1, 1]


def test_what_is_constant_without_being_told() -> None:
    body = Body()
    x, w = body.input(f32, 4, 8), body.input(f32, 8, 8)
    body.use(body.op("MatMul", [x, w], (4, 8)))
    built = build(body.ops, library(), constants=[w])
    assert [built.tensors[v].constant for v in (x, w)] == [False, True]
    built = build(body.ops, library())
    assert not built.tensors[w].constant


def test_a_body_that_is_not_one_partition_is_refused() -> None:
    body = Body()
    x = body.input(f32, 4, 8)
    y = body.op("SoftMax", [body.op("SoftMax", [x], (4, 8), axis=1)], (4, 8), axis=1)
    body.use(y)
    partition = PartitionOp.create_from(body.ops, "two")
    with pytest.raises(
        AutosplitError,
        match=r"partition 'two': oneDNN .* makes 2 of it, expected one that it supports",
    ):
        LoadedPartition(partition)


# --- attributes ------------------------------------------------------------------------------------------


def named(op: DnnlOp, lib: Any = None) -> dict[str, Any]:
    names = {spec.code: name for name, spec in op.ATTRS.items()}
    return {names[code]: value for code, _, value in attributes(op, lib or library())}


def of_version(*version: int) -> Any:
    return SimpleNamespace(version=(*version, 0), release=".".join(map(str, version)))


def test_zero_points_are_always_given() -> None:
    body = Body()
    body.op("Quantize", [body.input(f32, 4, 8)], (4, 8), U8, scales=[0.1])
    assert named(body.ops[0])["zps"] == [0]


def test_a_default_is_not_told_to_a_library_that_is_too_old_for_it() -> None:
    body = Body()
    body.op("GELU", [body.input(f32, 4, 8)], (4, 8), mode="gelu_erf")
    body.op("GELU", [body.input(f32, 4, 8)], (4, 8), mode="gelu_tanh")
    erf, tanh = body.ops
    assert named(erf, of_version(3, 2)) == {}
    assert named(erf, of_version(3, 13)) == {"mode": "gelu_erf"}
    with pytest.raises(
        AutosplitError, match=r"GELU: mode = 'gelu_tanh' needs oneDNN 3\.\d+, this is 3\.2"
    ):
        named(tanh, of_version(3, 2))


def test_an_op_that_is_too_new_is_refused() -> None:
    body = Body()
    body.op("RMSNorm", [body.input(f32, 4, 8), body.input(f32, 8)], (4, 8))
    with pytest.raises(AutosplitError, match=r"RMSNorm needs oneDNN 3\.\d+, this is 3\."):
        build(body.ops, library())


def test_types_that_the_library_lacks() -> None:
    value = Body().input(Float8E5M2Type(), 4)
    with pytest.raises(AutosplitError, match="'f8_e5m2' is not supported"):
        logical_tensor(value).struct()
    with pytest.raises(AutosplitError, match="oneDNN has no tensors of type"):
        logical_tensor(Body().input(IntegerType(17), 4))


def test_an_op_that_is_wrong_names_itself() -> None:
    body = Body()
    x = body.input(f32, 4, 8)
    body.op("Quantize", [x], (4, 8), U8, scales=[-0.1], zps=[0])
    with pytest.raises(AutosplitError, match=r"Quantize: scale 0 is -0\.1"):
        partitions_of(body.ops)


def test_bf16_inside_is_found() -> None:
    body = Body()
    x, w = body.input(bf16, 4, 8), body.input(bf16, 8, 8)
    body.use(body.op("MatMul", [x, w], (4, 8), bf16))
    partition = PartitionOp.create_from(body.ops, "matmul")
    if library().computes("bf16"):
        ready = LoadedPartition(partition).compile([(4, 8), (8, 8)])
        assert ready.results[0].dims == (4, 8)
        return
    with pytest.raises(
        AutosplitError, match=r"bf16 on this processor|expected one that it supports"
    ):
        LoadedPartition(partition).compile([(4, 8), (8, 8)])


# --- shapes ----------------------------------------------------------------------------------------------


def loaded(body: Body) -> LoadedPartition:
    body.use(body.ops[-1].outputs[0])
    return LoadedPartition(PartitionOp.create_from(body.ops, "test"))


def test_sizes_that_contradict_each_other_never_reach_the_library() -> None:
    body = Body()
    a, b = body.input(f32, -1, 8), body.input(f32, -1, 8)
    body.op("Add", [a, b], (-1, 8))
    partition = loaded(body)
    assert partition.compile([(3, 8), (3, 8)]).results[0].dims == (3, 8)
    with pytest.raises(AutosplitError, match=r"Add: \[3, 8\] and \[4, 8\] do not broadcast"):
        partition.compile([(3, 8), (4, 8)])
    with pytest.raises(AutosplitError, match=r"Add: result 0 is \[\?, 8\], expected \[3, 9\]"):
        partition.compile([(3, 9), (3, 9)])


def test_sizes_of_scales_are_checked_when_they_are_known() -> None:
    body = Body()
    x = body.input(S8, -1, -1)
    body.op("Dequantize", [x], (-1, -1), qtype="per_channel", axis=1, scales=[0.1] * 8, zps=[0] * 8)
    partition = loaded(body)
    assert partition.compile([(2, 8)]).results[0].dims == (2, 8)
    with pytest.raises(AutosplitError, match="axis 1 has the size 9, there are 8 scales"):
        partition.compile([(2, 9)])


def test_asking_for_another_output_is_refused() -> None:
    conv = Conv()
    partition = LoadedPartition(conv.partition).partition
    sizes = dict(zip((p.id for p in partition.inputs), conv.shapes(1, 6), strict=True))
    inputs = [replace(p, dims=sizes[p.id], strides=None) for p in partition.inputs]
    output = replace(partition.outputs[0], dims=(1, 4, 7, 7), strides=None)
    with pytest.raises(AutosplitError, match=r"will have the sizes \[1, 4, 6, 6\]"):
        partition.compile(inputs, [output])


def test_in_place_pairs_count_operands_and_results() -> None:
    conv = Conv()
    ready = LoadedPartition(conv.partition).compile(conv.shapes(1, 6))
    for operand, result in ready.inplace:
        assert operand in range(3)
        assert result == 0


NO_PADS = {**CONV, "pads_begin": [], "pads_end": [0, 0]}
WIDE = {**CONV, "pads_begin": [0, 0], "pads_end": [0, 0], "strides": [2**62, 1]}
# The sizes that such a padding gives, as the library itself would compute them.
LESS = {**CONV, "pads_begin": [0, 1], "pads_end": [0, 0], "strides": [1, 2]}
LESS |= {"weights_format": "IOX", "output_padding": [-1, 0]}
LIMITS = [
    ("ConvTranspose", [(1, 8, 4, 4), (8, 4, 3, 3)], (1, 4, 5, 8), LESS, "has output_padding"),
    ("StaticTranspose", [(4, 8)], (8, 4), {"order": []}, "has no order for 2 dimensions"),
    ("Convolution", [(1, 8, 6, 6), (4, 8, 3, 3)], (1, 4, 4, 4), NO_PADS, "has paddings"),
    ("Convolution", [(1, 8, 6, 6), (4, 8, 3, 3)], (1, 4, 1, 4), WIDE, "more than 32 bits"),
    ("ReduceSum", [(1, 8)], (8,), {"axes": [0], "keep_dims": False}, "which have one element"),
    ("LogSoftmax", [(2, 4)], (2, 4), {"axis": 2}, "axis 2"),
    ("LayerNorm", [(2, 4)], (2, 4), {"keep_stats": False}, "scales by gamma"),
    ("LayerNorm", [(4,)], (4,), {"keep_stats": False, "use_affine": False}, "expected at least 2"),
    ("Clamp", [(2, 4)], (2, 4), {"min": 6.0, "max": 0.0}, "clamps to 6.0"),
    ("MatMul", [(8, 8), (8,), (8,)], (8,), {}, "add it by an op of its own"),
    ("MatMul", [(2, 3, 8), (8, 8), (3, 8)], (2, 3, 8), {}, "add it by an op of its own"),
    ("StaticTranspose", [()], (), {"order": []}, "transposes a scalar"),
    ("PReLU", [(4,), (4,)], (4,), {"data_format": "NCX"}, "expected at least 2"),
    (
        "AvgPool",
        [(1, 8, 6, 6)],
        (1, 8, 8, 6),
        {
            "strides": [1, 1],
            "kernel": [1, 1],
            "pads_begin": [1, 0],
            "pads_end": [1, 0],
            "exclude_pad": True,
            "data_format": "NCX",
        },
        "lie in the paddings",
    ),
]


@pytest.mark.parametrize(("kind", "inputs", "output", "attrs", "told"), LIMITS)
def test_valid_ops_that_the_library_does_not_survive(
    kind: str, inputs: Any, output: Any, attrs: dict[str, Any], told: str
) -> None:
    body = Body()
    body.op(kind, [body.input(f32, *shape) for shape in inputs], output, **attrs)
    # Some releases say themselves that they do not support it.
    with pytest.raises(AutosplitError, match=f"{told}|not supported"):
        loaded(body).compile(inputs)


def test_an_elementwise_op_that_reads_one_result_twice_is_refused() -> None:
    body = Body()
    a, b = body.input(f32, 4, 8), body.input(f32, 4, 8)
    y = body.op("Multiply", [a, b], (4, 8))
    body.op("Minimum", [y, y], (4, 8))
    with pytest.raises(AutosplitError, match=r"Minimum reads one result twice|makes 2 of it"):
        loaded(body).compile([(4, 8), (4, 8)])


def test_an_input_that_is_both_multiplied_and_added() -> None:
    """A release computes wrong sums where both ports have the same tensor, so that each gets its own."""
    body, random = Body(), np.random.default_rng(5)
    x, w = body.input(U8, 2, 32, 7, 7), body.input(S8, 32, 32, 3, 3)
    real = body.op("Dequantize", [x], (2, 32, 7, 7), scales=[0.5], zps=[9])
    added = body.op("Dequantize", [x], (2, 32, 7, 7), scales=[0.5], zps=[9])
    weights = body.op("Dequantize", [w], (32, 32, 3, 3), scales=[0.125], zps=[0])
    y = body.op("Convolution", [real, weights], (2, 32, 7, 7), **CONV)
    y = body.op("Add", [y, added], (2, 32, 7, 7))
    body.use(body.op("Quantize", [y], (2, 32, 7, 7), U8, scales=[4.0], zps=[120]))
    partition = PartitionOp.create_from(body.ops, "sum", constants=[w])
    assert list(partition.inputs) == [x, w]
    ready = LoadedPartition(partition).compile([(2, 32, 7, 7), (32, 32, 3, 3)])
    assert all(operand != 0 for operand, _ in ready.inplace)
    a = random.integers(0, 256, (2, 32, 7, 7)).astype(np.uint8)
    b = random.integers(-8, 9, (32, 32, 3, 3)).astype(np.int8)
    found = np.zeros_like(a)
    ready.bind([a, b], [found])()
    zeroed = a.astype(np.float64) - 9
    padded = np.pad(zeroed, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    total = np.einsum("nchwij,ocij->nohw", windows, b.astype(np.float64)) / 16 + zeroed / 2
    expected = np.clip(np.rint(total / 4) + 120, 0, 255).astype(np.uint8)
    np.testing.assert_array_equal(found, expected)


def random_graphs(seed: int, count: int) -> dict[str, int]:
    """What becomes of random graphs, each in a process of its own."""
    script = Path(__file__).with_name("dnnl_random.py")
    done = subprocess.run(
        [sys.executable, str(script), str(seed), str(count)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (line.split(" ", 1) for line in done.stdout.splitlines())
    return {told: int(times) for times, told in lines}


def test_random_graphs_never_end_the_process() -> None:
    found = random_graphs(0, 80)
    assert found["ran"] > 20
    assert found["ran"] + found["refused"] == 80


@pytest.mark.nightly
def test_many_random_graphs_never_end_the_process() -> None:
    found = random_graphs(1_000_000, 4000)
    assert found["ran"] > 1000
