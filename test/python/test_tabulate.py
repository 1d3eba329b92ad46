"""dnnl-tabulate: functions of bytes between casts are looked up by the plan, with ONNX Runtime's numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library

from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model, load_plan
from autosplit.folder.plans import load_compiled
from autosplit.interpret.module import run_module
from autosplit.runtime.plan.memory import looker
from autosplit.testing.raw_qdq import RawQdq, compare

Write = Callable[[RawQdq, str], str]

FUNCTIONS: dict[str, Write] = {
    **{
        kind: lambda m, x, kind=kind: m.node(kind, x)
        for kind in (
            "Elu",
            "Exp",
            "HardSigmoid",
            "HardSwish",
            "Neg",
            "Sigmoid",
            "Softplus",
            "Tanh",
        )
    },
    "Swish": lambda m, x: m.node("Mul", m.node("Sigmoid", x), x),
    "Gelu": lambda m, x: m.node(
        "Mul",
        m.node("Mul", x, m.constant(0.5)),
        m.node("Add", m.node("Erf", m.node("Div", x, m.constant(2**0.5))), m.constant(1.0)),
    ),
    "a line": lambda m, x: m.node("Add", m.node("Mul", x, m.constant([0.7])), m.constant(0.2)),
    "a reversed line": lambda m, x: m.node("Sub", m.constant(0.5), x),
    "LeakyRelu": lambda m, x: m.node("Tanh", m.node("LeakyRelu", x, alpha=0.3)),
    "Clip": lambda m, x: m.node("Tanh", m.node("Clip", x, m.constant(-0.5), m.constant(0.6))),
    "the square": lambda m, x: m.node("Mul", x, x),
}


def product(m: RawQdq, x: str, kind: str) -> str:
    if kind == "MatMul":
        return m.node("MatMul", x, m.weight((8, 8), None, 8))
    return m.node("Conv", x, m.weight((8, 8, 3, 3), 0, 72), kernel_shape=[3, 3], pads=[1] * 4)


def between(write: Write, kind: str = "Conv", dtype: str = "u8") -> tuple[RawQdq, tuple[int, ...]]:
    """A function between two products, and the shape of the input."""
    m, shape = RawQdq(), (3, 5, 8) if kind == "MatMul" else (2, 8, 5, 7)
    x = m.qdq(product(m, m.qdq(m.input("x", shape)), kind), 0.02, dtype=dtype)
    m.output(product(m, m.qdq(write(m, x), 0.011, dtype=dtype), kind))
    return m, shape


def outside(m: RawQdq) -> set[str]:
    """The types of the ops that are left to ONNX Runtime."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        onnx.save(m.model(), path)
        return {op.type for op in explain_int8(compile_model(CompileOptions(path)).module).outside}


@needs_library
@pytest.mark.parametrize("dtype", ["u8", "i8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_bytes(name: str, dtype: str):
    m, shape = between(FUNCTIONS[name], dtype=dtype)
    assert outside(m) == set()
    for one in compare(m.model(), [{"x": 1.5 * m.random(*shape)} for _ in range(3)]):
        assert one.largest < 1e-5


@needs_library
@pytest.mark.parametrize("name", ["Elu", "Swish"])
def test_rows_of_bytes(name: str):
    m, shape = between(FUNCTIONS[name], "MatMul")
    assert outside(m) == set()
    for one in compare(m.model(), [{"x": 1.5 * m.random(*shape)} for _ in range(3)]):
        assert one.largest < 1e-5


@needs_library
def test_xdsl_interprets_tables(tmp_path: Path):
    m, shape = between(FUNCTIONS["Elu"])
    onnx.save(m.model(), tmp_path / "m.onnx")
    x = {"x": 1.5 * m.random(*shape)}
    compile_model(CompileOptions(tmp_path / "m.onnx", tmp_path / "out"))
    (wanted,) = load_plan(tmp_path / "out").run(x).values()
    (found,) = run_module(load_compiled(tmp_path / "out").module, x).values()
    # Requantizing rounds float32 in the library, float64 here: a few numbers are one step off.
    assert np.isclose(found, wanted, atol=1e-5).mean() > 0.95
    np.testing.assert_allclose(found, wanted, atol=0.05)


def two_tensors(m: RawQdq, x: str) -> str:
    other = m.qdq(m.node("MaxPool", x, kernel_shape=[1, 1]), 0.03)
    return m.node("Mul", m.node("Tanh", x), m.node("Tanh", other))


def by_channel(m: RawQdq, x: str) -> str:
    return m.node("Tanh", m.node("Mul", x, m.constant(np.linspace(0.5, 1, 8).reshape(8, 1, 1))))


def read_twice(m: RawQdq, x: str) -> str:
    y = m.node("Tanh", x)
    m.output(y)
    return m.node("Sigmoid", y)


def more_dimensions(m: RawQdq, x: str) -> str:
    y = m.node("Tanh", m.node("Mul", x, m.constant([[[[[0.5]]]]])))
    return m.node("Squeeze", m.qdq(y, 0.01), m.constant([0], "i64"))


def of_three(m: RawQdq, x: str) -> str:
    return m.node("Tanh", m.node("Max", x, m.constant(-1.0), m.constant(0.3)))


@needs_library
@pytest.mark.parametrize("write", [two_tensors, by_channel, read_twice, more_dimensions, of_three])
def test_what_is_no_function_of_one_byte(write: Write):
    m, shape = between(write)
    assert {"Tanh", "Sigmoid"} & outside(m)
    for one in compare(m.model(), [{"x": m.random(*shape)} for _ in range(2)]):
        assert one.largest < 1e-5


@needs_library
def test_what_lies_among_other_ops_of_onnx_runtime():
    """A plan would leave and enter ONNX Runtime for it."""
    m = RawQdq()
    x = m.qdq(m.node("Einsum", m.input("x", (4, 6)), equation="ij->ji"))
    y = m.node("Einsum", m.qdq(m.node("Tanh", x), 0.01), equation="ij->ji")
    m.output(m.node("MatMul", m.qdq(m.node("Einsum", y, equation="ij->ij")), m.weight((6, 3))))
    assert "Tanh" in outside(m)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(
    "turns", [(None, None), ((0, 2, 3, 1), (0, 2, 3, 1)), ((0, 2, 3, 1), None)]
)
def test_arrays_in_any_order(dtype: type, turns: tuple[Any, Any]):
    random = np.random.default_rng(0)
    table = random.integers(0, 256, 256).astype(np.uint8)
    shape = (2, 3, 4, 5)

    def laid_out(turn: Any) -> Any:
        array = random.integers(0, 256, shape).astype(np.uint8).view(dtype)
        return (
            array
            if turn is None
            else np.ascontiguousarray(array.transpose(turn)).transpose(np.argsort(turn))
        )

    source, target = (laid_out(turn) for turn in turns)
    looker(target, source, table.tobytes())()
    np.testing.assert_array_equal(target.view(np.uint8), table[source.view(np.uint8)])
    part = laid_out(None)[:, 1:]
    looker(target[:, :2], part, table.tobytes())()
    np.testing.assert_array_equal(target[:, :2].view(np.uint8), table[part.view(np.uint8)])
