"""The engines that can be measured, loaded into this process: what runs a model, and what it is.

Only the engine that is asked for is imported: each has threads of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.folder.plans import load_compiled
from autosplit.runtime.plan.plan import Plan

Array = NDArray[Any]
Outputs = Mapping[str, Array]

MODULES = {
    "autosplit": "autosplit",
    "onnxruntime": "onnxruntime",
    "openvino": "openvino",
}
"""Engine -> the Python module that it needs."""

TITLES = {"autosplit": "autosplit", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}


@dataclass(frozen=True)
class Engine:
    """A model in an engine."""

    run: Callable[[], Outputs]
    """Runs the model on the inputs that it was loaded with."""
    version: str
    """Of the engine, with what it says of the processor."""


def load(name: str, model: Path, feeds: Outputs, threads: int) -> Engine:
    """The model, a compiled folder for autosplit, in an engine of `threads` threads (0: its default)."""
    loaders = {"autosplit": _autosplit, "onnxruntime": _onnxruntime, "openvino": _openvino}
    return loaders[name](model, feeds, threads)


def _autosplit(model: Path, feeds: Outputs, threads: int) -> Engine:
    plan = open_plan(model, threads)
    used = f"{plan.library.release} {plan.isa}" if plan.isa else "not used"
    title = f"autosplit {version('autosplit')}, oneDNN {used}"
    return Engine(lambda: plan.run(feeds), title)


def open_plan(folder: Path, threads: int) -> Any:
    compiled = load_compiled(folder)
    libraries = compiled.infos.libraries()
    return Plan.from_module(compiled.module, compiled.store, threads=threads, custom_ops=libraries)


def _onnxruntime(model: Path, feeds: Outputs, threads: int) -> Engine:
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    own = {i.name for i in session.get_inputs()}
    inputs = {name: array for name, array in feeds.items() if name in own}

    def run() -> Outputs:
        return dict(zip(names, session.run(names, inputs), strict=True))

    return Engine(run, f"ONNX Runtime {runtime.__version__}")


def _openvino(model: Path, feeds: Outputs, threads: int) -> Engine:
    openvino: Any = import_module("openvino")
    # A processor with bf16 would else be asked for less than the model says.
    settings: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if threads:
        settings["INFERENCE_NUM_THREADS"] = threads
    read = openvino.Core().read_model(str(model))
    compiled = openvino.Core().compile_model(read, "CPU", settings)
    request = compiled.create_infer_request()
    inputs = {name: np.ascontiguousarray(array) for name, array in feeds.items()}
    inputs = {n: a for n, a in inputs.items() if any(n in i.names for i in compiled.inputs)}
    ports: list[Any] = list(compiled.outputs)
    outputs = [(min(port.names, default=str(i)), port) for i, port in enumerate(ports)]

    def run() -> Outputs:
        results = request.infer(inputs, share_inputs=True, share_outputs=True)
        return {name: results[port] for name, port in outputs}

    return Engine(run, f"OpenVINO {openvino.__version__.split('-')[0]}")
