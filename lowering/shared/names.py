"""Names for the values that passes make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import PlatformOp, value_name


def free_name(names: set[str], wanted: str, mark: str = "_") -> str:
    """`wanted`, or that, the mark and the first number from 2 on that make a name not among `names`.

    It is one of them afterwards.
    """
    name, count = wanted, 1
    while name in names:
        count += 1
        name = f"{wanted}{mark}{count}"
    names.add(name)
    return name


def fresh_name(names: set[str], op: OnnxOp, role: str) -> str:
    """A name that is not among `names`, for a value that serves `op`; it is one of them afterwards."""
    return free_name(names, f"{op.output_names[0] or op.identity}__{role}")


def named_values(blocks: Iterable[Block]) -> Iterator[tuple[str, SSAValue]]:
    """All values of blocks and of bodies inside them, by name; values without a name are left out."""
    for block in blocks:
        for argument in block.args:
            yield value_name(argument), argument
        for op in block.ops:
            if isinstance(op, PlatformOp):
                for index, result in enumerate(op.results):
                    if name := op.value_name(index):
                        yield name, result
            yield from named_values(b for r in op.regions for b in r.blocks)
