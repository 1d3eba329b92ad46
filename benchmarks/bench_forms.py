"""What forms of the same computation cost a chip: commands, device memory, and TPU-MLIR's own timing.

    python benchmarks/bench_forms.py [--check] [--target bm1684x,bm1688] [--mode F16] [--json FILE]

Both forms of each pair are compiled as `convert` does; ONNX Runtime confirms that they compute the same.
Prints a table in Markdown. `--check` compares with the figures in `benchmarks/results/forms.json`: it fails
where one has grown, and where another form is cheaper than the one that is compiled and the pair does not say
why that stays. `--json benchmarks/results/forms.json` records them anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.errors import AutosplitError
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
    """What is compiled, of a model that has either."""
    other: Sequence[Line]
    kept: str = ""
    """Why the usual form stays, where the other one is cheaper."""


def _pairs() -> list[Pair]:
    random = np.random.default_rng(0)
    taps = random.standard_normal((36, 1, 512)).astype(np.float32)
    # Kernel (taps) and stride (256) in rows: each row is a channel.
    rows = np.ascontiguousarray(taps.reshape(36, 2, 256).transpose(0, 2, 1))
    patches = random.standard_normal((64, 3, 16, 16)).astype(np.float32)
    scale, shift = (random.standard_normal(64).astype(np.float32) for _ in range(2))
    factor = scale / np.sqrt(np.abs(scale) + 1e-5)
    twice = np.zeros(0, np.float32), np.array([1, 1, 2, 2], np.float32)
    nearest = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
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
            kept="only BM1688 gains, and only spectra have such kernels",
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
            [line("Resize", *twice, **nearest)],
            [
                line("Reshape", [1, 64, 40, 1, 40, 1]),
                line("Expand", [1, 64, 40, 2, 40, 2]),
                line("Reshape", [1, 64, 80, 80]),
            ],
        ),
        Pair(
            "repeated by Expand, or made larger by Resize",
            (1, 64, 40, 40),
            [
                line("Reshape", [1, 64, 40, 1, 40, 1]),
                line("Expand", [1, 64, 40, 2, 40, 2]),
                line("Reshape", [1, 64, 80, 80]),
            ],
            [line("Resize", *twice, **nearest)],
            kept="exporters write a Resize",
        ),
        Pair(
            "patches of 16x16: Conv, or places as numbers of a row",
            (1, 3, 224, 224),
            [line("Conv", patches, strides=[16, 16])],
            [
                line("Reshape", [1, 3, 14, 16, 14, 16]),
                line("Transpose", perm=[0, 2, 4, 1, 3, 5]),
                line("Reshape", [1, 196, 768]),
                line("MatMul", patches.reshape(64, 768).T),
                line("Transpose", perm=[0, 2, 1]),
                line("Reshape", [1, 64, 14, 14]),
            ],
        ),
        Pair(
            "every second pixel of a 1x1 Conv: strides, or a Slice in front",
            (1, 64, 40, 40),
            [line("Conv", axis, strides=[2, 2])],
            [line("Slice", [0, 0], [40, 40], [2, 3], [2, 2]), line("Conv", axis)],
        ),
        Pair(
            "largest of planes: ReduceMax, or a pool",
            (1, 256, 20, 20),
            [line("ReduceMax", axes=[2, 3], keepdims=1)],
            [line("GlobalMaxPool")],
        ),
        Pair(
            "a channel's scale and shift: BatchNormalization, or Mul and Add",
            (1, 64, 40, 40),
            [line("BatchNormalization", scale, shift, shift, np.abs(scale))],
            [
                line("Mul", factor.reshape(1, 64, 1, 1)),
                line("Add", (shift - shift * factor).reshape(1, 64, 1, 1)),
            ],
        ),
        Pair(
            "half: Div by 2, or Mul by 0.5",
            (1, 64, 40, 40),
            [line("Div", np.float32(2))],
            [line("Mul", np.float32(0.5))],
        ),
        Pair(
            "from 0 to 6: Clip, or Relu and Min",
            (1, 64, 40, 40),
            [line("Clip", np.float32(0), np.float32(6))],
            [line("Relu"), line("Min", np.float32(6))],
        ),
        Pair(
            "one slope: PRelu, or LeakyRelu",
            (1, 64, 40, 40),
            [line("PRelu", np.full((1, 1, 1), 0.125, np.float32))],
            [line("LeakyRelu", alpha=0.125)],
        ),
        Pair(
            "rows with a bias: MatMul and Add, or Gemm",
            (64, 64),
            [line("MatMul", axis[:, :, 0, 0]), line("Add", shift)],
            [line("Gemm", axis[:, :, 0, 0], shift)],
        ),
        Pair(
            "a vector by weights: 1x1 Conv, or Gemm between Reshapes",
            (1, 64, 1, 1),
            [line("Conv", axis)],
            [
                line("Reshape", [1, 64]),
                line("Gemm", axis[:, :, 0, 0], transB=1),
                line("Reshape", [1, 64, 1, 1]),
            ],
        ),
        Pair(
            "turned twice: two Transposes, or the one that they are",
            (1, 64, 40, 40),
            [line("Transpose", perm=[0, 2, 3, 1]), line("Transpose", perm=[0, 3, 2, 1])],
            [line("Transpose", perm=[0, 1, 3, 2])],
        ),
        Pair(
            "repeated: Tile, or Expand between Reshapes",
            (1, 64, 20, 20),
            [line("Tile", [1, 2, 1, 1])],
            [
                line("Reshape", [1, 1, 64, 20, 20]),
                line("Expand", [1, 2, 64, 20, 20]),
                line("Reshape", [1, 128, 20, 20]),
            ],
        ),
        Pair(
            "twice as large: Resize, or a ConvTranspose of ones",
            (1, 64, 40, 40),
            [line("Resize", *twice, **nearest)],
            [
                line(
                    "ConvTranspose",
                    np.ones((64, 1, 2, 2), np.float32),
                    strides=[2, 2],
                    group=64,
                )
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


PAIRS = _pairs()

RECORDED = Path(__file__).parent / "results/forms.json"


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


Figures = dict[str, float]


def figures(cost: Cost) -> Figures:
    """Bytes of commands and of memory at run time, and milliseconds by TPU-MLIR's timing."""
    return {"commands": cost.commands, "memory": cost.runtime, "ms": round(cost.simulated, 6)}


def measured(pair: Pair, target: str, mode: str) -> dict[str, Any]:
    """A row of the table. Raises SystemExit where the forms differ, or are not compiled whole."""
    if not same(pair):
        raise SystemExit(f"{pair.name}: the forms do not compute the same")
    row: dict[str, Any] = {"computation": pair.name, "target": target, "mode": mode}
    for form in ("usual", "other"):
        found = cost(model(pair, getattr(pair, form)), target, mode)
        if found is None:
            raise SystemExit(f"{pair.name}: the {form} form is not one sub-model of {target}")
        row[form] = figures(found)
    return row | {"kept": pair.kept}


def is_cheaper(one: Figures, other: Figures) -> bool:
    """Whether a form takes clearly less time, or as much with a fraction of the commands or the memory."""
    if abs(one["ms"] - other["ms"]) > max(0.1 * other["ms"], SHORT):
        return one["ms"] < other["ms"]
    smaller = [one[k] < other[k] / 2 - NOTHING for k in ("commands", "memory")]
    larger = [one[k] > other[k] * 2 + NOTHING for k in ("commands", "memory")]
    return any(smaller) and not any(larger)


NOTHING, SHORT = 4096, 0.005
"""Bytes of commands or memory, and milliseconds, that do not matter."""


def complaints(row: Mapping[str, Any], recorded: Mapping[str, Any] | None) -> list[str]:
    """What is wrong with a row: a cheaper form that nobody explains, or a figure that has grown."""
    where = f"{row['computation']} on {row['target']}"
    found: list[str] = []
    if is_cheaper(row["other"], row["usual"]) and not row["kept"]:
        found.append(f"{where}: the other form is cheaper: {row['other']}, not {row['usual']}")
    if recorded is None:
        return [*found, f"{where}: nothing is recorded; write it with --json {RECORDED}"]
    for key, value in row["usual"].items():
        if value > recorded["usual"][key] * 1.1 + (SHORT if key == "ms" else NOTHING):
            found.append(f"{where}: {key} were {recorded['usual'][key]:g}, and are {value:g}")
    return found


def main(args: Sequence[str] | None = None) -> int:
    """Prints the table; 1 where `--check` finds something."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="bm1684x,bm1688")
    parser.add_argument("--mode", default="F16")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(args)
    recorded = {
        (row["computation"], row["target"], row["mode"]): row
        for row in json.loads(RECORDED.read_text())
    }
    made: list[dict[str, Any]] = []
    wrong: list[str] = []
    print("| computation | chip | usual form | other form |\n| --- | --- | --- | --- |")
    for pair in PAIRS:
        for target in options.target.split(","):
            row = measured(pair, target, options.mode)
            made.append(row)
            cells = [
                f"{size(f['commands'])}, {size(f['memory'])}, {f['ms']:.3g} ms"
                for f in (row["usual"], row["other"])
            ]
            print(f"| {' | '.join([pair.name, target, *cells])} |", flush=True)
            wrong += complaints(row, recorded.get((pair.name, target, options.mode)))
    if options.json:
        options.json.write_text(json.dumps(made, indent=1) + "\n")
    if not options.check:
        return 0
    print(
        "\n".join(wrong) or "no form is dearer than recorded, or than another one", file=sys.stderr
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AutosplitError as e:
        sys.exit(f"bench_forms: error: {e}")
