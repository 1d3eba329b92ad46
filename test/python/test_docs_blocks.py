"""The blocks of hand-written pages: commands are run, tables come from the sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autosplit.core.errors import AutosplitError
from autosplit.devices import all_chips
from autosplit.tools.generate import blocks as docs_blocks
from autosplit.tools.generate import pages as docs

PAGE = """# A page

<!-- run text: ls . | grep detector -->
old
<!-- end -->
between
<!-- run mlir: autosplit-opt detector.onnx --no-locations | grep onnx.Conv -->
<!-- end -->
"""


def test_blocks_are_what_their_commands_print():
    made = docs_blocks.fill(PAGE, "page.md")
    assert "old" not in made
    assert "```text\n$ ls . | grep detector\ndetector.onnx\n```\n<!-- end -->\nbetween\n" in made
    assert '    %c2 = onnx.Conv "conv2" (%r1, %w2) -> ["c2"] : ' in made
    assert docs_blocks.fill(made, "page.md") == made


def test_filters_follow_each_other(tmp_path: Path):
    (tmp_path / "x").write_text("1 a\n2\n3 a\n4 a\n5\n")
    assert docs_blocks.run("cat x | grep a | tail -n 2 | head -n 1", tmp_path) == "3 a"
    assert docs_blocks.run("cat x | grep -v a", tmp_path) == "2\n5"


def test_a_later_block_reads_what_an_earlier_one_wrote():
    page = "\n".join(
        f"<!-- run text: {command} -->\n<!-- end -->"
        for command in ("autosplit split detector.onnx -o out", "ls out | grep .onnx")
    )
    made = docs_blocks.fill(page, "page.md")
    assert made.endswith("graph_0.onnx\ngraph_1.onnx\n```\n<!-- end -->")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("rm -rf out", "page.md: 'rm -rf out': only autosplit, autosplit-opt, cat and ls can be run"),
        ("ls . | sort", "page.md: 'sort': expected grep TEXT, grep -v TEXT, head -n N or tail -n N"),
        ("ls . | head -n 0", "page.md: 'head -n 0': expected grep TEXT"),
        ("ls . | grep -v", "page.md: 'grep -v': expected grep TEXT"),
        ("autosplit-opt nothing.onnx", "page.md: 'autosplit-opt nothing.onnx' fails: .*nothing.onnx"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_an_error(command: str, message: str):
    with pytest.raises(AutosplitError, match=message):
        docs_blocks.fill(f"<!-- run text: {command} -->\n<!-- end -->", "page.md")


def test_a_command_that_has_to_fail_shows_its_error():
    page = "<!-- run text: ! autosplit-opt nothing.onnx -->\n<!-- end -->"
    made = docs_blocks.fill(page, "page.md").splitlines()
    assert made[2] == "$ autosplit-opt nothing.onnx"
    assert "nothing.onnx" in made[3]
    with pytest.raises(AutosplitError, match="'! autosplit --version' does not fail"):
        docs_blocks.fill("<!-- run text: ! autosplit --version -->\n<!-- end -->", "page.md")


def test_blocks_with_real_models_are_made_only_if_asked_for():
    page = "<!-- real text: python -c 'print(6 * 7)' -->\nold\n<!-- end -->"
    assert docs_blocks.fill(page, "page.md") == page
    made = docs_blocks.fill(page, "page.md", real=True)
    assert "$ python -c 'print(6 * 7)'\n42\n```" in made
    with pytest.raises(
        AutosplitError, match="only autosplit, autosplit-opt, cat and ls can be run"
    ):
        docs_blocks.fill(page.replace("real", "run"), "page.md", real=True)


def test_an_unknown_table_is_an_error():
    with pytest.raises(AutosplitError, match=r"no table 'device' \(did you mean 'devices'\?\)"):
        docs_blocks.fill("<!-- table: device -->\n<!-- end -->", "page.md")


def test_long_lines_are_wrapped_and_long_outputs_cut():
    made = docs_blocks.shortened("  " + "word " * 50 + "\n" + "x\n" * 200)
    lines = made.splitlines()
    assert max(map(len, lines)) <= docs_blocks.WIDEST
    assert " ".join(made.split()[:50]) == "word " * 49 + "word"
    assert lines[1].startswith("        word")
    assert len(lines) == docs_blocks.LONGEST + 1


def test_a_stale_block_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "PAGES", {})
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text(PAGE)
    assert docs.main(["--check"]) == 1
    assert "docs/page.md is not fresh" in capsys.readouterr().err
    assert docs.main([]) == 0
    assert docs.main(["--check"]) == 0


def test_every_chip_figure_and_every_code_is_on_its_page():
    devices = (docs.ROOT / "docs" / "devices.md").read_text()
    for chip in all_chips():
        assert f"### {chip.vendor_name}\n" in devices
        for figure in chip.figures.values():
            assert figure.source in devices
    from autosplit.dialects.reasons import REASONS

    page = (docs.ROOT / "docs" / "reasons.md").read_text()
    for code in (*REASONS["device.refused"], *REASONS["device.moved"]):
        assert f"| `{code}` |" in page


def test_commands_of_the_pipeline_page_run_as_written(tmp_path: Path):
    page = (docs.ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
    written, *others = (
        line.strip()
        for line in page.splitlines()
        if line.startswith(("    python -m ", "    autosplit"))
    )
    assert written.startswith("python -m ")
    assert len(others) == 10
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in (written, "autosplit split detector.onnx --target bm1684x -o out", *others):
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env={**os.environ, "PATH": path},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}: {done.stderr}"
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")
