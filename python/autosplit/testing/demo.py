"""The demonstration: a real detector, split, compiled for the TPU, run on a photograph on the TPU's emulator.

`make demo`. It types the commands that a user would type, and shows them.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from autosplit.testing.models import ModelUnavailable, model_path, photo_path
from autosplit.toolchains.tpu_mlir import find

SIZE = 300
"""The photograph's width and height, in pixels, as the detector was trained."""


def main(args: Sequence[str] | None = None) -> int:
    """Runs it; returns 1, with a line that says why, if a download or a command fails."""
    parser = argparse.ArgumentParser(prog="python -m autosplit.testing.demo")
    parser.add_argument("-o", "--output-dir", type=Path, default=Path("demo-out"), metavar="DIR")
    parser.add_argument("--target", default="bm1684", metavar="CHIP")
    parser.add_argument("--mode", default="F32", metavar="MODE")
    options = parser.parse_args(args)
    started = time.monotonic()
    print(
        "A person detector (SSDLite on MobileNetV2, TensorFlow) is split for CPU and TPU, its TPU part is "
        "compiled,\nand both run on a photograph: the CPU's in TensorFlow, the TPU's on the chip's emulator."
    )
    try:
        model, photo = model_path("frozen_inference_graph.pb"), photo_path()
    except ModelUnavailable as e:
        print(f"demo: error: {e}", file=sys.stderr)
        return 1
    folder: Path = options.output_dir
    folder.mkdir(parents=True, exist_ok=True)
    # Beside the results, so that the commands below are as short as a user's own.
    model = Path(shutil.copy(model, folder))
    array, outputs = folder / "photo.npy", folder / "outputs.npz"
    write_photo(photo, array)
    photo_input = f"image_tensor={array}"
    split = folder / "split"
    split_options = ["--target", options.target, "--layout", "NHWC", "--force", "-o", str(split)]
    run_options = ["--input", photo_input, "--compare", str(model), "-o", str(outputs)]
    commands = (
        ["split", str(model), "--input", photo_input, *split_options],
        *([] if find() else [["toolchain", "install", "tpu-mlir"]]),
        ["convert", str(split), "--mode", options.mode, "--data", photo_input, "--compare"],
        ["run", str(split), "--mode", "2", "--cmodel", *run_options],
    )
    for command in commands:
        if code := autosplit(command):
            return code
    show_detections(outputs)
    print(
        f"\nThe sub-models are in {split}; the demonstration took {time.monotonic() - started:.0f} s."
    )
    return 0


def write_photo(photo: Path, array: Path) -> None:
    """Writes the photograph as the detector takes it, uint8[1, 300, 300, 3]."""
    import numpy as np
    from PIL import Image

    image = Image.open(photo).convert("RGB").resize((SIZE, SIZE))
    np.save(array, np.asarray(image)[np.newaxis])


def autosplit(command: Sequence[str]) -> int:
    """Shows and runs one command of autosplit."""
    print(f"\n$ autosplit {shlex.join(command)}\n", flush=True)
    tool = Path(sys.executable).parent / "autosplit"
    return subprocess.run([str(tool), *command]).returncode


def show_detections(path: Path) -> None:
    """Prints the detections in the photograph with a score of at least one half."""
    import numpy as np

    with np.load(path) as outputs:
        by_name = {name.removesuffix(":0"): outputs[name] for name in outputs.files}
    print("\nIn the photograph:")
    for score, box in zip(
        by_name["detection_scores"][0], by_name["detection_boxes"][0], strict=True
    ):
        if score < 0.5:
            break
        top, left, bottom, right = (round(float(side) * SIZE) for side in box)
        print(f"  a person, score {score:.3f}, rows {top} to {bottom}, columns {left} to {right}")


if __name__ == "__main__":
    sys.exit(main())
