"""The table of PyTorch's ops, against the registry of a real PyTorch."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest
from xdsl.dialects.builtin import StringAttr, TensorType, f32

from autosplit.dialects.aten.graph import InputOp
from autosplit.dialects.aten.opaque import OpaqueOp
from autosplit.dialects.aten.ops import example
from autosplit.dialects.aten.spec import parse_schema
from autosplit.dialects.aten.table import OP_TABLE


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_the_table_is_what_torch_says():
    command = [sys.executable, "-m", "autosplit.tools.generate.aten_dialect", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_what_the_table_lacks_may_write_to_what_torch_says():
    torch: Any = importlib.import_module("torch")
    tensor = InputOp.make("x", {}, [], [TensorType(f32, [2])]).results[0]
    count = 0
    for schema in torch._C._jit_get_all_schemas():
        space, _, base = schema.name.partition("::")
        written = [a for a in schema.arguments if a.alias_info and a.alias_info.is_write]
        if not any(str(a.type) in ("Tensor", "List[Tensor]") for a in written):
            continue
        target = f"torch.ops.{space}.{base}.{schema.overload_name or 'default'}"
        more = {"target": StringAttr(target)}
        op = OpaqueOp.make("n", {}, [("x", tensor)], [tensor.type] * len(schema.returns), more=more)
        assert op.written(), target
        count += 1
    assert count > 1000


def test_every_op_has_an_example():
    for spec in OP_TABLE.values():
        assert f"aten.{spec.kind} " in example(spec)
        assert f"aten.{spec.kind} " in example(spec, full=True)


def test_schemas_say_what_is_written_and_what_may_be_a_view():
    args, returns = parse_schema(
        "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"
    )
    assert [(a.name, a.type, a.writes, a.keyword_only, a.default) for a in args] == [
        ("self", "Tensor", True, False, None),
        ("other", "Tensor", False, False, None),
        ("alpha", "Scalar", False, True, "1"),
    ]
    assert [(r.type, r.alias, r.writes) for r in returns] == [("Tensor", "a", True)]
    args, returns = parse_schema(
        "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"
    )
    assert (args[0].type, args[0].alias, args[0].writes) == ("Tensor", "a", False)
    assert [(r.type, r.alias) for r in returns] == [("Tensor[]", "a")]
    args, returns = parse_schema(
        'aten::f(SymInt[2] size=[0, 1], str s="a, b") -> (Tensor y, int n)'
    )
    assert [(a.type, a.default) for a in args] == [("SymInt[]", "[0, 1]"), ("str", '"a, b"')]
    assert [r.type for r in returns] == ["Tensor", "int"]


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_corrections_are_true():
    """What the table says beyond PyTorch's schemas: results that are an argument itself."""
    import torch

    x = torch.randn(2, 3)
    made = {
        "atleast_1d": torch.ops.aten.atleast_1d(x),
        "dropout": torch.ops.aten.dropout(x, 0.5, False),
        "type_as": torch.ops.aten.type_as(x, x),
    }
    for kind, y in made.items():
        assert y.data_ptr() == x.data_ptr(), kind
        assert OP_TABLE[kind].returns[0].alias, kind
    mean, var = torch.zeros(3), torch.ones(3)
    torch.ops.aten.batch_norm(x, None, None, mean, var, True, 0.5, 1e-5, False)
    assert mean.abs().sum() > 0
    specs = OP_TABLE["batch_norm"].arg_by_name
    assert specs["running_mean"].writes
    assert specs["running_var"].writes
    assert OP_TABLE["batch_norm"].writes_only_if == "training"
