"""The options of `autosplit split`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.devices import DEFAULT_CHIP, DEFAULT_KEEP
from autosplit.inputs.specs import InputSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.core.printing import Show
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocess

    Array = NDArray[np.generic]


@dataclass(frozen=True)
class SplitOptions:
    """The options of `autosplit split`; see its help."""

    model: Path
    out: Path | None = None
    inputs: Mapping[str, InputSpec] = field(default_factory=dict[str, InputSpec])
    outputs: Sequence[str] = ()
    target: str = DEFAULT_CHIP
    mode: str = "F32"
    """What the TPU will compute in; some ops stay on the CPU in some modes only."""
    platform: str = "auto"
    params: Path | None = None
    """The file of the model's weights, where its framework keeps them apart; None is the one beside it."""
    layout: str | None = None
    dynamic: bool = False
    batches: Sequence[int] = ()
    """The numbers of samples that there is to be a folder for, see `flows.split.split_batches`; none: as the
    inputs say."""
    keep: float = DEFAULT_KEEP
    pins: Sequence[tuple[str, str]] = ()
    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    """Promised shapes of tensors whose sizes do not follow from the model, by name; those of inputs are
    taken as if `inputs` said them."""
    fixed: Fixed = field(default_factory=dict[str, "float | Array"])
    """The inputs that become constants of the model, with their values, by name."""
    on_fallback: str = "warn"
    force: bool = False
    probe: bool = False
    custom_ops: Libraries = ()
    """The libraries of ops that the framework does not have; the folder gets copies."""
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    """What becomes of pictures, by input; the empty name is for all that have none of their own."""
    progress: Callable[[str], None] = lambda _: None
    """Called with the name of each step as it starts."""
    show: Show | None = None
    """Called with each pass that has run, and the module."""
    note: Callable[[str], None] = lambda _: None
    """Called with each line that the user should see."""
    is_converted: bool = False
    """Whether the folder is converted at once, which writes what the TPU sub-models are compiled from."""
