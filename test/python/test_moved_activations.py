"""What stands between products and moves: activations join the products, real numbers move within plans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from test_gates import compared
from test_normalize_int8 import Graph, check, prepared, run

from autosplit.lowering.convert_onnx_to_top.check import top_level_ops

RANDOM = np.random.default_rng(5)


def conv(g: Graph, x: str = "x", inputs: int = 4, outputs: int = 8) -> str:
    weights = g.c(RANDOM.standard_normal((outputs, inputs, 1, 1)) * 0.5)
    return g("Conv", x, weights, g.c(RANDOM.standard_normal(outputs)), kernel_shape=(1, 1))


def positions(g: Graph, y: str) -> str:
    """[n, c, h, w] as [n, h * w, c], as transformers read images."""
    return g("Transpose", g("Reshape", y, g.c([2, 8, 30], np.int64)), perm=[0, 2, 1])


ACTIVATIONS = {
    "Clip": lambda g, y: g("Clip", y, g.c(-0.5), g.c(1.5)),
    "Elu": lambda g, y: g("Elu", y, alpha=0.7),
    "Gelu": lambda g, y: g("Gelu", y),
    "HardSigmoid": lambda g, y: g("HardSigmoid", y, alpha=0.3),
    "HardSwish": lambda g, y: g("HardSwish", y),
    "LeakyRelu": lambda g, y: g("LeakyRelu", y, alpha=0.2),
    "Mish": lambda g, y: g("Mish", y),
    "Relu": lambda g, y: g("Relu", y),
    "Sigmoid": lambda g, y: g("Sigmoid", y),
    "Softplus": lambda g, y: g("Softplus", y),
    "Tanh": lambda g, y: g("Tanh", y),
}


def kinds(loaded) -> list[str]:
    return [op.op_type for op in top_level_ops(loaded.module)]


@pytest.mark.parametrize("kind", ACTIVATIONS)
def test_an_activation_stands_beside_its_product(kind: str, tmp_path: Path):
    g = Graph(opset=20)
    y = ACTIVATIONS[kind](g, positions(g, conv(g)))
    expected = {"Conv": 1, kind: 1, "Reshape": 1, "Transpose": 1}
    assert kinds(check(g, y, tmp_path, expected)) == ["Conv", kind, "Reshape", "Transpose"]


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_clip_without_a_minimum_keeps_its_maximum(shuffled: bool, tmp_path: Path):
    g = Graph()
    y = g("DepthToSpace", conv(g), blocksize=2) if shuffled else positions(g, conv(g))
    y = g("Clip", y, "", g.c(0.3))
    _, after = prepared(g.model(y), tmp_path)
    assert [n.op_type for n in after.graph.node][:2] == ["Conv", "Clip"]
    for a, b in zip(run(g.model(y), g.x), run(after, g.x), strict=True):
        np.testing.assert_array_equal(a, b)


def test_names_stay_with_what_is_moved(tmp_path: Path):
    """Recipes, `skip` and reasons name ops by them."""
    g = Graph()
    y = positions(g, conv(g))
    y = g("Mul", y, g("Sigmoid", y))
    named = {n.name: n.op_type for n in g.nodes}
    loaded, _ = prepared(g.model(y), tmp_path)
    made = {op.node_name.data: op.op_type for op in top_level_ops(loaded.module)}
    assert {k: v for k, v in made.items() if k in named} == named


@pytest.mark.parametrize("swapped", [False, True])
def test_a_silu_stands_beside_its_product(swapped: bool, tmp_path: Path):
    g = Graph()
    y = positions(g, conv(g))
    pair = [y, g("Sigmoid", y)]
    y = g("Mul", *(reversed(pair) if swapped else pair))
    loaded = check(
        g, y, tmp_path, {"Conv": 1, "Sigmoid": 1, "Mul": 1, "Reshape": 1, "Transpose": 1}
    )
    assert kinds(loaded) == ["Conv", "Sigmoid", "Mul", "Reshape", "Transpose"]


@pytest.mark.parametrize("kind", ["Squeeze", "Unsqueeze", "Flatten", "DepthToSpace"])
def test_other_moves(kind: str, tmp_path: Path):
    g = Graph()
    y = conv(g)
    match kind:
        case "Squeeze":
            y = g("Squeeze", g("Unsqueeze", y, g.c([1], np.int64)), g.c([1], np.int64))
        case "Unsqueeze":
            y = g("Unsqueeze", y, g.c([0], np.int64))
        case "Flatten":
            y = g("Flatten", y)
        case _:
            y = g("DepthToSpace", y, blocksize=2)
    _, after = prepared(g.model(g("Tanh", y)), tmp_path)
    assert [n.op_type for n in after.graph.node][:2] == ["Conv", "Tanh"]
    for a, b in zip(
        run(g.model("v2" if kind != "Squeeze" else "v3"), g.x), run(after, g.x), strict=True
    ):
        np.testing.assert_array_equal(a, b)


STAYING = {
    "of no product": lambda g: g("Tanh", positions(g, g("Concat", "x", "x", axis=1))),
    "something else reads what is moved": lambda g: g(
        "Add", y := positions(g, conv(g)), g("Tanh", y)
    ),
    "a square of the gate": lambda g: g("Mul", y := g("Sigmoid", positions(g, conv(g))), y),
    "a gate of another op": lambda g: g("Mul", y := positions(g, conv(g)), g("Tanh", y)),
    "a gate that is read twice": lambda g: g(
        "Add", g("Mul", y := positions(g, conv(g)), s := g("Sigmoid", y)), s
    ),
}


@pytest.mark.parametrize("why", STAYING)
def test_the_numbers_stay_in_any_case(why: str, tmp_path: Path):
    g = Graph()
    y = STAYING[why](g)
    _, after = prepared(g.model(y), tmp_path)
    for a, b in zip(run(g.model(y), g.x), run(after, g.x), strict=True):
        np.testing.assert_array_equal(a, b)
    if why not in ("a square of the gate",):
        first = [n.op_type for n in after.graph.node]
        assert first.index("Transpose") < max(
            first.index(k) for k in ("Tanh", "Sigmoid") if k in first
        )


# Real numbers that move between partitions


def sequence(g: Graph, y: str, width: int) -> str:
    """A layer norm, and a product with a residual sum."""
    n = g("LayerNormalization", y, g.c(np.ones(width)), g.c(np.zeros(width)), axis=-1)
    weights = g.c(RANDOM.standard_normal((width, width)) * 0.3)
    return g("Add", y, g("Add", g("MatMul", n, weights), g.c(np.ones(width))))


def rows(g: Graph) -> str:
    """An image as rows behind a convolution, a layer norm and a residual sum."""
    return sequence(g, positions(g, conv(g)), 8)


@needs_library
def test_patches_of_an_image_move_within_the_plan(tmp_path: Path):
    g = Graph()
    y = g("Reshape", g("Transpose", rows(g), perm=[0, 2, 1]), g.c([2, 8, 6, 5], np.int64))
    partitions, outside = compared(g, [conv(g, y, 8)], tmp_path)
    assert outside == []
    assert sum("LayerNorm" in one for one in partitions) == 1


@needs_library
def test_what_meets_another_runtime_stays_with_it(tmp_path: Path):
    g = Graph()
    moved = g("Transpose", rows(g), perm=[0, 2, 1])
    y = g("CumSum", moved, g.c(2, np.int64))
    _, outside = compared(g, [y], tmp_path)
    assert sorted(outside) == ["CumSum", "Transpose"]


@needs_library
def test_real_numbers_are_joined_and_split_within_the_plan(tmp_path: Path):
    g = Graph()
    y = rows(g)
    halves = ["half0", "half1"]
    g.nodes.append(onnx.helper.make_node("Split", [y, g.c([10, 20], np.int64)], halves, axis=1))
    joined = g("Concat", halves[1], halves[0], y, axis=1)
    _, outside = compared(g, [sequence(g, joined, 8)], tmp_path)
    assert outside == []


@needs_library
def test_what_pads_real_numbers_is_no_move(tmp_path: Path):
    """Moves pad bytes, with an integer."""
    g = Graph()
    padded = g("Pad", rows(g), g.c([0, 1, 0, 0, 2, 0], np.int64), g.c(0.5))
    _, outside = compared(g, [sequence(g, padded, 8)], tmp_path)
    assert "Pad" in outside


# Sequences between convolutions


def line(g: Graph, x: str, inputs: int, outputs: int) -> str:
    weights = g.c(RANDOM.standard_normal((outputs, inputs, 3)) * 0.3)
    bias = g.c(RANDOM.standard_normal(outputs) * 0.1)
    return g("Conv", x, weights, bias, kernel_shape=(3,), pads=(1, 1))


SEQUENCES = {
    "two readers and a sum": lambda g, a, b: g("Add", g("Relu", a), b),
    "a gate by the channel": lambda g, a, b: g(
        "Mul", a, g("Sigmoid", line(g, g("GlobalAveragePool", b), 16, 16))
    ),
    "a gate": lambda g, a, b: g("Mul", g("Add", a, b), g("Sigmoid", b)),
}


@needs_library
@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences_have_channels_as_images_have(name: str, tmp_path: Path):
    """Sums and gates of tensors that are read elsewhere too are nobody's but the library's."""
    g = Graph(x=RANDOM.standard_normal((2, 4, 40)).astype(np.float32))
    a, b = (g("Tanh", line(g, "x", 4, 16)) for _ in range(2))
    y = SEQUENCES[name](g, a, b)
    joined = g("Concat", y, line(g, a, 16, 16), line(g, b, 16, 16), axis=1)
    _, outside = compared(g, [line(g, joined, 48, 4)], tmp_path)
    assert outside == []
