"""Symbols and parameters: read as by MXNet, written as they were, and what is wrong with them said."""

from __future__ import annotations

import json
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import Array
from autosplit.dialects.mx import GraphOp, LabelOp, NullOp, OpaqueOp, ParamOp, nodes_of
from autosplit.dialects.mx.spec import SHAPE, AttrSpec
from autosplit.dialects.mx.values import parse_value
from autosplit.dialects.platform import platform_graph
from autosplit.formats.mxnet.params import V1, read_params, record_of, write_params
from autosplit.formats.mxnet.reader import import_files
from autosplit.formats.mxnet.symbol_json import parse_symbol, symbol_text
from autosplit.formats.mxnet.writer import export_model
from autosplit.platforms import get_platform, load_model
from autosplit.runtime.frameworks.mxnet import import_mxnet

MXNET = get_platform("mxnet")
needs_mxnet = pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed")

DTYPES = (
    *("float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"),
    *("int16", "uint16", "uint32", "uint64"),
)
IN_MXNET = DTYPES[:8]
"""Those that MXNet's own Python takes."""


def node(op: str, name: str, inputs: list[list[int]], **attrs: str) -> dict[str, Any]:
    made: dict[str, Any] = {"op": op, "name": name}
    return made | ({"attrs": attrs} if attrs else {}) | {"inputs": inputs}


def symbol(*nodes: dict[str, Any], heads: list[list[int]] | None = None) -> dict[str, Any]:
    pointers = list(range(len(nodes) + 1))
    return {
        "nodes": list(nodes),
        "arg_nodes": [i for i, n in enumerate(nodes) if n["op"] == "null"],
        "node_row_ptr": pointers,
        "heads": heads or [[len(nodes) - 1, 0, 0]],
        "attrs": {"mxnet_version": ["int", 10901]},
    }


NET = symbol(
    node("null", "data", []),
    node("null", "fc0_weight", [], __shape__="(4, 0)"),
    node("null", "fc0_bias", []),
    node("FullyConnected", "fc0", [[0, 0, 0], [1, 0, 0], [2, 0, 0]], num_hidden="4"),
    node("null", "softmax_label", []),
    node("SoftmaxOutput", "softmax", [[3, 0, 0], [4, 0, 0]]),
)
WEIGHTS: dict[str, Array] = {
    "arg:fc0_weight": np.arange(12, dtype=np.float32).reshape(4, 3),
    "arg:fc0_bias": np.ones(4, np.float32),
}


def save(
    folder: Path, raw: dict[str, Any], weights: dict[str, Array] | None = None, style: str = "mxnet"
) -> Path:
    path = folder / "net-symbol.json"
    path.write_bytes(symbol_text(raw, style).encode())
    if weights is not None:
        write_params(folder / "net-0000.params", {n: record_of(a) for n, a in weights.items()})
    return path


def refused(path: Path, params: Path | None = None) -> str:
    with pytest.raises(AutosplitError) as caught:
        load_model(path, params=params)
    text = str(caught.value)
    assert "\n" not in text
    return text


# Parameters.


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_params_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, data: Any):
    path = tmp_path_factory.mktemp("params") / "a.params"
    np_shape = data.draw(st.booleans())
    least = 0 if np_shape else 1
    held: dict[str, Array] = {}
    for i, dtype in enumerate(data.draw(st.lists(st.sampled_from(DTYPES), max_size=4))):
        shape = data.draw(array_shapes(min_dims=least, max_dims=4, min_side=least, max_side=4))
        held[f"arg:ä{i}"] = data.draw(arrays(np.dtype(dtype), shape))
    write_params(path, {n: record_of(a, np_shape=np_shape) for n, a in held.items()})
    written = path.read_bytes()
    records = read_params(path)
    assert list(records) == list(held)
    for name, record in records.items():
        np.testing.assert_array_equal(record.load(), held[name], strict=True)
    write_params(path, records)
    assert path.read_bytes() == written


@needs_mxnet
@pytest.mark.parametrize("np_shape", [False, True])
def test_params_are_those_of_mxnet(tmp_path: Path, np_shape: bool):
    mx = import_mxnet("a test")
    held: dict[str, Array] = {d: np.arange(6).reshape(2, 3).astype(d) for d in IN_MXNET}
    if np_shape:
        held |= {"scalar": np.array(2.5, np.float32), "empty": np.zeros((0, 3), np.float32)}
    ours, theirs = tmp_path / "ours.params", tmp_path / "theirs.params"
    write_params(ours, {n: record_of(a, np_shape=np_shape) for n, a in held.items()})
    with mx.util.np_shape(np_shape):
        loaded: dict[str, Any] = mx.nd.load(str(ours))
        for name, array in held.items():
            np.testing.assert_array_equal(loaded[name].asnumpy(), array, strict=True)
        mx.nd.save(str(theirs), loaded)
    assert sorted(read_params(theirs)) == sorted(held)
    for name, record in read_params(theirs).items():
        np.testing.assert_array_equal(record.load(), held[name], strict=True)


@needs_mxnet
@pytest.mark.parametrize("storage", ["row_sparse", "csr"])
@pytest.mark.parametrize("empty", [False, True])
def test_sparse_params(tmp_path: Path, storage: str, empty: bool):
    mx = import_mxnet("a test")
    dense = np.zeros((5, 3), np.float32)
    if not empty:
        dense[1], dense[4, 2] = 2.0, 3.0
    path = tmp_path / "a.params"
    array = mx.nd.array(dense).tostype(storage)
    # MXNet computes behind our back, and saves a sparse array that is not there yet without its sizes.
    array.wait_to_read()
    mx.nd.save(str(path), {"arg:a": array})
    record = read_params(path)["arg:a"]
    assert record.storage == storage
    np.testing.assert_array_equal(record.load(), dense, strict=True)
    written = path.read_bytes()
    write_params(path, {"arg:a": record})
    assert path.read_bytes() == written
    write_params(path, {"arg:a": record_of(dense, storage)})
    again = mx.nd.load(str(path))["arg:a"]
    assert again.stype == storage
    np.testing.assert_array_equal(again.asnumpy(), dense)


def old_file(record: bytes) -> bytes:
    return struct.pack("<QQQ", 0x112, 0, 1) + record + struct.pack("<QQ", 1, 1) + b"w"


@pytest.mark.parametrize("version", [0, 1])
def test_params_of_old_versions(tmp_path: Path, version: int):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    head = struct.pack("<Iiqq", V1, 2, 2, 3) if version else struct.pack("<III", 2, 2, 3)
    path = tmp_path / "a.params"
    path.write_bytes(old_file(head + struct.pack("<iii", 1, 0, 0) + array.tobytes()))
    np.testing.assert_array_equal(read_params(path)["w"].load(), array, strict=True)
    if find_spec("mxnet") is not None:
        mx = import_mxnet("a test")
        np.testing.assert_array_equal(mx.nd.load(str(path))["w"].asnumpy(), array)
    written = path.read_bytes()
    write_params(path, read_params(path))
    assert path.read_bytes() == written


def test_params_that_are_cut_off(tmp_path: Path):
    path = save(tmp_path, NET, WEIGHTS)
    params = tmp_path / "net-0000.params"
    whole = params.read_bytes()
    for size in range(0, len(whole), 3):
        params.write_bytes(whole[:size])
        text = refused(path, params)
        assert str(params) in text
        assert "cut off" in text or "bytes" in text or "empty" in text, text


def test_params_of_another_kind(tmp_path: Path):
    path = save(tmp_path, NET, WEIGHTS)
    params = tmp_path / "net-0000.params"
    whole = params.read_bytes()
    params.write_bytes(b"\x13" + whole[1:])
    assert "is no file of MXNet parameters: it starts with" in refused(path)
    params.write_bytes(
        struct.pack("<QQQ", 0x112, 0, 1) + record_of(np.ones(2)) + struct.pack("<Q", 0)
    )
    assert "has 1 array without names; expected a name for each" in refused(path)
    kept = bytearray(whole)
    kept[24 + 36] = 77
    params.write_bytes(kept)
    assert "is damaged: array 0 of 2 has the dtype 77" in refused(path)


def test_params_that_do_not_fit(tmp_path: Path):
    path = save(tmp_path, NET, {"arg:fc0_weight": WEIGHTS["arg:fc0_weight"]})
    assert (
        "net-0000.params does not fit the symbol: it has no value for 1 of its parameters, such as "
    )
    assert "'fc0_bias', which FullyConnected 'fc0' reads as its bias" in refused(path)
    save(tmp_path, NET, WEIGHTS | {"arg:fc0_weight": np.ones((5, 3), np.float32)})
    text = refused(path)
    assert "'fc0_weight' has the shape [5, 3] there, and [4, ?] in the symbol" in text
    (tmp_path / "net-0000.params").unlink()
    text = refused(path)
    assert "has 2 parameters, such as 'fc0_weight'" in text
    assert text.endswith("give that with --params")
    save(tmp_path, NET, {**WEIGHTS, "aux:fc0_bias": WEIGHTS["arg:fc0_bias"]})
    assert "has two arrays for the parameter 'fc0_bias'" in refused(path)


def test_params_are_found_beside(tmp_path: Path):
    path = save(tmp_path, NET, WEIGHTS)
    found = tmp_path / "net-0000.params"
    assert MXNET.params_beside(path) == found
    last = found.rename(tmp_path / "net-0012.params")
    assert MXNET.params_beside(path) == last
    (tmp_path / "net-0003.params").touch()
    assert MXNET.params_beside(path) == last
    exact = last.rename(tmp_path / "net.params")
    assert MXNET.params_beside(path) == exact
    assert "give the symbol, NAME-symbol.json" in refused(exact)


# Symbols.


@pytest.mark.parametrize("style", ["mxnet", "json", "json 2", "json 4", "json compact"])
def test_a_symbol_is_written_as_it_was(tmp_path: Path, style: str):
    path = save(tmp_path, NET, WEIGHTS, style)
    module, store = import_files(path, tmp_path / "net-0000.params")
    graph = platform_graph(module)
    assert isinstance(graph, GraphOp)
    out = tmp_path / "out-symbol.json"
    export_model(module, graph, store).write(out, tmp_path / "out.params")
    assert out.read_bytes() == path.read_bytes()
    params = (tmp_path / "out.params").read_bytes()
    assert params == (tmp_path / "net-0000.params").read_bytes()


@st.composite
def symbols(draw: st.DrawFn) -> dict[str, Any]:
    """A symbol of any nodes, called anyhow, that read what stands before them."""
    text = st.text(st.characters(codec="utf-8"), max_size=6)
    nodes: list[dict[str, Any]] = []
    outputs: list[int] = []
    for i in range(draw(st.integers(1, 8))):
        attrs = draw(st.dictionaries(text, text, max_size=3))
        kinds = ["null", "MyOp", "_Plus", "SliceChannel"] if nodes else ["null"]
        kind = draw(st.sampled_from(kinds))
        count = {"null": 0, "_Plus": 2, "SliceChannel": 1}.get(kind)
        count = draw(st.integers(0, 12)) if count is None else count
        makers = draw(st.lists(st.integers(0, max(i - 1, 0)), min_size=count, max_size=count))
        inputs = [[m, draw(st.integers(0, outputs[m] - 1)), 0] for m in makers]
        attrs |= {"num_outputs": "3"} if kind == "SliceChannel" else {}
        name = f"v{i}{draw(text)}" if kind == "null" else draw(text)
        nodes.append(node(kind, name, inputs, **attrs))
        outputs.append({"SliceChannel": 3, "MyOp": draw(st.integers(1, 3))}.get(kind, 1))
    heads = [[len(nodes) - 1, 0, 0]]
    return symbol(*nodes, heads=heads)


@settings(max_examples=100, deadline=None)
@given(raw=symbols(), style=st.sampled_from(["mxnet", "json", "json 2"]))
def test_any_symbol_is_written_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, raw: dict[str, Any], style: str
):
    path = save(tmp_path_factory.mktemp("symbol"), raw, style=style)
    assert written_again(path) == path.read_bytes().decode()


def written_again(path: Path) -> str:
    module, store = import_files(path, MXNET.params_beside(path))
    graph = platform_graph(module)
    assert isinstance(graph, GraphOp)
    graph.verify()
    return export_model(module, graph, store).text


SHAPE_OF = AttrSpec("__shape__", SHAPE)


def quantized() -> list[Path]:
    spec = find_spec("gluoncv")
    places = [] if spec is None else spec.submodule_search_locations or []
    return [p for place in places for p in sorted(Path(place).glob("model_zoo/quantized/*.json"))]


@pytest.mark.parametrize("path", quantized(), ids=lambda path: path.name)
def test_published_int8_symbols_are_written_as_they_were(path: Path, tmp_path: Path):
    """They have no parameters: those that a symbol needs are made up."""
    parsed = parse_symbol(path.read_text())
    names = [n.name for n in parsed.nodes if n.op == "null" and n.name != "data"]
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    said = {n.name: parse_value(SHAPE_OF, n.attrs.get("__shape__", "1")) for n in parsed.nodes}
    shapes = {name: cast("tuple[int, ...]", said[name]) for name in names}
    ones = {n: np.ones([max(d, 1) for d in shape], np.float32) for n, shape in shapes.items()}
    write_params(
        tmp_path / f"{path.name.removesuffix('-symbol.json')}.params",
        {f"arg:{name}": record_of(array) for name, array in ones.items()},
    )
    assert written_again(copy) == path.read_text()


OLD: dict[str, Any] = {
    "nodes": [
        {"op": "null", "param": {}, "name": "data", "inputs": [], "backward_source_id": -1},
        {"op": "null", "param": {}, "name": "bn_gamma", "inputs": [], "backward_source_id": -1},
        {"op": "null", "param": {}, "name": "bn_beta", "inputs": [], "backward_source_id": -1},
        {
            "op": "BatchNorm",
            "param": {"eps": "0.001", "fix_gamma": "False"},
            "name": "bn",
            "inputs": [[0, 0], [1, 0], [2, 0]],
            "backward_source_id": -1,
            "attr": {"lr_mult": "2"},
        },
        {
            "op": "Activation",
            "param": {"act_type": "relu"},
            "name": "relu",
            "inputs": [[3, 0]],
            "backward_source_id": -1,
        },
    ],
    "arg_nodes": [0, 1, 2],
    "heads": [[4, 0]],
}


def old_weights() -> dict[str, Array]:
    four = np.linspace(0.5, 2, 4).astype(np.float32)
    return {
        "arg:bn_gamma": four,
        "arg:bn_beta": -four,
        "aux:bn_moving_mean": four / 3,
        "aux:bn_moving_var": four * four,
    }


def test_a_symbol_of_an_old_version(tmp_path: Path):
    """Its nodes leave out auxiliary states; it is written as it was, and sub-models name them."""
    path = save(tmp_path, OLD, old_weights())
    assert written_again(path) == path.read_text()
    model = load_model(path)
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    bn = next(op for op in nodes_of(graph) if op.op_type == "BatchNorm")
    assert bn.input_ports()[3:] == ["moving_mean", "moving_var"]
    assert bn.texts["lr_mult"] == "2"
    assert not bn.flag("fix_gamma")
    if find_spec("mxnet") is None:
        return
    mx = import_mxnet("a test")
    x = np.random.default_rng(0).normal(size=(2, 4, 3, 3)).astype(np.float32)
    executor = MXNET.executor({"json": path.name, "params": "net-0000.params"}, tmp_path)
    got = executor.run({"data": x}, ["relu_output"])["relu_output"]
    wanted = mx.gluon.SymbolBlock.imports(str(path), ["data"], str(tmp_path / "net-0000.params"))
    np.testing.assert_array_equal(got, wanted(mx.nd.array(x)).asnumpy(), strict=True)


def test_what_becomes_of_variables(tmp_path: Path):
    model = load_model(save(tmp_path, NET, WEIGHTS))
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    kinds = {op.node_name.data: type(op) for op in nodes_of(graph)}
    assert kinds["data"] is NullOp
    assert kinds["fc0_weight"] is ParamOp
    assert kinds["softmax_label"] is LabelOp
    assert [name for name, _ in graph.graph_inputs()] == ["data"]
    assert [name for name, _ in graph.graph_outputs()] == ["softmax_output"]


@needs_mxnet
def test_a_label_is_given_by_nobody(tmp_path: Path):
    save(tmp_path, NET, WEIGHTS)
    info = {"json": "net-symbol.json", "params": "net-0000.params"}
    x = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
    got = MXNET.executor(info, tmp_path).run({"data": x}, ["softmax_output"])["softmax_output"]
    weight = np.arange(12, dtype=np.float32).reshape(4, 3)
    scores = x @ weight.T + 1
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got.astype(np.float32), wanted, rtol=1e-5)


def test_nodes_of_the_same_name(tmp_path: Path):
    """MXNet takes them: their values are told apart here, and the file keeps the names."""
    relu = {"act_type": "relu"}
    raw = symbol(
        node("null", "data", []),
        node("Activation", "a", [[0, 0, 0]], **relu),
        node("Activation", "a", [[1, 0, 0]], **relu),
        node("Activation", "", [[2, 0, 0]], **relu),
        node("null", "node3_output", []),
        node("elemwise_add", "a_output", [[3, 0, 0], [4, 0, 0]]),
    )
    path = save(tmp_path, raw)
    assert written_again(path) == path.read_text()
    graph = platform_graph(load_model(path).module)
    assert isinstance(graph, GraphOp)
    assert len(graph.values()) == 6


def test_a_type_that_nobody_knows(tmp_path: Path):
    raw = symbol(
        node("null", "data", []),
        node("MyOp", "mine", [[0, 0, 0]], scale="2"),
        node("_Plus", "sum", [[1, 1, 0], [1, 0, 0]]),
    )
    path = save(tmp_path, raw)
    assert json.loads(written_again(path))["nodes"] == raw["nodes"]
    graph = platform_graph(load_model(path).module)
    assert isinstance(graph, GraphOp)
    mine = next(op for op in nodes_of(graph) if op.op_type == "MyOp")
    assert isinstance(mine, OpaqueOp)
    assert [mine.value_name(i) for i in range(2)] == ["mine_output0", "mine_output1"]


RELU = {"act_type": "relu"}
DATA = node("null", "data", [])
WRONG: dict[str, tuple[object, str]] = {
    "no JSON": ("{nodes", "is not JSON"),
    "no nodes": ({"nodes": {}}, 'it has no list "nodes"'),
    "no object": ({"nodes": [3]}, "node 0 is 3, expected an object"),
    "no name": ({"nodes": [{"op": "null"}]}, 'node 0 needs an "op" and a "name"'),
    "attribute": (
        symbol(DATA, {"op": "Activation", "name": "a", "attrs": {"act_type": 1}, "inputs": []}),
        "attribute act_type of node 'a' is 1, expected text",
    ),
    "inputs": (
        symbol(DATA, node("Activation", "a", [[0, -1, 0]], **RELU)),
        "the inputs of node 'a': found [0, -1, 0], expected the numbers of a node and of its output",
    ),
    "unknown node": (
        symbol(DATA, node("Activation", "a", [[7, 0, 0]], **RELU)),
        "node 'a' reads node 7, and there are only 2; the file may be cut off",
    ),
    "unknown head": (symbol(DATA, heads=[[3, 0, 0]]), '"heads" names node 3, and there are only 1'),
    "no heads": ({**symbol(DATA), "heads": []}, "has no outputs"),
    "cycle": (
        symbol(
            DATA,
            node("elemwise_add", "a", [[0, 0, 0], [2, 0, 0]]),
            node("Activation", "b", [[1, 0, 0]], **RELU),
        ),
        "the nodes form a cycle",
    ),
    "itself": (
        symbol(DATA, node("Activation", "a", [[1, 0, 0]], **RELU)),
        "the nodes form a cycle",
    ),
    "unknown output": (
        symbol(DATA, node("Activation", "a", [[0, 1, 0]], **RELU)),
        "node 'a' reads output 1 of null 'data', which has 1",
    ),
    "output that no node has": (
        symbol(node("MyOp", "a", []), node("Activation", "b", [[0, 2**70, 0]], **RELU)),
        "the inputs of node 'b': found output 1180591620717411303424 of a node, which none has",
    ),
    "unknown output of heads": (
        symbol(DATA, heads=[[0, 2, 0]]),
        "\"heads\" names output 2 of null 'data', which has 1",
    ),
    "value": (
        symbol(DATA, node("Activation", "a", [[0, 0, 0]], act_type="swish")),
        "attribute act_type of Activation 'a' is 'swish', expected one of",
    ),
    "missing": (
        symbol(DATA, node("Activation", "a", [[0, 0, 0]])),
        "Activation 'a' has no attribute act_type, and needs it",
    ),
    "two variables": (symbol(DATA, DATA), "two variables are called 'data'"),
    "waits": (
        symbol(DATA, {**node("Activation", "a", [[0, 0, 0]], **RELU), "control_deps": [0]}),
        "node 'a' waits for others",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_symbol_that_is_wrong(tmp_path: Path, name: str):
    raw, wanted = WRONG[name]
    path = tmp_path / "net-symbol.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
    with pytest.raises(AutosplitError) as caught:
        MXNET.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert wanted in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nodes_in_any_order(tmp_path: Path):
    """As MXNet itself takes them."""
    raw = symbol(node("Activation", "a", [[1, 0, 0]], **RELU), DATA, heads=[[0, 0, 0]])
    path = save(tmp_path, raw)
    found = json.loads(written_again(path))
    assert [n["name"] for n in found["nodes"]] == ["data", "a"]
    assert found["heads"] == [[1, 0, 0]]
