"""Names for the values that passes create on quantized models."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.platform import free_name
from autosplit.lowering.shared.names import taken_names

REFUSED = "quant.refused"
"""The attribute with the reason why a node stays as it is."""


class Names:
    """The names that the values of a module have."""

    def __init__(self, module: ModuleOp):
        self.taken = taken_names(module)

    def fresh(self, base: str) -> str:
        """`base`, or that with the first number from 2 on that makes it unique; reserves the name."""
        return free_name(self.taken, base, "__")
