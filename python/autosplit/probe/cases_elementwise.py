"""One-op models of the ops that compute each element on its own, and of comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autosplit.probe.case import Case, Const, In, Literal, Operand, Same, Shape, floats, scalar

SHAPES: dict[str, Shape] = {
    "1d": (37,),
    "2d": (3, 67),
    "3d": (2, 5, 33),
    "image": (1, 3, 17, 19),
    "channels": (2, 70, 7, 5),
    "5d": (2, 3, 4, 5, 6),
    "6d": (2, 2, 3, 2, 2, 3),
    "tall": (1, 4, 600, 250),
}
"""Odd sizes; more channels than lanes and no multiple of them; more than the local memory of a lane holds."""

FEW = ("1d", "image", "channels", "6d", "tall")
"""The shapes for ops that are lowered like many others."""

UNARY: dict[str, dict[str, dict[str, Any]]] = {
    "Abs": {"normal": {}},
    "Acos": {"unit": {}},
    "Atan": {"normal": {}, "wide": {}},
    "Atanh": {"unit": {}},
    "Ceil": {"wide": {}, "halves": {}},
    "Cos": {"normal": {}, "turns": {}},
    "Cosh": {"normal": {}},
    "Dropout": {"normal": {}},
    "Elu": {"normal": {}, "wide": {"alpha": 0.5}},
    "Erf": {"normal": {}, "wide": {}},
    "Exp": {"normal": {}},
    "Flatten": {"normal": {}},
    "Floor": {"wide": {}, "halves": {}},
    "Gelu": {"normal": {}, "wide": {}},
    "HardSigmoid": {"normal": {}, "wide": {"alpha": 0.1, "beta": 0.4}},
    "HardSwish": {"normal": {}, "wide": {}},
    "Identity": {"normal": {}},
    "LeakyRelu": {"normal": {}, "wide": {"alpha": 0.3}},
    "Log": {"positive": {}},
    "Mish": {"normal": {}, "wide": {}},
    "Neg": {"normal": {}},
    "Reciprocal": {"signed": {}},
    "Relu": {"normal": {}},
    "Round": {"wide": {}, "halves": {}},
    "Sigmoid": {"normal": {}, "wide": {}},
    "Sign": {"few": {}},
    "Sin": {"normal": {}, "turns": {}},
    "Sinh": {"normal": {}, "near-zero": {}},
    "Softplus": {"normal": {}, "wide": {}},
    "Softsign": {"normal": {}, "wide": {}},
    "Sqrt": {"positive": {}},
    "Tan": {"angles": {}},
    "Tanh": {"normal": {}, "wide": {}},
}
"""By op type: what operands are drawn from, and the attributes with them. The first is for all shapes."""

BROADCASTS: dict[str, tuple[Operand, Operand]] = {
    "channel": (In((2, 3, 4, 5)), In((1, 3, 1, 1))),
    "channel-first": (In((1, 3, 1, 1)), In((2, 3, 4, 5))),
    "row": (In((2, 3, 4, 5)), In((5,))),
    "row-first": (In((5,)), In((2, 3, 4, 5))),
    "column": (In((2, 3, 4, 5)), In((4, 1))),
    "batch": (In((4, 3, 5, 7)), In((1, 3, 5, 7))),
    "both": (In((2, 1, 4, 1)), In((1, 3, 1, 5))),
    "both-2d": (In((7, 1)), In((1, 9))),
    "5d": (In((2, 3, 4, 5, 6)), In((3, 1, 5, 1))),
    "6d": (In((2, 2, 3, 2, 2, 3)), In((3, 1, 2, 1))),
    "many-channels": (In((1, 130, 9, 11)), In((1, 130, 1, 1))),
    "attention": (In((2, 12, 16, 16)), In((2, 1, 1, 16))),
    "spatial": (In((2, 70, 6, 5)), In((2, 1, 6, 5))),
    "one-number": (In((2, 3, 4, 5)), In((1,))),
    "scalar-constant": (In((2, 3, 4, 5)), scalar(1.5)),
    "one-number-constant": (In((2, 3, 4, 5)), floats(-0.75)),
    "scalar-constant-first": (scalar(2.5), In((2, 3, 4, 5))),
    "zero-constant-first": (scalar(0.0), In((1, 3, 8, 8))),
    "channel-constant": (In((2, 3, 4, 5)), Const((3, 1, 1), "signed")),
    "channel-constant-first": (Const((3, 1, 1), "signed"), In((2, 3, 4, 5))),
    "row-constant": (In((2, 3, 4, 5)), Const((5,), "signed")),
    "whole-constant": (In((2, 3, 4, 5)), Const((2, 3, 4, 5), "signed")),
    "whole-constant-first": (Const((2, 3, 4, 5), "signed"), In((2, 3, 4, 5))),
    "large-constant": (In((1, 3, 1)), Const((4, 3, 7), "signed")),
    "2d-constant": (In((5, 70)), Const((70,), "signed")),
    "1d-constant": (In((37,)), Const((37,), "signed")),
}

_SOME = (
    "channel",
    "row-first",
    "both",
    "5d",
    "scalar-constant",
    "scalar-constant-first",
    "channel-constant",
    "whole-constant-first",
)
FEWER = dict.fromkeys(
    ("Equal", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Sum"), _SOME
)
"""The ops that are lowered like one of which all broadcasts are probed."""


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _unary()
    for op in ("Add", "Sub", "Mul"):
        yield from _binary(op, "normal", "normal")
    yield from _binary("Div", "normal", "signed")
    for op in ("Max", "Min", "Sum"):
        yield from _binary(op, "normal", "normal")
        yield from _variadic(op)
    for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"):
        yield from _binary(op, "few", "few")
        yield Case(op, "distinct", (In((1, 3, 17, 19), "grid"), In((1, 3, 17, 19), "grid")))
    yield Case("Equal", "booleans", (_bits(2, 3, 4, 5), _bits(2, 3, 4, 5)))
    for op in ("And", "Or", "Xor"):
        yield from _boolean(op)
    for name, shape in SHAPES.items():
        yield Case("Not", name, (_bits(*shape),))
    yield from _cast()
    yield from _clip()
    yield from _pow()
    yield from _prelu()
    yield from _softmax()
    yield from _where()
    yield from _mod()


def _bits(*shape: int) -> In:
    return In(shape, "bits", "bool")


def _unary() -> Iterator[Case]:
    for op, ranges in UNARY.items():
        if op not in ("Dropout", "Flatten"):
            values, attributes = next(iter(ranges.items()))
            x = In((1, 3, 17, 19), values)
            yield Case(op, "shared", (x,), attributes, shared=True)
            yield Case(op, "shared-tall", (In(SHAPES["tall"], values),), attributes, shared=True)
        after = "Relu" if op in ("Dropout", "Identity") else ""
        for i, (values, attributes) in enumerate(ranges.items()):
            if i:
                yield Case(op, values, (In((1, 5, 9, 33), values),), attributes)
                continue
            for name, shape in SHAPES.items():
                if name in FEW or op in ("Abs", "Exp", "Relu", "Sigmoid"):
                    yield Case(op, name, (In(shape, values),), attributes, after=after)
    yield Case("Gelu", "tanh", (In((1, 5, 9, 33)),), {"approximate": "tanh"})
    yield Case("Relu", "7d", (In((2, 1, 2, 3, 2, 1, 3)),))
    yield Case("Relu", "8d", (In((2, 1, 2, 3, 1, 2, 1, 3)),))
    yield Case("Dropout", "ratio", (In((2, 3, 8, 8)), scalar(0.5)), after="Relu")
    for axis in (0, 2, 3, 4, -1):
        yield Case("Flatten", f"axis{axis}", (In((2, 3, 4, 5)),), {"axis": axis})


def _drawn(operand: Operand, values: str) -> Operand:
    """A computed operand, drawn from something else.

    Small integers also replace constants: what is compared with them must not change when a mode rounds them.
    """
    if isinstance(operand, Const) and values == "few":
        return replace(operand, values=values)
    return In(operand.shape, values) if isinstance(operand, In) else operand


def _binary(op: str, first: str, second: str) -> Iterator[Case]:
    for name, shape in SHAPES.items():
        yield Case(op, name, (In(shape, first), In(shape, second)))
    for name, (a, b) in BROADCASTS.items():
        if op in FEWER and name not in FEWER[op]:
            continue
        yield Case(op, f"broadcast-{name}", (_drawn(a, first), _drawn(b, second)))
    yield Case(op, "same", (In((2, 3, 4, 5), second), Same(0)))
    yield Case(op, "tall-channel", (In((1, 4, 600, 250), first), In((1, 4, 1, 1), second)))


def _variadic(op: str) -> Iterator[Case]:
    x = In((2, 3, 4, 5))
    yield Case(op, "one", (x,))
    yield Case(op, "three", (x, x, x))
    yield Case(op, "three-broadcast", (x, In((3, 1, 1)), In((1, 1, 4, 5))))
    yield Case(op, "three-constant", (x, scalar(0.25), x))
    yield Case(op, "five", (x, x, x, x, x))


def _boolean(op: str) -> Iterator[Case]:
    for name, shape in SHAPES.items():
        yield Case(op, name, (_bits(*shape), _bits(*shape)))
    yield Case(op, "broadcast-channel", (_bits(2, 3, 4, 5), _bits(1, 3, 1, 1)))
    yield Case(op, "broadcast-row-first", (_bits(5), _bits(2, 3, 4, 5)))
    yield Case(op, "broadcast-both", (_bits(2, 1, 4, 1), _bits(1, 3, 1, 5)))
    yield Case(op, "constant", (_bits(2, 3, 4, 5), Const((2, 3, 4, 5), "bits", "bool")))
    yield Case(op, "scalar-true", (_bits(2, 3, 4, 5), Literal(True, "bool")))
    yield Case(op, "scalar-false", (_bits(2, 3, 4, 5), Literal(False, "bool")))


def _cast() -> Iterator[Case]:
    for name, shape in SHAPES.items():
        yield Case("Cast", f"bool-f32-{name}", (_bits(*shape),), {"to": 1})
    half = In((2, 3, 4, 5), "normal", "float16")
    yield Case("Cast", "f32-f16", (In((2, 3, 4, 5)),), {"to": 10})
    yield Case("Cast", "f16-f32", (half,), {"to": 1})
    yield Case("Cast", "bool-f16", (_bits(2, 3, 4, 5),), {"to": 10})
    yield Case("Cast", "f32-bool", (In((2, 3, 4, 5), "few"),), {"to": 9})
    yield Case("Cast", "f32-i32", (In((2, 3, 4, 5), "halves"),), {"to": 6})
    yield Case("Cast", "f32-i64", (In((2, 3, 4, 5), "halves"),), {"to": 7})
    yield Case("Cast", "i64-f32", (In((2, 3, 4, 5), "few", "int64"),), {"to": 1})
    yield Case("Relu", "f16", (half,))
    yield Case("Add", "f16", (half, half))
    yield Case("Add", "i64", (In((2, 3), "few", "int64"), In((2, 3), "few", "int64")))


def _clip() -> Iterator[Case]:
    low, high = scalar(-0.5), scalar(0.75)
    for name, shape in SHAPES.items():
        yield Case("Clip", name, (In(shape), low, high))
    x = In((2, 3, 4, 5), "wide")
    yield Case("Clip", "relu6", (x, scalar(0.0), scalar(6.0)))
    yield Case("Clip", "min", (x, low))
    yield Case("Clip", "min-zero", (x, scalar(0.0)))
    yield Case("Clip", "max", (x, None, high))
    yield Case("Clip", "max-zero", (x, None, scalar(0.0)))
    yield Case("Clip", "none", (x,))
    yield Case("Clip", "shared", (In((1, 3, 17, 19)), low, high), shared=True)
    yield Case("Clip", "above-zero", (x, scalar(1.0), scalar(2.0)))
    yield Case("Clip", "below-zero", (x, scalar(-2.0), scalar(-1.0)))
    yield Case("Clip", "shape-1", (x, floats(-1.0), floats(1.0)))


def _pow() -> Iterator[Case]:
    for exponent in (1.0, 2.0, 3.0, -1.0):
        yield Case("Pow", f"{exponent:g}", (In((2, 3, 4, 5), "signed"), scalar(exponent)))
    for exponent in (0.5, -0.5, 2.5, 0.3):
        yield Case("Pow", f"{exponent:g}", (In((2, 3, 4, 5), "positive"), scalar(exponent)))
    for name, shape in SHAPES.items():
        yield Case("Pow", f"2-{name}", (In(shape), scalar(2.0)))
        yield Case("Pow", f"0.5-{name}", (In(shape, "positive"), scalar(0.5)))
    yield Case("Pow", "4", (In((2, 3, 4, 5), "signed"), scalar(4.0)))
    yield Case("Pow", "shared-0.5", (In((1, 3, 17, 19), "positive"), scalar(0.5)), shared=True)
    yield Case("Pow", "shared-2", (In((1, 3, 17, 19)), scalar(2.0)), shared=True)
    yield Case("Pow", "shape-1", (In((2, 3, 4, 5), "signed"), floats(2.0)))
    yield Case("Pow", "computed", (In((2, 3), "positive"), In((2, 3))))
    yield Case("Pow", "base", (scalar(2.0), In((2, 3, 4, 5))))


def _prelu() -> Iterator[Case]:
    x = In((2, 6, 7, 5))
    yield Case("PRelu", "channel", (x, Const((6, 1, 1), "probability")))
    yield Case("PRelu", "channel-negative", (x, Const((6, 1, 1))))
    yield Case("PRelu", "shared-steep", (x, Const((6, 1, 1), "positive")), shared=True)
    yield Case("LeakyRelu", "steep", (x,), {"alpha": 2.0})
    yield Case("LeakyRelu", "shared-steep", (x,), {"alpha": 2.0}, shared=True)
    yield Case("PRelu", "one", (x, floats(0.25)))
    yield Case("PRelu", "one-4d", (x, Const((1, 1, 1), "probability")))
    yield Case("PRelu", "2d", (In((3, 70)), Const((70,), "probability")))
    yield Case("PRelu", "2d-one", (In((3, 70)), floats(0.25)))
    yield Case("PRelu", "3d", (In((2, 6, 9)), Const((6, 1), "probability")))
    yield Case("PRelu", "70", (In((1, 70, 9, 5)), Const((70, 1, 1), "probability")))
    yield Case("PRelu", "tall", (In((1, 4, 600, 250)), Const((4, 1, 1), "probability")))
    yield Case("PRelu", "1d", (In((9,)), Const((9,), "probability")))
    yield Case("PRelu", "spatial", (x, Const((1, 7, 5), "probability")))


def _softmax() -> Iterator[Case]:
    for op in ("Softmax", "LogSoftmax"):
        for name, shape in SHAPES.items():
            if op == "Softmax" or name in FEW:
                yield Case(op, name, (In(shape),))
        for axis in range(4):
            yield Case(op, f"axis{axis}", (In((2, 5, 7, 6)),), {"axis": axis})
        for axis in range(5):
            yield Case(op, f"5d-axis{axis}", (In((2, 3, 4, 5, 6)),), {"axis": axis})
        for axis in range(3):
            yield Case(op, f"3d-axis{axis}", (In((3, 70, 9)),), {"axis": axis})
        yield Case(op, "2d-axis0", (In((30, 7)),), {"axis": 0})
        yield Case(op, "classes", (In((2, 1000)),))
        yield Case(op, "rows", (In((130, 16)),))
        yield Case(op, "many-classes", (In((1, 24_000)),))
        yield Case(op, "vocabulary", (In((1, 50_257)),))
        yield Case(op, "shared", (In((1, 3, 17, 19)),), shared=True)
        yield Case(op, "wide", (In((1, 4, 5, 33), "wide"),))
        yield Case(op, "hundred", (In((1, 4, 5, 33), "hundred"),), {"axis": 1})
        yield Case(op, "one", (In((3, 4, 5, 1)),))
        yield Case(op, "attention", (In((1, 12, 64, 64)),))
        yield Case(op, "segmentation", (In((1, 21, 65, 65)),), {"axis": 1})


def _where() -> Iterator[Case]:
    for name, shape in SHAPES.items():
        yield Case("Where", name, (_bits(*shape), In(shape), In(shape)))
    c, x = _bits(2, 3, 4, 5), In((2, 3, 4, 5))
    yield Case("Where", "fill", (c, scalar(-1000.0), x))
    yield Case("Where", "keep", (c, x, scalar(-1000.0)))
    yield Case("Where", "fill-1", (c, floats(-7.0), x))
    yield Case("Where", "scalars", (c, scalar(1.5), scalar(-0.5)))
    yield Case("Where", "condition-row", (_bits(1, 1, 1, 5), x, x))
    yield Case("Where", "condition-channel", (_bits(1, 3, 1, 1), x, x))
    yield Case("Where", "condition-lower-rank", (_bits(4, 5), x, x))
    yield Case("Where", "condition-mask", (_bits(2, 1, 4, 5), x, scalar(0.0)))
    yield Case("Where", "first-channel", (c, In((1, 3, 1, 1)), x))
    yield Case("Where", "second-row", (c, x, In((5,))))
    yield Case("Where", "condition-constant", (Const((2, 3, 4, 5), "bits", "bool"), x, x))
    yield Case("Where", "condition-constant-row", (Const((5,), "bits", "bool"), x, scalar(0.5)))
    yield Case("Where", "first-constant", (c, Const((2, 3, 4, 5)), x))
    yield Case("Where", "second-constant-channel", (c, x, Const((3, 1, 1))))
    yield Case("Where", "condition-larger", (c, In((1, 3, 1, 1)), In((1, 1, 4, 1))))


def _mod() -> Iterator[Case]:
    x = In((2, 3, 4, 5), "signed")
    yield Case("Mod", "fmod", (x, In((2, 3, 4, 5), "positive")), {"fmod": 1})
    yield Case("Mod", "fmod-negative", (x, In((2, 3, 4, 5), "signed")), {"fmod": 1})
    yield Case("Mod", "fmod-scalar", (In((2, 3, 4, 5), "wide"), scalar(2.5)), {"fmod": 1})
