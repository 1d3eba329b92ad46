"""What calibrators and corrected biases leave of networks in INT8 on the chips.

    python benchmarks/chip_calibrators.py [--networks NAME,...] [--chips CHIP,...] [--samples N] [--json FILE]

Each network of `deploy_grid.py` that is one sub-model is calibrated as `deploy` does it. It solves its task
on pictures that it was not calibrated with, once in float32 and once in a model that rounds as the chip does
(`calibration.chip_switches`), without what `deploy` would keep in F16.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from deploy_grid import NETWORKS, fixed_model
from tasks.task import Count, Feeds, Outputs

from autosplit.calibration.calibrate import Tables, tables
from autosplit.calibration.calibrators import DEFAULT_CALIBRATOR
from autosplit.calibration.chip_switches import SwitchedChip
from autosplit.core.tolerances import difference
from autosplit.core.weights import store_for
from autosplit.devices import Chip, get_chip
from autosplit.flows.converting.biases import corrected_biases
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.onnx.files import write_model
from autosplit.formats.top_mlir.reader import read_top
from autosplit.lowering.pipelines import run_passes
from autosplit.platforms import load_model
from autosplit.registry import make_context

RESULTS = Path(__file__).parent / "results" / "chip_calibrators.json"

CALIBRATORS = ("minmax", "histogram")


def main() -> int:
    """Measures, and prints each network as it is done."""
    parser = argparse.ArgumentParser(description="Calibrators for the chips, by trials.")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--chips", default="bm1684,bm1688")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    measured: dict[str, Any] = json.loads(args.json.read_text()) if args.json.is_file() else {}
    for name in args.networks.split(","):
        for chip in args.chips.split(","):
            row = measure(name, get_chip(chip), args.samples)
            measured.setdefault(name, {})[chip] = row
            args.json.write_text(json.dumps(measured, indent=1, sort_keys=True) + "\n")
            print(name, chip, json.dumps(row), flush=True)
    return 0


def measure(name: str, chip: Chip, count: int) -> dict[str, Any]:
    """One network, by calibrator, and that with corrected biases."""
    task = NETWORKS[name].task
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        model = fixed_model(task, name, folder)
        text, *others = _texts(model, folder / "plain", chip)
        if others:
            return {"sub_models": 1 + len(others)}
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        wanted = [o.name for o in session.get_outputs()]

        def in_f32(_: str, feeds: Feeds) -> Outputs:
            return dict(zip(wanted, session.run(wanted, dict(feeds)), strict=True))

        row: dict[str, Any] = {"what": task.name, "samples": count}
        for calibrator in CALIBRATORS:
            of_samples = _tables(text, task, chip, calibrator)
            row[calibrator] = _solved(task, of_samples, chip, in_f32, count)
            corrected = replace(of_samples, biases=corrected_biases(of_samples, chip))
            row[f"{calibrator}, corrected"] = _solved(task, corrected, chip, in_f32, count)
        if chip.shifts_sums:
            (text,) = _texts(_equalized(model), folder / "equalized", chip)
            of_samples = _tables(text, task, chip, DEFAULT_CALIBRATOR)
            corrected = replace(of_samples, biases=corrected_biases(of_samples, chip))
            key = f"{DEFAULT_CALIBRATOR}, corrected, equalized"
            row[key] = _solved(task, corrected, chip, in_f32, count)
        return row


def _texts(model: Path, out: Path, chip: Chip) -> list[Path]:
    split_model(SplitOptions(model, out=out, target=chip.name, mode="INT8"))
    return [*out.glob("graph_ir_*/graph_*.mlir")]


def _equalized(model: Path) -> Path:
    """The model as `convert --equalize` lowers it."""
    module = load_model(model).module
    run_passes(make_context(), module, "convert-to-onnx,submodel-equalize")
    path = model.with_name("equalized.onnx")
    write_model(module, store_for(module), path)
    return path


def _tables(text: Path, task: Any, chip: Chip, calibrator: str) -> Tables:
    samples = _calibration(task)
    return tables(read_top(text), samples, chip=chip, calibrator=calibrator, correct_biases=True)


def _calibration(task: Any) -> list[Feeds]:
    seen: list[Feeds] = []

    def look(_: str, feeds: Feeds) -> Outputs:
        seen.append(dict(feeds))
        raise StopIteration

    for sample in task.calibration():
        with contextlib.suppress(StopIteration):
            task.solve(sample, look)
    return seen


def _solved(
    task: Any, of_samples: Tables, chip: Chip, in_f32: Callable[..., Outputs], count: int
) -> dict[str, Any]:
    trial = SwitchedChip(of_samples, chip, switched=False)
    cosines: list[float] = []

    def on_trial(_: str, feeds: Feeds) -> Outputs:
        exact = in_f32("", feeds)
        results = zip(exact.items(), trial.run(feeds, ()).values(), strict=True)
        rounded = {name: array.reshape(whole.shape) for (name, whole), array in results}
        cosines.extend(difference(whole, rounded[name]).cosine for name, whole in exact.items())
        return rounded

    same = Count(0, 0, 0)
    for sample in task.held_out()[:count]:
        same += task.same(task.solve(sample, on_trial), task.solve(sample, in_f32))
    mean = float(np.mean(cosines))
    return {"cosine": round(min(cosines), 5), "mean": round(mean, 5), "found": same.to_json()}


if __name__ == "__main__":
    sys.exit(main())
