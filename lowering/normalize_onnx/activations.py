"""Fuses activations that a model spells with several ops into one; silu becomes Sigmoid and Mul.

A product is compared as the set of its factors, so that the order in which a model multiplies, and whether
it multiplies or divides by a constant, does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, pi, sqrt

import numpy as np
from xdsl.dialects.builtin import AnyFloat, f32
from xdsl.ir import OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import (
    AddOp,
    ClipOp,
    ConvOp,
    ConvTransposeOp,
    DepthToSpaceOp,
    DivOp,
    EluOp,
    FlattenOp,
    GeluOp,
    GemmOp,
    HardSigmoidOp,
    HardSwishOp,
    LeakyReluOp,
    MatMulOp,
    MishOp,
    MulOp,
    PReluOp,
    ReluOp,
    ReshapeOp,
    SigmoidOp,
    SoftplusOp,
    SpaceToDepthOp,
    SqueezeOp,
    SwishOp,
    TanhOp,
    TransposeOp,
    UnsqueezeOp,
)
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.building import ModuleValues, OnnxPattern, OnnxReplacement
from autosplit.lowering.rewriting import located, why

TOLERANCE = 1e-4
"""Constants may differ by this, relatively: models write 0.7978846, 0.044715 or 1.4142 for what they mean."""


@dataclass
class _Product:
    """A product: a number, its factors with repetition, and the ops that compute it."""

    number: float = 1.0
    values: list[SSAValue] = field(default_factory=list[SSAValue])
    ops: list[OnnxOp] = field(default_factory=list[OnnxOp])


class FuseActivation(OnnxPattern[MulOp | DivOp]):
    """`x * gate(x)` `->` Gelu, HardSwish or Mish of `x`, where a model spells one out.

    Refused if something else reads what is inside.
    """

    def rewrite(self, op: MulOp | DivOp, rewriter: PatternRewriter, /) -> None:
        product = _product(self.values, op)
        if len(product.values) != 2:
            return
        for x, gate in (product.values, product.values[::-1]):
            producer = _made_by(gate)
            if producer is None or not _is_alike(x, op.results[0]):
                continue
            activation = (
                _gelu(self.values, product, x, producer)
                or _hard_swish(self.values, product, x, producer)
                or _mish(product, x, producer)
            )
            if activation is None:
                continue
            kind, fields, inner_ops = activation
            if not _only_in(gate, product.ops):
                why(op, f"something else reads what is inside of the {kind}")
                continue
            e = self.replacement(op, rewriter)
            fused = e.replace([x], op_type=kind, drop=tuple(op.fields), add=fields)
            located(fused, *reversed(inner_ops), *reversed(product.ops), fused)
            return
        why(op, "it is not a activation")


_Found = tuple[str, dict[str, object], list[OnnxOp]]


def _gelu(values: ModuleValues, product: _Product, x: SSAValue, gate: OnnxOp) -> _Found | None:
    """0.5 * x * (1 + erf(x / sqrt 2)), and the same with tanh."""
    if gate.op_type != "Add" or not _is_close(product.number, 0.5):
        return None
    if (erf_value := _plus(values, gate, 1.0)) is None or (curve := _made_by(erf_value)) is None:
        return None
    if not _only_in(erf_value, [gate]) or curve.op_type not in ("Erf", "Tanh"):
        return None
    argument = _product_of(values, curve.operands[0], [curve])
    if argument is None:
        return None
    if curve.op_type == "Erf":
        good = argument.values == [x] and _is_close(argument.number, sqrt(0.5))
        return ("Gelu", {}, [gate, curve, *argument.ops]) if good else None
    cubic = _cubic(values, argument, x)
    if cubic is None:
        return None
    return "Gelu", {"approximate": "tanh"}, [gate, curve, *argument.ops, *cubic]


def _cubic(values: ModuleValues, argument: _Product, x: SSAValue) -> list[OnnxOp] | None:
    """The ops of sqrt(2 / pi) * (x + 0.044715 x^3), or of the same with x outside the brackets."""
    if not _is_close(argument.number, sqrt(2 / pi)):
        return None
    outside = argument.values.count(x)
    terms = [v for v in argument.values if v is not x]
    if (
        outside > 1
        or len(terms) != 1
        or (sum_ := _made_by(terms[0])) is None
        or sum_.op_type != "Add"
    ):
        return None
    if not _only_in(terms[0], argument.ops):
        return None
    if outside:
        term = _plus(values, sum_, 1.0)
    else:
        left, right = sum_.operands
        term = right if left is x else left if right is x else None
    power = None if term is None else _product_of(values, term, [sum_])
    if power is None or not _is_close(power.number, 0.044715):
        return None
    good = power.values == [x] * (3 - outside)
    return [sum_, *power.ops] if good else None


def _hard_swish(
    values: ModuleValues, product: _Product, x: SSAValue, gate: OnnxOp
) -> _Found | None:
    """x * clip(x + 3, 0, 6) / 6, and x * HardSigmoid(x) with its slope of 1/6."""
    if gate.op_type == "HardSigmoid":
        good = (
            gate.operands[0] is x
            and _is_close(product.number, 1.0)
            and _is_close(attribute(gate, "alpha", 0.2), 1 / 6)
            and _is_close(attribute(gate, "beta", 0.5), 0.5)
        )
        return ("HardSwish", {}, [gate]) if good else None
    if gate.op_type != "Clip" or not _is_close(product.number, 1 / 6):
        return None
    bounds = [None if v is None else values.array(v) for v in gate.inputs[1:]]
    if [None if b is None or b.size != 1 else float(b.reshape(-1)[0]) for b in bounds] != [0, 6]:
        return None
    sum_ = _made_by(gate.operands[0])
    if sum_ is None or sum_.op_type != "Add" or not _only_in(gate.operands[0], [gate]):
        return None
    return ("HardSwish", {}, [gate, sum_]) if _plus(values, sum_, 3.0) is x else None


def _mish(product: _Product, x: SSAValue, gate: OnnxOp) -> _Found | None:
    """x * tanh(softplus(x))."""
    if gate.op_type != "Tanh" or not _is_close(product.number, 1.0):
        return None
    soft = _made_by(gate.operands[0])
    if soft is None or soft.op_type != "Softplus" or not _only_in(gate.operands[0], [gate]):
        return None
    return ("Mish", {}, [gate, soft]) if soft.operands[0] is x else None


class SplitSwish(OnnxPattern[SwishOp]):
    """`swish(x) -> x * sigmoid(alpha * x)`: opset 21 does not have it."""

    def rewrite(self, op: SwishOp, rewriter: PatternRewriter, /) -> None:
        e = self.replacement(op, rewriter)
        x = op.operands[0]
        alpha = float(attribute(op, "alpha", 1.0))
        scaled = x
        if alpha != 1.0:
            number = e.constant("alpha", np.array([alpha], np.float32))
            scaled = e.node("scaled", "Mul", [x, number], type=x.type)
        gate = e.node("gate", "Sigmoid", [scaled], type=x.type)
        e.replace([x, gate], op_type="Mul", drop=("alpha",))


# Reading products


def _made_by(value: SSAValue) -> OnnxOp | None:
    """The producer of a value, if it is a standard ONNX op."""
    if not isinstance(value, OpResult) or not isinstance(op := value.op, OnnxOp):
        return None
    return op if op.domain == "" else None


def _is_alike(x: SSAValue, result: SSAValue) -> bool:
    """Whether a result is of floats, and of the shape of `x`, which a constant of higher rank changes."""
    element = element_type(x.type)
    return (
        isinstance(element, AnyFloat)
        and element == element_type(result.type)
        and shape_of(x.type) == shape_of(result.type)
    )


def _only_in(value: SSAValue, ops: list[OnnxOp]) -> bool:
    """Whether `ops` are the only users of a value, so that it may vanish with them."""
    return all(use.operation in ops for use in value.uses)


def _product_of(values: ModuleValues, value: SSAValue, users: list[OnnxOp]) -> _Product | None:
    """The product that computes a value, if `users` are its only users; else None."""
    op = _made_by(value)
    if op is None or op.op_type not in ("Mul", "Div", "Pow"):
        return _Product(values=[value])
    return _product(values, op) if _only_in(value, users) else None


def _product(values: ModuleValues, op: OnnxOp) -> _Product:
    """The factors of a product, including those of inner products without other users."""
    product = _Product(ops=[op])
    divides = op.op_type == "Div"
    if op.op_type == "Pow":
        exponent = _number(values, op.operands[1])
        if exponent in (2.0, 3.0):
            product.values += [op.operands[0]] * int(exponent)
        else:
            product.values.append(op.results[0])
        return product
    for index, value in enumerate(op.operands):
        number = _number(values, value)
        if number is not None and not (divides and (index == 0 or number == 0)):
            product.number = product.number / number if divides else product.number * number
            continue
        inner = _made_by(value)
        if divides and index == 1:
            # A division by a value is not a product.
            return _Product(values=[op.results[0]], ops=[op])
        if inner is not None and inner.op_type in ("Mul", "Div", "Pow") and _only_in(value, [op]):
            factor = _product(values, inner)
            product.number *= factor.number
            product.values += factor.values
            product.ops += factor.ops
        else:
            product.values.append(value)
    return product


def _plus(values: ModuleValues, op: OnnxOp, addend: float) -> SSAValue | None:
    """The value that an Add adds the number `addend` to."""
    left, right = op.operands
    for value, constant in ((left, right), (right, left)):
        number = _number(values, constant)
        if number is not None and _is_close(number, addend):
            return value
    return None


def _number(values: ModuleValues, value: SSAValue) -> float | None:
    """The number that a constant of one element is."""
    array = values.array(value)
    if array is None or array.size != 1 or array.dtype.kind not in "fiu":
        return None
    return float(array.reshape(-1)[0])


def _is_close(number: float, expected: float) -> bool:
    return abs(number - expected) <= TOLERANCE * abs(expected)


class SharedSlope(OnnxPattern[PReluOp]):
    """`PRelu(x, slope) -> LeakyRelu(x)` where all elements have the same slope, and it is not negative."""

    def rewrite(self, op: PReluOp, rewriter: PatternRewriter, /) -> None:
        slopes = self.values.array(op.operands[1])
        if slopes is None or slopes.size != 1 or element_type(op.results[0].type) != f32:
            why(op, "its slopes are computed, or those of channels")
            return
        alpha = float(slopes.reshape(-1)[0])
        if not 0 <= alpha < inf or shape_of(op.results[0].type) != shape_of(op.operands[0].type):
            why(op, "its slope is negative, no number, or of a larger shape")
            return
        e = self.replacement(op, rewriter)
        e.replace([op.operands[0]], op_type="LeakyRelu", add={"alpha": alpha})


Activation = (
    ClipOp
    | EluOp
    | GeluOp
    | HardSigmoidOp
    | HardSwishOp
    | LeakyReluOp
    | MishOp
    | ReluOp
    | SigmoidOp
    | SoftplusOp
    | TanhOp
)

SHUFFLES = (DepthToSpaceOp, SpaceToDepthOp)

MOVES = (*SHUFFLES, FlattenOp, ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp)

PRODUCTS = (AddOp, ConvOp, ConvTransposeOp, GemmOp, MatMulOp)
"""With the sums behind products: of their biases, and of residuals."""


class ActivationFirst(OnnxPattern[Activation]):
    """`f(move(x)) -> move(f(x))` for an activation of a product that is moved: then it is beside the product.

    `f` may be `y * sigmoid(y)` too. In front of what moves pixels whatever they are of, as there may be casts
    in between. Refused if something else reads what is moved.
    """

    def rewrite(self, op: Activation, rewriter: PatternRewriter, /) -> None:
        moved = op.operands[0]
        move = moved.owner
        if not isinstance(move, MOVES) or not (isinstance(move, SHUFFLES) or _is_of_product(move)):
            return
        gate = None if moved.has_one_use() else silu_of(op)
        if gate is None and not moved.has_one_use():
            why(op, "something else reads the elements that it reads")
            return
        source, *others = move.operands
        e = self.replacement(gate or op, rewriter)
        first = self._moved(e, "first", op, [source, *op.inputs[1:]])
        if gate is not None:
            first = self._moved(e, "gated", gate, [source, first])
        activated = e.put(
            move.op_type,
            [first, *others],
            dict(move.fields),
            names=(gate or op).output_names,
            types=[(gate or op).results[0].type],
            node_name=move.node_name.data,
        )
        located(activated, move)
        if gate is not None:
            rewriter.erase(op)
        rewriter.erase(move)

    def _moved(
        self, e: OnnxReplacement, role: str, op: OnnxOp, inputs: Sequence[SSAValue | None]
    ) -> SSAValue:
        """The op in front of the move, which keeps its name and its place in the model."""
        assert inputs[0] is not None
        moved = make_node(
            op.op_type,
            inputs,
            [e.fresh(role)],
            attributes=op.fields,
            result_types=[inputs[0].type],
            node_name=op.node_name.data,
            location=op.location,
        )
        return e.insert(moved)


def _is_of_product(move: OnnxOp) -> bool:
    """Whether what is moved, in one move or several, is a product or a sum."""
    owner = move.operands[0].owner
    while isinstance(owner, MOVES):
        owner = owner.operands[0].owner
    return isinstance(owner, PRODUCTS)


def silu_of(op: OnnxOp) -> MulOp | None:
    """The Mul of `y * sigmoid(y)` for the sigmoid, where these two alone read `y`."""
    if not isinstance(op, SigmoidOp):
        return None
    y, activated = op.operands[0], op.results[0]
    users = {use.operation for use in (*y.uses, *activated.uses)} - {op}
    mul = users.pop() if len(users) == 1 else None
    # Each once, or it is a square of one.
    return mul if isinstance(mul, MulOp) and {*mul.operands} == {y, activated} else None
