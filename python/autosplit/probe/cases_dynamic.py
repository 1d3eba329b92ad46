"""Models of one op whose sizes vary, compiled for the largest sizes and run with smaller ones too.

The name says which sizes vary: `batch`, `sizes` (height and width), `length`, `rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from autosplit.probe.case import (
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
from autosplit.probe.cases_chains import chains, rows
from autosplit.probe.cases_elementwise import UNARY
from autosplit.probe.cases_views import REDUCTIONS
from autosplit.probe.varying_sizes import (
    ANY,
    EVEN,
    FIVE,
    HEADS,
    IMAGE,
    LINE,
    PREFIX,
    ROWS,
    TALL,
    TOKENS,
    Runs,
)

STILL = f"{PREFIX}still"
"""The case of an op whose own sizes do not vary."""
STATIC = (
    "Flatten",
    "Gather",
    "Pad",
    "ReduceProd",
    "Reshape",
    "ScatterElements",
    "ScatterND",
    "Slice",
    "Split",
    "Squeeze",
    "Unsqueeze",
)
"""Ops that have such a case: those that some chip makes as large as ever where their sizes vary."""


def cases() -> Iterator[Case]:
    """All of them."""
    covered = set[str]()
    for case in (*_single(), *chains(), *_as_they_are()):
        if case.op in STATIC and case.op not in covered:
            yield _still(case)
        covered.add(case.op)
        yield case


def _still(case: Case) -> Case:
    """The same in a sub-model whose sizes vary elsewhere."""
    shapes = tuple(o.shape for o in case.operands if isinstance(o, In))
    return replace(case, name=STILL, smaller=(shapes,))


def _as_they_are() -> Iterator[Case]:
    """Ops for which chips may have stand-ins, without them."""
    channel = Const((6, 1, 1), "signed")
    cases = (_case("Relu", ANY), _case("Add", ANY, channel, name="channel", values="signed"))
    for case in (*cases[0], *cases[1], *rows()):
        yield replace(case, name=f"{case.name}-as-is", as_is=True)


def _single() -> Iterator[Case]:
    yield from _elementwise()
    yield from _two()
    yield from _convolutions()
    yield from _pools()
    yield from _products()
    yield from _norms()
    yield from _recurrent()
    yield from _resize()
    yield from _views()
    yield from _indexed()
    yield from _reductions()
    yield from _positions()


def _case(
    op: str,
    runs: Runs,
    *others: Operand,
    name: str = "",
    values: str = "normal",
    dtype: str = "float32",
    attributes: Mapping[str, Any] | None = None,
    results: int = 1,
) -> Iterator[Case]:
    """A case for each entry of `runs`, which are the shapes of operand 0."""
    for what, (largest, *smaller) in runs.items():
        first = In(largest, values, dtype)
        yield Case(
            op,
            PREFIX + "-".join(filter(None, (name, what))),
            (first, *others),
            attributes or {},
            (True,) * results,
            after="Sigmoid" if op in ("Dropout", "Identity") else "",
            dynamic=True,
            smaller=tuple((s,) for s in smaller),
        )


def _both(
    op: str, runs: Runs, name: str = "", values: str = "normal", dtype: str = "float32", **more: Any
) -> Iterator[Case]:
    """Cases of two computed operands of the same shape."""
    for what, (largest, *smaller) in runs.items():
        operand = In(largest, values, dtype)
        yield Case(
            op,
            PREFIX + "-".join(filter(None, (name, what))),
            (operand, operand),
            more,
            dynamic=True,
            smaller=tuple((s, s) for s in smaller),
        )


def _elementwise() -> Iterator[Case]:
    for op, ranges in UNARY.items():
        values, attributes = next(iter(ranges.items()))
        yield from _case(op, ANY, values=values, attributes=attributes)
        if op in ("Exp", "LeakyRelu", "Relu", "Sigmoid", "Tanh"):
            yield from _case(op, {**TALL, **ROWS, **LINE}, values=values, attributes=attributes)
    yield from _case("Clip", {**ANY, **TALL}, scalar(-0.5), scalar(0.75))
    yield from _case("Clip", ANY, scalar(0.0), scalar(6.0), name="relu6")
    yield from _case("Clip", ANY, scalar(0.0), name="from-zero")
    yield from _case("PRelu", ANY, Const((6, 1, 1), "probability"))
    yield from _case("Pow", ANY, scalar(2.0), name="2")
    yield from _case("Pow", ANY, scalar(0.5), name="0.5", values="positive")
    yield from _case("Not", ANY, values="bits", dtype="bool")
    yield from _case("Cast", ANY, values="bits", dtype="bool", attributes={"to": 1})
    for op in ("Softmax", "LogSoftmax"):
        yield from _case(op, ANY, attributes={"axis": 1})
        yield from _case(op, IMAGE, name="last", attributes={"axis": -1})
        yield from _case(op, {**TOKENS, **ROWS}, name="tokens", attributes={"axis": -1})


def _two() -> Iterator[Case]:
    channel, row = Const((6, 1, 1), "signed"), {"batch": IMAGE["batch"]}
    for op in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Sum"):
        yield from _both(op, ANY, values="signed")
        yield from _case(op, ANY, scalar(1.5), name="number", values="signed")
        yield from _case(op, ANY, channel, name="channel", values="signed")
        yield from _beside(op, "channel-fixed", {"sizes": IMAGE["sizes"]}, _fixed_channel)
    for op in ("Add", "Mul"):
        yield from _both(op, {**TALL, **ROWS}, values="signed")
        yield from _both(op, TOKENS, name="tokens", values="signed")
        yield from _case(op, row, Const((11,), "signed"), name="row", values="signed")
        yield from _case(op, TOKENS, Const((32,), "signed"), name="tokens-row", values="signed")
        yield from _beside(op, "channel", IMAGE, lambda s: (*s[:2], 1, 1))
        yield from _beside(op, "spatial", IMAGE, lambda s: (s[0], 1, *s[2:]))
        yield from _beside(op, "row", IMAGE, lambda s: (1, 1, 1, s[3]))
        yield from _beside(op, "tokens", TOKENS, lambda s: (s[0], 1, s[2]))
    for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"):
        yield from _both(op, ANY, values="few")
        yield from _case(op, ANY, scalar(0.5), name="number", values="halves")
    for op in ("And", "Or", "Xor"):
        yield from _both(op, ANY, values="bits", dtype="bool")
    for what, (largest, *smaller) in ANY.items():
        yield Case(
            "Where",
            PREFIX + what,
            (In(largest, "bits", "bool"), In(largest), In(largest)),
            dynamic=True,
            smaller=tuple((s, s, s) for s in smaller),
        )


def _beside(op: str, name: str, runs: Runs, shape: Callable[[Shape], Shape]) -> Iterator[Case]:
    """The other operand is computed too, and repeated along some axes: `shape` says what it has."""
    for what, (largest, *smaller) in runs.items():
        yield Case(
            op,
            f"{PREFIX}computed-{name}-{what}",
            (In(largest, "signed"), In(shape(largest), "signed")),
            dynamic=True,
            smaller=tuple((s, shape(s)) for s in smaller),
        )


def _fixed_channel(shape: Shape) -> Shape:
    return (1, shape[1], 1, 1)


CONVOLUTIONS: Mapping[str, tuple[Shape, Mapping[str, Any]]] = {
    "3x3": ((5, 6, 3, 3), {"pads": [1, 1, 1, 1]}),
    "1x1": ((70, 6, 1, 1), {}),
    "stride": ((5, 6, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "dilated": ((5, 6, 3, 3), {"dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    "depthwise": ((6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1]}),
    "groups": ((9, 2, 3, 3), {"group": 3}),
    "channels": ((6, 1, 1, 1), {"group": 6}),
}
"""Weights and attributes, for images of six channels."""


def _convolutions() -> Iterator[Case]:
    for name, (w, attributes) in CONVOLUTIONS.items():
        runs, bias = IMAGE if name == "3x3" else ANY, Const((w[0],))
        yield from _case("Conv", runs, Const(w), bias, name=name, attributes=attributes)
    yield from _case("Conv", TALL, Const((5, 4, 3, 3)), attributes={"pads": [1, 1, 1, 1]})
    yield from _case("Conv", LINE, Const((7, 6, 3)), name="1d", attributes={"pads": [1, 1]})
    two = {"strides": [2, 2]}
    yield from _case("ConvTranspose", IMAGE, Const((6, 5, 2, 2)), name="2x2", attributes=two)
    repeats = {"strides": [2, 2], "group": 6}
    yield from _case(
        "ConvTranspose", IMAGE, Const((6, 1, 2, 2)), name="repeats", attributes=repeats
    )
    padded = {"strides": [2, 2], "pads": [1, 1, 1, 1]}
    yield from _case("ConvTranspose", IMAGE, Const((6, 5, 4, 4)), name="4x4", attributes=padded)


def _pools() -> Iterator[Case]:
    two = {"kernel_shape": [2, 2], "strides": [2, 2]}
    padded = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    for op, values in (("MaxPool", "grid"), ("AveragePool", "normal")):
        yield from _case(op, IMAGE, name="2x2", values=values, attributes=two)
        yield from _case(op, ANY, name="3x3", values=values, attributes=padded)
        yield from _case(op, LINE, name="1d", values=values, attributes={"kernel_shape": [3]})
        yield from _case(op, TALL, values=values, attributes=padded)
    counted = {**padded, "count_include_pad": 1}
    yield from _case("AveragePool", ANY, name="counted", attributes=counted)
    for op in ("GlobalAveragePool", "GlobalMaxPool"):
        yield from _case(op, ANY)


def _products() -> Iterator[Case]:
    yield from _case("MatMul", ROWS, Const((33, 7)))
    yield from _case("MatMul", TOKENS, Const((32, 7)), name="tokens")
    for name, runs in (("heads", HEADS), ("tokens-computed", TOKENS)):
        for what, (largest, *smaller) in runs.items():
            yield Case(
                "MatMul",
                f"{PREFIX}{name}-{what}",
                (In(largest), In(_turned(largest))),
                dynamic=True,
                smaller=tuple((s, _turned(s)) for s in smaller),
            )
            yield Case(
                "MatMul",
                f"{PREFIX}{name}-values-{what}",
                (In((*largest[:-1], largest[-2])), In(largest)),
                dynamic=True,
                smaller=tuple(((*s[:-1], s[-2]), s) for s in smaller),
            )
    yield from _case("Gemm", ROWS, Const((33, 7)), Const((7,)))
    transposed = {"transB": 1, "alpha": 0.5}
    yield from _case(
        "Gemm", ROWS, Const((7, 33)), Const((7,)), name="transposed", attributes=transposed
    )
    for what, (largest, *smaller) in HEADS.items():
        yield Case(
            "Einsum",
            PREFIX + what,
            (In(largest), In(largest)),
            {"equation": "abcd,abed->abce"},
            dynamic=True,
            smaller=tuple((s, s) for s in smaller),
        )


def _turned(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


def _norms() -> Iterator[Case]:
    c = Const((6,))
    statistics = (c, c, c, Const((6,), "positive"))
    yield from _case("BatchNormalization", IMAGE, *statistics)
    yield from _case("BatchNormalization", LINE, *statistics, name="line")
    yield from _case("InstanceNormalization", IMAGE, c, c)
    yield from _case("GroupNormalization", IMAGE, c, c, attributes={"num_groups": 2})
    yield from _case("LayerNormalization", TOKENS, Const((32,)), Const((32,)))
    yield from _case("LRN", ANY, attributes={"size": 3})


def _recurrent() -> Iterator[Case]:
    runs = {
        "batch": ((5, 4, 3), (5, 1, 3), (5, 3, 3)),
        "length": ((9, 1, 3), (1, 1, 3), (6, 1, 3)),
    }
    for op, gates in (("LSTM", 4), ("GRU", 3)):
        attributes: dict[str, Any] = {"hidden_size": 6}
        if op == "GRU":
            attributes["linear_before_reset"] = 1
        for ways in (1, 2):
            if ways == 2:
                attributes = {**attributes, "direction": "bidirectional"}
            weights = (Const((ways, gates * 6, 3)), Const((ways, gates * 6, 6)))
            name = "two-way" if ways == 2 else ""
            bias = Const((ways, 2 * gates * 6))
            yield from _case(op, runs, *weights, bias, name=name, attributes=attributes)


def _resize() -> Iterator[Case]:
    scales = floats(1.0, 1.0, 2.0, 2.0)
    nearest = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    yield from _case("Resize", IMAGE, None, scales, name="nearest", attributes=nearest)
    yield from _case("Resize", IMAGE, None, scales, name="linear", attributes={"mode": "linear"})
    yield from _case("DepthToSpace", EVEN, attributes={"blocksize": 2})
    yield from _case("SpaceToDepth", EVEN, attributes={"blocksize": 2})


def _views() -> Iterator[Case]:
    for axis, what in ((1, IMAGE), (1, TALL)):
        yield from _both("Concat", what, axis=axis)
    yield from _both("Concat", IMAGE, name="last", axis=-1)
    yield from _both("Concat", TOKENS, name="tokens", axis=1)
    yield from _case("Split", IMAGE, ints(2, 4), attributes={"axis": 1}, results=2)
    yield from _case("Slice", IMAGE, ints(1), ints(5), ints(1), name="channels")
    yield from _case("Slice", IMAGE, ints(1), ints(2**31 - 1), ints(3), name="last")
    yield from _case("Slice", EVEN, ints(0), ints(2**31 - 1), ints(2), ints(2), name="step")
    yield from _case("Pad", IMAGE, ints(0, 0, 1, 2, 0, 0, 2, 1))
    yield from _case("Tile", IMAGE, ints(1, 2, 1, 1))
    yield from _case("Expand", {"batch": ((4, 1, 9), (1, 1, 9), (3, 1, 9))}, ints(1, 5, 1))
    for perm in ((0, 2, 3, 1), (0, 3, 1, 2), (0, 1, 3, 2), (0, 2, 1, 3)):
        name = "".join(map(str, perm))
        yield from _case("Transpose", IMAGE, name=name, attributes={"perm": list(perm)})
    yield from _case("Transpose", TOKENS, name="tokens", attributes={"perm": [0, 2, 1]})
    yield from _case("Transpose", TOKENS, name="steps", attributes={"perm": [1, 0, 2]})
    yield from _case("Transpose", ROWS, attributes={"perm": [1, 0]})
    five = {"perm": [2, 0, 3, 1, 4]}
    yield from _case("Transpose", FIVE, name="20314", attributes=five)
    yield from _case("Gather", FIVE, Literal(1), attributes={"axis": 2}, name="5d")
    yield from _case("Slice", FIVE, ints(1), ints(2), ints(2), name="5d")
    yield from _case("Transpose", TALL, attributes={"perm": [0, 2, 3, 1]})
    yield from _case("Reshape", IMAGE, ints(0, -1), name="flat")
    yield from _case("Reshape", IMAGE, ints(0, 6, -1), name="line")
    yield from _case("Reshape", TOKENS, ints(0, -1, 4, 8), name="heads")
    yield from _case("Reshape", TOKENS, ints(0, -1, 2, 4, 4), name="5d")
    both = {"both": ((5, 33, 24), (1, 6, 24), (2, 19, 24))}
    yield from _case("Reshape", both, ints(0, -1, 3, 8), name="heads")
    yield from _case("Reshape", both, ints(0, 0, 3, 8), name="kept")
    parts = {"both": ((5, 33, 3, 8), (1, 6, 3, 8), (2, 19, 3, 8))}
    yield from _case("Reshape", parts, ints(0, 0, 24), name="joined")
    flat = {"batch": ((4, 99), (1, 99), (3, 99))}
    yield from _case("Reshape", flat, ints(-1, 9, 11), name="image")
    one = {"batch": ((4, 6, 1, 1), (1, 6, 1, 1), (3, 6, 1, 1))}
    yield from _case("Squeeze", one, ints(2, 3))
    yield from _case("Squeeze", {"length": ((1, 33, 32), (1, 5, 32), (1, 18, 32))}, ints(0))
    yield from _case("Unsqueeze", TOKENS, ints(1))


def _indexed() -> Iterator[Case]:
    yield from _case("Gather", IMAGE, Literal(2), attributes={"axis": 1}, name="one")
    yield from _case("Gather", IMAGE, ints(4, 1, 1), attributes={"axis": 1})
    words = {"length": ((2, 9), (2, 3), (2, 6))}
    for what, (largest, *smaller) in words.items():
        index = In(largest, "bits", "int64")
        yield Case(
            "Gather",
            f"{PREFIX}embedding-{what}",
            (Const((30, 16)), index),
            dynamic=True,
            smaller=tuple((s,) for s in smaller),
        )
    positions = Literal(((0, 2), (1, 1)))
    batch = {"rows": ((9, 5), (2, 5), (6, 5))}
    yield from _case("GatherElements", batch, positions, attributes={"axis": 1})
    yield from _case("GatherND", batch, Literal(((0,), (1,))))
    yield from _case("ScatterND", batch, Literal(((0,), (1,))), Const((2, 5)))
    yield from _case("ScatterElements", batch, positions, Const((2, 2)), attributes={"axis": 1})
    yield from _case(
        "OneHot", words, Literal(6), Literal((0.0, 1.0), "float32"), values="bits", dtype="int64"
    )
    yield from _case("Trilu", {"batch": ((4, 8, 8), (1, 8, 8), (3, 8, 8))})
    yield from _case("CumSum", ROWS, Literal(1))


def _reductions() -> Iterator[Case]:
    for op, values in REDUCTIONS.items():
        flat = {"keepdims": 0}
        yield from _case(op, ANY, ints(2, 3), values=values)
        yield from _case(op, ANY, ints(1), name="channels", values=values)
        yield from _case(op, ANY, ints(2, 3), name="flat", values=values, attributes=flat)
    yield from _case("ReduceMean", TOKENS, ints(-1), name="tokens", values="positive")


def _positions() -> Iterator[Case]:
    for op in ("ArgMax", "ArgMin"):
        for keep in (0, 1):
            name, attributes = "" if keep else "flat", {"axis": 1, "keepdims": keep}
            yield from _case(op, ANY, name=name, values="grid", attributes=attributes)
    yield from _case("TopK", ROWS, ints(5), values="grid", results=2)
