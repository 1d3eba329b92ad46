"""The `Compiler` classes: each encapsulates one compiler for a folder's TPU sub-models.

`Compiler` walks the folder; a subclass says how one sub-model is compiled. `TpuMlirCompiler` is what
`autosplit convert` uses. The others, one for each framework, write the script `compile_to_<context_dir>.py`,
which calls the vendor's older compiler, and run it in a process of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autosplit.flows.convert.compiler import CompileInfo, Compiler
from autosplit.flows.converting.options import TIMEOUT, ConvertOptions
from autosplit.flows.converting.source import check_options, choose_chip


class TpuMlirCompiler(Compiler):
    """TPU-MLIR, for sub-models of every framework that autosplit reads.

    `mode`: F32, F16, BF16 or INT8; `data`: samples for calibrating INT8, as `--data` takes them. A failed
    sub-model does not keep the others from being compiled.
    """

    def __init__(
        self,
        folder: str | Path,
        optimize: int | None = None,
        compare: bool = False,
        target: str = "BM1682",
        mode: str = "",
        data: Sequence[str] = (),
        timeout: float = TIMEOUT,
    ):
        self.mode = mode
        self.data = tuple(data)
        self.timeout = timeout
        super().__init__(folder, optimize, compare, target)

    def check_init(self) -> None:
        self.mode = self.mode or self.infos.mode
        options = self.options(None)
        check_options(options)
        choose_chip(self.infos, options)

    def options(self, only: Sequence[int] | None) -> ConvertOptions:
        """What is asked of `convert_folder`, for all sub-models or for some."""
        return ConvertOptions(
            Path(self.folder),
            self.target,
            self.mode,
            self.data,
            optimize=self.optimize,
            compare=self.compare,
            timeout=self.timeout,
            only=only,
        )

    def compile_to_bm_models(self) -> None:
        """Compiles all TPU sub-models, several at a time."""
        from autosplit.flows.convert.folder import convert_folder

        convert_folder(self.options(None)).check()

    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        """Compiles one sub-model; its script is written with the rest of what is compiled."""
        from autosplit.flows.convert.folder import convert_folder

        places = [graph.context_dir for graph in self.infos.graphs]
        convert_folder(self.options([places.index(compile_info["context_dir"])])).check()
