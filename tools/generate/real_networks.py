"""The tables of docs on real networks and on chips, from what was measured and lies in benchmarks/results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from autosplit.core.units import counted, size
from autosplit.tools.generate.int8_performance import RESULTS

DIGITS = RESULTS / "digits.json"
FORMS = RESULTS / "forms.json"
CALIBRATED = RESULTS / "chip_calibrators.json"
DEPLOYED = RESULTS / "deploy_grid.json"
TASKS = RESULTS / "task_accuracy.json"
"""What real networks find, quantized by several tools."""


def task_networks_table() -> Iterator[str]:
    """How near real networks are to float32, by who quantized them."""
    yield from networks_table(json.loads(TASKS.read_text()))


def task_results_table() -> Iterator[str]:
    """How much of what float32 finds quantized networks find."""
    yield from tasks_table(json.loads(TASKS.read_text()))


def deploy_grid_table() -> Iterator[str]:
    """What deployed networks find on the emulators, beside float32."""
    grid = json.loads(DEPLOYED.read_text())
    yield "| network | chip, mode | on the TPU | sub-models | least cosine | the same as float32 |"
    yield "| --- | --- | ---: | ---: | ---: | --- |"
    for name, rows in grid["networks"].items():
        for chip, row in rows.items():
            place, _, options = chip.partition(" ")
            also = f", `{options}`" if options else ""
            first = f"| {grid['kinds'][name]}, `{name}` | {place.upper().replace(':', ' ')}{also} |"
            if "error" in row:
                yield f"{first} - | - | - | {row['error']} |"
                continue
            same, wanted, there = row["found"]
            more = f", and {there - same} more" if there > same else ""
            pictures = counted(row["samples"], "picture")
            yield (
                f"{first} {row['on_tpu']} | {row['sub_models']} | {row['cosine']:.4f} | "
                f"{same} of {wanted} {row['what']} in {pictures}{more} |"
            )


def chip_calibrators_table() -> Iterator[str]:
    """What calibrators and corrected biases leave of networks in INT8, by trials."""
    kinds = (
        "minmax",
        "minmax, corrected",
        "histogram",
        "histogram, corrected",
        "histogram, corrected, equalized",
    )
    yield f"| network | chip | {' | '.join(kinds)} |"
    yield f"| --- | --- |{' ---: |' * len(kinds)}"
    for name, rows in json.loads(CALIBRATED.read_text()).items():
        for chip, row in rows.items():
            if "what" not in row:
                continue
            cells = [
                f"{_share(row[k]['found'])}, {row[k]['mean']:.4f}" if k in row else ""
                for k in kinds
            ]
            yield f"| `{name}`, {row['what']} | {chip.upper()} | {' | '.join(cells)} |"


def networks_table(measured: dict[str, Any]) -> list[str]:
    """The smallest cosine of an output of each network, as lines of Markdown."""
    kinds = _quantizers(measured)
    lines = [f"| network | {' | '.join(kinds.values())} |", f"| --- |{' ---: |' * len(kinds)}"]
    for task in measured["tasks"].values():
        for name in task["histogram"]["onnxruntime"]["cosines"]:
            cells = [_both(task.get(k, {}), lambda side, n=name: _least(side, n)) for k in kinds]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def tasks_table(measured: dict[str, Any]) -> list[str]:
    """What is found with each, as lines of Markdown."""
    kinds = _quantizers(measured)
    lines = [
        f"| what is found | float32 | {' | '.join(kinds.values())} |",
        f"| --- | ---: |{' ---: |' * len(kinds)}",
    ]
    for name, task in measured["tasks"].items():
        for key, title in (("same", name), ("right", f"right {name}")):
            if key not in task["f32"]:
                continue
            cells = [_both(task.get(k, {}), lambda side, x=key: _share(side[x])) for k in kinds]
            lines.append(f"| {title} | {_share(task['f32'][key])} | {' | '.join(cells)} |")
    return lines


def _quantizers(measured: dict[str, Any]) -> dict[str, str]:
    titles = {
        "onnxruntime": "ONNX Runtime",
        "nncf performance": "NNCF",
        "nncf mixed": "NNCF, mixed",
        "plain": "`--no-correct-biases`",
        "smooth": "`--smooth`",
    }
    kinds = dict.fromkeys(k for t in measured["tasks"].values() for k in t)
    return {k: titles.get(k, f"`{k}`") for k in kinds if k not in ("samples", "f32")}


def _both(sides: dict[str, Any], text: Callable[[dict[str, Any]], str]) -> str:
    """A cell: in ONNX Runtime, and compiled."""
    both = [sides.get(side, {}) for side in ("onnxruntime", "autosplit")]
    if not any("same" in side for side in both):
        return "-"
    return " / ".join(text(side) if "same" in side else "-" for side in both)


def _least(side: dict[str, Any], network: str) -> str:
    return f"{min(side['cosines'][network].values()):.4f}"


def _share(count: list[int]) -> str:
    """How many are the same, of how many, and how many there are besides."""
    same, wanted, seen = count
    more = f" (+{seen - same})" if seen > same else ""
    return f"{same} of {wanted}{more}"


def digits_table() -> Iterator[str]:
    """How many digits trained networks read."""
    yield from digits_rows(json.loads(DIGITS.read_text()))


def digits_rows(networks: dict[str, Any]) -> list[str]:
    """Top-1 of each network, as lines of Markdown."""
    lines = ["| network | float32 | autosplit | ONNX Runtime |", "| --- | ---: | ---: | ---: |"]
    for name, network in networks.items():
        cells = [f"{network['f32']:.2%}"]
        cells += [" / ".join(f"{n:.2%}" for n in network[k]) for k in ("autosplit", "onnxruntime")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def chip_forms_table() -> Iterator[str]:
    """What two forms of one computation cost each chip, as `benchmarks/bench_forms.py` measured it."""
    yield "| computation | chip | usual form | other form | why the usual form stays |"
    yield "| --- | --- | --- | --- | --- |"
    for row in json.loads(FORMS.read_text()):
        costs = [
            f"{size(form['commands'])}, {size(form['memory'])}, {form['ms']:.3f} ms"
            for form in (row["usual"], row["other"])
        ]
        cells = [row["computation"], row["target"].upper(), *costs, row["kept"]]
        yield f"| {' | '.join(cells)} |"
