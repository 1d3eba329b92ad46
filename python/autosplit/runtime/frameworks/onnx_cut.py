"""The part of an ONNX model between the tensors that are given and those that are wanted.

A split may take inner tensors of the model as inputs, or leave out outputs and with them inputs; what it is
measured and compared with is the same part of the file. Weights stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, TypeProto, helper

from autosplit.core.errors import AutosplitError, choice
from autosplit.formats.onnx.reader import read_names

if TYPE_CHECKING:
    from onnx import ModelProto

    from autosplit.inputs.values import Value

    Array = NDArray[np.generic]


def cut_model(
    proto: ModelProto,
    feeds: Mapping[str, Value],
    wanted: Sequence[str],
    where: str,
    type_text: Callable[[str], str],
) -> None:
    """Cuts a model, in place, down to what computes the tensors `wanted` from the tensors in `feeds`.

    Tensors inside of the model that are given become inputs. `type_text`: what ONNX Runtime calls the type of
    a tensor by its name, as in `seq(tensor(float))`; asked for values that are not arrays. Raises
    AutosplitError, beginning with `where`, for names that are not tensors of the model, and where an input
    that is needed is not given.
    """
    graph = proto.graph
    inputs = [i.name for i in graph.input]
    makers = {name: node for node in graph.node for name in node.output if name}
    inner = [name for name in feeds if name not in inputs]
    for name in inner:
        if name not in makers:
            raise AutosplitError(f"{where}: has no input {name!r}{choice(name, inputs)}")
    types = {name: _type_of(feeds[name], name, type_text) for name in inner}
    expose(graph, wanted, where)
    for name in inner:
        _rename_result(makers[name], name, makers)
        graph.input.add(name=name).type.CopyFrom(types[name])
    _keep(graph.value_info, lambda info: info.name not in types)
    _keep(graph.output, lambda output: output.name in wanted)
    _prune(graph, feeds)
    weights = {t.name for t in graph.initializer} | {
        t.values.name for t in graph.sparse_initializer
    }
    for name in (i.name for i in graph.input):
        if name not in feeds and name not in weights:
            raise AutosplitError(f"{where}: the input {name!r} is missing")


def expose(graph: GraphProto, names: Sequence[str], where: str) -> None:
    """Makes inner values outputs of a graph. Raises AutosplitError for names that are not tensors of it."""
    own = {o.name for o in graph.output}
    tensors = [o for node in graph.node for o in node.output if o]
    tensors += [t.name for t in graph.initializer] + [i.name for i in graph.input]
    for name in names:
        if name in own:
            continue
        if name not in tensors:
            raise AutosplitError(f"{where}: has no tensor {name!r}{choice(name, tensors)}")
        graph.output.add(name=name)


def _type_of(value: Value, name: str, type_text: Callable[[str], str]) -> TypeProto:
    if not isinstance(value, np.ndarray | np.generic):
        return read_type(type_text(name))
    dtype = np.asarray(cast("Array", value)).dtype
    text = dtype.kind in "OUS"
    return _tensor(TensorProto.STRING if text else helper.np_dtype_to_tensor_dtype(dtype))


def read_type(text: str) -> TypeProto:
    """A type as ONNX Runtime writes it: `tensor(float)`, `seq(map(int64,tensor(float)))`."""
    kind, _, inner = text.removesuffix(")").partition("(")
    proto = TypeProto()
    match kind:
        case "seq":
            proto.sequence_type.elem_type.CopyFrom(read_type(inner))
        case "optional":
            proto.optional_type.elem_type.CopyFrom(read_type(inner))
        case "map":
            key, _, value = inner.partition(",")
            proto.map_type.key_type = TensorProto.DataType.Value(key.upper())
            proto.map_type.value_type.CopyFrom(read_type(value))
        case _:
            proto = _tensor(TensorProto.DataType.Value(inner.upper()))
    return proto


def _keep(field: MutableSequence[Any], is_kept: Callable[[Any], bool]) -> None:
    """Drops the other entries of a repeated field, in place."""
    for place in reversed([i for i, entry in enumerate(field) if not is_kept(entry)]):
        del field[place]


def _tensor(element: int) -> TypeProto:
    """A tensor of any rank."""
    proto = TypeProto()
    proto.tensor_type.elem_type = element
    return proto


def _rename_result(node: NodeProto, name: str, taken: Mapping[str, NodeProto]) -> None:
    """Renames a result of a node: an input has its name now."""
    free = f"{name}_autosplit"
    while free in taken:
        free += "_"
    place = list(node.output).index(name)
    node.output[place] = free


def _prune(graph: GraphProto, feeds: Mapping[str, Value]) -> None:
    """Drops the nodes and weights that no output needs, and inputs that nobody then reads or gives."""
    makers = {name: place for place, node in enumerate(graph.node) for name in node.output if name}
    read: set[str] = set()
    needed: set[int] = set()
    waiting = [o.name for o in graph.output]
    while waiting:
        name = waiting.pop()
        read.add(name)
        place = makers.get(name)
        if place is not None and place not in needed:
            needed.add(place)
            waiting += read_names(graph.node[place])
    places = iter(range(len(graph.node)))
    _keep(graph.node, lambda _: next(places) in needed)
    _keep(graph.initializer, lambda tensor: tensor.name in read)
    _keep(graph.sparse_initializer, lambda tensor: tensor.values.name in read)
    _keep(graph.input, lambda value: value.name in read or value.name in feeds)
