"""Quantized ONNX models written node by node, for unusual tests: nothing is calibrated or checked.

    m = RawQdq()
    x = m.qdq(m.input("x", [1, 3, 8, 8]))
    m.output(m.qdq(m.node("Conv", x, m.weight((8, 3, 3, 3), axis=0))))
    compare(m.model(), [{"x": m.random(1, 3, 8, 8)}])

Weights have such scales that values stay as large as normal numbers. `autosplit.testing.qdq` has the
builder for whole networks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from autosplit.flows.compile import CompileOptions, compile_model, load_plan

Array = NDArray[np.generic]
Floats = NDArray[np.float32]

CODES = {
    "f32": TensorProto.FLOAT,
    "f16": TensorProto.FLOAT16,
    "u8": TensorProto.UINT8,
    "i8": TensorProto.INT8,
    "u16": TensorProto.UINT16,
    "i16": TensorProto.INT16,
    "u4": TensorProto.UINT4,
    "i4": TensorProto.INT4,
    "i32": TensorProto.INT32,
    "i64": TensorProto.INT64,
    "bool": TensorProto.BOOL,
}
MIDDLES = {"u4": 8, "u8": 128, "u16": 32768}
"""The zero points of unsigned types that correspond to 0 of signed ones."""


class RawQdq:
    """Grows a model; values are represented by their names. The same calls make the same model."""

    def __init__(self, opset: int = 17, seed: int = 0, first: int = 0):
        """`first`: where the numbers in names begin, so that a body shares none with the graph around."""
        self.opset = opset
        self.rng: Any = np.random.default_rng(seed)
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.outputs: list[ValueInfoProto] = []
        self._count = first

    def fresh(self, hint: str) -> str:
        """A name that is not in use."""
        self._count += 1
        return f"{hint}{self._count}"

    def input(self, name: str, shape: Sequence[int | str] | None, dtype: str = "f32") -> str:
        """An input; names among its sizes are open, None is an unknown rank."""
        self.inputs.append(helper.make_tensor_value_info(name, CODES[dtype], shape))
        return name

    def output(self, name: str, dtype: str = "f32") -> str:
        """Makes a value an output of unknown shape."""
        self.outputs.append(helper.make_tensor_value_info(name, CODES[dtype], None))
        return name

    def constant(self, value: Any, dtype: str = "f32") -> str:
        """An initializer."""
        name, array = self.fresh("c"), np.asarray(value)
        numbers = array.flatten().tolist()
        tensor = cast("Any", helper).make_tensor(name, CODES[dtype], array.shape, numbers)
        self.initializers.append(tensor)
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node of one output, which it returns."""
        return self.nodes_of(kind, *inputs, outputs=1, **attributes)[0]

    def nodes_of(self, kind: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        """A node of several outputs, which it returns."""
        names = [self.fresh("v") for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=self.fresh("n"), **attributes))
        return names

    def quantize(
        self, x: str, scale: Any = 0.03, zero: Any = None, dtype: str = "u8", **attributes: Any
    ) -> str:
        return self._cast("QuantizeLinear", x, scale, zero, dtype, attributes)

    def dequantize(
        self, x: str, scale: Any = 0.03, zero: Any = None, dtype: str = "u8", **attributes: Any
    ) -> str:
        return self._cast("DequantizeLinear", x, scale, zero, dtype, attributes)

    def qdq(
        self, x: str, scale: Any = 0.03, zero: Any = None, dtype: str = "u8", **attributes: Any
    ) -> str:
        """A value rounded to integers and back; without `zero` the range is about symmetric."""
        x = self.quantize(x, scale, zero, dtype, **attributes)
        return self.dequantize(x, scale, zero, dtype, **attributes)

    def _cast(
        self, kind: str, x: str, scale: Any, zero: Any, dtype: str, attributes: Mapping[str, Any]
    ) -> str:
        if zero is None:
            zero = np.full(np.shape(scale), MIDDLES.get(dtype, 0))
        return self.node(kind, x, self.constant(scale), self.constant(zero, dtype), **attributes)

    def integers(
        self, shape: Sequence[int], axis: int | None = None, fan: int | None = None, bits: int = 7
    ) -> tuple[Any, Any]:
        """Weights, and their scale or the scales along an axis. `fan`: how many products make a sum."""
        top = 1 << (bits - 1)
        values = self.rng.integers(-top, top, tuple(shape))
        scale = 1.7 / (top * np.sqrt(fan or max(1, prod(shape[1:]))))
        if axis is None:
            return values, np.float32(scale) + np.zeros((), np.float32)
        return values, (scale * self.rng.uniform(0.5, 1.5, shape[axis])).astype(np.float32)

    def weight(
        self,
        shape: Sequence[int],
        axis: int | None = None,
        fan: int | None = None,
        dtype: str = "i8",
        bits: int = 7,
    ) -> str:
        """Constant weights, dequantized."""
        values, scale = self.integers(shape, axis, fan, bits)
        stored = self.constant(values + MIDDLES.get(dtype, 0), dtype)
        attributes = {} if axis is None else {"axis": axis}
        return self.dequantize(stored, scale, None, dtype, **attributes)

    def bias(self, size: int) -> str:
        return self.constant(self.rng.normal(0, 0.3, size))

    def conv(self, x: str, outputs: int = 8, inputs: int = 8, kernel: int = 3) -> str:
        """A convolution of two dimensions that keeps the size, with weights along an axis and a bias."""
        w = self.weight((outputs, inputs, kernel, kernel), 0)
        return self.node("Conv", x, w, self.bias(outputs), pads=[kernel // 2] * 4)

    def random(self, *shape: int) -> Floats:
        """Normally distributed numbers, as an input."""
        return self.rng.normal(0, 1, shape).astype(np.float32)

    def model(self) -> ModelProto:
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.initializers)
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", self.opset)],
            ir_version=10 if self.opset >= 21 else 8,
        )


@dataclass(frozen=True)
class Difference:
    """How far an output is from what ONNX Runtime computes, in the unit of the output."""

    name: str
    largest: float
    mean: float


def compare(
    model: ModelProto, feeds: Sequence[Mapping[str, Array]], **options: Any
) -> list[Difference]:
    """Compiles, writes, reads and runs a model, once for each set of feeds in one plan.

    Of ONNX Runtime's results without and with its optimizations, which also differ among themselves, each
    output is compared with the one that is nearer. Raises AssertionError if shapes, dtypes or the places
    of NaNs differ. `options`: of `CompileOptions`, with `rounding` exact by default.
    """
    compile_options: dict[str, Any] = {"rounding": "exact", **options}
    with TemporaryDirectory() as folder:
        path, out = Path(folder) / "model.onnx", Path(folder) / "out"
        path.write_bytes(model.SerializeToString())
        compile_model(CompileOptions(path, out, **compile_options))
        plan = load_plan(out)
        sessions = [s for s in (_session(path, optimize) for optimize in (False, True)) if s]
        assert sessions, "ONNX Runtime refuses the model"
        differences: list[Difference] = []
        for feed in feeds:
            actual = plan.run(feed)
            references = [r for r in (_run(s, feed) for s in sessions) if r is not None]
            assert references, "ONNX Runtime cannot run the model"
            for i, (name, array) in enumerate(actual.items()):
                nearest = min(
                    (_difference(name, array, outputs[i]) for outputs in references),
                    key=lambda d: (d.mean, d.largest),
                )
                differences.append(nearest)
    return differences


def _session(path: Path, optimize: bool) -> Any:
    """ONNX Runtime with the model; None if it refuses it."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    levels = runtime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:
        return None


def _run(session: Any, feeds: Mapping[str, Array]) -> list[Array] | None:
    try:
        return cast("list[Array]", session.run(None, dict(feeds)))
    except Exception:
        return None


def _difference(name: str, actual: Array, expected: Array) -> Difference:
    kind = (actual.dtype, actual.shape)
    assert kind == (expected.dtype, expected.shape), (name, *kind)
    a, b = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    assert np.array_equal(np.isnan(a), np.isnan(b)), f"{name}: NaN at other places"
    with np.errstate(invalid="ignore"):
        gap = np.where((a == b) | np.isnan(a), 0.0, np.abs(a - b))
    return Difference(name, float(gap.max(initial=0)), float(gap.mean()) if gap.size else 0.0)
