"""Graphs that list the names of their inputs and outputs, or derive them from their nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Iterable

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Region, SSAValue
from xdsl.irdl import opt_prop_def, region_def, traits_def
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from autosplit.dialects.bodies import check_order
from autosplit.dialects.platform import PlatformGraph, PlatformOp, strings


class NamedGraph(PlatformGraph):
    """Base of graphs whose model consists of nodes only."""

    inputs = opt_prop_def(ArrayAttr[StringAttr])
    outputs = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    assembly_format = "(`inputs` $inputs^)? (`outputs` $outputs^)? attr-dict-with-keyword $body"
    traits = traits_def(NoTerminator())

    def __init__(
        self,
        body: Region,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
    ):
        super().__init__(
            properties={"inputs": _names(inputs), "outputs": _names(outputs)}, regions=[body]
        )

    def set_ends(self, inputs: Iterable[str] | None, outputs: Iterable[str] | None) -> None:
        """Names the inputs and outputs, in order."""
        self.inputs, self.outputs = _names(inputs), _names(outputs)

    def drop_input(self, name: str) -> None:
        """Removes a name from the inputs, if they are listed."""
        if self.inputs is not None:
            self.inputs = strings(n.data for n in self.inputs if n.data != name)

    def settle_outputs(self) -> None:
        """Lists the outputs if they are derived from the nodes, which may change."""
        if self.outputs is None:
            self.outputs = strings(name for name, _ in self.graph_outputs())

    def keep_outputs(self, names: Container[str]) -> None:
        self.outputs = _names([name for name, _ in self.graph_outputs() if name in names])


class OrderedGraph(NamedGraph):
    """Base of graphs whose nodes are in execution order."""

    @abstractmethod
    def is_input(self, op: object) -> bool:
        """Whether a node is an input."""

    def values(self) -> dict[str, SSAValue]:
        """All values by name, in the order of the model."""
        return {
            op.value_name(i): value
            for op in self.body.block.ops
            if isinstance(op, PlatformOp)
            for i, value in enumerate(op.results)
        }

    def graph_inputs(self) -> list[tuple[str, SSAValue]]:
        if self.inputs is not None:
            values = self.values()
            return [(n.data, values[n.data]) for n in self.inputs if n.data in values]
        return [
            (op.value_name(0), op.results[0])
            for op in self.body.block.ops
            if isinstance(op, PlatformOp) and self.is_input(op)
        ]

    def graph_outputs(self) -> list[tuple[str, SSAValue]]:
        values = self.values()
        if self.outputs is not None:
            return [(n.data, values[n.data]) for n in self.outputs if n.data in values]
        return [(n, v) for n, v in values.items() if v.first_use is None]

    def verify_(self) -> None:
        names: set[str] = set()
        for op in self.body.block.ops:
            if not isinstance(op, PlatformOp):
                raise VerifyException(f"holds {op.name}, expected only nodes of a model")
            for i in range(len(op.results)):
                if (name := op.value_name(i)) in names:
                    raise VerifyException(f"two values are called {name!r}")
                names.add(name)
        for role, listed in (("input", self.inputs), ("output", self.outputs)):
            for name in listed or ():
                if name.data not in names:
                    raise VerifyException(f"{role} {name.data!r} is not a tensor of the graph")
        check_order(self.body.block)


def _names(names: Iterable[str] | None) -> ArrayAttr[StringAttr] | None:
    return None if names is None else strings(names)
