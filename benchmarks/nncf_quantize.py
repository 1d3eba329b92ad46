"""Quantizes a model with NNCF, in whichever Python has it: `benchmarks/task_accuracy.py` starts this.

    python benchmarks/nncf_quantize.py MODEL.onnx FOLDER OUT.onnx [performance|mixed]

FOLDER holds the samples, 0.npz, 1.npz and so on, with an array for each input. Prints NNCF's version.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nncf
import numpy as np
import onnx


def main(model: str, folder: str, out: str, preset: str = "performance") -> None:
    """Reads, quantizes, writes."""
    files = sorted(Path(folder).glob("*.npz"), key=lambda path: int(path.stem))
    samples = [dict(np.load(file)) for file in files]
    made = nncf.quantize(
        onnx.load(model),
        nncf.Dataset(samples),
        preset=nncf.QuantizationPreset(preset),
        subset_size=len(samples),
    )
    onnx.save(made, out)
    print(nncf.__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
