"""The types of all values of a model, inferred and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.platform import (
    PlatformOp,
    UnknownType,
    platform_graph,
    set_type,
    value_name,
)
from autosplit.flows.splitting.custom_sizes import with_promised_dtypes
from autosplit.flows.splitting.measuring import measure
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.options import MOST_ELEMENTS
from autosplit.lowering.infer_shapes.promises import infer_promised
from autosplit.lowering.shared.types import known_elements
from autosplit.lowering.sizes.contradictions import contradiction
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.platforms import Model


def infer(model: Model, options: SplitOptions) -> ModuleOp:
    """Gives every value the best type that inference tells; returns the lowered copy that told it."""
    options.progress("inferring shapes")
    check_elements(model)
    with_promised_dtypes(model, options)
    try:
        lowered = infer_promised(make_context(), model.module, options.shapes)
    except AutosplitError as error:
        raise AutosplitError(f"{options.model}: {error}") from error
    check_elements(model)
    return settle_operands(model, options, lowered)


def settle_operands(model: Model, options: SplitOptions, lowered: ModuleOp) -> ModuleOp:
    """The lowered copy; another one, inferred without the sizes that a model declares, where those are wrong.

    Raises AutosplitError if operands contradict each other and the model does not run.
    """
    if check_operands(model, options, lowered):
        return lowered
    forget_types(model)
    return infer_promised(make_context(), model.module, options.shapes)


def forget_types(model: Model) -> None:
    """Takes away what is said of the types of values between a model's inputs and constants."""
    for op in platform_graph(model.module).body_ops():
        if isinstance(op, PlatformOp) and not op.IS_CONSTANT and op.operands:
            for result in op.results:
                set_type(result, UnknownType())


def check_elements(model: Model) -> None:
    """Raises if a tensor has so many elements that sums of them would not fit into 64 bits."""
    where = f"{model.path}: " if model.path is not None else ""
    graph = platform_graph(model.module)
    inputs = [value for _, value in graph.graph_inputs()]
    for value in [*inputs, *(result for op in graph.body_ops() for result in op.results)]:
        if (count := known_elements(value.type)) > MOST_ELEMENTS:
            raise AutosplitError(
                f"{where}tensor {value_name(value)!r} has {counted(count, 'element')}, more than any "
                f"model takes ({MOST_ELEMENTS})"
            )


def check_operands(model: Model, options: SplitOptions, lowered: ModuleOp) -> bool:
    """Raises if operands of an op do not fit each other, as far as their sizes are known.

    False for a model that runs all the same: the sizes that it declares are wrong.
    """
    if (problem := contradiction(model.module, lowered)) is None:
        return True
    names = [name for name, _ in platform_graph(model.module).graph_outputs()]
    try:
        measure(model, options, names[:1])
    except AutosplitError:
        raise AutosplitError(f"{options.model}: {problem}") from None
    return False
