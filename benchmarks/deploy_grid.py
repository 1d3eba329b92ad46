"""Whether real networks, deployed in one command each, find on the chips what they find in float32.

    python benchmarks/deploy_grid.py [--networks NAME,...] [--chips CHIP:MODE,...] [--samples N] [--again]

Each network is deployed by `autosplit deploy` with pictures for calibration and a description of their
preprocessing, for each chip and mode, and runs on the chip's emulator on pictures that it was not calibrated
with. Its task (see `benchmarks/tasks`) is solved with it and in float32 in ONNX Runtime. What the file of
`--json` holds stays there, and is not measured again without `--again`: so the grid can be filled
in pieces: emulators take minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from PIL import Image
from tasks.bodies import Bodies
from tasks.faces import Faces
from tasks.small import SMALL, Digit, Places
from tasks.task import Array, Count, Feeds, Outputs, Task
from tasks.texts import Finder, Reader, Turner

from autosplit.core.tolerances import difference
from autosplit.runtime.runner import Runner, open_runner
from autosplit.testing.models import model_path
from autosplit.testing.quantize import of_fixed_sizes

RESULTS = Path(__file__).parent / "results" / "deploy_grid.json"


@dataclass(frozen=True)
class Row:
    """A network of the grid."""

    kind: str
    task: Task
    preprocess: str


NETWORKS = {
    "pp_ocr_cls": Row("classifier (which way up text is)", Turner(), "mean=127.5,scale=1/127.5"),
    "pp_ocr_rec": Row("OCR (PP-OCRv4)", Reader(), "mean=127.5,scale=1/127.5"),
    "nudenet": Row("YOLO-like detector", Bodies(), "scale=1/255"),
    "centerface": Row("face detector", Faces(), "scale=1"),
    "pp_ocr_det": Row(
        "segmentation (where text is)",
        Finder(),
        "mean=123.675,116.28,103.53,scale=1/58.395,1/57.12,1/57.375",
    ),
    **{name: Row(*row) for name, row in SMALL.items()},
}

CHIPS = ("bm1684:INT8", "bm1688:INT8", "bm1688:F16", "bm1684x:INT8", "bm1684x:F16")


def main() -> int:
    """Measures, and prints each combination as it is done."""
    parser = argparse.ArgumentParser(description="Networks on chips, beside float32.")
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--options", default="", help="further options of deploy")
    parser.add_argument("--again", action="store_true", help="also what was measured before")
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args()
    for name in args.networks.split(","):
        for chip in args.chips.split(","):
            row = f"{chip} {args.options}".strip()
            if row in _known(args.json)["networks"].get(name, {}) and not args.again:
                continue
            made = measure(name, *chip.split(":"), args.samples, args.options.split())
            # Another process may have measured other rows meanwhile.
            known = _known(args.json)
            known["kinds"][name] = NETWORKS[name].kind
            known["networks"].setdefault(name, {})[row] = made
            args.json.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
            print(name, chip, json.dumps(made), flush=True)
    return 0


def _known(path: Path) -> dict[str, Any]:
    """What was measured before."""
    none: dict[str, Any] = {"kinds": {}, "networks": {}}
    return json.loads(path.read_text()) if path.is_file() else none


def measure(name: str, chip: str, mode: str, samples: int, options: list[str]) -> dict[str, Any]:
    """One network on one chip."""
    row = NETWORKS[name]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        model = fixed_model(row.task, name, folder)
        photos = folder / "photos"
        photos.mkdir()
        for i, sample in enumerate(row.task.calibration()):
            Image.fromarray(picture(sample)).save(photos / f"{i:03}.png")
        command = ["deploy", model, "--target", chip, "--mode", mode, "--data", photos]
        command += ["--preprocess", row.preprocess, "-o", folder / "out", *options]
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "autosplit.tools.cli.main", *map(str, command)],
            capture_output=True,
            text=True,
            check=False,
        )
        found: dict[str, Any] = {"seconds": round(time.perf_counter() - start, 1)}
        if done.returncode:
            return {**found, "error": done.stderr.strip().splitlines()[-1]}
        if plan := re.search(r"^(\d+) sub-models?; on the TPU: .*?, (.*?%) of", done.stdout, re.M):
            found["sub_models"], found["on_tpu"] = int(plan[1]), plan[2]
        if real := re.search(
            r"^graph_\d+: (\d+ of \d+ ops? (?:is|are) computed in [F0-9a-z ]+):", done.stdout, re.M
        ):
            found["in_real_numbers"] = real[1]
        with open_runner(folder / "out", 2, use_cmodel=True) as runner:
            return {**found, **compared(row.task, name, model, runner, samples)}


def fixed_model(task: Task, name: str, folder: Path) -> Path:
    """The network's file with the sizes that its task gives it."""
    path = folder / f"{name}.onnx"
    if isinstance(task, (Digit, Places)):
        onnx.save(task.model(), path)
        return path
    given: dict[str, Array] = {}

    def look(_: str, feeds: Feeds) -> Outputs:
        given.update(feeds)
        raise StopIteration

    with contextlib.suppress(StopIteration):
        task.solve(task.calibration()[0], look)
    onnx.save(of_fixed_sizes(onnx.load(model_path(task.networks[name])), given), path)
    return path


def picture(sample: Any) -> Array:
    """The pixels of a sample, which may come with what is to be found there."""
    return np.asarray(sample[0] if isinstance(sample, tuple) else sample)


def compared(task: Task, name: str, model: Path, runner: Runner, samples: int) -> dict[str, Any]:
    """The task on the emulator beside float32: how much is the same, and how far the outputs are."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    wanted = [o.name for o in session.get_outputs()]
    cosines: list[float] = []
    count = Count(0, 0, 0)

    def in_f32(_: str, feeds: Feeds) -> Outputs:
        return dict(zip(wanted, session.run(wanted, dict(feeds)), strict=True))

    def on_chip(_: str, feeds: Feeds) -> Outputs:
        made: Mapping[str, Any] = runner.infer(dict(feeds))
        cosines.extend(difference(v, made[n]).cosine for n, v in in_f32("", feeds).items())
        return made

    start = time.perf_counter()
    for sample in task.held_out()[:samples]:
        count += task.same(task.solve(sample, on_chip), task.solve(sample, in_f32))
    return {
        "samples": samples,
        "cosine": round(min(cosines), 6),
        "what": task.name,
        "found": count.to_json(),
        "emulator_seconds": round(time.perf_counter() - start, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
