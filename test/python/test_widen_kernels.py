"""quant-widen-kernels: kernels that are as wide as their step are right on processors with AMX too."""

from __future__ import annotations

import numpy as np
import pytest
from onednn_installed import needs_library
from test_quant_passes import BACK, TO_QUANT, Loaded

from autosplit.dialects.onnx.base import attribute
from autosplit.dialects.onnx.ops import ConvOp
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
) -> tuple[RawQdq, tuple[int, ...]]:
    """A convolution of bytes, and the shape of what it reads."""
    m = RawQdq(17)
    shape = (1, channels, *(4 * size for size in kernel))
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
    "96 channels": patches(),
    "32 channels, four wide": patches(32, (4, 4)),
    "160 channels": patches(160),
    "two steps wide": patches(96, (5, 4), (2, 2)),
    "dilated": patches(96, dilation=2),
    "wide alone": patches(96, (1, 2)),
    "a zero point": patches(96, zero=131),
    "one dimension": patches(96, (2,)),
    "three dimensions": patches(96, (2, 2, 2)),
}


@pytest.mark.parametrize("form", WIDE)
def test_the_kernel_is_wider_and_the_numbers_are_the_same(form: str):
    m, shape = WIDE[form]
    model = m.model()
    loaded = Loaded(model).run(f"{CANONICAL},{WIDEN}")
    (conv,) = loaded.ops(ConvOp)
    assert attribute(conv, "kernel_shape")[-1] % attribute(conv, "strides")[-1] == 1
    feeds = {"x": m.random(*shape)}
    (old,), (new,) = (
        run(each, feeds, optimize=False) for each in (model, loaded.run(BACK).model())
    )
    np.testing.assert_allclose(new, old, atol=1e-4)


@needs_library
@pytest.mark.parametrize("form", WIDE)
def test_the_library_is_right(form: str):
    m, shape = WIDE[form]
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
    ],
    ids=str,
)
def test_what_stays(options: dict):
    m, _ = patches(**options)
    loaded = Loaded(m.model()).run(CANONICAL)
    before = str(loaded.module)
    assert str(loaded.run(WIDEN).module) == before
