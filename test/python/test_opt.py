"""autosplit-opt: pipelines, locations in its output, front ends, errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import Builtin, FusedLoc, ModuleOp, NameLoc, StringAttr, UnknownLoc
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.dialects.device import FuncOp
from autosplit.lowering.pipelines import PIPELINES, build_passes
from autosplit.registry import get_all_dialects
from autosplit.tools.autosplit_opt import main

FUNC = """
"device.func"() <{sym_name = "graph_0", target = #device.target<tpu, "bm1684">,
                  input_names = ["x"], output_names = ["y"]}> ({
^bb0(%x : tensor<1x8xf32> loc("x")):
  device.return %x : tensor<1x8xf32>
}) : () -> () loc(fused["a", "b"])
"""


def parse(text: str) -> ModuleOp:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(test_dialect.Test)
    for name, factory in get_all_dialects().items():
        ctx.register_dialect(name, factory)
    return Parser(ctx, text).parse_module()


@pytest.mark.parametrize("generic", [False, True])
def test_locations_survive_printing_and_parsing(generic: bool):
    module = parse(FUNC)
    text = module_text(module, generic=generic)
    again = parse(text)
    assert module.is_structurally_equivalent(again)
    func = again.body.block.first_op
    assert isinstance(func, FuncOp)
    assert isinstance(func.location, FusedLoc)
    assert func.body.block.args[0].location == NameLoc(StringAttr("x"), UnknownLoc()) or (
        isinstance(arg := func.body.block.args[0].location, NameLoc) and arg.desc.data == "x"
    )
    assert module_text(again, generic=generic) == text


def test_an_unknown_location_prints_nothing():
    assert "loc" not in module_text(ModuleOp([test_dialect.TestOp()]))


def test_the_inner_ops_location_does_not_depend_on_the_outer_ones():
    outer = parse('"test.op"() ({ "test.op"() : () -> () loc("in") }) : () -> ()')
    text = module_text(outer)
    assert text.count("loc(") == 1
    assert 'loc("in")' in text


@dataclass(frozen=True)
class OnePass(ModulePass):
    name = "one"
    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class OtherPass(ModulePass):
    name = "other"
    target: str = "cpu"
    level: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], type[ModulePass]]]:
    monkeypatch.setitem(PIPELINES, "both", "one,other{level=2}")
    monkeypatch.setitem(PIPELINES, "twice", "both,one")
    return {"one": lambda: OnePass, "other": lambda: OtherPass}


def test_pipelines_expand_in_place(table: dict[str, Callable[[], type[ModulePass]]]):
    assert build_passes("other,both", table) == (OtherPass(), OnePass(), OtherPass(level=2))
    assert build_passes("twice", table) == (OnePass(), OtherPass(level=2), OnePass())
    assert build_passes("", table) == ()


def test_a_pipelines_options_go_to_the_passes_that_have_them(
    table: dict[str, Callable[[], type[ModulePass]]],
):
    assert build_passes("both{target=tpu}", table) == (OnePass("tpu"), OtherPass("tpu", 2))
    assert build_passes("twice{level=5}", table) == (OnePass(), OtherPass(level=5), OnePass())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("both{colour=red}", "none of its passes has the option 'colour'"),
        ("oen", "no pass or pipeline called 'oen' (did you mean 'one'?)"),
        ("bothh", "(did you mean 'both'?)"),
        ("one{tarhet=x}", "has no option 'tarhet' (did you mean 'target'?); it takes target"),
        ("other{level=high}", "pass 'other': Incompatible types"),
        ("one,", "cannot read the pass list"),
        ("one{", "cannot read the pass list 'one{'"),
        ("one other", "cannot read the pass list"),
        ("one{target}", "pass 'one'"),
    ],
)
def test_mistakes_in_pass_lists(
    table: dict[str, Callable[[], type[ModulePass]]], text: str, said: str
):
    if text == "one,":
        assert build_passes(text, table) == (OnePass(),)
        return
    with pytest.raises(AutosplitError) as caught:
        build_passes(text, table)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(args)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x00\x01\x02 foreign", "bad.bin"),
        (b"device.nothing", "bad.bin:1:1"),
        ("device.return %x : f\u00fc".encode(), "bad.bin:1:"),
        (b"\xff\xfe text", "bad.bin"),
        (b'"test.op"() {p = #device.target<tpu>} : () -> ()', "a tpu target names its chip"),
        (b'"test.op"() {p = #platform.weight<"w">} : () -> ()', "bad.bin:1:"),
    ],
)
def test_bad_files_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, said: str
):
    path = tmp_path / "bad.bin"
    path.write_bytes(content)
    code, out, err = run(capsys, str(path))
    assert code == 1
    assert out == ""
    assert err.startswith("autosplit-opt: error: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_missing_file_and_a_foreign_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    for path in (tmp_path / "none.onnx", tmp_path):
        code, _, err = run(capsys, str(path))
        assert code == 1
        assert str(path) in err
        assert err.count("\n") == 1


def test_a_verifier_error_names_the_op(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "bad.mlir"
    path.write_text(FUNC.replace('"y"]', '"y", "z"]'))
    code, _, err = run(capsys, str(path))
    assert code == 1
    assert err == (
        f"autosplit-opt: error: {path}:2:1: device.func: "
        "@graph_0 returns 1 value and has 2 output names\n"
    )


def test_nothing_is_written_after_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path, out = tmp_path / "bad.mlir", tmp_path / "out.mlir"
    path.write_text("device.nothing")
    assert run(capsys, str(path), "-o", str(out))[0] == 1
    assert not out.exists()
    path.write_text(FUNC)
    assert run(capsys, str(path), "-o", str(out))[0] == 0
    assert parse(out.read_text()).is_structurally_equivalent(parse(FUNC))
    assert run(capsys, str(path), "-o", str(tmp_path / "no" / "out.mlir"))[0] == 1


def test_times_and_steps_go_to_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "a.mlir"
    path.write_text(FUNC)
    code, out, err = run(
        capsys, str(path), "-p", "cse,dce", "--time-passes", "--print-between-passes"
    )
    assert code == 0
    assert parse(out).is_structurally_equivalent(parse(FUNC))
    assert "cse: " in err
    assert "// after cse:" in err


def test_a_reader_that_stops_early(tmp_path: Path):
    path = tmp_path / "a.mlir"
    path.write_text(FUNC * 1 + '"test.op"() : () -> ()\n' * 20000)
    tool = Path(sys.executable).parent / "autosplit-opt"
    done = subprocess.run(
        ["bash", "-c", f"'{tool}' '{path}' | head -n 1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, check=False, timeout=120,
        # Python without buffers does not notice what a pipe did not take.
        env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "builtin.module {\n"
    assert done.returncode == 128 + signal.SIGPIPE


def test_an_op_that_does_not_verify_is_named_with_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    path = tmp_path / "bad.mlir"
    path.write_text("""builtin.module {
  onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
    %a = onnx.Neg "a" (%x) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
    %y = onnx.Relu "r" (%a, %x) -> ["y"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    onnx.return %y : tensor<4xf32>
  }
}
""")
    code, _, err = run(capsys, str(path))
    assert code == 1
    assert "bad.mlir:4:5: onnx.Relu 'r': Expected 1 operand, but got 2" in err
    assert len(err.splitlines()) == 1


def test_an_op_that_reads_too_early_is_named_with_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    path = tmp_path / "bad.mlir"
    path.write_text("""builtin.module {
  onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
    %y = onnx.Relu "r" (%a) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
    %a = onnx.Neg "a" (%x) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
    onnx.return %y : tensor<4xf32>
  }
}
""")
    code, _, err = run(capsys, str(path))
    assert code == 1
    assert "bad.mlir:3:5: onnx.Relu 'r' reads operand 0 before it is defined" in err
    assert len(err.splitlines()) == 1
