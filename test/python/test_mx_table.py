"""The table of MXNet's ops, against the registry of a real MXNet."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from autosplit.dialects.mx.ops import example
from autosplit.dialects.mx.table import ALIASES, OP_TABLE


@pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed")
def test_the_table_is_what_mxnet_says():
    command = [sys.executable, "-m", "autosplit.tools.generate.mx_dialect", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_alias_is_of_a_kind_that_is_there():
    assert set(ALIASES.values()) <= set(OP_TABLE)
    assert not set(ALIASES) & set(OP_TABLE)


def test_every_kind_has_an_example():
    for spec in OP_TABLE.values():
        assert f"mx.{spec.kind} " in example(spec)
        assert f"mx.{spec.kind} " in example(spec, full=True)
