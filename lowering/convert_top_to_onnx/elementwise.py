"""Ways back of arithmetic, activations, comparisons and choices."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue

from autosplit.lowering.convert_top_to_onnx.base import BOOL, INT64, Back, Way, returns

SAME_NAME = (
    "Abs",
    "Ceil",
    "Cos",
    "Cosh",
    "Erf",
    "Exp",
    "Floor",
    "HardSwish",
    "Log",
    "Mish",
    "Round",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tan",
    "Tanh",
)
"""Kinds that ONNX has under the same name, with the operand as all that they need."""


def _unary(op_type: str) -> Way:
    return lambda b: b.finish(op_type, [b.x()])


for _kind in SAME_NAME:
    returns(_kind)(_unary(_kind))
returns("Arccos")(_unary("Acos"))
returns("Arctanh")(_unary("Atanh"))


# Arithmetic


@returns("Add", "Sub")
def add(b: Back) -> None:
    """Sums and differences, one operand after the other."""
    if any(factor != 1 for factor in b.op.numbers("coeff")):
        raise b.refusal("has factors, which the chips were measured to ignore")
    _chain(b, _forward(b), b.all())


def _forward(b: Back) -> str:
    """The kind of an op whose operands must be in order."""
    if "is_reverse" in b.op.SPEC.attrs and b.op.flag("is_reverse"):
        raise b.refusal("has is_reverse, which the chips were measured to ignore")
    return b.op.kind


def _chain(b: Back, op_type: str, terms: list[SSAValue]) -> None:
    """One node after the other: `(a + b) + c`."""
    if len(terms) == 1:
        b.finish("Identity", terms)
        return
    value = terms[0]
    for i, term in enumerate(terms[1:-1]):
        value = b.emit(op_type, [value, term], suffix=f"sum_{i}")
    b.finish(op_type, [value, terms[-1]])


@returns("Mul", "Max", "Min")
def mul(b: Back) -> None:
    """Products, largest and smallest of any number of operands."""
    _chain(b, b.op.kind, b.all())


@returns("Div")
def div(b: Back) -> None:
    b.finish(_forward(b), b.all())


def _with_constant(op_type: str) -> Way:
    return lambda b: b.finish(op_type, [b.x(), b.number(b.op.number("const_val"), "constant")])


for _kind in ("Add", "Mul", "Max", "Min"):
    returns(f"{_kind}Const")(_with_constant(_kind))


@returns("SubConst")
def sub_constant(b: Back) -> None:
    operands = [b.x(), b.number(b.op.number("const_val"), "constant")]
    if b.op.flag("is_reverse"):
        operands.reverse()
    b.finish("Sub", operands)


@returns("DivConst")
def div_constant(b: Back) -> None:
    _forward(b)
    b.finish("Div", [b.x(), b.number(b.op.number("const_val"), "constant")])


@returns("Reciprocal")
def reciprocal(b: Back) -> None:
    if b.op.number("const_val") == 1:
        b.finish("Reciprocal", [b.x()])
    else:
        b.finish("Div", [b.number(b.op.number("const_val"), "constant"), b.x()])


@returns("Rsqrt")
def rsqrt(b: Back) -> None:
    b.finish("Reciprocal", [b.emit("Sqrt", [b.x()], suffix="root")])


@returns("Pow")
def power(b: Back) -> None:
    b.finish("Pow", [b.x(), b.number(b.op.number("exponent"), "exponent")])


@returns("Pow2")
def exponential(b: Back) -> None:
    b.finish("Pow", [b.number(b.op.number("const_val"), "base"), b.x()])


@returns("Pow3")
def computed_power(b: Back) -> None:
    b.finish("Pow", [b.x(0), b.x(1)])


@returns("Mod", "Remainder")
def mod(b: Back) -> None:
    """The remainder with the sign of the divisor, as Python's."""
    a, d = b.x(0), b.x(1)
    quotient = b.emit("Floor", [b.emit("Div", [a, d], suffix="ratio")], suffix="quotient")
    b.finish("Sub", [a, b.emit("Mul", [quotient, d], suffix="whole")])


@returns("LogB")
def log_to_base(b: Back) -> None:
    log = b.emit("Log", [b.x()], suffix="log")
    b.finish("Div", [log, b.number(float(np.log(b.op.integer("base"))), "base")])


@returns("Cast")
def cast(b: Back) -> None:
    """Every tensor is f32: a cast to integers rounds, any other changes nothing."""
    to = b.op.text("to").upper()
    if to.startswith(("INT", "UINT", "SI", "UI")):
        b.finish_as_float(b.cast(b.x(), INT64))
    elif to == "BOOL":
        b.finish_as_float(b.truth(0))
    else:
        b.finish("Identity", [b.x()])


@returns("Copy", "RandnLike")
def copy(b: Back) -> None:
    if b.op.kind == "RandnLike":
        b.finish("Identity", [b.x(1)])
        return
    if b.op.ints("input_stride") != b.op.ints("output_stride"):
        raise b.refusal("copies between different strides")
    b.finish("Identity", [b.x()])


# Activations


@returns("Relu")
def relu(b: Back) -> None:
    if (limit := b.op.number("relu_limit")) > 0:
        b.finish("Clip", [b.x(), b.number(0.0, "low"), b.number(limit, "high")])
    else:
        b.finish("Relu", [b.x()])


@returns("Clip")
def clip(b: Back) -> None:
    b.finish(
        "Clip", [b.x(), b.number(b.op.number("min"), "low"), b.number(b.op.number("max"), "high")]
    )


@returns("LeakyRelu", "Elu")
def leaky_relu(b: Back) -> None:
    b.finish(b.op.kind, [b.x()], {"alpha": b.op.number("alpha")})


@returns("HardSigmoid")
def hard_sigmoid(b: Back) -> None:
    fields = {"alpha": b.op.number("alpha"), "beta": b.op.number("beta")}
    b.finish("HardSigmoid", [b.x()], fields)


@returns("PRelu")
def prelu(b: Back) -> None:
    """Slopes by channel; a list of them stands for dimension 1."""
    slope, rank = b.x(1), len(b.shape())
    if len(b.shape(1)) == 1 and rank > 2:
        slope = b.reshape(slope, [-1] + [1] * (rank - 2), "slope")
    b.finish("PRelu", [b.x(), slope])


@returns("Sigmoid")
def sigmoid(b: Back) -> None:
    """`scale * sigmoid(x) + bias`, or the logarithm of the sigmoid."""
    scale, bias = b.op.number("scale"), b.op.number("bias")
    if b.op.flag("log"):
        b.finish("Log", [b.emit("Sigmoid", [b.x()], suffix="sigmoid")])
        return
    if scale == 1 and bias == 0:
        b.finish("Sigmoid", [b.x()])
        return
    value = b.emit("Sigmoid", [b.x()], suffix="sigmoid")
    scaled = b.emit("Mul", [value, b.number(scale, "scale")], suffix="scaled")
    b.finish("Add", [scaled, b.number(bias, "bias")])


@returns("SiLU")
def silu(b: Back) -> None:
    b.finish("Mul", [b.x(), b.emit("Sigmoid", [b.x()], suffix="gate")])


@returns("Swish")
def swish(b: Back) -> None:
    _gated(b, b.op.number("beta"))


def _gated(b: Back, factor: float) -> None:
    """`x * sigmoid(factor * x)`."""
    scaled = b.emit("Mul", [b.x(), b.number(factor, "factor")], suffix="scaled")
    b.finish("Mul", [b.x(), b.emit("Sigmoid", [scaled], suffix="gate")])


@returns("GELU")
def gelu(b: Back) -> None:
    mode = b.op.text("approx_mode")
    if mode == "sigm":
        _gated(b, 1.702)
    else:
        b.finish("Gelu", [b.x()], {"approximate": "tanh"} if mode == "tanh" else {})


# Comparisons and choices

COMPARISONS = {
    "Equal": "Equal",
    "Greater": "Greater",
    "GreaterOrEqual": "GreaterOrEqual",
    "Less": "Less",
    "LessOrEqual": "LessOrEqual",
    "And": "And",
    "Xor": "Xor",
}
LOGICAL = ("And", "Xor")


def _compare(b: Back, mode: str, left: SSAValue, right: SSAValue) -> None:
    if mode in LOGICAL:
        left, right = b.cast(left, BOOL), b.cast(right, BOOL)
    type = TensorType(i1, b.result_shape())
    result = b.emit(COMPARISONS.get(mode, "Equal"), [left, right], suffix="holds", type=type)
    if mode == "NotEqual":
        result = b.emit("Not", [result], suffix="differs", type=type)
    b.finish_as_float(result)


@returns("Compare")
def compare(b: Back) -> None:
    """1 where it holds, 0 elsewhere."""
    if b.op.text("mode") == "Not":
        _not(b)
    else:
        _compare(b, b.op.text("mode"), b.x(0), b.x(1))


@returns("CompareConst")
def compare_constant(b: Back) -> None:
    mode, constant = b.op.text("mode"), b.number(b.op.number("const_val"), "constant")
    if mode == "Not":
        _not(b)
    elif b.op.flag("inversed"):
        _compare(b, mode, constant, b.x())
    else:
        _compare(b, mode, b.x(), constant)


def _not(b: Back) -> None:
    type = TensorType(i1, b.result_shape())
    b.finish_as_float(b.emit("Not", [b.truth(0)], suffix="not", type=type))


@returns("LogicalAnd")
def logical_and(b: Back) -> None:
    _compare(b, "And", b.x(0), b.x(1))


@returns("Where")
def where(b: Back) -> None:
    """The second operand where the first is not 0, else the third; either may be a number."""
    branches = [
        b.number(b.op.number(f"{s}_const_val"), f"{s}_value")
        if b.op.flag(f"{s}_is_const")
        else b.x(i)
        for i, s in ((1, "x"), (2, "y"))
    ]
    b.finish("Where", [b.truth(0), *branches])


@returns("MaskedFill")
def masked_fill(b: Back) -> None:
    """A number where the first operand is not 0, else the second operand: what chips do with `inversed`."""
    if not b.op.flag("inversed"):
        raise b.refusal("is not inversed, of which the chips were measured to think differently")
    b.finish("Where", [b.truth(0), b.number(b.op.number("const_val"), "value"), b.x(1)])


@returns("ConstantFill")
def constant_fill(b: Back) -> None:
    shape = b.ints(b.result_shape(), "shape") if b.is_static() else b.positions(0)
    b.finish("Expand", [b.number(b.op.number("value"), "value"), shape])
