"""A package of its own adds a dialect, passes, a pipeline, an output format and a platform."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from outside import TOYS, install, install_toys, run

from autosplit.core.errors import AutosplitError
from autosplit.lowering.pipelines import PIPELINES
from autosplit.registry import added, get_all_passes, load_added
from autosplit.study import Study
from autosplit.tools.generate.blocks import copy_examples

TWICE = """
builtin.module attributes {platform.name = "onnx", onnx.opsets = {ai.onnx = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
    %a = onnx.Neg "a" (%x) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
    %b = onnx.Neg "b" (%a) -> ["b"] : (tensor<4xf32>) -> tensor<4xf32>
    %t = toys.twice "t" %b : tensor<4xf32>
    %y = onnx.Relu "y" (%t) -> ["y"] : (tensor<4xf32>) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
"""
MODEL = """toys
<ir_version: 8, opset_import: ["" : 17]>
toy (float[1,4] x) => (float[1,4] y) { y = Relu (x) }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install_toys(folder)
    return folder


def test_a_pipeline_of_outside_passes_on_an_outside_dialect(site: Path):
    done = run(site, "autosplit-opt", "-p", "toys", "--no-locations", text=TWICE)
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    add = '%t = onnx.Add "t" (%x, %x) -> ["t"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'
    assert add in lines
    assert '%y = onnx.Relu "y" (%t) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>' in lines
    assert "Neg" not in done.stdout


def test_an_outside_dialect_round_trips_and_its_passes_say_why_they_decline(site: Path):
    assert "toys.twice" in run(site, "autosplit-opt", text=TWICE).stdout
    declined = run(site, "autosplit-opt", "-p", "toys-fold-negations", "--debug-match", text=TWICE)
    assert "its input is not a Neg" in declined.stderr


INT8 = """
%0 = "test.op"() : () -> tensor<1x8x4x4xui8>
%1 = dnnl.Dequantize(%0) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
%2 = dnnl.Sigmoid(%1) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
%3 = dnnl.Quantize(%2) {scales = [0.25], zps = [9]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
"test.op"(%3) : (tensor<1x8x4x4xui8>) -> ()
"""


def test_an_outside_fusion_rule(site: Path, tmp_path: Path):
    done = run(site, "autosplit-opt", "-p", "dnnl-fuse", text=INT8)
    assert "toys-sigmoid" in done.stdout, done.stderr
    install(tmp_path, "odd", {"autosplit.fusion_rules": {"odd": "math:pi"}})
    done = run(tmp_path, "autosplit-opt", "-p", "dnnl-fuse", text=INT8)
    assert "is a float, expected a Rule" in done.stderr


def test_an_outside_output_format(site: Path):
    done = run(site, "autosplit-opt", "-p", "convert-toys-to-onnx", "-t", "toys-list", text=TWICE)
    assert done.stdout.splitlines() == ["Neg a", "Neg b", "Add t", "Relu y"], done.stderr


@pytest.mark.parametrize("options", [(), ("--platform", "toys")])
def test_an_outside_platform_is_split(site: Path, tmp_path: Path, options: tuple[str, ...]):
    (tmp_path / "model.toy").write_text(MODEL)
    out = tmp_path / "out"
    done = run(site, "autosplit", "split", str(tmp_path / "model.toy"), "-o", str(out), *options)
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "graph_infos.json").read_text())


def test_the_pipelines_that_are_installed_are_listed(site: Path):
    assert "split, widen, toys" in " ".join(run(site, "autosplit-opt", "--help").stdout.split())


@pytest.mark.parametrize(
    ("group", "name", "value", "said"),
    [
        ("passes", "device-place", "m:P", "'device-place' to the passes, and autosplit has one of"),
        (
            "dialects",
            "toys",
            "m:D",
            "package clash adds 'toys' to the dialects, and package autosplit",
        ),
        ("pipelines", "split", "m:S", "'split' to the pipelines, and autosplit has one"),
        ("targets", "odd", "no_module:T", "the entry point odd = no_module:T of autosplit.targets"),
        ("passes", "odd", "math:none", "does not load: module 'math' has no attribute 'none'"),
        ("passes", "odd", "autosplit.lowering.quant.lift:QuantLiftPass", "is called 'quant-lift'"),
    ],
)
def test_what_cannot_be_added_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    group: str,
    name: str,
    value: str,
    said: str,
):
    install_toys(tmp_path)
    install(tmp_path, "clash", {f"autosplit.{group}": {name: value}})
    monkeypatch.syspath_prepend(str(tmp_path))
    ours = {"passes": get_all_passes(ours=True), "dialects": {}, "targets": {}}
    with pytest.raises(AutosplitError) as caught:
        load_added(added(group, ours.get(group, PIPELINES))[name])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_clash_ends_the_tool_with_one_line(tmp_path: Path):
    install(tmp_path, "clash", {"autosplit.passes": {"device-place": "m:P"}})
    done = run(tmp_path, "autosplit-opt", text="builtin.module {}")
    assert done.returncode == 1
    assert done.stderr.startswith("autosplit-opt: error: package clash adds 'device-place'")
    assert len(done.stderr.splitlines()) == 1


def blocks(language: str) -> list[str]:
    page = (TOYS.parents[1] / "docs" / "write_your_own.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.S)


def test_the_page_shows_the_package_as_it_is():
    sources = [path.read_text("utf-8") for path in (TOYS / "autosplit_toys").glob("*.py")]
    shown = [b for b in blocks("python") if not b.startswith("from ")]
    assert [b for b in shown if not any(b in source for source in sources)] == []
    (points,) = blocks("toml")
    assert (TOYS / "pyproject.toml").read_text("utf-8").endswith(points)


def test_the_pages_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    first, second = (b for b in blocks("python") if b.startswith("from "))
    exec(first, scope)
    split = scope["split"]
    assert split._repr_svg_().startswith("<svg ")
    assert scope["study"]._repr_svg_() is None
    assert "&lt;" in scope["placed"]._repr_html_()
    assert "Neg" in capsys.readouterr().out
    (pattern,) = (b for b in blocks("python") if b.startswith("class FoldNegations"))
    imports, _, use = second.partition("# The class from above stands here.")
    exec(imports + pattern + use, scope)
    out = capsys.readouterr().out
    assert "onnx.Relu" in out
    assert "onnx.Neg" not in out


def test_a_program_keeps_its_weights_and_tells_mistakes(tmp_path: Path):
    copy_examples(tmp_path)
    program = Study.read(tmp_path / "detector.onnx")
    before = str(program)
    assert "Conv" in program.run("infer-shapes").emit("onnx-text")
    assert str(program) == before
    assert str(Study.parse(before)) == before
    with pytest.raises(AutosplitError, match="there is no output format 'onnx'"):
        program.emit("onnx")
    with pytest.raises(AutosplitError, match="no such file"):
        Study.read(tmp_path / "none.mlir")
