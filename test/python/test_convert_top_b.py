"""Conversions of elementwise ops, comparisons, reductions, views and indexing to Top.

The cases of one group are one model, so that it is compiled once; its numbers are those of ONNX Runtime.
"""

from __future__ import annotations

import math

import numpy as np
import onnx
import pytest
import top_numbers
from convert_toolchain import needs_toolchain
from onnx import TensorProto, helper
from sampled import sample
from top_numbers import RNG, Array, Case, Given, build, given, ints, normal, number, op
from xdsl.dialects import func

from autosplit.core.weights import WeightStore
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_onnx_to_top.parts.shapes import (
    broadcast_groups,
    cuts,
    moving_groups,
    spans,
)
from autosplit.lowering.top.identities import identities

top_numbers.restart()


def flags(*shape: int) -> Array:
    return RNG.standard_normal(shape) > 0


def positive(*shape: int) -> Given:
    return Given(np.abs(normal(*shape)) + np.float32(0.25))


X = normal(2, 3, 4, 5)
TIES = "0 -0. 1 -1 .5 1.5 2.5 -.5 -1.5 -2.5 .49999997 -.49999997"
SPECIAL = np.array(
    f"{TIES} 1e4 -1e4 8388609 16777217 1e9 -1e9 3.7 -3.7 100 -100 7 1e-8 -1e-8".split(), np.float32
).reshape(1, 1, 5, 5)
MASK = flags(2, 3, 4, 5)
SIGNED_ZEROS = np.array([[0.0, -0.0, 0.0, -0.0, 1, np.inf, -np.inf, 2]], np.float32)
ZEROS = np.array([[-0.0, 0.0, 0.0, -0.0, 1, np.inf, np.inf, 1]], np.float32)
INFINITE = np.array([np.inf, -np.inf, np.nan, 1, 2, 3, 4, 5], np.float32)
CHOICE = np.array([False, True, False, True, True, False, True, False])

BINARY_SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 3, 4, 5), (2, 3, 4, 5)),
    ((1, 3, 4, 5), (1, 3, 1, 1)),
    ((1, 3, 1, 5), (1, 1, 4, 1)),
    ((2, 1, 4, 1), (1, 3, 1, 5)),
    ((4, 5), (2, 3, 4, 1)),
    ((1,), (2, 3)),
    ((3,), (3,)),
    ((2, 3, 2, 3, 2), (3, 1, 3, 1)),
    ((2, 2, 3, 2, 3, 2), (2, 1, 2, 1, 2)),
    ((2, 1, 3, 1, 2, 1), (1, 2, 1, 3, 1, 2)),
    ((2, 2, 2, 2, 2, 2, 3), (3,)),
]


def binaries(kind: str) -> list[Case]:
    found = [op(kind, given(*a), positive(*b)) for a, b in BINARY_SHAPES]
    x = given(2, 3, 4)
    return [
        *found,
        op(kind, x, 0),
        op(kind, given(2, 3, 4), number(2.5)),
        op(kind, np.array([2.5], np.float32), positive(2, 3, 4)),
        op(kind, given(3, 4), np.full((1, 1, 1), 2.5, np.float32)),
        op(kind, given(1, 3, 1, 5), np.abs(normal(3, 4, 1)) + np.float32(0.25)),
        op(kind, normal(2, 3, 2, 3, 2), positive(3, 1, 3, 1)),
    ]


GATHERS = [
    op("Gather", given(20, 3), RNG.integers(-20, 20, (5, 7)), axis=0),
    op("GatherElements", given(2, 3, 4), RNG.integers(-3, 3, (2, 5, 4)), axis=1),
    op("GatherElements", given(2, 9), np.array([[8], [-9]]), axis=-1),
    op("Gather", normal(50, 8), Given(np.array([[3, 49, -7], [0, 20, -50]])), axis=0),
    op("Gather", given(2, 30, 3), Given(ints(29, 0, -1, 5)), axis=1),
    op("GatherElements", given(2, 9), Given(np.array([[8, -9, 0], [3, 1, -1]])), axis=1),
    op("GatherElements", given(2, 3, 4), Given(np.array([[[1, -1, 0, 0]]])), axis=0),
    op("GatherND", given(2, 3, 4), Given(np.array([[0, 1], [1, -1], [-2, 0]]))),
    op("GatherND", given(2, 3, 4), Given(np.array([[[2, 3]], [[0, -1]]])), batch_dims=1),
]
"""Each is a Gather, but for BM1684, for which it is a product with rows of zeros and a single 1."""


CASES: dict[str, list[Case]] = {
    **{kind.lower(): binaries(kind) for kind in ("Add", "Sub", "Mul", "Div")},
    "extremes": [
        op("Max", given(2, 3, 4), number(0.25)),
        op("Min", number(0.25), given(2, 3, 4)),
        op("Max", given(2, 3, 4), given(3, 1), normal(2, 1, 1)),
        op("Min", given(2, 3, 4), given(4), given(1)),
        op("Max", given(2, 3, 2, 3, 2), given(3, 1, 3, 1)),
        op("Max", Given(SIGNED_ZEROS), number(-math.inf)),
        op("Sum", given(2, 3, 4), normal(4), given(3, 1), given(2, 3, 4)),
        op("Sum", given(2, 3)),
        op("Mean", given(2, 3, 4), normal(4), given(3, 1)),
        op("Mean", given(2, 3), given(2, 3)),
        op("Mean", given(2, 3)),
    ],
    "functions": [
        op("Abs", Given(SPECIAL)),
        op("Ceil", Given(SPECIAL)),
        op("Floor", Given(SPECIAL)),
        op("Round", Given(SPECIAL)),
        op("Sign", Given(SPECIAL)),
        op("Neg", Given(SPECIAL)),
        op("Reciprocal", positive(2, 3)),
        op("Sqrt", positive(2, 3)),
        op("Exp", given(3, 4, 5)),
        op("Log", positive(3, 4, 5)),
    ],
    "transcendental": [
        op("Erf", Given(np.linspace(-5, 5, 101, dtype=np.float32))),
        op("Cosh", Given(np.linspace(-6, 6, 60, dtype=np.float32).reshape(3, 4, 5))),
        op("Sinh", Given(np.linspace(-6, 6, 60, dtype=np.float32).reshape(3, 4, 5))),
    ],
    "angles": [
        op("Cos", Given(np.linspace(-6, 6, 60, dtype=np.float32))),
        op("Sin", Given(np.linspace(-6, 6, 60, dtype=np.float32))),
        op("Tan", Given(np.linspace(-1.5, 1.5, 60, dtype=np.float32))),
    ],
    "angles back": [
        op("Acos", Given(np.linspace(-1, 1, 101, dtype=np.float32))),
        op("Asin", Given(np.linspace(-1, 1, 101, dtype=np.float32))),
        op("Asinh", Given(np.linspace(-90, 90, 101, dtype=np.float32))),
        op("Acosh", Given(np.linspace(1, 90, 101, dtype=np.float32))),
        op("Atan", Given(np.linspace(-9, 9, 101, dtype=np.float32).reshape(1, 101))),
        op("Atanh", Given(np.linspace(-0.95, 0.95, 60, dtype=np.float32))),
    ],
    "powers": [
        *[op("Pow", given(2, 3, 4), number(e)) for e in (1, 2, 3, 4, 7)],
        *[op("Pow", positive(2, 3, 4), number(e)) for e in (-1, -2, 0.5, -0.5, 2.5, 1 / 3, -1.5)],
        op("Pow", positive(2, 3), np.full((1, 1, 1), 2.5, np.float32)),
        *[op("Pow", number(base), given(2, 3, 4)) for base in (2, 10, 0.5, 1)],
    ],
    "remainders": [
        *[op("Mod", Given(SPECIAL), number(by), fmod=1) for by in (1, 2, -4, 0.125)],
        op("Mod", given(3, 4), np.full((1, 1, 1), 0.5, np.float32), fmod=1),
    ],
    "comparisons": [
        *[
            op(kind, *operands)
            for kind in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
            for operands in (
                (Given(SIGNED_ZEROS), Given(ZEROS)),
                (Given(SIGNED_ZEROS), number(0)),
                (np.array([1], np.float32), Given(SIGNED_ZEROS)),
                (Given(np.round(X)), Given(np.round(X[:1, :, :1]))),
                (np.round(X[:1, :, :1]), Given(np.round(X))),
            )
        ],
    ],
    "logic": [
        *[
            op(kind, Given(flags(2, 3, 4)), operand)
            for kind in ("And", "Or", "Xor", "Equal")
            for operand in (Given(flags(2, 3, 4)), Given(flags(3, 1)), flags(4))
        ],
        op("Not", Given(flags(2, 3, 4))),
    ],
    "where": [
        op("Where", Given(MASK), given(2, 3, 4, 5), given(2, 3, 4, 5)),
        op("Where", Given(MASK[:1, :, :1]), given(2, 3, 4, 5), given(4, 1)),
        op("Where", Given(MASK[0, 0]), given(3, 1, 1), normal(2, 1, 1, 5)),
        op("Where", MASK, given(2, 3, 4, 5), given(5)),
        op("Where", Given(CHOICE), Given(INFINITE), Given(INFINITE[::-1].copy())),
        op("Where", Given(CHOICE), number(0), Given(INFINITE)),
        op("Where", Given(CHOICE), Given(INFINITE), number(-1e9)),
        op("Where", Given(MASK), number(-math.inf), given(2, 3, 4, 5)),
        op("Where", Given(MASK), given(2, 3, 4, 5), number(math.inf)),
        op("Where", Given(MASK), number(2), number(3)),
        op("Where", Given(MASK[0, 0]), number(2), given(2, 3, 1, 1)),
        op("Where", Given(flags(3, 1, 3, 1)), given(2, 3, 2, 3, 2), number(1)),
    ],
    "casts": [
        op("Cast", Given(MASK), to=TensorProto.FLOAT),
        op("Cast", Given(SPECIAL), to=TensorProto.BOOL),
        op("Cast", Given(SPECIAL), to=TensorProto.INT64),
        op("Cast", Given(np.arange(-4, 8, dtype=np.int64)), to=TensorProto.FLOAT),
        op("Cast", Given(np.arange(-4, 8, dtype=np.int32)), to=TensorProto.BOOL),
        op("Cast", Given(MASK), to=TensorProto.INT32),
    ],
    "reductions": [
        *[
            op(f"Reduce{kind}", given(*shape), *([] if axes is None else [ints(*axes)]), **keep)
            for kind in ("L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
            for shape, axes, keep in (
                ((2, 3, 4, 5), (2, -1), {}),
                ((2, 3, 4, 5), (3, 1), {"keepdims": 0}),
                ((2, 3, 4, 5), (0,), {"keepdims": 0}),
                ((2, 3, 2, 3, 2), (1, 3), {"keepdims": 0}),
                ((3, 5), (1,), {"keepdims": 0}),
                ((3, 5), None, {}),
            )
        ],
        op("ReduceL2", given(2, 3), noop_with_empty_axes=1),
        op("ReduceSumSquare", given(2, 3), noop_with_empty_axes=1),
        op("ReduceLogSum", positive(2, 3, 4), ints(0, 2), keepdims=0),
        op("ReduceLogSum", positive(2, 3, 4), ints(1)),
    ],
    "positions": [
        *[
            op(kind, Given(np.round(X)), axis=axis, **more)
            for kind in ("ArgMax", "ArgMin")
            for axis, more in (
                (1, {}),
                (-1, {"keepdims": 0}),
                (2, {"select_last_index": 1}),
                (3, {"select_last_index": 1, "keepdims": 0}),
            )
        ],
    ],
    "largest first": [
        op("TopK", Given(np.round(X)), ints(3), axis=1, results=2),
        op("TopK", given(2, 40), ints(8), results=2),
        op("TopK", Given(np.round(X)), ints(4), axis=2, largest=0, results=2),
        op("TopK", Given(np.array([[-np.inf, 1, 5, -np.inf, 2]], np.float32)), ints(3), results=2),
        op("Hardmax", Given(np.round(X)), axis=1),
        op("Hardmax", Given(np.round(X))),
    ],
    "sums": [
        op("CumSum", given(2, 3, 4, 5), np.array(1)),
        op("CumSum", given(2, 3, 4, 5), np.array(-1), exclusive=1),
        op("CumSum", given(6), ints(0), reverse=1),
        op("CumSum", given(3, 4), np.array(0), reverse=1, exclusive=1),
    ],
    "reshaped": [
        op("Reshape", given(2, 3, 4, 5), ints(0, -1, 10)),
        op("Reshape", Given(MASK), ints(-1)),
        op("Flatten", given(2, 3, 4, 5), axis=2),
        op("Flatten", given(2, 3), axis=0),
        op("Squeeze", given(1, 3, 1, 5), ints(0, -2)),
        op("Squeeze", given(1, 3, 1, 5)),
        op("Unsqueeze", given(3, 4), ints(0, -1)),
        op("Expand", given(1, 3, 1, 5), ints(2, 3, 4, 5)),
        op("Expand", given(3, 1), ints(2, 1, 4)),
        op("Tile", given(2, 3, 4, 5), ints(1, 2, 1, 3)),
        op("Tile", given(2, 2, 2, 3, 2), ints(2, 1, 1, 2, 2)),
        op("Identity", given(2, 3)),
        op("Dropout", given(2, 3)),
    ],
    "turned": [
        op("Transpose", given(2, 3, 4, 5), perm=[0, 2, 3, 1]),
        op("Transpose", given(2, 3, 4)),
        op("Transpose", given(2, 3, 2, 3, 2), perm=[3, 1, 4, 0, 2]),
        op("Transpose", given(2, 2, 3, 2, 3, 2), perm=[5, 2, 0, 4, 1, 3]),
        op("Transpose", given(2, 2, 2, 2, 2, 2, 3), perm=[6, 3, 1, 5, 4, 2, 0]),
        op("Transpose", given(2, 1, 2, 2, 3, 2, 2, 3), perm=[7, 1, 0, 5, 4, 2, 3, 6]),
        op("Transpose", Given(MASK), perm=[3, 2, 1, 0]),
    ],
    "joined": [
        op("Concat", given(2, 3, 4, 5), normal(2, 2, 4, 5), 0, axis=-3),
        op("Concat", normal(6), given(3), axis=0),
        op("Concat", given(2, 2, 3, 2, 3), given(2, 2, 3, 2, 1), axis=4),
        op("Concat", given(2, 3), axis=1),
        op("Split", given(2, 3, 4, 5), ints(1, 2), axis=1, results=2),
        op("Split", given(2, 9), axis=-1, num_outputs=3, results=3),
        op("Split", given(2, 7), axis=1, num_outputs=3, results=3),
        op("Split", given(2, 2, 2, 2, 3), ints(1, 1, 1), axis=4, results=3),
    ],
    "cut": [
        op("Slice", given(2, 3, 4, 5), ints(1, -3), ints(9, -1), ints(1, -1)),
        op("Slice", given(2, 3, 4, 5), ints(0, 1), ints(4, 1 << 62), ints(2, 3), ints(2, 3)),
        op("Slice", given(2, 3, 4, 5), ints(-1, 4), ints(-99, 0), ints(1, 3), ints(-1, -2)),
        op("Slice", given(7), ints(5), ints(0), ints(0), ints(-2)),
        op("Slice", given(2, 2, 3, 2, 3, 2), ints(1, 0), ints(3, 1), ints(2, 5)),
        op("Slice", given(2, 3), ints(0), ints(9)),
    ],
    "padded": [
        op("Pad", given(2, 3, 4, 5), ints(0, 0, 1, 2, 0, 0, 3, 0)),
        op("Pad", given(2, 3, 4, 5), ints(1, 1, 0, 0, 0, 2, 0, 1), number(-2.5)),
        op("Pad", given(2, 3, 4, 5), ints(1, 2, 2, 1), None, ints(2, -1), mode="reflect"),
        op("Pad", given(2, 3, 4, 5), ints(1, 2, 1, 0), None, ints(1, 0), mode="edge"),
        op("Pad", given(2, 3, 4, 5), ints(2, 1, 1, 0), None, ints(1, 3), mode="wrap"),
        op("Pad", given(6), ints(2, 3), mode="reflect"),
        op("Pad", given(2, 2, 3, 2, 3, 2), ints(1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2)),
        op("Pad", given(4, 5), ints(-1, 2, 1, -2)),
        op("Pad", given(4, 5), ints(-1, 0, 0, -2)),
    ],
    "gathered": [
        op("Gather", given(2, 3, 4, 5), ints(0, -1), axis=1),
        op("Gather", given(2, 3, 4, 5), np.array(2), axis=-1),
        op("Gather", given(2, 3, 4, 5), np.array([[3, 0], [1, 2]]), axis=2),
        op("GatherND", given(2, 3, 4), np.array([[0, 1], [1, -1], [0, 0]])),
        op("GatherND", given(2, 3, 4), np.array([[[2, 3]], [[0, 0]]]), batch_dims=1),
        op("ReverseSequence", given(5, 3, 2), ints(5, 5, 5)),
        op("ReverseSequence", given(5, 3, 2), ints(1, 4, 0)),
        op("ReverseSequence", given(3, 5), ints(2, 5, 3), batch_axis=0, time_axis=1),
        *GATHERS,
    ],
    "scattered": [
        op("ScatterND", given(2, 3, 4), np.array([[0, 1], [1, 2]]), given(2, 4)),
        op("ScatterND", given(6), np.array([[5], [-6]]), normal(2)),
        op("ScatterElements", given(3, 5), np.array([[1, 3], [0, -1]]), given(2, 2), axis=1),
        *[
            op(kind, given(3, 5), np.array(indices), given(*updates), reduction=how)
            for how in ("add", "mul", "max", "min")
            for kind, indices, updates in (
                ("ScatterND", [[1], [1], [-2]], (3, 5)),
                ("ScatterElements", [[1, 2, 1], [1, -1, 0]], (2, 3)),
            )
        ],
        op("OneHot", Given(np.array([[1, 0], [-1, 9]])), ints(4), np.array([0, 1], np.float32)),
        op("OneHot", Given(ints(1, 0, 2)), ints(3), np.array([2, -3], np.float32), axis=0),
        op("Trilu", given(2, 4, 5)),
        op("Trilu", given(4, 4), np.array(1), upper=1),
        op("Trilu", given(2, 2, 5, 4), np.array(-1), upper=0),
    ],
}


@needs_toolchain
@pytest.mark.parametrize("group", sample(CASES, 10))
def test_numbers(group: str) -> None:
    model, feeds = build(CASES[group])
    top_numbers.compare(model, feeds)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("chip", ["bm1684x", "bm1688"])
def test_numbers_of_other_chips(chip: str) -> None:
    """One case of each group: `autosplit probe` has them all."""
    model, feeds = build([cases[0] for cases in CASES.values()] + GATHERS)
    top_numbers.compare(model, feeds, chip)


# Without the tool chain: what is emitted


def emitted(*cases: Case) -> list[TopOp]:
    model, _ = build(cases)
    module = top_numbers.top_module(model)
    module.verify()
    return [o for o in module.walk() if isinstance(o, TopOp)]


def kinds(*cases: Case) -> list[str]:
    return [o.kind for o in emitted(*cases) if o.kind not in ("Input", "None")]


@pytest.mark.parametrize("group", CASES)
def test_every_case_is_accepted(group: str) -> None:
    """Also on chips that lack the ops that are written out."""
    model, _ = build(CASES[group])
    for chip in ("bm1684", "bm1684x", "bm1688"):
        assert top_numbers.refusals(model, chip) == []
        top_numbers.top_module(model, chip).verify()


EMITTED: dict[str, tuple[Case, list[str]]] = {
    "number": (op("Add", given(2, 3), number(2)), ["AddConst"]),
    "number first": (op("Sub", number(2), given(2, 3)), ["SubConst"]),
    "weight second": (op("Mul", normal(3), given(2, 3)), ["Weight", "Mul"]),
    "order of Sub": (op("Sub", normal(3), given(2, 3)), ["Weight", "Sub"]),
    "reciprocal": (op("Div", number(2), given(2, 3)), ["Reciprocal"]),
    "by zero": (op("Div", given(2, 3), number(0)), ["Weight", "Div"]),
    "tiny divisor": (op("Div", given(2, 3), number(1e-39)), ["Weight", "Div"]),
    "higher rank": (op("Add", given(3), np.ones((1, 1), np.float32)), ["Reshape", "AddConst"]),
    "seventh power": (op("Pow", given(3), number(7)), ["Mul"] * 4),
    "one part": (op("Split", given(2, 3), axis=0, num_outputs=1), ["LeakyRelu"]),
    "nothing cut": (op("Slice", given(2, 3), ints(0), ints(9)), ["LeakyRelu"]),
    "backwards": (op("Slice", given(4), ints(3), ints(-9), None, ints(-1)), ["Reverse"]),
    "range": (op("Gather", given(9), ints(1, 3, 5)), ["Slice"]),
    "two ranges": (op("Gather", given(9), ints(1, 3, 5, 0, 1)), ["Slice", "Slice", "Concat"]),
    "mask": (op("Where", Given(CHOICE), number(-1e9), given(8)), ["MaskedFill"]),
    "cast": (op("Cast", Given(CHOICE), to=TensorProto.FLOAT), ["LeakyRelu"]),
}


@pytest.mark.parametrize("name", EMITTED)
def test_emitted(name: str) -> None:
    case, expected = EMITTED[name]
    assert kinds(case) == expected


def test_results_have_the_names_of_the_model() -> None:
    """Ops that only serve another one are called after it."""
    ops = emitted(op("ArgMax", given(2, 3), axis=1, select_last_index=1))
    assert [o.names[0] for o in ops if o.kind != "None"] == [
        "ArgMax0_0",
        "ArgMax0_result0/behind",
        "ArgMax0_result0/place",
        "ArgMax0_result0",
    ]


def test_an_operand_that_is_broadcast_in_many_dimensions_is_repeated() -> None:
    few = kinds(op("Add", given(2, 3, 2, 3), given(3, 1, 3)))
    many = kinds(op("Add", given(2, 3, 2, 3, 2), given(3, 1, 3, 1)))
    assert (few, many.count("Tile"), many[-1]) == (["Add"], 3, "Add")


def test_groups_of_dimensions() -> None:
    assert broadcast_groups((2, 3, 4), (2, 3, 4)) == [(False, False)]
    assert broadcast_groups((2, 3, 1, 1), (4,)) == [(False, True), (True, False)]
    assert broadcast_groups((1, 1), (1,)) == []
    assert moving_groups([0, 2, 3, 1], (2, 3, 4, 5)) == [0, 2, 1]
    assert moving_groups([2, 0, 1, 3], (1, 3, 4, 5)) == [2, 1, 3]


def test_cuts_are_counted_as_numpy_does() -> None:
    """But for a start before the first element: backwards, ONNX begins with that one."""
    for start in range(-7, 8):
        for end in (-9, -3, 0, 2, 5, 99):
            for step in (-3, -1, 1, 2):
                (cut,) = cuts((5,), [start], [end], None, [step])
                taken = np.arange(5)[max(start, -5) if step < 0 else start : end : step]
                assert cut.count == len(taken)
                if cut.count:
                    f = cut.forwards()
                    found = np.arange(5)[f.start :: f.step][: f.count]
                    assert list(found[:: -1 if step < 0 else 1]) == list(taken)


def test_spans_are_the_positions() -> None:
    for _ in range(50):
        positions = [int(p) for p in RNG.integers(0, 6, 7)]
        spanned = [s + i * step for s, step, n in spans(positions) for i in range(n)]
        assert spanned == positions


# Outputs that the tool chain would make one, or nothing, of

Node = tuple[str, list[str], str]

ONE: dict[str, list[Node]] = {
    "copies of an input": [("Identity", ["x"], "a"), ("Identity", ["x"], "b")],
    "equal ops": [("Tanh", ["x"], "a"), ("Tanh", ["x"], "b")],
    "equal chains": [
        ("Abs", ["x"], "p"),
        ("Exp", ["p"], "a"),
        ("Abs", ["x"], "q"),
        ("Exp", ["q"], "b"),
    ],
    "views": [
        ("Abs", ["x"], "a"),
        ("Reshape", ["a", "flat"], "p"),
        ("Reshape", ["p", "full"], "b"),
    ],
    "times one": [("Abs", ["x"], "a"), ("Mul", ["a", "one"], "b"), ("Mul", ["a", "one"], "c")],
    "moved and back": [("Transpose", ["x"], "p"), ("Transpose", ["p"], "a")],
    "twice the opposite": [("Neg", ["x"], "p"), ("Neg", ["p"], "a")],
    "an output that others read": [("Abs", ["x"], "p"), ("Exp", ["p"], "a"), ("Abs", ["x"], "b")],
}


@pytest.mark.parametrize("name", ONE)
def test_each_output_is_computed_by_an_op_of_its_own(name: str) -> None:
    model, _ = one(name)
    (main,) = [o for o in top_numbers.top_module(model).walk() if isinstance(o, func.FuncOp)]
    made = main.get_return_op()
    assert made is not None
    owners = [v.owner for v in made.operands]
    assert [o.names[0] for o in owners if isinstance(o, TopOp)] == [
        o.name for o in model.graph.output
    ]
    block = main.body.block
    keys = identities(block, WeightStore())
    assert len({keys[v] for v in made.operands}) == len(owners)
    assert not any(keys[v].changes_nothing for v in made.operands)


@needs_toolchain
@pytest.mark.parametrize("name", sample(ONE))
def test_outputs_of_one_value_are_computed(name: str) -> None:
    top_numbers.compare(*one(name))


def one(name: str) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """A model of the nodes; its outputs are `a`, `b` and `c`."""
    nodes = [helper.make_node(kind, operands, [made], made) for kind, operands, made in ONE[name]]
    constants = {"flat": ints(6, 20), "full": ints(2, 3, 4, 5), "one": np.ones(1, np.float32)}
    feeds = {"x": np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)}
    outputs = [made for _, _, made in ONE[name] if made in "abc"]
    return top_numbers.many_ops(nodes, feeds, outputs, constants), feeds
