"""`autosplit convert` and `autosplit deploy`: the TPU sub-models of a folder, or of a model, as bmodels."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.devices.builds import split_mode
from autosplit.tools.cli import applies
from autosplit.tools.cli.inputs import add_batches_option

if TYPE_CHECKING:
    from autosplit.flows.converting.options import ConvertOptions, ConvertResult
    from autosplit.folder.compilation import Measure


MODEL_HELP = (
    "an .onnx file, a frozen .pb, the folder of a SavedModel, a NAME-symbol.json, a .prototxt "
    "or a .pt2"
)

STATES = {"taken": "from an earlier run", "constant": "constants only, needs no bmodel"}
"""How tables describe the state of a sub-model; other states are their own description."""


WRITTEN = {"compiled": "wrote", "refused": "set aside as", "accepted": "accepted as"}
"""By state, the words in front of a bmodel's file."""


CALIBRATOR_NAMES = ("minmax", "moving-average", "percentile", "histogram", "entropy")
"""As in `calibration.calibrators`, which needs numpy."""


def add_commands(
    commands: Any, add_split_options: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Adds both commands to the command line; `add_split_options` adds those of `split`."""
    _add_convert(commands)
    _add_deploy(commands, add_split_options)


def _add_convert(commands: Any) -> None:
    convert = commands.add_parser(
        "convert",
        help="compile the TPU sub-models of a folder",
        description="Compiles the TPU sub-models of a split folder to bmodels, "
        "graph_ir_N/compilation.bmodel. What an earlier run has compiled from the same, with the same "
        "options, is taken.",
        epilog="example: autosplit convert out --target BM1684X --mode F16 --compare",
        allow_abbrev=False,
    )
    convert.add_argument("folder", metavar="DIR", type=Path, help="what `autosplit split` wrote")
    convert.add_argument(
        "--target", metavar="CHIP",
        help="the TPU (default: that which the folder was split for). BM1682 exists with --compiler "
        "bmnet only",
    )  # fmt: skip
    convert.add_argument(
        "--mode", metavar="MODE", type=str.upper, default="",
        help="what the TPU computes in: F32, F16, BF16 or INT8 (default: that which the folder was split "
        "for); BM1684 has F32 and INT8. W8F16 and W4F16: F16, with weights of 8 or 4 bits in products of "
        "matrices; W4INT8 likewise",
    )  # fmt: skip
    convert.add_argument(
        "--dynamic",
        action="store_true",
        help="sizes may be smaller at run time than split was told",
    )
    convert.add_argument(
        "--accept", metavar="NAME", nargs="*",
        help="compile nothing, but take bmodels that --compare refused and set aside: those of the "
        "sub-models named, as in graph_0, or all",
    )  # fmt: skip
    add_preprocess_option(convert)
    add_custom_ops_option(convert, "in place of those that the folder holds")
    add_convert_options(convert)
    convert.set_defaults(action=do_convert)


def _add_deploy(
    commands: Any, add_split_options: Callable[[argparse.ArgumentParser], None]
) -> None:
    deploy = commands.add_parser(
        "deploy",
        help="split a model and compile its TPU sub-models",
        description="Cuts a model into sub-models for CPU and TPU and compiles those for the TPU to bmodels, "
        "in one step. Where nothing was compiled, nothing is written beside the log of the compiler.",
        epilog="example: autosplit deploy frozen_inference_graph.pb --input image_tensor=1,300,300,3 "
        "--target bm1684x --mode F16 -o out",
        allow_abbrev=False,
    )
    deploy.add_argument(
        "model",
        metavar="MODEL",
        type=Path,
        help=MODEL_HELP,
    )
    add_split_options(deploy)
    add_batches_option(deploy)
    add_convert_options(deploy)
    deploy.add_argument(
        "--force",
        action="store_true",
        help="replace what an earlier split left in DIR; refused where other files are in it",
    )
    deploy.add_argument(
        "-o", "--output-dir", dest="out", metavar="DIR", type=Path, required=True,
        help="where to write; must be missing or empty",
    )  # fmt: skip
    deploy.set_defaults(action=do_deploy)


def add_preprocess_option(parser: argparse.ArgumentParser) -> None:
    """`--preprocess`, of all commands that take pictures."""
    parser.add_argument(
        "--preprocess", metavar="[NAME:]KEY=VALUE,...", action="append", default=[],
        help="what becomes of pictures, for input NAME or for all: mean=, scale=: (x - mean) * scale of the "
        "bytes 0..255, numbers or fractions, one or one a channel, as in mean=124,116,104,scale=1/58; "
        "size=stretch|letterbox|crop, with pad= (the letterbox's bytes) or short= (scaled to before the "
        "crop); color=rgb|bgr; layout=nchw|nhwc. The folder keeps it",
    )  # fmt: skip


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """`--set`, of all commands that read models; `--fix` is its former name."""
    parser.add_argument(
        "--set", "--fix", metavar="NAME=VALUE", action="append", default=[], dest="fixed",
        help="make an input a constant of the model, as in sr=16000: a number, true, false or a .npy file. "
        "What depends on it alone is computed beforehand, an If on it is the branch that it takes, and it is "
        "not given any more",
    )  # fmt: skip


def add_custom_ops_option(parser: argparse.ArgumentParser, more: str) -> None:
    """`--custom-ops`, of all commands that run models. `more`: the end of the help."""
    parser.add_argument(
        "--custom-ops", metavar="LIBRARY", action="append", default=[],
        help="a shared library of ops that the framework does not have: custom ops for ONNX Runtime, or what "
        f"tf.load_op_library takes; {more}",
    )  # fmt: skip


def add_print_option(parser: argparse.ArgumentParser) -> None:
    """`--print-ir-after-all`, of all commands that run passes."""
    parser.add_argument(
        "--print-ir-after-all", action="store_true", help="show the IR behind each pass, on stderr"
    )


def add_convert_options(parser: argparse.ArgumentParser) -> None:
    """The options that `convert` and `deploy` share, and `split` does not have."""
    add = parser.add_argument
    add(
        "--data", metavar="[NAME=]PATH", action="append", default=[],
        help="samples of the model's inputs: a .npy, .npz or picture file or a folder of them; INT8 is "
        "calibrated with all, F16 learns what is too large for it, --compare takes the first 8. --preprocess "
        "says what becomes of pictures",
    )  # fmt: skip
    add(
        "--calibrator", choices=CALIBRATOR_NAMES, default="",
        help="the range of a value in INT8, as for quantize (default: histogram)",
    )  # fmt: skip
    add(
        "--correct-biases", action=argparse.BooleanOptionalAction, default=None,
        help="in INT8, have biases take back what rounding weights shifts results by in the mean over --data "
        "(default: yes, but not with --table)",
    )  # fmt: skip
    add(
        "--equalize", action=argparse.BooleanOptionalAction, default=None,
        help="in INT8, scale channels between two products so that weights are as large in front as behind "
        "(default: on BM1684, whose products have one step for all weights, and as --table was written)",
    )  # fmt: skip
    add(
        "--table", metavar="FILE", type=Path,
        help="a calibration table of TPU-MLIR, such as graph_ir_N/graph_N_calibration: the ranges of INT8 in "
        "place of those that --data would show",
    )  # fmt: skip
    add(
        "--quantize-table", metavar="FILE", type=Path,
        help="a quantize table of TPU-MLIR, as graph_ir_N/graph_N_quantize: which values are computed in "
        "F32, F16 or BF16 in a narrower mode",
    )  # fmt: skip
    add(
        "--f32", metavar="RE", action="append", default=[],
        help="ops to compute in F32 in a narrower mode, by a regular expression of their whole name or "
        "that of a value that they make; may be repeated",
    )  # fmt: skip
    add(
        "--target-cosine", metavar="X", type=float, default=0.0,
        help="as few ops as possible are computed in F16 (F32 on BM1684) in INT8, so that the outputs reach "
        "this cosine; with --compare, on the emulator",
    )  # fmt: skip
    _add_build_options(parser)
    _add_compare_options(parser)
    add("--jobs", metavar="N", type=int, help="sub-models compiled at a time (default: one a core)")
    add(
        "--compiler", choices=["tpu-mlir", "bmnet"], default="tpu-mlir",
        help="tpu-mlir, or the vendor's older compilers, for which scripts are written that are run where "
        "these are installed (default: %(default)s)",
    )  # fmt: skip
    add(
        "--timeout", metavar="S", type=float, default=7200.0,
        help="seconds that compiling, and then running, one sub-model may take (default: %(default)g)",
    )  # fmt: skip
    add_print_option(parser)


def _add_compare_options(parser: argparse.ArgumentParser) -> None:
    """The options of the gate: what is compared with the CPU, and how near is near enough."""
    add = parser.add_argument
    add(
        "--compare", action="store_true",
        help="run each bmodel on the chip's emulator and compare with the CPU; fails where it is too far off",
    )  # fmt: skip
    add(
        "--samples", metavar="N", type=int, default=8,
        help="how many samples of --data are compared at most; without data as many random ones "
        "(default: %(default)d)",
    )  # fmt: skip
    add(
        "--tolerance", metavar="OUTPUT=NUMBER", action="append", default=[],
        help="the largest relative error of an output of a TPU sub-model, in place of what the mode allows, "
        "with any cosine; may be repeated",
    )  # fmt: skip
    add(
        "--metric", metavar="FILE.py:NAME|KIND", default="",
        help="let the whole model decide, not each output: a function of two lists, of what the folder and "
        "what the CPU alone makes of each sample (outputs by name), as for quantize; or top1[:OUTPUT], "
        "text[:OUTPUT], boxes:OUTPUT or boxes:BOXES,SCORES. In INT8, ops are computed in F16 (F32 on BM1684) "
        "where that needs it, unless it is said which",
    )  # fmt: skip
    add(
        "--target-metric", metavar="NUMBER", type=float, default=0.0,
        help="what --metric must reach (default: 1 for top1 and text, 0.8 for boxes)",
    )  # fmt: skip


def _tolerances(texts: Sequence[str]) -> dict[str, float]:
    """The tolerances of `--tolerance`, by output."""
    tolerances: dict[str, float] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            tolerances[name] = float(number)
        except ValueError:
            name = ""
        if not name or not tolerances[name] >= 0:
            raise AutosplitError(
                f"--tolerance {text}: expected OUTPUT=NUMBER, the largest relative error"
            )
    return tolerances


def _add_build_options(parser: argparse.ArgumentParser) -> None:
    """The options of the tool chain."""
    add = parser.add_argument
    add(
        "--optimize", metavar="LEVEL", type=int, choices=[1, 2, 3],
        help="the compiler's optimization level, 1 to 3 (default: 2)",
    )  # fmt: skip
    add(
        "--cores", metavar="N", type=int, default=1,
        help="how many of the chip's cores work on a run; BM1688 has 2 (default: %(default)d)",
    )  # fmt: skip
    add(
        "--asymmetric",
        action="store_true",
        help="ranges in INT8 need not have 0 in their middle; not on BM1684",
    )
    add(
        "--one-file",
        action="store_true",
        help="put all bmodels into sub_models.bmodel too, whose networks share the chip's kernel module; run "
        "takes it then; not on BM1684",
    )
    add(
        "--io", choices=["int8"], default="",
        help="let the model's own inputs and outputs be the 8-bit integers that bmodels hold, in INT8; "
        "autosplit.compiled in graph_infos.json has their scales",
    )  # fmt: skip
    add(
        "--fuse-preprocess", metavar="rgb|bgr", nargs="?", const="rgb", default="",
        help="bmodels take the bytes of pictures at the input's size, as 1xHxWx3 in this order (default: "
        "rgb), and do what --preprocess says of mean, scale, color and layout; not on BM1684",
    )  # fmt: skip


def convert_options(
    args: argparse.Namespace, folder: Path, progress: Callable[[str], None]
) -> ConvertOptions:
    """The options of `convert` and `deploy`."""
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.flows.quantizing.metrics import as_metric, target_of
    from autosplit.inputs.custom_ops import libraries
    from autosplit.inputs.preprocess import parse_options
    from autosplit.tools.cli.inputs import ir_printer

    metric = as_metric(args.metric)
    mode, bits = split_mode(args.mode)
    return ConvertOptions(
        folder=folder,
        target=args.target,
        mode=mode,
        data=args.data,
        calibrator=args.calibrator,
        correct_biases=args.correct_biases,
        equalize=args.equalize,
        table=args.table,
        quantize_table=args.quantize_table,
        f32=args.f32,
        target_cosine=args.target_cosine,
        preprocess=parse_options(args.preprocess),
        optimize=args.optimize,
        cores=args.cores,
        weight_bits=bits,
        asymmetric=args.asymmetric,
        fuse_preprocess=args.fuse_preprocess,
        io=args.io,
        one_file=args.one_file,
        compare=args.compare,
        samples=args.samples,
        tolerance=_tolerances(args.tolerance),
        metric=metric,
        target_metric=target_of(metric, args.target_metric),
        dynamic=args.dynamic,
        jobs=args.jobs,
        compiler=args.compiler,
        timeout=args.timeout,
        custom_ops=libraries(args.custom_ops),
        progress=progress,
        show=ir_printer(args),
        note=print,
    )


def do_convert(args: argparse.Namespace) -> int:
    """`autosplit convert`."""
    from autosplit.flows.convert.accept import accept
    from autosplit.flows.convert.folder import convert_folder
    from autosplit.flows.converting.options import UNSET_TARGET
    from autosplit.tools.cli.ui import Progress

    applies.check_convert(args)
    if args.accept is not None:
        show_result(accept(args.folder, args.accept))
        return 0
    # In Python, this default means that no target is set; on the command line, it means the chip.
    if args.compiler == "tpu-mlir" and (args.target or "").upper() == UNSET_TARGET:
        raise AutosplitError(
            f"--target {args.target}: TPU-MLIR has no such chip; the vendor's older compilers have, with "
            "--compiler bmnet"
        )
    with Progress() as progress:
        result = convert_folder(convert_options(args, args.folder, progress))
    show_result(result)
    result.check()
    return 0


def do_deploy(args: argparse.Namespace) -> int:
    """`autosplit deploy`."""
    from autosplit.flows.deploy import deploy_model
    from autosplit.tools.cli.inputs import options_of
    from autosplit.tools.cli.report import fallbacks, show_plan
    from autosplit.tools.cli.ui import Progress

    applies.check_convert(args)
    out: Path = args.out
    with Progress() as progress:
        conversion = convert_options(args, out, progress)
        split = replace(options_of(args, progress), mode=conversion.mode)
        deployed = deploy_model(split, conversion)
    explanation = deployed.explanation
    show_plan(explanation)
    if line := fallbacks(explanation):
        print(f"{line}; `autosplit explain {out}` says more")
    print()
    result = deployed.converted
    if result.graphs:
        for note in deployed.notes:
            print(note)
    show_result(result)
    if not result.graphs:
        print(f"no sub-model is for the {result.chip.upper()}, so nothing was compiled")
    print(f"wrote {out}")
    result.check()
    return 0


def show_result(result: ConvertResult) -> None:
    """Prints the bmodels, and how far they are from the CPU's results where that was compared."""
    from autosplit.core.units import size
    from autosplit.tools.cli.report import show_costs
    from autosplit.tools.cli.ui import show_table

    if not result.graphs:
        return
    rows = [
        (
            graph.name,
            f"{result.chip} {result.mode}",
            STATES.get(graph.state, graph.state),
            f"{graph.seconds:.1f} s" if graph.seconds else "",
            size(graph.size) if graph.size else "",
        )
        for graph in result.graphs
    ]
    columns = ("sub-model", "for", "", "time", "bmodel")
    show_table("Bmodels", columns, rows, right=columns[3:])
    show_costs({graph.name: graph.cost for graph in result.graphs})
    show_comparison(result)
    written = [graph for graph in result.graphs if graph.state in WRITTEN]
    print()
    for graph in written:
        print(f"{WRITTEN[graph.state]} {graph.bmodel}")
    if result.one_file is not None:
        print(f"wrote {result.one_file}, {size(result.one_file.stat().st_size)}, with all of them")
    if not written and not result.failed:
        print(
            f"{result.folder}: nothing to compile, all bmodels are from the same sub-models and options"
        )


def _show_figures(title: str, measures: Sequence[tuple[str, str, Measure]]) -> None:
    """Prints, for each output, its sub-model, the worst of all samples, and their mean."""
    from autosplit.tools.cli.ui import show_table

    samples = max(m.samples for _, _, m in measures)
    several = samples > 1
    mean = ["mean"] * several
    columns = ("cosine", *mean, "max abs error", *mean, "relative error", *mean)
    rows = [
        (
            graph,
            name,
            *_worst_and_mean(m.cosine, m.mean_cosine, ".6f", several),
            *_worst_and_mean(m.maximum, m.mean_maximum, ".3g", several),
            *_worst_and_mean(m.relative, m.mean_relative, ".3g", several),
        )
        for graph, name, m in measures
    ]
    title += f": the worst of {counted(samples, 'sample')}, and their mean" * several
    show_table(title, ("sub-model", "output", *columns), rows, right=columns, flexible=("output",))


def _worst_and_mean(worst: float, mean: float, form: str, several: bool) -> tuple[str, ...]:
    return (f"{worst:{form}}", f"{mean:{form}}") if several else (f"{worst:{form}}",)


def _show_score(result: ConvertResult) -> None:
    """Prints the metric of the whole model."""
    if result.score is None:
        print(f"{result.metric}: not compared, as not every sub-model was compiled")
        return
    print(
        f"{result.metric} of the whole model: {result.score:.5g}, expected {result.target_metric:g}; the "
        "outputs of sub-models decide nothing then"
    )


def show_comparison(result: ConvertResult) -> None:
    """Prints, for each output that was compared, the figures, and what the mode allows."""
    from autosplit.core.tolerances import EXTREME, TOLERANCES

    measures = [(g.name, name, m) for g in result.graphs for name, m in g.comparison.items()]
    if not measures:
        return
    allowed = TOLERANCES[result.mode]
    print()
    _show_figures("The emulator compared with the CPU", measures)
    print()
    if result.metric:
        _show_score(result)
        return
    print(
        f"{result.mode} allows cosines from {allowed.cosine:g} and relative errors up to "
        f"{allowed.relative:g} on average, {EXTREME * allowed.relative:g} at most"
    )
    for name, limit in result.tolerance.items():
        print(f"--tolerance allows a relative error of {limit:g} for {name!r}")
    small = [
        name
        for graph in result.graphs
        for name, m in graph.comparison.items()
        if not graph.error
        and name not in result.tolerance
        and graph.state != "accepted"
        and (m.cosine < allowed.cosine or m.relative > allowed.relative)
    ]
    if small:
        more = f", as are {len(small) - 1} more," if small[1:] else ""
        print(
            f"{small[0]!r} is further off{more} but by no more than the CPU itself rounds: its numbers are "
            "all near 0 here; --data on which they are larger says more"
        )
