"""Plans as an op of PyTorch's, which torch.jit.trace notes where it would take results for constants."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import torch

from autosplit.core.errors import AutosplitError

if TYPE_CHECKING:
    from autosplit.flows.torch_modules.built import Built

NAMESPACE = "autosplit"
SCHEMA = "plan(Tensor[] inputs, int number) -> Tensor[]"

_plans: dict[int, Built] = {}
"""What traces refer to, for as long as the process lives: nobody knows when the last trace is gone."""
_numbers = count()


def is_traced() -> bool:
    """Whether torch.jit.trace watches."""
    jit: Any = torch.jit
    return bool(jit.is_tracing())


def traced_call(built: Built, leaves: Sequence[Any]) -> Any:
    """The same as calling it, noted in the trace as one op; a trace works in this process alone."""
    if built.exported.states:
        raise AutosplitError("a module that updates its buffers cannot be traced")
    _library()
    number = next((n for n, plan in _plans.items() if plan is built), None)
    if number is None:
        number = next(_numbers)
        _plans[number] = built
    return built.result(torch.ops.autosplit.plan(built.taken(leaves), number), leaves)


def _run(inputs: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    return _plans[number].run(inputs)


@cache
def _library() -> Any:
    library: Any = torch.library.Library(NAMESPACE, "DEF")
    library.define(SCHEMA)
    library.impl("plan", _run, "CompositeExplicitAutograd")
    return library
