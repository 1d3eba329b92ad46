"""Graphs that list the names of their inputs and outputs, or leave it to their nodes which these are."""

from __future__ import annotations

from collections.abc import Container, Iterable

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Region
from xdsl.irdl import opt_prop_def, region_def, traits_def
from xdsl.traits import NoTerminator

from autosplit.dialects.platform import PlatformGraph, strings


class NamedGraph(PlatformGraph):
    """What the graphs of platforms share whose nodes are all that a model has."""

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

    def keep_outputs(self, names: Container[str]) -> None:
        self.outputs = _names([name for name, _ in self.graph_outputs() if name in names])


def _names(names: Iterable[str] | None) -> ArrayAttr[StringAttr] | None:
    return None if names is None else strings(names)
