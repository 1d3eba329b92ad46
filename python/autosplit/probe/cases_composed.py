"""One-op models of ops and forms that are written out: the tool chain has no op for them, or no right one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autosplit.probe.case import (
    OPSET,
    Case,
    Const,
    In,
    Literal,
    Operand,
    Shape,
    floats,
    ints,
    scalar,
)

FUNCTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "Acosh": {"above-one": {}},
    "Asin": {"unit": {}},
    "Asinh": {"normal": {}, "hundred": {}},
    "Celu": {"normal": {}, "wide": {"alpha": 0.5}},
    "Selu": {"normal": {}, "wide": {"alpha": 1.5, "gamma": 0.7}},
    "Shrink": {"normal": {}, "wide": {"lambd": 2.5, "bias": 1.5}},
    "Swish": {"normal": {}, "wide": {"alpha": 1.5}},
    "ThresholdedRelu": {"normal": {}, "wide": {"alpha": 4.0}},
}
"""By op type: what operands are drawn from, and the attributes with them."""

OPSETS = {"RMSNormalization": 23, "Swish": 24}
"""The ops that the canonical opset does not have yet."""

GRIDS: dict[str, tuple[Shape, Operand, dict[str, Any]]] = {
    "edges": ((2, 3, 8, 9), In((2, 5, 6, 2), "near-one"), {}),
    "constant": ((2, 3, 8, 9), Const((2, 5, 6, 2), "near-one"), {"align_corners": 1}),
    "picture": ((1, 3, 32, 100), In((1, 16, 50, 2), "unit"), {"align_corners": 1}),
    "channels": ((1, 130, 9, 11), In((1, 9, 11, 2)), {"padding_mode": "border"}),
    "large": ((1, 4, 90, 90), In((1, 90, 90, 2), "unit"), {}),
    "cubic": ((2, 3, 8, 9), In((2, 5, 6, 2), "unit"), {"mode": "cubic"}),
    "volume": ((1, 3, 4, 5, 6), In((1, 2, 3, 4, 3), "unit"), {}),
}
"""The picture, the grid, the attributes."""

TAKEN: dict[str, tuple[Shape, Shape, int]] = {
    "axis1": ((5, 9), (5, 2), 1),
    "axis0": ((3, 7, 6), (2, 7, 6), 0),
    "last": ((2, 70, 6), (2, 70, 3), -1),
}
"""Of GatherElements: what is gathered from, the computed positions, the axis."""


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _functions()
    yield from _reduced()
    yield from _pools()
    yield from _arithmetic()
    yield from _einsum()
    yield from _convolutions()
    yield from _resize()
    yield from _gather()
    yield from _scatter()
    yield from _search()
    yield from _grids()
    yield from _regions()


def _functions() -> Iterator[Case]:
    for op, ranges in FUNCTIONS.items():
        opset = OPSETS.get(op, OPSET)
        for i, (values, attributes) in enumerate(ranges.items()):
            if i:
                yield Case(op, values, (In((1, 5, 9, 33), values),), attributes, opset=opset)
                continue
            for name, shape in {
                "1d": (37,),
                "image": (1, 3, 17, 19),
                "channels": (2, 70, 7, 5),
                "6d": (2, 2, 3, 2, 2, 3),
                "tall": (1, 4, 600, 250),
            }.items():
                yield Case(op, name, (In(shape, values),), attributes, opset=opset)
            x = In((1, 3, 17, 19), values)
            yield Case(op, "shared", (x,), attributes, shared=True, opset=opset)
    for name, dtype in {"f32-bool": "bool", "f32-i64": "int64", "f32-f32": "float32"}.items():
        like = Const((1,), "bits", dtype)
        after = "Relu" if dtype == "float32" else ""
        yield Case("CastLike", name, (In((2, 3, 4, 5), "halves"), like), after=after)


def _reduced() -> Iterator[Case]:
    for op in ("ReduceLogSum", "ReduceSumSquare"):
        x = In((2, 70, 6, 5), "positive")
        yield Case(op, "image", (x, ints(2, 3)))
        yield Case(op, "split", (x, ints(1, 3)))
        yield Case(op, "image-flat", (x, ints(2, 3)), {"keepdims": 0})
        yield Case(op, "2d-flat", (In((5, 67), "positive"), ints(1)), {"keepdims": 0})
        yield Case(op, "no-axes", (In((2, 3, 4, 5), "positive"),))
    x = In((2, 7, 6, 5))
    for p in (1, 2):
        yield Case("GlobalLpPool", f"p{p}", (x,), {"p": p})
        yield Case("LpNormalization", f"p{p}-channels", (In((2, 70, 5)),), {"p": p, "axis": 1})
        yield Case(
            "LpNormalization", f"p{p}-rows", (In((1, 1021, 5), "positive"),), {"p": p, "axis": 1}
        )
        yield Case("LpNormalization", f"p{p}-last", (In((5, 67)),), {"p": p})
    yield Case("GlobalLpPool", "p3", (x,), {"p": 3})
    yield Case("MeanVarianceNormalization", "default", (x,))
    yield Case("MeanVarianceNormalization", "channels", (In((2, 70, 6, 5)),), {"axes": [2, 3]})
    yield Case("MeanVarianceNormalization", "last", (In((3, 5, 67)),), {"axes": [-1]})
    opset = OPSETS["RMSNormalization"]
    for name, shape, axis in (("3d", (2, 9, 64), -1), ("2d", (5, 70), 1), ("4d", (2, 3, 5, 9), 2)):
        operands = (In(shape), Const(shape[axis:]))
        yield Case("RMSNormalization", name, operands, {"axis": axis}, opset=opset)


def _pools() -> Iterator[Case]:
    counted = {"count_include_pad": 1}
    volume = {"kernel_shape": [3, 3, 3], "strides": [2, 2, 2], "pads": [1] * 6}
    x = In((1, 5, 6, 7, 8))
    yield Case("AveragePool", "3d-pads", (x,), volume)
    yield Case("AveragePool", "3d-pads-counted", (x,), volume | counted)
    yield Case("AveragePool", "3d-ceil", (x,), volume | {"ceil_mode": 1})
    yield Case("AveragePool", "3d-shared", (x,), {"kernel_shape": [1, 1, 1]}, shared=True)
    apart: dict[str, dict[str, Any]] = {
        "pads": {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [2, 1, 1, 1]},
        "ceil": {"kernel_shape": [3, 3], "dilations": [2, 2], "pads": [1] * 4, "ceil_mode": 1},
    }
    for name, attributes in apart.items():
        strides = {"strides": [2, 2]}
        for op in ("MaxPool", "AveragePool"):
            x = In((1, 70, 15, 16), "grid")
            yield Case(op, f"dilated-{name}", (x,), attributes | strides)
        yield Case("AveragePool", f"dilated-{name}-counted", (x,), attributes | strides | counted)
    yield Case("MaxPool", "1d-dilated", (In((2, 5, 33)),), {"kernel_shape": [3], "dilations": [4]})
    for p in (1, 2):
        how = {"p": p, "kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
        yield Case("LpPool", f"p{p}", (In((2, 7, 6, 5)),), how)
    yield Case("LpPool", "p3", (In((2, 7, 6, 5)),), {"p": 3, "kernel_shape": [2, 2]})


def _arithmetic() -> Iterator[Case]:
    x = In((2, 3, 4, 5))
    yield Case("Mean", "one", (In((2, 3, 4, 5)),), after="Relu")
    yield Case("Mean", "two", (x, x))
    yield Case("Mean", "three-broadcast", (x, In((3, 1, 1)), In((1, 1, 4, 5))))
    yield Case("Mean", "constant", (x, scalar(0.5), Const((5,))))
    for divisor in (1.0, 2.0, 0.25, -4.0):
        operands = (In((2, 3, 4, 5), "wide"), scalar(divisor))
        yield Case("Mod", f"fmod-by-{divisor:g}", operands, {"fmod": 1})
    yield Case(
        "Mod", "fmod-ranks", (In((4, 5), "halves"), Literal(((2.0,),), "float32")), {"fmod": 1}
    )
    for base in (10.0, 0.5):
        yield Case("Pow", f"base-{base:g}", (scalar(base), In((1, 5, 9, 33))))
    yield Case("Pow", "base-negative", (scalar(-2.0), In((2, 3), "few")))


def _einsum() -> Iterator[Case]:
    for equation, shapes in {
        "abc,bac->ab": ((2, 3, 4), (3, 2, 4)),
        "abcd,abcd->ab": ((2, 3, 4, 5), (2, 3, 4, 5)),
        "abc,abc->a": ((2, 3, 4), (2, 3, 4)),
        "abc,cba->b": ((2, 3, 4), (4, 3, 2)),
    }.items():
        name = equation.replace(",", " ").replace("->", " to ")
        yield Case("Einsum", name, tuple(In(s) for s in shapes), {"equation": equation})


def _convolutions() -> Iterator[Case]:
    x = In((1, 8, 9, 9))
    computed: dict[str, tuple[tuple[Operand, ...], dict[str, Any]]] = {
        "bias": ((x, In((5, 8, 3, 3)), In((5,))), {"pads": [1, 1, 0, 1], "strides": [2, 1]}),
        "1x1": ((In((2, 70, 7, 9)), In((6, 70, 1, 1)), Const((6,))), {}),
        "correlation": ((In((1, 16, 22, 22)), In((16, 1, 5, 5))), {"group": 16}),
        "groups": ((In((2, 6, 9, 9)), In((9, 2, 3, 3))), {"group": 3, "dilations": [2, 1]}),
        "1d": ((In((2, 5, 33)), In((7, 5, 3))), {"pads": [1, 1]}),
        "same": ((x, In((5, 8, 3, 3))), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        "large": ((In((1, 2, 20, 20)), In((3, 2, 9, 9))), {}),
    }
    for name, (operands, attributes) in computed.items():
        yield Case("Conv", f"computed-{name}", operands, attributes)
    yield Case("Conv", "bias-computed", (x, Const((5, 8, 3, 3)), In((5,))))
    for auto in ("SAME_UPPER", "SAME_LOWER"):
        operands = (In((1, 4, 6, 5)), Const((4, 3, 4, 4)), Const((3,)))
        name = auto.lower().replace("_", "-")
        attributes: dict[str, Any] = {"auto_pad": auto, "strides": [1, 2]}
        yield Case("ConvTranspose", f"{name}-4x4", operands, attributes)
    operands = (In((1, 4, 6, 5)), Const((4, 3, 2, 2)), Const((3,)))
    yield Case(
        "ConvTranspose", "same-upper-gaps", operands, {"auto_pad": "SAME_UPPER", "strides": [3, 3]}
    )


def _resize() -> Iterator[Case]:
    x = In((1, 4, 17, 19))
    for mode in ("linear", "cubic"):
        how = {"mode": mode, "antialias": 1}
        corners = {"coordinate_transformation_mode": "align_corners"}
        yield Case("Resize", f"antialias-{mode}", (x, None, None, ints(1, 4, 7, 5)), how)
        yield Case("Resize", f"antialias-{mode}-scales", (x, None, floats(1, 1, 0.5, 0.6)), how)
        yield Case("Resize", f"antialias-{mode}-both", (x, None, None, ints(1, 4, 34, 5)), how)
        yield Case(
            "Resize", f"antialias-{mode}-corners", (x, None, None, ints(1, 4, 9, 5)), how | corners
        )
    how = {"mode": "cubic", "antialias": 1, "exclude_outside": 1}
    yield Case("Resize", "antialias-cubic-inside", (x, None, None, ints(1, 4, 7, 5)), how)
    for name, (size, wanted) in {"5-to-4": (5, 4), "4-to-6": (4, 6), "7-to-3": (7, 3)}.items():
        for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
            how = {
                "coordinate_transformation_mode": "half_pixel_symmetric",
                "nearest_mode": rounding,
            }
            operands = (In((1, 2, size, size), "grid"), None, None, ints(1, 2, wanted, wanted))
            yield Case("Resize", f"nearest-symmetric-{rounding}-{name}", operands, how)


def _gather() -> Iterator[Case]:
    x = In((3, 7, 6))
    yield Case("Gather", "computed-axis1", (x, In((4,), "back", "int64")), {"axis": 1})
    yield Case("Gather", "computed-matrix", (x, In((4, 2), "back", "int64")), {"axis": 2})
    many = In((600,), "bits", "int64")
    yield Case("Gather", "computed-large", (Const((30000, 4)), many))
    for name, (shape, positions, axis) in TAKEN.items():
        operands = (In(shape), In(positions, "back", "int64"))
        yield Case("GatherElements", f"computed-{name}", operands, {"axis": axis})
    yield Case("GatherND", "computed", (x, In((5, 2), "back", "int64")))
    yield Case("GatherND", "computed-elements", (x, In((2, 5, 3), "back", "int64")))
    yield Case(
        "GatherND",
        "computed-batch",
        (In((2, 7, 6)), In((2, 5, 1), "back", "int64")),
        {"batch_dims": 1},
    )
    table = Const((4200, 1), "bits", "int64")
    yield Case("GatherElements", "many", (In((4200, 1)), table), {"axis": 0})
    sequence = In((6, 3, 5))
    yield Case("ReverseSequence", "whole", (sequence, ints(6, 6, 6)))
    yield Case("ReverseSequence", "lengths", (sequence, ints(1, 6, 4)))
    yield Case(
        "ReverseSequence",
        "batch-first",
        (In((3, 6, 2, 2)), ints(1, 6, 4)),
        {"time_axis": 1, "batch_axis": 0},
    )


def _scatter() -> Iterator[Case]:
    x = In((5, 9))
    rows, index = Literal(((0,), (3,), (0,))), Literal(((0, 8), (3, 1), (2, 2), (7, 0), (4, 5)))
    for how in ("add", "mul", "max", "min"):
        operands: tuple[Operand, ...] = (x, rows, In((3, 9)))
        yield Case("ScatterND", f"{how}-twice", operands, {"reduction": how})
        if how != "add":
            operands = (x, index, In((5, 2)))
            yield Case("ScatterElements", how, operands, {"axis": 1, "reduction": how})
    often = Literal(((0,),) * 9)
    yield Case("ScatterND", "add-often", (x, often, In((9, 9))), {"reduction": "add"})
    yield Case("ScatterND", "computed", (x, In((2, 1), "bits", "int64"), In((2, 9))))


def _search() -> Iterator[Case]:
    both = (True, True)
    for count in (1, 8):
        for largest in (1, 0):
            name = f"few-{count}-{'largest' if largest else 'smallest'}"
            operands = (In((3, 67), "grid"), ints(count))
            yield Case("TopK", name, operands, {"largest": largest}, both)
    yield Case("TopK", "few-ties", (In((2, 9, 4, 5), "few"), ints(4)), {"axis": 1}, both)
    yield Case("TopK", "few-values", (In((2, 9, 37)), ints(2)), {"axis": 1}, (True, False))
    yield Case("TopK", "few-classes", (In((1, 1000), "grid"), ints(5)), {}, both)
    yield Case("TopK", "few-1d", (In((37,), "grid"), ints(3)), {}, both)
    for axis in (-1, 1, 0):
        yield Case("Hardmax", f"axis{axis}", (In((2, 9, 5), "few"),), {"axis": axis})
    yield Case("Hardmax", "classes", (In((2, 1000), "grid"),))


def _grids() -> Iterator[Case]:
    for mode in ("linear", "nearest"):
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
                operands = (In((2, 3, 8, 9)), In((2, 5, 6, 2), "unit"))
                yield Case("GridSample", f"{mode}-{padding}-{corners}", operands, attributes)
                operands = (In((1, 70, 8, 9)), In((1, 7, 6, 2)))
                yield Case("GridSample", f"{mode}-{padding}-{corners}-beyond", operands, attributes)
    for name, (shape, grid, attributes) in GRIDS.items():
        yield Case("GridSample", name, (In(shape), grid), attributes)
    for padding in ("zeros", "border", "reflection"):
        for corners in (0, 1):
            attributes = {"mode": "nearest", "padding_mode": padding, "align_corners": corners}
            operands = (In((2, 3, 8, 9)), In((2, 5, 6, 2), "halves"))
            yield Case("GridSample", f"ties-{padding}-{corners}", operands, attributes)
    for corners in (0, 1):
        how = {"align_corners": corners}
        yield Case("AffineGrid", f"image-{corners}", (In((2, 2, 3)), ints(2, 3, 8, 9)), how)
        yield Case("AffineGrid", f"volume-{corners}", (In((1, 3, 4)), ints(1, 3, 4, 5, 6)), how)


def _regions() -> Iterator[Case]:
    how: dict[str, Any] = {"output_height": 3, "output_width": 4, "sampling_ratio": 2}
    rois, which = Const((3, 4), "probability"), ints(0, 1, 0)
    x = In((2, 5, 12, 11))
    for transform in ("half_pixel", "output_half_pixel"):
        attributes = how | {"coordinate_transformation_mode": transform, "spatial_scale": 10.0}
        yield Case("RoiAlign", f"avg-{transform}", (x, rois, which), attributes)
        computed = (x, In((3, 4), "probability"), In((3,), "bits", "int64"))
        yield Case("RoiAlign", f"avg-{transform}-computed", computed, attributes)
    one = (In((1, 16, 12, 17)), In((20, 4), "hundred"), Literal((0,) * 20))
    yield Case("RoiAlign", "boxes", one, how | {"spatial_scale": 0.125})
    whole = (In((1, 3, 64, 64)), In((6, 4), "probability"), Literal((0,) * 6))
    yield Case("RoiAlign", "picture", whole, how | {"spatial_scale": 64.0})
    yield Case("RoiAlign", "max", (x, rois, which), how | {"mode": "max"})
    yield Case("RoiAlign", "adaptive", (x, rois, which), how | {"sampling_ratio": 0})
