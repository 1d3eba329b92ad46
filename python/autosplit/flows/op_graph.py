"""The abstract graph that `Splitter` subclasses cut: operators by name, and the sub-graphs made of them.

It knows nothing of any framework. Cutting is `lowering/device/stages.py`, as for the compiler's own front
ends: sub-graphs are convex, never form a cycle, and are as few as keep the computing operators on the TPU.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.ordered_set import OrderedSet

KEEP = 0.95
"""The share of the computing operators that must stay on the TPU while the number of sub-graphs shrinks.

These are counted, not weighed, so it is less than the share of the work that the front ends keep.
"""


class Operator:
    """One operator of a model.

    name: its name, unique in the model.
    is_support: whether the TPU can run it.
    is_compute: whether it computes much; such operators weigh when sub-graphs are chosen.
    is_danger: whether its output may not leave its sub-graph, except as an output of the model.
    is_input: whether it stands for an input of the model. Inputs belong to every sub-graph that reads them.
    is_output: whether it makes an output of the model.
    input_ops: the names of the operators that it reads.
    """

    def __init__(
        self,
        name: str,
        is_support: bool,
        is_compute: bool,
        is_danger: bool,
        is_input: bool,
        is_output: bool,
        input_ops: Iterable[str],
    ):
        self.name = name
        self.is_support = bool(is_support)
        self.is_compute = bool(is_compute)
        self.is_danger = bool(is_danger)
        self.is_input = bool(is_input)
        self.is_output = bool(is_output)
        self.input_ops = OrderedSet(input_ops)


def _borders() -> dict[str, OrderedSet[str]]:
    return {}


@dataclass(eq=False)
class Subgraph:
    """Operators that become one sub-model, by their names, all in the model's order."""

    name: str
    support: int = 0
    """1: for the TPU; 0: for the CPU."""
    num_compute_ops: int = 0
    ops: OrderedSet[str] = field(default_factory=OrderedSet[str])
    input_ops: OrderedSet[str] = field(default_factory=OrderedSet[str])
    """Those that are inputs of the model. An input is in every sub-graph that reads it."""
    output_ops: OrderedSet[str] = field(default_factory=OrderedSet[str])
    """Those that are outputs of the model."""
    input_subgraphs: dict[str, OrderedSet[str]] = field(default_factory=_borders)
    """By the name of each sub-graph that this one reads from: the operators there that it reads."""
    output_subgraphs: dict[str, OrderedSet[str]] = field(default_factory=_borders)
    """By the name of each sub-graph that reads this one: the operators here that it reads."""

    def has_op(self, name: str) -> bool:
        return name in self.ops

    def add_op(self, operator: Operator) -> None:
        self.ops.add(operator.name)
        if operator.is_input:
            self.input_ops.add(operator.name)
        if operator.is_output:
            self.output_ops.add(operator.name)
        if operator.is_compute and operator.is_support:
            self.num_compute_ops += 1


class OperatorGraph:
    """Operators and how to cut them: `parse_from_operators`, then `get_final_subgraphs`.

    `keep`: the share of the computing operators that must stay on the TPU. Raises AutosplitError if it is
    none.
    """

    def __init__(self, keep: float = KEEP):
        if not 0.0 <= keep <= 1.0:
            raise AutosplitError(f"keep is {keep!r}, expected a share from 0 to 1")
        self.keep = keep
        self.operators: dict[str, Operator] = {}

    def parse_from_operators(self, operators: Iterable[Operator]) -> None:
        """Takes the operators, in any order. Raises AutosplitError for names that are repeated or unknown."""
        for operator in operators:
            if operator.name in self.operators:
                raise AutosplitError(
                    f"operator {operator.name!r} is defined twice; names must be unique"
                )
            self.operators[operator.name] = operator
        for operator in self.operators.values():
            for name in operator.input_ops:
                if name not in self.operators:
                    hint = choice(name, list(self.operators))
                    raise AutosplitError(
                        f"operator {operator.name!r} reads {name!r}, which is not an operator{hint}"
                    )

    def get_final_subgraphs(self) -> list[Subgraph]:
        """The sub-graphs, in an order in which they can run. Those for the TPU have `support` 1.

        Operators on a cycle stay together, and so do a dangerous one and its readers; such a group runs on
        the TPU only if that supports all of it.
        """
        stages, on_tpu = self._stages()
        subgraphs = [Subgraph(f"subgraph_{i}", int(tpu)) for i, tpu in enumerate(on_tpu)]
        places = self._input_places(stages)
        for name, operator in self.operators.items():
            for i in places[name] if operator.is_input else [stages[name]]:
                if i == len(subgraphs):
                    # Nothing but inputs that are outputs as well.
                    subgraphs.append(Subgraph(f"subgraph_{i}", 0))
                subgraphs[i].add_op(operator)
            if name not in stages:
                continue
            for source in operator.input_ops:
                if not operator.is_input and stages.get(source, stages[name]) != stages[name]:
                    _link(subgraphs[stages[source]], subgraphs[stages[name]], source)
        return subgraphs

    def _input_places(self, stages: dict[str, int]) -> dict[str, list[int]]:
        """For each input of the model, the places that read it; 0 where only the caller does."""
        places = {name: set[int]() for name, o in self.operators.items() if o.is_input}
        for name, stage in stages.items():
            for source in self.operators[name].input_ops:
                if source in places:
                    places[source].add(stage)
        return {
            name: sorted(own) or ([0] if self.operators[name].is_output else [])
            for name, own in places.items()
        }

    def _stages(self) -> tuple[dict[str, int], list[bool]]:
        """The place of each operator that is no input, and which places are the TPU's."""
        import numpy as np

        from autosplit.lowering.device.stages import Problem, Values, contract_cycles, fewest

        inner = [o for o in self.operators.values() if not o.is_input]
        if not inner:
            return {}, []
        index = {o.name: i for i, o in enumerate(inner)}
        readers: dict[str, list[int]] = {o.name: [] for o in inner}
        for operator in inner:
            for source in operator.input_ops:
                if source in readers and source != operator.name:
                    readers[source].append(index[operator.name])
        edges = [(index[name], reader) for name, users in readers.items() for reader in users]
        ties = [(index[o.name], reader) for o in inner if o.is_danger for reader in readers[o.name]]
        supported = np.array([o.is_support for o in inner], dtype=np.bool_)
        computing = np.array([o.is_compute for o in inner], dtype=np.int64)
        problem = Problem(
            len(inner),
            np.array(edges, dtype=np.int64).reshape(-1, 2),
            np.ones(len(inner), dtype=np.bool_),
            supported,
            computing * supported,
            np.ones(len(inner), dtype=np.int64),
            Values.of((index[o.name], readers[o.name], 1, o.is_output) for o in inner),
        )
        contracted, atoms = contract_cycles(problem, np.array(ties, dtype=np.int64).reshape(-1, 2))
        plan, _ = fewest(contracted, self.keep)
        stages: list[int] = plan.stages[atoms].tolist()
        return dict(zip(index, stages, strict=True)), [d == "tpu" for d in plan.devices]


def _link(producer: Subgraph, reader: Subgraph, name: str) -> None:
    reader.input_subgraphs.setdefault(producer.name, OrderedSet()).add(name)
    producer.output_subgraphs.setdefault(reader.name, OrderedSet()).add(name)
