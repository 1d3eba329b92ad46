"""The Top dialect: its table, how ops are made and read, and what its verifier says."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import needs_toolchain
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    FloatAttr,
    FusedLoc,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    NoneType,
    StringAttr,
    TensorType,
    UnknownLoc,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import parse_mlir
from autosplit.core.printing import module_text
from autosplit.dialects.top import OP_CLASSES, OP_TABLE, TopOp, make_op
from autosplit.dialects.top.base import to_attribute, to_python
from autosplit.dialects.top.spec import OPTIONAL, OR_NONE, VARIADIC, AttrSpec, PortSpec
from autosplit.registry import make_context
from autosplit.tools.generate import top_dialect as generate_top_dialect
from autosplit.tools.generate import written
from autosplit.tools.generate.top_dialect import read_ops

X = TensorType(f32, [1, 3, 8, 8])
Y = TensorType(f32, [1, 4, 8, 8])
NONE = NoneType()
CONV = {"kernel_shape": [3, 3], "strides": [1, 1], "pads": [1, 1, 1, 1]}


def values(*types: Any) -> list[Any]:
    return list(test.TestOp(result_types=types).results)


def conv(**more: object) -> TopOp:
    return make_op("Conv", values(X, X, NONE), [Y], ["y"], CONV | more)


# The table.


def test_the_table_has_all_kinds():
    assert len(OP_TABLE) == 200
    assert list(OP_TABLE) == sorted(OP_TABLE)
    assert list(OP_CLASSES) == list(OP_TABLE)


def test_a_convolution_in_the_table():
    spec = OP_TABLE["Conv"]
    assert spec.operands == (PortSpec("input"), PortSpec("filter"), PortSpec("bias", OR_NONE))
    assert spec.results == (PortSpec("output"),)
    assert spec.attrs["strides"] == AttrSpec("strides", "i64[]", True)
    assert spec.attrs["group"] == AttrSpec("group", "i64", False, 1)
    assert spec.attrs["relu_limit"] == AttrSpec("relu_limit", "f64", False, -1.0)
    assert spec.counts == (3, 3)


def test_what_a_class_of_ops_says_is_said_of_each():
    pools = [OP_TABLE[kind] for kind in ("AvgPool", "MaxPool", "MaxPoolWithMask")]
    for spec in pools:
        assert spec.attrs == pools[0].attrs
        assert spec.operands == (PortSpec("input"),)
        assert spec.attrs["auto_pad"].choices == ("SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID")
        assert spec.attrs["count_include_pad"].default is False
    assert [p.name for p in OP_TABLE["MaxPoolWithMask"].results] == ["output", "mask"]


@pytest.mark.parametrize(
    ("kind", "counts"),
    [("Add", (0, None)), ("Reshape", (1, 2)), ("Loop", (2, None)), ("Weight", (0, 0))],
)
def test_counts_of_operands(kind: str, counts: tuple[int, int | None]):
    assert OP_TABLE[kind].counts == counts


def test_defaults_of_all_types():
    attrs = OP_TABLE["Attention"].attrs
    assert attrs["scale_param"].default == [1.0]
    assert attrs["zp_param"].default == [0]
    assert OP_TABLE["C2CAllReduce"].attrs["chip_map"].default == [0, 1]
    assert OP_TABLE["GELU"].attrs["approx_mode"].default == "normal"
    assert OP_TABLE["Interp"].attrs["mode"].choices == ("nearest", "linear")
    assert OP_TABLE["Yield"].terminator


def test_defaults_are_values_of_their_types():
    for spec in OP_TABLE.values():
        for attr in spec.attrs.values():
            if attr.default is None:
                continue
            assert to_python(to_attribute(attr.type, attr.default)) == attr.default
            assert not attr.required
            assert not attr.choices or attr.default in attr.choices


# The generator.

DEFINITIONS = """
class AnyStrAttrOf<list<string> cases> : StringBasedAttr<CPred<!foldl("a", "b")>, "c, d">;
def ModeAttr : AnyStrAttrOf<["one", // a remark
  "two"]>;
class Top_Op<string mnemonic, list<Trait> traits = []> : Top_BaseOp<mnemonic, traits>;
class Top_PairOp<string mnemonic> : Top_Op<mnemonic, [Fused]> {
  let description = [{ let arguments = (ins AnyTensor:$wrong); }];
  let arguments = (ins AnyTensor:$a, AnyTensorOrNone:$b,
    Optional<AnyTensor>: $c,
    DefaultValuedAttr<I64ArrayAttr, "{0, 1}">:$list, // trailing, with a comma
    DefaultValuedAttr<StrAttr, "\\"x, y\\"">:$text,
    OptionalAttr<ModeAttr>:$mode);
  let results = (outs AnyTensor:$output);
}
def Top_FirstOp : Top_PairOp<"First">;
def Top_SecondOp : Top_PairOp<"Second"> {
  let results = (outs Variadic<AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
}
def Top_NoneOp : Top_BaseOp<"None"> { let results = (outs NoneType); }
def Top_EndOp : Top_BaseOp<"End", [Terminator]> { let arguments = (ins Variadic<AnyTensor>:$operands); }
"""


def test_definitions_are_read():
    ops, choices = read_ops(DEFINITIONS)
    first, second, none, end = ops
    assert choices == {"ModeAttr": ("one", "two")}
    assert first.operands == (PortSpec("a"), PortSpec("b", OR_NONE), PortSpec("c", OPTIONAL))
    assert first.attrs["list"] == AttrSpec("list", "i64[]", False, [0, 1])
    assert first.attrs["text"] == AttrSpec("text", "string", False, "x, y")
    assert first.attrs["mode"] == AttrSpec("mode", "string", False, None, ("one", "two"))
    assert second.attrs == first.attrs
    assert (second.results, second.regions) == ((PortSpec("outputs", VARIADIC),), ("body",))
    assert none.results == (PortSpec("output", OR_NONE),)
    assert (end.terminator, first.terminator) == (True, False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "AnyTensor:$a",
            "SomeTensor:$a",
            "top.First has an operand or result of type 'SomeTensor'",
        ),
        ("<StrAttr,", "<MapAttr,", "'text' of top.First is of type 'MapAttr', which is unknown"),
        ("(outs Variadic<AnyTensor>:$outputs);\n", "(outs Variadic<AnyTensor>", "is not closed"),
    ],
)
def test_definitions_that_are_not_known_are_refused(old: str, new: str, message: str):
    assert old in DEFINITIONS
    text = DEFINITIONS.replace(old, new)
    with pytest.raises(AutosplitError, match=re.escape(message)):
        read_ops(text)


@needs_toolchain
def test_the_table_is_fresh(capsys: pytest.CaptureFixture[str]):
    assert generate_top_dialect.main(["--check"]) == 0, capsys.readouterr().err


@needs_toolchain
def test_a_stale_table_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    table = tmp_path / "dialects" / "top" / "table.py"
    monkeypatch.setattr(written, "ROOT", tmp_path)
    (tmp_path / "test" / "lit" / "dialects" / "top").mkdir(parents=True)
    table.parent.mkdir(parents=True)
    table.write_text("old\n")
    assert generate_top_dialect.main(["--check"]) == 1
    assert "table.py is not up to date" in capsys.readouterr().err
    assert table.read_text() == "old\n"
    assert generate_top_dialect.main([]) == 0
    assert generate_top_dialect.main(["--check"]) == 0


def test_without_the_toolchain_the_generator_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("AUTOSPLIT_TPU_MLIR", str(tmp_path))
    assert generate_top_dialect.main(["--check"]) == 1
    assert str(tmp_path) in capsys.readouterr().err


# Making ops.


def test_an_op_has_its_attributes_and_names():
    op = conv(do_relu=True)
    assert (op.kind, op.names, op.name) == ("Conv", ("y",), "top.Conv")
    assert op.attrs == {**CONV, "do_relu": True}
    assert op.properties == {}
    op.verify()


def test_defaults_are_not_written():
    op = conv(group=1, do_relu=False, relu_limit=-1, dilations=None)
    assert list(op.attrs) == list(CONV)
    assert (op.integer("group"), op.flag("do_relu"), op.number("relu_limit")) == (1, False, -1.0)
    assert (op.ints("dilations"), op.attr("dilations")) == ([], None)


def test_attributes_stand_in_the_order_of_the_table():
    op = make_op(
        "Conv", values(X, X, NONE), [Y], ["y"], dict(reversed(list((CONV | {"group": 3}).items())))
    )
    assert list(op.attributes) == ["kernel_shape", "strides", "pads", "group"]


def test_operands_by_name():
    given = values(X, X, NONE)
    op = make_op("Conv", given, [Y], ["y"], CONV)
    assert op.operand("filter") is given[1]
    assert op.operand("bias") is None
    reshape = make_op("Reshape", given[:1], [X], ["r"], {"shape": [-1]})
    assert reshape.operand("shapeT") is None
    add = make_op("Add", given[:2], [X], ["a"])
    assert add.variadic == given[:2]
    loop = make_op("Loop", [given[2], given[2], given[0]], [X], ["l"], regions=[Region(Block())])
    assert loop.variadic == [given[0]]
    assert op.variadic == []


def test_results_by_name():
    op = make_op(
        "Arg", values(X), [X, NONE], ["i", "v"], {"axis": 1, "keepdims": True, "mode": "ArgMax"}
    )
    assert op.result("indices") is op.outputs[0]
    assert op.result("values") is None
    assert isinstance(op.location, FusedLoc)
    assert op.names == ("i", "v")
    op.verify()


def test_values_of_numpy_will_do():
    op = conv(
        group=np.int64(3), relu_limit=np.float32(0.5), do_relu=np.True_, dilations=np.array([2, 2])
    )
    assert op.attrs["group"] == 3
    assert op.attrs["relu_limit"] == 0.5
    assert op.attrs["do_relu"] is True
    assert op.attrs["dilations"] == [2, 2]


def test_dictionaries():
    params: list[dict[str, object]] = [
        {"axis": 1, "scale": 0.5, "name": "a", "on": True, "list": [1, 2]}
    ]
    op = make_op("Custom", values(X), [X], ["y"], {"name": "c", "params": params})
    assert op.attrs["params"] == params


def test_attributes_are_set_and_removed():
    op = conv()
    op.set_attr("group", 3)
    assert op.integer("group") == 3
    op.set_attr("group", None)
    assert "group" not in op.attributes
    with pytest.raises(ValueError, match=r"attribute 'group' of top\.Conv: '3' is not of type i64"):
        op.set_attr("group", "3")


def test_the_generic_form_has_no_properties():
    op = conv()
    text = module_text(op, generic=True)
    assert "<{" not in text
    assert '"top.Conv"' in text
    assert text.rstrip().endswith('loc("y")')


@pytest.mark.parametrize(
    ("kind", "attrs", "message"),
    [
        ("Convolution", {}, r"the Top dialect has no op 'Convolution' \(did you mean"),
        (
            "Conv",
            {**CONV, "stride": [1]},
            "top.Conv has no attribute 'stride' .did you mean 'strides'",
        ),
        ("Conv", {"kernel_shape": [3]}, "top.Conv needs the attribute 'strides'"),
        ("Conv", {**CONV, "strides": None}, "top.Conv needs the attribute 'strides'"),
        ("Conv", {**CONV, "group": 1.5}, "attribute 'group' of top.Conv: 1.5 is not of type i64"),
        ("Conv", {**CONV, "group": True}, "attribute 'group' of top.Conv: True is not of type i64"),
        ("Conv", {**CONV, "group": 1 << 63}, "is not of type i64"),
        ("Conv", {**CONV, "do_relu": 1}, "attribute 'do_relu' of top.Conv: 1 is not of type bool"),
        ("Conv", {**CONV, "pads": 1}, r"attribute 'pads' of top.Conv: 1 is not of type i64\[\]"),
        (
            "Conv",
            {**CONV, "relu_limit": "6"},
            "attribute 'relu_limit' of top.Conv: '6' is not of type f64",
        ),
        (
            "Softmax",
            {"axis": 1 << 31},
            "attribute 'axis' of top.Softmax: 2147483648 is not of type si32",
        ),
        (
            "Compare",
            {"mode": "equal"},
            "attribute 'mode' of top.Compare is 'equal', expected one of 'Equal', 'Greater'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(kind: str, attrs: dict[str, object], message: str):
    with pytest.raises(ValueError, match=message):
        make_op(kind, values(X, X, NONE), [Y], ["y"], attrs)


def test_there_are_as_many_names_as_results():
    with pytest.raises(ValueError, match=r"top\.Abs has 1 result and 2 names"):
        make_op("Abs", values(X), [X], ["a", "b"])


def test_a_none_needs_no_name():
    make_op("None", [], [NONE], []).verify()


# The verifier; more of it in test/lit/dialects/top/invalid.mlir.


def test_names_are_unique_in_a_function():
    x = test.TestOp(result_types=[X])
    ops = [make_op("Abs", x.results, [X], [name]) for name in ("a", "b", "a")]
    module = ModuleOp([x, *ops])
    with pytest.raises(VerifyException, match="two results of the function have the name 'a'"):
        module.verify()
    ops[2].location = NameLoc(StringAttr("a"), UnknownLoc())
    with pytest.raises(VerifyException, match="'a'"):
        module.verify()
    ops[2].detach()
    module.verify()


def test_all_ops_are_in_their_lit_file():
    path = Path(__file__).parents[1] / "lit" / "dialects" / "top" / "every-op.mlir"
    text = path.read_text()
    missing = [kind for kind in OP_TABLE if f"top.{kind}(" not in text]
    assert missing == []
    assert text.count("// CHECK: ") >= len(OP_TABLE)


@pytest.mark.parametrize(
    ("name", "attribute", "text"),
    [
        ("do_relu", BoolAttr.from_bool(True), " {do_relu = true} :"),
        ("relu_limit", FloatAttr(1e-5, f64), " {relu_limit = 1.0e-05} :"),
        ("relu_limit", FloatAttr(-math.inf, f64), " {relu_limit = -inf} :"),
        ("relu_limit", FloatAttr(-5e-324, f64), " {relu_limit = -5.0e-324} :"),
        # What the table does not say keeps its type.
        ("relu_limit", FloatAttr(6.0, f32), " attributes {relu_limit = 6.000000e+00 : f32} :"),
        ("pads", ArrayAttr([IntegerAttr(1, i32)]), " attributes {pads = [1 : i32]} :"),
        ("pads", ArrayAttr([IntegerAttr(0, i64)] * 20), " {pads = [20 x 0]} :"),
        ("pads", ArrayAttr[Attribute]([]), " {pads = []} :"),
        ("mine", StringAttr("x"), ' attributes {mine = "x"} :'),
    ],
)
def test_attributes_as_text(name: str, attribute: Attribute, text: str):
    op = conv()
    op.attributes = {name: attribute}
    maker = op.operands[0].owner
    assert isinstance(maker, test.TestOp)
    module = ModuleOp([maker, op])
    assert text in module_text(module)
    ctx = make_context()
    ctx.load_dialect(test.Test)
    for generic in (False, True):
        again = parse_mlir(ctx, module_text(module, generic=generic), "top.mlir")
        assert again.is_structurally_equivalent(module)
