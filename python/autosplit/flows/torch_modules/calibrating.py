"""`with calibrate(conf): model(x)`: what modules are called with inside of the block is shown to `conf`."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from autosplit.flows.torch_modules.calls import Call


@contextmanager
def watching(show: Callable[[torch.nn.Module, Call], None]) -> Generator[None]:
    """Within the block, `show` gets each outermost call of a module, once it is done, with its arguments."""
    depth = 0

    def enter(module: torch.nn.Module, args: Any) -> None:
        nonlocal depth
        depth += 1

    def leave(module: torch.nn.Module, args: Any, kwargs: Any, result: Any) -> None:
        nonlocal depth
        depth -= 1
        # A call that failed has no result, and exporting calls modules, too.
        if depth == 0 and result is not None:
            depth = 1
            try:
                show(module, (args, kwargs))
            finally:
                depth = 0

    hooks = [
        register_module_forward_pre_hook(enter),
        register_module_forward_hook(leave, with_kwargs=True, always_call=True),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
