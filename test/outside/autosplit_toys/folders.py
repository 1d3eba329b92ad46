"""Folders of the platform `beads`: sub-models are lists of numpy's functions, as JSON."""

import json
from pathlib import Path

import numpy as np

from autosplit.flows.convert.compiler import CompileInfo, Compiler
from autosplit.runtime.runner import Array, Runner


class BeadsRunner(Runner):
    """Runs the sub-models on the CPU."""

    def load_graph_cpu(self, model_info: dict[str, str]) -> list[str]:
        return json.loads((self.folder / model_info["beads"]).read_text("utf-8"))

    def infer_on_cpu(
        self,
        index: int,
        inputs: list[tuple[str, Array]],
        required_outputs: list[tuple[str, tuple[int, ...]]],
    ) -> dict[str, Array]:
        ((_, array),) = inputs
        for function in self.models[index]:
            array = getattr(np, function)(array)
        ((name, _),) = required_outputs
        return {name: array}


class BeadsCompiler(Compiler):
    """Compiles the TPU sub-models, to one line for each function."""

    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        functions = json.loads(Path(self.folder, compile_info["model_info"]["beads"]).read_text())
        place = Path(self.folder, compile_info["context_dir"])
        place.mkdir(exist_ok=True)
        (place / "compilation.bmodel").write_text("\n".join(functions))
