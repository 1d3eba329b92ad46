"""What `top-correct-biases` makes of the biases of a sub-model in INT8."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autosplit.calibration.chip_switches import step_of
from autosplit.core.weights import store_for
from autosplit.lowering.pipelines import build_passes, run_shown
from autosplit.lowering.top.correct_biases import (
    bias_name,
    correctable_products,
    set_means,
    set_steps,
)
from autosplit.registry import get_all_passes, make_context

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autosplit.calibration.calibrate import Tables
    from autosplit.core.printing import Show
    from autosplit.devices import Chip

    Array = NDArray[np.generic]


def corrected_biases(
    tables: Tables, chip: Chip, show: Show | None = None
) -> dict[str, tuple[Array, Array]]:
    """Biases by name, as they are and as they are to be, of all products whose means are known."""
    # Further tables are made of the module, with other modes.
    top = tables.module.clone()
    set_means(top, tables.means)
    if chip.shifts_sums:
        set_steps(top, {name: step_of(span) for name, span in tables.ranges.items()})
    before = {product: bias_name(product) for product in correctable_products(top)}
    run_shown(make_context(), top, build_passes("top-correct-biases", get_all_passes()), show)
    after, store = {product: bias_name(product) for product in before}, store_for(top)
    return {
        name: (store.array(name), store.array(after[product]))
        for product, name in before.items()
        if after[product] != name
    }
