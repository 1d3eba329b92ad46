"""What recipes name: the ops and values of a model, as quantizing is going to choose among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    identity_of,
    platform_graph,
    shape_of,
    value_name,
    value_names,
)
from autosplit.lowering.quant.quantize.fused_chains import FusedChains
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of, weights_axis
from autosplit.lowering.shared.fold import Constants


@dataclass(frozen=True)
class OpNames:
    """An op."""

    name: str
    """As recipes say it: that of the node, or of its first result where the node has none."""
    type: str
    inputs: tuple[str, ...] = ()
    """The values that are computed; empty for a constant, and where there is none."""
    outputs: tuple[str, ...] = ()
    product: str = ""
    """The product in whose kernel the op is computed; its own name for a product, empty for others."""
    node: str = ""
    """The name of the node, which may have none."""
    rank: int = 0
    """Of the first result."""
    weights: str = ""
    """The constant that a product multiplies with."""
    channels: int = 0
    """How many channels of results those have."""
    limits: tuple[float, ...] = ()
    """The largest magnitude of each channel's weights; only where it was asked for."""


@dataclass(frozen=True)
class ModelNames:
    """The ops in the order in which they run, and the values."""

    ops: tuple[OpNames, ...]
    values: tuple[str, ...]
    gone: frozenset[str] = field(default_factory=frozenset[str])
    """What the model had, but preparing it has folded away: says nothing, and is no mistake."""

    @staticmethod
    def joined(parts: Iterable[ModelNames], gone: Iterable[str] = ()) -> ModelNames:
        """The names of a model that is cut into parts; `gone`: those of what no part has."""
        names = list(parts)
        ops = tuple(op for one in names for op in one.ops)
        values = tuple(dict.fromkeys(name for one in names for name in one.values))
        there = {*values, *(op.name for op in ops)}
        left = frozenset(gone).union(*(one.gone for one in names))
        return ModelNames(ops, values, left - there)

    @staticmethod
    def of(module: ModuleOp, gone: Iterable[str] = (), *, limits: bool = False) -> ModelNames:
        """The names in a module; with the limits of the weights, all of which are read then."""
        graph = platform_graph(module)
        constants = Constants(store_for(module))
        chains = FusedChains(constants)
        inside: dict[Operation, str] = {}
        ops: list[OpNames] = []
        values = [name for name, _ in graph.graph_inputs()]
        for op in graph.body_ops():
            values += map(value_name, op.results)
            if not isinstance(op, OnnxOp) or constants.is_constant(op.results[0]):
                continue
            if kind_of(op) in PRODUCTS:
                inside[op] = op.identity
                inside |= {o: op.identity for o in chains.of(op.results[0]).ops if o not in inside}
            ops.append(_op_names(op, constants, inside.get(op, ""), limits))
        there = {*values, *(op.name for op in ops)}
        return ModelNames(tuple(ops), tuple(values), frozenset(gone) - there)

    @cached_property
    def by_name(self) -> dict[str, OpNames]:
        """The ops by their names."""
        return {op.name: op for op in self.ops}

    @cached_property
    def makers(self) -> dict[str, OpNames]:
        """The ops by the values that they make."""
        return {value: op for op in self.ops for value in op.outputs}

    @cached_property
    def value_names(self) -> frozenset[str]:
        """The values by name."""
        return frozenset(self.values)

    def value(self, name: str, where: object) -> str | None:
        """A value by its name; None for one that is gone. Raises AutosplitError for any other."""
        if name in self.value_names:
            return name
        if name in self.gone:
            return None
        names = list(self.values)
        raise AutosplitError(f"{where}: the model has no value {name!r}{choice(name, names)}")

    def op(self, name: str, where: object) -> OpNames | None:
        """An op by its name; None for one that is gone. Raises AutosplitError for any other."""
        if name in self.by_name:
            return self.by_name[name]
        if name in self.gone:
            return None
        names = list(self.by_name)
        raise AutosplitError(f"{where}: the model has no op {name!r}{choice(name, names)}")


def all_names(module: ModuleOp) -> set[str]:
    """The names of ops and values in a model, as its framework has them."""
    graph = platform_graph(module)
    names = {name for name, _ in graph.graph_inputs()}
    for op in graph.body_ops():
        names |= {identity_of(op), *value_names(op)}
    return names


def _op_names(op: OnnxOp, constants: Constants, product: str, limits: bool) -> OpNames:
    def computed(value: SSAValue | None) -> str:
        return "" if value is None or constants.is_constant(value) else value_name(value)

    weights = op.operands[1] if kind_of(op) in PRODUCTS else None
    if weights is not None and not constants.is_constant(weights):
        weights = None
    return OpNames(
        op.identity,
        op.op_type if op.domain == "" else f"{op.domain}.{op.op_type}",
        tuple(map(computed, op.inputs)),
        tuple(value_name(r) for r in op.results),
        product,
        op.node_name.data,
        len(shape_of(op.results[0].type) or ()) if op.results else 0,
        "" if weights is None else value_name(weights),
        0 if weights is None else _channels(op, weights),
        _limits(op, weights, constants) if limits and weights is not None else (),
    )


def _channels(op: OnnxOp, weights: SSAValue) -> int:
    shape, axis = shape_of(weights.type) or (), weights_axis(op)
    return shape[axis] if axis is not None and axis < len(shape) else 1


def _limits(op: OnnxOp, weights: SSAValue, constants: Constants) -> tuple[float, ...]:
    array = constants.array(weights)
    if array is None:
        raise AutosplitError(f"{op.identity!r}: the weights {value_name(weights)!r} cannot be read")
    axis = weights_axis(op)
    others = None if axis is None else tuple(i for i in range(array.ndim) if i != axis)
    largest: NDArray[Any] = np.abs(array.astype(np.float64)).max(axis=others, initial=0.0)
    return tuple(float(n) for n in largest.reshape(-1))
