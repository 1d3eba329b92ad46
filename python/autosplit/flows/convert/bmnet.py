"""The vendor's older compilers, one for each framework, behind the face of `Compiler`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.compiler import CompileInfo, Compiler, chosen_target
from autosplit.flows.converting.options import TIMEOUT, Converted, ConvertResult
from autosplit.flows.converting.source import wanted_graphs
from autosplit.folder.compiled import known_names, make_staging, note_compiled, usable, writing
from autosplit.folder.infos_reader import BMODEL_NAME, GraphInfos, context_dir
from autosplit.toolchains.children import Children

if TYPE_CHECKING:
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.folder.bmnet_script import BmnetJob


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
                message = done.last_line or "no message"
                raise AutosplitError(f"{script}: ended with exit code {done.code}: {message}")
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

    def _install(self, source: Path, compile_info: CompileInfo) -> None:
        """Moves the compiler's files into the folder, the bmodel last."""
        index = self._index(compile_info)
        wanted_graphs(self.infos, None)
        place = Path(self.folder) / compile_info["context_dir"]
        files = sorted(p for p in source.iterdir() if p.is_file() and not p.is_symlink())
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

    A folder of the original AutoSplit keeps its form.
    """
    if infos.own:
        note_compiled(infos.folder, index, usable(infos.folder / context_dir(index)))


def convert_with_bmnet(infos: GraphInfos, options: ConvertOptions) -> ConvertResult:
    """What `convert --compiler bmnet` does: writes the historic scripts, and runs them where it can."""
    from autosplit.folder.bmnet_script import TARGETS

    target = (options.target or chosen_target(infos, "BM1682")).upper()
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
    compiler_class = next((c for c in BMNET_COMPILERS if infos.platform == c.PLATFORM), None)
    if compiler_class is None:
        platforms = ", ".join(c.PLATFORM for c in BMNET_COMPILERS)
        raise AutosplitError(
            f"{infos.folder}: is of platform {infos.platform!r}; there is a compiler for {platforms}"
        )
    compiler = compiler_class(options.folder, options.optimize, options.compare, target)
    # A chip that is named is meant, whatever the default stands for.
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
        converted = Converted(f"graph_{graph.index}", "compiled", infos.bmodel(graph))
        try:
            compiler.compile_model_using_bmcompiler(info)
            converted.size = converted.bmodel.stat().st_size
        except AutosplitError as error:
            converted.state, converted.error = "failed", str(error)
        _note(infos, graph.index)
        result.graphs.append(converted)
    if not installed:
        options.note(
            f"wrote {', '.join(scripts)} in {options.folder}; run them where {compiler.module} of the "
            "vendor's SDK is installed"
        )
    return result
