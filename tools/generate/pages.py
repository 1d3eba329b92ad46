"""Writes docs/passes.md and docs/dialects.md, and the marked blocks of the other pages: `make docs`.

Everything comes from docstrings, from the passes' options, and from the lit tests: the first case of a
pass's test is run, and its input and output are pasted. The blocks of the hand-written pages are commands
that are run, and tables (`blocks.py`). So the pages cannot say what is not so. With `--check` nothing
is written, and a page that is not fresh is an error. Blocks with real models, which have to be fetched, and
with times are made anew with `--real` only.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, fields
from functools import partial
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.lowering.pipelines import PIPELINES
from autosplit.registry import get_all_dialects, get_all_passes, get_all_targets
from autosplit.tools import autosplit_opt
from autosplit.tools.generate.blocks import fill, wrapped

if TYPE_CHECKING:
    from xdsl.ir import Dialect

ROOT = Path(__file__).resolve().parents[2]
LIT = ROOT / "test" / "lit"

LONG_DIALECT = 60
"""A dialect with more ops than this gets one line for each of the framework's instead of the docstring."""

LONG_EXAMPLE = 60
"""Lines of an example that are shown."""

NOTE = "<!-- Written by `make docs` from the sources; change those instead. -->"


@dataclass(frozen=True)
class Example:
    """The first case of a lit test, run."""

    command: str
    before: str
    after: str


def lit_test(kind: str, name: str) -> Path | None:
    """The lit test of a pass, target or pipeline, where there is one."""
    paths = [p for p in (LIT / kind / f"{name}{s}" for s in (".mlir", ".test")) if p.is_file()]
    return paths[0] if paths else None


def run_example(path: Path) -> Example | None:
    """Runs a test's first RUN line on its first case; None for a line that is no such command.

    In this process, for starting one takes longer than all that most cases do.
    """
    text = path.read_text(encoding="utf-8")
    run = re.search(r"^// RUN: +(?:not +)?(autosplit-opt .*)$", text, re.MULTILINE)
    if run is None:
        return None
    command = run[1].split(" | ")[0].strip()
    case = _without_checks(text.split("// -----")[0])
    words = [w for w in shlex.split(command) if w != "--split-input-file"]
    if "%s" not in words or any("%" in w and w != "%s" for w in words):
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path.name
        file.write_text(case, encoding="utf-8")
        printed, stderr = StringIO(), StringIO()
        with redirect_stdout(printed), redirect_stderr(stderr):
            code = autosplit_opt.main([str(file) if w == "%s" else w for w in words[1:]])
    if code != 0:
        message = stderr.getvalue().strip().splitlines()[-1:] or ["no message"]
        raise AutosplitError(f"{path.relative_to(ROOT)}: its first case fails: {message[0]}")
    shown = shlex.join("FILE" if w == "%s" else w for w in words)
    return Example(shown, _shortened(case), _shortened(printed.getvalue()))


def _without_checks(text: str) -> str:
    """The IR of a test without its RUN and CHECK lines; other comments stay."""
    directive = re.compile(
        r"^\s*// *([A-Z][A-Z0-9_-]*(-(NEXT|SAME|LABEL|NOT|DAG|COUNT-\d+|EMPTY))?):"
    )
    lines = [line for line in text.splitlines() if not directive.match(line)]
    return "\n".join(lines).strip() + "\n"


def _shortened(text: str) -> str:
    lines = [part for line in text.strip().splitlines() for part in wrapped(line)]
    if len(lines) > LONG_EXAMPLE:
        lines = [*lines[:LONG_EXAMPLE], f"// ... {counted(len(lines) - LONG_EXAMPLE, 'more line')}"]
    return "\n".join(lines)


def docstring(item: object) -> str:
    """A class's or module's own docstring, dedented; empty if it has none or inherits one."""
    own = item.__dict__.get("__doc__") if isinstance(item, type) else item.__doc__
    text = inspect.cleandoc(own) if isinstance(own, str) else ""
    # Dataclasses without one get their signature.
    return "" if isinstance(item, type) and text.startswith(f"{item.__name__}(") else text


def field_docs(cls: type) -> dict[str, str]:
    """The strings that follow the fields of a class, by field."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("autosplit"):
            continue
        body = ast.parse(dedent(inspect.getsource(base))).body[0]
        assert isinstance(body, ast.ClassDef)
        for item, after in zip(body.body, body.body[1:], strict=False):
            if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
                continue
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                docs[item.target.id] = inspect.cleandoc(str(after.value.value))
    return docs


def options_table(cls: type[Any]) -> Iterator[str]:
    """The options of a pass or target."""
    options = [f for f in fields(cls) if f.init and f.name != "name"]
    if not options:
        return
    docs = field_docs(cls)
    yield "| option | type | default | |"
    yield "| --- | --- | --- | --- |"
    for option in options:
        kind = _type_text(cls, option.type)
        text = " ".join(docs.get(option.name, "").split())
        default = (
            str(option.default).lower() if isinstance(option.default, bool) else option.default
        )
        name = option.name.replace("_", "-")
        yield f"| `{name}` | `{kind}` | `{default!r}` | {text} |".replace("`'", "`").replace(
            "'`", "`"
        )
    yield ""


def _type_text(cls: type, kind: object) -> str:
    """An option's type as it is written, or what an alias of the module stands for; fit for a cell."""
    if not isinstance(kind, str):
        return str(getattr(kind, "__name__", ""))
    alias = getattr(inspect.getmodule(cls), kind, None)
    if alias is not None and not isinstance(alias, type):
        kind = str(alias).removeprefix("typing.")
    return kind.replace("|", "\\|")


def example_lines(path: Path | None) -> Iterator[str]:
    """An executed example as Markdown."""
    example = run_example(path) if path is not None else None
    if example is None:
        return
    yield from (f"`{example.command}` turns", "", "```mlir", example.before, "```", "", "into", "")
    yield from ("```mlir", example.after, "```", "")


def passes_page() -> str:
    """docs/passes.md."""
    lines = ["# Passes, pipelines and output formats", "", NOTE, ""]
    lines += ["Run one with `autosplit-opt FILE -p 'NAME{option=value}'`.", "", "## Pipelines", ""]
    lines += ["| name | passes |", "| --- | --- |"]
    lines += [f"| `{name}` | `{text.replace(',', '`, `')}` |" for name, text in PIPELINES.items()]
    lines += ["", "## Passes", ""]
    for name, factory in get_all_passes(ours=True).items():
        cls = factory()
        lines += [f"### `{name}`", "", docstring(cls), ""]
        lines += [*options_table(cls), *example_lines(lit_test("lowering", name))]
    lines += ["## Output formats", "", "Chosen with `autosplit-opt FILE -t NAME`.", ""]
    for name, factory in get_all_targets(ours=True).items():
        cls = factory()
        lines += [f"### `{name}`", "", docstring(cls), "", *options_table(cls)]
    return _page(lines)


def dialects_page() -> str:
    """docs/dialects.md."""
    lines = ["# Dialects", "", NOTE, ""]
    for name, factory in get_all_dialects(ours=True).items():
        lines += [f"## `{name}`", "", *_dialect(factory())]
    return _page(lines)


def _dialect(dialect: Dialect) -> Iterator[str]:
    ops, attributes = list(dialect.operations), list(dialect.attributes)
    classes: Sequence[type] = [*ops, *attributes]
    module = inspect.getmodule(classes[0]) if classes else None
    if module is not None and (text := docstring(module)):
        yield from (_demoted(text), "")
    for what, items in (("Types and attributes", attributes), ("Ops", ops)):
        if items:
            yield from (f"### {what}", "", *_entries(items))


def _entries(items: Iterable[type]) -> Iterator[str]:
    listed = sorted(items, key=_ir_name)
    table = [item for item in listed if not _is_structure(item)]
    if len(listed) > LONG_DIALECT:
        listed = [item for item in listed if _is_structure(item)]
    else:
        table = []
    if table:
        yield from ("| name | |", "| --- | --- |")
        for item in table:
            first = docstring(item).splitlines()[:1] or [""]
            yield f"| `{_ir_name(item)}` | {first[0].replace('|', chr(92) + '|')} |"
        yield ""
    for item in listed:
        yield from (f"#### `{_ir_name(item)}`", "", _demoted(docstring(item)), "")


def _is_structure(item: type) -> bool:
    """Whether an op is the dialect's own, not one of the framework: those begin with a capital."""
    return _ir_name(item).rpartition(".")[2][:1].islower()


def _ir_name(item: type) -> str:
    return str(getattr(item, "name", item.__name__))


def _demoted(text: str) -> str:
    """Text whose own headings, if any, do not disturb the page's."""
    return re.sub(r"^#+ ", "", text, flags=re.MULTILINE)


def _page(lines: Iterable[str]) -> str:
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


PAGES = {"passes.md": passes_page, "dialects.md": dialects_page}


def all_pages(real: bool = False) -> Iterator[tuple[Path, Callable[[], str]]]:
    """The pages that are written whole, and those that have blocks to fill, of real models if asked for."""
    for name, make in PAGES.items():
        yield ROOT / "docs" / name, make
    written = {ROOT / "docs" / name for name in PAGES}
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if path.is_file() and path not in written:
            yield path, partial(_filled, path, real)


def _filled(path: Path, real: bool) -> str:
    return fill(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)), real)


def _text(make: Callable[[], str]) -> str:
    return make()


def main(args: Sequence[str] | None = None) -> int:
    """Writes the pages, or checks them; 1 where one is not fresh or cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m autosplit.tools.generate.pages", description=__doc__
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a stale page")
    parser.add_argument(
        "--real", action="store_true", help="also what needs models of the package index, and times"
    )
    options = parser.parse_args(args)
    stale = 0
    pages = list(all_pages(options.real))
    # Threads that import modules of one circle wait for each other for ever.
    for loaders in (get_all_dialects(), get_all_passes(), get_all_targets()):
        for load in loaders.values():
            load()
    # Their time goes into the commands they run. One by one where the commands are timed.
    with ThreadPoolExecutor(1 if options.real else os.cpu_count()) as pool:
        try:
            texts = list(pool.map(_text, [make for _, make in pages]))
        except AutosplitError as e:
            pool.shutdown(cancel_futures=True)
            print(f"docs: error: {e}", file=sys.stderr)
            return 1
    for (path, _), text in zip(pages, texts, strict=True):
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        name = path.relative_to(ROOT)
        if options.check:
            print(f"{name} is not fresh: run make docs and commit it", file=sys.stderr)
            stale += 1
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
