"""INT8 plans beside ONNX Runtime and OpenVINO, on the networks of `benchmarks/models.py`.

    python benchmarks/int8_latency.py [--models NAME,...] [--threads N] [--rounds N] [--runs N]
                                      [--vs ENGINE,...] [--json FILE]

All engines run the same file on the same inputs and threads, in turns, each in a process of its own. Prints
a table in Markdown: the smallest and the median time in ms, and by the rounds what autosplit takes of the
faster peer's time: the median, and the quartiles; then the peers in float32, and how near the outputs of
the three are to it, in the same order. With --json what was measured so far is kept in FILE, and networks
that are in it are replaced, so that a table can be measured in parts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.bench import PEERS, ROUNDS, RUNS, BenchOptions, bench
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.networks.files import NETWORKS, names, network


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One network in all engines."""
    files = network(name)
    found = bench(
        BenchOptions(
            files.int8,
            lambda _: NETWORKS[name].inputs(),
            files.f32,
            options.vs.split(","),
            options.threads,
            options.rounds,
            options.runs,
            lambda text: print(f"{name}: {text}", file=sys.stderr, flush=True),
        )
    )
    return found.to_json()


def table(found: dict[str, Any]) -> str:
    """The networks in Markdown."""
    engines = ["autosplit", *PEERS]
    lines = [
        "| network | autosplit | ONNX Runtime | OpenVINO | of the faster | f32 | cosine to f32 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for name, measured in sorted(found.items()):
        sides = {s["engine"]: s for s in measured["sides"] if s["precision"] == "int8"}
        cells = [_times(sides.get(engine)) for engine in engines]
        cosines = [_cosine(sides.get(engine)) for engine in engines]
        cells += [_ratio(sides), _floats(measured["sides"]), " / ".join(cosines)]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


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


def main(args: Sequence[str] | None = None) -> int:
    """Measures what is asked for; 1 where something cannot be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=",".join(names()), help="default: all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--vs", default=",".join(PEERS))
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(args)
    wanted = options.models.split(",")
    if unknown := [n for n in wanted if n not in names()]:
        parser.error(f"no network is called {unknown[0]!r}{choice(unknown[0], names())}")
    found: dict[str, Any] = {}
    if options.json is not None and options.json.exists():
        found = json.loads(options.json.read_text())
    missing = 0
    for name in wanted:
        try:
            found[name] = measure(name, options)
        except (AutosplitError, ModelUnavailable) as e:
            print(f"{name}: {e}", file=sys.stderr)
            missing += 1
            continue
        if options.json is not None:
            options.json.write_text(json.dumps(found, indent=2) + "\n")
    print(table(found))
    versions = [s["version"] for measured in found.values() for s in measured["sides"]]
    print("\n" + "; ".join(dict.fromkeys(versions)))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
