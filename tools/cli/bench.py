"""`autosplit bench`: a quantized model in autosplit and in other engines, side by side."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autosplit.flows.bench import Bench

VS = "onnxruntime,openvino"


def add_command(commands: Any) -> None:
    """Adds `bench` to the command line."""
    bench = commands.add_parser(
        "bench",
        help="measure a quantized model beside other engines",
        description="Measures a quantized model in autosplit and in other engines: the same inputs and "
        "threads, in turns, each engine in a process of its own.",
        epilog="example: autosplit bench detector-int8.onnx --threads 2 --profile",
        allow_abbrev=False,
    )
    add = bench.add_argument
    add("model", metavar="DIR|MODEL", type=Path, help="a quantized model, or its compiled folder")
    add(
        "--vs", metavar="ENGINES", default=VS,
        help="which others: onnxruntime, openvino, both with a comma between, or none (default: %(default)s)",
    )  # fmt: skip
    add(
        "--f32", metavar="MODEL", type=Path,
        help="the model before it was quantized: measured too, and what outputs are compared with",
    )  # fmt: skip
    add(
        "--input", metavar="NAME=SPEC", action="append", default=[], dest="inputs",
        help="an input, as for run (default: random ones, always the same)",
    )  # fmt: skip
    add("--threads", metavar="N", type=int, default=0, help="of each engine (default: one a core)")
    add("--rounds", metavar="N", type=int, default=10, help="turns (default: %(default)s)")
    add("--runs", metavar="N", type=int, default=5, help="runs in a turn (default: %(default)s)")
    add(
        "--profile", action="store_true",
        help="show what each step of autosplit's plan takes, and which kernel of oneDNN's it is",
    )  # fmt: skip
    add("--json", action="store_true", help="everything, as JSON")
    bench.set_defaults(action=do_bench)


def do_bench(args: argparse.Namespace) -> int:
    """`autosplit bench`."""
    from autosplit.flows.bench import BenchOptions, bench, profile
    from autosplit.folder.plans import load_compiled
    from autosplit.tools.cli.compile import feeds_of
    from autosplit.tools.cli.ui import Progress

    if not args.model.exists():
        raise AutosplitError(f"{args.model}: no such file or folder")

    def feeds(folder: Path) -> Mapping[str, Any]:
        # Notes on random inputs must not come before the JSON.
        with redirect_stdout(sys.stderr if args.json else sys.stdout):
            return feeds_of(load_compiled(folder).infos, args.inputs)

    vs: list[str] = [] if args.vs == "none" else args.vs.split(",")
    with Progress() as progress:
        options = BenchOptions(
            args.model,
            feeds,
            args.f32,
            vs,
            args.threads,
            args.rounds,
            args.runs,
            progress,
        )
        result = bench(options)
        steps = profile(options) if args.profile else None
    if args.json:
        print(json.dumps({**result.to_json(), "profile": steps}, indent=2))
        return 0
    show(result)
    if steps is not None:
        print()
        show_profile(steps)
    return 0


def show(result: Bench) -> None:
    """The engines, autosplit first."""
    from autosplit.tools.cli.ui import show_table

    rows: list[tuple[str, ...]] = []
    own_times = result.times[0]
    for times in result.times:
        middle, low, high = own_times.ratio(times)
        cosine = result.cosine(times)
        rows.append(
            (
                times.side.title,
                f"{times.least * 1e3:.3f}",
                f"{times.median * 1e3:.3f}",
                "" if times is own_times else f"{middle:.3f} ({low:.3f} to {high:.3f})",
                "" if cosine is None else f"{cosine:.6f}",
            )
        )
    columns = ("engine", "min ms", "median ms", "autosplit takes", "cosine")
    show_table("Engines", columns, rows, right=columns[1:])
    rounds, runs = own_times.seconds.shape
    threads = str(result.threads) if result.threads else "one thread a core"
    print(
        f"\n{counted(rounds, 'round')} of {counted(runs, 'run')}, threads: {threads}; autosplit "
        "takes: the median of the rounds' "
        "ratios, and its quartiles"
    )
    if result.reference:
        print(f"cosine: of the output that is farthest from that of {result.reference}")
    print("; ".join(dict.fromkeys(t.version for t in result.times)))
    for reason in result.missing:
        print(reason)
    if result.idle < BUSY:
        print(f"the machine was busy: {result.idle:.0%} of it idle between the runs")


BUSY = 0.8
"""The share of the processors below which other programs affect the times, if less is idle."""


def show_profile(profile: Any) -> None:
    """The steps of autosplit's plan, in order."""
    from autosplit.tools.cli.ui import show_table

    rows = [
        (
            f"{step['ms']:.3f}",
            f"{100 * step['ms'] / (profile['ms'] or 1):.1f} %",
            step["kind"],
            step["name"],
            step["rule"],
            "; ".join(step["kernels"]),
        )
        for step in profile["steps"]
    ]
    share = f"{100 * profile['overhead'] / (profile['ms'] or 1):.1f} %"
    rows.append((f"{profile['overhead']:.3f}", share, "overhead", "", "", ""))
    rows.append((f"{profile['ms']:.3f}", "100 %", "all", "", "", ""))
    columns = ("ms", "share", "kind", "step", "rule", "kernel")
    show_table("Steps", columns, rows, right=columns[:2], flexible=("step", "kernel"))
