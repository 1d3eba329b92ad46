"""TensorFlow graphs as their framework wrote them.

Every node of a GraphDef is one op of this dialect: a declared one where its type is known (`tf.Conv2D`), else
`tf.opaque`. `graphs` says how a node is laid out, `attributes` what its attributes are in IR and in Python;
the ops are declared by subject in `nn`, `math`, `linear`, `array`, `image`, `control` and `state`.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from autosplit.dialects.tf.attributes import (
    ControlType,
    Kind,
    OtherType,
    ResourceType,
    ShapeAttr,
    StringType,
    TensorAttr,
    VariantType,
    data_type_of,
    element_of,
    from_python,
    tensor_type,
)
from autosplit.dialects.tf.attributes.python import to_python
from autosplit.dialects.tf.base import TfOp
from autosplit.dialects.tf.build import make_constant, make_node, make_placeholder
from autosplit.dialects.tf.constants import ConstOp, constant_array
from autosplit.dialects.tf.graphs import GraphOp
from autosplit.dialects.tf.opaque import OpaqueOp
from autosplit.dialects.tf.ops import DECLARED

__all__ = [
    "ConstOp",
    "ControlType",
    "GraphOp",
    "Kind",
    "OpaqueOp",
    "OtherType",
    "ResourceType",
    "ShapeAttr",
    "StringType",
    "TensorAttr",
    "Tf",
    "TfOp",
    "VariantType",
    "constant_array",
    "data_type_of",
    "element_of",
    "from_python",
    "make_constant",
    "make_node",
    "make_placeholder",
    "tensor_type",
    "to_python",
]

Tf = Dialect(
    "tf",
    [
        GraphOp,
        OpaqueOp,
        *DECLARED.values(),
    ],
    [
        ControlType,
        ResourceType,
        VariantType,
        StringType,
        OtherType,
        ShapeAttr,
        TensorAttr,
    ],
)
