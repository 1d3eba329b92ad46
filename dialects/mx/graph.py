"""MXNet symbols: the op, and its variables.

A symbol's variables are nodes too. Those that the file of parameters holds are `mx.param`, constants. Those
that a caller gives are `mx.null`, by the name that MXNet itself has for them. A label, which is read in
training alone, is `mx.label`: nobody gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import ClassVar, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.mx.base import OWN, MxOp
from autosplit.dialects.named_graph import OrderedGraph
from autosplit.dialects.onnx.tensors import TENSOR_ATTRS


@irdl_op_definition
class GraphOp(OrderedGraph):
    """A whole MXNet symbol.

    `inputs` and `outputs` are the names of the tensors that a caller passes and receives. By default, the
    inputs are the variables without a value, and the outputs are what nothing reads. Example:

        mx.graph inputs ["data"] outputs ["relu0_output"] {
          %data = mx.null "data" () : () -> tensor<1x8xf32>
          %y = mx.Activation "relu0" (%data) <{act_type = "relu"}> : (tensor<1x8xf32>) -> tensor<1x8xf32>
        }
    """

    name = "mx.graph"

    def is_input(self, op: object) -> bool:
        return isinstance(op, NullOp)


class VariableOp(MxOp):
    """Base of the variables: nodes of type `null`, called as their value is."""

    @property
    def op_type(self) -> str:
        return "null"

    def value_name(self, index: int) -> str:
        return self.node_name.data

    def verify_(self) -> None:
        super().verify_()
        if len(self.operands) or len(self.results) != 1:
            raise VerifyException(
                f"variable {self.node_name.data!r} has {counted(len(self.operands), 'input')} and "
                f"{counted(len(self.results), 'output')}, expected none and one"
            )


@irdl_op_definition
class NullOp(VariableOp):
    """A variable that a caller gives: an input.

    Example: `%data = mx.null "data" () <{__dtype__ = "0"}> : () -> tensor<1x3x224x224xf32>`
    """

    name = "mx.null"


@irdl_op_definition
class LabelOp(VariableOp):
    """A variable that is read in training alone, such as the label of a `SoftmaxOutput`.

    Nobody gives it at inference. It goes where the op goes that reads it, and may hold anything.
    Example: `%label = mx.label "softmax_label" () : () -> tensor<*xf32>`
    """

    name = "mx.label"
    IS_CONSTANT: ClassVar[bool] = True


@irdl_op_definition
class ParamOp(VariableOp):
    """A variable of which the file of parameters has the value: a constant.

    `node.kind` is what the file says in front of the name: `arg`, `aux` for an auxiliary state, or nothing.
    `node.storage` is how the file stores it where that is not plain: `row_sparse` or `csr`. Example:

        %b = mx.param "conv0_bias" () <{node.value = dense<0.0> : tensor<8xf32>, node.kind = "arg"}>
            : () -> tensor<8xf32>
    """

    name = "mx.param"
    value = prop_def(Attribute)
    kind = prop_def(StringAttr)
    storage = opt_prop_def(StringAttr)
    IS_CONSTANT: ClassVar[bool] = True
    OWN: ClassVar = OWN | {
        "node.value": "value",
        "node.kind": "kind",
        "node.storage": "storage",
    }

    def verify_(self) -> None:
        super().verify_()
        name = self.node_name.data
        if not isinstance(self.value, TENSOR_ATTRS):
            raise VerifyException(f"the value of {name!r} is {self.value}, expected a tensor")
        if self.kind.data not in ("arg", "aux", ""):
            raise VerifyException(
                f"parameter {name!r} is of kind {self.kind.data!r}, expected arg or aux"
            )
        storage = None if self.storage is None else self.storage.data
        if storage not in (None, "row_sparse", "csr"):
            raise VerifyException(
                f"parameter {name!r} is stored as {storage!r}, expected row_sparse or csr"
            )


def nodes_of(graph: OrderedGraph) -> list[MxOp]:
    """The nodes of a graph, in the order of the file."""
    return [op for op in cast("Iterable[object]", graph.body.block.ops) if isinstance(op, MxOp)]


def arg_nodes(nodes: Sequence[MxOp]) -> list[int]:
    """The indices of the variables, which a symbol's file lists."""
    return [i for i, op in enumerate(nodes) if isinstance(op, VariableOp)]


def row_pointers(nodes: Sequence[MxOp]) -> list[int]:
    """The index of each node's first output among all outputs, and their total number."""
    return [0, *accumulate(len(op.results) for op in nodes)]


OUTPUT = "_output"
"""The suffix of output names of nodes that have only one."""

_BORDER = re.compile(r"(.+)_(\d+)_sophon_auto")
"""The original AutoSplit's name of an output of a node that has several."""


def resolve_tensor_name(values: Mapping[str, SSAValue], name: str) -> str | None:
    """The key in `values` of the tensor that `name` means; None if there is none.

    `name` is its own name, that of its node, or the original AutoSplit's.
    """
    bare = name.removesuffix(OUTPUT)
    border = _BORDER.fullmatch(name)
    several = [] if border is None else [f"{border[1]}{OUTPUT}{border[2]}"]
    for tried in (name, f"{name}{OUTPUT}", f"{name}{OUTPUT}0", bare, *several):
        if tried in values:
            return tried
    for tried, value in values.items():
        # The first output of BatchNorm and others has another name.
        owner = value.owner
        if isinstance(owner, MxOp) and owner.node_name.data in (name, bare):
            return tried
    return None
