"""Sizes and integers that the rules of ONNX ops say, against what ONNX Runtime computes, on random graphs.

Every number that a rule gives is computed for the run: what it is made of are sizes and integers of other
values, which are there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, UnrankedTensorType

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.platform import (
    element_type,
    platform_graph,
    set_type,
    shape_of,
    value_name,
)
from autosplit.lowering.infer_shapes import infer_types
from autosplit.lowering.shared.fold import EVALUATORS, Constants
from autosplit.lowering.sizes.affine import Atom, Number
from autosplit.lowering.sizes.known_sizes import KnownSizes
from autosplit.lowering.sizes.size_walk import SizeWalk
from autosplit.platforms import load_model

FLOAT, INT64, INT32, BOOL = (
    TensorProto.FLOAT,
    TensorProto.INT64,
    TensorProto.INT32,
    TensorProto.BOOL,
)
KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64, np.dtype(np.int32): INT32}
KINDS[np.dtype(np.bool_)] = BOOL

SESSION = onnxruntime.SessionOptions()
SESSION.log_severity_level = 4
SESSION.intra_op_num_threads = 1
SESSION.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

UNARY = "Abs Neg Identity Relu Sigmoid Cast Not Softmax Clip Erf"
BINARY = (
    "Add Sub Mul Div Max Min Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor Mod Where"
)
REDUCED = "ReduceMax ReduceMin ReduceProd ReduceSum ReduceMean ReduceL2"
MOVED = (
    "Concat Concat Slice Slice Slice Reshape Reshape Reshape Expand Tile Gather Gather Transpose "
    "Squeeze Unsqueeze Split Pad TopK Flatten MatMul"
)
MADE = "Shape Shape Shape Shape Size Range ConstantOfShape NonZero"
WRAPPING = {*BINARY.split(), "Abs", "Neg", "ReduceProd", "ReduceSum"}
"""Ops whose results may be integers that the type does not hold."""
OPS = f"{UNARY} {BINARY} {REDUCED} {MOVED} {MADE}".split()

BIG = (2**31 - 1, 2**63 - 1, -(2**31), -(2**63), 2**31)


class Graph:
    """Grows a graph of ops that ONNX Runtime runs, with what each value is in one run."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.values: dict[str, np.ndarray] = {}
        self.inputs: list[str] = []
        self.constants: list[str] = []
        self.nodes: list[onnx.NodeProto] = []
        for _ in range(3):
            self.inputs.append(self.named(self.floats(self.shape())))
        self.inputs.append(self.named(self.random.integers(-2, 6, self.random.integers(1, 4))))
        self.inputs.append(self.named(self.random.integers(-2, 6, ())))

    def named(self, value: np.ndarray, name: str = "") -> str:
        name = name or f"v{len(self.values)}"
        self.values[name] = np.asarray(value)
        return name

    def floats(self, shape: Any) -> np.ndarray:
        return (self.random.random(shape) - 0.3).astype(np.float32)

    def shape(self) -> list[int]:
        rank = int(self.random.choice([0, 1, 2, 2, 3, 3, 4]))
        return [int(n) for n in self.random.choice([0, 1, 1, 2, 3, 4, 5], rank)]

    def constant(self, value: Any, dtype: Any = np.int64) -> str:
        name = self.named(np.asarray(value, dtype))
        self.constants.append(name)
        return name

    def int(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def some(self, test: Callable[[np.ndarray], bool]) -> str | None:
        """A value that passes the test, later ones more often."""
        found = [n for n, v in self.values.items() if test(v)]
        if not found:
            return None
        return found[max(self.int(0, len(found) - 1), self.int(0, len(found) - 1))]

    def any(self) -> str:
        found = self.some(lambda v: True)
        assert found is not None
        return found

    def integer(self, *ranks: int) -> str | None:
        """A small tensor of integers of one of these ranks."""
        return self.some(
            lambda v: v.dtype == np.int64 and v.ndim in (ranks or (0, 1)) and v.size < 65
        )

    def vector(self, values: list[int]) -> str:
        """A vector of these integers: a constant, or joined of what other values are."""
        if self.random.random() < 0.4:
            return self.constant(values)
        parts: list[str] = []
        for n in values:
            same = self.some(lambda v, n=n: v.dtype == np.int64 and v.shape == (1,) and v[0] == n)
            scalar = self.some(lambda v, n=n: v.dtype == np.int64 and v.shape == () and v == n)
            if same is None and scalar is not None:
                same = self.node("Unsqueeze", [scalar, self.constant([0])])
            parts.append(same or self.constant([n]))
        return self.node("Concat", parts, axis=0) or self.constant(values)

    def node(self, kind: str, inputs: list[str | None], outputs: int = 1, **attributes: Any) -> str:
        """Adds a node if ONNX Runtime runs it; the name of its first result, or nothing."""
        names = [i or "" for i in inputs]
        while names and not names[-1]:
            names.pop()
        results = [f"v{len(self.values) + i}" for i in range(outputs)]
        proto = helper.make_node(kind, names, results, **attributes)
        found = run([proto], {n: self.values[n] for n in names if n}, results)
        if found is None or any(v.size > 4000 or v.dtype not in KINDS for v in found):
            return ""
        if kind in WRAPPING and any(map(_is_large, found)):
            return ""  # Of what is unknown it is taken that it does not wrap.
        for name, value in zip(results, found, strict=True):
            self.named(value, name)
        self.nodes.append(proto)
        return results[0]

    def grow(self) -> None:
        kind = str(self.random.choice(OPS))
        builder = BUILDERS.get(kind)
        if builder is not None:
            builder(self)
        elif kind in UNARY.split():
            self.node(kind, [self.any()])
        elif kind in REDUCED.split():
            reduced(self, kind)
        else:
            pairs(self, kind)

    def model(self, opened: float) -> onnx.ModelProto:
        """The graph, with a part of the inputs' sizes open."""
        inputs = []
        for name in self.inputs:
            value = self.values[name]
            dims = [
                f"{name}_{i}" if self.random.random() < opened else n
                for i, n in enumerate(value.shape)
            ]
            inputs.append(helper.make_tensor_value_info(name, KINDS[value.dtype], dims))
        made = [name for node in self.nodes for name in node.output]
        outputs = [
            helper.make_tensor_value_info(n, KINDS[self.values[n].dtype], None) for n in made
        ]
        given = [numpy_helper.from_array(self.values[n], n) for n in self.constants]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, given)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def _is_large(value: np.ndarray) -> bool:
    return value.dtype.kind == "i" and bool(((value >= 2**31) | (value < -(2**31))).any())


def run(nodes, feeds, outputs):
    inputs = [helper.make_tensor_value_info(n, KINDS[v.dtype], v.shape) for n, v in feeds.items()]
    results = [onnx.ValueInfoProto(name=n) for n in outputs]
    graph = helper.make_graph(nodes, "g", inputs, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), SESSION)
        found = session.run(list(outputs), feeds)
    except Exception:
        return None
    return [np.asarray(v) for v in found]


# How nodes of a type are made


def cast(g: Graph) -> None:
    if (x := g.integer(0, 1, 2)) is not None and not _is_large(g.values[x]):
        g.node("Cast", [x], to=int(g.random.choice([INT32, INT64, FLOAT, BOOL])))


def pairs(g: Graph, kind: str) -> None:
    """Operands of one dtype; mostly integers, since those are followed."""
    dtype = np.dtype(g.random.choice([np.int64, np.int64, np.float32]))
    if kind in ("And", "Or", "Xor"):
        dtype = np.dtype(np.bool_)
    names = [g.some(lambda v: v.dtype == dtype and v.size < 200) for _ in range(2)]
    if g.random.random() < 0.4 and dtype == np.int64:
        names[g.int(0, 1)] = g.constant(g.int(-3, 6))
    if None in names:
        return
    if kind == "Where":
        names.insert(0, g.some(lambda v: v.dtype == np.bool_))
        if names[0] is None:
            return
    if kind in ("Max", "Min") and g.random.random() < 0.3:
        names.append(g.some(lambda v: v.dtype == dtype))
    g.node(kind, names)


def reduced(g: Graph, kind: str) -> None:
    x = g.any() if g.random.random() < 0.5 else g.integer()
    if x is None:
        return
    rank = g.values[x].ndim
    axes = None
    if g.random.random() < 0.7:
        # ONNX Runtime is wrong about negative axes of empty tensors.
        low = -rank if g.values[x].size else 0
        axes = g.constant([g.int(low, rank - 1) for _ in range(g.int(0, 1))] if rank else [])
    g.node(kind, [x, axes], keepdims=g.int(0, 1), noop_with_empty_axes=int(g.random.random() < 0.3))


def concat(g: Graph) -> None:
    x = g.integer(1) if g.random.random() < 0.6 else g.any()
    if x is None or not (rank := g.values[x].ndim):
        return
    axis = g.int(-rank, rank - 1)
    rest = np.delete(g.values[x].shape, axis)

    def fits(v: np.ndarray) -> bool:
        same = v.dtype == g.values[x].dtype and v.ndim == rank
        return same and list(np.delete(v.shape, axis)) == list(rest)

    others = [g.some(fits) for _ in range(g.int(0, 2))]
    g.node("Concat", [x, *others], axis=axis)


def slice_(g: Graph) -> None:
    x = g.any() if g.random.random() < 0.6 else g.integer(1)
    if x is None or not (rank := g.values[x].ndim):
        return
    axes = [int(a) for a in g.random.permutation(rank)[: g.int(1, rank)]]
    starts, ends, steps = [], [], []
    for axis in axes:
        size = g.values[x].shape[axis]
        bounds = [g.int(-size - 2, size + 2) for _ in range(2)]
        for i in range(2):
            if g.random.random() < 0.2:
                bounds[i] = int(g.random.choice(BIG))
        starts.append(bounds[0])
        ends.append(bounds[1])
        steps.append(int(g.random.choice([1, 1, 1, 1, 2, 3, -1, -1, -2, 2**31, -(2**31)])))
    axes = [a - rank if g.random.random() < 0.3 else a for a in axes]
    inputs: list[str | None] = [x, g.vector(starts), g.vector(ends)]
    inputs.append(g.constant(axes) if g.random.random() < 0.8 else None)
    if g.random.random() < 0.5:
        inputs.append(g.constant(steps))
    g.node("Slice", inputs)


def reshape(g: Graph) -> None:
    x = g.any() if g.random.random() < 0.7 else g.integer()
    if x is None:
        return
    shape = list(g.values[x].shape)
    if len(shape) > 1 and g.random.random() < 0.5:
        at = g.int(0, len(shape) - 2)
        shape[at : at + 2] = [shape[at] * shape[at + 1]]
    elif g.random.random() < 0.3:
        shape = shape[::-1]
    elif g.random.random() < 0.3:
        shape.insert(g.int(0, len(shape)), 1)
    allowzero = int(g.random.random() < 0.2)
    for i in range(len(shape)):
        if g.random.random() < 0.2:
            shape[i] = 0
    if shape and g.random.random() < 0.5:
        shape[g.int(0, len(shape) - 1)] = -1
    g.node("Reshape", [x, g.vector(shape)], allowzero=allowzero)


def expand(g: Graph) -> None:
    x = g.any()
    shape = [g.int(1, 3) if n == 1 else n for n in g.values[x].shape]
    shape = [1 if g.random.random() < 0.2 else n for n in shape]
    shape = [g.int(1, 3)] * g.int(0, 1) + shape
    g.node("Expand", [x, g.vector(shape)])


def tile(g: Graph) -> None:
    x = g.any()
    g.node("Tile", [x, g.vector([g.int(0, 3) for _ in g.values[x].shape])])


def gather(g: Graph) -> None:
    x = g.any() if g.random.random() < 0.5 else g.integer(1)
    if x is None or not (rank := g.values[x].ndim):
        return
    axis = g.int(-rank, rank - 1)
    size = g.values[x].shape[axis]
    indices = g.random.integers(-size, max(size, 1), [(), (1,), (2,), (2, 1)][g.int(0, 3)])
    index = g.constant(indices) if g.random.random() < 0.8 else g.integer()
    g.node("Gather", [x, index], axis=axis)


def transpose(g: Graph) -> None:
    x = g.any()
    rank = g.values[x].ndim
    perm = {} if g.random.random() < 0.3 or not rank else {"perm": g.random.permutation(rank)}
    g.node("Transpose", [x], **perm)


def squeeze(g: Graph) -> None:
    x = g.some(lambda v: 1 in v.shape) or g.any()
    places = [i for i, n in enumerate(g.values[x].shape) if n == 1]
    axes = None
    if g.random.random() < 0.8:
        # No axes, given as such, are all.
        axes = g.constant([int(p) for p in places[: g.int(0, len(places))]])
    g.node("Squeeze", [x, axes])


def unsqueeze(g: Graph) -> None:
    x = g.integer() if g.random.random() < 0.6 else g.any()
    if x is not None:
        rank, count = g.values[x].ndim, g.int(1, 2)
        axes = sorted({g.int(-rank - count, rank + count - 1) for _ in range(count)})
        g.node("Unsqueeze", [x, g.constant(axes)])


def split(g: Graph) -> None:
    x = g.some(lambda v: v.ndim > 0)
    if x is None:
        return
    rank = g.values[x].ndim
    axis, count = g.int(-rank, rank - 1), g.int(1, 3)
    if g.random.random() < 0.5:
        g.node("Split", [x], count, axis=axis, num_outputs=count)
        return
    size = g.values[x].shape[axis]
    cuts = sorted(g.int(0, size) for _ in range(count - 1))
    g.node("Split", [x, g.vector([int(n) for n in np.diff([0, *cuts, size])])], count, axis=axis)


def pad(g: Graph) -> None:
    x = g.any()
    rank = g.values[x].ndim
    axes = [int(a) for a in g.random.permutation(rank)[: g.int(0, rank)]]
    listed = g.constant([a - rank if g.random.random() < 0.3 else a for a in axes])
    if g.random.random() < 0.5:
        axes, listed = list(range(rank)), None
    pads = g.vector([g.int(-1, 2) for _ in range(2 * len(axes))])
    g.node("Pad", [x, pads, None, listed])


def top_k(g: Graph) -> None:
    x = g.some(lambda v: v.ndim > 0 and v.dtype == np.float32)
    if x is not None:
        rank = g.values[x].ndim
        axis = g.int(-rank, rank - 1)
        g.node("TopK", [x, g.vector([g.int(0, g.values[x].shape[axis])])], 2, axis=axis)


def flatten(g: Graph) -> None:
    x = g.any()
    rank = g.values[x].ndim
    g.node("Flatten", [x], axis=g.int(-rank, rank))


def matmul(g: Graph) -> None:
    names = [g.some(lambda v: v.ndim > 0 and v.dtype == np.float32) for _ in range(2)]
    if None not in names:
        g.node("MatMul", names)


def shape(g: Graph) -> None:
    some = {k: g.int(-5, 5) for k in ("start", "end") if g.random.random() < 0.3}
    name = g.node("Shape", [g.any()], **some)
    if name and g.values[name].size and g.random.random() < 0.7:
        index = g.constant(g.int(-g.values[name].size, g.values[name].size - 1))
        g.node("Gather", [name, index])


def size(g: Graph) -> None:
    g.node("Size", [g.any()])


def range_(g: Graph) -> None:
    start, limit, delta = g.integer(0), g.integer(0), g.constant(1)
    if start is None or limit is None:
        return
    if g.random.random() < 0.5:
        start = g.constant(g.int(-2, 3))
    if g.random.random() < 0.2:
        delta = g.constant(int(g.random.choice([-1, 2])))
    g.node("Range", [start, limit, delta])


def constant_of_shape(g: Graph) -> None:
    if (x := g.integer(1)) is not None and (g.values[x] < 9).all():
        g.node("ConstantOfShape", [x])


def non_zero(g: Graph) -> None:
    x = g.some(lambda v: v.ndim > 0)
    if x is not None:
        g.node("NonZero", [x])


BUILDERS: dict[str, Callable[[Graph], None]] = {
    "Cast": cast,
    "Concat": concat,
    "ConstantOfShape": constant_of_shape,
    "Expand": expand,
    "Flatten": flatten,
    "Gather": gather,
    "MatMul": matmul,
    "NonZero": non_zero,
    "Pad": pad,
    "Range": range_,
    "Reshape": reshape,
    "Shape": shape,
    "Size": size,
    "Slice": slice_,
    "Split": split,
    "Squeeze": squeeze,
    "Tile": tile,
    "TopK": top_k,
    "Transpose": transpose,
    "Unsqueeze": unsqueeze,
}


class Unknown(Exception):
    """Of a number nothing more is said than that it is one."""


class Numbers:
    """What numbers are in one run."""

    def __init__(self, values: dict[str, np.ndarray]):
        self.values = values

    def of(self, number: Number) -> int:
        if isinstance(number, int):
            return number
        return number.constant + sum(n * self._bounded(atom) for atom, n in number.terms)

    def _bounded(self, atom: Atom) -> int:
        found = self._atom(atom)
        assert atom.least is None or atom.least <= found
        assert atom.most is None or found <= atom.most
        return found

    def _atom(self, atom: Atom) -> int:
        of: Any = atom.of
        match atom.name:
            case "size":
                return self.values[value_name(of[0])].shape[of[1]]
            case "element":
                return int(self.values[value_name(of[0])].reshape(-1)[of[1]])
            case "broadcast":
                sizes = {self.of(n) for n in of[0]} - {1}
                assert len(sizes) < 2
                return next(iter(sizes), 1)
            case "product":
                return int(np.prod([self.of(part) ** count for part, count in of[0]], dtype=object))
            case "least of":
                return min(self.of(part) for part in of[0])
            case "positive":
                return int(self.of(of[0]) > 0)
            case "zero":
                return int(self.of(of[0]) == 0)
            case "selected":
                return self.of(of[1] if self.of(of[0]) else of[2])
            case "quotient":
                return self.of(of[0]) // self.of(of[1])
            case _:
                raise Unknown


def check(numbers: Numbers, found: Number, expected: int, what: str) -> None:
    try:
        assert numbers.of(found) == expected, what
    except Unknown:
        assert not isinstance(found, int)


def learned(model, *, forget: bool) -> KnownSizes:
    """What is known after one pass over a graph in canonical form."""
    sizes = SizeWalk(Constants(store_for(model.module)))
    ops = [op for op in platform_graph(model.module).body_ops() if isinstance(op, OnnxOp)]
    if forget:
        # What the onnx package infers shall not hide what the rules say.
        for op in ops:
            for result in op.results:
                if not isinstance(op, InitializerOp) and (kind := element_type(result.type)):
                    set_type(result, UnrankedTensorType(kind))
    for op in ops:
        if not isinstance(op, InitializerOp):
            sizes.learn(op)
    return sizes


def check_seed(seed: int, folder) -> None:
    graph = Graph(seed)
    for _ in range(14):
        graph.grow()
    path = folder / f"{seed}.onnx"
    onnx.save(graph.model(float(graph.random.choice([0.0, 0.5, 1.0]))), path)
    numbers = Numbers(graph.values)
    for forget in (True, False):
        model = load_model(path)
        if forget:
            # The types of results, without sizes.
            model.platform.prepare(model, {}, [])
            _element_types(model, graph)
        else:
            infer_types(Context(), model.module)
        sizes = learned(model, forget=forget)
        for op in platform_graph(model.module).body_ops():
            for result in op.results:
                if (value := graph.values.get(value_name(result))) is not None:
                    what = f"seed {seed}, forget={forget}: {op}"
                    check_result(numbers, sizes, result, value, what)


def check_result(numbers: Numbers, sizes: KnownSizes, result, value: np.ndarray, what: str) -> None:
    if (dims := shape_of(result.type)) is not None:
        assert len(dims) == value.ndim, what
        assert all(d in (DYNAMIC_INDEX, n) for d, n in zip(dims, value.shape, strict=True)), what
    if (shape := sizes.shape(result)) is not None:
        assert len(shape) == value.ndim, what
        for n, expected in zip(shape, value.shape, strict=True):
            check(numbers, n, expected, what)
    if (elements := sizes.computed(result)) is not None:
        assert elements.shape == value.shape, what
        for n, expected in zip(elements.reshape(-1), value.reshape(-1), strict=True):
            check(numbers, n, int(expected), what)


def _element_types(model, graph: Graph) -> None:
    from autosplit.core.dtypes import tensor_type_of

    for op in platform_graph(model.module).body_ops():
        for result in op.results:
            if not isinstance(op, InitializerOp) and value_name(result) in graph.values:
                array = graph.values[value_name(result)]
                set_type(result, UnrankedTensorType(tensor_type_of(array).element_type))


@pytest.mark.parametrize("block", range(3))
def test_sizes_are_those_of_the_runtime(tmp_path, block):
    for seed in range(block * 20, block * 20 + 20):
        check_seed(seed, tmp_path)


@pytest.mark.nightly
def test_sizes_are_those_of_the_runtime_on_many(tmp_path):
    for seed in range(1000, 4000):
        check_seed(seed, tmp_path)


def test_the_most_negative_integer(tmp_path):
    """ONNX says that it is the largest of no integers, and runtimes give it as its own absolute value."""
    nodes = [
        helper.make_node("ReduceMax", ["none", "first"], ["least"], keepdims=0),
        helper.make_node("Abs", ["least"], ["y"]),
        helper.make_node("Abs", ["known"], ["k"]),
        helper.make_node("Neg", ["known"], ["n"]),
    ]
    least = np.int64(-(2**63))
    given = {"none": np.zeros(0, np.int64), "first": np.zeros(1, np.int64), "known": least}
    arrays = {name: np.asarray(array) for name, array in given.items()}
    assert run(nodes, arrays, ["least", "y", "k", "n"]) == [least] * 4
    sizes, found = example(tmp_path, nodes, given)
    numbers = Numbers({"least": np.asarray(least)})
    for name in ("least", "k", "n"):
        elements = sizes.computed(found[name])
        # Nothing is said, or what the runtime gives.
        assert elements is None or not isinstance(elements.item(), int) or elements.item() == least
    # The declared limit: of an integer that is unknown it is taken that its absolute value is held.
    assert numbers.of(sizes.computed(found["y"]).item()) == 2**63


def example(folder, nodes, given, shape=("a", "b")):
    """What is known of a graph after the inference, and its values by name."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in given.items()],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("mine", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), folder / "m.onnx")
    module = infer_types(Context(), load_model(folder / "m.onnx").module)
    sizes = SizeWalk(Constants(store_for(module)))
    found = {}
    for op in platform_graph(module).body_ops():
        if isinstance(op, OnnxOp):
            sizes.learn(op)
        found |= {value_name(result): result for result in op.results}
    return sizes, found


def test_a_zero_that_copies_a_size_of_an_unknown_shape_is_no_size(tmp_path):
    nodes = [
        helper.make_node("Unheard", ["x"], ["u"], domain="mine"),
        helper.make_node("Cast", ["u"], ["f"], to=FLOAT),
        helper.make_node("Reshape", ["f", "shape"], ["y"]),
    ]
    _, found = example(tmp_path, nodes, {"shape": np.array([0, 7, -1])})
    assert shape_of(found["y"].type) == (DYNAMIC_INDEX, 7, DYNAMIC_INDEX)


@pytest.mark.parametrize(("axis", "shape"), [(1, (0, 6)), (0, (1, 0)), (-1, (0, 3)), (3, (0, 1))])
def test_a_matrix_of_nothing_keeps_its_columns(axis, shape):
    (found,) = EVALUATORS["Flatten"]([np.zeros((0, 2, 3))], lambda *_: axis, 1)
    assert found.shape == shape


def test_integers_that_a_runtime_wraps_are_not_known(tmp_path):
    """4 * 2**62 is 0 in 64 bits, and 2**40 in 32 bits is 0 too."""
    nodes = [
        helper.make_node("Shape", ["x"], ["n"], end=1),
        helper.make_node("Concat", ["n", "large"], ["both"], axis=0),
        helper.make_node("Mul", ["both", "four"], ["more"]),
        helper.make_node("Cast", ["both"], ["narrow"], to=INT32),
        helper.make_node("Slice", ["x", "zero", "narrow", "axes"], ["y"]),
    ]
    given = {
        "large": np.array([2**62]),
        "four": np.array([4]),
        "zero": np.array([0, 0], np.int32),
        "axes": np.array([0, 1], np.int32),
    }
    sizes, found = example(tmp_path, nodes, given)
    for name in ("more", "narrow"):
        elements = sizes.computed(found[name])
        assert elements is not None
        assert not isinstance(elements[1], int)
    assert shape_of(found["y"].type) == (DYNAMIC_INDEX, DYNAMIC_INDEX)


def test_bounds_beyond_any_size(tmp_path):
    """INT32_MAX and what is below INT32_MIN are as good as the ends of 64 bits."""
    nodes = [helper.make_node("Slice", ["x", "starts", "ends"], ["y"])]
    given = {"starts": np.array([-(2**31), -(2**63)]), "ends": np.array([2**31 - 1, 2**63 - 1])}
    sizes, found = example(tmp_path, nodes, given)
    assert sizes.shape(found["y"]) == sizes.shape(found["y"].op.operands[0])


def test_nothing_is_warned_of_while_folding(tmp_path, recwarn):
    """The mean of no integers is whatever a runtime makes of it, so it is not folded."""
    nodes = [
        helper.make_node("ReduceMean", ["nothing"], ["mean"], keepdims=0),
        helper.make_node("ConstantOfShape", ["mean"], ["y"]),
    ]
    _, found = example(tmp_path, nodes, {"nothing": np.zeros((0,), np.int64)})
    assert "mean" in found
    assert found["mean"].op.name == "onnx.ReduceMean"
    assert not recwarn.list


WINDOWS = {
    "begins behind": {"kernel_shape": [3, 1], "strides": [2, 3]},
    "begins in the padding": {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    "is only just inside": {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 1, 1]},
    "valid": {"kernel_shape": [1, 3], "strides": [3, 2], "auto_pad": "VALID"},
    "same": {"kernel_shape": [1, 2], "strides": [3, 3], "auto_pad": "SAME_LOWER"},
    "wide": {
        "kernel_shape": [3, 2],
        "strides": [2, 1],
        "dilations": [2, 3],
        "auto_pad": "SAME_UPPER",
    },
    "wide below": {
        "kernel_shape": [2, 3],
        "strides": [3, 1],
        "dilations": [3, 2],
        "auto_pad": "SAME_LOWER",
    },
}


@pytest.mark.parametrize("kind", ["AveragePool", "LpPool", "MaxPool"])
@pytest.mark.parametrize("up", [0, 1])
@pytest.mark.parametrize("case", WINDOWS)
def test_windows_that_begin_behind_the_image(tmp_path, case, up, kind):
    """Sizes are rounded up without them, also those of a pooling behind another, of any size of image."""
    nodes = [
        helper.make_node(kind, ["x"], ["once"], ceil_mode=up, **WINDOWS[case]),
        helper.make_node("Relu", ["once"], ["again"]),
        helper.make_node(kind, ["again"], ["y"], ceil_mode=up, **WINDOWS[case]),
    ]
    names = ["once", "again", "y"]
    for height, width in np.random.default_rng(0).integers(3, 40, (8, 2)).tolist():
        x = np.zeros((1, 2, height, width), np.float32)
        expected = run(nodes, {"x": x}, names)
        if expected is None:
            continue
        inputs = [helper.make_tensor_value_info("x", FLOAT, x.shape)]
        graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")])
        opsets = [helper.make_opsetid("", 18)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "m.onnx")
        module = infer_types(Context(), load_model(tmp_path / "m.onnx").module)
        found = {value_name(r): r for op in platform_graph(module).body_ops() for r in op.results}
        assert [shape_of(found[n].type) for n in names] == [a.shape for a in expected]


@pytest.mark.parametrize("end", [2**31 - 2, 2**31 - 1, 2**31, 2**63 - 1])
def test_backwards_to_the_largest_integer_is_all(tmp_path, end):
    nodes = [
        helper.make_node("Slice", ["x", "start", "end", "axis", "step"], ["part"]),
        helper.make_node("Squeeze", ["part", "none"], ["y"]),
    ]
    given = {k: np.array([n]) for k, n in {"start": 4, "end": end, "axis": 1, "step": -2}.items()}
    given["none"] = np.zeros(0, np.int64)
    x = np.zeros((1, 6), np.float32)
    expected = run(nodes, {"x": x} | given, ["part", "y"])
    assert expected is not None
    _, found = example(tmp_path, nodes, given, x.shape)
    assert [shape_of(found[n].type) for n in ("part", "y")] == [a.shape for a in expected]


@pytest.mark.parametrize("auto", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("kernel", [[1, 2], [2, 3], [4, 5]])
@pytest.mark.parametrize("extra", [[0, 0], [1, 0], [1, 2]])
def test_transposed_convolutions_that_pad_themselves(tmp_path, extra, kernel, auto):
    """What they put out more is a part of the size that they are to make, not more than that."""
    attributes = {"auto_pad": auto, "strides": [2, 3], "output_padding": extra}
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
    x, w = np.zeros((1, 2, 5, 4), np.float32), np.zeros((2, 3, *kernel), np.float32)
    expected = run([node], {"x": x, "w": w}, ["y"])
    assert expected is not None
    _, found = example(tmp_path, [node], {"w": w}, x.shape)
    assert shape_of(found["y"].type) == expected[0].shape


def test_pads_of_wide_windows_are_written_as_the_runtime_takes_them(tmp_path):
    from autosplit.formats.onnx.writer import model_proto
    from autosplit.lowering.normalize_onnx import normalize

    x = np.random.default_rng(0).standard_normal((1, 2, 9, 8)).astype(np.float32)
    node = helper.make_node("MaxPool", ["x"], ["y"], **WINDOWS["wide"])
    expected = run([node], {"x": x}, ["y"])
    assert expected is not None
    inputs = [helper.make_tensor_value_info("x", FLOAT, x.shape)]
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "m.onnx")
    module = load_model(tmp_path / "m.onnx").module
    normalize(module)
    (written,) = model_proto(module, None).graph.node
    assert "auto_pad" not in [a.name for a in written.attribute]
    assert "pads" in [a.name for a in written.attribute]
    found = run([written], {"x": x}, ["y"])
    assert found is not None
    np.testing.assert_array_equal(found[0], expected[0])
