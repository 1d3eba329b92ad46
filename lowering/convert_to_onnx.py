"""convert-to-onnx: a model of any framework as canonical ONNX, by its platform's own conversion."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.order import expect_before
from autosplit.platforms import platform_of


@dataclass(frozen=True)
class ConvertToOnnxPass(ModulePass):
    """Every op of any framework with an exact ONNX counterpart is that, in the form of `normalize-onnx`.

    The conversion is that of the model's platform, `convert-tf-to-onnx` for one of TensorFlow. Ops that do
    not convert stay as they are, with the reason as `device.refused`.
    """

    name = "convert-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name, {"dnnl.partition": "dnnl-fuse"})
        if "platform.name" not in op.attributes:
            normalize(op)
            return
        platform_of(op).to_onnx(ctx, op)
