"""Warns of a plan whose sums may saturate on this processor; see `runtime.dnnl.saturation`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.dnnl import DnnlOp
from autosplit.dialects.dnnl.shapes import weight_axes
from autosplit.runtime.dnnl.library import Library
from autosplit.runtime.dnnl.saturation import (
    fits,
    largest_pairs,
    multiplies_one_by_one,
    rows_of_conv,
    rows_of_product,
    rows_of_transposed_conv,
)
from autosplit.runtime.plan.partitions import sources_of

log = logging.getLogger("autosplit")

Array = NDArray[Any]


def large_weights(
    ops: Sequence[DnnlOp], constant: Callable[[SSAValue], Array | None]
) -> Iterator[SSAValue]:
    """The weights of products that may saturate in 16 bits, where `constant` says what a value is."""
    for op in ops:
        if op.kind not in ("Convolution", "ConvTranspose", "MatMul"):
            continue
        for value in sources_of(op.operands[1:2]):
            array = constant(value)
            if array is None or array.ndim < 2 or array.dtype != np.int8:
                continue
            rows = _rows(op, array)
            if rows is not None and not fits(int(largest_pairs(rows).max(initial=0))):
                yield value


def _rows(op: DnnlOp, weights: Array) -> Array | None:
    """What each number of the results is summed of; None where nothing is summed in 16 bits."""
    if op.kind == "MatMul":
        return rows_of_product(weights, transposed=op.flag("transpose_b"))
    outputs, inputs, _ = weight_axes(op.text("weights_format"), weights.ndim)
    groups = op.integer("groups")
    if op.kind == "ConvTranspose":
        return rows_of_transposed_conv(np.moveaxis(weights, (inputs, outputs), (0, 1)), groups)
    arranged = np.moveaxis(weights, (outputs, inputs), (0, 1))
    if multiplies_one_by_one(arranged.shape, groups):
        return None
    return rows_of_conv(arranged)


def warn_of_saturation(names: Iterable[str], library: Library) -> None:
    """One warning where weights are too large for a processor that adds two products in 16 bits."""
    if weights := list(dict.fromkeys(names)):
        log.warning(
            "sums of products may saturate, of %s (the first is %s): this processor (%s) has no "
            "VNNI and adds two in 16 bits; quantize the model with --isa %s, or with 7-bit weights "
            "(reduce_range)",
            counted(len(weights), "weight"),
            weights[0],
            library.isa,
            library.isa,
        )
