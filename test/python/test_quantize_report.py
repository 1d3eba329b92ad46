"""`quantize --report`: statistics of values and ops, as text and as a page."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from autosplit.calibration.calibrators import CALIBRATORS
from autosplit.core.errors import AutosplitError
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.flows.quantizing.reporting import value_statistics
from autosplit.testing.networks.builder import Net, build
from autosplit.tools.cli.main import main

pytest.importorskip("onnxruntime")

Array = NDArray[Any]


def net(n: Net) -> None:
    x = n.op("Relu", n.conv(n.input("x", (1, 3, 12, 12)), 3, 8, 3))
    n.output(n.linear(n.op("Flatten", n.op("GlobalAveragePool", x)), 8, 4), "y")


def samples() -> list[dict[str, Array]]:
    random = np.random.default_rng(0)
    return [{"x": random.standard_normal((1, 3, 12, 12)).astype(np.float32)} for _ in range(3)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model = tmp_path / "model.onnx"
    model.write_bytes(build("net", net, samples()[0]).SerializeToString())
    return model


def reported(path: Path, name: str, **options: Any) -> str:
    report = path.parent / name
    quantize_model(QuantizeOptions(path, samples=samples(), report=report, **options))
    return report.read_text()


class Page(HTMLParser):
    """The rows of tables, and what a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.fetched: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [v or "" for k, v in attrs if k in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def test_the_page_says_what_the_recipe_says(path: Path) -> None:
    page = Page()
    page.feed(reported(path, "report.html"))
    assert not page.open
    assert not page.fetched
    recipe = quantize_model(QuantizeOptions(path, samples=samples())).recipe
    named = [row[0] for row in page.rows]
    assert named[: -len(recipe.ops)] == ["value", *recipe.ranges, "op"]
    assert set(named[-len(recipe.ops) :]) == recipe.ops.keys()
    lost = [float(row[3]) for row in page.rows[-len(recipe.ops) :]]
    assert lost == sorted(lost, reverse=True)
    assert lost[0] > 0


def test_a_name_is_no_markup(path: Path) -> None:
    assert "<b>" not in reported(path, "report.html", skip=[]).replace("<body>", "")
    from autosplit.explain.quantized import OpStatistics, QuantizeReport

    page = QuantizeReport("<b>", ["a & b"], ops=[OpStatistics("<i>", "Conv", kept="<u>")]).html()
    assert "&lt;b&gt;" in page
    assert "a &amp; b" in page
    assert "<i>" not in page
    assert "<u>" not in page


def test_the_text(path: Path) -> None:
    lines = reported(path, "report.txt", skip=["conv_0"]).splitlines()
    assert lines[0] == "model.onnx, quantized"
    assert any(
        line.split()[0] == "conv_0" and "keeps it in float32" in line for line in lines if line
    )


def test_what_saturates_is_counted() -> None:
    """Against the numbers themselves."""
    numbers = np.random.default_rng(0).standard_normal(10000).astype(np.float32)
    seen = CALIBRATORS["histogram"]()
    seen.add(numbers)
    found = value_statistics("x", (-1.0, 2.0), seen)
    assert found.outside == pytest.approx(np.mean((numbers < -1) | (numbers > 2)), abs=2e-3)
    assert (found.least, found.most) == (numbers.min(), numbers.max())
    assert sum(found.bars) == numbers.size
    expected, _ = np.histogram(numbers, len(found.bars))
    assert np.abs(np.array(found.bars) - expected).max() < 0.1 * expected.max()
    nothing = value_statistics("x", (0.0, 2.0), None)
    assert (nothing.outside, nothing.bars) == (0.0, ())


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium")
def test_a_browser_shows_it(path: Path) -> None:
    reported(path, "report.html")
    picture = path.parent / "page.png"
    switches = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    shown = subprocess.run(
        [
            "chromium", *switches, "--disable-sync", "--no-first-run", "--dump-dom",
            f"--user-data-dir={path.parent / 'profile'}", f"--screenshot={picture}",
            (path.parent / "report.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "Values that are read as 8 bits" in shown.stdout or picture.stat().st_size > 5000


def test_where_it_is_written(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        AutosplitError, match=r"report.pdf: expected a name that ends with .html or .txt"
    ):
        reported(path, "report.pdf")
    reported(path, "report.html")
    with pytest.raises(AutosplitError, match=r"report.html: is there already; --force replaces it"):
        reported(path, "report.html")
    data, out = path.parent / "x.npy", path.parent / "int8.onnx"
    np.save(data, np.stack([s["x"] for s in samples()]))
    line = ["quantize", str(path), "--data", str(data), "-o", str(out), "--report"]
    assert main([*line, str(path.parent / "new.html")]) == 0
    assert f"wrote {path.parent / 'new.html'}" in capsys.readouterr().out
