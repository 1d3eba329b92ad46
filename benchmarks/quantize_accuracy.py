"""How near to float32 networks stay that autosplit and ONNX Runtime quantize, on the same samples.

    python benchmarks/quantize_accuracy.py [--models NAME,...] [--calibrators NAME,...] [--json FILE]

Prints for each network of `benchmarks/models.py` the smallest cosine of an output, the mean over inputs that
nothing was calibrated on (real networks: the samples themselves): of ONNX Runtime's file in ONNX Runtime and
compiled by autosplit, and the same of autosplit's.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import nearness
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.networks.files import NETWORKS, Seeded, names, network
from autosplit.tools.generate.int8_performance import accuracy

Feeds = Mapping[str, Any]

SEEDS = (2, 3, 4)


def inputs_of(name: str) -> list[Feeds]:
    """What the outputs are compared for."""
    chosen = NETWORKS[name]
    if isinstance(chosen, Seeded):
        return [chosen.feeds(np.random.default_rng(seed)) for seed in SEEDS]
    return list(chosen.calibration())


def run(path: Path, inputs: Sequence[Feeds]) -> list[dict[str, Any]]:
    """The outputs in ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    wanted = [o.name for o in session.get_outputs()]
    return [dict(zip(wanted, session.run(wanted, feeds), strict=True)) for feeds in inputs]


def run_compiled(path: Path, inputs: Sequence[Feeds]) -> list[dict[str, Any]]:
    """The outputs of the compiled plan."""
    made = compile_model(CompileOptions(path))
    plan = Plan.from_module(made.module, made.store)
    return [dict(plan.run(feeds)) for feeds in inputs]


def measure(name: str, calibrators: Sequence[str]) -> dict[str, Any]:
    """The cosines of one network."""
    files, inputs = network(name), inputs_of(name)
    exact = run(files.f32, inputs)

    def near(outputs: list[dict[str, Any]]) -> float:
        return round(
            float(np.mean([nearness(o, e) for o, e in zip(outputs, exact, strict=True)])), 5
        )

    found: dict[str, Any] = {
        "onnxruntime": [near(run(files.int8, inputs)), near(run_compiled(files.int8, inputs))]
    }
    with tempfile.TemporaryDirectory() as folder:
        for calibrator in calibrators:
            out = Path(folder) / f"{calibrator}.onnx"
            samples = NETWORKS[name].calibration()
            quantize_model(QuantizeOptions(files.f32, out, samples=samples, calibrator=calibrator))
            found[calibrator] = [near(run(out, inputs)), near(run_compiled(out, inputs))]
    return found


def measure_all(
    models: Sequence[str], kept: Path | None, measure: Callable[[str], dict[str, Any]]
) -> tuple[dict[str, Any], int]:
    """What is measured of each model, told and kept as it comes, and how many cannot be had.

    `kept`: a file that adds up over runs; what it holds of other models stays.
    """
    found: dict[str, Any] = {}
    if kept is not None and kept.exists():
        found = json.loads(kept.read_text())
    missing = 0
    for name in models:
        try:
            found[name] = measure(name)
        except (AutosplitError, ModelUnavailable) as e:
            print(f"{name}: {e}", file=sys.stderr)
            missing += 1
            continue
        print(name, found[name], file=sys.stderr, flush=True)
        if kept is not None:
            kept.write_text(json.dumps(found, indent=1) + "\n")
    return found, missing


def main() -> int:
    """Measures what is asked for; 1 where something cannot be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=",".join(names()))
    parser.add_argument("--calibrators", default="histogram,minmax,percentile")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    calibrators = options.calibrators.split(",")
    found, missing = measure_all(
        options.models.split(","), options.json, lambda name: measure(name, calibrators)
    )
    print("\n".join(accuracy(found)))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
