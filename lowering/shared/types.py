"""Joining two types of one value, and the types that one run of ONNX's inference finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    ModuleOp,
    NoneAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from autosplit.core.dtypes import dim_names, ranked_type
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    TENSORS,
    DimsAttr,
    LocalType,
    UnknownType,
    element_type,
    set_type,
    shape_of,
    value_name,
)
from autosplit.lowering.shared.blocks import outer_blocks


def measurable(type: Attribute) -> bool:
    """Whether running the model can tell the shape of a value of this type: tensors, and unknown types."""
    return isinstance(type, UnknownType | UnrankedTensorType | TensorType)


def contradicts(known: Attribute, inferred: Attribute) -> bool:
    """Whether no value can be of both types."""
    a, b = tensor_type(known), tensor_type(inferred)
    if a is None or b is None:
        return False
    if a.element_type != b.element_type:
        return True
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)):
        return False
    left, right = shape_of(a), shape_of(b)
    if left == right:
        return False
    assert left is not None
    assert right is not None
    if len(left) != len(right):
        return True
    return any(x != y and x >= 0 and y >= 0 for x, y in zip(left, right, strict=True))


def join(known: Attribute, inferred: Attribute) -> Attribute:
    """What two types of one value say together; `known` if they contradict each other."""
    if known is inferred or known == inferred:
        return known
    a, b = tensor_type(known), tensor_type(inferred)
    if isinstance(known, UnknownType) and isinstance(inferred, LocalType):
        return inferred
    if b is None or contradicts(known, inferred):
        return known
    if a is None:
        return inferred if isinstance(known, UnknownType) else known
    if not isinstance(b, TensorType):
        return known
    if not isinstance(a, TensorType):
        return inferred
    sizes = [x if x >= 0 else y for x, y in zip(shape_of(a) or (), shape_of(b) or (), strict=True)]
    names: list[str] = []
    if isinstance(a.encoding, DimsAttr) or isinstance(b.encoding, DimsAttr):
        names = [n or m for n, m in zip(dim_names(a), dim_names(b), strict=True)]
        names = [n if size < 0 else "" for n, size in zip(names, sizes, strict=True)]
    if not any(names) and not isinstance(a.encoding, NoneAttr | DimsAttr):
        return TensorType(a.element_type, sizes, a.encoding)
    return ranked_type(a.element_type, sizes, names)


AnyTensor = TensorType[Attribute] | UnrankedTensorType[Attribute]


def tensor_type(type: Attribute) -> AnyTensor | None:
    return cast("AnyTensor", type) if isinstance(type, TENSORS) else None


Orders = Mapping[Block, Sequence[Operation]]
"""The ops of blocks as `data_order` has them."""


def refine_types(
    module: ModuleOp, store: WeightStore | None, orders: Orders, correct: bool = False
) -> bool:
    """Gives the values of an ONNX module the types that one run of the inference finds.

    Never loses information. True if any type became better. With `correct`, a declared shape that
    contradicts what follows from the inputs gives way, as it does in a runtime; exporters often get the
    shapes of outputs wrong. Another element type raises AutosplitError.
    """
    from autosplit.lowering.shared.protos import StrippedModel, opset_of, type_of_proto

    changed = False
    for block in outer_blocks(module):
        if not any(isinstance(op, OnnxOp) for op in block.ops):
            continue
        names = _symbols(block)
        model = StrippedModel(block, opset_of(module), store, orders[block])
        changed |= _refine_same_types(model.same_typed)
        for _ in range(2):
            inferred = model.inferred()
            better = False
            missed = False
            for value, proto in inferred.items():
                from_proto = type_of_proto(proto, names)
                if from_proto is None or from_proto is value.type or from_proto == value.type:
                    continue
                if correct and contradicts(value.type, from_proto):
                    joined = corrected(value, from_proto)
                else:
                    joined = join(value.type, from_proto)
                if joined != value.type:
                    set_type(value, joined)
                    better = True
                elif not isinstance(value.type, UnknownType):
                    missed = True
            changed |= better
            if not missed:
                break
            # Once more with the types that the model declares, since the inference alone knew less.
            model.add_known_types()
    return changed


def _refine_same_types(ops: Iterable[OnnxOp]) -> bool:
    changed = False
    for op in ops:
        joined = join(op.results[0].type, op.operands[0].type)
        changed |= joined != op.results[0].type
        set_type(op.results[0], joined)
    return changed


def _symbols(block: Block) -> frozenset[str]:
    """The names of dimensions that the inputs of a graph declare."""
    names: set[str] = set()
    for argument in block.args:
        if isinstance(argument.type, TensorType):
            names.update(dim_names(cast("TensorType[Attribute]", argument.type)))
    return frozenset(names - {""})


def corrected(value: SSAValue, inferred: Attribute) -> Attribute:
    """The inferred type of a value whose declared shape contradicts it.

    Raises AutosplitError if the element types differ: no runtime takes that.
    """
    if element_type(value.type) == element_type(inferred):
        return inferred
    raise AutosplitError(
        f"value {value_name(value)!r} is declared as {value.type}, but the inputs make it {inferred}: "
        "correct the types that the model declares"
    )


def known_elements(type: Attribute) -> int:
    """The elements of a tensor; unknown dimensions count as 1."""
    return prod(max(d, 1) for d in type.get_shape()) if isinstance(type, TensorType) else 1
