"""What PyTorch calls the parts of a model: the modules behind its ops, their kinds, and their scales.

A model that PyTorch exported has the path of the module in the names of its nodes, `layer1.0.conv1` in
`/layer1/layer1.0/conv1/Conv`, and in those of weights, `layer1.0.conv1.weight`. A module that runs again
has a number, `relu_1`. Any other op is its own module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.flows.quantizing.recipe import Range, Recipe
from autosplit.flows.quantizing.recipes.model_names import ModelNames, OpNames
from autosplit.lowering.quant.quantize.quant_insert import activation_type

TYPES: Mapping[str, tuple[str, ...]] = {
    "conv": ("Conv",),
    "convtranspose": ("ConvTranspose",),
    "linear": ("Gemm", "MatMul"),
    "matmul": ("MatMul",),
    "bmm": ("MatMul",),
    "add": ("Add",),
    "relu": ("Relu",),
    "maxpool": ("MaxPool",),
    "avgpool": ("AveragePool",),
    "adaptiveavgpool": ("GlobalAveragePool", "AveragePool", "ReduceMean"),
    "flatten": ("Flatten", "Reshape"),
}
"""What ONNX has for the kinds that Intel's extension records."""

PRODUCTS = ("conv", "convtranspose", "linear", "matmul", "bmm")

STORED: Mapping[str, Range] = {
    "torch.quint8": (0, 255),
    "torch.qint8": (-128, 127),
    "uint8": (0, 255),
    "int8": (-128, 127),
}
"""The integers of a type."""

SMALLEST = 2.0**-23
"""No scale of PyTorch's is smaller."""


def kind(text: str) -> str:
    """`conv` for `conv2d`, `Conv2d` and `<class 'torch.nn.modules.conv.Conv2d'>`; `add` for `add_`."""
    quoted = re.search(r"'([\w.]+)'", text) or re.search(r"(?:method|function) ([\w.]+)", text)
    word = (quoted.group(1) if quoted else text).rpartition(".")[2]
    return re.sub(r"(\d+d)?_?$", "", word).replace("_", "").casefold()


def is_of(op: OpNames, kind: str) -> bool:
    """Whether an op is of a kind: linear has constant weights, and matmul has none."""
    if op.type not in TYPES.get(kind, ()):
        return False
    if kind in ("matmul", "bmm"):
        return not op.weights
    return kind != "linear" or bool(op.weights)


def kind_of_op(op: OpNames) -> str:
    """The first of the kinds that an op is of; empty if it is of none."""
    return next((kind for kind in TYPES if is_of(op, kind)), "")


def module_of(op: OpNames) -> str:
    """The path of the module that an op is of; empty for one of the outermost module itself."""
    if op.weights.endswith(".weight"):
        return op.weights.removesuffix(".weight")
    if not op.node.startswith("/"):
        return op.name
    path: list[str] = []
    for part in op.node.split("/")[1:-1]:
        if path and part.startswith(f"{path[-1]}."):
            path.pop()
        path.append(part)
    return ".".join(path)


class Modules:
    """A model's ops by their modules."""

    def __init__(self, model: ModelNames):
        self.model = model
        self.paths = {op.name: module_of(op) for op in model.ops}
        self._ops: dict[str, list[OpNames]] = {}
        for op in model.ops:
            self._ops.setdefault(self.paths[op.name], []).append(op)

    def ops(self, path: str, kind: str) -> list[OpNames]:
        """The ops of a kind that a module is, one for each time it runs."""
        ops = [op for op in self._ops.get(path, []) if is_of(op, kind)]
        number = 1
        while (again := f"{path}_{number}") in self._ops:
            ops += [op for op in self._ops[again] if is_of(op, kind)]
            number += 1
        return ops

    def is_gone(self, path: str) -> bool:
        """Whether the model had a module of which nothing is left."""
        return any(module_of(OpNames(name, "", node=name)) == path for name in self.model.gone)

    def own_path(self, op: OpNames) -> str:
        """The path of the module that is this op; empty if the op is one of several in its module."""
        path = self.paths[op.name]
        if op.weights:
            return path
        inner = any(other.startswith(f"{path}.") for other in self._ops)
        if not path or inner or len(self._ops[path]) > 1:
            return ""
        base = re.sub(r"_\d+$", "", path)
        return base if op in self.ops(base, kind_of_op(op)) else path

    def result(self, op: OpNames) -> str:
        """The value that the module of an op ends in: a linear one is a product, and a sum with its bias."""
        value = op.outputs[0]
        for other in self._ops[self.paths[op.name]]:
            if op.type == "MatMul" and other.type == "Add" and value in other.inputs:
                return other.outputs[0]
        return value


def range_of(scale: float, zero: float, dtype: str) -> Range:
    """What integers of a type stand for; float32 numbers that give the same scale again, where these can."""
    least, largest = STORED[dtype]
    exact = (least - zero) * scale, (largest - zero) * scale
    for low, high in product(*map(_neighbours, exact)):
        type = activation_type(low, high)
        if type.scales[0] == np.float32(scale) and type.zero_points[0] == zero - least:
            return low, high
    return exact


def _neighbours(end: float) -> list[float]:
    """The float32 numbers around an end of a range, the nearest first; 0 is exact."""
    nearest = np.float32(end)
    around = [nearest, *(np.nextafter(nearest, np.float32(to)) for to in (np.inf, -np.inf))]
    return [float(n) for n in (around if nearest else around[:1])]


def scale_of(low: float, high: float) -> tuple[float, int]:
    """Scale and zero point of quint8 for a range: those that it becomes, but no smaller than PyTorch has."""
    type = activation_type(low, high)
    scale = float(type.scales[0])
    if scale >= SMALLEST:
        return scale, int(type.zero_points[0])
    return SMALLEST, min(round(-min(low, 0.0) / SMALLEST), 255)


def check_channels(op: OpNames, scales: Sequence[object], where: object, what: str) -> None:
    """Raises AutosplitError if an op has weights of other channels: it is not the one that is meant."""
    if len(scales) > 1 and op.channels and len(scales) != op.channels:
        raise AutosplitError(
            f"{where}: {what} has weights of {counted(len(scales), 'channel')}, but {op.name!r} of the "
            f"model has {op.channels}"
        )


def weight_scales(op: OpNames) -> list[float]:
    """Those of the weights, for each channel, as PyTorch's observers have them."""
    return [max(limit / 127.5, SMALLEST) for limit in op.limits]


def operands_of(recipe: Recipe, op: OpNames) -> tuple[int, ...]:
    """The operands that are 8 bits: those of a product of which the recipe says nothing are."""
    if op.name in recipe.ops:
        return recipe.ops[op.name].operands
    return (0, 1) if kind_of_op(op) in PRODUCTS else ()


def computed(op: OpNames) -> Iterable[str]:
    """The values that an op computes with."""
    return [name for name in op.inputs if name]
