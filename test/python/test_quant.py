"""The quant dialect: its types in text, and its casts against ONNX Runtime, bit for bit."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from functools import cache

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from autosplit.core.dtypes import dtype_named, element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.dialects import quant
from autosplit.dialects.quant import Params, StorageCastOp, UniformType, uniform_of, update_params
from autosplit.dialects.quant_numpy import dequantize, quantize
from autosplit.lowering.quant.canonical import is_exact
from autosplit.registry import make_context

ort = pytest.importorskip("onnxruntime")

STORED = ("int8", "uint8", "int16", "uint16", "int4", "uint4")


def limits(dtype: str) -> tuple[int, int]:
    return quant.storage_limits(element_type_of(dtype))


def parse(text: str):
    return Parser(make_context(), text).parse_attribute()


def float_of_bits(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


scales = st.integers(0x00800000, 0x7F7FFFFF).map(float_of_bits)
"""All that are positive, finite and normal."""


@st.composite
def types(draw: st.DrawFn, count: int | None = None) -> UniformType:
    """A type; of `count` channels along dimension 1, or of one scale."""
    dtype = draw(st.sampled_from(STORED))
    low, high = limits(dtype)
    usual = st.floats(2.0**-13, 8.0, width=32)
    n = count or 1
    zeros = draw(st.lists(st.integers(low, high), min_size=n, max_size=n))
    found = draw(st.lists(st.one_of(usual, scales), min_size=n, max_size=n))
    return UniformType.of(element_type_of(dtype), f32, found, zeros, None if count is None else 1)


# Types in text


@given(scales, st.integers(-128, 127))
@settings(max_examples=400, deadline=None)
def test_a_scale_reads_back_as_the_same_float(scale: float, zero_point: int):
    type = UniformType.of(element_type_of("int8"), f32, [scale], [zero_point])
    again = parse(str(type))
    assert again == type
    assert again.scales.tobytes() == np.float32(scale).tobytes()
    assert again.zero_points.tolist() == [zero_point]


@given(types(count=5))
@settings(deadline=None)
def test_a_type_by_channels_reads_back(type: UniformType):
    assert parse(str(type)) == type
    # MLIR's grammar wants a dot in every float.
    inner = str(type).partition("{")[2].partition("}")[0]
    assert all("." in item.partition(":")[0] for item in inner.split(", "))


def wide(count: int = 64, zero_point: int = 0) -> UniformType:
    found = np.random.default_rng(5).random(count).astype(np.float32) + np.float32(0.01)
    return UniformType.of(element_type_of("int8"), f32, found, [zero_point] * count, 0)


def test_many_parameters_print_as_a_digest():
    type = wide()
    assert str(type) == f"!quant.uniform<i8:f32:0, 64 x @{type.params.data.digest}>"
    assert parse(str(type)) == type
    assert str(wide(16)).count(",") == 16
    with quant.inline_params():
        text = str(type)
    assert text.count(",") == 64
    assert parse(text) == type


def test_equal_parameters_are_equal_types_and_others_are_not():
    type = wide()
    bits = type.scales.copy()
    same = UniformType.of(type.storage, f32, bits, type.zero_points, 0)
    assert same == type
    assert hash(same) == hash(type)
    # One bit of one scale, one zero point, the dimension.
    bits.view(np.uint32)[40] ^= 1
    assert UniformType.of(type.storage, f32, bits, type.zero_points, 0) != type
    assert wide(zero_point=1) != type
    assert UniformType.of(type.storage, f32, type.scales, type.zero_points, 1) != type


def module_with(*types: UniformType) -> ModuleOp:
    from xdsl.dialects.test import TestOp

    ops: list[TestOp | StorageCastOp] = []
    for type in types:
        made = TestOp(result_types=[TensorType(type.storage, [type.count])])
        ops += [made, StorageCastOp(made.results[0], TensorType(type, [type.count]))]
    return ModuleOp(list(ops))


@pytest.mark.parametrize("generic", [False, True])
def test_another_process_reads_the_parameters_from_the_module(generic: bool):
    first, second = wide(), wide(17, 3)
    module = module_with(first, second, first)
    update_params(module)
    text = module_text(module, generic=generic)
    assert text.count(first.scales.tobytes().hex().upper()) == 1
    script = (
        "import sys; from xdsl.parser import Parser; from autosplit.registry import make_context\n"
        "from autosplit.dialects.quant import uniform_of\n"
        "from xdsl.dialects import test; ctx = make_context(); ctx.load_dialect(test.Test)\n"
        "module = Parser(ctx, sys.stdin.read()).parse_module(); module.verify()\n"
        "found = [uniform_of(r.type) for op in module.walk() for r in op.results]\n"
        "print([t.scales.tobytes().hex() for t in found if t is not None])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], input=text, capture_output=True, text=True, check=True
    )
    hexes = [t.scales.tobytes().hex() for t in (first, second, first)]
    assert ran.stdout.strip() == str(hexes)


def test_the_table_lists_what_the_module_uses():
    module = module_with(wide(), wide(20))
    update_params(module)
    assert len(module.attributes[quant.TABLE].data) == 2
    for op in list(module.ops)[:1:-1]:
        op.detach()
    update_params(module)
    assert len(module.attributes[quant.TABLE].data) == 1
    for op in list(module.ops)[::-1]:
        op.detach()
    update_params(module)
    assert quant.TABLE not in module.attributes


def test_parameters_go_when_nothing_holds_them():
    type = wide(30)
    digest = type.params.data.digest
    del type
    with pytest.raises(VerifyException, match="are unknown"):
        Params.named(digest, 30).numbers()


# The casts in numpy

CODES = {
    "int4": TensorProto.INT4,
    "uint4": TensorProto.UINT4,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int16": TensorProto.INT16,
    "uint16": TensorProto.UINT16,
    "int32": TensorProto.INT32,
}


@cache
def session(kind: str, dtype: str, rank: int):
    """A cast whose parameters are inputs, so that one session serves all types; 4 bits are widened."""
    code = CODES[dtype]
    real, stored = (TensorProto.FLOAT, "x"), (code, "q")
    narrow = dtype in ("int4", "uint4")
    shown = TensorProto.INT8 if dtype == "int4" else TensorProto.UINT8 if narrow else code
    nodes = [helper.make_node("Cast", ["z_in"], ["z"], to=code)]
    if kind == "QuantizeLinear":
        nodes += [
            helper.make_node(kind, ["x", "s", "z"], ["q"], axis=1),
            helper.make_node("Cast", ["q"], ["y"], to=shown),
        ]
        given, result = real[0], shown
    else:
        nodes += [
            helper.make_node("Cast", ["x"], ["q"], to=stored[0]),
            helper.make_node(kind, ["q", "s", "z"], ["y"], axis=1),
        ]
        given, result = shown, real[0]
    shape = [f"d{i}" for i in range(rank)]
    parameter = ["n"] if rank == 2 else []
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info("x", given, shape),
            helper.make_tensor_value_info("s", TensorProto.FLOAT, parameter),
            helper.make_tensor_value_info("z_in", shown, parameter),
        ],
        [helper.make_tensor_value_info("y", result, shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def runtime(kind: str, values: np.ndarray, type: UniformType) -> np.ndarray:
    name = np.dtype(quantize(np.zeros((1, type.count), np.float32), type).dtype).name
    shown = np.dtype({"int4": "int8", "uint4": "uint8"}.get(name, name))
    rank = 2 if type.is_per_axis else 1
    parameters = [type.scales, type.zero_points.astype(shown)]
    if not type.is_per_axis:
        parameters = [p.reshape(()) for p in parameters]
    x = values if kind == "QuantizeLinear" else values.astype(shown)
    feeds = dict(zip(("x", "s", "z_in"), (x, *parameters), strict=True))
    return session(kind, name, rank).run(None, feeds)[0]


@st.composite
def reals(draw: st.DrawFn, type: UniformType) -> np.ndarray:
    """Values that matter to a type: halves between its numbers, the ends of its range, what is beyond."""
    n = 8 if type.is_per_axis else 40
    steps = draw(
        st.lists(st.integers(-70000, 70000), min_size=n * type.count, max_size=n * type.count)
    )
    offset = draw(st.sampled_from([0.0, 0.5, 0.25]))
    with np.errstate(all="ignore"):
        values = np.array(steps, np.float32).reshape(n, type.count) + np.float32(offset)
        values = (values * type.scales).astype(np.float32)
    special = [math.nan, math.inf, -math.inf, 3.4e38, -3.4e38, -0.0, 1e-45]
    for value in draw(st.lists(st.sampled_from(special), max_size=8)):
        values.reshape(-1)[draw(st.integers(0, values.size - 1))] = value
    return values if type.is_per_axis else values.reshape(-1)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_quantizing_is_onnx_runtimes(data: st.DataObject):
    type = data.draw(types(count=data.draw(st.sampled_from([None, 3]))))
    x = data.draw(reals(type))
    ours = quantize(x, type)
    theirs = runtime("QuantizeLinear", x, type)
    # What a NaN becomes, its kernels do not agree on.
    known = ~np.isnan(x)
    if type.storage.width.data == 4:
        # Quotients of more than 32 bits overflow in its kernel for 4 bits, where ONNX has them saturate.
        with np.errstate(all="ignore"):
            known &= np.abs(x / type.scales) < 2.0**31
    assert ours.astype(np.int64)[known].tolist() == theirs.astype(np.int64)[known].tolist()


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_dequantizing_is_onnx_runtimes(data: st.DataObject):
    type = data.draw(types(count=data.draw(st.sampled_from([None, 3]))))
    low, high = type.storage_range
    shape = (4, 3) if type.is_per_axis else (12,)
    stored = np.array(data.draw(st.lists(st.integers(low, high), min_size=12, max_size=12)))
    q = stored.reshape(shape).astype(quantize(np.zeros((1, type.count), np.float32), type).dtype)
    ours = dequantize(q, type)
    assert ours.dtype == np.float32
    assert ours.tobytes() == runtime("DequantizeLinear", q, type).tobytes()


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=6, max_size=6), scales)
@settings(deadline=None)
def test_dequantizing_a_bias_is_onnx_runtimes(values: list[int], scale: float):
    type = UniformType.of(element_type_of("int32"), f32, [scale], [0])
    q = np.array(values, np.int32)
    assert dequantize(q, type).tobytes() == runtime("DequantizeLinear", q, type).tobytes()


def test_ties_go_to_even_and_ends_saturate():
    type = UniformType.of(element_type_of("uint8"), f32, [1.0], [3])
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 300, -300, math.inf, -math.inf], np.float32)
    assert quantize(x, type).tolist() == [3, 5, 5, 3, 1, 255, 0, 255, 0]


def test_a_part_of_the_range_saturates_at_its_ends():
    type = UniformType.of(element_type_of("int8"), f32, [1.0], [0], storage_range=(-127, 127))
    assert quantize(np.array([-500.0, 500.0], np.float32), type).tolist() == [-127, 127]


def test_an_array_that_does_not_fit_is_refused():
    type = UniformType.of(element_type_of("int8"), f32, [0.1, 0.2], [0, 0], 1)
    with pytest.raises(
        AutosplitError, match=r"of shape \[2, 3\] is not of type .*2 channels along dimension 1"
    ):
        quantize(np.zeros((2, 3), np.float32), type)


@given(types())
@settings(max_examples=100, deadline=None)
def test_quantizing_what_was_dequantized_gives_it_back_where_the_folding_says_so(type: UniformType):
    low, high = type.storage_range
    q = np.arange(low, high + 1).astype(quantize(np.zeros(1, np.float32), type).dtype)
    same = np.array_equal(quantize(dequantize(q, type), type), q)
    assert same or not is_exact(type)
    # It is not refused for types of the usual scales.
    assert is_exact(type) or type.scales[0] > 1e30


def test_integers_of_32_bits_do_not_come_back():
    type = UniformType.of(element_type_of("int32"), f32, [0.1], [0])
    q = np.array([2**31 - 1, 2**24 + 1], np.int32)
    assert not is_exact(type)
    assert not np.array_equal(quantize(dequantize(q, type), type), q)


def test_storage_types_of_the_python_interface():
    type = UniformType.of(element_type_of("uint4"), f32, [0.5], [7])
    assert type.is_unsigned
    assert type.storage_range == (0, 15)
    assert not type.is_per_axis
    assert uniform_of(TensorType(type, [2])) == type
    assert uniform_of(TensorType(f32, [2])) is None
    assert quantize(np.zeros(1, np.float32), type).dtype == dtype_named("uint4")
    assert type.bounds == [(-3.5, 4.0)]
    with pytest.raises(VerifyException, match="found 2 scales and no axis"):
        UniformType.of(element_type_of("int8"), f32, [0.1, 0.2], [0, 0])
    with pytest.raises(VerifyException, match="found 2 scales and 1 zero point"):
        UniformType.of(element_type_of("int8"), f32, [0.1, 0.2], [0], 0)
