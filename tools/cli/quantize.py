"""`autosplit quantize`: a float32 model and data in, an INT8 model out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted, first_of
from autosplit.tools.cli.convert import (
    CALIBRATOR_NAMES,
    MODEL_HELP,
    add_custom_ops_option,
    add_preprocess_option,
    add_print_option,
    add_set_option,
)

if TYPE_CHECKING:
    from autosplit.flows.quantize import QuantizeOptions, QuantizeResult
    from autosplit.flows.quantizing.metrics import Metric


def add_command(commands: Any) -> None:
    """Adds `quantize` to the command line."""
    parser = commands.add_parser(
        "quantize",
        help="make an INT8 model of a float32 one",
        description="Runs a float32 model on samples of its inputs, decides what computes with 8 bits, and "
        "writes a model with QuantizeLinear and DequantizeLinear, for `compile` and for any runtime of ONNX. "
        "Beside OUT.onnx lies OUT.recipe.json, which says what was done and can be edited and given again.",
        epilog="example: autosplit quantize net.onnx --data photos --preprocess mean=127.5,scale=1/127.5 "
        "-o net-int8.onnx",
        allow_abbrev=False,
    )
    parser.add_argument(
        "model", metavar="MODEL|DIR", type=Path,
        help=f"{MODEL_HELP}; or a folder from autosplit split, whose sub-models for the CPU are quantized",
    )  # fmt: skip
    add_data_options(parser)
    add = parser.add_argument
    add_recipe_options(parser)
    add(
        "--report", metavar="FILE.html|FILE.txt", type=Path,
        help="write what is known of each value and each op: ranges, what saturates, what the outputs "
        "lose to each op alone",
    )  # fmt: skip
    add_target_options(parser)
    add_correction_options(parser)
    add(
        "--weight-bits", metavar="N", type=int, choices=[7, 8], default=0,
        help="of all weights: 7 for processors without VNNI, which add two products of bytes in 16 bits "
        "(default: what --isa needs, or 8)",
    )  # fmt: skip
    add(
        "--kinds", metavar="TYPE,...", default="",
        help="quantize products of these types only, as in Conv,Gemm (default: all)",
    )  # fmt: skip
    add(
        "--skip", metavar="NAME", action="append", default=[],
        help="an op that stays in float32",
    )  # fmt: skip
    add_model_options(parser)
    add_print_option(parser)
    add("--force", action="store_true", help="replace OUT.onnx and its recipe")
    add(
        "-o", "--output-model", dest="out", metavar="OUT.onnx|DIR", type=Path, required=True,
        help="the model to write; of a folder of sub-models the folder",
    )  # fmt: skip
    parser.set_defaults(action=do_quantize)


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Options for where ranges come from, of `quantize` and `compile`."""
    add_samples_options(parser, "all")
    parser.add_argument(
        "--calibrator", choices=CALIBRATOR_NAMES, default=None,
        help="the range of a value: all that it had (minmax), or less: averaged over the samples, where "
        "later ones weigh more (moving-average), without the most extreme numbers (percentile), with the "
        "least squared error (histogram), with the least loss of information (entropy) (default: histogram)",
    )  # fmt: skip
    parser.add_argument(
        "--isa", metavar="NAME", default="",
        help="the instruction set of the processor that will compute, as in avx2: without VNNI, products "
        "whose sums may exceed 16 bits get weights of 7 bits (default: one with VNNI)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", metavar="N", type=int, default=None,
        help="processes that run samples (default: 1); the result is the same, bit by bit",
    )  # fmt: skip
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", default="",
        help="have the workers of a scheduler of Dask run samples, as in tcp://host:8786",
    )  # fmt: skip


def add_samples_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Options for the samples, of `quantize`, `compile` and `bisect`."""
    add = parser.add_argument
    add(
        "--data", metavar="[NAME=]PATH", action="append", default=[],
        help="samples of the model's inputs: a .npy, .npz or picture file or a folder of them; --preprocess "
        "says what becomes of pictures",
    )  # fmt: skip
    add(
        "--samples", metavar="N", type=int, default=0, help=f"take the first N (default: {default})"
    )  # fmt: skip


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Options for reading the float32 model, of `quantize` and `bisect`."""
    add = parser.add_argument
    add(
        "--input", metavar="NAME=SPEC", action="append", default=[], dest="inputs",
        help="the shape of an input, as in x=1,3,224,224; sizes that are not given stay open",
    )  # fmt: skip
    add_preprocess_option(parser)
    add(
        "--output", metavar="NAME", action="append", default=[], dest="outputs",
        help="an output that is wanted (default: the model's own)",
    )  # fmt: skip
    add_set_option(parser)
    add(
        "--platform", metavar="NAME", default="auto",
        help="the framework: onnx, tensorflow, mxnet, caffe or pytorch (default: by the file's content)",
    )  # fmt: skip
    add(
        "--params", metavar="FILE", type=Path,
        help="the file of MODEL's weights, where its framework keeps them apart (default: the one beside it)",
    )  # fmt: skip
    add_custom_ops_option(parser, "needed to run the model")


def add_correction_options(parser: argparse.ArgumentParser) -> None:
    """Options for changes to the model by which 8 bits lose less."""
    add = parser.add_argument
    add(
        "--equalize", action="store_true",
        help="scale channels between two products so that weights are as large in front as behind; for "
        "channels of very different sizes, as depthwise networks have",
    )  # fmt: skip
    add(
        "--smooth", metavar="ALPHA", type=_alpha, nargs="?", const=0.5, default=None,
        help="SmoothQuant: take outliers among the channels that matrix products read into their weights, "
        "from nothing of them (0) to all (1) (default: 0.5), and level what depthwise convolutions read",
    )  # fmt: skip
    add(
        "--correct-biases", action=argparse.BooleanOptionalAction, default=None,
        help="have biases take back what rounding weights shifts results by in the mean (default: yes, where "
        "ranges are measured and no recipe of another format is written)",
    )  # fmt: skip


def _alpha(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no number; without one, put --smooth behind MODEL"
        ) from None


def add_recipe_options(parser: argparse.ArgumentParser) -> None:
    """Options for recipes to begin with, and recipes to write."""
    add = parser.add_argument
    add(
        "--recipe", metavar="FILE", type=Path, action="append", default=[], dest="recipe_files",
        help="an earlier run's, or another tool's in any format that --write-recipe has: its ranges are not "
        "measured again, and what it keeps stays in float32; several add up",
    )  # fmt: skip
    add(
        "--write-recipe", metavar="FORMAT=FILE", action="append", default=[], dest="write_recipes",
        help="write the recipe for another tool too: ipex, ipex-1.10, nncf, onnxruntime, tpu-mlir, "
        "tpu-mlir-qtable or autosplit",
    )  # fmt: skip


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """Options for how good the outputs must be, of `quantize` and `bisect`."""
    add = parser.add_argument
    add(
        "--target-cosine", metavar="C", type=float, default=0.0,
        help="how near each output must be to float32, as 0.999, over at most 8 samples: as few products "
        "stay in float32 as that needs, those that lose most if they alone are quantized",
    )  # fmt: skip
    add(
        "--metric", metavar="FILE.py:NAME", default="",
        help="in place of the cosine: a function of two lists, the outputs by name for each sample of the "
        "quantized model and of the float32 one; more is better",
    )  # fmt: skip
    add(
        "--target-metric", metavar="NUMBER", type=float, default=0.0,
        help="what --metric must reach",
    )  # fmt: skip


def options_of(args: argparse.Namespace, progress: Callable[[str], None]) -> QuantizeOptions:
    """The options of `quantize`, and of `compile` and `bisect`, which have some of them."""
    from autosplit.flows.quantize import QuantizeOptions
    from autosplit.flows.quantizing.recipes.formats import parse_targets
    from autosplit.inputs.custom_ops import libraries
    from autosplit.inputs.fixed import parse_fixed
    from autosplit.inputs.options import parse_input, unique
    from autosplit.inputs.preprocess import parse_options
    from autosplit.tools.cli.inputs import ir_printer

    if args.samples < 0:
        raise AutosplitError(f"--samples {args.samples}: expected 1 or more")
    kinds_text = getattr(args, "kinds", "")
    return QuantizeOptions(
        model=args.model,
        out=getattr(args, "out", None),
        data=args.data,
        most=args.samples,
        jobs=_jobs(args),
        scheduler=getattr(args, "scheduler", ""),
        calibrator=getattr(args, "calibrator", None) or "",
        target=getattr(args, "target_metric", 0.0) or getattr(args, "target_cosine", 0.0),
        metric=_metric(args),
        weight_bits=getattr(args, "weight_bits", 0),
        recipe_files=getattr(args, "recipe_files", []),
        write_recipes=parse_targets(getattr(args, "write_recipes", [])),
        report=getattr(args, "report", None),
        isa=getattr(args, "isa", ""),
        equalize=getattr(args, "equalize", False),
        smooth=getattr(args, "smooth", None),
        correct_biases=getattr(args, "correct_biases", None),
        kinds=[kind.strip() for kind in kinds_text.split(",") if kind.strip()],
        skip=getattr(args, "skip", []),
        inputs=unique([parse_input(text) for text in args.inputs]),
        outputs=args.outputs,
        fixed=parse_fixed(args.fixed),
        platform=args.platform,
        params=args.params,
        preprocess=parse_options(args.preprocess),
        custom_ops=libraries(args.custom_ops),
        force=getattr(args, "force", False),
        progress=progress,
        note=print,
        show=ir_printer(args),
    )


def _jobs(args: argparse.Namespace) -> int:
    jobs: int | None = getattr(args, "jobs", None)
    return 1 if jobs is None else jobs


def _metric(args: argparse.Namespace) -> Metric | None:
    """A function of the user's. Raises AutosplitError if there is none, or options do not fit."""
    from autosplit.flows.quantizing.metrics import load_metric

    metric, target = getattr(args, "metric", ""), getattr(args, "target_metric", 0.0)
    if bool(metric) != bool(target):
        raise AutosplitError("--metric and --target-metric: give both, or --target-cosine")
    if metric and args.target_cosine:
        raise AutosplitError("--metric and --target-cosine: give one of them")
    return load_metric(metric) if metric else None


def do_quantize(args: argparse.Namespace) -> int:
    """`autosplit quantize`."""
    with collector_paused():
        from autosplit.flows.quantize import quantize_model
        from autosplit.tools.cli.ui import Progress

    if args.model.is_dir():
        # The code for folders takes long to load.
        from autosplit.flows.quantize_folder import is_split

        if is_split(args.model):
            return _do_folder(args)
    with Progress() as progress:
        options = options_of(args, progress)
        result = quantize_model(options)
    print(summary(result))
    paths = [result.out, result.recipe_path, *(path for _, path in options.write_recipes)]
    paths += [] if options.report is None else [options.report]
    print("\n".join(f"wrote {path}" for path in paths))
    return 0


def _do_folder(args: argparse.Namespace) -> int:
    """`autosplit quantize` of a folder of sub-models."""
    from autosplit.flows.quantize_folder import quantize_folder
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        folder = quantize_folder(options_of(args, progress))
    print("\n".join(f"{name}: {summary(result)}" for name, result in folder.graphs.items()))
    print(
        "".join(f"{name} stays as it is: {reason}\n" for name, reason in folder.kept.items()),
        end="",
    )
    print(f"wrote {folder.folder}")
    return 0


def summary(result: QuantizeResult) -> str:
    """What computes with 8 bits, and what does not and why."""
    recipe = result.recipe
    quantized = [op for op in recipe.ops.values() if op.operands]
    float_ops = [(name, op) for name, op in recipe.ops.items() if not op.operands]
    lines = [
        f"{counted(len(quantized), 'op')} of {counted(len(recipe.ranges), 'value')} with 8 bits, ranges by "
        f"{recipe.calibrator} over {counted(recipe.samples, 'sample')}"
    ]
    products = [op for op in quantized if op.weight_bits]
    if narrow := [op for op in products if op.weight_bits == 7]:
        target = f" for {recipe.isa}" if recipe.isa else ""
        lines.append(
            f"weights of 7 bits in {len(narrow)} of {counted(len(products), 'product')}{target}"
        )
    corrections = ["channels equalized"] * recipe.equalize
    scaled = "levelled" if recipe.smooth is None else "smoothed"
    corrections += [f"{counted(len(recipe.exponents), 'value')} {scaled}"] * (
        recipe.smooth is not None or bool(recipe.exponents)
    )
    biases = counted(len(recipe.means), "bias", "biases")
    corrections += [f"{biases} corrected"] * bool(recipe.means)
    lines += [", ".join(corrections)] * bool(corrections)
    reasons = dict.fromkeys(op.kept for _, op in float_ops)
    for reason in reasons:
        shown = first_of([name for name, op in float_ops if op.kept == reason], 4)
        lines.append(f"in float32: {shown}: {reason.partition(': ')[2] or reason}")
    return "\n".join(lines)
