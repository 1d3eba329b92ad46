"""Multiply-adds against loops that count them, one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import TensorType, f32

from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.platform import UnknownType
from autosplit.lowering.device.work import elements, multiply_adds, result_elements


def make(kind, shapes, result, **attributes):
    """An op on placeholders of the given shapes."""
    from xdsl.dialects.test import TestOp

    inputs = TestOp(result_types=[TensorType(f32, s) for s in shapes])
    domain = attributes.pop("domain", "")
    return make_node(
        kind,
        list(inputs.results),
        ["y"],
        attributes=attributes,
        result_types=[TensorType(f32, result)],
        domain=domain,
    )


def count_conv(x, w, group, strides, pads):
    """Counts the products of a convolution by its definition; padding counts as any other element."""
    n, c, *sizes = x
    m, _, *kernel = w
    outputs = [
        (d + p + q - k) // s + 1
        for d, k, s, p, q in zip(sizes, kernel, strides, pads[:2], pads[2:], strict=True)
    ]
    total = 0
    for _ in itertools.product(range(n), range(m), *map(range, outputs)):
        total += sum(1 for _ in itertools.product(range(c // group), *map(range, kernel)))
    return total, [n, m, *outputs]


@pytest.mark.parametrize("group", [1, 2, 4])
@pytest.mark.parametrize("strides", [[1, 1], [2, 1]])
def test_conv(group, strides):
    x, w = [2, 4, 5, 6], [8, 4 // group, 3, 2]
    pads = [1, 0, 1, 1]
    total, result = count_conv(x, w, group, strides, pads)
    op = make("Conv", [x, w], result, group=group, strides=strides, pads=pads)
    assert multiply_adds(op) == total


def test_conv_transpose():
    """Every input element meets the weights of its channel, whatever the stride."""
    x, w = [2, 4, 3, 3], [4, 3, 2, 2]
    total = sum(
        1 for _ in itertools.product(range(2), range(4), range(3), range(3), range(3), range(4))
    )
    assert (
        multiply_adds(make("ConvTranspose", [x, w], [2, 6, 6, 6], group=2, strides=[2, 2])) == total
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([3, 4], [4, 5]),
        ([2, 3, 4], [4, 5]),
        ([7, 1, 3, 4], [2, 4, 5]),
        ([4], [4, 5]),
        ([3, 4], [4]),
    ],
)
def test_matmul(a, b):
    """One product for each element of the result and each element of the dimension summed over."""
    result = np.matmul(np.zeros(a), np.zeros(b)).shape
    assert multiply_adds(make("MatMul", [a, b], result)) == math.prod(result) * 4


@pytest.mark.parametrize("transposed", [0, 1])
def test_gemm(transposed):
    a = [4, 3] if transposed else [3, 4]
    assert multiply_adds(make("Gemm", [a, [4, 5], [5]], [3, 5], transA=transposed)) == 3 * 4 * 5


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [[3, 4], [4, 5]]),
        ("bhid,bhjd->bhij", [[2, 3, 4, 5], [2, 3, 6, 5]]),
        ("...ij,...jk->...ik", [[2, 3, 4], [2, 4, 5]]),
        (" a b , b -> a ", [[3, 4], [4]]),
        ("ij,jk", [[3, 4], [4, 5]]),
    ],
)
def test_einsum(equation, shapes):
    """numpy's own count of the naive contraction: multiplications and additions."""
    arrays = [np.zeros(s) for s in shapes]
    result = np.einsum(equation, *arrays).shape
    report = np.einsum_path(equation, *arrays, optimize=False)[1]
    line = next(x for x in report.splitlines() if "Naive FLOP count" in x)
    flops = float(line.split(":")[1])
    found = multiply_adds(make("Einsum", shapes, result, equation=equation))
    assert 2 * found == pytest.approx(flops, rel=1e-3)


def test_recurrent():
    """LSTM: 4 gates of 6 units over 3 inputs and 6 states, 5 steps of 2 sequences, both directions."""
    op = make("LSTM", [[5, 2, 3], [2, 24, 3], [2, 24, 6]], [5, 2, 2, 6], hidden_size=6)
    assert multiply_adds(op) == 5 * 2 * 2 * (24 * 3 + 24 * 6)


def test_quantized_and_foreign():
    shapes = [[1, 3, 8, 8], [1], [1], [4, 3, 3, 3]]
    assert multiply_adds(make("QLinearConv", shapes, [1, 4, 6, 6])) == 4 * 36 * 27
    shapes = [[1, 3, 8, 8], [4, 3, 3, 3]]
    fused = make("FusedConv", shapes, [1, 4, 6, 6], domain="com.microsoft")
    assert multiply_adds(fused) == 4 * 36 * 27
    assert multiply_adds(make("Conv", shapes, [1, 4, 6, 6], domain="some.where")) == 0


def test_unknown_sizes_count_as_one():
    known = multiply_adds(make("Conv", [[1, 3, 8, 8], [4, 3, 3, 3]], [1, 4, 6, 6]))
    assert multiply_adds(make("Conv", [[-1, 3, 8, 8], [4, 3, 3, 3]], [-1, 4, 6, 6])) == known
    op = make("MatMul", [[2, 3], [3, 4]], [2, 4])
    op.operands[0] = make_node("Foo", [], ["a"]).results[0]
    assert multiply_adds(op) == 0


@pytest.mark.parametrize("kind", ["Relu", "Add", "MaxPool", "ReduceSum", "Transpose"])
def test_other_ops_count_nothing(kind):
    assert multiply_adds(make(kind, [[1, 3, 8, 8]], [1, 3, 8, 8])) == 0


def test_elements():
    assert elements(TensorType(f32, [2, 3])) == 6
    assert elements(TensorType(f32, [])) == 1
    assert elements(TensorType(f32, [-1, 3])) == 3
    assert elements(UnknownType()) == 0
    assert result_elements(make("Relu", [[2, 5]], [2, 5])) == 10


def test_bodies(tmp_path):
    """A loop counts its body once, an If the larger branch."""
    from autosplit.lowering.convert_onnx_to_top.check import top_level_ops
    from autosplit.platforms import load_model

    def value(name, shape, kind=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, kind, shape)

    small = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["s"])], "s", [], [value("s", [2, 4])]
    )
    large = helper.make_graph(
        [
            helper.make_node("MatMul", ["a", "b"], ["l0"]),
            helper.make_node("MatMul", ["l0", "c"], ["l"]),
        ],
        "l",
        [],
        [value("l", [2, 4])],
        value_info=[value("l0", [2, 4])],
    )
    graph = helper.make_graph(
        [helper.make_node("If", ["q"], ["y"], then_branch=small, else_branch=large)],
        "g",
        [
            value("q", [], TensorProto.BOOL),
            value("a", [2, 3]),
            value("b", [3, 4]),
            value("c", [4, 4]),
        ],
        [value("y", [2, 4])],
    )
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    (op,) = top_level_ops(load_model(path).module)
    assert multiply_adds(op) == 2 * 3 * 4 + 2 * 4 * 4
