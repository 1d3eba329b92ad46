"""convert-to-onnx: a model of any framework as canonical ONNX, by its platform's own conversion."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.order import expect_before
from autosplit.platforms import platform_of


def lower_to_onnx(
    ctx: Context,
    module: ModuleOp,
    folded: dict[str, Attribute] | None = None,
    *,
    int8: bool = False,
) -> None:
    """Lowers a module, in place, to canonical `onnx` as far as possible.

    Ops that do not convert stay as they are, with the attribute `device.refused` on them. `folded` gets
    the value of each result that is folded, by its name. `int8` as for `normalize-onnx`. A module that
    names no platform is ONNX.
    """
    if "platform.name" in module.attributes:
        platform_of(module).convert(ctx, module, cleanup=True)
    normalize(module, known=folded, int8=int8)


@dataclass(frozen=True)
class ConvertToOnnxPass(ModulePass):
    """Every op of any framework with an exact ONNX counterpart is that, in the form of `normalize-onnx`.

    The conversion is that of the model's platform, `convert-tf-to-onnx` for one of TensorFlow. Ops that do
    not convert stay as they are, with the reason as `device.refused`.
    """

    name = "convert-to-onnx"

    int8: bool = False
    """As for `normalize-onnx`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name, {"dnnl.partition": "dnnl-fuse"})
        lower_to_onnx(ctx, op, int8=self.int8)
