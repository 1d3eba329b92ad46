"""Handles: tensor arrays, tensor lists, variables, tables.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import f32, i32, i64
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind, ResourceType, ShapeAttr, VariantType
from autosplit.dialects.tf.base import NodeOp


@irdl_op_definition
class TensorArrayV3Op(NodeOp):
    """A list of `size` tensors; `flow` orders what reads and writes it.

    Example:

        %y, %z = tf.TensorArrayV3 "n" (%x) <{dtype = f32}>
            : (tensor<i32>) -> (!tf.resource, tensor<f32>)
    """

    name = "tf.TensorArrayV3"
    size = operand_def()
    handle = result_def()
    flow = result_def()
    ATTRIBUTES: ClassVar = {
        "dtype": Kind.TYPE,
        "element_shape": ShapeAttr.of(None),
        "dynamic_size": False,
        "clear_after_read": True,
        "identical_element_shapes": False,
        "tensor_array_name": "",
    }
    OUTPUTS: ClassVar = (ResourceType(), f32)


@irdl_op_definition
class TensorArrayReadV3Op(NodeOp):
    """Element `index`.

    Example:

        %y = tf.TensorArrayReadV3 "n" (%x, %w, %b) <{dtype = f32}>
            : (!tf.resource, tensor<i32>, tensor<f32>) -> tensor<*xf32>
    """

    name = "tf.TensorArrayReadV3"
    handle = operand_def()
    index = operand_def()
    flow_in = operand_def()
    value = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class TensorArrayWriteV3Op(NodeOp):
    """Sets element `index`.

    Example:

        %y = tf.TensorArrayWriteV3 "n" (%a, %b, %c, %d) <{T = f32}>
            : (!tf.resource, tensor<i32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
    """

    name = "tf.TensorArrayWriteV3"
    handle = operand_def()
    index = operand_def()
    value = operand_def()
    flow_in = operand_def()
    flow_out = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class TensorArrayGatherV3Op(NodeOp):
    """The elements `indices`, stacked.

    Example:

        %y = tf.TensorArrayGatherV3 "n" (%x, %w, %b) <{dtype = f32}>
            : (!tf.resource, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
    """

    name = "tf.TensorArrayGatherV3"
    handle = operand_def()
    indices = operand_def()
    flow_in = operand_def()
    value = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE, "element_shape": ShapeAttr.of(None)}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class TensorArrayScatterV3Op(NodeOp):
    """Sets the elements `indices` from the slices of `value`.

    Example:

        %y = tf.TensorArrayScatterV3 "n" (%a, %b, %c, %d) <{T = f32}>
            : (!tf.resource, tensor<2xi32>, tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
    """

    name = "tf.TensorArrayScatterV3"
    handle = operand_def()
    indices = operand_def()
    value = operand_def()
    flow_in = operand_def()
    flow_out = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class TensorArrayConcatV3Op(NodeOp):
    """All elements, joined along their first dimension, and how long each is.

    Example:

        %y, %z = tf.TensorArrayConcatV3 "n" (%x, %w) <{dtype = f32}>
            : (!tf.resource, tensor<f32>) -> (tensor<*xf32>, tensor<2xi64>)
    """

    name = "tf.TensorArrayConcatV3"
    handle = operand_def()
    flow_in = operand_def()
    value = result_def()
    lengths = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE, "element_shape_except0": ShapeAttr.of(None)}
    OUTPUTS: ClassVar = ("dtype", i64)


@irdl_op_definition
class TensorArraySplitV3Op(NodeOp):
    """Sets the elements from `value`, cut into pieces of `lengths`.

    Example:

        %y = tf.TensorArraySplitV3 "n" (%a, %b, %c, %d) <{T = f32}>
            : (!tf.resource, tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<f32>
    """

    name = "tf.TensorArraySplitV3"
    handle = operand_def()
    value = operand_def()
    lengths = operand_def()
    flow_in = operand_def()
    flow_out = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = (f32,)


@irdl_op_definition
class TensorArraySizeV3Op(NodeOp):
    """The number of elements.

    Example:

        %y = tf.TensorArraySizeV3 "n" (%x, %w) : (!tf.resource, tensor<f32>) -> tensor<i32>
    """

    name = "tf.TensorArraySizeV3"
    handle = operand_def()
    flow_in = operand_def()
    size = result_def()
    OUTPUTS: ClassVar = (i32,)


@irdl_op_definition
class TensorArrayCloseV3Op(NodeOp):
    """Frees the list.

    Example:

        tf.TensorArrayCloseV3 "n" (%x) : (!tf.resource) -> ()
    """

    name = "tf.TensorArrayCloseV3"
    handle = operand_def()
    OUTPUTS: ClassVar = ()


@irdl_op_definition
class TensorListFromTensorOp(NodeOp):
    """A list of the slices of `tensor`.

    Example:

        %y = tf.TensorListFromTensor "n" (%x, %w) <{element_dtype = f32, shape_type = i32}>
            : (tensor<2x4xf32>, tensor<1xi32>) -> !tf.variant
    """

    name = "tf.TensorListFromTensor"
    tensor = operand_def()
    element_shape = operand_def()
    output_handle = result_def()
    ATTRIBUTES: ClassVar = {"element_dtype": Kind.TYPE, "shape_type": Kind.TYPE}
    OUTPUTS: ClassVar = (VariantType(),)


@irdl_op_definition
class TensorListGetItemOp(NodeOp):
    """Element `index`.

    Example:

        %y = tf.TensorListGetItem "n" (%x, %w, %b) <{element_dtype = f32}>
            : (!tf.variant, tensor<i32>, tensor<1xi32>) -> tensor<4xf32>
    """

    name = "tf.TensorListGetItem"
    input_handle = operand_def()
    index = operand_def()
    element_shape = operand_def()
    item = result_def()
    ATTRIBUTES: ClassVar = {"element_dtype": Kind.TYPE, "Tshape": i32}
    OUTPUTS: ClassVar = ("element_dtype",)


@irdl_op_definition
class TensorListReserveOp(NodeOp):
    """A list of `num_elements` elements that are not set.

    Example:

        %y = tf.TensorListReserve "n" (%x, %w) <{element_dtype = f32, shape_type = i32}>
            : (tensor<1xi32>, tensor<i32>) -> !tf.variant
    """

    name = "tf.TensorListReserve"
    element_shape = operand_def()
    num_elements = operand_def()
    handle = result_def()
    ATTRIBUTES: ClassVar = {"element_dtype": Kind.TYPE, "shape_type": Kind.TYPE}
    OUTPUTS: ClassVar = (VariantType(),)


@irdl_op_definition
class TensorListSetItemOp(NodeOp):
    """The list with another element `index`.

    Example:

        %y = tf.TensorListSetItem "n" (%x, %w, %b) <{element_dtype = f32}>
            : (!tf.variant, tensor<i32>, tensor<4xf32>) -> !tf.variant
    """

    name = "tf.TensorListSetItem"
    input_handle = operand_def()
    index = operand_def()
    item = operand_def()
    output_handle = result_def()
    ATTRIBUTES: ClassVar = {"element_dtype": Kind.TYPE, "resize_if_index_out_of_bounds": False}
    OUTPUTS: ClassVar = (VariantType(),)


@irdl_op_definition
class TensorListStackOp(NodeOp):
    """All elements, stacked.

    Example:

        %y = tf.TensorListStack "n" (%x, %w) <{element_dtype = f32}>
            : (!tf.variant, tensor<1xi32>) -> tensor<2x4xf32>
    """

    name = "tf.TensorListStack"
    input_handle = operand_def()
    element_shape = operand_def()
    tensor = result_def()
    ATTRIBUTES: ClassVar = {"element_dtype": Kind.TYPE, "num_elements": -1}
    OUTPUTS: ClassVar = ("element_dtype",)


@irdl_op_definition
class VarHandleOpOp(NodeOp):
    """The handle of a variable.

    Example:

        %y = tf.VarHandleOp "n" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> !tf.resource
    """

    name = "tf.VarHandleOp"
    resource = result_def()
    ATTRIBUTES: ClassVar = {
        "container": "",
        "shared_name": "",
        "debug_name": "",
        "dtype": Kind.TYPE,
        "shape": Kind.SHAPE,
    }
    OUTPUTS: ClassVar = (ResourceType(),)


@irdl_op_definition
class ReadVariableOpOp(NodeOp):
    """The value of a variable.

    Example:

        %y = tf.ReadVariableOp "n" (%x) <{dtype = f32}> : (!tf.resource) -> tensor<4xf32>
    """

    name = "tf.ReadVariableOp"
    resource = operand_def()
    value = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class VariableV2Op(NodeOp):
    """A variable, as a reference.

    Example:

        %y = tf.VariableV2 "n" () <{shape = #tf.shape<[4]>, dtype = f32}>
            : () -> tensor<4x!tf.dtype<101>>
    """

    name = "tf.VariableV2"
    ref = result_def()
    ATTRIBUTES: ClassVar = {
        "shape": Kind.SHAPE,
        "dtype": Kind.TYPE,
        "container": "",
        "shared_name": "",
    }


@irdl_op_definition
class HashTableV2Op(NodeOp):
    """A table from keys to values.

    Example:

        %y = tf.HashTableV2 "n" () <{key_dtype = i64, value_dtype = i64}> : () -> !tf.resource
    """

    name = "tf.HashTableV2"
    table_handle = result_def()
    ATTRIBUTES: ClassVar = {
        "container": "",
        "shared_name": "",
        "use_node_name_sharing": False,
        "key_dtype": Kind.TYPE,
        "value_dtype": Kind.TYPE,
    }
    OUTPUTS: ClassVar = (ResourceType(),)


@irdl_op_definition
class LookupTableFindV2Op(NodeOp):
    """The values of `keys` in a table, `default_value` for those it lacks.

    Example:

        %y = tf.LookupTableFindV2 "n" (%x, %w, %b) <{Tin = i64, Tout = i64}>
            : (!tf.resource, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    """

    name = "tf.LookupTableFindV2"
    table_handle = operand_def()
    keys = operand_def()
    default_value = operand_def()
    values = result_def()
    ATTRIBUTES: ClassVar = {"Tin": Kind.TYPE, "Tout": Kind.TYPE}
    OUTPUTS: ClassVar = ("Tout",)


OPS = (
    TensorArrayV3Op,
    TensorArrayReadV3Op,
    TensorArrayWriteV3Op,
    TensorArrayGatherV3Op,
    TensorArrayScatterV3Op,
    TensorArrayConcatV3Op,
    TensorArraySplitV3Op,
    TensorArraySizeV3Op,
    TensorArrayCloseV3Op,
    TensorListFromTensorOp,
    TensorListGetItemOp,
    TensorListReserveOp,
    TensorListSetItemOp,
    TensorListStackOp,
    VarHandleOpOp,
    ReadVariableOpOp,
    VariableV2Op,
    HashTableV2Op,
    LookupTableFindV2Op,
)
