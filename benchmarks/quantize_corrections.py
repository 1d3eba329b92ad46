"""What the corrections of `autosplit quantize` bring: how near to float32 networks stay with each of them.

    python benchmarks/quantize_corrections.py [--models NAME,...] [--json FILE]

Prints for each network of `benchmarks/models.py` the smallest cosine of an output in ONNX Runtime, the mean
over inputs that nothing was calibrated on (real networks: the samples themselves): without a correction, with
each, and with all of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from quantize_accuracy import inputs_of, measure_all, run

from autosplit.core.tolerances import nearness
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.testing.networks.files import NETWORKS, names, network
from autosplit.tools.generate.int8_performance import CORRECTED, corrections

CORRECTIONS: Mapping[str, Mapping[str, Any]] = {
    "none": {"correct_biases": False},
    "equalize": {"equalize": True, "correct_biases": False},
    "smooth": {"smooth": 0.5, "correct_biases": False},
    "correct-biases": {"correct_biases": True},
    "all": {"equalize": True, "smooth": 0.5, "correct_biases": True},
}
"""The options by the name of the column."""


def measure(name: str) -> dict[str, float]:
    """The cosines of one network."""
    files, inputs = network(name), inputs_of(name)
    exact = run(files.f32, inputs)
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "int8.onnx"
        for title, options in CORRECTIONS.items():
            samples = NETWORKS[name].calibration()
            quantize_model(QuantizeOptions(files.f32, out, samples=samples, force=True, **options))
            near = [nearness(o, e) for o, e in zip(run(out, inputs), exact, strict=True)]
            found[title] = round(float(np.mean(near)), 5)
    return found


def main() -> int:
    """Measures what is asked for; 1 where something cannot be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=",".join(names()))
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"as {CORRECTED.name}")
    options = parser.parse_args()
    found, missing = measure_all(options.models.split(","), options.json, measure)
    print("\n".join(corrections(found)))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
