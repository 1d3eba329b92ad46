"""Sums of two products in 16 bits: where processors without VNNI compute them, and which weights fit.

The instruction that multiplies bytes there (vpmaddubsw) takes unsigned activations and signed weights, adds
the products of two that lie beside each other, and saturates at 16 bits: 255 x 127 + 255 x 127 becomes 32767.
Everything behind that has 32 bits.

Which weights meet is the kernel's choice. Measured with 3.2 and 3.6, held at AVX2 and at AVX512_CORE:
convolutions and matrix products add channels 2k and 2k + 1 of a position and of a group; those that the
library computes as a matrix product of patches (depthwise ones of three dimensions) add neighbouring
positions. So here any two weights count that are summed into the same number. Depthwise convolutions of one
and two dimensions are the exception: every kernel of theirs multiplies one by one, in 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, choice
from autosplit.runtime.dnnl import api

MOST = 2**15 - 1
"""The largest sum of two products."""

LARGEST_BYTE = 255

Weights = NDArray[Any]
"""Of integers of 8 bits."""


def isa_name(text: str) -> str:
    """An instruction set by the library's name, as in `avx2`; ONEDNN_MAX_CPU_ISA's capitals will do.

    Raises AutosplitError where there is none of that name.
    """
    names = list(api.ISA_NAMES.values())
    if text.lower() not in names:
        raise AutosplitError(
            f"there is no instruction set {text!r}{choice(text.lower(), names)}; they are {', '.join(names)}"
        )
    return text.lower()


def saturates(isa: str) -> bool:
    """Whether a processor with an instruction set of this name adds products in 16 bits."""
    return any(api.ISA_NAMES[code] == isa for code in api.NO_VNNI)


def multiplies_one_by_one(shape: Sequence[int], groups: int) -> bool:
    """Whether a convolution with weights of this shape (outputs, inputs of a group, *kernel) never adds two
    products in 16 bits: a depthwise one. With one group it is a convolution like others."""
    return groups > 1 and tuple(shape[:2]) == (groups, 1) and len(shape) <= 4


def rows_of_conv(weights: Weights) -> Weights:
    """What each channel of the results is summed of, for weights (outputs, inputs of a group, *kernel)."""
    return weights.reshape(weights.shape[0], prod(weights.shape[1:]))


def rows_of_transposed_conv(weights: Weights, groups: int) -> Weights:
    """The same for weights (inputs, outputs of a group, *kernel)."""
    inputs, outputs = weights.shape[:2]
    grouped = weights.reshape(groups, inputs // groups, outputs, -1)
    return grouped.swapaxes(1, 2).reshape(groups * outputs, -1)


def rows_of_product(weights: Weights, *, transposed: bool) -> Weights:
    """The same for matrices (..., inputs, outputs), or with these two exchanged."""
    last = weights if transposed else weights.swapaxes(-1, -2)
    return last.reshape(prod(last.shape[:-1]), last.shape[-1])


def largest_pairs(rows: Weights) -> NDArray[np.int64]:
    """For each row the largest magnitude that two of its weights add up to, of those with the same sign."""
    return np.maximum(_two_largest(rows), _two_largest(-rows.astype(np.int16)))


def _two_largest(rows: NDArray[Any]) -> NDArray[np.int64]:
    """The sum of the two largest numbers of each row, or of the largest where the other is negative."""
    kept = np.maximum(rows, 0)
    if kept.shape[1] > 2:
        kept = np.partition(kept, -2, axis=1)[:, -2:]
    return kept.sum(axis=1, dtype=np.int64)


def fits(pair: int, byte: int = LARGEST_BYTE) -> bool:
    """Whether two weights that add up to `pair` are exact for activations up to `byte`."""
    return pair * byte <= MOST
