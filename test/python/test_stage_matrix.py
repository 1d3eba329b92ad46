"""Every pass, pipeline and target on IR of every stage ends with a result, or with one line.

Where it is of the wrong stage, the line says what to run first, or before what. The stages follow from the
registry: what is there behind each pass of each pipeline, for a model of each platform.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path

import onnx
import onnx.parser
import pytest
from small_models import TEXTS
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import parse_mlir
from autosplit.core.printing import module_text
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import FuncOp
from autosplit.formats.onnx.reader import read_model
from autosplit.lowering.pipelines import PIPELINES, build_passes, with_options
from autosplit.platforms import Measurements, get_platform, platform_names, platform_of
from autosplit.registry import get_all_passes, get_all_targets, make_context

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

SAMPLES = EXAMPLES / "photos.npy"

SOURCES = (*platform_names(), "quantized", "floats")
"""A model of each platform, a quantized one, and one to be quantized."""

OF_SUB_MODELS = ("bmodel", "legalize-top", "widen")
"""Pipelines that take a TPU sub-model."""

OPTIONS = {"quant-calibrate": {"data": (str(SAMPLES),)}}
"""What passes need that a pipeline leaves to its user."""

FAST = {
    *((name, "place") for name in platform_names()),
    *((name, "split") for name in ("onnx", "tensorflow")),
    ("onnx", "bmodel"),
    ("pytorch", "parts"),
    ("quantized", "int8"),
    ("floats", "quantize"),
}
"""Each pipeline with a model, and each platform in one; the rest is for the night."""

CUTS = "infer-shapes,device-place,device-cluster,device-outline"


def before(pipeline: str, name: str) -> str:
    """The passes of a pipeline in front of one."""
    passes = PIPELINES[pipeline].split(",")
    return ",".join(passes[: passes.index(name)])


MORE_STAGES = {
    "regions": ("onnx", f"{CUTS}{{regions=true}}"),
    "confirmed": ("onnx", f"{CUTS.removesuffix('outline')}confirm"),
    "normalized": ("onnx", "infer-shapes,normalize-onnx"),
    "top converted back": ("onnx sub-model", "bmodel,convert-top-to-onnx"),
    "tf inlined": ("tensorflow", "tf-inline-calls,infer-shapes,device-place"),
    "tf regions": ("tensorflow", f"{CUTS}{{regions=true}}"),
    "tf lowered": ("tensorflow", "infer-shapes,convert-tf-to-onnx"),
    "caffe outlined": ("caffe", "split"),
    "mx outlined": ("mxnet", "split"),
    "aten outlined": ("pytorch", "split"),
    "mx lowered": ("mxnet", "infer-shapes,convert-mx-to-onnx"),
    "quant converted back": (
        "quantized",
        f"{before('int8', 'quant-split-dequant')},convert-quant-to-onnx",
    ),
    "unfused": ("quantized", f"{before('int8', 'dnnl-fuse{keep=border}')},convert-dnnl-to-onnx"),
}
"""What other orders of passes than those of pipelines make."""

ANSWERS = (
    "cannot run on",
    "no device takes",
    "expected mxnet",
    "expected pytorch",
    "expected tensorflow",
    "found no aten.graph",
    "found no mx.graph",
    "expected an onnx.graph",
    "no TPU sub-model in the module",
    "OpenCV failed: Can't create layer",
    "name one that there is",
    "say which sub-model",
    "there is no data",
    "is not ONNX: ",
    "this comes before convert-mx-to-onnx",
    "the model is quantized already",
    "choose one of",
    "written by graph",
    "is not an op that an ONNX model can hold",
    "does not say which framework",
)
"""What lines say of IR of the right stage, or of a wrong option."""

ORDER = re.compile(r"\b(run [a-z-]+(\{\S+\})? (first|before|without)|comes before) ?")


@functools.cache
def model(name: str) -> ModuleOp:
    if name.endswith(" sub-model"):
        whole = model(name.removesuffix(" sub-model")).clone()
        run("split", whole)
        funcs = [op for op in whole.body.ops if isinstance(op, FuncOp)]
        return platform_of(whole).standalone(whole, next(f for f in funcs if f.target.is_tpu))
    if name in TEXTS:
        return parse_mlir(make_context(), TEXTS[name], f"{name}.mlir")
    text = EXAMPLES / f"{'detector' if name == 'onnx' else name}.onnxtxt"
    proto = onnx.parser.parse_model(text.read_text(encoding="utf-8"))
    return read_model(proto, WeightStore(), EXAMPLES)


def stages(source: str, pipeline: str) -> Iterator[ModuleOp]:
    """The model, and what is there behind each pass of a pipeline that changes anything.

    A pipeline may end with a line that says why it does not go on.
    """
    module = model(f"{source} sub-model" if pipeline in OF_SUB_MODELS else source).clone()
    passes = before("bmodel", "legalize-top") + "," if pipeline == "legalize-top" else ""
    text = ""
    for step in build_passes(passes + PIPELINES[pipeline], get_all_passes()):
        if (now := module_text(module)) != text:
            yield module
        text = now
        try:
            apply(with_options([step], OPTIONS.get(step.name, {})), module)
        except AutosplitError as error:
            check_answer(step.name, str(error))
            return
    if module_text(module) != text:
        yield module


def run(passes: str, module: ModuleOp) -> None:
    apply(build_passes(passes, get_all_passes()), module)


def apply(passes: Sequence[ModulePass], module: ModuleOp) -> None:
    def verify(_: ModulePass | None, module: ModuleOp, __: ModulePass | None) -> None:
        module.verify()

    PassPipeline(tuple(passes), verify).apply(make_context(), module)


def emit(target: str, module: ModuleOp) -> None:
    get_all_targets()[target]()().emit(make_context(), module, StringIO())


@pytest.fixture(autouse=True)
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run in the framework tells is no matter of stages."""

    def measure(*_: object, **__: object) -> Measurements:
        return Measurements({})

    for platform in platform_names():
        monkeypatch.setattr(get_platform(platform), "measure", measure)


def check_answer(what: str, line: str) -> None:
    assert "\n" not in line, what
    assert ORDER.search(line) or any(said in line for said in ANSWERS), f"{what}: {line}"


def try_all(module: ModuleOp, where: str) -> None:
    """Runs every pass, pipeline and target on copies of a module."""
    attempts: dict[str, Callable[[ModuleOp], object]] = {
        passes: functools.partial(run, passes) for passes in (*get_all_passes(), *PIPELINES)
    }
    attempts |= {f"-t {name}": functools.partial(emit, name) for name in get_all_targets()}
    for what, attempt in attempts.items():
        try:
            attempt(module.clone())
        except (AutosplitError, PassFailedException) as error:
            check_answer(f"{what} {where}", str(error))


def listed() -> Iterator[object]:
    for source in SOURCES:
        for pipeline in PIPELINES:
            # A quantized model has no sub-model for a TPU.
            if source != "quantized" or pipeline not in OF_SUB_MODELS:
                marks = [] if (source, pipeline) in FAST else [pytest.mark.nightly]
                yield pytest.param(source, pipeline, marks=marks)


@pytest.mark.parametrize(("source", "pipeline"), listed())
def test_every_pass_behind_each_pass_of_a_pipeline(source: str, pipeline: str) -> None:
    for number, module in enumerate(stages(source, pipeline)):
        try_all(module, f"on stage {number} of {pipeline}")


@pytest.mark.parametrize("name", MORE_STAGES)
def test_every_pass_on_what_other_orders_make(name: str) -> None:
    source, passes = MORE_STAGES[name]
    module = model(source).clone()
    run(passes, module)
    try_all(module, f"on {name}")
