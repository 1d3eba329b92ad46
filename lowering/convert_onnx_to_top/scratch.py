"""Keeping values that TPU-MLIR's kernels would spoil, on the chips where they do.

On bm1684 some activations, when they are put into a group of layers, compute in the memory of their operand.
Whatever else of the group reads that operand later reads what they left there. Such an operand is copied
first, by an op that TPU-MLIR does not remove: a LeakyRelu whose slope is 1. Two equal copies of one value
would be made one again, and spoiled for each other, so no two of them are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.dialects.top import AttrValue, TopOp, make_op
from autosplit.lowering.convert_onnx_to_top.neutral import Identity, identities

if TYPE_CHECKING:
    from xdsl.ir import Block

    from autosplit.core.weights import WeightStore
    from autosplit.devices import Chip

STEP = 2.0**-40
"""By how much the slopes of copies of one value differ: it is lost in a float32, but not in the attribute."""


def protect_operands(
    block: Block, chip: Chip, fresh: Callable[[str], str], store: WeightStore
) -> int:
    """Puts a copy before each op that would spoil what others read; returns how many.

    `fresh` gives a name that no other result of the function has. `store` has the function's weights.
    """
    found = [op for op in block.ops if isinstance(op, TopOp) and op.kind in chip.spoiling]
    if not found:
        return 0
    known = identities(block, store)
    readers = _readers(block, known)
    copies = Counter[Identity]()
    for op in found:
        value = known[op.inputs[0]]
        if readers[value] == 1 or _is_silu(op, readers[value], known):
            continue
        copies[value] += 1
        _copy(op, copies[value], fresh)
    return copies.total()


def _readers(block: Block, known: Mapping[SSAValue, Identity]) -> Counter[Identity]:
    """How many ops read each value. Views, and what the tool chain removes, are what they are made of."""
    found = Counter[Identity]()
    for op in block.ops:
        made = {known.get(result) for result in op.results}
        found.update({known[v] for v in op.operands if v in known} - made)
    return found


def separate_twins(block: Block, fresh: Callable[[str], str]) -> int:
    """Lets each op that reads a value twice read a copy of it; returns how many there are.

    For sub-models whose sizes vary: there, the emulator of bm1684x ends by a signal at `x * x` in a group of
    layers that also gives `x` to another group (measured: Abs, Mul, ReduceMean, and the Add of the first and
    the last).
    """
    copies = Counter[SSAValue]()
    for op in list(block.ops):
        if not isinstance(op, TopOp):
            continue
        if len(op.inputs) != 2 or op.inputs[0] is not op.inputs[1]:
            continue
        copies[op.inputs[0]] += 1
        _copy(op, -copies[op.inputs[0]], fresh)
    return copies.total()


def _copy(op: TopOp, number: int, fresh: Callable[[str], str]) -> None:
    """Lets `op` read a copy of its first operand, the `number`th one."""
    value = op.inputs[0]
    attrs: dict[str, AttrValue] = {"alpha": 1.0 + number * STEP}
    copy = make_op("LeakyRelu", [value], [value.type], [fresh(f"{op.names[0]}/kept")], attrs)
    Rewriter.insert_op(copy, InsertPoint.before(op))
    op.operands[0] = copy.outputs[0]


def _is_silu(op: TopOp, readers: int, known: Mapping[SSAValue, Identity]) -> bool:
    """Whether the op is the sigmoid of x * sigmoid(x) and nobody else reads x: one op, which is right."""
    value, result = op.inputs[0], op.outputs[0]
    if op.kind != "Sigmoid" or readers != 2 or not result.has_one_use():
        return False
    user: Operation = next(iter(result.uses)).operation
    return isinstance(user, TopOp) and user.kind == "Mul" and value in user.inputs
