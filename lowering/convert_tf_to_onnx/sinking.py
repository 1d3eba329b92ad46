"""Transposes sink through the ops behind them until they meet their inverse.

Conversions of layout-bound ops leave a transpose on each side. One walk down the graph pulls them through:

    relu(transpose(x, p))                 -> transpose(relu(x), p), and all elementwise ops alike
    add(transpose(x, p), transpose(y, p)) -> transpose(add(x, y), p)
    add(transpose(x, p), constant)        -> transpose(add(x, constant permuted), p)
    concat(transpose(x, p), ..., axis=a)  -> transpose(concat(x, ..., axis=p[a]), p)
    reduce_mean(transpose(x, p), axes)    -> transpose(reduce_mean(x, p[axes]), the p that remains)
    shape(transpose(x, p))                -> gather(shape(x), p)
    transpose(transpose(x, p), q)         -> transpose(x, p[q]), or x

A moved op gets `/nchw` appended to its name; the transpose behind it keeps the TensorFlow name and layout,
and is removed if nothing reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import InitializerOp, OnnxOp, TransposeOp, field_attr
from autosplit.dialects.platform import element_type
from autosplit.lowering.convert_tf_to_onnx.builder import make_transpose
from autosplit.lowering.convert_tf_to_onnx.constants import KnownValues
from autosplit.lowering.convert_tf_to_onnx.types import permuted, shape_of, static_of, tensor
from autosplit.lowering.rewriting import Pattern, set_operand, why
from autosplit.lowering.shared.names import words

ELEMENTWISE = words(
    """
    Abs Acos Acosh Add And Asin Asinh Atan Atanh BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast
    Ceil Clip Cos Cosh Div Elu Equal Erf Exp Floor Greater GreaterOrEqual HardSigmoid HardSwish
    Identity IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Min Mod Mul Neg Not Or Pow
    Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Sum Tan Tanh
    Where Xor
    """
)
"""Ops whose operands all broadcast to the result. Clip's bounds are scalars, which fits as well."""

REDUCTIONS = words(
    """
    ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
    ReduceSum ReduceSumSquare
    """
)

ALONG_AXIS = words(
    """
    Concat LogSoftmax Softmax Split
    """
)
"""Ops with an attribute `axis` that keep the order of the dimensions."""


@dataclass(frozen=True)
class Behind:
    """An op that may follow transposes, and what rewrites it."""

    op: OnnxOp
    rewriter: PatternRewriter
    constants: KnownValues

    def common_perm(self) -> list[int] | None:
        """The permutation of the transposed operands; None if there is none or several."""
        common: list[int] | None = None
        for value in self.op.operands:
            _, perm = through(value)
            if perm is None:
                continue
            if common is not None and perm != common:
                why(self.op, "its operands are transposed in several ways")
                return None
            common = perm
        return common

    def meets_inverse(self, perm: list[int]) -> bool:
        """Whether a reader transposes the result back."""
        for use in self.op.results[0].uses:
            user = use.operation
            if isinstance(user, OnnxOp) and user.op_type == "Transpose":
                return perm_of(user) == inverse(perm)
        return False

    def moved_constant(self, constant: InitializerOp, perm: list[int], index: int) -> SSAValue:
        """A constant permuted to broadcast against operands before the transpose `perm`."""
        shape = static_of(constant.results[0])
        assert shape is not None
        rank = len(perm)
        full = (1,) * (rank - len(shape)) + shape
        dims = [full[p] for p in inverse(perm)]
        while dims and dims[0] == 1 and len(dims) > 1:
            dims = dims[1:]
        # Leading dimensions of size 1 are implied: permute only those that exist.
        order = [p - (rank - len(shape)) for p in inverse(perm) if p >= rank - len(shape)]
        name = f"{self.op.value_name(0)}/operand{index}_moved"
        new = self.constants.rearrange(constant, order, dims, name, self.op.location)
        return self.rewriter.insert(new).results[0]

    def ints(self, values: Sequence[int], what: str) -> SSAValue:
        name = f"{self.op.value_name(0)}/{what}"
        new = self.constants.ints(name, values, self.op.location)
        return self.rewriter.insert(new).results[0]

    def transposed(self, value: SSAValue, perm: list[int], what: str) -> SSAValue:
        type = tensor(element_type(value.type), permuted(shape_of(value), perm))
        name = f"{self.op.value_name(0)}/{what}"
        node_name = name.replace(":0", "", 1)
        new = make_transpose(value, perm, name, type, node_name, self.op.location)
        return self.rewriter.insert(new).results[0]

    def rebuild(
        self, kind: str, operands: Sequence[SSAValue | None], attributes: dict[str, object]
    ) -> None:
        """Replaces the op by one of another kind with the same names."""
        new = make_node(
            kind,
            operands,
            self.op.output_names,
            attributes=attributes,
            result_types=[r.type for r in self.op.results],
            node_name=self.op.node_name.data,
            location=self.op.location,
        )
        self.rewriter.replace(self.op, new)

    def sink(
        self,
        operands: Sequence[SSAValue | None],
        perm: list[int],
        attributes: dict[str, object] | None = None,
    ) -> None:
        """op(transpose(x, p)) -> transpose(op(x), p), every result"""
        op, node = self.op, self.op.node_name.data
        fields = {**op.fields, **(attributes or {})}
        if perm == sorted(perm):
            self.rebuild(op.op_type, operands, fields)
            return
        new = make_node(
            op.op_type,
            operands,
            [inner_name(n, perm) for n in op.output_names],
            attributes=fields,
            result_types=[
                tensor(element_type(r.type), permuted(shape_of(r), inverse(perm)))
                for r in op.results
            ],
            node_name=f"{node}/nchw",
            location=op.location,
        )
        out = [
            make_transpose(
                inner, perm, op.value_name(i), old.type, f"{node}/{i}" if i else node, op.location
            )
            for i, (old, inner) in enumerate(zip(op.results, new.results, strict=True))
        ]
        self.rewriter.replace(op, [new, *out], [t.results[0] for t in out])


Sink = Callable[[Behind], None]


def _elementwise(b: Behind) -> None:
    """relu(transpose(x, p)) -> transpose(relu(x), p); other operands get the inverse, if that pays"""
    perm = b.common_perm()
    if perm is None:
        return
    operands: list[SSAValue | None] = []
    foreign: list[int] = []
    for i, value in enumerate(b.op.inputs):
        if value is None:
            operands.append(None)
            continue
        source, p = through(value)
        if p == perm:
            operands.append(source)
            continue
        shape = shape_of(value)
        if shape is None or len(shape) > len(perm):
            return why(b.op, f"operand {i} has another rank than what is transposed")
        if all(d == 1 for d in shape):
            operands.append(value)
        elif (constant := b.constants.source(value)) is not None:
            operands.append(b.moved_constant(constant, perm, i))
        elif len(shape) == len(perm):
            foreign.append(i)
            operands.append(value)
        else:
            return why(b.op, f"operand {i} has another rank than what is transposed")
    if foreign and not b.meets_inverse(perm):
        return why(b.op, "an operand is not transposed, and nothing transposes the result back")
    for i in foreign:
        value = operands[i]
        assert value is not None
        operands[i] = b.transposed(value, inverse(perm), f"operand{i}")
    return b.sink(operands, perm)


def _along_axis(b: Behind) -> None:
    """concat(transpose(x, p), ..., axis=a) -> transpose(concat(x, ..., axis=p[a]), p), and others alike"""
    perm = b.common_perm()
    if perm is None:
        return
    op = b.op
    data = op.inputs if op.op_type == "Concat" else op.inputs[:1]
    operands: list[SSAValue | None] = []
    for i, value in enumerate(data):
        if value is None:
            return
        source, p = through(value)
        if p == perm:
            operands.append(source)
            continue
        constant = b.constants.source(value)
        if constant is None or len(shape_of(value) or ()) != len(perm):
            return why(op, f"operand {i} is neither transposed so nor constant")
        operands.append(b.moved_constant(constant, perm, i))
    default = 0 if op.op_type == "Split" else -1
    axis = cast("int", op.attribute("axis", default)) % len(perm)
    b.sink([*operands, *op.inputs[len(data) :]], perm, {"axis": perm[axis]})


def _reduction(b: Behind) -> None:
    """reduce_mean(transpose(x, p), axes) -> transpose(reduce_mean(x, p[axes]), the p that remains)"""
    source, perm = through(b.op.operands[0])
    axes = b.constants.array(b.op.operands[1]) if len(b.op.operands) > 1 else None
    if perm is None or axes is None or axes.size == 0:
        return
    outer = {int(a) % len(perm) for a in axes.reshape(-1)}
    new_axes = b.ints(sorted(perm[a] for a in outer), "axes_moved")
    keep = bool(b.op.attribute("keepdims", 1))
    b.sink([source, new_axes], _remaining_perm(perm, outer, keep))


def _arg_reduction(b: Behind) -> None:
    """arg_max(transpose(x, p), axis=a) -> transpose(arg_max(x, axis=p[a]), the p that remains)"""
    source, perm = through(b.op.operands[0])
    if perm is None:
        return
    axis = cast("int", b.op.attribute("axis", 0)) % len(perm)
    keep = bool(b.op.attribute("keepdims", 1))
    b.sink([source], _remaining_perm(perm, {axis}, keep), {"axis": perm[axis]})


def _pad(b: Behind) -> None:
    """pad(transpose(x, p), pads) -> transpose(pad(x, pads permuted), p)"""
    source, perm = through(b.op.operands[0])
    inputs = b.op.inputs
    pads = None if inputs[1] is None else b.constants.array(inputs[1])
    if perm is None or pads is None or len(inputs) > 3 or pads.size != 2 * len(perm):
        return
    moved = [int(row[i]) for row in pads.reshape(2, -1) for i in inverse(perm)]
    b.sink([source, b.ints(moved, "pads_moved"), *inputs[2:]], perm)


def _slice(b: Behind) -> None:
    """slice(transpose(x, p), axes) -> transpose(slice(x, p[axes]), p)"""
    source, perm = through(b.op.operands[0])
    inputs = b.op.inputs
    axes_value = inputs[3] if len(inputs) > 3 else None
    axes = None if axes_value is None else b.constants.array(axes_value)
    if perm is None or axes is None:
        return
    inner = [perm[int(a) % len(perm)] for a in axes.reshape(-1)]
    b.sink([source, *inputs[1:3], b.ints(inner, "axes_moved"), *inputs[4:]], perm)


def _squeeze(b: Behind) -> None:
    """squeeze(transpose(x, p), axes) -> transpose(squeeze(x, p[axes]), the p that remains)"""
    source, perm = through(b.op.operands[0])
    axes = b.constants.array(b.op.operands[1]) if len(b.op.operands) > 1 else None
    if perm is None or axes is None:
        return
    outer = {int(a) % len(perm) for a in axes.reshape(-1)}
    new_axes = b.ints(sorted(perm[a] for a in outer), "axes_moved")
    b.sink([source, new_axes], _remaining_perm(perm, outer, False))


def _reshape(b: Behind) -> None:
    """reshape(transpose(x)) -> reshape(x), where only dimensions of size 1 move"""
    source, perm = through(b.op.operands[0])
    if perm is None:
        return
    shape, dims = shape_of(source), b.constants.array(b.op.operands[1])
    if shape is None or dims is None or not moves_only_ones(shape, perm):
        return why(b.op, "the transpose in front of it may move elements")
    if 0 not in dims and not (-1 in dims and 0 in shape):
        set_operand(b.rewriter, b.op, 0, source)
    return None


def _shape(b: Behind) -> None:
    """shape(transpose(x, p)) -> gather(shape(x), p)"""
    op = b.op
    source, perm = through(op.operands[0])
    if perm is None or op.fields:
        return
    inner = make_node(
        "Shape",
        [source],
        [f"{op.value_name(0)}/unmoved"],
        result_types=[op.results[0].type],
        node_name=f"{op.node_name.data}/unmoved",
        location=op.location,
    )
    b.rewriter.insert(inner)
    b.rebuild("Gather", [inner.results[0], b.ints(perm, "order")], {"axis": 0})


SINKS: dict[Sink, frozenset[str]] = {
    _along_axis: ALONG_AXIS,
    _arg_reduction: words("ArgMax ArgMin"),
    _elementwise: ELEMENTWISE,
    _pad: words("Pad"),
    _reduction: REDUCTIONS,
    _reshape: words("Reshape"),
    _shape: words("Shape"),
    _slice: words("Slice"),
    _squeeze: words("Squeeze"),
}
"""How transposes get through ops, with the types of the ops."""


class SinkTranspose(Pattern[OnnxOp]):
    """op(transpose(x, p)) -> transpose(op(x), p), as the rule for the op's type says."""

    def __init__(self, rule: Sink, op_types: frozenset[str], constants: KnownValues):
        self.rule = rule
        self.op_types = op_types
        self.constants = constants

    @property
    def label(self) -> str:
        return f"SinkTranspose({self.rule.__name__.strip('_')})"

    def takes(self, op: Operation) -> bool:
        return isinstance(op, OnnxOp) and op.op_type in self.op_types and not op.domain

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        self.rule(Behind(op, rewriter, self.constants))


class ComposeTransposes(Pattern[TransposeOp]):
    """transpose(transpose(x, p), q) -> transpose(x, p[q]), or x where that moves nothing

    transpose(reshape(x)) -> reshape(x), where only dimensions of size 1 move
    """

    def __init__(self, constants: KnownValues, keep: frozenset[str]):
        self.constants = constants
        self.keep = keep

    def rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        q = perm_of(op)
        source, p = through(op.operands[0])
        if p is not None:
            q = [p[i] for i in q]
            set_operand(rewriter, op, 0, source)
            op.properties["perm"] = field_attr(q)
        b = Behind(op, rewriter, self.constants)
        if q != sorted(q):
            _reshape_instead(b)
        elif op.value_name(0) in self.keep:
            b.rebuild("Identity", [source], {})
        else:
            rewriter.replace_all_uses_with(op.results[0], source)
            rewriter.erase(op)


def _reshape_instead(b: Behind) -> None:
    """transpose(reshape(x)) -> reshape(x), where only dimensions of size 1 move"""
    value = b.op.operands[0]
    producer = value.owner
    if not isinstance(producer, OnnxOp) or producer.op_type != "Reshape" or producer.domain:
        return
    shape, perm = shape_of(value), perm_of(b.op)
    if shape is None or not moves_only_ones(shape, perm) or sum(d < 0 for d in shape) > 1:
        return why(b.op, "it moves elements of what is reshaped in front of it")
    if 0 not in shape:
        dims = [-1 if shape[p] < 0 else shape[p] for p in perm]
        b.rebuild("Reshape", [producer.operands[0], b.ints(dims, "shape")], {})
    return None


def sinking(constants: KnownValues, keep: frozenset[str]) -> list[Pattern[Any]]:
    """The patterns that pull transposes down; the values called `keep` stay."""
    return [
        ComposeTransposes(constants, keep),
        *(SinkTranspose(rule, op_types, constants) for rule, op_types in SINKS.items()),
    ]


def through(value: SSAValue) -> tuple[SSAValue, list[int] | None]:
    """The operand and the permutation of a transpose that produces `value`; else `value` and None."""
    owner = value.owner
    if isinstance(owner, OnnxOp) and owner.op_type == "Transpose" and not owner.domain:
        return owner.operands[0], perm_of(owner)
    return value, None


def perm_of(op: OnnxOp) -> list[int]:
    """The permutation of a Transpose."""
    perm = cast("list[int] | None", op.attribute("perm"))
    if perm is None:
        perm = list(reversed(range(len(shape_of(op.operands[0]) or ()))))
    return list(perm)


def inverse(perm: Sequence[int]) -> list[int]:
    """The permutation that undoes `perm`."""
    out = [0] * len(perm)
    for i, p in enumerate(perm):
        out[p] = i
    return out


def inner_name(name: str, perm: Sequence[int]) -> str:
    """The name of a value before its transpose; an op may be moved more than once."""
    what = "nchw" if list(perm) == [0, *range(2, len(perm)), 1] else "t" + "".join(map(str, perm))
    return f"{name}/{what}"


def _remaining_perm(perm: Sequence[int], removed: set[int], keep: bool) -> list[int]:
    """The transpose that remains behind a reduction of the outer axes `removed`."""
    if keep:
        return list(perm)
    remaining = [p for i, p in enumerate(perm) if i not in removed]
    order = sorted(remaining)
    return [order.index(p) for p in remaining]


def moves_only_ones(shape: Sequence[int], perm: Sequence[int]) -> bool:
    """Whether a transpose leaves the elements of a value of this shape in their order in memory."""
    moved = [p for p in perm if shape[p] != 1]
    return moved == sorted(moved)
