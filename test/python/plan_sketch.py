"""Outlined modules by hand, for the tests of compiled plans, and their meaning in numpy.

s = Sketch()
x = s.input("x", f32, [1, 3, 8, 8])
with s.dnnl(x) as body:
    q = body.partition("quantize", [body.args[0]], lambda ops, a: ops.quantize(a, IMAGE))
    body.give("q", q)
module = s.finish(q=body.results[0])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from autosplit.core.dtypes import element_type_of
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import CallOp, FuncOp, Kind, ReturnOp, TargetAttr
from autosplit.dialects.dnnl import OrderLayout, PartitionOp, make_op
from autosplit.dialects.dnnl.partition import ReturnOp as PartitionReturn
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import make_constant

Parameters = tuple[float, int]
"""Scale and zero point."""


def tensor(dtype: str, shape: Sequence[int], order: Sequence[int] | None = None) -> TensorType[Any]:
    layout = NoneAttr() if order is None else OrderLayout.of(order)
    return TensorType(element_type_of(dtype), list(shape), layout)


def channels_last(rank: int) -> list[int]:
    return [0, *range(2, rank), 1]


class Ops:
    """The ops of one partition."""

    def __init__(self, block: Block):
        self.block = block

    def add(
        self, kind: str, operands: Sequence[SSAValue], type: Attribute, **attrs: Any
    ) -> SSAValue:
        op = make_op(kind, list(operands), [type], **attrs)
        self.block.add_op(op)
        return op.outputs[0]

    def quantize(
        self, x: SSAValue, p: Parameters, dtype: str = "uint8", order: Sequence[int] | None = None
    ) -> SSAValue:
        type = tensor(dtype, x.type.get_shape(), order)
        return self.add("Quantize", [x], type, scales=[p[0]], zps=[p[1]], qtype="per_tensor")

    def dequantize(self, x: SSAValue, p: Parameters) -> SSAValue:
        type = tensor("float32", x.type.get_shape())
        return self.add("Dequantize", [x], type, scales=[p[0]], zps=[p[1]], qtype="per_tensor")

    def weights(self, w: SSAValue, scales: Sequence[float], axis: int = 0) -> SSAValue:
        type = tensor("float32", w.type.get_shape())
        zps = [0] * len(scales)
        return self.add(
            "Dequantize", [w], type, scales=list(scales), zps=zps, qtype="per_channel", axis=axis
        )

    def conv(self, x: SSAValue, w: SSAValue, pad: int, shape: Sequence[int]) -> SSAValue:
        return self.add(
            "Convolution",
            [x, w],
            tensor("float32", shape),
            strides=[1, 1],
            pads_begin=[pad, pad],
            pads_end=[pad, pad],
            dilations=[1, 1],
            data_format="NCX",
            weights_format="OIX",
        )

    def same(self, kind: str, *operands: SSAValue, **attrs: Any) -> SSAValue:
        """An op whose result has the shape of its first operand."""
        return self.add(kind, operands, tensor("float32", operands[0].type.get_shape()), **attrs)


class Body:
    """The body of one function, and what it gives."""

    def __init__(self, block: Block, store: WeightStore):
        self.block, self.store = block, store
        self.given: dict[str, SSAValue] = {}
        self.results: list[SSAValue] = []

    @property
    def args(self) -> Sequence[SSAValue]:
        return self.block.args

    def weight(self, name: str, array: Any) -> SSAValue:
        op = make_constant(name, np.asarray(array), self.store)
        self.block.add_op(op)
        return op.results[0]

    def partition(
        self,
        rule: str,
        inputs: Sequence[SSAValue],
        make: Callable[..., SSAValue | Sequence[SSAValue]],
        constants: Sequence[int] = (),
    ) -> Any:
        inner = Block(arg_types=[v.type for v in inputs])
        made = make(Ops(inner), *inner.args)
        values = [made] if isinstance(made, SSAValue) else list(made)
        inner.add_op(PartitionReturn(values))
        op = PartitionOp(inputs, [v.type for v in values], rule, Region(inner), constants)
        self.block.add_op(op)
        return op.results[0] if isinstance(made, SSAValue) else list(op.results)

    def node(
        self,
        op_type: str,
        inputs: Sequence[SSAValue],
        outputs: Mapping[str, Attribute],
        **attributes: Any,
    ) -> Any:
        op = make_node(
            op_type,
            list(inputs),
            list(outputs),
            attributes=attributes,
            result_types=list(outputs.values()),
        )
        self.block.add_op(op)
        return op.results[0] if len(op.results) == 1 else list(op.results)

    def give(self, name: str, value: SSAValue) -> None:
        self.given[name] = value


class Sketch:
    """An outlined module under construction."""

    def __init__(self):
        self.store = WeightStore()
        self.main = Block()
        self.inputs: list[str] = []
        self.funcs: list[FuncOp] = []
        self.plan: dict[str, Attribute] = {}

    def input(self, name: str, dtype: str, shape: Sequence[int]) -> SSAValue:
        self.inputs.append(name)
        return self.main.insert_arg(tensor(dtype, shape), len(self.main.args))

    @contextmanager
    def function(self, kind: Kind, *inputs: SSAValue, chip: str = "") -> Iterator[Body]:
        body = Body(Block(arg_types=[v.type for v in inputs]), self.store)
        yield body
        body.block.add_op(ReturnOp(list(body.given.values())))
        name = f"graph_{len(self.funcs)}"
        names = [f"{name}_in_{i}" for i in range(len(inputs))]
        target = TargetAttr.of(kind, chip)
        self.funcs.append(FuncOp(name, target, names, list(body.given), Region(body.block)))
        call = CallOp(name, list(inputs), [v.type for v in body.given.values()])
        self.main.add_op(call)
        body.results = list(call.results)

    def dnnl(self, *inputs: SSAValue):
        return self.function(Kind.dnnl, *inputs)

    def cpu(self, *inputs: SSAValue):
        return self.function(Kind.cpu, *inputs)

    def finish(self, **outputs: SSAValue) -> ModuleOp:
        self.main.add_op(ReturnOp(list(outputs.values())))
        host = TargetAttr.of(Kind.host)
        main = FuncOp(FuncOp.HOST, host, self.inputs, list(outputs), Region(self.main))
        module = ModuleOp([*self.funcs, main])
        module.attributes["onnx.opsets"] = DictionaryAttr({"ai.onnx": IntegerAttr(17, 64)})
        module.attributes["onnx.ir_version"] = IntegerAttr(9, 64)
        if self.plan:
            module.attributes["device.plan"] = DictionaryAttr(self.plan)
        module.verify()
        return module

    def note_version(self, version: str) -> None:
        self.plan["version"] = StringAttr(version)


def quantized(x: Any, p: Parameters, dtype: str = "uint8") -> Any:
    """QuantizeLinear: division in float32, half to even."""
    limits = np.iinfo(dtype)
    whole = np.rint(np.asarray(x, np.float32) / np.float32(p[0])) + p[1]
    return np.clip(whole, limits.min, limits.max).astype(dtype)


def real(q: Any, p: Parameters) -> Any:
    """DequantizeLinear, in float64."""
    return (q.astype(np.float64) - p[1]) * np.float64(np.float32(p[0]))


def convolved(x: Any, w: Any, pad: int) -> Any:
    """A convolution of stride 1 in float64."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


IMAGE: Parameters = (0.0193, 128)
MIDDLE: Parameters = (0.0471, 90)
SUM: Parameters = (0.0613, 110)
W3 = 0.0101
W1 = 0.0203
CHANNELS = 8


class Network:
    """Image -> quantize -> 3x3 convolution, ReLU -> 1x1 convolution + residual -> a segment.

    `shape` may have -1. `segment` computes twice the dequantized sum; without it the plan returns the
    sum as u8, row-major. `shift` makes other weights.
    """

    def __init__(
        self,
        shape: Sequence[int] = (1, 3, 8, 8),
        *,
        segment: bool = True,
        shift: int = 0,
        largest: int = 63,
        version: str = "",
    ):
        random = np.random.default_rng(7 + shift)
        self.shape = list(shape)
        self.w3 = random.integers(-largest, largest + 1, (CHANNELS, 3, 3, 3)).astype(np.int8)
        self.w1 = random.integers(-largest, largest + 1, (CHANNELS, CHANNELS, 1, 1)).astype(np.int8)
        self.segment = segment
        sketch = self.sketch = Sketch()
        if version:
            sketch.note_version(version)
        x = sketch.input("x", "float32", self.shape)
        inner = [self.shape[0], CHANNELS, *self.shape[2:]]
        last = channels_last(4)

        def first(ops: Ops, q: SSAValue, w: SSAValue) -> SSAValue:
            weights = ops.weights(w, [W3] * CHANNELS)
            y = ops.conv(ops.dequantize(q, IMAGE), weights, 1, inner)
            return ops.quantize(ops.same("ReLU", y), MIDDLE, order=last)

        def second(ops: Ops, q: SSAValue, w: SSAValue, other: SSAValue) -> SSAValue:
            weights = ops.weights(w, [W1] * CHANNELS)
            y = ops.conv(ops.dequantize(q, MIDDLE), weights, 0, inner)
            total = ops.same("Add", y, ops.dequantize(other, MIDDLE))
            return ops.quantize(total, SUM, order=last if segment else None)

        with sketch.dnnl(x) as body:
            q = body.partition(
                "quantize", [body.args[0]], lambda ops, a: ops.quantize(a, IMAGE, order=last)
            )
            w3 = body.weight("w3", self.w3)
            w1 = body.weight("w1", self.w1)
            y = body.partition("conv-relu", [q, w3], first, [1])
            z = body.partition("conv-relu", [q, w3], first, [1])
            total = body.partition("conv-sum", [y, w1, z], second, [1])
            if segment:
                total = body.partition("dequantize", [total], lambda ops, a: ops.dequantize(a, SUM))
            body.give("total", total)
        result = body.results[0]
        if segment:
            with sketch.cpu(result) as cpu:
                type = tensor("float32", inner)
                cpu.give("y", cpu.node("Add", [cpu.args[0], cpu.args[0]], {"y": type}))
            result = cpu.results[0]
        self.module = sketch.finish(y=result)
        self.store = sketch.store

    def feeds(self, seed: int = 0, **sizes: int) -> dict[str, Any]:
        names = "nchw"
        shape = [
            sizes.get(n, size if size > 0 else 5) for n, size in zip(names, self.shape, strict=True)
        ]
        return {"x": np.random.default_rng(seed).standard_normal(shape).astype(np.float32)}

    def expected(self, feeds: Mapping[str, Any]) -> Any:
        x = real(quantized(feeds["x"], IMAGE), IMAGE)
        y = quantized(np.maximum(convolved(x, self.w3 * np.float64(np.float32(W3)), 1), 0), MIDDLE)
        r = real(y, MIDDLE)
        total = quantized(convolved(r, self.w1 * np.float64(np.float32(W1)), 0) + r, SUM)
        return 2 * real(total, SUM) if self.segment else total
