"""The tables of docs/int8_performance.md, from what was measured and lies in benchmarks/results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autosplit.lowering.dnnl.rules.operands import FAST_OPERANDS, SLOW_OPERAND
from autosplit.lowering.dnnl.slow_kernels import REQUANTIZED_POOL, SLOW_KERNELS

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
FORMS_FILE = RESULTS / "int8_forms.json"
KERNELS = RESULTS / "int8_kernels.json"
LATENCY = RESULTS / "int8_latency.json"
ALONE = RESULTS / "int8_latency_1.json"
"""In one thread."""
OTHERS = RESULTS / "int8_others.json"
QUANTIZED = RESULTS / "quantize_accuracy.json"
CORRECTED = RESULTS / "quantize_corrections.json"
DIGITS = RESULTS / "digits.json"
TASKS = RESULTS / "task_accuracy.json"
"""What real networks find, quantized by several tools."""
ACCOUNTS = RESULTS / "int8_accounts.json"
"""Where the time goes, in autosplit and in OpenVINO."""

ENGINES = ("autosplit", "onnxruntime", "openvino")


def latency_table(results: Path) -> Iterator[str]:
    """The networks in all engines, as they were measured."""
    yield from latency(json.loads(results.read_text()))


def latency(found: dict[str, Any]) -> list[str]:
    """The networks in all engines, and what was measured, as lines of Markdown."""
    lines = [
        "| network | autosplit | ONNX Runtime | OpenVINO | of the faster | f32 | cosine to f32 | idle |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for name, measured in sorted(found.items()):
        sides = {s["engine"]: s for s in measured["sides"] if s["precision"] == "int8"}
        cells = [_times(sides.get(engine)) for engine in ENGINES]
        cosines = [_cosine(sides.get(engine)) for engine in ENGINES]
        cells += [_ratio(sides), _floats(measured["sides"]), " / ".join(cosines)]
        cells.append(f"{measured['idle']:.0%}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    versions = [s["version"] for measured in found.values() for s in measured["sides"]]
    threads = sorted({measured["threads"] for measured in found.values()})
    said = ", ".join(map(str, threads))
    return [*lines, "", f"Threads: {said}. " + "; ".join(dict.fromkeys(versions)) + "."]


def _times(side: dict[str, Any] | None) -> str:
    return "" if side is None else f"{side['min_ms']:.2f} ({side['median_ms']:.2f})"


def _floats(sides: list[dict[str, Any]]) -> str:
    """The smallest times in float32 of the engines that were measured in it."""
    return " / ".join(f"{s['min_ms']:.1f}" for s in sides if s["precision"] == "f32")


def _cosine(side: dict[str, Any] | None) -> str:
    return "-" if side is None or side["cosine"] is None else f"{side['cosine']:.4f}"


def _ratio(sides: dict[str, Any]) -> str:
    peers = [side for engine, side in sides.items() if engine != "autosplit"]
    if not peers:
        return ""
    best = max(peers, key=lambda side: side["ratio"])
    low, high = best["ratio_quartiles"]
    return f"{best['ratio']:.2f} ({low:.2f} to {high:.2f})"


def kernels_table() -> Iterator[str]:
    """How many partitions of each network run which implementation."""
    found: dict[str, Any] = json.loads(KERNELS.read_text())
    yield "| network | partitions | segments | slow | implementations |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for name, network in found.items():
        said = ", ".join(f"{count} {kernel}" for kernel, count in network["kernels"].items())
        counts = f"{network['partitions']} | {network['segments']} | {len(network['slow'])}"
        yield f"| {name} | {counts} | {said} |"


def forms_table() -> Iterator[str]:
    """What the single forms run."""
    found: dict[str, Any] = json.loads(FORMS_FILE.read_text())
    yield "| form | autosplit | ONNX Runtime | what runs |"
    yield "| --- | ---: | ---: | --- |"
    for form, measured in found.items():
        said: list[str] = []
        for step in measured["steps"]:
            kernels = ", ".join(step["kernels"]) or "ONNX Runtime"
            said.append(f"`{step['rule']}`: {kernels}")
        times = f"{measured['ms']:.3f} | {measured['onnxruntime_ms']:.3f}"
        yield f"| {form} | {times} | {'; '.join(said)} |"


def slow_table() -> Iterator[str]:
    """The partitions that run a reference implementation."""
    found: dict[str, Any] = json.loads(KERNELS.read_text())
    rows = [(name, slow) for name, network in found.items() for slow in network["slow"]]
    if not rows:
        yield "None of them runs a reference implementation."
        return
    yield "| network | rule | implementation | sizes | ms |"
    yield "| --- | --- | --- | --- | ---: |"
    for name, slow in rows:
        kernels = ", ".join(slow["kernels"])
        yield f"| {name} | `{slow['rule']}` | {kernels} | {slow['sizes']} | {slow['ms']:.3f} |"


def left_table() -> Iterator[str]:
    """The forms that are left to ONNX Runtime."""
    yield "| op of oneDNN's | an op that | oneDNN | ONNX Runtime |"
    yield "| --- | --- | ---: | ---: |"
    for slow in SLOW_KERNELS:
        yield f"| `{slow.kind}` | {slow.what} | {slow.ours:g} ms | {slow.other:g} ms |"
    said = REQUANTIZED_POOL.format(pool="a pool").replace("'", "")
    yield f"| `Quantize` | {said} | 132 ms | 0.13 ms |"
    yield f"| `Add`, `Multiply` and their like | {SLOW_OPERAND} | 216 ms | 0.18 ms |"


def operands_table() -> Iterator[str]:
    """The operands behind products that have kernels."""
    yield "| product | dimensions | operands with a fast kernel |"
    yield "| --- | ---: | --- |"
    for (kind, rank), known in FAST_OPERANDS.items():
        said = ", ".join(f"`{marks}`" for marks in sorted(known))
        yield f"| `{kind}` | {rank} | {said} |"


def accounts_table() -> Iterator[str]:
    """What both sides spend their time on."""
    found: dict[str, Any] = json.loads(ACCOUNTS.read_text())
    kinds = ("products", "pools", "casts", "others", "between")
    yield f"| network | engine | {' | '.join(kinds)} |"
    yield f"| --- | --- |{' ---: |' * len(kinds)}"
    for name, sides in found.items():
        for engine, spent in sides.items():
            cells = [f"{spent.get(kind, 0):.2f}" for kind in kinds]
            title = "OpenVINO" if engine == "openvino" else engine
            yield f"| {name} | {title} | {' | '.join(cells)} |"


def accuracy_table() -> Iterator[str]:
    """How near quantized networks are to float32."""
    yield from accuracy(json.loads(QUANTIZED.read_text()))


def accuracy(found: dict[str, Any]) -> list[str]:
    """Cosines in ONNX Runtime, and compiled, by who quantized, as lines of Markdown."""
    kinds = list(dict.fromkeys(kind for network in found.values() for kind in network))
    titles = ["ONNX Runtime's quantizer", *(f"`{kind}`" for kind in kinds[1:])]
    lines = [
        f"| network | {' | '.join(titles)} |",
        f"| --- |{' ---: |' * len(kinds)}",
    ]
    for name, network in sorted(found.items()):
        cells = [" / ".join(f"{c:.4f}" for c in network.get(kind, ())) for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def corrections_table() -> Iterator[str]:
    """How near quantized networks are to float32 with each correction."""
    yield from corrections(json.loads(CORRECTED.read_text()))


def corrections(found: dict[str, Any]) -> list[str]:
    """Cosines by correction, as lines of Markdown."""
    kinds = list(dict.fromkeys(kind for network in found.values() for kind in network))
    titles = [kind if kind in ("none", "all") else f"`--{kind}`" for kind in kinds]
    lines = [
        f"| network | {' | '.join(titles)} |",
        f"| --- |{' ---: |' * len(kinds)}",
    ]
    for name, network in sorted(found.items()):
        cells = [f"{network[kind]:.4f}" if kind in network else "" for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def task_networks_table() -> Iterator[str]:
    """How near real networks are to float32, by who quantized them."""
    yield from networks_table(json.loads(TASKS.read_text()))


def task_results_table() -> Iterator[str]:
    """How much of what float32 finds quantized networks find."""
    yield from tasks_table(json.loads(TASKS.read_text()))


def networks_table(found: dict[str, Any]) -> list[str]:
    """The smallest cosine of an output of each network, as lines of Markdown."""
    kinds = _quantizers(found)
    lines = [f"| network | {' | '.join(kinds.values())} |", f"| --- |{' ---: |' * len(kinds)}"]
    for task in found["tasks"].values():
        for name in task["histogram"]["onnxruntime"]["cosines"]:
            cells = [_both(task.get(k, {}), lambda side, n=name: _least(side, n)) for k in kinds]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def tasks_table(found: dict[str, Any]) -> list[str]:
    """What is found with each, as lines of Markdown."""
    kinds = _quantizers(found)
    lines = [
        f"| what is found | float32 | {' | '.join(kinds.values())} |",
        f"| --- | ---: |{' ---: |' * len(kinds)}",
    ]
    for name, task in found["tasks"].items():
        for key, title in (("same", name), ("right", f"right {name}")):
            if key not in task["f32"]:
                continue
            cells = [_both(task.get(k, {}), lambda side, x=key: _share(side[x])) for k in kinds]
            lines.append(f"| {title} | {_share(task['f32'][key])} | {' | '.join(cells)} |")
    return lines


def _quantizers(found: dict[str, Any]) -> dict[str, str]:
    titles = {
        "onnxruntime": "ONNX Runtime",
        "nncf performance": "NNCF",
        "nncf mixed": "NNCF, mixed",
    }
    kinds = dict.fromkeys(k for t in found["tasks"].values() for k in t)
    return {k: titles.get(k, f"`{k}`") for k in kinds if k not in ("samples", "f32")}


def _both(sides: dict[str, Any], text: Callable[[dict[str, Any]], str]) -> str:
    """A cell: in ONNX Runtime, and compiled."""
    found = [sides.get(side, {}) for side in ("onnxruntime", "autosplit")]
    if not any("same" in side for side in found):
        return "-"
    return " / ".join(text(side) if "same" in side else "-" for side in found)


def _least(side: dict[str, Any], network: str) -> str:
    return f"{min(side['cosines'][network].values()):.4f}"


def _share(count: list[int]) -> str:
    """How many are the same, of how many, and how many there are besides."""
    same, wanted, found = count
    more = f" (+{found - same})" if found > same else ""
    return f"{same} of {wanted}{more}"


def digits_table() -> Iterator[str]:
    """How many digits trained networks read."""
    yield from digits_rows(json.loads(DIGITS.read_text()))


def digits_rows(found: dict[str, Any]) -> list[str]:
    """Top-1 of each network, as lines of Markdown."""
    lines = ["| network | float32 | autosplit | ONNX Runtime |", "| --- | ---: | ---: | ---: |"]
    for name, network in found.items():
        cells = [f"{network['f32']:.2%}"]
        cells += [" / ".join(f"{n:.2%}" for n in network[k]) for k in ("autosplit", "onnxruntime")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines
