"""The `tf` dialect: every op's example, every declaration against TensorFlow's own registry, attributes."""

from __future__ import annotations

import inspect
import math
import re
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, f32, i32, i64
from xdsl.dialects.test import Test
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from autosplit.core.printing import module_text
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import Device
from autosplit.dialects.platform import Platform
from autosplit.dialects.tf import (
    ConstOp,
    GraphOp,
    Kind,
    OpaqueOp,
    ShapeAttr,
    Tf,
    TfOp,
    constant_array,
    data_type_of,
    element_of,
    from_python,
    make_constant,
    make_node,
    to_python,
)
from autosplit.dialects.tf.attributes import is_modelled, kind_of
from autosplit.dialects.tf.attributes.proto import DATA_TYPES, new_attr
from autosplit.dialects.tf.attributes.values import (
    AttrReader,
    array_of,
    attr_bytes,
    tensor_attr,
    write_tensor,
)
from autosplit.dialects.tf.base import ManyInputs


def context() -> Context:
    ctx = Context()
    for dialect in (Builtin, Test, Platform, Device, Tf):
        ctx.load_dialect(dialect)
    return ctx


def example_of(cls: type[Any]) -> str:
    """The IR example of a docstring."""
    text = inspect.cleandoc(cls.__doc__ or "")
    return dedent(text.split("Example:", 1)[1]).strip()


def split_types(text: str) -> list[str]:
    """The types of a list such as `tensor<2xf32>, !tf.resource`."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += {"<": 1, ">": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


def with_operands(example: str) -> str:
    """The example behind ops that define what it reads."""
    flat = " ".join(example.split())
    names = re.search(r'" \(([^)]*)\)', flat)
    types = re.search(r": \(((?:[^()]|\([^()]*\))*)\) -> ", flat)
    assert names is not None
    assert types is not None
    operands = [n.strip() for n in names[1].split(",") if n.strip()]
    made = [
        f'{name} = "test.op"() : () -> {type}'
        for name, type in zip(operands, split_types(types[1]), strict=True)
    ]
    return "\n".join([*made, flat])


OPS = sorted((op for op in Tf.operations if issubclass(op, TfOp)), key=lambda op: op.name)


@pytest.mark.parametrize("cls", OPS, ids=lambda c: c.name)
def test_example_parses_and_prints_as_it_stands(cls: type[TfOp]):
    text = with_operands(example_of(cls))
    module = Parser(context(), text).parse_module()
    module.verify()
    op = module.body.block.last_op
    assert type(op) is cls
    printed = module_text(module)
    assert " ".join(text.splitlines()[-1].split()) in " ".join(printed.split())
    generic = module_text(module, generic=True)
    assert module_text(Parser(context(), generic).parse_module()) == printed
    assert op.location == op.default_location()


@pytest.mark.parametrize("cls", OPS, ids=lambda c: c.name)
def test_summary_is_one_line(cls: type[TfOp]):
    first, _, rest = inspect.cleandoc(cls.__doc__ or "").partition("\n")
    assert first.endswith(".")
    assert rest.startswith("\n")


def test_graph_example():
    module = Parser(context(), example_of(GraphOp)).parse_module()
    module.verify()
    graph = module.body.block.first_op
    assert isinstance(graph, GraphOp)
    assert [n for n, _ in graph.graph_inputs()] == ["x:0"]
    assert [n for n, _ in graph.graph_outputs()] == ["y:0"]


@pytest.mark.parametrize("cls", list(Tf.attributes), ids=lambda c: c.name)
def test_attribute_examples(cls: type[Attribute]):
    found = re.findall(r"`([^`]+)`", inspect.cleandoc(cls.__doc__ or "").split("Example:", 1)[1])
    assert found
    for text in found:
        parsed = Parser(context(), text).parse_attribute()
        assert str(parsed) == text


# The declarations, against TensorFlow's own.


def registry() -> Any:
    pytest.importorskip("tensorflow")
    from tensorflow.python.framework import op_def_registry

    return op_def_registry


DECLARED = [op for op in OPS if op is not OpaqueOp]


@pytest.mark.parametrize("cls", DECLARED, ids=lambda c: c.name)
def test_declaration_is_tensorflows(cls: type[TfOp]):
    definition = registry().get(cls.name.removeprefix("tf."))
    assert definition is not None
    many = any(a.number_attr or a.type_list_attr for a in definition.input_arg)
    operands = [name for name, _ in cls.get_irdl_definition().operands]
    assert operands[:-1] == [] if many else len(operands) == len(definition.input_arg) + 1
    if issubclass(cls, ManyInputs):
        assert tuple(a.number_attr or a.type_list_attr for a in definition.input_arg) == cls.INPUTS
    known = {a.name: a for a in definition.attr}
    for name, declared in cls.ATTRIBUTES.items():
        attr = known.pop(name)
        assert kind_of(declared).value == attr.type, name
        assert isinstance(declared, Kind) != attr.HasField("default_value"), name
        if isinstance(declared, Kind):
            continue
        assert same(
            AttrReader().read(new_attr(attr.default_value.SerializeToString())), declared
        ), name
    assert all(a.HasField("default_value") for a in known.values())


def same(attr: Attribute, declared: object) -> bool:
    value = to_python(attr)
    if isinstance(declared, Attribute):
        return attr == declared
    if isinstance(declared, tuple):
        return value == list(declared)
    if isinstance(declared, float):
        return math.isclose(value, declared, rel_tol=1e-6)
    return value == declared


@pytest.mark.parametrize("cls", DECLARED, ids=lambda c: c.name)
def test_outputs_are_tensorflows(cls: type[TfOp]):
    definition = registry().get(cls.name.removeprefix("tf."))
    if any(a.is_ref for a in definition.output_arg):
        assert cls.OUTPUTS is None
        return
    expected: list[object] = []
    for arg in definition.output_arg:
        name = arg.type_attr or arg.type_list_attr or element_of(arg.type)
        expected.append(f"{arg.number_attr} * {name}" if arg.number_attr else name)
    assert list(cls.OUTPUTS or ()) == expected


def test_data_types_are_tensorflows():
    tf = pytest.importorskip("tensorflow")
    for name, number in DATA_TYPES.items():
        if number:
            dtype = tf.dtypes.as_dtype(number)
            assert dtype.as_datatype_enum == number
            assert f"DT_{dtype.name.upper()}" in (name, *NICKNAMES.get(name, ()))


NICKNAMES = {
    "DT_FLOAT": ("DT_FLOAT32",),
    "DT_DOUBLE": ("DT_FLOAT64",),
    "DT_HALF": ("DT_FLOAT16",),
}


def test_element_types_are_tensorflows():
    tf = pytest.importorskip("tensorflow")
    from autosplit.core.dtypes import dtype_of

    for number in DATA_TYPES.values():
        dtype = dtype_of(element_of(number)) if number else None
        if dtype is not None and number not in (29, 30):
            assert dtype == tf.dtypes.as_dtype(number).as_numpy_dtype, number
        assert data_type_of(element_of(number)) == number


# Attributes.

plain = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(width=32, allow_nan=False),
    st.text(),
    st.binary().filter(lambda b: not decodes(b)),
    st.lists(st.integers(-(2**63), 2**63 - 1)),
    st.lists(st.floats(width=32, allow_nan=False)),
    st.lists(st.booleans()),
    st.lists(st.text()),
)


def decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(plain)
def test_python_to_attribute_to_text_and_back(value: object):
    attr = from_python(value)
    parsed = Parser(context(), str(attr)).parse_attribute()
    assert parsed == attr
    assert to_python(parsed) == value


arrays = st.one_of(
    *(
        st.lists(elements, max_size=130).map(lambda v, d=dtype: np.array(v, dtype=d))
        for dtype, elements in (
            (np.float32, st.floats(width=32)),
            (np.float64, st.floats()),
            (np.float16, st.floats(width=16)),
            (np.int32, st.integers(-(2**31), 2**31 - 1)),
            (np.int64, st.integers(-(2**63), 2**63 - 1)),
            (np.uint8, st.integers(0, 255)),
            (np.uint64, st.integers(0, 2**64 - 1)),
            (np.bool_, st.booleans()),
            (np.complex64, st.complex_numbers(width=64)),
        )
    )
)


@given(arrays, st.sampled_from(["usual", "typed", "content"]))
@settings(max_examples=300)
def test_tensor_to_attribute_to_text_and_back(array: np.ndarray[Any, Any], encoding: str):
    value = new_attr()
    count = {"usual": None, "typed": array.size, "content": -1}[encoding]
    write_tensor(value.tensor, array, count)
    attr = tensor_attr(value)
    parsed = Parser(context(), str(attr)).parse_attribute()
    assert attr_bytes(parsed) == value.SerializeToString(deterministic=True)
    np.testing.assert_array_equal(array_of(value.tensor), array)
    store = WeightStore()
    op = make_node("Const", [], "c", attributes={"value": parsed, "dtype": dtype_attr(array)})
    found = constant_array(op.results[0], store)
    assert found is not None
    assert found.dtype == array.dtype
    assert found.tobytes() == array.tobytes()


def dtype_attr(array: np.ndarray[Any, Any]) -> Attribute:
    from autosplit.core.dtypes import element_type_of

    return element_type_of(array.dtype)


def test_typed_field_repeats_its_last_element():
    value = new_attr()
    write_tensor(value.tensor, np.array([1, 2, 2, 2], np.int32), 2)
    assert array_of(value.tensor).tolist() == [1, 2, 2, 2]
    text = str(tensor_attr(value))
    assert text == "#tf.tensor<dense<[1, 2, 2, 2]> : tensor<4xi32>, 2>"
    assert attr_bytes(Parser(context(), text).parse_attribute()) == value.SerializeToString()


UNREAD = (31, 32, 33)
"""Integers of 2 bits and floats of 4, for which the IR has no type: such tensors stay as they are."""
NEVER_CONSTANT = (26, 27, 28)
"""Floats of 8 bits of which TensorFlow itself makes no constant."""


@pytest.mark.parametrize(
    "number", [n for n in DATA_TYPES.values() if n and n not in NEVER_CONSTANT]
)
def test_tensors_of_every_data_type_are_read_as_tensorflow_does(number: int):
    tf = pytest.importorskip("tensorflow")
    dtype = tf.dtypes.as_dtype(number)
    if dtype in (tf.resource, tf.variant) or "q" in dtype.name or "int4" in dtype.name:
        pytest.skip("no numpy array of this dtype")
    values = [b"a", b"\xff"] if dtype == tf.string else [0, 1]
    for array in (values, values[1]):
        proto = tf.make_tensor_proto(np.array(array, dtype=dtype.as_numpy_dtype))
        value = new_attr()
        value.tensor.ParseFromString(proto.SerializeToString())
        if number in UNREAD:
            with pytest.raises(ValueError, match=f"of data type {number}, cannot be read"):
                array_of(value.tensor)
        else:
            np.testing.assert_array_equal(array_of(value.tensor), tf.make_ndarray(proto))
        assert attr_bytes(tensor_attr(value)) == value.SerializeToString(deterministic=True)


def test_floats_that_the_text_would_change_are_not_modelled():
    for bad in ([np.nan], [0.0, -0.0], [np.inf], [16777216.0, 3.0]):
        assert not is_modelled(np.array(bad, np.float32))
    for good in ([0.1, 2.5], [-0.0, -0.0], [1e-30]):
        assert is_modelled(np.array(good, np.float32))


# Building.


def test_make_node_takes_the_declared_class():
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32, "shape": ShapeAttr.of([1, -1])})
    conv = make_node(
        "Conv2D",
        [x.results[0], x.results[0]],
        "conv",
        attributes={"T": f32, "strides": [1, 2, 2, 1], "padding": "SAME"},
    )
    assert type(conv).__name__ == "Conv2DOp"
    conv.verify()
    assert conv.attribute("strides") == [1, 2, 2, 1]
    assert conv.attribute("dilations") == [1, 1, 1, 1]
    assert conv.attribute("data_format") == "NHWC"
    assert conv.attribute("nothing", 3) == 3
    assert conv.value_name(0) == "conv:0"
    assert str(conv.results[0].type) == "tensor<*xf32>"


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes"),
    [
        ("NeverHeardOf", 1, {}),
        ("Relu", 1, {}),
        ("Relu", 1, {"T": 3}),
    ],
)
def test_what_does_not_fit_is_opaque(op_type: str, inputs: int, attributes: dict[str, object]):
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32})
    op = make_node(op_type, [x.results[0]] * inputs, "n", attributes=attributes)
    assert isinstance(op, OpaqueOp)
    assert op.op_type == op_type
    op.verify()


@pytest.mark.parametrize(
    ("op_type", "inputs", "attributes"),
    [
        ("Relu", 2, {"T": f32}),
        ("Switch", 0, {"T": f32}),
        ("AddV2", 3, {"T": f32}),
        ("ConcatV2", 2, {"N": 2, "T": f32}),
        ("Merge", 3, {"N": 2, "T": f32}),
        ("IdentityN", 1, {"T": [f32, f32]}),
        ("DynamicStitch", 3, {"N": 2, "T": f32}),
    ],
)
def test_types_have_their_number_of_inputs(
    op_type: str, inputs: int, attributes: dict[str, object]
):
    """Passes rely on it, whatever else of a node is not as declared."""
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32})
    op = make_node(op_type, [x.results[0]] * inputs, "n", attributes=attributes)
    with pytest.raises(VerifyException, match=f"{op_type} 'n' has {inputs} inputs?, expected"):
        op.verify()


@pytest.mark.parametrize("count", [2**17, 2**40, -1])
def test_numbers_of_outputs_have_a_limit(count: int):
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32})
    axis = make_constant("axis", np.array(0, np.int32), None)
    attributes = {"num_split": count, "T": f32}
    parts = make_node("Split", [axis.results[0], x.results[0]], "s", attributes=attributes)
    assert len(parts.results) == 1


def test_outputs_by_attribute():
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32})
    axis = make_constant("axis", np.array(0, np.int32), None)
    parts = make_node(
        "Split", [axis.results[0], x.results[0]], "s", attributes={"num_split": 3, "T": f32}
    )
    assert [str(v.type) for v in parts.outputs] == ["tensor<*xf32>"] * 3
    pair = make_node(
        "IdentityN", [axis.results[0], x.results[0]], "i", attributes={"T": [i32, f32]}
    )
    assert [str(v.type) for v in pair.outputs] == ["tensor<*xi32>", "tensor<*xf32>"]
    best = make_node("TopKV2", [x.results[0], axis.results[0]], "t", attributes={"T": f32})
    assert [str(v.type) for v in best.outputs] == ["tensor<*xf32>", "tensor<*xi32>"]
    where = make_node("Shape", [x.results[0]], "h", attributes={"T": f32, "out_type": i64})
    assert str(where.results[0].type) == "tensor<*xi64>"


def test_control_edges():
    first = make_node("NoOp", [], "first", done=True)
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32})
    assert first.done is not None
    second = make_node(
        "Identity", [x.results[0]], "second", attributes={"T": f32}, controls=[first.done]
    )
    second.verify()
    assert second.controls == [first.done]
    assert second.inputs == [x.results[0]]
    assert first.outputs == []
    assert first.value_name(0) == "^first"


def test_large_constants_go_to_the_store():
    store = WeightStore()
    small = make_constant("small", np.zeros(1024, np.float32), store)
    large = make_constant("large", np.arange(1025, dtype=np.float32), store)
    assert "dense" in str(small.value)
    assert "#platform.weight<" in str(large.value)
    assert isinstance(large, ConstOp)
    found = constant_array(large.results[0], store)
    assert found is not None
    assert found.tolist() == list(range(1025))


def test_verifier_names_what_is_wrong():
    x = make_node("Placeholder", [], "x", attributes={"dtype": f32})
    relu = make_node("Relu", [x.results[0]], "r", attributes={"T": f32})
    from xdsl.dialects.builtin import DictionaryAttr

    relu.node_attrs = DictionaryAttr({})
    with pytest.raises(VerifyException, match="has no attribute T, a Relu needs it"):
        relu.verify()
    relu.node_attrs = DictionaryAttr({"T": from_python(3)})
    with pytest.raises(VerifyException, match=r"is 3 : i64, expected a type"):
        relu.verify()
