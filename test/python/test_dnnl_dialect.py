"""The `dnnl` dialect: its op table against the library's, attributes, layouts, shapes and partitions."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ModuleOp,
    NameLoc,
    StringAttr,
    TensorType,
    UnknownLoc,
    UnrankedTensorType,
    f32,
)
from xdsl.dialects.test import Test
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from autosplit.core.printing import module_text
from autosplit.dialects.dnnl import (
    ATTR_CODES,
    OP_CLASSES,
    OP_TABLE,
    DnnlOp,
    OrderLayout,
    PartitionOp,
    StridedLayout,
    dense_strides,
    layout_of,
    make_op,
    op_class,
    strides_of,
    with_layout,
)
from autosplit.dialects.dnnl.shapes import broadcast, result_shapes, weight_axes
from autosplit.dialects.dnnl.table import ATTR_TYPES
from autosplit.dialects.platform import location_names
from autosplit.registry import make_context

# Counted by hand in the library's public C header, which only ever appends.
CODES = {
    "Abs": 0,
    "Add": 2,
    "BatchNormTrainingBackward": 5,
    "BatchNormInference": 7,
    "BiasAdd": 8,
    "Clamp": 10,
    "Concat": 12,
    "Convolution": 13,
    "ConvTranspose": 16,
    "Dequantize": 19,
    "End": 25,
    "GELU": 27,
    "HardSwish": 29,
    "LayerNorm": 33,
    "MatMul": 39,
    "MaxPool": 41,
    "PReLU": 47,
    "Quantize": 49,
    "Reciprocal": 50,
    "ReLU": 58,
    "Reorder": 60,
    "SoftMax": 64,
    "StaticReshape": 72,
    "TypeCast": 77,
    "Wildcard": 78,
    "HardSigmoid": 79,
    "Select": 81,
    "Pow": 82,
    "GroupNorm": 83,
    "GenIndex": 84,
    "GreaterEqual": 85,
    "RMSNorm": 86,
    "Dropout": 87,
}
ATTRIBUTE_CODES = {
    "alpha": 0x1,
    "momentum": 0x6,
    "scales": 0x20,
    "axis": 0x30,
    "groups": 0x32,
    "axes": 0x40,
    "dilations": 0x41,
    "kernel": 0x43,
    "pads_begin": 0x46,
    "strides": 0x4B,
    "zps": 0x4D,
    "group_shape": 0x4E,
    "exclude_pad": 0x60,
    "keep_stats": 0x62,
    "transpose_b": 0x66,
    "use_dst": 0x68,
    "auto_broadcast": 0x80,
    "data_format": 0x83,
    "mode": 0x84,
    "qtype": 0x85,
    "weights_format": 0x87,
    "accumulation_mode": 0x88,
}


def context() -> Context:
    ctx = make_context()
    ctx.load_dialect(Test)
    return ctx


def tensor(*shape: int) -> TensorType[Attribute]:
    return TensorType(f32, [DYNAMIC_INDEX if d < 0 else d for d in shape])


def values(*types: Attribute) -> list[SSAValue]:
    return list(AnyOp(result_types=list(types)).results)


def test_the_table_has_the_librarys_codes():
    assert [spec.code for spec in OP_TABLE.values()] == list(range(88))
    assert {k: OP_TABLE[k].code for k in CODES} == CODES
    assert {k: ATTR_CODES[k] for k in ATTRIBUTE_CODES} == ATTRIBUTE_CODES
    assert ATTR_TYPES["alpha"] == "f32"
    assert ATTR_TYPES["scales"] == "f32[]"
    assert ATTR_TYPES["axis"] == "s64"
    assert ATTR_TYPES["zps"] == "s64[]"
    assert ATTR_TYPES["use_affine"] == "bool"
    assert ATTR_TYPES["qtype"] == "string"


def header() -> str | None:
    """The C header of oneDNN Graph that another package brings along, if it is there."""
    found = Path(sys.prefix).glob("lib/python*/site-packages/**/oneapi/dnnl/dnnl_graph_types.h")
    return next((p.read_text() for p in found), None)


def test_the_table_agrees_with_a_header():
    text = header()
    if text is None:
        pytest.skip("no package with the header is installed")
    kinds = re.findall(r"^    dnnl_graph_op_(\w+),$", text, re.MULTILINE)
    kinds = kinds[: kinds.index("last_symbol")]
    spelled = {"batchnormtrainingbackward": "batchnormbackward"}
    ours = [spelled.get(k.lower(), k.lower()) for k in OP_TABLE]
    assert [k.replace("_", "") for k in kinds] == ours[: len(kinds)]
    code, codes = 0, dict[str, int]()
    for name, value in re.findall(
        r"^    dnnl_graph_op_attr_(\w+)(?: = (\w+))?,$", text, re.MULTILINE
    ):
        code = int(value, 0) if value else code + 1
        codes[name] = code
    known = {k: v for k, v in codes.items() if k not in ("undef", "end")}
    assert known == {k: ATTR_CODES[k] for k in known}


def test_every_op_is_in_its_lit_file():
    path = Path(__file__).parents[1] / "lit" / "dialects" / "dnnl" / "every-op.mlir"
    checked = re.findall(r"// CHECK: (dnnl\.\w+)\(", path.read_text())
    assert checked == [cls.name for cls in OP_CLASSES.values()]


@pytest.mark.parametrize("kind", OP_TABLE)
def test_the_example_in_the_docstring_is_the_syntax(kind: str):
    doc = OP_CLASSES[kind].__doc__ or ""
    line = next(s.split("`")[1] for s in doc.splitlines() if s.startswith("Example: `"))
    names = re.findall(r"%\w+", line.split("dnnl.")[1])
    count = len(line.split(" = dnnl.")[0].split(",")) if " = dnnl." in line else 0
    results = ", ".join(["tensor<*xf32>"] * count)
    ends = f" : ({', '.join(['tensor<*xf32>'] * len(names))}) -> ({results})"
    text = line.rsplit(" : ", 1)[0] + ends
    sources = (
        f'{", ".join(names)} = "test.op"() : () -> ({", ".join(["tensor<*xf32>"] * len(names))})\n'
    )
    module = Parser(context(), (sources if names else "") + text).parse_module()
    found = next(o for o in module.walk() if isinstance(o, DnnlOp))
    assert found.kind == kind
    assert not [a.name for a in found.ATTRS.values() if a.required and a.name not in found.attrs]


def test_attributes_are_python_values():
    x = values(tensor(2, 4))
    op = make_op(
        "Dequantize",
        x,
        [tensor(2, 4)],
        scales=[0.1, 2.0],
        zps=[0, -3],
        axis=None,
    )
    assert op.attrs == {"scales": [float(np.float32(0.1)), 2.0], "zps": [0, -3]}
    assert op.text("qtype") == "per_tensor"
    assert op.integer("axis") == 1
    assert op.numbers("scales")[1] == 2
    op.set_attr("axis", -1)
    assert op.integer("axis") == -1
    op.set_attr("axis", None)
    assert "axis" not in op.attrs
    assert make_op(
        "MatMul", values(tensor(2, 2), tensor(2, 2)), [tensor(2, 2)], transpose_b=True
    ).flag("transpose_b")


@pytest.mark.parametrize(
    ("kind", "attrs", "said"),
    [
        ("Conv", {}, r"oneDNN Graph has no op 'Conv'"),
        ("ReLU", {"alpha": 1.0}, "dnnl.ReLU has no attribute 'alpha'"),
        ("Elu", {"alpha": "1"}, "attribute 'alpha' of dnnl.Elu: '1' is not of type f32"),
        ("Elu", {"alpha": 1e60}, "is not of type f32"),
        ("Elu", {"alpha": 10**400}, "is not of type f32"),
        ("SoftMax", {"axis": 1.0}, "1.0 is not of type s64"),
        ("SoftMax", {"axis": 1 << 63}, "is not of type s64"),
        ("SoftMax", {"axis": True}, "True is not of type s64"),
        ("StaticTranspose", {"order": [0, 1.5]}, r"\[0, 1.5\] is not of type s64\[\]"),
        ("MatMul", {"transpose_a": 2}, "2 is not of type bool"),
        ("Quantize", {"scales": 0.1}, r"0.1 is not of type f32\[\]"),
        ("Quantize", {"qtype": 1}, "1 is not of type string"),
    ],
)
def test_attributes_that_do_not_fit_are_refused(kind: str, attrs: dict[str, Any], said: str):
    with pytest.raises(ValueError, match=said) as e:
        make_op(kind, [], [], **attrs)
    assert len(str(e.value).splitlines()) == 1


@given(st.lists(st.floats(width=32), min_size=1, max_size=5))
def test_numbers_survive_the_text(numbers: list[float]):
    module = ModuleOp([])
    source = AnyOp(result_types=[tensor(2)])
    # The verifier does not run: it refuses most of these scales.
    op = make_op("Quantize", list(source.results), [tensor(2)], scales=numbers)
    module.body.block.add_ops([source, op])
    again = Parser(context(), module_text(module)).parse_module()
    found = next(o for o in again.walk() if isinstance(o, DnnlOp)).numbers("scales")
    # NaN is the only number that differs from itself; all NaNs are one in the text.
    assert [math.isnan(v) for v in found] == [math.isnan(v) for v in numbers]
    assert [v for v in found if v == v] == [v for v in numbers if v == v]


def test_versions():
    x = values(tensor(2))
    assert make_op("GELU", x, [tensor(2)]).needs_version() == (3, 0)
    assert make_op("GELU", x, [tensor(2)], mode="gelu_erf").needs_version() == (3, 0)
    assert make_op("GELU", x, [tensor(2)], mode="gelu_tanh").needs_version() == (3, 13)
    assert op_class("GroupNorm").SINCE == (3, 6)
    assert op_class("Select").SINCE == (3, 2)


def test_layouts():
    assert dense_strides((2, 3, 4)) == (12, 4, 1)
    assert dense_strides((2, -1, 4)) == (-1, 4, 1)
    assert strides_of(tensor(2, 3, 4)) == (12, 4, 1)
    last = with_layout(tensor(2, 3, 4, 5), OrderLayout.channels_last(4))
    assert strides_of(last) == (60, 1, 15, 3)
    assert strides_of(with_layout(tensor(-1, 3, 4, 5), OrderLayout.channels_last(4))) == (
        60,
        1,
        15,
        3,
    )
    assert strides_of(with_layout(tensor(2, 3), StridedLayout.of([8, 1]))) == (8, 1)
    assert layout_of(with_layout(last, None)) is None


def test_shapes_of_broadcasting_with_sizes_that_are_not_known():
    assert broadcast((2, 1, 3), (4, 1)) == (2, 4, 3)
    assert broadcast((-1, 3), (1,)) == (-1, 3)
    assert broadcast((-1,), (5,)) == (5,)
    assert broadcast((-1,), (-1,)) == (-1,)
    with pytest.raises(ValueError, match=r"\[2\] and \[3\] do not broadcast"):
        broadcast((2,), (3,))


@given(st.lists(st.integers(1, 4), max_size=4), st.lists(st.integers(1, 4), max_size=4))
def test_broadcasting_is_numpys(a: list[int], b: list[int]):
    try:
        expected = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        with pytest.raises(ValueError, match="do not broadcast"):
            broadcast(tuple(a), tuple(b))
        return
    assert broadcast(tuple(a), tuple(b)) == expected


def test_formats_of_weights():
    assert weight_axes("OIX", 4) == (0, 1, [2, 3])
    assert weight_axes("XIO", 4) == (3, 2, [0, 1])
    assert weight_axes("IOX", 3) == (1, 0, [2])
    assert weight_axes("XOI", 5) == (3, 4, [0, 1, 2])


CONV: dict[str, Any] = {
    "strides": [2, 2],
    "pads_begin": [1, 1],
    "pads_end": [1, 1],
    "dilations": [1, 1],
    "data_format": "NCX",
    "weights_format": "OIX",
}


def test_shapes_with_sizes_that_are_not_known():
    x, w = values(tensor(-1, 3, -1, 224), tensor(8, 3, 3, 3))
    op = make_op("Convolution", [x, w], [tensor(-1, 8, -1, 112)], **CONV)
    op.verify()
    assert result_shapes(op) == [(-1, 8, -1, 112)]
    unranked = values(UnrankedTensorType(f32))
    op = make_op("ReLU", unranked, [tensor(3)])
    op.verify()
    assert result_shapes(op) == [None]
    flat = make_op("StaticReshape", [x], [tensor(-1, 9)], shape=[0, -1], special_zero=True)
    flat.verify()


@pytest.mark.parametrize("mode", ["SAME_UPPER", "SAME_LOWER"])
def test_auto_pads_need_the_size_only_of_their_dimension(mode: str):
    x, w = values(tensor(1, 3, -1, 7), tensor(8, 3, 3, 3))
    op = make_op("Convolution", [x, w], [tensor(1, 8, -1, 4)], **CONV)
    op.set_attr("auto_pad", mode)
    op.verify()


def chain(count: int = 3) -> tuple[ModuleOp, list[DnnlOp]]:
    source = AnyOp(result_types=[tensor(4)])
    ops: list[DnnlOp] = []
    value: SSAValue = source.results[0]
    for i in range(count):
        location = NameLoc(StringAttr(f"n{i}"), UnknownLoc())
        ops.append(make_op("ReLU", [value], [tensor(4)], location=location, value_names=[f"v{i}"]))
        value = ops[-1].outputs[0]
    return ModuleOp([source, *ops, AnyOp(operands=[value])]), ops


def kinds(module: ModuleOp) -> list[str]:
    return [op.name for op in module.body.block.ops]


def test_a_partition_takes_the_place_of_its_ops():
    module, ops = chain()
    partition = PartitionOp.create_from(ops[:2], "pair")
    module.verify()
    assert kinds(module) == ["test.op", "dnnl.partition", "dnnl.ReLU", "test.op"]
    assert partition.rule.data == "pair"
    assert partition.body_ops == ops[:2]
    assert location_names(partition.location) == ("n0", "n1")
    assert partition.value_names is not None
    assert [n.data for n in partition.value_names] == ["v1"]
    assert partition.identity == "n1"
    before = module_text(module)
    again = Parser(context(), before).parse_module()
    assert module_text(again) == before
    assert partition.dissolve() == ops[:2]
    module.verify()
    assert kinds(module) == ["test.op", *["dnnl.ReLU"] * 3, "test.op"]


def test_a_partition_gives_what_others_read():
    module, ops = chain()
    reader = AnyOp(operands=[ops[0].outputs[0]])
    module.body.block.insert_op_after(reader, ops[0])
    partition = PartitionOp.create_from(ops, "all")
    module.verify()
    # The reader stood between the ops; it needs the partition and moves behind it.
    assert kinds(module) == ["test.op", "dnnl.partition", "test.op", "test.op"]
    assert len(partition.outputs) == 2
    assert reader.operands[0] is partition.outputs[0]


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_partition_of_one_op_moves_nothing(index: int):
    module, ops = chain()
    expected = kinds(module)
    expected[1 + index] = "dnnl.partition"
    partition = PartitionOp.create_from([ops[index]], "single")
    module.verify()
    assert kinds(module) == expected
    assert partition.body_ops == [ops[index]]


def test_a_group_norm_without_parameters():
    x = AnyOp(result_types=[tensor(2, 4, 3, 3), *[tensor(4)] * 2])
    attrs: dict[str, Any] = {"groups": 2, "keep_stats": False, "data_format": "NCX"}
    make_op("GroupNorm", x.results, [tensor(2, 4, 3, 3)], **attrs).verify()
    attrs |= {"use_affine": False}
    plain = make_op("GroupNorm", x.results[:1], [tensor(2, 4, 3, 3)], **attrs)
    plain.verify()
    assert (result_shapes(plain) or [])[0] == (2, 4, 3, 3)
    wrong = make_op("GroupNorm", [*x.results[:1]] * 3, [tensor(2, 4, 3, 3)], **attrs)
    with pytest.raises(VerifyException):
        wrong.verify()


def test_a_partition_that_would_depend_on_itself_is_refused():
    module, ops = chain()
    before = module_text(module)
    with pytest.raises(ValueError, match="would depend on itself"):
        PartitionOp.create_from([ops[0], ops[2]], "broken")
    assert module_text(module) == before
    with pytest.raises(ValueError, match="one or more ops of one block"):
        PartitionOp.create_from([], "empty")
    other, theirs = chain()
    with pytest.raises(ValueError, match="one or more ops of one block"):
        PartitionOp.create_from([ops[0], theirs[0]], "two")
    assert other is not module


def test_ops_between_that_need_nothing_of_it_stay_before_the_partition():
    module, ops = chain(2)
    other = AnyOp(result_types=[tensor(4)])
    module.body.block.insert_op_after(other, ops[0])
    add = make_op("Add", [ops[1].outputs[0], other.results[0]], [tensor(4)])
    module.body.block.insert_op_after(add, ops[1])
    partition = PartitionOp.create_from([add, *ops], "sum", constants=[other.results[0]])
    module.verify()
    assert kinds(module) == ["test.op", "test.op", "dnnl.partition", "test.op"]
    assert partition.constant_indices == (1,)
    # Nothing reads the sum, so that it is not a result.
    assert len(partition.outputs) == 1
    partition.set_constants([0])
    assert partition.constant_indices == (0,)
    partition.set_constants([])
    assert partition.constant_indices == ()


@given(st.data())
def test_partitions_keep_what_the_graph_means(data: st.DataObject):
    """Any ops of a random graph, made a partition: refused, or every op still reads what it read."""
    source = AnyOp(result_types=[tensor(4)] * 2)
    found: list[SSAValue] = list(source.results)
    ops: list[Operation] = [source]
    for _ in range(data.draw(st.integers(1, 8))):
        a, b = data.draw(st.sampled_from(found)), data.draw(st.sampled_from(found))
        ops.append(make_op("Add", [a, b], [tensor(4)]))
        found.append(ops[-1].results[0])
    module = ModuleOp([*ops, AnyOp(operands=found)])
    adds = [op for op in ops if isinstance(op, DnnlOp)]
    chosen = data.draw(st.lists(st.sampled_from(adds), min_size=1, unique=True))
    before = reads(module)
    text = module_text(module)
    try:
        partition = PartitionOp.create_from(chosen, "any")
    except ValueError:
        assert module_text(module) == text
        return
    module.verify()
    in_order(module)
    assert set(partition.body_ops) == set(chosen)
    assert reads(module) == before
    partition.dissolve()
    module.verify()
    in_order(module)
    assert reads(module) == before


def reads(module: ModuleOp) -> dict[Operation, list[tuple[Operation, int]]]:
    """Which results each op reads, seen through partitions."""

    def origin(value: SSAValue) -> tuple[Operation, int]:
        owner = value.owner
        if isinstance(owner, PartitionOp):
            return origin(owner.returned[list(owner.results).index(value)])  # pyright: ignore[reportArgumentType]
        if isinstance(owner, Operation):
            return owner, list(owner.results).index(value)  # pyright: ignore[reportArgumentType]
        partition = owner.parent_op()
        assert isinstance(partition, PartitionOp)
        return origin(partition.inputs[list(owner.args).index(value)])  # pyright: ignore[reportArgumentType]

    plain = [op for op in module.walk() if isinstance(op, DnnlOp | AnyOp)]
    return {op: [origin(v) for v in op.operands] for op in plain}


def in_order(module: ModuleOp) -> None:
    seen: set[SSAValue] = set()
    for op in module.body.block.ops:
        assert seen.issuperset(op.operands)
        seen.update(op.results)


def test_the_verifier_names_what_is_wrong():
    x = values(tensor(4))
    op = make_op("Quantize", x, [tensor(4)], scales=[0.5])
    with pytest.raises(VerifyException, match=r"result 0 \(dst\) has elements of f32, expected u8"):
        op.verify()
