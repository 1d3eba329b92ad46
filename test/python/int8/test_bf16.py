"""Quantized operators that compute in bfloat16: TypeCasts stand between the casts and the operator.

ONNX has no such models that ONNX Runtime runs, so these are graphs of the `dnnl` dialect; what is checked is
how they are grouped, which does not depend on the host. Where the host computes in bfloat16, the library is
asked whether it groups alike, and groups are run.

Version 1.10 of the originals gives inputs in bfloat16 and counts the cast and quantize of each input as a
group; later ones give float32 inputs, whose quantize alone is none. Both are here.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from xdsl.ir import SSAValue

from autosplit.dialects.dnnl import GraphOp, PartitionOp
from autosplit.testing.dnnl.builder import DnnlBuilder, fuse
from autosplit.testing.int8 import groups_in, kinds_of, partitions_in, shown

Graph = Callable[[DnnlBuilder, bool], None]


def _activation(g: DnnlBuilder, shape: tuple[int, ...], bf16: bool) -> SSAValue:
    """An input, quantized; cast to float32 first where it is bfloat16."""
    x = g.input("x", shape, "bf16" if bf16 else "f32")
    return g.quantize(g.to(x, "f32") if bf16 else x, zero_point=120)


def _read(g: DnnlBuilder, q: SSAValue) -> SSAValue:
    return g.to(g.dequantize(q, zero_point=120), "bf16")


def _linear(g: DnnlBuilder, x: SSAValue, inner: int, out: int) -> SSAValue:
    """With a bias, as the originals have it: the library wants one that is bfloat16 too."""
    w = g.to(g.dequantize(g.input("w", (out, inner), "s8"), [0.01] * out, axis=0), "bf16")
    return g.op("MatMul", x, w, g.input("b", (out,), "bf16"), transpose_b=True)


def _requantize(g: DnnlBuilder, x: SSAValue) -> SSAValue:
    return g.quantize(g.to(x, "f32"), zero_point=120)


def _linear_out(g: DnnlBuilder, bf16: bool) -> None:
    g.output(_linear(g, _read(g, _activation(g, (2, 15), bf16)), 15, 20))


def _factors(g: DnnlBuilder, bf16: bool) -> SSAValue:
    x, y = (_activation(g, (1, 16, 12, 8), bf16) for _ in range(2))
    return g.op("MatMul", _read(g, x), _read(g, y), transpose_b=True)


def _strided_factors(g: DnnlBuilder, bf16: bool) -> SSAValue:
    """Of transposed views: the integers are transposed, outside any group."""

    def heads(name: str) -> SSAValue:
        x = g.input(name, (2, 3, 16, 4), "bf16" if bf16 else "f32")
        x = g.op("StaticTranspose", x, order=[0, 2, 1, 3])
        return _read(g, g.quantize(g.to(x, "f32") if bf16 else x, zero_point=120))

    return g.op("MatMul", heads("x"), heads("y"), transpose_b=True)


def _bmm(g: DnnlBuilder, bf16: bool) -> None:
    g.output(_factors(g, bf16))


def _bmm_div(g: DnnlBuilder, bf16: bool) -> None:
    g.output(g.op("Divide", _factors(g, bf16), g.input("two", (1,), "bf16")))


def _strided_bmm(g: DnnlBuilder, bf16: bool) -> None:
    g.output(_strided_factors(g, bf16))


def _strided_bmm_div(g: DnnlBuilder, bf16: bool) -> None:
    g.output(g.op("Divide", _strided_factors(g, bf16), g.input("two", (1,), "bf16")))


def _bmm_div_add(g: DnnlBuilder, bf16: bool) -> None:
    scores = g.op("Divide", _strided_factors(g, bf16), g.input("two", (1,), "bf16"))
    g.output(g.op("Add", scores, g.input("z", (2, 1, 1, 3), "bf16")))


def _dropout_sum(g: DnnlBuilder, bf16: bool) -> None:
    left = _linear(g, _read(g, _activation(g, (2, 15), bf16)), 15, 20)
    if bf16:
        left = _read(g, _requantize(g, left))
    right = _linear(g, _read(g, _activation(g, (2, 15), bf16)), 15, 20)
    g.output(g.op("Add", right, left))


def _gelu(g: DnnlBuilder, bf16: bool) -> None:
    x = g.op("GELU", _linear(g, _read(g, _activation(g, (32, 28), bf16)), 28, 64))
    g.output(_linear(g, _read(g, _requantize(g, x)), 64, 1))


def _lifted(g: DnnlBuilder, bf16: bool) -> None:
    """As it is after quant-lift: cast and quantize stand behind the linear, not behind the transpose."""
    heads: list[SSAValue] = []
    for _ in range(2):
        y = _linear(g, _read(g, _activation(g, (2, 3, 28), bf16)), 28, 64)
        # The integers leave the graph, are transposed, and come back: the library transposes none.
        g.output(_requantize(g, y))
        heads.append(_read(g, g.input("heads", (2, 16, 3, 4), "u8")))
    g.output(g.op("MatMul", *heads, transpose_b=True))


def _split(g: DnnlBuilder, bf16: bool) -> None:
    """As it is after quant-split-dequant: each linear has casts of its own."""
    q = _activation(g, (2, 2), bf16)
    g.output(*(_linear(g, _read(g, q), 2, 1) for _ in range(3)))


def _softmax(g: DnnlBuilder, bf16: bool) -> None:
    scores = g.op("Divide", _factors(g, bf16), g.input("eight", (1,), "bf16"))
    weights = g.op("SoftMax", g.op("Add", scores, g.input("a", (1, 1, 1, 12), "bf16")), axis=-1)
    value = _read(g, _activation(g, (1, 16, 12, 8), bf16))
    g.output(g.op("MatMul", _read(g, _requantize(g, weights)), value))


def _mha(g: DnnlBuilder, bf16: bool) -> None:
    scores = g.op("Divide", _factors(g, bf16), g.input("eight", (1,), "bf16"))
    weights = g.op("SoftMax", g.op("Add", scores, g.input("a", (1, 1, 1, 12), "bf16")), axis=-1)
    value = _read(g, _activation(g, (1, 16, 12, 8), bf16))
    y = g.op("MatMul", _read(g, _requantize(g, weights)), value)
    g.output(_requantize(g, y))
    g.output(_linear(g, _read(g, g.input("context", (12, 128), "u8")), 128, 32))


LINEAR = BMM = "dq dq to to matmul"
INPUT = "to q"
FILLED = "dq dq q to to matmul"
"""A quantize right before the second factor joins its group, as that of a weight in the graph would."""

CASES: dict[str, tuple[Graph, int, list[str]]] = {
    # name: the graph, how many inputs are quantized, the groups with bfloat16 inputs.
    "linear_int8_in_bf16_out": (_linear_out, 1, [LINEAR]),
    "strided_bmm_int8_in_bf16_out": (_strided_bmm, 2, [BMM]),
    "strided_bmm_div_int8_in_bf16_out": (_strided_bmm_div, 2, [f"{BMM} div"]),
    "bmm_div_int8_in_bf16_out": (_bmm_div, 2, [f"{BMM} div"]),
    "bmm_method_bf16": (_bmm, 2, [BMM]),
    "bmm_div_add_int8_bf16": (_bmm_div_add, 2, [f"{BMM} div add"]),
    "linear_gelu_bf16": (_gelu, 1, [f"{LINEAR} gelu to q", LINEAR]),
    "lift_up_to_quant_bf16": (_lifted, 2, [f"{LINEAR} to q", f"{LINEAR} to q", BMM]),
    "split_dequant_to": (_split, 1, [LINEAR] * 3),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("bf16", [False, True], ids=["later", "1.10"])
def test_groups(name: str, bf16: bool):
    """[the names in CASES] With float32 inputs, as later versions have them, and with bfloat16 ones."""
    graph, inputs, groups = CASES[name]
    g = DnnlBuilder()
    graph(g, bf16)
    found = groups_in(fuse(g.module(), version="3.2"))
    if bf16:
        groups = [*groups, *[INPUT] * inputs]
    elif name in ("bmm_div_int8_in_bf16_out", "bmm_method_bf16"):
        groups = [group.replace(BMM, FILLED) for group in groups]
    assert sorted(found) == sorted(groups)


@pytest.mark.parametrize(
    "graph", [*(case[0] for case in CASES.values()), _dropout_sum, _softmax, _mha]
)
@pytest.mark.parametrize("bf16", [False, True], ids=["later", "1.10"])
def test_the_library_agrees(graph: Graph, bf16: bool):
    """Where the host computes in bfloat16, the installed library makes the same groups, lone ops included."""
    from autosplit.runtime.dnnl.build import partitions_of
    from autosplit.runtime.dnnl.library import library

    lib = library()
    if not lib.computes("bf16"):
        pytest.skip(f"no bfloat16 on this processor ({lib.isa}): the library fuses nothing of it")
    g = DnnlBuilder()
    graph(g, bf16)
    module = g.module()
    whole = next(iter(module.body.block.ops))
    assert isinstance(whole, GraphOp)
    wanted = [shown([op.kind for op in ops]) for ops in partitions_of(whole.body_ops)]
    fuse(module, version=".".join(map(str, lib.version[:2])), keep="all")
    assert sorted(shown(kinds_of(p)) for p in partitions_in(module)) == sorted(wanted)


def test_linear_dropout_sum_bf16():
    """[linear_dropout_sum_bf16 of later versions] The other side of the sum is bfloat16: two groups."""
    g = DnnlBuilder()
    _dropout_sum(g, False)
    assert sorted(groups_in(fuse(g.module(), version="3.2"))) == sorted([LINEAR, f"{LINEAR} add"])


def test_linear_dropout_sum_bf16_of_1_10():
    """[linear_dropout_sum_bf16 of version 1.10] The other side is an int8 value. The original wants its casts
    in the group of the sum; the library has them there only where a quantize follows: they stand alone."""
    g = DnnlBuilder()
    _dropout_sum(g, True)
    module = fuse(g.module(), version="3.2")
    found = [group for group in groups_in(module) if group != "dq to"]
    assert sorted(found) == sorted([INPUT, INPUT, f"{LINEAR} to q", f"{LINEAR} add"])


def _numbers(graph: Graph, *arrays: np.ndarray) -> np.ndarray:
    """What the last group of a graph computes of its inputs, as float64; the other groups are not run."""
    from autosplit.runtime.dnnl.build import LoadedPartition
    from autosplit.runtime.dnnl.library import library

    lib = library()
    if not lib.computes("bf16"):
        pytest.skip(f"no bfloat16 on this processor ({lib.isa})")
    g = DnnlBuilder()
    graph(g, True)
    last = partitions_in(fuse(g.module(), version="3.2"))[-1]
    assert isinstance(last, PartitionOp)
    ready = LoadedPartition(last, lib).compile([a.shape for a in arrays])
    result = np.zeros(ready.results[0].dims or (), ml_dtypes.bfloat16)
    # As addresses: the type is none of numpy's own.
    ready.bind([a.ctypes.data for a in arrays], [result.ctypes.data])()
    return result.astype(np.float64)


def _random(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    random = np.random.default_rng(len(shape))
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return random.integers(max(info.min, -64), min(info.max, 255), shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def _near(found: np.ndarray, wanted: np.ndarray) -> None:
    """bfloat16 has 8 bits, and results are rounded to it more than once."""
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= np.abs(wanted).max() / 64


def test_numbers_of_a_linear():
    """[linear_int8_in_bf16_out] Against numpy in float64, where the host computes in bfloat16."""
    x, w = _random((2, 15), np.uint8), _random((20, 15), np.int8)
    bias = _random((20,), ml_dtypes.bfloat16)
    found = _numbers(_linear_out, x, w, bias)
    exact = (x.astype(float) - 120) * 0.02 @ (w.astype(float) * 0.01).T
    _near(found, exact + bias.astype(float))


def test_numbers_of_a_divided_product():
    """[bmm_div_int8_in_bf16_out] Against numpy in float64, where the host computes in bfloat16."""
    x, y = _random((1, 16, 12, 8), np.uint8), _random((1, 16, 12, 8), np.uint8)[..., ::-1].copy()
    two = np.array([2.0], ml_dtypes.bfloat16)
    found = _numbers(_bmm_div, x, y, two)
    left, right = ((v.astype(float) - 120) * 0.02 for v in (x, y))
    _near(found, left @ right.transpose(0, 1, 3, 2) / 2)


LATER = [("3.2", BMM, []), ("3.6", FILLED, ["softmax to q"])]
"""By version: the product with its mask, and the quantized softmax, whose zero point is not 0."""


@pytest.mark.parametrize(("version", "scores", "softmax"), LATER)
def test_mixed_precision_softmax(version: str, scores: str, softmax: list[str]):
    """[mixed_precision_softmax, the bfloat16 half] The original asks that the softmax be fused; version 3.2
    of the library has no pattern that quantizes one."""
    g = DnnlBuilder()
    _softmax(g, False)
    module = fuse(g.module(), version=version)
    found = groups_in(module)
    assert f"{scores} div add" in found
    assert FILLED in found
    assert [group for group in found if "softmax" in group] == softmax


@pytest.mark.parametrize(("version", "scores", "softmax"), LATER)
def test_mha_pattern_int8_bf16(version: str, scores: str, softmax: list[str]):
    """[mha_pattern_int8_bf16, which the original skips: it needs a graph compiler that fuses all of it]"""
    g = DnnlBuilder()
    _mha(g, False)
    found = groups_in(fuse(g.module(), version=version))
    wanted = [f"{scores} div add", *softmax, f"{FILLED} to q", LINEAR]
    assert sorted(group for group in found if group != INPUT) == sorted(wanted)


def test_no_group_is_a_lone_cast():
    """What is counted above: partitions of more than casts alone."""
    g = DnnlBuilder()
    _linear_out(g, False)
    module = fuse(g.module(), version="3.2")
    assert [len(kinds_of(p)) for p in partitions_in(module)] == [5]
