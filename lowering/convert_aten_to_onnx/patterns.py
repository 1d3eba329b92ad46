"""The patterns of convert-aten-to-onnx: converting ops by their rules, and saying why an op stays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import InputOp, ParamOp, StateOp, WriteBackOp
from autosplit.dialects.onnx.ops import InitializerOp
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.conversions import check_types
from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Conversion
from autosplit.lowering.reduce_mutation.kept import Kept
from autosplit.lowering.rewriting import Pattern
from autosplit.lowering.shared.refusal import Refusal

STATE = "keeps what it holds from one run to the next"
MUTATION = "writes to a tensor that others may read: reduce-mutation could not make it functional"
COMPLEX = "computes on complex numbers, which ONNX ops do not take"
RANDOM = "draws numbers at random"

UNWRITTEN = frozenset({"detach_"})
"""Ops that write to a tensor according to ATen, though no element changes."""

REASONS = {
    "_assert_async": ("host-op", "checks the data, and computes nothing"),
    "_assert_scalar": ("host-op", "checks a size, and computes nothing"),
    "_local_scalar_dense": ("data-dependent", "makes a number of the data"),
    "bernoulli": ("random", RANDOM),
    "higher_order.cond": ("control-flow", "chooses a graph to run"),
    "higher_order.map_impl": ("control-flow", "runs a graph for each row of a tensor"),
    "higher_order.scan": ("control-flow", "runs a graph for each row of a tensor"),
    "higher_order.while_loop": ("control-flow", "repeats a graph"),
    "higher_order.wrap_with_autocast": (
        "control-flow",
        "runs a graph whose ops choose the types that they compute in",
    ),
    "item": ("data-dependent", "makes a number of the data"),
    "masked_select": ("data-dependent", "keeps as many elements as a mask says"),
    "multinomial": ("random", RANDOM),
    "nonzero": ("data-dependent", "has as many rows as there are elements that are not 0"),
    "normal": ("random", RANDOM),
    "rand": ("random", RANDOM),
    "rand_like": ("random", RANDOM),
    "randint": ("random", RANDOM),
    "randn": ("random", RANDOM),
    "randn_like": ("random", RANDOM),
    "torchvision.nms": (
        "unsupported-op",
        "keeps the best of overlapping boxes, in torchvision's own order",
    ),
    "torchvision.roi_align": (
        "unsupported-op",
        "reads regions of the image at places that depend on the data",
    ),
}
"""Why ops have no conversion, for ops with a more specific reason than that."""

COMPLEX_KINDS = (
    "_conj",
    "_fft",
    "complex",
    "fft_",
    "imag",
    "istft",
    "polar",
    "stft",
    "view_as_complex",
)
"""The prefixes of ops that make or read complex numbers."""


class _AtenPattern(Pattern[AtenOp]):
    """An aten op -> onnx ops; where `build` raises Refusal it stays, with the reason as `device.refused`."""

    def __init__(self, values: ModuleValues, kept: Mapping[Operation, Kept]):
        self.values = values
        self.kept = kept
        """The ops that share memory with an update in place."""

    @abstractmethod
    def build(self, b: AtenBuilder) -> Sequence[SSAValue | None]:
        """The values that replace the op's results; None for results that nothing reads."""

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        AtenBuilder(self.values, op, rewriter).replace_by(self.checked)

    def checked(self, b: AtenBuilder) -> Sequence[SSAValue | None]:
        """As `build`, but refuses ops that see a tensor change."""
        if isinstance(b.op, StateOp | WriteBackOp):
            raise Refusal("state", STATE)
        if b.op.written() and not b.op.IS_OPAQUE and b.kind not in UNWRITTEN:
            raise Refusal("mutation", MUTATION)
        if (kept := self.kept.get(b.op)) is not None:
            raise Refusal("mutation", kept.reason.text.data)
        return self.build(b)


class ConvertAtenOp(_AtenPattern):
    """An aten op -> the onnx ops that the rule for its kind builds.

    `returned`: the values that the model returns to its caller.
    """

    def __init__(
        self,
        values: ModuleValues,
        kept: Mapping[Operation, Kept],
        returned: Collection[SSAValue],
        rule: Conversion,
        kinds: frozenset[str],
    ):
        super().__init__(values, kept)
        self.returned = returned
        self.rule = rule
        self.kinds = kinds

    @property
    def label(self) -> str:
        return f"ConvertAtenOp({self.rule.__name__.strip('_')})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, AtenOp) and not op.IS_OPAQUE and op.op_type in self.kinds

    def build(self, b: AtenBuilder) -> Sequence[SSAValue | None]:
        return b.results_of(self.rule, self.returned)


class ConvertAtenParam(_AtenPattern):
    """param -> initializer"""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, ParamOp)

    def build(self, b: AtenBuilder) -> Sequence[SSAValue | None]:
        op = b.op
        assert isinstance(op, ParamOp)
        check_types(op)
        new = InitializerOp(op.value_name(0), op.value, op.results[0].type, op.location)
        return [b.insert(new)]


class KeepUnconvertedAten(_AtenPattern):
    """An op without a conversion stays."""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, AtenOp) and not isinstance(op, InputOp)

    def build(self, b: AtenBuilder) -> Sequence[SSAValue | None]:
        if (reason := REASONS.get(b.kind) or REASONS.get(b.kind.partition(".")[0])) is not None:
            raise Refusal(*reason)
        if b.kind.startswith(COMPLEX_KINDS):
            raise Refusal("dtype", COMPLEX)
        check_types(b.op)
        raise Refusal("unsupported-op", f"{b.kind} has no conversion to onnx")
