"""What `autosplit convert` takes beside the compiler's own steps, and the memory that its input takes.

    python benchmarks/bench_convert.py [--target CHIP] [--rounds N]

The model is a ResNet-50 with random weights, one sub-model for the TPU. Each round converts it in a folder
that was just split. `overhead` is all of the time that is not spent in TPU-MLIR's own steps, relative to
these, in the best round; above the limit the benchmark fails. `own CPU` is what this process and the compile
script compute, relative to the CPU seconds of the steps: it says the same, and says it on a busy machine too.
Memory is how much the resident size has grown at most while the sub-model is lowered and written, its
weights included, relative to these.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from cpu_seconds import children_seconds, script_seconds

LIMIT = 0.1
"""Our share of the compiler's own time."""

MEMORY_LIMIT = 1.5
"""Times the weights."""

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Channels, blocks and first stride of each stage."""


def resnet50(path: Path) -> Path:
    """Writes the network, 102 MB, with random weights."""
    from onnx import NodeProto, TensorProto, helper

    # Their types are not complete.
    onnx: Any = import_module("onnx")
    numpy_helper: Any = import_module("onnx.numpy_helper")
    random = np.random.default_rng(0)
    nodes: list[NodeProto] = []
    weights: list[TensorProto] = []

    def weight(name: str, *shape: int) -> str:
        scale = (2.0 / np.prod(shape[1:])) ** 0.5
        array = (random.standard_normal(shape, np.float32) * np.float32(scale * 0.7)).astype("f4")
        weights.append(numpy_helper.from_array(array, name))
        return name

    def conv(x: str, name: str, ins: int, outs: int, size: int, stride: int, *, relu: bool) -> str:
        pad = size // 2
        bias = numpy_helper.from_array(np.zeros(outs, "f4"), f"{name}_b")
        weights.append(bias)
        inputs = [x, weight(f"{name}_w", outs, ins, size, size), f"{name}_b"]
        nodes.append(
            helper.make_node(
                "Conv", inputs, [name], name=name, strides=[stride, stride], pads=[pad] * 4
            )
        )
        return activation(name) if relu else name

    def activation(x: str) -> str:
        nodes.append(helper.make_node("Relu", [x], [f"{x}_relu"], name=f"{x}_relu"))
        return f"{x}_relu"

    x = conv("image", "stem", 3, 64, 7, 2, relu=True)
    nodes.append(
        helper.make_node(
            "MaxPool", [x], ["pool"], name="pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4
        )
    )
    x, ins = "pool", 64
    for stage, (channels, blocks, first) in enumerate(STAGES):
        for block in range(blocks):
            name, stride = f"s{stage}b{block}", first if block == 0 else 1
            y = conv(x, f"{name}_1", ins, channels, 1, 1, relu=True)
            y = conv(y, f"{name}_2", channels, channels, 3, stride, relu=True)
            y = conv(y, f"{name}_3", channels, 4 * channels, 1, 1, relu=False)
            if block == 0:
                x = conv(x, f"{name}_0", ins, 4 * channels, 1, stride, relu=False)
            nodes.append(helper.make_node("Add", [x, y], [f"{name}_sum"], name=f"{name}_sum"))
            x, ins = activation(f"{name}_sum"), 4 * channels
    nodes.append(helper.make_node("GlobalAveragePool", [x], ["mean"], name="mean"))
    nodes.append(helper.make_node("Flatten", ["mean"], ["flat"], name="flat"))
    weights.append(numpy_helper.from_array(np.zeros(1000, "f4"), "fc_b"))
    inputs = ["flat", weight("fc_w", 1000, ins), "fc_b"]
    nodes.append(helper.make_node("Gemm", inputs, ["scores"], name="fc", transB=1))
    graph = helper.make_graph(
        nodes,
        "resnet50",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 224, 224])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 1000])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


STEP = re.compile(r"^\[(\w+): ended with exit code 0, ([\d.]+) s\]$", re.MULTILINE)


def own_seconds(log: Path) -> dict[str, float]:
    """What each of the compiler's steps took, by its log."""
    return {name: float(seconds) for name, seconds in STEP.findall(log.read_text())}


@dataclass(frozen=True)
class Round:
    """What one conversion took, in seconds."""

    whole: float
    steps: float
    """The compiler's own."""
    emission: float
    """Writing its input."""
    own_cpu: float
    """CPU seconds of this process."""
    children_cpu: float
    """CPU seconds of the compile script and of the steps."""


def measure(split: Path, folder: Path, target: str) -> Round:
    """Converts the folder once."""
    from autosplit.flows.convert.folder import convert_folder
    from autosplit.flows.converting.options import ConvertOptions

    shutil.copytree(split, folder)
    start, cpu, children = time.perf_counter(), time.process_time(), children_seconds()
    result = convert_folder(ConvertOptions(folder, target))
    whole, cpu = time.perf_counter() - start, time.process_time() - cpu
    result.check()
    (graph,) = result.graphs
    steps = own_seconds(graph.bmodel.parent / "compile.log")
    assert len(steps) >= 4, steps
    children = children_seconds() - children
    return Round(whole, sum(steps.values()), graph.emission, cpu, children)


def peak_of_emission(split: Path) -> float:
    """How much the largest resident size of a process grows while it writes the input, in bytes."""
    code = f"import bench_convert; bench_convert.emit({str(split)!r})"
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def emit(split: str) -> None:
    """Writes the input of the first TPU sub-model of a folder; prints how much the memory grew."""
    from autosplit.core.weights import store_for
    from autosplit.devices import get_chip
    from autosplit.flows.converting.source import read_sub_models
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.folder.tpu import write_tpu_files
    from autosplit.platforms import platform_of
    from autosplit.registry import make_context

    infos = GraphInfos.load(split)
    module, funcs = read_sub_models(infos)
    index = next(g.index for g in infos.graphs if g.device == "tpu")
    before = resident("VmRSS")
    kept = store_for(module)
    with tempfile.TemporaryDirectory() as scratch:
        # From now on the peak is counted anew: reading a model has one of its own.
        Path("/proc/self/clear_refs").write_text("5")
        write_tpu_files(
            make_context(),
            module,
            funcs[index],
            index,
            platform_of(module),
            get_chip("bm1684"),
            Path(scratch),
        )
        print(resident("VmHWM") - before)
    del kept


def resident(key: str) -> int:
    """Bytes of this process in memory: `VmRSS` now, `VmHWM` at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def main() -> int:
    """Runs it; 1 where a limit is passed."""
    from autosplit.flows.split import split_model
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.specs import InputSpec
    from autosplit.toolchains.tpu_mlir import find

    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="bm1684", metavar="CHIP")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    options = parser.parse_args()
    if find() is None:
        print("TPU-MLIR is not here: autosplit toolchain install tpu-mlir")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        model = resnet50(work / "resnet50.onnx")
        split = work / "split"
        shape = InputSpec((1, 3, 224, 224))
        split_model(SplitOptions(model, split, {"image": shape}, target=options.target))
        (weights,) = split.glob("graph_ir_*/*_weights.npz")
        size = weights.stat().st_size
        shares: list[float] = []
        burdens: list[float] = []
        print(f"{'all':>8} {'compiler':>9} {'input':>7} {'overhead':>9} {'own CPU':>8}")
        for i in range(options.rounds):
            folder = work / f"round_{i}"
            found = measure(split, folder, options.target)
            script, _ = script_seconds(folder)
            shares.append(found.whole / found.steps - 1)
            burdens.append((found.own_cpu + script) / (found.children_cpu - script))
            print(
                f"{found.whole:7.2f}s {found.steps:8.2f}s {found.emission:6.2f}s"
                f" {100 * shares[-1]:8.1f}% {100 * burdens[-1]:7.1f}%"
            )
            shutil.rmtree(folder)
        memory = peak_of_emission(split) / size
    print(f"overhead of the best round: {100 * min(shares):.1f} % (at most {100 * LIMIT:.0f} %)")
    print(f"the same in CPU seconds: {100 * min(burdens):.1f} %")
    print(f"memory of writing the input: {memory:.2f} times the {size / 1e6:.0f} MB of weights")
    return int(min(shares) > LIMIT or memory > MEMORY_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
