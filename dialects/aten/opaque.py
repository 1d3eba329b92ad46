"""`aten.opaque`, the op for nodes whose target the table does not have."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, prop_def

from autosplit.dialects.aten.base import OWN, AtenOp, is_symbol


@irdl_op_definition
class OpaqueOp(AtenOp):
    """A node whose target the table does not have, or which does not fit what the table says of it.

    Nothing is known of what it writes to. Example:

        %y = aten.opaque "foo" (%x) <{node.target = "torch.ops.mylib.foo.default", node.ports = ["x"], k = 2}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "aten.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    target = prop_def(StringAttr)
    OWN: ClassVar = OWN | {"node.target": "target"}

    def written(self) -> list[SSAValue]:
        """The tensors that it reads where it gives no result: it is there for what it does to them."""
        return [] if self.results else [v for v in self.operands if not is_symbol(v)]

    @property
    def op_type(self) -> str:
        return (
            self.target.data.removeprefix("torch.ops.")
            .removeprefix("aten.")
            .removesuffix(".default")
        )
