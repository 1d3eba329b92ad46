"""Exported programs: the op, and what a program reads.

Parameters, buffers and lifted constants that nothing writes to are `aten.param`, constants. A buffer that the
program writes to is `aten.state`: it keeps its value from one run to the next, so that all that reads or
writes it stays together. What a caller gives is `aten.input`.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.aten.base import OWN, AtenOp
from autosplit.dialects.named_graph import OrderedGraph
from autosplit.dialects.onnx.tensors import TENSOR_ATTRS

PARAMETER = "parameter"
BUFFER = "buffer"
TEMPORARY = "temporary"
"""A buffer that is not in the module's `state_dict`."""
CONSTANT = "constant"
"""A tensor that the program's code makes."""

KINDS = (PARAMETER, BUFFER, TEMPORARY, CONSTANT)
"""What a tensor of a program can be."""

TENSOR = "tensor"
SYMBOLS = {"sym_int": "SymInt", "sym_float": "SymFloat", "sym_bool": "SymBool"}
"""Kinds of inputs that are numbers."""


@irdl_op_definition
class GraphOp(OrderedGraph):
    """A whole program.

    `inputs` and `outputs` are the names of the values that a caller passes and receives. By default, the
    inputs are all `aten.input`, and the outputs are what nothing reads. Example:

        aten.graph inputs ["x"] outputs ["relu"] {
          %x = aten.input "x" () : () -> tensor<1x8xf32>
          %y = aten.relu "relu" (%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
        }
    """

    name = "aten.graph"

    def is_input(self, op: object) -> bool:
        return isinstance(op, InputOp)


class SourceOp(AtenOp):
    """Base of what a program reads: one value, called as the op."""

    def value_name(self, index: int) -> str:
        return self.node_name.data

    def verify_(self) -> None:
        super().verify_()
        if len(self.operands) or len(self.results) != 1:
            raise VerifyException(
                f"{self.name} {self.node_name.data!r} has {counted(len(self.operands), 'operand')} and "
                f"{counted(len(self.results), 'result')}, expected none and one"
            )


@irdl_op_definition
class InputOp(SourceOp):
    """What a caller gives: a tensor, or a number where `node.kind` is `sym_int`, `sym_float` or `sym_bool`.

    Example: `%x = aten.input "x" () : () -> tensor<?x3x224x224xf32, #platform.dims<["N", "", "", ""]>>`
    """

    name = "aten.input"
    kind = opt_prop_def(StringAttr)
    OWN: ClassVar = OWN | {"node.kind": "kind"}

    def is_symbol(self, index: int) -> bool:
        return self.kind is not None

    def verify_(self) -> None:
        super().verify_()
        if self.kind is not None and self.kind.data not in SYMBOLS:
            raise VerifyException(
                f"input {self.node_name.data!r} is of kind {self.kind.data!r}, expected one of "
                + ", ".join(SYMBOLS)
            )


class TensorSource(SourceOp):
    """Base of the tensors that a program comes with."""

    value = prop_def(Attribute)
    kind = prop_def(StringAttr)
    fqn = prop_def(StringAttr)
    """Its name in the module: `layer1.0.conv1.weight`."""
    OWN: ClassVar = OWN | {"node.value": "value", "node.kind": "kind", "node.fqn": "fqn"}

    def verify_(self) -> None:
        super().verify_()
        name = self.node_name.data
        if not isinstance(self.value, TENSOR_ATTRS):
            raise VerifyException(f"the value of {name!r} is {self.value}, expected a tensor")
        if self.kind.data not in KINDS:
            raise VerifyException(
                f"{name!r} is of kind {self.kind.data!r}, expected one of {', '.join(KINDS)}"
            )


@irdl_op_definition
class ParamOp(TensorSource):
    """A parameter, a buffer or a constant that nothing in the program writes to.

    `node.kind` is `parameter`, `buffer`, `temporary` for a buffer that is not saved with the module, or
    `constant`; `node.fqn` is its name in the module. Example:

        %b = aten.param "p_fc_bias" () <{node.value = dense<0.0> : tensor<8xf32>,
            node.kind = "parameter", node.fqn = "fc.bias"}> : () -> tensor<8xf32>
    """

    name = "aten.param"
    IS_CONSTANT: ClassVar[bool] = True


@irdl_op_definition
class StateOp(TensorSource):
    """A buffer or parameter that the program writes to. It keeps its value from run to run.

    `node.value` is its value before the first. Example:

        %n = aten.state "b_n" () <{node.value = dense<0.0> : tensor<1xf32>, node.kind = "buffer",
            node.fqn = "n"}> : () -> tensor<1xf32>
    """

    name = "aten.state"


@irdl_op_definition
class WriteBackOp(AtenOp):
    """Writes a value to a state or to an input, after all else: `BUFFER_MUTATION` and its like.

    The first operand is what is written to, the second the value. Programs have it once `torch.export` or
    `reduce-mutation` made their updates functional. Example:

        aten.write_back "add_to_b_n" (%n, %add) : (tensor<1xf32>, tensor<1xf32>) -> ()
    """

    name = "aten.write_back"

    def operand_ports(self) -> list[str]:
        return ["self", "value"]

    def written(self) -> list[SSAValue]:
        return [self.operands[0]]

    def verify_(self) -> None:
        if len(self.operands) != 2 or len(self.results):
            raise VerifyException(
                f"{self.name} {self.node_name.data!r} has {counted(len(self.operands), 'operand')} and "
                f"{counted(len(self.results), 'result')}, expected what is written to, and the value"
            )
        super().verify_()


def nodes_of(graph: OrderedGraph) -> list[AtenOp]:
    """The nodes of a program, in order."""
    return [op for op in graph.body_ops() if isinstance(op, AtenOp)]
