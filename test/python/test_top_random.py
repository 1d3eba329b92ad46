"""Random nets on the chips' emulators, beside ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from convert_toolchain import needs_toolchain
from random_top import RandomModel
from sampled import sample
from top_numbers import compare, module_of, refusals
from xdsl.context import Context
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block

from autosplit.dialects.top import AttrValue, TopOp, make_op
from autosplit.lowering.top.protect_operands import TopProtectOperandsPass

T = TensorType(f32, [2, 3])

SEEDS = range(1000, 1024)
MORE_SEEDS = range(2000, 2300)


@needs_toolchain
@pytest.mark.parametrize("seed", sample(SEEDS, 7))
def test_random_nets(seed: int):
    check(seed, "bm1684", "F32", 5)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("seed", MORE_SEEDS)
def test_many_random_nets(seed: int):
    chip, mode = [("bm1684", "F32"), ("bm1684x", "F32"), ("bm1688", "F32")][seed % 3]
    check(seed, chip, mode, 1 + seed % 8)


def check(seed: int, chip: str, mode: str, size: int) -> None:
    random = RandomModel(seed, size)
    model, feeds = random.model(), random.feeds()
    if refused := refusals(model, chip):
        pytest.skip(f"refused: {refused[0][1]}")
    compare(model, feeds, chip, mode)


# Operands that kernels spoil.


ATTRS: dict[str, dict[str, AttrValue]] = {
    "AddConst": {"const_val": 0.0},
    "MulConst": {"const_val": 2.0},
    "Reshape": {"shape": [2, 3]},
}


def block_of(*nodes: tuple[str, str, tuple[str, ...]]) -> Block:
    """Ops by kind, name and operands; `x` is there."""
    block = Block(arg_types=[T])
    source = make_op("Input", [block.args[0]], [T], ["x"], {})
    block.add_op(source)
    values = {"x": source.outputs[0]}
    for kind, name, operands in nodes:
        attrs = ATTRS.get(kind, {})
        op = make_op(kind, [values[o] for o in operands], [T], [name], attrs)
        block.add_op(op)
        values[name] = op.outputs[0]
    return block


def protected(*nodes: tuple[str, str, tuple[str, ...]], chip: str = "bm1684") -> list[str]:
    """The names of the copies that are made."""
    block = block_of(*nodes)
    TopProtectOperandsPass(chip).apply(Context(), module_of(block))
    copies = [op for op in block.ops if isinstance(op, TopOp) and op.kind == "LeakyRelu"]
    slopes = {(op.inputs[0], op.number("alpha")) for op in copies}
    assert len(copies) == len(slopes)
    assert all(np.float32(slope) == 1.0 != slope for _, slope in slopes)
    assert all(op.outputs[0].has_one_use() for op in copies)
    return [op.names[0] for op in copies]


def test_what_others_read_is_copied():
    assert protected(("Abs", "n", ("x",)), ("Tanh", "t", ("x",))) == ["t/kept"]
    assert protected(("Tanh", "t", ("x",)), ("Mul", "m", ("x", "t"))) == ["t/kept"]
    assert protected(("Sqrt", "a", ("x",)), ("Log", "b", ("x",))) == ["a/kept", "b/kept"]


def test_views_are_what_they_are_views_of():
    assert protected(("Abs", "a", ("x",)), ("Reshape", "r", ("x",)), ("Sigmoid", "s", ("r",))) == [
        "s/kept"
    ]


def test_values_that_the_tool_chain_makes_one_have_the_readers_of_both():
    twice = [("Abs", "a", ("x",)), ("Abs", "b", ("x",))]
    assert protected(*twice, ("Tanh", "t", ("a",)), ("Floor", "n", ("b",))) == ["t/kept"]
    nothing = [("AddConst", "a", ("x",)), ("Tanh", "t", ("a",))]
    assert protected(*nothing) == []
    assert protected(*nothing, ("Abs", "n", ("x",))) == ["t/kept"]


def test_products_are_other_values():
    assert protected(("MulConst", "a", ("x",)), ("Tanh", "t", ("a",)), ("Abs", "n", ("x",))) == []


def test_what_nobody_else_reads_is_not_copied():
    assert protected(("Abs", "a", ("x",)), ("Tanh", "t", ("a",))) == []
    assert protected(("Abs", "a", ("x",)), ("Floor", "e", ("x",))) == []
    assert protected(("Abs", "a", ("x",)), ("Tanh", "t", ("x",)), chip="bm1684x") == []


def test_a_silu_stays_one():
    silu = [("Sigmoid", "s", ("x",)), ("Mul", "m", ("x", "s"))]
    assert protected(*silu) == []
    assert protected(*silu, ("Abs", "a", ("x",))) == ["s/kept"]


@needs_toolchain
@pytest.mark.parametrize("kind", ["Sigmoid", "Tanh", "Sqrt", "Log"])
def test_numbers_of_what_others_read(kind: str):
    from onnx import helper
    from top_numbers import many_ops

    nodes = [
        helper.make_node("Mul", ["x", "x"], ["b"]),
        helper.make_node(kind, ["x"], ["a"]),
        helper.make_node("Add", ["a", "b"], ["c"]),
    ]
    x = np.random.default_rng(0).uniform(0.5, 2, (1, 4, 6, 6)).astype(np.float32)
    compare(many_ops(nodes, {"x": x}, ["c"]), {"x": x})


@needs_toolchain
def test_small_numbers_that_exp_reads_stay():
    """BM1684 raises what is less than -103 where Exp reads it."""
    from onnx import helper
    from top_numbers import many_ops

    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Exp", ["n"], ["a"]),
        helper.make_node("Sub", ["n", "a"], ["c"]),
    ]
    x = np.random.default_rng(0).uniform(50, 300, (1, 4, 6, 6)).astype(np.float32)
    compare(many_ops(nodes, {"x": x}, ["c"]), {"x": x})
