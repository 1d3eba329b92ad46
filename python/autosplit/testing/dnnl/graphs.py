"""Small graphs of oneDNN ops for tests: written by hand, one for each rule, and drawn at random.

Run as a program (`python -m autosplit.testing.dnnl.graphs`) it asks the library: graphs as IR text on
standard input, one a line (JSON strings); on standard output the groups that it makes of each, as lists of op
numbers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from random import Random
from typing import cast

from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    bf16,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import AttrValue, DnnlOp, GraphOp, PartitionOp, ReturnOp, make_op
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.dnnl.rules.parts import (
    BINARY,
    ELEMENTWISE,
    REDUCE,
    UNARY,
    Choice,
    Rule,
    Source,
    Step,
)
from autosplit.registry import make_context
from autosplit.runtime.dnnl.build import partitions_of

S8: Attribute = IntegerType(8)
U8: Attribute = IntegerType(8, Signedness.UNSIGNED)
SHAPE = (1, 4, 4, 4)
"""The shape of nearly all values: convolutions, products and transposes keep it."""

_ATTRS: dict[str, dict[str, AttrValue]] = {
    "Elu": {"alpha": 0.5},
    "LeakyReLU": {"alpha": 0.25},
    "Clamp": {"min": 0.0, "max": 6.0},
    "HardSigmoid": {"alpha": 0.2, "beta": 0.5},
}


class Sketch:
    """A graph being written: methods append an op and return its result."""

    def __init__(self) -> None:
        self.block = Block()
        self.ops: list[DnnlOp] = []

    def arg(self, element: Attribute = f32, shape: Sequence[int] = SHAPE) -> SSAValue:
        return self.block.insert_arg(TensorType(element, shape), len(self.block.args))

    def op(
        self, kind: str, *operands: SSAValue, to: Attribute | None = None, **attrs: AttrValue
    ) -> SSAValue:
        """Any op; its result has the type of the first operand, or `to` as its element type or its type."""
        to = to or _element(operands[0])
        type = to
        if element_type(to) is None:
            type = TensorType(to, _shape(operands[0]))
        op = make_op(kind, operands, [type])
        for name, value in (_ATTRS.get(kind, {}) | attrs).items():
            op.set_attr(name, value)
        op.op_id = IntegerAttr(len(self.ops), i64)
        self.block.add_op(op)
        self.ops.append(op)
        return op.results[0]

    def dq(
        self, x: SSAValue | None = None, *, of: Attribute = U8, zp: int = 0, **attrs: AttrValue
    ) -> SSAValue:
        """A dequantized value, by default of a new input."""
        x = self.arg(of) if x is None else x
        defaults: dict[str, AttrValue] = {"scales": [0.5], "zps": [zp], "qtype": "per_tensor"}
        return self.op("Dequantize", x, to=f32, **(defaults | attrs))

    def q(self, x: SSAValue, *, to: Attribute = U8, zp: int = 0, **attrs: AttrValue) -> SSAValue:
        defaults: dict[str, AttrValue] = {"scales": [0.5], "zps": [zp], "qtype": "per_tensor"}
        return self.op("Quantize", x, to=to, **(defaults | attrs))

    def tc(self, x: SSAValue, to: Attribute = bf16) -> SSAValue:
        return self.op("TypeCast", x, to=to)

    def conv(
        self, x: SSAValue, w: SSAValue, *bias: SSAValue, kind: str = "Convolution", pad: int = 0
    ) -> SSAValue:
        return self.op(
            kind,
            *(x, w, *bias),
            strides=[1, 1],
            pads_begin=[pad, pad],
            pads_end=[pad, pad],
            dilations=[1, 1],
            groups=1,
            data_format="NCX",
            weights_format="OIX" if kind == "Convolution" else "IOX",
        )

    def weights(self, of: Attribute = S8, *, floats: Attribute | None = None) -> SSAValue:
        """Dequantized weights of a 1x1 convolution; plain ones of element type `floats`."""
        if floats is not None:
            return self.arg(floats, (4, 4, 1, 1))
        return self.dq(self.arg(of, (4, 4, 1, 1)))

    def weighted(self, kind: str, x: SSAValue, *bias: SSAValue) -> SSAValue:
        """A product of `x` with dequantized weights."""
        if kind == "MatMul":
            return self.op(kind, x, self.dq(of=S8), *bias)
        return self.conv(x, self.weights(), *bias, kind=kind)

    def pool(self, x: SSAValue, kind: str = "MaxPool", **attrs: AttrValue) -> SSAValue:
        defaults: dict[str, AttrValue] = {"strides": [1, 1], "kernel": [1, 1]}
        defaults |= {"pads_begin": [0, 0], "pads_end": [0, 0]}
        if kind == "AvgPool":
            defaults["exclude_pad"] = True
        return self.op(kind, x, to=None, **({"data_format": "NCX"} | defaults | attrs))

    def turn(self, x: SSAValue) -> SSAValue:
        return self.op("StaticTranspose", x, order=[0, 1, 3, 2])

    def reshape(self, x: SSAValue) -> SSAValue:
        return self.op("StaticReshape", x, shape=list(SHAPE), special_zero=False)

    def reorder(self, x: SSAValue) -> SSAValue:
        return self.op("Reorder", x)

    def norm(self, x: SSAValue) -> SSAValue:
        scale, shift = self.arg(shape=(4,)), self.arg(shape=(4,))
        return self.op("LayerNorm", x, scale, shift, keep_stats=False)

    def batchnorm(self, x: SSAValue) -> SSAValue:
        vectors = [self.arg(shape=(4,)) for _ in range(4)]
        return self.op("BatchNormInference", x, *vectors, epsilon=0.001, data_format="NCX")

    def interpolate(self, x: SSAValue) -> SSAValue:
        return self.op(
            *("Interpolate", x),
            mode="nearest",
            coordinate_transformation_mode="half_pixel",
            sizes=[4, 4],
            data_format="NCX",
        )

    def reduce(self, x: SSAValue, kind: str = "ReduceSum") -> SSAValue:
        return self.op(kind, x, to=TensorType(_element(x), (1, 4, 4, 1)), axes=[3], keep_dims=True)

    def select(self, x: SSAValue, at: int = 2) -> SSAValue:
        other = self.arg(_element(x))
        pair = (other, x) if at == 2 else (x, other)
        return self.op("Select", self.arg(i1), *pair, to=_element(x))

    def elementwise(self, kind: str, x: SSAValue) -> SSAValue:
        """A unary op, or a binary op with a new input."""
        others = () if kind in UNARY else (self.arg(_element(x), _shape(x)),)
        return self.op(kind, x, *others)

    def module(self, *escaping: SSAValue) -> ModuleOp:
        """The finished graph; results that nothing reads are its outputs, and so are `escaping`."""
        loose = [r for op in self.ops for r in op.results if not r.uses.get_length()]
        self.block.add_op(ReturnOp([*loose, *escaping]))
        graph = GraphOp.create(
            properties={
                "version": StringAttr("3.2.0"),
                "engine_kind": StringAttr("cpu"),
                "fpmath_mode": StringAttr("strict"),
            },
            regions=[Region(self.block)],
        )
        return ModuleOp([graph])


def _element(x: SSAValue) -> Attribute:
    element = element_type(x.type)
    if element is None:
        raise ValueError(f"{x.type} is not a tensor")
    return element


def _shape(x: SSAValue) -> tuple[int, ...]:
    return shape_of(x.type) or ()


def example(rule: Rule, fill: str = "most", shared: int = -1, escaping: int = -1) -> ModuleOp:
    """A graph that a rule takes as a whole.

    `fill` is `least`, `most` (all that is optional is there) or `more` (one op too many). `shared` is the
    number of an op whose result gets a second reader, `escaping` of one whose result is also an output.
    """
    sketch = Sketch()
    root = rule.root
    sources = dict(root.sources)
    if rule.every is not None:
        parts = [_source(sketch, rule.every, SHAPE, fill) for _ in range(3)]
        wide = TensorType(f32, (1, 12, 4, 4))
        x = sketch.op("Concat", *parts, to=wide, axis=1)
    else:
        first = sources.get(0)
        steps = (s for t in rule.tail for s in (t.options[0] if isinstance(t, Choice) else (t,)))
        casts = "of-bf16" in root.checks or any("TypeCast" in s.kinds for s in steps)
        x = sketch.arg(bf16 if casts else f32)
        x = x if first is None else _source(sketch, first, SHAPE, fill)
        x = _step(sketch, root, root.kinds[0], x, fill)
    for part in rule.tail:
        if isinstance(part, Choice):
            if fill == "least" and part.optional:
                continue
            for step in part.options[0]:
                x = _repeat(sketch, step, x, fill)
        else:
            x = _repeat(sketch, part, x, fill)
    results = [op.results[0] for op in sketch.ops]
    if 0 <= shared < len(results):
        again = results[shared]
        _ = sketch.dq(again) if _element(again) in (S8, U8) else sketch.op("Reorder", again)
    return sketch.module(*([results[escaping]] if 0 <= escaping < len(results) else ()))


def _repeat(sketch: Sketch, step: Step, x: SSAValue, fill: str) -> SSAValue:
    count = step.least if fill == "least" else step.most + (fill == "more" and step.most > 1)
    if step.kinds == ("TypeCast",) and step.most > 1:
        count = 1  # from bf16 to f32 and no further
    for i in range(count):
        x = _step(sketch, step, step.kinds[(3 * i + len(sketch.ops)) % len(step.kinds)], x, fill)
    return x


def _step(sketch: Sketch, step: Step, kind: str, x: SSAValue, fill: str) -> SSAValue:
    """One op of a step behind `x`, with the ops in front of its other operands."""
    size = 3 if "weights-3" in step.checks else 1
    weights = (4, 4, size, size)
    shape = {"Convolution": weights, "ConvTranspose": weights, "BiasAdd": (4,)}.get(kind, SHAPE)
    others = {at: _source(sketch, source, shape, fill) for at, source in step.sources if at == 1}
    match kind:
        case "Convolution" | "ConvTranspose":
            w = others.get(1) or sketch.arg(_element(x), shape)
            bias = [sketch.arg(_element(x), (4,))] if "three-operands" in step.checks else []
            return sketch.conv(x, w, *bias, kind=kind, pad=size // 2)
        case "MatMul":
            bias = [sketch.arg(_element(x), (4,))] if "three-operands" in step.checks else []
            other = others.get(1) or sketch.arg(_element(x))
            first, second = (other, x) if step.enters == 1 else (x, other)
            return sketch.op(kind, first, second, *bias)
        case "BiasAdd":
            bias = others.get(1) or sketch.arg(_element(x), (4,))
            return sketch.op(kind, x, bias, data_format="NCX")
        case "Quantize":
            return sketch.q(x, to=S8 if "to-s8" in step.checks else U8)
        case "Dequantize":
            return sketch.dq(x)
        case "TypeCast":
            return sketch.tc(x, f32 if _element(x) == bf16 else bf16)
        case "BatchNormInference":
            return sketch.batchnorm(x)
        case "AvgPool" | "MaxPool":
            return sketch.pool(x, kind)
        case "Interpolate":
            return sketch.interpolate(x)
        case "LayerNorm":
            return sketch.norm(x)
        case "GroupNorm":
            vectors = (sketch.arg(shape=(4,)), sketch.arg(shape=(4,)))
            return sketch.op(kind, x, *vectors, keep_stats=False, groups=2, data_format="NCX")
        case "SoftMax":
            return sketch.op(kind, x, axis=3)
        case "StaticTranspose":
            return sketch.turn(x)
        case "StaticReshape":
            return sketch.reshape(x)
        case "Select":
            return sketch.select(x, step.enters)
        case _ if kind in REDUCE:
            return sketch.reduce(x, kind)
        case _ if kind in BINARY and 1 in others:
            return sketch.op(kind, x, others[1], auto_broadcast="none")
        case "Add" if "no-broadcast" in step.checks:
            return sketch.op(kind, x, sketch.arg(_element(x)), auto_broadcast="none")
        case _ if kind in BINARY:
            return sketch.elementwise(kind, x)
        case _:
            return sketch.op(kind, x)


def _source(sketch: Sketch, source: Source, shape: Sequence[int], fill: str) -> SSAValue:
    kinds = [link.kind for link in reversed(source.chain)]
    checks = {check for link in source.chain for check in link.checks}
    weights = tuple(shape) != SHAPE or source.filled is not None
    if source.filled is not None and fill == "most":
        x = sketch.q(sketch.arg(f32, shape), to=S8)
    elif kinds[0] == "Dequantize":
        x = sketch.arg(S8 if weights or "of-s8" in checks else U8, shape)
    else:
        x = sketch.arg(f32, shape)
    for kind in kinds:
        match kind:
            case "Dequantize":
                x = sketch.dq(x)
            case "Quantize":
                x = sketch.q(x, to=S8)
            case "TypeCast":
                x = sketch.tc(x)
            case _:
                x = sketch.op(kind, x, shape=list(shape), special_zero=False)
    return x


class _Growing:
    """A graph of chains, sums and branches, with casts between them."""

    def __init__(self, random: Random):
        self.random = random
        self.sketch = Sketch()
        self.values: list[SSAValue] = [
            self.sketch.dq(of=random.choice((U8, S8)), zp=random.choice((0, 3)))
        ]

    def pick(self, last: int = 3) -> SSAValue:
        """A recent value in f32."""
        recent = [
            v for v in self.values[-last:] if _element(v) == f32 and v.type == self.values[0].type
        ]
        if not recent or self.random.random() < 0.1:
            self.values.append(self.sketch.arg())
            return self.values[-1]
        return recent[-1] if self.random.random() < 0.8 else self.random.choice(recent)

    def weights(self, shape: tuple[int, ...]) -> SSAValue:
        match self.random.randrange(10):
            case 0:
                return self.sketch.arg(f32, shape)
            case 1:
                return self.sketch.dq(self.sketch.q(self.sketch.arg(f32, shape), to=S8))
            case _:
                return self.sketch.dq(self.sketch.arg(self.random.choice((S8, S8, U8)), shape))

    def grow(self) -> None:
        """Adds an op or a few."""
        x = self.pick()
        match kind := self.random.choices(_KINDS, _ODDS)[0]:
            case "cast" | "quantize" | "dequantize":
                self.quantization(kind, x)
            case "binary" | "sum" | "gate":
                self.arithmetic(kind, x)
            case _:
                self.layer(kind, x)

    def quantization(self, kind: str, x: SSAValue) -> None:
        """Adds casts between integers and real numbers."""
        sketch, random = self.sketch, self.random
        match kind:
            case "cast":
                self.values.append(
                    sketch.dq(sketch.q(x, to=random.choice((U8, S8)), zp=random.choice((0, 2))))
                )
            case "quantize":
                self.values.append(sketch.q(x, zp=random.choice((0, 2))))
            case _:
                self.values.append(sketch.dq(of=random.choice((U8, S8))))

    def arithmetic(self, kind: str, x: SSAValue) -> None:
        """Adds an op on two values."""
        sketch, random = self.sketch, self.random
        match kind:
            case "binary":
                others = [v for v in self.values if v.type == x.type]
                other = random.choice(
                    (
                        sketch.arg(),
                        sketch.dq(of=random.choice((U8, S8))),
                        random.choice(others),
                        x,
                    )
                )
                pair = (x, other) if random.random() < 0.7 else (other, x)
                self.values.append(
                    sketch.op(
                        random.choice(BINARY),
                        *pair,
                        auto_broadcast=random.choice(("numpy", "none")),
                    )
                )
            case "sum":
                pair = (
                    x,
                    sketch.dq(of=random.choice((U8, S8)), zp=random.choice((0, 3))),
                )
                self.values.append(
                    sketch.op("Add", *(pair if random.random() < 0.5 else pair[::-1]))
                )
            case _:
                gate = sketch.op(random.choice(("Sigmoid", "HardSigmoid", "Tanh")), x)
                self.values.append(
                    sketch.op("Multiply", *((x, gate) if random.random() < 0.5 else (gate, x)))
                )

    def layer(self, kind: str, x: SSAValue) -> None:
        """Adds an op with weights, or one that looks at several numbers."""
        sketch, random = self.sketch, self.random
        match kind:
            case "conv":
                bias = [sketch.arg(shape=(4,))] if random.random() < 0.4 else []
                kind = random.choice(("Convolution", "Convolution", "ConvTranspose"))
                self.values.append(sketch.conv(x, self.weights((4, 4, 1, 1)), *bias, kind=kind))
            case "matmul":
                bias = [sketch.arg(shape=(4,))] if random.random() < 0.3 else []
                self.values.append(sketch.op("MatMul", x, self.weights(SHAPE), *bias))
            case "bias":
                self.values.append(
                    sketch.op("BiasAdd", x, sketch.arg(shape=(4,)), data_format="NCX")
                )
            case "unary":
                self.values.append(sketch.op(random.choice(UNARY), x))
            case "pool":
                self.values.append(sketch.pool(x, random.choice(("MaxPool", "AvgPool"))))
            case "move":
                self.values.append(random.choice((sketch.turn, sketch.reshape, sketch.reorder))(x))
            case "norm":
                self.values.append(
                    random.choice((sketch.norm, sketch.batchnorm, sketch.interpolate))(x)
                )
            case "softmax":
                self.values.append(sketch.op("SoftMax", x, axis=3))
            case "scores":
                self.values.append(
                    sketch.op(
                        "Add",
                        sketch.op("Divide", x, sketch.arg(shape=(1,))),
                        sketch.arg(),
                    )
                )
            case "concat":
                parts = [sketch.dq() for _ in range(random.choice((2, 3)))]
                wide = TensorType(f32, (1, 4 * len(parts), 4, 4))
                joined = sketch.op("Concat", *parts, to=wide, axis=1)
                if random.random() < 0.8:
                    sketch.q(joined, zp=random.choice((0, 0, 1)))
            case _:
                sketch.elementwise(
                    random.choice(ELEMENTWISE),
                    sketch.reduce(x, random.choice(REDUCE)),
                )


def random_graph(random: Random, size: int) -> ModuleOp:
    """A graph of about `size` ops in chains, sums and branches, with casts between them."""
    growing = _Growing(random)
    sketch = growing.sketch
    while len(sketch.ops) < size:
        growing.grow()
    results = [r for op in sketch.ops for r in op.results]
    return sketch.module(*random.sample(results, random.choice((0, 0, 0, 1, 2))))


_KINDS = (
    *("cast", "quantize", "dequantize", "conv", "matmul", "bias", "unary", "binary", "sum"),
    *("gate", "pool", "move", "norm", "softmax", "scores", "concat", "reduce"),
)
_ODDS = (12, 6, 4, 12, 12, 3, 14, 8, 6, 4, 5, 5, 3, 2, 2, 1, 1)


def text_of(module: ModuleOp) -> str:
    out = StringIO()
    Printer(out).print_op(module)
    return out.getvalue()


def module_of(text: str) -> ModuleOp:
    return Parser(make_context(), text).parse_module()


def groups_of(module: ModuleOp) -> list[list[int]]:
    """The partitions of a module as sorted lists of op numbers."""
    partitions = [op for op in module.walk() if isinstance(op, PartitionOp)]
    return sorted(numbers(p.body_ops) for p in partitions)


def numbers(ops: Iterable[DnnlOp]) -> list[int]:
    return sorted(op.op_id.value.data for op in ops if op.op_id is not None)


class Oracle:
    """The library in a process of its own, which a bad graph may crash."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "autosplit.testing.dnnl.graphs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def groups(self, module: ModuleOp) -> list[list[int]]:
        """The library's partitions of a graph, as sorted lists of op numbers.

        Raises AssertionError if it refuses the graph, or its process ends.
        """
        source, sink = self.child.stdout, self.child.stdin
        if source is None or sink is None:
            raise AssertionError("the process has no pipes")
        sink.write(json.dumps(text_of(module)) + "\n")
        sink.flush()
        answer = json.loads(source.readline() or "null")
        if not isinstance(answer, list):
            reason = answer or f"the library ended its process with {self.child.wait()}"
            raise AssertionError(f"{reason}, on\n{text_of(module)}")
        return cast("list[list[int]]", answer)

    def close(self) -> None:
        """Ends the process."""
        if self.child.stdin is not None:
            self.child.stdin.close()
        self.child.wait()


def _answer(line: str) -> list[list[int]] | str:
    module = module_of(json.loads(line))
    ops = [op for op in module.walk() if isinstance(op, DnnlOp)]
    try:
        return sorted(numbers(group) for group in partitions_of(ops))
    except AutosplitError as e:
        return str(e)


if __name__ == "__main__":
    for _line in sys.stdin:
        print(json.dumps(_answer(_line)), flush=True)
