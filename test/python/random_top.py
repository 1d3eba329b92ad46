"""Random small ONNX models of ops that chips run, smooth enough that numbers can be compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]

OPSET = 21


@dataclass(frozen=True)
class Value:
    """A float32 value of the graph."""

    name: str
    shape: tuple[int, ...]


class RandomModel:
    """Grows op by op. Values stay near 1: no op makes large ones out of small ones."""

    def __init__(self, seed: int, size: int = 6, kinds: tuple[str, ...] = ()):
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, Array] = {}
        self.read: set[str] = set()
        shape = self.choice([(1, 4, 8, 8), (2, 3, 5, 7), (1, 6, 10), (3, 8), (2, 4, 6)])
        self.inputs = [Value("x", shape), Value("y", shape)]
        self.pool = list(self.inputs)
        self.kinds: list[str] = []
        makers = self.makers()
        known = {k: m for k, m in makers.items() if not kinds or k in kinds}
        while len(self.kinds) < size:
            kind = self.choice(list(known))
            if known[kind]():
                self.kinds.append(kind)

    def choice(self, of: list[Any]) -> Any:
        return of[int(self.random.integers(len(of)))]

    def some(self, least: int, most: int) -> int:
        return int(self.random.integers(least, most + 1))

    def pick(self, *ranks: int) -> Value | None:
        fit = [v for v in self.pool if not ranks or len(v.shape) in ranks]
        if not fit:
            return None
        return fit[-1 - int(min(self.random.exponential(1.5), len(fit) - 1))]

    def constant(self, array: Array, dtype: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array, dtype)
        return name

    def weights(self, *shape: int) -> str:
        fan = max(prod(shape[1:]), 1)
        return self.constant(self.random.standard_normal(shape) / np.sqrt(fan))

    def near_one(self, *shape: int) -> str:
        return self.constant(self.random.uniform(0.5, 1.5, shape))

    def node(
        self, kind: str, operands: list[str], *shapes: tuple[int, ...], **attributes: Any
    ) -> bool:
        if any(prod(s) > 4096 or prod(s) == 0 or len(s) > 5 for s in shapes):
            return False
        outs = [Value(f"{kind.lower()}{len(self.nodes)}_{i}", s) for i, s in enumerate(shapes)]
        self.nodes.append(helper.make_node(kind, operands, [v.name for v in outs], **attributes))
        self.read |= set(operands)
        self.pool += outs
        return True

    def model(self) -> onnx.ModelProto:
        """The model; inputs are those that a node reads, outputs the values that none does."""
        made = [v for v in self.pool if v not in self.inputs]
        ends = [v for v in made if v.name not in self.read]
        graph = helper.make_graph(
            self.nodes,
            "g",
            [self._info(v) for v in self.inputs if v.name in self.read],
            [self._info(v) for v in ends],
            [numpy_helper.from_array(a, n) for n, a in self.constants.items()],
        )
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10
        )
        onnx.checker.check_model(model, full_check=True)
        return model

    def feeds(self) -> dict[str, Array]:
        """Arrays for the inputs that the model has."""
        given = [v for v in self.inputs if v.name in self.read]
        return {v.name: self.random.uniform(-2, 2, v.shape).astype(np.float32) for v in given}

    def _info(self, value: Value) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(value.name, TensorProto.FLOAT, value.shape)

    # The ops.

    def makers(self) -> dict[str, Callable[[], bool]]:
        found = {kind: self._unary(kind, attrs) for kind, attrs in UNARY.items()}
        found |= {kind: self._binary(kind) for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max")}
        found |= {
            name.removeprefix("make_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("make_")
        }
        return found

    def _unary(self, kind: str, ranges: dict[str, tuple[float, float]]) -> Callable[[], bool]:
        def make() -> bool:
            value = self.pick()
            assert value is not None
            attributes = {n: float(self.random.uniform(*r)) for n, r in ranges.items()}
            return self.node(kind, [value.name], value.shape, **attributes)

        return make

    def _binary(self, kind: str) -> Callable[[], bool]:
        def make() -> bool:
            a = self.pick()
            assert a is not None
            same = [v for v in self.pool if v.shape == a.shape]
            if kind == "Div" or self.random.random() < 0.4:
                shape = self.broadcast(a.shape)
                other = self.near_one(*shape)
                swap = kind != "Div" and self.random.random() < 0.5
                return self.node(kind, [other, a.name] if swap else [a.name, other], a.shape)
            return self.node(kind, [a.name, self.choice(same).name], a.shape)

        return make

    def broadcast(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        kept = tuple(d if self.random.random() < 0.5 else 1 for d in shape)
        return kept[self.some(0, len(kept)) :] if self.random.random() < 0.5 else kept

    def make_Conv(self) -> bool:
        x = self.pick(3, 4)
        if x is None:
            return False
        c, spatial = x.shape[1], x.shape[2:]
        group = self.choice([1, 1, c])
        outs = self.some(1, 3) * group
        kernel = [self.some(1, min(3, s)) for s in spatial]
        strides = [self.some(1, 2) for _ in spatial]
        dilations = [self.choice([1, 1, 2]) for _ in spatial]
        begin, end = ([self.some(0, 1) for _ in spatial] for _ in range(2))
        out = [
            (s + b + e - d * (k - 1) - 1) // t + 1
            for s, k, t, d, b, e in zip(
                spatial, kernel, strides, dilations, begin, end, strict=True
            )
        ]
        if min(out) < 1:
            return False
        operands = [x.name, self.weights(outs, c // group, *kernel)]
        operands += [self.weights(outs)] if self.random.random() < 0.7 else []
        return self.node(
            "Conv",
            operands,
            (x.shape[0], outs, *out),
            group=group,
            kernel_shape=kernel,
            strides=strides,
            dilations=dilations,
            pads=begin + end,
        )

    def make_ConvTranspose(self) -> bool:
        x = self.pick(4)
        if x is None:
            return False
        c, spatial = x.shape[1], x.shape[2:]
        outs, kernel = self.some(1, 4), [self.some(1, 3) for _ in spatial]
        strides = [self.some(1, 2) for _ in spatial]
        out = [(s - 1) * t + k for s, t, k in zip(spatial, strides, kernel, strict=True)]
        operands = [x.name, self.weights(c, outs, *kernel), self.weights(outs)]
        return self.node(
            "ConvTranspose",
            operands,
            (x.shape[0], outs, *out),
            kernel_shape=kernel,
            strides=strides,
        )

    def _pool(self, kind: str, **more: int) -> bool:
        x = self.pick(3, 4)
        if x is None:
            return False
        spatial = x.shape[2:]
        kernel = [self.some(1, min(3, s)) for s in spatial]
        strides = [self.some(1, 2) for _ in spatial]
        begin, end = ([self.some(0, k // 2) for k in kernel] for _ in range(2))
        ceil = self.some(0, 1)
        out = [
            (s + b + e - k + (t - 1) * ceil) // t + 1
            for s, k, t, b, e in zip(spatial, kernel, strides, begin, end, strict=True)
        ]
        # Shape inference and ONNX Runtime differ about windows that begin behind the data.
        if any(
            (n - 1) * t >= d + b for n, t, d, b in zip(out, strides, spatial, begin, strict=True)
        ):
            return False
        return self.node(
            kind,
            [x.name],
            (*x.shape[:2], *out),
            kernel_shape=kernel,
            strides=strides,
            pads=begin + end,
            ceil_mode=ceil,
            **more,
        )

    def make_MaxPool(self) -> bool:
        return self._pool("MaxPool")

    def make_AveragePool(self) -> bool:
        return self._pool("AveragePool", count_include_pad=self.some(0, 1))

    def make_GlobalAveragePool(self) -> bool:
        x = self.pick(3, 4)
        if x is None:
            return False
        ones = (1,) * (len(x.shape) - 2)
        return self.node("GlobalAveragePool", [x.name], (*x.shape[:2], *ones))

    def make_MatMul(self) -> bool:
        x = self.pick()
        assert x is not None
        if len(x.shape) < 2:
            return False
        n = self.some(1, 9)
        batch = x.shape[:-2] if self.random.random() < 0.3 else ()
        return self.node(
            "MatMul", [x.name, self.weights(*batch, x.shape[-1], n)], (*x.shape[:-1], n)
        )

    def make_Gemm(self) -> bool:
        x = self.pick(2)
        if x is None:
            return False
        n, flip = self.some(1, 9), self.some(0, 1)
        shape = (n, x.shape[1]) if flip else (x.shape[1], n)
        bias = [self.weights(*self.choice([(n,), (1, n), (1,)]))] * self.some(0, 1)
        return self.node(
            "Gemm",
            [x.name, self.weights(*shape), *bias],
            (x.shape[0], n),
            transB=flip,
            alpha=self.choice([1.0, 0.5]),
            beta=self.choice([1.0, 2.0]),
        )

    def make_BatchNormalization(self) -> bool:
        x = self.pick(2, 3, 4)
        if x is None:
            return False
        c = x.shape[1]
        operands = [self.near_one(c), self.weights(c), self.weights(c), self.near_one(c)]
        return self.node("BatchNormalization", [x.name, *operands], x.shape)

    def make_LayerNormalization(self) -> bool:
        x = self.pick()
        assert x is not None
        axis = self.some(max(len(x.shape) - 2, 0), len(x.shape) - 1)
        tail = x.shape[axis:]
        if prod(tail) < 4:
            return False
        operands = [self.near_one(*tail)] + [self.weights(*tail)] * self.some(0, 1)
        return self.node(
            "LayerNormalization", [x.name, *operands], x.shape, axis=axis, epsilon=1e-2
        )

    def make_GroupNormalization(self) -> bool:
        x = self.pick(4)
        if x is None or x.shape[1] % 2 or prod(x.shape[2:]) < 4:
            return False
        c = x.shape[1]
        return self.node(
            "GroupNormalization",
            [x.name, self.near_one(c), self.weights(c)],
            x.shape,
            num_groups=2,
            epsilon=1e-2,
        )

    def make_InstanceNormalization(self) -> bool:
        x = self.pick(3, 4)
        if x is None or prod(x.shape[2:]) < 4:
            return False
        c = x.shape[1]
        operands = [x.name, self.near_one(c), self.weights(c)]
        return self.node("InstanceNormalization", operands, x.shape, epsilon=1e-2)

    def make_Softmax(self) -> bool:
        x = self.pick()
        assert x is not None
        axis = self.some(-len(x.shape), len(x.shape) - 1)
        return self.node(self.choice(["Softmax", "LogSoftmax"]), [x.name], x.shape, axis=axis)

    def make_PRelu(self) -> bool:
        x = self.pick(3, 4)
        if x is None:
            return False
        ones = (1,) * (len(x.shape) - 2)
        return self.node("PRelu", [x.name, self.near_one(x.shape[1], *ones)], x.shape)

    def make_Clip(self) -> bool:
        x = self.pick()
        assert x is not None
        low = self.constant(np.array(-0.5)) if self.some(0, 3) else ""
        high = [self.constant(np.array(0.7))] if self.some(0, 3) or not low else []
        return self.node("Clip", [x.name, low, *high], x.shape)

    def make_Concat(self) -> bool:
        x = self.pick()
        assert x is not None
        axis = self.some(0, len(x.shape) - 1)
        others = [
            v
            for v in self.pool
            if len(v.shape) == len(x.shape)
            and all(
                a == b for i, (a, b) in enumerate(zip(v.shape, x.shape, strict=True)) if i != axis
            )
        ]
        parts = [x, *(self.choice(others) for _ in range(self.some(1, 2)))]
        shape = list(x.shape)
        shape[axis] = sum(v.shape[axis] for v in parts)
        return self.node("Concat", [v.name for v in parts], tuple(shape), axis=axis)

    def make_Split(self) -> bool:
        x = self.pick()
        assert x is not None
        axis = self.some(0, len(x.shape) - 1)
        size = x.shape[axis]
        if size < 2:
            return False
        first = self.some(1, size - 1)
        shapes = [(*x.shape[:axis], n, *x.shape[axis + 1 :]) for n in (first, size - first)]
        sizes = self.constant(np.array([first, size - first]), np.int64)
        return self.node("Split", [x.name, sizes], *shapes, axis=axis)

    def make_Slice(self) -> bool:
        x = self.pick()
        assert x is not None
        axis = self.some(0, len(x.shape) - 1)
        start = self.some(0, x.shape[axis] - 1)
        end, step = self.some(start + 1, x.shape[axis]), self.choice([1, 1, 2])
        shape = list(x.shape)
        shape[axis] = len(range(start, end, step))
        limits = [self.constant(np.array([v]), np.int64) for v in (start, end, axis, step)]
        return self.node("Slice", [x.name, *limits], tuple(shape))

    def make_Pad(self) -> bool:
        x = self.pick()
        assert x is not None
        pads = [self.some(0, 2) for _ in range(2 * len(x.shape))]
        mode = self.choice(["constant", "constant", "edge"])
        shape = tuple(
            s + b + e
            for s, b, e in zip(x.shape, pads[: len(x.shape)], pads[len(x.shape) :], strict=True)
        )
        amounts = self.constant(np.array(pads), np.int64)
        value = [self.constant(np.array(0.25))] * (mode == "constant" and self.some(0, 1))
        return self.node("Pad", [x.name, amounts, *value], shape, mode=mode)

    def make_Transpose(self) -> bool:
        x = self.pick()
        assert x is not None
        perm = [int(i) for i in self.random.permutation(len(x.shape))]
        return self.node("Transpose", [x.name], tuple(x.shape[i] for i in perm), perm=perm)

    def make_Reshape(self) -> bool:
        x = self.pick()
        assert x is not None
        left, shape = prod(x.shape), list[int]()
        while left > 1 and len(shape) < 3:
            factor = self.choice([f for f in range(1, left + 1) if left % f == 0])
            shape.append(factor)
            left //= factor
        shape.append(left)
        given = list(shape)
        given[self.some(0, len(given) - 1)] = -1
        return self.node(
            "Reshape", [x.name, self.constant(np.array(given), np.int64)], tuple(shape)
        )

    def make_Unsqueeze(self) -> bool:
        x = self.pick(1, 2, 3)
        if x is None:
            return False
        axis = self.some(0, len(x.shape))
        shape = (*x.shape[:axis], 1, *x.shape[axis:])
        return self.node("Unsqueeze", [x.name, self.constant(np.array([axis]), np.int64)], shape)

    def make_Tile(self) -> bool:
        x = self.pick()
        assert x is not None
        times = [self.choice([1, 1, 2, 3]) for _ in x.shape]
        shape = tuple(d * t for d, t in zip(x.shape, times, strict=True))
        return self.node("Tile", [x.name, self.constant(np.array(times), np.int64)], shape)

    def make_Expand(self) -> bool:
        x = self.pick()
        assert x is not None
        shape = tuple(self.some(1, 3) if d == 1 else d for d in x.shape)
        return self.node("Expand", [x.name, self.constant(np.array(shape), np.int64)], shape)

    def make_Reduce(self) -> bool:
        x = self.pick()
        assert x is not None
        axes = sorted({self.some(0, len(x.shape) - 1) for _ in range(self.some(1, 2))})
        kept = self.some(0, 1)
        shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape) if kept or i not in axes)
        if not shape:
            return False
        kind = self.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2"])
        return self.node(
            kind, [x.name, self.constant(np.array(axes), np.int64)], shape, keepdims=kept
        )

    def make_Gather(self) -> bool:
        x = self.pick()
        assert x is not None
        axis = self.some(0, len(x.shape) - 1)
        count = self.some(1, 4)
        indices = self.random.integers(0, x.shape[axis], count)
        shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
        return self.node("Gather", [x.name, self.constant(indices, np.int64)], shape, axis=axis)

    def make_DepthToSpace(self) -> bool:
        x = self.pick(4)
        if x is None or x.shape[1] % 4:
            return False
        n, c, h, w = x.shape
        mode = self.choice(["DCR", "CRD"])
        return self.node(
            "DepthToSpace", [x.name], (n, c // 4, 2 * h, 2 * w), blocksize=2, mode=mode
        )

    def make_SpaceToDepth(self) -> bool:
        x = self.pick(4)
        if x is None or x.shape[2] % 2 or x.shape[3] % 2:
            return False
        n, c, h, w = x.shape
        return self.node("SpaceToDepth", [x.name], (n, 4 * c, h // 2, w // 2), blocksize=2)

    def make_Resize(self) -> bool:
        x = self.pick(4)
        if x is None:
            return False
        scales = [1.0, 1.0, float(self.some(1, 2)), float(self.some(1, 3))]
        shape = tuple(int(d * s) for d, s in zip(x.shape, scales, strict=True))
        if self.some(0, 1):
            how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"}
            how["nearest_mode"] = "floor"
        else:
            modes = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
            how = {"mode": "linear", "coordinate_transformation_mode": self.choice(modes)}
        return self.node("Resize", [x.name, "", self.constant(np.array(scales))], shape, **how)


UNARY: dict[str, dict[str, tuple[float, float]]] = {
    "Relu": {},
    "Sigmoid": {},
    "Tanh": {},
    "Abs": {},
    "Neg": {},
    "Erf": {},
    "Sin": {},
    "Cos": {},
    "Softsign": {},
    "Softplus": {},
    "HardSwish": {},
    "Mish": {},
    "Gelu": {},
    "Identity": {},
    "LeakyRelu": {"alpha": (0.01, 0.5)},
    "Elu": {"alpha": (0.5, 1.5)},
    "HardSigmoid": {"alpha": (0.1, 0.4), "beta": (0.3, 0.6)},
}
"""Ops of one operand, with the ranges of their attributes."""
