"""Names for the values that passes on quantized models make."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.device import FuncOp
from autosplit.dialects.dnnl import DnnlOp, PartitionOp
from autosplit.dialects.platform import PlatformGraph, PlatformOp
from autosplit.lowering.shared.names import free_name


class Names:
    """The names that the values of a module have."""

    def __init__(self, module: ModuleOp):
        self.taken = taken_names(module)

    def fresh(self, base: str) -> str:
        """`base`, or that and the first number from 2 on that makes it new; it is taken afterwards."""
        return free_name(self.taken, base, "__")


def taken_names(module: ModuleOp) -> set[str]:
    """The names of all values of a module, whatever dialects it mixes."""
    names: set[str] = set()
    for op in module.walk():
        if isinstance(op, PlatformOp):
            names.update(op.value_name(i) for i in range(len(op.results)))
        elif isinstance(op, PlatformGraph):
            names.update(name for name, _ in [*op.graph_inputs(), *op.graph_outputs()])
        elif isinstance(op, FuncOp):
            names.update(name for name, _ in [*op.inputs, *op.outputs])
        elif isinstance(op, DnnlOp | PartitionOp) and op.value_names is not None:
            names.update(name.data for name in op.value_names)
    return names
