"""compile_to_graph_ir_N.py for the vendor's older compilers: a BMCompiler call, as a script of its own.

The scripts need Python and the vendor's SDK only. All names in them are data, written with `repr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from autosplit.core.errors import AutosplitError
from autosplit.folder.compile_script import find_graph
from autosplit.folder.infos_reader import BMODEL_NAME, context_dir
from autosplit.folder.infos_writer import (
    Outline,
    is_dynamic,
    model_info,
    plan_of,
    planned_measurements,
    platform_name,
    shape_of,
)
from autosplit.platforms import Measured

TARGETS = ("BM1682", "BM1684")
"""The chips that these compilers know."""


@dataclass(frozen=True)
class BmCompiler:
    """One of the vendor's compilers: its Python module and what its `compile` takes."""

    module: str
    prefix: str
    """What networks that it compiles are called: `auto_<prefix>_<folder>_<context_dir>`."""
    arguments: tuple[str, ...]


_SHAPES = ("outdir", "target", "shapes", "net_name")
_OPTIONS = ("opt", "dyn", "cmp")

COMPILERS = {
    "tensorflow": BmCompiler(
        "bmnett", "tf", ("model", *_SHAPES, "input_names", "output_names", *_OPTIONS)
    ),
    "onnx": BmCompiler(
        "bmneto", "onnx", ("model", *_SHAPES, "input_names", "output_names", *_OPTIONS)
    ),
    "mxnet": BmCompiler("bmnetm", "mxnet", ("model", "weight", *_SHAPES, "input_names", *_OPTIONS)),
    # A .prototxt says the shapes itself.
    "caffe": BmCompiler(
        "bmnetc", "caffe", ("model", "weight", "outdir", "target", "net_name", *_OPTIONS)
    ),
    "pytorch": BmCompiler("bmnetp", "pytorch", ("model", *_SHAPES, *_OPTIONS)),
}
"""By platform."""

INT8 = BmCompiler("bmnetu", "int8", ("model", "weight", "prec", *_SHAPES, *_OPTIONS))
"""Compiles what the SDK's calibration (`ufw`) made of a model of any platform."""

MODEL_KEYS = {
    "model": ("model_path", "json", "proto", "pth_path"),
    "weight": ("params", "weight"),
}
"""The keys of `model_info` that hold the arguments `model` and `weight`."""


@dataclass(frozen=True)
class BmnetJob:
    """All that the script of one sub-model says."""

    platform: str
    context_dir: str
    model_info: Mapping[str, str]
    input_names: Sequence[str]
    output_names: Sequence[str]
    shapes: Sequence[Sequence[int]]
    target: str
    """The chip as the vendor's compilers spell it, `BM1684`."""
    dynamic: bool = False
    optimize: int | None = None
    compare: bool = False
    mode: str = "F32"
    """`F32`, or `INT8` for bmnetu."""


def compiler_of(job: BmnetJob) -> BmCompiler:
    """The compiler for a sub-model; AutosplitError if there is none."""
    compiler = COMPILERS.get(job.platform)
    if compiler is None:
        raise AutosplitError(
            f"platform {job.platform!r} has no BMCompiler; there is one for {', '.join(COMPILERS)}"
        )
    if job.mode not in ("F32", "INT8"):
        raise AutosplitError(f"BMCompilers compile F32 and INT8, not {job.mode}")
    compiler = INT8 if job.mode == "INT8" else compiler
    if job.target not in TARGETS:
        raise AutosplitError(
            f"{compiler.module} has no target {job.target}, only {' and '.join(TARGETS)}; "
            f"newer chips are TPU-MLIR's"
        )
    return compiler


def bmnet_script(job: BmnetJob) -> str:
    """The text of the script.

    Raises AutosplitError for a platform that has no BMCompiler, a chip or mode that it does not know, and a
    shape that is not fully known.
    """
    compiler = compiler_of(job)
    for name, shape in zip(job.input_names, job.shapes, strict=True):
        if any(d < 0 for d in shape):
            raise AutosplitError(
                f"input {name!r} of the TPU sub-model in {job.context_dir} has the shape "
                f"{list(shape)}: the compiler needs all sizes"
            )
    values = _values(job, compiler)
    used = {*compiler.arguments, "outdir"}
    settings = "".join(f"{name} = {text}\n" for name, text in values.items() if name in used)
    call = "".join(f"        {name}={name},\n" for name in compiler.arguments)
    files = ", ".join(name for name in ("model", "weight") if name in used)
    hint = _UMODEL_HINT if compiler is INT8 else "; split the model again"
    return _TEMPLATE.format(
        module=compiler.module,
        settings=settings,
        call=call,
        bmodel=BMODEL_NAME,
        files=files,
        hint=hint,
    )


_UMODEL_HINT = ": bmnetu compiles what the SDK makes of a model with ufw.tools and its calibration"


def _values(job: BmnetJob, compiler: BmCompiler) -> dict[str, str]:
    """The script's variables, as Python text."""
    values = {name: repr(file) for name, file in _files(job, compiler).items()}
    values["outdir"] = repr(job.context_dir)
    values["target"] = repr(job.target)
    values["input_names"] = _list(repr(name) for name in job.input_names)
    values["output_names"] = _list(repr(name) for name in job.output_names)
    values["shapes"] = _list(repr(list(shape)) for shape in job.shapes)
    # The folder's own name is part of the network's, and may change after the script was written.
    values["net_name"] = (
        f"{f'auto_{compiler.prefix}_'!r} + os.path.basename(os.getcwd()) + {'_' + job.context_dir!r}"
    )
    values["prec"] = repr("INT8")
    values["opt"] = repr(2 if job.optimize is None else job.optimize)
    values["dyn"] = repr(bool(job.dynamic))
    values["cmp"] = repr(bool(job.compare))
    return values


def _files(job: BmnetJob, compiler: BmCompiler) -> dict[str, str | None]:
    files = {
        name: next((job.model_info[k] for k in keys if k in job.model_info), None)
        for name, keys in MODEL_KEYS.items()
    }
    model = files["model"]
    if model is None:
        raise AutosplitError(
            f"the TPU sub-model in {job.context_dir} names no model file: "
            f"expected one of {', '.join(MODEL_KEYS['model'])} in its model_info"
        )
    if compiler is not INT8:
        return files
    stem = PurePath(model).stem
    return {"model": f"{stem}_deploy_int8_unique_top.prototxt", "weight": f"{stem}.int8umodel"}


def _list(items: Iterable[str]) -> str:
    lines = "".join(f"    {item},\n" for item in items)
    return f"[\n{lines}]"


_TEMPLATE = '''\
"""Compiles one sub-model of a split for the TPU, with {module} of the vendor's SDK.

Run it with the Python that has {module}; {bmodel} then lies in the folder `outdir`.
"""

import os
import sys

os.chdir(os.path.dirname(os.path.abspath(__file__)))

{settings}

def main():
    for file in [{files}]:
        if file is not None and not os.path.exists(file):
            sys.exit("%s is missing{hint}" % file)
    try:
        import {module}
    except ImportError as error:
        sys.exit(
            "{module} cannot be imported (%s): it comes with the vendor's SDK; "
            "install that, then run this script again" % error
        )
    bmodel = os.path.join(outdir, "{bmodel}")
    if os.path.isfile(bmodel):
        os.remove(bmodel)
    {module}.compile(
{call}    )
    if not os.path.isfile(bmodel):
        sys.exit("{module} ended without an error, but did not write %s" % bmodel)


if __name__ == "__main__":
    main()
'''


def jobs(
    module: ModuleOp,
    *,
    dynamic: bool | None = None,
    measured: Mapping[str, Measured] | None = None,
) -> dict[int, BmnetJob]:
    """What there is to compile in an outlined module: for each TPU sub-model, by its place in the order.

    `dynamic` and `measured` as for `autosplit.folder.infos_writer.graph_infos`.
    """
    outline = Outline.of(module)
    plan = plan_of(module)
    measurements = {**planned_measurements(plan), **(measured or {})}
    platform = platform_name(module)
    dynamic = is_dynamic(plan) if dynamic is None else dynamic
    by_index: dict[int, BmnetJob] = {}
    for i, func in enumerate(outline.graphs):
        if not func.target.is_tpu:
            continue
        names = [n.data for n in func.input_names]
        shapes = [shape_of(outline.tensors[n], measurements.get(n)) for n in names]
        by_index[i] = BmnetJob(
            platform,
            context_dir(i),
            model_info(func, i, platform),
            names,
            [n.data for n in func.output_names],
            [[-1] if shape is None else shape for shape in shapes],
            func.target.chip.data.upper(),
            dynamic,
        )
    return by_index


@dataclass(frozen=True)
class BmnetScriptTarget(Target):
    """The script that compiles TPU sub-model `graph` of an outlined module with one of the vendor's older
    compilers; by default of the first one.
    """

    name = "bmnet-script"

    graph: int | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        by_index = jobs(module)
        output.write(bmnet_script(by_index[find_graph(by_index, self.graph)]))
