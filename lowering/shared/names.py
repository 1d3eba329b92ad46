"""Names for the values that passes make."""

from __future__ import annotations

from autosplit.dialects.onnx.base import OnnxOp


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
