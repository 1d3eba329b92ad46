"""F32 attention is f32: TPU-MLIR makes one op of the products around a Softmax, which computes in f16."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import helper
from top_numbers import Array, compare, many_ops, refusals, top_module

from autosplit.dialects.top import TopOp

LENGTH, KEYS, WIDTH = 12, 10, 32
EXACT = 5e-6
"""How far f32 is off by itself; an attention that rounds to f16 on its way is off by 2e-4 and more."""


@dataclass(frozen=True)
class Block:
    """Queries, keys and values of an input, their attention, and a projection of it."""

    heads: int = 4
    scale: str = "behind"
    """`before` or `behind` the first product, by a quotient (`divided`), or nowhere (`none`)."""
    mask: str = ""
    """What is added: a constant for each `key`, one for `all` pairs, or a `computed` one for each key."""
    keys: str = "turned"
    """`turned` last, `once` by a single Transpose, or `flat`: batch and heads are one axis."""
    cross: bool = False
    """Whether keys and values come from another input."""
    batch: int = 2
    projection: str = "MatMul"
    """`MatMul` with a bias behind it, or a `Gemm` of two dimensions, or `none`."""

    def nodes(self, p: str) -> Iterator[onnx.NodeProto]:
        """The nodes, with names that begin with `p`; the result is called `out`."""
        n, h, d = self.batch, self.heads, WIDTH // self.heads
        sources = {"q": "x", "k": "c" if self.cross else "x", "v": "c" if self.cross else "x"}
        for name, source in sources.items():
            length = LENGTH if source == "x" else KEYS
            yield _node("MatMul", p, [source, f"w{name}"], f"{name}0")
            yield _node("Add", p, [f"{name}0", f"b{name}"], f"{name}1")
            yield _view(p, f"{name}1", [n, length, h, d], f"{name}2")
            perm = [0, 2, 3, 1] if name == "k" and self.keys == "once" else [0, 2, 1, 3]
            made = f"{name}3" if self.keys == "flat" else f"{name}4"
            yield _node("Transpose", p, [f"{name}2"], made, perm=perm)
            if self.keys == "flat":
                yield _view(p, made, [n * h, length, d], f"{name}4")
        key = "k4"
        if self.keys != "once":
            key = "k5"
            perm = [0, 2, 1] if self.keys == "flat" else [0, 1, 3, 2]
            yield _node("Transpose", p, ["k4"], key, perm=perm)
        query = "q4"
        if self.scale == "before":
            query = "q5"
            yield _node("Mul", p, ["q4", "scale"], query)
        yield _node("MatMul", p, [query, key], "s0")
        scores = "s0"
        if self.scale in ("behind", "divided"):
            scores = "s1"
            kind, by = ("Mul", "scale") if self.scale == "behind" else ("Div", "root")
            yield _node(kind, p, ["s0", by], scores)
        if self.mask:
            yield _node("Add", p, [scores, "mask"], "s2")
            scores = "s2"
        yield _node("Softmax", p, [scores], "s3", axis=-1)
        yield _node("MatMul", p, ["s3", "v4"], "a0")
        if self.keys == "flat":
            yield _view(p, "a0", [n, h, LENGTH, d], "a1")
        yield _node(
            "Transpose", p, ["a1" if self.keys == "flat" else "a0"], "a2", perm=[0, 2, 1, 3]
        )
        rows = [n * LENGTH, WIDTH] if self.projection == "Gemm" else [n, LENGTH, WIDTH]
        yield _view(p, "a2", rows, "out" if self.projection == "none" else "a3")
        if self.projection == "Gemm":
            yield _node("Gemm", p, ["a3", "wo", "bo"], "out", transB=1)
        if self.projection == "MatMul":
            yield _node("MatMul", p, ["a3", "wo"], "o0")
            yield _node("Add", p, ["o0", "bo"], "out")

    def arrays(self, p: str) -> tuple[dict[str, Array], dict[str, Array]]:
        """What the model is fed with, and its constants."""
        random = np.random.default_rng(len(p) + self.heads)
        keys = KEYS if self.cross else LENGTH

        def drawn(*shape: int) -> Array:
            return random.standard_normal(shape).astype(np.float32)

        feeds = {f"{p}x": drawn(self.batch, LENGTH, WIDTH)}
        if self.cross:
            feeds[f"{p}c"] = drawn(self.batch, KEYS, WIDTH)
        root = sqrt(WIDTH / self.heads)
        found: dict[str, Array] = {
            "scale": np.array(1 / root, np.float32),
            "root": np.array(root, np.float32),
        }
        for name in ("q", "k", "v", "o")[: 3 if self.projection == "none" else 4]:
            found |= {f"w{name}": drawn(WIDTH, WIDTH) / 4, f"b{name}": drawn(WIDTH)}
        if self.mask == "key":
            found["mask"] = drawn(1, 1, 1, keys) * 4
        if self.mask == "all":
            found["mask"] = np.triu(np.full((LENGTH, keys), -1e4, np.float32), 1)
        if self.mask == "computed":
            feeds[f"{p}mask"] = drawn(self.batch, 1, 1, keys) * 4
        return feeds, {f"{p}{name}": array for name, array in found.items()}


def _node(kind: str, p: str, operands: list[str], result: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, [p + o for o in operands], [p + result], p + result, **attributes)


def _view(p: str, operand: str, sizes: list[int], result: str) -> onnx.NodeProto:
    # The sizes are a constant that the caller collects by its name.
    return _node("Reshape", p, [operand, "to_" + "_".join(map(str, sizes))], result)


BLOCKS = {
    "plain": Block(),
    "one-head": Block(heads=1),
    "many-heads": Block(heads=8, batch=1),
    "before": Block(scale="before"),
    "divided": Block(scale="divided"),
    "unscaled": Block(scale="none"),
    "mask-of-keys": Block(mask="key"),
    "mask-of-all": Block(mask="all"),
    "mask-computed": Block(mask="computed"),
    "once": Block(keys="once"),
    "once-one-head": Block(keys="once", heads=1),
    "flat": Block(keys="flat"),
    "flat-mask": Block(keys="flat", batch=1),
    "cross": Block(cross=True),
    "cross-once-mask": Block(cross=True, keys="once", mask="computed"),
    "gemm": Block(projection="Gemm", batch=1),
    "bare": Block(projection="none"),
}


def model(blocks: dict[str, Block]) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """One model of all, and what to feed it."""
    nodes: list[onnx.NodeProto] = []
    feeds: dict[str, Array] = {}
    constants: dict[str, Array] = {}
    outputs: list[str] = []
    for i, block in enumerate(blocks.values()):
        p = f"n{i}_"
        nodes += block.nodes(p)
        given, known = block.arrays(p)
        feeds |= given
        constants |= known
        outputs.append(f"{p}out")
    for node in nodes:
        if node.op_type == "Reshape":
            sizes = node.input[1].split("_to_")[1].split("_")
            constants[node.input[1]] = np.array([int(s) for s in sizes], np.int64)
    read = {name for node in nodes for name in node.input}
    constants = {name: array for name, array in constants.items() if name in read}
    return many_ops(nodes, feeds, outputs, constants), feeds


@pytest.mark.parametrize("name", BLOCKS)
def test_copies(name: str):
    made, _ = model({name: BLOCKS[name]})
    needed = BLOCKS[name].projection != "none"
    assert copies(made, "bm1684x") == needed
    assert copies(made, "bm1684x", "F16") == copies(made, "bm1684") == copies(made, "bm1688") == 0


def copies(model: onnx.ModelProto, chip: str, mode: str = "F32") -> int:
    """How many copies keep ops apart."""
    ops = [op for op in top_module(model, chip, mode).walk() if isinstance(op, TopOp)]
    return sum(op.kind == "LeakyRelu" and op.names[0].endswith("/apart") for op in ops)


@needs_toolchain
@pytest.mark.parametrize("names", [("plain", "mask-computed", "flat-mask", "cross")])
def test_attention_is_f32(names: tuple[str, ...]):
    made, feeds = model({name: BLOCKS[name] for name in names})
    compare(made, feeds, "bm1684x", tolerance=EXACT)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x", "bm1688"])
def test_every_attention_is_f32(chip: str):
    made, feeds = model(BLOCKS)
    assert refusals(made, chip) == []
    compare(made, feeds, chip, tolerance=EXACT)
