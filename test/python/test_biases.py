"""`convert --correct-biases`: biases take back what rounding weights shifts, in the mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_models import split_two
from convert_toolchain import needs_toolchain
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sampled import sample

from autosplit.calibration.calibrate import tables
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import read_archive, store_for
from autosplit.devices import get_chip
from autosplit.flows.convert import advice
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.quantizing.metrics import Metric
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.top_mlir.reader import read_top
from autosplit.formats.top_mlir.writer import weight_ops
from autosplit.lowering.pipelines import run_passes
from autosplit.lowering.top.byte_weights import rounded_weights
from autosplit.lowering.top.correct_biases import set_means
from autosplit.registry import make_context
from autosplit.runtime.runner import open_runner

ort: Any = pytest.importorskip("onnxruntime")

Array = NDArray[Any]

SHAPES = {"w1": (8, 3, 3, 3), "b1": (8,), "w2": (8, 2, 1, 1), "b2": (8,), "w3": (8, 5), "b3": (5,)}


def net(path: Path, arrays: dict[str, Array]) -> Path:
    """A convolution, one in groups, and a product of matrices; no padding."""
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="conv1"),
        helper.make_node("Conv", ["c1", "w2", "b2"], ["c2"], name="conv2", group=4),
        helper.make_node("GlobalAveragePool", ["c2"], ["p"], name="pool"),
        helper.make_node("Flatten", ["p"], ["f"], name="flat"),
        helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], name="gemm"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
            for name in ("y", "c1", "c2")
        ],
        [numpy_helper.from_array(a, n) for n, a in arrays.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(made.SerializeToString())
    return path


def results(path: Path, samples: Array) -> list[Array]:
    """The mean of each channel of each output."""
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    made = [session.run(None, {"x": sample}) for sample in samples]
    means = [np.mean([m[i] for m in made], axis=0) for i in range(3)]
    return [m.mean(axis=tuple(range(2, m.ndim)))[0] for m in means]


def split_net(random: np.random.Generator, folder: Path, target: str) -> None:
    """Splits the network, with one output and random weights, for INT8."""
    arrays = {n: random.normal(size=s).astype(np.float32) for n, s in SHAPES.items()}
    path = folder.with_suffix(".onnx")
    model = onnx.load(net(path, arrays))
    del model.graph.output[1:]
    onnx.save(model, path)
    split_model(SplitOptions(path, out=folder, target=target, mode="INT8"))


@needs_toolchain
def test_means_of_each_product_are_those_of_floats(tmp_path: Path):
    """With weights in 8 bits and inputs that are the same everywhere, so that windows do not matter."""
    random = np.random.default_rng(2)
    arrays = {n: random.normal(size=s).astype(np.float32) for n, s in SHAPES.items()}
    model = net(tmp_path / "net.onnx", arrays)
    # Outputs inside of the network would have ranges of their own.
    short = onnx.load(model)
    del short.graph.output[1:]
    onnx.save(short, tmp_path / "short.onnx")
    samples = np.broadcast_to(random.random((6, 1, 3, 1, 1)) + 0.5, (6, 1, 3, 8, 8)).astype(
        np.float32
    )
    out = tmp_path / "out"
    split_model(SplitOptions(tmp_path / "short.onnx", out=out, target="bm1684x", mode="INT8"))
    (text,) = out.glob("graph_ir_*/graph_*.mlir")
    made = tables(
        read_top(text), [{"x": s} for s in samples], chip=get_chip("bm1684x"), correct_biases=True
    )
    assert len(made.means) == 3
    module = read_top(text)
    set_means(module, made.means)
    run_passes(make_context(), module, "top-correct-biases")
    weights = [op.names[0] for op in weight_ops(module)]
    biases = [store_for(module).array(n) for n in weights if n.endswith("/corrected")]
    assert len(biases) == 3
    found = dict(arrays)
    for weight in ("w1", "w2", "w3"):
        found[weight] = rounded_weights(arrays[weight], by_channel=weight != "w3")
    exact = results(model, samples)
    shifted = results(net(tmp_path / "rounded.onnx", found), samples)
    # Each bias is told by the one that it is near to; each product is corrected for what floats give it.
    for bias, weight in (("b1", "w1"), ("b2", "w2"), ("b3", "w3")):
        mended = min(biases, key=lambda b: float(_distance(b, arrays[bias])))
        alone = {**arrays, weight: found[weight], bias: mended.reshape(arrays[bias].shape)}
        place = {"b1": 1, "b2": 2, "b3": 0}[bias]
        now = results(net(tmp_path / "mended.onnx", alone), samples)[place]
        before = results(net(tmp_path / "m.onnx", {**arrays, weight: found[weight]}), samples)[
            place
        ]
        off = np.abs(before - exact[place]).max()
        # Means have four digits.
        assert np.abs(now - exact[place]).max() < 0.05 * off + 1e-5
    assert np.abs(shifted[0] - exact[0]).max() > 0


@needs_toolchain
def test_trials_know_the_biases_of_real_numbers(tmp_path: Path):
    """Also when the folder has corrected ones by now."""
    random = np.random.default_rng(2)
    folder = tmp_path / "out"
    split_net(random, folder, "bm1688")
    samples = (random.random((4, 3, 8, 8)) + 0.5).astype(np.float32)
    np.save(tmp_path / "x.npy", samples)

    def off(made: Any, exact: Any) -> float:
        return -max(np.abs(a["y"] - b["y"]).max() for a, b in zip(made, exact, strict=True))

    blame, found = advice.find_whole_blame, list[float]()

    def blamed(switched: Any, samples: Any, exact: Any, *rest: Any) -> Any:
        found.append(off([switched.run(sample, switched.types) for sample in samples], exact))
        return blame(switched, samples, exact, *rest)

    options = ConvertOptions(
        folder,
        mode="INT8",
        data=[str(tmp_path / "x.npy")],
        compare=True,
        metric=Metric("off", off),
        target_metric=-1e-9,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(advice, "find_whole_blame", blamed)
        convert_folder(options)
    assert found
    assert min(found) > -1e-4


def _distance(one: Array, other: Array) -> float:
    return float(np.abs(one.ravel() - other).max()) if one.size == other.size else np.inf


@needs_toolchain
@pytest.mark.parametrize("target", sample(["bm1684", "bm1684x", "bm1688"]))
def test_the_chip_is_off_by_less_in_the_mean(target: str, tmp_path: Path):
    """And what was compiled so is taken by the next run, and not without."""
    random = np.random.default_rng(2)
    folder = tmp_path / "out"
    split_net(random, folder, target)
    samples = (random.random((16, 3, 8, 8)) + 0.5).astype(np.float32)
    np.save(tmp_path / "x.npy", samples)
    off: dict[bool, float] = {}
    for correct in (False, True):
        data = [str(tmp_path / "x.npy")]
        passes: list[str] = []
        steps: list[str] = []
        options = ConvertOptions(
            folder,
            mode="INT8",
            data=data,
            correct_biases=correct,
            show=lambda step, _, passes=passes: passes.append(step.name),
            progress=steps.append,
        )
        assert [g.state for g in convert_folder(options).graphs] == ["compiled"]
        assert passes.count("top-correct-biases") == correct
        with open_runner(folder, 2, use_cmodel=True) as chip, open_runner(folder, 0) as cpu:
            pairs: Any = [(chip.infer({"x": s}), cpu.infer({"x": s})) for s in samples[:, None]]
        off[correct] = float(np.abs(np.mean([a["y"] - b["y"] for a, b in pairs], axis=0)).mean())
        assert any("calibrating" in step for step in steps)
        steps.clear()
        assert [g.state for g in convert_folder(options).graphs] == ["taken"]
        assert not any("calibrating" in step for step in steps)
    # BM1684 only shifts sums, which costs as much again.
    assert off[True] < (0.75 if target == "bm1684" else 0.5) * off[False]


@needs_toolchain
def test_with_a_target(tmp_path: Path):
    """What trials move to F16 rounds no weights, and its bias stays."""
    random = np.random.default_rng(2)
    folder, changed = tmp_path / "out", dict[float, set[str]]()
    split_net(random, folder, "bm1688")
    np.save(tmp_path / "x.npy", (random.random((4, 3, 8, 8)) + 0.5).astype(np.float32))
    archive = folder / "graph_ir_0" / "graph_0_weights.npz"
    for target in (0.5, 0.999999):
        weights: list[dict[str, Array]] = []
        for correct in (False, True):
            convert_folder(
                ConvertOptions(
                    folder,
                    mode="INT8",
                    data=[str(tmp_path / "x.npy")],
                    target_cosine=target,
                    correct_biases=correct,
                )
            )
            store = read_archive(archive)
            weights.append({name: store.array(name) for name in store})
        plain, corrected = weights
        changed[target] = {n for n in plain if not np.array_equal(plain[n], corrected[n])}
    assert len(changed[0.5]) == 3
    assert len(changed[0.999999]) < 3


def test_what_is_refused(tmp_path: Path):
    folder = split_two(tmp_path / "net")
    refused: list[dict[str, Any]] = [{"mode": "F32"}, {"mode": "INT8", "table": tmp_path / "table"}]
    for given in refused:
        with pytest.raises(AutosplitError, match="--correct-biases: is for INT8 with samples"):
            convert_folder(ConvertOptions(folder, correct_biases=True, **given))


@pytest.mark.parametrize(
    ("chip", "options", "expected"),
    [
        ("bm1684x", {}, True),
        ("bm1688", {}, True),
        ("bm1684", {}, True),
        ("bm1688", {"correct_biases": False}, False),
        ("bm1688", {"table": Path("table")}, False),
        ("bm1688", {"data": []}, False),
    ],
)
def test_the_default(chip: str, options: dict[str, Any], expected: bool):
    plain = ConvertOptions(Path("folder"), **{"mode": "INT8", "data": ["x.npy"], **options})
    settled = plain.settled(get_chip(chip))
    assert (settled.calibrator, settled.correct_biases) == ("histogram", expected)
