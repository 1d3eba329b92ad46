"""submodel-fix-inputs: the inputs of a sub-model that is compiled for fixed sizes have these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.passes import ModulePass

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import element_type, platform_graph, set_type, static_shape
from autosplit.inputs.options import parse_shapes
from autosplit.lowering.shared.order import expect_before
from autosplit.lowering.submodel.sizes import Sizes


def fix_inputs(module: ModuleOp, largest: Mapping[str, Sequence[int]]) -> None:
    """Gives the inputs of a model the shapes `largest` where theirs are open.

    Raises AutosplitError for an input whose sizes are unknown.
    """
    for name, value in platform_graph(module).graph_inputs():
        if static_shape(value.type) is not None:
            continue
        shape, kind = largest.get(name), element_type(value.type)
        if shape is None or kind is None or any(d < 0 for d in shape):
            raise AutosplitError(
                f"input {name!r} of a TPU sub-model is {value.type}, needs a shape that is known"
            )
        set_type(value, TensorType(kind, shape))


@dataclass(frozen=True)
class SubmodelFixInputsPass(ModulePass):
    """The inputs of a sub-model for fixed sizes have the `largest` shapes where theirs are open.

    Without `largest`, and where sizes are not `fixed`, nothing changes.
    Example: `submodel-fix-inputs{largest="x=1,3,48,320"}`
    """

    name = "submodel-fix-inputs"

    sizes: Literal["fixed", "open", "varying"] = "fixed"
    """What of the model varies from run to run: nothing, what the types leave open, or all sizes."""
    largest: tuple[str, ...] = ()
    """The largest shapes of inputs, as `NAME=1,3,48,320`, each in quotes."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        if self.largest and Sizes(self.sizes) is Sizes.fixed:
            fix_inputs(op, parse_shapes(self.largest))
