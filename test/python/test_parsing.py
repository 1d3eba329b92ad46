"""Reading modules as text gives what xDSL's own parser gives."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import TypeParser, check_strings, parse_mlir, parse_text
from autosplit.dialects.onnx.base import name_hint
from autosplit.registry import make_context

ELEMENTS = st.sampled_from(
    ["f32", "f16", "bf16", "i1", "i8", "ui8", "index", "none", "!onnx.string"]
)
SIZES = st.lists(st.sampled_from(["?", "0", "1", "17"]), max_size=4)
RANKED = st.builds(
    lambda sizes, element: "".join(f"{s}x" for s in sizes) + element, SIZES, ELEMENTS
)
TENSORS = RANKED.map("tensor<{}>".format) | st.sampled_from(
    [
        "tensor<*xf32>",
        "tensor< 2 x 3 x f32 >",
        'tensor<2xf32, "an encoding">',
        "vector<2xf32>",
        "tensor<tensor<1xf32>>",
        "(tensor<2xf32>) -> (tensor<2xf32>)",
    ]
)


def module_of(types: list[str], constants: list[str]) -> str:
    values = [f'"test.op"() {{type = {type}}} : () -> ()' for type in types]
    values += [f'"test.op"() {{value = dense<1> : {type}}} : () -> ()' for type in constants]
    return "\n".join(["builtin.module {", *values, "}"])


def read(parser: type[Parser], text: str) -> ModuleOp | str:
    """The module, or why there is none."""
    ctx = make_context()
    ctx.allow_unregistered = True
    try:
        return parser(ctx, text).parse_module()
    except ParseError as error:
        return f"{error.span.start} {error.msg}"


@given(st.lists(TENSORS, max_size=6), st.lists(TENSORS, max_size=4))
def test_types_are_those_that_xdsl_reads(types: list[str], constants: list[str]):
    # Each is read anew, and then as one that is known.
    text = module_of([*types, *types], [*constants, *constants])
    found, wanted = read(TypeParser, text), read(Parser, text)
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
    else:
        assert found.is_structurally_equivalent(wanted)


def test_a_type_is_read_once():
    module = read(TypeParser, module_of(["tensor<2x3xf32>"] * 2, []))
    assert isinstance(module, ModuleOp)
    first, second = (op.attributes["type"] for op in module.body.ops)
    assert first is second


@pytest.mark.parametrize("type", ["tensor<?xf32>", "tensor<2xnone>", "i32"])
def test_constants_of_other_types_are_errors(type: str):
    text = module_of([type], [type])
    assert isinstance(read(Parser, text), str)
    assert read(TypeParser, text) == read(Parser, text)


LONG = "a" * 300
GOOD = ["a\\nb", "\\\\", "\\22", "// ", "ä", "\\C3\\A4"]
BAD = ["a\nb", "\v", "\f", "\\q", "\\0", "\\0g", "\\", '"']


@pytest.mark.parametrize("inner", GOOD + BAD)
def test_strings_end_where_the_lexer_says(inner: str):
    """What is refused before parsing is what xDSL refuses, and would take exponential time for."""
    text = f'builtin.module attributes {{a = "{inner}", b = "x"}} {{}}'
    assert isinstance(read(Parser, text), str) == (inner in BAD)
    if inner in GOOD:
        check_strings(text, "name")
        return
    with pytest.raises(AutosplitError, match=r"name:1:\d+: a string that begins here has"):
        check_strings(text, "name")


@pytest.mark.parametrize("inner", BAD)
@pytest.mark.parametrize("parse", [parse_text, parse_mlir])
def test_malformed_strings_take_no_time(parse: Callable[..., ModuleOp], inner: str):
    started = time.monotonic()
    text = f'builtin.module attributes {{a = "{LONG}{inner}{LONG}, b = x}} {{}} // "'
    with pytest.raises((AutosplitError, ParseError)):
        parse(make_context(), text, "name")
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ('dense<"0x01"> : tensor<2xi32>', "Expected 2 elements"),
        ('dense<"0x0102030405"> : tensor<2xi32>', "Expected 2 elements from the type, but got 1"),
        ('dense<"0x0102030"> : tensor<2xi32>', "Hex string in denseAttr is invalid"),
        ('dense<"0x0102"> : tensor<?xi32>', "static shape"),
        ("dense<[1, 2, 3]> : tensor<2xi32>", "Shape mismatch"),
        ("dense<1> : tensor<1099511627776x1099511627776xi32>", "at most 268435456 elements"),
        ("dense<300> : tensor<2xi8>", "out of range"),
        ("array<i8: 300>", "out of range"),
        ("1 : i99999999999", "at most 16777215 bits"),
        ("9" * 5000 + " : i32", ""),
        ("1.0e99999999 : f32", ""),
        ("[" * 3000 + "]" * 3000, "nested too deeply"),
        ("#quant.uniform<1>", ""),
        ("#dnnl.layout<1>", ""),
        ("²", "cannot be parsed"),
    ],
)  # fmt: skip
def test_malformed_attributes_are_errors_of_the_text(attribute: str, said: str):
    text = f"builtin.module attributes {{a = {attribute}}} {{}}"
    found = [reading(parse, text) for parse in (parse_text, parse_mlir)]
    assert all(said in text for text in found), found


def reading(parse: Callable[..., ModuleOp], text: str) -> str:
    """What parsing says against a text; "" where it says nothing."""
    try:
        parse(make_context(), text, "name")
    except (AutosplitError, ParseError) as error:
        return str(error)
    return ""


def test_name_hints_of_underscores_take_no_time():
    started = time.monotonic()
    assert name_hint("_" * 59 + "a") == "a"
    assert name_hint("a" + "_1" * 20 + "_" * 18) == "a"
    assert time.monotonic() - started < 1
