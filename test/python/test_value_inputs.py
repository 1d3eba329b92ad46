"""Models that take sequences, maps and optional values: they split, run, and give what the whole gives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.inputs.samples import read_data
from autosplit.inputs.specs import InputSpec
from autosplit.inputs.value_types import ArrayType, ValueType, read_type
from autosplit.inputs.values import Value, flat
from autosplit.runtime.compare import compare
from autosplit.runtime.runner import Runner
from autosplit.testing.random_cut import random_cuts
from autosplit.tools.cli import main as cli

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING
SCALAR = helper.make_tensor_type_proto(FLOAT, [])
PICTURE = helper.make_tensor_type_proto(FLOAT, [1, 3, 8, 8])
PICTURES = helper.make_sequence_type_proto(PICTURE)
ANY_SIZE = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, [1, 3, None, None]))
TEXTS = helper.make_sequence_type_proto(helper.make_tensor_type_proto(STRING, None))
OPTIONAL = helper.make_optional_type_proto(PICTURE)
OPTIONAL_SEQUENCE = helper.make_optional_type_proto(PICTURES)
COUNTS = helper.make_map_type_proto(INT64, SCALAR)
NAMED = helper.make_map_type_proto(STRING, SCALAR)


def node(kind: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(kind, inputs, outputs, name=f"{kind} {outputs[0]}", **attributes)


def pictures(count: int, size: int = 8) -> list[np.ndarray]:
    random = np.random.default_rng(count)
    return [random.standard_normal((1, 3, size, size)).astype(np.float32) for _ in range(count)]


def branch(name: str, first: onnx.NodeProto) -> onnx.GraphProto:
    """A branch that gives what its node gives, minus one."""
    nodes = [first, node("Sub", [first.output[0], "one"], [f"{name} y"])]
    return helper.make_graph(
        nodes, name, [], [helper.make_tensor_value_info(f"{name} y", FLOAT, None)]
    )


AT = node("SequenceAt", ["q", "last"], ["x"])
IF_THERE = [
    node("OptionalHasElement", ["q"], ["there"]),
    node(
        "If", ["there"], ["x"],
        then_branch=branch("then", node("OptionalGetElement", ["q"], ["of q"])),
        else_branch=branch("else", node("Identity", ["blank"], ["none"])),
    ),
]  # fmt: skip

CASES: dict[str, tuple[onnx.TypeProto, list[onnx.NodeProto], list[Value]]] = {
    "sequence": (PICTURES, [AT], [pictures(2), pictures(1)]),
    "sequence that is read twice": (
        PICTURES,
        [AT, node("SequenceLength", ["q"], ["count"])],
        [pictures(3)],
    ),
    "sequence that is changed": (
        PICTURES,
        [
            node("SequenceInsert", ["q", "blank"], ["longer"]),
            node("SequenceErase", ["longer", "first"], ["r"]),
            node("ConcatFromSequence", ["r"], ["wide"], axis=0),
            node("ReduceMean", ["wide"], ["x"], axes=[0]),
        ],
        [pictures(3)],
    ),
    "sequence of any size": (ANY_SIZE, [AT], [pictures(2, 8), pictures(2, 11)]),
    "sequence that is returned": (PICTURES, [AT, node("Identity", ["q"], ["other"])], [pictures(2)]),
    "optional": (OPTIONAL, IF_THERE, [pictures(1)[0], None]),
    "optional sequence": (
        OPTIONAL_SEQUENCE,
        [
            node("OptionalGetElement", ["q"], ["r"]),
            node("SequenceAt", ["r", "last"], ["x"]),
        ],
        [pictures(2)],
    ),
    "map of numbers": (
        COUNTS,
        [
            node("DictVectorizer", ["q"], ["v"], domain="ai.onnx.ml", int64_vocabulary=[3, 1, 7]),
            node("ReduceSum", ["v"], ["sum"], keepdims=0),
            node("Add", ["sum", "blank"], ["x"]),
        ],
        [{1: 0.5, 7: np.float32(2), np.int64(9): 1.25}],
    ),
    "map of names": (
        NAMED,
        [
            node("DictVectorizer", ["q"], ["v"], domain="ai.onnx.ml", string_vocabulary=["a", "ä"]),
            node("ReduceSum", ["v"], ["sum"], keepdims=0),
            node("Add", ["sum", "blank"], ["x"]),
        ],
        [{"ä": 0.1, "a": 3}],
    ),
}  # fmt: skip


def write(path: Path, type: onnx.TypeProto, nodes: list[onnx.NodeProto], opset: int = 17) -> Path:
    """What `nodes` make of the input `q`, and a network on their `x`; `count` and `other` are outputs too."""
    q = onnx.ValueInfoProto(name="q")
    q.type.CopyFrom(type)
    random = np.random.default_rng(0)
    weights = {
        "w": random.standard_normal((4, 3, 3, 3)).astype(np.float32),
        "blank": np.full((1, 3, 8, 8), 0.25, np.float32),
        "one": np.float32(1),
        "first": np.int64(0),
        "last": np.int64(-1),
    }
    others = [n for each in nodes for n in each.output if n in ("count", "other")]
    graph = helper.make_graph(
        [*nodes, node("Conv", ["x", "w"], ["c"]), node("Relu", ["c"], ["y"])],
        "g",
        [q],
        [onnx.ValueInfoProto(name=name) for name in [*others, "y"]],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in weights.items()],
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def whole(path: Path, feeds: Mapping[str, Value]) -> dict[str, Value]:
    """What ONNX Runtime makes of the model itself."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(feeds)), strict=True))


def case(name: str, path: Path) -> tuple[Path, list[Value]]:
    type, nodes, values = CASES[name]
    return write(path, type, nodes, 18 if "optional" in name else 17), values


@pytest.mark.parametrize("name", CASES)
def test_they_reach_the_sub_models_that_read_them(name: str, tmp_path: Path):
    model, values = case(name, tmp_path / "model.onnx")
    split_model(SplitOptions(model, tmp_path / "out", {"q": InputSpec.of(values[0])}))
    with random_cuts(3):
        split_model(SplitOptions(model, tmp_path / "cut", {"q": InputSpec.of(values[0])}))
    for value in values:
        expected = whole(model, {"q": value})
        for out in ("out", "cut"):
            with Runner(tmp_path / out, 0) as runner:
                found = runner.infer({"q": value})
            assert list(found) == list(expected)
            assert flat(found).keys() == flat(expected).keys()
            assert all(difference.equal for difference in compare(found, expected)), out
    infos = runner.infos
    assert all("q" not in graph.inputs for graph in infos.graphs if graph.device == "tpu")
    assert infos.tensors["q"].value is not None
    read_folder(tmp_path / "out").verify()
    (tmp_path / "out" / "plan.mlir").unlink()
    read_folder(tmp_path / "out").verify()


def test_convolutions_behind_a_sequence_run_on_the_tpu(tmp_path: Path):
    model, _ = case("sequence", tmp_path / "model.onnx")
    split_model(SplitOptions(model, tmp_path / "out"))
    with Runner(tmp_path / "out", 0) as runner:
        assert [graph.device for graph in runner.infos.graphs] == ["cpu", "tpu"]
    infos = json.loads((tmp_path / "out" / "graph_infos.json").read_text())
    assert infos["tensors"]["q"] == {"shape": None, "attr": "input"}
    assert infos["autosplit"]["values"] == {
        "q": {"sequence": {"shape": [1, 3, 8, 8], "dtype": "float32"}}
    }


def test_arrays_in_them_are_cast_where_nothing_is_lost(tmp_path: Path):
    model, (given, _) = case("sequence", tmp_path / "model.onnx")
    api.split("onnx", {"q": tuple(given)}, tmp_path / "out", model)
    expected = whole(model, {"q": given})["y"]
    runner = api.load(tmp_path / "out", mode=0)
    found = api.infer(runner, {"q": tuple(x.astype(np.float64) for x in given)})["y"]
    np.testing.assert_array_equal(found, expected)
    for wrong, said in (
        (given[0], r"input 'q' is an array, expected a list of values"),
        (None, r"input 'q' is None, expected a list of values"),
        ({1: 2}, r"input 'q' is a map, expected a list of values"),
        ([given[0], [1.0]], r"input 'q'\[1\] is a sequence, expected a numpy array"),
        ([given[0], given[1][0]], r"input 'q'\[1\]: found shape \[3, 8, 8\], expected \[1, 3, 8, 8\]"),
        ([given[0].astype(np.float64) + 1e-9], r"input 'q'\[0\]: found dtype float64, expected float32, "),
    ):  # fmt: skip
        with pytest.raises(AutosplitError, match=said):
            api.infer(runner, {"q": wrong})
        with pytest.raises(AutosplitError, match=said):
            api.split("onnx", {"q": wrong}, tmp_path / "never", model)


def test_maps_that_do_not_fit_are_told(tmp_path: Path):
    model, (given,) = case("map of numbers", tmp_path / "model.onnx")
    split_model(SplitOptions(model, tmp_path / "out", {"q": InputSpec.of(given)}))
    with Runner(tmp_path / "out", 0) as runner:
        for wrong, said in (
            ({"a": 1.0}, "input 'q': found the key 'a', expected keys of int64"),
            ({True: 1.0}, "input 'q': found the key True, expected keys of int64"),
            ({1: "a"}, r"input 'q'\[1\]: found dtype str"),
            ({1: 2**24 + 1}, r"input 'q'\[1\]: found dtype int64, expected float32, which cannot"),
            ([1.0], "input 'q' is a sequence, expected a dict"),
        ):
            with pytest.raises(AutosplitError, match=said):
                runner.infer({"q": wrong})


def test_what_cannot_be_made_up_is_asked_for(tmp_path: Path):
    model, _ = case("sequence of any size", tmp_path / "model.onnx")
    with pytest.raises(AutosplitError, match=r"random input will not do; give it, .*q=file\.npz"):
        split_model(SplitOptions(model))
    model, _ = case("optional", tmp_path / "model.onnx")
    split_model(SplitOptions(model))
    for spec, said in (
        (InputSpec((1, 3, 8, 8)), "input 'q' is an optional value, which has no shape; give its value"),
        (InputSpec.of([]), "input 'q' is a sequence, expected a numpy array"),
    ):  # fmt: skip
        with pytest.raises(AutosplitError, match=said):
            split_model(SplitOptions(model, inputs={"q": spec}))


def test_tensors_are_given_as_arrays(tmp_path: Path):
    relu = helper.make_graph(
        [node("Relu", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, [2])],
        [helper.make_tensor_value_info("y", FLOAT, [2])],
    )
    model = tmp_path / "model.onnx"
    onnx.save(
        helper.make_model(relu, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model
    )
    for value, kind in (([np.ones(2)], "list"), (None, "NoneType"), ({}, "dict")):
        with pytest.raises(AutosplitError, match=f"input 'x' is a {kind}, expected a numpy array"):
            api.split("onnx", {"x": value}, tmp_path / "out", model)


def test_the_command_line_takes_archives_and_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    case("sequence", Path("model.onnx"))
    given = pictures(11)
    np.savez("q.npz", *given)
    Path("bad.npz").write_bytes(b"no archive")
    assert cli.main(["split", "model.onnx", "-o", "out", "--input", "q=q.npz"]) == 0
    assert (
        cli.main(["run", "out", "--input", "q=q.npz", "--compare", "model.onnx", "-o", "y.npz"])
        == 0
    )
    assert "1 of 1 output is bit-equal" in capsys.readouterr().out
    with np.load("y.npz") as found:
        np.testing.assert_array_equal(found["y"], whole(Path("model.onnx"), {"q": given})["y"])
    for options, said in (
        (["--input", "q=1,3,8,8"], r"input 'q' is None, expected|no shape|random input will not do"),
        ([], r"input 'q' is a sequence, so random input will not do; give it, as in --input q=file\.npz"),
        (["--input", "q=bad.npz"], r"cannot read bad\.npz"),
        (["--input", "q=gone.npz"], r"there is no file gone\.npz"),
        (["--input", "q=none"], r"input 'q' is None, expected a list of values"),
    ):  # fmt: skip
        assert cli.main(["run", "out", *options]) == 1
        assert re.search(said, capsys.readouterr().err)
    case("optional", Path("model.onnx"))
    np.save("q.npy", given[0])
    assert cli.main(["split", "model.onnx", "-o", "optional"]) == 0
    for spec in (["--input", "q=q.npy"], ["--input", "none"], []):
        assert cli.main(["run", "optional", *spec, "--compare", "model.onnx"]) == 0
        assert "1 of 1 output is bit-equal" in capsys.readouterr().out


def test_samples_for_convert_hold_them_by_place(tmp_path: Path):
    model, (given, _) = case("sequence", tmp_path / "model.onnx")
    split_model(SplitOptions(model, tmp_path / "out"))
    infos = GraphInfos.load(tmp_path / "out")
    np.savez(tmp_path / "a.npz", **flat({"q": given}))
    (sample,) = read_data(infos, [str(tmp_path / "a.npz")]).samples()
    assert [x.tobytes() for x in sample["q"]] == [x.tobytes() for x in given]
    np.save(tmp_path / "a.npy", given[0])
    with pytest.raises(
        AutosplitError, match=r"input 'q' is a sequence; give \.npz files, as in q=a\.npz"
    ):
        read_data(infos, [str(tmp_path / "a.npy")])
    with pytest.raises(AutosplitError, match=r"random input will not do; give it, as in --data"):
        next(read_data(infos, []).some(1))
    np.savez(tmp_path / "b.npz", *given)
    np.savez(tmp_path / "c.npz", np.ones(2))
    for file in ("a", "b"):
        (sample,) = read_data(infos, [f"q={tmp_path}/{file}.npz"]).samples()
        assert [x.tobytes() for x in sample["q"]] == [x.tobytes() for x in given]
    with pytest.raises(AutosplitError, match=r"c\.npz: input 'q'\[0\]: found shape \[2\]"):
        next(read_data(infos, [f"q={tmp_path}/c.npz"]).some(1))


MAP = ValueType("map", ArrayType((), "float32"), "object")


@pytest.mark.parametrize(
    ("type", "value"),
    [
        (ValueType("sequence", ArrayType()), [np.ones(2), np.zeros(3)]),
        (ValueType("sequence", ArrayType()), []),
        (ValueType("optional", ArrayType()), None),
        (ValueType("optional", ArrayType()), np.ones(2)),
        (ValueType("optional", ValueType("sequence", ArrayType())), [np.ones(1)]),
        (ValueType("sequence", MAP), [{"a": 1.0}, {"b": 2.0, "": 0.5}]),
    ],
)  # fmt: skip
def test_types_are_written_and_values_come_back_from_arrays(type: ValueType, value: Value):
    assert read_type(json.loads(json.dumps(type.to_json()))) == type
    assert str(type.gathered("q", flat({"q": value}))) == str(value)


@pytest.mark.parametrize(
    "entry",
    [3, {"sequence": 1}, {"map": {}, "key": "f"}, {"shape": "x"}, {"shape": [-2]}, {"dtype": "no"}],
)
def test_types_that_nobody_wrote_are_told(entry: object, tmp_path: Path):
    (tmp_path / "graph_0.onnx").touch()
    graph = {
        "inputs": ["q"],
        "outputs": [],
        "device": "cpu",
        "model_info": {"model_path": "graph_0.onnx"},
    }
    infos = {
        "platform": "onnx",
        "graphs": [graph],
        "tensors": {"q": {"shape": None, "attr": "input"}},
        "autosplit": {"values": {"q": {"optional": {"shape": [2]}}}},
    }
    (tmp_path / "graph_infos.json").write_text(json.dumps(infos))
    assert GraphInfos.load(tmp_path).tensors["q"].value is not None
    infos["autosplit"]["values"]["q"] = entry
    (tmp_path / "graph_infos.json").write_text(json.dumps(infos))
    with pytest.raises(AutosplitError, match=r"graph_infos\.json: .*'q'"):
        GraphInfos.load(tmp_path)


def test_sequences_inside_of_a_model_can_be_its_inputs(tmp_path: Path):
    model = write(
        tmp_path / "model.onnx",
        PICTURE,
        [node("Relu", ["q"], ["r"]), node("SplitToSequence", ["r"], ["s"], axis=0), *AT_S],
    )
    given = pictures(3)
    split_model(SplitOptions(model, tmp_path / "out", {"s": InputSpec.of(given)}))
    with Runner(tmp_path / "out", 0) as runner:
        assert runner.required_input_names == ["s"]
    with pytest.raises(
        AutosplitError, match=r"input 's'\[0\]: found dtype complex128, expected float32"
    ):
        split_model(
            SplitOptions(model, None, {"s": InputSpec.of([np.ones((1, 3, 8, 8), complex)])})
        )
    with Runner(tmp_path / "out", 0) as runner:
        found = runner.infer({"s": given})["y"]
    expected = whole(case("sequence", tmp_path / "other.onnx")[0], {"q": given})["y"]
    np.testing.assert_array_equal(found, expected)


AT_S = [node("SequenceAt", ["s", "last"], ["x"])]


@pytest.mark.parametrize("name", ["sequence", "optional"])
def test_compiled_models_take_tensors(name: str, tmp_path: Path):
    model, _ = case(name, tmp_path / "model.onnx")
    with pytest.raises(
        AutosplitError, match=r"'q' is (a sequence|an optional value), and a compiled"
    ):
        api.compile(model, tmp_path / "out")
    api.compile(model, tmp_path / "out", {"x": (1, 3, 8, 8)})
    assert list(api.load_compiled(tmp_path / "out").run({"x": pictures(1)[0]})) != []
