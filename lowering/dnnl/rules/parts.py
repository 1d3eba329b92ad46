"""The parts of fusion rules: a root op, sources of its operands, a tail after it, and conditions.

A rule begins at a root op. Its operands come from `Source`s (the dequantizes); its result is followed by a
tail of `Step`s and `Choice`s, each reading the result of the one before. `versions` has the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from autosplit.core.versions import Version

UNARY = (
    *("Abs", "Clamp", "Elu", "Exp", "GELU", "HardSigmoid", "HardSwish", "LeakyReLU", "Log"),
    *("Mish", "ReLU", "Round", "Sigmoid", "SoftPlus", "Sqrt", "Square", "Tanh"),
)
BINARY = ("Add", "Subtract", "Maximum", "Minimum", "Multiply", "Divide")
ELEMENTWISE = (*UNARY, *BINARY)
COMMUTATIVE = frozenset({"Add", "Multiply", "Maximum", "Minimum"})
"""Kinds that a chain may enter by either operand; all others only by the one that a step names."""
REDUCE = tuple(f"Reduce{k}" for k in ("L1", "L2", "Max", "Mean", "Min", "Prod", "Sum"))
CASTS = frozenset({"Quantize", "Dequantize"})
POOLS = ("AvgPool", "MaxPool")
PRODUCTS = ("Convolution", "ConvTranspose", "MatMul")


class Candidate(Protocol):
    """The properties of an op that checks use; `match.Node` implements it."""

    @property
    def kind(self) -> str: ...
    @property
    def operand_count(self) -> int: ...
    def text(self, name: str) -> str: ...
    def flag(self, name: str) -> bool: ...
    def ints(self, name: str) -> list[int]: ...
    def given(self, name: str) -> object: ...
    def reads(self, dtype: str, start: int = 0) -> bool: ...
    def makes(self, dtype: str) -> bool: ...
    def producer_inputs(self) -> int: ...
    def reads_constant(self) -> bool: ...
    def feeds(self, kind: str) -> bool: ...
    def one_scale(self) -> bool: ...
    def sum_type_fits(self) -> bool: ...
    def keeps_type(self) -> bool: ...
    def joins(self) -> bool: ...
    def adds_to_last(self) -> bool: ...
    def has_fast_operand(self) -> bool: ...
    def takes_mask(self) -> bool: ...
    def rank(self) -> int | None: ...
    def normalizes_last_axis(self) -> bool: ...
    def weights_are(self, size: int) -> bool: ...


@dataclass(frozen=True)
class Check:
    """A condition on an op beyond its kind: its text in the documentation, and the predicate."""

    text: str
    holds: Callable[[Candidate], bool]
    is_ours: bool = False
    """Whether the library also fuses without it, but then computes something else, or nothing."""


CHECKS: dict[str, Check] = {
    "two-operands": Check("2 operands", lambda op: op.operand_count == 2),
    "three-operands": Check("3 operands", lambda op: op.operand_count == 3),
    "unbiased": Check("nothing is added yet", lambda op: op.producer_inputs() == 2),
    "to-bf16": Check("writes bf16", lambda op: op.makes("bf16")),
    "to-f32": Check("writes f32", lambda op: op.makes("f32")),
    "of-bf16": Check("reads bf16", lambda op: op.reads("bf16")),
    "of-f32": Check("reads f32", lambda op: op.reads("f32")),
    "of-s8": Check("reads s8", lambda op: op.reads("s8")),
    "to-s8": Check("writes s8", lambda op: op.makes("s8")),
    "zero-points-0": Check("zero points are 0", lambda op: not any(op.ints("zps"))),
    "per-tensor": Check("per tensor", lambda op: op.text("qtype") == "per_tensor"),
    "f32-parameters": Check("parameters are f32", lambda op: op.reads("f32", start=1)),
    "no-broadcast": Check("auto_broadcast is none", lambda op: op.text("auto_broadcast") == "none"),
    "half-pixel": Check(
        "half-pixel coordinates",
        lambda op: op.text("coordinate_transformation_mode") == "half_pixel",
    ),
    "some-axes": Check("axes are not empty", lambda op: op.given("axes") != []),
    "pool-rounding": Check(
        "no AvgPool that rounds up and counts its padding",
        lambda op: (
            not (
                op.kind == "AvgPool"
                and op.text("rounding_type") == "ceil"
                and not op.flag("exclude_pad")
            )
        ),
    ),
    "one-scale": Check("all scales and zero points are equal", lambda op: op.one_scale()),
    "sum-type": Check(
        "the summand is per tensor and has the type of the final quantize (a Convolution to u8 may add s8)",
        lambda op: op.sum_type_fits(),
        is_ours=True,
    ),
    "per-tensor-only": Check(
        "per tensor", lambda op: op.text("qtype") == "per_tensor", is_ours=True
    ),
    "one-type": Check(
        "the same element type before and behind it", lambda op: op.keeps_type(), is_ours=True
    ),
    "joins": Check(
        "the operands are different values, and none makes the result larger",
        lambda op: op.joins(),
        is_ours=True,
    ),
    "fast-operand": Check(
        "the other operand has a shape that the product's kernel takes",
        lambda op: op.has_fast_operand(),
        is_ours=True,
    ),
    "mask": Check(
        "what is added is a mask of each image, for all heads",
        lambda op: op.takes_mask(),
        is_ours=True,
    ),
    "zero-points-0-only": Check(
        "zero points are 0", lambda op: not any(op.ints("zps")), is_ours=True
    ),
    "s8-weights": Check("reads s8", lambda op: op.reads("s8"), is_ours=True),
    "bias-last": Check(
        "not NCX behind a MatMul of more than 2 dimensions",
        lambda op: op.adds_to_last(),
        is_ours=True,
    ),
    "cannot-run": Check("the library groups it, but cannot run it", lambda op: False, is_ours=True),
    "constant": Check("of a constant", lambda op: op.reads_constant()),
    "no-quantize-next": Check("no Quantize behind it", lambda op: not op.feeds("Quantize")),
    "last-axis": Check("over the last axis", lambda op: op.normalizes_last_axis()),
    "weights-1": Check("weights of 1x1", lambda op: op.weights_are(1)),
    "weights-3": Check("weights of 3x3", lambda op: op.weights_are(3)),
    "rank-2-to-5": Check("rank 2 to 5", lambda op: op.rank() is None or 2 <= (op.rank() or 0) <= 5),
}


@dataclass(frozen=True)
class Link:
    """One op of a source: its kind and what must hold."""

    kind: str
    checks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """The ops that produce an operand, from the operand upwards, each read by nothing outside the group.

    `filled` may precede them and then joins (weights that are quantized in the graph). An `optional` source
    joins if it is present.
    """

    chain: tuple[Link, ...]
    filled: Link | None = None
    optional: bool = False


@dataclass(frozen=True)
class Step:
    """One op of the tail, or a repetition of `least` to `most` of them.

    The chain enters by operand `enters` (either one of a commutative op). `sources` produce the others. If
    `rereads`, another operand may be a value of the group too, as in x * sigmoid(x).
    """

    kinds: tuple[str, ...]
    least: int = 1
    most: int = 1
    checks: tuple[str, ...] = ()
    sources: tuple[tuple[int, Source], ...] = ()
    enters: int = 0
    rereads: bool = False

    @property
    def optional(self) -> bool:
        return self.least == 0


@dataclass(frozen=True)
class Choice:
    """The first of several tails that fits."""

    options: tuple[tuple[Step, ...], ...]
    optional: bool = False


Tail: TypeAlias = tuple[Step | Choice, ...]


@dataclass(frozen=True)
class Rule:
    """A group of ops that the library runs as one, from version `since` on and before `until`."""

    name: str
    doc: str
    root: Step
    tail: Tail = ()
    every: Source | None = None
    """The source of every operand of the root."""
    rereads_source: bool = False
    """Whether other ops of the group may read the first operand's source too. The library forms such groups,
    and cannot run them."""
    since: Version = (3, 1)
    until: Version | None = None
