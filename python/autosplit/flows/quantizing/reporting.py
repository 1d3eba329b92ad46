"""What calibrators saw and trials found, for a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autosplit.explain.quantized import BINS, OpStatistics, QuantizeReport, ValueStatistics
from autosplit.flows.quantizing.recipe import Recipe

REPORT_SUFFIXES = (".html", ".txt")


def report_text(report: QuantizeReport, path: Path) -> str:
    """In the form that a file's name says."""
    return report.html() if path.suffix == ".html" else report.text()


def report_of(
    recipe: Recipe,
    calibrators: Mapping[str, Any],
    lost: Mapping[str, float],
    metric: str,
    summary: list[str],
) -> QuantizeReport:
    """The report of a model that has been quantized.

    `calibrators`: those that saw samples, by value; `lost`: what the metric loses to each op alone.
    """
    return QuantizeReport(
        f"{recipe.model}, quantized",
        summary,
        metric,
        [
            value_statistics(name, ends, calibrators.get(name))
            for name, ends in recipe.ranges.items()
        ],
        [OpStatistics(name, op.type, op.kept, lost.get(name)) for name, op in recipe.ops.items()],
    )


def value_statistics(name: str, ends: tuple[float, float], seen: Any) -> ValueStatistics:
    """What a calibrator, if there is one, knows of a value whose range has these ends."""
    low, high = min(ends[0], 0.0), max(ends[1], 0.0)
    buckets = getattr(seen, "buckets", None)
    if buckets is None:
        least, most = ends if seen is None else seen.range()
        return ValueStatistics(name, low, high, least, most)
    numbers, counts = buckets.sorted()
    least, most = buckets.extent.range()
    outside = counts[(numbers < low) | (numbers > high)].sum() / max(counts.sum(), 1)
    bars, _ = np.histogram(
        numbers, BINS, (least, max(most, np.nextafter(least, np.inf))), weights=counts
    )
    return ValueStatistics(
        name, low, high, least, most, float(outside), tuple(int(n) for n in bars)
    )
