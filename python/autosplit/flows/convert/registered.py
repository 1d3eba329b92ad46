"""The compilers that other packages register for sub-models of a platform."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.compiler import Compiler
from autosplit.flows.converting.options import UNSET_TARGET, Converted, ConvertResult
from autosplit.flows.converting.source import wanted_graphs
from autosplit.registry import added, load_added

if TYPE_CHECKING:
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.folder.infos_reader import GraphEntry, GraphInfos


def compiler_class(platform: str) -> type[Compiler] | None:
    """The class that a package registers for the sub-models of a platform; None where none does."""
    points = added("compilers", ())
    if platform not in points:
        return None
    loaded = load_added(points[platform])
    if not (isinstance(loaded, type) and issubclass(loaded, Compiler)):
        raise AutosplitError(
            f"the entry point {platform} of autosplit.compilers is {loaded!r}, expected a subclass of "
            "Compiler"
        )
    return loaded


def convert_registered(
    infos: GraphInfos, options: ConvertOptions, kind: type[Compiler]
) -> ConvertResult:
    """Compiles the TPU sub-models of a folder with a compiler of another package."""
    target = options.target or UNSET_TARGET
    compiler = kind(options.folder, options.optimize, options.compare, target)
    result = ConvertResult(options.folder, compiler.target.lower(), options.mode, kind.__name__)
    for graph in wanted_graphs(infos, options.only):
        options.progress(f"compiling graph_{graph.index} with {kind.__name__}")
        result.graphs.append(_compiled(infos, graph, compiler))
    return result


def _compiled(infos: GraphInfos, graph: GraphEntry, compiler: Compiler) -> Converted:
    converted = Converted(f"graph_{graph.index}", "compiled", infos.bmodel(graph))
    place = converted.bmodel.parent
    existed = place.exists()
    converted.bmodel.unlink(missing_ok=True)
    info = compiler.compile_info(graph)
    try:
        compiler.generate_compiling_script(info)
        compiler.compile_model_using_bmcompiler(info)
        if not converted.bmodel.is_file():
            raise AutosplitError(f"{type(compiler).__name__} wrote no {converted.bmodel}")
        converted.size = converted.bmodel.stat().st_size
    except AutosplitError as error:
        converted.state, converted.error = "failed", f"{graph.label}: {error}"
    finally:
        # Nothing half-made is left, whatever the compiler raised.
        if not converted.size and not existed:
            shutil.rmtree(place, ignore_errors=True)
    return converted
