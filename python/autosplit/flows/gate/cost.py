"""What a bmodel costs a run on the chip: commands, memory, and how long it takes at least.

The time is a roofline's: each stage takes as long as its operations at the chip's peak, or as its bytes at
the bandwidth of device memory, whichever is longer. Peak and bandwidth are those of the chip's table.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.units import count, counted, first_of, size
from autosplit.folder.compilation import LOG_NAME, Cost
from autosplit.toolchains.bmodel_compile import WORK
from autosplit.toolchains.bmodel_cost import (
    SCHEDULED,
    device_memory,
    narrowed,
    op_commands,
    simulated,
)
from autosplit.toolchains.scheduled import MOVING, ChipStage, stages

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.toolchains.bmodel_cost import OpCommands

NAMED = 3
"""How many of the ops with the most commands are named."""


def cost_of(place: Path, chip: Chip, cores: int = 1) -> Cost | None:
    """The cost of the bmodel that was compiled in `place`, whose working folder is still there."""
    work = place / WORK
    if not (work / SCHEDULED).is_file():
        return None
    memory = device_memory((place / LOG_NAME).read_text(encoding="utf-8", errors="replace"))
    if memory is None:
        return None
    cause = _cause(op_commands(work)) if memory.commands > memory.weights else ""
    scheduled = stages((work / SCHEDULED).read_text(encoding="utf-8", errors="replace"))
    return Cost(
        memory.commands,
        memory.weights,
        memory.runtime,
        1e3 * sum(seconds(stage, chip, cores) for stage in scheduled),
        simulated(work),
        cause,
    )


def seconds(stage: ChipStage, chip: Chip, cores: int = 1) -> float:
    """How long a stage takes at least, with so many of the chip's cores."""
    part = cores / chip.cores
    computing = sum(n / chip.rate(dtype) for dtype, n in stage.products.items())
    # Units of one operation at a time, as wide as an f32: narrower numbers share one.
    computing += sum(n * width / 4 for width, n in stage.others.items()) / (chip.rate("f32") / 2)
    return max(computing / part, stage.moved / chip.memory_bandwidth)


def _cause(ops: list[OpCommands]) -> str:
    """Where the commands come from, in words; empty if nothing is known."""
    if not ops:
        return ""
    whole = sum(op.commands for op in ops)
    kinds: dict[str, int] = {}
    for op in ops:
        kinds[op.kind] = kinds.get(op.kind, 0) + op.commands
    kind = max(kinds, key=lambda k: kinds[k])
    names = first_of([repr(op.name) for op in ops if op.kind == kind], NAMED)
    text = f"{count(kinds[kind])} of {count(whole)} commands are of {kind} {names}"
    if kind in MOVING and kinds[kind] > whole / 2:
        text += ", which move numbers a few at a time"
    return text


def narrowed_note(place: Path, mode: str, bits: int) -> str:
    """What became of narrow weights in a bmodel compiled in `place`; empty if none were asked for."""
    if not bits or mode != "F16":
        return ""
    narrow, all_ = narrowed(place / WORK)
    products = f"{counted(all_, 'product')} of matrices"
    if not narrow:
        return f"W{bits}{mode} makes the weights of none of {products} narrow; {mode} computes the same"
    if narrow == all_:
        return f"weights of {counted(bits, 'bit')} in all {products}"
    return (
        f"weights of {counted(bits, 'bit')} in {narrow} of {products}; TPU-MLIR leaves the others in "
        f"{mode}: small ones, and those of two values that are computed"
    )


def warning(cost: Cost) -> str:
    """A note that commands outweigh weights, and the likely cause; empty if they do not."""
    if cost.commands <= cost.weights:
        return ""
    why = f": {cost.cause}" if cost.cause else ""
    return f"{size(cost.commands)} of commands, more than the {size(cost.weights)} of weights{why}"
