"""One-op models of the ops that move elements, reduce, or find positions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from autosplit.probe.case import Case, Const, In, Literal, Operand, Shape, ints, scalar, show

REDUCTIONS = {
    "ReduceL1": "normal",
    "ReduceL2": "normal",
    "ReduceLogSumExp": "normal",
    "ReduceMax": "grid",
    "ReduceMean": "positive",
    "ReduceMin": "grid",
    "ReduceProd": "near-one",
    "ReduceSum": "normal",
}
"""By op type what operands are drawn from."""

REDUCED: dict[str, tuple[Shape, tuple[int, ...]]] = {
    "image": ((2, 70, 6, 5), (2, 3)),
    "channels": ((2, 70, 6, 5), (1,)),
    "last": ((2, 7, 6, 5), (-1,)),
    "height": ((2, 7, 6, 5), (2,)),
    "batch": ((4, 7, 6, 5), (0,)),
    "all": ((2, 3, 4, 5), (0, 1, 2, 3)),
    "split": ((2, 7, 6, 5), (1, 3)),
    "outer": ((2, 7, 6, 5), (0, 2)),
    "front": ((2, 7, 6, 5), (0, 1)),
    "1d": ((37,), (0,)),
    "2d": ((5, 67), (1,)),
    "2d-first": ((5, 67), (0,)),
    "3d": ((3, 7, 33), (1,)),
    "5d": ((2, 3, 4, 5, 6), (2, 3, 4)),
    "5d-middle": ((2, 3, 4, 5, 6), (1, 3)),
    "6d": ((2, 2, 3, 2, 2, 3), (3, 5)),
    "long": ((1, 3, 40, 300), (2, 3)),
    "one": ((3, 1, 4, 1), (1, 3)),
    "tall": ((1, 1024, 16, 3), (1, 2)),
    "tall-batch": ((2, 128, 130, 2), (1, 2)),
    "tall-row": ((1, 4, 200, 250), (2, 3)),
    "rows": ((1, 1021, 5), (1,)),
}

FLAT = ("image", "channels", "last", "batch", "split", "2d", "5d", "6d")
"""Those that are probed without the reduced dimensions too."""

UNCOMMON = ("height", "outer", "front", "2d-first", "3d", "5d-middle", "one")
"""Those that are probed of some reductions only."""

MANY = ("tall", "tall-batch", "tall-row", "rows")
"""Those that are not probed of products."""

SLICES: dict[str, tuple[Shape, tuple[tuple[int, ...], ...]]] = {
    "channels": ((2, 70, 6, 5), ((1,), (67,), (1,))),
    "step": ((2, 7, 6, 9), ((0, 1), (6, 9), (2, 3), (2, 3))),
    "channel-step": ((1, 70, 6, 5), ((1,), (70,), (1,), (2,))),
    "negative": ((2, 7, 6, 9), ((-5,), (-1,), (3,))),
    "to-the-end": ((2, 7, 6, 9), ((2,), (2**31 - 1,), (2,))),
    "past-the-end": ((2, 7, 6, 9), ((2,), (1000,), (3,))),
    "all-axes": ((2, 7, 6, 9), ((0, 1, 2, 3), (1, 5, 6, 8))),
    "batch": ((5, 3, 4, 4), ((1,), (4,), (0,))),
    "batch-step": ((5, 3, 4, 4), ((0,), (5,), (0,), (2,))),
    "1d": ((37,), ((3,), (30,), (0,))),
    "1d-step": ((37,), ((3,), (30,), (0,), (4,))),
    "2d": ((5, 67), ((1, 2), (4, 60), (0, 1))),
    "3d": ((2, 5, 33), ((1,), (4,), (-2,))),
    "5d": ((2, 3, 4, 5, 6), ((1, 1), (3, 5), (2, 4))),
    "6d": ((2, 2, 3, 2, 2, 3), ((1, 0), (3, 2), (2, 5))),
    "one": ((2, 7, 6, 9), ((3,), (4,), (1,))),
    "backwards": ((2, 7, 6, 9), ((5,), (-7,), (2,), (-1,))),
    "focus": ((1, 3, 32, 32), ((0, 1), (2**31 - 1, 2**31 - 1), (2, 3), (2, 2))),
}

PERMUTED: dict[str, tuple[Shape, tuple[int, ...]]] = {
    "5d": ((2, 3, 4, 5, 6), (0, 2, 1, 4, 3)),
    "5d-front": ((2, 3, 4, 5, 6), (4, 0, 1, 2, 3)),
    "5d-back": ((2, 3, 4, 5, 6), (0, 3, 4, 1, 2)),
    "5d-reversed": ((2, 3, 4, 5, 6), (4, 3, 2, 1, 0)),
    "shuffle": ((1, 2, 35, 6, 5), (0, 2, 1, 3, 4)),
    "6d": ((2, 2, 3, 2, 2, 3), (0, 1, 4, 2, 5, 3)),
    "6d-windows": ((1, 2, 7, 2, 7, 8), (0, 1, 3, 2, 4, 5)),
    "6d-reversed": ((2, 2, 3, 2, 2, 3), (5, 4, 3, 2, 1, 0)),
    "heads": ((1, 64, 12, 16), (0, 2, 1, 3)),
    "nhwc": ((1, 70, 33, 9), (0, 2, 3, 1)),
    "nchw": ((1, 33, 9, 70), (0, 3, 1, 2)),
    "tall": ((1, 4, 600, 250), (0, 1, 3, 2)),
    "2d": ((37, 70), (1, 0)),
}


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _reductions()
    yield from _positions()
    yield from _concat()
    yield from _split()
    for name, (shape, arguments) in SLICES.items():
        yield Case("Slice", name, (In(shape), *(ints(*a) for a in arguments)))
    yield from _pad()
    yield from _repeat()
    yield from _transpose()
    yield from _reshape()
    yield from _gather()
    yield from _scatter()
    yield from _triangles()


def _reductions() -> Iterator[Case]:
    for op, values in REDUCTIONS.items():
        for name, (shape, axes) in REDUCED.items():
            if op not in ("ReduceL2", "ReduceMax", "ReduceMean") and name in UNCOMMON:
                continue
            # Products of many numbers leave the range of f32.
            if op == "ReduceProd" and name in MANY:
                continue
            if op == "ReduceProd" and name in ("long", "channels"):
                shape = (shape[0], 5, 3, 4)
            yield Case(op, name, (In(shape, values), ints(*axes)))
            if len(axes) < len(shape) and name in FLAT:
                yield Case(op, f"{name}-flat", (In(shape, values), ints(*axes)), {"keepdims": 0})
        yield Case(op, "no-axes", (In((2, 3, 4, 5), values),))


def _positions() -> Iterator[Case]:
    for op in ("ArgMax", "ArgMin"):
        for axis in range(4):
            x = In((2, 70, 3, 4), "grid")
            yield Case(op, f"axis{axis}", (x,), {"axis": axis})
            yield Case(op, f"axis{axis}-flat", (x,), {"axis": axis, "keepdims": 0})
        for last in (0, 1):
            attributes = {"axis": 1, "select_last_index": last}
            yield Case(op, f"ties-{last}", (In((2, 9, 5, 4), "few"),), attributes)
            yield Case(
                op, f"ties-last-axis-{last}", (In((2, 9, 37), "few"),), {**attributes, "axis": -1}
            )
        yield Case(op, "1d", (In((37,), "grid"),))
        yield Case(op, "2d", (In((5, 67), "grid"),), {"axis": -1})
        yield Case(op, "2d-axis0", (In((67, 5), "grid"),), {"axis": 0, "keepdims": 0})
        yield Case(op, "5d", (In((2, 3, 4, 5, 6), "grid"),), {"axis": 3})
        yield Case(op, "5d-axis0", (In((2, 3, 4, 5, 6), "grid"),), {"axis": 0})
        yield Case(op, "classes", (In((1, 1000), "grid"),), {"axis": 1})
        yield Case(op, "segmentation", (In((1, 21, 9, 9), "grid"),), {"axis": 1, "keepdims": 0})
    for dynamic in (False, True):
        for axis, k, shape in (
            (-1, 5, (3, 67)),
            (1, 3, (2, 9, 4, 5)),
            (-1, 100, (1, 1000)),
            (0, 4, (37,)),
        ):
            for largest in (1, 0):
                name = f"axis{axis}-{k}-{'largest' if largest else 'smallest'}"
                yield Case(
                    "TopK",
                    name + ("-dynamic" if dynamic else ""),
                    (In(shape, "grid"), ints(k)),
                    {"axis": axis, "largest": largest},
                    (True, True),
                    dynamic=dynamic,
                )
    for axis, shape in (
        (0, (37,)),
        (1, (5, 67)),
        (0, (5, 67)),
        (1, (2, 7, 6, 5)),
        (-1, (2, 7, 6, 5)),
        (2, (2, 3, 33)),
    ):
        yield Case("CumSum", f"axis{axis}-{show(shape)}", (In(shape), Literal(axis)))
    for attribute in ("exclusive", "reverse"):
        yield Case("CumSum", attribute, (In((5, 33)), Literal(1)), {attribute: 1})


def _concat() -> Iterator[Case]:
    for axis in (0, 1, 2, 3, -1):
        shapes = [[2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5]]
        for i, shape in enumerate(shapes):
            shape[axis] = (3, 1, 6)[i]
        yield Case("Concat", f"axis{axis}", tuple(In(tuple(s)) for s in shapes), {"axis": axis})
    channels = (In((1, 70, 9, 7)), In((1, 3, 9, 7)))
    yield Case("Concat", "channels", channels, {"axis": 1})
    yield Case("Concat", "constant", (In((1, 3, 9, 7)), Const((1, 5, 9, 7))), {"axis": 1})
    yield Case("Concat", "constant-first", (Const((1, 5, 9, 7)), In((1, 3, 9, 7))), {"axis": 1})
    yield Case("Concat", "token", (Const((1, 1, 64)), In((1, 49, 64))), {"axis": 1})
    yield Case("Concat", "one", (In((1, 3, 9, 7)),), {"axis": 1})
    yield Case("Concat", "twenty", tuple(In((1, 3, 5, 4)) for _ in range(20)), {"axis": 1})
    yield Case("Concat", "1d", (In((9,)), In((70,))), {"axis": 0})
    yield Case("Concat", "2d", (In((5, 9)), In((5, 70))), {"axis": 1})
    yield Case("Concat", "3d", (In((2, 9, 4)), In((2, 3, 4))), {"axis": 1})
    yield Case("Concat", "5d", (In((2, 3, 4, 5, 6)), In((2, 3, 1, 5, 6))), {"axis": 2})
    yield Case("Concat", "6d", (In((2, 2, 3, 2, 2, 3)), In((2, 2, 3, 2, 1, 3))), {"axis": 4})
    yield Case(
        "Concat", "anchors", (In((1, 1083, 4)), In((1, 600, 4)), In((1, 150, 4))), {"axis": 1}
    )
    yield Case("Concat", "tall", (In((1, 4, 300, 250)), In((1, 4, 300, 250))), {"axis": 2})


def _split() -> Iterator[Case]:
    x = In((4, 6, 8, 10))
    for axis in (0, 1, 2, 3, -1):
        sizes = {0: (1, 3), 1: (1, 2, 3), 2: (5, 3), 3: (4, 6), -1: (9, 1)}[axis]
        yield Case("Split", f"axis{axis}", (x, ints(*sizes)), {"axis": axis}, (True,) * len(sizes))
    yield Case("Split", "equal", (x,), {"axis": 1, "num_outputs": 3}, (True,) * 3)
    yield Case("Split", "uneven", (x,), {"axis": 3, "num_outputs": 4}, (True,) * 4)
    yield Case("Split", "one-unused", (x, ints(1, 2, 3)), {"axis": 1}, (True, False, True))
    yield Case("Split", "one", (x,), {"axis": 1, "num_outputs": 1})
    yield Case(
        "Split", "channels", (In((1, 140, 5, 7)),), {"axis": 1, "num_outputs": 2}, (True,) * 2
    )
    yield Case("Split", "1d", (In((37,)), ints(30, 7)), {"axis": 0}, (True,) * 2)
    yield Case("Split", "2d", (In((5, 66)), ints(60, 6)), {"axis": 1}, (True,) * 2)
    yield Case("Split", "heads", (In((2, 49, 96)),), {"axis": 2, "num_outputs": 3}, (True,) * 3)
    yield Case("Split", "5d", (In((3, 2, 4, 5, 6)),), {"axis": 0, "num_outputs": 3}, (True,) * 3)
    yield Case("Split", "ten", (In((1, 10, 5, 7)),), {"axis": 1, "num_outputs": 10}, (True,) * 10)


def _pad() -> Iterator[Case]:
    x = In((2, 3, 7, 9))
    for mode in ("constant", "reflect", "edge", "wrap"):
        attributes: dict[str, Any] = {"mode": mode}
        yield Case("Pad", f"{mode}-image", (x, ints(0, 0, 1, 2, 0, 0, 2, 1)), attributes)
        yield Case("Pad", f"{mode}-width", (x, ints(0, 0, 0, 3, 0, 0, 0, 0)), attributes)
        yield Case("Pad", f"{mode}-height", (x, ints(0, 0, 0, 0, 0, 0, 3, 0)), attributes)
        yield Case("Pad", f"{mode}-channels", (x, ints(0, 1, 0, 0, 0, 2, 0, 0)), attributes)
        yield Case("Pad", f"{mode}-batch", (x, ints(1, 0, 0, 0, 1, 0, 0, 0)), attributes)
        yield Case("Pad", f"{mode}-1d", (In((37,)), ints(2, 3)), attributes)
        yield Case("Pad", f"{mode}-2d", (In((5, 33)), ints(1, 2, 2, 3)), attributes)
        yield Case("Pad", f"{mode}-3d", (In((2, 5, 33)), ints(0, 1, 2, 0, 2, 3)), attributes)
        yield Case(
            "Pad",
            f"{mode}-5d",
            (In((2, 3, 4, 5, 6)), ints(0, 0, 0, 1, 2, 0, 0, 0, 2, 1)),
            attributes,
        )
        yield Case(
            "Pad",
            f"{mode}-5d-third",
            (In((2, 3, 4, 5, 6)), ints(0, 0, 1, 0, 0, 0, 0, 2, 0, 0)),
            attributes,
        )
        yield Case("Pad", f"{mode}-axes", (x, ints(1, 2, 3, 1), None, ints(2, -1)), attributes)
        yield Case(
            "Pad",
            f"{mode}-many-channels",
            (In((1, 70, 9, 9)), ints(0, 0, 1, 1, 0, 0, 1, 1)),
            attributes,
        )
    value = (x, ints(0, 1, 1, 2, 0, 0, 2, 1), scalar(-1.5))
    yield Case("Pad", "value", value)
    yield Case("Pad", "value-width", (x, ints(0, 0, 0, 2, 0, 0, 0, 1), scalar(2.5)))
    yield Case("Pad", "infinite", (x, ints(0, 0, 1, 1, 0, 0, 1, 1), scalar(-3.0e38)))
    yield Case("Pad", "nothing", (x, ints(0, 0, 0, 0, 0, 0, 0, 0)))
    yield Case("Pad", "crop", (x, ints(0, 0, -1, 0, 0, 0, -2, 0)))


def _repeat() -> Iterator[Case]:
    tiles: dict[str, tuple[Shape, tuple[int, ...]]] = {
        "width": ((2, 3, 4, 5), (1, 1, 1, 3)),
        "channels": ((2, 3, 4, 5), (1, 4, 1, 1)),
        "batch": ((2, 3, 4, 5), (3, 1, 1, 1)),
        "two-axes": ((2, 3, 4, 5), (1, 2, 1, 3)),
        "all": ((2, 3, 4, 5), (2, 2, 2, 2)),
        "none": ((2, 3, 4, 5), (1, 1, 1, 1)),
        "many-channels": ((1, 70, 3, 5), (1, 2, 1, 1)),
        "1d": ((37,), (3,)),
        "2d": ((5, 33), (3, 2)),
        "3d": ((2, 5, 33), (1, 3, 1)),
        "5d": ((2, 3, 4, 5, 6), (1, 2, 1, 2, 1)),
        "6d": ((2, 2, 3, 2, 2, 3), (1, 1, 2, 1, 1, 1)),
    }
    for name, (shape, repeats) in tiles.items():
        yield Case("Tile", name, (In(shape), ints(*repeats)))
    expanded: dict[str, tuple[Shape, tuple[int, ...]]] = {
        "image": ((2, 3, 1, 1), (2, 3, 4, 5)),
        "channels": ((2, 1, 4, 5), (2, 7, 4, 5)),
        "batch": ((1, 3, 4, 5), (4, 3, 4, 5)),
        "two-way": ((2, 1, 4, 1), (2, 3, 4, 5)),
        "ones": ((2, 3, 4, 5), (1, 1, 1, 1)),
        "rank": ((3, 1), (2, 3, 4)),
        "rank-5": ((4, 5), (2, 2, 3, 4, 5)),
        "1d": ((1,), (37,)),
        "one": ((1, 1, 1, 1), (2, 3, 4, 5)),
        "2d": ((5, 1), (5, 33)),
        "5d": ((2, 3, 1, 5, 1), (2, 3, 4, 5, 6)),
        "key-heads": ((1, 2, 1, 9, 16), (1, 2, 4, 9, 16)),
        "same": ((2, 3, 4, 5), (2, 3, 4, 5)),
    }
    for name, (shape, result) in expanded.items():
        yield Case("Expand", name, (In(shape), ints(*result)))


def _transpose() -> Iterator[Case]:
    for rank, shape in ((3, (5, 70, 9)), (4, (2, 5, 7, 9))):
        for perm in permutations(range(rank)):
            name = "".join(map(str, perm))
            yield Case("Transpose", name, (In(shape),), {"perm": list(perm)})
    for name, (shape, perm) in PERMUTED.items():
        yield Case("Transpose", name, (In(shape),), {"perm": list(perm)})
    yield Case("Transpose", "default", (In((3, 4, 5)),))
    yield Case("Transpose", "1d", (In((9,)),), {"perm": [0]})
    yield Case("Transpose", "7d", (In((2, 1, 3, 2, 2, 1, 3)),), {"perm": [0, 2, 1, 4, 3, 6, 5]})


def _reshape() -> Iterator[Case]:
    shapes: dict[str, tuple[Shape, tuple[int, ...]]] = {
        "flat": ((2, 3, 4, 5), (2, -1)),
        "all": ((2, 3, 4, 5), (-1,)),
        "copy": ((2, 70, 4, 5), (0, 0, -1)),
        "heads": ((1, 49, 96), (1, 49, 3, 32)),
        "split-channels": ((1, 70, 4, 5), (1, 2, 35, 4, 5)),
        "join-channels": ((1, 2, 35, 4, 5), (1, 70, 4, 5)),
        "odd": ((3, 7, 5), (5, 21)),
        "1d": ((36,), (4, 9)),
        "6d": ((1, 14, 14, 8), (1, 2, 7, 2, 7, 8)),
        "8d": ((4, 6, 4), (2, 2, 3, 2, 2, 2, 1, 1)),
        "anchors": ((1, 19, 19, 12), (1, 1083, 4)),
        "same": ((2, 3, 4, 5), (2, 3, 4, 5)),
    }
    for name, (shape, result) in shapes.items():
        yield Case("Reshape", name, (In(shape), ints(*result)))
    for axes, shape in (
        ((0,), (1, 3, 4)),
        ((1, 3), (2, 1, 3, 1)),
        ((-1,), (2, 3, 1)),
        ((2, 3), (2, 5, 1, 1)),
    ):
        yield Case("Squeeze", "-".join(map(str, axes)), (In(shape), ints(*axes)))
    yield Case("Squeeze", "all", (In((1, 3, 1, 4)),))
    yield Case("Squeeze", "6d", (In((1, 2, 3, 1, 2, 3)), ints(0, 3)))
    for axes, shape in (
        ((0,), (3, 4)),
        ((1, 3), (2, 3)),
        ((-1,), (2, 3)),
        ((0,), (37,)),
        ((2,), (2, 3, 4, 5, 6)),
    ):
        name = "-".join(map(str, axes))
        yield Case("Unsqueeze", f"{name}-{show(shape)}", (In(shape), ints(*axes)))


def _gather() -> Iterator[Case]:
    x = In((3, 7, 6, 5))
    for axis in range(4):
        yield Case("Gather", f"axis{axis}", (x, ints(2, 0, 1, 1)), {"axis": axis})
        yield Case("Gather", f"axis{axis}-scalar", (x, Literal(1)), {"axis": axis})
        yield Case("Gather", f"axis{axis}-one", (x, ints(2)), {"axis": axis})
        yield Case("Gather", f"axis{axis}-matrix", (x, Literal(((0, 2), (1, 1)))), {"axis": axis})
    yield Case("Gather", "negative", (x, ints(-1, -2)), {"axis": 2})
    yield Case("Gather", "channels", (In((2, 70, 5, 4)), ints(69, 0, 33)), {"axis": 1})
    yield Case("Gather", "1d", (In((37,)), ints(3, 30, 3)))
    yield Case("Gather", "1d-matrix", (In((37,)), Literal(((3, 30), (0, 7)))))
    yield Case("Gather", "2d", (In((37, 9)), ints(3, 30, 3)))
    yield Case("Gather", "3d-last", (In((2, 5, 33)), ints(32, 1)), {"axis": 2})
    yield Case("Gather", "5d", (In((3, 2, 4, 5, 6)), Literal(1)), {"axis": 0})
    yield Case("Gather", "5d-middle", (In((3, 2, 4, 5, 6)), ints(3, 1)), {"axis": 2})
    words = (Const((30, 16)), In((2, 7), "bits", "int64"))
    yield Case("Gather", "embedding", words)
    index = Const((2, 7, 6, 5), "bits", "int64")
    for axis in range(4):
        yield Case("GatherElements", f"axis{axis}", (In((2, 7, 6, 5)), index), {"axis": axis})
    yield Case("GatherElements", "2d", (In((5, 9)), Literal(((0, 8), (3, 1)))), {"axis": 1})
    yield Case("GatherElements", "computed", (In((5, 9)), In((5, 2), "bits", "int64")), {"axis": 1})
    yield Case("GatherND", "rows", (In((5, 9)), Literal(((0,), (4,)))))
    yield Case("GatherND", "elements", (In((5, 9)), Literal(((0, 8), (3, 1)))))
    yield Case("GatherND", "4d", (In((2, 3, 4, 5)), Literal(((0, 2), (1, 1), (1, 0)))))
    yield Case("GatherND", "batch", (In((2, 3, 4)), Literal(((1,), (2,)))), {"batch_dims": 1})


def _scatter() -> Iterator[Case]:
    x = In((5, 9))
    yield Case("ScatterND", "rows", (x, Literal(((0,), (3,))), In((2, 9))))
    yield Case("ScatterND", "elements", (x, Literal(((0, 8), (3, 1))), In((2,))))
    yield Case("ScatterND", "4d", (In((2, 3, 4, 5)), Literal(((0, 2), (1, 1))), In((2, 4, 5))))
    yield Case("ScatterND", "constant", (x, Literal(((0,), (3,))), Const((2, 9))))
    for how in ("add", "mul", "max"):
        operands: tuple[Operand, ...] = (x, Literal(((0,), (3,))), In((2, 9)))
        yield Case("ScatterND", how, operands, {"reduction": how})
    index = Literal(((0, 8), (3, 1), (2, 2), (7, 0), (4, 5)))
    yield Case(
        "ScatterElements",
        "axis1",
        (x, Literal(((0, 8), (3, 1), (2, 6), (7, 0), (4, 5))), In((5, 2))),
        {"axis": 1},
    )
    yield Case("ScatterElements", "axis0", (In((9, 2)), index, In((5, 2))), {"axis": 0})
    yield Case("ScatterElements", "add", (x, index, In((5, 2))), {"axis": 1, "reduction": "add"})
    labels = In((2, 5), "bits", "int64")
    yield Case("OneHot", "last", (labels, Literal(6), floats_pair()), {})
    yield Case("OneHot", "axis1", (labels, Literal(6), floats_pair()), {"axis": 1})


def floats_pair() -> Literal:
    """Off and on."""
    return Literal((0.0, 1.0), "float32")


def _triangles() -> Iterator[Case]:
    for upper in (0, 1):
        for shape in ((7, 9), (9, 7), (3, 8, 8), (2, 3, 8, 8), (70, 70)):
            yield Case("Trilu", f"{upper}-{show(shape)}", (In(shape),), {"upper": upper})
        for k in (0, 1, -2):
            yield Case("Trilu", f"{upper}-diagonal{k}", (In((8, 8)), Literal(k)), {"upper": upper})
