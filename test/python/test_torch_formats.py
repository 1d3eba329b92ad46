"""`.pt2` archives: read and written without PyTorch, equal to what PyTorch wrote, and refused where not."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from autosplit.core.errors import AutosplitError
from autosplit.dialects.aten import GraphOp, StateOp, WriteBackOp
from autosplit.dialects.platform import platform_graph
from autosplit.formats.pytorch.reader import import_file
from autosplit.formats.pytorch.schema import expression_text
from autosplit.formats.pytorch.writer import export_graph
from autosplit.platforms import load_model
from autosplit.registry import make_context

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch
from torch import nn
from torch.utils import _pytree as pytree

from autosplit.runtime.frameworks.torch import TorchExecutor
from autosplit.testing.torch_nets import (
    CASES,
    UNTYPED,
    TorchCase,
    arrays_of,
    as_array,
    torch_case,
)


def members(path: Path) -> dict[str, bytes]:
    """What an archive holds, without the folder that all is in."""
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def rewritten(path: Path, out: Path) -> ModuleOp:
    """The module of a file, read again from its text, and written to another file."""
    module, store = import_file(path)
    module.verify()
    text = str(module)
    again = Parser(make_context(), text).parse_module()
    assert str(again) == text
    graph = platform_graph(again)
    assert isinstance(graph, GraphOp)
    export_graph(again, graph, store).write(out)
    return module


def check_equal(path: Path, out: Path) -> None:
    """Fails unless two archives hold the same program and the same tensors."""
    ours, theirs = members(out), members(path)
    for name, content in theirs.items():
        if name.startswith(("data/sample_inputs", ".data/serialization_id")):
            # A pickle, which is left out, and a checksum of the whole file.
            continue
        assert ours[name] == content, name


FUNCTIONAL = ("lists", "running_state", "transformer", "written_views")
"""The modules whose functional programs differ by more than names."""


@pytest.mark.parametrize(
    ("name", "functional"), [*((n, False) for n in CASES), *((n, True) for n in FUNCTIONAL)]
)
def test_a_program_is_read_written_and_run(tmp_path: Path, name: str, functional: bool) -> None:
    case = torch_case(name)
    path, out = tmp_path / "a.pt2", tmp_path / "b.pt2"
    with torch.no_grad():
        program = case.exported()
        torch.export.save(program.run_decompositions() if functional else program, path)
        rewritten(path, out)
        check_equal(path, out)
        modules = [torch.export.load(p).module() for p in (path, out)]
        executor = TorchExecutor(path)
        graph = platform_graph(import_file(path)[0])
        names = [[n for n, _ in ends] for ends in (graph.graph_inputs(), graph.graph_outputs())]
        # Twice: what a program updates stays.
        for _ in range(2):
            wanted, again = (arrays_of(m(*[a.clone() for a in case.args])) for m in modules)
            found = executor.run(case.feeds(names[0]), names[1])
            for one, other, array in zip(wanted, again, found.values(), strict=True):
                np.testing.assert_array_equal(array, one, strict=True)
                np.testing.assert_array_equal(other, one, strict=True)


def test_reading_needs_no_torch(tmp_path: Path) -> None:
    path = torch_case("running_state").save(tmp_path / "a.pt2")
    code = (
        "import sys; from pathlib import Path; from autosplit.platforms import load_model; "
        f"load_model(Path({str(path)!r})); sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_same_program_gives_the_same_bytes(tmp_path: Path) -> None:
    path = torch_case("lists").save(tmp_path / "a.pt2")
    for out in ("b.pt2", "c.pt2"):
        rewritten(path, tmp_path / out)
    assert (tmp_path / "b.pt2").read_bytes() == (tmp_path / "c.pt2").read_bytes()


def test_what_is_written_to_is_a_state(tmp_path: Path) -> None:
    case = torch_case("running_state")
    module = import_file(case.save(tmp_path / "a.pt2"))[0]
    states = {op.fqn.data for op in module.walk() if isinstance(op, StateOp)}
    assert states == {"mean", "count"}
    torch.export.save(case.exported().run_decompositions(), tmp_path / "b.pt2")
    module = import_file(tmp_path / "b.pt2")[0]
    back = [op for op in module.walk() if isinstance(op, WriteBackOp)]
    assert len(back) == 2
    assert {op.fqn.data for op in module.walk() if isinstance(op, StateOp)} == states


class Odd(nn.Module):
    """Tied, transposed and bfloat16 weights, infinities, complex numbers, keyword arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 4, bias=False)
        self.b = nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        self.small = nn.Parameter(torch.randn(4).bfloat16())
        self.turned = nn.Parameter(torch.randn(4, 6).t())

    def forward(self, x: torch.Tensor, *, scale: float = 2.0) -> dict[str, Any]:
        y = self.b(self.a(x)) * scale
        y = torch.nn.functional.softmax(input=y, dim=-1, dtype=torch.float64)
        z = torch.full_like(y, float("inf"), memory_format=torch.contiguous_format)
        c = torch.view_as_real(torch.complex(x, x) * (1 + 2j))
        return {
            "y": [y, z],
            "h": x.bfloat16() + self.small,
            "t": x @ self.turned.t(),
            "c": c,
            "n": None,
        }


def test_unusual_programs(tmp_path: Path) -> None:
    UNTYPED.manual_seed(1)
    case = TorchCase(Odd().eval(), (torch.randn(3, 4),))
    path, out = case.save(tmp_path / "a.pt2"), tmp_path / "b.pt2"
    rewritten(path, out)
    check_equal(path, out)
    with torch.no_grad():
        wanted = torch.export.load(path).module()(*case.args)
        found = torch.export.load(out).module()(*case.args)
    for one, other in zip(pytree.tree_leaves(wanted), pytree.tree_leaves(found), strict=True):
        assert one is other is None or torch.equal(one, other)
    graph = platform_graph(import_file(path)[0])
    got = TorchExecutor(path).run(case.feeds(["x"]), [n for n, _ in graph.graph_outputs()])
    for array, value in zip(
        got.values(), [v for v in pytree.tree_leaves(wanted) if v is not None], strict=True
    ):
        np.testing.assert_array_equal(array.astype(np.float64), as_array(value.double()))


def test_expressions_of_sizes_are_readable() -> None:
    s = "Symbol('s77', positive=True, integer=True)"
    assert expression_text(s) == "s77"
    assert expression_text(f"Add(Mul(Integer(2), {s}), Integer(-1))") == "2*s77 + -1"
    assert expression_text(f"FloorDiv({s}, Integer(3))") == "FloorDiv(s77, 3)"
    assert expression_text("not python (") == "not python ("


# Bad input


def change_program(path: Path, change: Callable[[Any], None]) -> None:
    """Writes an archive again with another program."""
    held = members(path)
    program = json.loads(held["models/model.json"])
    change(program)
    held["models/model.json"] = json.dumps(program).encode()
    write_archive(path, held)


def write_archive(path: Path, held: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in held.items():
            archive.writestr(f"a/{name}", content)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A small archive that is read."""
    return torch_case("running_state").save(tmp_path / "good.pt2")


def fails(path: Path) -> str:
    """What the reader says of a file, which must be one line that names it."""
    with pytest.raises(AutosplitError) as caught:
        load_model(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert len(text.splitlines()) == 1
    return text


class Trap:
    """Runs a command where it is unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (str(self.path), "w"))


def test_nothing_is_ever_unpickled(tmp_path: Path, good: Path) -> None:
    mark = tmp_path / "trapped"
    (tmp_path / "plain.pt").write_bytes(pickle.dumps(Trap(mark)))
    assert "is a pickle" in fails(tmp_path / "plain.pt")
    torch.save(Trap(mark), tmp_path / "zipped.pt")
    assert "is a pickle" in fails(tmp_path / "zipped.pt")
    held = members(good)
    held["data/sample_inputs/model.pt"] = pickle.dumps(Trap(mark))
    config = json.loads(held["data/weights/model_weights_config.json"])
    write_archive(good, held)
    load_model(good)
    config["config"]["linear.weight"]["use_pickle"] = True
    held["data/weights/model_weights_config.json"] = json.dumps(config).encode()
    held["data/weights/weight_0"] = pickle.dumps(Trap(mark))
    write_archive(good, held)
    assert "'linear.weight' is stored as a pickle, which is never read" in fails(good)
    assert not mark.exists()


def test_other_files_of_pytorch(tmp_path: Path) -> None:
    script = UNTYPED.jit.trace(nn.Linear(2, 2), torch.randn(1, 2))
    script.save(str(tmp_path / "script.pt"))
    assert "is a TorchScript archive, which is not read; export" in fails(tmp_path / "script.pt")
    torch.save(nn.Linear(2, 2).state_dict(), tmp_path / "state.pth")
    assert "save the module as a program: torch.export.save(" in fails(tmp_path / "state.pth")
    with zipfile.ZipFile(tmp_path / "old.pt2", "w") as archive:
        archive.writestr("serialized_exported_program.json", "{}")
    assert "was saved by a PyTorch before 2.8" in fails(tmp_path / "old.pt2")
    held = {"archive_format": b"pt2", "data/aotinductor/model/model.so": b""}
    write_archive(tmp_path / "compiled.pt2", held)
    assert "is an AOTInductor package" in fails(tmp_path / "compiled.pt2")
    two = held | {"models/a.json": b"{}", "models/b.json": b"{}"}
    write_archive(tmp_path / "two.pt2", two)
    assert "holds 2 programs (a, b)" in fails(tmp_path / "two.pt2")


def test_damaged_archives(good: Path) -> None:
    whole = good.read_bytes()
    for size in (200, len(whole) // 2, len(whole) - 30):
        good.write_bytes(whole[:size])
        assert "it may be cut off" in fails(good)
    good.write_bytes(whole)
    held = members(good)
    write_archive(good, held | {"models/model.json": b"{"})
    assert "models/model.json is not JSON" in fails(good)
    write_archive(good, held | {"data/weights/weight_0": b"1234"})
    assert (
        "'linear.weight' of shape [8, 8] needs 256 bytes, and data/weights/weight_0 has 4"
        in fails(good)
    )
    write_archive(good, held | {"archive_version": b"99"})
    assert "is an archive of version '99', expected '0'" in fails(good)
    program = held["models/model.json"]
    write_archive(good, held | {"models/model.json": program.replace(b"linear", b"\xff")})
    assert fails(good).count(str(good)) == 1
    write_archive(good, held | {"models/model.json": program.replace(b"linear", b"\\ud800")})
    assert "surrogates not allowed" in fails(good)
    write_archive(
        good, held | {"models/model.json": program.replace(b'"linear"', b'"\\ud83d\\ude00"')}
    )
    load_model(good)
    del held["data/weights/weight_0"]
    write_archive(good, held)
    assert "has no data/weights/weight_0" in fails(good)


def test_damaged_programs(good: Path) -> None:
    whole = good.read_bytes()

    def says(change: Callable[[Any], None]) -> str:
        good.write_bytes(whole)
        change_program(good, change)
        return fails(good)

    def graph(program: Any) -> Any:
        return program["graph_module"]["graph"]

    assert "is of version 7 of the schema" in says(lambda p: p["schema_version"].update(major=7))
    assert "is damaged" in says(lambda p: p.pop("graph_module"))
    assert "is damaged" in says(lambda p: graph(p).update(nodes=[1]))
    assert "has a node whose name is 7" in says(lambda p: graph(p)["nodes"][0].update(name=7))
    assert "reads 'nobody', which nothing before it computes" in says(
        lambda p: graph(p)["nodes"][0]["inputs"][0].update(arg={"as_tensor": {"name": "nobody"}})
    )
    assert "two values that are called 'linear'" in says(
        lambda p: graph(p)["nodes"].append(graph(p)["nodes"][0])
    )
    weight = "the parameter 'linear.weight' is tensor<8x8xf32>, and in the program tensor<7x8xf32>"
    assert weight in says(
        lambda p: graph(p)["tensor_values"]["p_linear_weight"]["sizes"].__setitem__(
            0, {"as_int": 7}
        )
    )
    assert "has the dtype 99" in says(lambda p: graph(p)["tensor_values"]["x"].update(dtype=99))
    assert "has an input of kind 'custom_obj'" in says(
        lambda p: p["graph_module"]["signature"]["input_specs"].__setitem__(0, {"custom_obj": {}})
    )


def test_an_unknown_op_is_read_and_not_run(good: Path) -> None:
    def change(program: Any) -> None:
        program["graph_module"]["graph"]["nodes"][0]["target"] = "torch.ops.mine.own.default"

    change_program(good, change)
    assert "aten.opaque" in str(load_model(good).module)
    with pytest.raises(AutosplitError, match=r"has no op 'torch\.ops\.mine\.own\.default'"):
        TorchExecutor(good)


@pytest.mark.parametrize(
    "target", ["os.system", "_operator.methodcaller", "torch.ops.aten.from_file.default"]
)
def test_only_ops_are_called(good: Path, target: str) -> None:
    def change(program: Any) -> None:
        program["graph_module"]["graph"]["nodes"][0]["target"] = target

    change_program(good, change)
    with pytest.raises(AutosplitError, match=r"is not an op of PyTorch|opens files"):
        TorchExecutor(good)
