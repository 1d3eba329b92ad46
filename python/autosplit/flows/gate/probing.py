"""Which ops of a sub-model the tool chain gets wrong, where a bmodel in floating point is too far off."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from autosplit.core.units import first_of
from autosplit.dialects.platform import location_names
from autosplit.lowering.convert_to_onnx import lower_to_onnx
from autosplit.platforms import platform_of
from autosplit.probe.model import FAILURES, describe, measure_module
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.devices import Chip
    from autosplit.dialects.device import FuncOp

LONGEST = 4
"""How many ops are named."""


def probe_advice(
    module: ModuleOp,
    func: FuncOp,
    chip: Chip,
    mode: str,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> str:
    """What to do about a sub-model, by measuring each of its ops alone, as the end of a message."""
    copy = platform_of(module).standalone(module, func)
    lower_to_onnx(make_context(), copy)
    wrong: dict[str, str] = {}
    for op, record in measure_module(copy, chip, mode, jobs=jobs, progress=progress).items():
        names = location_names(op.location)
        if record.result in FAILURES and names:
            wrong.setdefault(names[0], f"{op.op_type} {names[0]!r} {describe(record)}")
    if not wrong:
        if mode == "F32":
            return (
                "by probing, each op alone is right, so that it is two or more of them together; --pin one "
                "of them to the CPU"
            )
        return (
            f"by probing, each op alone is right: what {mode} rounds adds up, or two or more ops are wrong "
            "together; --mode F32 tells which, and --metric whether it matters"
        )
    pins = " ".join(f"--pin '{re.escape(name)}=cpu'" for name in wrong)
    way = pins if len(wrong) <= LONGEST else "--probe"
    return f"by probing, {first_of([*wrong.values()], LONGEST, '; ')}: split again with {way}"
