"""Random ONNX models: control flow that captures, sizes of data, sequences, every dtype, odd names.

Names of values may hold any character, and those of nodes may be empty, or the name of a value.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (2, 3, 4, 4)

ODD = ("", "", "", "", "/", ":0", " ", "é", '"', "^", "\\", "%", "#", "=", "{x}", "_")
"""What names of values end in; half of them plain."""

# Not float16: ONNX Runtime computes it in float32 between nodes, so that a cut changes bits; see the README.
DTYPES = (
    TensorProto.DOUBLE,
    TensorProto.INT8,
    TensorProto.INT16,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.UINT8,
    TensorProto.UINT32,
    TensorProto.BOOL,
    TensorProto.STRING,
)


class _Builder:
    """Grows a graph op by op; all values in `pool` are float32 of SHAPE."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.pool = ["x", "y"]
        self.count = 0
        self.constants = [
            self.constant("kernel", self.random.standard_normal((3, 3, 3, 3)) * 0.2),
            self.constant("bias", self.random.standard_normal(3)),
            self.constant("square", self.random.standard_normal((4, 4)) * 0.3),
            self.constant("one", np.array(1, np.int64)),
            self.constant("each", np.array(2, np.int64)),
            self.constant("two", np.array([2], np.int64)),
            self.constant("axes", np.array([0, 1, 2, 3], np.int64)),
            self.constant("first", np.array([0], np.int64)),
            self.constant("rest", np.array([1, 2, 3], np.int64)),
            self.constant("half", np.array(0.5, np.float32)),
            self.constant("trips", np.array(3, np.int64)),
            self.constant("true", np.array(True)),
        ]

    def constant(self, name: str, array: np.ndarray) -> onnx.TensorProto:
        return numpy_helper.from_array(
            array.astype(np.float32) if array.dtype == np.float64 else array, name
        )

    def fresh(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}{self.random.choice(ODD)}"

    def label(self, names: list[str]) -> str:
        """A node's name: mostly its own, else none, or that of a value. No two may have the same."""
        kind = int(self.random.integers(8))
        if kind == 0:
            return ""
        other = str(self.random.choice(self.pool))
        taken = {node.name for node in self.nodes}
        return other if kind == 1 and other not in taken else f"n_{names[0]}"

    def node(
        self, kind: str, inputs: list[str], outputs: int = 1, **attributes: object
    ) -> list[str]:
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        label = self.label(names)
        self.nodes.append(helper.make_node(kind, inputs, names, name=label, **attributes))
        return names

    def pick(self) -> str:
        # Late values are likelier, so that graphs get deep.
        return self.pool[-1 - int(min(self.random.exponential(2.0), len(self.pool) - 1))]

    def grow(self) -> None:
        makers = [
            self.unary, self.unary, self.binary, self.binary, self.conv, self.matmul, self.branch,
            self.loop, self.nonzero, self.topk, self.halves, self.reshaped,
            self.reshaped_in_parts, self.identity, self.other_dtype, self.sequence, self.optional,
            self.nested, self.sized,
        ]  # fmt: skip
        self.pool.append(makers[int(self.random.integers(len(makers)))]())

    def unary(self) -> str:
        kind = str(self.random.choice(["Relu", "Sigmoid", "Neg", "Abs", "Tanh"]))
        return self.node(kind, [self.pick()])[0]

    def binary(self) -> str:
        kind = str(self.random.choice(["Add", "Sub", "Mul", "Max"]))
        return self.node(kind, [self.pick(), self.pick()])[0]

    def conv(self) -> str:
        return self.node("Conv", [self.pick(), "kernel", "bias"], pads=[1, 1, 1, 1])[0]

    def matmul(self) -> str:
        return self.node("MatMul", [self.pick(), "square"])[0]

    def identity(self) -> str:
        return self.node("Identity", [self.pick()])[0]

    def condition(self) -> str:
        mean = self.node("ReduceMean", [self.pick()], keepdims=0)[0]
        return self.node("Greater", [mean, "half"])[0]

    def branch(self) -> str:
        bodies = []
        for kind in ("Add", "Mul"):
            out = self.fresh("branch")
            node = helper.make_node(kind, [self.pick(), self.pick()], [out])
            bodies.append(helper.make_graph([node], kind, [], [self.info(out)]))
        return self.node("If", [self.condition()], then_branch=bodies[0], else_branch=bodies[1])[0]

    def loop(self) -> str:
        i, go, state, out, kept = (self.fresh(h) for h in ("i", "go", "s", "o", "k"))
        nodes = [
            helper.make_node("Conv", [state, "kernel", "bias"], [kept], pads=[1, 1, 1, 1]),
            helper.make_node("Add", [kept, self.pick()], [out]),
            helper.make_node("Identity", [go], [f"{go}_next"]),
        ]
        body = helper.make_graph(
            nodes,
            "body",
            [
                helper.make_tensor_value_info(i, TensorProto.INT64, []),
                helper.make_tensor_value_info(go, TensorProto.BOOL, []),
                self.info(state),
            ],
            [helper.make_tensor_value_info(f"{go}_next", TensorProto.BOOL, []), self.info(out)],
        )
        return self.node("Loop", ["trips", "true", self.pick()], body=body)[0]

    def nonzero(self) -> str:
        found = self.node("NonZero", [self.node("Relu", [self.pick()])[0]])[0]
        number = self.node("Cast", [found], to=TensorProto.FLOAT)[0]
        total = self.node("ReduceMean", [number], keepdims=0)[0]
        return self.node("Mul", [self.pick(), total])[0]

    def topk(self) -> str:
        values, places = self.node("TopK", [self.pick(), "two"], 2, axis=3)
        other = self.node("Cast", [places], to=TensorProto.FLOAT)[0]
        return self.node("Concat", [values, other], axis=3)[0]

    def halves(self) -> str:
        left, right = self.node("Split", [self.pick()], 2, axis=2)
        return self.node("Concat", [right, left], axis=2)[0]

    def reshaped(self) -> str:
        shape = self.node("Shape", [self.pick()])[0]
        flat = self.node("Flatten", [self.pick()])[0]
        return self.node("Reshape", [flat, shape])[0]

    def reshaped_in_parts(self) -> str:
        """A shape that is taken apart and put together, as exporters write it."""
        shape = self.node("Shape", [self.pick()])[0]
        parts = [self.node("Gather", [shape, which])[0] for which in ("first", "rest")]
        flat = self.node("Flatten", [self.pick()])[0]
        return self.node("Reshape", [flat, self.node("Concat", parts, axis=0)[0]])[0]

    def other_dtype(self) -> str:
        """Through another dtype and back."""
        small = self.node("Tanh", [self.pick()])[0]
        dtype = int(self.random.choice(DTYPES))
        cast = self.node("Cast", [small], to=dtype)[0]
        if dtype not in (TensorProto.STRING, TensorProto.BOOL):
            cast = (
                self.node("Add", [cast, cast])[0] if dtype > 9 else self.node("Identity", [cast])[0]
            )
        return self.node("Cast", [cast], to=TensorProto.FLOAT)[0]

    def sequence(self) -> str:
        """Apart along an axis, and together again, or two values and one of them."""
        if self.random.random() < 0.5:
            parts = self.node("SplitToSequence", [self.pick(), "each"], axis=2)[0]
            return self.node("ConcatFromSequence", [parts], axis=2)[0]
        both = self.node("SequenceConstruct", [self.pick(), self.pick()])[0]
        return self.node("SequenceAt", [both, "one"])[0]

    def optional(self) -> str:
        return self.node("OptionalGetElement", [self.node("Optional", [self.pick()])[0]])[0]

    def nested(self) -> str:
        """An If whose branches read values of the graph around them, one of them in an If of its own."""
        inner, outer = self.condition(), self.condition()
        leaves = []
        for kind in ("Sub", "Max"):
            out = self.fresh("leaf")
            node = helper.make_node(kind, [self.pick(), self.pick()], [out])
            leaves.append(helper.make_graph([node], kind, [], [self.info(out)]))
        names = [self.fresh("branch"), self.fresh("branch")]
        deep = helper.make_node(
            "If", [inner], [names[0]], then_branch=leaves[0], else_branch=leaves[1]
        )
        flat = helper.make_node("Abs", [self.pick()], [names[1]])
        bodies = [
            helper.make_graph([node], "branch", [], [self.info(name)])
            for node, name in zip((deep, flat), names, strict=True)
        ]
        return self.node("If", [outer], then_branch=bodies[0], else_branch=bodies[1])[0]

    def sized(self) -> str:
        """A constant of a size that is computed from another value's."""
        shape = self.node("Shape", [self.pick()])[0]
        ones = self.node("ConstantOfShape", [shape])[0]
        return self.node("Add", [self.pick(), ones])[0]

    def info(self, name: str) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE)


def random_model(seed: int, size: int) -> onnx.ModelProto:
    """A valid model of about `size` steps with inputs x and y and one to three outputs."""
    builder = _Builder(seed)
    for _ in range(size):
        builder.grow()
    made = builder.pool[2:]
    count = min(len(made), 1 + int(builder.random.integers(3)))
    outputs = list(dict.fromkeys([made[-1], *builder.random.choice(made, count)]))
    graph = helper.make_graph(
        builder.nodes,
        "random",
        [builder.info("x"), builder.info("y")],
        [builder.info(str(name)) for name in outputs],
        builder.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model
