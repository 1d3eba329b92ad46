"""Whether an op's result shares memory with an operand.

Schemas tell it for views. Some ops copy only if they must, and their schema cannot say when (`reshape`,
`contiguous`, `to`); some return an operand although their schema does not say so (`dropout` outside
of training).
"""

from __future__ import annotations

from enum import Enum, auto

from xdsl.ir import Attribute

from autosplit.dialects.aten.memory import CONVERTING, COPIED, MEMORY, RESHAPING, SHARED
from autosplit.dialects.platform import element_type, shape_of
from autosplit.lowering.reduce_mutation.calls import AtenCall


class Sharing(Enum):
    """How an op's result relates to the memory of an operand."""

    none = auto()
    view = auto()
    unknown = auto()


NOTED: dict[Attribute | None, Sharing] = {
    COPIED: Sharing.none,
    SHARED: Sharing.view,
}

MAYBE = frozenset(
    {
        *("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "meshgrid", "einsum"),
        *("_unsafe_view", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"),
    }
)
DROPPING = frozenset({"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"})


def sources_of(call: AtenCall, index: int) -> list[int]:
    """The operands whose memory a result may share."""
    returns = call.spec.returns
    letters = set(returns[min(index, len(returns) - 1)].alias.split("|")) - {""}
    return [i for i, slot in enumerate(call.slots) if letters & set(slot.alias.split("|"))]


def sharing_of(call: AtenCall) -> Sharing:
    """Whether a result shares memory with its source."""
    name = call.name
    if name in RESHAPING:
        return _of_reshape(call)
    if name in CONVERTING:
        return _of_conversion(call)
    if name in DROPPING:
        return Sharing.none if call["train"] and call["p"] else Sharing.view
    if name == "sum_to_size":
        same = shape_of(call.op.operands[0].type) == shape_of(call.op.results[0].type)
        return Sharing.view if same else Sharing.unknown
    return Sharing.unknown if name in MAYBE else Sharing.view


def _of_reshape(call: AtenCall) -> Sharing:
    """As noted at the export, for the example inputs' layout in memory."""
    return NOTED.get(call.op.attributes.get(MEMORY), Sharing.unknown)


def _of_conversion(call: AtenCall) -> Sharing:
    operand, result = call.op.operands[0], call.op.results[0]
    if element_type(operand.type) != element_type(result.type) or call.get("copy", False):
        return Sharing.none
    if call.name != "contiguous" and call.get("memory_format", None) is None:
        return Sharing.view
    return _of_reshape(call)
