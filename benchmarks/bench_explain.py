"""Times of placing large models against the budgets: residual blocks of 10,000 and of 50,000 ops.

CPU seconds of the pipeline `place`, reading the model included; `ratio` is the share of the budget, and
above 1 the run fails.

    python benchmarks/bench_explain.py [--ops N ...]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

BUDGETS = {10_000: 7.0, 50_000: 35.0}
"""CPU seconds by the number of ops."""


def write_model(path: Path, ops: int) -> None:
    """Writes a network of residual blocks; about one activation in a hundred is not for the TPU."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[onnx.NodeProto] = []

    def node(kind: str, inputs: list[str], **fields: Any) -> str:
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [name], name=f"n{len(nodes)}", **fields))
        return name

    last = "x"
    while len(nodes) < ops:
        value = last
        for _ in range(3):
            value = node("Conv", [value, "w"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
            value = node("Relu", [value])
            value = node("Asinh" if len(nodes) % 97 == 0 else "Sigmoid", [value])
        last = node("Add", [value, last])
    weights = numpy_helper.from_array(np.full((8, 8, 3, 3), 0.01, np.float32), "w")
    graph = helper.make_graph(
        nodes,
        "residual",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 8, 16, 16])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, None)],
        [weights],
    )
    opsets = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), str(path))


def explain_seconds(path: Path) -> dict[str, float]:
    """CPU seconds by step of reading a model and placing its ops."""
    from autosplit.core.collector import collector_paused
    from autosplit.lowering.pipelines import build_passes
    from autosplit.platforms import load_model
    from autosplit.registry import get_all_passes, make_context

    passes = build_passes("place{target=bm1684x}", get_all_passes())
    found: dict[str, float] = {}
    with collector_paused():
        started = time.process_time()
        model = load_model(path, "auto")
        found["reading"] = time.process_time() - started
        for step in passes:
            started = time.process_time()
            step.apply(make_context(), model.module)
            found[step.name] = time.process_time() - started
    return found


def main(args: Sequence[str] | None = None) -> int:
    """Runs all and prints a table; 1 where a budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ops", type=int, nargs="+", default=list(BUDGETS))
    failed = False
    print(f"{'ops':>8} {'CPU s':>8} {'budget':>8} {'ratio':>8}  steps")
    for ops in parser.parse_args(args).ops:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            write_model(path, ops)
            steps = explain_seconds(path)
        seconds, budget = sum(steps.values()), BUDGETS.get(ops, ops * 0.7e-3)
        failed |= seconds > budget
        shown = ", ".join(f"{name} {took:.2f}" for name, took in steps.items())
        ratio = seconds / budget
        print(f"{ops:8} {seconds:8.2f} {budget:8.2f} {ratio:8.2f}  {shown}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
