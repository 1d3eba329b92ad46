"""Which second operands a product has a fast kernel for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

FAST_OPERANDS: Mapping[tuple[str, int], frozenset[str]] = {
    ("MatMul", 2): frozenset({"00", "01", "11"}),
    ("MatMul", 3): frozenset({"000", "001", "010", "011", "101", "110", "111"}),
    ("MatMul", 4): frozenset({"0000", "0001", "0100", "1001", "1011", "1111"}),
    ("MatMul", 5): frozenset(
        {
            *("00000", "00001", "00011", "00111", "01000", "01111"),
            *("10001", "10011", "10111", "11000", "11111"),
        }
    ),
    ("Convolution", 4): frozenset(
        {"0000", "0001", "0011", "0100", "0111", "1001", "1011", "1100", "1111"}
    ),
}
"""The shapes that a product may be added to, or multiplied by, in its own kernel, by its kind and rank: 1
where the other operand is as large as the product. All others have a reference kernel: 217 ms instead of 0.4
if (1, 3, 49, 49) is added to (64, 3, 49, 49). Channels of a convolution are second."""

MASKS = frozenset({"1001", "1011"})
"""The same of what may be added to the scores of an attention of bytes. 3.6 multiplies heads one by one. If a
mask is for all images, it reads what is behind the mask for all but the first: measured to compute zeros. For
other masks it has a reference kernel: 63 ms instead of 0.35 if (1, 4, 196, 196) is added."""

SLOW_OPERAND = (
    "joins a product with an operand of a shape for which the library has a reference kernel only"
)


def has_fast_operand(kind: str, result: Sequence[int] | None, other: Sequence[int] | None) -> bool:
    """Whether a product of a kind has a fast kernel with an operand of the shape `other`.

    Unknown extents are assumed to be larger than 1; True if nothing is known.
    """
    if result is None or other is None or (rows := FAST_OPERANDS.get((kind, len(result)))) is None:
        return True
    return _fits(rows, result, other)


def takes_mask(result: Sequence[int] | None, other: Sequence[int] | None) -> bool:
    """Whether an attention takes what is added to its scores; as `has_fast_operand`."""
    if result is None or other is None or len(result) != 4:
        return True
    return _fits(MASKS, result, other)


def _fits(rows: Iterable[str], result: Sequence[int], other: Sequence[int]) -> bool:
    padded = [1] * (len(result) - len(other)) + list(other)
    pairs = list(zip(result, padded, strict=True))
    return any(
        all(n == 1 or (mark == "1") == (m != 1) for mark, (n, m) in zip(marks, pairs, strict=True))
        for marks in rows
    )
