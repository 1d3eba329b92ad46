"""Memory of compiled plans: forms against numpy's strides, and that lives which meet never share bytes."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosplit.runtime.plan.memory import (
    ALIGNMENT,
    LARGE_PAGE,
    Block,
    MemoryLayout,
    Piece,
    address_of,
    aligned,
    arrange,
    row_major,
    view,
)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (2, 1, 5, 3), (0, 4)])
def test_row_major_is_numpys(shape: tuple[int, ...]):
    array = np.empty(shape, np.int32)
    if array.size:
        assert [s * 4 for s in row_major(shape)] == list(array.strides)
    assert MemoryLayout(shape).steps == row_major(shape)
    assert MemoryLayout(shape).extent == array.size


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_an_order_is_a_transposed_array(order: tuple[int, ...]):
    stored = np.arange(24, dtype=np.uint8).reshape([(2, 3, 4)[d] for d in order])
    seen = stored.transpose(np.argsort(order))
    form = MemoryLayout.ordered((2, 3, 4), order)
    assert form.steps == seen.strides
    assert form.extent == 24
    assert np.array_equal(view(address_of(stored), form, stored.dtype), seen)


def test_strides_of_sizes_of_one_do_not_count():
    assert MemoryLayout.of((1, 4), (99, 1)) == MemoryLayout((1, 4))
    assert MemoryLayout.ordered((1, 8, 1, 1), (0, 2, 3, 1)) == MemoryLayout((1, 8, 1, 1))
    assert MemoryLayout.ordered((1, 8, 2, 1), (0, 2, 3, 1)) != MemoryLayout((1, 8, 2, 1))


def test_padded_strides_reach_further_than_their_elements():
    form = MemoryLayout.of((2, 3), (8, 1))
    memory = np.arange(16, dtype=np.int16)
    assert form.extent == 11
    assert view(address_of(memory), form, memory.dtype).tolist() == [[0, 1, 2], [8, 9, 10]]


def test_aligned_copies_are_equal_and_fixed():
    for array in (np.float32(3.5), np.arange(7, dtype=np.int8), np.arange(6.0).reshape(2, 3).T):
        copy = aligned(np.asarray(array))
        assert np.array_equal(copy, array)
        assert copy.dtype == np.asarray(array).dtype
        assert address_of(copy) % ALIGNMENT == 0
        assert copy.flags.c_contiguous
        assert not copy.flags.writeable


@pytest.mark.parametrize("size", [LARGE_PAGE // 2, 3 * LARGE_PAGE + 1])
def test_a_large_block_asks_for_large_pages(size: int):
    block = Block(size, large_pages=True)
    assert block.address % LARGE_PAGE == 0
    assert block.start + size <= block.memory.size
    block.memory[:] = 7
    assert view(block.address, MemoryLayout((size,)), np.dtype(np.uint8)).min() == 7
    if Path("/sys/kernel/mm/transparent_hugepage").is_dir():
        assert "hg" in flags_at(block.address)
    assert Block(LARGE_PAGE // 2 - 1, large_pages=True).memory.size < LARGE_PAGE // 2 + ALIGNMENT


def flags_at(address: int) -> list[str]:
    """The kernel's flags of the memory at an address."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first, *rest = line.split()
        if "-" in first and not first.endswith(":"):
            begin, end = (int(n, 16) for n in first.split("-"))
            inside = begin <= address < end
        elif inside and first == "VmFlags:":
            return rest
    return []


def test_a_block_is_aligned_and_large_enough():
    for size in (0, 1, 1000):
        block = Block(size)
        assert block.address % ALIGNMENT == 0
        assert block.address - address_of(block.memory) + size <= block.memory.nbytes


def pieces() -> st.SearchStrategy[list[Piece]]:
    piece = st.tuples(st.integers(0, 5000), st.integers(0, 12), st.integers(0, 6))
    made = st.builds(lambda t: Piece(t[0], t[1], t[1] + t[2]), piece)
    return st.lists(made, max_size=30)


@given(pieces())
def test_lives_that_meet_do_not_share_bytes(given_pieces: list[Piece]):
    offsets, size = arrange(given_pieces)
    for piece, offset in zip(given_pieces, offsets, strict=True):
        assert offset % ALIGNMENT == 0
        assert offset + piece.size <= size
    for (a, at_a), (b, at_b) in combinations(zip(given_pieces, offsets, strict=True), 2):
        if a.first <= b.last and b.first <= a.last:
            assert at_a + a.size <= at_b or at_b + b.size <= at_a


def test_a_chain_needs_two_buffers():
    chain = [Piece(1000, i, i + 1) for i in range(50)]
    assert arrange(chain)[1] == 2 * 1024


def test_an_output_in_place_shares_and_outlives():
    # 0 is overwritten by 1, which lives on while 2 comes and goes.
    offsets, size = arrange([Piece(640, 0, 2), Piece(640, 2, 5, takes=0), Piece(640, 3, 4)])
    assert offsets[0] == offsets[1] != offsets[2]
    assert size == 2 * 640
    # The whole chain keeps its bytes.
    offsets, _ = arrange(
        [Piece(64, 0, 1), Piece(64, 1, 2, takes=0), Piece(64, 2, 3, takes=1), Piece(64, 1, 3)]
    )
    assert offsets[0] == offsets[1] == offsets[2] != offsets[3]


def test_no_pieces_need_no_memory():
    assert arrange([]) == ([], 0)
