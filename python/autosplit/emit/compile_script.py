"""compile_to_graph_ir_N.py: the historic BMCompiler call for a TPU sub-model, as a script of its own.

The scripts need Python and the vendor's compiler only. All names in them are data, written with `repr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from autosplit.emit.graph_folder import BMODEL_NAME, context_dir
from autosplit.emit.graph_infos import (
    Outline,
    is_dynamic,
    model_info,
    plan_of,
    planned_measurements,
    platform_name,
    shape_of,
)
from autosplit.errors import AutosplitError
from autosplit.platforms import Measured


@dataclass(frozen=True)
class BmCompiler:
    """One of the vendor's compilers: its Python module and how AutoSplit calls it."""

    module: str
    prefix: str
    """What networks that it compiles are called: `auto_<prefix>_<folder>_<context_dir>`."""
    call: tuple[str, ...]
    """The arguments of `compile`, each `name` or `keyword=name`; the names are those of the script."""


_COMMON = ("outdir", "target", "shapes", "net_name")

COMPILERS = {
    "tensorflow": BmCompiler(
        "bmnett",
        "tf",
        (
            "model",
            "outdir",
            "target",
            "input_names",
            "output_names",
            "shapes",
            "net_name",
            "dyn=dyn",
        ),
    ),
    "onnx": BmCompiler(
        "bmneto",
        "onnx",
        (
            *(f"{name}={name}" for name in ("model", *_COMMON, "input_names", "output_names")),
            "opt=opt",
            "dyn=dyn",
            "cmp=cmp",
        ),
    ),
    "mxnet": BmCompiler(
        "bmnetm",
        "mxnet",
        (
            "model",
            "weight",
            *_COMMON,
            "input_names=input_names",
            "opt=opt",
            "dyn=dyn",
            "cmp=cmp",
        ),
    ),
    "caffe": BmCompiler(
        "bmnetc",
        "caffe",
        ("model", "weight", "outdir", "target", "net_name=net_name", "dyn=dyn"),
    ),
    "pytorch": BmCompiler(
        "bmnetp",
        "pytorch",
        ("model", "shapes", "net_name", "outdir", "target", "opt=opt", "cmp=cmp", "dyn=dyn"),
    ),
}
"""By platform. bmnett, bmnetc: optimize and compare are not passed on, as AutoSplit never did."""

MODEL_KEYS = {
    "model": ("model_path", "json", "proto", "pth_path"),
    "weight": ("params", "weight"),
}
"""The keys of `model_info` that hold the arguments `model` and `weight`."""


@dataclass(frozen=True)
class CompileJob:
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


def script_name(context_dir: str) -> str:
    """The file name of the script that compiles into `context_dir`."""
    return f"compile_to_{context_dir}.py"


def compile_script(job: CompileJob) -> str:
    """The text of the script.

    Raises AutosplitError for a platform that has no BMCompiler, and for a shape that is not fully known.
    """
    compiler = COMPILERS.get(job.platform)
    if compiler is None:
        raise AutosplitError(
            f"platform {job.platform!r} has no BMCompiler; there is one for {', '.join(COMPILERS)}"
        )
    for name, shape in zip(job.input_names, job.shapes, strict=True):
        if any(d < 0 for d in shape):
            raise AutosplitError(
                f"input {name!r} of the TPU sub-model in {job.context_dir} has the shape "
                f"{list(shape)}: the compiler needs all sizes"
            )
    values = _values(job, compiler)
    # Each argument ends with the name of the variable that holds it.
    used = {argument.split("=")[-1] for argument in compiler.call} | {"outdir"}
    settings = "".join(f"{name} = {text}\n" for name, text in values.items() if name in used)
    call = "".join(f"        {argument},\n" for argument in compiler.call)
    return _TEMPLATE.format(
        module=compiler.module,
        settings=settings,
        call=call,
        bmodel=BMODEL_NAME,
    )


def _values(job: CompileJob, compiler: BmCompiler) -> dict[str, str]:
    """The script's variables, as Python text."""
    values = {
        name: repr(found)
        for name, keys in MODEL_KEYS.items()
        if (found := next((job.model_info[k] for k in keys if k in job.model_info), None))
        is not None
    }
    if "model" not in values:
        raise AutosplitError(
            f"the TPU sub-model in {job.context_dir} names no model file: "
            f"expected one of {', '.join(MODEL_KEYS['model'])} in its model_info"
        )
    values.setdefault("weight", "None")
    values["outdir"] = repr(job.context_dir)
    values["target"] = repr(job.target)
    values["input_names"] = _list(repr(name) for name in job.input_names)
    values["output_names"] = _list(repr(name) for name in job.output_names)
    values["shapes"] = _list(repr(list(shape)) for shape in job.shapes)
    # The folder's own name is part of the network's, and may change after the script was written.
    values["net_name"] = (
        f"{f'auto_{compiler.prefix}_'!r} + os.path.basename(os.getcwd()) + {'_' + job.context_dir!r}"
    )
    values["opt"] = repr(2 if job.optimize is None else job.optimize)
    values["dyn"] = repr(bool(job.dynamic))
    values["cmp"] = repr(bool(job.compare))
    return values


def _list(items: Iterable[str]) -> str:
    lines = "".join(f"    {item},\n" for item in items)
    return f"[\n{lines}]"


_TEMPLATE = '''\
"""Compiles one sub-model of a split for the TPU, with {module}."""

import os
import sys

os.chdir(os.path.dirname(os.path.abspath(__file__)))

{settings}

def main():
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
) -> dict[int, CompileJob]:
    """What there is to compile in an outlined module: for each TPU sub-model, by its place in the order.

    `dynamic` and `measured` as for `autosplit.emit.graph_infos.graph_infos`.
    """
    outline = Outline.of(module)
    plan = plan_of(module)
    known = {**planned_measurements(plan), **(measured or {})}
    platform = platform_name(module)
    dynamic = is_dynamic(plan) if dynamic is None else dynamic
    found: dict[int, CompileJob] = {}
    for i, func in enumerate(outline.graphs):
        if not func.target.is_tpu:
            continue
        names = [n.data for n in func.input_names]
        shapes = [shape_of(outline.tensors[n], known.get(n)) for n in names]
        found[i] = CompileJob(
            platform,
            context_dir(i),
            model_info(func, i, platform),
            names,
            [n.data for n in func.output_names],
            [[-1] if shape is None else shape for shape in shapes],
            func.target.chip.data.upper(),
            dynamic,
        )
    return found


@dataclass(frozen=True)
class CompileScriptTarget(Target):
    """The compile script of TPU sub-model `graph` of an outlined module; by default of the first one."""

    name = "compile-script"

    graph: int | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        found = jobs(module)
        chosen = next(iter(found), None) if self.graph is None else self.graph
        if chosen not in found:
            known = ", ".join(map(str, found)) or "none"
            what = "no TPU sub-model" if chosen is None else f"graph {chosen} is no TPU sub-model"
            raise AutosplitError(f"{what} in the module; TPU sub-models are {known}")
        output.write(compile_script(found[chosen]))
