"""Damaged files of every kind that is read: one line or a result, in time, and nothing left behind.

What fails is written to `build/fuzz`, and the message says how to replay it.
"""

from __future__ import annotations

import io
import json
import os
import random
import select
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from caffe_writer import caffemodel_bytes
from mutations import Mutation, damaged_bytes, damaged_json, damaged_message, damaged_text
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.parser import Parser

from autosplit.dialects.aten import GraphOp as AtenGraph
from autosplit.dialects.platform import platform_graph
from autosplit.dialects.tf.attributes.proto import graph_from_text, new_graph, new_library
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.mxnet.params import record_of, write_params
from autosplit.formats.pytorch.writer import export_graph
from autosplit.registry import make_context
from autosplit.testing.models import model_path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""Seconds that one file may take on a busy machine before its process is ended."""


def damaged_graph(rng: random.Random, data: bytes) -> bytes:
    """A GraphDef with damage to its nodes, or to its functions, which are bytes of their own."""
    graph = new_graph(data)
    if not graph.library or rng.random() < 0.5:
        return damaged_message(new_graph)(rng, data)
    graph.library = damaged_message(new_library)(rng, graph.library)
    return graph.SerializeToString(deterministic=True)


def damaged_program(rng: random.Random, data: bytes) -> bytes:
    """A `.pt2` archive whose bytes are damaged, or else its program or a table of its tensors."""
    if rng.random() < 0.2:
        return damaged_bytes(rng, data)
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(made, "w") as damaged:
        members = archive.namelist()
        hit = rng.choice([name for name in members if name.endswith("model.json")] * 4 + members)
        for name in members:
            content = archive.read(name)
            if name == hit:
                change = damaged_json if name.endswith(".json") else damaged_bytes
                content = change(rng, content)
            damaged.writestr(name, content)
    return made.getvalue()


def program_file(path: Path) -> Path:
    """The program of a lit test as a file."""
    text = (ROOT / "test/lit/targets/pt2-program.mlir").read_text()
    module = Parser(make_context(), text).parse_module()
    graph = platform_graph(module)
    assert isinstance(graph, AtenGraph)
    export_graph(module, graph, None).write(path)
    return path


DAMAGE: dict[str, Mutation] = {
    "onnx": damaged_message(ModelProto),
    "split": damaged_message(ModelProto),
    "pb": damaged_graph,
    "json": damaged_json,
    "plan": damaged_text,
    "convert-onnx": damaged_message(ModelProto),
    "convert-json": damaged_json,
    "convert-plan": damaged_text,
    "mlir": damaged_text,
    "dnnl": damaged_json,
    "mxnet": damaged_json,
    "pt2": damaged_program,
    "params": damaged_bytes,
    "prototxt": damaged_text,
    "caffemodel": damaged_bytes,
    "npy": damaged_bytes,
    "npz": damaged_bytes,
}
SUFFIXES = {
    "split": ".onnx",
    "plan": ".mlir",
    "convert-onnx": ".onnx",
    "convert-json": ".json",
    "convert-plan": ".mlir",
    "dnnl": ".json",
    "mxnet": ".json",
    "pt2": ".pt2",
    "prototxt": ".prototxt",
    "caffemodel": ".caffemodel",
}
SHARES = {
    "onnx": 38,
    "split": 12,
    "pb": 24,
    "json": 30,
    "plan": 25,
    "convert-onnx": 6,
    "convert-json": 12,
    "convert-plan": 6,
    "mlir": 30,
    "dnnl": 21,
    "mxnet": 20,
    "pt2": 20,
    "params": 16,
    "prototxt": 12,
    "caffemodel": 8,
    "npy": 10,
    "npz": 10,
}
"""Of each 300 files."""

GRAPHS = ("functions", "frames", "net")
"""Of TensorFlow: calls with an If and a While, loops within a loop and a conditional, and a detector."""


SMALL = {"MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
"""What keeps the address space of a process from growing with the cores of the machine."""


def small_model() -> ModelProto:
    """Two stages, a loop, a conditional, shapes that are computed, weights of several types."""
    body = helper.make_graph(
        [helper.make_node("Relu", ["v"], ["w2"], name="inner"), helper.make_node("Identity", ["k"], ["k2"])],
        "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []),
         helper.make_tensor_value_info("k", TensorProto.BOOL, []),
         helper.make_tensor_value_info("v", TensorProto.FLOAT, [1, 4, 6, 6])],
        [helper.make_tensor_value_info("k2", TensorProto.BOOL, []),
         helper.make_tensor_value_info("w2", TensorProto.FLOAT, [1, 4, 6, 6])],
    )  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], name="conv", pads=[0, 0, 0, 0], group=1),
        helper.make_node("Loop", ["n", "", "c"], ["l"], name="loop", body=body),
        helper.make_node("Shape", ["l"], ["s"], name="shape", start=0, end=2),
        helper.make_node("Concat", ["s", "m"], ["r"], name="concat", axis=0),
        helper.make_node("Reshape", ["l", "r"], ["f"], name="reshape"),
        helper.make_node("Softmax", ["f"], ["p"], name="softmax", axis=-1),
        helper.make_node("TopK", ["p", "one"], ["top", "at"], name="top", axis=2),
        helper.make_node("Cast", ["at"], ["y"], name="cast", to=TensorProto.FLOAT),
    ]
    weights = {
        "w": np.ones((4, 3, 3, 3), np.float32),
        "b": np.zeros(4, np.float32),
        "n": np.int64(2),
        "m": np.array([-1]),
        "one": np.array([1]),
    }
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 1]),
         helper.make_tensor_value_info("top", TensorProto.FLOAT, [1, 4, 1])],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in weights.items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Fuzzer:
    """A child process in a folder of its own, and the good files that are damaged."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.work = folder / "work"
        self.scratch = folder / "scratch"
        for made in (self.work, self.scratch, folder / "damaged"):
            made.mkdir()
        onnx.save(small_model(), folder / "model.onnx")
        split_model(SplitOptions(folder / "model.onnx", self.work / "folder"))
        self.good = {
            kind: [path.read_bytes() for path in found] for kind, found in self._files().items()
        }
        self.child: subprocess.Popen[str] | None = None

    def _files(self) -> dict[str, list[Path]]:
        image = np.zeros((1, 3, 8, 8), np.float32)
        np.save(self.folder / "x.npy", image)
        np.savez(self.folder / "x.npz", x=image)
        lit = ROOT / "test/lit"
        graphs = [lit / "frontends/tensorflow/Inputs/add.pbtxt"]
        graphs += [ROOT / f"test/python/data/{name}.pbtxt" for name in GRAPHS]
        for path in graphs:
            graph = graph_from_text(path.read_text())
            made = self.folder / f"{path.stem}.pb"
            made.write_bytes(graph.SerializeToString(deterministic=True))
        symbol = ROOT / "test/python/data/net-symbol.json"
        shutil.copy(symbol, self.work)
        weights = {
            "arg:conv0_weight": (4, 3, 3, 3),
            "arg:fc0_weight": (2, 64),
            "arg:fc0_bias": (2,),
        }
        write_params(
            self.work / "net.params",
            {name: record_of(np.ones(shape, np.float32)) for name, shape in weights.items()},
        )
        shutil.copy(ROOT / "test/python/data/net.prototxt", self.work)
        layers = {"conv1": [(4, 3, 3, 3), (4,)], "fc": [(2, 48), (2,)]}
        ones = {name: [np.ones(s, np.float32) for s in shapes] for name, shapes in layers.items()}
        (self.work / "net.caffemodel").write_bytes(caffemodel_bytes(ones))
        make = [sys.executable, str(lit / "frontends/dnnl/inputs/make.py"), str(self.folder)]
        subprocess.run(make, check=True, capture_output=True)
        return {
            "onnx": [self.folder / "model.onnx", model_path("pnet.onnx")],
            "split": [self.folder / "model.onnx"],
            "pb": [self.folder / f"{path.stem}.pb" for path in graphs],
            "json": [self.work / "folder/graph_infos.json"],
            "plan": [self.work / "folder/plan.mlir"],
            "convert-onnx": [self.work / "folder/graph_0.onnx"],
            "convert-json": [self.work / "folder/graph_infos.json"],
            "convert-plan": [self.work / "folder/plan.mlir"],
            "mlir": sorted((lit / "dialects").glob("*/*ops.mlir")),
            "dnnl": [self.folder / "good.json"],
            "mxnet": [symbol],
            "pt2": [program_file(self.work / "net.pt2")],
            "params": [self.work / "net.params"],
            "prototxt": [self.work / "net.prototxt"],
            "caffemodel": [self.work / "net.caffemodel"],
            "npy": [self.folder / "x.npy"],
            "npz": [self.folder / "x.npz"],
        }  # fmt: skip

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fuzz_child.py"))],
            cwd=self.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env={**os.environ, "TMPDIR": str(self.scratch), **SMALL},
        )  # fmt: skip

    def ask(self, kind: str, path: Path) -> str:
        """What is wrong with how the child treats a file; "" where nothing is."""
        if self.child is None or self.child.poll() is not None:
            self.child = self._start()
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(json.dumps([kind, str(path)]) + "\n")
        self.child.stdin.flush()
        if not select.select([self.child.stdout], [], [], PATIENCE)[0]:
            self.stop()
            return f"took longer than {PATIENCE:g} s"
        if not (answer := self.child.stdout.readline()):
            return f"the process ended with {self.child.wait()}"
        return json.loads(answer)

    def stop(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None
        # What an ended child leaves is not the fault of the files that come after.
        for path in self.scratch.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def damaged(self, kind: str, seed: int) -> bytes:
        """The file of a kind with this seed."""
        rng = random.Random(f"{kind} {seed}")
        return DAMAGE[kind](rng, rng.choice(self.good[kind]))

    def failures(self, kind: str, seeds: range) -> list[str]:
        """What went wrong with the files of a kind with these seeds."""
        found: list[str] = []
        for seed in seeds:
            path = self.folder / "damaged" / f"{kind}-{seed}{SUFFIXES.get(kind, '.' + kind)}"
            path.write_bytes(self.damaged(kind, seed))
            if wrong := self.ask(kind, path):
                kept = ROOT / "build/fuzz" / path.name
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, kept)
                found.append(f"{kind} {seed}, kept as {kept}: {wrong}")
            path.unlink()
        return found


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzer]:
    made = Fuzzer(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.stop()


def test_good_files_are_taken(fuzzer: Fuzzer):
    """Or damage would mean nothing."""
    for kind, found in fuzzer.good.items():
        assert found, kind
        for i, data in enumerate(found):
            path = fuzzer.folder / "damaged" / f"good-{i}{SUFFIXES.get(kind, '.' + kind)}"
            path.write_bytes(data)
            assert fuzzer.ask(kind, path) == "", kind


def test_damage_is_damage_and_always_the_same(fuzzer: Fuzzer):
    changed = Counter[str]()
    for kind, share in SHARES.items():
        for seed in range(share):
            made = fuzzer.damaged(kind, seed)
            assert made == fuzzer.damaged(kind, seed)
            changed[kind] += made not in fuzzer.good[kind]
    assert all(changed[kind] > share * 0.7 for kind, share in SHARES.items()), changed


def test_damage_is_the_same_in_every_process(fuzzer: Fuzzer):
    """Hashes, and with them the order of a protobuf map, are others in each."""
    path = fuzzer.folder / "functions.pb"
    code = (
        "import random, sys, test_fuzz; data = open(sys.argv[1], 'rb').read()\n"
        "for i in range(40): print(test_fuzz.damaged_graph(random.Random(i), data).hex())"
    )
    beside = {"PYTHONPATH": str(Path(__file__).parent), "PYTHONHASHSEED": "1"}
    told = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env={**os.environ, **beside}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    own = [damaged_graph(random.Random(i), path.read_bytes()).hex() for i in range(40)]
    assert told.stdout.splitlines() == own


@pytest.mark.parametrize("kind", SHARES)
def test_300_damaged_files(kind: str, fuzzer: Fuzzer):
    assert not (found := fuzzer.failures(kind, range(SHARES[kind]))), "\n\n".join(found)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", SHARES)
def test_10000_damaged_files(kind: str, fuzzer: Fuzzer):
    seeds = range(SHARES[kind], SHARES[kind] * 34)
    assert not (found := fuzzer.failures(kind, seeds)), "\n\n".join(found)
