"""The fusion rules of oneDNN Graph as data: which ops the library runs as one, by version.

They are built from `parts`. `match` finds rules in a graph, `fuse` turns the groups into partitions, and
`table` is what the tools and the documentation print.

The rules follow what the library's CPU back end really fuses, in its order: the first rule that fits takes
its ops. They are known for 3.2 and for 3.6; a version between is treated as the older. Where the library
fuses ops that it then computes wrongly or not at all, a rule is stricter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from autosplit.core.errors import AutosplitError
from autosplit.core.versions import Version
from autosplit.lowering.dnnl.rules.parts import (
    BINARY,
    CHECKS,
    ELEMENTWISE,
    POOLS,
    REDUCE,
    UNARY,
    Choice,
    Link,
    Rule,
    Source,
    Step,
)
from autosplit.registry import added, load_added


def _maybe(*kinds: str, checks: tuple[str, ...] = (), enters: int = 0) -> Step:
    return Step(kinds, least=0, checks=checks, enters=enters)


def _step(*kinds: str, checks: tuple[str, ...] = ()) -> Step:
    return Step(kinds, checks=checks)


def _run(kinds: tuple[str, ...], low: int, high: int, *, rereads: bool = True) -> Step:
    return Step(kinds, low, high, ("joins", "fast-operand"), rereads=rereads)


def _after_sum(most: int) -> Step:
    """Ops that 3.2 fuses behind a sum must not read the sum twice."""
    return _run(ELEMENTWISE, 0, most, rereads=most > 3)


def _binary(kind: str, source: Source, most: int = 1) -> Step:
    checks = ("joins", "fast-operand") if kind == "Add" else ()
    return Step((kind,), most=most, checks=checks, sources=((1, source),))


def _reads(*kinds: str, checks: tuple[str, ...] = (), **sources: Source) -> Step:
    """A root whose operands `a` (0) and `b` (1) have sources."""
    ports = {"a": 0, "b": 1}
    return Step(kinds, checks=checks, sources=tuple((ports[k], s) for k, s in sources.items()))


DQ = Source((Link("Dequantize"),))
DQ_PT = Source((Link("Dequantize", ("per-tensor",)),))
DQ_SUM = Source((Link("Dequantize", ("sum-type",)),))
DQ_TC_SUM = Source((Link("TypeCast"), Link("Dequantize", ("sum-type",))))
DQ_TC = Source((Link("TypeCast", ("to-bf16",)), Link("Dequantize")))
DQ_TC_ANY = Source((Link("TypeCast"), Link("Dequantize")))
TC_ANY = Source((Link("TypeCast"),))
W = Source((Link("Dequantize", ("s8-weights",)),), filled=Link("Quantize"))
W_S8 = Source((Link("Dequantize", ("of-s8",)),), filled=Link("Quantize"))
W_CONST = Source(DQ.chain, filled=Link("Quantize", ("constant",)))
W_TC = Source(
    (Link("TypeCast", ("to-bf16",)), Link("Dequantize", ("s8-weights",))), filled=Link("Quantize")
)
W_TC_CONST = Source(DQ_TC.chain, filled=Link("Quantize", ("constant",)))
W_TC_S8 = Source(
    (Link("TypeCast", ("to-bf16",)), Link("Dequantize", ("of-s8",))),
    filled=Link("Quantize", ("constant",)),
)

BIAS = _maybe("BiasAdd", checks=("unbiased", "bias-last"))
BIAS_TC = Step(
    ("BiasAdd",),
    least=0,
    checks=("unbiased", "bias-last"),
    sources=((1, Source((Link("TypeCast", ("to-bf16",)),), optional=True)),),
)
BN = _maybe("BatchNormInference")
Q = _step("Quantize", checks=("per-tensor-only",))
Q_END = _maybe("Quantize", checks=("per-tensor-only",))
Q_ZERO = _step("Quantize", checks=("zero-points-0", "per-tensor-only"))
Q_PLAIN = _step("Quantize", checks=("zero-points-0-only", "per-tensor-only"))
Q_PT = _step("Quantize", checks=("per-tensor",))
TC = _step("TypeCast")
TC_F32 = _maybe("TypeCast", checks=("of-bf16", "to-f32"))
TC_F32_Q = (_step("TypeCast", checks=("of-bf16", "to-f32")), Q)
SELECT = _maybe("Select", enters=2)
SCALE = _step("Divide", "Multiply")
MASK = _step("Add", checks=("mask",))
SMOOTH = _maybe("Multiply", "Divide")
TURN = _step("StaticTranspose")
FLAT = _step("Reorder", "StaticReshape")
AS_SECOND = Step(("MatMul",), enters=1)
RESHAPE = _maybe("StaticReshape")
NARROW = ("ReLU", "GELU", "Divide", "Multiply", "Add")
"""The few ops that 3.2 fuses behind a product of bf16 values."""
RESHAPED = Source(
    (
        *(Link("StaticReshape"), Link("Dequantize", ("of-s8",))),
        *(Link("Quantize"), Link("StaticReshape")),
    )
)


def _either(*options: tuple[Step, ...]) -> Choice:
    return Choice(options, optional=True)


def _int8_product(kind: str, weights: Source, most: int) -> tuple[Rule, Rule]:
    """A product of two 8-bit tensors: with an 8-bit tensor added, and without."""
    label = {"Convolution": "conv", "ConvTranspose": "convtranspose"}[kind]
    root = _reads(kind, a=DQ, b=weights)
    post = _run(ELEMENTWISE, 0, most)
    return (
        Rule(
            f"int8-{label}-sum",
            f"{kind} of 8-bit tensors, plus an 8-bit tensor, elementwise ops, to 8 bits",
            root,
            (BIAS, _binary("Add", DQ_SUM), _after_sum(most), Q),
        ),
        Rule(
            f"int8-{label}",
            f"{kind} of 8-bit tensors, elementwise ops, to f32 or 8 bits",
            root,
            (BIAS, post, Q_END),
        ),
    )


def _common() -> dict[str, Rule]:
    """The rules that 3.2 and 3.6 share."""
    matmul = _reads("MatMul", a=DQ, b=W_CONST)
    matmul_bf16 = _reads("MatMul", a=DQ_TC, b=W_TC_CONST)
    s8_source = Source((Link("Dequantize", ("per-tensor", "zero-points-0", "of-s8")),))
    rules = (
        Rule(
            "int8-bf16-matmul-transpose",
            "MatMul of 8-bit tensors in bf16, transposed and reshaped, to 8 bits",
            matmul_bf16,
            (BIAS_TC, RESHAPE, TURN, RESHAPE, _step("TypeCast", checks=("of-bf16",)), Q),
        ),
        Rule(
            "int8-bf16-matmul-reorder",
            "MatMul of 8-bit tensors in bf16, transposed and laid out anew, to bf16 or 8 bits",
            matmul_bf16,
            (BIAS_TC, TURN, _step("Reorder"), _either((_step("TypeCast", checks=("of-bf16",)), Q))),
        ),
        Rule(
            "int8-reorder-sum",
            "an 8-bit tensor laid out anew, plus an 8-bit tensor, to 8 bits",
            _reads("Reorder", checks=("cannot-run",), a=DQ),
            (Step(("Add",), checks=("no-broadcast",), sources=((1, DQ_SUM),)), Q),
        ),
        Rule(
            "reorder-sum",
            "a tensor laid out anew, plus a tensor",
            _step("Reorder"),
            (_step("Add", checks=("no-broadcast",)),),
        ),
        Rule(
            "int8-reorder",
            "an 8-bit tensor laid out anew, with another scale",
            _reads("Reorder", checks=("cannot-run",), a=DQ),
            (Q,),
        ),
        Rule(
            "int8-matmul-transpose",
            "MatMul of 8-bit tensors, transposed and reshaped, to 8 bits",
            matmul,
            (BIAS, RESHAPE, TURN, RESHAPE, Q),
        ),
        Rule(
            "int8-matmul-reorder",
            "MatMul of 8-bit tensors, transposed and laid out anew, to f32 or 8 bits",
            matmul,
            (BIAS, TURN, _step("Reorder"), Q_END),
        ),
        Rule(
            "matmul-reorder",
            "MatMul, transposed and laid out anew",
            _step("MatMul"),
            (BIAS, TURN, _step("Reorder")),
        ),
        Rule(
            "int8-batchnorm",
            "batch norm of an s8 tensor, ReLU, to s8",
            _reads("BatchNormInference", checks=("f32-parameters",), a=s8_source),
            (
                _maybe("ReLU"),
                _step("Quantize", checks=("per-tensor", "zero-points-0", "to-s8")),
            ),
        ),
        Rule(
            "matmul-transpose",
            "MatMul, transposed and reshaped",
            _step("MatMul"),
            (BIAS, RESHAPE, TURN, RESHAPE),
        ),
        Rule(
            "batchnorm-relu",
            "batch norm and ReLU",
            _step("BatchNormInference", "BatchNormForwardTraining", checks=("f32-parameters",)),
            (_step("ReLU"),),
        ),
        Rule(
            "reciprocal-multiply",
            "a quotient written as a product",
            _step("Reciprocal"),
            (_step("Multiply"),),
        ),
        Rule(
            "int8-concat",
            "Concat of 8-bit tensors of one scale, to 8 bits of the same scale",
            _step("Concat", checks=("one-scale", "one-type")),
            (Q,),
            every=DQ,
        ),
        Rule(
            "shuffle",
            "channel shuffle: reshape, transpose, reshape",
            _step("StaticReshape"),
            (TURN, _step("StaticReshape")),
        ),
        Rule("cast-quantize", "bf16 to 8 bits", _step("TypeCast", checks=("of-bf16",)), (Q,)),
    )
    return {rule.name: rule for rule in rules}


def _lengths(most: int) -> dict[str, Rule]:
    """The rules that differ only in how many ops they take behind the root."""
    matmul = _reads("MatMul", a=DQ, b=W_CONST)
    post, binary = _run(ELEMENTWISE, 0, most), _run(BINARY, 1, most)
    rules = (
        Rule(
            "int8-matmul-sum",
            "MatMul of 8-bit tensors, plus an 8-bit tensor, elementwise ops, to 8 bits",
            matmul,
            (BIAS, _binary("Add", DQ_SUM), _after_sum(most), Q),
        ),
        Rule(
            "convtranspose",
            "ConvTranspose and elementwise ops",
            _step("ConvTranspose"),
            (BIAS, post),
        ),
        Rule(
            "interpolate",
            "Interpolate and elementwise ops",
            _step("Interpolate", checks=("half-pixel",)),
            (_run(ELEMENTWISE, 1, most),),
        ),
        Rule(
            "reduce",
            "a reduction and elementwise ops",
            _step(*REDUCE, checks=("some-axes",)),
            (post,),
        ),
        Rule(
            "binary",
            "a binary op and elementwise ops",
            _step(*BINARY),
            (_run(ELEMENTWISE, 1, most),),
        ),
        Rule("eltwise-binary", "a unary op and binary ops", _step(*UNARY), (binary,)),
        Rule(
            "sum",
            "a chain of sums of equal shapes",
            _step("Add", checks=("no-broadcast",)),
            (Step(("Add",), 1, most, checks=("no-broadcast",)),),
        ),
    )
    return {rule.name: rule for rule in rules}


def _rules_of_3_2() -> Iterator[Rule]:
    same, sized = _common(), _lengths(3)
    conv_sum, conv = _int8_product("Convolution", W, 3)
    turned_sum, turned = _int8_product("ConvTranspose", W, 3)
    post = _run(ELEMENTWISE, 0, 3)
    two, three = ("two-operands",), ("three-operands",)
    bf16_conv = _reads("Convolution", a=DQ_TC, b=W_TC_S8)
    bf16_matmul = _reads("MatMul", a=DQ_TC, b=W_TC_CONST)
    bf16_end = _step("TypeCast", checks=("of-bf16",))
    scores = (SCALE, _step("Add"), _step("SoftMax"))
    byte_scores = (SCALE, MASK, _step("SoftMax"))
    yield Rule(
        "int8-attention",
        "two 8-bit products with a softmax between, and the transpose behind them",
        _reads("MatMul", a=DQ, b=DQ),
        (*byte_scores, Q_PLAIN, _step("Dequantize"), _binary("MatMul", DQ), TURN, FLAT, Q),
    )
    yield Rule(
        "int8-bf16-attention",
        "the same with bf16 between the quantizations",
        _reads("MatMul", a=DQ_TC_ANY, b=DQ_TC_ANY),
        (
            *(*byte_scores, TC, Q_PLAIN, _step("Dequantize"), TC),
            *(_binary("MatMul", DQ_TC_ANY), TURN, FLAT, TC, Q),
        ),
    )
    yield Rule(
        "attention",
        "two f32 products with a softmax between, and the transpose behind them",
        _step("MatMul", checks=("of-f32",)),
        (*scores, _step("MatMul", checks=("of-f32",)), TURN, FLAT),
    )
    yield conv_sum
    yield turned_sum
    yield conv
    yield Rule(
        "int8-bf16-conv-gelu",
        "Convolution of 8-bit tensors in bf16, GELU, to 8 bits",
        _reads("Convolution", a=DQ_TC, b=W_TC),
        (BIAS_TC, _maybe("GELU"), bf16_end, Q),
    )
    yield Rule(
        "int8-bf16-conv-sum",
        "Convolution of 8-bit tensors in bf16, plus an 8-bit tensor, to 8 bits",
        bf16_conv,
        (BIAS_TC, _binary("Add", DQ_TC_SUM), _maybe(*NARROW), TC, Q),
    )
    yield turned
    yield Rule(
        "int8-matmul-div-add",
        "MatMul of 8-bit tensors, divided, plus a tensor (attention scores), to f32",
        _reads("MatMul", checks=two, a=DQ, b=DQ),
        (_step("Divide"), _step("Add")),
    )
    yield Rule(
        "int8-bf16-matmul-scale-add",
        "MatMul of 8-bit tensors in bf16, scaled, plus a tensor, to bf16",
        _reads("MatMul", checks=two, a=DQ_TC, b=DQ_TC),
        (SCALE, _step("Add")),
    )
    yield Rule(
        "int8-bf16-matmul-sum",
        "MatMul of 8-bit tensors in bf16, plus an 8-bit tensor, to 8 bits",
        bf16_matmul,
        (BIAS_TC, _binary("Add", DQ_TC_SUM), _maybe(*NARROW), TC, Q),
    )
    yield same["int8-bf16-matmul-transpose"]
    yield same["int8-bf16-matmul-reorder"]
    yield Rule(
        "int8-bf16-conv",
        "Convolution of 8-bit tensors in bf16, one op behind it, to bf16 or 8 bits",
        bf16_conv,
        (
            BIAS_TC,
            _either((Step(BINARY, sources=((1, TC_ANY),)),), (_step(*NARROW),)),
            _either((TC, Q)),
        ),
    )
    yield sized["convtranspose"]
    yield Rule(
        "int8-bf16-matmul",
        "MatMul of 8-bit tensors in bf16, one op behind it, to bf16 or 8 bits",
        bf16_matmul,
        (BIAS_TC, _maybe(*NARROW), _either((TC, Q))),
    )
    yield Rule(
        "conv-conv",
        "a Convolution behind a Convolution, neither with a bias",
        _step("Convolution", checks=two),
        (_step("Convolution", checks=two),),
    )
    yield same["int8-reorder-sum"]
    yield same["reorder-sum"]
    yield same["int8-reorder"]
    yield sized["int8-matmul-sum"]
    yield same["int8-matmul-transpose"]
    yield same["int8-matmul-reorder"]
    yield Rule(
        "int8-pool",
        "MaxPool or AvgPool of an 8-bit tensor, reshaped, or plus an 8-bit tensor, to 8 bits",
        _reads(*POOLS, checks=("pool-rounding", "one-type"), a=DQ_PT),
        (
            Choice(
                (
                    (Q_PT,),
                    (_step("StaticReshape", "StaticTranspose"), Q_PT),
                    (Step(("Add",), checks=("cannot-run",), sources=((1, DQ),)), Q_PT),
                )
            ),
        ),
    )
    yield Rule(
        "int8-matmul",
        "MatMul of 8-bit tensors, elementwise ops, to f32 or 8 bits",
        _reads("MatMul", a=DQ, b=W_CONST),
        (BIAS, post, Q_END),
    )
    yield Rule(
        "pool",
        "MaxPool or AvgPool and binary ops",
        _step(*POOLS, checks=("pool-rounding",)),
        (_run(BINARY, 1, 3),),
    )
    behind = (BN, _run(ELEMENTWISE, 0, 4), TC_F32)
    doc = "Convolution{}, batch norm, elementwise ops"
    yield Rule("conv-bias", doc.format(" with a bias"), _step("Convolution", checks=three), behind)
    yield Rule(
        "conv-biasadd",
        doc.format(", BiasAdd"),
        _step("Convolution", checks=two),
        (_step("BiasAdd"), *behind),
    )
    yield Rule("conv", doc.format(""), _step("Convolution", checks=two), behind)
    yield same["matmul-reorder"]
    yield same["int8-batchnorm"]
    yield same["matmul-transpose"]
    behind = (BN, post)
    doc = "MatMul{}, batch norm, elementwise ops"
    yield Rule("matmul-bias", doc.format(" with a bias"), _step("MatMul", checks=three), behind)
    yield Rule(
        "matmul-biasadd",
        doc.format(", BiasAdd"),
        _step("MatMul", checks=two),
        (_step("BiasAdd"), *behind),
    )
    yield same["batchnorm-relu"]
    yield Rule("matmul", doc.format(""), _step("MatMul", checks=two), behind)
    yield sized["interpolate"]
    yield sized["reduce"]
    yield sized["binary"]
    yield same["reciprocal-multiply"]
    yield same["int8-concat"]
    yield sized["eltwise-binary"]
    quantize = _step("Quantize", checks=("zero-points-0", "cannot-run"))
    yield Rule(
        "softmax-elementwise",
        "SoftMax and elementwise ops, to bf16 or 8 bits",
        _step("SoftMax"),
        (_run(ELEMENTWISE, 1, 3), _either((TC, quantize), (TC,), (quantize,))),
    )
    yield Rule(
        "softmax",
        "SoftMax to bf16 or 8 bits",
        _step("SoftMax"),
        (_either((TC, Q_ZERO), (TC,), (Q_ZERO,)),),
    )
    yield Rule(
        "layernorm",
        "LayerNorm to bf16 or 8 bits",
        _step("LayerNorm", checks=("f32-parameters",)),
        (Choice(((TC, Q_ZERO), (_step("TypeCast", checks=("no-quantize-next",)),), (Q_ZERO,))),),
    )
    yield same["shuffle"]
    yield same["cast-quantize"]
    yield sized["sum"]


def _rules_of_3_6() -> Iterator[Rule]:
    same, sized = _common(), _lengths(4)
    conv_sum, conv = _int8_product("Convolution", W_S8, 4)
    turned_sum, turned = _int8_product("ConvTranspose", W_S8, 4)
    post = _run(ELEMENTWISE, 0, 4)
    bf16_conv = _reads("Convolution", a=DQ_TC, b=W_TC_S8)
    bf16_matmul = _reads("MatMul", a=DQ_TC, b=W_TC_CONST)
    scale, softmax = _maybe("Divide", "Multiply"), _step("SoftMax")
    scores = (scale, _maybe("Add"), SELECT, softmax)
    byte_scores = (scale, replace(MASK, least=0), SELECT, softmax)
    selected = (Step(("Select",), enters=1), _step("Divide"))
    masked = (*selected, _step("Add"), softmax)
    byte_masked = (*selected, MASK, softmax)
    yield Rule(
        "int8-attention",
        "two 8-bit products with a softmax between, and the transpose behind them",
        _reads("MatMul", a=DQ, b=DQ),
        (*byte_scores, Q_PLAIN, _step("Dequantize"), _binary("MatMul", DQ), TURN, FLAT, Q),
    )
    yield Rule(
        "int8-bf16-attention",
        "the same with bf16 between the quantizations",
        _reads("MatMul", a=DQ_TC_ANY, b=DQ_TC_ANY),
        (
            *(*byte_scores, TC, Q_PLAIN, _step("Dequantize"), TC),
            *(_binary("MatMul", DQ_TC_ANY), TURN, FLAT, TC, Q),
        ),
    )
    yield Rule(
        "masked-attention",
        "attention whose mask stands before the scale",
        _step("MatMul"),
        (*masked, _run(("TypeCast",), 0, 2), _step("MatMul"), TURN, FLAT),
    )
    yield Rule(
        "int8-masked-attention",
        "8-bit attention whose mask stands before the scale",
        _reads("MatMul", a=DQ, b=DQ),
        (*byte_masked, Q_PLAIN, _step("Dequantize"), _binary("MatMul", DQ), TURN, FLAT, Q_END),
    )
    yield Rule(
        "int8-bf16-masked-attention",
        "the same with bf16 between the quantizations",
        _reads("MatMul", a=DQ_TC_ANY, b=DQ_TC_ANY),
        (
            *(*byte_masked, _run(("TypeCast",), 0, 2), Q_PLAIN, _step("Dequantize"), TC),
            *(_binary("MatMul", DQ_TC_ANY), TURN, FLAT, _either((TC, Q))),
        ),
    )
    yield Rule(
        "attention",
        "two products with a softmax between, and the transpose behind them",
        _step("MatMul"),
        (*scores, _step("MatMul"), _either((TURN, FLAT))),
    )
    yield Rule(
        "turned-attention",
        "attention whose scores are transposed before the second product",
        _step("MatMul"),
        (SCALE, _step("Add"), _step("SoftMax"), TURN, _step("Reorder"), AS_SECOND, TURN, FLAT),
    )
    yield Rule(
        "multi-query-attention",
        "attention of one key and value for all queries",
        _step("MatMul"),
        (
            *(_step("StaticReshape"), TURN, _step("Add"), _step("SoftMax")),
            *(TURN, _step("StaticReshape"), AS_SECOND),
        ),
    )
    yield conv_sum
    yield Rule(
        "int8-conv-reshape",
        "Convolution of an 8-bit tensor with reshaped 8-bit weights, elementwise ops",
        _reads("Convolution", a=DQ, b=RESHAPED),
        (BIAS, post, Q_END),
    )
    yield Rule(
        "int8-bf16-conv-sum",
        "Convolution of 8-bit tensors in bf16, plus an 8-bit tensor, to 8 bits",
        bf16_conv,
        (BIAS_TC, _binary("Add", DQ_TC_SUM), _run(ELEMENTWISE, 0, 4, rereads=False), *TC_F32_Q),
    )
    yield turned_sum
    yield conv
    yield Rule(
        "int8-bf16-conv",
        "Convolution of 8-bit tensors in bf16, elementwise ops, to bf16 or 8 bits",
        bf16_conv,
        (BIAS_TC, post, _either(TC_F32_Q)),
    )
    yield turned
    yield Rule(
        "int8-bf16-matmul-sum",
        "MatMul of 8-bit tensors in bf16, plus an 8-bit tensor, to 8 bits",
        bf16_matmul,
        (BIAS_TC, _binary("Add", DQ_TC_SUM), post, TC, SMOOTH, Q),
    )
    yield same["int8-bf16-matmul-transpose"]
    yield same["int8-bf16-matmul-reorder"]
    yield sized["convtranspose"]
    yield Rule(
        "int8-bf16-matmul",
        "MatMul of 8-bit tensors in bf16, elementwise ops, to bf16, f32 or 8 bits",
        bf16_matmul,
        (BIAS_TC, post, SELECT, _maybe("TypeCast"), _maybe("Add"), _either((SMOOTH, Q))),
    )
    yield Rule(
        "conv-depthwise",
        "a 1x1 Convolution and a 3x3 Convolution behind it, elementwise ops",
        _step("Convolution", checks=("weights-1",)),
        (BIAS, post, _step("Convolution", checks=("weights-3",)), BIAS, post),
    )
    yield same["int8-reorder-sum"]
    yield Rule(
        "int8-pool-sum",
        "MaxPool or AvgPool of an 8-bit tensor, plus an 8-bit tensor, elementwise ops, to 8 bits",
        _reads(*POOLS, checks=("pool-rounding", "one-type"), a=DQ_PT),
        (Step(("Add",), checks=("cannot-run",), sources=((1, DQ),)), post, Q_PT),
    )
    yield same["reorder-sum"]
    yield same["int8-reorder"]
    yield sized["int8-matmul-sum"]
    yield same["int8-matmul-transpose"]
    yield same["int8-matmul-reorder"]
    yield Rule(
        "int8-pool-reshape",
        "MaxPool or AvgPool of an 8-bit tensor, reshaped, to 8 bits",
        _reads(*POOLS, checks=("pool-rounding", "one-type"), a=DQ_PT),
        (_maybe("StaticReshape", "StaticTranspose"), Q_PT),
    )
    yield Rule(
        "int8-pool",
        "MaxPool or AvgPool of an 8-bit tensor, elementwise ops, to 8 bits",
        _reads(*POOLS, checks=("pool-rounding", "one-type"), a=DQ_PT),
        (post, Q_PT),
    )
    yield Rule(
        "int8-matmul",
        "MatMul of 8-bit tensors, elementwise ops, to f32 or 8 bits",
        _reads("MatMul", a=DQ, b=W_CONST),
        (BIAS, post, SELECT, Q_END),
    )
    yield Rule(
        "pool",
        "MaxPool or AvgPool and elementwise ops",
        _step(*POOLS, checks=("pool-rounding",)),
        (_run(ELEMENTWISE, 1, 4),),
    )
    yield Rule(
        "conv",
        "Convolution, batch norm, elementwise ops",
        _step("Convolution"),
        (BIAS, BN, post, TC_F32),
    )
    yield same["matmul-reorder"]
    yield same["int8-batchnorm"]
    yield same["matmul-transpose"]
    yield same["batchnorm-relu"]
    yield Rule("matmul", "MatMul and elementwise ops", _step("MatMul"), (BIAS, post, SELECT))
    yield sized["interpolate"]
    yield sized["reduce"]
    yield Rule(
        "groupnorm",
        "GroupNorm, elementwise ops, to bf16 or 8 bits",
        _step("GroupNorm", checks=("f32-parameters",)),
        (post, _maybe("TypeCast"), post, Q_END),
    )
    yield sized["binary"]
    yield same["reciprocal-multiply"]
    yield same["int8-concat"]
    yield sized["eltwise-binary"]
    yield Rule(
        "softmax",
        "SoftMax, elementwise ops, to bf16 or 8 bits",
        _step("SoftMax"),
        (post, _maybe("TypeCast"), Q_END),
    )
    yield Rule(
        "layernorm",
        "LayerNorm, elementwise ops, to bf16 or 8 bits",
        _step("LayerNorm", checks=("f32-parameters", "last-axis", "rank-2-to-5")),
        (_maybe("TypeCast"), post, Q_END),
    )
    yield same["shuffle"]
    yield same["cast-quantize"]
    yield sized["sum"]


_KNOWN: tuple[tuple[Version, Callable[[], Iterator[Rule]]], ...] = (
    ((3, 1), _rules_of_3_2),
    ((3, 6), _rules_of_3_6),
)
"""Each version that changes the rules, oldest first."""


@cache
def rules_of(version: Version) -> tuple[Rule, ...]:
    """The rules of a version of the library, in the order in which they are tried."""
    generations = [(since, tuple(rules())) for since, rules in _KNOWN]
    generation = max((i for i, (since, _) in enumerate(generations) if since <= version), default=0)
    return tuple(_dated(rule, generations, generation) for rule in generations[generation][1])


def _dated(rule: Rule, generations: list[tuple[Version, tuple[Rule, ...]]], at: int) -> Rule:
    oldest = at
    while oldest > 0 and rule in generations[oldest - 1][1]:
        oldest -= 1
    until = next((since for since, rules in generations[at + 1 :] if rule not in rules), None)
    return replace(rule, since=generations[oldest][0], until=until)


def is_of(rule: Rule, version: Version) -> bool:
    """Whether a rule holds for a version of the library."""
    return rule.since <= version and (rule.until is None or version < rule.until)


def added_rules() -> list[Rule]:
    """The rules that installed packages add, by name: an entry point is a Rule under the rule's name.

    Raises AutosplitError if one does not load, is not a rule, or has the name of one of the library's.
    """
    rules: list[Rule] = []
    for point in added("fusion_rules", {rule.name for rule in all_rules()}).values():
        rule = load_added(point)
        if not isinstance(rule, Rule):
            raise AutosplitError(
                f"the entry point {point.name} = {point.value} of {point.group} is a "
                f"{type(rule).__name__}, expected a Rule"
            )
        rules.append(rule)
    return rules


@cache
def library_rules(version: Version) -> tuple[Rule, ...]:
    """The rules as the library itself applies them, even if it then computes something else than the ops."""
    return tuple(
        replace(
            rule,
            root=_loose_step(rule.root),
            tail=tuple(map(_loose, rule.tail)),
            rereads_source=True,
        )
        for rule in rules_of(version)
    )


def _loose(part: Step | Choice) -> Step | Choice:
    if isinstance(part, Choice):
        options = tuple(tuple(_loose_step(s) for s in option) for option in part.options)
        return replace(part, options=options)
    return _loose_step(part)


def _loose_step(step: Step) -> Step:
    return replace(
        step,
        checks=_loose_checks(step.checks),
        sources=tuple(
            (at, replace(source, chain=tuple(map(_loose_link, source.chain))))
            for at, source in step.sources
        ),
    )


def _loose_link(link: Link) -> Link:
    return replace(link, checks=_loose_checks(link.checks))


def _loose_checks(checks: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(c for c in checks if not CHECKS[c].is_ours)


def all_rules() -> list[Rule]:
    """The rules of all versions: the newest first in order, then those that only older ones have."""
    rules: dict[Rule, None] = {}
    for since, _ in reversed(_KNOWN):
        rules.update(dict.fromkeys(rules_of(since)))
    return list(rules)
