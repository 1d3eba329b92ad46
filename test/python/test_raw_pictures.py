"""`convert --fuse-preprocess`: bmodels that take the bytes of pictures."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_models import split_two
from convert_toolchain import needs_toolchain
from PIL import Image
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp

from autosplit.core.errors import AutosplitError
from autosplit.dialects.top import TopOp
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.folder.compilation import read_compilation
from autosplit.folder.tpu import text_name, weights_name
from autosplit.formats.top_mlir.writer import top_text
from autosplit.inputs.preprocess import Preprocess
from autosplit.lowering.convert_top_to_onnx import top_function
from autosplit.lowering.top.take_pictures import picture_option, take_pictures
from autosplit.portable.networks import NetworkPort, RawPicture
from autosplit.portable.pictures import normalized, raw_bytes
from autosplit.portable.runner import read_ports
from autosplit.registry import make_context
from autosplit.runtime.bmodel.process import BmodelProcess
from autosplit.runtime.runner import open_runner
from autosplit.toolchains.bmodel_compile import Settings, bmodel_problem, steps

MEAN, SCALE = (123.675, 116.28, 103.53), (1 / 58.395, 1 / 57.12, 1 / 57.375)

DESCRIBED = {"": Preprocess(mean=MEAN, scale=SCALE, color="bgr")}


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("given", ["rgb", "bgr"])
def test_bytes_are_found_again(last: bool, given: str) -> None:
    pixels = np.arange(256, dtype=np.uint8)[::-1].reshape(1, 16, 16, 1).repeat(3, -1)
    pixels[..., 1] ^= 85
    numbers = normalized(pixels, MEAN, SCALE)
    array = numbers if last else numbers.transpose(0, 3, 1, 2)
    found = raw_bytes(array, RawPicture(MEAN, SCALE, "bgr", given, last), "x")
    np.testing.assert_array_equal(found, pixels if given == "bgr" else pixels[..., ::-1])
    assert found.dtype == np.uint8


@pytest.mark.parametrize("odd", [0.3, 1000.0, np.nan])
def test_numbers_that_are_of_no_bytes_are_refused(odd: float) -> None:
    array = np.full((1, 3, 2, 2), odd, np.float32)
    with pytest.raises(AutosplitError, match=r"'x': the bmodel takes the bytes .*give pictures"):
        raw_bytes(array, RawPicture((0.0,), (1.0,), "rgb", "rgb", last=False), "x")


def port(*, last: bool) -> NetworkPort:
    shape = (1, 8, 4, 3) if last else (1, 3, 8, 4)
    raw = RawPicture((127.5,), (1 / 128,), "rgb", "bgr", last)
    return NetworkPort("x", "x", shape, "float32", "uint8", raw=raw)


def test_a_program_for_the_device_knows_them_too() -> None:
    entry = json.loads(json.dumps(asdict(port(last=True))))
    assert read_ports([entry]) == [port(last=True)]


@pytest.mark.parametrize("last", [False, True])
def test_the_module_says_what_becomes_of_pictures(last: bool) -> None:
    from xdsl.parser import Parser

    of = "x".join(map(str, port(last=last).shape))
    text = f"""
      func.func @main(%a: tensor<{of}xf32>) -> tensor<{of}xf32> {{
        %x = "top.Input"(%a) : (tensor<{of}xf32>) -> tensor<{of}xf32> loc("x")
        %y = "top.Relu"(%x) : (tensor<{of}xf32>) -> tensor<{of}xf32> loc("y")
        func.return %y : tensor<{of}xf32>
      }}"""
    module = Parser(make_context(), text).parse_module()
    raw = port(last=last).raw
    assert raw is not None
    take_pictures(module, [picture_option("x", raw)])
    module.verify()
    func = top_function(module)
    assert isinstance(func, FuncOp)
    ops = [op for op in func.body.block.ops if isinstance(op, TopOp)]
    assert [op.kind for op in ops] == ["Input", *(["Permute"] if last else []), "Relu"]
    assert ops[0].flag("do_preprocess")
    (taken,) = func.function_type.inputs
    assert isinstance(taken, TensorType)
    assert taken.get_shape() == (1, 3, 8, 4)
    assert ops[-1].outputs[0].type == func.function_type.outputs.data[0]


def test_the_steps_put_the_preprocessing_in_front() -> None:
    raw = {"mean": [127.5], "scale": [0.01], "color": "rgb", "given": "bgr", "last": False}
    settings: Settings = {
        **{"mlir": "n.mlir", "weights": "w.npz", "chip": "bm1688", "mode": "F16", "net": "n"},
        "inputs": [{"name": "x", "shape": [1, 3, 8, 4], "network_dtype": "uint8", "raw": raw}],
    }
    lower, schedule = (steps("tpuc-opt", settings)[i][2] for i in (1, 2))
    place = lower.index("--fuse-preprocess=mode=F16 customization_format=BGR_PACKED align=False")
    assert lower[place - 1] == "--processor-top-optimize"
    assert any("quant_input=False" in part for part in schedule), (
        "it is no integer of the network's"
    )
    text = "chip: BM1688\nnet 0: [n]  static\ninput: {}, scale: 1, zero_point: 0\n"
    assert bmodel_problem(text.format("x_raw, [1, 8, 4, 3], uint8"), settings) == ""
    assert "'x_raw' is missing" in bmodel_problem(text.format("x, [1, 3, 8, 4], float32"), settings)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("bm1684", {"preprocess": DESCRIBED}, r"--fuse-preprocess: not for BM1684 \(measured: "),
        ("bm1688", {}, "no TPU sub-model takes a picture of three channels .* describes"),
        ("bm1688", {"fuse_preprocess": "yuv"}, "--fuse-preprocess yuv: expected rgb or bgr"),
    ],
)
def test_what_cannot_be_is_refused(
    target: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = split_two(tmp_path / "out", target, "Sigmoid", pins=[])
    with pytest.raises(AutosplitError, match=message):
        convert_folder(ConvertOptions(folder, **{"fuse_preprocess": "rgb", **options}))


@needs_toolchain
@pytest.mark.parametrize("mode", ["F16", "INT8"])
def test_a_bmodel_takes_the_bytes(mode: str, tmp_path: Path) -> None:
    folder = split_two(tmp_path / "out", "bm1688", "Sigmoid", pins=[], mode=mode)
    pixels = np.random.default_rng(3).integers(0, 256, (16, 16, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "x.png")
    shown: dict[str, str] = {}
    options = ConvertOptions(
        folder, mode=mode, data=[str(tmp_path / "x.png")], preprocess=DESCRIBED, compare=True,
        fuse_preprocess="rgb",
        show=lambda step, module: shown.update({step.name: top_text(module, weights_name(0))})
        if step.name.startswith("top-") else None,
    )  # fmt: skip
    result = convert_folder(options)
    assert "do_preprocess" in shown["top-take-pictures"]
    text = (folder / "graph_ir_0" / text_name(0)).read_text(encoding="utf-8")
    assert [*shown.values()][-1] == text, "nothing but passes changes what is compiled"
    result.check()
    (graph,) = result.graphs
    (measure,) = graph.comparison.values()
    assert measure.cosine > (0.99999 if mode == "F16" else 0.999)
    record = read_compilation(graph.bmodel.parent)
    assert record is not None
    assert record.inputs[0].raw == RawPicture(MEAN, SCALE, "bgr", "rgb", last=False)
    with BmodelProcess(graph.bmodel) as bmodel:
        (taken,) = bmodel.networks[0].inputs
        assert (taken.name, taken.dtype, taken.shape) == ("x_raw", "uint8", (1, 16, 16, 3))
        (given,) = bmodel.run({"x_raw": pixels[None]}).values()
    # The runner takes what it took before, on both sides.
    numbers = normalized(pixels[None, ..., ::-1], MEAN, SCALE).transpose(0, 3, 1, 2)
    with open_runner(folder, 2) as tpu, open_runner(folder, 0) as cpu:
        (made,), (expected,) = (
            tpu.infer({"x": numbers}).values(),
            cpu.infer({"x": numbers}).values(),
        )
    np.testing.assert_array_equal(np.asarray(made).ravel(), given.ravel())
    assert np.abs(made - expected).max() < 0.05 * np.abs(expected).max()
    # Without the option it is another bmodel, which takes numbers.
    (plain,) = convert_folder(ConvertOptions(folder, mode=mode, data=options.data)).graphs
    assert plain.state == "compiled"
