"""How far the outputs of a bmodel are from the CPU's, over several samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from autosplit.core.tolerances import (
    EXTREME,
    TOLERANCES,
    Deviation,
    Tolerance,
    difference,
    magnitude,
)
from autosplit.core.units import counted
from autosplit.folder.compilation import Measure

if TYPE_CHECKING:
    from autosplit.folder.compilation import Compilation
    from autosplit.portable.networks import NetworkPort

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Traced:
    """What one sub-model took and made of one sample, by tensor name."""

    feeds: Mapping[str, Array]
    outputs: Mapping[str, Array]


@dataclass
class Compared:
    """How far the outputs of a sub-model are off, and what is wrong with it."""

    measures: dict[str, Measure] = field(default_factory=dict[str, Measure])
    """By output; without those that have another shape."""
    problem: str = ""
    """Of the first output that is too far off; empty if none is."""


def compare_outputs(
    record: Compilation,
    expected: Sequence[Mapping[str, Array]],
    got: Sequence[Mapping[str, Array]],
    allowed: Mapping[str, float] | None = None,
) -> Compared:
    """Compares what a bmodel makes of samples with what the CPU makes of them.

    `allowed`: by output the largest relative error, in place of what the mode allows.
    """
    limits = allowed or {}
    compared = Compared()
    for border in record.outputs:
        name = border.tensor
        pairs = [(e[name], g[name]) for e, g in zip(expected, got, strict=True)]
        problem = _other_shape(name, pairs)
        if not problem:
            # The steps of 8 bits are as large for a sample with small numbers as for all others.
            largest = max(magnitude(e) for e, _ in pairs) if record.mode == "INT8" else 0.0
            offs = [difference(e, g, largest) for e, g in pairs]
            compared.measures[name] = measure_of(offs)
            kind = pairs[0][1].dtype.kind
            limit = limits.get(name)
            if limit is None:
                problem = _too_far(border, offs, record.full_mode, kind)
            else:
                problem = _beyond(name, offs, limit)
        compared.problem = compared.problem or problem
    return compared


def measure_of(offs: Sequence[Deviation]) -> Measure:
    """The worst of several deviations, and their mean."""
    return Measure(
        min(off.cosine for off in offs),
        max(off.maximum for off in offs),
        max(off.relative for off in offs),
        len(offs),
        sum(off.cosine for off in offs) / len(offs),
        sum(off.maximum for off in offs) / len(offs),
        sum(off.relative for off in offs) / len(offs),
    )


def _other_shape(name: str, pairs: Sequence[tuple[Array, Array]]) -> str:
    for expected, got in pairs:
        if got.shape != expected.shape:
            return (
                f"output {name!r} has shape {list(got.shape)} on the emulator, "
                f"expected {list(expected.shape)}"
            )
    return ""


def _too_far(border: NetworkPort, offs: Sequence[Deviation], mode: str, kind: str) -> str:
    """What is wrong with an output; empty if nothing is."""
    name, worst = border.tensor, measure_of(offs)
    # Positions and booleans are right or wrong.
    if mode == "F32" and kind in "iub" and worst.maximum:
        return f"output {name!r}, integers, is off by {worst.maximum:g} on the emulator"
    tolerance = TOLERANCES[mode]
    extreme = replace(tolerance, relative=EXTREME * tolerance.relative)
    is_near = worst.mean_relative <= tolerance.relative
    far = [off for off in offs if not off.within(extreme if is_near else tolerance)]
    if not far:
        return ""
    return (
        f"output {name!r} of the emulator differs from the CPU's: {figures(measure_of(far))}"
        f"{share(len(far), len(offs))}; {mode} allows {allowed(tolerance)}"
    )


def _beyond(name: str, offs: Sequence[Deviation], limit: float) -> str:
    """What is wrong with an output of which a user says how far it may be off."""
    if not (far := [off for off in offs if not off.relative <= limit]):
        return ""
    return (
        f"output {name!r} of the emulator differs from the CPU's: {figures(measure_of(far))}"
        f"{share(len(far), len(offs))}; --tolerance allows a relative error of {limit:g}"
    )


def figures(measure: Measure) -> str:
    """The worst figures, in words."""
    return f"cosine {measure.cosine:.6f}, relative error {measure.relative:.3g}"


def share(some: int, count: int) -> str:
    """On how many of the samples; empty if there is one only."""
    return f" on {some} of {counted(count, 'sample')}" if count > 1 else ""


def allowed(tolerance: Tolerance) -> str:
    """What a tolerance is, in words."""
    return f"{tolerance.cosine:g} and {tolerance.relative:g} on average"
