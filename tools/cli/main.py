"""autosplit: splits a trained model over CPU and TPU, compiles quantized ones, runs both, says why.

Only the standard library is imported before the command is known, so that `autosplit --help` is quick.
"""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from autosplit import __version__
from autosplit.core.errors import AutosplitError
from autosplit.core.versions import DEFAULT_ROUNDING, DEFAULT_SUMS, DEFAULT_VERSION, ROUNDINGS, SUMS
from autosplit.devices import DEFAULT_CHIP, DEFAULT_KEEP
from autosplit.tools.cli import applies, bench, bisect, convert, package, probe, quantize, toolchain
from autosplit.tools.cli.explain import do_explain
from autosplit.tools.cli.inputs import add_batches_option, options_of
from autosplit.tools.cli.run import RTOL, do_run


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are errors like all others: one line, exit code 1."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.partition(" ")[2]
        hint = f"autosplit {command} --help".replace("  ", " ")
        raise AutosplitError(f"{message} (see {hint})")


def build_parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    parser = Parser(
        prog="autosplit",
        description="Splits a trained model over CPU and TPU, compiles quantized ones, runs both, "
        "and says why.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"autosplit {__version__}")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", parser_class=Parser
    )

    _add_split(commands)
    quantize.add_command(commands)
    bisect.add_command(commands)
    _add_compile(commands)
    convert.add_commands(commands, _add_split_options)
    package.add_command(commands)
    _add_run(commands)
    _add_explain(commands)
    bench.add_command(commands)
    probe.add_commands(commands)
    toolchain.add_commands(commands)
    return parser


def _add_split(commands: Any) -> None:
    """Adds `split` to the command line."""
    split = commands.add_parser(
        "split",
        help="cut a model into sub-models",
        description="Cuts a model into sub-models for CPU and TPU and writes them into a folder.",
        epilog="example: autosplit split frozen_inference_graph.pb "
        "--input image_tensor=1,300,300,3 -o out",
        allow_abbrev=False,
    )
    split.add_argument(
        "model",
        metavar="MODEL",
        type=Path,
        help=convert.MODEL_HELP,
    )
    _add_split_options(split)
    add_batches_option(split)
    split.add_argument(
        "--force",
        action="store_true",
        help="replace what an earlier split left in DIR; refused where other files are in it",
    )
    split.add_argument(
        "--probe", action="store_true",
        help="try each op that goes to the TPU on the chip's emulator, at its own shapes; what fails stays "
        "on the CPU",
    )  # fmt: skip
    convert.add_print_option(split)
    split.add_argument(
        "-o", "--output-dir", dest="out", metavar="DIR", type=Path, required=True,
        help="where to write; must be missing or empty",
    )  # fmt: skip
    split.set_defaults(action=do_split)


def _add_compile(commands: Any) -> None:
    """Adds `compile` to the command line."""
    compile_ = commands.add_parser(
        "compile",
        help="compile a quantized model for oneDNN",
        description="Compiles a quantized (QDQ) ONNX model into a plan of fused oneDNN partitions and, "
        "between them, ONNX Runtime. The library is only needed to run it. Sizes that the model leaves "
        "open stay open. With --data the model is a float32 one, which is quantized first.",
        epilog="example: autosplit compile detector-int8.onnx -o out",
        allow_abbrev=False,
    )
    compile_.add_argument(
        "model",
        metavar="MODEL",
        type=Path,
        help="a quantized model, an .onnx file or a NAME-symbol.json",
    )
    _add_model_options(compile_)
    convert.add_custom_ops_option(compile_, "the folder gets a copy")
    quantize.add_data_options(compile_)
    _add_int8_options(compile_)
    compile_.add_argument(
        "--force",
        action="store_true",
        help="replace what an earlier run left in DIR; refused where other files are in it",
    )
    convert.add_print_option(compile_)
    compile_.add_argument(
        "--tune", action="store_true",
        help="measure the plan on this machine, and leave regions or all of the model to ONNX Runtime where "
        "that is faster",
    )  # fmt: skip
    compile_.add_argument(
        "-o", "--output-dir", dest="out", metavar="DIR", type=Path, required=True,
        help="where to write; must be missing or empty",
    )  # fmt: skip
    compile_.set_defaults(action=do_compile)


def _add_run(commands: Any) -> None:
    """Adds `run` to the command line."""
    run = commands.add_parser(
        "run",
        help="run a split or a compiled model",
        description="Runs the sub-models of a folder in order and shows times and outputs.",
        allow_abbrev=False,
    )
    run.add_argument(
        "folder", metavar="DIR", type=Path, help="what `autosplit split` or `compile` wrote"
    )
    run.add_argument(
        "--input", metavar="NAME=SPEC", action="append", default=[], dest="inputs",
        help="an input as a .npy file or a picture, or shape and dtype of a random one, as for split; NAME= "
        "may be left out where there is one input. Inputs that are not given are random, always the same",
    )  # fmt: skip
    convert.add_preprocess_option(run)
    _add_params_option(run)
    convert.add_custom_ops_option(run, "in place of those that the folder holds")
    run.add_argument(
        "--mode", type=int, choices=[0, 2], default=0,
        help="0: all on the CPU (default); 2: CPU and TPU, on a card or else on the chip's emulator",
    )  # fmt: skip
    run.add_argument(
        "--cmodel", action="store_true", help="in mode 2: use the emulator though there is a card"
    )
    run.add_argument(
        "--timeout", metavar="SECONDS", type=float,
        help="in mode 2: what a run of a TPU sub-model may take; emulators are slow (default: 1800)",
    )  # fmt: skip
    run.add_argument(
        "--io", choices=["int8"], default="",
        help="give those outputs as 8-bit integers that the bmodels have so, after convert --io int8",
    )  # fmt: skip
    run.add_argument(
        "--optimize", action="store_true",
        help="let the framework optimize graphs: faster, and the last bits may change",
    )  # fmt: skip
    run.add_argument(
        "--compare", metavar="MODEL", type=Path,
        help="run the whole model too and compare; fails where outputs of a split model differ by more than "
        f"{RTOL:g} relative, with --mode 2 by more than the bmodels' mode allows, those of a compiled model "
        "by more than --tolerance",
    )  # fmt: skip
    _add_compiled_options(run)
    run.add_argument(
        "-o", "--output", metavar="OUT.npz", type=Path, help="write the outputs to a file"
    )
    run.set_defaults(action=do_run)


def _add_compiled_options(run: argparse.ArgumentParser) -> None:
    """The options of `run` for compiled models."""
    run.add_argument(
        "--tolerance", metavar="QUANTA", type=float,
        help="with --compare, of a compiled model: how far outputs may be from the model's; an eighth of it "
        "in the mean. A quantum is the step of a quantized output, 1 for integers, and the 255th part of the "
        "range for other floats (default: one for each fused partition, at least 8, "
        "and what the roundings make that were left out, up to 128)",
    )  # fmt: skip
    run.add_argument(
        "--threads", metavar="N", type=int, default=0,
        help="of a compiled model: threads that compute (default: one a core)",
    )  # fmt: skip
    run.add_argument(
        "--wait-policy", choices=["default", "passive"],
        help="of a compiled model: `passive` threads sleep while they wait, for hosts that are busy",
    )  # fmt: skip
    run.add_argument(
        "--max-sizes", metavar="N", type=int,
        help="of a compiled model whose sizes vary: how many sets of sizes stay prepared (default: 64)",
    )  # fmt: skip
    run.add_argument(
        "--repeat", metavar="N", type=int, default=10,
        help="of a compiled model: runs to measure, after a first one (default: %(default)s)",
    )  # fmt: skip


def _add_explain(commands: Any) -> None:
    """Adds `explain` to the command line."""
    explain = commands.add_parser(
        "explain",
        help="say where every op runs, and why",
        description="Says where every op of a split or compiled folder, or of a model, runs and why. "
        "The options of `split` apply to a model; with --int8 those of `compile`.",
        allow_abbrev=False,
    )
    explain.add_argument(
        "model", metavar="DIR|MODEL", type=Path, nargs="?", help="a folder or a model"
    )
    explain.add_argument(
        "--int8", action="store_true", help="explain what `compile` does of a model"
    )
    explain.add_argument(
        "--rules", action="store_true", help="print the rules by which ops become oneDNN partitions"
    )
    explain.add_argument(
        "--op", metavar="NAME", help="only this op; a regular expression where no op has that name"
    )
    explain.add_argument("--all", action="store_true", help="one line for every op")
    explain.add_argument("--json", action="store_true", help="everything, as JSON")
    _add_split_options(explain)
    _add_int8_options(explain)
    convert.add_print_option(explain)
    explain.set_defaults(action=do_explain)


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    _add_params_option(parser)
    add = parser.add_argument
    add(
        "--input", metavar="NAME=SPEC", action="append", default=[], dest="inputs",
        help="the shape of an input, as in x=1,300,300,3 or x=1,300,300,3:uint8, a dtype alone, as in "
        "x=:int64 for a scalar, a .npy file or a picture; a .npz file is a sequence of its arrays, none an "
        "optional value that is absent; NAME= may be left out where there is one input",
    )  # fmt: skip
    convert.add_preprocess_option(parser)
    add(
        "--output", metavar="NAME", action="append", default=[], dest="outputs",
        help="an output that is wanted (default: the model's own)",
    )  # fmt: skip
    convert.add_set_option(parser)
    add(
        "--platform", metavar="NAME", default="auto",
        help="the framework: onnx, tensorflow, mxnet, caffe or pytorch (default: by the file's content)",
    )  # fmt: skip


def _add_params_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--params", metavar="FILE", type=Path,
        help="the file of MODEL's weights, where its framework keeps them apart (default: the one beside it)",
    )  # fmt: skip


def _add_int8_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--version", metavar="X.Y", default=DEFAULT_VERSION,
        help="the oneDNN that partitions are made for (default: %(default)s)",
    )  # fmt: skip
    add(
        "--policy", choices=["patterns", "backend"], default="patterns",
        help="who says what is a partition: autosplit's rules or the installed library "
        "(default: %(default)s)",
    )  # fmt: skip
    add(
        "--sums", choices=SUMS, default=DEFAULT_SUMS,
        help="how quantized values are added: exact rounds every operand as the model says; close adds "
        "matrix products unrounded but saturated; fast adds all unrounded, and values beyond their range "
        "pass (default: auto, which is fast, or exact with --rounding exact)",
    )  # fmt: skip
    add(
        "--rounding", choices=ROUNDINGS, default=DEFAULT_ROUNDING,
        help="whether activations read products rounded as the model says (exact), or as they are computed "
        "(close), which is faster and nearer to the model before it was quantized (default: %(default)s)",
    )  # fmt: skip


def _add_split_options(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser)
    add = parser.add_argument
    add("--target", metavar="CHIP", default=DEFAULT_CHIP, help="the TPU (default: %(default)s)")
    add(
        "--mode", metavar="MODE", type=str.upper, default="F32",
        help="what the TPU will compute in: F32, F16, BF16 or INT8 (default: %(default)s); BM1684 has F32 "
        "and INT8. deploy takes W8F16, W4F16 and W4INT8 too, with weights of 8 or 4 bits in products of "
        "matrices",
    )  # fmt: skip
    add("--layout", choices=["NHWC", "NCHW"], help="of images (default: the platform's)")
    add(
        "--dynamic", action="store_true",
        help="sizes may be smaller at run time: those that --input gives as ..N, as in x=1,3,48,..320, or "
        "else all that the model leaves open",
    )  # fmt: skip
    add(
        "--keep", metavar="SHARE", type=float, default=DEFAULT_KEEP,
        help="share of the possible TPU work that the fewest sub-models must keep "
        "(default: %(default)s)",
    )  # fmt: skip
    add(
        "--pin", metavar="RE=DEVICE", action="append", default=[], dest="pins",
        help="run the ops whose names match on cpu or tpu",
    )  # fmt: skip
    add(
        "--shape", metavar="TENSOR=SIZES", action="append", default=[], dest="shapes",
        help="a promise that a tensor has these sizes in every run, as in crops:0=300,14,14,576, where they "
        "do not follow from the model; `run` checks it",
    )  # fmt: skip
    convert.add_custom_ops_option(parser, "the folder gets a copy")
    add(
        "--on-fallback", choices=["warn", "error"], default="warn",
        help="what to do when TPU work stays on the CPU (default: %(default)s)",
    )  # fmt: skip


def do_split(args: argparse.Namespace) -> int:
    """`autosplit split`."""
    from autosplit.flows.split import split_batches
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        result = split_batches(options_of(args, progress))

    from autosplit.explain.plan import explain
    from autosplit.tools.cli.report import fallbacks, show_plan

    explanation = explain(result.module)
    show_plan(explanation)
    if line := fallbacks(explanation):
        print(f"{line}; `autosplit explain {args.out}` says more")
    print(f"wrote {args.out}")
    return 0


def do_compile(args: argparse.Namespace) -> int:
    """`autosplit compile`."""
    from autosplit.tools.cli import compile as int8

    return int8.do_compile(args)


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point: 0; 1 with one line on stderr for a user's mistake; 128 + N after signal N.

    A closed pipe behind the output counts as its signal, SIGPIPE.
    """
    from autosplit.tools.cli.ui import piped

    interrupts: list[int] = []
    if threading.current_thread() is threading.main_thread():
        # Child processes must end with this one.
        signal.signal(signal.SIGTERM, _stop)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, partial(_interrupt, interrupts))
    # Frameworks are quiet unless the user has asked them not to be.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    return piped(lambda: _run(argv, interrupts))


def _interrupt(interrupts: list[int], number: int, _: object) -> NoReturn:
    interrupts.append(number)
    raise KeyboardInterrupt


def _run(argv: Sequence[str] | None, interrupts: Sequence[int]) -> int:
    try:
        parser = build_parser()
        args = parser.parse_args(argv)
        args.options = applies.options_in(sys.argv[1:] if argv is None else argv)
        if args.command is None:
            parser.print_help()
            return 0
        code: int = args.action(args)
        sys.stdout.flush()
        return code
    except AutosplitError as e:
        return _fail(str(e))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        raise
    except Exception as e:
        # A package that is interrupted while it is imported may raise another error instead.
        if interrupts:
            return 130
        if (text := _users_mistake(e)) is None:
            raise
        return _fail(text)


def _stop(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _users_mistake(error: Exception) -> str | None:
    """The message of an error of xDSL's, or the system's, that the user can fix; None for a bug."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"cannot write any more: {error.strerror}"
    from xdsl.utils.exceptions import PassFailedException

    return str(error) if isinstance(error, PassFailedException) else None


def _fail(text: str) -> int:
    print(f"autosplit: error: {' '.join(text.split())}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
