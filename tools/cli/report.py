"""The tables that the command line prints: plans, reasons, timings, differences."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from autosplit.core.errors import AutosplitError
from autosplit.core.units import count, counted, share, size
from autosplit.tools.cli.ui import show_table, show_title, show_wrapped

if TYPE_CHECKING:
    from autosplit.explain.plan import Explanation, PlacedOp
    from autosplit.folder.compilation import Cost
    from autosplit.inputs.values import Value
    from autosplit.runtime.compare import Difference
    from autosplit.runtime.runner import Runner


def show_plan(explanation: Explanation) -> None:
    """Prints the sub-models, what crosses between them, and what other numbers of sub-models would keep."""
    rows = [
        (
            graph.name,
            f"{graph.device} {graph.chip}".strip(),
            "?" if graph.foreign else str(graph.ops),
            "?" if graph.foreign else count(graph.work),
            share(graph.work, explanation.work),
            _size_of(explanation, graph.inputs),
            _size_of(explanation, graph.outputs),
        )
        for graph in explanation.graphs
    ]
    columns = ("sub-model", "device", "ops", "multiply-adds", "share", "takes", "gives")
    show_table("Sub-models", columns, rows, right=columns[2:])
    crossing = [
        (
            b.name,
            b.made_by,
            ", ".join(b.read_by) or "nobody",
            ", ".join([b.shown, *([f"crosses as {b.held}"] if b.held else []), *b.changes]),
            size(b.bytes),
        )
        for b in explanation.borders
    ]
    columns = ("tensor", "from", "to", "type", "bytes")
    print()
    show_table("Borders", columns, crossing, right=("bytes",), flexible=("tensor",))
    if notes := [f"{b.name!r} crosses {text}" for b in explanation.borders for text in b.floats]:
        print()
        for note in notes:
            show_wrapped(note, indent=2)
    if held := [b for b in explanation.borders if b.held]:
        values = counted(len(held), "value crosses", "values cross")
        print(f"\n{values} as 8-bit integers, which saves {size(sum(b.saved for b in held))} a run")
    largest = max([explanation.possible, *(work for _, work in explanation.curve)])
    # If no work can be on the TPU, more sub-models change nothing.
    if explanation.curve and largest:
        plan_size = len(explanation.graphs)
        points = [
            (str(k), count(work), share(work, largest), "<- this plan" if k == plan_size else "")
            for k, work in explanation.curve
        ]
        columns = ("sub-models", "multiply-adds on the TPU", "of what is possible", "")
        print()
        show_table("How many sub-models", columns, points, right=columns[:3])
    print()
    print(summary(explanation))
    _show_unchecked(explanation)


def _show_unchecked(explanation: Explanation) -> None:
    """Prints the checks of the program that the sub-models do not make."""
    for check in explanation.unchecked:
        show_wrapped(f"not checked at run time: {check}", indent=2)


def summary(explanation: Explanation) -> str:
    """The plan in one line."""
    graphs = counted(len(explanation.graphs), "sub-model")
    if foreign := [g.name for g in explanation.graphs if g.foreign]:
        on_tpu = sum(g.device == "tpu" for g in explanation.graphs)
        return (
            f"{graphs}, {on_tpu} for the TPU; the ops of {', '.join(foreign)} are not known, as autosplit "
            f"does not read these files of {explanation.platform}"
        )
    ops = sum(g.ops for g in explanation.graphs)
    on_tpu = sum(g.ops for g in explanation.graphs if g.device == "tpu")
    text = f"{graphs}; on the TPU: {on_tpu} of {counted(ops, 'op')}"
    uncounted = _uncounted(explanation)
    if not explanation.work:
        return text + (uncounted or "; the model has no multiply-adds")
    tpu_share = share(explanation.tpu_work, explanation.work)
    return f"{text}, {tpu_share} of the {count(explanation.work)} multiply-adds{uncounted}"


def _uncounted(explanation: Explanation) -> str:
    """A note on ops that are missing from the multiply-adds; empty if there are none."""
    number = sum(op.uncounted for op in explanation.ops)
    if not number:
        return ""
    missing = counted(number, "op is", "ops are")
    return f"; {missing} not counted, as only a run tells the work of such ops"


def fallbacks(explanation: Explanation) -> str:
    """How many ops run on the CPU and for which reasons, in one line; empty if none does."""
    totals = sorted(explanation.totals(), key=lambda t: (-t.ops, t.code))
    if not totals:
        return ""
    reasons = ", ".join(f"{t.ops} {t.code}" for t in totals)
    ops = sum(t.ops for t in totals)
    return f"{counted(ops, 'op runs', 'ops run')} on the CPU: {reasons}"


def _size_of(explanation: Explanation, names: Sequence[str]) -> str:
    bytes_of = {b.name: b.bytes for b in explanation.borders}
    sizes = [bytes_of.get(name) for name in names]
    total = sum(n for n in sizes if n is not None)
    return size(None if sizes and all(n is None for n in sizes) else total) + (
        " + ?" if any(n is None for n in sizes) and total else ""
    )


def show_compiled(explanation: Explanation) -> None:
    """Prints the bmodels of a folder, and what they were compiled for."""
    if not explanation.compiled:
        return
    rows = [
        (
            item.graph,
            f"{item.compiler} {item.toolchain}".strip()
            or ("not recorded" if item.bmodel else "not compiled"),
            f"{item.chip} {item.mode}{' dynamic' if item.dynamic else ''}".strip(),
            "" if item.optimize is None else str(item.optimize),
            ("no" if item.cosine is None else f"cosine {item.cosine:.6f}")
            + ", refused and accepted" * bool(item.refused),
            size(item.bytes) if item.bmodel else "none",
        )
        for item in explanation.compiled
    ]
    columns = ("sub-model", "compiled by", "for", "level", "compared", "bmodel")
    print()
    show_table("Bmodels", columns, rows, right=("level", "bmodel"))
    show_costs({item.graph: item.cost for item in explanation.compiled})
    if any(item.bmodel and item.cosine is None for item in explanation.compiled):
        print("\nwhat is not compared yet, `autosplit convert --compare` runs on the emulator")
    for item in explanation.compiled:
        if item.in_f32:
            print()
            show_title(f"What {item.graph} computes in f32, not {item.mode}")
        for text in item.in_f32:
            show_wrapped(text, indent=2)


def show_costs(costs: Mapping[str, Cost | None]) -> None:
    """Prints what the bmodels cost the chip, by sub-model, and warns of commands that outweigh weights."""
    from autosplit.flows.gate.cost import warning

    recorded_costs = {name: cost for name, cost in costs.items() if cost is not None}
    if not recorded_costs:
        return
    rows = [
        (
            name,
            size(cost.commands),
            size(cost.weights),
            size(cost.device),
            f"{cost.milliseconds:.3g} ms",
            f"{cost.simulated:.3g} ms" if cost.simulated else "",
        )
        for name, cost in recorded_costs.items()
    ]
    columns = ("sub-model", "commands", "weights", "device memory", "at least", "by TPU-MLIR")
    print()
    show_table("What a run costs the chip", columns, rows, right=columns[1:])
    for name, cost in recorded_costs.items():
        if text := warning(cost):
            print()
            show_wrapped(f"warning: {name}: {text}", indent=2)


def show_explanation(explanation: Explanation, *, every_op: bool) -> None:
    """Prints the plan, the bmodels, the totals of reasons, and the ops, grouped or one per line."""
    show_plan(explanation)
    show_compiled(explanation)
    _show_reasons(explanation)
    if not explanation.ops:
        return
    print()
    if every_op:
        _show_ops(explanation)
        return
    _show_groups(explanation)
    print("\n--op NAME says all about one op; --all lists every op")


def _show_reasons(explanation: Explanation) -> None:
    """Prints why ops are on the CPU: for each reason how many, which kinds, and one example in full."""
    from autosplit.dialects.reasons import REASONS

    if not (totals := explanation.totals()):
        return
    print()
    show_title("Why ops are on the CPU")
    meanings = {**REASONS["device.refused"], **REASONS["device.moved"]}
    width = max(len(str(total.ops)) for total in totals)
    for total in totals:
        work = ""
        if total.work:
            work = f", {count(total.work)} multiply-adds ({share(total.work, explanation.work)})"
        ops = "op " if total.ops == 1 else "ops"
        meaning = meanings.get(total.code, "")
        show_wrapped(
            f"{total.ops:>{width}} {ops}  {total.code}{work}{': ' if meaning else ''}{meaning}",
            indent=width + 6,
        )
        show_wrapped(_kinds(total.types), indent=width + 6, first=width + 6)
        if total.example:
            text = f"such as {total.example_op!r}: {total.example}"
            show_wrapped(text, indent=width + 6, first=width + 6)


def _kinds(counts: Sequence[tuple[str, int]], limit: int = 4) -> str:
    texts = [f"{n} {kind}" for kind, n in counts[:limit]]
    other_count = sum(n for _, n in counts[limit:])
    return ", ".join([*texts, counted(other_count, "other")] if other_count else texts)


def _show_groups(explanation: Explanation) -> None:
    """Prints where the ops are, by kind."""
    groups: Counter[tuple[str, str, str]] = Counter()
    work: Counter[tuple[str, str, str]] = Counter()
    for op in explanation.ops:
        if op.constant:
            continue
        key = (op.graph, op.device, op.type)
        groups[key] += 1
        work[key] += op.work
    order = {graph.name: i for i, graph in enumerate(explanation.graphs)}
    keys = sorted(groups, key=lambda k: (order[k[0]], -work[k], -groups[k], k[2]))
    rows = [
        (graph, device, kind, str(groups[graph, device, kind]), count(work[graph, device, kind]))
        for graph, device, kind in keys
    ]
    columns = ("sub-model", "device", "kind", "ops", "multiply-adds")
    show_table("Where the ops run", columns, rows, right=columns[3:])


def _show_ops(explanation: Explanation) -> None:
    rows = [
        (
            op.graph,
            op.device,
            op.type,
            op.name,
            "?" if op.uncounted else count(op.work) if op.work else "",
            "; ".join(f"{r.code}: {r.text}" for r in op.reasons) if op.device != "tpu" else "",
        )
        for op in explanation.ops
        if not op.constant
    ]
    columns = ("sub-model", "device", "kind", "name", "multiply-adds", "why")
    show_table(
        "Where the ops run", columns, rows, right=("multiply-adds",), flexible=("name", "why")
    )


def show_op(explanation: Explanation, op: PlacedOp) -> None:
    """Prints all that is recorded about one op."""
    chip = next((g.chip for g in explanation.graphs if g.name == op.graph), "")
    print(f"{op.type} {op.name!r}")
    lines = [f"runs in {op.graph}, on the {op.device} {chip}".rstrip()]
    if op.constant:
        lines.append("is a constant: it follows its users, into several sub-models if need be")
    elif op.accepts:
        lines.append(f"accepted by {' and '.join(op.accepts)}")
    lines += [f"not on the {r.device}: {r.text} [{r.code}]" for r in op.reasons]
    if op.work:
        lines.append(
            f"{count(op.work)} multiply-adds, {share(op.work, explanation.work)} of the model"
        )
    if op.uncounted:
        lines.append("multiply-adds not counted, as only a run tells how many it has")
    lines += [f"reads {text}" for text in op.operands]
    lines += [f"gives {text}" for text in op.results]
    for line in lines:
        print("  " + line)


def show_steps(runner: Runner) -> None:
    """Prints how long each sub-model took, and where it ran."""
    total = sum(step.seconds for step in runner.steps)
    rows: list[tuple[str, str, str, str]] = []
    for step in runner.steps:
        moved = step.device == "cpu" and step.planned != "cpu"
        device = f"{step.device} (for {step.planned})" if moved else step.device
        seconds = f"{step.seconds * 1e3:.2f} ms"
        rows.append((step.name, device, seconds, f"{100 * step.seconds / (total or 1):.1f} %"))
    rows.append(("all", "", f"{total * 1e3:.2f} ms", ""))
    columns = ("sub-model", "ran on", "time", "share")
    show_table("Steps", columns, rows, right=columns[2:])
    if any(device.endswith(")") for _, device, _, _ in rows):
        print("TPU sub-models ran on the CPU, in the model's own framework (mode 0)")


def show_outputs(outputs: Mapping[str, Value]) -> None:
    """Prints names, dtypes, shapes and first values of the outputs."""
    from autosplit.inputs.values import kind_of

    rows = [(name, kind_of(value), _size(value), _first(value)) for name, value in outputs.items()]
    columns = ("output", "dtype", "shape", "starts with")
    print()
    show_table("Outputs", columns, rows, flexible=("output", "starts with"))


def _size(value: Value) -> str:
    """The shape of an array, the length of a sequence or map."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return str(len(cast("list[Value]", value)))
    return "x".join(map(str, value.shape)) or "scalar"


def _first(value: Value, limit: int = 4) -> str:
    """The first numbers of a value; of one that is not an array, those of its first array."""
    from autosplit.inputs.values import arrays_of

    _, array = next(arrays_of("", value), ("", None))
    if array is None:
        return ""
    values = [
        f"{v:.6g}" if isinstance(v, float) else str(v) for v in array.reshape(-1)[:limit].tolist()
    ]
    return " ".join(values) + (" ..." if array.size > limit else "")


def show_differences(differences: Sequence[Difference], model: Path) -> None:
    """Prints how far each output is from the whole model's."""
    rows = [
        (d.name, "yes" if d.equal else "no", f"{d.max_abs:.3g}", f"{d.max_rel:.3g}")
        for d in differences
    ]
    columns = ("output", "bit-equal", "max abs error", "max rel error")
    print()
    show_table(f"Compared with {model}", columns, rows, right=columns[2:], flexible=("output",))
    equal = sum(d.equal for d in differences)
    outputs = counted(len(differences), "output is", "outputs are")
    print(f"\n{equal} of {outputs} bit-equal with the unsplit model")


def write_npz(path: Path, values: Mapping[str, Value]) -> None:
    """Writes arrays by name, as numpy's savez does, but whatever their names are.

    Values that are not arrays are several of them, see `autosplit.inputs.values`.
    """
    import tempfile

    import numpy as np

    from autosplit.core.weights import write_archive
    from autosplit.inputs.values import flat

    arrays = (
        (name, array.astype(np.str_) if array.dtype.kind == "O" else array)
        for name, array in flat(values).items()
    )
    try:
        handle, staged = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                write_archive(file, arrays)
            Path(staged).chmod(0o644)
            Path(staged).replace(path)
        finally:
            Path(staged).unlink(missing_ok=True)
    except OSError as e:
        raise AutosplitError(f"{path}: cannot be written: {e.strerror}") from e
