"""Conversions of layers to Top: convolutions, pools, matrices, norms, recurrent ones, resizes, activations.

The cases of one group are one model, so that it is compiled once; its numbers are those of ONNX Runtime.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import top_numbers
from convert_toolchain import needs_toolchain
from onnx import helper
from sampled import sample
from top_numbers import Array, Case, Given, build, given, ints, normal, number, op

from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_onnx_to_top.families.matrices import parse_equation

top_numbers.restart()


def kernel(*shape: int) -> Array:
    """Weights for which sums are about as large as what is summed."""
    return normal(*shape) / np.float32(np.sqrt(np.prod(shape[1:])))


def below_zero(*shape: int) -> Given:
    """All negative, so that a zero that gets in shows."""
    return Given(-1 - np.abs(normal(*shape)))


def wide(*shape: int) -> Given:
    return Given(40 * normal(*shape))


def positive(n: int) -> Array:
    return np.abs(normal(n)) + np.float32(0.5)


def statistics(n: int) -> list[Array]:
    return [normal(n), normal(n), normal(n), positive(n)]


def recurrent(kind: str, directions: int = 1, states: int = 0, **attributes: Any) -> Case:
    """5 steps of batch 2, from 3 values to 6, with all results."""
    gates = {"LSTM": 4, "GRU": 3}[kind]
    operands: list[Any] = [
        given(5, 2, 3),
        kernel(directions, gates * 6, 3),
        kernel(directions, gates * 6, 6),
    ]
    if states:
        operands += [normal(directions, 2 * gates * 6), ints(5, 5).astype(np.int32)]
        operands += [given(directions, 2, 6) for _ in range(states)]
    reset = {"linear_before_reset": 1} if kind == "GRU" else {}
    return op(kind, *operands, results=states or 1, hidden_size=6, **reset, **attributes)


def resized(shape: list[int], scales: list[float] | None, sizes: list[int], **how: Any) -> Case:
    given_scales = None if scales is None else np.array(scales, np.float32)
    return op("Resize", given(*shape), None, given_scales, ints(*sizes) if sizes else None, **how)


TWICE = {"kernel_shape": [3, 3], "strides": [2, 2]}
VOLUMES = {"kernel_shape": [3, 3, 3], "strides": [2, 2, 2], "pads": [1, 1, 0, 0, 1, 1]}
REGION = {"output_height": 2, "output_width": 3, "sampling_ratio": 2, "spatial_scale": 0.5}
BOXES = np.array(
    [[0, 0, 8, 8], [3, 5, 14, 9], [-6, -9, 5, 4], [10, 11, 40, 30], [7, 7, 7, 7]], np.float32
)
"""Inside, at the end, partly outside, mostly outside, and empty."""

CASES: dict[str, list[Case]] = {
    "convolutions": [
        op("Conv", given(2, 5, 9, 11), kernel(7, 5, 3, 3), normal(7), pads=[1, 1, 1, 1]),
        op("Conv", given(1, 65, 9, 11), kernel(70, 65, 1, 1), normal(70)),
        op("Conv", given(1, 65, 9, 11), kernel(65, 1, 3, 3), group=65, strides=[2, 2]),
        op("Conv", given(1, 5, 9, 11), kernel(10, 1, 3, 3), group=5, pads=[0, 0, 1, 1]),
        op("Conv", given(1, 6, 9, 11), kernel(9, 2, 3, 3), normal(9), group=3),
        op("Conv", given(1, 5, 12, 13), kernel(7, 5, 3, 3), dilations=[2, 3], pads=[1, 0, 2, 3]),
        op("Conv", given(2, 5, 19), kernel(7, 5, 3), normal(7), strides=[2], pads=[1, 2]),
        op("Conv", given(2, 6, 19), kernel(6, 1, 3), group=6, dilations=[3]),
        op("Conv", given(1, 5, 12, 9), kernel(7, 5, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2]),
    ],
    "convolutions of volumes": [
        op("Conv", given(1, 5, 4, 6, 7), kernel(7, 5, 3, 3, 3), normal(7), pads=[1] * 6),
        op("Conv", given(2, 6, 4, 6, 7), kernel(8, 3, 2, 3, 3), group=2, strides=[2, 1, 2]),
        op("Conv", given(1, 4, 5, 6, 9), kernel(8, 4, 2, 3, 3), dilations=[2, 1, 3]),
    ],
    "strides": [
        op("Conv", given(1, 1, 1, 900), kernel(6, 1, 1, 256), strides=[1, 128]),
        op("Conv", given(2, 3, 60, 50), kernel(8, 3, 20, 17), strides=[16, 17], pads=[3, 5, 7, 2]),
        op(
            "Conv",
            given(1, 6, 50, 9),
            kernel(8, 3, 3, 3),
            group=2,
            dilations=[2, 1],
            strides=[18, 2],
        ),
        op("Conv", given(1, 8, 20, 40), kernel(8, 1, 3, 3), group=8, strides=[16, 16]),
        op("Conv", given(2, 5, 90), kernel(7, 5, 33), normal(7), strides=[20], pads=[11, 3]),
        op("Conv", given(1, 2, 4, 5, 40), kernel(7, 2, 2, 2, 9), strides=[1, 2, 16]),
    ],
    "transposed": [
        op("ConvTranspose", given(1, 5, 4, 5), kernel(5, 7, 2, 2), normal(7), strides=[2, 2]),
        op("ConvTranspose", given(1, 6, 4, 5), kernel(6, 7, 2, 2), normal(7), strides=[2, 3]),
        op("ConvTranspose", given(1, 65, 4, 5), kernel(65, 1, 4, 4), normal(65), group=65),
        op("ConvTranspose", given(1, 6, 4, 5), kernel(6, 4, 3, 3), normal(8), group=2),
        op("ConvTranspose", given(1, 5, 4, 5), kernel(5, 7, 3, 3), dilations=[2, 1]),
        op("ConvTranspose", given(1, 5, 4), kernel(5, 7, 4), normal(7), strides=[2], pads=[1, 0]),
        op(
            "ConvTranspose",
            given(2, 5, 4, 5),
            kernel(5, 7, 3, 3),
            strides=[2, 2],
            pads=[1, 1, 1, 1],
            output_padding=[1, 1],
        ),
        op("ConvTranspose", given(1, 4, 2, 3, 4), kernel(4, 3, 3, 3, 3), strides=[2, 2, 2]),
        op(
            "ConvTranspose",
            given(1, 5, 4, 5),
            kernel(5, 7, 4, 4),
            auto_pad="SAME_LOWER",
            strides=[1, 2],
        ),
        op(
            "ConvTranspose",
            given(1, 5, 4, 5),
            kernel(5, 7, 4, 4),
            strides=[2, 2],
            output_shape=[9, 11],
        ),
    ],
    "largest": [
        op("MaxPool", below_zero(1, 5, 12, 13), **TWICE, pads=[1, 1, 1, 1]),
        op("MaxPool", below_zero(1, 5, 12, 13), **TWICE, ceil_mode=1),
        op("MaxPool", below_zero(1, 5, 11, 13), kernel_shape=[3, 5], pads=[1, 0, 2, 3]),
        op("MaxPool", below_zero(2, 5, 20), kernel_shape=[3], strides=[2], ceil_mode=1),
        op(
            "MaxPool",
            below_zero(1, 5, 7, 8, 9),
            kernel_shape=[2, 3, 3],
            strides=[2, 2, 2],
            pads=[0, 1, 1, 1, 1, 1],
            ceil_mode=1,
        ),
        op("GlobalMaxPool", below_zero(2, 65, 9, 11)),
        op("GlobalMaxPool", below_zero(2, 5, 3, 4, 5)),
        op("GlobalMaxPool", below_zero(2, 5, 9)),
    ],
    "averages": [
        op("AveragePool", given(1, 5, 12, 13), **TWICE, pads=[1, 1, 1, 1]),
        op("AveragePool", given(1, 5, 17, 13), kernel_shape=[17, 1], strides=[17, 1]),
        op("AveragePool", given(1, 5, 12, 13), **TWICE, pads=[1, 1, 1, 1], count_include_pad=1),
        op("AveragePool", given(1, 5, 12, 13), **TWICE, pads=[0, 1, 2, 0], count_include_pad=1),
        op(
            "AveragePool",
            given(1, 5, 5, 7),
            **TWICE,
            pads=[1, 1, 0, 0],
            ceil_mode=1,
            count_include_pad=1,
        ),
        op(
            "AveragePool",
            given(1, 5, 12, 13),
            **TWICE,
            pads=[1, 1, 1, 1],
            count_include_pad=1,
            ceil_mode=1,
        ),
        op("AveragePool", given(1, 5, 12, 14), **TWICE, ceil_mode=1),
        op("AveragePool", given(1, 5, 12), kernel_shape=[3], pads=[1, 1]),
        op("GlobalAveragePool", given(2, 65, 9, 11)),
        op("GlobalAveragePool", given(2, 5, 3, 4, 5)),
    ],
    "pooled apart": [
        op("MaxPool", below_zero(1, 5, 12, 13), kernel_shape=[3, 2], dilations=[2, 3]),
        op(
            "MaxPool",
            below_zero(1, 5, 12, 13),
            **TWICE,
            dilations=[2, 2],
            pads=[1, 2, 0, 1],
            ceil_mode=1,
        ),
        op("AveragePool", given(1, 5, 12, 13), **TWICE, dilations=[2, 3], pads=[1, 0, 2, 1]),
        op(
            "AveragePool",
            given(1, 5, 12, 13),
            **TWICE,
            dilations=[2, 3],
            pads=[1, 0, 2, 1],
            count_include_pad=1,
        ),
        op("LpPool", given(1, 5, 6, 7), **TWICE, p=1, pads=[1, 0, 0, 1]),
        op("LpPool", given(1, 5, 6, 7), **TWICE),
        op("GlobalLpPool", given(1, 5, 6, 7), p=1),
        op("GlobalLpPool", given(1, 5, 6, 7)),
    ],
    "averages of volumes": [
        op("AveragePool", given(1, 5, 6, 7, 8), kernel_shape=[2, 2, 2]),
        op("AveragePool", given(1, 5, 6, 7, 8), **VOLUMES, count_include_pad=1),
        op("AveragePool", given(1, 5, 6, 7, 8), **VOLUMES, ceil_mode=1),
        op("AveragePool", given(1, 5, 6, 7, 8), **VOLUMES, ceil_mode=1, count_include_pad=1),
    ],
    "computed kernels": [
        op("Conv", given(2, 5, 9, 8), given(7, 5, 3, 2), given(7), pads=[1, 0, 1, 1]),
        op("Conv", given(1, 6, 9, 8), given(6, 1, 3, 3), normal(6), group=6, strides=[2, 1]),
        op("Conv", given(1, 6, 12), given(4, 3, 3), group=2, dilations=[2]),
        op("Conv", normal(1, 6, 9, 8), given(4, 6, 1, 1)),
    ],
    "sampled": [
        *[
            op(
                "GridSample",
                given(2, 3, 5, 7),
                Given(np.float32(0.8) * normal(2, 4, 3, 2)),
                mode=mode,
                padding_mode=padding,
                align_corners=corners,
            )
            for mode in ("linear", "nearest")
            for padding in ("zeros", "border", "reflection")
            for corners in (0, 1)
        ],
        op("AffineGrid", given(2, 2, 3), ints(2, 3, 5, 6), align_corners=1),
        op("AffineGrid", given(1, 3, 4), ints(1, 1, 3, 4, 5)),
    ],
    "regions": [
        op("RoiAlign", given(2, 3, 9, 8), Given(BOXES), Given(ints(1, 0, 1, 0, 1)), **REGION),
        op("RoiAlign", given(2, 3, 9, 8), BOXES, ints(1, 0, 1, 0, 1), **REGION),
        op("RoiAlign", given(1, 3, 9, 8), Given(BOXES), ints(0, 0, 0, 0, 0), **REGION),
        op(
            "RoiAlign",
            given(2, 3, 9, 8),
            Given(BOXES),
            ints(1, 0, 1, 0, 1),
            coordinate_transformation_mode="output_half_pixel",
            **REGION,
        ),
    ],
    "products": [
        op("MatMul", given(5, 6), kernel(6, 7)),
        op("MatMul", given(2, 3, 5, 6), given(2, 3, 6, 7)),
        op("MatMul", given(2, 1, 5, 6), given(1, 3, 6, 7)),
        op("MatMul", given(5, 6), given(3, 6, 7)),
        op("MatMul", normal(5, 6), given(6, 7)),
        op("MatMul", given(3, 5, 6), given(6)),
        op("MatMul", given(6), given(3, 6, 7)),
        op("MatMul", given(2, 2, 2, 5, 6), given(6, 7)),
        op("Gemm", given(5, 6), normal(7, 6), normal(7), transB=1, alpha=0.5, beta=2.0),
        op("Gemm", given(6, 5), normal(6, 7), normal(5, 1), transA=1),
        op("Gemm", given(6, 5), given(7, 6), given(7), transA=1, transB=1, alpha=0.7, beta=0.2),
        op("Gemm", given(5, 6), normal(6, 7), number(2)),
        op("Gemm", normal(5, 6), given(6, 7), alpha=3.0),
    ],
    "equations": [
        op("Einsum", given(2, 3, 4, 5), normal(4, 5, 6), equation="bthd,hde->bte"),
        op("Einsum", given(2, 3, 5, 4), given(2, 3, 6, 4), equation="b h i d, b h j d -> b h i j"),
        op("Einsum", given(5), given(6), equation="i,j->ij"),
        op("Einsum", given(5, 6, 7), equation="ijk->k"),
        op("Einsum", given(2, 5, 6), given(6, 7), equation="...ij,jk"),
        op("Einsum", given(2, 3, 4), given(2, 3, 5), given(3, 4, 6), equation="abc,abd,bce->ade"),
        op("Einsum", given(2, 3, 4, 5), given(2, 3, 4, 6), equation="abcd,abce->abde"),
        op("Einsum", given(2, 3, 4), given(3, 2, 4), equation="abc,bac->ab"),
        op("Einsum", given(2, 3, 4), given(2, 3, 4), given(2), equation="abc,abc,a->a"),
    ],
    "normalized": [
        op("BatchNormalization", given(2, 5, 9, 11), *statistics(5), epsilon=1e-3),
        op("BatchNormalization", given(3, 65), *statistics(65)),
        op("InstanceNormalization", given(2, 6, 9, 11), normal(6), normal(6)),
        op("InstanceNormalization", given(2, 6, 9), normal(6), normal(6), epsilon=0.1),
        op("LayerNormalization", given(2, 9, 33), normal(33), normal(33)),
        op("LayerNormalization", given(7, 33), normal(33), epsilon=0.1),
        op("LayerNormalization", given(2, 2, 3, 2, 33), normal(33), normal(33)),
        op("LayerNormalization", given(5, 7), normal(5, 7), normal(5, 7), axis=0),
        op("LayerNormalization", given(2, 5, 7), normal(5, 7), normal(5, 7), axis=1),
        op("LRN", given(2, 12, 7, 5), size=5, alpha=0.1, beta=0.6, bias=2.0),
        op("LpNormalization", given(2, 5, 7), axis=1),
        op("LpNormalization", Given(np.eye(4, dtype=np.float32)[:3] * 5), p=1, axis=0),
        op("MeanVarianceNormalization", given(3, 5, 4, 6), axes=[0, 2, 3]),
        op("MeanVarianceNormalization", given(3, 5, 4), axes=[1]),
    ],
    "recurrent": [
        recurrent("LSTM"),
        recurrent("LSTM", 2, 2, direction="bidirectional"),
        recurrent("GRU"),
        recurrent("GRU", 2, 1, direction="bidirectional"),
    ],
    "backward": [
        recurrent("LSTM", 1, 2, direction="reverse"),
        recurrent("GRU", 1, 1, direction="reverse"),
    ],
    "resized": [
        resized([1, 5, 9, 11], None, [1, 5, 18, 22]),
        resized([1, 2, 5, 4], None, [1, 2, 7, 3]),
        resized([1, 2, 2, 2, 3], [1, 1, 2, 2, 2], []),
        resized([1, 2, 5, 4], [1, 1, 1.5, 2.3], [], nearest_mode="ceil"),
        resized([1, 5, 9, 11], None, [1, 5, 18, 22], mode="linear"),
        resized(
            [1, 5, 9, 11],
            None,
            [1, 5, 13, 7],
            mode="linear",
            coordinate_transformation_mode="align_corners",
        ),
        resized(
            [1, 5, 9, 11],
            None,
            [1, 5, 18, 22],
            mode="linear",
            coordinate_transformation_mode="asymmetric",
        ),
        resized([1, 5, 9, 11], [1, 1, 1.5, 2.3], [], mode="linear"),
    ],
    "resized by matrices": [
        resized([1, 5, 9, 11], None, [1, 5, 18, 22], mode="cubic", cubic_coeff_a=-0.5),
        resized([1, 5, 9, 11], None, [1, 5, 13, 7], mode="cubic", exclude_outside=1),
        resized([1, 5, 9, 11], None, [1, 5, 13, 4], mode="linear", antialias=1),
        resized([1, 5, 9, 11], [1, 1, 0.5, 0.3], [], mode="cubic", antialias=1),
        op("DepthToSpace", given(2, 12, 5, 7), blocksize=2),
        op("DepthToSpace", given(1, 27, 5, 7), blocksize=3, mode="CRD"),
        op("SpaceToDepth", given(2, 5, 6, 8), blocksize=2),
    ],
    "activations": [
        *[
            op(kind, wide(1, 3, 5, 7))
            for kind in (
                "Celu",
                "Elu",
                "Gelu",
                "HardSigmoid",
                "HardSwish",
                "LeakyRelu",
                "Mish",
                "Relu",
                "Selu",
                "Shrink",
                "Sigmoid",
                "Softplus",
                "Softsign",
                "Tanh",
                "ThresholdedRelu",
            )
        ],
        op("Celu", given(2, 65, 9), alpha=0.5),
        op("Selu", given(2, 65, 9), alpha=0.5, gamma=3.0),
        op("Shrink", given(2, 65, 9), lambd=0.3, bias=0.7),
        op("ThresholdedRelu", given(2, 65, 9), alpha=-0.2),
        op("Gelu", given(2, 65, 9)),
        op("Gelu", given(2, 65, 9), approximate="tanh"),
        op("Elu", given(2, 65, 9), alpha=0.5),
        op("LeakyRelu", given(2, 65, 9), alpha=1.7),
        op("HardSigmoid", given(2, 65, 9), alpha=0.3, beta=0.1),
        op("PRelu", given(2, 5, 9, 11), normal(5, 1, 1)),
        op("PRelu", given(2, 5, 9, 11), normal(1)),
        op("PRelu", given(2, 5, 9, 11), normal(9, 11)),
        op("PRelu", given(2, 5, 9), given(2, 5, 9)),
    ],
    "bounded": [
        op("Clip", wide(2, 5, 7), low, high)
        for low, high in (
            (number(0), number(6)),
            (number(-1), number(1)),
            (None, number(1)),
            (number(0), None),
            (None, None),
            (number(3), number(2)),
            (number(0), number(-1)),
        )
    ],
    "shares": [
        op("Softmax", given(2, 5, 9), axis=1),
        op("Softmax", wide(7, 65)),
        op("LogSoftmax", given(2, 5, 9), axis=0),
        op("Softmax", given(1, 3, 1000)),
    ],
}


@needs_toolchain
@pytest.mark.parametrize("group", sample(CASES, 10))
def test_numbers(group: str) -> None:
    model, feeds = build(CASES[group])
    top_numbers.compare(model, feeds)


@needs_toolchain
@pytest.mark.parametrize(
    ("chip", "mode", "group"),
    [
        ("bm1684x", "F32", "largest"),
        ("bm1684x", "F16", "convolutions"),
        pytest.param("bm1688", "F32", "activations", marks=pytest.mark.nightly),
    ],
)
def test_numbers_on_other_chips(chip: str, mode: str, group: str) -> None:
    model, feeds = build(CASES[group])
    top_numbers.compare(model, feeds, chip, mode)


@needs_toolchain
def test_a_convolution_that_is_tiled() -> None:
    model, feeds = build(
        [op("Conv", given(1, 70, 200, 210), kernel(70, 1, 3, 3), normal(70), group=70)]
    )
    top_numbers.compare(model, feeds)


BEHIND: dict[str, Case] = {
    "Conv": op("Conv", given(1, 6, 9, 11), kernel(7, 6, 3, 3)),
    "ConvTranspose": op("ConvTranspose", given(1, 6, 4, 5), kernel(6, 7, 2, 2)),
    "MaxPool": op("MaxPool", given(1, 6, 9, 11), kernel_shape=[2, 2]),
    "MatMul": op("MatMul", given(5, 6), kernel(6, 7)),
    "BatchNormalization": op("BatchNormalization", given(1, 6, 9, 11), *statistics(6)),
    "Resize": resized([1, 6, 9, 11], [1, 1, 2, 2], []),
}


def clipped(kinds: list[str]) -> tuple[Any, dict[str, Array]]:
    """A Clip(0, 0.4) behind each kind of op."""
    model, feeds = build([BEHIND[kind] for kind in kinds])
    nodes, outputs = list(model.graph.node), []
    for node in list(nodes):
        name = f"{node.name}_clipped"
        nodes.append(helper.make_node("Clip", [node.output[0], "low", "high"], [name], name))
        outputs.append(name)
    constants = {"low": number(0), "high": number(0.4)}
    constants |= {i.name: top_numbers.numpy_helper.to_array(i) for i in model.graph.initializer}
    return top_numbers.many_ops(nodes, feeds, outputs, constants), feeds


@needs_toolchain
def test_no_op_forgets_the_limit_behind_it() -> None:
    """BM1684's kernels of all these but Conv ignore a limit that is made a part of them."""
    top_numbers.compare(*clipped(list(BEHIND)))


@needs_toolchain
def test_activations_between_convolutions() -> None:
    """There the tool chain keeps them in local memory, for which BM1684 lacks some kernels."""
    nodes, outputs = [], []
    constants = {"weights": kernel(6, 6, 1, 1)}
    for kind in ("Elu", "Gelu", "HardSwish", "Mish", "Sigmoid", "Softplus", "Softsign", "Tanh"):
        nodes += [
            helper.make_node("Conv", ["x", "weights"], [f"{kind}_in"]),
            helper.make_node(kind, [f"{kind}_in"], [f"{kind}_out"]),
            helper.make_node("Conv", [f"{kind}_out", "weights"], [kind]),
        ]
        outputs.append(kind)
    feeds = {"x": 5 * normal(1, 6, 9, 11)}
    top_numbers.compare(top_numbers.many_ops(nodes, feeds, outputs, constants), feeds)


def kinds(model: Any, chip: str = "bm1684", mode: str = "F32", dynamic: bool = False) -> list[str]:
    """The kinds of ops of the Top module, without inputs and weights."""
    module = top_numbers.top_module(model, chip, mode, dynamic)
    ops = [o for o in module.walk() if isinstance(o, TopOp)]
    return [o.kind for o in ops if o.kind not in ("Input", "None", "Weight")]


def test_a_limit_is_a_relu_behind_convolutions_only() -> None:
    model, _ = clipped(["Conv", "MaxPool"])
    assert sorted(kinds(model)) == ["Clip", "Conv", "MaxPool", "Relu"]


def test_gelu_is_written_out_where_a_chip_has_no_erf() -> None:
    model, _ = build([op("Gelu", given(2, 3))])
    assert kinds(model, "bm1684x") == ["GELU"]
    assert kinds(model, "bm1684")[-1] == "Sub"


TRANSPOSED: dict[str, Case] = {
    "even": op("ConvTranspose", given(1, 6, 4, 5), kernel(6, 7, 2, 2), normal(7)),
    "depthwise": op("ConvTranspose", given(1, 6, 4, 5), kernel(6, 1, 2, 2), normal(6), group=6),
    "line": op("ConvTranspose", given(1, 6, 4), kernel(6, 7, 2), normal(7)),
    "volume": op("ConvTranspose", given(1, 6, 4, 5, 3), kernel(6, 7, 2, 2, 2), normal(7)),
    "unbiased": op("ConvTranspose", given(1, 6, 4, 5), kernel(6, 7, 2, 2)),
    "odd": op("ConvTranspose", given(1, 5, 4, 5), kernel(5, 7, 2, 2), normal(7)),
}


def test_biases_that_a_deconv_gets_wrong_are_added_behind() -> None:
    """BM1684 in INT8, and all modes and chips with an odd number of input channels."""
    for name, case in TRANSPOSED.items():
        model, _ = build([case])
        odd = name == "odd"
        for chip, mode in (("bm1684", "F32"), ("bm1684x", "INT8"), ("bm1688", "INT8")):
            assert kinds(model, chip, mode) == (["Deconv", "Add"] if odd else ["Deconv"])
        wrong = odd or name in ("even", "depthwise", "line")
        assert kinds(model, "bm1684", "INT8") == (["Deconv", "Add"] if wrong else ["Deconv"])


def test_int8_kernels_have_zeros_for_dilations_on_bm1684() -> None:
    two = {"dilations": [1, 2]}
    fitting = op("ConvTranspose", given(1, 4, 5, 6), kernel(4, 3, 3, 3), **two)
    for chip, wanted in (("bm1684", [3, 5]), ("bm1684x", [3, 3])):
        module = top_numbers.top_module(build([fitting])[0], chip, "INT8")
        (deconv,) = [o for o in module.walk() if isinstance(o, TopOp) and o.kind == "Deconv"]
        assert list(deconv.ints("kernel_shape")) == wanted
    far = op("ConvTranspose", given(1, 4, 5, 6), kernel(4, 3, 3, 9), dilations=[1, 2])
    model, _ = build([far])
    assert top_numbers.refusals(model) == []
    ((code, text),) = top_numbers.refusals(model, mode="INT8")
    assert code == "operand-value"
    assert "a kernel of 3x17 with zeros in it" in text


def test_biases_where_sizes_vary() -> None:
    """BM1684 has no kernel there of the Scale that an Add would become."""
    for name in ("even", "depthwise", "odd"):
        model, _ = build([TRANSPOSED[name]])
        assert kinds(model, "bm1684", "INT8", dynamic=True) == ["Deconv", "Conv"]
    assert kinds(build([TRANSPOSED["even"]])[0], dynamic=True) == ["Deconv"]
    assert kinds(build([TRANSPOSED["odd"]])[0], dynamic=True) == ["Deconv", "Conv"]


def test_results_that_nothing_reads_have_no_type() -> None:
    case = recurrent("LSTM", 1, 2)
    model, feeds = build([case])
    del model.graph.output[0]
    module = top_numbers.top_module(model)
    (lstm,) = [o for o in module.walk() if isinstance(o, TopOp) and o.kind == "LSTM"]
    assert [lstm.result(n) is None for n in ("Y", "Y_h", "Y_c")] == [True, False, True]
    assert len(feeds) == 3


@pytest.mark.parametrize(
    ("case", "chips", "text"),
    [
        (op("LpPool", given(1, 5, 9, 9), kernel_shape=[2, 2], p=3), 3, "p = 3"),
        (op("Conv", given(1, 2, 12, 12), given(3, 2, 9, 9)), 3, "at most 64 places"),
        (op("GridSample", given(1, 2, 4, 4), given(1, 3, 3, 2), mode="cubic"), 3, "needs linear"),
        (op("GridSample", given(1, 2, 90, 90), given(1, 90, 90, 2)), 1, "weights as a product"),
        (op("GRU", given(5, 2, 3), normal(1, 18, 3), normal(1, 18, 6), hidden_size=6), 3, "reset"),
        (op("Einsum", given(5, 5), equation="ii->i"), 3, "different letters"),
        (
            op("LSTM", given(5, 2, 3), normal(1, 24, 3), normal(1, 24, 6), hidden_size=6, clip=1.0),
            3,
            "clip",
        ),
        (
            op("ConvTranspose", given(1, 5, 4, 5), kernel(5, 4, 3, 3), strides=[20, 20]),
            3,
            "strides",
        ),
        (op("ConvTranspose", given(1, 5, 4, 5), kernel(5, 4, 17, 2)), 1, "a kernel of 17x2"),
        (
            resized([1, 5, 8, 8], None, [1, 5, 4, 4], keep_aspect_ratio_policy="not_larger"),
            3,
            "stretch",
        ),
    ],
)
def test_refused(case: Case, chips: int, text: str) -> None:
    model, _ = build([case])
    found = [top_numbers.refusals(model, chip) for chip in ("bm1684", "bm1684x", "bm1688")]
    assert sum(bool(f) and text in f[0][1] for f in found) == chips


def test_equations() -> None:
    assert parse_equation("ij,jk->ik", [2, 2]) == (["ij", "jk"], "ik")
    assert parse_equation("i j , j k", [2, 2]) == (["ij", "jk"], "ik")
    terms, result = parse_equation("...ij,jk->...ik", [4, 2])
    assert terms == ["ZYij", "jk"]
    assert result == "ZYik"
    for equation, ranks in (("ij,jk->ik", [2]), ("ij->ijk", [2]), ("ij->i", [3]), ("ii->i", [2])):
        with pytest.raises(ValueError, match="has"):
            parse_equation(equation, ranks)
