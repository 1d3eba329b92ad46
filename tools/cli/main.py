"""autosplit: splits a trained model over CPU and TPU, compiles quantized ones, runs both, says why.

Only the standard library is imported before the command is known, so that `autosplit --help` is quick.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from autosplit import __version__
from autosplit.core.errors import AutosplitError
from autosplit.core.versions import DEFAULT_VERSION
from autosplit.flows.split_arguments import parse_pin, parse_shapes
from autosplit.inputs.preprocess import parse_options
from autosplit.tools.cli import applies, convert, probe, toolchain

if TYPE_CHECKING:
    from autosplit.explain.plan import Explanation
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.values import Value
    from autosplit.runtime.runner import Runner

RTOL, ATOL = 1e-5, 1e-6
"""How far `run --compare` lets outputs be from the whole model's where all runs on the CPU."""


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
        help="an .onnx file, a frozen .pb, or the folder of a SavedModel",
    )
    _add_split_options(split)
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
    split.add_argument(
        "-o", "--output-dir", dest="out", metavar="DIR", type=Path, required=True,
        help="where to write; must be missing or empty",
    )  # fmt: skip
    split.set_defaults(action=do_split)

    compile_ = commands.add_parser(
        "compile",
        help="compile a quantized model for oneDNN",
        description="Compiles a quantized (QDQ) ONNX model into a plan of fused oneDNN partitions and, "
        "between them, ONNX Runtime. The library is only needed to run it. Sizes that the model leaves "
        "open stay open.",
        epilog="example: autosplit compile detector-int8.onnx -o out",
        allow_abbrev=False,
    )
    compile_.add_argument("model", metavar="MODEL", type=Path, help="an .onnx file")
    _add_model_options(compile_)
    convert.add_custom_ops_option(compile_, "the folder gets a copy")
    _add_int8_options(compile_)
    compile_.add_argument(
        "--force",
        action="store_true",
        help="replace what an earlier run left in DIR; refused where other files are in it",
    )
    compile_.add_argument(
        "-o", "--output-dir", dest="out", metavar="DIR", type=Path, required=True,
        help="where to write; must be missing or empty",
    )  # fmt: skip
    compile_.set_defaults(action=do_compile)

    convert.add_commands(commands, _add_split_options)

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
        "--optimize", action="store_true",
        help="let the framework optimize graphs: faster, and the last bits may change",
    )  # fmt: skip
    run.add_argument(
        "--compare", metavar="MODEL", type=Path,
        help="run the whole model too and compare; fails where outputs of a split model differ by more than "
        f"{RTOL:g} relative, with --mode 2 by more than the bmodels' mode allows, those of a compiled model "
        "by more than --tolerance",
    )  # fmt: skip
    run.add_argument(
        "--tolerance", metavar="QUANTA", type=float,
        help="with --compare, of a compiled model: how far outputs may be from the model's; an eighth of it "
        "in the mean. A quantum is the step of a quantized output, 1 for integers, and the 255th part of the "
        "range for other floats (default: one for each fused partition, at least 8)",
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
        "--repeat", metavar="N", type=int, default=10,
        help="of a compiled model: runs to measure, after a first one (default: %(default)s)",
    )  # fmt: skip
    run.add_argument(
        "-o", "--output", metavar="OUT.npz", type=Path, help="write the outputs to a file"
    )
    run.set_defaults(action=do_run)

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
    explain.set_defaults(action=do_explain)

    probe.add_commands(commands)
    toolchain.add_commands(commands)
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
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
    add(
        "--platform", metavar="NAME", default="auto",
        help="onnx or tensorflow (default: by the file's content)",
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
        "--sums", choices=["exact", "close", "fast"], default="exact",
        help="how quantized values are added: exact rounds every operand as the model says; close adds "
        "matrix products unrounded but saturated; fast adds all unrounded, and values beyond their range "
        "pass (default: %(default)s)",
    )  # fmt: skip


def _add_split_options(parser: argparse.ArgumentParser) -> None:
    _add_model_options(parser)
    add = parser.add_argument
    add("--target", metavar="CHIP", default="bm1684", help="the TPU (default: %(default)s)")
    add(
        "--mode", metavar="MODE", type=str.upper, default="F32",
        help="what the TPU will compute in: F32, F16, BF16 or INT8 (default: %(default)s); BM1684 has F32 "
        "and INT8",
    )  # fmt: skip
    add("--layout", choices=["NHWC", "NCHW"], help="of images (default: the platform's)")
    add(
        "--dynamic", action="store_true",
        help="sizes may be smaller at run time: those that --input gives as ..N, as in x=1,3,48,..320, or "
        "else all that the model leaves open",
    )  # fmt: skip
    add(
        "--keep", metavar="SHARE", type=float, default=0.95,
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
    add(
        "--fix", metavar="NAME=VALUE", action="append", default=[], dest="fixed",
        help="make an input a constant of the model, as in sr=16000: a number, true, false or a .npy file. "
        "What depends on it alone is computed beforehand, an If on it is the branch that it takes, and it is "
        "not given any more",
    )  # fmt: skip
    convert.add_custom_ops_option(parser, "the folder gets a copy")
    add(
        "--on-fallback", choices=["warn", "error"], default="warn",
        help="what to do when TPU work stays on the CPU (default: %(default)s)",
    )  # fmt: skip


def options_of(args: argparse.Namespace, progress: Callable[[str], None]) -> SplitOptions:
    """What `split` and `explain` were asked for."""
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.custom_ops import libraries
    from autosplit.inputs.fixed import parse_fixed
    from autosplit.inputs.options import parse_input, unique

    return SplitOptions(
        model=args.model,
        out=getattr(args, "out", None),
        inputs=unique([parse_input(text) for text in args.inputs]),
        outputs=args.outputs,
        target=args.target,
        mode=args.mode,
        platform=args.platform,
        layout=args.layout,
        dynamic=args.dynamic,
        keep=args.keep,
        pins=[parse_pin(text) for text in args.pins],
        shapes=parse_shapes(args.shapes),
        fixed=parse_fixed(args.fixed),
        on_fallback=args.on_fallback,
        force=getattr(args, "force", False),
        probe=getattr(args, "probe", False),
        custom_ops=libraries(args.custom_ops),
        preprocess=parse_options(args.preprocess),
        progress=progress,
        note=print,
    )


def do_split(args: argparse.Namespace) -> int:
    """`autosplit split`."""
    from autosplit.flows.split import split_model
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        result = split_model(options_of(args, progress))

    from autosplit.explain.plan import explain
    from autosplit.tools.cli.report import fallbacks, show_plan

    found = explain(result.module)
    show_plan(found)
    if line := fallbacks(found):
        print(f"{line}; `autosplit explain {args.out}` says more")
    print(f"wrote {args.out}")
    return 0


def do_compile(args: argparse.Namespace) -> int:
    """`autosplit compile`."""
    from autosplit.tools.cli import compile as int8

    return int8.do_compile(args)


def do_run(args: argparse.Namespace) -> int:
    """`autosplit run`."""
    from autosplit.folder.plans import is_compiled

    whole = is_compiled(args.folder)
    applies.check_run(args, is_compiled=whole)
    if whole:
        from autosplit.tools.cli import compile as int8

        return int8.do_run(args)

    from autosplit.runtime.runner import Runner
    from autosplit.tools.cli.report import show_outputs, show_steps
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        progress("loading the sub-models")
        runner = Runner(
            args.folder,
            args.mode,
            None,
            args.cmodel,
            args.optimize,
            args.timeout,
            args.custom_ops,
        )
        infos = runner.infos.described(parse_options(args.preprocess))
        feeds = feeds_for(infos, args.inputs)
        progress("running the sub-models")
        outputs = runner.infer(feeds)
    # First of all, since whoever reads what follows may stop reading.
    if args.output is not None:
        write_npz(args.output, outputs)
    show_steps(runner)
    show_outputs(outputs)
    if args.output is not None:
        print(f"wrote {args.output}")
    if args.compare is not None:
        return compare_with(runner, args.compare, feeds, outputs)
    return 0


def feeds_for(infos: GraphInfos, given: Sequence[str]) -> dict[str, Value]:
    """The values that the `--input` options name, seeded random ones for other inputs; lines say so."""
    from autosplit.flows.convert.reference import random_feeds
    from autosplit.inputs.options import input_specs
    from autosplit.runtime.runner import fitted

    specs = input_specs(infos.inputs, given)
    feeds: dict[str, Value] = {}
    for name, spec in specs.items():
        if spec.picture is not None:
            feeds[name] = infos.picture_input(name).told(spec.picture, print)
        # The whole model takes these too.
        tensor = infos.tensors[name]
        if spec.array is not None or spec.whole is not None:
            feeds[name] = fitted(spec.value, tensor)
    made = random_feeds(infos, [n for n in infos.inputs if n not in feeds], "--input ", specs)
    if made:
        print(f"random input (seed 0): {', '.join(made)}")
    return feeds | made


def compare_with(
    runner: Runner, model: Path, feeds: Mapping[str, Value], outputs: Mapping[str, Value]
) -> int:
    """Runs the unsplit model and shows how far the outputs are from its; 1 where that is too far."""
    from autosplit.platforms import check_model, get_platform
    from autosplit.runtime.runner import compare
    from autosplit.tools.cli.report import show_differences
    from autosplit.tools.cli.ui import Progress

    check_model(model, runner.platform)
    with Progress() as progress:
        progress("running the unsplit model")
        whole = get_platform(runner.platform).executor(
            {"model_path": model.name},
            model.parent,
            optimize=runner.optimize,
            custom_ops=runner.custom_ops,
        )
        reference = whole.run({**feeds, **runner.fixed}, list(outputs))
    found = compare(outputs, reference, rtol=RTOL, atol=ATOL)
    show_differences(found, model)
    if mode := bmodels_mode(runner):
        far = beyond(mode, outputs, reference)
        allowed = f" by more than {mode} allows"
    else:
        far, allowed = [d.name for d in found if not d.close], ""
    if far:
        raise AutosplitError(
            f"{len(far)} of {len(found)} outputs differ from {model}{allowed}: {far[0]!r}"
        )
    if mode:
        print(f"all are as near as {mode} allows, see autosplit convert --compare")
    return 0


def bmodels_mode(runner: Runner) -> str | None:
    """The coarsest mode of the bmodels that a runner runs; None where it runs none."""
    from autosplit.core.tolerances import TOLERANCES

    if runner.mode != 2:
        return None
    records = [runner.infos.compilation(g) for g in runner.infos.graphs if g.device == "tpu"]
    modes = {"F32" if record is None else record.mode for record in records}
    return next((mode for mode in reversed(list(TOLERANCES)) if mode in modes), None)


def beyond(mode: str, outputs: Mapping[str, Value], reference: Mapping[str, Value]) -> list[str]:
    """The outputs that are further from the reference than a mode of the TPU allows."""
    import numpy as np

    from autosplit.core.tolerances import TOLERANCES, difference
    from autosplit.inputs.values import flat

    arrays = flat(outputs)
    far: list[str] = []
    for name, expected in flat(reference).items():
        if (found := arrays.get(name)) is None:
            near = False
        elif expected.dtype.kind not in "fiub":
            near = np.array_equal(found, expected)
        else:
            near = found.shape == expected.shape and difference(expected, found).within(
                TOLERANCES[mode]
            )
        if not near:
            far.append(name)
    return far


def write_npz(path: Path, values: Mapping[str, Value]) -> None:
    """Writes arrays by name, as numpy's savez does, but whatever their names are.

    Values that are no arrays are several of them, see `autosplit.inputs.values`.
    """
    import tempfile

    import numpy as np

    from autosplit.core.weights import write_archive
    from autosplit.inputs.values import flat

    named = (
        (name, array.astype(np.str_) if array.dtype.kind == "O" else array)
        for name, array in flat(values).items()
    )
    try:
        handle, staged = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                write_archive(file, named)
            Path(staged).chmod(0o644)
            Path(staged).replace(path)
        finally:
            Path(staged).unlink(missing_ok=True)
    except OSError as e:
        raise AutosplitError(f"{path}: cannot be written: {e.strerror}") from e


def do_explain(args: argparse.Namespace) -> int:
    """`autosplit explain`."""
    from autosplit.folder.plans import is_compiled

    applies.check_explain(args)
    if args.rules:
        from autosplit.tools.cli import compile as int8

        return int8.show_rules(args.version, as_json=args.json)
    if args.model is None:
        raise AutosplitError("name a folder or a model, or --rules (see autosplit explain --help)")
    if args.int8 or is_compiled(args.model):
        from autosplit.tools.cli import compile as int8

        return int8.do_explain(args)

    from autosplit.tools.cli.report import show_explanation, show_op

    found = explanation_of(args)
    ops = found.find(args.op) if args.op is not None else None
    if args.json:
        print(json.dumps(found.to_json(ops), indent=2, ensure_ascii=False))
        return 0
    if ops is None:
        show_explanation(found, every_op=args.all)
        return 0
    for op in ops:
        show_op(found, op)
    return 0


def explanation_of(args: argparse.Namespace) -> Explanation:
    """Reads a split folder, or places and cuts a model without writing anything."""
    from autosplit.explain.plan import explain, explain_folder
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        if (args.model / "graph_infos.json").is_file():
            progress("reading the folder")
            return explain_folder(args.model)

        from autosplit.flows.split import split_model

        return explain(split_model(options_of(args, progress)).module)


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point: 0; 1 with one line on stderr for a user's mistake; 128 + N after signal N.

    A closed pipe behind the output counts as its signal, SIGPIPE.
    """
    from autosplit.tools.cli.ui import piped

    if threading.current_thread() is threading.main_thread():
        # What was started for this process must end with it.
        signal.signal(signal.SIGTERM, _stop)
    # Frameworks are quiet unless the user has asked them not to be.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    return piped(lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int:
    try:
        parser = build_parser()
        args = parser.parse_args(argv)
        args.given = applies.given_options(sys.argv[1:] if argv is None else argv)
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
        if (text := _users_mistake(e)) is None:
            raise
        return _fail(text)


def _stop(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _users_mistake(error: Exception) -> str | None:
    """The message of an error of xDSL's, or the system's, that the user can mend; None for a bug."""
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
