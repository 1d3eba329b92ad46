"""A `Splitter` for a platform that autosplit knows nothing of: ops are numpy functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from auto_deploy.common.base_splitter import Splitter
from auto_deploy.common.graph import Subgraph

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "input": lambda: None,
    "sum": lambda *xs: sum(xs, start=np.zeros((2, 2))),
    "scale": lambda *xs: 0.5 * sum(xs, start=np.ones((2, 2))),
    "sin": lambda *xs: np.sin(sum(xs, start=np.zeros((2, 2)))),
}

Ops = dict[str, tuple[str, list[str]]]
"""By name: the function and the names of the ops that it reads."""


def evaluate(ops: Ops, feeds: Mapping[str, Any], wanted: Sequence[str]) -> list[Any]:
    """Computes ops by name, by recursion; no other code is shared with the splitter."""
    values = dict(feeds)

    def value(name: str) -> Any:
        if name not in values:
            function, sources = ops[name]
            values[name] = FUNCTIONS[function](*(value(s) for s in sources))
        return values[name]

    return [value(name) for name in wanted]


class ToySplitter(Splitter):
    """Splits an `Ops` dictionary; sub-models are JSON files. Tensors are called `<op>!`."""

    destroyed = 0

    def initialize(self) -> None:
        self.platform = "toy"
        self.model: Ops = self.model_descriptor["ops"]
        self.ops = list(self.model)
        self.input_tensors = self.model_descriptor["feeds"]
        self.output_names = [f"{name}!" for name in self.model_descriptor["outputs"]]

    def get_op_name(self, operator: str) -> str:
        return operator

    def is_op_support(self, operator: str) -> bool:
        return operator in self.model_descriptor["supported"]

    def is_op_compute(self, operator: str) -> bool:
        return operator in self.model_descriptor.get("compute", ())

    def is_op_dangerous(self, operator: str) -> bool:
        return operator in self.model_descriptor.get("dangerous", ())

    def is_input_op(self, operator: str) -> bool:
        return self.model[operator][0] == "input"

    def is_output_op(self, operator: str) -> bool:
        return operator in self.model_descriptor["outputs"]

    def get_inputs_list(self, operator: str) -> list[str]:
        return self.model[operator][1]

    def save_subgraph(
        self, graph: Subgraph, save_folder: str, index: int, tensors: Mapping[str, Any]
    ) -> tuple[dict[str, str], list[str], list[str]]:
        borders = [n for found in graph.input_subgraphs.values() for n in found]
        inputs = [f"{n}!" for n in dict.fromkeys([*graph.input_ops, *borders])]
        given = [n for found in graph.output_subgraphs.values() for n in found]
        outputs = [
            f"{n}!" for n in dict.fromkeys([*graph.output_ops, *given]) if n not in graph.input_ops
        ]
        inner = {n: self.model[n] for n in graph.ops if n not in graph.input_ops}
        assert all(name in tensors for name in inputs)
        file = f"graph_{index}.json"
        (Path(save_folder) / file).write_text(json.dumps(inner))
        return {"ops": file}, inputs, outputs

    def infer_output_tensors(
        self,
        save_folder: str,
        model_info: Mapping[str, str],
        sub_inputs: Sequence[str],
        sub_outputs: Sequence[str],
        tensors: Mapping[str, Any],
    ) -> list[Any]:
        return run_part(Path(save_folder), model_info, sub_inputs, sub_outputs, tensors)

    def destroy(self) -> None:
        self.destroyed += 1


def run_part(
    folder: Path,
    model_info: Mapping[str, str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    tensors: Mapping[str, Any],
) -> list[Any]:
    """Runs a saved sub-model with nothing but its inputs."""
    ops: Ops = {
        k: (f, s) for k, (f, s) in json.loads((folder / model_info["ops"]).read_text()).items()
    }
    feeds = {name.removesuffix("!"): tensors[name] for name in inputs}
    return evaluate(ops, feeds, [name.removesuffix("!") for name in outputs])


def feed(seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=(2, 2))


def descriptor(ops: Ops, outputs: list[str], supported: list[str], **more: Any) -> dict[str, Any]:
    feeds = {f"{n}!": feed(i) for i, n in enumerate(ops) if ops[n][0] == "input"}
    return {"ops": ops, "outputs": outputs, "supported": supported, "feeds": feeds, **more}


CHAIN: Ops = {
    "x": ("input", []),
    "pre": ("sin", ["x"]),
    "conv1": ("scale", ["pre"]),
    "conv2": ("scale", ["conv1"]),
    "post": ("sum", ["conv2", "x", "pre"]),
}
