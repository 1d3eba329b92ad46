"""Reading ONNX files and writing them again: nothing is lost, in memory or as text; bad files say why."""

from __future__ import annotations

import math
import os
import random
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, helper, numpy_helper
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.dialects.onnx.ops import (
    GraphOp,
    InitializerOp,
    Onnx,
    OnnxOp,
    OpaqueOp,
    constant_array,
)
from autosplit.dialects.platform import Platform, WeightAttr
from autosplit.formats.onnx.writer import model_proto
from autosplit.platforms import Model, detect_platform, load_model
from autosplit.platforms.onnx import PLATFORM
from autosplit.testing.models import model_path

REAL = [
    "nmp.onnx",
    "ch_PP-OCRv4_det_infer.onnx",
    "ch_PP-OCRv4_rec_infer.onnx",
    "ch_ppocr_mobile_v2.0_cls_infer.onnx",
    "320n.onnx",
    "pnet.onnx",
    "rnet.onnx",
    "onet.onnx",
    "centerface.onnx",
]
F32 = TensorProto.FLOAT


def context() -> Context:
    ctx = Context()
    for dialect in (Builtin, Platform, Onnx):
        ctx.load_dialect(dialect)
    return ctx


def graphs(graph: GraphProto) -> Iterator[GraphProto]:
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                yield from graphs(body)


def normal(proto: ModelProto, *, nodes: bool = False) -> bytes:
    """The model with what has no order sorted: value infos, initializers and, on request, nodes."""
    copy = ModelProto.FromString(proto.SerializeToString())
    for graph in graphs(copy.graph):
        for name in ("value_info", "initializer", *(["node"] if nodes else [])):
            items = list(getattr(graph, name))
            items.sort(key=lambda i: i.output[0] if name == "node" else i.name)
            items = [type(i).FromString(i.SerializeToString()) for i in items]
            del getattr(graph, name)[:]
            getattr(graph, name).extend(items)
    return copy.SerializeToString(deterministic=True)


def reparse(module: ModuleOp, *, generic: bool = False) -> ModuleOp:
    found = Parser(context(), module_text(module, generic=generic)).parse_module()
    found.verify()
    return found


def check_round_trip(proto: ModelProto, model: Model, *, nodes: bool = False) -> None:
    """Export equals the file: straight away, after the custom and after the generic text."""
    expected = normal(proto, nodes=nodes)
    model.module.verify()
    assert normal(model_proto(model.module, model.store), nodes=nodes) == expected
    again = reparse(model.module)
    assert normal(model_proto(again, model.store), nodes=nodes) == expected
    text = module_text(model.module)
    assert module_text(again) == text
    assert module_text(reparse(model.module, generic=True)) == text


def save(proto: ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    path = folder / name
    path.write_bytes(proto.SerializeToString())
    return path


def round_trip(proto: ModelProto, *, nodes: bool = False) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        model = load_model(save(proto, Path(folder)))
        check_round_trip(proto, model, nodes=nodes)
    return model


def graph_of(model: Model) -> GraphOp:
    graph = model.module.body.block.first_op
    assert isinstance(graph, GraphOp)
    return graph


def info(name: str, shape: list[int | str | None] | None = None, kind: int = F32):
    return helper.make_tensor_value_info(name, kind, [4] if shape is None else shape)


def model_of(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto] | None = None,
    outputs: list[str] | None = None,
    opset: int = 17,
    ir: int = 8,
    **graph: object,
) -> ModelProto:
    inputs = [info("x")] if inputs is None else inputs
    made = helper.make_graph(nodes, "g", inputs, [info(o) for o in outputs or ["y"]], **graph)
    return helper.make_model(
        made, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir, producer_name="test"
    )


# Real models, and ONNX's own test cases


@pytest.mark.parametrize("name", REAL)
def test_a_real_model_round_trips(name: str):
    path = model_path(name)
    assert detect_platform(path) is PLATFORM
    check_round_trip(onnx.load(path), load_model(path))


@pytest.mark.parametrize("name", REAL)
def test_every_weight_of_a_real_model_is_the_files(name: str):
    path = model_path(name)
    model = load_model(path)
    expected = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    found = {
        op.node_name.data: constant_array(op.results[0], model.store)
        for op in graph_of(model).body.block.ops
        if isinstance(op, InitializerOp)
    }
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        value = found[key]
        assert value is not None
        assert value.dtype == array.dtype
        assert value.shape == array.shape
        assert value.tobytes() == array.tobytes()


@cache
def official_cases() -> list[tuple[str, bytes]]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [(c.name, c.model) for c in collect_testcases(None) if c.model is not None]
    return [
        (name, model.SerializeToString())
        for name, model in sorted(found, key=lambda item: item[0])
        if all(o.version >= 7 for o in model.opset_import if not o.domain)
    ]


def check_official(cases: list[tuple[str, bytes]], folder: Path) -> None:
    assert cases
    for name, data in cases:
        path = folder / "model.onnx"
        path.write_bytes(data)
        assert detect_platform(path) is PLATFORM, name
        try:
            check_round_trip(ModelProto.FromString(data), load_model(path))
        except Exception as error:
            raise AssertionError(f"{name}: {error}") from error


def test_a_sample_of_onnx_test_cases_round_trips(tmp_path: Path):
    cases = official_cases()
    chosen = random.Random(0).sample(cases, min(60, len(cases)))
    wanted = ("test_if", "test_loop", "test_scan", "test_sequence_map", "test_optional", "test_str")
    chosen += [c for c in cases if c[0].startswith(wanted)][:40]
    check_official(chosen, tmp_path)


@pytest.mark.nightly
def test_all_onnx_test_cases_round_trip(tmp_path: Path):
    check_official(official_cases(), tmp_path)


# Generated models


class Builder:
    """Draws valid graphs: shared constants, bodies that read from outside, names of all kinds."""

    def __init__(self, draw: st.DrawFn):
        self.draw = draw
        self.count = 0

    def name(self, stem: str) -> str:
        self.count += 1
        decoration = self.draw(st.sampled_from(["", "/a.b", ":0", " x", "é", '"q"', "_1", ";z"]))
        return f"{stem}{self.count}{decoration}"

    def node_name(self) -> str:
        return self.draw(
            st.sampled_from(["", "", "same", "/net/conv", "n é", 'n"', self.name("n")])
        )

    def nodes(self, seen: list[str], depth: int) -> tuple[list[onnx.NodeProto], list[str]]:
        """Some nodes over tensors of shape [4], and the names of all values that can be read now."""
        seen = list(seen)
        nodes: list[onnx.NodeProto] = []
        for _ in range(self.draw(st.integers(1, 4))):
            kinds = ["unary", "binary", "clip", "variadic", "split", "constant", "custom"]
            kinds += ["if", "loop", "scan"] if depth < 2 else []
            node = getattr(self, self.draw(st.sampled_from(kinds)))(seen, depth)
            if self.draw(st.booleans()):
                node.doc_string = "doc"
            nodes.append(node)
            seen += [o for o in node.output if o]
        return nodes, seen

    def pick(self, seen: list[str]) -> str:
        return self.draw(st.sampled_from(seen))

    def unary(self, seen: list[str], depth: int) -> onnx.NodeProto:
        alpha = self.draw(
            st.sampled_from([0.5, -0.0, math.inf, -math.inf, math.nan, 2.0**24, 1e-40])
        )
        return helper.make_node(
            "Elu", [self.pick(seen)], [self.name("u")], self.node_name(), alpha=alpha
        )

    def binary(self, seen: list[str], depth: int) -> onnx.NodeProto:
        names = [self.pick(seen), self.pick(seen)]
        return helper.make_node("Add", names, [self.name("b")], self.node_name())

    def clip(self, seen: list[str], depth: int) -> onnx.NodeProto:
        names = [self.pick(seen), self.draw(st.sampled_from(["", "low"])), "high"]
        names = names[: self.draw(st.integers(1, 3))]
        if self.draw(st.booleans()):
            names += [""] * (3 - len(names))
        return helper.make_node("Clip", names, [self.name("c")], self.node_name())

    def variadic(self, seen: list[str], depth: int) -> onnx.NodeProto:
        names = [self.pick(seen) for _ in range(self.draw(st.integers(1, 5)))]
        return helper.make_node("Max", names, [self.name("v")], self.node_name())

    def split(self, seen: list[str], depth: int) -> onnx.NodeProto:
        outputs = [self.name("s"), self.draw(st.sampled_from(["", self.name("s")]))]
        return helper.make_node("Dropout", [self.pick(seen)], outputs, self.node_name())

    def constant(self, seen: list[str], depth: int) -> onnx.NodeProto:
        array = np.full(4, self.draw(st.sampled_from([1.0, math.inf, -0.0])), np.float32)
        name = self.draw(st.sampled_from(["", "value"]))
        value = numpy_helper.from_array(array, name)
        if self.draw(st.booleans()):
            value = helper.make_tensor(name, F32, [4], array.tolist())
        return helper.make_node("Constant", [], [self.name("k")], self.node_name(), value=value)

    def custom(self, seen: list[str], depth: int) -> onnx.NodeProto:
        names = [self.pick(seen), "", self.pick(seen)]
        return helper.make_node(
            "Thing", names, [self.name("o")], self.node_name(), domain="mine", ints=[1, 2], s="é\n"
        )

    def graph(self, inputs: list[onnx.ValueInfoProto], seen: list[str], depth: int, first=()):
        nodes, seen = self.nodes(seen + [i.name for i in inputs][-1:], depth + 1)
        return helper.make_graph([*first, *nodes], self.name("g"), inputs, [info(seen[-1])])

    def scan(self, seen: list[str], depth: int) -> onnx.NodeProto:
        body = self.graph([info(self.name("state"))], seen, depth)
        names = [self.pick(seen)]
        return helper.make_node(
            "Scan", names, [self.name("w")], self.node_name(), body=body, num_scan_inputs=0
        )

    def loop(self, seen: list[str], depth: int) -> onnx.NodeProto:
        i, go, out, state = (self.name(stem) for stem in ("i", "go", "out", "state"))
        keep = helper.make_node("Identity", [go], [out])
        inputs = [info(i, [], TensorProto.INT64), info(go, [], TensorProto.BOOL), info(state)]
        body = self.graph(inputs, seen, depth, [keep])
        body.output.insert(0, info(out, [], TensorProto.BOOL))
        names = ["trips", "", self.pick(seen)]
        return helper.make_node("Loop", names, [self.name("l")], self.node_name(), body=body)

    def if_(self, seen: list[str], depth: int) -> onnx.NodeProto:
        bodies = {b: self.graph([], seen, depth) for b in ("then_branch", "else_branch")}
        order = sorted(bodies, reverse=self.draw(st.booleans()))
        node = helper.make_node("If", ["flag"], [self.name("i")], self.node_name())
        node.attribute.extend(helper.make_attribute(b, bodies[b]) for b in order)
        return node


setattr(Builder, "if", Builder.if_)


@st.composite
def models(draw: st.DrawFn) -> ModelProto:
    builder = Builder(draw)
    inputs = [info("x", draw(st.sampled_from([[4], ["N"], [None], [-1]])))]
    inputs.append(info("flag", [], TensorProto.BOOL))
    initializers = [
        numpy_helper.from_array(np.float32(-1), "low"),
        helper.make_tensor("high", F32, [], [1.0]),
        numpy_helper.from_array(np.array(2), "trips"),
        numpy_helper.from_array(np.arange(4, dtype=np.float32), "shared"),
        numpy_helper.from_array(np.arange(2000, dtype=np.float32), "big"),
    ]
    nodes, seen = builder.nodes(["x", "shared"], 0)
    outputs = [seen[-1], *(["x"] if draw(st.booleans()) else [])]
    ir = draw(st.sampled_from([3, 8, 10]))
    listed = [info(t.name, list(t.dims), t.data_type) for t in initializers]
    inputs = inputs + listed if ir == 3 else inputs
    known = draw(st.lists(st.sampled_from(seen[2:]), unique=True))
    made = model_of(
        nodes,
        inputs,
        outputs,
        ir=ir,
        initializer=initializers,
        value_info=[info(v, draw(st.sampled_from([[4], ["N"], [None]]))) for v in known],
    )
    made.opset_import.append(helper.make_opsetid("mine", 1))
    if draw(st.booleans()):
        helper.set_model_props(made, {"key": "value"})
    return made


@pytest.mark.nightly
@settings(max_examples=120, deadline=None)
@given(models())
def test_generated_models_round_trip(proto: ModelProto):
    round_trip(proto)


@settings(max_examples=60, deadline=None)
@given(models(), st.randoms(use_true_random=False))
def test_nodes_in_any_order_are_sorted(proto: ModelProto, shuffle: random.Random):
    nodes = list(proto.graph.node)
    shuffle.shuffle(nodes)
    copies = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    del proto.graph.node[:]
    proto.graph.node.extend(copies)
    model = round_trip(proto, nodes=True)
    seen = {value for _, value in graph_of(model).graph_inputs()}
    for op in graph_of(model).body.block.ops:
        assert set(op.operands) <= seen
        seen |= set(op.results)


# What models may hold


def test_what_is_listed_as_an_input_and_has_a_value_is_a_constant():
    proto = model_of(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [info("w"), info("x")],
        ir=3,
        initializer=[numpy_helper.from_array(np.ones(4, np.float32), "w")],
    )
    graph = graph_of(round_trip(proto))
    assert [name for name, _ in graph.graph_inputs()] == ["x"]
    assert graph.listed_inputs is not None
    assert [n.data for n in graph.listed_inputs] == ["w", "x"]


def test_functions_that_are_not_inlined_are_kept_and_their_calls_opaque():
    """Those in the domain of the runtime."""
    proto = model_of([helper.make_node("Own", ["x"], ["y"], domain="com.microsoft")])
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    proto.functions.append(
        helper.make_function(
            "com.microsoft",
            "Own",
            ["a"],
            ["b"],
            [helper.make_node("Abs", ["a"], ["b"])],
            [helper.make_opsetid("", 17)],
        )
    )
    ops = list(graph_of(round_trip(proto)).body.block.ops)
    assert isinstance(ops[0], OpaqueOp)


def test_odd_encodings_are_kept():
    raw = numpy_helper.from_array(np.arange(4, dtype=np.float16), "raw")
    typed = helper.make_tensor("typed", TensorProto.FLOAT16, [2], [1.0, 2.0])
    documented = numpy_helper.from_array(np.arange(3), "documented")
    documented.doc_string = "why"
    strings = helper.make_tensor("strings", TensorProto.STRING, [2], [b"a", "é".encode()])
    packed = helper.make_tensor("packed", TensorProto.INT4, [3], [1, -2, 7])
    large = helper.make_tensor("large", F32, [2000], np.arange(2000.0).tolist())
    bfloat = helper.make_tensor("bfloat", TensorProto.BFLOAT16, [2], [1.0, math.inf])
    proto = model_of(
        [helper.make_node("Relu", ["x"], ["y"])],
        initializer=[raw, typed, documented, strings, packed, large, bfloat],
        doc_string="of the graph",
    )
    proto.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            numpy_helper.from_array(np.float32([5, 6]), "sparse"),
            numpy_helper.from_array(np.array([1, 3]), "indices"),
            [2, 2],
        )
    )
    annotation = proto.graph.quantization_annotation.add(tensor_name="x")
    annotation.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="raw")
    proto.graph.node[0].metadata_props.add(key="k", value="v")
    proto.graph.input[0].doc_string = "an input"
    model = round_trip(proto)
    found = {
        op.node_name.data: constant_array(op.results[0], model.store)
        for op in graph_of(model).body.block.ops
        if isinstance(op, InitializerOp)
    }
    assert found["packed"] is not None
    assert found["packed"].astype(int).tolist() == [1, -2, 7]
    assert found["sparse"] is not None
    assert found["sparse"].tolist() == [[0, 5], [0, 6]]
    assert found["strings"] is not None
    assert found["strings"].tolist() == ["a", "é"]
    assert found["documented"] is not None
    assert found["documented"].tolist() == [0, 1, 2]


def test_attributes_of_every_kind_are_kept():
    node = helper.make_node("Thing", ["x"], ["y"], domain="mine")
    tensor = numpy_helper.from_array(np.ones(2, np.float32), "t")
    kinds: list[tuple[str, object]] = [
        ("i", 1),
        ("f", 0.5),
        ("s", b"\xff\x00"),
        ("t", tensor),
        ("ints", [1, 2]),
        ("floats", [1.0, math.nan, -0.0]),
        ("strings", ["a", b"\xff"]),
        ("tensors", [tensor, tensor]),
        ("g", helper.make_graph([], "inner", [], [info("x")])),
        ("graphs", [helper.make_graph([], n, [], [info("x")]) for n in ("p", "q")]),
        ("tp", helper.make_tensor_type_proto(F32, [1, "N"])),
    ]
    node.attribute.extend(helper.make_attribute(k, v) for k, v in kinds)
    node.attribute.append(AttributeProto(name="none", type=AttributeProto.INTS))
    node.attribute.append(AttributeProto(name="empty", type=AttributeProto.FLOATS))
    node.attribute.append(AttributeProto(name="zero", type=AttributeProto.STRINGS))
    node.attribute.append(AttributeProto(name="said", type=AttributeProto.INT, doc_string="d", i=3))
    proto = model_of([node])
    proto.opset_import.append(helper.make_opsetid("mine", 1))
    op = graph_of(round_trip(proto)).body.block.first_op
    assert isinstance(op, OnnxOp)
    assert op.attribute("said") == 3
    assert op.attribute("ints") == [1, 2]
    assert op.attribute("strings") == ["a", b"\xff"]
    assert isinstance(op.attribute("g"), GraphOp)


# External data


def external_model(folder: Path, location: str = "weights.bin") -> ModelProto:
    array = np.arange(5000, dtype=np.float32)
    (folder / "weights.bin").write_bytes(b"\0" * 64 + array.tobytes())
    tensor = TensorProto(name="w", data_type=F32, dims=[5000])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, "offset": "64", "length": "20000"}.items():
        tensor.external_data.add(key=key, value=value)
    return model_of([helper.make_node("Add", ["x", "w"], ["y"])], initializer=[tensor])


def test_external_data_is_mapped_and_written_back_into_the_model(tmp_path: Path):
    model = load_model(save(external_model(tmp_path), tmp_path))
    array = model.store.array("w")
    assert np.array_equal(array, np.arange(5000, dtype=np.float32))
    base = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    loaded = onnx.load(tmp_path / "model.onnx")
    for tensor in loaded.graph.initializer:
        tensor.ClearField("data_location")
    assert normal(model_proto(model.module, model.store)) == normal(loaded)


@pytest.mark.parametrize("location", ["../weights.bin", "/etc/passwd", "a/../../weights.bin", ""])
def test_external_data_must_lie_in_the_models_folder(tmp_path: Path, location: str):
    inner = tmp_path / "inner"
    inner.mkdir()
    shutil.copy(__file__, tmp_path / "weights.bin")
    path = save(external_model(inner, location), inner)
    with pytest.raises(AutosplitError, match=r"'w'") as error:
        load_model(path)
    check_line(error.value, path)


def test_external_data_behind_a_link_out_of_the_folder_is_refused(tmp_path: Path):
    inner = tmp_path / "inner"
    inner.mkdir()
    path = save(external_model(inner), inner)
    (inner / "weights.bin").rename(tmp_path / "weights.bin")
    os.symlink(tmp_path / "weights.bin", inner / "weights.bin")
    with pytest.raises(AutosplitError, match="outside") as error:
        load_model(path)
    check_line(error.value, path)


def test_external_data_that_is_short_or_missing_says_so(tmp_path: Path):
    path = save(external_model(tmp_path), tmp_path)
    (tmp_path / "weights.bin").write_bytes(b"\0" * 1000)
    with pytest.raises(AutosplitError, match="1000"):
        load_model(path)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(AutosplitError, match="missing") as error:
        load_model(path)
    check_line(error.value, path)


# Bad input


def check_line(error: AutosplitError, path: Path) -> None:
    assert "\n" not in str(error)
    assert str(path) in str(error)
    assert len(str(error)) < 600


def small() -> ModelProto:
    return model_of([helper.make_node("Relu", ["x"], ["y"], name="relu")])


def broken(change: str) -> ModelProto:
    proto = small()
    graph = proto.graph
    match change:
        case "undefined":
            graph.node[0].input[0] = "nowhere"
        case "undefined output":
            graph.output[0].name = "nowhere"
        case "twice":
            graph.node.add(op_type="Neg", input=["x"], output=["y"])
        case "an input again":
            graph.node.add(op_type="Neg", input=["x"], output=["x"])
        case "cycle":
            graph.node[0].input[0] = "z"
            graph.node.add(op_type="Neg", name="neg", input=["y"], output=["z"])
        case "itself":
            graph.node[0].input[0] = "y"
        case "attribute":
            graph.node[0].attribute.extend([helper.make_attribute("a", 1)] * 2)
        case "opset":
            proto.opset_import[0].version = 6
        case "future":
            proto.opset_import[0].version = 999
        case "no opset":
            del proto.opset_import[:]
        case "no graph":
            proto.ClearField("graph")
        case "short tensor":
            graph.initializer.add(name="w", data_type=F32, dims=[3], raw_data=b"1234")
        case "unknown type":
            graph.initializer.add(name="w", data_type=99, dims=[1], raw_data=b"1234")
        case "inner":
            body = helper.make_graph([], "b", [], [info("nowhere")])
            graph.node.append(
                helper.make_node("If", ["x"], ["q"], then_branch=body, else_branch=body)
            )
        case _:
            raise ValueError(change)
    return proto


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("undefined", "'nowhere'.*'relu'"),
        ("undefined output", "'nowhere'"),
        ("twice", "'y' is defined twice.*'relu'"),
        ("an input again", "'x' is defined twice"),
        ("cycle", "cycle.*'relu' -> .*'neg'|cycle.*'neg' -> .*'relu'"),
        ("itself", "cycle.*'relu'"),
        ("attribute", "'a' twice"),
        ("opset", "opset 6"),
        ("future", "opset 999"),
        ("no opset", "opset_import"),
        ("no graph", "no graph"),
        ("short tensor", "'w'"),
        ("unknown type", "'w'.*99"),
        ("inner", "'nowhere'"),
    ],
)
def test_a_model_that_makes_no_sense_is_one_line(tmp_path: Path, change: str, said: str):
    path = save(broken(change), tmp_path)
    with pytest.raises(AutosplitError, match=said) as error:
        PLATFORM.load(path)
    check_line(error.value, path)


def test_a_truncated_model_is_recognised_and_refused(tmp_path: Path):
    data = model_of(
        [helper.make_node("Relu", ["x"], ["y"])],
        initializer=[numpy_helper.from_array(np.ones(3000, np.float32), "w")],
    ).SerializeToString()
    path = tmp_path / "model.onnx"
    for size in (len(data) - 1, len(data) // 2, 200, 40):
        path.write_bytes(data[:size])
        assert PLATFORM.recognises(data[:size], path), size
        with pytest.raises(AutosplitError, match=r"truncated|no graph|no ONNX") as error:
            load_model(path)
        check_line(error.value, path)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_are_not_onnx(data: bytes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        if not PLATFORM.recognises(data, path):
            return
        with pytest.raises(AutosplitError) as error:
            PLATFORM.load(path)
        check_line(error.value, path)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_models_are_an_error_or_a_model_but_never_a_traceback(data: st.DataObject):
    content = bytearray(small().SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(bytes(content))
        try:
            model = PLATFORM.load(path)
        except AutosplitError as error:
            check_line(error, path)
            return
        text = ""
        try:
            model.module.verify()
        except VerifyException as error:
            # What the model declares may contradict itself; all else is found when it is read.
            text = str(error)
        assert not text or re.match(
            r"its operands do not fit|it takes one element|it gives the", text
        )
        model_proto(model.module, model.store)


@pytest.mark.parametrize(
    "content",
    [
        b"hello, this is text\n" * 100,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"PK\x03\x04" + b"\0" * 100,
        b'{"nodes": []}',
        b"builtin.module {\n}\n",
        b"\x08\x07",
    ],
)
def test_foreign_files_are_not_onnx(tmp_path: Path, content: bytes):
    path = tmp_path / "file.onnx"
    path.write_bytes(content)
    assert not PLATFORM.recognises(content, path)


def test_a_tensorflow_graph_is_not_onnx():
    path = model_path("frozen_inference_graph.pb")
    assert not PLATFORM.recognises(path.read_bytes()[:65536], path)


def test_empty_files_folders_and_missing_files_are_one_line(tmp_path: Path):
    empty = tmp_path / "empty.onnx"
    empty.touch()
    for path in (empty, tmp_path, tmp_path / "missing.onnx"):
        for platform in ("auto", "onnx"):
            with pytest.raises(AutosplitError) as error:
                load_model(path, platform)
            check_line(error.value, path)


# Fixing inputs and outputs


def test_sizes_of_named_dimensions_are_the_same_everywhere():
    nodes = [
        helper.make_node("Add", ["a", "b"], ["s"]),
        helper.make_node("Relu", ["s"], ["y"]),
    ]
    proto = model_of(nodes, [info("a", ["N", 3]), info("b", ["N", 3])])
    proto.graph.value_info.append(info("s", ["N", "M"]))
    model = round_trip(proto)
    PLATFORM.prepare(model, {"a": [2, 3]}, [])
    model.module.verify()
    graph = graph_of(model)
    assert [str(v.type) for _, v in graph.graph_inputs()] == ["tensor<2x3xf32>"] * 2
    add = graph.body.block.first_op
    assert add is not None
    assert str(add.results[0].type) == 'tensor<2x?xf32, #platform.dims<["", "M"]>>'


@pytest.mark.parametrize(
    ("inputs", "outputs", "said"),
    [
        ({"aa": None}, [], r"no input 'aa' \(did you mean 'a'\?\)"),
        ({"a": [1, 2, 3]}, [], "2 dimensions"),
        ({"a": [2, 4]}, [], "dimension 1 is 3, not 4"),
        ({"a": [2, 3], "b": [1, 3]}, [], "'N' is 2 by input 'a' and 1 by input 'b'"),
        ({"a": [-2, 3]}, [], "negative"),
        ({"w": None}, [], "'w' is a constant"),
        ({}, ["sum"], "no tensor 'sum'"),
    ],
)
def test_what_contradicts_the_model_is_one_line(
    tmp_path: Path, inputs: dict[str, list[int] | None], outputs: list[str], said: str
):
    proto = model_of(
        [helper.make_node("Add", ["a", "b"], ["y"])],
        [info("a", ["N", 3]), info("b", ["N", 3]), info("w", [4])],
        ir=3,
        initializer=[numpy_helper.from_array(np.ones(4, np.float32), "w")],
    )
    model = load_model(save(proto, tmp_path))
    with pytest.raises(AutosplitError, match=said) as error:
        PLATFORM.prepare(model, inputs, outputs)
    check_line(error.value, tmp_path / "model.onnx")


def test_an_inner_value_can_be_the_output_and_the_rest_is_dropped():
    body = helper.make_graph([helper.make_node("Add", ["m", "w"], ["t"])], "b", [], [info("t")])
    nodes = [
        helper.make_node("Relu", ["x"], ["m"]),
        helper.make_node("If", ["flag"], ["n"], then_branch=body, else_branch=body),
        helper.make_node("Neg", ["n"], ["y"]),
        helper.make_node("Abs", ["other"], ["z"]),
    ]
    constants = [numpy_helper.from_array(np.ones(4, np.float32), n) for n in ("w", "unused")]
    inputs = [info("x"), info("flag", [], TensorProto.BOOL), info("other")]
    made = model_of(nodes, inputs, ["y", "z"], initializer=constants, value_info=[info("n")])
    model = round_trip(made)
    PLATFORM.prepare(model, {}, ["n:0"])
    model.module.verify()
    proto = model_proto(model.module, model.store)
    onnx.checker.check_model(proto)
    assert [i.name for i in proto.graph.input] == ["x", "flag"]
    assert [n.op_type for n in proto.graph.node] == ["Relu", "If"]
    assert [t.name for t in proto.graph.initializer] == ["w"]
    assert [o.name for o in proto.graph.output] == ["n"]


def test_large_constants_are_references_with_a_digest(tmp_path: Path):
    from autosplit.core.weights import digest

    array = np.arange(4096, dtype=np.float32)
    constants = [numpy_helper.from_array(array, "w")]
    proto = model_of([helper.make_node("Add", ["x", "w"], ["y"])], initializer=constants)
    model = load_model(save(proto, tmp_path))
    op = graph_of(model).body.block.first_op
    assert isinstance(op, InitializerOp)
    assert isinstance(op.value, WeightAttr)
    assert op.value.digest.data == digest(array)
    assert len(module_text(model.module)) < 2000
