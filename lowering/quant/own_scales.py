"""quant-own-scales: the scales that a quantized model brings, for a chip that computes in INT8.

A chip has no QuantizeLinear and DequantizeLinear: it gets the range of each value, and stores the value as
integers of that range. So the pairs of a model become such ranges, and the rest computes real numbers. If a
pair is cut and its integers cross the border of a sub-model, the border records what they represent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.dtypes import dtype_of
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import GraphOp, OnnxOp, ReturnOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import QuantizeLinearOp
from autosplit.dialects.platform import (
    free_name,
    platform_graph,
    set_type,
    shape_of,
    value_name,
    value_names,
)
from autosplit.lowering.rewriting import Pattern, apply_to, why
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before

DEQUANTIZE = "DequantizeLinear"

BORDERS = "device.border_scales"
"""The attribute of a module with the scales of the integers that cross its border, by name."""
VALUES = "device.value_scales"
"""The attribute of a module with the scales of values inside it, by name."""


@dataclass(frozen=True)
class Scale:
    """The numbers that integers represent: `(integer - zero_point) * step`."""

    dtype: str
    """`int8` or `uint8`."""
    step: float
    zero_point: int

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number; alike on both sides of 0 where zero is in the middle.

        Then, or where 0 is at the lower end, a chip that is told this range counts in the same steps.
        """
        low = np.iinfo(self.dtype).min - self.zero_point
        high = np.iinfo(self.dtype).max - self.zero_point
        if low == -128:
            low = -127
        return low * self.step, high * self.step

    @property
    def chip_dtype(self) -> str:
        """The dtype of the same integers on a chip, where the zero point is 0; empty if there is none."""
        low = np.iinfo(self.dtype).min - self.zero_point
        return {-128: "int8", 0: "uint8"}.get(low, "")


def border_scales(module: ModuleOp) -> dict[str, Scale]:
    """The inputs and outputs of a model that were integers before `take_scales`."""
    return _scales_of(module.attributes.get(BORDERS))


def value_scales(module: ModuleOp) -> dict[str, Scale]:
    """The values that the model holds as integers, by the names of the real numbers they stand for."""
    return _scales_of(module.attributes.get(VALUES))


class TakenScales:
    """The scales that are taken from a model, and how its nodes are read."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.graph = platform_graph(module)
        self.constants = Constants(store_for(module))
        self.borders = border_scales(module)
        self.names = {name for op in module.walk() for name in value_names(op)}
        self.values = value_scales(module)

    def note(self) -> None:
        """Records them in the module."""
        for key, scales in ((BORDERS, self.borders), (VALUES, self.values)):
            if scales:
                self.module.attributes[key] = _scales_attr(scales)

    def scale(self, op: Operation) -> Scale | None:
        """The scale of a node of either kind, if it is a single scale for 8 bits."""
        if not isinstance(op, OnnxOp) or op.attribute("block_size", 0) != 0:
            return None
        _, step, zero = [*op.inputs, None, None][:3]
        steps = None if step is None else self.constants.array(step)
        zeros = None if zero is None else self.constants.array(zero)
        if steps is None or steps.size != 1 or steps.dtype != np.float32:
            return None
        if zero is not None and (zeros is None or zeros.size != 1):
            return None
        dtype = _stored(op) if zeros is None else zeros.dtype.name
        number = float(steps.reshape(-1)[0])
        if dtype not in ("int8", "uint8") or not 0 < number < np.inf:
            return None
        return Scale(dtype, number, 0 if zeros is None else int(zeros.reshape(-1)[0]))


class TakeInputs(Pattern[GraphOp]):
    """`graph(x) { dq(x) } -> graph(x) { x }`, where x is dequantized by one scale and not read else."""

    def __init__(self, state: TakenScales):
        self.state = state

    def rewrite(self, graph: GraphOp, rewriter: PatternRewriter, /) -> None:
        for name, value in graph.graph_inputs():
            users = [use.operation for use in value.uses]
            scales = {self.state.scale(op) if _reads(op, value) else None for op in users}
            scale = scales.pop() if len(scales) == 1 else None
            shape = shape_of(value.type)
            if scale is None or shape is None:
                continue
            for op in dict.fromkeys(users):
                rewriter.replace(op, [], [value])
            set_type(value, TensorType(f32, shape))
            self.state.borders[name] = self.state.values[name] = scale


class TakeQuantize(Pattern[QuantizeLinearOp]):
    """`dq(q(x)) -> x` or `relu(x)`, where the integers are only dequantized, or given away."""

    def __init__(self, state: TakenScales):
        self.state = state

    def rewrite(self, op: QuantizeLinearOp, rewriter: PatternRewriter, /) -> None:
        state, result, source = self.state, op.results[0], op.inputs[0]
        scale = state.scale(op)
        if source is None or scale is None or state.constants.is_constant(source):
            why(op, "its scale is computed, or it quantizes a constant")
            return
        users = list(dict.fromkeys(use.operation for use in result.uses))
        if not all(
            isinstance(r, ReturnOp) or (_reads(r, result) and state.scale(r) == scale)
            for r in users
        ):
            why(op, "something else than a dequantize of its scale reads the integers")
            return
        low, high = scale.bounds
        if high <= 0 or state.values.get(value_name(source), scale) != scale:
            why(op, "no integer is positive, or the value has another scale already")
            return
        if low == 0 and not _is_never_negative(source):
            source = self._relu(op, source, rewriter)
        state.values[value_name(source)] = scale
        for user in users:
            if not isinstance(user, ReturnOp):
                rewriter.replace(user, [], [source])
        for output, value in state.graph.graph_outputs():
            if value is result:
                state.borders[output] = scale
        rewriter.replace(op, [], [source])

    def _relu(self, op: OnnxOp, source: SSAValue, rewriter: PatternRewriter) -> SSAValue:
        """What integers whose least one stands for 0 leave of a value.

        Quantizers drop a Relu in front of such a node, which does the same. That a chip holds the value
        without a sign does not: BM1684 was measured to make rubbish of negative sums.
        """
        name = free_name(self.state.names, f"{op.output_names[0] or op.identity}__relu")
        relu = make_node("Relu", [source], [name], result_types=[source.type], location=op.location)
        rewriter.insert(relu)
        return relu.results[0]


NEVER_NEGATIVE = frozenset({"Abs", "Exp", "HardSigmoid", "Relu", "Sigmoid", "Softmax", "Sqrt"})
KEEPS_SIGN = frozenset({"Flatten", "MaxPool", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})


def _is_never_negative(value: SSAValue) -> bool:
    """Whether a value is seen to have no negative numbers."""
    while isinstance(op := value.owner, OnnxOp) and op.op_type in KEEPS_SIGN:
        value = op.operands[0]
    return isinstance(op, OnnxOp) and op.op_type in NEVER_NEGATIVE


def _stored(op: OnnxOp) -> str:
    """The type of a node's integers, where no zero point says it."""
    integers = op.operands[0] if op.op_type == DEQUANTIZE else op.results[0]
    dtype = dtype_of(integers.type)
    return "" if dtype is None else dtype.name


def _reads(op: Operation, value: SSAValue) -> bool:
    """Whether an op dequantizes a value."""
    return (
        isinstance(op, OnnxOp)
        and op.op_type == DEQUANTIZE
        and op.domain == ""
        and op.inputs[0] is value
        and sum(o is value for o in op.operands) == 1
    )


def _scales_attr(scales: Mapping[str, Scale]) -> DictionaryAttr:
    return DictionaryAttr(
        {
            name: ArrayAttr[Attribute](
                [StringAttr(s.dtype), FloatAttr(s.step, f64), IntegerAttr(s.zero_point, i64)]
            )
            for name, s in scales.items()
        }
    )


def _scales_of(attr: Attribute | None) -> dict[str, Scale]:
    return dict(_entries(attr)) if isinstance(attr, DictionaryAttr) else {}


def _entries(attr: DictionaryAttr) -> Iterator[tuple[str, Scale]]:
    for name, entry in attr.data.items():
        dtype, step, zero = cast("ArrayAttr[Attribute]", entry).data
        assert isinstance(dtype, StringAttr)
        assert isinstance(step, FloatAttr)
        assert isinstance(zero, IntegerAttr)
        yield name, Scale(dtype.data, float(step.value.data), zero.value.data)


def take_scales(module: ModuleOp) -> None:
    """Removes QuantizeLinear and DequantizeLinear from a model in canonical ONNX, and notes their scales.

    A pair goes where all that reads the integers dequantizes by the same scale, one for the whole tensor. A
    Relu stays of it where no integer stands for a negative number.
    Where integers are inputs or outputs of the model, these are real numbers afterwards. Nodes for which that
    does not hold stay. Without effect where there are none.
    """
    state = TakenScales(module)
    if isinstance(state.graph, GraphOp):
        ops = state.graph.body_ops()
        apply_to([state.graph], [TakeInputs(state)])
        apply_to(ops, [TakeQuantize(state)])
        state.note()


@dataclass(frozen=True)
class QuantOwnScalesPass(ModulePass):
    """No QuantizeLinear and DequantizeLinear that come in pairs of one scale are left; it is noted.

    `device.value_scales` says which values of a model in canonical ONNX are such integers on a chip, with the
    type, the step and the zero point; `device.border_scales` says it of inputs and outputs, which become real
    numbers. Nodes with other scales stay.
    """

    name = "quant-own-scales"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        take_scales(op)
