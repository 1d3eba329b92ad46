"""Transformers in float32, spelled as exporters spell them, and quantized by ONNX Runtime's quantizer.

An `Encoder` says the sizes and the spelling; `encoder_model` builds the model, `quantized_encoder` its QDQ
form. Weights are seeded and scaled so that values stay in range from layer to layer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from autosplit.testing.quantize import Feeds

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Encoder:
    """The sizes of a transformer, and how it is written."""

    layers: int = 1
    length: int = 16
    hidden: int = 64
    heads: int = 4
    inner: int = 128
    norm: Literal["node", "spelled"] = "node"
    gelu: Literal["erf", "tanh", "node", "microsoft"] = "erf"
    linear: Literal["matmul", "gemm"] = "matmul"
    first: Literal["attention", "norm"] = "attention"
    """Whether a block begins with its attention (BERT) or with its norm (ViT, GPT-2)."""
    scale: Literal["scores", "divided", "query", "both"] = "scores"
    """What is scaled: the scores by a factor or a divisor, the query, or query and key by the root."""
    mask: Literal["none", "added", "where", "causal", "bias"] = "added"
    merged: bool = False
    """Whether one product computes query, key and value, which a Split separates."""
    seed: int = 0


@dataclass
class _Writer:
    spec: Encoder
    nodes: list[NodeProto] = field(default_factory=list[NodeProto])
    constants: list[TensorProto] = field(default_factory=list[TensorProto])
    count: int = 0

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.spec.seed)

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        helpers: Any = numpy_helper
        self.constants.append(helpers.from_array(np.asarray(value, dtype), name))
        return name

    def normal(self, *shape: int, scale: float = 1.0) -> str:
        return self.constant(self.random.standard_normal(shape) * scale)

    def op(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **fields: Any) -> Any:
        self.count += 1
        names = [f"{kind.lower()}{self.count}" + (f"_{i}" if i else "") for i in range(outputs)]
        self.nodes.append(
            helper.make_node(
                kind, list(inputs), names, name=names[0] + "_node", domain=domain, **fields
            )
        )
        return names[0] if outputs == 1 else names

    def linear(self, x: str, source: int, target: int) -> str:
        weights = self.normal(source, target, scale=source**-0.5)
        bias = self.normal(target, scale=0.1)
        if self.spec.linear == "matmul":
            return self.op("Add", self.op("MatMul", x, weights), bias)
        flat = self.op("Reshape", x, self.constant([-1, source], np.int64))
        y = self.op("Gemm", flat, weights, bias)
        return self.op("Reshape", y, self.constant([1, -1, target], np.int64))

    def norm(self, x: str) -> str:
        size = self.spec.hidden
        scale = self.constant(1 + 0.1 * self.random.standard_normal(size))
        bias = self.normal(size, scale=0.1)
        if self.spec.norm == "node":
            return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        square = self.op("Pow", centred, self.constant(2.0))
        variance = self.op("ReduceMean", square, axes=[-1])
        root = self.op("Sqrt", self.op("Add", variance, self.constant(1e-12)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, root), scale), bias)

    def gelu(self, x: str) -> str:
        match self.spec.gelu:
            case "node":
                return self.op("Gelu", x)
            case "microsoft":
                return self.op("Gelu", x, domain="com.microsoft")
            case "erf":
                erf = self.op("Erf", self.op("Div", x, self.constant(np.sqrt(2.0))))
                gate = self.op("Add", erf, self.constant(1.0))
                return self.op("Mul", self.op("Mul", x, gate), self.constant(0.5))
            case "tanh":
                cube = self.op("Pow", x, self.constant(3.0))
                inner = self.op("Add", x, self.op("Mul", cube, self.constant(0.044715)))
                gate = self.op("Tanh", self.op("Mul", inner, self.constant(np.sqrt(2 / np.pi))))
                half = self.op("Mul", x, self.constant(0.5))
                return self.op("Mul", half, self.op("Add", gate, self.constant(1.0)))

    def masked(self, scores: str) -> str:
        spec, size = self.spec, self.spec.length
        match spec.mask:
            case "none":
                return scores
            case "added":
                return self.op("Add", scores, "bias")
            case "where":
                return self.op("Where", "mask4", scores, self.constant(-10000.0))
            case "causal":
                visible = self.constant(np.tril(np.ones((1, 1, size, size))), np.bool_)
                return self.op("Where", visible, scores, self.constant(np.finfo(np.float32).min))
            case "bias":
                return self.op("Add", scores, self.normal(1, spec.heads, size, size, scale=0.5))

    def parted(self, x: str) -> list[str]:
        hidden = self.spec.hidden
        if not self.spec.merged:
            return [self.linear(x, hidden, hidden) for _ in range(3)]
        sizes = self.constant([hidden] * 3, np.int64)
        return self.op("Split", self.linear(x, hidden, 3 * hidden), sizes, outputs=3, axis=-1)

    def attention(self, x: str) -> str:
        spec = self.spec
        width = spec.hidden // spec.heads
        shape = self.constant([1, -1, spec.heads, width], np.int64)
        q, k, v = (self.op("Reshape", y, shape) for y in self.parted(x))
        q, v = (self.op("Transpose", y, perm=[0, 2, 1, 3]) for y in (q, v))
        k = self.op("Transpose", k, perm=[0, 2, 3, 1])
        if spec.scale in ("query", "both"):
            power = -0.5 if spec.scale == "query" else -0.25
            q = self.op("Mul", q, self.constant(width**power))
        if spec.scale == "both":
            k = self.op("Mul", k, self.constant(width**-0.25))
        scores = self.op("MatMul", q, k)
        if spec.scale == "scores":
            scores = self.op("Mul", scores, self.constant(width**-0.5))
        elif spec.scale == "divided":
            scores = self.op("Div", scores, self.constant(width**0.5))
        y = self.op("MatMul", self.op("Softmax", self.masked(scores), axis=-1), v)
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.constant([1, -1, spec.hidden], np.int64))
        return self.linear(y, spec.hidden, spec.hidden)

    def feed(self, x: str) -> str:
        spec = self.spec
        return self.linear(
            self.gelu(self.linear(x, spec.hidden, spec.inner)), spec.inner, spec.hidden
        )

    def block(self, x: str) -> str:
        if self.spec.first == "attention":
            x = self.norm(self.op("Add", self.attention(x), x))
            return self.norm(self.op("Add", self.feed(x), x))
        x = self.op("Add", x, self.attention(self.norm(x)))
        return self.op("Add", x, self.feed(self.norm(x)))

    def masks(self) -> list[str]:
        """Writes the ops on masks, as BERT's exports have them; returns the inputs that they read."""
        if self.spec.mask not in ("added", "where"):
            return []
        wide = self.op("Unsqueeze", "mask", self.constant([1, 2], np.int64))
        if self.spec.mask == "where":
            cast = self.op("Cast", wide, to=TensorProto.BOOL)
            self.nodes[-1].output[0] = "mask4"
            assert cast
            return ["mask"]
        real = self.op("Cast", wide, to=TensorProto.FLOAT)
        self.op("Mul", self.op("Sub", self.constant(1.0), real), self.constant(-10000.0))
        self.nodes[-1].output[0] = "bias"
        return ["mask"]


def encoder_model(spec: Encoder) -> ModelProto:
    """The float32 model: `x` float32[1, length, hidden], and `mask` int64[1, length] where it has one."""
    w = _Writer(spec)
    extra = w.masks()
    x = w.norm("x") if spec.first == "attention" else "x"
    for _ in range(spec.layers):
        x = w.block(x)
    w.nodes.append(
        helper.make_node("Identity", [x if spec.first == "attention" else w.norm(x)], ["y"])
    )
    shape = [1, spec.length, spec.hidden]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    inputs += [helper.make_tensor_value_info(n, TensorProto.INT64, shape[:2]) for n in extra]
    graph = helper.make_graph(
        w.nodes,
        "encoder",
        inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        w.constants,
    )
    sets = [helper.make_opsetid("", 20 if spec.gelu == "node" else 17)]
    sets += [helper.make_opsetid("com.microsoft", 1)] if spec.gelu == "microsoft" else []
    return helper.make_model(graph, opset_imports=sets, ir_version=8)


def encoder_feeds(spec: Encoder, seed: int = 1) -> dict[str, Array]:
    """Inputs for the model; a third of the mask is 0."""
    random = np.random.default_rng(seed)
    feeds: dict[str, Array] = {
        "x": random.standard_normal((1, spec.length, spec.hidden)).astype(np.float32)
    }
    if spec.mask in ("added", "where"):
        mask = np.ones((1, spec.length), np.int64)
        mask[:, -(spec.length // 3) :] = 0
        feeds["mask"] = mask
    return feeds


def quantized_encoder(
    spec: Encoder, folder: Path, *, optimized: bool = False, **options: Any
) -> tuple[Path, Path]:
    """Writes the model and its QDQ form, with all that ONNX Runtime can quantize; returns both files.

    `optimized`: ONNX Runtime's optimizations come first. `options`: of its quantizer; activations are
    unsigned bytes and weights have scales by channel, unless they say otherwise.
    """
    quantization: Any = import_module("onnxruntime.quantization")
    shapes: Any = import_module("onnxruntime.quantization.shape_inference")
    real, quantized = folder / "encoder.f32.onnx", folder / "encoder.int8.onnx"
    real.write_bytes(encoder_model(spec).SerializeToString())
    with tempfile.TemporaryDirectory() as work:
        ready = Path(work) / "ready.onnx"
        shapes.quant_pre_process(
            str(real), str(ready), skip_symbolic_shape=True, skip_optimization=not optimized
        )
        usual = {"activation_type": quantization.QuantType.QUInt8, "per_channel": True}
        quantization.quantize_static(
            str(ready),
            str(quantized),
            Feeds([encoder_feeds(spec, seed) for seed in range(4)]),
            quant_format=quantization.QuantFormat.QDQ,
            weight_type=quantization.QuantType.QInt8,
            **usual | options,
        )
    return real, quantized


def run_unoptimized(path: Path, feeds: Mapping[str, Array]) -> Array:
    """The first output of a model file in ONNX Runtime, without its optimizations."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return runtime.InferenceSession(str(path), options).run(None, dict(feeds))[0]
