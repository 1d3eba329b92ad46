"""The plan of a model, known values and all, against the enumeration of everything that it could be.

The enumeration knows nothing of atoms or cuts: it puts every node of the model into a stage, or leaves out
what nobody needs, and looks at the values that would have to cross.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from autosplit.dialects.device import FuncOp
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

SHAPE = (1, 2, 2, 2)
WORK = 16
"""Multiply-adds of a product."""
NEEDS_FIVE = 70055
"""The seed of a model that needs five sub-models for all of its work, and four keep no more than three do."""


@dataclass
class Net:
    """A random model, and what the enumeration has to know of it."""

    model: onnx.ModelProto
    nodes: list[onnx.NodeProto]
    sizes: set[str]
    """The values that follow from the input's shape."""
    outputs: set[str]
    pinned: set[str]
    """The names of nodes that are kept on the CPU."""

    def live(self) -> set[str]:
        """The products that an output is computed from; of the others at most the size is needed."""
        needed = self.outputs - self.sizes
        for node in reversed(self.nodes):
            if node.output[0] in needed:
                needed |= set(node.input) - self.sizes
        return {n.output[0] for n in self.nodes if n.op_type == "MatMul"} & needed


def random_net(seed: int, size: int) -> Net:
    """Products and Relus, arithmetic on their sizes, and views by these; all of one shape."""
    random = np.random.default_rng(seed)
    tensors, sizes = ["x"], list[str]()
    nodes: list[onnx.NodeProto] = []

    def late(names: list[str]) -> str:
        return names[-1 - int(min(random.exponential(1.5), len(names) - 1))]

    for number in range(size):
        kinds = ["MatMul", "MatMul", "Relu", "Shape", "Shape"]
        kinds += ["Abs", "Max", "Reshape", "Reshape", "Reshape"] if sizes else []
        kind = str(random.choice(kinds)) if number else "MatMul"
        inputs = {
            "MatMul": lambda: [late(tensors), "square"],
            "Reshape": lambda: [late(tensors), late(sizes)],
            "Abs": lambda: [late(sizes)],
            "Max": lambda: [late(sizes), late(sizes)],
        }.get(kind, lambda: [late(tensors)])()
        name = f"v{number}"
        nodes.append(helper.make_node(kind, inputs, [name], name=f"n{number}"))
        (sizes if kind in ("Shape", "Abs", "Max") else tensors).append(name)
    read = {i for node in nodes for i in node.input}
    made = [node.output[0] for node in nodes]
    # The first product is an output, so that there is work.
    outputs = {n for n in made if n == "v0" or n not in read or random.random() < 0.1}
    infos = [
        helper.make_tensor_value_info(
            name, TensorProto.INT64 if name in sizes else TensorProto.FLOAT, None
        )
        for name in made
        if name in outputs
    ]
    square = random.standard_normal((2, 2)).astype(np.float32)
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        infos,
        [numpy_helper.from_array(square, "square")] if "square" in read else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    pinned = {
        node.name for node in nodes[1:] if node.output[0] not in sizes and random.random() < 0.35
    }
    return Net(model, nodes, set(sizes), outputs, pinned)


def most_work(net: Net, count: int, first: int) -> int | None:
    """The most work on the TPU in `count` stages, of which the odd ones are on it if `first` is 0.

    None where there is no plan.
    """
    best: int | None = None
    live = net.live()
    stages: dict[str, int | None] = {}

    def place(index: int, work: int) -> None:
        nonlocal best
        if index == len(net.nodes):
            # What is left out must not be read, but for a known value.
            if all(
                stages[node.output[0]] is None or stages.get(i, 0) is not None or i in net.sizes
                for node in net.nodes
                for i in node.input
            ):
                best = work if best is None else max(best, work)
            return
        node = net.nodes[index]
        name = node.output[0]
        options: list[int | None] = list(range(count))
        if name not in net.outputs:
            options.append(None)
        for stage in options:
            on_tpu = stage is not None and (stage + first) % 2 == 1
            never = node.name in net.pinned or (name in net.sizes and name in net.outputs)
            if on_tpu and never:
                continue
            if stage is not None and any(
                i not in net.sizes and (early := stages.get(i, 0)) is not None and early > stage
                for i in node.input
            ):
                continue
            stages[name] = stage
            place(index + 1, work + (WORK if on_tpu and name in live else 0))
        stages.pop(name, None)

    place(0, 0)
    return best


def fewest(net: Net, keep: float) -> tuple[int, int]:
    """The fewest sub-models that keep a share of the work, and the most work with so many."""
    pinned = {node.output[0] for node in net.nodes if node.name in net.pinned}
    possible = WORK * len(net.live() - pinned)
    found: dict[int, int] = {}
    # Some numbers of sub-models more do not help, and one more yet does: all of the work ends the search.
    for count in itertools.count(1):
        both = [work for first in (0, 1) if (work := most_work(net, count, first)) is not None]
        if both:
            found[count] = max(both)
            if found[count] == possible:
                break
    return next((count, work) for count, work in found.items() if work >= possible * keep - 1e-6)


def check(seed: int, size: int, keep: float, folder: Path) -> None:
    net = random_net(seed, size)
    model = folder / "model.onnx"
    onnx.save(net.model, model)
    feeds = {"x": np.random.default_rng(seed).standard_normal(SHAPE).astype(np.float32)}
    pins = [(re.escape(name), "cpu") for name in sorted(net.pinned)]
    result = split(model, folder / "out", feeds, pins=pins, keep=keep, force=True)
    funcs = [
        f for f in result.module.body.ops if isinstance(f, FuncOp) and f.sym_name.data != "main"
    ]
    plan = result.plan.data
    assert (len(funcs), plan["work_on_tpu"].value.data) == fewest(net, keep)
    assert_equal(run_folder(folder / "out", feeds), run_whole(model, feeds, sorted(net.outputs)))


@pytest.mark.parametrize("seed", range(24))
def test_plan_is_the_best(seed: int, tmp_path: Path):
    check(seed, 4 + seed % 5, [0.3, 0.6, 0.95, 1.0][seed % 4], tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [*range(1000, 1600), NEEDS_FIVE])
def test_many_plans_are_the_best(seed: int, tmp_path: Path):
    check(seed, 4 + seed % 6, [0.3, 0.6, 0.95, 1.0][seed % 4], tmp_path)
