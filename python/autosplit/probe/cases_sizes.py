"""One-op models of the sizes of real networks: what fits into local memory is right, and more need not be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autosplit.probe.case import Case, Const, In, Literal, Operand, Shape, floats, ints

CONVOLUTIONS: dict[str, tuple[Shape, Shape, dict[str, Any]]] = {
    "stem-7x7": ((1, 3, 224, 224), (64, 3, 7, 7), {"strides": [2, 2], "pads": [3] * 4}),
    "stem-6x6": ((1, 3, 320, 320), (32, 3, 6, 6), {"strides": [2, 2], "pads": [2] * 4}),
    "3x3-512": ((1, 512, 14, 14), (512, 512, 3, 3), {"pads": [1] * 4}),
    "3x3-512-stride": ((1, 512, 14, 14), (512, 512, 3, 3), {"strides": [2, 2], "pads": [1] * 4}),
    "1x1-2048": ((1, 2048, 7, 7), (512, 2048, 1, 1), {}),
    "1x1-to-2048": ((1, 512, 7, 7), (2048, 512, 1, 1), {}),
    "1x1-wide": ((1, 64, 80, 80), (64, 64, 1, 1), {}),
    "1x1-144": ((1, 24, 56, 56), (144, 24, 1, 1), {}),
    "groups-32": ((1, 512, 14, 14), (512, 16, 3, 3), {"group": 32, "pads": [1] * 4}),
    "depthwise-5x5-960": ((1, 960, 7, 7), (960, 1, 5, 5), {"group": 960, "pads": [2] * 4}),
    "depthwise-3x3-stride": (
        (1, 96, 112, 112),
        (96, 1, 3, 3),
        {"group": 96, "strides": [2, 2], "pads": [1] * 4},
    ),
    "depthwise-7x7": ((1, 384, 14, 14), (384, 1, 7, 7), {"group": 384, "pads": [3] * 4}),
    "dilated-12": ((1, 256, 28, 28), (64, 256, 3, 3), {"dilations": [12, 12], "pads": [12] * 4}),
    "patches-16x16": ((1, 3, 224, 224), (192, 3, 16, 16), {"strides": [16, 16]}),
    "1d-80-to-512": ((1, 80, 1500), (512, 80, 3), {"pads": [1, 1]}),
    "1d-depthwise-31": ((1, 256, 400), (256, 1, 31), {"group": 256, "pads": [15, 15]}),
    "3d-16": ((1, 16, 8, 28, 28), (32, 16, 3, 3, 3), {"pads": [1] * 6}),
}
"""Image, weights, attributes."""

TRANSPOSED: dict[str, tuple[Shape, Shape, dict[str, Any]]] = {
    "256-2x2": ((1, 256, 28, 28), (256, 128, 2, 2), {"strides": [2, 2]}),
    "256-4x4": ((1, 256, 16, 16), (256, 256, 4, 4), {"strides": [2, 2], "pads": [1] * 4}),
    "64-wide": ((1, 64, 80, 80), (64, 32, 2, 2), {"strides": [2, 2]}),
    "1d-512-16": ((1, 512, 50), (512, 256, 16), {"strides": [8], "pads": [4, 4]}),
}

POOLS: dict[str, tuple[Shape, dict[str, Any]]] = {
    "stem-112": ((1, 64, 112, 112), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4}),
    "spp-5": ((1, 256, 20, 20), {"kernel_shape": [5, 5], "pads": [2] * 4}),
    "spp-13": ((1, 256, 20, 20), {"kernel_shape": [13, 13], "pads": [6] * 4}),
    "halves-56": ((1, 256, 56, 56), {"kernel_shape": [2, 2], "strides": [2, 2]}),
}

PRODUCTS: dict[str, tuple[Operand, Operand]] = {
    "768x3072": (In((1, 197, 768)), Const((768, 3072))),
    "3072x768": (In((1, 128, 3072)), Const((3072, 768))),
    "4096": (In((1, 4096)), Const((4096, 4096))),
    "vocabulary-21128": (In((1, 4, 768)), Const((768, 21128))),
    "vocabulary-50257": (In((1, 1, 256)), Const((256, 50257))),
    "scores-12-384": (In((1, 12, 384, 64)), In((1, 12, 64, 384))),
    "values-12-384": (In((1, 12, 384, 384)), In((1, 12, 384, 64))),
    "scores-windows": (In((64, 3, 49, 32)), In((64, 3, 32, 49))),
    "pixels-1024": (In((1, 1024, 64)), In((1, 64, 1024))),
}

ROWS: dict[str, tuple[Shape, int]] = {
    "classes-1000": ((1, 1000), -1),
    "anchors-8400": ((1, 4, 8400), -1),
    "vocabulary-32000": ((1, 32000), -1),
    "attention-12x384": ((1, 12, 384, 384), -1),
    "windows-49": ((64, 3, 49, 49), -1),
    "pixels-21": ((1, 21, 129, 129), 1),
    "boxes-16": ((1, 16, 4, 8400), 1),
}
"""Of Softmax: shape and axis."""

NORMS: dict[str, Shape] = {
    "768": (1, 197, 768),
    "96-pixels": (1, 3136, 96),
    "1024": (1, 384, 1024),
    "4096": (1, 16, 4096),
}

IMAGES: dict[str, Shape] = {
    "32-of-320": (1, 320, 32, 32),
    "groups-of-512": (1, 512, 16, 16),
}

RECURRENT: tuple[tuple[int, int, int, int, int], ...] = (
    (128, 64, 50, 1, 2),
    (256, 512, 24, 1, 2),
    (384, 256, 4, 1, 1),
    (384, 256, 4, 16, 1),
    (512, 64, 8, 1, 1),
    (512, 512, 8, 1, 2),
    (1024, 64, 4, 1, 1),
    (1024, 1024, 4, 1, 1),
)
"""Hidden size, width, steps, batch, directions."""

UNARY: dict[str, dict[str, Any]] = {
    "Elu": {},
    "Erf": {},
    "Exp": {},
    "Gelu": {},
    "HardSigmoid": {},
    "HardSwish": {},
    "LeakyRelu": {"alpha": 0.1},
    "Mish": {},
    "Relu": {},
    "Sigmoid": {},
    "Softplus": {},
    "Sqrt": {},
    "Tanh": {},
}
"""The functions that networks apply to whole feature maps."""


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _convolutions()
    yield from _products()
    yield from _rows()
    yield from _recurrent()
    yield from _elementwise()
    yield from _moves()
    yield from _lookups()
    yield from _reductions()
    yield from _resizes()


def _convolutions() -> Iterator[Case]:
    for name, (x, w, attributes) in CONVOLUTIONS.items():
        operands = (In(x), Const(w, "tenth"), Const(w[:1]))
        yield Case("Conv", f"net-{name}", operands, attributes)
    for name, (x, w, attributes) in TRANSPOSED.items():
        operands = (In(x), Const(w, "tenth"), Const((w[1],)))
        yield Case("ConvTranspose", f"net-{name}", operands, attributes)
    for name, (x, attributes) in POOLS.items():
        yield Case("MaxPool", f"net-{name}", (In(x),), attributes)
    for name in ("spp-5", "halves-56"):
        x, attributes = POOLS[name]
        yield Case("AveragePool", f"net-{name}", (In(x),), attributes)
    for shape in ((1, 2048, 7, 7), (1, 512, 28, 28)):
        yield Case("GlobalAveragePool", f"net-{shape[1]}", (In(shape),))
        yield Case("GlobalMaxPool", f"net-{shape[1]}", (In(shape),))
    c = Const((512,), "positive")
    operands = (In((1, 512, 28, 28)), c, c, c, Const((512,), "positive"))
    yield Case("BatchNormalization", "net-512", operands)


def _products() -> Iterator[Case]:
    for name, (a, b) in PRODUCTS.items():
        yield Case("MatMul", f"net-{name}", (a, b))
    for name, (k, n) in {"4096-to-1000": (4096, 1000), "25088-to-512": (25088, 512)}.items():
        operands = (In((1, k)), Const((n, k), "tenth"), Const((n,)))
        yield Case("Gemm", f"net-{name}", operands, {"transB": 1})


def _rows() -> Iterator[Case]:
    for name, (shape, axis) in ROWS.items():
        yield Case("Softmax", f"net-{name}", (In(shape),), {"axis": axis})
    for name in ("classes-1000", "pixels-21"):
        shape, axis = ROWS[name]
        yield Case("LogSoftmax", f"net-{name}", (In(shape),), {"axis": axis})
    for name, shape in NORMS.items():
        c = Const(shape[-1:])
        yield Case("LayerNormalization", f"net-{name}", (In(shape), c, c), {"axis": -1})
    for name, shape in IMAGES.items():
        c = Const((shape[1],))
        yield Case("GroupNormalization", f"net-{name}", (In(shape), c, c), {"num_groups": 32})
        yield Case("InstanceNormalization", f"net-{name}", (In(shape), c, c))
    x = In((1, 96, 27, 27))
    yield Case("LRN", "net-96", (x,), {"size": 5, "alpha": 1e-4, "beta": 0.75})
    yield Case("LpNormalization", "net-512", (In((1, 512)),), {"axis": 1})


def _recurrent() -> Iterator[Case]:
    for op, gates, more in (("LSTM", 4, {}), ("GRU", 3, {"linear_before_reset": 1})):
        for hidden, width, steps, batch, directions in RECURRENT:
            w = Const((directions, gates * hidden, width), "thirtieth")
            r = Const((directions, gates * hidden, hidden), "thirtieth")
            b = Const((directions, 2 * gates * hidden), "thirtieth")
            attributes: dict[str, Any] = {"hidden_size": hidden, **more}
            if directions == 2:
                attributes["direction"] = "bidirectional"
            name = f"net-{hidden}-of-{width}-{steps}-steps-{batch}-batch-{directions}-way"
            yield Case(op, name, (In((steps, batch, width)), w, r, b), attributes, (True, True))


def _elementwise() -> Iterator[Case]:
    for op, attributes in UNARY.items():
        values = "positive" if op == "Sqrt" else "normal"
        yield Case(op, "net-image", (In((1, 128, 56, 56), values),), attributes)
    image, tokens = In((1, 256, 28, 28)), In((1, 197, 768))
    for op in ("Add", "Mul"):
        yield Case(op, "net-image", (image, image))
        yield Case(op, "net-channels", (image, In((1, 256, 1, 1))))
        yield Case(op, "net-tokens", (tokens, Const((768,))))
    yield Case("Add", "net-positions", (tokens, Const((1, 197, 768))))
    yield Case("Add", "net-mask", (In((1, 12, 384, 384)), In((1, 1, 1, 384))))
    yield Case("Div", "net-rows", (tokens, In((1, 197, 1), "positive")))
    yield Case("Clip", "net-relu6", (image, Literal(0.0, "float32"), Literal(6.0, "float32")))
    slopes = Const((256, 1, 1))
    yield Case("PRelu", "net-image", (image, slopes))


def _moves() -> Iterator[Case]:
    for name, (shape, perm) in {
        "heads": ((1, 384, 12, 64), [0, 2, 1, 3]),
        "keys": ((1, 12, 384, 64), [0, 1, 3, 2]),
        "to-nchw": ((1, 56, 56, 128), [0, 3, 1, 2]),
        "to-nhwc": ((1, 256, 40, 40), [0, 2, 3, 1]),
        "boxes": ((1, 84, 8400), [0, 2, 1]),
        "windows": ((1, 8, 7, 8, 7, 96), [0, 1, 3, 2, 4, 5]),
        "heads-3": ((1, 197, 3, 12, 64), [2, 0, 3, 1, 4]),
    }.items():
        yield Case("Transpose", f"net-{name}", (In(shape),), {"perm": perm})
    focus = (In((1, 3, 320, 320)), ints(0, 0), ints(320, 320), ints(2, 3), ints(2, 2))
    yield Case("Slice", "net-focus", focus)
    half = (In((1, 116, 28, 28)), ints(58), ints(116), ints(1))
    yield Case("Slice", "net-half", half)
    boxes = (In((1, 8400, 85)), ints(0), ints(4), ints(2))
    yield Case("Slice", "net-boxes", boxes)
    yield Case("Concat", "net-image", (In((1, 256, 40, 40)), In((1, 128, 40, 40))), {"axis": 1})
    levels = tuple(In((1, 84, n)) for n in (6400, 1600, 400))
    yield Case("Concat", "net-levels", levels, {"axis": 2})
    thirds = (In((1, 197, 2304)), ints(768, 768, 768))
    yield Case("Split", "net-qkv", thirds, {"axis": 2}, (True, True, True))
    yield Case("DepthToSpace", "net-upscale", (In((1, 48, 80, 80)),), {"blocksize": 4})
    yield Case("SpaceToDepth", "net-focus", (In((1, 3, 320, 320)),), {"blocksize": 2})
    yield Case("Pad", "net-image", (In((1, 64, 112, 112)), ints(0, 0, 0, 0, 0, 0, 1, 1)))
    reflect = (In((1, 32, 64, 64)), ints(0, 0, 4, 4, 0, 0, 4, 4))
    yield Case("Pad", "net-reflect", reflect, {"mode": "reflect"})
    yield Case("Tile", "net-positions", (In((1, 1, 256)), ints(1, 300, 1)))
    yield Case("Expand", "net-rows", (In((1, 256, 1, 1)), ints(1, 256, 28, 28)))
    shuffled = (In((1, 2, 58, 28, 28)),)
    yield Case("Transpose", "net-shuffle", shuffled, {"perm": [0, 2, 1, 3, 4]})


def _lookups() -> Iterator[Case]:
    tokens = In((1, 32), "bits", "int64")
    yield Case("Gather", "net-words-30522", (Const((30522, 768)), tokens))
    yield Case("Gather", "net-words-2000", (Const((2000, 256)), tokens))
    yield Case("Gather", "net-first", (In((1, 197, 768)), Literal(0.0)), {"axis": 1})
    both = (True, True)
    yield Case("TopK", "net-300-of-8400", (In((1, 8400), "normal"), ints(300)), {}, both)
    yield Case("TopK", "net-5-of-1000", (In((1, 1000), "grid"), ints(5)), {}, both)
    yield Case("ArgMax", "net-classes", (In((1, 1000), "grid"),), {"axis": 1})
    yield Case("ArgMax", "net-pixels", (In((1, 19, 128, 128)),), {"axis": 1})
    yield Case("CumSum", "net-1024", (In((1, 1024)), Literal(1.0)))
    grid = In((1, 64, 64, 2), "unit")
    yield Case("GridSample", "net-64", (In((1, 32, 64, 64)), grid))


def _reductions() -> Iterator[Case]:
    for op in ("ReduceMean", "ReduceMax", "ReduceSum"):
        yield Case(op, "net-49", (In((1, 2048, 49)), ints(2)), {"keepdims": 0})
        yield Case(op, "net-channels", (In((1, 256, 28, 28)), ints(1)))
    yield Case("ReduceMean", "net-image", (In((1, 1280, 7, 7)), ints(2, 3)))
    yield Case("ReduceMean", "net-tokens", (In((1, 197, 768)), ints(1)), {"keepdims": 0})
    yield Case("ReduceMean", "net-rows", (In((1, 384, 1024)), ints(2)))
    yield Case("ReduceL2", "net-512", (In((1, 512)), ints(1)))


def _resizes() -> Iterator[Case]:
    x = In((1, 256, 40, 40))
    twice = floats(1.0, 1.0, 2.0, 2.0)
    near = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    yield Case("Resize", "net-nearest-2x", (x, None, twice), near)
    yield Case("Resize", "net-nearest-2x-80", (In((1, 256, 80, 80)), None, twice), near)
    yield Case("Resize", "net-linear-2x", (x, None, twice), {"mode": "linear"})
    corners = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    large = (In((1, 19, 64, 64)), None, None, ints(1, 19, 256, 256))
    yield Case("Resize", "net-linear-4x-classes", large, corners)
