"""The protobuf messages of a TensorFlow GraphDef, without TensorFlow.

Generated code would tie us to one release of protobuf, so the descriptor is built when this module is
imported, in its own pool and package: TensorFlow's may be in the same process. Only the messages that the
compiler reads are declared. The function library stays bytes if it is not read, and unlisted fields are kept
as unknown fields, so a parsed graph serializes to an equal one.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Protocol, cast

from google.protobuf import (
    descriptor_pb2,
    descriptor_pool,
    message_factory,
    text_format,
    unknown_fields,
)
from google.protobuf.message import DecodeError, Message

from autosplit.core.errors import AutosplitError
from autosplit.dialects.protos import Proto, Repeated, Scalars

PACKAGE = "autosplit.tensorflow"

DATA_TYPES = {
    "DT_INVALID": 0, "DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5,
    "DT_INT8": 6, "DT_STRING": 7, "DT_COMPLEX64": 8, "DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11,
    "DT_QUINT8": 12, "DT_QINT32": 13, "DT_BFLOAT16": 14, "DT_QINT16": 15, "DT_QUINT16": 16,
    "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19, "DT_RESOURCE": 20, "DT_VARIANT": 21,
    "DT_UINT32": 22, "DT_UINT64": 23, "DT_FLOAT8_E5M2": 24, "DT_FLOAT8_E4M3FN": 25,
    "DT_FLOAT8_E4M3FNUZ": 26, "DT_FLOAT8_E4M3B11FNUZ": 27, "DT_FLOAT8_E5M2FNUZ": 28, "DT_INT4": 29,
    "DT_UINT4": 30, "DT_INT2": 31, "DT_UINT2": 32, "DT_FLOAT4_E2M1FN": 33,
}  # fmt: skip
FULL_TYPES = {
    "TFT_UNSET": 0, "TFT_VAR": 1, "TFT_ANY": 2, "TFT_PRODUCT": 3, "TFT_NAMED": 4, "TFT_FOR_EACH": 20,
    "TFT_CALLABLE": 100, "TFT_BOOL": 200, "TFT_UINT8": 201, "TFT_UINT16": 202, "TFT_UINT32": 203,
    "TFT_UINT64": 204, "TFT_INT8": 205, "TFT_INT16": 206, "TFT_INT32": 207, "TFT_INT64": 208,
    "TFT_HALF": 209, "TFT_FLOAT": 210, "TFT_DOUBLE": 211, "TFT_COMPLEX64": 212, "TFT_COMPLEX128": 213,
    "TFT_STRING": 214, "TFT_BFLOAT16": 215, "TFT_TENSOR": 1000, "TFT_ARRAY": 1001,
    "TFT_OPTIONAL": 1002, "TFT_LITERAL": 1003, "TFT_ENCODED": 1004, "TFT_SHAPE_TENSOR": 1005,
    "TFT_DATASET": 10102, "TFT_RAGGED": 10103, "TFT_ITERATOR": 10104, "TFT_MUTEX_LOCK": 10202,
    "TFT_LEGACY_VARIANT": 10203,
}  # fmt: skip
REF = 100
"""A reference to a variable has this much added to the number of its data type."""

_ENUMS = ("DataType", "FullTypeId")
# One line per message. A field is `name number kind`; `*` after the kind: repeated, `?`: has presence,
# `%`: a map from strings. Kinds are proto's scalars or a message or enum of this file.
_MESSAGES = {
    "VersionDef": "producer 1 int32, min_consumer 2 int32, bad_consumers 3 int32*",
    "TensorShapeDim": "size 1 int64, name 2 string",
    "TensorShapeProto": "dim 2 TensorShapeDim*, unknown_rank 3 bool",
    "TensorProto": "dtype 1 DataType, tensor_shape 2 TensorShapeProto, version_number 3 int32, "
    "tensor_content 4 bytes, half_val 13 int32*, float_val 5 float*, double_val 6 double*, "
    "int_val 7 int32*, string_val 8 bytes*, scomplex_val 9 float*, int64_val 10 int64*, "
    "bool_val 11 bool*, dcomplex_val 12 double*, resource_handle_val 14 bytes*, "
    "variant_val 15 bytes*, uint32_val 16 uint32*, uint64_val 17 uint64*, float8_val 18 bytes",
    "NameAttrList": "name 1 string, attr 2 AttrValue%",
    "ListValue": "s 2 bytes*, i 3 int64*, f 4 float*, b 5 bool*, type 6 DataType*, "
    "shape 7 TensorShapeProto*, tensor 8 TensorProto*, func 9 NameAttrList*",
    "AttrValue": "list 1 ListValue|, s 2 bytes|, i 3 int64|, f 4 float|, b 5 bool|, type 6 DataType|, "
    "shape 7 TensorShapeProto|, tensor 8 TensorProto|, placeholder 9 string|, func 10 NameAttrList|",
    "NodeDef": "name 1 string, op 2 string, input 3 string*, device 4 string, attr 5 AttrValue%, "
    "experimental_debug_info 6 NodeDebugInfo, experimental_type 7 FullTypeDef",
    "NodeDebugInfo": "original_node_names 1 string*, original_func_names 2 string*",
    "FullTypeDef": "type_id 1 FullTypeId, args 2 FullTypeDef*, s 3 string, i 4 int64",
    "DtypeAndShape": "dtype 1 DataType, shape 2 TensorShapeProto",
    "ArgDef": "name 1 string, description 2 string, type 3 DataType, type_attr 4 string, "
    "number_attr 5 string, type_list_attr 6 string, handle_data 7 DtypeAndShape*, is_ref 16 bool, "
    "experimental_full_type 17 FullTypeDef",
    "AttrDef": "name 1 string, type 2 string, default_value 3 AttrValue, description 4 string, "
    "has_minimum 5 bool, minimum 6 int64, allowed_values 7 AttrValue",
    "OpDeprecation": "version 1 int32, explanation 2 string",
    "OpDef": "name 1 string, input_arg 2 ArgDef*, output_arg 3 ArgDef*, attr 4 AttrDef*, "
    "summary 5 string, description 6 string, is_aggregate 16 bool, is_stateful 17 bool, "
    "is_commutative 18 bool, allows_uninitialized_input 19 bool, control_output 20 string*, "
    "is_distributed_communication 21 bool, deprecation 8 OpDeprecation",
    "ArgAttrs": "attr 1 AttrValue%",
    "NumberedArgAttrs": "key 1 uint32, value 2 ArgAttrs",
    "NumberedId": "key 1 uint32, value 2 uint32",
    "FunctionDef": "signature 1 OpDef, node_def 3 NodeDef*, ret 4 string%, attr 5 AttrValue%, "
    "control_ret 6 string%, arg_attr 7 NumberedArgAttrs*, resource_arg_unique_id 8 NumberedId*",
    "GradientDef": "function_name 1 string, gradient_func 2 string",
    "RegisteredGradient": "gradient_func 1 string, registered_op_type 2 string",
    "FunctionDefLibrary": "function 1 FunctionDef*, gradient 2 GradientDef*, "
    "registered_gradients 3 RegisteredGradient*",
    "GraphDef": "node 1 NodeDef*, library 2 bytes?, version 3 int32, versions 4 VersionDef, "
    "debug_info 5 bytes?",
    "FileLineCol": "file_index 1 int32?, line 2 int32?, col 3 int32?, func 4 string?, code 5 string?",
    "StackTrace": "file_line_cols 1 FileLineCol*, frame_id 2 fixed64*",
    "NumberedFrame": "key 1 fixed64, value 2 FileLineCol",
    "NumberedTrace": "key 1 fixed64, value 2 StackTrace",
    "NamedTrace": "key 1 string, value 2 fixed64",
    "GraphDebugInfo": "files 1 string*, traces 2 StackTrace%, frames_by_id 4 NumberedFrame*, "
    "name_to_trace_id 5 NamedTrace*, traces_by_id 6 NumberedTrace*",
    "TextGraphDef": "node 1 NodeDef*, library 2 FunctionDefLibrary, version 3 int32, versions 4 VersionDef, "
    "debug_info 5 GraphDebugInfo",
}


class Dim(Proto, Protocol):
    """One dimension of a shape; -1 is an unknown size."""

    size: int
    name: str


class TensorShapeProto(Proto, Protocol):
    """A shape, as in `dim { size: 1 } dim { size: -1 }`."""

    unknown_rank: bool

    @property
    def dim(self) -> Repeated[Dim]: ...


class TensorProto(Proto, Protocol):
    """A tensor: its bytes in `tensor_content`, or its elements in the field of its dtype."""

    dtype: int
    version_number: int
    tensor_content: bytes
    float8_val: bytes

    @property
    def tensor_shape(self) -> TensorShapeProto: ...
    @property
    def string_val(self) -> Scalars[bytes]: ...


class NameAttrList(Proto, Protocol):
    """A function by name, with attributes."""

    name: str

    @property
    def attr(self) -> MutableMapping[str, AttrValue]: ...


class ListValue(Proto, Protocol):
    """An attribute that is a list; of the fields at most one is used."""

    @property
    def s(self) -> Scalars[bytes]: ...
    @property
    def i(self) -> Scalars[int]: ...
    @property
    def f(self) -> Scalars[float]: ...
    @property
    def b(self) -> Scalars[bool]: ...
    @property
    def type(self) -> Scalars[int]: ...
    @property
    def shape(self) -> Repeated[TensorShapeProto]: ...
    @property
    def tensor(self) -> Repeated[TensorProto]: ...
    @property
    def func(self) -> Repeated[NameAttrList]: ...


class AttrValue(Proto, Protocol):
    """The value of a node's attribute: one of its fields, or none."""

    s: bytes
    i: int
    f: float
    b: bool
    type: int
    placeholder: str

    @property
    def list(self) -> ListValue: ...
    @property
    def shape(self) -> TensorShapeProto: ...
    @property
    def tensor(self) -> TensorProto: ...
    @property
    def func(self) -> NameAttrList: ...


class NodeDef(Proto, Protocol):
    """A node: what it computes, from which tensors, on which device, with which attributes."""

    name: str
    op: str
    device: str

    @property
    def input(self) -> Scalars[str]: ...
    @property
    def attr(self) -> MutableMapping[str, AttrValue]: ...


class ArgDef(Proto, Protocol):
    """An argument or a result of a function: one tensor, or as many as an attribute says."""

    name: str
    number_attr: str
    type_list_attr: str


class OpDef(Proto, Protocol):
    """The signature of a function."""

    name: str

    @property
    def input_arg(self) -> Repeated[ArgDef]: ...
    @property
    def output_arg(self) -> Repeated[ArgDef]: ...


class FunctionDef(Proto, Protocol):
    """A function of a graph's library. `ret` and `control_ret` list the tensors and nodes that it returns."""

    @property
    def signature(self) -> OpDef: ...
    @property
    def node_def(self) -> Repeated[NodeDef]: ...
    @property
    def ret(self) -> MutableMapping[str, str]: ...
    @property
    def attr(self) -> MutableMapping[str, AttrValue]: ...
    @property
    def control_ret(self) -> MutableMapping[str, str]: ...


class GradientDef(Proto, Protocol):
    """Which function computes another's gradient."""

    function_name: str


class FunctionDefLibrary(Proto, Protocol):
    """The functions of a graph."""

    @property
    def function(self) -> Repeated[FunctionDef]: ...
    @property
    def gradient(self) -> Repeated[GradientDef]: ...


class VersionDef(Proto, Protocol):
    """Which TensorFlow wrote a graph."""

    producer: int
    min_consumer: int


class GraphDef(Proto, Protocol):
    """A whole graph."""

    library: bytes
    """A serialized FunctionDefLibrary."""

    @property
    def node(self) -> Repeated[NodeDef]: ...
    @property
    def versions(self) -> VersionDef: ...


def _file() -> descriptor_pb2.FileDescriptorProto:
    Field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="autosplit/tensorflow.proto", package=PACKAGE, syntax="proto3"
    )
    enum = file.enum_type.add(name="DataType")
    for name, number in DATA_TYPES.items():
        enum.value.add(name=name, number=number)
    for name, number in DATA_TYPES.items():
        if number:
            enum.value.add(name=f"{name}_REF", number=number + REF)
    full_types = file.enum_type.add(name="FullTypeId")
    for name, number in FULL_TYPES.items():
        full_types.value.add(name=name, number=number)
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for text in fields.split(", "):
            field_name, number, kind = text.split()
            field = message.field.add(name=field_name, number=int(number), label=1)
            kind, mark = (kind[:-1], kind[-1]) if kind[-1] in "*?%|" else (kind, "")
            if mark == "%":
                entry = message.nested_type.add(name=f"{field_name.title().replace('_', '')}Entry")
                entry.options.map_entry = True
                entry.field.add(name="key", number=1, label=1, type=Field.TYPE_STRING)
                value = entry.field.add(name="value", number=2, label=1)
                if kind == "string":
                    value.type = Field.TYPE_STRING
                else:
                    value.type, value.type_name = Field.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
                kind = f"{name}.{entry.name}"
            if mark in ("*", "%"):
                field.label = Field.LABEL_REPEATED
            if mark == "|":
                if not message.oneof_decl:
                    message.oneof_decl.add(name="value")
                field.oneof_index = 0
            if kind[0].islower():
                field.type = Field.Type.Value(f"TYPE_{kind.upper()}")
            else:
                field.type = Field.TYPE_ENUM if kind in _ENUMS else Field.TYPE_MESSAGE
                field.type_name = f".{PACKAGE}.{kind}"
            if mark == "?":
                field.proto3_optional = True
        # Presence in proto3 is a oneof of one field, and such oneofs come last.
        for field in message.field:
            if field.proto3_optional:
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field.name}")
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())


def _new(name: str) -> Message:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))()


def new_graph(data: bytes = b"") -> GraphDef:
    """A GraphDef, parsed from `data`. Raises AutosplitError if it is not one."""
    return cast("GraphDef", _parsed("GraphDef", data))


def new_node(data: bytes = b"") -> NodeDef:
    """A NodeDef, parsed from `data`. Raises AutosplitError if it is not one."""
    return cast("NodeDef", _parsed("NodeDef", data))


def new_attr(data: bytes = b"") -> AttrValue:
    """An AttrValue, parsed from `data`. Raises AutosplitError if it is not one."""
    return cast("AttrValue", _parsed("AttrValue", data))


def new_library(data: bytes = b"") -> FunctionDefLibrary:
    """A FunctionDefLibrary, parsed from `data`. Raises AutosplitError if it is not one."""
    return cast("FunctionDefLibrary", _parsed("FunctionDefLibrary", data))


def _parsed(name: str, data: bytes) -> Message:
    message = _new(name)
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise AutosplitError(
            f"is not a whole TensorFlow {name}, it is truncated or damaged ({error})"
        ) from None
    return message


def has_unknown_fields(message: Proto) -> bool:
    """Whether the message itself, not a nested one, has fields that are not declared."""
    return len(unknown_fields.UnknownFieldSet(cast("Message", message))) > 0


def to_text(message: Proto) -> str:
    """The message in protobuf's text format."""
    printable = cast("Message", message)
    if printable.DESCRIPTOR.name == "GraphDef":
        printable = _parsed("TextGraphDef", message.SerializeToString())
    return text_format.MessageToString(printable)


def graph_from_text(text: str) -> GraphDef:
    """A GraphDef from protobuf's text format. Raises google.protobuf.text_format.ParseError."""
    graph = _new("TextGraphDef")
    text_format.Parse(text, graph)
    return new_graph(graph.SerializeToString(deterministic=True))
