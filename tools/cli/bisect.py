"""`autosplit bisect`: which ops of a quantized model add the error."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.files import check_output, write_text
from autosplit.core.units import counted
from autosplit.tools.cli.quantize import (
    add_model_options,
    add_samples_options,
    add_target_options,
    options_of,
)

if TYPE_CHECKING:
    from autosplit.flows.bisect import Bisected

TOP = 10


def add_command(commands: Any) -> None:
    """Adds `bisect` to the command line."""
    parser = commands.add_parser(
        "bisect",
        help="find the ops of a quantized model that add the error",
        description="Tries every op that computes with 8 bits alone, in the float32 model that the quantized "
        "one was made of, ranks them by what the outputs lose, and proposes a recipe for `quantize` that "
        "leaves the fewest products in float32: so that the target is reached, or half of the error is gone. "
        "The quantized model may come from any quantizer that keeps the names of ops.",
        epilog="example: autosplit bisect net-int8.onnx --compare net.onnx --data photos -o better.json",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "quantized", metavar="DIR|MODEL", type=Path,
        help="a model with QuantizeLinear and DequantizeLinear, or its compiled folder: partitions are tried "
        "instead of ops then",
    )  # fmt: skip
    add(
        "--compare", metavar="MODEL", dest="model", type=Path, required=True,
        help="the float32 model that it comes from",
    )  # fmt: skip
    add_samples_options(parser, "8")
    add_target_options(parser)
    add_model_options(parser)
    add("--all", action="store_true", help=f"list every op, not only the first {TOP}")
    add("--json", action="store_true", help="everything, as JSON")
    add(
        "-o",
        "--output-recipe",
        dest="to",
        metavar="RECIPE.json",
        type=Path,
        help="write the recipe",
    )
    add("--force", action="store_true", help="replace RECIPE.json")
    parser.set_defaults(action=do_bisect)


def do_bisect(args: argparse.Namespace) -> int:
    """`autosplit bisect`."""
    from autosplit.flows.bisect import BisectOptions, bisect
    from autosplit.tools.cli.ui import Progress

    if args.to is not None:
        check_output(args.to, force=args.force, suffixes=(".json",))
    # Notes on samples must not come before the JSON.
    with redirect_stdout(sys.stderr if args.json else sys.stdout), Progress() as progress:
        result = bisect(BisectOptions(args.quantized, options_of(args, progress), progress))
    if args.to is not None:
        write_text(args.to, result.recipe.text())
    if args.json:
        print(json.dumps(to_json(result), indent=2, ensure_ascii=False))
        return 0
    show(result, every_op=args.all)
    if args.to is not None:
        print(f"wrote {args.to}")
    return 0


def to_json(result: Bisected) -> dict[str, Any]:
    """The whole result, as JSON."""
    return {
        "metric": result.metric,
        "samples": result.samples,
        "whole": result.whole,
        "best": result.best,
        "suspects": [
            {"name": s.name, "ops": s.ops, "alone": s.alone, "ranges": s.ranges}
            for s in result.suspects
        ],
        "unknown": result.unknown,
        "kept": result.kept,
        "reached": result.reached,
        "recipe": result.recipe.to_json(),
    }


def show(result: Bisected, *, every_op: bool) -> None:
    """The ranking, and what the recipe reaches."""
    from autosplit.tools.cli.ui import show_table

    shown = result.suspects if every_op else result.suspects[:TOP]
    rows = [
        (
            suspect.name,
            " ".join(dict.fromkeys(suspect.ops.values())),
            f"{result.best - suspect.alone:.2e}",
            "; ".join(
                f"{name} {low:.4g} to {high:.4g}" for name, (low, high) in suspect.ranges.items()
            ),
        )
        for suspect in shown
    ]
    columns = ("op", "type", f"{result.metric} lost alone", "reads as 8 bits")
    show_table("What adds the error", columns, rows, columns[2:3], columns[3:])
    count = counted(result.samples, "sample")
    print(f"\n{result.metric} over {count}: {result.whole:.7f}, in float32 {result.best:.7f}")
    if len(shown) < len(result.suspects):
        print(f"{len(result.suspects) - len(shown)} more: --all lists them")
    if result.unknown:
        names = ", ".join(result.unknown[:3])
        text = "not tried, as the float32 model has no such op, or one with other weights"
        print(f"{text}: {len(result.unknown)}: {names}")
    if result.kept:
        print(f"{result.reached:.7f} with {len(result.kept)} in float32: {', '.join(result.kept)}")
