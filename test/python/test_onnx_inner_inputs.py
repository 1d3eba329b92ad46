"""Tensors inside of an ONNX graph as inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser

from autosplit.driver import InputSpec, SplitOptions, split_model
from autosplit.errors import AutosplitError
from autosplit.runtime.onnx import OnnxExecutor
from autosplit.testing.split import assert_equal, run_folder, split

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
