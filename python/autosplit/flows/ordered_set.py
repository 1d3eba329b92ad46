"""A set whose order is always the same, for results that may not depend on hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from collections.abc import Set as AbstractSet
from typing import TypeVar

T = TypeVar("T")


class OrderedSet(MutableSet[T]):
    """A set in the order in which its items were added, with all that Python's `set` can do."""

    def __init__(self, items: Iterable[T] = ()):
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._items)})"

    def __and__(self, other: AbstractSet[object]) -> OrderedSet[T]:
        return OrderedSet(item for item in self if item in other)

    def add(self, value: T) -> None:
        self._items[value] = None

    def discard(self, value: T) -> None:
        self._items.pop(value, None)

    def copy(self) -> OrderedSet[T]:
        return OrderedSet(self)

    __copy__ = copy

    def update(self, *others: Iterable[T]) -> None:
        for other in others:
            self |= OrderedSet(other)

    def union(self, *others: Iterable[T]) -> OrderedSet[T]:
        union = self.copy()
        union.update(*others)
        return union

    def intersection(self, *others: Iterable[object]) -> OrderedSet[T]:
        kept = [set(other) for other in others]
        return OrderedSet(item for item in self if all(item in other for other in kept))

    def difference(self, *others: Iterable[object]) -> OrderedSet[T]:
        gone = {item for other in others for item in other}
        return OrderedSet(item for item in self if item not in gone)

    def symmetric_difference(self, other: Iterable[T]) -> OrderedSet[T]:
        listed = OrderedSet(other)
        return self.difference(listed).union(listed.difference(self))

    def intersection_update(self, *others: Iterable[object]) -> None:
        self._items = self.intersection(*others)._items

    def difference_update(self, *others: Iterable[object]) -> None:
        self._items = self.difference(*others)._items

    def symmetric_difference_update(self, other: Iterable[T]) -> None:
        self._items = self.symmetric_difference(other)._items

    def issubset(self, other: Iterable[object]) -> bool:
        return self <= set(other)

    def issuperset(self, other: Iterable[object]) -> bool:
        return all(item in self for item in other)
