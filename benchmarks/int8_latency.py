"""INT8 plans beside ONNX Runtime and OpenVINO, on the networks of `benchmarks/models.py`.

    python benchmarks/int8_latency.py [--models NAME,...] [--threads N] [--rounds N] [--runs N]
                                      [--vs ENGINE,...] [--json FILE] [--own | --nncf]
                                      [--nncf-python PYTHON]

All engines run the same file on the same inputs and threads, in turns, each in a process of its own. With
--own each runs what a quantizer made for it of the same samples: autosplit's own, ONNX Runtime's, and NNCF's,
which runs in PYTHON, by default this one; with --nncf all run NNCF's file. Prints
a table in Markdown: the smallest and the median time in ms, and by the rounds what autosplit takes of the
faster peer's time: the median, and the quartiles; then the peers in float32, and how near the outputs of
the three are to it, in the same order. With --json what was measured so far is kept in FILE, and networks
that are in it are replaced, so that a table can be measured in parts. `--models others` measures networks of
other kinds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.bench import PEERS, ROUNDS, RUNS, BenchOptions, bench
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.testing.models import ModelUnavailable
from autosplit.testing.networks.files import NETWORKS, OTHERS, Feeds, names, network
from autosplit.tools.generate.int8_performance import latency


def by_nncf(python: str, model: Path, samples: Sequence[Feeds], out: Path) -> None:
    """Has NNCF quantize a model, by the preset that OpenVINO computes the fastest."""
    folder = out.with_suffix(".samples")
    folder.mkdir()
    for number, feeds in enumerate(samples):
        np.savez(folder / f"{number}.npz", **feeds)
    script = Path(__file__).with_name("nncf_quantize.py")
    command = [python, str(script), str(model), str(folder), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AutosplitError(f"NNCF in {python}: {done.stderr.strip().splitlines()[-1]}")


def nncf_file(name: str, options: argparse.Namespace, folder: Path) -> Path:
    """What NNCF makes of a network."""
    out = folder / "nncf.onnx"
    by_nncf(options.nncf_python, network(name).f32, NETWORKS[name].calibration(), out)
    return out


def own_files(name: str, options: argparse.Namespace, folder: Path) -> dict[str, Path]:
    """What each engine's quantizer makes of a network."""
    files, samples = network(name), NETWORKS[name].calibration()
    # That file is what ONNX Runtime's quantizer makes.
    made = {"autosplit": folder / "autosplit.onnx", "onnxruntime": files.int8}
    quantize_model(QuantizeOptions(files.f32, made["autosplit"], samples=samples))
    if "openvino" in options.vs.split(","):
        made["openvino"] = nncf_file(name, options, folder)
    return made


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One network in all engines."""
    files = network(name)
    with tempfile.TemporaryDirectory() as folder:
        own = own_files(name, options, Path(folder)) if options.own else {}
        int8 = nncf_file(name, options, Path(folder)) if options.nncf else files.int8
        found = bench(
            BenchOptions(
                own.get("autosplit", int8),
                lambda _: NETWORKS[name].inputs(),
                files.f32,
                options.vs.split(","),
                options.threads,
                options.rounds,
                options.runs,
                lambda text: print(f"{name}: {text}", file=sys.stderr, flush=True),
                own=own,
            )
        )
    return found.to_json()


def main(args: Sequence[str] | None = None) -> int:
    """Measures what is asked for; 1 where something cannot be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", default=",".join(names()), help="default: those of the goals")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--vs", default=",".join(PEERS))
    parser.add_argument("--json", type=Path, metavar="FILE")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--own", action="store_true", help="each engine with its own quantizer")
    which.add_argument("--nncf", action="store_true", help="all engines with NNCF's file")
    parser.add_argument("--nncf-python", default=sys.executable, metavar="PYTHON")
    options = parser.parse_args(args)
    wanted = sorted(OTHERS) if options.models == "others" else options.models.split(",")
    if unknown := [n for n in wanted if n not in NETWORKS]:
        parser.error(f"no network is called {unknown[0]!r}{choice(unknown[0], sorted(NETWORKS))}")
    found: dict[str, Any] = {}
    if options.json is not None and options.json.exists():
        found = json.loads(options.json.read_text())
    missing = 0
    for name in wanted:
        try:
            found[name] = measure(name, options)
        except (AutosplitError, ModelUnavailable) as e:
            print(f"{name}: {e}", file=sys.stderr)
            missing += 1
            continue
        if options.json is not None:
            options.json.write_text(json.dumps(found, indent=2) + "\n")
    print("\n".join(latency(found)))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
