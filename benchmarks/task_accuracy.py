"""Whether quantized networks find the same faces, words and notes: autosplit's, ONNX Runtime's and NNCF's.

    python benchmarks/task_accuracy.py [--tasks NAME,...] [--quantizers NAME,...] [--nncf-python PYTHON]
        [--json FILE]

The real networks of `benchmarks/tasks` are quantized on the same samples, and measured on others: the cosine
of each output to float32, the mean over what the networks are given while the task is solved in float32; and
how much is found of what float32 finds, and of what there is where that is known. Each file runs in ONNX
Runtime, and compiled by autosplit. NNCF runs in PYTHON, by default this one; without it, it is left out. What
FILE holds of other tasks and quantizers stays there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx import ModelProto
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors
from tasks import TASKS
from tasks.task import Count, Feeds, Outputs, Run, Task

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import cosine
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.models import ModelUnavailable, model_path
from autosplit.testing.quantize import of_fixed_sizes, prepared, quantize_file
from autosplit.tools.generate.real_networks import networks_table, tasks_table

Network = Callable[[Feeds], Outputs]

PRESETS = ("performance", "mixed")
"""Of NNCF: its default, and the one with zero points."""

CALIBRATED = ("histogram", "minmax", "percentile")
"""The calibrators of autosplit that are measured."""

OTHERS: Mapping[str, Mapping[str, Any]] = {
    "plain": {"correct_biases": False},
    "smooth": {"smooth": 0.5},
}
"""What else is measured, with the default calibrator."""


def in_runtime(path: Path) -> Network:
    """A model in ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    wanted = [o.name for o in session.get_outputs()]
    return lambda feeds: dict(zip(wanted, session.run(wanted, dict(feeds)), strict=True))


def compiled(path: Path) -> Network:
    """A model as autosplit compiles it."""
    made = compile_model(CompileOptions(path))
    plan = Plan.from_module(made.module, made.store)
    return lambda feeds: dict(plan.run(feeds))


class Trial:
    """A task, its networks in float32, and what they are given."""

    def __init__(self, task: Task, folder: Path):
        self.task, self.folder = task, folder
        self.calibration: dict[str, list[Feeds]] = {name: [] for name in task.networks}
        self.given: dict[str, list[tuple[Feeds, Outputs]]] = {name: [] for name in task.networks}
        self._loaded: dict[str, Network] = {}
        for sample in task.calibration():
            task.solve(sample, self._noting(lambda n, f, _: self.calibration[n].append(f)))
        self.samples = task.held_out()
        noting = self._noting(lambda n, f, o: self.given[n].append((f, o)))
        self.wanted = [task.solve(sample, noting) for sample in self.samples]

    def f32(self, name: str) -> Path:
        """The file of a network."""
        return self.folder / f"{name}.f32.onnx"

    def _noting(self, note: Callable[[str, Feeds, Outputs], None]) -> Run:
        def run(name: str, feeds: Feeds) -> Outputs:
            if name not in self._loaded:
                model = ModelProto.FromString(model_path(self.task.networks[name]).read_bytes())
                made = (of_fixed_sizes if self.task.fixed else prepared)(model, feeds)
                self.f32(name).write_bytes(made.SerializeToString())
                self._loaded[name] = in_runtime(self.f32(name))
            outputs = self._loaded[name](feeds)
            note(name, feeds, outputs)
            return outputs

        return run

    def measure(self, networks: Mapping[str, Network]) -> dict[str, Any]:
        """The cosines of the outputs of each network, and what is found with all of them."""
        cosines: dict[str, dict[str, float]] = {}
        for name, network in networks.items():
            made = [(network(feeds), outputs) for feeds, outputs in self.given[name]]
            cosines[name] = {
                output: round(float(np.mean([_near(m[output], e[output]) for m, e in made])), 5)
                for output in made[0][1]
            }
        solved = [self.task.solve(s, lambda n, feeds: networks[n](feeds)) for s in self.samples]
        return {"cosines": cosines, **self.counts(solved)}

    def counts(self, solved: Sequence[Any]) -> dict[str, Any]:
        """How much is found of what float32 finds, and of what there is."""
        none = Count(0, 0, 0)
        pairs = zip(solved, self.wanted, strict=True)
        found = {"same": sum((self.task.same(s, w) for s, w in pairs), none).to_json()}
        known = [(s, self.task.truth(o)) for s, o in zip(solved, self.samples, strict=True)]
        if known[0][1] is not None:
            found["right"] = sum((self.task.same(s, t) for s, t in known), none).to_json()
        return found

    def write_samples(self, name: str) -> Path:
        """What a network is calibrated on, for another process."""
        folder = self.folder / f"{name}.samples"
        folder.mkdir(exist_ok=True)
        for number, feeds in enumerate(self.calibration[name]):
            np.savez(folder / f"{number}.npz", **feeds)
        return folder


def _near(made: Any, expected: Any) -> float:
    return cosine(made.ravel().astype(float), expected.ravel().astype(float))


Write = Callable[[Trial, str, Path], None]
"""Quantizes one network of a trial."""


def by_runtime(trial: Trial, name: str, out: Path) -> None:
    quantize_file(trial.f32(name), out, trial.calibration[name], reduce_range=False, fixed=True)


def by_autosplit(calibrator: str, **corrections: Any) -> Write:
    def write(trial: Trial, name: str, out: Path) -> None:
        samples = trial.calibration[name]
        quantize_model(
            QuantizeOptions(
                trial.f32(name), out, samples=samples, calibrator=calibrator, **corrections
            )
        )

    return write


def by_nncf(python: str, preset: str) -> Write:
    def write(trial: Trial, name: str, out: Path) -> None:
        script = Path(__file__).with_name("nncf_quantize.py")
        folder = trial.write_samples(name)
        command = [python, str(script), str(trial.f32(name)), str(folder), str(out), preset]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise AutosplitError(f"{name}: NNCF: {done.stderr.strip().splitlines()[-1]}")

    return write


def nncf_version(python: str) -> str | None:
    """What a Python has of NNCF."""
    asked = "from importlib.metadata import version; print(version('nncf'))"
    done = subprocess.run([python, "-c", asked], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def measure(task: Task, quantizers: Mapping[str, Write]) -> dict[str, Any]:
    """All of one task."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(task, Path(folder))
        found: dict[str, Any] = {"samples": len(trial.samples), "f32": trial.counts(trial.wanted)}
        for who, write in quantizers.items():
            found[who] = {}
            files = {name: trial.folder / f"{name}.{who}.onnx" for name in task.networks}
            for name, out in files.items():
                write(trial, name, out)
            for where, load in (("onnxruntime", in_runtime), ("autosplit", compiled)):
                try:
                    networks = {name: load(out) for name, out in files.items()}
                except (AutosplitError, runtime_errors.Fail) as e:
                    # A quantizer may write what no runtime takes.
                    found[who][where] = {"fails": str(e).splitlines()[0]}
                    continue
                found[who][where] = trial.measure(networks)
            print(task.name, who, found[who], file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Measures what is asked for; 1 where something cannot be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", default=",".join(task.name for task in TASKS))
    parser.add_argument("--quantizers", metavar="NAME,...", help="default: all")
    parser.add_argument("--nncf-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    versions = {p: version(p) for p in ("onnxruntime", "onnx", "numpy")}
    quantizers: dict[str, Write] = {"onnxruntime": by_runtime}
    if (nncf := nncf_version(options.nncf_python)) is None:
        print(f"{options.nncf_python} has no NNCF: it is left out", file=sys.stderr)
    else:
        versions["nncf"] = nncf
        quantizers |= {f"nncf {p}": by_nncf(options.nncf_python, p) for p in PRESETS}
    quantizers |= {name: by_autosplit(name) for name in CALIBRATED}
    quantizers |= {name: by_autosplit("histogram", **more) for name, more in OTHERS.items()}
    if options.quantizers is not None:
        wanted = options.quantizers.split(",")
        quantizers = {name: write for name, write in quantizers.items() if name in wanted}
    found: dict[str, Any] = {"versions": versions, "tasks": {}}
    if options.json is not None and options.json.exists():
        known = json.loads(options.json.read_text())
        found = {"versions": known["versions"] | versions, "tasks": known["tasks"]}
    missing = 0
    for task in TASKS:
        if task.name not in options.tasks.split(","):
            continue
        try:
            found["tasks"].setdefault(task.name, {}).update(measure(task, quantizers))
        except (AutosplitError, ModelUnavailable) as e:
            print(f"{task.name}: {e}", file=sys.stderr)
            missing += 1
            continue
        if options.json is not None:
            options.json.write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join([*networks_table(found), "", *tasks_table(found)]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
