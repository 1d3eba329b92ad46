"""oneDNN Graph as Python objects: library, graph, partition, compiled partition, bound call.

    builder = GraphBuilder(library())
    builder.add_op(kind, "conv", attrs, inputs, outputs)
    builder.finalize()
    (partition,) = builder.partitions()
    compiled = partition.compile(partition.inputs, partition.outputs)
    call = compiled.bind([x, w], [y])
    call()

Refused here with an AutosplitError, since the library would crash or hang: op kinds that are newer than
it, input layouts left open, empty tensors, bf16 and f16 where the processor has none. Shapes and attributes
that contradict each other crash it too: `autosplit.runtime.dnnl.build` checks those. Every object keeps
alive what its C object needs, and destroys that once.

oneDNN caches what it packs from constant tensors (weights) under the ids of ops and tensors, so ids are
never used twice in a process, a partition serves one set of weights, and weights must not be changed.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, c_char_p, c_float, c_int64, c_size_t, c_uint8, c_void_p
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.runtime.dnnl import api
from autosplit.runtime.dnnl.api import (
    UNKNOWN,
    LogicalTensor,
    LogicalTensorStruct,
    new_id,
    row_major,
)
from autosplit.runtime.dnnl.process import Library, Stream, library
from autosplit.toolchains.onednn import VARIABLE, WaitPolicy

__all__ = [
    "Array",
    "AttrValue",
    "BoundCall",
    "CallsInTurn",
    "CompiledPartition",
    "GraphBuilder",
    "Library",
    "LogicalTensor",
    "Partition",
    "Shapes",
    "Stream",
    "Tensor",
    "WaitPolicy",
    "library",
    "new_id",
    "row_major",
]

Array = NDArray[Any]
AttrValue = float | int | bool | str | Sequence[float] | Sequence[int]
Shapes = Mapping[int, tuple[int, ...]]
"""Tensor ids -> known sizes."""


class GraphBuilder:
    """A graph under construction: ops in any order, then `finalize`, then `partitions`.

    `infer` is asked before partitions are compiled: it is given the ids of the ops and the sizes of the
    inputs, and returns the sizes of all tensors, or raises AutosplitError where they contradict each other.
    """

    def __init__(
        self,
        lib: Library,
        fpmath_mode: str = "strict",
        infer: Callable[[Sequence[int], Shapes], Shapes] | None = None,
    ):
        self.library = lib
        self.infer = infer
        self.dtypes: dict[int, set[str]] = {}
        self.names: dict[int, str] = {}
        self._producers: dict[int, str] = {}
        self._finalized = False
        self.handle = c_void_p()
        if fpmath_mode not in api.FPMATH_CODES:
            raise AutosplitError(
                f"fpmath_mode {fpmath_mode!r}: expected one of {', '.join(api.FPMATH_CODES)}"
            )
        status = lib.dll.dnnl_graph_graph_create_with_fpmath_mode(
            byref(self.handle), api.CPU, api.FPMATH_CODES[fpmath_mode]
        )
        lib.check(status, "making a graph")
        weakref.finalize(self, lib.dll.dnnl_graph_graph_destroy, self.handle)

    def add_op(
        self,
        kind: int,
        name: str,
        attrs: Iterable[tuple[int, str, AttrValue]],
        inputs: Sequence[LogicalTensor],
        outputs: Sequence[LogicalTensor],
    ) -> int:
        """Add an op with its attributes (code, type as in the library's JSON, value); return its id.

        Raises AutosplitError where the kind is newer than the library, a tensor has two producers, or the
        library finds the op wrong: missing attributes, counts, types.
        """
        lib, dll = self.library, self.library.dll
        if self._finalized:
            raise AutosplitError(f"op {name!r} was added to a graph that is finished")
        if not 0 <= kind < lib.kind_count:
            raise AutosplitError(
                f"op {name!r} has kind {kind}, which oneDNN {lib.release} does not have (it has 0 to"
                f" {lib.kind_count - 1}): use a newer library ({VARIABLE}) or leave the op out"
            )
        for tensor in outputs:
            if first := self._producers.get(tensor.id):
                raise AutosplitError(f"{tensor} is produced by both {first!r} and {name!r}")
        identity = new_id()
        op = c_void_p()
        label = name.encode(errors="replace").replace(b"\0", b"?")
        lib.check(dll.dnnl_graph_op_create(byref(op), identity, kind, label), f"making op {name!r}")
        try:
            for code, type, value in attrs:
                try:
                    status = _set_attr(dll, op, code, type, value)
                except (TypeError, ctypes.ArgumentError) as e:
                    raise AutosplitError(f"op {name!r}: {value!r} is not of type {type}") from e
                if status:
                    raise lib.failure(status, f"op {name!r}: setting {code:#x} to {value!r}")
            for tensor in inputs:
                if status := dll.dnnl_graph_op_add_input(op, byref(tensor.struct())):
                    raise lib.failure(status, f"op {name!r}: adding input {tensor}")
            for tensor in outputs:
                if status := dll.dnnl_graph_op_add_output(op, byref(tensor.struct())):
                    raise lib.failure(status, f"op {name!r}: adding output {tensor}")
            lib.check(dll.dnnl_graph_add_op(self.handle, op), f"adding op {name!r}")
        finally:
            # The graph has its own copy.
            dll.dnnl_graph_op_destroy(op)
        self._producers.update((tensor.id, name) for tensor in outputs)
        self.dtypes[identity] = {tensor.dtype for tensor in (*inputs, *outputs)}
        self.names[identity] = name
        return identity

    def finalize(self) -> None:
        """Say that all ops are there; AutosplitError where they do not form a graph."""
        lib = self.library
        lib.check(lib.dll.dnnl_graph_graph_finalize(self.handle), "finishing a graph")
        self._finalized = True

    def partitions(self, policy: str = "fusion") -> list[Partition]:
        """What the library makes of the graph; policy "debug" gives each op a partition of its own."""
        lib, dll = self.library, self.library.dll
        if not self._finalized:
            self.finalize()
        if policy not in api.POLICY_CODES:
            raise AutosplitError(f"policy {policy!r}: expected {' or '.join(api.POLICY_CODES)}")
        status = dll.dnnl_graph_graph_filter(self.handle, api.POLICY_CODES[policy])
        lib.check(status, "partitioning a graph")
        size = c_size_t()
        lib.check(
            dll.dnnl_graph_graph_get_partition_num(self.handle, byref(size)), "counting partitions"
        )
        handles = (c_void_p * size.value)()
        lib.check(
            dll.dnnl_graph_graph_get_partitions(self.handle, size, handles), "reading partitions"
        )
        return [Partition(self, handle) for handle in handles]


def _set_attr(dll: ctypes.CDLL, op: c_void_p, code: int, type: str, value: Any) -> int:
    """Set an attribute and return the status; values of other types raise TypeError."""
    match type:
        case "f32":
            return dll.dnnl_graph_op_set_attr_f32(op, code, byref(c_float(value)), 0)
        case "f32[]":
            return dll.dnnl_graph_op_set_attr_f32(
                op, code, (c_float * len(value))(*value), len(value)
            )
        case "s64":
            return dll.dnnl_graph_op_set_attr_s64(op, code, byref(c_int64(value)), 0)
        case "s64[]":
            return dll.dnnl_graph_op_set_attr_s64(
                op, code, (c_int64 * len(value))(*value), len(value)
            )
        case "bool":
            return dll.dnnl_graph_op_set_attr_bool(op, code, byref(c_uint8(bool(value))), 1)
        case "string":
            text = str(value).encode()
            return dll.dnnl_graph_op_set_attr_str(op, code, c_char_p(text), len(text))
        case _:
            raise AutosplitError(
                f"attribute {code:#x} has type {type!r}, which oneDNN does not have"
            )


def _pointers(structs: Sequence[LogicalTensorStruct]) -> Any:
    return _pointers_type(len(structs))(*(ctypes.pointer(c) for c in structs))


@cache
def _pointers_type(count: int) -> Any:
    """Making a type takes longer than most that is done with it."""
    return ctypes.POINTER(LogicalTensorStruct) * count


@cache
def _handles_type(count: int) -> Any:
    return c_void_p * count


class Partition:
    """Ops that the library runs together.

    `inputs` and `outputs` are its ports in the library's order, as the graph declared them; `names` are
    its ops' names; `supported` says whether it can be compiled.
    """

    def __init__(self, graph: GraphBuilder, handle: int):
        lib = self.library = graph.library
        self._infer = graph.infer
        self.handle = c_void_p(handle)
        weakref.finalize(self, lib.dll.dnnl_graph_partition_destroy, self.handle)
        dll = lib.dll
        size = c_size_t()
        lib.check(dll.dnnl_graph_partition_get_op_num(self.handle, byref(size)), "counting ops")
        ids = (c_size_t * size.value)()
        lib.check(dll.dnnl_graph_partition_get_ops(self.handle, size, ids), "reading ops")
        self.op_ids: tuple[int, ...] = tuple(ids)
        self.names = tuple(graph.names.get(i, str(i)) for i in self.op_ids)
        self._dtypes: set[str] = set().union(*(graph.dtypes.get(i, ()) for i in self.op_ids))
        flag = c_uint8()
        lib.check(
            dll.dnnl_graph_partition_is_supported(self.handle, byref(flag)), "asking for support"
        )
        self.supported = bool(flag.value)
        self._constants: dict[int, Array | int] = {}
        self.inputs = self._ports(
            dll.dnnl_graph_partition_get_input_ports_num, dll.dnnl_graph_partition_get_input_ports
        )
        self.outputs = self._ports(
            dll.dnnl_graph_partition_get_output_ports_num,
            dll.dnnl_graph_partition_get_output_ports,
        )

    def __str__(self) -> str:
        return f"partition of {', '.join(self.names)}"

    def _ports(
        self, count: Callable[..., int], read: Callable[..., int]
    ) -> tuple[LogicalTensor, ...]:
        size = c_size_t()
        self.library.check(count(self.handle, byref(size)), f"{self}: counting ports")
        ports = (LogicalTensorStruct * size.value)()
        self.library.check(read(self.handle, size, ports), f"{self}: reading ports")
        return tuple(map(LogicalTensor.of, ports))

    def shapes(self, inputs: Shapes) -> Shapes:
        """The sizes of all tensors for those of the inputs; just these where nothing can infer others.

        AutosplitError where they contradict each other.
        """
        return inputs if self._infer is None else self._infer(self.op_ids, inputs)

    def hold_constant(self, port: LogicalTensor, buffer: Array | int) -> None:
        """Note the memory of a constant input; AutosplitError if it had other memory before.

        The memory is kept, so that no other constant can come to lie there.
        """
        first = self._constants.setdefault(port.id, buffer)
        if _address(first) != _address(buffer):
            raise AutosplitError(
                f"{self}: constant {port} has other memory than in the first call; oneDNN keeps what it"
                " made of the first: build another partition for other weights"
            )

    def compile(
        self, inputs: Sequence[LogicalTensor], outputs: Sequence[LogicalTensor]
    ) -> CompiledPartition:
        """The partition for these shapes and layouts, in the order of the ports (found by id).

        All inputs need known sizes and a strided or opaque layout; outputs may have unknown sizes or
        layout "any", which the library then decides. A partition is compiled for as many shapes as one likes,
        but always with the same weights. AutosplitError where it cannot be compiled.
        """
        lib = self.library
        if not self.supported:
            raise AutosplitError(f"oneDNN {lib.release} does not support the {self}")
        for dtype in sorted(self._dtypes):
            if not lib.computes(dtype):
                raise AutosplitError(
                    f"{self}: oneDNN {lib.release} has no {dtype} on this processor ({lib.isa})"
                )
        for tensor in inputs:
            # With an open layout 3.2 never returns; later releases answer "invalid arguments".
            if tensor.layout not in ("strided", "opaque"):
                raise AutosplitError(f"{self}: input {tensor} needs a strided or opaque layout")
            if not tensor.is_static:
                raise AutosplitError(f"{self}: input {tensor} needs known sizes")
            if tensor.dims is not None and 0 in tensor.dims:
                raise AutosplitError(f"{self}: input {tensor} is empty, there is nothing to run")
        inputs = _by_id(self, inputs, self.inputs)
        outputs = _by_id(self, outputs, self.outputs)
        shapes = self.shapes({t.id: t.dims for t in inputs if t.dims is not None})
        for tensor in outputs:
            _check_dims(self, tensor, shapes.get(tensor.id))
        return CompiledPartition(self, inputs, outputs)


def _address(buffer: Array | int) -> int:
    return buffer if isinstance(buffer, int) else buffer.ctypes.data


def _check_dims(partition: Partition, output: LogicalTensor, dims: tuple[int, ...] | None) -> None:
    """AutosplitError unless an output's sizes, where they are given, are those that it will have."""
    sizes = output.dims
    if sizes is None or dims is None:
        return
    if len(sizes) != len(dims) or any(
        a not in (UNKNOWN, b) for a, b in zip(sizes, dims, strict=True)
    ):
        raise AutosplitError(f"{partition}: output {output} will have the sizes {list(dims)}")


def _by_id(
    partition: Partition, tensors: Sequence[LogicalTensor], ports: Sequence[LogicalTensor]
) -> list[LogicalTensor]:
    """`tensors` in the order of `ports`; AutosplitError where they are other tensors."""
    by_id = {tensor.id: tensor for tensor in tensors}
    if len(tensors) != len(ports) or by_id.keys() != {port.id for port in ports}:
        raise AutosplitError(
            f"{partition} has ports {[port.id for port in ports]}, got {[t.id for t in tensors]}"
        )
    for port in ports:
        if by_id[port.id].dtype != port.dtype:
            raise AutosplitError(f"{partition}: port {port} got {by_id[port.id]}")
    return [by_id[port.id] for port in ports]


class CompiledPartition:
    """A partition for fixed shapes.

    `inputs` and `outputs` are in the order of the partition's ports; the sizes and strides of the outputs
    are what the library chose. `inplace` has the pairs of an input and an output (their ids) that may
    share memory. Several threads may execute it at once.
    """

    def __init__(
        self, partition: Partition, inputs: list[LogicalTensor], outputs: list[LogicalTensor]
    ):
        lib = self.library = partition.library
        self.partition = partition
        self.name = str(partition)
        self.handle = c_void_p()
        ins = [tensor.struct() for tensor in inputs]
        outs = [tensor.struct() for tensor in outputs]
        status = lib.dll.dnnl_graph_compiled_partition_create(byref(self.handle), partition.handle)
        lib.check(status, f"{self.name}: making a compiled partition")
        weakref.finalize(self, lib.dll.dnnl_graph_compiled_partition_destroy, self.handle)
        status = lib.dll.dnnl_graph_partition_compile(
            partition.handle,
            self.handle,
            len(ins),
            _pointers(ins),
            len(outs),
            _pointers(outs),
            lib.engine,
        )
        if status:
            ports = ", ".join(map(str, inputs))
            raise lib.failure(status, f"compiling the {self.name} for {ports}")
        self.inputs = tuple(replace(t, strides=_strides(t)) for t in inputs)
        self._structs = {tensor.id: c for tensor, c in zip(inputs, ins, strict=True)}
        self.outputs = tuple(self._query(tensor.id) for tensor in outputs)
        self.inplace = self._inplace()

    def _query(self, id: int) -> LogicalTensor:
        c = LogicalTensorStruct()
        status = self.library.dll.dnnl_graph_compiled_partition_query_logical_tensor(
            self.handle, id, byref(c)
        )
        self.library.check(status, f"{self.name}: reading output {id}")
        self._structs[id] = c
        return LogicalTensor.of(c)

    def _inplace(self) -> tuple[tuple[int, int], ...]:
        size = c_size_t()
        pairs = ctypes.POINTER(api.InplacePairStruct)()
        status = self.library.dll.dnnl_graph_compiled_partition_get_inplace_ports(
            self.handle, byref(size), byref(pairs)
        )
        self.library.check(status, f"{self.name}: reading in-place pairs")
        return tuple((pairs[i].input_id, pairs[i].output_id) for i in range(size.value))

    def mem_size(self, id: int) -> int:
        """The bytes that the tensor of a port needs."""
        size = c_size_t()
        status = self.library.dll.dnnl_graph_logical_tensor_get_mem_size(
            byref(self._structs[id]), byref(size)
        )
        self.library.check(status, f"{self.name}: size of tensor {id}")
        return size.value

    def bind(
        self,
        inputs: Sequence[Array | int],
        outputs: Sequence[Array | int],
        stream: Stream | None = None,
    ) -> BoundCall:
        """A call on these buffers: numpy arrays or addresses, in the order of the ports.

        Arrays are checked against their port (dtype, shape, strides; AutosplitError); an address must be
        that of enough memory for as long as the call is used. Constants have the same memory in all calls
        of the partition.
        """
        if len(inputs) != len(self.inputs) or len(outputs) != len(self.outputs):
            raise AutosplitError(
                f"{self.name} has {counted(len(self.inputs), 'input')} and "
                f"{counted(len(self.outputs), 'output')}, got {len(inputs)} and "
                f"{counted(len(outputs), 'buffer')}"
            )
        for port, buffer in zip(self.inputs, inputs, strict=True):
            if port.constant:
                self.partition.hold_constant(port, buffer)
        return BoundCall(self, inputs, outputs, stream or self.library.stream())

    def execute(self, inputs: Sequence[Array | int], outputs: Sequence[Array | int]) -> None:
        """Bind and call once."""
        self.bind(inputs, outputs)()

    def tensor(self, port: LogicalTensor, buffer: Array | int) -> Tensor:
        """A C tensor of a port on a buffer."""
        if not isinstance(buffer, int):
            self._check_array(port, buffer)
        return Tensor(self.library, self._structs[port.id], _address(buffer))

    def _check_array(self, port: LogicalTensor, array: Array) -> None:
        expected = _NUMPY_NAMES.get(port.dtype)
        if expected is not None and array.dtype != expected:
            raise AutosplitError(f"{self.name}: {port} got an array of {array.dtype}")
        if port.layout == "opaque":
            if array.nbytes < self.mem_size(port.id):
                raise AutosplitError(f"{self.name}: {port} got {counted(array.nbytes, 'byte')}")
            return
        if array.shape != port.dims:
            raise AutosplitError(f"{self.name}: {port} got an array of shape {array.shape}")
        steps = tuple(step // array.itemsize for step in array.strides)
        # A step along a size of 1 is never taken, and an empty array takes none.
        if array.size and any(
            n != 1 and a != b
            for n, a, b in zip(array.shape, steps, port.strides or (), strict=True)
        ):
            raise AutosplitError(
                f"{self.name}: {port} has strides {port.strides}, got an array with {steps}"
            )


def _strides(tensor: LogicalTensor) -> tuple[int, ...] | None:
    if tensor.layout != "strided" or tensor.dims is None:
        return None
    return tensor.strides or row_major(tensor.dims)


_NUMPY_NAMES = {
    "f32": "float32",
    "f16": "float16",
    "s32": "int32",
    "s8": "int8",
    "u8": "uint8",
    "f64": "float64",
    "boolean": "bool",
}


class Tensor:
    """A logical tensor with memory."""

    def __init__(self, lib: Library, struct: LogicalTensorStruct, address: int):
        self.library = lib
        self.handle = c_void_p()
        status = lib.dll.dnnl_graph_tensor_create(
            byref(self.handle), byref(struct), lib.engine, c_void_p(address)
        )
        if status:
            raise lib.failure(status, f"making a tensor for {LogicalTensor.of(struct)}")
        weakref.finalize(self, lib.dll.dnnl_graph_tensor_destroy, self.handle)

    def move(self, address: int) -> None:
        """Let the tensor have other memory."""
        status = self.library.dll.dnnl_graph_tensor_set_data_handle(self.handle, address)
        self.library.check(status, "moving a tensor")


class BoundCall:
    """A compiled partition on fixed buffers: calling it runs the partition.

    One thread at a time may call it, as its buffers are its own; other threads bind their own.
    """

    __slots__ = ("_call", "_handles", "_keep", "compiled", "inputs", "outputs", "stream")

    def __init__(
        self,
        compiled: CompiledPartition,
        inputs: Sequence[Array | int],
        outputs: Sequence[Array | int],
        stream: Stream,
    ):
        self.compiled = compiled
        self.stream = stream
        self.inputs = [compiled.tensor(p, b) for p, b in zip(compiled.inputs, inputs, strict=True)]
        self.outputs = [
            compiled.tensor(p, b) for p, b in zip(compiled.outputs, outputs, strict=True)
        ]
        self._keep = (tuple(inputs), tuple(outputs))
        ins = _handles_type(len(self.inputs))(*(t.handle.value for t in self.inputs))
        outs = _handles_type(len(self.outputs))(*(t.handle.value for t in self.outputs))
        self._handles = ins, outs
        # Arguments that are C objects already: nothing is converted in a call.
        self._call: partial[int] = partial(
            _untyped(compiled.library),
            compiled.handle,
            stream.handle,
            c_size_t(len(ins)),
            ins,
            c_size_t(len(outs)),
            outs,
        )

    def __call__(self) -> None:
        if status := self._call():
            self.check(status)
        if self.compiled.library.is_asynchronous:
            self.stream.wait()

    def check(self, status: int) -> None:
        """Raises AutosplitError for a status of the library's that is a failure."""
        self.compiled.library.check(status, f"executing the {self.compiled.name}")

    def words(self) -> list[int]:
        """The arguments and the function's address, as they are passed."""
        function: Any = _untyped(self.compiled.library)
        return [
            self.compiled.handle.value or 0,
            self.stream.handle.value or 0,
            len(self.inputs),
            ctypes.addressof(self._handles[0]),
            len(self.outputs),
            ctypes.addressof(self._handles[1]),
            ctypes.cast(function, c_void_p).value or 0,
        ]


@dataclass
class CallsInTurn:
    """Calls that are one step of a plan."""

    calls: Sequence[BoundCall]

    def __call__(self) -> None:
        for call in self.calls:
            call()


def _untyped(lib: Library) -> Callable[..., int]:
    """`execute` without prototypes: ctypes then passes C objects on as they are."""
    function = lib.dll["dnnl_graph_compiled_partition_execute"]
    function.restype = ctypes.c_int
    return function
