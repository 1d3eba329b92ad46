"""Binary arithmetic in the form that fuses: no neutral constants, single numbers second and as vectors.

Each function looks at one op in canonical form and says whether it changed anything.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.normalize_onnx.canonical import Canonical
from autosplit.lowering.shared.fold import AnyArray
from autosplit.lowering.shared.types import join

COMMUTATIVE = frozenset({"Add", "Mul", "Max", "Min"})
BINARY = frozenset({*COMMUTATIVE, "Div", "Sub"})

_NEUTRAL = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1}


def prepare_binary(c: Canonical, op: OnnxOp) -> bool:
    """Brings an op of two operands, one of them constant, to its plainest form."""
    if len(op.operands) != 2:
        return False
    return _swap(c, op) or _drop_neutral(c, op) or _make_vector(c, op)


def _swap(c: Canonical, op: OnnxOp) -> bool:
    """A constant of one element is the second operand where the order does not matter."""
    if op.op_type not in COMMUTATIVE:
        return False
    first, second = op.operands
    if c.constants.is_constant(second) or _single(c, op, 0) is None:
        return False
    op.operands[0], op.operands[1] = second, first
    return True


def _single(c: Canonical, op: OnnxOp, index: int) -> AnyArray | None:
    """The constant of operand `index` where it has one element."""
    array = c.constants.array(op.operands[index])
    return array if array is not None and array.size == 1 and array.dtype.kind in "biuf" else None


def _drop_neutral(c: Canonical, op: OnnxOp) -> bool:
    """x + 0, x - 0, x * 1 and x / 1 are x, where type and shape stay."""
    neutral = _NEUTRAL.get(op.op_type)
    array = None if neutral is None else c.constants.array(op.operands[1])
    if array is None or array.size == 0 or not (array == neutral).all():
        return False
    x = op.operands[0]
    shape = shape_of(x.type)
    if shape is None or not _fits_into(array.shape, shape):
        return False
    if join(x.type, op.results[0].type) != x.type:
        return False
    c.replace_value(op, x)
    return True


def _fits_into(small: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether broadcasting `small` to `shape` leaves `shape` as it is, whatever its unknown sizes are."""
    if len(small) > len(shape):
        return False
    return all(a in (1, b) for a, b in zip(small[::-1], shape[::-1], strict=False))


def _make_vector(c: Canonical, op: OnnxOp) -> bool:
    """A second operand of one f32 is a vector of one element: the library knows no scalars."""
    array = _single(c, op, 1)
    shape = shape_of(op.operands[0].type)
    if array is None or shape is None or array.shape == (1,):
        return False
    # A constant of higher rank would take dimensions away from the result.
    if element_type(op.operands[1].type) != f32 or not shape or array.ndim > len(shape):
        return False
    op.operands[1] = c.constant(op, "number", array.reshape(1))
    return True
