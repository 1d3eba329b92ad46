"""Forms of ops for which the library has only a reference kernel, or none that is better: `SLOW_KERNELS`.

Measured with 3.2 and 3.6 on a processor with AVX-512 and VNNI, in one thread; ONNX Runtime runs them tens to
a thousand times faster. `autosplit.tools.generate.slow_kernels --forms` measures them again, and the networks
of the benchmark without `--forms`: a partition of these that runs a reference kernel is to be added here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from autosplit.dialects.dnnl import AttrValue, DnnlOp
from autosplit.dialects.platform import shape_of
from autosplit.lowering.shared.fold import AnyArray

Operand: TypeAlias = "SSAValue | AnyArray"
Attrs: TypeAlias = Mapping[str, AttrValue]

CODE = "slow-kernel"


@dataclass(frozen=True)
class SlowKernel:
    """A form of one of the library's ops."""

    kind: str
    what: str
    """The form, as text after an op's name."""
    holds: Callable[[Sequence[Operand], Attrs], bool]
    ours: float
    """ms that the library takes, of u8[1, 64, 56, 56] where the form says nothing else."""
    other: float
    """ms that ONNX Runtime takes."""


def _is_dilated(inputs: Sequence[Operand], attrs: Attrs) -> bool:
    return _is_dequantized(inputs[0]) and any(n != 1 for n in _numbers(attrs, "dilations"))


def _is_strided_in_groups(inputs: Sequence[Operand], attrs: Attrs) -> bool:
    """Larger groups have another kernel, or are few. Weights are (in, out / groups, ...)."""
    shape, groups = _shape(inputs[1]), attrs.get("groups", 1)
    if (
        not _is_dequantized(inputs[0])
        or shape is None
        or not isinstance(groups, int)
        or groups < MANY
    ):
        return False
    if all(n == 1 for n in _numbers(attrs, "strides")):
        return False
    return min(shape[0] // groups, shape[1]) < SMALL


MANY, SMALL = 4, 4
"""Number of groups, and of channels per group: from 4 on there is another kernel."""


SLOW_KERNELS = (
    SlowKernel(
        "MaxPool",
        "takes the largest of elements that are apart (dilations), for which the library has a reference "
        "kernel only",
        _is_dilated,
        ours=54.0,
        other=0.12,
    ),
    SlowKernel(
        "ConvTranspose",
        "has strides and many groups of few channels, for which the library's kernel is slow",
        _is_strided_in_groups,
        ours=77.0,
        other=2.7,
    ),
)
"""The forms left to ONNX Runtime, besides `REQUANTIZED_POOL`."""

REQUANTIZED_POOL = (
    "changes the scale or the zero point of the maxima of {pool!r}, for which the library has a reference "
    "kernel only"
)
"""132 ms against 0.13: a pool of maxima that keeps its input's parameters is as fast as any."""


def slow_kernel(kind: str, inputs: Sequence[Operand], attrs: Attrs) -> tuple[str, str] | None:
    """The code and the sentence of the reason why an op is left to ONNX Runtime, if it is slow."""
    for slow in SLOW_KERNELS:
        if slow.kind == kind and slow.holds(inputs, attrs):
            return CODE, slow.what
    return None


def slow_quantize(value: SSAValue, quantized: Attrs) -> tuple[str, str] | None:
    """Why a value must not be quantized in the library with the parameters `quantized`."""
    pool = value.owner
    if not isinstance(pool, DnnlOp) or pool.kind != "MaxPool":
        return None
    source = pool.inputs[0].owner
    if not isinstance(source, DnnlOp) or source.kind != "Dequantize":
        return None
    scales = source.numbers("scales"), _numbers(quantized, "scales")
    if np.allclose(*scales, rtol=1e-6, atol=0) and source.ints("zps") == quantized.get("zps"):
        return None
    return CODE, REQUANTIZED_POOL.format(pool=pool.identity)


def _is_dequantized(operand: Operand) -> bool:
    source = operand.owner if isinstance(operand, SSAValue) else None
    return isinstance(source, DnnlOp) and source.kind == "Dequantize"


def _shape(operand: Operand) -> tuple[int, ...] | None:
    return shape_of(operand.type) if isinstance(operand, SSAValue) else tuple(operand.shape)


def _numbers(attrs: Attrs, name: str) -> list[float]:
    """An attribute that is a list of numbers; empty if there is none."""
    value = attrs.get(name)
    return [float(v) for v in value] if isinstance(value, list) else []
