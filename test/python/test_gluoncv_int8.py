"""Networks that another system fused for oneDNN: does our fusion make the same groups of them?

GluonCV ships six INT8 networks as MXNet fused them (without weights). A `_sg_mkldnn_conv` node holds the
ops that became one: a convolution, its batch norm, the sum with another branch, a ReLU, and the
quantization of the result; a `_contrib_quantized_pooling` is a pooling on integers. The test takes these
apart again into dequantize, convolution, (add), (relu) and quantize, one edge at a time, fuses the result,
and compares the groups.

All groups agree, for the declared version 3.2:

| network | MXNet's groups | ours, the same |
|---|---|---|
| mobilenet1.0 | 27 conv+bn+relu | 27 |
| resnet50_v1 | 33 conv+bn+relu, 4 conv+bn, 16 conv+bn+sum+relu, 2 pools | 55 |
| ssd_300_vgg16_atrous_voc | 23 conv+relu, 12 conv, 5 pools | 40 |
| ssd_512_mobilenet1.0_voc | 35 conv+bn+relu, 12 conv | 47 |
| ssd_512_resnet50_v1_voc | 41 conv+bn+relu, 4 conv+bn, 16 conv+bn+sum+relu, 12 conv, 1 pool | 74 |
| ssd_512_vgg16_atrous_voc | 25 conv+relu, 14 conv, 5 pools | 44 |

What neither fuses is the same as well: the quantization of inputs stands alone, and so does each dequantize
before an op that MXNet left in float32 (heads of the detectors, the last linear). Two things are other by
design: a batch norm is folded into the weights before the fusion here, and inside the fused node there;
and a value that several layers read is dequantized once for each of them here, which costs nothing in
a group.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from xdsl.ir import SSAValue

from autosplit.dialects.platform import location_names
from autosplit.testing.dnnl.builder import DnnlBuilder, fuse
from autosplit.testing.int8 import kinds_of, partitions_in, shown
from autosplit.testing.models import model_path

# name: input size, groups by the ops that MXNet made one.
FILES = {
    "mobilenet1.0": (224, {"conv bn relu": 27}),
    "resnet50_v1": (224, {"conv bn relu": 33, "conv bn": 4, "conv bn sum relu": 16, "pool": 2}),
    "ssd_300_vgg16_atrous_voc": (300, {"conv relu": 23, "conv": 12, "pool": 5}),
    "ssd_512_mobilenet1.0_voc": (512, {"conv bn relu": 35, "conv": 12}),
    "ssd_512_resnet50_v1_voc": (
        512,
        {"conv bn relu": 41, "conv bn": 4, "conv bn sum relu": 16, "conv": 12, "pool": 1},
    ),
    "ssd_512_vgg16_atrous_voc": (512, {"conv relu": 25, "conv": 14, "pool": 5}),
}

OURS = {
    # A batch norm is folded into the weight before, by both systems.
    "conv": "dq dq conv q",
    "conv bn": "dq dq conv q",
    "conv relu": "dq dq conv relu q",
    "conv bn relu": "dq dq conv relu q",
    "conv bn sum relu": "dq dq dq conv add relu q",
}

Node = dict[str, Any]


@dataclass
class Network:
    """An MXNet symbol file, taken apart into a dnnl graph."""

    path: Path
    size: int
    builder: DnnlBuilder = field(default_factory=DnnlBuilder)
    groups: dict[str, str] = field(default_factory=dict[str, str])
    """Name of a fused node -> the ops in it."""

    def __post_init__(self) -> None:
        self.nodes: list[Node] = json.loads(self.path.read_text())["nodes"]
        self.values: dict[int, SSAValue] = {}
        self.scales: dict[int, tuple[str, float]] = {}
        for index, node in enumerate(self.nodes):
            match node["op"]:
                case "_sg_mkldnn_conv":
                    self._conv(index, node)
                case "_contrib_quantized_pooling":
                    self._pool(index, node)
                case "_contrib_quantize_v2":
                    self._quantize_input(index, node)
                case "_contrib_dequantize":
                    # Leaves the integers: to ops that no one fused.
                    self.builder.output(self._read(node["inputs"][0][0]))

    def _quantize_input(self, index: int, node: Node) -> None:
        shape = (1, 3, self.size, self.size)
        source = self.nodes[node["inputs"][0][0]]["name"]
        if "normalize" in source:
            # Behind a norm over channels, in float: of the shape of what was normalized.
            known = [v for i, v in self.values.items() if i < index]
            shape = cast(Any, known[-1].type).get_shape()
        x = self.builder.input(source, shape)
        self._write(index, x, node, signed=True, name=node["name"])

    def _conv(self, index: int, node: Node) -> None:
        inner: list[Node] = node["subgraphs"][0]["nodes"]
        ops = [n for n in inner if n["op"] != "null"]
        assert node["attrs"]["quantized"] == "true"
        # The leaves of the inner graph are the node's first inputs, in order.
        leaves = [i for i, n in enumerate(inner) if n["op"] == "null"]
        outer = {leaf: edge[0] for leaf, edge in zip(leaves, node["inputs"], strict=False)}
        conv = next(n for n in ops if n["op"] == "Convolution")
        y = self._convolution(node["name"], self._read(outer[conv["inputs"][0][0]]), conv["attrs"])
        words = ["conv"]
        for op in ops[1:]:
            match op["op"]:
                case "BatchNorm":
                    words.append("bn")
                case "elemwise_add":
                    other = next(i for i, *_ in op["inputs"] if inner[i]["op"] == "null")
                    y = self.builder.op("Add", y, self._read(outer[other]), name=node["name"])
                    words.append("sum")
                case _:
                    assert op["attrs"]["act_type"] == "relu"
                    y = self.builder.op("ReLU", y, name=node["name"])
                    words.append("relu")
        assert words.count("sum") == ("with_sum" in node["attrs"])
        self.groups[node["name"]] = " ".join(words)
        self._write(index, y, node, signed=words[-1] != "relu", name=node["name"])

    def _convolution(self, name: str, x: SSAValue, attrs: dict[str, str]) -> SSAValue:
        g = self.builder
        # What is not said is MXNet's default.
        defaults = {"stride": "(1, 1)", "pad": "(0, 0)", "dilate": "(1, 1)"}
        options = {k: list(ast.literal_eval(attrs.get(k, d))) for k, d in defaults.items()}
        groups, filters = int(attrs.get("num_group", 1)), int(attrs["num_filter"])
        channels = cast(Any, x.type).get_shape()[1]
        shape = (filters, channels // groups, *ast.literal_eval(attrs["kernel"]))
        w = g.dequantize(g.input(f"{name}_weight", shape, "s8"), [0.01] * filters, axis=0)
        return g.op(
            "Convolution", x, w, g.input(f"{name}_bias", (filters,)), name=name,
            strides=options["stride"], pads_begin=options["pad"], pads_end=options["pad"],
            dilations=options["dilate"], groups=groups, data_format="NCX", weights_format="OIX",
        )  # fmt: skip

    def _pool(self, index: int, node: Node) -> None:
        attrs: dict[str, str] = node["attrs"]
        source: int = node["inputs"][0][0]
        x = self._read(source)
        whole = attrs.get("global_pool") == "True"
        kernel = (
            list(cast(Any, x.type).get_shape()[2:]) if whole else ast.literal_eval(attrs["kernel"])
        )
        pad = list(ast.literal_eval(attrs.get("pad", "(0, 0)")))
        options: dict[str, Any] = {
            "kernel": list(kernel), "strides": [1, 1] if whole else list(ast.literal_eval(attrs["stride"])),
            "pads_begin": pad, "pads_end": pad, "data_format": "NCX", "name": node["name"],
            "rounding_type": "ceil" if attrs["pooling_convention"] == "full" and not whole else "floor",
        }  # fmt: skip
        if attrs["pool_type"] == "max":
            y = self.builder.op("MaxPool", x, dilations=[1, 1], **options)
        else:
            y = self.builder.op("AvgPool", x, exclude_pad=False, **options)
        self.groups[node["name"]] = "pool"
        dtype, scale = self.scales[source]
        self.values[index] = self.builder.quantize(y, dtype, scale)
        self.scales[index] = dtype, scale

    def _read(self, index: int) -> SSAValue:
        """A dequantize of its own for each reader, as quant-split-dequant makes them."""
        return self.builder.dequantize(self.values[index], self.scales[index][1])

    def _write(self, index: int, y: SSAValue, node: Node, *, signed: bool, name: str) -> None:
        attrs: dict[str, str] = node["attrs"]
        low, high = (float(attrs.get(f"{k}_calib_range", d)) for k, d in (("min", -1), ("max", 1)))
        assert high > low, name
        scale = max(-low, high) / 127 if signed else high / 255
        self.scales[index] = "s8" if signed else "u8", scale
        self.values[index] = self.builder.quantize(y, *self.scales[index])


@pytest.mark.parametrize("name", FILES)
def test_our_groups_are_mxnets(name: str):
    """Every group of MXNet is one partition, with the same ops in it, and there is no other partition."""
    size, counts = FILES[name]
    network = Network(model_path(f"{name}_int8-symbol.json"), size)
    assert Counter(network.groups.values()) == counts
    module = fuse(network.builder.module(), version="3.2")
    found: dict[str, str] = {}
    for partition in partitions_in(module):
        names = {n for op in partition.regions[0].block.ops for n in location_names(op.location)}
        mine = names & set(network.groups)
        assert len(mine) == 1, f"{kinds_of(partition)} has parts of {mine or 'no group'}"
        found[mine.pop()] = shown(kinds_of(partition))
    wanted = {
        group: OURS.get(
            ops, "dq maxpool q" if "maxpool" in found.get(group, "") else "dq avgpool q"
        )
        for group, ops in network.groups.items()
    }
    assert found == wanted
