"""A splitter of a user's own for MXNet, written as the original's was, and the folder that it leaves."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import real

from auto_deploy.common.base_splitter import Splitter
from auto_deploy.common.graph import Subgraph
from auto_deploy.splitter.mxnet_splitter import MxnetSplitter as OwnSplitter
from autosplit.core.errors import AutosplitError
from autosplit.explain.plan import explain_folder
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.runtime.runner import infer, load

pytestmark = pytest.mark.skipif(not find_spec("mxnet"), reason="the extra mxnet is not installed")

SUPPORTED = {"null", "Convolution", "Activation", "Pooling", "FullyConnected", "Flatten"}
"""What stands for the vendor's table of ops."""

WEIGHT = re.compile("_(weight|bias|var|mean|gamma|beta|label)")


def mxnet() -> Any:
    return import_mxnet("this test")


def is_weight(node: dict[str, Any]) -> bool:
    return node["op"] == "null" and WEIGHT.search(node["name"]) is not None


class MxnetSplitter(Splitter):
    """Cuts the JSON of a symbol, and has MXNet load each part with the whole model's weights."""

    def initialize(self) -> None:
        self.platform = "mxnet"
        self.symbol: Any = json.loads(Path(self.model_descriptor["json_path"]).read_text())
        nodes = self.symbol["nodes"]
        self.places = {node["name"]: i for i, node in enumerate(nodes)}
        # A dictionary, whose keys are the operators.
        self.ops = {
            node["name"]: [nodes[i]["name"] for i, *_ in node["inputs"] if not is_weight(nodes[i])]
            for node in nodes
            if not is_weight(node)
        }
        heads = [(nodes[i], k) for i, k, _ in self.symbol["heads"]]
        self.heads = {node["name"] for node, _ in heads}
        self.output_names = [named(node, k) for node, k in heads]
        self.input_tensors = self.model_descriptor["input_tensors"]

    def node(self, name: str) -> dict[str, Any]:
        return self.symbol["nodes"][self.places[name]]

    def get_op_name(self, operator: str) -> str:
        return operator

    def is_op_support(self, operator: str) -> bool:
        return self.node(operator)["op"] in SUPPORTED

    def is_op_compute(self, operator: str) -> bool:
        return self.node(operator)["op"] in ("Convolution", "FullyConnected")

    def is_input_op(self, operator: str) -> bool:
        return self.node(operator)["op"] == "null"

    def is_output_op(self, operator: str) -> bool:
        return operator in self.heads

    def get_inputs_list(self, operator: str) -> list[str]:
        assert isinstance(self.ops, dict)
        return self.ops[operator]

    def save_subgraph(
        self, graph: Subgraph, save_folder: str, index: int, tensors: Mapping[str, Any]
    ) -> tuple[dict[str, str], list[str], list[str]]:
        # The three ways in which scripts join the sets.
        borders = copy.deepcopy(graph.input_ops)
        for name in graph.input_subgraphs:
            borders |= graph.input_subgraphs[name]
        given = graph.output_ops.copy()
        for name in graph.output_subgraphs:
            given = given.union(graph.output_subgraphs[name])
        inner = graph.ops - borders
        weights = {
            self.symbol["nodes"][i]["name"]
            for name in inner
            for i, *_ in self.node(name)["inputs"]
            if is_weight(self.symbol["nodes"][i])
        }
        inputs: dict[tuple[str, int], str] = {}
        for name in inner:
            for i, k, _ in self.node(name)["inputs"]:
                source = self.symbol["nodes"][i]
                if source["name"] in borders:
                    inputs[source["name"], k] = named(source, k)
        nodes = [{"op": "null", "name": name, "inputs": []} for name in inputs.values()]
        order = sorted({*inner, *weights}, key=self.places.__getitem__)
        nodes += [copy.deepcopy(self.node(name)) for name in order]
        places = {node["name"]: i for i, node in enumerate(nodes)}
        for node in nodes:
            for entry in node["inputs"]:
                source = self.symbol["nodes"][entry[0]]["name"]
                if (source, entry[1]) in inputs:
                    entry[:] = [places[inputs[source, entry[1]]], 0, 0]
                else:
                    entry[0] = places[source]
        heads = [(name, k) for name in given for k in range(results_of(self.node(name)))]
        data = {
            "nodes": nodes,
            "arg_nodes": [i for i, node in enumerate(nodes) if node["op"] == "null"],
            "heads": [[places[name], k, 0] for name, k in heads],
            "attrs": self.symbol["attrs"],
        }
        info = {"json": f"net_{index}-symbol.json"}
        (Path(save_folder) / info["json"]).write_text(json.dumps(data))
        if weights:
            info["params"] = f"net_{index}-0000.params"
            mx = mxnet()
            whole = mx.nd.load(str(self.model_descriptor["params_path"]))
            kept = {key: value for key, value in whole.items() if key.split(":")[-1] in weights}
            mx.nd.save(str(Path(save_folder) / info["params"]), kept)
        return info, [*inputs.values()], [named(self.node(name), k) for name, k in heads]

    def infer_output_tensors(
        self,
        save_folder: str,
        model_info: Mapping[str, str],
        sub_inputs: Sequence[str],
        sub_outputs: Sequence[str],
        tensors: Mapping[str, Any],
    ) -> list[Any]:
        folder = Path(save_folder)
        params = folder / model_info["params"] if "params" in model_info else None
        feeds = {name: tensors[name] for name in sub_inputs}
        return computed(folder / model_info["json"], params, feeds)

    def get_tensor_dtype(self, tensor_name: str) -> int:
        return 0


def results_of(node: dict[str, Any]) -> int:
    return int(node["attrs"]["num_outputs"]) if node["op"] == "SliceChannel" else 1


def named(node: dict[str, Any], result: int) -> str:
    """As the original calls what an operator gives."""
    return f"{node['name']}_{result}_sophon_auto" if results_of(node) > 1 else node["name"]


def computed(symbol: Path, params: Path | None, feeds: Mapping[str, Any]) -> list[Any]:
    """What MXNet itself computes."""
    mx = mxnet()
    arguments = {name: mx.nd.array(array) for name, array in feeds.items()}
    for key, value in mx.nd.load(str(params)).items() if params is not None else ():
        arguments[key.split(":")[-1]] = value
    return [o.asnumpy() for o in mx.sym.load(str(symbol)).bind(mx.cpu(), arguments).forward()]


X = np.random.default_rng(0).normal(size=(1, 3, 8, 8)).astype(np.float32)


def network(folder: Path) -> tuple[Path, Path]:
    """Convolutions, with ops that the vendor's table lacks between and behind them; one has two results."""
    mx = mxnet()
    data = mx.sym.var("data")
    conv = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, pad=(1, 1), name="conv0")
    relu = mx.sym.Activation(conv, act_type="relu", name="relu0")
    halves = mx.sym.SliceChannel(mx.sym.sin(relu, name="sin0"), num_outputs=2, name="halves")
    left = mx.sym.Convolution(halves[0], kernel=(1, 1), num_filter=2, name="conv1")
    right = mx.sym.Convolution(halves[1], kernel=(1, 1), num_filter=2, name="conv2")
    last = mx.sym.broadcast_add(left, right, name="sum0")
    symbol = mx.sym.Group([last, mx.sym.cos(left, name="cos0")])
    shapes, _, _ = symbol.infer_shape(data=X.shape)
    rng = np.random.default_rng(1)
    given = {
        f"arg:{name}": mx.nd.array(rng.normal(size=shape))
        for name, shape in zip(symbol.list_arguments(), shapes, strict=True)
        if name != "data"
    }
    paths = folder / "net-symbol.json", folder / "net-0000.params"
    symbol.save(str(paths[0]))
    mx.nd.save(str(paths[1]), given)
    return paths


def test_a_splitter_written_as_the_originals(tmp_path: Path):
    symbol, params = network(tmp_path)
    out = tmp_path / "out"
    splitter = MxnetSplitter(
        {
            "json_path": symbol,
            "params_path": params,
            "input_tensors": {"data": X},
            "dynamic": False,
            "layout": "NCHW",
        }
    )
    splitter.convert_and_split(out)
    infos = GraphInfos.load(out)
    assert [g.device for g in infos.graphs] == ["tpu", "cpu", "tpu", "cpu"]
    assert infos.graphs[1].outputs == ("halves_0_sophon_auto", "halves_1_sophon_auto")
    assert "params" not in infos.graphs[1].model_info
    expected = dict(zip(["sum0", "cos0"], computed(symbol, params, {"data": X}), strict=True))
    got = infer(load(out, mode=0), {"data": X})
    assert list(got) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(got[name], array)
    found = explain_folder(out)
    assert [(g.foreign, g.work > 0) for g in found.graphs] == [
        (False, True),
        (False, False),
        (False, True),
        (False, False),
    ]
    real()
    result = convert_folder(ConvertOptions(out, compare=True))
    result.check()
    assert [g.state for g in result.graphs] == ["compiled", "compiled"]


def test_the_compilers_own(tmp_path: Path):
    """Under the original's import path and with the keys of its descriptor."""
    symbol, params = network(tmp_path)
    moved = params.rename(tmp_path / "elsewhere.params")
    descriptor = {"json_path": symbol, "params_path": moved, "input_tensors": {"data": X}}
    OwnSplitter(descriptor).convert_and_split(tmp_path / "out")
    infos = GraphInfos.load(tmp_path / "out")
    assert (infos.platform, infos.layout) == ("mxnet", "NCHW")
    assert "tpu" in [g.device for g in infos.graphs]
    got = infer(load(tmp_path / "out", mode=0), {"data": X})
    for array, expected in zip(got.values(), computed(symbol, moved, {"data": X}), strict=True):
        np.testing.assert_allclose(array, expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(AutosplitError, match="has no 'json_path'"):
        OwnSplitter({"model_path": symbol, "input_tensors": {"data": X}})
