"""Single ops that oneDNN and the numpy reference both compute; a process of its own runs them.

python dnnl_cases.py    prints {case: the greatest difference} as JSON
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.test import TestOp

from autosplit.core.dtypes import tensor_type_of
from autosplit.dialects.dnnl import PartitionOp, element_type_named, make_op
from autosplit.dialects.dnnl.shapes import result_shapes
from autosplit.dialects.platform import set_type
from autosplit.interpret.dnnl import run
from autosplit.runtime.dnnl.build import LoadedPartition

Array = NDArray[Any]
Case = tuple[str, list[Array], str, dict[str, Any]]


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


IMAGE = floats(2, 4, 7, 6)
WINDOW: dict[str, Any] = {
    "strides": [2, 1],
    "pads_begin": [1, 0],
    "pads_end": [1, 1],
    "data_format": "NCX",
}
CONV: dict[str, Any] = {**WINDOW, "dilations": [1, 2], "weights_format": "OIX"}
POOL: dict[str, Any] = {**WINDOW, "kernel": [3, 2]}
RESIZE: dict[str, Any] = {"data_format": "NCX", "sizes": [5, 9]}
UNARY: dict[str, dict[str, Any]] = {
    "Abs": {},
    "Clamp": {"min": -0.5, "max": 0.75},
    "Elu": {"alpha": 0.5},
    "Exp": {},
    "GELU": {},
    "HardSigmoid": {"alpha": 0.2, "beta": 0.5},
    "HardSwish": {},
    "LeakyReLU": {"alpha": 0.1},
    "LogSoftmax": {"axis": 2},
    "Mish": {},
    "ReLU": {},
    "Round": {},
    "Sigmoid": {},
    "SoftMax": {"axis": 1},
    "SoftPlus": {"beta": 2.0},
    "Square": {},
    "Tanh": {},
    "LayerNorm": {"keep_stats": False, "use_affine": False},
    "ReduceMean": {"axes": [2, 3], "keep_dims": True},
}


def cases() -> dict[str, Case]:
    w, bias, channels = floats(8, 2, 3, 3, seed=1), floats(8, seed=2), floats(4, seed=3)
    found: dict[str, Case] = {
        kind: (kind, [IMAGE * 2], "f32", attrs) for kind, attrs in UNARY.items()
    }
    for kind in ("Log", "Sqrt"):
        found[kind] = (kind, [np.abs(IMAGE) + np.float32(0.1)], "f32", {})
    for kind in ("Add", "Divide", "Maximum", "Minimum", "Multiply", "Subtract"):
        found[kind] = (kind, [IMAGE, floats(4, 1, 6, seed=4)], "f32", {})
    for pad in ("None", "SAME_UPPER", "SAME_LOWER", "VALID"):
        attrs = {**CONV, "groups": 2, "auto_pad": pad}
        found[f"Convolution {pad}"] = ("Convolution", [IMAGE, w, bias], "f32", attrs)
        back = {**attrs, "weights_format": "IOX"}
        inputs = [IMAGE, floats(4, 3, 3, 3, seed=5), floats(6, seed=6)]
        found[f"ConvTranspose {pad}"] = ("ConvTranspose", inputs, "f32", back)
        found[f"MaxPool {pad}"] = ("MaxPool", [IMAGE], "f32", {**POOL, "auto_pad": pad})
    for rounding in ("floor", "ceil"):
        attrs = {**POOL, "rounding_type": rounding}
        found[f"MaxPool {rounding}"] = ("MaxPool", [IMAGE], "f32", attrs)
        exclude = {**attrs, "exclude_pad": True}
        found[f"AvgPool {rounding}"] = ("AvgPool", [IMAGE], "f32", exclude)
    # Rounding up and counting the padding is something that the library does not do.
    found["AvgPool padded"] = ("AvgPool", [IMAGE], "f32", {**POOL, "exclude_pad": False})
    for mode in ("nearest", "bilinear"):
        found[f"Interpolate {mode}"] = ("Interpolate", [IMAGE], "f32", {**RESIZE, "mode": mode})
    stats = [channels, channels * 2, channels, np.abs(channels) + np.float32(0.1)]
    norm = {"epsilon": 1e-3, "data_format": "NCX"}
    found["BatchNormInference"] = ("BatchNormInference", [IMAGE, *stats], "f32", norm)
    found["BiasAdd"] = ("BiasAdd", [IMAGE, channels], "f32", {"data_format": "NCX"})
    found["PReLU"] = ("PReLU", [IMAGE, channels], "f32", {"data_format": "NCX"})
    found["Concat"] = ("Concat", [IMAGE, floats(2, 3, 7, 6)], "f32", {"axis": 1})
    turned = [floats(2, 1, 5, 3), floats(4, 6, 5), floats(6)]
    both = {"transpose_a": True, "transpose_b": True}
    found["MatMul"] = ("MatMul", turned, "f32", both)
    halves = (np.arange(-300, 300) / 2).astype(np.float32)
    for dtype in ("u8", "s8"):
        for zp in (0, 3):
            attrs = {"scales": [1.0], "zps": [zp]}
            found[f"Quantize {dtype} {zp}"] = ("Quantize", [halves], dtype, attrs)
    integers = np.arange(-128, 128, dtype=np.int8).reshape(4, 64)
    each = {"qtype": "per_channel", "axis": 0, "scales": [0.5, 1.0, 3.0, 0.1], "zps": [0] * 4}
    found["Dequantize"] = ("Dequantize", [integers], "f32", each)
    return found


def difference(case: Case) -> float:
    """How far the library's first result is from the reference's, relative to numbers above 1."""
    kind, inputs, dtype, attrs = case
    source = TestOp(result_types=[tensor_type_of(a) for a in inputs])
    element = element_type_named(dtype)
    assert element is not None
    op = make_op(kind, list(source.results), [TensorType(element, ())], **attrs)
    shape = (result_shapes(op) or [None])[0]
    assert shape is not None
    set_type(op.results[0], TensorType(element, shape))
    module = ModuleOp([source, op, TestOp(operands=list(op.results))])
    partition = PartitionOp.create_from([op], "one")
    module.verify()
    expected = run(partition, inputs)[0]
    found = np.empty_like(expected)
    ready = LoadedPartition(partition).compile([a.shape for a in inputs])
    ready.bind(inputs, [found])()
    off = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    return float((off / np.maximum(np.abs(expected.astype(np.float64)), 1)).max())


if __name__ == "__main__":
    print(json.dumps({name: difference(case) for name, case in cases().items()}))
