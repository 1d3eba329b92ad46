"""Records where the time goes in autosplit and in OpenVINO, on networks of the benchmark.

    python -m autosplit.tools.generate.accounts [NAME...] [--threads N]

Both sides are asked for the time of each of their steps. The smallest of each are added up by what the steps
do, in benchmarks/results/int8_accounts.json. OpenVINO runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from autosplit.flows.bench import BenchOptions, profile
from autosplit.testing.networks.files import NETWORKS, network
from autosplit.tools.generate.int8_performance import ACCOUNTS

DEFAULT = ("centerface", "mobilenet_v2", "pp_ocr_cls", "resnet50", "unet")

RUNS = 40

PRODUCTS, POOLS, CASTS, OTHERS, BETWEEN = "products", "pools", "casts", "others", "between"

KERNELS = {
    "convolution": PRODUCTS,
    "deconvolution": PRODUCTS,
    "matmul": PRODUCTS,
    "pooling": POOLS,
    "reorder": CASTS,
}
"""What oneDNN's primitives are for; the others are the rest."""

NODES = {
    "Convert": CASTS,
    "Convolution": PRODUCTS,
    "ConvolutionBackpropData": PRODUCTS,
    "FakeQuantize": CASTS,
    "FullyConnectedQuantizedLegacy": PRODUCTS,
    "GroupConvolution": PRODUCTS,
    "MatMul": PRODUCTS,
    "MaxPool": POOLS,
    "ReduceMean": POOLS,
    "Reorder": CASTS,
    "Subgraph": CASTS,
}
"""What OpenVINO's nodes are for; a Subgraph of a quantized network is mostly the first cast."""


def autosplit_ms(name: str, threads: int) -> dict[str, float]:
    """The ms of autosplit's steps, by what they do."""
    options = BenchOptions(
        network(name).int8,
        lambda _: NETWORKS[name].inputs(),
        vs=(),
        threads=threads,
        rounds=1,
        runs=RUNS,
    )
    profiled = profile(options)
    sums: dict[str, float] = defaultdict(float)
    for step in profiled["steps"]:
        roles = [KERNELS.get(kernel.split()[0], OTHERS) for kernel in step["kernels"]]
        sums[roles[0] if roles else OTHERS] += step["least_ms"]
    sums[BETWEEN] = profiled["least_overhead"]
    return dict(sums)


def openvino_ms(name: str, threads: int) -> dict[str, float]:
    """The same of OpenVINO, measured by a child."""
    with tempfile.TemporaryDirectory() as folder:
        feeds = Path(folder) / "feeds.npz"
        np.savez(feeds, **dict(NETWORKS[name].inputs()))
        model = str(network(name).int8)
        command = [sys.executable, "-m", __spec__.name, "--child", model, str(feeds)]
        process = subprocess.run(
            [*command, "--threads", str(threads)], check=True, capture_output=True, text=True
        )
    return json.loads(process.stdout)


def in_openvino(model: str, feeds: Mapping[str, Any], threads: int) -> dict[str, float]:
    """The ms of OpenVINO's nodes in this process, by what they do."""
    openvino: Any = import_module("openvino")
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": threads,
        "PERF_COUNT": True,
    }
    compiled = openvino.Core().compile_model(model, "CPU", settings)
    request = compiled.create_infer_request()
    least_ms: dict[str, tuple[str, float]] = {}
    wholes: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        request.infer(feeds, share_inputs=True, share_outputs=True)
        wholes.append((time.perf_counter() - start) * 1e3)
        spent = [
            (node.node_name, node.node_type, node.real_time.total_seconds() * 1e3)
            for node in request.profiling_info
        ]
        for name, kind, ms in spent:
            least_ms[name] = kind, min(ms, least_ms.get(name, (kind, ms))[1])
    sums: dict[str, float] = defaultdict(float)
    for kind, ms in least_ms.values():
        sums[NODES.get(kind, OTHERS)] += ms
    # Its nodes may count some of the same waiting.
    return {**sums, BETWEEN: max(0.0, min(wholes) - sum(sums.values()))}


def main(args: Sequence[str] | None = None) -> int:
    """Records the networks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", default=DEFAULT)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--child", nargs=2, metavar=("MODEL", "FEEDS"), help=argparse.SUPPRESS)
    options = parser.parse_args(args)
    if options.child:
        with np.load(options.child[1]) as stored:
            feeds = {name: stored[name] for name in stored.files}
        print(json.dumps(in_openvino(options.child[0], feeds, options.threads)))
        return 0
    accounts: dict[str, Any] = json.loads(ACCOUNTS.read_text()) if ACCOUNTS.exists() else {}
    for name in options.names:
        sums_by_engine = {
            "autosplit": autosplit_ms(name, options.threads),
            "openvino": openvino_ms(name, options.threads),
        }
        accounts[name] = {
            engine: {kind: round(ms, 3) for kind, ms in sorted(sums.items())}
            for engine, sums in sums_by_engine.items()
        }
        print(name, accounts[name], flush=True)
        ACCOUNTS.write_text(json.dumps(dict(sorted(accounts.items())), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
