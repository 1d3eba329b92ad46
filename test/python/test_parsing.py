"""Reading modules as text gives what xDSL's own parser gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from autosplit.parsing import TypeParser
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
