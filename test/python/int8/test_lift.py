"""What the passes before the fusion must do for it: lift quantizes, split dequantizes, defer sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from autosplit.testing.int8 import expect
from autosplit.testing.qdq import QdqBuilder

SIZES = {"N": 1, "S": 14}, {"N": 2, "S": 9}


def test_lift_up_quant(tmp_path: Path):
    """[lift_up_quant] The quantizes move up over transpose and reshape, to the linears."""
    b = QdqBuilder()

    def heads(name: str, perm: list[int]) -> str:
        y = b.linear(b.qdq(b.input(name, ("N", "L", 28))), (64, 28), form="MatMul", bias=False)
        shape = b.constant(np.array([0, 0, 16, 4], np.int64))
        return b.qdq(
            b.node("Transpose", b.node("Reshape", y, shape), perm=perm), narrow=name == "y"
        )

    b.output(b.node("MatMul", heads("x", [0, 2, 1, 3]), heads("y", [0, 2, 3, 1])))
    groups = ["dq dq matmul q", "dq dq matmul q", "dq dq matmul"]
    sizes = {"N": 2, "L": 3}, {"N": 1, "L": 8}
    compiled = expect(b, tmp_path, groups, *sizes, fused=["MatMul"], quanta=1)
    assert compiled.outside["Transpose"] == compiled.outside["Reshape"] == 2


def test_lift_up_quant_unsupported(tmp_path: Path):
    """[lift_up_quant_unsupported] The transposed value is also summed in float32: its quantize stays where
    it is."""
    b = QdqBuilder()
    x = b.conv(b.qdq(b.input("x", ("N", 3, "S", 8))), (8, 3, 1, 1))
    z1 = b.node("Transpose", x, perm=[0, 3, 1, 2])
    z2 = b.conv(b.qdq(z1), (8, 8, 1, 1))
    z = b.node("Add", z1, b.input("y", ("N", 8, 8, "S")))
    b.output(b.node("Add", z2, z))
    groups = ["dq dq conv", "dq dq conv add"]
    sizes = {"N": 1, "S": 8}, {"N": 3, "S": 5}
    compiled = expect(b, tmp_path, groups, *sizes, fused=["Conv"], quanta=1)
    assert compiled.outside["Add"] == 1


def test_split_dequant(tmp_path: Path):
    """[split_dequant_to] in float32: one dequantize, three linears; each group gets its own."""
    b = QdqBuilder()
    x = b.qdq(b.input("x", ("N", 2)))
    b.output(b.node("Concat", *(b.linear(x, (1, 2)) for _ in range(3)), axis=0))
    expect(b, tmp_path, ["dq dq matmul"] * 3, {"N": 2}, {"N": 5}, fused=["Gemm"])


def test_dequant_remove_attr(tmp_path: Path):
    """[dequant_remove_attr] Casts that nothing is fused with go back to what they were. The original looks
    for a leftover attribute of its own."""
    b = QdqBuilder()
    x = b.input("x", (2, "N"))
    scale = b.constant(np.array([0.1, 0.01], np.float32))
    zero = b.constant(np.array([10, 0], np.uint8))
    q = b.node("QuantizeLinear", x, scale, zero, axis=0)
    b.output(b.node("DequantizeLinear", q, scale, zero, axis=0))
    compiled = expect(b, tmp_path, [], {"N": 2}, {"N": 5})
    left = [
        op for op in compiled.result.module.walk() for name in op.attributes if "quant." in name
    ]
    assert not left


def test_defer_size(tmp_path: Path):
    """[defer_size] The size of the ReLU's result is asked for: it is that of the convolution's input, so the
    question does not keep the ReLU from its group."""
    b = QdqBuilder()
    x = b.relu(b.conv(b.qdq(b.input("x", ("N", 32, "S", "S"))), (32, 32, 3, 3), pads=1))
    y = b.conv(b.qdq(x), (32, 32, 3, 3), pads=1)
    first = b.node("Gather", b.node("Shape", x), b.constant(np.array([0], np.int64)))
    shape = b.node("Concat", first, b.constant(np.array([-1], np.int64)), axis=0)
    b.output(b.node("Reshape", y, shape))
    groups = ["dq dq conv relu q", "dq dq conv"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Relu"], quanta=1)


def test_defer_all_sizes(tmp_path: Path):
    """[defer_size] All sizes are asked for, which the convolution changes: the integers have them too. They
    are made behind the question in the model, which moves."""
    b = QdqBuilder()
    x = b.relu(b.conv(b.qdq(b.input("x", ("N", 32, "S", "S"))), (16, 32, 3, 3)))
    shape = b.node("Shape", x)
    y = b.conv(b.qdq(x), (16, 16, 3, 3), pads=1)
    b.output(b.node("Reshape", b.node("Transpose", y, perm=[0, 2, 3, 1]), shape))
    groups = ["dq dq conv relu q", "dq dq conv"]
    expect(b, tmp_path, groups, *SIZES, fused=["Conv", "Relu"], quanta=1)
