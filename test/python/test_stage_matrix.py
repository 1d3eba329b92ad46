"""Every pass, pipeline and target on IR of every stage ends with a result, or with one line.

Where it is of the wrong stage, the line says what to run first, or before what.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import onnx
import onnx.parser
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import parse_mlir
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import FuncOp
from autosplit.formats.onnx.reader import read_model
from autosplit.lowering.pipelines import PIPELINES, build_passes
from autosplit.platforms import Measurements, get_platform, platform_of
from autosplit.registry import get_all_passes, get_all_targets, make_context

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

TF = """
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["find:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 8, 8, 3]>}> : () -> tensor<1x8x8x3xf32>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<3x3x3x4xf32>}> : () -> tensor<3x3x3x4xf32>
    %c = tf.Conv2D "conv" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> :
        (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<*xf32>
    %r = tf.Relu6 "relu" (%c) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
    %y = tf.Where "find" (%r) <{T = f32}> : (tensor<*xf32>) -> tensor<*xi64>
  }
}
"""

INT8 = PIPELINES["int8"].split(",")


def before(name: str) -> list[str]:
    """The passes of the pipeline `int8` in front of one."""
    return INT8[: INT8.index(name)]


CUTS = "infer-shapes,device-place,device-cluster,device-outline"

STAGES = {
    "imported": ("detector", ""),
    "inferred": ("detector", "infer-shapes"),
    "placed": ("detector", "infer-shapes,device-place"),
    "clustered": ("detector", "infer-shapes,device-place,device-cluster"),
    "outlined": ("detector", CUTS),
    "regions": ("detector", f"{CUTS}{{regions=true}}"),
    "confirmed": ("detector", f"{CUTS.removesuffix('outline')}confirm"),
    "split": ("detector", "split"),
    "normalized": ("detector", "infer-shapes,normalize-onnx"),
    "sub-model": ("sub-model", ""),
    "top": ("sub-model", "bmodel"),
    "top converted back": ("sub-model", "bmodel,convert-top-to-onnx"),
    "tf imported": ("tf", ""),
    "tf placed": ("tf", "tf-inline-calls,infer-shapes,device-place"),
    "tf outlined": ("tf", "split"),
    "tf regions": ("tf", f"{CUTS}{{regions=true}}"),
    "tf top": ("tf sub-model", "bmodel"),
    "tf lowered": ("tf", "infer-shapes,convert-tf-to-onnx"),
    "quant converted back": (
        "quantized",
        ",".join([*before("quant-split-dequant"), "convert-quant-to-onnx"]),
    ),
    "unfused": ("quantized", ",".join([*before("dnnl-fuse{keep=border}"), "convert-dnnl-to-onnx"])),
} | {f"int8 {end}": ("quantized", ",".join(INT8[:end])) for end in range(len(INT8) + 1)}

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
    "name one that there is",
    "say which sub-model",
    "there is no data",
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
    if name == "tf":
        return parse_mlir(make_context(), TF, "tf.mlir")
    if name.endswith("sub-model"):
        outlined = stage("tf outlined" if name.startswith("tf") else "outlined")
        funcs = [op for op in outlined.body.ops if isinstance(op, FuncOp)]
        return platform_of(outlined).standalone(outlined, next(f for f in funcs if f.target.is_tpu))
    proto = onnx.parser.parse_model((EXAMPLES / f"{name}.onnxtxt").read_text(encoding="utf-8"))
    return read_model(proto, WeightStore(), EXAMPLES)


@functools.cache
def stage(name: str) -> ModuleOp:
    start, passes = STAGES[name]
    return run(passes, model(start).clone())


def run(passes: str, module: ModuleOp) -> ModuleOp:
    def verify(_: ModulePass | None, module: ModuleOp, __: ModulePass | None) -> None:
        module.verify()

    PassPipeline(build_passes(passes, get_all_passes()), verify).apply(make_context(), module)
    return module


def emit(target: str, module: ModuleOp) -> None:
    get_all_targets()[target]()().emit(make_context(), module, StringIO())


@pytest.fixture(autouse=True)
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run in the framework tells is no matter of stages."""

    def measure(*_: object, **__: object) -> Measurements:
        return Measurements({})

    for platform in ("onnx", "tensorflow"):
        monkeypatch.setattr(get_platform(platform), "measure", measure)


@pytest.mark.parametrize("name", STAGES)
def test_every_pass_on_every_stage(name: str) -> None:
    tried: dict[str, Callable[[ModuleOp], object]] = {
        passes: functools.partial(run, passes) for passes in (*get_all_passes(), *PIPELINES)
    }
    tried |= {f"-t {name}": functools.partial(emit, name) for name in get_all_targets()}
    for what, attempt in tried.items():
        try:
            attempt(stage(name).clone())
        except (AutosplitError, PassFailedException) as error:
            line = str(error)
            assert "\n" not in line, what
            assert ORDER.search(line) or any(said in line for said in ANSWERS), f"{what}: {line}"
