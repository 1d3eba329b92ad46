"""Records which implementations of oneDNN's the plans of the benchmark's networks run, and which are slow.

    python -m autosplit.tools.generate.slow_kernels [NAME...] [--threads N]

Compiles each network, runs it with the library's own log, and writes what it says of every partition to
benchmarks/results/int8_kernels.json. A partition is slow where the library has nothing but its reference
implementation for it. `lowering/dnnl/slow_kernels.py` keeps such forms out of the plans.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from autosplit.core.errors import AutosplitError
from autosplit.flows.bench import BenchOptions, profile
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.runtime.latency.engines import load, open_plan
from autosplit.runtime.latency.profile import profile_plan
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.networks.files import NETWORKS, names, network
from autosplit.testing.networks.kernel_forms import FORMS
from autosplit.testing.qdq import QdqBuilder
from autosplit.tools.generate.int8_performance import FORMS_FILE, KERNELS, RESULTS

RUNS = 10


def is_slow(kernel: str) -> bool:
    """Whether an implementation, as in `softmax ref:any`, is the library's reference."""
    _, implementation = kernel.split(" ", 1)
    return implementation.startswith("ref") and not implementation.startswith("ref_post")


def summary(steps: Sequence[Any]) -> dict[str, Any]:
    """What the steps of a profile run, and those that are slow."""
    partitions = [step for step in steps if step["kind"] == "partition"]
    counts = Counter(kernel for step in partitions for kernel in step["kernels"])
    slow = [
        {
            "step": step["name"],
            "rule": step["rule"],
            "kernels": step["kernels"],
            "sizes": step["problem"],
            "ms": round(step["ms"], 3),
        }
        for step in partitions
        if any(map(is_slow, step["kernels"]))
    ]
    return {
        "partitions": len(partitions),
        "segments": sum(step["kind"] == "segment" for step in steps),
        "kernels": dict(sorted(counts.items())),
        "slow": slow,
    }


def record(name: str, threads: int) -> dict[str, Any]:
    """The implementations of one network's partitions."""
    options = BenchOptions(
        network(name).int8,
        lambda _: NETWORKS[name].inputs(),
        vs=(),
        threads=threads,
        rounds=1,
        runs=3,
    )
    return summary(profile(options)["steps"])


def record_form(form: str) -> dict[str, Any]:
    """What a single form runs, and its time in both runtimes.

    All in this process: with one thread, none of them has threads that could disturb the other.
    """
    builder = QdqBuilder(seed=1, name="form", opset=17)
    builder.output(builder.qdq(FORMS[form](builder)))
    feeds = builder.feeds()
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "form.onnx", Path(folder) / "out"
        path.write_bytes(builder.build().SerializeToString())
        compile_model(CompileOptions(path, out=out))
        plan, peer = open_plan(out, 1), load("onnxruntime", path, feeds, 1)
        steps = profile_plan(plan, feeds, RUNS)["steps"]
        return {
            "ms": _least(lambda: plan.run(feeds)),
            "onnxruntime_ms": _least(peer.run),
            "steps": [
                {"rule": s["rule"] or s["kind"], "kernels": s["kernels"], "ms": round(s["ms"], 4)}
                for s in steps
            ],
        }


def _least(run: Callable[[], object]) -> float:
    """The smallest time of some runs, in ms."""
    times: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return round(min(times) * 1e3, 4)


def record_forms(chosen: Sequence[str]) -> int:
    """Records single forms; 1 where one cannot be run."""
    forms: dict[str, Any] = json.loads(FORMS_FILE.read_text()) if FORMS_FILE.exists() else {}
    failed = 0
    for form in chosen or FORMS:
        try:
            forms[form] = record_form(form)
        except AutosplitError as e:
            print(f"{form}: {e}", file=sys.stderr)
            failed += 1
            continue
        print(f"{form}: {forms[form]}", flush=True)
        known = {name: forms[name] for name in FORMS if name in forms}
        FORMS_FILE.write_text(json.dumps(known, indent=1) + "\n")
    return 1 if failed else 0


def main(args: Sequence[str] | None = None) -> int:
    """Records the networks; 1 where one cannot be had."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all networks")
    parser.add_argument("--forms", action="store_true", help="single forms, not networks")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(args)
    if options.forms:
        return record_forms(options.names)
    kernels: dict[str, Any] = json.loads(KERNELS.read_text()) if KERNELS.exists() else {}
    missing = 0
    for name in options.names or names():
        try:
            kernels[name] = record(name, options.threads)
        except (AutosplitError, ModelUnavailable) as e:
            print(f"{name}: {e}", file=sys.stderr)
            missing += 1
            continue
        print(f"{name}: {len(kernels[name]['slow'])} slow", flush=True)
        RESULTS.mkdir(exist_ok=True)
        KERNELS.write_text(json.dumps(dict(sorted(kernels.items())), indent=1) + "\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
