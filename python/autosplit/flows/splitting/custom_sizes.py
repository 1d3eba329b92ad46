"""Sizes of what custom ops make, which only running them tells.

Only the library knows whether they are the same in every run. So the model runs with two inputs; sizes
that are the same in both are taken, as promises that the runner checks in every run, like those of `--shape`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType

from autosplit.core.dtypes import element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    platform_graph,
    set_type,
    static_shape,
    value_name,
)
from autosplit.flows.splitting.given_inputs import has_open_inputs
from autosplit.flows.splitting.measuring import make_feeds, measure
from autosplit.lowering.device.work import open_work
from autosplit.lowering.infer_shapes.promises import promise_types
from autosplit.lowering.shared.types import measurable
from autosplit.lowering.sizes.data_dependent import data_dependent
from autosplit.registry import make_context

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.values import Value
    from autosplit.platforms import Measured, Model

    Array = NDArray[np.generic]

FRAMEWORK_DOMAINS = frozenset(
    {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.training", "com.microsoft"}
)
"""The domains whose ops are ONNX Runtime's own."""

SEEDS = range(1, 9)
"""Of the other input; small integers and booleans may come out the same with one seed."""


def with_custom_sizes(model: Model, options: SplitOptions, lowered: ModuleOp) -> ModuleOp:
    """Gives what custom ops make the sizes that two runs agree on; returns the lowered copy to go on with.

    Only where multiply-adds behind them wait for it, since a promise may turn out wrong. Sizes that vary,
    that are 0, or that depend on sizes that vary, stay open, as do all where inputs vary or hold strings.
    Raises AutosplitError if the model does not run.
    """
    if not model.custom_ops or (options.dynamic and has_open_inputs(model)):
        return lowered
    waiting = {op: results for op in custom_ops(model) if (results := awaited(op, lowered))}
    if not waiting:
        return lowered
    options.progress("measuring what custom ops make")
    sizes = agreed_sizes(model, options, list(waiting.values()))
    # An op whose operands are known now may be behind another one that was not.
    while waiting:
        uncertain = data_dependent(model.module)
        ready = [op for op in waiting if uncertain.isdisjoint(op.operands)]
        if not ready:
            break
        types = {
            value: _type(value, sizes[name])
            for op in ready
            for name, value in waiting.pop(op).items()
            if name in sizes
        }
        if types:
            lowered = promise_types(make_context(), model.module, types)
    return lowered


def _type(value: SSAValue, measured: Measured) -> TensorType[Attribute]:
    return TensorType(element_type(value.type) or element_type_of(measured.dtype), measured.shape)


def with_promised_dtypes(model: Model, options: SplitOptions) -> None:
    """Gives what custom ops make, and `--shape` promises, the element type that a run tells.

    Raises AutosplitError if the model does not run.
    """
    if not model.custom_ops or not options.shapes or has_open_inputs(model):
        return
    promised = {name.removesuffix(":0") for name in options.shapes}
    values = {
        value_name(result): result
        for op in custom_ops(model)
        for result in op.results
        if element_type(result.type) is None and value_name(result).removesuffix(":0") in promised
    }
    if not values:
        return
    for name, measured in measure(model, options, list(values)).values.items():
        if (element := _element(measured.dtype)) is not None:
            set_type(values[name], UnrankedTensorType(element))


def _element(dtype: str) -> Attribute | None:
    """The element type of a dtype; None for strings, and for those that numpy does not know."""
    try:
        return element_type_of(dtype)
    except ValueError:
        return None


def custom_ops(model: Model) -> list[PlatformOp]:
    """The ops outside of loops that are not the framework's own, as far as their domain tells."""
    graph = platform_graph(model.module)
    frames = model.platform.frames(graph)
    return [
        op
        for op in graph.body_ops()
        if isinstance(op, PlatformOp)
        and op not in frames
        and op.name.endswith(".opaque")
        and not (isinstance(op, OnnxOp) and op.domain in FRAMEWORK_DOMAINS)
    ]


def awaited(op: PlatformOp, lowered: ModuleOp) -> dict[str, SSAValue]:
    """What an op makes whose sizes are unknown, where they say how much is computed behind; by name."""
    working = frozenset(open_work(lowered))
    return {
        name: result
        for result in op.results
        if static_shape(result.type) is None
        and measurable(result.type)
        and (name := value_name(result))
        and any(user.identity in working for user in behind(result))
    }


def behind(value: SSAValue) -> list[PlatformOp]:
    """The ops of the graph that depend on a value."""
    block = value.owner.parent if isinstance(value.owner, PlatformOp) else None
    ops: dict[PlatformOp, None] = {}
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            op = None if block is None else block.find_ancestor_op_in_block(use.operation)
            if isinstance(op, PlatformOp) and op not in ops:
                ops[op] = None
                pending += op.results
    return [*ops]


def agreed_sizes(
    model: Model, options: SplitOptions, results: Iterable[Mapping[str, SSAValue]]
) -> dict[str, Measured]:
    """The sizes of values, by name, that are the same with two inputs. Nothing if there is no other input.

    Raises AutosplitError if the model does not run with the first one.
    """
    names = [name for group in results for name in group]
    first = measure(model, options, names).values
    other = other_feeds(make_feeds(model, options.inputs), lambda seed: make_feeds(model, {}, seed))
    if other is None:
        return {}
    try:
        second = model.platform.measure(model, other, names).values
    except AutosplitError:
        # Random numbers will not do as its input: only the first run tells anything.
        second = first
    return {
        name: one
        for name, one in first.items()
        if second.get(name) == one and 0 not in one.shape and _element(one.dtype) is not None
    }


def other_feeds(
    feeds: Mapping[str, Value], draw: Callable[[int], Mapping[str, Value]]
) -> dict[str, Array] | None:
    """Arrays of the same shapes with other numbers, all of them; None if there are none."""
    arrays = [cast("Array", v) for v in feeds.values() if isinstance(v, np.ndarray)]
    if len(arrays) < len(feeds) or any(array.dtype == object for array in arrays):
        return None
    others: dict[str, Array] = {}
    for drawn in map(draw, SEEDS):
        others |= {
            name: drawn[name]
            for name, value in feeds.items()
            if name not in others and (drawn[name] != value).any()
        }
    return others if len(others) == len(feeds) else None
