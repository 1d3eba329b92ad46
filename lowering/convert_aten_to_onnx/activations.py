"""Activations and softmax; dropout, which does nothing outside training."""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, converts
from autosplit.lowering.convert_aten_to_onnx.movement import split_evenly
from autosplit.lowering.shared.refusal import Refusal


@converts("gelu")
def _gelu(b: AtenBuilder) -> SSAValue:
    """gelu(x) -> gelu(x), with the same approximation"""
    return b.apply("Gelu", b.x, approximate=b.text("approximate") or "none")


@converts("hardtanh", "relu6")
def _hardtanh(b: AtenBuilder) -> SSAValue:
    """hardtanh(x) -> clip(x, min_val, max_val), relu6(x) -> clip(x, 0, 6)"""
    low, high = (0, 6) if b.kind == "relu6" else (b.real("min_val"), b.real("max_val"))
    return b.apply("Clip", b.x, b.filled(low, b.out, "min"), b.filled(high, b.out, "max"))


@converts("hardsigmoid")
def _hardsigmoid(b: AtenBuilder) -> SSAValue:
    """hardsigmoid(x) -> hard_sigmoid(x, 1/6, 1/2)"""
    return b.apply("HardSigmoid", b.x, alpha=1 / 6, beta=0.5)


@converts("hardswish")
def _hardswish(b: AtenBuilder) -> SSAValue:
    """hardswish(x) -> hard_swish(x)"""
    return b.apply("HardSwish", b.x)


@converts("silu")
def _silu(b: AtenBuilder) -> SSAValue:
    """silu(x) -> mul(x, sigmoid(x))"""
    return b.apply("Mul", b.x, b.apply("Sigmoid", b.x))


@converts("leaky_relu")
def _leaky_relu(b: AtenBuilder) -> SSAValue:
    """leaky_relu(x) -> leaky_relu(x)"""
    return b.apply("LeakyRelu", b.x, alpha=float(b.real("negative_slope")))


@converts("celu")
def _celu(b: AtenBuilder) -> SSAValue:
    """celu(x) -> celu(x)"""
    return b.apply("Celu", b.x, alpha=float(b.real("alpha")))


@converts("elu")
def _elu(b: AtenBuilder) -> SSAValue:
    """elu(x) -> mul(elu(x), scale), or mul(where(x > 0, x, alpha * (exp(x * input_scale) - 1)), scale)"""
    alpha, scale, inner = (float(b.real(n)) for n in ("alpha", "scale", "input_scale"))
    if inner == 1:
        result = b.apply("Elu", b.x, alpha=alpha)
    elif inner * alpha == 1:
        result = b.apply("Celu", b.x, alpha=alpha)
    else:
        grown = b.apply("Exp", b.apply("Mul", b.x, b.filled(inner, b.out)))
        below = b.apply("Sub", grown, b.filled(1, b.out, "one"))
        bent = b.apply("Mul", below, b.filled(alpha, b.out, "alpha"))
        above = b.apply("Greater", b.x, b.filled(0, b.out, "zero"))
        result = b.apply("Where", above, b.x, bent)
    return result if scale == 1 else b.apply("Mul", result, b.filled(scale, b.out, "scale"))


@converts("log_sigmoid")
def _log_sigmoid(b: AtenBuilder) -> SSAValue:
    """log_sigmoid(x) -> neg(softplus(neg(x)))"""
    return b.apply("Neg", b.apply("Softplus", b.apply("Neg", b.x)))


@converts("selu")
def _selu(b: AtenBuilder) -> SSAValue:
    """selu(x) -> selu(x)"""
    return b.apply("Selu", b.x)


@converts("softplus")
def _softplus(b: AtenBuilder) -> SSAValue:
    """softplus(x) -> softplus(x), or where(x * beta > threshold, x, softplus(x * beta) / beta)"""
    beta = b.filled(b.real("beta"), b.out, "beta")
    scaled = b.x if b.real("beta") == 1 else b.apply("Mul", b.x, beta)
    soft = b.apply("Softplus", scaled)
    soft = soft if b.real("beta") == 1 else b.apply("Div", soft, beta)
    if float(b.real("threshold")) >= 20 and b.out == f32:
        # There f32 has no digits left for the difference.
        return soft
    far = b.apply("Greater", scaled, b.filled(b.real("threshold"), b.out, "threshold"))
    return b.apply("Where", far, b.x, soft)


@converts("prelu")
def _prelu(b: AtenBuilder) -> SSAValue:
    """prelu(x, w) -> p_relu(x, w), a slope for each channel"""
    weight, rank = b.tensor("weight"), b.rank(b.x)
    if b.rank(weight) == 1 and rank > 2:
        weight = b.unsqueeze(weight, range(1, rank - 1))
    return b.apply("PRelu", b.x, weight)


@converts("threshold")
def _threshold(b: AtenBuilder) -> SSAValue:
    """threshold(x) -> where(x <= threshold, value, x)"""
    low = b.apply("LessOrEqual", b.x, b.filled(b.real("threshold"), b.out, "threshold"))
    return b.apply("Where", low, b.filled(b.real("value"), b.out, "value"), b.x)


@converts("hardshrink", "softshrink")
def _shrink(b: AtenBuilder) -> SSAValue:
    """hardshrink(x) -> shrink(x), softshrink(x) -> shrink(x) with the bias"""
    lambd = float(b.real("lambd"))
    return b.apply("Shrink", b.x, lambd=lambd, bias=lambd if b.kind == "softshrink" else 0.0)


@converts("glu")
def _glu(b: AtenBuilder) -> SSAValue:
    """glu(x) -> mul(first half of x, sigmoid(second half of x))"""
    first, second = split_evenly(b, b.x, b.axis(b.x, b.integer("dim")), 2)
    return b.apply("Mul", first, b.apply("Sigmoid", second))


@converts("_log_softmax", "_softmax", "log_softmax.int", "softmax.int")
def _softmax(b: AtenBuilder) -> SSAValue:
    """softmax(x) -> softmax(x), log_softmax alike; of the element type of the result"""
    (x,) = b.floats("self")
    if b.rank(x) == 0:
        raise Refusal("rank", f"{b.kind} of a scalar")
    op_type = "LogSoftmax" if "log" in b.kind else "Softmax"
    return b.apply(op_type, x, axis=b.axis(x, b.integer("dim")))


@converts("dropout", "native_dropout")
def _dropout(b: AtenBuilder) -> list[SSAValue | None]:
    """dropout(x) -> x. Refused in training."""
    if b.flag("train") and float(b.real("p")) > 0:
        raise Refusal("random", "drops numbers at random: export the model in eval()")
    return [b.tensor("input")]
