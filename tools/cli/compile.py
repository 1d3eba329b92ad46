"""`autosplit compile`, and `run` and `explain` of its output."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import FloatAttr

from autosplit.core.casting import cast_input
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted, size
from autosplit.core.versions import parse_version
from autosplit.explain.int8 import Fusion, Moved, explain_int8, output_scales
from autosplit.flows.compile import CompileOptions, CompileResult, compile_model, open_plan
from autosplit.flows.quantize import quantize_model
from autosplit.folder.infos_reader import FILE_NAME
from autosplit.folder.plans import load_compiled
from autosplit.folder.staging import check_destination
from autosplit.inputs.custom_ops import libraries
from autosplit.inputs.fixed import parse_fixed, read_fixed
from autosplit.inputs.options import input_specs, parse_input, unique
from autosplit.inputs.preprocess import parse_options
from autosplit.inputs.value_inputs import random_array
from autosplit.lowering.dnnl.rules.parts import CHECKS
from autosplit.lowering.dnnl.rules.table import rules_table
from autosplit.lowering.quant.drop_casts import QUANTA
from autosplit.platforms import detect_platform, whole_files
from autosplit.tools.cli.inputs import ir_printer
from autosplit.tools.cli.quantize import options_of as quantize_options
from autosplit.tools.cli.report import show_outputs, write_npz
from autosplit.tools.cli.ui import Progress, show_table

if TYPE_CHECKING:
    import argparse

    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.explain.int8 import Int8Explanation, Outside
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.runtime.plan.account import Account

    Array = NDArray[np.generic]

MIN_QUANTA, MAX_QUANTA = 8, 128
"""The limits of the default tolerance."""

MEAN = 1 / 8
"""The mean difference that an output may have, as a part of the tolerance."""

LEFT_OUT = (
    "; roundings were left out, and values beyond their range are not cut off: compile with --rounding exact "
    "to compare with what the model says"
)


def compile_options(args: argparse.Namespace, progress: Callable[[str], None]) -> CompileOptions:
    """The options of `compile` and `explain --int8`."""
    return CompileOptions(
        model=args.model,
        out=getattr(args, "out", None),
        inputs=unique([parse_input(text) for text in args.inputs]),
        outputs=args.outputs,
        platform=args.platform,
        params=args.params,
        version=args.version,
        policy=args.policy,
        sums=args.sums,
        rounding=args.rounding,
        preprocess=parse_options(args.preprocess),
        fixed=parse_fixed(args.fixed),
        custom_ops=libraries(args.custom_ops),
        tune=getattr(args, "tune", False),
        force=getattr(args, "force", False),
        progress=progress,
        show=ir_printer(args),
    )


def do_compile(args: argparse.Namespace) -> int:
    """`autosplit compile`."""
    with Progress() as progress:
        names = ("samples", "calibrator", "isa", "scheduler")
        present = [n for n in names if getattr(args, n)] or ["jobs"] * (args.jobs is not None)
        if not args.data and present:
            option = f"--{present[0]}"
            raise AutosplitError(f"{option}: applies to samples; give them with --data")
        if args.data:
            result = compile_float(args, progress)
        else:
            result = compile_model(compile_options(args, progress))
    explanation = explain_int8(result.module)
    show_summary(explanation)
    print(f"wrote {args.out}")
    return 0


def compile_float(args: argparse.Namespace, progress: Callable[[str], None]) -> CompileResult:
    """`autosplit compile` of a float32 model and data."""
    options = compile_options(args, progress)
    if options.out is not None:
        check_destination(options.out, force=options.force, keep=[options.model])
    with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
        quantized = Path(folder) / f"{options.model.stem}.onnx"
        quantize_request = quantize_options(args, progress)
        quantized_model = quantize_model(replace(quantize_request, out=quantized, force=False))
        # By now, inputs and outputs are those of the file, and inputs that are set are part of it.
        request = replace(options, model=quantized, platform="onnx", params=None, outputs=())
        request = replace(request, fixed={}, were_fixed=quantized_model.model.fixed)
        return compile_model(request)


# run


def do_run(args: argparse.Namespace) -> int:
    """`autosplit run` of a compiled folder."""
    check_run_options(args)
    with Progress() as progress:
        progress("loading the plan")
        compiled = load_compiled(args.folder)
        custom_ops = libraries(args.custom_ops) or compiled.infos.libraries()
        plan = open_plan(
            compiled,
            threads=args.threads,
            wait_policy=args.wait_policy,
            custom_ops=custom_ops,
            max_sizes=args.max_sizes,
        )
        infos = compiled.infos.described(parse_options(args.preprocess))
        feeds = feeds_of(infos, args.inputs)
        progress("compiling the partitions")
        start = time.perf_counter()
        outputs = plan.run(feeds)
        start_seconds = time.perf_counter() - start
        progress("running the plan")
        for _ in range(args.repeat):
            outputs = plan.run(feeds, timed=True)
    # Before printing, since the reader of the output may close the pipe.
    if args.output is not None:
        write_npz(args.output, outputs)
    show_account(plan.account(), start_seconds)
    show_outputs(outputs)
    if args.output is not None:
        print(f"wrote {args.output}")
    if args.compare is not None:
        # The whole model still has the inputs that are fixed.
        all_feeds = feeds | read_fixed(infos.own, infos.folder / FILE_NAME)
        return compare_with(args, compiled.module, all_feeds, outputs, custom_ops)
    return 0


def check_run_options(args: argparse.Namespace) -> None:
    if args.repeat < 1:
        raise AutosplitError(f"--repeat {args.repeat}: expected 1 or more")
    if args.tolerance is not None and not args.tolerance >= 0:
        raise AutosplitError(
            f"--tolerance {args.tolerance}: expected a number of quanta, 0 or more"
        )


def feeds_of(infos: GraphInfos, input_texts: Sequence[str]) -> dict[str, Array]:
    """An array for each input: from the command line, else random with a fixed seed."""
    specs = input_specs(infos.inputs, input_texts)
    random = np.random.default_rng(0)
    feeds: dict[str, Array] = {}
    drawn: list[str] = []
    for name in infos.inputs:
        spec, tensor = specs.get(name), infos.tensors[name]
        if spec is not None and spec.array is not None:
            feeds[name] = (
                spec.array
                if tensor.dtype is None
                else cast_input(spec.array, tensor.dtype, f"input {name!r}")
            )
            continue
        if spec is not None and spec.picture is not None:
            feeds[name] = infos.picture_input(name).told(spec.picture, print)
            continue
        if spec is not None and spec.dtype not in (None, tensor.dtype):
            raise AutosplitError(
                f"input {name!r}: found dtype {spec.dtype}, expected {tensor.dtype}"
            )
        shape = tensor.shape if spec is None or spec.shape is None else spec.shape
        if shape is None or -1 in shape or tensor.dtype in (None, "object"):
            sizes = ",".join("?" if d < 0 else str(d) for d in tensor.shape or ())
            raise AutosplitError(
                f"input {name!r} has no fixed shape ({sizes}); give one, as in --input {name}=SIZES, "
                f"or an array, as in --input {name}=file.npy"
            )
        feeds[name] = random_array(random, shape, np.dtype(tensor.dtype))
        drawn.append(name)
    if drawn:
        print(f"random input (seed 0): {', '.join(drawn)}")
    return feeds


@dataclass(frozen=True)
class Gap:
    """How far one output is from the model's, in quanta.

    A quantum is the step between two values that the output can have: 1 for integers, the scale for what is
    dequantized last. For other floats it is the 255th part of the reference's range, the step that an 8-bit
    tensor of that range has.
    """

    name: str
    largest: float
    mean: float
    absolute: float
    quantum: float


def gap(name: str, actual: Array, expected: Array, scale: float | None = None) -> Gap:
    """How far `actual` is from `expected`; infinitely if shapes differ, or one of them is not finite.

    `scale` is that of the dequantize that makes the output, if one does.
    """
    infinite = float("inf")
    if actual.shape != expected.shape:
        return Gap(name, infinite, infinite, infinite, infinite)
    if actual.dtype.kind in "OSU":
        is_equal = bool(np.array_equal(actual, expected))
        worst = 0.0 if is_equal else infinite
        return Gap(name, worst, worst, worst, 1.0)
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    if not a.size:
        return Gap(name, 0.0, 0.0, 0.0, 1.0)
    quantum = 1.0
    # bfloat16 is of no kind of numpy's own.
    real = expected.dtype.kind in "fV"
    if real and scale is not None:
        quantum = scale
    elif real:
        finite = b[np.isfinite(b)]
        quantum = float(np.ptp(finite)) / 255 if finite.size else 0.0
        quantum = quantum or float(np.abs(finite).max(initial=0.0)) / 255 or 1.0
    with np.errstate(invalid="ignore"):
        error = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    error = np.where(np.isnan(error), infinite, error)
    largest, mean = float(error.max()), float(error.mean())
    return Gap(name, largest / quantum, mean / quantum, largest, quantum)


def compare_with(
    args: argparse.Namespace,
    module: ModuleOp,
    feeds: Mapping[str, Array],
    outputs: Mapping[str, Array],
    custom_ops: Libraries = (),
) -> int:
    """Runs the model in its framework and compares; raises AutosplitError if outputs are too far off."""
    platform = detect_platform(args.compare)
    with Progress() as progress:
        progress("running the model in its framework")
        executor = platform.executor(
            whole_files(platform, args.compare, args.params),
            args.compare.parent,
            optimize=args.optimize,
            custom_ops=custom_ops,
        )
        reference = executor.run(feeds, list(outputs))
    accepted = default_tolerance(module)
    tolerance = accepted.quanta if args.tolerance is None else float(args.tolerance)
    scales = output_scales(module)
    gaps = [gap(name, outputs[name], reference[name], scales.get(name)) for name in outputs]
    rows = [
        (g.name, f"{g.largest:.3g}", f"{g.mean:.3g}", f"{g.absolute:.3g}", f"{g.quantum:.3g}")
        for g in gaps
    ]
    columns = ("output", "max quanta", "mean quanta", "max abs error", "quantum")
    print()
    show_table(
        f"Compared with {args.compare}", columns, rows, right=columns[1:], flexible=("output",)
    )
    print(
        "\na quantum is the step of a quantized output, 1 for integers, and the 255th part of the range for "
        f"other floats; accepted are {tolerance:g}"
        + ("" if args.tolerance is not None else f" ({accepted.reason})")
        + f", and {tolerance * MEAN:g} in the mean"
    )
    if beyond := [g for g in gaps if not (g.largest <= tolerance and g.mean <= tolerance * MEAN)]:
        shapes = outputs[beyond[0].name].shape, reference[beyond[0].name].shape
        how_far = f"by {beyond[0].largest:.3g} quanta, {beyond[0].mean:.3g} in the mean"
        if shapes[0] != shapes[1]:
            how_far = f"in shape, {list(shapes[0])} and {list(shapes[1])}"
        raise AutosplitError(
            f"{len(beyond)} of {counted(len(gaps), 'output')} differ from {args.compare}: "
            f"{beyond[0].name!r} {how_far}" + (LEFT_OUT if QUANTA in module.attributes else "")
        )
    return 0


@dataclass(frozen=True)
class QuantaAccepted:
    """How far outputs may be from the model's, in quanta, and the reason for that."""

    quanta: float
    reason: str


def default_tolerance(module: ModuleOp) -> QuantaAccepted:
    """A quantum for each partition that does more than one cast: each may round one way or the other.

    At least 8, since float ops behind, such as a softmax, can amplify a quantum. Roundings that
    `--rounding close` left out add to that, up to half of a range: beyond that, the mean would accept
    anything.
    """
    base = float(max(MIN_QUANTA, sum(len(p.ops) > 1 for p in explain_int8(module).partitions)))
    reason = f"one for each fused partition, at least {MIN_QUANTA}"
    left_out = module.attributes.get(QUANTA)
    if not isinstance(left_out, FloatAttr):
        return QuantaAccepted(base, reason)
    extra = min(float(math.ceil(left_out.value.data)), max(MAX_QUANTA - base, 0.0))
    return QuantaAccepted(base + extra, f"{reason}, and {extra:g} for roundings that were left out")


def show_account(account: Account, start_seconds: float) -> None:
    """Prints what each step took, and what lies between the steps."""
    runs = max(account.timed_runs, 1)
    rows = [
        (
            step.name,
            {"partition": "oneDNN", "segment": "ONNX Runtime"}.get(step.kind, step.kind),
            step.rule,
            f"{step.seconds / runs * 1e3:.3f} ms",
            f"{100 * step.seconds / (account.seconds or 1):.1f} %",
            size(step.bytes // max(account.runs, 1)) if step.bytes else "",
        )
        for step in account.steps
    ]
    spent = account.seconds
    for label, seconds in (("between the steps", account.overhead), ("all", spent)):
        share = f"{100 * seconds / (spent or 1):.1f} %"
        rows.append((label, "", "", f"{seconds / runs * 1e3:.3f} ms", share, ""))
    columns = ("step", "by", "rule", "time", "share", "copied")
    show_table("Steps", columns, rows, right=columns[3:], flexible=("step",))
    print(
        f"\nmean of {counted(account.timed_runs, 'run')}; "
        f"{counted(account.compiles, 'compilation')} in the first run, "
        f"which took {start_seconds * 1e3:.1f} ms; memory between the steps {size(account.arena_bytes)}"
    )


# explain


def do_explain(args: argparse.Namespace) -> int:
    """`autosplit explain` of a compiled folder or, with --int8, of a model; and --rules."""
    with Progress() as progress:
        if args.model.is_dir():
            progress("reading the folder")
            explanation = explain_int8(load_compiled(args.model).module)
        else:
            explanation = explain_int8(compile_model(compile_options(args, progress)).module)
    items = explanation.find(args.op) if args.op is not None else None
    if args.json:
        print(json.dumps(explanation.to_json(items), indent=2, ensure_ascii=False))
        return 0
    if items is None:
        show_explanation(explanation, every_op=args.all)
        return 0
    for item in items:
        show_item(item)
    return 0


RULES_WIDTH = 120
"""Rules are wrapped to this many columns, in files too: their lines are hard to read otherwise."""


def show_rules(version: str, *, as_json: bool) -> int:
    """`autosplit explain --rules`: the fusion rules that hold at a version of the library."""
    rows = rules_table(parse_version(version))
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return 0
    shown = [(row.name, row.ops, ", ".join(row.checks)) for row in rows]
    columns = ("rule", "ops", "if")
    show_table(
        f"Rules of oneDNN {version}", columns, shown, flexible=columns[1:], width=RULES_WIDTH
    )
    used_checks = {check.partition(": ")[2] for row in rows for check in row.checks}
    legend = [
        (name, check.text, "yes" if check.is_ours else "")
        for name, check in CHECKS.items()
        if name in used_checks
    ]
    print()
    columns = ("condition", "meaning", "only ours")
    show_table("Conditions", columns, legend, flexible=columns[1:2], width=RULES_WIDTH)
    print(
        f"\n{counted(len(rows), 'rule')}, in the order in which they take ops; [x] may be "
        "missing, x0-20 is there so"
        " many times.\nA condition that is only ours keeps apart what the library fuses, and then computes"
        " wrongly or not at all."
    )
    return 0


def show_summary(explanation: Int8Explanation) -> None:
    """Prints the plan in a table and a line."""
    rows = [
        (
            stage.name,
            "oneDNN" if stage.device == "dnnl" else "ONNX Runtime",
            str(stage.partitions) if stage.partitions else "",
            str(stage.ops),
        )
        for stage in explanation.stages
    ]
    columns = ("sub-model", "by", "partitions", "ops")
    show_table("Plan", columns, rows, right=columns[2:])
    if rules := explanation.rules():
        print()
        show_table(
            "Partitions", ("rule", "number"), [(r, str(n)) for r, n in rules], right=("number",)
        )
    print()
    print(summary(explanation))


def summary(explanation: Int8Explanation) -> str:
    """The plan in one line, and another for what was measured."""
    text = _summary(explanation)
    if explanation.tuned:
        return f"{text}\nmeasured: {explanation.tuned}"
    segments = sum(stage.device != "dnnl" for stage in explanation.stages)
    if explanation.partitions and segments and (explanation.gain or 0) < 0:
        text += (
            f"\nlittle to compute for {counted(segments, 'segment')}: ONNX Runtime alone may be faster, "
            "compile --tune measures that"
        )
    return text


def _summary(explanation: Int8Explanation) -> str:
    if explanation.tuned and not explanation.partitions:
        return f"0 partitions: {counted(len(explanation.outside), 'op')} in ONNX Runtime, which is faster"
    if not explanation.partitions:
        return (
            f"0 partitions, {counted(len(explanation.outside), 'op')} left to ONNX Runtime: nothing in the "
            "model is quantized in a way that oneDNN takes"
        )
    fused_ops = sum(len(p.ops) for p in explanation.partitions)
    text = (
        f"{counted(len(explanation.partitions), 'partition')} of {counted(fused_ops, 'oneDNN op')}; "
        + (f"{counted(len(explanation.moves), 'op')} moving bytes; " if explanation.moves else "")
        + f"{counted(len(explanation.outside), 'op')} left to ONNX Runtime"
    )
    counts = [f"{n} {code}" for code, n in explanation.reasons()]
    if counts and (others := len(explanation.outside) - sum(n for _, n in explanation.reasons())):
        counts.append(f"{others} beside those")
    return text + (": " + ", ".join(counts) if counts else "")


def show_explanation(explanation: Int8Explanation, *, every_op: bool) -> None:
    """Prints the plan, its partitions, and the ops in none, with the reasons."""
    show_summary(explanation)
    if explanation.partitions:
        print()
        rows = [(p.graph, p.name, p.rule, p.kinds) for p in explanation.partitions]
        columns = ("sub-model", "partition", "rule", "ops")
        show_table("What oneDNN runs", columns, rows, flexible=("partition", "ops"))
    if explanation.moves:
        print()
        rows = [(op.graph, op.type, op.name) for op in explanation.moves]
        columns = ("sub-model", "kind", "name")
        show_table("What only moves bytes, by the plan itself", columns, rows, flexible=("name",))
    shown = [op for op in explanation.outside if op.code or every_op]
    if shown:
        print()
        rows = [
            (op.graph, op.type, op.name, f"{op.code}: {op.text}" if op.code else "") for op in shown
        ]
        columns = ("sub-model", "kind", "name", "why not oneDNN")
        show_table("What ONNX Runtime runs", columns, rows, flexible=("name", "why not oneDNN"))
    hidden = len(explanation.outside) - len(shown)
    if hidden:
        print(f"\n{counted(hidden, 'op')} of which nothing is recorded: --all lists them")


def show_item(item: Fusion | Moved | Outside) -> None:
    """Prints all that is recorded about one partition or op."""
    if isinstance(item, Moved):
        print(f"{item.type} {item.name!r}")
        print(f"  in {item.graph}: only moves bytes, by views and copies of the plan itself")
        return
    if not isinstance(item, Fusion):
        print(f"{item.type} {item.name!r}")
        print(f"  runs in {item.graph}, in ONNX Runtime")
        if item.code:
            print(f"  in no partition: {item.text} [{item.code}]")
        return
    print(f"partition {item.name!r}")
    print(f"  runs in {item.graph}, in oneDNN, by the rule {item.rule}")
    if item.code:
        print(f"  fused with nothing: {item.text} [{item.code}]")
    for op in item.ops:
        print(f"  {op.kind} {op.name!r}")
    for text in item.operands:
        print(f"  reads {text}")
    for text in item.results:
        print(f"  gives {text}")
