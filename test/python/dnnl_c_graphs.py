"""Small graphs of the library with numpy's own results, for the tests of the binding."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from autosplit.dialects.dnnl.table import ATTR_CODES, ATTR_TYPES, OP_TABLE
from autosplit.runtime.dnnl.library import (
    GraphBuilder,
    Library,
    LogicalTensor,
    Partition,
    library,
    new_id,
)

Array = NDArray[Any]


def child(code: str, timeout: float = 120, **env: str) -> subprocess.CompletedProcess[str]:
    """Run Python code that has `library` and the graphs of the tests, in a process of its own."""
    start = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom dnnl_c_graphs import *\n"
    return subprocess.run(
        [sys.executable, "-c", start + code],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


CONV = {
    "strides": [1, 1],
    "dilations": [1, 1],
    "pads_begin": [0, 0],
    "pads_end": [0, 0],
    "data_format": "NCX",
    "weights_format": "OIX",
}


def tensor(dtype: str, dims: Sequence[int] | None, **more: Any) -> LogicalTensor:
    return LogicalTensor(new_id(), dtype, None if dims is None else tuple(dims), **more)


def add(
    graph: GraphBuilder,
    kind: str,
    inputs: Sequence[LogicalTensor],
    outputs: Sequence[LogicalTensor],
    **attrs: Any,
) -> int:
    """Add an op by the library's names."""
    fields = [(ATTR_CODES[name], ATTR_TYPES[name], value) for name, value in attrs.items()]
    return graph.add_op(OP_TABLE[kind].code, kind, fields, inputs, outputs)


def kind_of(kind: str) -> int:
    return OP_TABLE[kind].code


@dataclass
class Graph:
    """A graph that is built op by op; an op's output has the sizes of its first input unless told."""

    library: Library = field(default_factory=library)
    builder: GraphBuilder = field(init=False)
    arrays: dict[int, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.builder = GraphBuilder(self.library)

    def input(self, dtype: str, array: Array, dims: Sequence[int] | None = None, **more: Any):
        found = tensor(dtype, array.shape if dims is None else dims, **more)
        self.arrays[found.id] = array
        return found

    def op(
        self,
        kind: str,
        inputs: Sequence[LogicalTensor],
        dims: Sequence[int] | None = None,
        dtype: str = "f32",
        **attrs: Any,
    ) -> LogicalTensor:
        given = inputs[0].dims if dims is None else dims
        output = tensor(dtype, given)
        add(self.builder, kind, inputs, [output], **attrs)
        return output

    def dequantize(self, source: LogicalTensor, scale: Any = 0.1, zp: int = 0, axis: int = 0):
        if isinstance(scale, float):
            attrs = {"qtype": "per_tensor", "scales": [scale], "zps": [zp]}
        else:
            scales = [float(s) for s in scale]
            zps = [0] * len(scales)
            attrs = {"qtype": "per_channel", "axis": axis, "scales": scales, "zps": zps}
        return self.op("Dequantize", [source], **attrs)

    def quantize(self, source: LogicalTensor, scale: float = 0.1, zp: int = 0, dtype: str = "u8"):
        attrs = {"qtype": "per_tensor", "scales": [scale], "zps": [zp]}
        return self.op("Quantize", [source], dtype=dtype, **attrs)

    def partitions(self, policy: str = "fusion") -> list[Partition]:
        return self.builder.partitions(policy)

    def only(self) -> Partition:
        (partition,) = self.partitions()
        assert partition.supported
        return partition

    def run(self, partition: Partition) -> dict[int, Array]:
        """Compile a partition for the arrays, run it, and keep its outputs as arrays of the graph."""
        inputs = [
            LogicalTensor(p.id, p.dtype, self.arrays[p.id].shape, constant=p.constant)
            for p in partition.inputs
        ]
        compiled = partition.compile(inputs, partition.outputs)
        made = {t.id: empty(t) for t in compiled.outputs}
        compiled.execute([self.arrays[t.id] for t in compiled.inputs], list(made.values()))
        self.arrays |= made
        return made

    def run_all(self, policy: str = "fusion") -> None:
        """Run all partitions, in the order in which their inputs come to be."""
        waiting = [p for p in self.partitions(policy) if p.names != ("End",)]
        while waiting:
            ready = [p for p in waiting if all(t.id in self.arrays for t in p.inputs)]
            assert ready, "the partitions depend on each other"
            for partition in ready:
                self.run(partition)
                waiting.remove(partition)


NUMPY = {"u8": np.uint8, "s8": np.int8, "f32": np.float32, "s32": np.int32}


def empty(port: LogicalTensor) -> Array:
    """An array as a port wants it."""
    dims = port.dims
    assert dims is not None
    dtype = np.dtype(NUMPY[port.dtype])
    steps = port.strides
    assert steps is not None
    block = np.zeros(max(port.nbytes, 1), np.uint8)
    return np.ndarray(dims, dtype, block.data, strides=[s * dtype.itemsize for s in steps])


def quantized(real: Array, scale: float, zp: int, dtype: str = "u8") -> Array:
    """ONNX's QuantizeLinear, in float64, ties to even."""
    kind = np.dtype(NUMPY[dtype])
    limits = np.iinfo(kind)
    steps = np.rint(np.asarray(real, np.float64) / np.float64(np.float32(scale))) + zp
    return np.clip(steps, limits.min, limits.max).astype(kind)


def dequantized(array: Array, scale: float, zp: int) -> Array:
    return (array.astype(np.float64) - zp) * np.float64(np.float32(scale))


def conv_sums(x: Array, w: Array) -> Array:
    """The exact sums of a convolution of integers (NCX, OIX, no padding)."""
    windows = sliding_window_view(x.astype(np.int64), w.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w.astype(np.int64))


@dataclass
class ConvCase:
    """A quantized convolution with bias and ReLU whose weights stay; activations of any size come in.

    `dims` are what the graph says of the activation's sizes; weights are below `limit`.
    """

    seed: int = 0
    inputs: int = 8
    outputs: int = 4
    kernel: int = 3
    limit: int = 64
    activation: str = "u8"
    result: str = "u8"
    dims: tuple[int, ...] | None = (-1, -1, -1, -1)
    x_scale: float = 0.02
    y_scale: float = 0.05
    x_zp: int = 117
    y_zp: int = 3

    def __post_init__(self) -> None:
        random = np.random.default_rng(self.seed)
        if self.activation == "s8":
            self.x_zp -= 128
        shape = (self.outputs, self.inputs, self.kernel, self.kernel)
        self.w = random.integers(-self.limit, self.limit, shape).astype(np.int8)
        self.b = random.normal(size=self.outputs).astype(np.float32)
        self.w_scales = random.uniform(0.01, 0.02, self.outputs).astype(np.float32)
        graph = self.graph = Graph()
        unknown = (-1, self.outputs, -1, -1)
        self.x_port = tensor(self.activation, self.dims)
        w = graph.input("s8", self.w, constant=True)
        b = graph.input("f32", self.b, constant=True)
        real = graph.dequantize(self.x_port, self.x_scale, self.x_zp)
        weights = graph.dequantize(w, self.w_scales)
        y = graph.op("Convolution", [real, weights, b], unknown, groups=1, **CONV)
        y = graph.op("ReLU", [y], unknown)
        self.y_port = graph.quantize(y, self.y_scale, self.y_zp, self.result)
        self.partition = graph.only()

    def activations(self, seed: int, batch: int, size: int) -> Array:
        random = np.random.default_rng(seed)
        low, high = (0, 256) if self.activation == "u8" else (-128, 128)
        x = random.integers(low, high, (batch, self.inputs, size, size))
        return x.astype(NUMPY[self.activation])

    def expected(self, x: Array) -> Array:
        sums = conv_sums(x.astype(np.int64) - self.x_zp, self.w)
        scales = np.float64(np.float32(self.x_scale)) * self.w_scales.astype(np.float64)
        real = sums * scales[:, None, None] + self.b.astype(np.float64)[:, None, None]
        return quantized(np.maximum(real, 0), self.y_scale, self.y_zp, self.result)

    def compile(self, shape: Sequence[int], step: tuple[int, ...] | None = None, **output: Any):
        """For activations of a shape and strides; the output is open unless its strides are given."""
        ports = {self.x_port.id: {"dims": tuple(shape), "strides": step}}
        inputs = [
            replace(port, **ports.get(port.id, {}), layout="strided")
            for port in self.partition.inputs
        ]
        if "strides" not in output:
            output = {"layout": "any", **output}
        outputs = [replace(port, **output) for port in self.partition.outputs]
        return self.partition.compile(inputs, outputs)

    def call(self, compiled: Any, x: Array) -> tuple[Callable[[], None], Array]:
        """A bound call for the activations, and the array that it fills."""
        y = empty(compiled.outputs[0])
        arrays = {**self.graph.arrays, self.x_port.id: x}
        return compiled.bind([arrays[p.id] for p in compiled.inputs], [y]), y

    def run(self, x: Array) -> Array:
        call, y = self.call(self.compile(x.shape), x)
        call()
        return y


four_rows = partial(tensor, "f32", (4, 8))
