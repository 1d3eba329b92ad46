"""Everything in the registries loads, is sorted, has docstrings with examples, and has a lit test."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation, TypeAttribute
from xdsl.passes import ModulePass

from autosplit.dialects.aten.ops import DECLARED as ATEN
from autosplit.dialects.mx.ops import DECLARED as MX
from autosplit.dialects.onnx.ops import OP_CLASSES as ONNX
from autosplit.dialects.tf.ops import DECLARED as TF
from autosplit.lowering.pipelines import PIPELINES, build_passes
from autosplit.registry import get_all_dialects, get_all_passes, get_all_targets
from autosplit.tools.generate.pages import docstring, field_docs

LIT = Path(__file__).resolve().parent.parent / "lit"
DIALECTS, PASSES, TARGETS = get_all_dialects(), get_all_passes(), get_all_targets()


def items(dialect: Dialect) -> list[type]:
    return [*dialect.operations, *dialect.attributes]


def test_the_registries_are_sorted():
    for registry in (DIALECTS, PASSES, TARGETS):
        assert list(registry) == sorted(registry)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_has_its_name_and_says_what_it_is(name: str):
    dialect = DIALECTS[name]()
    assert dialect.name == name
    module = inspect.getmodule(items(dialect)[0])
    assert module is not None
    assert docstring(module)


@pytest.mark.parametrize("name", DIALECTS)
def test_all_ops_attributes_and_types_have_a_docstring_with_an_example(name: str):
    missing: list[str] = []
    for item in items(DIALECTS[name]()):
        ir_name = str(item.__dict__.get("name") or getattr(item, "name", ""))
        sigil = "" if ir_name not in _attribute_names(name) else "!" if _is_type(item) else "#"
        text = docstring(item)
        # A type may stand behind a size, as in tensor<2x!onnx.string>.
        before = "" if sigil else r"(?<![\w.])"
        spelled = re.compile(rf"{before}{re.escape(sigil + ir_name)}(?!\w)")
        # The summary may name the op too: the example stands in code.
        code = "\n".join(re.findall(r"`+[^`]+`+|^(?: {4}|\t).*$", text, re.MULTILINE))
        if not text or not spelled.search(code):
            missing.append(ir_name)
    assert missing == []


def _attribute_names(dialect: str) -> set[str]:
    return {str(getattr(a, "name", "")) for a in DIALECTS[dialect]().attributes}


def _is_type(item: type) -> bool:
    return issubclass(item, TypeAttribute)


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_has_a_docstring_documented_options_and_a_lit_test(name: str):
    cls = PASSES[name]()
    assert issubclass(cls, ModulePass)
    assert cls.name == name
    assert docstring(cls)
    said = field_docs(cls)
    assert [f.name for f in fields(cls) if f.init and f.name != "name" and f.name not in said] == []
    assert (LIT / "lowering" / f"{name}.mlir").is_file()


@pytest.mark.parametrize("name", PASSES)
def test_every_option_has_a_default(name: str):
    # xDSL asks for options without one even where None would do.
    assert PASSES[name]().required_fields() == set()


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_lies_in_the_file_of_its_name(name: str):
    module = PASSES[name]().__module__.removeprefix("autosplit.lowering.")
    # A room may stand for the first word: device-place lies in device/place.py.
    assert name.replace("-", "_") in (module.replace(".", "_"), module.rpartition(".")[2])


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_has_a_docstring_and_a_lit_test(name: str):
    cls = TARGETS[name]()
    assert cls.name == name
    assert docstring(cls)
    assert list((LIT / "targets").glob(f"{name}.*"))


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_is_made_of_known_passes(name: str):
    passes = build_passes(name, PASSES)
    assert len(passes) >= 2
    assert all(isinstance(p, ModulePass) for p in passes)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_has_round_trip_and_error_tests(name: str):
    folder = LIT / "dialects" / name
    assert list(folder.glob("*ops*.mlir"))
    assert list(folder.glob("*invalid*.mlir"))


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_leaves_an_empty_module_alone_or_says_why_not(name: str):
    from xdsl.utils.exceptions import PassFailedException

    from autosplit.core.errors import AutosplitError
    from autosplit.registry import make_context

    module = ModuleOp([])
    try:
        PASSES[name]()().apply(make_context(), module)
    except (PassFailedException, AutosplitError) as e:
        assert len(str(e).splitlines()) == 1  # noqa: PT017
    module.verify()


@pytest.mark.parametrize("dialect", ["aten", "mx", "onnx", "tf"])
def test_every_op_is_in_the_lit_file_of_its_dialect(dialect: str):
    path = Path(__file__).parents[1] / "lit" / "dialects" / dialect / "every-op.mlir"
    checked = set(re.findall(rf"// CHECK: .*?\b({dialect}\.\S+) ", path.read_text()))
    declared = {"aten": ATEN, "mx": MX, "onnx": ONNX, "tf": TF}[dialect]
    assert {op.name for op in declared.values()} == checked


@pytest.mark.parametrize("name", DIALECTS)
def test_every_op_prints_in_a_form_of_its_own(name: str):
    """MLIR's generic form is for tools; lit files show the form that people read, and round-trip it."""
    ops = list(DIALECTS[name]().operations)
    assert [op.name for op in ops if op.print is Operation.print] == []
    if (LIT / "dialects" / name / "every-op.mlir").is_file() or len(ops) < 20:
        text = "\n".join(path.read_text(encoding="utf-8") for path in LIT.rglob("*.mlir"))
        shown = set(re.findall(rf'(?<!["\w.]){name}\.[\w.]+', text))
        assert {op.name for op in ops} <= shown
