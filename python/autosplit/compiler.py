"""The historic `Compiler` classes: compile a folder's TPU sub-models with the vendor's BMCompilers.

`Compiler` walks the folder; a subclass for a framework says how one sub-model is compiled. The ones here
write the script `compile_to_<context_dir>.py` and run it in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, TypedDict

from autosplit.emit.graph_folder import FILE_NAME, Graph, GraphInfos
from autosplit.errors import AutosplitError

TIMEOUT = 3600
"""Seconds that the compilation of one sub-model may take."""


class CompileInfo(TypedDict):
    """What a compiler is told of one sub-model."""

    context_dir: str
    """Where the bmodel goes, relative to the folder."""
    model_info: dict[str, str]
    input_names: list[str]
    input_shapes: list[tuple[int, ...]]
    output_names: list[str]


class Compiler(ABC):
    """Compiles the TPU sub-models of a folder that `split` saved.

    `folder`: where graph_infos.json lies. `optimize`: the compiler's level, None for its own default.
    `compare`: whether it compares its results with the CPU's. `target`: the chip; BM1682, the documented
    default, means that none is given: the chip that the folder was split for, else BM1684.

    Raises AutosplitError where the folder is no valid split. A subclass implements
    `compile_model_using_bmcompiler`, and `check_init` and `generate_compiling_script` if it needs them.
    """

    def __init__(
        self,
        folder: str | Path,
        optimize: int | None = None,
        compare: bool = False,
        target: str = "BM1682",
    ):
        self.infos = GraphInfos.load(folder)
        self.folder = str(Path(folder).absolute())
        self.graph_infos_path = str(Path(self.folder) / FILE_NAME)
        self.optimize = optimize
        self.compare = compare
        self.target = _choose_target(self.infos, target)
        self.platform = self.infos.platform
        self.dynamic = self.infos.dynamic
        self.layout = self.infos.layout
        self.tensors = self.infos.tensors
        self.check_init()

    def compile_to_bm_models(self) -> None:
        """Compiles each TPU sub-model, in order."""
        for graph in self.infos.graphs:
            if graph.device == "cpu":
                continue
            info = self.compile_info(graph)
            self.generate_compiling_script(info)
            self.compile_model_using_bmcompiler(info)

    def compile_info(self, graph: Graph) -> CompileInfo:
        """What the other functions are told of a TPU sub-model."""
        return CompileInfo(
            context_dir=graph.context_dir or "",
            model_info=dict(graph.model_info),
            input_names=list(graph.inputs),
            input_shapes=[self.tensors[name].shape or (-1,) for name in graph.inputs],
            output_names=list(graph.outputs),
        )

    def check_init(self) -> None:  # noqa: B027 - optional
        """Raises where the folder or the arguments do not suit this compiler."""

    def generate_compiling_script(self, compile_info: CompileInfo) -> None:  # noqa: B027 - optional
        """Writes the script that compiles one sub-model, for compilers that have one."""

    @abstractmethod
    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        """Compiles one sub-model into `compile_info["context_dir"]`. Raises where that fails."""


def _choose_target(infos: GraphInfos, target: str) -> str:
    if target.upper() != "BM1682":
        return target.upper()
    own = infos.own.get("target")
    return own.upper() if isinstance(own, str) and own else "BM1684"


class _ScriptCompiler(Compiler):
    """Writes the compile script of a platform and runs it."""

    PLATFORM: ClassVar[str]

    def check_init(self) -> None:
        if self.platform != self.PLATFORM:
            raise AutosplitError(
                f"{self.graph_infos_path}: is of platform {self.platform}; "
                f"{type(self).__name__} compiles {self.PLATFORM} sub-models"
            )

    def generate_compiling_script(self, compile_info: CompileInfo) -> None:
        from autosplit.emit.compile_script import CompileJob, compile_script

        job = CompileJob(
            self.platform,
            compile_info["context_dir"],
            compile_info["model_info"],
            compile_info["input_names"],
            compile_info["output_names"],
            compile_info["input_shapes"],
            self.target,
            self.dynamic,
            self.optimize,
            self.compare,
        )
        self.script(compile_info).write_text(compile_script(job), encoding="utf-8")

    def script(self, compile_info: CompileInfo) -> Path:
        """The path of a sub-model's script."""
        from autosplit.emit.compile_script import script_name

        return Path(self.folder) / script_name(compile_info["context_dir"])

    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        script = self.script(compile_info)
        try:
            done = subprocess.run(
                [sys.executable, script.name],
                cwd=self.folder,
                timeout=TIMEOUT,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise AutosplitError(f"{script}: was not done after {TIMEOUT} s") from None
        if done.returncode == 0:
            return
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise AutosplitError(f"{script}: ended with exit code {done.returncode}: {last}")


class TensorflowCompiler(_ScriptCompiler):
    """bmnett."""

    PLATFORM = "tensorflow"


class OnnxCompiler(_ScriptCompiler):
    """bmneto."""

    PLATFORM = "onnx"


class MxnetCompiler(_ScriptCompiler):
    """bmnetm."""

    PLATFORM = "mxnet"


class CaffeCompiler(_ScriptCompiler):
    """bmnetc."""

    PLATFORM = "caffe"


class PytorchCompiler(_ScriptCompiler):
    """bmnetp."""

    PLATFORM = "pytorch"
