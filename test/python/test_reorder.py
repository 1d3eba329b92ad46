"""Copies between strides by the library: what numpy copies, for every form that plans have."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onednn_installed import needs_library

from autosplit.runtime.dnnl.library import library
from autosplit.runtime.dnnl.reorder import reorder
from autosplit.runtime.plan.memory import WORTH_A_REORDER, copier

RANDOM = np.random.default_rng(2)
DTYPES = (np.uint8, np.int8, np.float32, np.int32)


def filled(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """Bytes of every kind: infinities, NaNs and denormals among real numbers."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return RANDOM.integers(0, 256, count, np.uint8).view(dtype).reshape(shape).copy()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A target and a source of the same shape, each with gaps or its sizes in another order."""
    dtype = draw(st.sampled_from(DTYPES))
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=6)))
    arrays = []
    for _ in range(2):
        order = draw(st.permutations(range(len(shape))))
        gaps = [draw(st.integers(0, 2)) for _ in shape]
        step = draw(st.integers(1, 2))
        whole = filled(tuple(step * shape[i] + gaps[i] for i in order), dtype)
        whole = whole.transpose(np.argsort(order))
        arrays.append(whole[tuple(slice(0, step * n, step) for n in shape)])
    return arrays[0], arrays[1]


@needs_library
@settings(max_examples=200)
@given(pairs())
def test_copies_are_numpys(pair: tuple[np.ndarray, np.ndarray]):
    library()
    target, source = pair
    expected = source.tobytes()
    whole = target.base if target.base is not None else target
    outside = np.ones(whole.shape, bool)
    seen = np.lib.stride_tricks.as_strided(
        outside, target.shape, [s // target.itemsize for s in target.strides]
    )
    seen[...] = False
    before = whole[outside].tobytes()
    call = reorder(target, source) or partial(np.copyto, target, source)
    call()
    assert target.tobytes() == expected
    assert whole[outside].tobytes() == before, "it wrote elsewhere"


@needs_library
@pytest.mark.parametrize(
    "source",
    [
        np.broadcast_to(np.zeros(4, np.uint8), (3, 4)),
        np.zeros((3, 4), np.uint8)[::-1],
        np.zeros((3, 4), np.float64),
        np.zeros((3, 4), np.float16),
        np.zeros((1, 1), np.uint8),
        np.zeros((3, 9), np.uint8)[:, ::2],
    ],
    ids=["broadcast", "backwards", "of 8 bytes", "of 2 bytes", "one element", "into the next row"],
)
def test_what_the_library_does_not_copy(source: np.ndarray):
    library()
    assert reorder(np.empty(source.shape, source.dtype), source) is None


@needs_library
def test_large_transpositions_are_the_librarys():
    library()
    side = int(np.sqrt(WORTH_A_REORDER))
    for extra, by_library in ((8, True), (-8, False)):
        source = filled((side + extra, side + extra), np.uint8)
        target = np.empty_like(source)
        call = copier(target, source.T)
        call()
        np.testing.assert_array_equal(target, source.T)
        assert (type(call).__name__ == "Reorder") == by_library


@needs_library
def test_runs_of_elements_are_copied_as_words():
    library()
    source = filled((1, 64, 64, 16), np.uint8)
    target = np.zeros((1, 64, 64, 48), np.uint8)
    call = copier(target[..., 16:32], source)
    call()
    assert type(call).__name__ != "Reorder"
    np.testing.assert_array_equal(target[..., 16:32], source)
    assert not target[..., :16].any()
    assert not target[..., 32:].any()
