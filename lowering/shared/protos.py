"""Handing parts of an ONNX module to the onnx package: nodes for its evaluator, graphs for its inference.

Graphs are stripped: values are numbered instead of named, weights are inputs with a type, and ops that
the onnx package does not know are left out, with their results as inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import prod
from typing import cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    helper,
    numpy_helper,
    shape_inference,
)
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from autosplit.core.dtypes import (
    dim_names,
    ranked_type,
)
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import (
    PlatformOp,
    UnknownType,
    shape_of,
    static_shape,
    value_name,
)
from autosplit.formats.onnx.stand_ins import stand_in
from autosplit.formats.onnx.values import proto_of_type
from autosplit.formats.onnx.values import type_of_proto as read_type
from autosplit.formats.onnx.writer import node_proto
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.fold import ints, slice_end
from autosplit.lowering.shared.windows import exact_window, is_odd_window, pooled, same_transposed

KNOWN_ELEMENTS = 64
"""Constants of at most this many elements are given to the inference with their values."""

DEFAULT_OPSET = 21
"""The opset that a module without `onnx.opsets` is assumed to be in."""


def opset_of(module: ModuleOp) -> int:
    """The version of ONNX's own operator set that a module is in."""
    opsets = module.attributes.get("onnx.opsets")
    version = opsets.data.get("ai.onnx") if isinstance(opsets, DictionaryAttr) else None
    return version.value.data if isinstance(version, IntegerAttr) else DEFAULT_OPSET


# The onnx package types its arrays loosely.
_from_array = cast("Callable[..., TensorProto]", numpy_helper.from_array)


def type_of_proto(proto: TypeProto, names: frozenset[str]) -> Attribute | None:
    """The type that a TypeProto describes; None if it describes none.

    Of a tensor's symbolic dimensions, those in `names` keep their names.
    """
    return _read_type(proto.SerializeToString(), names)


@lru_cache(1 << 12)
def _read_type(data: bytes, names: frozenset[str]) -> Attribute | None:
    """A type from its bytes; made once for all the values that have it."""
    type = read_type(TypeProto.FromString(data))
    if isinstance(type, UnknownType):
        return None
    if not isinstance(type, TensorType):
        return type
    tensor = cast("TensorType[Attribute]", type)
    symbols = [name if name in names else "" for name in dim_names(tensor)]
    return ranked_type(tensor.element_type, tensor.get_shape(), symbols)


# Graphs


LARGE = 1 << 32
"""Sizes of one dimension above this are taken for mistakes."""


@cache
def _is_declared(kind: str) -> bool:
    """Whether the onnx package knows an op."""
    return onnx.defs.has(kind)


def _is_large(array: NDArray[np.generic]) -> bool:
    return array.dtype.kind in "iu" and array.size > 0 and int(array.max()) > LARGE


def _constant_proto(array: NDArray[np.generic] | None) -> tuple[TensorProto | None, bool]:
    """A constant of numbers for the inference, without a name, and whether it has a large one."""
    if array is None or array.dtype.kind not in "biuf":
        return None, False
    return _from_array(array), _is_large(array)


@lru_cache(1 << 12)
def _small_constant(value: DenseIntOrFPElementsAttr) -> tuple[TensorProto | None, bool]:
    """The same for a value in the module, cached, since each run of the inference needs all of them again."""
    return _constant_proto(tensor_array(value))


def _only_ends(value: SSAValue) -> bool:
    """Whether a value only ends Slices, for which exporters write the largest integer: that is harmless."""
    users = [use.operation for use in value.uses]
    return all(isinstance(op, OnnxOp) and op.op_type == "Slice" for op in users)


def _sizes(proto: TypeProto) -> list[int]:
    """The sizes of a tensor type, -1 where unknown; empty if not even the rank is known."""
    dims = proto.tensor_type.shape.dim
    return [d.dim_value if d.HasField("dim_value") else -1 for d in dims]


def _set_window(node: NodeProto, window: Mapping[str, list[int]], drop: Iterable[str] = ()) -> None:
    """Sets the kernel and pads of a node, in place of `auto_pad` and of the attributes `drop`."""
    replaced = {"auto_pad", *drop, *window}
    attributes = [a for a in node.attribute if a.name not in replaced]
    del node.attribute[:]
    node.attribute.extend(attributes)
    node.attribute.extend(helper.make_attribute(k, v) for k, v in window.items())


SAME_TYPE = frozenset({"GroupNormalization", "MeanVarianceNormalization"})
"""Ops whose result has the type of their first operand, which the onnx package does not infer."""


class StrippedModel:
    """A model for the inference of the onnx package, made of a block of ONNX ops.

    `values` are the values of the block and of bodies inside it, by their names in the model.
    """

    def __init__(
        self, block: Block, opset: int, store: WeightStore | None, order: Sequence[Operation]
    ):
        self.values: dict[str, SSAValue] = {}
        self._names: dict[SSAValue, str] = {}
        self._store = store
        self._graphs: list[tuple[GraphProto, OnnxOp]] = []
        self.proto = onnx.ModelProto(ir_version=10)
        self.proto.opset_import.add(domain="", version=opset)
        self._outer = self.proto.graph
        self._windows: list[tuple[NodeProto, OnnxOp]] = []
        """Poolings whose sizes the inference gets differently than runtimes, not corrected yet."""
        self._makes_large = False
        """Whether a constant may make a value that is larger than any model's."""
        self._outer.name = "stripped"
        self.same_typed: list[OnnxOp] = []
        """Those of `SAME_TYPE`."""
        self._fill(self._outer, block, order)

    def add_known_types(self) -> None:
        """Gives the inference the types that the values have in the module."""
        for graph, op in self._graphs:
            for result in op.results:
                if (proto := proto_of_type(result.type)) is not None:
                    graph.value_info.add(name=self._name(result), type=proto)

    def inferred(self) -> dict[SSAValue, TypeProto]:
        """Runs the inference; the types that it found, of values in bodies too."""
        if self._makes_large:
            self._check_sizes()
        while True:
            types: dict[SSAValue, TypeProto] = {}
            self._collect(self._infer(values=True).graph, types)
            if not self._correct_windows(types):
                return types

    def _correct_windows(self, types: Mapping[SSAValue, TypeProto]) -> bool:
        """Rewrites the first pooling for which the inference gives other sizes than runtimes do.

        True if there is one: what comes behind it is inferred again.
        """
        while self._windows:
            node, op = self._windows[0]
            x = types.get(op.operands[0]) or proto_of_type(op.operands[0].type)
            shape = [] if x is None else _sizes(x)
            if (sizes := pooled(op, shape)) is None:
                return False
            self._windows.pop(0)
            result = types.get(op.results[0])
            if result is None or _sizes(result)[2:] == sizes:
                continue
            window = exact_window(op, shape[2:], sizes)
            _set_window(node, window, drop=("ceil_mode", "dilations"))
            return True
        return False

    def _infer(self, *, values: bool) -> ModelProto:
        """What the onnx package infers; `values`: also from the values of integers."""
        try:
            return shape_inference.infer_shapes(
                self.proto, check_type=False, strict_mode=False, data_prop=values
            )
        except shape_inference.InferenceError as error:
            raise AutosplitError(f"the operands of a node do not fit: {error}") from error

    def _check_sizes(self) -> None:
        """Raises if a row of integers is so long that the inference, which stores each, would not end."""
        graph = self._infer(values=False).graph
        for info in (*graph.value_info, *graph.output):
            tensor = info.type.tensor_type
            size = max((d.dim_value for d in tensor.shape.dim), default=0)
            if size > LARGE:
                value = self.values.get(info.name)
                name = value_name(value) if value is not None else info.name
                raise AutosplitError(
                    f"tensor {name!r} has a dimension of {size}, more than any model takes ({LARGE})"
                )

    def _collect(self, graph: GraphProto, types: dict[SSAValue, TypeProto]) -> None:
        for info in (*graph.value_info, *graph.output):
            if (value := self.values.get(info.name)) is not None:
                types[value] = info.type
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == AttributeProto.GRAPH:
                    self._collect(attribute.g, types)

    def _name(self, value: SSAValue) -> str:
        if (name := self._names.get(value)) is None:
            name = self._names[value] = str(len(self._names))
            self.values[name] = value
        return name

    def _input(self, value: SSAValue) -> None:
        """Makes a value an input of the whole model, visible in all bodies, with the type it has."""
        info = self._outer.input.add()
        info.name = self._name(value)
        if (proto := proto_of_type(value.type)) is not None:
            info.type.CopyFrom(proto)

    def _fill(self, graph: GraphProto, block: Block, order: Sequence[Operation]) -> None:
        for op in order:
            if isinstance(op, ReturnOp):
                for value in op.operands:
                    # Without a type an output takes the inferred one.
                    graph.output.add().name = self._name(value)
            elif isinstance(op, InitializerOp):
                self._constant(graph, op)
            elif isinstance(op, OnnxOp):
                self._node(graph, op)
            elif isinstance(op, PlatformOp):
                # The types of another framework's op hold for its readers.
                for result in op.results:
                    self._input(result)
        if graph is self._outer:
            for argument in block.args:
                self._input(argument)
            return
        for argument in block.args:
            info = graph.input.add()
            info.name = self._name(argument)
            if (proto := proto_of_type(argument.type)) is not None:
                info.type.CopyFrom(proto)

    def _constant(self, graph: GraphProto, op: InitializerOp) -> None:
        result = op.results[0]
        type = result.type
        if (shape := shape_of(type)) is not None and 0 <= prod(shape) <= KNOWN_ELEMENTS:
            if isinstance(op.value, DenseIntOrFPElementsAttr):
                proto, is_large = _small_constant(op.value)
            else:
                proto, is_large = _constant_proto(tensor_array(op.value, self._store))
            if proto is not None:
                self._makes_large |= is_large and not _only_ends(result)
                graph.initializer.append(proto)
                graph.initializer[-1].name = self._name(result)
                return
        self._input(result)

    def _node(self, graph: GraphProto, op: OnnxOp) -> None:
        if op.domain != "" or not _is_declared(op.op_type):
            self._foreign(graph, op)
            return
        self._graphs.append((graph, op))
        if op.op_type in SAME_TYPE:
            self.same_typed.append(op)
        inputs = ["" if v is None else self._name(v) for v in op.inputs]
        try:
            node = node_proto(op, inputs, [self._name(r) for r in op.results], self._store)
        except AutosplitError:  # an attribute is a weight, and the weights are not at hand
            for result in op.results:
                self._input(result)
            return
        if not self._as_runtimes_do(graph, node, op):
            for result in op.results:
                self._input(result)
            return
        graph.node.append(node)
        node = graph.node[-1]  # its bodies are filled in place
        if is_odd_window(op):
            self._windows.append((node, op))
        elif window := same_transposed(op):
            _set_window(node, window)
        for name, body in op.graphs:
            self._body(node, name, body)

    def _foreign(self, graph: GraphProto, op: OnnxOp) -> None:
        """An op that the onnx package does not know: a stand-in gives its first result a type."""
        nodes = stand_in(op, self._name)
        graph.node.extend(nodes)
        for result in op.results[1:] if nodes else op.results:
            self._input(result)

    def _as_runtimes_do(self, graph: GraphProto, node: NodeProto, op: OnnxOp) -> bool:
        """Rewrites a node so that the inference finds what runtimes compute; False if that is unknown.

        A Squeeze of no axes is one of all axes, and a Slice backwards to the largest integer takes all.
        """
        if op.op_type not in ("Slice", "Squeeze"):
            return True
        inputs = list(op.inputs)
        if op.op_type == "Squeeze":
            attributes = [a for a in node.attribute if a.name != "axes" or a.ints]
            del node.attribute[:]
            node.attribute.extend(attributes)
            if len(inputs) > 1 and inputs[1] is not None and static_shape(inputs[1].type) == (0,):
                del node.input[1:]
            return True
        if len(inputs) < 5 or inputs[4] is None or inputs[2] is None:
            return True
        steps, ends = ints(self._array(inputs[4])), self._array(inputs[2])
        if steps is not None and all(step > 0 for step in steps):
            return True
        if steps is None or ends is None or len(steps) != ends.size:
            return False
        pairs = zip(ints(ends) or [], steps, strict=True)
        array = np.array([slice_end(*pair) for pair in pairs], np.int64)
        if ends.dtype == np.int32:
            array = array.clip(-(2**31)).astype(np.int32)
        # Numbers are the names of values.
        node.input[2] = f"ends of {node.output[0]}"
        graph.initializer.append(_from_array(array, node.input[2]))
        return True

    def _array(self, value: SSAValue) -> NDArray[np.generic] | None:
        """The value of a constant; None if it is computed."""
        if not isinstance(value.owner, InitializerOp):
            return None
        return tensor_array(value.owner.value, self._store)

    def _body(self, node: NodeProto, name: str, body: GraphOp) -> None:
        attribute = node.attribute.add()
        attribute.name, attribute.type = name, AttributeProto.GRAPH
        attribute.g.name = name
        self._fill(attribute.g, body.body.block, data_order(body.body.block))
