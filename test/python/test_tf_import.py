"""GraphDefs in and out: equal under TensorFlow's own comparison, through the IR and through its text."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from xdsl.parser import Parser

from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.dialects.tf import GraphOp, OpaqueOp, TfOp, constant_array
from autosplit.dialects.tf.attributes import proto as tf_proto
from autosplit.dialects.tf.attributes.proto import DATA_TYPES, new_graph, to_text
from autosplit.dialects.tf.graphs import control_flow, nodes_of, sinks, topological
from autosplit.formats.tensorflow.reader import import_file
from autosplit.formats.tensorflow.writer import export_graph, write_graph
from autosplit.platforms import Model, detect_platform, load_model
from autosplit.platforms.tensorflow import PLATFORM
from autosplit.registry import make_context
from autosplit.testing.models import model_path

SSDLITE = "frozen_inference_graph.pb"


def tensorflow() -> Any:
    return pytest.importorskip("tensorflow")


def graph_of(module: Any) -> GraphOp:
    graph = module.body.block.first_op
    assert isinstance(graph, GraphOp)
    return graph


def check_round_trip(data: bytes, path: Path) -> None:
    """The file, and what export gives after import and after a trip through text, are equal to TensorFlow."""
    tf = tensorflow()
    path.write_bytes(data)
    module, store = import_file(path)
    module.verify()
    text = module_text(module)
    ctx = make_context()
    again = Parser(ctx, text).parse_module()
    again.verify()
    assert module_text(again) == text
    generic = Parser(ctx, module_text(module, generic=True)).parse_module()
    assert module_text(generic) == text
    original = tf.compat.v1.GraphDef.FromString(data)
    for each in (module, again, generic):
        exported = export_graph(each, graph_of(each), store)
        mine = tf.compat.v1.GraphDef.FromString(exported.SerializeToString(deterministic=True))
        assert mine == original


def node_names(path: Path) -> list[str]:
    return [n.name for n in new_graph(path.read_bytes()).node]


# Real models.


@pytest.mark.parametrize("name", [SSDLITE, "retrained_graph.pb"])
def test_real_models_round_trip(name: str, tmp_path: Path):
    check_round_trip(model_path(name).read_bytes(), tmp_path / "model.pb")


def test_ssdlite_is_understood():
    model = load_model(model_path(SSDLITE))
    graph = graph_of(model.module)
    nodes = nodes_of(graph)
    assert not [op.op_type for op in nodes if isinstance(op, OpaqueOp)]
    assert [n for n, _ in graph.graph_inputs()] == ["image_tensor:0"]
    assert sorted(n for n, _ in graph.graph_outputs()) == [
        "detection_boxes:0",
        "detection_classes:0",
        "detection_scores:0",
        "num_detections:0",
    ]
    found = control_flow(graph).frames
    # Counted in the file itself: which frames its Enter nodes name.
    entered = {
        n.attr["frame_name"].s.decode()
        for n in new_graph(model_path(SSDLITE).read_bytes()).node
        if n.op == "Enter"
    }
    assert len(entered) == 2
    assert {path for (path,) in found.values()} == entered
    for op in nodes:
        if op.op_type in ("Enter", "Exit", "LoopCond", "NextIteration", "Switch", "Merge"):
            assert op in found
    for op in found:
        assert op.node_name.data.split("/")[0] in ("Preprocessor", "Postprocessor")
    assert not control_flow(graph).conditionals


def test_ssdlite_weights_are_the_files():
    tf = tensorflow()
    path = model_path(SSDLITE)
    model = load_model(path)
    original = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    consts = {n.name: n for n in original.node if n.op == "Const"}
    seen = 0
    for op in nodes_of(graph_of(model.module)):
        if not op.IS_CONSTANT:
            continue
        found = constant_array(op.results[0], model.store)
        expected = tf.make_ndarray(consts[op.node_name.data].attr["value"].tensor)
        assert found is not None
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
        seen += 1
    assert seen == len(consts)
    again = load_model(path)
    assert module_text(again.module) == module_text(model.module)


def frozen_keras(name: str, tmp_path: Path) -> bytes:
    """A keras model with seeded random weights, frozen."""
    tf = tensorflow()
    keras = pytest.importorskip("keras")
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    keras.utils.set_random_seed(0)
    model = getattr(keras.applications, name)(weights=None, input_shape=(64, 64, 3), classes=10)
    spec = tf.TensorSpec([None, 64, 64, 3], tf.float32, name="image")
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    frozen = convert_variables_to_constants_v2(function)
    return frozen.graph.as_graph_def().SerializeToString()


def test_keras_mobilenet_round_trip(tmp_path: Path):
    data = frozen_keras("MobileNetV2", tmp_path)
    path = tmp_path / "keras.pb"
    check_round_trip(data, path)
    graph = graph_of(import_file(path)[0])
    assert not [op.op_type for op in nodes_of(graph) if isinstance(op, OpaqueOp)]
    assert len(graph.graph_outputs()) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["ResNet50", "EfficientNetB0", "MobileNetV3Small"])
def test_keras_round_trips(name: str, tmp_path: Path):
    check_round_trip(frozen_keras(name, tmp_path), tmp_path / "keras.pb")


# Generated graphs.


INPUTS = {"Const": 0, "Relu": 1, "MyOp": None, "Custom>Op": None, "NoOp": 0, "Split": 2, "Add": 2}
"""How many inputs a type has; None where nobody knows."""


@st.composite
def graph_defs(draw: st.DrawFn) -> Any:
    """GraphDefs of all the corners of the format, as TensorFlow's own messages."""
    tf = tensorflow()
    graph = tf.compat.v1.GraphDef()
    count = draw(st.integers(1, 8))
    names = [f"{draw(st.sampled_from(['a', 'b/c', 'X_1', 'n.m', '0']))}{i}" for i in range(count)]
    for i, name in enumerate(names):
        node = graph.node.add(name=name)
        node.op = draw(st.sampled_from(list(INPUTS) if i else ["Const", "MyOp", "NoOp"]))
        node.device = draw(st.sampled_from(["", "/device:CPU:0", "/job:w/task:1"]))
        fixed = INPUTS[node.op] if i else 0
        for _ in range(draw(st.integers(0, 2)) if fixed is None else fixed):
            source = draw(st.sampled_from(names[:i]))
            k = draw(st.integers(0, 2))
            node.input.append(source if k == 0 and draw(st.booleans()) else f"{source}:{k}")
        if i and draw(st.booleans()):
            node.input.append("^" + draw(st.sampled_from(names)))
        for key in draw(
            st.lists(st.sampled_from(["T", "value", "a", "_b", "device", "op", "N"]), unique=True)
        ):
            node.attr[key].CopyFrom(draw(attr_values()))
        if draw(st.booleans()):
            node.experimental_debug_info.original_node_names.append("before")
    graph.versions.producer = draw(st.sampled_from([0, 21, 1395]))
    if draw(st.booleans()):
        graph.library.SetInParent()
    if draw(st.booleans()):
        graph.library.function.add().signature.name = "f"
    assume(not has_cycle(graph))
    return graph


def has_cycle(graph: Any) -> bool:
    makers = {n.name: [i.strip("^").split(":")[0] for i in n.input] for n in graph.node}
    try:
        TopologicalSorter(makers).prepare()
    except CycleError:
        return True
    return False


@st.composite
def attr_values(draw: st.DrawFn) -> Any:
    tf = tensorflow()
    value = tf.compat.v1.AttrValue()
    ints = st.integers(-(2**63), 2**63 - 1)
    floats = st.floats(width=32)
    types = st.sampled_from([n for n in DATA_TYPES.values() if n] + [101, 0])
    match draw(
        st.sampled_from(
            ["s", "i", "f", "b", "type", "shape", "tensor", "list", "func", "placeholder", ""]
        )
    ):
        case "s":
            value.s = draw(st.binary())
        case "i":
            value.i = draw(ints)
        case "f":
            value.f = draw(floats)
        case "b":
            value.b = draw(st.booleans())
        case "type":
            value.type = draw(types)
        case "shape":
            fill_shape(draw, value.shape)
        case "tensor":
            fill_tensor(draw, value.tensor)
        case "list":
            value.list.SetInParent()
            kind = draw(st.sampled_from(["s", "i", "f", "b", "type", "shape", "func", "tensor"]))
            for _ in range(draw(st.integers(0, 3))):
                match kind:
                    case "s":
                        value.list.s.append(draw(st.binary()))
                    case "i":
                        value.list.i.append(draw(ints))
                    case "f":
                        value.list.f.append(draw(floats))
                    case "b":
                        value.list.b.append(draw(st.booleans()))
                    case "type":
                        value.list.type.append(draw(types))
                    case "shape":
                        fill_shape(draw, value.list.shape.add())
                    case "func":
                        value.list.func.add(name="g").attr["T"].type = 1
                    case _:
                        fill_tensor(draw, value.list.tensor.add())
        case "func":
            value.func.name = "f"
            value.func.attr["T"].type = draw(types)
        case "placeholder":
            value.placeholder = draw(st.text(max_size=3))
        case _:
            pass
    return value


def fill_shape(draw: st.DrawFn, shape: Any) -> None:
    shape.SetInParent()
    if draw(st.booleans()):
        shape.unknown_rank = draw(st.booleans())
    for size in draw(st.lists(st.integers(-1, 300), max_size=3)):
        shape.dim.add(size=size, name=draw(st.sampled_from(["", "", "N"])))


def fill_tensor(draw: st.DrawFn, tensor: Any) -> None:
    tf = tensorflow()
    kinds = [
        np.float32,
        np.float64,
        np.int32,
        np.uint8,
        np.int64,
        np.bool_,
        np.float16,
        np.complex64,
    ]
    dtype = draw(st.sampled_from(kinds))
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    bits = draw(st.binary(min_size=16, max_size=16))
    array = np.resize(np.frombuffer(bits, np.uint8), (max(1, int(np.prod(shape))) * 16,))
    array = array.view(np.uint8 if dtype == np.bool_ else dtype)[: int(np.prod(shape))]
    if dtype == np.bool_:
        array = (array & 1).astype(np.bool_)
    if draw(st.booleans()):
        tensor.CopyFrom(tf.make_tensor_proto(array, shape=shape))
        return
    tensor.dtype = tf.dtypes.as_dtype(dtype).as_datatype_enum
    tensor.tensor_shape.CopyFrom(tf.TensorShape(shape).as_proto())
    if dtype == np.float32 and array.size:
        tensor.float_val.extend(array[: draw(st.integers(0, array.size))].tolist())
    elif dtype == np.int32 and array.size:
        tensor.int_val.extend(array[: draw(st.integers(0, array.size))].tolist())


@given(graph_defs())
@settings(max_examples=200, deadline=None)
def test_any_graph_round_trips(tmp_path_factory: pytest.TempPathFactory, graph: Any):
    check_round_trip(graph.SerializeToString(), tmp_path_factory.mktemp("graph") / "g.pb")


def test_text_format_round_trips(tmp_path: Path):
    tf = tensorflow()
    graph = small_graph()
    text = tmp_path / "graph.pbtxt"
    tf.io.write_graph(graph, str(tmp_path), "graph.pbtxt", as_text=True)
    assert detect_platform(text) is PLATFORM
    model = load_model(text)
    exported = export_graph(model.module, graph_of(model.module), model.store)
    write_graph(exported, tmp_path / "graph.pb")
    assert tf.compat.v1.GraphDef.FromString((tmp_path / "graph.pb").read_bytes()) == graph
    from google.protobuf import text_format

    back = text_format.Parse(to_text(exported), tf.compat.v1.GraphDef())
    assert back == graph


def test_text_format_holds_functions(tmp_path: Path):
    from google.protobuf import text_format

    tf = tensorflow()
    text = Path(__file__).with_name("data") / "functions.pbtxt"
    graph = text_format.Parse(text.read_text(), tf.compat.v1.GraphDef())
    node = graph.library.function[0].node_def[0]
    node.experimental_type.CopyFrom(text_format.Parse(FULL_TYPE, type(node.experimental_type)()))
    text_format.Parse(DEBUG_INFO, graph.debug_info)
    graph.library.function[0].signature.deprecation.version = 7
    full = tmp_path / "graph.pbtxt"
    full.write_text(text_format.MessageToString(graph))
    model = load_model(full)
    exported = export_graph(model.module, graph_of(model.module), model.store)
    assert tf.compat.v1.GraphDef.FromString(exported.SerializeToString()) == graph
    assert text_format.Parse(to_text(exported), tf.compat.v1.GraphDef()) == graph


DEBUG_INFO = """
files: "a.py" frames_by_id { key: 3 value { file_index: 0 line: 2 code: "x" } }
traces { key: "add" value { file_line_cols { line: 1 col: 4 func: "f" } frame_id: 3 } }
name_to_trace_id { key: "add" value: 9 } traces_by_id { key: 9 value { frame_id: 3 } }
"""


def test_text_format_knows_every_field_of_tensorflow():
    theirs = tensorflow().compat.v1.GraphDef.DESCRIPTOR
    ours = tf_proto._pool.FindMessageTypeByName(f"{tf_proto.PACKAGE}.TextGraphDef")
    missing: set[str] = set()
    seen: set[str] = set()

    def walk(mine: Any, other: Any) -> None:
        if other.full_name in seen:
            return
        seen.add(other.full_name)
        fields = {field.name: field for field in mine.fields}
        for field in other.fields:
            if field.name not in fields:
                missing.add(f"{other.name}.{field.name}")
                continue
            own = fields[field.name]
            if field.enum_type is not None:
                names = {f"{own.enum_type.name}.{name}" for name in field.enum_type.values_by_name}
                missing.update(
                    names - {f"{own.enum_type.name}.{n}" for n in own.enum_type.values_by_name}
                )
            elif field.message_type is not None and own.message_type is not None:
                walk(own.message_type, field.message_type)

    walk(ours, theirs)
    assert not missing
    assert "tensorflow.FullTypeDef" in seen


def test_fields_that_nobody_knows_are_one_line(tmp_path: Path):
    text = tmp_path / "graph.pbtxt"
    text.write_text('node { name: "x" op: "Placeholder" color: 3 }')
    with pytest.raises(
        AutosplitError, match=r'graph.pbtxt: .*1:36 : .*NodeDef" has no field named "color"'
    ):
        load_model(text)


FULL_TYPE = "type_id: TFT_PRODUCT args { type_id: TFT_TENSOR args { type_id: TFT_FLOAT } }"


def test_fields_that_are_not_known_are_kept(tmp_path: Path):
    tf = tensorflow()
    # Field 99 of the graph, of a node and of an attribute's value: 99 << 3 | 2, length 3.
    extra = b"\x9a\x06\x03abc"
    node = tf.compat.v1.NodeDef(name="x", op="Placeholder").SerializeToString() + extra
    value = b"\x30\x01" + extra
    entry = b"\x0a\x05dtype\x12" + bytes([len(value)]) + value
    node += b"\x2a" + bytes([len(entry)]) + entry
    data = b"\x0a" + bytes([len(node)]) + node + extra
    check_round_trip(data, tmp_path / "g.pb")
    module, store = import_file(tmp_path / "g.pb")
    exported = export_graph(module, graph_of(module), store).SerializeToString()
    assert exported.count(extra) == 3


# Loops and conditionals.


def small_graph() -> Any:
    tf = tensorflow()
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        tf.nn.relu(x * 2.0, name="y")
    return graph.as_graph_def()


def import_def(graph: Any, tmp_path: Path) -> GraphOp:
    path = tmp_path / "g.pb"
    path.write_bytes(graph.SerializeToString())
    module, _ = import_file(path)
    module.verify()
    return graph_of(module)


def loops_graph() -> tuple[Any, dict[str, tuple[str, ...]]]:
    """Two loops after each other, the second with one inside of it, in TensorFlow 1's control flow.

    Also the frames that TensorFlow itself put each node into.
    """
    tf = tensorflow()
    v1 = tf.compat.v1
    graph = tf.Graph()
    v1.disable_control_flow_v2()
    try:
        with graph.as_default():
            x = v1.placeholder(tf.float32, [4], name="x")
            bound = tf.identity(tf.constant(3), name="bound")
            scale = tf.identity(x, name="scale")

            def inner(i: Any, v: Any) -> Any:
                return i + 1, v * scale

            def outer(i: Any, v: Any) -> Any:
                _, w = v1.while_loop(lambda j, _: j < bound, inner, [0, v], name="inner")
                return i + 1, w + 1.0

            _, first = v1.while_loop(
                lambda i, _: i < bound, lambda i, v: (i + 1, v + x), [0, x], name="first"
            )
            _, last = v1.while_loop(lambda i, _: i < bound, outer, [0, first], name="outer")
            tf.identity(last, name="y")
    finally:
        v1.enable_control_flow_v2()
    contexts: dict[str, tuple[str, ...]] = {}
    for op in graph.get_operations():
        path: list[str] = []
        context = op._get_control_flow_context()
        while context is not None:
            path.insert(0, context.name)
            context = context.outer_context
        contexts[op.name] = tuple(path)
    return graph.as_graph_def(), contexts


def test_frames(tmp_path: Path):
    built, contexts = loops_graph()
    check_round_trip(built.SerializeToString(), tmp_path / "again.pb")
    graph = import_def(built, tmp_path)
    found = control_flow(graph).frames
    assert {len(path) for path in found.values()} == {1, 2}
    depths = set[int]()
    for op in nodes_of(graph):
        name = op.node_name.data
        path = found.get(op, ())
        if op.op_type == "Enter":
            assert path[-1] == op.attribute("frame_name")
            (maker,) = (v.owner for v in op.operands)
            assert isinstance(maker, TfOp)
            around = found.get(maker, ())
            assert path[:-1] == (around[:-1] if maker.op_type == "Exit" else around)
            depths |= {len(path)} if op.attribute("is_constant") else set()
        elif op.op_type == "Exit":
            (maker,) = (v.owner for v in op.operands)
            assert isinstance(maker, TfOp)
            assert path == contexts[maker.node_name.data]
        else:
            assert path == contexts[name], name
    # What a loop reads unchanged enters each frame on the way.
    assert depths == {1, 2}
    assert [v.op.node_name.data for v in sinks(graph) if isinstance(v.op, TfOp)][-1] == "y"


def test_order_is_topological_with_cycles(tmp_path: Path):
    graph = import_def(loops_graph()[0], tmp_path)
    nodes = nodes_of(graph)
    order = {op: i for i, op in enumerate(topological(reversed(nodes)))}
    assert len(order) == len(nodes)
    for op in nodes:
        for value in op.operands:
            maker = value.owner
            assert isinstance(maker, TfOp)
            back = maker.op_type == "NextIteration" and op.op_type == "Merge"
            assert back or order[maker] < order[op]


def test_conditionals(tmp_path: Path):
    tf = tensorflow()
    v1 = tf.compat.v1
    graph = tf.Graph()
    v1.disable_control_flow_v2()
    try:
        with graph.as_default():
            x = v1.placeholder(tf.float32, [4], name="x")
            p = v1.placeholder(tf.bool, [], name="p")
            q = v1.placeholder(tf.bool, [], name="q")

            def nested() -> Any:
                return v1.cond(q, lambda: x + 1.0, lambda: x + tf.constant(2.0), name="inner")

            first = v1.cond(p, nested, lambda: x * 3.0, name="outer")
            middle = tf.nn.relu(first, name="middle")
            second = v1.cond(p, lambda: middle - 1.0, lambda: middle, name="second")
            tf.identity(second, name="y")
    finally:
        v1.enable_control_flow_v2()
    imported = import_def(graph.as_graph_def(), tmp_path)
    found = {op.node_name.data: group for op, group in control_flow(imported).conditionals.items()}
    groups: dict[str, set[str]] = {}
    for name, group in found.items():
        groups.setdefault(group, set()).add(name)
    outer, second = (
        next(members for members in groups.values() if f"{name}/Merge" in members)
        for name in ("outer", "second")
    )
    assert outer is not second
    # The inner conditional cannot be parted from the one around it.
    assert {"outer/inner/Merge", "outer/mul"} <= outer
    assert all(name.startswith("second/") for name in second)
    for name in ("x", "p", "q", "middle", "y"):
        assert name not in found
    merged = PLATFORM.frames(imported)
    assert len(set(merged.values())) == len(groups)


# What is not a graph.


def refused(path: Path) -> str:
    with pytest.raises(AutosplitError) as caught:
        load_model(path)
    text = str(caught.value)
    assert "\n" not in text
    assert str(path) in text
    return text


def write(tmp_path: Path, data: bytes, name: str = "model.pb") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_nodes_have_the_inputs_of_their_type(tmp_path: Path):
    tf = tensorflow()
    graph = small_graph()
    relu = next(node for node in graph.node if node.input)
    relu.op = "Switch"
    del relu.input[1:]
    text = refused(write(tmp_path, graph.SerializeToString()))
    assert f"Switch '{relu.name}' has 1 input, expected 2" in text
    with tf.Graph().as_default(), pytest.raises(ValueError, match="do not match"):
        tf.graph_util.import_graph_def(graph)


@pytest.mark.parametrize("shape", [[2**31 - 1], [2**40], [2**20, 2**20], [2**62, 2**62]])
@pytest.mark.parametrize("fields", [{"float_val": [0.5]}, {}, {"string_val": [b"a"]}])
def test_constants_that_no_memory_holds_are_refused(
    tmp_path: Path, shape: list[int], fields: dict[str, Any]
):
    """A file says that elements repeat; who makes all of them is at it for minutes, or ended."""
    graph = new_graph()
    node: Any = graph.node.add()
    node.name, node.op = "much", "Const"
    node.attr["dtype"].type = 7 if "string_val" in fields else 1
    tensor = node.attr["value"].tensor
    tensor.dtype = node.attr["dtype"].type
    for size in shape:
        tensor.tensor_shape.dim.add().size = size
    for name, values in fields.items():
        getattr(tensor, name).extend(values)
    path = write(tmp_path, graph.SerializeToString())
    assert "constant 'much' cannot be read: its shape needs" in refused(path)


def test_functions_are_looked_at(tmp_path: Path):
    """They are bytes within a graph, of which nothing is read before they are needed."""
    graph = new_graph((small_graph()).SerializeToString())
    graph.library = b"\x0a\x06\x0a\x04\x0a\x02\xff\xfe"
    text = refused(write(tmp_path, graph.SerializeToString()))
    assert "is not a whole TensorFlow FunctionDefLibrary" in text


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_truncated(tmp_path: Path, share: float):
    data = model_path(SSDLITE).read_bytes()
    path = write(tmp_path, data[: int(len(data) * share)])
    assert detect_platform(path) is PLATFORM
    text = refused(path)
    assert "truncated" in text or "cut off" in text


@pytest.mark.parametrize(
    "data",
    [
        b"\x08\x07\x12\x07pytorch",
        b"hello, world\n" * 20,
        bytes(range(256)) * 20,
        b"\x0a" * 100,
        b"PK\x03\x04" + bytes(100),
        b"\x1c\x00\x00\x00TFL3" + bytes(100),
        b"\x89HDF\r\n\x1a\n" + bytes(100),
        b'{"nodes": []}',
        b'layer { name: "data" }',
    ],
)
def test_foreign_files_are_not_recognised(tmp_path: Path, data: bytes):
    path = write(tmp_path, data)
    assert not PLATFORM.recognises(data, path)


def load_or_refuse(path: Path) -> Model | None:
    """The model, or None where the file was refused properly."""
    refusal = ""
    try:
        return PLATFORM.load(path)
    except AutosplitError as error:
        refusal = str(error)
    assert str(path) in refusal
    assert "\n" not in refusal
    return None


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_random_bytes_never_crash(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.mktemp("x") / "x.pb"
    path.write_bytes(data or b"\x00")
    PLATFORM.recognises(data, path)
    assert load_or_refuse(path) is None or data


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_graphs_never_crash(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    good = bytearray(small_graph().SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("x") / "x.pb"
    path.write_bytes(bytes(good))
    if (model := load_or_refuse(path)) is not None:
        model.module.verify()


def test_saved_model(tmp_path: Path):
    """By content, whatever its name; without its variables it is of no use."""
    data = (model_path("nmp") / "saved_model.pb").read_bytes()
    assert "SavedModel; give the folder" in refused(write(tmp_path, data, "graph.pb"))


def test_broken_graphs(tmp_path: Path):
    tf = tensorflow()

    def graph(*nodes: dict[str, Any]) -> Path:
        built = tf.compat.v1.GraphDef()
        for node in nodes:
            built.node.add(**node)
        return write(tmp_path, built.SerializeToString())

    relu = {"name": "relu", "op": "Relu"}
    assert "two nodes are called 'relu'" in refused(graph(relu, relu))
    missing = refused(graph(relu, {"name": "y", "op": "Relu", "input": ["rely"]}))
    assert "reads 'rely', of which there is no node (did you mean 'relu'?)" in missing
    assert "has no name" in refused(graph({"name": "", "op": "Relu"}))
    # Where inputs are named, these would be an output of 'relu', and waiting for it.
    assert "which names a tensor" in refused(graph(relu, {"name": "relu:0", "op": "Relu"}))
    assert "which names a tensor" in refused(graph(relu, {"name": "^relu", "op": "Relu"}))
    loop = graph(
        {"name": "a", "op": "Relu", "input": ["b"]}, {"name": "b", "op": "Relu", "input": ["a"]}
    )
    with pytest.raises(AutosplitError, match="depends on its own output"):
        PLATFORM.prepare(load_model(loop), {}, ["a"])
