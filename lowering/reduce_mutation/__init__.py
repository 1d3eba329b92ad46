"""reduce-mutation: updates in place become functional, if it is known which tensors share memory.

`aliases` finds the pieces of memory of a program, and which of its tensors are views of which; it refuses
what cannot be reduced. `patterns` rewrites the ops in the order of the program, `values` has the value of
each tensor at each point. `views` has the inverse of each view, `updates` the functional twin of each op
that updates. `reduction` puts them together; it is imported only for programs, so that modules of other
platforms do not wait for PyTorch's ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

GRAPH = "aten.graph"
"""The op of programs."""


@dataclass(frozen=True)
class ReduceMutationPass(ModulePass):
    """Tensors of PyTorch programs are updated by functional ops; buffers and inputs are written at the end.

    Reads of a tensor, and of other views of it, read what it has become. What cannot be reduced stays as it
    is, with `aten.kept` on all ops that share memory with it: they run in the program's order, in PyTorch, in
    one sub-model. Modules of other platforms stay as they are.
    """

    name = "reduce-mutation"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(top.name == GRAPH for top in op.walk()):
            import_module("autosplit.lowering.reduce_mutation.reduction").reduce_mutation(op)
