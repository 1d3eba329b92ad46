"""What must not be done twice, or once for each of many: costs that no clock on a shared machine shows."""

from __future__ import annotations

import sys

import pytest
from xdsl.dialects.builtin import ModuleOp

from autosplit.core.parsing import parse_mlir
from autosplit.lowering.device.place import DevicePlacePass
from autosplit.lowering.infer_shapes import InferShapesPass
from autosplit.lowering.pipelines import build_passes
from autosplit.registry import get_all_passes, make_context

GRAPH = """
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 8, 8, 3]>}> : () -> tensor<1x8x8x3xf32>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<3x3x3x4xf32>}> : () -> tensor<3x3x3x4xf32>
    %c = tf.Conv2D "c" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}>
      : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<*xf32>
    %s = tf.Shape "s" (%c) <{T = f32}> : (tensor<*xf32>) -> tensor<*xi32>
    %r = tf.Reshape "r" (%c, %s) <{T = f32, Tshape = i32}> : (tensor<*xf32>, tensor<*xi32>) -> tensor<*xf32>
  }
}
"""


def parse(text: str) -> ModuleOp:
    return parse_mlir(make_context(), text, "test")


def run(passes: str) -> tuple[str, int]:
    """The module after the passes, and how often a module was copied."""
    module, copies = parse(GRAPH), 0
    clone = ModuleOp.clone

    def counted(self: ModuleOp, *args: object, **kwargs: object) -> ModuleOp:
        nonlocal copies
        copies += self is module
        return clone(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModuleOp, "clone", counted)
        for step in build_passes(passes, get_all_passes()):
            step.apply(make_context(), module)
    return str(module), copies


def test_a_model_is_lowered_once() -> None:
    together, copies = run("infer-shapes,device-place")
    assert copies == 1
    apart, copies = run("infer-shapes,convert-quant-to-onnx,device-place")
    assert copies == 2
    # The graph does not name its output, which nothing of TensorFlow makes in the copy.
    assert "device.work = 6912" in together
    assert "device.work = 6912" in apart


def test_a_copy_is_for_its_own_module() -> None:
    infer, place = build_passes("infer-shapes,device-place", get_all_passes())
    assert isinstance(infer, InferShapesPass)
    assert isinstance(place, DevicePlacePass)
    module = parse(GRAPH)
    infer.apply(make_context(), module)
    assert place.takes.take(module.clone()) is None
    infer.apply(make_context(), module)
    assert isinstance(place.takes.take(module), ModuleOp)
    assert place.takes.take(module) is None


def calls_module(count: int) -> ModuleOp:
    """A module of `count` sub-models of 5 ops, and of a line of calls."""
    type = "tensor<1xf32>"
    lines: list[str] = []

    def func(name: str, kind: str, body: list[str]) -> None:
        lines.append(
            f'"device.func"() <{{sym_name = "{name}", target = #device.target<{kind}>, '
            f'input_names = ["x"], output_names = ["y"]}}> ({{'
        )
        lines.extend([f"^bb0(%v0 : {type}):", *body, f"  device.return %v{len(body)} : {type}"])
        lines.append("}) : () -> ()")

    for i in range(count):
        names = ["a", "b", "c", "d", "y"]
        body = [
            f'  %v{k + 1} = onnx.Relu "{name}" (%v{k}) -> ["{name}"] : ({type}) -> {type}'
            for k, name in enumerate(names)
        ]
        func(f"graph_{i}", "cpu", body)
    calls = [
        f"  %v{i + 1} = device.call @graph_{i}(%v{i}) : ({type}) -> {type}" for i in range(count)
    ]
    func("main", "host", calls)
    return parse("\n".join(lines))


def verify_calls(module: ModuleOp) -> int:
    """How many functions are called to verify a module."""
    count = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    module.verify()
    sys.setprofile(note)
    try:
        module.verify()
    finally:
        sys.setprofile(None)
    return count


def test_calls_are_verified_without_walking_the_module() -> None:
    few, many = verify_calls(calls_module(20)), verify_calls(calls_module(80))
    assert many < 7 * few
