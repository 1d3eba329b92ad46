"""Names for the values that passes on quantized models make."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx_base import GraphOp
from autosplit.dialects.platform import PlatformOp
from autosplit.lowering.onnx_canonical import free_name


class Names:
    """The names that the values of a module have."""

    def __init__(self, module: ModuleOp):
        self.taken: set[str] = set()
        for op in module.walk():
            if isinstance(op, PlatformOp):
                self.taken.update(op.value_name(i) for i in range(len(op.results)))
            if isinstance(op, GraphOp | FuncOp):
                self.taken.update(n.data for n in op.input_names)
                self.taken.update(n.data for n in op.output_names)

    def fresh(self, base: str) -> str:
        """`base`, or that and the first number from 2 on that makes it new; it is taken afterwards."""
        return free_name(self.taken, base, "__")
