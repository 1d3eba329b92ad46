"""The rules of the tree: what may import what, how large things may be, where rewriting is done by hand.

Read from the source alone, so that nothing is imported. CONTRIBUTING.md says why. What does not keep a
rule yet is listed in house_debts.toml, exactly: a debt that is paid leaves the list, and none is added.
"""

import ast
import functools
import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).resolve().parents[2]

LAYERS = (
    ("core", "dialects.platform", "registry", "universe"),
    ("dialects",),
    ("devices",),
    ("formats",),
    ("toolchains", "runtime.dnnl"),
    ("portable",),
    ("platforms",),
    ("inputs",),
    ("lowering",),
    ("runtime.frameworks",),
    ("calibration",),
    ("folder",),
    ("runtime",),
    # A platform is found by its name in a table; nobody imports it.
    (
        "platforms.caffe",
        "platforms.mxnet",
        "platforms.onnx",
        "platforms.pytorch",
        "platforms.tensorflow",
    ),
    ("interpret",),
    # Both serve the flows: compiling records reasons, and `split --probe` leaves to the CPU what fails.
    ("explain",),
    ("probe",),
    ("flows",),
    ("api", "backend", "quantization", "study"),
    ("tools", "testing"),
)
"""From the ground up. What is named more exactly goes first."""

FRAMEWORKS = {
    "cv2",
    "onnx",
    "onnxruntime",
    "tensorflow",
    "torch",
    "numpy",
    "scipy",
    "xdsl",
    "PIL",
    "rich",
    "google",
}

LINES_OF_FILE, LINES_OF_CLASS, LINES_OF_FUNCTION, FILES_OF_FOLDER = 600, 250, 60, 15

PROGRAMS = ("toolchains.bmodel_",)
"""One file each, however long: their text is the body of scripts that run without autosplit."""

GLOBAL_BY_NATURE = {"lowering.device.place", "lowering.device.cluster", "lowering.device.outline"}
"""Graph code: what is decided for a whole graph at once."""

DEBTS: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "house_debts.toml").read_text("utf-8")
)

BY_HAND = GLOBAL_BY_NATURE | {"lowering.rewriting", "lowering.building"}
"""Where IR may be changed without a pattern."""


@dataclass(frozen=True)
class Import:
    """One imported module of ours, or framework."""

    source: str
    target: str
    line: int
    in_function: bool
    for_types: bool

    def __str__(self) -> str:
        return f"{self.source} imports {self.target}"


@functools.cache
def files() -> dict[str, Path]:
    """Every module of the package, without `autosplit.` in front, by its real path."""
    found: dict[str, Path] = {}
    for folder, prefix in (
        (ROOT / "python" / "autosplit", ()),
        *((ROOT / name, (name,)) for name in ("dialects", "lowering", "tools")),
    ):
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            if prefix or parts[0] not in ("dialects", "lowering", "tools"):
                name = ".".join((*prefix, *parts)).removesuffix(".__init__")
                if name != "__init__":
                    found[name] = path
    return found


@functools.cache
def tree(name: str) -> ast.Module:
    return ast.parse(files()[name].read_text(encoding="utf-8"))


@functools.cache
def imports() -> tuple[Import, ...]:
    return tuple(found for name in files() for found in _imports(name, tree(name)))


def _imports(
    source: str, node: ast.AST, inside: bool = False, types: bool = False
) -> Iterator[Import]:
    for target in _targets(node):
        if target != source:
            yield Import(source, target, getattr(node, "lineno", 0), inside, types)
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    checking = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    for child in ast.iter_child_nodes(node):
        yield from _imports(source, child, inside, types or checking)


def _targets(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return
    for name in dict.fromkeys(names):
        if not name.startswith("autosplit."):
            yield name.partition(".")[0]
            continue
        own = name.removeprefix("autosplit.")
        while own and own not in files():
            own = own.rpartition(".")[0]
        if own:
            yield own


def layer(name: str) -> int:
    """How far above the ground a module is."""
    best = max(
        (entry for entries in LAYERS for entry in entries if f"{name}.".startswith(f"{entry}.")),
        key=len,
    )
    return next(i for i, entries in enumerate(LAYERS) if best in entries)


def own() -> list[Import]:
    return [found for found in imports() if found.target in files()]


CANONICAL = ("dialects.quant", "lowering.quant.canonical")
"""Canonicalization patterns are asked for by the ops themselves: xDSL's own idiom."""


def room(name: str) -> str:
    """The folder that a module is in, or the module itself where it lies beside the rooms."""
    folder = name.rpartition(".")[0]
    if files()[name].name == "__init__.py" or folder in ("", "dialects", "lowering"):
        return name
    return folder


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other (Tarjan, as nested depth-first search)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for target in sorted(arrows.get(node, ())):
            if target not in order:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], order[target])
        if low[node] == order[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def check(rule: str, found: Iterable[str]) -> None:
    """Compares what breaks a rule with the debts that are known."""
    assert sorted(set(found)) == sorted(DEBTS.get(rule, []))


def test_every_import_goes_down_or_stays():
    up = [
        str(found)
        for found in own()
        if layer(found.target) > layer(found.source) and (found.source, found.target) != CANONICAL
    ]
    check("up", up)


def test_no_files_import_each_other_in_a_circle():
    arrows: dict[str, set[str]] = {}
    for found in own():
        if not found.for_types and (found.source, found.target) != CANONICAL:
            arrows.setdefault(found.source, set()).add(found.target)
    check("files in circles", map(", ".join, circles(arrows)))


def test_no_rooms_import_each_other_in_a_circle():
    arrows: dict[str, set[str]] = {}
    for found in own():
        source, target = room(found.source), room(found.target)
        if source != target and (found.source, found.target) != CANONICAL:
            arrows.setdefault(source, set()).add(target)
    check("rooms in circles", map(", ".join, circles(arrows)))


@functools.cache
def loaded(name: str) -> frozenset[str]:
    """The modules and frameworks that come in when a module is imported."""
    found: set[str] = set()
    todo = [name]
    while todo:
        module = todo.pop()
        for entry in _at_the_top().get(module, ()):
            if entry not in found:
                found.add(entry)
                todo.append(entry)
    return frozenset(found)


@functools.cache
def _at_the_top() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for entry in imports():
        if not entry.in_function and not entry.for_types:
            found.setdefault(entry.source, set()).add(entry.target)
    return found


def test_functions_import_only_frameworks():
    """An import inside of a function keeps a framework out that its module does not load anyway.

    The other reason is the start of the command lines, which load nothing heavy for `--help`.
    """
    start = {"tools.cli.main", "tools.autosplit_opt", "api", "registry", "universe"}
    early = start.union(*(loaded(name) for name in start))
    needless = [
        str(found)
        for found in imports()
        if found.in_function
        and found.source not in early
        and (found.source, found.target) != CANONICAL
        and not _brings(found)
    ]
    check("imports in functions", needless)


def _brings(found: Import) -> bool:
    """Whether an import loads a framework that its module has not loaded."""
    coming = loaded(found.target) | {found.target} if found.target in files() else {found.target}
    return bool(coming & FRAMEWORKS - loaded(found.source))


def test_files_are_short():
    hand_written = (n for n in files() if not is_data(n) and not n.startswith(PROGRAMS))
    check("long files", (name for name in hand_written if lines(name) > LINES_OF_FILE))


def lines(name: str) -> int:
    return len(files()[name].read_text("utf-8").splitlines())


def is_data(name: str) -> bool:
    """Whether a module says of itself that it is a table, or written by a program."""
    text = files()[name].read_text("utf-8")
    return re.search(r"^# (Data|Written by)\b", text, re.MULTILINE) is not None


def test_classes_and_functions_are_short():
    long: list[str] = []
    for name in files():
        for node in ast.walk(tree(name)):
            limit = {ast.ClassDef: LINES_OF_CLASS, ast.FunctionDef: LINES_OF_FUNCTION}.get(
                type(node)
            )
            if limit is None or is_data(name):
                continue
            assert isinstance(node, ast.ClassDef | ast.FunctionDef)
            if lines_of_code(node) > limit:
                long.append(f"{name}.{node.name}")
    check("long classes and functions", long)


def lines_of_code(node: ast.ClassDef | ast.FunctionDef) -> int:
    """The lines of a class or function without docstrings.

    What a public function promises, its shapes, units and errors, is said in as many lines as it takes.
    """
    return _lines(node) - sum(_lines(part) for part in ast.walk(node) if _is_text(part))


def _is_text(node: ast.AST) -> TypeGuard[ast.Expr]:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _lines(node: ast.stmt) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def test_folders_are_small():
    count = Counter(path.parent for path in files().values() if path.name != "__init__.py")
    full = [folder for folder, number in count.items() if number > FILES_OF_FOLDER]
    check("full folders", (str(folder.relative_to(ROOT)) for folder in full))


def test_ir_is_changed_by_patterns():
    """`Rewriter` as a static call, and operands that are set, are the work of the pattern rewriter."""
    found: list[str] = []
    for name in files():
        if not name.startswith("lowering") or name in BY_HAND:
            continue
        for node in ast.walk(tree(name)):
            text = ast.unparse(node) if isinstance(node, ast.Call | ast.Assign) else ""
            if re.match(r"Rewriter\.\w+\(", text) or re.match(
                r"[\w.\[\]]+\.operands\[.*\] = ", text
            ):
                found.append(name)
    check("changed by hand", found)


def test_counts_agree_with_what_they_count():
    """`counted` prints `1 op` and `2 ops`; a number in front of a fixed plural prints `1 ops`."""
    check(
        "plurals", (name for name in files() for node in ast.walk(tree(name)) if _is_plural(node))
    )


def _is_plural(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) and any(
        isinstance(value, ast.FormattedValue)
        and ast.unparse(value.value).startswith("len(")
        and isinstance(text, ast.Constant)
        and re.match(r" (?!of )([a-z-]+ )?[a-z-]+s\b", str(text.value)) is not None
        for value, text in itertools.pairwise(node.values)
    )


def test_class_names_are_unique():
    """Outside of dialects, whose ops go by the dialect's name, and of programs that are one file each."""
    names: dict[str, list[str]] = {}
    alone = ("dialects.", "testing.", *PROGRAMS)
    for name in files():
        if name.startswith(alone):
            continue
        for node in tree(name).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                names.setdefault(node.name, []).append(name)
    twice = (f"{name}: {', '.join(where)}" for name, where in names.items() if len(where) > 1)
    check("class names", twice)


@pytest.mark.parametrize("name", sorted(files()))
def test_files_that_a_docstring_names_exist(name: str):
    text = ast.get_docstring(tree(name)) or ""
    for path in re.findall(r"`([\w/]+\.(?:py|md|toml))`", text):
        places = (ROOT, ROOT / "python" / "autosplit", files()[name].parent, ROOT / "docs")
        assert any((place / path).exists() for place in places), path


def test_tables_of_the_registry_are_sorted():
    for node in tree("registry").body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Dict):
            keys = [ast.unparse(key) for key in value.keys if key is not None]
            assert keys == sorted(keys)


def test_every_room_is_packaged():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["setuptools"]["packages"]["find"]["where"] == ["python"]
    folders = {path.parent for path in files().values()}
    assert [
        str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()
    ] == []
