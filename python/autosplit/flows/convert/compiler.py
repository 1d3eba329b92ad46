"""`Compiler`: encapsulates one compiler for a folder's TPU sub-models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TypedDict, cast

from autosplit.core.json import Json
from autosplit.devices import DEFAULT_CHIP
from autosplit.flows.converting.options import UNSET_TARGET
from autosplit.flows.converting.source import recorded_chip
from autosplit.folder.infos_reader import FILE_NAME, GraphEntry, GraphInfos


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

    Raises AutosplitError where the folder is not a valid split. A subclass implements
    `compile_model_using_bmcompiler`, and `check_init` and `generate_compiling_script` if it needs them.
    """

    def __init__(
        self,
        folder: str | Path,
        optimize: int | None = None,
        compare: bool = False,
        target: str = UNSET_TARGET,
    ):
        self.infos = GraphInfos.load(folder)
        self.folder = str(Path(folder).absolute())
        self.graph_infos_path = str(Path(self.folder) / FILE_NAME)
        self.optimize = optimize
        self.compare = compare
        self.target = chosen_target(self.infos, target)
        self.platform = self.infos.platform
        self.dynamic = self.infos.dynamic
        self.layout = self.infos.layout
        self.graph_infos = self.infos.document()
        """graph_infos.json as it stands, with the entries that it may leave out."""
        self.tensors = cast("dict[str, dict[str, Json]]", self.graph_infos["tensors"])
        """The entries of the tensors, by name."""
        self.check_init()

    def compile_to_bm_models(self) -> None:
        """Compiles each TPU sub-model, in order."""
        for graph in self.infos.graphs:
            if graph.device == "cpu":
                continue
            info = self.compile_info(graph)
            self.generate_compiling_script(info)
            self.compile_model_using_bmcompiler(info)

    def compile_info(self, graph: GraphEntry) -> CompileInfo:
        """What the other functions are told of a TPU sub-model."""
        return CompileInfo(
            context_dir=graph.context_dir or "",
            model_info=dict(graph.model_info),
            input_names=list(graph.inputs),
            input_shapes=[self._shape(name) for name in graph.inputs],
            output_names=list(graph.outputs),
        )

    def _shape(self, name: str) -> tuple[int, ...]:
        shape = self.infos.tensors[name].shape
        return (-1,) if shape is None else shape

    def check_init(self) -> None:  # noqa: B027 - optional
        """Raises where the folder or the arguments do not suit this compiler."""

    def generate_compiling_script(self, compile_info: CompileInfo) -> None:  # noqa: B027 - optional
        """Writes the script that compiles one sub-model, for compilers that have one."""

    @abstractmethod
    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        """Compiles one sub-model into `compile_info["context_dir"]`. Raises where that fails."""


def chosen_target(infos: GraphInfos, target: str) -> str:
    if target.upper() != UNSET_TARGET:
        return target.upper()
    return (recorded_chip(infos) or DEFAULT_CHIP).upper()
