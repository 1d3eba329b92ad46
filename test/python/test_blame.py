"""What is to blame for a refused bmodel is found, and to do what is advised makes the whole model better."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_models import split_two
from convert_toolchain import real
from onnx import TensorProto, helper, numpy_helper
from sampled import sample_rows

from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.quantizing.metrics import Metric, load_metric
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compiled import usable
from autosplit.formats.top_mlir import writer
from autosplit.runtime.runner import open_runner

ort = pytest.importorskip("onnxruntime")


def outlier(path: Path, size: float = 400) -> Path:
    """Three products; a weight of the second one that no sample needs makes its steps long.

    With a `size` of 25 by a quarter of the outputs, with 400 nothing is left of them.
    """
    random = np.random.default_rng(0)
    weights = {
        name: (random.standard_normal(shape) * 0.3).astype(np.float32)
        for name, shape in (("w1", (16, 24)), ("w2", (24, 32)), ("w3", (32, 8)))
    }
    # Of the first product nothing comes there.
    weights["w1"][:, 0] = 0
    weights["w2"][0, 0] = size
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["a"], "first"),
        helper.make_node("Relu", ["a"], ["b"], "relu"),
        helper.make_node("MatMul", ["b", "w2"], ["c"], "second"),
        helper.make_node("Tanh", ["c"], ["d"], "tanh"),
        helper.make_node("MatMul", ["d", "w3"], ["y"], "third"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 10, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10, 8])],
        [numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )
    return path


@pytest.mark.parametrize("chip", ["bm1684x", "bm1688"])
def test_int8_is_blamed_where_it_costs(tmp_path: Path, chip: str):
    """BM1684 lets that weight saturate, and is right."""
    real()
    model = outlier(tmp_path / "net.onnx", 25)
    samples = np.random.default_rng(1).standard_normal((4, 1, 10, 16)).astype(np.float32)
    (tmp_path / "data").mkdir()
    for i, sample in enumerate(samples):
        np.save(tmp_path / "data" / f"{i}.npy", sample)
    folder = tmp_path / "out"
    split_model(SplitOptions(model, out=folder, target=chip, mode="INT8"))

    def converted(**options: Any) -> Any:
        data = [str(tmp_path / "data")]
        given = ConvertOptions(folder, mode="INT8", data=data, compare=True, samples=2, **options)
        return convert_folder(given).graphs[0]

    before = converted()
    assert before.state == "refused"
    said = re.search(
        r"by trials, INT8 costs most in MatMul '(?:c|second)'; with that in F32 the relative error "
        r"falls from ([\d.]+) to ([\d.]+): convert again with --f32 ('.*')$",
        before.error,
    )
    assert said, before.error
    # Trials tell the error of the chip, before and after.
    assert float(said[1]) == pytest.approx(before.comparison["y"].relative, rel=0.5)
    after = converted(f32=shlex.split(said[3]))
    assert after.state == "compiled"
    assert after.comparison["y"].relative < 0.25 * before.comparison["y"].relative
    session = ort.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    with open_runner(folder, 2, use_cmodel=True) as runner:
        for sample in samples[2:]:
            (exact,) = session.run(None, {"x": sample})
            off = np.abs(runner.infer({"x": sample})["y"] - exact).max() / np.abs(exact).max()
            assert off < 0.25 * before.comparison["y"].relative


def test_an_op_that_is_compiled_wrong_is_found_by_probing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The tool chain stands in for one that gets 3x3 convolutions of 8 channels wrong."""
    real()
    true = writer.weight_array

    def mistaken(op: Any, store: Any) -> Any:
        array = true(op, store)
        return array * np.float32(1.01) if array.shape == (4, 8, 3, 3) else array

    monkeypatch.setattr(writer, "weight_array", mistaken)
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    folder = split_two(tmp_path / "net", pins=())
    (graph,) = convert_folder(ConvertOptions(folder, compare=True, samples=1)).graphs
    assert graph.state == "refused"
    said = re.search(
        r"by probing, Conv 'conv2' compiles, and computes something else .*: split again with --pin "
        r"'(conv2)=cpu'$",
        graph.error,
    )
    assert said, graph.error
    folder = split_two(tmp_path / "mended", pins=[(said[1], "cpu")])
    result = convert_folder(ConvertOptions(folder, compare=True, samples=1))
    result.check()
    x = np.random.default_rng(3).random((1, 3, 16, 16)).astype(np.float32)
    with open_runner(folder, 0) as cpu, open_runner(folder, 2, use_cmodel=True) as chip:
        assert np.allclose(cpu.infer({"x": x})["y"], chip.infer({"x": x})["y"], atol=1e-5)


def test_where_each_op_alone_is_right_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real()
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    folder = split_two(tmp_path / "net", pins=())
    options = ConvertOptions(folder, compare=True, samples=1, tolerance={"y": 0.0})
    (graph,) = convert_folder(options).graphs
    assert "by probing, each op alone is right" in graph.error


def test_an_interrupt_ends_the_search_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As a user presses Ctrl-C when told that it leaves that out."""

    def pressed(text: str) -> None:
        if "Ctrl-C" in text:
            raise KeyboardInterrupt

    real()
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    folder = split_two(tmp_path / "net", pins=())
    options = ConvertOptions(
        folder, compare=True, samples=1, tolerance={"y": 0.0}, progress=pressed
    )
    (graph,) = convert_folder(options).graphs
    assert graph.state == "refused"
    assert graph.error.endswith("; the search for what is to blame was interrupted")


def off(made: Any, exact: Any) -> float:
    """Minus the largest relative error, over all samples."""
    offs = [
        np.abs(a["y"] - b["y"]).max() / np.abs(b["y"]).max()
        for a, b in zip(made, exact, strict=True)
    ]
    return -float(max(offs))


@pytest.mark.parametrize(
    ("metric", "target"), sample_rows([(Metric("off", off), -0.06), (load_metric("top1:y"), 1.0)])
)
def test_a_metric_blames_ops_of_the_whole_model(tmp_path: Path, metric: Metric, target: float):
    """What is to blame lies in front of the CPU, what the metric sees behind it."""
    real()
    model, samples, options = split_at_tanh(tmp_path, metric, target)

    def converted(*f32: str) -> Any:
        return convert_folder(replace(options, f32=f32))

    # Who names an op chooses them all.
    before = converted("third")
    assert [g.state for g in before.graphs] == ["refused", "refused"]
    said = re.search(
        r"by trials, INT8 costs the whole model most in (?:MatMul 'b', )?MatMul '(?:c|second)'; with that in "
        r"F32 its \S+ rises from (-?[\d.]+) to (-?[\d.]+): convert again with --f32 ('.*')$",
        before.graphs[0].error,
    )
    assert said, before.graphs[0].error
    assert "by trials" not in before.graphs[1].error
    # Trials tell the score of the chip, before and after.
    assert before.score is not None
    assert float(said[1]) == pytest.approx(before.score, abs=0.5 * abs(target - before.score))
    assert float(said[2]) >= target
    after = converted("third", *shlex.split(said[3]))
    after.check()
    assert after.score is not None
    assert after.score >= target > before.score
    assert on_chip(options.folder, model, samples[4:], metric) > before.score


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("metric", "target"), sample_rows([(Metric("off", off), -0.06), (load_metric("top1:y"), 1.0)])
)
def test_a_metric_has_ops_computed_with_real_numbers(tmp_path: Path, metric: Metric, target: float):
    real()
    notes: list[str] = []
    model, samples, options = split_at_tanh(tmp_path, metric, target)
    options = replace(options, note=notes.append)
    result = convert_folder(options)
    result.check()
    assert result.score is not None
    assert result.score >= target
    (said,) = [found for note in notes if (found := CHOICE.search(note))]
    before = float(said[1])
    assert before < target
    # In a sub-model of its own something was computed with real numbers, in the other one nothing.
    first, last = (usable(options.folder / f"graph_ir_{number}") for number in (0, 2))
    assert first is not None
    assert last is not None
    texts = [text for text in first.in_f32 if "INT8 in it costs the whole model, so in F16" in text]
    assert texts
    assert not any("costs the whole model" in text for text in last.in_f32)
    assert on_chip(options.folder, model, samples[4:], metric) > before
    # The same once more takes what is there.
    notes.clear()
    again = convert_folder(options)
    assert [graph.state for graph in again.graphs] == ["taken", "taken"]
    assert again.score == result.score
    assert not any(map(CHOICE.search, notes))


def test_a_metric_out_of_reach_says_what_was_tried(tmp_path: Path):
    real()
    _, _, options = split_at_tanh(tmp_path, Metric("off", off), 1.0)
    result = convert_folder(options)
    assert [graph.state for graph in result.graphs] == ["refused", "refused"]
    assert re.search(
        r"reaches a off of \S+ over 4 samples, expected 1; it is set aside.*; by trials, no op in F32 "
        r"helps: try F16",
        result.graphs[0].error,
    ), result.graphs[0].error


CHOICE = re.compile(
    r"the whole model reaches a \S+ of (\S+) over 4 samples, expected \S+: so (?:1 op is|2 ops are) computed "
    r"with real numbers, which takes trials from a \S+ of \S+ to \S+: (?:MatMul 'b', )?MatMul '(?:c|second)'$"
)


def split_at_tanh(
    tmp_path: Path, metric: Metric, target: float
) -> tuple[Path, Any, ConvertOptions]:
    """A model in three parts, samples of what it reads, and options with the first four of them."""
    model = outlier(tmp_path / "net.onnx", 25)
    samples = np.random.default_rng(1).standard_normal((6, 1, 10, 16)).astype(np.float32)
    data, folder = tmp_path / "x.npy", tmp_path / "out"
    np.save(data, samples)
    pins = [("tanh", "cpu")]
    split_model(SplitOptions(model, out=folder, target="bm1684x", mode="INT8", pins=pins, keep=1.0))
    options = ConvertOptions(
        folder,
        mode="INT8",
        data=[str(data)],
        compare=True,
        samples=4,
        metric=metric,
        target_metric=target,
    )
    return model, samples, options


def on_chip(folder: Path, model: Path, samples: Any, metric: Metric) -> float:
    """The metric of what the emulator makes of samples, beside ONNX Runtime."""
    session = ort.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    with open_runner(folder, 2, use_cmodel=True) as runner:
        made = [runner.infer({"x": sample}) for sample in samples]
    exact = [{"y": session.run(None, {"x": sample})[0]} for sample in samples]
    return metric(made, exact)  # pyright: ignore[reportArgumentType]


def test_a_metric_of_a_mode_of_floats_probes_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real()
    true = writer.weight_array

    def mistaken(op: Any, store: Any) -> Any:
        array: Any = true(op, store)
        return array * np.float32(1.01) if array.shape == (4, 8, 3, 3) else array

    monkeypatch.setattr(writer, "weight_array", mistaken)
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    folder = split_two(tmp_path / "net")
    options = ConvertOptions(
        folder, compare=True, samples=1, metric=Metric("off", off), target_metric=-1e-4
    )
    result = convert_folder(options)
    assert [g.state for g in result.graphs] == ["refused", "refused"]
    assert re.search(
        r"graph_0: by probing, each op alone is right.*; graph_2: by probing, Conv 'conv2' compiles, and "
        r"computes something else .*: split again with --pin 'conv2=cpu'$",
        result.graphs[0].error,
    ), result.graphs[0].error
