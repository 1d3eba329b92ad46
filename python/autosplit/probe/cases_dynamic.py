"""Models whose sizes vary: one op each, and small chains. They are compiled for the largest sizes, and run
with smaller ones too.

The name says which sizes vary: `batch`, `sizes` (height and width), `length`, `rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
from autosplit.probe.cases_elementwise import UNARY
from autosplit.probe.cases_views import REDUCTIONS

if TYPE_CHECKING:
    from onnx import NodeProto

CHAIN = "Chain"
"""What stands for an op type in the keys of chains."""

Runs = Mapping[str, Sequence[Shape]]

IMAGE: Runs = {
    "batch": ((4, 6, 9, 11), (1, 6, 9, 11), (3, 6, 9, 11)),
    "sizes": ((1, 6, 16, 16), (1, 6, 12, 9), (1, 6, 7, 13)),
}
"""By what varies: the largest shape, and smaller ones."""

ANY: Runs = {"any": ((4, 6, 16, 16), (1, 6, 12, 9), (3, 6, 7, 13))}
"""Batch, height and width vary, for ops that do not look at them one by one."""

LINE: Runs = {
    "batch": ((4, 6, 33), (1, 6, 33), (3, 6, 33)),
    "length": ((2, 6, 33), (2, 6, 12), (2, 6, 19)),
}
ROWS: Runs = {"rows": ((9, 33), (1, 33), (6, 33))}
TOKENS: Runs = {
    "batch": ((4, 7, 32), (1, 7, 32), (3, 7, 32)),
    "length": ((1, 33, 32), (1, 1, 32), (1, 19, 32)),
}
HEADS: Runs = {
    "batch": ((4, 3, 9, 16), (1, 3, 9, 16), (3, 3, 9, 16)),
    "length": ((1, 3, 33, 16), (1, 3, 5, 16), (1, 3, 18, 16)),
}
FIVE: Runs = {
    "batch": ((4, 9, 3, 4, 8), (1, 9, 3, 4, 8), (3, 9, 3, 4, 8)),
    "length": ((1, 33, 3, 4, 8), (1, 5, 3, 4, 8), (1, 18, 3, 4, 8)),
}
TALL: Runs = {"tall": ((1, 4, 600, 250), (1, 4, 333, 250), (1, 4, 101, 77))}
"""More than the local memory of a lane holds."""
EVEN_IMAGE: Runs = {
    "batch": ((4, 6, 6, 10), (1, 6, 6, 10), (3, 6, 6, 10)),
    "sizes": ((1, 6, 16, 18), (1, 6, 12, 6), (1, 6, 8, 14)),
}
EVEN: Runs = {
    "batch": ((4, 8, 6, 10), (1, 8, 6, 10), (3, 8, 6, 10)),
    "sizes": ((1, 8, 16, 18), (1, 8, 12, 6), (1, 8, 6, 14)),
}

PREFIX = "dynamic-"
"""What names of cases begin with."""
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


Step = tuple[str, str, Mapping[str, Any]]


def _step(op: str, operands: str, attributes: Mapping[str, Any] | None = None) -> Step:
    return op, operands, attributes or {}


@dataclass(frozen=True)
class Chain(Case):
    """Several ops behind each other."""

    steps: tuple[Step, ...] = ()
    """Op type, operands and attributes. Operands are numbers of the chain's operands, or `-1`, `-2`, ... for
    what the step before, the one before that, ... made."""

    def nodes(self, names: list[str], outputs: list[str]) -> list[NodeProto]:
        from onnx import helper

        made: list[str] = []
        nodes: list[NodeProto] = []
        for i, (op, operands, attributes) in enumerate(self.steps):
            places = [int(o) for o in operands.split()]
            given = [made[place] if place < 0 else names[place] for place in places]
            made.append(outputs[0] if i == len(self.steps) - 1 else f"m{i}")
            nodes.append(
                helper.make_node(op, given, made[-1:], name=f"{op.lower()}{i}", **attributes)
            )
        return nodes


def cases() -> Iterator[Case]:
    """All of them."""
    seen = set[str]()
    for case in (*_single(), *_behind(), *_among(), *_chains(), *_as_they_are()):
        if case.op in STATIC and case.op not in seen:
            yield _still(case)
        seen.add(case.op)
        yield case


def _still(case: Case) -> Case:
    """The same in a sub-model whose sizes vary elsewhere."""
    shapes = tuple(o.shape for o in case.operands if isinstance(o, In))
    return replace(case, name=STILL, smaller=(shapes,))


def _as_they_are() -> Iterator[Case]:
    """Ops for which chips may have stand-ins, without them."""
    channel = Const((6, 1, 1), "signed")
    made = (_case("Relu", ANY), _case("Add", ANY, channel, name="channel", values="signed"))
    for case in (*made[0], *made[1], *_rows()):
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


BEHIND: Mapping[str, tuple[Runs, tuple[Operand, ...], str, dict[str, Any]]] = {
    "Abs": (ANY, (), "0", {}),
    "Add": (ANY, (), "0 0", {}),
    "BatchNormalization": (ANY, (Const((6,)),) * 3 + (Const((6,), "positive"),), "0 1 2 3 4", {}),
    "Concat": (ANY, (), "0 0", {"axis": 1}),
    "Conv": (ANY, (Const((5, 6, 3, 3)), Const((5,))), "0 1 2", {}),
    "ConvTranspose": (ANY, (Const((6, 5, 2, 2)),), "0 1", {"strides": [2, 2]}),
    "Gemm": (ROWS, (Const((33, 7)), Const((7,))), "0 1 2", {}),
    "MatMul": (TOKENS, (Const((32, 7)),), "0 1", {}),
    "MaxPool": (ANY, (), "0", {"kernel_shape": [3, 3]}),
    "Mul": (ANY, (), "0 0", {}),
    "Sub": (ANY, (Const((6, 1, 1)),), "0 1", {}),
}
"""Ops that a Relu may become a part of: sizes, constants, operands, attributes."""


def _behind() -> Iterator[Case]:
    for op, (runs, constants, operands, attributes) in BEHIND.items():
        for what, (largest, *smaller) in runs.items():
            yield Chain(
                "Relu",
                f"{PREFIX}behind-{op.lower()}-{what}",
                (In(largest), *constants),
                dynamic=True,
                smaller=tuple((s,) for s in smaller),
                steps=((op, operands, attributes), _step("Relu", "-1")),
            )


AMONG: Mapping[str, tuple[str, tuple[Operand, ...], Mapping[str, Any]]] = {
    "Add": ("-1 0", (), {}),
    "AveragePool": ("-1", (), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    "BatchNormalization": ("-1 3 4 5 6", (*[Const((6,))] * 3, Const((6,), "positive")), {}),
    "Clip": ("-1 3 4", (scalar(0.0), scalar(6.0)), {}),
    "Concat": ("-1 -2", (), {"axis": 2}),
    "ConvTranspose": ("-1 3", (Const((6, 6, 2, 2)),), {"strides": [2, 2]}),
    "Div": ("0 -1", (), {}),
    "LRN": ("-1", (), {"size": 3}),
    "Max": ("-1 0", (), {}),
    "MaxPool": ("-1", (), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    "Min": ("-1 0", (), {}),
    "Mul": ("-1 0", (), {}),
    "PRelu": ("-1 3", (Const((6, 1, 1), "probability"),), {}),
    "Pow": ("-1 3", (scalar(2.0),), {}),
    "Softmax": ("-1", (), {"axis": 1}),
    "Sub": ("-1 0", (), {}),
    "Sum": ("-1 0", (), {}),
    "Transpose": ("-1", (), {"perm": [0, 1, 3, 2]}),
    **{
        op: ("-1", (), next(iter(ranges.values())))
        for op, ranges in UNARY.items()
        # Of Round, the last bits before it would decide.
        if op not in ("Dropout", "Flatten", "Identity", "Round")
    },
}
"""Operands, constants and attributes of ops between others, of numbers between 0 and 1."""


def _among() -> Iterator[Case]:
    """Between convolutions, with which compilers put an op into one group of layers."""
    largest, *smaller = ANY["any"]
    weights = Const((6, 6, 3, 3), "tenth")
    same = {"pads": [1, 1, 1, 1]}
    for op, (operands, constants, attributes) in AMONG.items():
        yield Chain(
            op,
            f"{PREFIX}among-any",
            (In(largest), weights, weights, *constants),
            dynamic=True,
            smaller=tuple((s,) for s in smaller),
            steps=(
                _step("Conv", "0 1", same),
                _step("Sigmoid", "-1"),
                (op, operands, attributes),
                _step("Conv", "-1 2", same),
            ),
        )


def _chain(
    name: str,
    runs: Runs,
    operands: Sequence[Operand],
    *steps: Step,
) -> Iterator[Case]:
    for what, (largest, *smaller) in runs.items():
        yield Chain(
            CHAIN,
            f"{PREFIX}{name}-{what}",
            (In(largest), *operands),
            dynamic=True,
            smaller=tuple((s,) for s in smaller),
            steps=steps,
        )


def _rows() -> Iterator[Case]:
    """Numbers for each place of the last axis, between other ops."""
    steps = (
        _step("Sigmoid", "0"),
        _step("Mul", "-1 1"),
        _step("Add", "-1 2"),
        _step("Sigmoid", "-1"),
    )
    for name, runs, width in (("tokens", TOKENS, 32), ("heads", HEADS, 16)):
        row = Const((width,))
        yield from _chain(f"{name}-rows", runs, (row, row), *steps)


def _chains() -> Iterator[Case]:
    yield from _rows()
    row = Const((32,))
    norm = (
        _step("MatMul", "0 1"),
        _step("LayerNormalization", "-1 2 3"),
        _step("Sigmoid", "-1"),
        _step("MatMul", "-1 1"),
    )
    yield from _chain("norm", TOKENS, (Const((32, 32), "tenth"), row, row), *norm)
    less = (_step("Sigmoid", "0"), _step("Sub", "1 -1"), _step("Sigmoid", "-1"))
    yield from _chain("number-less", ANY, (scalar(1.0),), *less)
    same, half = {"pads": [1, 1, 1, 1]}, {"kernel_shape": [2, 2], "strides": [2, 2]}
    three, more = Const((6, 6, 3, 3), "tenth"), Const((6, 6, 3, 3), "tenth")
    first = _step("Conv", "0 1", same)
    for op in ("HardSwish", "LeakyRelu", "Relu", "Sigmoid", "Tanh"):
        yield from _chain(
            f"conv-{op.lower()}-conv",
            IMAGE,
            (three, more),
            first,
            (op, "-1", {}),
            _step("Conv", "-1 2", same),
        )
    silu = (_step("Sigmoid", "-1"), _step("Mul", "-1 -2"))
    yield from _chain(
        "conv-silu-conv", IMAGE, (three, more), first, *silu, _step("Conv", "-1 2", same)
    )
    clip = _step("Clip", "-1 2 3")
    yield from _chain("conv-clip", IMAGE, (three, scalar(0.0), scalar(6.0)), first, clip)
    c = Const((6,))
    statistics = (three, c, c, c, Const((6,), "positive"))
    norm = (_step("BatchNormalization", "-1 2 3 4 5"), _step("Relu", "-1"))
    yield from _chain("conv-norm-relu", IMAGE, statistics, first, *norm)
    relu, pool = _step("Relu", "-1"), _step("MaxPool", "-1", half)
    back = (_step("Conv", "-1 2", same), _step("Add", "-1 -2"))
    yield from _chain(
        "conv-relu-pool-conv-add", EVEN_IMAGE, (three, more), first, relu, pool, *back
    )
    yield from _chain(
        "residual",
        IMAGE,
        (three, more),
        first,
        relu,
        _step("Conv", "-1 2", same),
        _step("Add", "-1 0"),
        relu,
    )
    channels = {"axis": 1}
    nearest = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    up = _step("Resize", "-1 3 4", nearest)
    down = _step("Conv", "0 1", {"strides": [2, 2], **same})
    yield from _chain(
        "conv-resize-concat",
        EVEN_IMAGE,
        (three, more, None, floats(1.0, 1.0, 2.0, 2.0)),
        down,
        up,
        _step("Concat", "-1 0", channels),
    )
    squeeze = (
        _step("GlobalAveragePool", "-1"),
        _step("Conv", "-1 2"),
        _step("Sigmoid", "-1"),
        _step("Mul", "-1 -4"),
    )
    yield from _chain("squeeze-excite", IMAGE, (three, Const((6, 6, 1, 1))), first, *squeeze)
    head = (
        _step("GlobalAveragePool", "-1"),
        _step("Flatten", "-1"),
        _step("Gemm", "-1 2"),
        _step("Softmax", "-1"),
    )
    yield from _chain("classifier", IMAGE, (three, Const((6, 9))), first, *head)
    yield from _chain(
        "matmul-softmax", TOKENS, (Const((32, 7)),), _step("MatMul", "0 1"), _step("Softmax", "-1")
    )
    mlp = (
        _step("MatMul", "0 1"),
        _step("Add", "-1 2"),
        _step("Gelu", "-1"),
        _step("MatMul", "-1 3"),
        _step("Add", "-1 0"),
    )
    yield from _chain(
        "mlp", TOKENS, (Const((32, 40), "tenth"), Const((40,)), Const((40, 32), "tenth")), *mlp
    )
    attention = (
        _step("MatMul", "0 1"),
        _step("Reshape", "-1 3"),
        _step("Transpose", "-1", {"perm": [0, 2, 1, 3]}),
        _step("Transpose", "-2", {"perm": [0, 2, 3, 1]}),
        _step("MatMul", "-2 -1"),
        _step("Softmax", "-1"),
        _step("MatMul", "-1 -4"),
        _step("Transpose", "-1", {"perm": [0, 2, 1, 3]}),
        _step("Reshape", "-1 4"),
        _step("MatMul", "-1 2"),
        _step("Add", "-1 0"),
    )
    square = Const((32, 32), "tenth")
    yield from _chain(
        "attention", TOKENS, (square, square, ints(0, -1, 4, 8), ints(0, -1, 32)), *attention
    )
    heads = (
        _step("MatMul", "0 1"),
        _step("Reshape", "-1 2"),
        _step("Transpose", "-1", {"perm": [2, 0, 3, 1, 4]}),
        _step("Gather", "-1 3", {"axis": 0}),
        _step("Gather", "-2 4", {"axis": 0}),
        _step("Transpose", "-1", {"perm": [0, 1, 3, 2]}),
        _step("MatMul", "-3 -1"),
    )
    three_heads = (Const((32, 96), "tenth"), ints(0, -1, 3, 4, 8), Literal(0), Literal(1))
    yield from _chain("heads-of-one-product", TOKENS, three_heads, *heads)
    deviation = (
        _step("ReduceMean", "0 1"),
        _step("Sub", "0 -1"),
        _step("Pow", "-1 2"),
        _step("ReduceMean", "-1 1"),
        _step("Add", "-1 3"),
        _step("Sqrt", "-1"),
        _step("Div", "-5 -1"),
    )
    parameters = (ints(-1), scalar(2.0), scalar(1e-3))
    yield from _chain("norm-written-out", TOKENS, parameters, *deviation)
    twins = (
        _step("Abs", "0"),
        _step("Mul", "-1 -1"),
        _step("ReduceMean", "-1 1"),
        _step("Add", "-3 -1"),
    )
    yield from _chain("square-and-itself", IMAGE, (ints(-1),), *twins)
    words = (
        _step("Transpose", "-1", {"perm": [0, 2, 3, 1]}),
        _step("Reshape", "-1 2"),
        _step("MatMul", "-1 3"),
        _step("Softmax", "-1"),
    )
    yield from _chain("recognition", IMAGE, (three, ints(0, -1, 6), Const((6, 9))), first, *words)
    lstm = (
        _step("Transpose", "0", {"perm": [1, 0, 2]}),
        _step("LSTM", "-1 1 2", {"hidden_size": 6}),
        _step("Squeeze", "-1 3"),
        _step("MatMul", "-1 4"),
    )
    recurrent = (Const((1, 24, 32), "tenth"), Const((1, 24, 6), "tenth"), ints(1), Const((6, 9)))
    yield from _chain("lstm", TOKENS, recurrent, *lstm)
    yolo = (
        _step("Conv", "0 2", same),
        _step("Concat", "-2 -1", channels),
        _step("Reshape", "-1 3"),
        _step("Sigmoid", "-1"),
    )
    yield from _chain("two-heads", IMAGE, (three, more, ints(0, 12, -1)), first, *yolo)
