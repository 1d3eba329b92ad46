"""What `split`, `compile` and `convert` write is what their pipelines make of the model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from convert_models import X, split_two
from convert_toolchain import real
from test_bmodel_models import MORE
from test_split_models import CASES, SSDLITE, Case

from autosplit.core.printing import module_text
from autosplit.devices import get_chip
from autosplit.dialects.platform import platform_graph
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.converting.source import largest_shapes, read_sub_models, recorded_chip
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos, context_dir
from autosplit.folder.tpu import text_name, weights_name, write_tpu_files
from autosplit.formats.top_mlir.writer import top_text
from autosplit.inputs.custom_ops import libraries
from autosplit.inputs.options import parse_input
from autosplit.inputs.preprocess import parse_options
from autosplit.lowering.pipelines import build_passes
from autosplit.lowering.submodel.sizes import Sizes
from autosplit.platforms import load_model, platform_of
from autosplit.registry import get_all_passes, make_context
from autosplit.testing.custom_ops import ONNX_DOMAIN, onnx_library
from autosplit.testing.models import QUANTIZED, model_path
from autosplit.testing.quantize import quantized_model
from autosplit.tools import autosplit_opt
from autosplit.tools.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

FAST = ("pnet.onnx", "rnet.onnx", "onet.onnx", "model.onnx")

DYNAMIC = [
    ("ch_PP-OCRv4_rec_infer.onnx", "x=1,3,48,..320", {}),
    ("ch_PP-OCRv4_det_infer.onnx", "x=1,3,160,224", {"target": "bm1684x"}),
    (SSDLITE, "image_tensor=1,300,300,3", {"target": "bm1684x"}),
]


def plain(text: str) -> str:
    """A plan without the names of the files that it is in, and that come with it."""
    text = re.sub(r", custom_ops = \[[^\]]*\]", "", text)
    text = re.sub(r" <\{files = \{[^}]*\}\}>", "", text)
    return re.sub(r"platform\.stores = \[[^\]]*\]", "", text)


def check(model: Path, inputs: Sequence[str], tmp_path: Path, **options: Any) -> None:
    specs = dict(map(parse_input, inputs))
    split_model(SplitOptions(model, tmp_path / "out", specs, **options))
    written = (tmp_path / "out" / "plan.mlir").read_text(encoding="utf-8")
    assert plain(pipeline(model, "split", inputs, options)) == plain(written)


def check_int8(model: Path, inputs: Sequence[str], tmp_path: Path, **options: Any) -> None:
    specs = dict(map(parse_input, inputs))
    compile_model(CompileOptions(model, tmp_path / "out", specs, **options))
    written = (tmp_path / "out" / "dnnl_0" / "plan.mlir").read_text(encoding="utf-8")
    assert plain(pipeline(model, "int8", inputs, options)) == plain(written)


def pipeline(model: Path, name: str, inputs: Sequence[str], options: Mapping[str, Any]) -> str:
    """What autosplit-opt prints of a model behind a pipeline with the same inputs and options."""
    said = {n: str(value).lower() if value is True else value for n, value in options.items()}
    lists = {
        "inputs": inputs,
        "outputs": said.pop("outputs", ()),
        "pins": [f"{pattern}={device}" for pattern, device in said.pop("pins", ())],
        "fix": [f"{n}={value}" for n, value in said.pop("fixed", {}).items()],
        "preprocess": [str(one) for one in said.pop("preprocess", {}).values()],
        "custom_ops": [str(path) for path in said.pop("custom_ops", ())],
    }
    for option, texts in lists.items():
        if texts:
            said[option] = ",".join(f'"{text}"' for text in texts)
    text = " ".join(f"{name}={value}" for name, value in said.items())
    loaded = load_model(model)
    for step in build_passes(f"{name}{{{text}}}", get_all_passes()):
        step.apply(make_context(), loaded.module)
    return module_text(loaded.module)


def listed(case: Case) -> Any:
    marks = [] if case.model in FAST else [pytest.mark.nightly]
    return pytest.param(case, id=str(case), marks=marks)


@pytest.mark.parametrize("case", [listed(case) for case in [*CASES, *MORE]])
def test_the_pipeline_is_the_tool(case: Case, tmp_path: Path) -> None:
    inputs: list[str] = []
    for name, shape in case.inputs.items():
        inputs.append(f"{name}={','.join(map(str, shape))}")
    for name, value in case.fixed.items():
        np.save(tmp_path / f"{name}.npy", value)
        inputs = [text for text in inputs if not text.startswith(f"{name}=")]
        inputs.append(f"{name}={tmp_path / name}.npy")
    check(model_path(case.model), inputs, tmp_path, **case.options)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "F16", "target": "bm1684x", "layout": "NCHW"},
        {"keep": 0.5, "pins": [("conv2d_[23].*", "cpu")]},
        {"dynamic": True},
        {"preprocess": parse_options(["mean=127.5,scale=1/128,color=bgr"])},
    ],
    ids=str,
)
def test_options(options: dict[str, Any], tmp_path: Path) -> None:
    check(model_path("pnet.onnx"), ["input_1=1,37,51,3"], tmp_path, **options)


FIXED = """
<ir_version: 8, opset_import: ["" : 17]>
fixed (float[1,2,8] x, int64 sr) => (float[A,B,C] y)
<float[2,2,3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, int64 high = {16000}> {
    is = Equal (sr, high)
    y = If (is) <
        then_branch = a () => (float[A,B,C] p) { p = Conv <pads = [1, 1]> (x, w) },
        else_branch = b () => (float[A,B,C] q) { q = Relu (x) }
    >
}
"""


@pytest.mark.parametrize("rate", [8000, 16000])
def test_fixed_inputs(rate: int, tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(FIXED), tmp_path / "model.onnx")
    check(tmp_path / "model.onnx", [], tmp_path, fixed={"sr": rate})


@pytest.mark.nightly
def test_custom_ops(tmp_path: Path) -> None:
    library = onnx_library()
    both = onnx.helper.make_node("NegPos", ["x"], ["neg", "pos"], "both", domain=ONNX_DOMAIN)
    conv = onnx.helper.make_node("Conv", ["pos", "w"], ["y"], "conv")
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, 8, 8])
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    w = onnx.numpy_helper.from_array(np.ones((4, 3, 3, 3), np.float32), "w")
    graph = onnx.helper.make_graph([both, conv], "g", [x], [y], [w])
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid(ONNX_DOMAIN, 1)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.save(model, tmp_path / "model.onnx")
    check(tmp_path / "model.onnx", [], tmp_path, custom_ops=libraries([library]))
    plan = (tmp_path / "out" / "plan.mlir").read_text(encoding="utf-8")
    assert "<tpu" in plan, "what was measured lets the TPU compute the Conv"


@pytest.mark.nightly
@pytest.mark.parametrize(("model", "input", "options"), DYNAMIC)
def test_sizes_that_vary(model: str, input: str, options: dict[str, Any], tmp_path: Path) -> None:
    check(model_path(model), [input], tmp_path, dynamic=True, **options)


QUANTIZED_CASES = [
    ("rnet.onnx", ["input_2=1,24,24,3"], {"sums": "fast"}),
    ("rnet.onnx", [], {"preprocess": parse_options(["mean=127.5,scale=1/128"])}),
    ("pnet.onnx", ["input_1=1,37,51,3"], {"version": "3.6", "outputs": ["softmax"]}),
    *((name, [], {}) for name in QUANTIZED),
]


def quantized(case: Any) -> Any:
    marks = [] if case[0] in FAST else [pytest.mark.nightly]
    return pytest.param(*case, id=f"{case[0]} {[*case[2]]}", marks=marks)


@pytest.mark.parametrize(("model", "inputs", "options"), [*map(quantized, QUANTIZED_CASES)])
def test_compile_is_the_pipeline_int8(
    model: str, inputs: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    check_int8(quantized_model(model), inputs, tmp_path, **options)


def check_tpu(model: Path, inputs: Sequence[str], mode: str, tmp_path: Path, **options: Any) -> int:
    """Compares what is compiled of each TPU sub-model with what the pipeline `bmodel` makes of it."""
    folder = tmp_path / "out"
    split_model(SplitOptions(model, folder, dict(map(parse_input, inputs)), **options))
    infos = GraphInfos.load(str(folder))
    module, funcs = read_sub_models(infos)
    platform, chip = platform_of(module), get_chip(recorded_chip(infos))
    sizes, largest = Sizes.of(infos.dynamic), largest_shapes(infos)
    count = 0
    for index, func in enumerate(funcs):
        if not func.target.is_tpu:
            continue
        made = platform.standalone(module, func)
        names = [name for name, _ in platform_graph(made).graph_inputs() if name in largest]
        said = ",".join(f'"{n}={",".join(map(str, largest[n]))}"' for n in names)
        text = f"bmodel{{target={chip.name} mode={mode} sizes={sizes} largest={said} net=graph_{index}}}"
        for step in build_passes(text, get_all_passes()):
            step.apply(make_context(), made)
        write_tpu_files(
            make_context(), module, func, index, platform, chip, folder,
            mode=mode, sizes=sizes, largest=largest,
        )  # fmt: skip
        written = (folder / context_dir(index) / text_name(index)).read_text(encoding="utf-8")
        assert top_text(made, weights_name(index)) == written
        count += 1
    return count


@pytest.mark.parametrize(
    ("mode", "dynamic"),
    [("F32", False), ("F16", False), ("INT8", False), ("F32", True), ("F16", True)],
)
def test_convert_is_the_pipeline_bmodel(mode: str, dynamic: bool, tmp_path: Path) -> None:
    options = {"target": "bm1684x", "dynamic": dynamic}
    assert check_tpu(model_path("pnet.onnx"), ["input_1=1,37,51,3"], mode, tmp_path, **options)


@pytest.mark.nightly
@pytest.mark.parametrize(("model", "input", "options"), DYNAMIC)
@pytest.mark.parametrize("dynamic", [False, True])
def test_convert_is_the_pipeline_bmodel_of_large_models(
    model: str, input: str, options: dict[str, Any], dynamic: bool, tmp_path: Path
) -> None:
    options = {"target": "bm1684x", **options, "dynamic": dynamic}
    if not dynamic:
        input = input.replace("..", "")
    assert check_tpu(model_path(model), [input], "F16", tmp_path, **options)


@pytest.mark.parametrize(
    ("example", "command", "passes"),
    [
        ("detector", "split", "split"),
        ("detector", "explain", "split"),
        ("quantized", "explain --int8", "int8"),
        ("quantized", "compile", "int8"),
        ("floats", "quantize", "quantize"),
        ("detector", "deploy", "split,bmodel"),
    ],
)
def test_the_ir_behind_each_pass(
    example: str, command: str, passes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / f"{example}.onnxtxt").read_text(encoding="utf-8")
    onnx.save(onnx.parser.parse_model(text), tmp_path / "model.onnx")
    arguments = [*command.split(), str(tmp_path / "model.onnx")]
    arguments += [] if "explain" in command else ["-o", str(tmp_path / "out.onnx")]
    data = ["--data", str(EXAMPLES / "photos.npy")] if command == "quantize" else []
    if command == "deploy":
        real()
    assert main([*arguments, *data, "--print-ir-after-all"]) == 0
    assert passes_shown(capsys) == names_of(passes)


def passes_shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return re.findall(r"^// after (.+):$", capsys.readouterr().err, re.MULTILINE)


def names_of(passes: str) -> list[str]:
    return [step.name for step in build_passes(passes, get_all_passes())]


@pytest.mark.parametrize(
    ("mode", "factor", "options", "wide"),
    [
        ("F32", 1, "", {}),
        ("INT8", 1, "", {}),
        ("F16", 1, "tables=true", {}),
        ("F16", 1e5, "tables=true", {0: "r1", 2: "y"}),
    ],
)
def test_what_convert_compiles(
    mode: str,
    factor: float,
    options: str,
    wide: Mapping[int, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real()
    folder = split_two(tmp_path / "net", target="bm1684x")
    np.save(tmp_path / "x.npy", np.multiply(X, factor, dtype=np.float32))
    command = ["convert", str(folder), "--mode", mode, "--data", str(tmp_path / "x.npy")]
    assert main([*command, "--print-ir-after-all"]) == 0
    assert passes_shown(capsys) == names_of("bmodel,widen" if wide else "bmodel") * 2
    for index in (0, 2):
        passes = f"bmodel{{target=bm1684x mode={mode} net=graph_{index} {options}}}"
        if index in wide:
            passes += f",widen{{target=bm1684x values={wide[index]}}}"
        target = f'top-mlir{{weight_file="{weights_name(index)}"}}'
        model = folder / f"graph_{index}.onnx"
        assert autosplit_opt.main([str(model), "-p", passes, "-t", target]) == 0
        compiled = (folder / context_dir(index) / text_name(index)).read_text(encoding="utf-8")
        assert capsys.readouterr().out == compiled
