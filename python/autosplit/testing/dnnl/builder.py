"""Graphs of the `dnnl` dialect built op by op, for what ONNX cannot say: bfloat16, other systems' fusions.

g = DnnlBuilder()
x, w = g.dequantize(g.input("x", (2, 15), "u8")), g.dequantize(g.input("w", (15, 20), "s8"))
g.output(g.op("MatMul", g.to(x, "bf16"), g.to(w, "bf16")))
module = g.module()
fuse(module, version="3.2")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, NameLoc, StringAttr, TensorType, UnknownLoc
from xdsl.ir import Attribute, Block, Region, SSAValue

from autosplit.dialects.dnnl import GraphOp, ReturnOp, element_type_named, make_op
from autosplit.dialects.dnnl.shapes import result_shapes
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.pipelines import build_passes
from autosplit.registry import get_all_passes, make_context

if TYPE_CHECKING:
    from autosplit.dialects.dnnl import AttrValue


def tensor(shape: Sequence[int], dtype: str) -> TensorType[Attribute]:
    """The type of a dense tensor, dtype in the library's spelling; -1 is an unknown size."""
    element = element_type_named(dtype)
    if element is None:
        raise ValueError(f"oneDNN Graph has no dtype {dtype!r}")
    return TensorType(element, list(shape))


class DnnlBuilder:
    """Grows a dnnl.graph. Values are SSA values; shapes of results are computed."""

    def __init__(self) -> None:
        self._block = Block()
        self._outputs: list[SSAValue] = []

    def input(self, name: str, shape: Sequence[int], dtype: str = "f32") -> SSAValue:
        """An input port."""
        value = self._block.insert_arg(tensor(shape, dtype), len(self._block.args))
        value.name_hint = name
        return value

    def op(
        self, kind: str, *inputs: SSAValue, dtype: str = "", name: str = "", **attrs: AttrValue
    ) -> SSAValue:
        """An op with one result, of the dtype of the first input by default; `name` is its location."""
        element = element_type_named(dtype) if dtype else element_type(inputs[0].type)
        shape = shape_of(inputs[0].type)
        assert element is not None
        assert shape is not None
        attributes: dict[str, Any] = dict(attrs)
        # The shape of the result is inferred from an op, which needs a result type first.
        draft = make_op(kind, inputs, [TensorType(element, [-1] * len(shape))], **attributes)
        shapes = result_shapes(draft)
        draft.erase()
        inferred = shapes[0] if shapes else None
        op = make_op(kind, inputs, [TensorType(element, list(inferred or shape))], **attributes)
        if name:
            op.location = NameLoc(StringAttr(name), UnknownLoc())
        self._block.add_op(op)
        return op.results[0]

    def dequantize(
        self, x: SSAValue, scale: float | Sequence[float] = 0.02, zero_point: int = 0, axis: int = 1
    ) -> SSAValue:
        """Dequantize, per channel of `axis` where `scale` is a list."""
        return self.op("Dequantize", x, dtype="f32", **_parameters(scale, zero_point, axis))

    def quantize(
        self, x: SSAValue, dtype: str = "u8", scale: float = 0.05, zero_point: int = 0
    ) -> SSAValue:
        """Quantize per tensor."""
        return self.op("Quantize", x, dtype=dtype, **_parameters(scale, zero_point, 1))

    def to(self, x: SSAValue, dtype: str) -> SSAValue:
        """TypeCast."""
        return self.op("TypeCast", x, dtype=dtype)

    def output(self, *values: SSAValue) -> None:
        """Makes the values output ports."""
        self._outputs.extend(values)

    def module(self) -> ModuleOp:
        """The graph, finished and verified."""
        self._block.add_op(ReturnOp(self._outputs))
        graph = GraphOp.create(
            properties={
                "version": StringAttr("3.2.0"),
                "engine_kind": StringAttr("cpu"),
                "fpmath_mode": StringAttr("strict"),
            },
            regions=[Region(self._block)],
        )
        module = ModuleOp([graph])
        module.verify()
        return module


def _parameters(scale: float | Sequence[float], zero_point: int, axis: int) -> dict[str, Any]:
    if isinstance(scale, float | int):
        return {"qtype": "per_tensor", "axis": axis, "scales": [scale], "zps": [zero_point]}
    zeros = [zero_point] * len(scale)
    return {"qtype": "per_channel", "axis": axis, "scales": list(scale), "zps": zeros}


def fuse(module: ModuleOp, **options: str) -> ModuleOp:
    """Runs dnnl-fuse with options as text; returns the module."""
    option_text = " ".join(f'{name}="{value}"' for name, value in options.items())
    for step in build_passes(
        f"dnnl-fuse{{{option_text}}}" if option_text else "dnnl-fuse", get_all_passes()
    ):
        step.apply(make_context(), module)
    module.verify()
    return module
