"""The generated pages: what they take from the sources, and that examples are really run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from autosplit.core.errors import AutosplitError
from autosplit.registry import get_all_dialects, get_all_passes, get_all_targets
from autosplit.tools.generate import pages as docs


@dataclass(frozen=True)
class Sample:
    """Says something.

    More of it.
    """

    width: int = 3
    """How wide
    it is."""
    fast: bool = True
    """Whether it is fast."""
    name: str = "sample"


def test_docstrings_are_own():
    @dataclass
    class Bare:
        x: int = 1

    class Child(Sample):
        pass

    assert docs.docstring(Sample).startswith("Says something.")
    assert docs.docstring(Bare) == ""
    assert docs.docstring(Child) == ""


def test_options_come_with_their_docs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Sample, "__module__", "autosplit.sample")
    monkeypatch.setattr("inspect.getsource", lambda _: _source())
    rows = list(docs.options_table(Sample))
    assert rows[2:4] == [
        "| `width` | `int` | `3` | How wide it is. |",
        "| `fast` | `bool` | `true` | Whether it is fast. |",
    ]
    assert len(rows) == 5


def _source() -> str:
    text = Path(__file__).read_text()
    return text[text.index("class Sample") : text.index("def test_docstrings")]


TEST = """// RUN: autosplit-opt %s -p cse --split-input-file | filecheck %s

// Two equal ops become one.
// CHECK-LABEL: what
// CHECK: %[[X:.+]] = arith.constant
%a = arith.constant 1 : i32
%b = arith.constant 1 : i32
"test.op"(%a, %b) : (i32, i32) -> ()

// -----
"not shown"
"""


def test_an_examples_first_case_is_run(tmp_path: Path):
    path = tmp_path / "cse.mlir"
    path.write_text(TEST)
    example = docs.run_example(path)
    assert example is not None
    assert example.command == "autosplit-opt FILE -p cse"
    assert example.before.startswith("// Two equal ops become one.\n%a = arith.constant 1")
    assert "CHECK" not in example.before
    assert example.after.count("arith.constant 1") == 1
    assert "not shown" not in example.before + example.after


def test_an_example_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    path = tmp_path / "bad.mlir"
    path.write_text("// RUN: autosplit-opt %s | filecheck %s\nnonsense.op\n")
    with pytest.raises(AutosplitError, match=r"bad\.mlir: its first case fails: .*not registered"):
        docs.run_example(path)


def test_other_commands_are_no_examples(tmp_path: Path):
    path = tmp_path / "x.mlir"
    for line in ("true", "autosplit-opt %t", "autosplit-opt"):
        path.write_text(f"// RUN: {line}\n")
        assert docs.run_example(path) is None


def test_long_examples_are_cut(tmp_path: Path):
    path = tmp_path / "x.mlir"
    many = '"test.op"() : () -> ()\n' * 100
    path.write_text("// RUN: autosplit-opt %s | filecheck %s\n" + many)
    example = docs.run_example(path)
    assert example is not None
    assert len(example.before.splitlines()) == docs.LONG_EXAMPLE + 1
    assert example.before.endswith("// ... 40 more lines")


def test_stale_pages_are_told_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "PAGES", {"a.md": lambda: "A\n"})
    assert docs.main(["--check"]) == 1
    assert "docs/a.md is not fresh: run make docs" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()
    assert docs.main([]) == 0
    assert (tmp_path / "docs" / "a.md").read_text() == "A\n"
    assert docs.main(["--check"]) == 0


def test_the_pages_name_everything():
    root = docs.ROOT / "docs"
    passes, dialects = (root / "passes.md").read_text(), (root / "dialects.md").read_text()
    for name in (*get_all_passes(ours=True), *get_all_targets(ours=True)):
        assert f"### `{name}`\n" in passes
    for name, factory in get_all_dialects(ours=True).items():
        assert f"## `{name}`\n" in dialects
        for op in factory().operations:
            assert f"`{op.name}`" in dialects


def test_the_pages_are_the_same_every_time():
    assert docs.dialects_page() == docs.dialects_page()
