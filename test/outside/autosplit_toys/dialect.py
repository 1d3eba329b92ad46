"""The dialect `toys`: one op."""

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class TwiceOp(IRDLOperation):
    """`y = x + x`

    Example: `%y = toys.twice "y" %x : tensor<4xf32>`
    """

    name = "toys.twice"
    T: ClassVar = VarConstraint("T", TensorType.constr())
    label = prop_def(StringAttr)
    x = operand_def(T)
    y = result_def(T)
    assembly_format = "$label $x attr-dict `:` type($y)"
    traits = traits_def(Pure())


Toys = Dialect("toys", [TwiceOp])
