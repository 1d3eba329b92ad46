"""`aten.opaque`, the op for nodes whose target the table does not have."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from autosplit.dialects.aten.base import OWN, AtenOp, is_symbol
from autosplit.dialects.aten.ops import class_of_target

_FUNCTIONAL = frozenset(
    {
        "associative_scan",
        "auto_functionalized",
        "auto_functionalized_v2",
        "cond",
        "map_impl",
        "scan",
        "while_loop",
    }
)
"""The ops with branches or bodies that PyTorch exports only if these write to nothing outside them."""

_BLOCKS = "torch.ops.higher_order."

_OWN = "torch.ops.aten."

_UNMARKED = frozenset(
    {
        "_batch_norm_with_update",
        "_flash_attention_forward_no_dropout_inplace",
        "_fused_moving_avg_obs_fq_helper",
        "fused_moving_avg_obs_fake_quant",
        "rrelu_with_noise",
    }
)
"""PyTorch's own ops that write to an argument although their name does not end in `_`."""


@cache
def _is_functional(target: str) -> bool:
    """Whether an op of this name writes to nothing: a function on sizes, a loop, a branch.

    An op of the table is opaque if it has arguments that the table does not know.
    """
    if (declared := class_of_target(target)) is not None and declared.SPEC is not None:
        return not any(arg.writes for arg in declared.SPEC.args)
    if target.startswith(_BLOCKS):
        return target.removeprefix(_BLOCKS) in _FUNCTIONAL
    if target.startswith(_OWN):
        base, _, overload = target.removeprefix(_OWN).partition(".")
        return overload == "default" and not base.endswith("_") and base not in _UNMARKED
    return not target.startswith("torch.ops.")


@irdl_op_definition
class OpaqueOp(AtenOp):
    """A node whose target the table does not have, or which does not fit what the table says of it.

    A file does not say what it writes to, so that it may write to each tensor that it reads. Example:

        %y = aten.opaque "foo" (%x) <{node.target = "torch.ops.mylib.foo.default", node.ports = ["x"], k = 2}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "aten.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    target = prop_def(StringAttr)
    writes = opt_prop_def(ArrayAttr[StringAttr])
    """The arguments that it writes to, where PyTorch has its schema."""
    OWN: ClassVar = OWN | {"node.target": "target", "node.writes": "writes"}

    def written(self) -> list[SSAValue]:
        """The tensors that it may write to: all that it reads if unknown.

        An op without results is there for what it writes.
        """
        if self.results and _is_functional(self.target.data):
            return []
        pairs = zip(self.operand_ports(), self.operands, strict=True)
        written_names = None if self.writes is None else {name.data for name in self.writes}
        return [
            value
            for port, value in pairs
            if not is_symbol(value) and (written_names is None or port in written_names)
        ]

    @property
    def op_type(self) -> str:
        return (
            self.target.data.removeprefix("torch.ops.")
            .removeprefix("aten.")
            .removesuffix(".default")
        )
