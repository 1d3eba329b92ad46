"""The command `run`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.inputs.preprocess import parse_options
from autosplit.tools.cli import applies
from autosplit.tools.cli.inputs import feeds_for
from autosplit.tools.cli.report import write_npz

if TYPE_CHECKING:
    from autosplit.inputs.values import Value
    from autosplit.runtime.runner import Runner


def do_run(args: argparse.Namespace) -> int:
    """`autosplit run`."""
    from autosplit.folder.plans import is_compiled

    compiled = is_compiled(args.folder)
    applies.check_run(args, is_compiled=compiled)
    if compiled:
        from autosplit.tools.cli import compile as int8

        return int8.do_run(args)

    from autosplit.runtime.runner import open_runner
    from autosplit.tools.cli.report import show_outputs, show_steps
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        progress("loading the sub-models")
        runner = open_runner(
            args.folder,
            args.mode,
            None,
            args.cmodel,
            args.optimize,
            args.timeout,
            args.custom_ops,
            args.io,
        )
        infos = runner.infos.described(parse_options(args.preprocess))
        feeds = feeds_for(infos, args.inputs, runner.ends)
        progress("running the sub-models")
        outputs = runner.infer(feeds)
    # Before printing, since the reader of the output may close the pipe.
    if args.output is not None:
        write_npz(args.output, outputs)
    show_steps(runner)
    show_outputs(outputs)
    if args.output is not None:
        print(f"wrote {args.output}")
    if args.compare is not None:
        return compare_with(runner, args.compare, feeds, outputs, args.params)
    return 0


def compare_with(
    runner: Runner,
    model: Path,
    feeds: Mapping[str, Value],
    outputs: Mapping[str, Value],
    params: Path | None = None,
) -> int:
    """Runs the unsplit model and compares; raises AutosplitError if outputs are too far off."""
    import numpy as np

    from autosplit.platforms import check_model, get_platform, whole_files
    from autosplit.runtime.compare import compare
    from autosplit.tools.cli.report import show_differences
    from autosplit.tools.cli.ui import Progress

    check_model(model, runner.platform)
    with Progress() as progress:
        progress("running the unsplit model")
        platform = get_platform(runner.platform)
        executor = platform.executor(
            whole_files(platform, model, params),
            model.parent,
            optimize=runner.optimize,
            custom_ops=runner.custom_ops,
        )
        # The whole model has real numbers where bmodels have 8-bit integers.
        ends = {name: end for name, end in runner.ends.items() if end.is_given(feeds.get(name))}
        real = {name: end.real(np.asarray(feeds[name])) for name, end in ends.items()}
        reference = executor.run({**feeds, **real, **runner.fixed}, list(outputs))
    differences = compare(outputs, reference, rtol=RTOL, atol=ATOL)
    show_differences(differences, model)
    if mode := bmodels_mode(runner):
        names = beyond(mode, outputs, reference)
        allowed = f" by more than {mode} allows"
    else:
        names, allowed = [d.name for d in differences if not d.close], ""
    if names:
        raise AutosplitError(
            f"{len(names)} of {counted(len(differences), 'output')} differ from {model}{allowed}: "
            f"{names[0]!r}"
        )
    if mode:
        print(f"all are as near as {mode} allows, see autosplit convert --compare")
    return 0


def bmodels_mode(runner: Runner) -> str | None:
    """The coarsest mode of the bmodels that a runner runs; None if it runs none."""
    from autosplit.core.tolerances import TOLERANCES

    if runner.mode != 2:
        return None
    records = [runner.infos.compilation(g) for g in runner.infos.graphs if g.device == "tpu"]
    modes = {"F32" if record is None else record.full_mode for record in records}
    return next((mode for mode in reversed(list(TOLERANCES)) if mode in modes), None)


def beyond(mode: str, outputs: Mapping[str, Value], reference: Mapping[str, Value]) -> list[str]:
    """The outputs that are further from the reference than a mode of the TPU allows."""
    import numpy as np

    from autosplit.core.tolerances import TOLERANCES, difference
    from autosplit.inputs.values import flat

    arrays = flat(outputs)
    names: list[str] = []
    for name, expected in flat(reference).items():
        if (array := arrays.get(name)) is None:
            is_close = False
        elif expected.dtype.kind not in "fiub":
            is_close = np.array_equal(array, expected)
        else:
            is_close = array.shape == expected.shape and difference(expected, array).within(
                TOLERANCES[mode]
            )
        if not is_close:
            names.append(name)
    return names


RTOL, ATOL = 1e-5, 1e-6
"""How far `run --compare` lets outputs be from the whole model's if everything runs on the CPU."""
