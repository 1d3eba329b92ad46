"""What tells how good a quantized model's outputs are: the cosine, or a function of the user's."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, choice, one_line
from autosplit.core.tolerances import nearness
from autosplit.flows.quantizing.task_metrics import KINDS, is_kind, task_metric

Outputs = Mapping[str, NDArray[Any]]
"""Of one sample: an array for each output, by name."""

Function = Callable[[Sequence[Outputs], Sequence[Outputs]], float]
"""Of what a model makes of samples, and of what the float32 model makes of them; more is better."""


def worst_cosine(outputs: Sequence[Outputs], exact: Sequence[Outputs]) -> float:
    """The smallest cosine of an output, over all samples."""
    return min(nearness(results, one) for results, one in zip(outputs, exact, strict=True))


@dataclass(frozen=True)
class Metric:
    """A function and what messages call it."""

    name: str = "cosine"
    function: Function = worst_cosine
    usual: float | None = None
    """What it must reach by default; None if there is no default."""

    def __call__(self, outputs: Sequence[Outputs], exact: Sequence[Outputs]) -> float:
        """The number. Raises AutosplitError if the function fails or gives none."""
        try:
            score = float(self.function(outputs, exact))
        except (AutosplitError, KeyboardInterrupt):
            raise
        except (Exception, SystemExit) as error:  # Whatever somebody's function raises.
            raise AutosplitError(f"the metric {self.name} failed: {_cause(error)}") from error
        if math.isnan(score):
            raise AutosplitError(f"the metric {self.name} gave nan; expected a number")
        return score


def load_metric(text: str) -> Metric:
    """One of `task_metrics`, or a function in a file of Python, as `FILE.py:NAME`.

    Raises AutosplitError if there is none.
    """
    if is_kind(text):
        return Metric(text, task_metric(text), KINDS[text.partition(":")[0]])
    path, colon, name = text.rpartition(":")
    if not colon or not path.endswith(".py"):
        raise AutosplitError(
            f"metric {text!r}: expected FILE.py:NAME, a function in a file of Python, or one of "
            f"{', '.join(KINDS)}"
        )
    if not Path(path).is_file():
        raise AutosplitError(f"{path}: there is no such file")
    spec = importlib.util.spec_from_file_location("autosplit_metric", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # Whatever somebody's file raises.
        raise AutosplitError(f"{path}: {_cause(error)}") from error
    function: Function | None = getattr(module, name, None)
    if function is None or not callable(function):
        names = [n for n, value in vars(module).items() if callable(value)]
        raise AutosplitError(f"{path}: has no function {name!r}{choice(name, names)}")
    return Metric(name, function)


def _cause(error: BaseException) -> str:
    """What an error says, in one line; its kind as well where that alone says little."""
    text, kind = one_line(error), type(error).__name__
    if isinstance(error, SystemExit):
        return f"it ended the program, {kind}({text})"
    return text or kind


def as_metric(metric: Metric | Function | str | None) -> Metric | None:
    """What is given in Python as a metric: a function, or what `--metric` takes; None for none."""
    if metric is None or isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        return load_metric(metric) if metric else None
    return Metric(getattr(metric, "__name__", "metric"), metric)


def target_of(metric: Metric | None, target: float) -> float:
    """What a metric must reach. Raises AutosplitError if nobody says and it has no default."""
    if metric is None and target:
        raise AutosplitError("--target-metric: is for --metric; give both")
    if metric is None or target:
        return target
    if metric.usual is None:
        raise AutosplitError(
            f"--metric {metric.name}: say what it must reach, with --target-metric"
        )
    return metric.usual
