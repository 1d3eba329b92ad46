"""The patterns of convert-tf-to-onnx: converting ops by their rules, and saying why an op stays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.onnx.ops import InitializerOp, tensor_attr
from autosplit.dialects.platform import LocalType, ProtoAttr, element_type, name_location
from autosplit.dialects.tf import ConstOp, StringType, TensorAttr, TfOp, constant_array
from autosplit.lowering.convert_tf_to_onnx.batch_space import Dilated
from autosplit.lowering.convert_tf_to_onnx.builder import Builder, Conversion
from autosplit.lowering.rewriting import Pattern
from autosplit.lowering.shared.refusal import Refusal, refuse

REASONS = {
    "Assert": ("host-op", "stops the run where a condition does not hold, which only the CPU can"),
    "CheckNumerics": ("host-op", "stops the run at infinities, which only the CPU can"),
    "CropAndResize": ("unsupported-op", "no ONNX op samples boxes as CropAndResize does"),
    "If": ("control-flow", "chooses a function to run"),
    "NoOp": ("host-op", "computes nothing, it only orders other nodes"),
    "PartitionedCall": ("control-flow", "calls a function of the graph's library"),
    "Print": ("host-op", "prints, which only the CPU can"),
    "ResizeArea": ("unsupported-op", "no mode of ONNX's Resize averages areas"),
    "ResizeBicubic": ("not-exact", "TensorFlow rounds the weights of the cubic to a table of 1024"),
    "StatefulPartitionedCall": ("control-flow", "calls a function of the graph's library"),
    "StatelessIf": ("control-flow", "chooses a function to run"),
    "StatelessWhile": ("control-flow", "repeats a function"),
    "While": ("control-flow", "repeats a function"),
}
"""Why ops have no conversion, for ops with a more specific reason than that."""


class _TfPattern(Pattern[TfOp]):
    """A tf op -> onnx ops; where `build` raises Refusal it stays, with the reason as `device.refused`."""

    def __init__(self, builder: Builder):
        self.builder = builder

    def nodes(self, op: TfOp) -> Sequence[TfOp]:
        """The ops that the new ones replace, `op` last; none if the pattern does not apply."""
        return (op,)

    @abstractmethod
    def build(self, op: TfOp) -> list[SSAValue | None]:
        """The values that replace the op's results, one for each data output."""

    def rewrite(self, op: TfOp, rewriter: PatternRewriter, /) -> None:
        nodes = self.nodes(op)
        if not nodes:
            return
        self.builder.start(op)
        try:
            values = self.build(op)
        except Refusal as refusal:
            self.builder.discard()
            for node in nodes:
                refuse(node, refusal, rewriter)
            return
        rewriter.insert(self.builder.created)
        replace_node(op, values, rewriter)
        for node in reversed(nodes[:-1]):
            rewriter.erase(node)


class ConvertOp(_TfPattern):
    """A tf op -> the onnx ops that the rule for its types builds."""

    def __init__(self, builder: Builder, rule: Conversion, op_types: frozenset[str]):
        super().__init__(builder)
        self.rule = rule
        self.op_types = op_types

    @property
    def label(self) -> str:
        return f"ConvertOp({self.rule.__name__.strip('_')})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, TfOp) and op.op_type in self.op_types

    def build(self, op: TfOp) -> list[SSAValue | None]:
        _check_types(op)
        try:
            values = self.builder.finish(self.rule(self.builder))
        except (ValueError, IndexError, ZeroDivisionError) as error:
            text = f"operands and attributes do not fit each other: {error}"
            raise Refusal("malformed-op", text) from error
        outputs = op.outputs
        values += [None] * (len(outputs) - len(values))
        for old, new in zip(outputs, values, strict=True):
            if new is None and old.first_use is not None:
                raise Refusal("unsupported-op", f"output {old.index} of {op.op_type} is used")
        return values


class ConvertConst(_TfPattern):
    """const -> initializer"""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, ConstOp)

    def build(self, op: TfOp) -> list[SSAValue | None]:
        _check_types(op)
        assert isinstance(op, ConstOp)
        value = op.value
        if isinstance(value, TensorAttr):
            value = value.value
        elif isinstance(value, ProtoAttr):
            array = constant_array(op.results[0], None)
            if array is None:
                raise Refusal("dtype", "the constant holds what is not a tensor of numbers")
            value = tensor_attr(array)
        name, location = op.value_name(0), self.builder.location
        new = InitializerOp(name, value, op.results[0].type, location)
        self.builder.created.append(new)
        return [new.results[0]]


class ConvertDilated(_TfPattern):
    """batch_to_space(conv2d(space_to_batch(x, block), w), block) -> conv(x, w, dilations=block)"""

    def __init__(self, builder: Builder, dilated: Mapping[TfOp, Dilated]):
        super().__init__(builder)
        self.dilated = dilated

    def takes(self, op: Operation) -> bool:
        return isinstance(op, TfOp) and op.op_type == "BatchToSpaceND"

    def nodes(self, op: TfOp) -> Sequence[TfOp]:
        return self.dilated[op].ops if op in self.dilated else ()

    def build(self, op: TfOp) -> list[SSAValue | None]:
        dilated = self.dilated[op]
        self.builder.location = name_location(o.identity for o in dilated.ops)
        return self.builder.finish(dilated.build(self.builder))


class KeepWhole(Pattern[TfOp]):
    """An op inside a loop or a conditional stays: TensorFlow runs these as a whole."""

    def __init__(self, places: Mapping[TfOp, str]):
        self.places = places

    def takes(self, op: Operation) -> bool:
        return bool(self.places) and isinstance(op, TfOp)

    def rewrite(self, op: TfOp, rewriter: PatternRewriter, /) -> None:
        if (place := self.places.get(op)) is not None:
            text = f"in the {place}, which TensorFlow runs as a whole"
            refuse(op, Refusal("control-flow", text), rewriter)


class KeepUnconverted(_TfPattern):
    """An op without a conversion stays."""

    def build(self, op: TfOp) -> list[SSAValue | None]:
        if (reason := REASONS.get(op.op_type)) is not None:
            kept = op.attributes.get("tf.kept")
            why_kept = f", {kept.data}" if isinstance(kept, StringAttr) else ""
            raise Refusal(reason[0], reason[1] + why_kept)
        _check_types(op)
        raise Refusal("unsupported-op", f"{op.op_type} has no conversion to onnx")


def replace_node(
    op: TfOp,
    values: Sequence[SSAValue | None],
    rewriter: PatternRewriter,
    done: SSAValue | None = None,
) -> None:
    """Replaces a node by other values. Ops that only waited for it wait for `done`, if that is given."""
    for old, new in zip(op.outputs, values, strict=True):
        if new is not None:
            rewriter.replace_all_uses_with(old, new)
    if (waited := op.done) is not None:
        if done is not None:
            rewriter.replace_all_uses_with(waited, done)
        for user in dict.fromkeys(use.operation for use in waited.uses):
            user.operands = [v for v in user.operands if v is not waited]
            rewriter.notify_op_modified(user)
    rewriter.erase(op)


def _check_types(op: TfOp) -> None:
    """Refuses what no ONNX op can take: handles, strings, and element types without numbers."""
    for what, values in (("operand", op.inputs), ("result", op.outputs)):
        for i, value in enumerate(values):
            if (problem := _type_problem(value.type)) is not None:
                raise Refusal("dtype", f"{what} {i} is {problem}")


@lru_cache(maxsize=4096)
def _type_problem(type: Attribute) -> str | None:
    if isinstance(type, LocalType):
        return f"a handle ({type}), which stays on the CPU"
    element = element_type(type)
    if isinstance(element, StringType):
        return "of strings, expected numbers"
    if element is not None and dtype_of(element) is None:
        return f"of {element}, which ONNX ops do not take"
    return None
