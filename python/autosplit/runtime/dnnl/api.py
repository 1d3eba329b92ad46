"""The C interface of oneDNN Graph for ctypes: codes, structures, prototypes; and logical tensors.

The codes are the library's enumerations, which only grow: one table serves every release since 3.1.
`autosplit.runtime.dnnl.library` is the interface to use.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    Structure,
    Union,
    c_char_p,
    c_float,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_void_p,
)
from dataclasses import dataclass
from itertools import count
from typing import Any

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted

MAX_NDIMS = 12
_UNKNOWN_DIM = -(2**63)
"""What the library writes for an unknown size."""

_UNKNOWN_NDIMS = -1

STATUSES = {
    1: "out of memory",
    2: "invalid arguments",
    3: "unimplemented",
    4: "last implementation reached",
    5: "runtime error",
    6: "not required",
    7: "invalid graph",
    8: "invalid operation",
    9: "invalid shape",
    10: "invalid data type",
}
"""`dnnl_status_t`, without success, which is 0."""

DTYPE_CODES = {
    "undef": 0,
    "f16": 1,
    "bf16": 2,
    "f32": 3,
    "s32": 4,
    "s8": 5,
    "u8": 6,
    "f64": 7,
    "boolean": 8,
}
"""The library's names of element types -> `dnnl_data_type_t`."""

DTYPE_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "s32": 4, "s8": 1, "u8": 1, "f64": 8, "boolean": 1}

LAYOUT_CODES = {"undef": 0, "any": 1, "strided": 2, "opaque": 3}
"""`dnnl_graph_layout_type_t`."""

PROPERTY_CODES = {"undef": 0, "variable": 1, "constant": 2}
"""`dnnl_graph_tensor_property_t`."""

POLICY_CODES = {"fusion": 1, "debug": 2}
"""`dnnl_graph_partition_policy_t`."""

FPMATH_CODES = {"strict": 0, "bf16": 1, "f16": 2, "any": 3, "tf32": 4}
"""`dnnl_fpmath_mode_t`."""

KIND_END = 25
"""The op kind `End`, which marks a tensor as an output of the graph."""

CPU = 1
"""`dnnl_cpu` of `dnnl_engine_kind_t`."""

SYCL_RUNTIME = 512
"""`cpu_runtime` of a build whose calls return before their work is done."""

ISA_NAMES = {
    0x1: "sse41",
    0x3: "avx",
    0x7: "avx2",
    0xF: "avx2_vnni",
    0x1F: "avx2_vnni_2",
    0x27: "avx512_core",
    0x67: "avx512_core_vnni",
    0xE7: "avx512_core_bf16",
    0x1EF: "avx512_core_fp16",
    0xFEF: "avx512_core_amx",
    0x1FEF: "avx512_core_amx_fp16",
}
"""`dnnl_cpu_isa_t`; later releases have more."""

NO_VNNI = frozenset({0x1, 0x3, 0x7, 0x27})
"""Instruction sets whose 8-bit products saturate at 16 bits."""

AVX512 = 0x27
"""The bits of `dnnl_cpu_isa_t` that all kernels with AVX-512 need."""

NEEDS_ISA = {"bf16": AVX512, "f16": 0x1EF}
"""Element types -> the bits of `dnnl_cpu_isa_t` without which compiling them ends the process."""

KINDS_BY_VERSION = (((3, 1), 79), ((3, 2), 83), ((3, 6), 84), ((3, 7), 86), ((3, 13), 88))
"""How many op kinds the library knows, from which release on: a kind above crashes it.

A release that was not tried counts as the one before it.
"""


class LogicalTensorStruct(Structure):
    """`dnnl_graph_logical_tensor_t`."""

    class Layout(Union):
        """The strides of a strided layout, or the id of an opaque one."""

        _fields_ = [("strides", c_int64 * MAX_NDIMS), ("layout_id", c_size_t)]

    _fields_ = [
        ("id", c_size_t),
        ("ndims", c_int),
        ("dims", c_int64 * MAX_NDIMS),
        ("dtype", c_int),
        ("property", c_int),
        ("layout_type", c_int),
        ("layout", Layout),
    ]


class VersionStruct(Structure):
    """`dnnl_version_t`."""

    _fields_ = [
        ("major", c_int),
        ("minor", c_int),
        ("patch", c_int),
        ("hash", c_char_p),
        ("cpu_runtime", c_uint),
        ("gpu_runtime", c_uint),
    ]


class InplacePairStruct(Structure):
    """`dnnl_graph_inplace_pair_t`."""

    _fields_ = [("input_id", c_size_t), ("output_id", c_size_t)]


class ArgumentStruct(Structure):
    """`dnnl_exec_arg_t`: what a memory is to a primitive."""

    _fields_ = [("arg", c_int), ("memory", c_void_p)]


_TENSOR = POINTER(LogicalTensorStruct)
_TENSORS = POINTER(_TENSOR)
_HANDLE = POINTER(c_void_p)

PROTOTYPES: dict[str, list[type]] = {
    "dnnl_engine_create": [_HANDLE, c_int, c_size_t],
    "dnnl_engine_destroy": [c_void_p],
    "dnnl_stream_create": [_HANDLE, c_void_p, c_uint],
    "dnnl_stream_destroy": [c_void_p],
    "dnnl_stream_wait": [c_void_p],
    "dnnl_graph_set_constant_tensor_cache": [c_int],
    "dnnl_set_verbose": [c_int],
    "dnnl_graph_graph_create": [_HANDLE, c_int],
    "dnnl_graph_graph_create_with_fpmath_mode": [_HANDLE, c_int, c_int],
    "dnnl_graph_graph_destroy": [c_void_p],
    "dnnl_graph_add_op": [c_void_p, c_void_p],
    "dnnl_graph_graph_finalize": [c_void_p],
    "dnnl_graph_graph_filter": [c_void_p, c_int],
    "dnnl_graph_graph_get_partition_num": [c_void_p, POINTER(c_size_t)],
    "dnnl_graph_graph_get_partitions": [c_void_p, c_size_t, _HANDLE],
    "dnnl_graph_op_create": [_HANDLE, c_size_t, c_int, c_char_p],
    "dnnl_graph_op_destroy": [c_void_p],
    "dnnl_graph_op_add_input": [c_void_p, _TENSOR],
    "dnnl_graph_op_add_output": [c_void_p, _TENSOR],
    "dnnl_graph_op_set_attr_f32": [c_void_p, c_int, POINTER(c_float), c_size_t],
    "dnnl_graph_op_set_attr_s64": [c_void_p, c_int, POINTER(c_int64), c_size_t],
    "dnnl_graph_op_set_attr_bool": [c_void_p, c_int, POINTER(c_uint8), c_size_t],
    "dnnl_graph_op_set_attr_str": [c_void_p, c_int, c_char_p, c_size_t],
    "dnnl_graph_partition_destroy": [c_void_p],
    "dnnl_graph_partition_get_op_num": [c_void_p, POINTER(c_size_t)],
    "dnnl_graph_partition_get_ops": [c_void_p, c_size_t, POINTER(c_size_t)],
    "dnnl_graph_partition_is_supported": [c_void_p, POINTER(c_uint8)],
    "dnnl_graph_partition_get_input_ports_num": [c_void_p, POINTER(c_size_t)],
    "dnnl_graph_partition_get_output_ports_num": [c_void_p, POINTER(c_size_t)],
    "dnnl_graph_partition_get_input_ports": [c_void_p, c_size_t, _TENSOR],
    "dnnl_graph_partition_get_output_ports": [c_void_p, c_size_t, _TENSOR],
    "dnnl_graph_partition_compile": [
        c_void_p,
        c_void_p,
        c_size_t,
        _TENSORS,
        c_size_t,
        _TENSORS,
        c_void_p,
    ],
    "dnnl_graph_compiled_partition_create": [_HANDLE, c_void_p],
    "dnnl_graph_compiled_partition_destroy": [c_void_p],
    "dnnl_graph_compiled_partition_execute": [
        c_void_p,
        c_void_p,
        c_size_t,
        _HANDLE,
        c_size_t,
        _HANDLE,
    ],
    "dnnl_graph_compiled_partition_query_logical_tensor": [c_void_p, c_size_t, _TENSOR],
    "dnnl_graph_compiled_partition_get_inplace_ports": [
        c_void_p,
        POINTER(c_size_t),
        POINTER(POINTER(InplacePairStruct)),
    ],
    "dnnl_graph_logical_tensor_get_mem_size": [_TENSOR, POINTER(c_size_t)],
    "dnnl_graph_tensor_create": [_HANDLE, _TENSOR, c_void_p, c_void_p],
    "dnnl_graph_tensor_destroy": [c_void_p],
    "dnnl_graph_tensor_set_data_handle": [c_void_p, c_void_p],
    "dnnl_memory_create": [_HANDLE, c_void_p, c_void_p, c_void_p],
    "dnnl_memory_destroy": [c_void_p],
    "dnnl_memory_desc_create_with_strides": [
        _HANDLE,
        c_int,
        POINTER(c_int64),
        c_int,
        POINTER(c_int64),
    ],
    "dnnl_memory_desc_destroy": [c_void_p],
    "dnnl_primitive_create": [_HANDLE, c_void_p],
    "dnnl_primitive_destroy": [c_void_p],
    "dnnl_primitive_desc_destroy": [c_void_p],
    "dnnl_primitive_execute": [c_void_p, c_void_p, c_int, POINTER(ArgumentStruct)],
    "dnnl_reorder_primitive_desc_create": [
        _HANDLE,
        c_void_p,
        c_void_p,
        c_void_p,
        c_void_p,
        c_void_p,
    ],
}
"""Every function that is called, with its parameters; all return a status."""


_VALUES: dict[str, Any] = {
    "dnnl_version": POINTER(VersionStruct),
    "dnnl_get_effective_cpu_isa": c_uint,
}
"""The functions that return something else, without parameters."""


def declare(dll: ctypes.CDLL) -> list[str]:
    """Give the functions of `dll` their types; returns the names of those that it lacks."""
    missing: list[str] = []
    for name, parameters in ({name: [] for name in _VALUES} | PROTOTYPES).items():
        try:
            function = getattr(dll, name)
        except AttributeError:
            missing.append(name)
            continue
        function.argtypes = parameters
        function.restype = _VALUES.get(name, c_int)
    return missing


UNKNOWN = -1
"""A size that is not known yet."""

_ids = count(1)


def new_id() -> int:
    """An id for an op or a tensor that nothing else in this process has."""
    return next(_ids)


@dataclass(frozen=True)
class LogicalTensor:
    """What the library knows of a tensor.

    `dims` is None where the rank is unknown, and has -1 for sizes that are not. `strides` count elements;
    None with layout "strided" is row-major. Layout "any" leaves the choice to the library (outputs only).
    """

    id: int
    dtype: str
    dims: tuple[int, ...] | None = None
    layout: str = "strided"
    strides: tuple[int, ...] | None = None
    layout_id: int = 0
    constant: bool = False

    @property
    def is_static(self) -> bool:
        """Whether rank and sizes are known."""
        return self.dims is not None and UNKNOWN not in self.dims

    @property
    def nbytes(self) -> int:
        """The bytes from the first to the last element of a static, strided tensor."""
        dims = self.dims
        if dims is None or not self.is_static or self.layout != "strided":
            raise AutosplitError(f"{self} has no fixed size")
        if 0 in dims:
            return 0
        strides = self.strides or row_major(dims)
        last = sum((n - 1) * step for n, step in zip(dims, strides, strict=True))
        return (last + 1) * DTYPE_BYTES[self.dtype]

    def __str__(self) -> str:
        dims = "*" if self.dims is None else "x".join("?" if n < 0 else str(n) for n in self.dims)
        return f"tensor {self.id} ({self.dtype} {dims or 'scalar'}, {self.layout})"

    def struct(self) -> LogicalTensorStruct:
        """The tensor as the library reads it; AutosplitError where it has no terms for it."""
        c = LogicalTensorStruct()
        c.id = self.id
        try:
            c.dtype = DTYPE_CODES[self.dtype]
            c.layout_type = LAYOUT_CODES[self.layout]
        except KeyError as e:
            raise AutosplitError(f"{self}: {e.args[0]!r} is not supported") from e
        c.property = PROPERTY_CODES["constant" if self.constant else "undef"]
        dims = self.dims
        if dims is None:
            c.ndims = _UNKNOWN_NDIMS
        elif len(dims) > MAX_NDIMS:
            raise AutosplitError(f"{self} has rank {len(dims)}; oneDNN has at most {MAX_NDIMS}")
        else:
            c.ndims = len(dims)
            c.dims[: len(dims)] = [_UNKNOWN_DIM if n < 0 else n for n in dims]
        if self.layout == "opaque":
            c.layout.layout_id = self.layout_id
        elif self.layout == "strided" and dims is not None:
            strides = self.strides or row_major(dims)
            if len(strides) != len(dims):
                raise AutosplitError(
                    f"{self} has {counted(len(dims), 'size')} and {counted(len(strides), 'stride')}"
                )
            c.layout.strides[: len(dims)] = [_UNKNOWN_DIM if s < 0 else s for s in strides]
        return c

    @classmethod
    def of(cls, c: LogicalTensorStruct) -> LogicalTensor:
        """The tensor that the library wrote."""
        rank = int(c.ndims)
        places = range(max(rank, 0))
        layout = _LAYOUTS[c.layout_type]
        strided = layout == "strided" and rank >= 0
        return cls(
            id=int(c.id),
            dtype=_DTYPES.get(c.dtype, f"type {c.dtype}"),
            dims=tuple(max(int(c.dims[i]), UNKNOWN) for i in places) if rank >= 0 else None,
            layout=layout,
            strides=tuple(max(int(c.layout.strides[i]), UNKNOWN) for i in places)
            if strided
            else None,
            layout_id=int(c.layout.layout_id) if layout == "opaque" else 0,
            constant=bool(c.property == PROPERTY_CODES["constant"]),
        )


_LAYOUTS = {code: name for name, code in LAYOUT_CODES.items()}
_DTYPES = {code: name for name, code in DTYPE_CODES.items()}


def row_major(dims: Sequence[int]) -> tuple[int, ...]:
    """The strides of a dense tensor, last dimension innermost; -1 where a size inside is unknown."""
    strides: list[int] = []
    step = 1
    for n in reversed(dims):
        strides.append(step)
        # A dimension of size 0 counts as one: the library refuses strides of 0.
        step = UNKNOWN if UNKNOWN in (n, step) else step * max(n, 1)
    return tuple(reversed(strides))
