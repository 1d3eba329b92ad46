"""Reads a prototxt and a caffemodel into a module of the `caffe` dialect."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import (
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.units import counted, first_of
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest, register
from autosplit.dialects.caffe import DECLARED, CaffeOp, GraphOp, make_layer
from autosplit.dialects.caffe.base import misfit
from autosplit.dialects.caffe.params import to_value
from autosplit.dialects.onnx.tensors import tensor_attr
from autosplit.dialects.platform import WeightAttr, free_name, tell_apart
from autosplit.formats.caffe.check import check_weights, needs_weights
from autosplit.formats.caffe.fields import attributes_of
from autosplit.formats.caffe.rules import is_included
from autosplit.formats.caffe.text import Message, parse_text
from autosplit.formats.caffe.upgrade import OWN_FIELDS, upgraded_layers
from autosplit.formats.caffe.weights import BlobEntry, Weights

_FIRST = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:#[^\n]*\n\s*)*"
    rb"(?:name\s*:\s*[\"']|layers?\s*:?\s*\{|input(?:_dim|_shape)?\s*[:{]|force_backward\s*:|state\s*\{)"
)
_LAYER = re.compile(rb"(?:^|[\s}\"'])(?:layers?\s*:?\s*\{|input\s*:)")

DATA_LAYERS = frozenset(
    {
        "AnnotatedData",
        "Data",
        "DummyData",
        "HDF5Data",
        "ImageData",
        "MemoryData",
        "WindowData",
    }
)
"""The layers that read files of training data."""


def looks_like_prototxt(head: bytes) -> bool:
    """Whether a file that starts with `head` is a network as text."""
    return _FIRST.match(head) is not None and _LAYER.search(head) is not None


def read_prototxt(path: Path) -> Message:
    """The network that a file holds as text. Raises AutosplitError, naming file and line."""
    try:
        return parse_text(path.read_text(encoding="utf-8-sig"))
    except (AutosplitError, UnicodeDecodeError) as error:
        raise AutosplitError(f"{path}: is not a prototxt: {error}") from None


def import_files(path: Path, weights: Weights | None) -> tuple[ModuleOp, WeightStore]:
    """The module and the weights of a network. Raises AutosplitError on anything wrong with it."""
    message = read_prototxt(path)
    store = WeightStore() if weights is None else WeightStore(weights.path, weights.digest)
    try:
        module = import_net(message, weights, store)
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    register(store, module)
    return module, store


def network_layers(net: Message) -> list[Message]:
    """The layers of a network that run at inference, in the current format."""
    return [layer for layer in upgraded_layers(net) if is_included(layer, net)]


def import_net(net: Message, weights: Weights | None, store: WeightStore) -> ModuleOp:
    """The module of a network, whose weights go into `store`."""
    layers = network_layers(net)
    if not layers:
        raise AutosplitError("holds no layer; expected a Caffe network as text")
    builder = _Builder(layers, weights, store)
    for layer in layers:
        builder.add(layer)
    builder.check_complete()
    tell_apart(builder.ops)
    net_fields = {name: values for name, values in net.fields.items() if name not in OWN_FIELDS}
    attributes = attributes_of("Net", net_fields)
    block = Block(builder.ops)
    graph = GraphOp(Region(block), None, DictionaryAttr(attributes) if attributes else None)
    module = ModuleOp([graph])
    module.attributes["platform.name"] = StringAttr("caffe")
    return module


@dataclass(frozen=True)
class Version:
    """A blob as one layer leaves it, and the name of that value."""

    blob: str
    name: str


def value_names(layers: Sequence[Message]) -> list[list[str]]:
    """The names of each layer's results.

    The final value of a blob has the blob's name; one that a later layer overwrites is named `BLOB@LAYER`.
    """
    remaining = Counter(top for layer in layers for top in layer.scalars("top"))
    used_names = set(remaining)
    names_of: list[list[str]] = []
    for layer in layers:
        names: list[str] = []
        for top in layer.scalars("top"):
            remaining[top] -= 1
            name = f"{top}@{layer.text('name')}"
            names.append(free_name(used_names, name) if remaining[top] else top)
        names_of.append(names)
    return names_of


class _Builder:
    """Builds the ops of a network layer by layer."""

    def __init__(self, layers: Sequence[Message], weights: Weights | None, store: WeightStore):
        self.ops: list[CaffeOp] = []
        self._names = iter(value_names(layers))
        self._values: dict[str, SSAValue] = {}
        self._weights = weights
        self._store = store
        self._name_counts = Counter[str]()
        self._missing_weights: list[str] = []

    def add(self, layer: Message) -> None:
        """Adds one layer. Raises AutosplitError naming it."""
        name, kind, values = layer.text("name"), layer.text("type"), next(self._names)
        where = f"line {layer.line}: layer {name!r}"
        if not kind:
            raise AutosplitError(f"{where} has no type")
        if kind in DATA_LAYERS and not layer.scalars("bottom"):
            raise AutosplitError(
                f"{where} of type {kind} reads training data; give the network for use (deploy.prototxt), "
                "whose inputs are Input layers"
            )
        bottoms = [self._read(where, bottom) for bottom in layer.scalars("bottom")]
        tops = layer.scalars("top")
        self._check_tops(where, layer)
        fields = {k: v for k, v in layer.fields.items() if k not in _STRUCTURE}
        try:
            params = attributes_of("Layer", fields)
        except AutosplitError as error:
            raise AutosplitError(f"{where}: {error}") from None
        if kind == "Input":
            self._add_inputs(where, name, tops, params)
            return
        blobs = self._blobs(name)
        op = make_layer(kind, name, bottoms, values, tops=tops, params=params, blobs=blobs)
        self._check(where, kind, op)
        self._append(op, tops)

    def _append(self, op: CaffeOp, tops: Sequence[str]) -> None:
        self.ops.append(op)
        self._values.update(zip(tops, op.results, strict=True))

    def _read(self, where: str, bottom: str) -> SSAValue:
        if (value := self._values.get(bottom)) is None:
            raise AutosplitError(
                f"{where} reads {bottom!r}, which no layer before it makes"
                f"{nearest(bottom, list(self._values))}"
            )
        return value

    def _check_tops(self, where: str, layer: Message) -> None:
        bottoms, tops = layer.scalars("bottom"), layer.scalars("top")
        for index, top in enumerate(tops):
            in_place = index < len(bottoms) and bottoms[index] == top
            if (top in self._values and not in_place) or top in tops[:index]:
                raise AutosplitError(f"{where} makes {top!r}, which another layer makes already")

    def _add_inputs(
        self, where: str, name: str, tops: Sequence[str], params: dict[str, Attribute]
    ) -> None:
        """Adds one op per input; a layer may have several."""
        shapes = _input_shapes(params)
        if len(shapes) not in (0, 1, len(tops)):
            raise AutosplitError(
                f"{where} gives {counted(len(shapes), 'shape')} for {counted(len(tops), 'input')}"
            )
        others = {k: v for k, v in params.items() if k != "input_param"}
        for index, top in enumerate(tops):
            type: Attribute = UnrankedTensorType(f32)
            if shapes:
                # A single shape applies to all inputs.
                shape = shapes[index % len(shapes)]
                if not all(0 < size < 1 << 31 for size in shape):
                    raise AutosplitError(f"{where}: {list(shape)} is not a shape")
                type = TensorType(f32, shape)
            layer = name if len(tops) == 1 else top
            self._append(make_layer("Input", layer, [], [top], params=others, types=[type]), [top])

    def _blobs(self, name: str) -> list[Attribute]:
        """The weights of the next layer called `name`."""
        index = self._name_counts[name]
        same_name = [] if self._weights is None else self._weights.layers.get(name, [])
        if index >= len(same_name):
            return []
        self._name_counts[name] += 1
        return [self._weight(entry) for entry in same_name[index]]

    def _weight(self, entry: BlobEntry) -> Attribute:
        if prod(entry.shape) <= INLINE_LIMIT:
            return tensor_attr(entry.load())
        self._store.add(entry.key, entry.load)
        type = TensorType(f32, entry.shape)
        return WeightAttr(StringAttr(entry.key), StringAttr(digest(entry.load())), type)

    def _check(self, where: str, kind: str, op: CaffeOp) -> None:
        spec = DECLARED[kind].SPEC if kind in DECLARED else None
        if spec is None:
            return
        counts = len(op.operands), len(op.results), len(op.weights)
        if (text := misfit(spec, *counts)) is not None:
            raise AutosplitError(f"{where} of type {kind} {text}")
        if needs_weights(op) and not op.weights:
            self._missing_weights.append(op.node_name.data)
        elif (text := check_weights(op)) is not None:
            raise AutosplitError(f"{where} of type {kind}: {text}")

    def check_complete(self) -> None:
        """Raises if layers that need weights have none."""
        if not self._missing_weights:
            return
        shown = first_of([*map(repr, self._missing_weights)], 3)
        if self._weights is None:
            raise AutosplitError(
                f"needs weights (of {shown}), and no caffemodel is beside it: give it with --params"
            )
        raise AutosplitError(
            f"{self._weights.path} has no weights of {shown}: it is of another network, or cut off"
        )


_STRUCTURE = frozenset({"name", "type", "bottom", "top", "blobs"})
"""The fields of a layer that are not parameters of its op."""


def _input_shapes(params: dict[str, Attribute]) -> list[tuple[int, ...]]:
    param = params.get("input_param")
    value: Any = {} if param is None else to_value(param)
    return [tuple(shape.get("dim", [])) for shape in value.get("shape", [])]
