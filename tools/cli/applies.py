"""Checks which options of a command apply to its arguments: others are refused, never ignored."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile

from autosplit.core.errors import AutosplitError

SHOWN = frozenset({"--op", "--all", "--json"})
"""The options of `explain` that apply to folders too."""

MODEL = frozenset({"--set", "--fix", "--input", "--preprocess", "--output", "--platform"})
"""The options that `split` and `compile` share."""

INT8 = frozenset({"--version", "--policy", "--sums", "--rounding"})
"""The options that only `compile` has."""

COMPILED_RUN = frozenset({"--tolerance", "--threads", "--wait-policy", "--max-sizes", "--repeat"})
"""The options of `run` that are for compiled models only."""


def options_in(argv: Sequence[str]) -> frozenset[str]:
    """The options on a command line, without their values."""
    words = takewhile(lambda word: word != "--", argv)
    return frozenset(word.partition("=")[0] for word in words if word.startswith("--"))


def only(args: Namespace, allowed: Collection[str], reason: str) -> None:
    """Raises AutosplitError for the first option present that is not allowed; `reason` says why."""
    _refuse(sorted(option for option in _present(args) if option not in allowed), reason)


def never(args: Namespace, denied: Collection[str], reason: str) -> None:
    """Raises AutosplitError for the first option present that is denied; `reason` says why."""
    _refuse(sorted(option for option in _present(args) if option in denied), reason)


def _present(args: Namespace) -> Iterable[str]:
    return getattr(args, "options", ())


def _refuse(options: Sequence[str], reason: str) -> None:
    if options:
        raise AutosplitError(f"{options[0]}: {reason}; leave it out")


def check_explain(args: Namespace) -> None:
    """Raises for options of `explain` that do not apply to a folder, a model or the rules."""
    from autosplit.folder.infos_reader import FILE_NAME
    from autosplit.folder.plans import is_compiled

    if args.rules:
        only(args, {"--rules", "--version", "--json"}, "does not apply to --rules")
        if args.model is not None:
            raise AutosplitError(
                f"{args.model}: --rules are the same for all models; leave one out"
            )
    elif args.op is not None and args.all:
        raise AutosplitError("--op and --all: one op or all of them; leave one out")
    elif args.model is None:
        return
    elif is_compiled(args.model):
        reason = f"is for models, and {args.model} is a folder that was compiled"
        only(args, {*SHOWN, "--int8"}, reason)
    elif (args.model / FILE_NAME).is_file():
        reason = f"is for models, and {args.model} is a folder that was split"
        only(args, {*SHOWN, "--int8"}, reason)
    elif args.int8:
        reason = "is an option of split, and --int8 explains what compile does"
        others = {"--int8", "--custom-ops", "--print-ir-after-all"}
        only(args, {*SHOWN, *MODEL, *INT8, *others}, reason)
    else:
        never(args, INT8, "goes with --int8, or with --rules")


def check_run(args: Namespace, *, is_compiled: bool) -> None:
    """Raises for options of `run` that do not apply to the folder, or not to the mode."""
    if is_compiled:
        of_split = {"--mode", "--cmodel", "--timeout", "--io"}
        never(args, of_split, f"is for split models, and {args.folder} is a compiled one")
        if args.compare is None:
            never(args, {"--tolerance"}, "goes with --compare")
        return
    never(args, COMPILED_RUN, f"is for compiled models, and {args.folder} is a split one")
    if args.mode != 2:
        never(args, {"--cmodel", "--timeout"}, "goes with --mode 2")
    if args.compare is not None:
        never(args, {"--io"}, "gives integers, and --compare compares real numbers")


def check_convert(args: Namespace) -> None:
    """Raises for options of `convert` and `deploy` that do not apply with others that are present."""
    if getattr(args, "accept", None) is not None:
        only(args, {"--accept"}, "is for compiling, and --accept takes what was compiled")
    if args.compiler == "bmnet":
        reason = "is for TPU-MLIR; scripts for the vendor's older compilers take none"
        of_tpu_mlir = {
            "--correct-biases",
            "--data",
            "--equalize",
            "--io",
            "--jobs",
            "--table",
            "--quantize-table",
            "--f32",
            "--target-cosine",
            "--tolerance",
            "--metric",
            "--target-metric",
        }
        never(args, of_tpu_mlir, reason)
        if args.command == "convert":
            never(args, {"--preprocess", "--custom-ops"}, reason)


def check_probe(args: Namespace) -> None:
    """Raises for options of `probe` that do not apply with a model, or without one."""
    if args.model is None:
        never(args, {"--input"}, "is for probing a MODEL")
        if args.sample is None:
            never(args, {"--seed"}, "goes with --sample")
        return
    never(
        args,
        {"--dynamic", "--large", "--op", "--sample", "--seed", "--write", "--resume"},
        "is for probing without MODEL",
    )
