"""Upgrades networks of older formats to the current one: `layers` with types in capitals, and the one before.

Everything else in a layer is kept. Inputs become Input layers, as in Caffe itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.formats.caffe.text import Message, Scalar, Value

_V1_TYPES = {
    "ABSVAL": "AbsVal",
    "ARGMAX": "ArgMax",
    "BNLL": "BNLL",
    "ELU": "ELU",
    "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output",
    "IM2COL": "Im2col",
    "LRN": "LRN",
    "MVN": "MVN",
    "PRELU": "PReLU",
    "RELU": "ReLU",
    "SOFTMAX_LOSS": "SoftmaxWithLoss",
    "TANH": "TanH",
}
"""The types whose current names do not follow from the words of the old ones."""

_V0_TYPES = {
    "bnll": "BNLL",
    "conv": "Convolution",
    "hdf5_data": "HDF5Data",
    "im2col": "Im2col",
    "images": "ImageData",
    "innerproduct": "InnerProduct",
    "lrn": "LRN",
    "pool": "Pooling",
    "relu": "ReLU",
    "softmax_loss": "SoftmaxWithLoss",
    "tanh": "TanH",
}

_V0_FIELDS = {
    "num_output": "num_output",
    "biasterm": "bias_term",
    "weight_filler": "weight_filler",
    "bias_filler": "bias_filler",
    "pad": "pad",
    "kernelsize": "kernel_size",
    "group": "group",
    "stride": "stride",
    "pool": "pool",
    "dropout_ratio": "dropout_ratio",
    "local_size": "local_size",
    "alpha": "alpha",
    "beta": "beta",
    "k": "k",
    "concat_dim": "concat_dim",
}
"""The fields of a layer of the oldest format, and their current names in the message of its type."""

_PARAMS = {
    "Convolution": "convolution_param",
    "InnerProduct": "inner_product_param",
    "Pooling": "pooling_param",
    "Dropout": "dropout_param",
    "LRN": "lrn_param",
    "Concat": "concat_param",
}


def _words(name: str) -> str:
    return "".join(word.title() for word in name.lower().split("_"))


def upgraded_layers(net: Message) -> list[Message]:
    """The layers of a network in the current format, inputs first. Raises AutosplitError for invalid ones.

    The network's own fields that describe the inputs must not be used again: see `OWN_FIELDS`.
    """
    old_layers = net.messages("layers")
    if old_layers and net.messages("layer"):
        raise AutosplitError("holds both `layer` and `layers`; expected layers of one form")
    layers = net.messages("layer") or [_upgraded(layer) for layer in _without_padding(old_layers)]
    return [*_inputs(net), *layers]


OWN_FIELDS = frozenset({"input", "input_dim", "input_shape", "layer", "layers", "state"})
"""The fields of a network that its layers replace when it is written."""


def _inputs(net: Message) -> Iterator[Message]:
    names = net.scalars("input")
    shapes: list[list[Value]] = [m.fields.get("dim", []) for m in net.messages("input_shape")]
    dims = net.fields.get("input_dim", [])
    if not shapes and dims:
        if len(dims) != 4 * len(names):
            raise AutosplitError(
                f"gives {len(dims)} input_dim for {counted(len(names), 'input')}, expected 4 for each"
            )
        shapes = [dims[at : at + 4] for at in range(0, len(dims), 4)]
    if shapes and len(shapes) != len(names):
        raise AutosplitError(f"gives {len(shapes)} input_shape for {counted(len(names), 'input')}")
    for index, name in enumerate(names):
        layer = _layer(Message(), name, "Input", (), [name])
        if shapes:
            shape, param = Message(), Message()
            shape.add("dim", *shapes[index])
            param.add("shape", shape)
            layer.add("input_param", param)
        yield layer


def _layer(
    source: Message, name: str, kind: str, bottoms: Iterable[str], tops: Iterable[str]
) -> Message:
    layer = Message(source.line)
    layer.add("name", Scalar(name, source.line, quoted=True))
    layer.add("type", Scalar(kind, source.line, quoted=True))
    layer.add("bottom", *(Scalar(b, source.line, quoted=True) for b in bottoms))
    layer.add("top", *(Scalar(t, source.line, quoted=True) for t in tops))
    return layer


def _upgraded(old: Message) -> Message:
    """A layer of either older format in the current one."""
    inner = next(iter(old.messages("layer")), None)
    source = old if inner is None else inner
    old_type = source.text("type")
    special = _V1_TYPES if inner is None else _V0_TYPES
    kind = special.get(old_type) or _words(old_type)
    bottoms, tops = old.scalars("bottom"), old.scalars("top")
    layer = _layer(source, source.text("name"), kind, bottoms, tops)
    if inner is None:
        handled = {"name", "type", "bottom", "top", "param", "blobs_lr", "weight_decay"}
        for name, values in old.fields.items():
            if name not in handled:
                layer.add(name, *values)
        for spec in _param_specs(old):
            layer.add("param", spec)
        return layer
    param = Message(source.line)
    for name, values in inner.fields.items():
        if name in _V0_FIELDS:
            param.add(_V0_FIELDS[name], *values)
    if kind in _PARAMS and param.fields:
        layer.add(_PARAMS[kind], param)
    return layer


def _param_specs(old: Message) -> Iterator[Message]:
    """The parameters of each weight, from `param`, `blobs_lr` and `weight_decay`."""
    lists = {
        "name": old.fields.get("param", []),
        "lr_mult": old.fields.get("blobs_lr", []),
        "decay_mult": old.fields.get("weight_decay", []),
    }
    for index in range(max(map(len, lists.values()))):
        spec = Message(old.line)
        for name, values in lists.items():
            if index < len(values):
                spec.add(name, values[index])
        yield spec


def _without_padding(layers: list[Message]) -> Iterator[Message]:
    """The layers without the oldest format's `padding` layers, whose consumers pad themselves instead."""
    padded: dict[str, tuple[str, Message]] = {}
    for layer in layers:
        inner = next(iter(layer.messages("layer")), None)
        if inner is not None and inner.text("type") == "padding":
            for top in layer.scalars("top"):
                padded[top] = layer.text("bottom"), inner
            continue
        bottoms = layer.scalars("bottom")
        if inner is not None and bottoms and bottoms[0] in padded:
            source, padding = padded[bottoms[0]]
            layer.fields["bottom"] = [Scalar(source, layer.line, quoted=True)]
            inner.add("pad", *padding.fields.get("pad", []))
        yield layer
