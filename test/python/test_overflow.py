"""What is too large for F16 on given data is computed in f32."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain, real
from numpy.typing import NDArray
from onnx import helper
from test_top_attention import BLOCKS, model
from top_numbers import many_ops, top_module

from autosplit.calibration.overflow import Overflow, overflow
from autosplit.dialects.top import TopOp
from autosplit.flows.convert.emission import SubModelWriter
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import read_compilation
from autosplit.folder.tpu import text_name, weights_name
from autosplit.formats.top_mlir.writer import top_text
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.pipelines import run_passes
from autosplit.registry import make_context
from autosplit.tools.cli.main import main

Array = NDArray[Any]
RANDOM = np.random.default_rng(2)
X: Array = RANDOM.standard_normal((1, 8, 6, 6)).astype(np.float32)
WEIGHTS: Array = (RANDOM.standard_normal((8, 8, 1, 1)) / 3).astype(np.float32)


def node(kind: str, operands: str, result: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, operands.split(), [result], name=result, **attributes)


def number(value: float) -> Array:
    return np.array(value, np.float32)


def net(nodes: Sequence[onnx.NodeProto], **constants: Array) -> onnx.ModelProto:
    """A convolution that makes `c` of the input `x`, and the nodes behind it, of which the last makes `y`."""
    first = node("Conv", "x w", "c")
    return many_ops([first, *nodes], {"x": X}, ["y"], {"w": WEIGHTS, **constants})


WRITTEN_OUT = [
    node("Mul", "c n", "a"),
    node("ReduceMean", "a axes", "m"),
    node("Sub", "a m", "d"),
    node("Mul", "d d", "s"),
    node("ReduceMean", "s axes", "v"),
    node("Add", "v e", "f"),
    node("Sqrt", "f", "r"),
    node("Div", "d r", "y"),
]
"""A normalization over whole pictures, of numbers whose squares are too large."""

NETS: dict[str, tuple[onnx.ModelProto, set[str]]] = {
    "squares": (
        net(WRITTEN_OUT, n=number(400), e=number(1e-5), axes=np.array([1, 2, 3])),
        {"s", "v", "f", "r"},
    ),
    "large, then normalized": (
        net(
            [node("Mul", "c n", "a"), node("LayerNormalization", "a g", "y", axis=-1)],
            n=number(3e4),
            g=np.ones(6, np.float32),
        ),
        {"a", "y"},
    ),
    "a sum that cancels": (
        net(
            [
                node("Mul", "c n", "a"),
                node("Neg", "a", "b"),
                node("Concat", "a b", "d", axis=3),
                node("ReduceSum", "d axes", "s"),
                node("Add", "s c", "y"),
            ],
            n=number(1e4),
            axes=np.array([3]),
        ),
        {"s"},
    ),
    "a small divisor": (
        net(
            [node("Mul", "c n", "a"), node("Div", "a d", "y")],
            n=number(1e-5),
            d=number(1) * X * 1e-5 + 3e-6,
        ),
        {"y"},
    ),
}
"""Models, and the values that are to be f32 of those that TPU-MLIR's first step leaves."""


def found(model: onnx.ModelProto, chip: str = "bm1688", x: Array = X) -> Overflow:
    return overflow(top_module(model, chip, "F16"), [{"x": x}], real())


@pytest.mark.parametrize("name", NETS)
def test_values(name: str):
    model, wanted = NETS[name]
    made = found(model)
    assert wanted <= set(made.names), made
    assert "c" not in made.names
    assert made.reasons


def test_data_decides():
    model, _ = NETS["large, then normalized"]
    assert found(model, x=X / 100) == Overflow((), frozenset(), ())


def test_reasons():
    model, _ = NETS["large, then normalized"]
    (reason,) = found(model).reasons
    assert re.fullmatch(r"\w+ 'a' reaches [\d.]+, F16 65504; read by LayerNorm 'y'", reason)


def test_masks_may_be_infinite():
    """What a Softmax leaves out is 0 in F16 too; what it weighs is not."""
    nodes = [node("Add", "c m", "s"), node("Softmax", "s", "y", axis=-1)]
    mask = np.where(np.eye(6, dtype=bool), 0, -1e9).astype(np.float32)
    assert found(net(nodes, m=mask)).names == ()
    assert "y" in found(net(nodes, m=-mask)).names


def test_no_attention_hides_what_is_large():
    """As one op it would have no parts that could be f32."""
    real()
    made, feeds = model({"plain": BLOCKS["plain"]})
    top = top_module(made, "bm1684x", "F16")
    feeds = {name: array * 3000 for name, array in feeds.items()}
    large = overflow(top, [feeds], real())
    assert {"n0_s0", "n0_s3"} <= set(large.names)
    run_passes(make_context(), top, f"widen{{target=bm1684x values={','.join(large.names)}}}")
    ops = [op for op in top.walk() if isinstance(op, TopOp)]
    assert sum(op.names[0].endswith("/apart") for op in ops) == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`squares`, split for BM1688 in F16; data lies beside it."""
    return split(NETS["squares"][0], tmp_path / "net", "bm1688")


def split(model: onnx.ModelProto, out: Path, target: str) -> Path:
    path = out.with_name("net.onnx")
    onnx.save(model, path)
    inputs = {"x": InputSpec.of(X)}
    split_model(SplitOptions(path, out, inputs, target=target, mode="F16", keep=1.0))
    np.save(out.with_name("x.npy"), X)
    return out


def converted(folder: Path, *data: str, compare: bool) -> tuple[list[str], list[str]]:
    """The notes, and what is wrong."""
    real()
    notes: list[str] = []
    options = ConvertOptions(folder, mode="F16", compare=compare, data=data, note=notes.append)
    graphs = convert_folder(options).graphs
    assert len(graphs) == 1
    return notes, [g.error for g in graphs if g.error]


def test_convert_computes_in_f32_what_is_too_large(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    data = f"x={folder.with_name('x.npy')}"
    notes, errors = converted(folder, data, compare=True)
    assert errors == []
    assert any(re.match(r"graph_0: in f32, not F16: Mul 's' reaches \d+", note) for note in notes)
    record = read_compilation(folder / "graph_ir_0")
    assert record is not None
    assert any("'s' reaches" in reason for reason in record.in_f32)
    assert main(["explain", str(folder)]) == 0
    assert "'s' reaches" in " ".join(capsys.readouterr().out.split())
    # The same data, the same bmodel; without data nobody knows.
    states = [
        g.state for g in convert_folder(ConvertOptions(folder, mode="F16", data=[data])).graphs
    ]
    assert states == ["taken"]
    notes, _ = converted(folder, compare=False)
    assert not any("in f32" in note for note in notes)


def test_passes_alone_change_what_is_compiled(folder: Path):
    real()
    shown: dict[str, str] = {}
    convert_folder(
        ConvertOptions(
            folder, mode="F16", data=[f"x={folder.with_name('x.npy')}"],
            show=lambda step, module: shown.update({step.name: top_text(module, weights_name(0))})
            if step.name.startswith("top-") else None,
        )
    )  # fmt: skip
    *_, before, last = shown
    assert (before, last) == ("top-plain-names", "top-widen")
    assert shown[last] != shown[before]
    text = (folder / "graph_ir_0" / text_name(0)).read_text(encoding="utf-8")
    assert shown[last] == text


def test_nobody_would_have_foreseen_it(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """What the same conversion makes without looking at the data."""
    monkeypatch.setattr(SubModelWriter, "_foresees_overflow", lambda _self: False)
    _, errors = converted(folder, compare=True)
    assert len(errors) == 1
    assert "differs from the CPU's: cosine 0" in errors[0]


@pytest.mark.nightly
@pytest.mark.parametrize("target", ["bm1684x", "bm1688"])
@pytest.mark.parametrize("name", NETS)
def test_numbers(name: str, target: str, tmp_path: Path):
    made = split(NETS[name][0], tmp_path / "net", target)
    notes, errors = converted(made, str(tmp_path / "x.npy"), compare=True)
    assert errors == []
    assert any("in f32, not F16" in note for note in notes)


@needs_toolchain
@pytest.mark.nightly
def test_a_large_attention_is_right(tmp_path: Path):
    """On BM1684X, where it would be one op."""
    made, feeds = model({"plain": BLOCKS["plain"]})
    path = tmp_path / "net.onnx"
    onnx.save(made, path)
    given = {"n0_x": feeds["n0_x"] * 3000}
    inputs = {name: InputSpec.of(array) for name, array in given.items()}
    out = tmp_path / "net"
    split_model(SplitOptions(path, out, inputs, target="bm1684x", mode="F16", keep=1.0))
    np.savez(tmp_path / "x.npz", **given)
    _, errors = converted(out, str(tmp_path / "x.npz"), compare=True)
    assert errors == []
