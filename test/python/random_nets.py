"""Random float32 networks as people train them: products, batch norms, moves, activations, sums, gates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from autosplit.testing.raw_qdq import Floats, RawQdq

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    name: str
    shape: Shape


class Net:
    """A network of `size` layers; the same seed makes the same one.

    Values are sequences, [1, length, width], or pictures, [1, channels, height, width].
    """

    def __init__(self, seed: int, size: int = 6):
        self.random = np.random.default_rng(seed)
        self.m = RawQdq(17, seed)
        self.is_picture = self.chance(0.6)
        shape = (1, self.pick(3, 8, 16), 12, 12) if self.is_picture else (1, 12, self.pick(8, 16))
        self.shape = shape
        self.values = [Value(self.m.input("x", shape), shape)]
        for _ in range(size):
            self.layer()
        self.m.output(self.values[-1].name)

    def pick(self, *choices: Any) -> Any:
        return choices[self.random.integers(len(choices))]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def numbers(self, *shape: int, scale: float = 1.0) -> Floats:
        return (self.random.standard_normal(shape) * scale).astype(np.float32)

    def model(self) -> onnx.ModelProto:
        return self.m.model()

    def feeds(self, seed: int) -> dict[str, Floats]:
        """A smooth input."""
        random = np.random.default_rng(seed)
        x = random.standard_normal(self.shape)
        for axis in range(2, len(self.shape)):
            x = x + np.roll(x, 1, axis)
        return {"x": x.astype(np.float32)}

    def layer(self) -> None:
        x = self.values[-1] if self.chance(0.8) else self.pick(*self.values)
        steps = [self.product, self.product, self.product, self.pool, self.gate, self.several]
        y = self.pick(*steps)(x)
        for _ in range(self.pick(0, 0, 1, 1, 2)):
            y = self.move(y)
        if self.chance(0.2):
            y = self.sum(y)
        y = self.activation(y)
        if self.chance(0.3):
            y = self.sum(y)
        if self.chance(0.2):
            y = self.move(y)
        self.values.append(y)

    def node(self, kind: str, *names: str, shape: Shape, **attributes: Any) -> Value:
        return Value(self.m.node(kind, *names, **attributes), shape)

    def constant(self, array: Any) -> str:
        numbers = np.asarray(array)
        return self.m.constant(numbers, "i64" if numbers.dtype.kind == "i" else "f32")

    # Products

    def product(self, x: Value) -> Value:
        if len(x.shape) == 4:
            return self.convolution(x)
        if len(x.shape) == 3 and self.chance(0.3) and x.shape[2] > 2:
            return self.convolution(x)
        return self.linear(x)

    def linear(self, x: Value) -> Value:
        width, made = x.shape[-1], self.pick(8, 12, 16)
        weights = self.constant(self.numbers(width, made, scale=width**-0.5))
        bias = self.constant(self.numbers(made, scale=0.2))
        shape = (*x.shape[:-1], made)
        if len(x.shape) == 2:
            return self.node("Gemm", x.name, weights, bias, shape=shape)
        y = self.node("MatMul", x.name, weights, shape=shape)
        return self.node("Add", *self.turned(y.name, bias), shape=shape) if self.chance(0.8) else y

    def turned(self, *names: str) -> tuple[str, ...]:
        return names if self.chance(0.5) else names[::-1]

    def convolution(self, x: Value) -> Value:
        n, channels = len(x.shape) - 2, x.shape[1]
        kernel = self.pick(1, 3, 3) if min(x.shape[2:]) >= 3 else 1
        made, groups, step = self.pick(4, 8, 12, 16), 1, self.pick(1, 1, 1, 2)
        form = self.pick("plain", "plain", "depthwise", "transposed")
        pad = self.pick(0, kernel // 2)
        sizes = [(size + 2 * pad - kernel) // step + 1 for size in x.shape[2:]]
        weights: Shape = (made, channels)
        kind = "Conv"
        if form == "depthwise":
            groups, made, weights = channels, channels, (channels, 1)
        elif form == "transposed" and max(x.shape[2:]) < 20:
            kind, weights = "ConvTranspose", (channels, made)
            sizes = [(size - 1) * step + kernel - 2 * pad for size in x.shape[2:]]
        fan = kernel**n * channels // groups
        w = self.constant(self.numbers(*weights, *[kernel] * n, scale=fan**-0.5))
        names = [x.name, w]
        if self.chance(0.6):
            names.append(self.constant(self.numbers(made, scale=0.2)))
        shape = (1, made, *sizes)
        options = {"strides": [step] * n, "pads": [pad] * 2 * n, "group": groups}
        y = self.node(kind, *names, shape=shape, kernel_shape=[kernel] * n, **options)
        return self.norm(y) if self.chance(0.4) else y

    def norm(self, x: Value) -> Value:
        width = x.shape[1]
        drawn = [self.random.uniform(0.5, 1.5, width), self.numbers(width, scale=0.3)]
        drawn += [self.numbers(width, scale=0.3), self.random.uniform(0.5, 1.5, width)]
        constants = [self.constant(array.astype(np.float32)) for array in drawn]
        return self.node("BatchNormalization", x.name, *constants, shape=x.shape)

    # What moves numbers

    def move(self, x: Value) -> Value:
        steps: list[Callable[[Value], Value | None]] = [
            *(
                self.reshaped,
                self.transposed,
                self.slice,
                self.shuffled,
                self.padded,
                self.turned_in,
            )
        ]
        if len(x.shape) == 4:
            steps += [self.packed, self.resized]
        return self.pick(*steps)(x) or x

    def reshaped(self, x: Value) -> Value:
        if len(x.shape) == 4:
            channels = x.shape[1]
            shape = self.pick((1, channels, x.shape[2] * x.shape[3]), (1, *x.shape[2:], channels))
        elif len(x.shape) == 3:
            shape = self.pick((x.shape[1], x.shape[2]), (1, x.shape[1], 1, x.shape[2]))
        else:
            shape = (1, *x.shape)
        return self.node("Reshape", x.name, self.constant(np.array(shape)), shape=shape)

    def transposed(self, x: Value) -> Value:
        order = [0, 2, 1] if len(x.shape) == 3 else list(self.random.permutation(len(x.shape)))
        if len(x.shape) == 4:
            order = self.pick([0, 2, 3, 1], [0, 3, 1, 2], [0, 1, 3, 2])
        shape = tuple(x.shape[axis] for axis in order)
        return self.node("Transpose", x.name, shape=shape, perm=[int(axis) for axis in order])

    def slice(self, x: Value) -> Value | None:
        axis = len(x.shape) - 1 if self.chance(0.5) else 1
        size = x.shape[axis]
        if size < 6:
            return None
        step = self.pick(1, 1, 2)
        begin, end = self.pick((0, size - 2), (1, size), (2, size - 1))
        shape = list(x.shape)
        shape[axis] = len(range(begin, end, step))
        bounds = [self.constant(np.array([number])) for number in (begin, end, axis, step)]
        return self.node("Slice", x.name, *bounds, shape=tuple(shape))

    def shuffled(self, x: Value) -> Value | None:
        """Both halves, the other way round, one of them perhaps with an activation."""
        axis = 1 if len(x.shape) > 2 else len(x.shape) - 1
        if x.shape[axis] % 2:
            return None
        shape = list(x.shape)
        shape[axis] //= 2
        halves = [
            Value(name, tuple(shape))
            for name in self.m.nodes_of("Split", x.name, outputs=2, axis=axis)
        ]
        if self.chance(0.5):
            halves[0] = self.activation(halves[0])
        names = [half.name for half in reversed(halves)]
        return self.node("Concat", *names, shape=x.shape, axis=axis)

    def padded(self, x: Value) -> Value | None:
        if max(x.shape[-2:]) > 16:
            return None
        n = len(x.shape)
        pads = [0] * 2 * n
        pads[n - 1] = pads[2 * n - 1] = 1
        shape = (*x.shape[:-1], x.shape[-1] + 2)
        return self.node("Pad", x.name, self.constant(np.array(pads)), shape=shape)

    def turned_in(self, x: Value) -> Value | None:
        """A dimension of 1, put in or taken out."""
        if len(x.shape) == 3:
            shape = (*x.shape[:2], 1, x.shape[2])
            return self.node("Unsqueeze", x.name, self.constant(np.array([2])), shape=shape)
        if len(x.shape) == 4 and x.shape[2] == 1:
            shape = (*x.shape[:2], x.shape[3])
            return self.node("Squeeze", x.name, self.constant(np.array([2])), shape=shape)
        return None

    def packed(self, x: Value) -> Value | None:
        _, channels, height, width = x.shape
        if height % 2 or width % 2 or channels > 16:
            return None
        shape = (1, channels * 4, height // 2, width // 2)
        return self.node("SpaceToDepth", x.name, shape=shape, blocksize=2)

    def resized(self, x: Value) -> Value | None:
        if max(x.shape[2:]) > 12:
            return None
        shape = (*x.shape[:2], 2 * x.shape[2], 2 * x.shape[3])
        factors = self.constant(np.array([1, 1, 2, 2], np.float32))
        mode = {"mode": "nearest", "nearest_mode": "floor"}
        if self.chance(0.3):
            mode = {"mode": "linear"}
        options = {**mode, "coordinate_transformation_mode": "asymmetric"}
        return self.node("Resize", x.name, "", factors, shape=shape, **options)

    # Other layers

    def pool(self, x: Value) -> Value:
        if len(x.shape) != 4 or min(x.shape[2:]) < 4:
            return self.product(x)
        kind, pad = self.pick("MaxPool", "AveragePool"), self.pick(0, 1)
        sizes = [(size + 2 * pad - 3) // 2 + 1 for size in x.shape[2:]]
        options = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [pad] * 4}
        return self.node(kind, x.name, shape=(*x.shape[:2], *sizes), **options)

    def gate(self, x: Value) -> Value:
        """Channels, or widths, times what is computed from their means."""
        if len(x.shape) != 4:
            y = self.linear(x)
            z = self.linear(x)
            if y.shape != z.shape:
                return y
            gate = self.node(self.pick("Sigmoid", "Tanh"), z.name, shape=z.shape)
            return self.node("Mul", *self.turned(y.name, gate.name), shape=y.shape)
        y = self.node("GlobalAveragePool", x.name, shape=(*x.shape[:2], 1, 1))
        for made, kind in ((4, "Relu"), (x.shape[1], self.pick("Sigmoid", "HardSigmoid"))):
            w = self.constant(self.numbers(made, y.shape[1], 1, 1, scale=y.shape[1] ** -0.5))
            shape = (1, made, 1, 1)
            y = self.node("Conv", y.name, w, shape=shape)
            y = self.node(kind, y.name, shape=shape)
        return self.node("Mul", *self.turned(x.name, y.name), shape=x.shape)

    def several(self, x: Value) -> Value:
        """Two products of one value, joined."""
        y, z = self.activation(self.product(x)), self.product(x)
        axis = 1 if len(y.shape) == 4 else len(y.shape) - 1
        sizes = [tuple(d for i, d in enumerate(v.shape) if i != axis) for v in (y, z)]
        if sizes[0] != sizes[1]:
            return y
        shape = list(y.shape)
        shape[axis] += z.shape[axis]
        return self.node("Concat", y.name, z.name, shape=tuple(shape), axis=axis)

    def sum(self, x: Value) -> Value:
        others = [v for v in self.values if v.shape == x.shape and v.name != x.name]
        if not others:
            return x
        return self.node("Add", *self.turned(x.name, self.pick(*others).name), shape=x.shape)

    def activation(self, x: Value) -> Value:
        plain = ("Relu", "Relu", "Relu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Elu")
        kind = self.pick("", "Clip", "Silu", "Gelu", "LeakyRelu", "PRelu", *plain)
        if kind == "":
            return x
        if kind == "Clip":
            bounds = [
                self.constant(np.float32(bound)) for bound in self.pick((0, 6), (-1, 1), (0, 1))
            ]
            return self.node("Clip", x.name, *bounds, shape=x.shape)
        if kind == "Silu":
            gate = self.node("Sigmoid", x.name, shape=x.shape)
            return self.node("Mul", x.name, gate.name, shape=x.shape)
        if kind == "Gelu":
            y = self.node("Div", x.name, self.constant(np.float32(2**0.5)), shape=x.shape)
            y = self.node("Erf", y.name, shape=x.shape)
            y = self.node("Add", y.name, self.constant(np.float32(1)), shape=x.shape)
            y = self.node("Mul", x.name, y.name, shape=x.shape)
            return self.node("Mul", y.name, self.constant(np.float32(0.5)), shape=x.shape)
        if kind == "PRelu":
            slopes = self.random.uniform(0, 0.4, (x.shape[1], *[1] * (len(x.shape) - 2)))
            slope = self.constant(slopes.astype(np.float32))
            return self.node("PRelu", x.name, slope, shape=x.shape)
        return self.node(kind, x.name, shape=x.shape)
