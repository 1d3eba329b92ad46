"""How far the numbers of a chip may be from those of the model, in each mode, and how that is measured.

What `convert --compare`, the compile scripts and `probe` call correct is said here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]


@dataclass(frozen=True)
class Tolerance:
    """What one output must keep to."""

    cosine: float
    """The least cosine of the angle between the two outputs, taken as vectors."""
    relative: float
    """The largest difference of two elements, as a share of the largest magnitude that is expected."""


TOLERANCES: Mapping[str, Tolerance] = {
    "F32": Tolerance(cosine=0.99999, relative=1e-4),
    "F16": Tolerance(cosine=0.999, relative=1e-2),
    "W8F16": Tolerance(cosine=0.999, relative=5e-2),
    "BF16": Tolerance(cosine=0.99, relative=5e-2),
    "INT8": Tolerance(cosine=0.95, relative=2e-1),
    "W4F16": Tolerance(cosine=0.95, relative=3e-1),
    "W4INT8": Tolerance(cosine=0.9, relative=4e-1),
}
"""By mode, from the finest to the coarsest; W8 and W4 say how many bits weights have. F32 tells
f32 from anything narrower: a result rounded to f16 on its way is off by 5e-4."""


EXTREME = 2.0
"""How many times as far off one of several samples may be as their mean may be: it is an extreme value."""


STEP = 2.0**-25
"""A reference whose numbers are all multiples of this was rounded at the size of 1, however small it is.

ONNX Runtime's Sigmoid is: 1e-6 comes out as 34 steps or 30, and what comes out as 0 may be 1e-7.
"""

ROUNDING = 8 * STEP
"""How far such a reference may be off by itself: measured, ONNX Runtime 1.31's Sigmoid by 1.4e-7."""


@dataclass(frozen=True)
class Deviation:
    """How far one output is from the one that is expected."""

    cosine: float
    maximum: float
    """The largest difference of two elements."""
    relative: float
    """`maximum` as a share of the largest magnitude; `maximum` itself where all are 0."""
    rounding: float = 0.0
    """How far the expected numbers may be off themselves: `ROUNDING` where they are multiples of `STEP`."""

    def within(self, tolerance: Tolerance) -> bool:
        """Whether both figures keep to the tolerance, or all is noise; never where one is not a number."""
        if self.maximum <= self.rounding:
            return True
        return self.cosine >= tolerance.cosine and self.relative <= tolerance.relative


def difference(expected: Array, actual: Array, largest: float = 0.0) -> Deviation:
    """Measures two outputs of one shape against each other.

    `largest`: the magnitude that the error is a share of, where no expected number is larger.
    Infinities and NaNs must be where they are expected; the figures are then those of the other elements.
    Raises ValueError if the shapes differ.
    """
    import numpy as np

    if expected.shape != actual.shape:
        raise ValueError(f"shape {actual.shape}, expected {expected.shape}")
    e, a = _numbers(expected), _numbers(actual)
    odd = ~np.isfinite(e)
    if not np.array_equal(e[odd], a[odd], equal_nan=True) or not np.isfinite(a[~odd]).all():
        return Deviation(0.0, float("inf"), float("inf"))
    e, a = e[~odd], a[~odd]
    if not e.size:
        return Deviation(1.0, 0.0, 0.0)
    maximum = float(np.abs(e - a).max())
    largest = max(largest, float(np.abs(e).max()))
    relative = maximum / largest if largest else maximum
    rounding = ROUNDING if not np.any(e % STEP) else 0.0
    return Deviation(cosine(e, a), maximum, relative, rounding)


def magnitude(array: Array) -> float:
    """The largest finite magnitude; 0 where there is none."""
    import numpy as np

    numbers = np.abs(_numbers(array))
    return float(numbers[np.isfinite(numbers)].max(initial=0.0))


def _numbers(array: Array) -> Any:
    import numpy as np

    return array.astype(np.float64).reshape(-1)


def cosine(a: Any, b: Any) -> float:
    """The cosine of the angle between two vectors.

    Without BLAS: its threads wait for each other for ever where another thread forks a process meanwhile.
    """
    import numpy as np

    if np.array_equal(a, b):
        return 1.0
    lengths = float(np.sqrt(np.sum(a * a))) * float(np.sqrt(np.sum(b * b)))
    return float(np.sum(a * b)) / lengths if lengths else 0.0


def nearness(outputs: Mapping[str, Array], expected: Mapping[str, Array]) -> float:
    """The smallest cosine of two sets of outputs, by name or else by place; 0 where no shapes agree."""
    pairs = [(outputs[name], array) for name, array in expected.items() if name in outputs]
    if not pairs:
        pairs = list(zip(outputs.values(), expected.values(), strict=False))
    return min((_flat_cosine(a, b) for a, b in pairs if a.shape == b.shape), default=0.0)


def _flat_cosine(a: Array, b: Array) -> float:
    return cosine(a.ravel().astype(float), b.ravel().astype(float))
