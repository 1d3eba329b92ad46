"""The protobuf messages of a caffemodel that its weights need.

As for TensorFlow's, the descriptor is built when this module is imported, in its own pool. Only the names and
weights of layers are declared, since the prototxt defines what a layer does. Packed numbers are declared as
bytes, so that numpy reads millions of them at once.
"""

from __future__ import annotations

from typing import Protocol, cast

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, unknown_fields
from google.protobuf.message import DecodeError, Message

from autosplit.core.errors import AutosplitError
from autosplit.dialects.protos import Proto, Repeated, Scalars

PACKAGE = "autosplit.caffe"

_MESSAGES = {
    "BlobShape": "dim 1 int64*",
    "Blob": "num 1 int32, channels 2 int32, height 3 int32, width 4 int32, data 5 bytes*, shape 7 BlobShape, "
    "double_data 8 bytes*, raw_data_type 10 int32, raw_data 12 bytes",
    "V0Layer": "name 1 string, type 2 string, blobs 50 Blob*",
    "V1Layer": "layer 1 V0Layer, name 4 string, type 5 int32, blobs 6 Blob*",
    "Layer": "name 1 string, type 2 string, blobs 7 Blob*",
    "Net": "name 1 string, layers 2 V1Layer*, layer 100 Layer*",
}


class BlobShape(Proto, Protocol):
    """The sizes of a blob."""

    @property
    def dim(self) -> Scalars[int]: ...


class Blob(Proto, Protocol):
    """An array of numbers: packed f32 or f64 pieces, or raw bytes of a type that NVIDIA's fork defines."""

    num: int
    channels: int
    height: int
    width: int
    raw_data_type: int
    raw_data: bytes

    @property
    def shape(self) -> BlobShape: ...
    @property
    def data(self) -> Scalars[bytes]: ...
    @property
    def double_data(self) -> Scalars[bytes]: ...


class V0Layer(Proto, Protocol):
    """A layer of the oldest format."""

    name: str
    type: str

    @property
    def blobs(self) -> Repeated[Blob]: ...


class V1Layer(Proto, Protocol):
    """A layer of the second format; in the oldest, `layer` describes it."""

    name: str
    type: int

    @property
    def layer(self) -> V0Layer: ...
    @property
    def blobs(self) -> Repeated[Blob]: ...


class Layer(Proto, Protocol):
    """A layer's name and its weights."""

    name: str
    type: str

    @property
    def blobs(self) -> Repeated[Blob]: ...


class Net(Proto, Protocol):
    """A caffemodel."""

    name: str

    @property
    def layers(self) -> Repeated[V1Layer]: ...
    @property
    def layer(self) -> Repeated[Layer]: ...


def _file() -> descriptor_pb2.FileDescriptorProto:
    Field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="autosplit/caffe.proto", package=PACKAGE, syntax="proto2"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for text in fields.split(", "):
            field_name, number, kind = text.split()
            field = message.field.add(name=field_name, number=int(number))
            repeated = kind.endswith("*")
            field.label = Field.LABEL_REPEATED if repeated else Field.LABEL_OPTIONAL
            kind = kind.removesuffix("*")
            if kind[0].islower():
                field.type = Field.Type.Value(f"TYPE_{kind.upper()}")
                field.options.packed = repeated and kind == "int64"
            else:
                field.type, field.type_name = Field.TYPE_MESSAGE, f".{PACKAGE}.{kind}"
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())


def new_net(data: bytes = b"") -> Net:
    """A caffemodel parsed from `data`. Raises AutosplitError if it is not one."""
    message = message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{PACKAGE}.Net"))()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise AutosplitError(
            f"is not a whole caffemodel, it is truncated or damaged ({error})"
        ) from None
    return cast("Net", message)


def unpacked(blob: Blob, number: int) -> list[bytes]:
    """The elements of field `number` that are not packed, each as its bytes, little-endian."""
    numbers: list[bytes] = []
    for unknown in unknown_fields.UnknownFieldSet(cast("Message", blob)):
        if unknown.field_number == number and unknown.wire_type in (1, 5):
            size = 8 if unknown.wire_type == 1 else 4
            numbers.append(int(cast("int", unknown.data)).to_bytes(size, "little"))
    return numbers
