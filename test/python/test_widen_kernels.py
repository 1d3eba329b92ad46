"""quant-widen-kernels: convolutions that oneDNN would compute wrongly are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onednn_installed import needs_library
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.onnx.ops import ConvOp, ConvTransposeOp
from autosplit.testing.int8 import expect_vnni
from autosplit.testing.qdq import run
from autosplit.testing.raw_qdq import RawQdq, compare

WIDEN = "quant-widen-kernels"

CANONICAL = f"infer-shapes,convert-to-onnx{{int8=true}},{TO_QUANT}"


def patches(
    channels: int = 96,
    kernel: tuple[int, ...] = (2, 2),
    steps: tuple[int, ...] | None = None,
    *,
    left: int = 0,
    group: int = 1,
    zero: int = 0,
    dilation: int = 1,
    sizes: tuple[int, ...] | None = None,
) -> tuple[RawQdq, tuple[int, ...]]:
    """A convolution of bytes, and the shape of what it reads."""
    m = RawQdq(17)
    shape = (1, channels, *(sizes or (4 * size for size in kernel)))
    x = m.qdq(m.input("x", shape), 0.03, zero, "u8" if zero else "i8")
    w = m.weight((16, channels // group, *kernel), 0, channels * int(np.prod(kernel)))
    pads = [*[0] * (len(kernel) - 1), left, *[0] * len(kernel)]
    dilations = [dilation] * len(kernel)
    y = m.node(
        "Conv",
        x,
        w,
        m.bias(16),
        strides=steps or kernel,
        pads=pads,
        group=group,
        dilations=dilations,
    )
    m.output(y)
    return m, shape


WIDE = {
    "96 channels": (patches(), [2, 3]),
    "32 channels, four wide": (patches(32, (4, 4)), [4, 5]),
    "160 channels": (patches(160), [2, 3]),
    "two steps wide": (patches(96, (5, 4), (2, 2)), [5, 5]),
    "dilated": (patches(96, dilation=2), [2, 3]),
    "wide alone": (patches(96, (1, 2)), [1, 3]),
    "a zero point": (patches(96, zero=131), [2, 3]),
    "one dimension": (patches(96, (2,)), [3]),
    "three dimensions": (patches(96, (2, 2, 2)), [2, 2, 3]),
    "flat": (patches(17, (1, 4, 5), (2, 2, 1), sizes=(14, 5, 18)), [2, 4, 5]),
    "flat, of one number": (patches(32, (1, 1, 1), (2, 2, 2), sizes=(8, 4, 12)), [2, 1, 1]),
    "flat and wide": (patches(32, (1, 2, 4), (3, 2, 4)), [2, 2, 5]),
}
"""What is wrong on processors with AMX, and how large kernels become."""


def widened(m: RawQdq, shape: tuple[int, ...], kind: type[OnnxOp]) -> OnnxOp:
    """What the pass makes of the one op of a kind in a model, whose numbers stay."""
    model = m.model()
    loaded = Loaded(model).run(f"{CANONICAL},{WIDEN}")
    (op,) = loaded.ops(kind)
    feeds = {"x": m.random(*shape)}
    # Going back changes the module.
    op = op.clone()
    (old,), (new,) = (
        run(each, feeds, optimize=False) for each in (model, loaded.run(BACK).model())
    )
    np.testing.assert_allclose(new, old, atol=1e-4)
    return op


def check_stays(m: RawQdq) -> None:
    loaded = Loaded(m.model()).run(CANONICAL)
    before = str(loaded.module)
    assert str(loaded.run(WIDEN).module) == before


@pytest.mark.parametrize("form", WIDE)
def test_the_kernel_is_wider_and_the_numbers_are_the_same(form: str):
    (m, shape), kernel = WIDE[form]
    conv = widened(m, shape, ConvOp)
    assert attribute(conv, "kernel_shape") == kernel


@needs_library
@pytest.mark.parametrize("form", WIDE)
def test_the_library_is_right(form: str):
    (m, shape), _ = WIDE[form]
    model = m.model()
    expect_vnni()
    (off,) = compare(model, [{"x": m.random(*shape)}])
    assert off.largest <= 1e-3


@pytest.mark.parametrize(
    "options",
    [
        {"channels": 3},
        {"channels": 16},
        {"channels": 128},
        {"kernel": (3, 3)},
        {"kernel": (2, 2), "steps": (2, 1)},
        {"left": 1},
        {"group": 2},
        {"channels": 8, "kernel": (1, 3, 3), "steps": (2, 2, 2)},
        {"kernel": (1, 3, 3), "steps": (1, 2, 2)},
        {"kernel": (3, 3, 3), "steps": (2, 2, 2)},
    ],
    ids=str,
)
def test_what_stays(options: dict):
    m, _ = patches(**options)
    check_stays(m)


def transposed(
    kernel: tuple[int, ...], steps: tuple[int, ...], **options: Sequence[int]
) -> tuple[RawQdq, tuple[int, ...]]:
    """A transposed convolution of bytes with a zero point, and the shape of what it reads."""
    m = RawQdq(17)
    shape = (1, 12, *[8] * len(kernel))
    x = m.qdq(m.input("x", shape), 0.03, 3, "i8")
    w = m.weight((12, 8, *kernel), None, 12 * int(np.prod(kernel)))
    m.output(m.node("ConvTranspose", x, w, m.bias(8), strides=steps, **options))
    return m, shape


GAPS = {
    "between": (transposed((1, 2), (3, 2)), [3, 2], [0, 0, 2, 0]),
    "on both axes": (transposed((2, 1), (4, 3), pads=[1, 0, 1, 2]), [4, 3], [1, 0, 3, 4]),
    "dilated": (transposed((2, 2), (4, 5), dilations=[2, 2]), [3, 3], [0, 0, 2, 2]),
    "behind the last": (transposed((2, 2), (2, 2), output_padding=[1, 0]), [3, 2], [0, 0, 1, 0]),
    "one dimension": (transposed((1,), (3,)), [3], [0, 2]),
}
"""Results that no kernel reaches, and kernels and pads that mend it."""


@pytest.mark.parametrize("form", GAPS)
def test_kernels_reach_to_the_next(form: str):
    (m, shape), kernel, pads = GAPS[form]
    op = widened(m, shape, ConvTransposeOp)
    assert attribute(op, "kernel_shape") == kernel
    assert attribute(op, "pads") == pads


@needs_library
@pytest.mark.parametrize("form", GAPS)
def test_the_library_sets_all_results(form: str):
    """What it left unset is whatever was there, which may be right by chance: so more than once."""
    (m, shape), _, _ = GAPS[form]
    model = m.model()
    expect_vnni()
    for off in compare(model, [{"x": m.random(*shape)} for _ in range(3)]):
        assert off.largest <= 1e-3


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": (2, 2), "steps": (2, 2)},
        {"kernel": (3, 3), "steps": (2, 2), "output_padding": [1, 1], "pads": [1, 1, 1, 1]},
        {"kernel": (2, 2), "steps": (3, 3), "dilations": [2, 2]},
    ],
    ids=str,
)
def test_transposed_that_stay(options: dict[str, Any]):
    m, _ = transposed(**options)
    check_stays(m)
