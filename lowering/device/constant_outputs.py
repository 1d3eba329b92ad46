"""Outputs of a TPU sub-model whose values lowering has found: a bmodel cannot give them.

The anchors of a detector follow from the size of its input alone. `autosplit split` leaves such values to
the CPU; folders of other tools, the original AutoSplit's for one, have them in TPU sub-models.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from autosplit.core.weights import store_for
from autosplit.dialects.platform import platform_graph
from autosplit.lowering.shared.fold import Constants

Array = NDArray[np.generic]


def take_constants(module: ModuleOp) -> dict[str, Array]:
    """Removes from a model in canonical ONNX the outputs whose values are known; these values, by name."""
    graph = platform_graph(module)
    constants = Constants(store_for(module))
    outputs = graph.graph_outputs()
    arrays = {name: constants.array(value) for name, value in outputs}
    found = {name: array for name, array in arrays.items() if array is not None}
    if found:
        graph.keep_outputs([name for name, _ in outputs if name not in found])
    return found
