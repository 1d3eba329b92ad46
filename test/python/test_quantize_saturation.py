"""Weights of 7 bits where sums of two products may exceed 16 bits: what is called safe is, else it is not.

The library runs in a child, held at processors without VNNI; what it should compute is numpy's and ONNX
Runtime's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from onednn_installed import needs_library
from onnx import numpy_helper
from sampled import sample

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import platform_graph
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, quantize_model
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.lowering.quant.quantize.quant_saturation import WHY
from autosplit.runtime.dnnl.library import library
from autosplit.runtime.dnnl.saturation import (
    fits,
    isa_name,
    largest_pairs,
    multiplies_one_by_one,
    rows_of_conv,
    rows_of_product,
    rows_of_transposed_conv,
    saturates,
)
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.networks.builder import Net, build
from autosplit.testing.networks.files import NETWORKS, Seeded, network
from autosplit.tools.cli.main import main

onnxruntime: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]
Feeds = dict[str, Array]

NARROW = ("AVX2", "AVX512_CORE")
"""ONEDNN_MAX_CPU_ISA of processors without VNNI."""


# the analysis


def brute_force(rows: Array) -> list[int]:
    """The largest magnitude of a1 * w1 + a2 * w2 with activations of 0 and 1."""
    found: list[int] = []
    for row in rows.astype(int):
        sums = [abs(a * v + b * w) for v, w in combinations(row, 2) for a in (0, 1) for b in (0, 1)]
        found.append(max([*sums, *(abs(w) for w in row)]))
    return found


int8 = hnp.arrays(
    np.int8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(-128, 127)
)


@given(int8)
def test_the_largest_pair_is_that_of_all_pairs(rows: Array):
    assert largest_pairs(rows).tolist() == brute_force(rows)


@given(st.integers(0, 256), st.integers(0, 255))
def test_what_fits_is_exact_in_16_bits(pair: int, byte: int):
    """For both signs of the sum."""
    ends = np.array([pair * byte, -pair * byte], np.int64)
    assert fits(pair, byte) <= bool((ends.astype(np.int16) == ends).all())


def test_any_weights_of_7_bits_fit_and_not_all_of_8():
    assert [fits(2 * n) for n in (63, 64, 65, 127)] == [True, True, False, False]
    # Bytes that are never above 128 take all weights of 8 bits.
    assert [fits(2 * 127, byte) for byte in (128, 130)] == [True, False]


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_rows_are_what_a_number_is_summed_of(groups: int, ins: int, outs: int, taps: int):
    """Weights of one channel of the results change that channel's row, and only this."""
    conv = np.zeros((groups * outs, ins, taps), np.int8)
    back = np.zeros((groups * ins, outs, taps), np.int8)
    product = np.zeros((ins, outs), np.int8)
    for channel in range(groups * outs):
        group, out = divmod(channel, outs)
        conv[channel] = channel + 1
        back[group * ins : (group + 1) * ins, out] = channel + 1
    for out in range(outs):
        product[:, out] = out + 1
    wanted = np.arange(1, groups * outs + 1)
    for rows in (rows_of_conv(conv), rows_of_transposed_conv(back, groups)):
        assert rows.shape == (groups * outs, ins * taps)
        assert (rows == wanted[:, None]).all()
    for rows in (
        rows_of_product(product, transposed=False),
        rows_of_product(product.T, transposed=True),
    ):
        assert (rows == np.arange(1, outs + 1)[:, None]).all()


def test_names_of_instruction_sets():
    assert [saturates(isa_name(n)) for n in ("AVX2", "avx512_core", "sse41")] == [True] * 3
    assert not any(
        saturates(isa_name(n)) for n in ("avx2_vnni", "AVX512_CORE_VNNI", "avx512_core_amx")
    )
    with pytest.raises(AutosplitError, match="no instruction set 'avx512_vnni'"):
        isa_name("avx512_vnni")


# the library


def case_model(
    kind: str, weights: Array, shape: Sequence[int], zero: int, **attributes: Any
) -> onnx.ModelProto:
    """One product of bytes less `zero` and of weights as they are; every scale is 1."""
    make = onnx.helper
    axis = {"Conv": 0, "MatMul": 1, "Gemm": 0, "ConvTranspose": 1}[kind]
    single = kind == "ConvTranspose" and attributes.get("group", 1) > 1
    count = () if single else (weights.shape[axis],)
    constants = {
        "one": np.float32(1),
        "zero": np.uint8(zero),
        "w": weights,
        "scales": np.ones(count, np.float32),
        "zeros": np.zeros(count, np.int8),
    }
    along = {} if single else {"axis": axis}
    nodes = [
        make.make_node("QuantizeLinear", ["x", "one", "zero"], ["q"]),
        make.make_node("DequantizeLinear", ["q", "one", "zero"], ["d"]),
        make.make_node("DequantizeLinear", ["w", "scales", "zeros"], ["v"], **along),
        make.make_node(kind, ["d", "v"], ["y"], **attributes),
    ]
    return product_of(nodes, shape, constants)


def product_of(nodes: list[Any], shape: Sequence[int], constants: Feeds) -> onnx.ModelProto:
    make = onnx.helper
    graph = make.make_graph(
        nodes,
        "case",
        [make.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [make.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
    )
    return make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)


def far(kind: str, weights: Array, stored: Array, zero: int = 0, **attributes: Any) -> float:
    """How far the library is from ONNX Runtime's float32, which is exact for such sums."""
    x = stored.astype(np.float32) - zero
    node = onnx.helper.make_node(kind, ["x", "w"], ["y"], **attributes)
    real = product_of([node], x.shape, {"w": weights.astype(np.float32)})
    session = onnxruntime.InferenceSession(
        real.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (exact,) = session.run(["y"], {"x": x})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.onnx"
        onnx.save(case_model(kind, weights, x.shape, zero, **attributes), path)
        made = compile_model(CompileOptions(path))
        plan = Plan.from_module(made.module, made.store)
    assert plan.isa, "the library computes nothing of it"
    return float(np.abs(plan.run({"x": x})["y"] - exact).max())


@dataclass
class Case:
    """A product with weights of 8 bits of which no two are too large for bytes up to `byte`."""

    kind: str
    weights: Array
    stored: Array
    zero: int
    attributes: dict[str, Any]


@st.composite
def safe_cases(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from(["Conv", "ConvTranspose", "MatMul", "Gemm"]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    byte = draw(st.sampled_from([255, 255, 200, 129]))
    ins, outs = draw(st.integers(1, 20)), draw(st.sampled_from([1, 3, 8, 17, 32]))
    attributes: dict[str, Any] = {}
    if kind in ("MatMul", "Gemm"):
        rows = safe_rows(random, outs, ins, byte)
        weights = rows if kind == "Gemm" else np.ascontiguousarray(rows.T)
        attributes = {"transB": 1} if kind == "Gemm" else {}
        shape: tuple[int, ...] = (draw(st.sampled_from([1, 4, 7])), ins)
    else:
        space = draw(st.sampled_from([(1, 1), (3, 3), (2, 2), (1, 3)]))
        rows = safe_rows(random, outs, ins * int(np.prod(space)), byte)
        weights = rows.reshape(outs, ins, *space)
        attributes = {"strides": [draw(st.integers(1, 2))] * 2}
        if kind == "ConvTranspose":
            weights = np.ascontiguousarray(weights.swapaxes(0, 1))
        shape = (1, ins, 6, 6)
    # Bytes at the ends are the worst; all at the upper end are the worst of these.
    ends = random.integers(0, 2, shape) * byte
    stored = np.full(shape, byte) if draw(st.booleans()) else ends
    return Case(kind, weights, stored, draw(st.integers(0, 255)), attributes)


def safe_rows(random: np.random.Generator, count: int, size: int, byte: int) -> Array:
    """Rows of one large weight and others that may meet it, for bytes up to `byte`."""
    most = 32767 // byte
    large = min(127, most)
    spikes = random.integers(min(most // 2, large), large + 1, count)
    others = np.minimum(most - spikes, spikes)[:, None]
    rows = random.integers(-others, others + 1, (count, size)).astype(np.int8)
    places = random.integers(0, size, count)
    rows[np.arange(count), places] = spikes * random.choice([-1, 1], count)
    assert all(fits(int(pair), byte) for pair in largest_pairs(rows))
    return rows


@needs_library
@given(safe_cases())
@settings(max_examples=30, deadline=None, derandomize=True)
def test_library_is_exact_for_what_is_called_safe(case: Case):
    assert far(case.kind, case.weights, case.stored, case.zero, **case.attributes) == 0


@needs_library
@given(
    st.sampled_from([2, 3, 8, 16, 33]),
    st.sampled_from([(1, 1), (3, 3), (5, 5), (7, 7), (2, 2), (3, 1), (3,), (1,)]),
    st.integers(1, 2),
    st.integers(1, 2),
    st.booleans(),
    st.integers(0, 255),
)
@settings(max_examples=15, deadline=None, derandomize=True)
def test_library_is_exact_for_depthwise_ones(
    channels: int, kernel: tuple[int, ...], stride: int, dilation: int, padded: bool, zero: int
):
    rank = len(kernel)
    weights = np.full((channels, 1, *kernel), 127, np.int8)
    weights[::2] = -127
    assert multiplies_one_by_one(weights.shape, channels)
    found = far(
        "Conv",
        weights,
        np.full((1, channels, *[14] * rank), 255),
        zero,
        group=channels,
        strides=[stride] * rank,
        dilations=[dilation] * rank,
        pads=[k // 2 for k in kernel] * 2 if padded else [0] * (2 * rank),
    )
    assert found == 0


def test_a_convolution_of_one_channel_is_not_depthwise():
    """3.6 adds two products of one in 16 bits."""
    assert not multiplies_one_by_one((1, 1, 3, 3), 1)
    assert multiplies_one_by_one((2, 1, 3, 3), 2)


UNSAFE: dict[str, tuple[str, Array, tuple[int, ...], dict[str, Any]]] = {
    "conv 1x1": ("Conv", np.zeros((8, 6, 1, 1), np.int8), (1, 6, 5, 5), {}),
    "conv 3x3": ("Conv", np.zeros((8, 6, 3, 3), np.int8), (1, 6, 5, 5), {}),
    "groups": ("Conv", np.zeros((16, 8, 3, 3), np.int8), (1, 16, 5, 5), {"group": 2}),
    "conv of 1 dimension": ("Conv", np.zeros((8, 6, 3), np.int8), (1, 6, 5), {}),
    "transposed": ("ConvTranspose", np.zeros((6, 8, 2, 2), np.int8), (1, 6, 5, 5), {}),
    "matmul": ("MatMul", np.zeros((6, 8), np.int8), (4, 6), {}),
    "one row": ("MatMul", np.zeros((6, 8), np.int8), (1, 6), {}),
    "gemm": ("Gemm", np.zeros((8, 6), np.int8), (4, 6), {"transB": 1}),
}


@needs_library
@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("pair", [(127, 127), (-127, -127), (64, 65), (127, 2)])
def test_library_saturates_for_what_is_called_unsafe(name: str, pair: tuple[int, int]):
    """Inputs 2 and 3 of the first result meet in 16 bits, without VNNI."""
    kind, empty, shape, attributes = UNSAFE[name]
    weights = empty.copy()
    by_input = weights if kind in ("MatMul", "ConvTranspose") else weights.swapaxes(0, 1)
    rest = (0,) * (weights.ndim - 2)
    by_input[(2, 0, *rest)], by_input[(3, 0, *rest)] = pair
    assert not fits(abs(sum(pair)))
    beyond = abs(sum(pair)) * 255 - (32767 if pair[0] > 0 else 32768)
    found = far(kind, weights, np.full(shape, 255), **attributes)
    assert found == (0 if library().has_vnni else beyond)


def in_child(select: str, isa: str) -> str:
    """The last line of what pytest says of tests of this file, held at an instruction set."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n0",
        "-p",
        "no:cacheprovider",
        __file__,
    ]
    done = subprocess.run(
        [*command, "-k", select],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": isa},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout.splitlines()[-1]


@needs_library
@pytest.mark.parametrize("isa", sample(NARROW))
def test_without_vnni_in_a_child(isa: str):
    assert "passed" in in_child("test_library", isa)


# whole models


def samples(count: int = 3, shape: tuple[int, ...] = (1, 4, 12, 12)) -> list[Feeds]:
    random = np.random.default_rng(0)
    return [{"x": random.standard_normal(shape).astype(np.float32)} for _ in range(count)]


def separable(net: Net) -> None:
    """A depthwise convolution between two others, and a product of two computed operands."""
    x = net.op("Relu", net.conv(net.input("x", (1, 4, 12, 12)), 4, 8, 3))
    x = net.op("Relu", net.conv(x, 8, 8, 3, groups=8))
    x = net.conv(x, 8, 8, 1)
    net.output(net.op("MatMul", x, net.op("Transpose", x, perm=[0, 1, 3, 2])), "y")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model = build("separable", separable, samples(1)[0])
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    return tmp_path / "model.onnx"


def quantized(path: Path, **options: Any) -> QuantizeResult:
    given = {"samples": samples(), **options}
    return quantize_model(QuantizeOptions(path, path.parent / "int8.onnx", force=True, **given))


def bits(found: QuantizeResult) -> list[int]:
    return [op.weight_bits for op in found.recipe.ops.values() if op.type == "Conv"]


def largest(found: QuantizeResult) -> list[int]:
    assert found.out is not None
    weights = [numpy_helper.to_array(t) for t in onnx.load(found.out).graph.initializer]
    return [int(np.abs(w.astype(int)).max()) for w in weights if w.dtype == np.int8 and w.ndim > 1]


def test_each_layer_has_its_own_bits(path: Path):
    found = quantized(path, isa="AVX2")
    assert bits(found) == [7, 8, 7]
    assert sorted(largest(found)) == [63, 63, 127]
    said = [o.attributes.get(WHY) for o in platform_graph(found.module).body_ops()]
    codes = [r.code.data for r in said if isinstance(r, ReasonAttr)]
    assert codes == ["saturation", "one-by-one", "saturation"]
    (product,) = (op for op in found.recipe.ops.values() if op.type == "MatMul")
    assert product.kept.startswith("saturation: both operands are computed")


def test_nothing_changes_with_vnni_or_without_a_name(path: Path):
    plain = quantized(path)
    assert plain.recipe.isa == ""
    assert bits(plain) == [0, 0, 0]
    wide = quantized(path, isa="avx512_core_vnni")
    assert wide.recipe.ops == plain.recipe.ops
    assert set(largest(plain)) == set(largest(wide)) == {127}


def test_the_recipe_says_it_and_is_read_back(path: Path):
    found = quantized(path, isa="avx2")
    file = path.parent / "int8.recipe.json"
    said = json.loads(file.read_text())
    assert said["isa"] == "avx2"
    again = quantized(path, recipe=Recipe.read(file), samples=None)
    assert again.recipe == found.recipe
    # What is edited holds, and all of it is decided anew for another processor.
    name = next(n for n, op in found.recipe.ops.items() if op.type == "Conv")
    said["ops"][name]["weight_bits"] = 8
    file.write_text(json.dumps(said))
    edited = Recipe.read(file)
    assert bits(quantized(path, recipe=edited, samples=None)) == [8, 8, 7]
    other = quantized(path, recipe=edited, isa="avx512_core_amx", samples=samples())
    assert bits(other) == [0, 0, 0]
    assert set(largest(other)) == {127}
    assert not any(op.kept for op in other.recipe.ops.values())
    said["ops"][name]["weight_bits"] = 6
    file.write_text(json.dumps(said))
    with pytest.raises(AutosplitError, match=f"op '{name}' has weights of 6 bits: expected 7 or 8"):
        Recipe.read(file)


@pytest.mark.parametrize("asked", [7, 8])
def test_bits_that_are_asked_for_hold_for_all(path: Path, asked: int):
    found = quantized(path, isa="avx2", weight_bits=asked)
    assert set(largest(found)) == {2 ** (asked - 1) - 1}
    assert set(bits(found)) == {asked}


def test_a_wrong_name_is_refused(path: Path):
    with pytest.raises(AutosplitError, match="no instruction set 'avx3'"):
        quantized(path, isa="avx3")


def test_the_command_line(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    np.save(tmp_path / "x.npy", samples(1)[0]["x"])
    given = ["--data", str(tmp_path / "x.npy"), "--isa", "avx2"]
    assert main(["quantize", str(path), *given, "-o", str(tmp_path / "out.onnx")]) == 0
    said = capsys.readouterr().out
    assert "weights of 7 bits in 2 of 3 products for avx2" in said
    assert "both operands are computed" in said
    assert main(["compile", str(path), "--isa", "avx2", "-o", str(tmp_path / "plan")]) == 1
    assert "--isa: applies to samples; give them with --data" in capsys.readouterr().err


COSINES = """
import sys
import logging
import numpy as np
import test_quantize_saturation as tests

logging.disable(logging.WARNING)
feeds, exact = dict(np.load(sys.argv[1])), dict(np.load(sys.argv[2]))
for name in sys.argv[3:]:
    print(tests.cosine(name, feeds, exact))
"""


def cosine(model: str, feeds: Feeds, exact: Feeds) -> float:
    made = compile_model(CompileOptions(Path(model)))
    return nearness(Plan.from_module(made.module, made.store).run(feeds), exact)


@pytest.mark.nightly
@needs_library
def test_few_layers_of_7_bits_are_nearer_than_all(tmp_path: Path):
    """MobileNetV2: a third of its products are depthwise."""
    f32, known = network("mobilenet_v2").f32, NETWORKS["mobilenet_v2"]
    assert isinstance(known, Seeded)
    feeds = known.inputs()
    session = onnxruntime.InferenceSession(str(f32), providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    np.savez(tmp_path / "feeds.npz", **feeds)
    np.savez(tmp_path / "exact.npz", **dict(zip(names, session.run(names, feeds), strict=True)))
    made: list[str] = []
    recipe = None
    for number, options in enumerate(({}, {"weight_bits": 7}, {"isa": "avx2"})):
        out = tmp_path / f"{number}.onnx"
        found = quantize_model(
            QuantizeOptions(f32, out, samples=known.calibration(), recipe=recipe, **options)
        )
        # The same ranges for all.
        recipe = Recipe(ranges=found.recipe.ranges)
        made.append(str(out))
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            COSINES,
            *(str(tmp_path / n) for n in ("feeds.npz", "exact.npz")),
            *made,
        ],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"},
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    of_8, of_7, of_few = map(float, done.stdout.split())
    assert of_few > of_7 > of_8
