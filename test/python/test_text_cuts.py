"""A pipeline that is cut anywhere, its IR going through a file, gives what the whole pipeline gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import parse_pipeline

from autosplit.core import weights
from autosplit.core.parsing import parse_mlir
from autosplit.core.printing import module_text
from autosplit.lowering.pipelines import PIPELINES, build_passes
from autosplit.platforms import load_model
from autosplit.platforms.stores import find_weights
from autosplit.registry import get_all_passes, make_context
from autosplit.testing.models import model_path
from autosplit.testing.quantize import quantized_model

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

RANKS = """
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 8, 8, 3]>}> : () -> tensor<1x8x8x3xf32>
    %one = tf.Const "one" () <{dtype = i32, value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %r = tf.Relu "r" (%x) <{T = f32}> : (tensor<1x8x8x3xf32>) -> tensor<*xf32>
    %n = tf.Rank "n" (%r) <{T = f32}> : (tensor<*xf32>) -> tensor<i32>
    %a = tf.Sub "a" (%n, %one) <{T = i32}> : (tensor<i32>, tensor<i32>) -> tensor<*xi32>
    %s = tf.Range "s" (%one, %n, %a) <{Tidx = i32}> :
        (tensor<i32>, tensor<i32>, tensor<*xi32>) -> tensor<?xi32>
    %y = tf.Sum "y" (%r, %s) <{T = f32, Tidx = i32}> : (tensor<*xf32>, tensor<?xi32>) -> tensor<*xf32>
  }
}
"""
"""What is known of a rank in the first lowering only after folding, and in the second from the start."""

FOLDED = """
<ir_version: 8, opset_import: ["" : 17]>
folded (float[1,16,8,8] x) => (float[N,4] where)
<float w = {0.0}, float two = {2.0}> {
   v = Mul (w, two)
   c = Conv (x, v)
   r = Relu (c)
   i = NonZero (r)
   t = Transpose (i)
   where = Cast <to: int = 1> (t)
}
"""


def read(path: Path) -> ModuleOp:
    return parse_mlir(make_context(), path.read_text(encoding="utf-8"), path.name)


def check_cuts(path: Path, pipeline: str) -> None:
    """Compares the whole pipeline with what it gives from each pass on, read as text by a new process."""
    passes = [str(spec) for spec in parse_pipeline(PIPELINES[pipeline])]
    model = None if path.suffix == ".mlir" else load_model(path, "auto")
    module = read(path) if model is None else model.module
    texts: list[str] = []
    for built in build_passes(",".join(passes), get_all_passes()):
        texts.append(module_text(module))
        built.apply(make_context(), module)
    whole = module_text(module)
    del model, module
    for start, text in enumerate(texts):
        module = parse(text, path)
        for built in build_passes(",".join(passes[start:]), get_all_passes()):
            built.apply(make_context(), module)
        again = module_text(module)
        assert again == whole, f"cut before {passes[start]}"


def parse(text: str, path: Path) -> ModuleOp:
    """The module as a new process would read it, with the weights of the file `path`."""
    module = parse_mlir(make_context(), text, "cut.mlir")
    find_weights(module, [path])
    return module


@pytest.mark.parametrize(
    ("example", "pipeline"), [("detector", "split"), ("detector", "explain"), ("quantized", "int8")]
)
def test_examples(example: str, pipeline: str, tmp_path: Path) -> None:
    text = (EXAMPLES / f"{example}.onnxtxt").read_text(encoding="utf-8")
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    check_cuts(tmp_path / "model.onnx", pipeline)


def test_ranks_that_inference_finds(tmp_path: Path) -> None:
    path = tmp_path / "ranks.mlir"
    path.write_text(RANKS)
    check_cuts(path, "split")


def test_folded_weights(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(FOLDED)
    weight = np.linspace(-1, 1, 8 * 16 * 9, dtype=np.float32).reshape(8, 16, 3, 3)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(weight, "w"))
    onnx.save(model, tmp_path / "folded.onnx")
    path = tmp_path / "folded.onnx"
    check_cuts(path, "split")
    text = module_text(load_model(path, "auto").module)
    module = parse(text, path)
    weights.store_for(module).add("folded", lambda: weight)
    assert "folded" in weights.store_for(module), "what one pass adds is there for the next"


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    [
        "frozen_inference_graph.pb",
        "retinaface.pb",
        "centerface.onnx",
        "silero_vad.onnx",
        "onet.onnx",
    ],
)
def test_real_models(name: str) -> None:
    check_cuts(model_path(name), "split")


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["centerface.onnx", "onet.onnx", "ch_PP-OCRv4_det_infer.onnx"])
def test_real_quantized_models(name: str) -> None:
    check_cuts(quantized_model(name), "int8")
