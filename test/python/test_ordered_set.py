"""`OrderedSet` answers as Python's `set` does, in the order of its items."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosplit.flows.ordered_set import OrderedSet

ITEMS = st.lists(st.integers(0, 9))


@given(ITEMS, ITEMS, ITEMS)
def test_results_are_those_of_a_set(a: list[int], b: list[int], c: list[int]):
    ours, others = OrderedSet(a), set(b)
    assert ours.union(b, c) == set(a).union(b, c)
    assert ours.intersection(b, c) == set(a).intersection(b, c)
    assert ours.difference(b, c) == set(a).difference(b, c)
    assert ours.symmetric_difference(b) == set(a) ^ others
    assert (ours | others, others | ours) == (set(a) | others, others | set(a))
    assert (ours & others, others & ours) == (set(a) & others, others & set(a))
    assert (ours - others, others - ours) == (set(a) - others, others - set(a))
    assert ours.issubset(b) == set(a).issubset(b)
    assert ours.issuperset(b) == set(a).issuperset(b)
    for name in ("update", "intersection_update", "difference_update"):
        changed, expected = ours.copy(), set(a)
        getattr(changed, name)(b, c)
        getattr(expected, name)(b, c)
        assert changed == expected
    changed = ours.copy()
    changed.symmetric_difference_update(b)
    assert changed == set(a) ^ others
    assert list(ours) == list(dict.fromkeys(a)), "nothing above changed it"


@given(ITEMS, ITEMS)
def test_the_order_is_that_of_the_items(a: list[int], b: list[int]):
    ours = OrderedSet(a)
    first = list(dict.fromkeys(a))
    assert list(ours.union(b)) == list(dict.fromkeys([*a, *b]))
    assert list(ours & set(b)) == [x for x in first if x in b]
    assert list(ours - set(b)) == [x for x in first if x not in b]
    for made in (
        copy.deepcopy(ours),
        copy.copy(ours),
        ours.copy(),
        pickle.loads(pickle.dumps(ours)),
    ):
        assert list(made) == first
        made.add(99)
        assert 99 not in ours


@pytest.mark.parametrize("others", [{"b", "c"}, OrderedSet("bc"), frozenset("bc")])
def test_in_place(others: set[str]):
    """As scripts for the original use it: `names |= sub_graph.input_subgraphs[name]`."""
    names = copy.deepcopy(OrderedSet("a"))
    names |= others
    assert names == {"a", "b", "c"}
    plain: set[str] | OrderedSet[str] = {"x"}
    plain |= OrderedSet("y")
    assert plain == {"x", "y"}
