"""Quantized ONNX models for tests and benchmarks, built without any framework: seeded, and true to size.

A `QdqBuilder` grows a model op by op. Methods `qdq`, `quantize` and `weight` make quantized values; `build`
runs the model once in float32 and gives every such value the scale and zero point of its range, as ONNX
Runtime's `quantize_static` computes them. The same builder gives the float32 model (`build_float`).

    b = QdqBuilder(seed=1)
    x = b.qdq(b.input("x", (1, 3, 8, 8)))
    y = b.relu(b.conv(x, (8, 3, 3, 3), pads=1))
    b.output(b.qdq(y))
    model = b.build()

Whole networks are in `qdq_models.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference

Array = NDArray[np.generic]
Floats = NDArray[np.float32]
Dim = int | str

OPSET = 17

_ELEMENTS = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
}


@dataclass
class _Input:
    name: str
    shape: tuple[Dim, ...]
    dtype: str
    low: float | None
    high: float | None


@dataclass
class _Parameters:
    """How a value is quantized: from its range in float32, unless a scale is set."""

    name: str
    source: str
    dtype: str
    symmetric: bool
    narrow: bool = False
    scale: Floats | None = None
    zero_point: Array | None = None

    @property
    def is_known(self) -> bool:
        return self.scale is not None


@dataclass
class _Node:
    kind: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    both: bool = True
    """Whether the node is in the quantized model too, not in the float32 one alone."""


@dataclass
class _Bias:
    name: str
    value: Floats
    activation: _Parameters
    weight: _Parameters


@dataclass
class _Sketch:
    """A model under construction: its values, nodes and constants."""

    seed: int = 0
    opset: int = OPSET
    bits: int = 7
    name: str = "qdq"
    _inputs: list[_Input] = field(default_factory=list[_Input])
    _outputs: list[str] = field(default_factory=list[str])
    _nodes: list[_Node] = field(default_factory=list[_Node])
    _shared: dict[str, Array] = field(default_factory=dict[str, Array])
    """Constants of both models."""
    _floats: dict[str, Floats] = field(default_factory=dict[str, Floats])
    """Weights of the float32 model."""
    _weights: dict[str, Array] = field(default_factory=dict[str, Array])
    """Quantized weights."""
    _biases: list[_Bias] = field(default_factory=list[_Bias])
    _parameters: dict[str, _Parameters] = field(default_factory=dict[str, _Parameters])
    """By quantized value, and by the value that it dequantizes to."""
    _plain: dict[str, str] = field(default_factory=dict[str, str])
    """Quantized and dequantized values -> the value that takes their place in the float32 model."""
    _same: dict[str, str] = field(default_factory=dict[str, str])
    """Values that nodes of the float32 model compute -> the values in their place in the quantized one."""
    _count: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    # Inputs, outputs, constants, nodes.

    def input(
        self,
        name: str,
        shape: Sequence[Dim],
        dtype: str = "float32",
        *,
        low: float | None = None,
        high: float | None = None,
    ) -> str:
        """A graph input; dimensions that are names are dynamic. Calibrated on normal numbers, or on
        uniform ones from `low` to `high`."""
        self._inputs.append(_Input(name, tuple(shape), dtype, low, high))
        return name

    def output(self, *values: str) -> None:
        """Makes the values outputs of the graph."""
        self._outputs.extend(values)

    def constant(self, value: Array | Sequence[float] | float, hint: str = "constant") -> str:
        """An initializer of the same value in both models; Python floats become float32."""
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        name = self._fresh(hint)
        self._shared[name] = array
        return name

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """A node that is in both models. Returns its first output; see `nodes` for more."""
        return self.nodes(kind, *inputs, outputs=outputs, **attributes)[0]

    def nodes(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        """A node that is in both models; all its outputs."""
        names = [self._fresh(f"{kind}_out") for _ in range(outputs)]
        self._nodes.append(_Node(kind, list(inputs), names, attributes))
        return names

    def float_node(self, kind: str, x: str, *inputs: str, **attributes: Any) -> str:
        """A node of the float32 model alone, such as the ReLU that a quantizer drops because the zero
        point behind it clips in the same way; the quantized model continues with `x`."""
        y = self._fresh(f"{kind}_out")
        self._nodes.append(_Node(kind, [x, *inputs], [y], attributes, both=False))
        self._same[y] = x
        return y

    # Quantization.

    def quantize(
        self,
        x: str,
        dtype: str = "uint8",
        *,
        like: str | None = None,
        scale: float | None = None,
        zero_point: int | None = None,
        symmetric: bool = False,
        narrow: bool = False,
    ) -> str:
        """QuantizeLinear per tensor; with the parameters of the quantized value `like`, if given.

        `narrow` is symmetric int8 with `self.bits` bits, for the second factor of a product of activations
        or a weight that the graph quantizes: the note on weights at `QdqBuilder` applies to them too.
        """
        dtype, symmetric = ("int8", True) if narrow else (dtype, symmetric)
        parameters = (
            self._parameters[like]
            if like
            else _Parameters(self._fresh(x, "_scale"), x, dtype, symmetric, narrow)
        )
        if scale is not None:
            parameters.scale = np.float32(scale).reshape(())
            parameters.zero_point = np.array(zero_point or 0, dtype)
        q = self._fresh(f"{x}_QuantizeLinear_Output")
        names = self._names_of(parameters)
        self._nodes.append(_Node("QuantizeLinear", [x, *names], [q], {}))
        self._parameters[q] = parameters
        self._plain[q] = x
        return q

    def dequantize(self, q: str) -> str:
        """DequantizeLinear of a quantized value, with the parameters that it was quantized with."""
        parameters = self._parameters[q]
        d = self._fresh(q.replace("QuantizeLinear", "DequantizeLinear"))
        self._nodes.append(_Node("DequantizeLinear", [q, *self._names_of(parameters)], [d], {}))
        self._parameters[d] = parameters
        self._plain[d] = q
        return d

    def qdq(self, x: str, dtype: str = "uint8", **options: Any) -> str:
        """`dequantize(quantize(x))`."""
        return self.dequantize(self.quantize(x, dtype, **options))

    def stored(self, kind: str, q: str, *inputs: str, **attributes: Any) -> str:
        """A node on the quantized integers themselves, as Transpose may stand between the casts."""
        y = self.node(kind, q, *inputs, **attributes)
        self._parameters[y] = self._parameters[q]
        return y

    def weight(
        self,
        shape: Sequence[int],
        axis: int | None = 0,
        *,
        fan_in: int | None = None,
        gain: float = 1.0,
        dtype: str = "int8",
        frozen: bool = True,
        value: Floats | None = None,
    ) -> str:
        """A random weight, quantized per channel of `axis` (None: per tensor) and dequantized.

        int8 is symmetric with `bits` bits; uint8 is asymmetric with all 8. Not `frozen`, the weight is a
        float constant with QuantizeLinear and DequantizeLinear.
        """
        fan = fan_in or int(np.prod(shape[1:])) or 1
        if value is None:
            value = self._random.standard_normal(tuple(shape)).astype(np.float32)
            value *= np.float32(gain / np.sqrt(fan))
        name = self._fresh("weight")
        parameters = _Parameters(name, name, dtype, dtype == "int8")
        parameters.scale, parameters.zero_point = _weight_parameters(value, axis, dtype, self.bits)
        names = self._names_of(parameters)
        axis_attribute = {} if axis is None else {"axis": axis}
        if frozen:
            q = f"{name}_quantized"
            self._weights[q] = quantized(value, parameters.scale, parameters.zero_point, axis)
            self._floats[name] = value
        else:
            self._shared[name] = value
            q = f"{name}_QuantizeLinear_Output"
            self._nodes.append(_Node("QuantizeLinear", [name, *names], [q], axis_attribute))
        d = f"{name}_DequantizeLinear_Output"
        self._nodes.append(_Node("DequantizeLinear", [q, *names], [d], axis_attribute))
        self._parameters[d] = self._parameters[q] = parameters
        self._plain[q], self._plain[d] = name, q
        return d

    def bias(self, size: int, x: str, weight: str, *, scale: float = 0.1) -> str:
        """A random bias as int32 with the product of the scales of `x` and `weight`, dequantized;
        in float32 where `x` or `weight` is not a dequantized value."""
        value = (self._random.standard_normal(size) * scale).astype(np.float32)
        name = self._fresh("bias")
        if x not in self._parameters or weight not in self._parameters:
            self._shared[name] = value
            return name
        self._floats[name] = value
        self._biases.append(_Bias(name, value, self._parameters[x], self._parameters[weight]))
        d = f"{name}_DequantizeLinear_Output"
        inputs = [f"{name}_quantized", f"{name}_scale", f"{name}_zero_point"]
        axis = {"axis": 0} if np.ndim(cast(Floats, self._parameters[weight].scale)) else {}
        self._nodes.append(_Node("DequantizeLinear", inputs, [d], axis))
        self._plain[d] = name
        return d

    def _names_of(self, parameters: _Parameters) -> tuple[str, str]:
        return f"{parameters.name}_scale", f"{parameters.name}_zero_point"

    def _fresh(self, hint: str, kind: str = "") -> str:
        count = self._count.get(hint + kind, 0)
        self._count[hint + kind] = count + 1
        return f"{hint}_{count}" if count else hint


class _Models(_Sketch):
    """The float32 model of a sketch, and the quantized one."""

    def build_float(self) -> ModelProto:
        """The float32 model."""
        return self._model(
            self._float_nodes(), [self._float(v) for v in self._outputs], quantized=False
        )

    def build(self, feeds: Mapping[str, Array] | None = None) -> ModelProto:
        """The quantized model, calibrated on `feeds` (default: `self.feeds()`)."""
        self._calibrate(feeds or self.feeds())
        nodes = [
            helper.make_node(
                n.kind,
                [self._quantized(v) for v in n.inputs],
                n.outputs,
                self._label(n),
                **n.attributes,
            )
            for n in self._nodes
            if n.both
        ]
        return self._model(nodes, [self._quantized(v) for v in self._outputs], quantized=True)

    def feeds(self, seed: int = 0, **sizes: int) -> dict[str, Array]:
        """Random inputs: normal, or uniform where the input has limits; dynamic sizes are 1 unless in
        `sizes`."""
        random = np.random.default_rng([self.seed, seed])
        arrays: dict[str, Array] = {}
        for i in self._inputs:
            shape = [d if isinstance(d, int) else sizes.get(d, 1) for d in i.shape]
            if i.low is None or i.high is None:
                array = random.standard_normal(shape)
            elif np.issubdtype(np.dtype(i.dtype), np.integer):
                array = np.floor(random.uniform(i.low, i.high + 1, shape))
            else:
                array = random.uniform(i.low, i.high, shape)
            arrays[i.name] = array.astype(i.dtype)
        return arrays

    def _float_nodes(self) -> list[NodeProto]:
        casts = ("QuantizeLinear", "DequantizeLinear")
        return [
            helper.make_node(
                n.kind,
                [self._float(v) for v in n.inputs],
                n.outputs,
                self._label(n),
                **n.attributes,
            )
            for n in self._nodes
            if n.kind not in casts
        ]

    def _float(self, value: str) -> str:
        while value in self._plain:
            value = self._plain[value]
        return value

    def _quantized(self, value: str) -> str:
        while value in self._same:
            value = self._same[value]
        return value

    def _calibrate(self, feeds: Mapping[str, Array]) -> None:
        unknown = {p.source: p for p in self._parameters.values() if not p.is_known}
        sources = {self._float(name) for name in unknown}
        nodes = self._float_nodes()
        ends: list[str] = []
        for number, source in enumerate(sorted(sources)):
            for kind in ("ReduceMin", "ReduceMax"):
                ends.append(f"{kind}_{number}")
                nodes.append(helper.make_node(kind, [source], [ends[-1]], keepdims=0))
        model = self._model(nodes, ends, quantized=False)
        ends_of = run(model, feeds) if ends else []
        ranges = dict(
            zip(sorted(sources), zip(ends_of[::2], ends_of[1::2], strict=True), strict=True)
        )
        for p in self._parameters.values():
            if not p.is_known:
                low, high = ranges[self._float(p.source)]
                p.scale, p.zero_point = tensor_parameters(
                    float(cast(Any, low)), float(cast(Any, high)), p.dtype, symmetric=p.symmetric
                )
                if p.narrow and self.bits < 8:
                    p.scale = np.asarray(p.scale * np.float32(127.5 / 2 ** (self.bits - 1)))

    def _model(
        self, nodes: list[NodeProto], outputs: Sequence[str], *, quantized: bool
    ) -> ModelProto:
        constants: dict[str, Array] = dict(self._shared)
        if quantized:
            constants |= self._weights | self._cast_constants() | self._bias_constants()
        else:
            constants |= self._floats
        used = {name for node in nodes for name in node.input}
        kinds = [self._element(n) if quantized else TensorProto.FLOAT for n in outputs]
        graph = helper.make_graph(
            nodes,
            self.name,
            [
                helper.make_tensor_value_info(i.name, _ELEMENTS[i.dtype], i.shape)
                for i in self._inputs
            ],
            [
                helper.make_tensor_value_info(n, k, None)
                for n, k in zip(outputs, kinds, strict=True)
            ],
            [_tensor(array, n) for n, array in constants.items() if n in used],
        )
        opsets = [helper.make_opsetid("", self.opset)]
        # Explicit: the onnx package's default is newer than ONNX Runtime reads.
        version = 8 if self.opset < 19 else 10
        model = helper.make_model(graph, opset_imports=opsets, ir_version=version)
        inferred = shape_inference.infer_shapes(model)
        del model.graph.output[:]
        model.graph.output.extend(inferred.graph.output)
        return model

    def _element(self, name: str) -> int:
        node = next((n for n in self._nodes if name in n.outputs), None)
        if name in self._parameters and node is not None and node.kind != "DequantizeLinear":
            return _ELEMENTS[self._parameters[name].dtype]
        return TensorProto.FLOAT

    def _cast_constants(self) -> dict[str, Array]:
        constants: dict[str, Array] = {}
        for p in self._parameters.values():
            scale, zero_point = self._names_of(p)
            constants[scale], constants[zero_point] = (
                cast(Array, p.scale),
                cast(Array, p.zero_point),
            )
        return constants

    def _bias_constants(self) -> dict[str, Array]:
        constants: dict[str, Array] = {}
        for b in self._biases:
            scale = np.multiply(
                cast(Any, b.activation.scale), cast(Any, b.weight.scale), dtype=np.float32
            )
            constants[f"{b.name}_quantized"] = np.rint(b.value / scale).astype(np.int32)
            constants[f"{b.name}_scale"] = scale
            constants[f"{b.name}_zero_point"] = np.zeros(np.shape(scale), np.int32)
        return constants

    def _label(self, node: _Node) -> str:
        return node.outputs[0].removesuffix("_Output").replace("_out", "")


class QdqBuilder(_Models):
    """Grows a model; values are represented by their names.

    `bits=7` keeps int8 weights in [-64, 64]: without VNNI, products of a full-range weight and an unsigned
    activation saturate in 16 bits (ONNX Runtime calls it `reduce_range`).
    """

    # Layers. They do not quantize activations: do that before and after.

    def conv(
        self,
        x: str,
        shape: Sequence[int],
        *,
        stride: int = 1,
        pads: int = 0,
        groups: int = 1,
        dilation: int = 1,
        bias: bool = True,
        gain: float = 1.0,
        weight: str | None = None,
        axis: int | None = 0,
    ) -> str:
        """A convolution with a random weight of `shape` (out, in / groups, *kernel)."""
        w = weight or self.weight(shape, axis, gain=gain)
        inputs = [x, w, self.bias(shape[0], x, w)] if bias else [x, w]
        rank = len(shape) - 2
        return self.node(
            "Conv",
            *inputs,
            kernel_shape=list(shape[2:]),
            strides=[stride] * rank,
            pads=[pads] * (2 * rank),
            dilations=[dilation] * rank,
            group=groups,
        )

    def conv_transpose(
        self,
        x: str,
        shape: Sequence[int],
        *,
        stride: int = 1,
        pads: int = 0,
        groups: int = 1,
        bias: bool = True,
    ) -> str:
        """A transposed convolution with a random weight of `shape` (in, out / groups, *kernel)."""
        fan = shape[0] * int(np.prod(shape[2:])) // groups
        # Per tensor where there are groups: channels of different groups share an index of axis 1.
        w = self.weight(shape, 1 if groups == 1 else None, fan_in=fan)
        inputs = [x, w, self.bias(shape[1] * groups, x, w)] if bias else [x, w]
        rank = len(shape) - 2
        return self.node(
            "ConvTranspose",
            *inputs,
            kernel_shape=list(shape[2:]),
            strides=[stride] * rank,
            pads=[pads] * (2 * rank),
            group=groups,
        )

    def linear(
        self,
        x: str,
        shape: Sequence[int],
        *,
        form: str = "Gemm",
        bias: bool = True,
        gain: float = 1.0,
        axis: bool = True,
    ) -> str:
        """x @ w + b, w random of `shape` (out, in): as Gemm with transB (x of rank 2), or as MatMul, with
        a float32 Add for the bias."""
        out, inner = shape
        if form == "Gemm":
            w = self.weight((out, inner), 0 if axis else None, gain=gain)
            inputs = [x, w, self.bias(out, x, w)] if bias else [x, w]
            return self.node("Gemm", *inputs, transB=1)
        w = self.weight((inner, out), 1 if axis else None, fan_in=inner, gain=gain)
        y = self.node("MatMul", x, w)
        if not bias:
            return y
        value = (self._random.standard_normal(out) * 0.1).astype(np.float32)
        return self.node("Add", y, self.constant(value, "bias"))

    def relu(self, x: str) -> str:
        """A ReLU that stays in the quantized model."""
        return self.node("Relu", x)

    def layer_norm(self, x: str, size: int) -> str:
        """LayerNormalization of the last axis."""
        scale = (1 + 0.1 * self._random.standard_normal(size)).astype(np.float32)
        shift = (0.1 * self._random.standard_normal(size)).astype(np.float32)
        names = self.constant(scale, "gamma"), self.constant(shift, "beta")
        return self.node("LayerNormalization", x, *names, axis=-1, epsilon=1e-5)

    def gelu(self, x: str) -> str:
        """The exact GELU as exporters write it below opset 20: x * (1 + erf(x / sqrt 2)) / 2."""
        inner = self.node("Erf", self.node("Div", x, self.constant(float(np.sqrt(2.0)))))
        outer = self.node("Mul", x, self.node("Add", inner, self.constant(1.0)))
        return self.node("Mul", outer, self.constant(0.5))


def tensor_parameters(
    low: float, high: float, dtype: str = "uint8", *, symmetric: bool = False
) -> tuple[Floats, Array]:
    """Scale and zero point of a tensor whose values are from `low` to `high`; zero is always
    representable. Both of shape ()."""
    limits = np.iinfo(dtype)
    low, high = min(low, 0.0), max(high, 0.0)
    if symmetric:
        high = max(-low, high)
        low = -high
    scale = np.float32((high - low) / (float(limits.max) - float(limits.min)))
    if scale < np.finfo(np.float32).tiny:
        return np.ones((), np.float32), np.zeros((), dtype)
    # The middle: 0 for int8, 128 for uint8.
    middle = (limits.max + limits.min + 1) // 2
    zero = middle if symmetric else int(np.rint(limits.min - low / float(scale)))
    return np.array(scale, np.float32), np.array(zero, dtype)


def _tensor(array: Array, name: str) -> TensorProto:
    return cast(Any, numpy_helper).from_array(array, name)


def _weight_parameters(
    value: Floats, axis: int | None, dtype: str, bits: int
) -> tuple[Floats, Array]:
    others = tuple(i for i in range(value.ndim) if i != axis) if axis is not None else None
    if dtype == "int8":
        largest = np.abs(value).max(axis=others)
        scale = np.maximum(largest / np.float32(2 ** (bits - 1) - (bits == 8)), np.float32(1e-9))
        return scale.astype(np.float32), np.zeros(np.shape(scale), np.int8)
    low = np.minimum(value.min(axis=others), 0)
    scale = (np.maximum(value.max(axis=others), 0) - low) / np.float32(255)
    scale = np.maximum(scale, np.float32(1e-9)).astype(np.float32)
    return scale, np.asarray(np.rint(-low / scale), np.uint8)


def quantized(value: Floats, scale: Floats, zero_point: Array, axis: int | None) -> Array:
    """An array quantized as by QuantizeLinear: rounded half to even, saturated, of zero_point's dtype."""
    if axis is not None and np.ndim(scale):
        shape = [-1 if i == axis else 1 for i in range(value.ndim)]
        scale, zero_point = scale.reshape(shape), zero_point.reshape(shape)
    limits = np.iinfo(zero_point.dtype.name)
    whole = np.rint(value / scale) + zero_point.astype(np.float32)
    return np.clip(whole, limits.min, limits.max).astype(zero_point.dtype)


def run(
    model: ModelProto,
    feeds: Mapping[str, Array],
    outputs: Sequence[str] | None = None,
    *,
    optimize: bool = True,
) -> list[Array]:
    """The outputs of a model in ONNX Runtime, in the model's order or as named."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    if not optimize:
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    providers = ["CPUExecutionProvider"]
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=providers)
    return cast("list[Array]", session.run(list(outputs) if outputs else None, dict(feeds)))
