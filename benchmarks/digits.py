"""How many handwritten digits two networks read, trained here: in float32, and with 8 bits.

python benchmarks/digits.py [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import onnxruntime

from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.networks.digits import DIGIT_NETWORKS, Digits, digits, top1, train_network
from autosplit.testing.quantize import quantize_file
from autosplit.tools.generate.real_networks import digits_rows

SAMPLES = 64
"""Pictures that are quantized with."""


def in_runtime(path: Path, test: Digits) -> float:
    """What a file reads in ONNX Runtime."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return round(top1(session.run(None, {"image": test.images})[0], test), 5)


def compiled(path: Path, test: Digits) -> float:
    """What a file reads compiled by autosplit."""
    made = compile_model(CompileOptions(path))
    plan = Plan.from_module(made.module, made.store)
    return round(top1(plan.run({"image": test.images})["logits"], test), 5)


def measure(name: str, folder: Path) -> dict[str, Any]:
    """One network."""
    train, test = digits()
    f32 = folder / f"{name}.onnx"
    f32.write_bytes(train_network(name, train).to_onnx().SerializeToString())
    samples = [{"image": train.images[i : i + 1]} for i in range(SAMPLES)]
    found: dict[str, Any] = {"pictures": len(test.images), "f32": in_runtime(f32, test)}
    files = {who: folder / f"{name}.{who}.onnx" for who in ("onnxruntime", "autosplit")}
    quantize_file(f32, files["onnxruntime"], samples, reduce_range=False)
    quantize_model(QuantizeOptions(f32, files["autosplit"], samples=samples))
    for who, path in files.items():
        found[who] = [in_runtime(path, test), compiled(path, test)]
    return found


def main() -> int:
    """Measures; 1 where the digits cannot be had."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = {name: measure(name, Path(folder)) for name in DIGIT_NETWORKS}
    except ModelUnavailable as e:
        print(e, file=sys.stderr)
        return 1
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(digits_rows(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
