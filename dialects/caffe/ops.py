"""The ops of the dialect: one class for each type of layer of the table, inputs, and all other types."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def, traits_def
from xdsl.traits import Pure

from autosplit.dialects.caffe.base import CaffeOp
from autosplit.dialects.caffe.spec import LAYERS, LayerSpec


def _class_of(spec: LayerSpec) -> type[CaffeOp]:
    """The op class of one type of layer."""
    operands = ", ".join(f"%x{i}" for i in range(spec.bottoms[0]))
    results = ", ".join(f"%y{i}" for i in range(spec.tops[0]))
    names = ", ".join(f'"y{i}"' for i in range(spec.tops[0]))
    operand_types = ", ".join(["tensor<1x8x4x4xf32>"] * spec.bottoms[0])
    types = ", ".join(["tensor<*xf32>"] * spec.tops[0])
    types = types if spec.tops[0] == 1 else f"({types})"
    assigned = f"{results} = " if results else ""
    fields: dict[str, object] = {
        "__doc__": f"{spec.about}.\n\nExample:\n\n"
        f'    {assigned}caffe.{spec.kind} "l" ({operands}) -> [{names}] : ({operand_types}) -> {types}\n',
        "__module__": __name__,
        "__qualname__": f"{spec.kind}Op",
        "name": f"caffe.{spec.kind}",
        "SPEC": spec,
        "IS_CONSTANT": spec.kind == "Const",
        "traits": traits_def(Pure()),
        # xDSL takes them for constants by their annotation.
        "__annotations__": {"SPEC": ClassVar, "IS_CONSTANT": ClassVar},
    }
    cls: Any = type(f"{spec.kind}Op", (CaffeOp,), fields)
    return irdl_op_definition(cast("type[CaffeOp]", cls))


@irdl_op_definition
class InputOp(CaffeOp):
    """An input of the network, which a caller gives.

    Example: `%x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x300x300xf32>`
    """

    name = "caffe.Input"


@irdl_op_definition
class OpaqueOp(CaffeOp):
    """A layer of a type that is not declared, such as one of a fork of Caffe; all that it says is kept.

    Example:

        %y = caffe.opaque "n" (%x) -> ["n"] <{layer.type = "Mine", mine_param = {mode = @FAST}}>
            : (tensor<1x8xf32>) -> tensor<*xf32>
    """

    name = "caffe.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    layer_type = prop_def(StringAttr)

    @property
    def op_type(self) -> str:
        return self.layer_type.data


DECLARED: dict[str, type[CaffeOp]] = {
    "Input": InputOp,
    **{kind: _class_of(spec) for kind, spec in LAYERS.items()},
}
"""The op classes by Caffe's name of the type of layer."""
