"""quant-drop-casts: what it leaves out is a rounding and no more, and what it makes the library fuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper
from test_quant_passes import BACK, Loaded, feeds_of
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f64

from autosplit.core.versions import parse_version
from autosplit.dialects.quant import QuantizeCastOp
from autosplit.lowering.dnnl.rules.parts import Step
from autosplit.lowering.dnnl.rules.versions import rules_of
from autosplit.lowering.quant.chains.curves import CURVES
from autosplit.lowering.quant.drop_casts import MOST, QUANTA
from autosplit.testing.int8 import compile_builder
from autosplit.testing.qdq import QdqBuilder, run
from autosplit.tools.cli.compile import default_tolerance

TO_QUANT = "infer-shapes,normalize-onnx{int8=true},convert-onnx-to-quant"
DROP = "quant-drop-casts{rounding=close}"


def silu(b: QdqBuilder, x: str) -> str:
    return b.node("Mul", x, b.qdq(b.node("Sigmoid", x)))


def hard_swish(b: QdqBuilder, x: str) -> str:
    """As quantizers leave it: the clip is the range of the sum."""
    three, six = (b.qdq(b.constant(np.array(n, np.float32))) for n in (3.0, 6.0))
    sum_ = b.qdq(b.float_node("Clip", b.node("Add", x, three), *_bounds(b)))
    return b.node("Div", b.qdq(b.node("Mul", x, sum_)), six)


def _bounds(b: QdqBuilder) -> list[str]:
    return [b.constant(np.array(n, np.float32)) for n in (0.0, 6.0)]


def mish(b: QdqBuilder, x: str) -> str:
    return b.node("Mul", x, b.qdq(b.node("Tanh", b.qdq(b.node("Softplus", x)))))


def gelu(b: QdqBuilder, x: str) -> str:
    """As BERT's exporters spell it, cast where ONNX Runtime's quantizer casts."""
    one, half = (b.constant(np.array([n], np.float32)) for n in (1.0, 0.5))
    curve = b.qdq(b.node("Erf", b.node("Div", x, b.constant(np.array([2**0.5], np.float32)))))
    return b.node("Mul", b.qdq(b.node("Mul", x, b.qdq(b.node("Add", curve, one)))), half)


def one(kind: str, **fields: float) -> Callable[[QdqBuilder, str], str]:
    return lambda b, x: b.node(kind, x, **fields)


FORMS: dict[str, tuple[Callable[[QdqBuilder, str], str], str]] = {
    "elu": (one("Elu"), "elu"),
    "gelu": (gelu, "gelu"),
    "hard_sigmoid": (one("HardSigmoid", alpha=0.2), "hardsigmoid"),
    "hard_swish": (hard_swish, "hardswish"),
    "leaky_relu": (one("LeakyRelu", alpha=0.1), "leakyrelu"),
    "mish": (mish, "mish"),
    "sigmoid": (one("Sigmoid"), "sigmoid"),
    "silu": (silu, "sigmoid mul"),
    "tanh": (one("Tanh"), "tanh"),
}
"""Each activation as models have it, and as the library computes it behind a product."""


def activated(form: str, seed: int = 1, gain: float = 3.0, dtype: str = "uint8") -> QdqBuilder:
    """A convolution, an activation with a cast between all ops, and a cast behind it."""
    b = QdqBuilder(seed, name=form)
    x = b.qdq(b.input("x", (1, 8, 9, 9)))
    y = b.qdq(b.conv(x, (16, 8, 3, 3), pads=1, gain=gain), dtype)
    b.output(b.qdq(FORMS[form][0](b, y), dtype))
    return b


def quanta(module: ModuleOp) -> float:
    found = module.attributes.get(QUANTA)
    return found.value.data if isinstance(found, FloatAttr) else 0.0


def last_scale(model) -> float:
    name = next(n for n in reversed(model.graph.node) if n.op_type == "DequantizeLinear").input[1]
    (scale,) = (numpy_helper.to_array(i) for i in model.graph.initializer if i.name == name)
    return float(scale)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    form=st.sampled_from(sorted(FORMS)),
    seed=st.integers(0, 99),
    gain=st.sampled_from([0.5, 2.0, 6.0]),
    dtype=st.sampled_from(["uint8", "int8"]),
    louder=st.sampled_from([1.0, 4.0]),
)
def test_results_are_as_near_as_the_module_says(form, seed, gain, dtype, louder):
    model = activated(form, seed, gain, dtype).build()
    loaded = Loaded(model).run(f"{TO_QUANT},{DROP}")
    assert quanta(loaded.module) > 0
    assert len(loaded.ops(QuantizeCastOp)) == 2
    feeds = feeds_of(model, gain=louder)
    after = loaded.run(BACK).model()
    old, new = (run(m, feeds, optimize=False)[0] for m in (model, after))
    # Each of the two is rounded once more.
    assert np.abs(old - new).max() <= (quanta(loaded.module) + 1.01) * last_scale(model)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_it_is_nearer_to_the_model_in_f32(form: str):
    b = activated(form)
    model = b.build()
    after = Loaded(model).run(f"{TO_QUANT},{DROP},{BACK}").model()
    off = {"with casts": 0.0, "without": 0.0}
    for seed in range(4):
        feeds = b.feeds(seed)
        wanted = run(b.build_float(), feeds, optimize=False)[0]
        for name, m in (("with casts", model), ("without", after)):
            off[name] += float(np.square(run(m, feeds, optimize=False)[0] - wanted).sum())
    assert off["without"] < off["with casts"]


@pytest.mark.parametrize("policy", ["patterns", "backend"])
@pytest.mark.parametrize("form", sorted(FORMS))
def test_an_activation_is_in_the_kernel_of_its_product(form: str, policy: str, tmp_path: Path):
    compiled = compile_builder(activated(form), tmp_path, rounding="close", policy=policy)
    assert compiled.groups == [f"dq dq conv {FORMS[form][1]} q"]
    assert not compiled.outside
    compiled.check(quanta=max(quanta(compiled.result.module), 3) + 1.5)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_nothing_changes_where_all_is_exact(form: str, tmp_path: Path):
    compiled = compile_builder(activated(form), tmp_path, rounding="exact")
    assert "dq dq conv q" in compiled.groups


def test_a_matrix_product_and_its_activation_are_one(tmp_path: Path):
    b = QdqBuilder(3, name="linear")
    y = b.qdq(b.linear(b.qdq(b.input("x", (4, 32))), (16, 32), gain=2.0))
    b.output(b.qdq(gelu(b, y)))
    compiled = compile_builder(b, tmp_path, rounding="close")
    assert compiled.groups == ["dq dq matmul gelu q"]
    compiled.check(quanta=4)


def test_a_chain_longer_than_the_library_computes_is_cut(tmp_path: Path):
    """Of four ops in a row three go into the kernel; the cast before the fourth stays."""
    b = QdqBuilder(3, name="long")
    y = b.conv(b.qdq(b.input("x", (1, 8, 9, 9))), (16, 8, 3, 3), pads=1)
    for kind in ("Tanh", "Elu", "Sigmoid", "Tanh"):
        y = b.node(kind, b.qdq(y))
    b.output(b.qdq(y))
    compiled = compile_builder(b, tmp_path, rounding="close")
    assert "dq dq conv tanh elu sigmoid q" in compiled.groups
    assert not any("tanh elu sigmoid tanh" in group for group in compiled.groups)


def test_the_number_of_ops_behind_a_product_is_that_of_the_rules():
    for since, most in MOST:
        for name in ("int8-conv", "int8-matmul"):
            (rule,) = (r for r in rules_of(since) if r.name == name)
            assert max(part.most for part in rule.tail if isinstance(part, Step)) == most
    assert {since for since, _ in MOST} == {parse_version("3.1"), parse_version("3.6")}


@pytest.mark.parametrize("kind", sorted(CURVES))
def test_curves_are_those_of_onnx_runtime(kind: str):
    x = np.linspace(-7.9, 8, 321, dtype=np.float32)
    two = kind in ("Add", "Div", "Max", "Min", "Mul", "Pow", "Sub")
    operands = {"x": np.abs(x) if kind == "Pow" else x}
    if two:
        operands["n"] = np.array([1.5], np.float32)
    if kind == "Clip":
        operands |= {"n": np.array(-1, np.float32), "m": np.array(2, np.float32)}
    node = helper.make_node(kind, list(operands), ["y"])
    inputs = [helper.make_tensor_value_info(k, 1, v.shape) for k, v in operands.items()]
    output = helper.make_tensor_value_info("y", 1, x.shape)
    graph = helper.make_graph([node], "curve", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    (op,) = (o for o in Loaded(model).module.walk() if getattr(o, "op_type", "") == kind)
    ours = CURVES[kind](op, [v.astype(np.float64) for v in operands.values()])
    theirs = run(model, operands, optimize=False)[0]
    assert np.allclose(ours, theirs, rtol=1e-5, atol=1e-5)


def test_compare_accepts_what_was_left_out(tmp_path: Path):
    made = {
        rounding: default_tolerance(
            compile_builder(activated("silu"), tmp_path, rounding=rounding).result.module
        )
        for rounding in ("exact", "close")
    }
    assert made["exact"].quanta == 8 < made["close"].quanta < 16
    more = made["close"].quanta - 8
    assert (
        made["close"].reason
        == f"{made['exact'].reason}, and {more:g} for roundings that were left out"
    )


def test_what_compare_accepts_stays_below_the_range(tmp_path: Path):
    module = compile_builder(activated("silu"), tmp_path).result.module
    module.attributes[QUANTA] = FloatAttr(1000.0, f64)
    found = default_tolerance(module)
    assert found.quanta == 128
    assert "and 120 for roundings that were left out" in found.reason
