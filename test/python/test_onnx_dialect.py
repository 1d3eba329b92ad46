"""The onnx dialect: up to date, every example parses, tensors and attributes survive the IR and its text."""

from __future__ import annotations

import math
import re
import subprocess
import sys

import numpy as np
import onnx.defs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from xdsl.context import Context
from xdsl.dialects import test as xdsl_test
from xdsl.dialects.builtin import Builtin, FloatAttr, ModuleOp, UnrankedTensorType, f32
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser

from autosplit.core.dtypes import dtype_named, dtype_of, element_type_of, tensor_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.core.weights import WeightStore, digest
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import (
    OP_CLASSES,
    BitsAttr,
    GraphOp,
    InitializerOp,
    Onnx,
    OnnxOp,
    OpaqueOp,
    ReturnOp,
    constant_array,
    field_attr,
    make_constant,
    plain_value,
    tensor_array,
    tensor_attr,
)
from autosplit.dialects.platform import Platform, WeightAttr, location_names

# fmt: off
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128", "bfloat16", "float8_e4m3fn",
    "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn",
    "int4", "uint4", "int2", "uint2",
]
# fmt: on


def context() -> Context:
    ctx = Context(allow_unregistered=True)
    for dialect in (Builtin, Platform, Onnx):
        ctx.load_dialect(dialect)
    return ctx


def reparse(attr: Attribute) -> Attribute:
    module = ModuleOp([], {"value": attr})
    return Parser(context(), module_text(module)).parse_module().attributes["value"]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# The generated file


@pytest.mark.parametrize("generator", ["onnx_dialect", "runtime_dialect"])
def test_the_dialect_is_what_the_generator_writes(generator):
    if generator == "runtime_dialect":
        pytest.importorskip("onnxruntime", "1.31", exc_type=ImportError)
    command = [sys.executable, "-m", f"autosplit.tools.generate.{generator}", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_schema_from_opset_7_on_fits_its_declared_op():
    checked = 0
    for schema in onnx.defs.get_all_schemas_with_history():
        bodies = any(str(a.type).endswith("GRAPH") for a in schema.attributes.values())
        if schema.domain or schema.since_version < 7 or schema.deprecated or bodies:
            continue
        cls = OP_CLASSES[("", schema.name)]
        known = cls.get_irdl_definition().properties
        assert set(schema.attributes) <= set(known), f"{schema.name} {schema.since_version}"
        for count in {schema.min_input, min(schema.max_input, schema.min_input + 12)}:
            outputs = [f"y{i}" for i in range(max(schema.min_output, 1))]
            op = make_node(schema.name, [unranked() for _ in range(count)], outputs)
            assert type(op) is cls, f"{schema.name} {schema.since_version} with {count} inputs"
            op.verify()
            checked += 1
    assert checked > 400


def test_importing_the_dialect_imports_neither_numpy_nor_onnx():
    code = (
        "import sys, autosplit.dialects.onnx.ops; "
        "print([m for m in ('numpy', 'onnx', 'google.protobuf') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def example_of(op: type[Operation]) -> str:
    doc = op.__doc__ or ""
    match = re.search(r"Example:\s+(.*)", doc, re.S)
    assert match, f"{op.name} has no example"
    return match[1].strip().strip("`")


def with_operands(example: str) -> str:
    """The example behind an op that defines the values it reads."""
    read = re.search(r"\((.*?)\) ->", example)
    names = re.findall(r"%\w+", read[1]) if read else []
    types: list[str] = []
    depth = 0
    text = ""
    for c in re.split(r":\s*\(", example)[-1]:
        if c in ",)" and depth == 0:
            types.append(text.strip())
            text = ""
            if c == ")":
                break
            continue
        depth += (c in "<(") - (c in ">)")
        text += c
    if not names:
        return example
    return f'{", ".join(names)} = "test.op"() : () -> ({", ".join(types)})\n{example}'


@pytest.mark.parametrize("op", OP_CLASSES.values(), ids=lambda op: op.name)
def test_an_ops_example_is_ir_that_round_trips(op: type[OnnxOp]):
    module = Parser(context(), with_operands(example_of(op))).parse_module()
    module.verify()
    found = list(module.ops)[-1]
    assert type(found) is op
    assert isinstance(found, OnnxOp)
    assert found.op_type == op.name.rsplit(".", 1)[1]
    text = module_text(module)
    generic = module_text(module, generic=True)
    assert module_text(Parser(context(), text).parse_module()) == text
    assert module_text(Parser(context(), generic).parse_module()) == text


# Tensors


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    """Small arrays of any dtype, any bits in them."""
    dtype = dtype_named(draw(st.sampled_from(DTYPES)))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
    count = math.prod(shape)
    if dtype == np.bool_ or (
        dtype.itemsize == 1 and "int" in dtype.name and dtype.name[-1] in "42"
    ):
        low = -1 if dtype.name.startswith("int") else 0
        values = draw(st.lists(st.integers(low, 1), min_size=count, max_size=count))
        return np.array(values, np.int8).astype(dtype).reshape(shape)
    size = count * dtype.itemsize
    kind = draw(st.sampled_from(["bits", "whole", "splat"]))
    if kind == "bits" or dtype.itemsize == 1:
        data = draw(st.binary(min_size=size, max_size=size))
        if dtype.name.startswith(("float4",)):
            data = bytes(b & 15 for b in data)
        return np.frombuffer(data, dtype).reshape(shape)
    # The xDSL printer has a way of its own for each of these.
    whole = st.sampled_from([0, -0.0, 1, 2**24, 2**31, 1e10, 0.1, 3.0e38, math.inf, math.nan])
    count = 1 if kind == "splat" else count
    values = np.array(draw(st.lists(whole, min_size=count, max_size=count)))
    with np.errstate(all="ignore"):
        array = values.astype(dtype)
    return np.full(shape, array[0]) if kind == "splat" else array.reshape(shape)


@settings(max_examples=400, deadline=None)
@given(arrays())
def test_small_tensors_survive_attribute_and_text(array: np.ndarray):
    attr = tensor_attr(array)
    found = tensor_array(attr)
    assert found is not None
    assert same_bits(found, array)
    again = reparse(attr)
    assert again == attr
    found = tensor_array(again)
    assert found is not None
    assert same_bits(found, array)


def test_ordinary_constants_are_dense_and_unusual_ones_bits():
    assert str(tensor_attr(np.array([1.5, 2.0], np.float32))).startswith("dense<")
    for value in (math.inf, math.nan, 2.0**24):
        assert isinstance(tensor_attr(np.array([value], np.float32)), BitsAttr)
    assert isinstance(tensor_attr(np.array([0.0, -0.0], np.float32)), BitsAttr)


def test_strings_survive():
    array = np.array([["a", "é"], ["", 'quote " \\ \n']], object)
    found = tensor_array(reparse(tensor_attr(array)))
    assert found is not None
    assert found.tolist() == array.tolist()


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_go_both_ways(name: str):
    dtype = dtype_named(name)
    assert dtype_of(element_type_of(dtype)) == dtype
    assert element_type_of(name) == element_type_of(dtype)
    assert dtype_of(tensor_type_of(np.zeros((2, 3), dtype))) == dtype


def test_types_without_a_dtype_say_so():
    from autosplit.dialects.onnx.ops import StringType
    from autosplit.dialects.platform import UnknownType

    assert dtype_of(StringType()) is None
    assert dtype_of(UnknownType()) is None
    with pytest.raises(ValueError, match="no element type"):
        element_type_of("datetime64[ns]")


# Attributes


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, 2**63 - 1, -(2**63), 1.5, math.inf, -math.inf),
        *("", "é", 'a"b\\\n', b"\xff\x00"),
        *([1, 2], [1.5, -0.5], ["a", "é"], [b"\xff", "b"], []),
    ],
)
def test_attributes_go_both_ways(value: object):
    assert plain_value(reparse(field_attr(value))) == value


def test_nan_and_minus_zero_attributes_keep_their_bits():
    for value in (math.nan, -0.0):
        attr = reparse(field_attr(value))
        assert attr == FloatAttr(value, f32)
        assert math.copysign(1, plain_value(attr)) == math.copysign(1, value)  # pyright: ignore


def test_numpy_scalars_and_wrong_values():
    assert plain_value(field_attr(np.int32(3))) == 3
    assert plain_value(field_attr(np.float32(0.5))) == 0.5
    assert plain_value(field_attr(True)) == 1
    for bad in (None, {}, [1, "a"], object()):
        with pytest.raises(ValueError, match="no ONNX attribute"):
            field_attr(bad)


# Making ops


def unranked():
    return xdsl_test.TestOp(result_types=[UnrankedTensorType(f32)]).results[0]


def value(kind: str = "float32"):
    return xdsl_test.TestOp(result_types=[tensor_type_of(np.zeros(4, dtype_named(kind)))]).results[
        0
    ]


def test_a_node_that_fits_is_its_declared_op():
    x = value()
    op = make_node("Clip", [x, None, x], ["y"], node_name="clip")
    assert isinstance(op, OP_CLASSES[("", "Clip")])
    assert op.inputs == [x, None, x]
    assert (op.domain, op.op_type, op.output_names) == ("", "Clip", ["y"])
    assert location_names(op.location) == ("clip",)
    op.verify()


def test_trailing_inputs_that_are_left_out_are_trimmed():
    x = value()
    op = make_node("Clip", [x, None, None], ["y"])
    assert op.inputs == [x]
    assert location_names(op.location) == ("y",)


@pytest.mark.parametrize(
    ("op_type", "count", "outputs", "attributes", "domain"),
    [
        ("Relu", 2, 1, {}, ""),  # an input too many
        ("Conv", 1, 1, {}, ""),  # one too few
        ("Relu", 1, 2, {}, ""),  # an output too many
        ("Relu", 1, 1, {"alpha": 1.0}, ""),  # an attribute it does not have
        ("Conv", 2, 1, {"group": "two"}, ""),  # an attribute of another kind
        ("Relu", 1, 1, {}, "com.microsoft"),
        ("Relu", 1, 1, {"node_name": "x"}, ""),
    ],
)
def test_a_node_that_does_not_fit_is_opaque(
    op_type: str, count: int, outputs: int, attributes: dict[str, object], domain: str
):
    values = [value() for _ in range(count)]
    names = [f"y{i}" for i in range(outputs)]
    op = make_node(op_type, values, names, attributes=attributes, domain=domain)
    assert isinstance(op, OpaqueOp)
    op.verify()
    assert (op.op_type, op.domain, op.inputs) == (op_type, domain, values)
    assert {k: op.attribute(k) for k in op.fields} == attributes
    text = module_text(ModuleOp([v.owner for v in values] + [op]))  # pyright: ignore
    again = list(Parser(context(), text).parse_module().ops)[-1]
    assert isinstance(again, OpaqueOp)
    assert {k: again.attribute(k) for k in again.fields} == attributes


def test_bodies_are_attributes_too():
    from xdsl.ir import Block

    def body(name: str) -> GraphOp:
        constant = make_constant(name, np.ones(4, np.float32), None)
        return GraphOp(name, [], [name], Block([constant, ReturnOp([constant.results[0]])]))

    graphs = {"else_branch": body("b"), "then_branch": body("a")}
    op = make_node("If", [value("bool")], ["y"], attributes=dict(graphs))
    op.verify()
    assert op.attribute("then_branch") is graphs["then_branch"]
    assert op.attribute("else_branch") is graphs["else_branch"]
    assert [name for name, _ in op.graphs] == ["then_branch", "else_branch"]


def test_constants_are_inline_when_small_and_in_the_store_when_not():
    store = WeightStore()
    small = make_constant("s", np.arange(1024, dtype=np.int64), store)
    assert list(store) == []
    big = make_constant("b", np.arange(1025, dtype=np.float32), store)
    assert isinstance(big.value, WeightAttr)
    assert big.value.digest.data == digest(np.arange(1025, dtype=np.float32))
    other = make_constant("b", np.zeros(2000, np.float32), store)
    for op, array in (
        (small, np.arange(1024)),
        (big, np.arange(1025, dtype=np.float32)),
        (other, np.zeros(2000, np.float32)),
    ):
        op.verify()
        found = constant_array(op.results[0], store)
        assert found is not None
        assert same_bits(found, array)
    assert constant_array(big.results[0], None) is None
    with pytest.raises(AutosplitError, match="'b'"):
        constant_array(big.results[0], WeightStore())


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"value": np.array([[1, 2]], np.int8)}, np.array([[1, 2]], np.int8)),
        ({"value_int": 3}, np.array(3, np.int64)),
        ({"value_ints": [3, 4]}, np.array([3, 4], np.int64)),
        ({"value_float": 0.5}, np.array(0.5, np.float32)),
        ({"value_floats": [0.5, -0.0]}, np.array([0.5, -0.0], np.float32)),
    ],
)
def test_constant_nodes_have_arrays(attributes: dict[str, object], expected: np.ndarray):
    op = make_node("Constant", [], ["c"], attributes=attributes)
    assert type(op) is OP_CLASSES[("", "Constant")]
    found = constant_array(op.results[0], None)
    assert found is not None
    assert same_bits(found, expected)
    assert constant_array(value(), None) is None


def test_an_initializers_type_is_that_of_its_value():
    op = InitializerOp("w", tensor_attr(np.zeros((2, 3), np.float16)))
    assert op.results[0].type == tensor_type_of(np.zeros((2, 3), np.float16))


def test_a_nan_that_signals_survives():
    array = np.array([0x7F800001], np.uint32).view(np.float32)
    found = tensor_array(tensor_attr(array))
    assert found is not None
    assert same_bits(found, array)
