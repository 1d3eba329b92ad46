"""One-op models of the layers of networks: convolutions, pools, products, norms, recurrences, resizing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autosplit.lowering.convert_onnx_to_top.table import EINSUM
from autosplit.probe.case import Case, Const, In, Literal, Operand, Shape, floats, ints, scalar

CONVOLUTIONS: dict[str, tuple[Shape, Shape, dict[str, Any]]] = {
    "3x3": ((1, 8, 15, 17), (12, 8, 3, 3), {}),
    "3x3-same": ((1, 8, 16, 16), (8, 8, 3, 3), {"pads": [1, 1, 1, 1]}),
    "1x1": ((2, 70, 7, 9), (130, 70, 1, 1), {}),
    "stem": ((1, 3, 64, 64), (64, 3, 7, 7), {"strides": [2, 2], "pads": [3, 3, 3, 3]}),
    "stride": ((1, 5, 15, 14), (6, 5, 3, 3), {"strides": [2, 3], "pads": [1, 1, 1, 1]}),
    "stride-beyond-kernel": ((1, 5, 16, 16), (6, 5, 2, 2), {"strides": [3, 3]}),
    "dilated": ((1, 6, 16, 16), (7, 6, 3, 3), {"dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    "dilated-far": ((1, 6, 40, 40), (7, 6, 3, 3), {"dilations": [12, 12], "pads": [12] * 4}),
    "uneven-pads": ((1, 4, 9, 9), (5, 4, 3, 3), {"pads": [0, 1, 2, 0]}),
    "wide-pads": ((1, 4, 9, 9), (5, 4, 3, 3), {"pads": [3, 3, 3, 3]}),
    "uneven-kernel": ((1, 4, 12, 13), (5, 4, 1, 5), {"pads": [0, 2, 0, 2]}),
    "large-kernel": ((1, 3, 20, 20), (4, 3, 11, 11), {"pads": [5, 5, 5, 5]}),
    "groups": ((1, 6, 9, 9), (9, 2, 3, 3), {"group": 3}),
    "many-groups": ((1, 128, 9, 9), (128, 4, 3, 3), {"group": 32, "pads": [1, 1, 1, 1]}),
    "depthwise": ((1, 70, 13, 11), (70, 1, 3, 3), {"group": 70, "pads": [1, 1, 1, 1]}),
    "depthwise-stride": ((2, 32, 14, 14), (32, 1, 5, 5), {"group": 32, "strides": [2, 2]}),
    "depthwise-dilated": ((1, 16, 14, 14), (16, 1, 3, 3), {"group": 16, "dilations": [2, 2]}),
    "depthwise-twice": ((1, 6, 9, 9), (12, 1, 3, 3), {"group": 6}),
    "same-upper": ((1, 4, 11, 11), (5, 4, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "same-lower": ((1, 4, 11, 12), (5, 4, 4, 4), {"auto_pad": "SAME_LOWER"}),
    "valid": ((1, 4, 11, 11), (5, 4, 3, 3), {"auto_pad": "VALID"}),
    "batch": ((5, 3, 9, 9), (4, 3, 3, 3), {}),
    "tall": ((1, 4, 500, 300), (5, 4, 3, 3), {"pads": [1, 1, 1, 1]}),
    "wide": ((1, 3, 5, 3000), (4, 3, 3, 3), {"pads": [1, 1, 1, 1]}),
    "deep": ((1, 512, 7, 7), (513, 512, 3, 3), {"pads": [1, 1, 1, 1]}),
    "one-pixel": ((1, 300, 1, 1), (70, 300, 1, 1), {}),
    "1d": ((2, 5, 33), (7, 5, 3), {}),
    "1d-stride": ((1, 5, 33), (7, 5, 3), {"strides": [2], "pads": [1, 1]}),
    "1d-dilated": ((1, 5, 33), (7, 5, 3), {"dilations": [4], "pads": [0, 3]}),
    "1d-depthwise": ((1, 12, 33), (12, 1, 5), {"group": 12, "pads": [2, 2]}),
    "1d-groups": ((1, 6, 20), (4, 3, 3), {"group": 2}),
    "3d": ((1, 3, 7, 8, 9), (4, 3, 3, 3, 3), {}),
}
"""Image, weights, attributes."""

TRANSPOSED: dict[str, tuple[Shape, Shape, dict[str, Any]]] = {
    "2x2": ((1, 6, 7, 9), (6, 5, 2, 2), {"strides": [2, 2]}),
    "3x3": ((1, 6, 7, 9), (6, 5, 3, 3), {}),
    "4x4": ((2, 6, 7, 9), (6, 5, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "output-padding": (
        (1, 6, 7, 9),
        (6, 5, 3, 3),
        {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
    ),
    "uneven-pads": ((1, 6, 7, 9), (6, 5, 3, 3), {"strides": [2, 2], "pads": [0, 1, 1, 0]}),
    "uneven-kernel": ((1, 6, 7, 9), (6, 5, 2, 3), {"strides": [1, 2]}),
    "groups": ((1, 6, 7, 9), (6, 4, 3, 3), {"group": 2, "strides": [2, 2]}),
    "depthwise": ((1, 16, 7, 9), (16, 1, 4, 4), {"group": 16, "strides": [2, 2], "pads": [1] * 4}),
    "channels": ((1, 70, 9, 7), (70, 66, 2, 2), {"strides": [2, 2]}),
    "stride3": ((1, 4, 6, 5), (4, 3, 3, 3), {"strides": [3, 3]}),
    "stride-beyond-kernel": ((1, 4, 6, 5), (4, 3, 2, 2), {"strides": [3, 3]}),
    "dilated": ((1, 4, 6, 5), (4, 3, 3, 3), {"dilations": [2, 2]}),
    "tall": ((1, 8, 200, 150), (8, 4, 2, 2), {"strides": [2, 2]}),
    "1d": ((1, 6, 17), (6, 5, 4), {"strides": [2], "pads": [1, 1]}),
    "same-upper": ((1, 4, 6, 5), (4, 3, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    "output-shape": ((1, 4, 6, 5), (4, 3, 3, 3), {"output_shape": [13, 11], "strides": [2, 2]}),
}

POOLS: dict[str, tuple[Shape, dict[str, Any]]] = {
    "2x2": ((1, 5, 12, 14), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "3x3": ((2, 5, 11, 13), {"kernel_shape": [3, 3]}),
    "3x3-pads": (
        (1, 70, 11, 13),
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    ),
    "uneven-pads": ((1, 5, 11, 13), {"kernel_shape": [3, 3], "pads": [0, 1, 2, 0]}),
    "uneven-kernel": ((1, 5, 11, 13), {"kernel_shape": [1, 4], "strides": [1, 2]}),
    "ceil-exact": ((1, 5, 12, 14), {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
    "ceil": ((1, 5, 11, 13), {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
    "ceil-pads": (
        (1, 5, 12, 12),
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1},
    ),
    "same-upper": (
        (1, 5, 11, 12),
        {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    ),
    "same-lower": ((1, 5, 11, 12), {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"}),
    "valid": ((1, 5, 11, 12), {"kernel_shape": [3, 3], "auto_pad": "VALID"}),
    "whole": ((1, 70, 7, 9), {"kernel_shape": [7, 9]}),
    "large-kernel": ((1, 4, 40, 40), {"kernel_shape": [13, 13], "pads": [6, 6, 6, 6]}),
    "larger-kernel": ((1, 4, 40, 40), {"kernel_shape": [33, 35]}),
    "stride-beyond-kernel": ((1, 4, 16, 16), {"kernel_shape": [2, 2], "strides": [3, 3]}),
    "tall": ((1, 4, 600, 250), {"kernel_shape": [3, 3], "strides": [2, 2]}),
    "dilated": ((1, 4, 16, 16), {"kernel_shape": [3, 3], "dilations": [2, 2]}),
    "1d": ((2, 5, 33), {"kernel_shape": [3]}),
    "1d-stride": ((1, 70, 33), {"kernel_shape": [4], "strides": [2], "pads": [1, 1]}),
    "3d": ((1, 5, 6, 7, 8), {"kernel_shape": [2, 2, 2]}),
}

PRODUCTS: dict[str, tuple[Operand, Operand]] = {
    "2d": (In((5, 33)), In((33, 7))),
    "2d-constant": (In((5, 33)), Const((33, 7))),
    "2d-constant-first": (Const((5, 33)), In((33, 7))),
    "one-row": (In((1, 300)), Const((300, 70))),
    "classifier": (In((1, 1280)), Const((1280, 1001))),
    "deep": (In((3, 3000)), Const((3000, 5))),
    "many-rows": (In((1000, 64)), Const((64, 70))),
    "3d-constant": (In((2, 9, 33)), Const((33, 7))),
    "4d-constant": (In((2, 3, 9, 33)), Const((33, 7))),
    "5d-constant": (In((2, 3, 2, 4, 33)), Const((33, 7))),
    "3d-computed-2d": (In((2, 9, 33)), In((33, 7))),
    "3d": (In((4, 9, 33)), In((4, 33, 7))),
    "3d-one": (In((1, 9, 33)), In((1, 33, 7))),
    "3d-constants": (In((4, 9, 33)), Const((4, 33, 7))),
    "3d-constants-first": (Const((4, 9, 33)), In((4, 33, 7))),
    "4d": (In((2, 3, 9, 33)), In((2, 3, 33, 7))),
    "attention": (In((1, 12, 64, 32)), In((1, 12, 32, 64))),
    "5d": (In((2, 1, 3, 4, 9)), In((2, 1, 3, 9, 5))),
    "broadcast": (In((2, 1, 3, 4)), In((2, 5, 4, 6))),
    "broadcast-one": (In((3, 4, 5)), In((1, 5, 6))),
    "broadcast-one-first": (In((1, 4, 5)), In((3, 5, 6))),
    "broadcast-rank": (In((2, 3, 4, 5)), In((3, 5, 6))),
    "2d-by-3d": (In((4, 5)), In((3, 5, 6))),
    "vector": (In((2, 3, 4)), In((4,))),
    "vector-constant": (In((2, 3, 4)), Const((4,))),
    "vector-first": (In((4,)), In((4, 5))),
    "vectors": (In((4,)), In((4,))),
    "column": (In((3, 70)), In((70, 1))),
}

SIZES = {c: i for c, i in zip("abcdefg", (2, 3, 4, 5, 6, 7, 3), strict=True)}
"""The dimensions of Einsum's subscripts."""

SOURCES: dict[str, tuple[str, Shape, Shape]] = {
    "2x": ("scales", (1, 4, 7, 9), (1, 4, 14, 18)),
    "3x": ("scales", (2, 70, 5, 6), (2, 70, 15, 18)),
    "4x-2x": ("scales", (1, 4, 5, 6), (1, 4, 20, 12)),
    "half": ("scales", (1, 4, 8, 12), (1, 4, 4, 6)),
    "sizes-2x": ("sizes", (1, 4, 7, 9), (1, 4, 14, 18)),
    "sizes-odd": ("sizes", (1, 4, 7, 9), (1, 4, 11, 23)),
    "sizes-down": ("sizes", (1, 4, 17, 19), (1, 4, 7, 5)),
    "sizes-one": ("sizes", (1, 4, 1, 1), (1, 4, 9, 9)),
    "segmentation": ("sizes", (1, 21, 33, 33), (1, 21, 129, 129)),
    "same": ("sizes", (1, 4, 7, 9), (1, 4, 7, 9)),
}
"""How the result is given, the image, the result."""


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _convolutions()
    yield from _pools()
    yield from _matmul()
    yield from _gemm()
    for equation in sorted(EINSUM | {"ab,bc->ac", "ab,cb->ac", "abc->cba"}):
        yield from _einsum(equation)
    yield from _norms()
    yield from _lstm()
    yield from _gru()
    yield from _resize()
    yield from _vision()


def _convolutions() -> Iterator[Case]:
    for name, (x, w, attributes) in CONVOLUTIONS.items():
        yield Case("Conv", name, (In(x), Const(w), Const(w[:1])), attributes)
    yield Case("Conv", "no-bias", (In((1, 8, 9, 9)), Const((5, 8, 3, 3))))
    yield Case("Conv", "computed-weights", (In((1, 8, 9, 9)), In((5, 8, 3, 3))))
    for name, (x, w, attributes) in TRANSPOSED.items():
        bias = Const((w[1] * attributes.get("group", 1),))
        yield Case("ConvTranspose", name, (In(x), Const(w), bias), attributes)
    weights = Const((6, 5, 3, 3))
    yield Case("ConvTranspose", "no-bias", (In((1, 6, 7, 9)), weights), {"strides": [2, 2]})


def _pools() -> Iterator[Case]:
    for name, (x, attributes) in POOLS.items():
        yield Case("MaxPool", name, (In(x, "grid"),), attributes)
        yield Case("AveragePool", name, (In(x),), attributes)
        if "pads" in attributes:
            counted = {**attributes, "count_include_pad": 1}
            yield Case("AveragePool", f"{name}-counted", (In(x),), counted)
    yield Case(
        "MaxPool",
        "negative",
        (In((1, 4, 9, 9), "wide"),),
        {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    )
    yield Case(
        "MaxPool", "indices", (In((1, 4, 8, 8), "grid"),), {"kernel_shape": [2, 2]}, (True, True)
    )
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        for shape in ((2, 5, 33), (1, 70, 7, 9), (3, 4, 1, 1), (1, 4, 300, 250), (1, 5, 3, 4, 5)):
            yield Case(op, "x".join(map(str, shape)), (In(shape),))


def _matmul() -> Iterator[Case]:
    for name, (a, b) in PRODUCTS.items():
        yield Case("MatMul", name, (a, b))


def _gemm() -> Iterator[Case]:
    a, b, bias = In((5, 33)), Const((33, 7)), Const((7,))
    yield Case("Gemm", "plain", (a, b))
    yield Case("Gemm", "bias", (a, b, bias))
    yield Case("Gemm", "bias-1xn", (a, b, Const((1, 7))))
    yield Case("Gemm", "bias-mxn", (a, b, Const((5, 7))))
    yield Case("Gemm", "bias-column", (a, b, Const((5, 1))))
    yield Case("Gemm", "bias-scalar", (a, b, scalar(0.5)))
    yield Case("Gemm", "bias-one", (a, b, floats(0.5)))
    yield Case("Gemm", "bias-computed", (a, b, In((7,))))
    yield Case("Gemm", "bias-computed-mxn", (a, b, In((5, 7))))
    yield Case("Gemm", "transposed", (a, Const((7, 33)), bias), {"transB": 1})
    yield Case("Gemm", "alpha", (a, b, bias), {"alpha": 0.5})
    yield Case("Gemm", "beta", (a, b, bias), {"beta": 0.5})
    yield Case(
        "Gemm", "alpha-beta", (a, Const((7, 33)), bias), {"alpha": 2.0, "beta": -1.5, "transB": 1}
    )
    yield Case("Gemm", "alpha-alone", (a, b), {"alpha": 0.25})
    yield Case("Gemm", "computed", (a, In((33, 7)), bias))
    yield Case("Gemm", "computed-transposed", (a, In((7, 33)), bias), {"transB": 1})
    yield Case("Gemm", "computed-alpha", (a, In((33, 7)), bias), {"alpha": 0.5})
    yield Case("Gemm", "constant-first", (Const((5, 33)), In((33, 7)), bias))
    yield Case("Gemm", "transposed-first", (In((33, 5)), b, bias), {"transA": 1})
    yield Case(
        "Gemm", "classifier", (In((1, 1280)), Const((1001, 1280)), Const((1001,))), {"transB": 1}
    )


def _einsum(equation: str) -> Iterator[Case]:
    inputs = equation.split("->")[0].split(",")
    shapes = [tuple(SIZES[c] for c in text) for text in inputs]
    name = equation.replace(",", " ").replace("->", " to ")
    yield Case("Einsum", name, tuple(In(s) for s in shapes), {"equation": equation})
    if len(shapes) == 2:
        operands = (In(shapes[0]), Const(shapes[1]))
        yield Case("Einsum", f"{name} constant", operands, {"equation": equation})


def _norms() -> Iterator[Case]:
    for name, shape in {
        "2d": (5, 70),
        "3d": (2, 6, 33),
        "4d": (2, 70, 7, 5),
        "5d": (2, 3, 4, 5, 6),
        "tall": (1, 4, 600, 250),
    }.items():
        c = Const((shape[1],))
        operands = (In(shape), c, c, c, Const((shape[1],), "positive"))
        yield Case("BatchNormalization", name, operands, {"epsilon": 1e-3})
    for name, shape in {
        "3d": (2, 6, 33),
        "4d": (2, 70, 7, 5),
        "one": (1, 5, 9, 9),
        "tall": (1, 4, 300, 250),
    }.items():
        operands = (In(shape), Const((shape[1],)), Const((shape[1],)))
        yield Case("InstanceNormalization", name, operands)
        yield Case("InstanceNormalization", f"{name}-epsilon", operands, {"epsilon": 0.1})
        for groups in {1, 2 if shape[1] % 2 == 0 else shape[1], shape[1]}:
            yield Case(
                "GroupNormalization", f"{name}-groups{groups}", operands, {"num_groups": groups}
            )
    operands = (In((1, 6, 9, 9)), Const((6,)), Const((6,)))
    yield Case("GroupNormalization", "epsilon", operands, {"num_groups": 3, "epsilon": 0.1})
    for name, shape in {
        "2d": (5, 70),
        "3d": (2, 9, 64),
        "4d": (2, 3, 5, 33),
        "5d": (2, 3, 2, 4, 9),
        "long": (2, 3000),
    }.items():
        x, c = In(shape), Const(shape[-1:])
        yield Case("LayerNormalization", name, (x, c, c))
        yield Case("LayerNormalization", f"{name}-no-bias", (x, c))
    shape = (2, 3, 5, 33)
    for axis in (1, 2, -2):
        c = Const(shape[axis:])
        yield Case("LayerNormalization", f"axis{axis}", (In(shape), c, c), {"axis": axis})
    yield Case("LayerNormalization", "epsilon", (In((2, 9, 64)), Const((64,))), {"epsilon": 0.1})
    yield Case("LayerNormalization", "axis0", (In((5, 7)), Const((5, 7))), {"axis": 0})
    for name, attributes in {
        "5": {"size": 5},
        "3": {"size": 3, "alpha": 0.05, "beta": 0.5, "bias": 2.0},
        "alexnet": {"size": 5, "alpha": 1e-4, "beta": 0.75, "bias": 1.0},
    }.items():
        yield Case("LRN", name, (In((2, 12, 7, 5)),), attributes)
        yield Case("LRN", f"{name}-channels", (In((1, 96, 13, 13), "wide"),), attributes)


def _recurrent(
    op: str, gates: int, state: int
) -> Iterator[tuple[str, tuple[Operand, ...], dict[str, Any]]]:
    extra: dict[str, Any] = {"linear_before_reset": 1} if op == "GRU" else {}
    for directions, batch, steps in (
        (1, 1, 5),
        (1, 3, 5),
        (2, 1, 5),
        (2, 3, 4),
        (1, 1, 1),
        (1, 2, 33),
    ):
        hidden, width = (6, 3) if steps < 33 else (70, 65)
        # Large weights make recurrences chaotic: the last bits would decide.
        values = "normal" if steps < 33 else "tenth"
        x, w = In((steps, batch, width)), Const((directions, gates * hidden, width), values)
        r, b = (
            Const((directions, gates * hidden, hidden), values),
            Const((directions, 2 * gates * hidden), values),
        )
        attributes = {"hidden_size": hidden, **extra}
        if directions == 2:
            attributes["direction"] = "bidirectional"
        name = f"{steps}-steps-{batch}-batch-{directions}-way"
        yield name, (x, w, r, b), attributes
        yield f"{name}-no-bias", (x, w, r), attributes
        h = (directions, batch, hidden)
        yield f"{name}-state", (x, w, r, b, None, *[In(h)] * state), attributes
        yield f"{name}-zero-state", (x, w, r, b, None, *[Const(h, "bits")] * state), attributes


def _lstm() -> Iterator[Case]:
    for name, operands, attributes in _recurrent("LSTM", 4, 2):
        yield Case("LSTM", name, operands, attributes, (True, True, True))
    name, operands, attributes = next(_recurrent("LSTM", 4, 2))
    for wanted in ((True,), (False, True), (False, False, True), (True, True)):
        label = "".join("y" if w else "n" for w in wanted)
        yield Case("LSTM", f"results-{label}", operands, attributes, wanted)
    yield Case("LSTM", "reverse", operands, {**attributes, "direction": "reverse"})
    w = operands[1:4]
    one = (In((5, 2, 3)), *w, Literal((5, 5), "int32"))
    yield Case("LSTM", "lengths", one, attributes)


def _gru() -> Iterator[Case]:
    for name, operands, attributes in _recurrent("GRU", 3, 1):
        yield Case("GRU", name, operands, attributes, (True, True))
    name, operands, attributes = next(_recurrent("GRU", 3, 1))
    for wanted in ((True,), (False, True)):
        label = "".join("y" if w else "n" for w in wanted)
        yield Case("GRU", f"results-{label}", operands, attributes, wanted)
    yield Case("GRU", "reset-first", operands, {**attributes, "linear_before_reset": 0})
    yield Case("GRU", "reverse", operands, {**attributes, "direction": "reverse"})


def _resize() -> Iterator[Case]:
    modes: list[tuple[str, dict[str, Any]]] = [
        ("linear", {"mode": "linear", "coordinate_transformation_mode": t})
        for t in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
    ]
    modes += [
        ("nearest", {"mode": "nearest", "coordinate_transformation_mode": t, "nearest_mode": r})
        for t, r in (
            ("half_pixel", "round_prefer_floor"),
            ("half_pixel", "round_prefer_ceil"),
            ("asymmetric", "floor"),
            ("asymmetric", "round_prefer_ceil"),
            ("align_corners", "round_prefer_floor"),
            ("pytorch_half_pixel", "floor"),
        )
    ]
    modes += [("cubic", {"mode": "cubic"})]
    for _, attributes in modes:
        for name, (how, x, y) in SOURCES.items():
            if attributes["mode"] == "nearest" and name in ("4x-2x", "segmentation", "same"):
                continue
            scales = floats(*(b / a for a, b in zip(x, y, strict=True)))
            operands = (In(x), None, scales) if how == "scales" else (In(x), None, None, ints(*y))
            label = "-".join(str(v) for v in attributes.values())
            yield Case("Resize", f"{label}-{name}", operands, attributes)
    x = In((1, 4, 7, 9))
    half = {"mode": "linear", "antialias": 1}
    yield Case("Resize", "antialias", (x, None, None, ints(1, 4, 3, 4)), half)
    yield Case("Resize", "axes", (x, None, floats(2.0, 2.0)), {"mode": "linear", "axes": [2, 3]})
    yield Case(
        "Resize", "linear-fraction", (x, None, floats(1.0, 1.0, 1.5, 1.3)), {"mode": "linear"}
    )
    yield Case("Resize", "3d", (In((1, 4, 9)), None, floats(1.0, 1.0, 2.0)), {"mode": "linear"})


def _vision() -> Iterator[Case]:
    for blocks in (2, 3):
        for mode in ("DCR", "CRD"):
            for c in (1, 5, 20):
                x = In((2, c * blocks * blocks, 5, 7))
                yield Case(
                    "DepthToSpace",
                    f"{mode}-{blocks}-{c}",
                    (x,),
                    {"blocksize": blocks, "mode": mode},
                )
        for c in (1, 5, 70):
            x = In((2, c, 4 * blocks, 3 * blocks))
            yield Case("SpaceToDepth", f"{blocks}-{c}", (x,), {"blocksize": blocks})
