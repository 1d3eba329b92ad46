"""What forms of the same computation cost a chip: commands, device memory, and TPU-MLIR's own timing.

    python benchmarks/bench_forms.py [--target bm1684x] [--mode F16]

Each row compiles both forms as `convert` does; ONNX Runtime confirms that they compute the same.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.units import size
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import Cost

Line = tuple[str, Sequence[Any], Mapping[str, Any]]
"""An op: its kind, its constant operands and its attributes."""


def line(kind: str, *constants: Any, **attributes: Any) -> Line:
    return kind, [np.asarray(c) for c in constants], attributes


@dataclass(frozen=True)
class Pair:
    """Two forms of a computation."""

    name: str
    shape: tuple[int, ...]
    usual: Sequence[Line]
    other: Sequence[Line]


def _pairs() -> list[Pair]:
    random = np.random.default_rng(0)
    taps = random.standard_normal((36, 1, 512)).astype(np.float32)
    # Kernel (taps) and stride (256) in rows: each row is a channel.
    rows = np.ascontiguousarray(taps.reshape(36, 2, 256).transpose(0, 2, 1))
    axis = random.standard_normal((64, 64, 1, 1)).astype(np.float32)
    return [
        Pair(
            "long kernel of one channel: in rows of its stride",
            (1, 1, 44032),
            [line("Conv", taps, strides=[256])],
            [
                line("Reshape", [1, 172, 256]),
                line("Transpose", perm=[0, 2, 1]),
                line("Conv", rows),
            ],
        ),
        Pair(
            "every second row: as the first of two",
            (1, 64, 64, 64),
            [line("Slice", [0], [64], [2], [2])],
            [
                line("Reshape", [1, 64, 32, 128]),
                line("Slice", [0], [64], [3], [1]),
            ],
        ),
        Pair(
            "every second column: as the first of two",
            (1, 64, 64, 64),
            [line("Slice", [0], [64], [3], [2])],
            [
                line("Reshape", [1, 4096, 32, 2]),
                line("Slice", [0], [1], [3], [1]),
                line("Reshape", [1, 64, 64, 32]),
            ],
        ),
        Pair(
            "mean of planes: as a pool",
            (1, 256, 20, 20),
            [line("ReduceMean", axes=[2, 3], keepdims=1)],
            [line("GlobalAveragePool")],
        ),
        Pair(
            "part of the channels: by Gather and by Slice",
            (1, 64, 40, 40),
            [line("Gather", np.arange(8, 40), axis=1)],
            [line("Slice", [8], [40], [1], [1])],
        ),
        Pair(
            "NHWC before a 1x1 convolution: Transpose and MatMul",
            (1, 80, 80, 64),
            [line("Transpose", perm=[0, 3, 1, 2]), line("Conv", axis)],
            [line("MatMul", axis[:, :, 0, 0].T), line("Transpose", perm=[0, 3, 1, 2])],
        ),
        Pair(
            "channel shuffle: two transposed axes, or a Gather",
            (1, 64, 40, 40),
            [
                line("Reshape", [1, 2, 32, 40, 40]),
                line("Transpose", perm=[0, 2, 1, 3, 4]),
                line("Reshape", [1, 64, 40, 40]),
            ],
            [line("Gather", np.arange(64).reshape(2, 32).T.ravel(), axis=1)],
        ),
        Pair(
            "pixels out of channels: DepthToSpace, or two transposed axes",
            (1, 64, 40, 40),
            [line("DepthToSpace", blocksize=2, mode="CRD")],
            [
                line("Reshape", [1, 16, 2, 2, 40, 40]),
                line("Transpose", perm=[0, 1, 4, 2, 5, 3]),
                line("Reshape", [1, 16, 80, 80]),
            ],
        ),
        Pair(
            "zeros around an average: a Pad, or pads that count",
            (1, 64, 40, 40),
            [
                line("Pad", [0, 0, 1, 1, 0, 0, 1, 1]),
                line("AveragePool", kernel_shape=[3, 3], strides=[2, 2]),
            ],
            [
                line(
                    "AveragePool",
                    kernel_shape=[3, 3],
                    strides=[2, 2],
                    pads=[1, 1, 1, 1],
                    count_include_pad=1,
                )
            ],
        ),
        Pair(
            "twice as large: Resize, or repeated by Expand",
            (1, 64, 40, 40),
            [
                line(
                    "Resize",
                    np.zeros(0, np.float32),
                    np.array([1, 1, 2, 2], np.float32),
                    mode="nearest",
                    coordinate_transformation_mode="asymmetric",
                    nearest_mode="floor",
                )
            ],
            [
                line("Reshape", [1, 64, 40, 1, 40, 1]),
                line("Expand", [1, 64, 40, 2, 40, 2]),
                line("Reshape", [1, 64, 80, 80]),
            ],
        ),
        Pair(
            "tokens: MatMul, or as a 1x1 convolution",
            (1, 64, 64),
            [line("MatMul", axis[:, :, 0, 0].T)],
            [
                line("Transpose", perm=[0, 2, 1]),
                line("Reshape", [1, 64, 64, 1]),
                line("Conv", axis),
                line("Reshape", [1, 64, 64]),
                line("Transpose", perm=[0, 2, 1]),
            ],
        ),
    ]


def model(pair: Pair, lines: Sequence[Line]) -> onnx.ModelProto:
    """A line of ops."""
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []
    value = "x"
    # What moves numbers only would be left to the CPU.
    for i, (kind, given, attributes) in enumerate([*lines, line("Sigmoid")]):
        names = [f"c{i}_{j}" for j in range(len(given))]
        constants += [numpy_helper.from_array(a, n) for a, n in zip(given, names, strict=True)]
        nodes.append(helper.make_node(kind, [value, *names], [f"v{i}"], f"n{i}", **attributes))
        value = f"v{i}"
    graph = helper.make_graph(
        nodes,
        "forms",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, pair.shape)],
        [onnx.ValueInfoProto(name=value)],
        constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(made, strict_mode=True)


def cost(proto: onnx.ModelProto, target: str, mode: str) -> Cost | None:
    """What a model costs; None where it is not compiled as one sub-model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        onnx.save(proto, path)
        out = path.with_name("out")
        split_model(SplitOptions(path, out=out, target=target, mode=mode))
        graphs = convert_folder(ConvertOptions(out, mode=mode)).graphs
        return graphs[0].cost if len(graphs) == 1 and not graphs[0].error else None


def same(pair: Pair) -> bool:
    """Whether both forms compute the same, but for the order of sums."""
    x = np.random.default_rng(1).standard_normal(pair.shape).astype(np.float32)
    made = [
        ort.InferenceSession(
            model(pair, lines).SerializeToString(), providers=["CPUExecutionProvider"]
        ).run(None, {"x": x})[0]
        for lines in (pair.usual, pair.other)
    ]
    return bool(np.allclose(made[0].ravel(), made[1].ravel(), atol=1e-3))


def rows(target: str, mode: str, measure: Callable[..., Cost | None] = cost) -> list[list[str]]:
    """The table: for each pair the figures of both forms."""
    found: list[list[str]] = []
    for pair in _pairs():
        if not same(pair):
            raise SystemExit(f"{pair.name}: the forms do not compute the same")
        both = [measure(model(pair, lines), target, mode) for lines in (pair.usual, pair.other)]
        cells = [
            "?" if c is None else f"{size(c.commands)}, {size(c.runtime)}, {c.simulated:.3g} ms"
            for c in both
        ]
        found.append([pair.name, *cells])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="bm1684x")
    parser.add_argument("--mode", default="F16")
    args = parser.parse_args()
    print("| computation | usual form: commands, memory, time | other form |\n| --- | --- | --- |")
    for cells in rows(args.target, args.mode):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
