"""What people see of a plan: the tables, the sums and the picture say the same, and nothing overlaps."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import ImageFont
from rich.console import Console

from autosplit.explain import svg as picture
from autosplit.explain.plan import Border, Explanation, PlacedOp, SubModel, explain
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.tools.cli import report, ui
from autosplit.tools.generate.blocks import copy_examples

NAME = "Postprocessor/BatchMultiClassNonMaxSuppression/map/TensorArrayStack_2/TensorArrayGatherV3:0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("split")
    copy_examples(path)
    split_model(SplitOptions(model=path / "detector.onnx", out=path / "out", target="bm1684x"))
    return path / "out"


@pytest.fixture(scope="module")
def found(folder: Path) -> Explanation:
    from autosplit.folder.reader import read_folder

    return explain(read_folder(folder))


def long_names() -> Explanation:
    """Three sub-models with a value that passes the second by, and names that do not fit."""
    ops = [
        PlacedOp(f"op{i}", f"AVeryLongKindOfOperation{i}", f"graph_{i % 3}", "cpu", (), (), 0, False)
        for i in range(60)
    ]  # fmt: skip
    graphs = [
        SubModel("graph_0", "cpu", "", 20, 0, (NAME,), ()),
        SubModel("graph_1", "tpu", "bm1684x", 20, 999, (), ()),
        SubModel("graph_2", "cpu", "", 20, 1, (), ()),
    ]
    wide = "tensor<1x1024x1024x1024xf32>"
    borders = [
        Border(NAME, wide, 1 << 32, "input", ("graph_0",)),
        Border(NAME + "'", wide, 1 << 32, "graph_0", ("graph_2",)),
        *(Border(f"{NAME}<{i}>", "tensor<*xf32>", None, "graph_1", ("output",)) for i in range(9)),
    ]
    return Explanation("onnx", "bm1684x", graphs, ops, borders, [])


def test_the_sums_of_the_reasons_are_those_of_graph_infos(found: Explanation, folder: Path):
    own = json.loads((folder / "graph_infos.json").read_text())["autosplit"]
    assert {total.code: total.ops for total in found.totals()} == own["reasons"]


@pytest.mark.parametrize(
    ("type", "measured", "shown"),
    [
        ("tensor<1x300x300x3xui8>", None, "1x300x300x3 ui8"),
        ("tensor<?x2xi64, #platform.dims<['N', '']>>", None, "?x2 i64"),
        ("tensor<f32>", None, "scalar f32"),
        ("tensor<*xf32>", None, "any shape, f32"),
        ("tensor<*xf32>", (1, 100), "1x100 f32, measured"),
        ("tensor<2x!tf.string>", None, "2 !tf.string"),
        ("tensor<2xcomplex<f32>>", None, "2 complex<f32>"),
        ("!platform.unknown", None, "unknown"),
    ],
)
def test_types_without_brackets(type: str, measured: tuple[int, ...] | None, shown: str):
    assert Border("x", type, None, "input", (), measured).shown == shown


def test_one_line_says_it_all(found: Explanation):
    assert report.summary(found) == (
        "2 sub-models; on the TPU: 13 of 15 ops, 100 % of the 512 multiply-adds"
    )
    assert report.summary(Explanation("onnx", "", [], [], [], [])) == (
        "0 sub-models; on the TPU: 0 of 0 ops; the model has no multiply-adds"
    )


def test_reasons_fit_a_narrow_terminal(
    found: Explanation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def narrow(stderr: bool = False) -> Console:
        return Console(width=70, force_terminal=True, highlight=False, no_color=True)

    monkeypatch.setattr(ui, "console", narrow)
    report.show_explanation(found, every_op=False)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 70
    text = " ".join(" ".join(lines).split())
    assert "1 op data-dependent: a size depends on the data, not only on the input shapes" in text
    assert "such as 'find': NonZero has as many results as the data has non-zeros" in text


@pytest.mark.parametrize(
    "text", [NAME, "1x300x300x3 f32, measured", "88 Identity, 76 FusedBatchNorm"]
)
def test_texts_are_not_wider_than_they_are_taken_for(text: str):
    assert picture.width_of(text, 12) >= ImageFont.load_default(12).getlength(text)


@pytest.mark.parametrize("which", ["small", "long"])
def test_nothing_in_the_picture_overlaps_or_is_cut(which: str, found: Explanation):
    text = picture.svg(found if which == "small" else long_names())
    root = ElementTree.fromstring(text)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    spans: dict[int, list[tuple[float, float]]] = {}
    for item in root.iter("{http://www.w3.org/2000/svg}text"):
        size, x, y = (int(item.attrib[k]) for k in ("font-size", "x", "y"))
        length = ImageFont.load_default(size).getlength(item.text or "")
        anchor = item.attrib.get("text-anchor", "start")
        left = x - {"start": 0.0, "middle": length / 2, "end": length}[anchor]
        assert left >= 0
        assert left + length <= width
        assert 0 < y < height
        spans.setdefault(y, []).append((left, left + length))
    for row in spans.values():
        ordered = sorted(row)
        assert all(a[1] <= b[0] for a, b in pairwise(ordered))


def test_the_picture_says_what_passes_a_sub_model_by():
    text = picture.svg(long_names())
    assert "(for graph_2)" in text
    assert "and 4 more tensors" in text
    assert "100 %" not in text
    assert "99.9 %" in text
