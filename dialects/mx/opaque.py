"""`mx.opaque`, the op for nodes whose type the table does not have."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def

from autosplit.dialects.mx.base import OWN, MxOp


@irdl_op_definition
class OpaqueOp(MxOp):
    """A node whose type the table does not have, or which does not fit what the table says of it.

    Its outputs are those that other nodes read, at least one. Example:

        %y = mx.opaque "n" (%x) <{node.op = "MyOp", scale = "2"}> : (tensor<4xf32>) -> !platform.unknown
    """

    name = "mx.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    op = prop_def(StringAttr)
    OWN: ClassVar = {text: name for text, name in OWN.items() if name != "spelled_op"} | {
        "node.op": "op"
    }

    @property
    def op_type(self) -> str:
        return self.op.data
