"""Chains of ops whose sizes vary: what compilers fuse, and what networks are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autosplit.probe.case import (
    Case,
    Const,
    In,
    Literal,
    Operand,
    floats,
    ints,
    scalar,
)
from autosplit.probe.cases_elementwise import UNARY
from autosplit.probe.varying_sizes import ANY, EVEN_IMAGE, HEADS, IMAGE, PREFIX, ROWS, TOKENS, Runs

if TYPE_CHECKING:
    from onnx import NodeProto

CHAIN = "Chain"
"""What stands for an op type in the keys of chains."""

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

        results: list[str] = []
        nodes: list[NodeProto] = []
        for i, (op, operands, attributes) in enumerate(self.steps):
            indices = [int(o) for o in operands.split()]
            inputs = [results[index] if index < 0 else names[index] for index in indices]
            results.append(outputs[0] if i == len(self.steps) - 1 else f"m{i}")
            nodes.append(
                helper.make_node(op, inputs, results[-1:], name=f"{op.lower()}{i}", **attributes)
            )
        return nodes


def chains() -> Iterator[Case]:
    """All of them."""
    yield from _behind()
    yield from _among()
    yield from _chains()


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


def rows() -> Iterator[Case]:
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
    yield from rows()
    yield from _normalized()
    yield from _convolved()
    yield from _pooled()
    yield from _of_tokens()
    yield from _reduced()
    yield from _recognizing()


def _normalized() -> Iterator[Case]:
    """Around a norm, and behind a number."""
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


SAME = {"pads": [1, 1, 1, 1]}
WEIGHTS = Const((6, 6, 3, 3), "tenth")
FIRST = _step("Conv", "0 1", SAME)


def _convolved() -> Iterator[Case]:
    """What follows convolutions in the trunk of a network."""
    for op in ("HardSwish", "LeakyRelu", "Relu", "Sigmoid", "Tanh"):
        yield from _chain(
            f"conv-{op.lower()}-conv",
            IMAGE,
            (WEIGHTS, WEIGHTS),
            FIRST,
            (op, "-1", {}),
            _step("Conv", "-1 2", SAME),
        )
    silu = (_step("Sigmoid", "-1"), _step("Mul", "-1 -2"))
    yield from _chain(
        "conv-silu-conv", IMAGE, (WEIGHTS, WEIGHTS), FIRST, *silu, _step("Conv", "-1 2", SAME)
    )
    clip = _step("Clip", "-1 2 3")
    yield from _chain("conv-clip", IMAGE, (WEIGHTS, scalar(0.0), scalar(6.0)), FIRST, clip)
    c = Const((6,))
    statistics = (WEIGHTS, c, c, c, Const((6,), "positive"))
    norm = (_step("BatchNormalization", "-1 2 3 4 5"), _step("Relu", "-1"))
    yield from _chain("conv-norm-relu", IMAGE, statistics, FIRST, *norm)
    relu, pool = (
        _step("Relu", "-1"),
        _step("MaxPool", "-1", {"kernel_shape": [2, 2], "strides": [2, 2]}),
    )
    back = (_step("Conv", "-1 2", SAME), _step("Add", "-1 -2"))
    yield from _chain(
        "conv-relu-pool-conv-add", EVEN_IMAGE, (WEIGHTS, WEIGHTS), FIRST, relu, pool, *back
    )
    yield from _chain(
        "residual",
        IMAGE,
        (WEIGHTS, WEIGHTS),
        FIRST,
        relu,
        _step("Conv", "-1 2", SAME),
        _step("Add", "-1 0"),
        relu,
    )


def _pooled() -> Iterator[Case]:
    """What changes the size of images, or ends in one number a channel."""
    nearest = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    up = _step("Resize", "-1 3 4", nearest)
    down = _step("Conv", "0 1", {"strides": [2, 2], **SAME})
    yield from _chain(
        "conv-resize-concat",
        EVEN_IMAGE,
        (WEIGHTS, WEIGHTS, None, floats(1.0, 1.0, 2.0, 2.0)),
        down,
        up,
        _step("Concat", "-1 0", {"axis": 1}),
    )
    squeeze = (
        _step("GlobalAveragePool", "-1"),
        _step("Conv", "-1 2"),
        _step("Sigmoid", "-1"),
        _step("Mul", "-1 -4"),
    )
    yield from _chain("squeeze-excite", IMAGE, (WEIGHTS, Const((6, 6, 1, 1))), FIRST, *squeeze)
    head = (
        _step("GlobalAveragePool", "-1"),
        _step("Flatten", "-1"),
        _step("Gemm", "-1 2"),
        _step("Softmax", "-1"),
    )
    yield from _chain("classifier", IMAGE, (WEIGHTS, Const((6, 9))), FIRST, *head)


def _of_tokens() -> Iterator[Case]:
    """What transformers are made of."""
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


def _reduced() -> Iterator[Case]:
    """Norms as they are written out."""
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


def _recognizing() -> Iterator[Case]:
    """What networks end with that read text or find objects."""
    words = (
        _step("Transpose", "-1", {"perm": [0, 2, 3, 1]}),
        _step("Reshape", "-1 2"),
        _step("MatMul", "-1 3"),
        _step("Softmax", "-1"),
    )
    yield from _chain("recognition", IMAGE, (WEIGHTS, ints(0, -1, 6), Const((6, 9))), FIRST, *words)
    lstm = (
        _step("Transpose", "0", {"perm": [1, 0, 2]}),
        _step("LSTM", "-1 1 2", {"hidden_size": 6}),
        _step("Squeeze", "-1 3"),
        _step("MatMul", "-1 4"),
    )
    recurrent = (Const((1, 24, 32), "tenth"), Const((1, 24, 6), "tenth"), ints(1), Const((6, 9)))
    yield from _chain("lstm", TOKENS, recurrent, *lstm)
    yolo = (
        _step("Conv", "0 2", SAME),
        _step("Concat", "-2 -1", {"axis": 1}),
        _step("Reshape", "-1 3"),
        _step("Sigmoid", "-1"),
    )
    yield from _chain("two-heads", IMAGE, (WEIGHTS, WEIGHTS, ints(0, 12, -1)), FIRST, *yolo)
