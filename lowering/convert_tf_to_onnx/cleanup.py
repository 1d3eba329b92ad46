"""What follows the conversions: batch norms re-composed, identities and cancelling transposes gone.

Conversions of layout-bound ops leave a transpose on each side. They are removed by one walk down the graph
that pulls transposes through the ops behind them until they meet their inverse:

    relu(transpose(x, p))                 -> transpose(relu(x), p), and all elementwise ops alike
    add(transpose(x, p), transpose(y, p)) -> transpose(add(x, y), p)
    add(transpose(x, p), constant)        -> transpose(add(x, constant permuted), p)
    concat(transpose(x, p), ..., axis=a)  -> transpose(concat(x, ..., axis=p[a]), p)
    reduce_mean(transpose(x, p), axes)    -> transpose(reduce_mean(x, p[axes]), the p of what is left)
    shape(transpose(x, p))                -> gather(shape(x), p)
    transpose(transpose(x, p), q)         -> transpose(x, p[q]), or x

An op that moves gets its name with `/nchw` behind it; the transpose behind it keeps the TensorFlow name and
layout, and goes where nobody reads that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from autosplit.dialects.onnx.ops import InitializerOp, OnnxOp, make_node
from autosplit.dialects.platform import element_type
from autosplit.lowering.convert_tf_to_onnx.batch_norm import recompose_batch_norms
from autosplit.lowering.convert_tf_to_onnx.builder import rename
from autosplit.lowering.convert_tf_to_onnx.constants import Constants
from autosplit.lowering.convert_tf_to_onnx.types import permuted, shape_of, static_of, tensor, words

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


def clean_up(block: Block, constants: Constants, keep: frozenset[str]) -> None:
    """Simplifies the onnx ops of a block in place. The values called `keep` stay, in their layout."""
    constants.forget()
    fold_constant_moves(block, constants)
    remove_identities(block, keep)
    remove_dead(block, keep)
    recompose_batch_norms(block, constants)
    _Sinking(block, constants, keep).run()
    remove_identities(block, keep)
    remove_dead(block, keep)


def onnx_ops(block: Block) -> list[OnnxOp]:
    """The nodes of a block that are ONNX's own, constants aside."""
    return [
        op
        for op in block.ops
        if isinstance(op, OnnxOp) and not isinstance(op, InitializerOp) and not op.domain
    ]


def remove_identities(block: Block, keep: frozenset[str]) -> None:
    """identity(x) -> x, except for results that must keep their name"""
    for op in onnx_ops(block):
        if op.op_type != "Identity":
            continue
        source = op.operands[0]
        if op.value_name(0) in keep:
            _pull_name(op, keep)
            continue
        op.results[0].replace_all_uses_with(source)
        Rewriter.erase_op(op)


def _pull_name(op: OnnxOp, keep: frozenset[str]) -> None:
    """Where only an Identity reads a value, the value can have the Identity's name itself."""
    source = op.operands[0]
    maker = source.owner
    if not isinstance(maker, OnnxOp) or isinstance(maker, InitializerOp):
        return
    index = maker.results.index(source)
    if not source.has_one_use() or maker.value_name(index) in keep or maker.parent is not op.parent:
        return
    name = op.value_name(0)
    located_at = op.location
    op.results[0].replace_all_uses_with(source)
    Rewriter.erase_op(op)
    rename(maker, index, name)
    maker.location = join_locations(maker.location, located_at)


def fold_constant_moves(block: Block, constants: Constants) -> None:
    """reshape(constant), squeeze, unsqueeze and transpose alike -> a constant, its data left in place"""
    for op in onnx_ops(block):
        if op.op_type not in ("Reshape", "Squeeze", "Unsqueeze", "Transpose"):
            continue
        source = constants.source(op.operands[0])
        given = None if source is None else static_of(source.results[0])
        if source is None or given is None:
            continue
        perm = list(range(len(given)))
        shape: Sequence[int] | None = None
        if op.op_type == "Transpose":
            perm = cast("list[int]", op.attribute("perm"))
        elif (shape := moved_shape(op, given, constants)) is None:
            continue
        name = op.value_name(0)
        new = constants.rearrange(source, perm, shape, name, op.location)
        Rewriter.replace_op(op, new)


def moved_shape(op: OnnxOp, given: Sequence[int], constants: Constants) -> Sequence[int] | None:
    """The shape of a reshaped, squeezed or unsqueezed constant; None where it is not known."""
    import numpy as np

    operand = constants.array(op.operands[1]) if len(op.operands) > 1 else None
    if operand is None and (op.op_type != "Squeeze" or len(op.operands) > 1):
        return None
    # A view of no bytes: only its shape matters.
    view = np.broadcast_to(np.zeros((), np.bool_), tuple(given))
    axes = None if operand is None else tuple(int(a) for a in operand.reshape(-1))
    try:
        if op.op_type == "Squeeze":
            return np.squeeze(view, axes).shape
        if op.op_type == "Unsqueeze":
            return np.expand_dims(view, axes or ()).shape
        dims = [int(d) for d in (operand if operand is not None else ())]
        if not op.attribute("allowzero", 0):
            dims = [given[i] if d == 0 else d for i, d in enumerate(dims)]
        return view.reshape(dims).shape
    except (ValueError, IndexError):
        return None


def remove_dead(block: Block, keep: frozenset[str]) -> None:
    """Removes onnx ops of which nobody reads any result, nor wants it by name."""
    for op in reversed(list(iter(block.ops))):
        if not isinstance(op, OnnxOp):
            continue
        if any(r.first_use is not None for r in op.results):
            continue
        if any(name in keep for name in op.output_names):
            continue
        Rewriter.erase_op(op)


def join_locations(a: Any, b: Any) -> Any:
    from autosplit.dialects.platform import location_names, name_location

    return name_location([*location_names(a), *location_names(b)])


class _Sinking:
    """Pulls transposes down through one block."""

    def __init__(self, block: Block, constants: Constants, keep: frozenset[str]):
        self.block = block
        self.constants = constants
        self.keep = keep

    def run(self) -> None:
        for op in onnx_ops(self.block):
            self.visit(op)

    def visit(self, op: OnnxOp) -> None:
        kind = op.op_type
        if kind == "Transpose":
            self.compose(op)
        elif kind in ELEMENTWISE:
            self.elementwise(op)
        elif kind in ALONG_AXIS:
            self.along_axis(op)
        elif kind in REDUCTIONS:
            self.reduction(op)
        elif kind in ("ArgMax", "ArgMin"):
            self.arg_reduction(op)
        elif kind == "Pad":
            self.pad(op)
        elif kind == "Slice":
            self.slice(op)
        elif kind in ("Reshape", "Squeeze"):
            self.flatten(op)
        elif kind == "Shape" and not op.fields:
            self.shape(op)

    # Transposes themselves.

    def compose(self, op: OnnxOp) -> None:
        """transpose(transpose(x, p), q) -> transpose(x, p[q]), or x where that moves nothing"""
        q = perm_of(op)
        source, p = self.through(op.operands[0])
        if p is not None:
            q = [p[i] for i in q]
            op.operands[0] = source
            op.properties["perm"] = _perm_attr(q)
        if q == sorted(q):
            self.forward(op, op.operands[0])
            return
        self.reshape_instead(op)

    def forward(self, op: OnnxOp, value: SSAValue) -> None:
        if op.value_name(0) not in self.keep:
            op.results[0].replace_all_uses_with(value)
            Rewriter.erase_op(op)
            return
        new = make_node(
            "Identity",
            [value],
            op.output_names,
            result_types=[op.results[0].type],
            node_name=op.node_name.data,
            location=op.location,
        )
        Rewriter.replace_op(op, new)

    def reshape_instead(self, op: OnnxOp) -> None:
        """transpose(reshape(x)) -> reshape(x), where only dimensions of size 1 move"""
        maker = op.operands[0].owner
        if not isinstance(maker, OnnxOp) or maker.op_type != "Reshape" or maker.domain:
            return
        given = shape_of(op.operands[0])
        perm = perm_of(op)
        if given is None or not moves_only_ones(given, perm) or sum(d < 0 for d in given) > 1:
            return
        if 0 in given:
            return
        dims = [-1 if given[p] < 0 else given[p] for p in perm]
        self.rebuild(op, "Reshape", [maker.operands[0], self.ints(op, dims, "shape")], {})

    # What stands behind them.

    def elementwise(self, op: OnnxOp) -> None:
        perm = self.common_perm(op)
        if perm is None:
            return
        operands: list[SSAValue | None] = []
        foreign: list[int] = []
        for i, value in enumerate(op.inputs):
            if value is None:
                operands.append(None)
                continue
            source, p = self.through(value)
            if p == perm:
                operands.append(source)
                continue
            shape = shape_of(value)
            if shape is None or len(shape) > len(perm):
                return
            if all(d == 1 for d in shape):
                operands.append(value)
            elif (constant := self.constants.source(value)) is not None:
                operands.append(self.moved_constant(op, constant, perm, i))
            elif len(shape) == len(perm):
                foreign.append(i)
                operands.append(value)
            else:
                return
        if foreign and not self.meets_inverse(op, perm):
            return
        for i in foreign:
            value = operands[i]
            assert value is not None
            operands[i] = self.transposed(op, value, inverse(perm), f"operand{i}")
        self.sink(op, operands, perm, {})

    def along_axis(self, op: OnnxOp) -> None:
        perm = self.common_perm(op)
        if perm is None:
            return
        data = op.inputs if op.op_type == "Concat" else op.inputs[:1]
        operands: list[SSAValue | None] = []
        for i, value in enumerate(data):
            if value is None:
                return
            source, p = self.through(value)
            if p == perm:
                operands.append(source)
            elif (constant := self.constants.source(value)) is not None and len(
                shape_of(value) or ()
            ) == len(perm):
                operands.append(self.moved_constant(op, constant, perm, i))
            else:
                return
        default = 0 if op.op_type == "Split" else -1
        axis = cast("int", op.attribute("axis", default)) % len(perm)
        self.sink(op, [*operands, *op.inputs[len(data) :]], perm, {"axis": perm[axis]})

    def reduction(self, op: OnnxOp) -> None:
        source, perm = self.through(op.operands[0])
        axes = self.constants.array(op.operands[1]) if len(op.operands) > 1 else None
        if perm is None or axes is None or axes.size == 0:
            return
        outer = {int(a) % len(perm) for a in axes.reshape(-1)}
        inner = sorted(perm[a] for a in outer)
        keep = bool(op.attribute("keepdims", 1))
        new_axes = self.ints(op, inner, "axes_moved")
        self.sink(op, [source, new_axes], _perm_left(perm, outer, keep), {})

    def arg_reduction(self, op: OnnxOp) -> None:
        source, perm = self.through(op.operands[0])
        if perm is None:
            return
        axis = cast("int", op.attribute("axis", 0)) % len(perm)
        keep = bool(op.attribute("keepdims", 1))
        self.sink(op, [source], _perm_left(perm, {axis}, keep), {"axis": perm[axis]})

    def pad(self, op: OnnxOp) -> None:
        source, perm = self.through(op.operands[0])
        inputs = op.inputs
        pads = None if inputs[1] is None else self.constants.array(inputs[1])
        if perm is None or pads is None or len(inputs) > 3 or pads.size != 2 * len(perm):
            return
        low, high = pads.reshape(2, -1)
        inner = inverse(perm)
        moved = [*(int(low[i]) for i in inner), *(int(high[i]) for i in inner)]
        self.sink(op, [source, self.ints(op, moved, "pads_moved"), *inputs[2:]], perm, {})

    def slice(self, op: OnnxOp) -> None:
        source, perm = self.through(op.operands[0])
        inputs = op.inputs
        given = inputs[3] if len(inputs) > 3 else None
        axes = None if given is None else self.constants.array(given)
        if perm is None or axes is None:
            return
        inner = [perm[int(a) % len(perm)] for a in axes.reshape(-1)]
        moved = [source, *inputs[1:3], self.ints(op, inner, "axes_moved"), *inputs[4:]]
        self.sink(op, moved, perm, {})

    def flatten(self, op: OnnxOp) -> None:
        """reshape(transpose(x)) -> reshape(x), where only dimensions of size 1 move; squeeze alike"""
        source, perm = self.through(op.operands[0])
        shape = shape_of(source)
        if perm is None:
            return
        if op.op_type == "Squeeze":
            axes = self.constants.array(op.operands[1]) if len(op.operands) > 1 else None
            if axes is None:
                return
            outer = {int(a) % len(perm) for a in axes.reshape(-1)}
            left = _perm_left(perm, outer, False)
            inner = sorted(perm[a] for a in outer)
            self.sink(op, [source, self.ints(op, inner, "axes_moved")], left, {})
            return
        dims = self.constants.array(op.operands[1])
        if shape is None or dims is None or not moves_only_ones(shape, perm):
            return
        if 0 in dims or (-1 in dims and 0 in shape):
            return
        op.operands[0] = source

    def shape(self, op: OnnxOp) -> None:
        """shape(transpose(x, p)) -> gather(shape(x), p)"""
        source, perm = self.through(op.operands[0])
        if perm is None:
            return
        inner = make_node(
            "Shape",
            [source],
            [f"{self.base(op)}/unmoved"],
            result_types=[op.results[0].type],
            node_name=f"{op.node_name.data}/unmoved",
            location=op.location,
        )
        self.block.insert_op_before(inner, op)
        order = self.ints(op, perm, "order")
        self.rebuild(op, "Gather", [inner.results[0], order], {"axis": 0})

    # Tools.

    def through(self, value: SSAValue) -> tuple[SSAValue, list[int] | None]:
        """What a transpose that made `value` reads, and its permutation; else `value` and None."""
        owner = value.owner
        if isinstance(owner, OnnxOp) and owner.op_type == "Transpose" and not owner.domain:
            return owner.operands[0], perm_of(owner)
        return value, None

    def common_perm(self, op: OnnxOp) -> list[int] | None:
        """The permutation of the operands that are transposed; None where there are none or several."""
        found: list[int] | None = None
        for value in op.operands:
            _, perm = self.through(value)
            if perm is None:
                continue
            if found is not None and perm != found:
                return None
            found = perm
        return found

    def meets_inverse(self, op: OnnxOp, perm: list[int]) -> bool:
        """Whether somebody transposes the result back."""
        for use in op.results[0].uses:
            user = use.operation
            if isinstance(user, OnnxOp) and user.op_type == "Transpose":
                return perm_of(user) == inverse(perm)
        return False

    def moved_constant(
        self, op: OnnxOp, constant: InitializerOp, perm: list[int], index: int
    ) -> SSAValue:
        """A constant as it broadcasts against operands before the transpose `perm`."""
        shape = static_of(constant.results[0])
        assert shape is not None
        rank = len(perm)
        full = (1,) * (rank - len(shape)) + shape
        dims = [full[p] for p in inverse(perm)]
        while dims and dims[0] == 1 and len(dims) > 1:
            dims = dims[1:]
        # Dimensions of size 1 in front do not count, so permute what there is.
        order = [p - (rank - len(shape)) for p in inverse(perm) if p >= rank - len(shape)]
        name = f"{self.base(op)}/operand{index}_moved"
        new = self.constants.rearrange(constant, order, dims, name, op.location)
        self.block.insert_op_before(new, op)
        return new.results[0]

    def ints(self, op: OnnxOp, values: Sequence[int], what: str) -> SSAValue:
        new = self.constants.ints(f"{self.base(op)}/{what}", values, op.location)
        self.block.insert_op_before(new, op)
        return new.results[0]

    def base(self, op: OnnxOp) -> str:
        return op.value_name(0)

    def transposed(self, op: OnnxOp, value: SSAValue, perm: list[int], what: str) -> SSAValue:
        shape = permuted(shape_of(value), perm)
        name = f"{self.base(op)}/{what}"
        new = make_node(
            "Transpose",
            [value],
            [name],
            attributes={"perm": perm},
            result_types=[tensor(element_type(value.type), shape)],
            node_name=name.replace(":0", "", 1),
            location=op.location,
        )
        self.block.insert_op_before(new, op)
        return new.results[0]

    def rebuild(
        self,
        op: OnnxOp,
        kind: str,
        operands: Sequence[SSAValue | None],
        attributes: dict[str, object],
    ) -> None:
        """Puts another op in the place of `op`, under its names."""
        new = make_node(
            kind,
            operands,
            op.output_names,
            attributes=attributes,
            result_types=[r.type for r in op.results],
            node_name=op.node_name.data,
            location=op.location,
        )
        Rewriter.replace_op(op, new)

    def sink(
        self,
        op: OnnxOp,
        operands: Sequence[SSAValue | None],
        perm: list[int],
        attributes: dict[str, object],
    ) -> None:
        """op(transpose(x, p)) -> transpose(op(x), p), every result"""
        back = inverse(perm)
        moving = perm != sorted(perm)
        names = [inner_name(n, perm) if moving else n for n in op.output_names]
        types: list[Attribute] = []
        for result in op.results:
            shape = shape_of(result)
            types.append(
                tensor(element_type(result.type), permuted(shape, back)) if moving else result.type
            )
        new = make_node(
            op.op_type,
            operands,
            names,
            attributes={**op.fields, **attributes},
            result_types=types,
            node_name=f"{op.node_name.data}/nchw" if moving else op.node_name.data,
            location=op.location,
        )
        if not moving:
            Rewriter.replace_op(op, new)
            return
        out: list[Operation] = [new]
        for i, (result, inner) in enumerate(zip(op.results, new.results, strict=True)):
            name = op.value_name(i)
            out.append(
                make_node(
                    "Transpose",
                    [inner],
                    [name],
                    attributes={"perm": perm},
                    result_types=[result.type],
                    node_name=op.node_name.data if i == 0 else f"{op.node_name.data}/{i}",
                    location=op.location,
                )
            )
        Rewriter.replace_op(op, out, [t.results[0] for t in out[1:]])


def perm_of(op: OnnxOp) -> list[int]:
    """The permutation of a Transpose."""
    perm = cast("list[int] | None", op.attribute("perm"))
    if perm is None:
        perm = list(reversed(range(len(shape_of(op.operands[0]) or ()))))
    return list(perm)


def _perm_attr(perm: Sequence[int]) -> Attribute:
    from autosplit.dialects.onnx.ops import field_attr

    return field_attr(list(perm))


def inverse(perm: Sequence[int]) -> list[int]:
    """The permutation that undoes `perm`."""
    out = [0] * len(perm)
    for i, p in enumerate(perm):
        out[p] = i
    return out


def inner_name(name: str, perm: Sequence[int]) -> str:
    """The name of a value before its transpose; an op may move more than once."""
    what = "nchw" if list(perm) == [0, *range(2, len(perm)), 1] else "t" + "".join(map(str, perm))
    return f"{name}/{what}"


def _perm_left(perm: Sequence[int], removed: set[int], keep: bool) -> list[int]:
    """The transpose that is left behind a reduction of the outer axes `removed`."""
    if keep:
        return list(perm)
    left = [p for i, p in enumerate(perm) if i not in removed]
    order = sorted(left)
    return [order.index(p) for p in left]


def moves_only_ones(shape: Sequence[int], perm: Sequence[int]) -> bool:
    """Whether a transpose leaves the elements of a value of this shape in their order in memory."""
    moved = [p for p in perm if shape[p] != 1]
    return moved == sorted(moved)
