"""One side of `benchmarks/ipex/latency.py`: a network that is quantized, and runs when it is asked to.

    PYTHON benchmarks/ipex/child.py extension|autosplit NETWORK THREADS OUTPUTS.npz

`extension` is Intel's extension for PyTorch. Writes the outputs of the first sample, in float32 and
quantized, then reads how many runs are wanted from standard input, line by line, and answers with their
seconds as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))


def main(side: str, name: str, threads: int, outputs: str) -> None:
    """Quantizes, tells what came out, and waits for work."""
    import torch
    from networks import NETWORKS

    warnings.simplefilter("ignore")
    torch.set_num_threads(threads)
    network = NETWORKS[name]
    samples = network.samples()
    with torch.no_grad():
        exact = listed(network.module()(samples[0]))
        run, version = {"extension": _extension, "autosplit": _autosplit}[side](network, samples)
        for _ in range(5):
            found = listed(run())
    arrays = {f"f32_{i}": a for i, a in enumerate(exact)} | {
        f"int8_{i}": a for i, a in enumerate(found)
    }
    np.savez(outputs, **arrays)
    print(json.dumps(version), flush=True)
    for line in sys.stdin:
        seconds: list[float] = []
        with torch.no_grad():
            for _ in range(int(line)):
                started = time.perf_counter()
                run()
                seconds.append(time.perf_counter() - started)
        print(json.dumps(seconds), flush=True)


def listed(outputs: Any) -> list[Any]:
    """The outputs of a module as arrays."""
    several = outputs if isinstance(outputs, tuple | list) else (outputs,)
    return [t.detach().numpy() for t in several]


def _extension(network: Any, samples: list[Any]) -> tuple[Callable[[], Any], str]:
    import intel_extension_for_pytorch as ipex
    import torch
    from intel_extension_for_pytorch.quantization import (
        convert,
        default_static_qconfig_mapping,
        prepare,
    )

    module, first = network.module(), samples[0]
    prepared = prepare(module, default_static_qconfig_mapping, example_inputs=first, inplace=False)
    for sample in samples:
        prepared(sample)
    traced = torch.jit.freeze(torch.jit.trace(convert(prepared), first).eval())
    for _ in range(3):
        traced(first)
    return lambda: traced(first), f"extension {ipex.__version__}, torch {torch.__version__}"


def _autosplit(network: Any, samples: list[Any]) -> tuple[Callable[[], Any], str]:
    from importlib.metadata import version

    from autosplit.quantization import convert

    quantized = convert(network.module(), None, [(sample,) for sample in samples])
    return lambda: quantized(samples[0]), f"autosplit {version('autosplit')}"


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", sys.argv[3])
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
