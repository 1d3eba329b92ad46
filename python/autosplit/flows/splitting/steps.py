"""Running a pipeline on a model, pass by pass, with messages that name the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

from autosplit.core.errors import AutosplitError, first_line
from autosplit.flows.splitting.job import JobPass
from autosplit.lowering.shared.verified import verify
from autosplit.platforms import Model
from autosplit.registry import make_context

if TYPE_CHECKING:
    from autosplit.core.printing import Show


def run_steps(
    passes: Iterable[ModulePass],
    model: Model,
    progress: Callable[[str], None],
    show: Show | None = None,
) -> Iterator[ModulePass]:
    """Applies passes to a model, in place, and gives each that has run; then verifies the result.

    `progress` is told what is done, `show` shown the module behind each pass. Raises AutosplitError, naming
    the model, where a pass refuses it.
    """
    ctx = make_context()
    for step in passes:
        progress(f"running {step.name}")
        try:
            step.apply(ctx, model.module)
        except (PassFailedException, AutosplitError) as error:
            if isinstance(step, JobPass):
                # It knows the file, and names it where that helps.
                raise AutosplitError(first_line(error)) from error
            raise AutosplitError(f"{model.path}: {first_line(error)}") from error
        if show is not None:
            show(step, model.module)
        yield step
    progress("verifying the result")
    try:
        verify(model.module)
    except (VerifyException, AutosplitError) as error:
        raise AutosplitError(f"{model.path}: {first_line(error)}") from error
