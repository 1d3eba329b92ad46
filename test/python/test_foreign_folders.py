"""Folders of platforms that autosplit does not know, which a user's own `Splitter` wrote."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from convert_models import X, two_convolutions
from convert_toolchain import real
from onnx.shape_inference import infer_shapes
from onnx.utils import Extractor
from outside import install, install_toys
from test_splitter import random_model
from toy_splitter import CHAIN, ToySplitter, descriptor, evaluate, feed, run_part

from auto_deploy.common.base_splitter import Splitter
from auto_deploy.common.graph import Subgraph
from autosplit.core.errors import AutosplitError
from autosplit.explain.plan import explain_folder
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.runtime.runner import Runner, infer, load, load_from_zip
from autosplit.tools.cli.main import main
from sophon.auto_runner.common.base_runner import Runner as OriginalRunner


class ToyRunner(OriginalRunner):
    """Runs what `ToySplitter` writes, as a script for the original AutoRunner would."""

    def load_graph_cpu(self, model_info: dict[str, str]) -> dict[str, str]:
        return dict(model_info)

    def infer_on_cpu(
        self,
        index: int,
        inputs: list[tuple[str, Any]],
        required_outputs: list[tuple[str, tuple[int, ...]]],
    ) -> dict[str, Any]:
        outputs = [name for name, _ in required_outputs]
        names = [name for name, _ in inputs]
        assert all(shape == (2, 2) for _, shape in required_outputs)
        made = run_part(Path(self.folder), self.models[index], names, outputs, dict(inputs))
        return dict(zip(outputs, made, strict=True))


def toys(folder: Path, **more: Any) -> Path:
    model = descriptor(CHAIN, ["post"], ["conv1", "conv2"], compute=["conv1", "conv2"], **more)
    ToySplitter(model).convert_and_split(folder)
    return folder


def test_runner_of_the_original(tmp_path: Path):
    runner = ToyRunner(toys(tmp_path / "out"), mode=0)
    given = {"x!": feed(99)}
    np.testing.assert_array_equal(
        infer(runner, given)["post!"], evaluate(CHAIN, {"x": given["x!"]}, ["post"])[0]
    )
    assert [step.name for step in runner.steps] == ["graph_0", "graph_1", "graph_2"]
    assert len(runner.infer_time(given)) == 4
    # The attributes that the original documents.
    assert runner.graph_infos_path == str(tmp_path / "out" / "graph_infos.json")
    assert runner.graph_infos["graphs"][1]["context_dir"] == "graph_ir_1"
    assert runner.graph_infos["tensors"]["x!"]["shape"] == [2, 2]
    assert (runner.platform, runner.dynamic, runner.layout, runner.graph_num) == (
        "toy",
        False,
        "NCHW",
        3,
    )
    assert (runner.required_input_names, runner.output_names) == (["x!"], ["post!"])
    assert runner.models == [{"ops": f"graph_{i}.json"} for i in range(3)]


@pytest.mark.parametrize("seed", range(100, 115))
def test_random_graphs(tmp_path: Path, seed: int):
    model = random_model(random.Random(seed))
    ToySplitter(model).convert_and_split(tmp_path / "out")
    fresh = {name: feed(seed + i) for i, name in enumerate(model["feeds"])}
    bare = {name.removesuffix("!"): array for name, array in fresh.items()}
    got = ToyRunner(tmp_path / "out", 0).infer(fresh)
    for name, array in zip(
        model["outputs"], evaluate(model["ops"], bare, model["outputs"]), strict=True
    ):
        np.testing.assert_array_equal(got[f"{name}!"], array)
    assert [g.foreign for g in explain_folder(tmp_path / "out").graphs] == [True] * len(
        GraphInfos.load(tmp_path / "out").graphs
    )


def test_runner_that_makes_too_little(tmp_path: Path):
    class Lazy(ToyRunner):
        def infer_on_cpu(self, *args: Any) -> dict[str, Any]:
            return {}

    with pytest.raises(AutosplitError, match=r"graph 0 \(graph_0.json\) did not compute 'pre!'"):
        Lazy(toys(tmp_path / "out"), 0).infer({"x!": feed(1)})


def test_graphs_in_memory(tmp_path: Path):
    folder = toys(tmp_path / "out")
    text = (folder / "graph_1.json").read_bytes()
    with pytest.raises(AutosplitError, match="ToyRunner has no load_graph_cpu_from_memory"):
        ToyRunner(folder, 0, {"graph_1": text})

    class Remembering(ToyRunner):
        def load_graph_cpu_from_memory(self, graph_bytes: bytes) -> dict[str, str]:
            assert graph_bytes == text
            return {"ops": "graph_1.json"}

    runner = Remembering(folder, 0, {"graph_1": text})
    assert set(runner.infer({"x!": feed(1)})) == {"post!"}


NOBODY = "expected one of"


@pytest.mark.parametrize("command", ["run", "convert"])
def test_what_nobody_knows_is_one_line(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
):
    out = toys(tmp_path / "out")
    before = sorted(p.name for p in out.iterdir())
    assert main([command, str(out)]) == 1
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "is of platform 'toy', and nothing here" in said
    assert NOBODY in said
    assert sorted(p.name for p in out.iterdir()) == before


def test_it_is_explained_all_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = toys(tmp_path / "out")
    assert main(["explain", str(out)]) == 0
    said = capsys.readouterr().out
    assert "graph_1     tpu bm1684     ?               ?" in said
    assert "the ops of graph_0, graph_1, graph_2 are not known" in said
    assert "2x2 f64" in said
    module = str(read_folder(out))
    assert module.count("device.foreign") == 3
    assert '<{files = {ops = "graph_1.json"}}>' in module


# Sub-models in ONNX under another name


class OnnxUnderAnotherName(Splitter):
    """Splits ONNX models by itself; `hidden`: the CPU's sub-models are in a form that only it knows."""

    def initialize(self) -> None:
        self.platform = "mine"
        self.model = infer_shapes(onnx.load(self.model_descriptor["path"]))
        graph = self.model.graph
        self.nodes = {node.name: node for node in graph.node}
        self.makers = {name: node.name for node in graph.node for name in node.output}
        self.ops = [*(i.name for i in graph.input), *self.nodes]
        self.input_tensors = self.model_descriptor["input_tensors"]
        self.output_names = [o.name for o in graph.output]

    def get_op_name(self, operator: str) -> str:
        return operator

    def is_op_support(self, operator: str) -> bool:
        return operator != self.model_descriptor["cpu"]

    def is_op_compute(self, operator: str) -> bool:
        return operator.startswith("conv")

    def is_input_op(self, operator: str) -> bool:
        return operator not in self.nodes

    def is_output_op(self, operator: str) -> bool:
        return operator in self.nodes and self.nodes[operator].output[0] in set(self.output_names)

    def get_inputs_list(self, operator: str) -> list[str]:
        if operator not in self.nodes:
            return []
        inputs = list(self.nodes[operator].input)
        return [
            self.makers.get(n, n) for n in inputs if n in self.makers or n in self.input_tensors
        ]

    def save_subgraph(
        self, graph: Subgraph, save_folder: str, index: int, tensors: Mapping[str, Any]
    ) -> tuple[dict[str, str], list[str], list[str]]:
        borders = graph.input_ops.union(*graph.input_subgraphs.values())
        given = graph.output_ops.union(*graph.output_subgraphs.values())
        inputs = [self.nodes[n].output[0] if n in self.nodes else n for n in borders]
        outputs = [self.nodes[n].output[0] for n in given]
        model = Extractor(self.model).extract_model(inputs, outputs)
        data = model.SerializeToString()
        file = f"graph_{index}.bin"
        if self.model_descriptor["hidden"] and not graph.support:
            data = HIDDEN + data[::-1]
        (Path(save_folder) / file).write_bytes(data)
        return {"network": file}, inputs, outputs

    def infer_output_tensors(
        self,
        save_folder: str,
        model_info: Mapping[str, str],
        sub_inputs: Sequence[str],
        sub_outputs: Sequence[str],
        tensors: Mapping[str, Any],
    ) -> Any:
        data = unhidden((Path(save_folder) / model_info["network"]).read_bytes())
        return session(data, tensors, sub_inputs, sub_outputs)

    def get_tensor_dtype(self, tensor_name: str) -> Any:
        return 0


HIDDEN = b"\x00hidden"


def unhidden(data: bytes) -> bytes:
    return data.removeprefix(HIDDEN)[::-1] if data.startswith(HIDDEN) else data


def session(data: bytes, tensors: Mapping[str, Any], inputs: Any, outputs: Any) -> list[Any]:
    model = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    found: Any = model.run(list(outputs), {name: tensors[name] for name in inputs})
    return found


class MineRunner(Runner):
    """Knows the hidden form too."""

    def load_graph_cpu(self, model_info: dict[str, str]) -> bytes:
        return unhidden((self.folder / model_info["network"]).read_bytes())

    def infer_on_cpu(self, index: int, inputs: Any, required_outputs: Any) -> dict[str, Any]:
        names = [name for name, _ in required_outputs]
        made = session(self.models[index], dict(inputs), dict(inputs), names)
        return dict(zip(names, made, strict=True))


def mine(folder: Path, *, hidden: bool = False) -> Path:
    path = two_convolutions(folder.with_name("two.onnx"))
    given = {"path": path, "input_tensors": {"x": X}, "cpu": "middle", "hidden": hidden}
    OnnxUnderAnotherName(given).convert_and_split(folder)
    assert [g.device for g in GraphInfos.load(folder).graphs] == ["tpu", "cpu", "tpu"]
    return folder


def whole(folder: Path) -> Any:
    return session(folder.with_name("two.onnx").read_bytes(), {"x": X}, ["x"], ["y"])[0]


def test_known_files_under_another_name_need_nothing(tmp_path: Path):
    out = mine(tmp_path / "out")
    runner = load(out, mode=0)
    assert runner.infos.tensors["r1"].dtype == "float32", "as the sub-models say"
    np.testing.assert_allclose(infer(runner, {"x": X})["y"], whole(out), rtol=1e-5, atol=1e-6)
    found = explain_folder(out)
    assert found.platform == "mine"
    assert [g.foreign for g in found.graphs] == [False] * 3
    assert found.tpu_work == found.work > 0
    real()
    result = convert_folder(ConvertOptions(out, compare=True))
    result.check()
    assert [g.state for g in result.graphs] == ["compiled", "compiled"]
    emulated = infer(load(out, use_cmodel=True), {"x": X})["y"]
    np.testing.assert_allclose(emulated, whole(out), rtol=1e-4, atol=1e-5)


def test_files_of_which_only_those_for_the_tpu_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    out = mine(tmp_path / "out", hidden=True)
    assert [g.foreign for g in explain_folder(out).graphs] == [False, True, False]
    with pytest.raises(AutosplitError, match=r"graph_1\.bin is of platform 'mine', and nothing"):
        load(out, mode=0)
    site = tmp_path / "site"
    install(site, "mine", {"autosplit.runners": {"mine": f"{__name__}:MineRunner"}})
    monkeypatch.syspath_prepend(str(site))
    runner = load(out, mode=0)
    assert isinstance(runner, MineRunner)
    np.testing.assert_allclose(infer(runner, {"x": X})["y"], whole(out), rtol=1e-5, atol=1e-6)
    real()
    # The CPU's results to compare with come from the runner that is registered.
    result = convert_folder(ConvertOptions(out, compare=True))
    result.check()
    mixed = load(out, use_cmodel=True)
    assert (type(mixed), mixed.mode) == (MineRunner, 2)
    np.testing.assert_allclose(infer(mixed, {"x": X})["y"], whole(out), rtol=1e-4, atol=1e-5)


# Registered by a package


def beads(folder: Path) -> Path:
    functions = (["negative", "sin"], ["square", "cos"])
    names = ["x", "h", "y"]
    folder.mkdir()
    graphs: list[Any] = []
    for i, listed in enumerate(functions):
        (folder / f"graph_{i}.beads").write_text(json.dumps(listed))
        graphs.append(
            {
                "inputs": [names[i]],
                "outputs": [names[i + 1]],
                "device": "tpu" if i else "cpu",
                "model_info": {"beads": f"graph_{i}.beads"},
            }
        )
    roles = ("input", "intermediate", "output")
    tensors = {n: {"shape": [4], "attr": r} for n, r in zip(names, roles, strict=True)}
    infos = {"platform": "beads", "graphs": graphs, "tensors": tensors}
    (folder / "graph_infos.json").write_text(json.dumps(infos))
    return folder


def test_registered_by_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """As the page `write_your_own.md` has it, from the command line."""
    site = tmp_path / "site"
    site.mkdir()
    install_toys(site)
    monkeypatch.syspath_prepend(str(site))
    out = beads(tmp_path / "out")
    x = np.linspace(-1, 1, 4)
    np.save(tmp_path / "x.npy", x)
    made = tmp_path / "y.npz"
    words = ["--mode", "0", "--input", f"x={tmp_path / 'x.npy'}", "-o", str(made)]
    assert main(["run", str(out), *words]) == 0
    np.testing.assert_array_equal(np.load(made)["y"], np.cos(np.square(np.sin(-x))))
    assert main(["convert", str(out)]) == 0
    assert (out / "graph_ir_1" / "compilation.bmodel").read_text() == "square\ncos"
    capsys.readouterr()
    assert main(["explain", str(out)]) == 0
    assert "not recorded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("group", "call"),
    [
        ("runners", lambda out: load(out, mode=0)),
        ("compilers", lambda out: convert_folder(ConvertOptions(out))),
    ],
)
def test_what_is_registered_must_be_of_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str, call: Any
):
    install(tmp_path / "site", "odd", {f"autosplit.{group}": {"beads": "math:pi"}})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with pytest.raises(AutosplitError, match=rf"beads of autosplit\.{group} is 3\.14.*expected a"):
        call(beads(tmp_path / "out"))


COMPILER = """
import os
from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.compiler import Compiler
class Silent(Compiler):
    def compile_model_using_bmcompiler(self, compile_info):
        os.makedirs(os.path.join(self.folder, compile_info["context_dir"]))
class Failing(Silent):
    def compile_model_using_bmcompiler(self, compile_info):
        super().compile_model_using_bmcompiler(compile_info)
        raise AutosplitError("no such bead")
"""


@pytest.mark.parametrize(
    ("kind", "said"), [("Silent", "Silent wrote no .*bmodel"), ("Failing", "no such bead")]
)
def test_a_compiler_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, said: str
):
    site, name = tmp_path / "site", f"beads_{kind.lower()}"
    install(site, "odd", {"autosplit.compilers": {"beads": f"{name}:{kind}"}})
    (site / f"{name}.py").write_text(COMPILER)
    monkeypatch.syspath_prepend(str(site))
    out = beads(tmp_path / "out")
    result = convert_folder(ConvertOptions(out))
    with pytest.raises(AutosplitError, match=said):
        result.check()
    assert sorted(p.name for p in out.iterdir()) == [
        "graph_0.beads",
        "graph_1.beads",
        "graph_infos.json",
    ]


def test_zipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import shutil

    install(tmp_path / "site", "toy", {"autosplit.runners": {"toy": f"{__name__}:ToyRunner"}})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    archive = shutil.make_archive(str(tmp_path / "out"), "zip", toys(tmp_path / "out"))
    runner = load_from_zip(archive, mode=0)
    assert isinstance(runner, ToyRunner)
    assert set(infer(runner, {"x!": feed(1)})) == {"post!"}
