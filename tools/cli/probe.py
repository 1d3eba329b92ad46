"""`autosplit probe`: measures what the tool chain makes of each op, or of the ops of one model."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.devices import DEFAULT_CHIP
from autosplit.tools.cli import applies

if TYPE_CHECKING:
    import argparse

    from autosplit.devices import Chip
    from autosplit.probe.case import Case
    from autosplit.probe.records import Record, Records

LARGE_TIMEOUT = 600.0
"""Seconds that a step of the compilation and the emulator may take at the sizes of real networks."""

SHOWN = 40
"""The most lines of a list that are printed."""


def add_commands(commands: Any) -> None:
    """Adds `probe` to the command line."""
    parser = commands.add_parser(
        "probe",
        help="measure what the tool chain makes of each op",
        description="Builds one-op models of every op that a chip may run, compiles them, runs them on the "
        "chip's emulator, compares with ONNX Runtime and with what was recorded. With MODEL, probes the ops "
        "of that model at their own shapes. Exit code 1 where something is not as recorded, or an op of "
        "MODEL fails.",
        epilog="example: autosplit probe --target bm1684x --op 'Conv.*'",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("model", metavar="MODEL", type=Path, nargs="?", help="a model whose ops are probed")
    add("--target", metavar="CHIP", default=DEFAULT_CHIP, help="the TPU (default: %(default)s)")
    add(
        "--mode",
        metavar="MODE",
        default="F32",
        help="F32, F16, BF16 or INT8 (default: %(default)s)",
    )
    add(
        "--input", metavar="NAME=SPEC", action="append", default=[], dest="inputs",
        help="with MODEL: the shape of an input, as for split",
    )  # fmt: skip
    add("--op", metavar="RE", help="only these op types, or cases such as Conv/3x3")
    add("--sample", metavar="N", type=int, help="only N of the recorded cases, chosen by the seed")
    add(
        "--seed", metavar="S", type=int,
        help="of --sample (default: follows from the records)",
    )  # fmt: skip
    add(
        "--dynamic", action="store_true",
        help="models whose sizes vary: compiled for the largest, run with smaller ones too",
    )  # fmt: skip
    add("--large", action="store_true", help="sizes of real networks; these take minutes")
    add("--jobs", metavar="N", type=int, help="cases at a time (default: one a core)")
    add("--write", metavar="FILE", type=Path, help="write what was measured into a file of records")
    add(
        "--resume", action="store_true",
        help="take what an earlier run measured of the same Top modules from the cache folder",
    )  # fmt: skip
    parser.set_defaults(action=do_probe)


def do_probe(args: argparse.Namespace) -> int:
    """`autosplit probe`."""
    from autosplit.devices import get_chip

    applies.check_probe(args)
    chip = get_chip(args.target)
    check_mode(chip, args.mode)
    jobs = (os.cpu_count() or 1) if args.jobs is None else args.jobs
    if jobs < 1:
        raise AutosplitError(f"--jobs {jobs}: expected 1 or more")
    if args.dynamic and args.large:
        raise AutosplitError("--dynamic --large: give one of them")
    if args.model is not None:
        return _probe_model(args, chip, jobs)
    return _probe_cases(args, chip, jobs)


def check_mode(chip: Chip, mode: str) -> None:
    """Raises AutosplitError for a mode that a one-op model cannot be compiled in for the chip."""
    modes = list(chip.modes)
    if mode not in modes:
        raise AutosplitError(f"--mode {mode}: {chip.vendor_name} takes {', '.join(modes)}")


def _probe_cases(args: argparse.Namespace, chip: Chip, jobs: int) -> int:
    from autosplit.probe.measure import Setup, measure_all
    from autosplit.probe.model import cache_folder
    from autosplit.probe.records import Records, chip_records, read_records
    from autosplit.toolchains.tpu_mlir import discover
    from autosplit.tools.cli.ui import Progress

    shipped = chip_records(chip.name)
    cases = selected_cases(args, shipped)
    setup = Setup(chip, args.mode, discover(), kept=cache_folder() if args.resume else None)
    if args.large:
        setup = replace(setup, step_timeout=LARGE_TIMEOUT, run_timeout=LARGE_TIMEOUT)
    if shipped.toolchain and shipped.toolchain != setup.toolchain.version:
        print(
            f"note: the records are of TPU-MLIR {shipped.toolchain}, this one is {setup.toolchain.version}",
            file=sys.stderr,
        )
    written = Records(chip.name, setup.toolchain.version)
    if args.write is not None and args.write.exists():
        written = read_records(args.write)
        if (written.chip, written.toolchain) != (chip.name, setup.toolchain.version):
            raise AutosplitError(
                f"{args.write}: holds records of {written.chip} and TPU-MLIR {written.toolchain}, expected "
                f"{chip.name} and {setup.toolchain.version}; write another file"
            )
    records: dict[str, Record] = {}
    is_complete = args.op is None and args.sample is None
    try:
        with Progress() as progress:

            def on_record(key: str, record: Record) -> None:
                records[key] = record
                progress(f"{len(records)} of {len(cases)}: {key} is {record.result}")

            progress(f"probing {counted(len(cases), 'case')}")
            records = measure_all(cases, setup, jobs, on_record)
    finally:
        # What was measured until an interrupt is kept, beside the records of the other cases.
        if args.write is not None and records:
            keeps_others = not is_complete or len(records) < len(cases)
            written.with_records(recorded_mode(args), records, keep=keeps_others).write(args.write)
    show(records)
    differing = differences(records, shipped.of(recorded_mode(args)))
    if args.write is not None:
        print(f"wrote {args.write}")
        return 0
    for line in differing[:SHOWN]:
        print(line)
    if len(differing) > SHOWN:
        print(f"and {len(differing) - SHOWN} more")
    print(f"{len(differing)} of {len(records)} are not as recorded")
    return 1 if differing else 0


def recorded_mode(args: argparse.Namespace) -> str:
    """The mode as records spell it."""
    from autosplit.probe.cases import DYNAMIC, LARGE

    return args.mode + DYNAMIC * args.dynamic + LARGE * args.large


def selected_cases(args: argparse.Namespace, records: Records) -> dict[str, Case]:
    """The cases that the options select. Raises AutosplitError if that is none."""
    import re

    from autosplit.probe.case import select
    from autosplit.probe.cases import cases_of

    try:
        cases = select(cases_of(recorded_mode(args)), args.op)
    except re.error as e:
        raise AutosplitError(f"--op {args.op}: is not a regular expression: {e}") from e
    if not cases:
        raise AutosplitError(f"--op {args.op}: no op type and no case has that name")
    if args.sample is None:
        return cases
    if args.sample < 1:
        raise AutosplitError(f"--sample {args.sample}: expected 1 or more")
    return sample(cases, records.of(recorded_mode(args)), args.sample, args.seed)


def sample(
    cases: Mapping[str, Case], records: Mapping[str, Record], size: int, seed: int | None
) -> dict[str, Case]:
    """Some cases that were compiled; which ones follows from the seed, or else from the records."""
    if seed is None:
        text = "".join(f"{key} {record.result}\n" for key, record in sorted(records.items()))
        seed = crc32(text.encode())
    compiled = ("correct", "wrong", "host", "dynamic")
    keys = [key for key in sorted(cases) if key in records and records[key].result in compiled]
    if not keys:
        raise AutosplitError("--sample: no case was recorded; run without it first")
    drawn = random.Random(seed).sample(keys, min(size, len(keys)))
    return {key: cases[key] for key in sorted(drawn)}


def differences(measured: Mapping[str, Record], recorded: Mapping[str, Record]) -> list[str]:
    """The records that are not as recorded before, one line each."""
    lines: list[str] = []
    for key, record in measured.items():
        previous = recorded.get(key)
        if previous is None:
            lines.append(f"{key}: not recorded, is {state(record)}")
        elif not record.agrees(previous):
            lines.append(f"{key}: recorded as {state(previous)}, is {state(record)}")
    return lines


def state(record: Record) -> str:
    """A record in a few words."""
    text = record.result
    if record.off and record.result != "correct":
        text += f" (off by {record.off})"
    if record.cause:
        text += f" ({record.cause})"
    return f"{text}, refused as {record.code}" if record.code else text


def show(records: Mapping[str, Record]) -> None:
    """Prints how many cases had each result, and those that are accepted and not correct."""
    from autosplit.probe.records import RESULTS
    from autosplit.tools.cli.ui import show_table

    counts = Counter((record.result, record.accepted) for record in records.values())
    rows = [
        (result, str(counts[result, True]), str(counts[result, False]), RESULTS[result])
        for result in RESULTS
        if counts[result, True] or counts[result, False]
    ]
    columns = ("result", "accepted", "refused", "")
    show_table(counted(len(records), "case"), columns, rows, right=("accepted", "refused"))
    bad = [
        (key, state(record))
        for key, record in records.items()
        if record.accepted and record.result != "correct"
    ]
    if bad:
        print()
        show_table("Accepted and not correct", ("case", "result"), bad[:SHOWN])
        if len(bad) > SHOWN:
            print(f"and {len(bad) - SHOWN} more")
    print()


def _probe_model(args: argparse.Namespace, chip: Chip, jobs: int) -> int:
    from autosplit.dialects.platform import location_names
    from autosplit.flows.probe import measure_file
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.options import parse_input, unique
    from autosplit.probe.model import FAILURES, describe
    from autosplit.tools.cli.ui import Progress, show_table

    with Progress() as progress:
        inputs = unique([parse_input(text) for text in args.inputs])
        options = SplitOptions(args.model, inputs=inputs, progress=progress)
        records = measure_file(options, chip, args.mode, jobs=jobs)
    counts = Counter((op.op_type, record.result) for op, record in records.items())
    rows = [(op_type, result, str(n)) for (op_type, result), n in sorted(counts.items())]
    show_table(
        f"{counted(len(records), 'op')} probed for {chip.vendor_name}",
        ("op", "result", "ops"),
        rows,
        right=("ops",),
    )
    failed = {op: record for op, record in records.items() if record.result in FAILURES}
    for op, record in failed.items():
        print(f"{', '.join(location_names(op.location))}: {op.op_type} {describe(record)}")
    return 1 if failed else 0
