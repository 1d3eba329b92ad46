"""The means of the channels that products read, recorded on the products for bias correction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, f64
from xdsl.ir import Operation

MEANS = "quant.means"
"""The attribute of a product that holds the mean of each channel that it reads."""


def note_means(product: Operation, means: Iterable[float]) -> None:
    """Records the means of the channels that a product reads."""
    product.attributes[MEANS] = DenseArrayBase.from_list(f64, list(means))


def means_of(product: Operation) -> list[float] | None:
    """The means that are recorded on a product."""
    means = product.attributes.get(MEANS)
    return [float(n) for n in means.iter_values()] if isinstance(means, DenseArrayBase) else None


def take_means(product: Operation) -> NDArray[Any] | None:
    """The means that are recorded on a product, which loses them."""
    if (means := means_of(product)) is None:
        return None
    del product.attributes[MEANS]
    return np.array(means)
