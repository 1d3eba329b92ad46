"""Compiles and runs random graphs of the dialect, each in a process of its own: none may crash.

    python dnnl_random.py SEED COUNT

prints the counts of graphs that ran and that were refused, and exits with 1 where a process died.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness, TensorType, UnrankedTensorType, f32, i1
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import OP_TABLE, DnnlOp, OpSpec, dtype_name, make_op
from autosplit.dialects.dnnl.shapes import result_shapes
from autosplit.runtime.dnnl.build import build
from autosplit.runtime.dnnl.library import Library, library

Shape = tuple[int, ...]

ODD = 0.02
"""How often an attribute or a result's size is drawn without sense."""

SHAPES: list[Shape] = [
    *[
        (1, 8, 6, 6),
        (2, 8, 6, 6),
        (1, 6, 6, 8),
        (8, 8, 3, 3),
        (8, 1, 3, 3),
        (3, 3, 8, 8),
        (8,),
        (1,),
    ],
    *[(4, 8), (8, 8), (1, 8, 1, 1), (2, 3, 4), (2, 4, 8), (1, 8, 6), (8, 8, 3), (1, 8, 4, 4, 4)],
    *[(), (3,), (0, 8)],
]
TYPES: dict[str, Attribute] = {
    "f32": f32,
    "s8": IntegerType(8),
    "u8": IntegerType(8, Signedness.UNSIGNED),
    "s32": IntegerType(32),
    "boolean": i1,
}


def nonsense(random: Random, type: str) -> Any:
    if type == "s64":
        return random.choice([-5, -1, 0, 1, 2, 3, 4, 7, 100, 2**31, 2**62])
    if type == "f32":
        return random.choice([0.0, 1.0, -1.0, 1e-5, float("nan"), float("inf"), 1e30])
    if type == "bool":
        return random.random() < 0.5
    if type == "string":
        return random.choice(["NXC", "NCX", "OIX", "XIO", "per_tensor", "", "bogus"])
    element = "s64" if type == "s64[]" else "f32"
    return [nonsense(random, element) for _ in range(random.choice([0, 1, 2, 3, 5, 13]))]


def sensible(random: Random, name: str, rank: int) -> Any:
    """A value that an attribute may well have; None for attributes that are drawn without sense."""
    spatial = max(rank - 2, 1)

    def each(*values: int) -> list[int]:
        return [random.choice(values) for _ in range(spatial)]

    flags = ("keep_dims", "exclude_pad", "transpose_a", "transpose_b", "use_affine")
    if name in flags:
        return random.random() < 0.4
    return {
        "strides": each(1, 1, 2),
        "pads_begin": each(0, 0, 1),
        "pads_end": each(0, 0, 1),
        "dilations": [random.choice([1, 1, 2])] * spatial,
        "kernel": [random.choice([1, 2, 3])] * spatial,
        "groups": random.choice([1, 1, 1, 2, 8]),
        "data_format": random.choice(["NCX", "NXC"]),
        "weights_format": random.choice(["OIX", "XIO"]),
        "qtype": "per_tensor",
        "scales": [0.1],
        "zps": [0],
        "axis": random.randint(-rank, rank),
        "axes": [random.randint(0, rank)],
        "keep_stats": False,
        "alpha": 0.1,
        "beta": 0.5,
        "min": 0.0,
        "max": 6.0,
        "epsilon": 1e-5,
        "shape": random.choice([[0, -1], [-1], [1, -1, 1]]),
        "order": random.sample(range(rank), rank),
        "special_zero": True,
        "sizes": [4] * spatial,
        "mode": random.choice(["nearest", "linear", "bilinear", "gelu_erf"]),
        "auto_broadcast": "numpy",
        "rounding_type": random.choice(["ceil", "floor"]),
        "begin_norm_axis": random.choice([-1, 1]),
    }.get(name)


class Draw:
    """A random graph: `ops`, and the `sizes` that its values have when it runs."""

    def __init__(self, seed: int, lib: Library):
        self.random = Random(seed)
        self.version = lib.version[:2]
        kinds = [
            s for s in OP_TABLE.values() if s.since <= self.version and "Backward" not in s.kind
        ]
        often = ["Dequantize", "Quantize", "Convolution", "MatMul", "ReLU", "Add", "Multiply"] * 4
        self.kinds = [s for s in kinds if s.kind not in ("Wildcard", "End")]
        self.kinds += [OP_TABLE[kind] for kind in often]
        self.ops: list[DnnlOp] = []
        self.values: list[SSAValue] = []
        self.sizes: dict[SSAValue, Shape] = {}
        self.sources: list[TestOp] = []
        wanted = self.random.randint(1, 5)
        for _ in range(80):
            if len(self.ops) < wanted:
                self._add(self.random.choice(self.kinds))
        users = [TestOp(operands=[v]) for v in self.values if not v.uses]
        self.block = Block([*self.sources, *self.ops, *users])

    def _add(self, spec: OpSpec) -> None:
        random = self.random
        count = random.randint(1, 3) if spec.variadic else random.choice(spec.counts)
        inputs, new = self._inputs(spec, count)
        first = self.sizes[inputs[0]] if inputs else (1, 1, 1, 1)
        attrs = self._attributes(spec, first)
        elements = [
            TYPES[self._dtype(spec.outputs[min(i, len(spec.outputs) - 1)].dtypes)]
            for i in range(random.choice(spec.result_counts))
        ]
        try:
            sized = [TensorType(_element(v), self.sizes[v]) for v in inputs]
            unranked = [UnrankedTensorType(e) for e in elements]
            probe = make_op(spec.kind, list(Block(arg_types=sized).args), unranked, **attrs)
            probe.verify_()
            known = result_shapes(probe) or [None] * len(elements)
            shapes = [
                random.choice(SHAPES) if shape is None or random.random() < ODD / 2 else shape
                for shape in known[: len(elements)]
            ]
            types = [self._type(e, s) for e, s in zip(elements, shapes, strict=True)]
            op = make_op(spec.kind, inputs, types, **attrs)
        except (ValueError, VerifyException):
            return
        self.sources += new
        self.ops.append(op)
        self.values += op.results
        self.sizes |= dict(zip(op.results, shapes, strict=True))

    def _dtype(self, dtypes: Sequence[str]) -> str:
        return self.random.choice([d for d in dtypes if d in TYPES] or ["f32"])

    def _type(self, element: Attribute, shape: Shape) -> Attribute:
        """A type that tells all sizes, or only some of them."""
        if self.random.random() < 0.05:
            return UnrankedTensorType(element)
        return TensorType(element, [-1 if self.random.random() < 0.2 else n for n in shape])

    def _inputs(self, spec: OpSpec, count: int) -> tuple[list[SSAValue], list[TestOp]]:
        random = self.random
        inputs: list[SSAValue] = []
        new: list[TestOp] = []
        for i in range(count):
            dtypes = spec.inputs[min(i, len(spec.inputs) - 1)].dtypes
            fitting = [v for v in self.values if dtype_name(v.type) in dtypes]
            if fitting and random.random() < 0.7:
                inputs.append(random.choice(fitting[-2:]))
                continue
            shape = random.choice(SHAPES)
            types = [
                TensorType(
                    TYPES[self._dtype(dtypes)], [-1 if random.random() < 0.2 else n for n in shape]
                )
            ]
            new.append(TestOp(result_types=types))
            inputs.append(new[-1].results[0])
            self.sizes[inputs[-1]] = shape
        return inputs, new

    def _attributes(self, spec: OpSpec, shape: Shape) -> dict[str, Any]:
        random, attrs = self.random, dict[str, Any]()
        for name, field in spec.attrs.items():
            if field.since > self.version or not (field.required or random.random() < 0.5):
                continue
            value = None if random.random() < ODD else sensible(random, name, len(shape))
            attrs[name] = nonsense(random, field.type) if value is None else value
        if spec.kind in ("Quantize", "Dequantize") and shape and random.random() < 0.4:
            axis = random.randrange(len(shape))
            scales, zps = [0.1] * shape[axis], [0] * shape[axis]
            attrs |= {"qtype": "per_channel", "axis": axis, "scales": scales, "zps": zps}
        return attrs


def _element(value: SSAValue) -> Attribute:
    return TYPES[dtype_name(value.type) or "f32"]


def run(draw: Draw, lib: Library) -> int:
    """Compile and run all partitions of a graph; how many ran. AutosplitError where all are refused."""
    random = draw.random
    constants = {v for op in draw.ops for v in op.operands if random.random() < 0.3}
    built = build(draw.ops, lib, constants=constants)
    values = {tensor.id: value for value, tensor in built.tensors.items()}
    ran = 0
    refusal = AutosplitError("nothing is supported")
    for partition in built.builder.partitions(random.choice(["fusion"] * 4 + ["debug"])):
        if not built.ops_of(partition) or not partition.supported:
            continue
        inputs = [
            replace(p, dims=draw.sizes[values[p.id]], layout="strided", strides=None)
            for p in partition.inputs
        ]
        outputs = [replace(p, dims=None, layout="any", strides=None) for p in partition.outputs]
        try:
            compiled = partition.compile(inputs, outputs)
        except AutosplitError as error:
            refusal = error
            continue
        ports = (*compiled.inputs, *compiled.outputs)
        if sum(compiled.mem_size(p.id) for p in ports) > 1 << 28:
            continue
        memory = {p.id: np.zeros(compiled.mem_size(p.id) + 64, np.uint8) for p in ports}
        compiled.execute(
            [int(memory[p.id].ctypes.data) for p in compiled.inputs],
            [int(memory[p.id].ctypes.data) for p in compiled.outputs],
        )
        ran += 1
    if not ran:
        raise refusal
    return ran


def outcome(seed: int, lib: Library) -> str:
    """What becomes of one graph: "ran", "refused", or how its process died."""
    draw = Draw(seed, lib)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        code = 3
        try:
            run(draw, lib)
            code = 0
        except AutosplitError:
            code = 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        kinds = ", ".join(op.kind for op in draw.ops)
        return f"died of {signal.Signals(os.WTERMSIG(status)).name}: seed {seed}, {kinds}"
    return {0: "ran", 2: "refused"}.get(os.WEXITSTATUS(status), f"failed: seed {seed}")


def main(seed: int, count: int) -> int:
    # One thread: others would not be there after a fork.
    lib = library(threads=1)
    found = Counter(outcome(seed + i, lib) for i in range(count))
    for told, times in sorted(found.items()):
        print(times, told)
    return int(any(told not in ("ran", "refused") for told in found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
