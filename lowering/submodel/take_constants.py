"""submodel-take-constants: outputs of a TPU sub-model whose values lowering has found.

A bmodel cannot give them. The anchors of a detector follow from the size of its input alone. `autosplit
split` leaves such values to the CPU; folders of other tools, the original AutoSplit's for one, have them in
TPU sub-models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.passes import ModulePass

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.tensors import tensor_array, tensor_attr
from autosplit.dialects.platform import platform_graph
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before

Array = NDArray[np.generic]

CONSTANTS = "device.constants"
"""The attribute of a module with the outputs that were taken from it, by name, and their values."""


def take_constants(module: ModuleOp) -> dict[str, Array]:
    """Removes from a model in canonical ONNX the outputs whose values are known; these values, by name."""
    graph = platform_graph(module)
    constants = Constants(store_for(module))
    outputs = graph.graph_outputs()
    arrays = {name: constants.array(value) for name, value in outputs}
    known = {name: array for name, array in arrays.items() if array is not None}
    if known:
        graph.keep_outputs([name for name, _ in outputs if name not in known])
    return known


def taken_constants(module: ModuleOp) -> dict[str, Array]:
    """The outputs that `submodel-take-constants` took from a module, with their values."""
    attr = module.attributes.get(CONSTANTS)
    if not isinstance(attr, DictionaryAttr):
        return {}
    arrays = {name: tensor_array(value) for name, value in attr.data.items()}
    return {name: array for name, array in arrays.items() if array is not None}


@dataclass(frozen=True)
class SubmodelTakeConstantsPass(ModulePass):
    """No output of a model in canonical ONNX is known in advance.

    Those that are known leave it; `device.constants` has them, with their values.
    """

    name = "submodel-take-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        if constants := take_constants(op):
            values = {name: tensor_attr(array) for name, array in constants.items()}
            op.attributes[CONSTANTS] = DictionaryAttr(values)
