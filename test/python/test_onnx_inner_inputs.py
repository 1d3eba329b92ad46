"""Tensors inside of an ONNX graph as inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser

from autosplit.core.errors import AutosplitError
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.runtime.frameworks.onnx import OnnxExecutor
from autosplit.runtime.runner import load
from autosplit.testing.split import assert_equal, run_folder, split
from autosplit.tools.cli.main import main

TEXT = """
<ir_version: 8, opset_import: ["" : 17]>
net (float[N,3,8,8] x, bool[] flag) => (float[N,4,8,8] y, float[N,4] z)
<float[4,3,3,3] w = {%s}, int64[1] k = {2}>
{
  c = Conv <pads = [1,1,1,1]> (x, w)
  r = Relu (c)
  y = If (flag) <
    then_branch = one () => (float[N,4,8,8] a) { a = Sigmoid (r) },
    else_branch = two () => (float[N,4,8,8] b) { b = Neg (r) }
  >
  m = GlobalAveragePool (r)
  z = Flatten (m)
  best, places = TopK (z, k)
  t = Add (best, best)
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    numbers = np.random.default_rng(0).standard_normal(108)
    made = parser.parse_model(TEXT % ",".join(f"{n:.4f}" for n in numbers))
    path = tmp_path / "model.onnx"
    onnx.save(made, path)
    return path


def test_the_graph_is_cut_at_an_inner_tensor(model: Path, tmp_path: Path) -> None:
    """Also where a body reads it; what is before it goes, with its inputs."""
    r = np.random.default_rng(1).random((2, 4, 8, 8)).astype(np.float32)
    feeds = {"r": r, "flag": np.array(True)}
    split(model, tmp_path / "out", feeds)
    got = run_folder(tmp_path / "out", feeds)
    part = tmp_path / "part.onnx"
    text = TEXT.replace("float[N,3,8,8] x", "float[N,4,8,8] r").replace(
        "float[4,3,3,3] w = {%s}, ", ""
    )
    before = text.index("  c = Conv"), text.index("  y = If")
    onnx.save(parser.parse_model(text[: before[0]] + text[before[1] :]), part)
    assert_equal(got, OnnxExecutor(part).run(feeds, list(got)))
    infos = (tmp_path / "out" / "graph_infos.json").read_text(encoding="utf-8")
    assert '"x"' not in infos


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("w", "'w' is a constant of the model, not an input"),
        ("rr", "has no input 'rr'"),
    ],
)
def test_mistakes(name: str, said: str, model: Path) -> None:
    inputs = {name: InputSpec((2, 4, 8, 8))}
    with pytest.raises(AutosplitError, match=said):
        split_model(SplitOptions(model, None, inputs))


def test_results_that_are_made_together_are_refused(model: Path) -> None:
    inputs = {"best": InputSpec((2, 2)), "x": InputSpec((2, 3, 8, 8))}
    with pytest.raises(AutosplitError, match="made together"):
        split_model(SplitOptions(model, None, inputs, ["t", "places"]))


OPEN = """
<ir_version: 8, opset_import: ["" : 17]>
net (float[N,3,H,W] x, float[N,5] e, bool[] flag, int64[] trips)
  => (float[N,4,H,W] y, float[k] q, float[N,4] l, float[N,k] t)
<float[4,3,3,3] w = {%s}, float[5,4] v = {%s}>
{
  c = Conv <pads = [1,1,1,1]> (x, w)
  r = Relu (c)
  h = MatMul (e, v)
  d = Cast <to = 11> (h)
  wide = Abs (d)
  f = Cast <to = 1> (wide)
  y = If (flag) <
    then_branch = one () => (float[N,4,H,W] a) { a = Sigmoid (r) },
    else_branch = two () => (float[N,4,H,W] b) { b = Neg (r) }
  >
  g = GlobalAveragePool (r)
  p = Flatten (g)
  z = Add (p, f)
  places = NonZero (z)
  rows = Transpose <perm = [1,0]> (places)
  q = GatherND (z, rows)
  l = Loop (trips, , p) <body = turn (int64 i, bool go, float[N,4] old) => (bool on, float[N,4] new)
    { on = Identity (go)
      new = Add (old, f) }>
  parts = SplitToSequence <axis = 1> (z)
  more = SequenceInsert (parts, p)
  joined = ConcatFromSequence <axis = 1> (more)
  t = Relu (joined)
}
"""


@pytest.fixture
def open_model(tmp_path: Path) -> Path:
    """Of open sizes, some of which only a run tells, with bodies that read what is outside of them."""
    random = np.random.default_rng(0)
    weights = [",".join(f"{n:.4f}" for n in random.standard_normal(count)) for count in (108, 20)]
    made = parser.parse_model(OPEN % tuple(weights))
    path = tmp_path / "open.onnx"
    onnx.save(made, path, save_as_external_data=True, location="open.data", size_threshold=64)
    return path


GIVEN = {
    "x": np.random.default_rng(1).random((2, 3, 8, 8), np.float32),
    "e": np.random.default_rng(2).random((2, 5), np.float32),
    "flag": np.array(True),
    "trips": np.array(3),
}


@pytest.mark.parametrize(
    ("inner", "outputs", "dynamic"),
    [
        ("r", "", False),
        ("r f", "", True),
        ("d", "", False),
        ("z", "q", True),
        ("p", "q t", False),
        ("rows", "q y", False),
        ("f", "l", True),
        ("parts", "t", False),
        ("y z l", "y q l", False),
    ],
)
def test_what_is_measured_and_compared_is_the_same_part(
    inner: str, outputs: str, dynamic: bool, open_model: Path, tmp_path: Path
) -> None:
    """Sizes behind NonZero are measured; what bodies read, doubles, sequences, and outputs are given."""
    whole = OnnxExecutor(open_model)
    values = whole.run(GIVEN, inner.split())
    out = tmp_path / "out"
    inputs = {n: InputSpec.of(value) for n, value in {**GIVEN, **values}.items()}
    if inner == "r f":
        del inputs["x"], inputs["e"]
    split_model(SplitOptions(open_model, out, inputs, outputs.split(), dynamic=dynamic))
    feeds = {name: spec.value for name, spec in inputs.items()}
    with load(out, mode=0) as runner:
        got = runner.infer(feeds)
    assert_equal(got, whole.run(GIVEN, list(got)))
    assert_equal(got, whole.run(feeds, list(got)))


def test_the_command_line_compares_with_the_same_part(open_model: Path, tmp_path: Path) -> None:
    """An output that is left out takes an input with it; an inner tensor another one."""
    rest = ["--input", "flag=scalar", "--input", "trips=scalar", "-o", str(tmp_path / "out")]
    inputs = ["--input", "r=:float32", "--shape", "r=2,4,8,8", "--input", "f=2,4", *rest]
    assert main(["split", str(open_model), *inputs]) == 0
    assert main(["run", str(tmp_path / "out"), "--compare", str(open_model)]) == 0
    inputs = ["--input", "e=2,5", "--input", "x=2,3,8,8", "--output", "y", "--force", *rest]
    assert main(["split", str(open_model), *inputs]) == 0
    assert main(["run", str(tmp_path / "out"), "--compare", str(open_model)]) == 0


@pytest.mark.parametrize(
    ("feeds", "wanted", "said"),
    [
        ("flag x e", "q", None),
        ("flag rr", "y", "has no input 'rr'"),
        ("flag x", "q", "the input 'e' is missing"),
        ("flag r", "y", None),
        ("flag r", "yy", "has no tensor 'yy'"),
    ],
)
def test_the_part_that_runs(feeds: str, wanted: str, said: str | None, open_model: Path) -> None:
    """Inputs that nothing wanted needs may be missing, others may not."""
    executor = OnnxExecutor(open_model)
    values = {**GIVEN, **executor.run(GIVEN, ["r"]), "rr": GIVEN["x"]}
    given = {name: values[name] for name in feeds.split()}
    if said is None:
        assert_equal(executor.run(given, [wanted]), executor.run(GIVEN, [wanted]))
        return
    with pytest.raises(AutosplitError, match=said):
        executor.run(given, [wanted])
