"""Building a float32 ONNX network whose seeded weights keep its activations in range.

A batch norm is what keeps them there, and a trained one stands in no file: exporters fold it into the
convolution in front of it. So a network is built twice. First with each norm computed from the values
themselves, their means and variances being outputs; then with those numbers folded into the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

Array = NDArray[Any]
Operand = str | float | Array
"""The name of a value, or a constant."""
Measured = Sequence[tuple[Array, Array]]
"""Mean and variance of each value that is normalized, in order."""

OPSET = 17
EPSILON = 1e-5


class Net:
    """A network while it is written; `measured` is None in the first of the two passes."""

    def __init__(self, name: str, seed: int, measured: Measured | None = None):
        self._name = name
        self._random = np.random.default_rng(seed)
        self._measured = measured
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._wanted: list[str] = []
        self._norms = 0
        self._counts: dict[str, int] = {}
        self.parameters = 0
        """How many numbers a training would have made."""

    def input(self, name: str, shape: Sequence[int], dtype: int = TensorProto.FLOAT) -> str:
        self._inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, value: str, name: str) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name], name=name))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))

    def fresh(self, hint: str) -> str:
        number = self._counts.get(hint, 0)
        self._counts[hint] = number + 1
        return f"{hint}_{number}"

    def constant(self, value: Any, hint: str = "constant") -> str:
        """A constant; Python floats are float32, integers int64."""
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        name = self.fresh(hint)
        tensor = cast(Any, numpy_helper).from_array(np.array(array, order="C"), name)
        self._constants.append(tensor)
        return name

    def op(self, kind: str, *inputs: Operand, **attributes: Any) -> str:
        """A node with one result; numbers among the inputs become constants."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, count: int, *inputs: Operand, **attributes: Any) -> list[str]:
        """A node with `count` results."""
        names = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        base = self.fresh(kind.lower())
        outs = [base] if count == 1 else [f"{base}_{i}" for i in range(count)]
        self._nodes.append(helper.make_node(kind, names, outs, name=base, **attributes))
        return outs

    def normal(self, *shape: int, deviation: float = 1.0) -> Array:
        array = (self._random.standard_normal(shape) * deviation).astype(np.float32)
        self.parameters += array.size
        return array

    def uniform(self, low: float, high: float, *shape: int) -> Array:
        array = self._random.uniform(low, high, shape).astype(np.float32)
        self.parameters += array.size
        return array

    def reshape(self, x: str, *shape: int) -> str:
        return self.op("Reshape", x, np.array(shape, np.int64))

    def transpose(self, x: str, *order: int) -> str:
        return self.op("Transpose", x, perm=list(order))

    def conv(
        self,
        x: str,
        inner: int,
        outer: int,
        kernel: int = 1,
        *,
        stride: int = 1,
        groups: int = 1,
        pad: int | None = None,
        norm: bool = True,
        biased: bool = True,
        transposed: bool = False,
        gain: float = 1.0,
    ) -> str:
        """A convolution, with the batch norm behind it folded, or with a bias of its own."""
        fan = inner // groups * kernel * kernel
        shape = (inner, outer) if transposed else (outer, inner // groups)
        weights = self.normal(*shape, kernel, kernel, deviation=gain / np.sqrt(fan))
        bias = [self.normal(outer, deviation=0.1)] if biased else []
        kind = "ConvTranspose" if transposed else "Conv"
        side = (0 if transposed else kernel // 2) if pad is None else pad
        attributes: dict[str, Any] = {
            "kernel_shape": [kernel] * 2,
            "strides": [stride] * 2,
            "pads": [side] * 4,
            "group": groups,
            "dilations": [1, 1],
        }
        if not norm:
            return self.op(kind, x, weights, *bias, **attributes)
        scale = self.uniform(0.5, 1.5, outer)
        along = (1, -1, 1, 1) if transposed else (-1, 1, 1, 1)
        if self._measured is None:
            y = self.op(kind, x, weights, **attributes)
            return self._normalized(y, scale, bias[0])
        mean, variance = self._next_norm(self._measured)
        factor = scale / np.sqrt(variance + EPSILON)
        return self.op(
            kind, x, weights * factor.reshape(along), bias[0] - mean * factor, **attributes
        )

    def batch_norm(self, x: str, channels: int) -> str:
        """A batch norm that no convolution takes up."""
        scale = self.uniform(0.5, 1.5, channels)
        bias = self.normal(channels, deviation=0.1)
        if self._measured is None:
            return self._normalized(x, scale, bias)
        mean, variance = self._next_norm(self._measured)
        return self.op("BatchNormalization", x, scale, bias, mean, variance, epsilon=EPSILON)

    def _normalized(self, x: str, scale: Array, bias: Array) -> str:
        mean = self.op("ReduceMean", x, axes=[0, 2, 3])
        centred = self.op("Sub", x, mean)
        variance = self.op("ReduceMean", self.op("Mul", centred, centred), axes=[0, 2, 3])
        self._wanted += [mean, variance]
        root = self.op("Sqrt", self.op("Add", variance, EPSILON))
        y = self.op("Mul", self.op("Div", centred, root), scale.reshape(1, -1, 1, 1))
        return self.op("Add", y, bias.reshape(1, -1, 1, 1))

    def _next_norm(self, measured: Measured) -> tuple[Array, Array]:
        self._norms += 1
        return measured[self._norms - 1]

    def linear(self, x: str, inner: int, outer: int, *, gemm: bool = False) -> str:
        """A linear layer with bias, as exporters write it: MatMul and Add, or Gemm for a matrix."""
        weights = self.normal(inner, outer, deviation=1 / np.sqrt(inner))
        bias = self.normal(outer, deviation=0.02)
        if gemm:
            return self.op("Gemm", x, weights.T, bias, transB=1)
        return self.op("Add", self.op("MatMul", x, weights), bias)

    def layer_norm(self, x: str, width: int) -> str:
        scale = self.uniform(0.8, 1.2, width)
        bias = self.normal(width, deviation=0.05)
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    def silu(self, x: str) -> str:
        return self.op("Mul", x, self.op("Sigmoid", x))

    def gelu(self, x: str) -> str:
        """The exact one, spelled out, as exporters write it before operator set 20."""
        erf = self.op("Erf", self.op("Div", x, float(np.sqrt(2.0))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, 1.0)), 0.5)

    def model(self) -> ModelProto:
        outputs = self._outputs
        if self._measured is None:
            outputs = [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
                for name in self._wanted
            ]
        graph = helper.make_graph(
            self._nodes, self._name, self._inputs, outputs, initializer=self._constants
        )
        opsets = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def measure(self, feeds: Mapping[str, Array]) -> Measured:
        """The means and variances of the values that are normalized, in a run of the first pass."""
        if not self._wanted:
            return []
        runtime: Any = import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.log_severity_level = 3
        session = runtime.InferenceSession(
            self.model().SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        results = session.run(self._wanted, dict(feeds))
        return [(m.ravel(), v.ravel()) for m, v in zip(results[::2], results[1::2], strict=True)]


def build(
    name: str, write: Callable[[Net], None], feeds: Mapping[str, Array], seed: int = 0
) -> ModelProto:
    """The network that `write` writes, its norms measured on `feeds`."""
    first = Net(name, seed)
    write(first)
    final = Net(name, seed, first.measure(feeds))
    write(final)
    return final.model()
