"""The patterns of convert-caffe-to-onnx: converting layers by their rules, and saying why one stays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.caffe import CaffeOp, InputOp
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.platform import set_type, strings
from autosplit.lowering.building import BuildingPattern, ModuleValues
from autosplit.lowering.convert_caffe_to_onnx.builder import (
    CaffeEmitter,
    Conversion,
)
from autosplit.lowering.convert_caffe_to_onnx.sizes import result_sizes, type_of
from autosplit.lowering.shared.refusal import Refusal, refuse
from autosplit.lowering.shared.types import join

REASONS = {
    "Axpy": ("not-exact", "OpenCV, which runs the model, multiplies another blob than Caffe does"),
    "DetectionOutput": ("data-dependent", "how many boxes it keeps depends on the data"),
    "PSROIPooling": ("unsupported-op", "no ONNX op averages over boxes as PSROIPooling does"),
    "Proposal": ("data-dependent", "how many regions it keeps depends on the data"),
    "Silence": ("host-op", "computes nothing"),
}
"""Why layers have no conversion, for layers with a more specific reason than that."""


class _LayerPattern(BuildingPattern[CaffeOp]):
    """A layer -> onnx ops; where `build` raises Refusal it stays, with the reason as `device.refused`."""

    @abstractmethod
    def build(self, e: CaffeEmitter) -> SSAValue | Sequence[SSAValue]:
        """The values that replace the layer's results, one for each."""

    def rewrite(self, op: CaffeOp, rewriter: PatternRewriter, /) -> None:
        block = Block()
        emitter = CaffeEmitter(self.values, op, Builder(InsertPoint.at_end(block)))
        try:
            _take_sizes(op)
            built = self.build(emitter)
            values = [built] if isinstance(built, SSAValue) else list(built)
            values = [_named(emitter, i, value, block) for i, value in enumerate(values)]
        except Refusal as refusal:
            refuse(op, refusal, rewriter)
            return
        except (ValueError, IndexError, TypeError, ZeroDivisionError) as error:
            text = f"what it reads does not fit its parameters: {error}"
            refuse(op, Refusal("malformed-op", text), rewriter)
            return
        new = list(block.ops)
        for inner in new:
            inner.detach()
        rewriter.insert(new)
        for old, value in zip(op.results, values, strict=True):
            rewriter.replace_all_uses_with(old, value)
        rewriter.erase(op)


def _take_sizes(op: CaffeOp) -> None:
    """Sets the sizes of the results that follow from the operands."""
    for result, sizes in zip(op.results, result_sizes(op), strict=True):
        set_type(result, join(result.type, type_of(sizes)))


def _named(e: CaffeEmitter, index: int, value: SSAValue, block: Block) -> SSAValue:
    """A value under the name and with the type of result `index`; one that has a name gets an Identity."""
    result, name = e.op.results[index], e.op.value_name(index)
    owner = value.owner
    if not isinstance(owner, OnnxOp) or owner.parent is not block or len(owner.results) != 1:
        owner = e.emit("Identity", value, role=f"result{index}").owner
    assert isinstance(owner, OnnxOp)
    value = owner.results[0]
    owner.properties["value_names"] = strings([name])
    if isinstance(owner, InitializerOp):
        owner.properties["node_name"] = StringAttr(name)
    elif len(e.op.results) == 1:
        owner.properties["node_name"] = e.op.properties["node_name"]
    value.name_hint = result.name_hint
    set_type(value, join(result.type, value.type))
    return value


class ConvertLayer(_LayerPattern):
    """A layer -> the onnx ops that the rule for its type builds."""

    def __init__(self, values: ModuleValues, rule: Conversion, kinds: frozenset[str]):
        super().__init__(values)
        self.rule = rule
        self.kinds = kinds

    @property
    def label(self) -> str:
        return f"ConvertLayer({self.rule.__name__.strip('_')})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, CaffeOp) and not op.IS_OPAQUE and op.op_type in self.kinds

    def build(self, e: CaffeEmitter) -> SSAValue | Sequence[SSAValue]:
        return self.rule(e)


class KeepLayer(_LayerPattern):
    """A layer without a conversion stays."""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, CaffeOp) and not isinstance(op, InputOp)

    def build(self, e: CaffeEmitter) -> SSAValue | Sequence[SSAValue]:
        kind = e.op.op_type
        raise Refusal(*REASONS.get(kind, ("unsupported-op", f"{kind} has no conversion to onnx")))
