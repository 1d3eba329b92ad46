"""Ops of ONNX Runtime's own on real numbers, as ops of ONNX: its optimizer writes them into models.

ONNX Runtime fuses them again in what is left to it. Attention and embeddings stay: what ONNX would say in
twenty ops, the library does not run faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.platform import shape_of
from autosplit.lowering.building import OnnxPattern, OnnxReplacement
from autosplit.lowering.rewriting import why

DOMAIN = "com.microsoft"

Expansion = Callable[[OnnxReplacement, OnnxOp], "str | None"]
"""Puts ops of ONNX in the place of one; text says why not, and nothing has changed then."""


class ExpandRuntimeOp(OnnxPattern[OnnxOp]):
    """`FusedConv(x, w)`, `BiasGelu(x, b)`, ... `-> Relu(Conv(x, w))`, `Gelu(Add(x, b))`, ..."""

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and op.domain == DOMAIN and op.op_type in EXPANSIONS

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        e = self.replacement(op, rewriter)
        if (reason := EXPANSIONS[op.op_type](e, op)) is not None:
            why(op, reason)


def _gelu(e: OnnxReplacement, op: OnnxOp) -> None:
    e.replace([op.operands[0]], op_type="Gelu")


def _bias_gelu(e: OnnxReplacement, op: OnnxOp) -> None:
    e.replace([_sum(e, op.operands[0], op.operands[1])], op_type="Gelu")


def _fast_gelu(e: OnnxReplacement, op: OnnxOp) -> None:
    x = _sum(e, op.operands[0], operand(op, 1))
    e.replace([x], op_type="Gelu", add={"approximate": "tanh"})


def _sum(e: OnnxReplacement, x: SSAValue, bias: SSAValue | None) -> SSAValue:
    return x if bias is None else e.node("biased", "Add", [x, bias], type=x.type)


def _quick_gelu(e: OnnxReplacement, op: OnnxOp) -> None:
    """x * sigmoid(alpha * x)."""
    x = op.operands[0]
    alpha, scaled = float(attribute(op, "alpha", 1.702)), x
    if alpha != 1:
        scaled = e.node("scaled", "Mul", [x, e.number("alpha", alpha, x)], type=x.type)
    gate = e.node("gate", "Sigmoid", [scaled], type=x.type)
    e.replace([x, gate], op_type="Mul", drop=("alpha",))


ACTIVATIONS: dict[str, tuple[str, ...]] = {
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "Relu": (),
    "Sigmoid": (),
    "Softplus": (),
    "Softsign": (),
    "Tanh": (),
    "ThresholdedRelu": ("alpha",),
}
"""The activations that a fused op can end with, and what the numbers beside them are."""

BOUNDS = ("min", "max")
_FUSED = ("activation", "activation_params")
_FUSED_GEMM = ("activation", "activation_alpha", "activation_beta", "activation_gamma")


def _fused_conv(e: OnnxReplacement, op: OnnxOp) -> str | None:
    numbers: list[float] = attribute(op, "activation_params", [])
    kind = attribute(op, "activation", "")
    field_names = BOUNDS if kind == "Clip" else ACTIVATIONS.get(kind)
    if kind and (field_names is None or len(field_names) > len(numbers)):
        return f"its activation {kind!r} is unknown, or lacks numbers"
    fields = {k: v for k, v in op.fields.items() if k not in _FUSED}
    type, inputs = op.results[0].type, op.inputs[:3]
    result = e.node("conv", "Conv", inputs, fields, type)
    if (summand := operand(op, 3)) is not None:
        result = e.node("sum", "Add", [result, summand], type=type)
    drop = tuple(op.fields)
    if not kind:
        e.replace_value(result)
    elif kind == "Clip":
        bounds = [e.number(role, n, result) for role, n in zip(BOUNDS, numbers, strict=False)]
        e.replace([result, *bounds], op_type="Clip", drop=drop)
    else:
        named = dict(zip(ACTIVATIONS[kind], numbers, strict=False))
        e.replace([result], op_type=kind, drop=drop, add=named)
    return None


def _fused_gemm(e: OnnxReplacement, op: OnnxOp) -> str | None:
    kind = attribute(op, "activation", "")
    if kind and kind not in ACTIVATIONS:
        return f"its activation {kind!r} is unknown"
    fields = {k: v for k, v in op.fields.items() if k not in _FUSED_GEMM}
    result = e.node("gemm", "Gemm", op.inputs, fields, op.results[0].type)
    numbers = {name: attribute(op, f"activation_{name}") for name in ACTIVATIONS.get(kind, ())}
    named = {name: number for name, number in numbers.items() if number is not None}
    if kind:
        e.replace([result], op_type=kind, drop=tuple(op.fields), add=named)
    else:
        e.replace_value(result)
    return None


def _fused_matmul(e: OnnxReplacement, op: OnnxOp) -> str | None:
    if attribute(op, "transBatchA", 0) or attribute(op, "transBatchB", 0):
        return "it transposes batches"
    turned = [bool(attribute(op, flag, 0)) for flag in ("transA", "transB")]
    ranks = [len(shape_of(v.type) or ()) for v in op.operands[:2]]
    if any(turn and rank < 2 for turn, rank in zip(turned, ranks, strict=True)):
        return "the rank of what it transposes is unknown"
    inputs: Sequence[SSAValue] = [
        _transposed(e, index, rank) if turn else op.operands[index]
        for index, (turn, rank) in enumerate(zip(turned, ranks, strict=True))
    ]
    alpha, drop = float(attribute(op, "alpha", 1.0)), tuple(op.fields)
    if alpha == 1:
        e.replace(inputs, op_type="MatMul", drop=drop)
        return None
    product = e.node("product", "MatMul", inputs, type=op.results[0].type)
    e.replace([product, e.number("alpha", alpha, product)], op_type="Mul", drop=drop)
    return None


def _transposed(e: OnnxReplacement, index: int, rank: int) -> SSAValue:
    perm = [*range(rank - 2), rank - 1, rank - 2]
    return e.node(f"turned{index}", "Transpose", [e.op.operands[index]], {"perm": perm})


def _skip_layer_norm(e: OnnxReplacement, op: OnnxOp) -> str | None:
    """A layer norm of a sum, which may be a result too."""
    results = op.results
    if any(r.first_use is not None for r in results[1:3]):
        return "its mean or deviation is read"
    x, skip, gamma, beta, bias = (operand(op, i) for i in range(5))
    if x is None or skip is None or shape_of(x.type) != shape_of(skip.type):
        return "its summands have different shapes"
    total = e.node("sum", "Add", [x, skip], type=x.type)
    if bias is not None:
        total = e.node("biased", "Add", [total, bias], type=x.type)
    if len(results) > 3:
        e.builder.replace_all_uses_with(results[3], total)
    epsilon = {"axis": -1, "epsilon": float(attribute(op, "epsilon", 1e-12))}
    inputs = [total, gamma, beta]
    e.replace(inputs, op_type="LayerNormalization", drop=("epsilon",), add=epsilon, results=1)
    return None


EXPANSIONS: dict[str, Expansion] = {
    "BiasGelu": _bias_gelu,
    "FastGelu": _fast_gelu,
    "FusedConv": _fused_conv,
    "FusedGemm": _fused_gemm,
    "FusedMatMul": _fused_matmul,
    "Gelu": _gelu,
    "QuickGelu": _quick_gelu,
    "SkipLayerNormalization": _skip_layer_norm,
    "TransposeMatMul": _fused_matmul,
}
"""By op type."""
