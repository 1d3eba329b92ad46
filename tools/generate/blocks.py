"""Fills the marked blocks of hand-written pages: commands with what they print, and tables from the sources.

    <!-- run mlir: autosplit-opt detector.onnx -p place -->
    (here goes the command and its output, as a block of that language)
    <!-- end -->

    <!-- table: devices -->
    (here goes the table of that name)
    <!-- end -->

    <!-- real text: python find_faces.py 320n.onnx portrait.jpg -->
    (as `run`, for what needs models of the package index, or shows times)
    <!-- end -->

Commands run in a fresh folder that holds the models of docs/examples, in the order of the page, so that one
block can read what an earlier one wrote. `autosplit`, `autosplit-opt`, `cat` and `ls` can be run, followed
by any number of `| grep TEXT`, `| grep -v TEXT`, `| head -n N` and `| tail -n N`. A command behind `! ` has
to fail, and its error is shown, too. Blocks that are `real` are made anew only if they are asked for, and may
run `python`, too.

Run as a program, the module writes the models of docs/examples to the current folder.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.units import count, counted
from autosplit.devices import BUILDS, LIMITS, WORKAROUNDS, Chip, all_chips
from autosplit.dialects.reasons import REASONS
from autosplit.lowering.convert_onnx_to_top.forms import FORMS
from autosplit.lowering.convert_onnx_to_top.varying import VARYING_FORMS
from autosplit.toolchains.onednn import VARIABLE, package_library
from autosplit.tools.generate import int8 as docs_int8
from autosplit.tools.generate import int8_performance as docs_performance
from autosplit.tools.generate import real_networks as docs_real
from autosplit.tools.generate import tpu as docs_tpu

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

WIDEST = 120
"""Characters of a line; longer ones are wrapped."""

LONGEST = 100
"""Lines of an output that are shown."""

OURS = ("autosplit", "autosplit-opt")
"""The programs that can be run."""

FAILS = "! "
"""What stands in front of a command that has to fail, as in a shell."""

_BLOCK = re.compile(
    r"^<!-- (?:(?P<kind>run|real) (?P<language>\w+)|(?P<table>table)): (?P<what>.+?) -->\n.*?^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)


def fill(text: str, where: str, real: bool = False) -> str:
    """The page with its blocks made anew, those that are `real` only if asked for.

    Raises AutosplitError, naming `where`, if one cannot be made.
    """
    if _BLOCK.search(text) is None:
        return text
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_examples(folder)

        def block(match: re.Match[str]) -> str:
            if match["kind"] == "real" and not real:
                return match[0]
            try:
                text = _rendered(match, folder)
            except AutosplitError as e:
                raise AutosplitError(f"{where}: {e}") from e
            return f"{match[0].splitlines()[0]}\n{text}\n<!-- end -->"

        return _BLOCK.sub(block, text)


def _rendered(match: re.Match[str], folder: Path) -> str:
    command = match["what"]
    if match["table"] is None:
        printed = run(command, folder, OURS if match["kind"] == "run" else (*OURS, "python"))
        shown = command.removeprefix(FAILS)
        return f"```{match['language']}\n$ {shown}\n{shortened(printed)}\n```"
    if command not in TABLES:
        raise AutosplitError(f"there is no table {command!r}{choice(command, list(TABLES))}")
    return "\n".join(TABLES[command]()).strip()


def copy_examples(folder: Path) -> None:
    """Writes the models of docs/examples into `folder`; those in ONNX's text become .onnx files."""
    import onnx.parser
    from onnx import numpy_helper

    helper = cast("Any", numpy_helper)
    for path in sorted(EXAMPLES.iterdir()):
        if path.suffix != ".onnxtxt":
            (folder / path.name).write_bytes(path.read_bytes())
            continue
        model = onnx.parser.parse_model(path.read_text(encoding="utf-8"))
        # As frameworks write models: what is empty is left out, and tensors are bytes.
        for item in (*model.graph.node, *model.opset_import):
            if not item.domain:
                item.ClearField("domain")
        for tensor in model.graph.initializer:
            tensor.CopyFrom(helper.from_array(helper.to_array(tensor), tensor.name))
        data = model.SerializeToString(deterministic=True)
        (folder / path.with_suffix(".onnx").name).write_bytes(data)


def run(command: str, folder: Path, tools: Sequence[str] = OURS) -> str:
    """What a command prints. Raises AutosplitError for one that fails or is unknown."""
    fails = command.startswith(FAILS)
    words = shlex.split(command.removeprefix(FAILS))
    if "|" in words:
        return _piped(words, folder, tools)
    if words[0] == "cat":
        return "".join((folder / name).read_text(encoding="utf-8") for name in words[1:])
    if words[0] == "ls":
        return "\n".join(sorted(p.name for name in words[1:] for p in (folder / name).iterdir()))
    if words[0] not in tools:
        raise AutosplitError(f"{command!r}: only {', '.join(tools)}, cat and ls can be run")
    tool = str(Path(sys.executable).parent / words[0])
    process = subprocess.run(
        [tool, *words[1:]],
        cwd=folder,
        # The pages show what the package's oneDNN does, whatever other one is there.
        env=os.environ | {VARIABLE: str(package_library())},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120 if tools == OURS else 600,
    )
    message = process.stderr.strip().splitlines()[-1:] or ["no message"]
    if fails and process.returncode == 0:
        raise AutosplitError(f"{command!r} does not fail")
    if fails:
        return f"{process.stdout}{message[0]}"
    if process.returncode != 0:
        raise AutosplitError(f"{command!r} fails: {message[0]}")
    return process.stdout


def _piped(words: list[str], folder: Path, tools: Sequence[str]) -> str:
    stages: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            stages.append([])
        else:
            stages[-1].append(word)
    lines = run(shlex.join(stages[0]), folder, tools).splitlines()
    for stage in stages[1:]:
        lines = _filtered(stage, lines)
    return "\n".join(lines)


def _filtered(words: list[str], lines: list[str]) -> list[str]:
    match words:
        case ["grep", text] if text != "-v":
            return [line for line in lines if text in line]
        case ["grep", "-v", text]:
            return [line for line in lines if text not in line]
        case ["head" | "tail" as end, "-n", number] if number.isdecimal() and int(number):
            return lines[: int(number)] if end == "head" else lines[-int(number) :]
        case _:
            raise AutosplitError(
                f"{shlex.join(words)!r}: expected grep TEXT, grep -v TEXT, head -n N or tail -n N"
            )


def shortened(text: str) -> str:
    """An output in lines that are not too wide, and not too many of them."""
    lines = [part for line in text.strip("\n").splitlines() for part in wrapped(line.rstrip())]
    if len(lines) > LONGEST:
        lines = [*lines[:LONGEST], f"... {counted(len(lines) - LONGEST, 'more line')}"]
    return "\n".join(lines)


def wrapped(line: str) -> Iterator[str]:
    """A line in parts, broken at blanks; the parts behind the first are indented more."""
    indent = " " * (len(line) - len(line.lstrip()) + 6)
    while len(line) > WIDEST:
        split = line.rfind(" ", len(indent) + 1, WIDEST)
        if split < 0:
            break
        yield line[:split]
        line = indent + line[split + 1 :]
    yield line


def devices() -> Iterator[str]:
    """For each chip, what its table says and where each figure comes from."""
    for chip in all_chips():
        yield from (f"### {chip.vendor_name}", "")
        computes = ", ".join(f"{mode} in {dtype}" for mode, dtype in chip.modes.items())
        yield from (f"`--target {chip.name}`. Modes: {computes} ({chip.modes_source}).", "")
        yield from ("| figure | value | kind | source |", "| --- | --- | --- | --- |")
        for name, figure in chip.figures.items():
            value = _amount(figure.value, figure.unit)
            yield f"| `{name}` | {value} | {figure.kind} | {_cell(figure.source)} |"
        yield ""
        kinds = (
            ("left to the host", chip.host_ops),
            ("makes its sub-model dynamic", chip.dynamic_ops),
            ("not lowered", chip.missing_ops),
        )
        rows = [(f"`{op}`", what, why) for what, ops in kinds for op, why in sorted(ops.items())]
        troubles = [("makes its sub-model dynamic", chip.dynamic_forms)]
        for mode, forms in chip.wrong_forms.items():
            troubles.append(("wrong" if mode == "F32" else f"wrong in {mode}", forms))
        for what, forms in troubles:
            for name, why in sorted(forms.items()):
                rows.append((_form(FORMS[name].op_types, FORMS[name].text), what, why))
        for mode, forms in chip.f32_forms.items():
            for name, why in sorted(forms.items()):
                said = (
                    f"`{name}`"
                    if name not in FORMS
                    else _form(FORMS[name].op_types, FORMS[name].text)
                )
                rows.append((said, f"computed in f32 in {mode}", why))
        for name, why in sorted(chip.varying_forms.items()):
            said = _form(VARYING_FORMS[name].op_types, VARYING_FORMS[name].text)
            rows.append((said, "fails in sub-models with varying sizes", why))
        for mode, forms in chip.wrong_varying.items():
            for name, why in sorted(forms.items()):
                form = VARYING_FORMS.get(name)
                said = f"`{name}`" if form is None else _form(form.op_types, form.text)
                rows.append((said, f"fails in {mode} in sub-models with varying sizes", why))
        for mode, forms in chip.f32_varying.items():
            for name, why in sorted(forms.items()):
                form = VARYING_FORMS.get(name)
                said = f"`{name}`" if form is None else _form(form.op_types, form.text)
                what = f"computed in f32 in {mode} in sub-models with varying sizes"
                rows.append((said, what, why))
        for kind, why in sorted(chip.spoiling.items()):
            rows.append((f"`{kind}` of Top", "may compute in its operand's memory", why))
        if rows:
            yield from ("| op | | evidence |", "| --- | --- | --- |")
            yield from (f"| {_cell(op)} | {what} | {_cell(why)} |" for op, what, why in rows)
            yield ""
        yield from _builds(chip)
        yield from ("| what the conversion does | evidence |", "| --- | --- |")
        for name, why in sorted(chip.workarounds.items()):
            yield f"| {WORKAROUNDS[name]} (`{name}`) | {_cell(why)} |"
        for name, limit in sorted(chip.limits.items()):
            yield f"| respects a limit: {LIMITS[name]} (`{name}`), {limit.value:,} | {_cell(limit.source)} |"
        yield ""


def _builds(chip: Chip) -> Iterator[str]:
    yield from ("| beside the modes | | evidence |", "| --- | --- | --- |")
    for name, text in BUILDS.items():
        why = chip.builds.get(name) or chip.no_builds[name]
        yield f"| {text} | {'yes' if name in chip.builds else 'no'} | {_cell(why)} |"
    yield ""


def _form(op_types: Sequence[str], text: str) -> str:
    return f"{', '.join(f'`{op}`' for op in op_types)}: {text}"


def reasons() -> Iterator[str]:
    """The codes of reasons and what each means."""
    yield from _reasons("device.refused", "device.moved")


def memory_reasons() -> Iterator[str]:
    """The codes of the reasons for which ops stay beside updates in place."""
    yield from _reasons("aten.kept")


def int8_reasons() -> Iterator[str]:
    """The codes of the reasons of the INT8 passes."""
    yield from _reasons(
        "quant.refused", "quant.kept", "quant.weights", "dnnl.unmapped", "dnnl.unfused"
    )


def _reasons(*attributes: str) -> Iterator[str]:
    yield from ("| code | attribute | meaning |", "| --- | --- | --- |")
    for attribute in attributes:
        for code, meaning in sorted(REASONS[attribute].items()):
            yield f"| `{code}` | `{attribute}` | {_cell(meaning)} |"


def _amount(value: float, unit: str) -> str:
    """A figure with its unit; sizes to the byte, rates in three digits."""

    if value < 1:
        return f"{value * 1e6:g} us" if unit == "s" else f"{value:g} {unit}"
    return f"{count(round(value)) if unit.endswith('/s') else f'{value:,.0f}'} {unit}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def aten_conversions() -> Iterator[str]:
    """PyTorch's ops that have a conversion, by the file that has it, without the names of overloads."""
    from autosplit.lowering.convert_aten_to_onnx import CONVERSIONS, FAMILIES

    yield from ("| subject | ops |", "| --- | --- |")
    for family in FAMILIES:
        rules = CONVERSIONS.items()
        kinds = {kind for kind, rule in rules if rule.__module__ == family.__name__}
        spaces = ("operator.", "quantized_decomposed.", "torch.")
        names = {k if k.startswith(spaces) else k.partition(".")[0] for k in kinds}
        subject = family.__name__.rpartition(".")[2]
        yield f"| {subject} | {', '.join(f'`{name}`' for name in sorted(names))} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "aten-conversions": aten_conversions,
    "chip-calibrators": docs_real.chip_calibrators_table,
    "chip-forms": docs_real.chip_forms_table,
    "devices": devices,
    "dnnl-rules": docs_int8.dnnl_rules,
    "gluoncv": docs_int8.gluoncv,
    "int8-accounts": docs_performance.accounts_table,
    "int8-alone": partial(docs_performance.latency_table, docs_performance.ALONE),
    "int8-forms": docs_performance.forms_table,
    "int8-kernels": docs_performance.kernels_table,
    "int8-latency": partial(docs_performance.latency_table, docs_performance.LATENCY),
    "int8-left": docs_performance.left_table,
    "int8-nncf": partial(docs_performance.latency_table, docs_performance.NNCF),
    "int8-own": partial(docs_performance.latency_table, docs_performance.OWN),
    "int8-own-newer": partial(docs_performance.latency_table, docs_performance.OWN_NEWER),
    "int8-patterns": docs_int8.int8_patterns,
    "int8-reasons": int8_reasons,
    "int8-others": partial(docs_performance.latency_table, docs_performance.OTHERS),
    "int8-operands": docs_performance.operands_table,
    "int8-slow": docs_performance.slow_table,
    "memory-reasons": memory_reasons,
    "deploy-grid": docs_real.deploy_grid_table,
    "quantize-real": docs_real.task_networks_table,
    "quantize-tasks": docs_real.task_results_table,
    "digits": docs_real.digits_table,
    "quantize-accuracy": docs_performance.accuracy_table,
    "quantize-corrections": docs_performance.corrections_table,
    "tpu-counts": docs_tpu.tpu_counts,
    "tpu-dynamic": docs_tpu.tpu_dynamic,
    "tpu-ops": docs_tpu.tpu_ops,
    "tpu-outright": docs_tpu.tpu_outright,
    "tpu-refused": docs_tpu.tpu_refused,
    "tpu-results": docs_tpu.tpu_results,
    "reasons": reasons,
}


if __name__ == "__main__":
    copy_examples(Path.cwd())
