"""Contexts of a plan that wait for their next use, and when a set of sizes is worth one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.runtime.plan.memory import Array, Located, MemoryLayout, address_of

if TYPE_CHECKING:
    from autosplit.runtime.plan.context import Context
    from autosplit.runtime.plan.program import Program

Key = tuple[int, tuple[MemoryLayout, ...]]
"""A stretch of the plan, and the forms of what it reads."""

MAX_SIZES = 64
"""How many sets of sizes stay prepared; those that have not come for the longest time go first."""

MAX_BYTES = 1 << 30
"""How much memory the waiting contexts may hold together, with what is packed of weights for each."""

AT_ONCE = 4
"""How many sets of sizes are prepared when they first come."""

MEETINGS = 16
"""How often another set of sizes comes before it is prepared.

To prepare one takes as long as some twenty runs in ONNX Runtime, and then saves a part of each run."""

_REMEMBERED = 1 << 14
"""How many sets of sizes are counted at a time."""


class Pool:
    """Contexts that wait, by stretch and forms; the oldest go when there are too many.

    Of each stretch, contexts for `max_sizes` sets of sizes may wait, and all of them hold `max_bytes`.
    """

    def __init__(self, max_sizes: int, max_bytes: int):
        self.max_sizes, self.max_bytes = max_sizes, max_bytes
        self._held = 0
        self._idle: OrderedDict[int, tuple[Key, Context]] = OrderedDict()
        self._by_key: dict[int, OrderedDict[Key, list[Context]]] = {}
        self._lock = threading.Lock()

    def take(self, key: Key) -> Context | None:
        """A context that nobody else has until it is given back."""
        with self._lock:
            sets = self._by_key.get(key[0])
            waiting = None if sets is None else sets.get(key)
            if not waiting:
                return None
            context = waiting[-1]
            self._drop(key, context)
            return context

    def give(self, key: Key, context: Context) -> list[Context]:
        """Takes a context back; returns those that had to go."""
        gone: list[Context] = []
        with self._lock:
            self._idle[context.serial] = key, context
            self._held += context.held
            sets = self._by_key.setdefault(key[0], OrderedDict())
            sets.setdefault(key, []).append(context)
            sets.move_to_end(key)
            while len(sets) > max(self.max_sizes, 1):
                old_key, waiting = next(iter(sets.items()))
                for old in list(waiting):
                    self._drop(old_key, old)
                    gone.append(old)
            while len(self._idle) > 1 and self._held > self.max_bytes:
                old_key, old = next(iter(self._idle.values()))
                self._drop(old_key, old)
                gone.append(old)
        return gone

    def _drop(self, key: Key, context: Context) -> None:
        del self._idle[context.serial]
        self._held -= context.held
        sets = self._by_key[key[0]]
        sets[key].remove(context)
        if not sets[key]:
            del sets[key]

    def waiting(self) -> list[Context]:
        with self._lock:
            return [context for _, context in self._idle.values()]


class Repeat:
    """A context that waits for inputs that lie in memory as those of its last run did.

    What a run looks up and checks otherwise is known then. That matters for small networks: behind kernels
    that fill the caches, each line of Python takes some microseconds.
    """

    def __init__(
        self,
        key: Key,
        context: Context,
        inputs: Sequence[tuple[str, int, Array]],
        results: Sequence[tuple[str, int, MemoryLayout, np.dtype[Any]]],
    ):
        """`inputs`: names, values and arrays; `results`: names, where the context has them, and dtypes."""
        self.key, self.context = key, context
        self._inputs = [
            (name, value, array.dtype, array.shape, array.strides, form)
            for (name, value, array), form in zip(inputs, key[1], strict=True)
        ]
        self._results = [
            (name, port, form.shape, dtype, form) for name, port, form, dtype in results
        ]

    @staticmethod
    def of(
        key: Key,
        context: Context,
        feeds: Mapping[str, Array],
        arrays: Mapping[int, Array],
        program: Program,
    ) -> Repeat | None:
        """What a run left that one context made: of `feeds`, which it took as `arrays`, by value.

        None where an input was copied first, or the context did not read it; and where an output is made
        by ONNX Runtime, or is not made here.
        """
        if context.has_segment:
            return None
        reads, names = program.stretches[key[0]].reads, {v: name for name, v in program.inputs}
        where = {index: (port, form) for index, port, form in context.results}
        indices = [index for _, index in program.outputs]
        if len(set(indices)) < len(indices) or where.keys() != set(indices):
            return None
        if len(reads) != len(names) or any(arrays.get(v) is not feeds.get(names[v]) for v in reads):
            return None
        outputs = ((name, *where[v], program.values[v].dtype) for name, v in program.outputs)
        return Repeat(key, context, [(names[v], v, arrays[v]) for v in reads], list(outputs))

    def run(self, feeds: Mapping[str, Array]) -> dict[str, Array] | None:
        """The outputs; None, and nothing is run, where the inputs are others or lie otherwise."""
        if len(feeds) != len(self._inputs):
            return None
        memory: dict[int, Located] = {}
        for name, value, dtype, shape, strides, form in self._inputs:
            array = feeds.get(name)
            if (
                type(array) is not np.ndarray
                or array.shape != shape
                or array.strides != strides
                or array.dtype != dtype
                or not array.flags.aligned
            ):
                return None
            memory[value] = address_of(array), form
        outputs: dict[str, Array] = {}
        for name, port, shape, dtype, form in self._results:
            outputs[name] = array = np.empty(shape, dtype)
            memory[port] = address_of(array), form
        self.context.run(memory)
        return outputs


class Repeats:
    """The repeat of a plan's last run, unless it is at work. Threads that run at a time leave one each."""

    def __init__(self) -> None:
        self._waiting: list[Repeat] = []

    def take(self) -> Repeat | None:
        """One that nobody else has until it is put back."""
        try:
            return self._waiting.pop()
        except IndexError:
            return None

    def put(self, repeat: Repeat) -> None:
        self._waiting.append(repeat)

    @property
    def contexts(self) -> list[Context]:
        return [repeat.context for repeat in list(self._waiting)]


class Meetings:
    """Which sets of sizes are worth preparing: the first ones, and those that come often.

    The answers follow from the sequence of the sets alone, not from any time.
    """

    def __init__(self, at_once: int, meetings: int, max_sizes: int):
        self._at_once, self._meetings = min(at_once, max(max_sizes, 1)), meetings
        self._max = max(max_sizes, 1)
        self._prepared: OrderedDict[Hashable, None] = OrderedDict()
        self._met: OrderedDict[Hashable, int] = OrderedDict()
        self._lock = threading.Lock()

    def is_seldom(self, sizes: Hashable) -> bool:
        """Counts a meeting with a set of sizes, and says whether it is not to be prepared yet."""
        with self._lock:
            if sizes in self._prepared:
                self._prepared.move_to_end(sizes)
                return False
            met = self._met.pop(sizes, 0) + 1
            if self._at_once > 0 or met >= self._meetings:
                self._at_once -= 1
                self._prepared[sizes] = None
                if len(self._prepared) > self._max:
                    self._prepared.popitem(last=False)
                return False
            self._met[sizes] = met
            if len(self._met) > _REMEMBERED:
                self._met.popitem(last=False)
            return True

    def forget(self, sizes: Hashable) -> None:
        """Notes that what was prepared for a set of sizes is gone."""
        with self._lock:
            self._prepared.pop(sizes, None)
