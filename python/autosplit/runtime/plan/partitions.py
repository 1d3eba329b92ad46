"""Partitions of a compiled plan: compiled for the shapes that come, called on the plan's memory.

Two kernels of the library need care, see `Pointwise` and `loses_zero_point`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from weakref import WeakValueDictionary

from xdsl.ir import Operation, SSAValue

from autosplit.dialects.dnnl import DnnlOp
from autosplit.dialects.dnnl.shapes import channel_axis, spatial_axes, weight_axes
from autosplit.dialects.platform import shape_of
from autosplit.runtime.dnnl.api import DTYPE_BYTES, LogicalTensor
from autosplit.runtime.dnnl.build import BuiltGraph
from autosplit.runtime.dnnl.library import (
    BoundCall,
    CallsInTurn,
    CompiledPartition,
    Library,
    Partition,
)
from autosplit.runtime.plan.memory import MemoryLayout
from autosplit.runtime.plan.values import Value

Mover = Callable[[int], None]
"""Tells a prepared call that a tensor lies elsewhere now."""

Shape = tuple[int, ...]


FIXED = (3, 6)
"""The first release without the faults that are worked around here."""


def loses_zero_point(ops: Sequence[DnnlOp], library: Library) -> bool:
    """Whether a partition is a lone cast that may forget its zero point where it changes the layout."""
    if len(ops) != 1 or ops[0].kind not in ("Quantize", "Dequantize"):
        return False
    return library.version < FIXED and any(ops[0].ints("zps"))


def is_turned_wrong(source: MemoryLayout) -> bool:
    """Whether a tensor of this form is one that such a cast computes wrong.

    That was seen where the inner dimension is a multiple of 64, and the one that becomes the inner one is
    more than 16 and no multiple of 4. To be safe, more forms count as wrong.
    """
    channels, space = prod(source.shape[1:2]), prod(source.shape[2:])
    last = len(source.shape) > 1 and source.steps[1] == 1
    inner, outer = (channels, space) if last else (space, channels)
    return inner % 32 == 0 and outer % 8 != 0 and outer > 16


@dataclass(frozen=True)
class Pointwise:
    """A 1x1 convolution, whose kernel for AMX writes too much in oneDNN before 3.6.

    It takes the positions of an image in tiles of at most 16. Where there are three, it computes a fourth:
    16 rows of channels behind the image are overwritten. At the end of the tensor they belong to somebody
    else. Between two images they get the values that the next one has there anyway, but not in a sum, whose
    other operand lies there already. So such tensors have room behind them, in memory of the plan's own, and
    images are computed one by one.
    """

    id: int
    """What the library calls the result."""
    channels: int
    space: Shape
    """The dimensions of the result that are neither images nor channels."""
    weights: frozenset[int]
    """The tensors that the weights and the bias come from: they have no images, whatever their sizes."""

    FEWEST, MOST = 17, 48
    """How many positions may make three tiles."""
    ROWS = 16

    @classmethod
    def of(cls, op: DnnlOp, built: BuiltGraph, library: Library) -> Pointwise | None:
        """The facts about an op; None where the library does nothing wrong with it."""
        if not cls.concerns(op, library):
            return None
        data_format, rank = op.text("data_format"), len(shape_of(op.operands[1].type) or ())
        return cls(
            built.tensors[op.results[0]].id,
            channel_axis(data_format, rank),
            tuple(spatial_axes(data_format, rank)),
            frozenset(built.tensors[v].id for v in sources_of(op.operands[1:])),
        )

    @staticmethod
    def concerns(op: DnnlOp, library: Library) -> bool:
        """Whether the library may use that kernel for an op. Depthwise convolutions have another one."""
        if op.kind != "Convolution" or library.version >= FIXED or "amx" not in library.isa:
            return False
        weights = shape_of(op.operands[1].type)
        if weights is None:
            return False
        _, channels, space = weight_axes(op.text("weights_format"), len(weights))
        depthwise = weights[channels] == 1 and op.integer("groups") > 1
        return not depthwise and all(weights[i] == 1 for i in space)

    def overruns(self, shape: Shape) -> bool:
        """Whether a result of this shape is one of those."""
        return self.FEWEST <= prod(shape[i] for i in self.space) <= self.MOST

    def has_images(self, id: int, shape: Shape, result: Shape) -> bool:
        """Whether a tensor has an element for each image of the result, whose shape is `result`."""
        return id not in self.weights and len(shape) == len(result) and shape[0] == result[0]


def sources_of(values: Iterable[SSAValue]) -> set[SSAValue]:
    """The values, and what they come from in the same block."""
    sources: set[SSAValue] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value not in sources:
            sources.add(value)
            waiting += value.owner.operands if isinstance(value.owner, Operation) else ()
    return sources


class SpecializedPartition:
    """A partition for fixed shapes; its ports are in the order of the step's inputs and outputs.

    `compiled` computes one of `images` at a time. `tail`: bytes behind each output that are overwritten.
    """

    def __init__(
        self,
        compiled: CompiledPartition,
        inputs: Sequence[MemoryLayout],
        outputs: Sequence[MemoryLayout],
        *,
        images: int = 1,
        tail: int = 0,
    ):
        self._compiled = compiled
        self._images = images
        self.outputs = list(outputs)
        self.tail = tail
        reads = [tensor.id for tensor in compiled.inputs]
        writes = [tensor.id for tensor in compiled.outputs]
        self._steps = [
            _image_bytes(form, tensor) if images > 1 else 0
            for form, tensor in zip(
                (*inputs, *outputs), (*compiled.inputs, *compiled.outputs), strict=True
            )
        ]
        self.in_place = [
            (reads.index(source), writes.index(target))
            for source, target in compiled.inplace
            if source in reads and target in writes and images == 1
        ]
        """Pairs of an input and an output that may share memory."""

    def bind(
        self, reads: Sequence[int], writes: Sequence[int]
    ) -> tuple[Callable[[], None], list[Mover]]:
        """A call on the memory at these addresses, and for each input and output what moves it."""
        addresses = [*reads, *writes]
        calls: list[BoundCall] = []
        for i in range(self._images):
            here = [a + i * step for a, step in zip(addresses, self._steps, strict=True)]
            calls.append(self._compiled.bind(here[: len(reads)], here[len(reads) :]))
        if len(calls) == 1:
            tensors = [*calls[0].inputs, *calls[0].outputs]
            return calls[0], [tensor.move for tensor in tensors]
        movers = [partial(_move_all, calls, port, step) for port, step in enumerate(self._steps)]
        return CallsInTurn(calls), movers


class Idle(SpecializedPartition):
    """A partition without anything to compute, which the library refuses: all its results are empty."""

    def __init__(self, outputs: Sequence[MemoryLayout]):
        self.outputs = list(outputs)
        self.tail = 0
        self.in_place = []

    def bind(
        self, reads: Sequence[int], writes: Sequence[int]
    ) -> tuple[Callable[[], None], list[Mover]]:
        return lambda: None, [lambda _: None for _ in (*reads, *writes)]


def _image_bytes(form: MemoryLayout, tensor: LogicalTensor) -> int:
    """How far the images of a tensor are apart, where it has as many as the partition computes."""
    if tensor.dims == form.shape:
        return 0
    return form.steps[0] * DTYPE_BYTES[tensor.dtype]


def _move_all(calls: Sequence[BoundCall], port: int, step: int, address: int) -> None:
    for i, call in enumerate(calls):
        [*call.inputs, *call.outputs][port].move(address + i * step)


def _form_of(tensor: LogicalTensor) -> MemoryLayout | None:
    """How the library laid out an output; None where in a way of its own."""
    if tensor.dims is None or tensor.layout != "strided":
        return None
    return MemoryLayout.of(tensor.dims, tensor.strides)


class PartitionStep:
    """One partition of the library, compiled for whatever shapes come.

    `inputs` and `outputs` are values of the program, in the order of the library's ports.
    """

    kind = "partition"

    def __init__(
        self,
        index: int,
        name: str,
        rule: str,
        partition: Partition,
        inputs: Sequence[int],
        outputs: Sequence[int],
        values: Sequence[Value],
        *,
        pointwise: Sequence[Pointwise] = (),
        keeps_layout: bool = False,
        beside: Collection[int] = (),
    ):
        self.index = index
        self.name = name
        self.rule = rule
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.compiles = 0
        self.beside = beside
        """The inputs that meet an image that a convolution makes, such as the other summand, by position."""
        self._partition = partition
        self._pointwise = pointwise
        self._keeps_layout = keeps_layout
        self._reads = [values[i] for i in inputs]
        self._writes = [values[i] for i in outputs]
        # What no context uses any more may go; those that are made at the same time share.
        self._cache: WeakValueDictionary[tuple[MemoryLayout, ...], SpecializedPartition] = (
            WeakValueDictionary()
        )
        self._lock = threading.Lock()

    def compile(self, forms: Sequence[MemoryLayout]) -> SpecializedPartition:
        """The partition for inputs of these forms. Raises AutosplitError where the library refuses."""
        key = tuple(forms)
        with self._lock:
            partition = self._cache.get(key)
            if partition is None:
                partition = self._cache[key] = self._compile(forms)
                self.compiles += 1
        return partition

    def _compile(self, forms: Sequence[MemoryLayout]) -> SpecializedPartition:
        sizes = self._sizes(forms)
        shapes = [sizes.get(t.id) or v.known_shape for v, t in self._targets()]
        if all(shape is not None and 0 in shape for shape in shapes):
            return Idle([MemoryLayout(shape) for shape in shapes if shape is not None])
        for op in self._pointwise:
            shape = sizes.get(op.id)
            if shape is not None and op.overruns(shape):
                return self._compile_with_room(forms, sizes, op, shape)
        asked = [self._asked(v, t, sizes, forms[0]) for v, t in self._targets()]
        partition = self._compiled(forms, asked)
        outputs = [_form_of(tensor) for tensor in partition.outputs]
        shapes = [tensor.dims or () for tensor in partition.outputs]
        # Where nobody knew the sizes they had to be asked for first; a layout of the library's own becomes
        # row-major.
        wanted = [
            self._form(value, shape, forms[0]) or form or MemoryLayout(shape)
            for value, shape, form in zip(self._writes, shapes, outputs, strict=True)
        ]
        if wanted != outputs:
            partition = self._compiled(forms, wanted)
        return SpecializedPartition(partition, forms, wanted)

    def _compile_with_room(
        self, forms: Sequence[MemoryLayout], sizes: Mapping[int, Shape], op: Pointwise, shape: Shape
    ) -> SpecializedPartition:
        """The partition for a convolution that writes too much; see `Pointwise`."""
        count = shape[0]
        outputs = [self._channels_last(v, sizes[t.id], op, shape) for v, t in self._targets()]
        parted = all(form.shape[:1] == (count,) for form in outputs)
        images = count if parted else 1
        single = [
            _first(form, images) if op.has_images(port.id, form.shape, shape) else form
            for port, form in zip(self._partition.inputs, forms, strict=True)
        ]
        partition = self._compiled(single, [_first(form, images) for form in outputs])
        tail = op.ROWS * shape[op.channels] * max(DTYPE_BYTES[t.dtype] for _, t in self._targets())
        return SpecializedPartition(partition, forms, outputs, images=images, tail=tail)

    def _channels_last(
        self, value: Value, shape: Shape, op: Pointwise, whole: Shape
    ) -> MemoryLayout:
        """Row-major the library would write to memory of its own first, where there is no room."""
        form = value.form(shape)
        if shape == whole and (form is None or form.strides is None):
            return MemoryLayout.ordered(shape, [0, *op.space, op.channels])
        return form or MemoryLayout(shape)

    def _targets(self) -> Iterable[tuple[Value, LogicalTensor]]:
        return zip(self._writes, self._partition.outputs, strict=True)

    def _sizes(self, forms: Sequence[MemoryLayout]) -> Mapping[int, Shape]:
        """The sizes of all tensors inside, as far as they can be told, by the library's ids."""
        ports = self._partition.inputs
        return self._partition.shapes(
            {port.id: form.shape for port, form in zip(ports, forms, strict=True)}
        )

    def _asked(
        self, value: Value, tensor: LogicalTensor, sizes: Mapping[int, Shape], source: MemoryLayout
    ) -> MemoryLayout | None:
        shape = sizes.get(tensor.id) or value.known_shape
        return None if shape is None else self._form(value, shape, source)

    def _form(self, value: Value, shape: Shape, source: MemoryLayout) -> MemoryLayout | None:
        """How an output is to lie: like the input, where the library had better not change the layout."""
        form = value.form(shape)
        if self._keeps_layout and is_turned_wrong(source):
            return MemoryLayout.of(shape, source.steps)
        return form

    def _compiled(
        self, inputs: Sequence[MemoryLayout], outputs: Sequence[MemoryLayout | None]
    ) -> CompiledPartition:
        ins = [
            LogicalTensor(
                port.id,
                port.dtype,
                form.shape,
                strides=form.steps,
                # One image of a constant is no constant: the next call reads another one.
                constant=value.constant is not None and value.constant.shape == form.shape,
            )
            for port, form, value in zip(self._partition.inputs, inputs, self._reads, strict=True)
        ]
        outs = [
            LogicalTensor(port.id, port.dtype, None, layout="any")
            if form is None
            else LogicalTensor(port.id, port.dtype, form.shape, strides=form.steps)
            for port, form in zip(self._partition.outputs, outputs, strict=True)
        ]
        return self._partition.compile(ins, outs)


def _first(form: MemoryLayout, images: int) -> MemoryLayout:
    """The form of the first of so many images."""
    return MemoryLayout.of((form.shape[0] // images, *form.shape[1:]), form.steps)
