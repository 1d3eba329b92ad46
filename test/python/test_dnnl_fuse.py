"""dnnl-fuse: its two policies agree, its partitions compute what their ops did, and what stays says why."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TensorType, f32
from xdsl.ir import Attribute, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.versions import parse_version
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.dnnl import AttrValue, DnnlOp, GraphOp, PartitionOp, dtype_name
from autosplit.dialects.platform import shape_of
from autosplit.formats.dnnl_json.reader import read_graph
from autosplit.interpret import dnnl as interpreter
from autosplit.lowering.dnnl.fuse import DnnlFusePass, Keep, Policy, fuse
from autosplit.lowering.dnnl.rules.match import Graph, drop_cyclic, make_group
from autosplit.lowering.dnnl.rules.parts import Link, Rule, Source, Step
from autosplit.lowering.rewriting import hearing_why
from autosplit.runtime.dnnl.build import LoadedPartition
from autosplit.runtime.dnnl.library import library
from autosplit.testing.dnnl.graphs import S8, U8, Oracle, Sketch, groups_of, random_graph, text_of

VERSION = library().version[:2]
CORPUS = Path(__file__).parents[3] / "shared" / "data" / "onednn-graphs-int8"
TABLE = Path(__file__).with_name("data") / "onednn_partitions_3.2.json"

Array = NDArray[Any]
Build = Callable[[Sketch], SSAValue]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    found = Oracle()
    yield found
    found.close()


def _graph(module: ModuleOp) -> GraphOp:
    (graph,) = (op for op in module.walk() if isinstance(op, GraphOp))
    return graph


def _module(build: Callable[[Sketch], object]) -> ModuleOp:
    sketch = Sketch()
    build(sketch)
    return sketch.module()


def _agree(oracle: Oracle, seed: int, size: int) -> None:
    module = random_graph(Random(seed), size)
    expected = oracle.groups(module)
    fuse(module, VERSION, keep="all")
    module.verify()
    assert groups_of(module) == expected, text_of(random_graph(Random(seed), size))


@pytest.mark.skipif(VERSION == (3, 6), reason="3.6.2 crashes on convolutions with plain weights")
@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 1 << 40), size=st.integers(2, 30))
def test_patterns_and_library_agree_on_random_graphs(oracle: Oracle, seed: int, size: int):
    _agree(oracle, seed, size)


@pytest.mark.nightly
@pytest.mark.skipif(VERSION == (3, 6), reason="3.6.2 crashes on convolutions with plain weights")
def test_patterns_and_library_agree_on_many_random_graphs(oracle: Oracle):
    for seed in range(3000):
        _agree(oracle, seed, 2 + seed % 40)


def test_the_backend_policy_takes_what_the_library_answers():
    for seed in range(10):
        module, other = random_graph(Random(seed), 12), random_graph(Random(seed), 12)
        found = fuse(module, VERSION, policy="backend", keep="int8")
        assert {p.rule.data for p in found} <= {"backend"}
        fuse(other, VERSION, keep="int8")
        assert groups_of(module) == groups_of(other)


def test_the_backend_policy_wants_the_installed_version():
    with pytest.raises(AutosplitError, match=r"asks the installed oneDNN .* the target says 3\.99"):
        fuse(_module(lambda s: s.q(s.arg())), (3, 99), policy="backend")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of JSON files is not there")
def test_the_library_s_groups_on_its_own_examples():
    """By the recorded table, so that what the installed library does plays no part."""
    rows: dict[str, dict[str, Any]] = json.loads(TABLE.read_text())
    assert {p.name for p in CORPUS.glob("*.json")} == set(rows)
    counts: list[int] = []
    for name, row in rows.items():
        if name == "int8_maxpool_add_mul_fusion.json":
            with pytest.raises(AutosplitError, match="4257"):
                read_graph(CORPUS / name)
            continue
        module = read_graph(CORPUS / name)
        fuse(module, (3, 2), keep="all")
        module.verify()
        if "refused" in row:
            left = [op for op in _graph(module).body_ops if "dnnl.unfused" in op.attributes]
            assert [_reason(op) for op in left] == [
                "GroupNorm needs oneDNN 3.6, the target says 3.2"
            ]
            continue
        assert groups_of(module) == row["groups"], name
        counts.append(len(row["groups"]))
    assert (counts.count(1), len(counts)) == (43, 57)


# What partitions compute: all scales are powers of two and weights have 7 bits, so that sums are exact in f32
# and integers must be equal wherever no op rounds on its way.

ACT, WEIGHT = 1 / 128, 1 / 64


def _weights(sketch: Sketch, shape: Sequence[int], channels: int = 0, axis: int = 0) -> SSAValue:
    """Dequantized weights, with a scale of their own for each of some channels."""
    x = sketch.arg(S8, shape)
    if not channels:
        return sketch.dq(x, scales=[WEIGHT])
    scales = [WEIGHT / (1 + i % 2) for i in range(channels)]
    return sketch.dq(x, scales=scales, zps=[0] * channels, qtype="per_channel", axis=axis)


def _conv(
    spatial: int = 2, groups: int = 1, kernel: int = 3, kind: str = "Convolution", bias: bool = True
) -> Build:
    def build(s: Sketch) -> SSAValue:
        x = s.dq(s.arg(U8, (2, 8, *[5] * spatial)), zp=3, scales=[ACT])
        per_channel = 8 if kind == "Convolution" else 0
        w = _weights(s, (8, 8 // groups, *[kernel] * spatial), per_channel)
        pad = [kernel // 2] * spatial
        return s.op(
            *(kind, x, w, *([s.arg(f32, (8,))] if bias else [])),
            strides=[1] * spatial,
            dilations=[1] * spatial,
            pads_begin=pad,
            pads_end=pad,
            groups=groups,
            data_format="NCX",
            weights_format="OIX" if kind == "Convolution" else "IOX",
        )

    return build


def _linear(s: Sketch) -> SSAValue:
    x = s.dq(s.arg(U8, (5, 16)), zp=7, scales=[ACT])
    bias = s.arg(f32, (8,))
    return s.op("MatMul", x, _weights(s, (16, 8), 8, axis=1), bias, to=TensorType(f32, (5, 8)))


def _bmm(s: Sketch) -> SSAValue:
    x = s.dq(s.arg(U8, (2, 3, 4, 8)), zp=1, scales=[ACT])
    return s.op("MatMul", x, _weights(s, (2, 3, 8, 4)), to=TensorType(f32, (2, 3, 4, 4)))


ROOTS: dict[str, Build] = {
    "conv": _conv(),
    "conv-no-bias": _conv(bias=False),
    "conv-1x1": _conv(kernel=1),
    "conv-grouped": _conv(groups=2),
    "conv-depthwise": _conv(groups=8),
    "conv-1d": _conv(1),
    "conv-3d": _conv(3),
    "conv-transpose": _conv(kind="ConvTranspose"),
    "linear": _linear,
    "bmm": _bmm,
}


def _sum(s: Sketch, x: SSAValue, dtype: Attribute = U8) -> SSAValue:
    other = s.dq(s.arg(dtype, shape_of(x.type) or ()), zp=5, scales=[ACT])
    return s.op("Add", x, other)


def _gate(s: Sketch, x: SSAValue, kind: str = "Sigmoid", **attrs: float) -> SSAValue:
    return s.op("Multiply", x, s.op(kind, x, to=None, **attrs))


EXACT: dict[str, Callable[[Sketch, SSAValue], SSAValue]] = {
    "none": lambda s, x: x,
    "relu": lambda s, x: s.op("ReLU", x),
    "abs": lambda s, x: s.op("Abs", x),
    "clamp": lambda s, x: s.op("Clamp", x, min=-1.0, max=6.0),
    "leaky-relu": lambda s, x: s.op("LeakyReLU", x, alpha=0.25),
    "round": lambda s, x: s.op("Round", x),
    "square": lambda s, x: s.op("Square", x),
    "div": lambda s, x: s.op("Divide", x, s.arg(f32, (1,))),
    "add-f32": lambda s, x: s.op("Add", x, s.arg(f32, shape_of(x.type) or ())),
}
"""What may stand between a product and its quantize without rounding."""
ROUNDED: dict[str, Callable[[Sketch, SSAValue], SSAValue]] = {
    "gelu": lambda s, x: s.op("GELU", x),
    "sigmoid": lambda s, x: s.op("Sigmoid", x),
    "silu": _gate,
    "hard-swish": lambda s, x: s.op("HardSwish", x),
    "hard-sigmoid-gate": lambda s, x: _gate(s, x, "HardSigmoid", alpha=0.25, beta=0.5),
    "mish": lambda s, x: s.op("Mish", x),
    "tanh": lambda s, x: s.op("Tanh", x),
    "elu": lambda s, x: s.op("Elu", x, alpha=0.5),
    "exp": lambda s, x: s.op("Exp", s.op("Clamp", x, min=-4.0, max=2.0)),
    "soft-plus": lambda s, x: s.op("SoftPlus", x),
    "sqrt": lambda s, x: s.op("Sqrt", s.op("Abs", x)),
}
SUMS: dict[str, Callable[[Sketch, SSAValue], SSAValue]] = {
    "sum": _sum,
    "sum-relu": lambda s, x: s.op("ReLU", _sum(s, x)),
}
MAIN = ("conv", "linear", "bmm")


def _arrays(graph: GraphOp, seed: int = 0) -> list[Array]:
    """Values for the inputs: bytes of the full range, weights of 7 bits, halves for floats."""
    random = np.random.default_rng(seed)
    return [_array(random, argument) for argument in graph.body.block.args]


def _array(random: np.random.Generator, value: SSAValue) -> Array:
    shape = shape_of(value.type) or ()
    match dtype_name(value.type):
        case "u8":
            return np.floor(random.random(shape) * 256).astype(np.uint8)
        case "s8":
            return np.floor(random.random(shape) * 127 - 63).astype(np.int8)
        case _ if shape == (1,):
            return np.full(shape, 4, np.float32)
        case _:
            return np.floor(random.random(shape) * 17 - 8).astype(np.float32) / 2


def _execute(graph: GraphOp, inputs: Sequence[Array]) -> list[Array]:
    """The results of a graph of partitions, by the library."""
    values: dict[SSAValue, Array] = dict(zip(graph.body.block.args, inputs, strict=True))
    kinds = {"f32": np.float32, "u8": np.uint8, "s8": np.int8}
    for partition in graph.partitions:
        given = [values[v] for v in partition.inputs]
        ready = LoadedPartition(partition).compile([a.shape for a in given])
        made = [
            np.zeros(shape_of(r.type) or (), kinds[str(dtype_name(r.type))])
            for r in partition.outputs
        ]
        ready.bind(given, made)()
        values |= dict(zip(partition.outputs, made, strict=True))
    return [values[v] for v in graph.returned]


def _computes(build: Callable[[Sketch], object], partitions: int, quanta: int = 0) -> None:
    """The fused graph has so many partitions and gives what its ops gave, here and in the library."""
    module = _module(build)
    graph = _graph(module)
    inputs = _arrays(graph)
    (before,) = interpreter.run(graph, inputs)
    fuse(module, VERSION, keep="all")
    module.verify()
    assert len(graph.partitions) == partitions, [p.rule.data for p in graph.partitions]
    (after,) = interpreter.run(graph, inputs)
    np.testing.assert_array_equal(after, before)
    (found,) = _execute(graph, inputs)
    if before.dtype == np.float32:
        np.testing.assert_allclose(found, before, rtol=2e-5, atol=2e-5)
        return
    assert len(np.unique(before)) > 2
    difference = np.abs(found.astype(int) - before.astype(int))
    assert difference.max() <= quanta
    # Where an op rounds, a value in a hundred may fall on the other side of a half.
    assert quanta == 0 or (difference > 0).mean() <= (0.25 if quanta > 1 else 0.01)


@pytest.mark.parametrize("end", [*EXACT, *ROUNDED])
@pytest.mark.parametrize("root", MAIN)
def test_int8_to_f32(root: str, end: str):
    _computes(lambda s: (EXACT | ROUNDED)[end](s, ROOTS[root](s)), 1)


@pytest.mark.parametrize("end", SUMS)
@pytest.mark.parametrize("root", MAIN)
def test_an_int8_sum_with_f32_output_is_two_partitions(root: str, end: str):
    _computes(lambda s: SUMS[end](s, ROOTS[root](s)), 2)


@pytest.mark.parametrize("end", [*EXACT, *SUMS])
@pytest.mark.parametrize("root", ROOTS)
def test_int8_to_int8(root: str, end: str):
    _computes(lambda s: s.q((EXACT | SUMS)[end](s, ROOTS[root](s)), zp=100, scales=[0.125]), 1)


@pytest.mark.parametrize(("other", "to"), [(U8, S8), (S8, U8), (S8, S8), (U8, U8)], ids=str)
@pytest.mark.parametrize("policy", ["patterns", "backend"])
@pytest.mark.parametrize("root", ROOTS)
def test_a_sum_of_other_bytes_is_exact(root: str, policy: Policy, other: Attribute, to: Attribute):
    """The library adds bytes of the other sign wrongly, so that they are dequantized by themselves."""
    module = _module(lambda s: s.q(_sum(s, ROOTS[root](s), other), to=to, zp=3, scales=[0.125]))
    graph = _graph(module)
    inputs = _arrays(graph)
    (before,) = interpreter.run(graph, inputs)
    fuse(module, VERSION, policy, keep="border")
    fits = other == to or ("conv" in root and root != "conv-transpose" and other == S8)
    assert len(graph.partitions) == (1 if fits else 2)
    (found,) = _execute(graph, inputs)
    np.testing.assert_array_equal(found, before)


@pytest.mark.parametrize("end", ROUNDED)
@pytest.mark.parametrize("root", MAIN)
def test_int8_to_int8_by_an_op_that_rounds(root: str, end: str):
    _computes(lambda s: s.q(ROUNDED[end](s, ROOTS[root](s)), zp=9, scales=[0.03125]), 1, quanta=1)


def _pooled(kind: str) -> Build:
    def build(s: Sketch) -> SSAValue:
        x = s.dq(s.arg(U8, (2, 8, 6, 6)), zp=3, scales=[0.125])
        given: dict[str, AttrValue] = {"kernel": [2, 2], "strides": [2, 2], "data_format": "NCX"}
        given |= {"pads_begin": [0, 0], "pads_end": [0, 0]}
        given |= {"exclude_pad": True} if kind == "AvgPool" else {}
        x = s.op(kind, x, to=TensorType(f32, (2, 8, 3, 3)), **given)
        return s.q(x, zp=5, scales=[0.25])

    return build


WRONG: dict[str, Callable[[Sketch], object]] = {
    # What the library groups and then computes wrongly, or refuses, or ends the process at.
    "u8-weights": lambda s: s.conv(s.dq(), s.weights(U8)),
    "source-twice": lambda s: s.op("Subtract", s.weighted("MatMul", x := s.dq()), x),
    "value-twice": lambda s: s.q(_twice(s, s.weighted("MatMul", s.dq()))),
    "larger-result": lambda s: s.q(
        s.op("Add", s.weighted("MatMul", s.dq()), s.arg(shape=(3, 4, 4, 4)), to=_WIDE)
    ),
    "several-scales-to-add": lambda s: s.q(
        s.op(
            "Add",
            s.weighted("MatMul", s.dq()),
            s.dq(scales=[0.5] * 4, zps=[0] * 4, qtype="per_channel"),
        )
    ),
    "several-scales-behind": lambda s: s.q(
        s.weighted("MatMul", s.dq()), scales=[0.5, 1.0, 0.5, 1.0], zps=[0] * 4, qtype="per_channel"
    ),
    "pool-to-other-type": lambda s: s.q(s.pool(s.dq()), to=S8),
    "concat-of-two-types": lambda s: s.q(
        s.op("Concat", s.dq(), s.dq(of=S8), to=TensorType(f32, (1, 8, 4, 4)), axis=1)
    ),
    "reorder": lambda s: s.q(s.reorder(s.dq())),
    "bias-of-a-channel": lambda s: s.op(
        "BiasAdd", s.weighted("MatMul", s.dq()), s.arg(shape=(4,)), data_format="NCX"
    ),
}
if VERSION < (3, 6):
    WRONG["softmax-and-add"] = lambda s: s.q(s.op("Add", s.op("SoftMax", s.arg(), axis=3), s.arg()))
_WIDE = TensorType(f32, (3, 4, 4, 4))


def _twice(s: Sketch, x: SSAValue) -> SSAValue:
    return s.op("Multiply", x, x)


@pytest.mark.parametrize("case", WRONG)
def test_what_the_library_cannot_compute_is_no_partition(case: str):
    """What is left of the group runs, by either policy; the rest stays outside."""
    groups: list[list[list[int]]] = []
    policies: tuple[Policy, ...] = ("patterns", "backend")
    for policy in policies:
        module = _module(WRONG[case])
        graph = _graph(module)
        count = len(graph.body_ops)
        fuse(module, VERSION, policy)
        assert graph.body_ops, "all of it became partitions"
        assert all("dnnl.unfused" in op.attributes for op in graph.body_ops)
        assert sum(len(p.body_ops) for p in graph.partitions) < count
        for partition in graph.partitions:
            inputs = [_array(np.random.default_rng(0), v) for v in partition.inputs]
            LoadedPartition(partition).compile([a.shape for a in inputs])
        groups.append(groups_of(module))
    assert groups[0] == groups[1]


def test_max_pool():
    _computes(_pooled("MaxPool"), 1)


def test_average_pool():
    _computes(_pooled("AvgPool"), 1, quanta=1)


def test_concat():
    def build(s: Sketch) -> SSAValue:
        parts = [s.dq(s.arg(U8, (2, 3, 4)), zp=3, scales=[0.5]) for _ in range(3)]
        return s.q(
            s.op("Concat", *parts, to=TensorType(f32, (2, 9, 4)), axis=1), zp=3, scales=[0.5]
        )

    _computes(build, 1)


def test_layernorm_and_softmax_without_a_zero_point():
    _computes(lambda s: s.q(s.norm(s.arg()), to=S8, scales=[0.0625]), 1, quanta=1)
    _computes(lambda s: s.q(s.op("SoftMax", s.arg(), axis=3), scales=[0.00390625]), 1, quanta=1)


def test_layernorm_softmax_and_attention_scores_by_version():
    split = 1 if VERSION >= (3, 6) else 2

    def scores(s: Sketch) -> SSAValue:
        x = s.op("Divide", _bmm(s), s.arg(f32, (1,)))
        return s.op("Add", x, s.arg(f32, (2, 3, 4, 4)))

    _computes(scores, 1)
    _computes(lambda s: s.q(scores(s), zp=100, scales=[0.125]), split)
    _computes(lambda s: s.q(s.norm(s.arg()), zp=100, scales=[0.0625]), split, quanta=1)
    _computes(
        lambda s: s.q(s.op("SoftMax", s.arg(), axis=3), zp=1, scales=[0.0078125]), split, quanta=1
    )


# What stays, and why


def _reason(op: DnnlOp) -> str:
    reason = op.attributes["dnnl.unfused"]
    assert isinstance(reason, ReasonAttr)
    return reason.text.data


def _reasons(
    build: Callable[[Sketch], object], keep: Keep = "int8", *escaping: int
) -> dict[str, str]:
    """The reasons of the ops that stay, by kind."""
    sketch = Sketch()
    build(sketch)
    module = sketch.module(*(sketch.ops[i].results[0] for i in escaping))
    fuse(module, (3, 2), keep=keep)
    left = _graph(module).body_ops
    return {op.kind: _reason(op) for op in left}


def _attention_of_jax(s: Sketch) -> None:
    """As oneDNN's own tests have it from JAX: the scores are the second product's second operand."""
    q, k, v = (s.arg(shape=shape) for shape in ((2, 4, 8, 6), (2, 4, 6, 8), (2, 4, 6, 8)))
    scores = s.op("Divide", s.op("MatMul", q, k), s.arg(shape=(1,)))
    x = s.op("SoftMax", s.op("Add", scores, s.arg(shape=(2, 1, 1, 8))), axis=3)
    x = s.op("Reorder", s.op("StaticTranspose", x, order=[0, 1, 3, 2]))
    x = s.op("StaticTranspose", s.op("MatMul", v, x), order=[0, 3, 1, 2])
    s.op("StaticReshape", x, shape=[2, 8, 24], special_zero=False)


def _attention_of_many_queries(s: Sketch) -> None:
    q, k, v = (s.arg(shape=shape) for shape in ((2, 8, 6), (2, 6, 32), (2, 6, 8)))
    x = s.op("StaticReshape", s.op("MatMul", q, k), shape=[2, 8, 4, 8], special_zero=False)
    x = s.op("StaticTranspose", x, order=[0, 2, 1, 3])
    x = s.op("SoftMax", s.op("Add", x, s.arg(shape=(2, 4, 8, 8))), axis=3)
    x = s.op("StaticTranspose", x, order=[0, 2, 1, 3])
    s.op("MatMul", v, s.op("StaticReshape", x, shape=[2, 8, 32], special_zero=False))


@pytest.mark.parametrize(
    ("build", "rule"),
    [
        (_attention_of_jax, "turned-attention"),
        (_attention_of_many_queries, "multi-query-attention"),
    ],
)
def test_attention_that_the_library_has_from_3_6_on(build: Callable[[Sketch], None], rule: str):
    found = {
        version: [p.rule.data for p in fuse(_module(build), version, keep="all")]
        for version in ((3, 2), (3, 6))
    }
    assert found[3, 6] == [rule]
    assert len(found[3, 2]) > 1


def test_what_is_in_a_partition_has_no_reason():
    module = _module(lambda s: s.q(ROOTS["conv"](s)))
    fuse(module, (3, 2))
    assert not any("dnnl.unfused" in op.attributes for op in module.walk())
    (partition,) = _graph(module).partitions
    assert partition.rule.data == "int8-conv"


def test_a_dequantize_with_two_users():
    def build(s: Sketch) -> None:
        x = s.dq()
        s.weighted("Convolution", x)
        s.weighted("Convolution", x)

    found = _reasons(build)
    assert set(found.values()) == {"dequantize has 2 users"}
    assert set(found) == {"Dequantize", "Convolution"}


def test_a_result_that_others_read():
    def build(s: Sketch) -> None:
        x = s.op("ReLU", s.weighted("Convolution", s.dq()))
        s.q(x)
        s.op("Multiply", x, s.arg())

    found = _reasons(build)
    assert found["Quantize"] == "ReLU's result is read by Quantize and Multiply"
    assert _reasons(lambda s: s.q(s.weighted("Convolution", s.dq())), "int8", 2) == {
        "Quantize": "Convolution's result is also needed outside"
    }


def test_a_sum_without_a_quantize():
    found = _reasons(lambda s: s.op("Add", s.weighted("Convolution", s.dq()), s.dq()))
    assert found == {
        "Dequantize": "add of a dequantized tensor needs a quantize behind it: an int8 sum with f32 output is"
        " two partitions"
    }
    found = _reasons(lambda s: s.q(s.op("Multiply", s.weighted("MatMul", s.dq()), s.dq())))
    assert found == {
        "Dequantize": "only Add takes a dequantized tensor behind a product, found Multiply"
    }


@pytest.mark.parametrize("ends", [True, False])
def test_a_sum_behind_another_op(ends: bool):
    def build(s: Sketch) -> None:
        total = s.op("Add", s.op("ReLU", s.weighted("Convolution", s.dq())), s.dq())
        if ends:
            s.q(total)

    text = "a dequantized tensor joins right behind the product, found ReLU between"
    assert _reasons(build) == {"Dequantize": text}


def test_casts_that_run_alone_keep_their_reason():
    def build(s: Sketch) -> None:
        s.dq(s.q(s.weighted("Convolution", s.dq(s.q(s.arg())))))

    module = _module(build)
    fuse(module, (3, 2), keep="border")
    found = [(p.rule.data, p.attributes.get("dnnl.unfused")) for p in _graph(module).partitions]
    assert [rule for rule, _ in found] == ["single", "int8-conv", "single"]
    assert [r.code.data if isinstance(r, ReasonAttr) else None for _, r in found] == [
        "no-producer",
        None,
        "no-reader",
    ]
    assert not any(
        "dnnl.unfused" in op.attributes for p in _graph(module).partitions for op in p.body_ops
    )


def test_casts_stay_with_what_runs_elsewhere():
    """Bytes cross the border then, and not the real numbers that they stand for."""

    def build(s: Sketch) -> None:
        x = s.op("Exp", s.dq(s.q(s.weighted("Convolution", s.dq(s.q(s.arg()))))))
        s.weighted("Convolution", s.dq(s.q(x)))

    module = _module(build)
    fuse(module, (3, 2), keep="border")
    assert [p.rule.data for p in _graph(module).partitions] == ["single", "int8-conv", "int8-conv"]


@pytest.mark.parametrize("outside", [True, False])
def test_pools_beside_what_runs_elsewhere(outside: bool):
    """They would get its order, in which the library is slow; a reader that is elsewhere gets a cast."""

    def build(s: Sketch) -> None:
        x = s.q(s.weighted("Convolution", s.dq(s.q(s.arg()))))
        if outside:
            x = s.q(s.op("Exp", s.dq(x)))
        y = s.op(
            "MaxPool", s.dq(x), strides=[1, 1], kernel=[1, 1], pads_begin=[0, 0], pads_end=[0, 0]
        )
        s.op("Exp", s.dq(s.q(y)))

    rules: dict[Keep, list[str]] = {}
    keeps: tuple[Keep, ...] = ("int8", "border")
    for keep in keeps:
        rules[keep] = [p.rule.data for p in fuse(_module(build), (3, 2), keep=keep)]
    assert rules["int8"] == ["int8-conv", "int8-pool"]
    kept = ["int8-conv"] if outside else ["int8-conv", "int8-pool", "single"]
    assert rules["border"] == ["single", *kept]


def test_a_pool_beside_another_runtime_says_so():
    def build(s: Sketch) -> None:
        x = s.q(s.weighted("Convolution", s.dq(s.q(s.arg()))))
        window = {"strides": [1, 1], "kernel": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}
        y = s.op("MaxPool", s.dq(s.q(s.op("Exp", s.dq(x)))), **window)
        s.op("Exp", s.dq(s.q(y)))

    assert _reasons(build, "border")["MaxPool"] == (
        "Exp beside MaxPool is in no partition, and pools of bytes are slow in the order in which"
        " other runtimes write them"
    )


def test_newer_versions():
    found = _reasons(lambda s: s.q(s.op("SoftMax", s.arg(), axis=3), zp=3))
    expected = "rule softmax needs oneDNN 3.6, the target says 3.2"
    assert found == {"SoftMax": expected, "Quantize": expected}


def test_other_reasons():
    assert _reasons(lambda s: s.q(s.arg())) == {
        "Quantize": "what it quantizes is not made by an op of oneDNN"
    }
    assert _reasons(lambda s: s.op("ReLU", s.arg())) == {
        "ReLU": "ReLU reads no dequantized tensor: it runs in f32"
    }
    assert _reasons(lambda s: s.pool(s.dq()))["Dequantize"] == (
        "MaxPool of a dequantized tensor needs a quantize behind it"
    )
    assert _reasons(lambda s: s.conv(s.dq(), s.arg(shape=(4, 4, 1, 1))))["Dequantize"] == (
        "operand 1 of Convolution comes from outside, expected Dequantize"
    )
    assert _reasons(lambda s: s.q(s.op("ReLU", s.dq())))["Dequantize"] == (
        "no rule of oneDNN 3.2 takes a dequantized tensor into ReLU"
    )


# What is kept


def test_keep():
    def build(s: Sketch) -> None:
        s.dq(s.q(s.weighted("Convolution", s.dq(s.q(s.arg())))))
        s.q(s.op("ReLU", s.arg()))
        s.q(s.arg())

    rules: dict[Keep, list[str]] = {}
    keeps: tuple[Keep, ...] = ("int8", "border", "all")
    for keep in keeps:
        module = _module(build)
        rules[keep] = [p.rule.data for p in fuse(module, (3, 2), keep=keep)]
        module.verify()
    assert rules["int8"] == ["int8-conv"]
    assert rules["border"] == ["single", "int8-conv", "single"]
    assert len(rules["all"]) == 6


SIGMOID = Rule(
    "outside-sigmoid",
    "a sigmoid of an 8-bit tensor, to 8 bits",
    Step(("Sigmoid",), sources=((0, Source((Link("Dequantize"),))),)),
    (Step(("Quantize",)),),
    since=(3, 2),
)


def test_rules_from_outside():
    def fused(version: str) -> list[str]:
        module = _module(lambda s: s.q(s.op("Sigmoid", s.dq())))
        DnnlFusePass(version=version, rules=(SIGMOID,)).apply(Context(), module)
        module.verify()
        return [op.rule.data for op in module.walk() if isinstance(op, PartitionOp)]

    assert fused("3.2") == ["outside-sigmoid"]
    assert fused("3.1") == []


def test_a_rule_that_does_not_fit_says_which_part_of_it():
    module = _module(lambda s: s.q(s.op("Sigmoid", s.op("Exp", s.dq()))))
    said: list[str] = []
    with hearing_why(said.append):
        fuse(module, (3, 2), rules=(SIGMOID,))
    (line,) = (line for line in said if line.startswith("FusePartition(outside-sigmoid)"))
    assert line.endswith("operand 0 does not come from what the rule wants there, or not alone")


def test_constants_of_a_file_stay_constants():
    module = _module(lambda s: s.q(s.weighted("Convolution", s.dq())))
    graph = _graph(module)
    graph.input_properties = ArrayAttr([StringAttr("undef"), StringAttr("constant")])
    (partition,) = fuse(module, (3, 2))
    assert [
        graph.body.block.args.index(partition.inputs[i]) for i in partition.constant_indices
    ] == [1]


def test_groups_never_depend_on_each_other():
    """Of two groups that each read the other, the later is given up."""
    sketch = Sketch()
    a, b = sketch.op("Exp", sketch.arg()), sketch.op("Abs", sketch.arg())
    sketch.op("Add", a, b)
    sketch.op("Multiply", b, a)
    graph = Graph(sketch.ops)
    exp, absolute, add, multiply = graph.nodes
    first, second = make_group("first", [exp, multiply]), make_group("second", [absolute, add])
    assert drop_cyclic(graph, [first, second]) == [first]
    assert [n.group for n in graph.nodes] == [first, None, None, first]


def test_the_same_text_every_time_and_no_second_thoughts():
    for seed in range(5):
        first, second = random_graph(Random(seed), 20), random_graph(Random(seed), 20)
        fuse(first, (3, 2), keep="border")
        fuse(second, (3, 2), keep="border")
        assert text_of(first) == text_of(second)
        before = groups_of(second)
        fuse(second, (3, 2), keep="border")
        assert groups_of(second) == before


def test_ten_thousand_ops():
    def build(s: Sketch) -> None:
        x = s.arg(U8)
        for _ in range(2000):
            x = s.q(s.op("ReLU", s.weighted("Convolution", s.dq(x))))

    module = _module(build)
    began = time.process_time()
    found = fuse(module, (3, 2))
    assert time.process_time() - began < 10
    assert len(found) == 2000
    assert all(isinstance(op, PartitionOp) for op in list(_graph(module).body.block.ops)[:-1])


def test_versions():
    assert parse_version("3.2") == parse_version("3.2.1") == (3, 2)
    assert parse_version("3.13") == (3, 13)
    for text in ("three", "3", "3.x", ""):
        with pytest.raises(AutosplitError, match="expected the version of oneDNN"):
            parse_version(text)
    for text in ("3.14", "3.99.1"):
        with pytest.raises(AutosplitError, match=r"autosplit knows oneDNN 3\.1 to 3\.13"):
            parse_version(text)
