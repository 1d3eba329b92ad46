"""Graph files in oneDNN Graph's JSON form: what is read comes back, what is wrong is refused in one line."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.parser import Parser

from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.dialects.dnnl import DnnlOp, GraphOp, PartitionOp
from autosplit.formats.dnnl_json.reader import parse_graph, read_graph
from autosplit.formats.dnnl_json.writer import graph_json, partition_json
from autosplit.registry import make_context

Top = dict[str, Any]

CORPUS = Path(__file__).parents[2] / ".." / "shared" / "data" / "onednn-graphs-int8"
FILES = sorted(CORPUS.resolve().glob("*.json"))
CONTRADICTS_ITSELF = "int8_maxpool_add_mul_fusion.json"


def tensor(id: int, dtype: str, shape: list[int], **more: Any) -> Top:
    stride = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        stride[i] = stride[i + 1] * shape[i + 1]
    fields = {"stride": stride, "layout_type": "strided", "property_type": "undef"}
    return {"id": id, "dtype": dtype, "shape": shape, **fields, **more}


def op(id: int, kind: str, inputs: list[Top], outputs: list[Top], **attrs: tuple[str, Any]) -> Top:
    return {
        "id": id,
        "name": f"op {id}",
        "kind": kind,
        "attrs": {k: {"type": type, "value": value} for k, (type, value) in attrs.items()},
        "inputs": inputs,
        "outputs": outputs,
    }


def top(*ops: Top, **more: Any) -> Top:
    return {
        "version": "3.6.0",
        "engine_kind": "cpu",
        "fpmath_mode": "strict",
        **more,
        "graph": list(ops),
    }


def matmul() -> Top:
    """Quantized, with weights that are constant, and a layout that is not row-major."""
    x = tensor(0, "u8", [4, 8], property_type="variable")
    w = tensor(1, "s8", [8, 3], property_type="constant", stride=[1, 8])
    dx, dw = tensor(2, "f32", [4, 8]), tensor(3, "f32", [8, 3])
    y = tensor(4, "f32", [4, 3], layout_type="any", stride=[])
    scales = ("f32[]", [0.1, 1e-30, 2.0])
    return top(
        op(7, "Dequantize", [x], [dx], scales=("f32[]", [0.007874016]), zps=("s64[]", [128])),
        op(8, "Dequantize", [w], [dw], qtype=("string", "per_channel"), scales=scales),
        op(9, "MatMul", [dx, dw], [y], transpose_a=("bool", 0)),
    )


def graph_of(data: Top) -> GraphOp:
    module = parse_graph(json.dumps(data))
    module.verify()
    return cast("GraphOp", module.body.block.first_op)


def written(graph: GraphOp) -> Top:
    return json.loads(graph_json(graph))


def with_attrs(data: Top) -> Top:
    """The same file, with the empty attributes that an op may leave out."""
    for item in data["graph"]:
        item.setdefault("attrs", {})
    return data


def through_text(graph: GraphOp, *, generic: bool = False) -> GraphOp:
    module = graph.parent_op()
    assert module is not None
    again = Parser(make_context(), module_text(module, generic=generic)).parse_module()
    again.verify()
    return cast("GraphOp", again.body.block.first_op)


def test_a_graph_comes_back_as_it_was():
    data = matmul()
    graph = graph_of(data)
    assert written(graph) == data
    assert written(through_text(graph)) == data
    assert written(through_text(graph, generic=True)) == data


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_graphs_of_the_library_come_back_as_they_were(path: Path):
    if path.name == CONTRADICTS_ITSELF:
        with pytest.raises(AutosplitError, match="tensor 4257 is described in two ways") as e:
            read_graph(path)
        assert len(str(e.value).splitlines()) == 1
        return
    module = read_graph(path)
    module.verify()
    graph = cast("GraphOp", module.body.block.first_op)
    expected = with_attrs(json.loads(path.read_text()))
    assert written(graph) == expected
    assert written(through_text(graph)) == expected


def test_the_keys_stand_in_the_order_of_the_library():
    graph = graph_of(matmul() | {"input_ports": [0, 1], "output_ports": [4]})
    data = written(graph)
    assert list(data) == [
        "version",
        "engine_kind",
        "fpmath_mode",
        "input_ports",
        "output_ports",
        "graph",
    ]
    assert list(data["graph"][0]) == ["id", "name", "kind", "attrs", "inputs", "outputs"]
    tensor_keys = ["id", "dtype", "shape", "stride", "layout_type", "property_type"]
    assert list(data["graph"][0]["inputs"][0]) == tensor_keys
    # The library's reader wants the type of an attribute before its value.
    found = [list(a) for item in data["graph"] for a in item["attrs"].values()]
    assert found
    assert all(keys == ["type", "value"] for keys in found)


def test_what_the_ports_say_is_kept():
    data = matmul() | {
        "input_ports": [1, 0],
        "output_ports": [4, 2],
        "fpmath_mode_apply_to_int": "true",
    }
    graph = graph_of(data)
    assert written(graph) == data
    assert [a.name_hint for a in graph.body.block.args] == ["t1", "t0"]
    assert [v.name_hint for v in graph.returned] == ["t4", "t2"]


def test_a_use_may_leave_the_layout_open():
    x, y = tensor(0, "f32", [2, 2]), tensor(1, "f32", [2, 2])
    open_y = {**y, "layout_type": "undef"}
    z = tensor(2, "f32", [2, 2])
    data = top(op(0, "ReLU", [x], [y]), op(1, "ReLU", [open_y], [z]))
    graph = graph_of(data)
    assert written(graph) == data
    assert written(through_text(graph)) == data


def test_other_strides_where_a_tensor_is_read_are_a_contradiction():
    x, y, z = (tensor(i, "f32", [2, 2]) for i in range(3))
    data = top(op(0, "ReLU", [x], [y]), op(1, "ReLU", [{**y, "stride": [1, 2]}], [z]))
    with pytest.raises(AutosplitError, match=r"tensor 1 .* strided \[2, 1\].* strided \[1, 2\]"):
        parse_graph(json.dumps(data))


def test_old_spellings_are_read_and_kept():
    x, y, z = (tensor(i, "f32", [2, 2]) for i in range(3))
    data = top(op(0, "ReLUBackprop", [x, y], [z]))
    graph = graph_of(data)
    assert graph.body_ops[0].kind == "ReLUBackward"
    assert written(through_text(graph)) == data


def test_ops_may_stand_in_any_order():
    x, y, z = (tensor(i, "f32", [2, 2]) for i in range(3))
    second, first = op(1, "Exp", [y], [z]), op(0, "ReLU", [x], [y])
    graph = graph_of(top(second, first))
    assert [o.kind for o in graph.body_ops] == ["ReLU", "Exp"]
    assert written(graph)["graph"] == [first, second]


def test_sizes_that_are_not_known():
    unknown = -(1 << 63)
    x = tensor(0, "f32", [unknown, 4], stride=[4, 1])
    y = tensor(1, "f32", [unknown], stride=[unknown])
    data = top(op(0, "ReLU", [x], [y]))
    graph = graph_of(data)
    assert str(graph.body.block.args[0].type) == "tensor<?x4xf32>"
    assert str(graph.body_ops[0].outputs[0].type) == "tensor<*xf32>"
    assert written(graph) == data


def partition(graph: GraphOp) -> PartitionOp:
    made = PartitionOp.create_from(graph.body_ops, "matmul")
    graph.verify()
    return made


def test_a_partition_is_a_graph_of_its_own():
    data = matmul()
    graph = graph_of(data)
    made = partition(graph)
    assert made.constant_indices == (1,)
    file = json.loads(partition_json(made))
    expected = {k: data[k] for k in ("version", "engine_kind", "fpmath_mode")}
    assert file == {
        **expected,
        "input_ports": [0, 1],
        "output_ports": [4],
        "graph": data["graph"],
    }
    # The graph around it is the same as before.
    assert written(graph) == data
    assert written(through_text(graph)) == data
    # And what was written is read.
    again = graph_of(file)
    assert written(again) == file


def test_a_graph_without_numbers_is_counted_as_it_stands():
    graph = graph_of(matmul())
    for found in graph.walk():
        for name in ("op_id", "output_ids", "input_ids"):
            found.properties.pop(name, None)
    data = written(graph)
    assert [o["id"] for o in data["graph"]] == [0, 1, 2]
    assert data["input_ports"] == [0, 1]
    assert data["output_ports"] == [4]
    ids = [t["id"] for o in data["graph"] for t in [*o["inputs"], *o["outputs"]]]
    assert ids == [0, 2, 1, 3, 2, 3, 4]
    made = partition(graph)
    assert json.loads(partition_json(made, version="3.9.0"))["version"] == "3.9.0"
    assert json.loads(partition_json(made))["input_ports"] == [0, 1]


def test_new_ops_between_numbered_ones_get_numbers_that_are_free():
    from autosplit.dialects.dnnl import make_op

    graph = graph_of(matmul())
    last = graph.body.block.last_op
    assert last is not None
    new = make_op("ReLU", [graph.returned[0]], [graph.returned[0].type])
    graph.body.block.insert_op_before(new, last)
    last.operands[0] = new.outputs[0]
    data = written(graph)
    assert data["graph"][-1]["id"] == 10
    assert data["graph"][-1]["outputs"][0]["id"] == 5


def test_layouts_and_numbers_that_no_file_can_hold_are_refused():
    from autosplit.dialects.dnnl import OpaqueLayout, with_layout
    from autosplit.dialects.platform import set_type

    graph = graph_of(matmul())
    value = graph.returned[0]
    set_type(value, with_layout(cast("Any", value.type), OpaqueLayout.of(3)))
    with pytest.raises(AutosplitError, match="layout of one process"):
        graph_json(graph)
    graph = graph_of(
        top(
            op(
                0,
                "Clamp",
                [tensor(0, "f32", [2])],
                [tensor(1, "f32", [2])],
                min=("f32", 0),
                max=("f32", 6),
            )
        )
    )
    graph.body_ops[0].set_attr("max", float("inf"))
    with pytest.raises(AutosplitError, match="JSON has no number"):
        graph_json(graph)


def keys_of(place: Any) -> list[Any]:
    return list(cast("Top", place)) if isinstance(place, dict) else list(range(len(place)))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_spoiled_file_is_refused_in_one_line_or_read(data: st.DataObject):
    """Any value anywhere in the file may be replaced or removed: never a traceback."""
    spoiled = matmul()
    place: Any = spoiled
    for _ in range(data.draw(st.integers(0, 6))):
        inner = [k for k in keys_of(place) if isinstance(place[k], dict | list) and place[k]]
        if not inner:
            break
        place = place[data.draw(st.sampled_from(inner))]
    key = data.draw(st.sampled_from(keys_of(place)))
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    values = leaves | st.lists(leaves, max_size=3) | st.dictionaries(st.text(max_size=3), leaves)
    if data.draw(st.booleans()):
        place[key] = data.draw(values)
    else:
        del place[key]
    try:
        module = parse_graph(json.dumps(spoiled))
    except AutosplitError as e:
        assert len(str(e).splitlines()) == 1  # noqa: PT017
        return
    for found in module.walk():
        assert not isinstance(found, DnnlOp) or found.identity is not None


@given(st.binary(max_size=40))
def test_bytes_are_refused_in_one_line(data: bytes):
    with pytest.raises(AutosplitError) as e:
        parse_graph(data)
    assert len(str(e.value).splitlines()) == 1


COUNT = """
import sys
from pathlib import Path
from autosplit.formats.dnnl_json.reader import read_graph
from autosplit.runtime.dnnl.build import partitions_of
module = read_graph(Path(sys.argv[1]))
graph = module.body.block.first_op
print(len(partitions_of(graph.body_ops)))
"""


def test_the_library_takes_a_graph_that_was_written(tmp_path: Path):
    try:
        importlib.metadata.files("onednn-cpu-gomp")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("oneDNN is not installed")
    data = matmul()
    data["graph"][2]["outputs"][0] |= {"layout_type": "strided", "stride": [3, 1]}
    data["graph"][1]["attrs"]["zps"] = {"type": "s64[]", "value": [0, 0, 0]}
    path = tmp_path / "graph.json"
    path.write_text(graph_json(graph_of(data)))
    # In a process of its own: a graph that is wrong ends it.
    done = subprocess.run(
        [sys.executable, "-c", COUNT, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "1"
