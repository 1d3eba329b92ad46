"""The patterns of convert-mx-to-onnx: converting ops by their rules, and saying why an op stays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.mx.base import MxOp
from autosplit.dialects.mx.graph import LabelOp, ParamOp, VariableOp
from autosplit.dialects.mx.opaque import OpaqueOp
from autosplit.dialects.mx.ops import declared_class
from autosplit.dialects.onnx.ops import InitializerOp
from autosplit.dialects.platform import set_type
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.conversions import check_types
from autosplit.lowering.convert_mx_to_onnx.builder import Conversion, MxBuilder, kind_of
from autosplit.lowering.rewriting import Pattern
from autosplit.lowering.shared.refusal import Refusal
from autosplit.lowering.shared.types import join
from autosplit.lowering.sizes.known_sizes import KnownSizes
from autosplit.lowering.sizes.mx_rules import SHAPES, element_types

BOXES = "decodes boxes, which the CPU does as MXNet does"
SUPPRESSES = "keeps the best of overlapping boxes in MXNet's own order, which no ONNX op does"
REGIONS = "reads regions of the image at places that depend on the data, as no ONNX op does"

FUSED = "_sg_mkldnn_"
"""The prefix of the ops that MXNet fuses for oneDNN, and quantizes."""

REASONS = {
    "Custom": ("host-op", "is code of its own, which only MXNet can run"),
    "RNN": ("not-exact", "runs steps in a loop on weights in one vector"),
    "_contrib_DeformableConvolution": ("unsupported-op", REGIONS),
    "_contrib_ModulatedDeformableConvolution": ("unsupported-op", REGIONS),
    "_contrib_MultiBoxDetection": ("unsupported-op", SUPPRESSES),
    "_contrib_MultiProposal": ("unsupported-op", SUPPRESSES),
    "_contrib_Proposal": ("unsupported-op", SUPPRESSES),
    "_contrib_RROIAlign": ("unsupported-op", REGIONS),
    "_contrib_boolean_mask": ("data-dependent", "keeps as many rows as the data says"),
    "_contrib_box_decode": ("host-op", BOXES),
    "_contrib_box_nms": ("unsupported-op", SUPPRESSES),
    "ROIPooling": ("unsupported-op", REGIONS),
    "_cond": ("control-flow", "chooses a graph to run"),
    "_foreach": ("control-flow", "repeats a graph"),
    "_while_loop": ("control-flow", "repeats a graph"),
}
"""Why ops have no conversion, for ops with a more specific reason than that."""


class _MxPattern(Pattern[MxOp]):
    """An mx op -> onnx ops; where `build` raises Refusal it stays, with the reason as `device.refused`."""

    def __init__(self, values: ModuleValues):
        self.values = values
        self.sizes = KnownSizes(values.constants)

    @abstractmethod
    def build(self, b: MxBuilder) -> Sequence[SSAValue | None]:
        """The values that replace the op's results; None for results that nothing reads."""

    def rewrite(self, op: MxOp, rewriter: PatternRewriter, /) -> None:
        if not MxBuilder(self.values, op, rewriter).replace_by(self.build):
            self._set_types(op)

    def _set_types(self, op: MxOp) -> None:
        """Sets the types of the outputs of an op that stays: conversions behind it need ranks."""
        rule = SHAPES.get(op.op_type)
        if rule is None:
            return
        elements = element_types(op)
        try:
            shapes = [*rule(self.sizes, op)]
        except (ValueError, IndexError, TypeError, ArithmeticError):
            return
        for result, shape, element in zip(op.results, shapes, elements, strict=False):
            if shape is not None and element is not None:
                dims = [n if isinstance(n, int) else DYNAMIC_INDEX for n in shape]
                set_type(result, join(result.type, TensorType(element, dims)))


class ConvertMxOp(_MxPattern):
    """An mx op -> the onnx ops that the rule for its kind builds.

    `returned`: the values that the model returns to its caller.
    """

    def __init__(
        self,
        values: ModuleValues,
        returned: Collection[SSAValue],
        rule: Conversion,
        kinds: frozenset[str],
    ):
        super().__init__(values)
        self.returned = returned
        self.rule = rule
        self.kinds = kinds

    @property
    def label(self) -> str:
        return f"ConvertMxOp({self.rule.__name__.strip('_')})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, MxOp) and kind_of(op) in self.kinds

    def build(self, b: MxBuilder) -> Sequence[SSAValue | None]:
        if isinstance(b.op, OpaqueOp) and declared_class(b.kind) is not None:
            raise Refusal("malformed-op", f"{b.kind} has not the inputs and outputs of its kind")
        return b.results_of(self.rule, self.returned)


class ConvertParam(_MxPattern):
    """param -> initializer"""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, ParamOp)

    def build(self, b: MxBuilder) -> Sequence[SSAValue | None]:
        op = b.op
        assert isinstance(op, ParamOp)
        check_types(op)
        new = InitializerOp(op.value_name(0), op.value, op.results[0].type, op.location)
        return [b.insert(new)]


class DropLabel(Pattern[LabelOp]):
    """A label that nothing reads, as its reader is converted -> nothing."""

    def rewrite(self, op: LabelOp, rewriter: PatternRewriter, /) -> None:
        if op.results[0].first_use is None:
            rewriter.erase(op)


class KeepUnconvertedMx(_MxPattern):
    """An op without a conversion stays."""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, MxOp) and not isinstance(op, VariableOp)

    def build(self, b: MxBuilder) -> Sequence[SSAValue | None]:
        if (reason := REASONS.get(b.kind)) is not None:
            raise Refusal(*reason)
        if b.kind.startswith(FUSED):
            raise Refusal("host-op", "is fused for oneDNN, which computes it on the CPU")
        check_types(b.op)
        raise Refusal("unsupported-op", f"{b.kind} has no conversion to onnx")
