"""A pipeline that is cut anywhere, its IR going through a file, gives what the whole pipeline gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import numpy_helper
from small_models import TEXTS
from xdsl.dialects.builtin import ModuleOp

from autosplit.core import weights
from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import parse_mlir
from autosplit.core.printing import module_text
from autosplit.dialects.onnx.constants import make_constant
from autosplit.formats.made_weights import beside, weight_keys
from autosplit.lowering.pipelines import build_passes, run_passes
from autosplit.lowering.submodel.fix_inputs import fix_inputs
from autosplit.platforms import Measurements, Model, get_platform, load_model, platform_names
from autosplit.platforms.stores import find_weights
from autosplit.registry import get_all_passes, make_context
from autosplit.testing.models import model_path
from autosplit.testing.quantize import quantized_model
from autosplit.testing.zoos.mxnet import gluon_model
from autosplit.tools.autosplit_opt import main

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


def check_cuts(
    path: Path, pipeline: str, folder: Path, sizes: Mapping[str, Sequence[int]] | None = None
) -> None:
    """Compares the whole pipeline with what it gives from each pass on, read as text by a new process."""
    model = None if path.suffix == ".mlir" else load_model(path, "auto")
    module = read(path) if model is None else model.module
    if sizes is not None:
        fix_inputs(module, sizes)
    files: list[Path] = []
    for built in build_passes(pipeline, get_all_passes()):
        files.append(folder / f"{len(files)}.mlir")
        write(module, files[-1])
        built.apply(make_context(), module)
    whole, digests = module_text(module), weight_digests(module)
    del model, module
    for start, file in enumerate(files):
        module = parse(file.read_text(encoding="utf-8"), path, folder)
        rest = build_passes(pipeline, get_all_passes())[start:]
        for built in rest:
            built.apply(make_context(), module)
        assert module_text(module) == whole, f"cut before {rest[0].name}"
        assert weight_digests(module) == digests, f"weights, cut before {rest[0].name}"


@pytest.fixture(autouse=True)
def one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run of the one model tells is told again, since starting a framework takes a while."""
    found: dict[tuple[str, ...], Measurements] = {}
    for platform in map(get_platform, platform_names()):

        def measure(
            model: Model,
            feeds: Mapping[str, Any],
            names: Sequence[str],
            *,
            work: bool = False,
            run: Callable[..., Measurements] = platform.measure,
        ) -> Measurements:
            key = (*names, str(work))
            if key not in found:
                found[key] = run(model, feeds, names, work=work)
            return found[key]

        monkeypatch.setattr(platform, "measure", measure)


def write(module: ModuleOp, file: Path) -> None:
    """Writes a module as `autosplit-opt -o` does."""
    with beside(module, file):
        file.write_text(module_text(module), encoding="utf-8")


def weight_digests(module: ModuleOp) -> dict[str, str]:
    """What the weights are that a module reads."""
    store = weights.store_for(module)
    return {key: weights.digest(store.array(key)) for key in weight_keys(module)}


def parse(text: str, *places: Path) -> ModuleOp:
    """The module as a new process would read it, with the weights that are in these files and folders."""
    ctx = make_context()
    module = parse_mlir(ctx, text, "cut.mlir")
    find_weights(module, places)
    return module


@pytest.mark.parametrize(
    ("example", "pipeline"),
    [("detector", "split"), ("detector", "place"), ("quantized", "int8")],
)
def test_examples(example: str, pipeline: str, tmp_path: Path) -> None:
    text = (EXAMPLES / f"{example}.onnxtxt").read_text(encoding="utf-8")
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    check_cuts(tmp_path / "model.onnx", pipeline, tmp_path)


@pytest.mark.parametrize("platform", TEXTS)
def test_each_platform(platform: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object, **__: object) -> Measurements:
        return Measurements({})

    # The frameworks need not be there, and what they tell is the same for each cut.
    monkeypatch.setattr(get_platform(platform), "measure", measure)
    path = tmp_path / "model.mlir"
    path.write_text(TEXTS[platform], encoding="utf-8")
    check_cuts(path, "split", tmp_path)


def test_quantizing(tmp_path: Path) -> None:
    text = (EXAMPLES / "floats.onnxtxt").read_text(encoding="utf-8")
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    options = "equalize=true smooth=true correct-biases=true"
    check_cuts(
        tmp_path / "model.onnx", f'quantize{{data="{EXAMPLES / "photos.npy"}" {options}}}', tmp_path
    )


@pytest.mark.parametrize("pipeline", ["split", "bmodel"])
def test_ranks_that_inference_finds(pipeline: str, tmp_path: Path) -> None:
    path = tmp_path / "ranks.mlir"
    path.write_text(RANKS)
    check_cuts(path, pipeline, tmp_path)


def test_folded_weights(tmp_path: Path) -> None:
    model = onnx.parser.parse_model(FOLDED)
    weight = np.linspace(-1, 1, 8 * 16 * 9, dtype=np.float32).reshape(8, 16, 3, 3)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(weight, "w"))
    onnx.save(model, tmp_path / "folded.onnx")
    path = tmp_path / "folded.onnx"
    check_cuts(path, "split", tmp_path)
    text = module_text(load_model(path, "auto").module)
    module = parse(text, path)
    weights.store_for(module).add("folded", lambda: weight)
    assert "folded" in weights.store_for(module), "what one pass adds is there for the next"


CHIP = """
<ir_version: 8, opset_import: ["" : 17]>
chip (float[1,16,8,8] x) => (float[1,8,6,6] y)
<float w = {0.0}, float two = {2.0}, float[8] scale = {1, 2, 3, 4, 5, 6, 7, 8},
 float[8] zero = {0, 0, 0, 0, 0, 0, 0, 0}, float[8] one = {1, 1, 1, 1, 1, 1, 1, 1}> {
   v = Mul (w, two)
   c = Conv (x, v)
   b = BatchNormalization (c, scale, zero, zero, one)
   y = Relu (b)
}
"""
"""Its weights are folded, twice."""


def chip_model(folder: Path) -> Path:
    model = onnx.parser.parse_model(CHIP)
    weight = np.linspace(-1, 1, 8 * 16 * 9, dtype=np.float32).reshape(8, 16, 3, 3)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(weight, "w"))
    onnx.save(model, folder / "chip.onnx")
    return folder / "chip.onnx"


def test_a_chip_takes_what_was_folded(tmp_path: Path) -> None:
    check_cuts(chip_model(tmp_path), "bmodel", tmp_path)


def test_the_driver_writes_what_was_folded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, text = str(chip_model(tmp_path)), str(tmp_path / "text")
    assert main([model, "-p", "normalize-onnx", "-o", text]) == 0
    assert (tmp_path / "text.npz").is_file()
    assert main([text, "-p", "convert-onnx-to-top"]) == 0
    cut = capsys.readouterr().out
    assert main([model, "-p", "normalize-onnx,convert-onnx-to-top"]) == 0
    assert capsys.readouterr().out == cut
    (tmp_path / "text.npz").unlink()
    assert main([text, "-p", "convert-onnx-to-top"]) == 1
    assert "autosplit-opt -o" in capsys.readouterr().err


def test_weights_of_another_text_are_not_taken(tmp_path: Path) -> None:
    module = load_model(chip_model(tmp_path), "auto").module
    run_passes(make_context(), module, "normalize-onnx")
    write(module, tmp_path / "text.mlir")
    text = (tmp_path / "text.mlir").read_text()
    weights.write_archive(tmp_path / "text.mlir.npz", [("v", np.zeros(3))])
    with pytest.raises(AutosplitError, match=r"text\.mlir\.npz is not the file"):
        weights.store_for(parse(text, tmp_path))


def test_weights_of_types_that_archives_do_not_have(tmp_path: Path) -> None:
    module, store = ModuleOp([]), weights.WeightStore()
    array = np.arange(2000).astype(ml_dtypes.bfloat16)
    module.body.block.add_op(make_constant("w", array, store))
    weights.register(store, module)
    write(module, tmp_path / "text.mlir")
    again = parse((tmp_path / "text.mlir").read_text(), tmp_path)
    read_back = weights.store_for(again).array("w")
    assert read_back.dtype == array.dtype
    assert (read_back == array).all()


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("frozen_inference_graph.pb", ["image_tensor=1,300,300,3"]),
        ("retinaface.pb", ["x=1,224,224,3"]),
        ("centerface.onnx", ["input.1=10,3,32,32"]),
        ("silero_vad.onnx", ["input=1,576", "state=2,1,128", "sr={rate}"]),
        ("onet.onnx", ["input_3=2,48,48,3"]),
    ],
)
def test_real_models(name: str, inputs: list[str], tmp_path: Path) -> None:
    rate = tmp_path / "rate.npy"
    np.save(rate, np.array(16000, np.int64))
    said = ",".join(f'"{text.format(rate=rate)}"' for text in inputs)
    check_cuts(model_path(name), f"split{{inputs={said}}}", tmp_path)


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed")
@pytest.mark.parametrize("pipeline", ['split{inputs="data=1,3,224,224"}', "bmodel"])
def test_a_real_symbol(pipeline: str, tmp_path: Path) -> None:
    sizes = {"data": (1, 3, 224, 224)} if pipeline == "bmodel" else None
    check_cuts(gluon_model("mobilenet0.25"), pipeline, tmp_path, sizes)


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("cv2") is None, reason="OpenCV is not installed")
def test_a_real_prototxt(tmp_path: Path) -> None:
    check_cuts(model_path("res10.prototxt"), "split", tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("running_state", "split"),
        ("written_views", 'split{inputs="x=2,3,8,8"}'),
        ("unet", "split"),
        ("unet", "int8"),
        ("transformer", 'split{inputs="x=2,8,32"}'),
        ("transformer", "int8"),
    ],
)
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_real_programs(name: str, pipeline: str, tmp_path: Path) -> None:
    from autosplit.testing.torch_nets import torch_case

    check_cuts(torch_case(name).save(tmp_path / "model.pt2"), pipeline, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["centerface.onnx", "onet.onnx", "ch_PP-OCRv4_det_infer.onnx"])
def test_real_quantized_models(name: str, tmp_path: Path) -> None:
    check_cuts(quantized_model(name), "int8", tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("centerface.onnx", {}),
        ("open-nsfw.onnx", {"input:0": (1, 224, 224, 3)}),
        ("ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}),
    ],
)
def test_real_models_of_a_chip(
    name: str, sizes: Mapping[str, Sequence[int]], tmp_path: Path
) -> None:
    check_cuts(model_path(name), "bmodel", tmp_path, sizes)
