"""The `Compiler` classes: each encapsulates one compiler for a folder's TPU sub-models.

`Compiler` walks the folder; a subclass says how one sub-model is compiled. `TpuMlirCompiler` is what
`autosplit convert` uses. The others, one for each framework, write the script `compile_to_<context_dir>.py`,
which calls the vendor's older compiler, and run it in a process of its own.
"""

from __future__ import annotations

import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypedDict

from autosplit.core.errors import AutosplitError
from autosplit.folder.infos_reader import BMODEL_NAME, FILE_NAME, Graph, GraphInfos, context_dir

if TYPE_CHECKING:
    from autosplit.flows.convert.folder import ConvertOptions, ConvertResult
    from autosplit.folder.bmnet_script import BmnetJob

TIMEOUT = 7200.0
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
        from autosplit.flows.convert.folder import check_options, choose_chip

        self.mode = self.mode or self.infos.mode
        options = self.options(None)
        check_options(options)
        choose_chip(self.infos, options)

    def options(self, only: Sequence[int] | None) -> ConvertOptions:
        """What is asked of `convert_folder`, for all sub-models or for some."""
        from autosplit.flows.convert.folder import ConvertOptions

        return ConvertOptions(
            Path(self.folder),
            self.target,
            self.mode,
            self.data,
            self.optimize,
            self.compare,
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


class BmnetCompiler(Compiler):
    """Writes the script for one of the vendor's older compilers, and runs it."""

    PLATFORM: ClassVar[str]

    timeout: float = TIMEOUT
    mode: str = "F32"
    """`INT8` means bmnetu, which compiles what the vendor's calibration made of the sub-model."""

    def check_init(self) -> None:
        if self.platform != self.PLATFORM:
            raise AutosplitError(
                f"{self.graph_infos_path}: is of platform {self.platform}; "
                f"{type(self).__name__} compiles {self.PLATFORM} sub-models"
            )

    def generate_compiling_script(self, compile_info: CompileInfo) -> None:
        """Writes the script into the folder, in place of one that lies there."""
        from autosplit.folder.compiled import writing

        path = self.script(compile_info)
        with writing(path):
            # What lies there may be a link to something else.
            path.unlink(missing_ok=True)
            path.write_text(self.script_text(compile_info), encoding="utf-8")

    def script_text(self, compile_info: CompileInfo) -> str:
        """The script of a sub-model."""
        from autosplit.folder.bmnet_script import bmnet_script

        return bmnet_script(self.job(compile_info))

    def job(self, compile_info: CompileInfo) -> BmnetJob:
        """What the script of a sub-model says."""
        from autosplit.folder.bmnet_script import BmnetJob

        return BmnetJob(
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
            self.mode,
        )

    def script(self, compile_info: CompileInfo) -> Path:
        """The path of a sub-model's script."""
        from autosplit.folder.compile_script import script_name

        return Path(self.folder) / script_name(compile_info["context_dir"])

    @property
    def module(self) -> str:
        """The Python module of the vendor's compiler."""
        from autosplit.folder.bmnet_script import COMPILERS, INT8

        return (INT8 if self.mode == "INT8" else COMPILERS[self.PLATFORM]).module

    def is_installed(self) -> bool:
        """Whether a script would find the vendor's compiler."""
        from autosplit.toolchains.children import Children

        code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({self.module!r}) is None)"
        command = [sys.executable, "-P", "-c", code]
        return Children().run(command, Path(sys.prefix), self.environment(), 60).code == 0

    def environment(self) -> dict[str, str]:
        """The environment of a script, in which Python imports nothing from the folder."""
        own = Path(self.folder).resolve()
        paths = [Path(p).resolve() for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
        kept = [str(path) for path in paths if not path.is_relative_to(own)]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(kept)}

    def compile_model_using_bmcompiler(self, compile_info: CompileInfo) -> None:
        """Runs a newly made script on a copy of the sub-model, and takes over what it leaves.

        Raises AutosplitError with the last line that the script says where it fails.
        """
        from autosplit.folder.bmnet_script import MODEL_KEYS
        from autosplit.folder.compiled import make_staging
        from autosplit.toolchains.children import Children

        script = self.script(compile_info)
        staging = make_staging(Path(self.folder), self._index(compile_info))
        try:
            # The networks are called after the folder.
            inner = staging / Path(self.folder).name
            inner.mkdir()
            for key in (key for keys in MODEL_KEYS.values() for key in keys):
                if (name := compile_info["model_info"].get(key)) is not None:
                    (inner / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(Path(self.folder) / name, inner / name)
            copy = inner / script.name
            copy.write_text(self.script_text(compile_info), encoding="utf-8")
            command = [sys.executable, "-P", copy.name]
            done = Children().run(command, inner, self.environment(), self.timeout)
            if done.timed_out:
                raise AutosplitError(f"{script}: was not done after {self.timeout:g} s")
            if done.code != 0:
                said = done.last_line or "no message"
                raise AutosplitError(f"{script}: ended with exit code {done.code}: {said}")
            self._install(inner / compile_info["context_dir"], compile_info)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _index(self, compile_info: CompileInfo) -> int:
        places = [graph.context_dir for graph in self.infos.graphs]
        index = places.index(compile_info["context_dir"])
        if places[index] != context_dir(index):
            raise AutosplitError(
                f"{self.graph_infos_path}: context_dir of graph {index} is {places[index]!r}, expected "
                f"{context_dir(index)!r}"
            )
        return index

    def _install(self, made: Path, compile_info: CompileInfo) -> None:
        """Moves the compiler's files into the folder, the bmodel last."""
        from autosplit.flows.convert.folder import wanted_graphs
        from autosplit.folder.compiled import known_names, writing

        index = self._index(compile_info)
        wanted_graphs(self.infos, None)
        place = Path(self.folder) / compile_info["context_dir"]
        files = sorted(p for p in made.iterdir() if p.is_file() and not p.is_symlink())
        with writing(place):
            place.mkdir(exist_ok=True)
            for name in known_names(index):
                (place / name).unlink(missing_ok=True)
            for file in sorted(files, key=lambda p: p.name == BMODEL_NAME):
                file.replace(place / file.name)


class TensorflowCompiler(BmnetCompiler):
    """bmnett."""

    PLATFORM = "tensorflow"


class OnnxCompiler(BmnetCompiler):
    """bmneto."""

    PLATFORM = "onnx"


class MxnetCompiler(BmnetCompiler):
    """bmnetm."""

    PLATFORM = "mxnet"


class CaffeCompiler(BmnetCompiler):
    """bmnetc."""

    PLATFORM = "caffe"


class PytorchCompiler(BmnetCompiler):
    """bmnetp."""

    PLATFORM = "pytorch"


BMNET_COMPILERS: tuple[type[BmnetCompiler], ...] = (
    TensorflowCompiler,
    OnnxCompiler,
    MxnetCompiler,
    CaffeCompiler,
    PytorchCompiler,
)


def _note(infos: GraphInfos, index: int) -> None:
    """Notes the new script, and what the bmodel beside it was compiled from as far as that is known.

    A folder of the original keeps the form that it has.
    """
    from autosplit.folder.compiled import note_compiled, usable

    if infos.own:
        note_compiled(infos.folder, index, usable(infos.folder / context_dir(index)))


def convert_with_bmnet(infos: GraphInfos, options: ConvertOptions) -> ConvertResult:
    """What `convert --compiler bmnet` does: writes the historic scripts, and runs them where it can."""
    from autosplit.flows.convert.folder import Converted, ConvertResult, wanted_graphs
    from autosplit.folder.bmnet_script import TARGETS

    target = (options.target or _choose_target(infos, "BM1682")).upper()
    if target not in TARGETS:
        raise AutosplitError(
            f"target {target}: the vendor's older compilers know {' and '.join(TARGETS)} only; leave out "
            "--compiler bmnet"
        )
    if options.mode not in ("F32", "INT8"):
        raise AutosplitError(
            f"mode {options.mode}: the vendor's older compilers compile F32 and INT8 only; leave out "
            "--compiler bmnet"
        )
    result = ConvertResult(options.folder, target.lower(), options.mode, options.compiler)
    if not (graphs := wanted_graphs(infos, options.only)):
        options.note(f"{options.folder}: has no TPU sub-model, so there is nothing to compile")
        return result
    found = next((c for c in BMNET_COMPILERS if infos.platform == c.PLATFORM), None)
    if found is None:
        known = ", ".join(c.PLATFORM for c in BMNET_COMPILERS)
        raise AutosplitError(
            f"{infos.folder}: is of platform {infos.platform!r}; there is a compiler for {known}"
        )
    compiler = found(options.folder, options.optimize, options.compare, target)
    # A chip that is asked for by name is that, whatever the default means.
    compiler.target, compiler.timeout, compiler.mode = target, options.timeout, options.mode
    compiler.dynamic = options.dynamic or infos.dynamic
    # The vendor's calibration comes between for INT8.
    installed = options.mode == "F32" and compiler.is_installed()
    scripts: list[str] = []
    for graph in graphs:
        info = compiler.compile_info(graph)
        compiler.generate_compiling_script(info)
        scripts.append(compiler.script(info).name)
        if not installed:
            _note(infos, graph.index)
            continue
        options.progress(f"compiling graph_{graph.index} with {compiler.module}")
        made = Converted(f"graph_{graph.index}", "compiled", infos.bmodel(graph))
        try:
            compiler.compile_model_using_bmcompiler(info)
            made.size = made.bmodel.stat().st_size
        except AutosplitError as error:
            made.state, made.error = "failed", str(error)
        _note(infos, graph.index)
        result.graphs.append(made)
    if not installed:
        options.note(
            f"wrote {', '.join(scripts)} in {options.folder}; run them where {compiler.module} of the "
            "vendor's SDK is installed"
        )
    return result
