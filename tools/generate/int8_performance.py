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
OWN = RESULTS / "int8_own.json"
"""Each engine on the file of its own quantizer."""
OWN_NEWER = RESULTS / "int8_own_3_6.json"
"""The same with oneDNN 3.6."""
NNCF = RESULTS / "int8_nncf.json"
"""All engines on NNCF's file."""
OTHERS = RESULTS / "int8_others.json"
QUANTIZED = RESULTS / "quantize_accuracy.json"
CORRECTED = RESULTS / "quantize_corrections.json"
ACCOUNTS = RESULTS / "int8_accounts.json"
"""Where the time goes, in autosplit and in OpenVINO."""

ENGINES = ("autosplit", "onnxruntime", "openvino")


def latency_table(results: Path) -> Iterator[str]:
    """The networks in all engines, as they were measured."""
    yield from latency(json.loads(results.read_text()))


def latency(networks: dict[str, Any]) -> list[str]:
    """The networks in all engines, and what was measured, as lines of Markdown."""
    lines = [
        "| network | autosplit | ONNX Runtime | OpenVINO | of the faster | f32 | cosine to f32 | idle |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for name, measured in sorted(networks.items()):
        int8_sides = {s["engine"]: s for s in measured["sides"] if s["precision"] == "int8"}
        cells = [_times(int8_sides.get(engine)) for engine in ENGINES]
        cosines = [_cosine(int8_sides.get(engine)) for engine in ENGINES]
        cells += [_ratio(int8_sides), _floats(measured["sides"]), " / ".join(cosines)]
        cells.append(f"{measured['idle']:.0%}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    versions = [s["version"] for measured in networks.values() for s in measured["sides"]]
    threads = sorted({measured["threads"] for measured in networks.values()})
    thread_text = ", ".join(map(str, threads))
    return [*lines, "", f"Threads: {thread_text}. " + "; ".join(dict.fromkeys(versions)) + "."]


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
    networks: dict[str, Any] = json.loads(KERNELS.read_text())
    yield "| network | partitions | segments | slow | implementations |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for name, network in networks.items():
        kernel_text = ", ".join(f"{count} {kernel}" for kernel, count in network["kernels"].items())
        counts = f"{network['partitions']} | {network['segments']} | {len(network['slow'])}"
        yield f"| {name} | {counts} | {kernel_text} |"


def forms_table() -> Iterator[str]:
    """What the single forms run."""
    forms: dict[str, Any] = json.loads(FORMS_FILE.read_text())
    yield "| form | autosplit | ONNX Runtime | what runs |"
    yield "| --- | ---: | ---: | --- |"
    for form, measured in forms.items():
        step_texts: list[str] = []
        for step in measured["steps"]:
            kernels = ", ".join(step["kernels"]) or "ONNX Runtime"
            step_texts.append(f"`{step['rule']}`: {kernels}")
        times = f"{measured['ms']:.3f} | {measured['onnxruntime_ms']:.3f}"
        yield f"| {form} | {times} | {'; '.join(step_texts)} |"


def slow_table() -> Iterator[str]:
    """The partitions that run a reference implementation."""
    networks: dict[str, Any] = json.loads(KERNELS.read_text())
    rows = [(name, slow) for name, network in networks.items() for slow in network["slow"]]
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
    form = REQUANTIZED_POOL.format(pool="a pool").replace("'", "")
    yield f"| `Quantize` | {form} | 132 ms | 0.13 ms |"
    yield f"| `Add`, `Multiply` and their like | {SLOW_OPERAND} | 216 ms | 0.18 ms |"


def operands_table() -> Iterator[str]:
    """The operands behind products that have kernels."""
    yield "| product | dimensions | operands with a fast kernel |"
    yield "| --- | ---: | --- |"
    for (kind, rank), marks_of in FAST_OPERANDS.items():
        shapes = ", ".join(f"`{marks}`" for marks in sorted(marks_of))
        yield f"| `{kind}` | {rank} | {shapes} |"


def accounts_table() -> Iterator[str]:
    """What both sides spend their time on."""
    networks: dict[str, Any] = json.loads(ACCOUNTS.read_text())
    kinds = ("products", "pools", "casts", "others", "between")
    yield f"| network | engine | {' | '.join(kinds)} |"
    yield f"| --- | --- |{' ---: |' * len(kinds)}"
    for name, sides in networks.items():
        for engine, spent in sides.items():
            cells = [f"{spent.get(kind, 0):.2f}" for kind in kinds]
            title = "OpenVINO" if engine == "openvino" else engine
            yield f"| {name} | {title} | {' | '.join(cells)} |"


def accuracy_table() -> Iterator[str]:
    """How near quantized networks are to float32."""
    yield from accuracy(json.loads(QUANTIZED.read_text()))


def accuracy(networks: dict[str, Any]) -> list[str]:
    """Cosines in ONNX Runtime, and compiled, by who quantized, as lines of Markdown."""
    kinds = list(dict.fromkeys(kind for network in networks.values() for kind in network))
    titles = ["ONNX Runtime's quantizer", *(f"`{kind}`" for kind in kinds[1:])]
    lines = [
        f"| network | {' | '.join(titles)} |",
        f"| --- |{' ---: |' * len(kinds)}",
    ]
    for name, network in sorted(networks.items()):
        cells = [" / ".join(f"{c:.4f}" for c in network.get(kind, ())) for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def corrections_table() -> Iterator[str]:
    """How near quantized networks are to float32 with each correction."""
    yield from corrections(json.loads(CORRECTED.read_text()))


def corrections(networks: dict[str, Any]) -> list[str]:
    """Cosines by correction, as lines of Markdown."""
    kinds = list(dict.fromkeys(kind for network in networks.values() for kind in network))
    titles = [kind if kind in ("none", "all") else f"`--{kind}`" for kind in kinds]
    lines = [
        f"| network | {' | '.join(titles)} |",
        f"| --- |{' ---: |' * len(kinds)}",
    ]
    for name, network in sorted(networks.items()):
        cells = [f"{network[kind]:.4f}" if kind in network else "" for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines
