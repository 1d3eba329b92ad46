"""`Splitter` for a platform that the compiler knows nothing of: ops are numpy functions."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy_splitter import CHAIN, Ops, ToySplitter, descriptor, evaluate, feed, run_part

from auto_deploy.common.base_splitter import Splitter
from auto_deploy.common.graph import Graph, Operator, Subgraph
from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_reader import GraphInfos


def run_chain(folder: Path, feeds: Mapping[str, Any]) -> dict[str, Any]:
    infos = GraphInfos.load(folder)
    values = dict(feeds)
    for graph in infos.graphs:
        made = run_part(folder, graph.model_info, graph.inputs, graph.outputs, values)
        values |= zip(graph.outputs, made, strict=True)
    return {name: values[tensor] for name, tensor in infos.outputs.items()}


def devices(folder: Path) -> list[str]:
    return [graph.device for graph in GraphInfos.load(folder).graphs]


def test_chain(tmp_path: Path):
    model = descriptor(CHAIN, ["post"], ["conv1", "conv2"], compute=["conv1", "conv2"])
    splitter = ToySplitter({**model, "layout": "NHWC", "dynamic": True})
    splitter.convert_and_split(str(tmp_path / "out"))
    infos = json.loads((tmp_path / "out" / "graph_infos.json").read_text())
    del infos["autosplit"]
    box = {"shape": [2, 2], "dtype": "float64"}
    assert infos == {
        "graphs": [
            {
                "outputs": ["pre!"],
                "model_info": {"ops": "graph_0.json"},
                "inputs": ["x!"],
                "device": "cpu",
            },
            {
                "outputs": ["conv2!"],
                "model_info": {"ops": "graph_1.json"},
                "inputs": ["pre!"],
                "device": "tpu",
                "context_dir": "graph_ir_1",
            },
            {
                "outputs": ["post!"],
                "model_info": {"ops": "graph_2.json"},
                # The input of the model is read where it is needed, not handed through.
                "inputs": ["x!", "conv2!", "pre!"],
                "device": "cpu",
            },
        ],
        "tensors": {
            "x!": {**box, "attr": "input"},
            "pre!": {**box, "attr": "intermediate"},
            "conv2!": {**box, "attr": "intermediate"},
            "post!": {**box, "attr": "output"},
        },
        "graph_num": 3,
        "platform": "toy",
        "dynamic": True,
        "layout": "NHWC",
    }
    assert splitter.destroyed == 1
    fresh = {"x!": feed(99)}
    (expected,) = evaluate(CHAIN, {"x": fresh["x!"]}, ["post"])
    np.testing.assert_array_equal(run_chain(tmp_path / "out", fresh)["post!"], expected)


def test_dangerous_tensors_do_not_cross(tmp_path: Path):
    model = descriptor(
        CHAIN, ["post"], ["conv1", "conv2"], compute=["conv1", "conv2"], dangerous=["conv1"]
    )
    ToySplitter(model).convert_and_split(tmp_path / "a")
    assert devices(tmp_path / "a") == ["cpu", "tpu", "cpu"]
    # conv2 may not be read from outside: it and its reader, which the TPU does not support, stay together.
    model["dangerous"] = ["conv2"]
    ToySplitter(model).convert_and_split(tmp_path / "b")
    graphs = GraphInfos.load(tmp_path / "b").graphs
    assert [g.device for g in graphs] == ["cpu", "tpu", "cpu"]
    assert graphs[1].outputs == ("conv1!",)
    model["dangerous"] = ["pre", "conv2"]
    ToySplitter(model).convert_and_split(tmp_path / "c")
    assert devices(tmp_path / "c") == ["cpu"]


def test_lone_ops_are_demoted(tmp_path: Path):
    """An op that the TPU takes is not worth two more sub-models when it is a small part of the whole."""
    ops: Ops = {"x": ("input", [])}
    names = ["x"]

    def add(name: str) -> None:
        ops[name] = ("scale", [names[-1]])
        names.append(name)

    big = [f"big{i}" for i in range(40)]
    for name in [*big, "cpu1", "island", "cpu2"]:
        add(name)
    model = descriptor(ops, ["cpu2"], [*big, "island"], compute=[*big, "island"])
    ToySplitter(model).convert_and_split(tmp_path / "a")
    graphs = GraphInfos.load(tmp_path / "a").graphs
    assert [g.device for g in graphs] == ["tpu", "cpu"]
    assert "island" in json.loads((tmp_path / "a" / "graph_1.json").read_text())
    # Where it is half of the work, it is worth it.
    model["compute"] = ["big0", "island"]
    ToySplitter(model).convert_and_split(tmp_path / "b")
    assert devices(tmp_path / "b") == ["tpu", "cpu", "tpu", "cpu"]


def test_cycles_stay_together():
    """Loops are cycles in some frameworks."""
    graph = Graph()
    graph.parse_from_operators(
        Operator(name, name != "exit", True, False, False, name == "exit", sources)
        for name, sources in (
            ("enter", []),
            ("merge", ["enter", "next"]),
            ("body", ["merge"]),
            ("next", ["body"]),
            ("exit", ["merge"]),
        )
    )
    subgraphs = graph.get_final_subgraphs()
    homes = {name: s.name for s in subgraphs for name in s.ops}
    assert homes["merge"] == homes["body"] == homes["next"]
    assert homes["exit"] != homes["merge"]


def random_model(rng: random.Random) -> dict[str, Any]:
    count = rng.randrange(1, 40)
    inputs = [f"x{i}" for i in range(rng.randrange(1, 3))]
    ops: Ops = {name: ("input", []) for name in inputs}
    for i in range(count):
        sources = rng.choices(list(ops), k=rng.randrange(1, 4))
        ops[f"op{i}"] = (rng.choice(["sum", "scale", "sin"]), sources)
    inner = [n for n in ops if n not in inputs]
    read = {s for _, sources in ops.values() for s in sources}
    outputs = [n for n in inner if n not in read] + rng.sample(inner, k=rng.randrange(2))
    # The operators come in any order.
    shuffled = list(ops)
    rng.shuffle(shuffled)

    def some(share: float) -> list[str]:
        return [n for n in inner if rng.random() < share]

    return descriptor(
        {n: ops[n] for n in shuffled},
        list(dict.fromkeys(outputs)),
        some(rng.choice([0.0, 0.3, 0.8, 1.0])),
        compute=some(0.3),
        dangerous=some(rng.choice([0.0, 0.1])),
    )


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_chained_equal_whole(tmp_path: Path, seed: int):
    model = random_model(random.Random(seed))
    ops, supported, dangerous = model["ops"], set(model["supported"]), set(model["dangerous"])
    ToySplitter(model).convert_and_split(tmp_path / "out")
    infos = GraphInfos.load(tmp_path / "out")
    homes: dict[str, int] = {}
    for graph in infos.graphs:
        inner = json.loads((tmp_path / "out" / graph.model_info["ops"]).read_text())
        if graph.device == "tpu":
            assert set(inner) <= supported
        for name in inner:
            assert name not in homes, "no op is computed twice"
            homes[name] = graph.index
    assert set(homes) == {n for n, (function, _) in ops.items() if function != "input"}
    for name, (_, sources) in ops.items():
        for source in sources:
            if source in dangerous and name in homes:
                assert homes[source] == homes[name]
    fresh = {name: feed(seed + i) for i, name in enumerate(model["feeds"])}
    bare = {name.removesuffix("!"): array for name, array in fresh.items()}
    expected = evaluate(ops, bare, model["outputs"])
    got = run_chain(tmp_path / "out", fresh)
    assert list(got) == [f"{n}!" for n in model["outputs"]]
    for name, array in zip(model["outputs"], expected, strict=True):
        np.testing.assert_array_equal(got[f"{name}!"], array)


def test_input_that_is_an_output(tmp_path: Path):
    ops: Ops = {"x": ("input", []), "unused": ("input", []), "y": ("sin", ["x"])}
    ToySplitter(descriptor(ops, ["y", "x"], ["y"])).convert_and_split(tmp_path / "out")
    fresh = {"x!": feed(5)}
    got = run_chain(tmp_path / "out", fresh)
    np.testing.assert_array_equal(got["x!"], fresh["x!"])
    np.testing.assert_array_equal(got["y!"], np.sin(fresh["x!"]))


def test_same_bytes_each_time(tmp_path: Path):
    """Whatever the hash seed: names come in the model's order."""
    import subprocess
    import sys

    code = (
        "from auto_deploy.common.graph import Graph, Operator\n"
        "g = Graph(); g.parse_from_operators(Operator(f'n{i}', i % 3 != 1, i % 2, False, False, i == 59,"
        " [f'n{i // 2}', f'n{i // 3}'] if i else []) for i in range(60))\n"
        "print([(s.support, [*s.ops], {k: [*v] for k, v in s.input_subgraphs.items()})"
        " for s in g.get_final_subgraphs()])"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 500


@pytest.mark.parametrize(
    ("ops", "outputs", "message"),
    [
        (
            {"x": ("input", []), "y": ("sin", ["xx"])},
            ["y"],
            r"'xx', which is not an operator \(did you",
        ),
        ({"x": ("input", []), "y": ("sin", ["x"])}, ["z"], "makes the output 'z!'"),
    ],
)
def test_models_that_do_not_fit(tmp_path: Path, ops: Ops, outputs: list[str], message: str):
    splitter = ToySplitter(descriptor(ops, outputs, []))
    with pytest.raises(AutosplitError, match=message):
        splitter.convert_and_split(tmp_path / "out")
    assert splitter.destroyed == 1
    assert list(tmp_path.iterdir()) == []


def test_subclasses_that_contradict_themselves(tmp_path: Path):
    model = descriptor(CHAIN, ["post"], [])

    class Forgetful(ToySplitter):
        def initialize(self) -> None:
            super().initialize()
            self.platform = None

    with pytest.raises(AutosplitError, match=r"Forgetful\.initialize did not set platform"):
        Forgetful(model)

    class Short(ToySplitter):
        def infer_output_tensors(self, *args: Any) -> list[Any]:
            return []

    with pytest.raises(AutosplitError, match="gave 0 tensors for the 1 output"):
        Short(model).convert_and_split(tmp_path / "out")

    class Inventive(ToySplitter):
        def save_subgraph(self, *args: Any) -> tuple[dict[str, str], list[str], list[str]]:
            info, inputs, outputs = super().save_subgraph(*args)
            return info, [*inputs, "more!"], outputs

    with pytest.raises(AutosplitError, match="takes 'more!', which none before it makes"):
        Inventive(model).convert_and_split(tmp_path / "out")
    incomplete: Any = type("Incomplete", (Splitter,), {})
    with pytest.raises(TypeError, match="abstract"):
        incomplete({})
    assert list(tmp_path.iterdir()) == []


def test_dtypes_of_frameworks(tmp_path: Path):
    class Typed(ToySplitter):
        def get_tensor_dtype(self, tensor_name: str) -> Any:
            return {"x!": np.float32, "post!": 0}.get(tensor_name, object)

    Typed(descriptor(CHAIN, ["post"], [])).convert_and_split(tmp_path / "out")
    tensors = GraphInfos.load(tmp_path / "out").tensors
    assert tensors["x!"].dtype == "float32"
    assert tensors["post!"].dtype is None


def test_entries_of_a_subclass_are_kept(tmp_path: Path):
    class Noting(ToySplitter):
        def initialize(self) -> None:
            super().initialize()
            self.graph_infos["labels"] = ["cat", "dog"]
            self.graph_infos["autosplit"] = {"target": "bm1684x"}
            self.layout, self.dynamic = "NHWC", True

        def save_subgraph(self, graph: Subgraph, save_folder: str, index: int, tensors: Any) -> Any:
            self.graph_infos.setdefault("sizes", []).append(len(graph.ops))
            return super().save_subgraph(graph, save_folder, index, tensors)

    splitter = Noting(descriptor(CHAIN, ["post"], ["conv1", "conv2"]))
    assert splitter.graph_infos["platform"] == "toy"
    splitter.convert_and_split(tmp_path / "out")
    infos = json.loads((tmp_path / "out" / "graph_infos.json").read_text())
    assert (infos["labels"], infos["sizes"]) == (["cat", "dog"], [2, 2, 2])
    assert (infos["layout"], infos["dynamic"], infos["graph_num"]) == ("NHWC", True, 3)
    found = GraphInfos.load(tmp_path / "out")
    assert found.own["target"] == "bm1684x"
    assert list(found.outputs) == ["post!"]
    splitter.graph_infos["labels"] = np.zeros(2)
    with pytest.raises(
        AutosplitError, match=r"graph_infos\['labels'\] of Noting cannot be written"
    ):
        splitter.convert_and_split(tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_keep(tmp_path: Path):
    """How much must stay on the TPU may be said."""
    ops: Ops = {"x": ("input", [])}
    names = ["a", "cut", "b"]
    for before, name in zip(["x", *names], names, strict=False):
        ops[name] = ("scale", [before])
    model = descriptor(ops, ["b"], ["a", "b"], compute=["a", "b"])

    class Frugal(ToySplitter):
        keep = 0.4

    ToySplitter(model).convert_and_split(tmp_path / "a")
    Frugal(model).convert_and_split(tmp_path / "b")
    assert devices(tmp_path / "a") == ["tpu", "cpu", "tpu"]
    assert devices(tmp_path / "b").count("tpu") == 1
    splitter = ToySplitter(model)
    splitter.keep = 1.5
    with pytest.raises(AutosplitError, match=r"keep is 1\.5, expected a share"):
        splitter.convert_and_split(tmp_path / "c")


def test_sets_of_a_subgraph_are_sets():
    graph = Graph()
    graph.parse_from_operators(
        Operator(name, name == "conv", True, False, not sources, name == "post", sources)
        for name, sources in (("x", []), ("conv", ["x", "x"]), ("post", ["x", "conv"]))
    )
    first, last = graph.get_final_subgraphs()
    assert graph.operators["conv"].input_ops == {"x"}
    borders = copy.deepcopy(last.input_ops)
    for names in last.input_subgraphs.values():
        borders |= names
    assert list(borders) == ["x", "conv"]
    assert last.input_ops == {"x"} == last.input_ops.copy()
    assert last.output_ops.union(first.output_ops, *first.output_subgraphs.values()) == {
        "post",
        "conv",
    }
