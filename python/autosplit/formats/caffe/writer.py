"""Writes modules of the `caffe` dialect, whole or sub-models, as prototxt and caffemodel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.caffe import CaffeOp, GraphOp, InputOp, layers_of
from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import static_shape
from autosplit.formats.caffe.fields import message_of
from autosplit.formats.caffe.proto import Net, new_net
from autosplit.formats.caffe.text import Message, Scalar, print_text


@dataclass(frozen=True)
class Network:
    """A network in its two files."""

    text: str
    weights: bytes

    def write(self, prototxt: Path, caffemodel: Path) -> None:
        """Writes both files; the same network gives the same bytes."""
        prototxt.write_text(self.text, encoding="utf-8")
        caffemodel.write_bytes(self.weights)


def export_graph(
    graph: GraphOp, store: WeightStore | None, named: Iterable[SSAValue] = ()
) -> Network:
    """A whole network; its outputs and the values `named` keep their names."""
    writer = _Writer(store)
    if graph.net is not None:
        writer.message = message_of("Net", graph.net.data)
    writer.add_layers(graph.layers(), {*named, *(v for _, v in graph.graph_outputs())})
    return writer.network()


def export_func(func: FuncOp, store: WeightStore | None) -> Network:
    """One sub-model: an Input layer for each of its inputs, then its layers in order."""
    writer = _Writer(store)
    writer.message.add("name", _text(func.sym_name.data))
    for name, value in func.inputs:
        writer.add_input(name, name, value, {})
    terminator = func.body.block.last_op
    writer.add_layers(layers_of(func), set() if terminator is None else set(terminator.operands))
    return writer.network()


def _text(text: str) -> Scalar:
    return Scalar(text, 0, quoted=True)


class _Writer:
    """Writes layers one by one, and tracks which value each blob holds."""

    def __init__(self, store: WeightStore | None):
        self.message = Message()
        self._store = store
        self._net: Net = new_net()
        self._values: dict[str, SSAValue] = {}
        self._blobs: dict[SSAValue, str] = {}

    def network(self) -> Network:
        """The network as written so far."""
        return Network(print_text(self.message), self._net.SerializeToString(deterministic=True))

    def add_input(
        self, layer_name: str, name: str, value: SSAValue, params: Mapping[str, Attribute]
    ) -> None:
        layer = Message()
        layer.add("name", _text(layer_name))
        layer.add("type", _text("Input"))
        layer.add("top", _text(name))
        for field, values in message_of("Layer", params).fields.items():
            layer.add(field, *values)
        if (shape := static_shape(value.type)) is not None:
            # Without a shape, OpenCV takes that of the data.
            sizes, param = Message(), Message()
            sizes.add("dim", *map(str, shape))
            param.add("shape", sizes)
            layer.add("input_param", param)
        self.message.add("layer", layer)
        self._hold(name, value)

    def add_layers(self, ops: Sequence[CaffeOp], returned: set[SSAValue]) -> None:
        last_use = _last_uses(ops)
        for index, op in enumerate(ops):
            if isinstance(op, InputOp):
                name, params = op.node_name.data, op.params.data
                self.add_input(name, op.value_name(0), op.results[0], params)
                continue
            bottoms = [self._blob(op, value) for value in op.operands]
            tops: list[str] = []
            for top_name, name, value in zip(op.top_names, op.names, op.results, strict=True):
                previous = self._values.get(top_name)
                free = previous is None or (
                    previous not in returned
                    and last_use.get(previous, -1) <= index
                    and bottoms[len(tops) : len(tops) + 1] == [top_name]
                )
                top = top_name if free and value not in returned else name
                self._hold(top, value)
                tops.append(top)
            self._add_layer(op, bottoms, tops)

    def _hold(self, blob: str, value: SSAValue) -> None:
        self._values[blob] = value
        self._blobs[value] = blob

    def _blob(self, op: CaffeOp, value: SSAValue) -> str:
        if (blob := self._blobs.get(value)) is None:
            raise AutosplitError(f"{op.identity!r} reads {value}, which no layer makes")
        return blob

    def _add_layer(self, op: CaffeOp, bottoms: Iterable[str], tops: Iterable[str]) -> None:
        layer = Message()
        layer.add("name", _text(op.node_name.data))
        layer.add("type", _text(op.op_type))
        layer.add("bottom", *map(_text, bottoms))
        layer.add("top", *map(_text, tops))
        for field, values in message_of("Layer", _explicit(op)).fields.items():
            layer.add(field, *values)
        self.message.add("layer", layer)
        if not op.weights:
            return
        binary = self._net.layer.add()
        binary.name, binary.type = op.node_name.data, op.op_type
        for weight in op.weights:
            array = tensor_array(weight, self._store)
            assert array is not None
            blob = binary.blobs.add()
            blob.shape.dim.extend(array.shape)
            blob.data.append(np.ascontiguousarray(array, "<f4").tobytes())


def _explicit(op: CaffeOp) -> Mapping[str, Attribute]:
    """The fields of a layer; a Slice gets explicit slice points.

    OpenCV counts the parts by their consumers, of which a sub-model may have none.
    """
    if op.op_type != "Slice" or op.SPEC is None or op.get("slice_point"):
        return op.params.data
    shapes = [static_shape(result.type) for result in op.results]
    older: int | None = op.get("slice_dim")
    axis: int = op.get("axis") if older is None else older
    sizes = [shape[axis] for shape in shapes if shape is not None]
    if len(sizes) < len(shapes):
        return op.params.data
    points = ArrayAttr[Attribute]([IntegerAttr(point, i64) for point in accumulate(sizes[:-1])])
    params = DictionaryAttr(op.own_params | {"slice_point": points})
    return {**op.params.data, op.SPEC.param: params}


def _last_uses(ops: Sequence[CaffeOp]) -> dict[SSAValue, int]:
    """The index of the last layer that reads each value."""
    uses: dict[SSAValue, int] = {}
    for index, op in enumerate(ops):
        for value in op.operands:
            uses[value] = index
    return uses
