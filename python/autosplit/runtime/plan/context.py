"""A stretch of a plan for fixed shapes: memory, compiled partitions and calls that are ready to be made.

Making a context costs compilation; running it is one call a step. It is used by one thread at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.dialects.dnnl.moves import LookingUp, Reshaping
from autosplit.runtime.dnnl.sequence import sequences
from autosplit.runtime.plan.memory import (
    Block,
    Located,
    MemoryLayout,
    Piece,
    address_of,
    arrange,
    copier,
    looker,
    unplaced,
    view,
)
from autosplit.runtime.plan.partitions import PartitionStep, SpecializedPartition
from autosplit.runtime.plan.program import Program, Stretch
from autosplit.runtime.plan.segments import SegmentCall
from autosplit.runtime.plan.steps import MoveStep, SegmentStep, Step, ViewStep
from autosplit.runtime.plan.values import Value

Array = NDArray[np.generic]

_serials = count()


@dataclass
class Memory:
    """Where a tensor lies: in the context's block, at a fixed address, or at one that each run gives."""

    address: int = 0
    """0 until the block is laid out, and where each run gives the address."""
    port: int | None = None
    """The number under which each run gives the address."""
    piece: int | None = None
    """The piece of the block that it is."""
    tail: int = 0
    """Bytes behind it that are overwritten."""

    @property
    def is_inner(self) -> bool:
        """Whether the context has to find a place for it."""
        return self.port is None and not self.address


@dataclass
class Place:
    """A tensor of a context. Views of one tensor share their memory."""

    value: Value
    form: MemoryLayout
    memory: Memory = field(default_factory=Memory)
    offset: int = 0
    """Bytes from the beginning of the memory to the first element."""
    is_part: bool = False
    """Whether it is only a part of what lies in the memory."""

    @property
    def nbytes(self) -> int:
        return self.form.extent * self.value.dtype.itemsize

    @property
    def address(self) -> int:
        """Where the first element lies; 0 as long as nobody knows."""
        return self.memory.address + self.offset if self.memory.address else 0


@dataclass
class Work:
    """One step before it has memory."""

    name: str
    step: Step | None
    """None is a copy from another layout."""
    reads: list[Place]
    writes: list[Place]
    compiled: SpecializedPartition | None = None


@dataclass
class _Port:
    """Memory that changes from run to run, and what has to know where it is."""

    value: int
    movers: list[Callable[[int], None]] = field(default_factory=list[Callable[[int], None]])
    address: int = -1


class _Mover:
    """Copies the bytes that an op moves to those of its results that are not views, or a tensor as it is."""

    def __init__(self, work: Work):
        self.work = work
        self._reads = [place.address for place in work.reads]
        self._writes = [place.address for place in work.writes]
        self._calls: list[Callable[[], None]] | None = None

    def move_source(self, index: int, address: int) -> None:
        self._reads[index], self._calls = address, None

    def move_target(self, index: int, address: int) -> None:
        self._writes[index], self._calls = address, None

    def __call__(self) -> None:
        if self._calls is None:
            self._calls = self._prepared()
        for call in self._calls:
            call()

    def _prepared(self) -> list[Callable[[], None]]:
        sources, targets = (
            [
                view(address, place.form, place.value.dtype)
                for place, address in zip(places, addresses, strict=True)
            ]
            for places, addresses in (
                (self.work.reads, self._reads),
                (self.work.writes, self._writes),
            )
        )
        if not isinstance(self.work.step, MoveStep):
            return [copier(targets[0], sources[0])]
        move = self.work.step.move
        if isinstance(move, LookingUp):
            return [looker(targets[0], sources[0], move.table)]
        pairs = move.pairs(targets, sources)
        arrays = [(target, np.asarray(source)) for target, source in pairs if target.size]
        # A part of a split that is a view lies there already.
        return [copier(t, s) for t, s in arrays if address_of(t) != address_of(s)]


class Context:
    """The steps of `stretch` for incoming values of the forms `forms`.

    Raises AutosplitError where a partition cannot be compiled for them.
    """

    def __init__(self, program: Program, stretch: Stretch, forms: Mapping[int, MemoryLayout]):
        self.serial = next(_serials)
        self.sizes: Hashable = None
        """The sizes of the plan's inputs in the last run."""
        self.stretch = stretch
        self.is_new = True
        self.program = program
        builder = _Builder(program, stretch, forms)
        self.works = builder.works
        self.block = builder.block
        self.shared_places = builder.shared
        """Outputs that are written in place of an input."""
        self.results = builder.results
        """The outputs of the plan that are written here, where `memory` says: value, port and form."""
        self._exports = builder.exports
        self._moved_exports = builder.moved_exports
        self._ports: list[_Port] = list(builder.ports.values())
        self._calls = builder.calls
        """One for each work."""
        self._sequences = sequences(builder.calls)
        self._segment = builder.own_segment
        self._own = builder.own_outputs
        self.copies = [
            (i, sum(place.nbytes for place in work.writes))
            for i, work in enumerate(self.works)
            if work.step is None or isinstance(work.step, MoveStep)
        ]
        self.seconds = [0.0] * len(self.works)

    @property
    def has_segment(self) -> bool:
        """Whether ONNX Runtime runs a part of it."""
        return self._segment is not None

    @property
    def nbytes(self) -> int:
        return self.block.size

    @cached_property
    def held(self) -> int:
        """The memory that goes with the context: its block, and weights packed for its sizes."""
        weights = {
            id(place.value.constant): place.nbytes
            for work in self.works
            for place in work.reads
            if place.value.constant is not None and work.compiled is not None
        }
        return self.nbytes + sum(weights.values())

    def run(
        self,
        memory: dict[int, Located],
        *,
        timed: bool = False,
        told: Callable[[str], object] | None = None,
    ) -> dict[int, Array]:
        """Runs the steps on `memory`, and adds to it what later stretches read.

        `told` is called with each step's name before it runs.
        Returns the outputs of the plan that lie in memory of ONNX Runtime's. Raises AutosplitError where a
        step fails.
        """
        for port in self._ports:
            address = memory[port.value][0]
            if address != port.address:
                for move in port.movers:
                    move(address)
                port.address = address
        if self._segment is not None:
            self._segment.renew()
        if told is not None:
            for work, call in zip(self.works, self._calls, strict=True):
                told(work.name)
                call()
        elif timed:
            self._run_timed()
        else:
            for call in self._sequences:
                call()
        memory.update(self._exports)
        for index, port, offset, form in self._moved_exports:
            memory[index] = memory[port][0] + offset, form
        return self._collect(memory) if self._segment is not None else {}

    def _run_timed(self) -> None:
        clock, seconds = time.perf_counter, self.seconds
        for i, call in enumerate(self._calls):
            start = clock()
            call()
            seconds[i] += clock() - start

    def _collect(self, memory: dict[int, Located]) -> dict[int, Array]:
        arrays: dict[int, Array] = {}
        assert self._segment is not None
        values = self._segment.values()
        for name, index in self._own:
            value = values[name]
            memory[index] = value.data_ptr(), MemoryLayout(tuple(value.shape()))
            if index in self.stretch.results:
                arrays[index] = value.numpy()
        return arrays


class _Builder:
    """Makes the parts of a context: forms first, then memory, then calls."""

    def __init__(self, program: Program, stretch: Stretch, forms: Mapping[int, MemoryLayout]):
        self.program = program
        self.stretch = stretch
        self.places: dict[int, Place] = {}
        self.row_major: dict[int, Place] = {}
        """Copies of values that lie in another layout, for those who read row-major only."""
        self.works: list[Work] = []
        self.results: list[tuple[int, int, MemoryLayout]] = []
        self.own_segment: SegmentCall | None = None
        self.own_outputs: list[tuple[str, int]] = []
        self.ports: dict[int, _Port] = {}
        self.calls: list[Callable[[], object]] = []
        self.shared = 0
        for index, form in forms.items():
            self.places[index] = Place(program.values[index], form, Memory(port=index))
        for step in stretch.steps:
            match step:
                case PartitionStep():
                    self._add_partition(step)
                case SegmentStep():
                    self._add_segment(step)
                case ViewStep():
                    self._add_view(step)
                case MoveStep():
                    self._add_move(step)
        for index in stretch.results:
            if index in self.places:
                self._finish(index)
        self.block = self._lay_out()
        self.exports: dict[int, Located] = {}
        self.moved_exports: list[tuple[int, int, int, MemoryLayout]] = []
        for index in stretch.exports:
            self._export(index)
        for work in self.works:
            self.calls.append(self._bind(work))

    def _place(self, index: int) -> Place:
        """Where a value lies that is read: constants have a place from the beginning."""
        if index not in self.places:
            value = self.program.values[index]
            assert value.constant is not None
            form = MemoryLayout(value.constant.shape)
            self.places[index] = Place(value, form, Memory(address_of(value.constant)))
        return self.places[index]

    def _add_partition(self, step: PartitionStep) -> None:
        reads = [self._place(index) for index in step.inputs]
        for i in step.beside:
            reads[i] = self._as_image(reads[i])
        compiled = step.compile([place.form for place in reads])
        writes: list[Place] = []
        for index, form in zip(step.outputs, compiled.outputs, strict=True):
            memory = Memory(tail=compiled.tail)
            writes.append(Place(self.program.values[index], form, memory))
            self.places[index] = writes[-1]
        self.works.append(Work(step.name, step, reads, writes, compiled))

    def _add_segment(self, step: SegmentStep) -> None:
        reads = [self._as_row_major(index) for _, index in step.inputs]
        writes: list[Place] = []
        for _, index in step.outputs:
            value = self.program.values[index]
            if value.is_static:
                self.places[index] = Place(value, MemoryLayout(value.shape or ()))
                writes.append(self.places[index])
        self.works.append(Work(step.name, step, reads, writes))

    def _add_view(self, step: ViewStep) -> None:
        """The same memory with other sizes; nothing is done in a run."""
        source = self._as_row_major(step.source)
        value = self.program.values[step.target]
        form = MemoryLayout(step.sized(source.form.shape))
        self.places[step.target] = Place(
            value, form, source.memory, source.offset, is_part=source.is_part
        )

    def _add_move(self, step: MoveStep) -> None:
        """Views of what is there, as far as their readers take these; copies for the others."""
        reads = [self._place(index) for index in step.inputs]
        seen = [unplaced(place.form, place.value.dtype) for place in reads]
        views = step.move.views(seen[0])
        if views is None and isinstance(step.move, Reshaping):
            reads = [self._as_row_major(step.inputs[0])]
        shapes = step.move.shapes([place.form.shape for place in reads])
        writes = [
            self._moved(
                step, index, shape, None if views is None else (reads[0], seen[0], views[i])
            )
            for i, (index, shape) in enumerate(zip(step.outputs, shapes, strict=True))
        ]
        for index, place in zip(step.outputs, writes, strict=True):
            self.places[index] = place
        if any(place.memory is not reads[0].memory for place in writes):
            self.works.append(Work(step.name, step, reads, writes))

    def _moved(
        self,
        step: MoveStep,
        index: int,
        shape: Sequence[int],
        seen: tuple[Place, Array, Array] | None,
    ) -> Place:
        """Where a result of a move lies: in its operand, if it can be seen there as it is wanted."""
        value = self.program.values[index]
        wanted = value.form(shape)
        if seen is not None:
            source, whole, part = seen
            size = value.dtype.itemsize
            form = MemoryLayout.of(part.shape, [s // size for s in part.strides])
            if form == wanted or wanted is None or step.viewed:
                offset = source.offset + address_of(part) - address_of(whole)
                is_part = source.is_part or form.extent < source.form.extent
                return Place(value, form, source.memory, offset, is_part)
        return Place(value, wanted or MemoryLayout(tuple(shape)))

    def _export(self, index: int) -> None:
        """Says where a value lies that later stretches read."""
        if index not in self.places:
            # ONNX Runtime says so in each run.
            return
        place = self.places[index]
        port = place.memory.port
        if port is None:
            self.exports[index] = place.address, place.form
        elif port != index or place.offset:
            self.moved_exports.append((index, port, place.offset, place.form))

    def _as_row_major(self, index: int) -> Place:
        place = self._place(index)
        if place.form.strides is None:
            return place
        if index not in self.row_major:
            self.row_major[index] = self._copied(place)
        return self.row_major[index]

    def _as_image(self, place: Place) -> Place:
        """A tensor that meets an image in a kernel, channels-last as the image is.

        For one that is row-major the library has a reference kernel only, a hundred times as slow.
        """
        shape = place.form.shape
        form = (
            MemoryLayout.ordered(shape, [0, *range(2, len(shape)), 1]) if shape[2:] else place.form
        )
        if place.form.strides is not None or form == place.form:
            return place
        return self._copied(place, form)

    def _copied(self, place: Place, form: MemoryLayout | None = None) -> Place:
        """A copy, row-major if no form is given."""
        copy = Place(place.value, form or MemoryLayout(place.form.shape))
        self.works.append(Work(f"copy {place.value.name}", None, [place], [copy]))
        return copy

    def _finish(self, index: int) -> None:
        """Lets a value that is an output of the plan be written to the caller's memory."""
        place = self._as_row_major(index)
        if not place.memory.is_inner or place.memory.tail or place.is_part:
            # A view of what the caller gave, or of another output; or it takes more room than the caller has.
            place = self._copied(place)
        # A copy is the caller's alone: later stretches read the original.
        place.memory.port = index if place is self.places[index] else -1 - index
        self.results.append((index, place.memory.port, place.form))

    def _lay_out(self) -> Block:
        """Gives all memory that is the context's own its share of a block."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        size: dict[int, int] = {}
        inner: dict[int, Memory] = {}
        for i, work in enumerate(self.works):
            for place in (*work.reads, *work.writes):
                key = id(place.memory)
                if place.memory.is_inner:
                    inner[key] = place.memory
                    first.setdefault(key, i)
                    last[key] = i
                    wanted = place.offset + place.nbytes + place.memory.tail
                    size[key] = max(size.get(key, 0), wanted)
        for index in self.stretch.exports:
            if index in self.places and (key := id(self.places[index].memory)) in inner:
                last[key] = len(self.works)
        pieces: list[Piece] = []
        for key, own in inner.items():
            own.piece = len(pieces)
            pieces.append(Piece(size[key], first[key], last[key]))
        self.shared = _share(self.works, pieces)
        offsets, total = arrange(pieces)
        block = Block(total, large_pages=True)
        for own in inner.values():
            assert own.piece is not None
            own.address = block.address + offsets[own.piece]
        return block

    def _bind(self, work: Work) -> Callable[[], object]:
        if work.compiled is not None:
            return self._bind_partition(work, work.compiled)
        if isinstance(work.step, SegmentStep):
            return self._bind_segment(work, work.step)
        return self._bind_move(work)

    def _bind_partition(self, work: Work, compiled: SpecializedPartition) -> Callable[[], object]:
        call, movers = compiled.bind(
            [place.address for place in work.reads],
            [place.address for place in work.writes],
        )
        for place, move in zip((*work.reads, *work.writes), movers, strict=True):
            self._move(place, move)
        return call

    def _bind_move(self, work: Work) -> Callable[[], object]:
        mover = _Mover(work)
        for i, place in enumerate(work.reads):
            self._move(place, partial(mover.move_source, i))
        for i, place in enumerate(work.writes):
            self._move(place, partial(mover.move_target, i))
        return mover

    def _bind_segment(self, work: Work, step: SegmentStep) -> Callable[[], object]:
        call = step.model.bind()
        for (name, _), place in zip(step.inputs, work.reads, strict=True):
            self._connect(place, call.input, name)
        for name, index in step.outputs:
            if index in self.places:
                self._connect(self.places[index], call.output, name)
                continue
            call.own_output(name)
            self.own_outputs.append((name, index))
            self.own_segment = call
        return call.run

    def _connect(self, place: Place, bind: Callable[..., None], name: str) -> None:
        element, shape = place.value.element, place.form.shape

        def move(address: int) -> None:
            bind(name, element, shape, address)

        if place.memory.port is None:
            move(place.address)
        else:
            self._move(place, move)

    def _move(self, place: Place, move: Callable[[int], Any]) -> None:
        port = place.memory.port
        if port is None:
            return
        offset = place.offset

        def move_part(address: int) -> None:
            move(address + offset)

        self.ports.setdefault(port, _Port(port)).movers.append(move_part if offset else move)


def _share(works: Sequence[Work], pieces: list[Piece]) -> int:
    """Lets outputs take over the bytes of inputs that are read for the last time; returns how many do."""
    shared = 0
    for i, work in enumerate(works):
        for read, written in _in_place(work):
            source, target = read.memory.piece, written.memory.piece
            if source is None or target is None or pieces[source].last != i:
                continue
            if pieces[target].takes is None and all(p.takes != source for p in pieces):
                pieces[target] = replace(pieces[target], takes=source)
                shared += 1
    return shared


def _in_place(work: Work) -> Sequence[tuple[Place, Place]]:
    """Pairs of a tensor that a partition reads and one that it may write in its place."""
    if work.compiled is None:
        return []
    pairs = [(work.reads[i], work.writes[o]) for i, o in work.compiled.in_place]
    return [
        (read, written)
        for read, written in pairs
        # Read twice, as in conv(x) + x, it would be overwritten while it is still needed.
        if sum(other.memory is read.memory for other in work.reads) == 1
        and read.form == written.form
        and not read.is_part
        and read.value.dtype.itemsize == written.value.dtype.itemsize
    ]
